import { hullOf } from '../../contact/index.ts'
import { type BodyDefinition, JointType } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import {
  box,
  dot,
  downhill,
  effortsOf,
  floating,
  freeBody,
  g,
  makeRobot,
  onSixJoints,
  onSlope,
  pushAt,
  rotate,
  run,
  type ShapeOn,
  slider,
  slope,
  slopeRotation,
  support,
  tilted,
  type Vector,
  velocityW,
} from '../../test/contact/laws/scenes.ts'
import { loadBetween } from '../../test/contact/laws/stacks.ts'
import { type Chapter, type Form, type Setting, solution, valueAt, worldOf } from './form.ts'

const degree = Math.PI / 180
const { sin, cos, tan, hypot, sqrt } = Math

/** A block that cannot turn, on a slope. */
function onIncline(at: Setting, angle: number, mu: number, uphill = 0, heading = 0) {
  return worldOf(at, {
    robot: slider([0.2, 0.2, 0.1], 10, slopeRotation(angle, heading)),
    fixtures: [slope(angle, heading)],
    physical: { friction: mu },
    q: onSlope(0.05 - at.sink * cos(angle), angle, heading).slice(0, 3),
    v: downhill(angle, heading).map((x) => -uphill * x),
  })
}

/** A body that slides along x without friction of its own, its shape at the origin: belts, planks, wedges. */
export const onRail = (mass: number, shape: ShapeOn['shape'], p: Vector): Robot =>
  makeRobot(
    'carriage',
    [
      {
        name: 'carriage',
        jointName: 'rail',
        parent: 0,
        jointType: JointType.prismatic,
        axis: [1, 0, 0],
        mass,
        inertia: [mass, mass, mass, 0, 0, 0],
      } satisfies BodyDefinition,
    ],
    [{ body: 1, shape, p }],
  )

export const belt = (mass: number): Robot => onRail(mass, { type: 'box', size: [8, 1, 0.1] }, [0, 0, -0.05])

const down = (() => {
  const [angle, mu, time] = [15 * degree, 0.25, 0.6]
  return {
    name: 'block down a slope',
    formula: 'v = g (sin α - μ cos α) t: 0.1020 m/s after 0.6 s at 15°, μ 0.25',
    source: "Coulomb's law",
    unit: 'm/s',
    exact: () => g * (sin(angle) - mu * cos(angle)) * time,
    measure: (at) => valueAt(onIncline(at, angle, mu), time, ({ state }) => dot(state.v, downhill(angle))),
  } satisfies Form
})()

const sixJoints: Form = {
  name: 'box down a slope on six joints',
  formula: 'the same of a box that hangs on three prismatic and three revolute joints in place of a floating one',
  source: "Coulomb's law; links without mass",
  unit: 'm/s',
  exact: () => g * (sin(15 * degree) - 0.25 * cos(15 * degree)) * 0.6,
  measure(at) {
    const free = box([0.2, 0.3, 0.1], 10, tilted(15 * degree))
    const robot = onSixJoints(free, [0, 0, 0], [1 / 12, 0.5 / 12, 1.3 / 12])
    const world = worldOf(at, {
      robot,
      physical: { friction: 0.25 },
      q: [0, 0, 0.05 - at.sink * cos(15 * degree), 0, 0, 0],
    })
    return valueAt(world, 0.6, ({ state }) => state.v[0])
  },
}

const rests: Form = {
  name: 'block that stays on a slope',
  formula: 'v = 0 while tan α ≤ μ: after 1 s at 15°, μ 0.3; relative to g t sin α',
  source: "Coulomb's law",
  unit: 'm/s',
  exact: () => 0,
  scale: g * sin(15 * degree),
  measure: (at) => valueAt(onIncline(at, 15 * degree, 0.3), 1, ({ state }) => dot(state.v, downhill(15 * degree))),
}

const up = (() => {
  const [angle, mu, v0] = [15 * degree, 0.3, 2]
  return {
    name: 'block thrown up a slope, which stays',
    formula: 's = v0² / (2 g (sin α + μ cos α)): at 15°, μ 0.3, 2 m/s',
    source: 'energy and the work of friction',
    unit: 'm',
    exact: () => (v0 * v0) / (2 * g * (sin(angle) + mu * cos(angle))),
    measure(at) {
      const world = onIncline(at, angle, mu, v0)
      const start = dot(world.state.q, downhill(angle))
      return valueAt(world, 0.6, ({ state }) => start - dot(state.q, downhill(angle)))
    },
  } satisfies Form
})()

