import { UNKNOWN_MODE } from './contactProblem.ts'

/** Passes in which contacts change their mode before a search is given up. */
const PASS_LIMIT = 100
/** In so many first passes all contradicted contacts change at once; then one at a time, so that they do not swing together. */
const TOGETHER = 3
/** Relative size below which a speed or an impulse of the wrong sign is rounding. */
const ROUNDING = 1e-12
/** Largest relative residual of the equations that an answer may have. */
const TOLERANCE = 1e-9

/** Friction so near to the border of its pyramid, relative to its size, is taken to be on it. */
const ON_EDGE = 1e-9

const OUT = -2
const STICK = -1

/**
 * A short cut through a frictional contact problem with pyramids: guess the mode of every contact (apart, sticking, sliding
 * with friction at a corner of its pyramid or somewhere on an edge), solve the linear system that belongs to it, look which
 * modes the answer contradicts, change these, and repeat a few times. When nothing is contradicted, the answer is one of
 * the complementarity problem (it satisfies every one of its inequalities, which is what is looked at), and pivoting can be
 * spared. When the passes run out, this solver has no answer, which says nothing about the problem.
 *
 * The caller may know the modes to start from: contacts mostly go on as they did, and one pass then says so. Where it does
 * not, contacts that close are taken to stick; so where there are several answers and sticking is one of them, it is found.
 *
 * Knows numbers only. Contacts are groups of one row (normal) or three (normal and two tangents).
 */
export class ModeGuess {
  /** 1: largest residual of the equations of the last answer, relative to the terms summed. */
  readonly residual = new Float64Array(1)
  /** Passes of the last call. */
  iterations = 0

  /** Per group: OUT, STICK, below `sides` the corner that friction pushes to, above it the edge after that corner. */
  private mode: Int8Array = new Int8Array(0)
  /** Per group: 1 if it has been found to want more friction than it can have, sticking. */
  private tried = new Uint8Array(0)

  /** Per group, 2: `mode` and `tried` as they were after an earlier pass. */
  private earlier = new Int8Array(0)

  // The system H x = -E right, H = E (W + soft) U: unknowns and equations are combinations of a group's rows.
  private unknowns = 0
  /** Per unknown and its equation: the group's first row and its number of rows, and 3 weights each. */
  private start = new Int32Array(0)
  private width = new Uint8Array(0)
  private U = new Float64Array(0)
  private E = new Float64Array(0)
  /** Per unknown: the row of which U, and E, is a unit vector; -1 for a combination. */
  private rowOfU = new Int32Array(0)
  private rowOfE = new Int32Array(0)
  /** rows: E W of one equation. */
  private EW = new Float64Array(0)
  private H = new Float64Array(0)
  private x = new Float64Array(0)

  /** Per row: softness; (W + soft) p + right; and the sum of the sizes of its terms. */
  private soft: Float64Array = new Float64Array(0)
  private w = new Float64Array(0)
  private size = new Float64Array(0)

  private readonly sides: number
  private readonly sideCosine: Float64Array
  private readonly sideSine: Float64Array
  /** Per edge, from side k to the next: its outward normal, and the way along it. */
  private readonly edgeCosine: Float64Array
  private readonly edgeSine: Float64Array
  private readonly alongX: Float64Array
  private readonly alongY: Float64Array
  /** 1: cosine of half the angle between two sides. */
  private readonly reach = new Float64Array(1)

  /** @param sideCosine, sideSine directions of the pyramid's sides in the two tangents, evenly spread */
  constructor(sideCosine: Float64Array, sideSine: Float64Array) {
    const sides = sideCosine.length
    this.sides = sides
    this.sideCosine = sideCosine
    this.sideSine = sideSine
    this.edgeCosine = new Float64Array(sides)
    this.edgeSine = new Float64Array(sides)
    this.alongX = new Float64Array(sides)
    this.alongY = new Float64Array(sides)
    for (let k = 0; k < sides; k++) {
      const next = (k + 1) % sides
      const x = sideCosine[k] + sideCosine[next]
      const y = sideSine[k] + sideSine[next]
      const length = Math.hypot(x, y)
      this.edgeCosine[k] = x / length
      this.edgeSine[k] = y / length
      this.alongX[k] = sideCosine[next] - sideCosine[k]
      this.alongY[k] = sideSine[next] - sideSine[k]
      this.reach[0] = length / 2
    }
  }

