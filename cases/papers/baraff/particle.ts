/** Sections 2.1 and 4.1: the particle on the surface C(x) = |x| - 1 = 0, or on and above it. */

import type { ContactModelOptions } from '../../../contact/index.ts'
import { dot } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import { fittedOrder, rungeKutta } from './numerics.ts'
import { difference, fixture, g, grain, impulseOf, length, models, particle, worldOf } from './scene.ts'

/** Of the surface [m]: the shape below it is smaller by the particle's own. */
export const surface = 1
const sphere = fixture('surface', { type: 'sphere', radius: surface - grain })
/** Where the particle is released from rest: its angle to the vertical [rad]. */
export const releaseAngle = 0.2
const release = [Math.sin(releaseAngle), 0, Math.cos(releaseAngle)]

/** Of a path that is integrated by equations 4 and 5. */
export interface Moment {
  readonly t: number
  /** Position and velocity [m, m/s]. */
  readonly y: readonly number[]
  /** f_N [N]. */
  readonly force: number
}

/**
 * f_N of equations 4 and 5 on the unit sphere: the second derivative of C along x'' = F + f_N grad C is c f_N + d with c = 1 and
 * d = F . x / |x| + |v_t|² / |x|. It is the f_N with a_N = 0, of any sign for C = 0.
 */
function constraintForce(y: readonly number[]): number {
  const [x, v] = [y.slice(0, 3), y.slice(3)]
  const r = length(x)
  const n = x.map((value) => value / r)
  return g * n[2] - (dot(v, v) - dot(v, n) ** 2) / r
}

/**
 * The path of equation 4 in steps of h: with f_N of equation 5, at least 0, until it is 0, from where on the particle flies; or with
 * f_N of any sign, for the equality C = 0.
 */
export function exactPath(
  start: readonly number[],
  until: number,
  isEquality = false,
  h = 1e-4,
): { moments: Moment[]; left?: Moment } {
  const on = (y: readonly number[]) => {
    const force = constraintForce(y)
    const r = length(y.slice(0, 3))
    return [y[3], y[4], y[5], (force * y[0]) / r, (force * y[1]) / r, (force * y[2]) / r - g]
  }
  const flies = (y: readonly number[]) => [y[3], y[4], y[5], 0, 0, -g]
  let left: Moment | undefined
  const moments: Moment[] = [{ t: 0, y: start, force: constraintForce(start) }]
  for (let k = 0; k < Math.round(until / h); k++) {
    const { y, t } = moments[k]
    if (left !== undefined) {
      moments.push({ t: (k + 1) * h, y: rungeKutta(flies, y, h), force: 0 })
      continue
    }
    const next = rungeKutta(on, y, h)
    const force = constraintForce(next)
    if (isEquality || force > 0) {
      moments.push({ t: (k + 1) * h, y: next, force })
      continue
    }
    // the moment of release by bisection
    let [low, high] = [0, h]
    while (high - low > 1e-14) {
      const middle = 0.5 * (low + high)
      if (constraintForce(rungeKutta(on, y, middle)) > 0) low = middle
      else high = middle
    }
    const released = rungeKutta(on, y, high)
    left = { t: t + high, y: released, force: 0 }
    moments.push({ t: (k + 1) * h, y: rungeKutta(flies, released, h - high), force: 0 })
  }
  return { moments, left }
}

/** Result of a model for the slide off the sphere, at one step size. */
export interface Slide {
  readonly model: string
  readonly dt: number
  /** Angle to the vertical at which it last pushed [rad]. */
  readonly leaves: number
  /** Distance from the exact place, greatest before it leaves and at the end [m]. */
  readonly errorOn: number
  readonly errorEnd: number
  /** Of each step: time [s] and normal force [N]. */
  readonly t: readonly number[]
  readonly force: readonly number[]
}

export const slideTime = 0.9
const rest = [...release, 0, 0, 0]

export function slide(model: string, dt: number, exact = exactPath(rest, slideTime)): Slide {
  const world = particle({ model, dt, position: release, fixtures: [sphere], physical: { allowedPenetration: 1e-5 } })
  const left = exact.left as Moment
  let [leaves, errorOn, errorEnd] = [0, 0, 0]
  const [t, force]: number[][] = [[], []]
  const steps = Math.round(slideTime / dt)
  for (let k = 0; k < steps; k++) {
    const x = place(world)
    world.step()
    const push = length(impulseOf(world)) / dt
    if (push > 1e-6) leaves = Math.acos(x[2] / length(x))
    t.push(k * dt)
    force.push(push)
    const time = (k + 1) * dt
    errorEnd = length(difference(place(world), exact.moments[Math.round(time / 1e-4)].y.slice(0, 3)))
    if (time < left.t) errorOn = Math.max(errorOn, errorEnd)
  }
  return { model, dt, leaves, errorOn, errorEnd, t, force }
}

