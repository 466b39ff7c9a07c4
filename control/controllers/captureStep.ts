import { planarHull } from '../../contact/geometry/index.ts'
import {
  centerOfMass,
  centerOfMassJacobian,
  centerOfMassJacobianDotTimesV,
  centerOfMassVelocity,
  createCentroidalWorkspace,
  type Frame,
  frameJacobian,
  frameJacobianDotTimesV,
  framePose,
  frameVelocity,
} from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'
import { angularMomentum } from '../wholeBody/angularMomentum.ts'
import { linkPose, turnTo } from '../wholeBody/linkPose.ts'
import { posture } from '../wholeBody/posture.ts'
import { type Task, type TaskRows, taskRows } from '../wholeBody/task.ts'
import { createWholeBody, solveWholeBody, standOn } from '../wholeBody/wholeBody.ts'
import type { StandingPoints } from './standingPoints.ts'

export interface CaptureStepOptions {
  /** Friction coefficient assumed for contact forces. */
  readonly friction?: number
  /** Duration of a step [s], and how far a foot is lifted in it [m]. Default 0.3, 0.06. */
  readonly duration?: number
  readonly lift?: number
  /** Distance of the capture point inside its support polygon below which it steps [m]; -Infinity: it never steps. Default 0. */
  readonly margin?: number
  /** Wanted offset of the centre of mass from the middle of the feet, in world axes [m], at time t; default: none. */
  readonly shift?: (t: number) => readonly number[]
}

/** Plain data. */
export type CaptureStepMemory = ReturnType<typeof createMemory>

interface Foot {
  readonly body: number
  /** At the middle of its points, with the body's axes. */
  readonly frame: Frame
  /** Its points, among those that carry the robot. */
  readonly points: number[]
  /** 9: its orientation at the first tick. */
  readonly R: Float64Array
}

/** Downward speed of a foot that has not touched the ground in time [m/s]. */
const REACH = 0.3
/** Part of a step after which its end is fixed, and after which touching the ground ends it. */
const DECIDED = 0.8
const MAY_TOUCH = 0.6
/** Part of the weight from which a foot counts as landed. */
const LANDED = 0.05
/** Shortest double support after a step [s]. */
const QUIET = 0.05
/** Least distance of the feet, as part of that at the first tick. */
const NEAREST = 0.8
/** Largest distance of a foot's target from the other one, in heights of the centre of mass. */
const FARTHEST = 0.7
/** Gain of the capture point [1/s], of the height [rad/s], of a foot in the air [rad/s]. */
const GAIN = { capture: 3, height: 5, foot: 25 }
const WEIGHT = { center: 100, foot: 1000, turn: 100 }

function createMemory(setup: ControllerSetup, tasks: readonly Task[], friction?: number) {
  const room = () => new Float64Array(3)
  return {
    ...createWholeBody(setup, { tasks, friction }),
    feet: [] as Foot[],
    /** Foot in the air, -1 for none; steps so far. */
    swing: -1,
    steps: 0,
    /** Time of lift-off, and time until which no other step begins [s]. */
    since: 0,
    quietUntil: 0,
    /** 3: position of the middle of its sole at lift-off, and at the planned touch-down [m]. */
    from: room(),
    to: room(),
    /** Of the centre of mass above the soles at the first tick [m], and of the feet from each other [m]; NaN before it. */
    height: NaN,
    width: NaN,
    /** 3: centre of mass and its velocity; capture point, in the plane of the soles. */
    center: room(),
    speed: room(),
    capture: room(),
    workspace: createCentroidalWorkspace(setup.model),
  }
}

/**
 * Balance and step recovery of a biped by whole-body inverse dynamics (`createWholeBody`) with the capture point xi = c + c' / w,
 * w = sqrt(g / h), on which a step brings it to rest (Pratt and others, "Capture point: a step toward humanoid push recovery", 2006).
 * While that is inside the support polygon, the centre of pressure beyond it brings it back, c'' = w² (c - p), p = xi + k (xi - middle) / w
 * (Englsberger, Ott and Albu-Schaeffer, "Three-dimensional bipedal walking control based on divergent component of motion", 2015). Else one
 * foot steps to where it will be at the step's end, p + (xi - p) exp(w T) from the nearest point p of the other foot, until it is inside.
 *
 * Of a robot that stands on two bodies at the first tick, on the ground z = 0.
 *
 * @throws ControllerError at the first tick for a robot that stands on one body, or on more than two
 */