  /**
   * @param groups     number of contacts; contact i has the rows first[i] .. first[i + 1] - 1
   * @param W          rows x rows, symmetric, positive semidefinite
   * @param right      per row: W p + right is the velocity of a tangent row, and in a normal row what must be at least 0
   * @param mu         per contact
   * @param soft       per row: what is added to the diagonal of W
   * @param p          out: the impulse of every row; meaningless unless solved
   * @param mode       in and out, per contact: where to start, UNKNOWN_MODE where nothing is known; then the modes of p. They are
   *                   whole numbers that mean something to this class alone
   * @returns whether p answers the problem
   */
  solve(
    groups: number,
    first: Int32Array,
    W: Float64Array,
    right: Float64Array,
    mu: Float64Array,
    soft: Float64Array,
    p: Float64Array,
    mode: Int8Array,
  ): boolean {
    const rows = first[groups]
    this.reserve(groups, rows)
    this.mode = mode
    this.soft = soft
    this.iterations = 0
    if (this.search(groups, first, W, right, mu, p, false)) return true
    // What goes in circles when contacts are looked at in their order mostly does not in the opposite one.
    mode.fill(UNKNOWN_MODE, 0, groups)
    return this.search(groups, first, W, right, mu, p, true)
  }

  /** Passes from the present modes on, in each of which contacts are looked at in their order or backwards. */
  private search(
    groups: number,
    first: Int32Array,
    W: Float64Array,
    right: Float64Array,
    mu: Float64Array,
    p: Float64Array,
    backwards: boolean,
  ): boolean {
    const { mode, tried, earlier } = this
    const rows = first[groups]
    for (let i = 0; i < groups; i++) {
      tried[i] = 0
      earlier[2 * i] = UNKNOWN_MODE
      if (mode[i] === UNKNOWN_MODE) mode[i] = right[first[i]] < 0 ? STICK : OUT
    }
    for (let pass = 1; pass <= PASS_LIMIT; pass++) {
      this.iterations++
      this.combine(groups, first, mu)
      if (!this.impulses(rows, W, right, p)) return false
      this.velocities(rows, W, right, p)
      if (this.holds(groups, first, mu, p, backwards, pass > TOGETHER)) return this.residual[0] <= TOLERANCE
      if (pass > TOGETHER && this.circles(groups, pass)) return false
    }
    return false
  }

  /** Whether the present modes are those of an earlier pass, so that the search goes in circles. */
  private circles(groups: number, pass: number): boolean {
    const { mode, tried, earlier } = this
    let same = true
    for (let i = 0; i < groups; i++) {
      if (earlier[2 * i] !== mode[i] || earlier[2 * i + 1] !== tried[i]) same = false
    }
    if (same) return true
    // looked back to at twice the distance each time, which finds circles of any length (R. P. Brent, 1980)
    if ((pass & (pass - 1)) !== 0) return false
    for (let i = 0; i < groups; i++) {
      earlier[2 * i] = mode[i]
      earlier[2 * i + 1] = tried[i]
    }
    return false
  }

  private reserve(groups: number, rows: number): void {
    if (groups > this.tried.length) {
      this.tried = new Uint8Array(2 * groups)
      this.earlier = new Int8Array(4 * groups)
    }
    if (rows <= this.x.length) return
    const capacity = 2 * rows
    this.start = new Int32Array(capacity)
    this.width = new Uint8Array(capacity)
    this.U = new Float64Array(3 * capacity)
    this.E = new Float64Array(3 * capacity)
    this.rowOfU = new Int32Array(capacity)
    this.rowOfE = new Int32Array(capacity)
    this.EW = new Float64Array(capacity)
    this.H = new Float64Array(capacity * capacity)
    this.x = new Float64Array(capacity)
    this.w = new Float64Array(capacity)
    this.size = new Float64Array(capacity)
  }

  /** mode := what an answer p shows that was found in another way. */
  adopt(groups: number, first: Int32Array, mu: Float64Array, p: Float64Array, mode: Int8Array): void {
    const { sides, edgeCosine, edgeSine, sideCosine, sideSine, alongX, alongY, reach } = this
    for (let i = 0; i < groups; i++) {
      const n = first[i]
      mode[i] = p[n] > 0 ? STICK : OUT
      const strength = mu[i] * p[n]
      if (first[i + 1] - n < 3 || !(strength > 0)) continue
      for (let k = 0; k < sides; k++) {
        if (edgeCosine[k] * p[n + 1] + edgeSine[k] * p[n + 2] < strength * reach[0] * (1 - ON_EDGE)) continue
        // 0 at corner k, 1 at the next
        const x = p[n + 1] / strength - sideCosine[k]
        const y = p[n + 2] / strength - sideSine[k]
        const part = (alongX[k] * x + alongY[k] * y) / (alongX[k] * alongX[k] + alongY[k] * alongY[k])
        mode[i] = part < ON_EDGE ? k : part > 1 - ON_EDGE ? (k + 1) % sides : sides + k
        break
      }
    }
  }

