import {
  dot,
  downhill,
  floating,
  floor,
  g,
  identity,
  makeRobot,
  onSlope,
  type Scene,
  type ShapeOn,
  slider,
  slope,
  slopeRotation,
  sphere,
  velocityW,
} from '../../test/contact/laws/scenes.ts'
import { type Chapter, type Form, type Setting, solution, valueAt, worldOf } from './form.ts'

const degree = Math.PI / 180
const { sin, cos, tan, atan, exp } = Math
const upright = [0, 0, 0, 1]

type Surface = Pick<typeof floor, 'friction' | 'staticFriction' | 'viscousFriction' | 'stribeckVelocity'>

/** A block that cannot turn, at rest on a slope of this surface. */
function blockOn(at: Setting, angle: number, surface: Surface, push?: Scene['push']) {
  return worldOf(at, {
    robot: slider([0.2, 0.2, 0.1], 10, slopeRotation(angle)),
    fixtures: [{ ...slope(angle), ...surface }],
    q: onSlope(0.05 - at.sink * cos(angle), angle).slice(0, 3),
    push,
  })
}

const stick = { friction: 0.3, staticFriction: 0.8 }

const letsGo: Form = {
  name: 'slope on which static friction lets go',
  formula: 'tan α = μ_s: μ_s 0.8, μ 0.3; found by bisection to 1e-5, of a block that is held for 0.1 s and let go within 0.2 s',
  source: "Coulomb's law",
  unit: 'rad',
  exact: () => atan(0.8),
  measure(at) {
    let [low, high] = [0.2 * atan(0.8), 1.2 * atan(0.8)]
    for (let k = 0; k < 17; k++) {
      const middle = 0.5 * (low + high)
      if (lastsOn(at, middle)) low = middle
      else high = middle
    }
    return 0.5 * (low + high)
  },
}

/** Springs come to bear their load while the block is held. Friction is static up to 0.1 mm/s, which 1e-5 above the limit takes 1 s. */
function lastsOn(at: Setting, angle: number): boolean {
  const world = blockOn(at, angle, stick, (tau, t) => {
    const share = Math.max(0, Math.min(1, 1.5 - 5 * t))
    for (let d = 0; d < 3; d++) tau[d] = -share * 10 * g * sin(angle) * downhill(angle)[d]
  })
  while (world.stepCount * at.dt < 1.3) {
    world.step()
    if (dot(world.state.v, downhill(angle)) > 0.05) return false
  }
  return true
}

const slidesOn = (() => {
  const angle = atan(0.8) + degree
  return {
    name: 'block that static friction has let go',
    formula: 'v = g (sin α - μ cos α) t: after 0.6 s, 1° above atan μ_s, μ_s 0.8, μ 0.3',
    source: "Coulomb's law",
    unit: 'm/s',
    exact: () => g * (sin(angle) - 0.3 * cos(angle)) * 0.6,
    measure: (at) => valueAt(blockOn(at, angle, stick), 0.6, ({ state }) => dot(state.v, downhill(angle))),
  } satisfies Form
})()

const viscous = (() => {
  const [angle, mu, k] = [25 * degree, 0.3, 0.5]
  const rate = k * g * cos(angle)
  return {
    name: 'slide with viscous friction',
    formula: 'v = (tan α - μ) / k_v (1 - exp(-k_v g cos α t)): after 0.3 s at 25°, μ 0.3, k_v 0.5 s/m',
    source: 'm dv/dt = m g sin α - (μ + k_v v) m g cos α',
    unit: 'm/s',
    exact: () => ((tan(angle) - mu) / k) * (1 - exp(-rate * 0.3)),
    measure: (at) =>
      valueAt(blockOn(at, angle, { friction: mu, viscousFriction: k }), 0.3, ({ state }) => dot(state.v, downhill(angle))),
  } satisfies Form
})()

const stribeck: Form = {
  name: "slide along Stribeck's curve",
  formula: 'dv/dt = -g (μ + (μ_s - μ) exp(-(v / v_s)²)): v after 0.4 s from 1 m/s, μ 0.1, μ_s 0.9, v_s 0.3 m/s',
  source: 'integrated by Runge and Kutta',
  unit: 'm/s',
  exact: () => solution(([v]) => [-g * (0.1 + 0.8 * exp(-((v / 0.3) ** 2)))], [1], 0.4)[0],
  measure(at) {
    const world = worldOf(at, {
      robot: slider([0.2, 0.2, 0.1], 10),
      fixtures: [{ ...floor, friction: 0.1, staticFriction: 0.9, stribeckVelocity: 0.3 }],
      q: [0, 0, 0.05 - at.sink],
      v: [1, 0, 0],
    })
    return valueAt(world, 0.4, ({ state }) => state.v[0])
  },
}

