import { expect } from 'vitest'
import { frictionAtSpeed } from '../../../contact/index.ts'
import { degree, type Suite, steps, stickSpeed } from './law.ts'
import { box, dot, downhill, floor, g, makeWorld, onSlope, run, slider, slope, slopeRotation, velocityW } from './scenes.ts'

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
          const world = makeWorld({
            robot: slider([0.2, 0.2, 0.1], 10, slopeRotation(angle)),
            model,
            dt,
            fixtures: [{ ...slope(angle), ...surface }],
            q: onSlope(0.05 - deepest * Math.cos(angle), angle).slice(0, 3),
          })
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
        const world = makeWorld({
          robot: slider([0.2, 0.2, 0.1], 10, slopeRotation(angle)),
          model,
          dt,
          fixtures: [{ ...slope(angle), friction: mu, viscousFriction: viscous }],
          q: onSlope(0.05 - deepest * Math.cos(angle), angle).slice(0, 3),
        })
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
        const world = makeWorld({
          robot: slider([0.2, 0.2, 0.1], 10),
          model,
          dt,
          fixtures: [{ ...floor, ...surface }],
          q: [0, 0, 0.05 - deepest],
          v: [from, 0, 0],
        })
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
  })
}
