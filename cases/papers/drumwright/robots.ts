import { processorTime } from '../../../compare/run/patience.ts'
import { createControllerLoop, defaultControllerFor } from '../../../control/index.ts'
import { workSpent } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { CollisionShape, Robot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import type { Claim, Figure } from '../page.ts'
import { significant } from './numbers.ts'
import { robotIterations, robotTimes } from './paper.ts'

/**
 * Section IV-D's two methods, and its LCP in three forms: as `lcp` has it, friction in the cone, from the last step's contact impulses; as printed,
 * that is of normal forces, from nothing by Murty's method, W by Kokkevis's test forces; and the same with pyramids of friction.
 */
export const robotMethods = {
  penalty: { contactModel: 'penalty', contactOptions: {}, physical: {} },
  'lcp, warm': { contactModel: 'lcp', contactOptions: {}, physical: {} },
  'lcp, cold': { contactModel: 'lcp', contactOptions: { matrix: 'test-forces', solver: 'murty' }, physical: { friction: 0 } },
  'lcp, cold, friction': { contactModel: 'lcp', contactOptions: { matrix: 'test-forces', solver: 'murty' }, physical: {} },
} as const
export type RobotMethod = keyof typeof robotMethods
type RobotName = keyof typeof robotTimes

/** A robot under its controller. */
export type RobotRun = ReturnType<typeof robotRun>
/**
 * Computing time of a robot under its controller: the best of `repetitions`; the first also warms the engine up.
 *
 * @param pointsPerWheel even; on each wheel, while both ends of its tread are down
 * @returns `work`: multiply-adds of a step that solvers and matrices count, mean, the same on every machine; contacts of the last step; the most that one
 *   body had at any step; steps without a valid answer of the solvers; and of the problems that came to Murty's method the share that it `answered`, 1
 *   if none did: the others went on to Newton's
 */
export function robotRun(name: RobotName, method: RobotMethod, pointsPerWheel: number, steps = robotIterations, repetitions = 2) {
  const robot = onDiscs(loadOwnRobot(name), pointsPerWheel / 2)
  let best = Infinity
  let last: World | undefined
  let pointsPerBody = 0
  let work = 0
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const controller = createControllerLoop(defaultControllerFor(robot), robot)
    const world = new World({ robot, ...robotMethods[method], dt: 1e-3, controller })
    const begin = processorTime()
    for (let k = 0; k < steps; k++) {
      world.step()
      if (repetition > 0) continue
      pointsPerBody = Math.max(pointsPerBody, mostOnOneBody(world))
      work += workSpent() / steps
    }
    best = Math.min(best, processorTime() - begin)
    last = world
  }
  const { contacts, events } = last as World
  const murty = events.solvers.find(({ solver }) => solver === 'murty')
  return {
    robot: name,
    method,
    pointsPerWheel,
    steps,
    stepsPerSecond: steps / best,
    work,
    contacts: contacts.count,
    pointsPerBody,
    failures: events.failures,
    answered: murty === undefined ? 1 : murty.solved / (murty.solved + murty.failed),
    hash: (last as World).hash(),
  }
}

/** The robot with so many discs in place of each wheel's tread, gaps as wide as they between them: a disc on the ground has two points. */
function onDiscs(robot: Robot, count: number): Robot {
  const shapes = robot.shapes.flatMap((one): CollisionShape[] => {
    const { shape, p, R, name } = one
    if (shape.type !== 'cylinder' || !one.link.endsWith('wheel')) return [one]
    const length = shape.length / (2 * count - 1)
    return Array.from({ length: count }, (_, k) => {
      const z = (2 * k + 1 - count) * length
      const at = p.map((x, d) => x + R[3 * d + 2] * z)
      return { ...one, name: `${name} ${k + 1}`, shape: { ...shape, length }, p: at }
    })
  })
  return { ...robot, shapes }
}

function mostOnOneBody({ contacts: { count, bodyA, bodyB } }: World): number {
  const points = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    for (const body of [bodyA[i], bodyB[i]]) if (body > 0) points.set(body, (points.get(body) ?? 0) + 1)
  }
  return Math.max(0, ...points.values())
}

/** Of Section IV-D: "less than ten per wheel", "limited to ten". */
const mostPointsPerWheel = 10
const fewerPoints = [6, 2]
/** With friction and ten points a wheel Murty's method takes tens of milliseconds a step. */
const frictionSteps = 40
const robotNames = Object.keys(robotTimes) as RobotName[]

