/** Faces in the order in which painting one over the other shows what is in front; what nobody can see is left out. */
import { trianglesOf } from './solid.ts'
import type { Vector } from './vector.ts'
import { Hiding, type View } from './view.ts'

/** A flat convex face in the picture: x to the right, y up, z towards the eye. Its loop is counter-clockwise, as it faces the eye. */
export interface PaintedFace<T> {
  readonly points: readonly Vector[]
  /** Faces of one body; those of a convex body do not cover each other. */
  readonly body: number
  readonly isConvexBody: boolean
  /** A face that is not to be cut. */
  readonly isWhole?: boolean
  readonly about: T
}

/** z = z[0] x + z[1] y + z[2] on the face. */
type Depth = readonly [number, number, number]

interface Item<T> {
  readonly face: PaintedFace<T>
  readonly depth: Depth
  readonly box: readonly [number, number, number, number]
}

/** Cuts of faces that run into each other: at most so many times the faces there were. */
const mostPieces = 4
/** Overlaps smaller than this part of the picture's size, as a length, are none. */
const touching = 1e-4
/** Faces that are this close, as a part of the size, do not run into each other. */
const shallow = 4e-3

/** Points are coordinates of the picture already. */
const flat: View = { right: [1, 0, 0], up: [0, 1, 0], toward: [0, 0, 1] }

/** What of the view each face and each line may be hidden by. */
export function hidingOf(faces: readonly PaintedFace<unknown>[]): Hiding {
  const solids = faces.map(({ points }) => ({
    vertices: points,
    faces: [Int32Array.from(points.keys())],
    normals: [],
    edges: [],
    isPlane: false,
  }))
  return new Hiding(
    flat,
    solids.filter((solid) => trianglesOf(solid).length > 0),
  )
}

/**
 * Orders faces from the farthest to the nearest. Of two that overlap in the picture the one that is farther in the middle of the
 * overlap comes first; two that run into each other are cut along their line. Where faces cover each other in a ring, the
 * farthest of them comes first.
 *
 * @param size of the picture, in the units of the points
 */
export function paintOrder<T>(faces: readonly PaintedFace<T>[], size: number): PaintedFace<T>[] {
  const items = cutApart(faces.flatMap(itemOf), size, mostPieces * faces.length)
  const after: number[][] = items.map(() => [])
  const waiting = new Int32Array(items.length)
  forOverlaps(items, (i, j) => {
    const sign = nearer(items[i], items[j], size)
    if (sign === 0) return
    const [far, near] = sign > 0 ? [j, i] : [i, j]
    after[far].push(near)
    waiting[near]++
  })
  const middle = items.map(({ face }) => face.points.reduce((sum, [, , z]) => sum + z, 0) / face.points.length)
  const left = [...items.keys()].sort((a, b) => middle[a] - middle[b])
  const done = new Uint8Array(items.length)
  const order: PaintedFace<T>[] = []
  const ready: number[] = []
  const take = (i: number) => {
    done[i] = 1
    order.push(items[i].face)
    for (const next of after[i]) if (--waiting[next] === 0 && done[next] === 0) ready.push(next)
  }
  for (const i of left) {
    if (done[i] === 0 && waiting[i] === 0) take(i)
    while (ready.length > 0) {
      const next = ready.pop() as number
      if (done[next] === 0) take(next)
    }
  }
  for (const i of left) {
    if (done[i] === 1) continue
    take(i) // a ring: begun with its farthest
    while (ready.length > 0) {
      const next = ready.pop() as number
      if (done[next] === 0) take(next)
    }
  }
  return order
}

/** Leaves out the faces of which no corner, middle of a side or middle is seen. */
export function visibleFaces<T>(faces: readonly PaintedFace<T>[], hiding: Hiding): PaintedFace<T>[] {
  return faces.filter(({ points, isWhole }) => {
    if (isWhole) return true
    const n = points.length
    const center = mean(points)
    if (!hiding.isHidden(center)) return true
    for (let i = 0; i < n; i++) {
      // a little inside: what lies along an edge is hidden by the faces beyond it
      const corner = mean([points[i], points[i], points[i], points[i], center])
      const side = mean([points[i], points[i], points[(i + 1) % n], points[(i + 1) % n], center])
      if (!hiding.isHidden(corner) || !hiding.isHidden(side)) return true
    }
    return false
  })
}

function mean(points: readonly Vector[]): Vector {
  const sum = [0, 0, 0]
  for (const p of points) for (let k = 0; k < 3; k++) sum[k] += p[k] / points.length
  return [sum[0], sum[1], sum[2]]
}

