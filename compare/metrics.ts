/**
 * What a run is measured by. Nothing in here belongs to a contact model: penetration comes from an exact distance query,
 * energy and momentum from the inertias, slip from the velocities of contact points, forces from what the model reported.
 * docs/metrics.md gives these definitions to a reader of results.
 */
import { frictionAtSpeed } from '../contact/index.ts'
import type { ControllerLoop } from '../control/index.ts'
import {
  createData,
  createState,
  type Data,
  kinematics,
  kineticEnergy,
  potentialEnergy,
  type State,
  velocities,
} from '../dynamics/index.ts'
import type { RobotInWorld, World } from '../simulation/index.ts'
import { Momenta } from './momenta.ts'
import { PenetrationMeter } from './penetration.ts'
import { SurfaceMeter } from './surfaces.ts'

/**
 * The figures of one run. A key ends in its unit; one without is a ratio or a count. null where a figure has no meaning
 * for this run, such as the momentum of a robot that is bolted down. All are taken at every step.
 */
export interface Metrics {
  /** Largest depth of any two shapes that may touch, at the start or at the end of any step; see `PenetrationMeter`. */
  readonly penetrationMax_m: number
  /** Mean over all steps of the depth of the deepest pair; 0 counts where nothing penetrates. */
  readonly penetrationMean_m: number
  /** Mean kinetic energy over the last fifth of the run, if all that time the controllers asked every joint to rest. */
  readonly restKineticEnergy_J: number | null
  /**
   * Largest rise of the energy balance above its least value before: mechanical energy, less the work of the motors, plus what
   * viscous joints used up. Rigid contact can only take energy, so a rise was made by the contact model or the step; what an
   * elastic contact gives back of what it took counts too.
   */
  readonly energyGain_J: number
  /**
   * Slip where Coulomb's law allows none: the sum, over the steps in which a contact's force lay inside its cone by 5 % or
   * more, of the tangential speed of its two sides at the end of the step times dt. The contact with the largest sum counts.
   */
  readonly stickSlip_m: number
  /**
   * Largest distance of a contact's mean force over a step, impacts left out, outside its cone: friction beyond what static,
   * sliding, Stribeck and viscous friction allow at the speeds of the step, or pull.
   */
  readonly coneViolation_N: number
  /**
   * Forces at a distance: mean over all steps of the sum over contacts of normal force times the gap there would be at the
   * end of the step, gap + dt (normal velocity), where that is open; over weight times the allowed penetration. 0 is exact.
   */
  readonly complementarity: number | null
  /**
   * Sum of the normal impulses of contacts that pushed beside a surface: which did not touch at the start of the step, and at whose end
   * are farther from the other shape than their plane tells, both by more than `OFF_SURFACE`; see `SurfaceMeter`. 0 is exact.
   */
  readonly offSurfaceImpulse_Ns: number
  /**
   * Root mean square over all steps of the distance between change of linear momentum / dt and weight + contact forces, of every
   * floating robot and body by itself, over their weight: whether the forces that the model reports are those that moved them.
   */
  readonly momentumError: number | null
  /** Root mean square distance of turning joints (and the base's heading) of the compared robot from its controller's targets. */
  readonly trackingRms_rad: number | null
  /** The same for sliding joints and the base's horizontal position. */
  readonly trackingRms_m: number | null
  /** Root mean square effort, over all steps and all turning joints of the compared robot. */
  readonly torqueRms_Nm: number | null
  /** How often a second a pair of shapes begins or ceases to pass on force. */
  readonly contactChanges_Hz: number
  /** Steps in which a solver had no valid answer, and steps that a fallback answered. */
  readonly solverFailures: number
  readonly fallbacks: number
  /** Steps in which the law of contact gave way beyond what it is meant to. */
  readonly strained: number
  /** How often two shapes passed through each other within a step; see `SolverEvents`. */
  readonly tunnelled: number
  /** Computing time of one step, controller included; from a serial pass of its own without any measuring. */
  readonly step_us: number | null
  /** Simulated time over computing time: above 1 is faster than real time. */
  readonly realTimeFactor: number | null
  /** Steps in which the model answered a contact by an impact, all at once, and not by a force over the step. */
  readonly impacts: number
  /** Largest impact of one contact along its normal. */
  readonly impactMax_Ns: number
  /** Largest distance of one contact's impact outside its cone. */
  readonly impactConeViolation_Ns: number
}

