/** The built-in controllers by the names that scenario files use, with the options that each takes there. */
import * as z from 'zod'
import {
  arc,
  balance,
  type Controller,
  captureStep,
  computedTorque,
  cubicSpline,
  differentialKinematics,
  driveAndWave,
  type FrameTrajectory,
  figureEight,
  grip,
  hold,
  hybridForceMotion,
  impedance,
  type JointTrajectory,
  operationalSpace,
  type Path,
  quinticTrajectory,
  regulator,
  trapezoidalTrajectory,
  trot,
  unicycle,
  wave,
} from '../../control/index.ts'
import { cos, sin } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import { constantOf, evaluator, type Program } from './expression.ts'
import { either, fields, functionOfTime, listOf, oneOf, quantity, text, triple, truth } from './fields.ts'

/** Functions of t by joint name: positions [rad, m], or efforts [N m, N]. */
const joints = z.record(z.string(), functionOfTime).optional()
const byJoint = z
  .union(
    [quantity('number', { min: 0 }), z.record(z.string(), quantity('number', { min: 0 }))],
    'is neither a number nor numbers by joint',
  )
  .optional()
const gains = { omega: quantity('number', { above: 0 }).optional(), damping: quantity('number', { min: 0 }).optional() }
const followerGains = {
  along: quantity('number', { min: 0 }).optional(),
  across: quantity('number', { min: 0 }).optional(),
  heading: quantity('number', { min: 0 }).optional(),
}

const path = fields({
  kind: oneOf(['figure-eight', 'arc', 'speeds']),
  /** figure-eight: half its length and half its width [m], time of one round [s]. */
  length: quantity('length', { above: 0 }).optional(),
  width: quantity('length', { above: 0 }).optional(),
  period: quantity('duration', { above: 0 }).optional(),
  /** arc: curvature [1/m]. */
  curvature: quantity('number').optional(),
  /** arc: a constant speed. speeds: speed and rate of turn as functions of t [m/s, rad/s]. */
  speed: functionOfTime.optional(),
  turn: functionOfTime.optional(),
  ramp: quantity('duration', { above: 0 }).optional(),
}).optional()

/** The way of joints through waypoints, or those of a table, in place of functions of t. */
const throughWaypoints = fields({
  /** A table with a column t [s] and one for each joint that moves [rad, m]: `Waypoint`s, a line each. */
  file: text('the path of a table').optional(),
  kind: oneOf(['quintic', 'cubic-spline', 'trapezoidal']),
  waypoints: listOf(
    fields({
      t: quantity('duration').optional(),
      pose: text('the name of a pose').optional(),
      joints: z.record(z.string(), quantity(['angle', 'length'])).optional(),
    }),
    'waypoints',
  ).optional(),
})
  .refine(...either('waypoints', 'file', 'needs either waypoints or a file of them'))
  .optional()

const holdOptions = fields({ ...gains, wheelSpeed: quantity('speed').optional() })
const unicycleOptions = fields({ ...followerGains, path })
const torqueOptions = fields({ ...gains, joints, trajectory: throughWaypoints, efforts: joints })
const driveOptions = fields({ ...gains, ...followerGains, joints, path })

const trotOptions = fields({
  speed: functionOfTime.optional(),
  turn: functionOfTime.optional(),
  period: quantity('duration', { above: 0 }).optional(),
  lift: quantity('length', { above: 0 }).optional(),
  feels: truth.optional(),
})

const balanceOptions = fields({
  friction: quantity('number', { above: 0 }).optional(),
  /** How far the centre of mass is from where it starts, as functions of t [m]. */
  shift: z.tuple([functionOfTime, functionOfTime, functionOfTime]).optional(),
  joints,
})

const regulatorOptions = fields({
  joints,
  trajectory: throughWaypoints,
  position: quantity('number', { min: 0 }).optional(),
  velocity: quantity('number', { min: 0 }).optional(),
  effort: quantity('number', { above: 0 }).optional(),
  motors: listOf(text('the name of a joint'), 'names of joints').min(1, 'is empty').optional(),
})

