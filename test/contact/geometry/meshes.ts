import {
  boxPolyhedron,
  closedMesh,
  meshOfPolyhedron,
  polyhedralVersion,
  refineMesh,
  type TriangleMesh,
} from '../../../contact/geometry/index.ts'

/** The same mesh elsewhere. */
export function moved({ vertices, triangles }: TriangleMesh, by: readonly number[]): TriangleMesh {
  return { vertices: vertices.map((x, i) => x + by[i % 3]), triangles }
}

/** The same mesh inside out. */
export function turnedRound({ vertices, triangles }: TriangleMesh): TriangleMesh {
  const order = [0, 2, 1]
  return { vertices, triangles: triangles.map((_, h) => triangles[h - (h % 3) + order[h % 3]]) }
}

/** Several meshes as one. */
export function together(...parts: readonly TriangleMesh[]): TriangleMesh {
  const vertices: number[] = []
  const triangles: number[] = []
  for (const part of parts) {
    for (const i of part.triangles) triangles.push(i + vertices.length / 3)
    vertices.push(...part.vertices)
  }
  return { vertices: Float64Array.from(vertices), triangles: Int32Array.from(triangles) }
}

/** Each triangle with corners of its own, as STL files have them. */
export function soup({ vertices, triangles }: TriangleMesh): TriangleMesh {
  return {
    vertices: Float64Array.from({ length: 3 * triangles.length }, (_, k) => vertices[3 * triangles[Math.floor(k / 3)] + (k % 3)]),
    triangles: triangles.map((_, h) => h),
  }
}

export const boxMesh = (x: number, y: number, z: number): TriangleMesh => meshOfPolyhedron(boxPolyhedron([x, y, z]))

export const cylinderMesh = (radius: number, length: number, sides = 32): TriangleMesh =>
  meshOfPolyhedron(polyhedralVersion({ type: 'cylinder', radius, length }, { sides }))

/**
 * A plane polygon, counter-clockwise, as a prism about z = 0.
 *
 * @param caps triangles of the upper end; by default they fan from the first corner, which has to see all
 */
export function extruded(
  outline: readonly (readonly [number, number])[],
  height: number,
  caps = outline.slice(2).map((_, k) => [0, k + 1, k + 2]),
): TriangleMesh {
  const n = outline.length
  const vertices = [-0.5, 0.5].flatMap((side) => outline.flatMap(([x, y]) => [x, y, side * height]))
  const triangles: number[] = []
  for (let k = 0; k < n; k++) {
    const next = (k + 1) % n
    triangles.push(k, next, n + next, k, n + next, n + k)
  }
  for (const [i, j, k] of caps) triangles.push(i, k, j, n + i, n + j, n + k)
  return { vertices: Float64Array.from(vertices), triangles: Int32Array.from(triangles) }
}

/** An angle piece: edges and a corner that go inwards. */
export const angle = extruded(
  [
    [0, 0],
    [0.6, 0],
    [0.6, 0.2],
    [0.2, 0.2],
    [0.2, 0.5],
    [0, 0.5],
  ],
  0.3,
)

/** A U of 0.4 x 0.3 m, open along +y, 0.6 m along z, with walls of 0.05 m. */
export const channel = extruded(
  [
    [-0.2, -0.15],
    [0.2, -0.15],
    [0.2, 0.15],
    [0.15, 0.15],
    [0.15, -0.1],
    [-0.15, -0.1],
    [-0.15, 0.15],
    [-0.2, 0.15],
  ],
  0.6,
  [
    [0, 1, 4],
    [0, 4, 5],
    [1, 2, 3],
    [1, 3, 4],
    [0, 5, 6],
    [0, 6, 7],
  ],
)
/** The boxes that it is made of: size, and middle. */
export const channelParts = [
  { size: [0.4, 0.05, 0.6], at: [0, -0.125, 0] },
  { size: [0.05, 0.3, 0.6], at: [-0.175, 0, 0] },
  { size: [0.05, 0.3, 0.6], at: [0.175, 0, 0] },
] as const

/** A closed profile of [radius, z], counter-clockwise seen along +y with x to the left of z, turned about z. */
export function revolved(profile: readonly (readonly [number, number])[], around: number): TriangleMesh {
  const vertices: number[] = []
  const triangles: number[] = []
  for (let i = 0; i < around; i++) {
    const u = (2 * Math.PI * i) / around
    for (const [r, z] of profile) vertices.push(r * Math.cos(u), r * Math.sin(u), z)
  }
  const n = profile.length
  const at = (i: number, j: number) => (i % around) * n + (j % n)
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < n; j++) {
      const onAxis = [profile[j][0] === 0, profile[(j + 1) % n][0] === 0]
      if (!onAxis[1]) triangles.push(at(i, j), at(i + 1, j + 1), at(i, j + 1))
      if (!onAxis[0]) triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1))
    }
  }
  return closedMesh(Float64Array.from(vertices), triangles)
}

/** A round beaker that stands on z = 0, open at the top. */
export const beaker = (radius: number, height: number, wall: number, around = 24): TriangleMesh =>
  revolved(
    [
      [0, 0],
      [radius, 0],
      [radius, height],
      [radius - wall, height],
      [radius - wall, wall],
      [0, wall],
    ],
    around,
  )

/** A ring about z: saddles all along its inner side. */
export function torus(ring: number, tube: number, around: number, across: number): TriangleMesh {
  const vertices: number[] = []
  const triangles: number[] = []
  const at = (i: number, j: number) => (i % around) * across + (j % across)
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < across; j++) {
      const [u, v] = [(2 * Math.PI * i) / around, (2 * Math.PI * j) / across]
      const r = ring + tube * Math.cos(v)
      vertices.push(r * Math.cos(u), r * Math.sin(u), tube * Math.sin(v))
      triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1))
    }
  }
  return { vertices: Float64Array.from(vertices), triangles: Int32Array.from(triangles) }
}

/** A box with a box-shaped cavity. */
export const hollowBox = together(boxMesh(0.5, 0.4, 0.3), moved(turnedRound(boxMesh(0.2, 0.25, 0.1)), [0.05, 0, 0.02]))

/** A box of which each face is many triangles. */
export const refinedBox = refineMesh(boxMesh(0.4, 0.3, 0.2), 1e-3)