const backAgain = (() => {
  const [angle, mu, v0] = [30 * degree, 0.2, 2]
  const rise = (v0 * v0) / (2 * g * (sin(angle) + mu * cos(angle)))
  const time = v0 / (g * (sin(angle) + mu * cos(angle))) + sqrt((2 * rise) / (g * (sin(angle) - mu * cos(angle))))
  return {
    name: 'block shot up a slope and back',
    formula: 'v = v0 √((tan α - μ) / (tan α + μ)) where it set off: at 30°, μ 0.2, 2 m/s',
    source: 'energy and the work of friction, up and down',
    unit: 'm/s',
    exact: () => v0 * sqrt((tan(angle) - mu) / (tan(angle) + mu)),
    measure: (at) => valueAt(onIncline(at, angle, mu, v0), time, ({ state }) => dot(state.v, downhill(angle))),
  } satisfies Form
})()

const straight = (() => {
  const [angle, mu, heading] = [25 * degree, 0.3, 25 * degree]
  return {
    name: 'straight down a slope that falls askew',
    formula: 'sideways v = 0 on a slope that falls at 25° to the axes; relative to g (sin α - μ cos α) t',
    source: 'friction is against the slip; a pyramid of fixed sides bends the path',
    unit: 'm/s',
    exact: () => 0,
    scale: g * (sin(angle) - mu * cos(angle)) * 0.4,
    measure: (at) =>
      valueAt(onIncline(at, angle, mu, 0, heading), 0.4, ({ state }) => dot(state.v, [-sin(heading), cos(heading), 0])),
  } satisfies Form
})()

const edges = (() => {
  const [a, c, angle, mu] = [0.1, 0.05, 20 * degree, 0.2]
  const N = 10 * g * cos(angle)
  return {
    name: 'load of the lower edge of a sliding box',
    formula: 'N / 2 + F c / (2 a), F = μ N: half-length a 0.1, half-height c 0.05, 20°, μ 0.2',
    source: 'moments about the centre of mass',
    unit: 'N',
    exact: () => N / 2 + (mu * N * c) / (2 * a),
    measure(at) {
      const world = worldOf(at, {
        robot: box([2 * a, 0.3, 2 * c]),
        fixtures: [slope(angle)],
        physical: { friction: mu },
        q: onSlope(c - at.sink * cos(angle), angle),
      })
      run(world, 0.4)
      const { count, point, impulse } = world.contacts
      const middle = dot(world.state.q, downhill(angle))
      let lower = 0
      for (let i = 0; i < count; i++) {
        if (dot(point.subarray(3 * i, 3 * i + 3), downhill(angle)) > middle) lower += impulse[3 * i] / at.dt
      }
      return lower
    },
  } satisfies Form
})()

const toRest = (() => {
  const [mu, v0] = [0.3, 2]
  return {
    name: 'sliding to rest',
    formula: 's = v0² / (2 μ g): 2 m/s, μ 0.3',
    source: 'energy and the work of friction',
    unit: 'm',
    exact: () => (v0 * v0) / (2 * mu * g),
    measure(at) {
      const world = worldOf(at, {
        robot: slider([0.2, 0.2, 0.1], 10),
        physical: { friction: mu },
        q: [0, 0, 0.05 - at.sink],
        v: [0.6 * v0, 0.8 * v0, 0],
      })
      return valueAt(world, 1, ({ state: { q } }) => hypot(q[0], q[1]))
    },
  } satisfies Form
})()

const fastBox = (() => {
  const [mu, v0] = [0.8, 5]
  return {
    name: 'height of a box that slides at 5 m/s',
    formula: 'z = c + 0 at all times: highest rise of the centre in 0.4 s, μ 0.8; relative to v0² / 2 g',
    source: 'the ground keeps a body from sinking and does nothing else',
    unit: 'm',
    exact: () => 0,
    scale: (v0 * v0) / (2 * g),
    measure(at) {
      const world = worldOf(at, {
        robot: box([0.4, 0.4, 0.1]),
        physical: { friction: mu },
        q: [0, 0, 0.05 - at.sink, 0, 0, 0, 1],
        v: [0, 0, 0, v0, 0, 0],
      })
      let highest = 0
      run(world, 0.4, ({ state: { q } }) => {
        highest = Math.max(highest, q[2] - 0.05)
      })
      return highest
    },
  } satisfies Form
})()

