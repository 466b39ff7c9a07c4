import { bodiesOn, JointType, type Model, rotationOfQuaternion, sincos } from '../../dynamics/index.ts'
import type { ContactRows } from '../constraints/index.ts'

/**
 * Transforms rows built at the end of a step, q = q0 ⊕ h v, into derivatives by v: the gap of a contact changes by h row · dv.
 *
 * The step's velocities are those of the axes that floating and planar joints have at its start (`RestFrame`), and their origins move on
 * straight lines, so linear parts are rotated into these. A floating or spherical joint turns by exp(h omega); a change of omega turns it,
 * in its axes at the end, by h J_r(h omega) d omega with the right Jacobian of the rotations,
 *
 *   J_r(phi) = 1 - (1 - cos |phi|) / |phi|² [phi]x + (|phi| - sin |phi|) / |phi|³ [phi]x²
 *
 * (Chirikjian, Stochastic Models, Information Theory, and Lie Groups, vol. 2, 2012, section 10.3), so angular parts are multiplied by its
 * transpose.
 */
export class StartAxes {
  private readonly model: Model
  private readonly floating: Int32Array
  private readonly planar: Int32Array
  private readonly spherical: Int32Array
  /** 18 a floating joint: J_rᵀ, and the rotation from end axes to start axes; 9 a spherical one; 2 a planar one: cosine, sine. */
  private readonly turn: Float64Array
  private readonly firstSpherical: number
  private readonly firstPlanar: number
  private readonly R0 = new Float64Array(9)
  private readonly R1 = new Float64Array(9)
  /** 3: h omega; and [h omega]x². */
  private readonly phi = new Float64Array(3)
  private readonly angle = new Float64Array(1)
  private readonly sc = new Float64Array(2)
  /** nv: index in `turn` for the first velocity of a joint, else -1. */
  private readonly turnOfV: Int32Array
  /** nv: index in J of a velocity's numbers, for the current contact. */
  private readonly place: Int32Array

  constructor(model: Model) {
    this.model = model
    this.floating = bodiesOn(model, JointType.floating)
    this.planar = bodiesOn(model, JointType.planar)
    this.spherical = bodiesOn(model, JointType.spherical)
    this.firstSpherical = 18 * this.floating.length
    this.firstPlanar = this.firstSpherical + 9 * this.spherical.length
    this.turn = new Float64Array(this.firstPlanar + 2 * this.planar.length)
    this.turnOfV = new Int32Array(model.nv).fill(-1)
    this.place = new Int32Array(model.nv)
    this.floating.forEach((i, n) => {
      this.turnOfV[model.vStart[i]] = 18 * n
    })
    this.spherical.forEach((i, n) => {
      this.turnOfV[model.vStart[i]] = this.firstSpherical + 9 * n
    })
    this.planar.forEach((i, n) => {
      this.turnOfV[model.vStart[i]] = this.firstPlanar + 2 * n
    })
  }

  /**
   * @param qStart nq: configuration at the start of the step
   * @param qThere nq: configuration of the rows
   * @param v      nv: velocity from the one to the other in a step, in axes of the start
   * @param dt     [s]
   */
  set(qStart: Float64Array, qThere: Float64Array, v: Float64Array, dt: number): void {
    const { model, floating, planar, spherical, turn, R0, R1, phi, angle, sc } = this
    for (let n = 0; n < floating.length; n++) {
      const k = model.vStart[floating[n]]
      for (let d = 0; d < 3; d++) phi[d] = dt * v[k + d]
      this.setJacobian(18 * n)
      const at = model.qStart[floating[n]] + 3
      rotationOfQuaternion(R0, qStart, at)
      rotationOfQuaternion(R1, qThere, at)
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < 3; j++) {
          turn[18 * n + 9 + 3 * i + j] = R0[i] * R1[j] + R0[3 + i] * R1[3 + j] + R0[6 + i] * R1[6 + j]
        }
      }
    }
    for (let n = 0; n < spherical.length; n++) {
      const k = model.vStart[spherical[n]]
      for (let d = 0; d < 3; d++) phi[d] = dt * v[k + d]
      this.setJacobian(this.firstSpherical + 9 * n)
    }
    for (let n = 0; n < planar.length; n++) {
      const at = model.qStart[planar[n]] + 2
      angle[0] = qThere[at] - qStart[at]
      sincos(sc, angle, 0)
      turn[this.firstPlanar + 2 * n] = sc[1]
      turn[this.firstPlanar + 2 * n + 1] = sc[0]
    }
  }

  /** turn[at..at + 8] = J_r(phi)ᵀ. */
  private setJacobian(at: number): void {
    const { turn, phi, angle, sc } = this
    const x = phi[0]
    const y = phi[1]
    const z = phi[2]
    const squared = x * x + y * y + z * z
    // for small angles the series is exact to rounding, unlike the closed form
    let a = 0.5 - squared / 24
    let b = 1 / 6 - squared / 120
    if (squared > 1e-6) {
      angle[0] = Math.sqrt(squared)
      sincos(sc, angle, 0)
      a = (1 - sc[1]) / squared
      b = (angle[0] - sc[0]) / (squared * angle[0])
    }
    // transposed: 1 + a [phi]x + b [phi]x²
    turn[at] = 1 - b * (y * y + z * z)
    turn[at + 1] = b * x * y - a * z
    turn[at + 2] = b * x * z + a * y
    turn[at + 3] = b * x * y + a * z
    turn[at + 4] = 1 - b * (x * x + z * z)
    turn[at + 5] = b * y * z - a * x
    turn[at + 6] = b * x * z - a * y
    turn[at + 7] = b * y * z + a * x
    turn[at + 8] = 1 - b * (x * x + y * y)
  }

  /** Transforms the rows of the first `count` contacts. */
  turnRows({ J, first, size, velocities, entry }: ContactRows, count: number): void {
    const { turnOfV, firstSpherical, firstPlanar, place } = this
    for (let i = 0; i < count; i++) {
      for (let c = first[i], e = 3 * entry[i]; c < first[i] + size[i]; c++, e += 3) place[velocities[c]] = e
      for (let c = first[i]; c < first[i] + size[i]; c++) {
        const k = velocities[c]
        const turn = turnOfV[k]
        if (turn < 0) continue
        if (turn >= firstPlanar) this.turnTwo(J, k, turn)
        else {
          this.turnThree(J, k, turn)
          if (turn < firstSpherical) this.turnThree(J, k + 3, turn + 9)
        }
      }
    }
  }

  /** Transforms all three rows of the current contact at velocities k to k + 2. */
  private turnThree(J: Float64Array, k: number, n: number): void {
    const { turn, place } = this
    for (let r = 0; r < 3; r++) {
      const a = place[k] + r
      const b = place[k + 1] + r
      const c = place[k + 2] + r
      const x = J[a]
      const y = J[b]
      const z = J[c]
      J[a] = turn[n] * x + turn[n + 1] * y + turn[n + 2] * z
      J[b] = turn[n + 3] * x + turn[n + 4] * y + turn[n + 5] * z
      J[c] = turn[n + 6] * x + turn[n + 7] * y + turn[n + 8] * z
    }
  }

  /** Transforms all three rows of the current contact at velocities k and k + 1. */
  private turnTwo(J: Float64Array, k: number, n: number): void {
    const { turn, place } = this
    for (let r = 0; r < 3; r++) {
      const a = place[k] + r
      const b = place[k + 1] + r
      const x = J[a]
      const y = J[b]
      J[a] = turn[n] * x - turn[n + 1] * y
      J[b] = turn[n + 1] * x + turn[n] * y
    }
  }
}
