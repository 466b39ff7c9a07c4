/** The process that `edgeScenes.ts` starts for one scene: times its rows and sends them back. */

import type { ContactModelName } from '../../contact/index.ts'
import { JointType, type Model, rotationOfQuaternion } from '../../dynamics/index.ts'
import { type Checkpoint, World } from '../../simulation/index.ts'
import { edgeScene, edgeScenes, edgeSteps, edgeWorld, type Scene } from '../../test/compare/edgeScenes.ts'
import { type Mujoco, mujocoOf, qposOf } from '../../test/oracle/mujoco.ts'
import { clock } from '../clock.ts'
import { rowOf } from '../measure.ts'
import { fixtureGeoms, geomsOf, meshAssets } from '../mujocoScene.ts'
import { edgeRowName, timedModels } from './edgeScenes.ts'

const [name, wanted] = process.argv.slice(2)

/** States along the run, and steps from each. */
const MOMENTS = 40
const STEPS = 10
/** Rounds of one pass of each side, and processor time that a scene and step are worth at most [µs]. */
const ROUNDS = 15
const SPENT = 8e6

interface Side {
  /** One pass over all moments. */
  readonly run: () => void
  least: number
}

async function timeStep(scene: Scene, dt: number): Promise<void> {
  const moments = momentsOf(scene, dt)
  const worlds = timedModels.map((model) => worldOf(scene, model, dt))
  const mujoco = await mujocoSide(worlds[0], dt, moments)
  const sides: Side[] = [
    ...worlds.map((world) => ({ run: () => pass(world, moments), least: Number.POSITIVE_INFINITY })),
    { run: mujoco.run, least: Number.POSITIVE_INFINITY },
  ]
  // the first pass warms up
  const begin = clock()
  for (let round = 0; round <= ROUNDS && (round < 3 || clock() < begin + SPENT); round++) {
    for (const side of sides) {
      const from = clock()
      side.run()
      if (round > 0) side.least = Math.min(side.least, (clock() - from) / (MOMENTS * STEPS))
    }
  }
  const [stewartTrinkle] = sides
  const theirs = sides[sides.length - 1].least
  worlds.forEach((world, m) => {
    const row = edgeRowName(name, dt, timedModels[m])
    if (!row.includes(wanted)) return
    const { least } = sides[m]
    const against = m === 0 ? '' : `${(least / stewartTrinkle.least).toFixed(2)} x stewart-trinkle, `
    process.send?.(rowOf(row, least, 'MuJoCo WASM', theirs, `${against}${countsOf(world, moments)}, MuJoCo ${mujoco.contacts()}`))
  })
  mujoco.delete()
}

/** States at equal distances of time along the run under the scene's controller. */
function momentsOf(scene: Scene, dt: number): Checkpoint[] {
  const { world } = edgeWorld(scene, 'stewart-trinkle', dt)
  const steps = Math.round(scene.scenario.duration / dt)
  const moments: Checkpoint[] = []
  for (let k = 0; k < steps; k++) {
    world.step()
    if (moments.length < Math.floor(((k + 1) * MOMENTS) / steps)) moments.push({ ...world.checkpoint(), controllers: [] })
  }
  return moments
}

/** The scene without controllers: efforts are held. */
function worldOf({ scenario, prepared }: Scene, contactModel: ContactModelName, dt: number): World {
  const { physical, combine, selfCollision } = scenario
  const robots = prepared.members.map(({ name: own, robot, q, v }) => ({ name: own, robot, q, v }))
  return new World({ robots, fixtures: prepared.fixtures, contactModel, physical, materials: combine, selfCollision, dt })
}

function pass(world: World, moments: readonly Checkpoint[]): void {
  for (let m = 0; m < moments.length; m++) {
    world.adopt({ ...moments[m], controllers: world.robots.map(() => null) })
    for (let k = 0; k < STEPS; k++) world.step()
  }
}

