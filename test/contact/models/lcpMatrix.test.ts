import { describe, expect, test } from 'vitest'
import { contactChoice } from '../../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../../control/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import { World, type WorldRobot, type WorldSetup } from '../../../simulation/index.ts'
import { arm } from '../../simulation/robots.ts'
import { closing, couplerRates, fourbar } from '../loops/linkages.ts'

/*
 * Models at the level of accelerations with W = J M⁻¹ Jᵀ written out by test forces and without: results differ by rounding, so do
 * the motions.
 */

const ways = ['auto', 'test-forces'] as const

const controlled = (robot: Robot): WorldRobot => ({
  robot,
  controller: createControllerLoop(defaultControllerFor(robot), robot),
})

const crate = (position: readonly [number, number, number], mass = 3, restitution = 0) =>
  createFreeBody({ name: 'crate', shape: { type: 'box', size: [0.2, 0.3, 0.1] }, mass, position, restitution })
const ball = (position: readonly [number, number, number], restitution = 0) =>
  createFreeBody({ name: 'ball', shape: { type: 'sphere', radius: 0.1 }, mass: 2, position, restitution })

interface Case {
  readonly options: () => Omit<WorldSetup, 'dt'>
  readonly steps: number
  /** Whether it has come to what the scene is for. */
  readonly happens: (world: World) => boolean
}

const touches = (world: World) => world.contacts.impulse.subarray(0, 3 * world.contacts.count).some((p) => p > 0)
const cases: Record<string, Case> = {
  'the humanoid on its wheels': {
    options: () => ({ robots: [controlled(loadOwnRobot('humanoid'))] }),
    steps: 150,
    happens: touches,
  },
  'an arm that falls on its stops': {
    options: () => {
      const robot = arm()
      return { robots: [{ robot, q: Float64Array.of(0, 2, 1.5, 0, 1.5, 0), v: Float64Array.of(0, 3, 3, 0, 3, 0) }], fixtures: [] }
    },
    steps: 300,
    happens: ({ state }) => state.q.some((x) => x > 2.5 - 1e-3),
  },
  'a four-bar linkage that goes round, closed by a hinge, and two bodies in one': {
    options: () => {
      const { elbow, swing } = couplerRates(0)
      return {
        robots: [
          { robot: fourbar(), v: [3, 3 * elbow, 3 * swing] },
          { name: 'table', robot: crate([1, 0, 0.05]) },
          { name: 'leaf', robot: crate([1.2, 0, 0.1]) },
        ],
        loops: [closing('hinge'), { kind: 'weld', a: { robot: 'table' }, b: { robot: 'leaf' } }],
      }
    },
    steps: 300,
    happens: touches,
  },
}

const worldOf = (options: Omit<WorldSetup, 'dt'>, contactModel: string, matrix?: string) =>
  new World({
    ...options,

    dt: 1e-3,
    ...contactChoice(contactModel, matrix === undefined ? {} : { matrix }),
  })
const shownWay = (world: World) => world.contactModel.parameters.used.find(({ name }) => name === 'matrix')?.value

describe.each(['lcp', 'lotstedt'])('%s: with W written out and without the motion is the same', (contactModel) => {
  test.each(Object.entries(cases))('%s', (_, { options, steps, happens }) => {
    const [expected, ...others] = ways.map((way) => {
      const world = worldOf(options(), contactModel, way)
      expect(shownWay(world)).toBe(way)
      let happened = false
      for (let n = 0; n < steps; n++) {
        world.step()
        happened ||= happens(world)
      }
      expect(happened).toBe(true)
      expect(world.events.failures).toBe(0)
      return world
    })
    for (const { state } of others) {
      // rounding of a matrix whose condition is 1e5, over some hundred steps with stick and slip
      expected.state.q.forEach((x, k) => {
        expect(Math.abs(state.q[k] - x)).toBeLessThan(1e-8)
      })
      expected.state.v.forEach((x, k) => {
        expect(Math.abs(state.v[k] - x)).toBeLessThan(1e-7)
      })
    }
  })
})

describe.each(ways)('%s', (way) => {
  test('bodies that do not meet move as each does in a world of its own, to the last bit', () => {
    const members = (): WorldRobot[] => [
      { name: 'crate', robot: crate([-8, 3, 0.2]), v: [1, 2, 0.5, 0, 0, 0] },
      controlled(loadOwnRobot('humanoid')),
      { name: 'ball', robot: ball([-5, 0, 0.3], 0.5), v: [3, 1, 0, 0.5, 0, 0] },
    ]
    const [together, ...alone] = [members(), ...members().map((member) => [member])].map((robots) => {
      const world = worldOf({ robots }, 'lcp', way)
      for (let n = 0; n < 400; n++) world.step()
      return world
    })
    alone.forEach(({ state }, i) => {
      expect([...together.robots[i].state.q]).toEqual([...state.q])
      expect([...together.robots[i].state.v]).toEqual([...state.v])
    })
  })
})

test('the problem of a step as it is saved is the same with W written out and without, M included', () => {
  const [expected, ...others] = ways.map((way) => {
    const world = worldOf({ robots: [controlled(loadOwnRobot('humanoid'))] }, 'lcp', way)
    for (let n = 0; n < 50; n++) world.step()
    const problem = world.contactModel.problem?.()
    if (problem === undefined) throw new Error('there is no problem')
    return problem
  })
  for (const other of others) {
    const numbers = ({ M, J, vFree, gap, allowed, softness }: typeof expected) =>
      [M, J, vFree, gap, allowed, softness].flat(2).map(Number)
    const values = numbers(other)
    numbers(expected).forEach((x, k) => {
      // motions that differ by rounding
      expect(Math.abs(values[k] - x)).toBeLessThan(1e-9 * Math.max(1, Math.abs(x)))
    })
  }
})
