import { cellText, transferPage } from '../map/charts.ts'
import { type LimitedInput, limitText } from '../map/limits.ts'
import { type TransferResult, transferOf } from '../map/transfer.ts'
import type { Scenario } from '../scenario/index.ts'
import { milliseconds } from '../verdict.ts'
import type { CompareFlags } from './compare.ts'
import { UsageError } from './errors.ts'
import { openView, subjectOf } from './map.ts'
import { scenarioOf } from './scenarioArguments.ts'
import { type Cell, paintFor, table } from './terminal.ts'

export interface TransferFlags extends CompareFlags {
  readonly controllers: string
  readonly limits?: boolean
}

/** `featherbed transfer`. */
export async function transfer(targets: readonly string[], flags: TransferFlags): Promise<void> {
  const names = [...new Set(flags.controllers.split(',').map((name) => name.trim()))]
  if (names.includes(''))
    throw new UsageError(`--controllers found "${flags.controllers}", expected a list such as hold,unicycle`)
  const scenarios = new Map<string, Scenario>()
  for (const name of names)
    scenarios.set(
      name,
      await scenarioOf(targets, { ...flags, dt: flags.dt ?? '1e-3', controller: name === 'default' ? undefined : name }),
    )
  const [first] = scenarios.values()
  const { robot, robots, prepared } = await subjectOf(first)
  const view = await openView(first, flags, robots)
  const result = await transferOf(scenarios, robot, { prepared, grid: view.grid, limits: flags.limits })
  await view.close('transfer', result, () => transferPage(result, view.command), transferText(result))
}

/** A row a model, so that it fits a terminal; a column for each controller and step. */
function transferText(result: TransferResult): string {
  const { robot, duration, cells } = result
  const { bold, dim, good, bad } = paintFor(process.stdout)
  const heads = [...new Set(cells.map(({ controller, dt }) => `${controller}\nat ${milliseconds(dt)}`))]
  const models = [...new Set(cells.map(({ model }) => model))]
  const rows = models.map((model): Cell[] => [
    { text: model },
    ...heads.map((head): Cell => {
      const cell = cells.find((one) => one.model === model && `${one.controller}\nat ${milliseconds(one.dt)}` === head)
      return cell ? { text: cellText(cell), paint: cell.survives ? good : bad } : { text: '-' }
    }),
  ])
  const columns = [{ title: '\nmodel', align: 'left' as const }, ...heads.map((title) => ({ title, align: 'right' as const }))]
  const lost = cells.filter(({ survives }) => !survives).length
  const sum =
    lost === 0
      ? 'Every controller survives every model.'
      : `${lost} of ${cells.length} pairs of controller and model do not survive.`
  return `${bold(robot)} ${dim(`${duration} s; error of tracking [rad, or m where nothing turns], or when it fell`)}\n${table(columns, rows)}\n\n${sum}\n${limitsText(result)}`
}

/** Where each controller breaks first, one input at a time. */
function limitsText({ limits }: TransferResult): string {
  if (limits.length === 0) return ''
  const { dim } = paintFor(process.stdout)
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
  const columns = [
    { title: 'controller', align: 'left' as const },
    { title: 'model', align: 'left' as const },
    ...inputs.map((title) => ({ title, align: 'right' as const })),
  ]
  const note =
    'What breaks it, all else as stated: friction times this, a step times this, periods of the controller late; - where nothing did down to 1/16, up to 20 times, or 32 periods.'
  return `\n${dim(note)}\n${table(columns, rows)}\n`
}
