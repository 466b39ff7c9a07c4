/** A convex hull in triangles. */
export interface HullTriangles {
  /** t x 3: indices in the cloud, counter-clockwise seen from outside. */
  readonly corners: Int32Array
  /** t x 3: the triangle beyond the side from corner k to the next. */
  readonly neighbours: Int32Array
}

/**
 * The convex hull of points with volume, by Quickhull (Barber, Dobkin and Huhdanpaa 1996): each triangle lists points outside it; the
 * farthest is added, with new triangles to the horizon, the border of all triangles visible from it.
 *
 * @param points  n x 3, the cloud
 * @param indices indices of the points to use
 */
export function quickHull(points: Float64Array, indices: Int32Array): HullTriangles {
  const own = new Float64Array(3 * indices.length)
  for (let k = 0; k < indices.length; k++) {
    for (let j = 0; j < 3; j++) own[3 * k + j] = points[3 * indices[k] + j]
  }
  const hull = new Hull(own)
  hull.start()
  hull.grow()
  return hull.result(indices)
}

/** out[k..k+2] = (b - a) x (c - a): the outward normal of a triangle, with twice its area as length. */
export function crossOfSides(out: Float64Array, k: number, points: Float64Array, a: number, b: number, c: number): void {
  const ux = points[3 * b] - points[3 * a]
  const uy = points[3 * b + 1] - points[3 * a + 1]
  const uz = points[3 * b + 2] - points[3 * a + 2]
  const vx = points[3 * c] - points[3 * a]
  const vy = points[3 * c + 1] - points[3 * a + 1]
  const vz = points[3 * c + 2] - points[3 * a + 2]
  out[k] = uy * vz - uz * vy
  out[k + 1] = uz * vx - ux * vz
  out[k + 2] = ux * vy - uy * vx
}

/** Square of the length of the vector that starts at entry k. */
export const squareOf = (v: Float64Array, k: number) => v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]

/** The edges of triangle f are 3 f, 3 f + 1 and 3 f + 2; edge 3 f + k ends at its corner k. */
const after = (e: number) => (e % 3 === 2 ? e - 2 : e + 1)
const before = (e: number) => (e % 3 === 0 ? e + 2 : e - 1)
const triangleOf = (e: number) => (e / 3) | 0

class Stack {
  readonly items: Int32Array
  size = 0

  constructor(most: number) {
    this.items = new Int32Array(most)
  }

  push(item: number): void {
    this.items[this.size++] = item
  }

  pop(): number {
    return this.items[--this.size]
  }
}

class Hull {
  private readonly P: Float64Array
  /** Distance from a plane that counts as zero. */
  private tolerance = 0
  /** Number of triangles made so far. Indices of removed ones are reused: a hull of n points has at most 2 n - 4. */
  private made = 0
  /** Per triangle: its serial number, -1 once removed. */
  private readonly number: Int32Array
  private readonly corners: Int32Array
  /** Per edge: the opposite edge, in the triangle beyond. */
  private readonly twins: Int32Array
  /** Outward unit normal and offset, 4 each. */
  private readonly planes: Float64Array
  /** Per triangle: linked list, through `next`, of points outside, the last first; and the farthest of them; -1 for none. */
  private readonly outside: Int32Array
  private readonly farthest: Int32Array
  private readonly reach: Float64Array
  private readonly next: Int32Array
  private readonly free: Stack
  /** Queue of triangles with points outside, each with its serial number. */
  private readonly waiting: number[] = []
  /** While a point is added: points of removed triangles; edges of the horizon (start, end, twin); new triangles. */
  private readonly loose: Stack
  private readonly horizon: Stack
  private readonly fresh: Stack
  private readonly path: Stack

  constructor(P: Float64Array) {
    this.P = P
    const count = P.length / 3
    const most = 2 * count
    this.number = new Int32Array(most).fill(-1)
    this.corners = new Int32Array(3 * most)
    this.twins = new Int32Array(3 * most)
    this.planes = new Float64Array(4 * most)
    this.outside = new Int32Array(most)
    this.farthest = new Int32Array(most)
    this.reach = new Float64Array(most)
    this.next = new Int32Array(count)
    this.free = new Stack(most)
    this.loose = new Stack(count)
    this.horizon = new Stack(3 * most)
    this.fresh = new Stack(most)
    this.path = new Stack(2 * most)
    for (let f = most - 1; f >= 0; f--) this.free.push(f)
  }

