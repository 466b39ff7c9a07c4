import { describe, expect, test } from 'vitest'
import type { Surface } from '../../../contact/geometry/index.ts'
import { type ContactModelOptions, frictionAtSpeed } from '../../../contact/index.ts'
import { body, hinge, solid } from '../../dynamics/bodies.ts'
import { degree, stickSpeed } from '../laws/law.ts'
import {
  blockOnSlope,
  box,
  dot,
  downhill,
  floor,
  g,
  makeRobot,
  makeWorld,
  momentumMeter,
  onSlope,
  quadruped,
  run,
  slider,
  slope,
  sphere,
  type Vector,
  velocityW,
} from '../laws/scenes.ts'

const integrators = ['semi-implicit-euler', 'rk4'] as const
const kinds = ['regularised', 'springs', 'solved'] as const
/** At the depth at which the springs carry a block. */
const carried = { model: 'penalty', sink: 1e-3 }

/** 2 kg on the ground, pulled along x by a spring and damper whose other end moves at a speed of its own. */
function pulledBlock(surface: Surface, pull: { k: number; c: number; speed: number }, options: ContactModelOptions, dt = 1e-3) {
  const pulls: number[] = []
  const world = makeWorld({
    robot: slider([0.1, 0.1, 0.1], 2),
    model: 'penalty',
    dt,
    options,
    fixtures: [{ ...floor, ...surface }],
    q: [0, 0, 0.049],
    push(tau, t, q, v) {
      tau[0] = pull.k * (pull.speed * t - q[0]) + pull.c * (pull.speed - v[0])
      pulls.push(tau[0])
    },
  })
  return { world, pulls }
}

describe('the slip law', () => {
  for (const integrator of integrators) {
    for (const kind of kinds) {
      test(`${integrator}, ${kind}: viscous friction ends a slide down a slope at (tan - mu) / viscous`, () => {
        const [angle, mu, viscous] = [25 * degree, 0.3, 0.5]
        const surface = { friction: mu, viscousFriction: viscous }
        const world = blockOnSlope(angle, { ...carried, surface, integrator, options: { friction: kind } })
        run(world, 5)
        // the approach takes 1 / (viscous g cos) = 0.22 s, exp(-5 / 0.22) = 2e-10 is left
        const expected = (Math.tan(angle) - mu) / viscous
        expect(Math.abs(dot(world.state.v, downhill(angle)) / expected - 1)).toBeLessThan(1e-8)
      })

      test(`${integrator}, ${kind}: a block holds a pull up to muStatic N; once it slides, mu N alone resists`, () => {
        const surface = { friction: 0.3, staticFriction: 0.5 }
        const speedAfter = (share: number) => {
          const world = makeWorld({
            robot: slider([0.1, 0.1, 0.1], 2),
            model: 'penalty',
            integrator,
            options: { friction: kind },
            fixtures: [{ ...floor, ...surface }],
            q: [0, 0, 0.049],
            push(tau, t) {
              tau[0] = share * 0.5 * 2 * g * Math.min(1, 4 * t) // at first its springs do not yet carry all of it
            },
          })
          run(world, 0.5)
          const early = world.state.v[0]
          return { early, gained: (run(world, 0.2).state.v[0] - early) / 0.2 }
        }
        const creep = kind === 'regularised' ? (integrator === 'rk4' ? g * 1e-3 : stickSpeed) : 1e-9
        expect(speedAfter(0.98).early).toBeLessThan(creep)
        expect(speedAfter(1.02).gained / (1.02 * 0.5 * g - 0.3 * g)).toBeCloseTo(1, 4)
      })
    }
  }

  for (const kind of kinds) {
    test(`${kind}: a block that is pulled steadily is resisted by what Stribeck's curve says of its speed`, () => {
      const surface = { friction: 0.2, staticFriction: 0.5, stribeckVelocity: 0.05, viscousFriction: 0.3 }
      for (const speed of [0.02, 0.05, 0.1, 0.3]) {
        // a damper outweighs the falling branch, at most 0.3 · 0.86 / 0.05 · N = 100 N s/m steep
        const { world } = pulledBlock(surface, { k: 500, c: 150, speed }, { friction: kind })
        run(world, 4)
        const force = world.tau[0]
        const expected = frictionAtSpeed(0.2, 0.5, 0.3, 0.05, speed) * 2 * g
        expect(Math.abs(world.state.v[0] / speed - 1)).toBeLessThan(1e-6)
        expect(Math.abs(force / expected - 1)).toBeLessThan(1e-5)
      }
    })

    test(`${kind}: pulled slowly by a soft spring it sticks and slips between muStatic N and (2 mu - muStatic) N`, () => {
      // slips are half periods of a free oscillation about mu N, as the block cannot follow the slow end of the spring
      const [mu, muStatic, N] = [0.3, 0.4, 2 * g]
      const { world, pulls } = pulledBlock(
        { friction: mu, staticFriction: muStatic },
        { k: 200, c: 0, speed: 0.01 },
        { friction: kind },
      )
      let still = 0
      run(world, 6, () => {
        if (world.state.v[0] < 1e-3) still++
      })
      const late = pulls.slice(2500)
      expect(Math.abs(Math.max(...late) / (muStatic * N) - 1)).toBeLessThan(0.01)
      expect(Math.abs(Math.min(...late) / ((2 * mu - muStatic) * N) - 1)).toBeLessThan(0.03)
      // each period is 0.4 mu N / (k speed) = 1.96 s of rest, and half of 2 pi sqrt(m / k) = 0.31 s of slip
      expect(still / 6000).toBeGreaterThan(0.75)
      expect(still / 6000).toBeLessThan(0.97)
    })
  }

  test('where friction falls with speed a sliding block still only loses energy, and stops after the integral of dv / (g mu(v))', () => {
    const [mu, muStatic, stribeck, v0] = [0.1, 0.9, 0.3, 2]
    for (const kind of kinds) {
      for (const dt of [1e-3, 1e-2]) {
        const world = makeWorld({
          robot: slider([0.1, 0.1, 0.1], 2),
          model: 'penalty',
          dt,
          options: { friction: kind },
          fixtures: [{ ...floor, friction: mu, staticFriction: muStatic, stribeckVelocity: stribeck }],
          q: [0, 0, 0.049],
          v: [v0, 0, 0],
        })
        let time = 0
        const n = 20_000
        for (let k = 0; k < n; k++) time += v0 / n / (g * frictionAtSpeed(mu, muStatic, 0, stribeck, (v0 * (k + 0.5)) / n))
        let speed = v0
        let moving = 0
        run(world, 1.2 * time, () => {
          if (kind !== 'springs') expect(world.state.v[0]).toBeLessThan(speed + 1e-12)
          speed = world.state.v[0]
          if (moving === 0 && speed < 1e-3) moving = world.state.t[0]
        })
        // friction of each step is that at its start: the slide lasts up to a step's worth of the curve's slope longer
        expect(Math.abs(moving - time)).toBeLessThan(0.005 * time + 3 * dt)
        expect(Math.abs(speed)).toBeLessThan(stickSpeed)
      }
    }
  })
})

