import { expect } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import { createControllerLoop, hold } from '../../../control/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import type { EffortSource, World } from '../../../simulation/index.ts'
import { body, hinge, solid } from '../../dynamics/bodies.ts'
import { choleskySolve } from '../../oracle/dense.ts'
import { checkForces, full, type Suite, steps } from './law.ts'
import { floating, g, makeRobot, makeWorld, pushAt, run, type ShapeOn, sinkOf, support, velocityW } from './scenes.ts'

/*
 * What stands on more points than statics can tell apart: any split of the load that balances it is a solution of the rigid
 * problem, and a robot that drives on some of these points goes as far as the split lets it. So a model takes one by a rule:
 * as if each contact were a small spring, f = k dⁿ with the depths d in one plane, and k the same everywhere: of real springs, and
 * of the compliance that rigid models state.
 */

/** Tables, and carts on more wheels than three. */
export function loadLaws({ model, rigid, springExponent = 1, solvers, section, law }: Suite): void {
  section('indeterminate loads', () => {
    law('a table on 4, 5 and 8 like legs, loaded off its middle, stands on them as on equal springs', () => {
      const [mass, radius] = [10, 0.4]
      for (const dt of steps) {
        for (const count of [4, 5, 8]) {
          const legs = Array.from({ length: count }, (_, k): [number, number] => {
            const at = ((k + 0.2) * 2 * Math.PI) / count
            return [radius * Math.cos(at), radius * Math.sin(at)]
          })
          for (const [x, y] of [
            [0, 0],
            [0.1, -0.05],
          ]) {
            const loads = standing(model, dt, legs, mass, [x, y], 50, [0.07 * mass, 0.07 * mass])
            // N / n (1 + 2 e·r / R²): moments about the middle, with Σ x² = Σ y² = n R² / 2 and Σ x y = 0
            const force = mass * g + 50
            const expected =
              springExponent === 1
                ? legs.map(([px, py]) => (force / count) * (1 + (2 * 50 * (x * px + y * py)) / (force * radius * radius)))
                : splitBySprings(legs, mass * g + 50, [50 * x, 50 * y], springExponent)
            // springs: the table tilts by 1e-4 of its width, and its load with it
            for (let k = 0; k < count; k++) expect(Math.abs(loads[k] - expected[k]) / force).toBeLessThan(rigid ? 1e-7 : 1e-5)
          }
        }
      }
    })

    law('of a rectangular table the four legs carry a quarter each, and under a load off its middle least norm', () => {
      const [a, b, mass] = [0.5, 0.3, 10]
      const legs = fourLegs(a, b)
      for (const [x, y] of [
        [0, 0],
        [0.2, 0.1],
      ]) {
        const loads = standing(model, 1e-3, legs, mass, [x, y], 50)
        const force = mass * g + 50
        const expected =
          springExponent === 1
            ? legs.map(([px, py]) => 0.25 * (force + (50 * x) / px + (50 * y) / py))
            : splitBySprings(legs, force, [50 * x, 50 * y], springExponent)
        for (let k = 0; k < 4; k++) expect(Math.abs(loads[k] - expected[k]) / force).toBeLessThan(rigid ? 1e-7 : 1e-5)
      }
    })

    law('a fifth leg under the middle of a table takes its share by the stated rule', () => {
      const [a, b, mass] = [0.5, 0.3, 10]
      const legs = [...fourLegs(a, b), [0, 0] as const]
      for (const at of [
        [0, 0],
        [0.2, 0.1],
      ] as const) {
        const loads = standing(model, 1e-3, legs, mass, at, 50)
        const force = mass * g + 50
        const expected = splitBySprings(legs, force, [50 * at[0], 50 * at[1]], springExponent)
        for (let k = 0; k < 5; k++) expect(Math.abs(loads[k] - expected[k]) / force).toBeLessThan(rigid ? 1e-7 : 1e-5)
      }
    })

    law('wheels between a caster in front and one behind drive with mu times what the stated rule leaves them', () => {
      const mu = 0.3
      for (const dt of steps) {
        const world = spinningCart(model, dt, mu)
        run(world, 0.4)
        const [x, u] = [world.state.q[0], velocityW(world)[0]]
        run(world, 0.4)
        // the motors' moment presses the rear caster down; the wheels stand where the plane of springs does not tilt
        const split = splitBySprings(crossPoints, 10 * g, [-2 * 3, 0], springExponent)
        const a = (mu * (split[0] + split[1])) / 10
        const [gained, gone] = [velocityW(world)[0] - u, world.state.q[0] - x]
        // rigid: 1e-6 is what the compliance of tangents leaves; springs tilt the cart by 1e-5
        expect(Math.abs(gained / 0.4 / a - 1)).toBeLessThan(rigid ? 1e-6 : 1e-4)
        expect(Math.abs(gone / (0.4 * u + 0.5 * a * 0.4 * (0.4 + dt)) - 1)).toBeLessThan(rigid ? 1e-6 : 1e-4)
        checkForces(world)
      }
    })

    for (const [name, mu, torque] of drives) {
      law(
        `the ${name} robot, pushed on by ${torque} N m a wheel at mu = ${mu}, goes as far as under every model of its kind`,
        () => {
          const expected = referenceDrive(rigid, name, mu, torque)
          const gone = drive(model, name, mu, torque)
          // Rigid ones differ by how hard they press what has sunk, springs by their exponents. The two kinds differ in what is a
          // spring: with two points on each tread they are twice as hard if each is one, and as hard as a caster if a pair is, so
          // with spinning wheels the humanoid goes a third less far on springs.
          expect(Math.abs(gone / expected - 1)).toBeLessThan(rigid ? 1e-4 : 1e-2)
          // not by day: a solver that starts from nothing at each step takes its time
          for (const solver of name === 'humanoid' && full ? (solvers ?? []) : []) {
            // residuals of 1e-12 beside a compliance of 1e-7 at least
            expect(Math.abs(drive(model, name, mu, torque, 1e-3, { solver }) / gone - 1)).toBeLessThan(2e-4)
          }
          if (model !== 'stewart-trinkle') return
          for (const options of [{ sides: 8 }, { sides: 16 }]) {
            expect(Math.abs(drive(model, name, mu, torque, 1e-3, options) / expected - 1)).toBeLessThan(1e-6)
          }
          // of first order in the step
          expect(Math.abs(drive(model, name, mu, torque, 5e-4) / expected - 1)).toBeLessThan(2e-3)
        },
      )
    }
  })
}

