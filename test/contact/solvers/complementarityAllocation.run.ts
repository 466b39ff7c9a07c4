/*
 * Run by complementarityAllocation.test.ts in a process of its own, with NAME WARM_UP ROUNDS. Prints what each of ten times
 * ROUNDS rounds over a few problems of every class, each from nothing and from the answer, allocated after the warm-up.
 */
import { type ComplementaritySolverName, complementaritySolvers } from '../../../contact/solvers/index.ts'
import { measureWindows } from '../../allocation.ts'
import { corpusProblem, problemClasses } from './corpus.ts'

const [name, warmUp, rounds] = process.argv.slice(2)
const solver = complementaritySolvers[name as ComplementaritySolverName]()
const problems = Object.keys(problemClasses).flatMap((kind) => [0, 1, 2, 3].map((index) => corpusProblem(kind, 31, index)))
const chosen = problems.filter(({ n }) => n <= (name === 'enumeration' ? 7 : 18))
const nothingKnown = new Float64Array(30)
const start = new Float64Array(30)

function round(): void {
  for (let k = 0; k < chosen.length; k++) {
    const { n, A, b, free } = chosen[k]
    solver.solve(n, A, b, free, nothingKnown)
    for (let i = 0; i < n; i++) start[i] = solver.z[i]
    solver.solve(n, A, b, free, start)
  }
}

for (let i = 0; i < Number(warmUp); i++) round()
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(rounds); i++) round()
})
process.stdout.write(JSON.stringify({ ...allocation, solves: 2 * chosen.length }))
