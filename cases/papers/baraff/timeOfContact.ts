/** Sections 2.2.1, 3.1 and 3.2: collisions that lie between two steps. */

import { createCollider, type MovingPair, type PlacedShape, place, timeOfContact } from '../../../contact/index.ts'
import { dot } from '../../../dynamics/index.ts'
import { type Claim, judged, type Part } from '../page.ts'
import { firstRoot, type Interval, plus, sineOf, squared, times } from './intervals.ts'
import { fixture, g, grain, length, models, short, worldOf, worst } from './scene.ts'

/** A bullet and a pane of glass [m, m/s]. */
export const bullet = { radius: 0.004, speed: 300, mass: 0.01 } as const
export const pane = { thickness: 0.004, width: 1 } as const

/** Whether the pane stops the bullet, fired from `distance` before it [m], in steps of dt [s]; and number of tunnelling reports. */
export function shot(model: string, dt: number, distance: number, ccd: boolean): { stopped: boolean; told: number } {
  const world = worldOf({
    model,
    dt,
    ccd,
    gravity: [0, 0, 0],
    shape: { type: 'sphere', radius: bullet.radius },
    mass: bullet.mass,
    position: [-distance - bullet.radius - pane.thickness / 2, 0.013, 0.007],
    v: [0, 0, 0, bullet.speed, 0, 0],
    physical: { friction: 0, stiffness: 1e8 },
    fixtures: [fixture('pane', { type: 'box', size: [pane.thickness, pane.width, pane.width] })],
  })
  const time = (distance + 0.1) / bullet.speed
  for (let k = 0; k < Math.ceil(time / dt) + 2; k++) world.step()
  return { stopped: world.state.q[0] < 0, told: world.events.tunnelled }
}

type Shots = ReturnType<typeof shots>

/** Shots from distances that are spread evenly over the way of one step. @returns of those that went through (`through`) the world counted `told` */
export function shots(model: string, dt: number, ccd: boolean, count: number) {
  let [through, told] = [0, 0]
  for (let k = 0; k < count; k++) {
    const result = shot(model, dt, 0.05 + ((k + 0.5) / count) * bullet.speed * dt, ccd)
    if (result.stopped) continue
    through++
    if (result.told > 0) told++
  }
  return { model, ccd, dt, shots: count, through, told }
}

export const steps = [2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3]
/**
 * Share of the shots that no step sees in time: the way of a step but for that on which bullet and pane overlap and the bullet's middle is still
 * before the pane's, for beyond that the nearest way out is the other side.
 */
export const expectedThrough = (dt: number) => Math.max(0, 1 - (pane.thickness / 2 + bullet.radius) / (bullet.speed * dt))

export const allModels = (dt: number, count: number): Shots[] =>
  models.flatMap((model) => [shots(model, dt, false, count), shots(model, dt, true, count)])

/** Goal and tolerance [m]. */
const goal = Float64Array.of(0, 1e-9)
const identity = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)

function firstContact(
  moving: PlacedShape,
  still: PlacedShape,
  path: (s: number) => Place,
  approach: (s: number, n: readonly number[]) => number,
): number {
  const [a, b] = [moving, still].map(({ shape }) => createCollider(shape))
  place(b, identity, Float64Array.from([0, 0, 0]), still)
  const s = new Float64Array(1)
  const pair: MovingPair = {
    a,
    b,
    place([at]) {
      const { R, p } = path(at)
      place(a, Float64Array.from(R), Float64Array.from(p), moving)
    },
    approach([at], n, out) {
      out[0] = approach(at, Array.from(n.subarray(1, 4)))
    },
  }
  return timeOfContact(pair, goal, s, new Float64Array(10)) ? s[0] : Number.NaN
}

interface Place {
  readonly R: ArrayLike<number>
  readonly p: readonly number[]
}

/**
 * Section 3.1: first contact of a body on a known path over a step of one second, by `timeOfContact`; the true time [s]; by interval analysis the part
 * of the step in which it comes and not before, and how often the bounds were asked for.
 */
