import { addWork, sincos } from '../../dynamics/math/index.ts'
import type { ComplementaritySolver, SolverStatus } from './complementarity.ts'
import { type ContactProblem, type ContactSolver, GroupKind } from './contactProblem.ts'

/** Directions of the corners of a friction pyramid in the plane of the tangents. */
export interface PyramidSides {
  readonly count: number
  readonly cosine: Float64Array
  readonly sine: Float64Array
}

const mostSides = 1024

/**
 * `count` directions, evenly spread, the first along tangent 1. Opposite ones are exact opposites, as sigma requires. @unchecked
 *
 * @param count even, from 4 to 1024
 * @throws RangeError for another
 */
export function pyramidSides(count: number): PyramidSides {
  if (!(count >= 4 && count <= mostSides && count % 2 === 0))
    throw new RangeError(`a friction pyramid has an even number of sides from 4 to ${mostSides}, not ${count}`)
  const cosine = new Float64Array(count)
  const sine = new Float64Array(count)
  const half = count / 2
  const angle = new Float64Array(1)
  const sc = new Float64Array(2)
  for (let k = 0; k < half; k++) {
    angle[0] = (Math.PI * k) / half
    sincos(sc, angle, 0)
    const square = 2 * k === half // the cosine of pi/2 is not quite 0
    cosine[k] = square ? 0 : sc[1]
    sine[k] = square ? 1 : sc[0]
    cosine[k + half] = -cosine[k]
    sine[k + half] = -sine[k]
  }
  return { count, cosine, sine }
}

/**
 * A contact problem with friction pyramids as a mixed linear complementarity problem (Stewart and Trinkle 1996; Anitescu and Potra 1997),
 * with unknowns per group: @unchecked
 *
 *   unilateral  p                          0 <= p ⟂ u >= 0
 *   frictional  p_n, beta_1.., sigma       0 <= p_n ⟂ u_n >= 0,  0 <= beta ⟂ Dᵀ u_t + sigma >= 0,  0 <= mu p_n - Σ beta ⟂ sigma >= 0
 *   sliding     p_n, with p_t = -mu p_n along tangent 1, so that A is unsymmetric        0 <= p_n ⟂ u_n >= 0
 *   bilateral   p, free                    u = 0
 *   bounded     p, free; s, t              s, t >= 0: the bounds' multipliers, u - s + t = 0, 0 <= s ⟂ limit + p >= 0, 0 <= t ⟂ limit - p >= 0
 *
 * Unknowns of group i are scaled by 1 / sqrt(W_nn), and its rows too, so that the diagonal is near 1 for any masses; sigma and the cone's
 * row cancel the factor and so keep their units, as do s, t and their rows.
 */
export class PyramidProblem {
  readonly sides: PyramidSides
  size = 0
  A = new Float64Array(0)
  b = new Float64Array(0)
  free = new Uint8Array(0)
  /** A guess (`fold`), or the solution (`unfold`). */
  z = new Float64Array(0)
  /** Per group: its first unknown; its others follow. */
  private at = new Int32Array(0)
  /** Per row: its factor. */
  private scale = new Float64Array(0)
  // Unknowns of impulses, and their rows, as sums of two rows of the contact problem: [row, weight] twice.
  private rowOf = new Int32Array(0)
  private weight = new Float64Array(0)
  /** Per unknown: second weight of its column, which may differ from that of its row. */
  private inColumn = new Float64Array(0)
  private isSymmetric = true

  constructor(sides: PyramidSides) {
    this.sides = sides
  }

  /** Sets A, b and free. */
  assemble(problem: ContactProblem): void {
    this.number(problem)
    this.fillImpulses(problem)
    this.fillBounds(problem)
  }

