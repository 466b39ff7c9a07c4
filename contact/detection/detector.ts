import type { Data, Model } from '../../dynamics/index.ts'
import { ContactSet } from '../contactSet.ts'
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
import {
  convexManifold,
  convexManifoldWarm,
  createManifoldScratch,
  type ManifoldScratch,
  manifoldMemorySize,
} from './convexManifold.ts'
import { halfSpaceBottom } from './halfSpaceBottom.ts'
import { halfSpaceManifold } from './halfSpaceManifold.ts'
import { createManifold, type Manifold, reduceManifold } from './manifold.ts'
import { checkSurface, type MaterialDefaults, type MaterialRules, PairMaterials } from './materials.ts'
import { addContacts, writePair, writeTangents } from './pairContacts.ts'
import { PairMemory } from './pairMemory.ts'
import type { PairReader, PairReading } from './pairReader.ts'
import { CollisionPairs, type PairOptions } from './pairs.ts'
import { hasInside, PenaltyPairs } from './penaltyPairs.ts'
import { penaltyMemorySize } from './penaltyReading.ts'
import { mostOfNormal, SurfaceContacts } from './surfaceContacts.ts'

/** Added to the margin of every shape when a contact model looks ahead, so that rest on the surface is never missed [m]. */
export const lookAheadSlack = 1e-4

/** More points than a pair makes beyond the vertices of both shapes and the crossings of their edges. */
const manifoldCapacity = 32
/** Relative to the coordinates: what boxes in the broad phase are widened by, so that rounding never parts shapes that touch. */
const rounding = 1e-12

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/** What is read of two shapes, see `ContactDetector`. */
export type Reading = 'manifold' | 'penalty' | 'features'

export interface DetectorOptions extends PairOptions {
  /** Default 'manifold'. */
  readonly reading?: Reading
  /** What reads pairs, with the reading 'features'. */
  readonly features?: PairReading
  readonly materials?: MaterialRules
  /** At most this many points of one normal of a manifold, `reduceManifold`; feature contacts are all kept. Default: all. */
  readonly maxPoints?: number
}

/** Memory has room for so many pairs that are near at the same time, and so many more for each shape that moves. */
const leastRemembered = 64
const rememberedPerShape = 16

/**
 * Finds where the shapes of robots touch the fixed surroundings and, if they may, each other. Made once a world; answers depend on
 * the arguments of `detect` alone.
 *
 * Three readings:
 *
 * - 'manifold': points that stand for the whole contact, apart or not, with the normal of the shortest way out. Robot shapes may be
 *   spheres, capsules, boxes, cylinders and hulls; against half-spaces alone also meshes, which touch them as their hulls do.
 *   Fixtures may be half-spaces, the same convex shapes, closed meshes and height fields; on the latter two, pairs have points of
 *   several normals (`SurfaceContacts`).
 * - 'penalty': the points on the bottom of the volume of intersection, with the one normal and the depths that Drumwright's penalty
 *   method sees (`penaltyReading`; against half-spaces in closed form, `halfSpaceBottom`). Only what penetrates is there, however
 *   far ahead is looked. Robot shapes may be meshes against anything. Hulls without volume have the manifold here too.
 * - 'features': what the contact model's own `PairReading` finds of the pairs that it knows; others keep their manifolds. The shapes may
 *   be what they are for the manifold.
 *
 * Half-spaces are tried with every shape; pairs of bounded shapes pass through a broad phase first.
 */
