import { addWork } from '../../../dynamics/index.ts'
import type { Collider } from '../collider.ts'
import { signedDistance } from './signedDistance.ts'

/** Two moving shapes over a step; s = 0 is its start, s = 1 its end. */
export interface MovingPair {
  readonly a: Collider
  readonly b: Collider
  /** Places both colliders, with their cores, at s[0]. */
  place(s: Float64Array): void
  /**
   * Upper bound of the approach speed along a direction: the maximum of n . (velocity of a point of A - velocity of a point of B) over all
   * points, from s[0] to the end of the step. Reads the poses of the last `place`.
   *
   * @param n   entries 1 to 3: unit, from A to B
   * @param out out, 1 [m], per unit of s
   */
  approach(s: Float64Array, n: Float64Array, out: Float64Array): void
}

/** Most evaluations of the distance; after these the goal counts as reached. */
const mostSteps = 400
/** Cost of one step in multiply-adds, besides its distance. */
const STEP = 300

const speed = new Float64Array(1)

/**
 * The first time in a step at which the signed distance of two convex shapes, or of one and a half-space, has fallen to a goal, by
 * conservative advancement: along the normal n of the distance d at s the separation decreases by no more than `approach`, and the distance
 * is never less than a separation, so that up to @unchecked
 *
 *   s + (d - goal) / approach(n)
 *
 * the shapes are farther apart than the goal. This also holds in overlap: a negative goal is a depth. Mirtich, Impulse-based Dynamic
 * Simulation of Rigid Body Systems (1996), section 2.3; Zhang, Lee and Kim, Interactive Continuous Collision Detection for Non-Convex
 * Polyhedra (2006), for articulated motion.
 *
 * Never later than the true time, and earlier by no more than the time in which the distance decreases by the tolerance.
 *
 * @param goal 2: the distance, and the tolerance above it at which the search ends [m]
 * @param s    in and out, 1: start and end of the search
 * @param out  out, 10: signed distance, normal and points there, as in `signedDistance`
 * @param isKnown whether the pair is placed at s, with its distance and normal in `out`
 * @returns whether the goal is reached by the end of the step
 */
export function timeOfContact(
  pair: MovingPair,
  goal: Float64Array,
  s: Float64Array,
  out: Float64Array,
  isKnown = false,
): boolean {
  const { a, b } = pair
  for (let step = 0; step < mostSteps; step++) {
    addWork(STEP, 1, 1)
    if (step > 0 || !isKnown) {
      pair.place(s)
      signedDistance(a, b, out)
    }
    const excess = out[0] - goal[0]
    if (excess <= goal[1]) return true
    pair.approach(s, out, speed)
    if (!(speed[0] > 0 && s[0] + excess / speed[0] <= 1)) return false
    s[0] += excess / speed[0]
  }
  return true
}
