import type { ContactStep, ReportedParameter } from '../contactModel.ts'
import type { ContactSolver, FrictionLaw } from '../solvers/index.ts'
import type { LoopSource } from './couplings/loopSource.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import type { JointSource } from './jointSource.ts'
import type { PatchChoice } from './uniformPatch.ts'

/** Position correction of penetrations and loops. */
export type Drift = 'baumgarte' | 'projection' | 'none'

/** A law of compliant contacts: the impulse p and u + R p + added, in place of the velocity u, obey Coulomb's law. */
export interface CompliantContact {
  /** Whether rows depend on the diagonal of M~. Default false. */
  readonly usesMass?: boolean
  /**
   * out = [R of the normal, R of the tangents [1/kg], added along normal, tangent 1, tangent 2 [m/s]] of contact i. On entry: the values of
   * a rigid contact; `uStart`, `uFree` and `pointsOf` of `ImpulseProblem.contacts` are valid.
   */
  write(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number): void
  /**
   * out = [R [1/kg, 1/(kg m²)], added [m/s, rad/s]] of joint row j, for laws with compliant joints; their limits are active only beyond the
   * limit. On entry: the values of a rigid one.
   */
  writeJoint?(out: Float64Array, joints: JointSource, j: number): void
  /** out = [R [1/kg, 1/(kg m²)], added [m/s, rad/s]] of loop row r, for laws with compliant loops. On entry: the values of a rigid one. */
  writeLoop?(out: Float64Array, loops: LoopSource, r: number): void
  /** Spring parameters of contact i, in the order of `spring`, to out from `at` on; compliant laws only. */
  writeSpring?(out: Float64Array, at: number, problem: ImpulseProblem, step: ContactStep, i: number): void
}

/** A model's own assembly of the Delassus matrix W = J M~⁻¹ Jᵀ. */
export interface WrittenMatrix {
  /** W := J M~⁻¹ Jᵀ of the rows of `problem.system`, with tangents rotated to the pyramids' corners. */
  write(problem: ImpulseProblem, step: ContactStep, W: Float64Array): void
}

/** Pass over an island after its solve. */
export interface ImpulsePass {
  /** @param change nv, in: zero at the island's velocities; out: the velocity change by the island's impulses */
  propagate(problem: ImpulseProblem, step: ContactStep, change: Float64Array): void
}

/** Solution of the friction of a velocity-level model. */
export interface FrictionMethod {
  readonly friction: FrictionLaw
  /** Number of sides of the pyramid. */
  readonly sides?: number
  /** Solvers besides Newton's method, on the assembled W, tried after it in this order; their solutions then count as fallbacks. */
  readonly solvers: readonly ContactSolver[]
  /** Index of the solver tried before Newton's method, -1 if none. */
  readonly initialSolver: number
  /** Assembly of W, also for Newton's method, in place of responses to unit impulses. */
  readonly matrix?: WrittenMatrix
  /** Most rows for which W is assembled for `solvers`. */
  readonly mostRows?: number
  /** Pass after the solve, which replaces the addition of its velocity changes. */
  readonly pass?: ImpulsePass
  readonly used: readonly ReportedParameter[]
}

/** Conditions of the rows in a model of accelerations and forces, in place of those of `ImpulseProblem`. */
export interface RowConditions {
  /** out[0] := velocity added to the free normal velocity of contact i [m/s]; `correct` as in `RowSource.setTargets`. */
  writeContact(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number, correct: number): void
  /** out[0] := velocity added to the free velocity of joint row j, a limit [m/s, rad/s]; `correct` as above. */
  writeLimit(out: Float64Array, problem: ImpulseProblem, step: ContactStep, j: number, correct: number): void
  /** Sets kinds, limits and corners of the island's contacts. */
  setGroups(problem: ImpulseProblem, step: ContactStep): void
  /** Solves for w and p, with `IslandSolver.solveRows` one or more times. @returns false if there is no solution */
  solve(problem: ImpulseProblem, step: ContactStep): boolean
}

export interface ImpulseOptions {
  readonly conditions?: RowConditions
  /** Spring-damper law of the contacts. Undefined: rigid but for `compliance`. */
  readonly compliant?: CompliantContact
  /** Points of action of friction on lines and faces. */
  readonly patch: PatchChoice
  /** Whether pyramids are rotated until a corner lies along the slip, where their error is least. Not needed for cones. */
  readonly turns: boolean
  /**
   * Largest gap of an active contact, which then counts as touching: Anitescu and Potra [m]. Undefined: all detected contacts are active,
   * and may close their gap (Stewart and Trinkle).
   */
  readonly activeDistance: number | undefined
  /** Whether contacts that adhere are active up to their range. Default false. */
  readonly tethers?: boolean
  readonly drift: Drift
  /** Baumgarte: the fraction of a penetration that one step removes, and the greatest speed of the correction [m/s]. */
  readonly stabilization: number
  readonly correctionSpeed: number
  /** Normal compliance of a pair times the mass of the island's heaviest tree; that of tangents is a tenth of it. */
  readonly compliance: number
  readonly softensCrowds: boolean
  /** Whether dry friction of joints is part of the problem. */
  readonly dryJoints: boolean
  /** Whether loops are closed at the end of the step (`LoopEnds`), not to first order at its start. Default false. */
  readonly closesLoops?: boolean
  /** Whether the step is the trapezoidal rule (`TrapezoidalDynamics`), not implicit Euler. Default false. */
  readonly trapezoidal?: boolean
}

/** Active contacts of a step, and their gap constraints. Arrays have one entry per contact. */
export interface RowTargets {
  /** 1 if the contact is active. */
  readonly active: Uint8Array
  /** Gap at the start of the step [m]. */
  readonly gap: Float64Array
  /** 1 if the whole gap, also a negative one, is to be closed within this step. */
  readonly exact: Uint8Array
}
