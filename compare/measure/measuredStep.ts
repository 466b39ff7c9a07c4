import { frictionAtSpeed } from '../../contact/index.ts'
import { createData, createState, type Data, kinematics, RestFrame, type State, velocities } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'

/** Slower than this a contact counts as sticking, where static friction acts [m/s]. */
const STICKING = 1e-3

/**
 * One step of a world, as every meter reads it: the kinematics of its ends, and of each contact that passed something on the
 * velocity of B's side against A's. Call `before` and `after` around each step.
 */
export class MeasuredStep {
  readonly world: World
  /** Of the step [s], and its part of a whole one: steps under error control differ. */
  dt: number
  part = 1
  /** Kinematics at the start of the step, there with the velocity of its end (it shares all but V with `start`), and at its end. */
  readonly start: Data
  readonly mixed: Data
  readonly end: Data
  /** Configuration and velocity at the start. */
  readonly q0: Float64Array
  readonly v0: Float64Array
  /** Steps measured so far, this one included; and the same in whole steps. */
  taken = 0
  elapsed = 0
  /** The world's step count at the start of the step, and before the first one. */
  startCount: number
  private readonly first: number

  /** Which contacts passed on an impulse: the first `count` of `active`, by their place in `world.contacts`. */
  count = 0
  active = new Int32Array(0)
  /*
   * Of those, by their place in `active`: the relative velocity along [normal, tangent1, tangent2] with the velocities of either end, 3
   * each, and its tangential part [m/s]; the largest and the least coefficient that friction may have at the two speeds. All at the contact's
   * point as it was at the start.
   */
  velocityStart = new Float64Array(0)
  velocityEnd = new Float64Array(0)
  slipStart = new Float64Array(0)
  slipEnd = new Float64Array(0)
  friction = new Float64Array(0)
  leastFriction = new Float64Array(0)

  /** q at the start, v of the end in the axes of the start (`RestFrame.turnBack`). */
  readonly turned: State
  private readonly axes: RestFrame
  private readonly velocity = new Float64Array(3)
  private readonly velocityA = new Float64Array(3)

  constructor(world: World) {
    const { model, dt, state } = world
    this.world = world
    this.dt = dt
    this.first = world.stepCount
    this.startCount = world.stepCount
    this.start = createData(model)
    this.mixed = { ...this.start, V: Array.from(this.start.V, () => new Float64Array(6)) }
    this.end = createData(model)
    this.turned = createState(model)
    this.axes = new RestFrame(model)
    this.q0 = this.turned.q
    this.v0 = new Float64Array(model.nv)
    kinematics(model, state, this.end)
    velocities(model, state, this.end)
  }

  before(): void {
    const { model, state, dt, wholeStep, stepCount } = this.world
    this.dt = dt
    this.part = dt / wholeStep
    this.startCount = stepCount
    this.q0.set(state.q)
    this.v0.set(state.v)
    kinematics(model, state, this.start)
    velocities(model, state, this.start)
  }

  after(): void {
    const { world, mixed, end, turned } = this
    const { model, state, contacts } = world
    turned.v.set(state.v)
    // else a body at speed v that turns by an angle seems to slip by v times that angle
    this.axes.turnBack(turned.q, state.q, turned.v)
    velocities(model, turned, mixed)
    kinematics(model, state, end)
    velocities(model, state, end)
    this.taken++
    this.elapsed = world.stepCount - this.first
    if (contacts.count > this.active.length) this.reserve(contacts.capacity)
    this.count = 0
    for (let c = 0; c < contacts.count; c++) if (this.isActive(c)) this.add(c)
  }

  private isActive(c: number): boolean {
    const { impulse, impact, moment, adhesion } = this.world.contacts
    if (adhesion[c] !== 0) return true
    for (let k = 3 * c; k < 3 * c + 3; k++) if (impulse[k] !== 0 || impact[k] !== 0 || moment[k] !== 0) return true
    return false
  }

