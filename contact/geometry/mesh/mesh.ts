import { shapeTolerance } from '../../tolerances.ts'
import { halfExtentOf } from '../extent.ts'
import { GeometryError } from '../geometryError.ts'
import type { Polyhedron, TriangleMesh } from '../shapes/index.ts'
import { weldVertices } from './weld.ts'

/** Adjacency of a mesh. Half-edge 3 t + k runs along triangle t from its corner k to the next. */
export interface MeshAdjacency {
  /** 3t: the opposite half-edge, of the neighbour at the same edge; -1 unless there is exactly one. */
  readonly twins: Int32Array
  /** 3t: the number of each half-edge's edge. */
  readonly edgeOf: Int32Array
  /** e x 2: the vertices of each edge, the smaller number first; edges in the order of their first half-edges. */
  readonly edges: Int32Array
  /** e x 2: the triangle with the edge in the direction of `edges`, and the one with the opposite direction; -1 for none or several. */
  readonly edgeTriangles: Int32Array
  /** n + 1: the triangles at vertex i are vertexTriangles[vertexStart[i]] to vertexTriangles[vertexStart[i + 1] - 1]. */
  readonly vertexStart: Int32Array
  readonly vertexTriangles: Int32Array
}

const adjacencies = new WeakMap<TriangleMesh, MeshAdjacency>()

/** The adjacency of a mesh; made once for each mesh object. @unchecked */
export function adjacencyOf(mesh: TriangleMesh): MeshAdjacency {
  const known = adjacencies.get(mesh)
  if (known) return known
  const made = makeAdjacency(mesh)
  adjacencies.set(mesh, made)
  return made
}

function makeAdjacency({ vertices, triangles }: TriangleMesh): MeshAdjacency {
  const { edgeOf, edges, count } = numberEdges(triangles, vertices.length / 3)
  const edgeTriangles = new Int32Array(2 * count).fill(-1)
  const sides = new Int32Array(2 * count)
  const twins = new Int32Array(triangles.length).fill(-1)
  for (let h = 0; h < triangles.length; h++) {
    const side = 2 * edgeOf[h] + (triangles[h] === edges[2 * edgeOf[h]] ? 0 : 1)
    edgeTriangles[side] = sides[side]++ === 0 ? h : -1
  }
  for (let e = 0; e < 2 * count; e += 2) {
    const there = edgeTriangles[e]
    const back = edgeTriangles[e + 1]
    if (there >= 0 && back >= 0) {
      twins[there] = back
      twins[back] = there
    }
    for (let s = e; s < e + 2; s++) if (edgeTriangles[s] >= 0) edgeTriangles[s] = Math.floor(edgeTriangles[s] / 3)
  }
  const { start: vertexStart, items } = bucket(triangles, vertices.length / 3)
  return { twins, edgeOf, edges, edgeTriangles, vertexStart, vertexTriangles: items.map((h) => Math.floor(h / 3)) }
}

/** For each value from 0 to count - 1, its indices in `values`: items[start[value]] to items[start[value + 1] - 1]. */
function bucket(values: Int32Array, count: number): { start: Int32Array; items: Int32Array } {
  const start = new Int32Array(count + 1)
  for (let i = 0; i < values.length; i++) start[values[i] + 1]++
  for (let i = 0; i < count; i++) start[i + 1] += start[i]
  const next = start.slice()
  const items = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) items[next[values[i]]++] = i
  return { start, items }
}

