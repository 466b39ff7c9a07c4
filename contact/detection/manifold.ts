/**
 * The contact points of one pair of shapes, all with one normal, from the fixture to the robot's shape. Scratch of a
 * detector: filled for a pair, copied into the `ContactSet`, filled anew.
 */
export interface Manifold {
  count: number
  /** 3, unit, world axes. */
  readonly normal: Float64Array
  /** Which physical feature each point is. */
  readonly feature: Int32Array
  /** 3 a point [m]: midway between the surfaces, world axes. */
  readonly point: Float64Array
  /** [m], negative when penetrating. */
  readonly gap: Float64Array
  /** 1: points with a larger gap are left out [m]. */
  readonly margin: Float64Array
  /** Scratch: a mark a point. */
  readonly chosen: Uint8Array
}

/** @param capacity more points than any pair makes, before they are reduced */
export function createManifold(capacity: number): Manifold {
  return {
    count: 0,
    normal: new Float64Array(3),
    feature: new Int32Array(capacity),
    point: new Float64Array(3 * capacity),
    gap: new Float64Array(capacity),
    margin: new Float64Array(1),
    chosen: new Uint8Array(capacity),
  }
}

/**
 * Takes the point of the robot's shape that stands in `point` at place `count`, with its `gap`, into the manifold if the gap
 * is within the margin: moves it midway to the other surface and counts it.
 */
export function take(manifold: Manifold, feature: number): void {
  const { count, normal, point, gap, margin } = manifold
  if (!(gap[count] <= margin[0])) return
  const half = 0.5 * gap[count]
  point[3 * count] -= half * normal[0]
  point[3 * count + 1] -= half * normal[1]
  point[3 * count + 2] -= half * normal[2]
  manifold.feature[count] = feature
  manifold.count = count + 1
}
