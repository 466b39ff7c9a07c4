import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type ConvexShape,
  closedMesh,
  type DistanceField,
  distanceFieldOf,
  fieldBytes,
  fieldDistance,
  fieldGradient,
  GeometryError,
  meshDistance,
  meshOfPolyhedron,
  meshTreeOf,
  polyhedralVersion,
  type TriangleMesh,
} from '../../../contact/geometry/index.ts'
import { createRandom, type Random } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { readMesh } from '../../../robots/meshes/index.ts'
import { type Allocation, allocationFlags, bundled } from '../../ownProcess.ts'
import { angle, boxMesh, cylinderMesh, hollowBox, moved, refinedBox, together, torus } from './meshes.ts'

const count = process.env.FEATHERBED_FULL === undefined ? 1000 : 100_000
const folder = process.env.FEATHERBED_ROBOTS
if (folder === undefined) {
  console.log('not run: distance fields of real meshes; set FEATHERBED_ROBOTS to the folder that holds them')
}

/** Half of them anywhere in the field's cube, half within a hundredth of its edge from the surface. */
function somewhere(field: DistanceField, random: Random, out: Float64Array): void {
  const { vertices, triangles } = field.tree.mesh
  const near = random.next() < 0.5
  const t = 3 * random.index(triangles.length / 3)
  const [u, v] = [random.next(), random.next()].sort()
  for (let k = 0; k < 3; k++) {
    const [a, b, c] = [0, 1, 2].map((i) => vertices[3 * triangles[t + i] + k])
    const onSurface = a * u + b * (v - u) + c * (1 - v)
    const off = random.between(-0.01, 0.01) * field.edge[0]
    out[k] = near ? onSurface + off : field.low[k] + random.next() * field.edge[0]
  }
}

/** The largest error at random points, as a fraction of the bound there. */
function worstOf(field: DistanceField, points = count): number {
  const random = createRandom(101)
  const [x, exact, found, feature] = [new Float64Array(3), new Float64Array(7), new Float64Array(1), new Int32Array(2)]
  let worst = 0
  for (let n = 0; n < points; n++) {
    somewhere(field, random, x)
    meshDistance(field.tree, x, exact, feature)
    fieldDistance(field, x, found)
    const bound = Math.max(field.tolerance, field.slope * Math.abs(exact[0]))
    worst = Math.max(worst, Math.abs(found[0] - exact[0]) / bound)
  }
  return worst
}

