import { type GeomSoftness, geomPairOf, type JointSoftness, type PlacedShape } from '../geometry/index.ts'
import type { CollisionPairs } from './pairs.ts'

/** Entries of one softness in `softnessOf` and `softnessOfJoints`: solref, solimp. */
export const softnessSize = 7

/** MuJoCo's solref, solimp and solmix of geoms that state none. */
export const defaultSoftness: GeomSoftness = { solref: [0.02, 1], solimp: [0.9, 0.95, 0.001, 0.5, 2], solmix: 1 }

/** Weights below this are none, as in MuJoCo. */
const LEAST_MIX = 1e-15

/**
 * `ContactModelContext.softness`: per pair of shapes, in the order in which `pairs` counts them, solref and solimp of its geoms, NaN
 * where neither states any; undefined if no pair has them. They are those of the geom of higher priority, else means weighted by
 * solmix, but the smaller solref where one is stiffness and damping; those of a `GeomPair`; or those of the only geom.
 */
export function softnessOf(
  pairs: CollisionPairs,
  shapes: readonly PlacedShape[],
  fixtures: readonly PlacedShape[],
): Float64Array | undefined {
  const all = [...shapes, ...fixtures]
  if (!all.some(({ geom, geomPairs }) => geom?.softness || geomPairs)) return undefined
  const softness = new Float64Array(softnessSize * pairs.count).fill(Number.NaN)
  for (let a = 0; a < shapes.length; a++) {
    for (let b = a + 1; b < all.length; b++) {
      const pair = pairs.numberOf(a, b)
      const own = pair >= 0 && softnessOfPair(all[a], all[b])
      if (own) softness.set([...own.solref, ...own.solimp], softnessSize * pair)
    }
  }
  return softness
}

function softnessOfPair(a: PlacedShape, b: PlacedShape): GeomSoftness | undefined {
  const [x, y] = [a.geom, b.geom]
  if (!x || !y) return (x ?? y)?.softness
  const stated = geomPairOf(a, b)
  if (stated) return stated.surface.geom.softness ?? defaultSoftness
  if (x.priority !== y.priority) return (x.priority > y.priority ? x : y).softness ?? defaultSoftness
  if (!x.softness && !y.softness) return undefined
  const { softness: one = defaultSoftness } = x
  const { softness: other = defaultSoftness } = y
  const [m, n] = [one.solmix, other.solmix].map((mix) => (mix >= LEAST_MIX ? mix : 0))
  const share = m + n > 0 ? m / (m + n) : 0.5
  const mean = (key: 'solref' | 'solimp') => one[key].map((value, k) => share * value + (1 - share) * other[key][k])
  const areTimes = one.solref[0] > 0 && other.solref[0] > 0
  const solref = areTimes ? mean('solref') : one.solref.map((value, k) => Math.min(value, other.solref[k]))
  return { solref, solimp: mean('solimp'), solmix: 1 }
}

/** `ContactModelContext.jointSoftness` of joints of one coordinate; undefined if none states any. */
export function softnessOfJoints(
  joints: readonly { readonly vIndex: number; readonly softness?: JointSoftness }[],
  nv: number,
): Float64Array | undefined {
  if (!joints.some(({ softness }) => softness)) return undefined
  const out = new Float64Array(2 * softnessSize * nv).fill(Number.NaN)
  for (const { vIndex, softness: { limit, friction } = {} } of joints) {
    for (const [k, own] of [limit, friction].entries())
      if (own) out.set([...own.solref, ...own.solimp], softnessSize * (2 * vIndex + k))
  }
  return out
}
