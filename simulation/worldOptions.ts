import type { PlacedShape } from '../contact/geometry/index.ts'
import type { ContactModelOptions, Integrator, MaterialRules, PhysicalInputs, SelfCollision } from '../contact/index.ts'
import type { Robot } from '../robots/index.ts'
import type { EffortSource } from './effortSource.ts'

export interface WorldOptions {
  readonly robot: Robot
  /** Fixed surroundings. Default: the ground z = 0, a half-space that states no friction of its own. */
  readonly fixtures?: readonly PlacedShape[]
  /**
   * Whether parts of the robot touch each other. Default 'none': only fixtures are touched. Otherwise links that the robot's files
   * keep from colliding (`Robot.disabledCollisions`) never do, and shapes of links that are welded to the world take part.
   */
  readonly selfCollision?: SelfCollision
  /** More pairs of links that never touch each other. */
  readonly excludedCollisions?: readonly (readonly [string, string])[]
  /** Whether links that overlap in the home pose (`Robot.overlaps`) may do so for ever: they never touch. Default true. */
  readonly allowHomeOverlaps?: boolean
  /** How two surfaces make a pair. */
  readonly materials?: MaterialRules
  /** At most this many contact points of a pair of shapes, those that matter most. Default: all. */
  readonly maxPointsPerPair?: number
  /** A key of `contactModels`. */
  readonly contactModel: string
  readonly contactOptions?: ContactModelOptions
  /** What is given overrides `defaultPhysicalInputs`. */
  readonly physical?: Partial<PhysicalInputs>
  /** Time step [s]. */
  readonly dt: number
  /** Default 'semi-implicit-euler'. Velocity-level models have an update of their own and ignore it. */
  readonly integrator?: Integrator
  /** Where efforts come from. Default: none, all zero. */
  readonly controller?: EffortSource
  /** Start; default: the robot's home pose at rest. nq and nv entries. */
  readonly q?: ArrayLike<number>
  readonly v?: ArrayLike<number>
}
