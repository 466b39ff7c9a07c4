import { didYouMean, rotate3 } from '../../dynamics/index.ts'
import type { Robot, RobotActuator } from '../../robots/index.ts'
import { given } from '../expected.ts'

/** A force on a link in its own axes, times a control input: a rotor, a nozzle. */
export interface ThrusterOptions {
  readonly name: string
  /** Link, or another named frame, at whose point it acts, and in whose axes. */
  readonly link: string
  /** 3 [m]. Default: the origin. */
  readonly point?: readonly number[]
  /** 3 each: force [N] and moment [N m] of an input of 1. Default: along z, none. */
  readonly force?: readonly number[]
  readonly moment?: readonly number[]
  /** Range of the input. Default: any. */
  readonly range?: readonly [number, number]
}

/**
 * The robot with thrusters, whose inputs are part of the `ctrl` that a controller gives: behind those of its file's actuators, or, where it has none,
 * behind the efforts of its joints.
 *
 * @throws RangeError for an unknown link, or a name that is taken
 */
export function withThrusters(robot: Robot, thrusters: readonly ThrusterOptions[]): Robot {
  given('robot', robot, 'withThrusters: robot')
  if (given('thrusters', thrusters, 'thrusters').length === 0) return robot
  const actuators = robot.actuators ?? robot.joints.map((joint, k) => ({ ...plain(joint.name, k), ...joint, joint: joint.name }))
  const controls = robot.controls ?? robot.joints.map(({ name }) => name)
  const added = thrusters.map(
    ({ name, link, point = [0, 0, 0], force = [0, 0, 1], moment = [0, 0, 0], range }, k): RobotActuator => {
      const frame = robot.frames.find((one) => one.name === link)
      if (!frame) {
        const near = didYouMean(
          link,
          robot.frames.map((one) => one.name),
        )
        throw new RangeError(`thrusters: "${robot.name}" has no link "${link}"${near}`)
      }
      if (controls.includes(name) || thrusters.some((one, n) => n < k && one.name === name))
        throw new RangeError(`thrusters: there is an input "${name}" already; name it otherwise`)
      const at = new Float64Array(3)
      rotate3(at, frame.R, Float64Array.from(point))
      const [x, y, z] = [0, 1, 2].map((d) => at[d] + frame.p[d])
      const wrench = { force: triple(force), moment: triple(moment), inWorld: false }
      const part = { type: 'wrench', body: frame.body, point: [x, y, z], rotation: [...frame.R], ...wrench } as const
      return { ...plain(name, controls.length + k), lengths: [[part]], ...(range && { control: range }) }
    },
  )
  return { ...robot, actuators: [...actuators, ...added], controls: [...controls, ...thrusters.map(({ name }) => name)] }
}

const triple = ([x, y, z]: readonly number[]) => [x, y, z] as const
const free = [-Infinity, Infinity] as const

/** A motor of gain 1. */
const plain = (name: string, input: number): RobotActuator => ({
  ...{ name, joint: '', input, gear: 1, gain: [1, 0, 0], bias: [0, 0, 0], dynamics: 'none', timeConstant: 1 },
  ...{ control: free, force: free, activation: free, qIndex: -1, vIndex: -1, multiplier: 1, offset: 0 },
})
