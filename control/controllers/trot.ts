import { addGravityCompensation, centerOfMass, crba, type Data, pointJacobian, rnea, sincos } from '../../dynamics/index.ts'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { given } from '../expected.ts'
import { homeData } from '../homeData.ts'
import { createQuadraticProgram, type QuadraticProgram, solveQuadraticProgram } from '../math/quadraticProgram.ts'
import { solvePositive } from '../math/solvePositive.ts'
import { smoothStep } from '../paths.ts'
import { followCommand } from './command.ts'
import { fourLegs, type Leg } from './legs.ts'

export interface TrotOptions {
  /** Speed along the heading [m/s] and rate of turn [rad/s] at time t. Default: straight on, to 0.4 m/s within half a second. */
  readonly speed?: (t: number) => number
  readonly turn?: (t: number) => number
  /** Time of a stride, in which each foot steps once [s]. */
  readonly period?: number
  /** Step height [m]. Default 0.06; 0.13 where it feels the ground. */
  readonly lift?: number
  /** Detects the ground by contact forces of the feet, for uneven ground; else timed by the clock, on level ground. Default false. */
  readonly feels?: boolean
}

/** Standing time before the first step [s]. */
const STANDING = 0.1
/** Duty factor, the part of a stride that a foot is on the ground: a little over half, so that load is transferred between pairs. */
const DUTY = 0.56
/** Time of loading or unloading a foot [s]. */
const TRANSFER = 0.025
/** Depth of a step's target below the ground, so that it ends on it [m]. */
const REACH = 0.004
/** Natural frequencies [rad/s] of the base's horizontal position, height and attitude, and of a swing foot; damping ratio. */
const OMEGA = { place: 4, height: 14, attitude: 16, foot: 40 }
const DAMPING = 0.9
/** Saturation of a swing foot's position error, for instance at an obstacle [m]. */
const FARTHEST = 0.03
/**
 * Of a robot that feels the ground: contact threshold of a foot's vertical force as part of the weight, and as part of its force along
 * the ground; part of a swing before which contact is ignored; speed of raising a foot along an obstacle, and of reaching down where it
 * finds no ground [m/s], for how long at most [s]; time constant of the base's height above the ground under its feet [s]; largest
 * distance of the target position ahead of the base [m].
 */
const FELT = { force: 0.04, steepest: 0.5, from: 0.4, raise: 1.5, reach: 0.5, longest: 0.12, follows: 0.15, ahead: 0.1 }
/** Friction coefficient assumed for forces of stance feet. */
const FRICTION = 0.5
/** Least share of a load in the least-squares problem. */
const LEAST_SHARE = 1e-3
/** Least squares of stance forces: weight of a squared force relative to a squared error of moments [1/m^2], of forces along and up. */
const SOFTNESS = { moment: 1e-5, along: 1e-3, up: 1e-4 }

export type TrotMemory = Readonly<ReturnType<typeof createTrot>>

/**
 * A trot: the feet of a diagonal step together, the two pairs in turn.
 *
 * Swing feet move by a quintic over the ground, and a bump above it, to Raibert's foothold: below the predicted hip, plus v T / 2, plus
 * sqrt(h / g) / 2 times the error in speed (Raibert, Legged Robots That Balance, 1986, chapter 2); joints accelerate by J^-1 a.
 * Stance feet share the force, and the moment about the centre of mass, that control the base's position, height and attitude like
 * damped springs: f is the least-squares solution within the friction pyramids (Focchi and others, "High-slope terrain locomotion
 * for torque-controlled quadruped robots", 2017). The efforts are those of inverse dynamics less J' f.
 *
 * Phases follow the clock, on ground assumed level with the lowest foot at the first tick, unless it `feels` the ground: then stance of a
 * foot begins where and when it touches. The robot trots in its pose at the start. Fills target.base.
 */
