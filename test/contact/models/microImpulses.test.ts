import { expect, test } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import type { Robot } from '../../../robots/index.ts'
import type { World, WorldRobot } from '../../../simulation/index.ts'
import { box, dot, downhill, g, makeWorld, onSlope, run, slope, sphere, upright, velocityW } from '../laws/scenes.ts'

const micro = (microRestitution: number): ContactModelOptions => ({ solver: 'micro-impulses', microRestitution })

/** What rests for 0.2 s, after 0.5 s: its mean load over its weight, its gap, how far that varies [m], and impulses a step. */
function rest(robot: Robot, height: number, options: ContactModelOptions) {
  const world = makeWorld({ robot, model: 'ncp', options, q: [0, 0, height, ...upright] })
  run(world, 0.5)
  const before = world.events.iterations
  let [sum, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  run(world, 0.2, ({ contacts, state }) => {
    for (let i = 0; i < contacts.count; i++) sum += contacts.impulse[3 * i]
    low = Math.min(low, state.q[2] - height)
    high = Math.max(high, state.q[2] - height)
  })
  const load = sum / (0.2 * robot.massUsed * g)
  return { load, low, high, impulses: (world.events.iterations - before) / 200 }
}

test('a ball rests on a train of one collision a step, of m g h each, and hovers in e g h² / (1 + e)', () => {
  for (const e of [0.1, 0.2, 0.3]) {
    const { load, low, high, impulses } = rest(sphere(0.1, 2), 0.1, micro(e))
    const gap = (e * g * 1e-6) / (1 + e)
    expect(impulses).toBe(1)
    expect(Math.abs(load - 1)).toBeLessThan(1e-10)
    expect(high - low).toBeLessThan(1e-13)
    // softness, see `compliance`
    expect(Math.abs(low - gap)).toBeLessThan(1e-9)
  }
})

test('with a restitution of 1/3 or more the train does not settle: the ball trembles, its mean load still its weight', () => {
  const { load, low, high } = rest(sphere(0.1, 2), 0.1, micro(0.4))
  expect(high - low).toBeGreaterThan(5e-6)
  expect(Math.abs(load - 1)).toBeLessThan(5e-3)
})

test('a box of four corners rests under its weight, and takes more than one impulse a step', () => {
  const { load, low, high, impulses } = rest(box([0.2, 0.3, 0.1], 2), 0.05, micro(0.2))
  expect(Math.abs(load - 1)).toBeLessThan(1e-6)
  expect(Math.max(Math.abs(low), high)).toBeLessThan(2e-6)
  expect(impulses).toBeGreaterThan(2)
})

test('a block on a slope of 20 degrees slides at g (sin - mu cos); held, it creeps by 1 mm/s', () => {
  const angle = 0.35
  const motion = (friction: number) => {
    const world = makeWorld({
      robot: box([0.2, 0.3, 0.1], 2),
      model: 'ncp',
      options: micro(0.2),
      q: onSlope(0.05, angle),
      fixtures: [slope(angle)],
      physical: { friction },
    })
    const down = downhill(angle)
    const start = dot(velocityW(run(world, 0.3)), down)
    const end = dot(velocityW(run(world, 0.3)), down)
    return { speed: end, acceleration: (end - start) / 0.3 }
  }
  expect(Math.abs(motion(0.3).acceleration - g * (Math.sin(angle) - 0.3 * Math.cos(angle)))).toBeLessThan(1e-4)
  const { speed, acceleration } = motion(0.45)
  expect(Math.abs(acceleration)).toBeLessThan(1e-4)
  // friction acts in collisions alone, and gravity between them
  expect(speed).toBeGreaterThan(5e-4)
  expect(speed).toBeLessThan(1.5e-3)
})

test('stacks are slow: impulses a step grow nearly with the cube of the number of boxes, 94 for two and 2,600 for six', () => {
  const impulses = (count: number) => {
    const robots = Array.from(
      { length: count },
      (_, i): WorldRobot => ({ robot: box([0.2, 0.2, 0.2], 1), q: [0.002 * (i % 2), 0, 0.2 * (i + 0.5), ...upright] }),
    )
    const world: World = makeWorld({ robots, model: 'ncp', options: micro(0.2) })
    run(world, 0.03)
    expect(Math.abs(world.robots[count - 1].state.q[2] - 0.2 * (count - 0.5))).toBeLessThan(1e-5)
    expect(world.events.solvers.map(({ failed }) => failed)).toEqual([0, 0, 0])
    return world.events.iterations / 30
  }
  const [two, six] = [impulses(2), impulses(6)]
  expect(Math.log(six / two) / Math.log(3)).toBeGreaterThan(2.5)
})
