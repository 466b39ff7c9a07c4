/**
 * Cases whose law is an order of convergence: each model at three steps, each half of the one before. Its errors are below the softness
 * of rigid contacts, or fall at least in proportion to the step; exceptions are listed in the case, with the reason.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { asset } from '../assets.ts'
import type { ModelChoice, Scenario } from '../compare/scenario/index.ts'
import { type ContactModelName, contactModelNamed } from '../contact/index.ts'
import { createFreeBody } from '../robots/index.ts'
import { World } from '../simulation/index.ts'
import { type Exception, type Measure, parseScene, type Scene } from './scene.ts'
import { trialOf } from './trial.ts'

const folder = fileURLToPath(asset('cases/closed-forms/'))

/** Folders of the cases, and the headings of docs/closed-forms.md. */
export const chapters = {
  sliding: 'Sliding',
  spinning: 'Sliding and spinning',
  surfaces: 'Friction beyond one coefficient',
  rolling: 'Rolling',
  turning: 'Tipping, rocking, rods',
  loads: 'Loads and rest',
  forces: 'Springs, mediums, motors of links, muscles',
  impacts: 'Impacts',
  step: 'Within a step',
} as const
export type Chapter = keyof typeof chapters

/** One measure of one case of a file: a motion or a load whose exact value is known. */
export interface Claim {
  readonly chapter: Chapter
  readonly file: string
  readonly source: string
  /** At the parameters that the file states. */
  readonly scene: Scene
  /** Indices of the case and of its measure. */
  readonly at: number
  readonly measure: number
  readonly name: string
}

/** Longest first, each half of the one before [s]. */
export type Steps = readonly [number, number, number]

/** Values at three steps. */
export interface Measured {
  readonly claim: Pick<Claim, 'name'>
  readonly model: string
  readonly steps: Steps
  readonly exact: number
  readonly scale: number
  readonly values: readonly [number, number, number]
  /** Over the scale, of either sign. */
  readonly errors: readonly [number, number, number]
  /** log2 of the ratio of successive errors. */
  readonly orders: readonly [number, number]
  /** Why there are no values. */
  readonly failure?: string
}

/** The result of one claim under one model, or why it does not apply to it. */
export interface Row {
  readonly claim: Claim
  readonly model: ContactModelName
  readonly measured?: Measured
  readonly without?: string
  readonly known?: Exception
  /** Deviations from the case. */
  readonly problem?: string
}

/** All errors below this count as exact: the default softness of rigid contacts, 5e-6, and its consequences. */
export const EXACT = 2e-5
/** Least order that counts as 1, and as 1/2. */
const LEAST_ORDER = 0.7
const HALF_ORDER = 0.35
/** Steps of models that resolve an impact by springs, which are as deep under their weight as a step is long in seconds. */
const SPRING_STEPS: Steps = [4e-5, 2e-5, 1e-5]
/** Halvings of the range of a search: it ends at 1e-5 of it. */
export const HALVINGS = 17

/** In the order of their chapters. */
export async function allClaims(): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const chapter of Object.keys(chapters) as Chapter[]) {
    const names = readdirSync(folder + chapter).map((file) => `${chapter}/${file.replace(/\.yaml$/, '')}`)
    for (const name of names.sort()) {
      const file = `${folder}${name}.yaml`
      const source = readFileSync(file, 'utf8')
      const scene = await parseScene(source, file)
      for (const [at, { measures }] of scene.cases.entries())
        for (const [measure, { name }] of measures.entries()) claims.push({ chapter, file, source, scene, at, measure, name })
    }
  }
  return claims
}

/** Reasons that several cases name. */
const reasons = parse(readFileSync(`${folder}reasons.yaml`, 'utf8')) as Readonly<Record<string, string>>
const reasonOf = (because: string) => reasons[because] ?? because

export const measureOf = ({ scene, at, measure }: Claim): Measure => scene.cases[at].measures[measure]

