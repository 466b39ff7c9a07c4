/**
 * What a run is measured by. Nothing in here belongs to a contact model: penetration comes from an exact distance query,
 * energy and momentum from the inertias, slip from the velocities of contact points, forces from what the model reported.
 * docs/metrics.md gives these definitions to a reader of results.
 */
import type { ControllerLoop } from '../control/index.ts'
import {
  createData,
  createState,
  type Data,
  kinematics,
  kineticEnergy,
  momentumW,
  potentialEnergy,
  type State,
  velocities,
} from '../dynamics/index.ts'
import type { World } from '../simulation/index.ts'
import { PenetrationMeter } from './penetration.ts'

/**
 * The figures of one run. A key ends in its unit; one without is a ratio or a count. null where a figure has no meaning
 * for this run, such as the momentum of a robot that is bolted down. All are taken at every step.
 */
export interface Metrics {
  /** Largest depth of any shape of the robot in any fixture, at the end of any step. */
  readonly penetrationMax_m: number
  /** Mean over all steps of the depth of the deepest pair; 0 counts where nothing penetrates. */
  readonly penetrationMean_m: number
  /** Mean kinetic energy over the last fifth of the run, if all that time the controller asked every joint to rest. */
  readonly restKineticEnergy_J: number | null
  /**
   * Largest rise of the energy balance above its start: mechanical energy, less the work of the motors, plus what viscous
   * joints used up. Fixed surroundings can only take energy, so a rise was made by the contact model or the step.
   */
  readonly energyGain_J: number
  /**
   * Slip where Coulomb's law allows none: the sum, over the steps in which a contact's force lay inside its cone by 5 % or
   * more, of its point's tangential speed at the end of the step times dt. The contact with the largest sum counts.
   */
  readonly stickSlip_m: number
  /** Largest distance of a contact's mean force over a step outside its cone: friction beyond mu times normal, or pull. */
  readonly coneViolation_N: number
  /**
   * Forces at a distance: mean over all steps of the sum over contacts of normal force times the gap there would be at the
   * end of the step, gap + dt (normal velocity), where that is open; over weight times the allowed penetration. 0 is exact.
   */
  readonly complementarity: number | null
  /**
   * Root mean square over all steps of |change of linear momentum / dt - weight - contact forces|, over the weight: whether
   * the forces that the model reports are those that moved the robot. For floating robots.
   */
  readonly momentumError: number | null
  /** Root mean square distance of turning joints (and the base's heading) from the controller's targets. */
  readonly trackingRms_rad: number | null
  /** The same for sliding joints and the base's horizontal position. */
  readonly trackingRms_m: number | null
  /** Root mean square effort, over all steps and all turning joints. */
  readonly torqueRms_Nm: number | null
  /** How often a second a pair of shapes begins or ceases to pass on force. */
  readonly contactChanges_Hz: number
  /** Steps whose solver had no valid answer, and steps that a fallback answered. */
  readonly solverFailures: number
  readonly fallbacks: number
  /** Computing time of one step, controller included; from a serial pass of its own without any measuring. */
  readonly step_us: number | null
  /** Simulated time over computing time: above 1 is faster than real time. */
  readonly realTimeFactor: number | null
}

/** Moments of a run for its plots; entry i of every list is one moment. */
export interface Series {
  readonly t: readonly number[]
  /** Largest depth since the entry before [m]. */
  readonly penetration: readonly number[]
  /** Mechanical energy less its value at the start [J]. */
  readonly energy: readonly number[]
  /** Largest sum of normal contact forces since the entry before [N]; NaN at the start. */
  readonly force: readonly number[]
}

/** More than an Int32Array can tell apart. */
const FEATURES = 0x1_0000_0000
const INSIDE_CONE = 0.95
const REST_PART = 0.8
const SERIES_LENGTH = 500

/** Watches one world: call `before` and `after` around each of its steps. */
export class Meter {
  private readonly world: World
  private readonly loop: ControllerLoop | undefined
  private readonly steps: number
  /** Kinematics at the start of the step with the velocity at its end, and both at its end. */
  private readonly startData: Data
  private readonly endData: Data
  private readonly mixed: State
  private readonly v0: Float64Array
  private readonly depth: PenetrationMeter
  private readonly weight: number
  private readonly momentum = new Float64Array(6)
  private readonly momentumBefore = new Float64Array(6)
  private readonly velocity = new Float64Array(3)
  private readonly turning: readonly { q: number; v: number; wraps: boolean; joint: number }[]
  private readonly sliding: readonly { q: number; joint: number }[]

  private taken = 0
  private readonly penetration = { max: 0, sum: 0 }
  private readonly rest = { sum: 0, count: 0, asked: true, target: new Float64Array(0) }
  private readonly energy = { start: NaN, now: NaN, work: 0, lost: 0, gain: 0 }
  private readonly slip = new Map<number, number>()
  private coneViolation = 0
  private openWork = 0
  private momentumSum = 0
  private readonly rad = { sum: 0, count: 0 }
  private readonly metres = { sum: 0, count: 0 }
  private torqueSum = 0
  private readonly touching: Uint8Array
  private readonly touchedBefore: Uint8Array
  private contactChanges = 0
  private readonly series = { t: [] as number[], penetration: [] as number[], energy: [] as number[], force: [] as number[] }
  private binDepth = 0
  private binForce = 0
  private readonly binSteps: number

