import { ANSWER_TOLERANCE, type SavedProblem } from '../../../../contact/index.ts'
import { type Answers, answersOf, certificatesOf, modesOf } from '../../../answers/answers.ts'
import { ContactSystem } from '../../../answers/contactSystem.ts'
import { type LemkeEnd, lemkeEnd, type ManyStarts, manyStarts } from '../../../answers/manyStarts.ts'
import { type Problem, parseProblem } from '../../../inspect/problemFile.ts'
import { type SolutionSets, solutionSets } from '../../../inspect/solutionSets.ts'
import { counted, percent, significant } from '../../../measure/numbers.ts'
import { canUseThreads, runJobs } from '../../../run/pool.ts'
import { subjectsOf } from '../../../scenario/world/files.ts'
import { exitCodes, UsageError } from '../../errors.ts'
import { readInput } from '../../input.ts'
import { io } from '../../io.ts'
import { outputFile, writeOutput } from '../../output.ts'
import { durationOf, scenarioFlags, scenarioOf } from '../../scenarioArguments.ts'
import { type Cell, left, Progress, paintFor, right, table } from '../../terminal.ts'
import type { FlagsOf, Verb } from '../../verb.ts'
import { solutionsText } from './solve.ts'

const flags = {
  ...scenarioFlags,
  '--model <name>': "of SCENARIO@t: a contact model (default: the scenario's first)",
  '--dt <time>': "of SCENARIO@t: time step (default: the scenario's smallest)",
  '--law <name>': "pyramid, cone or associated (default: the problem's)",
  '--certificates <file>': 'write the proof of every empty mode; docs/examples/answers/check.mjs checks it',
  '--most <n>': { meaning: 'linear programs of the search at most', default: '200000' },
} as const
type AnswersFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed answers docs/examples/problems/box.json\n' +
    '  featherbed answers docs/examples/problems/painleve-rod.json --law cone\n' +
    '  featherbed answers humanoid@0.5 --model ncp --dt 1e-3\n\n' +
    'ROBOT@t and SCENARIO@t take the problem of the step that ends at t [s]. Every mode of every contact is either excluded,\n' +
    'with a proof, or has answers. See docs/answers.md.\n\n' +
    'Exit code 0 if there is an answer, 1 if there is none or the search was not complete, 2 if the command or a file is wrong.',
  arguments: { problem: 'PROBLEM.json as featherbed solve reads it, or a robot or scenario, @ and a time' },
  flags,
  run: answers,
}

async function answers(target: string, flags: AnswersFlags): Promise<void> {
  const found = await problemOf(target, flags)
  const { law } = flags
  if (law !== undefined && !['pyramid', 'cone', 'associated'].includes(law))
    throw new UsageError(`--law found "${law}", expected pyramid, cone or associated`)
  if (law !== undefined && found.kind !== 'contact')
    throw new UsageError(`--law: ${target} is an ${found.kind}, without friction`)
  const problem = (law === undefined ? found : { ...found, law }) as Problem
  if (problem.kind === 'contact' && problem.constraints !== undefined) return constrained(problem, flags)
  const most = Number(flags.most)
  if (!(Number.isInteger(most) && most > 0)) throw new UsageError(`--most found "${flags.most}", expected a whole number above 0`)
  const certificates = flags.certificates === undefined ? undefined : await outputFile('--certificates', flags.certificates)
  if (certificates !== undefined && problem.kind === 'contact' && problem.law !== undefined && problem.law !== 'pyramid')
    throw new UsageError(`--certificates are of linear problems under the law "pyramid", not under "${problem.law}"`)
  const result = searched(problem, most)
  if (certificates !== undefined) await writeOutput(certificates, `${JSON.stringify(certificatesOf(problem, most))}\n`)
  const starts = !result.complete && problem.kind === 'contact' ? manyStarts(problem) : undefined
  const isLinear = problem.kind !== 'contact' || (problem.law ?? 'pyramid') === 'pyramid'
  const lemke = isLinear ? lemkeEnd(problem) : undefined
  io.stdout.write(
    flags.json ? `${JSON.stringify(documentOf(problem, result, starts, lemke))}\n` : answersText(problem, result, starts, lemke),
  )
  if (result.sets.length === 0 || !result.complete) io.exitCode = exitCodes.failed
}

