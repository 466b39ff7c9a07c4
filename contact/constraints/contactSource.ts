import type { Data } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { GroupKind, spring } from '../solvers/index.ts'
import { ContactRows } from './contactRows.ts'
import type { LengthRows } from './couplings/lengthRows.ts'
import type { LoopRows } from './couplings/loopRows.ts'
import type { ImpulseOptions, RowTargets } from './impulseLaw.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import { RowSource, sources } from './rowSource.ts'
import { frictionOverStep, hasFriction, lastSlip } from './slipLaw.ts'
import { UniformPatch } from './uniformPatch.ts'
import type { VelocitySystem } from './velocitySystem.ts'

/**
 * Fraction of the normal velocity, and of gravity's velocity change in a step, below which the free slip has no direction: the pyramid is
 * not rotated, so that resting contacts keep their pyramids from step to step.
 */
const NO_SLIP = 0.02
/** Ratio of slip to the regularisation velocity up to which friction counts as sticking: there it is at 0.995 of its bound. */
const REGULARISED = 10
/** Relative tolerance for equality of friction and the impulse that stops all slip. */
const SAME_IMPULSE = 1e-9

/** Ratio of a group's scale to its compliance below which only rounding gives the group an effect. */
const BY_ROUNDING = 1e-20

/** Contacts of a step: a row along the normal, and with friction two more along the tangents. */
export class ContactSource extends RowSource {
  /** `begin` builds them. */
  readonly rows: ContactRows
  /** Offsets of the points of action of friction from the contacts' points, set by `begin`. */
  readonly patch: UniformPatch | undefined

  // per contact
  /** 3: velocity at the start of the step, and without contact, along normal, tangent 1, tangent 2 [m/s]. */
  uStart = new Float64Array(0)
  uFree = new Float64Array(0)
  /** Coefficient of friction over the step. */
  friction = new Float64Array(0)
  /** Discrete mode that `RowConditions` store from step to step, 0 at first. */
  mode = new Int8Array(0)
  /** Per contact: its first row in the last built island that has it. */
  rowOf = new Int32Array(0)
  /** One of `lastSlip` of each contact with friction. */
  private last = new Int8Array(0)
  /** Current `RowTargets`; and defaults. */
  private active: Uint8Array = new Uint8Array(0)
  gap: Float64Array = new Float64Array(0)
  private exact: Uint8Array = new Uint8Array(0)
  private all = new Uint8Array(0)
  private none = new Uint8Array(0)
  private pair = new Int32Array(0)
  private feature = new Int32Array(0)
  private readonly options: ImpulseOptions
  /** 1: slip speed below which a pyramid is not rotated [m/s]. */
  private readonly noSlip: Float64Array
  /** Per pair of shapes: number of contacts that would close within the step without impulses. */
  private readonly closing: Int32Array
  /** 5: output of `CompliantContact`. */
  private readonly response = new Float64Array(5)

  constructor(context: ContactModelContext, options: ImpulseOptions, loops: LoopRows, lengths: LengthRows) {
    super(sources.contact)
    this.rows = new ContactRows(context.model, loops, lengths)
    this.patch = options.patch === 'uniform' ? new UniformPatch(context) : undefined
    this.options = options
    this.noSlip = Float64Array.of(NO_SLIP * context.gravity * context.dt)
    this.closing = new Int32Array(context.pairCount)
  }

  /** Builds the rows, and their velocities at the start of the step. */
  begin(data: Data, { contacts, state }: ContactStep): void {
    this.grow(contacts.capacity)
    this.rows.buildMoving(data, contacts, state.v, this.uStart)
    this.patch?.move(data, contacts, this.rows, state.v, this.uStart)
  }

  /** Sets velocities without contact, and targets. @param targets default: all contacts active, at their own gaps */
  prepare({ count, pair, feature, gap }: ContactSet, vFree: Float64Array, targets: RowTargets | undefined): void {
    this.count = count
    this.pair = pair
    this.feature = feature
    this.active = targets?.active ?? this.all
    this.gap = targets?.gap ?? gap
    this.exact = targets?.exact ?? this.none
    this.rows.velocity(this.uFree, vFree, count)
  }

