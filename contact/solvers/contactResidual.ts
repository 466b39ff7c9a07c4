import { addWork, cos, sin } from '../../dynamics/math/index.ts'
import { MOST_EXCUSE } from './complementarity.ts'
import { type ContactProblem, type FrictionLaw, GroupKind, isCompliant, spring, TAMSI_SOFT } from './contactProblem.ts'

/** By number of sides: cosine and sine of each corner of a pyramid, then of the middle of each edge. */
const pyramids: (Float64Array | undefined)[] = []
const scratch = new Float64Array(3)
const compliantImpulse = new Float64Array(3)
/** Fraction of the summed terms that counts towards the problem's size. */
const TERMS = 1e-5

/**
 * Residual of p as a solution: one number, independent of units and of the scale of `rhs`. u := W p + rhs; residual[0] := the largest
 * violation of any group, Infinity if anything is not finite. @unchecked
 *
 * A group's impulses and velocities are scaled to square roots of energies, by the group's scale s = w^-1/2, w the mean of its diagonal
 * entries of W: p̂ = p / s, û = s u. The violation is the length of the group's natural map, which is zero exactly at solutions (De Saxcé
 * and Feng, Math. Comput. Modelling 28, 1998; the criteria of Le Lidec et al., Contact models in robotics, 2023, are its parts):
 *
 *   unilateral   p̂ - max(0, p̂ - û)
 *   bilateral    û
 *   bounded      p̂ - clamp(p̂ - û, ± limit / s)
 *   disc         as unilateral in the normal, and p̂_t - Q(p̂_t - û_t), Q the projection on the disc of radius limit / s
 *   sliding      as unilateral in the normal, and p̂_t + mu max(0, p̂_n - û_n) e_1
 *   cone         p̂ - P(p̂ - û - mu |û_t| e_n), P the projection on the cone K = {|p_t| <= mu p_n}: the velocity lifted by
 *                mu |û_t| lies in the dual cone and is orthogonal to p, which is Coulomb's law
 *   associated   p̂ - P(p̂ - û)
 *   lagged, similar, tamsi   p̂ - F(û), F the law; this bounds the natural map, which is smaller in proportion to the contact's stiffness
 *   pyramid      p̂_n - max(0, p̂_n - û_n) in the normal, and p̂_t - Q(p̂_t - û_t), Q the projection on the regular polygon with
 *                corners at mu p̂_n, the first along tangent 1: p_t lies in the polygon and -u_t in its normal cone at p_t, that is,
 *                of all friction in the polygon p_t takes the most power, as in the complementarity problem
 *
 * and is divided by the largest |s rhs| of all rows; or the largest term |s W_ij p_j| times 1e-5, if that is more, for rounding grows with
 * the terms; but by no more than 100 times the largest |s rhs|: large opposite impulses cannot pass as a solution (`MOST_EXCUSE`). Infinity
 * too if `rhs` is zero and p is no exact solution; p = 0 is one then. A friction coefficient is to be finite.
 *
 * @param sides    of the pyramid, 3 or more; unused by other laws
 * @param p        rowCount
 * @param u        out: rowCount
 * @param residual out: 1, or 2 to have in [1] the divisor of the violation
 */
