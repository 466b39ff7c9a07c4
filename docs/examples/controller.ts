import type { Controller } from 'featherbed/control'
import { gravityForces } from 'featherbed/dynamics'

/** All that lasts from tick to tick: plain data, changed in place. */
interface Memory {
  stiffness: number
  worst: number
  gravity: Float64Array
  efforts: Float64Array
}

const controller: Controller<Memory> = {
  /** Ticks a second. */
  rate: 500,

  /** Once, before the first step. `options` are those of the scenario. */
  init({ robot, model, options }) {
    return {
      stiffness: Number(options.stiffness ?? 20),
      worst: 0,
      gravity: new Float64Array(model.nv),
      efforts: new Float64Array(robot.joints.length),
    }
  },

  /** Each tick: one effort a moving joint, in the order of `robot.joints` [N m, N]. */
  update({ q, v, robot, model, state, data, memory, target }) {
    gravityForces(model, state, data, memory.gravity)
    robot.joints.forEach(({ qIndex, vIndex }, j) => {
      const error = robot.home[qIndex] - q[qIndex]
      memory.worst = Math.max(memory.worst, Math.abs(error))
      memory.efforts[j] = memory.gravity[vIndex] + memory.stiffness * (error - 0.1 * v[vIndex])
      target.joints[j] = robot.home[qIndex]
    })
    return memory.efforts
  },

  /** Once, at the end: numbers that stand beside the other metrics. */
  metrics: ({ memory }) => ({ worstError_rad: memory.worst }),
}

export default controller