/** Contacts, and calls by kind, in a step of a pass. */
function countsOf(world: World, moments: readonly Checkpoint[]): string {
  const asked = new Map<string, number>()
  let contacts = 0
  let fallbacks = 0
  let failures = 0
  for (const moment of moments) {
    world.adopt({ ...moment, controllers: world.robots.map(() => null) })
    for (let k = 0; k < STEPS; k++) {
      world.step()
      contacts += world.contacts.count
    }
    const { events } = world
    fallbacks += events.fallbacks
    failures += events.failures
    for (const { solver, solved, failed } of events.solvers) asked.set(solver, (asked.get(solver) ?? 0) + solved + failed)
  }
  const steps = MOMENTS * STEPS
  const solvers = [...asked].filter(([, count]) => count > 0).map(([solver, count]) => `${solver} ${(count / steps).toFixed(2)}`)
  return `${(contacts / steps).toFixed(1)} contacts; asked a step: ${solvers.join(', ')}; ${fallbacks} fallbacks, ${failures} failures`
}

async function mujocoSide(world: World, dt: number, moments: readonly Checkpoint[]) {
  const { model, shapes, fixtures, robots } = world
  const mujoco = await mujocoOf(model, {
    option: `timestep="${dt}" integrator="Euler"`,
    flags: 'autoreset="disable"',
    assets: meshAssets(fixtures),
    world: fixtureGeoms(fixtures),
    geoms: geomsOf(shapes, robots.length > 1),
  })
  const { mj, model: mjModel, data } = mujoco
  const starts = moments.map(({ q, v, tau }) => ({
    qpos: qposOf(mujoco, model, { q }),
    qvel: qvelOf(mujoco, model, q, v),
    efforts: effortsOf(mujoco, model, tau),
  }))
  let contacts = 0
  const run = () => {
    contacts = 0
    for (const { qpos, qvel, efforts } of starts) {
      mj.mj_resetData(mjModel, data)
      data.qpos.set(qpos)
      data.qvel.set(qvel)
      data.qfrc_applied.set(efforts)
      for (let k = 0; k < STEPS; k++) mj.mj_step(mjModel, data)
      contacts += data.ncon
    }
  }
  return { run, contacts: () => (contacts / moments.length).toFixed(1), delete: () => mujoco.delete() }
}

/** Floating bases and joints of one degree of freedom: MuJoCo has the velocity of a base's origin in world axes. */
function qvelOf({ model: { nv }, dofStart }: Mujoco, model: Model, q: Float64Array, v: Float64Array): Float64Array {
  const qvel = new Float64Array(nv)
  const R = new Float64Array(9)
  for (let i = 1; i < model.nb; i++) {
    if (model.jointType[i] === JointType.fixed) continue
    const [from, to] = [model.vStart[i], dofStart[i]]
    if (model.jointType[i] !== JointType.floating) {
      qvel[to] = v[from]
      continue
    }
    rotationOfQuaternion(R, q, model.qStart[i] + 3)
    for (let k = 0; k < 3; k++) {
      qvel[to + k] = R[3 * k] * v[from + 3] + R[3 * k + 1] * v[from + 4] + R[3 * k + 2] * v[from + 5]
      qvel[to + 3 + k] = v[from + k]
    }
  }
  return qvel
}

function effortsOf({ model: { nv }, dofStart }: Mujoco, model: Model, tau: Float64Array): Float64Array {
  const applied = new Float64Array(nv)
  for (let i = 1; i < model.nb; i++) {
    const { jointType, vStart } = model
    if (jointType[i] === JointType.revolute || jointType[i] === JointType.prismatic) applied[dofStart[i]] = tau[vStart[i]]
  }
  return applied
}

const [each] = edgeScenes.filter((scene) => scene.name === name)
const scene = await edgeScene(each)
for (const dt of edgeSteps) {
  if (timedModels.some((model) => edgeRowName(name, dt, model).includes(wanted))) await timeStep(scene, dt)
}
