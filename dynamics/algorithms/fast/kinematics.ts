import { addWork, sincos } from '../../math/index.ts'
import { checkLength } from '../../model/checkLength.ts'
import type { Data } from '../../model/data.ts'
import type { Model } from '../../model/model.ts'
import { placeBody } from '../../model/placeBody.ts'
import type { State } from '../../model/state.ts'

/**
 * Forward kinematics at q: X = XJ XT (Featherstone 2008, section 4.4), and from it the poses. Special cases: `data.free`, the bases of most
 * robots, whose q is the pose; and the hinges in `data.straight`, most joints of legged robots, for which R = Rp E^T mixes two columns of
 * Rp and keeps the third, which with its sign is S. @unchecked
 *
 * Reads state.q. Writes data.X, data.R_WB, data.p_WB, data.SW (world axes, about the world's origin). Call it first for every other
 * algorithm that takes `data`.
 *
 * @throws RangeError if q has not nq entries
 */
export function kinematics(model: Model, { q }: State, data: Data): void {
  const { nb, nq, parent, sStart, qStart, jointAxis } = model
  const { straight, free } = data
  const { XT, X, R_WB: R, p_WB: P, S, SW } = data.flat
  const { sincos: sc } = data.scratch
  checkLength('q', q, nq)
  if (data.compiled?.kinematics(q) === true) return
  addWork(nb, 40, 1)

  for (let k = 0; k < 9; k += 4) R[k] = 1
  for (let i = 1; i < nb; i++) {
    const l = straight[i]
    if (l < 0) {
      if (free[i] !== 0) placeFree(data, i, sStart[i], q, qStart[i])
      else placeBody(model, i, q, data)
      continue
    }
    sincos(sc, q, qStart[i])
    const sin = jointAxis[3 * i + l] * sc[0]
    const cos = sc[1]

    const a = l === 2 ? 0 : l + 1
    const b = l === 0 ? 2 : l - 1
    const x = 12 * i
    const xa = x + 3 * a
    const xb = x + 3 * b
    const xl = x + 3 * l
    const rx = XT[x + 9]
    const ry = XT[x + 10]
    const rz = XT[x + 11]
    X[xa + a] = cos
    X[xa + b] = sin
    X[xa + l] = 0
    X[xb + a] = -sin
    X[xb + b] = cos
    X[xb + l] = 0
    X[xl + a] = 0
    X[xl + b] = 0
    X[xl + l] = 1
    X[x + 9] = rx
    X[x + 10] = ry
    X[x + 11] = rz

    // p = pp + Rp r
    const rp = 9 * parent[i]
    const pp = 3 * parent[i]
    const px = P[pp] + (R[rp] * rx + R[rp + 1] * ry + R[rp + 2] * rz)
    const py = P[pp + 1] + (R[rp + 3] * rx + R[rp + 4] * ry + R[rp + 5] * rz)
    const pz = P[pp + 2] + (R[rp + 6] * rx + R[rp + 7] * ry + R[rp + 8] * rz)
    const p = 3 * i
    P[p] = px
    P[p + 1] = py
    P[p + 2] = pz

    // R = Rp E^T: columns a, b and l
    const a0 = R[rp + a]
    const a1 = R[rp + a + 3]
    const a2 = R[rp + a + 6]
    const b0 = R[rp + b]
    const b1 = R[rp + b + 3]
    const b2 = R[rp + b + 6]
    const zx = R[rp + l]
    const zy = R[rp + l + 3]
    const zz = R[rp + l + 6]
    const r = 9 * i
    R[r + a] = cos * a0 + sin * b0
    R[r + a + 3] = cos * a1 + sin * b1
    R[r + a + 6] = cos * a2 + sin * b2
    R[r + b] = cos * b0 - sin * a0
    R[r + b + 3] = cos * b1 - sin * a1
    R[r + b + 6] = cos * b2 - sin * a2
    R[r + l] = zx
    R[r + l + 3] = zy
    R[r + l + 6] = zz

    // SW = [S_l z; p x S_l z], S_l being 1 or -1
    const s = 6 * sStart[i]
    const wx = S[s + l] * zx
    const wy = S[s + l] * zy
    const wz = S[s + l] * zz
    SW[s] = wx
    SW[s + 1] = wy
    SW[s + 2] = wz
    SW[s + 3] = py * wz - pz * wy
    SW[s + 4] = pz * wx - px * wz
    SW[s + 5] = px * wy - py * wx
  }
}

/** Body i in `data.free`, with its position and quaternion at q[k..]. Its motions: rotations about its own axes, then translations. */
function placeFree({ flat }: Data, i: number, first: number, q: Float64Array, k: number): void {
  const { X, R_WB: R, p_WB: P, SW } = flat
  const px = q[k]
  const py = q[k + 1]
  const pz = q[k + 2]
  const x = q[k + 3]
  const y = q[k + 4]
  const z = q[k + 5]
  const w = q[k + 6]
  const s = 2 / (x * x + y * y + z * z + w * w)
  const xx = s * x * x
  const yy = s * y * y
  const zz = s * z * z
  const xy = s * x * y
  const xz = s * x * z
  const yz = s * y * z
  const wx = s * w * x
  const wy = s * w * y
  const wz = s * w * z
  const r = 9 * i
  R[r] = 1 - yy - zz
  R[r + 1] = xy - wz
  R[r + 2] = xz + wy
  R[r + 3] = xy + wz
  R[r + 4] = 1 - xx - zz
  R[r + 5] = yz - wx
  R[r + 6] = xz - wy
  R[r + 7] = yz + wx
  R[r + 8] = 1 - xx - yy
  P[3 * i] = px
  P[3 * i + 1] = py
  P[3 * i + 2] = pz
  X[12 * i + 9] = px
  X[12 * i + 10] = py
  X[12 * i + 11] = pz
  for (let c = 0; c < 3; c++) {
    const ax = R[r + c]
    const ay = R[r + c + 3]
    const az = R[r + c + 6]
    const e = 12 * i + 3 * c
    X[e] = ax
    X[e + 1] = ay
    X[e + 2] = az
    const turn = 6 * (first + c)
    SW[turn] = ax
    SW[turn + 1] = ay
    SW[turn + 2] = az
    SW[turn + 3] = py * az - pz * ay
    SW[turn + 4] = pz * ax - px * az
    SW[turn + 5] = px * ay - py * ax
    const move = turn + 18
    SW[move] = 0
    SW[move + 1] = 0
    SW[move + 2] = 0
    SW[move + 3] = ax
    SW[move + 4] = ay
    SW[move + 5] = az
  }
}

/** For the compiler: what this file's functions refer to. */
export const kinematicsParts = () => ({ kinematics, placeFree, placeBody, sincos, addWork, checkLength })
