import {
  angularJacobianDotTimesV,
  type Data,
  JointType,
  type Model,
  mulMatrix3,
  mulQuaternion,
  place3,
  pointJacobianDotTimesV,
  quaternionOfRotation,
  rotate3,
  rotationOfQuaternion,
  rotationVectorOfQuaternion,
  type SparseCholesky,
  type State,
} from '../../../dynamics/index.ts'
import type { LoopSoftness } from '../../geometry/index.ts'

/** Kinds of loop closure: a common point (three rows), a hinge about one axis (five), a weld (six). */
export type LoopKind = 'point' | 'hinge' | 'weld'

/**
 * A loop-closure constraint: keeps the frame on body B coincident with the frame on body A, as far as its kind requires. Bodies are
 * numbered as in the model, 0 being the world. Positions [m] and axes are in each body's own frame.
 */
export interface LoopClosure {
  readonly name: string
  readonly kind: LoopKind
  readonly bodyA: number
  readonly bodyB: number
  /** 3: the closure point on body A and on body B. */
  readonly pointA: readonly number[]
  readonly pointB: readonly number[]
  /** 4: unit quaternions (x, y, z, w) of the frame at the point, on each body. A hinge's axis is the frames' z. */
  readonly orientationA: readonly number[]
  readonly orientationB: readonly number[]
  /** Of a point or weld that MJCF states, for the contact model `mujoco`. Default: as stiff as the contact model makes it. */
  readonly softness?: LoopSoftness
  /** Of a loop that is on at times only. Default: it is on. */
  readonly switch?: LoopSwitch
}

/** Whether a loop is on, and its frames then, in place of the closure's points and orientations. Whoever owns it changes them between steps. */
export interface LoopSwitch {
  /** 1: it is on at 1. */
  readonly state: Float64Array
  readonly frameA: LoopFrame
  readonly frameB: LoopFrame
}

/** A frame on a body: 9, its axes in those of the body, row-major, and 3, its origin [m]. */
export interface LoopFrame {
  readonly R: Float64Array
  readonly p: Float64Array
}

/** Rows of each kind of loop: three for the points, and two or three for the axes. */
export const rowsOfLoop: Readonly<Record<LoopKind, number>> = { point: 3, hinge: 5, weld: 6 }

const [ownPoint, product, relative, turnA, turnB, omega, e, rate, u] = Array.from({ length: 9 }, () => new Float64Array(3))

/** Sums below this fraction of their terms are zero entries of J. Frames at the end of a long chain err by some 1e-15. */
const ROUNDING = 1e-13

/**
 * The bilateral constraints of loops: a fixed list of rows, each an error along a direction to be kept at zero, d(error)/dt = J v, J being
 * B's motion less A's. Two kinds of row: @unchecked
 *
 *   point    along each of the world's axes: B's point less A's [m]; its multiplier is a force along the direction at the midpoint, or
 *            where one is a mocap body, at the point of the other
 *   couple   the rotation from A's frame to B's as a rotation vector [rad], along the world's axes for a weld; for a hinge the
 *            rotation from A's z axis to B's, along the x and y axes of A's frame. A couple about the direction
 *
 * Loops with softness have MuJoCo's rows: a force acts at each body's own point, and a weld's couples have the exact derivative of an error of
 * 2 sin(theta / 2) about its axis.
 *
 * For the first the derivative is exact except for omega times half the error, since the force acts on both bodies at one point, so that it
 * has no net moment; for the second it is exact at zero error.
 *
 * The rows of a loop are consecutive, points first; loops keep their order. Rows may be linearly dependent, as three of the five rows of a
 * hinge that closes a planar linkage.
 */
export class LoopRows {
  /** Number of rows, fixed; 0 without loops. */
  readonly count: number
  readonly loops: readonly LoopClosure[]
  /** Number of loops + 1: first row of each loop, then the number of rows. */
  readonly start: Int32Array
  /** Per row: its loop, and the loop's bodies A and B. */
  readonly loop: Int32Array
  readonly bodyA: Int32Array
  readonly bodyB: Int32Array
  /** Per row: 1 if it is a couple, 0 if it is a force. */
  readonly isCouple: Uint8Array
  /** Per row: 1 of a loop with softness, else 0. */
  readonly isSoft: Uint8Array

