import {
  type ContactProblem,
  type FrictionLaw,
  factorSymmetric,
  GroupKind,
  type PyramidSides,
  solveSymmetric,
  UNKNOWN_MODE,
} from '../../solvers/index.ts'
import type { RowMatrix } from './rowMatrix.ts'

/** More velocities than this are not guessed at once: the cost grows with their third power. */
const MOST_VELOCITIES = 300
/** Passes in which modes change before a search is given up: in few rows another solver is soon found, in many there is none as quick. */
const FEW_ROWS = 60
const PASS_LIMIT = 30
const PASS_LIMIT_MANY = 60
/** In so many first passes all contradicted groups change at once; then every other one, so that they do not swing together. */
const TOGETHER = 8
/** Changes of a group from which on it is no longer taken to stick. */
const MOST_STOPS = 5
/** Relative size below which a speed or an impulse of the wrong sign is rounding. */
const ROUNDING = 1e-12
/** Sine of the angle by which friction may miss the slip. */
const STRAIGHT = 1e-9
/** Friction so near to the border of its cone, relative to its size, is taken to be on it. */
const ON_BORDER = 1e-9
/** Largest relative residual of an answer; one that is larger is refined so often. */
const TOLERANCE = 1e-14
const REFINEMENTS = 4

// what a group does
const OUT = 0
const STICK = 1
/** Friction has its greatest size, along a direction that may turn; see `across`. */
const SLIDE = 2
const UPPER = 3
const LOWER = 4

/** What numbers of a mode mean to the solver that goes on where this one has no answer. */
export interface ModeNames {
  readonly out: number
  readonly stick: number
  /** Of a bounded group. */
  readonly atUpper: number
  readonly atLower: number
  /** Of a contact that slides, on a cone. On a pyramid it is the number of the corner, or `sides` plus that of the edge after it. */
  readonly slide: number
}

/**
 * Guesses what each contact and joint does, solves the linear system that belongs to it, changes what the answer contradicts, and goes on
 * until nothing does. Starts from the modes of the last step, which mostly hold. All of it without W: in the velocities on the ways
 * from the contacts to the roots in place of the rows. With W = Y Yᵀ + S, S the softness, and x = Σ Yᵀ p, rows that hold have
 * p = -S⁻¹ (right + Y x), so
 *
 *   (I + Σ Yᵀ S⁻¹ Y) x = -Σ Yᵀ S⁻¹ right,
 *
 * of as many unknowns as velocities take part: 29 where a humanoid on two feet has 54 rows, 108 where a heap of 18 boxes has 450.
 *
 * A contact that slides has p_t = mu p_n d + c e, e across d, and the row u_n = 0, under 'associated' u_n = mu |u_t|. On a pyramid d is a
 * corner and c = 0, or d is the middle of an edge and c holds it across, e.u_t = 0. On a cone d is against the slip u of the pass before,
 * and c = -(mu p_n / |u|) e.u_t, the change of that direction to first order: Newton's method.
 *
 * Softness of 1e-5 costs five digits of sixteen in p, of which refinement brings most back. The answer is checked like any other: signs,
 * friction, and the equations.
 */
export class TreeGuess {
  readonly name = 'tree-guess'
  /** 1: largest residual of the equations of the last answer, relative to the terms summed. */
  readonly residual = new Float64Array(1)
  /** Passes of the last call. */
  iterations = 0
  private readonly law: FrictionLaw
  private readonly names: ModeNames
  private readonly sides: PyramidSides
  /** 2: distance of an edge from the middle, and half its length. */
  private readonly edge: Float64Array
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
  /** Per row: what an equation lacks, the sum of the sizes of its terms, and what would make up for it. */
  private rest = new Float64Array(0)
  private terms = new Float64Array(0)
  private lacking = new Float64Array(0)
  /** Per group: what it does, how often that has changed, and which corner or edge it slides at. */
  private state = new Int8Array(0)
  private changes = new Uint8Array(0)
  private corner = new Int8Array(0)
  /** Per group, 2: d, friction over mu p_n. */
  private direction = new Float64Array(0)
  /** Per group: how soft friction is across d, Infinity where it does not turn. */
  private across = new Float64Array(0)
  /** Per group: softness of the normal's row of what slides. */
  private softNormal = new Float64Array(0)
  /** nv: see `combine`. */
  private readonly left: Float64Array
  private readonly leftAcross: Float64Array
  private readonly onEdge = new Float64Array(1)

