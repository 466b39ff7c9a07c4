/** Result of a solver for a problem, its timing and its comparison with others. */
import type { FrictionLaw, SolverStatus } from '../../contact/index.ts'

/** A result reported as solved is none with a larger residual than this. */
export const TOLERANCE = 1e-6

/** One solver's result for a problem. */
export interface SolverResult {
  readonly name: string
  /** Of contact problems: the law of friction that it solves. */
  readonly law?: FrictionLaw
  readonly status: 'solved' | 'failed' | 'not-applicable'
  /**
   * Why it failed: an unbounded ray, the cap on iterations, an answer that does not hold; of problems with constraints also one that
   * violates them, at the end of the step or on the way there; null if it did not.
   */
  readonly reason: 'ray' | 'limit' | 'residual' | 'constraints' | 'path' | null
  /**
   * The answer, or null without one. Of a contact problem the impulses [N s, N m s]: normal, tangent 1 and tangent 2 of each
   * contact, then one for each of `rows`.
   */
  readonly z: readonly number[] | null
  /**
   * How far the answer is from one, measured here and the same for all solvers: `complementarityResidual` or
   * `contactResidual`. Of a failure the solver's own figure at its end. null where it is not finite or nothing was tried.
   */
  readonly residual: number | null
  readonly iterations: number
  /** Least of several solves from nothing; null where nothing was tried. */
  readonly microseconds: number | null
  /** Of contact problems: the velocity with these impulses, nv; null without an answer. */
  readonly velocity?: readonly number[] | null

  // of problems with constraints alone
  /** Violation of the constraints by the answer, of those measured; null where nothing was found [m/s]. */
  readonly constraintViolation?: number | null
  /** |v⁺ - v_free| in M [kg^1/2 m/s]; null without an answer. */
  readonly cost?: number | null
  /** The members that push, as places in the file; null without an answer. */
  readonly pushing?: readonly PushingMember[] | null
}

export interface PushingMember {
  readonly constraint: number
  readonly member: number
  /** Of the member: the contacts that push. */
  readonly contacts: readonly number[]
}

/** How far apart the answers of those solvers are that had one. */
export interface Agreement {
  /** null where it is no contact problem. */
  readonly law: FrictionLaw | null
  /** Compared quantity: w = A z + b, or the velocity. Neither z nor the impulses, which may not be unique. */
  readonly of: 'w' | 'velocity'
  /** How many solvers had an answer. */
  readonly solvers: number
  /** Largest difference of any two of them in one entry; null of fewer than two. */
  readonly largestDifference: number | null
}

/** Called before each solve with the solver's name and the part of them that is done, 0 to 1. */
export type Progress = (name: string, fraction: number) => void

export const untried = { status: 'not-applicable', reason: null, z: null, residual: null, iterations: 0 } as const

/** Computing time that goes into finding the least [ms]. */
const TIMED = 20
const MOST_REPETITIONS = 1000

export function timed(solve: () => SolverStatus): { status: SolverStatus; time: number } {
  const start = performance.now()
  const status = solve()
  return { status, time: performance.now() - start }
}

/**
 * The least time of a solve [µs], of repetitions that are all the same.
 *
 * @param first time of one that is past [ms] @param solver one in another process knows its own time, without the way there [s]
 */
export function leastTime(solve: () => SolverStatus, first: number, solver: object): number {
  const own = (clock: number) => ('seconds' in solver ? 1e3 * Number(solver.seconds) : clock)
  let least = own(first)
  let sum = first
  for (let k = 0; k < MOST_REPETITIONS && sum < TIMED; k++) {
    const { time } = timed(solve)
    least = Math.min(least, own(time))
    sum += time
  }
  return 1e3 * least
}

export function agreementOf(law: FrictionLaw | null, of: Agreement['of'], answers: readonly Float64Array[]): Agreement {
  let largest = 0
  const size = answers[0]?.length ?? 0
  for (let i = 0; i < size; i++) {
    const values = answers.map((answer) => answer[i])
    largest = Math.max(largest, Math.max(...values) - Math.min(...values))
  }
  return { law, of, solvers: answers.length, largestDifference: answers.length > 1 ? largest : null }
}
