/** A problem solved by every solver, side by side: output of `featherbed solve`. */

import {
  type ComplementaritySolver,
  type ContactSolver,
  complementarityResidual,
  contactResidual,
  type FrictionLaw,
  isCompliant,
  PyramidSolver,
  pyramidSides,
  type SavedProblem,
  type SolverStatus,
  UNKNOWN_MODE,
} from '../../contact/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import { ContactSystem, SIDES } from '../answers/contactSystem.ts'
import { AS_SAVED, type ConstrainedSolverFactory, nearestOf, solveConstrained } from './constrained.ts'
import type { LinearProblem, Problem } from './problemFile.ts'
import { type SolutionSets, solutionSets } from './solutionSets.ts'
import {
  type Agreement,
  agreementOf,
  leastTime,
  type Progress,
  type SolverResult,
  TOLERANCE,
  timed,
  untried,
} from './solverResult.ts'

export type { Agreement, PushingMember, SolverResult } from './solverResult.ts'

export interface Solution {
  readonly kind: Problem['kind']
  /** Unknowns of an lcp or mlcp; rows of a contact problem. */
  readonly rows: number
  readonly contacts?: number
  /** How many the problem has; left out where it has none. */
  readonly constraints?: number
  readonly solvers: readonly SolverResult[]
  readonly agreement: readonly Agreement[]
  /** Of a problem with constraints: the solvers with answers nearest to the free velocity, ties included. */
  readonly nearest?: readonly string[]
  /** Of a problem with constraints, all solvers asked: every solution, or why they are not listed. */
  readonly solutions?: SolutionSets | string
}

/** Makers of solvers, by name: a solver keeps a workspace, so that each problem gets its own. */
export interface Solvers {
  readonly complementarity: Readonly<Record<string, () => ComplementaritySolver>>
  /** Of contact problems; undefined for a law that the method is not made for. */
  readonly contact: Readonly<Record<string, (law: FrictionLaw, sides: number) => ContactSolver | undefined>>
  /** Of contact problems with constraints. */
  readonly constrained?: Readonly<Record<string, ConstrainedSolverFactory>>
}

/** Names of all solvers. */
export function solverNames(solvers: Solvers): string[] {
  is.check(solvers, is.made('makers of solvers', 'complementarity', 'contact'), 'solvers')
  const { complementarity, contact, constrained = {} } = solvers
  return [...new Set([...Object.keys(complementarity), ...Object.keys(contact), ...Object.keys(constrained)])]
}

/** @param name a solver's or several with commas between, or 'all' */
export function solveProblem(problem: Problem, solvers: Solvers, name = 'all', progress: Progress = () => {}): Solution {
  is.check(problem, is.made('a problem, of parseProblem', 'kind'), 'problem')
  is.check(name, is.text, 'solver')
  const names = name.split(',')
  for (const one of names) is.check(one, is.oneOf('all', ...solverNames(solvers)), 'solver')
  const wanted = (candidate: string) => names.includes('all') || names.includes(candidate)
  if (problem.kind !== 'contact') return solveLinear(problem, solvers, wanted, progress)
  return problem.constraints === undefined
    ? solveContact(problem, solvers, wanted, progress)
    : solveUnderConstraints(problem, solvers, wanted, progress)
}

/** Solvers that do not apply to a problem are listed only when requested by name. */
function othersOf(solvers: Solvers, wanted: (name: string) => boolean, results: readonly SolverResult[]): SolverResult[] {
  if (results.length > 0) return []
  return solverNames(solvers)
    .filter(wanted)
    .map((name) => ({ name, ...untried, microseconds: null }))
}

function solveLinear(problem: LinearProblem, solvers: Solvers, wanted: (name: string) => boolean, progress: Progress): Solution {
  const n = problem.b.length
  const A = Float64Array.from(problem.A.flat())
  const b = Float64Array.from(problem.b)
  const free = new Uint8Array(n)
  for (const index of problem.free) free[index] = 1
  const start = new Float64Array(n)
  const w = new Float64Array(n)
  const residual = new Float64Array(1)
  const answers: Float64Array[] = []
  const results = Object.entries(solvers.complementarity)
    .filter(([name]) => wanted(name))
    .map(([name, create], i, { length }): SolverResult => {
      progress(name, i / length)
      const solver = create()
      const solve = () => solver.solve(n, A, b, free, start)
      const { status, time } = timed(solve)
      if (status === 'solved') complementarityResidual(n, A, b, free, solver.z, w, residual)
      const checked = outcome(status, solver, solver.z.subarray(0, n), residual[0])
      if (checked.z) answers.push(w.slice())
      return { name, ...checked, microseconds: status === 'not-applicable' ? null : leastTime(solve, time, solver) }
    })
  return {
    kind: problem.kind,
    rows: n,
    solvers: [...results, ...othersOf(solvers, wanted, results)],
    agreement: [agreementOf(null, 'w', answers)],
  }
}

function solveContact(saved: SavedProblem, solvers: Solvers, wanted: (name: string) => boolean, progress: Progress): Solution {
  const rows = new ContactSystem(saved)
  const sides = pyramidSides(saved.sides ?? SIDES)
  const first = saved.law ?? 'pyramid'
  // springs mean something to their own law alone
  const asked: readonly FrictionLaw[] = isCompliant(first) ? [first] : laws
  const chosen: readonly (readonly [string, ContactSolver])[] = [
    ...Object.entries(solvers.contact)
      .filter(([name]) => wanted(name))
      .flatMap(([name, create]) => {
        const made = asked.map((law) => create(law, sides.count))
        return made.flatMap((solver) => (solver ? [[name, solver] as const] : []))
      }),
    ...Object.entries(solvers.complementarity)
      .filter(([name]) => wanted(name) && !isCompliant(first))
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
    const microseconds = status === 'not-applicable' ? null : leastTime(solve, time, solver)
    return { name, law, ...checked, microseconds, velocity: velocity && [...velocity] }
  })
  const order = (law: FrictionLaw | undefined) => (law === first ? -1 : laws.indexOf(law as FrictionLaw))
  return {
    kind: 'contact',
    rows: saved.J.length + (saved.rows?.length ?? 0),
    contacts: saved.gap.length,
    solvers: [...solved.sort((a, b) => order(a.law) - order(b.law)), ...othersOf(solvers, wanted, solved)],
    agreement: [...velocities]
      .sort(([a], [b]) => order(a) - order(b))
      .map(([law, answers]) => agreementOf(law, 'velocity', answers)),
  }
}

function solveUnderConstraints(
  saved: SavedProblem,
  solvers: Solvers,
  wanted: (name: string) => boolean,
  progress: Progress,
): Solution {
  const isKnown = saved.active !== undefined
  const chosen = Object.entries(solvers.constrained ?? {}).filter(([name]) => wanted(name) && (isKnown || name !== AS_SAVED))
  const results = solveConstrained(saved, chosen, progress)
  const velocities = results.flatMap(({ velocity }) => (velocity ? [Float64Array.from(velocity)] : []))
  return {
    kind: 'contact',
    rows: saved.J.length + (saved.rows?.length ?? 0),
    contacts: saved.gap.length,
    constraints: saved.constraints?.length ?? 0,
    solvers: [...results, ...othersOf(solvers, wanted, results)],
    agreement: [agreementOf('pyramid', 'velocity', velocities)],
    nearest: nearestOf(results),
    ...(results.length > 1 ? { solutions: solutionSets(saved) } : {}),
  }
}

const laws: readonly FrictionLaw[] = ['pyramid', 'cone', 'associated']

/** @param measured residual of z; read if reported as solved */
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