  /** Unknowns and equations of the present modes. */
  private combine(groups: number, first: Int32Array, mu: Float64Array): void {
    const { mode, start, width, U, E, rowOfU, rowOfE, sides, sideCosine, sideSine, alongX, alongY } = this
    let m = 0
    for (let i = 0; i < groups; i++) {
      if (mode[i] === OUT) continue
      const n = first[i]
      const dim = first[i + 1] - n
      const count = mode[i] === STICK ? dim : mode[i] < sides ? 1 : 2
      U.fill(0, 3 * m, 3 * (m + count))
      E.fill(0, 3 * m, 3 * (m + count))
      for (let c = 0; c < count; c++) {
        start[m + c] = n
        width[m + c] = dim
        U[3 * (m + c) + c] = 1
        E[3 * (m + c) + c] = 1
        rowOfU[m + c] = n + c
        rowOfE[m + c] = n + c
      }
      if (mode[i] >= 0) {
        // friction at the corner comes with the normal impulse
        const k = mode[i] % sides
        U[3 * m + 1] = mu[i] * sideCosine[k]
        U[3 * m + 2] = mu[i] * sideSine[k]
        rowOfU[m] = -1
        if (count === 2) {
          // and moves along the edge as far as keeps the slip square to it
          U[3 * m + 4] = alongX[k]
          U[3 * m + 5] = alongY[k]
          E[3 * m + 4] = alongX[k]
          E[3 * m + 5] = alongY[k]
          rowOfU[m + 1] = -1
          rowOfE[m + 1] = -1
        }
      }
      m += count
    }
    this.unknowns = m
  }

  /** p of the present modes; false if their system is singular. */
  private impulses(rows: number, W: Float64Array, right: Float64Array, p: Float64Array): boolean {
    const { unknowns: m, start, width, U, E, rowOfU, rowOfE, EW, H, x, soft } = this
    for (let a = 0; a < m; a++) {
      const n = start[a]
      // where row a of E W stands: a row of W as it is, or a combination of three
      const plain = rowOfE[a]
      const source = plain >= 0 ? W : EW
      const at = plain >= 0 ? plain * rows : 0
      if (plain < 0) {
        for (let s = 0; s < rows; s++) {
          EW[s] = E[3 * a] * W[n * rows + s] + E[3 * a + 1] * W[(n + 1) * rows + s] + E[3 * a + 2] * W[(n + 2) * rows + s]
        }
      }
      for (let b = 0; b < m; b++) {
        const row = rowOfU[b]
        if (row >= 0) H[a * m + b] = source[at + row]
        else {
          const k = at + start[b]
          H[a * m + b] = U[3 * b] * source[k] + U[3 * b + 1] * source[k + 1] + U[3 * b + 2] * source[k + 2]
        }
      }
      for (let b = Math.max(a - 2, 0); b < m && b <= a + 2; b++) {
        if (start[b] !== n) continue
        for (let j = 0; j < width[a]; j++) H[a * m + b] += E[3 * a + j] * soft[n + j] * U[3 * b + j]
      }
      x[a] = 0
      for (let j = 0; j < width[a]; j++) x[a] -= E[3 * a + j] * right[n + j]
    }
    if (!solveDense(H, x, m)) return false
    p.fill(0, 0, rows)
    for (let b = 0; b < m; b++) for (let j = 0; j < width[b]; j++) p[start[b] + j] += U[3 * b + j] * x[b]
    return true
  }

  private velocities(rows: number, W: Float64Array, right: Float64Array, p: Float64Array): void {
    const { w, size, soft } = this
    for (let r = 0; r < rows; r++) {
      let sum = right[r] + soft[r] * p[r]
      let terms = Math.abs(right[r])
      for (let s = 0; s < rows; s++) {
        const term = W[r * rows + s] * p[s]
        sum += term
        terms += Math.abs(term)
      }
      w[r] = sum
      size[r] = terms
    }
  }

  /**
   * Whether the answer contradicts no mode; those that it does are changed, or if `single` the first of them. Notes the
   * residual of the equations.
   */
  private holds(
    groups: number,
    first: Int32Array,
    mu: Float64Array,
    p: Float64Array,
    backwards: boolean,
    single: boolean,
  ): boolean {
    const { mode, tried, w, residual } = this
    let held = true
    residual[0] = 0
    for (let g = 0; g < groups; g++) {
      if (!held && single) return false
      const i = backwards ? groups - 1 - g : g
      const n = first[i]
      const frictional = first[i + 1] - n === 3
      if (mode[i] === OUT) {
        if (w[n] >= -ROUNDING * this.size[n]) continue
        // it comes back sliding: one that left while it stuck was perhaps pulled off by the friction of that
        mode[i] = frictional ? this.cornerAgainst(n) : STICK
        held = false
        continue
      }
      this.note(n)
      if (!(p[n] >= 0)) mode[i] = OUT
      else if (!frictional) continue
      else if (mode[i] === STICK) {
        this.note(n + 1)
        this.note(n + 2)
        const edge = this.edgeCrossed(i, n, mu, p)
        if (edge < 0) continue
        // first to the corner nearest to the friction it wants; when it comes back from there, to the edge
        mode[i] = tried[i] === 0 ? this.cornerAlong(n, p) : this.sides + edge
        tried[i] = 1
      } else if (this.staysSliding(i, n, mu, p)) continue
      held = false
    }
    return held
  }

