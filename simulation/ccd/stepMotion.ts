import {
  configurationDifference,
  createDataWithoutM,
  createState,
  type Data,
  integrateJoint,
  JointType,
  kinematics,
  type Model,
  mulQuaternion,
  placeBody,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
  type State,
  sincos,
} from '../../dynamics/index.ts'

/**
 * Motion of a mechanism from the configuration at the start of a step, q0, to that at its end, q1: joints at constant speed, floating and
 * planar ones on a straight line, of the centre of mass where they carry one body, with rotation about a fixed axis, as in `RestFrame`. A rotation by more than half a turn in a step is
 * replaced by the shorter one.
 */
export class StepMotion {
  readonly q0: Float64Array
  readonly q1: Float64Array
  /** nb: rotation [rad] and translation [m] of each body's joint in the step, set by `measure`. */
  readonly turn: Float64Array
  readonly slide: Float64Array
  /** nb: greatest distance in the step of a joint's origin from its place at q = 0 [m], for joints below others. */
  readonly offset: Float64Array
  /** Poses of the bodies placed last. */
  readonly data: Data
  private readonly model: Model
  /** nv: q1 (-) q0. */
  private readonly delta: Float64Array
  private readonly state: State
  /** nb: 1 if the joint's axes are the world's, so that its motion is known in world axes. */
  private readonly inWorld: Uint8Array
  /** nb: distance of the joint's origin from the parent's [m]. */
  private readonly arm: Float64Array
  /** 4 a body, of those whose centre of mass moves straight: that in the body's frame, and its distance from the origin [m]; else 0. */
  readonly center: Float64Array
  /** 3: the centre's displacement in the step, world axes [m]; and scratch. */
  private readonly way = new Float64Array(3)
  private readonly R = new Float64Array(9)
  /** Bodies from the root to the one being placed. */
  private readonly path: Int32Array

  constructor(model: Model) {
    const { nb, nq, nv, XT, parent, jointType } = model
    this.model = model
    this.q0 = new Float64Array(nq)
    this.q1 = new Float64Array(nq)
    this.state = createState(model)
    this.delta = new Float64Array(nv)
    this.turn = new Float64Array(nb)
    this.slide = new Float64Array(nb)
    this.offset = new Float64Array(nb)
    this.path = new Int32Array(nb)
    this.data = createDataWithoutM(model)
    this.data.R_WB[0].set([1, 0, 0, 0, 1, 0, 0, 0, 1])
    this.inWorld = Uint8Array.from(parent, (p, i) =>
      p === 0 && jointType[i] === JointType.floating && XT[i][0] === 1 && XT[i][4] === 1 && XT[i][8] === 1 ? 1 : 0,
    )
    this.center = new Float64Array(4 * nb)
    for (let i = 1; i < nb; i++) {
      const mass = model.I[i][0]
      if (jointType[i] !== JointType.floating || parent[i] !== 0 || parent.includes(i) || !(mass > 0)) continue
      for (let d = 0; d < 3; d++) this.center[4 * i + d] = model.I[i][1 + d] / mass
      this.center[4 * i + 3] = Math.hypot(...this.center.subarray(4 * i, 4 * i + 3))
    }
    this.arm = Float64Array.from(parent, (_, i) => (i === 0 ? 0 : Math.hypot(XT[i][9], XT[i][10], XT[i][11])))
  }

  /** Sets `turn`, `slide` and `offset` from q0 and q1. The rotation of a quaternion is a bound, some per cent above the angle. */
  measure(): void {
    const { q0, q1, turn, slide, offset } = this
    const { nb, parent, jointType, qStart, follows, multiplier } = this.model
    for (let i = 1; i < nb; i++) {
      const followed = follows[i] >= 0 ? follows[i] : i
      const k = qStart[followed]
      switch (jointType[i]) {
        case JointType.revolute:
          turn[i] = Math.abs(multiplier[i] * (q1[k] - q0[k]))
          break
        case JointType.prismatic:
          slide[i] = Math.abs(multiplier[i] * (q1[k] - q0[k]))
          offset[i] = Math.max(Math.abs(q0[k]), Math.abs(q1[k]))
          if (followed !== i) offset[i] = Math.abs(multiplier[i]) * offset[i] + Math.abs(this.model.offset[i])
          break
        case JointType.floating:
          this.setWay(i)
          writeTurn(q0, q1, k + 3, turn, i)
          slide[i] = Math.sqrt(this.way[0] * this.way[0] + this.way[1] * this.way[1] + this.way[2] * this.way[2])
          if (parent[i] > 0) writeReach(q0, q1, k, 3, offset, i)
          break
        case JointType.planar:
          writeDistance(q0, q1, k, 2, slide, i)
          turn[i] = Math.abs(q1[k + 2] - q0[k + 2])
          if (parent[i] > 0) writeReach(q0, q1, k, 2, offset, i)
          break
        case JointType.spherical:
          writeTurn(q0, q1, k, turn, i)
          break
      }
    }
  }

  /** Prepares `place` and `approach`; call after setting q0 and q1. */
  begin(): void {
    configurationDifference(this.model, this.q0, this.q1, this.delta)
  }

