import { expect, test } from 'vitest'
import {
  createCollider,
  cubeCell,
  hullOf,
  placeCollider,
  placeCore,
  type Shape,
  supportCore,
} from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { trials } from '../../dailyModels.ts'
import { identity, origin, randomHull, randomRotation, randomUnit, turned } from './poses.ts'

test('climbing along a hull ends at its farthest vertex, whatever the direction', () => {
  const random = createRandom(31)
  const lattice: number[] = []
  // a box of lattice points with single-precision noise: its faces are merged from triangles that are not quite flat
  const R = randomRotation(random)
  for (let i = 0; i < 216; i++) {
    lattice.push(...Float32Array.from(turned(R, [(i % 6) / 5, (Math.floor(i / 6) % 6) / 5, Math.floor(i / 36) / 5])))
  }
  const barrel = Array.from({ length: 64 }, (_, i) => [-1, -0.5, 0.5, 1].map((z) => [Math.cos(i / 10.2), Math.sin(i / 10.2), z]))
  const shapes: Shape[] = [
    randomHull(random, 300),
    randomHull(random, 2000),
    { type: 'hull', polyhedron: hullOf(Float64Array.from(barrel.flat(2))) },
    { type: 'hull', polyhedron: hullOf(Float64Array.from(lattice)) },
    { type: 'box', size: [1, 2, 3] },
  ]
  const found = new Float64Array(3)
  const index = new Int32Array(1)
  for (const shape of shapes) {
    const collider = createCollider(shape)
    for (let n = 0; n < trials(2000); n++) {
      if (n % 100 === 0) {
        placeCollider(collider, randomRotation(random), randomUnit(random), identity, origin)
        placeCore(collider)
      }
      const d = n % 4 === 0 ? collider.normalsW.slice(0, 3) : randomUnit(random)
      const sign = n % 2 === 0 ? 1 : -1
      supportCore(collider, d, sign, found, 0, index)
      const V = collider.verticesW
      let highest = -Infinity
      for (let i = 0; i < V.length; i += 3) highest = Math.max(highest, sign * (V[i] * d[0] + V[i + 1] * d[1] + V[i + 2] * d[2]))
      const height = sign * (found[0] * d[0] + found[1] * d[1] + found[2] * d[2])
      expect(highest - height).toBeLessThan(1e-14)
      expect([...V.slice(3 * index[0], 3 * index[0] + 3)]).toEqual([...found])
    }
  }
})

test('every direction has a cell, and directions that are near each other have the same one or neighbours', () => {
  const random = createRandom(32)
  const seen = new Set<number>()
  for (let n = 0; n < trials(20_000); n++) {
    const [x, y, z] = randomUnit(random)
    const cell = cubeCell(x, y, z)
    seen.add(cell)
  }
  expect(Math.min(...seen)).toBe(0)
  expect(Math.max(...seen)).toBe(383)
  expect(seen.size).toBe(384)
  for (const d of [
    [1, 1, 1],
    [-1, -1, -1],
    [1, -1, 0],
    [0, 0, 0],
    [0, 0, -1],
  ] as const) {
    const cell = cubeCell(d[0], d[1], d[2])
    expect(Number.isInteger(cell) && cell >= 0 && cell < 384).toBe(true)
  }
})
