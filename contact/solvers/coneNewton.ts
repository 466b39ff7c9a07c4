import { sweepBlocks } from './blockGaussSeidel.ts'
import type { SolverStatus } from './complementarity.ts'
import { type ContactProblem, type ContactSolver, GroupKind, UNKNOWN_MODE } from './contactProblem.ts'
import { contactResidual } from './contactResidual.ts'
import { eliminateRows } from './denseFactor.ts'

const APART = 0
const STICK = 1
const SLIDE = 2
const UPPER = 3
const LOWER = 4

/** Of contacts of which nothing is known, those that separate so slowly, relative to the largest speed, close: a stack of them mostly does. */
const CLOSING = 1e-2
/** In so many first passes all contradicted groups change at once; then only the worst, so that they do not swing together. */
const TOGETHER = 6
/** Passes before a search is given up. */
const PASS_LIMIT = 20
/** The search through softer problems: share of the diagonal that is added at first, least, and from one to the next. */
const SOFTEST = 0.1
const HARDEST = 1e-7
const HARDENING = 0.5
/** Sweeps of block Gauss-Seidel after a softer problem that was not solved. */
const SWEEPS = 10
/** Proximal steps after the hardest, for problems that are singular, and the share of the diagonal that they add. */
const PROXIMAL_STEPS = 4
const PROXIMAL = 1e-6

/** Violations below this share of the tolerance change no mode. */
const SHARE = 0.1
/** A row that keeps less than this share of its own diagonal entry depends on those before it. */
const DEPENDENT = 1e-13

/** Modes of `ConeNewton`; a contact that slides has another. */
export const coneModes = { out: APART, stick: STICK, slide: SLIDE, atUpper: UPPER, atLower: LOWER } as const

export interface ConeNewtonOptions {
  readonly law: 'cone' | 'associated'
  /** Largest `contactResidual` of an answer. 1e-9. */
  readonly tolerance?: number
}

/**
 * Newton's method on the modes of the groups: apart, sticking or sliding for a contact, at a limit or held for a bounded row (Alart
 * and Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods, 1991, whose generalised
 * Jacobian these choices are). The modes make a linear system; its answer is taken, and where it contradicts a mode, that is
 * changed.
 *
 * A sliding contact has two unknowns in place of three: p_n with the friction -mu d p_n that belongs to the present direction of
 * slip d, and c along e, d turned by 90°, which turns the friction and with it d. Its equations are u_n = 0, under
 * 'associated' u_n = mu d.u_t, and e.u_t + c d.u_t / (mu p_n) = 0, Newton's linearisation of "the slip is along d"; then the
 * friction is brought back onto the cone. Without a sliding contact, and always under 'associated', the system is
 * symmetric and positive definite.
 *
 * Every answer is checked by `contactResidual`, which does not know of modes. Started from the modes and impulses of the last step,
 * one solution of the system and one check suffice while they hold, and some more while contacts slide. Where the modes go in
 * circles, the search starts anew, from nothing and then through softer problems. Nothing is guaranteed: when that fails too, it ends with 'limit', the
 * best p so far and modes unknown, and says nothing about the problem.
 */
export class ConeNewton implements ContactSolver {
  readonly name = 'cone-newton'
  readonly law: 'cone' | 'associated'
  iterations = 0
  readonly residual = new Float64Array(1)
  private readonly tolerance: number
  /** 16: scratch of a sweep. */
  private readonly block = new Float64Array(16)
  /** 2: the residual and its size. */
  private readonly measure = new Float64Array(2)
  /** 1: least residual so far. */
  private readonly least = new Float64Array(1)

  private u = new Float64Array(0)
  private best = new Float64Array(0)
  /** The softer problem. */
  private readonly soft = {
    rowCount: 0,
    groupCount: 0,
    W: new Float64Array(0),
    right: new Float64Array(0),
    first: new Int32Array(0) as Int32Array,
    kind: new Uint8Array(0) as Uint8Array,
    limit: new Float64Array(0) as Float64Array,
  }
  /** Per group: direction of slip. */
  private dx = new Float64Array(0)
  private dy = new Float64Array(0)

