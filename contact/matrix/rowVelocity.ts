import type { Data, Model } from '../../dynamics/index.ts'
import { RowKind, type RowSet } from './rowSet.ts'

/** u = J v: the bodies' velocities at the points, taken joint by joint on their ways from the roots. */
export class RowVelocity {
  private readonly model: Model
  /** 6: velocity of B relative to A, [angular; linear], about the world's origin. */
  private readonly relative = new Float64Array(6)

  constructor(model: Model) {
    this.model = model
  }

  /** Reads data.SW (`kinematics`). */
  write(data: Data, rows: RowSet, v: Float64Array, u: Float64Array): void {
    const { relative } = this
    const { count, kind, bodyA, bodyB, width, point, axes, joint, sign, firstRow } = rows
    for (let i = 0; i < count; i++) {
      const r = firstRow[i]
      if (kind[i] === RowKind.joint) {
        u[r] = sign[i] * v[joint[i]]
        continue
      }
      // several contacts of one pair of bodies mostly follow each other
      const known = i > 0 && kind[i - 1] !== RowKind.joint && bodyA[i - 1] === bodyA[i] && bodyB[i - 1] === bodyB[i]
      if (!known) this.setRelative(data, bodyA[i], bodyB[i], v)
      let x = relative[0]
      let y = relative[1]
      let z = relative[2]
      if (kind[i] === RowKind.force) {
        const p = 3 * i
        const wx = x
        const wy = y
        const wz = z
        x = relative[3] + (wy * point[p + 2] - wz * point[p + 1])
        y = relative[4] + (wz * point[p] - wx * point[p + 2])
        z = relative[5] + (wx * point[p + 1] - wy * point[p])
      }
      for (let k = 0; k < width[i]; k++) {
        const a = 9 * i + 3 * k
        u[r + k] = axes[a] * x + axes[a + 1] * y + axes[a + 2] * z
      }
    }
  }

  private setRelative(data: Data, bodyA: number, bodyB: number, v: Float64Array): void {
    const { sParent, sLast, vOfS } = this.model
    const { SW } = data.flat
    let a = sLast[bodyA]
    let b = sLast[bodyB]
    let wx = 0
    let wy = 0
    let wz = 0
    let vx = 0
    let vy = 0
    let vz = 0
    // what moves both bodies moves neither relative to the other
    while (a !== b) {
      const s = a > b ? a : b
      const k = 6 * s
      const f = a > b ? -v[vOfS[s]] : v[vOfS[s]]
      wx += f * SW[k]
      wy += f * SW[k + 1]
      wz += f * SW[k + 2]
      vx += f * SW[k + 3]
      vy += f * SW[k + 4]
      vz += f * SW[k + 5]
      if (a > b) a = sParent[a]
      else b = sParent[b]
    }
    const { relative } = this
    relative[0] = wx
    relative[1] = wy
    relative[2] = wz
    relative[3] = vx
    relative[4] = vy
    relative[5] = vz
  }
}