  /** The first tetrahedron: extremes of the longest extent along an axis, the point farthest from their line, and from the plane. */
  start(): void {
    const { P } = this
    const [a, b] = this.extremes()
    const [px, py, pz] = P.subarray(3 * a, 3 * a + 3)
    const [ux, uy, uz] = [P[3 * b] - px, P[3 * b + 1] - py, P[3 * b + 2] - pz]
    const square = ux * ux + uy * uy + uz * uz
    const c = this.farthestBy(
      (i) => {
        const dot = ux * (P[3 * i] - px) + uy * (P[3 * i + 1] - py) + uz * (P[3 * i + 2] - pz)
        const t = Math.max(0, Math.min(1, dot / square))
        const dx = ux * t + px - P[3 * i]
        const dy = uy * t + py - P[3 * i + 1]
        const dz = uz * t + pz - P[3 * i + 2]
        return dx * dx + dy * dy + dz * dz
      },
      [a, b],
    )
    const [x, y, z] = this.planes.slice(4 * this.add(b, c, a))
    this.remove(0, -1)
    this.made = 0
    this.fresh.size = 0
    const offset = x * px + y * py + z * pz
    const heightOf = (i: number) => x * P[3 * i] + y * P[3 * i + 1] + z * P[3 * i + 2] - offset
    const d = this.farthestBy((i) => Math.abs(heightOf(i)), [a, b, c])
    const below = heightOf(d) < 0
    const [v, w] = below ? [b, c] : [c, b]
    const corners = below ? [d, b, a, d, c, b, d, a, c] : [d, a, b, d, b, c, d, c, a]
    this.add(a, v, w)
    for (let k = 0; k < 9; k += 3) this.add(corners[k], corners[k + 1], corners[k + 2])
    for (let i = 0; i < 3; i++) {
      const j = (i + 1) % 3
      this.join(3 * (i + 1) + 2, below ? j : (3 - i) % 3)
      if (below) this.join(3 * (i + 1) + 1, 3 * (j + 1))
      else this.join(3 * (i + 1), 3 * (j + 1) + 1)
    }
    for (let i = 0; i < this.next.length; i++) if (i !== a && i !== b && i !== c && i !== d) this.assign(i, Infinity)
  }

  /** The lowest and highest point along the axis of longest extent; sets the tolerance. */
  private extremes(): [number, number] {
    const { P } = this
    const low = [0, 0, 0]
    const high = [0, 0, 0]
    for (let i = 1; i < P.length / 3; i++) {
      for (let j = 0; j < 3; j++) {
        if (P[3 * i + j] < P[3 * low[j] + j]) low[j] = i
        if (P[3 * i + j] > P[3 * high[j] + j]) high[j] = i
      }
    }
    let sum = 0
    let axis = 0
    let most = 0
    for (let j = 0; j < 3; j++) {
      const [least, largest] = [P[3 * low[j] + j], P[3 * high[j] + j]]
      sum += Math.max(Math.abs(least), Math.abs(largest))
      if (largest - least <= most) continue
      most = largest - least
      axis = j
    }
    this.tolerance = 3 * Number.EPSILON * sum
    return [low[axis], high[axis]]
  }

  private farthestBy(distanceOf: (i: number) => number, except: readonly number[]): number {
    let best = 0
    let most = -1
    for (let i = 0; i < this.next.length; i++) {
      const distance = distanceOf(i)
      if (distance <= most || except.includes(i)) continue
      most = distance
      best = i
    }
    return best
  }

  /** Adds a triangle whose edges end at a, b and c. */
  private add(a: number, b: number, c: number): number {
    const { P, corners, planes } = this
    const f = this.free.pop()
    this.fresh.push(f)
    this.number[f] = this.made++
    corners[3 * f] = a
    corners[3 * f + 1] = b
    corners[3 * f + 2] = c
    this.outside[f] = -1
    crossOfSides(planes, 4 * f, P, a, b, c)
    const square = squareOf(planes, 4 * f)
    const scale = square > 0 ? 1 / Math.sqrt(square) : 0
    const x = (planes[4 * f] *= scale)
    const y = (planes[4 * f + 1] *= scale)
    const z = (planes[4 * f + 2] *= scale)
    // through the mean of the corners
    planes[4 * f + 3] =
      x * ((P[3 * c] + P[3 * a] + P[3 * b]) * (1 / 3)) +
      y * ((P[3 * c + 1] + P[3 * a + 1] + P[3 * b + 1]) * (1 / 3)) +
      z * ((P[3 * c + 2] + P[3 * a + 2] + P[3 * b + 2]) * (1 / 3))
    return f
  }

