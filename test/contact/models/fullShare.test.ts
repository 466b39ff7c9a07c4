import { expect, test } from 'vitest'
import { createFreeBody } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { whole } from '../../dailyModels.ts'

/*
 * `penalty` divides its force by the number of points that push. Where that number jumps from four to two, as a box lifts an edge, the force
 * jumps too, and pose alone no longer says what energy there is.
 */
const dt = 2e-3
const side = 0.2
const mass = 10
const offsets = [-0.02, 0, 0.02, -0.01, 0.01]

function column(fullShare: number, boxes: number): World {
  const shape = { type: 'box', size: [side, side, side] } as const
  const robots = Array.from({ length: boxes }, (_, i) => ({
    robot: createFreeBody({ name: `box${i}`, shape, mass, position: [boxes > 1 ? offsets[i] : 0, 0, (i + 0.5) * side] }),
  }))
  return new World({ robots, contactModel: 'penalty', contactOptions: { fullShare }, physical: { friction: 0.5 }, dt })
}

/** Greatest velocity from one time to another [m/s, rad/s]. */
function fastest(world: World, from: number, to: number): number {
  while (world.stepCount * dt < from) world.step()
  let most = 0
  while (world.stepCount * dt < to) {
    world.step()
    for (const v of world.state.v) most = Math.max(most, Math.abs(v))
  }
  return most
}

whole(
  'a column of boxes that are out of line goes on swaying if points are counted, and not if their shares vanish with their depth',
  () => {
    const counted = column(0, 5)
    const shared = column(0.5, 5)
    const early = fastest(shared, 2, 4)
    // dampers of 14 ms on a sway of some 5 rad/s: amplitudes fall to half in two to four seconds
    expect(fastest(shared, 12, 14)).toBeLessThan(0.25 * early)
    expect(fastest(counted, 12, 14)).toBeGreaterThan(0.5 * early)
  },
)

test('a box at rest stands as deep with either, by its weight over the static stiffness', () => {
  for (const fullShare of [0, 0.5, 1]) {
    const world = column(fullShare, 1)
    for (let k = 0; k < 1000; k++) world.step()
    // the allowed penetration, that of its own weight; the integral has forgotten its start but for 0.85^1000
    expect(Math.abs(0.5 * side - world.state.q[2] - 1e-3)).toBeLessThan(1e-9)
  }
})
