import type { Collider } from '../../geometry/index.ts'
import { standingSine } from '../../tolerances.ts'

/** Eight points of the unit circle, 45 degrees apart. */
export const ringX: readonly number[] = [1, Math.SQRT1_2, 0, -Math.SQRT1_2, -1, -Math.SQRT1_2, 0, Math.SQRT1_2]
export const ringY: readonly number[] = [0, Math.SQRT1_2, 1, Math.SQRT1_2, 0, -Math.SQRT1_2, -1, -Math.SQRT1_2]

const cos120 = -0.5
const sin120 = Math.sqrt(0.75)

/** Unit direction on a cylinder's caps that descends most along n, in its axes; `out` 2. */
export function steepestOnCap({ R }: Collider, n: Float64Array, out: Float64Array): void {
  own[0] = R[0] * n[0] + R[3] * n[1] + R[6] * n[2]
  own[1] = R[1] * n[0] + R[4] * n[1] + R[7] * n[2]
  steepestAgainst(own, out)
}

const own = new Float64Array(2)

/** `steepestOnCap` for a normal in the cylinder's axes, of which the first two entries are read. */
export function steepestAgainst(normal: Float64Array, out: Float64Array): void {
  const nx = normal[0]
  const ny = normal[1]
  const sine = Math.sqrt(nx * nx + ny * ny)
  const dx = sine < standingSine ? standingSine - sine - nx : -nx
  const length = Math.sqrt(dx * dx + ny * ny)
  out[0] = length > 0 ? dx / length : 1
  out[1] = length > 0 ? -ny / length : 0
}

/**
 * The rim point of a cylinder at the cap `side` (-1, 1), `third` (-1, 0, 1) thirds of a turn from the direction of steepest descent, in
 * world axes, to the k-th triple of `out`.
 */
export function rimPoint(
  { shape, R, p, halfLength }: Collider,
  side: number,
  third: number,
  steepest: Float64Array,
  out: Float64Array,
  k: number,
): void {
  if (shape.type !== 'cylinder') return
  const cosine = third === 0 ? 1 : cos120
  const sine = third * sin120
  const x = shape.radius * (cosine * steepest[0] - sine * steepest[1])
  const y = shape.radius * (cosine * steepest[1] + sine * steepest[0])
  const z = side * halfLength
  out[3 * k] = p[0] + R[0] * x + R[1] * y + R[2] * z
  out[3 * k + 1] = p[1] + R[3] * x + R[4] * y + R[5] * z
  out[3 * k + 2] = p[2] + R[6] * x + R[7] * y + R[8] * z
}

/** The cap of a cylinder that is lower along n: -1 or 1. */
export function lowerCap({ R }: Collider, n: Float64Array): number {
  return R[2] * n[0] + R[5] * n[1] + R[8] * n[2] > 0 ? -1 : 1
}

/** Feature number of a `rimPoint`: 0 (-z) and 1 (+z) for the lowest, 2 and 3 for the others at -z, 4 and 5 at +z. */
export function rimFeature(side: number, third: number): number {
  if (third === 0) return side < 0 ? 0 : 1
  return (side < 0 ? 2 : 4) + (third < 0 ? 1 : 0)
}