function numberEdges(triangles: Int32Array, vertexCount: number): { edgeOf: Int32Array; edges: Int32Array; count: number } {
  const lower = new Int32Array(triangles.length)
  const upper = new Int32Array(triangles.length)
  for (let h = 0; h < triangles.length; h++) {
    const a = triangles[h]
    const b = triangles[nextInTriangle(h)]
    lower[h] = Math.min(a, b)
    upper[h] = Math.max(a, b)
  }
  const { start, items } = bucket(lower, vertexCount)
  const edgeOf = new Int32Array(triangles.length)
  const edges = new Int32Array(2 * triangles.length)
  let count = 0
  for (let h = 0; h < triangles.length; h++) {
    let first = h
    for (let i = start[lower[h]]; items[i] < h; i++) {
      if (upper[items[i]] === upper[h]) {
        first = items[i]
        break
      }
    }
    if (first < h) {
      edgeOf[h] = edgeOf[first]
      continue
    }
    edgeOf[h] = count
    edges[2 * count] = lower[h]
    edges[2 * count + 1] = upper[h]
    count++
  }
  return { edgeOf, edges: edges.slice(0, 2 * count), count }
}

/** The half-edge after h in its triangle. @unchecked */
export function nextInTriangle(h: number): number {
  return h % 3 === 2 ? h - 2 : h + 1
}

/** Report of `checkClosed`. Edges are e x 2: vertex numbers. */
type ClosedReport = Readonly<ReturnType<typeof makeReport>>

const reports = new WeakMap<TriangleMesh, ClosedReport>()

/**
 * Whether a surface bounds a solid: each edge has two triangles that run along it in opposite directions, no two fans of
 * triangles share a vertex, and the volume is positive. Self-intersections are not tested. @unchecked
 */
export function checkClosed(mesh: TriangleMesh): ClosedReport {
  const known = reports.get(mesh)
  if (known) return known
  const made = makeReport(mesh)
  reports.set(mesh, made)
  return made
}

function makeReport(mesh: TriangleMesh) {
  const { vertices, triangles } = mesh
  const amiss = indexFault(mesh)
  const none = new Int32Array(0)
  if (amiss !== undefined) {
    const nothing = { openEdges: none, crowdedEdges: none, turnedEdges: none, pinchedVertices: none }
    return { closed: false, ...nothing, componentCount: 0, component: none, volumes: new Float64Array(0), faults: [amiss] }
  }
  const { edgeOf, edges, twins } = adjacencyOf(mesh)
  const count = new Int32Array(edges.length / 2)
  for (const e of edgeOf) count[e]++
  const open: number[] = []
  const crowded: number[] = []
  const turned: number[] = []
  const seen = new Uint8Array(count.length)
  for (let h = 0; h < twins.length; h++) {
    const e = edgeOf[h]
    if (seen[e]) continue
    seen[e] = 1
    const list = count[e] === 1 ? open : count[e] > 2 ? crowded : twins[h] < 0 ? turned : undefined
    list?.push(edges[2 * e], edges[2 * e + 1])
  }
  const pinched = open.length + crowded.length + turned.length === 0 ? pinchedVerticesOf(mesh) : none
  const { component, componentCount } = componentsOf(triangles, edgeOf, count.length)
  const volumes = new Float64Array(componentCount)
  for (let t = 0; t < component.length; t++) volumes[component[t]] += signedTetrahedron(vertices, triangles, t)

  const vertex = (i: number) => `${i} (${vertices.subarray(3 * i, 3 * i + 3).join(' ')})`
  const faults = edgeFaults([open, crowded, turned], vertex)
  if (pinched.length > 0) {
    faults.push(`vertices at which the surface touches itself: ${pinched.length}, the first ${vertex(pinched[0])}`)
  }
  const volume = volumes.reduce((sum, v) => sum + v, 0)
  if (faults.length === 0 && !(volume > 0)) faults.push(`the volume is ${volume}, expected more than 0: it is inside out or flat`)
  return {
    /** Whether the surface bounds a solid: no faults. */
    closed: faults.length === 0,
    /** Edges with one triangle. */
    openEdges: Int32Array.from(open),
    /** Edges with more than two triangles. */
    crowdedEdges: Int32Array.from(crowded),
    /** Edges whose two triangles have them in the same direction, so that one has the wrong orientation. */
    turnedEdges: Int32Array.from(turned),
    /** Non-manifold vertices at which the surface touches itself: their triangles form more than one fan. */
    pinchedVertices: pinched,
    /** Number of parts that share no edge. */
    componentCount,
    /** Per triangle the number of its part. */
    component,
    /** Per part: the signed volume, negative for cavities and for parts that are inside out [m^3]. */
    volumes,
    /** One sentence per fault. */
    faults,
  }
}

