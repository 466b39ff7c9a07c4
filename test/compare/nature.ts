/** Equations of motion of scenes of the benchmark, integrated without any code of ours. */
import { g } from '../contact/laws/scenes.ts'

type Rates = (x: readonly number[], t: number) => number[]

/** Runge and Kutta's fourth order in even steps from 0, up to `until` or where `stop` holds. */
export function rungeKutta(
  rates: Rates,
  start: readonly number[],
  until: number,
  dt: number,
  stop: (x: readonly number[], t: number) => boolean = () => false,
): { readonly x: readonly number[]; readonly t: number } {
  let x = start
  let t = 0
  const along = (k: readonly number[], by: number) => x.map((value, i) => value + by * k[i])
  while (t < until - dt / 2 && !stop(x, t)) {
    const k1 = rates(x, t)
    const k2 = rates(along(k1, dt / 2), t + dt / 2)
    const k3 = rates(along(k2, dt / 2), t + dt / 2)
    const k4 = rates(along(k3, dt), t + dt)
    x = x.map((value, i) => value + (dt / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]))
    t += dt
  }
  return { x, t }
}

/**
 * Ball of radius r between floor and hinged lid, both touched at d from the hinge: lid at 2 atan(r/d), ball rolling on the floor, slipping on
 * the lid. With N and mu N at the lid, phi its angle: 7/5 m d'' = N (sin phi - mu (1 + cos phi)), J phi'' = N d - moment of the lid's weight.
 *
 * @returns distance at which it stops
 */
export function nutcracker(mu: number, { r, d, m, M, J, at }: Nutcracker): number {
  const rates: Rates = ([x, v]) => {
    const phi = 2 * Math.atan2(r, x)
    const s = r * r + x * x
    const weight = M * g * (at[0] * Math.cos(phi) - at[1] * Math.sin(phi))
    const push = (Math.sin(phi) - mu * (1 + Math.cos(phi))) / (1.4 * m)
    // J (-2 r x''/s + 4 r x v²/s²) = N x - weight, x'' = push N
    const N = (weight + (J * 4 * r * x * v * v) / (s * s)) / (x + (J * 2 * r * push) / s)
    return [v, push * N]
  }
  return rungeKutta(rates, [d, 0], 2, 1e-5, ([, v], t) => t > 0 && v <= 0).x[0]
}

interface Nutcracker {
  readonly r: number
  readonly d: number
  /** Mass of the ball, and of the lid with its moment about the hinge and where its centre is, along and across the lower face. */
  readonly m: number
  readonly M: number
  readonly J: number
  readonly at: readonly [number, number]
}

/**
 * Plank across two fingers that come together at `u` each, half its thickness c above them. With x of its centre, the fingers at l and r:
 * Nl + Nr = m g, Nl (l - x) + Nr (r - x) = -c (friction on it). A finger that slips drags with mu N; a plank that has the speed of one sticks to it
 * while that takes no more than mu N.
 *
 * @param times when it is looked at
 * @returns its x at each
 */
export function plankOnFingers(mu: number, { l, r, u, c }: { l: number; r: number; u: number; c: number }, times: readonly number[]) {
  const dt = 1e-5
  const seen: number[] = []
  let [x, v] = [0, 0]
  for (let k = 0; seen.length < times.length; k++) {
    const t = k * dt
    if (t >= times[seen.length] - dt / 2) seen.push(x)
    const [left, right] = [l + u * t - x, r - u * t - x]
    // per mass, with friction F on the plank: Nl + Nr = g, Nl left + Nr right = -c F
    const loads = (F: number) => {
      const nr = (-c * F - g * left) / (right - left)
      return [g - nr, nr]
    }
    let a = 0
    if (v <= -u || v >= u) {
      // stuck to the right finger (or the left): would it take more than mu N to stay?
      const [nl, nr] = loads(0)
      const held = v <= -u ? mu * nl <= mu * nr : mu * nr <= mu * nl
      if (held) {
        x += dt * Math.sign(v) * u
        v = Math.sign(v) * u
        continue
      }
    }
    // both slip: F = mu (Nl - Nr), and the loads depend on it
    const k1 = (g * (right + left)) / (right - left)
    a = (mu * k1) / (1 - (2 * mu * c) / (right - left))
    v = Math.max(-u, Math.min(u, v + dt * a))
    x += dt * v
  }
  return seen
}

/**
 * Puck under friction of constant size at each of its places, against the slip there: m v' = -mu m g <s_v / |s|>, I w' = -mu m g <(r x s) / |s|>,
 * the mean over the places. I = k m R².
 *
 * @param places x, y and share of the load of each, over R; of half of the puck, y > 0 and y < 0, as the other half mirrors it
 * @returns way and turn until rest, and R w / v shortly before
 */
