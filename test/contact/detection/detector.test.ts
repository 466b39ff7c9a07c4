import { describe, expect, test } from 'vitest'
import { createCollider, type PlacedShape, place, type Shape, signedDistance } from '../../../contact/geometry/index.ts'
import { ContactDetector, ContactSet, type DetectorOptions, lookAheadSlack } from '../../../contact/index.ts'
import { type BodyDefinition, buildModel, createData, type Data, JointType, type Model } from '../../../dynamics/index.ts'
import { World } from '../../../simulation/index.ts'
import { dailyModels, trials } from '../../dailyModels.ts'
import { identity, origin } from '../geometry/poses.ts'
import { floating, g, makeRobot, type Vector } from '../laws/scenes.ts'
import { Crowd } from './crowd.ts'

const physical = { friction: 0.5, restitution: 0 }
const rest = new Float64Array(1)

function freeModel(count: number, gravity: Vector = [0, 0, -g]): Model {
  const bodies = Array.from(
    { length: count },
    (_, i): BodyDefinition => ({ ...floating, name: `body ${i}`, jointName: `free ${i}`, mass: 1, inertia: [1, 1, 1, 0, 0, 0] }),
  )
  return buildModel('free bodies', bodies, gravity)
}

const fresh = ({ memorySize }: ContactDetector) => new Float64Array(memorySize)

/** One shape on each of so many free bodies. */
class Free {
  readonly data: Data
  readonly contacts = new ContactSet()
  readonly detector: ContactDetector

  constructor(shapes: readonly Shape[], options: DetectorOptions = {}, fixtures: readonly PlacedShape[] = []) {
    const model = freeModel(shapes.length)
    this.data = createData(model)
    for (let i = 0; i <= shapes.length; i++) this.data.R_WB[i].set(identity)
    const placed = shapes.map((shape, i) => ({ name: `${i}`, body: i + 1, shape, R: identity, p: origin }))
    this.detector = new ContactDetector(model, placed, fixtures, physical, { selfCollision: 'all', ...options })
  }

  at(...places: readonly Vector[]): this {
    places.forEach((p, i) => {
      this.data.p_WB[i + 1].set(p)
    })
    return this
  }

  detect(horizon = 0): ContactSet {
    this.detector.detect(this.data, Float64Array.of(horizon), this.contacts, fresh(this.detector))
    return this.contacts
  }
}

const cube: Shape = { type: 'box', size: [1, 1, 1] }

describe('two moving bodies', () => {
  test('cubes one on the other touch at the four corners of the face, the normal from the first to the second', () => {
    const contacts = new Free([cube, cube]).at([0, 0, 0], [0, 0, 0.99]).detect()
    expect(contacts.count).toBe(4)
    expect(new Set(contacts.feature.subarray(0, 4)).size).toBe(4)
    for (let c = 0; c < 4; c++) {
      expect([contacts.bodyA[c], contacts.bodyB[c], contacts.pair[c]]).toEqual([1, 2, 0])
      // a sum turns -0 into 0
      expect(Array.from(contacts.normal.subarray(3 * c, 3 * c + 3), (x) => x + 0)).toEqual([0, 0, 1])
      expect(contacts.gap[c]).toBeCloseTo(-0.01, 14)
      expect(Math.abs(contacts.point[3 * c])).toBeCloseTo(0.5, 12)
      expect(contacts.point[3 * c + 2]).toBeCloseTo(0.495, 12)
    }
  })

  test('body A is the one with the smaller number, whatever the order of the shapes', () => {
    const model = freeModel(2)
    const data = createData(model)
    for (let i = 0; i < 3; i++) data.R_WB[i].set(identity)
    data.p_WB[2][2] = 0.99
    const shapes = [2, 1].map((body) => ({ name: `on ${body}`, body, shape: cube, R: identity, p: origin }))
    const contacts = new ContactSet()
    const detector = new ContactDetector(model, shapes, [], physical, { selfCollision: 'all' })
    detector.detect(data, rest, contacts, fresh(detector))
    expect([contacts.bodyA[0], contacts.bodyB[0], contacts.normal[2]]).toEqual([1, 2, 1])
  })

  test('the margin grows with the speeds of both', () => {
    const ball: Shape = { type: 'sphere', radius: 0.5 }
    const scene = new Free([ball, ball])
    const [h, u, w] = [1e-3, 3, 5]
    scene.data.V[1][3] = u
    scene.data.V[2].set([0, 4, 0, -w, 0, 0])
    const margin = h * (u + w + 4 * 0.5 + g * h) + lookAheadSlack
    expect(scene.at([0, 0, 0], [1 + margin - 1e-9, 0, 0]).detect(h).count).toBe(1)
    expect(scene.at([0, 0, 0], [1 + margin + 1e-9, 0, 0]).detect(h).count).toBe(0)
    expect(scene.at([0, 0, 0], [1 + 1e-9, 0, 0]).detect(0).count).toBe(0)
  })

  test('a limit of points of a pair keeps the deepest', () => {
    const tilted = Math.SQRT1_2 * 1e-3
    const scene = (maxPoints?: number) => {
      const free = new Free([cube, cube], { maxPoints }).at([0, 0, 0], [0.1, 0.2, 0.99])
      free.data.R_WB[2].set([1, 0, tilted, 0, 1, tilted, -tilted, -tilted, 1])
      return free.detect()
    }
    const all = scene()
    const few = scene(2)
    expect(all.count).toBeGreaterThan(2)
    expect(few.count).toBe(2)
    expect(Math.min(...few.gap.subarray(0, 2))).toBe(Math.min(...all.gap.subarray(0, all.count)))
  })
})

