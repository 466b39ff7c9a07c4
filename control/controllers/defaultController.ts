import type { Robot } from '../../robots/index.ts'
import type { Controller } from '../controller.ts'
import { figureEight } from '../paths.ts'
import { driveAndWave } from './driveAndWave.ts'
import { hold } from './hold.ts'
import { trot } from './trot.ts'
import { unicycle } from './unicycle.ts'

/** Speed of a robot's wheels when nothing else is asked for [m/s]. */
export const WHEEL_SPEED = 0.2

/**
 * What a robot does when no controller is given. Our own do what they are there to show: `diffdrive` drives a figure eight,
 * `humanoid` drives a turn while its arms move, `quadruped` trots. Every other robot holds its home pose, and its drive wheels
 * run at 0.2 m/s.
 */
export function defaultControllerFor(robot: Robot): Controller {
  // A controller's memory is its own affair; the loop hands back what init returned.
  const own = ownNameOf(robot)
  if (own === 'diffdrive') return unicycle(figureEight()) as Controller
  if (own === 'humanoid') return driveAndWave() as Controller
  if (own === 'quadruped') return trot() as Controller
  return hold({ wheelSpeed: WHEEL_SPEED }) as Controller
}

const ownJoints = { diffdrive: 'left_wheel_joint', humanoid: 'left_wheel_joint', quadruped: 'front_left_knee_joint' }

/** Which of our own robots it is that has a controller of its own: others may have the name, but not with such a joint. */
export function ownNameOf({ name, joints }: Robot): keyof typeof ownJoints | undefined {
  if (!Object.hasOwn(ownJoints, name)) return undefined
  const own = name as keyof typeof ownJoints
  return joints.some((joint) => joint.name === ownJoints[own]) ? own : undefined
}