const atAngle = (() => {
  const [mass, mu, fx, fy] = [0.2, 0.3, -1, 0.8]
  return {
    name: 'force at an angle',
    formula: 'v = (|f| - μ m g) t / m along f = (-1, 0.8) N: m 0.2 kg, μ 0.3; v_x after 0.5 s is -1.3510 m/s',
    source: 'Horak and Trinkle (2019), of the friction cone; a box of friction answers -1.0285, a fixed diamond -1.5143',
    unit: 'm/s',
    exact: () => ((fx / hypot(fx, fy)) * (hypot(fx, fy) - mu * mass * g) * 0.5) / mass,
    measure(at) {
      const world = worldOf(at, {
        robot: slider([0.1, 0.1, 0.1], mass),
        physical: { friction: mu },
        q: [0, 0, 0.05 - at.sink],
        push(tau) {
          tau[0] = fx
          tau[1] = fy
        },
      })
      return valueAt(world, 0.5, ({ state }) => state.v[0])
    },
  } satisfies Form
})()

const holds = (() => {
  const [mass, mu] = [2, 0.5]
  const share = 1.1
  const pull = (share * mu * mass * g) / Math.SQRT2
  return {
    name: 'pull between the axes that just slides',
    formula: 'v = (1.1 - 1) μ g t after 0.5 s: pulled at 45° with 1.1 μ m g, μ 0.5',
    source: "Coulomb's law: μ N in all directions; a box of friction has √2 μ N there",
    unit: 'm/s',
    exact: () => (share - 1) * mu * g * 0.5,
    measure(at) {
      const world = worldOf(at, {
        robot: slider([0.1, 0.1, 0.1], mass),
        physical: { friction: mu },
        q: [0, 0, 0.05 - at.sink],
        push(tau) {
          tau[0] = pull
          tau[1] = pull
        },
      })
      return valueAt(world, 0.5, ({ state: { v } }) => hypot(v[0], v[1]))
    },
  } satisfies Form
})()

const onPlank = (() => {
  const [m, M, mu, v0] = [1, 3, 0.4, 2]
  return {
    name: 'block thrown on a plank that is free to slide',
    formula: 's = v0² / (2 μ g (1 + m / M)) on the plank: m 1 kg, M 3 kg, μ 0.4, 2 m/s',
    source: 'momentum, and energy lost to friction',
    unit: 'm',
    exact: () => (v0 * v0) / (2 * mu * g * (1 + m / M)),
    measure(at) {
      const world = worldOf(at, {
        robots: [
          { robot: belt(M), q: [0] },
          { robot: box([0.2, 0.2, 0.05], m), q: [0, 0, 0.025 - at.sink, 0, 0, 0, 1], v: [0, 0, 0, v0, 0, 0] },
        ],
        fixtures: [],
        physical: { friction: mu },
      })
      return valueAt(world, 0.6, ({ state: { q } }) => q[1] - q[0])
    },
  } satisfies Form
})()

const conveyor = (() => {
  const [mu, u] = [0.4, 1.5]
  return {
    name: 'box laid on a conveyor belt',
    formula: 's = u² / (2 μ g) behind the belt when it has its speed, after u / (μ g): u 1.5 m/s, μ 0.4',
    source: 'sliding to rest, seen from the belt',
    unit: 'm',
    exact: () => (u * u) / (2 * mu * g),
    measure(at) {
      const world = worldOf(at, {
        robots: [
          { robot: belt(1e6), q: [0], v: [u] },
          { robot: box([0.2, 0.2, 0.05], 1), q: [0, 0, 0.025, 0, 0, 0, 1] }, // springs carry a belt
        ],
        fixtures: [],
        physical: { friction: mu },
      })
      return valueAt(world, 0.6, ({ state: { q } }) => q[0] - q[1])
    },
  } satisfies Form
})()

const wedge = (() => {
  const [M, m, angle] = [4, 2, 30 * degree]
  const [long, across] = [2, 0.5]
  // a prism whose upper face rises towards -x, through the origin
  const corners = [-1, 1].flatMap((x) =>
    [-across, across].flatMap((y) => [-1.5, -x * long * tan(angle)].map((z) => [long * x, y, z])),
  )
  return {
    name: 'block on a wedge that gives way',
    formula: 'A = m g sin α cos α / (M + m sin² α) of the wedge, without friction: M 4 kg, m 2 kg, 30°, after 0.4 s',
    source: 'momentum along x, and the normal force on either',
    unit: 'm/s',
    exact: () => (-0.4 * m * g * sin(angle) * cos(angle)) / (M + m * sin(angle) ** 2),
    measure(at) {
      const world = worldOf(at, {
        robots: [
          { robot: onRail(M, { type: 'hull', polyhedron: hullOf(Float64Array.from(corners.flat())) }, [0, 0, 0]), q: [0] },
          { robot: box([0.2, 0.2, 0.1], m), q: onSlope(0.05 - at.sink * cos(angle), angle) },
        ],
        fixtures: [],
        physical: { friction: 0 },
      })
      return valueAt(world, 0.4, ({ state }) => state.v[0])
    },
  } satisfies Form
})()