  /** Writes poses of all bodies at a configuration to `data`. */
  placeAll(q: Float64Array): void {
    this.state.q.set(q)
    kinematics(this.model, this.state, this.data)
  }

  /** Writes poses of a body and its ancestors at the fraction s[k] of the step to `data`. */
  place(body: number, s: Float64Array, k: number): void {
    const { path, data, model } = this
    const { q } = this.state
    const { parent, follows } = model
    let length = 0
    for (let i = body; i > 0; i = parent[i]) path[length++] = i
    while (length > 0) {
      const i = path[--length]
      this.moveJoint(follows[i] >= 0 ? follows[i] : i, s, k, q)
      placeBody(model, i, q, data)
    }
  }

  /** Writes the entries of q of the joint under body i at the fraction s[k] of the step. */
  moveJoint(i: number, s: Float64Array, k: number, q: Float64Array): void {
    const { q0, q1, model, delta } = this
    const { jointType, qStart } = model
    const at = qStart[i]
    const part = s[k]
    if (part === 1) {
      for (let d = at; d < qStart[i + 1]; d++) q[d] = q1[d]
      return
    }
    integrateJoint(model, i, q0, delta, part, q)
    if (jointType[i] !== JointType.floating && jointType[i] !== JointType.planar) return
    const straight = jointType[i] === JointType.floating ? 3 : 2
    for (let d = at; d < at + straight; d++) q[d] = q0[d] + part * (q1[d] - q0[d])
    if (this.center[4 * i + 3] === 0) return
    this.setWay(i)
    for (let d = 0; d < 3; d++) q[at + d] = q0[at + d] + part * this.way[d]
    this.addCenter(i, q0, q, at, 1)
    this.addCenter(i, q, q, at, -1)
  }

  /** Sets `way` of the body on a floating joint. */
  private setWay(i: number): void {
    const { q0, q1, way } = this
    const at = this.model.qStart[i]
    for (let d = 0; d < 3; d++) way[d] = q1[at + d] - q0[at + d]
    if (this.center[4 * i + 3] === 0) return
    this.addCenter(i, q1, way, 0, 1)
    this.addCenter(i, q0, way, 0, -1)
  }

  /** out[at..at+2] += sign R(q) c of body i. */
  private addCenter(i: number, q: Float64Array, out: Float64Array, at: number, sign: number): void {
    const { R, center: c, model } = this
    rotationOfQuaternion(R, q, model.qStart[i] + 3)
    for (let d = 0; d < 3; d++) {
      out[at + d] += sign * (R[3 * d] * c[4 * i] + R[3 * d + 1] * c[4 * i + 1] + R[3 * d + 2] * c[4 * i + 2])
    }
  }

  /**
   * Adds a bound of the speed of a body's points along sign * n, per unit of s; n is entries 1 to 3, the points are within `reach[k]` of
   * the body's origin [m]. Reads the body's pose of the last `place`.
   */
  addSpeed(body: number, reach: Float64Array, k: number, n: Float64Array, sign: number, out: Float64Array): void {
    const { model, turn, slide, offset, arm, inWorld, way } = this
    const { parent } = model
    let distance = reach[k]
    for (let i = body; i > 0; i = parent[i]) {
      if (inWorld[i] === 1) {
        this.setWay(i)
        out[0] += sign * (n[1] * way[0] + n[2] * way[1] + n[3] * way[2])
        this.addTurning(i, distance + this.center[4 * i + 3], n, out)
      } else out[0] += slide[i] + turn[i] * (distance + this.center[4 * i + 3])
      distance += arm[i] + offset[i]
    }
  }

  /** Adds |omega x n| times the distance: the axis of a floating body's rotation is fixed. */
  private addTurning(i: number, reach: number, n: Float64Array, out: Float64Array): void {
    const { delta, data, model } = this
    const R = data.R_WB[i]
    const k = model.vStart[i]
    const wx = R[0] * delta[k] + R[1] * delta[k + 1] + R[2] * delta[k + 2]
    const wy = R[3] * delta[k] + R[4] * delta[k + 1] + R[5] * delta[k + 2]
    const wz = R[6] * delta[k] + R[7] * delta[k + 1] + R[8] * delta[k + 2]
    const x = wy * n[3] - wz * n[2]
    const y = wz * n[1] - wx * n[3]
    const z = wx * n[2] - wy * n[1]
    out[0] += reach * Math.sqrt(x * x + y * y + z * z)
  }

  /**
   * Ends the motion of the joint under body i at s[k]: sets its q there, and its velocity, where it moves straight, unchanged but in the body's axes there.
   *
   * @param q in and out: at the end of the step, then at s
   * @param v in and out: velocities of floating, planar and spherical joints are rotated
   */
  cutJoint(i: number, s: Float64Array, k: number, q: Float64Array, v: Float64Array): void {
    const { jointType, qStart, vStart } = this.model
    const at = qStart[i]
    if (vStart[i + 1] === vStart[i]) return
    this.moveJoint(i, s, k, q)
    const first = vStart[i]
    switch (jointType[i]) {
      case JointType.floating:
        addAtCenter(v, first, this.center, 4 * i, 1)
        turnVelocity(v, first, this.q1, at + 3, q, at + 3)
        turnVelocity(v, first + 3, this.q1, at + 3, q, at + 3)
        addAtCenter(v, first, this.center, 4 * i, -1)
        break
      case JointType.spherical:
        turnVelocity(v, first, this.q1, at, q, at)
        break
      case JointType.planar:
        angle[0] = this.q1[at + 2] - q[at + 2]
        sincos(sc, angle, 0)
        turnInPlane(v, first)
        break
    }
  }

