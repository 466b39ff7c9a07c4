import { hullOf, type Shape } from '../../../contact/geometry/index.ts'
import {
  type ContactSet,
  createFieldShape,
  type FieldShape,
  GeometryError,
  placeFieldShape,
  pointDistance,
} from '../../../contact/index.ts'
import type { Data } from '../../../dynamics/index.ts'
import type { CollisionShape } from '../../../robots/index.ts'
import { type ShapesOfWorld, shortName, withVolume } from '../../scenario/world/penetration.ts'

/**
 * Threshold for off the surface, and for not touching when a step starts [m]: a quarter of the default allowed penetration. It is
 * as much as the polyhedra that stand for curved shapes where models read features stand out of wheels of 0.1 m.
 */
export const OFF_SURFACE = 2.5e-4

/**
 * Detects contacts that push where there is no surface, by exact distances of points that are independent of any contact model:
 * contacts of a model that takes a face for its whole plane.
 *
 * Each contact has a point on either surface, half the gap to either side of its point. Carried along by their bodies to the end of the
 * step, they are as far apart along the normal as the plane says, and as the shapes really are: the distance of B's point from A's shape or
 * that of A's point from B's, whichever is less, for sliding leaves the other's point behind. The contact was off the surface if the
 * shapes are farther apart than the plane says by more than `OFF_SURFACE`, and did not touch there at the start of the step: one
 * that touches may slide over an edge within the step. A contact that is held open along its normal is none of these; nor is one whose
 * points, as they are given, touch at the end, for a model that detects contacts there.
 */
export class SurfaceMeter {
  private readonly shapes: readonly Pick<CollisionShape, 'name' | 'shape' | 'body' | 'R' | 'p'>[]
  /** Made on first use: those of large meshes take long, and few are needed. */
  private readonly fields: (FieldShape | undefined)[]
  /** Per pair: its shapes, A and B as contacts have them; -1 where there is no such pair. */
  private readonly shapeA: Int32Array
  private readonly shapeB: Int32Array
  /** World axes [m]. */
  private readonly pointA = new Float64Array(3)
  private readonly pointB = new Float64Array(3)
  private readonly local = new Float64Array(3)
  private readonly answer = new Float64Array(4)
  private readonly facet = new Int32Array(1)

  constructor({ robot, shapes, fixtures, pairs }: ShapesOfWorld) {
    const moving = [...shapes, ...robot.shapes.filter(({ body }) => body === 0)].slice(0, pairs.shapeCount)
    this.shapes = [...moving, ...fixtures]
    this.fields = this.shapes.map(() => undefined)
    this.shapeA = new Int32Array(pairs.count).fill(-1)
    this.shapeB = new Int32Array(pairs.count).fill(-1)
    for (let b = 0; b < this.shapes.length; b++) {
      for (let a = 0; a < b; a++) {
        const pair = pairs.numberOf(a, b)
        if (pair < 0) continue
        // A is the world, or else the body with the lower number
        const isOrdered = b < moving.length && this.shapes[a].body < this.shapes[b].body
        this.shapeA[pair] = isOrdered ? a : b
        this.shapeB[pair] = isOrdered ? b : a
      }
    }
  }

  /** Which shapes a pair of contacts is of: "box on ground". */
  namesOf(pair: number): string {
    const [a, b] = [this.shapes[this.shapeA[pair]], this.shapes[this.shapeB[pair]]]
    return a && b ? `${shortName(b.name)} on ${shortName(a.name)}` : ''
  }

  /**
   * Whether contact c pushed off the surfaces in the step that has just been taken.
   *
   * @param start kinematics at the start of the step
   * @param end   and at its end
   */
  isOff(contacts: ContactSet, c: number, start: Data, end: Data): boolean {
    const { bodyA, bodyB, pair, normal } = contacts
    const [a, b] = [this.shapeA[pair[c]], this.shapeB[pair[c]]]
    if (a < 0 || b < 0) return false
    this.takePoints(contacts, c)
    if (this.touches(a, b, start) || this.touches(a, b, end)) return false
    carry(this.pointA, bodyA[c], start, end)
    carry(this.pointB, bodyB[c], start, end)
    const { pointA, pointB } = this
    let along = 0
    for (let k = 0; k < 3; k++) along += normal[3 * c + k] * (pointB[k] - pointA[k])
    return this.distance(a, b, end) - Math.abs(along) > OFF_SURFACE
  }

  private takePoints({ point, normal, gap }: ContactSet, c: number): void {
    for (let k = 0; k < 3; k++) {
      const half = 0.5 * gap[c] * normal[3 * c + k]
      this.pointA[k] = point[3 * c + k] - half
      this.pointB[k] = point[3 * c + k] + half
    }
  }

  private touches(a: number, b: number, data: Data): boolean {
    return this.distanceFrom(a, this.pointB, data) <= OFF_SURFACE || this.distanceFrom(b, this.pointA, data) <= OFF_SURFACE
  }

  /** How far apart the shapes are about the two points; negative where one lies inside [m]. */
  private distance(a: number, b: number, data: Data): number {
    return Math.min(this.distanceFrom(a, this.pointB, data), this.distanceFrom(b, this.pointA, data))
  }

  private distanceFrom(i: number, x: Float64Array, { R_WB, p_WB }: Data): number {
    const { shape, body, R, p } = this.shapes[i]
    const field = this.fields[i] ?? fieldOf(shape)
    this.fields[i] = field
    const { local, answer } = this
    placeFieldShape(field, R_WB[body], p_WB[body], R, p)
    for (let k = 0; k < 3; k++)
      local[k] = field.R[k] * (x[0] - field.p[0]) + field.R[3 + k] * (x[1] - field.p[1]) + field.R[6 + k] * (x[2] - field.p[2])
    pointDistance(field, local, answer, this.facet)
    return answer[0]
  }
}

/** Corners alone: no points inside of faces. */
const corners = { maxArea: Number.POSITIVE_INFINITY } as const

/** A mesh that has no inside touches nothing but half-spaces, and these with its hull. */
function fieldOf(shape: Shape): FieldShape {
  try {
    return createFieldShape(withVolume(shape), corners)
  } catch (error) {
    if (!(error instanceof GeometryError) || shape.type !== 'mesh') throw error
    const { vertices } = shape.mesh
    return createFieldShape(withVolume({ type: 'hull', polyhedron: hullOf(vertices, vertices.length) }), corners)
  }
}

/** Takes a point of a body from where it was to where it is. */
function carry(x: Float64Array, body: number, from: Data, to: Data): void {
  const [R, p, S, q] = [from.R_WB[body], from.p_WB[body], to.R_WB[body], to.p_WB[body]]
  const d = [x[0] - p[0], x[1] - p[1], x[2] - p[2]]
  const own = [0, 1, 2].map((k) => R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2])
  for (let k = 0; k < 3; k++) x[k] = q[k] + S[3 * k] * own[0] + S[3 * k + 1] * own[1] + S[3 * k + 2] * own[2]
}
