import type { Data, Model, PassiveElements, Servos, State } from '../dynamics/index.ts'
import type { LoopClosure } from './constraints/index.ts'
import type { ContactSet } from './contactSet.ts'
import type { CreateNarrowphase, Reading, StatedSoftness } from './detection/index.ts'
import type { StepTangent } from './models/velocityLevel/stepTangent.ts'
import type { SavedProblem } from './savedProblem.ts'

/**
 * Physical parameters of contact, common to all models. Each model derives its own parameters from these, reports them, and lists
 * those that it does not use.
 */
export interface PhysicalInputs {
  /** Allowed penetration of one pair of shapes at rest under its load [m]. */
  readonly allowedPenetration: number
  /** Normal stiffness of one pair of shapes [N/m]. Default: load / allowedPenetration. */
  readonly stiffness?: number
  /** Normal damping of one pair of bodies [N s/m]. Default: critical for the robot's mass on a spring of `stiffness`. */
  readonly damping?: number
  /** Friction of a pair of surfaces if neither states its own. */
  readonly friction: number
  /** Restitution of a pair of surfaces if neither states its own, 0 to 1. */
  readonly restitution: number
  /** Restitution of the limits of joints, 0 to 1. Default 0. */
  readonly limitRestitution?: number
}

export type Integrator = 'semi-implicit-euler' | 'rk4'

/**
 * Kinematic trees: all bodies with the same root, such as one robot or one free body, are one tree.
 */
export interface Trees {
  /** nb: the tree of each body, from 0 up; -1 for the world and bodies fixed to it. */
  readonly treeOf: Int32Array
  /** Per tree: its moving mass [kg]. */
  readonly mass: Float64Array
}

/** Context of a contact model: the robots and free bodies of one world, as one model, at one step size. */
export interface ContactModelContext {
  readonly model: Model
  readonly trees: Trees
  readonly physical: PhysicalInputs
  readonly integrator: Integrator
  /** Time step [s]. */
  readonly dt: number
  /** Magnitude of gravity [m/s²]. */
  readonly gravity: number
  /** Number of pairs of shapes; `ContactSet.pair` is below this. */
  readonly pairCount: number
  /** Per pair of shapes: its pair of bodies, numbered from 0 (`bodyPairsOf`). Default: each pair of shapes is a pair of bodies. */
  readonly bodyPairs?: Int32Array
  /** Per pair of shapes: radius of its cylinder's cap, the smaller of two; 0 without a cylinder. Default 0. */
  readonly caps?: Float64Array
  /** Of MuJoCo's geoms and joints, for its own law. Default: none states any. */
  readonly softness?: StatedSoftness
  /**
   * Whether joint damping acts on what impulses do too, in place of being part of M: of robots of MJCF, under MuJoCo's own law. Default false.
   */
  readonly dampsLast?: boolean
  /** Largest gap at which contacts adhere [m]; undefined if none do (`Adhesion`). */
  readonly adhesionRange?: number
  /** Loop closures; default none. */
  readonly loops?: readonly LoopClosure[]
  /** nq: the configuration in which the run starts; default every joint at zero. */
  readonly start?: Float64Array
}

/** One reported parameter. */
export interface ReportedParameter {
  readonly name: string
  readonly value: number | string
  readonly unit: string
  readonly meaning: string
}

/** Outcomes of the calls of one solver of a model's chain. */
export interface SolverCount {
  readonly solver: string
  solved: number
  failed: number
}

/** Counters of failures and fallbacks of one run, which are never silent; the world sets them to zero at the start. */
export type SolverEvents = ReturnType<typeof noEvents>

/** Counters at the start of a run. @unchecked @param solvers `ContactModel.solvers` */
export const noEvents = (solvers: readonly string[]) => ({
  /** Steps without a valid solution, fallbacks included. */
  failures: 0,
  /** Steps solved by a declared fallback. */
  fallbacks: 0,
  /** Pivots, sweeps or passes, summed over the run. */
  iterations: 0,
  /** Largest residual of an accepted solution. */
  residualMax: 0,
  /** The first failure in words, or ''. */
  firstFailure: '',
  /** Pairs of shapes that tunnelled through each other in a step, counted by the world under every model; and the first in words, or ''. */
  tunnelled: 0,
  firstTunnelling: '',
  /** Steps with unaccounted energy, each a further tenth of the run's energy budget, counted by the world; the first, or ''. */
  energyGains: 0,
  firstEnergyGain: '',
  /** Steps in which the contact law, though solved, yielded beyond its intended range because of too large a load. */
  strained: 0,
  /** The first such step in words, or ''. */
  firstStrain: '',
  /** Loops that let go under more than their largest force, counted by the world; and the first in words, or ''. */
  letGo: 0,
  firstLetGo: '',
  /** The first joint that its controller shakes, with its largest stable tick, by the world under every model; or ''. */
  firstShaking: '',
  /** One entry for each of `ContactModel.solvers`, in that order. */
  solvers: solvers.map((solver): SolverCount => ({ solver, solved: 0, failed: 0 })),
})

/**
 * One time step, as passed to contact models. The world owns it and passes the same object at every step.
 *
 * On entry `state` is the state at the start of the step, `data` holds `kinematics` for it, and `contacts` the contacts detected there. On
 * return `state` holds q and v at the end of the step (the world advances t), and `contacts.impulse` the contact impulses.
 */
