import { describe, expect, test } from 'vitest'
import type { PlacedShape } from '../../../contact/geometry/index.ts'
import { CollisionPairs, type PairOptions } from '../../../contact/index.ts'
import { type BodyDefinition, buildModel, JointType } from '../../../dynamics/index.ts'
import { identity, origin } from '../geometry/poses.ts'
import { ground } from './scene.ts'

const body = (name: string, parent: number, jointType: JointType): BodyDefinition => ({
  name,
  jointName: `to ${name}`,
  parent,
  jointType,
  axis: [0, 0, 1],
  mass: 1,
  inertia: [1, 1, 1, 0, 0, 0],
})
const { fixed, floating, revolute } = JointType

// a trunk that floats: arm 2 with tool 3 fixed to it; hip 4 without shapes, leg 5 behind it; a free ball 6; a crane 7 on the world
const model = buildModel('tree', [
  body('trunk', 0, floating),
  body('arm', 1, revolute),
  body('tool', 2, fixed),
  body('hip', 1, revolute),
  body('leg', 4, revolute),
  body('ball', 0, floating),
  body('crane', 0, revolute),
])
const shapeOn = (name: string, on: number, more: Partial<PlacedShape> = {}): PlacedShape => ({
  name,
  body: on,
  shape: { type: 'sphere', radius: 1 },
  R: identity,
  p: origin,
  ...more,
})
const shapes = [
  shapeOn('trunk', 1),
  shapeOn('chest', 1),
  shapeOn('arm', 2),
  shapeOn('tool', 3),
  shapeOn('leg', 5),
  shapeOn('ball', 6),
  shapeOn('crane', 7),
  shapeOn('socket', 0),
]
const step = { ...ground, name: 'step' }

/** The pairs of robot shapes that may touch, by name. */
function touching(options: PairOptions, of = shapes): string[] {
  const pairs = new CollisionPairs(model, of, [ground, step], options)
  return of.flatMap((a, i) => of.slice(i + 1).flatMap((b, k) => (pairs.allows(i, i + 1 + k) ? [`${a.name}-${b.name}`] : [])))
}

