import type { FrictionLaw } from './solvers/index.ts'

/**
 * A step's contact problem in the form of a file: `featherbed solve` reads it, and every solver can solve it again. The required fields
 * suffice for a problem written by hand.
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
  /** Per contact: bound of friction if known beforehand, in place of mu p_n with mu above 0 [N s]. */
  readonly bounds?: readonly number[]
  /** [s] */
  readonly dt: number
  /** Per contact: offset added to the free normal velocity [m/s]. Default gap / dt. */
  readonly allowed?: readonly number[]
  /** Per contact, 2: offsets added to the free velocities along its tangents [m/s]. Default 0. */
  readonly addedSlip?: readonly (readonly number[])[]
  /** Other rows: joint limits, dry friction of joints, loops; `added` as in `allowed`, `limit` as in `ContactProblem`. */
  readonly rows?: readonly SavedRow[]
  /** Per row of J, then of `rows`: compliance, added to the diagonal of J M⁻¹ Jᵀ. Default 0. */
  readonly softness?: readonly number[]
  /**
   * Joint constraints of several contacts (`ContactConstraints`). A contact in none has a unilateral constraint; default: all. With
   * constraints the contacts of J are the candidates, and psi = J_n v + allowed + softness p_n.
   */
  readonly constraints?: readonly SavedConstraint[]
  /** Whether constraints must also hold along the linear path from `gap` at the start to the end of the step. Default false. */
  readonly path?: boolean
  /** Indices of the contacts active in the model, some possibly with zero impulse. */
  readonly active?: readonly number[]
  /** Per contact of a compliant law (`lagged`, `similar`): the five numbers of `spring`, in their order. */
  readonly springs?: readonly (readonly number[])[]
  /** Friction law of the model, and sides of its pyramid. */
  readonly law?: FrictionLaw
  readonly sides?: number
  /** Origin: contact model, robots, time [s], outcome of each solver tried. */
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
  /** Disjuncts: the greatest of their values must be at least 0 at the end of the step. */
  readonly members: readonly SavedMember[]
}

export interface SavedMember {
  /** Whether its contacts may have impulses for the constraint; false for kind `cross`. */
  readonly pushes: boolean
  /** Indices of contacts; their least psi is the value of the disjunct. */
  readonly contacts: readonly number[]
}
