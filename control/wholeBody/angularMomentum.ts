import {
  type CentroidalWorkspace,
  centroidalMomentum,
  centroidalMomentumMatrix,
  centroidalMomentumMatrixDotTimesV,
  createCentroidalWorkspace,
} from '../../dynamics/index.ts'
import { given } from '../expected.ts'
import { type Task, type TaskRows, taskRows } from './task.ts'

export interface AngularMomentumOptions {
  /** Rate of its decay [1/s]. */
  readonly rate?: number
  /** Weight of an error of mass times 1 m²/s². */
  readonly weight?: number
}

interface AngularMomentumMemory extends TaskRows {
  readonly workspace: CentroidalWorkspace
  /** 6 x nv, and twice 6. */
  readonly matrix: Float64Array
  readonly momentum: Float64Array
  readonly bias: Float64Array
}

/** Decay of the angular momentum about the centre of mass, per mass of the robot (Orin, Goswami and Lee 2013). */
export function angularMomentum(options: AngularMomentumOptions = {}): Task<AngularMomentumMemory> {
  const { rate = 5, weight = 10 } = given('angular momentum', options)
  return {
    init({ model }) {
      const rows = taskRows(3, model.nv)
      rows.weight.fill(weight)
      const workspace = createCentroidalWorkspace(model)
      return {
        ...rows,
        workspace,
        matrix: new Float64Array(6 * model.nv),
        momentum: new Float64Array(6),
        bias: new Float64Array(6),
      }
    },
    write({ J, wanted, workspace, matrix, momentum, bias }, { model, state, data }) {
      centroidalMomentumMatrix(model, data, workspace, matrix)
      centroidalMomentumMatrixDotTimesV(model, state, data, workspace, bias)
      centroidalMomentum(model, data, workspace, momentum)
      const scale = 1 / workspace.mass[0]
      for (let k = 0; k < J.length; k++) J[k] = scale * matrix[k]
      for (let k = 0; k < 3; k++) wanted[k] = scale * (-rate * momentum[k] - bias[k])
    },
  }
}
