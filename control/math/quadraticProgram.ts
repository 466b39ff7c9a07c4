/**
 * A strictly convex quadratic program,
 *
 *   min ½ xᵀ H x + gᵀ x   with   lower <= C x <= upper,
 *
 * with its solution and scratch. An equality has two equal bounds; a side without a bound has an infinite one. Plain arrays
 * throughout, so that a controller may keep it in its memory.
 */
export type QuadraticProgram = Readonly<ReturnType<typeof createQuadraticProgram>>

/**
 * `solved`; `infeasible`: no x satisfies all rows; `indefinite`: H is not positive definite; `limit`: the method cycled by rounding.
 * x and u are valid only if solved.
 */
export type QuadraticStatus = 'solved' | 'infeasible' | 'indefinite' | 'limit'

/** Feasibility tolerance of a row, relative to the length of its normal and the size of x and of its bound. */
const VIOLATION = 1e-10
/** A normal counts as dependent on the active ones if no more than this share of its square is orthogonal to them. */
const DEPENDENT = 1e-20
/** A multiplier of no more than this share of the largest counts as zero where a warm start drops rows of wrong sign. */
const PULL = 1e-12

/** @throws RangeError unless n is a positive whole number and m a whole number that is not negative */
export function createQuadraticProgram(n: number, m: number) {
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`n is ${n}; a quadratic program has one variable or more`)
  if (!Number.isInteger(m) || m < 0) throw new RangeError(`m is ${m}; it is a number of rows`)
  return {
    /** Variables, and rows of C. */
    n,
    m,
    /** n x n, row-major, positive definite; the lower triangle alone is read. */
    H: new Float64Array(n * n),
    g: new Float64Array(n),
    /** m x n, row-major. */
    C: new Float64Array(m * n),
    lower: new Float64Array(m).fill(-Infinity),
    upper: new Float64Array(m).fill(Infinity),
    /** Out: n, the minimiser. */
    x: new Float64Array(n),
    /** Out: m, with H x + g = Cᵀ u: not negative at a lower bound, not positive at an upper one, zero between them. */
    u: new Float64Array(m),
    /** Out: rows added to the active set and dropped from it; and a row that contradicts others, or -1. */
    counts: { added: 0, dropped: 0, infeasible: -1 },
    /** Scratch, but for `active` and `side`, which the next solve starts from. */
    work: {
      /** Length 1: how many rows are active. */
      count: new Int32Array(1),
      /** The active rows, and at which bound each is: 1 the lower, -1 the upper. */
      active: new Int32Array(n),
      side: new Int8Array(n),
      /** m: whether a row is active. */
      isActive: new Uint8Array(m),
      /** n x n, L of H = L Lᵀ; row i begins at column `first[i]`, as H's does. */
      L: new Float64Array(n * n),
      first: new Int32Array(n),
      /** n x n, rows of Jᵀ: Jᵀ H J = I, and Jᵀ N = [R; 0] for the normals N of the active rows. */
      J: new Float64Array(n * n),
      /** n x n, upper triangular: column k belongs to active row k. */
      R: new Float64Array(n * n),
      /** n: multiplier of each active row for its normal, that is, not negative but for equalities. */
      w: new Float64Array(n + 1),
      /** n: the minimiser without constraints. */
      free: new Float64Array(n),
      normal: new Float64Array(n),
      d: new Float64Array(n),
      z: new Float64Array(n),
      r: new Float64Array(n),
      /** m: length of each row of C. */
      length: new Float64Array(m),
      /** Length 3, of which two are used: violation and side found by `mostViolated`. */
      found: new Float64Array(3),
    },
  }
}

/** The next solve starts without active rows. @unchecked */
export function forgetActiveRows({ work }: QuadraticProgram): void {
  work.count[0] = 0
}

/**
 * The dual active-set method (Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex quadratic programs",
 * Mathematical Programming 27, 1983, section 3): from the unconstrained minimum one violated row after another is made active, and
 * those whose multiplier would change sign are dropped, so that each iterate is the optimum of some of the rows. @unchecked
 *
 * Warm-started from the last active set, less rows with multipliers of wrong sign, which is such an optimum too: if the active set
 * stays, one factorisation is enough. The solution is then that of the final active set, computed anew.
 *
 * Reads H, g, C, lower, upper; writes x, u, counts. Allocates nothing.
 */
export function solveQuadraticProgram(program: QuadraticProgram): QuadraticStatus {
  const { m, n, u, counts, work } = program
  counts.added = 0
  counts.dropped = 0
  counts.infeasible = -1
  if (!factorize(program)) return 'indefinite'
  measureRows(program)
  warmStart(program)
  const most = 20 * (m + n)
  for (let k = 0; ; k++) {
    if (k > most) return 'limit'
    const row = mostViolated(program)
    if (row < 0) break
    if (!activate(program, row)) {
      counts.infeasible = row
      return 'infeasible'
    }
  }
  optimumOfActive(program)
  u.fill(0)
  for (let k = 0; k < work.count[0]; k++) u[work.active[k]] = work.side[k] * work.w[k]
  return 'solved'
}