  /** Per row: 1 if one of the bodies is a mocap body, which jumps and so pulls the other as by a spring. */
  readonly isPulled: Uint8Array

  // written by `build`
  /** 3 a row: midway between the two points, or where one is a mocap body's, the other, in world axes [m]. */
  readonly point: Float64Array
  /** 3 a row: unit, in world axes. */
  readonly direction: Float64Array
  /** Per row: the constraint error [m, rad]. */
  readonly error: Float64Array

  /** Per row of a loop with softness: Jdot v [m/s², rad/s²], 0 of others; written by `findBias`. */
  readonly bias: Float64Array

  // written by `list`
  /** Per row: start and length of its list in `velocities`. The rows of a loop share theirs. */
  readonly first: Int32Array
  readonly size: Int32Array
  /** Stores the lists, `listed` numbers in all, each in the elimination order. */
  velocities: Int32Array = new Int32Array(0)
  readonly listed: number

  private readonly model: Model
  /** Per loop: share of A's point in `point`. */
  private readonly shareOfA: Float64Array
  private readonly frames: LoopFrames

  constructor(model: Model, loops: readonly LoopClosure[] = []) {
    this.model = model
    this.loops = loops
    this.start = new Int32Array(loops.length + 1)
    loops.forEach(({ kind }, l) => {
      this.start[l + 1] = this.start[l] + rowsOfLoop[kind]
    })
    const count = this.start[loops.length]
    this.count = count
    this.loop = Int32Array.from(loops.flatMap(({ kind }, l) => Array<number>(rowsOfLoop[kind]).fill(l)))
    this.bodyA = this.loop.map((l) => loops[l].bodyA)
    this.bodyB = this.loop.map((l) => loops[l].bodyB)
    this.isCouple = Uint8Array.from(this.loop, (l, r) => (r - this.start[l] < 3 ? 0 : 1))
    this.isSoft = Uint8Array.from(this.loop, (l) => (loops[l].softness ? 1 : 0))
    const isMocap = (body: number) => model.jointType[body] === JointType.mocap
    this.shareOfA = Float64Array.from(loops, ({ bodyA, bodyB, softness }) =>
      softness ? 0.5 : isMocap(bodyA) ? 0 : isMocap(bodyB) ? 1 : 0.5,
    )
    this.isPulled = this.isCouple.map((_, r) => Number(isMocap(this.bodyA[r]) || isMocap(this.bodyB[r])))
    this.point = new Float64Array(3 * count)
    this.direction = new Float64Array(3 * count)
    this.error = new Float64Array(count)
    this.bias = new Float64Array(count)
    for (let r = 0; r < count; r++) this.direction[3 * r + ((r - this.start[this.loop[r]]) % 3)] = 1
    this.first = new Int32Array(count)
    this.size = new Int32Array(count)
    this.listed = loops.reduce((sum, { bodyA, bodyB }) => sum + lengthOfWay(model, bodyA) + lengthOfWay(model, bodyB), 0)
    this.frames = new LoopFrames(loops)
  }

  /** Whether a loop is on. */
  isOn(loop: number): boolean {
    const own = this.loops[loop].switch
    return own === undefined || own.state[0] === 1
  }

  /**
   * Writes points, directions and errors at the configuration of data, errors of 0 for loops that are off. Reads data.R_WB and data.p_WB
   * (`kinematics`).
   *
   * @param all whether of loops that are off too
   */
  build(data: Data, all = false): void {
    const { loops, frames, start, shareOfA, point, direction, error } = this
    const { a, b, RA, theta } = frames
    for (let l = 0; l < loops.length; l++) {
      const { kind } = loops[l]
      const r = start[l]
      if (!all && !this.isOn(l)) {
        error.fill(0, r, start[l + 1])
        continue
      }
      frames.place(data, l)
      for (let n = r; n < start[l + 1]; n++) {
        for (let d = 0; d < 3; d++) point[3 * n + d] = shareOfA[l] * a[d] + (1 - shareOfA[l]) * b[d]
      }
      for (let d = 0; d < 3; d++) error[r + d] = b[d] - a[d]
      if (kind === 'point') continue
      frames.orient(data, l)
      if (kind === 'weld') {
        frames.rotationBetween()
        if (this.isSoft[r] === 1) this.writeSoftTurn(r + 3)
        else for (let d = 0; d < 3; d++) error[r + 3 + d] = theta[d]
        continue
      }
      frames.tiltBetween()
      for (let t = 0; t < 2; t++) {
        const row = r + 3 + t
        for (let d = 0; d < 3; d++) direction[3 * row + d] = RA[3 * d + t]
        error[row] = theta[0] * RA[t] + theta[1] * RA[3 + t] + theta[2] * RA[6 + t]
      }
    }
  }

