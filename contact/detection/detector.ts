import type { Data, Model } from '../../dynamics/index.ts'
import type { PhysicalInputs } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import {
  boundingRadius,
  type Collider,
  checkShape,
  createCollider,
  GeometryError,
  type PlacedShape,
  placeCollider,
  placeCore,
} from '../geometry/index.ts'
import { convexManifold, createManifoldScratch, type ManifoldScratch } from './convexManifold.ts'
import { halfSpaceManifold } from './halfSpaceManifold.ts'
import { createManifold, type Manifold } from './manifold.ts'
import { pairFriction, pairRestitution } from './materials.ts'

/** Added to the margin of every shape when a contact model looks ahead, so that rest on the surface is never missed [m]. */
export const lookAheadSlack = 1e-4

/** More points than a pair makes beyond the vertices of both shapes and the crossings of their edges. */
const manifoldCapacity = 32

const identity = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const zero = new Float64Array(3)

/**
 * Finds where the shapes of a robot touch the fixed surroundings. Made once a world; answers depend on the arguments of
 * `detect` alone.
 *
 * Robot shapes may be spheres, capsules, boxes, cylinders and hulls; fixtures half-spaces, boxes and hulls. Shapes of one robot are not
 * tested against each other.
 */
export class ContactDetector {
  /** `ContactSet.pair` is below this: robot shape * number of fixtures + fixture. */
  readonly pairCount: number
  readonly #robotShapes: readonly PlacedShape[]
  readonly #robot: readonly Collider[]
  readonly #fixtures: readonly Collider[]
  /** Per fixture, 4: the plane of a half-space in the world; zeros for other shapes. */
  readonly #planes: readonly Float64Array[]
  /** Per robot shape: radius about its body's origin [m]. */
  readonly #radius: Float64Array
  readonly #friction: Float64Array
  readonly #restitution: Float64Array
  readonly #gravity: number
  readonly #needsCores: boolean
  readonly #manifold: Manifold
  readonly #scratch: ManifoldScratch

  /**
   * @param physical friction and restitution of pairs of which neither surface states its own
   * @throws GeometryError if a shape's numbers make no sense, a robot shape is a half-space or on the world, or a fixture is not
   */
  constructor(
    model: Model,
    robotShapes: readonly PlacedShape[],
    fixtures: readonly PlacedShape[],
    physical: Pick<PhysicalInputs, 'friction' | 'restitution'>,
  ) {
    for (const { name, shape, body } of robotShapes) {
      checkShape(shape, name)
      if (shape.type === 'halfspace')
        throw new GeometryError(`shape "${name}" of the robot is a half-space; only fixtures may be`)
      if (!(body > 0 && body < model.nb)) {
        throw new GeometryError(`shape "${name}" of the robot is on body ${body}, expected 1 to ${model.nb - 1}`)
      }
    }
    for (const { name, shape, body } of fixtures) {
      checkShape(shape, name)
      if (shape.type !== 'halfspace' && shape.type !== 'box' && !(shape.type === 'hull' && shape.polyhedron.faces.length > 0)) {
        throw new GeometryError(`fixture "${name}" is a ${shape.type}; expected a half-space, a box, or a hull with faces`)
      }
      if (body !== 0) throw new GeometryError(`fixture "${name}" is on body ${body}, expected the world, body 0`)
    }
    this.pairCount = robotShapes.length * fixtures.length
    this.#robotShapes = robotShapes
    this.#robot = robotShapes.map(({ shape }) => createCollider(shape))
    this.#fixtures = fixtures.map(({ shape, R, p }) => {
      const collider = createCollider(shape)
      placeCollider(collider, identity, zero, R, p)
      placeCore(collider)
      return collider
    })
    this.#planes = this.#fixtures.map(planeOf)
    this.#radius = Float64Array.from(robotShapes, ({ shape, R, p }) => boundingRadius(shape, R, p))
    const pairs = robotShapes.flatMap((shape) => fixtures.map((fixture) => [shape, fixture] as const))
    this.#friction = Float64Array.from(pairs, ([a, b]) => pairFriction(a, b, physical.friction))
    this.#restitution = Float64Array.from(pairs, ([a, b]) => pairRestitution(a, b, physical.restitution))
    this.#gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    this.#needsCores = fixtures.some(({ shape }) => shape.type !== 'halfspace')
    const largest = (colliders: readonly Collider[]) => Math.max(8, ...colliders.map((c) => c.verticesW.length / 3))
    const capacity = manifoldCapacity + 2 * (largest(this.#robot) + largest(this.#fixtures))
    this.#manifold = createManifold(capacity)
    this.#scratch = createManifoldScratch(capacity)
  }

  /**
   * Writes the contacts whose gap is at most a margin, in the order of robot shapes, then fixtures, then features, with
   * impulses at zero. The margin is 0 at horizon 0; else it is how far the shape can come within the horizon, to first order:
   * horizon (|v| + |omega| radius + g horizon), plus `lookAheadSlack`.
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
    const fixtures = this.#fixtures
    const manifold = this.#manifold
    contacts.count = 0
    for (let i = 0; i < robot.length; i++) {
      const placed = this.#robotShapes[i]
      placeCollider(robot[i], data.R_WB[placed.body], data.p_WB[placed.body], placed.R, placed.p)
      if (this.#needsCores) placeCore(robot[i])
      this.#setMargin(i, data, horizon)
      for (let j = 0; j < fixtures.length; j++) {
        if (fixtures[j].shape.type === 'halfspace') halfSpaceManifold(robot[i], this.#planes[j], manifold)
        else convexManifold(fixtures[j], robot[i], this.#scratch, manifold)
        if (manifold.count > 0) this.#append(i, j, contacts)
      }
    }
  }

  #setMargin(i: number, data: Data, horizon: Float64Array): void {
    const { margin } = this.#manifold
    const h = horizon[0]
    margin[0] = 0
    if (!(h > 0)) return
    const V = data.V[this.#robotShapes[i].body]
    const turning = Math.sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2]) * this.#radius[i]
    const speed = Math.sqrt(V[3] * V[3] + V[4] * V[4] + V[5] * V[5])
    margin[0] = h * (speed + turning + this.#gravity * h) + lookAheadSlack
  }

  #append(i: number, j: number, contacts: ContactSet): void {
    const manifold = this.#manifold
    const { count, normal: n } = manifold
    const first = contacts.count
    if (first + count > contacts.capacity) contacts.reserve(Math.max(2 * contacts.capacity, first + count))
    const { point, normal, tangent1, tangent2, impulse } = contacts
    const pair = i * this.#fixtures.length + j

    const axis = n[0] * n[0] > 0.5 ? 1 : 0
    const along = n[axis]
    const length = Math.sqrt(1 - along * along)
    const x = ((axis === 0 ? 1 : 0) - along * n[0]) / length
    const y = ((axis === 1 ? 1 : 0) - along * n[1]) / length
    const z = (-along * n[2]) / length

    for (let k = 0; k < count; k++) {
      const c = first + k
      contacts.bodyA[c] = 0
      contacts.bodyB[c] = this.#robotShapes[i].body
      contacts.pair[c] = pair
      contacts.feature[c] = manifold.feature[k]
      contacts.gap[c] = manifold.gap[k]
      contacts.mu[c] = this.#friction[pair]
      contacts.restitution[c] = this.#restitution[pair]
      for (let d = 0; d < 3; d++) {
        point[3 * c + d] = manifold.point[3 * k + d]
        normal[3 * c + d] = n[d]
        impulse[3 * c + d] = 0
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
