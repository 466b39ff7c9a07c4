import { type GeomSoftness, geomPairOf, type JointSoftness, marginOfPair, type PlacedShape } from '../geometry/index.ts'
import type { CollisionPairs } from './pairs.ts'

/** Entries of one softness in `StatedSoftness`: solref, solimp. */
export const softnessSize = 7

/** MuJoCo's solref, solimp and solmix of geoms that state none. */
export const defaultSoftness: GeomSoftness = { solref: [0.02, 1], solimp: [0.9, 0.95, 0.001, 0.5, 2], solmix: 1 }

/** k [1/s²] and b [1/s] of MuJoCo's reference acceleration -b u - k d r, by solref and dmax. @unchecked */
export function referenceOf(
  { timeConstant, dampingRatio, dmax }: { readonly timeConstant: number; readonly dampingRatio: number; readonly dmax: number },
  dt: number,
) {
  if (timeConstant <= 0) return { stiffness: -timeConstant / (dmax * dmax), damping: -dampingRatio / dmax }
  const time = Math.max(timeConstant, 2 * dt)
  return { stiffness: 1 / (dmax * dmax * time * time * dampingRatio * dampingRatio), damping: 2 / (dmax * time) }
}

/** Weights below this are none, as in MuJoCo. */
const LEAST_MIX = 1e-15

/** solref and solimp that geoms and joints of MuJoCo state; NaN in place of one that is not. */
export interface StatedSoftness {
  /** Per pair of shapes, in the order in which `CollisionPairs` counts them. */
  readonly pairs: Float64Array
  /** Per velocity coordinate: of its joint's limit, then of its dry friction. */
  readonly joints: Float64Array
  /** Per pair of shapes: the gap at which a contact begins [m]; empty where none states any. */
  readonly margins: Float64Array
  /**
   * 3 per pair of shapes, for `GeomPair`s: the ratio of the first coefficient of friction, to which softness refers, to the larger; and
   * solreffriction, or NaN. Empty where none has any.
   */
  readonly friction: Float64Array
  /** 4 per pair of shapes: of a capsule of a file on a plane, its body and its axis in the body's; empty where there is none. */
  readonly axes: Float64Array
  /** 8 per pair of shapes: the body of each, and the centre of mass of its link there; empty where all are those of bodies. */
  readonly centers: Float64Array
}

const none = new Float64Array(0)

/**
 * Softness of a pair: that of the geom of higher priority, or means weighted by solmix; the smaller solref where one is stiffness and
 * damping; that of a `GeomPair`; or that of the only geom. Margins are sums, or that of the `GeomPair`. @unchecked
 *
 * @returns undefined if nothing states any
 */
export function softnessOf(
  pairs: CollisionPairs,
  shapes: readonly PlacedShape[],
  fixtures: readonly PlacedShape[],
  joints: readonly { readonly vIndex: number; readonly softness?: JointSoftness }[],
  nv: number,
): StatedSoftness | undefined {
  const all = [...shapes, ...fixtures]
  const isSoft = all.some(({ geom, geomPairs }) => geom?.softness || geomPairs)
  const hasMargin = all.some(({ geom, geomPairs = [] }) =>
    [geom, ...geomPairs.map(({ surface }) => surface.geom)].some((one) => one?.margin),
  )
  const hasJoints = joints.some(({ softness }) => softness)
  const hasAxes = shapes.some(({ shape, geom }) => shape.type === 'capsule' && geom)
  const hasCenters = shapes.some(({ linkCenter }) => linkCenter)
  if (!isSoft && !hasMargin && !hasJoints && !hasAxes && !hasCenters) return undefined
  const centers = hasCenters ? new Float64Array(8 * pairs.count).fill(Number.NaN) : none
  const stated = all.some(({ geomPairs = [] }) =>
    geomPairs.some(({ surface }) => surface.frictionAcross ?? surface.geom.frictionReference),
  )
  const friction = stated ? new Float64Array(3 * pairs.count).fill(Number.NaN) : none
  const axes = hasAxes ? new Float64Array(4 * pairs.count) : none
  const ofPairs = isSoft ? new Float64Array(softnessSize * pairs.count).fill(Number.NaN) : none
  const margins = hasMargin ? new Float64Array(pairs.count) : none
  for (let a = 0; a < shapes.length; a++) {
    for (let b = a + 1; b < all.length; b++) {
      const pair = pairs.numberOf(a, b)
      if (pair < 0) continue
      const own = isSoft ? softnessOfPair(all[a], all[b]) : undefined
      if (own) ofPairs.set([...own.solref, ...own.solimp], softnessSize * pair)
      if (hasMargin) margins[pair] = marginOfPair(all[a], all[b])
      if (hasCenters)
        for (const [k, { body, linkCenter }] of [all[a], all[b]].entries())
          centers.set([body, ...(linkCenter ?? [])], 8 * pair + 4 * k)
      if (hasAxes) writeAxis(axes, 4 * pair, all[a], all[b])
      if (stated) writeFriction(friction, 3 * pair, all[a], all[b])
    }
  }
  const ofJoints = hasJoints ? new Float64Array(2 * softnessSize * nv).fill(Number.NaN) : none
  for (const { vIndex, softness: { limit, friction } = {} } of joints) {
    for (const [k, own] of [limit, friction].entries())
      if (own) ofJoints.set([...own.solref, ...own.solimp], softnessSize * (2 * vIndex + k))
  }
  return { pairs: ofPairs, joints: ofJoints, margins, axes, centers, friction }
}

function writeFriction(out: Float64Array, at: number, a: PlacedShape, b: PlacedShape): void {
  const { friction = 1, frictionAcross = friction, geom } = geomPairOf(a, b)?.surface ?? {}
  out[at] = frictionAcross > friction ? friction / frictionAcross : 1
  geom?.frictionReference?.forEach((value, k) => {
    out[at + 1 + k] = value
  })
}

function writeAxis(axes: Float64Array, at: number, a: PlacedShape, b: PlacedShape): void {
  const [one, other] = a.shape.type === 'capsule' ? [a, b] : [b, a]
  if (one.shape.type !== 'capsule' || other.shape.type !== 'halfspace' || !one.geom) return
  axes.set([one.body, one.R[2], one.R[5], one.R[8]], at)
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
