/** Section 6: planar impacts at one point with friction, by Routh's method as Wang and Mason use it; and section 4.1.1 on a jointed arm. */
import { Random } from '../../../compare/scenario/world/random.ts'
import { type ContactModelName, type ContactModelOptions, contactChoice } from '../../../contact/index.ts'
import { buildModel, JointType } from '../../../dynamics/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { between } from '../uniform.ts'
import { solveDense } from './numerics.ts'
import { fixture, impulseOf, worldOf } from './scene.ts'

export type Hypothesis = 'newton' | 'poisson' | 'stronge'
export const hypotheses = ['newton', 'poisson', 'stronge'] as const

/** How the tip slides over an impact. C: in compression, R: in restitution. */
export const modes = ['sliding', 'C-sticking', 'C-reversed', 'R-sticking', 'R-reversed'] as const
export type Mode = (typeof modes)[number]

/** u⁺ = u + K P, along the normal and along the ground. */
export interface Impact {
  /** K_nn, K_nt, K_tt [1/kg]. */
  readonly K: readonly [number, number, number]
  /** Before, u_n < 0 [m/s]. */
  readonly u: readonly [number, number]
  readonly mu: number
  readonly e: number
}

export interface Outcome {
  /** P_n, P_t [N s]. */
  readonly P: readonly [number, number]
  readonly mode: Mode
}

/** Of the approach speed: slip that is none. */
const none = 1e-13

/**
 * Routh's method: P_n grows from 0; dP_t = -mu dP_n against the slip until that stops; from there the tip sticks, dP_t = -K_nt / K_tt dP_n, if
 * that is within friction, else slides the other way. Compression ends where u_n = 0. Restitution ends, by Newton's hypothesis, where u_n = -e times
 * that before; by Poisson's, where P_n is 1 + e times that at the end of compression; by Stronge's, where the normal work is 1 - e² times that.
 * All straight lines, so that each event has a closed form. Undefined where restitution turns into approach again.
 */
export function routh({ K: [nn, nt, tt], u, mu, e }: Impact, hypothesis: Hypothesis): Outcome | undefined {
  let [un, ut] = u
  let [pn, pt, work] = [0, 0, 0]
  let [compressed, spent] = [0, 0]
  let isRestitution = false
  let mode: Mode = 'sliding'
  for (let event = 0; event < 6; event++) {
    const slips = Math.abs(ut) > none * -u[0]
    const sticking = -nt / tt
    const reversed = mode !== 'sliding' && Math.abs(sticking) > mu
    const f = mode === 'sliding' && slips ? -mu * Math.sign(ut) : reversed ? -mu * Math.sign(nt) : sticking
    const [rn, rt] = [nn + nt * f, nt + tt * f]
    const untilRest = mode === 'sliding' && ut * rt < 0 ? -ut / rt : Infinity
    let untilEnd = Infinity
    if (!isRestitution) untilEnd = rn > 0 ? -un / rn : Infinity
    else if (hypothesis === 'poisson') untilEnd = (1 + e) * compressed - pn
    else if (hypothesis === 'newton') untilEnd = (-e * u[0] - un) / rn
    else {
      // work + un p + rn p² / 2 = (1 - e²) spent
      const left = (1 - e * e) * spent - work
      untilEnd = (2 * left) / (un + Math.sqrt(un * un + 2 * rn * left))
    }
    if (isRestitution && rn <= 0) return undefined
    const step = Math.min(untilRest, untilEnd)
    if (!(step < Infinity)) return undefined
    work += un * step + 0.5 * rn * step * step
    pn += step
    pt += f * step
    un += rn * step
    ut += rt * step
    if (untilRest < untilEnd) {
      ut = 0
      mode = `${isRestitution ? 'R' : 'C'}-${Math.abs(sticking) > mu ? 'reversed' : 'sticking'}`
      continue
    }
    if (isRestitution) return { P: [pn, pt], mode }
    un = 0
    isRestitution = true
    compressed = pn
    spent = work
    if (e === 0) return { P: [pn, pt], mode }
  }
  return undefined
}

/** Kinetic energy added by an impulse [J]. */
export const energyOf = ({ K: [nn, nt, tt], u }: Impact, [pn, pt]: readonly number[]) =>
  pn * u[0] + pt * u[1] + 0.5 * (nn * pn * pn + 2 * nt * pn * pt + tt * pt * pt)

/** A uniform rod of half-length 1 m and 1 kg, its lower end at the ground, at an angle to it. */
export interface RodImpact extends Impact {
  readonly angle: number
}

export function rodImpact(angle: number, u: readonly [number, number], mu: number, e: number): RodImpact {
  // from the middle to the tip
  const [x, z] = [Math.cos(angle), -Math.sin(angle)]
  return { angle, K: [1 + 3 * x * x, -3 * x * z, 1 + 3 * z * z], u, mu, e }
}