  private add(c: number): void {
    const i = this.count++
    this.active[i] = c
    this.slipStart[i] = this.write(this.start, c, this.velocityStart, 3 * i)
    this.slipEnd[i] = this.write(this.mixed, c, this.velocityEnd, 3 * i)
    const { mu, muStatic, viscous, stribeck } = this.world.contacts
    this.friction[i] = mu[c]
    this.leastFriction[i] = mu[c]
    if (muStatic[c] === mu[c] && viscous[c] === 0) return
    const atStart = frictionAtSpeed(mu[c], muStatic[c], viscous[c], stribeck[c], this.slipStart[i])
    const atEnd = frictionAtSpeed(mu[c], muStatic[c], viscous[c], stribeck[c], this.slipEnd[i])
    // it has no maximum between two speeds, as it falls and then rises
    const sticks = Math.min(this.slipStart[i], this.slipEnd[i]) < STICKING
    this.friction[i] = Math.max(atStart, atEnd, sticks ? muStatic[c] : 0)
    this.leastFriction[i] = Math.min(atStart, atEnd)
  }

  /** out[k..k+2] = velocity of B's surface at contact c against A's, along its axes; returns the length of its tangential part [m/s]. */
  private write(data: Data, c: number, out: Float64Array, k: number): number {
    const { bodyA, bodyB, point, normal, tangent1, tangent2, runs } = this.world.contacts
    const { velocity, velocityA } = this
    const n = 3 * c
    pointVelocity(data, bodyB[c], point, n, velocity)
    if (bodyA[c] !== 0) {
      pointVelocity(data, bodyA[c], point, n, velocityA)
      for (let d = 0; d < 3; d++) velocity[d] -= velocityA[d]
    }
    if (runs) this.run(c)
    const x = velocity[0]
    const y = velocity[1]
    const z = velocity[2]
    const along = x * normal[n] + y * normal[n + 1] + z * normal[n + 2]
    out[k] = along
    out[k + 1] = x * tangent1[n] + y * tangent1[n + 1] + z * tangent1[n + 2]
    out[k + 2] = x * tangent2[n] + y * tangent2[n + 1] + z * tangent2[n + 2]
    return Math.hypot(x - along * normal[n], y - along * normal[n + 1], z - along * normal[n + 2])
  }

  /** Adds the velocity of surfaces that run. */
  private run(c: number): void {
    const { running, tangent1, tangent2, inverse2 } = this.world.contacts
    for (let d = 0; d < 3; d++) {
      const k = 3 * c + d
      this.velocity[d] += running[3 * c + 1] * tangent1[k] + running[3 * c + 2] * inverse2[c] * tangent2[k]
    }
  }

  private reserve(capacity: number): void {
    this.active = new Int32Array(capacity)
    this.velocityStart = new Float64Array(3 * capacity)
    this.velocityEnd = new Float64Array(3 * capacity)
    this.slipStart = new Float64Array(capacity)
    this.slipEnd = new Float64Array(capacity)
    this.friction = new Float64Array(capacity)
    this.leastFriction = new Float64Array(capacity)
  }
}

/** Velocity of the point of a body that is at point[k..k+2] of the world, in world axes [m/s]. */
function pointVelocity({ R_WB, p_WB, V }: Data, body: number, point: Float64Array, k: number, out: Float64Array): void {
  const R = R_WB[body]
  const p = p_WB[body]
  const [wx, wy, wz, vx, vy, vz] = V[body]
  const dx = point[k] - p[0]
  const dy = point[k + 1] - p[1]
  const dz = point[k + 2] - p[2]
  const rx = R[0] * dx + R[3] * dy + R[6] * dz
  const ry = R[1] * dx + R[4] * dy + R[7] * dz
  const rz = R[2] * dx + R[5] * dy + R[8] * dz
  const x = vx + wy * rz - wz * ry
  const y = vy + wz * rx - wx * rz
  const z = vz + wx * ry - wy * rx
  out[0] = R[0] * x + R[1] * y + R[2] * z
  out[1] = R[3] * x + R[4] * y + R[5] * z
  out[2] = R[6] * x + R[7] * y + R[8] * z
}
