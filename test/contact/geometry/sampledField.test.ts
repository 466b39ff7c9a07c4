import { describe, expect, test } from 'vitest'
import { meshDistance, meshTreeOf, sampledDistance, sampledFieldOf } from '../../../contact/geometry/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { daily, trials } from '../../dailyModels.ts'
import { angle, boxMesh, torus } from './meshes.ts'

const feature = new Int32Array(2)

describe('a sampled distance field', () => {
  const ring = torus(0.3, 0.1, 24, 12)
  const meshes = { ring, angle }
  for (const [name, mesh] of daily(Object.entries(meshes).reverse(), 1)) {
    test(`${name}: errs by a few times what was asked near the surface, and by a part of the distance farther off`, () => {
      const tree = meshTreeOf(mesh)
      const [exact, sampled] = [new Float64Array(4), new Float64Array(4)]
      const means = [3e-3, 1e-3].map((error) => {
        const field = sampledFieldOf(mesh, error)
        const random = createRandom(9)
        let [sum, count] = [0, 0]
        while (count < trials(2000)) {
          const x = Float64Array.from([0.5, 0.5, 0.2], (reach) => random.between(-reach, reach))
          meshDistance(tree, x, exact, feature)
          if (Math.abs(exact[0]) > 0.02) continue
          sampledDistance(field, x, sampled)
          const off = Math.abs(sampled[0] - exact[0])
          // midpoints of cells are asked, between them it errs by no more than a few times as much
          expect(off).toBeLessThan(4 * Math.max(error, field.error[0]) + 0.25 * Math.abs(exact[0]))
          expect(Math.hypot(sampled[1], sampled[2], sampled[3])).toBeCloseTo(1, 12)
          sum += off
          count++
        }
        return sum / count
      })
      expect(means[0]).toBeLessThan(3e-3)
      expect(means[1]).toBeLessThan(0.6 * means[0])
    })
  }

  test('is exact where the distance is linear: over the faces of a box, with their normals', () => {
    const field = sampledFieldOf(boxMesh(0.4, 0.3, 0.2), 1e-3)
    const out = new Float64Array(4)
    for (const height of [-0.01, 0, 5e-3]) {
      sampledDistance(field, Float64Array.of(0.05, -0.04, 0.1 + height), out)
      expect(out[0]).toBeCloseTo(height, 12)
      expect([...out.subarray(1)]).toEqual([expect.closeTo(0, 9), expect.closeTo(0, 9), expect.closeTo(1, 9)])
    }
  })

  test('says no more than the distance beyond its cube, and leads towards it', () => {
    const tree = meshTreeOf(ring)
    const field = sampledFieldOf(ring, 3e-3)
    const random = createRandom(10)
    const [exact, sampled] = [new Float64Array(4), new Float64Array(4)]
    for (let n = 0; n < 500; n++) {
      const x = Float64Array.from([2, 2, 2], (reach) => random.between(-reach, reach))
      if (Math.max(...x.map(Math.abs)) < 0.5) continue
      meshDistance(tree, x, exact, feature)
      sampledDistance(field, x, sampled)
      expect(sampled[0]).toBeLessThan(exact[0] + 1e-3)
      expect(sampled[0]).toBeGreaterThan(0.6 * exact[0])
      expect(sampled[1] * exact[1] + sampled[2] * exact[2] + sampled[3] * exact[3]).toBeGreaterThan(0.6)
    }
  })

  test('of an error that is no length, or of a surface that is open, is refused', () => {
    expect(() => sampledFieldOf(ring, 0)).toThrow('sampled to 0 m, expected a positive length')
    expect(() => sampledFieldOf({ ...ring, triangles: ring.triangles.slice(3) }, 1e-3)).toThrow('closed')
  })
})
