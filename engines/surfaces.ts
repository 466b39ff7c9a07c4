import type { PlacedShape } from '../contact/geometry/index.ts'
import type { World } from '../simulation/index.ts'
import { UnsupportedScene } from './engine.ts'

/** How an engine makes one number of a pair of two shapes': `harmonic` is 2 a b / (a + b), `geometric` sqrt(a b); `none`: it has no such number. */
export type Combining = 'min' | 'max' | 'mean' | 'product' | 'geometric' | 'harmonic' | 'none'

/** Rules that are sums on some scale: scale(pair) = (x + y) / 2, where shapes have x and y. */
const sumRules = {
  mean: { scale: (pair: number) => pair, shape: (x: number) => x, combine: (a: number, b: number) => (a + b) / 2 },
  product: {
    scale: (pair: number) => Math.log(Math.max(pair, TINY)) / 2,
    shape: (x: number) => Math.exp(x),
    combine: (a: number, b: number) => a * b,
  },
  geometric: {
    scale: (pair: number) => Math.log(Math.max(pair, TINY)),
    shape: (x: number) => Math.exp(x),
    combine: (a: number, b: number) => Math.sqrt(a * b),
  },
  harmonic: {
    scale: (pair: number) => 1 / Math.max(pair, TINY),
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
 * @throws UnsupportedScene where no numbers do that
 */
export function surfacesBy({ touching, pairs, physical }: World, key: 'friction' | 'restitution', rule: Combining): Float64Array {
  const { placed, materials } = touching
  const values = new Float64Array(placed.length).fill(physical[key])
  if (rule === 'none') return values
  // shapes that state the same are one unknown
  const kindOf = ({ [key]: own, frictionAcross, geom, geomPairs, name }: PlacedShape) =>
    JSON.stringify([own, frictionAcross, geom, geomPairs?.length ? name : ''])
  const named = placed.map(kindOf)
  const kinds = [...new Set(named)]
  const own = named.map((name) => kinds.indexOf(name))
  const wanted = new Map<string, { a: number; b: number; value: number }>()
  for (let b = 0; b < placed.length; b++)
    for (let a = 0; a < b; a++) {
      if (!pairs.allows(a, b)) continue
      const value = materials[key][pairs.numberOf(a, b)]
      const id = `${Math.min(own[a], own[b])} ${Math.max(own[a], own[b])}`
      const before = wanted.get(id)
      if (before !== undefined && before.value !== value) throw new UnsupportedScene(`surfaces of pairs by name`)
      wanted.set(id, { a: own[a], b: own[b], value })
    }
  const pairsWanted = [...wanted.values()]
  if (pairsWanted.length === 0) return values
  const ofKind =
    rule === 'min' || rule === 'max' ? extreme(pairsWanted, kinds.length, rule) : sums(pairsWanted, kinds.length, rule)
  return values.map((_, s) => ofKind[own[s]])
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

/** By steps that each mend one pair, from a value that is the same for all. */
function sums(wanted: Wanted, count: number, rule: keyof typeof sumRules): number[] {
  const { scale, shape, combine } = sumRules[rule]
  const x = new Float64Array(count).fill(scale(wanted[0].value))
  let worst = Infinity
  for (let sweep = 0; sweep < 2000 && worst > 1e-14; sweep++) {
    worst = 0
    for (const { a, b, value } of wanted) {
      const lack = scale(value) - (x[a] + x[b]) / 2
      x[a] += lack
      if (a !== b) x[b] += lack
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
