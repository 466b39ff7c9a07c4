import { type Data, type TrapezoidalDynamics, workOn } from '../../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../../contactModel.ts'
import type { ContactSet } from '../../contactSet.ts'
import { LoopRows } from '../../loops/index.ts'
import type { SavedProblem } from '../../savedProblem.ts'
import { ContactNewton, DenseMaps, DenseProblem, GroupKind, spring, UNKNOWN_MODE } from '../../solvers/index.ts'
import { ContactRows } from '../contactRows.ts'
import { frictionOverStep, hasFriction, UniformPatch } from '../friction/index.ts'
import { TurningRows } from '../turningRows.ts'
import type { FrictionMethod } from './frictionOptions.ts'
import type { ImpulseOptions, RowTargets } from './impulseLaw.ts'
import { Islands } from './islands.ts'
import { JointRows } from './jointRows.ts'
import { savedProblemOf } from './savedImpulseProblem.ts'
import { VelocitySystem } from './velocitySystem.ts'
import { WarmStart } from './warmStart.ts'

/**
 * Largest relative residual of an accepted solution, as a share of the compliance, and its bounds: compliance settles indeterminate loads,
 * and is small beside the rest of W. At a residual of 1e-8 a cart on wheels between two casters loaded its wheels 60 % more than its
 * springs would.
 */
const TOLERANCE_OF_COMPLIANCE = 2e-7
const LEAST_TOLERANCE = 2e-14
const LARGEST_TOLERANCE = 1e-12
/** Residual accepted where that is not reached. */
const LOOSE = 1e-9
/** The same for islands of many contacts, where digits cost most and matter least; solutions beyond LOOSE are counted. */
const MANY_CONTACTS = 40
const TOLERANCE_OF_MANY = 1e-9
const LOOSE_OF_MANY = 1e-6
const tolerancesOfMany = Float64Array.of(TOLERANCE_OF_MANY, LOOSE_OF_MANY)
const tolerancesOfProjection = Float64Array.of(1e-8, 1e-6)
/** The same for a solution accepted as a fallback. */
const POOR_OF_MANY = 1e-2
/** First in `SolverEvents.solvers`: Newton's method, and its solutions beyond LOOSE; solvers of a `FrictionMethod` follow. */
export const newtonNames = ['newton', 'newton-loose'] as const
const NEWTON = 0
const NEWTON_LOOSE = 1
/** Most rows for which another solver is tried: with more it would take minutes. */
const MOST_DENSE_ROWS = 300
/**
 * Share of the normal velocity, and of gravity's velocity change in a step, below which the free slip has no direction: the contact sticks
 * however its pyramid is oriented, and resting contacts keep their pyramids from step to step.
 */
const NO_SLIP = 0.02
/**
 * Largest velocity that compliance absorbs in a row unless rows contradict each other [m/s]: of an impact it is 1e-5 of the speed. And the
 * same over the compliance, where that is large.
 */
const LARGEST_YIELD = 1e-3
const YIELD_OF_COMPLIANCE = 100
/**
 * Softness of tangents as a share of that of normals. Normal softness distributes the load on many feet; tangential softness is creep, so
 * it only keeps matrices regular.
 */
const TANGENT_SHARE = 0.1
/** Factor on the softness of normals in islands of many contacts, and tangents as a share of it: loads are highly indeterminate there. */
const CROWD_FACTOR = 100
const CROWD_TANGENT_SHARE = 0.01
/** The same for loops, some of whose rows may be redundant. */
const LOOP_SHARE = 1e-3
/** Capacity of the warm start besides joints and loops: in any case, per pair of shapes, and the largest in all. */
const LEAST_REMEMBERED = 8
const REMEMBERED_PER_PAIR = 4
const MOST_REMEMBERED = 20_000
/** Gap down to which a penetration alone triggers no projection [m]. */
const LEFT_ALONE = -1e-9

/** Relative tolerance of the bounds of torsional and rolling moments; solves of a step after which they are final. */
const SAME_BOUND = 1e-6
const BOUND_LIMIT = 12

/** Slip over its tolerance up to which regularised friction sticks: friction is at 0.995 of its bound there. */
const REGULARISED = 10
/** Share of the normal impulse within which friction equals the impulse that stops all slip. */
const SAME_IMPULSE = 1e-9

/**
 * Contact problem of one velocity-level step: assembled from contacts, joint limits, dry friction of joints and closed loops, solved, and
 * mapped back to velocities and the contacts' impulses.
 *
 * Its rows are one for each normal, two more for the tangents of a contact with friction, one for each joint limit that is near, each
 * joint with dry friction, and those of loops, in this order (`VelocitySystem`). Uncoupled parts are problems of their own (`Islands`): a
 * robot among many gets the same bits as alone while nothing couples it to others.
 *
 * A caller that selects the active contacts itself replaces `solve` by its steps: `prepare`, for each island any number of `tryIsland`,
 * then `solveIsland`, and `finish`.
 */
export class ImpulseProblem {
  /** Of the contacts; `begin` builds them. */
  readonly rows: ContactRows
  /** Of the last `prepare`. */
  readonly islands: Islands
  readonly memorySize: number
  /** 1: |v⁺ - v_free|² in M~ of the last `solve`, where `weighs`. */
  readonly cost = new Float64Array(1)
  weighs = false
  private readonly name: string
  private readonly options: ImpulseOptions
  private readonly newton: ContactNewton
  private readonly method: FrictionMethod
  private readonly dense = new DenseProblem()
  private readonly maps = new DenseMaps()
  readonly system: VelocitySystem
  readonly joints: JointRows
  readonly loops: LoopRows
  /** Torsional and rolling resistance of contacts; `begin` builds them. */
  readonly turning: TurningRows
  /** Friction offset from its contacts' points; `begin` computes the offsets. */
  readonly patch: UniformPatch | undefined
  private readonly warm: WarmStart
  private readonly nv: number
  /** 2: see `ContactNewton.solve`. */
  private readonly tolerances: Float64Array
  /** 1: full step of the model, of which a shortened one is a part [s]. */
  readonly wholeStep: Float64Array
  /** 1: slip below which a pyramid is not turned [m/s]. */
  private readonly noSlip: Float64Array
  /** loops.count x nv: J of the loops. */
  readonly loopJ: Float64Array
  /** Per row of loops: velocity added beside its drift correction [m/s, rad/s]; 0 until it is changed after `begin`. */
  readonly loopTarget: Float64Array
  /** Of trapezoidal steps: the loops at the predicted end, and a row of theirs. */
  private readonly loopsAtEnd: LoopRows
  private readonly rowAtEnd: Float64Array
  /** nv: velocity change by impulses, and by projection in the velocity that moves positions. */
  private readonly change: Float64Array
  private readonly shift: Float64Array

