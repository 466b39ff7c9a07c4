/*
 * npm run bench -- piles [COUNTS] [MODELS] [SECONDS] [BESIDE] [--json]
 *
 * Boxes dropped into a bin until they are a pile, 10, 30, 100 and 300 of them, under every contact model with constraints, and in the
 * engines of BESIDE (as --beside of `compare`; MuJoCo's WASM build and Rapier by default): the same boxes from the same start, the same
 * friction, 2 ms a step. COUNTS and MODELS are lists with commas; SECONDS is the computing time after which a run is stopped, 120 by
 * default; one that is in the midst of a step then is ended by the clock, after three times as long.
 *
 *   contacts     once settled: of the last step, as each engine counts its own
 *   falling      median of a step from 0.2 s after the first contact until rest, and the longest step
 *   settled      median over the last half second
 *   rest         after which kinetic energy stays below a millijoule a kilogram
 *   deepest      overlap by our own contact detection, at the end and at any time (every 20th step is measured)
 *   lost         boxes whose centre is below the ground or outside the walls
 *
 * Times are those of a process that runs this engine alone; processes run one after the other. Ours are processor time, an engine's
 * that of its step as its own language calls it.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { fittedOrder } from '../../cases/papers/baraff/numerics.ts'
import { besideModels } from '../../compare/cli/scenarioArguments.ts'
import { median } from '../../compare/measure/statistics.ts'
import { type Row, rowOf } from '../measure.ts'
import { PILE_DT } from './pileScene.ts'
import type { PileStep } from './timePile.ts'

const COUNTS = [10, 30, 100, 300]
const MODELS = ['stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'lcp', 'lotstedt', 'lnc', 'peg']
/** Processor time of a run [s], and how many times that a run may take by the clock: the machine may be shared. */
const BUDGET = 120
const PATIENCE = 3
/** Simulated time [s], the part of it that counts as settled, and the time after the first contact from which falling counts. */
const DURATION = 4
const SETTLED = 0.5
const IMPACT = 0.2
/** Kinetic energy over mass of a pile at rest [J/kg]. */
const REST = 1e-3
/** The smallest pile that the growth of cost is fitted to. */
const LEAST_FITTED = 30
/** Engines by default; rows are beside the first. */
const BESIDE = 'mujoco,rapier'

/** One engine's pile. */
export type PileRun = Readonly<ReturnType<typeof summary>>

/** Runs one engine in a process of its own, which is ended when its time is up. */
async function runPile(boxes: number, engine: string, budget: number): Promise<PileRun> {
  const entry = fileURLToPath(new URL('timePile.ts', import.meta.url))
  const loader = new URL('../../scripts/typescript.mjs', import.meta.url).href
  const child = spawn(process.execPath, ['--import', loader, entry, String(boxes), engine, String(DURATION), String(budget)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 1e3 * PATIENCE * budget)
  let words = ''
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  const steps: PileStep[] = []
  const ended = new Promise((resolve) => child.on('close', resolve))
  for await (const line of createInterface({ input: child.stdout })) steps.push(JSON.parse(line))
  await ended
  clearTimeout(timer)
  return summary(boxes, engine, steps, /Error: .*/.exec(words)?.[0])
}

function summary(boxes: number, engine: string, steps: readonly PileStep[], error: string | undefined) {
  const all = Math.round(DURATION / PILE_DT)
  const settledFrom = all - Math.round(SETTLED / PILE_DT)
  const touching = steps.findIndex(({ contacts }) => contacts > 0)
  const fallingFrom = touching < 0 ? steps.length : touching + Math.round(IMPACT / PILE_DT)
  const atRest = steps.findLastIndex(({ energy }) => !(energy < REST)) + 1
  const falling = steps.slice(fallingFrom, Math.min(atRest, settledFrom))
  const settled = steps.length === all ? steps.slice(settledFrom) : []
  const last = steps.at(-1)
  const depths = steps.flatMap(({ depth }) => (depth === undefined ? [] : [depth]))
  return {
    boxes,
    engine,
    steps: steps.length,
    /** Why it ended before its time; '' if it did not. */
    stopped: error ?? (steps.length < all ? `stopped after ${steps.length} steps` : ''),
    /** Null where the run did not get there; times in microseconds of processor time. */
    contacts: settled.length > 0 ? settled[settled.length - 1].contacts : null,
    falling_us: medianOf(falling.map(({ us }) => us)),
    fallingContacts: medianOf(falling.map(({ contacts }) => contacts)),
    longest_us: Math.max(0, ...steps.map(({ us }) => us)),
    settled_us: medianOf(settled.map(({ us }) => us)),
    rest_s: atRest < steps.length && touching >= 0 ? atRest * PILE_DT : null,
    failures: last?.failures ?? 0,
    fallbacks: last?.fallbacks ?? 0,
    residual: last?.residual ?? 0,
    energy_J_kg: last?.energy ?? 0,
    depth_m: depths.at(-1) ?? 0,
    deepest_m: Math.max(0, ...depths),
    lost: steps.findLast(({ lost }) => lost !== undefined)?.lost ?? 0,
  }
}

const medianOf = (values: readonly number[]) => (values.length === 0 ? null : median(values))

/** k of time ~ contacts^k, by least squares in logarithms; null for fewer than two piles. */
function growth(runs: readonly PileRun[], time: 'falling_us' | 'settled_us', contacts: 'fallingContacts' | 'contacts') {
  const known = runs.filter((run) => run.boxes >= LEAST_FITTED && run[time] !== null && run[contacts] !== null)
  const [n, t] = [contacts, time].map((key) => known.map((run) => run[key] as number))
  return known.length < 2 ? null : fittedOrder(n, t)
}

const short = (x: number | null, digits = 2) =>
  x === null
    ? '-'
    : x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6)
      ? x.toExponential(digits - 1)
      : String(Number(x.toPrecision(digits)))
