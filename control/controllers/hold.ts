import { centerOfMass, type Data, gravityForces } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Controller, ControllerSetup } from '../controller.ts'
import { driveWheels } from '../driveWheels.ts'
import { given } from '../expected.ts'
import { homeData } from '../homeData.ts'
import { jointCoupling, jointInertia } from '../jointInertia.ts'
import { arc, PATH_SIZE } from '../paths.ts'
import { followCommand } from './command.ts'
import { carryingVelocities, createSupportScratch, subtractSupport, supportAtHome } from './support.ts'
import { createWheelServo, driveWheelServo } from './wheelServo.ts'

export interface HoldOptions {
  /** Natural frequency [rad/s] and damping ratio of each joint, as far as the rate of the loop allows. */
  readonly omega?: number
  readonly damping?: number
  /** Rolling speed of drive wheels, after a smooth start of half a second [m/s]. */
  readonly wheelSpeed?: number
}

export type HoldMemory = Readonly<ReturnType<typeof createHold>>

/** Bounds on kp period^2 / inertia and kd period / inertia, for all joints together. */
const LARGEST_STIFFNESS = 1
const LARGEST_DAMPING = 0.75

/**
 * Holds the home pose by joint PD with gravity compensation:
 *
 *   tau = g(q) - J(q)' f + k (q_home - rest) + kp (q_home - q) - kd v
 *
 * f is the ground's support at home (`supportAtHome`): without it gravity compensation would carry the legs of a standing
 * robot from an unsupported base. It is a fixed force at fixed points, without balance control. k is the stiffness of a
 * joint's own spring.
 *
 * Gains: kp = I omega^2, kd = 2 damping sqrt(kp I_all). I is the inertia at the motor with all other joints free,
 * 1 / (M^-1)_ii at home, and I_all that with them locked, M_ii. A joint between the ground and the rest of a standing robot
 * carries all of it, so there the robot's mass times the square of its centre's distance from the joint's axis is added to
 * both. As the same joint has only the inertia of the light foot once that is off the ground, both gains stay within the
 * stability bounds of the sampled loop there: c kp period^2 <= I_free and c kd period <= 0.75 I_free, with c the coupling
 * of the joints (`jointCoupling`); explicit integration of an oscillator becomes unstable at kp period^2 + 2 kd period = 4 I. A slow loop
 * therefore has low stiffness: a heavy robot on light ankles does not stand at 100 Hz.
 *
 * Drive wheels are not held but run at a constant speed by `createWheelServo`. Fills target.joints, for the wheels with the
 * angle that they would have rolled to.
 */
export function hold(options: HoldOptions = {}): Controller<HoldMemory> {
  const line = arc({ speed: given('hold', options).wheelSpeed ?? 0, ramp: 0.5 })
  return {
    rate: 1000,
    init: (setup) => createHold(setup, options),
    update({ state, q, v, data, model, robot, target, command, memory }) {
      const { qIndex, vIndex, wanted, kp, kd, support, scratch, gravity, servo, sample, motion, efforts } = memory
      gravityForces(model, state, data, gravity)
      subtractSupport(robot, data, support, scratch, gravity)
      for (let j = 0; j < qIndex.length; j++) {
        const k = vIndex[j]
        const spring = model.stiffness[k] * (wanted[j] - model.springReference[k])
        efforts[j] = gravity[k] + spring + kp[j] * (wanted[j] - q[qIndex[j]]) - kd[j] * v[k]
        target.joints[j] = wanted[j]
      }
      if (servo !== null) {
        line.sample(state.t, sample)
        const isDriven = followCommand(command, motion, 1, servo.period, 0)
        if (!isDriven) {
          motion[0] = sample[6]
          motion[1] = 0
        }
        driveWheelServo(servo, motion, v, efforts)
        for (let i = 0; i < servo.joint.length; i++) {
          const j = servo.joint[i]
          target.joints[j] = isDriven ? NaN : wanted[j] + (servo.sign[i] * sample[0]) / servo.radius[i]
        }
      }
      return efforts
    },
  }
}

function createHold(setup: ControllerSetup, { omega = 20, damping = 1 }: HoldOptions) {
  const { robot, model, period } = setup
  const { joints, home } = robot
  const data = homeData(robot)
  const support = supportAtHome(robot, data)
  const free = jointInertia(robot, data)
  const coupling = jointCoupling(robot, data, free)
  const carries = carryingVelocities(robot, support)
  const carried = joints.map(({ vIndex }, j) => (carries[vIndex] ? inertiaAboutJoint(robot, data, j) : 0))
  const felt = free.map((inertia, j) => inertia + carried[j])
  const moved = joints.map(({ vIndex }, j) => data.M[vIndex * (model.nv + 1)] + carried[j])

  const wheels = driveWheels(robot)
  const kp = felt.map((inertia, j) =>
    Math.min(inertia * omega * omega, (LARGEST_STIFFNESS * free[j]) / (coupling * period * period)),
  )
  const kd = kp.map((stiffness, j) =>
    Math.min(2 * damping * Math.sqrt(stiffness * moved[j]), (LARGEST_DAMPING * free[j]) / (coupling * period)),
  )
  for (const { joint } of [...(wheels?.left ?? []), ...(wheels?.right ?? [])]) {
    kp[joint] = 0
    kd[joint] = 0
  }
  return {
    /** One entry a moving joint: places in q and v, wanted position, gains; a drive wheel's gains are zero. */
    qIndex: Int32Array.from(joints, ({ qIndex }) => qIndex),
    vIndex: Int32Array.from(joints, ({ vIndex }) => vIndex),
    wanted: Float64Array.from(joints, ({ qIndex }) => home[qIndex]),
    kp,
    kd,
    support,
    scratch: createSupportScratch(model.nv),
    /** nv: gravity's generalised force. */
    gravity: new Float64Array(model.nv),
    servo: wheels === undefined ? null : createWheelServo(setup, wheels, data),
    /** Sample of the wheels' straight line, and their motion. */
    sample: new Float64Array(PATH_SIZE),
    motion: new Float64Array(2),
    efforts: new Float64Array(joints.length),
  }
}

/** The whole robot's mass times the square of its centre's distance from the joint's axis; a slide moves all the mass. */
function inertiaAboutJoint({ model, joints, massUsed }: Robot, data: Data, j: number): number {
  const { type, body } = joints[j]
  if (type === 'prismatic') return massUsed
  const S = data.SW[model.sStart[body]] // turning at 1 rad/s about the joint moves the centre of mass at S_v + S_omega x c
  const c = new Float64Array(3)
  centerOfMass(model, data, c)
  const x = S[3] + S[1] * c[2] - S[2] * c[1]
  const y = S[4] + S[2] * c[0] - S[0] * c[2]
  const z = S[5] + S[0] * c[1] - S[1] * c[0]
  return massUsed * (x * x + y * y + z * z)
}
