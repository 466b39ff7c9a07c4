import { describe, expect, test } from 'vitest'
import {
  type Collider,
  type ConvexShape,
  createCollider,
  type MovingPair,
  place,
  type Shape,
  signedDistance,
  timeOfContact,
} from '../../../contact/geometry/index.ts'
import { createRandom, quaternionOfRotationVector, rotationOfQuaternion } from '../../../dynamics/index.ts'

type Vector = readonly [number, number, number]
interface Path {
  readonly shape: Shape
  readonly from: Vector
  readonly move: Vector
  /** The rotation over the step, about the shape's origin. */
  readonly turn: Vector
}

const at = {
  name: '',
  body: 1,
  shape: { type: 'sphere', radius: 0 },
  R: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
  p: new Float64Array(3),
} as const

/** Straight along, turning about the origin at constant speed; bounds by the length of the motion alone. */
function pairOf(first: Path, second: Path): MovingPair {
  const paths = [first, second]
  const colliders = paths.map(({ shape }) => createCollider(shape))
  const quaternion = new Float64Array(4)
  const R = new Float64Array(9)
  const put = (collider: Collider, { from, move, turn }: Path, s: number) => {
    quaternionOfRotationVector(
      quaternion,
      0,
      Float64Array.from(turn, (x) => s * x),
      0,
    )
    rotationOfQuaternion(R, quaternion, 0)
    place(
      collider,
      R,
      Float64Array.from(from, (x, k) => x + s * move[k]),
      at,
    )
  }
  return {
    a: colliders[0],
    b: colliders[1],
    place(s) {
      for (const i of [0, 1]) put(colliders[i], paths[i], s[0])
    },
    approach(_, n, out) {
      const [u, v] = paths.map(({ move }) => n[1] * move[0] + n[2] * move[1] + n[3] * move[2])
      out[0] = u - v
      paths.forEach(({ turn }, i) => {
        const { radius } = colliders[i]
        if (radius < Infinity) out[0] += Math.hypot(...turn) * radius
      })
    },
  }
}

const ground: Path = {
  shape: { type: 'halfspace', normal: [0, 0, 1], offset: 0 },
  from: [0, 0, 0],
  move: [0, 0, 0],
  turn: [0, 0, 0],
}

function timeOf(pair: MovingPair, goal: number, tolerance: number): number | undefined {
  const s = new Float64Array(1)
  const out = new Float64Array(10)
  return timeOfContact(pair, Float64Array.of(goal, tolerance), s, out) ? s[0] : undefined
}

describe('the time of contact', () => {
  test('of a ball that falls on a plane is gap over speed, and that of a depth as much later', () => {
    const ball: Path = { shape: { type: 'sphere', radius: 0.1 }, from: [0, 0, 1], move: [3, 0, -2], turn: [0, 0, 0] }
    expect(timeOf(pairOf(ball, ground), 0, 1e-12)).toBeCloseTo(0.9 / 2, 11)
    expect(timeOf(pairOf(ball, ground), -0.05, 1e-12)).toBeCloseTo(0.95 / 2, 11)
    expect(timeOf(pairOf(ball, ground), -1.2, 1e-12)).toBe(undefined)
  })

  test('of a rod that swings down is where its end meets a wall', () => {
    // upright, 1 m and two caps long, turned by 1.2 rad about y: its lower end swings to x = -0.5 sin(1.2 s)
    const rod: Path = { shape: { type: 'capsule', radius: 0.02, length: 1 }, from: [0, 0, 2], move: [0, 0, 0], turn: [0, 1.2, 0] }
    const wall: Path = { ...ground, shape: { type: 'halfspace', normal: [1, 0, 0], offset: -0.3 } }
    expect(timeOf(pairOf(rod, wall), 0, 1e-10)).toBeCloseTo(Math.asin(0.28 / 0.5) / 1.2, 8)
  })

  test('of two balls that pass is a root of a quadratic', () => {
    const first: Path = { shape: { type: 'sphere', radius: 0.2 }, from: [0, 0, 0], move: [10, 0, 0], turn: [5, 1, 2] }
    const second: Path = { shape: { type: 'sphere', radius: 0.1 }, from: [4, 1.1, 0], move: [0, -2, 0], turn: [0, 3, 0] }
    // |(4, 1.1) - s (10, 2)| = 0.3
    const [a, b, c] = [104, -2 * (40 + 2.2), 16 + 1.21 - 0.09]
    expect(timeOf(pairOf(first, second), 0, 1e-12)).toBeCloseTo((-b - Math.sqrt(b * b - 4 * a * c)) / (2 * a), 8)
  })

  test('is never late, and early by no more than the tolerance, for random shapes that fly and tumble', () => {
    const random = createRandom(1)
    const triple = (x: number): Vector => [random.between(-x, x), random.between(-x, x), random.between(-x, x)]
    const shapes: ConvexShape[] = [
      { type: 'sphere', radius: 0.1 },
      { type: 'capsule', radius: 0.03, length: 0.4 },
      { type: 'cylinder', radius: 0.1, length: 0.05 },
      { type: 'box', size: [0.3, 0.2, 0.02] },
    ]
    const samples = 100
    const tolerance = 1e-4
    const s = new Float64Array(1)
    const out = new Float64Array(10)
    let met = 0
    for (let n = 0; n < 100; n++) {
      const from = triple(1)
      const paths = [0, 1].map((i) => ({
        shape: shapes[random.index(shapes.length)],
        from: i === 0 ? from : ([0, 0, 0] as const),
        move: i === 0 ? (from.map((x) => -random.between(1, 2) * x) as unknown as Vector) : triple(0.1),
        turn: triple(2),
      }))
      const pair = pairOf(paths[0], paths[1])
      const goal = random.index(2) === 0 ? 0 : -0.01
      const found = timeOf(pair, goal, tolerance)
      let least = Infinity
      for (let k = 0; k < samples; k++) {
        s[0] = ((found ?? 1) * k) / samples
        pair.place(s)
        signedDistance(pair.a, pair.b, out)
        least = Math.min(least, out[0])
      }
      expect(least).toBeGreaterThan(found === 0 ? -Infinity : goal)
      if (found === undefined) continue
      s[0] = found
      pair.place(s)
      signedDistance(pair.a, pair.b, out)
      expect(out[0]).toBeLessThanOrEqual(goal + tolerance)
      met++
    }
    expect(met).toBeGreaterThan(25)
  })
})