const edgeFaultWords = ['with one triangle only', 'with more than two triangles', 'along which both triangles run the same way']

const edgeFaults = (lists: readonly (readonly number[])[], vertex: (i: number) => string) =>
  lists.flatMap((list, k) => {
    if (list.length === 0) return []
    return [`edges ${edgeFaultWords[k]}: ${list.length / 2}, the first from vertex ${vertex(list[0])} to ${vertex(list[1])}`]
  })

function indexFault({ vertices, triangles }: TriangleMesh): string | undefined {
  if (triangles.length === 0) return 'the mesh has no triangles'
  if (triangles.length % 3 !== 0) return `the mesh has ${triangles.length} corners, expected three for each triangle`
  const n = vertices.length / 3
  for (let h = 0; h < triangles.length; h++) {
    if (triangles[h] < 0 || triangles[h] >= n) {
      return `triangle ${Math.floor(h / 3)} has corner ${triangles[h]}, expected one of the ${n} vertices from 0`
    }
  }
  for (let t = 0; t < triangles.length; t += 3) {
    if (triangles[t] === triangles[t + 1] || triangles[t + 1] === triangles[t + 2] || triangles[t + 2] === triangles[t]) {
      return `triangle ${t / 3} has two corners in vertex ${triangles[t + 1]}`
    }
  }
  const at = vertices.findIndex((x) => !Number.isFinite(x))
  return at < 0 ? undefined : `vertex ${Math.floor(at / 3)} has coordinate ${vertices[at]}, expected a finite number`
}

/** Components connected by edges. */
function componentsOf(triangles: Int32Array, edgeOf: Int32Array, edgeCount: number) {
  const { start, items } = bucket(edgeOf, edgeCount)
  const component = new Int32Array(triangles.length / 3).fill(-1)
  let componentCount = 0
  for (let seed = 0; seed < component.length; seed++) {
    if (component[seed] >= 0) continue
    component[seed] = componentCount
    const rest = [seed]
    while (rest.length > 0) {
      const t = rest.pop()!
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        for (let i = start[edgeOf[h]]; i < start[edgeOf[h] + 1]; i++) {
          const s = Math.floor(items[i] / 3)
          if (component[s] >= 0) continue
          component[s] = componentCount
          rest.push(s)
        }
      }
    }
    componentCount++
  }
  return { component, componentCount }
}

/** Vertices with more than one fan of triangles. For meshes of which every half-edge has a twin. */
function pinchedVerticesOf(mesh: TriangleMesh): Int32Array {
  const { twins, vertexStart } = adjacencyOf(mesh)
  const { triangles } = mesh
  const out: number[] = []
  const walked = new Uint8Array(triangles.length)
  const fans = new Int32Array(mesh.vertices.length / 3)
  for (let h = 0; h < triangles.length; h++) {
    if (walked[h]) continue
    for (let k = h; !walked[k]; k = nextInTriangle(twins[k])) walked[k] = 1
    if (++fans[triangles[h]] === 2) out.push(triangles[h])
  }
  return Int32Array.from(out.filter((i) => vertexStart[i + 1] > vertexStart[i])).sort()
}

