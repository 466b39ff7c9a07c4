import { expect, test } from 'vitest'
import { box, g, makeWorld, run } from '../laws/scenes.ts'

/*
 * Gains that adapt while it runs: a pair's stiffness follows the load that it carries (`PairLoads`), K = L / d0.
 */

/** A column of boxes after three seconds: depth below its lowest face, of what it should have sunk by, and the greatest speed in half a second. */
function column(masses: readonly number[], stiffness?: number) {
  const side = 0.2
  const robots = masses.map((mass, i) => ({ robot: box([side, side, side], mass), q: [0, 0, side * (i + 0.5), 0, 0, 0, 1] }))
  const world = makeWorld({ robots, model: 'penalty', dt: 2e-3, physical: { stiffness } })
  run(world, 3)
  let fastest = 0
  run(world, 0.5, ({ state: { v } }) => {
    for (const x of v) fastest = Math.max(fastest, Math.abs(x))
  })
  return { depth: 0.5 * side - world.robots[0].state.q[2], fastest }
}

test('ten equal boxes stand 1 mm deep on gains that follow their loads; on those of one box they sink tenfold and sway', () => {
  const masses = Array.from({ length: 10 }, () => 10)
  const adapted = column(masses)
  expect(Math.abs(adapted.depth - 1e-3)).toBeLessThan(1e-5)
  expect(adapted.fastest).toBeLessThan(1e-4)
  const fixed = column(masses, (10 * g) / 1e-3)
  expect(Math.abs(fixed.depth - 1e-2)).toBeLessThan(2e-3)
  expect(fixed.fastest).toBeGreaterThan(0.01)
})
