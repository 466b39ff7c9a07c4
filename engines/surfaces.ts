import type { PlacedShape } from '../contact/geometry/index.ts'
import type { World } from '../simulation/index.ts'
import { UnsupportedScene } from './engine.ts'

/** How an engine makes one number of a pair of two shapes': `harmonic` is 2 a b / (a + b), `geometric` sqrt(a b); `none`: it has no such number. */
export type Combining = 'min' | 'max' | 'mean' | 'product' | 'geometric' | 'harmonic' | 'none'

/** Rules that are sums on some scale: scale(pair) = (x + y) / 2, where shapes have x and y, which are not below the least. */
const sumRules = {
  mean: {
    scale: (pair: number) => pair,
    least: 0,
    shape: (x: number) => x,
    combine: (a: number, b: number) => (a + b) / 2,
  },
  product: {
    scale: (pair: number) => Math.log(Math.max(pair, TINY)) / 2,
    least: -Infinity,
    shape: (x: number) => Math.exp(x),
    combine: (a: number, b: number) => a * b,
  },
  geometric: {
    scale: (pair: number) => Math.log(Math.max(pair, TINY)),
    least: -Infinity,
    shape: (x: number) => Math.exp(x),
    combine: (a: number, b: number) => Math.sqrt(a * b),
  },
  harmonic: {
    scale: (pair: number) => 1 / Math.max(pair, TINY),
    least: 0,
    shape: (x: number) => 1 / x,
    combine: (a: number, b: number) => (2 * a * b) / (a + b),
  },
} as const
/** In place of 0, where a rule needs a logarithm or an inverse. */
const TINY = 1e-12

/**
 * A number of each shape, in the order of `World.pairs`, so that an engine that combines two by its rule has for each pair that may touch that of the
 * world.
 *
 * @param lacks gets a phrase, where it is given, if links of one robot have others between them; all other pairs have those of the world
 * @throws UnsupportedScene where no numbers do that
 */
export function surfacesBy(world: World, key: 'friction' | 'restitution', rule: Combining, lacks?: string[]): Float64Array {
  const { placed } = world.touching
  const values = new Float64Array(placed.length).fill(world.physical[key])
  if (rule === 'none') return values
  const robotOf = placed.map(({ body }) => world.robots.findLastIndex(({ start }) => start.body < body)) // -1: the world
  const kindOf = ({ [key]: own, frictionAcross, geom, geomPairs, name }: PlacedShape) =>
    JSON.stringify([own, frictionAcross, geom, geomPairs?.length ? name : ''])
  // shapes that state the same are one unknown
  const solve = (named: readonly string[], counts: (a: number, b: number) => boolean) => {
    const kinds = [...new Set(named)]
    const own = named.map((name) => kinds.indexOf(name))
    const pairs = wantedOf(world, key, own, counts)
    if (pairs.length === 0) return values
    const ofKind = rule === 'min' || rule === 'max' ? extreme(pairs, kinds.length, rule) : sums(pairs, kinds.length, rule)
    return values.map((_, s) => ofKind[own[s]])
  }
  try {
    return solve(placed.map(kindOf), () => true)
  } catch (error) {
    if (lacks === undefined || !(error instanceof UnsupportedScene)) throw error
    const named = placed.map((shape, s) => `${robotOf[s]} ${kindOf(shape)}`)
    const found = solve(named, (a, b) => robotOf[a] !== robotOf[b])
    lacks.push(`${key} between links of one robot as stated`)
    return found
  }
}

/** Values of pairs of kinds that may touch. */
function wantedOf(
  { touching, pairs }: World,
  key: 'friction' | 'restitution',
  own: readonly number[],
  counts: (a: number, b: number) => boolean,
): Wanted {
  const wanted = new Map<string, Wanted[number]>()
  for (let b = 0; b < own.length; b++)
    for (let a = 0; a < b; a++) {
      if (!pairs.allows(a, b) || !counts(a, b)) continue
      const value = touching.materials[key][pairs.numberOf(a, b)]
      const id = `${Math.min(own[a], own[b])} ${Math.max(own[a], own[b])}`
      const before = wanted.get(id)
      if (before !== undefined && before.value !== value) throw new UnsupportedScene(`surfaces of pairs by name`)
      wanted.set(id, { a: own[a], b: own[b], value })
    }
  return [...wanted.values()]
}

type Wanted = readonly { readonly a: number; readonly b: number; readonly value: number }[]

/** Each kind has the largest (of `max` the least) value of its pairs. */
function extreme(wanted: Wanted, count: number, rule: 'min' | 'max'): number[] {
  const values = Array.from({ length: count }, (_, k) => {
    const own = wanted.filter(({ a, b }) => a === k || b === k).map(({ value }) => value)
    return own.length === 0 ? 0 : rule === 'min' ? Math.max(...own) : Math.min(...own)
  })
  for (const { a, b, value } of wanted) if (Math[rule](values[a], values[b]) !== value) throw unlike(rule)
  return values
}

/** By projections that each mend one pair, from a value that is the same for all. */
function sums(wanted: Wanted, count: number, rule: keyof typeof sumRules): number[] {
  const { scale, least, shape, combine } = sumRules[rule]
  const x = new Float64Array(count).fill(scale(wanted[0].value))
  let worst = Infinity
  for (let sweep = 0; sweep < 2000 && worst > 1e-14; sweep++) {
    worst = 0
    for (const { a, b, value } of wanted) {
      const lack = scale(value) - (x[a] + x[b]) / 2
      x[a] = Math.max(least, x[a] + lack)
      if (a !== b) x[b] = Math.max(least, x[b] + lack)
      worst = Math.max(worst, Math.abs(lack / scale(value)) || 0)
    }
  }
  const values = [...x].map(shape)
  for (const { a, b, value } of wanted)
    if (!(values[a] >= 0 && values[b] >= 0 && Math.abs(combine(values[a], values[b]) - value) < 1e-9 + 1e-6 * value))
      throw unlike(rule)
  return values
}

const unlike = (rule: Combining) => new UnsupportedScene(`surfaces of pairs that are not the ${rule} of two shapes'`)