  /** Twice the vector part e of the quaternion (e, w) of the rotation, and the rows of its derivative: 2 de/dt = w omega + e x omega. */
  private writeSoftTurn(r: number): void {
    const { direction, error } = this
    const { qB } = this.frames
    for (let d = 0; d < 3; d++) {
      error[r + d] = 2 * qB[d]
      const [next, last] = [(d + 1) % 3, (d + 2) % 3]
      const n = 3 * (r + d)
      direction[n + d] = qB[3]
      direction[n + next] = -qB[last]
      direction[n + last] = qB[next]
    }
  }

  /**
   * Adds force[row], a row's force or couple [N, N m], on both its bodies to out, 6 a body: [moment; force] in world axes about the world's
   * origin; and behind the bodies, 6 a loop: [couple; force] on its body B at its point. Reads the results of `build`.
   */
  addForce(out: Float64Array, row: number, force: Float64Array): void {
    const size = force[row]
    const { point, direction, isCouple, isSoft, start, loop, error, bodyA, bodyB } = this
    const n = 3 * row
    const e = start[loop[row]]
    const own = 6 * (this.model.nb + loop[row]) + (isCouple[row] === 1 ? 0 : 3)
    for (let d = 0; d < 3; d++) out[own + d] += size * direction[n + d]
    for (let sign = -1; sign < 2; sign += 2) {
      const at = 6 * (sign < 0 ? bodyA[row] : bodyB[row])
      const apart = 0.5 * sign * isSoft[row]
      for (let d = 0; d < 3; d++) {
        if (isCouple[row] === 1) {
          out[at + d] += sign * size * direction[n + d]
          continue
        }
        const i = (d + 1) % 3
        const j = (d + 2) % 3
        const lever =
          (point[n + i] + apart * error[e + i]) * direction[n + j] - (point[n + j] + apart * error[e + j]) * direction[n + i]
        out[at + d] += sign * size * lever
        out[at + 3 + d] += sign * size * direction[n + d]
      }
    }
  }

  /** Writes `bias`. Reads state.v, the results of `build`, and what `pointJacobianDotTimesV` reads. */
  findBias(state: State, data: Data): void {
    const { model, loops, start, point, error, bias } = this
    for (let l = 0; l < loops.length; l++) {
      const { kind, bodyA, bodyB, softness } = loops[l]
      if (softness === undefined || !this.isOn(l)) continue
      const r = start[l]
      for (let sign = -1; sign < 2; sign += 2) {
        for (let d = 0; d < 3; d++) ownPoint[d] = point[3 * r + d] + 0.5 * sign * error[r + d]
        pointJacobianDotTimesV(model, state, data, sign < 0 ? bodyA : bodyB, ownPoint, product)
        for (let d = 0; d < 3; d++) bias[r + d] = sign < 0 ? -product[d] : bias[r + d] + product[d]
      }
      if (kind === 'weld') this.findTurnBias(state, data, l)
    }
  }

  /**
   * Jdot v of a weld's couples u = w omega + e x omega, as seen from B: du/dt - omega_B x u, with 2 de/dt = w omega + (omega_A + omega_B) x e and
   * 2 dw/dt = -omega . e, omega being B's less A's.
   */
  private findTurnBias(state: State, data: Data, l: number): void {
    const { model, start, direction, error, bias } = this
    const { bodyA, bodyB } = this.loops[l]
    const r = start[l] + 3
    const w = direction[3 * r]
    angularJacobianDotTimesV(model, state, data, bodyA, product)
    angularJacobianDotTimesV(model, state, data, bodyB, relative)
    rotate3(turnA, data.R_WB[bodyA], data.V[bodyA])
    rotate3(turnB, data.R_WB[bodyB], data.V[bodyB])
    let share = 0
    for (let d = 0; d < 3; d++) {
      relative[d] -= product[d]
      e[d] = 0.5 * error[r + d]
      omega[d] = turnB[d] - turnA[d]
      share -= 0.5 * omega[d] * e[d]
    }
    for (let d = 0; d < 3; d++) {
      const [i, j] = [(d + 1) % 3, (d + 2) % 3]
      rate[d] = 0.5 * (w * omega[d] + (turnA[i] + turnB[i]) * e[j] - (turnA[j] + turnB[j]) * e[i])
      u[d] = w * omega[d] + e[i] * omega[j] - e[j] * omega[i]
    }
    for (let d = 0; d < 3; d++) {
      const [i, j] = [(d + 1) % 3, (d + 2) % 3]
      bias[r + d] =
        share * omega[d] + w * relative[d] + (rate[i] * omega[j] - rate[j] * omega[i]) + (e[i] * relative[j] - e[j] * relative[i])
      bias[r + d] -= turnB[i] * u[j] - turnB[j] * u[i]
    }
  }

