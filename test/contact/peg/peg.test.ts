import { describe, expect, test } from 'vitest'
import { type SolutionSets, solutionSets } from '../../../compare/inspect/solutionSets.ts'
import { ContactRows } from '../../../contact/constraints/index.ts'
import {
  ContactDetector,
  type ContactModelOptions,
  contactModelNamed,
  FeatureContactSet,
  featureKind,
  type OptionsOf,
  type PlacedShape,
} from '../../../contact/index.ts'
import { StartAxes } from '../../../contact/peg/startAxes.ts'
import { createControllerLoop, defaultControllerFor } from '../../../control/index.ts'
import {
  createData,
  createRandom,
  createState,
  JointType,
  kinematics,
  RestFrame,
  rotationOfQuaternion,
  type State,
  velocities,
  workSpent,
} from '../../../dynamics/index.ts'
import { loadOwnRobot, type OWN_ROBOTS } from '../../../robots/files.ts'
import { createFreeBody, type Robot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { trials } from '../../dailyModels.ts'
import { box, fixedBox, floating, makeRobot, makeWorld, rotate } from '../laws/scenes.ts'

type MakeWorld = (contactModel: string, options: ContactModelOptions) => World

const drive =
  (name: (typeof OWN_ROBOTS)[number]): MakeWorld =>
  (contactModel, contactOptions) => {
    const robot = loadOwnRobot(name)
    const controller = createControllerLoop(defaultControllerFor(robot), robot)
    return new World({ robot, contactModel: contactModelNamed(contactModel), contactOptions, dt: 1e-3, controller })
  }

const brick = box([0.2, 0.3, 0.1])
const puck = makeRobot(
  'puck',
  [{ ...floating, jointType: JointType.planar, axis: [0, 0, 1], mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0] }],
  [{ body: 1, shape: { type: 'box', size: [0.2, 0.3, 0.1] } }],
)
const release =
  (z: number, v?: readonly number[], fixtures?: readonly PlacedShape[]): MakeWorld =>
  (model, options) =>
    makeWorld({ robot: brick, model, options, fixtures, q: [0, 0, z, 0, 0, 0, 1], v })
const block = [fixedBox('block', [0, 0, -0.5], [2, 2, 1])]

const scenes: Record<string, MakeWorld> = {
  'diffdrive drives': drive('diffdrive'),
  'humanoid drives': drive('humanoid'),
  'a box slides and turns on the ground': release(0.05, [0, 0, 2, 3, -0.5, 0]),
  'a box rests in the middle of a larger one': release(0.05, undefined, block),
  'a box slides in the middle of a larger one': release(0.05, [0, 0, 1, 0.5, 0.2, 0], block),
}
const tumbles = release(0.4, [3, 2, 1, 1, -0.5, 0])
/** The two models differ in this alone where nothing is left to be chosen. */
const compliance = 1e-6

describe('where each contact has to hold by itself peg is stewart-trinkle, to the last bit, for 1,000 steps', () => {
  for (const [title, make] of Object.entries(scenes)) {
    test.each<ContactModelOptions>([{ passes: 0 }, {}])(`${title}, %o`, (options) => checkSame(make, options))
  }

  test('a box tumbles on the ground, looked at from the start alone', () => checkSame(tumbles, { passes: 0 }))
})

test('a corner that turning lifts within the step is pushed by stewart-trinkle, and under peg what is pushed touches at its end', () => {
  const farthest = (model: string) => {
    const world = tumbles(model, {})
    const { count, impulse, point } = world.contacts
    expect(count).toBe(0)
    let height = 0
    for (let n = 0; n < 1000; n++) {
      world.step()
      for (let i = 0; i < world.contacts.count; i++) {
        if (impulse[3 * i] > 0) height = Math.max(height, heightNear(world.state.q, point, 3 * i))
      }
    }
    return height
  }
  // half of h² (omega² r + alpha r), at nearly 4 rad/s and more
  expect(farthest('stewart-trinkle')).toBeGreaterThan(1.9e-6)
  expect(farthest('peg')).toBeLessThan(1.001e-5) // gapTolerance
})