describe('tangential springs', () => {
  for (const integrator of integrators) {
    test(`${integrator}: a block on a slope below atan(mu) comes to rest, where a regularised one creeps for ever`, () => {
      const angle = 20 * degree
      for (const kind of ['springs', 'regularised'] as const) {
        const world = blockOnSlope(angle, { ...carried, surface: { friction: 0.5 }, integrator, options: { friction: kind } })
        const down = downhill(angle)
        const start = dot(world.state.q, down)
        run(world, 2)
        const way = dot(world.state.q, down) - start
        run(world, 4)
        const crept = dot(world.state.q, down) - start - way
        if (kind === 'springs') {
          // what stretches the four points' springs, of 0.8 of the stiffness kp that they share along the normal
          const kp = world.contactModel.parameters.derived.find(({ name }) => name === 'kp')?.value as number
          expect(way / ((10 * g * Math.sin(angle)) / (0.8 * kp))).toBeCloseTo(1, 6)
          expect(Math.abs(crept)).toBeLessThan(1e-12)
          expect(Math.hypot(...world.state.v)).toBeLessThan(1e-12)
        } else {
          const slow = integrator === 'rk4' ? g * 1e-3 : stickSpeed
          expect(crept / ((4 * slow * Math.tan(angle)) / 0.5)).toBeCloseTo(1, 3)
        }
      }
    })

    test(`${integrator}: beyond atan(mu) it slides at g (sin - mu cos)`, () => {
      const angle = 30 * degree
      const options = { friction: 'springs' }
      const world = blockOnSlope(angle, { ...carried, surface: { friction: 0.4 }, integrator, options })
      const early = dot(run(world, 0.3).state.v, downhill(angle))
      const late = dot(run(world, 0.3).state.v, downhill(angle))
      expect((late - early) / 0.3 / (g * (Math.sin(angle) - 0.4 * Math.cos(angle)))).toBeCloseTo(1, 4)
    })

    test(`${integrator}: a box stays where it stands on a turntable that turns under it and stops`, () => {
      const disc = makeRobot(
        'turntable',
        [body('disc', hinge('axle', 0, [0, 0, 1]), solid(100, [50, 50, 100]))],
        [{ body: 1, shape: { type: 'box', size: [2, 2, 0.1] }, p: [0, 0, -0.05] }],
      )
      const place = 0.5
      const world = makeWorld({
        robots: [
          { name: 'disc', robot: disc, v: [1] },
          { name: 'box', robot: box([0.2, 0.2, 0.1]), q: [place, 0, 0.049, 0, 0, 0, 1], v: [0, 0, 1, 0, place, 0] },
        ],
        model: 'penalty',
        integrator,
        fixtures: [],
        options: { friction: 'springs' },
      })
      run(world, 1)
      const { q } = world.state
      const angle = q[0]
      expect(angle).toBeGreaterThan(0.5)
      const x = Math.cos(angle) * q[1] + Math.sin(angle) * q[2]
      const y = -Math.sin(angle) * q[1] + Math.cos(angle) * q[2]
      // the springs yield to m omega² r, a twentieth of the weight, by less than 0.1 mm, and a little while it settles down
      expect(Math.hypot(x - place, y)).toBeLessThan(3e-4)
      const still = [x, y]
      run(world, 1)
      const turned = q[0]
      const after = [Math.cos(turned) * q[1] + Math.sin(turned) * q[2], -Math.sin(turned) * q[1] + Math.cos(turned) * q[2]]
      expect(Math.hypot(after[0] - still[0], after[1] - still[1])).toBeLessThan(1e-5)
    })

    test(`${integrator}: a restored checkpoint goes on bit for bit, on the springs that it found`, () => {
      const world = makeWorld({
        robot: quadruped(),
        model: 'penalty',
        integrator,
        fixtures: [{ ...slope(0.2), friction: 0.5 }],
        options: { friction: 'springs' },
        q: [0, 0, 0.5, 0, 0, 0, 1, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6, 0.3, -0.6],
      })
      run(world, 0.3)
      const saved = structuredClone(world.checkpoint())
      const hash = run(world, 0.2).hash()
      world.restore(saved)
      expect(run(world, 0.2).hash()).toBe(hash)
      // and not without them
      world.restore({ ...saved, contactMemory: saved.contactMemory.map(() => 0) })
      expect(run(world, 0.2).hash()).not.toBe(hash)
    })

    test(`${integrator}: a sphere that rolls drags no anchor: g sin / (1 + k)`, () => {
      const [angle, radius] = [20 * degree, 0.1]
      const world = makeWorld({
        robot: sphere(radius),
        model: 'penalty',
        integrator,
        fixtures: [slope(angle)],
        physical: { friction: 0.5, allowedPenetration: 1e-4 },
        options: { friction: 'springs' },
        q: onSlope(radius - 1e-4 * Math.cos(angle), angle),
      })
      const early = dot(velocityW(run(world, 0.4)), downhill(angle))
      const late = dot(velocityW(run(world, 0.4)), downhill(angle))
      // the lever is short by half the depth, 5e-4 of it; the spring of 1e5 N/m rings with an amplitude of 1e-4
      expect((late - early) / 0.4 / ((g * Math.sin(angle)) / 1.4)).toBeCloseTo(1, 3)
    })
  }
})