const gripOptions = fields({
  ...gains,
  joints,
  fingers: listOf(text('the name of a joint'), 'names of joints').min(1, 'is empty'),
  force: functionOfTime,
  speed: quantity('number', { above: 0 }).optional(),
  follow: quantity('number', { min: 0 }).optional(),
})

const taskOptions = {
  ...gains,
  link: text('the name of a link'),
  /** How far the frame is from where it starts, as functions of t: shifted along the world's axes [m], and turned about an axis [rad]. */
  shift: z.tuple([functionOfTime, functionOfTime, functionOfTime]).optional(),
  axis: triple('number').optional(),
  turn: functionOfTime.optional(),
  postureOmega: quantity('number', { min: 0 }).optional(),
  postureDamping: quantity('number', { min: 0 }).optional(),
}

const pressOptions = fields({
  ...taskOptions,
  direction: triple('number').optional(),
  /** [N] */
  force: functionOfTime,
  friction: quantity('number', { min: 0 }).optional(),
  integral: quantity('number', { min: 0 }).optional(),
  approach: quantity('speed', { above: 0 }).optional(),
})

interface BuiltIn<T extends z.ZodType> {
  /** Options in a scenario file; checked when the scenario is read. */
  readonly options: T
  /** @param duration of the run [s] */
  create(options: z.output<T>, duration: number): Controller
}

const builtIn = <T extends z.ZodType>(options: T, create: BuiltIn<T>['create']): BuiltIn<T> => ({ options, create })

export const builtInControllers = {
  hold: builtIn(holdOptions, (options) => hold(options) as Controller),
  unicycle: builtIn(
    unicycleOptions,
    ({ path, ...options }, duration) => unicycle(pathOf(path, duration) ?? figureEight(), options) as Controller,
  ),
  'computed-torque': builtIn(
    torqueOptions,
    ({ joints, trajectory, efforts, ...options }) =>
      computedTorque({
        ...options,
        trajectory: trajectory ? waypointTrajectoryOf(trajectory) : trajectoryOf(joints),
        efforts: efforts && functionsOf(efforts),
      }) as Controller,
  ),
  'drive-and-wave': builtIn(
    driveOptions,
    ({ joints, path, ...options }, duration) =>
      driveAndWave({ ...options, trajectory: trajectoryOf(joints), path: pathOf(path, duration) }) as Controller,
  ),
  balance: builtIn(balanceOptions, ({ friction, joints, shift }) => {
    const along = shift?.map(evaluator)
    return balance({
      friction,
      shift: along && ((t) => along.map((f) => f(t))),
      trajectory: joints && trajectoryOf(joints, NaN),
    }) as Controller
  }),
  'capture-step': builtIn(
    fields({
      friction: quantity('number', { above: 0 }).optional(),
      duration: quantity('duration', { above: 0 }).optional(),
      lift: quantity('length', { above: 0 }).optional(),
      margin: quantity('length').optional(),
      steps: truth.optional(),
      shift: z.tuple([functionOfTime, functionOfTime, functionOfTime]).optional(),
    }),
    ({ shift, steps, ...options }) => {
      const along = shift?.map(evaluator)
      return captureStep({
        ...options,
        ...(steps === false && { margin: -Infinity }),
        shift: along && ((t) => along.map((f) => f(t))),
      }) as Controller
    },
  ),
  grip: builtIn(
    gripOptions,
    ({ joints, force, ...options }) =>
      grip({ ...options, force: evaluator(force), trajectory: trajectoryOf(joints ?? {}) }) as Controller,
  ),
  'operational-space': builtIn(
    fields(taskOptions),
    ({ shift, axis, turn, ...options }) =>
      operationalSpace({ ...options, trajectory: frameTrajectoryOf(shift, axis, turn) }) as Controller,
  ),
  'differential-kinematics': builtIn(
    fields({
      ...taskOptions,
      turning: quantity('number', { min: 0 }).optional(),
      fastest: quantity('number', { above: 0 }).optional(),
    }),
    ({ shift, axis, turn, ...options }) =>
      differentialKinematics({ ...options, trajectory: frameTrajectoryOf(shift, axis, turn) }) as Controller,
  ),
  impedance: builtIn(
    fields({
      joints,
      trajectory: throughWaypoints,
      stiffness: byJoint,
      damping: byJoint,
      cancels: oneOf(['nothing', 'gravity', 'dynamics']).optional(),
    }),
    ({ joints, trajectory, ...options }) =>
      impedance({
        ...options,
        trajectory: trajectory ? waypointTrajectoryOf(trajectory) : joints && trajectoryOf(joints, NaN),
      }) as Controller,
  ),
  'hybrid-force-motion': builtIn(
    pressOptions,
    ({ shift, axis, turn, force, ...options }) =>
      hybridForceMotion({
        ...options,
        force: evaluator(force),
        trajectory: frameTrajectoryOf(shift, axis, turn),
      }) as Controller,
  ),
  lqr: builtIn(
    regulatorOptions,
    ({ joints, trajectory, ...options }, duration) =>
      regulator({
        ...options,
        trajectory: trajectory ? waypointTrajectoryOf(trajectory) : joints && trajectoryOf(joints),
        duration,
      }) as Controller,
  ),
  trot: builtIn(
    trotOptions,
    ({ speed, turn, ...options }) =>
      trot({ ...options, speed: speed && evaluator(speed), turn: turn && evaluator(turn) }) as Controller,
  ),
  none: builtIn(fields({}), () => idle),
}

