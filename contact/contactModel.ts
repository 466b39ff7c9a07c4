import type { Data, Model, State } from '../dynamics/index.ts'
import type { ContactSet } from './contactSet.ts'
import type { CreateNarrowphase, Reading } from './detection/index.ts'
import type { LoopClosure } from './loops/index.ts'
import type { SavedProblem } from './savedProblem.ts'

/**
 * What is physically known of the contacts, given once for all models. Each model derives its own parameters from
 * these, shows them, and names those that it does not use.
 */
export interface PhysicalInputs {
  /** How deep one pair of shapes may be pressed at rest by the load that it carries [m]. */
  readonly allowedPenetration: number
  /** Normal stiffness of one pair of shapes [N/m]. Default: load / allowedPenetration. */
  readonly stiffness?: number
  /** Normal damping of one pair of bodies [N s/m]. Default: critical for the robot's mass on `stiffness`. */
  readonly damping?: number
  /** Friction of a pair of surfaces of which neither states its own. */
  readonly friction: number
  /** Restitution of a pair of surfaces of which neither states its own, 0 to 1. */
  readonly restitution: number
}

export type Integrator = 'semi-implicit-euler' | 'rk4'

/**
 * The mechanical part that a body belongs to: everything that hangs on the same root, such as one robot or one free body,
 * counts as one tree.
 */
export interface Trees {
  /** nb: the tree of each body, from 0 up; -1 for the world and what is welded to it. */
  readonly treeOf: Int32Array
  /** Per tree: the mass that moves [kg]. */
  readonly mass: Float64Array
}

/** What a contact model is made for: the robots and free bodies of one world, as one model, at one step size. */
export interface ContactModelContext {
  readonly model: Model
  readonly trees: Trees
  readonly physical: PhysicalInputs
  readonly integrator: Integrator
  /** Time step [s]. */
  readonly dt: number
  /** Magnitude of gravity [m/s²]. */
  readonly gravity: number
  /** How many pairs of shapes there are; `ContactSet.pair` is below this. */
  readonly pairCount: number
  /** Per pair of shapes: which pair of bodies it is of, numbered from 0 (`bodyPairsOf`). Default: each pair is one of its own. */
  readonly bodyPairs?: Int32Array
  /** Per pair of shapes: the radius of a disc that it may touch with, the smaller one's of two cylinders; 0 if neither is one. Default 0. */
  readonly caps?: Float64Array
  /** Loops that the world closes; default none. */
  readonly loops?: readonly LoopClosure[]
  /** nq: the configuration in which the run starts; default every joint at zero. */
  readonly start?: Float64Array
}

/** One parameter as a result shows it. */
export interface ShownParameter {
  readonly name: string
  readonly value: number | string
  readonly unit: string
  readonly meaning: string
}

/** How often a solver of a model's chain was asked, and how that ended. */
export interface SolverCount {
  readonly solver: string
  solved: number
  failed: number
}

/** Counted, never silent. Plain counters of one run; the world sets them to zero at the start. */
export interface SolverEvents {
  /** Steps whose solver ended without a valid answer, after every fallback. */
  failures: number
  /** Steps in which a declared fallback gave the answer. */
  fallbacks: number
  /** Pivots, sweeps or passes, summed over the run. */
  iterations: number
  /** Largest residual of an accepted answer. */
  residualMax: number
  /** The first failure in words, or ''. */
  firstFailure: string
  /** Pairs of shapes that passed through each other in a step, counted by the world under every model; and the first of them, or ''. */
  tunnelled: number
  firstTunnelling: string
  /** Steps at whose end energy was there that nothing accounts for, each by another tenth of what the run had to spend, counted by the world; and the first, or ''. */
  energyGains: number
  firstEnergyGain: string
  /** Steps in which the law of contact gave way beyond what it is meant to, though it was solved: the load was more than it bears. */
  strained: number
  /** The first such step in words, or ''. */
  firstStrain: string
  /** One entry for each of `ContactModel.solvers`, in that order. */
  readonly solvers: readonly SolverCount[]
}

