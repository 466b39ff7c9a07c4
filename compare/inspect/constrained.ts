/** Contact problems under constraints: by a search for the active disjuncts, and as one complementarity problem. */
import {
  type ComplementaritySolver,
  ContactConstraints,
  ContactDisjunctProblem,
  constraintKind,
  constraintViolation,
  contactResidual,
  DisjunctSearch,
  LemkeSolver,
  PyramidSolver,
  partOf,
  pathViolation,
  pyramidSides,
  type SavedConstraint,
  type SavedProblem,
  type SolverStatus,
  WholeConstraints,
} from '../../contact/index.ts'
import { ContactSystem, SIDES } from '../answers/contactSystem.ts'
import { leastTime, type Progress, type PushingMember, type SolverResult, TOLERANCE, timed, untried } from './solverResult.ts'

/** Name of the solver for the contacts that a file states as chosen. */
export const AS_SAVED = 'as-saved'

/** An impulse below this share of the largest one is rounding, treated as zero. */
const PUSHING = 1e-9
/** Costs that differ by less than this share of the larger are one. */
const AS_NEAR = 1e-6
/** Tolerance of inactive gaps, below zero [m/s]; and subproblems of one search, which is in no hurry here. */
const SEARCH_TOLERANCE = 1e-9
const MOST_NODES = 5000
/** Tolerances of one choice's problem: the models' first one, then their fallback. */
const TOLERANCES = [1e-12, 1e-8]

/** A contact problem with its constraints, in numbers. */
export type ConstrainedProblem = Readonly<ReturnType<typeof problemOf>['given']>

export interface ConstrainedSolver {
  /** Of the last solve: pivots or Newton steps; subproblems of a search. */
  readonly iterations: number
  /** 1: reported residual at its end. */
  readonly residual: Float64Array
  /** @param p out, rowCount: the impulses, if `solved` */
  solve(p: Float64Array): SolverStatus
}

export type ConstrainedSolverFactory = (given: ConstrainedProblem) => ConstrainedSolver

/** The problem that is left with some of the contacts, by Lemke's algorithm. */
function disjunctProblem({
  problem,
  constraints,
  contactCount,
  softness,
  startGap,
  sides,
}: ConstrainedProblem): ContactDisjunctProblem {
  const solvers = TOLERANCES.map((tolerance) => new PyramidSolver(new LemkeSolver(tolerance), sides))
  return new ContactDisjunctProblem(problem, constraints, contactCount, softness, startGap, solvers)
}

/** Searches for the contacts that push and leave the velocity nearest to the free one. */
export const byDisjunctSearch: ConstrainedSolverFactory = (given) => {
  const disjuncts = disjunctProblem(given)
  const search = new DisjunctSearch(SEARCH_TOLERANCE, MOST_NODES)
  const active = new Uint8Array(disjuncts.contactCount)
  return {
    get iterations() {
      return search.nodes
    },
    residual: search.residual,
    solve(p) {
      active.fill(0)
      const status = search.solve(disjuncts, active)
      p.set(disjuncts.p)
      return status
    },
  }
}

/** Takes the contacts that the file says were chosen. */
export const asSaved: ConstrainedSolverFactory = (given) => {
  const disjuncts = disjunctProblem(given)
  return {
    iterations: 1,
    residual: Float64Array.of(Number.POSITIVE_INFINITY),
    solve(p) {
      if (given.active === undefined) return 'not-applicable'
      if (!disjuncts.solveActive(given.active)) return 'residual'
      p.set(disjuncts.p)
      return 'solved'
    },
  }
}

/** Has a solver of complementarity problems answer all of it at once. */
export const asAWhole =
  (create: () => ComplementaritySolver): ConstrainedSolverFactory =>
  ({ problem, constraints, sides }) => {
    const solver = create()
    return {
      get iterations() {
        return solver.iterations
      },
      residual: solver.residual,
      solve: (p) => new WholeConstraints(problem, constraints, sides).solve(solver, p),
    }
  }

