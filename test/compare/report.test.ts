/** The report, opened in a browser as its reader does. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compare } from '../../compare/compare.ts'
import { linearRange, logRange, tickLabel, ticksOf } from '../../compare/report/chart.ts'
import { scriptJson } from '../../compare/report/html.ts'
import { reportOf } from '../../compare/report/report.ts'
import { checkScenario } from '../../compare/scenario.ts'
import { launchBrowser } from '../browser/chromium.ts'
import { temporaryFolder } from './command.ts'

const folder = temporaryFolder()
let browser: Browser
let page: Page
const complaints: string[] = []
const requests: string[] = []

beforeAll(async () => {
  const scenario = await checkScenario({ robots: ['diffdrive'], duration: 0.3 })
  const { results, plots } = await compare(scenario, { threads: 0 })
  const file = join(folder.path, 'report.html')
  writeFileSync(file, reportOf(results, plots, "npx featherbed compare 'a <b>'"))
  browser = await launchBrowser()
  page = await browser.newPage({ viewport: { width: 390, height: 800 } })
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(file).href)
})
afterAll(() => browser?.close())

describe('the report', () => {
  test('opens without a complaint and asks for nothing but itself', () => {
    expect(complaints).toEqual([])
    expect(requests.filter((url) => !url.startsWith('data:'))).toHaveLength(1)
  })

  test('has the verdict before everything else', async () => {
    const text = await page.locator('section.robot').innerText()
    expect(text.indexOf('VERDICT')).toBeGreaterThan(0)
    expect(text.indexOf('VERDICT')).toBeLessThan(text.indexOf('What was measured'))
  })

  test('fits a narrow screen: only tables scroll', async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })

  test('shows the command that makes it again, as text', async () => {
    expect(await page.locator('pre').innerText()).toBe("npx featherbed compare 'a <b>'")
  })

  test('shares one cursor among its four time series', async () => {
    await page
      .locator('svg[data-cursor]')
      .first()
      .hover({ position: { x: 150, y: 60 } })
    const places = await page
      .locator('svg[data-cursor] .cursor')
      .evaluateAll((lines) => lines.map((line) => [line.getAttribute('x1'), line.getAttribute('visibility')].join()))
    expect(places).toHaveLength(4)
    expect(new Set(places).size).toBe(1)
    expect(places[0]).toContain('visible')
    expect(await page.locator('.time output').innerText()).toMatch(/^t = 0\.\d+ s$/)
    for (const values of await page.locator('.values').allInnerTexts()) expect(values).toContain('penalty-deepest, 1 ms')
  })

  test('hides a line at the press of its button', async () => {
    const button = page.locator('.legend button').first()
    const line = page.locator(`svg[data-cursor] [data-run="${await button.getAttribute('data-toggle')}"]`).first()
    await button.click()
    expect(await button.getAttribute('aria-pressed')).toBe('false')
    expect(await line.isVisible()).toBe(false)
    await button.click()
    expect(await button.getAttribute('aria-pressed')).toBe('true')
  })
})

describe('charts', () => {
  test('have round ticks', () => {
    expect(ticksOf({ label: '', log: false, range: [0, 5] })).toEqual([0, 1, 2, 3, 4, 5])
    expect(ticksOf({ label: '', log: true, range: [1e-3, 1] })).toEqual([1e-3, 1e-2, 1e-1, 1])
    expect(tickLabel(0.001)).toBe('0.001')
    expect(tickLabel(1e-5)).toContain('10<tspan')
  })
  test('end logarithmic axes on decades around what is positive and finite', () => {
    expect(logRange([0, 3e-4, Number.NaN, 0.2, Infinity], 1e-9)).toEqual([1e-4, 1])
    expect(logRange([0, 0], 1e-9)).toEqual([1e-9, 1e-8])
  })
  test('are not flattened by one run that blows up', () => {
    expect(
      linearRange([
        [0, 1],
        [0, 1.2],
        [0, 1e20],
      ])[1],
    ).toBeLessThan(2)
  })
})

test('embedded data cannot end the script that holds it', () => {
  const text = scriptJson({ name: '</script><script>alert(1)</script>' })
  expect(text).not.toContain('</script')
  expect(JSON.parse(text)).toEqual({ name: '</script><script>alert(1)</script>' })
})
