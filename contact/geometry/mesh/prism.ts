import { cos, sin } from '../../../dynamics/index.ts'
import { polyhedronOf } from './hull.ts'
import type { Polyhedron } from './polyhedron.ts'

/** Polyhedron of a sphere of radius 0. */
export const polyhedronOfPoint: Polyhedron = {
  vertices: new Float64Array(3),
  faces: [],
  faceNormals: new Float64Array(0),
  edges: new Int32Array(0),
}

/** Ring of n vertices at height z, the first at +x. */
function ring(out: number[], radius: number, z: number, n: number): void {
  for (let k = 0; k < n; k++) {
    const angle = (2 * Math.PI * k) / n
    out.push(radius * cos(angle), radius * sin(angle), z)
  }
}

export function prism(radius: number, length: number, n: number): Polyhedron {
  const vertices: number[] = []
  ring(vertices, radius, -0.5 * length, n)
  ring(vertices, radius, 0.5 * length, n)
  const around = Array.from({ length: n }, (_, k) => k)
  const faces = [
    ...around.map((k) => [k, (k + 1) % n, n + ((k + 1) % n), n + k]),
    around.map((k) => n - 1 - k),
    around.map((k) => n + k),
  ]
  return polyhedronOf(Float64Array.from(vertices), asLoops(faces))
}

const asLoops = (faces: readonly (readonly number[])[]): Int32Array[] => faces.map((loop) => Int32Array.from(loop))

export function domedPrism(radius: number, length: number, n: number): Polyhedron {
  const rounds = Math.ceil(n / 4)
  const vertices: number[] = [0, 0, -0.5 * length - radius]
  const dome = (side: number, j: number) => {
    const latitude = (0.5 * Math.PI * j) / rounds
    ring(vertices, radius * cos(latitude), side * (0.5 * length + radius * sin(latitude)), n)
  }
  for (let j = rounds - 1; j > 0; j--) dome(-1, j)
  dome(-1, 0)
  if (length > 0) dome(1, 0)
  for (let j = 1; j < rounds; j++) dome(1, j)
  const top = vertices.length / 3
  vertices.push(0, 0, 0.5 * length + radius)
  const rings = (top - 1) / n
  const at = (j: number, k: number) => 1 + j * n + (k % n)
  const faces: number[][] = []
  for (let k = 0; k < n; k++) faces.push([0, at(0, k + 1), at(0, k)])
  for (let j = 0; j + 1 < rings; j++) {
    for (let k = 0; k < n; k++) faces.push([at(j, k), at(j, k + 1), at(j + 1, k + 1), at(j + 1, k)])
  }
  for (let k = 0; k < n; k++) faces.push([at(rings - 1, k), at(rings - 1, k + 1), top])
  return polyhedronOf(Float64Array.from(vertices), asLoops(faces))
}

export function icosphere(radius: number, sides: number): Polyhedron {
  const golden = (1 + Math.sqrt(5)) / 2
  const corners: number[][] = []
  for (const a of [-1, 1]) for (const b of [-golden, golden]) corners.push([0, a, b], [a, b, 0], [b, 0, a])
  const distance = (i: number, j: number) => Math.hypot(...corners[i].map((x, k) => x - corners[j][k]))
  let faces: number[][] = []
  for (let i = 0; i < 12; i++) {
    for (let j = i + 1; j < 12; j++) {
      for (let k = j + 1; k < 12; k++) {
        // edges of this icosahedron have length 2, the next longer distance is 3.2
        if (distance(i, j) < 2.5 && distance(j, k) < 2.5 && distance(k, i) < 2.5) faces.push(facingOut(corners, i, j, k))
      }
    }
  }
  // a great circle crosses about ten triangles of the icosahedron, and twice as many after each subdivision
  for (let n = 10; n < sides; n *= 2) faces = quartered(corners, faces)
  const vertices = Float64Array.from(corners.flatMap((c) => c.map((x) => (radius * x) / Math.hypot(...c))))
  return polyhedronOf(vertices, asLoops(faces))
}

function facingOut(corners: readonly number[][], i: number, j: number, k: number): number[] {
  const [a, b, c] = [corners[i], corners[j], corners[k]]
  const volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
  return volume > 0 ? [i, j, k] : [i, k, j]
}

/** Subdivides each triangle into four, with the midpoints of its sides projected to the sphere; adds these to the corners. */
function quartered(corners: number[][], faces: readonly number[][]): number[][] {
  const middles = new Map<string, number>()
  const middle = (i: number, j: number) => {
    const key = i < j ? `${i} ${j}` : `${j} ${i}`
    const known = middles.get(key)
    if (known !== undefined) return known
    const sum = corners[i].map((x, k) => x / Math.hypot(...corners[i]) + corners[j][k] / Math.hypot(...corners[j]))
    corners.push(sum)
    middles.set(key, corners.length - 1)
    return corners.length - 1
  }
  return faces.flatMap(([i, j, k]) => {
    const [a, b, c] = [middle(i, j), middle(j, k), middle(k, i)]
    return [
      [i, a, c],
      [a, j, b],
      [c, b, k],
      [a, b, c],
    ]
  })
}

/** Least distance of the faces' planes from the segment between z = -reach and z = reach. */
export function nearestFace({ vertices, faces, faceNormals }: Polyhedron, reach: number): number {
  let least = Infinity
  faces.forEach(([i], f) => {
    let offset = -Math.abs(faceNormals[3 * f + 2]) * reach
    for (let k = 0; k < 3; k++) offset += faceNormals[3 * f + k] * vertices[3 * i + k]
    least = Math.min(least, offset)
  })
  return least
}

export function scaled({ vertices, faces, faceNormals, edges }: Polyhedron, factor: number): Polyhedron {
  return { vertices: vertices.map((x) => factor * x), faces, faceNormals, edges }
}