/** Robot, friction, torque of each wheel: one that its wheels hold, and one beyond it. The humanoid stands on four supports. */
const drives = [
  ['diffdrive', 0.8, 1],
  ['diffdrive', 0.1, 1],
  ['humanoid', 0.8, 6],
  ['humanoid', 0.05, 3],
] as const

const known = new Map<string, number>()

/** By the model of its kind that the others are held against. */
function referenceDrive(rigid: boolean, name: OwnRobotName, mu: number, torque: number): number {
  const model = rigid ? 'stewart-trinkle' : 'penalty'
  const key = `${model} ${name} ${mu} ${torque}`
  const gone = known.get(key) ?? drive(model, name, mu, torque)
  known.set(key, gone)
  return gone
}

/** How far a robot goes in 0.7 s under a torque on both wheels, gently on, all its other joints being held [m]. */
function drive(model: string, name: OwnRobotName, mu: number, torque: number, dt = 1e-3, options?: ContactModelOptions): number {
  const robot = loadOwnRobot(name)
  const holding = createControllerLoop(hold(), robot)
  const wheels = robot.joints.filter((joint) => joint.name.includes('wheel')).map(({ vIndex }) => vIndex)
  const controller: EffortSource = {
    start: (model, dt) => holding.start(model, dt),
    everySteps: 1,
    tick(state, data, tau, contactForces) {
      if (Math.round(state.t[0] / dt) % holding.everySteps === 0) holding.tick(state, data, tau, contactForces)
      for (const k of wheels) tau[k] = torque * Math.min(1, Math.max(0, (state.t[0] - 0.3) / 0.2))
    },
    save: () => holding.save(),
    restore: (memory) => holding.restore(memory),
  }
  const world = makeWorld({ robot, model, dt, options, physical: { friction: mu, allowedPenetration: 1e-5 }, controller })
  run(world, 0.3)
  const start = world.state.q[0]
  run(world, 0.7)
  expect(world.events.failures).toBe(0)
  return world.state.q[0] - start
}

const fourLegs = (a: number, b: number) => [a, -a].flatMap((x) => [b, -b].map((y) => [x, y] as const))

const momentsOfTable = (mass: number): [number, number] => [0.05 * mass, 0.09 * mass]

