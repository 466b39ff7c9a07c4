import { describe, expect, test } from 'vitest'
import {
  type BodyDefinition,
  createData,
  createRandom,
  JointType,
  kinematics,
  kineticEnergy,
  pointVelocity,
  potentialEnergy,
  velocities,
} from '../../../dynamics/index.ts'
import type { World } from '../../../simulation/index.ts'
import {
  box,
  dot,
  downhill,
  floating,
  freeBody,
  g,
  makeRobot,
  makeWorld,
  onSlope,
  roller,
  rotate,
  run,
  sinkOf,
  slider,
  slope,
  slopeRotation,
  sphere,
  support,
  unrotate,
  type Vector,
  velocityW,
} from './scenes.ts'

/*
 * The laws of dry contact that every contact model is held to, with expected values in closed form. A model that cannot
 * hold a law is excepted by name with the reason, and `instead` says what it does hold.
 */

export interface Exception {
  readonly reason: string
  readonly instead?: () => void
}

const degree = Math.PI / 180
const steps = [1e-3, 1e-2]
/** Slip speed up to which friction of force-level models is viscous (their default) [m/s]. */
const stickSpeed = 1e-4

export interface LawOptions {
  /** Title of a law that the model does not hold, with the reason. */
  readonly except?: Readonly<Record<string, Exception>>
  /** Step sizes for laws on flat faces, where the model needs smaller ones than 1e-3 and 1e-2. */
  readonly fineSteps?: readonly number[]
}