export function trot(options: TrotOptions = {}): Controller<TrotMemory> {
  const { speed, turn, feels } = given('trot', options)
  return {
    rate: 500,
    init: (setup) => createTrot(setup, options),
    update(seen) {
      const { memory, robot, data, target, state, command } = seen
      const { legs, gait, level, late, clock, swung, place, velocity, heading, work, efforts } = memory
      if (Number.isNaN(level[0])) begin(memory, data)
      else {
        const t = state.t[0]
        // back from world axes, in which `advance` leaves it
        velocity[0] = velocity[0] * heading[1] + velocity[1] * heading[0]
        if (!followCommand(command, velocity, 2, gait, 1)) {
          velocity[0] = speed === undefined ? 0.4 * Math.min(1, 2 * t) : speed(t)
          velocity[2] = turn === undefined ? 0 : turn(t)
        }
        advance(memory)
      }
      sincos(heading, place, 2)
      if (!feels) schedule(memory, state.t, false)
      else {
        // the stride waits for a foot that reaches for the ground
        if (Math.max(late[0], late[1], late[2], late[3]) === 0) clock[0] += gait[1]
        schedule(memory, clock, true)
      }
      if (feels) feel(memory, seen)
      work.a.fill(0)
      for (let i = 0; i < 4; i++) if (!Number.isNaN(swung[i])) swing(memory, seen, i)
      rnea(seen.model, seen.state, work.a, data, work.tau)
      addGravityCompensation(seen.model, data, work.tau, -1)
      carry(memory, seen)
      for (let i = 0; i < 4; i++) {
        const { joints } = legs[i]
        for (let n = 0; n < joints.length; n++) efforts[joints[n]] = work.tau[robot.joints[joints[n]].vIndex]
      }
      target.base.set(place)
      return efforts
    },
  }
}

const workOf = (nv: number) => ({
  point: new Float64Array(3),
  center: new Float64Array(3),
  ahead: new Float64Array(2),
  target: new Float64Array(3),
  force: new Float64Array(3),
  wrench: new Float64Array(6),
  matrix3: new Float64Array(9),
  arms: new Float64Array(72),
  J: new Float64Array(3 * nv),
  a: new Float64Array(nv),
  tau: new Float64Array(nv),
  time: new Float64Array(1),
  step: new Float64Array(4),
})

/** @throws ControllerError for a robot that is no quadruped */
function createTrot(
  { robot, model, period: tick }: ControllerSetup,
  { period = 0.5, feels = false, lift = feels ? 0.13 : 0.06 }: TrotOptions,
) {
  const data = homeData(robot)
  const legs = fourLegs(robot, data)
  if (typeof legs === 'string') {
    const remedy =
      'a trot takes a floating base and at each of its corners a leg of three driven joints that ends in a ball, a <collision> of a <sphere>'
    throw new ControllerError('trot', `robot "${robot.name}" is no quadruped; ${remedy}; ${legs}`)
  }
  crba(model, data)
  const inertia = new Float64Array(9)
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) inertia[3 * r + c] = data.M[r * model.nv + c]
  const { nv, gravity } = model
  return {
    legs,
    /**
     * Period of a stride and of the loop [s], lift [m], natural frequency of a foot in the air [rad/s], gravity's magnitude [m/s^2], mass [kg];
     * an array, because reading a number from an object may box it.
     */
    gait: Float64Array.of(period, tick, lift, Math.min(OMEGA.foot, 0.2 / tick), Math.abs(gravity[5]), robot.massUsed),
    /** Of the feet [m]. */
    radius: Float64Array.from(legs, ({ radius }) => radius),
    /** 9: inertia of the whole robot at home about the base's origin, in the base's axes [kg m^2]. */
    inertia,
    /** 2: height of the ground, and of the base above it at the first tick [m]; NaN before it. */
    level: new Float64Array(2).fill(NaN),
    /** Reference of the base: x, y, heading [m, m, rad], and its velocity, in world axes. */
    place: new Float64Array(3),
    velocity: new Float64Array(3),
    /** Sine and cosine of its heading. */
    heading: new Float64Array(2),
    /** 2 a foot: position at the first tick, ahead and to the left of the base [m]. */
    stance: legs.map(() => new Float64Array(2)),
    /** 3 a foot: position at lift-off [m], NaN in stance. */
    liftOff: legs.map(() => new Float64Array(3).fill(NaN)),
    /** 4: height of the ground under each foot [m], at its last stance. */
    ground: new Float64Array(4),
    /** 4: whether a foot has touched the ground since its last lift-off; time for which it reaches down for it beyond its swing [s]. */
    landed: new Uint8Array(4).fill(1),
    late: new Float64Array(4),
    /** Time of the stride [s], where it waits for feet. */
    clock: new Float64Array(1),
    /** 4: swing phase of a foot, NaN on the ground; share of its load that it carries. */
    swung: new Float64Array(4),
    share: new Float64Array(4),
    program: forceProgram(),
    work: workOf(nv),
    efforts: new Float64Array(robot.joints.length),
  }
}