  /** @param sides of the pyramid; of no meaning under other laws */
  constructor(nv: number, law: FrictionLaw, names: ModeNames, sides: PyramidSides) {
    this.law = law
    this.names = names
    this.sides = sides
    const { cosine, sine } = sides
    const [x, y] = [0.5 * (cosine[0] + cosine[1]), 0.5 * (sine[0] + sine[1])]
    const distance = Math.hypot(x, y)
    this.edge = Float64Array.of(distance, Math.sqrt(1 - distance * distance))
    this.place = new Int32Array(nv).fill(-1)
    this.velocities = new Int32Array(nv)
    this.left = new Float64Array(nv)
    this.leftAcross = new Float64Array(nv)
  }

  /**
   * @param soft     per row, above 0; that of a contact's two tangents is the same
   * @param diagonal per row: of W, without softness
   * @param p        rowCount, in: a guess of impulses, for the directions of friction; out: the answer
   * @param mode     groupCount, in and out: as the solver numbers them that comes after; out only where there is an answer
   * @returns whether p answers the problem
   */
  solve(
    matrix: RowMatrix,
    problem: ContactProblem,
    soft: Float64Array,
    diagonal: Float64Array,
    p: Float64Array,
    mode: Int8Array,
  ): boolean {
    const { rowCount, groupCount } = problem
    this.iterations = 0
    this.reserve(rowCount, groupCount)
    for (let r = 0; r < rowCount; r++) if (!(soft[r] > 0)) return false
    if (!this.gather(matrix)) return false
    this.soften(problem, soft)
    this.adopt(problem, p, mode)
    if (this.search(matrix, problem, soft, diagonal, p, false)) {
      this.tell(problem, mode)
      return true
    }
    // what swings when all change together mostly does not when one does at a time
    if (rowCount > FEW_ROWS) return false
    this.forget(problem)
    if (!this.search(matrix, problem, soft, diagonal, p, true)) return false
    this.tell(problem, mode)
    return true
  }

  /** Passes from the present states on, until nothing is contradicted. */
  private search(
    matrix: RowMatrix,
    problem: ContactProblem,
    soft: Float64Array,
    diagonal: Float64Array,
    p: Float64Array,
    single: boolean,
  ): boolean {
    const { rowCount, right } = problem
    const limit = single || rowCount > FEW_ROWS ? PASS_LIMIT_MANY : PASS_LIMIT
    for (let pass = 1; pass <= limit; pass++) {
      this.iterations++
      this.assemble(matrix, problem, soft)
      if (!(this.isSymmetric ? factorSymmetric(this.size, this.G) : this.factor())) return false
      const { rest } = this
      for (let r = 0; r < rowCount; r++) rest[r] = right[r]
      this.start(matrix, problem, p)
      for (let round = 0; ; round++) {
        this.correct(matrix, problem, soft, p)
        this.measure(matrix, problem, soft, diagonal, p)
        if (this.residual[0] <= TOLERANCE || round === REFINEMENTS) break
      }
      if (!(this.residual[0] <= TOLERANCE)) return false
      const changed = single ? this.changeFirst(problem, p) : this.change(problem, p, pass > TOGETHER ? pass % 2 : -1)
      if (changed <= 0) return changed === 0
    }
    return false
  }

  /** States as if nothing were known. */
  private forget({ groupCount, first, kind, right }: ContactProblem): void {
    const { state, changes } = this
    for (let g = 0; g < groupCount; g++) {
      changes[g] = 0
      state[g] = kind[g] >= GroupKind.bilateral || right[first[g]] < 0 ? STICK : OUT
    }
  }

