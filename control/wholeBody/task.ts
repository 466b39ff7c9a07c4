import type { ControllerSetup, ControllerState } from '../controller.ts'

/** Rows of a task on the accelerations: J a should be `wanted`, with weights `weight`. Kept in the controller's memory. */
export type TaskRows = Readonly<ReturnType<typeof taskRows>>

/** A task of whole-body control. Its only memory is the result of `init`, which checkpoints clone. */
export interface Task<Memory extends TaskRows = TaskRows> {
  init(setup: ControllerSetup): Memory
  /** Fills the rows for the present state; `kinematics`, `velocities` and `crba` have been run. */
  write(memory: Memory, seen: ControllerState<unknown>): void
}

/** @unchecked */
export const taskRows = (rows: number, nv: number) => ({
  /** rows x nv, row-major. */
  J: new Float64Array(rows * nv),
  /** The wanted acceleration, less Jdot v. */
  wanted: new Float64Array(rows),
  /** Weight of a squared error; 0 leaves the row out. */
  weight: new Float64Array(rows),
})

/** Decay of an error, as of a damped oscillator of this natural frequency [rad/s] and damping ratio. */
export interface Response {
  readonly omega?: number
  readonly damping?: number
}