/** Gives every joint no effort. */
const idle: Controller = {
  init: ({ robot }) => new Float64Array(robot.joints.length),
  update: ({ memory }) => memory as Float64Array,
}

/** Makes a built-in controller from options that `builtInControllers[name].options` let through. */
export function createBuiltIn(name: string, options: unknown, duration: number): Controller {
  const { create } = builtInControllers[name as keyof typeof builtInControllers] as BuiltIn<z.ZodType>
  return create(options, duration)
}

function pathOf(options: z.output<typeof path>, duration: number): Path | undefined {
  if (options === undefined) return undefined
  const { kind, speed, turn, curvature, length, width, period, ramp } = options
  if (kind === 'figure-eight') return figureEight({ length, width, period, ramp })
  if (kind === 'arc') return arc({ speed: speed && constantOf(speed), curvature, ramp })
  const still = () => 0
  return speedsPath(speed ? evaluator(speed) : still, turn ? evaluator(turn) : still, duration)
}

const functionsOf = (programs: Readonly<Record<string, Program>>) =>
  Object.fromEntries(Object.entries(programs).map(([name, program]) => [name, evaluator(program)]))

/** Half the distance over which a function of t is differentiated [s]: error and rounding are near 1e-8 each. */
const DIFFERENCE = 1e-4

/**
 * The named joints follow functions of t, the others stay at home; without any, every joint waves.
 *
 * @param elsewhere where the others are to be, if not at home; NaN for free
 */
function trajectoryOf(
  programs: Readonly<Record<string, Program>> | undefined,
  elsewhere?: number,
): (robot: Robot) => JointTrajectory {
  if (programs === undefined) return (robot) => wave(robot)
  return ({ name, joints, home }) => {
    const functions = joints.map((joint) => (Object.hasOwn(programs, joint.name) ? evaluator(programs[joint.name]) : undefined))
    for (const wanted of Object.keys(programs)) {
      if (!joints.some((joint) => joint.name === wanted)) {
        throw new RangeError(
          `options.joints names "${wanted}", but "${name}" has no such moving joint; it has ${joints.map((j) => j.name).join(', ')}`,
        )
      }
    }
    return {
      sample(t, q, v, a) {
        functions.forEach((f, j) => {
          const now = f ? f(t[0]) : (elsewhere ?? (joints[j].type === 'continuous' ? NaN : home[joints[j].qIndex]))
          const after = f ? f(t[0] + DIFFERENCE) : now
          const before = f ? f(t[0] - DIFFERENCE) : now
          q[j] = now
          v[j] = (after - before) / (2 * DIFFERENCE)
          a[j] = (after - 2 * now + before) / (DIFFERENCE * DIFFERENCE)
        })
      },
    }
  }
}