  /** @param steps how many steps the run will have */
  constructor(world: World, loop: ControllerLoop | undefined, steps: number) {
    const { model, robot, fixtures } = world
    this.world = world
    this.loop = loop
    this.steps = steps
    this.startData = createData(model)
    this.endData = createData(model)
    this.mixed = createState(model)
    this.v0 = new Float64Array(model.nv)
    this.depth = new PenetrationMeter(robot.shapes, fixtures)
    this.touching = new Uint8Array(robot.shapes.length * fixtures.length)
    this.touchedBefore = new Uint8Array(this.touching.length)
    this.binSteps = Math.max(1, Math.round(steps / SERIES_LENGTH))
    let mass = 0
    for (let i = 1; i < model.nb; i++) mass += model.I[i][0]
    this.weight = mass * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    const numbered = robot.joints.map((joint, index) => ({ ...joint, index }))
    this.turning = numbered
      .filter(({ type }) => type !== 'prismatic')
      .map(({ qIndex, vIndex, type, index }) => ({ q: qIndex, v: vIndex, wraps: type === 'continuous', joint: index }))
    this.sliding = numbered.filter(({ type }) => type === 'prismatic').map(({ qIndex, index }) => ({ q: qIndex, joint: index }))

    kinematics(model, world.state, this.endData)
    velocities(model, world.state, this.endData)
    this.measureEnergy()
    this.energy.start = this.energy.now
    momentumW(model, this.endData, this.momentum)
    this.depth.measure(this.endData)
    this.penetration.max = this.depth.deepest[0]
    this.binDepth = this.depth.deepest[0]
    this.binForce = Number.NaN // no step has been taken, so no force is known
    this.writeSeries(0)
  }

  /** Mechanical energy at the end of the last step [J]. */
  get mechanicalEnergy(): number {
    return this.energy.now
  }

  /** Places of the bodies at the end of the last step. */
  get data(): Data {
    return this.endData
  }

  before(): void {
    this.mixed.q.set(this.world.state.q)
    this.v0.set(this.world.state.v)
  }

  after(): void {
    const { world, startData, endData, mixed } = this
    const { model, state } = world
    mixed.v.set(state.v)
    kinematics(model, mixed, startData)
    velocities(model, mixed, startData)
    kinematics(model, state, endData)
    velocities(model, state, endData)
    this.taken++

    this.depth.measure(endData)
    const depth = this.depth.deepest[0]
    this.penetration.max = Math.max(this.penetration.max, depth)
    this.penetration.sum += depth
    this.binDepth = Math.max(this.binDepth, depth)

    this.measureEnergy()
    this.measureBalance()
    this.measureContacts()
    this.measureTracking()
    this.measureRest()
    if (this.taken % this.binSteps === 0) this.writeSeries(state.t[0])
  }

  private measureEnergy(): void {
    const { world, endData } = this
    kineticEnergy(world.model, world.state, endData, this.velocity)
    const kinetic = this.velocity[0]
    potentialEnergy(world.model, endData, this.velocity)
    this.energy.now = kinetic + this.velocity[0]
    this.kinetic = kinetic
  }

  private kinetic = 0

  private measureBalance(): void {
    const { world, v0, energy } = this
    const { tau, state, dt, model } = world
    for (let i = 0; i < model.nv; i++) {
      const v = 0.5 * (v0[i] + state.v[i]) // tau is constant over the step, so its work is tau times the mean speed times dt
      energy.work += tau[i] * v * dt
      energy.lost += model.damping[i] * v * v * dt
    }
    energy.gain = Math.max(energy.gain, energy.now - energy.start - energy.work + energy.lost)
    for (const { v } of this.turning) this.torqueSum += tau[v] * tau[v]
  }

