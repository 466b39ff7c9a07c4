import { type ContactSet, LengthRows, LoopRows, type SolverEvents } from '../../contact/index.ts'
import { type Data, kineticEnergy, type Model, potentialEnergy, type State } from '../../dynamics/index.ts'
import type { World } from '../world.ts'
import { EnergyBalance, hasActingMocap } from './energyBalance.ts'

/** Error of a loop at which it is open [m, rad]. */
const OPEN = 1e-3
/** Numbers of a contact in `EnergyAudit.pressed`. */
const PRESSED = 10

/**
 * Audits the energy balance of a world at every step. The end of a step is evaluated when the next one begins, since that needs the same
 * kinematics: `close` finds kinetic and potential energy, and `post` adds the work done in the step.
 */
export class EnergyAudit {
  private readonly model: Model
  private readonly balance: EnergyBalance
  /** Those with softness. */
  private readonly loops: LoopRows
  private readonly lengths: LengthRows
  /** 2: 1 if the end of the last step is not yet evaluated; and the length of `pressed` in use. */
  private readonly pending = new Float64Array(2)
  /** `PRESSED` numbers a contact under load: force [N], gap [m], bodies A and B, and in world axes point [m] and normal. */
  pressed = new Float64Array(PRESSED * 32)
  /** 1: length of the last step [s]. */
  private readonly dt = new Float64Array(1)
  /** State at the end of the last step; one changed since starts a new balance. */
  private readonly q1: Float64Array
  private readonly v1: Float64Array
  /** 2: kinetic and potential [J]. */
  private readonly energy = new Float64Array(2)
  /** 2: bound of the energy in contacts as springs, at the start and end of the step [J]. */
  private readonly held = new Float64Array(2)
  private readonly speed = new Float64Array(1)
  private readonly potential = this.energy.subarray(1)

  /** @param size extent of the moving bodies [m] */
  constructor(world: Pick<World, 'model' | 'shapes' | 'pairs' | 'loops'>, size: number) {
    const { model } = world
    this.model = model
    this.balance = new EnergyBalance(model, size, hasActingMocap(world))
    this.loops = new LoopRows(
      model,
      world.loops.filter(({ softness }) => softness),
    )
    this.lengths = new LengthRows(model)
    this.q1 = new Float64Array(model.nq)
    this.v1 = new Float64Array(model.nv)
  }

  /** Unaccounted energy, and the energy available to the run [J]. */
  get invented(): number {
    return this.balance.invented
  }

  get scale(): number {
    return this.balance.scale
  }

  /** Whether `close` must be called for the last step. */
  get isOwed(): boolean {
    return this.pending[0] === 1
  }

  get isFatal(): boolean {
    return this.balance.isFatal
  }

  /**
   * Adds a step after it was taken, with its contacts.
   *
   * @param v0    nv: velocity at its start
   * @param tau   nv: motor efforts over the step [N m, N]
   * @param given 1: work of prescribed motion [J]
   */
  post({ q, v }: State, contacts: ContactSet, v0: Float64Array, tau: Float64Array, given: Float64Array, dt: number): void {
    this.balance.post(tau, v0, v, given, dt)
    this.q1.set(q)
    this.v1.set(v)
    this.dt[0] = dt
    const { count, gap, impulse, impact, bodyA, bodyB, point, normal } = contacts
    if (PRESSED * count > this.pressed.length) this.pressed = new Float64Array(2 * PRESSED * count)
    const { pressed, pending } = this
    let at = 0
    for (let c = 0; c < count; c++) {
      const force = (impulse[3 * c] - impact[3 * c]) / dt
      if (!(force > 0)) continue
      pressed[at] = force
      pressed[at + 1] = gap[c]
      pressed[at + 2] = bodyA[c]
      pressed[at + 3] = bodyB[c]
      for (let d = 0; d < 3; d++) {
        pressed[at + 4 + d] = point[3 * c + d]
        pressed[at + 7 + d] = normal[3 * c + d]
      }
      at += PRESSED
    }
    pending[0] = 1
    pending[1] = at
  }

  /**
   * Computes the balance at the end of the last step, unless done already.
   *
   * @param data `kinematics` and `velocities` of the state
   * @returns whether unaccounted energy makes the run invalid
   */
  close(state: State, data: Data, events: SolverEvents): boolean {
    const { balance, energy, held } = this
    const isSame = this.isUnchanged(state)
    if (isSame && !this.isOwed && balance.isOpen) return balance.isFatal
    kineticEnergy(this.model, state, data, energy)
    potentialEnergy(this.model, state, data, this.potential)
    this.pending[0] = 0
    // what soft limits and loops return to joints that begin beyond them, and open, is available to the run
    if (!isSame || !balance.isOpen || balance.holds) {
      balance.open(energy, this.isBeyondLimit(state.q) || this.isApart(state.q, data))
      this.q1.set(state.q)
      this.v1.set(state.v)
      return false
    }
    this.findHeld(data)
    balance.close(energy, held)
    if (balance.count()) events.energyGains++
    return balance.isFatal
  }

