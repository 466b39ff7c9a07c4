import type { Model } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'

/** Kinds of rows of an entry. Numbers, for use in typed arrays. */
export const RowKind = {
  /** The velocity of body B's point relative to body A's, along each axis [m/s]; the impulse is one at the point [N s]. */
  force: 0,
  /** The angular velocity of body B relative to body A's, about each axis [rad/s]; the impulse is a moment [N m s]. */
  couple: 1,
  /** One row: a joint's velocity, times the entry's sign [rad/s, m/s]; the impulse acts in the joint. */
  joint: 2,
} as const
export type RowKind = (typeof RowKind)[keyof typeof RowKind]

/**
 * Rows of a constraint Jacobian J in geometric form, in entries of one to three rows: entry i of each array is entry i, for
 * i < count. Points and axes are in world axes; bodies are numbered as in the model, 0 being the world; a body may be on both
 * sides, in which case the rows are zero.
 *
 * `reserve` replaces the arrays: read them from the set again after adding.
 */
export class RowSet {
  count = 0
  rowCount = 0
  /** `RowKind`. */
  kind = new Uint8Array(0)
  /** The rows are firstRow[i] to firstRow[i] + width[i] - 1. */
  width = new Uint8Array(0)
  firstRow = new Int32Array(0)
  bodyA = new Int32Array(0)
  bodyB = new Int32Array(0)
  /** 3 an entry [m], of a force. */
  point = new Float64Array(0)
  /** 9 an entry: the unit axes of its rows, one after another. */
  axes = new Float64Array(0)
  /** Of a joint's row: its velocity, and +1 or -1. */
  joint = new Int32Array(0)
  sign = new Int8Array(0)

  constructor(capacity = 32) {
    this.reserve(capacity)
  }

  /** Reserves space for `capacity` entries, keeping the present ones. */
  reserve(capacity: number): void {
    if (capacity <= this.kind.length) return
    const { kind, width, firstRow, bodyA, bodyB, point, axes, joint, sign } = this
    this.kind = new Uint8Array(capacity)
    this.width = new Uint8Array(capacity)
    this.firstRow = new Int32Array(capacity)
    this.bodyA = new Int32Array(capacity)
    this.bodyB = new Int32Array(capacity)
    this.point = new Float64Array(3 * capacity)
    this.axes = new Float64Array(9 * capacity)
    this.joint = new Int32Array(capacity)
    this.sign = new Int8Array(capacity)
    this.kind.set(kind)
    this.width.set(width)
    this.firstRow.set(firstRow)
    this.bodyA.set(bodyA)
    this.bodyB.set(bodyB)
    this.point.set(point)
    this.axes.set(axes)
    this.joint.set(joint)
    this.sign.set(sign)
  }

  clear(): void {
    this.count = 0
    this.rowCount = 0
  }

  /** Appends an entry of `width` rows at a point and returns its number; the caller writes its point and axes. */
  addForce(bodyA: number, bodyB: number, width: number): number {
    return this.append(RowKind.force, bodyA, bodyB, width)
  }

  /** Appends an entry of `width` rows about axes, which the caller writes, and returns its number. */
  addCouple(bodyA: number, bodyB: number, width: number): number {
    return this.append(RowKind.couple, bodyA, bodyB, width)
  }

  /** Appends contact i: its normal and, if `width` is 3, its tangents. */
  addContact({ bodyA, bodyB, point, normal, tangent1, tangent2 }: ContactSet, i: number, width: number): void {
    const p = 3 * this.append(RowKind.force, bodyA[i], bodyB[i], width)
    const a = 3 * p
    const n = 3 * i
    for (let k = 0; k < 3; k++) {
      this.point[p + k] = point[n + k]
      this.axes[a + k] = normal[n + k]
      this.axes[a + 3 + k] = tangent1[n + k]
      this.axes[a + 6 + k] = tangent2[n + k]
    }
  }

  /** Appends the row sign * v[velocity], such as that of a joint's stop. */
  addJoint(velocity: number, sign: 1 | -1): void {
    const i = this.append(RowKind.joint, 0, 0, 1)
    this.joint[i] = velocity
    this.sign[i] = sign
  }

  private append(kind: RowKind, bodyA: number, bodyB: number, width: number): number {
    if (this.count === this.kind.length) this.reserve(2 * this.count + 8)
    const i = this.count++
    this.kind[i] = kind
    this.bodyA[i] = bodyA
    this.bodyB[i] = bodyB
    this.width[i] = width
    this.firstRow[i] = this.rowCount
    this.rowCount += width
    return i
  }
}

/** @throws RangeError if an entry has a body or velocity that is not in the model, or W is too small for the rows */
export function checkRows({ nb, nv }: Model, rows: RowSet, W: Float64Array): void {
  const { count, rowCount, kind, bodyA, bodyB, joint } = rows
  if (W.length < rowCount * rowCount) {
    throw new RangeError(`W has ${W.length} entries; expected at least ${rowCount * rowCount}.`)
  }
  for (let i = 0; i < count; i++) {
    if (kind[i] === RowKind.joint ? !(joint[i] >= 0 && joint[i] < nv) : !isBody(bodyA[i], nb) || !isBody(bodyB[i], nb)) {
      throw new RangeError(
        kind[i] === RowKind.joint
          ? `entry ${i} is about velocity ${joint[i]}; expected a whole number from 0 to ${nv - 1}.`
          : `entry ${i} is about bodies ${bodyA[i]} and ${bodyB[i]}; expected whole numbers from 0 (the world) to ${nb - 1}.`,
      )
    }
  }
}

function isBody(i: number, nb: number): boolean {
  return i >= 0 && i < nb
}
