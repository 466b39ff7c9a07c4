import rapier from '@dimforge/rapier3d-compat'
import type { PlacedShape } from '../../contact/geometry/index.ts'
import { contactModelNamed } from '../../contact/index.ts'
import { type Checkpoint, World } from '../../simulation/index.ts'
import { type Mujoco, mujocoOf, qposOf } from '../../test/oracle/mujoco.ts'
import { fixtureGeoms, geomsOf } from '../mujocoScene.ts'
import { PILE_FRICTION, type Pile, pileRobots } from './pileScene.ts'

/** Step of every engine [s]. */
export const PILE_DT = 2e-3

/** Other engines that pile the same boxes, each as it comes but for step, friction and sleep. */
export const pilePeers = ['mujoco-pyramid', 'mujoco-elliptic', 'rapier'] as const

/** A pile inside one engine. */
export interface PileEngine {
  step(): void
  /** Of the last step, as the engine's own solver counts them. */
  contacts(): number
  /** 7 a box: position, then quaternion as x, y, z, w. */
  places(q: Float64Array): void
  /** 6 a box: angular, then linear, in axes of the engine's choice. */
  velocities(v: Float64Array): void
  /** Of all steps; zeros for engines that do not say. Failures of MuJoCo's are its warnings. */
  solver(): SolverReport
}

export interface SolverReport {
  readonly failures: number
  readonly fallbacks: number
  readonly residual: number
}

const silent: SolverReport = { failures: 0, fallbacks: 0, residual: 0 }

/** @param name a contact model, or one of `pilePeers` */
export async function pileEngine(name: string, scene: Pile): Promise<PileEngine> {
  switch (name) {
    case 'mujoco-pyramid':
      return mujocoPile(scene, 'pyramidal')
    case 'mujoco-elliptic':
      return mujocoPile(scene, 'elliptic')
    case 'rapier':
      return rapierPile(scene)
    default:
      return ownPile(scene, name)
  }
}

/** The pile as a world of ours. */
export const pileWorld = (scene: Pile, contactModel: string): World =>
  new World({
    robots: pileRobots(scene),
    fixtures: scene.fixtures,
    physical: { friction: PILE_FRICTION, restitution: 0 },
    contactModel: contactModelNamed(contactModel),
    dt: PILE_DT,
  })

function ownPile(scene: Pile, contactModel: string): PileEngine {
  const world = pileWorld(scene, contactModel)
  return {
    step: () => world.step(),
    contacts: () => world.contacts.count,
    places: (q) => q.set(world.state.q),
    velocities: (v) => v.set(world.state.v),
    solver: () => ({ failures: world.events.failures, fallbacks: world.events.fallbacks, residual: world.events.residualMax }),
  }
}

const rough = (shapes: readonly PlacedShape[]) => shapes.map((shape) => ({ ...shape, friction: PILE_FRICTION }))

async function mujocoPile(scene: Pile, cone: string): Promise<PileEngine> {
  const { model, shapes, fixtures, state } = pileWorld(scene, 'penalty')
  const mujoco = await mujocoOf(model, {
    option: `timestep="${PILE_DT}" cone="${cone}"`,
    flags: 'autoreset="disable"',
    world: fixtureGeoms(rough(fixtures)),
    geoms: geomsOf(rough(shapes), true),
  })
  const { mj, model: own, data } = mujoco
  data.qpos.set(qposOf(mujoco, model, state))
  return {
    step: () => mj.mj_step(own, data),
    contacts: () => data.ncon,
    places(q) {
      const { qpos } = data
      for (let k = 0; k < scene.boxes.length; k++) {
        for (let d = 0; d < 3; d++) q[7 * k + d] = qpos[7 * k + d]
        for (let d = 0; d < 4; d++) q[7 * k + 3 + d] = qpos[7 * k + 3 + ((d + 1) % 4)] // w x y z
      }
    },
    velocities(v) {
      const { qvel } = data
      for (let k = 0; k < scene.boxes.length; k++) {
        for (let d = 0; d < 3; d++) {
          v[6 * k + d] = qvel[6 * k + 3 + d]
          v[6 * k + 3 + d] = qvel[6 * k + d]
        }
      }
    },
    // such as contacts that found no room
    solver: () => ({ ...silent, failures: warningsOf(data) }),
  }
}

