import type { Elimination } from '../../../dynamics/index.ts'
import type { ContactStep, SolverEvents } from '../../contactModel.ts'
import { type ContactProblem, GroupKind, UNKNOWN_MODE } from '../../solvers/index.ts'
import type { RowMatrix } from './rowMatrix.ts'
import type { SolverChain } from './solverChain.ts'

/** What penetrates no deeper than this is left alone, until something does [m]. */
const LEFT_ALONE = -1e-9

/**
 * Post-stabilisation: positions are moved, and velocities left alone, by the least motion in the metric of M that makes the gaps that
 * the step would end with, to first order, non-negative, and the errors of loops zero:
 *
 *   0 <= gap + h J v⁺ + J dq ⟂ lambda >= 0,  dq = M⁻¹ Jᵀ lambda.
 *
 * Cline and Pai, Post-stabilization for rigid body simulation with contact and constraints, ICRA 2003. In terms of the step's W and
 * with dq = h v: the velocity that moves positions is v⁺ + v.
 */
export class Projection implements ContactProblem {
  rowCount = 0
  W = new Float64Array(0)
  right = new Float64Array(0)
  groupCount = 0
  first = new Int32Array(1)
  kind = new Uint8Array(0)
  limit = new Float64Array(0)

  private readonly chain: SolverChain
  private p = new Float64Array(0)
  private mode = new Int8Array(0)
  /** Per row here: its row in the step's problem; and per row there, what it gives. */
  private rowOf = new Int32Array(0)
  private given = new Float64Array(0)
  /** nv: Σ Y p of all islands. */
  private readonly column: Float64Array
  private isNeeded = false
  /** 1: the speed from which on there is something to correct, times -1 [m/s]. */
  private readonly left = new Float64Array(1)

  constructor(nv: number, chain: SolverChain) {
    this.column = new Float64Array(nv)
    this.chain = chain
  }

  begin({ dt }: ContactStep): void {
    this.left[0] = LEFT_ALONE / dt
    this.column.fill(0)
    this.isNeeded = false
  }

  /** Whether a gap would end below zero, or a loop open. @param ends per row: the distance that the step ends with, over h [m/s] */
  isNeededFor({ groupCount, first, kind }: ContactProblem, ends: Float64Array): boolean {
    for (let g = 0; g < groupCount; g++) {
      if (kind[g] === GroupKind.bilateral) return true
      if (kind[g] !== GroupKind.bounded && ends[first[g]] < this.left[0]) return true
    }
    return false
  }

  /** Corrects the distances that the step ends with; `problem` has its W. */
  project(problem: ContactProblem, matrix: RowMatrix, ends: Float64Array, events: SolverEvents): void {
    this.take(problem, ends)
    const { given, rowOf, rowCount, chain } = this
    this.p.fill(0, 0, rowCount)
    this.mode.fill(UNKNOWN_MODE, 0, this.groupCount)
    if (chain.solve(this, this.p, this.mode, 0, events) < 0) {
      events.fallbacks++ // the penetrations stay for this step
      return
    }
    given.fill(0, 0, problem.rowCount)
    for (let r = 0; r < rowCount; r++) given[rowOf[r]] = this.p[r]
    matrix.addImpulses(given, this.column)
    this.isNeeded = true
  }

  /** Normals, limits and loops of a problem. */
  private take({ W, rowCount: rows, groupCount, first, kind }: ContactProblem, ends: Float64Array): void {
    if (rows > this.right.length) this.reserve(2 * rows)
    let count = 0
    for (let g = 0; g < groupCount; g++) {
      if (kind[g] === GroupKind.bounded) continue
      this.right[count] = ends[first[g]]
      this.rowOf[count] = first[g]
      this.first[count] = count
      this.kind[count] = kind[g] === GroupKind.bilateral ? GroupKind.bilateral : GroupKind.unilateral
      count++
    }
    this.first[count] = count
    this.rowCount = count
    this.groupCount = count
    for (let a = 0; a < count; a++) {
      for (let b = 0; b < count; b++) this.W[a * count + b] = W[this.rowOf[a] * rows + this.rowOf[b]]
    }
  }

  private reserve(rows: number): void {
    this.W = new Float64Array(rows * rows)
    this.right = new Float64Array(rows)
    this.first = new Int32Array(rows + 1)
    this.kind = new Uint8Array(rows)
    this.limit = new Float64Array(rows)
    this.p = new Float64Array(rows)
    this.mode = new Int8Array(rows)
    this.rowOf = new Int32Array(rows)
    this.given = new Float64Array(rows)
  }

  /** vMove += the velocity that the corrections take. */
  addTo(vMove: Float64Array, pattern: Elimination, L: Float64Array): void {
    if (!this.isNeeded) return
    const { column } = this
    pattern.solveL(L, column)
    for (let k = 0; k < column.length; k++) vMove[k] += column[k]
  }
}