export const place = ({ state: { q } }: World): number[] => [q[0], q[1], q[2]]

export const slideSteps = [2e-3, 1e-3, 5e-4]
export const slides = (): Slide[][] => {
  const exact = exactPath(rest, slideTime)
  return models.map((model) => slideSteps.map((dt) => slide(model, dt, exact)))
}
export const orderOf = (list: readonly Slide[]) =>
  fittedOrder(
    list.map(({ dt }) => dt),
    list.map(({ errorEnd }) => errorEnd),
  )

/** The slide while it lasts, by an integrator: distance from the exact place after 0.6 s, of the 0.689 s until it leaves [m]. */
export function slideOn(model: string, dt: number, integrator: 'rk4' | undefined, options: ContactModelOptions): number {
  const until = 0.6
  const world = particle({ model, dt, integrator, options, position: release, fixtures: [sphere] })
  for (let k = 0; k < Math.round(until / dt); k++) world.step()
  return length(difference(place(world), exactPath(rest, until, true, 1e-3).moments[Math.round(until / 1e-3)].y.slice(0, 3)))
}

/** The equality C = 0: the particle on a massless rod, a loop that is closed at the sphere's middle. Greatest distance from the exact place and from S [m]. */
export function held(model: string, dt: number) {
  const { moments } = exactPath(rest, slideTime, true)
  const world = worldOf({
    model,
    dt,
    shape: { type: 'sphere', radius: grain },
    inertia: [1e-6, 1e-6, 1e-6, 0, 0, 0],
    position: release,
    fixtures: [],
    physical: { allowedPenetration: 1e-5 },
    loops: [{ kind: 'point', a: { point: release.map((x) => -x) }, b: { link: 'world', point: [0, 0, 0] } }],
  })
  let [error, off] = [0, 0]
  for (let k = 0; k < Math.round(slideTime / dt); k++) {
    world.step()
    const x = place(world)
    error = Math.max(error, length(difference(x, moments[Math.round(((k + 1) * dt) / 1e-4)].y.slice(0, 3))))
    off = Math.max(off, Math.abs(length(x) - surface))
  }
  return { model, dt, error, off }
}

/** Section 2.1.3: the equality z = 0 as z >= 0 and -z >= 0, between a floor and a ceiling, pushed both up and down. */
export function between(model: string) {
  const dt = 1e-3
  const ceiling = fixture('ceiling', { type: 'halfspace', normal: [0, 0, -1], offset: -2 * grain })
  const floor = fixture('floor', { type: 'halfspace', normal: [0, 0, 1], offset: 0 })
  const world = particle({
    model,
    dt,
    position: [0, 0, grain],
    fixtures: [floor, ceiling],
    physical: { allowedPenetration: 1e-5 },
    load: (t) => [1, 0, t < 0.2 ? 30 : 0],
  })
  let [off, push, pull] = [0, 0, 0]
  for (let k = 0; k < 400; k++) {
    world.step()
    off = Math.max(off, Math.abs(world.state.q[2] - grain))
    const force = impulseOf(world)[2] / dt
    if (k === 150) pull = force
    if (k === 350) push = force
  }
  return { model, off, push, pull, x: world.state.q[0], expected: 0.5 * 0.4 * 0.4 }
}

/** Section 4.1.2: on a floor, under an upward force F that acts from the start: f_N and a_N of the first step. */
export function released(model: string, F: number) {
  const dt = 1e-5
  const world = particle({ model, dt, position: [0, 0, grain], load: () => [0, 0, F] })
  world.step()
  return { f: impulseOf(world)[2] / dt, a: world.state.v[5] / dt }
}

/** Section 4.1.1: the velocity after the particle has hit the sphere at 30 degrees to its normal, without gravity. */
export function struck(model: string, restitution: number, options: Readonly<Record<string, string>> = {}) {
  const dt = 1e-6
  const v = [Math.sin(Math.PI / 6), 0, -Math.cos(Math.PI / 6)]
  const n = [Math.sin(0.3), 0, Math.cos(0.3)]
  const world = particle({
    model,
    dt,
    options,
    position: n,
    v,
    fixtures: [sphere],
    gravity: [0, 0, 0],
    physical: { restitution },
  })
  const expected = v.map((x, k) => x - (1 + restitution) * dot(v, n) * n[k])
  for (let k = 0; k < 3; k++) world.step()
  return length(difference([world.state.v[3], world.state.v[4], world.state.v[5]], expected))
}
