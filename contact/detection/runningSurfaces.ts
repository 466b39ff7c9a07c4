import { type Data, place3, rotate3 } from '../../dynamics/index.ts'
import type { ContactSet } from '../contactSet.ts'
import type { PlacedShape } from '../geometry/index.ts'
import type { CollisionPairs } from './pairs.ts'

/** A shape whose surface runs (`PlacedShape.surfaceVelocity`), and its present velocities. */
export interface RunningSurface {
  readonly shape: PlacedShape
  /** 6, in the shape's axes: linear at its origin [m/s], angular [rad/s]. */
  readonly velocity: Float64Array
  /** A view of its last 3. */
  readonly angular: Float64Array
  /** 3: the linear one, given by a controller in place of what the shape states; NaN: none is given. */
  readonly given: Float64Array
}

/**
 * Surfaces that run, as belts and tracks do, on whatever body. The velocity of a surface at x is v + omega x (x - o) beyond its body's, o
 * the shape's origin; contacts have the difference of their two surfaces along their tangents and about their normal, as MuJoCo's
 * `surfacevel`: nothing is pushed along the normal, and nothing is made to roll. The slip of every model is then J v plus that. @unchecked
 */
export class RunningSurfaces {
  readonly list: readonly RunningSurface[]
  /** 1: for `update` [s]; an array, so that no number is boxed. */
  readonly time = new Float64Array(1)
  /** `given` of all, one after the other; part of a checkpoint. */
  readonly given: Float64Array
  /** 2 a pair of shapes: entries of `list`, -1 if a surface does not run. */
  private readonly ofPair: Int32Array
  private readonly v = new Float64Array(3)
  private readonly omega = new Float64Array(3)
  private readonly origin = new Float64Array(3)

  /** @returns undefined if no surface runs */
  static of(pairs: CollisionPairs, shapes: readonly PlacedShape[]): RunningSurfaces | undefined {
    return shapes.some(({ surfaceVelocity }) => surfaceVelocity) ? new RunningSurfaces(pairs, shapes) : undefined
  }

  private constructor(pairs: CollisionPairs, shapes: readonly PlacedShape[]) {
    const running = shapes.filter(({ surfaceVelocity }) => surfaceVelocity)
    this.given = new Float64Array(3 * running.length).fill(Number.NaN)
    this.list = running.map((shape, k) => {
      const velocity = new Float64Array(6)
      return { shape, velocity, angular: velocity.subarray(3), given: this.given.subarray(3 * k, 3 * k + 3) }
    })
    this.ofPair = new Int32Array(2 * pairs.count).fill(-1)
    for (let a = 0; a < pairs.shapeCount; a++) {
      for (let b = a + 1; b < shapes.length; b++) {
        const pair = pairs.numberOf(a, b)
        if (pair < 0) continue
        this.ofPair[2 * pair] = running.indexOf(shapes[a])
        this.ofPair[2 * pair + 1] = running.indexOf(shapes[b])
      }
    }
    this.update()
  }

  /** Sets the velocities at `time`. @throws RangeError if one is not finite */
  update(): void {
    const t = this.time[0]
    for (const { shape, velocity, given } of this.list) {
      const { surfaceVelocity, name } = shape
      if (typeof surfaceVelocity === 'function') surfaceVelocity(t, velocity)
      else if (surfaceVelocity) for (let k = 0; k < 6; k++) velocity[k] = surfaceVelocity[k]
      for (let k = 0; k < 3; k++) if (!Number.isNaN(given[k])) velocity[k] = given[k]
      for (let k = 0; k < 6; k++)
        if (!Number.isFinite(velocity[k]))
          throw new RangeError(
            `the surface of "${name}" runs at ${velocity.join(', ')} at t = ${Number(t.toPrecision(9))} s; give it finite numbers`,
          )
    }
  }

  /** Writes `running` and `spin` of new contacts, whose tangents are final; `data` has the poses at detection. */
  write(data: Data, contacts: ContactSet): void {
    const { ofPair } = this
    const { count, pair, running, spin } = contacts
    contacts.runs = true
    for (let i = 0; i < count; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) running[k] = 0
      spin[i] = 0
      for (let side = 2 * pair[i]; side < 2 * pair[i] + 2; side++)
        if (ofPair[side] >= 0) this.add(data, contacts, i, ofPair[side])
    }
  }

  private add({ R_WB, p_WB }: Data, contacts: ContactSet, i: number, s: number): void {
    const { bodyA, point, normal, tangent1, tangent2, running, spin } = contacts
    const { v, omega, origin } = this
    const { shape, velocity, angular } = this.list[s]
    const R = R_WB[shape.body]
    const sign = bodyA[i] === shape.body ? -1 : 1
    rotate3(v, shape.R, velocity)
    rotate3(v, R, v)
    rotate3(omega, shape.R, angular)
    rotate3(omega, R, omega)
    place3(origin, R, p_WB[shape.body], shape.p)
    const n = 3 * i
    const x = point[n] - origin[0]
    const y = point[n + 1] - origin[1]
    const z = point[n + 2] - origin[2]
    v[0] += omega[1] * z - omega[2] * y
    v[1] += omega[2] * x - omega[0] * z
    v[2] += omega[0] * y - omega[1] * x
    for (let d = 0; d < 3; d++) {
      running[n + 1] += sign * v[d] * tangent1[n + d]
      running[n + 2] += sign * v[d] * tangent2[n + d]
      spin[i] += sign * omega[d] * normal[n + d]
    }
  }
}

/** out[0] = work of the drives of running surfaces in a step, through its contacts [J]: less what their impulses do against them. @unchecked */
export function workOfSurfaces({ count, running, spin, impulse, moment }: ContactSet, out: Float64Array): void {
  for (let i = 0; i < count; i++) {
    const n = 3 * i
    out[0] -= impulse[n + 1] * running[n + 1] + impulse[n + 2] * running[n + 2] + moment[n] * spin[i]
  }
}