  /**
   * Writes J of a row: out[at + k] for the velocities k on the supporting paths of its two bodies, as in `list`. No other entry is
   * written. Reads data.SW (`kinematics`) and the results of `build`.
   *
   * @param out nv entries from `at` on
   */
  writeRow(data: Data, row: number, out: Float64Array, at: number): void {
    const { bodyA, bodyB } = this
    const { vLast, vParent } = this.model
    for (let k = vLast[bodyA[row]]; k >= 0; k = vParent[k]) out[at + k] = 0
    for (let k = vLast[bodyB[row]]; k >= 0; k = vParent[k]) out[at + k] = 0
    this.addBody(data, row, bodyB[row], 1, out, at)
    this.addBody(data, row, bodyA[row], -1, out, at)
  }

  /**
   * Adds one body's part of J. Motions common to both bodies cancel to the last bit. Entries that are rounding of their terms become 0:
   * rows of such entries, such as normals of the plane of a planar linkage, would have a W of 1e-33, and unbounded forces for an error of
   * 1e-17.
   */
  private addBody(data: Data, row: number, body: number, sign: number, out: Float64Array, at: number): void {
    const { point, direction, isCouple, isSoft, start, loop, error } = this
    const { vOfS, sParent, sLast } = this.model
    const { SW } = data.flat
    const n = 3 * row
    const apart = 0.5 * sign * isSoft[row]
    const e = start[loop[row]]
    const x = point[n] + apart * error[e]
    const y = point[n + 1] + apart * error[e + 1]
    const z = point[n + 2] + apart * error[e + 2]
    const d0 = sign * direction[n]
    const d1 = sign * direction[n + 1]
    const d2 = sign * direction[n + 2]
    const couple = isCouple[row] !== 0
    const reach = Math.abs(x) + Math.abs(y) + Math.abs(z)
    for (let s = sLast[body]; s >= 0; s = sParent[s]) {
      const w = 6 * s
      const wx = SW[w]
      const wy = SW[w + 1]
      const wz = SW[w + 2]
      // the rotation, or v0 + omega x p
      const vx = SW[w + 3]
      const vy = SW[w + 4]
      const vz = SW[w + 5]
      const a = couple ? wx : vx + (wy * z - wz * y)
      const b = couple ? wy : vy + (wz * x - wx * z)
      const c = couple ? wz : vz + (wx * y - wy * x)
      const turn = Math.abs(wx) + Math.abs(wy) + Math.abs(wz)
      const size = couple ? turn : Math.abs(vx) + Math.abs(vy) + Math.abs(vz) + turn * reach
      const entry = d0 * a + d1 * b + d2 * c
      out[at + vOfS[s]] += Math.abs(entry) > ROUNDING * size ? entry : 0
    }
  }

  /**
   * Writes the list of each row, empty for a loop that is off: the velocities that move either of its bodies, each once, in the elimination order of the pattern;
   * so the entries after k in a list are in row k of the pattern's matrix. The pattern must include the couplings of the loops, so
   * call `setCouplings` before.
   *
   * @param from index of the first list in `velocities`
   */
  list({ position }: SparseCholesky, velocities: Int32Array, from: number): void {
    const { loops, start, first, size } = this
    const { vLast, vParent } = this.model
    this.velocities = velocities
    let end = from
    for (let l = 0; l < loops.length; l++) {
      const begin = end
      let a = this.isOn(l) ? vLast[loops[l].bodyA] : -1
      let b = this.isOn(l) ? vLast[loops[l].bodyB] : -1
      while (a >= 0 || b >= 0) {
        const takesA = a >= 0 && (b < 0 || position[a] <= position[b])
        const takesB = b >= 0 && (a < 0 || position[b] <= position[a])
        velocities[end++] = takesA ? a : b
        if (takesA) a = vParent[a]
        if (takesB) b = vParent[b]
      }
      for (let r = start[l]; r < start[l + 1]; r++) {
        first[r] = begin
        size[r] = end - begin
      }
    }
  }
}

