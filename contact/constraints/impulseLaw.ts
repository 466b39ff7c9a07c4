import type { ContactStep, ReportedParameter } from '../contactModel.ts'
import type { ContactSolver, FrictionLaw } from '../solvers/index.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import type { JointSource } from './jointSource.ts'
import type { PatchChoice } from './uniformPatch.ts'

/** Correction of penetrations and of open loops. */
export type Drift = 'baumgarte' | 'projection' | 'none'

/** A law of compliant contacts: p obeys the law of friction with u + R p + added in place of u. */
export interface CompliantContact {
  /**
   * out = [R along the normal, R along the tangents [1/kg], added along normal, tangent 1, tangent 2 [m/s]] of contact i. In: those of a
   * rigid contact; `uStart`, `uFree` and `pointsOf` of `ImpulseProblem.contacts` are known.
   */
  write(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number): void
  /**
   * out = [R [1/kg, 1/(kg m²)], added [m/s, rad/s]] of row j of the joints, where these are compliant too; a limit is then a row once it is
   * passed. In: those of a rigid one.
   */
  writeJoint?(out: Float64Array, joints: JointSource, j: number): void
  /** Of a compliant law: the numbers of contact i, in the order of `spring`, to out[at] and on. */
  writeSpring?(out: Float64Array, at: number, problem: ImpulseProblem, step: ContactStep, i: number): void
}

/** Assembly of the Delassus matrix by a model of its own. */
export interface WrittenMatrix {
  /** W := J M~⁻¹ Jᵀ of the rows of `problem.system`, tangents rotated to their corners. */
  write(problem: ImpulseProblem, step: ContactStep, W: Float64Array): void
}

/** Pass over an island that has just been solved. */
export interface ImpulsePass {
  /** @param change nv, in: zero at the island's velocities; out: their change by its impulses */
  propagate(problem: ImpulseProblem, step: ContactStep, change: Float64Array): void
}

/** How a velocity-level model's friction is solved. */
export interface FrictionMethod {
  readonly friction: FrictionLaw
  /** Of the pyramid. */
  readonly sides?: number
  /** Solvers besides Newton's method, on the assembled W; a solution of theirs after Newton's failure counts as a fallback. */
  readonly solvers: readonly ContactSolver[]
  /** Index of the one tried before Newton's method, -1 if none. */
  readonly initialSolver: number
  /** Assembly of W, for Newton's method too, in place of responses to unit impulses. */
  readonly matrix?: WrittenMatrix
  /** Rows up to which W is assembled for `solvers`. */
  readonly mostRows?: number
  /** Pass after the solve, in place of the addition of its velocities. */
  readonly pass?: ImpulsePass
  readonly used: readonly ReportedParameter[]
}

/** Conditions of the rows in a force-level model, where they differ from those of `ImpulseProblem`. */
export interface RowConditions {
  /** out[0] := velocity added to the free normal one of contact i [m/s]; `correct` as in `RowSource.setTargets`. */
  writeContact(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number, correct: number): void
  /** The same of row j of the joints, a limit [m/s, rad/s]. */
  writeLimit(out: Float64Array, problem: ImpulseProblem, step: ContactStep, j: number, correct: number): void
  /** Kinds, limits and corners of the island's contacts. */
  setGroups(problem: ImpulseProblem, step: ContactStep): void
  /** Solves for w and p, by `IslandSolver.solveRows` as often as needed. @returns false if there is no solution */
  solve(problem: ImpulseProblem, step: ContactStep): boolean
}

export interface ImpulseOptions {
  readonly conditions?: RowConditions
  /** Of a law with springs; undefined: contacts are rigid but for `compliance`. */
  readonly compliant?: CompliantContact
  /** Where friction acts on lines and faces. */
  readonly patch: PatchChoice
  /** Whether pyramids are rotated so that a corner lies along the slip, where their error is least. Not needed by cones. */
  readonly turns: boolean
  /**
   * Largest gap of an active contact, which then counts as touching: Anitescu and Potra [m]. Undefined: all near contacts are active, and
   * may close their gap (Stewart and Trinkle).
   */
  readonly activeDistance: number | undefined
  readonly drift: Drift
  /** Baumgarte: the part of a penetration that one step removes, and the fastest speed at which it does [m/s]. */
  readonly stabilization: number
  readonly correctionSpeed: number
  /** Softness of a pair's normals times the mass of the island's heaviest tree; tangents have a tenth of it. */
  readonly compliance: number
  readonly softensCrowds: boolean
  /** Whether dry friction of joints is part of the problem. */
  readonly dryJoints: boolean
  /** Whether loops are closed at the end of a step, `LoopEnds`, and not along their tangent. Default false. */
  readonly closesLoops?: boolean
  /** Whether the step is the trapezoidal one, `TrapezoidalDynamics`, and not the implicit Euler one. Default false. */
  readonly trapezoidal?: boolean
}

/** Active contacts of a step, and their gap constraints; each has an entry per contact. */
export interface RowTargets {
  /** 1 if it is a row; the others are unconstrained. */
  readonly active: Uint8Array
  /** Gap at the start of the step [m]. */
  readonly gap: Float64Array
  /** 1 where its gap, whatever its sign, may be closed within the step, nothing of it left to later steps. */
  readonly exact: Uint8Array
}
