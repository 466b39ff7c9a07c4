/**
 * Inertias in the notation of `spatial.ts`. A rigid body's is 10 numbers [m, m cx, m cy, m cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about its
 * frame's origin; an articulated body's is a symmetric 6 x 6 matrix (36, row-major), of which only the upper triangle is used. Functions
 * take their result first and read all inputs before they write.
 */

/** out = I m, [Ibar omega + h x v; m v - h x omega] with h = m c (section 2.13). @unchecked */
export function mulInertia(out: Float64Array, I: Float64Array, m: Float64Array): void {
  const wx = m[0]
  const wy = m[1]
  const wz = m[2]
  const vx = m[3]
  const vy = m[4]
  const vz = m[5]
  const mass = I[0]
  const hx = I[1]
  const hy = I[2]
  const hz = I[3]
  const xy = I[7]
  const xz = I[8]
  const yz = I[9]
  out[0] = I[4] * wx + xy * wy + xz * wz + (hy * vz - hz * vy)
  out[1] = xy * wx + I[5] * wy + yz * wz + (hz * vx - hx * vz)
  out[2] = xz * wx + yz * wy + I[6] * wz + (hx * vy - hy * vx)
  out[3] = mass * vx - (hy * wz - hz * wy)
  out[4] = mass * vy - (hz * wx - hx * wz)
  out[5] = mass * vz - (hx * wy - hy * wx)
}

/** out += I, rigid inertias of 10 numbers in the same frame. @unchecked */
export function addInertia(out: Float64Array, I: Float64Array): void {
  out[0] += I[0]
  out[1] += I[1]
  out[2] += I[2]
  out[3] += I[3]
  out[4] += I[4]
  out[5] += I[5]
  out[6] += I[6]
  out[7] += I[7]
  out[8] += I[8]
  out[9] += I[9]
}

/**
 * out = a body's inertia (10 numbers) in world axes about the point c, for the body's pose R, p:
 * h' = R h + m d and Ibar' = R Ibar R^T + 2 (d . u) 1 - d u^T - u d^T with d = p - c and u = R h + m d / 2 (section 2.13). @unchecked
 */
export function inertiaToWorld(out: Float64Array, R: Float64Array, p: Float64Array, c: Float64Array, I: Float64Array): void {
  const r0 = R[0]
  const r1 = R[1]
  const r2 = R[2]
  const r3 = R[3]
  const r4 = R[4]
  const r5 = R[5]
  const r6 = R[6]
  const r7 = R[7]
  const r8 = R[8]
  const dx = p[0] - c[0]
  const dy = p[1] - c[1]
  const dz = p[2] - c[2]
  const m = I[0]
  const xx = I[4]
  const yy = I[5]
  const zz = I[6]
  const xy = I[7]
  const xz = I[8]
  const yz = I[9]

  const hx = r0 * I[1] + r1 * I[2] + r2 * I[3]
  const hy = r3 * I[1] + r4 * I[2] + r5 * I[3]
  const hz = r6 * I[1] + r7 * I[2] + r8 * I[3]
  // rows of R Ibar
  const a0 = r0 * xx + r1 * xy + r2 * xz
  const a1 = r0 * xy + r1 * yy + r2 * yz
  const a2 = r0 * xz + r1 * yz + r2 * zz
  const a3 = r3 * xx + r4 * xy + r5 * xz
  const a4 = r3 * xy + r4 * yy + r5 * yz
  const a5 = r3 * xz + r4 * yz + r5 * zz
  const a6 = r6 * xx + r7 * xy + r8 * xz
  const a7 = r6 * xy + r7 * yy + r8 * yz
  const a8 = r6 * xz + r7 * yz + r8 * zz

  const ux = hx + 0.5 * m * dx
  const uy = hy + 0.5 * m * dy
  const uz = hz + 0.5 * m * dz
  const px = 2 * dx * ux
  const py = 2 * dy * uy
  const pz = 2 * dz * uz
  out[0] = m
  out[1] = hx + m * dx
  out[2] = hy + m * dy
  out[3] = hz + m * dz
  out[4] = a0 * r0 + a1 * r1 + a2 * r2 + py + pz
  out[5] = a3 * r3 + a4 * r4 + a5 * r5 + px + pz
  out[6] = a6 * r6 + a7 * r7 + a8 * r8 + px + py
  out[7] = a0 * r3 + a1 * r4 + a2 * r5 - (dx * uy + ux * dy)
  out[8] = a0 * r6 + a1 * r7 + a2 * r8 - (dx * uz + ux * dz)
  out[9] = a3 * r6 + a4 * r7 + a5 * r8 - (dy * uz + uy * dz)
}

/** out (36, row-major), upper triangle = the 6 x 6 matrix [Ibar, h~; -h~, m 1] of a rigid inertia (section 2.13). */
export function matrixOfInertia(out: Float64Array, I: Float64Array): void {
  const m = I[0]
  const hx = I[1]
  const hy = I[2]
  const hz = I[3]
  out[0] = I[4]
  out[1] = I[7]
  out[2] = I[8]
  out[3] = 0
  out[4] = -hz
  out[5] = hy
  out[7] = I[5]
  out[8] = I[9]
  out[9] = hz
  out[10] = 0
  out[11] = -hx
  out[14] = I[6]
  out[15] = -hy
  out[16] = hx
  out[17] = 0
  out[21] = m
  out[22] = 0
  out[23] = 0
  out[28] = m
  out[29] = 0
  out[35] = m
}

