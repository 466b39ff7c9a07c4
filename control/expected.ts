import * as is from '../dynamics/math/arguments.ts'
import { robotKind } from '../robots/robot.ts'
import type * as c from './index.ts'

/* Expected options of controllers, tasks, paths, trajectories, sensors and actuators; those of scenarios have the same bounds. */

const [some, pos, fn, of, type] = [is.number(0), is.positive(), is.callback, is.text, is.text]
const [margin, range, limit] = [is.either(is.finite, is.oneOf(-Infinity)), is.numbers(2), is.number(0, '', Infinity)]
const [response, following] = [
  { omega: pos, damping: some },
  { along: some, across: some, heading: some },
]
const tracking = { ...response, trajectory: fn }
const [byJoint, byPart] = [is.either(some, is.byName(some)), is.either(is.finite, is.byName(is.finite))]
const frame = { ...response, postureOmega: some, postureDamping: some, trajectory: is.made('a trajectory', 'axis', 'sample') }
const path = is.made('a path, such as figureEight makes', 'sample')
const mounting = { position: is.numbers(3), rotation: is.rotation() }
const errors = { rate: pos, delay: some, noise: byPart, bias: byPart, resolution: byPart }
const servo = { kp: some, kd: some, effortLimit: limit, noLoadSpeed: pos, lag: some, damping: some, friction: some }
const gear = { rotorInertia: some, gearRatio: is.finite, backlash: some, stiffness: some }
const interfaces = is.oneOf('effort', 'velocity', 'position')
const wrench = { point: is.numbers(3), force: is.numbers(3), moment: is.numbers(3), range }

type Sensor<T> = T & c.SensorErrors & { readonly type: string }
const sensor = is.variants('type', {
  imu: is.fields<Sensor<c.Mounting>>({ type, link: of }, { ...errors, ...mounting }),
  'force-torque': is.fields<Sensor<{ joint: string }>>({ type, joint: of }, errors),
  encoder: is.fields<Sensor<{ joint: string }>>({ type, joint: of }, errors),
  loop: is.fields<Sensor<{ loop: string }>>({ type, loop: of }, errors),
  length: is.fields<Sensor<{ length: string }>>({ type, length: of }, errors),
  rays: is.fields<Sensor<c.RaysOptions>>({ type, link: of, directions: is.numbers(), range: pos }, { ...errors, ...mounting }),
  pose: is.fields<Sensor<{ of: string }>>({ type, of }, errors),
  file: is.fields<Sensor<object>>({ type }, errors),
} satisfies Record<c.SensorOptions['type'], is.Kind>)
const ofLoop = { name: of, options: is.made('an object'), rate: pos, seed: is.finite, act: is.numbers(), heartbeat: is.array }
const matrices = { A: is.numbers(), B: is.numbers(), Q: is.numbers(), R: is.numbers() }
const efforts = is.byName(fn)
const regulating = { position: some, velocity: some, effort: pos, motors: is.filled(of), trajectory: fn, duration: pos }
const stiff = { stiffness: byJoint, damping: byJoint, cancels: is.oneOf('nothing', 'gravity', 'dynamics'), trajectory: fn }
const pressing = { direction: is.numbers(3), friction: some, integral: some, approach: pos }
const waving = { amplitude: some, shareOfRange: is.number(0, '', 1), slowest: pos, fastest: pos, ramp: pos }

const expected = {
  hold: is.options<c.HoldOptions>({ ...response, wheelSpeed: is.finite }),
  unicycle: is.options<c.UnicycleOptions>(following),
  'computed-torque': is.options<c.ComputedTorqueOptions>({ ...tracking, efforts }),
  'drive-and-wave': is.options<c.DriveAndWaveOptions>({ ...tracking, ...following, efforts, path }),
  balance: is.options<c.BalanceOptions>({ friction: pos, shift: fn, trajectory: fn }),
  'capture-step': is.options<c.CaptureStepOptions>({ friction: pos, duration: pos, lift: pos, margin, shift: fn }),
  grip: is.fields<c.GripOptions>({ fingers: is.filled(of), force: fn }, { ...tracking, speed: pos, follow: some }),
  'operational-space': is.fields<c.OperationalSpaceOptions>({ link: of }, frame),
  'differential-kinematics': is.fields<c.DifferentialKinematicsOptions>({ link: of }, { ...frame, turning: some, fastest: pos }),
  impedance: is.options<c.ImpedanceOptions>(stiff),
  'hybrid-force-motion': is.fields<c.HybridForceMotionOptions>({ link: of, force: fn }, { ...frame, ...pressing }),
  regulator: is.options<c.RegulatorOptions>(regulating),
  trot: is.options<c.TrotOptions>({ speed: fn, turn: fn, period: pos, lift: pos, feels: is.flag }),
  wave: is.options<c.WaveOptions>(waving),
  'figure-eight': is.options<c.FigureEightOptions>({ length: pos, width: pos, period: pos, ramp: pos }),
  arc: is.options<c.ArcOptions>({ speed: is.finite, curvature: is.finite, ramp: pos }),
  path,
  waypoints: is.listOf(is.options<c.Waypoint>({ t: is.finite, pose: of, joints: is.byName(is.finite) })),
  trapezoidal: is.options<c.TrapezoidalOptions>({ speedShare: pos, speed: pos, acceleration: pos }),
  'angular momentum': is.options<c.AngularMomentumOptions>({ rate: some, weight: some }),
  'centre of mass': is.options<c.CenterOfMassOptions>({ ...response, weight: some, shift: fn }),
  'link pose': is.fields<c.LinkPoseOptions>({ link: of }, { ...response, turning: some, moving: some }),
  posture: is.options<c.PostureOptions>({ ...tracking, weight: some, following: some }),
  'whole body': is.fields<c.WholeBodyOptions>({ tasks: is.listOf(is.made('a task', 'init')) }, { friction: pos }),
  loop: is.made('a loop, such as createControllerLoop makes', 'start', 'tick', 'save', 'target'),
  'controller loop': is.options<c.ControllerLoopOptions>({ ...ofLoop, sensors: is.byName(sensor) }),
  robot: robotKind,
  regulation: is.fields<c.LinearQuadraticProblem>({ n: is.whole(1), m: is.whole(1), ...matrices }, {}),
  controller: is.fields<Pick<c.Controller, 'init' | 'update' | 'rate'>>({ init: fn, update: fn }, { rate: pos }, true),
  sensor,
  actuators: is.listOf(is.fields<c.ActuatorOptions>({ joints: is.filled(of) }, { ...servo, ...gear, interface: interfaces })),
  thrusters: is.listOf(is.fields<c.ThrusterOptions>({ name: of, link: of }, wrench)),
}

/** The value itself. @throws RangeError with a line for each problem, which begins with `where` */
export function given<T>(what: keyof typeof expected, value: T, where = `${what}: `): T {
  is.check(value, expected[what], where)
  return value
}