/** How well one robot of the world followed its controller's targets; null where it has none of the kind. */
export interface RobotTracking {
  readonly robot: string
  readonly trackingRms_rad: number | null
  readonly trackingRms_m: number | null
}

/** Moments of a run for its plots; entry i of every list is one moment. */
export interface Series {
  readonly t: readonly number[]
  /** Largest depth since the entry before [m]. */
  readonly penetration: readonly number[]
  /** Mechanical energy less its value at the start [J]. */
  readonly energy: readonly number[]
  readonly kinetic: readonly number[]
  /** Largest sum of normal contact forces since the entry before, impacts left out [N]; NaN at the start. */
  readonly force: readonly number[]
}

/** More than an Int32Array can tell apart. */
const FEATURES = 0x1_0000_0000
const INSIDE_CONE = 0.95
const REST_PART = 0.8
const SERIES_LENGTH = 500
/** Slower than this a contact counts as sticking, where static friction acts [m/s]. */
const STICKING = 1e-3

interface Sum {
  sum: number
  count: number
}

/** The joints of one robot and its controller's targets. */
interface Tracked {
  readonly member: RobotInWorld
  readonly loop: ControllerLoop
  /** Index of q among that of the world, and of the joint among the robot's. */
  readonly turning: readonly { readonly q: number; readonly joint: number; readonly wraps: boolean }[]
  readonly sliding: readonly { readonly q: number; readonly joint: number }[]
  readonly rad: Sum
  readonly metres: Sum
}

/** Watches one world: call `before` and `after` around each of its steps. */
export class Meter {
  private readonly world: World
  private readonly steps: number
  /** Kinematics at the start of the step, there with the velocity of its end, and at its end. */
  private readonly startData: Data
  private readonly mixedData: Data
  private readonly endData: Data
  private readonly mixed: State
  private readonly v0: Float64Array
  private readonly depth: PenetrationMeter
  private readonly surfaces: SurfaceMeter
  private readonly weight: number
  private readonly momenta: Momenta
  private readonly velocityA = new Float64Array(3)
  private readonly slipStart = new Float64Array(3)
  private readonly slipEnd = new Float64Array(3)
  private readonly scalar = new Float64Array(1)
  private readonly tracked: readonly Tracked[]
  /** Velocities of the compared robot's turning joints. */
  private readonly motors: Int32Array

  private taken = 0
  private readonly penetration = { max: 0, sum: 0, pair: -1 }
  private readonly rest = { sum: 0, count: 0, asked: true, targets: undefined as Float64Array | undefined }
  private readonly energy = { start: NaN, now: NaN, kinetic: 0, work: 0, lost: 0, least: 0, gain: 0 }
  private readonly slip = new Map<number, number>()
  private coneViolation = 0
  private readonly impact = { steps: 0, max: 0, outside: 0 }
  private openWork = 0
  private offSurface = 0
  private torqueSum = 0
  private readonly touching: Uint8Array
  private readonly touchedBefore: Uint8Array
  private contactChanges = 0
  private everTouched = false
  private readonly solver = { failures: 0, fallbacks: 0, failedSteps: 0, fallbackSteps: 0, strainedBefore: 0 }
  private readonly tunnelledBefore: number
  private readonly series = {
    t: [] as number[],
    penetration: [] as number[],
    energy: [] as number[],
    kinetic: [] as number[],
    force: [] as number[],
  }
  private binDepth = 0
  private binForce = 0
  private readonly binSteps: number