/** Results of all solvers for a problem with constraints, under the law of pyramids. */
export function solveConstrained(
  saved: SavedProblem,
  solvers: readonly (readonly [name: string, create: ConstrainedSolverFactory])[],
  progress: Progress,
): SolverResult[] {
  const system = new ContactSystem(saved)
  const { given, memberOf } = problemOf(saved, system)
  const { problem } = given
  const p = new Float64Array(problem.rowCount)
  const judge = new Judge(given)
  return solvers.map(([name, create], i): SolverResult => {
    progress(name, i / solvers.length)
    const none = { velocity: null, constraintViolation: null, cost: null, pushing: null }
    const solver = create(given)
    const { status, time } = timed(() => solver.solve(p))
    const { iterations } = solver
    if (status === 'not-applicable') return { name, law: 'pyramid', ...untried, microseconds: null, ...none }
    const answer = p.slice()
    const microseconds = leastTime(() => solver.solve(p), time, solver)
    const finite = (x: number) => (Number.isFinite(x) ? x : null)
    const ended = (reason: SolverResult['reason'], residual: number): SolverResult => {
      const status = reason === null ? 'solved' : 'failed'
      return { name, law: 'pyramid', status, reason, z: null, residual: finite(residual), iterations, microseconds, ...none }
    }
    if (status !== 'solved') return ended(status, solver.residual[0])
    const { reason, residual, constraintViolation } = judge.judge(answer)
    const violation = { constraintViolation: finite(constraintViolation) }
    if (reason !== null) return { ...ended(reason, residual), ...violation }
    const velocity = system.velocity(answer)
    return {
      ...ended(reason, residual),
      z: [...system.impulses(answer)],
      velocity: [...velocity],
      ...violation,
      cost: costOf(saved, velocity),
      pushing: judge.pushing(memberOf),
    }
  })
}

/** Names of the solvers whose answers cost the least. */
export function nearestOf(results: readonly SolverResult[]): string[] {
  const costs = results.map(({ cost }) => cost ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...costs)
  return results.flatMap(({ name }, i) => (Number.isFinite(costs[i]) && costs[i] - least <= AS_NEAR * costs[i] ? [name] : []))
}

/** |v - v_free| in M. */
function costOf({ M, vFree }: SavedProblem, v: Float64Array): number {
  const change = vFree.map((free, i) => v[i] - free)
  const squared = M.reduce((sum, row, i) => sum + change[i] * row.reduce((part, x, j) => part + x * change[j], 0), 0)
  return Math.sqrt(Math.max(0, squared))
}

/** The numbers of a file; `memberOf` says which member of it each of the lists is, as [constraint, member]. */
export function problemOf(saved: SavedProblem, { problem, softness }: ContactSystem) {
  const { gap, dt, constraints: listed = [], path = false, active } = saved
  const constraints = new ContactConstraints()
  const memberOf: ([number, number] | undefined)[] = []
  const named = new Set<number>()
  listed.forEach(({ kind, members }, g) => {
    constraints.begin(constraintKind[kind])
    for (const m of pushingFirst(members)) {
      constraints.addDisjunct(members[m].pushes)
      for (const i of members[m].contacts) {
        constraints.addContact(i)
        named.add(i)
      }
      memberOf.push([g, m])
    }
  })
  gap.forEach((_, i) => {
    if (named.has(i)) return
    constraints.addUnilateral(i)
    memberOf.push(undefined)
  })
  const given = {
    problem,
    /** Over the contacts of the file; those that the file's constraints do not name have one of their own each. */
    constraints,
    contactCount: gap.length,
    /** Per row: softness part of the diagonal of W. */
    softness,
    /** Per contact: gap over the step at its start, if the constraints have to hold on the way too [m/s]. */
    startGap: path ? Float64Array.from(gap, (psi) => psi / dt) : undefined,
    /** Per contact: 1 if it was chosen when the problem was saved. Undefined where nothing is known. */
    active: active && Uint8Array.from(gap, (_, i) => (active.includes(i) ? 1 : 0)),
    sides: pyramidSides(saved.sides ?? SIDES),
  }
  return { given, memberOf }
}

