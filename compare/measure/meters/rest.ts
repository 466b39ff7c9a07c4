import type { ControllerLoop } from '../../../control/index.ts'
import type { World } from '../../../simulation/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import type { EnergyMeter } from './energy.ts'

/** The part of the run before its end is judged. */
const REST_PART = 0.8

/** Kinetic energy at the end of a run, if its controllers asked every joint to rest. */
export class RestMeter {
  private readonly energy: EnergyMeter
  private readonly loops: readonly ControllerLoop[]
  private readonly steps: number
  private asked: boolean
  private targets: Float64Array | undefined
  private sum = 0
  private count = 0

  /** @param energy measured before this @param steps how many whole steps the run will have */
  constructor(energy: EnergyMeter, { robots }: World, loops: readonly (ControllerLoop | undefined)[], steps: number) {
    this.energy = energy
    this.steps = steps
    this.loops = loops.filter((loop) => loop !== undefined)
    this.asked = !robots.some(({ robot }, i) => loops[i] === undefined && robot.joints.length > 0)
  }

  /** Its mean over the last fifth [J]; null where something was asked to move. */
  get value(): number | null {
    return this.asked && this.count > 0 ? this.sum / this.count : null
  }

  measure({ elapsed, part }: MeasuredStep): void {
    if (!this.asked || elapsed < REST_PART * this.steps) return
    this.targets ??= Float64Array.from(this.loops.flatMap(({ target }) => [...target.joints, ...target.base]))
    let entry = 0
    for (const { target } of this.loops) {
      const { joints, base } = target
      // a joint without a target is asked nothing, and so not to rest; a base may have none
      for (let i = 0; i < joints.length; i++, entry++) if (!(joints[i] === this.targets[entry])) this.asked = false
      for (let i = 0; i < base.length; i++, entry++) if (!Object.is(base[i], this.targets[entry])) this.asked = false
    }
    this.sum += part * this.energy.kinetic
    this.count += part
  }
}
