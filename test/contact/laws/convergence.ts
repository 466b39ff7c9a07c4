import { expect } from 'vitest'
import { body, hinge, solid } from '../../dynamics/bodies.ts'
import { degree, type Suite } from './law.ts'
import { blockOnGround, dot, downhill, g, makeRobot, makeWorld, onSlope, run, slope, sphere } from './scenes.ts'

/** How fast errors vanish: with the step, and with the stiffness. */
export function convergenceLaws({ model, rigid, deepest, section, law }: Suite): void {
  section('convergence', () => {
    law('the position of a sliding block is of first order in the step: short by mu g t h / 2', () => {
      const [mu, v0, time] = [0.3, 3, 0.6]
      for (const dt of [4e-3, 2e-3, 1e-3]) {
        const world = blockOnGround({ model, dt, physical: { friction: mu }, sink: deepest, v: [v0, 0, 0] })
        run(world, time)
        const error = world.state.q[0] - (v0 * time - 0.5 * mu * g * time * time)
        // springs carry more or less than the weight until they have settled
        expect(Math.abs(error / (-0.5 * mu * g * time * dt) - 1)).toBeLessThan(rigid ? 1e-3 : 0.05)
      }
    })

    if (rigid) {
      law('what a rotation lets in within a step is of second order in it', () => {
        // a pendulum whose tip, at 45 degrees, would reach half as far again as its gap: depth / gap falls like the step
        const depth = [2e-2, 2e-3, 2e-4].map((dt) => {
          const [length, speed, angle] = [1, 1, Math.PI / 4]
          const gap = (2 / 3) * speed * length * Math.cos(angle) * dt
          const robot = makeRobot(
            'pendulum',
            [body('rod', hinge('hinge', 0, [0, 1, 0], [0, 0, length * Math.sin(angle) + gap]), solid(1, [1, 1, 1]))],
            [{ body: 1, shape: { type: 'sphere', radius: 0 }, p: [length, 0, 0] }],
            [0, 0, 0],
          )
          // softness yields to the impact, by a share of the speed that does not fall with the step
          const options = { compliance: 1e-9 }
          const world = makeWorld({ robot, model, options, dt, physical: { friction: 0 }, q: [angle], v: [speed] })
          world.step()
          return (length * Math.sin(world.state.q[0]) - length * Math.sin(angle)) / gap - 1
        })
        // here it ends short of the ground, sin being concave; the error is what counts
        expect(Math.abs(depth[0] / depth[1] / 10 - 1)).toBeLessThan(0.05)
        expect(Math.abs(depth[1] / depth[2] / 10 - 1)).toBeLessThan(0.05)
      })
      return
    }

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
