import { JointType } from '../../dynamics/index.ts'
import { rodOnTip, stopRod } from '../../test/contact/laws/rocking.ts'
import {
  box,
  fixedBox,
  floating,
  floor,
  g,
  makeRobot,
  pushAt,
  rotate,
  type ShapeOn,
  tilted,
  tiltOf,
  type Vector,
  velocityW,
} from '../../test/contact/laws/scenes.ts'
import { type Chapter, type Form, plainOf, type Setting, solution, timeToZero, valueAt, worldOf } from './form.ts'

const { sin, cos, atan, hypot, sqrt } = Math
const degree = Math.PI / 180
const byRungeKutta = 'integrated by Runge and Kutta'

/** Lean of a body that was upright, about y, positive towards x [rad]. */
const leanOf = ({ state: { q } }: { readonly state: { readonly q: ArrayLike<number> } }) => {
  const [x, , z] = rotate(q, 3, [0, 0, 1])
  return Math.atan2(x, z)
}

const tipping = (() => {
  const [b, c, mass, time] = [0.05, 0.1, 10, 0.3]
  const y = 1.5 * c
  const F = (1.2 * mass * g * b) / y
  return {
    name: 'pushed box that tips',
    formula:
      '4/3 m (b² + c²) θ̈ = F (z + y - c) - m g (b cos θ - c sin θ), z = b sin θ + c cos θ: θ after 0.3 s at F y = 1.2 m g b, b 0.05, c 0.1, y 0.15',
    source: `moments about the edge; ${byRungeKutta}`,
    unit: 'rad',
    exact: () =>
      solution(
        ([th, w]) => [
          w,
          (F * (b * sin(th) + c * cos(th) + y - c) - mass * g * (b * cos(th) - c * sin(th))) / ((4 / 3) * mass * (b * b + c * c)),
        ],
        [0, 0],
        time,
      )[0],
    measure(at) {
      const world = worldOf(at, {
        robot: box([2 * b, 2 * b, 2 * c], mass),
        physical: { friction: 2 },
        q: [0, 0, c - at.sink, 0, 0, 0, 1],
        push: (tau, _t, q) => pushAt(tau, q, [F, 0, 0], [0, 0, y - c]),
      })
      return valueAt(world, time, leanOf)
    },
  } satisfies Form
})()

const stands: Form = {
  name: 'pushed box that does not tip',
  formula: 'θ = 0 while F y < m g b: after 0.5 s at 0.95 of that; relative to 1 rad',
  source: 'moments about the edge',
  unit: 'rad',
  exact: () => 0,
  scale: 1,
  measure(at) {
    const [b, c, mass] = [0.05, 0.1, 10]
    const world = worldOf(at, {
      robot: box([2 * b, 2 * b, 2 * c], mass),
      physical: { friction: 2 },
      q: [0, 0, c - at.sink, 0, 0, 0, 1],
      push: (tau, _t, q) => pushAt(tau, q, [(0.95 * mass * g * b) / (1.5 * c), 0, 0], [0, 0, 0.5 * c]),
    })
    return valueAt(world, 0.5, tiltOf)
  },
}

const onSlope = (() => {
  const [b, c, mass, time] = [0.05, 0.1, 10, 0.4]
  const angle = atan((1.1 * b) / c)
  return {
    name: 'box that tips on a slope',
    formula: '4/3 (b² + c²) θ̈ = g (sin α z - cos α (b cos θ - c sin θ)): θ after 0.4 s at tan α = 1.1 b / c',
    source: `moments about the lower edge; ${byRungeKutta}`,
    unit: 'rad',
    exact: () =>
      solution(
        ([th, w]) => [
          w,
          (g * (sin(angle) * (b * sin(th) + c * cos(th)) - cos(angle) * (b * cos(th) - c * sin(th)))) /
            ((4 / 3) * (b * b + c * c)),
        ],
        [0, 0],
        time,
      )[0],
    measure(at) {
      const world = worldOf(at, {
        robot: box([2 * b, 2 * b, 2 * c], mass, tilted(angle)),
        physical: { friction: 2 },
        q: [0, 0, c - at.sink * cos(angle), 0, 0, 0, 1],
      })
      return valueAt(world, time, leanOf)
    },
  } satisfies Form
})()

const [halfWidth, halfHeight] = [0.06, 0.2]
const alpha = atan(halfWidth / halfHeight)
const p2 = (3 * g) / (4 * hypot(halfWidth, halfHeight))
const fall = ([th, w]: readonly number[]) => [w, -p2 * sin(alpha - th)]
const released = 0.6 * alpha

