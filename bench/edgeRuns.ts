/*
 * node --import ./scripts/typescript.mjs bench/edgeRuns.ts [SCENE] [MODELS] [STEPS IN MS] [DURATION IN S]
 *
 * Every contact model on robots at edges and corners, whole runs at every step: prints the tables of docs/edges.md. Times are processor
 * time of this process, controller included and nothing measured, the lesser of two runs.
 */
import { chainsOf } from '../compare/solverOutcomes.ts'
import { type ContactModelName, contactModels } from '../contact/index.ts'
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
} from '../test/compare/edgeScenes.ts'

const [wanted = '', only = '', steps = '', duration = ''] = process.argv.slice(2)
const models = (Object.keys(contactModels) as ContactModelName[]).filter((name) => only === '' || only.split(',').includes(name))
const sizes = steps === '' ? edgeSteps : steps.split(',').map((ms) => Number(ms) / 1e3)

/** Processor time of this process [µs]. */
function clock(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Steps that are timed at most, and how often. */
const TIMED = 2000
const REPEATED = 2
/** Processor time that a run may take [s]. */
const PATIENCE = 60

/** Microseconds of a step over the run, or over its first steps, up to where it breaks off. */
function timeOf(scene: Scene, model: ContactModelName, dt: number, taken: number, isSlow: boolean): number {
  const count = Math.min(taken - 1, isSlow ? 20 : TIMED)
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < REPEATED && count > 0; n++) {
    const { world } = edgeWorld(scene, model, dt)
    const from = clock()
    for (let k = 0; k < count; k++) world.step()
    least = Math.min(least, (clock() - from) / count)
  }
  return least
}

const shown = (x: number) =>
  x === 0 ? '0' : Math.abs(x) < 1e-3 || Math.abs(x) >= 1e4 ? x.toExponential(1) : String(Number(x.toPrecision(2)))

function answers({ solvers, metrics }: EdgeOutcome): string {
  const asked = chainsOf(solvers)
    .flat()
    .filter(({ solved, failed }) => solved + failed > 0)
    .map(({ name, solved, failed }) => `${name} ${solved}${failed > 0 ? `, failed ${failed}` : ''}`)
  const ends = [
    ...(metrics.fallbacks > 0 ? [`${metrics.fallbacks} fallbacks`] : []),
    ...(metrics.solverFailures > 0 ? [`**${metrics.solverFailures} steps without an answer**`] : []),
  ]
  return [...asked, ...ends].join('; ')
}

function row(model: string, dt: number, outcome: EdgeOutcome, time: number): string {
  const { metrics, tunnelling, fell, failure, position, steps: taken } = outcome
  const cells = [
    `\`${model}\``,
    `${dt * 1e3} ms`,
    shown(metrics.penetrationMax_m * 1e3),
    shown(metrics.offSurfaceImpulse_Ns),
    tunnelling > 1 ? '**yes**' : 'no',
    failure === ''
      ? fell
        ? 'fell'
        : 'stands'
      : `${failure.startsWith('given up') ? 'given up' : 'broke off'} at ${(taken * dt).toPrecision(3)} s`,
    position.map((x) => x.toFixed(2)).join(' '),
    shown(metrics.energyGain_J),
    shown(metrics.contactChanges_Hz),
    time.toFixed(0),
    answers(outcome),
  ]
  return `| ${cells.join(' | ')} |`
}

if (!hasAtlas) console.error(withoutAtlas)
for (const each of edgeScenes.filter(({ name }) => name.startsWith(wanted))) {
  const scene = await edgeScene(each, duration === '' ? undefined : Number(duration))
  console.log(`\n### ${each.name}\n`)
  console.log(
    '| model | step | deepest [mm] | off the surface [N s] | tunnels | end | base at the end [m] | energy gained [J] | changes [1/s] | a step [µs] | answered by |',
  )
  console.log('| --- | ---: | ---: | ---: | --- | --- | --- | ---: | ---: | ---: | --- |')
  for (const model of models) {
    for (const dt of sizes) {
      const outcome = edgeRun(scene, model, dt, PATIENCE)
      console.log(row(model, dt, outcome, timeOf(scene, model, dt, outcome.steps, outcome.failure !== '')))
    }
  }
}
