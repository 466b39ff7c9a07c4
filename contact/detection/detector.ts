import { addWork, type Data, type Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import {
  boundingRadius,
  type Collider,
  checkShape,
  convexOf,
  createCollider,
  GeometryError,
  type PlacedShape,
  placeCollider,
  placeCore,
  type Shape,
  writeBounds,
  writeShapeBounds,
} from '../geometry/index.ts'
import type { Adhesion } from './adhesion.ts'
import { BroadPhase } from './broadPhase.ts'
import type { LocalLaw } from './localLaws/localLaw.ts'
import { hasInside } from './manifold/fieldShape.ts'
import { isSurface, ManifoldNarrowphase } from './manifold/manifoldNarrowphase.ts'
import { PairMemory } from './manifold/pairMemory.ts'
import { checkSurface, type MaterialDefaults, type MaterialRules, PairMaterials } from './materials.ts'
import type { CreateNarrowphase, Narrowphase, ShapePair } from './narrowphase.ts'
import { CollisionPairs, type PairOptions } from './pairs.ts'
import { PenetrationNarrowphase } from './penetration/penetrationNarrowphase.ts'
import { PointNarrowphase } from './penetration/pointNarrowphase.ts'
import { VolumeNarrowphase } from './penetration/volumeNarrowphase.ts'
import type { RunningSurfaces } from './runningSurfaces.ts'

/** Least addition to every margin for models that detect contacts before touching, so that resting contacts are never missed [m]. */
export const lookAheadSlack = 1e-4

/** Margin of broad-phase boxes relative to the coordinates, so that rounding never separates touching shapes. */
const placeRounding = 1e-12

/** Cost in multiply-adds: of placing a shape, and of a pair in addition to its narrow phase's own count. */
const PLACE = 80
const PAIR = 1000
const PAIR_WITH_PLANE = 150

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/**
 * Narrow phase of a detector: `ManifoldNarrowphase`, `PointNarrowphase`, `PenetrationNarrowphase`, `VolumeNarrowphase` or
 * `DetectorOptions.features`.
 */
export type Reading = 'manifold' | 'point' | 'penalty' | 'steiner' | 'volume' | 'features'

export interface DetectorOptions extends PairOptions {
  /** Default 'manifold'. */
  readonly reading?: Reading
  /** The narrow phase for the reading 'features'. */
  readonly features?: CreateNarrowphase
  /** Addition to every margin at horizons above 0, if more than `lookAheadSlack` [m]. */
  readonly range?: number
  readonly materials?: MaterialRules
  /** Surfaces that run, and adhesion, of these shapes and fixtures. Default: none. */
  readonly surfaces?: RunningSurfaces
  readonly adhesion?: Adhesion
  /** Laws of single contacts, in this order. */
  readonly laws?: readonly LocalLaw[]
  /** Most points of a manifold with one normal (`reduceManifold`); feature contacts are not reduced. Default: no limit. */
  readonly maxPoints?: number
}

/** Capacity of the pair memory: number of near pairs, and further pairs for each robot shape. */
const leastRemembered = 64
const rememberedPerShape = 16

/**
 * Collision detection: finds the contacts of robot shapes with fixtures and, where pairs allow, with each other. Made once a world;
 * its results depend on the arguments of `detect` alone. @unchecked
 *
 * Half-spaces are tested against every robot shape; pairs of bounded shapes pass through a broad phase first.
 */
export class ContactDetector {
  readonly pairs: CollisionPairs
  readonly materials: PairMaterials
  /** Entries of the memory that `detect` carries from call to call. */
  readonly memorySize: number
  readonly #shapes: readonly PlacedShape[]
  readonly #robot: readonly Collider[]
  readonly #narrow: Narrowphase
  readonly #memory: PairMemory
  /** Numbers of the fixtures that are half-spaces; and 4 a fixture: its plane in world axes, zeros for other shapes. */
  readonly #halfSpaces: Int32Array
  readonly #planes: readonly Float64Array[]
  /**
   * 5 a robot shape: centre of its bounding ball in its body's axes, radius of that ball, and bounding radius about its body's origin [m]; and
   * its body.
   */
  readonly #balls: Float64Array
  readonly #bodyOf: Int32Array
  /** Per robot shape: bound of the speed of its points [m/s]. */
  readonly #speed: Float64Array
  /** Robot shapes, then fixtures; undefined if only pairs with half-spaces may touch. */
  readonly #broad: BroadPhase | undefined
  /** Per robot shape: margin added to its bounding box [m]. */
  readonly #widening: Float64Array
  readonly #gravity: number
  readonly #options: DetectorOptions
  /** 1: added to every margin at horizons above 0 [m]. */
  readonly #range: Float64Array
  readonly #pair: ShapePair = { number: 0, a: 0, b: 0, bodyA: 0, bodyB: 0, margin: new Float64Array(1) }

  /**
   * @param shapes   on bodies of the model; shapes on the world, body 0, touch robot shapes alone
   * @param physical friction and restitution of pairs if neither surface states its own
   * @throws GeometryError if a shape has invalid numbers, a robot shape is a half-space or a height field, a fixture is not on the world,
   * no narrow phase supports a pair of shapes that may touch, or the penalty reading needs the inside of a mesh that does not bound a solid
   * @throws RangeError for invalid surface values, a limit of points below 1, or the reading 'features' without its narrow phase
   */
  constructor(
    model: Model,
    shapes: readonly PlacedShape[],
    fixtures: readonly PlacedShape[],
    physical: MaterialDefaults,
    options: DetectorOptions = {},
  ) {
    const { maxPoints = Infinity, reading = 'manifold' } = options
    const createNarrowphase = reading === 'features' ? options.features : narrowphases[reading]
    if (createNarrowphase === undefined) throw new RangeError("the reading 'features' needs a narrow phase, the option features")
    if (!(maxPoints >= 1)) throw new RangeError(`maxPoints is ${maxPoints}; a pair that touches has at least one point`)
    const alsoOnWorld = (options.selfCollision ?? 'none') !== 'none' || options.robotOf !== undefined
    for (const one of shapes) checkRobotShape(one, model, alsoOnWorld)
    for (const one of fixtures) checkFixture(one)
    const placed = [...shapes, ...fixtures]
    const colliders = placed.map((one, i) => createCollider(i < shapes.length ? convexOf(one.shape) : ofFixture(one)))
    const pairs = new CollisionPairs(model, shapes, fixtures, options)
    this.pairs = pairs
    this.materials = new PairMaterials(pairs.count, physical, options.materials)
    this.#shapes = shapes
    this.#robot = colliders.slice(0, shapes.length)
    fixtures.forEach(({ R, p }, j) => {
      placeCollider(colliders[shapes.length + j], identity, zero, R, p)
      placeCore(colliders[shapes.length + j])
    })
    this.#planes = colliders.slice(shapes.length).map(planeOf)
    this.#halfSpaces = Int32Array.from(fixtures.flatMap(({ shape }, j) => (shape.type === 'halfspace' ? [j] : [])))
    this.#balls = Float64Array.from(shapes.flatMap((one, i) => ballOf(this.#robot[i], one)))
    this.#bodyOf = Int32Array.from(shapes, ({ body }) => body)
    this.#speed = new Float64Array(shapes.length)
    this.#widening = new Float64Array(shapes.length)
    this.#range = Float64Array.of(Math.max(lookAheadSlack, options.range ?? 0, options.adhesion?.range ?? 0))
    this.#options = options
    this.#gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])

    const bounded = setMaterials(pairs, placed, this.materials)
    const near = new Uint8Array(placed.length)
    for (const i of bounded) near[i] = 1
    this.#broad = bounded.length > 0 ? new BroadPhase(placed.length, new BoundedPairs(pairs, fixtures)) : undefined
    this.#narrow = createNarrowphase({
      placed,
      colliders,
      robotShapes: shapes.length,
      meetsBounded: (i) => near[i] === 1,
      bounds: this.#broad?.bounds ?? new Float64Array(0),
      materials: this.materials,
      maxPoints,
    })
    const { memorySize } = this.#narrow
    let remembered = 0
    for (let k = 0; k < bounded.length; k += 2) {
      checkPair(placed[bounded[k]], placed[bounded[k + 1]], bounded[k + 1] >= shapes.length)
      if (this.#narrow.remembers(bounded[k], bounded[k + 1])) remembered++
    }
    this.#memory = new PairMemory(memorySize, Math.min(remembered, leastRemembered + rememberedPerShape * shapes.length))
    this.memorySize = this.#memory.size
    for (let i = shapes.length; i < placed.length && this.#broad !== undefined; i++) {
      const { shape, R, p } = placed[i]
      writeShapeBounds(shape, R, p, new Float64Array(1), 0, this.#broad.bounds, 6 * i)
    }
  }

  /** `ContactSet.pair` is below this; `CollisionPairs` defines the numbering. */
  get pairCount(): number {
    return this.pairs.count
  }

  /** A set of contacts for `detect`. */
  createContacts(): ContactSet {
    return this.#narrow.createContacts()
  }

  /**
   * Writes the contacts whose gap is at most a margin, with impulses at zero: those with fixtures in the order of robot shapes, then
   * fixtures, then features; then those of two robot shapes in the order of their pairs, then features. Body A is the world, or the body
   * with the smaller number.
   *
   * The margin is 0 at horizon 0, and for the point, penalty and volume readings; else it bounds the approach within the horizon, to first order:
   * horizon (the sum of |v| + |omega| radius of both, + g horizon), plus the greater of `lookAheadSlack` and `DetectorOptions.range`.
   *
   * Reads data.R_WB and data.p_WB, and at horizons above 0 data.V.
   *
   * The first tangent is the world's x axis (y where the normal is within 45 degrees of x), made orthogonal to the normal; the second is
   * normal x tangent1. Where friction has directions they are those of `FrictionAxes`.
   *
   * The memory holds, for pairs that were near in the last call, their last normals, which break ties, and the warm starts of searches. It
   * is part of a world's state: same poses and memory, same contacts and memory, to the last bit. Integrators with stages may pass the same
   * memory at each stage.
   *
   * @param horizon 1: time ahead for which contacts are detected [s]
   * @param memory  in and out: `memorySize` entries, zeros for a cold start
   * @throws RangeError if the memory has not `memorySize` entries
   */
  detect(data: Data, horizon: Float64Array, contacts: ContactSet, memory: Float64Array): void {
    if (memory.length !== this.memorySize)
      throw new RangeError(`memory has ${memory.length} entries, expected memorySize, ${this.memorySize}`)
    const broad = this.#broad
    const ahead = this.#narrow.looksAhead ? horizon : zero
    contacts.count = 0
    this.#narrow.begin(data, ahead, contacts)
    if (broad === undefined) {
      this.#onHalfSpaces(data, ahead, contacts)
      this.#finish(data, contacts)
      return
    }
    const robot = this.#robot
    addWork(robot.length, PLACE, 1)
    for (let i = 0; i < robot.length; i++) {
      const placed = this.#shapes[i]
      placeCollider(robot[i], data.R_WB[placed.body], data.p_WB[placed.body], placed.R, placed.p)
      placeCore(robot[i])
      this.#setSpeed(i, data, ahead)
      this.#setWidening(i, ahead)
      writeBounds(robot[i], this.#widening, i, broad.bounds, 6 * i)
    }
    broad.update()
    this.#memory.begin(memory)
    this.#withFixtures(broad, ahead, contacts)
    if (this.pairs.selfCount > 0) this.#withEachOther(broad, ahead, contacts)
    this.#memory.end()
    this.#finish(data, contacts)
  }

  /** Writes what depends on the poses of surfaces. */
  #finish(data: Data, contacts: ContactSet): void {
    this.materials.axes.turn(data, contacts)
    this.#options.surfaces?.write(data, contacts)
    this.#options.adhesion?.write(contacts)
    const { laws } = this.#options
    if (laws !== undefined) for (let i = 0; i < laws.length; i++) laws[i].write(data, contacts)
  }

  /** Finds the contacts with half-spaces. Shapes are placed only if their bounding balls come within the margin. */
  #onHalfSpaces(data: Data, horizon: Float64Array, contacts: ContactSet): void {
    const robot = this.#robot
    const halfSpaces = this.#halfSpaces
    const balls = this.#balls
    const bodyOf = this.#bodyOf
    const h = horizon[0]
    const most = h * this.#gravity * h + this.#range[0]
    const { R_WB, p_WB, V } = data.flat
    addWork(robot.length, PLACE, 1)
    this.#pair.margin[0] = 0
    for (let i = 0; i < robot.length; i++) {
      const body = bodyOf[i]
      const R = 9 * body
      const p = 3 * body
      const s = 5 * i
      const x = balls[s]
      const y = balls[s + 1]
      const z = balls[s + 2]
      const wx = p_WB[p] + R_WB[R] * x + R_WB[R + 1] * y + R_WB[R + 2] * z
      const wy = p_WB[p + 1] + R_WB[R + 3] * x + R_WB[R + 4] * y + R_WB[R + 5] * z
      const wz = p_WB[p + 2] + R_WB[R + 6] * x + R_WB[R + 7] * y + R_WB[R + 8] * z
      let reach = balls[s + 3]
      if (h > 0) {
        const v = 6 * body
        // no less than the speed of `#setSpeed`, without its roots
        const turning = Math.abs(V[v]) + Math.abs(V[v + 1]) + Math.abs(V[v + 2])
        const speed = Math.abs(V[v + 3]) + Math.abs(V[v + 4]) + Math.abs(V[v + 5]) + turning * balls[s + 4]
        reach += (h * speed + most) * (1 + placeRounding)
      }
      reach += placeRounding * (Math.abs(wx) + Math.abs(wy) + Math.abs(wz) + reach)
      let isKnown = false
      for (let k = 0; k < halfSpaces.length; k++) {
        const n = this.#planes[halfSpaces[k]]
        if (n[0] * wx + n[1] * wy + n[2] * wz - n[3] > reach) continue
        if (!isKnown) this.#placeNear(i, data, horizon)
        isKnown = true
        this.#withHalfSpace(i, halfSpaces[k], contacts)
      }
    }
  }

  /** Sets the margin of shape i with fixtures, and places it. */
  #placeNear(i: number, data: Data, horizon: Float64Array): void {
    const { body, R, p } = this.#shapes[i]
    if (horizon[0] > 0) {
      this.#setSpeed(i, data, horizon)
      this.#setMargin(i, -1, horizon)
    }
    placeCollider(this.#robot[i], data.R_WB[body], data.p_WB[body], R, p)
  }

  /** Finds contacts with half-spaces and with fixtures of the broad phase's pairs, in the order of the fixtures. */
  #withFixtures({ pairA, pairB, pairCount }: BroadPhase, horizon: Float64Array, contacts: ContactSet): void {
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
        this.#setPair(count + j, i, 0, this.#shapes[i].body)
        this.#pair.number = this.pairs.numberOf(i, count + j)
        addWork(PAIR, 1, 1)
        this.#narrow.read(this.#pair, this.#memory, contacts)
      }
      for (; k < halfSpaces.length; k++) this.#withHalfSpace(i, halfSpaces[k], contacts)
    }
  }

  #withHalfSpace(i: number, j: number, contacts: ContactSet): void {
    const b = this.#shapes.length + j
    const number = this.pairs.numberOf(i, b)
    if (number < 0) return
    this.#setPair(b, i, 0, this.#shapes[i].body)
    this.#pair.number = number
    addWork(PAIR_WITH_PLANE, 1, 1)
    this.#narrow.readHalfSpace(this.#pair, this.#planes[j], contacts)
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
      this.#setPair(a, b, shapes[a].body, shapes[b].body)
      this.#pair.number = this.pairs.numberOf(i, j)
      addWork(PAIR, 1, 1)
      this.#narrow.read(this.#pair, this.#memory, contacts)
    }
  }

  #setPair(a: number, b: number, bodyA: number, bodyB: number): void {
    const pair = this.#pair
    pair.a = a
    pair.b = b
    pair.bodyA = bodyA
    pair.bodyB = bodyB
  }

  #setSpeed(i: number, data: Data, horizon: Float64Array): void {
    this.#speed[i] = 0
    if (!(horizon[0] > 0)) return
    const V = data.V[this.#shapes[i].body]
    const turning = Math.sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) * this.#balls[5 * i + 4]
    this.#speed[i] = Math.sqrt(V[3] * V[3] + V[4] * V[4] + V[5] * V[5]) + turning
  }

  /** Widens the box of a shape, so that two boxes overlap whenever the shapes are within the margin of each other. */
  #setWidening(i: number, horizon: Float64Array): void {
    const h = horizon[0]
    const { p, radius } = this.#robot[i]
    this.#widening[i] = placeRounding * (Math.abs(p[0]) + Math.abs(p[1]) + Math.abs(p[2]) + radius)
    if (h > 0) this.#widening[i] += h * (this.#speed[i] + this.#gravity * h) + this.#range[0]
  }

  /** @param j the other shape, -1 for a fixture */
  #setMargin(i: number, j: number, horizon: Float64Array): void {
    const { margin } = this.#pair
    const h = horizon[0]
    margin[0] = 0
    if (!(h > 0)) return
    let speed = this.#speed[i]
    if (j >= 0) speed += this.#speed[j]
    margin[0] = h * (speed + this.#gravity * h) + this.#range[0]
  }
}

