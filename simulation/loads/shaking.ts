import type { SolverEvents } from '../../contact/index.ts'
import { crba, createData, type Data, factorize, kinematics, type State, solve } from '../../dynamics/index.ts'
import type { RobotInWorld } from '../worldParts.ts'

/** Ticks in a row at which effort and velocity turn round before a joint counts as shaking. */
const LASTING = 20
/** Least part of the largest swing of effort that every swing of those ticks has, and of the first that the last has: else it dies out. */
const [STEADY, UNDIMINISHED] = [0.5, 0.9]
/** Swings of a joint's velocity below this are of no interest [rad/s, m/s]. */
const QUIET = 0.01
/** By how much of itself the slope of a linear law varies from tick to tick at most. */
const LINEAR = 0.05
/** A joint's turns by what its robot's efforts alone would make them: beyond these bounds it is contacts or stops that shake it. */
const [LEAST_OWN, MOST_OWN] = [0.75, 1.5]

/** Watches the ticks of a robot's controller. */
export type Shaking = ReturnType<typeof watchShaking>

const digits = (x: number, count = 2) => `${Number(Math.abs(x).toPrecision(count))}`

/** Turns of the velocities and efforts of a robot's joints from tick to tick. Arrays of nv, at the last tick that changed a joint's effort. */
function turnsOf(nv: number) {
  const zeros = () => new Float64Array(nv)
  return {
    /** Effort that the controller asks for before its limit, to be set before `read`. */
    asked: zeros(),
    /** Changes since the tick before of velocity and effort, and the steps between. */
    dv: zeros(),
    dtau: zeros(),
    span: zeros(),
    /** dv less dv before, and the dtau before, which made it. */
    turn: zeros(),
    cause: zeros(),
    /** G, the last of -(change of the asked effort) / dv that is the law's own, 0 if there was none since turns began. */
    gain: zeros(),
    /** Ticks in a row that turned round with a steady swing, and the first swing of these. */
    steady: zeros(),
    first: zeros(),
    /** Step. */
    stepThen: zeros(),
    vThen: zeros(),
    tauThen: zeros(),
    askedThen: zeros(),
    askedBefore: zeros(),
    slope: zeros(),
    /** Least and largest swing of the steady ticks, and the number of ticks that were not at the law's own limit. */
    least: zeros(),
    most: zeros(),
    free: zeros(),
  }
}

/** Reads joint velocity k after a tick. @param limit nv: of efforts */
function read(
  turns: ReturnType<typeof turnsOf>,
  { v }: State,
  tau: Float64Array,
  limit: Float64Array,
  k: number,
  stepCount: number,
): void {
  const { asked, dv, dtau, span, turn, cause, gain, steady, first, stepThen } = turns
  const { vThen, tauThen, askedThen, askedBefore, slope, least, most, free } = turns
  if (tau[k] === tauThen[k]) return
  const dvBefore = dv[k]
  const spanBefore = span[k]
  const slopeBefore = slope[k]
  cause[k] = dtau[k]
  dv[k] = v[k] - vThen[k]
  dtau[k] = tau[k] - tauThen[k]
  span[k] = stepCount - stepThen[k]
  turn[k] = dv[k] - dvBefore
  slope[k] = (askedThen[k] - asked[k]) / dv[k]
  const turned = dv[k] * dvBefore < 0 && dtau[k] * cause[k] < 0 && dv[k] * dtau[k] < 0 && span[k] === spanBefore
  // what is asked within the joint's limit, and to the bit what it was on this side before, is a limit of the controller's own
  free[k] = turned && (asked[k] !== askedBefore[k] || Math.abs(asked[k]) > limit[k]) ? free[k] + 1 : 0
  // a law that is linear has one slope; at the onset of a limit, or of a jump of the command, it is another at each tick
  const isLinear = free[k] > 2 && Math.abs(slope[k] - slopeBefore) < LINEAR * slope[k]
  gain[k] = isLinear ? slope[k] : turned ? gain[k] : 0
  const size = Math.abs(dtau[k])
  if (!turned || Math.abs(dv[k]) < 2 * QUIET) steady[k] = 0
  else if (steady[k]++ === 0 || Math.min(least[k], size) < STEADY * Math.max(most[k], size)) {
    steady[k] = 1
    first[k] = least[k] = most[k] = size
  }
  least[k] = Math.min(least[k], size)
  most[k] = Math.max(most[k], size)
  vThen[k] = v[k]
  tauThen[k] = tau[k]
  askedBefore[k] = askedThen[k]
  askedThen[k] = asked[k]
  stepThen[k] = stepCount
}