  private reserve(rows: number, groups: number): void {
    if (rows > this.rest.length) {
      this.rest = new Float64Array(2 * rows)
      this.terms = new Float64Array(2 * rows)
      this.lacking = new Float64Array(2 * rows)
    }
    if (groups <= this.state.length) return
    this.state = new Int8Array(2 * groups)
    this.changes = new Uint8Array(2 * groups)
    this.corner = new Int8Array(2 * groups)
    this.direction = new Float64Array(4 * groups)
    this.across = new Float64Array(2 * groups)
    this.softNormal = new Float64Array(2 * groups)
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

  /** What the last step's modes and impulses say of each group. */
  private adopt({ groupCount, first, kind, right, limit }: ContactProblem, p: Float64Array, mode: Int8Array): void {
    const { names, state, changes, sides, law } = this
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      changes[g] = 0
      const m = mode[g]
      if (kind[g] >= GroupKind.bilateral) {
        state[g] = kind[g] === GroupKind.bounded && m === names.atUpper ? UPPER : STICK
        if (kind[g] === GroupKind.bounded && m === names.atLower) state[g] = LOWER
      } else if (m === UNKNOWN_MODE) state[g] = right[n] < 0 ? STICK : OUT
      else if (m === names.out) state[g] = OUT
      else if (m === names.stick || kind[g] === GroupKind.unilateral) state[g] = STICK
      else if (law === 'pyramid') this.slideAt(g, m < 2 * sides.count ? m : 0)
      else {
        const size = Math.sqrt(p[n + 1] * p[n + 1] + p[n + 2] * p[n + 2])
        // friction well inside its cone holds, whatever it was called
        if (size < (1 - 1e-6) * limit[g] * p[n] || !(size > 0)) state[g] = STICK
        else this.slideAlong(g, n, p, 1)
      }
    }
  }

  private soften({ groupCount, first, kind, limit }: ContactProblem, soft: Float64Array): void {
    const { softNormal, law } = this
    for (let g = 0; g < groupCount; g++) {
      softNormal[g] = soft[first[g]]
      if (law === 'associated' && kind[g] === GroupKind.frictional) softNormal[g] += limit[g] * limit[g] * soft[first[g] + 1]
    }
  }

  /** A contact slides at a corner of its pyramid, or with friction somewhere on an edge. */
  private slideAt(g: number, m: number): void {
    const { state, corner, direction, across, sides, edge } = this
    const { count, cosine, sine } = sides
    const k = m % count
    state[g] = SLIDE
    corner[g] = m
    if (m < count) {
      direction[2 * g] = cosine[k]
      direction[2 * g + 1] = sine[k]
      across[g] = Number.POSITIVE_INFINITY
      return
    }
    const next = (k + 1) % count
    const scale = 0.5 / edge[0]
    direction[2 * g] = scale * (cosine[k] + cosine[next]) * edge[0]
    direction[2 * g + 1] = scale * (sine[k] + sine[next]) * edge[0]
    across[g] = 0
  }

  /** A contact slides with friction along the tangents of `along` at its rows, or against them; it sticks where these are 0. */
  private slideAlong(g: number, n: number, along: Float64Array, sign: number): void {
    const { state, direction, across } = this
    const size = Math.sqrt(along[n + 1] * along[n + 1] + along[n + 2] * along[n + 2])
    state[g] = size > 0 ? SLIDE : STICK
    if (!(size > 0)) return
    direction[2 * g] = (sign * along[n + 1]) / size
    direction[2 * g + 1] = (sign * along[n + 2]) / size
    across[g] = Number.POSITIVE_INFINITY
  }

  private tell({ groupCount, kind }: ContactProblem, mode: Int8Array): void {
    const { state, names, law, corner } = this
    for (let g = 0; g < groupCount; g++) {
      const s = state[g]
      if (s === SLIDE) mode[g] = law === 'pyramid' ? corner[g] : names.slide
      else if (s === STICK) mode[g] = names.stick
      else if (s === OUT && kind[g] < GroupKind.bilateral) mode[g] = names.out
      else mode[g] = s === UPPER ? names.atUpper : names.atLower
    }
  }

