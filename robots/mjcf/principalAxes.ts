import { mulMatrix3 } from '../../dynamics/index.ts'
import { addBody, centralOf, emptyMoments, type MassMoments, type SymmetricInertia } from '../compile/massProperties.ts'
import { inversePose, type Pose, poseAt, rotationOf } from '../compile/pose.ts'

/** Entries over the largest moment below which a matrix counts as diagonal, and differences below which eigenvalues keep their order. */
const epsilon = 1e-12

/** Row, column and axis of each rotation in a coordinate plane. */
const planes = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 2, 0],
] as const

/**
 * Principal axes of an inertia (columns of R) in decreasing order of the moments, as MuJoCo chooses them (`mjuu_eig3`): Jacobi rotations of
 * the largest entry, so that signs and order are its own.
 */
export function principalAxes([xx, yy, zz, xy, xz, yz]: SymmetricInertia): Float64Array {
  const scale = Math.max(xx, yy, zz) || 1
  const I = Float64Array.of(xx, xy, xz, xy, yy, yz, xz, yz, zz).map((entry) => entry / scale)
  const R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const turn = (axis: number, half: number) => {
    const q = [0, 0, 0, Math.sqrt(1 - half * half)]
    q[axis] = half
    mulMatrix3(R, R, rotationOf(q))
  }
  const turned = () => {
    const D = Float64Array.from([0, 3, 6, 1, 4, 7, 2, 5, 8], (k) => R[k])
    mulMatrix3(D, D, I)
    mulMatrix3(D, D, R)
    return D
  }
  for (let n = 0; n < 500; n++) {
    const D = turned()
    const [xy, xz, yz] = [1, 2, 5].map((k) => Math.abs(D[k]))
    const [r, c, axis] = planes[xy > xz && xy > yz ? 0 : xz > yz ? 1 : 2]
    if (Math.abs(D[3 * r + c]) < epsilon) break
    const tau = (D[4 * c] - D[4 * r]) / (2 * D[3 * r + c])
    const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau))
    const cosine = 1 / Math.sqrt(1 + t * t)
    // the sine of half the angle, without cancellation
    const half = (Math.abs(t) * cosine) / Math.sqrt(2 + 2 * cosine)
    turn(axis, half * (tau >= 0 ? -1 : 1) * (axis === 1 ? -1 : 1))
  }
  const D = turned()
  const values = [D[0], D[4], D[8]]
  for (const j of [0, 1, 0]) {
    if (!(values[j] + epsilon < values[j + 1])) continue
    ;[values[j], values[j + 1]] = [values[j + 1], values[j]]
    turn((j + 2) % 3, Math.SQRT1_2)
  }
  return R
}

/** Frame of the principal moments at the centre of mass, found in given axes. */
export function principalFrame(moments: MassMoments, axes: Float64Array): Pose {
  const { centerOfMass, inertia } = centralOf(moments)
  const turned = emptyMoments()
  addBody(turned, moments.mass, inertia, inversePose(poseAt([0, 0, 0], axes)))
  const [xx, yy, zz, xy, xz, yz] = turned.inertia
  const R = new Float64Array(9)
  mulMatrix3(R, axes, principalAxes([xx, yy, zz, xy, xz, yz]))
  return poseAt(centerOfMass, R)
}
