import { JointType } from '../../dynamics/index.ts'
import { groove } from '../../test/contact/laws/grounds.ts'
import {
  box,
  dot,
  downhill,
  effortsOf,
  fixedBox,
  floating,
  floor,
  freeBody,
  g,
  identity,
  makeRobot,
  onSlope,
  pushAt,
  roller,
  run,
  slope,
  sphere,
  tilted,
  velocityW,
} from '../../test/contact/laws/scenes.ts'
import { cart, onItsCircle } from '../../test/contact/laws/wheels.ts'
import { type Chapter, type Form, solution, valueAt, worldOf } from './form.ts'
import { belt } from './sliding.ts'

const degree = Math.PI / 180
const { sin, cos, tan, sqrt } = Math
const upright = [0, 0, 0, 1]
/** Turns z to -y: lays a cylinder down along y. */
const lying = Float64Array.of(1, 0, 0, 0, 0, -1, 0, 1, 0)

const downSlope = (
  [
    ['sphere', sphere(0.1), 0.4],
    ['cylinder', roller(0.1, 0.2), 0.5],
    ['hoop', roller(0.1, 0.2, 10, 1), 1],
  ] as const
).map(([what, robot, k]): Form => {
  const angle = 20 * degree
  return {
    name: `${what} rolling down a slope`,
    formula: `v = g sin α t / (1 + k), k = ${k}: after 0.6 s at 20°, μ 5 % above tan α k / (1 + k)`,
    source: 'J = k m r², no slip',
    unit: 'm/s',
    exact: () => (g * sin(angle) * 0.6) / (1 + k),
    measure(at) {
      const world = worldOf(at, {
        robot,
        fixtures: [slope(angle)],
        physical: { friction: (1.05 * tan(angle) * k) / (1 + k) },
        q: onSlope(0.1 - at.sink * cos(angle), angle),
      })
      return valueAt(world, 0.6, (each) => dot(velocityW(each), downhill(angle)))
    },
  }
})

const slipping: Form = {
  name: 'sphere slipping down a slope: spin',
  formula: 'ω = 5 μ g cos α t / (2 r): after 0.6 s at 20°, μ half of 2/7 tan α',
  source: "friction's moment on 2/5 m r²",
  unit: 'rad/s',
  exact: () => (5 * (tan(20 * degree) / 7) * g * cos(20 * degree) * 0.6) / (2 * 0.1),
  measure(at) {
    const angle = 20 * degree
    const world = worldOf(at, {
      robot: sphere(0.1),
      fixtures: [slope(angle)],
      physical: { friction: tan(angle) / 7 },
      q: onSlope(0.1 - at.sink * cos(angle), angle),
    })
    return valueAt(world, 0.6, ({ state }) => state.v[1])
  },
}

/** A ball thrown along the level with a spin, which slides until it rolls. */
function thrown(name: string, formula: string, v0: number, spin: number): Form {
  const [mu, radius, time] = [0.2, 0.1, 1.2]
  const slip = v0 - radius * spin
  const until = (2 * slip) / (7 * mu * g)
  const rolls = v0 - mu * g * until
  return {
    name,
    formula,
    source: 'momentum about a point of the ground is kept: v = (5 v0 + 2 r ω0) / 7 after 2 (v0 - r ω0) / (7 μ g)',
    unit: 'm',
    exact: () => v0 * until - 0.5 * mu * g * until * until + rolls * (time - until),
    measure(at) {
      const world = worldOf(at, {
        robot: sphere(radius),
        physical: { friction: mu },
        q: [0, 0, radius - at.sink, ...upright],
        v: [0, spin, 0, v0, 0, 0],
      })
      return valueAt(world, time, ({ state }) => state.q[0])
    },
  }
}

const bowling = thrown('bowling ball', 'x after 1.2 s; slides for 0.437 s, then rolls at 5/7 v0: 3 m/s, μ 0.2', 3, 0)
const backspin = thrown(
  'ball with backspin that comes back',
  'x after 1.2 s; rolls back at -3/7 m/s: 1 m/s, -40 rad/s, μ 0.2, r 0.1',
  1,
  -40,
)

const grooveRolls: Form = {
  name: 'sphere rolling down a V-groove',
  formula: 'v = g sin α t / (1 + 2/5 / sin² β): after 0.6 s at 15°, walls at β 35° from the vertical',
  source: 'rolls on the radius r sin β',
  unit: 'm/s',
  exact: () => (g * sin(15 * degree) * 0.6) / (1 + 0.4 / sin(35 * degree) ** 2),
  measure(at) {
    const beta = 35 * degree
    const world = worldOf(at, {
      robot: sphere(0.1, 3, tilted(15 * degree)),
      fixtures: groove(beta),
      physical: { friction: 1 },
      q: [0, 0, (0.1 - at.sink) / sin(beta), ...upright],
    })
    return valueAt(world, 0.6, (each) => velocityW(each)[0])
  },
}