describe('a crowd of shapes of all kinds', () => {
  test('touches in exactly the pairs whose signed distance is within the margin, at the deepest by that distance', () => {
    const crowd = new Crowd(40, 31)
    const shapes = crowd.shapes
    const colliders = shapes.map(({ shape }) => createCollider(shape))
    const distance = new Float64Array(10)
    let touching = 0
    for (let n = 0; n < trials(15); n++) {
      crowd.move(0.05)
      // what is remembered may keep a normal that parts the shapes by a little more than the shortest way
      crowd.memory.fill(0)
      crowd.detect()
      const { contacts, detector, data } = crowd
      shapes.forEach((placed, i) => {
        place(colliders[i], data.R_WB[placed.body], data.p_WB[placed.body], placed)
      })
      const deepest = new Map<number, number>()
      for (let c = 0; c < contacts.count; c++) {
        if (contacts.bodyA[c] === 0) continue
        deepest.set(contacts.pair[c], Math.min(contacts.gap[c], deepest.get(contacts.pair[c]) ?? Infinity))
      }
      for (let i = 0; i < shapes.length; i++) {
        for (let j = i + 1; j < shapes.length; j++) {
          signedDistance(colliders[i], colliders[j], distance)
          const gap = deepest.get(detector.pairs.numberOf(i, j))
          if (distance[0] > 0) expect(gap).toBeUndefined()
          else {
            touching++
            // cylinders have points on their rims, not everywhere: up to a millimetre of depth may lie between
            expect(Math.abs((gap ?? Infinity) - distance[0])).toBeLessThan(1e-3)
          }
        }
      }
    }
    expect(touching).toBeGreaterThan(trials(100))
  })

  test('has its contacts with fixtures as without self-collision, and then the others by pair', () => {
    const crowd = new Crowd(30, 32)
    const alone = new Crowd(30, 32, { selfCollision: 'none' })
    let both = 0
    for (let n = 0; n < 20; n++) {
      for (const each of [crowd, alone]) {
        each.move(0.05)
        each.detect(1e-3)
      }
      const { count } = alone.contacts
      for (const key of ['pair', 'feature', 'bodyB', 'gap'] as const) {
        expect(crowd.contacts[key].subarray(0, count)).toEqual(alone.contacts[key].subarray(0, count))
      }
      const pairs = crowd.contacts.pair.subarray(0, crowd.contacts.count)
      expect(pairs).toEqual(pairs.slice().sort())
      both += count > 0 && crowd.contacts.count > count ? 1 : 0
    }
    expect(both).toBeGreaterThan(10)
  })

  test('has contacts that depend on where it is and on what is remembered, not on how it came there', () => {
    const wandered = new Crowd(30, 33)
    for (let n = 0; n < 50; n++) {
      wandered.move(0.05)
      wandered.memory.fill(0)
      wandered.detect()
    }
    const fresh = new Crowd(30, 33)
    for (let n = 0; n < 50; n++) fresh.move(0.05)
    fresh.detect()
    const { count } = fresh.contacts
    expect(count).toBeGreaterThan(0)
    expect(wandered.contacts.count).toBe(count)
    for (const key of ['pair', 'feature', 'gap', 'point', 'normal'] as const) {
      const width = key === 'point' || key === 'normal' ? 3 : 1
      expect(wandered.contacts[key].subarray(0, width * count)).toEqual(fresh.contacts[key].subarray(0, width * count))
    }
  })
})

