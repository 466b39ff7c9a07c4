/** The report of a sweep, opened as its reader does; and what comes back out of it. */
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Comparison, compare } from '../../../compare/judge/compare.ts'
import { checkScenario, checkSent, type Scenario } from '../../../compare/scenario/index.ts'
import { builtViewer, type OpenPage } from '../../browser/builtViewer.ts'
import { temporaryFolder } from '../command.ts'
import { pageOf } from '../reportFixtures.ts'

const folder = temporaryFolder()
const viewer = builtViewer()

let scenario: Scenario
let made: Comparison
let opened: OpenPage
beforeAll(async () => {
  scenario = await checkScenario({
    bodies: [{ name: 'box', shape: { type: 'box', size: [0.1, 0.1, 0.04] }, mass: 1, position: [0, 0, 0.02] }],
    gravity: [2.9, 0, -9.37],
    duration: 0.1,
    dt: 5e-3,
    models: ['ncp', 'penalty'],
    measure: { slipped: { body: 'box', on: 'ground' }, tipped: { kind: 'fell', body: 'box', tilt: '30 deg' } },
    success: 'slipped < 1 mm and not tipped',
    sweep: { 'physical.friction': [0.1, 0.4], 'bodies.box.mass': ['1 kg', '2 kg'] },
  })
  made = await compare(scenario, { threads: 0, timing: false })
  const file = folder.write('report.html', pageOf(made as never, 'a command'))
  opened = await viewer.openAddress(`${pathToFileURL(file).href}?quality=none`, { width: 1366, height: 768 })
})

describe('the report of a sweep over two quantities', () => {
  test('opens with the border in words and a map, before the verdict, without a complaint', async () => {
    const { page, problems } = opened
    const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? Infinity
    expect(await top('.answer')).toBeLessThan(await top('.verdict'))
    expect(await page.locator('.answer li').first().innerText()).toBe(
      'ncp and penalty at 5\u00a0ms succeed for friction >= 0.4 (not at 0.1)',
    )
    const cells = await page.locator('.maps figure').nth(1).locator('g > text').allTextContents()
    expect(cells).toEqual(['no', 'yes', 'no', 'yes']) // 2 kg above 1 kg
    expect(await page.locator('.maps figure').nth(1).locator('title').first().textContent()).toBe(
      'friction 0.1, mass 2 kg: succeeds in no run',
    )
    expect(problems).toEqual([])
  })

  test('tells the measures of each pair', async () => {
    const row = opened.page.locator('.main-table tbody tr').first()
    expect(await row.locator('td.own').innerText()).toMatch(/^slipped .*mm\ntipped 0 of 4\nsuccess 2 of 4$/)
  })

  test('plays any variant that was kept', async () => {
    const { page } = opened
    const select = page.locator('.cast select[aria-label="Variant of the sweep"]')
    expect(await select.locator('option').count()).toBe(4)
    const energy = () => page.locator('.over-time figure', { hasText: 'Mechanical energy' }).locator('.values').innerText()
    await page.locator('.transport input[type=range]').fill('0.1')
    const before = await energy()
    await select.selectOption({ label: 'physical.friction 0.4, bodies.box.mass 2 kg' })
    await expect.poll(energy).not.toBe(before)
    expect(await page.locator('.cast select[aria-label="Variant of the sweep"] option:checked').innerText()).toBe(
      'physical.friction 0.4, bodies.box.mass 2 kg',
    )
  })
})

test('a scenario that comes out of a report measures the same', async () => {
  const sent = await checkSent(JSON.parse(JSON.stringify(scenario)) as Scenario)
  expect(sent.measure).toEqual(scenario.measure)
  expect(sent.success).toEqual(scenario.success)
  const again = await compare(sent, { threads: 0, timing: false })
  expect(again.results.runs.map(({ outcome }) => outcome)).toEqual(made.results.runs.map(({ outcome }) => outcome))
})