  private measureContacts(): void {
    const { world, velocity, momentum, momentumBefore, touching, touchedBefore } = this
    const { contacts, dt, model } = world
    const { count, pair, feature, bodyB, point, normal, tangent1, tangent2, impulse, mu, gap } = contacts
    touchedBefore.set(touching)
    touching.fill(0)
    momentumBefore.set(momentum)
    momentumW(model, this.endData, momentum)
    let [fx, fy, fz, total] = [0, 0, 0, 0]
    for (let c = 0; c < count; c++) {
      const k = 3 * c
      const pn = impulse[k]
      const p1 = impulse[k + 1]
      const p2 = impulse[k + 2]
      const pt = Math.hypot(p1, p2)
      pointVelocity(this.startData, bodyB[c], point, k, velocity)
      const vn = dot(velocity, normal, k)
      const slipSpeed = Math.hypot(dot(velocity, tangent1, k), dot(velocity, tangent2, k))

      if (pn > 0) {
        touching[pair[c]] = 1
        total += pn / dt
        if (pt < INSIDE_CONE * mu[c] * pn) {
          const key = pair[c] * FEATURES + feature[c]
          this.slip.set(key, (this.slip.get(key) ?? 0) + slipSpeed * dt)
        }
        this.openWork += (pn / dt) * Math.max(0, gap[c] + dt * vn)
      }
      this.coneViolation = Math.max(this.coneViolation, (pt - mu[c] * Math.max(pn, 0)) / dt, -pn / dt)
      fx += (pn * normal[k] + p1 * tangent1[k] + p2 * tangent2[k]) / dt
      fy += (pn * normal[k + 1] + p1 * tangent1[k + 1] + p2 * tangent2[k + 1]) / dt
      fz += (pn * normal[k + 2] + p1 * tangent1[k + 2] + p2 * tangent2[k + 2]) / dt
    }
    for (let i = 0; i < touching.length; i++) if (touching[i] !== touchedBefore[i] && this.taken > 1) this.contactChanges++
    this.binForce = Math.max(this.binForce, total)

    const [gx, gy, gz] = model.gravity.slice(3)
    const g = Math.hypot(gx, gy, gz)
    const scale = g > 0 ? this.weight / g : 0
    const rx = (momentum[3] - momentumBefore[3]) / dt - scale * gx - fx
    const ry = (momentum[4] - momentumBefore[4]) / dt - scale * gy - fy
    const rz = (momentum[5] - momentumBefore[5]) / dt - scale * gz - fz
    this.momentumSum += rx * rx + ry * ry + rz * rz
  }

  /** Compared where the controller set its target: at the start of the steps in which it ticked. */
  private measureTracking(): void {
    const { loop, mixed, world, turning, sliding, rad, metres } = this
    if (!loop || (world.stepCount - 1) % loop.everySteps !== 0) return
    const { joints, base } = loop.target
    for (const { q, wraps, joint } of turning) {
      if (Number.isNaN(joints[joint])) continue
      const difference = mixed.q[q] - joints[joint]
      add(rad, wraps ? wrap(difference) : difference)
    }
    for (const { q, joint } of sliding) if (!Number.isNaN(joints[joint])) add(metres, mixed.q[q] - joints[joint])
    if (!world.robot.floating) return
    const R = this.startData.R_WB[1]
    if (!Number.isNaN(base[0]) && !Number.isNaN(base[1])) add(metres, Math.hypot(mixed.q[0] - base[0], mixed.q[1] - base[1]))
    if (!Number.isNaN(base[2])) add(rad, wrap(Math.atan2(R[3], R[0]) - base[2]))
  }

  private measureRest(): void {
    const { loop, rest, steps, taken } = this
    if (taken < REST_PART * steps) return
    if (loop) {
      const { joints, base } = loop.target
      if (rest.target.length === 0) rest.target = Float64Array.from([...joints, ...base])
      const n = joints.length
      for (let i = 0; i < n; i++) if (!(joints[i] === rest.target[i])) rest.asked = false
      for (let i = 0; i < 3; i++) if (!Object.is(base[i], rest.target[n + i])) rest.asked = false
    } else if (this.world.robot.joints.length > 0) rest.asked = false
    rest.sum += this.kinetic
    rest.count++
  }

  private writeSeries(t: number): void {
    const { series, energy } = this
    series.t.push(t)
    series.penetration.push(this.binDepth)
    series.energy.push(energy.now - energy.start)
    series.force.push(this.binForce)
    this.binDepth = 0
    this.binForce = 0
  }

  /** The figures so far; those of computing time are filled in by whoever took the time. */
  metrics(): Metrics {
    const { taken, rest, world, weight, rad, metres } = this
    const time = taken * world.dt
    const perStep = (sum: number) => (taken > 0 ? sum / taken : 0)
    const rms = ({ sum, count }: { sum: number; count: number }) => (count > 0 ? Math.sqrt(sum / count) : null)
    return {
      penetrationMax_m: this.penetration.max,
      penetrationMean_m: perStep(this.penetration.sum),
      restKineticEnergy_J: rest.asked && rest.count > 0 ? rest.sum / rest.count : null,
      energyGain_J: this.energy.gain,
      stickSlip_m: [...this.slip.values()].reduce((most, slip) => Math.max(most, slip), 0),
      coneViolation_N: this.coneViolation,
      complementarity: weight > 0 ? perStep(this.openWork) / (weight * world.physical.allowedPenetration) : null,
      momentumError: world.robot.floating && weight > 0 ? Math.sqrt(perStep(this.momentumSum)) / weight : null,
      trackingRms_rad: rms(rad),
      trackingRms_m: rms(metres),
      torqueRms_Nm: this.turning.length > 0 ? Math.sqrt(perStep(this.torqueSum) / this.turning.length) : null,
      contactChanges_Hz: time > 0 ? this.contactChanges / time : 0,
      solverFailures: world.events.failures,
      fallbacks: world.events.fallbacks,
      step_us: null,
      realTimeFactor: null,
    }
  }

  plots(): Series {
    return this.series
  }
}

function add(sum: { sum: number; count: number }, difference: number): void {
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
