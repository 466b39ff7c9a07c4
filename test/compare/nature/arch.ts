/** An arch that falls as a mechanism. */
import { g } from '../../contact/laws/scenes.ts'
import { type Rates, rungeKutta } from './integrate.ts'

/** x and z. */
type Place = readonly [number, number]

/**
 * Half of an arch of nine straight stones, of middle radius 1. It turns about the outer edge of its springing (stone 1), the inner edges of the two joints above
 * (stone 2; 3 and 4, which stay together) and the outer edge beside the keystone, which goes straight down. Lagrange, in the turns of stones 1 and 2:
 * J' M J a = J' (weight - M J' v), with J from differences of the pose.
 *
 * @param time up to which it falls from rest
 * @returns the keystone's speed, and how far joints are open at their hinges [rad]
 */
export function fallingArch(thickness: number, time: number) {
  const { pose, masses, weights } = halfArch(thickness)
  const h = 1e-4
  /** Rate of the pose along v, and its second derivative. */
  const along = (q: readonly number[], v: readonly number[]) => {
    const [before, now, after] = [-h, 0, h].map((by) => pose(q.map((value, i) => value + by * v[i])))
    return {
      rate: now.map((_, i) => (after[i] - before[i]) / (2 * h)),
      bend: now.map((x, i) => (after[i] - 2 * x + before[i]) / h ** 2),
    }
  }
  const rates: Rates = ([one, two, v, w]) => {
    const q = [one, two]
    const [r, s] = [along(q, [1, 0]).rate, along(q, [0, 1]).rate]
    const { bend } = along(q, [v, w])
    let [rr, rs, ss, fr, fs] = [0, 0, 0, 0, 0]
    for (const [i, m] of masses.entries()) {
      rr += m * r[i] * r[i]
      rs += m * r[i] * s[i]
      ss += m * s[i] * s[i]
      fr += r[i] * (weights[i] - m * bend[i])
      fs += s[i] * (weights[i] - m * bend[i])
    }
    const size = rr * ss - rs * rs
    return [v, w, (ss * fr - rs * fs) / size, (rr * fs - rs * fr) / size]
  }
  const [one, two, v, w] = rungeKutta(rates, [0, 0, 0, 0], time, 1e-3).x
  const three = pose([one, two])[11]
  return { speed: along([one, two], [v, w]).rate[8], opened: [-one, two - one, three - two, three] }
}

/** Places x and z of stones 1 to 4, height of the keystone, and turns of stones 1 to 4, from the turns of the first two; masses and weights to go with them. */
function halfArch(thickness: number) {
  const edge = (joint: number, side: 1 | -1): Place => {
    const [r, angle] = [1 + (side * thickness) / 2, (joint * Math.PI) / 9]
    return [r * Math.cos(angle), r * Math.sin(angle)]
  }
  const stones = [0, 1, 2, 3, 4].map((k) => plate([edge(k, -1), edge(k, 1), edge(k + 1, 1), edge(k + 1, -1)]))
  const places = stones.map(({ middle }) => middle)
  const [springing, first, second, last] = [edge(0, 1), edge(1, -1), edge(2, -1), edge(4, 1)]
  const reach = Math.hypot(last[0] - second[0], last[1] - second[1])
  const pose = ([one, two]: readonly number[]): number[] => {
    const a = carried(first, springing, springing, one)
    const b = carried(second, first, a, two)
    // the last edge stays under that of the keystone
    const three = Math.acos((last[0] - b[0]) / reach) - Math.acos((last[0] - second[0]) / reach)
    return [
      ...carried(places[0], springing, springing, one),
      ...carried(places[1], first, a, two),
      ...carried(places[2], second, b, three),
      ...carried(places[3], second, b, three),
      carried(last, second, b, three)[1],
      ...[one, two, three, three],
    ]
  }
  const masses = [
    ...stones.slice(0, 4).flatMap(({ area }) => [area, area]),
    stones[4].area / 2,
    ...stones.slice(0, 4).map(({ inertia }) => inertia),
  ]
  return { pose, masses, weights: masses.map((m, i) => ([1, 3, 5, 7, 8].includes(i) ? -m * g : 0)) }
}

/** Where a point comes that was at a distance from `from`, which is now at `to`, and turned about it, from x towards z. */
function carried(point: Place, from: Place, to: Place, turn: number): Place {
  const [x, z] = [point[0] - from[0], point[1] - from[1]]
  return [to[0] + x * Math.cos(turn) - z * Math.sin(turn), to[1] + x * Math.sin(turn) + z * Math.cos(turn)]
}

/** Area, middle, and second moment about it, of a polygon. */
function plate(corners: readonly Place[]) {
  let [area, x, z, moment] = [0, 0, 0, 0]
  for (const [i, p] of corners.entries()) {
    const q = corners[(i + 1) % corners.length]
    const twice = p[0] * q[1] - q[0] * p[1]
    area += twice / 2
    x += (twice * (p[0] + q[0])) / 6
    z += (twice * (p[1] + q[1])) / 6
    moment += (twice * (p[0] ** 2 + p[0] * q[0] + q[0] ** 2 + p[1] ** 2 + p[1] * q[1] + q[1] ** 2)) / 12
  }
  const middle: Place = [x / area, z / area]
  return { area, middle, inertia: moment - area * (middle[0] ** 2 + middle[1] ** 2) }
}
