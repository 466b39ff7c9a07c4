/** Relative size of the proximal term that makes a block regular. */
const PROXIMAL = 1e-9
/** Steps of a search for a root; Newton's take 3 to 6, and this many halvings leave nothing of a bracket. */
const STEPS = 80

/**
 * What the searches share: 0, 1 eigenvalues of the tangents' matrix; 2, 3 first eigenvector (the second is it turned by 90°);
 * 4, 5 the tangents' velocity without friction, in these; 6, 7 tangential impulse in these; 8 lambda; 9, 10 coupling of the
 * tangents with the normal, in these; 11 radius of the disc. Numbers go by it and not by calls, which might box them.
 */
const work = new Float64Array(12)

/**
 * One contact with friction, solved exactly: 3 x 3 positive semidefinite A and velocity b without its own impulse p, u = A p + b.
 *
 * 'cone', Coulomb's law. Apart if b_n >= 0; sticking if p = -A⁻¹ b lies in the cone; else sliding, u_n = 0 and
 * u_t = -lambda p_t with lambda >= 0 such that |p_t| = mu p_n. With p_n eliminated,
 *   p_t(lambda) = -(S + lambda)⁻¹ r,   S = A_tt - A_tn A_nt / A_nn,   r = b_t - A_tn b_n / A_nn,   p_n = -(b_n + A_nt p_t) / A_nn
 * and |p_t| - mu p_n is above 0 at lambda = 0 and below as lambda grows: a root of the quartic of Bonnefon and Daviet (2011),
 * found by Newton's method in a bracket.
 *
 * 'associated', the least of p'A p / 2 + b'p in the cone. Zero if b is in the dual cone; else the least for a given p_n is a
 * trust-region problem in p_t, p_t = -(A_tt + lambda)⁻¹ (A_tn p_n + b_t), and the slope of that least in p_n is
 * u_n - mu lambda mu p_n, which grows with p_n: a root again.
 *
 * @param block 16: A row-major, b, then p: in, a guess; out, the answer; then mu, finite, 0 or more
 */
export function solveBlock(law: 'cone' | 'associated', block: Float64Array): void {
  const trace = block[0] + block[4] + block[8]
  if (!(trace > 0)) return
  // (A + e) p + (b - e p_old): the same fixed points
  const e = PROXIMAL * trace
  for (let i = 0; i < 3; i++) {
    block[4 * i] += e
    block[9 + i] -= e * block[12 + i]
  }
  const bt = Math.sqrt(block[10] * block[10] + block[11] * block[11])
  if (law === 'cone' ? block[9] >= 0 : block[9] >= block[15] * bt) {
    block.fill(0, 12, 15)
    return
  }
  if (law === 'cone') coulomb(block)
  else nearest(block)
}

function coulomb(block: Float64Array): void {
  const mu = block[15]
  const inverse = 1 / block[0]
  const a1 = block[1] * inverse
  const a2 = block[2] * inverse
  work[0] = block[4] - a1 * block[1]
  work[1] = block[5] - a1 * block[2]
  work[2] = block[8] - a2 * block[2]
  eigen()
  const cosine = work[2]
  const sine = work[3]
  const r1 = block[10] - a1 * block[9]
  const r2 = block[11] - a2 * block[9]
  const c0 = cosine * r1 + sine * r2
  const c1 = cosine * r2 - sine * r1
  // coupling with the normal, in the eigenvectors, over A_nn
  const k0 = cosine * a1 + sine * a2
  const k1 = cosine * a2 - sine * a1
  const pn0 = -block[9] * inverse
  let lambda = 0
  let low = 0
  let high = Number.POSITIVE_INFINITY
  let p0 = 0
  let p1 = 0
  let pn = 0
  for (let step = 0; step < STEPS; step++) {
    const d0 = 1 / (work[0] + lambda)
    const d1 = 1 / (work[1] + lambda)
    p0 = -c0 * d0
    p1 = -c1 * d1
    pn = pn0 - k0 * p0 - k1 * p1
    const length = Math.sqrt(p0 * p0 + p1 * p1)
    if (step === 0 && length <= mu * pn) break // sticks
    const off = length - mu * pn
    if (Math.abs(off) <= 4e-16 * length) break
    if (off > 0) low = lambda
    else high = lambda
    // d p_t / d lambda = -(S + lambda)⁻¹ p_t. Where p_n > 0, of mu p_n / |p_t| - 1, which is nearly straight in lambda
    const q0 = -d0 * p0
    const q1 = -d1 * p1
    const slope = (p0 * q0 + p1 * q1) / length
    const slopeN = -k0 * q0 - k1 * q1
    let next = lambda - (mu * pn - length) / (mu * (slopeN - (pn * slope) / length))
    if (!(next > low && next < high)) next = high < Number.POSITIVE_INFINITY ? (low + high) / 2 : 4 * lambda + work[1] + work[0]
    if (next === lambda) break
    lambda = next
  }
  block[12] = pn > 0 ? pn : 0
  block[13] = cosine * p0 - sine * p1
  block[14] = sine * p0 + cosine * p1
  intoCone(block)
}