  private number({ groupCount, first, kind, limit, rowCount, W }: ContactProblem): void {
    const { count } = this.sides
    let size = 0
    for (let g = 0; g < groupCount; g++) {
      size += kind[g] === GroupKind.frictional ? count + 2 : kind[g] === GroupKind.bounded ? 3 : 1
    }
    this.reserve(groupCount, rowCount, size)
    const { at, scale, free, rowOf, weight, inColumn, sides } = this
    this.size = size
    this.isSymmetric = true
    let next = 0
    for (let g = 0; g < groupCount; g++) {
      at[g] = next
      const n = first[g]
      const own = W[n * rowCount + n]
      const s = own > 0 ? 1 / Math.sqrt(own) : 1
      for (let r = n; r < first[g + 1]; r++) scale[r] = s
      const isFree = kind[g] === GroupKind.bilateral || kind[g] === GroupKind.bounded
      free[next] = isFree ? 1 : 0
      rowOf[2 * next] = n
      rowOf[2 * next + 1] = n
      weight[2 * next] = s
      weight[2 * next + 1] = 0
      inColumn[next] = 0
      if (kind[g] === GroupKind.sliding) {
        this.isSymmetric = false
        rowOf[2 * next + 1] = n + 1
        inColumn[next] = -limit[g] * s
      }
      next++
      if (kind[g] === GroupKind.frictional) {
        for (let k = 0; k < count; k++) {
          free[next] = 0
          rowOf[2 * next] = n + 1
          rowOf[2 * next + 1] = n + 2
          weight[2 * next] = s * sides.cosine[k]
          weight[2 * next + 1] = s * sides.sine[k]
          inColumn[next] = weight[2 * next + 1]
          next++
        }
      }
      const others = kind[g] === GroupKind.frictional ? 1 : kind[g] === GroupKind.bounded ? 2 : 0
      for (let k = 0; k < others; k++) {
        free[next] = 0
        rowOf[2 * next] = -1
        rowOf[2 * next + 1] = -1
        weight[2 * next] = s
        weight[2 * next + 1] = 0
        inColumn[next] = 0
        next++
      }
    }
  }

  private reserve(groups: number, rows: number, size: number): void {
    if (groups > this.at.length) this.at = new Int32Array(2 * groups)
    if (rows > this.scale.length) this.scale = new Float64Array(2 * rows)
    if (size <= this.b.length) return
    const capacity = Math.max(size, Math.ceil(1.5 * this.b.length))
    this.A = new Float64Array(capacity * capacity)
    this.b = new Float64Array(capacity)
    this.free = new Uint8Array(capacity)
    this.z = new Float64Array(capacity)
    this.rowOf = new Int32Array(2 * capacity)
    this.weight = new Float64Array(2 * capacity)
    this.inColumn = new Float64Array(capacity)
  }

  /** Writes the part E W U of A, U the columns of impulses and E the rows of velocities, and that of b. They differ for sliding groups. */
  private fillImpulses({ W, rhs, rowCount }: ContactProblem): void {
    const { A, b, size: n, rowOf, weight, inColumn, isSymmetric } = this
    addWork(n, n, 3)
    A.fill(0, 0, n * n)
    for (let i = 0; i < n; i++) {
      b[i] = 0
      const r0 = rowOf[2 * i]
      if (r0 < 0) continue
      const r1 = rowOf[2 * i + 1]
      const a0 = weight[2 * i]
      const a1 = weight[2 * i + 1]
      b[i] = a0 * rhs[r0] + a1 * rhs[r1]
      const end = isSymmetric ? i + 1 : n
      for (let j = 0; j < end; j++) {
        const c0 = rowOf[2 * j]
        if (c0 < 0) continue
        const c1 = rowOf[2 * j + 1]
        const x = a0 * W[r0 * rowCount + c0] + a1 * W[r1 * rowCount + c0]
        const y = a0 * W[r0 * rowCount + c1] + a1 * W[r1 * rowCount + c1]
        const value = x * weight[2 * j] + y * inColumn[j]
        A[i * n + j] = value
        if (isSymmetric) A[j * n + i] = value
      }
    }
  }