const whole = (x: number | null) => (x === null ? '-' : Math.round(x).toLocaleString('en'))
const millimetres = (x: number) => short(1e3 * x)

const columns: readonly { readonly title: string; readonly of: (run: PileRun) => string }[] = [
  { title: 'boxes', of: ({ boxes }) => String(boxes) },
  { title: 'engine', of: ({ engine }) => `\`${engine}\`` },
  { title: 'contacts', of: ({ contacts }) => whole(contacts) },
  { title: 'falling [µs]', of: ({ falling_us }) => whole(falling_us) },
  { title: 'longest [µs]', of: ({ longest_us }) => whole(longest_us) },
  { title: 'settled [µs]', of: ({ settled_us }) => whole(settled_us) },
  { title: 'rest [s]', of: ({ rest_s }) => short(rest_s, 3) },
  { title: 'failed', of: ({ failures }) => String(failures) },
  { title: 'fallbacks', of: ({ fallbacks }) => String(fallbacks) },
  { title: 'residual', of: ({ residual }) => short(residual) },
  { title: 'energy [J/kg]', of: ({ energy_J_kg }) => short(energy_J_kg) },
  { title: 'deepest, end / ever [mm]', of: ({ depth_m, deepest_m }) => `${millimetres(depth_m)} / ${millimetres(deepest_m)}` },
  { title: 'lost', of: ({ lost }) => String(lost) },
  { title: 'end', of: ({ stopped }) => stopped },
]

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** Runs every engine on every pile, and reports each run as it ends. */
async function allRuns(
  counts: readonly number[],
  engines: readonly string[],
  budget: number,
  report: (run: PileRun) => void,
): Promise<PileRun[]> {
  const runs: PileRun[] = []
  for (const boxes of counts) {
    for (const engine of engines) {
      const run = await runPile(boxes, engine, budget)
      runs.push(run)
      report(run)
    }
  }
  return runs
}

/** Rows as the other benchmarks have them, a model's beside those of the first engine on the same pile. */
function rowsOf(runs: readonly PileRun[], engines: readonly string[]): Row[] {
  const [first] = engines
  return runs.flatMap((run) => {
    const peer = runs.find(({ boxes, engine }) => boxes === run.boxes && engine === first)
    if (peer === undefined || engines.includes(run.engine)) return []
    return (['falling', 'settled'] as const).flatMap((phase) => {
      const [ours, theirs] = [run[`${phase}_us`], peer[`${phase}_us`]]
      return ours === null || theirs === null ? [] : [rowOf(`piles ${run.boxes} ${phase} ${run.engine}`, ours, first, theirs)]
    })
  })
}

function printGrowth(runs: readonly PileRun[]): void {
  console.log(`\ncost as contacts^k from ${LEAST_FITTED} boxes on\n\n| engine | falling | settled |\n| --- | ---: | ---: |`)
  for (const engine of new Set(runs.map((run) => run.engine))) {
    const own = runs.filter((run) => run.engine === engine)
    const cells = [growth(own, 'falling_us', 'fallingContacts'), growth(own, 'settled_us', 'contacts')]
    console.log(row([`\`${engine}\``, ...cells.map((k) => short(k))]))
  }
}

/** The command line of this benchmark. */
export async function piles(args: readonly string[]): Promise<void> {
  const json = args.includes('--json')
  const [counts = '', models = '', budget = '', beside = BESIDE] = args.filter((arg) => !arg.startsWith('--'))
  const list = (text: string) => text.split(',').filter((part) => part !== '')
  const ofCounts = counts === '' ? COUNTS : list(counts).map(Number)
  const ofModels = models === '' ? MODELS : list(models)
  if (!json) console.log(`${row(columns.map(({ title }) => title))}\n${row(columns.map(() => '---'))}`)
  const engines = (await besideModels({ beside })).map(({ name }) => name)
  const runs = await allRuns(ofCounts, [...engines, ...ofModels], budget === '' ? BUDGET : Number(budget), (run) => {
    if (!json) console.log(row(columns.map(({ of }) => of(run))))
  })
  if (json) console.log(JSON.stringify({ rows: rowsOf(runs, engines), runs }))
  else printGrowth(runs)
}
