import type { SolverStatus } from './complementarity.ts'

/** Condition on a group of rows. A number, for typed arrays. */
export const GroupKind = {
  /** One row: 0 <= p ⟂ u >= 0. A contact without friction, or a joint limit. */
  unilateral: 0,
  /** Three rows, normal and two tangents: p_n as above, and friction of at most `limit` times p_n against the slip. */
  frictional: 1,
  /** Three rows: p_n as above, and friction of `limit` times p_n along tangent 1, against a given slip. */
  sliding: 2,
  /** Three rows: p_n as above, and friction of at most `limit` against the slip, independent of p_n. */
  disc: 3,
  /** One row: u = 0, p of any sign. A closed loop. */
  bilateral: 4,
  /** One row: |p| <= limit; u = 0 inside, p = -limit for u > 0, p = +limit for u < 0. A joint's dry friction. */
  bounded: 5,
  /** Like `frictional` or `unilateral`, but 0 <= p_n - least ⟂ u_n >= 0, `least` from an impact's compression; only for Newton's method. */
  pressed: 6,
} as const
export type GroupKind = (typeof GroupKind)[keyof typeof GroupKind]

/**
 * One contact problem in impulses p and velocities u = W p + rhs (or forces and accelerations), as groups of rows: only numbers, without
 * robots or contacts.
 */
export interface ContactProblem {
  readonly rowCount: number
  /** rowCount x rowCount, row-major in the first entries: J M⁻¹ Jᵀ plus compliance on the diagonal; symmetric, positive semidefinite. */
  readonly W: Float64Array
  /** rowCount: u without impulses, plus the approach speed permitted by gaps. */
  readonly rhs: Float64Array
  readonly groupCount: number
  /** groupCount + 1: the rows of group g are first[g] to first[g + 1] - 1. */
  readonly first: Int32Array
  /** groupCount: `GroupKind`. */
  readonly kind: Uint8Array
  /** groupCount: coefficient of friction of a frictional or sliding group, greatest |p| of a bounded one, greatest friction of a disc, 0 for others. */
  readonly limit: Float64Array
  /** `spring.size` numbers a group, of a compliant law. */
  readonly springs?: Float64Array
}

/**
 * Parameters of a contact of a compliant law, whose normal impulse at velocity u is
 *
 *   n(u) = (impulse - stiffness u)+ (1 - dissipation u)+        (Hunt and Crossley 1975, over one step)
 *
 *   impulse      impulse of the spring over the step at its initial depth, at least 0 [N s]
 *   stiffness    above 0; 0 in groups of no contact, which are rigid [kg]
 *   dissipation  [s/m]
 *   before       normal impulse by which friction is bounded under `lagged`: that of the start of the step [N s]
 *   slip         epsilon, by which friction is regularised, above 0; under `tamsi` the stiction tolerance v_s [m/s]
 */
export const spring = { impulse: 0, stiffness: 1, dissipation: 2, before: 3, slip: 4, size: 5 } as const

/**
 * Law of friction:
 *
 *   pyramid     p_t in a pyramid of `sides` sides inscribed in the cone, the first corner along tangent 1, of maximum dissipation (Stewart
 *               and Trinkle 1996): an LCP
 *   cone        the exact cone |p_t| <= mu p_n, p_t opposite to the slip (Coulomb's law): a nonlinear complementarity problem
 *   associated  the cone with slip that lifts off by mu |u_t|, so that u lies in the dual cone: the optimality conditions of a
 *               convex problem (Anitescu 2006)
 *   lagged      p_n = n(u_n), p_t = -mu n_before t(u_t), t(x) = x / sqrt(|x|² + epsilon²): friction bounded by the load at the step's start
 *   similar     p_n = n(z), p_t = -mu n(z) t(u_t), z = u_n - mu (sqrt(|u_t|² + epsilon²) - epsilon)
 *   tamsi       p_n = n(u_n), p_t = -mu n(u_n) m(u_t), m(x) = min(s (2 - s), 1 at s >= 1) x / r, s = r / v_s, r = sqrt(|x|² + (v_s / 100)²)
 *
 * The last three are compliant: p is a function of u, with the numbers of `spring`. That of `lagged` and `similar` is the negative gradient
 * of a convex potential (Castro, Han and Masterjohn, Irrotational contact fields, 2023), that of `tamsi` is no gradient (Castro, Qu,
 * Kuppuswamy, Alspach and Sherman, A transition-aware method, IEEE RA-L 5, 2020).
 */
export const frictionLaws = ['pyramid', 'cone', 'associated', 'lagged', 'similar', 'tamsi'] as const
export type FrictionLaw = (typeof frictionLaws)[number]
export type CompliantLaw = 'lagged' | 'similar' | 'tamsi'

/** Whether a law's contacts have the numbers of `spring`. @unchecked */
export const isCompliant = (law: FrictionLaw): law is CompliantLaw => law === 'lagged' || law === 'similar' || law === 'tamsi'

/** Slip by which the direction of friction is softened under `tamsi`, as a share of v_s. */
export const TAMSI_SOFT = 0.01

/** A first mode without a guess. */
export const UNKNOWN_MODE = -3

/**
 * A solver of `ContactProblem`s under one law, set at construction. Allocates nothing once its workspace has grown; nothing is random.
 */
export interface ContactSolver {
  readonly name: string
  readonly law: FrictionLaw
  /** Passes, pivots, sweeps or Newton steps of the last solve. */
  readonly iterations: number
  /** `ContactNewton.orientation` of the last solution, for solvers that have it. */
  readonly orientation?: number
  /** 1: `contactResidual` of the solution. */
  readonly residual: Float64Array
  /**
   * @param p    rowCount, in: a guess, such as the last step's solution, zero where unknown; out: the solution, if `solved`
   * @param mode groupCount, in and out: small integers specific to this solver, UNKNOWN_MODE if unknown; unchanged by a solver without
   * modes
   */
  solve(problem: ContactProblem, p: Float64Array, mode: Int8Array): SolverStatus
}
