/** The report, opened in a browser as its reader does. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compare } from '../../compare/compare.ts'
import { linearRange, logRange, tickLabel, ticksOf } from '../../compare/report/chart.ts'
import { median } from '../../compare/report/format.ts'
import { scriptJson } from '../../compare/report/html.ts'
import { reportOf } from '../../compare/report/report.ts'
import { thinned } from '../../compare/report/timeSeries.ts'
import { checkScenario } from '../../compare/scenario.ts'
import { launchBrowser } from '../browser/chromium.ts'
import { temporaryFolder } from './command.ts'
import { type Made, made, type Wanted } from './reportFixtures.ts'

const folder = temporaryFolder()
let browser: Browser

interface Opened {
  readonly page: Page
  /** What the browser complained of, and what it asked for besides the page. */
  readonly complaints: string[]
  readonly requests: string[]
}

let pages = 0
async function open({ results, plots }: Made, width = 1280): Promise<Opened> {
  const file = join(folder.path, `report-${pages++}.html`)
  writeFileSync(file, reportOf(results, plots, "npx featherbed compare 'a <b>'"))
  const page = await browser.newPage({ viewport: { width, height: 800 } })
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  return { page, complaints, requests: requests.filter((url) => !url.startsWith('data:')) }
}
const openMade = (wanted: Wanted, width?: number) => open(made(wanted), width)

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

describe('of a real comparison', () => {
  let opened: Opened
  beforeAll(async () => {
    const scenario = await checkScenario({ robots: ['diffdrive'], duration: 0.3 })
    opened = await open(await compare(scenario, { threads: 0 }), 390)
  })

  test('opens without a complaint and asks for nothing but itself', () => {
    expect(opened.complaints).toEqual([])
    expect(opened.requests).toHaveLength(1)
  })

  test('has the verdict before everything else', async () => {
    const text = await opened.page.locator('section.robot').innerText()
    expect(text.indexOf('VERDICT')).toBeGreaterThan(0)
    expect(text.indexOf('VERDICT')).toBeLessThan(text.indexOf('What was measured'))
  })

  test('fits a narrow screen: only tables scroll', async () => {
    expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })
})