  /** The audit's memory between steps, once the last one is closed; `goOn` accepts a copy. */
  get numbers(): Float64Array {
    return this.balance.numbers
  }

  /** State of the balance between two steps of the same length, besides `pressed`. */
  get carried(): readonly Float64Array[] {
    return [this.numbers, this.q1, this.v1, this.pending]
  }

  get pressedLength(): number {
    return this.pending[1] | 0
  }

  /** Continues from a copy of `numbers`, at this state. */
  goOn(numbers: Float64Array, { q, v }: State): void {
    this.numbers.set(numbers)
    this.q1.set(q)
    this.v1.set(v)
    this.pending[0] = 0
  }

  /** Starts a new balance at the next step. */
  forget(): void {
    this.numbers.fill(0)
    this.pending[0] = 0
  }

  /** Whether a joint is beyond its limit, from which a soft one returns it. */
  private isBeyondLimit(q: Float64Array): boolean {
    const { nv, lower, upper, bodyOfV, qStart, vStart } = this.model
    for (let k = 0; k < nv; k++) {
      const x = q[qStart[bodyOfV[k]] + k - vStart[bodyOfV[k]]]
      if (x < lower[k] || x > upper[k]) return true
    }
    return false
  }

  /** Whether a loop that may begin open is, or a coupling, or a length is beyond its limit. */
  private isApart(q: Float64Array, data: Data): boolean {
    const { loops, lengths } = this
    lengths.build(q, data)
    if (lengths.isOpen(OPEN)) return true
    if (loops.count === 0) return false
    loops.build(data)
    return loops.error.some((error) => Math.abs(error) > OPEN)
  }

  private isUnchanged({ q, v }: State): boolean {
    const { q1, v1 } = this
    for (let i = 0; i < q1.length; i++) if (q[i] !== q1[i]) return false
    for (let i = 0; i < v1.length; i++) if (v[i] !== v1[i]) return false
    return true
  }

  /**
   * Bounds the energy of contacts as springs [J]: normal force times depth, an upper bound if the force does not fall with depth (a linear
   * spring has half of it, one of exponent 3/2 two fifths). Rigid contact has no depth, hence no energy.
   */
  private findHeld(data: Data): void {
    const { held, speed, pressed, pressedLength } = this
    const dt = this.dt[0]
    held.fill(0)
    for (let at = 0; at < pressedLength; at += PRESSED) {
      const force = pressed[at]
      const gap = pressed[at + 1]
      if (gap < 0) held[0] -= force * gap
      speed[0] = 0
      addSpeed(speed, 1, data, pressed[at + 3] | 0, pressed, at + 4)
      addSpeed(speed, -1, data, pressed[at + 2] | 0, pressed, at + 4)
      const end = gap + dt * speed[0]
      if (end < 0) held[1] -= force * end
    }
  }
}

/** out[0] += sign times the speed of a body's point, in world axes at from[k..k+2], along the normal behind it [m/s]. */
function addSpeed(out: Float64Array, sign: number, { R_WB, p_WB, V }: Data, body: number, from: Float64Array, k: number): void {
  if (body === 0) return
  const R = R_WB[body]
  const p = p_WB[body]
  const Vb = V[body]
  const x = from[k] - p[0]
  const y = from[k + 1] - p[1]
  const z = from[k + 2] - p[2]
  const nx = from[k + 3]
  const ny = from[k + 4]
  const nz = from[k + 5]
  // (r x n) . omega + n . v, r from the body's origin, rotated into the body's axes
  const mx = y * nz - z * ny
  const my = z * nx - x * nz
  const mz = x * ny - y * nx
  out[0] +=
    sign *
    ((R[0] * mx + R[3] * my + R[6] * mz) * Vb[0] +
      (R[1] * mx + R[4] * my + R[7] * mz) * Vb[1] +
      (R[2] * mx + R[5] * my + R[8] * mz) * Vb[2] +
      (R[0] * nx + R[3] * ny + R[6] * nz) * Vb[3] +
      (R[1] * nx + R[4] * ny + R[7] * nz) * Vb[4] +
      (R[2] * nx + R[5] * ny + R[8] * nz) * Vb[5])
}