  /**
   * @param loops the controller of each of the world's robots, if any
   * @param steps how many steps the run will have
   */
  constructor(world: World, loops: readonly (ControllerLoop | undefined)[], steps: number) {
    const { model, events } = world
    this.world = world
    this.steps = steps
    this.startData = createData(model)
    this.mixedData = createData(model)
    this.endData = createData(model)
    this.mixed = createState(model)
    this.v0 = new Float64Array(model.nv)
    this.depth = new PenetrationMeter(world)
    this.surfaces = new SurfaceMeter(world)
    this.momenta = new Momenta(world)
    this.touching = new Uint8Array(world.pairs.count)
    this.touchedBefore = new Uint8Array(world.pairs.count)
    this.binSteps = Math.max(1, Math.round(steps / SERIES_LENGTH))
    let mass = 0
    for (let i = 1; i < model.nb; i++) mass += model.I[i][0]
    this.weight = mass * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    this.tracked = world.robots.flatMap((member, i) => trackedOf(member, loops[i]))
    const [{ robot, start }] = world.robots
    this.motors = Int32Array.from(robot.joints.filter(({ type }) => type !== 'prismatic').map(({ vIndex }) => start.v + vIndex))
    if (world.robots.some((member, i) => loops[i] === undefined && member.robot.joints.length > 0)) this.rest.asked = false
    this.solver.failures = events.failures
    this.solver.fallbacks = events.fallbacks
    this.solver.strainedBefore = events.strained
    this.tunnelledBefore = events.tunnelled

    kinematics(model, world.state, this.endData)
    velocities(model, world.state, this.endData)
    this.measureEnergy()
    this.energy.start = this.energy.now
    this.energy.least = this.energy.now
    this.measurePenetration()
    this.penetration.sum = 0
    this.binForce = Number.NaN // no step has been taken, so no force is known
    this.writeSeries(world.state.t[0])
  }

  /** Mechanical energy at the end of the last step [J]. */
  get mechanicalEnergy(): number {
    return this.energy.now
  }

  /** Places of the bodies at the end of the last step. */
  get data(): Data {
    return this.endData
  }

  /** Depth of the deepest pair at the end of the last step [m]. */
  get depthNow(): number {
    return this.depth.deepest[0]
  }

  /** Whether anything passed on a force so far. */
  get touched(): boolean {
    return this.everTouched
  }

  /** Which shapes were deepest in each other; null if nothing penetrated. */
  get deepestPair(): { a: string; b: string } | null {
    return this.penetration.pair < 0 ? null : this.depth.namesOf(this.penetration.pair)
  }

  before(): void {
    const { model, state } = this.world
    this.mixed.q.set(state.q)
    this.v0.set(state.v)
    kinematics(model, state, this.startData)
    velocities(model, state, this.startData)
  }

  after(): void {
    const { world, mixedData, endData, mixed } = this
    const { model, state } = world
    mixed.v.set(state.v)
    kinematics(model, mixed, mixedData)
    velocities(model, mixed, mixedData)
    kinematics(model, state, endData)
    velocities(model, state, endData)
    this.taken++

    this.measurePenetration()
    this.measureEnergy()
    this.measureBalance()
    this.measureContacts()
    this.momenta.measure(this.startData, endData)
    this.measureTracking()
    this.measureRest()
    this.countSolver()
    if (this.taken % this.binSteps === 0) this.writeSeries(state.t[0])
  }

  private measurePenetration(): void {
    const { depth, penetration } = this
    depth.measure(this.endData)
    const deepest = depth.deepest[0]
    if (deepest > penetration.max) {
      penetration.max = deepest
      penetration.pair = depth.deepestPair[0]
    }
    penetration.sum += deepest
    this.binDepth = Math.max(this.binDepth, deepest)
  }

