/** Solvers of other programs for the same problems, each in a process of its own; docs/solvers.md, "Other programs". */
import {
  type ComplementaritySolver,
  type ContactProblem,
  type ContactSolver,
  type FrictionLaw,
  GroupKind,
  type SolverStatus,
} from '../contact/index.ts'
import { installedVersion, installing, type PythonProgram } from './python/installation.ts'
import { askPython } from './python/pythonEngine.ts'

/** By program: solvers of LCPs, and of contact under a law each. */
const programs: Readonly<
  Partial<
    Record<
      PythonProgram,
      { readonly lcp?: readonly string[]; readonly contact?: Readonly<Partial<Record<FrictionLaw, readonly string[]>>> }
    >
  >
> = {
  siconos: { lcp: ['LEMKE', 'PGS', 'NEWTON_FB_FBLSA'], contact: { cone: ['NSGS', 'NSN_AC', 'NSN_FB', 'PROX', 'ADMM'] } },
  pinocchio: { contact: { cone: ['ADMM', 'PGS'], associated: ['ADMM', 'PGS'] } },
  conic: { contact: { associated: ['clarabel', 'scs'] } },
}

/** Makers of solvers by name, such as `siconos:NSGS`, and programs that are not installed. */
export interface OutsideSolvers {
  readonly complementarity: Readonly<Record<string, () => ComplementaritySolver & Timed>>
  readonly contact: Readonly<Record<string, (law: FrictionLaw) => (ContactSolver & Timed) | undefined>>
  /** The command that installs each that is missing. */
  readonly missing: Readonly<Record<string, string>>
}

/** A solver that knows what its last solve took by itself, without the way there [s]. */
export interface Timed {
  readonly seconds: number
}

export function outsideSolvers(): OutsideSolvers {
  const complementarity: Record<string, () => ComplementaritySolver & Timed> = {}
  const contact: Record<string, (law: FrictionLaw) => (ContactSolver & Timed) | undefined> = {}
  const missing: Record<string, string> = {}
  for (const [name, { lcp = [], contact: laws = {} }] of Object.entries(programs)) {
    const program = name as PythonProgram
    if (installedVersion(program) === undefined) missing[program] = installing(program)
    for (const solver of lcp) complementarity[`${program}:${solver}`] = () => new OutsideLcp(program, solver)
    const names = new Set(Object.values(laws).flat())
    for (const solver of names)
      contact[`${program}:${solver}`] = (law) =>
        laws[law]?.includes(solver) ? new OutsideContact(program, solver, law) : undefined
  }
  return { complementarity, contact, missing }
}

interface Answer {
  readonly z: readonly number[]
  readonly solved: boolean
  readonly iterations: number
  readonly seconds: number
}

/** A solver of a program; its last solve. */
class Outside implements Timed {
  readonly name: string
  iterations = 0
  readonly residual = Float64Array.of(Number.NaN)
  seconds = 0
  private readonly program: PythonProgram
  private readonly solver: string

  constructor(program: PythonProgram, solver: string) {
    this.name = `${program}:${solver}`
    this.program = program
    this.solver = solver
  }

  protected ask(problem: Readonly<Record<string, unknown>>): { readonly z: readonly number[]; readonly status: SolverStatus } {
    const { z, solved, iterations, seconds } = askPython<Answer>(this.program, { ...problem, solver: this.solver })
    this.iterations = iterations
    this.seconds = seconds
    return { z, status: solved ? 'solved' : 'limit' }
  }
}

class OutsideLcp extends Outside implements ComplementaritySolver {
  z = new Float64Array(0)
  readonly w = new Float64Array(0)

  solve(n: number, A: Float64Array, b: Float64Array, free: Uint8Array): SolverStatus {
    if (free.subarray(0, n).some((x) => x !== 0)) return 'not-applicable'
    if (this.z.length < n) this.z = new Float64Array(n)
    const { z, status } = this.ask({ kind: 'lcp', W: [...A.subarray(0, n * n)], rhs: [...b.subarray(0, n)] })
    this.z.set(z)
    return status
  }
}

class OutsideContact extends Outside implements ContactSolver {
  readonly law: FrictionLaw

  constructor(program: PythonProgram, solver: string, law: FrictionLaw) {
    super(program, solver)
    this.law = law
  }

  solve({ rowCount: n, W, rhs, groupCount, first, kind, limit }: ContactProblem, p: Float64Array): SolverStatus {
    // a contact without friction has one row here and three there
    const rows: number[] = []
    for (let g = 0; g < groupCount; g++) {
      if (kind[g] !== GroupKind.frictional && kind[g] !== GroupKind.unilateral) return 'not-applicable'
      for (let k = 0; k < 3; k++) rows.push(first[g] + k < first[g + 1] ? first[g] + k : -1)
    }
    const entry = (i: number, j: number, at: number, to: number) => (i >= 0 && j >= 0 ? W[i * n + j] : at === to ? 1 : 0)
    const numbers = {
      W: rows.flatMap((i, a) => rows.map((j, b) => entry(i, j, a, b))),
      rhs: rows.map((i) => (i < 0 ? 0 : rhs[i])),
      mu: Array.from({ length: groupCount }, (_, g) => (kind[g] === GroupKind.frictional ? limit[g] : 0)),
    }
    const { z, status } = this.ask({ kind: 'contact', law: this.law, ...numbers })
    rows.forEach((i, a) => {
      if (i >= 0) p[i] = z[a]
    })
    return status
  }
}