  private join(d: number, e: number): void {
    this.twins[d] = e
    this.twins[e] = d
  }

  /** Lists a point with the new triangle from which it is farthest outside, or with the first where it exceeds `enough`. */
  private assign(i: number, enough: number): void {
    const { P, planes, fresh } = this
    const x = P[3 * i]
    const y = P[3 * i + 1]
    const z = P[3 * i + 2]
    let most = this.tolerance
    let best = -1
    for (let k = 0; k < fresh.size; k++) {
      const f = fresh.items[k]
      const distance = planes[4 * f] * x + planes[4 * f + 1] * y + planes[4 * f + 2] * z - planes[4 * f + 3]
      if (distance <= most) continue
      most = distance
      best = f
      if (most > enough) break
    }
    if (best < 0) return
    if (this.outside[best] < 0) {
      this.waiting.push(best, this.number[best])
      this.reach[best] = 0
    }
    this.next[i] = this.outside[best]
    this.outside[best] = i
    if (most < this.reach[best]) return
    this.reach[best] = most
    this.farthest[best] = i
  }

  grow(): void {
    const { waiting, loose, horizon, fresh, tolerance } = this
    for (let k = 0; k < waiting.length; k += 2) {
      const seen = waiting[k]
      if (this.number[seen] !== waiting[k + 1]) continue
      const eye = this.farthest[seen]
      loose.size = 0
      horizon.size = 0
      fresh.size = 0
      this.removeSeen(eye, seen)
      let last = -1
      for (let n = 0; n < horizon.size; n += 3) {
        const f = this.add(eye, horizon.items[n], horizon.items[n + 1])
        this.join(3 * f + 2, horizon.items[n + 2])
        if (last >= 0) this.join(3 * f + 1, 3 * last)
        last = f
      }
      this.join(3 * fresh.items[0] + 1, 3 * last)
      for (let n = 0; n < loose.size; n++) this.assign(loose.items[n], 1000 * tolerance)
    }
  }

  /** Removes the triangles visible from a point, depth first from f; collects their points and the edges of the horizon. */
  private removeSeen(eye: number, f: number): void {
    const { P, path, corners, twins, planes, number, horizon, tolerance } = this
    const x = P[3 * eye]
    const y = P[3 * eye + 1]
    const z = P[3 * eye + 2]
    this.remove(f, eye)
    // an edge, and the number of its triangle's edges left to visit
    path.push(3 * f)
    path.push(3)
    while (path.size > 0) {
      const left = path.pop()
      const edge = path.pop()
      if (left > 1) {
        path.push(after(edge))
        path.push(left - 1)
      }
      const twin = twins[edge]
      const g = triangleOf(twin)
      if (number[g] < 0) continue
      if (planes[4 * g] * x + planes[4 * g + 1] * y + planes[4 * g + 2] * z - planes[4 * g + 3] > tolerance) {
        this.remove(g, eye)
        path.push(after(twin))
        path.push(2)
      } else {
        horizon.push(corners[before(edge)])
        horizon.push(corners[edge])
        horizon.push(twin)
      }
    }
  }

  private remove(f: number, eye: number): void {
    this.number[f] = -1
    this.free.push(f)
    for (let i = this.outside[f]; i >= 0; i = this.next[i]) if (i !== eye) this.loose.push(i)
  }

  /** Triangles of the hull. @param indices of the points in the cloud */
  result(indices: Int32Array): HullTriangles {
    const { corners, twins, number, made } = this
    const triangleOfNumber = new Int32Array(made).fill(-1)
    for (let f = 0; f < number.length; f++) if (number[f] >= 0) triangleOfNumber[number[f]] = f
    const left = triangleOfNumber.filter((f) => f >= 0)
    for (let t = 0; t < left.length; t++) number[left[t]] = t
    const out = { corners: new Int32Array(3 * left.length), neighbours: new Int32Array(3 * left.length) }
    for (let t = 0; t < left.length; t++) {
      for (let k = 0; k < 3; k++) {
        out.corners[3 * t + k] = indices[corners[3 * left[t] + k]]
        out.neighbours[3 * t + k] = number[triangleOf(twins[after(3 * left[t] + k)])]
      }
    }
    return out
  }
}