/** @throws UsageError for a law without faces */
function searched(problem: Problem, most: number): Answers {
  try {
    return answersOf(problem, most)
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error
  }
}

function constrained(problem: SavedProblem, { json }: AnswersFlags): void {
  const solutions = solutionSets(problem)
  if (typeof solutions === 'string') throw new UsageError(solutions)
  io.stdout.write(json ? `${JSON.stringify(solutions)}\n` : `${solutionsText(problem, solutions, paintFor(io.stdout))}\n`)
  if (solutions.sets.length === 0 || !(solutions as SolutionSets).complete) io.exitCode = exitCodes.failed
}

/** The problem of a file, or of a step of a run. */
async function problemOf(target: string, flags: AnswersFlags): Promise<Problem> {
  const at = target.lastIndexOf('@')
  if (at < 0)
    return parseProblem(
      readInput(target, { remedy: 'give the path of a JSON file, or a scenario and a time, such as humanoid@0.5' }),
      target,
    )
  const t = await durationOf('the time behind @', target.slice(at + 1))
  const scenario = await scenarioOf([target.slice(0, at)], { ...flags, duration: String(t) })
  const [model, dt] = [scenario.models[0], scenario.dt[0]]
  const progress = new Progress(flags.quiet === true)
  const [outcome] = await runJobs(
    [
      {
        kind: 'run',
        scenario: { ...scenario, variants: [], sweep: {} },
        robot: subjectsOf(scenario)[0],
        model,
        dt,
        problemAt: t,
      },
    ],
    {
      threads: canUseThreads() ? 1 : 0,
      patience: scenario.patience,
      robots: new Map(),
      idle: io.idle,
      progress: (fraction) => progress.show(`simulating ${model.name}`, fraction),
    },
  )
  progress.end()
  const asked = outcome.problems.find(({ reason }) => reason === 'asked')
  if (asked !== undefined) return { ...asked.problem }
  if (outcome.status === 'failed') throw new UsageError(`${target}: the run failed before that step: ${outcome.failure}`)
  throw new UsageError(
    outcome.tellsProblems
      ? `${target}: nothing was in contact in that step; give another time`
      : `${target}: ${model.name} solves no problem of contact; --model chooses one that does, such as stewart-trinkle`,
  )
}

/** Ranges as [min, max]; null for infinite ends. */
const pairsOf = ({ min, max }: { min: Float64Array; max: Float64Array }) =>
  Array.from(min, (low, i) => [low, max[i]].map((x) => (Number.isFinite(x) ? x : null)))

function documentOf(problem: Problem, { sets, search, complete }: Answers, starts?: ManyStarts, lemke?: LemkeEnd): unknown {
  const system = problem.kind === 'contact' ? new ContactSystem(problem) : undefined
  return {
    kind: problem.kind,
    law: problem.kind === 'contact' ? (problem.law ?? 'pyramid') : null,
    complete,
    programs: search.nodes,
    empty: search.empty,
    open: search.open,
    answers: sets.map((set) => ({
      modes: modesOf(set),
      velocityDimension: set.velocityDimension,
      impulseDimension: set.impulseDimension,
      isVerified: set.isVerified,
      velocities: pairsOf(set.velocity),
      impulses: pairsOf(set.impulse),
      impulse: [...set.p],
      velocity: system === undefined ? null : [...system.velocity(set.p)],
    })),
    lemke: lemke ?? null,
    starts: starts ?? null,
  }
}

const MOST_ROWS = 24

