import type { Metrics } from './metrics.ts'

export interface MetricDefinition {
  readonly label: string
  readonly unit: string
  /** Which way is good; null where neither is. */
  readonly better: 'low' | 'high' | null
  readonly text: string
}

/** The definition of each metric in words, for the report and docs/verdict.md; the fields of `Metrics` have the same ones. */
export const metricDefinitions: Readonly<Record<keyof Metrics, MetricDefinition>> = {
  penetrationMax_m: {
    label: 'Deepest penetration',
    unit: 'm',
    better: 'low',
    text: 'Largest depth of any two shapes that may touch, robots, bodies and surroundings, at the start or at the end of any step, by an exact distance query that knows nothing of the contact model.',
  },
  penetrationMean_m: {
    label: 'Mean penetration',
    unit: 'm',
    better: 'low',
    text: 'Mean over all steps of the depth of the deepest pair; zero counts where nothing penetrates.',
  },
  restKineticEnergy_J: {
    label: 'Kinetic energy at rest',
    unit: 'J',
    better: 'low',
    text: 'Mean kinetic energy over the last fifth of the run, if the controllers asked every joint to rest all that time. Exact: 0.',
  },
  energyGain_J: {
    label: 'Energy gained',
    unit: 'J',
    better: 'low',
    text: 'Largest rise above its least value before of: mechanical energy, less the work of the motors, plus what viscous joints used up. Rigid contact only takes energy, so a rise was made by the contact model or the step; an elastic contact that gives back what it took shows here too. Exact: 0.',
  },
  stickSlip_m: {
    label: 'Slip while sticking',
    unit: 'm',
    better: 'low',
    text: "Sum of tangential speed times dt of a contact's two sides over the steps in which its force lay inside the friction cone by 5 % or more, where Coulomb allows no slip; of the contact with the largest sum. Exact: 0.",
  },
  coneViolation_N: {
    label: 'Cone violation',
    unit: 'N',
    better: 'low',
    text: "Largest distance of a contact force outside its friction cone: friction beyond what the pair's static, sliding, Stribeck and viscous friction allow at that speed, or pull. Impacts are judged apart. Exact: 0.",
  },
  complementarity: {
    label: 'Force at a distance',
    unit: '',
    better: 'low',
    text: 'Mean over all steps of the sum over contacts of normal force times the open gap at the end of the step, over weight times the allowed penetration. Exact: 0.',
  },
  offSurfaceImpulse_Ns: {
    label: 'Impulse off the surface',
    unit: 'N\u00b7s',
    better: 'low',
    text: 'Sum of the normal impulses of contacts that pushed beside a surface: open by more than 0.25 mm at the start of the step, and at its end farther from the other shape, by exact distances of points, than the plane of the contact tells, by as much. Motion that was blocked by nothing. Exact: 0.',
  },
  momentumError: {
    label: 'Momentum error',
    unit: '',
    better: 'low',
    text: 'Root mean square of the distance between rate of change of linear momentum and weight + contact forces + efforts on the base, of each floating robot and body, over their weight: whether the reported forces are those that moved them. Exact: 0.',
  },
  trackingRms_rad: {
    label: 'Tracking, angles',
    unit: 'rad',
    better: 'low',
    text: "Root mean square distance of turning joints, and of the base's heading, from the controller's targets, at the controller's ticks; of the robot that is compared.",
  },
  trackingRms_m: {
    label: 'Tracking, lengths',
    unit: 'm',
    better: 'low',
    text: "Root mean square distance of sliding joints, and of the base's horizontal position, from the controller's targets.",
  },
  torqueRms_Nm: {
    label: 'Motor torque',
    unit: 'N\u00b7m',
    better: null,
    text: 'Root mean square effort over all steps and all turning joints.',
  },
  contactChanges_Hz: {
    label: 'Contact changes',
    unit: '1/s',
    better: 'low',
    text: 'How often a second a pair of shapes begins or ceases to pass on force: chatter.',
  },
  solverFailures: {
    label: 'Solver failures',
    unit: '',
    better: 'low',
    text: 'Steps in which a solver ended without a valid answer, after every fallback.',
  },
  fallbacks: { label: 'Fallbacks', unit: '', better: 'low', text: 'Steps in which a declared fallback gave the answer.' },
  energyGains: {
    label: 'Energy from nothing',
    unit: '',
    better: 'low',
    text: 'Steps at whose end there was energy that nothing accounts for, each by another tenth of what the run had to spend. Ten times as much as that ends the run.',
  },
  strained: {
    label: 'Strained steps',
    unit: '',
    better: 'low',
    text: 'Steps in which the law of contact gave way beyond what it is meant to: springs pressed in by more than ten allowed penetrations, or a contact that friction threw up.',
  },
  tunnelled: {
    label: 'Passed through',
    unit: '',
    better: 'low',
    text: 'How often two shapes passed through each other within a step, their contact missed: tunnelling. The option ccd prevents it.',
  },
  step_us: {
    label: 'Computing time a step',
    unit: '\u00b5s',
    better: 'low',
    text: 'Mean over places spread over the run, controller included, from rounds of their own: all runs in turns, compiler warmed up, the lower quartile of the rounds at each place.',
  },
  realTimeFactor: { label: 'Speed over real time', unit: '', better: 'high', text: 'Simulated time over computing time.' },
  impacts: {
    label: 'Impacts',
    unit: '',
    better: null,
    text: 'Steps in which the model answered a contact by an impact, all at once, and not by a force over the step.',
  },
  impactMax_Ns: {
    label: 'Largest impact',
    unit: 'N\u00b7s',
    better: null,
    text: 'Largest impact of one contact along its normal.',
  },
  impactConeViolation_Ns: {
    label: 'Cone violation of impacts',
    unit: 'N\u00b7s',
    better: 'low',
    text: "Largest distance of one contact's impact outside its friction cone. Exact: 0.",
  },
  popping_m: {
    label: 'Popping',
    unit: 'm',
    better: 'low',
    text: 'Largest height above what it overlapped to which something was thrown by what took the overlap back: u² / 2g of the speed at which overlapping shapes part, less the overlap left, and no more than the net work of the normal forces between them since they overlap lifts the lighter one. Impacts are left out. Exact: 0.',
  },
}
