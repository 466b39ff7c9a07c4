import {
  type CentroidalWorkspace,
  centerOfMass,
  centerOfMassJacobian,
  centerOfMassJacobianDotTimesV,
  centerOfMassVelocity,
  createCentroidalWorkspace,
} from '../../dynamics/index.ts'
import { given } from '../expected.ts'
import { type Response, type Task, type TaskRows, taskRows } from './task.ts'

export interface CenterOfMassOptions extends Response {
  readonly weight?: number
  /** Wanted offset from its position at the first tick, in world axes [m], at time t. Default: none. */
  readonly shift?: (t: number) => readonly number[]
}

interface CenterOfMassMemory extends TaskRows {
  readonly workspace: CentroidalWorkspace
  /** 3: at the first tick, NaN before it; now; its velocity; Jdot v. */
  readonly held: Float64Array
  readonly place: Float64Array
  readonly speed: Float64Array
  readonly bias: Float64Array
}

/** Half the time over which a shift is differentiated [s]: error and rounding are near 1e-8 each. */
const DIFFERENCE = 1e-4

/** The centre of mass keeps its position in the world, or is shifted as a function of time. */
export function centerOfMassTask(options: CenterOfMassOptions = {}): Task<CenterOfMassMemory> {
  const { omega = 5, damping = 1, weight = 100, shift } = given('centre of mass', options)
  return {
    init({ model }) {
      const rows = taskRows(3, model.nv)
      rows.weight.fill(weight)
      const room = () => new Float64Array(3)
      const workspace = createCentroidalWorkspace(model)
      return { ...rows, workspace, held: room().fill(NaN), place: room(), speed: room(), bias: room() }
    },
    write({ J, wanted, workspace, held, place, speed, bias }, { model, state, data, t }) {
      centerOfMass(model, data, place)
      if (Number.isNaN(held[0])) held.set(place)
      centerOfMassVelocity(model, data, workspace, speed)
      centerOfMassJacobian(model, data, workspace, J)
      centerOfMassJacobianDotTimesV(model, state, data, workspace, bias)
      for (let k = 0; k < 3; k++) wanted[k] = omega * (omega * (held[k] - place[k]) - 2 * damping * speed[k]) - bias[k]
      if (shift === undefined) return
      const [before, now, after] = [shift(t - DIFFERENCE), shift(t), shift(t + DIFFERENCE)]
      for (let k = 0; k < 3; k++) {
        wanted[k] += omega * (omega * now[k] + (damping * (after[k] - before[k])) / DIFFERENCE)
        wanted[k] += (after[k] - 2 * now[k] + before[k]) / (DIFFERENCE * DIFFERENCE)
      }
    },
  }
}
