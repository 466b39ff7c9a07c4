/** The options of each contact model, as docs/scenario.md says what they mean. The models read them, and refuse what is not theirs. */
import type { ImpactHypothesis } from '../impacts/index.ts'
import type { Drift } from './velocityLevel/impulseLaw.ts'

interface Patch {
  readonly patch?: 'corners' | 'uniform'
}

interface Friction extends Patch {
  readonly friction?: 'regularised' | 'springs' | 'solved'
  /** [m/s] */
  readonly stickSpeed?: number
  /** With springs. */
  readonly tangentialStiffness?: number
  readonly impacts?: 'stronge' | 'newton' | 'poisson' | 'none'
  /** Unless impacts are 'none' [m/s]. */
  readonly restitutionThreshold?: number
}

interface Penalty extends Friction {
  readonly integral?: boolean
  readonly lambda?: number
  readonly kiRatio?: number
  readonly gains?: 'physical' | 'paper'
  /** Of all pairs [N/m], [N s/m], [N/m]. */
  readonly kp?: number
  readonly kv?: number
  readonly ki?: number
}

export interface PenaltyDeepestOptions extends Penalty {
  readonly separation?: 'damped' | 'discontinuous'
}

export interface PenaltyOptions extends Penalty {
  readonly fullShare?: number
  readonly points?: 'bottom' | 'volume'
}

export interface HuntCrossleyOptions extends Friction {
  readonly exponent?: number
  /** [m/s] */
  readonly referenceSpeed?: number
}

interface RigidImpacts {
  readonly impulses?: 'simultaneous' | 'sequential'
  /** 'stronge' with sequential impulses. */
  readonly impacts?: ImpactHypothesis
  /** [m/s] */
  readonly restitutionThreshold?: number
}

export interface LcpOptions extends RigidImpacts, Patch {
  readonly compliance?: number
  readonly drift?: 'pairs' | 'deepest-point' | 'none'
  readonly matrix?: 'auto' | 'factored' | 'test-forces' | 'recursive'
  readonly solver?: 'newton' | 'baraff' | 'murty'
}

interface VelocityLevel extends Patch {
  readonly drift?: Drift
  readonly stabilization?: number
  /** [m/s] */
  readonly correctionSpeed?: number
  readonly compliance?: number
  readonly jointFriction?: 'exact' | 'regularised'
}

interface StepEnds {
  readonly loops?: 'tangent' | 'end-of-step'
}

interface RigidStep extends StepEnds {
  readonly step?: 'euler' | 'trapezoidal'
}

interface Pyramid {
  readonly sides?: 4 | 6 | 8 | 12 | 16
  readonly solver?: 'newton' | 'lemke' | 'lmmcp' | 'path-following'
}

interface Cone {
  readonly solver?: 'newton' | 'contact-pgs-anderson'
}

interface PyramidOptions extends VelocityLevel, RigidImpacts, Pyramid {}

export interface StewartTrinkleOptions extends PyramidOptions, RigidStep {}

export interface AnitescuPotraOptions extends StewartTrinkleOptions {
  /** [m] */
  readonly activeDistance?: number
}

export interface ConeOptions extends VelocityLevel, RigidImpacts, Cone, RigidStep {}

export interface NcpOptions extends Omit<ConeOptions, 'solver'> {
  readonly solver?: Cone['solver'] | 'contact-pgs' | 'micro-impulses'
  /** With contact-pgs. */
  readonly sweeps?: number
  readonly shockPropagation?: boolean
  /** With micro-impulses. */
  readonly microRestitution?: number
}

export interface MujocoOptions extends VelocityLevel, StepEnds {
  readonly cone?: 'elliptic' | 'pyramidal'
  readonly solver?: NonNullable<(Pyramid | Cone)['solver']>
  readonly timeConstant?: number
  readonly dampingRatio?: number
  readonly dmin?: number
  readonly dmax?: number
  readonly width?: number
  readonly midpoint?: number
  readonly power?: number
  readonly impratio?: number
}

export interface DrakeOptions extends VelocityLevel, Cone, StepEnds {
  readonly approximation?: 'lagged' | 'similar' | 'sap'
  readonly sigma?: number
  /** Of lagged and similar [s/m], [m/s], [m/s]. */
  readonly dissipation?: number
  readonly referenceSpeed?: number
  readonly stictionTolerance?: number
  /** Of sap [s], in steps. */
  readonly relaxationTime?: number
  readonly beta?: number
}

export interface LncOptions extends PyramidOptions {
  readonly nodes?: number
  readonly epsilon?: number
}

export interface PegOptions extends LncOptions {
  readonly passes?: number
  /** [m] */
  readonly gapTolerance?: number
}