export function captureStep(options: CaptureStepOptions = {}): Controller<CaptureStepMemory> {
  const { friction, margin = 0 } = given('capture-step', options)
  const tasksOf = (base: string): readonly Task[] => [
    centerTask(options) as Task,
    linkPose({ link: base }) as Task,
    angularMomentum() as Task,
    posture({ weight: 0.05 }) as Task,
    footTask(options) as Task,
  ]
  const tasks = tasksOf('')
  return {
    rate: 500,
    init: (setup) => createMemory(setup, tasksOf(setup.model.bodyName[1]), friction),
    update(seen) {
      const { memory } = seen
      const ground = standOn(memory, seen)
      look(memory, seen, ground)
      if (memory.swing >= 0) swingOn(memory, seen, ground, options)
      else if (seen.t >= memory.quietUntil && outside(memory, ground) > -margin) begin(memory, seen, ground, options)
      return solveWholeBody(memory, seen, tasks)
    },
    metrics: ({ memory: { steps, counts } }) => ({ steps, limitsGivenUp: counts[0], ticksWithoutAnswer: counts[1] }),
  }
}

/** Centre of mass and capture point; at the first tick the feet. */
function look(memory: CaptureStepMemory, seen: ControllerState<unknown>, ground: StandingPoints): void {
  const { model, data } = seen
  const { center, speed, capture } = memory
  centerOfMass(model, data, center)
  centerOfMassVelocity(model, data, memory.workspace, speed)
  if (memory.feet.length === 0) {
    memory.feet.push(...feetOf(seen.robot, ground, seen.data.R_WB))
    const [a, b] = memory.feet.map(({ points }) => middleOf(ground, points))
    memory.width = Math.hypot(a[0] - b[0], a[1] - b[1])
    memory.height = center[2] - (a[2] + b[2]) / 2
  }
  const omega = frequencyOf(memory, seen)
  for (let k = 0; k < 2; k++) capture[k] = center[k] + speed[k] / omega
}

const frequencyOf = ({ height }: CaptureStepMemory, { model }: ControllerState<unknown>) =>
  Math.sqrt(Math.abs(model.gravity[5]) / height)

/** @throws ControllerError unless there are two */
function feetOf(robot: Robot, { body, point, below }: StandingPoints, R_WB: readonly Float64Array[]): Foot[] {
  const bodies = [...new Set(body)]
  if (bodies.length !== 2)
    throw new ControllerError(
      'capture-step',
      `robot "${robot.name}" stands on ${bodies.map((b) => robot.model.bodyName[b]).join(', ')}; it takes a robot on two feet`,
    )
  return bodies.map((own) => {
    const points = Array.from(body.keys()).filter((i) => body[i] === own)
    const p = new Float64Array(3)
    const R = R_WB[own]
    // of a ball the point below it, in the body's axes
    for (const i of points) for (let k = 0; k < 3; k++) p[k] += (point[3 * i + k] - R[6 + k] * below[i]) / points.length
    const frame = { name: robot.model.bodyName[own], body: own, R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), p }
    return { body: own, frame, points, R: R.slice() }
  })
}

function middleOf({ place }: StandingPoints, points: readonly number[]): number[] {
  return [0, 1, 2].map((k) => points.reduce((sum, i) => sum + place[3 * i + k], 0) / points.length)
}

/** The points of all feet that stand, or of one. */
const standingOf = ({ feet, swing }: CaptureStepMemory): number[] => feet.flatMap(({ points }, i) => (i === swing ? [] : points))

/** Distance of the capture point outside the support polygon; negative inside [m]. */
function outside(memory: CaptureStepMemory, ground: StandingPoints): number {
  const { capture } = memory
  const hull = hullOf(ground, standingOf(memory))
  let most = -Infinity
  hull.forEach(([x, y], i) => {
    const [u, w] = hull[(i + 1) % hull.length]
    const length = Math.hypot(u - x, w - y)
    if (length > 0) most = Math.max(most, ((capture[0] - x) * (w - y) - (capture[1] - y) * (u - x)) / length)
  })
  return most
}

const hullOf = ({ place }: StandingPoints, points: readonly number[]) =>
  planarHull(points.map((i) => [place[3 * i], place[3 * i + 1]] as const))

