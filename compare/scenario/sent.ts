/** Scenarios that come as data, in a report: they pass the tables of scenario files. */
import { contactModelNames } from '../../contact/index.ts'
import { ScenarioError } from './problems.ts'
import { checkScenario } from './read.ts'
import type { RawScenario, Scenario } from './scenario.ts'
import type { ControllerChoice } from './schema.ts'
import { mostRuns } from './sweep.ts'

/** A value with its programs as texts, those of a script's options behind this mark. */
function textOf(value: unknown, mark = ''): unknown {
  if (Array.isArray(value)) return value.map((entry) => textOf(entry, mark))
  if (typeof value !== 'object' || value === null) return value
  if ('ops' in value && 'text' in value) return mark + value.text
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, textOf(entry, mark)]))
}

const controllerOf = ({ builtIn, options, ...rest }: ControllerChoice) => ({
  ...rest,
  ...(builtIn !== undefined && { name: builtIn }),
  options: textOf(options, builtIn === undefined ? '=' : ''),
})

/** As a file would state it; without its sweep, and of models those that are registered. */
function statedOf({
  sweep: _,
  sample: _sample,
  variants: _variants,
  defaults: _defaults,
  seed: _seed,
  ...scenario
}: Scenario): RawScenario {
  const { start, materials, robots, roots, ground, models, controller, companions, obstacles, ...rest } = scenario
  const { isDefault: _isDefault, ...surface } = ground ?? {}
  return {
    ...(textOf(rest) as object),
    ...(robots.length > 0 && { robots, start, materials }),
    ...(roots && roots.length > 0 && { roots }),
    ground: ground === undefined ? false : surface,
    models: models.filter(isRegistered).map(({ name, options }) => ({ name, ...options })),
    ...(controller && { controller: controllerOf(controller) }),
    companions: companions.map(({ start: placed, controller: own, ...companion }) => ({
      ...companion,
      ...placed,
      ...(own && { controller: controllerOf(own) }),
    })),
    obstacles: obstacles.map(({ shape, ...obstacle }) => ({ ...(textOf(shape) as object), ...(textOf(obstacle) as object) })),
  }
}

const isRegistered = ({ name }: Scenario['models'][number]) => (contactModelNames as readonly string[]).includes(name)

/** A scenario that was sent, with every field checked; engines outside have no options. @throws ScenarioError, TypeError */
export async function checkSent(scenario: Scenario): Promise<Scenario> {
  const own = await checkScenario(statedOf(scenario), () => 'scenario')
  const { defaults, sweep, sample } = scenario
  const models = scenario.variants.reduce((sum, { scenario: one }) => sum + one.models.length, 0) || own.models.length
  const runs = models * own.dt.length * own.seeds.length * Math.max(1, own.robots.length)
  if (runs > mostRuns) throw new ScenarioError([`scenario: requests ${runs} runs; at most ${mostRuns} are made`])
  const variants: Scenario['variants'][number][] = []
  for (const { values, scenario: one } of scenario.variants) variants.push({ values, scenario: await checkSent(one) })
  const outside = scenario.models.filter((model) => !isRegistered(model)).map(({ name }) => ({ name, options: {} }))
  const ground = own.ground && { ...own.ground, ...(scenario.ground?.isDefault === true && { isDefault: true as const }) }
  return { ...own, ground, models: [...own.models, ...outside], defaults, sweep, ...(sample && { sample }), variants }
}
