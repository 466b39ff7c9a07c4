import { addWork } from '../../../dynamics/index.ts'
import type { ContactRows } from '../../constraints/index.ts'
import { LeastNorm } from '../../solvers/index.ts'

/**
 * Points count as one if the square of their relative motion over that of their motion is below this. Points of an unevenly sunk face
 * differ in height by fractions of a millimetre; to hold both exactly would keep the face from tilting, with opposing forces inversely
 * proportional to that lever.
 */
const SAME_POINT = 1e-4

/**
 * Static friction by a linear system: tangential forces x that keep sticking points from slipping, J_t H⁻¹ J_tᵀ x = -rate, H = LᵀL being
 * the effective inertia. Several points of one body make it singular; of all solutions it uses that of least Σ |x_i|² / (mu_i F_i), which
 * shares a load among points in proportion to their friction limits.
 *
 * The matrix is built from rows Y = L⁻ᵀ J_tᵀ: J_t H⁻¹ J_tᵀ = Y Yᵀ, and the response to x is L⁻¹ Σ Y x.
 */
export class StickingSystem {
  /** Number of contacts in the system, and their indices. */
  count = 0
  contact = new Int32Array(0)
  /** 2 for each of these: its sticking force along tangents 1 and 2 [N]. */
  x = new Float64Array(0)
  /** nv: H⁻¹ J_tᵀ x. */
  readonly change: Float64Array
  private readonly leastNorm = new LeastNorm(SAME_POINT)
  private readonly path: Int32Array
  private Y = new Float64Array(0)
  private W = new Float64Array(0)
  private rhs = new Float64Array(0)
  private scale = new Float64Array(0)

  constructor(nv: number) {
    this.change = new Float64Array(nv)
    this.path = new Int32Array(nv)
  }

  /** Reserves space for `capacity` contacts and removes all. */
  clear(capacity: number): void {
    this.count = 0
    if (capacity <= this.contact.length) return
    this.contact = new Int32Array(capacity)
    this.x = new Float64Array(2 * capacity)
    this.rhs = new Float64Array(2 * capacity)
    this.scale = new Float64Array(2 * capacity)
  }

  add(contact: number): void {
    this.contact[this.count++] = contact
  }

  /** Removes the n-th contact of the system. */
  remove(n: number): void {
    this.contact.copyWithin(n, n + 1, this.count--)
  }

  /**
   * Computes x and `change`, the velocity response.
   *
   * @param L        factor of H, by `rows.pattern.factorize`
   * @param rate     3 a contact, of which the two tangential entries are read: the rate that x cancels
   * @param mu       per contact
   * @param load     per contact: mu times load is its friction limit [N]
   */
  solve(rows: ContactRows, L: Float64Array, rate: Float64Array, mu: Float64Array, load: Float64Array): void {
    const { contact, count, change, x, rhs, scale } = this
    const nv = change.length
    const size = 2 * count
    if (size * nv > this.Y.length) this.Y = new Float64Array(2 * size * nv)
    if (size * size > this.W.length) this.W = new Float64Array(4 * size * size)
    this.build(rows, L)
    for (let n = 0; n < count; n++) {
      const i = contact[n]
      rhs[2 * n] = -rate[3 * i + 1]
      rhs[2 * n + 1] = -rate[3 * i + 2]
      scale[2 * n] = Math.sqrt(mu[i] * load[i])
      scale[2 * n + 1] = scale[2 * n]
    }
    this.leastNorm.solve(size, this.W, rhs, scale, x)

    const { Y } = this
    addWork(size, nv, 1)
    change.fill(0)
    for (let r = 0; r < size; r++) for (let k = 0; k < nv; k++) change[k] += Y[r * nv + k] * x[r]
    rows.pattern.solveL(L, change)
  }

  /** Y and W. */
  private build({ J, first, size: sizes, velocities, entry, pattern }: ContactRows, L: Float64Array): void {
    const { Y, W, contact, count, path, change } = this
    const nv = change.length
    const size = 2 * count
    addWork(size, nv, 1)
    Y.fill(0, 0, size * nv)
    for (let r = 0; r < size; r++) {
      const i = contact[r >> 1]
      const at = 3 * entry[i] + 1 + (r & 1)
      for (let c = 0; c < sizes[i]; c++) Y[r * nv + velocities[first[i] + c]] = J[at + 3 * c]
      pattern.solveLTransposedOnPath(L, velocities[first[i]], Y, r * nv)
      const length = pattern.path(velocities[first[i]], path)
      addWork(r, length, 1)
      for (let s = 0; s <= r; s++) {
        let sum = 0
        for (let c = 0; c < length; c++) sum += Y[r * nv + path[c]] * Y[s * nv + path[c]]
        W[r * size + s] = sum
        W[s * size + r] = sum
      }
    }
  }
}
