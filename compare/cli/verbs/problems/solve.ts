import { didYouMean, dot } from '../../../../dynamics/index.ts'
import { outsideSolvers } from '../../../../engines/index.ts'
import { fclibText } from '../../../inspect/fclib.ts'
import { type Problem, parseProblem } from '../../../inspect/problemFile.ts'
import type { SolutionSets } from '../../../inspect/solutionSets.ts'
import {
  type Agreement,
  type Solution,
  type SolverResult,
  type Solvers,
  solveProblem,
  solverNames,
} from '../../../inspect/solve.ts'
import { solvers as own } from '../../../inspect/solvers.ts'
import { counted, significant } from '../../../measure/numbers.ts'
import { exitCodes, UsageError } from '../../errors.ts'
import { readInput } from '../../input.ts'
import { io } from '../../io.ts'
import { type Cell, left, type Paint, Progress, paintFor, right, table } from '../../terminal.ts'
import type { FlagsOf, Verb } from '../../verb.ts'

const flags = {
  '--solver <names>': {
    meaning: 'these solvers alone, such as ncp or siconos:NSGS,pinocchio:ADMM; all are ours; an unknown name lists all',
    default: 'all',
  },
  '--export <format>': 'fclib-json: print the problem as fclib-json writes one, and solve nothing',
} as const
type SolveFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed solve docs/examples/problems/box.json\n' +
    '  featherbed solve docs/examples/problems/lcp.json --solver lemke --json\n\n' +
    'PROBLEM.json, by its kind:\n' +
    '{"kind": "lcp", "A": [[..]], "b": [..]}: find z >= 0 with w = A z + b >= 0 and z w = 0.\n' +
    '{"kind": "mlcp", "A", "b", "free": [i, ..]}: the same, with z_i of any sign and w_i = 0 for the indices of free.\n' +
    '{"kind": "contact", "M": [[..]], "J": [[..]], "vFree": [..], "gap": [..], "mu": [..], "dt": s}: the impulses of one step; J has\n' +
    'the rows normal, tangent 1, tangent 2 of each contact, and z their impulses in that order, then those of other rows.\n' +
    'See docs/solvers.md.\n\n' +
    'Exit code 0 if a solver has an answer, 1 if none has, 2 if the command or the file is wrong.',
  arguments: { 'problem.json': 'the problem; featherbed run --problem saves that of a step' },
  flags,
  run: solve,
}

async function solve(file: string, { solver, json, quiet, export: format }: SolveFlags): Promise<void> {
  const solvers = solversOf(solver)
  const problem = parseProblem(readInput(file, { remedy: 'give the path of a JSON file' }), file)
  if (format !== undefined) {
    if (format !== 'fclib-json') throw new UsageError(`--export found "${format}", expected fclib-json`)
    if (problem.kind !== 'contact')
      throw new UsageError(`--export fclib-json: ${file} is an ${problem.kind}, expected a problem of contact`)
    io.stdout.write(fclibText(problem))
    return
  }
  // mostly over too soon to read, so nothing goes to a log
  const progress = new Progress(quiet === true || !io.stderr.isTTY)
  const solution = solveProblem(problem, solvers, solver, (name, fraction) => progress.show(`solving by ${name}`, fraction))
  progress.end()
  io.stdout.write(json ? `${JSON.stringify(solution)}\n` : solutionText(problem, solution, paintFor(io.stdout)))
  if (solution.solvers.every(({ status }) => status !== 'solved')) io.exitCode = exitCodes.failed
}

/** Ours, and of those that stand in other programs the ones that are named. @throws UsageError */
function solversOf(asked: string): Solvers {
  const outside = outsideSolvers()
  const named = asked.split(',')
  const others = [...Object.keys(outside.complementarity), ...Object.keys(outside.contact)]
  const names = [...solverNames(own), ...others]
  const strange = named.find((name) => name !== 'all' && !names.includes(name))
  if (strange !== undefined)
    throw new UsageError(`--solver found "${strange}", expected all or some of ${names.join(', ')}${didYouMean(strange, names)}`)
  for (const name of named) {
    const missing = others.includes(name) ? outside.missing[name.split(':')[0]] : undefined
    if (missing !== undefined) throw new UsageError(`--solver ${name}: its program is not installed: ${missing}`)
  }
  const chosen = <T>(makers: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(makers).filter(([name]) => named.includes(name)))
  return {
    ...own,
    complementarity: { ...own.complementarity, ...chosen(outside.complementarity) },
    contact: { ...own.contact, ...chosen(outside.contact) },
  }
}

/** Longer answers are for `--json`. */
const MOST_ROWS = 24
/** Members that push, in a row of the table. */
const MOST_MEMBERS = 6
const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