/** Random rods, of which Routh's method has an answer under all hypotheses. */
export function randomRods(count: number, seed = 1): RodImpact[] {
  const random = new Random(seed)
  const out: RodImpact[] = []
  while (out.length < count) {
    const angle = between(random, 0.2, Math.PI - 0.2)
    const impact = rodImpact(
      angle,
      [-between(random, 0.2, 2), random.within(2)],
      between(random, 0.05, 1.2),
      between(random, 0.1, 0.9),
    )
    if (hypotheses.every((name) => routh(impact, name) !== undefined)) out.push(impact)
  }
  return out
}

/** The impulse of the same impact in a world, under a contact model: normal and along the ground [N s]. */
export function impactOf({ angle, u, mu, e }: RodImpact, model: string, options: ContactModelOptions): [number, number] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const world = worldOf({
    model,
    dt: 1e-7,
    options,
    gravity: [0, 0, 0],
    shape: { type: 'sphere', radius: 0 },
    centerOfMass: [-1, 0, 0],
    inertia: [1e-2, 1 / 3, 1 / 3, 0, 0, 0],
    position: [0, 0, 0],
    quaternion: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
    // the tip's velocity, along the ground and up, in the rod's axes; it does not turn
    v: [0, 0, 0, c * u[1] - s * u[0], 0, s * u[1] + c * u[0]],
    physical: { friction: mu, restitution: e },
  })
  world.step()
  const [x, , z] = impulseOf(world)
  return [z, x]
}

export type Agreement = ReturnType<typeof agreementOf>

/** Agreement, relative to the impulse: softness of 5e-6 of the rigid models, a step of 1e-7 s of springs. */
const agrees = 1e-4

/**
 * How a model's impacts compare with Routh's method.
 *
 * @returns per mode: impacts, those that agree with Routh's impulse, and the largest distance over its size; impacts that end with more kinetic energy, and
 *   the most that one has gained over that along the normal [J/J]
 */
export function agreementOf(impacts: readonly RodImpact[], name: string, model: string, options: ContactModelOptions) {
  const hypothesis = options.impacts as Hypothesis
  const none = () => ({ count: 0, agree: 0, worst: 0 })
  const counts = Object.fromEntries(modes.map((mode) => [mode, none()])) as Record<Mode, ReturnType<typeof none>>
  let [gains, mostGained] = [0, 0]
  for (const impact of impacts) {
    const { P, mode } = routh(impact, hypothesis) as Outcome
    const found = impactOf(impact, model, options)
    const miss = Math.hypot(found[0] - P[0], found[1] - P[1]) / Math.hypot(...P)
    const count = counts[mode]
    count.count++
    if (miss < agrees) count.agree++
    count.worst = Math.max(count.worst, miss)
    const gained = energyOf(impact, found) / (0.5 * impact.u[0] * impact.u[0])
    if (gained > agrees) gains++
    mostGained = Math.max(mostGained, gained)
  }
  return { name, model, options, hypothesis, modes: counts, gains, mostGained }
}

/** How often Routh's method itself gains energy, of the same impacts, under each hypothesis; and the most. */
export const gainsOf = (impacts: readonly RodImpact[]) =>
  hypotheses.map((hypothesis) => {
    const gained = impacts.map((impact) => energyOf(impact, (routh(impact, hypothesis) as Outcome).P) / (0.5 * impact.u[0] ** 2))
    return { hypothesis, gains: gained.filter((x) => x > 1e-12).length, most: Math.max(...gained) }
  })

/**
 * Section 4.1.1: a hanging arm of two rods whose tip strikes the ground obliquely. Both rods with three velocities each and their joints as equality
 * constraints: n + 1 equations in the n = 4 joint impulses and that of the contact. Beside it a model's result in joint angles alone.
 *
 * @returns normal impulse by the n + 1 equations, and under each model, at restitution e [N s]
 */