/** out = A m for a symmetric 6 x 6 matrix (36, row-major), of which the upper triangle is read. */
export function mulSymmetric6(out: Float64Array, A: Float64Array, m: Float64Array): void {
  const x = m[0]
  const y = m[1]
  const z = m[2]
  const u = m[3]
  const v = m[4]
  const w = m[5]
  const a01 = A[1]
  const a02 = A[2]
  const a03 = A[3]
  const a04 = A[4]
  const a05 = A[5]
  const a12 = A[8]
  const a13 = A[9]
  const a14 = A[10]
  const a15 = A[11]
  const a23 = A[15]
  const a24 = A[16]
  const a25 = A[17]
  const a34 = A[22]
  const a35 = A[23]
  const a45 = A[29]
  out[0] = A[0] * x + a01 * y + a02 * z + a03 * u + a04 * v + a05 * w
  out[1] = a01 * x + A[7] * y + a12 * z + a13 * u + a14 * v + a15 * w
  out[2] = a02 * x + a12 * y + A[14] * z + a23 * u + a24 * v + a25 * w
  out[3] = a03 * x + a13 * y + a23 * z + A[21] * u + a34 * v + a35 * w
  out[4] = a04 * x + a14 * y + a24 * z + a34 * u + A[28] * v + a45 * w
  out[5] = a05 * x + a15 * y + a25 * z + a35 * u + a45 * v + A[35] * w
}

/** out += A, upper triangle, 6 x 6 (36, row-major). */
export function addSymmetric6(out: Float64Array, A: Float64Array): void {
  out[0] += A[0]
  out[1] += A[1]
  out[2] += A[2]
  out[3] += A[3]
  out[4] += A[4]
  out[5] += A[5]
  out[7] += A[7]
  out[8] += A[8]
  out[9] += A[9]
  out[10] += A[10]
  out[11] += A[11]
  out[14] += A[14]
  out[15] += A[15]
  out[16] += A[16]
  out[17] += A[17]
  out[21] += A[21]
  out[22] += A[22]
  out[23] += A[23]
  out[28] += A[28]
  out[29] += A[29]
  out[35] += A[35]
}

/** out += A - s[k] a a^T, upper triangle, 6 x 6 (36, row-major). */
export function addLessOuter6(out: Float64Array, A: Float64Array, s: Float64Array, k: number, a: Float64Array): void {
  const f = s[k]
  const a0 = a[0]
  const a1 = a[1]
  const a2 = a[2]
  const a3 = a[3]
  const a4 = a[4]
  const a5 = a[5]
  const f0 = f * a0
  const f1 = f * a1
  const f2 = f * a2
  const f3 = f * a3
  const f4 = f * a4
  const f5 = f * a5
  out[0] += A[0] - f0 * a0
  out[1] += A[1] - f0 * a1
  out[2] += A[2] - f0 * a2
  out[3] += A[3] - f0 * a3
  out[4] += A[4] - f0 * a4
  out[5] += A[5] - f0 * a5
  out[7] += A[7] - f1 * a1
  out[8] += A[8] - f1 * a2
  out[9] += A[9] - f1 * a3
  out[10] += A[10] - f1 * a4
  out[11] += A[11] - f1 * a5
  out[14] += A[14] - f2 * a2
  out[15] += A[15] - f2 * a3
  out[16] += A[16] - f2 * a4
  out[17] += A[17] - f2 * a5
  out[21] += A[21] - f3 * a3
  out[22] += A[22] - f3 * a4
  out[23] += A[23] - f3 * a5
  out[28] += A[28] - f4 * a4
  out[29] += A[29] - f4 * a5
  out[35] += A[35] - f5 * a5
}

/** out -= s[k] a a^T, upper triangle, 6 x 6 (36, row-major). */
export function subtractSquare6(out: Float64Array, s: Float64Array, k: number, a: Float64Array): void {
  const f = s[k]
  const a0 = a[0]
  const a1 = a[1]
  const a2 = a[2]
  const a3 = a[3]
  const a4 = a[4]
  const a5 = a[5]
  const f0 = f * a0
  const f1 = f * a1
  const f2 = f * a2
  const f3 = f * a3
  const f4 = f * a4
  const f5 = f * a5
  out[0] -= f0 * a0
  out[1] -= f0 * a1
  out[2] -= f0 * a2
  out[3] -= f0 * a3
  out[4] -= f0 * a4
  out[5] -= f0 * a5
  out[7] -= f1 * a1
  out[8] -= f1 * a2
  out[9] -= f1 * a3
  out[10] -= f1 * a4
  out[11] -= f1 * a5
  out[14] -= f2 * a2
  out[15] -= f2 * a3
  out[16] -= f2 * a4
  out[17] -= f2 * a5
  out[21] -= f3 * a3
  out[22] -= f3 * a4
  out[23] -= f3 * a5
  out[28] -= f4 * a4
  out[29] -= f4 * a5
  out[35] -= f5 * a5
}
