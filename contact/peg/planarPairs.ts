import { JointType, type Model } from '../../dynamics/index.ts'
import { type Collider, GeometryError, type PlacedShape, type Polyhedron } from '../geometry/index.ts'
import { createPlanarBody, type PlanarBody, placePlanar } from './planarFeatures.ts'

/** Sines below this count as zero where directions are compared, and lengths relative to the shape. */
const straight = 1e-9

type Vector = readonly [number, number, number]

/** Two prisms that move in one plane, at right angles to both their axes: what of them meets is two polygons. */
export interface PlanarPair {
  readonly a: PlanarBody
  readonly b: PlanarBody
  /** 9: unit vectors x and y of the plane and its normal, right-handed, world axes. */
  readonly axes: Float64Array
  /** 3 each: the direction of the polygon's x in the axes of its shape. */
  readonly alongA: Float64Array
  readonly alongB: Float64Array
  /** Of the middle of the height that both have in common over the plane through the world's origin [m]; NaN where there is none. */
  readonly middle: number
}

/** A prism over a convex polygon. */
interface Prism {
  /** Unit, in the shape's axes: out of the cap whose loop is the polygon. */
  readonly axis: Vector
  readonly x: Vector
  readonly polygon: Float64Array
  /** Along the axis from the shape's origin [m]. */
  readonly low: number
  readonly high: number
}

/**
 * Which pairs of shapes are polygons in a plane: both are prisms (boxes, cylinders and hulls may be), and every joint between the world and
 * either body moves in the plane across their axes: planar joints in it, slides along it, hinges about its normal.
 */
export class PlanarPairs {
  readonly #model: Model
  /** Per body, at q = 0 [m]. Turning in the plane leaves its normal as it is, and moving in it the heights. */
  readonly #R: Float64Array[] = []
  readonly #p: Vector[] = []
  /** Per shape: along which axes it is a prism. */
  readonly #prisms = new Map<PlacedShape, readonly Prism[]>()
  readonly #bodies = new Map<Prism, PlanarBody>()

