import type { PlacedShape } from '../contact/geometry/index.ts'
import type { ContactModelOptions, Integrator, PhysicalInputs } from '../contact/index.ts'
import type { Robot } from '../robots/index.ts'
import type { EffortSource } from './effortSource.ts'

export interface WorldOptions {
  readonly robot: Robot
  /** Fixed surroundings. Default: the ground z = 0, a half-space that states no friction of its own. */
  readonly fixtures?: readonly PlacedShape[]
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
