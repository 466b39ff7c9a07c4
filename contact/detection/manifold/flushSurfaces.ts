import { adjacencyOf, type Collider, heightAt, nextInTriangle, type PlacedShape, trianglesOf } from '../../geometry/index.ts'
import { shapeTolerance } from '../../tolerances.ts'
import type { Manifold } from './manifold.ts'
import { SurfaceTriangles } from './surfaceTriangles.ts'

/** Depth, relative to the touching shape's size, below a flush face up to which a contact is buried, and up to which a face carries a shape beside it. */
export const flushReach = 0.1
/** A half-space's normal differs from another one when 1 - cos of the angle between them is above this. */
const otherNormal = 1e-9
/** Faces are back to back when 1 + cos of the angle between their normals is below this. */
const backToBack = 1e-9

/**
 * The fixtures beside one mesh or height field, which make one surface with it where they are flush: there its border is no edge that
 * stands out, and its walls are buried. Fixtures are flush where they touch to within `shapeTolerance` of the larger surface.
 */
export class FlushSurfaces {
  /** Of the surface. */
  readonly triangles: SurfaceTriangles
  /** Per triangle of the surface: 1 if another fixture touches its box. */
  readonly isSeam: Uint8Array
  /** Per triangle of the surface: bit k is set if its side from corner k has neither a neighbour nor, at its middle, a flush fixture. */
  readonly openSides: Uint8Array
  readonly #others: readonly SurfaceTriangles[]
  /** 4 a half-space: normal and offset. */
  readonly #planes: Float64Array
  /** 1: distance within which surfaces are flush [m]. */
  readonly #tolerance = new Float64Array(1)
  readonly #bounds = new Float64Array(6)
  readonly #x = new Float64Array(3)
  // arguments of the methods below, since numbers passed to functions are boxed: depth, widening of the box, offset of a plane [m]
  readonly #reach = new Float64Array(1)
  readonly #by = new Float64Array(1)
  readonly #level = new Float64Array(1)
  readonly #shift = new Float64Array(2)
  /** The touched triangles of the surface, if it is asked whether a contact is buried; their number, -1 until found; and their box. */
  #touched = new Int32Array(16)
  readonly #touchedCount = new Int32Array(1)
  readonly #around = new Float64Array(6)
  readonly #fields: readonly PlacedShape[]
  readonly #isField: boolean
  readonly #local = new Float64Array(3)
  readonly #surface = new Float64Array(4)

