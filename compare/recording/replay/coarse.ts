/** Shapes with fewer faces, for pictures alone. */
import { hullOf, meshOfPolyhedron, type Shape, surfaceOf, type TriangleMesh } from '../../../contact/geometry/index.ts'

export interface CoarseShape {
  readonly shape: Shape
  readonly isCoarser: boolean
}

/** The same shapes are in every run of a comparison. */
const known = new WeakMap<Shape, { readonly most: number; readonly coarse: CoarseShape }>()

/** A shape that is drawn with at most so many triangles, or a few more; hulls, meshes and height fields become plain meshes. */
export function coarseShape(shape: Shape, most: number): CoarseShape {
  const mesh = surfaceOf(shape)
  if (mesh === undefined) return { shape, isCoarser: false }
  const found = known.get(shape)
  if (found?.most === most) return found.coarse
  const isCoarser = mesh.triangles.length > 3 * most
  const fewer = !isCoarser ? mesh : shape.type === 'hull' ? coarseHull(mesh, most) : clusteredTo(mesh, most)
  const coarse = { shape: { type: 'mesh', mesh: rounded(fewer) } as Shape, isCoarser }
  known.set(shape, { most, coarse })
  return coarse
}

/** A convex polyhedron of n vertices has at most 2 n - 4 triangles. */
function coarseHull({ vertices }: TriangleMesh, most: number): TriangleMesh {
  return meshOfPolyhedron(hullOf(vertices, Math.floor(most / 2) + 2))
}

/** Vertices in a cell of a grid become their mean (Rossignac and Borrel 1993); the finest grid that leaves few enough triangles. */
function clusteredTo(mesh: TriangleMesh, most: number): TriangleMesh {
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  mesh.vertices.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x)
    high[i % 3] = Math.max(high[i % 3], x)
  })
  const extent = Math.max(...high.map((x, k) => x - low[k]), Number.MIN_VALUE)
  let coarse = mesh
  for (let cells = 64; cells >= 3; cells = Math.floor(0.8 * cells)) {
    coarse = clustered(mesh, low, extent / cells, cells + 1)
    if (coarse.triangles.length <= 3 * most) break
  }
  return coarse
}

function clustered({ vertices, triangles }: TriangleMesh, low: readonly number[], size: number, across: number): TriangleMesh {
  const clusters = new Map<number, number>()
  const sums: number[] = []
  const clusterOf = Int32Array.from({ length: vertices.length / 3 }, (_, i) => {
    const cell = [0, 1, 2].map((k) => Math.floor((vertices[3 * i + k] - low[k]) / size))
    const key = (cell[2] * across + cell[1]) * across + cell[0]
    const cluster = clusters.get(key) ?? clusters.size
    clusters.set(key, cluster)
    for (let k = 0; k < 3; k++) sums[4 * cluster + k] = (sums[4 * cluster + k] ?? 0) + vertices[3 * i + k]
    sums[4 * cluster + 3] = (sums[4 * cluster + 3] ?? 0) + 1
    return cluster
  })
  const seen = new Set<string>()
  const kept: number[] = []
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [clusterOf[triangles[t]], clusterOf[triangles[t + 1]], clusterOf[triangles[t + 2]]]
    if (a === b || b === c || c === a) continue
    const first = Math.min(a, b, c)
    const loop = a === first ? [a, b, c] : b === first ? [b, c, a] : [c, a, b]
    const key = loop.join()
    if (seen.has(key)) continue
    seen.add(key)
    kept.push(...loop)
  }
  const means = Float64Array.from({ length: 3 * clusters.size }, (_, j) => {
    const cluster = Math.floor(j / 3)
    return sums[4 * cluster + (j % 3)] / sums[4 * cluster + 3]
  })
  return { vertices: means, triangles: Int32Array.from(kept) }
}

/** A picture needs five digits of a vertex. */
function rounded({ vertices, triangles }: TriangleMesh): TriangleMesh {
  return { vertices: vertices.map((x) => Number(x.toPrecision(5))), triangles }
}