/** Counters at the start of a run. @param solvers `ContactModel.solvers` */
export const noEvents = (solvers: readonly string[]): SolverEvents => ({
  failures: 0,
  fallbacks: 0,
  iterations: 0,
  residualMax: 0,
  firstFailure: '',
  tunnelled: 0,
  firstTunnelling: '',
  energyGains: 0,
  firstEnergyGain: '',
  strained: 0,
  firstStrain: '',
  solvers: solvers.map((solver) => ({ solver, solved: 0, failed: 0 })),
})

/**
 * One time step as a contact model sees it. The world owns it and hands in the same object at every step.
 *
 * On entry `state` is the state at the start of the step, `data` holds `kinematics` for it, and `contacts` what was
 * detected there. On return `state` holds q and v at the end of the step (the world advances t), and
 * `contacts.impulse` what each contact gave.
 */
export interface ContactStep {
  readonly model: Model
  readonly state: State
  readonly data: Data
  readonly contacts: ContactSet
  /** nv: motor efforts over this step [N m, N]. */
  readonly tau: Float64Array
  readonly dt: number
  /** The model's memory: `memorySize` numbers, zero at the start, saved by checkpoints. Nothing else may remember. */
  readonly memory: Float64Array
  readonly events: SolverEvents
  /** Runs kinematics and detection for the present state.q into `data` and `contacts`; for integrators with stages. */
  detect(): void
  /**
   * The same with what detection remembered before this step, whatever stages have been looked at since: for the state at the start of
   * the step it finds the contacts of its start again, one for one. For integrators with stages.
   */
  detectStart(): void
  /**
   * Kinematics of another state into `data`, and what would be detected there into `contacts`; nothing is remembered of it. For models
   * that look at where their step ends. Margins are those of the velocities in `state`.
   */
  detectAt(state: State, data: Data, contacts: ContactSet): void
}

export interface ContactModel {
  readonly name: string
  /** Whether it answers forces that are integrated, or end-of-step velocities. */
  readonly level: 'force' | 'velocity'
  /** How many steps ahead of touching contacts are detected for it; 0 for models that act on penetration only. */
  readonly lookAhead: number
  /** Gap up to which contacts are detected for it however slow they are, where it looks ahead [m]. Default `lookAheadSlack`. */
  readonly range?: number
  /**
   * Which reading of a pair's geometry its contacts are (`ContactDetector`): the manifold, the same for all pairs of convex
   * shapes; the points on the bottom of the volume of intersection with the normal of Drumwright's eq. (4); points that stand for the
   * integrals over that volume; or every pair of features
   * that may meet, with constraints over them.
   */
  readonly reading: Reading
  /** The narrow phase of the reading 'features'. */
  readonly features?: CreateNarrowphase
  readonly memorySize: number
  readonly parameters: {
    readonly used: readonly ShownParameter[]
    readonly derived: readonly ShownParameter[]
    /** Physical inputs that this model has no use for. */
    readonly unused: readonly string[]
  }
  /**
   * The solvers that a step may ask, in the order in which they are asked: each of them after the failure of those before it. Empty for
   * models that solve nothing.
   */
  readonly solvers: readonly string[]
  advance(step: ContactStep): void
  /**
   * The problem of the last `advance`, as plain data: the one that failed or took a fallback, else the one with most rows. Undefined
   * where there was none. Allocates: call it when it is wanted, not at every step.
   */
  problem?(): SavedProblem | undefined
}

/** Options of a model, as a scenario file states them beyond the physical inputs. */
export type ContactModelOptions = Readonly<Record<string, number | string | boolean>>

export type CreateContactModel<Options = ContactModelOptions> = (context: ContactModelContext, options?: Options) => ContactModel