export function contactResidual(
  problem: ContactProblem,
  law: FrictionLaw,
  sides: number,
  p: Float64Array,
  u: Float64Array,
  residual: Float64Array,
): void {
  const { rowCount: rows, groupCount, W, rhs, first, kind, limit } = problem
  const pyramid = law === 'pyramid' ? pyramidOf(sides) : scratch
  const springs = isCompliant(law) ? problem.springs : undefined
  addWork(rows, rows + 20, 2)
  let worst = 0
  let size = 0
  let terms = 0
  let finite = true
  for (let g = 0; g < groupCount; g++) {
    const n = first[g]
    const end = first[g + 1]
    let largest = 0
    let largestRight = 0
    let trace = 0
    for (let r = n; r < end; r++) {
      const row = r * rows
      let sum = rhs[r]
      if (Math.abs(sum) > largestRight) largestRight = Math.abs(sum)
      for (let j = 0; j < rows; j++) {
        const term = W[row + j] * p[j]
        sum += term
        if (Math.abs(term) > largest) largest = Math.abs(term)
      }
      u[r] = sum
      trace += W[row + r]
      if (!(Math.abs(sum) < Number.POSITIVE_INFINITY) || !(Math.abs(p[r]) < Number.POSITIVE_INFINITY)) finite = false
    }
    const w = trace > 0 ? trace / (end - n) : meanDiagonal(rows, W)
    const s = 1 / Math.sqrt(w)
    if (largest * s > terms) terms = largest * s
    if (largestRight * s > size) size = largestRight * s
    const pn = p[n] / s
    const un = u[n] * s
    let off = 0
    if (springs !== undefined && springs[spring.size * g + spring.stiffness] > 0) {
      impulseOf(law, springs, spring.size * g, limit[g], u, n, end - n)
      for (let k = 0; k < end - n; k++) off += (p[n + k] - compliantImpulse[k]) * (p[n + k] - compliantImpulse[k])
      off = Math.sqrt(off) / s
    } else if (kind[g] === GroupKind.unilateral) off = Math.abs(pn < un ? pn : un)
    else if (kind[g] === GroupKind.bilateral) off = Math.abs(un)
    else if (kind[g] === GroupKind.bounded) {
      const bound = limit[g] / s
      const to = pn - un
      off = Math.abs(pn - (to > bound ? bound : to < -bound ? -bound : to))
    } else if (kind[g] === GroupKind.sliding) {
      const dn = pn < un ? pn : un
      const dx = p[n + 1] / s + (pn - un > 0 ? limit[g] * (pn - un) : 0)
      const dy = p[n + 2] / s
      off = Math.sqrt(dn * dn + dx * dx + dy * dy)
    } else if (kind[g] === GroupKind.disc) {
      const dn = pn < un ? pn : un
      const qx = p[n + 1] / s - u[n + 1] * s
      const qy = p[n + 2] / s - u[n + 2] * s
      const qt = Math.sqrt(qx * qx + qy * qy)
      const part = qt > limit[g] / s ? limit[g] / s / qt : 1
      const dx = p[n + 1] / s - part * qx
      const dy = p[n + 2] / s - part * qy
      off = Math.sqrt(dn * dn + dx * dx + dy * dy)
    } else {
      const mu = limit[g]
      const px = p[n + 1] / s
      const py = p[n + 2] / s
      const ux = u[n + 1] * s
      const uy = u[n + 2] * s
      if (law === 'pyramid') {
        const dn = pn < un ? pn : un
        scratch[0] = px - ux
        scratch[1] = py - uy
        scratch[2] = pn > 0 ? mu * pn : 0
        onPolygon(sides, pyramid, scratch)
        off = Math.sqrt(dn * dn + (px - scratch[0]) * (px - scratch[0]) + (py - scratch[1]) * (py - scratch[1]))
      } else {
        const lift = law === 'cone' ? mu * Math.sqrt(ux * ux + uy * uy) : 0
        const qn = pn - un - lift
        const qx = px - ux
        const qy = py - uy
        const qt = Math.sqrt(qx * qx + qy * qy)
        let dn = un + lift // p̂ - P(q), at first for q in the cone
        let dx = ux
        let dy = uy
        if (qt > mu * qn) {
          // on the cone's surface, or at its tip
          const to = qn + mu * qt > 0 ? (qn + mu * qt) / (1 + mu * mu) : 0
          const part = qt > 0 ? (mu * to) / qt : 0
          dn = pn - to
          dx = px - part * qx
          dy = py - part * qy
        }
        off = Math.sqrt(dn * dn + dx * dx + dy * dy)
      }
    }
    if (off > worst) worst = off
    else if (!(off <= worst)) finite = false
  }
  const most = MOST_EXCUSE * size
  if (TERMS * terms > size) size = TERMS * terms
  if (size > most) size = most
  if (residual.length > 1) residual[1] = size
  residual[0] = !finite ? Number.POSITIVE_INFINITY : worst > 0 ? worst / size : 0
}