function itemOf<T>(face: PaintedFace<T>): Item<T>[] {
  const { points } = face
  // normal and area by Newell's sums, which bear points that are not quite in one plane
  let [nx, ny, nz] = [0, 0, 0]
  points.forEach(([x, y, z], i) => {
    const [u, v, w] = points[(i + 1) % points.length]
    nx += (y - v) * (z + w)
    ny += (z - w) * (x + u)
    nz += (x - u) * (y + v)
  })
  if (!(nz > 1e-9 * (Math.abs(nx) + Math.abs(ny)))) return []
  const [x, y, z] = mean(points)
  const depth: Depth = [-nx / nz, -ny / nz, z + (nx * x + ny * y) / nz]
  const xs = points.map((p) => p[0])
  const ys = points.map((p) => p[1])
  return [{ face, depth, box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] }]
}

const depthAt = ([a, b, c]: Depth, [x, y]: readonly number[]) => a * x + b * y + c

/** Above 0 if i is nearer to the eye where the two overlap, below if j is, 0 if they do not overlap. */
function nearer<T>(i: Item<T>, j: Item<T>, size: number): number {
  const overlap = overlapOf(i.face.points, j.face.points)
  if (overlap.length < 3 || areaOf(overlap) < (touching * size) ** 2) return 0
  const difference = overlap.reduce((sum, p) => sum + depthAt(i.depth, p) - depthAt(j.depth, p), 0) / overlap.length
  return Math.abs(difference) < 1e-9 * size ? i.face.body - j.face.body : difference
}

/** Cuts faces where those of other bodies run into them. */
function cutApart<T>(items: readonly Item<T>[], size: number, most: number): Item<T>[] {
  let pieces = [...items]
  for (let round = 0; round < 3; round++) {
    const cuts = new Map<number, Depth>()
    forOverlaps(pieces, (i, j) => {
      const [a, b] = [pieces[i], pieces[j]]
      if (a.face.body === b.face.body) return
      const overlap = overlapOf(a.face.points, b.face.points)
      if (overlap.length < 3) return
      let [low, high] = [Infinity, -Infinity]
      for (const p of overlap) {
        const difference = depthAt(a.depth, p) - depthAt(b.depth, p)
        low = Math.min(low, difference)
        high = Math.max(high, difference)
      }
      if (!(low < -shallow * size && high > shallow * size)) return
      if (!a.face.isWhole && !cuts.has(i)) cuts.set(i, b.depth)
      else if (!b.face.isWhole && !cuts.has(j)) cuts.set(j, a.depth)
    })
    if (cuts.size === 0 || pieces.length + cuts.size > most) break
    pieces = pieces.flatMap((item, i) => {
      const other = cuts.get(i)
      if (other === undefined) return [item]
      const height = (p: Vector) => p[2] - depthAt(other, p)
      const parts = [clipped(item.face.points, height), clipped(item.face.points, (p) => -height(p))]
      return parts.filter((points) => points.length >= 3).flatMap((points) => itemOf({ ...item.face, points }))
    })
  }
  return pieces
}

/** Every pair that may overlap in the picture, once; not two faces of one convex body. */
function forOverlaps<T>(items: readonly Item<T>[], visit: (i: number, j: number) => void): void {
  const order = [...items.keys()].sort((a, b) => items[a].box[0] - items[b].box[0])
  for (let s = 0; s < order.length; s++) {
    const a = items[order[s]]
    for (let t = s + 1; t < order.length; t++) {
      const b = items[order[t]]
      if (b.box[0] > a.box[2]) break
      if (b.box[1] > a.box[3] || a.box[1] > b.box[3]) continue
      if (a.face.body === b.face.body && a.face.isConvexBody) continue
      visit(order[s], order[t])
    }
  }
}

/** Of a polygon, what is where `height` is not below 0 (Sutherland and Hodgman, 1974). */
export function clipped(points: readonly Vector[], height: (p: Vector) => number): Vector[] {
  const out: Vector[] = []
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length]
    const [g, h] = [height(p), height(q)]
    if (g >= 0) out.push(p)
    if (g >= 0 !== h >= 0) {
      const s = g / (g - h)
      out.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2])])
    }
  })
  return out
}

function overlapOf(a: readonly Vector[], b: readonly Vector[]): readonly Vector[] {
  let rest = a
  for (let i = 0; i < b.length && rest.length > 0; i++) {
    const [px, py] = b[i]
    const [qx, qy] = b[(i + 1) % b.length]
    rest = clipped(rest, ([x, y]) => (qx - px) * (y - py) - (qy - py) * (x - px))
  }
  return rest
}

function areaOf(points: readonly Vector[]): number {
  let sum = 0
  for (let i = 0; i < points.length; i++) {
    const [x, y] = points[i]
    const [u, v] = points[(i + 1) % points.length]
    sum += x * v - u * y
  }
  return 0.5 * Math.abs(sum)
}
