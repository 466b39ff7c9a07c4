/**
 * npm run bench -- programs [COUNT]
 *
 * COUNT (300) problems of contact under three laws of friction, by every solver here and by those of other programs that are installed
 * (featherbed engines, docs/solvers.md), judged by our residuals: how many each solves, how many more it claims to have solved
 * (with the median of their residuals), and what its time is. Hard ones first: scenes with a thousandfold range of masses, redundant
 * contacts, wedges and jams; then steps of robots and of scenes.
 */

import { sceneFiles } from '../../cases/phenomena.ts'
import { parseScene } from '../../cases/scene.ts'
import { parseProblem } from '../../compare/inspect/problemFile.ts'
import { type SolverResult, solveProblem } from '../../compare/inspect/solve.ts'
import { solvers as own } from '../../compare/inspect/solvers.ts'
import { milliseconds, significant } from '../../compare/measure/numbers.ts'
import { createWorld, prepare, type RobotCache, subjectsOf } from '../../compare/scenario/world/files.ts'
import type { FrictionLaw, SavedProblem } from '../../contact/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { outsideSolvers } from '../../engines/index.ts'

/** Scenes whose problems are asked for; the first are the hardest. */
const scenes = [
  'heavy-on-light',
  'box-wedged',
  'tower-of-planks',
  'arch',
  'house-of-cards',
  'elastic-pile',
  'block-in-a-slot',
  'capstan',
  'stack-of-boxes',
  'marbles-in-a-tray',
  'dominoes',
  'nutcracker',
  'gripper-holds',
  'gripper-swings',
  'quadruped-trots',
  'quadruped-stands',
  'mecanum-drives',
  'drives-a-square',
  'rocking-block',
  'slab-with-balls',
]
/** Contacts that a solver of dense matrices takes in reasonable time. */
const MOST_CONTACTS = 40
/** An answer whose velocity is farther from that of `newton` is another one, or none [m/s, rad/s]. */
const SAME = 1e-5

const laws: readonly FrictionLaw[] = ['pyramid', 'cone', 'associated']
/** Ours whose time grows too fast with contacts. */
const LEFT_OUT = ['enumeration', 'murty', 'dantzig', 'baraff']

interface Tally {
  tried: number
  solved: number
  other: number
  /** Residuals of answers reported as solved that are above the bound. */
  readonly claimed: number[]
  readonly residuals: number[]
  readonly times: number[]
}

export async function programs([count = '300']: readonly string[]): Promise<void> {
  const outside = outsideSolvers()
  for (const [program, command] of Object.entries(outside.missing)) console.log(`${program} is not installed: ${command}`)
  const isThere = (name: string) => !Object.hasOwn(outside.missing, name.split(':')[0])
  const among = <T>(makers: Readonly<Record<string, T>>, isKept: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(makers).filter(([name]) => isKept(name)))
  const isOurs = (name: string) => !LEFT_OUT.includes(name)
  const solvers = {
    complementarity: { ...among(own.complementarity, isOurs), ...among(outside.complementarity, isThere) },
    contact: { ...among(own.contact, isOurs), ...among(outside.contact, isThere) },
  }
  const problems = await problemsOf(Number(count))
  const tallies = new Map<string, Tally>()
  for (const problem of problems) {
    const { solvers: results } = solveProblem(problem, solvers)
    for (const result of results) note(tallies, result, results)
  }
  const contacts = problems.map(({ mu }) => mu.length)
  console.log(`${problems.length} problems of ${Math.min(...contacts)} to ${Math.max(...contacts)} contacts`)
  for (const law of laws) {
    console.log(
      `\n| ${law} | solved | claimed beside | another answer | residual, median | time, median |\n| --- | ---: | ---: | ---: | ---: | ---: |`,
    )
    for (const [key, tally] of tallies) if (key.endsWith(` ${law}`)) console.log(rowOf(key, tally))
  }
}

function note(
  tallies: Map<string, Tally>,
  { name, law, status, reason, residual, microseconds, velocity }: SolverResult,
  all: readonly SolverResult[],
) {
  const key = `${name} ${law}`
  const tally = tallies.get(key) ?? { tried: 0, solved: 0, other: 0, claimed: [], residuals: [], times: [] }
  tallies.set(key, tally)
  if (status === 'not-applicable') return
  tally.tried++
  if (reason === 'residual') tally.claimed.push(residual as number)
  if (status !== 'solved') return
  tally.solved++
  tally.residuals.push(residual as number)
  tally.times.push(1e-6 * (microseconds as number))
  const reference = all.find((one) => one.name === 'newton' && one.law === law)?.velocity
  if (reference && velocity && reference.some((x, k) => Math.abs(x - velocity[k]) > SAME)) tally.other++
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

function rowOf(key: string, { tried, solved, claimed, other, residuals, times }: Tally): string {
  const [name] = key.split(' ')
  return `| ${name} | ${solved} of ${tried} | ${claimed.length === 0 ? '0' : `${claimed.length} (${significant(median(claimed), 1)})`} | ${other} | ${significant(median(residuals), 2)} | ${milliseconds(median(times))} |`
}

/** Problems of steps at seeded times, as many of each scene. */
async function problemsOf(count: number): Promise<SavedProblem[]> {
  const random = createRandom(47)
  const robots: RobotCache = new Map()
  const problems: SavedProblem[] = []
  for (const [s, { file, source }] of sceneFiles(scenes).entries()) {
    // what one scene has not, the next ones give
    const each = Math.ceil((count - problems.length) / (scenes.length - s))
    const scene = await parseScene(source, file)
    const { scenario } = scene.cases[0]
    const prepared = await prepare(scenario, subjectsOf(scenario)[0], robots)
    const choice = { name: 'ncp', options: {} } as (typeof scenario.models)[number]
    const { world } = createWorld(scenario, prepared, choice, scenario.dt[0])
    const steps = Math.min(1500, Math.round(scenario.duration / scenario.dt[0]))
    const due = new Set(Array.from({ length: 4 * each }, () => 1 + random.index(steps)))
    let found = 0
    for (let k = 1; k <= steps && found < each && problems.length < count; k++) {
      world.step()
      const problem = due.has(k) ? world.contactModel.problem?.() : undefined
      if (problem === undefined || problem.mu.length > MOST_CONTACTS || (problem.rows?.length ?? 0) > 0) continue
      // of the laws here, none begins with a guess
      problems.push(
        parseProblem(JSON.stringify({ ...problem, law: 'pyramid', origin: { note: scene.name } }), scene.name) as SavedProblem,
      )
      found++
    }
  }
  return problems
}