function pushingFirst(members: SavedConstraint['members']): number[] {
  const places = members.map((_, m) => m)
  return [...places.filter((m) => members[m].pushes), ...places.filter((m) => !members[m].pushes)]
}

/** Judges impulses, whichever solver found them: as an answer of the contacts that push, and against the constraints. */
class Judge {
  private readonly given: ConstrainedProblem
  /** Per group: 1 if it is a row whatever is chosen. */
  private readonly always: Uint8Array
  private readonly scale: number
  /** Per contact, of the impulses judged last. */
  private psi = new Float64Array(0)
  private impulse = new Float64Array(0)

  constructor(given: ConstrainedProblem) {
    const { problem, constraints } = given
    const { count, disjunctStart, pushing, contactStart, contact } = constraints
    this.given = given
    this.always = new Uint8Array(problem.groupCount).fill(1)
    for (let g = 0; g < count; g++) {
      const m = disjunctStart[g]
      const isSettled = disjunctStart[g + 1] === m + 1 && pushing[g] === 1
      if (isSettled) continue
      for (let k = contactStart[m]; k < contactStart[disjunctStart[g + 1]]; k++) this.always[contact[k]] = 0
    }
    this.scale = problem.rhs.reduce((most, rhs) => Math.max(most, Math.abs(rhs)), 1)
  }

  /** Impulses that are rounding beside the largest normal one become 0. */
  judge(p: Float64Array): Pick<Required<SolverResult>, 'reason'> & { residual: number; constraintViolation: number } {
    const { problem, constraints, contactCount, startGap, sides } = this.given
    const { rowCount, first, W, rhs } = problem
    const normals = first.slice(0, contactCount)
    const largest = normals.reduce((most, r) => Math.max(most, p[r]), 0)
    const isIn = this.always.slice()
    normals.forEach((r, i) => {
      if (Math.abs(p[r]) > PUSHING * largest) isIn[i] = 1
      else if (isIn[i] === 0) p.fill(0, r, first[i + 1])
    })
    const { part, rows } = partOf(problem, isIn)
    const q = Float64Array.from(rows, (r) => p[r])
    const residual = new Float64Array(1)
    contactResidual(part, 'pyramid', sides.count, q, new Float64Array(rowCount), residual)
    this.impulse = Float64Array.from(normals, (r) => p[r])
    this.psi = Float64Array.from(normals, (r) => {
      let sum = rhs[r]
      for (let c = 0; c < rowCount; c++) sum += W[r * rowCount + c] * p[c]
      return sum
    })
    const violation = constraintViolation(constraints, this.psi, this.impulse, startGap)
    const onWay = startGap === undefined ? 0 : pathViolation(constraints, startGap, this.psi)
    const allowed = TOLERANCE * this.scale
    const reason =
      residual[0] <= TOLERANCE
        ? violation <= allowed
          ? onWay <= allowed
            ? null
            : ('path' as const)
          : ('constraints' as const)
        : ('residual' as const)
    return { reason, residual: residual[0], constraintViolation: Math.max(violation, onWay) }
  }

  /** Members whose value is zero and of which a contact pushes, of the impulses judged last. */
  pushing(memberOf: readonly (readonly [number, number] | undefined)[]): PushingMember[] {
    const { given, psi, impulse, scale } = this
    const { count, kind, disjunctStart, pushing, contactStart, contact } = given.constraints
    const largest = impulse.reduce((most, x) => Math.max(most, x), 0)
    const found: PushingMember[] = []
    const least = new Float64Array(given.constraints.disjunctCount)
    given.constraints.leastGaps(psi, least)
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      for (let m = disjunctStart[g]; m < disjunctStart[g] + pushing[g]; m++) {
        const place = memberOf[m]
        if (place === undefined || Math.abs(least[m]) > TOLERANCE * scale) continue
        const contacts = Array.from(contact.subarray(contactStart[m], contactStart[m + 1]))
        const push = contacts.filter((i) => impulse[i] > PUSHING * largest)
        if (push.length > 0) found.push({ constraint: place[0], member: place[1], contacts: push })
      }
    }
    return found.sort((a, b) => a.constraint - b.constraint || a.member - b.member)
  }
}
