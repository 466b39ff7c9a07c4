import type { Data } from '../../dynamics/index.ts'
import { type Collider, separationAlong, supportCore, writeNormal } from '../geometry/index.ts'
import type { Manifold } from './manifold/manifold.ts'
import type { ShapePair } from './narrowphase.ts'

/** Overlap along a face's normal up to which shapes still slide past it, relative to the smaller shape. Rigid models penetrate less. */
const grazing = 1e-6

/**
 * Replaces the contact normal of separated shapes that slide past each other, such as a box that passes the edge of a tile flush with the
 * one below it: along their nearest points they approach within the horizon, but the plane of a face of one separates them now and at its
 * end. A constraint along the nearest points would stop them (the trap of Nguyen and Trinkle 2010; the ghost collisions of game engines);
 * one along that face's normal also prevents penetration, and does not stop them.
 */
export class Passing {
  readonly #n = new Float64Array(3)
  readonly #separation = new Float64Array(1)
  readonly #moved = new Float64Array(1)
  readonly #d = new Float64Array(3)
  readonly #x = new Float64Array(3)
  readonly #index = new Int32Array(1)

  /**
   * Reads data.R_WB, p_WB and V.
   *
   * @param manifold in and out: not empty; if there is a separating plane, reduced to the nearest point of the other shape
   * @param horizon  1 [s]
   */
  turn(a: Collider, b: Collider, pair: ShapePair, manifold: Manifold, data: Data, horizon: Float64Array): void {
    if (a.core === undefined && b.core === undefined) return
    const { normal, gap, point } = manifold
    for (let k = 0; k < 3; k++) this.#n[k] = normal[k]
    this.#move(a, b, pair, data, horizon)
    if (!(this.#moved[0] < 0)) return
    const ofA = this.#clearsFace(a, a, b, 1, pair, data, horizon)
    if (!ofA && !this.#clearsFace(b, a, b, -1, pair, data, horizon)) return
    const other = ofA ? b : a
    const side = ofA ? -1 : 1
    supportCore(other, this.#n, side, this.#x, 0, this.#index)
    manifold.count = 1
    gap[0] = this.#separation[0]
    for (let k = 0; k < 3; k++) {
      normal[k] = this.#n[k]
      point[k] = this.#x[k] + side * (other.rounding + 0.5 * gap[0]) * this.#n[k]
    }
  }

  /** Finds a face of `owner` whose plane separates the shapes now and at the end; writes n, times sign its normal, from A to B. */
  #clearsFace(
    owner: Collider,
    a: Collider,
    b: Collider,
    sign: number,
    pair: ShapePair,
    data: Data,
    horizon: Float64Array,
  ): boolean {
    if (owner.core === undefined) return false
    const bound = -grazing * Math.min(a.radius, b.radius)
    for (let f = 0; f < owner.core.faces.length; f++) {
      writeNormal(owner, f, this.#n)
      for (let k = 0; k < 3; k++) this.#n[k] *= sign
      separationAlong(a, b, this.#n, this.#separation)
      if (!(this.#separation[0] >= bound)) continue
      this.#move(a, b, pair, data, horizon)
      if (this.#moved[0] >= bound) return true
    }
    return false
  }

  /** Separation along n at the end of the horizon, at constant body velocities, to first order. */
  #move(a: Collider, b: Collider, { bodyA, bodyB }: ShapePair, data: Data, horizon: Float64Array): void {
    this.#moved[0] = -a.rounding - b.rounding
    this.#addReach(b, bodyB, -1, data, horizon)
    this.#addReach(a, bodyA, 1, data, horizon)
  }

  /**
   * Subtracts side times the support of a core along side n at the end of the horizon t: the maximum of side n · (x + t (v + ω × (x - p)))
   * over its points x, linear in x: side (n + t n × ω) · x and a constant.
   */
  #addReach(collider: Collider, body: number, side: number, data: Data, horizon: Float64Array): void {
    const n = this.#n
    const d = this.#d
    for (let k = 0; k < 3; k++) d[k] = n[k]
    let same = 0
    if (body > 0) {
      const R = data.R_WB[body]
      const p = data.p_WB[body]
      const V = data.V[body]
      const t = horizon[0]
      // n in the body's axes, like its velocity
      const x = R[0] * n[0] + R[3] * n[1] + R[6] * n[2]
      const y = R[1] * n[0] + R[4] * n[1] + R[7] * n[2]
      const z = R[2] * n[0] + R[5] * n[1] + R[8] * n[2]
      const cx = t * (y * V[2] - z * V[1])
      const cy = t * (z * V[0] - x * V[2])
      const cz = t * (x * V[1] - y * V[0])
      same = t * (x * V[3] + y * V[4] + z * V[5])
      for (let k = 0; k < 3; k++) {
        const turn = R[3 * k] * cx + R[3 * k + 1] * cy + R[3 * k + 2] * cz
        d[k] += turn
        same -= turn * p[k]
      }
    }
    supportCore(collider, d, side, this.#x, 0, this.#index)
    this.#moved[0] -= side * (d[0] * this.#x[0] + d[1] * this.#x[1] + d[2] * this.#x[2] + same)
  }
}