  private measureEnergy(): void {
    const { world, endData, energy, scalar } = this
    kineticEnergy(world.model, world.state, endData, scalar)
    energy.kinetic = scalar[0]
    potentialEnergy(world.model, world.state, endData, scalar)
    energy.now = energy.kinetic + scalar[0]
  }

  private measureBalance(): void {
    const { world, v0, energy, motors } = this
    const { tau, state, dt, model } = world
    for (let i = 0; i < model.nv; i++) {
      const v = 0.5 * (v0[i] + state.v[i]) // tau is constant over the step, so its work is tau times the mean speed times dt
      energy.work += tau[i] * v * dt
      energy.lost += model.damping[i] * v * v * dt
    }
    const balance = energy.now - energy.work + energy.lost
    energy.gain = Math.max(energy.gain, balance - energy.least)
    energy.least = Math.min(energy.least, balance)
    for (const v of motors) this.torqueSum += tau[v] * tau[v]
  }

  private measureContacts(): void {
    const { world, slipStart, slipEnd, touching, touchedBefore, impact: impacts } = this
    const { contacts, dt } = world
    const { count, pair, feature, normal, impulse, impact, mu, gap } = contacts
    touchedBefore.set(touching)
    touching.fill(0)
    let total = 0
    let hit = false
    for (let c = 0; c < count; c++) {
      const k = 3 * c
      const pn = impulse[k]
      this.relativeVelocity(this.startData, c, slipStart)
      this.relativeVelocity(this.mixedData, c, slipEnd)
      const vn = dot(slipEnd, normal, k)
      const speedStart = tangential(slipStart, normal, k)
      const speedEnd = tangential(slipEnd, normal, k)
      const allowed = this.allowedFriction(c, speedStart, speedEnd)

      // the force over the step, and apart from it what came as an impact
      const fn = (pn - impact[k]) / dt
      const ft = Math.hypot(impulse[k + 1] - impact[k + 1], impulse[k + 2] - impact[k + 2]) / dt
      this.coneViolation = Math.max(this.coneViolation, ft - allowed * Math.max(fn, 0), -fn)
      const impactTangent = Math.hypot(impact[k + 1], impact[k + 2])
      if (impact[k] !== 0 || impactTangent !== 0) {
        hit = true
        impacts.max = Math.max(impacts.max, impact[k])
        impacts.outside = Math.max(impacts.outside, impactTangent - allowed * Math.max(impact[k], 0), -impact[k])
      }

      if (pn > 0) {
        touching[pair[c]] = 1
        total += fn
        if (fn > 0 && ft < INSIDE_CONE * mu[c] * fn) {
          const key = pair[c] * FEATURES + feature[c]
          this.slip.set(key, (this.slip.get(key) ?? 0) + speedEnd * dt)
        }
        this.openWork += (pn / dt) * Math.max(0, gap[c] + dt * vn)
        if (this.surfaces.isOff(contacts, c, this.startData, this.endData)) this.offSurface += pn
      }
      this.momenta.addContact(contacts.bodyA[c], contacts.bodyB[c], c)
    }
    if (hit) impacts.steps++
    for (let i = 0; i < touching.length; i++) {
      if (touching[i] !== touchedBefore[i] && this.taken > 1) this.contactChanges++
      if (touching[i]) this.everTouched = true
    }
    this.binForce = Math.max(this.binForce, total)
  }

  /** Velocity of B's side of a contact against A's, at the contact's point, in world axes [m/s]. */
  private relativeVelocity(data: Data, c: number, out: Float64Array): void {
    const { contacts } = this.world
    const { velocityA } = this
    pointVelocity(data, contacts.bodyB[c], contacts.point, 3 * c, out)
    if (contacts.bodyA[c] === 0) return
    pointVelocity(data, contacts.bodyA[c], contacts.point, 3 * c, velocityA)
    for (let i = 0; i < 3; i++) out[i] -= velocityA[i]
  }

