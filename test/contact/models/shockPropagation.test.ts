import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import { createControllerLoop, hold } from '../../../control/index.ts'
import { loadRobotFile } from '../../../robots/files.ts'
import type { World, WorldRobot } from '../../../simulation/index.ts'
import { box, fixedBox, g, makeWorld, momentumMeter, run, type Vector } from '../laws/scenes.ts'
import { loadBetween } from '../laws/stacks.ts'

/** The contact phase of Guendelman, Bridson and Fedkiw (2003): sweeps, and then levels from the ground up; nothing removes drift. */
const guendelman = { solver: 'contact-pgs', drift: 'none', impulses: 'sequential', impacts: 'newton' }

/** Cubes of 20 cm one on the other, every second one 2 mm aside. @param order in which they are listed, by their places */
function stack(masses: readonly number[], options: ContactModelOptions, order = masses.map((_, i) => i)): World {
  const robots = order.map(
    (i): WorldRobot => ({ robot: box([0.2, 0.2, 0.2], masses[i]), q: [0.002 * (i % 2), 0, 0.2 * (i + 0.5), 0, 0, 0, 1] }),
  )
  return makeWorld({ robots, model: 'ncp', options: { ...guendelman, ...options } })
}

/** How far each cube has sunk [m]. */
const sunk = ({ robots }: World, order = robots.map((_, i) => i)) =>
  robots.map(({ state }, n) => 0.2 * (order[n] + 0.5) - state.q[2])

const biped = () => loadRobotFile(fileURLToPath(new URL('../../../docs/examples/biped.urdf', import.meta.url)))

const ten = new Array<number>(10).fill(1)

describe('shock propagation', () => {
  test('ten equal boxes stand after ten sweeps, 0.04 mm lower in 0.2 s; without it they sink into each other by 10 mm, and on', () => {
    const sinksTo = (options: ContactModelOptions) => Math.max(...sunk(run(stack(ten, options), 0.2)))
    expect(sinksTo({})).toBeLessThan(6e-5)
    expect(Math.abs(sinksTo({ shockPropagation: false }) - 0.0103)).toBeLessThan(1e-3)
    // one sweep does with it what ten do without
    expect(Math.abs(sinksTo({ sweeps: 1 }) - 0.0035)).toBeLessThan(1e-3)
    expect(sinksTo({ sweeps: 1, shockPropagation: false })).toBeGreaterThan(0.07)
  })

  test('levels are those of the graph, whatever order boxes are listed in', () => {
    const order = [4, 8, 1, 9, 6, 0, 2, 7, 5, 3]
    expect(Math.max(...sunk(run(stack(ten, {}, order), 0.1), order).map(Math.abs))).toBeLessThan(1.5e-4)
    // a box is supported by what gravity presses it on, not by the walls that it touches, or each would be of the first level
    const world = makeWorld({
      robots: ten.map((mass, i): WorldRobot => ({ robot: box([0.2, 0.2, 0.2], mass), q: [0, 0, 0.2 * (i + 0.5), 0, 0, 0, 1] })),
      fixtures: [fixedBox('floor', [0, 0, -0.5], [4, 4, 1]), fixedBox('wall', [0.6, 0, 1], [1, 4, 4])],
      physical: { friction: 0 },
      model: 'ncp',
      options: guendelman,
    })
    expect(Math.max(...sunk(run(world, 0.1)))).toBeLessThan(1.5e-4)
  })

  test('what stands on a light box is held, but the ground does not feel it: of 1001 kg it carries 8', () => {
    const weight = 1001 * g
    const light = run(stack([1, 1000], {}), 0.5)
    expect(Math.max(...sunk(light))).toBeLessThan(1e-4)
    expect(Math.abs(loadBetween(light, 0, 1) / weight - 0.008)).toBeLessThan(0.002)
    // without the pass the ground feels as little, and the upper one falls right through
    const through = run(stack([1, 1000], { shockPropagation: false }), 0.5)
    expect(sunk(through)[1]).toBeGreaterThan(0.19)
    // the light one above is what sweeps are good at
    expect(Math.abs(loadBetween(run(stack([1000, 1], {}), 0.5), 0, 1) / weight - 1)).toBeLessThan(1e-4)
  })

  test('a see-saw of 10 kg and 5 kg does not turn to the heavier: its closed form is that of Newton and of plain sweeps alone', () => {
    const [heavy, light, plank, reach, half] = [10, 5, 1, 0.9, 0.01]
    const rate = (options: ContactModelOptions) => {
      const lie = (size: Vector, mass: number, x: number, z: number): WorldRobot => ({
        robot: box(size, mass),
        q: [x, 0, z, 0, 0, 0, 1],
      })
      const world = makeWorld({
        robots: [
          lie([2, 0.2, 0.05], plank, 0, 0.025),
          lie([0.1, 0.1, 0.1], heavy, reach, 0.1),
          lie([0.1, 0.1, 0.1], light, -reach, 0.1),
        ],
        fixtures: [fixedBox('ridge', [0, 0, -0.1], [2 * half, 0.2, 0.2])],
        physical: { friction: 0.8 },
        model: 'ncp',
        options: { drift: 'none', ...options },
      })
      return run(world, 0.05).robots[0].state.v[1]
    }
    // about the edge of the ridge
    const about = (mass: number, x: number) => mass * ((x - half) ** 2 + 0.1 ** 2 + (2 * 0.1 ** 2) / 12)
    const inertia = about(heavy, reach) + about(light, -reach) + plank * ((2 ** 2 + 0.05 ** 2) / 12 + half ** 2 + 0.025 ** 2)
    const torque = g * (heavy * (reach - half) - light * (reach + half) - plank * half)
    const expected = (0.05 * torque) / inertia
    // the weights' levers change by 1e-3 meanwhile
    expect(Math.abs(rate({}) / expected - 1)).toBeLessThan(2e-3)
    expect(Math.abs(rate({ solver: 'contact-pgs', shockPropagation: false }) / expected - 1)).toBeLessThan(0.02)
    expect(rate({ solver: 'contact-pgs' }) / expected).toBeLessThan(0)
  })

  test('its last pass gives more upwards than it takes: a box under another has lost momentum that nothing got', () => {
    // the two of them in a step, at rest before: what contacts report should be what the two gained, and the ground gave
    const missing = (options: ContactModelOptions) => {
      const world = stack([1, 1], { sweeps: 1, ...options })
      const momentum = momentumMeter(world)
      const before = momentum()[5]
      world.step()
      const gained = momentum()[5] - before + 2 * g * world.dt
      return gained - loadBetween(world, 0, 1) * world.dt
    }
    expect(Math.abs(missing({ shockPropagation: false }))).toBeLessThan(1e-12)
    expect(missing({})).toBeGreaterThan(1e-3)
  })

  test('a step does what it does alone, whatever was solved before it', () => {
    for (const solver of ['contact-pgs', 'micro-impulses']) {
      const world = stack([1, 2, 1], { solver })
      run(world, 0.02)
      const saved = world.checkpoint()
      const end = [...run(world, 0.02).state.q]
      const other = stack([1, 2, 1], { solver })
      run(other, 0.005)
      other.restore(saved)
      expect([...run(other, 0.02).state.q]).toEqual(end)
    }
  })
})

