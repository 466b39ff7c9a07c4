/** The report, opened in a browser as its reader does. */
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { compare } from '../../compare/judge/compare.ts'
import { median } from '../../compare/measure/statistics.ts'
import { scriptJson } from '../../compare/report/html.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { builtViewer, type OpenPage } from '../browser/builtViewer.ts'
import { dailyModels } from '../dailyModels.ts'
import { temporaryFolder } from './command.ts'
import { type Made, made, missing, pageOf, type Wanted } from './reportFixtures.ts'

const folder = temporaryFolder()
const viewer = builtViewer()

let pages = 0
/** Opens a report, whose scenes are drawn only if it is said. */
function open(wanted: Made, { width = 1280, draws = false } = {}): Promise<OpenPage> {
  const file = folder.write(`report-${pages++}.html`, pageOf(wanted, "npx featherbed compare 'a <b>'"))
  return viewer.openAddress(pathToFileURL(file).href + (draws ? '' : '?quality=none'), { width, height: 800 })
}
const openMade = (wanted: Wanted, options?: Parameters<typeof open>[1]) => open(made(wanted), options)

describe('of a real comparison', () => {
  let opened: OpenPage
  beforeAll(async () => {
    const scenario = await checkScenario({ robots: ['diffdrive'], duration: 0.3, models: dailyModels })
    opened = await open(await compare(scenario, { threads: 0 }), { width: 390, draws: true })
  })

  test('opens without a complaint and asks for nothing but itself', () => {
    expect(opened.problems).toEqual([])
    expect(opened.requests).toHaveLength(1)
  })

  test('has the verdict before everything else', async () => {
    const top = (selector: string) => opened.page.locator(selector).first().boundingBox()
    const [verdict, replay] = [await top('.verdict'), await top('.replay')]
    expect((verdict?.y ?? Infinity) + (verdict?.height ?? 0)).toBeLessThan(Math.min(800, replay?.y ?? 0))
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
              missed: [missing('failed', null)],
            }
          : dt > 5e-3
            ? { missed: [missing('tracking', 0.037, 'has a motion error of 3.7 % (limit 1 %)')] }
            : {},
    })
    const text = (await page.locator('.verdict').innerText()).replaceAll('\u00a0', ' ')
    expect(text).toContain('Use spring at a step of 1 ms.')
    expect(text).toContain('cart (10 kg, 2 moving joints, floating base)')
    expect(text).toContain('3 contact models at 1 ms and 10 ms for 2 s')
    const figures = await page.locator('table.figures tbody tr').allInnerTexts()
    // spring costs 1e-5 / 1e-3 s = 10 ms, rigid twice that
    expect(figures.map((row) => row.replaceAll(/\s+/g, ' ').replace(/ \u00b1.*/, ''))).toEqual([
      'spring at 1 ms 0.4 mm 0.1 % 0.05 % 10 ms',
      'runner-up: rigid at 1 ms 0.4 mm 0.1 % 0.05 % 20 ms',
    ])
    await page.locator('details.fallen summary').click()
    const fallen = (await page.locator('details.fallen').innerText()).replaceAll('\u00a0', ' ')
    expect(fallen).toContain('4 of 6 pairs are out: broke off 2, motion error 2')
    expect(fallen).toContain('rigid at 10 ms: has a motion error of 3.7 % (limit 1 %)')
    expect(fallen).toContain('bouncy at 1 ms: broke off (step 7 at t = 0.007 s: q is not finite)')
  })

  test('where nothing fits it says so, and what comes closest', async () => {
    const { page } = await openMade({
      verdict: null,
      sentence: 'cart: no pair of model and step keeps the laws and the limits; closest comes rigid at 1 ms, which is off.',
      change: (model, dt) => ({ missed: [missing('energy', model === 'rigid' && dt < 5e-3 ? 0.02 : 0.5, 'energy error')] }),
    })
    const text = (await page.locator('.verdict.none').innerText()).replaceAll('\u00a0', ' ')
    expect(text).toContain('Nothing fits')
    expect(text).toContain('No pair of model and step keeps the laws and the limits; closest comes rigid at 1 ms, which is off.')
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
        missed: values[seed - 1] > 1e-3 ? [missing('penetration', values[seed - 1])] : [],
      }),
    })
    const row = page.locator('.main-table tbody tr')
    expect(await row.locator('td').nth(1).innerText()).toBe('3')
    expect(await row.locator('td.missed .figure').textContent()).toBe('0.9 over the limit')
    expect(await row.locator('td.missed .range').innerText()).toBe('0.3 to 1.2')
    expect(await row.locator('td').nth(2).innerText()).toContain('out: penetration (1 of 3)')
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
      '1 contact model at a step of 1 ms for 2 s, over 2 variants of the world',
    )
    expect(await page.locator('.wide-table').textContent()).toContain('physical.friction 0.8')
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
                missed: [missing('failed', null)],
              }
            : { metrics: metrics && { ...metrics, fallbacks: 12, solverFailures: 3 }, solverFailure: 'ended on a ray' },
    })
    const rows = page.locator('.main-table tbody tr')
    expect(await rows.nth(2).innerText()).toContain('3 solver failures, 12 steps by fallback')
    expect(await rows.nth(3).locator('.tag.failed').innerText()).toBe('failed')
    const reasons = (await page.locator('.failures').first().innerText()).replaceAll('\u00a0', ' ')
    expect(reasons).toContain('rigid at 10 ms broke off: the state is not finite')
    expect(reasons).toContain('rigid at 1 ms solver: ended on a ray')
    const red = await page
      .locator('.failures')
      .first()
      .evaluate((list) => getComputedStyle(list).color)
    const [r, g, b] = (red.match(/\d+/g) ?? []).map(Number)
    expect(r).toBeGreaterThan(2 * Math.max(g, b))
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
    const own = page.locator('details:not(.nest)', { hasText: 'spring: 2 parameters' }).locator('tbody tr')
    expect(await own.nth(0).locator('td').first().getAttribute('colspan')).toBe('2')
    expect(await own.nth(1).locator('td').allInnerTexts()).toEqual(['1000 N/m', '100 N/m', 'derived', 'spring of one pair'])
    expect(await page.locator('.command code').innerText()).toBe("npx featherbed compare 'a <b>'")
    const facts = await page.locator('dl.facts').innerText()
    for (const fact of ['9.8.7', 'Abacus', 'v20.0.0', '4, 5']) expect(facts).toContain(fact)
  })

  test('names are text, whatever is in them, and nothing is asked of any server', async () => {
    const evil = '</script><img src=x onerror=alert(1)>"\'&'
    const wanted = made({
      robot: evil,
      models: [evil, `${evil}2`],
      change: () => ({ controllerMetrics: { [evil]: 1 }, solverFailure: evil }),
    })
    const html = pageOf(wanted, evil)
    expect(html).not.toMatch(/(src|href|action|data|poster)\s*=\s*["']?(https?:)?\/\//i)
    expect(html).not.toMatch(/url\(\s*["']?(https?:)?\/\/|@import/i)
    const { page, problems, requests } = await open(wanted)
    expect(problems).toEqual([])
    expect(requests).toHaveLength(1)
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator('h1').innerText()).toBe(evil)
    expect(await page.locator('.main-table tbody th').first().innerText()).toBe(evil)
  })

  test('does without replays, series and errors', async () => {
    const { page, problems } = await openMade({
      plotsOf: () => ({ replay: undefined, series: null, tracking: null }),
      change: () => ({
        parameters: null,
        metrics: null,
        error: null,
        cost: null,
        missed: [missing('failed', null)],
        status: 'failed',
        failure: 'no such file',
      }),
      verdict: null,
    })
    expect(problems).toEqual([])
    expect(await page.locator('.verdict').innerText()).toContain('No verdict: every run broke off.')
  })
})

describe('laws and agreement', () => {
  test('broken laws are red with their sentence', async () => {
    const { page } = await openMade({
      change: (model, dt) => ({
        laws: [
          { law: 'energyGain', value: model === 'spring' && dt > 5e-3 ? 3.4 : 0.001, limit: 0.01 },
          { law: 'loopOpening', value: null, limit: 1e-3 },
        ],
      }),
    })
    const laws = page.locator('details.laws')
    expect((await laws.locator('summary').innerText()).trim()).toBe('Laws of mechanics and contact: 1 pair of 4 breaks a law')
    await laws.locator('summary').click()
    const sentence = (await laws.locator('.failures').innerText()).replaceAll('\u00a0', ' ')
    expect(sentence).toBe('spring at 10 ms gains 340 % of its energy (limit 1 %)')
    // a law without meaning has no column
    expect(await laws.locator('thead th').count()).toBe(3)
    expect(await laws.locator('td.broken').allInnerTexts()).toEqual(['340\u00a0%'])
  })

  test('camps are named, and the heat map has those who agree beside each other', async () => {
    const { page } = await openMade({
      models: ['a', 'b', 'c'],
      verdict: null,
      state: 'undecided',
      truths: [
        {
          kind: 'split',
          models: ['a', 'b', 'c'],
          motion: [
            [0, 0.5, 0.001],
            [0.5, 0, 0.5],
            [0.001, 0.5, 0],
          ],
          energy: [],
          atSteps: [],
          indeterminate: null,
          loadShares: [],
          camps: [
            { models: ['a', 'c'], families: ['x'], kinds: ['rigid'] },
            { models: ['b'], families: ['y'], kinds: ['compliant'] },
          ],
          abstaining: [],
          parting: { t: 0.25, a: 'a', b: 'b', quantity: 'base position', distance: 0.5, moved: null },
        },
      ],
    })
    expect(await page.locator('.verdict .choice').innerText()).toContain('Undecided')
    expect(await page.locator('ol.camps li').allInnerTexts()).toEqual(['a and c (rigid)', 'b (compliant)'])
    expect(await page.locator('table.matrix tbody th').allInnerTexts()).toEqual(['a', 'c', 'b'])
    expect(await page.locator('table.matrix td.broken').count()).toBe(4)
    // one of each camp is played
    const cast = await page.locator('.cast .chip').allInnerTexts()
    expect(cast.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual(['a, 1 ms camp 1 \u00d7', 'b, 1 ms camp 2 \u00d7'])
  })
})

describe('what it shows', () => {
  let opened: OpenPage
  beforeAll(async () => {
    opened = await openMade(
      {
        models: ['spring', 'rigid', 'bouncy'],
        change: (model, dt) =>
          model === 'bouncy' && dt > 5e-3
            ? { status: 'failed', failure: 'fell over', error: null, cost: null, missed: [missing('failed', null)] }
            : {},
        plotsOf: (model, dt) =>
          model === 'bouncy' && dt > 5e-3
            ? {
                series: { t: [0, 0.5, 1], penetration: [0, 1e-4, 2e-4], energy: [0, 1, 2], force: [0, 1, 2] } as never,
                tracking: null,
              }
            : {},
      },
      { draws: true },
    )
  })
  const show = async (name: string) => {
    await opened.page.locator('.cast select').selectOption({ label: name })
    await opened.page.locator('.over-time figure').first().waitFor()
  }

  test('charts have the values at the cursor, with units; lines that coincide are one', async () => {
    const { page } = opened
    await page.locator('.transport input[type=range]').fill('1')
    await page.locator('.cast .chip', { hasText: 'rigid, 10 ms' }).getByRole('button').click()
    await page.locator('.cast select').selectOption('2')
    await page.locator('.over-time .values', { hasText: '=' }).first().waitFor()
    const values = (await page.locator('.over-time .values').allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '))
    // penetration 1e-4 (1 + t) m, motion error dt t, energy -t, force 98.1 N; to three digits of the nearest 240th
    expect(values[0]).toMatch(/^spring, 1 ms (= .* ms )?0\.(199|2|201) mm$/)
    expect(values[1]).toMatch(/^spring, 1 ms (= .* ms )?0\.(09\d\d|1\d*) %$/)
    expect(values[2]).toMatch(/^spring, 1 ms (= .* ms )?\u2212(0\.99\d?|1|1\.01) J$/)
    expect(values[3]).toMatch(/^spring, 1 ms (= .* ms )?98(\.\d)? N$/)
  })

  test('a run that broke off says so after its end', async () => {
    const { page } = opened
    await show('bouncy')
    await page.locator('.transport input[type=range]').fill('1.8')
    await page.locator('.over-time .values', { hasText: 'bouncy, 1 ms' }).first().waitFor()
    await page.locator('.cast select').selectOption({ value: '5' })
    await page.locator('.over-time .values', { hasText: 'bouncy, 10 ms broke off' }).first().waitFor()
    expect(await page.locator('.cast .chip', { hasText: 'bouncy, 10 ms' }).innerText()).toContain('broke off')
  })

  test('what accuracy costs: a mark is read where one points at it', async () => {
    const { page } = opened
    const chart = page.locator('.work-precision figure').nth(1)
    await chart.scrollIntoViewIfNeeded()
    expect(await chart.locator('figcaption').innerText()).toBe('Motion error [%]')
    const read = await chart.locator('.mark title').first().textContent()
    expect(read).toMatch(/ms: .* % for .* s a simulated second/)
  })

  test('the copy button says that it copied', async () => {
    const { page } = opened
    await page.locator('button.copy').first().click()
    await page.locator('button.copy', { hasText: /copied|Ctrl/ }).waitFor()
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
      for (const e of document.querySelectorAll('input, button, select')) if (!e.textContent && !e.ariaLabel && !e.closest('label')) out.push('unnamed ' + e.outerHTML);
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
    for (const part of ['.transport', 'button.copy']) expect(await page.locator(part).first().isVisible()).toBe(false)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    await page.evaluate('dispatchEvent(new Event("afterprint"))')
    expect(await page.locator('details:not([open])').count()).toBeGreaterThan(0)
    await page.emulateMedia({ media: 'screen' })
  })

  test('ran without a complaint to the end', () => expect(opened.problems).toEqual([]))
})

test('twelve models at six steps stay below 3 MB and fit a narrow screen', async () => {
  const models = Array.from({ length: 12 }, (_, m) => `model ${m}`)
  const wanted = made({ models, steps: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2] })
  expect(pageOf(wanted, 'x').length).toBeLessThan(3e6)
  const { page, problems } = await open(wanted, { width: 390 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(await page.locator('.wider:visible').count()).toBeGreaterThan(0)
  expect(problems).toEqual([])
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