/** A block let go on its edge at x = halfWidth, at 0.6 of the angle on which it would fall over. */
function leaning(at: Setting) {
  const [b, c] = [halfWidth, halfHeight]
  return worldOf(at, {
    robot: box([2 * b, 0.4, 2 * c]),
    physical: { friction: 2 },
    q: [
      b - b * cos(released) + c * sin(released),
      0,
      b * sin(released) + c * cos(released),
      0,
      sin(released / 2),
      0,
      cos(released / 2),
    ],
  })
}

const rocks: Form = {
  name: 'rocking block before its impact',
  formula: 'θ̈ = -p² sin(α - θ), p² = 3 g / (4 R): θ after 0.16 s from 0.6 α, 0.12 by 0.4 m',
  source: `Housner (1963); ${byRungeKutta}`,
  unit: 'rad',
  exact: () => solution(fall, [released, 0], 0.16)[0],
  measure: (at) => valueAt(leaning(at), 0.16, leanOf),
}

const strikes: Form = {
  name: 'rocking block after its impact',
  formula: "ω' = (1 - 3/2 sin² α) ω at the impact: θ on the other side 0.1 s after it",
  source: `Housner (1963): angular momentum about the new edge; ${byRungeKutta}`,
  unit: 'rad',
  exact() {
    const time = timeToZero(fall, [released, 0], 1)
    const [, w] = solution(fall, [released, 0], time)
    return -solution(fall, [0, -w * (1 - 1.5 * sin(alpha) ** 2)], 0.1)[0]
  },
  measure: (at) => valueAt(leaning(at), timeToZero(fall, [released, 0], 1) + 0.1, leanOf),
}

const domino = (() => {
  const [b, c] = [0.02, 0.1]
  const R = hypot(b, c)
  const falls = (at: Setting, w: number) => {
    const world = worldOf(at, {
      robot: box([2 * b, 0.1, 2 * c], 1),
      physical: { friction: 2 },
      q: [0, 0, c - at.sink, 0, 0, 0, 1],
      v: [0, w, 0, w * c, 0, w * b],
    })
    for (let k = 0; k * at.dt < 3; k++) {
      world.step()
      const lean = leanOf(world)
      if (lean > 1.1 * atan(b / c)) return true
      if (world.state.v[1] < 0) return lean > atan(b / c)
    }
    return false
  }
  return {
    name: 'domino: speed that just topples it',
    formula: 'ω² = 3 g (R - c) / (2 R²) on its edge: 0.04 by 0.2 m, R half the diagonal',
    source: 'energy; found by bisection to 1e-5',
    unit: 'rad/s',
    exact: () => sqrt((1.5 * g * (R - c)) / (R * R)),
    steps: [2e-3, 1e-3, 5e-4],
    measure(at) {
      let [low, high] = [0.5, 1.5].map((share) => share * sqrt((1.5 * g * (R - c)) / (R * R)))
      for (let k = 0; k < 17; k++) {
        const middle = 0.5 * (low + high)
        if (falls(at, middle)) high = middle
        else low = middle
      }
      return 0.5 * (low + high)
    },
  } satisfies Form
})()

/** A rod without width along its x, with points that touch. */
const rod = (mass: number, half: number, points: readonly number[], gravity?: Vector) =>
  makeRobot(
    'rod',
    [
      {
        ...floating,
        mass,
        inertia: [(1e-2 * mass * half * half) / 3, (mass * half * half) / 3, (mass * half * half) / 3, 0, 0, 0],
      },
    ],
    points.map((x): ShapeOn => ({ body: 1, shape: { type: 'sphere', radius: 0 }, p: [x, 0, 0] })),
    gravity,
  )

const ladder = (() => {
  const [l, start] = [0.5, 70 * degree]
  return {
    name: 'ladder that slides down and leaves the wall',
    formula:
      'leaves at sin θ = 2/3 sin θ0; from there v_x = 2/3 sin θ0 √(g l sin θ0 / 2): length 2 l = 1 m, from rest at 70°, no friction',
    source: 'energy, and N = 0 at the wall',
    unit: 'm/s',
    exact: () => (2 / 3) * sin(start) * sqrt((g * l * sin(start)) / 2),
    measure(at) {
      const world = worldOf(at, {
        robot: rod(2, l, [-l, l]),
        fixtures: [floor, fixedBox('wall', [-0.5, 0, 1], [1, 4, 4])],
        physical: { friction: 0 },
        q: [l * cos(start), 0, l * sin(start), 0, sin(start / 2), 0, cos(start / 2)],
      })
      return valueAt(world, 0.52, (each) => velocityW(each)[0])
    },
  } satisfies Form
})()

