import { spring, TAMSI_SOFT } from '../contactProblem.ts'
import { type Projection, slot } from './slot.ts'

/*
 * Laws p = F(u) of a spring with the damper of Hunt and Crossley and regularised friction. F of the first two is the negative gradient of a
 * convex potential l; of the third friction follows the normal impulse, and F is no gradient. Castro, Han and Masterjohn, Irrotational contact fields, arXiv 2312.03908 (2023), with
 *
 *   n(z) = (a - b z)+ (1 - d z)+,    |x|_s = sqrt(|x|² + e²) - e,    t(x) = its gradient = x / sqrt(|x|² + e²)
 *
 *   lagged    l = -N(u_n) + mu n_0 |u_t|_s         p_n = n(u_n)    p_t = -mu n_0 t(u_t)
 *   similar   l = -N(u_n - mu |u_t|_s)             p_n = n(z)      p_t = -mu n(z) t(u_t)        z = u_n - mu |u_t|_s
 *   tamsi                                          p_n = n(u_n)    p_t = -mu n(u_n) m(u_t)      m of `contactProblem.ts`
 *
 * N the antiderivative of n. As a projection, p = P(w) with w = p - u is F(u) at the unique minimum of l(u) + |u + w|²/2. With K the
 * Hessian of l there, D = (I + K)⁻¹ K, so that without compliance Newton's G = (I - D)⁻¹ D is K. F is single-valued and Lipschitz, and
 * needs no smoothing.
 */

/** Normal part. In: [0] w_n less the reduction by slip; out: [0] n(z), [1] -n'(z). */
const normal = new Float64Array(2)
/** Slip part. In: [0] bound on friction; out: [1] |u_t|, [2] sqrt(|u_t|² + e²), [3] and [4] curvature along and across the slip. */
const slip = new Float64Array(5)

/** D of normal and slip: nn, nr, rr, rn, with r along w_t. */
const block = new Float64Array(4)

/** Most steps of Newton's method on a scalar; never reached. */
const MOST_STEPS = 60
const ROUNDING = 4e-16

/** Solves z + w = n(z) for n: the smaller root of the parabola, since n falls. */
function solveNormal(b: Float64Array, o: number): void {
  const at = o + slot.spring
  const a = b[at + spring.impulse]
  const k = b[at + spring.stiffness]
  const d = b[at + spring.dissipation]
  const w = normal[0]
  // zero of n
  const end = d * a > k ? 1 / d : a / k
  if (!(w > -end)) {
    normal[0] = w <= -end ? 0 : Number.NaN
    normal[1] = 0
    return
  }
  const linear = 1 + k + a * d
  const rest = a - w
  const z = (2 * rest) / (linear + Math.sqrt(linear * linear - 4 * k * d * rest))
  const n = w + z
  normal[0] = n > 0 ? n : 0
  normal[1] = k * (1 - d * z) + d * (a - k * z)
}

/** Solves u_t + w_t = -c t(u_t), c = slip[0], for |u_t|: increasing and concave, so that Newton's method approaches from below. */
function solveSlip(b: Float64Array, o: number): void {
  const c = slip[0]
  const e = b[o + slot.spring + spring.slip]
  const length = Math.sqrt(b[o + 1] * b[o + 1] + b[o + 2] * b[o + 2])
  const slow = (length * e) / (e + c)
  let y = length - c > slow ? length - c : slow
  let s = Math.sqrt(y * y + e * e)
  for (let k = 0; k < MOST_STEPS; k++) {
    const next = y + (length - y - (c * y) / s) / (1 + (c * e * e) / (s * s * s))
    if (!(next > y)) break
    y = next
    s = Math.sqrt(y * y + e * e)
  }
  slip[1] = y
  slip[2] = s
  slip[3] = (c * e * e) / (s * s * s)
  slip[4] = c / s
}

/** `solveSlip` with -c m(u_t) of `tamsi`, increasing and concave as well. */
function solveTransition(b: Float64Array, o: number): void {
  const c = slip[0]
  const tolerance = b[o + slot.spring + spring.slip]
  const e = TAMSI_SOFT * tolerance
  const length = Math.sqrt(b[o + 1] * b[o + 1] + b[o + 2] * b[o + 2])
  const slow = length / (1 + (2 * c) / tolerance)
  let y = length - c > slow ? length - c : slow
  for (let k = 0; ; k++) {
    const root = Math.sqrt(y * y + e * e)
    const s = root / tolerance
    slip[4] = s < 1 ? (c * (2 - s)) / tolerance : c / root
    slip[3] = s < 1 ? slip[4] - (c * y * y) / (tolerance * tolerance * root) : (c * e * e) / (root * root * root)
    const next = y + (length - y - slip[4] * y) / (1 + slip[3])
    if (!(next > y) || k === MOST_STEPS) break
    y = next
  }
  slip[1] = y
}

