import { type ContactProblem, GroupKind, type PyramidSides, UNKNOWN_MODE } from '../../solvers/index.ts'
import type { RowMatrix } from './rowMatrix.ts'

/** More velocities than this are not guessed at once: the cost grows with their third power. */
const MOST_VELOCITIES = 64
/** Relative size below which a speed or an impulse of the wrong sign is rounding. */
const ROUNDING = 1e-12
/** Largest relative residual of an answer; one that is larger is refined so often. */
const TOLERANCE = 1e-11
const REFINEMENTS = 2

/** What numbers of a mode mean to the solver that goes on where this one has no answer. */
export interface ModeNames {
  readonly out: number
  readonly stick: number
  /** Where slides are numbered by the pyramid's corners, 0 up; of a bounded group that stands at its limits, else undefined. */
  readonly sides?: PyramidSides
  readonly atUpper?: number
  readonly atLower?: number
  /** Whether what is apart has to stay out of reach of its slip too: the law is 'associated'. */
  readonly lifts: boolean
}

/**
 * The answer that the modes of the last step give, found without W: in the few velocities on the ways from the contacts to the roots
 * in place of the many rows. With W = Y Yᵀ + S, S the softness, and x = Σ Yᵀ p, rows that hold have p = -S⁻¹ (right + Y x), so
 *
 *   (I + Σ Yᵀ S⁻¹ Y) x = -Σ Yᵀ S⁻¹ right,
 *
 * of as many unknowns as velocities take part: 18 where a humanoid on two feet has 48 rows. What slides at a corner of its pyramid
 * has (Y_n + mu d Y_t)ᵀ S⁻¹ Y_n in the sum, and the system is not symmetric. Softness of 1e-5 costs five digits of sixteen in p, of
 * which refinement brings most back.
 *
 * The answer is checked like any other: signs, friction, and the equations. Where a mode is contradicted there is none.
 */
export class TreeGuess {
  readonly name = 'tree-guess'
  /** 1: largest residual of the equations of the last answer, relative to the terms summed. */
  readonly residual = new Float64Array(1)
  private readonly modes: ModeNames
  /** nv: the place of a velocity among those of the island, -1 if it has none. */
  private readonly place: Int32Array
  private readonly velocities: Int32Array
  private size = 0
  private isSymmetric = true
  private G = new Float64Array(0)
  private order = new Int32Array(0)
  private x = new Float64Array(0)
  /** As `RowMatrix.way`: places in place of velocities. */
  private at = new Int32Array(0)
  /** Per row: what an equation lacks, and the sum of the sizes of its terms. */
  private rest = new Float64Array(0)
  private terms = new Float64Array(0)
  /** Per row: what would make up for it. */
  private lacking = new Float64Array(0)
  private readonly left: Float64Array

  constructor(nv: number, modes: ModeNames) {
    this.modes = modes
    this.place = new Int32Array(nv).fill(-1)
    this.velocities = new Int32Array(nv)
    this.left = new Float64Array(nv)
  }

  /**
   * @param soft per row, above 0
   * @param diagonal per row: of W, without softness
   * @param mode per group; p out. Nothing is changed where there is no answer, but p
   */
  solve(
    matrix: RowMatrix,
    problem: ContactProblem,
    soft: Float64Array,
    diagonal: Float64Array,
    p: Float64Array,
    mode: Int8Array,
  ): boolean {
    if (!this.canTry(problem, soft, mode) || !this.gather(matrix)) return false
    const { rowCount, right } = problem
    if (rowCount > this.rest.length) {
      this.rest = new Float64Array(2 * rowCount)
      this.terms = new Float64Array(2 * rowCount)
      this.lacking = new Float64Array(2 * rowCount)
    }
    this.assemble(matrix, problem, soft, mode)
    if (!(this.isSymmetric ? this.factorSymmetric() : this.factor())) return false
    const { rest } = this
    for (let r = 0; r < rowCount; r++) rest[r] = right[r]
    this.start(matrix, problem, p, mode)
    for (let round = 0; ; round++) {
      this.correct(matrix, problem, soft, p, mode)
      this.measure(matrix, problem, soft, diagonal, p, mode)
      if (this.residual[0] <= TOLERANCE || round === REFINEMENTS) break
    }
    return this.residual[0] <= TOLERANCE && this.holds(problem, p, mode)
  }

