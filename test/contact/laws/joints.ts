import { describe, expect } from 'vitest'
import { type BodyDefinition, JointType } from '../../../dynamics/index.ts'
import { type Suite, steps } from './law.ts'
import { g, makeRobot, makeWorld, run } from './scenes.ts'

/** Stops and dry friction of joints, which contact models treat as they treat contacts. */
export function jointLaws({ model, rigid, law }: Suite): void {
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
}
