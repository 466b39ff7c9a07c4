/** The domain within which a controller survives: a run at every pair of values of two inputs, under every model. */
import type { Outcome, RunJob } from '../run/run.ts'
import { type Scenario, ScenarioError } from '../scenario/index.ts'
import type { Grid } from './grid.ts'
import { farthest, type LimitedInput, withInput } from './limits.ts'

export type DomainInputs = readonly [LimitedInput, LimitedInput]

/** Values of each input, from as stated on. */
const COUNT = 6

export type Domain = Readonly<Awaited<ReturnType<typeof domainsOf>>[number]>

/** @throws ScenarioError */
export function domainInputsOf(text: string): DomainInputs {
  const known = Object.keys(farthest) as LimitedInput[]
  const names = text.split(',').map((name) => name.trim()) as LimitedInput[]
  const [first, second, ...more] = names
  if (first === second || more.length > 0 || !known.includes(first) || !known.includes(second))
    throw new ScenarioError([`--domain found "${text}", expected two of ${known.join(', ')}, such as friction,delay`])
  return [first, second]
}

/** Values at equal ratios, to the farthest; of delay 0 and powers of two. */
function valuesOf(input: LimitedInput): number[] {
  if (input === 'delay') return [0, ...Array.from({ length: COUNT - 1 }, (_, k) => 2 ** k)]
  return Array.from({ length: COUNT }, (_, k) => Number((farthest[input] ** (k / (COUNT - 1))).toPrecision(3)))
}

/** @param scenarios one a controller, by its name; of each the first step @param survived of a run */
export async function domainsOf(
  scenarios: ReadonlyMap<string, Scenario>,
  robot: string,
  inputs: DomainInputs,
  grid: Grid,
  survived: (run: Outcome) => boolean,
) {
  const values = [valuesOf(inputs[0]), valuesOf(inputs[1])] as const
  const pairs = [...scenarios].flatMap(([controller, scenario]) =>
    scenario.models.map((model) => {
      const job: RunJob = { kind: 'run', scenario: { ...scenario, variants: [], sweep: {} }, robot, model, dt: scenario.dt[0] }
      return { controller, job }
    }),
  )
  const cells = pairs.flatMap(({ job }) =>
    values[1].flatMap((second) =>
      values[0].map((first) => ({ job: withInput(withInput(job, inputs[0], first), inputs[1], second) })),
    ),
  )
  const held = await grid.run(cells, survived, `mapping ${pairs.length} domains, ${cells.length} runs`)
  const [columns, size] = [values[0].length, values[0].length * values[1].length]
  return pairs.map(({ controller, job }, i) => ({
    controller,
    model: job.model.name,
    inputs,
    /** Of each input: factors on friction and step, whole periods of delay. */
    values,
    /** A row for each value of the second input: whether it survives at each value of the first. */
    survives: values[1].map((_, row) => held.slice(i * size + row * columns, i * size + (row + 1) * columns)),
  }))
}
