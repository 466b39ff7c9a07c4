import { type LoopClosure, LoopRows } from '../../contact/index.ts'
import { createData, dot, integrateConfiguration, JointType, kinematics, type Model, type State } from '../../dynamics/index.ts'

/** Most Gauss-Newton steps, and largest change of a joint in one [rad, m]. */
const MOST_STEPS = 100
const LARGEST_STEP = 0.3

/** The errors left [m, rad]. */
const CLOSED = 1e-10

/**
 * A configuration near the given one in which loops are closed, by motion of revolute and prismatic joints within their limits; undefined
 * if none was found. Gauss-Newton steps of least length, J⁺ e, by conjugate gradients on J Jᵀ, whose rows may be dependent. Allocates.
 */
export function nearestClosed(model: Model, loops: readonly LoopClosure[], { q, v, t }: State): Float64Array | undefined {
  const { nv, nb, nq, jointType, bodyOfV, qStart, vStart, lower, upper } = model
  const rows = new LoopRows(model, loops)
  const data = createData(model)
  const state = { q: q.slice(), v, t }
  const moves = Array.from(bodyOfV, (body) => jointType[body] === JointType.revolute || jointType[body] === JointType.prismatic)
  for (let step = 0; step < MOST_STEPS; step++) {
    kinematics(model, state, data)
    rows.build(data)
    const worst = Math.max(...rows.error.map(Math.abs))
    if (worst < CLOSED) {
      for (let i = 1; i < nb; i++) {
        const k = vStart[i]
        if (k < vStart[i + 1] && moves[k] && !(state.q[qStart[i]] >= lower[k] && state.q[qStart[i]] <= upper[k])) return undefined
      }
      return state.q
    }
    const J = Array.from({ length: rows.count }, (_, r) => {
      const row = new Float64Array(nv)
      rows.writeRow(data, r, row, 0)
      return row.map((x, k) => (moves[k] ? x : 0))
    })
    const change = leastChange(J, rows.error)
    const largest = Math.max(...change.map(Math.abs))
    const scale = largest > LARGEST_STEP ? LARGEST_STEP / largest : 1
    const next = new Float64Array(nq)
    integrateConfiguration(model, state.q, change, -scale, next)
    state.q.set(next)
  }
  return undefined
}

/** The shortest least-squares solution x of J x = e. */
function leastChange(J: readonly Float64Array[], e: Float64Array): Float64Array {
  // conjugate gradients on the normal equations: x stays in the span of the rows
  const x = new Float64Array(J[0].length)
  const residual = e.slice()
  let gradient = transposed(J, residual)
  let direction = gradient.slice()
  let size = dot(gradient, gradient)
  const enough = 1e-24 * size
  for (let n = 0; n < 2 * J.length && size > enough; n++) {
    const image = J.map((row) => dot(row, direction))
    const way = size / dot(image, image)
    for (let k = 0; k < x.length; k++) x[k] += way * direction[k]
    for (let r = 0; r < residual.length; r++) residual[r] -= way * image[r]
    gradient = transposed(J, residual)
    const before = size
    size = dot(gradient, gradient)
    direction = gradient.map((g, k) => g + (size / before) * direction[k])
  }
  return x
}

function transposed(J: readonly Float64Array[], y: Float64Array): Float64Array {
  const out = new Float64Array(J[0].length)
  J.forEach((row, r) => {
    for (let k = 0; k < out.length; k++) out[k] += row[k] * y[r]
  })
  return out
}
