import type { FrictionLaw } from './solvers/index.ts'

/**
 * A step's problem of contact as a file holds it: `featherbed solve` reads it, and every solver can try it again. The first six
 * fields are all that a problem written by hand needs.
 */
export interface SavedProblem {
  readonly kind: 'contact'
  /** nv x nv [kg, kg m, kg m²]: the mass matrix, with the implicit part of damping. */
  readonly M: readonly (readonly number[])[]
  /** 3 rows of nv a contact: normal, tangent 1, tangent 2. u = J v. */
  readonly J: readonly (readonly number[])[]
  /** nv: the velocity without contact [rad/s, m/s]. */
  readonly vFree: readonly number[]
  /** Per contact [m]. */
  readonly gap: readonly number[]
  /** Per contact. */
  readonly mu: readonly number[]
  /** Per contact: the greatest friction where that is known before, in place of mu p_n for mu above 0 [N s]. */
  readonly bounds?: readonly number[]
  /** [s] */
  readonly dt: number
  /** Per contact: what is added to the free normal velocity [m/s]. Default gap / dt. */
  readonly allowed?: readonly number[]
  /** Per contact, 2: what is added to the free velocities along its tangents [m/s]. Default 0. */
  readonly addedSlip?: readonly (readonly number[])[]
  /** Rows that are no contacts: joint limits, dry friction of joints, closed loops. `added` like `allowed`, `limit` as a group's. */
  readonly rows?: readonly SavedRow[]
  /** Per row of J, then of `rows`: added to the diagonal of J M⁻¹ Jᵀ. Default 0. */
  readonly softness?: readonly number[]
  /**
   * What contacts have to satisfy together (`ContactConstraints`); one that is named by none stands by itself. Default: all do. With
   * constraints the contacts of J are those that there is a choice among, and psi = J_n v + allowed + softness p_n.
   */
  readonly constraints?: readonly SavedConstraint[]
  /** Whether constraints have to hold on the straight way from `gap` at the start to the end of the step too. Default false. */
  readonly path?: boolean
  /** Indices of the contacts that the model took as rows, of which not all need push. */
  readonly active?: readonly number[]
  /** Per contact of a law with springs (`lagged`, `similar`): the five numbers of `spring`, in their order. */
  readonly springs?: readonly (readonly number[])[]
  /** What the model meant: law of friction, sides of its pyramid. */
  readonly law?: FrictionLaw
  readonly sides?: number
  /** Where it came from: contact model, robots, time [s], the outcome of each solver that was asked. */
  readonly origin?: Readonly<Record<string, unknown>>
}

export interface SavedRow {
  readonly kind: 'unilateral' | 'bilateral' | 'bounded'
  /** nv */
  readonly J: readonly number[]
  readonly added: number
  readonly limit?: number
}

export interface SavedConstraint {
  readonly kind: 'unilateral' | 'inter' | 'cross'
  /** The greatest of their values is to be at least 0 at the end of the step. */
  readonly members: readonly SavedMember[]
}

export interface SavedMember {
  /** Whether its contacts may push for the constraint; not for one of kind `cross`. */
  readonly pushes: boolean
  /** Indices of contacts, the least psi of which is the value of the member. */
  readonly contacts: readonly number[]
}
