import type { Shape } from './shape.ts'

/** A shape at its place on a body, with what is known of its surface. Body 0 is the world: a fixture. */
export interface PlacedShape {
  /** Unique in its world. */
  readonly name: string
  readonly body: number
  readonly shape: Shape
  /** 9, row-major: turns the shape's axes into the body's. */
  readonly R: Float64Array
  /** 3: the shape's origin in the body's axes [m]. */
  readonly p: Float64Array
  /** What the files say of the surface; undefined where they are silent. */
  readonly friction?: number
  readonly restitution?: number
}
