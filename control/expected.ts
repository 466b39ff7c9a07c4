import * as is from '../dynamics/math/arguments.ts'
import { robotKind } from '../robots/robot.ts'
import type * as c from './index.ts'

/* Expected options of controllers, tasks, paths, trajectories, sensors and actuators; those of scenarios have the same bounds. */

const [some, above0, fn, of] = [is.number(0), is.positive(), is.callback, is.text]
const response = { omega: above0, damping: some }
const tracking = { ...response, trajectory: fn }
const following = { along: some, across: some, heading: some }
const byJoint = is.either(some, is.byName(some))
const frame = { ...response, postureOmega: some, postureDamping: some, trajectory: is.made('a trajectory', 'axis', 'sample') }
const path = is.made('a path, such as figureEight makes', 'sample')
const mounting = { position: is.numbers(3), rotation: is.rotation() }
const byPart = is.either(is.finite, is.byName(is.finite))
const errors = { rate: above0, delay: some, noise: byPart, bias: byPart, resolution: byPart }
const actuator = {
  ...{ kp: some, kd: some, effortLimit: is.number(0, '', Infinity), noLoadSpeed: above0, lag: some },
  friction: some,
}
const gear = { rotorInertia: some, gearRatio: is.finite, backlash: some, stiffness: some, damping: some }
const type = is.text

const sensor = is.variants('type', {
  imu: is.fields<{ type: 'imu' } & c.Mounting & c.SensorErrors>({ type, link: of }, { ...errors, ...mounting }),
  'force-torque': is.fields<{ type: string; joint: string } & c.SensorErrors>({ type, joint: of }, errors),
  encoder: is.fields<{ type: string; joint: string } & c.SensorErrors>({ type, joint: of }, errors),
  loop: is.fields<{ type: string; loop: string } & c.SensorErrors>({ type, loop: of }, errors),
  length: is.fields<{ type: string; length: string } & c.SensorErrors>({ type, length: of }, errors),
  rays: is.fields<{ type: string } & c.RaysOptions & c.SensorErrors>(
    { type, link: of, directions: is.numbers(), range: above0 },
    { ...errors, ...mounting },
  ),
  pose: is.fields<{ type: string; of: string } & c.SensorErrors>({ type, of }, errors),
  file: is.fields<{ type: string } & c.SensorErrors>({ type }, errors),
} satisfies Record<c.SensorOptions['type'], is.Kind>)

const expected = {
  hold: is.fields<c.HoldOptions>({}, { ...response, wheelSpeed: is.finite }),
  unicycle: is.fields<c.UnicycleOptions>({}, following),
  'computed-torque': is.fields<c.ComputedTorqueOptions>({}, { ...tracking, efforts: is.byName(fn) }),
  'drive-and-wave': is.fields<c.DriveAndWaveOptions>({}, { ...tracking, ...following, efforts: is.byName(fn), path }),
  balance: is.fields<c.BalanceOptions>({}, { friction: above0, shift: fn, trajectory: fn }),
  'capture-step': is.fields<c.CaptureStepOptions>(
    {},
    { friction: above0, duration: above0, lift: above0, margin: is.either(is.finite, is.oneOf(-Infinity)), shift: fn },
  ),
  grip: is.fields<c.GripOptions>({ fingers: is.filled(of), force: fn }, { ...tracking, speed: above0, follow: some }),
  'operational-space': is.fields<c.OperationalSpaceOptions>({ link: of }, frame),
  'differential-kinematics': is.fields<c.DifferentialKinematicsOptions>(
    { link: of },
    { ...frame, turning: some, fastest: above0 },
  ),
  impedance: is.fields<c.ImpedanceOptions>(
    {},
    { stiffness: byJoint, damping: byJoint, cancels: is.oneOf('nothing', 'gravity', 'dynamics'), trajectory: fn },
  ),
  'hybrid-force-motion': is.fields<c.HybridForceMotionOptions>(
    { link: of, force: fn },
    { ...frame, direction: is.numbers(3), friction: some, integral: some, approach: above0 },
  ),
  regulator: is.fields<c.RegulatorOptions>(
    {},
    { position: some, velocity: some, effort: above0, motors: is.filled(of), trajectory: fn, duration: above0 },
  ),
  trot: is.fields<c.TrotOptions>({}, { speed: fn, turn: fn, period: above0, lift: above0, feels: is.flag }),
  wave: is.fields<c.WaveOptions>(
    {},
    { amplitude: some, shareOfRange: is.number(0, '', 1), slowest: above0, fastest: above0, ramp: above0 },
  ),
  'figure-eight': is.fields<c.FigureEightOptions>({}, { length: above0, width: above0, period: above0, ramp: above0 }),
  arc: is.fields<c.ArcOptions>({}, { speed: is.finite, curvature: is.finite, ramp: above0 }),
  path,
  waypoints: is.listOf(is.fields<c.Waypoint>({}, { t: is.finite, pose: of, joints: is.byName(is.finite) })),
  trapezoidal: is.fields<c.TrapezoidalOptions>({}, { speedShare: above0, speed: above0, acceleration: above0 }),
  'angular momentum': is.fields<c.AngularMomentumOptions>({}, { rate: some, weight: some }),
  'centre of mass': is.fields<c.CenterOfMassOptions>({}, { ...response, weight: some, shift: fn }),
  'link pose': is.fields<c.LinkPoseOptions>({ link: of }, { ...response, turning: some, moving: some }),
  posture: is.fields<c.PostureOptions>({}, { ...tracking, weight: some, following: some }),
  'whole body': is.fields<c.WholeBodyOptions>({ tasks: is.listOf(is.made('a task', 'init')) }, { friction: above0 }),
  loop: is.made('a loop, such as createControllerLoop makes', 'start', 'tick', 'save', 'target'),
  'controller loop': is.fields<c.ControllerLoopOptions>(
    {},
    {
      ...{ name: of, options: is.made('an object'), rate: above0, seed: is.finite, act: is.numbers() },
      ...{ heartbeat: is.array, sensors: is.byName(sensor) },
    },
  ),
  robot: robotKind,
  regulation: is.fields<c.LinearQuadraticProblem>(
    { n: is.whole(1), m: is.whole(1), A: is.numbers(), B: is.numbers(), Q: is.numbers(), R: is.numbers() },
    {},
  ),
  controller: is.fields<Pick<c.Controller, 'init' | 'update' | 'rate'>>({ init: fn, update: fn }, { rate: above0 }, true),
  sensor,
  actuators: is.listOf(
    is.fields<c.ActuatorOptions>(
      { joints: is.filled(of) },
      { ...actuator, ...gear, interface: is.oneOf('effort', 'velocity', 'position') },
    ),
  ),
  thrusters: is.listOf(
    is.fields<c.ThrusterOptions>(
      { name: of, link: of },
      { point: is.numbers(3), force: is.numbers(3), moment: is.numbers(3), range: is.numbers(2) },
    ),
  ),
}

/** The value itself. @throws RangeError with a line for each problem, which begins with `where` */
export function given<T>(what: keyof typeof expected, value: T, where = `${what}: `): T {
  is.check(value, expected[what], where)
  return value
}
