import { type ContactProblem, type ExactRows, exactRows, GroupKind, type SavedProblem, spring } from '../../contact/index.ts'
import { dot } from '../../dynamics/index.ts'

/** Find z >= 0 with w = A z + b >= 0 and zᵀw = 0; the z of `free` have any sign, and their w is 0. */
export interface LinearProblem {
  readonly kind: 'lcp' | 'mlcp'
  readonly A: readonly (readonly number[])[]
  readonly b: readonly number[]
  /** Indices of unknowns that are free of sign; none in an lcp. */
  readonly free: readonly number[]
  readonly origin?: Readonly<Record<string, unknown>>
}

export type Problem = LinearProblem | SavedProblem

/** A pivot of M's factors below this part of its diagonal entry is rounding. */
const ROUNDING = 1e-13
/** Sides of the pyramid where the problem states none. */
export const SIDES = 4

/**
 * A saved problem in impulses: W = J M⁻¹ Jᵀ + softness, right = J vFree and gap terms. A contact without friction is
 * its normal row alone.
 */
export class ContactSystem {
  readonly problem: ContactProblem
  /** Per row of the problem: softness part of the diagonal of W. */
  readonly softness: Float64Array
  private readonly saved: SavedProblem
  /** M⁻¹ Jᵀ, a row of nv for each row of the problem. */
  private readonly response: readonly Float64Array[]
  /** Per row of the problem: which row of the file's it is, rows of J first. */
  private readonly rowOf: readonly number[]
  /** Per row of the file: velocity added. */
  private readonly added: readonly number[]

  constructor(saved: SavedProblem) {
    const { M, J, vFree, gap, mu, bounds, dt, allowed, addedSlip, rows = [], softness = [] } = saved
    const rowOf: number[] = []
    const first: number[] = []
    const kind: number[] = []
    const limit: number[] = []
    mu.forEach((friction, c) => {
      first.push(rowOf.length)
      const ofFriction = bounds === undefined ? GroupKind.frictional : GroupKind.disc
      kind.push(friction > 0 ? ofFriction : GroupKind.unilateral)
      limit.push(friction > 0 ? (bounds?.[c] ?? friction) : 0)
      for (let k = 0; k < (friction > 0 ? 3 : 1); k++) rowOf.push(3 * c + k)
    })
    rows.forEach((row, i) => {
      first.push(rowOf.length)
      kind.push(GroupKind[row.kind])
      limit.push(row.limit ?? 0)
      rowOf.push(J.length + i)
    })
    first.push(rowOf.length)

    const all = [...J, ...rows.map((row) => row.J)]
    const added = [
      ...gap.flatMap((psi, c) => [allowed?.[c] ?? psi / dt, ...(addedSlip?.[c] ?? [0, 0])]),
      ...rows.map((row) => row.added),
    ]
    const { L } = factorOf(M)
    const n = rowOf.length
    const W = new Float64Array(n * n)
    const rhs = new Float64Array(n)
    this.softness = Float64Array.from(rowOf, (r) => softness[r] ?? 0)
    this.response = rowOf.map((r) => solveFactored(L, all[r]))
    for (let i = 0; i < n; i++) {
      const row = all[rowOf[i]]
      rhs[i] = dot(row, vFree) + added[rowOf[i]]
      for (let j = 0; j <= i; j++) {
        const value = dot(row, this.response[j]) + (i === j ? this.softness[i] : 0)
        W[i * n + j] = value
        W[j * n + i] = value
      }
    }
    const springs = new Float64Array(spring.size * kind.length)
    saved.springs?.forEach((numbers, c) => {
      springs.set(numbers, spring.size * c)
    })
    this.saved = saved
    this.added = added
    this.rowOf = rowOf
    this.problem = {
      rowCount: n,
      W,
      rhs,
      groupCount: kind.length,
      first: Int32Array.from(first),
      kind: Uint8Array.from(kind),
      limit: Float64Array.from(limit),
      springs,
    }
  }

  /** Numbers of which W and the right-hand side of `problem` are made, of its rows. */
  given() {
    const { M, J, vFree, rows = [], softness = [] } = this.saved
    const all = [...J, ...rows.map((row) => row.J)]
    const of = <T>(values: readonly T[]) => this.rowOf.map((r) => values[r])
    return { M, J: of(all), vFree, added: of(this.added), softness: of(all.map((_, r) => softness[r] ?? 0)) }
  }

  /** W and the right-hand side of `problem` in integers over one denominator. */
  exact(): ExactRows {
    const { M, J, vFree, added, softness } = this.given()
    return exactRows(M, J, vFree, added, softness)
  }

  /** Of every row of the file; 0 for tangents without friction. */
  impulses(p: Float64Array): Float64Array {
    const { J, rows = [] } = this.saved
    const all = new Float64Array(J.length + rows.length)
    this.rowOf.forEach((row, i) => {
      all[row] = p[i]
    })
    return all
  }

  /** Whether impulses change velocity i. */
  moves(i: number): boolean {
    return this.response.some((response) => response[i] !== 0)
  }

  /** vFree + M⁻¹ Jᵀ p, nv. */
  velocity(p: Float64Array): Float64Array {
    const v = Float64Array.from(this.saved.vFree)
    this.response.forEach((response, i) => {
      for (let k = 0; k < v.length; k++) v[k] += response[k] * p[i]
    })
    return v
  }
}

/** x with L Lᵀ x = right. */
function solveFactored(L: Float64Array, rhs: readonly number[]): Float64Array {
  const x = Float64Array.from(rhs)
  const n = x.length
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k]
    x[i] /= L[i * n + i]
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k]
    x[i] /= L[i * n + i]
  }
  return x
}

/** M = L Lᵀ with L lower triangular, row-major (Cholesky); `broken` is the row at which M is not positive definite, or -1. */
export function factorOf(M: readonly (readonly number[])[]): { L: Float64Array; broken: number } {
  const n = M.length
  const L = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = M[i][j]
      for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k]
      if (i > j) L[i * n + j] = sum / L[j * n + j]
      else if (sum > ROUNDING * M[i][i]) L[i * n + i] = Math.sqrt(sum)
      else return { L, broken: i }
    }
  }
  return { L, broken: -1 }
}
