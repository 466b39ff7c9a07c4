import { JointType, type Model, mulQuaternion, quaternionOfRotation, quaternionStart, sincos } from '../../dynamics/index.ts'

const step = new Float64Array(4)
const half = new Float64Array(1)
const sinCos = new Float64Array(2)

/**
 * Orientation of a body in the world as the product of those on its path, x, y, z, w. Its sign is MuJoCo's, which follows coordinates: it
 * does not jump as that of a rotation matrix does.
 *
 * @param fixed 4 a body: orientation of its joint in the parent, of `fixedQuaternions`
 * @param out   out: 4
 */
export function chainQuaternion(model: Model, q: Float64Array, fixed: Float64Array, body: number, out: Float64Array): void {
  const { parent, jointType, jointAxis, qStart, follows, multiplier, offset } = model
  out[0] = out[1] = out[2] = 0
  out[3] = 1
  for (let i = body; i > 0; i = parent[i]) {
    const own = quaternionStart(model, i)
    if (own >= 0) mulQuaternion(out, 0, q, own, out, 0)
    else if (jointType[i] === JointType.revolute) {
      const at = follows[i] < 0 ? i : follows[i]
      half[0] = (multiplier[i] * q[qStart[at]] + offset[i]) / 2
      sincos(sinCos, half, 0)
      for (let k = 0; k < 3; k++) step[k] = sinCos[0] * jointAxis[3 * i + k]
      step[3] = sinCos[1]
      mulQuaternion(out, 0, step, 0, out, 0)
    }
    mulQuaternion(out, 0, fixed, 4 * i, out, 0)
  }
}

/** 4 a body: orientation of its joint in the parent. */
export function fixedQuaternions({ nb, XT }: Model): Float64Array {
  const fixed = new Float64Array(4 * nb)
  for (let i = 0; i < nb; i++) {
    const E = XT[i]
    quaternionOfRotation(fixed, 4 * i, Float64Array.of(E[0], E[3], E[6], E[1], E[4], E[7], E[2], E[5], E[8]))
  }
  return fixed
}