  private assemble(matrix: RowMatrix, { first, limit }: ContactProblem, soft: Float64Array): void {
    const { G, size: n, at, left, leftAcross, state, law, across, softNormal } = this
    const { Y, nv, blockCount, blockWay, wayStart, wayLength } = matrix
    G.fill(0, 0, n * n)
    for (let a = 0; a < n; a++) G[a * n + a] = 1
    this.isSymmetric = true
    // the upper triangle alone while the sum is symmetric: places rise along a way
    for (let g = 0; g < blockCount; g++) {
      if (state[g] !== STICK) continue
      const from = wayStart[blockWay[g]]
      const length = wayLength[blockWay[g]]
      const y0 = first[g] * nv
      const s0 = 1 / soft[first[g]]
      if (first[g + 1] - first[g] === 3) {
        const y1 = y0 + nv
        const y2 = y1 + nv
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
      for (let a = 0; a < length; a++) {
        const value = s0 * Y[y0 + a]
        const row = at[from + a] * n
        for (let b = a; b < length; b++) G[row + at[from + b]] += value * Y[y0 + b]
      }
    }
    for (let g = 0; g < blockCount; g++) {
      if (state[g] !== SLIDE) continue
      const from = wayStart[blockWay[g]]
      const length = wayLength[blockWay[g]]
      this.combine(matrix, first[g], limit, g)
      if (across[g] < Number.POSITIVE_INFINITY) {
        const s = 1 / (across[g] + soft[first[g] + 1])
        for (let a = 0; a < length; a++) {
          const value = s * leftAcross[a]
          const row = at[from + a] * n
          for (let b = a; b < length; b++) G[row + at[from + b]] += value * leftAcross[b]
        }
      }
      const s = 1 / softNormal[g]
      if (law === 'associated') {
        for (let a = 0; a < length; a++) {
          const value = s * left[a]
          const row = at[from + a] * n
          for (let b = a; b < length; b++) G[row + at[from + b]] += value * left[b]
        }
      } else this.isSymmetric = false
    }
    if (this.isSymmetric) return
    for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) G[a * n + b] = G[b * n + a]
    for (let g = 0; g < blockCount; g++) {
      if (state[g] !== SLIDE) continue
      const from = wayStart[blockWay[g]]
      const length = wayLength[blockWay[g]]
      this.combine(matrix, first[g], limit, g)
      const y = first[g] * nv
      const s = 1 / soft[first[g]]
      for (let a = 0; a < length; a++) {
        const value = s * left[a]
        const row = at[from + a] * n
        for (let b = 0; b < length; b++) G[row + at[from + b]] += value * Y[y + b]
      }
    }
  }

  /** left := Y_n + mu d.Y_t of a contact that slides, leftAcross := e.Y_t. */
  private combine({ Y, nv, blockWay, wayLength }: RowMatrix, row: number, limit: Float64Array, g: number): void {
    const { left, leftAcross, direction } = this
    const x = direction[2 * g]
    const y = direction[2 * g + 1]
    const size = Math.sqrt(x * x + y * y)
    const c = limit[g] * x
    const s = limit[g] * y
    const ex = -y / size
    const ey = x / size
    const n = row * nv
    for (let a = 0; a < wayLength[blockWay[g]]; a++) {
      const t1 = Y[n + nv + a]
      const t2 = Y[n + 2 * nv + a]
      left[a] = Y[n + a] + (c * t1 + s * t2)
      leftAcross[a] = ex * t1 + ey * t2
    }
  }