const pad: Form = {
  name: 'pad on one point that spins down',
  formula: 'ω = ω0 - μ R m g t / I: 8 rad/s, μ 0.4, torsional radius R 30 mm, a ball of 0.1 m, after 0.1 s',
  source: 'moment μ R N about the normal',
  unit: 'rad/s',
  exact: () => 8 - ((0.4 * 0.03 * g) / (0.4 * 0.1 * 0.1)) * 0.1,
  measure(at) {
    const world = worldOf(at, {
      robot: sphere(0.1, 2),
      fixtures: [{ ...floor, friction: 0.4, torsionRadius: 0.03 }],
      q: [0, 0, 0.1 - at.sink, ...upright],
      v: [0, 0, 8, 0, 0, 0],
    })
    return valueAt(world, 0.1, ({ state }) => state.v[2])
  },
}

const rollsOut: Form = {
  name: 'ball with rolling resistance that rolls out',
  formula: 's = v² (1 + k) R / (2 g l), k = 2/5: 1 m/s, R 0.1 m, rolling length l 4 mm',
  source: 'moment l N about the point of contact',
  unit: 'm',
  exact: () => (1.4 * 0.1) / (2 * g * 4e-3),
  measure(at) {
    const world = worldOf(at, {
      robot: sphere(0.1),
      fixtures: [{ ...floor, friction: 0.6, rollingLength: 4e-3 }],
      q: [0, 0, 0.1 - at.sink, ...upright],
      v: [0, 10, 0, 1, 0, 0],
    })
    return valueAt(world, 4, ({ state }) => state.q[0])
  },
}

const rollsDown = (() => {
  const angle = atan(1.5 * 0.04)
  return {
    name: 'ball with rolling resistance down a slope',
    formula: 'v = g (sin α - l / R cos α) t / (1 + k): after 0.6 s at tan α = 1.5 l / R, l 4 mm, R 0.1 m',
    source: 'moments about the point of contact',
    unit: 'm/s',
    exact: () => ((g * (sin(angle) - 0.04 * cos(angle))) / 1.4) * 0.6,
    measure(at) {
      const world = worldOf(at, {
        robot: sphere(0.1),
        fixtures: [{ ...slope(angle), friction: 0.6, rollingLength: 4e-3 }],
        q: onSlope(0.1 - at.sink * cos(angle), angle),
      })
      return valueAt(world, 0.6, (each) => dot(velocityW(each), downhill(angle)))
    },
  } satisfies Form
})()

/** A line, a square and a disc that spin down about their middle: levers of friction under uniform pressure, and at ends, corners or rim. */
function spinsDown(): Form[] {
  const a = 0.2
  const alongX = Float64Array.of(0, 0, 1, 0, 1, 0, -1, 0, 0)
  const shapes = [
    {
      what: 'line',
      on: { shape: { type: 'cylinder', radius: 0.05, length: a }, R: alongX },
      uniform: ['L / 4', a / 4],
      corners: ['L / 2', a / 2],
    },
    {
      what: 'square',
      on: { shape: { type: 'box', size: [a, a, 0.1] }, R: identity },
      uniform: ['0.3826 a', ((Math.SQRT2 + Math.log(1 + Math.SQRT2)) / 6) * a],
      corners: ['0.7071 a', Math.SQRT1_2 * a],
    },
    {
      what: 'disc',
      on: { shape: { type: 'cylinder', radius: a / 2, length: 0.1 }, R: identity },
      uniform: ['2 R / 3', a / 3],
      corners: ['R', a / 2],
    },
  ] as const
  return shapes.flatMap(({ what, on, ...levers }) =>
    (['uniform', 'corners'] as const).map((patch): Form => {
      const [text, lever] = levers[patch]
      return {
        name: `${what} that spins down, patch: ${patch}`,
        formula: `ω = ω0 - μ g r t / k², r = ${text}: 6 rad/s, μ 0.4, ${what === 'disc' ? 'R 0.1 m' : `${what === 'line' ? 'L' : 'a'} 0.2 m`}, k 0.1 m, after 0.05 s`,
        source:
          patch === 'uniform' ? 'moment of friction under uniform pressure, μ N r' : 'friction at ends, corners or rim alone',
        unit: 'rad/s',
        exact: () => 6 - ((0.4 * g * lever) / 0.01) * 0.05,
        measure(at) {
          const shape: ShapeOn = { body: 1, ...on }
          const world = worldOf(at, {
            robot: makeRobot('pad', [{ ...floating, mass: 2, inertia: [0.02, 0.02, 0.02, 0, 0, 0] }], [shape]),
            options: { patch },
            physical: { friction: 0.4 },
            q: [0, 0, 0.05 - at.sink, ...upright],
            v: [0, 0, 6, 0, 0, 0],
          })
          return valueAt(world, 0.05, ({ state }) => state.v[2])
        },
      }
    }),
  )
}

export const surfaces: Chapter = {
  heading: 'Friction beyond one coefficient',
  forms: [letsGo, slidesOn, viscous, stribeck, pad, rollsOut, rollsDown, ...spinsDown()],
}
