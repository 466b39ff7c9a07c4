import { addWork } from '../../../dynamics/math/index.ts'
import {
  type ComplementaritySolver,
  checkComplementarity,
  complementarityResidual,
  type SolverStatus,
} from '../complementarity.ts'
import { DenseLU } from '../denseLU.ts'

/** Passes of the scaling; after three the largest entries of rows and columns are 1 to some per cent. */
const SCALING_PASSES = 3
/** Pivots of an active set's matrix below this fraction of the first are rounding: that unknown keeps its value. */
const RANK_TOLERANCE = 1e-11
/** Refinements, by its residual, of the solution of an active set's system. */
const CORRECTIONS = 2
/** Most sets of one walk, and its largest entry in units of the scaled problem. */
const WALK = 12
const FAR = 1e12
/** Start k has the fractional parts of (i + 1)(i + k + 1) golden + k silver, which order no two starts equally. */
const GOLDEN = 0.6180339887498949
const SILVER = 0.7548776662466927
/** Sizes of the starting points, used in turn, in units of the scaled problem. */
const START_SIZE = Float64Array.of(1, 4, 0.25, 16)

/**
 * Base of solvers that scale a mixed linear complementarity problem, with the check of their solutions. Methods that measure the residual
 * of a point by one number depend on units: with A' = D A D and b' = D b / s the problem in z' = z / (s D) has the same solutions, entries
 * of rows and columns whose largest is about 1, and a largest b of 1. One D for both sides keeps symmetric matrices symmetric and
 * semidefinite ones semidefinite.
 *
 * `settle` and `accept` test whether a point solves the given problem; an accepted one is in z and w.
 */
export abstract class ScaledComplementarity implements ComplementaritySolver {
  abstract readonly name: string
  iterations = 0
  protected n = 0
  /** n x n, n, n: the scaled problem; `free` is the caller's array. */
  protected A = new Float64Array(0)
  protected b = new Float64Array(0)
  protected free: Uint8Array = new Uint8Array(0)
  /** n: the caller's guess, not negative unless z is free. */
  protected start = new Float64Array(0)
  /** n: the last tested point and its A z + b, in the caller's units. */
  z = new Float64Array(0)
  w = new Float64Array(0)
  /** 1: `complementarityResidual` of that point. */
  readonly residual = new Float64Array(1)

  private givenA: Float64Array = new Float64Array(0)
  private givenB: Float64Array = new Float64Array(0)
  /** D, and 1: s. */
  private scale = new Float64Array(0)
  private readonly unit = new Float64Array(1)
  private largest = new Float64Array(0)
  /** The last set of `settle`, first entry -1 if none; and whether its matrix was regular. */
  private tried = new Int8Array(0)
  private regular = false
  private set = new Int32Array(0)
  private readonly lu = new DenseLU()
  private left = new Float64Array(0)
  private step = new Float64Array(0)
  private point = new Float64Array(0)
  private guess = new Float64Array(0)
  private readonly tolerance: Float64Array

