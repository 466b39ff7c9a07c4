/**
 * The tables of docs/transfer.md: every controller of `rows` under every model at two steps, and what breaks it.
 *
 *     node --import ./scripts/typescript.mjs scripts/transfer-docs.ts FOLDER
 *
 * FOLDER holds ROBOT.json of each robot and starts.json, as the commands that stand in the page write them with --json.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { shortName, trackingOf } from '../compare/studies/charts.ts'
import type { TransferCell, TransferResult } from '../compare/studies/transfer.ts'

const page = fileURLToPath(new URL('../docs/transfer.md', import.meta.url))
const results = ['quadruped', 'humanoid', 'diffdrive'].map(
  (robot) => JSON.parse(readFileSync(`${process.argv[2]}/${robot}.json`, 'utf8')) as TransferResult,
)
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const models = [...new Set(results.flatMap(({ cells }) => cells.map(({ model }) => model)))]
const nameOf = (controller: string) => shortName(controller).replace(/\.ya?ml$/, '')

function tracking(cell: TransferCell | undefined): string {
  if (cell === undefined) return ''
  if (!cell.survives) return cell.fell_s === null ? 'failed' : `fell ${cell.fell_s.toPrecision(2)} s`
  return `${Number(((trackingOf(cell) ?? 0) * 1e3).toPrecision(2))}`
}

const survival = results.flatMap(({ robot, cells }) =>
  [...new Set(cells.map(({ controller }) => controller))].map((controller) =>
    line([
      robot,
      nameOf(controller),
      ...models.map((model) => {
        const own = cells.filter((cell) => cell.controller === controller && cell.model === model)
        return own.map(tracking).join(' / ')
      }),
    ]),
  ),
)
/** The range over the models of where an input breaks a controller. */
const limits = results.flatMap(({ robot, limits }) =>
  [...new Set(limits.map(({ controller }) => controller))].map((controller) => {
    const of = (input: string, unit: (value: number) => string) => {
      const own = limits.filter((limit) => limit.controller === controller && limit.input === input)
      const broken = own.flatMap(({ model, fails }) => (fails === null ? [] : [{ model, fails }]))
      if (broken.length === 0) return 'none found'
      const sorted = broken.toSorted((a, b) => a.fails - b.fails)
      const [least, most] = [sorted[0], sorted[sorted.length - 1]]
      const some = broken.length < own.length ? `, ${own.length - broken.length} of ${own.length} models never` : ''
      return `${unit(least.fails)} (${least.model}) to ${unit(most.fails)} (${most.model})${some}`
    }
    return line([
      robot,
      nameOf(controller),
      of('delay', (value) => `${value}`),
      of('step', (value) => `${value.toPrecision(2)} ms`),
      of('friction', (value) => `x ${value.toPrecision(2)}`),
    ])
  }),
)
const starts = JSON.parse(readFileSync(`${process.argv[2]}/starts.json`, 'utf8')) as TransferResult
const controllers = [...new Set(starts.cells.map(({ controller }) => controller))]
const frictions = [...new Set(starts.cells.map(({ friction }) => friction))]
const successes = controllers.flatMap((controller) =>
  frictions.map((friction) =>
    line([
      nameOf(controller),
      `x ${friction}`,
      ...models.map((model) => {
        const cell = starts.cells.find(
          (one) => one.controller === controller && one.friction === friction && one.model === model,
        ) as TransferCell
        return `${cell.survived}`
      }),
    ]),
  ),
)
const [{ values, inputs }] = starts.domains
const domain = controllers.flatMap((controller) =>
  values[1].map((second, r) =>
    line([
      nameOf(controller),
      `${second}`,
      ...values[0].map((_, c) => {
        const own = starts.domains.filter((one) => one.controller === controller)
        return `${own.filter(({ survives }) => survives[r][c]).length}`
      }),
    ]),
  ),
)
const tables = {
  starts: [line(['controller', 'friction', ...models]), line(['---', '---', ...models.map(() => '---:')]), ...successes],
  domain: [
    line(['controller', `${inputs[1]} \\ ${inputs[0]}`, ...values[0].map((value) => `x ${value}`)]),
    line(['---', '---:', ...values[0].map(() => '---:')]),
    ...domain,
  ],
  survival: [line(['robot', 'controller', ...models]), line(['---', '---', ...models.map(() => '---:')]), ...survival],
  limits: [
    line(['robot', 'controller', 'periods late', 'step', 'friction']),
    line(['---', '---', '---', '---', '---']),
    ...limits,
  ],
}
let text = readFileSync(page, 'utf8')
for (const [name, lines] of Object.entries(tables))
  text = text.replace(new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end -->)`), `$1${lines.join('\n')}\n$2`)
writeFileSync(page, text)
