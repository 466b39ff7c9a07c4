import { crba, createState, type Data, factorize, kinematics, type Model, solve } from '../../dynamics/index.ts'
import type { ActuatorDescription } from '../description.ts'
import type { RobotActuator, RobotJoint, RobotMimic } from '../robot.ts'

/**
 * The actuators of a file at the coordinates that they drive: of a joint that follows another, that one's. A positive bias of the speed
 * of a servo is its damping ratio, of the inertia 1 / (M^-1)_jj at its joint in the reference configuration q, where all others move freely. So it is
 * in MuJoCo from 3.15 on; it was M_jj, of all others held, before.
 *
 * @param data scratch of this model
 */
export function compileActuators(
  actuators: readonly ActuatorDescription[],
  model: Model,
  q: Float64Array,
  joints: readonly RobotJoint[],
  mimics: readonly RobotMimic[],
  data: Data,
): RobotActuator[] {
  const byName = new Map(joints.map((joint) => [joint.name, joint]))
  const mobility = mobilitiesOf(model, q, data)
  return actuators.flatMap((actuator): RobotActuator[] => {
    const mimic = mimics.find(({ name }) => name === actuator.joint)
    const joint = byName.get(mimic?.follows ?? actuator.joint)
    if (!joint) return []
    const { place: _, armature: __, damping: ___, ...own } = actuator
    const { multiplier = 1, offset = 0 } = mimic ?? {}
    const { gear, gain, bias } = actuator
    const isRatio = bias[2] > 0 && bias[1] < 0 && (bias[1] === -gain[0] || actuator.pid !== undefined)
    const damped = isRatio ? (-2 * bias[2] * Math.sqrt(-bias[1] / mobility(joint.vIndex))) / Math.abs(gear * multiplier) : bias[2]
    return [{ ...own, bias: [bias[0], bias[1], damped], qIndex: joint.qIndex, vIndex: joint.vIndex, multiplier, offset }]
  })
}

/** (M^-1)_kk of a velocity k in the configuration q; M is factored at the first call. */
function mobilitiesOf(model: Model, q: Float64Array, data: Data): (k: number) => number {
  let isFactored = false
  return (k) => {
    if (!isFactored) {
      kinematics(model, { ...createState(model), q }, data)
      crba(model, data)
      factorize(model, data.M, data.L)
    }
    isFactored = true
    const x = new Float64Array(model.nv)
    x[k] = 1
    solve(model, data.L, x)
    return x[k]
  }
}
