import {
  type Controller,
  type ControllerLoop,
  computedTorque,
  createControllerLoop,
  defaultControllerFor,
  driveAndWave,
  driveWheels,
  figureEight,
  hold,
  ownNameOf,
  trot,
  unicycle,
  WHEEL_SPEED,
} from '../control/index.ts'
import type { Robot } from '../robots/index.ts'

/** Controllers that the page offers. */
const controllers = {
  usual: (robot, gains) => {
    const own = ownNameOf(robot)
    if (own === 'diffdrive') return unicycle(figureEight(), gains) as Controller
    if (own === 'humanoid') return driveAndWave(gains) as Controller
    return own === undefined ? (hold({ wheelSpeed: WHEEL_SPEED, ...gains }) as Controller) : defaultControllerFor(robot)
  },
  'trot round a bend': () =>
    trot({ speed: (t) => 0.5 * Math.min(1, 4 * t), turn: (t) => 1.5 * Math.min(1, 2 * t) }) as Controller,
  'figure eight': (_, gains) => unicycle(figureEight(), gains) as Controller,
  'drive and wave': (_, gains) => driveAndWave(gains) as Controller,
  hold: (_, gains) => hold(gains) as Controller,
  'computed torque': (_, gains) => computedTorque(gains) as Controller,
  none: () => undefined,
} satisfies Record<string, (robot: Robot, gains: Gains) => Controller | undefined>

/** Gains among a controller's options, by their names there. */
export type Gains = Readonly<Record<string, number>>
/** Range of a gain: its default, and how far up. */
export interface GainRange {
  readonly usual: number
  readonly most: number
}

const joints = { omega: { usual: 20, most: 60 }, damping: { usual: 1, most: 2 } }
const path = { along: { usual: 3, most: 12 }, across: { usual: 12, most: 48 }, heading: { usual: 5, most: 20 } }

/** The gains that a controller of the page has; none for those without, as `trot`. */
export function gainsOf(name: ControllerName, robot: Robot): Readonly<Record<string, GainRange>> {
  if (name === 'hold') return joints
  if (name === 'computed torque') return joints
  if (name === 'figure eight') return path
  if (name === 'drive and wave') return { ...path, ...joints }
  if (name === 'none' || name === 'trot round a bend') return {}
  const own = ownNameOf(robot)
  if (own === 'quadruped') return {}
  return gainsOf(own === 'diffdrive' ? 'figure eight' : own === 'humanoid' ? 'drive and wave' : 'hold', robot)
}

/** Whether the controller follows a live target, see `ControllerState.command`. */
export function isDrivable(name: ControllerName, robot: Robot): boolean {
  if (name === 'none' || name === 'computed torque') return false
  return (
    robot.floating &&
    (driveWheels(robot) !== undefined || (ownNameOf(robot) === 'quadruped' && (name === 'usual' || name === 'trot round a bend')))
  )
}

export type ControllerName = keyof typeof controllers
export const controllerNames = Object.keys(controllers) as ControllerName[]

/** Those that the robot can use: some drive a wheel on each side, some move other joints. */
export function controllersFor(robot: Robot): ControllerName[] {
  const wheels = driveWheels(robot)
  const driven = wheels ? wheels.left.length + wheels.right.length : 0
  const joints = robot.joints.length > driven
  const usable: Record<ControllerName, boolean> = {
    usual: true,
    'trot round a bend': ownNameOf(robot) === 'quadruped',
    'figure eight': driven > 0,
    'drive and wave': driven > 0 && joints,
    hold: true,
    'computed torque': joints,
    none: true,
  }
  return controllerNames.filter((name) => usable[name])
}

export function createController(name: ControllerName, robot: Robot, gains: Gains = {}): ControllerLoop | undefined {
  if (!Object.hasOwn(controllers, name)) throw new RangeError(`there is no controller "${name}"`)
  const create: (robot: Robot, gains: Gains) => Controller | undefined = controllers[name]
  const controller = create(robot, gains)
  return controller && createControllerLoop(controller, robot, { name })
}