  /** Whether a sliding contact's friction and slip agree; if not, its mode is changed. */
  private staysSliding(i: number, n: number, mu: Float64Array, p: Float64Array): boolean {
    const strength = mu[i] * p[n]
    const { mode, w, size, sides, sideCosine, sideSine, alongX, alongY } = this
    const k = mode[i] % sides
    const terms = ROUNDING * Math.max(size[n + 1], size[n + 2])
    // sigma, the slip that friction is against
    const sigma = -sideCosine[k] * w[n + 1] - sideSine[k] * w[n + 2]
    if (sigma < -terms) {
      mode[i] = STICK
      return false
    }
    if (mode[i] < sides) {
      const best = this.cornerAgainst(n)
      if (-sideCosine[best] * w[n + 1] - sideSine[best] * w[n + 2] <= sigma + terms) return true
      if (best === (k + 1) % sides) mode[i] = sides + k
      else if (k === (best + 1) % sides) mode[i] = sides + best
      else mode[i] = best
      return false
    }
    // where on the edge friction is, from 0 at its corner to `strength` at the next
    const x = p[n + 1] - strength * sideCosine[k]
    const y = p[n + 2] - strength * sideSine[k]
    const length = alongX[k] * alongX[k] + alongY[k] * alongY[k]
    const part = (alongX[k] * x + alongY[k] * y) / length
    if (part < -ROUNDING * strength) mode[i] = k
    else if (part > strength * (1 + ROUNDING)) mode[i] = (k + 1) % sides
    else return true
    return false
  }

  private note(row: number): void {
    const relative = this.size[row] > 0 ? Math.abs(this.w[row]) / this.size[row] : 0
    if (!(relative <= this.residual[0])) this.residual[0] = relative
  }

  /** The edge that friction lies farthest beyond, -1 if it lies within the pyramid. */
  private edgeCrossed(i: number, n: number, mu: Float64Array, p: Float64Array): number {
    const { edgeCosine, edgeSine, reach, sides } = this
    let edge = -1
    let worst = mu[i] * p[n] * reach[0]
    for (let k = 0; k < sides; k++) {
      const out = edgeCosine[k] * p[n + 1] + edgeSine[k] * p[n + 2]
      if (out <= worst) continue
      worst = out
      edge = k
    }
    return edge
  }

  /** The corner nearest to the friction of the contact at row n. */
  private cornerAlong(n: number, p: Float64Array): number {
    const { sides, sideCosine, sideSine } = this
    let best = 0
    let most = Number.NEGATIVE_INFINITY
    for (let k = 0; k < sides; k++) {
      const along = sideCosine[k] * p[n + 1] + sideSine[k] * p[n + 2]
      if (along <= most) continue
      most = along
      best = k
    }
    return best
  }

  /** The corner most against the slip of the contact at row n. */
  private cornerAgainst(n: number): number {
    const { w, sides, sideCosine, sideSine } = this
    let best = 0
    let least = Number.POSITIVE_INFINITY
    for (let k = 0; k < sides; k++) {
      const along = sideCosine[k] * w[n + 1] + sideSine[k] * w[n + 2]
      if (along >= least) continue
      least = along
      best = k
    }
    return best
  }
}

/** x := H⁻¹ x by Gaussian elimination with row pivoting; H is m x m and is destroyed. False if it is singular. */
function solveDense(H: Float64Array, x: Float64Array, m: number): boolean {
  for (let k = 0; k < m; k++) {
    let best = k
    for (let i = k + 1; i < m; i++) if (Math.abs(H[i * m + k]) > Math.abs(H[best * m + k])) best = i
    if (H[best * m + k] === 0) return false
    if (best !== k) {
      for (let j = k; j < m; j++) {
        const swap = H[k * m + j]
        H[k * m + j] = H[best * m + j]
        H[best * m + j] = swap
      }
      const swap = x[k]
      x[k] = x[best]
      x[best] = swap
    }
    const inverse = 1 / H[k * m + k]
    for (let i = k + 1; i < m; i++) {
      const factor = H[i * m + k] * inverse
      if (factor === 0) continue
      for (let j = k + 1; j < m; j++) H[i * m + j] -= factor * H[k * m + j]
      x[i] -= factor * x[k]
    }
  }
  for (let k = m - 1; k >= 0; k--) {
    let sum = x[k]
    for (let j = k + 1; j < m; j++) sum -= H[k * m + j] * x[j]
    x[k] = sum / H[k * m + k]
  }
  return true
}
