/*
 * What the scripts that print tables share.
 */

/** Of this process alone [µs]: the machine may be shared. */
const clock = () => process.cpuUsage().user

export const print = (cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`)

/** Time of a call, the least of so many batches of so long [µs]. */
export function timed(call: () => void, batches: number, long: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < batches; batch++) {
    const begin = clock()
    let calls = 0
    let spent = 0
    while (spent < long) {
      call()
      calls++
      spent = clock() - begin
    }
    least = Math.min(least, spent / calls)
  }
  return least
}