  // per contact
  /** 3: velocity at the start of the step, and without contact, along normal, tangent 1, tangent 2 [m/s]. */
  uStart = new Float64Array(0)
  uFree = new Float64Array(0)
  /** 1: coefficient of friction over the step. */
  friction = new Float64Array(0)
  /** 3: impulse [N s]; and w = p - u / scale, first guess of the next solve, NaN where unknown. */
  private impulse = new Float64Array(0)
  guess = new Float64Array(0)
  /** 1: a small number that `RowConditions` keep from step to step, 0 at first. */
  mode = new Int8Array(0)
  /** 1: whether it stuck in the last step, of contacts with friction. */
  private sticks = new Int8Array(0)
  private rowOf = new Int32Array(0)
  /** Current targets, see `RowTargets`; and their defaults. */
  private active: Uint8Array = new Uint8Array(0)
  private gap: Float64Array = new Float64Array(0)
  private exact: Uint8Array = new Uint8Array(0)
  private all: Uint8Array = new Uint8Array(0)
  private none: Uint8Array = new Uint8Array(0)
  /** 1: compliance of the current island. */
  private readonly compliance = new Float64Array(1)
  /** Per pair of shapes: number of its contacts that would close within the step. */
  private readonly closing: Int32Array
  /** 5: output of `CompliantContact`. */
  private readonly response = new Float64Array(5)
  // per row of joints, and of loops, 3: the first is w
  private readonly jointGuess: Float64Array
  private readonly loopGuess: Float64Array
  /** The same of torsion and rolling, and their impulses [N m s]. */
  private turnGuess = new Float64Array(0)
  private turnImpulse = new Float64Array(0)

  // per row of the current island
  p = new Float64Array(0)
  w = new Float64Array(0)
  private u = new Float64Array(0)
  /** Velocity added for gaps and drift to the free one [m/s], and distance of each row from where it becomes active [m, rad]. */
  private added = new Float64Array(0)
  private distance = new Float64Array(0)
  private denseMode = new Int8Array(0)

  /** Arguments of the last `prepare`. */
  private step: ContactStep | undefined
  private vFree: Float64Array = new Float64Array(0)
  /** An island that failed or fell back, else the one of most rows; -1 if there was none. */
  private keptIsland = -1
  /** The island being solved, -1 between steps; still set after a step was aborted. */
  private presentIsland = -1
  /** `ContactNewton.orientation` of the last solution, 1 from solvers without it. */
  orientation = 1
  private savedRows = 0
  private savedFailed = false

  constructor(name: string, context: ContactModelContext, method: FrictionMethod, options: ImpulseOptions) {
    const { model, pairCount, loops, gravity, dt } = context
    const { nv } = model
    this.name = name
    this.patch = options.patch === 'uniform' ? new UniformPatch(context) : undefined
    this.options = options
    this.nv = nv
    const tolerance = Math.max(TOLERANCE_OF_COMPLIANCE * options.compliance, LEAST_TOLERANCE)
    this.tolerances = Float64Array.of(Math.min(tolerance, LARGEST_TOLERANCE), LOOSE)
    this.wholeStep = Float64Array.of(dt)
    this.noSlip = Float64Array.of(NO_SLIP * gravity * dt)
    this.newton = new ContactNewton(method.friction, method.sides ?? 4)
    this.method = method
    this.loops = new LoopRows(model, loops)
    this.rows = new ContactRows(model, this.loops)
    this.joints = new JointRows(model, options.dryJoints, options.compliant?.writeJoint === undefined)
    this.islands = new Islands(model, this.rows.pattern, this.joints, this.loops)
    this.loopJ = new Float64Array(this.loops.count * nv)
    this.loopTarget = new Float64Array(this.loops.count)
    this.loopsAtEnd = new LoopRows(model, options.trapezoidal ? loops : [])
    this.rowAtEnd = new Float64Array(nv)
    this.turning = new TurningRows(model)
    this.system = new VelocitySystem(this.rows, this.joints, this.loops, this.loopJ, this.turning, this.islands)
    const remembered = LEAST_REMEMBERED + REMEMBERED_PER_PAIR * pairCount + this.joints.capacity + this.loops.count
    this.warm = new WarmStart(Math.min(remembered, MOST_REMEMBERED))
    this.memorySize = this.warm.memorySize
    this.change = new Float64Array(nv)
    this.shift = new Float64Array(nv)
    this.closing = new Int32Array(pairCount)
    this.jointGuess = new Float64Array(3 * this.joints.capacity)
    this.loopGuess = new Float64Array(3 * this.loops.count)
  }

  /**
   * Rows of contacts and loops, and their velocities at the start of the step.
   *
   * @param data  kinematics of the contacts' rows, in place of step.data
   * @param start kinematics of loops and of torsional and rolling rows: of the start, as the velocities are
   */
  begin({ data: own, contacts, state }: ContactStep, data = own, start = data): void {
    this.reserveContacts(contacts.capacity)
    if (this.loops.count > 0) this.beginLoops(start)
    this.rows.buildMoving(data, contacts, state.v, this.uStart)
    this.patch?.move(data, contacts, this.rows, state.v, this.uStart)
    this.turning.build(start, contacts, this.rows, state.v)
  }

