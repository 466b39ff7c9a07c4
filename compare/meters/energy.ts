import { kineticEnergy, potentialEnergy } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import type { MeasuredStep } from './measuredStep.ts'
import { Worst } from './worst.ts'

/** Part of the size that the weight is lifted by, below which no scale of energy falls. */
const SMALLEST_HEIGHT = 0.01

/**
 * The energy balance of everything that moves: mechanical energy, less the work of the motors, plus what viscous joints used up. Contact,
 * loops and dry friction can only take from it, but for what an elastic contact gives back.
 */
export class EnergyMeter {
  /** Mechanical and kinetic energy at the end of the last step [J]. */
  now = Number.NaN
  kinetic = 0
  readonly start: number
  /** Largest rise of the balance above its least value before [J]. */
  gain = 0
  /** The same above what the balance and the contacts' springs together held before [J]; see `stored`. */
  invented = 0
  readonly worst = new Worst()
  private readonly floor: number
  private readonly kineticStart: number
  private readonly potentialStart: number
  private lowest: number
  private work = 0
  private lost = 0
  private leastWork = 0
  private given = 0
  private least: number
  /** Least of balance and springs together until the step before the last; and the two after that one. */
  private leastHeld = Number.POSITIVE_INFINITY
  private balance: number
  private held = 0
  private readonly scalar = new Float64Array(1)

  /** @param size of what moves [m] */
  constructor(step: MeasuredStep, size: number) {
    this.read(step)
    this.start = this.now
    this.least = this.now
    this.balance = this.now
    this.kineticStart = this.kinetic
    this.potentialStart = this.now - this.kinetic
    this.lowest = this.potentialStart
    this.floor = weightOf(step.world) * SMALLEST_HEIGHT * size
  }

  /**
   * What the run had to spend [J]: kinetic energy at the start, the potential energy of the start above the lowest that was reached, and
   * the most that the motors gave; at least the weight lifted by a hundredth of the size. Invented energy is no part of it.
   */
  get scale(): number {
    const { kineticStart, potentialStart, lowest, given, floor } = this
    return Math.max(kineticStart + (potentialStart - lowest) + given, floor)
  }

  measure(step: MeasuredStep): void {
    const { world, v0, dt } = step
    const { tau, state, model } = world
    this.read(step)
    this.lowest = Math.min(this.lowest, this.now - this.kinetic)
    for (let i = 0; i < model.nv; i++) {
      const v = 0.5 * (v0[i] + state.v[i]) // tau is constant over the step, so its work is tau times the mean speed times dt
      this.work += tau[i] * v * dt
      this.lost += model.damping[i] * v * v * dt
    }
    this.leastWork = Math.min(this.leastWork, this.work)
    this.given = Math.max(this.given, this.work - this.leastWork)
    const balance = this.now - this.work + this.lost
    this.gain = Math.max(this.gain, balance - this.least)
    this.least = Math.min(this.least, balance)
    this.leastHeld = Math.min(this.leastHeld, this.balance + Math.max(this.held, stored(step, 0)))
    const invented = balance - this.leastHeld
    this.worst.note(invented, state.t[0], -1)
    this.invented = Math.max(this.invented, invented)
    this.balance = balance
    this.held = stored(step, dt)
  }

  private read({ world: { model, state }, end }: MeasuredStep): void {
    const { scalar } = this
    kineticEnergy(model, state, end, scalar)
    this.kinetic = scalar[0]
    potentialEnergy(model, state, end, scalar)
    this.now = this.kinetic + scalar[0]
  }
}

/**
 * What contacts may hold as springs [J]: normal force times depth, the most of any spring whose force does not fall with depth (a linear one
 * holds half of it, one of exponent 3/2 two fifths). Rigid contact has no depth, and so holds nothing. Between two steps the force is that
 * of either, whichever gives more.
 *
 * @param after how long after the start of the step [s]
 */
function stored({ world: { contacts }, count, active, velocityEnd, dt }: MeasuredStep, after: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) {
    const c = active[i]
    const force = (contacts.impulse[3 * c] - contacts.impact[3 * c]) / dt
    const depth = -(contacts.gap[c] + after * velocityEnd[3 * i])
    if (force > 0 && depth > 0) sum += force * depth
  }
  return sum
}

/** Of all that moves [N]. */
export function weightOf({ model }: Pick<World, 'model'>): number {
  let mass = 0
  for (let i = 1; i < model.nb; i++) mass += model.I[i][0]
  return mass * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
}
