import { JointType, type Model } from '../../dynamics/index.ts'
import type { World } from '../world.ts'

/** Height, relative to the size, by which lifting the weight gives the least energy scale. */
const SMALLEST_HEIGHT = 0.01
/** Speed whose kinetic energy is the least energy scale, for weightless bodies [m/s]. */
const SMALLEST_SPEED = 0.01

/** Fraction of the available energy by which the balance must rise to be counted, once for each such fraction. */
const COUNTED_PART = 0.1
/** Multiple of the available energy at which a rise ends the run. */
const FATAL_TIMES = 10

/*
 * Indices in `numbers`: energies at the start; lowest potential energy; work of the motors, its least value so far and its greatest rise
 * above that; loss of viscous joints; balance and contact energy at the end of the last step; their least sum at the end of any earlier
 * step; present and greatest rise of the balance above that, and the part already reported by `count`; the scale; 1 once open.
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
 * The energy balance of all moving bodies, step by step: mechanical energy E, less the work W of the motors, plus the loss D of viscous
 * joints. Contact, loops and dry friction can only reduce it, except that elastic contacts return energy stored before. So a rise above the
 * least earlier sum of the balance and the contacts' spring energy is an error of the numerical method; but where mocap bodies act on others,
 * it is their work, which is not measured. @unchecked
 *
 * Call `open` once, then `post` and `close` for each step.
 */
export class EnergyBalance {
  /** Complete memory [J]; `numbers.set` with a copy restores it. */
  readonly numbers = new Float64Array(COUNT)
  private readonly model: Model
  private readonly isWorkedOn: boolean
  /** 1: least scale [J]. */
  private readonly floor: Float64Array

  /** @param size extent of the moving bodies [m] @param isWorkedOn whether mocap bodies may act on them */
  constructor(model: Model, size: number, isWorkedOn = false) {
    this.model = model
    this.isWorkedOn = isWorkedOn
    const { mass, weight } = massAndWeight(model)
    this.floor = Float64Array.of(Math.max(weight * SMALLEST_HEIGHT * size, 0.5 * mass * (SMALLEST_SPEED * SMALLEST_SPEED)))
  }

  /**
   * Starts a new balance.
   *
   * @param energy 2: kinetic and potential [J]
   * @param holds  whether joints beyond their limits hold energy that is not known; then no rise is unaccounted
   */
  open(energy: Float64Array, holds = false): void {
    const { numbers } = this
    const kinetic = energy[0]
    const potential = energy[1]
    numbers.fill(0)
    numbers[KINETIC_START] = kinetic
    numbers[POTENTIAL_START] = potential
    numbers[LOWEST] = potential
    numbers[BALANCE] = kinetic + potential
    numbers[LEAST] = Number.POSITIVE_INFINITY
    if (holds) numbers[HELD] = Number.POSITIVE_INFINITY
    numbers[OPEN] = 1
    this.findScale()
  }

  get isOpen(): boolean {
    return this.numbers[OPEN] === 1
  }

  /** Whether joints held an unknown energy when the balance was opened. */
  get holds(): boolean {
    return this.numbers[HELD] === Number.POSITIVE_INFINITY
  }

  /**
   * Adds the work of motors and the loss of viscous joints in a step from v0 to v1 under the efforts tau.
   *
   * @param given 1: work of bodies with prescribed motion, counted like motors' [J]
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
   * Computes the balance at the end of the step.
   *
   * @param energy 2: kinetic and potential [J]
   * @param held   2: bound of the contacts' spring energy at the start of the step, with the forces of the step, and at its end [J]
   */
  close(energy: Float64Array, held: Float64Array): void {
    const { numbers } = this
    const potential = energy[1]
    // between two steps the force of a spring is that of either, whichever gives more energy
    const most = held[0] > numbers[HELD] ? held[0] : numbers[HELD]
    if (numbers[BALANCE] + most < numbers[LEAST]) numbers[LEAST] = numbers[BALANCE] + most
    if (potential < numbers[LOWEST]) numbers[LOWEST] = potential
    numbers[BALANCE] = energy[0] + potential - numbers[WORK] + numbers[LOST]
    numbers[HELD] = held[1]
    this.findScale()
    numbers[RISE] = numbers[BALANCE] - numbers[LEAST]
    if (this.isWorkedOn && numbers[RISE] > 0) {
      numbers[WORK] += numbers[RISE]
      numbers[BALANCE] = numbers[LEAST]
      numbers[RISE] = 0
    }
    if (!(numbers[RISE] <= numbers[INVENTED])) numbers[INVENTED] = numbers[RISE] // what overflowed included
  }

  /** Whether the unaccounted energy has grown by a tenth of the scale since the last call with result true. */
  count(): boolean {
    const { numbers } = this
    if (numbers[INVENTED] <= numbers[COUNTED] + COUNTED_PART * numbers[SCALE]) return false
    numbers[COUNTED] = numbers[INVENTED]
    return true
  }

  /** Whether unaccounted energy is ten times the scale, or overflowed. */
  get isFatal(): boolean {
    const { numbers } = this
    return !(numbers[INVENTED] <= FATAL_TIMES * numbers[SCALE])
  }

  /** The balance at the end of the last step [J]. */
  get balance(): number {
    return this.numbers[BALANCE]
  }

  /** The balance's rise above its least earlier value, at the end of the last step [J]. */
  get rise(): number {
    return this.numbers[RISE]
  }

  /** The greatest rise so far [J]. */
  get invented(): number {
    return this.numbers[INVENTED]
  }

  /**
   * The energy available to the run [J]: initial kinetic energy, fall of potential energy to the lowest reached, and greatest rise of the
   * motors' work; at least the weight lifted by a hundredth of the size. Without unaccounted energy.
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

/** Whether mocap bodies carry, touch or pull others. @unchecked */
export function hasActingMocap({
  model: { jointType, parent },
  shapes,
  pairs,
  loops,
}: Pick<World, 'model' | 'shapes' | 'pairs' | 'loops'>): boolean {
  const isMocap = (body: number) => jointType[body] === JointType.mocap
  const touches = (s: number) => shapes.some((_, t) => pairs.allows(Math.min(s, t), Math.max(s, t)))
  return (
    parent.some((body) => isMocap(body)) ||
    loops.some(({ bodyA, bodyB }) => isMocap(bodyA) || isMocap(bodyB)) ||
    shapes.some(({ body }, s) => isMocap(body) && touches(s))
  )
}

/** Total mass and weight of the moving bodies [kg, N]. @unchecked */
export function massAndWeight(model: Model): { mass: number; weight: number } {
  let mass = 0
  for (let i = 1; i < model.nb; i++) mass += model.I[i][0]
  return { mass, weight: mass * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]) }
}
