/*
 * node --import ./scripts/typescript.mjs bench/frozenMetrics.ts save FILE [SCENE] [MODELS]
 * node --import ./scripts/typescript.mjs bench/frozenMetrics.ts check FILE [SCENE] [MODELS]
 *
 * The metrics of both own robots and of every scenario of docs/examples under every contact model: `save` writes them, `check` prints
 * those that have changed since as rows of a table and ends with 1 if there are any. SCENE is the beginning of a scene's name, MODELS
 * names separated by commas; without them everything is run. bench/frozenMetrics.json holds the metrics to check against.
 *
 * Hashes are not compared, so a change that only rounds differently passes. The effect of rounding is measured: `save` runs each scene a
 * second time from a start displaced by `NUDGE`, and `check` ignores differences of that size.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  checkScenario,
  doJob,
  type Metrics,
  metricDefinitions,
  type Outcome,
  parseScenario,
  resolvePaths,
  type Scenario,
  subjectsOf,
} from '../compare/index.ts'
import { contactModels } from '../contact/index.ts'

const VERSION = 1
/** Steps of a run of an example; at 10 ms the robots of docs/results.md have reached their edges by then. */
const STEPS = 400
/** For scenes in which a step of some models takes up to a second: at their smallest step alone, until the lower bodies have landed. */
const STEPS_OF_MANY: Readonly<Record<string, number>> = { 'edges-stack': 80, pile: 160 }
/** Of both own robots, whose runs are those of `compare` otherwise [s]. */
const DURATION = 1
/** Relative change from which on a metric has changed. */
const TOLERANCE = 0.01
/** Displacement of a second start [m, rad]: far above rounding, far below what any metric shows by itself. */
const NUDGE = 1e-9
/** A single second run may by chance be closer to the first than others are. */
const SPREADS = 3
/** Significant digits saved: a change of 1 % is visible in three. */
const DIGITS = 4

/** Changes below these are ignored, by the unit at the end of a metric's name. */
const floors: Readonly<Record<string, number | undefined>> = {
  m: 1e-6, //    a thousandth of the penetration that `compare` allows by default
  J: 1e-6, //    1 kg lifted by a ten-thousandth of a millimetre
  N: 1e-3, //    weight of a tenth of a gram; the lightest of the scenes' bodies weighs 4 N
  Ns: 1e-5, //   a hundredth of what carries 1 N for a millisecond
  rad: 1e-6, //  a micrometre at one metre
  s: 1e-3, //    a step more or less
  Nm: 1e-4, //   1e-3 N at a wheel's radius of 0.1 m
  Hz: 0, //      one change of contact more or less in the run; see `floorOf`
  '': 1e-4, //   shares of the weight
}
/** Counts of steps: one more or less is a step on the other side of a threshold. */
const counts: readonly string[] = ['impacts', 'solverFailures', 'fallbacks', 'tunnelled', 'energyGains']
/** Only a rise of these is reported. */
const onlyRises: readonly string[] = ['solverFailures', 'fallbacks', 'tunnelled', 'energyGains']
/** Computing times. */
const skipped: readonly string[] = ['step_us', 'realTimeFactor']

interface Scene {
  readonly name: string
  readonly scenario: Scenario
  readonly robot: string
  readonly dt: number
}

type Figures = Readonly<Record<string, number | null>>

interface Frozen {
  readonly scene: string
  readonly model: string
  readonly duration: number
  /** The step at which the run failed. */
  readonly brokeOffAt?: number
  readonly metrics: Figures
  /** The change of each metric by a displaced start, where that is more than the tolerance. */
  readonly spread?: Figures
}

interface Row {
  readonly metric: string
  readonly before: number | null
  readonly now: number | null
}

const examples = fileURLToPath(new URL('../docs/examples', import.meta.url))