const grooveThrown: Form = {
  name: 'ball thrown along a V-groove',
  formula: 'v = v0 / (1 + 2/5 / sin² β) once it rolls: 2 m/s, β 40°, μ 0.2',
  source: 'momentum and angular momentum, lever r sin β of both walls',
  unit: 'm/s',
  exact: () => 2 / (1 + 0.4 / sin(40 * degree) ** 2),
  measure(at) {
    const beta = 40 * degree
    const world = worldOf(at, {
      robot: sphere(0.1, 3),
      fixtures: groove(beta),
      physical: { friction: 0.2 },
      q: [0, 0, (0.1 - at.sink) / sin(beta), ...upright],
      v: [0, 0, 0, 2, 0, 0],
    })
    return valueAt(world, 1, (each) => velocityW(each)[0])
  },
}

const grooveLoad: Form = {
  name: 'sphere at rest in a V-groove: load of a wall',
  formula: 'N = m g / (2 sin β): 3 kg, β 30°, no friction',
  source: 'balance of forces',
  unit: 'N',
  exact: () => (3 * g) / (2 * sin(30 * degree)),
  measure(at) {
    const world = worldOf(at, {
      robot: sphere(0.1, 3),
      fixtures: groove(30 * degree),
      physical: { friction: 0 },
      q: [0, 0, 0.1 / sin(30 * degree), ...upright],
    })
    const { contacts } = run(world, 1)
    return contacts.impulse[0] / at.dt
  },
}

const turntable = (() => {
  const [rate, v0, radius, time] = [2, 0.2, 0.1, 2]
  const w = (2 / 7) * rate
  return {
    name: 'ball on a turntable',
    formula:
      'its centre goes round a circle at 2/7 of the rate of the table, radius v0 / (2/7 Ω): y after 2 s at Ω 2 rad/s, 0.2 m/s',
    source: 'Weckesser, Am. J. Phys. 65 (1997): dv/dt = 2/7 Ω × v where it rolls',
    unit: 'm',
    exact: () => (v0 / w) * (1 - cos(w * time)),
    measure(at) {
      const table = makeRobot(
        'table',
        [
          {
            name: 'table',
            jointName: 'axle',
            parent: 0,
            jointType: JointType.revolute,
            axis: [0, 0, 1],
            mass: 1e3,
            inertia: [1e6, 1e6, 1e6, 0, 0, 0],
          },
        ],
        [{ body: 1, shape: { type: 'box', size: [3, 3, 0.1] }, p: [0, 0, -0.05] }],
      )
      const world = worldOf(at, {
        robots: [
          { robot: table, q: [0], v: [rate] },
          { robot: sphere(radius, 1), q: [0.3, 0, radius - at.sink, ...upright], v: [6, 2, 0, v0, 0, 0] },
        ],
        fixtures: [],
        physical: { friction: 1 },
      })
      return valueAt(world, time, ({ state }) => state.q[2])
    },
  } satisfies Form
})()

const onPlank: Form = {
  name: 'cylinder on a plank that is pulled away',
  formula: 'v = A t / 3 with A = F / (M + m / 3) of the plank: F 6 N, M 2 kg, m 1 kg, after 0.6 s',
  source: 'rolls without slip on the plank, J = m r² / 2',
  unit: 'm/s',
  exact: () => ((6 / (2 + 1 / 3)) * 0.6) / 3,
  measure(at) {
    const world = worldOf(at, {
      robots: [
        {
          robot: belt(2),
          q: [0],
          controller: effortsOf((tau) => tau.fill(6)),
        },
        { robot: roller(0.1, 0.2, 1), q: [0, 0, 0.1 - at.sink, ...upright] },
      ],
      fixtures: [],
    })
    return valueAt(world, 0.6, (each) => velocityW(each.robots[1])[0])
  },
}

