import { type BodyDefinition, JointType } from '../../dynamics/index.ts'
import {
  box,
  fixedBox,
  floating,
  freeBody,
  g,
  makeRobot,
  run,
  slope,
  sphere,
  type Vector,
  velocityW,
} from '../../test/contact/laws/scenes.ts'
import { bySprings, type Chapter, type Form, plainOf, type Setting, type Steps, valueAt, worldOf } from './form.ts'

const { sin, cos } = Math
const upright = [0, 0, 0, 1]
const weightless: Vector = [0, 0, 0]
/** Of models that resolve an impact by springs. */
const springSteps: Steps = [4e-5, 2e-5, 1e-5]
/** Of forms with restitution. */
const noRestitution: Form['without'] = ({ model }) =>
  model === 'mujoco' ? 'it has no restitution but that of its spring, critically damped' : undefined
const ball = (mass: number, radius = 0.1) => sphere(radius, mass, weightless)

/** Dropped from H on the ground: height of the ball at the top of a bounce. */
function bounce(name: string, formula: string, e: number, bounces: number): Form {
  // impacts fall on whole steps of 4 ms, so that steps of any length are late by the same share of one
  const [fall, r] = [0.32, 0.05]
  const H = 0.5 * g * fall * fall
  let time = fall
  for (let k = 1; k < bounces; k++) time += 2 * e ** k * fall
  time += e ** bounces * fall
  return {
    name,
    formula,
    source: 'free fall between impacts that leave e of the speed',
    unit: 'm',
    exact: () => H * e ** (2 * bounces),
    without: noRestitution,
    springSteps,
    measure(at) {
      const world = worldOf(at, {
        robot: sphere(r, 2),
        physical: { restitution: e },
        ...bySprings(at, g * fall),
        q: [0, 0, r + H, ...upright],
      })
      return valueAt(world, time, ({ state }) => state.q[2] - r)
    },
  }
}

const toRest = (() => {
  const [fall, r, e] = [0.32, 0.05, 0.5]
  const H = 0.5 * g * fall * fall
  return {
    name: 'bounces without end: way until rest',
    formula: 'H (1 + e²) / (1 - e²) in √(2 H / g) (1 + e) / (1 - e): falls for 0.32 s, e 0.5; way after 1.2 s',
    source: 'geometric series of bounces (Zeno)',
    unit: 'm',
    exact: () => (H * (1 + e * e)) / (1 - e * e),
    without: noRestitution,
    springSteps,
    measure(at) {
      const world = worldOf(at, {
        robot: sphere(r, 2),
        physical: { restitution: e },
        ...bySprings(at, g * fall),
        q: [0, 0, r + H, ...upright],
      })
      let way = 0
      run(world, 1.2, ({ state }) => {
        way += Math.abs(state.v[5]) * at.dt
      })
      return way
    },
  } satisfies Form
})()

const clipped = (() => {
  const [zeta, mass, stiffness] = [0.2, 2, 2e4]
  const root = Math.sqrt(1 - zeta * zeta)
  return {
    name: 'restitution of a spring that cannot pull',
    formula: 'e = exp(-ζ / √(1 - ζ²) (π - atan(2 ζ √(1 - ζ²) / (1 - 2 ζ²)))) = 0.572: ζ 0.2, no gravity',
    source: 'contact ends where spring and damper have no force left',
    unit: '1',
    exact: () => Math.exp(-(zeta / root) * (Math.PI - Math.atan((2 * zeta * root) / (1 - 2 * zeta * zeta)))),
    steps: springSteps,
    without: ({ model }) => (model.startsWith('penalty') ? undefined : 'it has no linear spring and damper'),
    measure(at) {
      const world = worldOf(at, {
        robot: ball(mass),
        physical: { stiffness, damping: 2 * zeta * Math.sqrt(stiffness * mass) },
        integrator: 'rk4',
        options: plainOf(at.model, 0.5),
        q: [0, 0, 0.105, ...upright],
        v: [0, 0, 0, 0, 0, -0.5],
      })
      return valueAt(world, 0.05, (each) => velocityW(each)[2] / 0.5)
    },
  } satisfies Form
})()

const headOn: Form = {
  name: 'two balls head-on',
  formula: "v1' = (m1 v1 + m2 v2 - m2 e (v1 - v2)) / (m1 + m2): 2 kg at 1 m/s, 5 kg at -0.5 m/s, e 0.5",
  source: 'momentum and restitution',
  unit: 'm/s',
  exact: () => (2 - 2.5 - 5 * 0.5 * 1.5) / 7,
  without: noRestitution,
  springSteps,
  measure(at) {
    const world = worldOf(at, {
      robots: [
        { robot: ball(2), q: [-0.105, 0, 0, ...upright], v: [0, 0, 0, 1, 0, 0] },
        { robot: ball(5), q: [0.1, 0, 0, ...upright], v: [0, 0, 0, -0.5, 0, 0] },
      ],
      fixtures: [],
      physical: { restitution: 0.5 },
      ...bySprings(at, 1.5),
    })
    return valueAt(world, 0.04, (each) => velocityW(each.robots[0])[0])
  },
}

