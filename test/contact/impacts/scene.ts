import { ContactSet, type ImpactChoice, ImpactPhase, noEvents, treesOf } from '../../../contact/index.ts'
import {
  type BodyDefinition,
  buildModel,
  createData,
  createState,
  kinematics,
  kineticEnergy,
  type Model,
  momentumW,
  pointJacobian,
  quaternionStart,
  type State,
  velocities,
} from '../../../dynamics/index.ts'
import { body, free, solid } from '../../dynamics/bodies.ts'
import { cross } from '../geometry/poses.ts'

/*
 * An impact without a world: a model at a state, contacts stated by hand, and one call of the impact phase.
 */

export type Vector = readonly [number, number, number]

export const hypotheses = ['newton', 'poisson', 'stronge'] as const

export interface HandContact {
  readonly a: number
  readonly b: number
  readonly point: Vector
  readonly normal: Vector
  readonly mu?: number
  readonly muStatic?: number
  readonly e?: number
  /** Default: one for each pair of bodies and normal. */
  readonly pair?: number
}

export interface ImpactOutcome {
  readonly before: Float64Array
  readonly v: Float64Array
  readonly contacts: ContactSet
  readonly impulses: number
  readonly fallbacks: number
}

/** A scene that keeps its memory from step to step. */
export class Scene {
  readonly model: Model
  readonly state: State
  readonly phase: ImpactPhase
  readonly memory: Float64Array
  private readonly data

  constructor(
    model: Model,
    state: State,
    {
      impacts,
      threshold = 0,
      pairCount = 16,
      bodyPairs,
      gravity = 0,
    }: { impacts: ImpactChoice; threshold?: number; pairCount?: number; bodyPairs?: Int32Array; gravity?: number },
  ) {
    this.model = model
    this.state = state
    this.data = createData(model)
    const context = {
      model,
      trees: treesOf(model),
      physical: { allowedPenetration: 1e-3, friction: 0, restitution: 0 },
      integrator: 'semi-implicit-euler',
      dt: 1e-3,
      mass: 1,
      gravity,
      pairCount,
      bodyPairs,
    } as const
    this.phase = new ImpactPhase(context, { impacts, restitutionThreshold: threshold }, 0)
    this.memory = new Float64Array(this.phase.memorySize)
  }

  impact(list: readonly HandContact[]): ImpactOutcome {
    const { model, state, data, memory, phase } = this
    const before = state.v.slice()
    const contacts = contactsOf(list)
    const events = noEvents([])
    kinematics(model, state, data)
    phase.resolve({
      model,
      state,
      data,
      contacts,
      tau: new Float64Array(model.nv),
      dt: 1e-3,
      memory,
      events,
      detect() {},
      detectStart() {},
      detectAt() {},
      endAt() {},
    })
    phase.report(contacts)
    return { before, v: state.v, contacts, impulses: events.iterations, fallbacks: events.fallbacks }
  }
}

export function contactsOf(list: readonly HandContact[]): ContactSet {
  const contacts = new ContactSet()
  contacts.reserve(list.length)
  contacts.count = list.length
  list.forEach((c, i) => {
    contacts.bodyA[i] = c.a
    contacts.bodyB[i] = c.b
    contacts.pair[i] = c.pair ?? i
    contacts.point.set(c.point, 3 * i)
    contacts.normal.set(c.normal, 3 * i)
    const [t1, t2] = tangentsOf(c.normal)
    contacts.tangent1.set(t1, 3 * i)
    contacts.tangent2.set(t2, 3 * i)
    contacts.mu[i] = c.mu ?? 0
    contacts.muStatic[i] = c.muStatic ?? c.mu ?? 0
    contacts.restitution[i] = c.e ?? 0
  })
  return contacts
}

