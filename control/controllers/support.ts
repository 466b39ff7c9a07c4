import { centerOfMass, type Data, directionRow } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import { restingContacts } from '../../simulation/index.ts'

/** Support of a robot at rest in its home pose: one upward force a point. */
export interface Support {
  readonly count: number
  /** Body of each point. */
  readonly body: Int32Array
  /** 3 a point: in its body's axes [m]. */
  readonly point: Float64Array
  /** One a point [N]. */
  readonly force: Float64Array
}

/**
 * Distributes the weight over the contact points of a floating robot at home: unilateral forces f_i >= 0 whose sum is the
 * weight, and whose moment about the centre of mass is as near to zero as these allow; of all such, those with the
 * least sum of squares. A fixed base, or a robot that touches nothing, has no support. @unchecked
 *
 * Least squares with the points whose force comes out negative left out one after the other, worst first.
 *
 * Reads kinematics of the home pose in data; writes data.V.
 */
export function supportAtHome(robot: Robot, data: Data): Support {
  const { model, floating } = robot
  const contacts = floating ? restingContacts(robot, data) : undefined
  const all = Array.from({ length: contacts?.count ?? 0 }, (_, i) => i)
  const points = contacts?.point ?? new Float64Array()
  const gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
  const weight = robot.massUsed * gravity
  const center = new Float64Array(3)
  centerOfMass(model, data, center)

  let used = all
  let force = shares(points, used, center, weight)
  while (used.length > 1 && Math.min(...force) < 0) {
    const worst = force.indexOf(Math.min(...force))
    used = used.filter((_, i) => i !== worst)
    force = shares(points, used, center, weight)
  }
  const body = Int32Array.from(used, (i) => (contacts as { bodyB: Int32Array }).bodyB[i])
  const point = new Float64Array(3 * used.length)
  used.forEach((i, k) => {
    const R = data.R_WB[body[k]]
    const p = data.p_WB[body[k]]
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) point[3 * k + c] += R[3 * r + c] * (points[3 * i + r] - p[r])
  })
  return { count: used.length, body, point, force: Float64Array.from(force) }
}

/** Least-norm f of sum f = weight, sum f (x - cx) = 0, sum f (y - cy) = 0 over the points in use. */
function shares(points: Float64Array, used: readonly number[], center: Float64Array, weight: number): number[] {
  const rows = used.map((i) => [1, points[3 * i] - center[0], points[3 * i + 1] - center[1]])
  const G = [0, 1, 2].map((r) => [0, 1, 2].map((c) => rows.reduce((sum, row) => sum + row[r] * row[c], 0)))
  // One or two points, or points in a line, cannot balance every moment; this regularisation gives the weight priority.
  G[1][1] += 1e-6 * used.length
  G[2][2] += 1e-6 * used.length
  const y = solve3(G, [weight, 0, 0])
  return rows.map((row) => row[0] * y[0] + row[1] * y[1] + row[2] * y[2])
}

/** Cramer's rule, 3 x 3. */
function solve3(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const det = (m: readonly (readonly number[])[]) =>
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
    m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
    m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
  const whole = det(A)
  return [0, 1, 2].map((k) => det(A.map((row, r) => row.map((x, c) => (c === k ? b[r] : x)))) / whole)
}

/** Whether each velocity lies between the base and a point that carries weight. @unchecked */
export function carryingVelocities(robot: Robot, support: Support): boolean[] {
  const { sLast, sParent, vOfS, nv } = robot.model
  const carries = new Array<boolean>(nv).fill(false)
  for (let k = 0; k < support.count; k++) {
    if (!(support.force[k] > 0)) continue
    for (let s = sLast[support.body[k]]; s >= 0; s = sParent[s]) carries[vOfS[s]] = true
  }
  return carries
}

/** Subtracts the support from the generalised forces, tau -= J' f, at the configuration of the kinematics in data. @unchecked */
export function subtractSupport(robot: Robot, data: Data, support: Support, scratch: SupportScratch, tau: Float64Array): void {
  const { model } = robot
  const { point, up, row } = scratch
  for (let k = 0; k < support.count; k++) {
    const i = support.body[k]
    const R = data.R_WB[i]
    const p = data.p_WB[i]
    const at = support.point
    for (let r = 0; r < 3; r++)
      point[r] = p[r] + R[3 * r] * at[3 * k] + R[3 * r + 1] * at[3 * k + 1] + R[3 * r + 2] * at[3 * k + 2]
    row.fill(0)
    directionRow(model, data, i, point, 0, up, 0, -1, row, 0)
    for (let j = 0; j < model.nv; j++) tau[j] += support.force[k] * row[j]
  }
}

export type SupportScratch = Readonly<ReturnType<typeof createSupportScratch>>

/** @unchecked */
export const createSupportScratch = (nv: number) => ({
  point: new Float64Array(3),
  up: Float64Array.of(0, 0, 1),
  row: new Float64Array(nv),
})
