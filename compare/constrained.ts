/** Contact problems under constraints: by a search for the members that push, and as one complementarity problem. */
import {
  type ComplementaritySolver,
  ContactConstraints,
  ContactMemberProblem,
  type ContactProblem,
  ContactProblemPart,
  constraintKind,
  constraintViolation,
  contactResidual,
  LemkeSolver,
  MemberSearch,
  type PyramidSides,
  PyramidSolver,
  pyramidSides,
  type SavedConstraint,
  type SavedProblem,
  type SolverStatus,
  WholeConstraints,
} from '../contact/index.ts'
import { ContactSystem } from './contactSystem.ts'
import {
  leastTime,
  type Progress,
  type PushingMember,
  SIDES,
  type SolverResult,
  TOLERANCE,
  timed,
  untried,
} from './solverResult.ts'

/** The name of what takes the contacts that a file says were chosen. */
export const AS_SAVED = 'as-saved'

/** An impulse below this share of the largest one pushes nobody, and is rounding. */
const PUSHING = 1e-9
/** Costs that differ by less than this share of the larger are one. */
const AS_NEAR = 1e-6
/** Of gaps that nobody closes, below zero [m/s]; and subproblems of one search, which is in no hurry here. */
const SEARCH_TOLERANCE = 1e-9
const MOST_NODES = 5000
/** Of the problem of one choice: what models ask for first, and what they are content with. */
const TOLERANCES = [1e-12, 1e-8]

/** A contact problem with its constraints, in numbers. */
export interface ConstrainedProblem {
  readonly problem: ContactProblem
  /** Over the contacts of the file; those that the file's constraints do not name have one of their own each. */
  readonly constraints: ContactConstraints
  /** Per contact: its group. */
  readonly groupOf: Int32Array
  /** Per row: what of the diagonal of W is softness. */
  readonly softness: Float64Array
  /** Per contact: gap over the step at its start, if the constraints have to hold on the way too [m/s]. */
  readonly startGap: Float64Array | undefined
  /** Per contact: 1 if it was chosen when the problem was saved. Undefined where nothing is known. */
  readonly active: Uint8Array | undefined
  readonly sides: PyramidSides
}

export interface ConstrainedSolver {
  /** Of the last solve: pivots or Newton steps; subproblems of a search. */
  readonly iterations: number
  /** 1: what it says of where it ended. */
  readonly residual: Float64Array
  /** @param p out, rowCount: the impulses, if `solved` */
  solve(p: Float64Array): SolverStatus
}

export type ConstrainedSolverFactory = (given: ConstrainedProblem) => ConstrainedSolver

/** The problem that is left with some of the contacts, by Lemke's algorithm. */
function memberProblem({ problem, constraints, groupOf, softness, startGap, sides }: ConstrainedProblem): ContactMemberProblem {
  const solvers = TOLERANCES.map((tolerance) => new PyramidSolver(new LemkeSolver(tolerance), sides))
  return new ContactMemberProblem(problem, constraints, groupOf, softness, startGap, solvers)
}

/** Searches for the contacts that push and leave the velocity nearest to the free one. */
export const byMemberSearch: ConstrainedSolverFactory = (given) => {
  const members = memberProblem(given)
  const search = new MemberSearch(SEARCH_TOLERANCE, MOST_NODES)
  const active = new Uint8Array(members.contactCount)
  return {
    get iterations() {
      return search.nodes
    },
    residual: search.residual,
    solve(p) {
      active.fill(0)
      const status = search.solve(members, active)
      p.set(members.p)
      return status
    },
  }
}

/** Takes the contacts that the file says were chosen. */
export const asSaved: ConstrainedSolverFactory = (given) => {
  const members = memberProblem(given)
  return {
    iterations: 1,
    residual: Float64Array.of(Number.POSITIVE_INFINITY),
    solve(p) {
      if (given.active === undefined) return 'not-applicable'
      if (!members.solveActive(given.active)) return 'residual'
      p.set(members.p)
      return 'solved'
    },
  }
}

/** Has a solver of complementarity problems answer all of it at once. */
export const asAWhole =
  (create: () => ComplementaritySolver): ConstrainedSolverFactory =>
  ({ problem, constraints, groupOf, sides }) => {
    const solver = create()
    // the constraints are looked at below, for all solvers alike
    const whole = new WholeConstraints(solver, sides, Number.POSITIVE_INFINITY)
    return {
      get iterations() {
        return whole.iterations
      },
      residual: whole.residual,
      solve(p) {
        p.fill(0)
        return whole.solve(problem, constraints, groupOf, p)
      },
    }
  }

