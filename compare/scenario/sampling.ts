/** Draws of a `sample`: values of fields from distributions, by Sobol's sequence, Latin hypercube or at random; draw i by itself. */
import * as z from 'zod'
import { byName, expected, fields, oneOf, quantity, wholeNumber } from './fields.ts'
import { Random } from './world/random.ts'

/** Dimensions of the table of direction numbers. */
const MOST_FIELDS = 21
const mostDraws = 10_000_000

const number = quantity('number')
const ends = { from: number, to: number }
const rising = [
  ({ from, to }: { from?: number; to?: number }) => from === undefined || to === undefined || from < to,
  'expected from below to',
] as const

const distribution = z.union(
  [
    fields({ ...ends, scale: oneOf(['linear', 'log']).default('linear') })
      .refine(...rising)
      .refine(({ from, scale }) => scale === 'linear' || from > 0, 'of scale log expected from above 0'),
    fields({ mean: number, sd: quantity('number', { above: 0 }), from: number.optional(), to: number.optional() }).refine(
      ...rising,
    ),
    fields({ values: z.array(z.unknown()).min(1, 'is empty') }),
  ],
  expected('{from, to}, {from, to, scale: log}, {mean, sd}, or {values: [...]}, as numbers in SI units'),
)
export type Distribution = z.output<typeof distribution>

export const sample = fields({
  method: oneOf(['sobol', 'latin-hypercube', 'random']).default('sobol'),
  count: wholeNumber(1, mostDraws).describe('how many draws'),
  seed: wholeNumber(0).default(1).describe('of the draws'),
  over: byName('FIELD.FIELD', distribution).refine((over) => {
    const { length } = Object.keys(over)
    return length > 0 && length <= MOST_FIELDS
  }, `expected 1 to ${MOST_FIELDS} fields`),
})
export type Sample = z.output<typeof sample>

/** The values of draw i, by field. Independent of all other draws, so that any machine can make it. */
export function drawOf({ method, count, seed, over }: Sample, i: number): Record<string, unknown> {
  // checked one beside the other, fields come in any order
  const paths = Object.keys(over).toSorted()
  return Object.fromEntries(
    paths.map((path, k) => {
      const own = new Random(seed, i * paths.length + k + 1).next()
      const u =
        method === 'random' ? own : method === 'sobol' ? shiftedSobol(seed, i, k) : (permuted(seed, k, count, i) + own) / count
      return [path, valueAt(over[path], Math.min(Math.max(u, 2 ** -33), 1 - 2 ** -33))]
    }),
  )
}

/** Values to check beforehand: the ends, or all. */
export const edgesOf = (own: Distribution): readonly unknown[] =>
  'values' in own ? own.values : 'mean' in own ? [own.mean] : [own.from, own.to]

function valueAt(own: Distribution, u: number): unknown {
  if ('values' in own) return own.values[Math.min(own.values.length - 1, Math.floor(u * own.values.length))]
  if ('mean' in own) {
    const value = own.mean + own.sd * normalQuantile(u)
    return Math.min(Math.max(value, own.from ?? -Infinity), own.to ?? Infinity)
  }
  return own.scale === 'log' ? own.from * power(own.to / own.from, u) : own.from + (own.to - own.from) * u
}

/** Random shift of every point by the same binary digits, so that each draw is unbiased and other seeds are other sets. */
function shiftedSobol(seed: number, i: number, dimension: number): number {
  const shift = Math.floor(new Random(seed, 1_000_003 + dimension).next() * 2 ** 32)
  return (((sobol(i, dimension) ^ shift) >>> 0) + 0.5) / 2 ** 32
}

/**
 * Degrees, coefficients and first direction numbers of the dimensions behind the first: Joe and Kuo, Constructing Sobol sequences with
 * better two-dimensional projections, SIAM J. Sci. Comput. 30 (2008), table new-joe-kuo-6.
 */
