/** Kinds of loop closure: a common point (three rows), a hinge about one axis (five), a weld (six). */
export type LoopKind = 'point' | 'hinge' | 'weld'

/**
 * A loop-closure constraint: keeps the frame on body B coincident with the frame on body A, as far as its kind requires. Bodies are
 * numbered as in the model, 0 being the world. Positions [m] and axes are in each body's own frame.
 */
export interface LoopClosure {
  readonly name: string
  readonly kind: LoopKind
  readonly bodyA: number
  readonly bodyB: number
  /** 3: the closure point on body A and on body B. */
  readonly pointA: readonly number[]
  readonly pointB: readonly number[]
  /** 4: unit quaternions (x, y, z, w) of the frame at the point, on each body. A hinge's axis is the frames' z. */
  readonly orientationA: readonly number[]
  readonly orientationB: readonly number[]
}
