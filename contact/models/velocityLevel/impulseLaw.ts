import type { ContactStep } from '../../contactModel.ts'
import type { PatchChoice } from '../friction/index.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import type { JointRows } from './jointRows.ts'

/** What removes a penetration, and what else has come apart. */
export type Drift = 'baumgarte' | 'projection' | 'none'

/** A law whose contacts yield: its p obeys the law of friction with u + R p + added in place of u. */
export interface CompliantContact {
  /**
   * out = [R along the normal, R along the tangents [1/kg], added along normal, tangent 1, tangent 2 [m/s]] of contact i. In: what a rigid
   * contact has; `ImpulseProblem.uStart`, `uFree` and `pointsOf` are known.
   */
  write(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number): void
  /**
   * out = [R [1/kg, 1/(kg m²)], added [m/s, rad/s]] of row j of the joints, where these yield too; a limit is then a row once it is
   * passed. In: what a rigid one has.
   */
  writeJoint?(out: Float64Array, joints: JointRows, j: number): void
  /** Of a compliant law: the numbers of contact i, in the order of `spring`, to out[at] and on. */
  writeSpring?(out: Float64Array, at: number, problem: ImpulseProblem, step: ContactStep, i: number): void
}

/** What a model at the level of forces asks of the rows, where that is not what `ImpulseProblem` asks by itself. */
export interface RowConditions {
  /** out[0] := what is added to the free normal velocity of contact i [m/s]; `correct` as in `ImpulseProblem.setRight`. */
  writeContact(out: Float64Array, problem: ImpulseProblem, step: ContactStep, i: number, correct: number): void
  /** The same of row j of the joints, a limit [m/s, rad/s]. */
  writeLimit(out: Float64Array, problem: ImpulseProblem, step: ContactStep, j: number, correct: number): void
  /** Kinds, limits and corners of the island's contacts. */
  setGroups(problem: ImpulseProblem, step: ContactStep): void
  /** w and p, by `ImpulseProblem.ask` as often as it takes. @returns false if there is no answer */
  find(problem: ImpulseProblem, step: ContactStep): boolean
}

export interface ImpulseOptions {
  readonly conditions?: RowConditions
  /** Of a law with springs; undefined: contacts are rigid but for `compliance`. */
  readonly compliant?: CompliantContact
  /** Where friction acts on lines and faces. */
  readonly patch: PatchChoice
  /** Whether pyramids are turned so that a corner lies along the slip: they err least there. Cones have no need of it. */
  readonly turns: boolean
  /**
   * Up to which gap a contact takes part, as one that touches: Anitescu and Potra [m]. Undefined: all that are near take part, and may
   * close their gap (Stewart and Trinkle).
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

/** Which of a step's contacts are rows, and what gaps they have to meet; each has an entry per contact. */
export interface RowTargets {
  /** 1 if it is a row; the others are left out, and end with the gap that they end with. */
  readonly active: Uint8Array
  /** How far apart it is at the start of the step [m]. */
  readonly gap: Float64Array
  /** 1 where its gap is reached within the step whatever its sign, and nothing of it left to later steps. */
  readonly exact: Uint8Array
}
