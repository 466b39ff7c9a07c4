import { expect, test } from 'vitest'
import { checkSweep } from '../../compare/scenario/index.ts'
import { drawOf, normalQuantile, sample } from '../../compare/scenario/sampling.ts'

const sampleOf = (fields: object) => sample.parseAsync(fields)
const unit = { from: 0, to: 1 }
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, k) => [`f${10 + k}`, unit]))
const drawsOf = async (fields: { count: number; over: object; method?: string; seed?: number }) => {
  const own = await sampleOf(fields)
  return Array.from({ length: fields.count }, (_, i) => Object.values(drawOf(own, i)) as number[])
}

test('every 2^k draws of Sobol in a row fill all intervals of 2^-k in each dimension once', async () => {
  const draws = await drawsOf({ count: 4096, over: names(21) })
  for (const k of [3, 6, 10, 12])
    for (let first = 0; first + 2 ** k <= 4096; first += 2 ** k)
      for (let d = 0; d < 21; d++)
        expect(new Set(draws.slice(first, first + 2 ** k).map((u) => Math.floor(u[d] * 2 ** k))).size).toBe(2 ** k)
})

test('differences of draws of Sobol are those of the published sequence', async () => {
  // scipy 1.17.1: qmc.Sobol(21, scramble=False, bits=32), points 5 and 100, times 2^32, dimensions 2, 9, 15 and 21
  const published: readonly (readonly [number, readonly (readonly [number, number])[]])[] = [
    [
      5,
      [
        [1, 3758096384],
        [8, 1610612736],
        [14, 3758096384],
        [20, 2684354560],
      ],
    ],
    [
      100,
      [
        [1, 1107296256],
        [8, 2717908992],
        [14, 1375731712],
        [20, 3254779904],
      ],
    ],
  ]
  const draws = await drawsOf({ count: 101, over: names(21) })
  const bits = (u: number) => Math.floor(u * 2 ** 32)
  // the random shift is the same digits for all points
  for (const [point, values] of published)
    for (const [d, x] of values) expect((bits(draws[point][d]) ^ bits(draws[0][d])) >>> 0).toBe(x)
})

test('a Latin hypercube has one draw in each of its rows, and other seeds are other sets', async () => {
  const [a, b] = [
    await drawsOf({ method: 'latin-hypercube', count: 1000, over: names(3) }),
    await drawsOf({ method: 'latin-hypercube', count: 1000, seed: 2, over: names(3) }),
  ]
  for (const draws of [a, b])
    for (let d = 0; d < 3; d++) expect(new Set(draws.map((u) => Math.floor(u[d] * 1000))).size).toBe(1000)
  expect(a).not.toEqual(b)
  const [x, y] = [0, 1].map((d) => a.map((u) => u[d] - 0.5))
  // of independent columns it is below 4 / sqrt(1000) in all but one of 16,000 sets
  expect(Math.abs(x.reduce((sum, v, i) => sum + v * y[i], 0) / 1000) * 12).toBeLessThan(4 / Math.sqrt(1000))
})

test('distributions have their means and spreads', async () => {
  const draws = await drawsOf({
    count: 4096,
    over: { normal: { mean: 2, sd: 0.5 }, log: { from: 0.01, to: 100, scale: 'log' }, some: { values: [1, 5] } },
  })
  const mean = (values: number[]) => values.reduce((a, b) => a + b) / values.length
  const [log, normal, some] = [0, 1, 2].map((d) => draws.map((own) => own[d]))
  expect(mean(normal)).toBeCloseTo(2, 3)
  expect(mean(normal.map((x) => (x - 2) ** 2))).toBeCloseTo(0.25, 2)
  expect(mean(log.map((x) => Math.log10(x)))).toBeCloseTo(0, 3)
  expect(mean(log.map((x) => Math.log10(x) ** 2))).toBeCloseTo(4 / 3, 2)
  expect(mean(some)).toBe(3)
})

test('the quantile of the normal distribution is that of tables to 1e-6', () => {
  // Abramowitz and Stegun, table 26.5
  for (const [p, x] of [
    [0.5, 0],
    [0.6, 0.25335],
    [0.9, 1.28155],
    [0.975, 1.95996],
    [0.999, 3.09023],
    [1 - 1e-6, 4.75342],
  ] as const) {
    expect(normalQuantile(p)).toBeCloseTo(x, 5)
    expect(normalQuantile(1 - p)).toBeCloseTo(-x, 5)
  }
})

const cart = { robot: 'diffdrive', models: ['ncp', { name: 'penalty' }], dt: [1e-3] }

test('each of any number of combinations is made by itself, draws outermost', async () => {
  const sweep = { 'physical.friction': [0.2, 0.5], 'models.penalty.lambda': [0.8, 0.9, 0.95] }
  const combinations = await checkSweep({ ...cart, sweep, sample: { count: 1e6, over: { 'vary.mass': { from: 0.5, to: 2 } } } })
  expect(combinations.count).toBe(1e6 * 2 * (1 + 3))
  const { values, scenario } = await combinations.at(7_654_321)
  expect(scenario.models.map(({ name }) => name)).toEqual(['penalty'])
  expect(scenario.physical.friction).toBe(values['physical.friction'])
  expect(scenario.vary?.mass).toBe(values['vary.mass'])
  expect((await combinations.at(7_654_321)).values).toEqual(values)
  const all = Array.from({ length: 8 }, (_, i) => JSON.stringify(combinations.entry(i)))
  expect(new Set(all).size).toBe(8)
})

test.each([
  [{ sample: { count: 0, over: { 'vary.mass': unit } } }, 'from 1 up'],
  [{ sample: { count: 5, over: { 'vary.mas': unit } } }, 'Did you mean'],
  [{ sample: { count: 5, over: { 'vary.mass': { from: 2, to: 1 } } } }, 'from below to'],
  [{ sample: { count: 5, over: { 'vary.mass': { from: 0, to: 1, scale: 'log' } } } }, 'above 0'],
  [{ sample: { count: 5, over: { 'vary.mass': { from: -1, to: 1 } } } }, 'expected more than 0'],
  [{ sample: { count: 5, over: { 'vary.mass': unit } }, sweep: { 'vary.mass': [1] } }, 'leave one out'],
  [{ sample: { count: 5, over: {} } }, '1 to 21 fields'],
  [{ decide: { success: 0.9 } }, 'states no success'],
])('wrong: %j', async (fields, words) => {
  await expect(checkSweep({ ...cart, ...fields } as never)).rejects.toThrow(words)
})
