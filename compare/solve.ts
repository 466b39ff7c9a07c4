/** A problem answered by every solver, side by side: what `featherbed solve` prints. */
import {
  type ComplementaritySolver,
  type ContactProblem,
  type ContactSolver,
  complementarityResidual,
  contactResidual,
  type FrictionLaw,
  GroupKind,
  PyramidSolver,
  pyramidSides,
  type SavedProblem,
  type SolverStatus,
  UNKNOWN_MODE,
} from '../contact/index.ts'
import { factorOf, type LinearProblem, type Problem } from './problemFile.ts'

/** What one solver made of a problem. */
export interface SolverResult {
  readonly name: string
  /** Of contact problems: the law of friction that it solves. */
  readonly law?: FrictionLaw
  readonly status: 'solved' | 'failed' | 'not-applicable'
  /** Why it failed: an unbounded ray, the cap on iterations, an answer that does not hold; null if it did not. */
  readonly reason: 'ray' | 'limit' | 'residual' | null
  /**
   * The answer, or null without one. Of a contact problem the impulses [N s, N m s]: normal, tangent 1 and tangent 2 of each
   * contact, then one for each of `rows`.
   */
  readonly z: readonly number[] | null
  /**
   * How far the answer is from one, measured here and the same for all solvers: `complementarityResidual` or
   * `contactResidual`. Of a failure what the solver says of where it ended. null where it is not finite or nothing was tried.
   */
  readonly residual: number | null
  readonly iterations: number
  /** Least of several solves from nothing; null where nothing was tried. */
  readonly microseconds: number | null
  /** Of contact problems: the velocity with these impulses, nv; null without an answer. */
  readonly velocity?: readonly number[] | null
}

/** How far apart the answers of those solvers are that had one. */
export interface Agreement {
  /** null where it is no contact problem. */
  readonly law: FrictionLaw | null
  /** What is compared: w = A z + b, or the velocity. Neither z nor the impulses, of which there may be many. */
  readonly of: 'w' | 'velocity'
  /** How many solvers had an answer. */
  readonly solvers: number
  /** Largest difference of any two of them in one entry; null of fewer than two. */
  readonly largestDifference: number | null
}

export interface Solution {
  readonly kind: Problem['kind']
  /** Unknowns of an lcp or mlcp; rows of a contact problem. */
  readonly rows: number
  readonly contacts?: number
  readonly solvers: readonly SolverResult[]
  readonly agreement: readonly Agreement[]
}

/** Makers of solvers, by name: a solver keeps a workspace, so that each problem gets its own. */
export interface Solvers {
  readonly complementarity: Readonly<Record<string, () => ComplementaritySolver>>
  /** Of contact problems; undefined for a law that the method is not made for. */
  readonly contact: Readonly<Record<string, (law: FrictionLaw, sides: number) => ContactSolver | undefined>>
}

/** Sides of the pyramid where the problem states none. */
const SIDES = 4
/** What a solver calls solved is no answer with a larger residual than this. */
const TOLERANCE = 1e-6

/** Names of all solvers. */
export function solverNames({ complementarity, contact }: Solvers): string[] {
  return [...new Set([...Object.keys(complementarity), ...Object.keys(contact)])]
}

/** Called before each solve with the solver's name and the part of them that is done, 0 to 1. */
type Progress = (name: string, fraction: number) => void

/** @param name a solver's, or 'all' */
export function solveProblem(problem: Problem, solvers: Solvers, name = 'all', progress: Progress = () => {}): Solution {
  const wanted = (candidate: string) => name === 'all' || candidate === name
  return problem.kind === 'contact'
    ? solveContact(problem, solvers, wanted, progress)
    : solveLinear(problem, solvers, wanted, progress)
}

