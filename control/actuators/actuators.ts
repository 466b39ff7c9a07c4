import type { Data, Model, Servos, State } from '../../dynamics/index.ts'
import { createServos, didYouMean } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Surroundings } from '../../simulation/index.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'
import { homeData } from '../homeData.ts'
import { jointCoupling, jointInertia } from '../jointInertia.ts'
import type { ControllerLoop } from '../loop/controllerLoop.ts'
import { expMinusOne } from '../policy/exponential.ts'
import { RotorsWithPlay, type SavedRotors } from './backlash.ts'

/** Actuator between a controller's command and a joint's effort. All values at the joint, behind the gear [rad, m; N m, N]. */
export interface ActuatorOptions {
  /** Names of joints; a `*` matches any part of a name. */
  readonly joints: readonly string[]
  /** Meaning of the controller's output for these joints: an effort, a velocity, or a position. Default 'effort'. */
  readonly interface?: 'effort' | 'velocity' | 'position'
  /** Of the servo: effort = kp (position - q) - kd v, or kd (velocity - v). */
  readonly kp?: number
  readonly kd?: number
  /** At standstill. Default: the joint's own, which always applies. */
  readonly effortLimit?: number
  /** Speed of zero effort limit in the direction of motion, to which it falls linearly. Default: it does not fall. */
  readonly noLoadSpeed?: number
  /** Time constant of a first-order lag of the effort [s]. */
  readonly lag?: number
  /** Inertia of the rotor itself [kg m^2], gear ratio, rotor to joint; inertia times ratio squared counts at the joint. */
  readonly rotorInertia?: number
  readonly gearRatio?: number
  /**
   * Total play of the gear, at the joint [rad, m]. The rotor is then a degree of freedom of its own, which needs `rotorInertia` and
   * `stiffness`; servo and torque-speed line use its position and speed.
   */
  readonly backlash?: number
  /** Of the gear's teeth in contact [N m/rad, N/m]. */
  readonly stiffness?: number
  /** Added to the joint's own dry friction [N m, N] and damping [N m s/rad, N s/m]. */
  readonly friction?: number
  readonly damping?: number
}

/** Indices into `robot.joints`. @throws RangeError for a pattern that matches none */
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

/** Largest h (kd + h kp) of a servo, over the joint's free inertia, that a step resolves: explicitly it is stable up to 2. */
const RESOLVED = 0.5

const rotorAtJoint = ({ rotorInertia = 0, gearRatio = 1 }: ActuatorOptions) => rotorInertia * (gearRatio * gearRatio)

/** @throws RangeError for inconsistent options */
function checkWhole(name: string, own: ActuatorOptions, most: number): void {
  const wrong = (what: string) => new RangeError(`actuators: joint "${name}" ${what}`)
  const { interface: takes = 'effort', kp = 0, kd = 0, noLoadSpeed, backlash = 0, stiffness = 0 } = own
  if (takes === 'position' && !(kp > 0)) throw wrong('takes a position and has no gain; state kp, and kd')
  if (takes === 'velocity' && !(kd > 0)) throw wrong('takes a velocity and has no gain; state kd')
  if (noLoadSpeed !== undefined && most === Infinity)
    throw wrong('has a noLoadSpeed and no effort from which it falls; state effortLimit')
  if (backlash > 0 && !(rotorAtJoint(own) > 0 && stiffness > 0))
    throw wrong('has backlash, in which its rotor moves on its own; state rotorInertia and stiffness')
  if (stiffness > 0 && !(backlash > 0)) throw wrong('has a stiffness and no backlash; state both, or none')
}

/** The robot with its rotors' inertia, friction and damping. @throws RangeError for an unknown joint */
export function withRotors(robot: Robot, actuators: readonly ActuatorOptions[]): Robot {
  given('robot', robot, 'withRotors: robot')
  if (given('actuators', actuators, 'actuators').length === 0) return robot
  const { model } = robot
  const [armature, friction, damping] = [model.armature.slice(), model.friction.slice(), model.damping.slice()]
  for (const own of actuators) {
    for (const j of jointsOf(robot, own)) {
      const k = robot.joints[j].vIndex
      if (!((own.backlash ?? 0) > 0)) armature[k] += rotorAtJoint(own)
      friction[k] += own.friction ?? 0
      damping[k] += own.damping ?? 0
    }
  }
  return { ...robot, model: { ...model, armature, friction, damping } }
}

type Laws = ReturnType<typeof lawsOf>

/**
 * The actuators' parameters by entry of v, and the entries with an actuator.
 *
 * @throws RangeError for an unknown joint, one with two actuators, or inconsistent options
 */