/** The first tick: ground height, base height and stance of the robot. */
function begin({ legs, radius, level, ground, place, heading, stance, work: { point } }: TrotMemory, data: Data): void {
  const R = data.R_WB[1]
  const p = data.p_WB[1]
  place[0] = p[0]
  place[1] = p[1]
  place[2] = Math.atan2(R[3], R[0])
  sincos(heading, place, 2)
  const hx = heading[1]
  const hy = heading[0]
  level[0] = Infinity
  for (let i = 0; i < 4; i++) {
    footCentre(point, legs[i], data)
    level[0] = Math.min(level[0], point[2] - radius[i])
    stance[i][0] = hx * (point[0] - p[0]) + hy * (point[1] - p[1])
    stance[i][1] = hx * (point[1] - p[1]) - hy * (point[0] - p[0])
  }
  level[1] = p[2] - level[0]
  ground.fill(level[0])
}

/** Advances the reference by one tick, by the midpoint rule, with velocity[0] the speed; turns that into a velocity in world axes. */
function advance({ gait, place, velocity, heading, work: { time } }: TrotMemory): void {
  time[0] = place[2] + 0.5 * velocity[2] * gait[1]
  sincos(heading, time, 0)
  velocity[1] = velocity[0] * heading[0]
  velocity[0] *= heading[1]
  for (let k = 0; k < 3; k++) place[k] += gait[1] * velocity[k]
}

/** Sets swing phases and load shares of the feet. Front left and rear right step first. */
function schedule({ gait, swung, share }: TrotMemory, time: Float64Array, feels: boolean): void {
  const period = gait[0]
  const flight = (1 - DUTY) * period
  for (let i = 0; i < 4; i++) {
    const isFirst = i === 0 || i === 3
    // time of the foot since its first lift, then since its last one: below zero before it ever steps
    let since = time[0] - STANDING
    if (!isFirst) since -= 0.5 * period
    if (since > 0) since -= period * Math.floor(since / period)
    swung[i] = NaN
    share[i] = 1
    if (since >= 0 && since < flight) {
      swung[i] = since / flight
      share[i] = 0
    } else if (since < 0) {
      if (-since < TRANSFER) share[i] = -since / TRANSFER
    } else {
      if (since - flight < TRANSFER && !feels) share[i] = (since - flight) / TRANSFER
      if (period - since < TRANSFER) share[i] = (period - since) / TRANSFER
    }
  }
}

/**
 * Corrects the phases of the clock by contacts: a foot that touches early is in stance, one without ground reaches down for it. The base
 * keeps its height above the ground under its feet, and its reference waits where it is blocked.
 */
function feel(memory: TrotMemory, { data, contactForces, robot }: ControllerState<unknown>): void {
  const { legs, gait, radius, level, place, ground, landed, late, liftOff, swung, share, work } = memory
  const least = FELT.force * robot.massUsed * gait[4]
  let mean = 0
  for (let i = 0; i < 4; i++) {
    const at = 6 * legs[i].body + 3
    const along = Math.sqrt(contactForces[at] * contactForces[at] + contactForces[at + 1] * contactForces[at + 1])
    const touches = contactForces[at + 2] > Math.max(least, FELT.steepest * along)
    const inSwing = !Number.isNaN(swung[i])
    if (inSwing && swung[i] < FELT.from) landed[i] = 0
    if (landed[i] === 0 && touches && !(inSwing && swung[i] < FELT.from)) landed[i] = 1
    if (landed[i] === 0 && !touches && along > least) ground[i] += FELT.raise * gait[1]
    if (inSwing && landed[i] === 1) {
      swung[i] = NaN
      share[i] = 1
    } else if (!inSwing && landed[i] === 0) {
      late[i] += gait[1]
      if (late[i] > FELT.longest || Number.isNaN(liftOff[i][0])) landed[i] = 1
      else {
        swung[i] = 1
        share[i] = 0
      }
    }
    if (landed[i] === 1) {
      late[i] = 0
      if (touches) {
        footCentre(work.point, legs[i], data)
        ground[i] = work.point[2] - radius[i]
      }
    }
    mean += 0.25 * ground[i]
  }
  level[0] += Math.min(1, gait[1] / FELT.follows) * (mean - level[0])
  for (let k = 0; k < 2; k++) {
    const ahead = place[k] - data.p_WB[1][k]
    place[k] -= ahead - Math.max(-FELT.ahead, Math.min(FELT.ahead, ahead))
  }
}

