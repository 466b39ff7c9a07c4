import { expect } from 'vitest'
import { degree, type Suite } from './law.ts'
import { dot, downhill, g, makeWorld, onSlope, run, slope, sphere } from './scenes.ts'

/** How fast errors vanish: with the step, and with the stiffness. */
export function convergenceLaws({ model, rigid, section, law }: Suite): void {
  section('convergence', () => {
    if (rigid) return

    law('springs tend to the rigid limit: the error of a rolling sphere falls like one over the stiffness', () => {
      const [angle, radius] = [20 * degree, 0.1]
      const error = [1e-3, 1e-4, 1e-5].map((allowedPenetration) => {
        const world = makeWorld({
          robot: sphere(radius),
          model,
          fixtures: [slope(angle)],
          physical: { friction: 1, allowedPenetration },
          q: onSlope(radius - allowedPenetration * Math.cos(angle), angle),
        })
        run(world, 1)
        const dt = world.dt
        const a = (g * Math.sin(angle)) / 1.4
        return Math.abs(dot(world.state.q, downhill(angle)) - 0.5 * a * 1 * (1 + dt)) // the step's own error taken off
      })
      expect(Math.abs(error[0] / error[1] / 10 - 1)).toBeLessThan(0.1)
      expect(Math.abs(error[1] / error[2] / 10 - 1)).toBeLessThan(0.3)
    })
  })
}
