import { addWork } from '../../../dynamics/index.ts'
import { GeometryError } from '../geometryError.ts'
import { adjacencyOf, checkClosed, nextInTriangle } from '../mesh/mesh.ts'
import type { TriangleMesh } from '../shapes/index.ts'

/**
 * A closed mesh prepared for distance queries: an AABB tree, and the pseudonormals that give the sign. Triangles are in the order
 * of the tree: slot s holds triangle `order[s]` of the mesh.
 */
export interface MeshTree {
  readonly mesh: TriangleMesh
  /** Half the largest extent [m]. */
  readonly halfExtent: number
  /** n x 6: least x, y, z of each node, then greatest. */
  readonly bounds: Float64Array
  /** n x 2: first child (the second follows it) and 0, or first slot and number of slots. */
  readonly links: Int32Array
  /** t: triangles in the order of slots. */
  readonly order: Int32Array
  /** t x 9: corners of slots. */
  readonly corners: Float64Array
  /** t x 3: outward unit normals by slot; zeros for triangles without area. */
  readonly faceNormals: Float64Array
  /** t x 9: for each side of a slot (corner to next corner), the sum of the unit normals of both triangles at it. */
  readonly edgeNormals: Float64Array
  /** t x 9: for each corner of a slot, the sum of unit normal times angle over the triangles at it. */
  readonly vertexNormals: Float64Array
}

const trees = new WeakMap<TriangleMesh, MeshTree>()

/**
 * Prepares a mesh for `meshDistance`; made once for each mesh object. @unchecked
 *
 * @throws GeometryError if the mesh is not closed
 */
export function meshTreeOf(mesh: TriangleMesh): MeshTree {
  const known = trees.get(mesh)
  if (known) return known
  const { closed, faults } = checkClosed(mesh)
  if (!closed)
    throw new GeometryError(`a mesh has an inside only when it is closed; ${faults.join('; ')}. closedMesh may mend it`)
  const made = buildTree(mesh)
  trees.set(mesh, made)
  return made
}

/** Kinds of the nearest feature of `meshDistance`. */
export const MeshFeature = { vertex: 0, edge: 1, face: 2 } as const

/** Depth of the tree from which nodes are split by count, which bounds the depth by twice this. */
const maxCostSplits = 40
const maxInLeaf = 4
const bins = 16

function buildTree(mesh: TriangleMesh): MeshTree {
  const { vertices, triangles } = mesh
  const count = triangles.length / 3
  const order = Int32Array.from({ length: count }, (_, t) => t)
  const bounds = new Float64Array(12 * count)
  const links = new Int32Array(4 * count)
  const centers = new Float64Array(3 * count)
  const boxes = new Float64Array(6 * count)
  for (let t = 0; t < count; t++) {
    for (let k = 0; k < 3; k++) {
      const a = vertices[3 * triangles[3 * t] + k]
      const b = vertices[3 * triangles[3 * t + 1] + k]
      const c = vertices[3 * triangles[3 * t + 2] + k]
      boxes[6 * t + k] = Math.min(a, b, c)
      boxes[6 * t + 3 + k] = Math.max(a, b, c)
      centers[3 * t + k] = 0.5 * (boxes[6 * t + k] + boxes[6 * t + 3 + k])
    }
  }
  let nodes = 1
  const rest: [node: number, first: number, end: number, depth: number][] = [[0, 0, count, 0]]
  while (rest.length > 0) {
    const [node, first, end, depth] = rest.pop()!
    boundSlots(boxes, order, first, end, bounds, 6 * node)
    if (end - first <= maxInLeaf) {
      links[2 * node] = first
      links[2 * node + 1] = end - first
      continue
    }
    const middle = splitSlots(boxes, centers, order, first, end, depth)
    links[2 * node] = nodes
    links[2 * node + 1] = 0
    rest.push([nodes, first, middle, depth + 1], [nodes + 1, middle, end, depth + 1])
    nodes += 2
  }
  let halfExtent = 0
  for (let k = 0; k < 3; k++) halfExtent = Math.max(halfExtent, 0.5 * (bounds[3 + k] - bounds[k]))
  return {
    mesh,
    halfExtent,
    bounds: bounds.slice(0, 6 * nodes),
    links: links.slice(0, 2 * nodes),
    order,
    corners: Float64Array.from({ length: 9 * count }, (_, i) => {
      const corner = triangles[3 * order[Math.floor(i / 9)] + Math.floor((i % 9) / 3)]
      return vertices[3 * corner + (i % 3)]
    }),
    ...pseudonormals(mesh, order),
  }
}