describe('the field is within its bound of the exact distance at random points', () => {
  const meshes: Readonly<Record<string, TriangleMesh>> = {
    box: boxMesh(0.4, 0.3, 0.2),
    'flat box': boxMesh(1, 0.5, 0.005),
    'refined box': refinedBox,
    cylinder: cylinderMesh(0.2, 0.3),
    wheel: cylinderMesh(0.1, 0.03, 64),
    angle,
    ring: torus(0.3, 0.1, 24, 12),
    'hollow box': hollowBox,
    'two boxes': together(boxMesh(0.3, 0.3, 0.3), moved(boxMesh(0.1, 0.2, 0.3), [0.21, 0, 0])),
  }
  for (const [name, mesh] of Object.entries(meshes)) {
    test(name, () => expect(worstOf(distanceFieldOf(mesh))).toBeLessThan(1))
  }

  test('of the humanoid, each shape of each link', () => {
    const { shapes } = loadOwnRobot('humanoid')
    const fields = new Map<string, DistanceField>()
    for (const { shape } of shapes) {
      if (shape.type === 'halfspace' || shape.type === 'heightfield' || (shape.type === 'sphere' && shape.radius === 0)) continue
      const mesh = shape.type === 'mesh' ? shape.mesh : meshOfPolyhedron(polyhedralVersion(shape as ConvexShape, { sides: 24 }))
      fields.set(JSON.stringify(shape), distanceFieldOf(mesh))
    }
    expect(fields.size).toBeGreaterThan(8)
    for (const [name, field] of fields) expect([name, worstOf(field) < 1]).toEqual([name, true])
  })

  test('at other tolerances and slopes, and by interpolation alone', () => {
    for (const options of [
      { tolerance: 1e-2 },
      { tolerance: 1e-5, slope: 0.1 },
      { tolerance: 1e-3, slope: 0.01 },
      { tolerance: 1e-2, slope: 0.1, maxTriangles: 0 },
    ]) {
      for (const mesh of [boxMesh(0.4, 0.3, 0.2), cylinderMesh(0.2, 0.3), angle]) {
        const field = distanceFieldOf(mesh, options)
        expect(field.tolerance).toBe(2 * field.tree.halfExtent * options.tolerance)
        expect(worstOf(field)).toBeLessThan(1)
        if (options.maxTriangles === 0) expect(field.slots.length).toBe(0)
      }
    }
  })

  describe.runIf(folder !== undefined)('of real robots', () => {
    for (const [name, minTriangles] of [
      ['panda/franka_description/meshes/collision/hand.stl', 100],
      ['panda/franka_description/meshes/collision/link0.stl', 100],
      ['r1/r1_description/meshes/left_knee_collision.STL', 1000],
      ['r1/r1_description/meshes/torso_collision.stl', 4000],
    ] as const) {
      test(name, () => {
        const path = join(folder!, name)
        const { points, triangles } = readMesh(readFileSync(path), path, {
          read: (beside) => readFileSync(join(dirname(path), beside)),
        })
        const mesh = closedMesh(points, triangles)
        expect(mesh.triangles.length / 3).toBeGreaterThan(minTriangles)
        expect(worstOf(distanceFieldOf(mesh, { tolerance: 1e-3 }))).toBeLessThan(1)
        expect(worstOf(distanceFieldOf(mesh))).toBeLessThan(1)
      })
    }

    test('parts that cut through each other are refused', () => {
      const path = join(folder!, 'husky/husky_description/meshes/base_link.dae')
      const { points, triangles } = readMesh(readFileSync(path), path)
      expect(() => distanceFieldOf(closedMesh(points, triangles))).toThrow(/the surface cuts through itself near/)
    })
  })
})

test('outside of its cube the field is never above the exact distance by more than the bound, nor below 0.7 of it', () => {
  const random = createRandom(102)
  const [x, exact, found, feature] = [new Float64Array(3), new Float64Array(7), new Float64Array(1), new Int32Array(2)]
  for (const mesh of [boxMesh(0.4, 0.3, 0.2), angle, torus(0.3, 0.1, 24, 12)]) {
    const field = distanceFieldOf(mesh)
    for (let n = 0; n < count; n++) {
      // across one face of the cube, and anywhere else along the others
      for (let k = 0; k < 3; k++) x[k] = random.between(-3, 3)
      const side = (n & 1) * field.edge[0] + field.low[n % 3]
      x[n % 3] = side + (n & 1 ? 1 : -1) * random.between(0, n % 5 === 0 ? 30 : 0.3)
      meshDistance(field.tree, x, exact, feature)
      fieldDistance(field, x, found)
      const bound = Math.max(field.tolerance, field.slope * exact[0])
      expect(found[0]).toBeLessThan(exact[0] + bound)
      expect(found[0]).toBeGreaterThan(Math.SQRT1_2 * exact[0] - bound)
    }
  }
})

test('the gradient is the slope of the distance within a cell, inside and outside of the cube', () => {
  const random = createRandom(103)
  const [x, at, to, from] = [new Float64Array(3), new Float64Array(4), new Float64Array(1), new Float64Array(1)]
  const step = 1e-7
  let compared = 0
  for (const mesh of [angle, cylinderMesh(0.2, 0.3)]) {
    const field = distanceFieldOf(mesh, { tolerance: 1e-3 })
    for (let n = 0; n < 1000; n++) {
      for (let k = 0; k < 3; k++) x[k] = random.between(-0.8, 0.9)
      fieldGradient(field, x, at)
      fieldDistance(field, x, to)
      expect(to[0]).toBe(at[0])
      for (let k = 0; k < 3; k++) {
        const center = x[k]
        x[k] = center + step
        fieldDistance(field, x, to)
        x[k] = center - step
        fieldDistance(field, x, from)
        x[k] = center
        // between cells the field steps by up to twice its bound, 1e-3 of the extent, which is 10,000 times the step
        if (Math.abs(to[0] - from[0]) > 4 * step) continue
        compared++
        // curvature below 1 / (0.001 m) and roundings of 1e-16 m over 2e-7 m, but for a bend between the two points
        if (Math.abs((to[0] - from[0]) / (2 * step) - at[1 + k]) > 1e-3) compared -= 100
      }
    }
  }
  expect(compared).toBeGreaterThan(5000)
})

