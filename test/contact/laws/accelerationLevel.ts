import { expect } from 'vitest'
import type { LawOptions } from './law.ts'
import { g, makeWorld, run, sphere, support } from './scenes.ts'

/*
 * What the models at the level of accelerations do not hold of the laws, why, and what they hold instead.
 */

export const lcpLaws: LawOptions = {
  cradle: 'simultaneous',
  painleve: 'stops', // what turning does to the rows is seen a step later
  except: {
    'the normal forces carry the weight, and springs sink by weight over stiffness': {
      reason:
        'what takes penetrations away is a spring of the allowed penetration and no share per step, so softness lets a body in by ' +
        'compliance times that, 1.2e-8 m at 1 ms, and not by 5e-10 m',
      instead() {
        for (const dt of [1e-4, 1e-3, 1e-2]) {
          for (const allowedPenetration of [1e-4, 1e-3]) {
            const world = makeWorld({
              robot: sphere(0.1, 7),
              model: 'lcp',
              dt,
              physical: { allowedPenetration },
              q: [0, 0, 0.1, 0, 0, 0, 1],
            })
            run(world, 2)
            expect(Math.abs(support(world).force / (7 * g) - 1)).toBeLessThan(1e-9)
            // the spring is implicit, which divides it by (1 + omega h)²
            const slow = 1 + dt * Math.sqrt(g / allowedPenetration)
            const sink = 1e-5 * allowedPenetration * slow * slow
            expect(Math.abs((0.1 - world.state.q[2]) / sink - 1)).toBeLessThan(1e-3)
          }
        }
      },
    },
  },
}

export const lotstedtLaws: LawOptions = {
  cradle: 'simultaneous',
  painleve: 'stops',
  except: {},
}