/** Text for the terminal. */
export function solutionText(problem: Problem, solution: Solution, paint: Paint): string {
  const { bold, dim } = paint
  const out = [`${bold(problem.kind)}  ${dim(sizeOf(problem, solution))}`]
  const from = originOf(problem)
  if (from !== '') out.push(dim(from))
  out.push('', indented(solverTable(solution, paint)))
  if (solution.solvers.some(({ status }) => status === 'not-applicable'))
    out.push(dim('  not applicable: the method is not made for such a problem, and has not tried (docs/solvers.md)'))
  const agreements = solution.agreement.filter(({ solvers }) => solvers > 0).map(agreementText)
  if (agreements.length > 0) out.push('', ...agreements)
  if (solution.nearest?.length) out.push(nearestText(solution))
  if (solution.solutions !== undefined) out.push('', solutionsText(problem, solution.solutions, paint))
  const best = bestOf(solution)
  if (best) out.push('', ...answerLines(problem, best, paint))
  return `${out.join('\n')}\n`
}

/** The most exact answer under the law that comes first; with constraints, of those that are nearest to the free velocity. */
function bestOf({ solvers, nearest }: Solution): SolverResult | undefined {
  const solved = solvers.filter(
    ({ name, status, law }) => status === 'solved' && law === solvers[0].law && (nearest?.includes(name) ?? true),
  )
  return solved.toSorted((a, b) => (a.residual as number) - (b.residual as number))[0]
}

/** Which answer leaves the velocity nearest to the free one, which is the one that the models take. */
function nearestText({ nearest = [], solvers }: Solution): string {
  const costs = solvers.flatMap(({ cost }) => (typeof cost === 'number' ? [cost] : []))
  const others = costs.length - nearest.length
  const rest = others === 0 ? '' : `; ${others === 1 ? 'the other is' : `the other ${others} are`} farther`
  return `nearest to the velocity without contact, by ${significant(Math.min(...costs), 6)}: ${nearest.join(', ')}${rest}`
}

/** Each velocity that solves the problem is a connected set of solutions, the nearest to the free one first. */
export function solutionsText(problem: Problem, solutions: SolutionSets | string, { bold, dim }: Paint): string {
  if (typeof solutions === 'string') return dim(solutions)
  const { sets, complete } = solutions
  const onWay = problem.kind === 'contact' && problem.path ? ', the way there left out' : ''
  const count = `${counted(sets.length, 'velocity', 'velocities')}${complete ? '' : ' found, not all choices tried'}`
  const title = `${bold(`All solutions at the end of the step${onWay}:`)} ${count}`
  if (sets.length === 0) return title
  const columns = [right('solution'), right('|v⁺ - v_free|'), left('contacts that may push'), left('impulses')]
  const rows = sets
    .slice(0, MOST_ROWS)
    .map(({ dimension, cost, pushing }, i): Cell[] => [
      { text: String(i + 1) },
      { text: significant(cost, 6) },
      { text: pushing.join(' ') || 'none' },
      { text: dimension === 0 ? 'unique' : `a continuum of dimension ${dimension}` },
    ])
  const rest = sets.length > MOST_ROWS ? `\n${dim(`  ${sets.length - MOST_ROWS} more; --json prints them`)}` : ''
  return `${title}\n${indented(table(columns, rows))}${rest}`
}

function sizeOf(problem: Problem, { rows, contacts = 0, constraints }: Solution): string {
  if (problem.kind === 'contact') {
    const others = rows - 3 * contacts
    const parts = [
      counted(contacts, 'contact'),
      ...(constraints === undefined ? [] : [counted(constraints, 'constraint')]),
      ...(others > 0 ? [counted(others, 'other row')] : []),
    ]
    const nv = problem.vFree.length
    return `${parts.join(', ')}; ${nv} ${nv === 1 ? 'velocity' : 'velocities'}`
  }
  const free = problem.free.length > 0 ? `, ${problem.free.length} of them free of sign` : ''
  return `${counted(rows, 'unknown')}${free}`
}

/** Origin of a saved problem, as far as it is stated in plain words. */
function originOf({ origin = {} }: Problem): string {
  const { note, ...facts } = origin
  const told = Object.entries(facts).filter(([, value]) => ['string', 'number'].includes(typeof value))
  return [...(typeof note === 'string' ? [note] : []), ...told.map(([key, value]) => `${key} ${value}`)].join(', ')
}