  /** @param surfaces of all fixtures that have triangles, that of `own` among them; @param fixtures for their half-spaces */
  constructor(own: SurfaceTriangles, isField: boolean, surfaces: readonly SurfaceTriangles[], fixtures: readonly PlacedShape[]) {
    this.#isField = isField
    const { triangles } = own.mesh
    const box = boundsOf(own.verticesW)
    const size = Math.max(...[0, 1, 2].map((d) => box[3 + d] - box[d]))
    this.#tolerance[0] = shapeTolerance * size
    const near = surfaces.filter((other) => other !== own && meet(box, boundsOf(other.verticesW), this.#tolerance[0]))
    const planes = fixtures.flatMap(({ shape, R, p }) => {
      if (shape.type !== 'halfspace') return []
      const length = Math.hypot(...shape.normal)
      const n = [0, 1, 2].map((d) => [0, 1, 2].reduce((sum, k) => sum + (R[3 * d + k] * shape.normal[k]) / length, 0))
      const offset = shape.offset / length + n[0] * p[0] + n[1] * p[1] + n[2] * p[2]
      const lowest = n.reduce((sum, x, d) => sum + x * box[x > 0 ? d : 3 + d], 0)
      return lowest - offset <= this.#tolerance[0] ? [[...n, offset]] : []
    })
    this.isSeam = new Uint8Array(triangles.length / 3)
    for (let t = 0; t < this.isSeam.length && near.length + planes.length > 0; t++) {
      const corner = (k: number) => own.verticesW[3 * triangles[3 * t + Math.floor(k / 3)] + (k % 3)]
      const corners = Float64Array.from({ length: 9 }, (_, k) => corner(k))
      const ofTriangle = boundsOf(corners)
      for (const other of near) {
        other.findNear(widened(ofTriangle, this.#tolerance[0]), 0)
        if (other.nearCount[0] > 0) this.isSeam[t] = 1
      }
      for (const [x, y, z, offset] of planes) {
        const heights = [0, 3, 6].map((v) => x * corners[v] + y * corners[v + 1] + z * corners[v + 2] - offset)
        if (Math.min(...heights) <= this.#tolerance[0]) this.isSeam[t] = 1
      }
    }
    this.triangles = own
    this.#others = near
    this.#planes = Float64Array.from(planes.flat())
    this.#fields = fixtures.filter(({ shape }) => shape.type === 'heightfield')
    this.openSides = this.#findOpenSides()
  }

  #findOpenSides(): Uint8Array {
    const { mesh, verticesW: y, normalsW: m } = this.triangles
    const { triangles } = mesh
    const out = new Uint8Array(triangles.length / 3)
    adjacencyOf(mesh).twins.forEach((twin, h) => {
      if (twin >= 0) return
      const t = h - (h % 3)
      const [a, b] = [3 * triangles[h], 3 * triangles[nextInTriangle(h)]]
      const e = [0, 1, 2].map((d) => y[b + d] - y[a + d])
      const away = Float64Array.from(e, (_, d) => e[(d + 1) % 3] * m[t + ((d + 2) % 3)] - e[(d + 2) % 3] * m[t + ((d + 1) % 3)])
      const length = Math.hypot(...away)
      const middle = Float64Array.from(e, (_, d) => 0.5 * (y[a + d] + y[b + d]))
      for (let d = 0; d < 3; d++) away[d] /= length
      if (length > 0 && !this.covers(middle, away)) out[t / 3] |= 1 << (h % 3)
    })
    return out
  }

  /**
   * Whether a point is above a height field, or in the ground below: with no wall there, that recedes from an open border at 45 degrees, and
   * what has fallen over the border is not lifted out.
   */
  isOverField(x: Float64Array): boolean {
    this.#shift.fill(0)
    const i = this.#fieldAt(x)
    if (i < 0) return false
    const { shape } = this.#fields[i]
    if (shape.type !== 'heightfield') return false
    heightAt(shape, this.#local, this.#surface)
    const deep = this.#surface[0] - this.#local[2]
    if (!(deep > 0)) return true
    for (let side = 0; side < 4; side++) {
      this.#shift.fill(0)
      this.#shift[side >> 1] = side & 1 ? deep : -deep
      if (this.#fieldAt(x) < 0) return false
    }
    return true
  }

  /** The height field above or below x, moved by `#shift` along the world's x and y, or -1; writes x in its axes to `#local`. */
  #fieldAt(x: Float64Array): number {
    const shift = this.#shift
    for (let i = 0; i < this.#fields.length; i++) {
      const { shape, R, p } = this.#fields[i]
      if (shape.type !== 'heightfield') continue
      const local = this.#local
      for (let d = 0; d < 3; d++)
        local[d] = R[d] * (x[0] + shift[0] - p[0]) + R[3 + d] * (x[1] + shift[1] - p[1]) + R[6 + d] * (x[2] - p[2])
      const { rows, columns, spacing } = shape
      if (2 * Math.abs(local[0]) <= (columns - 1) * spacing[0] && 2 * Math.abs(local[1]) <= (rows - 1) * spacing[1]) return i
    }
    return -1
  }

  /** Whether a fixture that touches the surface at x lies farther along n there, so that no shape is pushed along n. */
  covers(x: Float64Array, n: Float64Array): boolean {
    for (let d = 0; d < 3; d++) this.#x[d] = x[d]
    this.#reach[0] = this.#tolerance[0]
    return this.#search(n)
  }

  /** Drops the deep points of a shape whose centre is beside a height field: there is no wall below the border, and no ground above the shape. */
  dropDeep(manifold: Manifold, { centerW, radius }: Collider): void {
    if (!this.#isField || this.isOverField(centerW)) return
    const { gap, point, feature } = manifold
    let count = 0
    for (let k = 0; k < manifold.count; k++) {
      if (gap[k] < -flushReach * radius) continue
      feature[count] = feature[k]
      gap[count] = gap[k]
      for (let d = 0; d < 3; d++) point[3 * count + d] = point[3 * k + d]
      count++
    }
    manifold.count = count
  }

  /** Whether all points of a manifold are buried, for triangle t or any: `buries`. */
  buriesAll(t: number, { count, gap, point, normal }: Manifold, shape: Collider): boolean {
    for (let k = 0; k < count; k++) if (!this.buries(t, gap, point, k, normal, shape)) return false
    return count > 0
  }

  /**
   * Whether the k-th contact point, with normal n, is in or below the face of a flush fixture that lies farther along n, while the surface
   * does not stand out of that face.
   *
   * @param t      the triangle that is touched; or -1: all those near the point count
   * @param point  midway between the surfaces, as in manifolds [m]
   */
  buries(t: number, gap: Float64Array, point: Float64Array, k: number, n: Float64Array, { radius }: Collider): boolean {
    const x = this.#x
    for (let d = 0; d < 3; d++) x[d] = point[3 * k + d] - 0.5 * gap[k] * n[d]
    this.#touchedCount[0] = t < 0 ? -1 : 1
    this.#touched[0] = t
    if (t < 0) {
      this.#by[0] = this.#tolerance[0] + Math.max(-gap[k], 0)
      this.#setBounds(this.#around)
    }
    this.#reach[0] = flushReach * radius
    const isBuried = this.#search(n)
    this.#touchedCount[0] = 0
    return isBuried
  }

  /** Finds the touched triangles, once a face is found that may bury them. */
  #findTouched(): void {
    const own = this.triangles
    own.findNear(this.#around, 0)
    this.#touchedCount[0] = own.nearCount[0]
    if (this.#touched.length < own.near.length) this.#touched = new Int32Array(own.near.length)
    for (let i = 0; i < own.nearCount[0]; i++) this.#touched[i] = own.near[i]
  }

  #setBounds(out: Float64Array): void {
    const x = this.#x
    const by = this.#by[0]
    for (let d = 0; d < 3; d++) {
      out[d] = x[d] - by
      out[3 + d] = x[d] + by
    }
  }

  /**
   * Whether a contact of a convex shape with the surface, of a convex fixture, may be buried. A shape whose centre is no deeper than the radius
   * of its bounding ball, and the margin, is touched within three times that of it.
   */
  mayBury({ centerW: c, radius }: Collider, margin: Float64Array): boolean {
    const { normalsW: m, verticesW: y, mesh } = this.triangles
    const reach = radius + margin[0]
    let height = -Infinity
    for (let t = 0; t < m.length; t += 3) {
      const v = 3 * mesh.triangles[t]
      const h = m[t] * (c[0] - y[v]) + m[t + 1] * (c[1] - y[v + 1]) + m[t + 2] * (c[2] - y[v + 2])
      if (h > height) height = h
    }
    if (this.#others.length > 0 || !(height > -reach)) return true
    const n = this.#planes
    const within = this.#tolerance[0] + 3 * reach
    for (let i = 0; i < n.length; i += 4) if (n[i] * c[0] + n[i + 1] * c[1] + n[i + 2] * c[2] - n[i + 3] <= within) return true
    return false
  }

  #search(n: Float64Array): boolean {
    const m = this.#planes
    for (let i = 0; i < m.length; i += 4) {
      const cosine = n[0] * m[i] + n[1] * m[i + 1] + n[2] * m[i + 2]
      this.#level[0] = m[i + 3]
      if (cosine < 1 - otherNormal && this.#isAt(m, i)) return true
    }
    if (this.#others.length === 0) return false
    this.#by[0] = this.#reach[0]
    this.#setBounds(this.#bounds)
    for (let i = 0; i < this.#others.length; i++) {
      const other = this.#others[i]
      other.findNear(this.#bounds, 0)
      for (let j = 0; j < other.nearCount[0]; j++) if (this.#isBeyond(other, other.near[j], n)) return true
    }
    return false
  }

  /** Whether triangle s of another surface is at `#x`, and lies farther along n or faces it. */
  #isBeyond(other: SurfaceTriangles, s: number, n: Float64Array): boolean {
    const tolerance = this.#tolerance[0]
    const x = this.#x
    const { normalsW: m, verticesW: y } = other
    const { triangles } = other.mesh
    const first = 3 * triangles[3 * s]
    const level = m[3 * s] * y[first] + m[3 * s + 1] * y[first + 1] + m[3 * s + 2] * y[first + 2]
    const cosine = n[0] * m[3 * s] + n[1] * m[3 * s + 1] + n[2] * m[3 * s + 2]
    if (!other.isOver(s, x, 0, tolerance)) return false
    if (cosine < backToBack - 1) return Math.abs(m[3 * s] * x[0] + m[3 * s + 1] * x[1] + m[3 * s + 2] * x[2] - level) <= tolerance
    this.#level[0] = level
    if (!this.#isAt(m, 3 * s)) return false
    for (let k = 3 * s; k < 3 * s + 3; k++) {
      const v = 3 * triangles[k]
      if (n[0] * (y[v] - x[0]) + n[1] * (y[v + 1] - x[1]) + n[2] * (y[v + 2] - x[2]) > tolerance) return true
    }
    return false
  }

  /** Whether `#x` is in or below a plane, by no more than the reach, and the touched triangles, if any, do not stand out of it. */
  #isAt(m: Float64Array, i: number): boolean {
    const x = this.#x
    const level = this.#level[0]
    const tolerance = this.#tolerance[0]
    const height = m[i] * x[0] + m[i + 1] * x[1] + m[i + 2] * x[2] - level
    if (height > tolerance || height < -this.#reach[0]) return false
    if (this.#touchedCount[0] < 0) this.#findTouched()
    const { triangles } = this.triangles.mesh
    const y = this.triangles.verticesW
    for (let k = 0; k < 3 * this.#touchedCount[0]; k++) {
      const v = 3 * triangles[3 * this.#touched[Math.floor(k / 3)] + (k % 3)]
      if (m[i] * y[v] + m[i + 1] * y[v + 1] + m[i + 2] * y[v + 2] - level > tolerance) return false
    }
    return true
  }
}

/** Per fixture: what is flush with it; undefined for half-spaces and curved shapes, and for convex ones that touch no other fixture. */
export function flushFixtures(fixtures: readonly PlacedShape[]): (FlushSurfaces | undefined)[] {
  const triangles = fixtures.map(trianglesOfFixture)
  const known = triangles.filter((one) => one !== undefined)
  return fixtures.map(({ shape }, i) => {
    const own = triangles[i]
    const flush = own && new FlushSurfaces(own, shape.type === 'heightfield', known, fixtures)
    const isSurface = shape.type === 'mesh' || shape.type === 'heightfield'
    return isSurface || flush?.isSeam.includes(1) ? flush : undefined
  })
}

/** The triangles of a fixture, undefined for half-spaces and curved shapes, as are rounded boxes. */
function trianglesOfFixture(fixture: PlacedShape): SurfaceTriangles | undefined {
  const { shape } = fixture
  if (shape.type === 'mesh' || shape.type === 'heightfield') return new SurfaceTriangles(fixture)
  if (!(shape.type === 'box' && !shape.rounding) && shape.type !== 'hull') return undefined
  return new SurfaceTriangles({ ...fixture, shape: { type: 'mesh', mesh: trianglesOf(shape) } })
}

function boundsOf(x: Float64Array): Float64Array {
  const out = Float64Array.of(Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity)
  for (let k = 0; k < x.length; k++) {
    out[k % 3] = Math.min(out[k % 3], x[k])
    out[3 + (k % 3)] = Math.max(out[3 + (k % 3)], x[k])
  }
  return out
}

const widened = (box: Float64Array, by: number): Float64Array => box.map((x, k) => (k < 3 ? x - by : x + by))

const meet = (a: Float64Array, b: Float64Array, within: number): boolean =>
  [0, 1, 2].every((d) => a[d] <= b[3 + d] + within && b[d] <= a[3 + d] + within)