describe('what it says', () => {
  test('the verdict tells what to use, on what, why, what is next, and what fell out for which reason', async () => {
    const { page } = await openMade({
      models: ['spring', 'rigid', 'bouncy'],
      change: (model, dt) =>
        model === 'bouncy'
          ? {
              status: 'failed',
              failure: 'step 7 at t = 0.007 s: q is not finite',
              error: null,
              cost: null,
              missed: [{ limit: 'failed', value: null }],
            }
          : dt > 5e-3
            ? { missed: [{ limit: 'tracking', value: 0.037 }] }
            : {},
    })
    const text = (await page.locator('.verdict').innerText()).replaceAll('\u00a0', ' ')
    expect(text).toContain('Use spring at a step of 1 ms.')
    expect(text).toContain('cart (10 kg, 2 moving joints, floating base)')
    expect(text).toContain('3 contact models were compared at 2 step sizes')
    expect(text).toContain('It penetrates 0.4 mm of 1 mm allowed (cube in ground)')
    // spring costs 1e-5 / 1e-3 s = 10 ms, rigid twice that
    expect(text).toContain('takes 10 ms to compute, 100 times faster than real time')
    expect(text).toContain('Runner-up: rigid at 1 ms would cost 2 times as much')
    expect(text).toContain('rigid at 10 ms: motion error 3.7 % > 1 %')
    expect(text).toContain('bouncy at 1 ms: broke off (step 7 at t = 0.007 s: q is not finite)')
    await page.close()
  })

  test('where nothing fits it says so, and what comes closest', async () => {
    const { page } = await openMade({
      verdict: null,
      change: (model, dt) => ({ missed: [{ limit: 'energy', value: model === 'rigid' && dt < 5e-3 ? 0.02 : 0.5 }] }),
    })
    const text = (await page.locator('.verdict.none').innerText()).replaceAll('\u00a0', ' ')
    expect(text).toContain('Nothing fits')
    expect(text).toContain('Closest comes rigid at 1 ms: energy error 2 % > 1 %, 2 times what is allowed')
    await page.close()
  })

  test('every run is in the tables with its hash; the judged columns have units and limits', async () => {
    const wanted = made({ models: ['a', 'b', 'c'], steps: [1e-3, 2e-3, 4e-3], seeds: [1, 2] })
    const { page } = await open(wanted)
    expect(await page.locator('.main-table tbody tr').count()).toBe(9)
    const all = await page.locator('.wide-table').textContent()
    for (const { hash } of wanted.results.runs) expect(all).toContain(hash)
    const heads = await page
      .locator('.main-table thead tr:last-child th')
      .evaluateAll((cells) => cells.map((cell) => cell.textContent))
    expect(heads.slice(0, 7)).toEqual([
      'model',
      'step',
      'runs',
      'outcome',
      'penetration\u2264 1 mm',
      'motion error\u2264 1 %',
      'energy error\u2264 1 %',
    ])
    for (const head of heads.slice(4)) expect(head).toMatch(/(mm|%|J|1\/s|\u00b5s|real time)$/)
    const steps = await page.locator('.main-table tbody td:nth-child(2)').allInnerTexts()
    expect(steps.slice(0, 3).map((text) => text.replace('\u00a0', ' '))).toEqual(['1 ms', '2 ms', '4 ms'])
    await page.close()
  })

  test('over several seeds figures are the median with their range, and one miss is a miss', async () => {
    const values = [3e-4, 9e-4, 1.2e-3]
    const { page } = await openMade({
      models: ['spring'],
      steps: [1e-3],
      seeds: [1, 2, 3],
      change: (_, __, seed) => ({
        metrics: {
          ...(made().results.runs[0].metrics as NonNullable<Made['results']['runs'][0]['metrics']>),
          penetrationMax_m: values[seed - 1],
        },
        missed: values[seed - 1] > 1e-3 ? [{ limit: 'penetration', value: values[seed - 1] }] : [],
      }),
    })
    const row = page.locator('.main-table tbody tr')
    expect(await row.locator('td').nth(1).innerText()).toBe('3')
    expect(await row.locator('td.missed .figure').textContent()).toBe('0.9 over the limit')
    expect(await row.locator('td.missed .range').innerText()).toBe('0.3 to 1.2')
    expect(await row.locator('td').nth(2).innerText()).toContain('penetration (1 of 3)')
    await page.close()
  })

  test('a sweep: options of a model make rows of their own, worlds are runs of one row', async () => {
    const wanted = made({ models: ['spring'], steps: [1e-3], seeds: [1, 2, 3, 4] })
    const runs = wanted.results.runs.map((run, i) => ({
      ...run,
      seed: 1,
      variant: { 'models.spring.lambda': i < 2 ? 0.5 : 0.9, 'physical.friction': i % 2 === 0 ? 0.2 : 0.8 },
    }))
    const verdicts = wanted.results.verdicts.map((verdict) => ({ ...verdict, variant: { 'models.spring.lambda': 0.9 } }))
    const { page } = await open({ results: { ...wanted.results, runs, verdicts }, plots: wanted.plots })
    const rows = page.locator('.main-table tbody tr')
    expect(await rows.locator('th').allInnerTexts()).toEqual(['spring with lambda 0.5', 'spring with lambda 0.9'])
    expect(await rows.nth(1).getAttribute('class')).toContain('chosen')
    expect(await rows.nth(0).locator('td').nth(1).innerText()).toBe('2')
    expect((await page.locator('.verdict').innerText()).replaceAll('\u00a0', ' ')).toContain(
      '1 contact model was compared at a step of 1 ms for 2 s, over 2 variants of the world',
    )
    expect(await page.locator('.wide-table').textContent()).toContain('physical.friction 0.8')
    await page.close()
  })

  test('failures and fallbacks are red and give their reason', async () => {
    const { metrics } = made().results.runs[0]
    const { page } = await openMade({
      change: (model, dt) =>
        model === 'spring'
          ? {}
          : dt > 5e-3
            ? {
                status: 'failed',
                failure: 'the state is not finite',
                error: null,
                cost: null,
                missed: [{ limit: 'failed', value: null }],
              }
            : { metrics: metrics && { ...metrics, fallbacks: 12, solverFailures: 3 }, solverFailure: 'ended on a ray' },
    })
    const rows = page.locator('.main-table tbody tr')
    expect(await rows.nth(2).innerText()).toContain('3 solver failures, 12 steps by fallback')
    expect(await rows.nth(3).locator('.tag.failed').innerText()).toBe('failed')
    const reasons = (await page.locator('.failures').innerText()).replaceAll('\u00a0', ' ')
    expect(reasons).toContain('rigid at 10 ms broke off: the state is not finite')
    expect(reasons).toContain('rigid at 1 ms solver: ended on a ray')
    const red = await page.locator('.failures').evaluate((list) => getComputedStyle(list).color)
    const [r, g, b] = (red.match(/\d+/g) ?? []).map(Number)
    expect(r).toBeGreaterThan(2 * Math.max(g, b))
    await page.close()
  })

  test('parameters stand with their steps, inputs without use are named, and the command, versions, machine and seeds are told', async () => {
    const { page } = await openMade({ seeds: [4, 5] })
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
    const text = await page.locator('main').innerText()
    expect(text).toContain('Has no use for stiffness and damping.')
    const inputs = page.locator('table', { hasText: 'Physical inputs' })
    expect(await inputs.locator('tr', { hasText: 'damping' }).locator('td').allInnerTexts()).toEqual([
      expect.stringContaining('not stated'),
      '',
      'used',
      'not used',
    ])
    expect(await inputs.locator('tr', { hasText: 'friction' }).locator('td').nth(1).innerText()).toBe('stated')
    // the friction is told once for both steps, the spring at each
    const own = page.locator('details', { hasText: 'spring: 2 parameters' }).locator('tbody tr')
    expect(await own.nth(0).locator('td').first().getAttribute('colspan')).toBe('2')
    expect(await own.nth(1).locator('td').allInnerTexts()).toEqual(['1000 N/m', '100 N/m', 'derived', 'spring of one pair'])
    expect(await page.locator('.command code').innerText()).toBe("npx featherbed compare 'a <b>'")
    const facts = await page.locator('dl.facts').innerText()
    for (const fact of ['9.8.7', 'Abacus', 'v20.0.0', '4, 5']) expect(facts).toContain(fact)
    await page.close()
  })

  test('names are text, whatever is in them, and nothing is asked of any server', async () => {
    const evil = '</script><img src=x onerror=alert(1)>"\'&'
    const wanted = made({
      robot: evil,
      models: [evil, `${evil}2`],
      change: () => ({ controllerMetrics: { [evil]: 1 }, solverFailure: evil }),
    })
    const html = reportOf(wanted.results, wanted.plots, evil)
    expect(html).not.toMatch(/(src|href|action|data|poster)\s*=\s*["']?(https?:)?\/\//i)
    expect(html).not.toMatch(/url\(\s*["']?(https?:)?\/\/|@import/i)
    const { page, complaints, requests } = await open(wanted)
    expect(complaints).toEqual([])
    expect(requests).toHaveLength(1)
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator('h1').innerText()).toBe(evil)
    expect(await page.locator('.main-table tbody th').first().innerText()).toBe(evil)
    await page.close()
  })

  test('does without snapshots, series and errors', async () => {
    const { page, complaints } = await openMade({
      plotsOf: () => ({ snapshots: undefined, series: null, tracking: null }),
      change: () => ({
        parameters: null,
        metrics: null,
        error: null,
        cost: null,
        missed: [{ limit: 'failed', value: null }],
        status: 'failed',
        failure: 'no such file',
      }),
      verdict: null,
    })
    expect(complaints).toEqual([])
    expect(await page.locator('.robot-picture').count()).toBe(0)
    expect(await page.locator('.verdict').innerText()).toContain('No verdict: every run broke off.')
    await page.close()
  })
})

describe('what it shows', () => {
  let opened: Opened
  beforeAll(async () => {
    opened = await openMade({
      models: ['spring', 'rigid', 'bouncy'],
      change: (model, dt) =>
        model === 'bouncy' && dt > 5e-3
          ? { status: 'failed', failure: 'fell over', error: null, cost: null, missed: [{ limit: 'failed', value: null }] }
          : {},
      plotsOf: (model, dt) =>
        model === 'bouncy' && dt > 5e-3
          ? {
              series: { t: [0, 0.5, 1], penetration: [0, 1e-4, 2e-4], energy: [0, 1, 2], force: [0, 1, 2] } as never,
              tracking: null,
              snapshots: [],
            }
          : {},
    })
  })
  const cursors = () =>
    opened.page
      .locator('svg[data-cursor] .cursor')
      .evaluateAll((lines) => lines.map((line) => [line.getAttribute('x1'), line.getAttribute('visibility')].join()))
  const time = async () => Number((await opened.page.locator('.time output').innerText()).match(/^t = (\S+) s$/)?.[1])

  test('all time series share one cursor: pointer, keys and slider move it', async () => {
    const { page } = opened
    const charts = page.locator('svg[data-cursor]')
    expect(await charts.count()).toBe(6)
    await charts.first().hover({ position: { x: 250, y: 60 } })
    const places = await cursors()
    expect(new Set(places).size).toBe(1)
    expect(places[0]).toContain('visible')
    // 62 units of margin on the left and 14 on the right of 540, for 2 s
    const box = await charts.first().boundingBox()
    const pointed = (2 * ((250 / (box?.width ?? 0)) * 540 - 62)) / (540 - 62 - 14)
    expect(Math.abs((await time()) - pointed)).toBeLessThan(0.01)

    await charts.nth(1).focus()
    const before = await time()
    await page.keyboard.press('ArrowRight')
    expect((await time()) - before).toBeCloseTo(2 / 200, 3)
    await page.keyboard.press('Home')
    expect(await time()).toBe(0)

    await page.locator('.time input').fill('1.5')
    expect(await time()).toBe(1.5)
    expect(new Set(await cursors()).size).toBe(1)
  })

  test('the readout has the values at the cursor, with units', async () => {
    const { page } = opened
    await page.locator('.time input').fill('1')
    const values = (await page.locator('.values').allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '))
    // penetration 1e-4 (1 + t) m, motion error dt t, energy error half of it, force 98.1 N, kinetic energy exp(-t), energy -t
    expect(values[0]).toContain('spring, 1 ms 0.2 mm')
    expect(values[1]).toContain('spring, 10 ms 1 %')
    expect(values[2]).toContain('spring, 10 ms 0.5 %')
    expect(values[3]).toContain('rigid, 1 ms 98.1 N')
    expect(values[4]).toContain('spring, 1 ms 0.368 J')
    expect(values[5]).toContain('spring, 1 ms \u22121 J')
  })

  test('a run that broke off is drawn to where it did, with a mark, and the readout says so', async () => {
    const { page } = opened
    const marks = page.locator('svg[data-series="force"] .broken')
    expect(await marks.count()).toBe(1)
    // broke off at 1 of 2 s: the middle of the chart
    const x = await marks.locator('circle').getAttribute('cx')
    expect(Number(x)).toBeCloseTo(62 + 0.5 * (540 - 62 - 14), 1)
    await page.locator('.time input').fill('1.8')
    expect(await page.locator('svg[data-series="force"] + .values').innerText()).toContain('bouncy, 10 ms broke off')
  })

  test('buttons hide and show the lines of a model in all charts, and of a step', async () => {
    const { page } = opened
    const shown = (id: string) => page.locator(`svg[data-cursor] [data-run="${id}"]`).first().isVisible()
    const [model] = await page.locator('.controls button[data-model="0"]').all()
    await model.click()
    expect(await model.getAttribute('aria-pressed')).toBe('false')
    expect([await shown('0-0'), await shown('0-1'), await shown('1-0')]).toEqual([false, false, true])
    expect(await page.locator('svg:not([data-cursor]) [data-run="0"]').first().isVisible()).toBe(false)
    await model.click()
    await page.locator('.controls button[data-step="1"]').click()
    expect([await shown('0-0'), await shown('0-1')]).toEqual([true, false])
    await page.locator('.controls button[data-step="1"]').click()
    expect(await shown('0-1')).toBe(true)
  })

  test('work-precision plots: one line a model, one point a step, the verdict ringed, the limit and the reference told', async () => {
    const { page } = opened
    const chart = page.locator('svg[aria-label^="Motion error against cost"]')
    expect(await chart.locator('polyline').count()).toBe(4) // three models and the slope of first order
    expect(await chart.locator('.mark').count()).toBe(5) // one run of six broke off
    expect(await chart.locator('.ring').count()).toBe(1)
    expect(await chart.locator('.limit').count()).toBe(1)
    const text = (await page.locator('section.robot').innerText()).replaceAll('\u00a0', ' ')
    expect(text).toContain("each model's own run at 0.0625 ms, a 16th of the smallest step")
  })

  test('the robot is drawn under every model at the same instant, the verdict first; a button takes another instant', async () => {
    const { page } = opened
    const moment = page.locator('.moment:not([hidden])')
    expect(await moment.count()).toBe(1)
    expect((await moment.locator('figcaption').allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual([
      'spring',
      'rigid',
      'bouncy',
    ])
    expect(await moment.locator('.robot-picture .contact').count()).toBe(12)
    // 20 + 25 + 25 + 28.1 N
    expect(await moment.locator('.loads td').first().innerText()).toContain('98.1')
    expect(await moment.locator('caption').innerText()).toContain('at 1\u00a0s') // deepest there
    await page.locator('.moments button').last().click()
    expect(await page.locator('.moment:not([hidden]) caption').innerText()).toContain('at 2\u00a0s')
  })

  test('the copy button says that it copied', async () => {
    const { page } = opened
    await page.locator('button.copy').click()
    await page.locator('button.copy', { hasText: /copied|selected/ }).waitFor({ timeout: 60_000 })
    expect(await page.evaluate('String(getSelection())')).toContain('npx featherbed')
  })

  test('is well formed: ids are unique, cells have headers, pictures are named, one main heading, parts are where HTML has them', async () => {
    const { page } = opened
    const faults = await page.evaluate(`(() => {
      const out = [];
      const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
      if (new Set(ids).size !== ids.length) out.push('ids');
      for (const e of document.querySelectorAll('[aria-labelledby]')) if (!document.getElementById(e.getAttribute('aria-labelledby'))) out.push('label ' + e.id);
      for (const e of document.querySelectorAll('th')) if (!e.getAttribute('scope')) out.push('scope ' + e.textContent);
      for (const e of document.querySelectorAll('svg')) if (!e.getAttribute('aria-label') && e.getAttribute('aria-hidden') !== 'true') out.push('svg');
      for (const e of document.querySelectorAll('p, span')) if (e.querySelector('div, p, ul, table, details')) out.push('block in ' + e.tagName);
      for (const e of document.querySelectorAll('tbody tr')) {
        const width = (row) => [...row.children].reduce((n, cell) => n + cell.colSpan, 0);
        const head = [...e.closest('table').querySelectorAll('thead tr')].at(-1);
        if (head && width(head) !== width(e)) out.push('columns of ' + e.textContent);
      }
      for (const e of document.querySelectorAll('input, button')) if (!e.textContent && !document.querySelector('label[for="' + e.id + '"]')) out.push('unnamed ' + e.outerHTML);
      for (const name of ['h1', 'main', 'header', 'footer']) if (document.querySelectorAll('body > ' + name + ', header > h1').length === 0) out.push(name);
      if (document.querySelectorAll('h1').length !== 1 || document.documentElement.lang !== 'en') out.push('heading or language');
      return out;
    })()`)
    expect(faults).toEqual([])
  })

  test('printed, everything is unfolded and controls are gone', async () => {
    const { page } = opened
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.length).toBeGreaterThan(20_000)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    expect(await page.locator('details:not([open])').count()).toBe(0)
    for (const part of ['.time', 'button.copy', '.moments']) expect(await page.locator(part).isVisible()).toBe(false)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    await page.evaluate('dispatchEvent(new Event("afterprint"))')
    expect(await page.locator('details:not([open])').count()).toBeGreaterThan(0)
    await page.emulateMedia({ media: 'screen' })
  })

  test('ran without a complaint to the end', () => expect(opened.complaints).toEqual([]))
})

test('twelve models at six steps: told apart by colour and marker, one step shown at first, below 3 MB', async () => {
  const models = Array.from({ length: 12 }, (_, m) => `model ${m}`)
  const wanted = made({ models, steps: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2] })
  const html = reportOf(wanted.results, wanted.plots, 'x')
  expect(html.length).toBeLessThan(3e6)
  const { page, complaints } = await open(wanted, 390)
  const looks = await page
    .locator('section.robot .legend button[data-model]:has(svg g)')
    .evaluateAll((buttons) => buttons.map((button) => button.querySelector('g')?.outerHTML))
  expect(new Set(looks).size).toBe(12)
  expect(await page.locator('.controls button[data-step][aria-pressed="true"]').count()).toBe(1)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(complaints).toEqual([])
  await page.close()
})

describe('charts', () => {
  test('have round ticks', () => {
    expect(ticksOf({ label: '', log: false, range: [0, 5] })).toEqual([0, 1, 2, 3, 4, 5])
    expect(ticksOf({ label: '', log: true, range: [1e-3, 1] })).toEqual([1e-3, 1e-2, 1e-1, 1])
    expect(ticksOf({ label: '', log: true, range: [0.5, 20] })).toEqual([0.5, 1, 2, 5, 10, 20])
    expect(tickLabel(0.001)).toBe('0.001')
    expect(tickLabel(1e-5)).toContain('10<tspan')
  })
  test('end logarithmic axes on 1, 2 or 5 times a decade around what is positive and finite', () => {
    expect(logRange([0, 3e-4, Number.NaN, 0.2, Infinity], 1e-9)).toEqual([2e-4, 0.5])
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
  test('keep peaks when points are left out', () => {
    const t = Array.from({ length: 10_000 }, (_, i) => i)
    const y = t.map((i) => (i === 4321 ? 7 : Math.sin(i / 1000)))
    const thin = thinned({ t, y }, 100)
    expect(thin.t).toHaveLength(100)
    expect(Math.max(...thin.y)).toBe(7)
    expect([thin.t[0], thin.t[99]]).toEqual([0, 9999])
  })
})

test('the median of an even number is midway', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([5, 1, 3])).toBe(3)
})

test('embedded data cannot end the script that holds it', () => {
  const text = scriptJson({ name: '</script><script>alert(1)</script>' })
  expect(text).not.toContain('</script')
  expect(JSON.parse(text)).toEqual({ name: '</script><script>alert(1)</script>' })
})