const onRollers: Form = {
  name: 'plank on two rollers',
  formula: 'v = F t / (M + 3/4 m): F 3 N, M 3 kg, two solid rollers of 1 kg, after 0.6 s',
  source: 'the rollers go at half its speed: 3/16 m v² of energy each',
  unit: 'm/s',
  exact: () => (3 * 0.6) / (3 + 0.75),
  measure(at) {
    const [r, half] = [0.05, 0.01]
    const world = worldOf(at, {
      robots: [
        {
          robot: box([1.4, 0.3, 2 * half], 3),
          q: [0, 0, 2 * r + half - 2 * at.sink, ...upright],
          controller: effortsOf((tau, _t, q) => pushAt(tau, q, [3, 0, 0], [0, 0, 0])),
        },
        ...[-0.4, 0.4].map((x) => ({ robot: roller(r, 0.2, 1), q: [x, 0, r - at.sink, ...upright] })),
      ],
    })
    return valueAt(world, 0.6, (each) => velocityW(each.robots[0])[0])
  },
}

const spool: Form = {
  name: 'spool pulled by its thread',
  formula: 'v = F (cos φ - r / R) t / (m (1 + k)): φ 30°, r/R 1/2, 5 N, 2 kg, k 1/2, after 0.6 s; at cos φ = r / R it stays',
  source: 'moments about the point of contact',
  unit: 'm/s',
  exact: () => (5 * (cos(30 * degree) - 0.5) * 0.6) / (2 * 1.5),
  measure(at) {
    const [phi, R] = [30 * degree, 0.1]
    const world = worldOf(at, {
      robot: roller(R, 0.2, 2),
      q: [0, 0, R - at.sink, ...upright],
      push: (tau, _t, q) => pushAt(tau, q, [5 * cos(phi), 0, 5 * sin(phi)], [0.5 * R * sin(phi), 0, -0.5 * R * cos(phi)]),
    })
    return valueAt(world, 0.6, (each) => velocityW(each)[0])
  },
}

const coin = (() => {
  const [a, theta, W, time, mass] = [0.1, 70 * degree, 3, 0.5, 1]
  // steady: sin θ Ω ω3 (C + m a²) - A Ω² sin θ cos θ + m g a cos θ = 0, A = m a² / 4, C = m a² / 2
  const w3 = (cos(theta) * (0.25 * W * W * a * sin(theta) - g)) / (1.5 * W * a * sin(theta))
  const radius = (-a * w3) / W
  return {
    name: 'coin that rolls on a circle',
    formula:
      'a thin disc whose axis is 70° from the vertical goes round at Ω 3 rad/s on the radius a ω3 / Ω, 3/2 a Ω ω3 sin θ = cos θ (g - a Ω² sin θ / 4): y after 0.5 s',
    source: 'angular momentum about the centre, no slip (Routh, Advanced Rigid Dynamics, art. 244)',
    unit: 'm',
    exact: () => radius * sin(W * time),
    steps: [2e-3, 1e-3, 5e-4],
    measure(at) {
      const A = (mass * a * a) / 4
      const width = 1e-3
      const disc = makeRobot(
        'coin',
        [{ ...floating, mass, inertia: [A, A, 2 * A, 0, 0, 0] }],
        // its lower face, on whose rim it rolls, is the disc of the formula
        [{ body: 1, shape: { type: 'cylinder', radius: a, length: width }, p: [0, 0, width / 2] }],
      )
      const world = worldOf(at, {
        robot: disc,
        physical: { friction: 1 },
        q: [0, 0, a * sin(theta) - at.sink, 0, sin(theta / 2), 0, cos(theta / 2)],
        v: [-W * sin(theta), 0, w3, 0, -a * w3, 0],
      })
      return valueAt(world, time, ({ state }) => state.q[1])
    },
  } satisfies Form
})()

const weighted = (() => {
  const [M, m, R, time] = [2, 0.5, 0.1, 0.4]
  return {
    name: 'hoop with a weight on its rim',
    formula: 'd/dt (2 (M + m (1 + cos ψ)) R² ψ̇²/2 + m g R cos ψ) = 0, ψ from the top: x = R (ψ - 90°) after 0.4 s from rest',
    source: 'energy, no slip; integrated by Runge and Kutta',
    unit: 'm',
    exact() {
      const [psi] = solution(
        ([psi, w]) => [w, (m * sin(psi) * (R * R * w * w + g * R)) / (2 * (M + m * (1 + cos(psi))) * R * R)],
        [Math.PI / 2, 0],
        time,
      )
      return R * (psi - Math.PI / 2)
    },
    measure(at) {
      const d = (m * R) / (M + m)
      const about = M * R * R + M * d * d + m * (R - d) ** 2
      const hoop = makeRobot(
        'weighted hoop',
        [{ ...floating, mass: M + m, centerOfMass: [d, 0, 0], inertia: [about, about, about, 0, 0, 0] }],
        [{ body: 1, shape: { type: 'cylinder', radius: R, length: 0.1 }, R: lying }],
      )
      const world = worldOf(at, { robot: hoop, physical: { friction: 2 }, q: [0, 0, R - at.sink, ...upright] })
      return valueAt(world, time, ({ state }) => state.q[0])
    },
  } satisfies Form
})()