/** H = L Lᵀ, J = L⁻ᵀ, and the minimiser without constraints, -J Jᵀ g. Whether H is positive definite. */
function factorize({ n, H, g, work: { L, first, J, free, d } }: QuadraticProgram): boolean {
  for (let i = 0; i < n; i++) {
    let begin = 0
    while (begin < i && H[i * n + begin] === 0) begin++
    first[i] = begin
    for (let j = begin; j <= i; j++) {
      let sum = H[i * n + j]
      for (let k = Math.max(begin, first[j]); k < j; k++) sum -= L[i * n + k] * L[j * n + k]
      if (j < i) L[i * n + j] = sum / L[j * n + j]
      else if (sum > 1e-14 * Math.abs(H[i * n + i])) L[i * n + i] = Math.sqrt(sum)
      else return false
    }
  }
  // row i of L⁻¹ = (e_i - sum over k < i of L_ik times row k) / L_ii
  J.fill(0)
  for (let i = 0; i < n; i++) {
    const scale = 1 / L[i * n + i]
    for (let k = first[i]; k < i; k++) {
      const factor = -L[i * n + k] * scale
      if (factor !== 0) for (let j = 0; j <= k; j++) J[i * n + j] += factor * J[k * n + j]
    }
    J[i * n + i] = scale
  }
  free.fill(0)
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let j = 0; j <= i; j++) sum -= J[i * n + j] * g[j]
    d[i] = sum
  }
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) free[j] += d[i] * J[i * n + j]
  return true
}

function measureRows({ n, m, C, work: { length, isActive } }: QuadraticProgram): void {
  for (let row = 0; row < m; row++) {
    let square = 0
    for (let j = row * n; j < (row + 1) * n; j++) square += C[j] * C[j]
    length[row] = Math.sqrt(square)
  }
  isActive.fill(0)
}

/** Adds the rows of the last active set whose bound still exists, and drops the one with the most negative multiplier until none is. */
function warmStart(program: QuadraticProgram): void {
  const { lower, upper, work } = program
  const { count, active, side, w } = work
  const before = count[0]
  count[0] = 0
  for (let k = 0; k < before; k++) {
    const row = active[k]
    const at = side[k]
    if (!Number.isFinite(at > 0 ? lower[row] : upper[row])) continue
    project(program, row, at)
    if (!isDependent(program)) append(program, row, at)
  }
  for (;;) {
    optimumOfActive(program)
    let largest = 0
    let worst = -1
    for (let k = 0; k < count[0]; k++) largest = Math.max(largest, Math.abs(w[k]))
    for (let k = 0; k < count[0]; k++) {
      if (lower[active[k]] === upper[active[k]] || w[k] >= -PULL * largest) continue
      if (worst < 0 || w[k] < w[worst]) worst = k
    }
    if (worst < 0) return
    drop(program, worst)
  }
}

/**
 * x and multipliers of the minimum with the active rows as equalities: with y = R⁻ᵀ (b - Nᵀ x_free), x = x_free + J₁ y and w = R⁻¹ y
 * (Goldfarb and Idnani, (3.5) to (3.8)).
 */
function optimumOfActive({ n, C, lower, upper, x, work }: QuadraticProgram): void {
  const { count, active, side, J, R, w, free, d } = work
  const q = count[0]
  x.set(free)
  for (let k = 0; k < q; k++) {
    const row = active[k]
    const at = side[k]
    let sum = at > 0 ? lower[row] : -upper[row]
    for (let j = 0; j < n; j++) sum -= at * C[row * n + j] * free[j]
    for (let i = 0; i < k; i++) sum -= R[i * n + k] * d[i]
    d[k] = sum / R[k * n + k]
    for (let j = 0; j < n; j++) x[j] += d[k] * J[k * n + j]
  }
  for (let k = q - 1; k >= 0; k--) {
    let sum = d[k]
    for (let i = k + 1; i < q; i++) sum -= R[k * n + i] * w[i]
    w[k] = sum / R[k * n + k]
  }
}

/** The most violated row, or -1; `found[0]` becomes its violation, and `found[1]` the side. */
function mostViolated({ n, m, C, lower, upper, x, work: { isActive, length, found } }: QuadraticProgram): number {
  let worst = -1
  let most = 0
  let size = 1
  for (let j = 0; j < n; j++) size = Math.max(size, Math.abs(x[j]))
  for (let row = 0; row < m; row++) {
    if (isActive[row] === 1) continue
    let value = 0
    for (let j = 0; j < n; j++) value += C[row * n + j] * x[j]
    const isLow = lower[row] - value > value - upper[row]
    const bound = isLow ? lower[row] : upper[row]
    const miss = isLow ? bound - value : value - bound
    const scale = Math.max(length[row], 1e-300)
    if (!(miss > VIOLATION * (scale * size + Math.abs(bound)) && miss > most * scale)) continue
    worst = row
    most = miss / scale
    found[0] = miss
    found[1] = isLow ? 1 : -1
  }
  return worst
}