function boundSlots(boxes: Float64Array, order: Int32Array, first: number, end: number, out: Float64Array, at: number): void {
  for (let k = 0; k < 3; k++) {
    out[at + k] = Infinity
    out[at + 3 + k] = -Infinity
  }
  for (let s = first; s < end; s++) {
    const b = 6 * order[s]
    for (let k = 0; k < 3; k++) {
      out[at + k] = Math.min(out[at + k], boxes[b + k])
      out[at + 3 + k] = Math.max(out[at + 3 + k], boxes[b + 3 + k])
    }
  }
}

/**
 * Splits slots by the surface area heuristic: the sum of surface area times number over both sides is least, among 15 planes across the
 * longest axis of the centres; by count if no plane separates them.
 *
 * @returns the first slot of the second half
 */
function splitSlots(
  boxes: Float64Array,
  centers: Float64Array,
  order: Int32Array,
  first: number,
  end: number,
  depth: number,
): number {
  let axis = 0
  let low = 0
  let width = -1
  for (let k = 0; k < 3; k++) {
    let least = Infinity
    let most = -Infinity
    for (let s = first; s < end; s++) {
      least = Math.min(least, centers[3 * order[s] + k])
      most = Math.max(most, centers[3 * order[s] + k])
    }
    if (most - least <= width) continue
    axis = k
    low = least
    width = most - least
  }
  const binOf = (t: number) => Math.min(bins - 1, Math.floor((bins * (centers[3 * t + axis] - low)) / width))
  let best = -1
  if (width > 0 && depth < maxCostSplits) {
    const counts = new Int32Array(bins)
    const extents = new Float64Array(6 * bins)
    for (let b = 0; b < bins; b++) extents.fill(Infinity, 6 * b, 6 * b + 3).fill(-Infinity, 6 * b + 3, 6 * b + 6)
    for (let s = first; s < end; s++) {
      const b = binOf(order[s])
      counts[b]++
      growBox(extents, 6 * b, boxes, 6 * order[s])
    }
    const costs = new Float64Array(bins)
    for (const backwards of [false, true]) {
      const box = Float64Array.of(Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity)
      let sum = 0
      for (let n = 0; n + 1 < bins; n++) {
        const b = backwards ? bins - 1 - n : n
        growBox(box, 0, extents, 6 * b)
        sum += counts[b]
        // costs[b] is that of the split between bins b and b + 1
        costs[backwards ? b - 1 : b] += sum === 0 ? Infinity : sum * areaOf(box)
      }
    }
    for (let b = 0; b + 1 < bins; b++) if (costs[b] < Infinity && (best < 0 || costs[b] < costs[best])) best = b
  }
  if (best < 0) {
    order.subarray(first, end).sort((s, t) => centers[3 * s + axis] - centers[3 * t + axis] || s - t)
    return (first + end) >> 1
  }
  const list = Array.from(order.subarray(first, end))
  const left = list.filter((t) => binOf(t) <= best)
  order.set(left, first)
  order.set(
    list.filter((t) => binOf(t) > best),
    first + left.length,
  )
  return first + left.length
}

