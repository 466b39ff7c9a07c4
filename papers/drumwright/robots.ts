import { contactModelNamed } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { robotIterations } from './paper.ts'

/** Section IV-D: computing time of 2,500 steps of a robot under its controller. */
export interface RobotRun {
  readonly robot: 'diffdrive' | 'humanoid'
  readonly model: string
  readonly stepsPerSecond: number
  /** Contacts of the last step. */
  readonly contacts: number
  /** Most contacts that one body had at any step. */
  readonly pointsPerBody: number
  /** Steps that were taken without a valid answer of the solvers. */
  readonly failures: number
  readonly hash: string
}

/** The best of three; the first also warms the engine up. */
export function robotRun(name: RobotRun['robot'], model: string): RobotRun {
  const robot = loadOwnRobot(name)
  let best = Infinity
  let last: World | undefined
  let pointsPerBody = 0
  for (let repetition = 0; repetition < 3; repetition++) {
    const controller = createControllerLoop(defaultControllerFor(robot), robot)
    const world = new World({ robot, contactModel: contactModelNamed(model), dt: 1e-3, controller })
    const begin = performance.now()
    for (let k = 0; k < robotIterations; k++) {
      world.step()
      if (repetition === 0) pointsPerBody = Math.max(pointsPerBody, mostOnOneBody(world))
    }
    best = Math.min(best, (performance.now() - begin) / 1e3)
    last = world
  }
  const { contacts, events } = last as World
  return {
    robot: name,
    model,
    stepsPerSecond: robotIterations / best,
    contacts: contacts.count,
    pointsPerBody,
    failures: events.failures,
    hash: (last as World).hash(),
  }
}

function mostOnOneBody({ contacts: { count, bodyA, bodyB } }: World): number {
  const points = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    for (const body of [bodyA[i], bodyB[i]]) if (body > 0) points.set(body, (points.get(body) ?? 0) + 1)
  }
  return Math.max(0, ...points.values())
}
