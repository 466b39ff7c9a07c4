import { type ComplementaritySolver, LemkeSolver, LevenbergMarquardtMcp, PathFollowing } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { violation } from '../solvers/corpus.ts'
import { print, timed } from '../solvers/tables.ts'
import { planarCorners } from './planarCorners.ts'

/*
 * Corners against corners under complementarity solvers: how many such problems each solver answers with all its starts, from zero
 * alone and from one random start alone, the steps or pivots of the first on average, and the median time of a solve.
 *
 *   node --import ./scripts/typescript.mjs test/contact/solvers/cornersTable.ts [COUNT]
 */

const count = Number(process.argv[2] ?? 500)
const random = createRandom(1)
const problems = Array.from({ length: count }, () => planarCorners(random))
const randomStarts = problems.map(({ n }) => Float64Array.from({ length: n }, () => random.between(-1, 1)))
const nothingKnown = new Float64Array(22)

/** With all starts; with none but zero; with none but the guess. */
const solvers: readonly (readonly [ComplementaritySolver, ComplementaritySolver, ComplementaritySolver | undefined])[] = [
  [new LevenbergMarquardtMcp(), new LevenbergMarquardtMcp(1e-9, -1), new LevenbergMarquardtMcp(1e-9, -2)],
  [new PathFollowing(), new PathFollowing(1e-9, 1), new PathFollowing(1e-9, 0)],
  [new LemkeSolver(), new LemkeSolver(), undefined],
]
print(['', 'solved', 'from zero alone', 'from one random start', 'steps', 'median µs'])
for (const [all, zero, guess] of solvers) {
  let [solved, fromZero, fromGuess, steps] = [0, 0, 0, 0]
  const times: number[] = []
  for (const [k, problem] of problems.entries()) {
    const { n, A, b, free } = problem
    const holds = (solver: ComplementaritySolver, start: Float64Array) => {
      if (solver.solve(n, A, b, free, start) !== 'solved') return false
      // rounding of terms a hundred times as large as b
      if (!(violation(problem, solver.z) < 1e-6)) throw new Error(`problem ${k}: ${solver.name} calls a wrong answer solved`)
      return true
    }
    if (holds(all, nothingKnown)) solved++
    steps += all.iterations
    if (holds(zero, nothingKnown)) fromZero++
    if (guess !== undefined && holds(guess, randomStarts[k])) fromGuess++
    times.push(timed(() => all.solve(n, A, b, free, nothingKnown), 3, 1000))
  }
  times.sort((x, y) => x - y)
  print([
    all.name,
    solved,
    fromZero,
    guess === undefined ? '' : fromGuess,
    (steps / count).toFixed(0),
    Number(times[times.length >> 1].toPrecision(2)),
  ])
}
