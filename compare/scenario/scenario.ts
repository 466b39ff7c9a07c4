/**
 * Models, robots, surroundings and time of a comparison. A scenario is the output of `schema.ts` for each field, with the checks between fields.
 * Structured-cloneable: workers get it as it is.
 */
import { didYouMean } from '../../dynamics/index.ts'
import { defaultsOf } from './defaults.ts'
import { variablesOf } from './expression.ts'
import { type Frozen, notAField } from './fields.ts'
import { penetrationLimit } from './limits.ts'
import { outcomeVariables } from './outcomes.ts'
import { type Issue, issuesOf } from './problems.ts'
import { type ScenarioFields, scenarioFields } from './schema.ts'

/** As it is written, before any check. */
export type RawScenario = Record<string, unknown>

/** A whole comparison, every default filled in; `scenarioFields` describes the fields. */
export interface Scenario extends Frozen<Omit<ScenarioFields, 'name' | 'robot' | 'robots' | 'seed' | 'seeds' | 'limits'>> {
  readonly name: string
  readonly limits: Frozen<Omit<ScenarioFields['limits'], 'penetration'>> & { readonly penetration: number }
  /** Empty where there are only free bodies. */
  readonly robots: readonly string[]
  /** The seeds of the runs, one world each; `seed` is the first. */
  readonly seeds: readonly number[]
  readonly seed: number
  /** The combinations of `sweep`; empty if nothing is swept. */
  readonly variants: readonly Variant[]
  /** Unstated fields, with their values. */
  readonly defaults: readonly Default[]
  /** Of a scenario that came from someone else: the folders below which all that it names lies. undefined: it is the user's own. */
  readonly border?: readonly string[]
}

/** One combination of a sweep's values, for some of the models. */
export interface Variant {
  /** By the path of the field; of a model's option only where it is one of this variant's models. */
  readonly values: Readonly<Record<string, unknown>>
  /** The scenario with these values, whose `models` are those that this variant is run with. */
  readonly scenario: Scenario
}

export interface Default {
  readonly field: string
  readonly value: string
  readonly why: string
}

export type Vector = readonly [number, number, number]
export type FixedBox = Scenario['boxes'][number]
export type Obstacle = Scenario['obstacles'][number]
export type Companion = Scenario['companions'][number]
export type BodyChoice = Scenario['bodies'][number]
export type ModelChoice = Scenario['models'][number]
export type Limits = Scenario['limits']
export type Start = Scenario['start']
export type Placement = Omit<Companion['start'], 'joints' | 'jointVelocities'>
export type Perturbation = NonNullable<Scenario['perturb']>
export type ClosedForm = NonNullable<Scenario['exact']>

/** Fields that are each right, as far as they are. */
export interface ReadFields {
  readonly data: Partial<ScenarioFields>
  readonly issues: readonly Issue[]
}

const keys = Object.keys(scenarioFields) as (keyof ScenarioFields)[]

/** Unknown fields that are reported one by one: each is compared with all known ones. */
const MOST_UNKNOWN = 100

/** Each field by itself. @param of which ones */
export async function readFields(raw: RawScenario, of: readonly string[] = keys): Promise<ReadFields> {
  const data: Record<string, unknown> = {}
  const issues: Issue[] = []
  if (of === keys) {
    const unknown = Object.keys(raw).filter((key) => !Object.hasOwn(scenarioFields, key))
    for (const key of unknown.slice(0, MOST_UNKNOWN)) issues.push({ path: [key], message: notAField(key, keys) })
    const more = unknown.length - MOST_UNKNOWN
    if (more > 0) issues.push({ path: [unknown[MOST_UNKNOWN]], message: `and ${more - 1} more are no fields here` })
  }
  for (const key of of) {
    const result = await scenarioFields[key as keyof ScenarioFields].safeParseAsync(raw[key])
    if (result.success) data[key] = result.data
    else issues.push(...issuesOf(result.error.issues, [key]))
  }
  return { data: data as ReadFields['data'], issues }
}

type Problem = (path: readonly PropertyKey[], message: string) => void
interface Agreement<K extends keyof ScenarioFields> {
  readonly of: readonly K[]
  check(fields: Pick<ScenarioFields, K>, problem: Problem): void
}
const agreement = <const K extends keyof ScenarioFields>(of: readonly K[], check: Agreement<K>['check']) =>
  ({ of, check }) as unknown as Agreement<never>

const repeated = (names: readonly string[]) => {
  const seen = new Set<string>()
  return names.find((name) => seen.size === seen.add(name).size)
}