export function studyRobots(progress: (fraction: number) => void): RobotRun[] {
  const runs: RobotRun[] = []
  for (const robot of robotNames) {
    for (const method of Object.keys(robotMethods) as RobotMethod[]) {
      progress(runs.length / 20)
      if (method === 'lcp, cold, friction') runs.push(robotRun(robot, method, mostPointsPerWheel, frictionSteps, 1))
      else {
        runs.push(robotRun(robot, method, mostPointsPerWheel))
        for (const points of fewerPoints) runs.push(robotRun(robot, method, points, robotIterations, 1))
      }
    }
  }
  return runs
}

/** Steps a second against contacts a wheel. */
export function robotFigure(runs: readonly RobotRun[]): Figure {
  const swept = (Object.keys(robotMethods) as RobotMethod[]).filter((method) => method !== 'lcp, cold, friction')
  return {
    id: 'contacts',
    title: 'Section IV-D: steps a second against contacts a wheel',
    x: 'contacts a wheel',
    y: 'steps a second',
    logarithmic: true,
    curves: robotNames.flatMap((robot) =>
      swept.map((method) => {
        const own = runs
          .filter((run) => run.robot === robot && run.method === method)
          .sort((a, b) => a.pointsPerWheel - b.pointsPerWheel)
        return {
          name: `${robot}, ${method}`,
          x: own.map(({ pointsPerWheel }) => pointsPerWheel),
          y: own.map(({ stepsPerSecond }) => stepsPerSecond),
        }
      }),
    ),
  }
}

export function robotClaims(runs: readonly RobotRun[]): Claim[] {
  const of = (robot: RobotName, method: RobotMethod) =>
    runs.find((run) => run.robot === robot && run.method === method && run.pointsPerWheel === mostPointsPerWheel) as RobotRun
  const ratioOf = (robot: RobotName, method: RobotMethod) =>
    of(robot, 'penalty').stepsPerSecond / of(robot, method).stepsPerSecond
  const where = 'Section IV-D'
  const each = robotNames.map((robot): Claim => {
    const { lcp, penalty } = robotTimes[robot]
    const [cold, pyramids] = [of(robot, 'lcp, cold'), of(robot, 'lcp, cold, friction')]
    const ran = cold.failures === 0 && cold.answered === 1 && cold.pointsPerBody === mostPointsPerWheel
    return {
      where,
      claim: `${robot}: steps a second with ten contacts a wheel, penalty and LCP, and their ratio`,
      paper: `${significant(robotIterations / penalty)} and ${significant(robotIterations / lcp)}, ${significant(lcp / penalty)}`,
      found:
        `${Math.round(of(robot, 'penalty').stepsPerSecond)} and ${Math.round(cold.stepsPerSecond)}, ${significant(ratioOf(robot, 'lcp, cold'))}, of normals, from nothing. ` +
        `From the last step and with friction: ${significant(ratioOf(robot, 'lcp, warm'))}. From nothing with friction: ${significant(ratioOf(robot, 'lcp, cold, friction'))}, ${Math.round(100 * pyramids.answered)} % of its problems answered`,
      judgement: ran && ratioOf(robot, 'lcp, cold') > 1 ? 'order reproduced' : 'not reproduced',
      why:
        'Robot, processor and program are not the paper’s. Five discs make up each wheel, with ten points on a line. The LCP as printed: W by test forces, normal forces by Murty’s method, no guess. ' +
        'Friction in pyramids is found by Murty’s method too, for the normal forces at hand and in turn with them: in one piece its matrix has negative principal minors.',
    }
  })
  const [small, large] = robotNames.map((robot) => ratioOf(robot, 'lcp, cold'))
  const [paperSmall, paperLarge] = robotNames.map((robot) => robotTimes[robot].lcp / robotTimes[robot].penalty)
  return [
    ...each,
    {
      where,
      claim: 'the ratio of the two robots: whether degrees of freedom weigh on the LCP',
      paper: `${significant(paperSmall)} and ${significant(paperLarge)}`,
      found: `${significant(small)} and ${significant(large)}`,
      judgement: large > small ? 'order reproduced' : 'not reproduced',
      why: 'Our test forces go out along paths to bodies with contacts alone: base and wheels, 8 velocities of either robot. The upper body costs both methods the same, and so brings them nearer.',
    },
  ]
}