const ellipsoid = (() => {
  const [a, b, c, mass, tilt] = [0.1, 0.06, 0.05, 2, 2e-3]
  const rho = (a * a) / c
  const inertia = 0.2 * mass * (a * a + c * c)
  return {
    name: 'ellipsoid that rocks: period',
    formula: 'T = 2π √((I + m c²) / (m g (ρ - c))), ρ = a² / c: semi-axes 100, 60 and 50 mm, small angles, μ 1',
    source: 'rolls without slip on the radius of curvature ρ below its centre',
    unit: 's',
    exact: () => 2 * Math.PI * sqrt((inertia + mass * c * c) / (mass * g * (rho - c))),
    measure(at) {
      const [s, w] = [sin(tilt / 2), cos(tilt / 2)]
      const height = Math.hypot(2 * a * s * w, c * (1 - 2 * s * s)) // support of the ellipsoid along the vertical
      const robot = freeBody({ shape: { type: 'ellipsoid', radii: [a, b, c] }, mass })
      const world = worldOf(at, { robot, physical: { friction: 1 }, q: [0, 0, height - at.sink, 0, s, 0, w] })
      const crossings: number[] = []
      let before = tilt
      run(world, 2.2, ({ state: { q, t } }) => {
        const angle = 2 * Math.asin(q[4])
        if (before > 0 && angle <= 0) crossings.push(t[0] + (at.dt * angle) / (before - angle))
        before = angle
      })
      return (crossings[crossings.length - 1] - crossings[0]) / (crossings.length - 1)
    },
  } satisfies Form
})()

const step = (() => {
  const [R, s, m, time] = [0.1, 0.03, 2, 0.24]
  const start = Math.asin((R - s) / R)
  const F = (1.2 * m * g * cos(start)) / sin(start)
  return {
    name: 'wheel pulled over a step',
    formula:
      'climbs if F > W √(R² - (R - s)²) / (R - s), by 3/2 m R² φ̈ = F R sin φ - W R cos φ: φ after 0.24 s at 1.2 of that, s 0.3 R',
    source: 'moments about the edge; integrated by Runge and Kutta',
    unit: 'rad',
    exact: () => solution(([phi, w]) => [w, (F * sin(phi) - m * g * cos(phi)) / (1.5 * m * R)], [start, 0], time)[0] - start,
    measure(at) {
      const world = worldOf(at, {
        robot: roller(R, 0.1, m),
        fixtures: [floor, fixedBox('step', [0.5, 0, s - 0.5], [1, 1, 1])],
        physical: { friction: 2 },
        q: [-R * cos(start), 0, R, ...upright],
        push: (tau, _t, q) => pushAt(tau, q, [F, 0, 0], [0, 0, 0]),
      })
      return valueAt(world, time, ({ state: { q } }) => Math.atan2(q[2] - s, -q[0]) - start)
    },
  } satisfies Form
})()

/** A ball set down at rest 20 degrees from the top of a larger one: its speed along x once it has left. */
function offTheTop(name: string, friction: number, formula: string, source: string, exact: (start: number) => number): Form {
  const start = 20 * degree
  return {
    name,
    formula,
    source,
    unit: 'm/s',
    exact: () => exact(start),
    measure(at) {
      const distance = 0.6 - at.sink * cos(start)
      const world = worldOf(at, {
        robot: sphere(0.1, 1),
        fixtures: [{ name: 'ball', body: 0, shape: { type: 'sphere', radius: 0.5 }, R: identity, p: new Float64Array(3) }],
        physical: { friction },
        q: [distance * sin(start), 0, distance * cos(start), ...upright],
      })
      return valueAt(world, 1.2, (each) => velocityW(each)[0])
    },
  }
}