  /** Recomputes the rows' velocities at the start of the step, after rows were changed from outside. */
  reread({ contacts, state }: ContactStep): void {
    this.rows.velocity(this.uStart, state.v, contacts.count)
  }

  private beginLoops(data: Data): void {
    const { loops, loopJ, loopTarget, nv } = this
    loops.build(data)
    loopTarget.fill(0)
    for (let r = 0; r < loops.count; r++) loops.writeRow(data, r, loopJ, r * nv)
  }

  /**
   * Loops of a trapezoidal step: impulses act along the mean of the rows at the start and at the predicted end, J~ = (J + J⁺) / 2, and v⁺ is
   * to leave them closed at the end, J⁺ v⁺ = J~ v⁺ + (J⁺ - J) v⁺ / 2 = 0, the last term by the predicted velocity.
   *
   * @param q of the start
   * @param v nv: predicted for the end
   */
  averageLoops(trapezoidal: TrapezoidalDynamics, q: Float64Array, v: Float64Array): void {
    const { loops, loopJ, loopTarget, nv, loopsAtEnd, rowAtEnd } = this
    if (loopsAtEnd.count > 0) loopsAtEnd.build(trapezoidal.data)
    for (let r = 0; r < loops.count; r++) {
      loopsAtEnd.writeRow(trapezoidal.data, r, rowAtEnd, 0)
      trapezoidal.turnBack(rowAtEnd, 0, q)
      let u = 0
      const end = loops.first[r] + loops.size[r]
      for (let a = loops.first[r]; a < end; a++) {
        const k = loops.velocities[a]
        const half = 0.5 * (rowAtEnd[k] - loopJ[r * nv + k])
        u += half * v[k]
        loopJ[r * nv + k] += half
      }
      loopTarget[r] = u
    }
  }

  /**
   * vNext = the velocity at the end of the step, vMove = the one that moves positions, which differs where penetrations are projected
   * out; where the problem has no solution, vFree.
   *
   * @param M       nv x nv: M~, its lower triangle
   * @param L       its factor
   * @param vFree   nv: velocity at the end of the step without contact
   * @param targets default: all contacts, and their gaps
   */
  solve(
    step: ContactStep,
    M: Float64Array,
    L: Float64Array,
    vFree: Float64Array,
    vNext: Float64Array,
    vMove: Float64Array,
    targets?: RowTargets,
  ): void {
    this.prepare(step, M, L, vFree, targets)
    for (let i = 0; i < this.islands.count; i++) this.solveIsland(step, i)
    this.finish(step, vNext, vMove)
  }

  /** Solves the problem of the last `solve` again, from its solution, after `loopTarget` has changed. */
  solveAgain(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    this.clear()
    for (let i = 0; i < this.islands.count; i++) this.solveIsland(step, i)
    this.finish(step, vNext, vMove)
  }

  /** The island of `save`: that of an aborted step, else one that failed or fell back, else the one of most rows; -1 for none. */
  get savedIsland(): number {
    return this.presentIsland >= 0 ? this.presentIsland : this.keptIsland
  }

  /** Finds the islands, joint rows and first guesses; none of it depends on which contacts are active. */
  prepare(step: ContactStep, M: Float64Array, L: Float64Array, vFree: Float64Array, targets?: RowTargets): void {
    const { contacts, memory } = step
    const { rows, islands, joints, loops, system } = this
    this.active = targets?.active ?? this.all
    this.gap = targets?.gap ?? contacts.gap
    this.exact = targets?.exact ?? this.none
    this.step = step
    this.vFree = vFree
    rows.velocity(this.uFree, vFree, contacts.count)
    joints.find(step, vFree)
    this.recall(contacts, memory)
    for (let i = 0; i < contacts.count; i++) frictionOverStep(this.friction, contacts, i, this.uStart, this.sticks)
    this.clear()
    islands.find(contacts, joints, loops)
    system.begin(M, L)
  }

  private clear(): void {
    this.change.fill(0)
    this.shift.fill(0)
    this.cost[0] = 0
    this.keptIsland = -1
    this.presentIsland = -1
    this.savedRows = 0
    this.savedFailed = false
  }

  /** After all islands are solved: vNext, vMove, and the warm start of the next step. */
  finish(step: ContactStep, vNext: Float64Array, vMove: Float64Array): void {
    const { change, shift, vFree, nv } = this
    this.presentIsland = -1
    this.remember(step.contacts, step.memory)
    for (let k = 0; k < nv; k++) {
      vNext[k] = vFree[k] + change[k]
      vMove[k] = vNext[k] + shift[k]
    }
  }

  /** Velocity that the gap of active contact i adds to its normal velocity; their sum is constrained to be at least 0 [m/s]. */
  addedTo(i: number): number {
    return this.added[this.rowOf[i]]
  }

  /** Normal impulse of contact i in the last attempt or solution [N s]. */
  impulseOf(i: number): number {
    return this.active[i] === 1 ? this.impulse[3 * i] : 0
  }

