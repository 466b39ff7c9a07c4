/**
 * What is compared, on what, for how long: scenario files and their defaults.
 *
 * A scenario file is YAML (or JSON, which is YAML). Every number may be a plain number in SI units or a text with units
 * and arithmetic, see `expression.ts`. The command line's flags are the same fields and are checked by the same rules.
 * docs/scenario.md lists the fields, `scenarioSchema.ts` checks them one by one, `scenarioFill.ts` together.
 */
import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import type { Surface } from '../contact/geometry/index.ts'
import type { Integrator, MaterialRules, PhysicalInputs, SelfCollision } from '../contact/index.ts'
import type { WorldLoop } from '../simulation/index.ts'
import { constantOf, evaluator, isProgram, type Program } from './expression.ts'
import { shown } from './fields.ts'
import { fillScenario } from './scenarioFill.ts'
import { describe, flatten, inOrder, type Locate, ScenarioError } from './scenarioProblems.ts'
import { schema } from './scenarioSchema.ts'
import type { ObstacleChoice, SolidChoice } from './shapeFields.ts'
import { withVariants } from './sweep.ts'

export { scenarioDefaults } from './scenarioFill.ts'
export { type Locate, ScenarioError } from './scenarioProblems.ts'

/** A whole comparison, every default filled in. Structured-cloneable: workers get it as it is. */
export interface Scenario {
  readonly name: string
  /**
   * The robots that are compared, each in a world of its own: paths of URDF or xacro files, or names of our own robots. Empty
   * where there are only free bodies.
   */
  readonly robots: readonly string[]
  /** undefined: as the file says. */
  readonly base: 'floating' | 'fixed' | undefined
  /** What robots written in xacro are given for their arguments; `key:=value` on the command line. */
  readonly xacro: Readonly<Record<string, string>>
  /** Nobody stated the default one: it gives way to a robot that is bolted down and would stand in it. */
  readonly ground: ({ readonly height: number; readonly isDefault?: boolean } & Surface) | undefined
  readonly boxes: readonly FixedBox[]
  readonly obstacles: readonly Obstacle[]
  /** What else moves in each of the worlds. */
  readonly companions: readonly Companion[]
  readonly bodies: readonly BodyChoice[]
  /** Loops that are closed between links of these, or with the world. */
  readonly loops: readonly WorldLoop[]
  /** undefined: as the robots' files have it, 9.81 m/s² downwards [m/s²]. */
  readonly gravity: Vector | undefined
  /** Whether the parts of one robot touch each other. */
  readonly selfCollision: SelfCollision
  /** Surfaces of links, by link name; overrides what the robot's file says. */
  readonly materials: Readonly<Record<string, Surface>>
  /** How two surfaces make a pair. */
  readonly combine: MaterialRules
  /** undefined: each robot's default. */
  readonly controller: ControllerChoice | undefined
  /** [s] */
  readonly duration: number
  /** Step sizes, rising [s]. */
  readonly dt: readonly number[]
  readonly models: readonly ModelChoice[]
  readonly integrator: Integrator
  /** Whether fast motion is met in time, and not only counted where it is not: `WorldOptions.ccd`. */
  readonly ccd: boolean
  /** Only what was stated; `defaultPhysicalInputs` gives the rest. */
  readonly physical: Partial<PhysicalInputs>
  readonly limits: Limits
  readonly start: Start
  /** The seeds of the runs, one world each; `seed` is the first. */
  readonly seeds: readonly number[]
  readonly seed: number
  readonly perturb: Perturbation | undefined
  /** What is varied, by the path of the field: every combination is a run. */
  readonly sweep: Readonly<Record<string, readonly unknown[]>>
  /** The combinations of `sweep`; empty if nothing is swept. */
  readonly variants: readonly Variant[]
  /** A controller that has not answered for this long ends its run [s of wall-clock time]. */
  readonly patience: number
  readonly exact: ClosedForm | undefined
  /** The fields that nobody stated, with what they became. */
  readonly defaults: readonly Default[]
}

export type Vector = readonly [number, number, number]

/** One combination of a sweep's values, for some of the models. */
export interface Variant {
  /** By the path of the field; of a model's option only where it is one of this variant's models. */
  readonly values: Readonly<Record<string, unknown>>
  /** The scenario with these values, whose `models` are those that this variant is run with. */
  readonly scenario: Scenario
}

export interface Obstacle extends Surface {
  readonly name: string
  readonly shape: ObstacleChoice
  readonly position: Vector
  readonly rpy: Vector
}

/** Where something that moves begins. Velocities of its base, in world axes [m/s, rad/s]. */
export interface Placement {
  /** [x, y]: set on what lies below; so is what states no position, at x = y = 0. */
  readonly position?: Vector | readonly [number, number]
  /** Roll, pitch, yaw about fixed axes, as in URDF [rad]. */
  readonly rpy?: Vector
  readonly linearVelocity?: Vector
  readonly angularVelocity?: Vector
}

/** A robot beside the one that is compared. */
export interface Companion {
  readonly name: string
  readonly robot: string
  readonly base: 'floating' | 'fixed' | undefined
  readonly xacro: Readonly<Record<string, string>>
  /** undefined: the robot's default. */
  readonly controller: ControllerChoice | undefined
  readonly start: Start
}

/** A body that nothing holds; of mass [kg] or density [kg/m³]. */
export interface BodyChoice extends Placement, Surface {
  readonly name: string
  readonly shape: SolidChoice
  readonly mass?: number
  readonly density?: number
  /** In the shape's axes [m]. */
  readonly centerOfMass?: Vector
  /** About the centre of mass, in the shape's axes: xx, yy, zz, xy, xz, yz [kg m²]. */
  readonly inertia?: readonly [number, number, number, number, number, number]
}