function solveLinear(
  problem: LinearProblem,
  { complementarity, contact }: Solvers,
  wanted: (name: string) => boolean,
  progress: Progress,
): Solution {
  const n = problem.b.length
  const A = Float64Array.from(problem.A.flat())
  const b = Float64Array.from(problem.b)
  const free = new Uint8Array(n)
  for (const index of problem.free) free[index] = 1
  const start = new Float64Array(n)
  const w = new Float64Array(n)
  const residual = new Float64Array(1)
  const answers: Float64Array[] = []
  const results = Object.entries(complementarity)
    .filter(([name]) => wanted(name))
    .map(([name, create], i, { length }): SolverResult => {
      progress(name, i / length)
      const solver = create()
      const solve = () => solver.solve(n, A, b, free, start)
      const { status, time } = timed(solve)
      if (status === 'solved') complementarityResidual(n, A, b, free, solver.z, w, residual)
      const checked = outcome(status, solver, solver.z.subarray(0, n), residual[0])
      if (checked.z) answers.push(w.slice())
      return { name, ...checked, microseconds: status === 'not-applicable' ? null : leastTime(solve, time) }
    })
  // whoever asks for a solver of contacts by name hears that it cannot do this
  const others = Object.keys(contact).filter((name) => wanted(name) && results.length === 0)
  return {
    kind: problem.kind,
    rows: n,
    solvers: [...results, ...others.map((name) => ({ name, ...untried, microseconds: null }))],
    agreement: [agreementOf(null, 'w', answers)],
  }
}

function solveContact(
  saved: SavedProblem,
  { complementarity, contact }: Solvers,
  wanted: (name: string) => boolean,
  progress: Progress,
): Solution {
  const rows = new ContactSystem(saved)
  const sides = pyramidSides(saved.sides ?? SIDES)
  const chosen: readonly (readonly [string, ContactSolver])[] = [
    ...Object.entries(contact)
      .filter(([name]) => wanted(name))
      .flatMap(([name, create]) => {
        const made = laws.map((law) => create(law, sides.count))
        return made.flatMap((solver) => (solver ? [[name, solver] as const] : []))
      }),
    ...Object.entries(complementarity)
      .filter(([name]) => wanted(name))
      .map(([name, create]) => [name, new PyramidSolver(create(), sides)] as const),
  ]
  const { problem } = rows
  const p = new Float64Array(problem.rowCount)
  const u = new Float64Array(problem.rowCount)
  const residual = new Float64Array(1)
  const mode = new Int8Array(problem.groupCount)
  const velocities = new Map<FrictionLaw, Float64Array[]>()
  const solved = chosen.map(([name, solver], i): SolverResult => {
    progress(name, i / chosen.length)
    const { law } = solver
    const own = velocities.get(law) ?? []
    velocities.set(law, own)
    const solve = () => {
      p.fill(0)
      mode.fill(UNKNOWN_MODE)
      return solver.solve(problem, p, mode)
    }
    const { status, time } = timed(solve)
    if (status === 'solved') contactResidual(problem, law, sides.count, p, u, residual)
    const checked = outcome(status, solver, rows.impulses(p), residual[0])
    const velocity = checked.z && rows.velocity(p)
    if (velocity) own.push(velocity)
    const microseconds = status === 'not-applicable' ? null : leastTime(solve, time)
    return { name, law, ...checked, microseconds, velocity: velocity && [...velocity] }
  })
  const first = saved.law ?? 'pyramid'
  const order = (law: FrictionLaw | undefined) => (law === first ? -1 : laws.indexOf(law as FrictionLaw))
  return {
    kind: 'contact',
    rows: saved.J.length + (saved.rows?.length ?? 0),
    contacts: saved.gap.length,
    solvers: solved.sort((a, b) => order(a.law) - order(b.law)),
    agreement: [...velocities]
      .sort(([a], [b]) => order(a) - order(b))
      .map(([law, answers]) => agreementOf(law, 'velocity', answers)),
  }
}

const laws: readonly FrictionLaw[] = ['pyramid', 'cone', 'associated']

/** @param measured residual of z; read if it is said to be solved */
function outcome(
  status: SolverStatus,
  solver: { readonly iterations: number; readonly residual: Float64Array },
  z: Float64Array,
  measured: number,
): Omit<SolverResult, 'name' | 'law' | 'microseconds' | 'velocity'> {
  if (status === 'not-applicable') return untried
  const holds = status === 'solved' && measured <= TOLERANCE
  const residual = status === 'solved' ? measured : solver.residual[0]
  return {
    status: holds ? 'solved' : 'failed',
    reason: holds ? null : status === 'solved' ? 'residual' : status,
    z: holds ? [...z] : null,
    residual: Number.isFinite(residual) ? residual : null,
    iterations: solver.iterations,
  }
}

