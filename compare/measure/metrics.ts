/**
 * What a run is measured by. Nothing in here belongs to a contact model: penetration comes from an exact distance query,
 * energy and momentum from the inertias, slip from the velocities of contact points, forces from what the model reported.
 * docs/verdict.md gives these definitions to a reader of results. One small meter a figure, or a family, is in `meters/`.
 */
import type { ControllerLoop } from '../../control/index.ts'
import type { Data } from '../../dynamics/index.ts'
import { sizeOf } from '../../robots/index.ts'
import { massAndWeight, type World } from '../../simulation/index.ts'
import { PenetrationMeter } from '../scenario/world/penetration.ts'
import type { LawFigures } from './laws.ts'
import { ConeMeter } from './meters/cone.ts'
import { DissipationMeter } from './meters/dissipation.ts'
import { EnergyMeter } from './meters/energy.ts'
import { LoadMeter, type PairLoad } from './meters/load.ts'
import { LoopMeter } from './meters/loopOpening.ts'
import { MeasuredStep } from './meters/measuredStep.ts'
import { MomentaMeter } from './meters/momenta.ts'
import { OffSurfaceMeter } from './meters/offSurface.ts'
import { PoppingMeter } from './meters/popping.ts'
import { RestMeter } from './meters/rest.ts'
import { RestitutionMeter } from './meters/restitution.ts'
import { type Series, SeriesWriter } from './meters/series.ts'
import { SignoriniMeter } from './meters/signorini.ts'
import { SolverMeter } from './meters/solverSteps.ts'
import { StickSlipMeter } from './meters/stickSlip.ts'
import { TouchingMeter } from './meters/touching.ts'
import { type RobotTracking, TrackingMeter } from './meters/tracking.ts'

export type { PairLoad } from './meters/load.ts'
export type { Series } from './meters/series.ts'
export { type RobotTracking, wrap } from './meters/tracking.ts'

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
   * Root mean square over all steps of the distance between change of linear momentum / dt and weight + contact forces + efforts on the
   * base, of every floating robot and body by itself, over their weight: whether the forces that the model reports are those that moved them.
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
  readonly energyGains: number
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
  /** How high something was thrown by what took back an overlap that it rested in; see `PoppingMeter`. */
  readonly popping_m: number | null
}

/** Watches one world: call `before` and `after` around each of its steps. */
export class Meter {
  private readonly world: World
  private readonly step: MeasuredStep
  private readonly depth: PenetrationMeter
  private readonly penetration = { max: 0, sum: 0, pair: -1, t: 0 }
  private readonly energy: EnergyMeter
  private readonly rest: RestMeter
  private readonly efforts: EffortMeter
  private readonly signorini: SignoriniMeter
  private readonly cone: ConeMeter
  private readonly dissipation = new DissipationMeter()
  private readonly stickSlip = new StickSlipMeter()
  private readonly restitution: RestitutionMeter
  private readonly offSurface: OffSurfaceMeter
  private readonly popping: PoppingMeter
  private readonly touching: TouchingMeter
  private readonly load: LoadMeter
  private readonly momenta: MomentaMeter
  private readonly loops: LoopMeter
  private readonly track: TrackingMeter
  private readonly solver: SolverMeter
  private readonly writer: SeriesWriter

  /**
   * @param loops the controller of each of the world's robots, if any
   * @param steps how many whole steps the run will have; Infinity of one that goes on until it is stopped: it has no `plots`, and no last fifth
   */
  constructor(world: World, loops: readonly (ControllerLoop | undefined)[], steps: number) {
    const step = new MeasuredStep(world)
    this.world = world
    this.step = step
    this.depth = new PenetrationMeter(world)
    this.energy = new EnergyMeter(step, Math.max(...world.robots.map(({ robot, state }) => sizeOf(robot, state.q))))
    this.rest = new RestMeter(world, loops, steps)
    this.efforts = new EffortMeter(world)
    this.signorini = new SignoriniMeter(step)
    this.cone = new ConeMeter(step)
    this.restitution = new RestitutionMeter(step)
    this.offSurface = new OffSurfaceMeter(step)
    this.popping = new PoppingMeter(step)
    this.touching = new TouchingMeter(step)
    this.load = new LoadMeter(step)
    this.momenta = new MomentaMeter(step)
    this.loops = new LoopMeter(step)
    this.track = new TrackingMeter(world, loops)
    this.solver = new SolverMeter(world)
    this.writer = new SeriesWriter(steps)
    this.measurePenetration()
    // no step has been taken, so no force is known
    this.writer.note(0, world.state.t[0], this.depthNow, Number.NaN, 0, this.energy.kinetic)
  }

  /** Places of the bodies at the end of the last step. */
  get data(): Data {
    return this.step.end
  }

  /** Depth of the deepest pair at the end of the last step [m]. */
  get depthNow(): number {
    return this.depth.deepest[0]
  }

  /** Whether anything passed on a force so far. */
  get touched(): boolean {
    return this.touching.ever
  }

  /** Which shapes were deepest in each other; null if nothing penetrated. */
  get deepestPair(): { a: string; b: string } | null {
    return this.penetration.pair < 0 ? null : this.depth.namesOf(this.penetration.pair)
  }

  before(): void {
    this.step.before()
  }