/** Signed volume of the tetrahedron from the mesh's first vertex to a triangle, positive if that faces away from the vertex. */
function signedTetrahedron(vertices: Float64Array, triangles: Int32Array, t: number): number {
  const a = 3 * triangles[3 * t]
  const b = 3 * triangles[3 * t + 1]
  const c = 3 * triangles[3 * t + 2]
  const [ox, oy, oz] = vertices
  const ax = vertices[a] - ox
  const ay = vertices[a + 1] - oy
  const az = vertices[a + 2] - oz
  const bx = vertices[b] - ox
  const by = vertices[b + 1] - oy
  const bz = vertices[b + 2] - oz
  const cx = vertices[c] - ox
  const cy = vertices[c + 1] - oy
  const cz = vertices[c + 2] - oz
  return (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6
}

/** Signed volume of a closed mesh, by the divergence theorem [m^3]. @unchecked */
export function meshVolume({ vertices, triangles }: TriangleMesh): number {
  let sum = 0
  for (let t = 0; t < triangles.length / 3; t++) sum += signedTetrahedron(vertices, triangles, t)
  return sum
}

/** Area of triangle t [m^2]. */
export function triangleArea(vertices: Float64Array, triangles: ArrayLike<number>, t: number): number {
  const a = 3 * triangles[3 * t]
  const b = 3 * triangles[3 * t + 1]
  const c = 3 * triangles[3 * t + 2]
  const ux = vertices[b] - vertices[a]
  const uy = vertices[b + 1] - vertices[a + 1]
  const uz = vertices[b + 2] - vertices[a + 2]
  const vx = vertices[c] - vertices[a]
  const vy = vertices[c + 1] - vertices[a + 1]
  const vz = vertices[c + 2] - vertices[a + 2]
  const x = uy * vz - uz * vy
  const y = uz * vx - ux * vz
  const z = ux * vy - uy * vx
  return 0.5 * Math.sqrt(x * x + y * y + z * z)
}

/** The surface of a convex polyhedron: the same vertices, each face a fan of triangles from the first vertex of its loop. @unchecked */
export function meshOfPolyhedron({ vertices, faces }: Polyhedron): TriangleMesh {
  const triangles: number[] = []
  for (const loop of faces) for (let k = 2; k < loop.length; k++) triangles.push(loop[0], loop[k - 1], loop[k])
  return { vertices, triangles: Int32Array.from(triangles) }
}

/** Repairs of a surface by `mendMesh`. */
/**
 * Repairs a surface from a file so that it bounds a solid, as far as its form is unambiguous: vertices are welded; triangles without area
 * are removed, without opening the surface; solids that touch in a vertex or along an edge get vertices of their own there; triangles are
 * oriented so that neighbours agree and outer parts face outwards. Parts inside a solid part are cavities if they face inwards, and are
 * removed if they face outwards. Holes are not filled, and intersecting parts are left unchanged. @unchecked
 *
 * @param vertices  n x 3 [m]
 * @param triangles t x 3
 * @param tolerance of the weld [m]; default: `shapeTolerance` times the half extent
 */
export function mendMesh(vertices: Float64Array, triangles: ArrayLike<number>, tolerance?: number) {
  const span = tolerance ?? shapeTolerance * halfExtentOf(vertices)
  const weld = weldVertices(vertices, span)
  let list: Int32Array = Int32Array.from({ length: triangles.length }, (_, h) => cornerOf(triangles, h, weld.kept))
  const given = list.length / 3
  list = withoutFolds(list, weld.vertices.length / 3)
  const flat = flipSlivers(weld.vertices, list, span)
  const { mesh, parted } = partFans(weld.vertices, flat.triangles)
  const turned = turnToNeighbours(mesh.triangles, mesh.vertices.length / 3)
  const outward = faceOutward({ vertices: mesh.vertices, triangles: turned.triangles })
  return {
    mesh: withoutStrays({ vertices: mesh.vertices, triangles: outward.triangles }),
    repairs: {
      /** Vertices merged with others. */
      welded: vertices.length / 3 - weld.vertices.length / 3,
      /** Triangles removed: with merged corners, duplicate, folded back on each other, or buried in a solid part. */
      removed: given - outward.triangles.length / 3,
      /** Triangles without height whose longest side was replaced by the other diagonal. */
      flipped: flat.flipped,
      /** Triangles whose orientation was reversed. */
      turned: turned.turned + outward.turned,
      /** Vertices added to separate solids that touched in a vertex or along an edge. */
      parted,
    },
  }
}

/**
 * `mendMesh`, for a surface that must bound a solid. @unchecked
 *
 * @throws GeometryError with the edges that keep the surface from being closed
 */
export function closedMesh(vertices: Float64Array, triangles: ArrayLike<number>, tolerance?: number): TriangleMesh {
  const { mesh } = mendMesh(vertices, triangles, tolerance)
  const { closed, faults } = checkClosed(mesh)
  if (!closed) throw new GeometryError(`the mesh is not closed: ${faults.join('; ')}. Mend it where it is drawn, or use its hull`)
  return mesh
}

function cornerOf(triangles: ArrayLike<number>, h: number, kept: Int32Array): number {
  const i = triangles[h]
  if (!(i >= 0 && i < kept.length)) {
    throw new GeometryError(`triangle ${Math.floor(h / 3)} has corner ${i}, expected one of the ${kept.length} vertices from 0`)
  }
  return kept[i]
}

/** Removes triangles with equal corners, duplicates, and pairs that lie back to back. */
function withoutFolds(triangles: Int32Array, vertexCount: number): Int32Array {
  const balance = new Map<number, Map<number, number>>()
  const sorted = (t: number): [number, number, number, number] => {
    const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]]
    const low = Math.min(a, b, c)
    const [second, third] = a === low ? [b, c] : b === low ? [c, a] : [a, b]
    return second < third ? [low, second, third, 1] : [low, third, second, -1]
  }
  const isLine = (t: number) =>
    triangles[t] === triangles[t + 1] || triangles[t + 1] === triangles[t + 2] || triangles[t + 2] === triangles[t]
  for (let t = 0; t < triangles.length; t += 3) {
    if (isLine(t)) continue
    const [a, b, c, sign] = sorted(t)
    const row = balance.get(a) ?? new Map<number, number>()
    balance.set(a, row)
    const key = b * vertexCount + c
    row.set(key, (row.get(key) ?? 0) + sign)
  }
  const out = new Int32Array(triangles.length)
  let length = 0
  for (let t = 0; t < triangles.length; t += 3) {
    if (isLine(t)) continue
    const [a, b, c, sign] = sorted(t)
    const row = balance.get(a)!
    const key = b * vertexCount + c
    if (row.get(key)! * sign <= 0) continue
    row.set(key, 0)
    out[length++] = triangles[t]
    out[length++] = triangles[t + 1]
    out[length++] = triangles[t + 2]
  }
  return out.slice(0, length)
}