  // The system H x = b of the present modes. An unknown is the impulse of a row, or of a sliding contact: its normal impulse with
  // the friction that comes with it, and what turns the friction.
  private unknowns = 0
  private fixed = 0
  private sliding = 0
  private row = new Int32Array(0)
  /** 0 a row, 1 normal with friction, 2 turning. */
  private part = new Uint8Array(0)
  private groupOf = new Int32Array(0)
  private H = new Float64Array(0)
  private x = new Float64Array(0)
  private EW = new Float64Array(0)
  /** What is added to the diagonal. */
  private stiff = new Float64Array(0)
  private inverse = new Float64Array(0)
  private rowStart = new Int32Array(0)

  constructor({ law, tolerance = 1e-9 }: ConeNewtonOptions) {
    this.law = law
    this.tolerance = tolerance
  }

  solve(problem: ContactProblem, p: Float64Array, mode: Int8Array): SolverStatus {
    const { least, residual } = this
    const { rowCount: rows, groupCount } = problem
    this.reserve(groupCount, rows)
    this.iterations = 0
    least[0] = Number.POSITIVE_INFINITY
    residual[0] = Number.POSITIVE_INFINITY
    if (!this.settled(problem, mode) && this.begin(problem, p, mode, true)) return 'solved'
    const isWarm = !isZero(rows, p)
    if (this.search(problem, p, mode)) return 'solved'
    if (isWarm) {
      // where the modes of before lead in circles, those of nothing known mostly do not
      p.fill(0, 0, rows)
      mode.fill(UNKNOWN_MODE, 0, groupCount)
      if (this.begin(problem, p, mode, true) || this.search(problem, p, mode)) return 'solved'
    }
    for (let r = 0; r < rows; r++) p[r] = this.best[r]
    mode.fill(UNKNOWN_MODE, 0, groupCount)
    if (this.searchThroughSofter(problem, p, mode)) return 'solved'
    for (let r = 0; r < rows; r++) p[r] = this.best[r]
    mode.fill(UNKNOWN_MODE, 0, groupCount)
    residual[0] = least[0]
    return 'limit'
  }

  /**
   * Through softer problems, the diagonal of W increased by a share that is halved down to nothing, each from the answer of the
   * one before: in stiff ones the modes depend on slips as small as the softness lets them be, in soft ones they do not.
   */
  private searchThroughSofter(problem: ContactProblem, p: Float64Array, mode: Int8Array): boolean {
    const { soft, block, law } = this
    const { rowCount: rows, groupCount, W, right } = problem
    soft.rowCount = rows
    soft.groupCount = groupCount
    soft.first = problem.first
    soft.kind = problem.kind
    soft.limit = problem.limit
    if (soft.right.length < rows) {
      soft.right = new Float64Array(2 * rows)
      soft.W = new Float64Array(4 * rows * rows)
    }
    for (let k = 0; k < rows * rows; k++) soft.W[k] = W[k]
    for (let r = 0; r < rows; r++) soft.right[r] = right[r]
    for (let e = SOFTEST; e > HARDEST; e *= HARDENING) {
      for (let r = 0; r < rows; r++) soft.W[r * rows + r] = W[r * rows + r] * (1 + e)
      if (this.searchAnew(soft, p, mode)) continue
      for (let k = 0; k < SWEEPS; k++) sweepBlocks(soft, law, p, block)
      this.searchAnew(soft, p, mode)
    }
    // what is softened takes right' = right - e w p instead, so that an answer is one of the problem too
    for (let t = 0; t < PROXIMAL_STEPS; t++) {
      if (this.searchAnew(problem, p, mode)) return true
      for (let r = 0; r < rows; r++) {
        const e = PROXIMAL * W[r * rows + r]
        soft.W[r * rows + r] = W[r * rows + r] + e
        soft.right[r] = right[r] - e * p[r]
      }
      if (!this.searchAnew(soft, p, mode)) sweepBlocks(problem, law, p, block)
    }
    return this.searchAnew(problem, p, mode)
  }

  /** A search from p alone; p := the best that it found. */
  private searchAnew(problem: ContactProblem, p: Float64Array, mode: Int8Array): boolean {
    this.least[0] = Number.POSITIVE_INFINITY
    mode.fill(UNKNOWN_MODE, 0, problem.groupCount)
    if (this.begin(problem, p, mode, false) || this.search(problem, p, mode)) return true
    for (let r = 0; r < problem.rowCount; r++) p[r] = this.best[r]
    return false
  }

