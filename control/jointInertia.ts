import { crba, type Data, factorize, type Model, solve, solveLTransposed } from '../dynamics/index.ts'
import type { Robot } from '../robots/index.ts'

/**
 * Effective inertia of the robot at each motor with all other joints free: 1 / (M^-1)_ii, one entry a moving joint
 * [kg m^2, kg]. The diagonal of M is the inertia with all other joints locked, on a long chain many times as large;
 * gains derived from that are unstable. @unchecked
 *
 * Reads kinematics in data; writes data.M and data.L.
 */
export function jointInertia(robot: Robot, data: Data): Float64Array {
  const { model, joints } = robot
  crba(model, data)
  factorize(model, data.M, data.L)
  const column = new Float64Array(model.nv)
  return Float64Array.from(joints, ({ vIndex }) => {
    column.fill(0)
    column[vIndex] = 1
    solveLTransposed(model, data.L, column) // M = L' L, so e' M^-1 e = |L'^-1 e|^2
    return 1 / column.reduce((sum, x) => sum + x * x, 0)
  })
}

/**
 * Largest eigenvalue of D^1/2 (M^-1) D^1/2 over the moving joints, with D the diagonal of `inertia`: the factor by which the
 * fastest mode of all joints together responds faster than each alone. 1 if M is diagonal, at most the number of joints.
 * By power iteration, within a per cent or so and never below 1. @unchecked
 *
 * Reads data.L as `jointInertia` leaves it.
 */
export function jointCoupling(
  { model, joints }: { model: Model; joints: Robot['joints'] },
  data: Data,
  inertia: Float64Array,
): number {
  if (joints.length === 0) return 1
  const x = new Float64Array(joints.length)
  for (let j = 0; j < x.length; j++) x[j] = 1 + j / x.length // orthogonal to the eigenvector only by accident
  const full = new Float64Array(model.nv)
  let eigenvalue = 1
  for (let sweep = 0; sweep < 60; sweep++) {
    const norm = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0))
    full.fill(0)
    joints.forEach(({ vIndex }, j) => {
      x[j] /= norm
      full[vIndex] = Math.sqrt(inertia[j]) * x[j]
    })
    solve(model, data.L, full)
    eigenvalue = 0
    joints.forEach(({ vIndex }, j) => {
      const y = Math.sqrt(inertia[j]) * full[vIndex]
      eigenvalue += x[j] * y
      x[j] = y
    })
  }
  return Math.max(1, 1.05 * eigenvalue)
}