test('beside a flat face the gradient is its normal', () => {
  const field = distanceFieldOf(boxMesh(0.4, 0.3, 0.2))
  const out = new Float64Array(4)
  for (const z of [0.08, 0.095, 0.1, 0.105, 0.11]) {
    fieldGradient(field, Float64Array.of(0.02, -0.03, z), out)
    // single precision of the samples, 6e-8 of about 0.1 m, over cells of 0.01 m and more
    expect(out[0]).toBeCloseTo(z - 0.1, 7)
    expect(out[1]).toBeCloseTo(0, 5)
    expect(out[2]).toBeCloseTo(0, 5)
    expect(out[3]).toBeCloseTo(1, 5)
  }
})

test('a field is made once, and a copy of its arrays answers the same', () => {
  const field = distanceFieldOf(angle)
  expect(distanceFieldOf(angle)).toBe(field)
  expect(distanceFieldOf(angle, { tolerance: 1e-3 })).not.toBe(field)
  const copy = structuredClone(field)
  const random = createRandom(104)
  const [x, a, b] = [new Float64Array(3), new Float64Array(4), new Float64Array(4)]
  for (let n = 0; n < 1000; n++) {
    somewhere(field, random, x)
    fieldGradient(field, x, a)
    fieldGradient(copy, x, b)
    expect(b).toEqual(a)
  }
})

test('triangles named in cells keep fields small: interpolation alone takes more than ten times the room', () => {
  const options = { tolerance: 1e-2, slope: 0.1 }
  const box = boxMesh(0.4, 0.3, 0.2)
  const alone = fieldBytes(distanceFieldOf(box, { ...options, maxTriangles: 0 }))
  expect(fieldBytes(distanceFieldOf(box, options))).toBeLessThan(alone / 10)
})

test('what cannot be sampled is refused', () => {
  const box = boxMesh(1, 1, 1)
  for (const tolerance of [0, 1e-7, 1, Number.NaN]) expect(() => distanceFieldOf(box, { tolerance })).toThrow(GeometryError)
  expect(() => distanceFieldOf(box, { slope: 1 })).toThrow(/slope of a distance field is 1, expected 0 to below 1/)
  expect(() => distanceFieldOf(box, { maxTriangles: 0, maxCells: 5000 })).toThrow(/takes more than 5000 cells; allow a larger/)
  const open = { vertices: box.vertices, triangles: box.triangles.slice(3) }
  expect(() => distanceFieldOf(open)).toThrow(/a mesh has an inside only when it is closed/)
  const crossing = together(boxMesh(0.3, 0.3, 0.3), moved(boxMesh(0.3, 0.2, 0.2), [0.2, 0, 0]))
  expect(() => distanceFieldOf(crossing)).toThrow(/the surface cuts through itself near/)
  expect(() => meshTreeOf(crossing)).not.toThrow()
})

test('queries of fields, meshes and height fields allocate nothing', async () => {
  const script = await bundled(new URL('./distanceFieldAllocation.run.ts', import.meta.url))
  const { scavenges, growthAfterCollection, queries } = script.run(allocationFlags, ['40000']) as Allocation & { queries: number }
  script.delete()
  // the nursery of 1 MB would not hold one boxed number each, 4 MB; less than a tenth of a byte each stays
  expect(scavenges).toBe(0)
  expect(growthAfterCollection).toBeLessThan(0.1 * queries)
})