  /**
   * Residual of p, and modes where they are not known; whether p is an answer. `first`: p is the caller's, and where it is zero
   * altogether nothing is known.
   */
  private begin(problem: ContactProblem, p: Float64Array, mode: Int8Array, first: boolean): boolean {
    const { law, measure } = this
    contactResidual(problem, law, 0, p, this.u, measure)
    if (measure[0] === Number.POSITIVE_INFINITY) {
      p.fill(0, 0, problem.rowCount)
      contactResidual(problem, law, 0, p, this.u, measure)
    }
    this.keepBest(problem.rowCount, p)
    this.start(problem, p, mode, first && isZero(problem.rowCount, p))
    this.residual[0] = measure[0]
    return measure[0] <= this.tolerance
  }

  /** Passes from the present modes on; whether they end at an answer. */
  private search(problem: ContactProblem, p: Float64Array, mode: Int8Array): boolean {
    const { measure } = this
    for (let pass = 1; pass <= PASS_LIMIT; pass++) {
      this.iterations++
      this.combine(problem, mode)
      if (!this.newton(problem, p, mode)) return false
      contactResidual(problem, this.law, 0, p, this.u, measure)
      if (measure[0] <= this.tolerance) {
        this.residual[0] = measure[0]
        return true
      }
      this.keepBest(problem.rowCount, p)
      if (!this.change(problem, p, mode, pass > TOGETHER) && this.sliding === 0) return false
    }
    return false
  }

  private reserve(groups: number, rows: number): void {
    if (groups > this.dx.length) {
      this.dx = new Float64Array(2 * groups)
      this.dy = new Float64Array(2 * groups)
    }
    if (rows <= this.u.length) return
    const capacity = 2 * rows
    this.u = new Float64Array(capacity)
    this.best = new Float64Array(capacity)
    this.row = new Int32Array(capacity)
    this.part = new Uint8Array(capacity)
    this.groupOf = new Int32Array(capacity)
    this.H = new Float64Array(capacity * (capacity + 1))
    this.x = new Float64Array(capacity)
    this.EW = new Float64Array(capacity)
    this.stiff = new Float64Array(capacity)
    this.inverse = new Float64Array(capacity)
    this.rowStart = new Int32Array(capacity)
  }

  /** Whether every mode is known and none needs a velocity to start from. */
  private settled(problem: ContactProblem, mode: Int8Array): boolean {
    for (let g = 0; g < problem.groupCount; g++) {
      const m = mode[g]
      const kind = problem.kind[g]
      if (m === STICK || (m === APART && kind !== GroupKind.bilateral && kind !== GroupKind.bounded)) continue
      if ((m === UPPER || m === LOWER) && kind === GroupKind.bounded) continue
      return false
    }
    return true
  }

  private keepBest(rows: number, p: Float64Array): void {
    const { measure, least, best } = this
    if (!(measure[0] < least[0])) return
    least[0] = measure[0]
    for (let r = 0; r < rows; r++) best[r] = p[r]
  }