export function contactLaws(model: string, { except = {}, fineSteps }: LawOptions = {}): void {
  const known = new Set<string>()
  const rigid = !model.startsWith('penalty')
  const deepest = sinkOf(model)

  const law = (title: string, check: () => void) => {
    known.add(title)
    const exception = Object.hasOwn(except, title) ? except[title] : undefined
    if (exception === undefined) test(title, check)
    else if (exception.instead) test(`instead of "${title}" (${exception.reason})`, exception.instead)
  }

  describe('sliding', () => {
    law('a block on a slope starts to slide at atan(mu), and slides at g (sin - mu cos)', () => {
      const mu = 0.5
      for (const dt of steps) {
        for (const heading of [0, 20 * degree, 45 * degree, 80 * degree]) {
          for (const k of [-2, -1, 1, 2]) {
            const angle = Math.atan(mu) + 0.1 * k * degree
            const world = makeWorld({
              robot: slider([0.2, 0.2, 0.1], 10, slopeRotation(angle, heading)),
              model,
              dt,
              fixtures: [slope(angle, heading)],
              physical: { friction: mu },
              q: onSlope(0.05 - deepest * Math.cos(angle), angle, heading).slice(0, 3),
            })
            const down = downhill(angle, heading)
            const early = dot(run(world, 0.3).state.v, down)
            const late = dot(run(world, 0.3).state.v, down)
            if (k < 0) {
              // rigid: the compliance of tangents lets it creep at 1e-6 g dt; regularised: at stickSpeed tan / mu, which is below stickSpeed
              expect(Math.abs(late)).toBeLessThan(rigid ? 2e-6 * g * dt : stickSpeed)
            } else {
              // constant acceleration is integrated exactly; what remains is the sink still settling at the larger step
              const expected = g * (Math.sin(angle) - mu * Math.cos(angle))
              expect(Math.abs((late - early) / 0.3 - expected)).toBeLessThan(2e-5)
            }
            // it goes straight down, whatever the tangents; 1e-7 from the compliance across
            expect(Math.hypot(...world.state.v.map((x, d) => x - late * down[d]))).toBeLessThan(1e-6)
          }
        }
      }
    })

    law('a free box slides down like a block that cannot turn', () => {
      const mu = 0.3
      const angle = 25 * degree
      for (const dt of steps) {
        const world = makeWorld({
          robot: box([0.2, 0.2, 0.05]),
          model,
          dt,
          fixtures: [slope(angle)],
          physical: { friction: mu },
          q: onSlope(0.025 - deepest * Math.cos(angle), angle),
        })
        const early = dot(velocityW(run(world, 0.3)), downhill(angle))
        const late = dot(velocityW(run(world, 0.3)), downhill(angle))
        const expected = g * (Math.sin(angle) - mu * Math.cos(angle))
        // springs tilt the box a little under friction's moment, by depth over width
        expect(Math.abs((late - early) / 0.3 - expected)).toBeLessThan(rigid ? 1e-4 : 5e-3 * expected)
      }
    })

    law('thrown uphill it stops after v0² / (2 g (sin + mu cos)), and stays if tan <= mu', () => {
      const v0 = 2
      const angle = 15 * degree
      for (const dt of steps) {
        for (const mu of [0.3, 0.2]) {
          const up = downhill(angle).map((x) => -v0 * x)
          const world = makeWorld({
            robot: slider([0.2, 0.2, 0.1], 10, slopeRotation(angle)),
            model,
            dt,
            fixtures: [slope(angle)],
            physical: { friction: mu },
            q: onSlope(0.05 - deepest * Math.cos(angle), angle).slice(0, 3),
            v: up,
          })
          const start = dot(world.state.q, downhill(angle))
          let highest = 0
          run(world, 1.2, () => {
            highest = Math.max(highest, start - dot(world.state.q, downhill(angle)))
          })
          const expected = (v0 * v0) / (2 * g * (Math.sin(angle) + mu * Math.cos(angle)))
          expect(Math.abs(highest - expected)).toBeLessThan(v0 * dt) // one step of the first-order update
          const back = dot(world.state.v, downhill(angle))
          if (mu > Math.tan(angle)) expect(Math.abs(back)).toBeLessThan(stickSpeed)
          else expect(back).toBeGreaterThan(0.1)
        }
      }
    })

    law('a sliding block stops after v0² / (2 mu g)', () => {
      const mu = 0.3
      const v0 = 2
      for (const dt of steps) {
        const world = makeWorld({
          robot: slider([0.2, 0.2, 0.1], 10),
          model,
          dt,
          physical: { friction: mu },
          q: [0, 0, 0.05 - deepest],
          v: [0.6 * v0, 0.8 * v0, 0],
        })
        run(world, 1)
        const distance = Math.hypot(world.state.q[0], world.state.q[1])
        expect(Math.abs(distance - (v0 * v0) / (2 * mu * g))).toBeLessThan(v0 * dt)
        expect(Math.abs(world.state.q[1] * 0.6 - world.state.q[0] * 0.8)).toBeLessThan(1e-6) // in a straight line
        expect(Math.hypot(...world.state.v)).toBeLessThan(1e-9)
      }
    })
  })

  describe('rolling', () => {
    const rollers = [
      ['a sphere', sphere(0.1), 0.4],
      ['a cylinder', roller(0.1, 0.2), 0.5],
    ] as const
    for (const [what, robot, k] of rollers) {
      law(`${what} rolls down at g sin / (1 + k) while mu >= tan k / (1 + k), and slips below`, () => {
        const angle = 20 * degree
        const radius = 0.1
        for (const dt of steps) {
          const threshold = (Math.tan(angle) * k) / (1 + k)
          for (const share of [1.05, 0.95, 0.5]) {
            const mu = share * threshold
            const q = onSlope(radius - deepest * Math.cos(angle), angle)
            const world = makeWorld({ robot, model, dt, fixtures: [slope(angle)], physical: { friction: mu }, q })
            const early = dot(velocityW(run(world, 0.3)), downhill(angle))
            const late = dot(velocityW(run(world, 0.3)), downhill(angle))
            const rolls = (g * Math.sin(angle)) / (1 + k)
            const slips = g * (Math.sin(angle) - mu * Math.cos(angle))
            // a sunken body rolls on a radius smaller by half the depth: k grows by depth / radius
            expect(Math.abs((late - early) / 0.3 - (share > 1 ? rolls : slips))).toBeLessThan(rigid ? 1e-5 : 1e-2 * rolls)
          }
        }
      })
    }

    law('a sliding sphere ends up rolling at 5/7 of its speed, after 2 v0 / (7 mu g)', () => {
      const mu = 0.2
      const v0 = 3
      const radius = 0.1
      const time = (2 * v0) / (7 * mu * g)
      for (const dt of steps) {
        const scene = { robot: sphere(radius), model, dt, physical: { friction: mu } }
        const world = makeWorld({ ...scene, q: [0, 0, radius - deepest, 0, 0, 0, 1], v: [0, 0, 0, v0, 0, 0] })
        run(world, 0.8 * time)
        const sliding = velocityW(world)[0]
        expect(Math.abs(sliding - (v0 - mu * g * world.state.t[0]))).toBeLessThan(1e-4 * v0) // exact but for the settling of the sink
        run(world, 0.5 * time)
        // with the lever shortened by half the depth the factor is 1 / (1 + 0.4 r² / (r - d/2)²)... to 0.5 %
        expect(Math.abs(velocityW(world)[0] - (5 / 7) * v0)).toBeLessThan(rigid ? 1e-5 * v0 : 5e-3 * v0)
      }
    })

    law('a two-wheeled cart at constant wheel speeds drives its circle and its wheels do not slip', () => {
      const { world, radius, track } = cart(model, 1e-3)
      const [right, left] = [4, 3]
      const speed = (radius * (right + left)) / 2
      const turning = (radius * (right - left)) / track
      const circle = speed / turning
      const period = (2 * Math.PI) / turning
      let slip = 0
      let off = 0
      const last = world.state.q.slice()
      run(world, period, (_, step) => {
        const { q, t } = world.state
        const x = circle * Math.sin(turning * t[0])
        const y = circle * (1 - Math.cos(turning * t[0]))
        off = Math.max(off, Math.hypot(q[0] - x, q[1] - y))
        if (step > 100 && step % 50 === 0) slip = Math.max(slip, wheelSlip(world, last))
        last.set(q)
      })
      expect(off).toBeLessThan(0.01 * circle)
      expect(slip).toBeLessThan(rigid ? 1e-6 : stickSpeed)
    })
  })

  describe('statics', () => {
    law('the normal forces carry the weight, and springs sink by weight over stiffness', () => {
      for (const dt of steps) {
        const world = makeWorld({ robot: sphere(0.1, 7), model, dt, q: [0, 0, 0.1, 0, 0, 0, 1] })
        run(world, 2)
        expect(Math.abs(support(world).force / (7 * g) - 1)).toBeLessThan(1e-9)
        // rigid: compliance lets it in by 1e-5 g dt² / stabilization, 0.2
        expect(Math.abs(0.1 - world.state.q[2] - deepest)).toBeLessThan(rigid ? 1.01 * 5e-5 * g * dt * dt + 1e-9 : 1e-9)
      }
    })

    law('the centre of pressure lies under the centre of mass', () => {
      for (const dt of steps) {
        const world = makeWorld({ robot: lopsided([0.03, -0.02, 0.01]), model, dt, q: [0, 0, 0.05 - deepest, 0, 0, 0, 1] })
        run(world, 2)
        const { force, pressure } = support(world)
        expect(Math.abs(force / (10 * g) - 1)).toBeLessThan(1e-6)
        // springs tilt the box, which shifts its centre of mass by tilt times height: 1e-2 of 1 cm
        const [x, y] = rotate(world.state.q, 3, [0.03, -0.02, 0.01])
        expect(Math.abs(pressure[0] - x - world.state.q[0])).toBeLessThan(1e-6)
        expect(Math.abs(pressure[1] - y - world.state.q[1])).toBeLessThan(1e-6)
      }
    })

    law('a box at rest stays at rest for 10 s', () => {
      for (const angle of [0, 20 * degree]) {
        const world = makeWorld({
          robot: box([0.2, 0.3, 0.1]),
          model,
          fixtures: [slope(angle)],
          physical: { friction: 0.5 },
          q: onSlope(0.05 - deepest * Math.cos(angle), angle),
        })
        run(world, 0.5)
        const start = world.state.q.slice()
        run(world, 10)
        const moved = Math.hypot(...[0, 1, 2].map((d) => world.state.q[d] - start[d]))
        // the creep that the models state: compliance g dt, and stickSpeed tan(angle) / mu
        const creep = rigid ? 5e-6 * g * 1e-3 : (stickSpeed * Math.tan(angle)) / 0.5
        expect(moved).toBeLessThan(10 * creep * 1.05 + 1e-9)
        expect(Math.hypot(...world.state.v)).toBeLessThan(1.05 * creep + 1e-9)
      }
    })

    law('a sphere at rest stays at rest for 10 s', () => {
      const world = makeWorld({ robot: sphere(0.1), model, q: [0, 0, 0.1 - deepest, 0, 0, 0, 1] })
      run(world, 10)
      expect(Math.hypot(world.state.q[0], world.state.q[1], world.state.q[2] - 0.1 + deepest)).toBeLessThan(1e-8)
      expect(Math.hypot(...world.state.v)).toBeLessThan(1e-8)
    })
  })

  describe('tipping', () => {
    law('a pushed box tips when F y > m g b, and not below', () => {
      const [b, c, mass] = [0.05, 0.1, 10]
      const height = 1.5 * c
      for (const dt of fineSteps ?? steps) {
        for (const share of [0.98, 1.02]) {
          const force = (share * mass * g * b) / height
          const world = makeWorld({
            robot: box([2 * b, 2 * b, 2 * c], mass),
            model,
            dt,
            // springs soften the edge, and where r of them share one stiffness the edge jumps up by the sink when half of
            // them lift: the energy of that, m g sink, must be small beside 2 % of the work of tipping, m g b / 8 (b / c)
            physical: { friction: 1, allowedPenetration: 1e-5 },
            q: [0, 0, c - deepest / 100, 0, 0, 0, 1],
            push(tau, t, q) {
              // along world x at `height` above the ground; gently on, so that springs do not swing
              const F: Vector = [force * Math.min(t / 0.2, 1), 0, 0]
              const arm = height - c
              const [nx, ny, nz] = unrotate(q, 3, [0, arm * F[0], 0])
              const [fx, fy, fz] = unrotate(q, 3, F)
              tau.set([nx, ny, nz, fx, fy, fz])
            },
          })
          run(world, 1)
          const tilt = Math.acos(Math.min(1, rotate(world.state.q, 3, [0, 0, 1])[2]))
          if (share > 1) expect(tilt).toBeGreaterThan(0.05)
          else expect(tilt).toBeLessThan(0.01)
        }
      }
    })

    law('a box on a slope tips at tan = b / c if mu is larger', () => {
      const [b, c] = [0.05, 0.1]
      for (const share of [0.98, 1.02]) {
        const angle = Math.atan((share * b) / c)
        const world = makeWorld({
          robot: box([2 * b, 2 * b, 2 * c]),
          model,
          fixtures: [slope(angle)],
          physical: { friction: 1, allowedPenetration: 1e-5 },
          q: onSlope(c - (deepest / 100) * Math.cos(angle), angle),
        })
        run(world, 1)
        const upright = Math.acos(Math.min(1, rotate(world.state.q, 3, [0, 0, 1])[2]))
        if (share > 1) expect(upright - angle).toBeGreaterThan(0.05)
        else expect(Math.abs(upright - angle)).toBeLessThan(0.01)
      }
    })
  })

  describe('impact', () => {
    law('a dropped ball rebounds to e² of its height', () => {
      const height = 0.5
      const radius = 0.05
      const speed = Math.sqrt(2 * g * height)
      for (const restitution of [0.3, 0.6, 0.9]) {
        // springs: explicit, 300 steps an impact, so stiff (sink 1e-5 m) that weight hardly matters during it
        const dt = rigid ? 1e-3 : 1e-5
        const world = makeWorld({
          robot: sphere(radius, 2),
          model,
          dt,
          physical: { restitution, allowedPenetration: 1e-5 },
          integrator: 'rk4',
          options: rigid ? {} : { integral: false },
          q: [0, 0, radius + height, 0, 0, 0, 1],
        })
        let top = 0
        let touched = false
        run(world, 0.32 + (restitution * speed) / g, () => {
          if (world.state.v[5] > 0) touched = true
          if (touched) top = Math.max(top, world.state.q[2] - radius)
        })
        const expected = restitution * restitution * height
        // rigid: it turns round up to one step before it touches. Springs: the damper's force jumps at the touch, and the
        // step in which it does is of first order, omega dt = 1e-2 of the speed; weight during the impact, as much again
        expect(Math.abs(top - expected)).toBeLessThan(rigid ? 1.5 * speed * dt : 0.03 * expected)
      }
    })

    law('without restitution a ball does not leave the ground again, but for the rebound that springs state', () => {
      const world = makeWorld({ robot: sphere(0.05, 2), model, q: [0, 0, 0.3, 0, 0, 0, 1] })
      let top = -1
      let touched = false
      run(world, 1.5, () => {
        if (world.contacts.count > 0 && world.contacts.impulse[0] > 0) touched = true
        if (touched) top = Math.max(top, world.state.q[2] - 0.05)
      })
      expect(touched).toBe(true)
      // critical damping returns exp(-2) of the speed at most, so exp(-4) of the height
      expect(top).toBeLessThan(rigid ? 1e-6 : 0.25 * Math.exp(-4))
    })
  })

  describe('tumbling', () => {
    law('nothing is pulled, friction stays in its cone, momentum gets what contacts report, energy does not grow', () => {
      const random = createRandom(11)
      for (let trial = 0; trial < 12; trial++) {
        const robot = [
          box([0.2, 0.3, 0.1]),
          roller(0.1, 0.3),
          sphere(0.1),
          freeBody({ shape: { type: 'capsule', radius: 0.05, length: 0.2 }, inertia: [0.05, 0.05, 0.015] }),
        ][trial % 4]
        const dt = trial % 3 === 0 ? 5e-3 : 1e-3
        const world = makeWorld({
          robot,
          model,
          dt,
          physical: { friction: 0.1 + 0.15 * (trial % 5) },
          q: [0, 0, 0.5, ...unitQuaternion(random)],
          v: Array.from({ length: 6 }, (_, k) => random.between(-1, 1) * (k < 3 ? 8 : 2)),
        })
        const energy = energyMeter(world)
        const start = energy()
        let highest = start
        run(world, 1.5, () => {
          checkForces(world)
          highest = Math.max(highest, energy())
        })
        // free flight at 8 rad/s gains rotational energy at first order of the step; at most 1 % of the whole here
        expect(highest / start).toBeLessThan(1 + (dt > 1e-3 ? 0.02 : 0.005))
        expect(energy()).toBeLessThan(start)
        expect(world.events.failures).toBe(0)
      }
    })

    law('the velocity changes by exactly the impulses that are reported', () => {
      const random = createRandom(12)
      const world = makeWorld({
        robot: sphere(0.1, 3),
        model,
        q: [0, 0, 0.15, 0, 0, 0, 1],
        v: [5, -3, 2, 1, random.between(-1, 1), -1],
        physical: { friction: 0.4 },
      })
      let before = velocityW(world)
      run(world, 0.6, () => {
        const { count, impulse, normal, tangent1, tangent2 } = world.contacts
        const after = velocityW(world)
        for (let d = 0; d < 3; d++) {
          let expected = 3 * (before[d] + world.dt * (d === 2 ? -g : 0))
          for (let i = 0; i < count; i++) {
            expected += impulse[3 * i] * normal[3 * i + d]
            expected += impulse[3 * i + 1] * tangent1[3 * i + d] + impulse[3 * i + 2] * tangent2[3 * i + d]
          }
          // the sphere's centre is its base's origin, whose velocity the step keeps to rounding
          expect(Math.abs(3 * after[d] - expected)).toBeLessThan(1e-11)
        }
        before = after
      })
    })
  })

  describe('joints', () => {
    law('a pendulum that falls onto its stop comes to rest there, and presses by its weight', () => {
      const [mass, length, stop] = [2, 0.5, -0.3]
      const arm: BodyDefinition = {
        name: 'arm',
        jointName: 'hinge',
        parent: 0,
        jointType: JointType.revolute,
        axis: [0, -1, 0],
        mass,
        centerOfMass: [length, 0, 0],
        inertia: [0.01, 0.01, 0.01, 0, 0, 0],
        lower: stop,
        upper: 2,
      }
      for (const dt of steps) {
        const world = makeWorld({ robot: makeRobot('pendulum', [arm], []), model, dt, q: [0.8] })
        let lowest = 1
        run(world, 3, () => {
          lowest = Math.min(lowest, world.state.q[0])
        })
        // the stop's spring has the contacts' frequency: omega² = g / allowedPenetration on the joint's own inertia
        const inertia = 0.01 + mass * length * length
        const sink = rigid ? 0 : (mass * g * length * Math.cos(stop)) / inertia / (g / 1e-3)
        expect(Math.abs(world.state.q[0] - (stop - sink))).toBeLessThan(rigid ? 1e-6 : 0.01 * sink)
        expect(Math.abs(world.state.v[0])).toBeLessThan(1e-6)
        // on the way: at most one step late (rigid: less, being told ahead), or the depth of a critically damped impact
        const speed = Math.sqrt((2 * mass * g * length * (Math.sin(0.8) - Math.sin(stop))) / inertia)
        const deep = rigid ? 1e-6 : speed * Math.max(dt, 1 / Math.sqrt(g / 1e-3))
        expect(stop - lowest).toBeLessThan(deep + sink)
      }
    })

    law('dry joint friction holds a load below it and takes its share of one above, damping the rest', () => {
      const inertia = 0.05
      const wheel: BodyDefinition = {
        name: 'wheel',
        jointName: 'axle',
        parent: 0,
        jointType: JointType.revolute,
        axis: [0, 0, 1],
        mass: 1,
        inertia: [inertia, inertia, inertia, 0, 0, 0],
        friction: 0.4,
        damping: 0.1,
      }
      for (const dt of steps) {
        for (const torque of [0.39, 0.5]) {
          const world = makeWorld({
            robot: makeRobot('wheel', [wheel], []),
            model,
            dt,
            push(tau) {
              tau[0] = torque
            },
          })
          run(world, 0.5)
          // I w' = tau - f - d w
          const expected = ((torque - 0.4) / 0.1) * (1 - Math.exp((-0.1 * world.state.t[0]) / inertia))
          if (torque < 0.4)
            expect(Math.abs(world.state.v[0])).toBeLessThan(1e-3) // the stick speed
          else expect(Math.abs(world.state.v[0] - expected)).toBeLessThan(0.02 * expected) // first order in dt d / I
        }
      }
    })
  })

  test('every exception is of a law that exists', () => {
    expect(Object.keys(except).filter((title) => !known.has(title))).toEqual([])
  })
}

