/**
 * The figures of a run in one table: a row a figure, from which come the figures of a run, its tables on the terminal and in the report,
 * and that of docs/verdict.md. Nothing in here belongs to a contact model: penetration comes from an exact distance query, energy and
 * momentum from the inertias, slip from the velocities of contact points, forces from the model's report. A small meter a
 * figure, or a family of figures, is in `meters/`.
 */
import type { ControllerLoop } from '../../control/index.ts'
import { sizeOf } from '../../robots/index.ts'
import { massAndWeight } from '../../simulation/index.ts'
import { FallMeter } from './health/fall.ts'
import { JointMeter } from './health/joints.ts'
import { SelfOverlapMeter } from './health/selfOverlap.ts'
import type { MeasuredStep } from './measuredStep.ts'
import { ConeMeter } from './meters/cone.ts'
import { DeepestMeter } from './meters/deepest.ts'
import { DissipationMeter } from './meters/dissipation.ts'
import { EffortMeter } from './meters/efforts.ts'
import { EnergyMeter } from './meters/energy.ts'
import { LoadMeter } from './meters/load.ts'
import { LoopMeter } from './meters/loopOpening.ts'
import { MomentaMeter } from './meters/momenta.ts'
import { OffSurfaceMeter } from './meters/offSurface.ts'
import { PoppingMeter } from './meters/popping.ts'
import { RestMeter } from './meters/rest.ts'
import { RestitutionMeter } from './meters/restitution.ts'
import { SignoriniMeter } from './meters/signorini.ts'
import { SolverMeter } from './meters/solverSteps.ts'
import { StickSlipMeter } from './meters/stickSlip.ts'
import { TouchingMeter } from './meters/touching.ts'
import { TrackingMeter } from './meters/tracking.ts'
import { millimetres, significant } from './numbers.ts'

/** The part of a run before its last fifth, in which things rest, creep, or are where they were to be. */
const BEFORE_LAST = 0.8

/** Measures each step after it was taken. */
export interface Observer {
  measure(step: MeasuredStep): void
}

/**
 * Observers of a run, in the order in which steps are measured.
 *
 * @param loops the controller of each of the world's robots, if any
 * @param steps how many whole steps the run will have
 */
export function createObservers(step: MeasuredStep, loops: readonly (ControllerLoop | undefined)[], steps: number) {
  const { world } = step
  const deepest = new DeepestMeter(step)
  const size = Math.max(...world.robots.map(({ robot, state }) => sizeOf(robot, state.q)))
  const energy = new EnergyMeter(step, size)
  const last = BEFORE_LAST * steps
  const tracking = new TrackingMeter(world, loops, last)
  return {
    deepest,
    energy,
    tracking,
    rest: new RestMeter(energy, tracking, world, loops, last),
    efforts: new EffortMeter(step, loops),
    signorini: new SignoriniMeter(step),
    cone: new ConeMeter(step),
    dissipation: new DissipationMeter(),
    stickSlip: new StickSlipMeter(last),
    restitution: new RestitutionMeter(step),
    offSurface: new OffSurfaceMeter(step),
    popping: new PoppingMeter(step),
    touching: new TouchingMeter(step),
    load: new LoadMeter(step),
    momenta: new MomentaMeter(step),
    loops: new LoopMeter(step),
    joints: new JointMeter(step, size, last),
    solver: new SolverMeter(world),
    fall: new FallMeter(step),
    selfOverlap: new SelfOverlapMeter(step, steps),
  } satisfies Record<string, Observer>
}
export type Observers = ReturnType<typeof createObservers>

/** How a figure stands in tables with a row a run. */
export interface MetricColumn {
  readonly group: 'judged by the verdict' | 'behaviour' | 'cost'
  readonly title: string
  readonly unit: string
  /** From the unit of the metric to that of the column; default 1. */
  readonly scale?: number
  /** How many are shown; default 3. */
  readonly digits?: number
  readonly limit?: 'penetration' | 'tracking' | 'energy'
  /** In the table on the terminal, from the metric in its own unit; without, it is not there. `dispensable`: see `Column`. */
  readonly short?: { readonly title: string; readonly print: (value: number) => string; readonly dispensable?: number }
}

/** A key ends in its unit; one without is a ratio or a count. */
export interface MetricDefinition {
  readonly label: string
  readonly unit: string
  /** Which way is good; null where neither is. */
  readonly better: 'low' | 'high' | null
  readonly text: string
  /** The figure of all steps so far; null where it has no meaning for the run, such as the momentum of a robot that is bolted down. */
  readonly value: (run: Observers & { readonly step: MeasuredStep }) => number | null
  readonly column?: MetricColumn
}

const meanOf = (sum: number, { elapsed }: MeasuredStep) => (elapsed > 0 ? sum / elapsed : 0)