export function puck(mu: number, { v, w, R, k }: { v: number; w: number; R: number; k: number }, places: readonly Place[]) {
  const rates: Rates = ([, , u, spin]) => {
    let [force, moment] = [0, 0]
    for (const { x, y, share } of places) {
      const [sx, sy] = [u - spin * y * R, spin * x * R]
      const speed = Math.hypot(sx, sy) + 1e-12
      force += (share * sx) / speed
      moment += (share * (x * sy - y * sx)) / speed
    }
    return [u, spin, -mu * g * force, (-mu * g * moment) / (k * R)]
  }
  const slow = ([, , u, spin]: readonly number[]) => Math.hypot(u, spin * R) < 0.01
  const {
    x: [way, turn, u, spin],
  } = rungeKutta(rates, [0, 0, v, w], 10, 1e-3, slow)
  return { way, turn, ratio: (R * spin) / u }
}
interface Place {
  readonly x: number
  readonly y: number
  readonly share: number
}

const angles = Array.from({ length: 48 }, (_, i) => (Math.PI * (i + 0.5)) / 48 - Math.PI / 2)
export const ring: readonly Place[] = angles.map((a) => ({ x: Math.cos(a), y: Math.sin(a), share: 1 / angles.length }))
const radii = Array.from({ length: 12 }, (_, i) => (i + 0.5) / 12)
export const disc: readonly Place[] = radii.flatMap((r) =>
  ring.map(({ x, y, share }) => ({ x: r * x, y: r * y, share: (share * 2 * r) / radii.length })),
)

/**
 * Kane's double pendulum at its impact: rods of 1 m and 1 kg at angles a and b from the vertical, with angular velocities; a ball of radius r at
 * the tip touches the floor. Energy after over energy before, by three hypotheses of restitution, with Coulomb's friction followed along the normal impulse
 * (Routh); Newton's as Kane and Levinson have it, with friction mu times the normal impulse against the slip at the end unless that can be none.
 */
export function kanesImpact(
  mu: number,
  e: number,
  { a, b, wa, wb, r }: { a: number; b: number; wa: number; wb: number; r: number },
) {
  // M over (wa, wb), and rows of the velocity of the ball's lowest point: x, then z; the tip is at (-sin a - sin b, -cos a - cos b)
  const M = [
    [4 / 3, Math.cos(a - b) / 2],
    [Math.cos(a - b) / 2, 1 / 3],
  ]
  const J = [
    [-Math.cos(a), -Math.cos(b) - r],
    [Math.sin(a), Math.sin(b)],
  ]
  const det = M[0][0] * M[1][1] - M[0][1] * M[1][0]
  const solve = ([x, y]: readonly number[]) => [(M[1][1] * x - M[0][1] * y) / det, (M[0][0] * y - M[1][0] * x) / det]
  const energy = ([x, y]: readonly number[]) => 0.5 * (M[0][0] * x * x + 2 * M[0][1] * x * y + M[1][1] * y * y)
  const W = J.map((row) => J.map((other) => row[0] * solve(other)[0] + row[1] * solve(other)[1]))
  const start = [wa, wb]
  const after = (pt: number, pn: number) => {
    const [x, y] = solve([J[0][0] * pt + J[1][0] * pn, J[0][1] * pt + J[1][1] * pn])
    return energy([wa + x, wb + y]) / energy(start)
  }
  const [ut, un] = J.map((row) => row[0] * wa + row[1] * wb)
  // along the normal impulse
  const followed = (isOver: (pn: number, un: number, work: number) => boolean) => {
    const dp = 1e-6
    let [pt, pn, work] = [0, 0, 0]
    for (;;) {
      const [slip, closing] = [ut + W[0][0] * pt + W[0][1] * pn, un + W[1][0] * pt + W[1][1] * pn]
      if (isOver(pn, closing, work)) return after(pt, pn)
      const sticking = -W[0][1] / W[0][0]
      const sticks = Math.abs(slip) < 1e-5 && Math.abs(sticking) <= mu
      pt += dp * (sticks ? sticking : Math.abs(slip) < 1e-5 ? mu * Math.sign(sticking) : -mu * Math.sign(slip))
      pn += dp
      work += closing * dp
    }
  }
  let compression = 0
  const isPoissonOver = (pn: number, closing: number) => {
    if (compression === 0 && closing >= 0) compression = pn
    return compression > 0 && pn >= (1 + e) * compression
  }
  let lost = 0
  const isStrongeOver = (_: number, closing: number, work: number) => {
    if (lost === 0 && closing >= 0) lost = -work
    return lost > 0 && work >= -(1 - e * e) * lost
  }
  // Newton: closing at the end is -e times that at the start; no slip at the end if mu allows, else against it
  const ends = [0, mu, -mu].map((share) => {
    if (share !== 0) {
      const pn = (-(1 + e) * un) / (W[1][1] + share * W[1][0])
      return { pt: share * pn, pn, slip: ut + W[0][0] * share * pn + W[0][1] * pn }
    }
    const D = W[0][0] * W[1][1] - W[0][1] * W[1][0]
    const [x, y] = [-ut, -(1 + e) * un]
    return { pt: (W[1][1] * x - W[0][1] * y) / D, pn: (W[0][0] * y - W[1][0] * x) / D, slip: 0 }
  })
  const [held, ...slipping] = ends
  const newton = Math.abs(held.pt) <= mu * held.pn ? held : slipping.find(({ pt, slip }) => pt * slip < 0)
  return {
    ut,
    un,
    poisson: followed(isPoissonOver),
    stronge: followed(isStrongeOver),
    newton: newton ? after(newton.pt, newton.pn) : Number.NaN,
  }
}

