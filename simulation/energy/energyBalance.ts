import type { Model } from '../../dynamics/index.ts'

/** Part of the size that the weight is lifted by, below which no scale of energy falls. */
const SMALLEST_HEIGHT = 0.01
/** Speed of all masses below whose energy no scale falls, for what weighs nothing [m/s]. */
const SMALLEST_SPEED = 0.01

/** A rise of the balance by this part of what the run had to spend is counted, and again with every such part more. */
const COUNTED_PART = 0.1
/** A rise by this many times what the run had to spend ends it. */
const FATAL_TIMES = 10

/*
 * Where each number stands in `numbers`: energies at the start; the lowest potential energy; work of the motors, its least value so far
 * and the most that it rose above that; loss of viscous joints; the balance and what contacts held at the end of the last step; the least
 * of both together at the end of any step before it; how far the balance is above that now, the most that it ever was, and what of that `count` has told; the scale; 1 once it is open.
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
const SCALE = 13
const OPEN = 14
const COUNT = 15

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
  /** 1: least scale [J]. */
  private readonly floor: Float64Array

  /** @param size of the moving bodies [m] */
  constructor(model: Model, size: number) {
    this.model = model
    const { mass, weight } = massAndWeight(model)
    this.floor = Float64Array.of(Math.max(weight * SMALLEST_HEIGHT * size, 0.5 * mass * SMALLEST_SPEED ** 2))
  }

  /** Starts anew. @param energy 2: kinetic and potential [J] */
  open(energy: Float64Array): void {
    const { numbers } = this
    const kinetic = energy[0]
    const potential = energy[1]
    numbers.fill(0)
    numbers[KINETIC_START] = kinetic
    numbers[POTENTIAL_START] = potential
    numbers[LOWEST] = potential
    numbers[BALANCE] = kinetic + potential
    numbers[LEAST] = Number.POSITIVE_INFINITY
    numbers[OPEN] = 1
    this.findScale()
  }

  get isOpen(): boolean {
    return this.numbers[OPEN] === 1
  }

  /**
   * Enters what motors gave and viscous joints took in a step from v0 to v1 under the efforts tau.
   *
   * @param given 1: work of bodies whose motion is prescribed, as of motors [J]
   */
  post(tau: Float64Array, v0: Float64Array, v1: Float64Array, given: Float64Array, dt: number): void {
    const { numbers, model } = this
    const { nv, damping } = model
    let work = 0
    let lost = 0
    for (let i = 0; i < nv; i++) {
      const v = 0.5 * (v0[i] + v1[i]) // tau is constant over the step, so its work is tau times the mean speed times dt
      work += tau[i] * v
      lost += damping[i] * v * v
    }
    numbers[WORK] += work * dt + given[0]
    numbers[LOST] += lost * dt
    if (numbers[WORK] < numbers[LEAST_WORK]) numbers[LEAST_WORK] = numbers[WORK]
    if (numbers[WORK] - numbers[LEAST_WORK] > numbers[GIVEN]) numbers[GIVEN] = numbers[WORK] - numbers[LEAST_WORK]
  }

  /**
   * Strikes the balance at the end of the step.
   *
   * @param energy 2: kinetic and potential [J]
   * @param held   2: what contacts may have held as springs at the start of the step, with the forces of the step, and at its end [J]
   */
  close(energy: Float64Array, held: Float64Array): void {
    const { numbers } = this
    const potential = energy[1]
    // between two steps the force of a spring is that of either, whichever gives more
    const most = held[0] > numbers[HELD] ? held[0] : numbers[HELD]
    if (numbers[BALANCE] + most < numbers[LEAST]) numbers[LEAST] = numbers[BALANCE] + most
    if (potential < numbers[LOWEST]) numbers[LOWEST] = potential
    numbers[BALANCE] = energy[0] + potential - numbers[WORK] + numbers[LOST]
    numbers[HELD] = held[1]
    this.findScale()
    numbers[RISE] = numbers[BALANCE] - numbers[LEAST]
    if (!(numbers[RISE] <= numbers[INVENTED])) numbers[INVENTED] = numbers[RISE] // what overflowed included
  }

  /** Whether a tenth of the scale was invented, or another tenth since this said so last. */
  count(): boolean {
    const { numbers } = this
    if (numbers[INVENTED] <= numbers[COUNTED] + COUNTED_PART * numbers[SCALE]) return false
    numbers[COUNTED] = numbers[INVENTED]
    return true
  }

  /** Whether ten times the scale was invented; what overflowed was. */
  get isFatal(): boolean {
    const { numbers } = this
    return !(numbers[INVENTED] <= FATAL_TIMES * numbers[SCALE])
  }

  /** At the end of the last step [J]. */
  get balance(): number {
    return this.numbers[BALANCE]
  }

  /** Its rise since its least value so far, at the end of the last step [J]. */
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
    return this.numbers[SCALE]
  }

  private findScale(): void {
    const { numbers, floor } = this
    const spent = numbers[KINETIC_START] + (numbers[POTENTIAL_START] - numbers[LOWEST]) + numbers[GIVEN]
    numbers[SCALE] = spent > floor[0] ? spent : floor[0]
  }
}

/** Of all that moves [kg, N]. */
export function massAndWeight(model: Model): { mass: number; weight: number } {
  let mass = 0
  for (let i = 1; i < model.nb; i++) mass += model.I[i][0]
  return { mass, weight: mass * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]) }
}