function growBox(box: Float64Array, at: number, other: Float64Array, from: number): void {
  for (let k = 0; k < 3; k++) {
    box[at + k] = Math.min(box[at + k], other[from + k])
    box[at + 3 + k] = Math.max(box[at + 3 + k], other[from + 3 + k])
  }
}

function areaOf(box: Float64Array): number {
  const [x, y, z] = [box[3] - box[0], box[4] - box[1], box[5] - box[2]]
  return x * y + y * z + z * x
}

/** Pseudonormals: Baerentzen and Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal (2005), section 3. */
function pseudonormals(mesh: TriangleMesh, order: Int32Array) {
  const { vertices, triangles } = mesh
  const { twins } = adjacencyOf(mesh)
  const count = order.length
  const normals = new Float64Array(3 * count)
  const atVertices = new Float64Array(vertices.length)
  for (let t = 0; t < count; t++) {
    normalOf(vertices, triangles, t, normals)
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      const angle = angleAt(vertices, triangles, h)
      for (let k = 0; k < 3; k++) atVertices[3 * triangles[h] + k] += angle * normals[3 * t + k]
    }
  }
  const faceNormals = new Float64Array(3 * count)
  const edgeNormals = new Float64Array(9 * count)
  const vertexNormals = new Float64Array(9 * count)
  for (let s = 0; s < count; s++) {
    const t = order[s]
    for (let k = 0; k < 3; k++) {
      faceNormals[3 * s + k] = normals[3 * t + k]
      for (let side = 0; side < 3; side++) {
        const neighbour = Math.floor(twins[3 * t + side] / 3)
        edgeNormals[9 * s + 3 * side + k] = normals[3 * t + k] + normals[3 * neighbour + k]
        vertexNormals[9 * s + 3 * side + k] = atVertices[3 * triangles[3 * t + side] + k]
      }
    }
    for (const sums of [edgeNormals, vertexNormals]) {
      for (let i = 9 * s; i < 9 * s + 9; i += 3) {
        // at a fold or spike without width the pseudonormal is zero; the face normal replaces it
        if (sums[i] === 0 && sums[i + 1] === 0 && sums[i + 2] === 0) {
          for (let k = 0; k < 3; k++) sums[i + k] = faceNormals[3 * s + k]
        }
      }
    }
  }
  return { faceNormals, edgeNormals, vertexNormals }
}

function normalOf(vertices: Float64Array, triangles: Int32Array, t: number, out: Float64Array): void {
  const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]]
  const u = [0, 1, 2].map((k) => vertices[b + k] - vertices[a + k])
  const v = [0, 1, 2].map((k) => vertices[c + k] - vertices[a + k])
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
  const length = Math.hypot(...n)
  for (let k = 0; k < 3; k++) out[3 * t + k] = length > 0 ? n[k] / length : 0
}

/** The angle of a triangle at the start of half-edge h [rad]. */
function angleAt(vertices: Float64Array, triangles: Int32Array, h: number): number {
  const next = nextInTriangle(h)
  const [a, b, c] = [3 * triangles[h], 3 * triangles[next], 3 * triangles[nextInTriangle(next)]]
  const u = [0, 1, 2].map((k) => vertices[b + k] - vertices[a + k])
  const v = [0, 1, 2].map((k) => vertices[c + k] - vertices[a + k])
  const across = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
  return Math.atan2(across, u[0] * v[0] + u[1] * v[1] + u[2] * v[2])
}

/** Stack of tree nodes to visit: at most one a level. */
const stack = new Int32Array(128)
const stackSquares = new Float64Array(128)
/** Nearest point of the last tested triangle, 3, its squared distance, and the region, 0 to 6: corners, sides, face. */
const tried = new Float64Array(5)
const nearest = new Float64Array(5)

