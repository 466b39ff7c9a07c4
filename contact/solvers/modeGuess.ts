import type { SolverStatus } from './complementarity.ts'
import { type ContactProblem, type ContactSolver, GroupKind, UNKNOWN_MODE } from './contactProblem.ts'
import { contactResidual } from './contactResidual.ts'
import { eliminateRows, factorSymmetric, solveSymmetric } from './denseFactor.ts'
import type { PyramidSides } from './pyramid.ts'

/** Passes in which contacts change their mode before a search is given up. */
const PASS_LIMIT = 100
/** In so many first passes all contradicted contacts change at once; then one at a time, so that they do not swing together. */
const TOGETHER = 3
/** Relative size below which a speed or an impulse of the wrong sign is rounding. */
const ROUNDING = 1e-12
/** Largest `contactResidual` of an answer. */
const TOLERANCE = 1e-9

/** Friction so near to the border of its pyramid, relative to its size, is taken to be on it. */
const ON_EDGE = 1e-9

const OUT = -2
const STICK = -1
/** Of a bounded group. */
const AT_UPPER = 0
const AT_LOWER = 1

/** Modes of `ModeGuess`; that of a contact that slides is the number of the corner, or `sides` plus that of the edge. */
export const pyramidModes = { out: OUT, stick: STICK, atUpper: AT_UPPER, atLower: AT_LOWER, slide: 0 } as const

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
 * Where everything that acts sticks, the system is a part of W and symmetric: it is factored as L D Lᵀ, at half the cost of
 * elimination.
 */
export class ModeGuess implements ContactSolver {
  readonly name = 'mode-guess'
  readonly law = 'pyramid'
  /** 1: what `contactResidual` says of the answer, Infinity without one. */
  readonly residual = new Float64Array(1)
  /** Passes of the last call. */
  iterations = 0

  /**
   * Per group: OUT, STICK, below `sides` the corner that friction pushes to, above it the edge after that corner; of a bounded group
   * AT_UPPER and AT_LOWER.
   */
  private mode: Int8Array = new Int8Array(0)
  /** Per group: 1 if it has been found to want more friction than it can have, sticking. */
  private tried = new Uint8Array(0)

  /** Per group, 2: `mode` and `tried` as they were after an earlier pass. */
  private earlier = new Int8Array(0)

  // The system H x = -E (right + W at), H = E W U: unknowns and equations are combinations of a group's rows; `at` is what stands at
  // its bound.
  private unknowns = 0
  private isSymmetric = false
  private isBound = false
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

  /** Per row: W p + right; and the sum of the sizes of its terms. */
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

  constructor({ count, cosine, sine }: PyramidSides) {
    this.sides = count
    this.sideCosine = cosine
    this.sideSine = sine
    this.edgeCosine = new Float64Array(count)
    this.edgeSine = new Float64Array(count)
    this.alongX = new Float64Array(count)
    this.alongY = new Float64Array(count)
    for (let k = 0; k < count; k++) {
      const next = (k + 1) % count
      const x = cosine[k] + cosine[next]
      const y = sine[k] + sine[next]
      const length = Math.hypot(x, y)
      this.edgeCosine[k] = x / length
      this.edgeSine[k] = y / length
      this.alongX[k] = cosine[next] - cosine[k]
      this.alongY[k] = sine[next] - sine[k]
      this.reach[0] = length / 2
    }
  }

  /** As `ContactSolver`; p is not read. */
  solve(problem: ContactProblem, p: Float64Array, mode: Int8Array): SolverStatus {
    const { groupCount } = problem
    this.reserve(groupCount, problem.rowCount)
    this.mode = mode
    this.iterations = 0
    this.residual[0] = Number.POSITIVE_INFINITY
    if (this.search(problem, p, false)) return 'solved'
    // What goes in circles when contacts are looked at in their order mostly does not in the opposite one.
    mode.fill(UNKNOWN_MODE, 0, groupCount)
    return this.search(problem, p, true) ? 'solved' : 'limit'
  }

