/*
 * Run by newton.test.ts in a process of its own, with SOLVER WARM_UP SOLVES. Prints what each of ten times SOLVES solves after the
 * warm-up allocated: warm and cold ones, sticking and sliding ones, and ones that are hard.
 */
import { type ContactSolverName, contactSolvers, UNKNOWN_MODE } from '../../../contact/solvers/index.ts'
import { measureWindows } from '../../allocation.ts'
import { randomContacts } from './contactProblems.ts'

const [name, warmUp, solves] = process.argv.slice(2)
const solvers = (['cone', 'associated', 'pyramid'] as const)
  .map((law) => contactSolvers[name as ContactSolverName](law, 4))
  .filter((solver) => solver !== undefined)
const problems = Array.from({ length: 24 }, (_, seed) => {
  const problem = randomContacts(seed, 1 + (seed % 6), { soft: 1e-2, mu: 0.7, spread: 0.5 })
  return {
    problem,
    plain: problem.right.slice(),
    p: new Float64Array(problem.rowCount),
    mode: new Int8Array(problem.groupCount).fill(UNKNOWN_MODE),
  }
})
let count = 0
function solve(): void {
  const { problem, plain, p, mode } = problems[count % problems.length]
  const round = Math.floor(count / problems.length)
  for (let r = 0; r < plain.length; r++) problem.right[r] = plain[r] * (1 + 0.01 * ((round + r) % 5))
  if (round % 7 === 0) {
    p.fill(0)
    mode.fill(UNKNOWN_MODE)
  }
  for (let k = 0; k < solvers.length; k++) solvers[k].solve(problem, p, mode)
  count++
}
for (let i = 0; i < Number(warmUp); i++) solve()
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(solves); i++) solve()
})
process.stdout.write(JSON.stringify(allocation))