/** Most rounds of flips; each shortens a chain of slivers by one. */
const flipRounds = 32

/** Flips the longest edges of triangles without height, which keeps the surface closed. */
function flipSlivers(vertices: Float64Array, given: Int32Array, tolerance: number) {
  let triangles = given
  let flipped = 0
  for (let round = 0; round < flipRounds; round++) {
    const slivers = sliversOf(vertices, triangles, tolerance)
    if (slivers.length === 0) break
    const { twins, edges } = makeAdjacency({ vertices, triangles })
    const n = vertices.length / 3
    const linked = new Set<number>()
    for (let e = 0; e < edges.length; e += 2) linked.add(edges[e] * n + edges[e + 1])
    const touched = new Uint8Array(triangles.length / 3)
    let changed = false
    for (const h of slivers) {
      const twin = twins[h]
      const t = Math.floor(h / 3)
      const s = Math.floor(twin / 3)
      if (twin < 0 || touched[t] || touched[s]) continue
      // half-edge h runs from c to a, opposite to b; d is beyond it
      const c = triangles[h]
      const a = triangles[nextInTriangle(h)]
      const b = triangles[nextInTriangle(nextInTriangle(h))]
      const d = triangles[nextInTriangle(nextInTriangle(twin))]
      const link = Math.min(b, d) * n + Math.max(b, d)
      if (b !== d && linked.has(link)) continue
      linked.add(link)
      touched[t] = 1
      touched[s] = 1
      triangles.set([a, b, d], 3 * t)
      triangles.set([b, c, d], 3 * s)
      changed = true
      flipped++
    }
    if (!changed) break
    triangles = withoutFolds(triangles, n)
  }
  return { triangles, flipped }
}

