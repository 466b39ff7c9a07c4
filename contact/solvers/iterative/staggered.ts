import { type ComplementaritySolver, complementarityResidual, type SolverStatus } from '../complementarity.ts'
import { type ContactProblem, type ContactSolver, GroupKind } from '../contactProblem.ts'
import { Basis } from '../pivoting/basis.ts'
import { PyramidProblem, type PyramidSides } from '../pyramid.ts'

/** Rounds without a solution after which the problem is tried as a whole: for robots two suffice, wedged bodies need up to forty. */
const ROUNDS = 40

/**
 * Friction pyramids by a solver that does not apply to the whole problem: alternately normal impulses for the present friction, zero at
 * first, and friction for these normal impulses. Kaufman, Sueda, James and Pai, Staggered projections for frictional contact in multibody
 * systems, ACM Trans. Graph. 27 (2008), on pyramids. @unchecked
 *
 * Each half has a positive semidefinite matrix, except in columns of sliding groups: W_nn for normal impulses, [Dᵀ W D, e; -eᵀ, 0] for
 * friction. The whole matrix is not, and need not be of class P0: the minor of a contact's normal, one side and sigma is W_nn - mu W_nt,
 * negative for Painlevé's rod, and with several contacts small friction suffices.
 *
 * A round gives a complementary basis of the whole; its z is the solution if it holds. So the rounds need only find the basis, not the
 * exact values. They may cycle, between contacts wedged from all sides; then the whole problem is tried from their last point.
 */
export class StaggeredPyramid implements ContactSolver {
  readonly name: string
  readonly law = 'pyramid'
  iterations = 0
  /** Residual of the whole complementarity problem, whose unknowns are scaled. */
  readonly residual = new Float64Array(1)
  private readonly problem: PyramidProblem
  private readonly solver: ComplementaritySolver
  private readonly tolerance: number
  private readonly basis = new Basis()
  /** 2: numbers of unknowns of normals, joints and loops, and of friction; then their indices. */
  private readonly sizes = new Int32Array(2)
  private members = new Int32Array(0)
  private z = new Float64Array(0)
  private w = new Float64Array(0)
  private inBasis = new Uint8Array(0)
  // of the current half
  private A = new Float64Array(0)
  private b = new Float64Array(0)
  private free = new Uint8Array(0)
  private start = new Float64Array(0)

  /** @param tolerance largest residual of a solution */
  constructor(solver: ComplementaritySolver, sides: PyramidSides, tolerance: number) {
    this.name = solver.name
    this.solver = solver
    this.problem = new PyramidProblem(sides)
    this.tolerance = tolerance
  }

  solve(contact: ContactProblem, p: Float64Array): SolverStatus {
    const { problem, sizes } = this
    this.iterations = 0
    for (let g = 0; g < contact.groupCount; g++) if (contact.kind[g] === GroupKind.disc) return 'not-applicable'
    problem.assemble(contact)
    this.divide(contact)
    this.z.fill(0, 0, problem.size)
    this.inBasis.fill(2, 0, problem.size)
    for (let round = 0; round < ROUNDS; round++) {
      for (let half = 0; half < 2; half++) {
        const status = this.solveHalf(half)
        if (status !== 'solved') return status
      }
      if (this.isNewBasis() && this.holds()) {
        problem.unfold(contact, this.z, p)
        return 'solved'
      }
      if (sizes[1] === 0) return 'residual'
    }
    return this.solveWhole(contact, p)
  }

  /** Solves the whole problem, from the last point of the rounds. */
  private solveWhole(contact: ContactProblem, p: Float64Array): SolverStatus {
    const { problem, solver, z, residual } = this
    const status = solver.solve(problem.size, problem.A, problem.b, problem.free, z)
    this.iterations += solver.iterations
    residual[0] = solver.residual[0]
    if (status === 'solved') problem.unfold(contact, solver.z, p)
    return status
  }

  private divide({ groupCount, kind }: ContactProblem): void {
    const { size, sides } = this.problem
    if (size > this.z.length) this.reserve(Math.ceil(1.5 * size))
    const { members, sizes } = this
    sizes[0] = 0
    for (let g = 0; g < groupCount; g++) sizes[0] += kind[g] === GroupKind.bounded ? 3 : 1
    sizes[1] = size - sizes[0]
    let at = 0
    let normal = 0
    let friction = sizes[0]
    for (let g = 0; g < groupCount; g++) {
      const others = kind[g] === GroupKind.bounded ? 3 : 1
      for (let k = 0; k < others; k++) members[normal++] = at++
      if (kind[g] !== GroupKind.frictional) continue
      for (let k = 0; k <= sides.count; k++) members[friction++] = at++
    }
  }

  private reserve(size: number): void {
    this.members = new Int32Array(size)
    this.z = new Float64Array(size)
    this.w = new Float64Array(size)
    this.inBasis = new Uint8Array(size)
    this.A = new Float64Array(size * size)
    this.b = new Float64Array(size)
    this.free = new Uint8Array(size)
    this.start = new Float64Array(size)
    this.basis.reserve(size)
  }

  /** Solves for z of one half, given z of the other. */
  private solveHalf(half: number): SolverStatus {
    const { problem, solver, members, sizes, z, A, b, free, start } = this
    const { size } = problem
    const n = sizes[half]
    if (n === 0) return 'solved'
    const from = half === 0 ? 0 : sizes[0]
    for (let i = 0; i < n; i++) {
      const row = members[from + i]
      free[i] = problem.free[row]
      start[i] = z[row]
      for (let j = 0; j < n; j++) A[i * n + j] = problem.A[row * size + members[from + j]]
      let sum = problem.b[row]
      for (let k = 0; k < size; k++) sum += problem.A[row * size + k] * z[k]
      for (let j = 0; j < n; j++) sum -= A[i * n + j] * z[members[from + j]]
      b[i] = sum
    }
    const status = solver.solve(n, A, b, free, start)
    this.iterations += solver.iterations
    if (status === 'ray' || status === 'limit') return status
    for (let i = 0; i < n; i++) z[members[from + i]] = solver.z[i]
    return 'solved'
  }

  /** Sets the basis of z. @returns whether it differs from that of the previous round */
  private isNewBasis(): boolean {
    const { problem, z, inBasis } = this
    let isNew = false
    for (let i = 0; i < problem.size; i++) {
      const is = problem.free[i] === 1 || z[i] > 0 ? 1 : 0
      if (inBasis[i] !== is) isNew = true
      inBasis[i] = is
    }
    return isNew
  }

  /** Whether z solves the whole problem, or the solution of its basis does, which then replaces z. */
  private holds(): boolean {
    const { problem, z, w, inBasis, basis, residual, start } = this
    const { size, A, b, free } = problem
    complementarityResidual(size, A, b, free, z, w, residual)
    if (residual[0] <= this.tolerance) return true
    if (!basis.solve(size, A, b, inBasis, start)) return false
    for (let i = 0; i < size; i++) if (free[i] === 0 && start[i] < 0) start[i] = 0
    complementarityResidual(size, A, b, free, start, w, residual)
    if (residual[0] > this.tolerance) return false
    for (let i = 0; i < size; i++) z[i] = start[i]
    return true
  }
}