function lawsOf(robot: Robot, actuators: readonly ActuatorOptions[]) {
  const { nv, effortLimit } = robot.model
  /** 0 effort, 1 velocity, 2 position. */
  const kinds = new Int8Array(nv)
  const [kp, kd, lag] = [new Float64Array(nv), new Float64Array(nv), new Float64Array(nv)]
  const most = effortLimit.slice()
  const noLoad = new Float64Array(nv).fill(Infinity)
  const qIndex = new Int32Array(nv)
  const driven: number[] = []
  const rotors = new RotorsWithPlay(effortLimit)
  for (const own of actuators) {
    for (const j of jointsOf(robot, own)) {
      const { name, vIndex: k, qIndex: q } = robot.joints[j]
      if (driven.includes(k)) throw new RangeError(`actuators: joint "${name}" has two`)
      driven.push(k)
      qIndex[k] = q
      kinds[k] = ['effort', 'velocity', 'position'].indexOf(own.interface ?? 'effort')
      kp[k] = own.kp ?? 0
      kd[k] = own.kd ?? 0
      lag[k] = own.lag ?? 0
      most[k] = Math.min(most[k], own.effortLimit ?? Infinity)
      noLoad[k] = own.noLoadSpeed ?? Infinity
      checkWhole(name, own, most[k])
      if (own.backlash !== undefined && own.backlash > 0) rotors.add(k, rotorAtJoint(own), own.backlash, own.stiffness ?? 0)
    }
  }
  return { kinds, kp, kd, lag, most, noLoad, qIndex, entries: Int32Array.from(driven), rotors }
}

/** Servos that the step resolves act from its start, as they always did; stiffer ones, whose law is linear, from its end. */
function beginServos(robot: Robot, { kinds, kp, kd, lag, noLoad, rotors }: Laws, servos: Servos, dt: number): void {
  const data = homeData(robot)
  const inertia = jointInertia(robot, data)
  const coupling = jointCoupling(robot, data, inertia)
  robot.joints.forEach(({ name, vIndex: k }, j) => {
    const [stiffness, damping] = [kinds[k] === 2 ? kp[k] : 0, kinds[k] > 0 ? kd[k] : 0]
    if (rotors.has(k)) rotors.checkStep(name, k, dt, inertia[j], stiffness, damping)
    const isStiff = coupling * dt * (damping + dt * stiffness) > RESOLVED * inertia[j]
    const isImplicit = isStiff && lag[k] === 0 && noLoad[k] === Infinity && !rotors.has(k)
    servos.stiffness[k] = isImplicit ? stiffness : 0
    servos.damping[k] = isImplicit ? damping : 0
  })
}

/**
 * A controller's loop with actuators, which act at every step of the world. Joints without one have the command as effort.
 *
 * @param robot as `withRotors` made it
 * @throws RangeError for an unknown joint, or one with two actuators
 */
export function actuated(loop: ControllerLoop, robot: Robot, actuators: readonly ActuatorOptions[]): ControllerLoop {
  const laws = lawsOf(given('robot', robot, 'actuated: robot'), given('actuators', actuators, 'actuators'))
  const { nv } = robot.model
  const { kinds, kp, kd, lag, most, noLoad, qIndex, entries, rotors } = laws
  const command = new Float64Array(nv)
  /** State of the lags. */
  const reached = new Float64Array(nv)
  /** Part of the remaining difference to the wanted effort covered in a step. */
  const share = new Float64Array(nv).fill(1)
  let dt = 0
  const servos = createServos(nv)
  servos.limit.set(most)

  const through = ({ q, v }: State, tau: Float64Array) => {
    for (let i = 0; i < entries.length; i++) {
      const k = entries[i]
      const hasPlay = rotors.has(k)
      if (hasPlay) rotors.meet(k, q, qIndex[k], v)
      const position = hasPlay ? rotors.position[k] : q[qIndex[k]]
      const velocity = hasPlay ? rotors.velocity[k] : v[k]
      let wanted = command[k]
      if (kinds[k] === 1) wanted = kd[k] * (command[k] - velocity)
      else if (kinds[k] === 2) wanted = kp[k] * (command[k] - position) - kd[k] * velocity
      servos.effort[k] = wanted
      wanted = Math.min(most[k], Math.max(-most[k], wanted))
      reached[k] += share[k] * (wanted - reached[k])
      // available share at this speed; all of it against the motion
      const left = velocity * reached[k] > 0 ? Math.max(0, 1 - Math.abs(velocity) / noLoad[k]) : 1
      const limit = left * most[k]
      tau[k] = limit < Infinity ? Math.min(limit, Math.max(-limit, reached[k])) : reached[k]
      if (hasPlay) rotors.step(tau, k, q, qIndex[k], v, dt)
    }
  }

  return {
    target: given('loop', loop, 'actuated: loop').target,
    everySteps: 1,
    servos,
    get log() {
      return loop.log
    },
    start(own: Model, step: number, surroundings?: Surroundings) {
      dt = step
      command.fill(0)
      reached.fill(0)
      rotors.reset()
      beginServos(robot, laws, servos, step)
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
        // in: the efforts applied; out: the controller's command
        command.set(tau)
        loop.tick(state, data, command, contactForces)
      }
      tau.set(command)
      through(state, tau)
    },
    save: () => ({ loop: loop.save(), command: command.slice(), reached: reached.slice(), rotors: rotors.save() }),
    restore(saved: unknown) {
      const {
        loop: own,
        command: wanted,
        reached: come,
        rotors: turned,
      } = (saved ?? {}) as { loop?: unknown; command?: Float64Array; reached?: Float64Array; rotors?: SavedRotors }
      if (wanted?.length !== nv || come?.length !== nv)
        throw new ControllerError('actuators', 'the checkpoint is not of actuators of this robot; use one of its own')
      loop.restore(own)
      command.set(wanted)
      reached.set(come)
      // checkpoints from before backlash was added have none
      if (turned === undefined) rotors.reset()
      else rotors.restore(turned)
    },
    metrics: () => loop.metrics(),
  }
}
