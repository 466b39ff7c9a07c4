import { addWork } from '../../math/index.ts'
import { checkLength } from '../../model/checkLength.ts'
import type { Data } from '../../model/data.ts'
import type { Model } from '../../model/model.ts'
import type { State } from '../../model/state.ts'

/**
 * Inverse dynamics, tau = M(q) a + c(q, v), by the recursive Newton-Euler algorithm with 3-vectors: Luh, Walker and Paul, On-line
 * computational scheme for mechanical manipulators (ASME J. Dyn. Sys. Meas. Control 102, 1980), in each body's own axes, with the
 * angular-acceleration matrix Psi = omega'~ + omega~ omega~ of Balafoutis, Patel and Misra (IEEE J. Robotics Automation 4(6), 1988), which
 * serves the body's children and its own centre of mass alike: 270 operations for a body on a hinge where `rneaTable` has 330. Each rotor's
 * inertia (`model.armature`) times its own acceleration is added. Rigid bodies only: joint damping and friction are not included. @unchecked
 *
 * Reads data.X, so call `kinematics` for this q first. Writes data.V, data.A, data.F: [angular; linear], each in its own body's axes. A
 * carries -gravity, as body 0 does. Body 0's F, the force on the world, is not summed.
 *
 * @param a   generalised acceleration, nv [rad/s^2, m/s^2]; for a floating, planar or spherical joint the derivative of its v, body axes
 * @param tau out: generalised force, nv [N m, N]
 * @throws RangeError if v, a or tau has not nv entries
 */
export function rnea(model: Model, { v }: State, a: Float64Array, data: Data, tau: Float64Array): void {
  const { nv, armature } = model
  checkLength('v', v, nv)
  checkLength('a', a, nv)
  checkLength('tau', tau, nv)
  if (data.compiled?.rnea(model, v, a, tau) === true) return
  move(model, v, a, data)
  for (let k = 0; k < nv; k++) tau[k] = armature[k] * a[k]
  passForcesOn(model, data, tau)
}