/** Per triangle: its longest half-edge if its height over that is at most the tolerance. */
function sliversOf(vertices: Float64Array, triangles: Int32Array, tolerance: number): number[] {
  const out: number[] = []
  for (let t = 0; t < triangles.length / 3; t++) {
    let longest = 3 * t
    let length = 0
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      const a = 3 * triangles[h]
      const b = 3 * triangles[nextInTriangle(h)]
      const l = Math.hypot(vertices[b] - vertices[a], vertices[b + 1] - vertices[a + 1], vertices[b + 2] - vertices[a + 2])
      if (l > length) {
        length = l
        longest = h
      }
    }
    if (2 * triangleArea(vertices, triangles, t) <= tolerance * length) out.push(longest)
  }
  return out
}

/** Orients triangles consistently across edges of two triangles; in each part the orientation of the majority is kept. */
function turnToNeighbours(given: Int32Array, vertexCount: number) {
  const triangles = given.slice()
  const { edgeOf, count } = numberEdges(triangles, vertexCount)
  const { start, items } = bucket(edgeOf, count)
  const state = new Int8Array(triangles.length / 3) // 1: as given, -1: turned
  let turned = 0
  for (let seed = 0; seed < state.length; seed++) {
    if (state[seed] !== 0) continue
    const part = [seed]
    state[seed] = 1
    let backwards = 0
    for (let i = 0; i < part.length; i++) {
      const t = part[i]
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const first = start[edgeOf[h]]
        if (start[edgeOf[h] + 1] - first !== 2) continue
        const other = items[first] === h ? items[first + 1] : items[first]
        const s = Math.floor(other / 3)
        if (state[s] !== 0) continue
        state[s] = given[other] === given[h] ? -state[t] : state[t]
        if (state[s] < 0) backwards++
        part.push(s)
      }
    }
    // the majority keeps its orientation
    const wrong = 2 * backwards > part.length ? 1 : -1
    for (const t of part) {
      if (state[t] !== wrong) continue
      triangles[3 * t + 1] = given[3 * t + 2]
      triangles[3 * t + 2] = given[3 * t + 1]
      turned++
    }
  }
  return { triangles, turned }
}

/** Reverses parts that are inside out, and removes parts that are buried in others. Surfaces with faults are left unchanged. */
function faceOutward(mesh: TriangleMesh) {
  const report = makeReport(mesh)
  const { component, componentCount, volumes } = report
  const none = { triangles: mesh.triangles, turned: 0 }
  if (report.openEdges.length + report.crowdedEdges.length + report.turnedEdges.length > 0 || componentCount === 0) return none
  const parts = Array.from({ length: componentCount }, (_, c) => partOf(mesh, component, c))
  let turned = 0
  const turn = (c: number) => {
    const { triangles } = parts[c]
    for (let t = 0; t < triangles.length; t += 3) {
      const second = triangles[t + 1]
      triangles[t + 1] = triangles[t + 2]
      triangles[t + 2] = second
    }
    volumes[c] = -volumes[c]
    turned += triangles.length / 3
  }
  if (volumes.reduce((sum, v) => sum + v, 0) < 0) for (let c = 0; c < componentCount; c++) turn(c)
  const around = parts.map((_, c) => parts.flatMap((_, d) => (d !== c && surrounds(parts[d], parts[c]) ? [d] : [])))
  for (let c = 0; c < componentCount; c++) if (around[c].length === 0 && volumes[c] < 0) turn(c)
  // nesting depth: a surrounding solid part adds one layer, a cavity removes one
  const layers = around.map((list) => list.reduce((sum, d) => sum + Math.sign(volumes[d]), 0))
  const keep = parts.map((_, c) => !(layers[c] > 0 && volumes[c] > 0))
  const triangles = new Int32Array(mesh.triangles.length)
  const next = new Int32Array(componentCount)
  let length = 0
  for (const c of component) {
    const at = next[c]++
    if (!keep[c]) continue
    for (let k = 0; k < 3; k++) triangles[length++] = parts[c].triangles[3 * at + k]
  }
  return { triangles: triangles.slice(0, length), turned }
}

