import { expect, test } from 'vitest'
import { Random } from '../../../compare/scenario/world/random.ts'
import {
  Core,
  createCollider,
  hullOf,
  pairMemorySize,
  placeCollider,
  placeCore,
  signedDistance,
  signedDistanceWarm,
} from '../../../contact/geometry/index.ts'

/** Points evenly at random on a sphere of 1 m, as a hull. */
function ball(random: Random, count: number) {
  const points = Array.from({ length: count }, () => {
    for (;;) {
      const p = [random.within(1), random.within(1), random.within(1)]
      const r = Math.hypot(...p)
      if (r > 0.1 && r < 1) return p.map((x) => x / r)
    }
  })
  return createCollider({ type: 'hull', polyhedron: hullOf(Float64Array.from(points.flat())) })
}

/** How often a query looks for the farthest vertex of A, mean: two hulls that pass each other, a turn of 0.01 rad and a way of 10 mm a step. */
function searches(vertices: number): { cold: number; warm: number; apart: number } {
  const random = new Random(1, vertices)
  const [a, b] = [ball(random, vertices), ball(random, vertices)]
  expect(a.kind).toBe(Core.many)
  let looks = 0
  const { climbStart } = a
  Object.defineProperty(a, 'climbStart', {
    get: () => {
      looks++
      return climbStart
    },
  })
  const [memory, out, cold] = [new Float64Array(pairMemorySize), new Float64Array(10), new Float64Array(10)]
  const place = (collider: typeof a, angle: number, p: readonly number[]) => {
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    placeCollider(
      collider,
      Float64Array.of(c, -s, 0, s, c, 0, 0, 0, 1),
      Float64Array.from(p),
      Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
      new Float64Array(3),
    )
    placeCore(collider)
  }
  place(a, 0, [0, 0, 0])
  const steps = 400
  let [coldLooks, warmLooks, apart] = [0, 0, 0]
  for (let k = 0; k < steps; k++) {
    place(b, 0.01 * k, [-2 + 0.01 * k, 2.1, 0.3])
    looks = 0
    signedDistance(a, b, cold)
    coldLooks += looks
    looks = 0
    signedDistanceWarm(a, b, memory, 0, out)
    if (k > 0) warmLooks += looks
    apart = Math.max(apart, Math.abs(out[0] - cold[0]))
  }
  return { cold: coldLooks / steps, warm: warmLooks / (steps - 1), apart }
}

test('a pair that is followed takes about as many searches for a vertex whatever the number of its vertices, and the same distance', () => {
  const found = [50, 120, 250].map(searches)
  console.log(
    `searches of a query: ${found.map(({ cold, warm }) => `${warm.toFixed(2)} warm, ${cold.toFixed(2)} cold`).join('; ')}`,
  )
  for (const { cold, warm, apart } of found) {
    expect(apart).toBeLessThan(1e-12)
    expect(warm).toBeLessThan(0.5 * cold)
  }
  expect(found[2].warm).toBeLessThan(1.5 * found[0].warm)
})