/** From the roots outward: velocity and acceleration of each body, and the force that they require. */
function move(model: Model, v: Float64Array, a: Float64Array, data: Data): void {
  const { nb, parent, sStart, vOfS, gravity } = model
  addWork(nb, 100, 1)
  const { hinge, free } = data
  const { X, S, I, V, A, pull, F } = data.flat

  // body 0 is the world: at rest, and accelerating upwards in place of gravity
  for (let k = 0; k < 6; k++) {
    V[k] = 0
    A[k] = -gravity[k]
  }
  for (let k = 0; k < 12; k++) pull[k] = k < 3 ? -gravity[k + 3] : 0
  for (let i = 1; i < nb; i++) {
    const x = 12 * i
    const e0 = X[x]
    const e1 = X[x + 1]
    const e2 = X[x + 2]
    const e3 = X[x + 3]
    const e4 = X[x + 4]
    const e5 = X[x + 5]
    const e6 = X[x + 6]
    const e7 = X[x + 7]
    const e8 = X[x + 8]
    const rx = X[x + 9]
    const ry = X[x + 10]
    const rz = X[x + 11]

    let wx: number
    let wy: number
    let wz: number
    let vx: number
    let vy: number
    let vz: number
    let dx: number
    let dy: number
    let dz: number
    let ax: number
    let ay: number
    let az: number
    if (free[i] !== 0) {
      // v and a are the body's own; in rotating axes its acceleration is a + omega x v
      const k = vOfS[sStart[i]]
      wx = v[k]
      wy = v[k + 1]
      wz = v[k + 2]
      vx = v[k + 3]
      vy = v[k + 4]
      vz = v[k + 5]
      dx = a[k]
      dy = a[k + 1]
      dz = a[k + 2]
      const gx = pull[0]
      const gy = pull[1]
      const gz = pull[2]
      ax = e0 * gx + e1 * gy + e2 * gz + a[k + 3] + (wy * vz - wz * vy)
      ay = e3 * gx + e4 * gy + e5 * gz + a[k + 4] + (wz * vx - wx * vz)
      az = e6 * gx + e7 * gy + e8 * gz + a[k + 5] + (wx * vy - wy * vx)
    } else {
      // the parent's omega, omega', and velocity and acceleration at r, v + omega x r and a + Psi r, in the body's axes
      const p = 6 * parent[i]
      let x0 = V[p]
      let y0 = V[p + 1]
      let z0 = V[p + 2]
      wx = e0 * x0 + e1 * y0 + e2 * z0
      wy = e3 * x0 + e4 * y0 + e5 * z0
      wz = e6 * x0 + e7 * y0 + e8 * z0
      const ux = V[p + 3] + (y0 * rz - z0 * ry)
      const uy = V[p + 4] + (z0 * rx - x0 * rz)
      const uz = V[p + 5] + (x0 * ry - y0 * rx)
      vx = e0 * ux + e1 * uy + e2 * uz
      vy = e3 * ux + e4 * uy + e5 * uz
      vz = e6 * ux + e7 * uy + e8 * uz
      x0 = A[p]
      y0 = A[p + 1]
      z0 = A[p + 2]
      dx = e0 * x0 + e1 * y0 + e2 * z0
      dy = e3 * x0 + e4 * y0 + e5 * z0
      dz = e6 * x0 + e7 * y0 + e8 * z0
      const o = 12 * parent[i]
      x0 = pull[o] + (pull[o + 3] * rx + pull[o + 4] * ry + pull[o + 5] * rz)
      y0 = pull[o + 1] + (pull[o + 6] * rx + pull[o + 7] * ry + pull[o + 8] * rz)
      z0 = pull[o + 2] + (pull[o + 9] * rx + pull[o + 10] * ry + pull[o + 11] * rz)
      ax = e0 * x0 + e1 * y0 + e2 * z0
      ay = e3 * x0 + e4 * y0 + e5 * z0
      az = e6 * x0 + e7 * y0 + e8 * z0

      // The joint's J = S v is added to the velocity, S a and omega x J_omega to omega', S a and (2 omega + J_omega) x J_v to
      // the acceleration, omega still being the parent's.
      if (hinge[i] !== 0) {
        const k = vOfS[sStart[i]]
        const s = 6 * sStart[i]
        const jx = v[k] * S[s]
        const jy = v[k] * S[s + 1]
        const jz = v[k] * S[s + 2]
        dx += a[k] * S[s] + (wy * jz - wz * jy)
        dy += a[k] * S[s + 1] + (wz * jx - wx * jz)
        dz += a[k] * S[s + 2] + (wx * jy - wy * jx)
        wx += jx
        wy += jy
        wz += jz
      } else {
        let jx = 0
        let jy = 0
        let jz = 0
        let lx = 0
        let ly = 0
        let lz = 0
        for (let n = sStart[i]; n < sStart[i + 1]; n++) {
          const k = vOfS[n]
          const s = 6 * n
          jx += v[k] * S[s]
          jy += v[k] * S[s + 1]
          jz += v[k] * S[s + 2]
          lx += v[k] * S[s + 3]
          ly += v[k] * S[s + 4]
          lz += v[k] * S[s + 5]
          dx += a[k] * S[s]
          dy += a[k] * S[s + 1]
          dz += a[k] * S[s + 2]
          ax += a[k] * S[s + 3]
          ay += a[k] * S[s + 4]
          az += a[k] * S[s + 5]
        }
        dx += wy * jz - wz * jy
        dy += wz * jx - wx * jz
        dz += wx * jy - wy * jx
        vx += lx
        vy += ly
        vz += lz
        x0 = 2 * wx + jx
        y0 = 2 * wy + jy
        z0 = 2 * wz + jz
        ax += y0 * lz - z0 * ly
        ay += z0 * lx - x0 * lz
        az += x0 * ly - y0 * lx
        wx += jx
        wy += jy
        wz += jz
      }
    }

    const n = 6 * i
    V[n] = wx
    V[n + 1] = wy
    V[n + 2] = wz
    V[n + 3] = vx
    V[n + 4] = vy
    V[n + 5] = vz
    A[n] = dx
    A[n + 1] = dy
    A[n + 2] = dz
    A[n + 3] = ax - (wy * vz - wz * vy)
    A[n + 4] = ay - (wz * vx - wx * vz)
    A[n + 5] = az - (wx * vy - wy * vx)

    const xx = wx * wx
    const yy = wy * wy
    const zz = wz * wz
    const xy = wx * wy
    const xz = wx * wz
    const yz = wy * wz
    const p0 = -yy - zz
    const p1 = xy - dz
    const p2 = xz + dy
    const p3 = xy + dz
    const p4 = -xx - zz
    const p5 = yz - dx
    const p6 = xz - dy
    const p7 = yz + dx
    const p8 = -xx - yy
    pull[x] = ax
    pull[x + 1] = ay
    pull[x + 2] = az
    pull[x + 3] = p0
    pull[x + 4] = p1
    pull[x + 5] = p2
    pull[x + 6] = p3
    pull[x + 7] = p4
    pull[x + 8] = p5
    pull[x + 9] = p6
    pull[x + 10] = p7
    pull[x + 11] = p8

    // moment Ibar omega' + omega x Ibar omega + h x a, force m a + Psi h, with h = m c
    const b = 10 * i
    const mass = I[b]
    const hx = I[b + 1]
    const hy = I[b + 2]
    const hz = I[b + 3]
    const Ixx = I[b + 4]
    const Iyy = I[b + 5]
    const Izz = I[b + 6]
    const Ixy = I[b + 7]
    const Ixz = I[b + 8]
    const Iyz = I[b + 9]
    const Lx = Ixx * wx + Ixy * wy + Ixz * wz
    const Ly = Ixy * wx + Iyy * wy + Iyz * wz
    const Lz = Ixz * wx + Iyz * wy + Izz * wz
    const f = 6 * i
    F[f] = Ixx * dx + Ixy * dy + Ixz * dz + (wy * Lz - wz * Ly) + (hy * az - hz * ay)
    F[f + 1] = Ixy * dx + Iyy * dy + Iyz * dz + (wz * Lx - wx * Lz) + (hz * ax - hx * az)
    F[f + 2] = Ixz * dx + Iyz * dy + Izz * dz + (wx * Ly - wy * Lx) + (hx * ay - hy * ax)
    F[f + 3] = mass * ax + p0 * hx + p1 * hy + p2 * hz
    F[f + 4] = mass * ay + p3 * hx + p4 * hy + p5 * hz
    F[f + 5] = mass * az + p6 * hx + p7 * hy + p8 * hz
  }
}

