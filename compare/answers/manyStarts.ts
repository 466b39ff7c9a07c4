/** Solutions of problems too large to search through, by solvers from many starts; and what a ray of Lemke's algorithm proves. */
import {
  contactSolvers,
  LemkeSolver,
  PyramidProblem,
  pyramidSides,
  type SavedProblem,
  type SolverStatus,
  UNKNOWN_MODE,
} from '../../contact/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { ContactSystem, type Problem, SIDES } from './contactSystem.ts'

const STARTS = 64
/** Difference of two velocities that counts as one, of the largest. */
const SAME = 1e-5

/** What solvers found from random impulses. It is no proof that there are no more. */
export interface ManyStarts {
  readonly starts: number
  readonly solved: number
  /** Different velocities, nv, the most frequent first, with how often each was found. */
  readonly velocities: readonly { readonly velocity: readonly number[]; readonly count: number }[]
  /** Estimate of the part of starts that would lead to velocities not seen: those seen once, over all (Good 1953). */
  readonly unseen: number
}

/** @param seed of the starts */
export function manyStarts(saved: SavedProblem, seed = 1): ManyStarts {
  const system = new ContactSystem(saved)
  const { problem } = system
  const { rowCount, groupCount, W, rhs } = problem
  const law = saved.law ?? 'pyramid'
  const random = createRandom(seed)
  const makers = [contactSolvers.newton, contactSolvers['contact-pgs']]
  const solvers = makers.flatMap((make) => make(law, saved.sides ?? SIDES) ?? [])
  const size = rhs.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  const found: { velocity: readonly number[]; count: number }[] = []
  let solved = 0
  for (let k = 0; k < STARTS; k++) {
    const solver = solvers[k % solvers.length]
    const p = Float64Array.from({ length: rowCount }, (_, r) => (4 * size * random.between(-0.5, 1)) / (W[r * rowCount + r] || 1))
    if (solver.solve(problem, p, new Int8Array(groupCount).fill(UNKNOWN_MODE)) !== 'solved') continue
    solved++
    const velocity = [...system.velocity(p)]
    const scale = Math.max(...velocity.map(Math.abs), ...saved.vFree.map(Math.abs))
    const known = found.find((one) => one.velocity.every((x, i) => Math.abs(x - velocity[i]) <= SAME * scale))
    if (known === undefined) found.push({ velocity, count: 1 })
    else known.count++
  }
  const once = found.filter(({ count }) => count === 1).length
  return { starts: STARTS, solved, velocities: found.sort((a, b) => b.count - a.count), unseen: solved > 0 ? once / solved : 1 }
}

/** How Lemke's algorithm ends, and whether a ray at its end proves that there is no solution. */
export interface LemkeEnd {
  readonly status: SolverStatus
  /** Of a ray: true where A + Aᵀ is positive semidefinite, so that A is copositive-plus (Cottle, Pang and Stone 1992, theorem 4.4.11). */
  readonly isProof: boolean
}

export function lemkeEnd(problem: Problem): LemkeEnd {
  let [n, A, b, free] = [0, new Float64Array(0), new Float64Array(0), new Uint8Array(0)]
  if (problem.kind === 'contact') {
    const pyramids = new PyramidProblem(pyramidSides(problem.sides ?? SIDES))
    pyramids.assemble(new ContactSystem(problem).problem)
    ;({ size: n, A, b, free } = pyramids)
  } else {
    n = problem.b.length
    A = Float64Array.from(problem.A.flat())
    b = Float64Array.from(problem.b)
    free = Uint8Array.from({ length: n }, (_, i) => (problem.free.includes(i) ? 1 : 0))
  }
  const status = new LemkeSolver().solve(n, A, b, free)
  return { status, isProof: status === 'ray' && isSemidefinite(n, A) }
}

/** Whether A + Aᵀ is positive semidefinite, by elimination; a pivot of zero needs a row of zeros. */
function isSemidefinite(n: number, A: Float64Array): boolean {
  const S = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, k) => A[i * n + k] + A[k * n + i]))
  const rounding = 1e-12 * S.reduce((most, row) => row.reduce((own, x) => Math.max(own, Math.abs(x)), most), 0)
  for (let k = 0; k < n; k++) {
    if (S[k][k] < -rounding) return false
    if (S[k][k] <= rounding) {
      if (S[k].some((x, i) => i > k && Math.abs(x) > rounding)) return false
      continue
    }
    for (let i = k + 1; i < n; i++) for (let l = i; l < n; l++) S[i][l] -= (S[k][i] * S[k][l]) / S[k][k]
  }
  return true
}