/** Kind of contact model: the answers of one at work. */
const kindsOfModels = new Map<string, { readonly rigid: boolean; readonly impulsive: boolean }>()
export function natureOf(model: string): { readonly rigid: boolean; readonly impulsive: boolean } {
  let known = kindsOfModels.get(model)
  if (known === undefined) {
    const robot = createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 1 }, mass: 1 })
    const { level, parameters } = new World({ robot, dt: 1e-3, contactModel: contactModelNamed(model) }).contactModel
    const rigid = level === 'velocity' && parameters.unused.includes('damping')
    const impulsive = rigid || parameters.used.some(({ name, value }) => name === 'impacts' && value !== 'none')
    known = { rigid, impulsive }
    kindsOfModels.set(model, known)
  }
  return known
}

export async function rowOf(claim: Claim, model: ContactModelName): Promise<Row> {
  const without = claim.scene.cases[claim.at].law?.without.find(({ models }) => models.includes(model))
  if (without !== undefined) return { claim, model, without: reasonOf(without.because) }
  const measured = await measuredOf(claim, model)
  const known = exceptionOf(claim, model)
  return { claim, model, measured, known, problem: problemOf(measured, known) }
}

export function exceptionOf({ scene, name }: Claim, model: ContactModelName): Exception | undefined {
  const found = scene.except.find((each) => each.models.includes(model) && (each.of ?? name) === name)
  return found && { ...found, because: reasonOf(found.because) }
}

async function measuredOf(claim: Claim, model: string): Promise<Measured> {
  const { scene, at, name } = claim
  const bySprings = isBySprings(claim, model)
  const steps = bySprings ? SPRING_STEPS : (scene.cases[at].scenario.dt.toReversed() as unknown as Steps)
  const found: Value[] = []
  for (const dt of steps) found.push(await valueAt(claim, model, dt))
  const { exact, scale } = found[2]
  const values = found.map(({ value }) => value) as [number, number, number]
  const errors = values.map((value) => (value - exact) / scale) as [number, number, number]
  const order = (a: number, b: number) => Math.log2(Math.abs(a / b))
  return {
    claim: { name },
    model,
    steps,
    exact,
    scale,
    values,
    errors,
    orders: [order(errors[0], errors[1]), order(errors[1], errors[2])],
    failure: found.find(({ failure }) => failure !== undefined)?.failure,
  }
}

/** Whether the model resolves the case's impact by its springs. */
const isBySprings = ({ scene, at }: Claim, model: string) => scene.cases[at].law?.impact === true && !natureOf(model).impulsive

/** A measure's value at one step. */
export interface Value {
  readonly value: number
  readonly exact: number
  readonly scale: number
  readonly failure?: string
}

/** @param options of the model, over those that the case states */
export async function valueAt(claim: Claim, model: string, dt: number, options: ModelChoice['options'] = {}): Promise<Value> {
  const { scene, source, file, at, measure: m } = claim
  const { rigid } = natureOf(model)
  const bySprings = isBySprings(claim, model)
  // springs get stiffer as steps get shorter, so that their limit is the rigid body: 10 m/s² dt², with which omega dt is 1
  const depth = bySprings ? dt : 10 * dt * dt
  let failure: string | undefined
  let [exact, scale] = [Number.NaN, Number.NaN]
  const trial = async (more: Readonly<Record<string, number>> = {}) => {
    const read = await sceneAt(source, file, { dt, sink: rigid ? 0 : depth, ...more })
    const one = read.cases[at]
    ;({ nature: exact, scale } = one.measures[m])
    const { scenario } = one
    const physical = rigid ? scenario.physical : { allowedPenetration: depth, ...scenario.physical }
    const stated = scenario.models.find((choice) => choice.name === model)
    const models = [{ ...stated, name: model, options: { ...stated?.options, ...options } }] as Scenario['models']
    const changed = { ...scenario, physical, models, integrator: bySprings ? ('rk4' as const) : scenario.integrator }
    const { status, why, values } = await trialOf({
      scene: { ...read, cases: [{ ...one, scenario: changed }] },
      at: 0,
      column: model,
      dt,
    })
    if (status !== 'measured') failure ??= `${why} (dt = ${dt})`
    return status === 'measured' ? values[m] : Number.NaN
  }
  const value = scene.search === undefined ? await trial() : await searched(scene.search, trial)
  return { value, exact, scale, failure }
}