/** Nearest point of one foot to the capture point. */
function nearestOn(
  ground: StandingPoints,
  { points }: Foot,
  [x, y]: ArrayLike<number> & Iterable<number>,
): readonly [number, number] {
  const hull = hullOf(ground, points)
  let isInside = true
  let nearest = hull[0]
  let least = Infinity
  hull.forEach(([ax, ay], i) => {
    const [bx, by] = hull[(i + 1) % hull.length]
    const [u, w] = [bx - ax, by - ay]
    if ((x - ax) * w - (y - ay) * u > 0) isInside = false
    const s = Math.min(1, Math.max(0, ((x - ax) * u + (y - ay) * w) / (u * u + w * w)))
    const at = [ax + s * u, ay + s * w] as const
    const distance = Math.hypot(x - at[0], y - at[1])
    if (distance < least) [nearest, least] = [at, distance]
  })
  return isInside ? [x, y] : nearest
}

/** Touch-down position of a foot in so much time, from the other foot. */
function landing(
  memory: CaptureStepMemory,
  seen: ControllerState<unknown>,
  ground: StandingPoints,
  swing: number,
  time: number,
): number[] {
  const { feet, capture, width, height } = memory
  const support = feet[1 - swing]
  const middle = middleOf(ground, support.points)
  const grows = exponential(frequencyOf(memory, seen) * time)
  const [px, py] = nearestOn(ground, support, capture)
  const to = [px + (capture[0] - px) * grows, py + (capture[1] - py) * grows, middle[2]]
  // on its own side of the other foot, along the line of the feet's hips: the base's y
  const R = seen.data.R_WB[1]
  const [yx, yy] = [R[1], R[4]]
  const side = sideOf(memory, seen, swing)
  const across = side * ((to[0] - middle[0]) * yx + (to[1] - middle[1]) * yy)
  const wanted = Math.max(across, NEAREST * width)
  to[0] += side * (wanted - across) * yx
  to[1] += side * (wanted - across) * yy
  const far = Math.hypot(to[0] - middle[0], to[1] - middle[1])
  const shorter = Math.min(1, (FARTHEST * height) / far)
  for (let k = 0; k < 2; k++) to[k] = middle[k] + shorter * (to[k] - middle[k])
  return to
}

/** 1 for the foot that is farther to the left in the base's axes, -1 for the other. */
function sideOf({ feet }: CaptureStepMemory, { data }: ControllerState<unknown>, foot: number): number {
  const R = data.R_WB[1]
  const lateral = feet.map(({ body }) => {
    const p = data.p_WB[body]
    const base = data.p_WB[1]
    return R[1] * (p[0] - base[0]) + R[4] * (p[1] - base[1]) + R[7] * (p[2] - base[2])
  })
  return lateral[foot] > lateral[1 - foot] ? 1 : -1
}

/** Power series, whose bits are the same everywhere; for x up to some units. */
function exponential(x: number): number {
  let [sum, term] = [1, 1]
  for (let k = 1; k < 40; k++) {
    term *= x / k
    sum += term
  }
  return sum
}

/** Begins a step of the foot with the least sum of its own way and the capture point's distance from the other foot. */
function begin(
  memory: CaptureStepMemory,
  seen: ControllerState<unknown>,
  ground: StandingPoints,
  options: CaptureStepOptions,
): void {
  const { duration = 0.3 } = options
  const ways = memory.feet.map(({ points }, i) => {
    const to = landing(memory, seen, ground, i, duration)
    const at = middleOf(ground, points)
    return Math.hypot(to[0] - at[0], to[1] - at[1]) + leaving(memory, ground, i)
  })
  memory.swing = ways[0] <= ways[1] ? 0 : 1
  memory.since = seen.t
  memory.steps++
  memory.from.set(middleOf(ground, memory.feet[memory.swing].points))
  memory.to.set(landing(memory, seen, ground, memory.swing, duration))
  carry(memory, 0)
}

/** Distance of the capture point from the other foot. */
function leaving({ feet, capture }: CaptureStepMemory, ground: StandingPoints, foot: number): number {
  const [x, y] = nearestOn(ground, feet[1 - foot], capture)
  return Math.hypot(capture[0] - x, capture[1] - y)
}

function carry({ feet, swing, carries }: CaptureStepMemory, share: number): void {
  for (const i of feet[swing].points) (carries as Float64Array)[i] = share
}

