/** Mechanisms of one degree of freedom, and a chain in balance. */
import { g } from '../../contact/laws/scenes.ts'
import { type Rates, rungeKutta } from './integrate.ts'

/**
 * One degree of freedom: J(x) x'' + J'(x) x'² / 2 = -V'(x), derivatives by differences.
 *
 * @returns x and x' at the end
 */
function lagrange(inertia: (x: number) => number, potential: (x: number) => number, from: number, until: number, dt = 1e-3) {
  const h = 1e-4
  const slope = (f: (x: number) => number, x: number) => (f(x + h) - f(x - h)) / (2 * h)
  const rates: Rates = ([x, v]) => [v, -(slope(potential, x) + 0.5 * slope(inertia, x) * v * v) / inertia(x)]
  const { x } = rungeKutta(rates, [from, 0], until, dt)
  return { angle: x[0], speed: x[1] }
}

/** Crank of 10 cm, coupler of 26 cm, rocker of 20 cm, pivots 24 cm apart, 5 kg a metre: the crank's angle, from rest. */
export function fourBar(from: number, until: number) {
  const pose = (crank: number) => {
    const [x, z] = [0.1 * Math.cos(crank), 0.1 * Math.sin(crank)]
    const d = Math.hypot(x - 0.24, z)
    // triangle of rocker 0.2, coupler 0.26 and the diagonal d
    const rocker = Math.atan2(z, x - 0.24) - Math.acos((0.04 + d * d - 0.0676) / (0.4 * d))
    const [bx, bz] = [0.24 + 0.2 * Math.cos(rocker), 0.2 * Math.sin(rocker)]
    return { middle: [(x + bx) / 2, (z + bz) / 2], z, bz, rocker, coupler: Math.atan2(bz - z, bx - x) }
  }
  const potential = (crank: number) => {
    const { z, bz, middle } = pose(crank)
    return g * (0.5 * 0.5 * z + 1.3 * middle[1] + 0.5 * bz)
  }
  const inertia = (crank: number) => {
    const h = 1e-5
    const [a, b] = [pose(crank - h), pose(crank + h)]
    // sine: angles may come round
    const turn = (p: number, q: number) => Math.sin(q - p) / (2 * h)
    const shift = (k: number) => (b.middle[k] - a.middle[k]) / (2 * h)
    return (
      (0.5 * 0.01) / 3 +
      ((1 * 0.04) / 3) * turn(a.rocker, b.rocker) ** 2 +
      1.3 * (shift(0) ** 2 + shift(1) ** 2) +
      ((1.3 * 0.0676) / 12) * turn(a.coupler, b.coupler) ** 2
    )
  }
  return lagrange(inertia, potential, from, until)
}

/** Crosses of two bars each, 2 a long and of mass 1, the first held by its middle: the angle to the vertical, from rest. */
export function lazyTongs(crosses: number, a: number, from: number, until: number) {
  const each = Array.from({ length: crosses }, (_, k) => k)
  const inertia = (angle: number) => each.reduce((sum, k) => sum + 2 * ((2 * a * k * Math.sin(angle)) ** 2 + (a * a) / 3), 0)
  const potential = (angle: number) => each.reduce((sum, k) => sum - 2 * g * 2 * a * k * Math.cos(angle), 0)
  return lagrange(inertia, potential, from, until)
}

/** Ball of radius r on a string that turns with it, L from pivot to middle: angle from the vertical, from rest. */
export const pendulum = (L: number, r: number, from: number, until: number) =>
  lagrange(
    () => L * L + 0.4 * r * r,
    (angle) => -g * L * Math.cos(angle),
    from,
    until,
  )

/**
 * The largest weight on the right that n links over a drum of radius R can balance with `light` on the left, half a turn: links are thin, `half` long to
 * either side of their middles, which are at R + r; forces at pins propagate as polygons of all that are possible with friction up to mu at each link.
 */
export function chainOnDrum(mu: number, { n, R, r, light, link }: Record<'n' | 'R' | 'r' | 'light' | 'link', number>): number {
  const d = Math.PI / n / 2
  const half = (R + r) * Math.tan(d)
  // what the chain does to a link at its left pin, in world axes
  let forces: readonly Pair[] = [[0, -light]]
  for (let i = 0; i < n; i++) {
    const a = Math.PI - (2 * i + 1) * d
    const [out, on]: [Pair, Pair] = [
      [Math.cos(a), Math.sin(a)],
      [Math.sin(a), -Math.cos(a)],
    ]
    const [weightOut, weightOn] = [-link * out[1], -link * on[1]]
    // at the left pin: p inwards, b backwards
    const local = forces.map(([x, y]): Pair => [-(x * out[0] + y * out[1]), -(x * on[0] + y * on[1])])
    // moments about the middle: N = 2 p - weightOut - friction r / half, which is to be positive
    const least = weightOut / 2
    const pressed = local.filter(([p]) => p >= least)
    for (const [k, [p, b]] of local.entries()) {
      const [q, c] = local[(k + 1) % local.length]
      if (p >= least !== q >= least) pressed.push([least, b + ((c - b) * (least - p)) / (q - p)])
    }
    const next = pressed.flatMap(([p, b]) =>
      [mu, -mu].map((share): Pair => {
        const load = (2 * p - weightOut) / (1 + (share * r) / half)
        const [inwards, onwards] = [load + weightOut - p, b + share * load - weightOn]
        return [inwards * out[0] - onwards * on[0], inwards * out[1] - onwards * on[1]]
      }),
    )
    forces = hull(next)
  }
  // the last pin bears a weight alone: no force along x
  let most = 0
  for (const [k, [x, y]] of forces.entries()) {
    const [u, v] = forces[(k + 1) % forces.length]
    if (x > 0 !== u > 0) most = Math.max(most, Math.abs(y - ((v - y) * x) / (u - x)))
  }
  return most
}

type Pair = readonly [number, number]

/** Corners of the convex hull, in order (Andrew's monotone chain). */
function hull(points: readonly Pair[]): readonly Pair[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  const half = (list: readonly Pair[]) => {
    const out: Pair[] = []
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2)
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break
        out.pop()
      }
      out.push(p)
    }
    return out.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}
