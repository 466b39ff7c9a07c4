import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hullOf, type Shape, solidOf } from '../../contact/geometry/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { nearestInertia, type SymmetricInertia } from '../../robots/compile/massProperties.ts'
import { readMesh } from '../../robots/meshes/index.ts'
import { codes, lookalike, lookalikePath } from './lookalike.ts'

function read(name: string): Float64Array {
  return readMesh(readFileSync(lookalikePath(`meshes/${name}`)), name).points
}

/** Smallest and largest coordinates. */
function boundsOf(points: Float64Array): number[][] {
  const axis = (k: number) => [...points].filter((_, i) => i % 3 === k)
  return [0, 1, 2].map((k) => [Math.min(...axis(k)), Math.max(...axis(k))].map((x) => Math.round(1e9 * x) / 1e9))
}

test('a block is the same in STL, OBJ and DAE, up to its place and unit', () => {
  for (const [name, unit] of [
    ['block.stl', 1],
    ['block.obj', 0.001],
  ] as const) {
    expect(boundsOf(read(name).map((x) => unit * x))).toEqual([
      [0, 0.002],
      [0, 0.004],
      [0, 0.006],
    ])
  }
  // one half as large; one with x doubled, z raised by 1, a quarter turn about z and then 10 along x; all in millimetres
  expect(boundsOf(read('block.dae').subarray(24))).toEqual([
    [0, 0.001],
    [0, 0.002],
    [0, 0.003],
  ])
  expect(boundsOf(read('block.dae').subarray(0, 24))).toEqual([
    [0.006, 0.01],
    [0, 0.004],
    [0.001, 0.007],
  ])
})

test('meshes become hulls; those that cannot be had are named and left out', async () => {
  const robot = await lookalike('urdf/meshes.urdf')
  const byLine = (a: string, b: string) => Number(a.split(':')[1]) - Number(b.split(':')[1])
  expect(codes(robot.diagnostics).sort(byLine)).toEqual([
    'mesh-case:7',
    'mesh-missing:8',
    'mesh-format:9',
    'mesh-remote:10',
    'mesh-missing:11',
    'mesh-broken:12',
  ])
  expect(robot.shapes.map(({ name }) => name)).toEqual(['base#1', 'base#2', 'base#3'])
  const sizes = robot.shapes.map(({ shape }) =>
    shape.type === 'hull' ? boundsOf(shape.polyhedron.vertices).map(([, high]) => high) : [],
  )
  expect(sizes).toEqual([
    [0.01, 0.004, 0.007],
    [0.002, 0.004, 0.006],
    [0.002, 0.004, 0.006],
  ])
})

describe('mass properties', () => {
  test('of solids agree with sums over a fine grid', () => {
    const corners = [-1, 1].flatMap((x) =>
      [-1, 1].flatMap((y) => [-1, 1].flatMap((z) => [0.1 + 0.3 * x, 0.2 + 0.2 * y + 0.05 * z, 0.4 * z])),
    )
    const polyhedron = hullOf(Float64Array.from(corners))
    const inHull = (p: number[]) =>
      polyhedron.faces.every((face, f) => {
        const n = polyhedron.faceNormals.subarray(3 * f, 3 * f + 3)
        const v = polyhedron.vertices.subarray(3 * face[0], 3 * face[0] + 3)
        return n[0] * (p[0] - v[0]) + n[1] * (p[1] - v[1]) + n[2] * (p[2] - v[2]) <= 0
      })
    const cases: [Shape, (p: number[]) => boolean][] = [
      [{ type: 'sphere', radius: 0.4 }, ([x, y, z]) => x * x + y * y + z * z <= 0.16],
      [{ type: 'box', size: [0.4, 0.6, 0.8] }, ([x, y, z]) => Math.abs(x) <= 0.2 && Math.abs(y) <= 0.3 && Math.abs(z) <= 0.4],
      [{ type: 'cylinder', radius: 0.3, length: 0.8 }, ([x, y, z]) => x * x + y * y <= 0.09 && Math.abs(z) <= 0.4],
      [
        { type: 'capsule', radius: 0.2, length: 0.5 },
        ([x, y, z]) => x * x + y * y + Math.max(0, Math.abs(z) - 0.25) ** 2 <= 0.04,
      ],
      [{ type: 'hull', polyhedron }, inHull],
    ]
    const n = 60
    const h = 1.2 / n
    for (const [shape, inside] of cases) {
      const points: number[][] = []
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++)
          for (let k = 0; k < n; k++) {
            const p = [i, j, k].map((index) => -0.6 + h * (index + 0.5))
            if (inside(p)) points.push(p)
          }
      const { volume, centroid, inertia } = solidOf(shape)
      const center = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length)
      const second = (a: number, b: number) =>
        h ** 3 * points.reduce((sum, p) => sum + (p[a] - center[a]) * (p[b] - center[b]), 0)
      const [xx, yy, zz] = [second(0, 0), second(1, 1), second(2, 2)]
      const expected = [yy + zz, xx + zz, xx + yy, -second(0, 1), -second(0, 2), -second(1, 2)]
      // cells on the surface are counted whole or not at all: 3 % at this spacing covers it
      expect(Math.abs(volume - h ** 3 * points.length)).toBeLessThan(0.03 * volume)
      for (const [k, c] of centroid.entries()) expect(Math.abs(c - center[k])).toBeLessThan(h)
      for (const [k, entry] of inertia.entries()) expect(Math.abs(entry - expected[k])).toBeLessThan(0.04 * inertia[0])
    }
  })

  test('of a box are the same as a box and as a hull', () => {
    const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].flatMap((z) => [7 + 0.2 * x, -3 + 0.3 * y, 0.4 * z])))
    const hull = solidOf({ type: 'hull', polyhedron: hullOf(Float64Array.from(corners)) })
    const box = solidOf({ type: 'box', size: [0.4, 0.6, 0.8] })
    expect(hull.volume).toBeCloseTo(box.volume, 14)
    for (const [k, c] of hull.centroid.entries()) expect(c).toBeCloseTo([7, -3, 0][k], 13)
    for (const [k, entry] of hull.inertia.entries()) expect(entry).toBeCloseTo(box.inertia[k], 14)
  })

  test('bodies made of points are valid and stay as they are; anything else becomes valid', () => {
    const random = createRandom(11)
    const symmetric = () => 2 * random.next() - 1
    for (let trial = 0; trial < 200; trial++) {
      const points = Array.from({ length: 5 }, () => [symmetric(), symmetric(), 1e-3 * symmetric()])
      const sum = (a: number, b: number) => points.reduce((total, p) => total + p[a] * p[b], 0)
      const [xx, yy, zz] = [sum(0, 0), sum(1, 1), sum(2, 2)]
      const real: SymmetricInertia = [yy + zz, xx + zz, xx + yy, -sum(0, 1), -sum(0, 2), -sum(1, 2)]
      expect(nearestInertia(real)).toMatchObject({ verdict: 'valid', inertia: real })

      const wild = Array.from({ length: 6 }, symmetric) as unknown as SymmetricInertia
      const first = nearestInertia(wild)
      if (first.verdict === 'valid' || first.verdict === 'zero') continue
      expect(nearestInertia(first.inertia).verdict).toBe('valid')
    }
  })
})
