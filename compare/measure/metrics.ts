/** Measures one world; docs/verdict.md defines the figures. */
import type { ControllerLoop } from '../../control/index.ts'
import type { Data } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import type { Scenario } from '../scenario/index.ts'
import type { RunHealth } from './health.ts'
import type { LawFigures } from './laws.ts'
import { MeasuredStep } from './measuredStep.ts'
import type { PairLoad } from './meters/load.ts'
import type { RobotTracking } from './meters/tracking.ts'
import { atTime } from './meters/worst.ts'
import { createObservers, type Metrics, metricDefinitions, type Observer, type Observers } from './metricDefinitions.ts'
import { OutcomeMeter, type RunOutcome } from './outcomes.ts'
import { type Series, SeriesWriter } from './series.ts'

export type { PairLoad } from './meters/load.ts'
export { type RobotTracking, wrap } from './meters/tracking.ts'
export type { Metrics } from './metricDefinitions.ts'
export type { RunOutcome } from './outcomes.ts'
export type { Series } from './series.ts'

/** Watches one world: call `before` and `after` around each of its steps. @unchecked */
export class Meter {
  private readonly step: MeasuredStep
  private readonly observers: Observers
  private readonly all: readonly Observer[]
  private readonly writer: SeriesWriter
  private readonly asked: OutcomeMeter | undefined

  /**
   * @param loops the controller of each of the world's robots, if any
   * @param steps how many whole steps the run will have; Infinity of one that goes on until it is stopped: it has no `plots`, and no last fifth
   * @param asked the measures of a scenario
   */
  constructor(
    world: World,
    loops: readonly (ControllerLoop | undefined)[],
    steps: number,
    asked?: Pick<Scenario, 'measure' | 'success'>,
  ) {
    this.step = new MeasuredStep(world)
    this.observers = createObservers(this.step, loops, steps)
    this.asked = asked && new OutcomeMeter(this.step, asked)
    this.all = [...Object.values(this.observers), ...(this.asked ? [this.asked] : [])]
    this.writer = new SeriesWriter(steps)
    // no step has been taken, so no force is known
    this.writer.note(0, world.state.t[0], this.depthNow, Number.NaN, 0, this.observers.energy.kinetic)
  }

  /** Places of the bodies at the end of the last step. */
  get data(): Data {
    return this.step.end
  }

  /** Depth of the deepest pair at the end of the last step [m]. */
  get depthNow(): number {
    return this.observers.deepest.now
  }

  /** Whether anything passed on a force so far. */
  get touched(): boolean {
    return this.observers.touching.ever
  }

  /** Which shapes were deepest in each other; null if nothing penetrated. */
  get deepestPair(): { a: string; b: string } | null {
    return this.observers.deepest.deepestPair
  }

  before(): void {
    this.step.before()
  }

  after(): void {
    const { step, all, writer } = this
    const { energy, touching } = this.observers
    step.after()
    for (const observer of all) observer.measure(step)
    const t = step.world.state.t[0]
    writer.note(step.elapsed, t, this.depthNow, touching.force, energy.now - energy.start, energy.kinetic)
  }

  /** The figures so far; `cost` fills in those of computing time. */
  metrics(): Metrics {
    const run = { ...this.observers, step: this.step }
    return Object.fromEntries(Object.entries(metricDefinitions).map(([key, { value }]) => [key, value(run)])) as Metrics
  }

  /** How far the run broke each law so far. */
  laws(): LawFigures {
    const { step, observers } = this
    const { deepest, energy, signorini, dissipation, cone, restitution, loops, momenta, joints, offSurface, solver } = observers
    const { events } = step.world
    const names = offSurface.surfaces
    const pair = this.deepestPair
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
      loopOpening: { value: loops.value, detail: loops.detail },
      jointLimits: joints.limits,
      jointFriction: joints.friction,
      linearMomentum: { value: momenta.linearError, detail: momenta.worstLinear.words(names) },
      angularMomentum: { value: momenta.angularError, detail: momenta.worstAngular.words(names) },
      offSurface: { value: offSurface.value, detail: offSurface.worst.words(names) },
      tunnelling: { value: solver.tunnelled, detail: events.firstTunnelling || undefined },
      penetration: {
        value: deepest.max,
        detail: pair ? `${atTime(deepest.t)}, ${pair.b} in ${pair.a}` : undefined,
      },
      solver: { value: step.taken > 0 ? solver.failures / step.taken : 0, detail: events.firstFailure || undefined },
    }
  }

  /** What the run did so far that a verdict must know beside these. */
  health(): RunHealth {
    const { step, observers } = this
    const { selfOverlap, joints, fall, efforts, tracking, stickSlip, offSurface } = observers
    const { loops, events } = step.world
    const several = events.solvers.find(({ solver }) => solver === 'impulse-indeterminate')
    const creeps = [...stickSlip.creeps(offSurface.surfaces), ...joints.creeps]
    return {
      selfOverlap: selfOverlap.deepest,
      acted: { ...joints.acted, loops: loops.length },
      fell: fall.fell,
      saturated: efforts.saturated(step.elapsed),
      missedTarget: tracking.missed(step),
      creep: creeps.reduce<RunHealth['creep']>((a, b) => (b.speed > (a?.speed ?? SLOWEST) ? b : a), null),
      indeterminate: several === undefined ? 0 : several.solved + several.failed,
    }
  }

  /** The scenario's own measures; null where it states none. @param isWhole see `OutcomeMeter` */
  outcome(isWhole: boolean): RunOutcome | null {
    return this.asked?.outcome(isWhole) ?? null
  }

  /** Of every robot that a controller drives, the compared one first. */
  tracking(): RobotTracking[] {
    return this.observers.tracking.figures()
  }

  /** The load of each pair of shapes, the largest first. */
  loads(): PairLoad[] {
    const { load, offSurface } = this.observers
    return load.loads(offSurface.surfaces)
  }

  plots(): Series {
    return this.writer.series
  }
}

/** Slower creep is rounding [m/s, rad/s]. */
const SLOWEST = 1e-6
/** Floor of the expected friction work, as a part of the run's energy. */
const FRICTION_PART = 0.1

// an incomparable ratio is not 0: the state may overflow in a square before it does itself
const ratio = (a: number, b: number) => (a <= 0 ? 0 : a / b)