const smoothFloor = (() => {
  const [l, start, time] = [0.5, 10 * degree, 0.6]
  return {
    name: 'rod that slides off on a smooth floor',
    formula:
      '(1/3 + sin² θ) θ̈ + sin θ cos θ θ̇² = g / l sin θ, centre straight down: height l cos θ after 0.6 s from rest at 10°, l 0.5 m',
    source: `energy; ${byRungeKutta}`,
    unit: 'm',
    exact: () =>
      l *
      cos(
        solution(([th, w]) => [w, ((g / l) * sin(th) - sin(th) * cos(th) * w * w) / (1 / 3 + sin(th) ** 2)], [start, 0], time)[0],
      ),
    measure(at) {
      const turn = Math.PI / 2 - start // from the horizontal down to its lower end
      const world = worldOf(at, {
        robot: rod(2, l, [l]),
        physical: { friction: 0 },
        q: [0, 0, l * cos(start) - at.sink, 0, sin(turn / 2), 0, cos(turn / 2)],
      })
      return valueAt(world, time, ({ state }) => state.q[2])
    },
  } satisfies Form
})()

const top = (() => {
  const [mass, l, J1, J3, spin, tilt] = [0.5, 0.06, 4e-4, 6e-4, 100, 0.4]
  const about = J1 + mass * l * l
  // steady: J3 ω3 Ω - J1' Ω² cos θ = m g l, the slow root
  const [a, b] = [about * cos(tilt), J3 * spin]
  const W = (b - sqrt(b * b - 4 * a * mass * g * l)) / (2 * a)
  return {
    name: 'top on its point',
    formula: "J3 ω3 Ω - J1' Ω² cos θ = m g l, the slow root: heading after 0.4 s at 100 rad/s, tilted by 0.4 rad",
    source: 'steady precession about a fixed point (Euler)',
    unit: 'rad',
    exact: () => W * 0.4,
    steps: [1e-3, 5e-4, 2.5e-4],
    measure(at) {
      const robot = makeRobot(
        'top',
        [{ name: 'top', jointName: 'free', parent: 0, jointType: JointType.floating, mass, inertia: [J1, J1, J3, 0, 0, 0] }],
        [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [0, 0, -l] }],
      )
      const axis = [sin(tilt), 0, cos(tilt)]
      const world = worldOf(at, {
        robot,
        physical: { friction: 5 },
        q: [l * axis[0], 0, l * axis[2] - at.sink, 0, sin(tilt / 2), 0, cos(tilt / 2)],
        v: [-W * sin(tilt), 0, spin, 0, W * l * sin(tilt), 0],
      })
      return valueAt(world, 0.4, ({ state }) => {
        const [x, y] = rotate(state.q, 3, [0, 0, 1])
        return Math.atan2(y, x)
      })
    },
  } satisfies Form
})()

const stops: Form = {
  name: "Painlevé's rod: impulse that stops its tip",
  formula: 'p_n = 0.3248 m v: half-length 1 m, 60°, tip ahead at 1 m/s, μ 1.9; solves tip velocity = 0',
  source: 'Stewart (2000); no force keeps the tip from sinking, and an impulse without a collision does',
  unit: 'N s',
  exact() {
    const [x, z, J] = [cos(60 * degree), -sin(60 * degree), 1 / 3]
    const [a, b, c] = [1 + (x * x) / J, (-x * z) / J, 1 + (z * z) / J]
    return b / (a * c - b * b)
  },
  measure({ model, dt, rigid }) {
    // springs: K so large that the impact takes as many steps whatever they are
    if (!rigid)
      return stopRod(model, 0.1 * dt, 100_000, { options: plainOf(model, 1), stiffness: (0.02 / (0.1 * dt)) ** 2 }).impulse[0]
    return stopRod(model, dt, 1).impulse[0]
  },
  springSteps: [4e-6, 2e-6, 1e-6],
}

const belowCritical = (() => {
  const [mu, start, time] = [0.5, 60 * degree, 0.1]
  return {
    name: "Painlevé's rod below its critical friction",
    formula: 'f (1 + 3 cos θ (cos θ - μ sin θ)) / m = g - l θ̇² sin θ: v_x = v0 - μ ∫ f dt / m after 0.1 s at μ 0.5 of 1.347',
    source: `the tip neither rises nor sinks; ${byRungeKutta}`,
    unit: 'm/s',
    exact() {
      const force = (th: number, w: number) => (g - w * w * sin(th)) / (1 + 3 * cos(th) * (cos(th) - mu * sin(th)))
      return solution(([, th, w]) => [-mu * force(th, w), w, 3 * force(th, w) * (mu * sin(th) - cos(th))], [1, start, 0], time)[0]
    },
    measure: (at) =>
      valueAt(
        rodOnTip(at.model, at.dt, { mu, ...(at.rigid ? {} : { stiffness: g / at.sink, damping: undefined }) }),
        time,
        (world) => velocityW(world)[0],
      ),
  } satisfies Form
})()

export const turning: Chapter = {
  heading: 'Tipping, rocking, rods',
  forms: [tipping, stands, onSlope, rocks, strikes, domino, ladder, smoothFloor, top, stops, belowCritical],
}