async function scenesOf(): Promise<Scene[]> {
  const own = await checkScenario({ robots: ['diffdrive', 'humanoid'], duration: DURATION })
  const scenes = scenesOfScenario('', own, Number.POSITIVE_INFINITY)
  for (const file of readdirSync(examples).sort()) {
    const path = join(examples, file)
    const text = file.endsWith('.yaml') ? readFileSync(path, 'utf8') : ''
    if (text === '' || /^\s*network:/m.test(text)) continue // a policy is no scenario
    const name = file.slice(0, -'.yaml'.length)
    const scenario = resolvePaths(await parseScenario(text, path), path)
    const few = STEPS_OF_MANY[name]
    scenes.push(...scenesOfScenario(name, few ? { ...scenario, dt: scenario.dt.slice(0, 1) } : scenario, few ?? STEPS))
  }
  return scenes
}

/** The scenario under its smallest and its largest step, each variant of a sweep by itself. */
function scenesOfScenario(name: string, scenario: Scenario, steps: number): Scene[] {
  const { dt: sizes, variants } = scenario
  const each = variants.length > 0 ? variants : [{ values: {}, scenario }]
  return each.flatMap(({ values, scenario: variant }) =>
    subjectsOf(variant).flatMap((robot) =>
      [...new Set([sizes[0], sizes[sizes.length - 1]])].map((dt) => {
        const parts = [name || robot, ...Object.values(values).map(String), `${+(1e3 * dt).toPrecision(6)} ms`]
        const duration = Math.min(variant.duration, steps * dt)
        return { name: parts.join(', '), scenario: { ...variant, duration, dt: [dt], perturb: undefined }, robot, dt }
      }),
    ),
  )
}

/** @param nudge how far the start is displaced [m, rad] */
function outcomeOf({ scenario, robot, dt }: Scene, model: string, nudge: number): Promise<Outcome> {
  const perturb = {
    position: [nudge, nudge, nudge],
    rotation: nudge,
    joints: 0,
    linearVelocity: [0, 0, 0],
    angularVelocity: [0, 0, 0],
  } as const
  const choice = scenario.models.find(({ name }) => name === model) ?? {
    ...scenario.models[0],
    name: model as never,
    options: {},
  }
  return doJob({ kind: 'run', scenario: nudge > 0 ? { ...scenario, perturb } : scenario, robot, model: choice, dt })
}

async function freeze(scene: Scene, model: string, isSaved: boolean): Promise<Frozen> {
  const { status, steps, metrics } = await outcomeOf(scene, model, 0)
  const { duration } = scene.scenario
  const figures = figuresOf(metrics, duration)
  const frozen = { scene: scene.name, model, duration, ...(status === 'failed' ? { brokeOffAt: steps } : {}), metrics: figures }
  if (!isSaved) return frozen
  const displaced = figuresOf((await outcomeOf(scene, model, NUDGE)).metrics, duration)
  const spread = Object.fromEntries(
    [...new Set([...Object.keys(figures), ...Object.keys(displaced)])]
      .filter((key) => hasChanged(key, figures[key] ?? 0, displaced[key] ?? 0, floorOf(key, duration)))
      .map((key) => [key, rounded(Math.abs((figures[key] ?? 0) - (displaced[key] ?? 0)))]),
  )
  return Object.keys(spread).length > 0 ? { ...frozen, spread } : frozen
}

/** Without metrics that are far below their floors or do not apply. */
function figuresOf(metrics: Metrics | null, duration: number): Figures {
  if (metrics === null) return {}
  const figures: Record<string, number | null> = {}
  for (const key of Object.keys(metricDefinitions)) {
    const x = metrics[key as keyof Metrics]
    if (x !== null && !skipped.includes(key) && !(Math.abs(x) < 0.1 * floorOf(key, duration))) figures[key] = rounded(x)
  }
  return figures
}

/** Metrics of an explosion may not be finite, which JSON cannot express. */
const rounded = (x: number) => (Number.isFinite(x) ? Number(x.toPrecision(DIGITS)) : null)

function floorOf(metric: string, duration: number): number {
  if (counts.includes(metric)) return 1
  const unit = metric.includes('_') ? metric.slice(metric.lastIndexOf('_') + 1) : ''
  const floor = floors[unit]
  if (floor === undefined)
    throw new Error(`${metric}: its unit "${unit}" has no row in \`floors\`, below which a change is ignored`)
  return unit === 'Hz' ? 1.01 / duration : floor
}

