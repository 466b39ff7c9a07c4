/**
 * 3-vectors and 3 x 3 matrices (row-major). Every function takes its result first and reads all inputs before it
 * writes, so that the result may be one of the inputs.
 */

/** out = R a @unchecked */
export function rotate3(out: Float64Array, R: Float64Array, a: Float64Array): void {
  const x = a[0]
  const y = a[1]
  const z = a[2]
  out[0] = R[0] * x + R[1] * y + R[2] * z
  out[1] = R[3] * x + R[4] * y + R[5] * z
  out[2] = R[6] * x + R[7] * y + R[8] * z
}

/** out = R^T a @unchecked */
export function rotateTransposed3(out: Float64Array, R: Float64Array, a: Float64Array): void {
  const x = a[0]
  const y = a[1]
  const z = a[2]
  out[0] = R[0] * x + R[3] * y + R[6] * z
  out[1] = R[1] * x + R[4] * y + R[7] * z
  out[2] = R[2] * x + R[5] * y + R[8] * z
}

/** out = p + R a: a point from local to outer axes. @unchecked */
export function place3(out: Float64Array, R: Float64Array, p: Float64Array, a: Float64Array): void {
  const x = a[0]
  const y = a[1]
  const z = a[2]
  out[0] = p[0] + R[0] * x + R[1] * y + R[2] * z
  out[1] = p[1] + R[3] * x + R[4] * y + R[5] * z
  out[2] = p[2] + R[6] * x + R[7] * y + R[8] * z
}

/** Aᵀ of a 3 x 3 matrix, the first nine numbers of A; not for hot code. @unchecked */
export const transposed3 = (A: Float64Array): Float64Array =>
  Float64Array.of(A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])

/** out = A B, 3 x 3. @unchecked */
export function mulMatrix3(out: Float64Array, A: Float64Array, B: Float64Array): void {
  const a0 = A[0]
  const a1 = A[1]
  const a2 = A[2]
  const a3 = A[3]
  const a4 = A[4]
  const a5 = A[5]
  const a6 = A[6]
  const a7 = A[7]
  const a8 = A[8]
  const b0 = B[0]
  const b1 = B[1]
  const b2 = B[2]
  const b3 = B[3]
  const b4 = B[4]
  const b5 = B[5]
  const b6 = B[6]
  const b7 = B[7]
  const b8 = B[8]
  out[0] = a0 * b0 + a1 * b3 + a2 * b6
  out[1] = a0 * b1 + a1 * b4 + a2 * b7
  out[2] = a0 * b2 + a1 * b5 + a2 * b8
  out[3] = a3 * b0 + a4 * b3 + a5 * b6
  out[4] = a3 * b1 + a4 * b4 + a5 * b7
  out[5] = a3 * b2 + a4 * b5 + a5 * b8
  out[6] = a6 * b0 + a7 * b3 + a8 * b6
  out[7] = a6 * b1 + a7 * b4 + a8 * b7
  out[8] = a6 * b2 + a7 * b5 + a8 * b8
}

/** Vector product of two lists of three, not for hot code. @unchecked */
export const crossed = (a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
