/** Every solver on the corpus, judged by the stored sets of answers. */

import { ContactSystem } from '../../compare/answers/contactSystem.ts'
import type { Solvers } from '../../compare/inspect/solve.ts'
import { type FrictionLaw, PyramidSolver, pyramidSides, type SolverStatus, UNKNOWN_MODE } from '../../contact/index.ts'
import { isAmong, type Stored, systemOf } from './corpus.ts'

export type Verdict = 'right' | 'wrong' | 'failed' | 'not applicable'
export interface Judged {
  readonly name: string
  readonly verdict: Verdict
}

/** Right without an answer: the method has ended, not been stopped. */
const ENDED: readonly SolverStatus[] = ['ray', 'residual']

/** Laws that are one for a problem: in the plane and without friction the cone is the pyramid. */
function lawsOf({ problem }: Stored): readonly FrictionLaw[] {
  if (problem.kind !== 'contact') return []
  const { J, mu } = problem
  const isSame = mu.every((friction, c) => friction === 0 || J[3 * c + 2].every((x) => x === 0))
  return isSame ? ['pyramid', 'cone'] : ['pyramid']
}

/** Verdicts on the solvers that apply to the kind of problem at all. */
export function judge(stored: Stored, { complementarity, contact }: Pick<Solvers, 'complementarity' | 'contact'>): Judged[] {
  const { problem, answers } = stored
  const { n, W, rhs } = systemOf(problem)
  const judged = (name: string, solve: () => { readonly status: SolverStatus; readonly p: ArrayLike<number> }): Judged => {
    const { status, p } = solve()
    const u = rhs.map((x, r) => {
      let sum = x
      for (let k = 0; k < n; k++) sum += W[r * n + k] * p[k]
      return sum
    })
    const verdict = (): Verdict => {
      if (status === 'not-applicable') return 'not applicable'
      if (status === 'solved') return isAmong(u, answers) ? 'right' : 'wrong'
      return answers.sets.length === 0 && ENDED.includes(status) ? 'right' : 'failed'
    }
    return { name, verdict: verdict() }
  }
  if (problem.kind !== 'contact') {
    const free = new Uint8Array(n)
    for (const index of problem.free) free[index] = 1
    return Object.entries(complementarity).map(([name, create]) => {
      const solver = create()
      return judged(name, () => ({ status: solver.solve(n, W, rhs, free, new Float64Array(n)), p: solver.z }))
    })
  }
  const sides = pyramidSides(problem.sides ?? 4)
  const system = new ContactSystem(problem).problem
  const made = [
    ...lawsOf(stored).flatMap((law) =>
      Object.entries(contact).map(
        ([name, create]) => [law === 'pyramid' ? name : `${name}, cone`, create(law, sides.count)] as const,
      ),
    ),
    ...Object.entries(complementarity).map(([name, create]) => [name, new PyramidSolver(create(), sides)] as const),
  ]
  return made.flatMap(([name, solver]) => {
    if (solver === undefined) return []
    const p = new Float64Array(n)
    return [judged(name, () => ({ status: solver.solve(system, p, new Int8Array(system.groupCount).fill(UNKNOWN_MODE)), p }))]
  })
}
