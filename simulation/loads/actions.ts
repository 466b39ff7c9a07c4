import { clampEfforts } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { PrescribedBodies } from '../prescribedMotion.ts'
import type { World } from '../world.ts'
import type { RobotInWorld } from '../worldParts.ts'
import { pullAction, type WorldPull } from './pulls.ts'
import { type Pushes, pushAction, type WorldPush } from './pushes.ts'

/** An action on a running world, see `World.act`. Plain data, so that it can be recorded and sent. */
export type WorldAction =
  /** A push that begins now. */
  | ({ readonly type: 'push' } & Omit<WorldPush, 'at'>)
  /** Pulls until released, or until another pull with its name. */
  | ({ readonly type: 'pull' } & WorldPull)
  | { readonly type: 'release'; readonly name?: string }
  /** Efforts of a robot without controller, one per moving joint in the order of `robot.joints` [N m, N]; constant until changed. */
  | { readonly type: 'efforts'; readonly robot?: string; readonly efforts: ArrayLike<number> }
  /** Switches a loop that is on at times only (`LoopSwitches`). */
  | { readonly type: 'loop'; readonly name: string; readonly on: boolean }
  /** Live command for a robot's controller (`EffortSource.command`). NaN cancels it. */
  | { readonly type: 'command'; readonly robot?: string; readonly command: ArrayLike<number> }

type Row<Type extends WorldAction['type']> = Extract<WorldAction, { readonly type: Type }>
const [type, name, robot] = [is.text, is.text, { robot: is.text }]
const actionKind = is.variants('type', {
  push: pushAction,
  pull: pullAction,
  release: is.fields<Row<'release'>>({ type }, { name }),
  efforts: is.fields<Row<'efforts'>>({ type, efforts: is.numbers() }, robot),
  loop: is.fields<Row<'loop'>>({ type, name, on: is.flag }, {}),
  command: is.fields<Row<'command'>>({ type, command: is.array }, robot),
} satisfies Record<WorldAction['type'], is.Kind>)

/** @throws RangeError for an unknown robot, link or joint, and for numbers that are not finite */
export function apply(action: WorldAction, world: World, pushes: Pushes, prescribed: PrescribedBodies): void {
  is.check(action, actionKind, 'action')
  const { robots, wholeStep } = world
  switch (action.type) {
    case 'push': {
      const { type: _, ...push } = action
      pushes.push({ ...push, at: world.stepCount * wholeStep }, wholeStep)
      for (const { name, body } of pushes.acting.list) prescribed.checkFree(body, `push "${name}"`)
      break
    }
    case 'pull': {
      const { type: _, ...pull } = action
      pushes.pull(pull, wholeStep)
      for (const { name, body } of pushes.acting.pulls) prescribed.checkFree(body, `pull "${name}"`)
      break
    }
    case 'release':
      pushes.release(action.name, wholeStep)
      break
    case 'efforts':
      setEfforts(robotNamed(robots, action.robot), action.efforts)
      break
    case 'loop': {
      const { names = [] } = world.switches ?? {}
      const loop = names.indexOf(action.name)
      if (loop < 0)
        throw new RangeError(`there is no loop "${action.name}" that is on at times; there are ${names.join(', ') || 'none'}`)
      world.switches?.ask(loop, action.on)
      break
    }
    case 'command': {
      const { name, controller } = robotNamed(robots, action.robot)
      if (controller?.command === undefined) throw new RangeError(`the controller of "${name}" takes no command`)
      checkEntries(`command of "${name}"`, action.command, controller.command.length, true)
      controller.command.set(action.command)
    }
  }
}

function robotNamed(robots: readonly RobotInWorld[], name = robots[0].name): RobotInWorld {
  const found = robots.find((robot) => robot.name === name)
  if (found) return found
  throw new RangeError(`there is no robot "${name}" in this world; there are ${robots.map((one) => one.name).join(', ')}`)
}

function setEfforts({ name, robot, controller, tau }: RobotInWorld, efforts: ArrayLike<number>): void {
  if (controller !== undefined) throw new RangeError(`"${name}" has a controller, which gives its efforts; make it without one`)
  checkEntries(`efforts of "${name}"`, efforts, robot.joints.length, false)
  tau.fill(0)
  robot.joints.forEach(({ vIndex }, j) => {
    tau[vIndex] = efforts[j]
  })
  clampEfforts(robot.model, tau)
}

function checkEntries(name: string, given: ArrayLike<number>, length: number, mayBeNaN: boolean): void {
  if (given.length !== length) throw new RangeError(`${name}: ${given.length} numbers; expected ${length}`)
  for (let k = 0; k < length; k++)
    if (!Number.isFinite(given[k]) && !(mayBeNaN && Number.isNaN(given[k])))
      throw new RangeError(`${name}: entry ${k} is ${given[k]}; expected a finite number`)
}
