import { addGravityCompensation, clampCompensation, type Model } from '../../dynamics/index.ts'
import type { ControllerTurns } from '../controllerTurns.ts'
import type { World } from '../world.ts'
import type { RobotInWorld } from '../worldParts.ts'

/** Efforts of motors and gravity compensation at the later stages of a step. */
export class StageEfforts {
  private readonly world: World
  private readonly turns: ControllerTurns
  /** nv: at the start of the step, and at a stage. */
  private readonly start: Float64Array
  private readonly now: Float64Array

  constructor(world: World, turns: ControllerTurns) {
    this.world = world
    this.turns = turns
    this.start = new Float64Array(world.model.nv)
    this.now = new Float64Array(world.model.nv)
  }

  /** Whether any depends on the state within a step. */
  static areIn(model: Model, robots: readonly RobotInWorld[]): boolean {
    return model.compensation !== undefined || robots.some(({ controller }) => controller?.stage !== undefined)
  }

  /** @param efforts nv: those of the start of the step */
  begin(efforts: Float64Array): void {
    this.start.set(efforts)
  }

  /** Adds to `applied`, which is that of the start of the step, their change since then; reads `data` of the stage. */
  readonly actuate = (stage: number): void => {
    const { world, turns, start, now } = this
    turns.actuate(stage)
    now.set(world.tau)
    addGravityCompensation(world.model, world.data, now, 1)
    clampCompensation(world.model, now)
    for (let k = 0; k < now.length; k++) world.applied[k] += now[k] - start[k]
  }
}