  /** Writes impulses and moments of the last solve into the contacts, in place of earlier ones. */
  report(contacts: ContactSet): void {
    const { count, impulse, moment } = contacts
    const { active, turning, turnImpulse } = this
    moment.fill(0, 0, 3 * count)
    for (let i = 0; i < count; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) impulse[k] = active[i] === 1 ? this.impulse[k] : 0
    }
    for (let j = 0; j < turning.count; j++) {
      if (active[turning.contact[j]] === 1) turning.addMoment(contacts, j, turnImpulse[3 * j])
    }
    this.patch?.report(contacts)
  }

  /** Solves an island with its active contacts; its share of the velocity is added by `finish`. */
  solveIsland(step: ContactStep, island: number): void {
    const { system, change } = this
    const { events } = step
    this.build(step, island)
    if (system.groupCount === 0) return
    const before = events.failures + events.fallbacks
    if (!this.findImpulses(step)) {
      this.p.fill(0, 0, system.rowCount)
      this.w.fill(Number.NaN, 0, system.rowCount)
    }
    const failed = events.failures + events.fallbacks > before
    if ((failed && !this.savedFailed) || (failed === this.savedFailed && system.rowCount > this.savedRows)) {
      this.keptIsland = island
      this.savedRows = system.rowCount
      this.savedFailed = failed
    }
    if (this.method.shocks === undefined) system.addVelocity(this.p, change)
    else this.method.shocks.propagate(this, step, change)
    if (this.weighs) this.addCost()
    this.scatter()
    if (this.options.drift === 'projection') this.project(step)
  }

  /**
   * Solves an island with its active contacts, and discards the solution but for the guess of the next attempt and `impulseOf`.
   *
   * @param v    out, nv: end-of-step velocity; the free one if there is no solution
   * @param cost out, 1: |v⁺ - v_free|² in M~
   * @returns false if there is no solution
   */
  tryIsland(step: ContactStep, island: number, v: Float64Array, cost: Float64Array): boolean {
    const { system, vFree } = this
    this.build(step, island)
    v.set(vFree)
    cost[0] = 0
    if (system.groupCount === 0) return true
    if (!this.findImpulses(step)) return false
    const before = this.cost[0]
    this.cost[0] = 0
    system.addVelocity(this.p, v)
    this.addCost()
    cost[0] = this.cost[0]
    this.cost[0] = before
    this.scatter()
    return true
  }

  private addCost(): void {
    const { system, p, u, cost } = this
    system.respond(p, u)
    for (let r = 0; r < system.rowCount; r++) cost[0] += p[r] * u[r]
  }

  /** Rows, groups, softness, right-hand side and first guess of an island. */
  build(step: ContactStep, island: number): void {
    this.presentIsland = island
    const { islands, system, options, gap, active, rowOf } = this
    const { contacts, contactStart } = islands
    const farthest = options.activeDistance ?? Number.POSITIVE_INFINITY
    system.open(island)
    for (let m = contactStart[island]; m < contactStart[island + 1]; m++) {
      const i = contacts[m]
      if (active[i] !== 1) continue
      if (gap[i] <= farthest) {
        rowOf[i] = system.rowCount
        system.addContact(i, hasFriction(step.contacts, i) ? 3 : 1)
      } else this.dismiss(i)
    }
    system.close()
    this.reserveRows(system.rowCount)
    this.countClosing(step, island)
    this.setRight(step, 1)
    this.setGroups(step)
    this.soften(step, island)
    this.gather()
  }

  /** Number of points of contact i's pair that would close within the step, rows or not; at least 1. */
  pointsOf(i: number): number {
    const { step, closing } = this
    const points = step === undefined ? 0 : closing[step.contacts.pair[i]]
    return points > 1 ? points : 1
  }

  private countClosing({ contacts: { pair }, dt }: ContactStep, island: number): void {
    const { closing, gap, uFree } = this
    const { contacts, contactStart } = this.islands
    for (let m = contactStart[island]; m < contactStart[island + 1]; m++) closing[pair[contacts[m]]] = 0
    for (let m = contactStart[island]; m < contactStart[island + 1]; m++) {
      if (gap[contacts[m]] + dt * uFree[3 * contacts[m]] < 0) closing[pair[contacts[m]]]++
    }
  }

  /** Clears guess and impulse of a contact that is inactive in this step. */
  private dismiss(i: number): void {
    this.guess[3 * i] = Number.NaN
    for (let r = 3 * i; r < 3 * i + 3; r++) this.impulse[r] = 0
  }

  private setGroups(step: ContactStep): void {
    const { system, joints, islands, options, uFree, friction, turning } = this
    const { kind, limit, corner, contacts, contactCount, jointCount, loopCount, turnCount, first } = system
    for (let m = 0; m < contactCount; m++) {
      const i = contacts[m]
      kind[m] = first[m + 1] - first[m] === 3 ? GroupKind.frictional : GroupKind.unilateral
      limit[m] = friction[i]
      const u1 = uFree[3 * i + 1]
      const u2 = uFree[3 * i + 2]
      const slip = Math.sqrt(u1 * u1 + u2 * u2)
      const turns = options.turns && slip > NO_SLIP * Math.abs(uFree[3 * i]) && slip > this.noSlip[0]
      corner[2 * m] = turns ? u1 / slip : 1
      corner[2 * m + 1] = turns ? u2 / slip : 0
    }
    for (let n = 0; n < jointCount; n++) {
      const j = islands.joints[system.jointAt + n]
      kind[contactCount + n] = joints.kind[j]
      limit[contactCount + n] = joints.limit[j]
    }
    for (let n = 0; n < loopCount; n++) {
      kind[contactCount + jointCount + n] = GroupKind.bilateral
      limit[contactCount + jointCount + n] = 0
    }
    // bounds by the last step's load; `boundTurning` updates them to this step's
    for (let n = 0; n < turnCount; n++) {
      const load = this.guess[3 * turning.contact[system.turns[n]]]
      kind[contactCount + jointCount + loopCount + n] = GroupKind.bounded
      limit[contactCount + jointCount + loopCount + n] = load > 0 ? load * turning.lever[system.turns[n]] : 0
    }
    options.conditions?.setGroups(this, step)
  }

  /** Updates the bounds of torsional and rolling moments to the loads found. @returns whether that changes the solution */
  private boundTurning(): boolean {
    const { system, p, turning } = this
    const { turns, turnCount, turnRow, limit, first } = system
    const firstGroup = system.groupCount - turnCount
    let changes = false
    for (let n = 0, m = 0; n < turnCount; n++) {
      const i = turning.contact[turns[n]]
      while (system.contacts[m] !== i) m++
      const bound = p[first[m]] * turning.lever[turns[n]]
      const before = limit[firstGroup + n]
      const moment = Math.abs(p[turnRow + n])
      const isFull = moment >= before * (1 - SAME_BOUND)
      if (moment > bound * (1 + SAME_BOUND) || (isFull && bound > before * (1 + SAME_BOUND))) changes = true
      limit[firstGroup + n] = bound
    }
    return changes
  }

  /**
   * Softness of every row. All pairs of shapes of an island are equally soft, as a share of the inverse mass of its heaviest tree, and
   * a pair shares its softness among its points that close: pairs carry a load as equal springs would, whatever the number of their points,
   * and a body on a light one presses it no deeper. Rows of joints and loops are soft as a share of their own W.
   */
  private soften(step: ContactStep, island: number): void {
    const { system, islands, joints, response } = this
    const { compliant } = this.options
    const { soft, scale, contacts, contactCount, first, rowCount, jointRow, jointAt, loopRow, turnRow, jointCount } = system
    this.setCompliance()
    const compliance = this.compliance[0]
    const share = contactCount > MANY_CONTACTS ? CROWD_TANGENT_SHARE : TANGENT_SHARE
    const mass = islands.heaviest[island]
    for (let m = 0; m < contactCount; m++) {
      const n = first[m]
      soft[n] = this.pointsOf(contacts[m]) * compliance * (mass > 0 ? 1 / mass : scale[m])
      if (first[m + 1] - n === 1) continue
      soft[n + 1] = share * soft[n]
      soft[n + 2] = soft[n + 1]
    }
    for (let m = 0; m < contactCount && compliant !== undefined; m++) {
      const n = first[m]
      response[0] = soft[n]
      response[1] = share * soft[n]
      compliant.write(response, this, step, contacts[m])
      soft[n] = response[0]
      for (let r = n + 1; r < first[m + 1]; r++) soft[r] = response[1]
    }
    if (compliant?.writeSpring !== undefined) {
      system.springs.fill(0, spring.size * contactCount, spring.size * system.groupCount)
      for (let m = 0; m < contactCount; m++) {
        compliant.writeSpring(system.springs, spring.size * m, this, step, contacts[m])
      }
    }
    for (let n = 0; n < jointCount; n++) {
      const r = jointRow + n
      soft[r] = TANGENT_SHARE * compliance * scale[contactCount + n]
      if (compliant?.writeJoint === undefined) continue
      response[0] = soft[r]
      compliant.writeJoint(response, joints, islands.joints[jointAt + n])
      soft[r] = response[0]
    }
    for (let r = loopRow; r < turnRow; r++) soft[r] = LOOP_SHARE * compliance * scale[contactCount + jointCount + r - loopRow]
    for (let r = turnRow; r < rowCount; r++) soft[r] = share * compliance * scale[contactCount + r - jointRow]
  }

  private setCompliance(): void {
    const { compliance, softensCrowds } = this.options
    const isCrowd = softensCrowds && this.system.contactCount > MANY_CONTACTS
    this.compliance[0] = isCrowd ? CROWD_FACTOR * compliance : compliance
  }

  /**
   * Sets `right`, and `added` in it: of an open contact psi / h + J v (Williams, Lu and Trinkle, 2014, eq. 28). Penetrations, passed limits
   * and open loops are corrected if `correct` is 1, only held if it is 0.
   */
  private setRight(step: ContactStep, correct: number): void {
    const { dt } = step
    const {
      system,
      added,
      distance,
      uStart,
      uFree,
      options,
      joints,
      loops,
      islands,
      loopJ,
      loopTarget,
      nv,
      gap,
      exact,
      vFree,
      response,
    } = this
    const { right, first, contactCount, jointCount, jointRow, jointAt, loopCount, loopRow, loopAt } = system
    const { correctionSpeed, activeDistance, compliant, conditions, closesLoops, trapezoidal } = options
    const { rows, turning } = this
    const { turns, turnCount, turnRow } = system
    // a shortened step corrects its part of the drift, at the same speed
    const share = options.drift === 'baumgarte' ? (correct * options.stabilization) / this.wholeStep[0] : 0
    const shareOfLoops = closesLoops ? correct / dt : share
    for (let m = 0; m < contactCount; m++) {
      const i = system.contacts[m]
      const r = first[m]
      const un = uFree[3 * i]
      // trapezoidal step: the mean velocity may close the gap, and no further
      const closing = trapezoidal ? Math.max((2 * gap[i]) / dt + uStart[3 * i], 0) : gap[i] / dt
      const open = activeDistance === undefined ? closing : 0
      const depth = share * gap[i]
      const corrected = depth > -correctionSpeed ? depth : -correctionSpeed
      const below = exact[i] === 0 ? corrected : correct * open
      added[r] = gap[i] >= 0 ? open : below
      if (compliant !== undefined) {
        response[2] = added[r]
        response[3] = 0
        response[4] = 0
        compliant.write(response, this, step, i)
        added[r] = response[2]
      }
      if (conditions !== undefined) {
        conditions.writeContact(response, this, step, i, correct)
        added[r] = response[0]
      }
      right[r] = un + added[r]
      distance[r] = gap[i]
      if (first[m + 1] - r === 1) continue
      added[r + 1] = compliant === undefined ? 0 : response[3]
      added[r + 2] = compliant === undefined ? 0 : response[4]
      right[r + 1] = uFree[3 * i + 1] + added[r + 1]
      right[r + 2] = uFree[3 * i + 2] + added[r + 2]
      distance[r + 1] = 0
      distance[r + 2] = 0
    }
    for (let n = 0; n < jointCount; n++) {
      const j = islands.joints[jointAt + n]
      const row = jointRow + n
      const room = joints.room[j]
      const depth = share * room
      added[row] = room >= 0 ? room / dt : depth > -correctionSpeed ? depth : -correctionSpeed
      distance[row] = room
      if (compliant?.writeJoint !== undefined) {
        response[1] = added[row]
        compliant.writeJoint(response, joints, j)
        added[row] = response[1]
      }
      if (conditions !== undefined) {
        conditions.writeLimit(response, this, step, j, correct)
        added[row] = response[0]
      }
      right[row] = joints.sign[j] * vFree[joints.velocity[j]] + added[row]
    }
    for (let n = 0; n < loopCount; n++) {
      const r = islands.loops[loopAt + n]
      const row = loopRow + n
      added[row] = shareOfLoops * loops.error[r] + loopTarget[r]
      let u = added[row]
      const end = loops.first[r] + loops.size[r]
      for (let a = loops.first[r]; a < end; a++) u += loopJ[r * nv + loops.velocities[a]] * vFree[loops.velocities[a]]
      right[row] = u
      distance[row] = loops.error[r] + dt * loopTarget[r]
    }
    for (let n = 0; n < turnCount; n++) {
      const j = turns[n]
      const { contact, entry, J } = turning
      const from = rows.first[contact[j]] - entry[j]
      let u = 0
      for (let e = entry[j]; e < entry[j + 1]; e++) u += J[e] * vFree[rows.velocities[from + e]]
      added[turnRow + n] = 0
      right[turnRow + n] = u
      distance[turnRow + n] = 0
    }
  }

  /** Loads the first guess: w of the last solve. */
  private gather(): void {
    const { system, w, guess, jointGuess, loopGuess, islands } = this
    const { contacts, contactCount, first, jointCount, jointRow, jointAt, loopCount, loopRow, loopAt } = system
    for (let m = 0; m < contactCount; m++) {
      const r = first[m]
      for (let k = 0; k < first[m + 1] - r; k++) w[r + k] = guess[3 * contacts[m] + k]
    }
    for (let n = 0; n < jointCount; n++) w[jointRow + n] = jointGuess[3 * islands.joints[jointAt + n]]
    for (let n = 0; n < loopCount; n++) w[loopRow + n] = loopGuess[3 * islands.loops[loopAt + n]]
    for (let n = 0; n < system.turnCount; n++) w[system.turnRow + n] = this.turnGuess[3 * system.turns[n]]
  }

  /** Stores the solution of the island's rows. */
  private scatter(): void {
    const { system, w, p, guess, impulse, jointGuess, loopGuess, islands } = this
    const { contacts, contactCount, first, jointCount, jointRow, jointAt, loopCount, loopRow, loopAt } = system
    for (let m = 0; m < contactCount; m++) {
      const r = first[m]
      const at = 3 * contacts[m]
      const width = first[m + 1] - r
      for (let k = 0; k < 3; k++) {
        guess[at + k] = k < width ? w[r + k] : 0
        impulse[at + k] = k < width ? p[r + k] : 0
      }
      if (width === 3) this.sticks[contacts[m]] = this.isStuck(m) ? 1 : 0
    }
    for (let n = 0; n < jointCount; n++) jointGuess[3 * islands.joints[jointAt + n]] = w[jointRow + n]
    for (let n = 0; n < loopCount; n++) loopGuess[3 * islands.loops[loopAt + n]] = w[loopRow + n]
    for (let n = 0; n < system.turnCount; n++) {
      this.turnGuess[3 * system.turns[n]] = w[system.turnRow + n]
      this.turnImpulse[3 * system.turns[n]] = p[system.turnRow + n]
    }
  }

  /** Whether the island's contact m sticks: friction stops all slip, or, where regularised, slip is of the order of its tolerance. */
  private isStuck(m: number): boolean {
    const { system, w, p, options } = this
    const r = system.first[m]
    if (!(p[r] > 0) || system.kind[m] === GroupKind.sliding) return false
    if (options.compliant?.writeSpring !== undefined) {
      const x = (p[r + 1] - w[r + 1]) * system.scale[m]
      const y = (p[r + 2] - w[r + 2]) * system.scale[m]
      const most = REGULARISED * system.springs[spring.size * m + spring.slip]
      return x * x + y * y <= most * most
    }
    return Math.abs(w[r + 1] - p[r + 1]) + Math.abs(w[r + 2] - p[r + 2]) <= SAME_IMPULSE * w[r]
  }

  /**
   * Solves for p. Fallbacks are counted: no correction of penetrations if these contradict each other; no friction after a failure of all
   * solvers. False, and a failure, if that has no solution either.
   */
  private findImpulses(step: ContactStep): boolean {
    const { events } = step
    const { system, w } = this
    let solved = this.find(step)
    if (solved && this.yields()) {
      // Corrections that contradict each other, as in a body squeezed between two walls: this step makes none.
      events.fallbacks++
      this.setRight(step, 0)
      solved = this.find(step)
    }
    if (solved) return true
    for (let g = 0; g < system.contactCount; g++) system.limit[g] = 0
    w.fill(Number.NaN, 0, system.rowCount)
    solved = this.find(step)
    if (solved) {
      events.fallbacks++
      return true
    }
    events.failures++
    if (events.firstFailure === '') {
      events.firstFailure =
        `${this.name}: no answer for ${system.rowCount} rows at t = ${step.state.t[0]} s: Newton's method ended at a residual of ` +
        `${this.newton.residual[0]}, without friction too; the step was taken without contact impulses`
    }
    return false
  }

  private find(step: ContactStep): boolean {
    const { conditions } = this.options
    for (let n = 1; ; n++) {
      if (!(conditions === undefined ? this.ask(step) : conditions.find(this, step))) return false
      if (this.system.turnCount === 0 || !this.boundTurning()) return true
      if (n < BOUND_LIMIT) continue
      step.events.fallbacks++
      return true
    }
  }

  /** Solves by the initial solver of `method`, if any, then by Newton's method, then by the other solvers. */
  ask(step: ContactStep): boolean {
    const { events } = step
    const { solvers, startsWith } = this.method
    if (startsWith >= 0 && this.askDense(startsWith, step)) return true
    if (this.askNewton(step, NEWTON)) return true
    for (let n = 0; n < solvers.length; n++) {
      if (n === startsWith || !this.askDense(n, step)) continue
      events.fallbacks++
      return true
    }
    return false
  }

  /** Newton's method, its outcome counted as that of solver `as`. */
  askNewton(step: ContactStep, as: number): boolean {
    const { events } = step
    const { system, newton, w, p } = this
    const isMany = system.contactCount > MANY_CONTACTS
    workOn(newtonNames[NEWTON], system.contactCount, system.rowCount)
    const tolerances = isMany ? tolerancesOfMany : this.tolerances
    const isWritten = this.method.matrix !== undefined
    const solved = isWritten ? this.solveWritten(step, tolerances) : newton.solve(system, w, p, tolerances)
    events.iterations += newton.iterations
    this.orientation = newton.orientation
    if (!solved) events.solvers[as].failed++
    else if (as !== NEWTON || newton.residual[0] <= LOOSE) events.solvers[as].solved++
    else events.solvers[NEWTON_LOOSE].solved++
    if (!solved && !(isMany && newton.residual[0] <= POOR_OF_MANY)) return false
    if (!solved) events.fallbacks++
    if (newton.residual[0] > events.residualMax) events.residualMax = newton.residual[0]
    return true
  }

  /** Newton's method on the assembled W. */
  private solveWritten(step: ContactStep, tolerances: Float64Array): boolean {
    const { system, dense, maps, newton, w, p } = this
    this.writeOut(step)
    maps.take(dense, system)
    dense.turn(w, 1)
    const solved = newton.solve(maps, w, p, tolerances)
    dense.turn(w, -1)
    dense.turn(p, -1)
    return solved
  }

  private writeOut(step: ContactStep): void {
    const { system, dense, method } = this
    if (method.matrix === undefined) dense.take(system)
    else {
      dense.open(system)
      method.matrix.write(this, step, dense.W)
      dense.close(system)
    }
  }

  /** Solver n, on the assembled W. */
  private askDense(n: number, step: ContactStep): boolean {
    const { events } = step
    const { system, dense, method, p, w, denseMode } = this
    if (system.rowCount > (method.mostRows ?? MOST_DENSE_ROWS)) return false
    const solver = method.solvers[n]
    workOn(solver.name, system.contactCount, system.rowCount)
    this.writeOut(step)
    p.fill(0, 0, system.rowCount)
    denseMode.fill(UNKNOWN_MODE, 0, system.groupCount)
    const status = solver.solve(dense, p, denseMode)
    events.iterations += solver.iterations
    if (status !== 'solved') {
      events.solvers[NEWTON_LOOSE + 1 + n].failed++
      return false
    }
    events.solvers[NEWTON_LOOSE + 1 + n].solved++
    this.orientation = solver.orientation ?? 1
    if (solver.residual[0] > events.residualMax) events.residualMax = solver.residual[0]
    dense.turn(p, -1)
    // w = p - u / scale
    system.respond(p, w)
    for (let g = 0; g < system.groupCount; g++) {
      for (let r = system.first[g]; r < system.first[g + 1]; r++) {
        w[r] = p[r] - (w[r] + system.right[r] + system.soft[r] * p[r]) / system.scale[g]
      }
    }
    return true
  }

  /** Whether compliance alone holds some contact or limit: its rows contradict each other. */
  private yields(): boolean {
    const { system, p, options } = this
    const { contactCount, groupCount, first, kind, soft } = system
    if (options.compliant?.writeJoint !== undefined) return false
    const most = Math.max(LARGEST_YIELD, YIELD_OF_COMPLIANCE * this.compliance[0])
    for (let g = options.compliant === undefined ? 0 : contactCount; g < groupCount; g++) {
      if (kind[g] > GroupKind.disc) continue
      if (soft[first[g]] * p[first[g]] > most) return true
    }
    return false
  }

  /**
   * Post-stabilisation: positions, but not velocities, are moved by the least motion in the metric of M that makes end-of-step gaps, to
   * first order, non-negative, and the errors of loops zero:
   *
   *   0 <= gap + h J v⁺ + J dq ⟂ lambda >= 0,  dq = M⁻¹ Jᵀ lambda,
   *
   * the step's problem once more without friction, with dq = h v for a velocity that is added to the one which moves positions. Cline and
   * Pai, Post-stabilization for rigid body simulation with contact and constraints, ICRA 2003.
   */
  private project({ dt, events }: ContactStep): void {
    const { system, u, added, distance, p, w, newton, shift, change } = this
    const { rowCount, groupCount, first, kind, limit, right } = system
    system.velocitiesOf(change, u)
    let isNeeded = false
    for (let g = 0; g < groupCount; g++) {
      const r = first[g]
      const end = u[r] + right[r] - added[r] + distance[r] / dt
      if (kind[g] === GroupKind.bilateral || (kind[g] !== GroupKind.bounded && end < LEFT_ALONE / dt)) isNeeded = true
    }
    if (!isNeeded) return
    for (let r = 0; r < rowCount; r++) right[r] = u[r] + right[r] - added[r] + distance[r] / dt
    for (let g = 0; g < groupCount; g++) limit[g] = 0
    w.fill(Number.NaN, 0, rowCount)
    workOn('projection', system.contactCount, rowCount)
    const solved = newton.solve(system, w, p, tolerancesOfProjection)
    events.iterations += newton.iterations
    if (solved) system.addVelocity(p, shift)
    else events.fallbacks++ // the penetrations stay for this step
  }

  /**
   * The problem of the last `solve` as plain data, undefined if there was none; its tangents are rotated as the pyramids are.
   *
   * @param M       nv x nv: M~, its lower triangle, as passed to that call; the state may have moved on
   * @param island  default: one that failed or fell back, else the largest
   * @param targets in place of those of the call
   */
  save(M: Float64Array, island = this.savedIsland, targets?: RowTargets): Omit<SavedProblem, 'law'> | undefined {
    const { step, name, vFree } = this
    if (step === undefined || island < 0) return undefined
    const { active, gap, exact, presentIsland } = this
    if (targets !== undefined) {
      this.active = targets.active
      this.gap = targets.gap
      this.exact = targets.exact
    }
    this.build(step, island)
    const saved = savedProblemOf(this, {
      name,
      step,
      M,
      vFree,
      gap: this.gap,
      added: this.added,
      compliant: this.options.compliant,
    })
    this.active = active
    this.gap = gap
    this.exact = exact
    this.presentIsland = presentIsland
    return saved
  }

  private recall({ count, pair, feature }: ContactSet, memory: Float64Array): void {
    const { warm, guess, rows, joints, loops, jointGuess, loopGuess, turning } = this
    const { size } = rows
    warm.rewind()
    for (let i = 0; i < count; i++) {
      this.sticks[i] = 0
      if (size[i] > 0) {
        const known = this.recallOne(memory, pair[i], feature[i], guess, 3 * i)
        this.mode[i] = known & 1
        this.sticks[i] = known >> 1
      } else this.dismiss(i)
    }
    for (let j = 0; j < joints.count; j++) this.recallOne(memory, -1 - joints.velocity[j], joints.feature[j], jointGuess, 3 * j)
    for (let r = 0; r < loops.count; r++) this.recallOne(memory, -1 - this.nv - r, 0, loopGuess, 3 * r)
    if (turning.count === 0) return
    if (3 * turning.count > this.turnGuess.length) {
      this.turnGuess = new Float64Array(6 * turning.count)
      this.turnImpulse = new Float64Array(6 * turning.count)
    }
    for (let j = 0; j < turning.count; j++) {
      const i = turning.contact[j]
      this.turnImpulse[3 * j] = 0
      this.recallOne(memory, this.keyOfTurning(pair[i], turning.axis[j]), feature[i], this.turnGuess, 3 * j)
    }
  }

  /** Below those of joints and loops. */
  private keyOfTurning(pair: number, axis: number): number {
    return -1 - this.nv - this.loops.count - 3 * pair - axis
  }

  private recallOne(memory: Float64Array, pair: number, feature: number, guess: Float64Array, at: number): number {
    const mode = this.warm.recall(memory, pair, feature, guess, at)
    if (mode !== UNKNOWN_MODE) return mode
    guess[at] = Number.NaN
    return 0
  }

  private remember({ count, pair, feature }: ContactSet, memory: Float64Array): void {
    const { warm, guess, rows, joints, loops, jointGuess, loopGuess, active, turning } = this
    const { size } = rows
    warm.clear(memory)
    for (let i = 0; i < count; i++) {
      if (size[i] > 0 && active[i] === 1 && !Number.isNaN(guess[3 * i]))
        warm.append(memory, pair[i], feature[i], this.mode[i] + 2 * this.sticks[i], guess, 3 * i)
    }
    for (let j = 0; j < joints.count; j++) warm.append(memory, -1 - joints.velocity[j], joints.feature[j], 0, jointGuess, 3 * j)
    for (let r = 0; r < loops.count; r++) warm.append(memory, -1 - this.nv - r, 0, 0, loopGuess, 3 * r)
    for (let j = 0; j < turning.count; j++) {
      const i = turning.contact[j]
      if (active[i] === 1 && !Number.isNaN(this.turnGuess[3 * j]))
        warm.append(memory, this.keyOfTurning(pair[i], turning.axis[j]), feature[i], 0, this.turnGuess, 3 * j)
    }
  }

  /**
   * Appends to a step's memory the entries of one part of it, solved with the contacts of some trees alone.
   *
   * @param partOf per tree: its part; joints and loops of others are left out
   */
  rememberPart(memory: Float64Array, ofPart: Float64Array, partOf: Int32Array, part: number): void {
    const { warm, nv, loops, islands, rows } = this
    for (let n = 0; n < ofPart[0]; n++) {
      const v = -1 - warm.pairOf(ofPart, n)
      if (v >= 0 && v < nv && partOf[rows.pattern.treeOfV[v]] !== part) continue
      const r = v - nv
      if (r >= 0 && r < loops.count) {
        const { treeOfBody } = islands
        if (partOf[Math.max(treeOfBody[loops.bodyA[r]], treeOfBody[loops.bodyB[r]])] !== part) continue
      }
      warm.appendFrom(memory, ofPart, n)
    }
  }

  private reserveContacts(capacity: number): void {
    if (capacity <= this.rowOf.length) return
    this.uStart = new Float64Array(3 * capacity)
    this.uFree = new Float64Array(3 * capacity)
    this.friction = new Float64Array(capacity)
    this.rowOf = new Int32Array(capacity)
    this.impulse = new Float64Array(3 * capacity)
    this.guess = new Float64Array(3 * capacity)
    this.mode = new Int8Array(capacity)
    this.sticks = new Int8Array(capacity)
    this.all = new Uint8Array(capacity).fill(1)
    this.none = new Uint8Array(capacity)
  }

  private reserveRows(rows: number): void {
    if (rows <= this.p.length) return
    this.p = new Float64Array(2 * rows)
    this.w = new Float64Array(2 * rows)
    this.u = new Float64Array(2 * rows)
    this.added = new Float64Array(2 * rows)
    this.distance = new Float64Array(2 * rows)
    this.denseMode = new Int8Array(2 * rows)
  }
}
