import { expect, test } from 'vitest'
import { whole } from '../../dailyModels.ts'
import { box, g, largestDuring, makeWorld, run } from '../laws/scenes.ts'

/*
 * Gains that adapt while it runs: a pair's stiffness follows the load that it carries (`PairLoads`), K = L / d0.
 */

/** A column of boxes after three seconds: depth below its lowest face, of what it should have sunk by, and the greatest speed in half a second. */
function column(masses: readonly number[], stiffness?: number) {
  const side = 0.2
  const robots = masses.map((mass, i) => ({ robot: box([side, side, side], mass), q: [0, 0, side * (i + 0.5), 0, 0, 0, 1] }))
  const world = makeWorld({ robots, model: 'penalty', dt: 2e-3, physical: { stiffness } })
  run(world, 3)
  const fastest = largestDuring(world, 0.5, ({ state }) => Math.max(...state.v.map(Math.abs)))
  return { depth: 0.5 * side - world.robots[0].state.q[2], fastest }
}

whole('ten equal boxes stand 1 mm deep on gains that follow their loads; on those of one box they sink tenfold and sway', () => {
  const masses = Array.from({ length: 10 }, () => 10)
  const adapted = column(masses)
  expect(Math.abs(adapted.depth - 1e-3)).toBeLessThan(1e-5)
  expect(adapted.fastest).toBeLessThan(1e-4)
  const fixed = column(masses, (10 * g) / 1e-3)
  expect(Math.abs(fixed.depth - 1e-2)).toBeLessThan(2e-3)
  expect(fixed.fastest).toBeGreaterThan(0.01)
})

const damper = (K: number, mass: number) => 2 * Math.sqrt(K * mass)

/** A column of boxes at rest on its springs is struck from above: how far the uppermost swings back past its rest, over how far it sank. */
function overshoot(masses: readonly number[], dt: number): number {
  const side = 0.2
  const all = masses.reduce((sum, mass) => sum + mass)
  let sunk = 0
  const robots = masses.map((mass, i) => {
    sunk += (1e-3 * masses.slice(i).reduce((sum, m) => sum + m)) / all
    return { robot: box([side, side, side], mass), q: [0, 0, side * (i + 0.5) - sunk, 0, 0, 0, 1] }
  })
  const world = makeWorld({ robots, model: 'penalty', dt, options: { impacts: 'none', integral: false } })
  run(world, 1) // the mean force comes up to the load
  const top = world.robots.length - 1
  const rest = world.robots[top].state.q[2]
  world.state.v[6 * top + 5] = -1e-3
  let [down, up] = [0, 0]
  run(world, 0.5, ({ robots }) => {
    down = Math.max(down, rest - robots[top].state.q[2])
    up = Math.max(up, robots[top].state.q[2] - rest)
  })
  return up / down
}

/** The same of two masses on linear springs and dampers, by steps of a microsecond. */
function linearOvershoot([below, above]: readonly [number, number], K: number): number {
  const [c1, c2] = [damper(K, below + above), damper(K, above)]
  let [x1, x2, v1, v2, down, up] = [0, 0, 0, -1e-3, 0, 0]
  for (let t = 0; t < 0.5; t += 1e-6) {
    const upper = -K * (x2 - x1) - c2 * (v2 - v1)
    v1 += (1e-6 * (-K * x1 - c1 * v1 - upper)) / below
    v2 += (1e-6 * upper) / above
    x1 += 1e-6 * v1
    x2 += 1e-6 * v2
    down = Math.max(down, -x2)
    up = Math.max(up, x2)
  }
  return up / down
}

whole(
  'dampers are critical for what their pairs carry: ten tons on a light box swing back by e^-π, those of two springs and dampers in series',
  () => {
    // K/2 and C/2 under m: a damping ratio of 1/√2; with dampers for the light box 93 %
    expect(Math.abs(overshoot([10, 1e4], 1e-4) / Math.exp(-Math.PI) - 1)).toBeLessThan(0.03)
    const equal = linearOvershoot([10, 10], (20 * g) / 1e-3)
    expect(Math.abs(overshoot([10, 10], 2e-4) / equal - 1)).toBeLessThan(0.1)
  },
)

test('nine boxes of 10 kg carry one of 10 t that is let go on them, at a step of 1 ms and of 4 ms', () => {
  for (const dt of [1e-3, 4e-3]) {
    const side = 0.2
    const masses = [...Array(9).fill(10), 1e4]
    const robots = masses.map((mass, i) => ({ robot: box([side, side, side], mass), q: [0, 0, side * (i + 0.5), 0, 0, 0, 1] }))
    const world = makeWorld({ robots, model: 'penalty', dt })
    run(world, 2)
    // each pair is 1 mm deep but for the light boxes above it
    const depth = masses.reduce((sum, _, i) => sum + masses.slice(i).reduce((m, mass) => m + mass), 0) / (masses[9] + 90)
    expect(Math.abs((side * 9.5 - world.robots[9].state.q[2]) / (1e-3 * depth) - 1)).toBeLessThan(1e-3)
    expect(world.events).toMatchObject({ failures: 0, energyGains: 0 })
  }
})
