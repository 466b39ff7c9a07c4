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
  unicycle,
} from '../control/index.ts'
import type { Robot } from '../robots/index.ts'

/** What the page offers to drive a robot with. */
const controllers = {
  usual: (robot) => defaultControllerFor(robot),
  'figure eight': () => unicycle(figureEight()) as Controller,
  'drive and wave': () => driveAndWave() as Controller,
  hold: () => hold() as Controller,
  'computed torque': () => computedTorque() as Controller,
  none: () => undefined,
} satisfies Record<string, (robot: Robot) => Controller | undefined>

export type ControllerName = keyof typeof controllers
export const controllerNames = Object.keys(controllers) as ControllerName[]

/** Those that the robot can use: some drive a wheel on each side, some move other joints. */
export function controllersFor(robot: Robot): ControllerName[] {
  const wheels = driveWheels(robot)
  const driven = wheels ? wheels.left.length + wheels.right.length : 0
  const joints = robot.joints.length > driven
  const usable: Record<ControllerName, boolean> = {
    usual: true,
    'figure eight': driven > 0,
    'drive and wave': driven > 0 && joints,
    hold: true,
    'computed torque': joints,
    none: true,
  }
  return controllerNames.filter((name) => usable[name])
}

export function createController(name: ControllerName, robot: Robot): ControllerLoop | undefined {
  if (!Object.hasOwn(controllers, name)) throw new RangeError(`there is no controller "${name}"`)
  const create: (robot: Robot) => Controller | undefined = controllers[name]
  const controller = create(robot)
  return controller && createControllerLoop(controller, robot, { name })
}