export function armImpact(e: number, models: readonly string[]): { expected: number; found: number[] } {
  const [q1, q2] = [0.5, 0.7]
  const [w1, w2] = [-1.2, 0.4]
  const l = 0.6
  const m = 1.5
  const inertia = (m * l * l) / 12
  // down along each rod; turning is about y, from z to x
  const angles = [q1, q1 + q2]
  const rates = [w1, w1 + w2]
  const down = angles.map((angle) => [-Math.sin(angle), -Math.cos(angle)])
  const height = -l * (down[0][1] + down[1][1])
  // velocity of a point at r of a body that turns at w about y: (w r_z, -w r_x)
  const turned = (w: number, [x, z]: readonly number[]) => [w * z, -w * x]
  const half = down.map(([x, z]) => [(l / 2) * x, (l / 2) * z])
  const middle1 = turned(rates[0], half[0])
  const elbow = turned(rates[0], [2 * half[0][0], 2 * half[0][1]])
  const reach = turned(rates[1], half[1])
  const v = [...middle1, rates[0], elbow[0] + reach[0], elbow[1] + reach[1], rates[1]]
  // rows over (x, z, turning) of both rods: shoulder, elbow, then the tip's height
  const [a, b] = half
  const rows = [
    [1, 0, -a[1], 0, 0, 0],
    [0, 1, a[0], 0, 0, 0],
    [1, 0, a[1], -1, 0, b[1]],
    [0, 1, -a[0], 0, -1, -b[0]],
    [0, 0, 0, 0, 1, -b[0]],
  ]
  const mass = [m, m, inertia, m, m, inertia]
  const product = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, k) => sum + (value * y[k]) / mass[k], 0)
  const approach = rows[4].reduce((sum, value, k) => sum + value * v[k], 0)
  const impulses = solveDense(
    rows.map((r) => rows.map((s) => product(r, s))),
    [0, 0, 0, 0, -(1 + e) * approach],
  )

  const link = {
    jointType: JointType.revolute,
    axis: [0, 1, 0],
    mass: m,
    centerOfMass: [0, 0, -l / 2],
    inertia: [inertia, inertia, 1e-3, 0, 0, 0],
  } as const
  const model = buildModel('arm', [
    { ...link, name: 'upper', jointName: 'shoulder', parent: 0, position: [0, 0, height] },
    { ...link, name: 'lower', jointName: 'elbow', parent: 1, position: [0, 0, -l] },
  ])
  const made = createFreeBody({ name: 'arm', shape: { type: 'sphere', radius: 0 }, mass: 1, inertia: [1, 1, 1, 0, 0, 0] })
  const robot = {
    ...made,
    model,
    floating: false,
    frames: [],
    shapes: made.shapes.map((one) => ({ ...one, body: 2, link: 'lower', p: Float64Array.of(0, 0, -l) })),
    home: Float64Array.of(q1, q2),
  }
  const found = models.map((name) => {
    const world = new World({
      robot,
      contactModel: name as 'lcp',
      dt: 1e-7,
      physical: { friction: 0, restitution: e },
      v: [w1, w2],
    })
    world.step()
    return impulseOf(world)[2]
  })
  return { expected: impulses[4], found }
}

/**
 * Equal balls in touch, places in diameters, the first of which strikes along x at 1 m/s while the others rest, without any loss: x and y of all
 * velocities after [m/s].
 */
export function balls(
  places: readonly (readonly [number, number])[],
  model: ContactModelName,
  options: ContactModelOptions,
): number[] {
  const radius = 0.1
  const common = { shape: { type: 'sphere', radius }, mass: 1, gravity: [0, 0, 0] } as const
  const world = new World({
    robots: places.map(([x, y], k) => ({
      robot: createFreeBody({ ...common, name: `ball${k}`, position: [2 * radius * x, 2 * radius * y, 0] }),
      v: [0, 0, 0, k === 0 ? 1 : 0, 0, 0],
    })),
    ...contactChoice(model, options),
    dt: 1e-4,
    physical: { friction: 0, restitution: 1 },
    fixtures: [],
  })
  for (let k = 0; k < 3; k++) world.step()
  return world.robots.flatMap(({ state: { v } }) => [v[3], v[4]])
}

const side = 0.2
/** Of the cube, 1 kg: over its turning and moving. */
const cubeMass = [side * side, side * side, side * side, 6, 6, 6].map((x) => x / 6)
const cubeEnergy = (v: ArrayLike<number>) => cubeMass.reduce((sum, m, i) => sum + 0.5 * m * v[i] * v[i], 0)

type CubeImpact = ReturnType<typeof randomCubes>[number]

/** Cubes that come down flat, on four corners at once, slipping and turning. */
export function randomCubes(count: number, seed = 1) {
  const random = new Random(seed)
  return Array.from({ length: count }, () => ({
    mu: between(random, 0.1, 1),
    v: [random.within(3), random.within(3), random.within(3), random.within(1), random.within(1), -between(random, 0.5, 1)],
  }))
}

/** Kinetic energy after an impact without restitution, under a model [J]. */
export function energyAfter({ mu, v }: CubeImpact, model: string): number {
  const world = worldOf({
    model,
    dt: 1e-7,
    gravity: [0, 0, 0],
    shape: { type: 'box', size: [side, side, side] },
    position: [0, 0, side / 2],
    v,
    physical: { friction: mu, restitution: 0 },
  })
  world.step()
  return cubeEnergy(world.state.v)
}