/** Writes P_t, opposite to the slip, and D, from `slip` and `block`. */
function write(b: Float64Array, o: number): void {
  const nr = block[1]
  const rr = block[2]
  const rn = block[3]
  const x = b[o + 1]
  const y = b[o + 2]
  const length = Math.sqrt(x * x + y * y)
  const c = length > 0 ? x / length : 1
  const s = length > 0 ? y / length : 0
  const across = slip[4] / (1 + slip[4])
  b[o + 4] = across * x
  b[o + 5] = across * y
  b[o + 6] = block[0]
  b[o + 7] = nr * c
  b[o + 8] = nr * s
  b[o + 9] = rn * c
  b[o + 12] = rn * s
  b[o + 10] = rr * c * c + across * s * s
  b[o + 11] = (rr - across) * c * s
  b[o + 13] = b[o + 11]
  b[o + 14] = rr * s * s + across * c * c
}

/** p_n = n(u_n). */
export const compliantNormal: Projection = (b, o) => {
  normal[0] = b[o]
  solveNormal(b, o)
  b[o + 3] = normal[0]
  b[o + 6] = normal[1] / (1 + normal[1])
}

/** The parameter is mu. */
export const lagged: Projection = (b, o) => {
  compliantNormal(b, o)
  slip[0] = b[o + slot.parameter] * b[o + slot.spring + spring.before]
  solveSlip(b, o)
  block[0] = b[o + 6]
  block[1] = 0
  block[2] = slip[3] / (1 + slip[3])
  block[3] = 0
  write(b, o)
}

/** The parameter is mu. K = [[k, 0], [-mu k m, along]] along n and the slip, k = -n'. */
export const tamsi: Projection = (b, o) => {
  compliantNormal(b, o)
  const mu = b[o + slot.parameter]
  slip[0] = mu * b[o + 3]
  solveTransition(b, o)
  block[0] = b[o + 6]
  block[1] = 0
  block[2] = slip[3] / (1 + slip[3])
  block[3] = b[o + 3] > 0 ? (b[o + 6] * slip[4] * slip[1]) / (b[o + 3] * (1 + slip[3])) : 0
  write(b, o)
}

/**
 * The parameter is mu. n is the root of n = n(z(n)), with the slip under friction mu n and z + w_n - mu |u_t|_s = n; it lies between the
 * values without slip and with full slip.
 */
export const similar: Projection = (b, o) => {
  const mu = b[o + slot.parameter]
  const e = b[o + slot.spring + spring.slip]
  normal[0] = b[o]
  solveNormal(b, o)
  let low = normal[0]
  slip[0] = 0
  solveSlip(b, o)
  normal[0] = b[o] + mu * (slip[2] - e)
  solveNormal(b, o)
  let high = normal[0]
  let n = low
  for (let k = 0; k < MOST_STEPS; k++) {
    slip[0] = mu * n
    solveSlip(b, o)
    normal[0] = b[o] + mu * (slip[2] - e)
    solveNormal(b, o)
    const off = n - normal[0]
    if (Math.abs(off) <= ROUNDING * n) break
    if (off > 0) high = n
    else low = n
    const t = slip[1] / slip[2]
    const slope = 1 + ((normal[1] / (1 + normal[1])) * mu * mu * t * t) / (1 + slip[3])
    const next = n - off / slope
    const inside = next > low && next < high ? next : 0.5 * (low + high)
    if (inside === n || !(high > low)) break
    n = inside
  }
  b[o + 3] = n
  // K = [[k, k mu t], [k mu t, k mu² t² + along]] along n and w_t, and `across`
  const k = normal[1]
  const t = slip[1] / slip[2]
  const along = k * mu * mu * t * t + slip[3]
  const product = k * slip[3]
  const by = 1 / (1 + k + along + product)
  block[0] = (k + product) * by
  block[1] = k * mu * t * by
  block[2] = (along + product) * by
  block[3] = block[1]
  write(b, o)
}