  /**
   * Moves a floating root along with the body of given motion `by` from s[k] to the end of the step, as if fixed to it; its velocity stays
   * in the world's axes. Other joints are left as they are.
   *
   * @param q, v in and out: as `cutJoint` left them
   */
  carryJoint(i: number, by: number, s: Float64Array, k: number, q: Float64Array, v: Float64Array): void {
    const { model, data, R } = this
    if (model.jointType[i] !== JointType.floating || model.parent[i] !== 0) return
    const at = model.qStart[i]
    const first = model.vStart[i]
    const other = model.qStart[by] + 3
    this.place(by, s, k)
    const from = data.p_WB[by]
    // turned from its pose at s, which the conjugate takes back
    for (let d = 0; d < 4; d++) before[d] = q[at + 3 + d]
    for (let d = 0; d < 3; d++) {
      between[d] = -this.state.q[other + d]
      a3[d] = q[at + d] - from[d]
    }
    between[3] = this.state.q[other + 3]
    mulQuaternion(between, 4, this.q1, other, between, 0)
    rotationOfQuaternion(R, between, 4)
    rotate3(a3, R, a3)
    for (let d = 0; d < 3; d++) q[at + d] = this.q1[other - 3 + d] + a3[d]
    mulQuaternion(q, at + 3, between, 4, q, at + 3)
    addAtCenter(v, first, this.center, 4 * i, 1)
    turnVelocity(v, first, before, 0, q, at + 3)
    turnVelocity(v, first + 3, before, 0, q, at + 3)
    addAtCenter(v, first, this.center, 4 * i, -1)
  }
}

const before = new Float64Array(4)
const a3 = new Float64Array(3)
const b3 = new Float64Array(3)
const R1 = new Float64Array(9)
const RS = new Float64Array(9)
const angle = new Float64Array(1)
const sc = new Float64Array(2)
const between = new Float64Array(8)

/** v[k+3..] += sign v[k..] × c of c[n..]. */
function addAtCenter(v: Float64Array, k: number, c: Float64Array, n: number, sign: number): void {
  v[k + 3] += sign * (v[k + 1] * c[n + 2] - v[k + 2] * c[n + 1])
  v[k + 4] += sign * (v[k + 2] * c[n] - v[k] * c[n + 2])
  v[k + 5] += sign * (v[k] * c[n + 1] - v[k + 1] * c[n])
}

/** Rotates v[k..k+2] from the axes of the quaternion at from[fromAt..] to those of the one at to[at..]. */
function turnVelocity(v: Float64Array, k: number, from: Float64Array, fromAt: number, to: Float64Array, at: number): void {
  rotationOfQuaternion(R1, from, fromAt)
  rotationOfQuaternion(RS, to, at)
  for (let d = 0; d < 3; d++) a3[d] = v[k + d]
  rotate3(b3, R1, a3)
  rotateTransposed3(a3, RS, b3)
  for (let d = 0; d < 3; d++) v[k + d] = a3[d]
}

/** Rotates v[k..k+1] into axes rotated back by the angle of `sc`. */
function turnInPlane(v: Float64Array, k: number): void {
  const x = v[k]
  const y = v[k + 1]
  v[k] = sc[1] * x - sc[0] * y
  v[k + 1] = sc[0] * x + sc[1] * y
}

function writeDistance(a: Float64Array, b: Float64Array, k: number, n: number, out: Float64Array, i: number): void {
  let square = 0
  for (let d = k; d < k + n; d++) square += (b[d] - a[d]) * (b[d] - a[d])
  out[i] = Math.sqrt(square)
}

/** Upper bound of the angle between two quaternions from s = sin(angle / 2): asin s <= s + (pi/2 - 1) s³. */
function writeTurn(a: Float64Array, b: Float64Array, k: number, out: Float64Array, i: number): void {
  for (let d = 0; d < 3; d++) between[d] = -a[k + d]
  between[3] = a[k + 3]
  mulQuaternion(between, 4, between, 0, b, k)
  const sine = Math.sqrt(between[4] * between[4] + between[5] * between[5] + between[6] * between[6])
  out[i] = 2 * sine + (Math.PI - 2) * sine * sine * sine
}

/** The greater of the lengths of a[k..] and b[k..], n entries each. */
function writeReach(a: Float64Array, b: Float64Array, k: number, n: number, out: Float64Array, i: number): void {
  let squareA = 0
  let squareB = 0
  for (let d = k; d < k + n; d++) {
    squareA += a[d] * a[d]
    squareB += b[d] * b[d]
  }
  out[i] = Math.sqrt(Math.max(squareA, squareB))
}
