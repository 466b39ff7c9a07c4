/** The worlds of a comparison: which runs share one, and each judged when its last run has ended. */
import { isKept, lawSentence } from '../measure/laws.ts'
import { type PoolOptions, runJobs } from '../run/pool.ts'
import type { Outcome, RunJob, WorldJob } from '../run/run.ts'
import type { ModelChoice, Scenario, Variant } from '../scenario/index.ts'
import type { RobotScale } from '../scenario/world/assemble.ts'
import { isOutside, type PreparedWorld } from '../scenario/world/files.ts'
import type { Overlap } from '../scenario/world/penetration.ts'
import { type Dispute, type Divergence, disputeOf, divergenceOf, nudgeOf } from './divergence.ts'
import { HALVINGS, refined } from './errorBars.ts'
import { type JudgedWorld, type Judgement, judgeWorld, type ModelInWorld } from './judgeWorld.ts'
import type { Truth } from './truth.ts'
import { isOption, nameOf } from './verdictWords.ts'

/** More runs than this are not drawn. */
const MOST_PLOTS = 300

/** A robot in its world, as every variant of the scenario has it. */
export interface Subject {
  readonly source: string
  readonly prepared: PreparedWorld
  readonly overlaps: readonly Overlap[]
  readonly variants: readonly { readonly variant: Variant; readonly scale: RobotScale }[]
}

/** Runs that share a reference: a robot, a variant, a seed, a model; one run a step. */
export interface Group {
  readonly subject: number
  /** The same for groups whose models answer the same question: of one robot, seed and variant, the models' own options aside. */
  readonly world: string
  readonly variant: Variant
  readonly scale: RobotScale
  readonly scenario: Scenario
  readonly robot: string
  readonly model: ModelChoice
  readonly isDrawn: boolean
  /** The same for groups that take the same time, those that differ in the seed alone; the first seed's are timed. */
  readonly timing: string
  readonly isTimed: boolean
  /** Indices of their jobs. */
  readonly runs: readonly number[]
  readonly reference: number
  /** References under a controller at the rate of each run; none where nothing is controlled. */
  readonly rates: readonly number[]
  /** Refinements of each run; none without error bars. */
  readonly finer: readonly (readonly number[])[]
}

/** A world that has been judged. */
export interface SettledWorld {
  /** Among the worlds, in the order of their first groups. */
  readonly place: number
  readonly groups: readonly Group[]
  /** Of a job of these groups. */
  readonly outcome: (index: number) => Outcome
  readonly judgement: Judgement
  /** Where the motion forgets its start; null where it does not. */
  readonly divergence: Divergence | null
}

/**
 * Runs all jobs and judges each world as soon as its last outcome is there, so that not all trajectories are kept at a time: `done` is called
 * once a world, and its outcomes are forgotten. Worlds whose answers part come last, when it is known why.
 */
export async function judgeWorlds(
  groups: readonly Group[],
  jobs: readonly WorldJob[],
  options: PoolOptions,
  done: (world: SettledWorld) => void,
): Promise<void> {
  const worldOfJob = new Map(
    worldsOf(groups).flatMap((world) => world.groups.flatMap(indicesOf).map((index) => [index, world] as const)),
  )
  const outcomes = new Map<number, Outcome>()
  const outcome = (index: number) => outcomes.get(index) as Outcome
  const disputed: DisputedWorld[] = []
  const settle = ({ place, groups: own }: World, judgement: Judgement, divergence: Divergence | null) => {
    done({ place, groups: own, outcome, judgement, divergence })
    for (const index of own.flatMap(indicesOf)) outcomes.delete(index)
  }
  const finish = (index: number, ended: Outcome) => {
    outcomes.set(index, ended)
    const world = worldOfJob.get(index) as World
    world.left--
    if (world.left > 0) return
    const [{ scenario }] = world.groups
    const models = world.groups.map((group) => modelInWorld(group, jobs, outcome))
    const judgement = judgeWorld(models, contextOf(world.groups[0]))
    // a closed form is right whatever the motion forgets
    const isOpen = scenario.exact === undefined
    const dispute = isOpen && judgement.truth && disputeOf(judgement.truth, models, scenario.limits)
    if (dispute) disputed.push({ world, models, judgement, dispute })
    else settle(world, judgement, null)
  }
  await runJobs(jobs, { ...options, done: finish })
  const divergences = await divergencesOf(disputed, jobs, { ...options, progress: undefined })
  disputed.forEach(({ world, models, judgement }, d) => {
    const at = divergences[d]
    settle(world, at === null ? judgement : judgeWorld(models, { ...contextOf(world.groups[0]), until: at.t }), at)
  })
}