function warningsOf({ warning }: Mujoco['data']): number {
  let count = 0
  for (let k = 0; k < warning.size(); k++) count += warning.get(k)?.number ?? 0
  return count
}

async function rapierPile({ boxes, fixtures }: Pile): Promise<PileEngine> {
  await rapier.init()
  const world = new rapier.World({ x: 0, y: 0, z: -9.81 })
  world.timestep = PILE_DT
  for (const { shape, p } of fixtures) {
    if (shape.type !== 'box' && shape.type !== 'halfspace') throw new Error(`a ${shape.type} has no counterpart here`)
    const desc =
      shape.type === 'halfspace'
        ? new rapier.ColliderDesc(new rapier.HalfSpace({ x: shape.normal[0], y: shape.normal[1], z: shape.normal[2] }))
        : rapier.ColliderDesc.cuboid(shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2).setTranslation(p[0], p[1], p[2])
    world.createCollider(desc.setFriction(PILE_FRICTION).setRestitution(0))
  }
  const bodies = boxes.map(({ edge, mass, q }) => {
    const desc = rapier.RigidBodyDesc.dynamic().setTranslation(q[0], q[1], q[2]).setCanSleep(false)
    const body = world.createRigidBody(desc.setRotation({ x: q[3], y: q[4], z: q[5], w: q[6] }))
    const cuboid = rapier.ColliderDesc.cuboid(edge / 2, edge / 2, edge / 2).setMass(mass)
    world.createCollider(cuboid.setFriction(PILE_FRICTION).setRestitution(0), body)
    return body
  })
  return {
    step: () => world.step(),
    contacts() {
      let count = 0
      world.forEachCollider((collider) => {
        world.contactPairsWith(collider, (other) => {
          if (other.handle < collider.handle && other.parent() !== null && collider.parent() !== null) return
          if (collider.parent() === null) return
          world.contactPair(collider, other, (manifold) => {
            count += manifold.numSolverContacts()
          })
        })
      })
      return count
    },
    places: (q) =>
      bodies.forEach((body, k) => {
        const [p, r] = [body.translation(), body.rotation()]
        q.set([p.x, p.y, p.z, r.x, r.y, r.z, r.w], 7 * k)
      }),
    velocities: (v) =>
      bodies.forEach((body, k) => {
        const [w, u] = [body.angvel(), body.linvel()]
        v.set([w.x, w.y, w.z, u.x, u.y, u.z], 6 * k)
      }),
    solver: () => silent,
  }
}

/** Result of an engine, measured alike for all. */
export interface PileState {
  /** Kinetic energy over mass [J/kg]. */
  readonly energy: number
  /** Deepest overlap by our own contact detection [m]. */
  readonly depth: number
  /** Boxes whose centre is below the ground or outside the walls. */
  readonly lost: number
}

export class PileJudge {
  private readonly scene: Pile
  private readonly world: World
  private readonly start: Checkpoint
  private readonly q: Float64Array
  private readonly v: Float64Array

  constructor(scene: Pile) {
    this.scene = scene
    this.world = pileWorld(scene, 'penalty')
    this.start = this.world.checkpoint()
    this.q = new Float64Array(7 * scene.boxes.length)
    this.v = new Float64Array(6 * scene.boxes.length)
  }

  energy(engine: PileEngine): number {
    const { v } = this
    engine.velocities(v)
    let energy = 0
    let total = 0
    this.scene.boxes.forEach(({ edge, mass }, k) => {
      const squared = (at: number) => v[at] ** 2 + v[at + 1] ** 2 + v[at + 2] ** 2
      energy += 0.5 * mass * (squared(6 * k + 3) + (edge ** 2 / 6) * squared(6 * k))
      total += mass
    })
    return energy / total
  }

  measure(engine: PileEngine): PileState {
    const { q, world, scene } = this
    engine.places(q)
    const { state, contacts } = world
    world.restore(this.start)
    state.q.set(q)
    world.step()
    let depth = 0
    for (let i = 0; i < contacts.count; i++) depth = Math.max(depth, -contacts.gap[i])
    const half = scene.width / 2
    const lost = scene.boxes.filter(
      (_, k) => !(q[7 * k + 2] > 0 && Math.abs(q[7 * k]) < half && Math.abs(q[7 * k + 1]) < half),
    ).length
    return { energy: this.energy(engine), depth, lost }
  }
}