const inARow = (() => {
  const [m1, m2, F] = [3, 2, 20]
  return {
    name: 'two blocks pushed in a row',
    formula: 'the front one is pushed with F m2 / (m1 + m2): 20 N on 3 kg and 2 kg, no friction',
    source: 'both accelerate at F / (m1 + m2)',
    unit: 'N',
    exact: () => (F * m2) / (m1 + m2),
    measure(at) {
      const cube = (mass: number) => box([0.2, 0.2, 0.2], mass)
      const pushed = worldOf(at, {
        robots: [
          {
            robot: cube(m1),
            q: [-0.2, 0, 0.1 - at.sink, 0, 0, 0, 1],
            controller: effortsOf((tau, _t, q) => pushAt(tau, q, [F, 0, 0], [0, 0, 0])),
          },
          { robot: cube(m2), q: [0, 0, 0.1 - at.sink, 0, 0, 0, 1] },
        ],
        physical: { friction: 0 },
      })
      run(pushed, 0.4)
      return loadBetween(pushed, 1, 2)
    },
  } satisfies Form
})()

/** Corners of no height under the centre of mass, so that loads do not depend on friction. */
function puck(mass: number, J: number, feet: readonly (readonly [number, number])[]): Robot {
  const points = feet.map(([x, y]): ShapeOn => ({ body: 1, shape: { type: 'sphere', radius: 0 }, p: [x, y, 0] }))
  return makeRobot('puck', [{ ...floating, mass, inertia: [J / 2, J / 2, J, 0, 0, 0] }], points)
}

const around = (count: number, radius: number) =>
  Array.from({ length: count }, (_, k) => {
    const angle = (2 * Math.PI * (k + 0.5)) / count
    return [radius * cos(angle), radius * sin(angle)] as const
  })

const ring: Form = {
  name: 'ring that spins on its points',
  formula: 'ω = ω0 - μ g t / R: 20 rad/s, R 0.2 m, μ 0.25, after 0.8 s',
  source: 'friction μ m g at the lever R on the inertia m R²',
  unit: 'rad/s',
  exact: () => 20 - (0.25 * g * 0.8) / 0.2,
  measure(at) {
    const world = worldOf(at, {
      robot: puck(3, 3 * 0.04, around(3, 0.2)),
      physical: { friction: 0.25 },
      q: [0, 0, -at.sink, 0, 0, 0, 1],
      v: [0, 0, 20, 0, 0, 0],
    })
    return valueAt(world, 0.8, ({ state }) => state.v[2])
  },
}

/** Pucks that slide at 1.5 m/s and spin at 5 rad/s, with μ 0.4: yaw and way after they have come to rest. */
function spinningPuck(mass: number, J: number, feet: readonly (readonly [number, number])[]) {
  const [mu, v0, w0] = [0.4, 1.5, 5]
  // x, y, yaw, their rates: each foot carries its share of the weight, friction against its slip
  const rate = ([, , yaw, vx, vy, w]: readonly number[]) => {
    let [fx, fy, moment] = [0, 0, 0]
    for (const [a, b] of feet) {
      const [x, y] = [a * cos(yaw) - b * sin(yaw), a * sin(yaw) + b * cos(yaw)]
      const [ux, uy] = [vx - w * y, vy + w * x]
      const slip = hypot(ux, uy)
      const f = slip < 1e-9 ? 0 : (-mu * mass * g) / feet.length / slip
      fx += f * ux
      fy += f * uy
      moment += x * f * uy - y * f * ux
    }
    return [vx, vy, w, fx / mass, fy / mass, moment / J]
  }
  let rest: number[] | undefined
  return {
    // short of rest by 1e-6 m/s: what follows is below 1e-12 m
    rest() {
      if (rest) return rest
      let y: number[] = [0, 0, 0, v0, 0, w0]
      const h = 2e-5
      while (hypot(y[3], y[4], 0.1 * y[5]) > 3 * h) y = solution(rate, y, h, 1)
      rest = y
      return y
    },
    measure(at: Setting, quantity: (q: Float64Array) => number) {
      const world = worldOf(at, {
        robot: puck(mass, J, feet),
        physical: { friction: mu },
        q: [0, 0, -at.sink, 0, 0, 0, 1],
        v: [0, 0, w0, v0, 0, 0],
      })
      return valueAt(world, 1, ({ state: { q } }) => quantity(q))
    },
  }
}