describe('static friction by the linear system', () => {
  for (const integrator of integrators) {
    test(`${integrator}: a sphere rolls down a slope without slip, at g sin / (1 + k)`, () => {
      const [angle, radius] = [20 * degree, 0.1]
      const world = makeWorld({
        robot: sphere(radius),
        model: 'penalty',
        integrator,
        dt: integrator === 'rk4' ? 2.5e-4 : 1e-3,
        fixtures: [{ ...slope(angle), friction: 0.5, solvedStaticFriction: true }],
        q: onSlope(radius - 1e-3 * Math.cos(angle), angle),
      })
      run(world, 0.8)
      const down = downhill(angle)
      const early = dot(velocityW(world), down)
      // rk4 keeps to the ground to its order, 4: (22 rad/s h)⁴ · 2 m/s is 2e-9
      // at the contact, midway between the surfaces, at the depth that carries m g cos
      const lever = radius - 0.5e-3 * Math.cos(angle)
      run(world, 0.5, () => {
        expect(Math.abs(dot(velocityW(world), down) - lever * world.state.v[1])).toBeLessThan(1e-9)
      })
      const k = 0.4 * (radius / lever) ** 2
      const gained = (dot(velocityW(world), down) - early) / 0.5
      expect(gained / ((g * Math.sin(angle)) / (1 + k))).toBeCloseTo(1, 6)
    })

    test(`${integrator}: where it would have to hold more than mu N it slips at g (sin - mu cos)`, () => {
      const [angle, radius, mu] = [40 * degree, 0.1, 0.1]
      const world = makeWorld({
        robot: sphere(radius),
        model: 'penalty',
        integrator,
        fixtures: [{ ...slope(angle), friction: mu, solvedStaticFriction: true }],
        q: onSlope(radius - 1e-3 * Math.cos(angle), angle),
      })
      const early = dot(velocityW(run(world, 0.3)), downhill(angle))
      const late = dot(velocityW(run(world, 0.3)), downhill(angle))
      expect((late - early) / 0.3 / (g * (Math.sin(angle) - mu * Math.cos(angle)))).toBeCloseTo(1, 4)
      expect(world.events.fallbacks).toBe(0)
    })

    test(`${integrator}: a box on four points, singular as they are, stands still under mu N, and slides at (P - mu m g) / m beyond`, () => {
      const mu = 0.5
      for (const share of [0.5, 0.99, 1.01, 1.5]) {
        const P = share * mu * 10 * g
        const world = makeWorld({
          robot: box([0.4, 0.3, 0.1]),
          model: 'penalty',
          integrator,
          fixtures: [{ ...floor, friction: mu, solvedStaticFriction: true }],
          q: [0, 0, 0.049, 0, 0, 0, 1],
          push(tau, t) {
            tau[3] = P * Math.min(1, 5 * t) // so that it does not rock when the push sets in
          },
        })
        run(world, 2)
        const early = velocityW(world)
        run(world, 0.2)
        const a = velocityW(world).map((x, d) => (x - early[d]) / 0.2)
        if (share < 1) {
          expect(Math.hypot(...a)).toBeLessThan(1e-9)
          expect(Math.hypot(...world.state.v)).toBeLessThan(1e-9)
          expect(Math.hypot(world.state.q[0], world.state.q[1])).toBeLessThan(1e-3) // it leans on its springs
        } else expect(Math.abs(a[0] - (P / 10 - mu * g))).toBeLessThan(1e-3 * g) // friction tilts it
        expect(world.events.failures + world.events.fallbacks).toBe(0)
      }
    })
  }
})

