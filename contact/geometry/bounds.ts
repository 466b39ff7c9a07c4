import type { Collider } from './collider.ts'
import { Core } from './collider.ts'
import type { Shape } from './shape.ts'

/**
 * The axis-aligned box around a placed collider: the smallest one, widened by a margin on all sides. Half-spaces fill all of
 * space, height fields reach down without end. Reads R and p of the collider (`placeCollider`).
 *
 * @param margin its k-th entry: how much to widen by [m]
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
      // the axis, and the disc of a cylinder around its ends, which reaches its radius times the sine along this axis
      high = Math.abs(z) * halfLength + coreRadius * Math.sqrt(x * x + y * y)
      low = -high
    }
    out[at + axis] = p[axis] + low - rounding - margin[k]
    out[at + 3 + axis] = p[axis] + high + rounding + margin[k]
  }
}

function writeBoxBounds({ core, R, p }: Collider, margin: Float64Array, k: number, out: Float64Array, at: number): void {
  const { vertices } = core!
  const x = vertices[0]
  const y = vertices[1]
  const z = vertices[2]
  const m = margin[k]
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

/**
 * The same for a shape of any kind, colliders or not; parameters as in `writeBounds`.
 *
 * @param R 9, row-major: turns the shape's axes into the world's
 * @param p 3: the shape's origin in the world [m]
 */
export function writeShapeBounds(
  shape: Shape,
  R: Float64Array,
  p: Float64Array,
  margin: Float64Array,
  k: number,
  out: Float64Array,
  at: number,
): void {
  for (let axis = 0; axis < 3; axis++) {
    writeReach(shape, R, 3 * axis, out, at + axis)
    out[at + axis] += p[axis] - margin[k]
    out[at + 3 + axis] += p[axis] + margin[k]
  }
}

/** How far a shape reaches from its origin along a row of R: least into out[at], greatest into out[at + 3]. */
function writeReach(shape: Shape, R: Float64Array, row: number, out: Float64Array, at: number): void {
  const x = R[row]
  const y = R[row + 1]
  const z = R[row + 2]
  let low = -Infinity
  let high = Infinity
  switch (shape.type) {
    case 'sphere':
      high = shape.radius
      low = -high
      break
    case 'ellipsoid': {
      const [a, b, c] = shape.radii
      high = Math.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
      low = -high
      break
    }
    case 'capsule':
      high = shape.radius + 0.5 * Math.abs(z) * shape.length
      low = -high
      break
    case 'cylinder':
      high = shape.radius * Math.sqrt(x * x + y * y) + 0.5 * Math.abs(z) * shape.length
      low = -high
      break
    case 'box':
      high = 0.5 * (Math.abs(x) * shape.size[0] + Math.abs(y) * shape.size[1] + Math.abs(z) * shape.size[2])
      low = -high
      break
    case 'hull':
    case 'mesh': {
      const { vertices } = shape.type === 'hull' ? shape.polyhedron : shape.mesh
      low = Infinity
      high = -Infinity
      for (let i = 0; i < vertices.length; i += 3) {
        const height = x * vertices[i] + y * vertices[i + 1] + z * vertices[i + 2]
        if (height < low) low = height
        if (height > high) high = height
      }
      break
    }
    case 'heightfield': {
      const { rows, columns, spacing, heights } = shape
      low = Infinity
      high = -Infinity
      for (let r = 0; r < rows; r++) {
        const v = (r - 0.5 * (rows - 1)) * spacing[1]
        for (let c = 0; c < columns; c++) {
          const u = (c - 0.5 * (columns - 1)) * spacing[0]
          const height = x * u + y * v + z * heights[r * columns + c]
          if (height < low) low = height
          if (height > high) high = height
        }
      }
      // without end along -z
      if (z > 0) low = -Infinity
      if (z < 0) high = Infinity
      break
    }
  }
  out[at] = low
  out[at + 3] = high
}
