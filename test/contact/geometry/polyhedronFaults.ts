import { halfExtentOf, type Polyhedron, topologyOf } from '../../../contact/geometry/index.ts'

/**
 * What keeps a polyhedron with faces from being a convex one with true faces, edges and corners, a sentence each: normals
 * that are not unit vectors or not those of their loops, vertices off the plane of their face, vertices beyond a face,
 * coplanar neighbours, corners with fewer than three edges.
 *
 * @param tolerance of lengths as a fraction of the half extent, and of directions
 */
export function polyhedronFaults(polyhedron: Polyhedron, tolerance = 1e-6): string[] {
  const { vertices, faces, faceNormals } = polyhedron
  const { vertexCount, edgeCount, edgeFaces, edgeVertices, vertexStart } = topologyOf(polyhedron)
  const { t1, t2 } = intoFaces(polyhedron)
  const size = halfExtentOf(vertices)
  const faults: string[] = []
  faces.forEach((loop, f) => {
    const sum = [0, 0, 0]
    for (let k = 1; k + 1 < loop.length; k++) {
      const [o, a, b] = [3 * loop[0], 3 * loop[k], 3 * loop[k + 1]]
      const u = [0, 1, 2].map((d) => vertices[a + d] - vertices[o + d])
      const w = [0, 1, 2].map((d) => vertices[b + d] - vertices[o + d])
      for (let d = 0; d < 3; d++) sum[d] += u[(d + 1) % 3] * w[(d + 2) % 3] - u[(d + 2) % 3] * w[(d + 1) % 3]
    }
    const agreement = dotAt(sum, 0, faceNormals, 3 * f) / Math.hypot(...sum)
    if (!(agreement > 1 - tolerance)) faults.push(`the normal of face ${f} has product ${agreement} with its loop's, expected 1`)
    const length = Math.hypot(faceNormals[3 * f], faceNormals[3 * f + 1], faceNormals[3 * f + 2])
    if (!(Math.abs(length - 1) < tolerance)) faults.push(`the normal of face ${f} has length ${length}, expected 1`)
    const offset = loop.reduce((mean, i) => mean + dotAt(faceNormals, 3 * f, vertices, 3 * i) / loop.length, 0)
    for (let i = 0; i < vertexCount; i++) {
      const height = dotAt(faceNormals, 3 * f, vertices, 3 * i) - offset
      if (height > 4 * tolerance * size) faults.push(`vertex ${i} is ${height} m beyond face ${f}`)
      else if (loop.includes(i) && height < -4 * tolerance * size) faults.push(`vertex ${i} is ${-height} m off its face ${f}`)
    }
  })
  for (let e = 0; e < edgeCount; e++) {
    const [f, g] = [edgeFaces[2 * e], edgeFaces[2 * e + 1]]
    if (f < 0 || faces.length === 2) continue
    // flat when one face goes on where the other ends
    const flat = dotAt(t1, 3 * e, t2, 3 * e) < 0 && Math.abs(dotAt(faceNormals, 3 * f, t2, 3 * e)) < tolerance
    if (flat) faults.push(`faces ${f} and ${g} at the edge ${edgeVertices[2 * e]} ${edgeVertices[2 * e + 1]} are one plane`)
  }
  for (let i = 0; faces.length > 2 && i < vertexCount; i++) {
    const degree = vertexStart[i + 1] - vertexStart[i]
    if (degree < 3) faults.push(`vertex ${i} has ${degree} edges, expected three or more`)
  }
  return faults
}

/**
 * Per edge e, of its faces f1 and f2 with normals n1 and n2: t1 = n1 x e and t2 = e x n2, which lie in the faces at right angles to the edge and
 * point into them. Williams, Lu and Trinkle (2014), eq. (4), which holds only with f1 as the face that runs along the edge.
 */
export function intoFaces(polyhedron: Polyhedron): { t1: Float64Array; t2: Float64Array } {
  const { faceNormals } = polyhedron
  const { edgeCount, edgeFaces, edgeDirections } = topologyOf(polyhedron)
  const [t1, t2] = [new Float64Array(3 * edgeCount), new Float64Array(3 * edgeCount)]
  for (let e = 0; e < edgeCount; e++) {
    const [n1, n2] = [0, 1].map((side) => faceNormals.subarray(3 * edgeFaces[2 * e + side], 3 * edgeFaces[2 * e + side] + 3))
    const direction = edgeDirections.subarray(3 * e, 3 * e + 3)
    for (let k = 0; k < 3; k++) {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3]
      t1[3 * e + k] = n1[i] * direction[j] - n1[j] * direction[i]
      t2[3 * e + k] = direction[i] * n2[j] - direction[j] * n2[i]
    }
  }
  return { t1, t2 }
}

function dotAt(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number): number {
  return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]
}
