import {
  mulQuaternion,
  normalizeQuaternion,
  quaternionOfRotationVector,
  rotationVectorOfQuaternion,
} from '../../dynamics/index.ts'
import type { RobotActuator } from '../../robots/index.ts'

const current = new Float64Array(4)
const target = new Float64Array(4)

/**
 * Moment of a servo of an orientation (MuJoCo's `orientation`): kp log(q* q^-1) - kd w, bounded in size, in the axes of the lengths: those of a ball's
 * child, or of the frame that a site turns in.
 *
 * @param lengths 3: rotation vector of the present orientation [rad]; out: the moment [N m]
 * @param speed   3: angular velocity along the lengths [rad/s]
 * @param ctrl    its inputs, a rotation vector [rad] or a quaternion w x y z, from `input` on
 */
export function orientationMoment(
  { stiffness, damping, most, isQuaternion, inSite }: NonNullable<RobotActuator['orientation']>,
  lengths: Float64Array,
  speed: Float64Array,
  ctrl: Float64Array,
  input: number,
): void {
  quaternionOfRotationVector(current, 0, lengths, 0)
  if (isQuaternion) {
    for (let d = 0; d < 3; d++) target[d] = ctrl[input + 1 + d]
    target[3] = ctrl[input]
    const isZero = target[0] === 0 && target[1] === 0 && target[2] === 0 && target[3] === 0
    if (isZero) target[3] = 1
    normalizeQuaternion(target, 0)
  } else quaternionOfRotationVector(target, 0, ctrl, input)
  for (let d = 0; d < 3; d++) current[d] = -current[d]
  if (inSite) mulQuaternion(target, 0, target, 0, current, 0)
  else mulQuaternion(target, 0, current, 0, target, 0)
  rotationVectorOfQuaternion(lengths, 0, target, 0)
  for (let d = 0; d < 3; d++) lengths[d] = stiffness * lengths[d] + damping * speed[d]
  const size = Math.sqrt(lengths[0] * lengths[0] + lengths[1] * lengths[1] + lengths[2] * lengths[2])
  if (size > most) for (let d = 0; d < 3; d++) lengths[d] *= most / size
}