type Vector = readonly [number, number, number]
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const sum = (a: Vector, b: Vector, by = 1): Vector => [a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]]

/**
 * Ellipsoid that rolls on a plane without slip, its centre of mass `low` below its middle, its mass 1: in its own axes, with u upwards,
 * r from the centre of mass to the point in touch and w its angular velocity, v = r x w; u' = u x w; I w' + w x I w = r x F, F = v' + w x v + g u.
 * I = [xx, yy, zz, xy].
 *
 * @returns spin about u at each of the times, energy's change, and the largest friction over load
 */
export function rollingEllipsoid(radii: Vector, low: number, I: readonly number[], w0: Vector, times: readonly number[]) {
  const [A, B, C] = [radii[0] ** 2, radii[1] ** 2, radii[2] ** 2]
  const times_I = (w: Vector): Vector => [I[0] * w[0] + I[3] * w[1], I[3] * w[0] + I[1] * w[1], I[2] * w[2]]
  const arm = (u: Vector): Vector => {
    const s = Math.sqrt(A * u[0] ** 2 + B * u[1] ** 2 + C * u[2] ** 2)
    return [(-A * u[0]) / s, (-B * u[1]) / s, low - (C * u[2]) / s]
  }
  const armRate = (u: Vector, du: Vector): Vector => {
    const s = Math.sqrt(A * u[0] ** 2 + B * u[1] ** 2 + C * u[2] ** 2)
    const ds = (A * u[0] * du[0] + B * u[1] * du[1] + C * u[2] * du[2]) / s
    const one = (X: number, k: number) => (-X * du[k]) / s + (X * u[k] * ds) / (s * s)
    return [one(A, 0), one(B, 1), one(C, 2)]
  }
  const parts = (x: readonly number[]) => {
    const u: Vector = [x[0], x[1], x[2]]
    const w: Vector = [x[3], x[4], x[5]]
    const du = cross(u, w)
    const r = arm(u)
    // F = r x w' + known
    const known = sum(sum(cross(armRate(u, du), w), cross(w, cross(r, w))), u, g)
    // (I + r² 1 - r rT) w' = r x known - w x I w
    const right = sum(cross(r, known), cross(w, times_I(w)), -1)
    const rr = dot(r, r)
    const K: Vector[] = [
      [I[0] + rr - r[0] * r[0], I[3] - r[0] * r[1], -r[0] * r[2]],
      [I[3] - r[0] * r[1], I[1] + rr - r[1] * r[1], -r[1] * r[2]],
      [-r[0] * r[2], -r[1] * r[2], I[2] + rr - r[2] * r[2]],
    ]
    const det = dot(K[0], cross(K[1], K[2]))
    const dw: Vector = [
      dot(right, cross(K[1], K[2])) / det,
      dot(right, cross(K[2], K[0])) / det,
      dot(right, cross(K[0], K[1])) / det,
    ]
    return { u, w, du, r, dw, F: sum(cross(r, dw), known) }
  }
  const energyOf = (x: readonly number[]) => {
    const { u, w, r } = parts(x)
    const v = cross(r, w)
    return 0.5 * dot(v, v) + 0.5 * dot(w, times_I(w)) - g * dot(r, u)
  }
  let x: readonly number[] = [0, 0, 1, ...w0]
  const start = energyOf(x)
  let steepest = 0
  let t = 0
  const spins = times.map((until) => {
    x = rungeKutta(
      (y) => {
        const { du, dw, u, F } = parts(y)
        const load = dot(F, u)
        steepest = Math.max(steepest, Math.hypot(...sum(F, u, -load)) / load)
        return [...du, ...dw]
      },
      x,
      until - t,
      5e-4,
    ).x
    t = until
    const { u, w } = parts(x)
    return dot(u, w)
  })
  return { spins, gained: energyOf(x) - start, steepest }
}

