/** Shapes with fewer faces, for pictures alone. */
import { MeshoptSimplifier } from 'meshoptimizer/simplifier'
import { hullOf, meshOfPolyhedron, type Shape, surfaceOf, type TriangleMesh } from '../../../contact/geometry/index.ts'

/** Before any shape is made coarse. */
export const canSimplify: Promise<void> = MeshoptSimplifier.ready

/** The same shapes are in every run of a comparison. */
const known = new WeakMap<Shape, { readonly most: number; readonly coarse: Shape }>()

/** A shape that is drawn with at most so many triangles, or a few more; hulls, meshes and height fields become plain meshes. */
export function coarseShape(shape: Shape, most: number): Shape {
  const mesh = surfaceOf(shape)
  if (mesh === undefined) return shape
  const found = known.get(shape)
  if (found?.most === most) return found.coarse
  const fewer = mesh.triangles.length <= 3 * most ? mesh : shape.type === 'hull' ? coarseHull(mesh, most) : simplified(mesh, most)
  const coarse: Shape = { type: 'mesh', mesh: rounded(fewer) }
  known.set(shape, { most, coarse })
  return coarse
}

/** A convex polyhedron of n vertices has at most 2 n - 4 triangles. */
function coarseHull({ vertices }: TriangleMesh, most: number): TriangleMesh {
  return meshOfPolyhedron(hullOf(vertices, Math.floor(most / 2) + 2))
}

/** Edges collapsed by their quadric error; where what hangs together leaves too many triangles, without regard to that. */
function simplified({ vertices, triangles }: TriangleMesh, most: number): TriangleMesh {
  const [points, corners] = [Float32Array.from(vertices), Uint32Array.from(triangles)]
  let [kept] = MeshoptSimplifier.simplify(corners, points, 3, 3 * most, 1, ['Prune'])
  if (kept.length > 4.5 * most) [kept] = MeshoptSimplifier.simplifySloppy(corners, points, 3, null, 3 * most, 1)
  const [places, count] = MeshoptSimplifier.compactMesh(kept) // numbers the corners of `kept` anew, too
  const own = new Float64Array(3 * count)
  places.forEach((place, i) => {
    if (place < count) own.set(points.subarray(3 * i, 3 * i + 3), 3 * place)
  })
  return { vertices: own, triangles: Int32Array.from(kept) }
}

/** A picture needs five digits of a vertex. */
function rounded({ vertices, triangles }: TriangleMesh): TriangleMesh {
  return { vertices: vertices.map((x) => Number(x.toPrecision(5))), triangles }
}