  /** Modes where they are not known, from p and its u, and directions of slip. */
  private start(problem: ContactProblem, p: Float64Array, mode: Int8Array, isCold: boolean): void {
    const { rowCount: rows, W, groupCount, first, kind, limit } = problem
    const { u, measure } = this
    const closing = isCold ? CLOSING * measure[1] : 0
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const m = mode[g]
      const slow = closing * Math.sqrt(W[n * rows + n])
      if (kind[g] === GroupKind.bilateral) mode[g] = STICK
      else if (kind[g] === GroupKind.bounded) {
        if (m === STICK || m === UPPER || m === LOWER) continue
        mode[g] = p[n] >= limit[g] ? UPPER : p[n] <= -limit[g] ? LOWER : STICK
      } else if (kind[g] === GroupKind.unilateral) {
        if (m !== STICK && m !== APART) mode[g] = p[n] > 0 || u[n] < slow ? STICK : APART
      } else {
        if (m === STICK || m === APART) continue
        const length = Math.sqrt(p[n + 1] * p[n + 1] + p[n + 2] * p[n + 2])
        const slip = Math.sqrt(u[n + 1] * u[n + 1] + u[n + 2] * u[n + 2])
        if (m !== SLIDE) {
          if (p[n] > 0) mode[g] = length < limit[g] * p[n] * (1 - 1e-9) ? STICK : SLIDE
          else if (u[n] < slow) mode[g] = STICK
          else mode[g] = this.law === 'associated' && u[n] < limit[g] * slip ? SLIDE : APART
        }
        if (mode[g] !== SLIDE) continue
        if (length > 0) {
          this.dx[g] = -p[n + 1] / length
          this.dy[g] = -p[n + 2] / length
        } else if (slip > 0) {
          this.dx[g] = u[n + 1] / slip
          this.dy[g] = u[n + 2] / slip
        } else mode[g] = STICK
      }
    }
  }

  /** The unknowns of the present modes. */
  private combine(problem: ContactProblem, mode: Int8Array): void {
    const { groupCount, first, kind, limit } = problem
    const { row, part, groupOf } = this
    let m = 0
    let sliding = 0
    let fixed = 0
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      if (kind[g] === GroupKind.frictional) {
        if (mode[g] === APART) continue
        const turning = mode[g] === SLIDE && limit[g] > 0
        if (turning) sliding++
        groupOf[m] = g
        row[m] = n
        part[m++] = turning ? 1 : 0
        if (!(limit[g] > 0)) continue
        groupOf[m] = g
        row[m] = n + 1
        part[m++] = turning ? 2 : 0
        if (turning) continue
        groupOf[m] = g
        row[m] = n + 2
        part[m++] = 0
        continue
      }
      if (mode[g] !== STICK) {
        if (kind[g] === GroupKind.bounded) fixed++
        continue
      }
      groupOf[m] = g
      row[m] = n
      part[m++] = 0
    }
    this.unknowns = m
    this.sliding = sliding
    this.fixed = fixed
  }

  /** p := Newton's step for the present modes; false if its system is singular. */
  private newton(problem: ContactProblem, p: Float64Array, mode: Int8Array): boolean {
    const { unknowns: m, row, part, groupOf, x, stiff, dx, dy, u } = this
    const { rowCount: rows, groupCount, W, right, first, kind, limit } = problem
    for (let a = 0; a < m; a++) {
      const r = row[a]
      stiff[a] = 0
      x[a] = -right[r]
      if (part[a] === 0) continue
      const g = groupOf[a]
      const n = first[g]
      if (part[a] === 1) {
        if (this.law === 'associated') x[a] += limit[g] * (dx[g] * right[n + 1] + dy[g] * right[n + 2])
        continue
      }
      x[a] = dy[g] * right[n + 1] - dx[g] * right[n + 2]
      // u_t is to turn with the friction
      const sigma = dx[g] * u[n + 1] + dy[g] * u[n + 2]
      const most = 1e8 * (W[(n + 1) * rows + n + 1] + W[(n + 2) * rows + n + 2])
      const friction = limit[g] * p[n]
      stiff[a] = !(sigma > 0) ? 0 : sigma < most * friction ? sigma / friction : most
    }
    if (this.fixed > 0) {
      for (let g = 0; g < groupCount; g++) {
        if (kind[g] !== GroupKind.bounded || mode[g] === STICK) continue
        const f = first[g]
        const pf = mode[g] === UPPER ? limit[g] : -limit[g]
        for (let a = 0; a < m; a++) {
          const r = row[a]
          if (part[a] === 0) x[a] -= W[r * rows + f] * pf
          else {
            const k = groupOf[a]
            const n = first[k]
            if (part[a] === 2) x[a] += pf * (dy[k] * W[(n + 1) * rows + f] - dx[k] * W[(n + 2) * rows + f])
            else {
              x[a] -= pf * W[r * rows + f]
              if (this.law === 'associated')
                x[a] += pf * limit[k] * (dx[k] * W[(n + 1) * rows + f] + dy[k] * W[(n + 2) * rows + f])
            }
          }
        }
      }
    }
    if (this.sliding === 0) {
      this.gather(rows, W)
      choleskySolve(this.H, x, this.inverse, this.rowStart, m)
    } else {
      const symmetric = this.law === 'associated'
      this.gatherSliding(problem, symmetric)
      if (symmetric) choleskySolve(this.H, x, this.inverse, this.rowStart, m)
      else if (eliminateRows(m, this.H, x) === 0) return false
    }

    p.fill(0, 0, rows)
    for (let a = 0; a < m; a++) {
      const r = row[a]
      if (part[a] === 0) p[r] = x[a]
      else {
        const g = groupOf[a]
        p[r] = x[a]
        // friction turned, and brought back onto the cone
        const friction = limit[g] * x[a]
        const tx = friction * dx[g] + x[a + 1] * dy[g]
        const ty = friction * dy[g] - x[a + 1] * dx[g]
        const length = Math.sqrt(tx * tx + ty * ty)
        if (friction > 0 && length > 0) {
          dx[g] = tx / length
          dy[g] = ty / length
          p[r + 1] = -friction * dx[g]
          p[r + 2] = -friction * dy[g]
        }
        a++
      }
    }
    if (this.fixed > 0) {
      for (let g = 0; g < groupCount; g++) {
        if (kind[g] !== GroupKind.bounded || mode[g] === STICK) continue
        p[first[g]] = mode[g] === UPPER ? limit[g] : -limit[g]
      }
    }
    return true
  }

  /** The lower triangle of H := W at the rows that are unknowns. */
  private gather(rows: number, W: Float64Array): void {
    const { unknowns: m, row, H } = this
    for (let a = 0; a < m; a++) {
      const from = row[a] * rows
      const to = a * m
      for (let b = 0; b <= a; b++) H[to + b] = W[from + row[b]]
    }
  }

  private gatherSliding(problem: ContactProblem, symmetric: boolean): void {
    const { unknowns: m, row, part, groupOf, H, EW, dx, dy, stiff } = this
    const { rowCount: rows, W, limit } = problem
    for (let a = 0; a < m; a++) {
      const g = groupOf[a]
      const r = row[a] * rows
      let source = W
      let at = r
      if (part[a] === 2) {
        // row[a] is the first tangent
        for (let j = 0; j < rows; j++) EW[j] = dx[g] * W[r + rows + j] - dy[g] * W[r + j]
        source = EW
        at = 0
      } else if (part[a] === 1 && symmetric) {
        const x = limit[g] * dx[g]
        const y = limit[g] * dy[g]
        for (let j = 0; j < rows; j++) EW[j] = W[r + j] - x * W[r + rows + j] - y * W[r + 2 * rows + j]
        source = EW
        at = 0
      }
      const last = symmetric ? a + 1 : m
      for (let b = 0; b < last; b++) {
        const k = at + row[b]
        if (part[b] === 0) H[a * m + b] = source[k]
        else {
          const j = groupOf[b]
          if (part[b] === 1) H[a * m + b] = source[k] - limit[j] * (dx[j] * source[k + 1] + dy[j] * source[k + 2])
          else H[a * m + b] = dx[j] * source[k + 1] - dy[j] * source[k]
        }
      }
      H[a * m + a] += stiff[a]
    }
  }

  /** Changes the modes that the answer contradicts, or if `single` the worst of them; whether there are any. */
  private change(problem: ContactProblem, p: Float64Array, mode: Int8Array, single: boolean): boolean {
    const { rowCount: rows, groupCount, W, first, kind, limit } = problem
    const { u, dx, dy, measure } = this
    const threshold = SHARE * this.tolerance * measure[1]
    let worst = 0
    let worstGroup = -1
    let worstMode = 0
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const w =
        kind[g] === GroupKind.frictional
          ? (W[n * rows + n] + W[(n + 1) * rows + n + 1] + W[(n + 2) * rows + n + 2]) / 3
          : W[n * rows + n]
      const s = 1 / Math.sqrt(w)
      const m = mode[g]
      let off = 0
      let to = m
      if (kind[g] === GroupKind.bilateral) continue
      if (kind[g] === GroupKind.bounded) {
        if (m === STICK) {
          off = (Math.abs(p[n]) - limit[g]) / s
          to = p[n] > 0 ? UPPER : LOWER
        } else {
          off = (m === UPPER ? u[n] : -u[n]) * s
          to = STICK
        }
      } else if (m === APART) {
        off = -u[n] * s
        to = STICK
        if (kind[g] === GroupKind.frictional && limit[g] > 0) {
          const slip = Math.sqrt(u[n + 1] * u[n + 1] + u[n + 2] * u[n + 2])
          if (this.law === 'associated') off += limit[g] * slip * s
          // one that left while it stuck was perhaps pulled off by the friction of that: it comes back sliding
          if (slip > 0 && off > threshold) {
            to = SLIDE
            dx[g] = u[n + 1] / slip
            dy[g] = u[n + 2] / slip
          }
        }
      } else if (p[n] < 0) {
        off = -p[n] / s
        to = APART
      } else if (kind[g] === GroupKind.frictional && limit[g] > 0) {
        if (m === STICK) {
          const length = Math.sqrt(p[n + 1] * p[n + 1] + p[n + 2] * p[n + 2])
          off = (length - limit[g] * p[n]) / s
          to = SLIDE
          if (off > threshold) {
            dx[g] = -p[n + 1] / length
            dy[g] = -p[n + 2] / length
          }
        } else {
          const sigma = u[n + 1] * dx[g] + u[n + 2] * dy[g]
          off = -sigma * s
          to = STICK
        }
      }
      if (!(off > threshold)) continue
      if (!single) {
        mode[g] = to
        worstGroup = g
      } else if (off > worst) {
        worst = off
        worstGroup = g
        worstMode = to
      }
    }
    if (worstGroup < 0) return false
    if (single) mode[worstGroup] = worstMode
    return true
  }
}