/**
 * Nut of mass m and moment J about its axis whose three feet, balls of radius r at R from it, slide down three flat plates, each square to its own
 * radius and falling by tan(lead) along it: z = -R tan(lead) sin(turn), turn 0 in the plates' middles. With n a plate's normal, N its load and s the
 * slip of a foot: m z'' = 3 N (n_z - mu s_z / |s|) - m g, J turn'' = 3 N (c x (n - mu s / |s|))_z, c where the foot touches.
 *
 * @returns turn and spin at the end
 */
export function nutOnPlates(
  mu: number,
  { lead, R, r, m, J, from, until }: Record<'lead' | 'R' | 'r' | 'm' | 'J' | 'from' | 'until', number>,
) {
  const slope = Math.tan(lead)
  const n: Vector = [0, Math.sin(lead), Math.cos(lead)]
  const rates: Rates = ([turn, w]) => {
    const c: Vector = [R * Math.cos(turn), R * Math.sin(turn) - r * n[1], 0]
    const slip: Vector = [-w * c[1], w * c[0], -slope * R * Math.cos(turn) * w]
    // the direction in which it begins, at rest
    const along = w > 0 ? slip : ([-c[1], c[0], -slope * R * Math.cos(turn)] as const)
    const force = sum(n, along, -mu / Math.hypot(...along))
    const moment = c[0] * force[1] - c[1] * force[0]
    // z'' = -slope R (cos turn'' - sin turn'²)
    const lever = slope * R
    const N = (m * (g + lever * Math.sin(turn) * w * w)) / (3 * (force[2] + (m * lever * Math.cos(turn) * moment) / J))
    return [w, (3 * N * moment) / J]
  }
  const {
    x: [turn, spin],
  } = rungeKutta(rates, [from, 0], until, 1e-4)
  return { turn, spin }
}

/**
 * The largest weight on the right that n links over a drum of radius R can balance with `light` on the left, half a turn: links are thin, `half` long to
 * either side of their middles, which are at R + r; forces at pins propagate as polygons of all that are possible with friction up to mu at each link.
 */
export function chainOnDrum(mu: number, { n, R, r, light, link }: Record<'n' | 'R' | 'r' | 'light' | 'link', number>): number {
  const d = Math.PI / n / 2
  const half = (R + r) * Math.tan(d)
  type Pair = readonly [number, number]
  // what the chain does to a link at its left pin, in world axes
  let forces: readonly Pair[] = [[0, -light]]
  for (let i = 0; i < n; i++) {
    const a = Math.PI - (2 * i + 1) * d
    const [out, on] = [
      [Math.cos(a), Math.sin(a)],
      [Math.sin(a), -Math.cos(a)],
    ]
    const [wOut, wOn] = [-link * out[1], -link * on[1]]
    // inwards at the left pin, and along: moments about the middle give N = 2 p - w_out - f r / half, f the friction backwards
    const local = forces.map(([x, y]): Pair => [-(x * out[0] + y * out[1]), -(x * on[0] + y * on[1])])
    const load = (p: number, f: number) => 2 * p - wOut - (f * r) / half
    const least = wOut / 2
    const inside = [...local.filter(([p]) => p >= least)]
    for (let k = 0; k < local.length; k++) {
      const [[p, b], [q, c]] = [local[k], local[(k + 1) % local.length]]
      if (p >= least !== q >= least) inside.push([least, b + ((c - b) * (least - p)) / (q - p)])
    }
    const next = inside.flatMap(([p, b]) =>
      [mu, -mu].map((share): Pair => {
        // f = share N
        const f = (share * (2 * p - wOut)) / (1 + (share * r) / half)
        const inward = load(p, f) + wOut - p
        const onward = b + f - wOn
        // what this link does to the next: less what the next does to it
        return [-inward * out[0] * -1 - onward * on[0], -inward * out[1] * -1 - onward * on[1]]
      }),
    )
    forces = hull(next.map(([x, y]): Pair => [x, y]))
  }
  // the last pin bears a weight alone: no force along x
  let most = 0
  for (let k = 0; k < forces.length; k++) {
    const [[x, y], [u, v]] = [forces[k], forces[(k + 1) % forces.length]]
    if (x > 0 !== u > 0) most = Math.max(most, Math.abs(y + ((v - y) * -x) / (u - x)))
  }
  return most
}

/** Corners of the convex hull, in order (Andrew's monotone chain). */
function hull(points: (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  const half = (list: typeof sorted) => {
    const out: typeof sorted = []
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