function hasChanged(metric: string, before: number | null, now: number | null, floor: number): boolean {
  if (before === null || now === null) return before !== now
  if (onlyRises.includes(metric) && now <= before) return false
  return Math.abs(now - before) > Math.max(floor, TOLERANCE * Math.max(Math.abs(before), Math.abs(now)))
}

const figureOf = ({ metrics }: Frozen, metric: string) => (metrics[metric] === undefined ? 0 : metrics[metric])

/** The metrics that have changed; `chance` counts those that have changed by no more than a displaced start changes them. */
function rowsOf(before: Frozen, now: Frozen, chance: { count: number }): Row[] {
  if (before.brokeOffAt !== now.brokeOffAt)
    return [{ metric: 'broke off at step', before: before.brokeOffAt ?? null, now: now.brokeOffAt ?? null }]
  const rows: Row[] = []
  for (const metric of new Set([...Object.keys(before.metrics), ...Object.keys(now.metrics)])) {
    const [old, figure] = [figureOf(before, metric), figureOf(now, metric)]
    if (!hasChanged(metric, old, figure, floorOf(metric, now.duration))) continue
    const spread = SPREADS * (before.spread?.[metric] ?? 0)
    if (old !== null && figure !== null && Math.abs(figure - old) <= spread) chance.count++
    else rows.push({ metric, before: old, now: figure })
  }
  return rows
}

const shown = (x: number | null) => (x === null ? '-' : String(Number(x.toPrecision(4))))

function shownRow({ scene, model }: Frozen, { metric, before, now }: Row): string {
  const ratio = before === null || now === null || before === 0 ? '-' : (now / before).toPrecision(3)
  return `| ${scene} | \`${model}\` | ${metric} | ${shown(before)} | ${shown(now)} | ${ratio} |`
}

const [verb, file, wantedScene = '', wantedModels = ''] = process.argv.slice(2)
if ((verb !== 'save' && verb !== 'check') || file === undefined) {
  console.error('usage: frozenMetrics.ts save|check FILE [SCENE] [MODELS]')
  process.exit(2)
}
const wanted = wantedModels === '' ? Object.keys(contactModels) : wantedModels.split(',')
const saved =
  verb === 'check'
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: number; runs: Frozen[] })
    : { version: VERSION, runs: [] }
if (saved.version !== VERSION) throw new Error(`${file}: version ${saved.version}, expected ${VERSION}; save it anew`)

const frozen: Frozen[] = []
const chance = { count: 0 }
let changed = 0
let missing = 0
if (verb === 'check') console.log('| scene | model | metric | before | now | ratio |\n| --- | --- | --- | --- | --- | --- |')
for (const scene of (await scenesOf()).filter(({ name }) => name.startsWith(wantedScene))) {
  const begin = process.cpuUsage().user
  for (const model of wanted) {
    const run = await freeze(scene, model, verb === 'save')
    frozen.push(run)
    if (verb === 'save') continue
    const before = saved.runs.find((each) => each.scene === run.scene && each.model === model)
    if (before === undefined) missing++
    else {
      const rows = rowsOf(before, run, chance)
      changed += rows.length
      for (const row of rows) console.log(shownRow(run, row))
    }
  }
  console.error(`${scene.name}: ${((process.cpuUsage().user - begin) / 1e6).toFixed(1)} s of CPU time`)
}
if (verb === 'save') {
  const lines = frozen.map((run) => JSON.stringify(run)).join(',\n')
  writeFileSync(file, `{"version":${VERSION},"runs":[\n${lines}\n]}\n`)
} else {
  console.log(`\n${frozen.length} runs: ${changed} metrics changed, ${chance.count} by no more than a displaced start does.`)
  if (missing > 0) console.log(`${missing} runs are not in ${file}.`)
  process.exitCode = changed > 0 || missing > 0 ? 1 : 0
}
