import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { allClaims, kindOf, limitOf, type Measured, orderOf, problemOf, rowOf } from '../cases/convergence.ts'
import { contactModelNames } from '../contact/index.ts'
import { drawContactModels } from '../scripts/drawContactModels.ts'
import { agrees, deviations, missOf } from './caseDeviations.ts'
import { makeWorld, sphere } from './contact/laws/scenes.ts'
import { claims as otherClaims } from './contact/models/claims.ts'
import { full } from './dailyModels.ts'
import { slow } from './slowCases.ts'

const all = await allClaims()
const claims = full ? all : all.filter(({ file }) => !slow.some((name) => file.endsWith(`${name}.yaml`)))

for (const claim of claims) {
  describe(`${claim.name}: exact or of first order, or as the case says of a model`, () => {
    for (const model of contactModelNames)
      test(model, async () => {
        expect((await rowOf(claim, model)).problem).toBeUndefined()
      })
  })
}

test('docs/closed-forms.md has all of them; npm run bench -- forms writes it', () => {
  expect(docs('closed-forms.md')).toContain(`\n${all.length} motions and loads`)
})

test('names of cases are there once, and exceptions are of measures that exist, each model once', async () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  for (const { file, scene } of all) {
    const names = all.filter((claim) => claim.file === file).map(({ name }) => name)
    const entries = scene.except.flatMap(({ models, of }) =>
      (of === undefined ? names : [of]).flatMap((name) => models.map((model) => `${name}, ${model}`)),
    )
    expect(entries.filter((entry, i) => entries.indexOf(entry) !== i || !names.some((name) => entry.startsWith(name)))).toEqual(
      [],
    )
  }
})

describe('the order of convergence', () => {
  const of = (...values: [number, number, number]): Measured => ({
    claim: { name: 'a case' },
    model: 'ncp',
    steps: [4, 2, 1],
    exact: 2,
    scale: 2,
    values,
    errors: values.map((value) => (value - 2) / 2) as [number, number, number],
    orders: [0, 0],
  })

  test('is 1 and 2 where errors fall twofold and fourfold a halving of the step, and 1/2 where by its root', () => {
    expect(orderOf(of(2.4, 2.2, 2.1))).toBeCloseTo(1, 12)
    expect(orderOf(of(3.6, 2.4, 2.1))).toBeCloseTo(2, 12)
    expect(kindOf(of(2.4, 2.2, 2.1))).toBe('first')
    expect(kindOf(of(2.4, 2 + 0.4 / Math.SQRT2, 2.2))).toBe('half')
    expect(kindOf(of(2.4, 2.4, 2.4))).toBe('limit')
    expect(kindOf(of(2 + 1e-9, 2 - 1e-9, 2))).toBe('exact')
  })

  test('of values that tend elsewhere the limit is the end of their geometric series', () => {
    expect(limitOf([3 + 0.4, 3 + 0.2, 3 + 0.1])).toBeCloseTo(3, 12)
    expect(limitOf([3, 3, 3])).toBe(3)
  })

  test('what is better or worse than known is a problem', () => {
    const limit = { tendsTo: 3 }
    expect(problemOf(of(3, 3, 3), undefined)).toContain('neither exact nor of first order')
    expect(problemOf(of(3, 3, 3), limit)).toBeUndefined()
    expect(problemOf(of(2, 2, 2), limit)).toContain('tends to')
    expect(problemOf(of(2, 2, 2), undefined)).toBeUndefined()
    expect(problemOf(of(2, 2, 2), { fails: true })).toContain('no longer fails')
    expect(problemOf({ ...of(2, 2, 2), failure: 'it broke' }, limit)).toContain('it broke')
  })
})

const docs = (file: string) => readFileSync(fileURLToPath(new URL(`../docs/${file}`, import.meta.url)), 'utf8')
const page = docs('contact-models.md')
const names: readonly string[] = contactModelNames
const departures = await deviations()

/** Cells of the lines of a table, from the heading above it to the next. */
function rowsUnder(text: string, heading: string): string[][] {
  const [, section] = text.split(`${heading}\n`)
  const lines = section
    .split('\n#')[0]
    .split('\n')
    .filter((line) => line.startsWith('| '))
  return lines.slice(2).map((line) =>
    line
      .replaceAll('\\|', '¦')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('¦', '|')),
  )
}

describe('docs/contact-models.md', () => {
  for (const deviation of departures) {
    describe(`${deviation.effect} ${deviation.figure}`, () => {
      for (const model of deviation.models)
        test(model, async () => {
          expect(await missOf(deviation, model)).toBeUndefined()
        })
    })
  }

  for (const { models, effect, figure, measure, expected, within = 1e-4 } of otherClaims) {
    test(`${models.join(', ')}: ${effect} ${figure}`, () => {
      for (const model of models) {
        const value = measure(model)
        expect(agrees(value, figure), `${value} is shown as ${figure}`).toBe(true)
        if (expected !== undefined)
          expect(Math.abs(value / expected - 1), `${model}: ${value}, not ${expected}`).toBeLessThan(within)
      }
    })
  }

  test('its table of deviations is these tests, with their formulas and figures', () => {
    const rows = [...departures, ...otherClaims].map(({ models, effect, formula, figure }) => [
      models.map((model) => `\`${model}\``).join(', '),
      effect,
      formula,
      figure,
    ])
    expect(rowsUnder(page, '## Deviations').sort()).toEqual(rows.sort())
  })

  test('what its text says with a number and a unit stands in that table', () => {
    const [text, table] = page.split('## Deviations')
    for (const [figure] of text.matchAll(/\d[\d.]* (?:[mµn]?m(?:\/s)?|%|ms|rad\/s)(?![\w/])/g)) expect(table).toContain(figure)
  })

  test('it has each model, a section, a picture and a row', () => {
    expect(rowsUnder(page, '# Contact models on one page').map(([model]) => model)).toEqual(names.map((name) => `\`${name}\``))
    for (const name of names)
      expect(page).toContain(`\n## \`${name}\`\n\n![${name}: normal law and friction](images/model-${name}.svg)\n`)
  })

  test('the softness of its first table is the default compliance', () => {
    for (const [name, , , , softness] of rowsUnder(page, '# Contact models on one page')) {
      if (!Number.isFinite(Number(softness))) continue
      const model = name.slice(1, -1)
      const { used } = makeWorld({ robot: sphere(0.1), model }).contactModel.parameters
      expect(used.find((parameter) => parameter.name === 'compliance')?.value, model).toBe(Number(softness))
    }
  })

  test('its costs are those of a plate on 64 feet in docs/results.md, over that of penalty', () => {
    const [, table] = docs('results.md').split('**One plate.**')
    const cost = (name: string) => {
      const row = new RegExp(`^\\| \`${name}\` \\|(.*)\\|$`, 'm').exec(table.split('**Separate boxes**')[0])
      return row === null ? Number.NaN : Number(row[1].split('|')[4])
    }
    for (const [name, ...cells] of rowsUnder(page, '# Contact models on one page')) {
      const ratio = cost(name.slice(1, -1)) / cost('penalty')
      expect(cells[cells.length - 1], name).toBe(Number.isNaN(ratio) ? '-' : ratio.toFixed(1))
    }
  })

  test('its pictures are those that scripts/drawContactModels.ts draws', () => {
    const pictures = drawContactModels()
    expect(Object.keys(pictures).sort()).toEqual([...names].sort())
    for (const [name, svg] of Object.entries(pictures)) expect(docs(`images/model-${name}.svg`)).toBe(svg)
  })
})
