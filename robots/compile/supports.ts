/** Points of a block. */
const blockSize = 16

/**
 * The farthest of many points along any direction. Points that follow each other in a mesh are near each other: only blocks of them are searched
 * whose boxes reach farther than a point that was found.
 */
export class Supports {
  private readonly points: Float64Array
  /** Of each block the corners of its box, low then high, 6 each. */
  private readonly boxes: Float64Array
  /** Of each block along the direction asked for: no point of it is farther. */
  private readonly bounds: Float64Array

  /** @param points n x 3 */
  constructor(points: Float64Array) {
    this.points = points
    this.boxes = new Float64Array(6 * Math.ceil(points.length / (3 * blockSize)))
    this.bounds = new Float64Array(this.boxes.length / 6)
    for (let b = 0; b < this.bounds.length; b++) {
      const box = this.boxes
        .subarray(6 * b, 6 * b + 6)
        .fill(Infinity, 0, 3)
        .fill(-Infinity, 3)
      points.subarray(3 * blockSize * b, 3 * blockSize * (b + 1)).forEach((x, k) => {
        box[k % 3] = Math.min(box[k % 3], x)
        box[3 + (k % 3)] = Math.max(box[3 + (k % 3)], x)
      })
    }
  }

  /** The first of the points that are farthest along a direction. Rounding is monotone: no point is above its block's bound. */
  farthest(x: number, y: number, z: number): number {
    const { points, boxes, bounds } = this
    const ix = x < 0 ? 0 : 3
    const iy = y < 0 ? 1 : 4
    const iz = z < 0 ? 2 : 5
    let best = 0
    for (let b = 0; b < bounds.length; b++) {
      bounds[b] = x * boxes[6 * b + ix] + y * boxes[6 * b + iy] + z * boxes[6 * b + iz]
      if (bounds[b] > bounds[best]) best = b
    }
    let farthest = 0
    let reach = -Infinity
    for (let n = -1; n < bounds.length; n++) {
      const b = n < 0 ? best : n // the best block first, so that few others hold anything
      if (bounds[b] < reach) continue
      const end = Math.min(points.length / 3, blockSize * (b + 1))
      for (let i = blockSize * b; i < end; i++) {
        const own = x * points[3 * i] + y * points[3 * i + 1] + z * points[3 * i + 2]
        if (own < reach || (own === reach && i > farthest)) continue
        reach = own
        farthest = i
      }
    }
    return farthest
  }
}
