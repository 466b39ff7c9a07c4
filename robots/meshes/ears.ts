import type { MeshMeter } from './meshError.ts'

/** Of a face; beyond it triangles from one corner have to do, for cutting takes time with the square of the corners, at worst the cube. */
const mostCorners = 1000

/**
 * Triangles of a face of more than three corners: a fan from the first where it is convex, else by cutting off ears (Meisters 1975), as
 * MuJoCo's reader of OBJ does. The corners are taken as seen along the normal of the face (Newell).
 *
 * @param points  n x 3
 * @param corners of the face, indices into the points
 * @param meter   of the file: when it is used up, triangles from one corner have to do
 * @returns whether they had to
 */
export function cutFace(
  points: ArrayLike<number>,
  corners: readonly number[],
  triangle: (a: number, b: number, c: number) => void,
  meter: MeshMeter,
): boolean {
  const normal = newell(points, corners)
  const [u, v] = across(normal)
  const x = corners.map((i) => along(points, i, u))
  const y = corners.map((i) => along(points, i, v))
  /** Twice the area of a triangle of corners, positive anticlockwise. */
  const area = (a: number, b: number, c: number) => (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a])
  const n = corners.length
  const isConvex = corners.every((_, k) => area(k, (k + 1) % n, (k + 2) % n) >= 0)
  const fan = (left: readonly number[]) => {
    for (let k = 1; k < left.length - 1; k++) triangle(corners[left[0]], corners[left[k]], corners[left[k + 1]])
    return !isConvex
  }
  const left = corners.map((_, k) => k)
  if (isConvex || n > mostCorners) return fan(left)
  const isEar = (k: number) => {
    const [a, b, c] = [left[(k + left.length - 1) % left.length], left[k], left[(k + 1) % left.length]]
    if (!(area(a, b, c) > 0)) return false
    meter.ask('operations', left.length)
    return !left.some((p) => p !== a && p !== b && p !== c && area(a, b, p) >= 0 && area(b, c, p) >= 0 && area(c, a, p) >= 0)
  }
  while (left.length > 3) {
    if (!meter.has('operations', left.length * left.length)) return fan(left)
    const found = left.findIndex((_, k) => isEar(k))
    // a face that crosses itself has none left
    const k = found < 0 ? 1 : found
    triangle(corners[left[(k + left.length - 1) % left.length]], corners[left[k]], corners[left[(k + 1) % left.length]])
    left.splice(k, 1)
  }
  triangle(corners[left[0]], corners[left[1]], corners[left[2]])
  return false
}

type Vector = readonly [number, number, number]

const along = (points: ArrayLike<number>, i: number, [x, y, z]: Vector) =>
  x * points[3 * i] + y * points[3 * i + 1] + z * points[3 * i + 2]

function newell(points: ArrayLike<number>, corners: readonly number[]): Vector {
  const sum: [number, number, number] = [0, 0, 0]
  corners.forEach((i, k) => {
    const j = corners[(k + 1) % corners.length]
    for (let d = 0; d < 3; d++) {
      const [e, f] = [(d + 1) % 3, (d + 2) % 3]
      sum[d] += (points[3 * i + e] - points[3 * j + e]) * (points[3 * i + f] + points[3 * j + f])
    }
  })
  return sum
}

/** Two directions across a normal that make a right-handed frame with it, of any length. */
function across([x, y, z]: Vector): readonly [Vector, Vector] {
  const u: Vector = Math.abs(x) > Math.abs(z) ? [-y, x, 0] : [0, -z, y]
  return [u, [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]]]
}
