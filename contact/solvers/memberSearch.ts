import type { SolverStatus } from './complementarity.ts'
import type { ContactConstraints } from './contactConstraints.ts'

/**
 * A problem of contacts under constraints, as `MemberSearch` sees it: it chooses which contacts are rows, somebody else
 * solves for these (the problem of Stewart and Trinkle, with friction and whatever else there is).
 *
 * Gaps are over the step: psi / h [m/s].
 */
export interface MemberProblem {
  readonly contactCount: number
  readonly constraints: ContactConstraints
  /** Per contact: a number of its features, which decides ties; no two contacts have the same. */
  readonly key: Int32Array
  /** Per contact: the gap at the start of the step, for paths; undefined where only the end is asked for. */
  readonly startGap: Float64Array | undefined
  /**
   * Solves with the contacts of which active[i] is 1 as unilateral rows, and writes `endGap`, `impulse` and `cost`. False if there is no
   * answer.
   */
  solveActive(active: Uint8Array): boolean
  /** Per contact, active or not: psi / h + J_n v⁺ [m/s]. */
  readonly endGap: Float64Array
  /** Per contact: its normal impulse, 0 for those that are not active [N s]. */
  readonly impulse: Float64Array
  /** 1: |v⁺ - v_free|² in M, what the choice is made by. */
  readonly cost: Float64Array
}

export type SearchStatus = SolverStatus