/** Loads of the legs of a table whose load, beside its weight, is a force at a place off its middle [N]. */
function standing(
  model: string,
  dt: number,
  legs: readonly (readonly [number, number])[],
  mass: number,
  [x, y]: readonly [number, number],
  load: number,
  [Ixx, Iyy] = momentsOfTable(mass),
): number[] {
  const feet = legs.map(([x, y]): ShapeOn => ({ body: 1, shape: { type: 'sphere', radius: 0 }, p: [x, y, 0] }))
  const table = makeRobot('table', [{ ...floating, mass, inertia: [Ixx, Iyy, 0.12 * mass, 0, 0, 0] }], feet)
  const world = makeWorld({
    robot: table,
    model,
    dt,
    physical: { allowedPenetration: 10 * dt * dt },
    push: (tau, _t, q) => pushAt(tau, q, [0, 0, -load], [x, y, 0]),
  })
  run(world, 2)
  const loads = legs.map(() => 0)
  const { count, impulse, point } = world.contacts
  for (let i = 0; i < count; i++) {
    const distance = legs.map(([px, py]) => Math.hypot(px - point[3 * i], py - point[3 * i + 1]))
    loads[distance.indexOf(Math.min(...distance))] += impulse[3 * i] / dt
  }
  expect(Math.abs(support(world).force / (mass * g + load) - 1)).toBeLessThan(1e-8)
  return loads
}

/**
 * Forces of springs f = k dⁿ at points of a rigid plate: their sum is `force` and their moments Σ f x, Σ f y are given. Newton's
 * method on the plane of depths, d = u0 + u1 x + u2 y.
 */
export function splitBySprings(
  points: readonly (readonly [number, number])[],
  force: number,
  moments: readonly [number, number],
  exponent: number,
): number[] {
  let u = Float64Array.of((force / points.length) ** (1 / exponent), 0, 0)
  const forces = () => points.map(([x, y]) => Math.max(0, u[0] + u[1] * x + u[2] * y) ** exponent)
  for (let round = 0; round < 50; round++) {
    const f = forces()
    const miss = Float64Array.of(force, moments[0], moments[1])
    const A = new Float64Array(9)
    points.forEach(([x, y], i) => {
      const at = [1, x, y]
      const slope = (exponent * f[i]) / (u[0] + u[1] * x + u[2] * y)
      for (let r = 0; r < 3; r++) {
        miss[r] -= f[i] * at[r]
        for (let c = 0; c < 3; c++) A[3 * r + c] += slope * at[r] * at[c]
      }
    })
    const du = choleskySolve(A, miss)
    u = u.map((value, k) => value + du[k])
  }
  return forces()
}

type OwnRobotName = Parameters<typeof loadOwnRobot>[0]

const wheel = { radius: 0.1, track: 0.4 }
/** Where the cross cart stands: on its wheels and its casters. */
const crossPoints: readonly (readonly [number, number])[] = [
  [0, -0.2],
  [0, 0.2],
  [0.3, 0],
  [-0.3, 0],
]

/** The cross cart with 3 N m on each wheel, of 1.5 that the ground holds at mu = 0.3 at most; gently on, so that springs do not swing. */
export function spinningCart(model: string, dt: number, mu: number): World {
  return makeWorld({
    robot: crossCart(),
    model,
    dt,
    physical: { friction: mu, allowedPenetration: 10 * dt * dt },
    q: [0, 0, wheel.radius - sinkOf(model, { allowedPenetration: 3 * dt * dt }), 0, 0, 0, 1, 0, 0],
    push(tau, t) {
      tau[6] = 3 * Math.min(1, t / 0.1)
      tau[7] = tau[6]
    },
  })
}

/** Two driven wheels at the sides and smooth casters in front and behind: four points in a cross. */
export function crossCart(): Robot {
  const axle = (side: number) =>
    body(`wheel ${side}`, hinge(`axle ${side}`, 1, [0, 1, 0], [0, (side * wheel.track) / 2, 0]), solid(1, [0.003, 0.005, 0.003]))
  const ball = { type: 'sphere', radius: wheel.radius } as const
  const caster = { body: 1, shape: { type: 'sphere', radius: 0.03 }, friction: 0 } as const
  return makeRobot(
    'cross cart',
    [{ ...floating, mass: 8, inertia: [0.1, 0.2, 0.25, 0, 0, 0] }, axle(-1), axle(1)],
    [
      { body: 2, shape: ball },
      { body: 3, shape: ball },
      { ...caster, p: [0.3, 0, 0.03 - wheel.radius] },
      { ...caster, p: [-0.3, 0, 0.03 - wheel.radius] },
    ],
  )
}