/** From the leaves inward: tau += S^T F, Fp += X^T F. */
function passForcesOn(model: Model, data: Data, tau: Float64Array): void {
  const { nb, parent, sStart, vOfS } = model
  const { hinge, free } = data
  const { X, S, F } = data.flat

  for (let i = nb - 1; i > 0; i--) {
    const f = 6 * i
    const nx = F[f]
    const ny = F[f + 1]
    const nz = F[f + 2]
    const gx = F[f + 3]
    const gy = F[f + 4]
    const gz = F[f + 5]
    if (hinge[i] !== 0) {
      const s = 6 * sStart[i]
      tau[vOfS[sStart[i]]] += S[s] * nx + S[s + 1] * ny + S[s + 2] * nz
    } else if (free[i] !== 0) {
      const k = vOfS[sStart[i]]
      tau[k] += nx
      tau[k + 1] += ny
      tau[k + 2] += nz
      tau[k + 3] += gx
      tau[k + 4] += gy
      tau[k + 5] += gz
    } else {
      for (let k = sStart[i]; k < sStart[i + 1]; k++) {
        const s = 6 * k
        tau[vOfS[k]] += S[s] * nx + S[s + 1] * ny + S[s + 2] * nz + S[s + 3] * gx + S[s + 4] * gy + S[s + 5] * gz
      }
    }
    if (parent[i] === 0) continue

    const x = 12 * i
    const e0 = X[x]
    const e1 = X[x + 1]
    const e2 = X[x + 2]
    const e3 = X[x + 3]
    const e4 = X[x + 4]
    const e5 = X[x + 5]
    const e6 = X[x + 6]
    const e7 = X[x + 7]
    const e8 = X[x + 8]
    const rx = X[x + 9]
    const ry = X[x + 10]
    const rz = X[x + 11]
    const fx = e0 * gx + e3 * gy + e6 * gz
    const fy = e1 * gx + e4 * gy + e7 * gz
    const fz = e2 * gx + e5 * gy + e8 * gz
    const p = 6 * parent[i]
    F[p] += e0 * nx + e3 * ny + e6 * nz + (ry * fz - rz * fy)
    F[p + 1] += e1 * nx + e4 * ny + e7 * nz + (rz * fx - rx * fz)
    F[p + 2] += e2 * nx + e5 * ny + e8 * nz + (rx * fy - ry * fx)
    F[p + 3] += fx
    F[p + 4] += fy
    F[p + 5] += fz
  }
}

/** For the compiler: what this file's functions refer to. */
export const rneaParts = () => ({ rnea, move, passForcesOn, addWork, checkLength })