  /** The largest coefficient that friction may have between two speeds; it has no maximum inside, as it falls and then rises. */
  private allowedFriction(c: number, speedStart: number, speedEnd: number): number {
    const { mu, muStatic, viscous, stribeck } = this.world.contacts
    const at = (speed: number) => frictionAtSpeed(mu[c], muStatic[c], viscous[c], stribeck[c], speed)
    const moving = Math.max(at(speedStart), at(speedEnd))
    return Math.min(speedStart, speedEnd) < STICKING ? Math.max(moving, muStatic[c]) : moving
  }

  /** Compared where the controllers set their targets: at the start of the steps in which they ticked. */
  private measureTracking(): void {
    const { mixed, world } = this
    for (const { member, loop, turning, sliding, rad, metres } of this.tracked) {
      if ((world.stepCount - 1) % loop.everySteps !== 0) continue
      const { joints, base } = loop.target
      for (const { q, wraps, joint } of turning) {
        if (Number.isNaN(joints[joint])) continue
        const difference = mixed.q[q] - joints[joint]
        add(rad, wraps ? wrap(difference) : difference)
      }
      for (const { q, joint } of sliding) if (!Number.isNaN(joints[joint])) add(metres, mixed.q[q] - joints[joint])
      if (!member.robot.floating) continue
      const { q: at, body } = member.start
      const R = this.startData.R_WB[body + 1]
      if (!Number.isNaN(base[0]) && !Number.isNaN(base[1]))
        add(metres, Math.hypot(mixed.q[at] - base[0], mixed.q[at + 1] - base[1]))
      if (!Number.isNaN(base[2])) add(rad, wrap(Math.atan2(R[3], R[0]) - base[2]))
    }
  }

  private measureRest(): void {
    const { rest, steps, taken, tracked } = this
    if (taken < REST_PART * steps) return
    const targets = Float64Array.from(tracked.flatMap(({ loop: { target } }) => [...target.joints, ...target.base]))
    rest.targets ??= targets
    let entry = 0
    for (const { loop } of tracked) {
      const { joints, base } = loop.target
      // a joint without a target is asked nothing, and so not to rest; a base may have none
      for (let i = 0; i < joints.length; i++, entry++) if (!(targets[entry] === rest.targets[entry])) rest.asked = false
      for (let i = 0; i < base.length; i++, entry++) if (!Object.is(targets[entry], rest.targets[entry])) rest.asked = false
    }
    rest.sum += this.energy.kinetic
    rest.count++
  }

  /** A step counts once, however often its solver failed or fell back. */
  private countSolver(): void {
    const { solver, world } = this
    const { failures, fallbacks } = world.events
    if (failures > solver.failures) solver.failedSteps++
    if (fallbacks > solver.fallbacks) solver.fallbackSteps++
    solver.failures = failures
    solver.fallbacks = fallbacks
  }

  private writeSeries(t: number): void {
    const { series, energy } = this
    series.t.push(t)
    series.penetration.push(this.binDepth)
    series.energy.push(energy.now - energy.start)
    series.kinetic.push(energy.kinetic)
    series.force.push(this.binForce)
    this.binDepth = 0
    this.binForce = 0
  }

