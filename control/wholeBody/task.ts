import type { ControllerSetup, ControllerState } from '../controller.ts'

/** What a task asks of the accelerations, row by row: J a should be `wanted`, as strongly as `weight` says. Kept in the controller's memory. */
export interface TaskRows {
  /** rows x nv, row-major. */
  readonly J: Float64Array
  /** The acceleration that is wanted, less Jdot v. */
  readonly wanted: Float64Array
  /** Price of a squared error; 0 leaves the row out. */
  readonly weight: Float64Array
}

/** One thing that a whole body is to do. It has no memory of its own but what `init` returns, which checkpoints clone. */
export interface Task<Memory extends TaskRows = TaskRows> {
  init(setup: ControllerSetup): Memory
  /** Fills the rows for the present state; `kinematics`, `velocities` and `crba` have been run. */
  write(memory: Memory, seen: ControllerState<unknown>): void
}

export const taskRows = (rows: number, nv: number): TaskRows => ({
  J: new Float64Array(rows * nv),
  wanted: new Float64Array(rows),
  weight: new Float64Array(rows),
})

/** How an error dies out: as that of a damped oscillator of this natural frequency [rad/s] and damping ratio. */
export interface Response {
  readonly omega?: number
  readonly damping?: number
}