/** Joint accelerations of a leg in the air. */
function swing(memory: TrotMemory, { model, data, robot, v }: ControllerState<unknown>, i: number): void {
  const { legs, gait, liftOff, swung, work } = memory
  const { point, target, J, matrix3, force: a3, a, time, step } = work
  const { nv } = model
  const leg = legs[i]
  footCentre(point, leg, data)
  pointJacobian(model, data, leg.body, point, J)
  const from = liftOff[i]
  if (Number.isNaN(from[0])) from.set(point)
  const duration = (1 - DUTY) * gait[0]
  const omega = gait[3]
  const s = swung[i]
  landing(memory, data, v, i)

  time[0] = s
  smoothStep(time, 1, step)
  const u = s * (1 - s) // the bump is 64 u^3: 1 in the middle, and at rest at both ends
  for (let k = 0; k < 3; k++) {
    const up = k === 2 ? gait[2] : 0
    const way = target[k] - from[k]
    const place = from[k] + way * step[0] + up * 64 * u * u * u
    const speed = (way * step[2] + up * 192 * u * u * (1 - 2 * s)) / duration
    const acceleration = (way * step[3] + up * 384 * u * ((1 - 2 * s) * (1 - 2 * s) - u)) / (duration * duration)
    let now = 0
    for (let n = 0; n < nv; n++) now += J[k * nv + n] * v[n]
    a3[k] =
      acceleration + omega * (2 * DAMPING * (speed - now) + omega * Math.max(-FARTHEST, Math.min(FARTHEST, place - point[k])))
  }

  // J' (J J' + small)^-1 a over the leg's own joints
  matrix3.fill(0)
  for (let j = 0; j < 3; j++) {
    const n = robot.joints[leg.joints[j]].vIndex
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) matrix3[3 * r + c] += J[r * nv + n] * J[c * nv + n]
  }
  for (let k = 0; k < 3; k++) matrix3[4 * k] += 1e-6
  solvePositive(matrix3, a3)
  for (let j = 0; j < 3; j++) {
    const n = robot.joints[leg.joints[j]].vIndex
    for (let r = 0; r < 3; r++) a[n] += J[r * nv + n] * a3[r]
  }
}

/** Writes the foothold at the end of a foot's swing. */
function landing(
  { gait, radius, level, ground, late, place, velocity, stance, swung, work }: TrotMemory,
  data: Data,
  v: Float64Array,
  i: number,
) {
  const { ahead, target, time } = work
  const R = data.R_WB[1]
  const period = gait[0]
  const rest = (1 - swung[i]) * (1 - DUTY) * period
  time[0] = place[2] + velocity[2] * rest
  sincos(ahead, time, 0)
  const catching = 0.5 * Math.sqrt(level[1] / gait[4])
  for (let k = 0; k < 2; k++) {
    const speed = R[3 * k] * v[3] + R[3 * k + 1] * v[4] + R[3 * k + 2] * v[5]
    const hip = data.p_WB[1][k] + ahead[1 - k] * stance[i][0] + (k === 0 ? -ahead[0] : ahead[1]) * stance[i][1]
    target[k] = hip + speed * (rest + 0.5 * DUTY * period) + catching * (speed - velocity[k])
  }
  target[2] = ground[i] + radius[i] - REACH - FELT.reach * late[i]
}

/**
 * Subtracts the contact forces of stance feet from the efforts, tau -= J' f: those nearest to the wanted wrench,
 *
 *   min  sum of |f_i|² / share_i + |A f - wrench|² by softness   A = [r x; 1] of each foot
 *   with |f_x|, |f_y| <= mu f_z / sqrt 2   a pyramid within the cone, at each foot
 */
function carry(memory: TrotMemory, { model, data, v }: ControllerState<unknown>): void {
  const { legs, radius, liftOff, share, program, work } = memory
  const { point, center, J, wrench, tau } = work
  const { nv } = model
  centerOfMass(model, data, center)
  wantedWrench(memory, data, v)
  const { H, g, x: f } = program
  const A = work.arms
  A.fill(0)
  for (let i = 0; i < 4; i++) {
    if (share[i] === 0) continue
    footArm(point, legs[i], radius, i, data, center)
    writeArm(A, i, point)
  }
  g.fill(0)
  for (let j = 0; j < 12; j++) {
    const price = share[(j / 3) | 0]
    for (let k = 0; k <= j; k++) H[12 * j + k] = j === k ? 1 / Math.max(price, LEAST_SHARE) : 0
    for (let row = 0; row < 6; row++) {
      const weighted = A[12 * row + j] / (row < 3 ? SOFTNESS.moment : row < 5 ? SOFTNESS.along : SOFTNESS.up)
      if (weighted === 0) continue
      g[j] -= weighted * wrench[row]
      for (let k = 0; k <= j; k++) H[12 * j + k] += weighted * A[12 * row + k]
    }
  }
  // zero force is feasible, so that a solution exists
  solveQuadraticProgram(program)
  for (let i = 0; i < 4; i++) {
    if (share[i] === 0) continue
    liftOff[i].fill(NaN)
    footCentre(point, legs[i], data)
    point[2] -= radius[i]
    pointJacobian(model, data, legs[i].body, point, J)
    for (let n = 6; n < nv; n++) for (let k = 0; k < 3; k++) tau[n] -= J[k * nv + n] * f[3 * i + k]
  }
}

