import { expect } from 'vitest'
import { createControllerLoop, hold } from '../../../control/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { wall } from './bricks.ts'
import { inclines } from './grounds.ts'
import { because, exception, type LawOptions } from './law.ts'
import { restOfRobot, restOfStack } from './rest.ts'
import { coast } from './rolling.ts'
import { box, dot, downhill, g, largestDuring, makeWorld, onSlope, pushAt, roller, run, tiltOf, velocityW } from './scenes.ts'
import { byTurns, checkBricks, checkPad, checkTakenAlong, checkTippingOnTrolley, twoOnSlope } from './stacks.ts'
import { checkOverhang } from './statics.ts'
import { checkTippingOnSlope, creepNearTipping } from './tipping.ts'

const onePoint = 'one point at a time carries a flat face, which therefore rocks from corner to corner'

/** What the model of the deepest point does not hold, why, and what it holds instead. */
export const deepestPoint: LawOptions = {
  fineSteps: [1e-3],
  frictions: ['springs', 'solved'],
  plain: () => ({ integral: false, impacts: 'none' }),
  except: {
    ...because(
      onePoint,
      'a free box holds by static friction, and slides on by sliding friction once pushed',
      'of five overbalanced bricks the ten edges that hold and that break are those of the quadratic program',
    ),
    'a box on a trolley is taken along up to mu g, and slips beyond': exception(
      `${onePoint}, so that friction follows a load that shakes, by 1 % in the mean of 0.2 s`,
      () => checkTakenAlong('penalty-deepest', 0.02),
    ),
    'a cylinder that rolls on the level goes on at its speed, without creep': exception(onePoint, () => checkCoasting(0.5)),
    'a hoop that rolls on the level goes on at its speed, without creep': exception(onePoint, () => checkCoasting(1)),
    'a wall of bricks in running bond stands without creep, and each course carries what is above it': exception(
      `${onePoint}: its bricks are shaken at 0.6 m/s`,
      () => {
        const world = wall('penalty-deepest', 1e-3)
        const start = world.state.q.slice()
        run(world, 0.3)
        // they wander by 5 mm, and none falls
        expect(Math.max(...start.map((x, k) => Math.abs(world.state.q[k] - x)))).toBeLessThan(0.02)
      },
    ),
    'a humanoid that is held in its pose stands still for 60 s': exception(onePoint, () => {
      const robot = loadOwnRobot('humanoid')
      const world = makeWorld({ robot, model: 'penalty-deepest', controller: createControllerLoop(hold(), robot) })
      run(world, 2)
      const start = world.state.q.slice()
      const fastest = largestDuring(world, 10, ({ state }) => Math.max(...state.v.map(Math.abs)))
      // its soles tremble, 3.1e-3 rad/s in the ankles, and it goes nowhere
      expect(fastest).toBeLessThan(6e-3)
      expect(Math.hypot(...[0, 1, 2].map((d) => world.state.q[d] - start[d]))).toBeLessThan(1e-5)
    }),
    'a wheel that stands on a tread presses equally with both edges of it': exception(
      `${onePoint}; of two equally deep the first carries all`,
    ),
    'ten boxes of 1 kg and 1000 kg by turns stand for a minute, whichever is the lowest': exception(
      `${onePoint}, and its stiffness is for the weight of the heavier of two, a fifth of what the lowest carry: they are thrown`,
      () => {
        for (const lowest of [1, 1000]) {
          const world = byTurns('penalty-deepest', 10, lowest)
          run(world, 0.12)
          // it says so from the first on
          expect(world.events.strained).toBeGreaterThan(10)
          expect(world.events.firstStrain).toMatch(
            /^penalty-deepest: a contact was pressed in by .* more than 10 times the allowed penetration/,
          )
        }
      },
    ),
    'n bricks reach over an edge by half a length times 1 + 1/2 + ... + 1/n, and not by 1 % more': exception(
      `${onePoint}: at 0.99 of the reach that tilts them by 0.1 rad`,
      () => checkBricks('penalty-deepest', [0.8, 1.02], [2]),
    ),
    'a box between a wall and a pad that presses S holds when 2 mu S >= m g': exception(
      `${onePoint}, and in the air friction does not hold it`,
      () => checkPad('penalty-deepest', [2], 0.1),
    ),
    'of two boxes on a slope the upper slides off at g (sin - mu cos) if its own mu is small, and else both stay': exception(
      onePoint,
      () => {
        const angle = Math.PI / 9
        for (const mu of [0.5, 0.2]) {
          const world = twoOnSlope('penalty-deepest', angle, mu)
          const [lower, upper] = world.robots
          run(world, 0.3)
          const early = dot(velocityW(upper), downhill(angle))
          const start = lower.state.q.slice(0, 3)
          run(world, 0.2)
          const late = dot(velocityW(upper), downhill(angle))
          const expected = Math.max(0, g * (Math.sin(angle) - mu * Math.cos(angle)))
          expect(Math.abs((late - early) / 0.2 - expected)).toBeLessThan(0.02)
          // 2e-4 m in 0.2 s was seen
          expect(Math.hypot(...[0, 1, 2].map((d) => lower.state.q[d] - start[d]))).toBeLessThan(2e-3)
        }
      },
    ),
    'a box on a trolley tips when a > g b / c': exception(`${onePoint}: at 0.99 of the threshold that has thrown it over`, () =>
      checkTippingOnTrolley('penalty-deepest', [0.9, 1.02]),
    ),
    'a block slides down a ramp, a mesh and a height field as down a plane, at g (sin - mu cos)': exception(onePoint, () =>
      checkInclines(0.2, 0.005),
    ),
    'a block stays on each of them if tan <= mu, and they carry it': exception(
      `${onePoint}, and walks while it does: 3 mm in half a second`,
      () => checkInclines(0.5, 0.01),
    ),
    'a stack of three boxes at rest stays for 60 s': exception(onePoint, () => {
      const { world, moved, kinetic } = restOfStack('penalty-deepest')
      // in a minute they walked 3 cm, and none off the other
      expect(moved).toBeLessThan(0.06)
      expect(kinetic).toBeLessThan(0.2)
      world.robots.forEach(({ state }, i) => {
        expect(Math.abs(state.q[2] - 0.05 - 0.1 * i)).toBeLessThan(0.02)
      })
    }),
    'the diffdrive robot, held, stays for 60 s': exception(onePoint, () => {
      const { fastest, moved, kinetic } = restOfRobot('penalty-deepest', 'diffdrive', 20)
      expect(moved).toBeLessThan(1e-3) // 2e-4
      expect(fastest).toBeLessThan(0.01) // 4e-3
      expect(kinetic).toBeLessThan(1e-5) // 2e-6
    }),
    'a box on a slope tips at tan = b / c if mu is larger': exception(
      `${onePoint}: at 0.98 of the threshold that has thrown it over`,
      () => checkTippingOnSlope('penalty-deepest', [0.95, 1.02]),
    ),
    'a brick hangs over an edge by half its length, and not by 1 % more': exception(
      `${onePoint}: at 0.99 of half its length that tilts it by 3e-3 rad`,
      () => checkOverhang('penalty-deepest', [1e-3], [0.95, 1.02]),
    ),
    'a pushed box slides when F > mu m g, if it is pushed below b / mu, and tips before it slides above': exception(
      `${onePoint}, and in the air it is not held`,
      () => {
        const [b, c, mass, mu] = [0.06, 0.1, 10, 0.5]
        for (const share of [0.9, 0.99, 1.05]) {
          const world = makeWorld({
            robot: box([2 * b, 2 * b, 2 * c], mass),
            model: 'penalty-deepest',
            physical: { friction: mu, allowedPenetration: 1e-5 },
            q: [0, 0, c - 1e-5, 0, 0, 0, 1],
            push: (tau, t, q) => pushAt(tau, q, [share * mu * mass * g * Math.min(t / 0.2, 1), 0, 0], [0, 0, -0.04]),
          })
          run(world, 0.4)
          const early = velocityW(world)[0]
          run(world, 0.6)
          // from 0.95 of the threshold it gains speed already, 0.009 of mu g at 0.99; on average F - mu m g beyond
          const gained = (velocityW(world)[0] - early) / 0.6 / (mu * g)
          expect(Math.abs(gained - Math.max(share - 1, 0))).toBeLessThan(0.015)
          expect(tiltOf(world)).toBeLessThan(1e-3)
        }
      },
    ),
    'a box that is about to tip, 9 % of its weight on its upper edge, is held by friction all the same': exception(
      onePoint,
      () => expect(creepNearTipping('penalty-deepest', {})).toBeLessThan(0.1), // 0.06 m/s
    ),
    'a box at rest on the level and on a slope stays for 60 s, but for the creep that its model states': exception(
      onePoint,
      () => {
        const world = makeWorld({ robot: box([0.2, 0.3, 0.1]), model: 'penalty-deepest', q: [0, 0, 0.049, 0, 0, 0, 1] })
        const fastest = largestDuring(world, 10, ({ state }) => Math.hypot(...state.v.subarray(3)))
        // it neither walks away nor gains: what it rocks by is of the order of the sink, 1 mm, in a step or two
        expect(Math.hypot(world.state.q[0], world.state.q[1])).toBeLessThan(0.02)
        expect(Math.abs(world.state.q[2] - 0.049)).toBeLessThan(2e-3)
        expect(fastest).toBeLessThan(0.05)
      },
    ),
  },
}

/** Acceleration down grounds of every kind, while one point at a time carries the block. */
function checkInclines(mu: number, tolerance: number): void {
  const angle = Math.PI / 9
  for (const ground of inclines(angle)) {
    const world = makeWorld({
      robot: box([0.2, 0.2, 0.05]),
      model: 'penalty-deepest',
      fixtures: [ground],
      physical: { friction: mu, allowedPenetration: 1e-5 },
      q: onSlope(0.025, angle),
    })
    const early = dot(velocityW(run(world, 0.5)), downhill(angle))
    const late = dot(velocityW(run(world, 0.5)), downhill(angle))
    const expected = Math.max(0, g * (Math.sin(angle) - mu * Math.cos(angle)))
    expect(Math.abs((late - early) / 0.5 - expected), ground.name).toBeLessThan(tolerance)
  }
}

function checkCoasting(k: number): void {
  const { gained, gone, slip } = coast('penalty-deepest', roller(0.1, 0.2, 10, k), 1e-3, 1e-3)
  // it slips by up to 5e-4 m/s while it rocks
  expect(slip).toBeLessThan(2e-3)
  expect(Math.abs(gained)).toBeLessThan(1e-2)
  expect(Math.abs(gone)).toBeLessThan(1e-2)
}