/** A box of 10 kg whose centre of mass is off its middle. */
function lopsided(centerOfMass: Vector) {
  const body: BodyDefinition = { ...floating, mass: 10, centerOfMass, inertia: [0.05, 0.05, 0.08, 0, 0, 0] }
  return makeRobot('lopsided box', [body], [{ body: 1, shape: { type: 'box', size: [0.2, 0.2, 0.1] } }])
}

function unitQuaternion(random: ReturnType<typeof createRandom>): number[] {
  const q = Array.from({ length: 4 }, () => random.between(-1, 1))
  const norm = Math.hypot(...q)
  return q.map((x) => x / norm)
}

/** Kinetic and potential energy of the present state [J]. */
function energyMeter(world: World): () => number {
  const data = createData(world.model)
  const out = new Float64Array(2)
  const kinetic = new Float64Array(1)
  const potential = new Float64Array(1)
  return () => {
    kinematics(world.model, world.state, data)
    velocities(world.model, world.state, data)
    kineticEnergy(world.model, world.state, data, kinetic)
    potentialEnergy(world.model, data, potential)
    out[0] = kinetic[0] + potential[0]
    return out[0]
  }
}

function checkForces(world: World): void {
  const { count, impulse, mu } = world.contacts
  for (let i = 0; i < count; i++) {
    const n = impulse[3 * i]
    if (!(n >= 0)) expect(n).toBeGreaterThanOrEqual(0)
    const t = Math.hypot(impulse[3 * i + 1], impulse[3 * i + 2])
    // the implicit step stops iterating when friction is within 1e-3 of its cone
    if (t > mu[i] * n * 1.0011 + 1e-12) expect(t).toBeLessThanOrEqual(mu[i] * n * 1.0011)
  }
}

