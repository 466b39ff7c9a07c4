import type { PlacedShape } from '../contact/geometry/index.ts'
import type { ContactChoice, Integrator, MaterialRules, PhysicalInputs, SelfCollision } from '../contact/index.ts'
import type { Robot } from '../robots/index.ts'
import type { EffortSource } from './effortSource.ts'
import type { WorldPush } from './loads/pushes.ts'
import type { WorldLoop } from './loops.ts'
import type { PrescribedMotion } from './prescribedMotion.ts'

/** About 10 s on an ordinary core: more than the worst step of a hundred boxes that fall to a heap takes at 10 ms under all models but `lnc`. */
export const defaultStepBudget = 1e10

/** A robot, or a free body (`createFreeBody`), of a world that holds several. */
export interface WorldRobot {
  /** Unique in the world. Default: the robot's own name, with -2, -3, ... behind it where that is taken. */
  readonly name?: string
  /** One that is bolted to the world elsewhere than its file says is made by `placeRobot`. */
  readonly robot: Robot
  /** Where its efforts come from. Default: none, all zero. */
  readonly controller?: EffortSource
  /** Its start; default: its home pose at rest. nq and nv entries of its own model. */
  readonly q?: ArrayLike<number>
  readonly v?: ArrayLike<number>
  /** Where a body of `createPrescribedBody` is at each time; that is its start too. */
  readonly motion?: PrescribedMotion
}

/**
 * What a world is of, and its contact model: a name and the options of that model, or a model that is not in the registry. `contactChoice` makes
 * these of a name and options that somebody wrote.
 */
export type WorldOptions = WorldSetup & ContactChoice

/** Either `robot`, with its `controller`, `q` and `v`; or `robots`. */
export interface WorldSetup {
  readonly robot?: Robot
  /** At least one. */
  readonly robots?: readonly WorldRobot[]
  /**
   * Loops that are closed between links, or with the world, for the whole run; default none. Links that a loop joins touch each other no
   * more than those that a joint does.
   */
  readonly loops?: readonly WorldLoop[]
  /** Pushes from outside; default none. */
  readonly pushes?: readonly WorldPush[]
  /** Fixed surroundings. Default: the ground z = 0, a half-space that states no friction of its own. */
  readonly fixtures?: readonly PlacedShape[]
  /**
   * Whether parts of one robot touch each other. Default 'none': only fixtures and other robots are touched. Otherwise links that the
   * robot's files keep from colliding (`Robot.disabledCollisions`) never do, and shapes of links that are welded to the world take part.
   */
  readonly selfCollision?: SelfCollision
  /** More pairs of links that never touch each other, by their names in the world (`combineRobots`). */
  readonly excludedCollisions?: readonly (readonly [string, string])[]
  /** Whether links that overlap in the home pose (`Robot.overlaps`) may do so for ever: they never touch. Default true. */
  readonly allowHomeOverlaps?: boolean
  /** How two surfaces make a pair. */
  readonly materials?: MaterialRules
  /** At most this many contact points of a pair of shapes, those that matter most. Default: all. */
  readonly maxPointsPerPair?: number
  /** Overrides `defaultPhysicalInputs`, field by field. */
  readonly physical?: Partial<PhysicalInputs>
  /** Time step [s]. */
  readonly dt: number
  /**
   * Continuous collision detection: the motion of a step that would bring two shapes through each other ends where they touch. Default
   * false: it is counted (`SolverEvents.tunnelled`). For steps that end at every time of contact see `ContactTimes`.
   */
  readonly ccd?: boolean
  /**
   * The most work that one step may take, counted in multiply-adds, about 1e9 a second on an ordinary core; beyond it the run ends in a
   * `StepBudgetError`. The same step ends at the same place on every machine. Default `defaultStepBudget`, Infinity for none.
   */
  readonly stepBudget?: number
  /** Default 'semi-implicit-euler'. Velocity-level models have an update of their own and ignore it. */
  readonly integrator?: Integrator
  /** Of `robot`: where efforts come from, and the start, as in `WorldRobot`. */
  readonly controller?: EffortSource
  readonly q?: ArrayLike<number>
  readonly v?: ArrayLike<number>
}
