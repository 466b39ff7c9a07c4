/** An edge, or the side of a cylinder, along a face that is shorter than it. */
import { describe, expect, test } from 'vitest'
import { convexManifold, createManifoldScratch } from '../../../contact/detection/manifold/convexManifold.ts'
import { createManifold } from '../../../contact/detection/manifold/manifold.ts'
import type { Collider, Shape } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { colliderAt, identity, minus, product, rotation, turned } from '../geometry/poses.ts'

const pad: Shape = { type: 'box', size: [0.02, 0.1, 0.02] }
/** With its edge, or a line on its side, down. */
const long: readonly (readonly [string, Shape, number])[] = [
  ['a cylinder', { type: 'cylinder', radius: 0.02, length: 0.1 }, 0.02],
  ['a box on its edge', { type: 'box', size: [0.02, 0.02, 0.1] }, 0.01 * Math.SQRT2],
]
const angleBetween = (a: ArrayLike<number>, b: ArrayLike<number>) => Math.hypot(...minus(a, b))
const scratch = createManifoldScratch(1000)

function manifoldOf(a: Collider, b: Collider): { normal: number[]; points: number[][] } {
  const manifold = createManifold(1000)
  manifold.margin[0] = 1e-3
  convexManifold(a, b, scratch, manifold)
  const { normal, count, point } = manifold
  return { normal: [...normal], points: Array.from({ length: count }, (_, k) => [...point.slice(3 * k, 3 * k + 3)]) }
}

describe.each(long)('%s along a pad that is shorter', (_, shape, reach) => {
  // the pad's top is at z = 0.01, the long one lies along x
  const lying = product(rotation([0, 1, 0], Math.PI / 2), shape.type === 'box' ? rotation([0, 0, 1], Math.PI / 4) : identity)
  const at = (tilt: number, depth: number): Collider =>
    colliderAt(shape, product(rotation([0, 1, 0], tilt), lying), [0, 0, 0.01 + reach - depth])

  test('touches both its ends, along the normal of its face, whichever end is deeper', () => {
    const below = colliderAt(pad, identity, [0, 0, 0])
    for (const tilt of [0, 1e-7, -1e-7, 1e-5, -1e-5, 1e-4, -1e-4, 1e-3, -1e-3, 3e-3, -3e-3])
      for (const [a, b, sign] of [
        [below, at(tilt, 2e-5), 1],
        [at(tilt, 2e-5), below, -1],
      ] as const) {
        const { normal, points } = manifoldOf(a, b)
        expect(angleBetween(normal, [0, 0, sign]), `${tilt}`).toBeLessThan(1e-6)
        expect(
          points.map(([x]) => Math.round(100 * x) / 100).toSorted((x, y) => x - y),
          `${tilt}`,
        ).toEqual([-0.01, 0.01])
      }
  })

  test('has points that move no farther than it does when it tilts', () => {
    const random = createRandom(7)
    const below = colliderAt(pad, identity, [0, 0, 0])
    for (let n = 0; n < 50; n++) {
      const [tilt, depth] = [random.between(-3e-3, 3e-3), random.between(0, 2e-5)]
      const before = manifoldOf(below, at(tilt, depth)).points
      const after = manifoldOf(below, at(-tilt, depth)).points
      expect(after).toHaveLength(before.length)
      for (const point of after) {
        const ways = before.map((other) => Math.hypot(...other.map((x, k) => x - point[k])))
        expect(Math.min(...ways)).toBeLessThan(3e-4)
      }
    }
  })
})

test('a box whose edge crosses a face at more than a fifth of a degree touches it at one place of its border', () => {
  const below = colliderAt(pad, identity, [0, 0, 0])
  const lying = product(rotation([0, 1, 0], Math.PI / 2), rotation([0, 0, 1], Math.PI / 4))
  const tilt = rotation([0, 1, 0], 0.004)
  const above = colliderAt({ type: 'box', size: [0.02, 0.02, 0.1] }, product(tilt, lying), [0, 0, 0.01 + 0.01 * Math.SQRT2])
  const { normal, points } = manifoldOf(below, above)
  expect(points).toHaveLength(1)
  expect(angleBetween(normal, turned(tilt, [0, 0, 1]))).toBeLessThan(1e-6)
})