describe('pairs of robot shapes that may touch', () => {
  test('by default none', () => {
    expect(touching({})).toEqual([])
  })

  test('all: those on bodies that can move against each other, a fixed joint keeping them together', () => {
    const all = touching({ selfCollision: 'all' })
    // 28 pairs of 8 but trunk with chest and arm with tool
    expect(all).toHaveLength(26)
    expect(all).not.toContain('trunk-chest')
    expect(all).not.toContain('arm-tool')
  })

  test('all but adjacent: none between which lies nothing but joints; a floating joint holds nothing together', () => {
    const all = touching({ selfCollision: 'all' })
    const left = touching({ selfCollision: 'all-but-adjacent' })
    const adjacent = ['trunk-arm', 'chest-arm', 'trunk-tool', 'chest-tool', 'trunk-leg', 'chest-leg', 'crane-socket']
    expect(all.filter((pair) => !left.includes(pair)).sort()).toEqual(adjacent.sort())
    expect(left).toContain('ball-socket')
    expect(left).toContain('trunk-ball')
  })

  test('of several robots: those of different ones always, within one as it says; not two that are bolted to the world', () => {
    // trunk, arm, tool and leg with all on them; the ball; the crane with its socket
    const robotOf = Int32Array.of(0, 0, 0, 0, 0, 1, 2, 2)
    const none = touching({ robotOf })
    const first = shapes.slice(0, 5).map(({ name }) => name)
    const across = [...first.flatMap((a) => [`${a}-ball`, `${a}-crane`, `${a}-socket`]), 'ball-crane', 'ball-socket']
    expect([...none].sort()).toEqual(across.sort())
    for (const selfCollision of ['all', 'all-but-adjacent'] as const) {
      // all pairs across are among those of one robot whose parts all may touch
      expect(touching({ selfCollision, robotOf })).toEqual(touching({ selfCollision }))
    }
    const excluded = [['ball', 'crane']] as const
    expect(none.filter((pair) => !touching({ robotOf, excluded }).includes(pair))).toEqual(['ball-crane'])
    // what would be adjacent within one robot is not across two
    const apart = Int32Array.of(0, 0, 1, 1, 0, 0, 0, 0)
    expect(touching({ selfCollision: 'all-but-adjacent', robotOf: apart })).toContain('trunk-arm')
    const anchors = [shapeOn('anchor', 0), shapeOn('bolt', 0)]
    expect(touching({ robotOf: Int32Array.of(0, 1) }, anchors)).toEqual([])
    expect(() => touching({ robotOf: new Int32Array(3) })).toThrow('robotOf has 3 entries, expected one a shape, 8')
  })

  test('a hundred free bodies that are robots of their own: 4,950 pairs, in order', () => {
    const of = Array.from({ length: 100 }, (_, i) => shapeOn(`ball ${i}`, i + 1))
    const crowd = buildModel(
      'crowd',
      of.map(({ name }) => body(name, 0, floating)),
    )
    const pairs = new CollisionPairs(crowd, of, [ground], { robotOf: Int32Array.from(of, (_, i) => i) })
    expect(pairs.selfCount).toBe(4950)
    expect([pairs.numberOf(0, 1), pairs.numberOf(0, 2), pairs.numberOf(98, 99)]).toEqual([100, 101, 5049])
  })

  test('without what is excluded, and nothing but what is listed', () => {
    const all = touching({ selfCollision: 'all' })
    const excluded = [
      ['ball', 'trunk'],
      ['arm', 'leg'],
    ] as const
    expect(all.filter((pair) => !touching({ selfCollision: 'all', excluded }).includes(pair))).toEqual(['trunk-ball', 'arm-leg'])
    expect(touching({ selfCollision: 'all', only: excluded })).toEqual(['trunk-ball', 'arm-leg'])
    expect(() => touching({ excluded: [['ball', 'foot']] })).toThrow('excluded names a shape "foot"; there are trunk, chest')
    expect(() => touching({ only: [['x', 'ball']] })).toThrow('only names a shape "x"')
  })

  test("without those that bits keep apart: contype of one has to share a bit with the other's conaffinity", () => {
    const of = [
      shapeOn('a', 1, { contype: 1, conaffinity: 2 }),
      shapeOn('b', 6, { contype: 2, conaffinity: 0 }),
      shapeOn('c', 7, { contype: 4, conaffinity: 4 }),
      shapeOn('d', 2),
      shapeOn('e', 2, { contype: 0, conaffinity: 0 }),
    ]
    expect(touching({ selfCollision: 'all' }, of)).toEqual(['a-b', 'a-d', 'b-d', 'c-d'])
  })

  test('and those of one robot that a pair names, whatever else keeps them apart', () => {
    const geom = { priority: 0, condim: 1, spin: 0, roll: 0 }
    const geomPairs = [{ geoms: ['x', 'y'], surface: { friction: 0, geom } }] as const
    const named = (name: string, body: number, geomName: string) =>
      shapeOn(name, body, { contype: 0, conaffinity: 0, geomName, geomPairs })
    const of = [named('a', 1, 'x'), named('b', 2, 'y'), shapeOn('c', 2)]
    for (const selfCollision of ['none', 'all-but-adjacent'] as const)
      expect(touching({ selfCollision, excluded: [['a', 'b']] }, of)).toEqual(['a-b'])
    expect(touching({ robotOf: Int32Array.of(0, 1, 1) }, of)).toEqual([])
    const slab = { ...step, contype: 0, conaffinity: 0, geomName: 'y' }
    const pairs = new CollisionPairs(model, of, [ground, slab], { excluded: [[slab.name, 'a']] })
    expect([0, 1, 2].map((a) => [3, 4].map((f) => pairs.allows(a, f)))).toEqual([
      [false, true],
      [false, false],
      [true, false],
    ])
  })
})

test('a pair with a fixture is numbered shape times fixtures plus fixture; pairs of shapes follow, in order, without gaps', () => {
  const options = { selfCollision: 'all-but-adjacent' } as const
  const pairs = new CollisionPairs(model, shapes, [ground, step], options)
  const plain = new CollisionPairs(model, shapes, [ground, step])
  const numbers: number[] = []
  for (let a = 0; a < 8; a++) {
    for (let f = 0; f < 2; f++) {
      // the socket is as fixed as the ground
      expect(pairs.numberOf(a, 8 + f)).toBe(a === 7 ? -1 : 2 * a + f)
      expect(plain.numberOf(a, 8 + f)).toBe(pairs.numberOf(a, 8 + f))
    }
    for (let b = a + 1; b < 8; b++) if (pairs.allows(a, b)) numbers.push(pairs.numberOf(a, b))
  }
  expect(numbers).toEqual(Array.from({ length: pairs.selfCount }, (_, k) => 16 + k))
  expect(pairs.count).toBe(16 + numbers.length)
  expect(plain.count).toBe(16)
  expect(pairs.numberOf(8, 9)).toBe(-1)
})

test('fixtures obey names and bits too', () => {
  const of = [shapeOn('a', 1), shapeOn('b', 6, { contype: 0, conaffinity: 2 })]
  const bits = { contype: 1, conaffinity: 1 }
  const pairs = new CollisionPairs(
    model,
    of,
    [
      { ...ground, ...bits },
      { ...step, contype: 2 },
    ],
    { excluded: [['step', 'a']] },
  )
  expect([0, 1].map((a) => [2, 3].map((f) => pairs.allows(a, f)))).toEqual([
    [true, false],
    [false, true],
  ])
})