  constructor(model: Model) {
    this.#model = model
    const { nb, parent, XT } = model
    for (let i = 0; i < nb; i++) {
      const R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
      this.#R.push(R)
      if (i === 0) {
        this.#p.push([0, 0, 0])
        continue
      }
      const RP = this.#R[parent[i]]
      const E = XT[i]
      // turns the joint's axes into the world's: that of the parent, times E transposed
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 3; c++)
          R[3 * r + c] = RP[3 * r] * E[3 * c] + RP[3 * r + 1] * E[3 * c + 1] + RP[3 * r + 2] * E[3 * c + 2]
      }
      this.#p.push(sum(this.#p[parent[i]], turned(RP, [E[9], E[10], E[11]])))
    }
  }

  /**
   * @param colliders of both shapes, polyhedra
   * @returns undefined if the pair has to be read in space
   */
  pairOf(a: PlacedShape, colliderA: Collider, b: PlacedShape, colliderB: Collider): PlanarPair | undefined {
    if (!this.#isSimple(a.body) || !this.#isSimple(b.body)) return undefined
    for (const prismA of this.#prismsOf(a, colliderA)) {
      const n = this.#outward(a, prismA)
      if (!this.#staysInPlane(a.body, n) || !this.#staysInPlane(b.body, n)) continue
      for (const prismB of this.#prismsOf(b, colliderB)) {
        // each axis is there with both of its signs
        if (!(dot(n, this.#outward(b, prismB)) > 0 && parallel(n, this.#outward(b, prismB)))) continue
        const low = Math.max(this.#height(a, n) + prismA.low, this.#height(b, n) + prismB.low)
        const high = Math.min(this.#height(a, n) + prismA.high, this.#height(b, n) + prismB.high)
        const x = across(n)
        return {
          a: this.#bodyOf(prismA),
          b: this.#bodyOf(prismB),
          axes: Float64Array.of(...x, ...cross(n, x), ...n),
          alongA: Float64Array.from(prismA.x),
          alongB: Float64Array.from(prismB.x),
          middle: high > low ? 0.5 * (low + high) : Number.NaN,
        }
      }
    }
    return undefined
  }

  /** Whether no joint on the way to the world leaves every plane. */
  #isSimple(body: number): boolean {
    const { parent, jointType } = this.#model
    for (let i = body; i > 0; i = parent[i]) {
      if (jointType[i] === JointType.floating || jointType[i] === JointType.spherical) return false
    }
    return true
  }

  #staysInPlane(body: number, n: Vector): boolean {
    const { parent, jointType, jointAxis } = this.#model
    for (let i = body; i > 0; i = parent[i]) {
      if (jointType[i] === JointType.fixed) continue
      const axis = turned(this.#R[i], [jointAxis[3 * i], jointAxis[3 * i + 1], jointAxis[3 * i + 2]])
      if (jointType[i] === JointType.prismatic ? Math.abs(dot(axis, n)) > straight : !parallel(axis, n)) return false
    }
    return true
  }

  #outward({ body, R }: PlacedShape, { axis }: Prism): Vector {
    return turned(this.#R[body], turned(R, axis))
  }

  /** Of a shape's origin along n. */
  #height({ body, p }: PlacedShape, n: Vector): number {
    return dot(n, sum(this.#p[body], turned(this.#R[body], [p[0], p[1], p[2]])))
  }

  #prismsOf(placed: PlacedShape, { core }: Collider): readonly Prism[] {
    const known = this.#prisms.get(placed)
    if (known !== undefined) return known
    const prisms = prismsOf(core!)
    this.#prisms.set(placed, prisms)
    return prisms
  }

  #bodyOf(prism: Prism): PlanarBody {
    const known = this.#bodies.get(prism)
    if (known !== undefined) return known
    const body = createPlanarBody(prism.polygon)
    this.#bodies.set(prism, body)
    return body
  }
}

/** 4: place of a polygon's origin [m], cosine and sine of its angle. */
const frame = new Float64Array(4)

/** Puts both polygons where the shapes are. */
export function placePair({ a, b, axes, alongA, alongB }: PlanarPair, { R, p }: Collider, { R: S, p: r }: Collider): void {
  writeFrame(R, p, alongA, axes)
  placePlanar(a, frame)
  writeFrame(S, r, alongB, axes)
  placePlanar(b, frame)
}

function writeFrame(R: Float64Array, p: Float64Array, along: Float64Array, axes: Float64Array): void {
  const x = R[0] * along[0] + R[1] * along[1] + R[2] * along[2]
  const y = R[3] * along[0] + R[4] * along[1] + R[5] * along[2]
  const z = R[6] * along[0] + R[7] * along[1] + R[8] * along[2]
  frame[0] = p[0] * axes[0] + p[1] * axes[1] + p[2] * axes[2]
  frame[1] = p[0] * axes[3] + p[1] * axes[4] + p[2] * axes[5]
  frame[2] = x * axes[0] + y * axes[1] + z * axes[2]
  frame[3] = x * axes[3] + y * axes[4] + z * axes[5]
}

/** Along each of its caps' normals, for both signs, in the order of its faces. */
function prismsOf(polyhedron: Polyhedron): Prism[] {
  const { faces, faceNormals, vertices } = polyhedron
  const prisms: Prism[] = []
  faces.forEach((loop, f) => {
    const axis: Vector = [faceNormals[3 * f], faceNormals[3 * f + 1], faceNormals[3 * f + 2]]
    const heights = Array.from({ length: vertices.length / 3 }, (_, i) => dot(axis, vertexOf(vertices, i)))
    const low = Math.min(...heights)
    const high = Math.max(...heights)
    const tolerance = straight * Math.max(high - low, ...vertices.map(Math.abs))
    if (2 * loop.length !== heights.length) return
    if (heights.some((height) => height > low + tolerance && height < high - tolerance)) return
    const others = faces.filter((_, g) => Math.abs(normalAlong(faceNormals, g, axis)) > straight)
    // the two caps; a side stands on both
    if (others.length !== 2 || faces.some((_, g) => isAskew(faceNormals, g, axis))) return
    const x = across(axis)
    const y = cross(axis, x)
    const polygon = Float64Array.from([...loop].flatMap((i) => [dot(x, vertexOf(vertices, i)), dot(y, vertexOf(vertices, i))]))
    if (isPolygon(polygon)) prisms.push({ axis, x, polygon, low, high })
  })
  return prisms
}

const vertexOf = (vertices: Float64Array, i: number): Vector => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]]

const normalAlong = (N: Float64Array, g: number, axis: Vector) => dot(axis, vertexOf(N, g))

/** Neither along the axis nor across it. */
function isAskew(N: Float64Array, g: number, axis: Vector): boolean {
  return Math.abs(normalAlong(N, g, axis)) > straight && !parallel(vertexOf(N, g), axis)
}

function isPolygon(vertices: Float64Array): boolean {
  try {
    createPlanarBody(vertices)
    return true
  } catch (error) {
    if (error instanceof GeometryError) return false
    throw error
  }
}

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

const sum = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]

const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

const parallel = (a: Vector, b: Vector) => Math.hypot(...cross(a, b)) <= straight

const turned = (R: Float64Array, v: Vector): Vector => [
  R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
  R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
  R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
]

/** A unit vector at right angles to n: the coordinate axis that n is least along, made orthogonal. */
function across(n: Vector): Vector {
  const size = n.map(Math.abs)
  const k = size[0] <= size[1] && size[0] <= size[2] ? 0 : size[1] <= size[2] ? 1 : 2
  const e = [0, 1, 2].map((i) => (i === k ? 1 : 0) - n[k] * n[i])
  const length = Math.hypot(...e)
  return [e[0] / length, e[1] / length, e[2] / length]
}
