import type { Robot } from '../../robots/index.ts'
import type { Controller } from '../controller.ts'
import type { JointTrajectory } from '../controllers/jointTrajectories.ts'
import { angularMomentum } from './angularMomentum.ts'
import { centerOfMassTask } from './centerOfMass.ts'
import { linkPose } from './linkPose.ts'
import { posture } from './posture.ts'
import type { Task } from './task.ts'
import { createWholeBody, solveWholeBody, type WholeBodyMemory } from './wholeBody.ts'

export interface BalanceOptions {
  /** Friction that the contact forces count on. */
  readonly friction?: number
  /** How far the centre of mass should be from where it starts, in world axes [m], at time t; default: there. */
  readonly shift?: (t: number) => readonly number[]
  /** What joints follow; default, and where it gives NaN: where they start. */
  readonly trajectory?: (robot: Robot) => JointTrajectory
}

/**
 * Keeps its balance on the points that it stands on at the first tick: the centre of mass stays, or is shifted as in a squat, the base
 * stays upright, angular momentum dies out, and the joints keep their pose as far as that leaves them free. See `createWholeBody`.
 */
export function balance({ friction, shift, trajectory }: BalanceOptions = {}): Controller<WholeBodyMemory> {
  const tasksOf = (base: string): readonly Task[] => [
    centerOfMassTask({ shift }) as Task,
    linkPose({ link: base }) as Task,
    angularMomentum() as Task,
    posture({ trajectory }) as Task,
  ]
  // tasks remember nothing but in the memory, so that these serve any robot after `init`
  const tasks = tasksOf('')
  return {
    rate: 500,
    init: (setup) => createWholeBody(setup, { tasks: tasksOf(setup.model.bodyName[1]), friction }),
    update: (seen) => solveWholeBody(seen.memory, seen, tasks),
    metrics: ({ memory: { counts } }) => ({ limitsGivenUp: counts[0], ticksWithoutAnswer: counts[1] }),
  }
}
