import type { Robot } from '../../robots/index.ts'
import type { Controller } from '../controller.ts'
import type { JointTrajectory } from '../controllers/jointTrajectories.ts'
import { given } from '../expected.ts'
import { angularMomentum } from './angularMomentum.ts'
import { centerOfMassTask } from './centerOfMass.ts'
import { linkPose } from './linkPose.ts'
import { posture } from './posture.ts'
import type { Task } from './task.ts'
import { createWholeBody, solveWholeBody, type WholeBodyMemory } from './wholeBody.ts'

export interface BalanceOptions {
  /** Friction coefficient assumed for contact forces. */
  readonly friction?: number
  /** Wanted offset of the centre of mass from its start, in world axes [m], at time t; default: none. */
  readonly shift?: (t: number) => readonly number[]
  /** Reference of the joints; default, and where it is NaN: their positions at the start. */
  readonly trajectory?: (robot: Robot) => JointTrajectory
}

/**
 * Balance on the contact points of the first tick: the centre of mass is fixed, or shifted as in a squat, the base stays
 * upright, angular momentum decays, and the joints keep their pose with the remaining freedom. See `createWholeBody`.
 */
export function balance(options: BalanceOptions = {}): Controller<WholeBodyMemory> {
  const { friction, shift, trajectory } = given('balance', options)
  const tasksOf = (base: string): readonly Task[] => [
    centerOfMassTask({ shift }) as Task,
    linkPose({ link: base }) as Task,
    angularMomentum() as Task,
    posture({ trajectory }) as Task,
  ]
  // tasks store state in the memory alone, so that these serve any robot after `init`
  const tasks = tasksOf('')
  return {
    rate: 500,
    init: (setup) => createWholeBody(setup, { tasks: tasksOf(setup.model.bodyName[1]), friction }),
    update: (seen) => solveWholeBody(seen.memory, seen, tasks),
    metrics: ({ memory: { counts } }) => ({ limitsGivenUp: counts[0], ticksWithoutAnswer: counts[1] }),
  }
}
