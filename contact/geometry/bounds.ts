import type { Collider } from './collider.ts'
import { Core, writeShapeBounds } from './shapes/index.ts'

/**
 * The axis-aligned box around a placed collider: the smallest one, widened by a margin on all sides. Half-spaces fill all of space, height
 * fields extend down to infinity. Reads R and p of the collider (`placeCollider`). @unchecked
 *
 * @param margin its k-th entry: the margin [m]
 * @param out    out, 6 from entry `at`: least x, y, z, greatest x, y, z in world axes [m]
 */
export function writeBounds(collider: Collider, margin: Float64Array, k: number, out: Float64Array, at: number): void {
  const { kind, core, rounding, coreRadius, halfLength, radii: e, R, p } = collider
  if (kind === Core.halfspace || kind === Core.none) {
    writeShapeBounds(collider.shape, R, p, margin, k, out, at)
    return
  }
  if (kind === Core.box) {
    writeBoxBounds(collider, margin, k, out, at)
    return
  }
  for (let axis = 0; axis < 3; axis++) {
    const x = R[3 * axis]
    const y = R[3 * axis + 1]
    const z = R[3 * axis + 2]
    let low = 0
    let high = 0
    if (kind === Core.few || kind === Core.many) {
      const { vertices } = core!
      low = Infinity
      high = -Infinity
      for (let i = 0; i < vertices.length; i += 3) {
        const height = x * vertices[i] + y * vertices[i + 1] + z * vertices[i + 2]
        if (height < low) low = height
        if (height > high) high = height
      }
    } else if (kind === Core.ellipsoid) {
      high = Math.sqrt(e[0] * e[0] * x * x + e[1] * e[1] * y * y + e[2] * e[2] * z * z)
      low = -high
    } else {
      // half the axis, and the disc of a cylinder around its ends, whose extent is the radius times the sine
      high = Math.abs(z) * halfLength + coreRadius * Math.sqrt(x * x + y * y)
      low = -high
    }
    out[at + axis] = p[axis] + low - rounding - margin[k]
    out[at + 3 + axis] = p[axis] + high + rounding + margin[k]
  }
}

function writeBoxBounds(collider: Collider, margin: Float64Array, k: number, out: Float64Array, at: number): void {
  const { core, rounding, R, p } = collider
  const { vertices } = core!
  const x = vertices[0]
  const y = vertices[1]
  const z = vertices[2]
  const m = margin[k] + rounding
  const hx = Math.abs(R[0] * x) + Math.abs(R[1] * y) + Math.abs(R[2] * z) + m
  const hy = Math.abs(R[3] * x) + Math.abs(R[4] * y) + Math.abs(R[5] * z) + m
  const hz = Math.abs(R[6] * x) + Math.abs(R[7] * y) + Math.abs(R[8] * z) + m
  out[at] = p[0] - hx
  out[at + 1] = p[1] - hy
  out[at + 2] = p[2] - hz
  out[at + 3] = p[0] + hx
  out[at + 4] = p[1] + hy
  out[at + 5] = p[2] + hz
}
