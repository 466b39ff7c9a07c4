import type { WorldPull } from './pulls.ts'
import type { WorldPush } from './pushes.ts'

/** What a user or a program does to a running world, see `World.act`. Plain data, so that it can be recorded and sent. */
export type WorldAction =
  /** A push that begins now. */
  | ({ readonly type: 'push' } & Omit<WorldPush, 'at'>)
  /** Pulls until it is released, or another pull of that name comes. */
  | ({ readonly type: 'pull' } & WorldPull)
  | { readonly type: 'release'; readonly name?: string }
  /** Efforts of a robot without a controller, one a moving joint in the order of `robot.joints` [N m, N]; they hold until others come. */
  | { readonly type: 'efforts'; readonly robot?: string; readonly efforts: ArrayLike<number> }
  /** The live target of a robot's controller: what it is told to do now, see `EffortSource.command`. NaN takes it back. */
  | { readonly type: 'command'; readonly robot?: string; readonly command: ArrayLike<number> }