const cradle: Form = {
  name: "Newton's cradle: the last of three balls in touch",
  formula: 'v3 = v: one impact after the other; impacts at once: 2/3 v; springs in a row: 0.98 v',
  source: "momentum and energy, which leave the middle open; springs of Hertz's law in touch do neither: 0.99 v",
  unit: 'm/s',
  exact: () => 1,
  without: noRestitution,
  springSteps,
  measure(at) {
    const world = worldOf(at, {
      robots: [-0.2 - 1e-4, 0, 0.2].map((x, i) => ({
        robot: ball(2),
        q: [x, 0, 0, ...upright],
        v: [0, 0, 0, i === 0 ? 1 : 0, 0, 0],
      })),
      fixtures: [],
      physical: { restitution: 1 },
      ...bySprings(at, 1),
    })
    return valueAt(world, 0.1, (each) => velocityW(each.robots[2])[0])
  },
}

const cascade: Form = {
  name: "Newton's cradle of five, one impact after another",
  formula: 'v = 0 0 0 0 1 of five equal balls in touch, e 1, `impulses: sequential`: that of the last less what the others keep',
  source: 'one impact after the other',
  unit: 'm/s',
  exact: () => 1,
  without: ({ model }) => (model === 'mujoco' || model === 'drake' ? 'it has no impulses for impacts' : undefined),
  measure(at) {
    const options: Record<string, string> = at.rigid ? { impulses: 'sequential' } : { impacts: 'stronge' }
    const world = worldOf(at, {
      robots: [-1, 0, 1, 2, 3].map((k) => ({
        robot: ball(2),
        q: [0.2 * k - (k < 0 ? 1e-4 : 0), 0, 0, ...upright],
        v: [0, 0, 0, k < 0 ? 1 : 0, 0, 0],
      })),
      fixtures: [],
      options,
      physical: { restitution: 1 },
    })
    return valueAt(world, 0.1, ({ robots }) => {
      const speeds = robots.map((robot) => velocityW(robot)[0])
      return speeds[4] - Math.hypot(...speeds.slice(0, 4))
    })
  },
}

const twoBalls = (() => {
  const [M, m, R, r] = [10, 0.5, 0.1, 0.05]
  const [first, between, time] = [0.32, 0.016, 0.4]
  const v = g * first
  const [H, gap] = [(v * first) / 2, 2 * v * between]
  const [lower, upper] = [v - g * between, -v - g * between]
  return {
    name: 'two balls dropped one above the other',
    formula:
      "u' = ((m - M) u + 2 M U) / (m + M), nearly 3 v: M 10 kg, m 0.5 kg, e 1, they meet 16 ms after the ground is struck; speed after 0.4 s",
    source: 'an impact on the ground, then one of the balls, free fall between',
    unit: 'm/s',
    exact: () => ((m - M) * upper + 2 * M * lower) / (m + M) - g * (time - first - between),
    without: noRestitution,
    springSteps,
    measure(at) {
      const world = worldOf(at, {
        robots: [
          { robot: sphere(R, M), q: [0, 0, R + H, ...upright] },
          { robot: sphere(r, m), q: [0, 0, 2 * R + r + H + gap, ...upright] },
        ],
        physical: { restitution: 1 },
        ...bySprings(at, v),
      })
      return valueAt(world, time, (each) => velocityW(each.robots[1])[2])
    },
  } satisfies Form
})()

const rodOnEnd = (() => {
  const [half, mass, speed, angle, e] = [0.5, 2, 0.5, 0.5, 0.5]
  return {
    name: 'rod that falls on one end',
    formula: "v' = v - p / m, p = (1 + e) m v / (1 + 3 cos² θ): θ 0.5 rad, e 0.5, 0.5 m/s, no friction",
    source: 'impulse on the end of a rod of J = m l² / 3',
    unit: 'm/s',
    exact: () => -speed + ((1 + e) * speed) / (1 + 3 * cos(angle) ** 2),
    without: noRestitution,
    springSteps,
    measure(at) {
      const J = (mass * half * half) / 3
      const rod = makeRobot(
        'rod',
        [{ ...floating, mass, inertia: [1e-3, J, J, 0, 0, 0] }],
        [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [half, 0, 0] }],
        weightless,
      )
      const world = worldOf(at, {
        robot: rod,
        physical: { restitution: e, friction: 0 },
        ...bySprings(at, speed),
        q: [0, 0, half * sin(angle) + 1e-5, 0, sin(angle / 2), 0, cos(angle / 2)],
        v: [0, 0, 0, speed * sin(angle), 0, -speed * cos(angle)],
      })
      return valueAt(world, 0.02, (each) => velocityW(each)[2])
    },
  } satisfies Form
})()

