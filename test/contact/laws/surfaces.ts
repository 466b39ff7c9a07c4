import { expect } from 'vitest'
import { frictionAtSpeed } from '../../../contact/index.ts'
import { degree, type Suite, steps, stickSpeed } from './law.ts'
import {
  blockOnGround,
  blockOnSlope,
  box,
  dot,
  downhill,
  floating,
  floor,
  g,
  identity,
  makeRobot,
  makeWorld,
  onSlope,
  run,
  slope,
  sphere,
  velocityW,
} from './scenes.ts'

/** Friction beyond one coefficient: static, viscous, Stribeck. */
export function surfaceLaws({ model, rigid, deepest, section, law }: Suite): void {
  section('surfaces', () => {
    law('static friction 0.8 holds a block on 21 degrees on which friction 0.3 lets it slide, and lets go at atan(0.8)', () => {
      const surface = { friction: 0.3, staticFriction: 0.8 }
      // a spring bears the load only after a few steps, and what slides by then slides on
      const margin = (rigid ? 0.2 : 5) * degree
      for (const dt of steps) {
        for (const angle of [21 * degree, Math.atan(0.8) - margin, Math.atan(0.8) + margin]) {
          const holds = Math.tan(angle) < 0.8
          const world = blockOnSlope(angle, { model, dt, surface, sink: deepest })
          const early = dot(run(world, 0.5).state.v, downhill(angle))
          const late = dot(run(world, 0.5).state.v, downhill(angle))
          if (holds) expect(Math.abs(late)).toBeLessThan(rigid ? 1e-6 * g * dt * 2 : stickSpeed)
          else expect(Math.abs((late - early) / 0.5 - g * (Math.sin(angle) - 0.3 * Math.cos(angle)))).toBeLessThan(1e-3)
        }
      }
    })

    law('a free box holds by static friction, and slides on by sliding friction once pushed', () => {
      const angle = 21 * degree
      const world = makeWorld({
        robot: box([0.2, 0.2, 0.1]),
        model,
        fixtures: [{ ...slope(angle), friction: 0.3, staticFriction: 0.8 }],
        q: onSlope(0.05 - deepest * Math.cos(angle), angle),
      })
      expect(Math.abs(dot(velocityW(run(world, 0.5)), downhill(angle)))).toBeLessThan(rigid ? 1e-7 : stickSpeed)
      world.state.v[3] += 0.2
      const early = dot(velocityW(run(world, 0.1)), downhill(angle))
      const late = dot(velocityW(run(world, 0.3)), downhill(angle))
      const expected = g * (Math.sin(angle) - 0.3 * Math.cos(angle))
      expect(Math.abs((late - early) / 0.3 / expected - 1)).toBeLessThan(rigid ? 1e-3 : 1e-2)
    })

    law('viscous friction ends a slide down a slope at (tan - mu) / viscous', () => {
      const [angle, mu, viscous] = [25 * degree, 0.3, 0.5]
      for (const dt of steps) {
        const world = blockOnSlope(angle, { model, dt, surface: { friction: mu, viscousFriction: viscous }, sink: deepest })
        // the approach takes 1 / (viscous g cos) = 0.22 s
        run(world, 3)
        const expected = (Math.tan(angle) - mu) / viscous
        expect(Math.abs(dot(world.state.v, downhill(angle)) / expected - 1)).toBeLessThan(1e-5)
      }
    })

    law("a slide over a surface with Stribeck's curve loses speed as g mu(v), to first order in the step", () => {
      const surface = { friction: 0.1, staticFriction: 0.9, stribeckVelocity: 0.3 }
      // t = ∫ dv / (g mu(v)), by the midpoint rule
      const slide = 0.5
      const [from, to] = [1, 0.4]
      let time = 0
      const parts = 20_000
      for (let k = 0; k < parts; k++) {
        const v = to + ((k + 0.5) * (from - to)) / parts
        time += (from - to) / parts / (g * frictionAtSpeed(0.1, 0.9, 0, 0.3, v))
      }
      const missAt = (dt: number) => {
        const world = blockOnGround({ model, dt, fixtures: [{ ...floor, ...surface }], sink: deepest, v: [from, 0, 0] })
        let reached = 0
        let before = from
        run(world, 2 * slide, ({ state: { v, t } }) => {
          if (reached === 0 && v[0] <= to) reached = t[0] - (dt * (to - v[0])) / (before - v[0])
          before = v[0]
        })
        return Math.abs(reached / time - 1)
      }
      expect(missAt(1e-3)).toBeLessThan(1e-2)
    })

    law('a ball with rolling resistance l rolls v² (1 + k) R / (2 g l) far, and is held on a slope up to tan = l / R', () => {
      const [radius, length, speed, k] = [0.1, 4e-3, 1, 0.4]
      const missAt = (dt: number) => {
        const world = makeWorld({
          robot: sphere(radius),
          model,
          dt,
          fixtures: [{ ...floor, friction: 0.6, rollingLength: length }],
          q: [0, 0, radius - deepest, 0, 0, 0, 1],
          v: [0, speed / radius, 0, speed, 0, 0],
        })
        const expected = (speed * speed * (1 + k) * radius) / (2 * g * length)
        run(world, (1.2 * speed * (1 + k) * radius) / (g * length))
        expect(Math.hypot(...velocityW(world))).toBeLessThan(1e-3)
        return world.state.q[0] / expected - 1
      }
      expect(Math.abs(missAt(1e-3))).toBeLessThan(0.01)
      for (const share of [0.8, 1.5]) {
        const angle = Math.atan((share * length) / radius)
        const world = makeWorld({
          robot: sphere(radius),
          model,
          fixtures: [{ ...slope(angle), friction: 0.6, rollingLength: length }],
          q: onSlope(radius - deepest * Math.cos(angle), angle),
        })
        const early = dot(velocityW(run(world, 0.5)), downhill(angle))
        const late = dot(velocityW(run(world, 0.5)), downhill(angle))
        const expected = (g * (Math.sin(angle) - (length / radius) * Math.cos(angle))) / (1 + k)
        if (share < 1) expect(Math.abs(late)).toBeLessThan(2e-4)
        // springs let it sink, by 1 % of its radius
        else expect(Math.abs((late - early) / 0.5 / expected - 1)).toBeLessThan(rigid ? 1e-3 : 0.02)
      }
    })

    law('a pad on one point with torsional radius R spins down at mu R m g / I, and its moment is reported', () => {
      const [mu, radius, ball, spin] = [0.4, 0.03, 0.1, 8]
      for (const dt of [1e-3, 5e-3]) {
        const robot = sphere(ball, 2)
        const world = makeWorld({
          robot,
          model,
          dt,
          fixtures: [{ ...floor, friction: mu, torsionRadius: radius }],
          q: [0, 0, ball - deepest, 0, 0, 0, 1],
          v: [0, 0, spin, 0, 0, 0],
        })
        const inertia = 0.4 * 2 * ball * ball
        const rate = (mu * radius * 2 * g) / inertia
        run(world, 0.1)
        expect(Math.abs((spin - world.state.v[2]) / (rate * 0.1) - 1)).toBeLessThan(0.01)
        const moment = world.contacts.moment[0] / dt
        expect(Math.abs(moment / (-mu * radius * 2 * g) - 1)).toBeLessThan(0.01)
        run(world, spin / rate)
        expect(Math.abs(world.state.v[2])).toBeLessThan(2e-3)
      }
    })

    law(
      'under patch: uniform a line, a square and a disc spin down at mu g r / k², r = L / 4, 0.3826 a, 2 R / 3; else as on their ends',
      () => {
        const [mu, spin, mass, a] = [0.4, 6, 2, 0.2]
        const lying = Float64Array.of(0, 0, 1, 0, 1, 0, -1, 0, 0)
        const bodies = [
          { shape: { type: 'cylinder', radius: 0.05, length: a }, R: lying, height: 0.05, uniform: a / 4, ends: a / 2 },
          { shape: { type: 'box', size: [a, a, 0.1] }, R: identity, height: 0.05, uniform: 0.382598 * a, ends: Math.SQRT1_2 * a },
          { shape: { type: 'cylinder', radius: a / 2, length: 0.1 }, R: identity, height: 0.05, uniform: a / 3, ends: a / 2 },
        ] as const
        for (const { shape, R, height, uniform, ends } of bodies) {
          for (const patch of ['uniform', 'corners']) {
            const robot = makeRobot('pad', [{ ...floating, mass, inertia: [0.02, 0.02, 0.02, 0, 0, 0] }], [{ body: 1, shape, R }])
            const world = makeWorld({
              robot,
              model,
              options: { patch },
              physical: { friction: mu },
              fixtures: [floor],
              q: [0, 0, height - deepest, 0, 0, 0, 1],
              v: [0, 0, spin, 0, 0, 0],
            })
            run(world, 0.02) // springs find their depth
            const before = world.state.v[2]
            run(world, 0.05)
            const rate = (before - world.state.v[2]) / 0.05
            expect(Math.abs(rate / ((mu * mass * g * (patch === 'uniform' ? uniform : ends)) / 0.02) - 1)).toBeLessThan(0.01)
          }
        }
      },
    )
  })
}
