import { rmSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { needsRobots, outputFolder, outputPages, outputsOf, shown, timeless } from '../../scripts/output-docs.ts'
import { full, hasRobots } from '../dailyModels.ts'
import { featherbedProcess } from './command.ts'

/** Pages whose commands take ten seconds of processor time or more. */
const long = full
  ? []
  : ['docs/tutorial.md', 'docs/which-step.md', 'docs/real-robots.md', 'docs/my-gripper-slips.md', 'docs/identify-your-robot.md']
if (!full) console.log(`not run: the commands of ${long.join(', ')}; set FEATHERBED_FULL`)

describe('blocks of output are what their commands print; npm run outputs makes them anew', () => {
  for (const page of outputPages) {
    const outputs = outputsOf(page)
    const isRun = !long.includes(page) && (!outputs.some(needsRobots) || hasRobots(`the commands of ${page}`))
    if (!isRun) continue
    describe(page, () => {
      const folder = outputFolder()
      afterAll(() => rmSync(folder, { recursive: true }))
      for (const { command, options, text } of outputs) {
        test(command.join(' '), async () => {
          const { stdout, stderr } = await featherbedProcess(command, {}, `cd ${folder}`)
          expect(timeless(shown(stdout, options)), stderr).toBe(timeless(text))
        })
      }
    })
  }
})

const printed = `cart under cart.ts, 3 s
                                time  worst
model    step  penetration  per step  law
-------  ----  -----------  --------  -----  --------
penalty  1 ms     0.377 mm      5 µs  kept   fits
ncp      5 ms   2.31e-6 mm     12 µs  kept   take ncp
  penalty at 1 ms: a note

cart: take ncp at a step of 5 ms. A simulated second took 2.5 ms of computing here. It holds.
`

test('a page shows rows, columns and paragraphs of an output, with lines broken at its width', () => {
  const options = { rows: ['ncp 5 ms'], without: ['penetration', 'time per step'], width: ['40'] }
  expect(shown(printed, options)).toBe(`cart under cart.ts, 3 s
               worst
model    step  law
-------  ----  -----  --------
ncp      5 ms  kept   take ncp

cart: take ncp at a step of 5 ms. A
simulated second took 2.5 ms of
computing here. It holds.`)
  expect(shown(printed, { lines: ['cart: '] })).toMatch(/^cart: take ncp .* holds\.$/)
})

test('a row, a paragraph or a line that an output has not is an error', () => {
  for (const options of [{ rows: ['lcp 1 ms'] }, { paragraphs: ['3'] }, { lines: ['humanoid:'] }])
    expect(() => shown(printed, options)).toThrow(/is not there in\ncart under/)
})

test('outputs are the same where computing times and widths of columns alone differ', () => {
  const slower = printed.replace(' 5 µs', '57 µs').replace('2.5 ms', '25 to 30 ms')
  expect(timeless(slower)).toBe(timeless(printed))
  expect(timeless(printed.replace('take ncp', 'fits'))).not.toBe(timeless(printed))
})
