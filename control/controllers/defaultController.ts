import type { Robot } from '../../robots/index.ts'
import type { Controller } from '../controller.ts'
import { given } from '../expected.ts'
import { figureEight } from '../paths.ts'
import { driveAndWave } from './driveAndWave.ts'
import { hold } from './hold.ts'
import { trot } from './trot.ts'
import { unicycle } from './unicycle.ts'

/** Default speed of a robot's wheels [m/s]. */
export const WHEEL_SPEED = 0.2

/**
 * The controller of a robot when none is given. Our own robots have one each: `diffdrive` drives a figure eight,
 * `humanoid` drives a turn while its arms move, `quadruped` trots. Every other robot holds its home pose, and its drive wheels
 * run at 0.2 m/s.
 */
export function defaultControllerFor(robot: Robot): Controller {
  // The type of a controller's memory is private to it; the loop passes back the result of init.
  const own = ownNameOf(given('robot', robot, 'robot'))
  if (own === 'diffdrive') return unicycle(figureEight()) as Controller
  if (own === 'humanoid') return driveAndWave() as Controller
  if (own === 'quadruped') return trot() as Controller
  return hold({ wheelSpeed: WHEEL_SPEED }) as Controller
}

const ownJoints = { diffdrive: 'left_wheel_joint', humanoid: 'left_wheel_joint', quadruped: 'front_left_knee_joint' }

/** The name, if this is one of our own robots with a controller of its own: others may have the name, but not with such a joint. @unchecked */
export function ownNameOf({ name, joints }: Robot): keyof typeof ownJoints | undefined {
  if (!Object.hasOwn(ownJoints, name)) return undefined
  const own = name as keyof typeof ownJoints
  return joints.some((joint) => joint.name === ownJoints[own]) ? own : undefined
}
