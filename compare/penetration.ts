import {
  type Collider,
  createCollider,
  type PlacedShape,
  placeCollider,
  placeCore,
  signedDistance,
} from '../contact/geometry/index.ts'
import type { Data } from '../dynamics/index.ts'

const R_world = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1])
const p_world = new Float64Array(3)

/**
 * How deep a robot is in its surroundings, by the exact signed distance of each of its shapes to each fixture, whatever
 * any contact model thinks touches.
 */
export class PenetrationMeter {
  /** 1: depth of the deepest pair at the last `measure` [m]; 0 when nothing penetrates. */
  readonly deepest = new Float64Array(1)
  private readonly shapes: readonly PlacedShape[]
  private readonly colliders: readonly Collider[]
  private readonly fixtures: readonly Collider[]
  private readonly distance = new Float64Array(10) // signedDistance also writes the normal and the points

  /** Shapes on body 0 are left out: what cannot move is as deep as its file puts it, under every model. */
  constructor(shapes: readonly PlacedShape[], fixtures: readonly PlacedShape[]) {
    this.shapes = shapes.filter(({ body }) => body !== 0)
    this.colliders = this.shapes.map(({ shape }) => createCollider(shape))
    this.fixtures = fixtures.map(({ shape, R, p }) => {
      const collider = createCollider(shape)
      placeCollider(collider, R_world, p_world, R, p)
      placeCore(collider)
      return collider
    })
  }

  /** Reads the places of the bodies from data (after `kinematics`). */
  measure({ R_WB, p_WB }: Data): void {
    const { shapes, colliders, fixtures, deepest, distance } = this
    deepest[0] = 0
    for (let i = 0; i < shapes.length; i++) {
      const { body, R, p } = shapes[i]
      placeCollider(colliders[i], R_WB[body], p_WB[body], R, p)
      placeCore(colliders[i])
      for (let k = 0; k < fixtures.length; k++) {
        signedDistance(fixtures[k], colliders[i], distance)
        if (-distance[0] > deepest[0]) deepest[0] = -distance[0]
      }
    }
  }
}