interface Part extends TriangleMesh {
  readonly low: Float64Array
  readonly high: Float64Array
}

/** The triangles of a part in their order, with all vertices of the mesh. */
function partOf({ vertices, triangles }: TriangleMesh, component: Int32Array, c: number): Part {
  const list: number[] = []
  const low = new Float64Array(3).fill(Infinity)
  const high = new Float64Array(3).fill(-Infinity)
  for (let t = 0; t < component.length; t++) {
    if (component[t] !== c) continue
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      list.push(triangles[h])
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], vertices[3 * triangles[h] + k])
        high[k] = Math.max(high[k], vertices[3 * triangles[h] + k])
      }
    }
  }
  return { vertices, triangles: Int32Array.from(list), low, high }
}

/** Whether the first vertex of the inner part is inside the outer one, by winding number. */
function surrounds(outer: Part, inner: Part): boolean {
  for (let k = 0; k < 3; k++) if (outer.low[k] >= inner.low[k] || outer.high[k] <= inner.high[k]) return false
  const at = 3 * inner.triangles[0]
  return Math.abs(windingNumber(outer, inner.vertices.subarray(at, at + 3))) > 0.5
}

/**
 * Winding number of a surface about a point: 1 inside a closed surface, 0 outside. Solid angles after van Oosterom and Strackee, The Solid
 * Angle of a Plane Triangle (1983), eq. (8).
 */