export interface ContactStep {
  readonly model: Model
  readonly state: State
  readonly data: Data
  readonly contacts: ContactSet
  /** nv: motor efforts over this step [N m, N]. */
  readonly tau: Float64Array
  /** Servos taken at the end of the step; their efforts at its start are part of tau. None under RK4. */
  readonly servos?: Servos
  /** Forces of tendons and a medium, whose values at the start of the step are part of tau; integrators with stages add their change. */
  readonly elements?: PassiveElements
  readonly dt: number
  /** The model's memory: `memorySize` numbers, zero at the start, saved by checkpoints. A model has no other state. */
  readonly memory: Float64Array
  readonly events: SolverEvents
  /**
   * 6 a body, zero at the start of the step: models add the mean force of loops on it over the step, [moment; force] in world axes about the
   * world's origin [N m, N]; and behind the bodies, 6 a loop, the mean force of each: [couple; force] on its body B at its point; and behind these, one of each of
   * `Model.lengths`, along it [N, N m]. Undefined without loops and lengths.
   */
  readonly loopForces?: Float64Array
  /** Adds to tau, that of the start, the change of efforts to a later stage (1 to 3) of a Runge-Kutta step; undefined where there is none. */
  actuate?(stage: number): void
  /** Runs kinematics and detection for the current state.q into `data` and `contacts`; for integrators with stages. */
  detect(): void
  /**
   * `detect` with the detection memory of the start of the step, for integrators with stages: at the initial state it gives the same
   * contacts as the first `detect` of the step, one for one, whatever stages were evaluated between.
   */
  detectStart(): void
  /**
   * Runs kinematics and detection for another state into `data` and `contacts`, without changing the memory. For models that evaluate the
   * end-of-step configuration. Margins follow from the velocities of the step's own `state`.
   */
  detectAt(state: State, data: Data, contacts: ContactSet): void
  /**
   * States that the last `detectAt` was for the end of the step, and that its results are unchanged: a next step that starts in the same state
   * takes them from there.
   */
  endAt(data: Data, contacts: ContactSet): void
}

/** What of a step differs from world to world, and from one step of a world to another. */
export type StepInput = Pick<ContactStep, 'dt' | 'memory' | 'events' | 'servos' | 'actuate'>

/** Brings a copy of an earlier step, with contacts or kinematics of its own, up to the present one. @unchecked */
export function followStep(copy: ContactStep, { dt, memory, events, servos, actuate }: StepInput): void {
  const own: { -readonly [Key in keyof ContactStep]: ContactStep[Key] } = copy
  if (own.dt !== dt) own.dt = dt // an assignment boxes it
  own.memory = memory
  own.events = events
  own.servos = servos
  own.actuate = actuate
}

export interface ContactModel {
  readonly name: string
  /** Whether `advance` returns forces to be integrated, or end-of-step velocities. */
  readonly level: 'force' | 'velocity'
  /** Number of steps before touching at which contacts are detected; 0 for models that act on penetration only. */
  readonly lookAhead: number
  /** Gap up to which contacts are detected at any speed, if `lookAhead` is above 0 [m]. Default `lookAheadSlack`. */
  readonly range?: number
  /**
   * Narrow-phase query of the model's contacts (`ContactDetector`): the manifold, the same for all pairs of convex shapes; the points on
   * the bottom of the volume of intersection with the normal of Drumwright's eq. (4); quadrature points for integrals over that volume; or
   * every pair of features that may touch, with constraints over them.
   */
  readonly reading: Reading
  /** The narrow phase for the reading 'features'. */
  readonly features?: CreateNarrowphase
  readonly memorySize: number
  readonly parameters: {
    readonly used: readonly ReportedParameter[]
    readonly derived: readonly ReportedParameter[]
    /** Physical inputs that this model does not use. */
    readonly unused: readonly string[]
  }
  /** The solvers of a step, in order: each is a fallback for those before it. Empty for models without a solver. */
  readonly solvers: readonly string[]
  advance(step: ContactStep): void
  /**
   * Writes the acceleration at the state of the step, in axes held fixed there (`RestFrame`), and the impulses of contacts over a step of it;
   * for integrators with stages.
   */
  accelerate?(step: ContactStep, a: Float64Array): void
  /** Whether it evaluates several states in a step, so that servos act at its start alone. */
  readonly hasStages?: boolean
  /** Whether it is another engine: energy that it makes is counted, and ends no run. */
  readonly isOutside?: boolean
  /** Whether efforts take part of the step by their rate over velocities (`EffortSource.rates`). */
  readonly takesRates?: boolean
  /**
   * The problem of the last `advance`, as plain data: the island that failed or fell back, else that with the most rows. Undefined if there
   * was none. Allocates: call it on demand, not at every step.
   */
  problem?(): SavedProblem | undefined
  /** Derivatives of the last `advance`; only of models solved by `ContactNewton` for the velocities at the end of a step. */
  tangent?(): StepTangent
}

/** Options of a model in a scenario file, beyond the physical inputs. */
export type ContactModelOptions = Readonly<Record<string, number | string | boolean>>

export type CreateContactModel<Options = ContactModelOptions> = (context: ContactModelContext, options?: Options) => ContactModel