const directions: readonly (readonly [number, readonly number[]])[] = [
  [0, [1]],
  [1, [1, 3]],
  [1, [1, 3, 1]],
  [2, [1, 1, 1]],
  [1, [1, 1, 3, 3]],
  [4, [1, 3, 5, 13]],
  [2, [1, 1, 5, 5, 17]],
  [4, [1, 1, 5, 5, 5]],
  [7, [1, 1, 7, 11, 19]],
  [11, [1, 1, 5, 1, 1]],
  [13, [1, 1, 1, 3, 11]],
  [14, [1, 3, 5, 5, 31]],
  [1, [1, 3, 3, 9, 7, 49]],
  [13, [1, 1, 1, 15, 21, 21]],
  [16, [1, 3, 1, 13, 27, 49]],
  [19, [1, 1, 1, 15, 7, 5]],
  [22, [1, 3, 1, 15, 13, 25]],
  [25, [1, 1, 5, 5, 19, 61]],
  [1, [1, 3, 7, 11, 23, 15, 103]],
  [4, [1, 3, 7, 13, 13, 15, 69]],
]
const columns = [undefined, ...directions].map((row) => {
  const v = new Uint32Array(32)
  for (let b = 0; b < 32; b++) {
    if (row === undefined) v[b] = 2 ** (31 - b)
    else {
      const [a, m] = row
      const s = m.length
      if (b < s) v[b] = m[b] * 2 ** (31 - b)
      else {
        v[b] = v[b - s] ^ (v[b - s] >>> s)
        for (let k = 1; k < s; k++) if ((a >>> (s - 1 - k)) & 1) v[b] ^= v[b - k]
      }
    }
  }
  return v
})

/** Point i of Sobol's sequence, in Gray code order, times 2^32. */
function sobol(i: number, dimension: number): number {
  let x = 0
  for (let gray = (i ^ (i >>> 1)) >>> 0, b = 0; gray > 0; gray >>>= 1, b++) if (gray & 1) x ^= columns[dimension][b]
  return x >>> 0
}

/** Where i goes in a random permutation of `count`: four Feistel rounds, again until it is within. */
function permuted(seed: number, dimension: number, count: number, i: number): number {
  let half = 1
  while (4 ** half < count) half++
  const mask = 2 ** half - 1
  const keys = new Random(seed, 2_000_003 + dimension)
  const rounds = Array.from({ length: 4 }, () => Math.floor(keys.next() * 2 ** 32))
  let x = i
  do {
    let [left, right] = [Math.floor(x / 2 ** half), x & mask]
    for (const key of rounds) {
      let z = Math.imul(right ^ key, 0x85ebca6b)
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
      ;[left, right] = [right, left ^ ((z ^ (z >>> 16)) & mask)]
    }
    x = left * 2 ** half + right
  } while (x >= count)
  return x
}

/** ratio^u for u in [0, 1) with 32 binary digits, by square roots, which every engine rounds alike. */
function power(ratio: number, u: number): number {
  let [result, root, rest] = [1, ratio, u]
  for (let b = 0; b < 34; b++) {
    root = Math.sqrt(root)
    rest *= 2
    if (rest < 1) continue
    rest -= 1
    result *= root
  }
  return result
}

/** Natural logarithm of 0 < x < 1, the same in every engine, unlike `Math.log`. */
function log(x: number): number {
  let [m, halvings] = [x, 0]
  for (; m < 0.75; halvings++) m *= 2
  const q = ((m - 1) / (m + 1)) ** 2
  let sum = 0
  for (let k = 25; k > 0; k -= 2) sum = q * sum + 1 / k
  return 2 * ((m - 1) / (m + 1)) * sum - halvings * Math.LN2
}

const polynomial = (c: readonly number[], x: number) => c.reduceRight((sum, own) => sum * x + own, 0)

/** Quantile of the standard normal distribution: Wichura, Algorithm AS 241 (PPND7), to 1e-7. */
export function normalQuantile(p: number): number {
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return (
      (q * polynomial([3.3871327179, 50.434271938, 159.29113202, 59.10937472], r)) /
      polynomial([1, 17.895169469, 78.757757664, 67.1875636], r)
    )
  }
  const r = Math.sqrt(-log(q < 0 ? p : 1 - p))
  const tail =
    r <= 5
      ? polynomial([1.4234372777, 2.75681539, 1.3067284816, 0.17023821103], r - 1.6) /
        polynomial([1, 0.7370016425, 0.12021132975], r - 1.6)
      : polynomial([6.657905115, 3.081226386, 0.42868294337, 0.017337203997], r - 5) /
        polynomial([1, 0.24197894225, 0.012258202635], r - 5)
  return q < 0 ? -tail : tail
}
