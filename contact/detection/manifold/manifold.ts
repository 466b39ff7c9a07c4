/**
 * The contact points of one pair of shapes, all with one normal, from the first shape to the second. Scratch of a
 * detector: filled for a pair, copied into the `ContactSet`, overwritten for the next pair.
 */
export type Manifold = ReturnType<typeof createManifold>

/**
 * @unchecked @param capacity at least the number of points of any pair before reduction
 * @param limit    most points after it, at least 1
 */
export function createManifold(capacity: number, limit = Infinity) {
  return {
    count: 0,
    /** 3, unit, world axes. */
    normal: new Float64Array(3),
    /** Number of each point's geometric feature. */
    feature: new Int32Array(capacity),
    /** 3 a point [m]: midway between the surfaces, world axes. */
    point: new Float64Array(3 * capacity),
    /** [m], negative when penetrating. */
    gap: new Float64Array(capacity),
    /** 1: points with a larger gap are dropped [m]. */
    margin: new Float64Array(1),
    /** Most points after `reduceManifold`; Infinity keeps all. */
    limit,
    /** Scratch: a mark a point. */
    chosen: new Uint8Array(capacity),
  }
}

/** Makes space for a point in the list sorted by feature, after equal ones. @returns its index */
export function insertFeature(manifold: Manifold, number: number): number {
  const { feature, gap, point } = manifold
  let c = manifold.count++
  for (; c > 0 && feature[c - 1] > number; c--) {
    feature[c] = feature[c - 1]
    gap[c] = gap[c - 1]
    for (let d = 0; d < 3; d++) point[3 * c + d] = point[3 * c - 3 + d]
  }
  feature[c] = number
  return c
}

/** Thresholds, relative to the manifold's extent, by which a later point must be deeper, farther or add more area to replace an earlier. */
const deeper = 1e-6
const farther = 1e-3

/** 1: greatest distance of a point from the first one [m]. */
const span = new Float64Array(1)
/** The selected points, in order around their polygon. */
const loop = new Int32Array(256)

/**
 * Reduces the manifold to at most `limit` points: the deepest (of equals, the farthest from the centre); the farthest from that; then, one
 * by one, the point that adds most area to their polygon, projected along the normal, until none adds any. Of points equal to rounding the
 * earlier is chosen, so that features persist from step to step. The order is kept.
 */
export function reduceManifold(manifold: Manifold): void {
  const { count, limit, point, chosen } = manifold
  if (count <= limit) return
  const most = Math.min(limit, loop.length)
  span[0] = 0
  for (let k = 1; k < count; k++) span[0] = Math.max(span[0], Math.sqrt(squareBetween(point, 0, k)))
  const deepest = deepestCorner(manifold)
  let kept = 1
  loop[0] = deepest
  if (most > 1) {
    let best = -1
    let farthest = 0
    for (let k = 0; k < count; k++) {
      const distance = Math.sqrt(squareBetween(point, deepest, k))
      if (!(distance > farthest + farther * span[0])) continue
      farthest = distance
      best = k
    }
    if (best >= 0) loop[kept++] = best
  }
  while (kept >= 2 && kept < most && addCorner(manifold, kept)) kept++

  chosen.fill(0, 0, count)
  for (let i = 0; i < kept; i++) chosen[loop[i]] = 1
  keepChosen(manifold)
}

/** Keeps the points marked in `chosen`, in their order. */
export function keepChosen(manifold: Manifold): void {
  const { count, feature, gap, point, chosen } = manifold
  let next = 0
  for (let k = 0; k < count; k++) {
    if (chosen[k] === 0) continue
    feature[next] = feature[k]
    gap[next] = gap[k]
    point[3 * next] = point[3 * k]
    point[3 * next + 1] = point[3 * k + 1]
    point[3 * next + 2] = point[3 * k + 2]
    next++
  }
  manifold.count = next
}

const middle = new Float64Array(3)

/** The deepest point; of equally deep ones, the farthest from the mean of all, since it is a corner. */
function deepestCorner({ count, gap, point }: Manifold): number {
  middle.fill(0)
  let lowest = Infinity
  for (let k = 0; k < count; k++) {
    if (gap[k] < lowest) lowest = gap[k]
    for (let d = 0; d < 3; d++) middle[d] += point[3 * k + d] / count
  }
  let best = -1
  let farthest = 0
  for (let k = 0; k < count; k++) {
    if (gap[k] > lowest + deeper * span[0]) continue
    const x = point[3 * k] - middle[0]
    const y = point[3 * k + 1] - middle[1]
    const z = point[3 * k + 2] - middle[2]
    const distance = Math.sqrt(x * x + y * y + z * z)
    if (best >= 0 && !(distance > farthest + farther * span[0])) continue
    best = k
    farthest = distance
  }
  return best
}

/** Inserts the point that adds most area into the polygon of `kept` points. @returns false if none adds any */
function addCorner({ count, normal: n, point: x }: Manifold, kept: number): boolean {
  let best = -1
  let after = 0
  let most = 0
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < kept; i++) {
      const a = 3 * loop[i]
      const b = 3 * loop[i + 1 === kept ? 0 : i + 1]
      const c = 3 * k
      const ux = x[b] - x[a]
      const uy = x[b + 1] - x[a + 1]
      const uz = x[b + 2] - x[a + 2]
      const wx = x[c] - x[a]
      const wy = x[c + 1] - x[a + 1]
      const wz = x[c + 2] - x[a + 2]
      // the polygon is counter-clockwise about the normal, so outside is to the right
      const area = n[0] * (uz * wy - uy * wz) + n[1] * (ux * wz - uz * wx) + n[2] * (uy * wx - ux * wy)
      if (!(area > most + farther * span[0] * span[0])) continue
      most = area
      best = k
      after = i
    }
  }
  if (best < 0) return false
  for (let i = kept; i > after + 1; i--) loop[i] = loop[i - 1]
  loop[after + 1] = best
  return true
}

function squareBetween(x: Float64Array, i: number, j: number): number {
  const dx = x[3 * i] - x[3 * j]
  const dy = x[3 * i + 1] - x[3 * j + 1]
  const dz = x[3 * i + 2] - x[3 * j + 2]
  return dx * dx + dy * dy + dz * dz
}