function answersText(problem: Problem, result: Answers, starts?: ManyStarts, lemke?: LemkeEnd): string {
  const { bold, dim } = paintFor(io.stdout)
  const { sets, search, complete } = result
  const law = problem.kind === 'contact' ? `, law ${problem.law ?? 'pyramid'}` : ''
  const out = [
    `${bold(complete ? 'All answers:' : 'Answers found:')} ${counted(sets.length, 'connected set')}${law}`,
    dim(
      `${counted(search.nodes, 'linear program')}, ${counted(search.empty, 'empty choice')} of modes${search.open > 0 ? `, ${search.open} left open at --most` : ''}`,
    ),
  ]
  const isCone = problem.kind === 'contact' && problem.law === 'cone'
  const impulses = sets.flatMap(({ impulse }) => [...impulse.min, ...impulse.max].filter(Number.isFinite).map(Math.abs))
  const zero = [1e-7 * Math.max(...impulses, 1e-300), 16 * ANSWER_TOLERANCE * result.faces.scale] as const
  sets.forEach((set, i) => {
    const velocity = set.velocityDimension === 0 ? 'one velocity' : `velocities in ${counted(set.velocityDimension, 'direction')}`
    const impulse = set.impulseDimension === 0 ? 'one impulse' : `impulses in ${counted(set.impulseDimension, 'direction')}`
    const isWide = set.velocityDimension + set.impulseDimension > 0
    const enclosure = set.isVerified ? 'an enclosure with a solution, proved by intervals' : 'an enclosure that may have none'
    const what = isCone && (isWide || !set.isVerified) ? enclosure : `${velocity}, ${impulse}`
    out.push('', bold(`Answer ${i + 1}: ${what}`), rowsText(problem, set, modesOf(set), zero))
  })
  if (lemke?.status === 'ray')
    out.push(
      '',
      lemke.isProof
        ? "Lemke's algorithm ends on a ray, a proof of none: the matrix is copositive-plus."
        : "Lemke's algorithm ends on a ray, which proves nothing here: the matrix is not known to be copositive-plus.",
    )
  if (starts !== undefined) {
    const { velocities } = starts
    const most = `${counted(velocities.length, 'velocity', 'velocities')} from ${starts.solved} of ${starts.starts} random starts`
    out.push('', `${most}; of further starts some ${percent(starts.unseen)} would lead to others.`)
  }
  return `${out.join('\n')}\n`
}

/** A row a row of the problem: mode, and ranges of impulse and velocity. @param zero what counts as such of impulses, and of velocities */
function rowsText(
  problem: Problem,
  { velocity, impulse }: Answers['sets'][number],
  modes: readonly string[],
  [zeroP, zeroU]: readonly [number, number],
): string {
  const text = ({ min, max }: { min: Float64Array; max: Float64Array }, r: number, zero: number) => {
    const number = (x: number) => (Math.abs(x) <= zero ? '0' : significant(x, 5))
    return max[r] - min[r] <= 100 * zero ? number(0.5 * (min[r] + max[r])) : `${number(min[r])} to ${number(max[r])}`
  }
  const names = rowNames(problem)
  const rows = names
    .slice(0, MOST_ROWS)
    .map(({ name, group }, r): Cell[] => [
      { text: name },
      { text: group === undefined ? '' : modes[group] },
      { text: text(impulse, r, zeroP) },
      { text: text(velocity, r, zeroU) },
    ])
  const rest = names.length > MOST_ROWS ? `\n  ${names.length - MOST_ROWS} rows more; --json has them` : ''
  const lines = table([left('row'), left('mode'), right('impulse'), right('velocity')], rows)
  return `${lines.replaceAll(/^(?=.)/gm, '  ')}${rest}`
}

/** Rows of the search in words; `group` where one begins. */
function rowNames(problem: Problem): { name: string; group?: number }[] {
  if (problem.kind !== 'contact') return problem.b.map((_, i) => ({ name: `unknown ${i}`, group: i }))
  const { mu, rows = [] } = problem
  const contacts = mu.flatMap((friction, c) =>
    (friction > 0 ? ['normal', 'tangent 1', 'tangent 2'] : ['normal']).map((row, k) => ({
      name: `contact ${c} ${row}`,
      group: k === 0 ? c : undefined,
    })),
  )
  return [...contacts, ...rows.map(({ kind }, i) => ({ name: `row ${i} ${kind}`, group: mu.length + i }))]
}
