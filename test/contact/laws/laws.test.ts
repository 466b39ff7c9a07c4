import { describe, expect } from 'vitest'
import { type ContactModelName, contactModels } from '../../../contact/index.ts'
import { contactLaws, type LawOptions } from './laws.ts'
import { box, dot, downhill, g, makeWorld, onSlope, run, slope, support, velocityW } from './scenes.ts'

const onePoint = 'one point at a time carries a flat face, which therefore rocks from corner to corner'

const options: Partial<Record<ContactModelName, LawOptions>> = {
  'penalty-deepest': {
    fineSteps: [1e-3],
    except: {
      'a free box slides down like a block that cannot turn': {
        reason: onePoint,
        instead() {
          const angle = Math.PI / 8
          const q = onSlope(0.024, angle)
          const world = makeWorld({
            robot: box([0.2, 0.2, 0.05]),
            model: 'penalty-deepest',
            fixtures: [slope(angle)],
            physical: { friction: 0.2 },
            q,
          })
          const expected = g * (Math.sin(angle) - 0.2 * Math.cos(angle))
          // rocking shakes the load, and friction with it: the mean over a second is within 3 %
          expect(Math.abs(dot(velocityW(run(world, 1)), downhill(angle)) / expected - 1)).toBeLessThan(0.03)
        },
      },
      'a cylinder rolls down at g sin / (1 + k) while mu >= tan k / (1 + k), and slips below': { reason: onePoint },
      'the centre of pressure lies under the centre of mass': {
        reason: onePoint,
        instead() {
          const world = makeWorld({ robot: box([0.2, 0.2, 0.1]), model: 'penalty-deepest', q: [0, 0, 0.049, 0, 0, 0, 1] })
          run(world, 1)
          let force = 0
          const moment = [0, 0]
          run(world, 1, () => {
            const { force: now, pressure } = support(world)
            if (!(now > 0)) return
            force += now
            for (let d = 0; d < 2; d++) moment[d] += now * pressure[d]
          })
          // over time it must be, or the box would fall over
          expect(Math.abs(force / 1000 / (10 * g) - 1)).toBeLessThan(0.02)
          expect(Math.hypot(moment[0], moment[1]) / force).toBeLessThan(5e-3)
        },
      },
      'a box at rest stays at rest for 10 s': {
        reason: onePoint,
        instead() {
          const world = makeWorld({ robot: box([0.2, 0.3, 0.1]), model: 'penalty-deepest', q: [0, 0, 0.049, 0, 0, 0, 1] })
          let fastest = 0
          run(world, 10, () => {
            fastest = Math.max(fastest, Math.hypot(...world.state.v.subarray(3)))
          })
          // it neither walks away nor gains: what it rocks by is of the order of the sink, 1 mm, in a step or two
          expect(Math.hypot(world.state.q[0], world.state.q[1])).toBeLessThan(0.02)
          expect(Math.abs(world.state.q[2] - 0.049)).toBeLessThan(2e-3)
          expect(fastest).toBeLessThan(0.05)
        },
      },
    },
  },
}

for (const name of Object.keys(contactModels) as ContactModelName[]) {
  describe(name, () => contactLaws(name, options[name]))
}