/** t1, t2, n are right-handed in this order. */
export function tangentsOf(n: Vector): [Vector, Vector] {
  const other: Vector = Math.abs(n[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]
  const t2 = cross(n, other)
  const length = Math.hypot(...t2)
  const unit: Vector = [t2[0] / length, t2[1] / length, t2[2] / length]
  return [cross(unit, n), unit]
}

/** What contact i gave body B, in world axes [N s]. */
export function impulseOn({ impulse, normal, tangent1, tangent2 }: ContactSet, i: number, p = impulse): Vector {
  const along = (d: number) =>
    p[3 * i] * normal[3 * i + d] + p[3 * i + 1] * tangent1[3 * i + d] + p[3 * i + 2] * tangent2[3 * i + d]
  return [along(0), along(1), along(2)]
}

/** Σ Jᵀ impulse of all contacts, by full Jacobians; `impulses` along their axes, in place of theirs. */
export function generalisedImpulse(model: Model, state: State, contacts: ContactSet, impulses = contacts.impulse): Float64Array {
  const data = createData(model)
  kinematics(model, state, data)
  const sum = new Float64Array(model.nv)
  const J = new Float64Array(3 * model.nv)
  for (let i = 0; i < contacts.count; i++) {
    const p = impulseOn(contacts, i, impulses)
    const at = contacts.point.slice(3 * i, 3 * i + 3)
    for (const [body, sign] of [
      [contacts.bodyB[i], 1],
      [contacts.bodyA[i], -1],
    ]) {
      pointJacobian(model, data, body, at, J)
      for (let k = 0; k < model.nv; k++) for (let d = 0; d < 3; d++) sum[k] += sign * J[d * model.nv + k] * p[d]
    }
  }
  return sum
}

/** Velocity of B's point relative to A's. */
export function relativeVelocity(model: Model, state: State, v: Float64Array, a: number, b: number, point: Vector): Vector {
  const data = createData(model)
  kinematics(model, state, data)
  const J = new Float64Array(3 * model.nv)
  const out = [0, 0, 0]
  for (const [body, sign] of [
    [b, 1],
    [a, -1],
  ]) {
    pointJacobian(model, data, body, Float64Array.from(point), J)
    for (let d = 0; d < 3; d++) for (let k = 0; k < model.nv; k++) out[d] += sign * J[d * model.nv + k] * v[k]
  }
  return [out[0], out[1], out[2]]
}

export function energyOf(model: Model, q: Float64Array, v: Float64Array): number {
  const data = createData(model)
  const state = { q, v, t: new Float64Array(1) }
  const out = new Float64Array(1)
  kinematics(model, state, data)
  velocities(model, state, data)
  kineticEnergy(model, state, data, out)
  return out[0]
}

/** [angular; linear] about the world's origin. */
export function momentumOf(model: Model, q: Float64Array, v: Float64Array): Float64Array {
  const data = createData(model)
  const state = { q, v, t: new Float64Array(1) }
  const out = new Float64Array(6)
  kinematics(model, state, data)
  velocities(model, state, data)
  momentumW(model, data, out)
  return out
}

export interface Free {
  readonly mass: number
  /** Principal moments. */
  readonly inertia: Vector
  readonly position?: Vector
  /** Angular and linear velocity; the body's axes are the world's. */
  readonly spin?: Vector
  readonly velocity?: Vector
}

/** Free bodies without gravity, numbered from 1. */
export function freeBodies(list: readonly Free[]): { model: Model; state: State } {
  const bodies = list.map(
    ({ mass, inertia }, i): BodyDefinition => body(`body ${i + 1}`, free(`free ${i + 1}`), solid(mass, inertia)),
  )
  const model = buildModel('free bodies', bodies, [0, 0, 0])
  const state = createState(model)
  list.forEach(({ position = [0, 0, 0], spin = [0, 0, 0], velocity = [0, 0, 0] }, i) => {
    state.q.set(position, model.qStart[i + 1])
    state.q[quaternionStart(model, i + 1) + 3] = 1
    state.v.set([...spin, ...velocity], model.vStart[i + 1])
  })
  return { model, state }
}

export const ball = (mass: number, radius: number, x: number, velocity: Vector = [0, 0, 0]): Free => {
  const i = 0.4 * mass * radius * radius
  return { mass, inertia: [i, i, i], position: [x, 0, 0], velocity }
}