/** Frames of the loops, placed for one loop at a time. */
class LoopFrames {
  /** 3: origins of the frames on A and on B [m]; 9: their axes, row-major; all in world axes. */
  readonly a = new Float64Array(3)
  readonly b = new Float64Array(3)
  readonly RA = new Float64Array(9)
  readonly RB = new Float64Array(9)
  /** 3: rotation from A's axes to B's, a vector in world axes [rad]. */
  readonly theta = new Float64Array(3)
  private readonly loops: readonly LoopClosure[]
  /** Per loop: its two frames, in the axes of their bodies. */
  private readonly frameA: readonly LoopFrame[]
  private readonly frameB: readonly LoopFrame[]
  /** 4: orientations; after `rotationBetween` qB is that from A's axes to B's, in world axes. */
  private readonly qA = new Float64Array(4)
  readonly qB = new Float64Array(4)

  constructor(loops: readonly LoopClosure[]) {
    this.loops = loops
    this.frameA = loops.map(({ pointA, orientationA, switch: own }) => own?.frameA ?? frameOf(pointA, orientationA))
    this.frameB = loops.map(({ pointB, orientationB, switch: own }) => own?.frameB ?? frameOf(pointB, orientationB))
  }

  /** a and b of loop l. */
  place({ R_WB, p_WB }: Data, l: number): void {
    const { bodyA, bodyB } = this.loops[l]
    place3(this.a, R_WB[bodyA], p_WB[bodyA], this.frameA[l].p)
    place3(this.b, R_WB[bodyB], p_WB[bodyB], this.frameB[l].p)
  }

  /** Sets RA and RB, the rotations of the frames of loop l. */
  orient({ R_WB }: Data, l: number): void {
    mulMatrix3(this.RA, R_WB[this.loops[l].bodyA], this.frameA[l].R)
    mulMatrix3(this.RB, R_WB[this.loops[l].bodyB], this.frameB[l].R)
  }

  /** theta := the rotation vector from the axes RA to RB, in world axes. */
  rotationBetween(): void {
    const { RA, RB, qA, qB, theta } = this
    quaternionOfRotation(qA, 0, RA)
    quaternionOfRotation(qB, 0, RB)
    for (let d = 0; d < 3; d++) qA[d] = 0 - qA[d]
    mulQuaternion(qB, 0, qB, 0, qA, 0)
    rotationVectorOfQuaternion(theta, 0, qB, 0)
  }

  /** theta := the least rotation from the z axis of RA to that of RB; of several by pi, if they are opposite, one. */
  tiltBetween(): void {
    const { RA, RB, theta } = this
    const x = RA[5] * RB[8] - RA[8] * RB[5]
    const y = RA[8] * RB[2] - RA[2] * RB[8]
    const z = RA[2] * RB[5] - RA[5] * RB[2]
    const sine = Math.sqrt(x * x + y * y + z * z)
    const cosine = RA[2] * RB[2] + RA[5] * RB[5] + RA[8] * RB[8]
    const f = sine > 1e-8 ? Math.atan2(sine, cosine) / sine : 1
    const opposite = sine <= 1e-8 && cosine < 0
    theta[0] = opposite ? Math.PI * RA[0] : f * x
    theta[1] = opposite ? Math.PI * RA[3] : f * y
    theta[2] = opposite ? Math.PI * RA[6] : f * z
  }
}

function frameOf(point: readonly number[], orientation: readonly number[]): LoopFrame {
  const R = new Float64Array(9)
  rotationOfQuaternion(R, Float64Array.from(orientation), 0)
  return { R, p: Float64Array.from(point) }
}

/** Number of velocities on the path from a body to the root. */
function lengthOfWay({ vLast, vParent }: Model, body: number): number {
  let length = 0
  for (let k = vLast[body]; k >= 0; k = vParent[k]) length++
  return length
}