/**
 * A cart of the size of Moby's differential-drive robot: wheels of radius 0.11 m, 0.34 m apart, here spheres, so that they
 * touch at a point; a smooth caster behind; held at 4 and 3 rad/s by a speed controller.
 */
function cart(model: string, dt: number) {
  const [radius, track] = [0.11, 0.34]
  const wheel = (side: number): BodyDefinition => ({
    name: `wheel ${side}`,
    jointName: `axle ${side}`,
    parent: 1,
    jointType: JointType.revolute,
    axis: [0, 1, 0],
    position: [0, (side * track) / 2, 0],
    mass: 1.5,
    inertia: [0.005, 0.009, 0.005, 0, 0, 0],
  })
  const chassis: BodyDefinition = {
    ...floating,
    mass: 5.67,
    centerOfMass: [-0.05, 0, 0],
    inertia: [0.05, 0.1, 0.13, 0, 0, 0],
  }
  const robot = makeRobot(
    'cart',
    [chassis, wheel(-1), wheel(1)],
    [
      { body: 2, shape: { type: 'sphere', radius } },
      { body: 3, shape: { type: 'sphere', radius } },
      { body: 1, shape: { type: 'sphere', radius: 0.04 }, p: [-0.2, 0, -0.07], friction: 0 },
    ],
  )
  const speed = radius * 3.5
  const turning = radius / track
  // on its circle the centre of mass, 5 cm behind the axle, accelerates by turning² along x and turning · speed along y
  const forward = 5.67 * 0.05 * turning * turning
  const yaw = -5.67 * 0.05 * turning * speed
  const world = makeWorld({
    robot,
    model,
    dt,
    physical: { allowedPenetration: 1e-4 }, // the rolling radius is short by half the depth
    q: [0, 0, radius, 0, 0, 0, 1, 0, 0],
    v: [0, 0, turning, speed, 0, 0, 4, 3],
    push(tau, _t, _q, v) {
      tau[6] = 0.5 * (4 - v[6]) + radius * (0.5 * forward + yaw / track)
      tau[7] = 0.5 * (3 - v[7]) + radius * (0.5 * forward - yaw / track)
    },
  })
  return { world, radius, track }
}

/**
 * Largest tangential speed at the wheels' contacts with the velocity at the end of the step: at the points and in the pose of
 * its start, where the no-slip condition is imposed (a step later the wheels' axes have turned by turning · dt).
 *
 * @param start q at the start of the step
 */
function wheelSlip(world: World, start: Float64Array): number {
  const { contacts, model, state } = world
  const before = { q: start, v: state.v.slice(), t: state.t }
  const linear = unrotate(start, 3, velocityW(world))
  before.v.set(linear, 3)
  const data = createData(model)
  kinematics(model, before, data)
  velocities(model, before, data)
  const point = new Float64Array(3)
  const u = new Float64Array(3)
  let worst = 0
  for (let i = 0; i < contacts.count; i++) {
    if (contacts.mu[i] === 0) continue
    for (let d = 0; d < 3; d++) point[d] = contacts.point[3 * i + d]
    pointVelocity(data, contacts.bodyB[i], point, u)
    worst = Math.max(worst, Math.hypot(u[0], u[1]))
  }
  return worst
}
