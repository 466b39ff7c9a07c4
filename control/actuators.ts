import type { Data, Model, State } from '../dynamics/index.ts'
import { didYouMean } from '../dynamics/index.ts'
import type { Robot } from '../robots/index.ts'
import type { Surroundings } from '../simulation/index.ts'
import { ControllerError } from './controllerError.ts'
import type { ControllerLoop } from './controllerLoop.ts'
import { expMinusOne } from './policy/exponential.ts'

/** What stands between a controller's command and a joint's effort. All of it at the joint, behind the gear [rad, m; N m, N]. */
export interface ActuatorOptions {
  /** Names of joints; a `*` stands for any part of a name. */
  readonly joints: readonly string[]
  /** What the controller returns for these joints: an effort, a velocity, or a position. Default 'effort'. */
  readonly interface?: 'effort' | 'velocity' | 'position'
  /** Of the servo: effort = kp (position - q) - kd v, or kd (velocity - v). */
  readonly kp?: number
  readonly kd?: number
  /** At standstill. Default: the joint's own, which holds in any case. */
  readonly effortLimit?: number
  /** Where no effort is left in the direction of motion; between, it falls along a line. Default: it does not fall. */
  readonly noLoadSpeed?: number
  /** Time constant of a first-order lag of the effort [s]. */
  readonly lag?: number
  /** Of the rotor itself [kg m^2], and turns of it a turn of the joint: their product with the ratio squared is added to the joint's inertia. */
  readonly rotorInertia?: number
  readonly gearRatio?: number
  /** Added to the joint's own dry friction [N m, N] and damping [N m s/rad, N s/m]. */
  readonly friction?: number
  readonly damping?: number
}

/** Indices into `robot.joints`. @throws RangeError for a pattern that fits none */
function jointsOf(robot: Robot, { joints: patterns }: ActuatorOptions): number[] {
  const names = robot.joints.map(({ name }) => name)
  const found = patterns.flatMap((pattern) => {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    const fitting = new RegExp(`^${parts.join('.*')}$`)
    const own = names.flatMap((name, j) => (fitting.test(name) ? [j] : []))
    if (own.length === 0)
      throw new RangeError(`actuators: no moving joint of "${robot.name}" is called "${pattern}"${didYouMean(pattern, names)}`)
    return own
  })
  return [...new Set(found)]
}

/** The robot with its rotors' inertia, friction and damping. @throws RangeError for a joint that is not there */
export function withRotors(robot: Robot, actuators: readonly ActuatorOptions[]): Robot {
  if (actuators.length === 0) return robot
  const { model } = robot
  const [armature, friction, damping] = [model.armature.slice(), model.friction.slice(), model.damping.slice()]
  for (const own of actuators) {
    for (const j of jointsOf(robot, own)) {
      const k = robot.joints[j].vIndex
      armature[k] += (own.rotorInertia ?? 0) * (own.gearRatio ?? 1) ** 2
      friction[k] += own.friction ?? 0
      damping[k] += own.damping ?? 0
    }
  }
  return { ...robot, model: { ...model, armature, friction, damping } }
}

/**
 * A controller's loop whose commands go through actuators, which act at every step of the world. Joints without one take the command for their effort.
 *
 * @param robot as `withRotors` made it
 * @throws RangeError for a joint that is not there, or has two actuators
 */
export function actuated(loop: ControllerLoop, robot: Robot, actuators: readonly ActuatorOptions[]): ControllerLoop {
  const { model } = robot
  const { nv } = model
  /** 0 effort, 1 velocity, 2 position; by entry of v. */
  const kinds = new Int8Array(nv)
  const [kp, kd, lag] = [new Float64Array(nv), new Float64Array(nv), new Float64Array(nv)]
  const most = model.effortLimit.slice()
  const noLoad = new Float64Array(nv).fill(Infinity)
  const qIndex = new Int32Array(nv)
  const driven: number[] = []
  for (const own of actuators) {
    for (const j of jointsOf(robot, own)) {
      const { name, vIndex: k, qIndex: q } = robot.joints[j]
      if (driven.includes(k)) throw new RangeError(`actuators: joint "${name}" has two`)
      driven.push(k)
      qIndex[k] = q
      kinds[k] = ['effort', 'velocity', 'position'].indexOf(own.interface ?? 'effort')
      if (kinds[k] > 0 && !((own.kd ?? 0) > 0 || (own.kp ?? 0) > 0))
        throw new RangeError(`actuators: joint "${name}" takes a ${own.interface} and has no gain; state kp and kd`)
      kp[k] = own.kp ?? 0
      kd[k] = own.kd ?? 0
      lag[k] = own.lag ?? 0
      most[k] = Math.min(most[k], own.effortLimit ?? Infinity)
      noLoad[k] = own.noLoadSpeed ?? Infinity
    }
  }
  const entries = Int32Array.from(driven)
  const command = new Float64Array(nv)
  /** What a lag has come to. */
  const reached = new Float64Array(nv)
  /** Part of the way to the wanted effort that a step goes. */
  const share = new Float64Array(nv).fill(1)
  let dt = 0

  const through = ({ q, v }: State, tau: Float64Array) => {
    for (let i = 0; i < entries.length; i++) {
      const k = entries[i]
      let wanted = command[k]
      if (kinds[k] === 1) wanted = kd[k] * (command[k] - v[k])
      else if (kinds[k] === 2) wanted = kp[k] * (command[k] - q[qIndex[k]]) - kd[k] * v[k]
      wanted = Math.min(most[k], Math.max(-most[k], wanted))
      reached[k] += share[k] * (wanted - reached[k])
      // what is left at this speed; against the motion all of it is
      const left = v[k] * reached[k] > 0 ? Math.max(0, 1 - Math.abs(v[k]) / noLoad[k]) : 1
      const limit = left * most[k]
      tau[k] = limit < Infinity ? Math.min(limit, Math.max(-limit, reached[k])) : reached[k]
    }
  }

  return {
    target: loop.target,
    everySteps: 1,
    get log() {
      return loop.log
    },
    start(own: Model, step: number, surroundings?: Surroundings) {
      dt = step
      command.fill(0)
      reached.fill(0)
      for (const k of entries) {
        if (lag[k] === 0) continue
        share[k] = -step / lag[k]
        expMinusOne(share, k)
        share[k] = -share[k]
      }
      loop.start(own, step, surroundings)
    },
    tick(state: State, data: Data, tau: Float64Array, contactForces: Float64Array) {
      if (Math.round(state.t[0] / dt) % loop.everySteps === 0) {
        // it sees what acted, and leaves what it wants
        command.set(tau)
        loop.tick(state, data, command, contactForces)
      }
      tau.set(command)
      through(state, tau)
    },
    save: () => ({ loop: loop.save(), command: command.slice(), reached: reached.slice() }),
    restore(saved: unknown) {
      const {
        loop: own,
        command: wanted,
        reached: come,
      } = (saved ?? {}) as { loop?: unknown; command?: Float64Array; reached?: Float64Array }
      if (wanted?.length !== nv || come?.length !== nv)
        throw new ControllerError(
          'actuators',
          'what is to be restored was not saved by actuators of this robot; take its own checkpoint',
        )
      loop.restore(own)
      command.set(wanted)
      reached.set(come)
    },
    metrics: () => loop.metrics(),
  }
}
