/** Sections 2.1 and 4.1: the particle on the surface C(x) = |x| - 1 = 0, or on and above it. */

import type { ContactModelOptions } from '../../../contact/index.ts'
import { dot } from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import { rungeKutta } from '../../equations.ts'
import { type Claim, judged, type Part } from '../page.ts'
import { armImpact } from './impacts.ts'
import { fittedOrder } from './numerics.ts'
import {
  difference,
  fixture,
  g,
  grain,
  impulseOf,
  isRigid,
  length,
  models,
  particle,
  range,
  rigid,
  short,
  worldOf,
  worst,
} from './scene.ts'

/** Of the surface [m]: the shape below it is smaller by the particle's own. */
export const surface = 1
export const sphere = fixture('surface', { type: 'sphere', radius: surface - grain })
/** Where the particle is released from rest: its angle to the vertical [rad]. */
export const releaseAngle = 0.2
export const release = [Math.sin(releaseAngle), 0, Math.cos(releaseAngle)]

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

/** [s] */
export const slideTime = 0.9
/** Of the particle, let go at rest near the top: where it is and how it moves. */
const rest = [...release, 0, 0, 0]

type Slide = ReturnType<typeof slide>

/**
 * Result of a model for the slide off the sphere, at one step size.
 *
 * @returns angle to the vertical at which it last pushed [rad]; distance from the exact place, greatest before it leaves and at the end [m];
 *   of each step time [s] and normal force [N]
 */