/**
 * Tells `events` of the first joint that its controller shakes: an effort tau = -G v, held over a tick T, takes the joint from v to
 * (1 - T G / I) v; beyond T G = 2 I it swings from side to side at each tick, up to the limit of the effort and then for ever. G is
 * kd + T kp / 2 for a servo, as its position swings by T v / 2 about the middle, so that 2 I / G is at most the largest stable tick.
 *
 * @param dt time step [s]
 */
export function watchShaking({ name: robotName, robot, state, tau }: RobotInWorld, events: SolverEvents, dt: number) {
  const { model, joints } = robot
  const turns = turnsOf(model.nv)
  const { dv, dtau, span, turn, cause, gain, steady, first, stepThen } = turns
  let data: Data | undefined

  /** Of joint i: whether its swing lasts and comes of the efforts, of all joints together, which may shake each other. */
  const judge = (i: number, stepCount: number) => {
    const { name, type, vIndex: k } = joints[i]
    const tick = span[k] * dt
    steady[k] = 0
    if (Math.abs(dtau[k]) < UNDIMINISHED * first[k]) return
    data ??= createData(model)
    kinematics(model, state, data)
    crba(model, data)
    factorize(model, data.M, data.L)
    const change = dtau.map((x, j) => (stepThen[j] === stepCount ? x : 0))
    solve(model, data.L, change)
    // the turn of the velocity is of the efforts' turn before, which was about the opposite of this one
    const part = ((tick * change[k]) / turn[k]) * (cause[k] / dtau[k])
    if (!(part > LEAST_OWN && part < MOST_OWN)) return
    const [effort, speed, mass] = type === 'prismatic' ? ['N', 'm/s', 'kg'] : ['N m', 'rad/s', 'kg m²']
    const inertia = (tick * cause[k]) / turn[k]
    const largest = (2 * inertia) / gain[k]
    const bound =
      largest < 0.95 * tick
        ? `${digits(gain[k])} ${effort} per ${speed} on ${digits(inertia)} ${mass} are stable up to a tick of ${digits(1e3 * largest, 3)} ms`
        : 'it is stable at shorter ticks only, how short is not seen within the limits of its effort'
    events.firstShaking =
      `joint "${name}" of "${robotName}" shakes: from t = ${digits((stepCount - LASTING * span[k]) * dt, 6)} s its effort swings from side to side ` +
      `at each tick of ${digits(1e3 * tick, 3)} ms, by ±${digits(dtau[k] / 2)} ${effort}, and its speed by ±${digits(dv[k] / 2)} ${speed}; ` +
      `${bound}: take a shorter one, less damping, or a servo of actuators`
  }

  return {
    /** nv: the controller's efforts before their limits, to be set before `after` [N m, N]. */
    asked: turns.asked,
    /** After each tick, with the efforts that will act in the robot's tau. */
    after(stepCount: number) {
      if (events.firstShaking !== '') return
      for (let i = 0; i < joints.length; i++) read(turns, state, tau, model.effortLimit, joints[i].vIndex, stepCount)
      for (let i = 0; i < joints.length; i++) if (steady[joints[i].vIndex] >= LASTING) judge(i, stepCount)
    },
  }
}