const untried = { status: 'not-applicable', reason: null, z: null, residual: null, iterations: 0 } as const

/** Computing time that goes into finding the least [ms]. */
const TIMED = 20
const MOST_REPETITIONS = 1000

function timed(solve: () => SolverStatus): { status: SolverStatus; time: number } {
  const start = performance.now()
  const status = solve()
  return { status, time: performance.now() - start }
}

/** The least time of a solve [µs], of repetitions that are all the same. @param first time of one that is past [ms] */
function leastTime(solve: () => SolverStatus, first: number): number {
  let least = first
  let sum = first
  for (let k = 0; k < MOST_REPETITIONS && sum < TIMED; k++) {
    const { time } = timed(solve)
    least = Math.min(least, time)
    sum += time
  }
  return 1e3 * least
}

function agreementOf(law: FrictionLaw | null, of: Agreement['of'], answers: readonly Float64Array[]): Agreement {
  let largest = 0
  const size = answers[0]?.length ?? 0
  for (let i = 0; i < size; i++) {
    const values = answers.map((answer) => answer[i])
    largest = Math.max(largest, Math.max(...values) - Math.min(...values))
  }
  return { law, of, solvers: answers.length, largestDifference: answers.length > 1 ? largest : null }
}

/**
 * A saved problem in impulses: W = J M⁻¹ Jᵀ + softness, right = J vFree and what gaps allow. A contact without friction is
 * its normal row alone.
 */
class ContactSystem {
  readonly problem: ContactProblem
  private readonly saved: SavedProblem
  /** M⁻¹ Jᵀ, a row of nv for each row of the problem. */
  private readonly response: readonly Float64Array[]
  /** Per row of the problem: which row of the file's it is, rows of J first. */
  private readonly rowOf: readonly number[]

  constructor(saved: SavedProblem) {
    const { M, J, vFree, gap, mu, dt, allowed, rows = [], softness = [] } = saved
    const rowOf: number[] = []
    const first: number[] = []
    const kind: number[] = []
    const limit: number[] = []
    mu.forEach((friction, c) => {
      first.push(rowOf.length)
      kind.push(friction > 0 ? GroupKind.frictional : GroupKind.unilateral)
      limit.push(friction)
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
    const added = [...gap.flatMap((psi, c) => [allowed?.[c] ?? psi / dt, 0, 0]), ...rows.map((row) => row.added)]
    const { L } = factorOf(M)
    const n = rowOf.length
    const W = new Float64Array(n * n)
    const right = new Float64Array(n)
    this.response = rowOf.map((r) => solveFactored(L, all[r]))
    for (let i = 0; i < n; i++) {
      const row = all[rowOf[i]]
      right[i] = dot(row, vFree) + added[rowOf[i]]
      for (let j = 0; j <= i; j++) {
        const value = dot(row, this.response[j]) + (i === j ? (softness[rowOf[i]] ?? 0) : 0)
        W[i * n + j] = value
        W[j * n + i] = value
      }
    }
    this.saved = saved
    this.rowOf = rowOf
    this.problem = {
      rowCount: n,
      W,
      right,
      groupCount: kind.length,
      first: Int32Array.from(first),
      kind: Uint8Array.from(kind),
      limit: Float64Array.from(limit),
    }
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

  /** vFree + M⁻¹ Jᵀ p, nv. */
  velocity(p: Float64Array): Float64Array {
    const v = Float64Array.from(this.saved.vFree)
    this.response.forEach((response, i) => {
      for (let k = 0; k < v.length; k++) v[k] += response[k] * p[i]
    })
    return v
  }
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

/** x with L Lᵀ x = right. */
function solveFactored(L: Float64Array, right: readonly number[]): Float64Array {
  const x = Float64Array.from(right)
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