/** What each of the solvers makes of a problem with constraints, under the law of pyramids. */
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
    const none = { constraintViolation: null, cost: null, pushing: null }
    const solver = create(given)
    const { status, time } = timed(() => solver.solve(p))
    const { iterations } = solver
    if (status === 'not-applicable') return { name, law: 'pyramid', ...untried, microseconds: null, velocity: null, ...none }
    const answer = p.slice()
    const microseconds = leastTime(() => solver.solve(p), time)
    const said = solver.residual[0]
    if (status !== 'solved') {
      const residual = Number.isFinite(said) ? said : null
      return {
        name,
        law: 'pyramid',
        status: 'failed',
        reason: status,
        z: null,
        residual,
        iterations,
        microseconds,
        velocity: null,
        ...none,
      }
    }
    const { reason, residual, constraintViolation: violation } = judge.look(answer)
    const holds = reason === null
    const velocity = system.velocity(answer)
    return {
      name,
      law: 'pyramid',
      status: holds ? 'solved' : 'failed',
      reason,
      z: holds ? [...system.impulses(answer)] : null,
      residual: Number.isFinite(residual) ? residual : null,
      iterations,
      microseconds,
      velocity: holds ? [...velocity] : null,
      constraintViolation: Number.isFinite(violation) ? violation : null,
      cost: holds ? costOf(saved, velocity) : null,
      pushing: holds ? judge.pushing(memberOf) : null,
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
function problemOf(
  saved: SavedProblem,
  { problem, softness }: ContactSystem,
): { given: ConstrainedProblem; memberOf: readonly (readonly [number, number] | undefined)[] } {
  const { gap, dt, constraints: listed = [], path = false, active } = saved
  const constraints = new ContactConstraints()
  const memberOf: ([number, number] | undefined)[] = []
  const named = new Set<number>()
  listed.forEach(({ kind, members }, g) => {
    constraints.begin(constraintKind[kind])
    for (const m of pushingFirst(members)) {
      constraints.addMember(members[m].pushes)
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
    constraints,
    groupOf: Int32Array.from(gap, (_, i) => i),
    softness,
    startGap: path ? Float64Array.from(gap, (psi) => psi / dt) : undefined,
    active: active && Uint8Array.from(gap, (_, i) => (active.includes(i) ? 1 : 0)),
    sides: pyramidSides(saved.sides ?? SIDES),
  }
  return { given, memberOf }
}

function pushingFirst(members: SavedConstraint['members']): number[] {
  const places = members.map((_, m) => m)
  return [...places.filter((m) => members[m].pushes), ...places.filter((m) => !members[m].pushes)]
}

/** Looks at impulses, whoever found them: as an answer of the contacts that push, and against the constraints. */
class Judge {
  private readonly given: ConstrainedProblem
  private readonly part: ContactProblemPart
  /** Per group: 1 if it is a row whatever is chosen; and if it is one with the impulses looked at. */
  private readonly always: Uint8Array
  private readonly isIn: Uint8Array
  private readonly scale: number
  // per contact
  private readonly psi: Float64Array
  private readonly impulse: Float64Array
  private readonly excused: Uint8Array
  // per member: least psi at the start and at the end
  private readonly first: Float64Array
  private readonly last: Float64Array
  private readonly residual = new Float64Array(1)
  private readonly violation = new Float64Array(1)

  constructor(given: ConstrainedProblem) {
    const { problem, constraints, groupOf } = given
    const { count, memberStart, memberCount, pushing, contactStart, contact } = constraints
    this.given = given
    this.part = new ContactProblemPart(problem)
    this.always = new Uint8Array(problem.groupCount).fill(1)
    this.isIn = new Uint8Array(problem.groupCount)
    for (let g = 0; g < count; g++) {
      const m = memberStart[g]
      const isSettled = memberStart[g + 1] === m + 1 && pushing[g] === 1
      if (isSettled) continue
      for (let k = contactStart[m]; k < contactStart[memberStart[g + 1]]; k++) this.always[groupOf[contact[k]]] = 0
    }
    let scale = 1
    for (const right of problem.right) scale = Math.max(scale, Math.abs(right))
    this.scale = scale
    this.psi = new Float64Array(groupOf.length)
    this.impulse = new Float64Array(groupOf.length)
    this.excused = new Uint8Array(groupOf.length)
    this.first = new Float64Array(memberCount)
    this.last = new Float64Array(memberCount)
  }

  /** Impulses that are rounding beside the largest normal one become 0. */
  look(p: Float64Array): Pick<Required<SolverResult>, 'reason'> & { residual: number; constraintViolation: number } {
    const { given, part, isIn, always, psi, impulse, residual, violation, excused } = this
    const { problem, constraints, groupOf, startGap, sides } = given
    const { rowCount, first, W, right } = problem
    const largest = groupOf.reduce((most, g) => Math.max(most, p[first[g]]), 0)
    isIn.set(always)
    for (const g of groupOf) {
      if (Math.abs(p[first[g]]) > PUSHING * largest) isIn[g] = 1
      else if (always[g] === 0) p.fill(0, first[g], first[g + 1])
    }
    part.take(isIn)
    const q = new Float64Array(rowCount)
    part.gather(p, q)
    contactResidual(part, 'pyramid', sides.count, q, new Float64Array(rowCount), residual)
    groupOf.forEach((g, i) => {
      psi[i] = right[first[g]]
      for (let c = 0; c < rowCount; c++) psi[i] += W[first[g] * rowCount + c] * p[c]
      impulse[i] = p[first[g]]
    })
    let onWay = 0
    if (startGap === undefined) constraintViolation(constraints, psi, impulse, psi.length, excused, violation)
    else {
      violation[0] = this.violationWithPath(constraints, startGap)
      onWay = wayViolation(constraints, startGap, psi)
    }
    const allowed = TOLERANCE * this.scale
    const reason =
      residual[0] <= TOLERANCE
        ? violation[0] <= allowed
          ? onWay <= allowed
            ? null
            : ('path' as const)
          : ('constraints' as const)
        : ('residual' as const)
    return { reason, residual: residual[0], constraintViolation: Math.max(violation[0], onWay) }
  }

  /** As `constraintViolation`, but nobody is in the way of a push that holds at the end alone. */
  private violationWithPath(constraints: ContactConstraints, startGap: Float64Array): number {
    const { psi, impulse, excused, first, last } = this
    const { count, kind, memberStart, memberCount, pushing, contactStart, contact } = constraints
    const largest = impulse.reduce((most, x) => Math.max(most, x), 0)
    for (let m = 0; m < memberCount; m++) {
      first[m] = leastOf(constraints, m, startGap)
      last[m] = leastOf(constraints, m, psi)
    }
    excused.fill(0)
    let worst = 0
    for (let g = 0; g < count; g++) {
      const end = memberStart[g + 1]
      let floor = 0
      let value = Number.NEGATIVE_INFINITY
      let other = Number.NEGATIVE_INFINITY
      for (let m = memberStart[g]; m < end; m++) value = Math.max(value, first[m])
      floor = Math.min(0, value) - SEARCH_TOLERANCE
      value = Number.NEGATIVE_INFINITY
      for (let m = memberStart[g]; m < end; m++) {
        value = Math.max(value, last[m])
        if (first[m] >= floor) other = Math.max(other, last[m])
      }
      worst = Math.max(worst, -value)
      if (kind[g] === constraintKind.cross) continue
      for (let m = memberStart[g]; m < memberStart[g] + pushing[g]; m++) {
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          const i = contact[k]
          excused[i] = 1
          if (impulse[i] > PUSHING * largest) worst = Math.max(worst, other, psi[i], psi[i] - last[m])
        }
      }
    }
    return impulse.some((x, i) => excused[i] === 0 && x > PUSHING * largest) ? Number.POSITIVE_INFINITY : worst
  }

  /** Members whose value is zero and of which a contact pushes, of the impulses looked at last. */
  pushing(memberOf: readonly (readonly [number, number] | undefined)[]): PushingMember[] {
    const { given, psi, impulse, scale } = this
    const { count, kind, memberStart, pushing, contactStart, contact } = given.constraints
    const largest = impulse.reduce((most, x) => Math.max(most, x), 0)
    const found: PushingMember[] = []
    for (let g = 0; g < count; g++) {
      if (kind[g] === constraintKind.cross) continue
      for (let m = memberStart[g]; m < memberStart[g] + pushing[g]; m++) {
        const place = memberOf[m]
        if (place === undefined || Math.abs(leastOf(given.constraints, m, psi)) > TOLERANCE * scale) continue
        const contacts = Array.from(contact.subarray(contactStart[m], contactStart[m + 1]))
        const push = contacts.filter((i) => impulse[i] > PUSHING * largest)
        if (push.length > 0) found.push({ constraint: place[0], member: place[1], contacts: push })
      }
    }
    return found.sort((a, b) => a.constraint - b.constraint || a.member - b.member)
  }
}

function leastOf({ contactStart, contact }: ContactConstraints, m: number, psi: Float64Array): number {
  let least = Number.POSITIVE_INFINITY
  for (let k = contactStart[m]; k < contactStart[m + 1]; k++) least = Math.min(least, psi[contact[k]])
  return least
}

/**
 * The most by which the value of a constraint is below zero, or below what it is at the start if that is less, on the straight way from `start`
 * to `end` [m/s]. Greatest and least of straight lines, it is lowest at one of the ends or where two of the lines cross.
 */
export function wayViolation(constraints: ContactConstraints, start: Float64Array, end: Float64Array): number {
  const { count, memberStart, contactStart, contact } = constraints
  let worst = 0
  for (let g = 0; g < count; g++) {
    const valueAt = (t: number) => {
      let value = Number.NEGATIVE_INFINITY
      for (let m = memberStart[g]; m < memberStart[g + 1]; m++) {
        let least = Number.POSITIVE_INFINITY
        for (let k = contactStart[m]; k < contactStart[m + 1]; k++) {
          least = Math.min(least, (1 - t) * start[contact[k]] + t * end[contact[k]])
        }
        value = Math.max(value, least)
      }
      return value
    }
    const floor = Math.min(0, valueAt(0))
    worst = Math.max(worst, floor - valueAt(1))
    const first = contactStart[memberStart[g]]
    const last = contactStart[memberStart[g + 1]]
    for (let k = first; k < last; k++) {
      for (let l = first; l < k; l++) {
        const before = start[contact[k]] - start[contact[l]]
        const after = end[contact[k]] - end[contact[l]]
        if (before * after < 0) worst = Math.max(worst, floor - valueAt(before / (before - after)))
      }
    }
  }
  return worst
}
