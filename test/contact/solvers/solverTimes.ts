import { complementaritySolvers } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { dense, frictional, type LcpProblem, normals } from './corpus.ts'
import { timed } from './tables.ts'

/*
 * Times of complementarity solvers: microseconds a solve, from nothing and from the answer of the step before; and for how many of these
 * the step before was enough.
 *
 *   node --import ./scripts/typescript.mjs test/contact/solvers/solverTimes.ts
 */

const sizes = [6, 24, 48, 96]
const problems = 20
/** Solves of one problem are timed in so many batches of so many microseconds, of which the fastest counts. */
const BATCHES = 4
const BATCH = 1500

/** The problem of the next step: velocities of half the rows a thousandth larger, of the others smaller. */
const nextStep = (problem: LcpProblem, half: number): LcpProblem => ({
  ...problem,
  b: problem.b.map((x, i) => x * (i < half ? 1.001 : 0.999)),
})

interface Times {
  readonly cell: string
  /** Solves that took no pivot, sweep or step. */
  readonly atOnce: number
}

/** Median over problems, each the least of its batches; and how many were solved. */
function time(name: keyof typeof complementaritySolvers, list: readonly LcpProblem[], starts: readonly Float64Array[]): Times {
  const solver = complementaritySolvers[name]()
  const times: number[] = []
  let solved = 0
  let atOnce = 0
  for (let warmUp = 0; warmUp < Math.ceil(200 / list[0].n); warmUp++) {
    for (let p = 0; p < list.length; p++) solver.solve(list[p].n, list[p].A, list[p].b, list[p].free, starts[p])
  }
  for (let p = 0; p < list.length; p++) {
    const { n, A, b, free } = list[p]
    const status = solver.solve(n, A, b, free, starts[p])
    if (status === 'not-applicable') return { cell: '', atOnce: 0 }
    if (status === 'solved') solved++
    if (status === 'solved' && solver.iterations === 0) atOnce++
    times.push(timed(() => solver.solve(n, A, b, free, starts[p]), BATCHES, BATCH))
  }
  times.sort((x, y) => x - y)
  const median = times[times.length >> 1]
  const cell =
    (median < 10 ? median.toFixed(1) : median.toFixed(0)) + (solved < list.length ? ` (${solved} of ${list.length})` : '')
  return { cell, atOnce }
}

function table(title: string, create: (rows: number) => LcpProblem, half: (rows: number) => number): void {
  const lines = [
    `| ${title} | ${sizes.map((rows) => `${rows} rows | warm`).join(' | ')} |`,
    `| --- |${sizes.map(() => ' --- | --- |').join('')}`,
  ]
  const counts = [`| ${title} | ${sizes.join(' | ')} |`]
  const sets = sizes.map((rows) => Array.from({ length: problems }, () => create(rows)))
  const exact = complementaritySolvers.lemke()
  const answers = sets.map((list) =>
    list.map(({ n, A, b, free }) => {
      exact.solve(n, A, b, free, new Float64Array(n))
      return exact.z.slice(0, n)
    }),
  )
  for (const name of Object.keys(complementaritySolvers) as (keyof typeof complementaritySolvers)[]) {
    const atOnce: string[] = []
    const cells = sets.flatMap((list, k) => {
      if (name === 'enumeration' && sizes[k] > 12) return ['', '']
      const nothingKnown = list.map(({ n }) => new Float64Array(n))
      const next = list.map((problem) => nextStep(problem, half(sizes[k])))
      const warm = time(name, next, answers[k])
      atOnce.push(warm.cell === '' ? '' : `${warm.atOnce}`)
      return [time(name, list, nothingKnown).cell, warm.cell]
    })
    if (cells.every((cell) => cell === '')) continue
    lines.push(`| ${name} | ${cells.join(' | ')} |`)
    counts.push(`| ${name} | ${atOnce.join(' | ')} |`)
  }
  process.stdout.write(`${lines.join('\n')}\n\nWarm solves of ${problems} that took no step:\n${counts.join('\n')}\n\n`)
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
table(
  'dense',
  (rows) => dense(random, rows, 0),
  (rows) => rows / 2,
)
