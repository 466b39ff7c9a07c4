/**
 * A controller script: a robot stands in the pose that it starts in, on those of its collision points that carry it. Inverse dynamics: every joint
 * is to accelerate towards its place as a damped spring would, the base as it has to for the points to stay where they are, and the points
 * push as little as that takes. Stays upright at 100 ticks a second, where joint springs of their own would be too soft.
 *   npx featherbed compare docs/examples/edges-ledge.yaml --out results
 * Options: omega [rad/s], the springs' natural frequency; reach [m], how far to the side of the base the points are that carry it.
 */
import { biasForces, crba, directionRow } from 'featherbed/dynamics'

const axes = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
/** Points this near to the height of the lowest carry, too [m]. */
const LEVEL = 1e-3

export default {
  rate: 1000,

  init({ robot, model, options }) {
    return {
      omega: options.omega ?? 8,
      reach: options.reach ?? Number.POSITIVE_INFINITY,
      wanted: new Float64Array(0),
      shapes: [],
      c: new Float64Array(model.nv),
      efforts: new Float64Array(robot.joints.length),
    }
  },

  update({ q, v, robot, model, state, data, memory, target }) {
    const { nv } = model
    if (memory.wanted.length === 0) remember(memory, q, robot, data)
    const { omega, wanted, shapes, c, efforts } = memory
    crba(model, data)
    biasForces(model, state, data, c)

    // how the joints are to accelerate
    const a = new Float64Array(nv)
    robot.joints.forEach(({ qIndex, vIndex }, j) => {
      a[vIndex] = omega * (omega * (wanted[j] - q[qIndex]) - 2 * v[vIndex])
      target.joints[j] = wanted[j]
    })

    // J: three rows a point; the base's six columns of it, which make N = Jb' Jb
    const J = shapes.flatMap((s) => {
      const shape = robot.shapes[s]
      const point = placeOf(shape, data)
      return [0, 3, 6].map((axis) => {
        const row = new Float64Array(nv)
        directionRow(model, data, shape.body, point, 0, axes, axis, 1, row, 0)
        return row
      })
    })
    const N = Array.from({ length: 6 }, (_, k) =>
      Array.from({ length: 6 }, (_, l) => J.reduce((sum, row) => sum + row[k] * row[l], 0)),
    )
    const transposed = (f) => Array.from({ length: 6 }, (_, k) => J.reduce((sum, row, r) => sum + row[k] * f[r], 0))

    // the base accelerates so that the points, as nearly as they can, do not
    const moved = J.map((row) => dot(row, a))
    a.set(solve(N, transposed(moved)).map((x) => -x))

    // the points push so that the base needs no effort; the least such forces are f = Jb N^-1 tau_b
    const tau = c.map((bias, k) => bias + dot(data.M.subarray(k * nv, (k + 1) * nv), a))
    const y = solve(N, tau.slice(0, 6))
    const f = J.map((row) => y.reduce((sum, value, k) => sum + value * row[k], 0))
    robot.joints.forEach(({ vIndex }, j) => {
      efforts[j] = tau[vIndex] - J.reduce((sum, row, r) => sum + row[vIndex] * f[r], 0)
    })
    return efforts
  },
}

/** The pose, and which points are the lowest. */
function remember(memory, q, robot, data) {
  memory.wanted = Float64Array.from(robot.joints, ({ qIndex }) => q[qIndex])
  const places = robot.shapes.map((shape) => placeOf(shape, data))
  const lowest = Math.min(...places.map(([, , z]) => z))
  memory.shapes = [...places.keys()].filter((s) => places[s][2] < lowest + LEVEL && Math.abs(places[s][1] - q[1]) < memory.reach)
}

/** The middle of a shape in the world [m]. */
function placeOf({ body, p }, { R_WB, p_WB }) {
  const R = R_WB[body]
  return Float64Array.from([0, 3, 6], (i, k) => p_WB[body][k] + R[i] * p[0] + R[i + 1] * p[1] + R[i + 2] * p[2])
}

const dot = (x, y) => x.reduce((sum, value, k) => sum + value * y[k], 0)

/** Gaussian elimination of a small symmetric positive definite system. */
function solve(A, b) {
  const rows = A.map((row, k) => [...row, b[k]])
  const n = rows.length
  for (let k = 0; k < n; k++) {
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k]
      for (let l = k; l <= n; l++) rows[i][l] -= factor * rows[k][l]
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let l = k + 1; l < n; l++) rows[k][n] -= rows[k][l] * rows[l][n]
    rows[k][n] /= rows[k][k]
  }
  return rows.map((row) => row[n])
}