const narrowphases: Record<Exclude<Reading, 'features'>, CreateNarrowphase> = {
  manifold: (scene) => new ManifoldNarrowphase(scene),
  point: (scene) => new PointNarrowphase(scene),
  penalty: (scene) => new PenetrationNarrowphase(scene),
  steiner: (scene) => new PenetrationNarrowphase(scene, true),
  volume: (scene) => new VolumeNarrowphase(scene),
}

/**
 * Sets the material of every pair of shapes. @unchecked
 *
 * @param placed those of robots, then fixtures @returns the pairs without a half-space, as shapes a < b one after the other
 */
export function setMaterials(pairs: CollisionPairs, placed: readonly PlacedShape[], materials: PairMaterials): number[] {
  const bounded: number[] = []
  for (let a = 0; a < pairs.shapeCount; a++) {
    for (let b = a + 1; b < placed.length; b++) {
      const pair = pairs.numberOf(a, b)
      if (pair < 0) continue
      materials.set(pair, placed[a], placed[b])
      if (placed[b].shape.type !== 'halfspace') bounded.push(a, b)
    }
  }
  return bounded
}

/** Filter of the broad phase: pairs that may touch, without those with half-spaces, which are tested directly. */
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

/** The numbers of a shape in `#balls`. */
function ballOf({ center: c, radius }: Collider, { shape, R, p }: PlacedShape): number[] {
  const middle = [0, 1, 2].map((k) => p[k] + R[3 * k] * c[0] + R[3 * k + 1] * c[1] + R[3 * k + 2] * c[2])
  return [...middle, radius, boundingRadius(shape, R, p)]
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

/** Shape of a fixture; a mesh or height field has no collider of its own. */
function ofFixture(fixture: PlacedShape): Shape {
  return isSurface(fixture) ? { type: 'sphere', radius: 0 } : fixture.shape
}

/** Refuses pairs of a moving mesh and a shape without an inside, such as a flat hull. */
function checkPair(a: PlacedShape, b: PlacedShape, isFixture: boolean): void {
  if (a.shape.type !== 'mesh' && (isFixture || b.shape.type !== 'mesh')) return
  if (hasInside(a) && hasInside(b)) return
  throw new GeometryError(
    `shapes "${a.name}" (${a.shape.type}) and "${b.name}" (${b.shape.type}) may meet; a mesh that moves touches half-spaces ` +
      'and what has an inside. Give the flat hull a thickness, or exclude the pair.',
  )
}

/** Normal and offset of a half-space in the world; zeros for other shapes. */
function planeOf({ shape, R, p }: Collider): Float64Array {
  const plane = new Float64Array(4)
  if (shape.type !== 'halfspace') return plane
  const [x, y, z] = shape.normal
  const length = Math.hypot(x, y, z)
  for (let i = 0; i < 3; i++) plane[i] = (R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z) / length
  plane[3] = shape.offset / length + plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2]
  return plane
}
