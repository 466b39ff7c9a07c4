import type { RobotActuator } from '../../robots/index.ts'
import { expMinusOne } from '../policy/exponential.ts'

/** Filtered and integrated inputs of actuators, over a step and its stages. */
export class Activations {
  /** 2 an actuator: its filtered or integrated input, and the position that a rate bounds; unused where it has neither. At the end of the step. */
  readonly values: Float64Array
  /** The same in the present stage. */
  readonly stage: Float64Array
  /** Of each: rate of its activation in the last stage. */
  readonly rate: Float64Array
  private readonly actuators: readonly RobotActuator[]
  /** At the start of the run. */
  private readonly begun: Float64Array
  /** Of each: activation at the start of the step, and the weighted sum of rates. */
  private readonly start: Float64Array
  private readonly sum: Float64Array
  /** Of each, the part of its rate that a step adds to its activation [s]. */
  private readonly share: Float64Array
  private dt = 0

  /** @param act at the start of the run, of the actuators that have one, in that order; default 0 @throws RangeError for another count */
  constructor(actuators: readonly RobotActuator[], act: ArrayLike<number>, robot: string) {
    const n = actuators.length
    const stateful = actuators.flatMap(({ dynamics }, k) => (dynamics === 'none' ? [] : [k]))
    if (act.length > 0 && act.length !== stateful.length)
      throw new RangeError(`act has ${act.length} numbers; "${robot}" has ${stateful.length} actuators of joints with one`)
    this.actuators = actuators
    this.values = new Float64Array(2 * n)
    this.stage = new Float64Array(2 * n)
    this.begun = new Float64Array(2 * n)
    for (const [i, k] of stateful.entries()) this.begun[2 * k] = act[i] ?? 0
    this.rate = new Float64Array(n)
    this.start = new Float64Array(n)
    this.sum = new Float64Array(n)
    this.share = new Float64Array(n)
  }

  /** Starts a run of steps. */
  begin(dt: number): void {
    const { share } = this
    this.dt = dt
    this.values.set(this.begun)
    this.actuators.forEach(({ dynamics, timeConstant }, k) => {
      share[k] = -dt / timeConstant
      if (dynamics === 'filterexact') expMinusOne(share, k)
      share[k] = dynamics === 'filterexact' ? -timeConstant * share[k] : dt
    })
  }

  /** Starts a step. */
  beginStep(): void {
    this.stage.set(this.values)
  }

  /** Advances actuator k over the whole step by its rate. */
  advance(k: number): void {
    const { activation: range } = this.actuators[k]
    this.values[2 * k] = Math.min(Math.max(this.stage[2 * k] + this.rate[k] * this.share[k], range[0]), range[1])
  }

  /** Goes on to a stage (1 to 3) of a Runge-Kutta step, by the rates of the one before; `endStage` follows once they are those of this one. */
  beginStage(number: number): void {
    const { actuators, stage, rate, start, sum, dt } = this
    for (let k = 0; k < actuators.length; k++) {
      if (actuators[k].dynamics === 'none') continue
      if (number === 1) {
        start[k] = stage[2 * k]
        sum[k] = rate[k]
      }
      stage[2 * k] = start[k] + (number === 3 ? dt : 0.5 * dt) * rate[k]
    }
  }

  endStage(number: number): void {
    const { actuators, values, rate, start, sum, dt } = this
    for (let k = 0; k < actuators.length; k++) {
      const { dynamics, activation: range } = actuators[k]
      if (dynamics === 'none') continue
      sum[k] += (number === 3 ? 1 : 2) * rate[k]
      if (number === 3) values[2 * k] = Math.min(Math.max(start[k] + (dt / 6) * sum[k], range[0]), range[1])
    }
  }
}
