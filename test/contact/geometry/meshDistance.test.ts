import { describe, expect, test } from 'vitest'
import {
  adjacencyOf,
  MeshFeature,
  meshDistance,
  meshTreeOf,
  refineMesh,
  type TriangleMesh,
} from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { angle, boxMesh, cylinderMesh, hollowBox, refinedBox, torus } from './meshes.ts'
import { cross, dot, minus } from './poses.ts'

const count = full ? 3_000 : 100
const meshes: Readonly<Record<string, TriangleMesh>> = {
  box: boxMesh(0.4, 0.3, 0.2),
  'refined box': refinedBox,
  cylinder: cylinderMesh(0.2, 0.3),
  angle,
  'refined angle': refineMesh(angle, 2e-3),
  ring: torus(0.3, 0.1, 24, 12),
  'hollow box': hollowBox,
}

const corner = ({ vertices, triangles }: TriangleMesh, h: number) => vertices.subarray(3 * triangles[h], 3 * triangles[h] + 3)

/** Least of the distances to all corners, to all sides that the point is beside, and to all triangles that it is over. */
function bruteDistance(mesh: TriangleMesh, x: Float64Array): number {
  let least = Infinity
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const [a, b, c] = [corner(mesh, t), corner(mesh, t + 1), corner(mesh, t + 2)]
    const n = cross(minus(b, a), minus(c, a))
    const sides = [
      [a, b],
      [b, c],
      [c, a],
    ]
    let over = true
    for (const [from, to] of sides) {
      const [along, rel] = [minus(to, from), minus(x, from)]
      const s = Math.min(1, Math.max(0, dot(rel, along) / dot(along, along)))
      least = Math.min(least, Math.hypot(...rel.map((r, k) => r - s * along[k])))
      over &&= dot(cross(n, along), rel) >= 0
    }
    if (over) least = Math.min(least, Math.abs(dot(n, minus(x, a))) / Math.hypot(...n))
  }
  return least
}

/** Solid angle of all triangles over that of the sphere, by the spherical excess of each: 1 inside, 0 outside. */
function windings(mesh: TriangleMesh, x: Float64Array): number {
  let sum = 0
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const u = [0, 1, 2].map((k) => {
      const to = minus(corner(mesh, t + k), x)
      return to.map((v) => v / Math.hypot(...to))
    })
    // angles of the spherical triangle, between the planes through x and its sides
    const planes = [cross(u[0], u[1]), cross(u[1], u[2]), cross(u[2], u[0])]
    const at = (k: number) => {
      const [p, q] = [planes[(k + 2) % 3], planes[k]]
      return Math.atan2(Math.hypot(...cross(p, q)), -dot(p, q))
    }
    const excess = at(0) + at(1) + at(2) - Math.PI
    sum += Math.sign(dot(u[0], cross(u[1], u[2]))) * excess
  }
  return sum / (4 * Math.PI)
}

function randomPoint(random: Random): Float64Array {
  return Float64Array.from({ length: 3 }, () => random.between(-0.6, 0.8))
}

