import type { HeightField, TriangleMesh } from '../shapes/index.ts'

/**
 * The surface of a height field above or below a point, in the field's axes. @unchecked
 *
 * @param x   3: z is not read
 * @param out out, 4: height of the surface [m] and its unit normal, which points up: on grid lines the normal of the cell towards greater x
 * or y, on a diagonal that of the triangle towards greater x. Outside the field the height is -Infinity, the normal z.
 */
export function heightAt({ rows, columns, spacing, heights }: HeightField, x: Float64Array, out: Float64Array): void {
  // in cells, from the corner of least x and y
  const u = x[0] / spacing[0] + 0.5 * (columns - 1)
  const v = x[1] / spacing[1] + 0.5 * (rows - 1)
  if (!(u >= 0 && u <= columns - 1 && v >= 0 && v <= rows - 1)) {
    out[0] = -Infinity
    out[1] = 0
    out[2] = 0
    out[3] = 1
    return
  }
  const i = Math.min(Math.floor(u), columns - 2)
  const j = Math.min(Math.floor(v), rows - 2)
  const s = u - i
  const t = v - j
  const at = j * columns + i
  const near = heights[at]
  const far = heights[at + columns + 1]
  // rises along x and y of the triangle below the diagonal (s >= t), or of the one above it
  const below = s >= t
  const corner = below ? heights[at + 1] : heights[at + columns]
  const du = below ? corner - near : far - corner
  const dv = below ? far - corner : corner - near
  const nx = -du / spacing[0]
  const ny = -dv / spacing[1]
  const scale = 1 / Math.sqrt(nx * nx + ny * ny + 1)
  out[0] = near + s * du + t * dv
  out[1] = scale * nx
  out[2] = scale * ny
  out[3] = scale
}

/**
 * The triangles of the cells that a rectangle along the axes touches, in the field's axes. Cell c = row (columns - 1) + column has triangle
 * 2 c on the side of greater x, and 2 c + 1 on that of greater y. @unchecked
 *
 * @param low      2: least x and y of the rectangle [m]
 * @param high     2: greatest x and y [m]
 * @param triangles out: the numbers, row by row, up to its length
 * @param count     out, 1: their number, including those that do not fit
 */
export function trianglesUnder(
  { rows, columns, spacing }: HeightField,
  low: Float64Array,
  high: Float64Array,
  triangles: Int32Array,
  count: Int32Array,
): void {
  const u = 0.5 * (columns - 1)
  const v = 0.5 * (rows - 1)
  const left = Math.max(0, Math.ceil(low[0] / spacing[0] + u) - 1)
  const right = Math.min(columns - 2, Math.floor(high[0] / spacing[0] + u))
  const front = Math.max(0, Math.ceil(low[1] / spacing[1] + v) - 1)
  const back = Math.min(rows - 2, Math.floor(high[1] / spacing[1] + v))
  let n = 0
  for (let j = front; j <= back; j++) {
    for (let i = left; i <= right; i++) {
      const cell = j * (columns - 1) + i
      if (n < triangles.length) triangles[n] = 2 * cell
      n++
      if (n < triangles.length) triangles[n] = 2 * cell + 1
      n++
    }
  }
  count[0] = n
}

function gridPoint({ rows, columns, spacing, heights }: HeightField, i: number, j: number, out: Float64Array, at: number) {
  out[at] = (i - 0.5 * (columns - 1)) * spacing[0]
  out[at + 1] = (j - 0.5 * (rows - 1)) * spacing[1]
  out[at + 2] = heights[j * columns + i]
}

/** The surface as a mesh with an open rim; its triangles are numbered as in `trianglesUnder`. @unchecked */
export function heightFieldSurface(field: HeightField): TriangleMesh {
  const { rows, columns } = field
  const vertices = new Float64Array(3 * rows * columns)
  for (let j = 0; j < rows; j++) for (let i = 0; i < columns; i++) gridPoint(field, i, j, vertices, 3 * (j * columns + i))
  const triangles = new Int32Array(6 * (rows - 1) * (columns - 1))
  let k = 0
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const at = j * columns + i
      triangles.set([at, at + 1, at + columns + 1, at, at + columns + 1, at + columns], k)
      k += 6
    }
  }
  return { vertices, triangles }
}