  /** @param tolerance largest `complementarityResidual` of a solution */
  constructor(tolerance: number) {
    this.tolerance = Float64Array.of(tolerance)
  }

  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): SolverStatus {
    this.iterations = 0
    return this.load(n, A, b, free, start) ? this.search(n, A) : 'residual'
  }

  protected abstract reserveSearch(n: number): void

  /**
   * Solves the scaled problem.
   *
   * @param given n x n: A in the caller's units
   */
  protected abstract search(n: number, given: Float64Array): SolverStatus

  /** Loads and scales a problem. @returns false if a number of it is not finite; then z is 0 and the residual Infinity */
  private load(n: number, A: Float64Array, b: Float64Array, free: Uint8Array, start: Float64Array): boolean {
    checkComplementarity(this.name, n, A, b, free, start)
    this.reserve(n)
    this.n = n
    this.givenA = A
    this.givenB = b
    this.free = free
    this.tried[0] = -1
    const { scale, unit, largest } = this
    scale.fill(1, 0, n)
    addWork(n, n, 8)
    let sum = 0 // NaN if anything is not finite
    for (let k = 0; k < n * n; k++) sum += A[k] * 0
    for (let i = 0; i < n; i++) sum += (b[i] + start[i]) * 0
    if (sum !== 0) {
      this.z.fill(0, 0, n)
      this.w.fill(0, 0, n)
      this.residual[0] = Number.POSITIVE_INFINITY
      return false
    }
    for (let pass = 0; pass < SCALING_PASSES; pass++) {
      largest.fill(0, 0, n)
      for (let i = 0; i < n; i++) {
        let most = largest[i]
        for (let j = 0; j < n; j++) {
          const size = Math.abs(A[i * n + j]) * scale[i] * scale[j]
          if (size > most) most = size
          if (size > largest[j]) largest[j] = size
        }
        if (most > largest[i]) largest[i] = most
      }
      for (let i = 0; i < n; i++) if (largest[i] > 0) scale[i] /= Math.sqrt(largest[i])
    }
    unit[0] = 0
    for (let i = 0; i < n; i++) {
      const size = Math.abs(b[i]) * scale[i]
      if (size > unit[0]) unit[0] = size
    }
    if (unit[0] === 0) unit[0] = 1
    const inverse = 1 / unit[0]
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) this.A[i * n + j] = scale[i] * scale[j] * A[i * n + j]
      this.b[i] = scale[i] * b[i] * inverse
      const guess = (start[i] * inverse) / scale[i]
      this.start[i] = free[i] === 0 && guess < 0 ? 0 : guess
    }
    return true
  }

  private reserve(n: number): void {
    if (n <= this.b.length) return
    this.A = new Float64Array(n * n)
    this.b = new Float64Array(n)
    this.start = new Float64Array(n)
    this.z = new Float64Array(n)
    this.w = new Float64Array(n)
    this.scale = new Float64Array(n)
    this.largest = new Float64Array(n)
    this.tried = new Int8Array(n)
    this.set = new Int32Array(n)
    this.lu.reserve(n)
    this.left = new Float64Array(n)
    this.step = new Float64Array(n)
    this.point = new Float64Array(n)
    this.guess = new Float64Array(n)
    this.reserveSearch(n)
  }

  /** w := A x + b, scaled. */
  protected multiply(x: Float64Array, w: Float64Array): void {
    const { n, A, b } = this
    addWork(n, n, 1)
    for (let i = 0; i < n; i++) {
      let sum = b[i]
      for (let j = 0; j < n; j++) sum += A[i * n + j] * x[j]
      w[i] = sum
    }
  }

  /** Whether the scaled point x, after projection, solves the given problem. */
  protected accept(x: Float64Array): boolean {
    const { n, free, z, scale, unit } = this
    for (let i = 0; i < n; i++) z[i] = free[i] === 0 && !(x[i] > 0) ? 0 : unit[0] * scale[i] * x[i]
    complementarityResidual(n, this.givenA, this.givenB, free, z, this.w, this.residual)
    return this.residual[0] <= this.tolerance[0]
  }

  /**
   * Whether the active set has a solution: w_i = 0 for free rows and those with active[i] = 1, all other z being 0. Dependent unknowns,
   * those of the last pivots, keep their values in x. The set tried last is not tried again, unless its solution depends on x.
   *
   * @param active n
   * @param x      n, scaled; only read
   */
  protected settle(active: Uint8Array, x: Float64Array): boolean {
    const { n, A, b, free, tried, set, lu, left, step, point } = this
    const { LU: H } = lu
    let m = 0
    let known = true
    for (let i = 0; i < n; i++) {
      const on = free[i] === 1 || active[i] === 1 ? 1 : 0
      if (tried[i] !== on) known = false
      tried[i] = on
      point[i] = 0
      if (on === 0) continue
      point[i] = x[i]
      set[m++] = i
    }
    if (known && this.regular) return false
    for (let k = 0; k < m; k++) for (let l = 0; l < m; l++) H[k * m + l] = A[set[k] * n + set[l]]
    addWork(m, m, 1 + CORRECTIONS)
    lu.factorFully(m, RANK_TOLERANCE)
    this.regular = lu.rank === m
    for (let round = 0; round < CORRECTIONS; round++) {
      for (let k = 0; k < m; k++) {
        let sum = -b[set[k]]
        for (let l = 0; l < m; l++) sum -= A[set[k] * n + set[l]] * point[set[l]]
        left[k] = sum
      }
      lu.solve(left, step)
      for (let k = 0; k < m; k++) point[set[k]] += step[k]
    }
    return this.accept(point)
  }

  /**
   * Whether a sequence of active sets leads to a solution, each derived from the solution of the last: i is active if z_i > w_i. This is
   * Newton's method on min(z, w), without a line search: fast when a merit falls slowly, but it may cycle.
   *
   * @param active n, in: the first set; out: the last
   */
  protected walk(active: Uint8Array, x: Float64Array): boolean {
    const { n, point, guess, left } = this
    for (let i = 0; i < n; i++) guess[i] = x[i]
    for (let step = 0; step < WALK; step++) {
      if (this.settle(active, guess)) return true
      let size = 0
      for (let i = 0; i < n; i++) if (Math.abs(point[i]) > size) size = Math.abs(point[i])
      if (!(size < FAR)) return false
      this.multiply(point, left)
      for (let i = 0; i < n; i++) {
        active[i] = point[i] > left[i] ? 1 : 0
        guess[i] = point[i]
      }
    }
    return false
  }

  /** x := starting point k of a fixed sequence: from 0 to 1 (free unknowns: from -1 to 1) times a size that depends on k. */
  protected spread(k: number, x: Float64Array): void {
    const { n, free } = this
    const size = START_SIZE[k % START_SIZE.length]
    for (let i = 0; i < n; i++) {
      const part = ((i + 1) * (i + k + 1) * GOLDEN + k * SILVER) % 1
      x[i] = size * (free[i] === 1 ? 2 * part - 1 : part)
    }
  }
}