/**
 * How far the start may be off, either way, each number drawn evenly from a generator that the run's seed starts: the place of
 * floating bases along each axis [m], their rotation about each axis [rad], joints [rad, m], and the velocities of floating bases.
 */
export interface Perturbation {
  readonly position: Vector
  readonly rotation: number
  readonly joints: number
  readonly linearVelocity: Vector
  readonly angularVelocity: Vector
}

export interface FixedBox extends Surface {
  readonly name: string
  /** Full edge lengths [m]. */
  readonly size: readonly [number, number, number]
  readonly position: readonly [number, number, number]
  /** Roll, pitch, yaw about fixed axes, as in URDF [rad]. */
  readonly rpy: readonly [number, number, number]
}

export interface ControllerChoice {
  /** A key of the built-in controllers. */
  readonly builtIn?: string
  /** Path of a controller script. */
  readonly file?: string
  /** A `Program` among a script's options becomes a number, or a function of t, when the controller is made. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface ModelChoice {
  readonly name: string
  readonly options: Readonly<Record<string, number | string | boolean>>
}

/** A run passes when it exceeds none of these. */
export interface Limits {
  /** Deepest penetration at any time [m]. */
  readonly penetration: number
  /** Error of the motion, as a fraction of its scale. */
  readonly tracking: number
  /** Error of the mechanical energy, as a fraction of its scale. */
  readonly energy: number
}

export interface Start extends Placement {
  /** A named pose of the robot's, `name` or `group/name`, in place of its home. */
  readonly pose?: string
  /** Joint positions by joint name [rad, m]; others stay at home. */
  readonly joints: Readonly<Record<string, number>>
  /** Joint velocities by joint name [rad/s, m/s]; others are zero. */
  readonly jointVelocities: Readonly<Record<string, number>>
}

/** The exact solution, where one is known, as functions of t: errors are then taken against it. */
export interface ClosedForm {
  readonly x?: Program
  readonly y?: Program
  readonly z?: Program
  readonly joints: Readonly<Record<string, Program>>
  /** Mechanical energy less its value at t = 0 [J]. */
  readonly energy?: Program
}

export interface Default {
  readonly field: string
  readonly value: string
  readonly why: string
}

/** Scenario as it is written, before any check. */
export type RawScenario = Record<string, unknown>

const largestFile = 1_000_000

/**
 * Reads the text of a scenario file.
 *
 * @param overrides fields that take the place of the file's, such as the command line's flags
 * @throws ScenarioError with every problem: file, line, field, what was found, what was expected
 */
export async function parseScenario(source: string, file: string, overrides: RawScenario = {}): Promise<Scenario> {
  if (source.length > largestFile)
    throw new ScenarioError([`${file}: holds ${source.length} characters, more than the ${largestFile} that a scenario may have`])
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  if (document.errors.length > 0) {
    throw new ScenarioError(document.errors.map((e) => `${file}:${lines.linePos(e.pos[0]).line} ${e.message}`))
  }
  const forbidden: string[] = []
  visit(document, {
    Pair(_, pair) {
      const key = isScalar(pair.key) ? String(pair.key.value) : ''
      if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
        const at = isScalar(pair.key) && pair.key.range ? `:${lines.linePos(pair.key.range[0]).line}` : ''
        forbidden.push(`${file}${at} ${key}: is a reserved word and cannot be a key; rename it`)
      }
    },
  })
  if (forbidden.length > 0) throw new ScenarioError(forbidden)
  let raw: unknown
  try {
    raw = document.toJS({ maxAliasCount: 50 })
  } catch (error) {
    throw new ScenarioError([`${file}: ${(error as Error).message}; at most 50 aliases are followed`])
  }
  if (!isMap(document.contents))
    throw new ScenarioError([`${file}: found ${shown(raw)}, expected fields such as "robot: diffdrive"`])

  const locate: Locate = (path) => {
    if (Object.hasOwn(overrides, path[0] as string)) return `--${String(path[0])}`
    for (let n = path.length; n > 0; n--) {
      const node = document.getIn(path.slice(0, n), true) as { range?: [number, number, number] } | undefined
      if (node?.range) return `${file}:${lines.linePos(node.range[0]).line}`
    }
    return file
  }
  return checkScenario({ ...(raw as RawScenario), ...overrides }, locate)
}

/**
 * Checks a scenario that was not read from a file and fills in the defaults.
 *
 * @throws ScenarioError with every problem
 */
export async function checkScenario(
  raw: RawScenario,
  locate: Locate = (path) => `--${String(path[0] ?? 'scenario')}`,
): Promise<Scenario> {
  return withVariants(raw, locate, (stated) => checkOne(stated, locate))
}

/** One scenario, whatever its sweep. */
async function checkOne(raw: RawScenario, locate: Locate): Promise<Scenario> {
  const result = await schema.safeParseAsync(raw)
  if (!result.success) throw new ScenarioError(inOrder(flatten(result.error.issues, []).map((issue) => describe(issue, locate))))
  const problems: string[] = []
  const scenario = await fillScenario(result.data, (path, message) => problems.push(describe({ path, message }, locate)))
  if (problems.length > 0) throw new ScenarioError(inOrder(problems))
  return scenario
}

/** Options as a controller gets them: an expression is a number, or a function of t [s] if it varies. */
export function materialize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(materialize)
  if (typeof value !== 'object' || value === null) return value
  if (isProgram(value)) return value.varies ? evaluator(value) : constantOf(value)
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, materialize(v)]))
}