test('a biped that falls flat on both feet, alike, bounces at e v all at once; one after the other its feet get 15 % apart, and it falls on', () => {
  const e = 0.5
  const land = (options: ContactModelOptions) => {
    const at = { robot: biped(), model: 'ncp', options, physical: { restitution: e } }
    const q = makeWorld(at).state.q.slice()
    q[2] += 4e-4
    const v = new Float64Array(at.robot.model.nv)
    v[5] = -0.5
    const world = makeWorld({ ...at, q, v })
    world.step()
    const feet = new Map<number, number>()
    const { bodyA, bodyB, impact, count } = world.contacts
    for (let i = 0; i < count; i++) {
      const foot = Math.max(bodyA[i], bodyB[i])
      feet.set(foot, (feet.get(foot) ?? 0) + impact[3 * i])
    }
    const [left, right] = feet.values()
    return { left, right, speed: world.state.v[5], mass: at.robot.massUsed }
  }
  for (const impacts of ['newton', 'poisson']) {
    const { left, right, speed, mass } = land({ impulses: 'simultaneous', impacts })
    // on straight legs it is one body
    expect(Math.abs(speed - 0.5 * e)).toBeLessThan(1e-6)
    expect(Math.abs(left / right - 1)).toBeLessThan(1e-6)
    expect(Math.abs((left + right) / (mass * 0.5 * (1 + e)) - 1)).toBeLessThan(1e-4)
  }
  // each at the middle of its sole, so that ankles turn; and the second foot meets what the first has left
  const { left, right, speed } = land({ impulses: 'sequential', impacts: 'newton' })
  expect(Math.abs(speed + 0.196)).toBeLessThan(0.005)
  expect(Math.abs(left / right - 1.155)).toBeLessThan(0.01)
})

test("on two feet, a loop through the ground, ten sweeps are not enough: residual 0.09, creep 0.2 mm/s; a hundred end where Newton's method does", () => {
  const robot = biped()
  const stand = (options: ContactModelOptions) => {
    const world = makeWorld({ robot, model: 'ncp', options, controller: createControllerLoop(hold(), robot) })
    run(world, 0.5)
    world.events.residualMax = 0
    const start = world.state.q.slice(0, 3)
    run(world, 0.2)
    const { q } = world.state
    return { residual: world.events.residualMax, moved: Math.hypot(q[0] - start[0], q[1] - start[1], q[2] - start[2]) / 0.2 }
  }
  const few = stand({ solver: 'contact-pgs' })
  expect(few.residual).toBeGreaterThan(0.05)
  expect(few.moved).toBeGreaterThan(5e-5)
  const many = stand({ solver: 'contact-pgs', sweeps: 100 })
  expect(many.residual).toBeLessThan(1e-4)
  expect(Math.abs(many.moved - stand({}).moved)).toBeLessThan(1e-6)
})