  after(): void {
    const { step, energy, touching } = this
    step.after()
    this.measurePenetration()
    this.penetration.sum += step.part * this.depthNow
    energy.measure(step)
    this.rest.measure(step, energy.kinetic)
    this.efforts.measure(step)
    this.signorini.measure(step)
    this.cone.measure(step)
    this.dissipation.measure(step)
    this.stickSlip.measure(step)
    this.restitution.measure(step)
    this.offSurface.measure(step)
    this.popping.measure(step)
    touching.measure(step)
    this.load.measure(step)
    this.momenta.measure(step)
    this.loops.measure(step)
    this.track.measure(step)
    this.solver.measure(step)
    this.writer.note(
      step.elapsed,
      this.world.state.t[0],
      this.depthNow,
      touching.force,
      energy.now - energy.start,
      energy.kinetic,
    )
  }

  private measurePenetration(): void {
    const { depth, penetration } = this
    depth.measure(this.step.end)
    const deepest = depth.deepest[0]
    if (!(deepest > penetration.max)) return
    penetration.max = deepest
    penetration.pair = depth.deepestPair[0]
    penetration.t = this.world.state.t[0]
  }

  /** The figures so far; those of computing time are filled in by whoever took the time. */
  metrics(): Metrics {
    const { world, step, cone, solver, signorini } = this
    const { elapsed } = step
    const { weight } = massAndWeight(world.model)
    const time = elapsed * world.wholeStep
    const perStep = (sum: number) => (elapsed > 0 ? sum / elapsed : 0)
    const own = this.track.figures().find(({ robot }) => robot === world.robots[0].name)
    return {
      penetrationMax_m: this.penetration.max,
      penetrationMean_m: perStep(this.penetration.sum),
      restKineticEnergy_J: this.rest.value,
      energyGain_J: this.energy.gain,
      stickSlip_m: this.stickSlip.most,
      coneViolation_N: cone.force,
      complementarity: weight > 0 ? perStep(signorini.openWork) / (weight * world.physical.allowedPenetration) : null,
      offSurfaceImpulse_Ns: this.offSurface.impulse,
      momentumError: this.momenta.linearError,
      trackingRms_rad: own?.trackingRms_rad ?? null,
      trackingRms_m: own?.trackingRms_m ?? null,
      torqueRms_Nm: this.efforts.rms(elapsed),
      contactChanges_Hz: time > 0 ? this.touching.changes / time : 0,
      solverFailures: solver.failures,
      fallbacks: solver.fallbacks,
      energyGains: solver.energyGains,
      strained: solver.strained,
      tunnelled: solver.tunnelled,
      step_us: null,
      realTimeFactor: null,
      impacts: cone.impacts,
      impactMax_Ns: cone.impactMax,
      impactConeViolation_Ns: cone.impactOutside,
      popping_m: this.popping.height,
    }
  }

  /** How far the run broke each law so far. */
  laws(): LawFigures {
    const { energy, signorini, dissipation, cone, restitution, momenta, offSurface, penetration, solver, step, world } = this
    const names = offSurface.surfaces
    const deepest = this.deepestPair
    // slip that takes less than a tenth of the run's energy is weighed by that
    const demand = Math.max(dissipation.demand, FRICTION_PART * energy.scale)
    return {
      energyGain: { value: ratio(energy.invented, energy.scale), detail: energy.worst.words(names) },
      signorini: { value: signorini.value, detail: signorini.worst.words(names) },
      dissipation: {
        value: this.touched ? ratio(dissipation.deficit, demand) : null,
        detail: dissipation.worst.words(names),
      },
      cone: { value: cone.value, detail: cone.worst.words(names) },
      restitution: { value: restitution.value, detail: restitution.worst.words(names) },
      loopOpening: { value: this.loops.value, detail: this.loops.detail },
      linearMomentum: { value: momenta.linearError, detail: momenta.worstLinear.words(names) },
      angularMomentum: { value: momenta.angularError, detail: momenta.worstAngular.words(names) },
      offSurface: { value: offSurface.value, detail: offSurface.worst.words(names) },
      tunnelling: { value: solver.tunnelled, detail: world.events.firstTunnelling || undefined },
      penetration: {
        value: penetration.max,
        detail: deepest ? `at t = ${Number(penetration.t.toPrecision(6))} s, ${deepest.b} in ${deepest.a}` : undefined,
      },
      solver: { value: step.taken > 0 ? solver.failures / step.taken : 0, detail: world.events.firstFailure || undefined },
    }
  }

  /** Of every robot that a controller drives, the compared one first. */
  tracking(): RobotTracking[] {
    return this.track.figures()
  }

  /** What each pair of shapes passed on, the largest load first. */
  loads(): PairLoad[] {
    return this.load.loads(this.offSurface.surfaces)
  }

  plots(): Series {
    return this.writer.series
  }
}

/** Part of the run's energy below which what friction should take does not fall. */
const FRICTION_PART = 0.1

// what cannot be compared is not 0: the state may overflow in a square before it does itself
const ratio = (a: number, b: number) => (a <= 0 ? 0 : a / b)

/** Efforts of the compared robot's turning joints. */
class EffortMeter {
  private readonly motors: Int32Array
  private sum = 0

  constructor({ robots: [{ robot, start }] }: World) {
    this.motors = Int32Array.from(robot.joints.filter(({ type }) => type !== 'prismatic').map(({ vIndex }) => start.v + vIndex))
  }

  measure({ world: { tau }, part }: MeasuredStep): void {
    for (const v of this.motors) this.sum += part * tau[v] * tau[v]
  }

  /** Root mean square [N m]; null without turning joints. */
  rms(steps: number): number | null {
    if (this.motors.length === 0) return null
    return Math.sqrt(steps > 0 ? this.sum / steps / this.motors.length : 0)
  }
}