/** `compliantImpulse` := impulse of a contact of a compliant law at velocity u. */
function impulseOf(law: FrictionLaw, b: Float64Array, o: number, mu: number, u: Float64Array, n: number, width: number): void {
  const slip = b[o + spring.slip]
  const e = law === 'tamsi' ? TAMSI_SOFT * slip : slip
  const root = width === 3 ? Math.sqrt(u[n + 1] * u[n + 1] + u[n + 2] * u[n + 2] + e * e) : e
  const z = law === 'similar' ? u[n] - mu * (root - e) : u[n]
  const elastic = b[o + spring.impulse] - b[o + spring.stiffness] * z
  const damper = 1 - b[o + spring.dissipation] * z
  const normal = elastic > 0 && damper > 0 ? elastic * damper : 0
  const part = law === 'tamsi' && root < slip ? (root / slip) * (2 - root / slip) : 1
  const friction = mu * part * (law === 'lagged' ? b[o + spring.before] : normal)
  compliantImpulse[0] = normal
  for (let k = 1; k < width; k++) compliantImpulse[k] = (-friction * u[n + k]) / root
}

/** Mean diagonal entry of W, the scale of groups whose own entries are zero. */
function meanDiagonal(rows: number, W: Float64Array): number {
  let sum = 0
  for (let r = 0; r < rows; r++) sum += W[r * rows + r]
  return sum > 0 ? sum / rows : 1
}

/** x := the nearest point to x of the regular polygon with corners at radius x[2]. @param x 3; an array, since a call would box a number */
export function onPolygon(sides: number, pyramid: Float64Array, x: Float64Array): void {
  const radius = x[2]
  // x is beyond the edge whose normal is nearest to its direction
  let edge = 0
  let most = Number.NEGATIVE_INFINITY
  for (let k = 0; k < sides; k++) {
    const along = pyramid[2 * (sides + k)] * x[0] + pyramid[2 * (sides + k) + 1] * x[1]
    if (along <= most) continue
    most = along
    edge = k
  }
  const c = pyramid[2 * (sides + edge)]
  const s = pyramid[2 * (sides + edge) + 1]
  // distance of the edge from the middle, and half its length
  const reach = radius * (c * pyramid[2 * edge] + s * pyramid[2 * edge + 1])
  if (most <= reach) return
  const half = radius * Math.abs(c * pyramid[2 * edge + 1] - s * pyramid[2 * edge])
  let along = c * x[1] - s * x[0]
  along = along > half ? half : along < -half ? -half : along
  x[0] = reach * c - along * s
  x[1] = reach * s + along * c
}

/** Cosine and sine of each of `sides` corners, the first along x; then of the normal of the edge after each. */
export function pyramidOf(sides: number): Float64Array {
  const known = pyramids[sides]
  if (known !== undefined) return known
  if (!(sides >= 3)) throw new RangeError(`a friction pyramid of ${sides} sides; it needs at least 3`)
  const pyramid = new Float64Array(4 * sides)
  for (let k = 0; k < sides; k++) {
    pyramid[2 * k] = cos((2 * Math.PI * k) / sides)
    pyramid[2 * k + 1] = sin((2 * Math.PI * k) / sides)
    pyramid[2 * (sides + k)] = cos((2 * Math.PI * (k + 0.5)) / sides)
    pyramid[2 * (sides + k) + 1] = sin((2 * Math.PI * (k + 0.5)) / sides)
  }
  if (sides === 4) for (let k = 0; k < 8; k++) pyramid[k] = Math.round(pyramid[k]) // without rounding's share
  pyramids[sides] = pyramid
  return pyramid
}