  /** Passes from the present modes on, in each of which contacts are looked at in their order or backwards. */
  private search(problem: ContactProblem, p: Float64Array, backwards: boolean): boolean {
    const { mode, tried, earlier } = this
    const { groupCount: groups, first, kind, right } = problem
    for (let i = 0; i < groups; i++) {
      tried[i] = 0
      earlier[2 * i] = UNKNOWN_MODE
      if (mode[i] === UNKNOWN_MODE) mode[i] = right[first[i]] < 0 || kind[i] >= GroupKind.bilateral ? STICK : OUT
    }
    for (let pass = 1; pass <= PASS_LIMIT; pass++) {
      this.iterations++
      this.combine(problem, p)
      if (!this.impulses(problem, p)) return false
      this.velocities(problem, p)
      if (this.holds(problem, p, backwards, pass > TOGETHER)) {
        // modes are compared with what rounding makes of their terms, which in a system that is nearly singular is anything
        contactResidual(problem, 'pyramid', this.sides, p, this.w, this.residual)
        return this.residual[0] <= TOLERANCE
      }
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
  adopt({ groupCount, first, kind, limit }: ContactProblem, p: Float64Array, mode: Int8Array): void {
    const { sides, edgeCosine, edgeSine, sideCosine, sideSine, alongX, alongY, reach } = this
    for (let i = 0; i < groupCount; i++) {
      const n = first[i]
      mode[i] = p[n] > 0 || kind[i] >= GroupKind.bilateral ? STICK : OUT
      const strength = limit[i] * p[n]
      if (kind[i] === GroupKind.bounded && Math.abs(p[n]) >= limit[i]) mode[i] = p[n] > 0 ? AT_UPPER : AT_LOWER
      if (kind[i] !== GroupKind.frictional || !(strength > 0)) continue
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

  /** Unknowns and equations of the present modes; p := what stands at its bound, 0 elsewhere. */
  private combine({ groupCount, rowCount, first, kind, limit }: ContactProblem, p: Float64Array): void {
    const { mode, start, width, U, E, rowOfU, rowOfE, sides, sideCosine, sideSine, alongX, alongY } = this
    let m = 0
    this.isSymmetric = true
    this.isBound = false
    p.fill(0, 0, rowCount)
    for (let i = 0; i < groupCount; i++) {
      if (mode[i] === OUT) continue
      const n = first[i]
      if (mode[i] === STICK) {
        for (let r = n; r < first[i + 1]; r++) {
          start[m] = r
          rowOfU[m] = r
          rowOfE[m++] = r
        }
        continue
      }
      if (kind[i] === GroupKind.bounded) {
        this.isBound = true
        p[n] = mode[i] === AT_UPPER ? limit[i] : -limit[i]
        continue
      }
      this.isSymmetric = false
      const count = mode[i] < sides ? 1 : 2
      for (let c = 0; c < count; c++) {
        start[m + c] = n
        width[m + c] = 3
        for (let r = 0; r < 3; r++) {
          U[3 * (m + c) + r] = c === r ? 1 : 0
          E[3 * (m + c) + r] = c === r ? 1 : 0
        }
        rowOfU[m + c] = -1
        rowOfE[m + c] = c === 0 ? n : -1
      }
      // friction at the corner comes with the normal impulse
      const k = mode[i] % sides
      U[3 * m + 1] = limit[i] * sideCosine[k]
      U[3 * m + 2] = limit[i] * sideSine[k]
      if (count === 2) {
        // and moves along the edge as far as keeps the slip square to it
        U[3 * m + 4] = alongX[k]
        U[3 * m + 5] = alongY[k]
        E[3 * m + 4] = alongX[k]
        E[3 * m + 5] = alongY[k]
      }
      m += count
    }
    this.unknowns = m
  }

  /** p of the present modes; false if their system is singular. */
  private impulses(problem: ContactProblem, p: Float64Array): boolean {
    const { unknowns: m, start, U, E, rowOfU, rowOfE, H, x } = this
    const { W, right, rowCount: rows } = problem
    if (this.isBound) this.velocities(problem, p) // `w` is then what the unknowns have to take away
    const source = this.isBound ? this.w : right
    if (this.isSymmetric) {
      for (let a = 0; a < m; a++) {
        const at = rowOfE[a] * rows
        for (let b = a; b < m; b++) H[a * m + b] = W[at + rowOfU[b]]
        x[a] = -source[rowOfE[a]]
      }
      if (!factorSymmetric(m, H)) return false
      solveSymmetric(m, H, x)
      for (let b = 0; b < m; b++) p[rowOfU[b]] = x[b]
      return true
    }
    for (let a = 0; a < m; a++) {
      const n = start[a]
      if (rowOfE[a] >= 0) {
        this.equation(a, W, rowOfE[a] * rows)
        x[a] = -source[rowOfE[a]]
      } else {
        this.combineRows(problem, a)
        this.equation(a, this.EW, 0)
        x[a] = -(E[3 * a] * source[n] + E[3 * a + 1] * source[n + 1] + E[3 * a + 2] * source[n + 2])
      }
    }
    if (eliminateRows(m, H, x) === 0) return false
    for (let b = 0; b < m; b++) {
      const n = start[b]
      if (rowOfU[b] >= 0) p[rowOfU[b]] += x[b]
      else for (let j = 0; j < 3; j++) p[n + j] += U[3 * b + j] * x[b]
    }
    return true
  }

  /** Row a of H from its row of E W, at source[at..]. */
  private equation(a: number, source: Float64Array, at: number): void {
    const { unknowns: m, start, U, rowOfU, H } = this
    for (let b = 0; b < m; b++) {
      const row = rowOfU[b]
      if (row >= 0) H[a * m + b] = source[at + row]
      else {
        const k = at + start[b]
        H[a * m + b] = U[3 * b] * source[k] + U[3 * b + 1] * source[k + 1] + U[3 * b + 2] * source[k + 2]
      }
    }
  }

  /** EW := E W of equation a. */
  private combineRows({ W, rowCount }: ContactProblem, a: number): void {
    const { start, E, EW } = this
    const n = start[a] * rowCount
    for (let s = 0; s < rowCount; s++) {
      EW[s] = E[3 * a] * W[n + s] + E[3 * a + 1] * W[n + rowCount + s] + E[3 * a + 2] * W[n + 2 * rowCount + s]
    }
  }

  /** w := W p + right, and `size`. */
  private velocities({ W, right, rowCount: rows }: ContactProblem, p: Float64Array): void {
    const { w, size } = this
    for (let r = 0; r < rows; r++) {
      let sum = right[r]
      let terms = Math.abs(sum)
      const at = r * rows
      for (let s = 0; s < rows; s++) {
        const term = W[at + s] * p[s]
        sum += term
        terms += Math.abs(term)
      }
      w[r] = sum
      size[r] = terms
    }
  }

  /** Whether the answer contradicts no mode; those that it does are changed, or if `single` the first of them. */
  private holds(problem: ContactProblem, p: Float64Array, backwards: boolean, single: boolean): boolean {
    const { mode, tried, w } = this
    const { groupCount: groups, first, kind, limit } = problem
    let held = true
    for (let g = 0; g < groups; g++) {
      if (!held && single) return false
      const i = backwards ? groups - 1 - g : g
      const n = first[i]
      if (kind[i] >= GroupKind.bilateral) {
        if (kind[i] === GroupKind.bilateral || this.staysBounded(i, n, limit, p)) continue
        held = false
        continue
      }
      const frictional = kind[i] === GroupKind.frictional
      if (mode[i] === OUT) {
        if (w[n] >= -ROUNDING * this.size[n]) continue
        // it comes back sliding: one that left while it stuck was perhaps pulled off by the friction of that
        mode[i] = frictional ? this.cornerAgainst(n) : STICK
        held = false
        continue
      }
      if (!(p[n] >= 0)) mode[i] = OUT
      else if (!frictional) continue
      else if (mode[i] === STICK) {
        const edge = this.edgeCrossed(i, n, limit, p)
        if (edge < 0) continue
        // first to the corner nearest to the friction it wants; when it comes back from there, to the edge
        mode[i] = tried[i] === 0 ? this.cornerAlong(n, p) : this.sides + edge
        tried[i] = 1
      } else if (this.staysSliding(i, n, limit, p)) continue
      held = false
    }
    return held
  }

  /** Whether a bounded group's impulse and velocity agree; if not, its mode is changed. */
  private staysBounded(i: number, n: number, limit: Float64Array, p: Float64Array): boolean {
    const { mode, w, size } = this
    if (mode[i] === STICK) {
      if (Math.abs(p[n]) <= limit[i]) return true
      mode[i] = p[n] > 0 ? AT_UPPER : AT_LOWER
      return false
    }
    const against = mode[i] === AT_UPPER ? -w[n] : w[n]
    if (against >= -ROUNDING * size[n]) return true
    mode[i] = STICK
    return false
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