const ballOff = offTheTop(
  'ball that rolls off a larger one',
  2,
  'L θ̈ = g sin θ - f, r ω̇ = 5/2 f, f = 2/7 g sin θ while below μ N, N = g cos θ - L θ̇²: L 0.6 m, μ 2; without slip it leaves at cos θ = 10/17 cos θ0',
  'v_x = L θ̇ cos θ where N = 0; integrated by Runge and Kutta',
  (start) => {
    const L = 0.6
    const load = ([th, w]: readonly number[]) => g * cos(th) - L * w * w
    const rate = (y: readonly number[]) => {
      const grip = (2 / 7) * g * sin(y[0])
      return [y[1], (g * sin(y[0]) - Math.min(grip, 2 * Math.max(0, load(y)))) / L]
    }
    let y: number[] = [start, 0]
    while (load(y) > 0) y = solution(rate, y, 2e-5, 1)
    return L * y[1] * cos(y[0])
  },
)
const pointOff = offTheTop(
  'ball that slides off a larger one',
  0,
  'leaves at cos θ = 2/3 cos θ0; from there v_x = √(g L cos θ) cos θ: L 0.6 m, no friction',
  'energy, and N = 0',
  (start) => sqrt(g * 0.6 * (2 / 3) * cos(start)) * (2 / 3) * cos(start),
)

const circle = (() => {
  const [turning, speed] = [0.11 / 0.34, 0.11 * 3.5]
  return {
    name: 'two-wheeled cart on its circle',
    formula: 'x = v/ψ̇ sin ψ̇ t, v = r (ωR + ωL) / 2, ψ̇ = r (ωR - ωL) / b: r 0.11, b 0.34, 4 and 3 rad/s, after 4 s',
    source: 'no slip at two points; speeds held by a controller',
    unit: 'm',
    exact: () => (speed / turning) * sin(4 * turning),
    measure: (at) => valueAt(onItsCircle(at.model, at.dt, at.rigid ? undefined : at.sink), 4, ({ state }) => state.q[0]),
  } satisfies Form
})()

const driven: Form = {
  name: 'cart with torque on both wheels',
  formula: 'v = 2 τ t / (r (M + 2 J / r²)): 1 N m, r 0.11 m, M 8.67 kg, J 0.009 kg m², after 0.5 s',
  source: 'no slip',
  unit: 'm/s',
  exact: () => ((2 / 0.11) * 0.5) / (8.67 + (2 * 0.009) / 0.0121),
  measure(at) {
    const world = worldOf(at, {
      robot: cart(),
      q: [0, 0, 0.11 - at.sink / 2, ...upright, 0, 0],
      push(tau) {
        tau[6] = 1
        tau[7] = 1
      },
    })
    return valueAt(world, 0.5, (each) => velocityW(each)[0])
  },
}

const spins: Form = {
  name: 'cart whose wheels spin',
  formula: 'v = μ N t / M, N = M g - (M g x + 2 τ) / L of the wheels: 1 N m a wheel, μ 0.15, after 0.5 s',
  source: "moments about the wheels' contacts; a caster without friction",
  unit: 'm/s',
  exact: () => (0.15 * (8.67 * g - (5.67 * 0.05 * g + 2) / 0.2) * 0.5) / 8.67,
  measure(at) {
    const world = worldOf(at, {
      robot: cart(),
      physical: { friction: 0.15 },
      q: [0, 0, 0.11 - at.sink / 2, ...upright, 0, 0],
      push(tau) {
        tau[6] = 1
        tau[7] = 1
      },
    })
    return valueAt(world, 0.5, (each) => velocityW(each)[0])
  },
}

const caster: Form = {
  name: 'load of a cart on its caster, driven',
  formula: 'N = (M g x + M a r + 2 J a / r) / L: 0.5 N m a wheel, lever x of the centre of mass, L 0.2 m',
  source: "moments about the wheels' contacts",
  unit: 'N',
  exact() {
    const a = 1 / 0.11 / (8.67 + (2 * 0.009) / 0.0121)
    return (5.67 * 0.05 * g + 8.67 * a * 0.11 + (2 * 0.009 * a) / 0.11) / 0.2
  },
  measure(at) {
    const world = worldOf(at, {
      robot: cart(),
      q: [0, 0, 0.11 - at.sink / 2, ...upright, 0, 0],
      push(tau) {
        tau[6] = 0.5
        tau[7] = 0.5
      },
    })
    const { contacts } = run(world, 0.4)
    let load = 0
    for (let i = 0; i < contacts.count; i++) if (contacts.mu[i] === 0) load += contacts.impulse[3 * i] / at.dt
    return load
  },
}

export const rolling: Chapter = {
  heading: 'Rolling',
  forms: [
    ...downSlope,
    slipping,
    bowling,
    backspin,
    grooveRolls,
    grooveThrown,
    turntable,
    onPlank,
    onRollers,
    spool,
    coin,
    weighted,
    ellipsoid,
    step,
    ballOff,
    pointOff,
    circle,
    driven,
    spins,
  ],
}

export const loadsOfRollers: readonly Form[] = [grooveLoad, caster]