/** A solid sphere that strikes the ground at an angle with a spin about y: its speed along x after it. */
function oblique(name: string, formula: string, source: string, mu: number, spin: number, exact: number): Form {
  const [r, vt, vn, e] = [0.1, 2, 1, 0.5]
  return {
    name,
    formula,
    source,
    unit: 'm/s',
    exact: () => exact,
    without: noRestitution,
    springSteps,
    measure(at) {
      const world = worldOf(at, {
        robot: ball(2, r),
        physical: { restitution: e, friction: mu },
        ...bySprings(at, vn),
        q: [0, 0, r + 0.5 * vn * at.dt, ...upright],
        v: [0, spin, 0, vt, 0, -vn],
      })
      return valueAt(world, 0.024, (each) => velocityW(each)[0])
    },
  }
}

const sticks = oblique(
  'ball that strikes at an angle and grips',
  "v' = 5/7 v: 2 m/s along, 1 m/s down, e 0.5, μ 0.6 ≥ 2 v / (7 (1 + e) vn)",
  'momentum about the point of contact',
  0.6,
  0,
  10 / 7,
)
const slips = oblique(
  'ball that strikes at an angle and slips',
  "v' = v - μ (1 + e) vn: μ 0.2",
  'friction along the slip throughout',
  0.2,
  0,
  2 - 0.2 * 1.5,
)
const english = oblique(
  'billiard ball on a cushion with spin against its way',
  "v' = (5 v + 2 r ω) / 7, here -0.286 m/s: 2 m/s along, -60 rad/s, μ 2: it comes back",
  'momentum about the point of contact',
  2,
  -60,
  (5 * 2 - 2 * 0.1 * 60) / 7,
)

/** A ball of 1 kg at 1 m/s that strikes a flat bar of 2 kg and 1 m at a distance from its centre. */
function struck(at: Setting, offset: number, e: number) {
  const bar = makeRobot(
    'bar',
    [{ ...floating, mass: 2, inertia: [1 / 6, 1 / 6, 1e-2, 0, 0, 0] }],
    [{ body: 1, shape: { type: 'box', size: [0.04, 0.04, 1] } }],
    weightless,
  )
  return worldOf(at, {
    robots: [
      { robot: bar, q: [0, 0, 0, ...upright] },
      { robot: ball(1, 0.05), q: [-0.07 - 0.5 * at.dt, 0, offset, ...upright], v: [0, 0, 0, 1, 0, 0] },
    ],
    fixtures: [],
    physical: { restitution: e, friction: 0 },
    ...bySprings(at, 1),
  })
}

const offCentre: Form = {
  name: 'bar struck off its centre',
  formula: "v' = v - (1 + e) v / (1 + m / M + m y² / J) of the ball: y 0.3 m, 1 kg on 2 kg, J = M L² / 12, e 1; relative to v",
  source: 'impulse over the sum of inverse masses',
  unit: 'm/s',
  exact: () => 1 - 2 / (1 + 0.5 + 0.09 * 6),
  scale: 1,
  without: noRestitution,
  springSteps,
  measure: (at) => valueAt(struck(at, 0.3, 1), 0.012, (each) => velocityW(each.robots[1])[0]),
}

const percussion: Form = {
  name: 'centre of percussion',
  formula: "the other end stays: its v = 0 where a bar is struck L / 6 from its centre, e 1; relative to v' of the centre",
  source: "v' = ω' L / 2 just after the impact",
  unit: 'm/s',
  exact: () => 0,
  scale: 2 / (2 * (1 + 0.5 + 6 / 36)),
  without: noRestitution,
  springSteps,
  measure: (at) => valueAt(struck(at, 1 / 6, 1), 0.012, ({ robots: [bar] }) => velocityW(bar)[0] - 0.5 * bar.state.v[1]),
}

const pendulum: Form = {
  name: 'pendulum that strikes a wall',
  formula: "ω' = -e ω: 2 rad/s, e 0.5, no gravity",
  source: 'restitution at the only freedom',
  unit: 'rad/s',
  exact: () => 1,
  without: noRestitution,
  springSteps,
  measure(at) {
    const hinge: BodyDefinition = {
      name: 'rod',
      jointName: 'hinge',
      parent: 0,
      jointType: JointType.revolute,
      axis: [0, -1, 0],
      mass: 2,
      centerOfMass: [0.25, 0, 0],
      inertia: [0.05, 0.05, 0.05, 0, 0, 0],
    }
    const world = worldOf(at, {
      robot: makeRobot('pendulum', [hinge], [{ body: 1, shape: { type: 'sphere', radius: 0.02 }, p: [0.5, 0, 0] }], weightless),
      fixtures: [{ ...slope(0), p: Float64Array.of(0, 0, -0.02 - 1e-6) }],
      physical: { restitution: 0.5, friction: 0 },
      ...bySprings(at, 1),
      v: [-2],
    })
    return valueAt(world, 0.02, ({ state }) => state.v[0])
  },
}