  /** Fills in modes that are not known; false if one is beyond this method. */
  private canTry({ groupCount, rowCount, first, kind, right }: ContactProblem, soft: Float64Array, mode: Int8Array): boolean {
    const { out, stick, sides } = this.modes
    for (let g = 0; g < groupCount; g++) {
      if (mode[g] === UNKNOWN_MODE) mode[g] = right[first[g]] < 0 || kind[g] >= GroupKind.bilateral ? stick : out
      if (mode[g] === out || mode[g] === stick || kind[g] === GroupKind.bounded) continue
      if (sides === undefined || mode[g] < 0 || mode[g] >= sides.count) return false
    }
    for (let r = 0; r < rowCount; r++) if (!(soft[r] > 0)) return false
    return true
  }

  /** Numbers the velocities of all ways; false if they are too many. */
  private gather({ blockCount, blockWay, wayStart, wayLength, way }: RowMatrix): boolean {
    if (way.length > this.at.length) this.at = new Int32Array(way.length)
    const { place, velocities, at } = this
    for (let a = 0; a < this.size; a++) place[velocities[a]] = -1
    this.size = 0
    for (let block = 0; block < blockCount; block++) {
      const w = blockWay[block]
      if (block > 0 && blockWay[block - 1] === w) continue
      for (let a = wayStart[w]; a < wayStart[w] + wayLength[w]; a++) {
        const k = way[a]
        if (place[k] < 0) {
          place[k] = this.size
          velocities[this.size++] = k
        }
        at[a] = place[k]
      }
    }
    const n = this.size
    if (n > MOST_VELOCITIES) return false
    if (n > this.x.length) {
      this.G = new Float64Array(4 * n * n)
      this.x = new Float64Array(2 * n)
      this.order = new Int32Array(2 * n)
    }
    return true
  }