for (const [name, mesh] of Object.entries(meshes)) {
  describe(name, () => {
    const tree = meshTreeOf(mesh)
    const [out, feature] = [new Float64Array(7), new Int32Array(2)]

    test('the distance is the least over all triangles, and the sign that of the winding number', () => {
      const random = createRandom(91)
      for (let n = 0; n < count; n++) {
        const x = randomPoint(random)
        meshDistance(tree, x, out, feature)
        expect(Math.abs(Math.abs(out[0]) - bruteDistance(mesh, x))).toBeLessThan(1e-14)
        expect(out[0] < 0 ? 1 : 0).toBe(Math.abs(Math.round(windings(mesh, x))))
      }
    })

    test('the point is c + d n with a unit n, and c lies on the feature named', () => {
      const random = createRandom(92)
      const { edges } = adjacencyOf(mesh)
      for (let n = 0; n < count; n++) {
        const x = randomPoint(random)
        meshDistance(tree, x, out, feature)
        const c = out.slice(4, 7)
        expect(Math.hypot(out[1], out[2], out[3])).toBeCloseTo(1, 13)
        for (let k = 0; k < 3; k++) expect(Math.abs(c[k] + out[0] * out[1 + k] - x[k])).toBeLessThan(1e-14)
        const vertex = (i: number) => mesh.vertices.subarray(3 * i, 3 * i + 3)
        if (feature[0] === MeshFeature.vertex) {
          expect(c).toEqual(vertex(feature[1]).slice())
        } else if (feature[0] === MeshFeature.edge) {
          const [a, b] = [vertex(edges[2 * feature[1]]), vertex(edges[2 * feature[1] + 1])]
          expect(Math.hypot(...minus(a, c)) + Math.hypot(...minus(b, c))).toBeCloseTo(Math.hypot(...minus(a, b)), 13)
        } else {
          const t = 3 * feature[1]
          const [a, b] = [corner(mesh, t), corner(mesh, t + 1)]
          const normal = cross(minus(b, a), minus(corner(mesh, t + 2), a))
          expect(Math.abs(dot(normal, minus(c, a))) / Math.hypot(...normal)).toBeLessThan(1e-14)
        }
      }
    })

    test('on vertices, edges and faces the distance is 0, and a step along n leads away', () => {
      const random = createRandom(93)
      for (let n = 0; n < count; n++) {
        const t = 3 * random.index(mesh.triangles.length / 3)
        // a corner, a point of a side, a point of the face
        const [u, v] = [
          [0, 0],
          [random.next(), 0],
          [0.1 + 0.4 * random.next(), 0.1 + 0.4 * random.next()],
        ][n % 3]
        const [a, b, c] = [corner(mesh, t), corner(mesh, t + 1), corner(mesh, t + 2)]
        const x = a.map((p, k) => p + u * (b[k] - p) + v * (c[k] - p))
        meshDistance(tree, x, out, feature)
        // roundings of coordinates below 1 m
        expect(Math.abs(out[0])).toBeLessThan(4e-15)
        const normal = out.slice(1, 4)
        for (const step of [1e-3, -1e-3]) {
          const beside = x.map((p, k) => p + step * normal[k])
          meshDistance(tree, beside, out, feature)
          // on an edge n may be the normal of one face, and a step against it then stays in the other
          expect(Math.sign(step) * out[0]).toBeGreaterThan(-4e-15)
          if (n % 3 === 2) expect(Math.sign(out[0])).toBe(Math.sign(step))
        }
      }
    })
  })
}

test('a box has the distance of its closed form, to 1e-12', () => {
  const random = createRandom(94)
  const half = [0.2, 0.15, 0.1]
  const [out, feature] = [new Float64Array(7), new Int32Array(2)]
  for (const mesh of [meshes.box, refinedBox]) {
    const tree = meshTreeOf(mesh)
    for (let n = 0; n < 10 * count; n++) {
      const x = Float64Array.from({ length: 3 }, () => random.between(-0.5, 0.5))
      const q = half.map((h, k) => Math.abs(x[k]) - h)
      const exact = Math.hypot(...q.map((d) => Math.max(d, 0))) + Math.min(0, Math.max(...q))
      meshDistance(tree, x, out, feature)
      expect(Math.abs(out[0] - exact)).toBeLessThan(1e-12)
    }
  }
})

test('the pseudonormal of a corner is right where the mean of its faces is wrong', () => {
  // a blade: seen from outside of its tip, two of three faces look away
  const blade: TriangleMesh = {
    vertices: Float64Array.of(0, 0, 0, -1, 0.1, 0.02, -1, -0.1, 0.02, -1, 0, -0.3),
    triangles: Int32Array.of(0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2),
  }
  const tree = meshTreeOf(blade)
  const random = createRandom(95)
  const [out, feature] = [new Float64Array(7), new Int32Array(2)]
  for (let n = 0; n < count; n++) {
    const x = Float64Array.from({ length: 3 }, () => random.between(-0.3, 0.3))
    meshDistance(tree, x, out, feature)
    expect(out[0] < 0 ? 1 : 0).toBe(Math.abs(Math.round(windings(blade, x))))
  }
})

test('an open mesh has no inside', () => {
  const { vertices, triangles } = boxMesh(1, 1, 1)
  expect(() => meshTreeOf({ vertices, triangles: triangles.slice(3) })).toThrow(/a mesh has an inside only when it is closed/)
})
