import { pathToFileURL } from 'node:url'
import { type ComplementaritySolverName, complementaritySolvers, type SolverStatus } from '../../../contact/solvers/index.ts'
import { corpusProblem, type LcpProblem, problemClasses, violation } from './corpus.ts'

/*
 * The table of docs/solvers.md: how solvers end on every class of the corpus.
 *
 *   node --import ./scripts/typescript.mjs test/contact/solvers/corpusTable.ts [COUNT [SEED [NAME,NAME,..]]]
 */

export const CORPUS_SEED = 1
export const FULL_COUNT = 100_000
export const allSolvers = Object.keys(complementaritySolvers) as ComplementaritySolverName[]

/** Largest violation in units of b that counts as an answer: what rounding makes of terms a million times as large as b. */
const ALLOWED = 2e-6
const statuses: readonly SolverStatus[] = ['solved', 'ray', 'limit', 'residual', 'not-applicable']

/** How often each solver ended how on a class of problems, and what was wrong. */
export interface CorpusResult {
  readonly tallies: Record<string, Record<SolverStatus, number>>
  readonly wrong: readonly string[]
}

/**
 * Each solver on problems begin .. end - 1 of one class. Wrong is: an answer called solved that violates the problem; one for
 * a problem in which enumeration, for up to 12 rows that are not free, finds none; one that differs from enumeration's where there is but one.
 */
export function runCorpus(
  name: string,
  seed: number,
  begin: number,
  end: number,
  names: readonly ComplementaritySolverName[] = allSolvers,
): CorpusResult {
  const solvers = names.map((key) => [key, complementaritySolvers[key]()] as const)
  const truth = complementaritySolvers.enumeration()
  const tallies: Record<string, Record<SolverStatus, number>> = {}
  for (const [key] of solvers) tallies[key] = { solved: 0, ray: 0, limit: 0, residual: 0, 'not-applicable': 0 }
  const wrong: string[] = []
  for (let index = begin; index < end; index++) {
    const problem = corpusProblem(name, seed, index)
    const { n, A, b, free } = problem
    const nothingKnown = new Float64Array(n)
    const isSmall = unilateralCount(problem) <= 12
    const known = isSmall ? truth.solve(n, A, b, free, nothingKnown) : undefined
    for (const [key, solver] of solvers) {
      const status = key === 'enumeration' && !isSmall ? 'not-applicable' : solver.solve(n, A, b, free, nothingKnown)
      tallies[key][status]++
      const place = `${name} ${index}: ${key} ${status}`
      if (status === 'solved') {
        const off = violation(problem, solver.z)
        if (!(off <= ALLOWED)) wrong.push(`${place}, but violates it by ${off} of b`)
        else if (known === 'residual') wrong.push(`${place}, but there is no answer`)
        else if (known === 'solved' && problemClasses[name].unique && differs(n, solver.z, truth.z)) {
          wrong.push(`${place}, but the answer is another`)
        }
      } else if (status === 'ray' && problemClasses[name].convex && known === 'solved')
        wrong.push(`${place}, but there is an answer`)
    }
  }
  return { tallies, wrong }
}

const unilateralCount = ({ n, free }: LcpProblem) => n - free.reduce((sum, x) => sum + x, 0)

/** By more than what the conditioning of the corpus, 1e4 or so, makes of the tolerances. */
function differs(n: number, z: Float64Array, other: Float64Array): boolean {
  let largest = 0
  let off = 0
  for (let i = 0; i < n; i++) {
    largest = Math.max(largest, Math.abs(other[i]))
    off = Math.max(off, Math.abs(z[i] - other[i]))
  }
  return off > 1e-3 * (largest + 1e-3)
}

/** `count` problems, the same number of each class; Markdown. */
export function corpusTable(
  count: number,
  seed: number,
  names: readonly ComplementaritySolverName[] = allSolvers,
  note: (line: string) => void = () => {},
): { text: string; wrong: string[] } {
  const kinds = Object.keys(problemClasses)
  const lines = [`| class | ${names.join(' | ')} |`, `| --- |${names.map(() => ' --- |').join('')}`]
  const wrong: string[] = []
  for (const kind of kinds) {
    const result = runCorpus(kind, seed, 0, Math.floor(count / kinds.length), names)
    wrong.push(...result.wrong)
    lines.push(`| ${kind} | ${names.map((key) => cell(result.tallies[key])).join(' | ')} |`)
    note(lines[lines.length - 1])
  }
  return { text: lines.join('\n'), wrong }
}

/** Counts that are not 0, solved first. */
function cell(tally: Record<SolverStatus, number>): string {
  const letters: Record<SolverStatus, string> = {
    solved: '',
    ray: ' ray',
    limit: ' limit',
    residual: ' residual',
    'not-applicable': ' n/a',
  }
  return statuses
    .filter((status) => tally[status] > 0)
    .map((status) => `${tally[status]}${letters[status]}`)
    .join(', ')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [count = `${FULL_COUNT}`, seed = `${CORPUS_SEED}`, chosen = allSolvers.join(',')] = process.argv.slice(2)
  const names = chosen.split(',') as ComplementaritySolverName[]
  const { text, wrong } = corpusTable(Number(count), Number(seed), names, (line) => process.stderr.write(line + '\n'))
  process.stdout.write(text + '\n\nwrong: ' + wrong.length + '\n' + wrong.map((line) => line + '\n').join(''))
}
