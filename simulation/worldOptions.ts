import { placedShapeKind } from '../contact/geometry/expected.ts'
import type { PlacedShape } from '../contact/geometry/index.ts'
import {
  type ContactChoice,
  combinations,
  type Integrator,
  type LocalLawChoice,
  type MaterialRules,
  type PhysicalInputs,
  type SelfCollision,
  selfCollisions,
} from '../contact/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import type { Robot } from '../robots/index.ts'
import { robotKind } from '../robots/robot.ts'
import type { EffortSource } from './effortSource.ts'
import type { WorldPush } from './loads/pushes.ts'
import type { WorldLoop } from './loops/loops.ts'
import type { PrescribedMotion } from './prescribedMotion.ts'

/** About 10 s on an ordinary core: more than the slowest step of a falling heap of a hundred boxes at 10 ms, except with `lnc`. */
export const defaultStepBudget = 1e10

/** A robot, or a free body (`createFreeBody`), of a world with several. */
export interface WorldRobot {
  /** Unique in the world. Default: the robot's name, with -2, -3, ... appended if needed. */
  readonly name?: string
  /** The name of another of its file, whose `<pair>`s name shapes of both. Default: its own. */
  readonly fileOf?: string
  /** The robot; `placeRobot` changes the pose of one fixed to the world. */
  readonly robot: Robot
  /** Source of its efforts. Default: none, all zero. */
  readonly controller?: EffortSource
  /** Initial state; default: its home pose at rest. nq and nv entries of its own model. */
  readonly q?: ArrayLike<number>
  readonly v?: ArrayLike<number>
  /** Per tendon of its model: by how much its spring has yielded at the start [m, rad]. Default: not. */
  readonly springSets?: ArrayLike<number>
  /** Pose of a body of `createPrescribedBody` over time, including its start. */
  readonly motion?: PrescribedMotion
}

/**
 * Contents of a world, and its contact model: a name with that model's options, or a model outside the registry. `contactChoice` makes
 * these from user input.
 */
export type WorldOptions = WorldSetup & ContactChoice

/** Either `robot`, with its `controller`, `q` and `v`; or `robots`. */
export interface WorldSetup {
  readonly robot?: Robot
  /** At least one. */
  readonly robots?: readonly WorldRobot[]
  /**
   * Loops closed between links, or with the world, for the whole run; default none. Like links connected by a joint, those connected by a
   * loop do not touch, but for those of a robot whose file decides.
   */
  readonly loops?: readonly WorldLoop[]
  /** External pushes; default none. */
  readonly pushes?: readonly WorldPush[]
  /** Fixed surroundings. Default: the ground z = 0, a half-space without friction of its own. */
  readonly fixtures?: readonly PlacedShape[]
  /**
   * Whether parts of one robot touch each other. Default 'file': as its file says (`Robot.selfCollision`), else 'none'. With 'none' only
   * fixtures and other robots are touched. Otherwise links excluded by the robot's files (`Robot.disabledCollisions`) never touch, and
   * shapes of links fixed to the world are included.
   */
  readonly selfCollision?: SelfCollision | 'file'
  /** More pairs of links that never touch each other, by their names in the world (`combineRobots`). */
  readonly excludedCollisions?: readonly (readonly [string, string])[]
  /** Whether links that overlap in the home pose (`Robot.overlaps`) never touch, but where the file decides. Default true. */
  readonly allowHomeOverlaps?: boolean
  /** Rules that combine the materials of two surfaces. */
  readonly materials?: MaterialRules
  /** Laws of single contacts that change friction and restitution where they are detected (`localLaws`). Default: none. */
  readonly localLaws?: readonly LocalLawChoice[]
  /** Most contact points of a pair of shapes (`reduceManifold`). Default: all. */
  readonly maxPointsPerPair?: number
  /** Overrides `defaultPhysicalInputs`, field by field. */
  readonly physical?: Partial<PhysicalInputs>
  /** Time step [s]. */
  readonly dt: number
  /**
   * Continuous collision detection: motion in a step that would bring two shapes through each other ends where they touch. Default false:
   * only counted (`SolverEvents.tunnelled`). For steps that end at every time of contact see `ContactTimes`.
   */
  readonly ccd?: boolean
  /**
   * Most work of one step, in multiply-adds, about 1e9 a second on an ordinary core; more ends the run with a `StepBudgetError`. The same
   * step ends at the same point on every machine. Default `defaultStepBudget`, Infinity for none.
   */
  readonly stepBudget?: number
  /** Default 'semi-implicit-euler'. Velocity-level models but `lcp` and `lotstedt` have an update of their own and ignore it. */
  readonly integrator?: Integrator
  /** Source of efforts and initial state of `robot`, as in `WorldRobot`. */
  readonly controller?: EffortSource
  readonly q?: ArrayLike<number>
  readonly v?: ArrayLike<number>
}

const controller = is.made('a source of efforts, such as createControllerLoop makes', 'start', 'tick')
// setting the start names the entry
const start = { controller, q: is.array, v: is.array }
const motion = is.made('a motion with a function pose', 'pose')
const member = is.fields<WorldRobot>(
  { robot: robotKind },
  { ...start, name: is.text, fileOf: is.text, springSets: is.numbers(), motion },
)
const physical = is.options<PhysicalInputs>({
  ...{ allowedPenetration: is.positive(' [m]'), stiffness: is.number(0, 'N/m'), damping: is.number(0, 'N s/m') },
  ...{ friction: is.number(0), restitution: is.number(0, '', 1), limitRestitution: is.number(0, '', 1) },
})
const rule = is.oneOf(...Object.keys(combinations))
const materials = is.options<MaterialRules>({
  ...{ friction: rule, restitution: rule, geomFriction: is.number(0) },
  unstated: is.oneOf('other', 'default'),
})

export const isWorld = is.made('a World', 'robots', 'stepCount', 'createSnapshot')

/** Expected options of a world. The contact model checks its own, and loops and pushes are checked by their names. */
export const worldKind = is.fields<WorldSetup & { contactModel: string | object; contactOptions?: object }>(
  { dt: is.positive(' of seconds, such as 1e-3'), contactModel: is.either(is.text, is.callback) },
  {
    ...start,
    ...{ robot: robotKind, robots: is.listOf(member), physical, materials, fixtures: is.listOf(placedShapeKind) },
    ...{ loops: is.listOf(is.made('a loop', 'kind')), pushes: is.listOf(is.made('a push', 'impulse')) },
    ...{ selfCollision: is.oneOf('file', ...selfCollisions), excludedCollisions: is.listOf(is.listOf(is.text, 2)) },
    localLaws: is.listOf(is.made('a law of contacts', 'law')),
    ...{ allowHomeOverlaps: is.flag, maxPointsPerPair: is.whole(1), ccd: is.flag },
    stepBudget: is.either(is.positive(' of multiply-adds, such as 1e10'), is.oneOf(Infinity)),
    integrator: is.oneOf('semi-implicit-euler', 'rk4'),
    contactOptions: is.made("the contact model's options"),
  },
)
