import { expect } from 'vitest'
import { degree, type Suite, stickSpeed } from './law.ts'
import { box, dot, downhill, g, makeWorld, onSlope, run, slope, velocityW } from './scenes.ts'

/** Friction beyond one coefficient: static, viscous, Stribeck. */
export function surfaceLaws({ model, rigid, deepest, section, law }: Suite): void {
  section('surfaces', () => {
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
  })
}