function windingNumber({ vertices, triangles }: TriangleMesh, x: ArrayLike<number>): number {
  let sum = 0
  const corner = (h: number) => {
    const i = 3 * triangles[h]
    return [vertices[i] - x[0], vertices[i + 1] - x[1], vertices[i + 2] - x[2]]
  }
  const dot = (a: number[], b: number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [corner(t), corner(t + 1), corner(t + 2)]
    const [la, lb, lc] = [Math.hypot(...a), Math.hypot(...b), Math.hypot(...c)]
    const volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    sum += Math.atan2(volume, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
  }
  return sum / (2 * Math.PI)
}

/** The mesh without unused vertices. */
function withoutStrays({ vertices, triangles }: TriangleMesh): TriangleMesh {
  const place = new Int32Array(vertices.length / 3).fill(-1)
  for (const i of triangles) place[i] = 0
  let count = 0
  for (let i = 0; i < place.length; i++) if (place[i] === 0) place[i] = count++
  const out = new Float64Array(3 * count)
  for (let i = 0; i < place.length; i++) {
    if (place[i] >= 0) for (let k = 0; k < 3; k++) out[3 * place[i] + k] = vertices[3 * i + k]
  }
  return { vertices: out, triangles: triangles.map((i) => place[i]) }
}

/** Gives each fan of triangles at a vertex its own vertex, which disconnects parts that touch in a vertex or along an edge. */
function partFans(vertices: Float64Array, triangles: Int32Array): { mesh: TriangleMesh; parted: number } {
  const leader = Int32Array.from(triangles, (_, h) => h)
  const leaderOf = (h: number) => {
    let l = h
    while (leader[l] !== l) l = leader[l] = leader[leader[l]]
    return l
  }
  const join = (h: number, g: number) => {
    const [a, b] = [leaderOf(h), leaderOf(g)]
    leader[Math.max(a, b)] = Math.min(a, b)
  }
  partnersOf(vertices, triangles).forEach((g, h) => {
    const sameWay = triangles[h] === triangles[g]
    join(h, sameWay ? g : nextInTriangle(g))
    join(nextInTriangle(h), sameWay ? nextInTriangle(g) : g)
  })
  const n = vertices.length / 3
  const used = new Uint8Array(n)
  const copies: number[] = []
  const out = new Int32Array(triangles.length)
  for (let h = 0; h < triangles.length; h++) {
    const i = triangles[h]
    if (leaderOf(h) !== h) {
      out[h] = out[leaderOf(h)]
      continue
    }
    out[h] = used[i] ? n + copies.length : i
    if (used[i]) copies.push(i)
    used[i] = 1
  }
  const more = new Float64Array(3 * (n + copies.length))
  more.set(vertices)
  copies.forEach((i, c) => {
    more.set(vertices.subarray(3 * i, 3 * i + 3), 3 * (n + c))
  })
  return { mesh: { vertices: more, triangles: out }, parted: copies.length }
}

/**
 * Per half-edge: its partner, the half-edge across its edge in the surface of the same solid, or itself if the edge is open. At an edge of
 * two triangles that is the other's; at an edge of more, where solids touch or overlap, that on the other side of the wedge of solid, or,
 * with inconsistent orientations, the next one, so that all are connected.
 */
function partnersOf(vertices: Float64Array, triangles: Int32Array): Int32Array {
  const { edgeOf, edges, count } = numberEdges(triangles, vertices.length / 3)
  const { start, items } = bucket(edgeOf, count)
  const partners = Int32Array.from(triangles, (_, h) => h)
  for (let e = 0; e < count; e++) {
    const sides = Array.from(items.subarray(start[e], start[e + 1]))
    if (sides.length === 2) {
      partners[sides[0]] = sides[1]
      partners[sides[1]] = sides[0]
    }
    if (sides.length <= 2) continue
    const around = sides
      .map((h) => ({ h, angle: angleAround(vertices, edges[2 * e], edges[2 * e + 1], thirdCorner(triangles, h)) }))
      .sort((a, b) => a.angle - b.angle || a.h - b.h)
    matchWedges(
      around.map(({ h }) => h),
      (h) => triangles[h] !== edges[2 * e],
      partners,
    )
  }
  return partners
}

/**
 * Pairs the triangles around an edge, given anticlockwise as seen along the edge: a wedge of solid begins at a triangle with the opposite
 * direction and ends at one with the edge's. So they match like brackets, once around, if both are equally many.
 */
function matchWedges(around: readonly number[], opens: (h: number) => boolean, partners: Int32Array): void {
  let level = 0
  let least = 0
  let begin = 0
  around.forEach((h, k) => {
    level += opens(h) ? 1 : -1
    if (level >= least) return
    least = level
    begin = k + 1
  })
  if (level !== 0) {
    around.forEach((h, k) => {
      partners[h] = around[(k + 1) % around.length]
    })
    return
  }
  const open: number[] = []
  for (let k = 0; k < around.length; k++) {
    const h = around[(begin + k) % around.length]
    if (opens(h)) {
      open.push(h)
      continue
    }
    const other = open.pop()!
    partners[h] = other
    partners[other] = h
  }
}

function thirdCorner(triangles: Int32Array, h: number): number {
  return triangles[nextInTriangle(nextInTriangle(h))]
}

/** Angle of vertex i about the line through a and b, right-handed from a to b [rad]. */
function angleAround(vertices: Float64Array, a: number, b: number, i: number): number {
  const along = [0, 1, 2].map((k) => vertices[3 * b + k] - vertices[3 * a + k])
  const least = along.reduce((best, x, k) => (Math.abs(x) < Math.abs(along[best]) ? k : best), 0)
  const axis = [0, 1, 2].map((k) => (k === least ? 1 : 0))
  const cross = (u: number[], v: number[]) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
  const length = Math.hypot(...along)
  const first = cross(along, axis)
  const second = cross(along, first).map((x) => x / length)
  const to = [0, 1, 2].map((k) => vertices[3 * i + k] - vertices[3 * a + k])
  const dot = (u: number[], v: number[]) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
  return Math.atan2(dot(to, second), dot(to, first))
}
