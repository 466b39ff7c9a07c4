import { type ContactProblem, GroupKind, LemkeSolver, pyramidSides, type SolverStatus } from '../../solvers/index.ts'

/** Times that what would slide back is asked to stick instead. */
const TURN_LIMIT = 4
/** Of the terms that a row sums: friction that drives its slip by less is rounding. */
const ROUNDING = 1e-9
const SIDES = pyramidSides(8)

/**
 * A contact problem with dynamic friction along slips that are given, as a linear complementarity problem for Lemke's algorithm:
 *
 *   sliding      f_n alone, its column of W being n - mu slip, its row n: not symmetric
 *   static       f_n, sides of a pyramid and sigma, as in `PyramidProblem`
 *   others       one unknown each, free for bilateral groups
 *
 * Unknowns and rows of a group are scaled by 1 / sqrt(W_nn). A sliding group whose friction would push it the way that it goes at the
 * end (`right` contains slip over the step) becomes a static one, and the problem is solved again.
 */
export class SlidingProblem {
  readonly name = 'lemke'
  iterations = 0
  readonly residual = new Float64Array(1)
  private readonly solver = new LemkeSolver()
  private size = 0
  private A = new Float64Array(0)
  private b = new Float64Array(0)
  private free = new Uint8Array(0)
  private start = new Float64Array(0)
  /** Per unknown: first row of its group, -1 for a sigma, and which group. */
  private row = new Int32Array(0)
  private group = new Int32Array(0)
  /** 3 an unknown: rows that its column sums, and rows that its equation sums. */
  private U = new Float64Array(0)
  private E = new Float64Array(0)
  /** Per group: 1 if it slides; its first unknown. */
  private slides = new Uint8Array(0)
  private at = new Int32Array(0)

  /** As `BaraffSolver.solve`. */
  solve(problem: ContactProblem, slip: Float64Array, f: Float64Array): SolverStatus {
    const { groupCount: groups, kind } = problem
    this.reserve(problem)
    const { slides, solver } = this
    this.iterations = 0
    for (let g = 0; g < groups; g++) {
      if (kind[g] === GroupKind.bounded) return 'not-applicable'
      slides[g] = kind[g] === GroupKind.frictional && (slip[2 * g] !== 0 || slip[2 * g + 1] !== 0) ? 1 : 0
    }
    for (let turn = 0; turn < TURN_LIMIT; turn++) {
      this.assemble(problem, slip)
      const status = solver.solve(this.size, this.A, this.b, this.free, this.start)
      this.iterations += solver.iterations
      if (status !== 'solved') return status
      this.residual[0] = solver.residual[0]
      this.unfold(problem, slip, f)
      if (!this.turnsBack(problem, slip, f)) return 'solved'
    }
    return 'residual'
  }

  private reserve({ groupCount: groups }: ContactProblem): void {
    if (groups > this.at.length) {
      this.at = new Int32Array(2 * groups)
      this.slides = new Uint8Array(2 * groups)
    }
    const most = (SIDES.count + 2) * groups
    if (most <= this.b.length) return
    const capacity = 2 * most
    this.A = new Float64Array(capacity * capacity)
    this.b = new Float64Array(capacity)
    this.free = new Uint8Array(capacity)
    this.start = new Float64Array(capacity)
    this.row = new Int32Array(capacity)
    this.group = new Int32Array(capacity)
    this.U = new Float64Array(3 * capacity)
    this.E = new Float64Array(3 * capacity)
  }

  private assemble(problem: ContactProblem, slip: Float64Array): void {
    const { W, right, rowCount: rows, groupCount: groups, first, kind, limit } = problem
    const { row, group, U, E, at, slides, free, A, b } = this
    let n = 0
    U.fill(0)
    E.fill(0)
    for (let g = 0; g < groups; g++) {
      const r = first[g]
      const scale = 1 / Math.sqrt(W[r * rows + r])
      at[g] = n
      row[n] = r
      group[n] = g
      free[n] = kind[g] === GroupKind.bilateral ? 1 : 0
      U[3 * n] = scale
      E[3 * n] = scale
      if (slides[g] === 1) {
        U[3 * n + 1] = -limit[g] * slip[2 * g] * scale
        U[3 * n + 2] = -limit[g] * slip[2 * g + 1] * scale
      }
      n++
      if (kind[g] !== GroupKind.frictional || slides[g] === 1) continue
      for (let k = 0; k < SIDES.count; k++) {
        row[n] = r
        group[n] = g
        free[n] = 0
        U[3 * n + 1] = scale * SIDES.cosine[k]
        U[3 * n + 2] = scale * SIDES.sine[k]
        E[3 * n + 1] = U[3 * n + 1]
        E[3 * n + 2] = U[3 * n + 2]
        n++
      }
      row[n] = -1
      group[n] = g
      free[n] = 0
      n++
    }
    this.size = n
    for (let i = 0; i < n; i++) {
      const r = row[i]
      b[i] = 0
      for (let j = 0; j < n; j++) A[i * n + j] = 0
      if (r < 0) continue
      const width = first[group[i] + 1] - r
      for (let c = 0; c < width; c++) b[i] += E[3 * i + c] * right[r + c]
      for (let j = 0; j < n; j++) {
        const s = row[j]
        if (s < 0) continue
        const other = first[group[j] + 1] - s
        let sum = 0
        for (let c = 0; c < width; c++) {
          if (E[3 * i + c] === 0) continue
          for (let d = 0; d < other; d++) sum += E[3 * i + c] * W[(r + c) * rows + s + d] * U[3 * j + d]
        }
        A[i * n + j] = sum
      }
    }
    for (let g = 0; g < groups; g++) {
      if (kind[g] !== GroupKind.frictional || slides[g] === 1) continue
      const u = at[g]
      const sigma = u + SIDES.count + 1
      A[sigma * n + u] = limit[g]
      for (let k = 1; k <= SIDES.count; k++) {
        A[(u + k) * n + sigma] = 1
        A[sigma * n + u + k] = -1
      }
    }
  }

  private unfold({ groupCount: groups, rowCount: rows, first }: ContactProblem, _slip: Float64Array, f: Float64Array): void {
    const { U, row, group, solver, size } = this
    f.fill(0, 0, rows)
    for (let i = 0; i < size; i++) {
      if (row[i] < 0 || group[i] >= groups) continue
      const width = first[group[i] + 1] - row[i]
      for (let c = 0; c < width; c++) f[row[i] + c] += U[3 * i + c] * solver.z[i]
    }
  }

  /** Makes static what its friction would push the way it goes; whether there was anything. */
  private turnsBack(
    { W, right, rowCount: rows, groupCount: groups, first }: ContactProblem,
    slip: Float64Array,
    f: Float64Array,
  ): boolean {
    const { slides } = this
    let found = false
    for (let g = 0; g < groups; g++) {
      const n = first[g]
      if (slides[g] === 0 || !(f[n] > 0)) continue
      let along = 0
      let size = 0
      for (let c = 0; c < 2; c++) {
        let w = right[n + 1 + c]
        size += Math.abs(w)
        for (let s = 0; s < rows; s++) {
          const term = W[(n + 1 + c) * rows + s] * f[s]
          w += term
          size += Math.abs(term)
        }
        along += slip[2 * g + c] * w
      }
      if (along >= -ROUNDING * size) continue
      slides[g] = 0
      found = true
    }
    return found
  }
}