function openWorkOf({ openWork }: SignoriniMeter, step: MeasuredStep): number | null {
  const { model, physical } = step.world
  const { weight } = massAndWeight(model)
  return weight > 0 ? meanOf(openWork, step) / (weight * physical.allowedPenetration) : null
}

/** Taken in a serial pass of its own, without any measuring. */
const timed = (): number | null => null

const rows = {
  penetrationMax_m: {
    label: 'Deepest penetration',
    unit: 'm',
    better: 'low',
    text: 'Largest depth of any two shapes that may touch, of robots, bodies and surroundings, at the start or at the end of any step. It comes from an exact distance query, independent of the contact model.',
    value: ({ deepest }) => deepest.max,
    column: {
      group: 'judged by the verdict',
      title: 'penetration',
      unit: 'mm',
      scale: 1e3,
      limit: 'penetration',
      short: { title: '\npenetration', print: millimetres },
    },
  },
  penetrationMean_m: {
    label: 'Mean penetration',
    unit: 'm',
    better: 'low',
    text: 'Mean over all steps of the depth of the deepest pair; zero counts where nothing penetrates.',
    value: ({ deepest, step }) => meanOf(deepest.sum, step),
  },
  restKineticEnergy_J: {
    label: 'Kinetic energy at rest',
    unit: 'J',
    better: 'low',
    text: 'Mean kinetic energy over the last fifth of the run, if the targets of every joint stood still all that time. Exact: 0.',
    value: ({ rest }) => rest.value,
    column: { group: 'behaviour', title: 'kinetic energy at rest', unit: 'J', digits: 2 },
  },
  energyGain_J: {
    label: 'Energy gained',
    unit: 'J',
    better: 'low',
    text: 'Largest rise of the energy balance above its least earlier value: mechanical energy, less the work of the motors, plus the dissipation of viscous joints. Rigid contact only dissipates energy, so a rise comes from the contact model or the step. An elastic contact that returns its energy shows here too. Exact: 0.',
    value: ({ energy }) => energy.gain,
    column: { group: 'behaviour', title: 'energy gained', unit: 'J', digits: 2 },
  },
  stickSlip_m: {
    label: 'Slip while sticking',
    unit: 'm',
    better: 'low',
    text: "Sum of tangential speed times dt over the steps in which the contact force lay inside the friction cone by 5 % or more, where Coulomb's law allows no slip. It is that of the contact with the largest sum. Exact: 0.",
    value: ({ stickSlip }) => stickSlip.most,
    column: { group: 'behaviour', title: 'slip while sticking', unit: 'mm', scale: 1e3, digits: 2 },
  },
  coneViolation_N: {
    label: 'Cone violation',
    unit: 'N',
    better: 'low',
    text: "Largest distance of a contact force outside its friction cone: tension, or friction beyond the pair's static, sliding, Stribeck and viscous friction at that speed. Impacts are judged apart. Exact: 0.",
    value: ({ cone }) => cone.force,
  },
  complementarity: {
    label: 'Force at a distance',
    unit: '',
    better: 'low',
    text: 'Mean over all steps of the sum over contacts of normal force times the open gap at the end of the step, over weight times the allowed penetration. Exact: 0.',
    value: ({ signorini, step }) => openWorkOf(signorini, step),
  },
  offSurfaceImpulse_Ns: {
    label: 'Impulse off the surface',
    unit: 'N\u00b7s',
    better: 'low',
    text: 'Sum of the normal impulses of contacts that acted beside a surface. Such a contact is open by more than 0.25 mm at the start of the step. At its end its exact distance to the other shape exceeds that to the plane of the contact by as much. The impulse blocked motion although no surface was there. Exact: 0.',
    value: ({ offSurface }) => offSurface.impulse,
  },
  momentumError: {
    label: 'Momentum error',
    unit: '',
    better: 'low',
    text: 'Root mean square difference of the rate of change of linear momentum from weight + contact forces + efforts on the base, over the weight, for each floating robot and body. It tests whether the reported forces caused the motion. Exact: 0.',
    value: ({ momenta }) => momenta.linearError,
  },
  limitPassed_rad: {
    label: 'Limits passed, angles',
    unit: 'rad',
    better: 'low',
    text: 'Largest angle by which a turning joint passed a limit of its range, beyond that of the start; of all robots. Exact: 0.',
    value: ({ joints }) => joints.passed(true),
  },
  limitPassed_m: {
    label: 'Limits passed, lengths',
    unit: 'm',
    better: 'low',
    text: 'The same of sliding joints.',
    value: ({ joints }) => joints.passed(false),
  },
  trackingRms_rad: {
    label: 'Tracking, angles',
    unit: 'rad',
    better: 'low',
    text: "Root mean square distance of turning joints, and of the base's heading, from the controller's targets, at the controller's ticks, for the compared robot.",
    value: ({ tracking }) => tracking.own?.trackingRms_rad ?? null,
  },
  trackingRms_m: {
    label: 'Tracking, lengths',
    unit: 'm',
    better: 'low',
    text: "Root mean square distance of sliding joints, and of the base's horizontal position, from the controller's targets.",
    value: ({ tracking }) => tracking.own?.trackingRms_m ?? null,
  },
  torqueRms_Nm: {
    label: 'Motor torque',
    unit: 'N\u00b7m',
    better: null,
    text: 'Root mean square effort over all steps and all turning joints.',
    value: ({ efforts, step }) => efforts.rms(step.elapsed),
  },
  contactChanges_Hz: {
    label: 'Contact changes',
    unit: '1/s',
    better: 'low',
    text: 'Number of times a second that a pair of shapes begins or ceases to transmit force: chatter.',
    value: ({ touching, step: { elapsed, world } }) => (elapsed > 0 ? touching.changes / (elapsed * world.wholeStep) : 0),
    column: {
      group: 'behaviour',
      title: 'contact changes',
      unit: '1/s',
      short: { title: 'contact\nchanges', print: (x) => `${significant(x, 3)}/s`, dispensable: 2 },
    },
  },
  solverFailures: {
    label: 'Solver failures',
    unit: '',
    better: 'low',
    text: 'Steps in which a solver ended without a valid answer, after every fallback.',
    value: ({ solver }) => solver.failures,
  },
  fallbacks: {
    label: 'Fallbacks',
    unit: '',
    better: 'low',
    text: 'Steps that a declared fallback solved.',
    value: ({ solver }) => solver.fallbacks,
  },
  energyGains: {
    label: 'Energy from nothing',
    unit: '',
    better: 'low',
    text: 'Steps with unaccounted energy at their end, each by another tenth of the energy that the run had to spend. Ten times that energy ends the run.',
    value: ({ solver }) => solver.energyGains,
  },
  strained: {
    label: 'Strained steps',
    unit: '',
    better: 'low',
    text: 'Steps in which the contact law yielded beyond its intended range: springs compressed by more than ten allowed penetrations, or a contact that its friction law threw up.',
    value: ({ solver }) => solver.strained,
  },
  tunnelled: {
    label: 'Passed through',
    unit: '',
    better: 'low',
    text: 'Number of times that two shapes passed through each other within a step, their contact missed: tunnelling. The option ccd prevents it.',
    value: ({ solver }) => solver.tunnelled,
  },
  step_us: {
    label: 'Computing time a step',
    unit: '\u00b5s',
    better: 'low',
    text: 'Mean over the run, or over its first second of computing, controller included, without other measurements. All runs are repeated several times in turns, and of each 16 steps the least time counts.',
    value: timed,
    column: {
      group: 'cost',
      title: 'time per step',
      unit: '\u00b5s',
      short: { title: 'time\nper step', print: (x) => `${significant(x, 3)} \u00b5s`, dispensable: 1 },
    },
  },
  realTimeFactor: {
    label: 'Speed over real time',
    unit: '',
    better: 'high',
    text: 'Simulated time over computing time.',
    value: timed,
    column: {
      group: 'cost',
      title: 'speed',
      unit: '\u00d7 real time',
      short: { title: 'real\ntime', print: (x) => `${significant(x, 3)} x` },
    },
  },
  impacts: {
    label: 'Impacts',
    unit: '',
    better: null,
    text: 'Steps in which the model resolved a contact by an impact, and not by a force over the step.',
    value: ({ cone }) => cone.impacts,
  },
  impactMax_Ns: {
    label: 'Largest impact',
    unit: 'N\u00b7s',
    better: null,
    text: 'Largest impact of one contact along its normal.',
    value: ({ cone }) => cone.impactMax,
  },
  impactConeViolation_Ns: {
    label: 'Cone violation of impacts',
    unit: 'N\u00b7s',
    better: 'low',
    text: "Largest distance of one contact's impact outside its friction cone. Exact: 0.",
    value: ({ cone }) => cone.impactOutside,
  },
  popping_m: {
    label: 'Popping',
    unit: 'm',
    better: 'low',
    text: 'Largest height to which the correction of an overlap threw a body: u² / 2g of the speed at which overlapping shapes separate, less the remaining overlap. It is at most the height to which the net work of the normal forces between them, since they overlap, lifts the lighter one. Impacts are left out. Exact: 0.',
    value: ({ popping }) => popping.height,
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** The figures of one run. */
export type Metrics = { readonly [Key in keyof typeof rows]: ReturnType<(typeof rows)[Key]['value']> }

/** The table of metrics by key: meaning, reading from a run, and column in tables. */
export const metricDefinitions: Readonly<Record<keyof Metrics, MetricDefinition>> = rows