  /** The figures so far; those of computing time are filled in by whoever took the time. */
  metrics(): Metrics {
    const { taken, rest, world, weight, tracked, motors, impact, solver } = this
    const time = taken * world.dt
    const perStep = (sum: number) => (taken > 0 ? sum / taken : 0)
    const own = tracked.find(({ member }) => member === world.robots[0])
    return {
      penetrationMax_m: this.penetration.max,
      penetrationMean_m: perStep(this.penetration.sum),
      restKineticEnergy_J: rest.asked && rest.count > 0 ? rest.sum / rest.count : null,
      energyGain_J: this.energy.gain,
      stickSlip_m: [...this.slip.values()].reduce((most, slip) => Math.max(most, slip), 0),
      coneViolation_N: this.coneViolation,
      complementarity: weight > 0 ? perStep(this.openWork) / (weight * world.physical.allowedPenetration) : null,
      offSurfaceImpulse_Ns: this.offSurface,
      momentumError: this.momenta.error(taken),
      trackingRms_rad: own ? rms(own.rad) : null,
      trackingRms_m: own ? rms(own.metres) : null,
      torqueRms_Nm: motors.length > 0 ? Math.sqrt(perStep(this.torqueSum) / motors.length) : null,
      contactChanges_Hz: time > 0 ? this.contactChanges / time : 0,
      solverFailures: solver.failedSteps,
      fallbacks: solver.fallbackSteps,
      strained: world.events.strained - solver.strainedBefore,
      tunnelled: world.events.tunnelled - this.tunnelledBefore,
      step_us: null,
      realTimeFactor: null,
      impacts: impact.steps,
      impactMax_Ns: impact.max,
      impactConeViolation_Ns: impact.outside,
    }
  }

  /** Of every robot that a controller drives, the compared one first. */
  tracking(): RobotTracking[] {
    return this.tracked.map(({ member, rad, metres }) => ({
      robot: member.name,
      trackingRms_rad: rms(rad),
      trackingRms_m: rms(metres),
    }))
  }

  plots(): Series {
    return this.series
  }
}

function trackedOf(member: RobotInWorld, loop: ControllerLoop | undefined): Tracked[] {
  if (loop === undefined) return []
  const { robot, start } = member
  const joints = robot.joints.map(({ qIndex, type }, joint) => ({
    q: start.q + qIndex,
    joint,
    type,
    wraps: type === 'continuous',
  }))
  return [
    {
      member,
      loop,
      turning: joints.filter(({ type }) => type !== 'prismatic'),
      sliding: joints.filter(({ type }) => type === 'prismatic'),
      rad: { sum: 0, count: 0 },
      metres: { sum: 0, count: 0 },
    },
  ]
}

const rms = ({ sum, count }: Sum) => (count > 0 ? Math.sqrt(sum / count) : null)

function add(sum: Sum, difference: number): void {
  sum.sum += difference * difference
  sum.count++
}

/** An angle brought to -pi to pi. */
export function wrap(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))
}

function dot(a: Float64Array, b: Float64Array, k: number): number {
  return a[0] * b[k] + a[1] * b[k + 1] + a[2] * b[k + 2]
}

/** Length of the part of a velocity across the unit normal n[k..k+2]. */
function tangential(v: Float64Array, n: Float64Array, k: number): number {
  const along = dot(v, n, k)
  return Math.hypot(v[0] - along * n[k], v[1] - along * n[k + 1], v[2] - along * n[k + 2])
}

/** Velocity of the point of a body that is at point[k..k+2] of the world, in world axes [m/s]. */
function pointVelocity({ R_WB, p_WB, V }: Data, body: number, point: Float64Array, k: number, out: Float64Array): void {
  const R = R_WB[body]
  const p = p_WB[body]
  const [wx, wy, wz, vx, vy, vz] = V[body]
  const dx = point[k] - p[0]
  const dy = point[k + 1] - p[1]
  const dz = point[k + 2] - p[2]
  const rx = R[0] * dx + R[3] * dy + R[6] * dz
  const ry = R[1] * dx + R[4] * dy + R[7] * dz
  const rz = R[2] * dx + R[5] * dy + R[8] * dz
  const x = vx + wy * rz - wz * ry
  const y = vy + wz * rx - wx * rz
  const z = vz + wx * ry - wy * rx
  out[0] = R[0] * x + R[1] * y + R[2] * z
  out[1] = R[3] * x + R[4] * y + R[5] * z
  out[2] = R[6] * x + R[7] * y + R[8] * z
}
