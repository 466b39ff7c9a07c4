import { describe, expect, test } from 'vitest'
import { contactModelNames } from '../../contact/index.ts'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import { bodyFrames } from '../../dynamics/index.ts'
import { createFreeBody, type Robot } from '../../robots/index.ts'
import { SimulationError, World, type WorldLoop, type WorldOptions } from '../../simulation/index.ts'
import { makeRobot } from '../contact/laws/scenes.ts'
import { body, slide, solid } from '../dynamics/bodies.ts'

/*
 * Loops that are on at times only: a cup on a slide that takes hold of a box and lets it go, without gravity. While it holds, both move as
 * one; what it takes hold of in flight keeps the momentum.
 */

const dt = 1e-3
const slider = makeRobot('cup', [body('cup', slide('reach', 0, [1, 0, 0]), solid(1, [0.01, 0.01, 0.01]))], [], [0, 0, 0])
const cup: Robot = { ...slider, frames: bodyFrames(slider.model) }
const box = createFreeBody({
  name: 'box',
  shape: { type: 'box', size: [0.1, 0.1, 0.1] },
  mass: 3,
  position: [0.4, 0, 0],
  gravity: [0, 0, 0],
})
const weld: WorldLoop = { name: 'suction', kind: 'weld', a: { robot: 'cup', link: 'cup' }, b: { robot: 'box' } }
const push: Controller = { rate: 1000, init: () => undefined, update: () => [2] }

function make(loop: Partial<WorldLoop>, contactModel: string, controller: Controller = push, more: Partial<WorldOptions> = {}) {
  const source = createControllerLoop(controller, cup)
  const robots = [
    { name: 'cup', robot: cup, controller: source },
    { name: 'box', robot: box },
  ]
  return new World({ robots, dt, fixtures: [], loops: [{ ...weld, ...loop }], contactModel, ...more } as WorldOptions)
}
const run = (world: World, seconds: number) => {
  for (let n = Math.round(seconds / dt); n > 0; n--) world.step()
  return [world.state.v[0], world.state.v[4]]
}

describe.each([...contactModelNames.map((name) => [name, 'semi-implicit-euler'] as const), ['penalty', 'rk4'] as const])(
  '%s, %s',
  (name, integrator) => {
    // the softer springs of explicit steps
    const rings = integrator === 'rk4'

    test('a weld from one time until another takes hold with the momentum of both, carries, and lets go', () => {
      const world = make({ from: 0.1, until: 0.3 }, name, push, { integrator })
      const [before, still] = run(world, 0.1)
      expect([before, still]).toEqual([expect.closeTo(0.2, 9), 0])
      const [carrying, carried] = run(world, 0.2)
      expect(carrying).toBeCloseTo((0.2 + 2 * 0.2) / 4, rings ? 2 : 4)
      expect(carried).toBeCloseTo(carrying, rings ? 2 : 3)
      const [away, free] = run(world, 0.1)
      expect(away - carrying).toBeCloseTo(0.2, 9)
      expect(free).toBe(carried)
      expect(world.events.failures).toBe(0)
    })

    test('a loop lets go above its largest force, which is told, and stays off', () => {
      const world = make({ maxForce: 2.4 }, name, { ...push, update: ({ t }) => [t < 0.1 ? 1 : 8] }, { integrator })
      const [together, carried] = run(world, 0.1)
      expect(together).toBeCloseTo(0.1 / 4, rings ? 2 : 4)
      expect(carried).toBeCloseTo(together, rings ? 2 : 4)
      run(world, 0.1)
      const [, kept] = run(world, 0.05)
      expect(world.events.letGo).toBe(1)
      expect(world.events.firstLetGo).toMatch(/^loop "suction" let go at t = 0.1\d* s, at .* N of the 2.4 N/)
      expect(kept).toBeLessThan(0.06)
    })
  },
)

const switching: Controller = {
  rate: 500,
  init: ({ loops }) => ({ first: { ...loops } }),
  update(state) {
    if (state.t > 0.0995) state.loops.suction = state.t < 0.1995 ? 1 : 0
    return [2]
  },
}

test('a controller switches a loop that is not active at first, and a checkpoint within goes on to the same bits', () => {
  const one = make({ active: false }, 'ncp', switching)
  run(one, 0.15)
  expect(one.switches?.read(0)).toBe(1)
  const saved = structuredClone(one.checkpoint())
  const other = make({ active: false }, 'ncp', switching)
  other.restore(saved)
  run(one, 0.15)
  run(other, 0.15)
  expect(other.hash()).toBe(one.hash())
  expect(one.switches?.read(0)).toBe(0)
  const [away, free] = [one.state.v[0], one.state.v[4]]
  expect(away).toBeCloseTo((0.2 + 0.2) / 4 + 0.2, 6)
  expect(free).toBeCloseTo(0.1, 6)
})

test('a loop that is off has the bits of none', () => {
  const world = make({ active: false }, 'ncp')
  const none = make({}, 'ncp', push, { loops: [] })
  run(world, 0.2)
  run(none, 0.2)
  expect([...world.state.q]).toEqual([...none.state.q])
})

test('a point that is switched on where its ends are apart ends the run with how far', () => {
  const point = { kind: 'point', a: { ...weld.a, point: [0, 0, 0] }, b: { ...weld.b, point: [0, 0, 0] }, from: 0.1 } as const
  const world = make(point, 'ncp')
  expect(() => run(world, 0.2)).toThrow(SimulationError)
  expect(world.failure?.message).toMatch(
    /^loop "suction", switched on at t = 0.1 s, is open by 390 mm: .*Switch it on where its ends meet/,
  )
})

test('what an unknown loop is named after is said', () => {
  expect(() => make({ from: 1 }, 'ncp').act({ type: 'loop', name: 'x', on: true })).toThrow(
    'there is no loop "x" that is on at times; there are suction',
  )
})

test.each(['ncp', 'penalty', 'lcp'])('%s: a sensor of a loop reads its force on b, 0 while it is off', (name) => {
  const source = createControllerLoop(push, cup, { sensors: { grip: { type: 'loop', loop: 'suction' } } })
  const robots = [
    { name: 'cup', robot: cup, controller: source },
    { name: 'box', robot: box },
  ]
  const world = new World({ robots, dt, fixtures: [], loops: [{ ...weld, from: 0.05 }], contactModel: name } as WorldOptions)
  const grip = () => Array.from(source.log?.values ?? [])
  expect(source.log?.names).toEqual([0, 1, 2, 3, 4, 5].map((k) => `sensors.grip/${k}`))
  run(world, 0.04)
  expect(grip()).toEqual([0, 0, 0, 0, 0, 0])
  run(world, 0.1)
  // 3 of 4 kg are carried by 2 N
  expect(grip()[3]).toBeCloseTo(1.5, 6)
  expect(grip()[4]).toBeCloseTo(0, 9)
})

test('a sensor of a loop that is not there is refused with those that are', () => {
  const source = createControllerLoop(push, cup, { sensors: { grip: { type: 'loop', loop: 'x' } } })
  const robots = [
    { name: 'cup', robot: cup, controller: source },
    { name: 'box', robot: box },
  ]
  expect(() => new World({ robots, dt, fixtures: [], loops: [weld], contactModel: 'ncp' })).toThrow(
    'there is no loop "x"; there are suction',
  )
})
