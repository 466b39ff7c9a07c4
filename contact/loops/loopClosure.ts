/** What a closed loop holds together: a point (three rows), a hinge about one axis (five), all (six). */
export type LoopKind = 'point' | 'hinge' | 'weld'

/**
 * A constraint that closes a loop: the frame on body B is to stay where the frame on body A is. Bodies are numbered as in the
 * model, 0 being the world. Positions [m] and axes are in each body's own frame.
 */
export interface LoopClosure {
  readonly name: string
  readonly kind: LoopKind
  readonly bodyA: number
  readonly bodyB: number
  /** 3: where the loop is closed, as body A and as body B has it. */
  readonly pointA: readonly number[]
  readonly pointB: readonly number[]
  /** 4: unit quaternions (x, y, z, w) of the frame at the point, as each body has it. A hinge turns about the frames' z. */
  readonly orientationA: readonly number[]
  readonly orientationB: readonly number[]
}