test.each(integrators)('%s: boxes set down on each other, which carry nothing yet, are held by solved friction', (integrator) => {
  const robots = [0, 1].map((k) => ({ robot: box([1, 1, 1]), q: [0.003 * k, -0.002 * k, k + 0.5, 0, 0, 0, 1] }))
  const options = { friction: 'solved', kp: 5000, kv: 2500, ki: 100 }
  const world = makeWorld({ robots, model: 'penalty', integrator, dt: 3e-3, options })
  run(world, 3)
  expect(world.robots.every(({ state: { q } }, k) => Math.hypot(q[0] - 0.003 * k, q[1] + 0.002 * k) < 1e-3)).toBe(true)
})

describe('two free bodies that meet without gravity', () => {
  const nothing: Vector = [0, 0, 0]
  const meet = (integrator: (typeof integrators)[number], kind: string, dt: number) => {
    const world = makeWorld({
      robots: [
        { name: 'a', robot: box([0.2, 0.2, 0.2], 10, nothing), v: [0.3, 0, 0.5, 1, 0, 0] },
        { name: 'b', robot: box([0.2, 0.2, 0.2], 4, nothing), q: [0.25, 0.04, 0.03, 0, 0, 0, 1], v: [0, 0.4, 0, -1, 0.5, 0] },
      ],
      model: 'penalty',
      integrator,
      dt,
      fixtures: [],
      physical: { friction: 0.6 },
      options: { friction: kind },
    })
    const meter = momentumMeter(world)
    const before = meter()
    let rubbed = 0
    run(world, 0.3, ({ contacts: { count, impulse } }) => {
      for (let i = 0; i < count; i++) rubbed += Math.hypot(impulse[3 * i + 1], impulse[3 * i + 2])
    })
    expect(rubbed).toBeGreaterThan(0.1)
    return meter().map((x, d) => Math.abs(x - before[d]))
  }

  for (const kind of kinds) {
    test(`semi-implicit-euler, ${kind}: friction between them is equal and opposite, and momentum stays`, () => {
      // cubes, which no gyroscopic moment turns; of 10 N s and 1 N m s
      for (const d of meet('semi-implicit-euler', kind, 1e-3)) expect(d).toBeLessThan(1e-12)
    })

    test(`rk4, ${kind}: momentum changes no more than axes that turn with the bodies within a step let it, O(h)`, () => {
      // the forces of the four stages are equal and opposite in the world, and are added up in axes of either body, which have
      // turned by up to 5 rad/s h between them; where contact sets in within a step that does not cancel
      for (const d of meet('rk4', kind, 1e-4)) expect(d).toBeLessThan(1e-4)
    })
  }
})