export class ContactDetector {
  /** `ContactSet.pair` is below this; how pairs are numbered stands at `CollisionPairs`. */
  readonly pairCount: number
  readonly pairs: CollisionPairs
  readonly materials: PairMaterials
  readonly reading: Reading
  /** Numbers that `detect` remembers from call to call. */
  readonly memorySize: number
  readonly #shapes: readonly PlacedShape[]
  readonly #robot: readonly Collider[]
  readonly #fixtures: readonly Collider[]
  /** Per fixture: its triangles, of meshes and height fields, whose collider means nothing. */
  readonly #surfaces: readonly (SurfaceContacts | undefined)[]
  /** With the penalty reading. */
  readonly #penalty: PenaltyPairs | undefined
  /** With the reading of features. */
  readonly #features: PairReader | undefined
  readonly #reading: PairReading | undefined
  readonly #memory: PairMemory
  /** Which of the fixtures are half-spaces; and per fixture, 4: its plane in the world, zeros for other shapes. */
  readonly #halfSpaces: Int32Array
  readonly #planes: readonly Float64Array[]
  /** Per robot shape: 3, the middle of its ball in its body's axes [m], and the radius about its body's origin [m]. */
  readonly #middle: Float64Array
  readonly #radius: Float64Array
  /** Per robot shape: how fast any point of it moves at most [m/s]. */
  readonly #speed: Float64Array
  /** Robot shapes, then fixtures; undefined while half-spaces are all there is to touch. */
  readonly #broad: BroadPhase | undefined
  /** Per shape, fixtures last: by how much what is read of it stands out of it [m]. */
  readonly #surplus: Float64Array
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
   *   the world, two shapes may meet between which nothing is known to find contacts, or a mesh that the penalty reading needs an
   *   inside of does not bound a solid
   * @throws RangeError for what no surface is like, or a limit of points below 1
   */
  constructor(
    model: Model,
    shapes: readonly PlacedShape[],
    fixtures: readonly PlacedShape[],
    physical: MaterialDefaults,
    options: DetectorOptions = {},
  ) {
    const { maxPoints = Infinity, reading = 'manifold' } = options
    const own = reading === 'features' ? options.features : undefined
    if (reading === 'features' && own === undefined) throw new RangeError("the reading 'features' needs what reads them")
    this.#reading = own
    if (!(maxPoints >= 1)) throw new RangeError(`maxPoints is ${maxPoints}; a pair that touches has at least one point`)
    const alsoOnWorld = (options.selfCollision ?? 'none') !== 'none' || options.robotOf !== undefined
    for (const placed of shapes) checkRobotShape(placed, model, alsoOnWorld)
    for (const placed of fixtures) checkFixture(placed)
    const pairs = new CollisionPairs(model, shapes, fixtures, options)
    this.pairs = pairs
    this.pairCount = pairs.count
    this.reading = reading
    this.materials = new PairMaterials(pairs.count, physical, options.materials)
    const all = [...shapes, ...fixtures]
    const bounded = new Uint8Array(all.length)
    let boundedCount = 0
    let manifoldCount = 0
    for (let a = 0; a < shapes.length; a++) {
      for (let b = a + 1; b < all.length; b++) {
        const pair = pairs.numberOf(a, b)
        if (pair < 0) continue
        this.materials.set(pair, all[a], all[b])
        if (all[b].shape.type === 'halfspace') continue
        checkPair(all[a], all[b], b >= shapes.length, reading)
        bounded[a] = 1
        bounded[b] = 1
        boundedCount++
        if (own === undefined || !own.has(all[a], all[b])) manifoldCount++
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
    this.#middle = Float64Array.from(shapes.flatMap(({ R, p }, i) => middleOf(this.#robot[i], R, p)))
    this.#speed = new Float64Array(shapes.length)
    this.#widening = new Float64Array(shapes.length)
    this.#gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    this.#broad = boundedCount > 0 ? new BroadPhase(all.length, new BoundedPairs(pairs, fixtures)) : undefined
    const largest = (colliders: readonly Collider[]) => Math.max(8, ...colliders.map((c) => c.verticesW.length / 3))
    this.#features = own?.create({
      model,
      pairs,
      shapes,
      fixtures,
      robot: this.#robot,
      onWorld: this.#fixtures,
      materials: this.materials,
      wanted: (i) => bounded[i] === 1,
    })
    this.#surplus = this.#features?.surplus ?? new Float64Array(all.length)
    for (let i = 0; i < shapes.length; i++) this.#radius[i] += this.#surplus[i]
    if (this.#broad) {
      const { bounds } = this.#broad
      fixtures.forEach(({ shape, R, p }, j) => {
        const at = 6 * (shapes.length + j)
        writeShapeBounds(shape, R, p, this.#surplus, shapes.length + j, bounds, at)
      })
    }
    const polyhedra = this.#features?.mostVertices ?? 0
    const capacity = manifoldCapacity + polyhedra + 2 * (largest(this.#robot) + largest([...this.#robot, ...this.#fixtures]))
    this.#manifold = createManifold(capacity, maxPoints)
    this.#ofNormal = createManifold(capacity, Math.min(maxPoints, mostOfNormal))
    this.#scratch = createManifoldScratch(capacity)
    const radius = Math.max(0, ...this.#robot.map((collider) => collider.radius))
    const manifoldAlone = reading !== 'penalty' || !shapes.every(hasInside)
    this.#surfaces = fixtures.map((placed) =>
      isBent(placed.shape) && manifoldAlone ? new SurfaceContacts(placed, radius, this.#scratch, this.#manifold) : undefined,
    )
    this.#penalty =
      reading === 'penalty'
        ? new PenaltyPairs(shapes, fixtures, [...this.#robot, ...this.#fixtures], (i) => bounded[i] === 1, maxPoints)
        : undefined
    const followed = own !== undefined ? manifoldCount : boundedCount
    const remembered = Math.min(followed, leastRemembered + rememberedPerShape * shapes.length)
    this.#memory = new PairMemory(reading === 'penalty' ? penaltyMemorySize : manifoldMemorySize, remembered)
    this.memorySize = this.#memory.size
  }

  /** A set that `detect` can write to. */
  createContacts(): ContactSet {
    return this.#reading?.createContacts() ?? new ContactSet()
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
   * The margin is 0 at horizon 0, and for the penalty reading; else it is how far the shapes can come within the horizon, to first
   * order: horizon (the sum of |v| + |omega| radius of both, + g horizon), plus `lookAheadSlack`.
   *
   * Reads data.R_WB and data.p_WB, and at horizons above 0 data.V.
   *
   * The first tangent is the world's x axis (y where the normal is within 45 degrees of x), made orthogonal to the normal;
   * the second is normal x tangent1.
   *
   * The memory holds what is known from the last call of the pairs that were near: last normals, so that of two that tie the same
   * is taken again, and where searches ended. It is part of a world's state: same poses and memory, same contacts and
   * memory, to the last bit. Integrators with stages may call with the same memory at each of them. All zeros are a fresh start.
   *
   * @param horizon 1: how far ahead to look [s]
   * @param memory  in and out: `memorySize` entries, zeros at first
   * @throws RangeError if the memory has not `memorySize` entries
   */
  detect(data: Data, horizon: Float64Array, contacts: ContactSet, memory: Float64Array): void {
    if (memory.length !== this.memorySize)
      throw new RangeError(`memory has ${memory.length} entries, expected memorySize, ${this.memorySize}`)
    const broad = this.#broad
    const ahead = this.reading === 'penalty' ? zero : horizon
    contacts.count = 0
    if (this.#features !== undefined) this.#features.begin(contacts)
    if (broad === undefined) {
      this.#onHalfSpaces(data, ahead, contacts)
      return
    }
    const robot = this.#robot
    for (let i = 0; i < robot.length; i++) {
      const placed = this.#shapes[i]
      placeCollider(robot[i], data.R_WB[placed.body], data.p_WB[placed.body], placed.R, placed.p)
      placeCore(robot[i])
      this.#setSpeed(i, data, ahead)
      this.#setWidening(i, ahead)
      writeBounds(robot[i], this.#widening, i, broad.bounds, 6 * i)
    }
    if (this.#penalty !== undefined) this.#penalty.place(data)
    broad.update()
    this.#memory.begin(memory)
    this.#withFixtures(broad, data, ahead, contacts, memory)
    if (this.pairs.selfCount > 0) this.#withEachOther(broad, data, ahead, contacts, memory)
    this.#memory.end(memory)
  }

  /** Shapes are put in their place only if their balls reach down to the margin. */
  #onHalfSpaces(data: Data, horizon: Float64Array, contacts: ContactSet): void {
    const robot = this.#robot
    const halfSpaces = this.#halfSpaces
    const middle = this.#middle
    const { margin } = this.#manifold
    margin[0] = 0
    for (let i = 0; i < robot.length; i++) {
      const { body, R, p } = this.#shapes[i]
      const R_WB = data.R_WB[body]
      const p_WB = data.p_WB[body]
      if (horizon[0] > 0) {
        this.#setSpeed(i, data, horizon)
        this.#setMargin(i, -1, horizon)
      }
      const reach = margin[0] + robot[i].radius + this.#surplus[i]
      const x = middle[3 * i]
      const y = middle[3 * i + 1]
      const z = middle[3 * i + 2]
      const wx = p_WB[0] + R_WB[0] * x + R_WB[1] * y + R_WB[2] * z
      const wy = p_WB[1] + R_WB[3] * x + R_WB[4] * y + R_WB[5] * z
      const wz = p_WB[2] + R_WB[6] * x + R_WB[7] * y + R_WB[8] * z
      const slack = rounding * (Math.abs(wx) + Math.abs(wy) + Math.abs(wz) + reach)
      let placed = 0
      for (let k = 0; k < halfSpaces.length; k++) {
        const n = this.#planes[halfSpaces[k]]
        if (n[0] * wx + n[1] * wy + n[2] * wz - n[3] > reach + slack) continue
        if (placed === 0) placeCollider(robot[i], R_WB, p_WB, R, p)
        placed = 1
        this.#withHalfSpace(i, halfSpaces[k], contacts)
      }
    }
  }

  /** Half-spaces and the fixtures that the broad phase found, in the order of the fixtures. */
  #withFixtures(
    { bounds, pairA, pairB, pairCount }: BroadPhase,
    data: Data,
    horizon: Float64Array,
    contacts: ContactSet,
    memory: Float64Array,
  ): void {
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
        this.#withFixture(i, j, bounds, data, horizon, contacts, memory)
      }
      for (; k < halfSpaces.length; k++) this.#withHalfSpace(i, halfSpaces[k], contacts)
    }
  }

  #withHalfSpace(i: number, j: number, contacts: ContactSet): void {
    const pair = this.pairs.numberOf(i, this.#shapes.length + j)
    if (pair < 0) return
    if (this.#penalty !== undefined) halfSpaceBottom(this.#robot[i], this.#planes[j], this.#manifold)
    else if (this.#features !== undefined) this.#features.readHalfSpace(i, this.#robot[i], this.#planes[j], this.#manifold)
    else halfSpaceManifold(this.#robot[i], this.#planes[j], this.#manifold)
    if (this.#manifold.count > 0) this.#append(this.#manifold, pair, 0, this.#shapes[i].body, contacts)
  }

  #withFixture(
    i: number,
    j: number,
    bounds: Float64Array,
    data: Data,
    horizon: Float64Array,
    contacts: ContactSet,
    memory: Float64Array,
  ): void {
    const b = this.#shapes.length + j
    const pair = this.pairs.numberOf(i, b)
    const { body } = this.#shapes[i]
    const surface = this.#surfaces[j]
    if (this.#penalty?.has(b, i)) {
      const at = this.#memory.open(pair, memory)
      this.#append(this.#penalty.read(b, i, memory, at), pair, 0, body, contacts)
      this.#memory.close(memory)
    } else if (this.#features?.has(b, i)) {
      this.#features.read(b, i, pair, data, this.#manifold.margin, horizon, contacts)
    } else if (surface !== undefined) {
      surface.find(this.#robot[i], bounds, 6 * i)
      for (let g = 0; g < surface.normalCount; g++) {
        surface.take(g, this.#ofNormal)
        this.#append(this.#ofNormal, pair, 0, body, contacts)
      }
    } else this.#withConvex(this.#fixtures[j], this.#robot[i], pair, 0, body, contacts, memory)
  }

  #withConvex(
    a: Collider,
    b: Collider,
    pair: number,
    bodyA: number,
    bodyB: number,
    contacts: ContactSet,
    memory: Float64Array,
  ): void {
    if (this.#penalty !== undefined) convexManifold(a, b, this.#scratch, this.#manifold)
    else {
      const at = this.#memory.open(pair, memory)
      convexManifoldWarm(a, b, memory, at, this.#scratch, this.#manifold)
      this.#memory.close(memory)
    }
    this.#append(this.#manifold, pair, bodyA, bodyB, contacts)
  }

  #withEachOther(
    { pairA, pairB, pairCount }: BroadPhase,
    data: Data,
    horizon: Float64Array,
    contacts: ContactSet,
    memory: Float64Array,
  ): void {
    const shapes = this.#shapes
    for (let k = 0; k < pairCount; k++) {
      const i = pairA[k]
      const j = pairB[k]
      if (j >= shapes.length) continue
      this.#setMargin(i, j, horizon)
      const a = shapes[i].body < shapes[j].body ? i : j
      const b = a === i ? j : i
      const pair = this.pairs.numberOf(i, j)
      const bodyA = shapes[a].body
      const bodyB = shapes[b].body
      if (this.#penalty?.has(a, b)) {
        const at = this.#memory.open(pair, memory)
        this.#append(this.#penalty.read(a, b, memory, at), pair, bodyA, bodyB, contacts)
        this.#memory.close(memory)
      } else if (this.#features?.has(a, b)) {
        this.#features.read(a, b, pair, data, this.#manifold.margin, horizon, contacts)
      } else this.#withConvex(this.#robot[a], this.#robot[b], pair, bodyA, bodyB, contacts, memory)
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
    this.#widening[i] = rounding * (Math.abs(p[0]) + Math.abs(p[1]) + Math.abs(p[2]) + radius) + this.#surplus[i]
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
    if (manifold.count > manifold.limit) reduceManifold(manifold)
    const { count } = manifold
    if (count === 0) return
    const first = addContacts(contacts, count)
    const { point, normal } = contacts
    const from = manifold.point
    const nx = manifold.normal[0]
    const ny = manifold.normal[1]
    const nz = manifold.normal[2]
    for (let k = 0; k < count; k++) {
      const c = first + k
      const i = 3 * c
      contacts.feature[c] = manifold.feature[k]
      contacts.gap[c] = manifold.gap[k]
      point[i] = from[3 * k]
      point[i + 1] = from[3 * k + 1]
      point[i + 2] = from[3 * k + 2]
      normal[i] = nx
      normal[i + 1] = ny
      normal[i + 2] = nz
    }
    writePair(contacts, first, pair, bodyA, bodyB, this.materials)
    writeTangents(contacts, first)
    if (this.#features !== undefined) this.#features.added(contacts, first)
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

/** The middle of a shape's ball, in its body's axes. */
function middleOf({ center: c }: Collider, R: Float64Array, p: Float64Array): number[] {
  return [0, 1, 2].map((k) => p[k] + R[3 * k] * c[0] + R[3 * k + 1] * c[1] + R[3 * k + 2] * c[2])
}

function checkRobotShape({ name, shape, body, ...surface }: PlacedShape, model: Model, alsoOnWorld: boolean): void {
  checkShape(shape, name)
  checkSurface(surface, name)
  if (shape.type === 'halfspace' || shape.type === 'heightfield') {
    const what = shape.type === 'halfspace' ? 'a half-space' : 'a height field'
    throw new GeometryError(`shape "${name}" of the robot is ${what}; only fixtures may be`)
  }
  const least = alsoOnWorld ? 0 : 1
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
function checkPair(a: PlacedShape, b: PlacedShape, isFixture: boolean, reading: Reading): void {
  if (reading === 'penalty' && hasInside(a) && hasInside(b)) return
  if (a.shape.type !== 'mesh' && (isFixture || b.shape.type !== 'mesh')) return
  throw new GeometryError(
    `shapes "${a.name}" (${a.shape.type}) and "${b.name}" (${b.shape.type}) may meet; a mesh that moves touches half-spaces alone` +
      `${reading === 'penalty' ? ' and what has an inside' : ''}. Give it convex parts in its place, or exclude the pair.`,
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