export function firstContacts() {
  const [x0, v0] = [
    [-1.6, 0, 0.9],
    [2, 0, 1],
  ]
  const surface = fixture('surface', { type: 'sphere', radius: 1 - grain })
  const at = (t: number) => [x0[0] + v0[0] * t, 0, x0[2] + v0[2] * t - 0.5 * g * t * t]
  const thrown = firstContact(
    fixture('particle', { type: 'sphere', radius: grain }),
    surface,
    (t) => ({ R: identity, p: at(t) }),
    // n . v(t) is linear in t, so that one of the two ends of the rest of the step bounds it
    (t, n) => Math.max(dot(n, [v0[0], 0, v0[2] - g * t]), dot(n, [v0[0], 0, v0[2] - g])),
  )
  // a rod turns about its end at 1 rad/s; its tip comes down on the plane z = 0 from 0.4 above
  const [reach, height, omega] = [1, 0.4, 1]
  const turned = firstContact(
    fixture('rod', { type: 'capsule', radius: 0.05, length: 2 * reach }),
    fixture('plane', { type: 'halfspace', normal: [0, 0, 1], offset: 0 }),
    (t) => {
      // its axis from upright less than a quarter turn to below the horizontal
      const angle = Math.PI / 2 + omega * t
      const [c, s] = [Math.cos(angle), Math.sin(angle)]
      return { R: [c, 0, s, 0, 1, 0, -s, 0, c], p: [0, 0, height] }
    },
    () => omega * (reach + 0.05),
  )
  // x² + z² - 1 over an interval of time, x and z themselves bounded over it
  const ofParticle = (t: Interval): Interval => {
    const x = plus([x0[0], x0[0]], times(t, v0[0]))
    const z = plus(plus([x0[2], x0[2]], times(t, v0[2])), times(squared(t), -0.5 * g))
    return plus(plus(squared(x), squared(z)), [-1, -1])
  }
  const ofRod = (t: Interval): Interval => plus([height - 0.05, height - 0.05], times(sineOf(times(t, omega)), -reach))
  return [
    {
      path: 'a particle on a parabola, and the sphere',
      found: thrown,
      expected: root((t) => length(at(t)) - 1),
      ...enclosed(ofParticle),
    },
    // its lower end, a sphere of 5 cm at 1 m from the middle
    {
      path: 'a rod that turns at a constant rate, and a plane',
      found: turned,
      expected: Math.asin((height - 0.05) / reach) / omega,
      ...enclosed(ofRod),
    },
  ]
}

/** Width of the part of the step in which first contact is to be enclosed [s]. */
export const enclosure = 1e-10

function enclosed(f: (t: Interval) => Interval) {
  const { first, asked } = firstRoot(f, [0, 1], enclosure)
  const none: Interval = [Number.NaN, Number.NaN]
  return { enclosed: first ?? none, asked }
}

/** The first zero of f from positive values, by small steps and bisection. */
function root(f: (t: number) => number): number {
  let high = 0
  while (f(high) > 0) high += 1e-4
  let low = high - 1e-4
  for (let k = 0; k < 60; k++) {
    const middle = 0.5 * (low + high)
    if (f(middle) > 0) low = middle
    else high = middle
  }
  return high
}

const sumOf = (list: readonly Shots[], what: 'through' | 'shots') => list.reduce((sum, one) => sum + one[what], 0)

/** @param passed of the shots in `continuous`, how many pass without ccd */
function continuumClaim(all: readonly Shots[], continuous: readonly Shots[], passed: number): Claim {
  const caught = all.filter(({ ccd }) => ccd)
  const held = all.filter(({ ccd, through }) => !ccd && through === 0)
  return {
    where: 'Section 3.1',
    claim:
      'methods of the continuum view miss none: the same bullet and pane with ccd, a sphere that goes straight at a fixed box',
    paper: '“used over suitably short intervals to guarantee that collisions between objects are not missed”',
    found: `${sumOf(caught, 'through')} of ${sumOf(caught, 'shots')} get through at 1 ms under ${caught.length} models, ${held.length} of which stop all without it; of ${sumOf(continuous, 'shots')} at ${continuous.length} steps ${sumOf(continuous, 'through')} under penalty, of which ${passed} pass without`,
    judgement: judged([...caught, ...continuous].every(({ through }) => through === 0) && passed > 0),
    why: 'The step ends where the pair first touches. One pair and straight paths, no proof for others: what ccd does for shapes that turn is in the next row, on a known path.',
  }
}