/**
 * Exact signed distance from a point to a closed mesh: to the nearest point of the surface, negative inside. The sign is
 * that of the pseudonormal at the nearest feature (Baerentzen and Aanaes 2005), which is correct for every closed surface without
 * self-intersections. @unchecked
 *
 * @param x       3, in the mesh's axes [m]
 * @param out     out, 7: signed distance d [m], its gradient n, a unit vector, and the nearest point c of the surface [m];
 *                x = c + d n. On the surface, or where several points are nearest, n is one of the valid ones.
 * @param feature out, 2: kind of the nearest feature (`MeshFeature`), and its number: a vertex, an edge as numbered by
 *                `adjacencyOf`, or a triangle
 */
export function meshDistance(tree: MeshTree, x: Float64Array, out: Float64Array, feature: Int32Array): void {
  nearestSlot(tree, x, feature)
  const slot = feature[0]
  signNearest(tree, x, slot, out)
  const { mesh, order } = tree
  const region = nearest[4]
  const t = order[slot]
  if (region === 6) {
    feature[0] = MeshFeature.face
    feature[1] = t
  } else if (region >= 3) {
    feature[0] = MeshFeature.edge
    feature[1] = adjacencyOf(mesh).edgeOf[3 * t + region - 3]
  } else {
    feature[0] = MeshFeature.vertex
    feature[1] = mesh.triangles[3 * t + region]
  }
}

function keepTried(): void {
  for (let k = 0; k < 5; k++) nearest[k] = tried[k]
}

/** Writes the slot nearest to x to found[0], and its result to `nearest`. */
function nearestSlot({ bounds, links, corners }: MeshTree, x: Float64Array, found: Int32Array): void {
  const px = x[0]
  const py = x[1]
  const pz = x[2]
  nearest[3] = Infinity
  let depth = 1
  stack[0] = 0
  stackSquares[0] = 0
  let work = 0
  while (depth > 0) {
    depth--
    if (stackSquares[depth] >= nearest[3]) continue
    let node = stack[depth]
    // descend to a leaf, always to the nearer child, with the other on the stack
    while (links[2 * node + 1] === 0) {
      work += 20
      const left = links[2 * node]
      const l = 6 * left
      const lx = Math.max(bounds[l] - px, px - bounds[l + 3], 0)
      const ly = Math.max(bounds[l + 1] - py, py - bounds[l + 4], 0)
      const lz = Math.max(bounds[l + 2] - pz, pz - bounds[l + 5], 0)
      const rx = Math.max(bounds[l + 6] - px, px - bounds[l + 9], 0)
      const ry = Math.max(bounds[l + 7] - py, py - bounds[l + 10], 0)
      const rz = Math.max(bounds[l + 8] - pz, pz - bounds[l + 11], 0)
      const toLeft = lx * lx + ly * ly + lz * lz
      const toRight = rx * rx + ry * ry + rz * rz
      const leftFirst = toLeft <= toRight
      stack[depth] = leftFirst ? left + 1 : left
      stackSquares[depth] = leftFirst ? toRight : toLeft
      depth++
      node = leftFirst ? left : left + 1
      if ((leftFirst ? toLeft : toRight) >= nearest[3]) break
    }
    const first = links[2 * node]
    const end = first + links[2 * node + 1]
    work += 60 * (end - first)
    for (let s = first; s < end; s++) {
      closestOnTriangle(corners, 9 * s, x, tried)
      if (tried[3] < nearest[3]) {
        keepTried()
        found[0] = s
      }
    }
  }
  addWork(work, 1, 1)
}

/**
 * The point of a triangle nearest to x. Ericson, Real-Time Collision Detection (2005), section 5.1.5.
 *
 * @param at  index in `corners` of the triangle's 9 coordinates
 * @param out out, 5: the point, its squared distance, and the region: 0 to 2 a corner, 3 to 5 the side from corner region - 3 to the next,
 * 6 the face
 */
