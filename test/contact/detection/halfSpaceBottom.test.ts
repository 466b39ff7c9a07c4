import { expect, test } from 'vitest'
import { createManifold } from '../../../contact/detection/manifold/manifold.ts'
import { halfSpaceBottom } from '../../../contact/detection/penetration/halfSpaceBottom.ts'
import { createCollider, placeCollider, type Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { identity, origin, product, randomRotation, randomShapes, randomUnit, rotation } from '../geometry/poses.ts'
import { apart, bottomOf, fieldAt, read } from './penaltyScene.ts'

/** The points of the closed form, on the shape's surface, and their depths. */
function closedForm(shape: Shape, R: Float64Array, p: ArrayLike<number>, plane: Float64Array) {
  const collider = createCollider(shape)
  placeCollider(collider, R, Float64Array.from(p), identity, origin)
  const manifold = createManifold(512)
  halfSpaceBottom(collider, plane, manifold)
  return Array.from({ length: manifold.count }, (_, k) => ({
    middle: Array.from(manifold.point.subarray(3 * k, 3 * k + 3)),
    depth: -manifold.gap[k],
    feature: manifold.feature[k],
  }))
}

for (const [name, randomShape] of Object.entries(randomShapes)) {
  // its balls are checked one by one in roundedBoxes.test.ts; the general reading has points of a polyhedron
  if (name === 'rounded box') continue
  test(`${name} in a half-space at random poses: the points and depths of the general reading`, () => {
    const random = createRandom(113)
    let many = 0
    for (let n = 0; n < trials(400); n++) {
      const shape = randomShape(random)
      const normal = n % 3 === 0 ? Float64Array.of(0, 0, 1) : randomUnit(random)
      const plane = Float64Array.of(normal[0], normal[1], normal[2], random.between(-1, 1))
      // a third flat or on an edge, but for a little
      const flat = rotation([0, 1, 0], (n % 2) * 0.5 * Math.PI)
      const R = n % 3 === 0 ? product(rotation(randomUnit(random), random.between(0, 2e-3)), flat) : randomRotation(random)
      const depth = random.between(-0.1, 0.4)
      const p = [0, 1, 2].map(
        (k) => normal[k] * (plane[3] - depth) + (k === 0 ? 0.3 * normal[1] : k === 1 ? -0.3 * normal[0] : 0),
      )
      const a = fieldAt({ type: 'halfspace', normal: [normal[0], normal[1], normal[2]], offset: plane[3] }, identity, origin)
      // balls and discs between the ends of an axis stand for where a side dips under, see the next test
      const general = bottomOf(read(a, fieldAt(shape, R, p, { stations: 2 }))).filter((point) => point.depth >= 0)
      const closed = closedForm(shape, R, p, plane)
      // rounding of points a metre away
      expect(
        apart(
          closed.map(({ middle }) => middle),
          general.map(({ middle }) => middle),
        ),
      ).toBeLessThan(1e-12)
      const deepest = (points: readonly { depth: number }[]) => Math.max(0, ...points.map((point) => point.depth))
      expect(Math.abs(deepest(closed) - deepest(general))).toBeLessThan(1e-12)
      expect(new Set(closed.map(({ feature }) => feature)).size).toBe(closed.length)
      many += closed.length > 2 ? 1 : 0
    }
    if (name === 'box' || name === 'hull' || name === 'cylinder') expect(many).toBeGreaterThan(trials(50))
  })
}

test('along an axis, the general reading adds but balls and discs that dip under the plane, less deep than the ends', () => {
  const random = createRandom(114)
  let more = 0
  for (let n = 0; n < 200; n++) {
    const shape: Shape = { type: n % 2 === 0 ? 'capsule' : 'cylinder', radius: 0.1, length: 1 }
    const R = randomRotation(random)
    const p = [0, 0, random.between(-0.1, 0.5)]
    const a = fieldAt({ type: 'halfspace', normal: [0, 0, 1], offset: 0 }, identity, origin)
    const general = bottomOf(read(a, fieldAt(shape, R, p)))
    const closed = closedForm(shape, R, p, Float64Array.of(0, 0, 1, 0))
    for (const { middle, depth } of closed) {
      const near = general.find((point) => Math.hypot(...point.middle.map((x, k) => x - middle[k])) < 1e-12)
      // an end that rests on the line of two others is no corner of theirs
      if (near === undefined) expect(depth).toBeLessThan(Math.max(...general.map((point) => point.depth)))
    }
    more += general.length > closed.length ? 1 : 0
  }
  expect(more).toBeGreaterThan(10)
})

test('a standing cylinder keeps its eight feet in place while it trembles', () => {
  const random = createRandom(115)
  const shape: Shape = { type: 'cylinder', radius: 0.1, length: 0.2 }
  const plane = Float64Array.of(0, 0, 1, 0)
  const still = closedForm(shape, identity, [0, 0, 0.099], plane)
  expect(still).toHaveLength(8)
  for (let n = 0; n < 50; n++) {
    const feet = closedForm(shape, rotation(randomUnit(random), random.between(0, 5e-5)), [0, 0, 0.099], plane)
    // up to a tenth of the tilt at which the feet turn to the steepest direction: a tenth of the radius, and not all around
    feet.forEach(({ middle }, k) => {
      expect(Math.hypot(...middle.map((x, d) => x - still[k].middle[d]))).toBeLessThan(0.012)
    })
  }
})