  private fillBounds({ groupCount, first, kind, limit }: ContactProblem): void {
    const { A, b, size: n, at, scale, sides } = this
    const { count } = sides
    for (let g = 0; g < groupCount; g++) {
      const p = at[g]
      if (kind[g] === GroupKind.frictional) {
        const sigma = p + count + 1
        A[sigma * n + p] = limit[g]
        for (let k = 1; k <= count; k++) {
          A[(p + k) * n + sigma] = 1
          A[sigma * n + p + k] = -1
        }
      } else if (kind[g] === GroupKind.bounded) {
        const s = scale[first[g]]
        A[p * n + p + 1] = -1
        A[(p + 1) * n + p] = 1
        b[p + 1] = limit[g] / s
        A[p * n + p + 2] = 1
        A[(p + 2) * n + p] = -1
        b[p + 2] = limit[g] / s
      }
    }
  }

  /** z := a guess of the impulses p; other unknowns are 0. */
  fold({ groupCount, first, kind }: ContactProblem, p: Float64Array): void {
    const { z, at, scale, sides, size } = this
    const { count, cosine, sine } = sides
    z.fill(0, 0, size)
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const u = at[g]
      z[u] = p[n] / scale[n]
      if (kind[g] !== GroupKind.frictional) continue
      const x = p[n + 1] / scale[n]
      const y = p[n + 2] / scale[n]
      if (x === 0 && y === 0) continue
      // split between the two corners next to the friction
      for (let k = 0; k < count; k++) {
        const next = (k + 1) % count
        const area = cosine[k] * sine[next] - sine[k] * cosine[next]
        const onK = (x * sine[next] - y * cosine[next]) / area
        const onNext = (cosine[k] * y - sine[k] * x) / area
        if (onK < 0 || onNext < 0) continue
        z[u + 1 + k] = onK
        z[u + 1 + next] += onNext
        break
      }
    }
  }

  /** p := the impulses of z. */
  unfold({ groupCount, first, kind, limit }: ContactProblem, z: Float64Array, p: Float64Array): void {
    const { at, scale, sides } = this
    const { count, cosine, sine } = sides
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      const u = at[g]
      const s = scale[n]
      p[n] = s * z[u]
      if (kind[g] === GroupKind.sliding) {
        p[n + 1] = -limit[g] * p[n]
        p[n + 2] = 0
      }
      if (kind[g] !== GroupKind.frictional) continue
      let x = 0
      let y = 0
      for (let k = 0; k < count; k++) {
        x += cosine[k] * z[u + 1 + k]
        y += sine[k] * z[u + 1 + k]
      }
      p[n + 1] = s * x
      p[n + 2] = s * y
    }
  }
}

/** Solves contact problems under the pyramids' law with a solver of complementarity problems; without disc groups. @unchecked */
export class PyramidSolver implements ContactSolver {
  readonly name: string
  readonly law = 'pyramid'
  readonly problem: PyramidProblem
  private readonly solver: ComplementaritySolver

  /** @param name under which its outcomes are counted */
  constructor(solver: ComplementaritySolver, sides: PyramidSides, name = solver.name) {
    this.name = name
    this.solver = solver
    this.problem = new PyramidProblem(sides)
  }

  get iterations(): number {
    return this.solver.iterations
  }

  /** Residual of the complementarity problem, whose unknowns are scaled. */
  get residual(): Float64Array {
    return this.solver.residual
  }

  solve(contact: ContactProblem, p: Float64Array): SolverStatus {
    const { problem, solver } = this
    for (let g = 0; g < contact.groupCount; g++) if (contact.kind[g] === GroupKind.disc) return 'not-applicable'
    problem.assemble(contact)
    problem.fold(contact, p)
    const status = solver.solve(problem.size, problem.A, problem.b, problem.free, problem.z)
    if (status === 'solved') problem.unfold(contact, solver.z, p)
    return status
  }
}