function closestOnTriangle(corners: Float64Array, at: number, x: Float64Array, out: Float64Array): void {
  const ax = corners[at]
  const ay = corners[at + 1]
  const az = corners[at + 2]
  const abx = corners[at + 3] - ax
  const aby = corners[at + 4] - ay
  const abz = corners[at + 5] - az
  const acx = corners[at + 6] - ax
  const acy = corners[at + 7] - ay
  const acz = corners[at + 8] - az
  const apx = x[0] - ax
  const apy = x[1] - ay
  const apz = x[2] - az
  const d1 = abx * apx + aby * apy + abz * apz
  const d2 = acx * apx + acy * apy + acz * apz
  const bpx = x[0] - corners[at + 3]
  const bpy = x[1] - corners[at + 4]
  const bpz = x[2] - corners[at + 5]
  const d3 = abx * bpx + aby * bpy + abz * bpz
  const d4 = acx * bpx + acy * bpy + acz * bpz
  const cpx = x[0] - corners[at + 6]
  const cpy = x[1] - corners[at + 7]
  const cpz = x[2] - corners[at + 8]
  const d5 = abx * cpx + aby * cpy + abz * cpz
  const d6 = acx * cpx + acy * cpy + acz * cpz
  const va = d3 * d6 - d5 * d4
  const vb = d5 * d2 - d1 * d6
  const vc = d1 * d4 - d3 * d2
  // the point is a + v ab + w ac
  let v = 0
  let w = 0
  let region = 6
  if (d1 <= 0 && d2 <= 0) {
    region = 0
  } else if (d3 >= 0 && d4 <= d3) {
    v = 1
    region = 1
  } else if (d6 >= 0 && d5 <= d6) {
    w = 1
    region = 2
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    v = d1 / (d1 - d3)
    region = 3
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    w = (d4 - d3) / (d4 - d3 + (d5 - d6))
    v = 1 - w
    region = 4
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    w = d2 / (d2 - d6)
    region = 5
  } else {
    const sum = va + vb + vc
    v = vb / sum
    w = vc / sum
  }
  // corners are exact to the last bit
  let cx = ax + v * abx + w * acx
  let cy = ay + v * aby + w * acy
  let cz = az + v * abz + w * acz
  if (region === 1 || region === 2) {
    cx = corners[at + 3 * region]
    cy = corners[at + 3 * region + 1]
    cz = corners[at + 3 * region + 2]
  }
  const dx = x[0] - cx
  const dy = x[1] - cy
  const dz = x[2] - cz
  out[0] = cx
  out[1] = cy
  out[2] = cz
  out[3] = dx * dx + dy * dy + dz * dz
  out[4] = region
}

/** Distance from an edge or a vertex, as a fraction of the half extent, below which the pseudonormal is the gradient. */
const onSurface = 1e-12

/** Writes signed distance, gradient and point from `nearest` on a slot. */
function signNearest(tree: MeshTree, x: Float64Array, slot: number, out: Float64Array): void {
  const { faceNormals, edgeNormals, vertexNormals, halfExtent } = tree
  const region = nearest[4]
  const normals = region === 6 ? faceNormals : region >= 3 ? edgeNormals : vertexNormals
  const at = region === 6 ? 3 * slot : 9 * slot + 3 * (region % 3)
  const nx = normals[at]
  const ny = normals[at + 1]
  const nz = normals[at + 2]
  const dx = x[0] - nearest[0]
  const dy = x[1] - nearest[1]
  const dz = x[2] - nearest[2]
  const sign = dx * nx + dy * ny + dz * nz < 0 ? -1 : 1
  const distance = Math.sqrt(nearest[3])
  // a face's normal is exact at any distance
  const takeNormal = region === 6 || distance <= onSurface * halfExtent
  const scale = takeNormal ? 1 / Math.sqrt(nx * nx + ny * ny + nz * nz) : sign / distance
  out[0] = sign * distance
  out[1] = scale * (takeNormal ? nx : dx)
  out[2] = scale * (takeNormal ? ny : dy)
  out[3] = scale * (takeNormal ? nz : dz)
  out[4] = nearest[0]
  out[5] = nearest[1]
  out[6] = nearest[2]
}