export function slide(model: string, dt: number, exact = exactPath(rest, slideTime)) {
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

/** Sections 2.1 and 4.1. */
export function particlePart(): Part & { slides: Slide[][] } {
  const all = slides()
  const { moments } = exactPath(rest, slideTime)
  const negative = exactPath(rest, slideTime, true).moments
  const thin = (t: readonly number[], y: readonly number[]) => {
    const every = Math.ceil(t.length / 300)
    return { x: t.filter((_, k) => k % every === 0), y: y.filter((_, k) => k % every === 0) }
  }
  const curve = (name: string, t: readonly number[], y: readonly number[]) => ({ name, ...thin(t, y) })
  const of = (model: string) => all[models.indexOf(model as (typeof models)[number])].at(-1) as Slide
  const times = moments.map(({ t }) => t)
  const forcesOf = (list: readonly { readonly force: number }[]) => list.map(({ force }) => force)
  return {
    slides: all,
    claims: [...slideClaims(all), ...heldClaims(), ...arrivalClaims()],
    figures: [
      {
        id: '2',
        title: `Figures 2 and 4: normal force on a particle that slides off a sphere of ${surface} m`,
        x: 'time [s]',
        y: 'f_N [N]',
        logarithmic: false,
        curves: [
          curve('lcp', of('lcp').t, of('lcp').force),
          curve('drake', of('drake').t, of('drake').force),
          { ...curve('C ≥ 0, exact', times, forcesOf(moments)), dashed: true },
          { ...curve('C = 0, exact', times, forcesOf(negative)), dashed: true },
        ],
      },
    ],
  }
}

function slideClaims(all: readonly (readonly Slide[])[]): Claim[] {
  const fine = all.map((list) => list[list.length - 1])
  const { left } = exactPath(rest, slideTime)
  if (left === undefined) throw new Error('the exact path never leaves the sphere')
  const exactAngle = Math.acos(left.y[2])
  const closedForm = Math.acos((2 / 3) * Math.cos(releaseAngle))
  const orders = all.map(orderOf)
  const slide: Claim = {
    where: 'Equations 1, 3 to 5',
    claim: `a particle let go at rest ${releaseAngle} rad from the top of a sphere slides, leaves it and flies on, under all thirteen models`,
    paper: 'x″ = F + f_N ∇C with f_N ≥ 0, a_N ≥ 0, f_N a_N = 0',
    found: `${range(fine.map(({ errorEnd }) => errorEnd))} m from the path of equations 4 and 5 after ${slideTime} s in steps of ${fine[0].dt * 1e3} ms; error of order ${range(orders)} in the step`,
    judgement: judged(Math.min(...orders) > 0.9 && worst(fine.map(({ errorEnd }) => errorEnd)) < 1.5e-3),
    why: `The path is integrated in the experiment by Runge-Kutta; it leaves at cos θ = 2/3 cos θ0 to ${short(Math.abs(exactAngle - closedForm) + 1e-16)} rad. Springs are as stiff as press 0.01 mm deep under the weight. Judged by an order above 0.9, for all.`,
  }
  const travel = fine[0].dt * Math.hypot(left.y[3], left.y[5])
  const angles = (list: readonly Slide[]) => list.map(({ leaves }) => leaves)
  const exactly = fine.filter(({ model }) => isRigid(model) && model !== 'anitescu-potra')
  const others = fine.filter((one) => !exactly.includes(one))
  const release: Claim = {
    where: 'Section 4.1.2, figures 2 and 4',
    claim:
      'a force that may push and not pull lets go where it would have to pull: last push of lcp and the other rigid models but anitescu-potra',
    paper: 'f_N = 0 where a_N > 0',
    found: `at ${Math.min(...angles(exactly)).toFixed(4)} to ${worst(angles(exactly)).toFixed(4)} rad of ${closedForm.toFixed(4)}; the particle goes ${travel.toFixed(4)} rad in a step`,
    judgement: judged(exactly.every(({ leaves }) => Math.abs(leaves - closedForm) < 1.5 * travel)),
    why: `Judged by 1.5 steps. Not so ${others.map(({ model, leaves }) => `${model} (${leaves.toFixed(4)})`).join(', ')}: springs swing about their balance and lift off before; anitescu-potra keeps a gap that has opened from closing.`,
  }
  return [slide, release]
}

/** Held to the sphere, between two surfaces, and under a force that lifts. */
function heldClaims(): Claim[] {
  const hold = models.map((model) => [held(model, 1e-3), held(model, 5e-4)] as const)
  const halves = hold.map(([coarse, half]) => coarse.error / half.error)
  const negative = exactPath(rest, slideTime, true).moments
  const equality: Claim = {
    where: 'Equation 2',
    claim:
      'held to the sphere, C = 0, the particle stays on it where the inequality lets go: the sphere as a loop to its middle, all models',
    paper: 'equality-constrained; the force may pull (figure 2b)',
    found: `stays on the sphere to ${short(worst(hold.map(([, half]) => half.off)))} m; ${range(hold.map(([, half]) => half.error))} m from the path; errors fall by ${range(halves)} where the step is halved. f_N falls to ${short(Math.min(...negative.map(({ force }) => force)))} N`,
    judgement: judged(Math.min(...halves) > 1.8 && worst(hold.map(([, half]) => half.off)) < 5e-5),
    why: 'Judged by first order, and 0.05 mm off the sphere at 0.5 ms.',
  }
  const both = models.map(between)
  const stiff = both.filter(({ model }) => isRigid(model))
  const pair: Claim = {
    where: 'Section 2.1.3',
    claim: 'C ≥ 0 and −C ≥ 0 together are C = 0: between a floor and a ceiling, pushed against both in turn',
    found: `rigid models ${short(worst(stiff.map(({ off }) => off)))} m off at most; of forces ${short(worst(stiff.map(({ push, pull }) => Math.max(Math.abs(push - g), Math.abs(pull + 30 - g)))))} N. Springs ${short(worst(both.filter(({ model }) => !isRigid(model)).map(({ off }) => off)))} m off`,
    judgement: judged(
      stiff.every(({ off, push, pull }) => off < 1e-8 && Math.abs(push - g) < 1e-5 && Math.abs(pull + 30 - g) < 1e-5),
    ),
    why: 'Judged, for rigid models, by 1e-8 m and 1e-5 N: softness of 5e-6 of a contact’s inertia is theirs, and gives way by less.',
  }
  const loads = [0, 5, g, 15]
  const misses = rigid.map((model) =>
    worst(
      loads.map((F) => {
        const { f, a } = released(model, F)
        return Math.max(Math.abs(f - Math.max(0, g - F)), Math.abs(a - Math.max(0, F - g)))
      }),
    ),
  )
  const onePoint: Claim = {
    where: 'Equation 5',
    claim: 'f_N and a_N of one contact under an upward force of 0, 5, 9.81 and 15 N on 1 kg, rigid models',
    paper: 'the one solution of f ≥ 0, c f + d ≥ 0, f (c f + d) = 0',
    found: `f_N = max(0, m g − F) and a_N = max(0, F / m − g), within ${short(worst(misses))} N and m/s²`,
    judgement: judged(worst(misses) < 1e-4),
    why: 'Judged by 1e-4: the softness of rigid models, 5e-6 of the weight.',
  }
  return [equality, pair, onePoint]
}

function arrivalClaims(): Claim[] {
  const ratios = [0, 0.5, 1]
  const impulsive = models.filter((model) => !['hunt-crossley', 'mujoco', 'drake'].includes(model))
  const hits = impulsive.map((model) => worst(ratios.map((e) => struck(model, e))))
  const collision: Claim = {
    where: 'Section 4.1.1',
    claim: 'on arrival an impulse along the normal changes the velocity at once: e of 0, 0.5 and 1, oblique',
    paper: 'Newton’s law of restitution; one equation in one unknown',
    found: `velocity after within ${short(worst(hits))} m/s of v − (1 + e) (n · v) n, for ${impulsive.length} models`,
    judgement: judged(worst(hits) < 1e-5),
    why: 'Judged by 1e-5 m/s at 1 m/s. hunt-crossley, mujoco and drake have no impulses: their springs take time over an impact.',
  }
  const arms = ratios.map((e) => armImpact(e, impulsive))
  const armMiss = worst(arms.flatMap(({ expected, found }) => found.map((p) => Math.abs(p / expected - 1))))
  const articulated: Claim = {
    where: 'Section 4.1.1',
    claim: 'an arm of two links strikes the ground: n + 1 linear equations for n = 4 joint impulses and the contact’s',
    paper: 'a special case of solving equality constrained dynamics',
    found: `normal impulse ${arms.map(({ expected }) => short(expected)).join(', ')} N s at e of 0, 0.5, 1 by five equations over six velocities; models, which know joint angles alone, within ${short(armMiss)} of it`,
    judgement: judged(armMiss < 1e-5),
    why: 'The five equations are written out in the experiment. Judged by 1e-5, softness.',
  }
  return [collision, articulated]
}
