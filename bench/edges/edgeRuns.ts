/*
 * node --import ./scripts/typescript.mjs bench/edges/edgeRuns.ts [SCENE] [MODELS] [STEPS IN MS] [DURATION IN S]
 *
 * Every contact model on robots at edges and corners, whole runs at every step: prints the tables of docs/results.md. Times are processor
 * time of this process, controller included and nothing measured, the lesser of two runs.
 */

import { type ContactModelName, contactModels } from '../../contact/index.ts'
import {
  type EdgeOutcome,
  edgeRun,
  edgeScene,
  edgeScenes,
  edgeSteps,
  edgeWorld,
  hasAtlas,
  type Scene,
  withoutAtlas,
} from '../../test/compare/edgeScenes.ts'
import { clock } from '../clock.ts'

const [wanted = '', only = '', steps = '', duration = ''] = process.argv.slice(2)
const models = (Object.keys(contactModels) as ContactModelName[]).filter((name) => only === '' || only.split(',').includes(name))
const sizes = steps === '' ? edgeSteps : steps.split(',').map((ms) => Number(ms) / 1e3)

/** Processor time that a time is worth at most [µs], and how often it is taken. */
const TIMED = 3e6
const REPEATED = 2
/** Processor time that a run may take [s]. */
const PATIENCE = 20

/** Microseconds of a step over the run, or over its first steps, short of where it breaks off. */
function timeOf(scene: Scene, model: ContactModelName, dt: number, taken: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < REPEATED; n++) {
    const { world } = edgeWorld(scene, model, dt)
    const from = clock()
    let k = 0
    for (; k + 1 < taken && (k === 0 || clock() - from < TIMED); k++) world.step()
    least = Math.min(least, (clock() - from) / k)
  }
  return least
}

const shown = (x: number) =>
  x === 0 ? '0' : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e4 ? x.toExponential(1) : String(Number(x.toPrecision(2)))

/** The share of the problems that the first solver of the chain answered, in per cent; what chose among contacts is no part of it. */
function firstAnswered({ solvers }: EdgeOutcome): string {
  const [first] = solvers
  if (first === undefined || first.solved + first.failed === 0) return '-'
  const share = (100 * first.solved) / (first.solved + first.failed)
  return share === 100 ? '100' : share.toFixed(share > 99.9 ? 2 : 1)
}

function end({ failure, fell, steps: taken }: EdgeOutcome, dt: number): string {
  if (failure !== '') return `${failure.startsWith('given up') ? 'given up' : 'broke off'} at ${(taken * dt).toPrecision(2)} s`
  return fell ? 'fell' : 'stands'
}

interface Run {
  readonly dt: number
  readonly outcome: EdgeOutcome
  /** [µs] */
  readonly time: number
}

/** Figures of a run that broke off are those of an explosion. */
const ofSound = ({ failure }: EdgeOutcome, text: string) => (failure === '' || failure.startsWith('given up') ? text : '-')

/** One entry for all steps if it is the same, else one a step. */
function cell(runs: readonly Run[], of: (run: Run) => string): string {
  const texts = runs.map(of)
  return texts.every((text) => text === texts[0]) ? texts[0] : texts.join(' / ')
}

const columns: readonly { readonly title: string; readonly of: (run: Run) => string }[] = [
  { title: 'deepest [mm]', of: ({ outcome }) => ofSound(outcome, shown(outcome.metrics.penetrationMax_m * 1e3)) },
  { title: 'off the surface [N s]', of: ({ outcome }) => shown(outcome.metrics.offSurfaceImpulse_Ns) },
  { title: 'tunnels', of: ({ outcome }) => (outcome.tunnelling > 1 ? '**yes**' : 'no') },
  { title: 'end', of: ({ outcome, dt }) => end(outcome, dt) },
  { title: 'changes [1/s]', of: ({ outcome }) => ofSound(outcome, shown(outcome.metrics.contactChanges_Hz)) },
  { title: 'a step [µs]', of: ({ time }) => time.toFixed(0) },
  { title: 'by the first solver [%]', of: ({ outcome }) => firstAnswered(outcome) },
  { title: 'fallbacks', of: ({ outcome }) => String(outcome.metrics.fallbacks) },
  { title: 'without an answer', of: ({ outcome }) => String(outcome.metrics.solverFailures) },
]

if (!hasAtlas) console.error(withoutAtlas)
for (const each of edgeScenes.filter(({ name }) => name.startsWith(wanted))) {
  const scene = await edgeScene(each, duration === '' ? undefined : Number(duration))
  console.log(`\n### ${each.name}\n`)
  console.log(`| | ${columns.map(({ title }) => title).join(' | ')} |\n| --- |${' --- |'.repeat(columns.length)}`)
  for (const model of models) {
    const runs: Run[] = []
    for (const dt of sizes) {
      const outcome = edgeRun(scene, model, dt, PATIENCE)
      runs.push({ dt, outcome, time: timeOf(scene, model, dt, outcome.steps) })
    }
    console.log(`| \`${model}\` | ${columns.map(({ of }) => cell(runs, of)).join(' | ')} |`)
  }
}
