import { type Collider, type Polyhedron, pairMemorySize, placeCore, signedDistanceWarm } from '../../geometry/index.ts'
import type { PairMemory } from '../manifold/pairMemory.ts'
import type { PairMaterials } from '../materials.ts'
import type { NarrowphaseScene, ShapePair } from '../narrowphase.ts'
import { addContacts, writePair, writeTangents } from '../pairContacts.ts'
import { setPlaneDirections } from './bottomPoints.ts'
import { ConvexOverlap } from './convexOverlap.ts'
import { PenetrationNarrowphase } from './penetrationNarrowphase.ts'
import { penaltyMemorySize } from './penetrationQuery.ts'
import { VolumeContacts } from './volumeContacts.ts'

/** The points of a patch. */
const POINTS = 4

/**
 * Four quadrature points for integrals over the penetration volume of two convex polyhedra, or of a polyhedron and a half-space. Springs
 * and dampers spread uniformly over the patch, the projection of that volume along the normal, have the same resultant force and moment as
 * these four, each with a quarter of the area: the points reproduce the patch's centroid and second moments, and their depths, linear in
 * position, the volume and its centroid. Hasegawa and Sato, Real-time Rigid Body Simulation for Haptic Interactions Based on Contact Volume
 * of Polygonal Objects (2004).
 *
 * The normal is that of the minimum translation. `VolumeContacts.share` is a point's area over the pair's own area: the mean projected area
 * of the smaller shape, a quarter of its surface (Cauchy). Pairs with other shapes than polyhedra have the points of
 * `PenetrationNarrowphase`. `VolumeContacts.drawn` offsets friction so that it has the moment of uniform pressure about the centroid.
 */
export class VolumeNarrowphase extends PenetrationNarrowphase {
  override readonly memorySize = Math.max(penaltyMemorySize, pairMemorySize)
  readonly #colliders: readonly Collider[]
  readonly #materials: PairMaterials
  /** Per shape: quarter of the surface of its polyhedron, 0 if it has none [m²]; and 1 if that is the hull of a mesh. */
  readonly #shadow: Float64Array
  readonly #isMesh: Uint8Array
  readonly #overlap = new ConvexOverlap()
  /** 10: the result of `signedDistanceWarm`. */
  readonly #distance = new Float64Array(10)
  /** 1: the pair's own area [m²]. */
  readonly #area = new Float64Array(1)
  readonly #n = new Float64Array(3)
  /** Midway between the nearest points of both shapes [m]. */
  readonly #middle = new Float64Array(3)
  readonly #inB = new Float64Array(3)
  readonly #u = new Float64Array(3)
  readonly #v = new Float64Array(3)

  constructor(scene: NarrowphaseScene) {
    super(scene)
    this.#colliders = scene.colliders
    this.#materials = scene.materials
    this.#shadow = Float64Array.from(scene.colliders, quarterOfSurface)
    this.#isMesh = Uint8Array.from(scene.placed, ({ shape }) => (shape.type === 'mesh' ? 1 : 0))
  }

  override createContacts(): VolumeContacts {
    return new VolumeContacts()
  }

  override readHalfSpace(pair: ShapePair, plane: Float64Array, contacts: VolumeContacts): void {
    const first = contacts.count
    if (this.#shadow[pair.b] === 0) {
      super.readHalfSpace(pair, plane, contacts)
      contacts.share.fill(0, first, contacts.count)
      return
    }
    const b = this.#colliders[pair.b]
    placeCore(b)
    this.#overlap.begin(b)
    this.#overlap.cutByPlane(plane)
    for (let d = 0; d < 3; d++) this.#n[d] = plane[d]
    this.#area[0] = this.#shadow[pair.b]
    this.#append(pair, contacts)
  }