/** Wanted ground reaction [moment about the centre of mass; force], in world axes [N m, N]. */
function wantedWrench({ gait, inertia, level, place, velocity, heading, work }: TrotMemory, data: Data, v: Float64Array): void {
  const { wrench } = work
  const R = data.R_WB[1]
  const p = data.p_WB[1]
  const hx = heading[1]
  const hy = heading[0]
  // half the sum of each axis of the base times its reference: the rotation error, while it is small
  const x = 0.5 * (R[5] - R[6] * hy - R[7] * hx)
  const y = 0.5 * (R[6] * hx - R[7] * hy - R[2])
  const z = 0.5 * (R[0] * hy - R[3] * hx + R[1] * hx + R[4] * hy)
  const gain = OMEGA.attitude * OMEGA.attitude
  const loss = 2 * DAMPING * OMEGA.attitude
  // accelerations in the base's axes, where the inertia is known
  const ax = gain * (R[0] * x + R[3] * y + R[6] * z) - loss * (v[0] - R[6] * velocity[2])
  const ay = gain * (R[1] * x + R[4] * y + R[7] * z) - loss * (v[1] - R[7] * velocity[2])
  const az = gain * (R[2] * x + R[5] * y + R[8] * z) - loss * (v[2] - R[8] * velocity[2])
  const mx = inertia[0] * ax + inertia[1] * ay + inertia[2] * az
  const my = inertia[3] * ax + inertia[4] * ay + inertia[5] * az
  const mz = inertia[6] * ax + inertia[7] * ay + inertia[8] * az
  for (let k = 0; k < 3; k++) {
    const omega = k < 2 ? OMEGA.place : OMEGA.height
    const speed = R[3 * k] * v[3] + R[3 * k + 1] * v[4] + R[3 * k + 2] * v[5]
    const error = (k < 2 ? place[k] : level[0] + level[1]) - p[k]
    const acceleration = omega * (omega * error + 2 * DAMPING * ((k < 2 ? velocity[k] : 0) - speed))
    wrench[k] = R[3 * k] * mx + R[3 * k + 1] * my + R[3 * k + 2] * mz
    wrench[3 + k] = gait[5] * (acceleration + (k < 2 ? 0 : gait[4]))
  }
}

function footCentre(out: Float64Array, { body, centre }: Leg, data: Data): void {
  const R = data.R_WB[body]
  const p = data.p_WB[body]
  for (let k = 0; k < 3; k++) out[k] = p[k] + R[3 * k] * centre[0] + R[3 * k + 1] * centre[1] + R[3 * k + 2] * centre[2]
}

/** From the centre of mass to the lowest point of a foot. */
function footArm(out: Float64Array, leg: Leg, radius: Float64Array, i: number, data: Data, center: Float64Array): void {
  footCentre(out, leg, data)
  out[2] -= radius[i]
  for (let k = 0; k < 3; k++) out[k] -= center[k]
}

/** Writes the columns [r x; 1] of a foot. */
function writeArm(A: Float64Array, i: number, r: Float64Array): void {
  const at = 3 * i
  A[at + 1] = -r[2]
  A[at + 2] = r[1]
  A[12 + at] = r[2]
  A[12 + at + 2] = -r[0]
  A[24 + at] = -r[1]
  A[24 + at + 1] = r[0]
  for (let k = 0; k < 3; k++) A[12 * (3 + k) + at + k] = 1
}

/** Forces of four feet on a level ground, whose pyramids of friction never change. */
function forceProgram(): QuadraticProgram {
  const program = createQuadraticProgram(12, 16)
  program.lower.fill(0)
  for (let row = 0; row < 16; row++) {
    const foot = 3 * (row >> 2)
    program.C[12 * row + foot + ((row >> 1) & 1)] = row % 2 === 0 ? 1 : -1
    program.C[12 * row + foot + 2] = FRICTION * Math.SQRT1_2
  }
  return program
}
