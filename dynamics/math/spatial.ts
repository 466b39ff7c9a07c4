/**
 * Spatial algebra in the notation of Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2: motion vectors [omega; v], force
 * vectors [n; f], angular part first.
 *
 * A transform X from frame A to frame B is 12 numbers [E (9, row-major), r (3)]: E turns A's axes into B's, r is B's origin in A's axes.
 * Functions take their result first and read all inputs before they write.
 */

export function setZero(out: Float64Array): void {
  out[0] = 0
  out[1] = 0
  out[2] = 0
  out[3] = 0
  out[4] = 0
  out[5] = 0
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

/** out = X m: a motion vector from A to B, [E omega; E (v - r x omega)] (section 2.8). @unchecked */
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

/** out += X^T f: a force vector from B to A, [E^T n + r x E^T f; E^T f] (section 2.8). @unchecked */
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

/** out = V x m (section 2.9). @unchecked */
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

/** out += V x* f, [omega x n + v x f; omega x f] (section 2.9). @unchecked */
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

/** out = the motion vector m moved from the origin to the point c, axes unchanged: [omega; v + omega x c]. @unchecked */
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

/** out (6) = a body's motion vector in the axes and about the origin of the world, for the body's pose R_WB, p_WB. @unchecked */
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

/** out (6) += a body's force vector in the axes and about the origin of the world. @unchecked */
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