describe('materials of contacts', () => {
  test('come from the pair of shapes by the rules asked for', () => {
    const model = freeModel(2)
    const data = createData(model)
    for (let i = 0; i < 3; i++) data.R_WB[i].set(identity)
    data.p_WB[2][2] = 0.99
    const rough = { friction: 0.6, staticFriction: 0.9, viscousFriction: 0.1, stribeckVelocity: 0.02 }
    const shapes = [rough, { friction: 0.3, stribeckVelocity: 0.04 }].map((surface, i) => ({
      name: `${i}`,
      body: i + 1,
      shape: cube,
      R: identity,
      p: origin,
      ...surface,
    }))
    const contacts = new ContactSet()
    const options = { selfCollision: 'all', materials: { friction: 'average', unstated: 'default' } } as const
    const detector = new ContactDetector(model, shapes, [], physical, options)
    detector.detect(data, rest, contacts, fresh(detector))
    for (const [key, value] of [
      ['mu', 0.45],
      ['muStatic', 0.6],
      ['viscous', 0.05],
      ['stribeck', 0.03],
    ] as const)
      expect(contacts[key][0]).toBeCloseTo(value, 15)
  })
})

/** Two free boxes, 1 kg and 3 kg, as one robot of two floating trees. */
function twoBoxes(gravity: Vector, second: Shape = cube) {
  const body = (name: string, m: number): BodyDefinition => ({
    ...floating,
    name,
    jointName: `free ${name}`,
    mass: m,
    inertia: [m / 6, m / 6, m / 6, 0, 0, 0],
  })
  const shapes = [cube, second].map((shape, i) => ({ body: i + 1, shape }))
  return makeRobot('two boxes', [body('light', 1), body('heavy', 3)], shapes, gravity)
}

/** An arm of 0.8 m on a hinge 0.5 m above the middle of a plate that is the robot's base and 0.1 m thick above z = 0; it starts nearly upright. */
function foldingArm() {
  const small = { mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0] } as const
  const { revolute } = JointType
  return makeRobot(
    'folding arm',
    [
      { name: 'turntable', jointName: 'yaw', parent: 0, jointType: revolute, axis: [0, 0, 1], ...small },
      {
        name: 'arm',
        jointName: 'hinge',
        parent: 1,
        jointType: revolute,
        axis: [0, 1, 0],
        position: [0, 0, 0.5],
        centerOfMass: [0.4, 0, 0],
        damping: 0.5,
        ...small,
      },
    ],
    [
      { body: 0, shape: { type: 'box', size: [2, 2, 0.2] } },
      { body: 1, shape: { type: 'cylinder', radius: 0.05, length: 0.9 } },
      { body: 2, shape: { type: 'box', size: [0.8, 0.1, 0.1] }, p: [0.4, 0, 0] },
    ],
  )
}

for (const contactModel of dailyModels) {
  describe(`under ${contactModel}`, () => {
    test('an arm that folds over lands on its own base with self-collision, and falls through it without', () => {
      const fold = (selfCollision: 'none' | 'all-but-adjacent') => {
        const world = new World({ robot: foldingArm(), fixtures: [], contactModel, dt: 1e-3, selfCollision, q: [0, -1.4] })
        let lowest = -Infinity
        for (let n = 0; n < 3000; n++) {
          world.step()
          lowest = Math.max(lowest, world.state.q[1])
        }
        return { world, lowest }
      }
      expect(fold('none').lowest).toBeGreaterThan(1)
      const { world, lowest } = fold('all-but-adjacent')
      expect(world.pairs.selfCount).toBe(1)
      expect([world.contacts.bodyA[0], world.contacts.bodyB[0]]).toEqual([0, 2])
      // the lower edge of its end lies on the plate: 0.5 - 0.8 sin a - 0.05 cos a = 0.1
      const sine = (0.4 * 0.8 - 0.05 * Math.sqrt(0.8 ** 2 + 0.05 ** 2 - 0.4 ** 2)) / (0.8 ** 2 + 0.05 ** 2)
      // at rest its weight presses up to a millimetre deep; when it lands, a spring that carries it gives way by a few more
      expect(Math.abs(world.state.q[1] - Math.asin(sine))).toBeLessThan(2e-3)
      expect(lowest).toBeLessThan(Math.asin(sine) + 0.1)
    })
  })
}

test('links that overlap at home, or are not to collide by the files, never touch unless asked for', () => {
  const robot = { ...twoBoxes([0, 0, 0]), overlaps: [['light', 'heavy']] } as const
  const options = { robot, contactModel: 'penalty', dt: 1e-3, selfCollision: 'all' } as const
  expect(new World(options).pairs.selfCount).toBe(0)
  expect(new World({ ...options, allowHomeOverlaps: false }).pairs.selfCount).toBe(1)
  const disabled = { ...robot, overlaps: [], disabledCollisions: robot.overlaps } as const
  expect(new World({ ...options, robot: disabled, allowHomeOverlaps: false }).pairs.selfCount).toBe(0)
  const plain = { ...robot, overlaps: [] }
  expect(new World({ ...options, robot: plain, excludedCollisions: [['heavy', 'light']] }).pairs.selfCount).toBe(0)
  expect(() => new World({ ...options, excludedCollisions: [['heavy', 'foot']] })).toThrow(
    'excludedCollisions names "foot"; the links of two boxes with collision shapes are light, heavy',
  )
})