const yawOf = (q: Float64Array) => {
  const [x, y] = rotate(q, 3, [1, 0, 0])
  return Math.atan2(y, x)
}

const square = (() => {
  const half = 0.1
  const feet = [-half, half].flatMap((x) => [-half, half].map((y) => [x, y] as const))
  const each = spinningPuck(1, (2 * half * half) / 3, feet)
  return {
    name: 'square puck that slides and spins: yaw',
    formula: 'four corners of W / 4 each, friction against the slip of each: 1.5 m/s, 5 rad/s, μ 0.4, side 0.2 m, uniform',
    source: 'equations of motion integrated by Runge and Kutta, steps of 20 µs',
    unit: 'rad',
    exact: () => each.rest()[2],
    measure: (at) => each.measure(at, yawOf),
  } satisfies Form
})()

const threeFeet = (() => {
  const each = spinningPuck(1, 0.02, around(3, 0.1))
  const texts = {
    source: 'equations of motion integrated by Runge and Kutta, steps of 20 µs; three loads are determined',
  }
  return [
    {
      ...texts,
      name: 'puck on three feet that slides and spins: yaw',
      formula: 'W / 3 a foot, friction against the slip of each: 1.5 m/s, 5 rad/s, μ 0.4, R 0.1 m, J = 2 m R²',
      unit: 'rad',
      exact: () => each.rest()[2],
      measure: (at) => each.measure(at, yawOf),
    },
    {
      ...texts,
      name: 'puck on three feet that slides and spins: way',
      formula: 'the same: how far it gets along its first velocity',
      unit: 'm',
      exact: () => each.rest()[0],
      measure: (at) => each.measure(at, (q) => q[0]),
    },
  ] satisfies Form[]
})()

const pressed = (() => {
  const [mass, mu, S] = [2, 0.5, 30]
  return {
    name: 'block pressed on a wall that slides down it',
    formula: 'v = -(g - μ S / m) t: S 30 N of 39.2 N that would hold 2 kg at μ 0.5, after 0.4 s',
    source: "Coulomb's law",
    unit: 'm/s',
    exact: () => -(g - (mu * S) / mass) * 0.4,
    measure(at) {
      const world = worldOf(at, {
        robot: freeBody({ shape: { type: 'sphere', radius: 0 }, mass, inertia: [0.1, 0.1, 0.1] }),
        fixtures: [
          {
            name: 'wall',
            body: 0,
            shape: { type: 'halfspace', normal: [1, 0, 0], offset: 0 },
            R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
            p: new Float64Array(3),
          },
        ],
        physical: { friction: mu },
        q: [(-at.sink * S) / (mass * g), 0, 0, 0, 0, 0, 1],
        push: (tau, _t, q) => pushAt(tau, q, [-S, 0, 0], [0, 0, 0]),
      })
      return valueAt(world, 0.4, (each) => velocityW(each)[2])
    },
  } satisfies Form
})()

export const lopsided: Form = {
  name: 'centre of pressure of a lopsided box',
  formula: 'x_p = x of the centre of mass, 30 mm off the middle',
  source: 'moments',
  unit: 'm',
  exact: () => 0.03,
  measure(at) {
    const robot = makeRobot(
      'lopsided box',
      [{ ...floating, mass: 10, centerOfMass: [0.03, -0.02, 0.01], inertia: [0.05, 0.05, 0.08, 0, 0, 0] }],
      [{ body: 1, shape: { type: 'box', size: [0.2, 0.2, 0.1] } }],
    )
    const world = worldOf(at, { robot, q: [0, 0, 0.05 - at.sink, 0, 0, 0, 1] })
    return support(run(world, 1)).pressure[0]
  },
}

export const sliding: Chapter = {
  heading: 'Sliding',
  forms: [
    down,
    sixJoints,
    rests,
    up,
    backAgain,
    straight,
    edges,
    toRest,
    fastBox,
    atAngle,
    holds,
    onPlank,
    conveyor,
    wedge,
    inARow,
    pressed,
  ],
}

export const spinning: Chapter = { heading: 'Sliding and spinning', forms: [ring, square, ...threeFeet] }