/** Checks between fields. Each runs where its own fields are right. */
const agreements = [
  agreement(['robot', 'robots', 'bodies'], ({ robot, robots, bodies }, problem) => {
    if (robot !== undefined && robots !== undefined) problem(['robots'], 'stands beside "robot"; state one of them')
    if (robot === undefined && robots === undefined && bodies.length === 0)
      problem(
        ['robot'],
        'is missing, expected a path to a URDF, xacro, MJCF or SDF file, or the name of a built-in robot; or else bodies',
      )
  }),
  agreement(['dt', 'duration'], ({ dt, duration }, problem) => {
    if (dt.some((step) => step > duration))
      problem(['dt'], `found ${dt.at(-1)} s, expected no more than the duration, ${duration} s`)
  }),
  agreement(['seed', 'seeds'], ({ seed, seeds }, problem) => {
    if (Array.isArray(seeds) && seed !== undefined) problem(['seed'], 'stands beside a list of seeds; state one of them')
  }),
  agreement(['measure', 'success'], ({ measure, success }, problem) => {
    const known = outcomeVariables(measure)
    for (const name of success ? variablesOf(success).map((k) => success.names[k]) : [])
      if (!known.includes(name))
        problem(
          ['success'],
          `holds "${name}"; expected a measure, of ${known.join(', ') || 'which there are none'}${didYouMean(name, known)}`,
        )
  }),
  agreement(['decide', 'success'], ({ decide, success }, problem) => {
    if (decide !== undefined && success === undefined)
      problem(['decide'], 'asks for the probability of success, and the scenario states no success; add success, or leave it out')
  }),
  // fixed things share one list of names, moving ones another
  agreement(['boxes', 'obstacles'], ({ boxes, obstacles }, problem) => {
    const twice = repeated(['ground', ...[...boxes, ...obstacles].map(({ name }) => name)])
    if (twice === undefined) return
    const field = boxes.some(({ name }) => name === twice) ? 'boxes' : 'obstacles'
    problem([field], `holds the name "${twice}" twice; every fixture needs its own`)
  }),
  agreement(['companions', 'bodies'], ({ companions, bodies }, problem) => {
    const twice = repeated([...companions, ...bodies].map(({ name }) => name))
    if (twice !== undefined)
      problem(
        [bodies.length > 0 ? 'bodies' : 'companions'],
        `holds the name "${twice}" twice; every companion and body needs its own`,
      )
    for (const [field, list] of Object.entries({ companions, bodies })) {
      const slashed = list.find(({ name }) => name.includes('/'))
      if (slashed)
        problem([field], `holds the name "${slashed.name}"; names hold no "/", which parts a robot's name from its links'`)
    }
  }),
]

/** Disagreements between the fields that are right. */
export function disagreements(raw: RawScenario, data: ReadFields['data']): Issue[] {
  const issues: Issue[] = []
  const problem: Problem = (path, message) => issues.push({ path, message })
  for (const { of, check } of agreements) if (of.every((key) => Object.hasOwn(data, key))) check(data as never, problem)
  if (raw.robot === undefined && raw.robots === undefined && Array.isArray(raw.bodies) && raw.bodies.length > 0) {
    for (const field of ['controller', 'start', 'materials'])
      if (raw[field] !== undefined) problem([field], 'is about a robot, and there is none; leave it out, or state a robot')
  }
  return issues
}

const firstSeed = 1
/** A path without folders and extension: `robots/a1.urdf` is a1. */
const fileStem = (path: string) => path.replace(/^.*[/\\]/, '').replace(/\.(urdf|xacro|urdf\.xacro)$/i, '')

/** The scenario of fields that are right and agree; without its sweep. */
export function scenarioOf(raw: RawScenario, { robot, robots, seed, seeds, ...data }: ScenarioFields): Scenario {
  const compared = [...new Set(robots ?? (robot === undefined ? [] : [robot]))]
  const first = seed ?? firstSeed
  const list = Array.isArray(seeds) ? seeds : Array.from({ length: seeds ?? 1 }, (_, i) => first + i)
  return {
    ...data,
    name: data.name ?? (compared.length > 0 ? compared.map(fileStem).join(' and ') : 'bodies'),
    robots: compared,
    limits: { ...data.limits, penetration: data.limits.penetration ?? penetrationLimit(data.physical.allowedPenetration) },
    seeds: list,
    seed: list[0],
    sweep: {},
    variants: [],
    defaults: defaultsOf(raw),
  }
}