  /** p := what stands at its limit, 0 elsewhere; and what that adds to the equations. */
  private start(matrix: RowMatrix, { groupCount, rowCount, first, limit }: ContactProblem, p: Float64Array): void {
    const { state } = this
    p.fill(0, 0, rowCount)
    let isBound = false
    for (let g = 0; g < groupCount; g++) {
      if (state[g] !== UPPER && state[g] !== LOWER) continue
      isBound = true
      p[first[g]] = state[g] === UPPER ? limit[g] : -limit[g]
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
    const p0 = p[r]
    if (blockWidth[block] === 3) {
      const p1 = p[r + 1]
      const p2 = p[r + 2]
      if (p0 === 0 && p1 === 0 && p2 === 0) return
      for (let a = 0; a < length; a++) x[at[from + a]] += Y[y + a] * p0 + (Y[y + nv + a] * p1 + Y[y + 2 * nv + a] * p2)
    } else if (p0 !== 0) for (let a = 0; a < length; a++) x[at[from + a]] += Y[y + a] * p0
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
  private correct(matrix: RowMatrix, { first, limit }: ContactProblem, soft: Float64Array, p: Float64Array): void {
    const { x, at, rest, lacking, size, left, leftAcross, state, across, softNormal, law } = this
    const { Y, nv, blockCount, blockWay, wayStart, wayLength } = matrix
    x.fill(0, 0, size)
    for (let g = 0; g < blockCount; g++) {
      const n = first[g]
      if (state[g] === STICK) {
        for (let r = n; r < first[g + 1]; r++) lacking[r] = -rest[r] / soft[r]
        this.takeImpulses(matrix, g, lacking)
      } else if (state[g] === SLIDE) {
        const from = wayStart[blockWay[g]]
        this.combine(matrix, n, limit, g)
        this.lackOfSliding(n, limit, g, p)
        const along = lacking[n] / softNormal[g]
        const over = lacking[n + 1] / (across[g] + soft[n + 1])
        for (let a = 0; a < wayLength[blockWay[g]]; a++) x[at[from + a]] -= left[a] * along + leftAcross[a] * over
      }
    }
    if (this.isSymmetric) solveSymmetric(size, this.G, x)
    else this.solveFactored()
    // what slides lacks little beside its slip: its equations are brought up to date by themselves, not by the difference of large terms
    for (let g = 0; g < blockCount; g++) {
      if (state[g] !== SLIDE) continue
      const n = first[g]
      const from = wayStart[blockWay[g]]
      this.combine(matrix, n, limit, g)
      for (let a = 0; a < wayLength[blockWay[g]]; a++) {
        lacking[n] += (law === 'associated' ? left[a] : Y[n * nv + a]) * x[at[from + a]]
        lacking[n + 1] += leftAcross[a] * x[at[from + a]]
      }
    }
    this.addMotion(matrix)
    for (let g = 0; g < blockCount; g++) {
      const n = first[g]
      if (state[g] === STICK) {
        for (let r = n; r < first[g + 1]; r++) p[r] -= rest[r] / soft[r]
      } else if (state[g] === SLIDE) this.correctSliding(n, limit, g, soft, p)
    }
  }

  /** lacking[n], [n + 1] := what the two equations of a contact that slides lack. */
  private lackOfSliding(n: number, limit: Float64Array, g: number, p: Float64Array): void {
    const { rest, lacking, direction, across, law } = this
    const x = direction[2 * g]
    const y = direction[2 * g + 1]
    const size = Math.sqrt(x * x + y * y)
    lacking[n] = law === 'associated' ? rest[n] + limit[g] * (x * rest[n + 1] + y * rest[n + 2]) : rest[n]
    lacking[n + 1] =
      across[g] < Number.POSITIVE_INFINITY
        ? (x * rest[n + 2] - y * rest[n + 1] + across[g] * (x * p[n + 2] - y * p[n + 1])) / size
        : 0
  }

  private correctSliding(n: number, limit: Float64Array, g: number, soft: Float64Array, p: Float64Array): void {
    const { lacking, direction, across, softNormal } = this
    const x = direction[2 * g]
    const y = direction[2 * g + 1]
    const size = Math.sqrt(x * x + y * y)
    const over = (x * p[n + 2] - y * p[n + 1]) / size - lacking[n + 1] / (across[g] + soft[n + 1])
    p[n] -= lacking[n] / softNormal[g]
    p[n + 1] = limit[g] * x * p[n] - (over * y) / size
    p[n + 2] = limit[g] * y * p[n] + (over * x) / size
  }

  /**
   * rest := W p + right, `terms`, and the residual of the equations. A row's terms are bounded by Cauchy and Schwarz:
   * |W_rs| <= (W_rr W_ss)^1/2.
   */
  private measure(
    matrix: RowMatrix,
    { first, right, rowCount, groupCount, limit }: ContactProblem,
    soft: Float64Array,
    diagonal: Float64Array,
    p: Float64Array,
  ): void {
    const { rest, terms, residual, state, lacking } = this
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
      const n = first[g]
      if (state[g] === STICK) {
        for (let r = n; r < first[g + 1]; r++) {
          const size = Math.abs(rest[r])
          if (!(size <= worst * terms[r])) worst = size / terms[r]
        }
      } else if (state[g] === SLIDE) {
        this.lackOfSliding(n, limit, g, p)
        const size = Math.abs(lacking[n])
        const most = terms[n] + limit[g] * (terms[n + 1] + terms[n + 2])
        if (!(size <= worst * most)) worst = size / most
      }
    }
    residual[0] = Number.isFinite(worst) ? worst : Number.POSITIVE_INFINITY
  }

  /**
   * Changes the groups that the answer contradicts: all of them if `parity` is -1, else those of even or odd number. How many are
   * contradicted; -1 if some group has changed too often.
   */
  private change({ groupCount, first, kind, limit }: ContactProblem, p: Float64Array, parity: number): number {
    const { state, changes } = this
    let contradicted = 0
    for (let g = 0; g < groupCount; g++) {
      if (this.holds(g, first[g], kind[g], limit, p)) continue
      contradicted++
      if (parity >= 0 && g % 2 !== parity && contradicted > 1) continue
      if (changes[g]++ === 20) return -1
      this.changeGroup(g, first[g], kind[g], limit, p)
      if (state[g] === SLIDE && kind[g] !== GroupKind.frictional) state[g] = STICK
    }
    return contradicted
  }

  /** Changes the first group that the answer contradicts: 1, or 0 if there is none, -1 if it has changed too often. */
  private changeFirst({ groupCount, first, kind, limit }: ContactProblem, p: Float64Array): number {
    const { changes } = this
    for (let g = 0; g < groupCount; g++) {
      if (this.holds(g, first[g], kind[g], limit, p)) continue
      if (changes[g]++ === 20) return -1
      this.changeGroup(g, first[g], kind[g], limit, p)
      return 1
    }
    return 0
  }

  private holds(g: number, n: number, kind: number, limit: Float64Array, p: Float64Array): boolean {
    const { rest, terms, state, law } = this
    const s = state[g]
    if (kind === GroupKind.bilateral) return true
    if (kind === GroupKind.bounded) {
      if (s === STICK) return Math.abs(p[n]) <= limit[g]
      return (s === UPPER ? rest[n] : -rest[n]) <= ROUNDING * terms[n]
    }
    if (s === OUT) {
      if (rest[n] < -ROUNDING * terms[n]) return false
      return law !== 'associated' || kind !== GroupKind.frictional || this.isLifted(n, limit, g)
    }
    if (!(p[n] >= 0)) return false
    if (kind === GroupKind.unilateral) return true
    if (s === STICK) return law === 'pyramid' ? this.edgeCrossed(n, limit, g, p) < 0 : this.isInCone(n, limit, g, p)
    return law === 'pyramid' ? this.keepsSliding(n, limit, g, p) : this.slidesStraight(n, limit, g, p)
  }

  /** Whether a contact opens as fast as its slip times friction. */
  private isLifted(n: number, limit: Float64Array, g: number): boolean {
    const { rest } = this
    const slip = Math.sqrt(rest[n + 1] * rest[n + 1] + rest[n + 2] * rest[n + 2])
    return rest[n] >= limit[g] * slip - ROUNDING * this.terms[n]
  }

  private isInCone(n: number, limit: Float64Array, g: number, p: Float64Array): boolean {
    const most = limit[g] * p[n] * (1 + ON_BORDER)
    return p[n + 1] * p[n + 1] + p[n + 2] * p[n + 2] <= most * most
  }

  /** Whether friction of a contact that slides on a cone is against its slip. */
  private slidesStraight(n: number, limit: Float64Array, g: number, p: Float64Array): boolean {
    const { rest, terms, direction } = this
    const x = direction[2 * g]
    const y = direction[2 * g + 1]
    const slip = -(x * rest[n + 1] + y * rest[n + 2])
    const over = x * rest[n + 2] - y * rest[n + 1]
    const rounding = ROUNDING * (terms[n + 1] + terms[n + 2])
    if (slip < -rounding) return false
    if (Math.abs(over) > STRAIGHT * slip + rounding) return false
    return this.isInCone(n, limit, g, p)
  }

  private changeGroup(g: number, n: number, kind: number, limit: Float64Array, p: Float64Array): void {
    const { state, rest, law } = this
    const s = state[g]
    if (kind === GroupKind.bounded) {
      state[g] = s !== STICK ? STICK : p[n] > 0 ? UPPER : LOWER
      return
    }
    if (s !== OUT && !(p[n] >= 0)) {
      state[g] = OUT
      return
    }
    if (kind === GroupKind.unilateral || limit[g] === 0) {
      state[g] = STICK
      return
    }
    if (law === 'pyramid') {
      this.changePyramid(g, n, limit, p)
      return
    }
    const u1 = rest[n + 1]
    const u2 = rest[n + 2]
    const slip = Math.sqrt(u1 * u1 + u2 * u2)
    if (s === OUT) {
      // it comes back sliding: one that left while it stuck was perhaps pulled off by the friction of that
      this.slideAlong(g, n, rest, -1)
      return
    }
    if (s === STICK) {
      this.slideAlong(g, n, p, 1)
      return
    }
    // slip that goes with friction was stopped by it; one that does so again and again slides, in another direction
    const isDriven = u1 * this.direction[2 * g] + u2 * this.direction[2 * g + 1] > 0
    if ((isDriven && this.changes[g] < MOST_STOPS) || !(slip > 0)) {
      state[g] = STICK
      return
    }
    this.slideAlong(g, n, rest, -1)
    const strength = limit[g] * p[n]
    if (strength > 0) this.across[g] = slip / strength
  }

  private changePyramid(g: number, n: number, limit: Float64Array, p: Float64Array): void {
    const { state, rest, corner, changes, sides } = this
    const { count, cosine, sine } = sides
    if (state[g] === OUT) {
      this.slideAt(g, this.cornerAgainst(n))
      return
    }
    if (state[g] === STICK) {
      // first to the corner nearest to the friction it wants; when it comes back from there, to the edge
      const edge = this.edgeCrossed(n, limit, g, p)
      this.slideAt(g, changes[g] <= 1 ? this.cornerAlong(n, p) : count + edge)
      return
    }
    const k = corner[g] % count
    const next = (k + 1) % count
    if (corner[g] < count) {
      const sigma = -cosine[k] * rest[n + 1] - sine[k] * rest[n + 2]
      if (sigma < 0) {
        state[g] = STICK
        return
      }
      const best = this.cornerAgainst(n)
      this.slideAt(g, best === next ? count + k : k === (best + 1) % count ? count + best : best)
      return
    }
    if (-(this.direction[2 * g] * rest[n + 1] + this.direction[2 * g + 1] * rest[n + 2]) < 0) {
      state[g] = STICK
      return
    }
    this.measureOnEdge(n, g, p)
    this.slideAt(g, this.onEdge[0] > 0 ? next : k)
  }

  /** onEdge[0] := friction along the edge that it is on, from the edge's middle. */
  private measureOnEdge(n: number, g: number, p: Float64Array): void {
    const { direction, onEdge } = this
    const x = direction[2 * g]
    const y = direction[2 * g + 1]
    onEdge[0] = (x * p[n + 2] - y * p[n + 1]) / Math.sqrt(x * x + y * y)
  }

  /** The edge that friction lies farthest beyond, -1 if it lies within the pyramid. */
  private edgeCrossed(n: number, limit: Float64Array, g: number, p: Float64Array): number {
    const { sides, edge } = this
    const { count, cosine, sine } = sides
    let crossed = -1
    let worst = limit[g] * p[n] * edge[0] * (1 + ON_BORDER)
    const scale = 0.5 / edge[0]
    for (let k = 0; k < count; k++) {
      const next = k + 1 === count ? 0 : k + 1
      const out = scale * ((cosine[k] + cosine[next]) * p[n + 1] + (sine[k] + sine[next]) * p[n + 2])
      if (out <= worst) continue
      worst = out
      crossed = k
    }
    return crossed
  }

  /** Whether friction and slip of a contact that slides at its pyramid's corner or edge agree. */
  private keepsSliding(n: number, limit: Float64Array, g: number, p: Float64Array): boolean {
    const { rest, terms, corner, direction, edge, sides } = this
    const { count, cosine, sine } = sides
    const rounding = ROUNDING * Math.max(terms[n + 1], terms[n + 2])
    const x = direction[2 * g]
    const y = direction[2 * g + 1]
    const sigma = -x * rest[n + 1] - y * rest[n + 2]
    if (sigma < -rounding) return false
    if (corner[g] >= count) {
      this.measureOnEdge(n, g, p)
      return Math.abs(this.onEdge[0]) <= limit[g] * p[n] * edge[1] * (1 + ON_BORDER)
    }
    for (let k = 0; k < count; k++) if (-cosine[k] * rest[n + 1] - sine[k] * rest[n + 2] > sigma + rounding) return false
    return true
  }

  /** The corner nearest to the friction of the contact at row n. */
  private cornerAlong(n: number, p: Float64Array): number {
    const { count, cosine, sine } = this.sides
    let best = 0
    for (let k = 1; k < count; k++) {
      if (cosine[k] * p[n + 1] + sine[k] * p[n + 2] > cosine[best] * p[n + 1] + sine[best] * p[n + 2]) best = k
    }
    return best
  }

  /** The corner most against the slip of the contact at row n. */
  private cornerAgainst(n: number): number {
    const { rest, sides } = this
    const { count, cosine, sine } = sides
    let best = 0
    for (let k = 1; k < count; k++) {
      if (cosine[k] * rest[n + 1] + sine[k] * rest[n + 2] < cosine[best] * rest[n + 1] + sine[best] * rest[n + 2]) best = k
    }
    return best
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
