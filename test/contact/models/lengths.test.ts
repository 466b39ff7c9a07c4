import { describe, expect, test } from 'vitest'
import { type ContactModelName, contactModelNames } from '../../../contact/index.ts'
import { type Controller, createControllerLoop } from '../../../control/index.ts'
import {
  biasForces,
  crba,
  createData,
  createRandom,
  createState,
  kinematics,
  type LengthConstraint,
  type LengthPart,
  TendonLengths,
} from '../../../dynamics/index.ts'
import type { Robot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { body, free, slide, solid } from '../../dynamics/bodies.ts'
import { randomBodies } from '../../dynamics/randomTree.ts'
import { g, makeRobot } from '../laws/scenes.ts'

/*
 * Limits, dry friction and couplings of lengths under every contact model, by their closed forms. MuJoCo's law is soft, and yields.
 */

const joint = (body: number, factor = 1): LengthPart => ({ type: 'joint', body, factor })
const withLengths = (robot: Robot, lengths: readonly LengthConstraint[]): Robot => ({
  ...robot,
  model: { ...robot.model, lengths },
})
const mass = (m: number) => solid(m, [m, m, m])
const rest: Controller = { rate: 1000, init: () => undefined, update: () => [0] }
const isSoft = (name: string) => name === 'mujoco'
const spring = ['penalty', 'hunt-crossley', 'penalty-deepest'] as const
const cases = [
  ...contactModelNames.map((name) => ({ name, integrator: 'semi-implicit-euler' as const })),
  ...spring.map((name) => ({ name, integrator: 'rk4' as const })),
]

function run(
  robot: Robot,
  seconds: number,
  dt: number,
  { name, integrator }: (typeof cases)[number],
  q?: readonly number[],
): World {
  const world = new World({ robot, dt, fixtures: [], contactModel: name as ContactModelName, integrator, q })
  for (let n = Math.round(seconds / dt); n > 0; n--) world.step()
  expect(world.events.failures).toBe(0)
  return world
}

describe.each(cases)('$name, $integrator', (one) => {
  const soft = isSoft(one.name)

  test('a differential: a load on the mean of two slides falls as both let it', () => {
    const bodies = [1, 2].map((m) => body(`arm${m}`, slide(`arm${m}`, 0, [1, 0, 0]), mass(m)))
    const robot = makeRobot('differential', [...bodies, body('load', slide('load', 0, [0, 0, 1]), mass(3))], [])
    const mean: LengthConstraint = { name: 'mean', kind: 'coupling', parts: [joint(3)], other: [joint(1, 0.5), joint(2, 0.5)] }
    const { state } = run(withLengths(robot, [mean]), 0.3, 1e-3, one)
    // a1 = -f / 2 m1, a2 = -f / 2 m2, a3 = f / m3 - g, a3 = (a1 + a2) / 2
    const force = g / (1 / 3 + (1 + 1 / 2) / 4)
    const expected = [-force / 2, -force / 4, force / 3 - g]
    for (let k = 0; k < 3; k++) expect(state.v[k] / 0.3).toBeCloseTo(expected[k], soft ? 2 : 6)
  })

  test('a rope, which pulls and does not push, catches a load at its length without a rebound', () => {
    const robot = makeRobot('load', [body('load', free('load'), mass(5))], [])
    const rope: LengthConstraint = {
      ...{ name: 'rope', kind: 'limit', upper: 1 },
      parts: [
        { type: 'site', body: 0, point: [0, 0, 3] },
        { type: 'site', body: 1, point: [0, 0, 0] },
      ],
    }
    const start = [0, 0, 2.5, 0, 0, 0, 1]
    const falling = run(withLengths(robot, [rope]), 0.3, 1e-3, one, start)
    expect(falling.state.v[5]).toBeCloseTo(-0.3 * g, 9)
    const hanging = run(withLengths(robot, [rope]), 0.6, 1e-3, one, start)
    expect(hanging.state.q[2]).toBeCloseTo(2, soft || one.integrator === 'rk4' ? 2 : 6)
    expect(Math.abs(hanging.state.v[5])).toBeLessThan(soft ? 0.02 : 2e-3)
  })

  test('a sensor reads what a rope pulls, and what rubs along it', () => {
    const along: Pick<LengthConstraint, 'name' | 'parts'> = { name: 'rope', parts: [joint(1, -1)] }
    const lengths: LengthConstraint[] = [
      { ...along, kind: 'limit', upper: 0.01 },
      { name: 'brake', parts: [joint(1, -1)], kind: 'friction', friction: 10 },
    ]
    const sensors = { rope: { type: 'length', length: 'rope' }, brake: { type: 'length', length: 'brake' } } as const
    const robot = withLengths(makeRobot('load', [body('load', slide('load', 0, [0, 0, 1]), mass(5))], []), lengths)
    const controller = createControllerLoop(rest, robot, { sensors })
    const more = { dt: 1e-3, fixtures: [], contactModel: one.name, integrator: one.integrator } as const
    const world = new World({ robot, controller, ...more })
    const read = (seconds: number) => {
      while (world.state.t[0] < seconds - 1e-9) world.step()
      return Array.from(controller.log?.values ?? [])
    }
    const [slack, rubbing] = read(0.02)
    expect([slack, rubbing]).toEqual([0, expect.closeTo(-10, 6)])
    const [pulls, holds] = read(0.4)
    expect(pulls + holds).toBeCloseTo(-5 * g, soft ? 1 : 2)
  })

  test('dry friction along a length holds a load below it, and slows a heavier one by itself', () => {
    const bodies = ['held', 'slides'].map((name) => body(name, slide(name, 0, [0, 0, 1]), mass(4)))
    const robot = makeRobot('loads', bodies, [])
    // along twice the coordinate a force of f is one of 2 f
    const dry = (n: number, friction: number): LengthConstraint => ({
      name: `dry${n}`,
      kind: 'friction',
      parts: [joint(n, 2)],
      friction,
    })
    const { state } = run(withLengths(robot, [dry(1, 25), dry(2, 10)]), 0.3, 1e-3, one)
    expect(Math.abs(state.v[0])).toBeLessThan(soft ? 0.03 : 1e-6)
    expect(state.v[1] / 0.3).toBeCloseTo(-g + 20 / 4, 6)
  })

  test('a bead on a parabola z = x², two slides coupled by a polynomial, reaches the bottom with the speed of its fall, to first order', () => {
    const bodies = [body('x', slide('x', 0, [1, 0, 0]), mass(1e-6)), body('bead', slide('z', 1, [0, 0, 1]), mass(1))]
    const wire: LengthConstraint = { name: 'wire', kind: 'coupling', parts: [joint(2)], other: [joint(1)], polynomial: [0, 0, 1] }
    const robot = withLengths(makeRobot('wire', bodies, []), [wire])
    const short = (dt: number) => {
      const world = new World({ robot, dt, fixtures: [], contactModel: one.name, integrator: one.integrator, q: [-0.5, 0.25] })
      let before = 0
      let x = -0.5
      while (world.state.q[0] < 0) {
        x = world.state.q[0]
        before = world.state.v[0]
        world.step()
      }
      const share = -x / (world.state.q[0] - x)
      return Math.abs(before + share * (world.state.v[0] - before) - 0.5 * Math.sqrt(2 * g))
    }
    expect(short(1e-3)).toBeLessThan(soft ? 0.05 : 0.02)
    if (!soft) expect(short(5e-4) / short(1e-3)).toBeLessThan(0.65)
  })
})

test.each(contactModelNames.filter((name) => !isSoft(name)))(
  '%s: a coupling across a random tree is a force along its row alone, from rest',
  (name) => {
    const random = createRandom(5)
    for (let n = 0; n < 4; n++) {
      const robot = makeRobot('tree', randomBodies(random, { bodies: 8 }), [])
      const moving = [...robot.model.bodyOfV].filter((_, k) => k % 2 === 0)
      const parts = moving.slice(0, 3).map((b, k) => joint(b, 1 + k))
      const { model } = withLengths(robot, [{ name: 'sum', kind: 'coupling', parts, polynomial: [0] }])
      const world = new World({ robot: { ...robot, model }, dt: 1e-3, fixtures: [], contactModel: name })
      const state = createState(model)
      const data = createData(model)
      kinematics(model, state, data)
      crba(model, data)
      const c = new Float64Array(model.nv)
      biasForces(model, state, data, c)
      const row = new Float64Array(model.nv)
      const length = new TendonLengths(model, [{ parts }])
      length.evaluate(state.q, data)
      length.velocities[0].forEach((k, i) => {
        row[k] = length.J[0][i]
      })
      world.step()
      const a = world.state.v.map((v) => v / 1e-3)
      const size = Math.max(...a.map(Math.abs))
      expect(Math.abs(row.reduce((sum, j, k) => sum + j * a[k], 0))).toBeLessThan(1e-4 * size)
      const left = Array.from(
        row,
        (_, k) => c[k] + a.reduce((sum, x, j) => sum + data.M[Math.max(k, j) * model.nv + Math.min(k, j)] * x, 0),
      )
      const k = length.velocities[0][0]
      const force = left[k] / row[k]
      for (let j = 0; j < model.nv; j++) expect(Math.abs(left[j] - force * row[j])).toBeLessThan(1e-6 * size * 10)
    }
  },
)
