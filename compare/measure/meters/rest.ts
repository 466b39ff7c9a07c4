import type { ControllerLoop } from '../../../control/index.ts'
import type { World } from '../../../simulation/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import type { EnergyMeter } from './energy.ts'
import type { TrackingMeter } from './tracking.ts'

/** Kinetic energy at the end of a run, if its controllers asked every joint to rest. */
export class RestMeter {
  private readonly energy: EnergyMeter
  private readonly tracking: TrackingMeter
  private readonly start: number
  private readonly isControlled: boolean
  private sum = 0
  private count = 0

  /** @param energy, tracking measured before this @param start of the last fifth, in whole steps */
  constructor(
    energy: EnergyMeter,
    tracking: TrackingMeter,
    { robots }: World,
    loops: readonly (ControllerLoop | undefined)[],
    start: number,
  ) {
    this.energy = energy
    this.tracking = tracking
    this.start = start
    this.isControlled = !robots.some(({ robot }, i) => loops[i] === undefined && robot.joints.length > 0)
  }

  /** Its mean over the last fifth [J]; null where something was asked to move. */
  get value(): number | null {
    return this.isControlled && !this.tracking.moves && this.count > 0 ? this.sum / this.count : null
  }

  measure({ elapsed, part }: MeasuredStep): void {
    if (elapsed < this.start) return
    this.sum += part * this.energy.kinetic
    this.count += part
  }
}
