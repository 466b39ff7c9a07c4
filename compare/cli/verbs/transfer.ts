import type { RawScenario, Scenario } from '../../scenario/index.ts'
import { cellText, rowOf, transferPage } from '../../studies/charts.ts'
import { domainInputsOf } from '../../studies/domain.ts'
import { type LimitedInput, limitText } from '../../studies/limits.ts'
import { type TransferCell, type TransferResult, transferOf } from '../../studies/transfer.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { besideFlag, besideModels, gridFlags, scenarioOf } from '../scenarioArguments.ts'
import { type Cell, left, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'
import { openView, subjectOf } from './map.ts'

/** How far starts are off where the scenario does not say. */
const PERTURB = { joints: '0.05 rad', linearVelocity: '0.5 m/s', angularVelocity: '0.5 rad/s' }

const flags = {
  ...gridFlags,
  ...besideFlag,
  '--controllers <a,b>': { meaning: 'controllers to try', isRequired: true },
  '--friction <a,b>': 'factors on every coefficient of friction (default: 1)',
  '--seeds <n>': 'runs of each, from perturbed starts (`perturb` of a scenario states by how much)',
  '--limits': 'search for the limits of each: least friction, longest step, longest delay, one at a time, to 5 %',
  '--domain <a,b>': 'map where each survives over two of friction, step, delay',
  '--dt <a,b>': 'time steps (default: 1 ms)',
} as const
type TransferFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed transfer humanoid --controllers default,hold --models all --duration 2 --out results\n\n' +
    "A controller is a file or the name of a built-in, as for --controller, or default, the robot's own.",
  flags,
  run: (target: string, xacro: string[], flags: TransferFlags) => transfer([target, ...xacro], flags),
}

async function transfer(targets: readonly string[], flags: TransferFlags): Promise<void> {
  const names = [...new Set(flags.controllers.split(',').map((name) => name.trim()))]
  if (names.includes(''))
    throw new UsageError(`--controllers found "${flags.controllers}", expected a list such as hold,unicycle`)
  const friction = flags.friction === undefined ? [1] : factorsOf(flags.friction)
  const domain = flags.domain === undefined ? undefined : domainInputsOf(flags.domain)
  const outside = await besideModels(flags)
  const scenarios = new Map<string, Scenario>()
  for (const name of names) {
    const own = { ...flags, dt: flags.dt ?? '1e-3', controller: name === 'default' ? undefined : name }
    const scenario = await scenarioOf(targets, own, seedsOf(flags.seeds))
    const isPerturbed = scenario.seeds.length === 1 || scenario.perturb !== undefined
    const chosen = isPerturbed ? scenario : await scenarioOf(targets, own, { ...seedsOf(flags.seeds), perturb: PERTURB })
    scenarios.set(name, { ...chosen, models: [...chosen.models, ...outside] })
  }
  const [first] = scenarios.values()
  const { robot, robots, prepared } = await subjectOf(first)
  const view = await openView(first, flags, robots)
  const result = await transferOf(scenarios, robot, { prepared, grid: view.grid, friction, limits: flags.limits, domain })
  await view.close('transfer', result, () => transferPage(result, view.command), transferText(result))
}

function seedsOf(text: string | undefined): RawScenario {
  if (text === undefined) return {}
  if (!/^[1-9]\d*$/.test(text)) throw new UsageError(`--seeds found "${text}", expected how many runs, a whole number`)
  return { seeds: Number(text) }
}

function factorsOf(text: string): number[] {
  const factors = text.split(',').map(Number)
  if (!factors.every((factor) => factor >= 0 && factor < Infinity))
    throw new UsageError(`--friction found "${text}", expected factors such as 1,0.5,0.25`)
  return factors
}

/** A row a model, so that it fits a terminal; a column for each controller, step and friction. */
function transferText(result: TransferResult): string {
  const { robot, duration, cells } = result
  const { bold, dim, good, bad } = paintFor(io.stdout)
  const headOf = (cell: TransferCell) => rowOf(cell).replace(' at ', '\nat ')
  const heads = [...new Set(cells.map(headOf))]
  const models = [...new Set(cells.map(({ model }) => model))]
  const rows = models.map((model): Cell[] => [
    { text: model },
    ...heads.map((head): Cell => {
      const cell = cells.find((one) => one.model === model && headOf(one) === head)
      return cell ? { text: cellText(cell), paint: cell.survives ? good : bad } : { text: '-' }
    }),
  ])
  const columns = [left('\nmodel'), ...heads.map((title) => right(title))]
  const runs = cells.reduce((sum, cell) => sum + cell.runs, 0)
  const lost = runs - cells.reduce((sum, { survived }) => sum + survived, 0)
  const sum = lost === 0 ? 'Every controller survives every model.' : `${lost} of ${runs} runs do not survive.`
  return `${bold(robot)} ${dim(`${duration} s; error of tracking [rad, or m where nothing turns], or when it fell`)}\n${table(columns, rows)}\n\n${sum}\n${limitsText(result)}${domainsText(result)}`
}

/** Where each controller breaks first, one input at a time. */
function limitsText({ limits }: TransferResult): string {
  if (limits.length === 0) return ''
  const { dim } = paintFor(io.stdout)
  const inputs: readonly LimitedInput[] = ['friction', 'step', 'delay']
  const pairs = [...new Set(limits.map(({ controller, model }) => `${controller}\n${model}`))]
  const rows = pairs.map((pair): Cell[] => {
    const [controller, model] = pair.split('\n')
    const own = limits.filter((limit) => limit.controller === controller && limit.model === model)
    return [
      { text: controller },
      { text: model },
      ...inputs.map((input) => ({ text: own.flatMap((limit) => (limit.input === input ? [limitText(limit)] : [])).join() })),
    ]
  })
  const columns = [left('controller'), left('model'), ...inputs.map((title) => right(title))]
  const note =
    'Limits, each with all else as stated: a factor on friction, a factor on the step, periods of delay of the controller. A dash: none found down to 1/16, up to 20 times, or 32 periods.'
  return `\n${dim(note)}\n${table(columns, rows)}\n`
}

/** How much of its domain each controller survives; the picture shows where. */
function domainsText({ domains }: TransferResult): string {
  if (domains.length === 0) return ''
  const { dim } = paintFor(io.stdout)
  const controllers = [...new Set(domains.map(({ controller }) => controller))]
  const models = [...new Set(domains.map(({ model }) => model))]
  const rows = models.map((model): Cell[] => [
    { text: model },
    ...controllers.map((controller): Cell => {
      const cells = domains.find((one) => one.controller === controller && one.model === model)?.survives.flat() ?? []
      return { text: `${cells.filter((held) => held).length} of ${cells.length}` }
    }),
  ])
  const note = `Survived of all pairs of ${domains[0].inputs.join(' and ')}; --out draws which.`
  return `\n${dim(note)}\n${table([left('model'), ...controllers.map((title) => right(title))], rows)}\n`
}