function isZero(rows: number, p: Float64Array): boolean {
  for (let r = 0; r < rows; r++) if (p[r] !== 0) return false
  return true
}

/**
 * x := H⁻¹ x by Cholesky's factorisation of the lower triangle, in place, two rows and two columns at a time, so that four sums run
 * beside each other. What stands before the first entry of a pair of rows that is not zero stays zero and is passed over, as in
 * bodies that touch their neighbours alone. A row that depends on earlier ones is left out: its unknown is 0.
 *
 * @param inverse out: m, scratch
 * @param start   out: (m + 1) / 2, scratch
 */
function choleskySolve(H: Float64Array, x: Float64Array, inverse: Float64Array, start: Int32Array, m: number): void {
  let a = 0
  for (; a + 1 < m; a += 2) {
    const r0 = a * m
    const r1 = r0 + m
    let begin = 0
    while (begin < a && H[r0 + begin] === 0 && H[r1 + begin] === 0) begin++
    begin &= ~1
    start[a >> 1] = begin
    for (let b = begin; b < a; b += 2) {
      const c0 = b * m
      const c1 = c0 + m
      let s00 = H[r0 + b]
      let s01 = H[r0 + b + 1]
      let s10 = H[r1 + b]
      let s11 = H[r1 + b + 1]
      const before = start[b >> 1]
      for (let k = before > begin ? before : begin; k < b; k++) {
        const h0 = H[r0 + k]
        const h1 = H[r1 + k]
        const g0 = H[c0 + k]
        const g1 = H[c1 + k]
        s00 -= h0 * g0
        s01 -= h0 * g1
        s10 -= h1 * g0
        s11 -= h1 * g1
      }
      s00 *= inverse[b]
      s10 *= inverse[b]
      H[r0 + b] = s00
      H[r1 + b] = s10
      H[r0 + b + 1] = (s01 - s00 * H[c1 + b]) * inverse[b + 1]
      H[r1 + b + 1] = (s11 - s10 * H[c1 + b]) * inverse[b + 1]
    }
    let d0 = H[r0 + a]
    let d1 = H[r1 + a + 1]
    let d10 = H[r1 + a]
    let y0 = x[a]
    let y1 = x[a + 1]
    const floor0 = DEPENDENT * d0
    const floor1 = DEPENDENT * d1
    for (let k = begin; k < a; k++) {
      const h0 = H[r0 + k]
      const h1 = H[r1 + k]
      d0 -= h0 * h0
      d1 -= h1 * h1
      d10 -= h1 * h0
      y0 -= h0 * x[k]
      y1 -= h1 * x[k]
    }
    const i0 = d0 > floor0 ? 1 / Math.sqrt(d0) : 0
    d10 *= i0
    d1 -= d10 * d10
    y0 *= i0
    const i1 = d1 > floor1 ? 1 / Math.sqrt(d1) : 0
    H[r1 + a] = d10
    inverse[a] = i0
    inverse[a + 1] = i1
    x[a] = y0
    x[a + 1] = (y1 - d10 * y0) * i1
  }
  if (a < m) {
    const r0 = a * m
    start[a >> 1] = 0
    for (let b = 0; b < a; b++) {
      const c0 = b * m
      let sum = H[r0 + b]
      for (let k = start[b >> 1]; k < b; k++) sum -= H[r0 + k] * H[c0 + k]
      H[r0 + b] = sum * inverse[b]
    }
    let d0 = H[r0 + a]
    let y0 = x[a]
    const floor = DEPENDENT * d0
    for (let k = 0; k < a; k++) {
      d0 -= H[r0 + k] * H[r0 + k]
      y0 -= H[r0 + k] * x[k]
    }
    inverse[a] = d0 > floor ? 1 / Math.sqrt(d0) : 0
    x[a] = y0 * inverse[a]
  }
  for (let i = m - 1; i >= 0; i--) {
    const row = i * m
    const xi = x[i] * inverse[i]
    x[i] = xi
    for (let k = start[i >> 1]; k < i; k++) x[k] -= H[row + k] * xi
  }
}
