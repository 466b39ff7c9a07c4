/**
 * Spatial algebra in the notation of Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2: motion vectors
 * [omega; v], force vectors [n; f], angular part first.
 *
 * A transform X from frame A to frame B is 12 numbers [E (9, row-major), r (3)]: E turns A's axes into B's, r is B's
 * origin in A's axes. A rigid body's inertia is 10 numbers [m, m cx, m cy, m cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about its
 * frame's origin. Every function takes its result first and reads all inputs before it writes.
 */

export function setZero(out: Float64Array): void {
  out[0] = 0
  out[1] = 0
  out[2] = 0
  out[3] = 0
  out[4] = 0
  out[5] = 0
}

/** out = a */
export function copy6(out: Float64Array, a: Float64Array): void {
  out[0] = a[0]
  out[1] = a[1]
  out[2] = a[2]
  out[3] = a[3]
  out[4] = a[4]
  out[5] = a[5]
}

/** out = a + b */
export function sum6(out: Float64Array, a: Float64Array, b: Float64Array): void {
  out[0] = a[0] + b[0]
  out[1] = a[1] + b[1]
  out[2] = a[2] + b[2]
  out[3] = a[3] + b[3]
  out[4] = a[4] + b[4]
  out[5] = a[5] + b[5]
}

/** out += a */
export function add(out: Float64Array, a: Float64Array): void {
  out[0] += a[0]
  out[1] += a[1]
  out[2] += a[2]
  out[3] += a[3]
  out[4] += a[4]
  out[5] += a[5]
}

/** out -= a */
export function subtract(out: Float64Array, a: Float64Array): void {
  out[0] -= a[0]
  out[1] -= a[1]
  out[2] -= a[2]
  out[3] -= a[3]
  out[4] -= a[4]
  out[5] -= a[5]
}

/** out += s[k] a */
export function addScaled(out: Float64Array, s: Float64Array, k: number, a: Float64Array): void {
  const f = s[k]
  out[0] += f * a[0]
  out[1] += f * a[1]
  out[2] += f * a[2]
  out[3] += f * a[3]
  out[4] += f * a[4]
  out[5] += f * a[5]
}

