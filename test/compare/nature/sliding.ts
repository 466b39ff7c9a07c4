/** Bodies that slide, with Coulomb's friction. */
import { g } from '../../contact/laws/scenes.ts'
import { type Rates, rungeKutta } from './integrate.ts'

/**
 * Plank across two fingers that come together at `u` each, half its thickness c above them. With x of its centre, the fingers at l and r:
 * Nl + Nr = m g, Nl (l - x) + Nr (r - x) = -c (friction on it). A finger that slips drags with mu N; a plank that has the speed of one sticks to it
 * while that takes no more than mu N.
 *
 * @param times when it is looked at
 * @returns its x at each
 */
export function plankOnFingers(
  mu: number,
  { l, r, u, c }: Record<'l' | 'r' | 'u' | 'c', number>,
  times: readonly number[],
): number[] {
  const dt = 1e-5
  const seen: number[] = []
  let [x, v] = [0, 0]
  for (let k = 0; seen.length < times.length; k++) {
    const t = k * dt
    if (t >= times[seen.length] - dt / 2) seen.push(x)
    const [left, right] = [l + u * t - x, r - u * t - x]
    const width = right - left
    // loads over the mass without a force along the plank
    const [nl, nr] = [(g * right) / width, (-g * left) / width]
    const sticks = (v === -u && nl <= nr) || (v === u && nr <= nl)
    // both slip: F = mu (Nl - Nr), and the loads depend on F
    if (!sticks) v = Math.max(-u, Math.min(u, v + (dt * mu * (nl - nr)) / (1 - (2 * mu * c) / width)))
    x += dt * v
  }
  return seen
}

/**
 * Thing on a plate that moves by ratio mu g / w² (1 - cos w t): friction of at most mu g takes it along.
 *
 * @returns slip to and fro from 1 to 5 s
 */
export function slipOnPlate(mu: number, ratio: number, w: number): number {
  const dt = 1e-5
  const speed = (t: number) => ((ratio * mu * g) / w) * Math.sin(w * t)
  let [slip, v, least, most] = [0, 0, Infinity, -Infinity]
  for (let k = 0; k * dt < 5; k++) {
    const next = speed((k + 1) * dt)
    const pull = Math.max(-mu * g * dt, Math.min(mu * g * dt, next - v))
    slip += dt * (v + pull / 2 - speed((k + 0.5) * dt))
    v += pull
    if (k * dt >= 1) [least, most] = [Math.min(least, slip), Math.max(most, slip)]
  }
  return most - least
}

/**
 * Puck under friction of constant size at each of its places, against the slip there: m v' = -mu m g <s_v / |s|>, I w' = -mu m g <(r x s) / |s|>,
 * the mean over the places. I = k m R².
 *
 * @param places x, y and share of the load of each, over R; of the half ahead, as the other mirrors it
 * @returns way and turn until rest
 */
export function puck(mu: number, { v, w, R, k }: { v: number; w: number; R: number; k: number }, places: readonly Place[]) {
  const rates: Rates = ([, , u, spin]) => {
    const { force, moment } = dragOf(u, R * spin, places)
    return [u, spin, -mu * g * force, (-mu * g * moment) / (k * R)]
  }
  const slow = ([, , u, spin]: readonly number[]) => Math.hypot(u, spin * R) < 0.01
  const [way, turn] = rungeKutta(rates, [0, 0, v, w], 10, 1e-3, slow).x
  return { way, turn }
}

/** R w / v that friction leaves as it is: force over v is moment over k R w. */
export function lastRatio(k: number, places: readonly Place[]): number {
  let [low, high] = [0.01, 100]
  for (let i = 0; i < 50; i++) {
    const ratio = Math.sqrt(low * high)
    const { force, moment } = dragOf(1, ratio, places)
    if (moment / (k * ratio) < force) low = ratio
    else high = ratio
  }
  return low
}

/** Mean of the slip's direction, and of its moment over R. */
function dragOf(u: number, rw: number, places: readonly Place[]) {
  let [force, moment] = [0, 0]
  for (const { x, y, share } of places) {
    const [sx, sy] = [u - rw * y, rw * x]
    const speed = Math.hypot(sx, sy) + 1e-12
    force += (share * sx) / speed
    moment += (share * (x * sy - y * sx)) / speed
  }
  return { force, moment }
}

interface Place {
  readonly x: number
  readonly y: number
  readonly share: number
}

/** Even pressure round a rim, and over a disc of so many rings. */
const rim = (angles: number): Place[] =>
  Array.from({ length: angles }, (_, i) => {
    const a = (Math.PI * (i + 0.5)) / angles - Math.PI / 2
    return { x: Math.cos(a), y: Math.sin(a), share: 1 / angles }
  })
export const ring: readonly Place[] = rim(48)
export const discOf = (rings: number, angles: number): readonly Place[] =>
  Array.from({ length: rings }, (_, i) => (i + 0.5) / rings).flatMap((r) =>
    rim(angles).map(({ x, y, share }) => ({ x: r * x, y: r * y, share: (share * 2 * r) / rings })),
  )
