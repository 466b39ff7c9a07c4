import { meshDistance } from '../../geometry/index.ts'
import { ballTree, type FieldShape } from './fieldShape.ts'

/** Convex (ridge) edges of a surface, in a tree of balls; all in the shape's axes. */
export interface SharpEdges {
  /** 2 an edge: numbers of its vertices. */
  readonly ends: Int32Array
  /** 6 an edge: the normals of its facets. */
  readonly normals: Float64Array
  /** Ball tree of the edges, as `FieldShape.balls`, `links` and `order`. */
  readonly balls: Float64Array
  readonly links: Int32Array
  readonly order: Int32Array
}

/** Height above an edge at which its convexity is tested, relative to half the shape's extent. */
const probe = 1e-4
/** Sine of the least half-angle between the facets of a sharp edge: 0.06 degrees. */
const least = 5e-4

const known = new WeakMap<Float64Array, SharpEdges>()

/** The convex edges between facets; made once for all shapes of one surface. */
export function sharpEdgesOf(field: FieldShape): SharpEdges {
  const made = known.get(field.vertices) ?? findSharpEdges(field)
  known.set(field.vertices, made)
  return made
}

function findSharpEdges(field: FieldShape): SharpEdges {
  const { vertices, edgeStart, edgeEnds, edgeFacets, facetNormals } = field
  const ends: number[] = []
  const normals: number[] = []
  const middles: number[] = []
  const halves: number[] = []
  for (let i = 0; i + 1 < edgeStart.length; i++) {
    for (let e = edgeStart[i]; e < edgeStart[i + 1]; e++) {
      const j = edgeEnds[e]
      if (j < i || !standsOut(field, i, j, edgeFacets[2 * e], edgeFacets[2 * e + 1])) continue
      ends.push(i, j)
      for (const f of edgeFacets.subarray(2 * e, 2 * e + 2)) normals.push(...facetNormals.subarray(3 * f, 3 * f + 3))
      for (let k = 0; k < 3; k++) middles.push(0.5 * (vertices[3 * i + k] + vertices[3 * j + k]))
      halves.push(0.5 * Math.hypot(...[0, 1, 2].map((k) => vertices[3 * i + k] - vertices[3 * j + k])))
    }
  }
  return {
    ends: Int32Array.from(ends),
    normals: Float64Array.from(normals),
    ...ballTree(Float64Array.from(middles), Float64Array.from(halves)),
  }
}

const x = new Float64Array(3)
const distance = new Float64Array(4)
const feature = new Int32Array(2)

/** Whether the edge is the surface's nearest point to a point above it, along the bisector of both normals. */
function standsOut(field: FieldShape, i: number, j: number, f: number, g: number): boolean {
  if (f === g || f < 0 || g < 0) return false
  const { vertices, facetNormals: n, halfExtent, tree } = field
  const sum = [0, 1, 2].map((k) => n[3 * f + k] + n[3 * g + k])
  const difference = Math.hypot(...[0, 1, 2].map((k) => n[3 * f + k] - n[3 * g + k]))
  const length = Math.hypot(...sum)
  if (!(difference > 2 * least && length > 0)) return false
  const far = probe * halfExtent
  for (let k = 0; k < 3; k++) x[k] = 0.5 * (vertices[3 * i + k] + vertices[3 * j + k]) + (far * sum[k]) / length
  // the exact distance: the error of a sampled field exceeds this test's tolerance
  meshDistance(tree!, x, distance, feature)
  // above a groove of half-angle a the distance is smaller, by a factor cos a
  return distance[0] > far * (1 - 0.25 * least * least)
}
