/** First failure: how far friction, delay and step may be off before a controller no longer survives, one input at a time. */
import type { Outcome, RunJob } from '../run/run.ts'
import type { Scenario } from '../scenario/index.ts'
import { type Bracket, narrowed, nextOf } from './border.ts'
import type { Grid } from './grid.ts'

/** The inputs, and how far each is tried at most: a factor on friction and step, whole periods of the controller. */
export const farthest = { friction: 1 / 16, step: 20, delay: 32 } as const
export type LimitedInput = keyof typeof farthest

/** Two ends of a bisection that differ by less than this are one; delays by a period. */
const TOLERANCE = 0.05

export interface TransferLimit {
  readonly controller: string
  readonly model: string
  readonly input: LimitedInput
  /**
   * The farthest at which it was seen to survive: a factor on every coefficient of friction, or on the step, or a number of periods of delay.
   * Null where it does not survive as stated.
   */
  readonly survives: number | null
  /** Where it was seen not to; null where it survives the farthest that is tried. */
  readonly fails: number | null
}

interface Search {
  readonly controller: string
  readonly job: RunJob
  readonly input: LimitedInput
  bracket: Bracket
  state: 'nominal' | 'farthest' | 'between' | 'done'
  survives: number | null
  fails: number | null
}

/** @param scenarios one a controller, by its name; of each the first step @param survived of a run */
export async function limitsOf(
  scenarios: ReadonlyMap<string, Scenario>,
  robot: string,
  grid: Grid,
  survived: (run: Outcome) => boolean,
): Promise<readonly TransferLimit[]> {
  const searches = [...scenarios].flatMap(([controller, scenario]) =>
    scenario.models.flatMap((model) =>
      (Object.keys(farthest) as LimitedInput[]).map((input): Search => {
        const job: RunJob = { kind: 'run', scenario: { ...scenario, variants: [], sweep: {} }, robot, model, dt: scenario.dt[0] }
        // delays are counted from one, so that ratios of them make sense
        const bracket = { inside: 1, outside: input === 'delay' ? farthest.delay + 1 : farthest[input] }
        return { controller, job, input, bracket, state: 'nominal', survives: null, fails: null }
      }),
    ),
  )
  for (let open = searches; open.length > 0; open = searches.filter(({ state }) => state !== 'done')) {
    const tried = open.map(triedOf)
    const cells = open.map(({ job, input }, i) => ({ job: withInput(job, input, shownOf(input, tried[i])) }))
    const held = await grid.run(cells, survived, `searching for ${open.length} limits`)
    open.forEach((search, i) => {
      advance(search, tried[i], held[i])
    })
  }
  return searches.map(({ controller, job: { model }, input, survives, fails }) => {
    const shown = (value: number | null) => (value === null ? null : shownOf(input, value))
    return { controller, model: model.name, input, survives: shown(survives), fails: shown(fails) }
  })
}

const shownOf = (input: LimitedInput, value: number) => (input === 'delay' ? value - 1 : value)

function triedOf({ bracket, input, state }: Search): number {
  if (state === 'nominal') return bracket.inside
  if (state === 'farthest') return bracket.outside
  const middle = nextOf(bracket, TOLERANCE) as number
  return input === 'delay' ? Math.round(middle) : middle
}

/** The run with one input off: friction or the step by a factor, or so many periods of delay. */
export function withInput(job: RunJob, input: LimitedInput, value: number): RunJob {
  return input === 'step' ? { ...job, dt: job.dt * value } : { ...job, vary: { ...job.vary, [input]: value } }
}

function advance(search: Search, value: number, held: boolean): void {
  if (held) search.survives = value
  else search.fails = value
  if (search.state === 'nominal') search.state = held ? 'farthest' : 'done'
  else if (search.state === 'farthest') search.state = held ? 'done' : 'between'
  else search.bracket = narrowed(search.bracket, value, held)
  if (search.state !== 'between') return
  const middle = nextOf(search.bracket, TOLERANCE)
  const { inside, outside } = search.bracket
  if (middle === undefined || (search.input === 'delay' && [inside, outside].includes(Math.round(middle)))) search.state = 'done'
}

/** A limit in words: `friction x 0.31`, `step x 4.2`, `3 periods late`; with `>` or `<` where nothing was found up to there. */
export function limitText({ input, survives, fails }: TransferLimit): string {
  if (survives === null) return 'as stated'
  if (fails === null) return '-'
  if (input === 'delay') return `${fails} late`
  return `x ${Number(fails.toPrecision(2))}`
}