/** Rows of the four corners over the cube's velocities, W and u before. */
function cornersOf({ v }: CubeImpact) {
  const rows = [-1, 1].flatMap((x) =>
    [-1, 1].flatMap((y) => {
      const [rx, ry, rz] = [(x * side) / 2, (y * side) / 2, -side / 2]
      return [
        [ry, -rx, 0, 0, 0, 1],
        [0, rz, -ry, 1, 0, 0],
        [-rz, 0, rx, 0, 1, 0],
      ]
    }),
  )
  const W = rows.map((a) => rows.map((b) => a.reduce((sum, x, i) => sum + (x * b[i]) / cubeMass[i], 0)))
  const u = rows.map((row) => row.reduce((sum, x, i) => sum + x * v[i], 0))
  return { rows, W, u }
}

/**
 * The least that impulses at the four corners within friction can leave, |p_t| <= mu p_n: a convex minimum, by Nesterov's
 * accelerated projected gradients [J].
 */
export function leastEnergy(impact: CubeImpact): number {
  const { mu, v } = impact
  const { rows, W, u } = cornersOf(impact)
  // the trace is at least the largest eigenvalue
  const step = 1 / W.reduce((sum, row, i) => sum + row[i], 0)
  let p = new Array<number>(12).fill(0)
  let y = p
  for (let pass = 0; pass < 5000; pass++) {
    const to = y.map((x, i) => x - step * W[i].reduce((sum, w, j) => sum + w * y[j], u[i]))
    for (let c = 0; c < 12; c += 3) {
      const t = Math.hypot(to[c + 1], to[c + 2])
      if (t > mu * to[c]) to[c] = Math.max(0, (to[c] + mu * t) / (1 + mu * mu))
      const part = t > mu * to[c] ? (mu * to[c]) / t : 1
      to[c + 1] *= part
      to[c + 2] *= part
    }
    y = to.map((x, i) => x + (pass / (pass + 3)) * (x - p[i]))
    p = to
  }
  return cubeEnergy(v.map((x, i) => x + rows.reduce((sum, row, r) => sum + row[i] * p[r], 0) / cubeMass[i]))
}

/**
 * Loss bounds of an impact by most loss [J]. Its impulses are the least of E(p) = pᵀ W p / 2 + uᵀ p over a cone, so that
 * pᵀ (W p + u) = 0 there and the loss is pᵀ W p / 2 = |M (v⁺ - v)|² / 2 in M⁻¹. The cone has the normals alone in it, and, of them, each
 * corner by itself: no less is lost than without friction, nor than u_n² / (2 W_nn) at any corner. It lies among all impulses, which
 * stop the corners altogether: no more is lost than that takes, here all but the part that no corner impulse changes, none of six velocities.
 */
export function lossBounds(impact: CubeImpact): { corner: number; frictionless: number; stopped: number } {
  const { W, u } = cornersOf(impact)
  const normals = [0, 3, 6, 9]
  const before = cubeEnergy(impact.v)
  return {
    corner: Math.max(...normals.map((r) => (u[r] < 0 ? (u[r] * u[r]) / (2 * W[r][r]) : 0))),
    frictionless: before - leastEnergy({ ...impact, mu: 0 }),
    stopped: before,
  }
}

/** A uniform rod of 1 kg and 1 m that comes down flat at 1 m/s on a support under each end: how fast its ends rise after [m/s]. */
export function rodOnSupports(model: ContactModelName, options: ContactModelOptions, e: number): [number, number] {
  const radius = 0.05
  const support = (name: string, x: number) => fixture(name, { type: 'sphere', radius }, [x, 0, -radius])
  const world = worldOf({
    model,
    options,
    dt: 1e-5,
    gravity: [0, 0, 0],
    shape: { type: 'box', size: [1, 0.02, 0.02] },
    inertia: [1e-3, 1 / 12, 1 / 12, 0, 0, 0],
    position: [0, 0, 0.01],
    v: [0, 0, 0, 0, 0, -1],
    fixtures: [support('left', -0.5), support('right', 0.5)],
    physical: { friction: 0, restitution: e },
  })
  for (let k = 0; k < 3; k++) world.step()
  const { v } = world.state
  // turning is about y: the left end rises by it
  return [v[5] + 0.5 * v[1], v[5] - 0.5 * v[1]]
}

/** The same, one end after the other, the faster first and of equals the left: each impulse takes -e times its end's velocity, and -(1 + e) / 2 of it to the other. */
export function rodInTurn(e: number): [number, number] {
  const u: [number, number] = [-1, -1]
  for (let k = 0; k < 1000 && Math.min(...u) < -1e-12; k++) {
    const end = u[1] < u[0] ? 1 : 0
    const speed = -u[end]
    u[end] = e * speed
    u[1 - end] -= 0.5 * (1 + e) * speed
  }
  return u
}