function solverTable({ kind, solvers, constraints }: Solution, { bold, bad, dim }: Paint): string {
  const isConstrained = constraints !== undefined
  // constraints know one law
  const isContact = kind === 'contact' && !isConstrained
  const columns = [
    left('solver'),
    ...(isContact ? [left('law')] : []),
    left('status'),
    right('residual'),
    ...(isConstrained ? [right('violation'), right('|v⁺ - v_free|'), left('members that push')] : []),
    right('iterations'),
    right('time'),
  ]
  const rows = solvers.map(({ name, law = '', status, reason, residual, iterations, microseconds, ...more }): Cell[] => [
    { text: name, paint: status === 'solved' ? bold : undefined },
    ...(isContact ? [{ text: law }] : []),
    {
      text: status === 'failed' ? `failed: ${reason}` : status.replace('-', ' '),
      paint: status === 'failed' ? bad : status === 'solved' ? undefined : dim,
    },
    { text: residual === null ? '-' : significant(residual, 2) },
    ...(isConstrained ? constrainedCells(more) : []),
    { text: microseconds === null ? '-' : String(iterations) },
    { text: microseconds === null ? '-' : `${Number(microseconds.toPrecision(3))} \u00b5s` },
  ])
  return table(columns, rows)
}

/** Members are named constraint.member. */
function constrainedCells({ constraintViolation, cost, pushing }: Partial<SolverResult>): Cell[] {
  const number = (x: number | null | undefined, digits: number) => ({
    text: typeof x === 'number' ? significant(x, digits) : '-',
  })
  const members = pushing?.map(({ constraint, member }) => `${constraint}.${member}`)
  const shown = members && members.length > MOST_MEMBERS ? [...members.slice(0, MOST_MEMBERS), '…'] : members
  return [number(constraintViolation, 2), number(cost, 6), { text: shown === undefined ? '-' : shown.join(' ') || 'none' }]
}

function agreementText({ law, of, solvers, largestDifference }: Agreement): string {
  const which = law === null ? '' : `${law}: `
  const what = of === 'w' ? 'w = A z + b' : 'velocities'
  return largestDifference === null
    ? `${which}one answer, with nothing to compare it with`
    : `${which}the ${what} of ${solvers} answers differ by ${significant(largestDifference, 2)} at most`
}

/** The answer of one solver: a row an unknown, or a row a contact. */
function answerLines(problem: Problem, { name, law, z, velocity }: SolverResult, { bold, dim }: Paint): string[] {
  const answer = z as readonly number[]
  const isConstrained = problem.kind === 'contact' && problem.constraints !== undefined
  const whose = isConstrained ? ': the contacts that push' : law ? `, ${law}` : ''
  const lines = [bold(`Answer of ${name}${whose}`)]
  if (answer.length > MOST_ROWS && !isConstrained)
    return [...lines, dim(`  ${counted(answer.length, 'number')}; --json prints them`)]
  if (problem.kind !== 'contact') {
    const w = answer.map((_, i) => dot(problem.A[i], answer) + problem.b[i])
    const number = numbersLike([...w, ...problem.b])
    const rows = answer.map((x, i) => [
      { text: String(i) },
      number(x),
      number(w[i]),
      { text: problem.free.includes(i) ? 'free' : '' },
    ])
    return [...lines, indented(table([right(''), right('z'), right('w'), left('')], rows))]
  }
  const { J, gap, rows: others = [] } = problem
  const number = numbersLike(answer)
  const speeds = [...J, ...others.map((row) => row.J)].map((row) => dot(row, velocity as readonly number[]))
  const speedCell = numbersLike([...speeds, ...problem.vFree])
  const speed = (i: number) => speedCell(speeds[i])
  const contacts = gap.map((_, c) => c).filter((c) => !isConstrained || answer.slice(3 * c, 3 * c + 3).some((x) => x !== 0))
  if (contacts.length === 0 && gap.length > 0) lines.push(dim('  no contact pushes'))
  else if (contacts.length > 0) {
    const rows = contacts.map((c) => [
      { text: String(c) },
      { text: `${significant(1e3 * gap[c], 3)} mm` },
      ...[0, 1, 2].map((k) => number(answer[3 * c + k])),
      ...[0, 1, 2].map((k) => speed(3 * c + k)),
    ])
    const titles = [
      '\ncontact',
      '\ngap',
      'impulse\nnormal',
      '\ntangent 1',
      '\ntangent 2',
      'velocity\nnormal',
      '\ntangent 1',
      '\ntangent 2',
    ]
    lines.push(indented(table(titles.map(right), rows)))
  }
  if (others.length > 0) {
    const rows = others.map(({ kind }, i) => [
      { text: String(i) },
      { text: kind },
      number(answer[J.length + i]),
      speed(J.length + i),
    ])
    lines.push(indented(table([right('row'), left('kind'), right('impulse'), right('velocity')], rows)))
  }
  return lines
}

/** Format of numbers among these: those within rounding of the largest are 0. */
function numbersLike(values: readonly number[]): (x: number) => Cell {
  const rounding = 1e-12 * Math.max(...values.map(Math.abs))
  return (x) => ({ text: Math.abs(x) < rounding ? '0' : significant(x, 6) })
}