test('a step takes the contacts that the step before has detected at its end, and is that which detects its own, to the last bit', () => {
  const robot = loadOwnRobot('diffdrive')
  const controller = () => createControllerLoop(defaultControllerFor(robot), robot)
  const [on, again] = [0, 1].map(() => new World({ robot, contactModel: 'peg', dt: 1e-3, controller: controller() }))
  let [kept, detected] = [0, 0]
  for (let k = 0; k < 300; k++) {
    again.restore(again.checkpoint()) // after which nothing is known of the last step
    again.step()
    const work = workSpent()
    on.step()
    if (k > 100) {
      kept += workSpent()
      detected += work
    }
    expect(on.hash()).toBe(again.hash())
    expect(on.contacts.gap.slice(0, on.contacts.count)).toEqual(again.contacts.gap.slice(0, again.contacts.count))
  }
  // kinematics and detection are a quarter of the step
  expect(kept).toBeLessThan(0.95 * detected)
})

describe('seen from the end of a step', () => {
  test.each(['free', 'planar'])('rows of %s bodies are the derivatives of the gaps by the velocity that leads there', (kind) => {
    const random = createRandom(81)
    const h = 0.01
    let compared = 0
    for (let trial = 0; trial < trials(8); trial++) {
      const turn = () => Array.from({ length: 4 }, () => random.between(-1, 1))
      const robots = [0, 1].map((i) => {
        const quaternion = turn()
        if (kind === 'planar') return { name: `${i}`, robot: puck, q: [0.22 * i, 0, 3 * quaternion[0]] }
        const norm = Math.hypot(...quaternion)
        return { name: `${i}`, robot: brick, q: [0.22 * i, 0, 0, ...quaternion.map((x) => x / norm)] }
      })
      const world = new World({ robots, fixtures: [], contactModel: 'peg', dt: h })
      const { model } = world
      // turns of up to 0.2 rad, where left and right Jacobians differ by as much
      const v = Float64Array.from(
        { length: model.nv },
        (_, k) => random.between(-1, 1) * (kind === 'planar' ? (k % 3 === 2 ? 10 : 1) : k % 6 < 3 ? 10 : 1),
      )
      const end = endOf(world, v, h)
      const { data, contacts } = seen(world, end)
      const rows = new ContactRows(model)
      rows.build(data, contacts)
      const axes = new StartAxes(model)
      axes.set(world.state.q, end.q, v, h)
      axes.turnRows(rows, contacts.count)
      const step = 1e-4
      for (let k = 0; k < model.nv; k++) {
        const [before, after] = [-step, step].map((change) => {
          const moved = v.slice()
          moved[k] += change
          return seen(world, endOf(world, moved, h)).contacts
        })
        for (let i = 0; i < contacts.count; i++) {
          const [low, high] = [before, after].map((set) => gapOf(set, contacts.feature[i]))
          if (Number.isNaN(low + high)) continue // on the border of the list
          // edges whose lines meet far beside them have the gap of the lines and the point of the edges
          if (contacts.kind[i] === featureKind.edgeEdge && (contacts.aside[i] > 0.02 || contacts.applicability[i] < 0)) continue
          // gaps to 1e-16 over 2 h · step
          expect(Math.abs((high - low) / (2 * step * h) - rows.denseRow(i, 0)[k])).toBeLessThan(1e-8)
          compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(trials(kind === 'planar' ? 100 : 1000))
  })
})

/** The same velocities at the end of every step. */
function checkSame(make: MakeWorld, options: ContactModelOptions): void {
  const one = make('peg', { ...options, compliance })
  const other = make('stewart-trinkle', { compliance })
  for (let n = 0; n < 1000; n++) {
    one.step()
    other.step()
    for (let k = 0; k < one.model.nv; k++) if (one.state.v[k] !== other.state.v[k]) expect(one.state.v).toEqual(other.state.v)
  }
  expect(one.state.q).toEqual(other.state.q)
  expect(one.events.failures + one.events.fallbacks).toBe(0)
}

/** Height over the ground of that corner of the brick that is nearest to a point [m]. */
function heightNear(q: Float64Array, point: Float64Array, at: number): number {
  let [least, height] = [Number.POSITIVE_INFINITY, 0]
  for (let corner = 0; corner < 8; corner++) {
    const arm = rotate(q, 3, [corner & 1 ? 0.1 : -0.1, corner & 2 ? 0.15 : -0.15, corner & 4 ? 0.05 : -0.05])
    const distance = Math.hypot(...arm.map((x, d) => q[d] + x - point[at + d]))
    if (distance < least) [least, height] = [distance, q[2] + arm[2]]
  }
  return height
}

/** Where velocity v, in axes of the start, leads from the world's state. */
function endOf({ model, state }: World, v: Float64Array, h: number): State {
  const end = createState(model)
  end.q.set(state.q)
  new RestFrame(model).finish(end.q, end.v, v, h)
  return end
}

function seen({ model, shapes, fixtures, physical, contactModel }: World, state: State) {
  const { reading, features } = contactModel
  const robotOf = Int32Array.from(shapes.keys())
  const detector = new ContactDetector(model, shapes, fixtures, physical, { reading, features, robotOf })
  const data = createData(model)
  kinematics(model, state, data)
  velocities(model, state, data)
  const contacts = new FeatureContactSet()
  detector.detect(data, Float64Array.of(0.05), contacts, new Float64Array(detector.memorySize))
  return { data, contacts }
}

function gapOf({ count, feature, gap }: FeatureContactSet, wanted: number): number {
  for (let i = 0; i < count; i++) if (feature[i] === wanted) return gap[i]
  return Number.NaN
}

describe('by the constraints of the paper', () => {
  const literal = { constraints: 'literal' } as const
  const side = 3
  const cube = (position: readonly [number, number, number], quaternion: readonly [number, number, number, number]) =>
    createFreeBody({ name: 'cube', shape: { type: 'box', size: [side, side, side] }, mass: 1, position, quaternion })
  /** One step of 0.25 s from rest, without friction. */
  const fall = (robot: Robot, fixture: PlacedShape, contactOptions: OptionsOf<'peg'>) => {
    const physical = { friction: 0, restitution: 0 }
    const world = new World({ robots: [{ robot }], fixtures: [fixture], contactModel: 'peg', contactOptions, physical, dt: 0.25 })
    world.step()
    return world
  }

  test('a block lands on its like, corner on corner, and every solution does (figure 12)', () => {
    const world = fall(cube([0, 0, 1.54], [0, 0, 0, 1]), fixedBox('below', [0, 0, -1.5], [side, side, side]), literal)
    expect(world.events).toMatchObject({ fallbacks: 0, failures: 0 })
    expect(world.state.v[5]).toBeCloseTo(-0.04 / 0.25, 9)
    const { sets } = solutionSets(world.contactModel.problem!()!) as SolutionSets
    expect(sets.map(({ velocity }) => velocity[5])).toEqual([expect.closeTo(-0.16, 8)])
  })
  test('a tip on a tip has cross constraints alone, and so no solution, which counts as a fallback; ours has one', () => {
    // the diagonal upright, the one above turned by 1 rad about it
    const half = 0.5 * Math.acos(1 / Math.sqrt(3))
    const [x, y, z, w] = [Math.SQRT1_2 * Math.sin(half), -Math.SQRT1_2 * Math.sin(half), 0, Math.cos(half)]
    const [s, c] = [Math.sin(0.5), Math.cos(0.5)]
    const turned = [c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z] as const
    const reach = 0.5 * side * Math.sqrt(3)
    const R = new Float64Array(9)
    rotationOfQuaternion(R, Float64Array.of(x, y, z, w), 0)
    const below = { ...fixedBox('below', [0, 0, -reach], [side, side, side]), R }
    const above = cube([0, 0, reach + 0.04], turned)
    const world = fall(above, below, literal)
    expect(world.events).toMatchObject({ fallbacks: 1, failures: 0 })
    const problem = world.contactModel.problem!()!
    expect(problem.constraints?.map(({ kind }) => kind)).toContain('cross')
    expect(problem.constraints?.some(({ members }) => members.some(({ pushes }) => pushes))).toBe(false)
    expect(solutionSets(problem)).toMatchObject({ sets: [], complete: true })
    expect(fall(above, below, {}).events).toMatchObject({ fallbacks: 0, failures: 0 })
  })
  test('those of polygons are refused for bodies in space', () => {
    const above = cube([0, 0, 1.54], [0, 0, 0, 1])
    expect(() => fall(above, fixedBox('below', [0, 0, -1.5], [side, side, side]), { constraints: 'literal-planar' })).toThrow(
      /^contact model "peg": constraints "literal-planar" needs bodies on planar joints alone; use "literal"$/,
    )
  })
})