  override read(pair: ShapePair, memory: PairMemory, contacts: VolumeContacts): void {
    const first = contacts.count
    const ofA = this.#shadow[pair.a]
    const ofB = this.#shadow[pair.b]
    if (ofA === 0 || ofB === 0 || this.#isMesh[pair.a] === 1 || this.#isMesh[pair.b] === 1) {
      super.read(pair, memory, contacts)
      contacts.share.fill(0, first, contacts.count)
      return
    }
    const a = this.#colliders[pair.a]
    const b = this.#colliders[pair.b]
    const distance = this.#distance
    const at = memory.open(pair.number)
    signedDistanceWarm(a, b, memory.values, at, distance)
    memory.close()
    if (!(distance[0] < 0)) return
    for (let d = 0; d < 3; d++) {
      this.#n[d] = distance[1 + d]
      this.#middle[d] = 0.5 * (distance[4 + d] + distance[7 + d])
    }
    if (this.flush[pair.a]?.buries(-1, distance, this.#middle, 0, this.#n, b)) return
    this.#overlap.begin(b)
    this.#overlap.cutByFaces(a)
    this.#area[0] = Math.min(ofA, ofB)
    this.#append(pair, contacts)
  }

  /** Appends the points of the clipped overlap, along #n. */
  #append(pair: ShapePair, contacts: VolumeContacts): void {
    const overlap = this.#overlap
    if (overlap.isEmpty) return
    const n = this.#n
    const u = this.#u
    const v = this.#v
    const { R } = this.#colliders[pair.b]
    for (let d = 0; d < 3; d++) this.#inB[d] = R[d] * n[0] + R[3 + d] * n[1] + R[6 + d] * n[2]
    setPlaneDirections(R, this.#inB, 0, n, u, v)
    overlap.integrate(n, u, v)
    const { volume, area, centroid, middle, spread, origin } = overlap
    if (!(volume[0] > 0 && area[0] > 0)) return
    const mean = volume[0] / area[0]
    // spread = L Lᵀ; the points are at the middle ± √2 of a column of L
    const uu = Math.sqrt(Math.max(spread[0], 0))
    const uv = uu > 0 ? spread[1] / uu : 0
    const vv = Math.sqrt(Math.max(spread[2] - uv * uv, 0))
    // L⁻¹ (centroid - middle)
    const along = uu > 0 ? (centroid[0] - middle[0]) / uu : 0
    const across = vv > 0 ? (centroid[1] - middle[1] - uv * along) / vv : 0
    const first = contacts.count
    // the mean distance of the four from the middle is (|column 1| + |column 2|) / √2
    const draw = (Math.SQRT2 * overlap.reach[0]) / (Math.sqrt(uu * uu + uv * uv) + vv) - 1
    for (let k = 0; k < POINTS; k++) {
      const side = k & 1 ? -Math.SQRT2 : Math.SQRT2
      const depth = mean * (1 + side * (k < 2 ? along : across))
      // rounding may make the fit negative, on a triangular patch that is deep at one side alone
      if (!(depth > 0)) continue
      const x = middle[0] + side * (k < 2 ? uu : 0)
      const y = middle[1] + side * (k < 2 ? uv : vv)
      const c = addContacts(contacts, 1)
      contacts.feature[c] = k
      contacts.gap[c] = -depth
      contacts.share[c] = area[0] / (POINTS * this.#area[0])
      for (let d = 0; d < 3; d++) {
        contacts.drawn[3 * c + d] = draw * ((x - middle[0]) * u[d] + (y - middle[1]) * v[d])
        contacts.point[3 * c + d] = origin[d] + x * u[d] + y * v[d] + centroid[2] * n[d]
        contacts.normal[3 * c + d] = n[d]
      }
    }
    writePair(contacts, first, pair.number, pair.bodyA, pair.bodyB, this.#materials)
    writeTangents(contacts, first)
  }
}

/** Mean projected area of a convex polyhedron (Cauchy); 0 for other shapes and hulls without volume [m²]. */
function quarterOfSurface({ core, rounding }: Collider): number {
  if (core === undefined || rounding > 0 || core.faces.length < 4) return 0
  let surface = 0
  core.faces.forEach((loop, f) => {
    for (let k = 2; k < loop.length; k++) surface += twiceArea(core, f, loop[0], loop[k - 1], loop[k]) / 2
  })
  return surface / 4
}

/** Twice the area of the triangle i, j, k of face f. */
function twiceArea({ vertices: x, faceNormals }: Polyhedron, f: number, i: number, j: number, k: number): number {
  const at = (from: number, to: number) => [0, 1, 2].map((d) => x[3 * to + d] - x[3 * from + d])
  const [ax, ay, az] = at(i, j)
  const [bx, by, bz] = at(i, k)
  return (
    faceNormals[3 * f] * (ay * bz - az * by) +
    faceNormals[3 * f + 1] * (az * bx - ax * bz) +
    faceNormals[3 * f + 2] * (ax * by - ay * bx)
  )
}