/**
 * Makes a violated row active: steps in x and the multipliers until it is satisfied, dropping rows whose multiplier reaches 0 before
 * (Goldfarb and Idnani, section 3, step 2). Whether there is such a step.
 */
function activate(program: QuadraticProgram, row: number): boolean {
  const { n, C, lower, upper, x, counts, work } = program
  const { count, active, d, z, r, w, found } = work
  const at = found[1]
  let miss = found[0]
  let multiplier = 0
  for (;;) {
    project(program, row, at)
    const q = count[0]
    // the step in x: z = J₂ J₂ᵀ n; that in the multipliers: r = R⁻¹ J₁ᵀ n
    const isStuck = isDependent(program)
    let rate = 0
    z.fill(0)
    for (let k = q; k < n; k++) {
      rate += d[k] * d[k]
      for (let j = 0; j < n; j++) z[j] += d[k] * work.J[k * n + j]
    }
    for (let k = q - 1; k >= 0; k--) {
      let sum = d[k]
      for (let i = k + 1; i < q; i++) sum -= work.R[k * n + i] * r[i]
      r[k] = sum / work.R[k * n + k]
    }
    let first = -1
    let step = isStuck ? Infinity : miss / rate
    for (let k = 0; k < q; k++) {
      if (lower[active[k]] === upper[active[k]] || !(r[k] > 0) || !(w[k] < step * r[k])) continue
      step = Math.max(0, w[k]) / r[k]
      first = k
    }
    if (step === Infinity) return false
    for (let k = 0; k < q; k++) w[k] -= step * r[k]
    multiplier += step
    if (!isStuck) for (let j = 0; j < n; j++) x[j] += step * z[j]
    if (first < 0) {
      w[q] = multiplier
      append(program, row, at)
      counts.added++
      return true
    }
    drop(program, first)
    miss = at > 0 ? lower[row] : -upper[row]
    for (let j = 0; j < n; j++) miss -= at * C[row * n + j] * x[j]
  }
}

/** d = Jᵀ n for the normal of a row, turned inwards. */
function project({ n, C, work: { J, normal, d } }: QuadraticProgram, row: number, at: number): void {
  for (let j = 0; j < n; j++) normal[j] = at * C[row * n + j]
  for (let k = 0; k < n; k++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum += J[k * n + j] * normal[j]
    d[k] = sum
  }
}

/** Whether the projected row is a linear combination of the active ones. */
function isDependent({ n, work: { count, d } }: QuadraticProgram): boolean {
  let whole = 0
  let rest = 0
  for (let k = 0; k < n; k++) {
    whole += d[k] * d[k]
    if (k >= count[0]) rest += d[k] * d[k]
  }
  return !(rest > DEPENDENT * whole)
}

/** Appends the projected row to the active ones: a Householder reflection of J's remaining columns reduces the rest of d to one entry. */
function append({ n, work }: QuadraticProgram, row: number, at: number): void {
  const { count, active, side, isActive, J, R, d, z } = work
  const q = count[0]
  let square = 0
  for (let k = q; k < n; k++) square += d[k] * d[k]
  const size = d[q] > 0 ? -Math.sqrt(square) : Math.sqrt(square)
  // I - 2 h hᵀ / hᵀh with h = d - size e_q, whose square is 2 size (size - d_q)
  const scale = 1 / (size * (size - d[q]))
  d[q] -= size
  z.fill(0)
  for (let k = q; k < n; k++) if (d[k] !== 0) for (let j = 0; j < n; j++) z[j] += d[k] * J[k * n + j]
  for (let k = q; k < n; k++) {
    const factor = scale * d[k]
    if (factor !== 0) for (let j = 0; j < n; j++) J[k * n + j] -= factor * z[j]
  }
  for (let k = 0; k < q; k++) R[k * n + q] = d[k]
  R[q * n + q] = size
  active[q] = row
  side[q] = at
  isActive[row] = 1
  count[0] = q + 1
}

/** Drops active row number l: R loses its column, and rotations of J make it triangular again. */
function drop({ n, counts, work }: QuadraticProgram, l: number): void {
  const { count, active, side, isActive, J, R, w } = work
  const q = count[0] - 1
  isActive[active[l]] = 0
  for (let k = l; k < q; k++) {
    active[k] = active[k + 1]
    side[k] = side[k + 1]
    w[k] = w[k + 1]
    for (let i = 0; i <= k + 1; i++) R[i * n + k] = R[i * n + k + 1]
  }
  for (let k = l; k < q; k++) {
    const a = R[k * n + k]
    const b = R[(k + 1) * n + k]
    const size = Math.sqrt(a * a + b * b)
    const c = a / size
    const s = b / size
    for (let j = k; j < q; j++) {
      const upper = R[k * n + j]
      const below = R[(k + 1) * n + j]
      R[k * n + j] = c * upper + s * below
      R[(k + 1) * n + j] = c * below - s * upper
    }
    for (let j = 0; j < n; j++) {
      const upper = J[k * n + j]
      const below = J[(k + 1) * n + j]
      J[k * n + j] = c * upper + s * below
      J[(k + 1) * n + j] = c * below - s * upper
    }
  }
  count[0] = q
  counts.dropped++
}
