import type { Robot } from '../robots/index.ts'
import type { Controller } from './controller.ts'
import { driveAndWave } from './driveAndWave.ts'
import { hold } from './hold.ts'
import { figureEight } from './paths.ts'
import { unicycle } from './unicycle.ts'

/** Speed of a robot's wheels when nothing else is asked for [m/s]. */
const WHEEL_SPEED = 0.2

/**
 * What a robot does when no controller is given. Our own two do what they are there to show: `diffdrive` drives a figure
 * eight, `humanoid` drives a turn while its arms move. Every other robot holds its home pose, and its drive wheels run at
 * 0.2 m/s.
 */
export function defaultControllerFor(robot: Robot): Controller {
  // A controller's memory is its own affair; the loop hands back what init returned.
  const own = ownNameOf(robot)
  if (own === 'diffdrive') return unicycle(figureEight()) as Controller
  if (own === 'humanoid') return driveAndWave() as Controller
  return hold({ wheelSpeed: WHEEL_SPEED }) as Controller
}

/** Which of our own robots it is: others may have the name, but not with their drive wheels. */
export function ownNameOf({ name, joints }: Robot): 'diffdrive' | 'humanoid' | undefined {
  if (name !== 'diffdrive' && name !== 'humanoid') return undefined
  return joints.some((joint) => joint.name === 'left_wheel_joint') ? name : undefined
}
