import { describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { constraintValue, named } from './constraintScene.ts'
import { type Polygon, polygonContacts } from './polygons.ts'

const pairs = full ? 50_000 : 170
/** Edges that are parallel within the relaxation are one direction: gaps along it are off by that share of their size. */
const askew = 0.02

function corners({ vertices, pose: [x, y, angle] }: Polygon): [number, number][] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  return Array.from({ length: vertices.length / 2 }, (_, i) => {
    const [u, w] = vertices.subarray(2 * i, 2 * i + 2)
    return [x + c * u - s * w, y + s * u + c * w]
  })
}

/** The largest separation over the normals of all edges, every corner projected: positive exactly when apart. */
function separation(a: Polygon, b: Polygon): number {
  const [P, Q] = [corners(a), corners(b)]
  let best = -Infinity
  for (const [own, other] of [
    [P, Q],
    [Q, P],
  ]) {
    own.forEach(([x, y], i) => {
      const [u, w] = own[(i + 1) % own.length]
      const length = Math.hypot(u - x, w - y)
      const heights = other.map(([px, py]) => ((w - y) * (px - x) - (u - x) * (py - y)) / length)
      best = Math.max(best, Math.min(...heights))
    })
  }
  return best
}

function randomPolygon(random: Random): Float64Array {
  const n = 3 + random.index(6)
  const [rx, ry] = [random.between(0.1, 0.5), random.between(0.1, 0.5)]
  const points: number[] = []
  for (let i = 0; i < n; i++) {
    // on an ellipse every one is a true corner
    const angle = (2 * Math.PI * (i + random.between(-0.2, 0.2))) / n
    points.push(rx * Math.cos(angle), ry * Math.sin(angle))
  }
  return Float64Array.from(points)
}

/** Two polygons as far apart as given; two of five are the same, turned by half a turn or nearly. */
function pairAt(random: Random, apart: number): [Polygon, Polygon] {
  const vertices = randomPolygon(random)
  const aligned = random.next() < 0.4
  const turn = random.between(-Math.PI, Math.PI)
  const a = { vertices, pose: Float64Array.of(0, 0, turn) }
  const other = aligned ? vertices : randomPolygon(random)
  const angle = aligned ? turn + Math.PI * random.index(2) + 10 ** random.between(-14, -1) : random.between(-Math.PI, Math.PI)
  const direction = random.between(-Math.PI, Math.PI)
  const at = (t: number) => ({ vertices: other, pose: Float64Array.of(t * Math.cos(direction), t * Math.sin(direction), angle) })
  let [low, high] = [0, 2]
  for (let k = 0; k < 50; k++) {
    const middle = 0.5 * (low + high)
    if (separation(a, at(middle)) > apart) high = middle
    else low = middle
  }
  return [a, at(high)]
}

describe('the rule exact in the plane', () => {
  test(`of ${pairs} random pairs near touching, the value of the constraints is their separation`, () => {
    const random = createRandom(111)
    for (let k = 0; k < pairs; k++) {
      const [a, b] = pairAt(random, (k % 2 === 0 ? -1 : 1) * 10 ** random.between(-9, -2))
      const { constraints } = polygonContacts(a, b, 'exact in the plane', { margin: 0.03 })
      const apart = separation(a, b)
      const error = constraintValue(constraints, ({ gap }) => gap) - apart
      expect(Math.abs(error), `pair ${k}`).toBeLessThan(1e-9 + askew * Math.abs(apart))
    }
  })

  test('a square on a square of its size, half off: two unilateral constraints, at the ends of what they share', () => {
    const square = Float64Array.of(0, 0, 1, 0, 1, 1, 0, 1)
    const { constraints } = polygonContacts(
      { vertices: square, pose: Float64Array.of(0, 0, 0) },
      { vertices: square, pose: Float64Array.of(0.4, 1, 0) },
      'exact in the plane',
      { margin: 0.5 },
    )
    // its own lower left corner and the upper right one of the square below
    expect(constraints.map(named)).toEqual(['U(v2 f0)', 'U(f2 v0)'])
  })
})

describe('the rule literal in the plane', () => {
  const wedge = (halfAngle: number) =>
    Float64Array.of(0, 0, -Math.sin(halfAngle), -Math.cos(halfAngle), Math.sin(halfAngle), -Math.cos(halfAngle))
  const lower = { vertices: wedge(0.5), pose: Float64Array.of(0, 0, 0) }

  test('figure 5, a vertex over a vertex: I of each with both edges, X of the edges on the same side (17)', () => {
    const upper = { vertices: wedge(0.5), pose: Float64Array.of(0.01, 0.02, Math.PI) }
    // edge 0 leaves the tip, vertex 0, and edge 2 comes in
    expect(polygonContacts(lower, upper, 'literal in the plane', { margin: 0.1 }).constraints.map(named)).toEqual([
      'I(v0 f0, v0 f2)',
      'I(f0 v0, f2 v0)',
      'X(; v0 f0, f2 v0)',
      'X(; v0 f2, f0 v0)',
    ])
  })

  test('a vertex over the middle of an edge: U', () => {
    const floor = { vertices: Float64Array.of(-2, -1, 2, -1, 2, 0, -2, 0), pose: Float64Array.of(0, 0, 0) }
    const upper = { vertices: wedge(0.5), pose: Float64Array.of(0, 0.02, Math.PI) }
    expect(polygonContacts(floor, upper, 'literal in the plane', { margin: 0.1 }).constraints.map(named)).toEqual(['U(f2 v0)'])
  })
})
