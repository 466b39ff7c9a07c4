import { kineticEnergy, potentialEnergy } from '../../../dynamics/index.ts'
import { EnergyBalance, hasActingMocap } from '../../../simulation/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import { Worst } from './worst.ts'

/**
 * The energy balance of everything that moves, see `EnergyBalance`: a figure here, a count of tenths in the world.
 */
export class EnergyMeter {
  /** Mechanical energy at the end of the last step [J]. */
  now = Number.NaN
  readonly start: number
  /** Largest rise of the balance above its least value before [J]. */
  gain = 0
  readonly worst = new Worst()
  private readonly books: EnergyBalance
  private least: number
  /** 2: kinetic and potential [J]; and the most stored in contacts at the start and the end of the step. */
  private readonly energy = new Float64Array(2)
  private readonly held = new Float64Array(2)
  private readonly potential = this.energy.subarray(1)

  /** @param size of the moving bodies [m] */
  constructor(step: MeasuredStep, size: number) {
    this.books = new EnergyBalance(step.world.model, size, hasActingMocap(step.world))
    this.read(step)
    this.start = this.now
    this.least = this.now
    this.books.open(this.energy)
  }

  /** The same above the earlier sum of the balance and the contacts' springs [J]; see `stored`. */
  get invented(): number {
    return this.books.invented
  }

  /** At the end of the last step [J]. */
  get kinetic(): number {
    return this.energy[0]
  }

  /** The energy available to the run [J]. */
  get scale(): number {
    return this.books.scale
  }

  measure(step: MeasuredStep): void {
    const { world, v0, dt } = step
    const { books, energy, held } = this
    this.read(step)
    books.post(world.applied, v0, world.state.v, world.given, dt)
    held[0] = stored(step, 0)
    held[1] = stored(step, dt)
    books.close(energy, held)
    this.gain = Math.max(this.gain, books.balance - this.least)
    this.least = Math.min(this.least, books.balance)
    this.worst.note(books.rise, world.state.t[0], -1)
  }

  private read({ world: { model, state }, end }: MeasuredStep): void {
    const { energy, potential } = this
    kineticEnergy(model, state, end, energy)
    potentialEnergy(model, state, end, potential)
    this.now = energy[0] + energy[1]
  }
}

/**
 * Bound on contact spring energy [J]: normal force times depth, the most of any spring whose force does not fall with depth (a linear one
 * holds half of it, one of exponent 3/2 two fifths). Rigid contact has no depth, and so holds nothing.
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