  /** @returns those before */
  replaceTargets({ active, gap, exact }: RowTargets): RowTargets {
    const before = { active: this.active, gap: this.gap, exact: this.exact }
    this.active = active
    this.gap = gap
    this.exact = exact
    return before
  }

  /** Coefficients of friction over the step; call after `loadWarmStart`. */
  setFriction(contacts: ContactSet): void {
    for (let i = 0; i < contacts.count; i++) frictionOverStep(this.friction, contacts, i, this.uStart, this.last)
  }

  addRows({ system, islands: { contacts, contactStart } }: ImpulseProblem, step: ContactStep, island: number): void {
    const { rows, options, active, gap } = this
    const farthest = options.activeDistance ?? Number.POSITIVE_INFINITY
    for (let m = contactStart[island]; m < contactStart[island + 1]; m++) {
      const i = contacts[m]
      if (active[i] !== 1) continue
      const isTethered = options.tethers === true && step.contacts.passiveAdhesion[i] > 0
      if (!(gap[i] <= farthest || isTethered)) this.dismiss(i)
      else {
        this.rowOf[i] = system.rowCount
        system.add(i, hasFriction(step.contacts, i) ? 3 : 1, rows.first[i], rows.size[i], 3 * rows.entry[i])
      }
    }
  }

  /** Number of contacts of the pair of contact i, active or not, that would close within the step; at least 1. */
  pointsOf(i: number): number {
    const points = this.closing[this.pair[i]]
    return points > 1 ? points : 1
  }

