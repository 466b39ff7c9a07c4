import type { Data, Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import {
  boundingRadius,
  type Collider,
  checkShape,
  createCollider,
  GeometryError,
  hullOf,
  type PlacedShape,
  placeCollider,
  placeCore,
  type Shape,
  writeBounds,
  writeShapeBounds,
} from '../geometry/index.ts'
import { BroadPhase, type BroadPhaseStatistics } from './broadPhase.ts'
import { convexManifold, createManifoldScratch, type ManifoldScratch } from './convexManifold.ts'
import { halfSpaceManifold } from './halfSpaceManifold.ts'
import { createManifold, type Manifold, reduceManifold } from './manifold.ts'
import { checkSurface, type MaterialDefaults, type MaterialRules, PairMaterials } from './materials.ts'
import { CollisionPairs, type PairOptions } from './pairs.ts'
import { mostOfNormal, SurfaceContacts } from './surfaceContacts.ts'

/** Added to the margin of every shape when a contact model looks ahead, so that rest on the surface is never missed [m]. */
export const lookAheadSlack = 1e-4

/** More points than a pair makes beyond the vertices of both shapes and the crossings of their edges. */
const manifoldCapacity = 32
/** Relative to the coordinates: what boxes in the broad phase are widened by, so that rounding never parts shapes that touch. */
const rounding = 1e-12

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

export interface DetectorOptions extends PairOptions {
  readonly materials?: MaterialRules
  /** At most this many points of one normal of a pair of shapes, `reduceManifold`. Default: all. */
  readonly maxPoints?: number
}

/**
 * Finds where the shapes of robots touch the fixed surroundings and, if `selfCollision` says so, each other. Made once a world;
 * answers depend on the arguments of `detect` alone.
 *
 * Robot shapes may be spheres, capsules, boxes, cylinders and hulls; against half-spaces alone also meshes, which touch them as
 * their hulls do. Fixtures may be half-spaces, the same convex shapes, closed meshes and height fields; on the latter two, pairs have points
 * of several normals (`SurfaceContacts`).
 *
 * Half-spaces are tried with every shape; pairs of bounded shapes pass through a broad phase first.
 */
export class ContactDetector {
  /** `ContactSet.pair` is below this; how pairs are numbered stands at `CollisionPairs`. */
  readonly pairCount: number
  readonly pairs: CollisionPairs
  readonly materials: PairMaterials
  readonly #shapes: readonly PlacedShape[]
  readonly #robot: readonly Collider[]
  readonly #fixtures: readonly Collider[]
  /** Per fixture: its triangles, of meshes and height fields, whose collider means nothing. */
  readonly #surfaces: readonly (SurfaceContacts | undefined)[]
  /** Which of the fixtures are half-spaces; and per fixture, 4: its plane in the world, zeros for other shapes. */
  readonly #halfSpaces: Int32Array
  readonly #planes: readonly Float64Array[]
  /** Per robot shape: radius about its body's origin [m]. */
  readonly #radius: Float64Array
  /** Per robot shape: how fast any point of it moves at most [m/s]. */
  readonly #speed: Float64Array
  /** Robot shapes, then fixtures; undefined while half-spaces are all there is to touch. */
  readonly #broad: BroadPhase | undefined
  /** Per robot shape: how much its box is widened [m]. */
  readonly #widening: Float64Array
  readonly #gravity: number
  readonly #manifold: Manifold
  /** Of one normal of a surface. */
  readonly #ofNormal: Manifold
  readonly #scratch: ManifoldScratch

  /**
   * @param shapes   on bodies of the model; shapes on the world, body 0, touch robot shapes alone
   * @param physical friction and restitution of pairs of which neither surface states its own
   * @throws GeometryError if a shape's numbers make no sense, a robot shape is a half-space or a height field, a fixture is not on
   *   the world, or two shapes may meet between which nothing is known to find contacts
   * @throws RangeError for what no surface is like, or a limit of points below 1
   */
  constructor(
    model: Model,
    shapes: readonly PlacedShape[],
    fixtures: readonly PlacedShape[],
    physical: MaterialDefaults,
    options: DetectorOptions = {},
  ) {
    const { maxPoints = Infinity } = options
    if (!(maxPoints >= 1)) throw new RangeError(`maxPoints is ${maxPoints}; a pair that touches has at least one point`)
    for (const placed of shapes) checkRobotShape(placed, model, options)
    for (const placed of fixtures) checkFixture(placed)
    const pairs = new CollisionPairs(model, shapes, fixtures, options)
    this.pairs = pairs
    this.pairCount = pairs.count
    this.materials = new PairMaterials(pairs.count, physical, options.materials)
    const all = [...shapes, ...fixtures]
    for (let a = 0; a < shapes.length; a++) {
      for (let b = a + 1; b < all.length; b++) {
        const pair = pairs.numberOf(a, b)
        if (pair < 0) continue
        this.materials.set(pair, all[a], all[b])
        checkPair(all[a], all[b], b >= shapes.length)
      }
    }

    this.#shapes = shapes
    this.#robot = shapes.map(({ shape }) => createCollider(convexOf(shape)))
    this.#fixtures = fixtures.map(({ shape, R, p }) => {
      const collider = createCollider(isBent(shape) ? nothing : shape)
      placeCollider(collider, identity, zero, R, p)
      placeCore(collider)
      return collider
    })
    this.#planes = this.#fixtures.map(planeOf)
    this.#halfSpaces = Int32Array.from(fixtures.flatMap(({ shape }, j) => (shape.type === 'halfspace' ? [j] : [])))
    this.#radius = Float64Array.from(shapes, ({ shape, R, p }) => boundingRadius(shape, R, p))
    this.#speed = new Float64Array(shapes.length)
    this.#widening = new Float64Array(shapes.length)
    this.#gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    const needed = pairs.selfCount > 0 || this.#halfSpaces.length < fixtures.length
    this.#broad = needed ? new BroadPhase(all.length, new BoundedPairs(pairs, fixtures)) : undefined
    if (this.#broad) {
      const { bounds } = this.#broad
      fixtures.forEach(({ shape, R, p }, j) => {
        writeShapeBounds(shape, R, p, zero, 0, bounds, 6 * (shapes.length + j))
      })
    }
    const largest = (colliders: readonly Collider[]) => Math.max(8, ...colliders.map((c) => c.verticesW.length / 3))
    const capacity = manifoldCapacity + 2 * (largest(this.#robot) + largest([...this.#robot, ...this.#fixtures]))
    this.#manifold = createManifold(capacity, maxPoints)
    this.#ofNormal = createManifold(capacity, Math.min(maxPoints, mostOfNormal))
    this.#scratch = createManifoldScratch(capacity)
    const radius = Math.max(0, ...this.#robot.map((collider) => collider.radius))
    this.#surfaces = fixtures.map((placed) =>
      isBent(placed.shape) ? new SurfaceContacts(placed, radius, this.#scratch, this.#manifold) : undefined,
    )
  }

  /** What the broad phase has done so far; undefined while half-spaces are all there is to touch. */
  get broadPhase(): BroadPhaseStatistics | undefined {
    return this.#broad?.statistics
  }

  /**
   * Writes the contacts whose gap is at most a margin, with impulses at zero: those with fixtures in the order of robot shapes, then
   * fixtures, then features; then those of two robot shapes in the order of their pairs, then features. Body A is the world, or the
   * body with the smaller number.
   *
   * The margin is 0 at horizon 0; else it is how far the shapes can come within the horizon, to first order: horizon (the
   * sum of |v| + |omega| radius of both, + g horizon), plus `lookAheadSlack`.
   *
   * Reads data.R_WB and data.p_WB, and at horizons above 0 data.V.
   *
   * The first tangent is the world's x axis (y where the normal is within 45 degrees of x), made orthogonal to the normal;
   * the second is normal x tangent1.
   *
   * @param horizon 1: how far ahead to look [s]
   */
  detect(data: Data, horizon: Float64Array, contacts: ContactSet): void {
    const robot = this.#robot
    const broad = this.#broad
    contacts.count = 0
    for (let i = 0; i < robot.length; i++) {
      const placed = this.#shapes[i]
      placeCollider(robot[i], data.R_WB[placed.body], data.p_WB[placed.body], placed.R, placed.p)
      this.#setSpeed(i, data, horizon)
      if (broad === undefined) {
        this.#setMargin(i, -1, horizon)
        for (let k = 0; k < this.#halfSpaces.length; k++) this.#withHalfSpace(i, this.#halfSpaces[k], contacts)
        continue
      }
      placeCore(robot[i])
      this.#setWidening(i, horizon)
      writeBounds(robot[i], this.#widening, i, broad.bounds, 6 * i)
    }
    if (broad === undefined) return
    broad.update()
    this.#withFixtures(broad, horizon, contacts)
    if (this.pairs.selfCount > 0) this.#withEachOther(broad, horizon, contacts)
  }

  /** Half-spaces and the fixtures that the broad phase found, in the order of the fixtures. */
  #withFixtures({ bounds, pairA, pairB, pairCount }: BroadPhase, horizon: Float64Array, contacts: ContactSet): void {
    const halfSpaces = this.#halfSpaces
    const count = this.#shapes.length
    let next = 0
    for (let i = 0; i < count; i++) {
      this.#setMargin(i, -1, horizon)
      let k = 0
      for (; next < pairCount && pairA[next] === i; next++) {
        const j = pairB[next] - count
        if (j < 0) continue
        for (; k < halfSpaces.length && halfSpaces[k] < j; k++) this.#withHalfSpace(i, halfSpaces[k], contacts)
        const pair = this.pairs.numberOf(i, pairB[next])
        const surface = this.#surfaces[j]
        if (surface !== undefined) {
          surface.find(this.#robot[i], bounds, 6 * i)
          for (let g = 0; g < surface.normalCount; g++) {
            surface.take(g, this.#ofNormal)
            this.#append(this.#ofNormal, pair, 0, this.#shapes[i].body, contacts)
          }
          continue
        }
        convexManifold(this.#fixtures[j], this.#robot[i], this.#scratch, this.#manifold)
        this.#append(this.#manifold, pair, 0, this.#shapes[i].body, contacts)
      }
      for (; k < halfSpaces.length; k++) this.#withHalfSpace(i, halfSpaces[k], contacts)
    }
  }

  #withHalfSpace(i: number, j: number, contacts: ContactSet): void {
    const pair = this.pairs.numberOf(i, this.#shapes.length + j)
    if (pair < 0) return
    halfSpaceManifold(this.#robot[i], this.#planes[j], this.#manifold)
    if (this.#manifold.count > 0) this.#append(this.#manifold, pair, 0, this.#shapes[i].body, contacts)
  }

  #withEachOther({ pairA, pairB, pairCount }: BroadPhase, horizon: Float64Array, contacts: ContactSet): void {
    const shapes = this.#shapes
    for (let k = 0; k < pairCount; k++) {
      const i = pairA[k]
      const j = pairB[k]
      if (j >= shapes.length) continue
      this.#setMargin(i, j, horizon)
      const a = shapes[i].body < shapes[j].body ? i : j
      const b = a === i ? j : i
      convexManifold(this.#robot[a], this.#robot[b], this.#scratch, this.#manifold)
      this.#append(this.#manifold, this.pairs.numberOf(i, j), shapes[a].body, shapes[b].body, contacts)
    }
  }

  #setSpeed(i: number, data: Data, horizon: Float64Array): void {
    this.#speed[i] = 0
    if (!(horizon[0] > 0)) return
    const V = data.V[this.#shapes[i].body]
    const turning = Math.sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) * this.#radius[i]
    this.#speed[i] = Math.sqrt(V[3] * V[3] + V[4] * V[4] + V[5] * V[5]) + turning
  }

  /** So that two boxes overlap whenever the shapes are within the margin of each other. */
  #setWidening(i: number, horizon: Float64Array): void {
    const h = horizon[0]
    const { p, radius } = this.#robot[i]
    this.#widening[i] = rounding * (Math.abs(p[0]) + Math.abs(p[1]) + Math.abs(p[2]) + radius)
    if (h > 0) this.#widening[i] += h * (this.#speed[i] + this.#gravity * h) + lookAheadSlack
  }

  /** @param j the other shape, -1 for a fixture */
  #setMargin(i: number, j: number, horizon: Float64Array): void {
    const { margin } = this.#manifold
    const h = horizon[0]
    margin[0] = 0
    if (!(h > 0)) return
    let speed = this.#speed[i]
    if (j >= 0) speed += this.#speed[j]
    margin[0] = h * (speed + this.#gravity * h) + lookAheadSlack
  }

  #append(manifold: Manifold, pair: number, bodyA: number, bodyB: number, contacts: ContactSet): void {
    reduceManifold(manifold)
    const { count, normal: n } = manifold
    if (count === 0) return
    const first = contacts.count
    if (first + count > contacts.capacity) contacts.reserve(Math.max(2 * contacts.capacity, first + count))
    const { point, normal, tangent1, tangent2, impulse, impact } = contacts
    const { friction, staticFriction, viscousFriction, stribeckVelocity, restitution, stiffness, damping, solvedStatic } = this.materials

    const axis = n[0] * n[0] > 0.5 ? 1 : 0
    const along = n[axis]
    const length = Math.sqrt(1 - along * along)
    const x = ((axis === 0 ? 1 : 0) - along * n[0]) / length
    const y = ((axis === 1 ? 1 : 0) - along * n[1]) / length
    const z = (-along * n[2]) / length

    for (let k = 0; k < count; k++) {
      const c = first + k
      contacts.bodyA[c] = bodyA
      contacts.bodyB[c] = bodyB
      contacts.pair[c] = pair
      contacts.feature[c] = manifold.feature[k]
      contacts.gap[c] = manifold.gap[k]
      contacts.mu[c] = friction[pair]
      contacts.muStatic[c] = staticFriction[pair]
      contacts.viscous[c] = viscousFriction[pair]
      contacts.stribeck[c] = stribeckVelocity[pair]
      contacts.restitution[c] = restitution[pair]
      contacts.stiffness[c] = stiffness[pair]
      contacts.damping[c] = damping[pair]
      contacts.solvedStatic[c] = solvedStatic[pair]
      for (let d = 0; d < 3; d++) {
        point[3 * c + d] = manifold.point[3 * k + d]
        normal[3 * c + d] = n[d]
        impulse[3 * c + d] = 0
        impact[3 * c + d] = 0
      }
      tangent1[3 * c] = x
      tangent1[3 * c + 1] = y
      tangent1[3 * c + 2] = z
      tangent2[3 * c] = n[1] * z - n[2] * y
      tangent2[3 * c + 1] = n[2] * x - n[0] * z
      tangent2[3 * c + 2] = n[0] * y - n[1] * x
    }
    contacts.count = first + count
  }
}

/** Of the pairs that may touch, those that the broad phase is to find: half-spaces are tried without it. */
class BoundedPairs {
  readonly #pairs: CollisionPairs
  readonly #isHalfSpace: Uint8Array

  constructor(pairs: CollisionPairs, fixtures: readonly PlacedShape[]) {
    this.#pairs = pairs
    this.#isHalfSpace = new Uint8Array(pairs.shapeCount + fixtures.length)
    fixtures.forEach(({ shape }, j) => {
      if (shape.type === 'halfspace') this.#isHalfSpace[pairs.shapeCount + j] = 1
    })
  }

  allows(a: number, b: number): boolean {
    return this.#isHalfSpace[b] === 0 && this.#pairs.numberOf(a, b) >= 0
  }
}

/** A mesh touches a half-space where its hull does. */
function convexOf(shape: Shape): Shape {
  if (shape.type !== 'mesh') return shape
  return { type: 'hull', polyhedron: hullOf(shape.mesh.vertices, shape.mesh.vertices.length) }
}

function checkRobotShape({ name, shape, body, ...surface }: PlacedShape, model: Model, options: DetectorOptions): void {
  checkShape(shape, name)
  checkSurface(surface, name)
  if (shape.type === 'halfspace' || shape.type === 'heightfield') {
    const what = shape.type === 'halfspace' ? 'a half-space' : 'a height field'
    throw new GeometryError(`shape "${name}" of the robot is ${what}; only fixtures may be`)
  }
  const least = (options.selfCollision ?? 'none') === 'none' ? 1 : 0
  if (!(body >= least && body < model.nb)) {
    throw new GeometryError(`shape "${name}" of the robot is on body ${body}, expected ${least} to ${model.nb - 1}`)
  }
}

function checkFixture({ name, shape, body, ...surface }: PlacedShape): void {
  checkShape(shape, name)
  checkSurface(surface, name)
  if (body !== 0) throw new GeometryError(`fixture "${name}" is on body ${body}, expected the world, body 0`)
}

/** Stands in for fixtures that are no convex shapes. */
const nothing: Shape = { type: 'sphere', radius: 0 }

const isBent = ({ type }: Shape) => type === 'mesh' || type === 'heightfield'

/** What no contacts can be found between. */
function checkPair(a: PlacedShape, b: PlacedShape, isFixture: boolean): void {
  if (b.shape.type === 'halfspace') return
  if (a.shape.type !== 'mesh' && (isFixture || b.shape.type !== 'mesh')) return
  throw new GeometryError(
    `shapes "${a.name}" (${a.shape.type}) and "${b.name}" (${b.shape.type}) may meet; a mesh that moves touches half-spaces alone. ` +
      'Give it convex parts in its place, or exclude the pair.',
  )
}

/** Normal and offset in the world; outside of half-spaces, zeros. */
function planeOf({ shape, R, p }: Collider): Float64Array {
  const plane = new Float64Array(4)
  if (shape.type !== 'halfspace') return plane
  const [x, y, z] = shape.normal
  const length = Math.hypot(x, y, z)
  for (let i = 0; i < 3; i++) plane[i] = (R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z) / length
  plane[3] = shape.offset / length + plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2]
  return plane
}