  private assemble(matrix: RowMatrix, { first, limit, kind }: ContactProblem, soft: Float64Array, mode: Int8Array): void {
    const { G, size: n, modes, at, left } = this
    const { Y, nv, blockCount, blockWay, wayStart, wayLength } = matrix
    G.fill(0, 0, n * n)
    for (let a = 0; a < n; a++) G[a * n + a] = 1
    this.isSymmetric = true
    // the upper triangle alone while nothing slides: places rise along a way
    for (let g = 0; g < blockCount; g++) {
      if (mode[g] !== modes.stick) continue
      const w = blockWay[g]
      const from = wayStart[w]
      const length = wayLength[w]
      if (first[g + 1] - first[g] === 3) {
        const y0 = first[g] * nv
        const y1 = y0 + nv
        const y2 = y1 + nv
        const s0 = 1 / soft[first[g]]
        const s1 = 1 / soft[first[g] + 1]
        const s2 = 1 / soft[first[g] + 2]
        for (let a = 0; a < length; a++) {
          const v0 = s0 * Y[y0 + a]
          const v1 = s1 * Y[y1 + a]
          const v2 = s2 * Y[y2 + a]
          const row = at[from + a] * n
          for (let b = a; b < length; b++) G[row + at[from + b]] += v0 * Y[y0 + b] + (v1 * Y[y1 + b] + v2 * Y[y2 + b])
        }
        continue
      }
      const y = first[g] * nv
      const s = 1 / soft[first[g]]
      for (let a = 0; a < length; a++) {
        const value = s * Y[y + a]
        const row = at[from + a] * n
        for (let b = a; b < length; b++) G[row + at[from + b]] += value * Y[y + b]
      }
    }
    for (let g = 0; g < blockCount; g++) {
      if (mode[g] === modes.stick || mode[g] === modes.out || kind[g] === GroupKind.bounded) continue
      if (this.isSymmetric) {
        this.isSymmetric = false
        for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) G[a * n + b] = G[b * n + a]
      }
      const w = blockWay[g]
      const from = wayStart[w]
      this.combine(matrix, first[g], limit, g, mode[g])
      const y = first[g] * nv
      const s = 1 / soft[first[g]]
      for (let a = 0; a < wayLength[w]; a++) {
        const value = s * left[a]
        for (let b = 0; b < wayLength[w]; b++) G[at[from + a] * n + at[from + b]] += value * Y[y + b]
      }
    }
  }

  /** left := Y_n + mu d Y_t of a contact that slides at a corner. */
  private combine({ Y, nv, blockWay, wayLength }: RowMatrix, row: number, limit: Float64Array, g: number, corner: number): void {
    const { left, modes } = this
    const { sides } = modes
    if (sides === undefined) return
    const c = limit[g] * sides.cosine[corner]
    const s = limit[g] * sides.sine[corner]
    const y = row * nv
    for (let a = 0; a < wayLength[blockWay[g]]; a++) left[a] = Y[y + a] + c * Y[y + nv + a] + s * Y[y + 2 * nv + a]
  }

  /** p := what stands at its limit, 0 elsewhere; and what that adds to the equations. */
  private start(
    matrix: RowMatrix,
    { groupCount, rowCount, first, kind, limit }: ContactProblem,
    p: Float64Array,
    mode: Int8Array,
  ): void {
    const { modes } = this
    p.fill(0, 0, rowCount)
    let isBound = false
    for (let g = 0; g < groupCount; g++) {
      if (kind[g] !== GroupKind.bounded || mode[g] === modes.stick) continue
      isBound = true
      p[first[g]] = mode[g] === modes.atUpper ? limit[g] : -limit[g]
    }
    if (!isBound) return
    this.gatherImpulses(matrix, p)
    this.addMotion(matrix)
  }

  /** x := Σ Yᵀ p. */
  private gatherImpulses(matrix: RowMatrix, p: Float64Array): void {
    this.x.fill(0, 0, this.size)
    for (let block = 0; block < matrix.blockCount; block++) this.takeImpulses(matrix, block, p)
  }

  /** x += Yᵀ p of a block. */
  private takeImpulses(
    { Y, nv, blockRow, blockWidth, blockWay, wayStart, wayLength }: RowMatrix,
    block: number,
    p: Float64Array,
  ): void {
    const { x, at } = this
    const r = blockRow[block]
    const from = wayStart[blockWay[block]]
    const length = wayLength[blockWay[block]]
    const y = r * nv
    if (blockWidth[block] === 3) {
      const p0 = p[r]
      const p1 = p[r + 1]
      const p2 = p[r + 2]
      if (p0 === 0 && p1 === 0 && p2 === 0) return
      for (let a = 0; a < length; a++) x[at[from + a]] += Y[y + a] * p0 + (Y[y + nv + a] * p1 + Y[y + 2 * nv + a] * p2)
    } else {
      const p0 = p[r]
      if (p0 !== 0) for (let a = 0; a < length; a++) x[at[from + a]] += Y[y + a] * p0
    }
  }

  /** rest += Y x. */
  private addMotion({ Y, nv, blockCount, blockRow, blockWidth, blockWay, wayStart, wayLength }: RowMatrix): void {
    const { x, at, rest } = this
    for (let block = 0; block < blockCount; block++) {
      const r = blockRow[block]
      const from = wayStart[blockWay[block]]
      const length = wayLength[blockWay[block]]
      const y = r * nv
      let s0 = 0
      if (blockWidth[block] === 3) {
        let s1 = 0
        let s2 = 0
        for (let a = 0; a < length; a++) {
          const value = x[at[from + a]]
          s0 += Y[y + a] * value
          s1 += Y[y + nv + a] * value
          s2 += Y[y + 2 * nv + a] * value
        }
        rest[r + 1] += s1
        rest[r + 2] += s2
      } else for (let a = 0; a < length; a++) s0 += Y[y + a] * x[at[from + a]]
      rest[r] += s0
    }
  }

  /** p += what takes `rest` away from the equations. */
  private correct(matrix: RowMatrix, problem: ContactProblem, soft: Float64Array, p: Float64Array, mode: Int8Array): void {
    const { x, at, rest, lacking, modes, size, left } = this
    const { blockCount, blockWay, wayStart, wayLength } = matrix
    const { first, limit, kind } = problem
    x.fill(0, 0, size)
    for (let g = 0; g < blockCount; g++) {
      if (mode[g] === modes.out) continue
      const slides = mode[g] !== modes.stick
      if (slides && kind[g] === GroupKind.bounded) continue
      if (slides) {
        this.combine(matrix, first[g], limit, g, mode[g])
        const from = wayStart[blockWay[g]]
        const value = rest[first[g]] / soft[first[g]]
        for (let a = 0; a < wayLength[blockWay[g]]; a++) x[at[from + a]] -= left[a] * value
        continue
      }
      for (let r = first[g]; r < first[g + 1]; r++) lacking[r] = -rest[r] / soft[r]
      this.takeImpulses(matrix, g, lacking)
    }
    if (this.isSymmetric) this.solveSymmetric()
    else this.solveFactored()
    this.addMotion(matrix)
    for (let g = 0; g < blockCount; g++) {
      if (mode[g] === modes.out) continue
      const n = first[g]
      if (mode[g] === modes.stick) {
        for (let r = n; r < first[g + 1]; r++) p[r] -= rest[r] / soft[r]
      } else if (kind[g] !== GroupKind.bounded && modes.sides !== undefined) {
        p[n] -= rest[n] / soft[n]
        p[n + 1] = limit[g] * modes.sides.cosine[mode[g]] * p[n]
        p[n + 2] = limit[g] * modes.sides.sine[mode[g]] * p[n]
      }
    }
  }

  /**
   * rest := W p + right, `terms`, and the residual of the equations. A row's terms are bounded by Cauchy and Schwarz:
   * |W_rs| <= (W_rr W_ss)^1/2.
   */
  private measure(
    matrix: RowMatrix,
    { first, right, kind, rowCount, groupCount }: ContactProblem,
    soft: Float64Array,
    diagonal: Float64Array,
    p: Float64Array,
    mode: Int8Array,
  ): void {
    const { rest, terms, residual, modes } = this
    this.gatherImpulses(matrix, p)
    let impulse = 0
    for (let r = 0; r < rowCount; r++) {
      const scale = Math.sqrt(diagonal[r])
      rest[r] = right[r] + soft[r] * p[r]
      terms[r] = scale
      impulse += scale * Math.abs(p[r])
    }
    for (let r = 0; r < rowCount; r++) terms[r] = terms[r] * impulse + Math.abs(right[r])
    this.addMotion(matrix)
    let worst = 0
    for (let g = 0; g < groupCount; g++) {
      if (mode[g] === modes.out || (mode[g] !== modes.stick && kind[g] === GroupKind.bounded)) continue
      const end = mode[g] === modes.stick ? first[g + 1] : first[g] + 1
      for (let r = first[g]; r < end; r++) {
        const size = Math.abs(rest[r])
        if (!(size <= worst * terms[r])) worst = size / terms[r]
      }
    }
    residual[0] = Number.isFinite(worst) ? worst : Number.POSITIVE_INFINITY
  }

  /** Whether nothing contradicts a mode. */
  private holds({ groupCount, first, kind, limit }: ContactProblem, p: Float64Array, mode: Int8Array): boolean {
    const { rest, terms, modes } = this
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      if (kind[g] === GroupKind.bilateral) continue
      if (kind[g] === GroupKind.bounded) {
        if (mode[g] === modes.stick) {
          if (!(Math.abs(p[n]) <= limit[g])) return false
        } else if ((mode[g] === modes.atUpper ? rest[n] : -rest[n]) > ROUNDING * terms[n]) return false
        continue
      }
      if (mode[g] === modes.out) {
        if (rest[n] < -ROUNDING * terms[n]) return false
        if (modes.lifts && kind[g] === GroupKind.frictional && !this.isLifted(n, limit, g)) return false
        continue
      }
      if (!(p[n] >= 0)) return false
      if (kind[g] === GroupKind.unilateral) continue
      if (mode[g] === modes.stick ? !this.isInside(n, limit, g, p) : !this.keepsSliding(n, mode[g])) return false
    }
    return true
  }

  /** Whether a contact opens as fast as its slip times friction. */
  private isLifted(n: number, limit: Float64Array, g: number): boolean {
    const { rest } = this
    const slip = Math.sqrt(rest[n + 1] * rest[n + 1] + rest[n + 2] * rest[n + 2])
    return rest[n] >= limit[g] * slip
  }

  /** Whether friction that holds is within its bounds. */
  private isInside(n: number, limit: Float64Array, g: number, p: Float64Array): boolean {
    const { sides } = this.modes
    const most = limit[g] * p[n]
    if (sides === undefined) return p[n + 1] * p[n + 1] + p[n + 2] * p[n + 2] <= most * most
    const { count, cosine, sine } = sides
    for (let k = 0; k < count; k++) {
      const next = (k + 1) % count
      // outward normal of the edge between two corners, times its distance from the middle
      const x = cosine[k] + cosine[next]
      const y = sine[k] + sine[next]
      if (x * p[n + 1] + y * p[n + 2] > (most * (x * x + y * y)) / 2) return false
    }
    return true
  }

  /** Whether friction at a corner is against the slip, and no other corner more so. */
  private keepsSliding(n: number, corner: number): boolean {
    const { rest, terms } = this
    const { sides } = this.modes
    if (sides === undefined) return false
    const { count, cosine, sine } = sides
    const rounding = ROUNDING * Math.max(terms[n + 1], terms[n + 2])
    const sigma = -cosine[corner] * rest[n + 1] - sine[corner] * rest[n + 2]
    if (sigma < -rounding) return false
    for (let k = 0; k < count; k++) if (-cosine[k] * rest[n + 1] - sine[k] * rest[n + 2] > sigma + rounding) return false
    return true
  }

  /** G := its factors Lᵀ D L, upper triangle; false if it is not positive definite. */
  private factorSymmetric(): boolean {
    const { G, size: n } = this
    for (let k = 0; k < n; k++) {
      const pivot = k * n
      if (!(G[pivot + k] > 0)) return false
      const inverse = 1 / G[pivot + k]
      for (let i = k + 1; i < n; i++) {
        const factor = G[pivot + i] * inverse
        if (factor === 0) continue
        const row = i * n
        for (let j = i; j < n; j++) G[row + j] -= factor * G[pivot + j]
      }
      G[pivot + k] = inverse
    }
    return true
  }

  private solveSymmetric(): void {
    const { G, x, size: n } = this
    for (let k = 0; k < n; k++) {
      const value = x[k] * G[k * n + k]
      for (let i = k + 1; i < n; i++) x[i] -= G[k * n + i] * value
      x[k] = value
    }
    for (let k = n - 1; k >= 0; k--) {
      let sum = 0
      for (let j = k + 1; j < n; j++) sum += G[k * n + j] * x[j]
      x[k] -= sum * G[k * n + k]
    }
  }

  /** G := its factors with rows exchanged; false if it is singular. */
  private factor(): boolean {
    const { G, size: n, order } = this
    for (let k = 0; k < n; k++) {
      let best = k
      for (let i = k + 1; i < n; i++) if (Math.abs(G[i * n + k]) > Math.abs(G[best * n + k])) best = i
      order[k] = best
      if (!(Math.abs(G[best * n + k]) > 0)) return false
      if (best !== k) {
        for (let j = 0; j < n; j++) {
          const swap = G[k * n + j]
          G[k * n + j] = G[best * n + j]
          G[best * n + j] = swap
        }
      }
      const inverse = 1 / G[k * n + k]
      G[k * n + k] = inverse
      for (let i = k + 1; i < n; i++) {
        const factor = G[i * n + k] * inverse
        G[i * n + k] = factor
        if (factor === 0) continue
        for (let j = k + 1; j < n; j++) G[i * n + j] -= factor * G[k * n + j]
      }
    }
    return true
  }

  private solveFactored(): void {
    const { G, x, size: n, order } = this
    for (let k = 0; k < n; k++) {
      const from = order[k]
      const swap = x[k]
      x[k] = x[from]
      x[from] = swap
    }
    for (let k = 0; k < n; k++) {
      const value = x[k]
      for (let i = k + 1; i < n; i++) x[i] -= G[i * n + k] * value
    }
    for (let k = n - 1; k >= 0; k--) {
      let sum = x[k]
      for (let j = k + 1; j < n; j++) sum -= G[k * n + j] * x[j]
      x[k] = sum * G[k * n + k]
    }
  }
}
