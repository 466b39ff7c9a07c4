import { expect, test } from 'vitest'
import { made, pageOf } from './reportFixtures.ts'

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const sectionOf = (wanted: Parameters<typeof made>[0]) => {
  const [section] = /<details[^>]*><summary>Which solvers answered.*?<\/details>/s.exec(pageOf(made(wanted), 'featherbed')) ?? [
    '',
  ]
  return section
}

test('the report shows each chain in its order, what was asked where another failed, and the sum over seeds', () => {
  const section = sectionOf({
    seeds: [1, 2],
    steps: [1e-3],
    change: (model) =>
      model === 'rigid'
        ? {
            solvers: [
              { name: 'newton', solved: 990, failed: 10 },
              { name: 'lemke', solved: 10, failed: 0 },
              { name: 'dantzig', solved: 0, failed: 0 },
              { name: 'projection/lemke', solved: 4, failed: 0 },
            ],
          }
        : {},
  })
  expect(section).toContain('<details class="card" open>')
  const rows = [...section.matchAll(/<tr.*?<\/tr>/g)].map(([row]) => textOf(row).trim())
  expect(rows.slice(1)).toEqual([
    'rigid 1 ms newton first 1980 20',
    'lemke where newton failed 20 0',
    'dantzig where lemke failed not asked',
    'projection/lemke first 8 0',
  ])
})

test('models that solve nothing have no such section', () => {
  expect(sectionOf({})).toBe('')
})

test('saved problems are named by the command that solves them again', () => {
  const text = textOf(
    sectionOf({
      models: ['rigid'],
      steps: [1e-3],
      change: () => ({
        solvers: [{ name: 'lemke', solved: 9, failed: 2 }],
        problems: [
          { step: 7, t: 0.007, reason: 'failure', file: 'problem-0-7.json' },
          { step: 9, t: 0.009, reason: 'fallback', file: null },
        ],
      }),
    }),
  ).replaceAll('\u00a0', ' ')
  expect(text).toContain('rigid at 1 ms step 7, t = 0.007 s: no solver answered; featherbed solve problem-0-7.json')
  expect(text).toContain('step 9, t = 0.009 s: the first answer of a fallback; not saved: there was no folder for results')
})
