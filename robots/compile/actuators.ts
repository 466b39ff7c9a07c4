import { crba, createData, createState, kinematics, type Model } from '../../dynamics/index.ts'
import type { ActuatorDescription } from '../description.ts'
import type { RobotActuator, RobotJoint, RobotMimic } from '../robot.ts'

/**
 * The actuators of a file at the coordinates that they drive: of a joint that follows another, that one's. A positive bias of the speed
 * of a servo is its damping ratio, of the inertia at its joint in the reference configuration q.
 */
export function compileActuators(
  actuators: readonly ActuatorDescription[],
  model: Model,
  q: Float64Array,
  joints: readonly RobotJoint[],
  mimics: readonly RobotMimic[],
): RobotActuator[] {
  const byName = new Map(joints.map((joint) => [joint.name, joint]))
  const data = createData(model)
  const state = createState(model)
  state.q.set(q)
  kinematics(model, state, data)
  crba(model, data)
  return actuators.flatMap((actuator): RobotActuator[] => {
    const mimic = mimics.find(({ name }) => name === actuator.joint)
    const joint = byName.get(mimic?.follows ?? actuator.joint)
    if (!joint) return []
    const { place: _, armature: __, damping: ___, ...own } = actuator
    const { multiplier = 1, offset = 0 } = mimic ?? {}
    const { gear, gain, bias } = actuator
    const inertia = data.M[joint.vIndex * model.nv + joint.vIndex] / (gear * multiplier) ** 2
    const isRatio = bias[2] > 0 && bias[1] < 0 && (bias[1] === -gain[0] || actuator.pid !== undefined)
    const damped = isRatio ? -2 * bias[2] * Math.sqrt(-bias[1] * inertia) : bias[2]
    const { qIndex, vIndex } = joint
    return [{ ...own, bias: [bias[0], bias[1], damped], qIndex, vIndex, multiplier, offset }]
  })
}