function nearest(block: Float64Array): void {
  const mu = block[15]
  work[0] = block[4]
  work[1] = block[5]
  work[2] = block[8]
  eigen()
  const cosine = work[2]
  const sine = work[3]
  const b0 = cosine * block[10] + sine * block[11]
  const b1 = cosine * block[11] - sine * block[10]
  work[9] = cosine * block[1] + sine * block[2]
  work[10] = cosine * block[2] - sine * block[1]
  work[8] = 0
  let low = 0
  let high = Number.POSITIVE_INFINITY
  let pn = block[12] > 0 ? block[12] : Math.abs(block[9]) / block[0]
  for (let step = 0; step < STEPS; step++) {
    work[4] = work[9] * pn + b0
    work[5] = work[10] * pn + b1
    const radius = mu * pn
    work[11] = radius
    inDisc()
    const lambda = work[8]
    const terms = work[9] * work[6] + work[10] * work[7]
    const un = block[0] * pn + terms + block[9]
    const slope = un - mu * lambda * radius
    const size = Math.abs(block[9]) + block[0] * pn + Math.abs(terms) + mu * lambda * radius
    if (Math.abs(slope) <= 2e-16 * size) break
    if (slope < 0) low = pn
    else high = pn
    const e0 = 1 / (work[0] + lambda)
    const e1 = 1 / (work[1] + lambda)
    let rate = block[0]
    if (lambda > 0) {
      // from (A_tt + lambda) p_t = -(A_tn p_n + b_t) and |p_t| = mu p_n, both differentiated
      const pAp = work[6] * e0 * work[6] + work[7] * e1 * work[7]
      const lambdaRate = -(mu * radius + work[6] * e0 * work[9] + work[7] * e1 * work[10]) / pAp
      rate -= work[9] * e0 * (work[9] + lambdaRate * work[6]) + work[10] * e1 * (work[10] + lambdaRate * work[7])
      rate -= mu * (lambdaRate * radius + lambda * mu)
    } else rate -= work[9] * e0 * work[9] + work[10] * e1 * work[10]
    let next = pn - slope / rate
    if (!(next > low && next < high)) next = high < Number.POSITIVE_INFINITY ? (low + high) / 2 : 4 * pn
    if (next === pn) break
    pn = next
  }
  block[12] = pn
  block[13] = cosine * work[6] - sine * work[7]
  block[14] = sine * work[6] + cosine * work[7]
  intoCone(block)
}

/** work[6], work[7], work[8] := the impulse of at most work[11] that leaves least energy, and its lambda; starts from work[8]. */
function inDisc(): void {
  const radius = work[11]
  const c0 = work[4]
  const c1 = work[5]
  let lambda = work[8]
  let low = 0
  let high = Number.POSITIVE_INFINITY
  work[6] = -c0 / work[0]
  work[7] = -c1 / work[1]
  if (Math.sqrt(work[6] * work[6] + work[7] * work[7]) <= radius) {
    work[8] = 0
    return
  }
  for (let step = 0; step < STEPS; step++) {
    const d0 = 1 / (work[0] + lambda)
    const d1 = 1 / (work[1] + lambda)
    work[6] = -c0 * d0
    work[7] = -c1 * d1
    const square = work[6] * work[6] + work[7] * work[7]
    const length = Math.sqrt(square)
    if (Math.abs(length - radius) <= 4e-16 * length) break
    if (length > radius) low = lambda
    else high = lambda
    // Newton's step for 1 / |p_t| - 1 / radius, which is nearly straight (Moré and Sorensen, 1983)
    let next = lambda + ((length - radius) / radius) * (square / (work[6] * d0 * work[6] + work[7] * d1 * work[7]))
    if (!(next > low && next < high)) next = high < Number.POSITIVE_INFINITY ? (low + high) / 2 : 4 * lambda + work[1] + work[0]
    if (next === lambda) break
    lambda = next
  }
  work[8] = lambda
}

/** Friction is brought to within the cone, from which rounding alone separates it. */
function intoCone(block: Float64Array): void {
  const length = Math.sqrt(block[13] * block[13] + block[14] * block[14])
  const most = block[15] * block[12]
  if (!(length > most)) return
  block[13] *= most / length
  block[14] *= most / length
}

/** work[0] to [3] := eigenvalues, rising, and first eigenvector of [a b; b c], which stand in work[0] to [2]. */
function eigen(): void {
  const a = work[0]
  const b = work[1]
  const c = work[2]
  const half = (a - c) / 2
  const root = Math.sqrt(half * half + b * b)
  const mean = (a + c) / 2
  const large = mean + root
  // the smaller from the determinant, which keeps its digits
  const small = large > 0 ? (a * c - b * b) / large : 0
  work[0] = small > 0 ? small : 1e-16 * large
  work[1] = large
  // the larger one's vector is (half + root, b), or square to it
  const x = half >= 0 ? half + root : b
  const y = half >= 0 ? b : root - half
  const length = Math.sqrt(x * x + y * y)
  work[2] = length > 0 ? -y / length : 1
  work[3] = length > 0 ? x / length : 0
}