  private countClosing({ islands: { contacts, contactStart } }: ImpulseProblem, { dt }: ContactStep, island: number): void {
    const { closing, pair, uFree, gap } = this
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

  fill(problem: ImpulseProblem, step: ContactStep): void {
    this.countClosing(problem, step, problem.island)
    this.setLaws(problem.system)
    this.setSoftness(problem, step)
  }

  private setLaws({ contactCount, index, first, kind, limit, corner }: VelocitySystem): void {
    const { uFree, friction, options, noSlip } = this
    for (let m = 0; m < contactCount; m++) {
      const i = index[m]
      kind[m] = first[m + 1] - first[m] === 3 ? GroupKind.frictional : GroupKind.unilateral
      limit[m] = friction[i]
      const u1 = uFree[3 * i + 1]
      const u2 = uFree[3 * i + 2]
      const slip = Math.sqrt(u1 * u1 + u2 * u2)
      const turns = options.turns && slip > NO_SLIP * Math.abs(uFree[3 * i]) && slip > noSlip[0]
      corner[2 * m] = turns ? u1 / slip : 1
      corner[2 * m + 1] = turns ? u2 / slip : 0
    }
  }

  /**
   * Gives all pairs of shapes of an island equal compliance, a fraction of the inverse mass of its heaviest tree, shared among the points
   * of the pair that close: pairs carry a load like equal springs, for any number of points, and a body on a light one does not press it
   * deeper.
   */
  private setSoftness(problem: ImpulseProblem, step: ContactStep): void {
    const { response } = this
    const { compliant } = this.options
    const { contactCount, index, first, soft, scale, springs, groupCount } = problem.system
    const compliance = problem.softness[0]
    const share = problem.softness[1]
    const mass = problem.islands.heaviest[problem.island]
    for (let m = 0; m < contactCount; m++) {
      const r = first[m]
      soft[r] = this.pointsOf(index[m]) * compliance * (mass > 0 ? 1 / mass : scale[m])
      response[0] = soft[r]
      response[1] = share * soft[r]
      compliant?.write(response, problem, step, index[m])
      soft[r] = response[0]
      for (let k = r + 1; k < first[m + 1]; k++) soft[k] = response[1]
      // rows through the axis of a joint have an effect by rounding alone, in which any impulse would pass as a solution
      if (scale[m] < BY_ROUNDING * soft[r]) scale[m] = soft[r]
    }
    if (compliant?.writeSpring === undefined) return
    springs.fill(0, spring.size * contactCount, spring.size * groupCount)
    for (let m = 0; m < contactCount; m++) compliant.writeSpring(springs, spring.size * m, problem, step, index[m])
  }

  /** `added` of an open contact is gap / h, so that `rhs` is psi / h + J v with psi the gap (Williams, Lu and Trinkle, 2014, eq. 28). */
  setTargets(problem: ImpulseProblem, step: ContactStep, correct: number): void {
    const { uStart, uFree, options, response, gap, exact } = this
    const { dt } = step
    const { contactCount, index, first, rhs, added, distance } = problem.system
    const { correctionSpeed, activeDistance, compliant, conditions, trapezoidal } = options
    const share = correct * problem.driftRate[0]
    for (let m = 0; m < contactCount; m++) {
      const i = index[m]
      const r = first[m]
      // trapezoidal step: the mean velocity may at most close the gap
      const closing = trapezoidal ? Math.max((2 * gap[i]) / dt + uStart[3 * i], 0) : gap[i] / dt
      const open = activeDistance === undefined ? closing : 0
      const depth = share * gap[i]
      const corrected = depth > -correctionSpeed ? depth : -correctionSpeed
      const below = exact[i] === 0 ? corrected : correct * open
      response[2] = gap[i] >= 0 ? open : below
      response[3] = 0
      response[4] = 0
      compliant?.write(response, problem, step, i)
      added[r] = response[2]
      if (conditions !== undefined) {
        conditions.writeContact(response, problem, step, i, correct)
        added[r] = response[0]
      }
      distance[r] = gap[i]
      for (let k = 1; k < first[m + 1] - r; k++) {
        added[r + k] = response[2 + k]
        distance[r + k] = 0
      }
      for (let k = 0; k < first[m + 1] - r; k++) rhs[r + k] = uFree[3 * i + k] + added[r + k]
    }
  }

  override storeSolution(system: VelocitySystem): void {
    super.storeSolution(system)
    const { contactCount, index, first } = system
    for (let m = 0; m < contactCount; m++) {
      if (first[m + 1] - first[m] === 3) this.last[index[m]] = this.slipOf(system, m)
    }
  }

  /** `lastSlip` of the island's contact m. It sticks if friction stops all slip, or, if regularised, slip is of the order of its tolerance. */
  private slipOf({ first, kind, scale, springs, w, p }: VelocitySystem, m: number): number {
    const r = first[m]
    if (!(p[r] > 0)) return lastSlip.unknown
    if (kind[m] === GroupKind.sliding) return lastSlip.slid
    let sticks: boolean
    if (this.options.compliant?.writeSpring !== undefined) {
      const x = (p[r + 1] - w[r + 1]) * scale[m]
      const y = (p[r + 2] - w[r + 2]) * scale[m]
      const most = REGULARISED * springs[spring.size * m + spring.slip]
      sticks = x * x + y * y <= most * most
    } else sticks = Math.abs(w[r + 1] - p[r + 1]) + Math.abs(w[r + 2] - p[r + 2]) <= SAME_IMPULSE * w[r]
    return sticks ? lastSlip.stuck : lastSlip.slid
  }

  isActive(i: number): boolean {
    return this.active[i] === 1
  }

  /** Writes the impulses of the last solve into the contacts. */
  report(contacts: ContactSet): void {
    const { count, impulse } = contacts
    for (let i = 0; i < count; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) impulse[k] = this.isActive(i) ? this.impulse[k] : 0
    }
  }

  protected pairOf(i: number): number {
    return this.pair[i]
  }

  protected featureOf(i: number): number {
    return this.feature[i]
  }

  protected override isUsed(i: number): boolean {
    return this.rows.size[i] > 0
  }

  protected override isKept(i: number): boolean {
    return this.rows.size[i] > 0 && this.isActive(i) && !Number.isNaN(this.guess[3 * i])
  }

  protected override modeOf(i: number): number {
    return this.mode[i] + 2 * this.last[i]
  }

  protected override setMode(i: number, kept: number): void {
    this.mode[i] = kept & 1
    this.last[i] = kept >> 1
  }

  private grow(capacity: number): void {
    if (capacity <= this.friction.length) return
    this.reserve(capacity)
    this.uStart = new Float64Array(3 * capacity)
    this.uFree = new Float64Array(3 * capacity)
    this.friction = new Float64Array(capacity)
    this.mode = new Int8Array(capacity)
    this.rowOf = new Int32Array(capacity)
    this.last = new Int8Array(capacity)
    this.all = new Uint8Array(capacity).fill(1)
    this.none = new Uint8Array(capacity)
  }
}
