import type { Data } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { PlacedShape } from '../geometry/index.ts'

/** Sine of the angle to the normal below which an axis has no direction in the plane of a contact. */
const NO_DIRECTION = 1e-3
/** Squared component of a normal along the world's y from which its z axis is taken in place of y. */
const NEAR_Y = 0.25
/** Least ratio of the two coefficients: a tangent of length 0 has no inverse, and a millionth of the friction has no effect. */
const LEAST_RATIO = 1e-6

/**
 * Friction by direction: the axes of the pairs whose two coefficients differ. Only the tangents carry it. With unit vectors e1 along the
 * axis of the larger coefficient mu, e2 across it, and r the smaller coefficient over the larger,
 *
 *   t1 = e1, t2 = r e2,     u' = (u · t1, u · t2) = (u1, r u2),     f = f1' t1 + f2' t2, so that f' = (f1, f2 / r),
 *
 * the ellipse (f1 / mu)² + (f2 / (r mu))² ≤ fn² is |f'| ≤ mu fn, power is f' · u' = f · u, and the force of largest dissipation in it is f'
 * = -mu fn u' / |u'|. So every law of Coulomb's cone, its pyramids and regularisations become in t1 and t2 those of the ellipse
 * (orthotropic friction with an associated sliding rule: Goyal, Ruina and Papadopoulos, Wear 143, 1991; Zmitrowicz, Int. J. Solids Struct.
 * 25, 1989). Compliances and stick speeds are those of u' and f', softer along the weaker axis by 1 / r², as in MuJoCo's cones.
 *
 * The axis is fixed in a surface and turns with its body. If it is along the normal it has no tangential part: friction is then the smaller
 * in all directions.
 */
export class FrictionAxes {
  /** Per pair: the ratio r; 1 if friction has no directions. */
  private readonly ratio: Float64Array
  /** Per pair: the body of the axis; 3, the unit axis in that body's axes; and 1 if the larger coefficient acts across the axis. */
  private readonly body: Int32Array
  private readonly axis: Float64Array
  private readonly isAcross: Uint8Array
  /** Per pair: 1 if the axis is that of the world (`Surface.frictionAxis`). */
  private readonly isWorld: Uint8Array
  /** Pairs with directions. */
  private count = 0

  constructor(pairCount: number) {
    this.ratio = new Float64Array(pairCount).fill(1)
    this.body = new Int32Array(pairCount)
    this.axis = new Float64Array(3 * pairCount)
    this.isAcross = new Uint8Array(pairCount)
    this.isWorld = new Uint8Array(pairCount)
  }

  /** @param owner the shape with the `frictionAxis` @param along, across coefficients of the pair, which differ */
  set(pair: number, { body, R, frictionAxis }: PlacedShape, along: number, across: number): void {
    if (frictionAxis === undefined) return
    const isWorld = frictionAxis === 'world'
    const [x, y, z] = isWorld ? [0, 1, 0] : frictionAxis
    const length = Math.hypot(x, y, z)
    for (let d = 0; d < 3 && !isWorld; d++)
      this.axis[3 * pair + d] = (R[3 * d] * x + R[3 * d + 1] * y + R[3 * d + 2] * z) / length
    this.ratio[pair] = Math.max(Math.min(along, across) / Math.max(along, across), LEAST_RATIO)
    this.body[pair] = isWorld ? 0 : body
    this.isWorld[pair] = isWorld ? 1 : 0
    this.isAcross[pair] = across > along ? 1 : 0
    this.count++
  }

  /** Turns and scales the tangents of new contacts; `data` has the poses at detection. */
  turn(data: Data, contacts: ContactSet): void {
    if (this.count === 0) return
    const { ratio } = this
    const { count, pair, inverse2 } = contacts
    for (let i = 0; i < count; i++) {
      inverse2[i] = 1
      if (ratio[pair[i]] !== 1) this.turnOne(data, contacts, i)
    }
  }

  private turnOne({ R_WB }: Data, { pair, normal, tangent1, tangent2, inverse2, mu, muStatic }: ContactSet, i: number): void {
    const k = pair[i]
    const { axis } = this
    const r = this.ratio[k]
    const R = R_WB[this.body[k]]
    const n = 3 * i
    const nx = normal[n]
    const ny = normal[n + 1]
    const nz = normal[n + 2]
    let x = R[0] * axis[3 * k] + R[1] * axis[3 * k + 1] + R[2] * axis[3 * k + 2]
    let y = R[3] * axis[3 * k] + R[4] * axis[3 * k + 1] + R[5] * axis[3 * k + 2]
    let z = R[6] * axis[3 * k] + R[7] * axis[3 * k + 1] + R[8] * axis[3 * k + 2]
    if (this.isWorld[k] === 1) {
      x = 0
      y = ny * ny < NEAR_Y ? 1 : 0
      z = 1 - y
    }
    const along = x * nx + y * ny + z * nz
    x -= along * nx
    y -= along * ny
    z -= along * nz
    const length = Math.sqrt(x * x + y * y + z * z)
    if (length < NO_DIRECTION) {
      mu[i] *= r
      muStatic[i] *= r
      return
    }
    x /= length
    y /= length
    z /= length
    // normal x (x, y, z)
    const ax = ny * z - nz * y
    const ay = nz * x - nx * z
    const az = nx * y - ny * x
    const across = this.isAcross[k] === 1
    tangent1[n] = across ? ax : x
    tangent1[n + 1] = across ? ay : y
    tangent1[n + 2] = across ? az : z
    tangent2[n] = r * (across ? -x : ax)
    tangent2[n + 1] = r * (across ? -y : ay)
    tangent2[n + 2] = r * (across ? -z : az)
    inverse2[i] = 1 / (r * r)
  }
}