/** out[k] = a . b: the power of a force along a motion. */
export function dot6(out: Float64Array, k: number, a: Float64Array, b: Float64Array): void {
  out[k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

/** out[k] += a . b */
export function addDot6(out: Float64Array, k: number, a: Float64Array, b: Float64Array): void {
  out[k] += a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

/** out = X m: a motion vector from A to B, [E omega; E (v - r x omega)] (section 2.8). */
export function mulX(out: Float64Array, X: Float64Array, m: Float64Array): void {
  const wx = m[0]
  const wy = m[1]
  const wz = m[2]
  const rx = X[9]
  const ry = X[10]
  const rz = X[11]
  const vx = m[3] - (ry * wz - rz * wy)
  const vy = m[4] - (rz * wx - rx * wz)
  const vz = m[5] - (rx * wy - ry * wx)
  const e0 = X[0]
  const e1 = X[1]
  const e2 = X[2]
  const e3 = X[3]
  const e4 = X[4]
  const e5 = X[5]
  const e6 = X[6]
  const e7 = X[7]
  const e8 = X[8]
  out[0] = e0 * wx + e1 * wy + e2 * wz
  out[1] = e3 * wx + e4 * wy + e5 * wz
  out[2] = e6 * wx + e7 * wy + e8 * wz
  out[3] = e0 * vx + e1 * vy + e2 * vz
  out[4] = e3 * vx + e4 * vy + e5 * vz
  out[5] = e6 * vx + e7 * vy + e8 * vz
}

/** out += X^T f: a force vector from B to A, [E^T n + r x E^T f; E^T f] (section 2.8). */
export function addXTransposed(out: Float64Array, X: Float64Array, f: Float64Array): void {
  const e0 = X[0]
  const e1 = X[1]
  const e2 = X[2]
  const e3 = X[3]
  const e4 = X[4]
  const e5 = X[5]
  const e6 = X[6]
  const e7 = X[7]
  const e8 = X[8]
  const rx = X[9]
  const ry = X[10]
  const rz = X[11]
  const nx = f[0]
  const ny = f[1]
  const nz = f[2]
  const gx = f[3]
  const gy = f[4]
  const gz = f[5]
  const fx = e0 * gx + e3 * gy + e6 * gz
  const fy = e1 * gx + e4 * gy + e7 * gz
  const fz = e2 * gx + e5 * gy + e8 * gz
  out[0] += e0 * nx + e3 * ny + e6 * nz + (ry * fz - rz * fy)
  out[1] += e1 * nx + e4 * ny + e7 * nz + (rz * fx - rx * fz)
  out[2] += e2 * nx + e5 * ny + e8 * nz + (rx * fy - ry * fx)
  out[3] += fx
  out[4] += fy
  out[5] += fz
}

/** out += s[k] V x m, V x m = [omega x m_omega; omega x m_v + v x m_omega] (section 2.9). */
export function addScaledCross(out: Float64Array, s: Float64Array, k: number, V: Float64Array, m: Float64Array): void {
  const f = s[k]
  const wx = V[0]
  const wy = V[1]
  const wz = V[2]
  const vx = V[3]
  const vy = V[4]
  const vz = V[5]
  const ax = f * m[0]
  const ay = f * m[1]
  const az = f * m[2]
  const bx = f * m[3]
  const by = f * m[4]
  const bz = f * m[5]
  out[0] += wy * az - wz * ay
  out[1] += wz * ax - wx * az
  out[2] += wx * ay - wy * ax
  out[3] += wy * bz - wz * by + (vy * az - vz * ay)
  out[4] += wz * bx - wx * bz + (vz * ax - vx * az)
  out[5] += wx * by - wy * bx + (vx * ay - vy * ax)
}

/** out = V x m (section 2.9). */
export function crossMotion(out: Float64Array, V: Float64Array, m: Float64Array): void {
  const wx = V[0]
  const wy = V[1]
  const wz = V[2]
  const vx = V[3]
  const vy = V[4]
  const vz = V[5]
  const ax = m[0]
  const ay = m[1]
  const az = m[2]
  const bx = m[3]
  const by = m[4]
  const bz = m[5]
  out[0] = wy * az - wz * ay
  out[1] = wz * ax - wx * az
  out[2] = wx * ay - wy * ax
  out[3] = wy * bz - wz * by + (vy * az - vz * ay)
  out[4] = wz * bx - wx * bz + (vz * ax - vx * az)
  out[5] = wx * by - wy * bx + (vx * ay - vy * ax)
}

/** out += V x* f, [omega x n + v x f; omega x f] (section 2.9). */
export function addCrossForce(out: Float64Array, V: Float64Array, f: Float64Array): void {
  const wx = V[0]
  const wy = V[1]
  const wz = V[2]
  const vx = V[3]
  const vy = V[4]
  const vz = V[5]
  const nx = f[0]
  const ny = f[1]
  const nz = f[2]
  const fx = f[3]
  const fy = f[4]
  const fz = f[5]
  out[0] += wy * nz - wz * ny + (vy * fz - vz * fy)
  out[1] += wz * nx - wx * nz + (vz * fx - vx * fz)
  out[2] += wx * ny - wy * nx + (vx * fy - vy * fx)
  out[3] += wy * fz - wz * fy
  out[4] += wz * fx - wx * fz
  out[5] += wx * fy - wy * fx
}

/** out = I m, [Ibar omega + h x v; m v - h x omega] with h = m c (section 2.13). */
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

/** out += I, rigid inertias of 10 numbers in the same frame. */
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
 * h' = R h + m d and Ibar' = R Ibar R^T + 2 (d . u) 1 - d u^T - u d^T with d = p - c and u = R h + m d / 2 (section 2.13).
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

/** out = the motion vector m moved from the origin to the point c, axes unchanged: [omega; v + omega x c]. */
export function shiftMotion(out: Float64Array, m: Float64Array, c: Float64Array): void {
  const wx = m[0]
  const wy = m[1]
  const wz = m[2]
  const cx = c[0]
  const cy = c[1]
  const cz = c[2]
  out[3] = m[3] + (wy * cz - wz * cy)
  out[4] = m[4] + (wz * cx - wx * cz)
  out[5] = m[5] + (wx * cy - wy * cx)
  out[0] = wx
  out[1] = wy
  out[2] = wz
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

/** out -= s[k] a b^T, upper triangle, 6 x 6 (36, row-major). */
export function subtractOuter6(out: Float64Array, s: Float64Array, k: number, a: Float64Array, b: Float64Array): void {
  for (let r = 0; r < 6; r++) {
    const f = s[k] * a[r]
    for (let c = r; c < 6; c++) out[6 * r + c] -= f * b[c]
  }
}

/** out (6) = a body's motion vector in the axes and about the origin of the world, for the body's pose R_WB, p_WB. */
export function motionToWorld(out: Float64Array, R_WB: Float64Array, p_WB: Float64Array, m: Float64Array): void {
  const x = m[0]
  const y = m[1]
  const z = m[2]
  const u = m[3]
  const v = m[4]
  const w = m[5]
  const r0 = R_WB[0]
  const r1 = R_WB[1]
  const r2 = R_WB[2]
  const r3 = R_WB[3]
  const r4 = R_WB[4]
  const r5 = R_WB[5]
  const r6 = R_WB[6]
  const r7 = R_WB[7]
  const r8 = R_WB[8]
  const px = p_WB[0]
  const py = p_WB[1]
  const pz = p_WB[2]
  const wx = r0 * x + r1 * y + r2 * z
  const wy = r3 * x + r4 * y + r5 * z
  const wz = r6 * x + r7 * y + r8 * z
  out[0] = wx
  out[1] = wy
  out[2] = wz
  out[3] = r0 * u + r1 * v + r2 * w + (py * wz - pz * wy)
  out[4] = r3 * u + r4 * v + r5 * w + (pz * wx - px * wz)
  out[5] = r6 * u + r7 * v + r8 * w + (px * wy - py * wx)
}

/** out (6) += a body's force vector in the axes and about the origin of the world. */
export function addForceToWorld(out: Float64Array, R_WB: Float64Array, p_WB: Float64Array, f: Float64Array): void {
  const x = f[0]
  const y = f[1]
  const z = f[2]
  const u = f[3]
  const v = f[4]
  const w = f[5]
  const fx = R_WB[0] * u + R_WB[1] * v + R_WB[2] * w
  const fy = R_WB[3] * u + R_WB[4] * v + R_WB[5] * w
  const fz = R_WB[6] * u + R_WB[7] * v + R_WB[8] * w
  const px = p_WB[0]
  const py = p_WB[1]
  const pz = p_WB[2]
  out[0] += R_WB[0] * x + R_WB[1] * y + R_WB[2] * z + (py * fz - pz * fy)
  out[1] += R_WB[3] * x + R_WB[4] * y + R_WB[5] * z + (pz * fx - px * fz)
  out[2] += R_WB[6] * x + R_WB[7] * y + R_WB[8] * z + (px * fy - py * fx)
  out[3] += fx
  out[4] += fy
  out[5] += fz
}

/** out (6) -= the force vector at f[k..k+5] moved from the origin to the point c, axes unchanged: [n - c x f; f]. */
export function subtractShiftedForce(out: Float64Array, f: Float64Array, k: number, c: Float64Array): void {
  const cx = c[0]
  const cy = c[1]
  const cz = c[2]
  const fx = f[k + 3]
  const fy = f[k + 4]
  const fz = f[k + 5]
  out[0] -= f[k] - (cy * fz - cz * fy)
  out[1] -= f[k + 1] - (cz * fx - cx * fz)
  out[2] -= f[k + 2] - (cx * fy - cy * fx)
  out[3] -= fx
  out[4] -= fy
  out[5] -= fz
}

/** The pose of a body from its parent's: R = Rp E^T, p = pp + Rp r. */
export function poseOfChild(R: Float64Array, p: Float64Array, Rp: Float64Array, pp: Float64Array, X: Float64Array): void {
  const r0 = Rp[0]
  const r1 = Rp[1]
  const r2 = Rp[2]
  const r3 = Rp[3]
  const r4 = Rp[4]
  const r5 = Rp[5]
  const r6 = Rp[6]
  const r7 = Rp[7]
  const r8 = Rp[8]
  const e0 = X[0]
  const e1 = X[1]
  const e2 = X[2]
  const e3 = X[3]
  const e4 = X[4]
  const e5 = X[5]
  const e6 = X[6]
  const e7 = X[7]
  const e8 = X[8]
  const x = X[9]
  const y = X[10]
  const z = X[11]
  R[0] = r0 * e0 + r1 * e1 + r2 * e2
  R[1] = r0 * e3 + r1 * e4 + r2 * e5
  R[2] = r0 * e6 + r1 * e7 + r2 * e8
  R[3] = r3 * e0 + r4 * e1 + r5 * e2
  R[4] = r3 * e3 + r4 * e4 + r5 * e5
  R[5] = r3 * e6 + r4 * e7 + r5 * e8
  R[6] = r6 * e0 + r7 * e1 + r8 * e2
  R[7] = r6 * e3 + r7 * e4 + r8 * e5
  R[8] = r6 * e6 + r7 * e7 + r8 * e8
  p[0] = pp[0] + (r0 * x + r1 * y + r2 * z)
  p[1] = pp[1] + (r3 * x + r4 * y + r5 * z)
  p[2] = pp[2] + (r6 * x + r7 * y + r8 * z)
}