const dead: Form = {
  name: 'ball without restitution',
  formula: 'v = 0 after the impact: falls for 0.2 s; fastest rise in 0.4 s, relative to g · 0.2 s; springs of 1 mm',
  source: 'e = 0',
  unit: 'm/s',
  exact: () => 0,
  scale: 0.2 * g,
  steps: [4e-4, 2e-4, 1e-4],
  measure(at) {
    const world = worldOf(at, {
      robot: sphere(0.05, 2),
      physical: { allowedPenetration: 1e-3 },
      q: [0, 0, 0.05 + 0.02 * g, ...upright],
    })
    let fastest = 0
    run(world, 0.4, ({ state: { v } }) => {
      fastest = Math.max(fastest, v[5])
    })
    return fastest
  },
}

const closes: Form = {
  name: 'gap that closes within a step',
  formula: 'gap 0 at the end of one step if γ < g h²: γ = g h² / 2; relative to γ',
  source: 'the least that keeps bodies apart',
  unit: '1',
  exact: () => 0,
  scale: 1,
  without: ({ rigid }) => (rigid ? undefined : 'springs act after they are pressed'),
  measure(at) {
    const gap = 0.5 * g * at.dt * at.dt
    const world = worldOf(at, { robot: box([0.2, 0.2, 0.2], 1), physical: { friction: 0 }, q: [0, 0, 0.1 + gap, ...upright] })
    world.step()
    return (world.state.q[2] - 0.1) / gap
  },
}

const trap: Form = {
  name: 'point that comes in over the corner of a box',
  formula: 'v stays: from diagonally outside, 1 mm above the top, 1 m/s along it',
  source: 'nothing is touched (Nguyen and Trinkle 2010: where a model takes each face for a half-space, it is trapped)',
  unit: 'm/s',
  exact: () => 1,
  measure(at) {
    const world = worldOf(at, {
      robot: freeBody({ shape: { type: 'sphere', radius: 0 }, mass: 1, inertia: [0.1, 0.1, 0.1], gravity: weightless }),
      fixtures: [fixedBox('box', [0.5, 0, -0.5], [1, 1, 1])],
      physical: { friction: 0 },
      q: [-0.05, 0, 1e-3, ...upright],
      v: [0, 0, 0, 1, 0, 0],
    })
    return valueAt(world, 0.2, (each) => velocityW(each)[0])
  },
}

const letIn: Form = {
  name: 'what a rotation lets in within a step',
  formula: 'depth / gap → 0: tip of a pendulum that would go half as far again as its gap, 2/3 v h cos 45°',
  source: 'the gap is linear in the velocity but for the turn: depth of order h²',
  unit: '1',
  exact: () => 0,
  scale: 1,
  without: ({ rigid }) => (rigid ? undefined : 'springs act after they are pressed'),
  measure(at) {
    const [length, angle] = [1, Math.PI / 4]
    const gap = (2 / 3) * length * cos(angle) * at.dt
    const robot = makeRobot(
      'pendulum',
      [
        {
          name: 'rod',
          jointName: 'hinge',
          parent: 0,
          jointType: JointType.revolute,
          axis: [0, 1, 0],
          position: [0, 0, length * sin(angle) + gap],
          mass: 1,
          inertia: [1, 1, 1, 0, 0, 0],
        },
      ],
      [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [length, 0, 0] }],
      weightless,
    )
    const world = worldOf(at, { robot, physical: { friction: 0 }, q: [angle], v: [1] })
    world.step()
    return (length * sin(world.state.q[0]) - length * sin(angle)) / gap - 1
  },
}

export const impacts: Chapter = {
  heading: 'Impacts',
  forms: [
    bounce('ball that bounces', 'H e²: falls for 0.32 s, e 0.75; at the top', 0.75, 1),
    bounce('third bounce', 'H e⁶ after √(2 H / g) (1 + 2 e + 2 e² + e³): e 0.75', 0.75, 3),
    bounce('elastic ball, after four bounces', 'H: e 1', 1, 4),
    toRest,
    dead,
    clipped,
    headOn,
    cradle,
    cascade,
    twoBalls,
    rodOnEnd,
    sticks,
    slips,
    english,
    offCentre,
    percussion,
    pendulum,
  ],
}

export const withinAStep: Chapter = { heading: 'Within a step', forms: [closes, letIn, trap] }