/** Of bodies on known paths. */
function firstContactClaims(): Claim[] {
  const contacts = firstContacts()
  const first: Claim = {
    where: 'Section 3.1',
    claim: 'first contact on two known paths, a polynomial in time and a turn at constant rate, of a sphere and of a rod',
    paper: 'roots of polynomials (Canny); interval analysis (Von Herzen, Snyder)',
    found: contacts
      .map(({ path, found, expected: at }) => `${path}: ${found.toFixed(9)} s, ${short(at - found)} s before the true time`)
      .join('; '),
    judgement: judged(contacts.every(({ found, expected: at }) => found <= at && at - found < 1e-8)),
    why: 'By conservative advancement with a bound of the speed over what is left of the step, which is such an interval bound; never late, and early by what 1e-9 m take. Not by roots of polynomials, and of two shapes: Canny’s polyhedra against polyhedra are not tried. The particle’s true time is a root found by bisection, the rod’s is closed.',
  }
  const byIntervals: Claim = {
    where: 'Section 3.1',
    claim: 'the first contact by bounds over intervals of time: none comes before',
    paper: 'interval analysis (Von Herzen, Barr and Zatz; Duff; Snyder)',
    found: contacts
      .map(
        ({ path, enclosed: [low, high], expected: at, asked }) =>
          `${path}: within ${short(high - low)} s, ${at >= low - enclosure && at <= high + enclosure ? 'about' : 'not about'} the true time, ${asked} bounds`,
      )
      .join('; '),
    judgement: judged(
      contacts.every(
        ({ enclosed: [low, high], expected: at }) => at >= low - enclosure && at <= high + enclosure && high - low <= enclosure,
      ),
    ),
    why: 'The distance as a function of time, bounded over an interval; halves that the bounds exclude are left out, from the left (Snyder). The motion must be given in closed form, as those methods ask.',
  }
  return [first, byIntervals]
}

/** Sections 2.2.1 and 3. */
export function timePart(): Part & { shots: Shots[] } {
  const dt = 1e-3
  const all = allModels(dt, 10)
  const without = all.filter(({ ccd }) => !ccd)
  const missing = without.filter(({ through }) => through > 0)
  const discrete = steps.map((step) => shots('penalty', step, false, 50))
  const continuous = steps.map((step) => shots('penalty', step, true, 50))
  const expected = steps.map(expectedThrough)
  const shareOf = ({ through, shots: all }: Shots) => through / all
  const off = worst(discrete.map((one, i) => Math.abs(shareOf(one) - expected[i])))
  const bulletClaim: Claim = {
    where: 'Section 3.2',
    claim: 'detection at sampled times may miss collisions between them: a bullet, and a pane of 4 mm',
    found: `penalty: through in ${discrete.map(({ through, dt: step }) => `${2 * through} % at ${short(step * 1e3)} ms`).join(', ')}. At 1 ms through under ${missing.map(({ model }) => model).join(', ')}; not under ${without
      .filter(({ through }) => through === 0)
      .map(({ model }) => model)
      .join(', ')}`,
    judgement: judged(off < 0.02 && discrete.every(({ through, told }) => through === told)),
    why: 'Share expected: 1 − (half the pane + the bullet’s radius) over the way of a step; judged by 0.02. Every one that passed was counted. The models that are not passed look ahead by two steps, and stop what would get there.',
  }
  const line = (name: string, y: readonly number[]) => ({ name, x: steps, y })
  return {
    shots: all,
    claims: [bulletClaim, continuumClaim(all, continuous, sumOf(discrete, 'through')), ...firstContactClaims()],
    figures: [
      {
        id: 'bullet',
        title: 'Section 3.2: share of bullets that pass through a pane',
        x: 'step [s]',
        y: 'share',
        logarithmic: false,
        logarithmicX: true,
        curves: [
          line('penalty', discrete.map(shareOf)),
          { ...line('closed form', expected), dashed: true },
          line('penalty with ccd', continuous.map(shareOf)),
        ],
      },
    ],
  }
}
