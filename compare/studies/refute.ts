/**
 * Random search for a scene in which a contact model breaks a law, and its simplification to one that no single move makes simpler.
 * Claessen and Hughes, QuickCheck (ICFP 2000), sections 2 and 3; MacIver, Hypothesis (JOSS 2019), for shrinking along lists of values.
 */
import { stringify } from 'yaml'
import { isKept, type LawCheck } from '../measure/laws.ts'
import { doJob } from '../run/run.ts'
import { checkScenario, type LawName, type RawScenario } from '../scenario/index.ts'
import { BODIES_ONLY, SetupError } from '../scenario/world/files.ts'
import { Random } from '../scenario/world/random.ts'
import { drawScene, kinds, type RandomScene, rawOf, simplest } from './randomScenes.ts'

export interface RefuteChoice {
  readonly law: LawName
  /** Name and options, as `models` of a scenario has them. */
  readonly model: Readonly<Record<string, unknown>>
  readonly seed: number
  /** Most scenes that are drawn. */
  readonly budget: number
  /** Every scene's step, in place of drawn ones [s]. */
  readonly dt?: number
  readonly progress?: (stage: string, fraction: number) => void
}

export interface Refutation extends Pick<RefuteChoice, 'law' | 'model' | 'seed'> {
  /** Scenes drawn. */
  readonly tried: number
  /** How many of them were of each kind; a scene may be of several. */
  readonly kinds: Readonly<Record<string, number>>
  /** Scenes with a step of too much work, which count as none of the law. */
  readonly brokenOff: number
  /** Of the scene that was farthest beyond the law, or nearest to its limit; null if it had no value in any. */
  readonly worst: LawCheck | null
  readonly found: Found | null
}

export interface Found {
  readonly check: LawCheck
  /** Runs that made it simpler. */
  readonly runs: number
  readonly scenario: RawScenario
  /** For `featherbed run`. */
  readonly yaml: string
}

/** @throws ScenarioError for an option that the model does not have, SetupError for a scene that it refuses */
export async function refute(choice: RefuteChoice): Promise<Refutation> {
  const { law, model, seed, budget, progress } = choice
  const random = new Random(seed)
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]))
  let [tried, brokenOff] = [0, 0]
  let worst: { readonly scene: RandomScene; readonly check: LawCheck } | null = null
  while (tried < budget && !(worst && isClear(worst.check))) {
    progress?.(`searching for a scene that breaks ${law}`, tried / budget)
    const scene = drawScene(random, tried++)
    for (const [kind, isOf] of Object.entries(kinds)) if (isOf(scene)) counts[kind]++
    const check = await checkOf(scene, choice)
    if (check.detail === BROKEN_OFF) brokenOff++
    if ((check.value ?? -1) > (worst?.check.value ?? -1)) worst = { scene, check }
  }
  const found = worst === null || isKept(worst.check) ? null : await simplified(worst.scene, worst.check, choice)
  return { law, model, seed, tried, kinds: counts, brokenOff, worst: worst?.check ?? null, found }
}

/** A breach of twice the limit ends the search, and stays one while its scene is made simpler: each move would else end just above the limit. */
const clear = ({ limit }: LawCheck) => 2 * limit
const isClear = (check: LawCheck) => !isKept({ ...check, limit: clear(check) })

/** The law in the run of a scene. */
async function checkOf(scene: RandomScene, choice: RefuteChoice): Promise<LawCheck> {
  const scenario = await checkScenario({ ...fieldsOf(scene, choice), stepBudget: BUDGET })
  const { laws, failure } = await doJob({
    kind: 'run',
    scenario,
    robot: BODIES_ONLY,
    model: scenario.models[0],
    dt: scenario.dt[0],
  })
  const check = laws.find((one) => one.law === choice.law)
  if (check === undefined) throw new SetupError(failure ?? `no ${choice.law} is measured`)
  return failure !== null && outOfBudget.test(failure) ? { ...check, value: null, detail: BROKEN_OFF } : check
}

/** Most work of a step, in multiply-adds: some 30 ms. A few scenes of boxes under `peg` take a hundred times that. */
const BUDGET = 3e7
const outOfBudget = /than its budget of/
const BROKEN_OFF = 'out of budget'

function fieldsOf(scene: RandomScene, { law, model, dt = scene.dt }: RefuteChoice): RawScenario {
  const own = Object.keys(model).length > 1 ? model : model.name
  return { name: `${model.name} against ${law}`, ...rawOf({ ...scene, dt }), models: [own] }
}

async function simplified(start: RandomScene, first: LawCheck, choice: RefuteChoice): Promise<Found> {
  choice.progress?.('making it simpler', 0)
  const known = new Map<string, LawCheck>()
  const check = async (scene: RandomScene) => {
    const key = JSON.stringify(fieldsOf(scene, choice))
    const result = known.get(key) ?? (await checkOf(scene, choice))
    known.set(key, result)
    return result
  }
  const limit = isClear(first) ? clear(first) : first.limit
  const scene = await simplest(start, async (next) => !isKept({ ...(await check(next)), limit }))
  const scenario = fieldsOf(scene, choice)
  return { check: await check(scene), runs: known.size, scenario, yaml: yamlOf(scenario) }
}

const flow = (value: unknown) => stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd()

/** A line a field, or a body. */
const yamlOf = (fields: RawScenario): string =>
  Object.entries(fields)
    .map(([key, value]) => {
      const isOfBodies = key === 'bodies' || key === 'obstacles'
      return `${key}:${isOfBodies ? (value as unknown[]).map((body) => `\n  - ${flow(body)}`).join('') : ` ${flow(value)}`}\n`
    })
    .join('')