function waypointTrajectoryOf({ kind, waypoints = [] }: NonNullable<z.output<typeof throughWaypoints>>) {
  const create = { quintic: quinticTrajectory, 'cubic-spline': cubicSpline, trapezoidal: trapezoidalTrajectory }[kind]
  return (robot: Robot): JointTrajectory => create(robot, waypoints)
}

/** A frame that is shifted by functions of t, and turned by one about an axis; default upwards. */
function frameTrajectoryOf(
  shift: readonly Program[] | undefined,
  axis: readonly number[] = [0, 0, 1],
  turn: Program | undefined,
): FrameTrajectory | undefined {
  if (shift === undefined && turn === undefined) return undefined
  const length = Math.hypot(...axis)
  if (!(length > 0)) throw new RangeError(`options.axis is [${axis.join(', ')}]; it must have a length`)
  const still = () => 0
  const functions = [turn, ...(shift ?? [undefined, undefined, undefined])].map((f) => (f ? evaluator(f) : still))
  return {
    axis: axis.map((x) => x / length),
    sample(t, s, ds, dds) {
      functions.forEach((f, k) => {
        const after = f(t[0] + DIFFERENCE)
        const before = f(t[0] - DIFFERENCE)
        s[k] = f(t[0])
        ds[k] = (after - before) / (2 * DIFFERENCE)
        dds[k] = (after - 2 * s[k] + before) / (DIFFERENCE * DIFFERENCE)
      })
    },
  }
}

/** Step of a path's table [s]. */
const TABLE_STEP = 1e-3

/**
 * The path of a unicycle whose speed and rate of turn are functions of t: position and heading integrated once by the
 * midpoint rule into a table, and from there to t by one midpoint step.
 */
function speedsPath(speed: (t: number) => number, turn: (t: number) => number, duration: number): Path {
  const rows = Math.ceil(duration / TABLE_STEP) + 2
  const table = new Float64Array(3 * rows)
  const advance = (row: number, h: number, out: Float64Array, k: number) => {
    const t = row * TABLE_STEP
    const rate = turn(t + h / 2)
    const run = speed(t + h / 2) * h
    const heading = table[3 * row + 2]
    out[k] = table[3 * row] + run * cos(heading + (rate * h) / 2)
    out[k + 1] = table[3 * row + 1] + run * sin(heading + (rate * h) / 2)
    out[k + 2] = heading + rate * h
  }
  for (let row = 0; row + 1 < rows; row++) advance(row, TABLE_STEP, table, 3 * (row + 1))
  const now = new Float64Array(3)
  return {
    sample(t, out) {
      const row = Math.max(0, Math.min(rows - 1, Math.floor(t[0] / TABLE_STEP)))
      advance(row, t[0] - row * TABLE_STEP, now, 0)
      const v = speed(t[0])
      const w = turn(t[0])
      const dv = (speed(t[0] + DIFFERENCE) - speed(t[0] - DIFFERENCE)) / (2 * DIFFERENCE)
      const hx = cos(now[2])
      const hy = sin(now[2])
      out[0] = now[0]
      out[1] = now[1]
      out[2] = v * hx
      out[3] = v * hy
      out[4] = dv * hx - v * w * hy
      out[5] = dv * hy + v * w * hx
      out[6] = v
      out[7] = w
      out[8] = hx
      out[9] = hy
    },
  }
}
