import { processorTime } from '../../../compare/run/patience.ts'
import { limitWork } from '../../../dynamics/index.ts'

/** For how long at least something is repeated to be timed [s]. */
const leastTime = 0.02

/** Of one run; what it counts, and the least of three times. */
export function measured(run: () => void, counted: () => number): { readonly count: number; readonly time: number } {
  limitWork(Float64Array.of(Infinity))
  run()
  const count = counted()
  let time = Infinity
  // the first round is also for the compiler
  for (let round = 0; round < 3; round++) {
    const begin = processorTime()
    let times = 0
    do {
      run()
      times++
    } while (processorTime() - begin < leastTime)
    time = Math.min(time, (processorTime() - begin) / times)
  }
  return { count, time }
}