/** The jobs of each group follow each other, its references last; the groups of a world follow each other where no option is swept. */
export function groupsOf(
  scenario: Scenario,
  subjects: readonly Subject[],
  hasBars = false,
): { groups: Group[]; jobs: WorldJob[] } {
  const jobs: WorldJob[] = []
  const groups: Group[] = []
  let runs = 0
  const add = (job: WorldJob) => jobs.push(job) - 1
  subjects.forEach(({ source, variants, prepared }, subject) => {
    // the built-in `none` has no effect at any rate
    const isDriven = prepared.members.some(({ drive }) => drive !== undefined && drive.choice?.builtIn !== 'none')
    const hasGeoms = prepared.members.some(({ robot }) => robot.shapes.some(({ geom }) => geom !== undefined))
    for (const [v, { variant, scale }] of variants.entries()) {
      for (const seed of scenario.seeds) {
        const world = JSON.stringify([subject, worldValues(variant.values), seed])
        // a job's scenario is its own: without the variants, which would be sent along with every job
        const own: Scenario = { ...variant.scenario, seed, variants: [], sweep: {} }
        for (const model of variant.scenario.models) {
          const isDrawn = seed === scenario.seeds[0] && runs < MOST_PLOTS
          const job = { scenario: own, robot: source, model }
          const runsOfGroup = scenario.dt.map((dt) => add({ kind: 'run', ...job, dt, replay: isDrawn }))
          const reference = add({ kind: 'reference', ...job, dt: scenario.dt[0] })
          const rates = isDriven
            ? scenario.dt.map((rateStep) => add({ kind: 'reference', ...job, dt: scenario.dt[0], rateStep }))
            : []
          const finer = runsOfGroup.map((run) =>
            hasBars && !isOutside(model.name) ? HALVINGS.map((k) => add(refined(jobs[run] as RunJob, k, hasGeoms))) : [],
          )
          runs += scenario.dt.length
          const timing = JSON.stringify([subject, v, model.name])
          groups.push({
            subject,
            world,
            variant,
            scale,
            isDrawn,
            timing,
            isTimed: seed === scenario.seeds[0],
            ...job,
            runs: runsOfGroup,
            reference,
            rates,
            finer,
          })
        }
      }
    }
  })
  return { groups, jobs }
}

const indicesOf = ({ runs, reference, rates, finer }: Group): readonly number[] => [...runs, reference, ...rates, ...finer.flat()]

/** The groups that share a world, and how many of their outcomes are still to come. */
interface World {
  /** Among the worlds, in the order of their first groups. */
  readonly place: number
  readonly groups: Group[]
  left: number
}

function worldsOf(groups: readonly Group[]): World[] {
  const worlds = new Map<string, World>()
  for (const group of groups) {
    const world = worlds.get(group.world) ?? { place: worlds.size, groups: [], left: 0 }
    worlds.set(group.world, world)
    world.groups.push(group)
    world.left += indicesOf(group).length
  }
  return [...worlds.values()]
}

/** The sweep's values for the world, the models' options aside. */
const worldValues = (values: Variant['values']) => Object.fromEntries(Object.entries(values).filter((entry) => !isOption(entry)))

/** The label of a world among the others of its robot. */
export function worldOf({ variant, scenario: { seed } }: Group): { seed: number; variant: Variant['values'] | null } {
  const values = worldValues(variant.values)
  return { seed, variant: Object.keys(values).length > 0 ? values : null }
}

const contextOf = ({ scale, scenario: { exact, limits, duration } }: Group): JudgedWorld => ({ scale, exact, limits, duration })

function modelInWorld(group: Group, jobs: readonly WorldJob[], outcome: (index: number) => Outcome): ModelInWorld {
  const { model, variant, runs, reference, rates } = group
  const finest = outcome(runs[0])
  const broken = finest.laws.find((check) => !isKept(check))
  return {
    label: nameOf({ model: model.name, variant: variant.values }),
    model: model.name,
    abstains: isOutside(model.name)
      ? 'it is another engine'
      : finest.status === 'failed'
        ? 'its finest run failed'
        : broken
          ? lawSentence(broken)
          : '',
    reference: outcome(reference),
    runs: runs.map((i, r) => {
      const rate = rates.length > 0 ? outcome(rates[r]) : undefined
      return {
        dt: jobs[i].dt,
        left: outcome(i),
        penetration: outcome(i).metrics?.penetrationMax_m ?? null,
        loads: outcome(i).loads,
        indeterminate: outcome(i).health?.indeterminate ?? 0,
        atItsRate: rate?.trajectory ? rate : null,
      }
    }),
  }
}

/** A world whose answers part, until it is known why. */
interface DisputedWorld {
  readonly world: World
  readonly models: readonly ModelInWorld[]
  readonly judgement: Judgement
  readonly dispute: Dispute
}

/** Runs each disputed world twice more from beside its start, to either side. */
async function divergencesOf(
  disputed: readonly DisputedWorld[],
  jobs: readonly WorldJob[],
  options: PoolOptions,
): Promise<(Divergence | null)[]> {
  const twins = disputed.flatMap(({ world: { groups }, judgement, dispute }): RunJob[] => {
    const job = jobs[groups[dispute.model].runs[0]] as RunJob
    const nudge = nudgeOf((judgement.truth as Truth).scales, dispute)
    return [nudge, nudge.map((x) => -x)].map((by) => ({ ...job, replay: false, nudge: by }))
  })
  if (twins.length === 0) return []
  const outcomes: Outcome[] = []
  await runJobs(twins, { ...options, done: (i, outcome) => (outcomes[i] = outcome) })
  return disputed.map(({ world: { groups }, models, judgement, dispute }, d) => {
    const { trajectory } = models[dispute.model].runs[0].left
    const beside = [outcomes[2 * d], outcomes[2 * d + 1]].flatMap((outcome) => outcome.trajectory ?? [])
    const { limits } = groups[0].scenario
    return trajectory && divergenceOf(dispute, trajectory, beside, (judgement.truth as Truth).scales, limits)
  })
}