/** Updates the end of the step until it is fixed, and ends the step when the foot has landed. */
function swingOn(
  memory: CaptureStepMemory,
  seen: ControllerState<unknown>,
  ground: StandingPoints,
  { duration = 0.3 }: CaptureStepOptions,
): void {
  const part = (seen.t - memory.since) / duration
  if (part < DECIDED) memory.to.set(landing(memory, seen, ground, memory.swing, duration * (1 - part)))
  const load = seen.contactForces[6 * memory.feet[memory.swing].body + 5]
  if (part < MAY_TOUCH || load < LANDED * seen.robot.massUsed * Math.abs(seen.model.gravity[5])) return
  carry(memory, 1)
  memory.swing = -1
  memory.quietUntil = seen.t + QUIET
}

interface CenterMemory extends TaskRows {
  readonly bias: Float64Array
}

/** The centre of mass: horizontally by its capture point, vertically by its height. */
function centerTask({ shift }: CaptureStepOptions): Task<CenterMemory> {
  return {
    init({ model }) {
      const rows = taskRows(3, model.nv)
      rows.weight.fill(WEIGHT.center)
      return { ...rows, bias: new Float64Array(3) }
    },
    write({ J, wanted, bias }, seen) {
      const memory = seen.memory as CaptureStepMemory
      const { center, speed, capture, height, workspace } = memory
      const ground = memory.ground as StandingPoints
      const omega = frequencyOf(memory, seen)
      centerOfMassJacobian(seen.model, seen.data, workspace, J)
      centerOfMassJacobianDotTimesV(seen.model, seen.state, seen.data, workspace, bias)
      const middle = middleOf(ground, standingOf(memory))
      const off = shift?.(seen.t) ?? [0, 0, 0]
      for (let k = 0; k < 2; k++) {
        const pressure = capture[k] + (GAIN.capture / omega) * (capture[k] - middle[k] - off[k])
        wanted[k] = omega * omega * (center[k] - pressure) - bias[k]
      }
      const rise = middle[2] + height + off[2] - center[2]
      wanted[2] = GAIN.height * (GAIN.height * rise - 2 * speed[2]) - bias[2]
    },
  }
}

interface FootMemory extends TaskRows {
  readonly R: Float64Array
  readonly p: Float64Array
  readonly velocity: Float64Array
  readonly bias: Float64Array
}

/** The swing foot follows its trajectory, in its orientation at the first tick. */
function footTask({ duration = 0.3, lift = 0.06 }: CaptureStepOptions): Task<FootMemory> {
  return {
    init({ model }) {
      const room = (size: number) => new Float64Array(size)
      return { ...taskRows(6, model.nv), R: room(9), p: room(3), velocity: room(6), bias: room(6) }
    },
    write({ J, wanted, weight, R, p, velocity, bias }, seen) {
      const { feet, swing, since, from, to } = seen.memory as CaptureStepMemory
      weight.fill(0)
      if (swing < 0) return
      weight.fill(WEIGHT.turn, 0, 3).fill(WEIGHT.foot, 3)
      const { frame, R: stood } = feet[swing]
      framePose(seen.data, frame, R, p)
      frameVelocity(seen.data, frame, velocity)
      frameJacobian(seen.model, seen.data, frame, J)
      frameJacobianDotTimesV(seen.model, seen.state, seen.data, frame, bias)
      turnTo(R, stood, wanted)
      const omega = GAIN.foot
      for (let k = 0; k < 3; k++) wanted[k] = omega * (omega * wanted[k] - 2 * velocity[k]) - bias[k]
      const u = Math.min(1, (seen.t - since) / duration)
      // quintic from rest to rest, and its derivatives
      const s = u * u * u * (10 - 15 * u + 6 * u * u)
      const ds = (30 * u * u * (1 - u) * (1 - u)) / duration
      const dds = (60 * u * (1 - u) * (1 - 2 * u)) / (duration * duration)
      const late = Math.max(0, seen.t - since - duration)
      for (let k = 0; k < 3; k++) {
        let place = from[k] + s * (to[k] - from[k])
        let speed = ds * (to[k] - from[k])
        let acceleration = dds * (to[k] - from[k])
        if (k === 2) {
          // 16 u² (1 - u)², up and down again
          place += lift * 16 * u * u * (1 - u) * (1 - u) - REACH * late
          speed += (lift * 32 * u * (1 - u) * (1 - 2 * u)) / duration - (late > 0 ? REACH : 0)
          acceleration += (lift * 32 * (1 - 6 * u + 6 * u * u)) / (duration * duration)
        }
        wanted[3 + k] = acceleration + omega * (omega * (place - p[k]) + 2 * (speed - velocity[3 + k])) - bias[3 + k]
      }
    },
  }
}
