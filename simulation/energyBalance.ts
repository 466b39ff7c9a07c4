import type { Model } from '../dynamics/index.ts'

/** Part of the size that the weight is lifted by, below which no scale of energy falls. */
const SMALLEST_HEIGHT = 0.01
/** Speed of all masses below whose energy no scale falls, for what weighs nothing [m/s]. */
const SMALLEST_SPEED = 0.01

/*
 * Where each number stands in `numbers`: energies at the start; the lowest potential energy; work of the motors, its least value so far
 * and the most that it rose above that; loss of viscous joints; the balance and what contacts held at the end of the last step; the least
 * of both together at the end of any step before it; how far the balance is above that now, the most that it ever was, and what of that `count` has told; 1 once it is open.
 */
const KINETIC_START = 0
const POTENTIAL_START = 1
const LOWEST = 2
const WORK = 3
const LEAST_WORK = 4
const GIVEN = 5
const LOST = 6
const BALANCE = 7
const HELD = 8
const LEAST = 9
const RISE = 10
const INVENTED = 11
const COUNTED = 12
const OPEN = 13
const COUNT = 14

/**
 * The energy of everything that moves, kept step by step as books are: the balance is mechanical energy E, less the work W of the
 * motors, plus the loss D of viscous joints. Contact, loops and dry friction can only take from it, but for what an elastic contact gives back
 * that it took before; so what rises above the least that the balance and the contacts' springs held together at any time before
 * was invented by the numerical method.
 *
 * Call `open` once, then `post` and `close` for each step.
 */
export class EnergyBalance {
  /** Everything that it remembers [J]; `numbers.set` of a copy goes back to it. */
  readonly numbers = new Float64Array(COUNT)
  private readonly model: Model
  private readonly floor: number

  /** @param size of what moves [m] */
  constructor(model: Model, size: number) {
    this.model = model
    const { mass, weight } = massAndWeight(model)
    this.floor = Math.max(weight * SMALLEST_HEIGHT * size, 0.5 * mass * SMALLEST_SPEED ** 2)
  }

  /** Starts anew from these energies [J]. */
  open(kinetic: number, potential: number): void {
    const { numbers } = this
    numbers.fill(0)
    numbers[KINETIC_START] = kinetic
    numbers[POTENTIAL_START] = potential
    numbers[LOWEST] = potential
    numbers[BALANCE] = kinetic + potential
    numbers[LEAST] = Number.POSITIVE_INFINITY
    numbers[OPEN] = 1
  }

  get isOpen(): boolean {
    return this.numbers[OPEN] === 1
  }

  /** Enters what motors gave and viscous joints took in a step from v0 to v1 under the efforts tau. */
  post(tau: Float64Array, v0: Float64Array, v1: Float64Array, dt: number): void {
    const { numbers, model } = this
    const { nv, damping } = model
    let work = 0
    let lost = 0
    for (let i = 0; i < nv; i++) {
      const v = 0.5 * (v0[i] + v1[i]) // tau is constant over the step, so its work is tau times the mean speed times dt
      work += tau[i] * v
      lost += damping[i] * v * v
    }
    numbers[WORK] += work * dt
    numbers[LOST] += lost * dt
    if (numbers[WORK] < numbers[LEAST_WORK]) numbers[LEAST_WORK] = numbers[WORK]
    if (numbers[WORK] - numbers[LEAST_WORK] > numbers[GIVEN]) numbers[GIVEN] = numbers[WORK] - numbers[LEAST_WORK]
  }

  /**
   * Strikes the balance at the end of the step.
   *
   * @param heldBefore what contacts may have held as springs at the start of the step, with the forces of the step [J]
   * @param heldAfter  and at its end
   */
  close(kinetic: number, potential: number, heldBefore: number, heldAfter: number): void {
    const { numbers } = this
    // between two steps the force of a spring is that of either, whichever gives more
    const held = heldBefore > numbers[HELD] ? heldBefore : numbers[HELD]
    if (numbers[BALANCE] + held < numbers[LEAST]) numbers[LEAST] = numbers[BALANCE] + held
    if (potential < numbers[LOWEST]) numbers[LOWEST] = potential
    numbers[BALANCE] = kinetic + potential - numbers[WORK] + numbers[LOST]
    numbers[HELD] = heldAfter
    numbers[RISE] = numbers[BALANCE] - numbers[LEAST]
    if (!(numbers[RISE] <= numbers[INVENTED])) numbers[INVENTED] = numbers[RISE] // what overflowed included
  }

  /** Whether more than `part` of the scale was invented since the last time that this said so. */
  count(part: number): boolean {
    const { numbers } = this
    if (numbers[INVENTED] <= numbers[COUNTED] + part * this.scale) return false
    numbers[COUNTED] = numbers[INVENTED]
    return true
  }

  /** At the end of the last step [J]. */
  get balance(): number {
    return this.numbers[BALANCE]
  }

  /** What it has risen by since its least value before, at the end of the last step [J]. */
  get rise(): number {
    return this.numbers[RISE]
  }

  /** The most that it ever rose by [J]. */
  get invented(): number {
    return this.numbers[INVENTED]
  }

  /**
   * What the run had to spend [J]: kinetic energy at the start, the potential energy of the start above the lowest that was reached, and
   * the most that the motors gave; at least the weight lifted by a hundredth of the size. Invented energy is no part of it.
   */
  get scale(): number {
    const { numbers, floor } = this
    const spent = numbers[KINETIC_START] + (numbers[POTENTIAL_START] - numbers[LOWEST]) + numbers[GIVEN]
    return spent > floor ? spent : floor
  }
}

/** Of all that moves [kg, N]. */
export function massAndWeight(model: Model): { mass: number; weight: number } {
  let mass = 0
  for (let i = 1; i < model.nb; i++) mass += model.I[i][0]
  return { mass, weight: mass * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]) }
}