/** The value of the parameter from which on the measure is positive at some time. */
async function searched(
  { parameter, from, to }: NonNullable<Scene['search']>,
  trial: (more: Readonly<Record<string, number>>) => Promise<number>,
): Promise<number> {
  let [low, high] = [from, to]
  for (let k = 0; k < HALVINGS; k++) {
    const middle = 0.5 * (low + high)
    if (Number.isFinite(await trial({ [parameter]: middle }))) high = middle
    else low = middle
  }
  return 0.5 * (low + high)
}

/** Models of one kind share their scenes. */
let kept: { readonly file: string; readonly scenes: Map<string, Promise<Scene>> } | undefined
function sceneAt(source: string, file: string, values: Readonly<Record<string, number>>): Promise<Scene> {
  if (kept?.file !== file) kept = { file, scenes: new Map() }
  const key = JSON.stringify(values)
  const scene = kept.scenes.get(key) ?? parseScene(source, file, values)
  kept.scenes.set(key, scene)
  return scene
}

export const kinds = ['exact', 'first', 'half', 'limit', 'failed'] as const
export type Kind = (typeof kinds)[number]

/** Mean order over the three steps. */
export const orderOf = ({ errors: [first, , last] }: Pick<Measured, 'errors'>): number => Math.log2(Math.abs(first / last)) / 2

/**
 * `exact` to the softness of rigid contacts; `first` if errors fall at least like the step to the power 0.7 from the longest to the
 * shortest, or become exact on the way; `half` if they fall like its square root; `limit` if they tend to something that is not 0.
 */
export function kindOf(measured: Pick<Measured, 'errors' | 'failure'>): Kind {
  const { errors, failure } = measured
  if (failure !== undefined) return 'failed'
  if (errors.every((error) => Math.abs(error) < EXACT)) return 'exact'
  const order = Math.abs(errors[2]) < EXACT ? 1 : orderOf(measured)
  return order >= LEAST_ORDER ? 'first' : order >= HALF_ORDER ? 'half' : 'limit'
}

/**
 * Limit of the values. Where differences of values halve and better, the geometric series of the last two goes on (Aitken);
 * otherwise it is the last value.
 */
export function limitOf([a, b, c]: Measured['values']): number {
  const ratio = (c - b) / (b - a)
  return ratio > 0 && ratio < 0.75 ? c + ((c - b) * ratio) / (1 - ratio) : c
}

/** The deviation from the case, if there is one. */
export function problemOf(measured: Measured, known: Omit<Exception, 'models' | 'because'> | undefined): string | undefined {
  const { claim, model, errors, values, exact, scale, failure } = measured
  const kind = kindOf(measured)
  const of = `${claim.name}, ${model}`
  const seen = `errors ${errors.map((error) => error.toExponential(2)).join(', ')}`
  if (known?.fails)
    return kind === 'failed' ? undefined : `${of}: no longer fails (${seen}); take it out of the case's exceptions`
  if (failure !== undefined) return `${of}: ${failure}`
  if (known === undefined)
    return kind === 'exact' || kind === 'first' ? undefined : `${of}: neither exact nor of first order: ${seen}`
  const { tendsTo, within, uneven } = known
  if (tendsTo !== undefined)
    return Math.abs(values[2] - tendsTo) <= (within ?? Math.max(0.05 * Math.abs(tendsTo - exact), EXACT * scale))
      ? undefined
      : `${of}: tends to ${values[2].toPrecision(5)} and not to ${tendsTo}`
  if (uneven !== undefined)
    return errors.every((error) => Math.abs(error) <= uneven) ? undefined : `${of}: beyond ${uneven}: ${seen}`
  return kind === 'half' || kind === 'first' ? undefined : `${of}: not of order 1/2: ${seen}`
}
