import type { SolverEvents } from '../../contactModel.ts'
import { type ContactProblem, type ContactSolver, UNKNOWN_MODE } from '../../solvers/index.ts'

/** A solver that tells from an answer found elsewhere what its own modes would be. */
interface Adopting extends ContactSolver {
  adopt?(problem: ContactProblem, p: Float64Array, mode: Int8Array): void
}

/**
 * Solvers that are asked one after another until one has an answer that holds. Each outcome is counted, in `SolverEvents.solvers`, at
 * the solver's place in the chain.
 */
export class SolverChain {
  readonly names: readonly string[]
  /** How the last solver of the last call ended. */
  status = ''
  private readonly solvers: readonly Adopting[]
  /** The guess, for each solver the same. */
  private start = new Float64Array(0)

  /** Where its solvers stand among all that the model declares. */
  private readonly offset: number

  constructor(solvers: readonly Adopting[], offset = 0, prefix = '') {
    this.solvers = solvers
    this.offset = offset
    this.names = solvers.map(({ name }) => prefix + name)
  }

  /**
   * p and mode, in: the guess; out: the answer, and the modes of the first solver.
   *
   * @param from the first solver that is asked
   * @returns which solver answered, -1 if none
   */
  solve(problem: ContactProblem, p: Float64Array, mode: Int8Array, from: number, events: SolverEvents): number {
    const { solvers, offset } = this
    const { rowCount, groupCount } = problem
    if (rowCount > this.start.length) this.start = new Float64Array(2 * rowCount)
    const { start } = this
    for (let r = 0; r < rowCount; r++) start[r] = p[r]
    for (let k = from; k < solvers.length; k++) {
      const solver = solvers[k]
      if (k > from) for (let r = 0; r < rowCount; r++) p[r] = start[r]
      this.status = solver.solve(problem, p, mode)
      events.iterations += solver.iterations
      if (this.status !== 'solved') {
        events.solvers[offset + k].failed++
        continue
      }
      events.solvers[offset + k].solved++
      if (solver.residual[0] > events.residualMax) events.residualMax = solver.residual[0]
      if (k > 0) {
        if (solvers[0].adopt === undefined) mode.fill(UNKNOWN_MODE, 0, groupCount)
        else solvers[0].adopt(problem, p, mode)
      }
      return k
    }
    mode.fill(UNKNOWN_MODE, 0, groupCount)
    return -1
  }
}
