import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { contactModels } from '../../../contact/index.ts'
import { drawContactModels } from '../../../scripts/drawContactModels.ts'
import { makeWorld, sphere } from '../laws/scenes.ts'
import { claims } from './claims.ts'

const docs = (file: string) => readFileSync(fileURLToPath(new URL(`../../../docs/${file}`, import.meta.url)), 'utf8')
const page = docs('contact-models.md')
const names = Object.keys(contactModels)

const units: Readonly<Record<string, number>> = {
  m: 1,
  mm: 1e-3,
  µm: 1e-6,
  nm: 1e-9,
  'mm/s': 1e-3,
  'µm/s': 1e-6,
  'nm/s': 1e-9,
  '%': 1e-2,
  '': 1,
}

/** Whether a value is, to the last digit, what stands on the page. */
function expectFigure(value: number, figure: string): void {
  const [, sign, digits, unit] = /^([<>] )?(-?[\d.]+) ?(.*)$/.exec(figure) as RegExpExecArray
  const shown = value / units[unit]
  if (sign === '< ') expect(shown).toBeLessThan(Number(digits))
  else if (sign === '> ') expect(shown).toBeGreaterThan(Number(digits))
  else {
    const decimals = digits.includes('.') ? digits.length - digits.indexOf('.') - 1 : 0
    expect(Math.abs(shown - Number(digits)), `${shown} is shown as ${figure}`).toBeLessThan(0.5001 * 10 ** -decimals)
  }
}

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
  for (const { models, effect, figure, measure, expected, within = 1e-4 } of claims) {
    test(`${models.join(', ')}: ${effect} ${figure}`, () => {
      for (const model of models) {
        const value = measure(model)
        expectFigure(value, figure)
        if (expected !== undefined)
          expect(Math.abs(value / expected - 1), `${model}: ${value}, not ${expected}`).toBeLessThan(within)
      }
    })
  }

  test('its table of deviations is these tests, with their formulas and figures', () => {
    const rows = claims.map(({ models, effect, formula, figure }) => [
      models.map((model) => `\`${model}\``).join(', '),
      effect,
      formula,
      figure,
    ])
    expect(rowsUnder(page, '## Deviations')).toEqual(rows)
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
