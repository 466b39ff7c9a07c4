import { performance } from 'node:perf_hooks'
import { complementaritySolvers } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { frictional, type LcpProblem, normals } from './corpus.ts'

/*
 * The times of docs/solvers.md: microseconds a solve, from nothing and from the answer of the step before.
 *
 *   node --import ./scripts/typescript.mjs test/contact/solvers/solverTimes.ts
 */

const sizes = [6, 24, 48, 96]
const problems = 20

/** The problem of the next step: velocities of half the rows a thousandth larger, of the others smaller. */
const nextStep = (problem: LcpProblem, half: number): LcpProblem => ({
  ...problem,
  b: problem.b.map((x, i) => x * (i < half ? 1.001 : 0.999)),
})

/** Median over problems and repetitions, and how many were solved. */
function time(name: keyof typeof complementaritySolvers, list: readonly LcpProblem[], starts: readonly Float64Array[]): string {
  const solver = complementaritySolvers[name]()
  const times: number[] = []
  let solved = 0
  const repetitions = Math.ceil(200 / list[0].n)
  for (let k = 0; k < repetitions; k++) {
    solved = 0
    for (let p = 0; p < list.length; p++) {
      const { n, A, b, free } = list[p]
      const begin = performance.now()
      const status = solver.solve(n, A, b, free, starts[p])
      const end = performance.now()
      if (k > repetitions / 4) times.push(1000 * (end - begin))
      if (status === 'not-applicable') return ''
      if (status === 'solved') solved++
    }
  }
  times.sort((x, y) => x - y)
  const median = times[times.length >> 1]
  return (median < 10 ? median.toFixed(1) : median.toFixed(0)) + (solved < list.length ? ` (${solved} of ${list.length})` : '')
}

function table(title: string, create: (rows: number) => LcpProblem, half: (rows: number) => number): void {
  const lines = [
    `| ${title} | ${sizes.map((rows) => `${rows} rows | warm`).join(' | ')} |`,
    `| --- |${sizes.map(() => ' --- | --- |').join('')}`,
  ]
  const sets = sizes.map((rows) => Array.from({ length: problems }, () => create(rows)))
  const exact = complementaritySolvers.lemke()
  const answers = sets.map((list) =>
    list.map(({ n, A, b, free }) => {
      exact.solve(n, A, b, free, new Float64Array(n))
      return exact.z.slice(0, n)
    }),
  )
  for (const name of Object.keys(complementaritySolvers) as (keyof typeof complementaritySolvers)[]) {
    const cells = sets.flatMap((list, k) => {
      if (name === 'enumeration' && sizes[k] > 12) return ['', '']
      const nothingKnown = list.map(({ n }) => new Float64Array(n))
      const next = list.map((problem) => nextStep(problem, half(sizes[k])))
      return [time(name, list, nothingKnown), time(name, next, answers[k])]
    })
    if (cells.some((cell) => cell !== '')) lines.push(`| ${name} | ${cells.join(' | ')} |`)
  }
  process.stdout.write(lines.join('\n') + '\n\n')
}

const random = createRandom(1)

table(
  'frictional',
  (rows) => frictional(random, rows / 6, Math.max(6, rows / 2), false),
  (rows) => rows / 6,
)
table(
  'normals alone',
  (rows) => normals(random, rows, Math.ceil(1.2 * rows)),
  (rows) => rows / 2,
)
