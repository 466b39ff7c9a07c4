import { addWork, createState, createStepData, type Model, type RestFrame, type State } from '../../dynamics/index.ts'
import type { ConstrainedContacts } from './constrainedContacts.ts'
import { FeatureContactSet, type FeatureStep, STANDS_ALONE } from './features/featureContactSet.ts'

/**
 * Deficit against the best separating contact of a pair, relative to the violation, up to which contacts remain candidates. One farther
 * behind separates the pair only by rotations within the first-order error, and no longer at the next evaluation.
 */
const WINDOW = 0.01

/** Multiple of the gap tolerance beyond which a penetrating contact with an impulse does not touch, even if another disjunct holds. */
const DEEP = 10

/**
 * Error allowed to contacts without features on half-spaces, meshes and height fields [m]: a wheel that rolls on a plane by v h in a step
 * is off by (v h)² / 2 R to first order, which later steps correct as in `stewart-trinkle`.
 */
const ROUND = 1e-4

/** The pairs and features of the contacts that had impulses in one evaluation. */
class ImpulseList {
  /** -1: there was no evaluation. */
  count = -1
  private entries = new Int32Array(0)

  begin(capacity: number): void {
    if (2 * capacity > this.entries.length) this.entries = new Int32Array(2 * capacity)
    this.count = 0
  }

  add(pair: number, feature: number): void {
    this.entries[2 * this.count] = pair
    this.entries[2 * this.count++ + 1] = feature
  }

  has(pair: number, feature: number): boolean {
    const { entries, count } = this
    for (let k = 0; k < count; k++) if (entries[2 * k] === pair && entries[2 * k + 1] === feature) return true
    return false
  }

  equals({ entries: others, count }: ImpulseList): boolean {
    if (this.count !== count) return false
    for (let k = 0; k < 2 * count; k++) if (this.entries[k] !== others[k]) return false
    return true
  }
}

/**
 * Evaluates the end of a step: moves the state there, detects contacts, and tests whether the true gaps hold and contacts with impulses
 * touch.
 */
export class EndOfStep {
  readonly state: State
  /** The largest error of a gap [m]. */
  readonly miss = new Float64Array(1)
  /** Per contact of the last evaluation: its target gap [m]. */
  target = new Float64Array(0)
  /** Per contact of the last evaluation: gap below which it is no candidate to separate its pair [m]. */
  floor = new Float64Array(0)
  /** Per contact of the set solved last: its gap less its target, NaN if it is not detected at the end [m]. */
  gapOfSolved = new Float64Array(0)
  /** 2: separation of the current pair (`FeatureContactSet.separationOfPair`) [m]. */
  private readonly separation = new Float64Array(2)
  /** Contacts with impulses in the last three evaluations, the latest first. */
  private readonly impulses = [new ImpulseList(), new ImpulseList(), new ImpulseList()]
  /** Per body: its part, and the part that is evaluated; see `FeatureContactSet.admits`. */
  partOf: Int32Array | undefined
  part = 0
  /** [m] */
  readonly tolerance: number
  private readonly touches: boolean
  private readonly steps: FeatureStep[] = []
  /** Index in `steps` of the last evaluation. */
  private latest = 0
  private readonly model: Model

  /**
   * @param tolerance of true gaps against their targets, below for overlaps, above for contacts with impulses; and largest tangential
   * offset of these from the other body's feature [m]
   * @param touches   whether a contact with an impulse must touch
   */
  constructor(model: Model, tolerance: number, touches: boolean) {
    this.model = model
    this.state = createState(model)
    this.tolerance = tolerance
    this.touches = touches
  }

  /** The step, with the contacts and kinematics of the last evaluation. */
  get step(): FeatureStep {
    return this.steps[this.latest]
  }

  /**
   * Moves q and v by the fraction `part` of the step with v, and detects contacts there.
   *
   * @param solved an earlier evaluated step whose contacts must be kept
   */
  evaluate(step: FeatureStep, frame: RestFrame, v: Float64Array, part: number, solved: FeatureStep | undefined): void {
    const { state, model } = this
    if (this.steps.length === 0) {
      for (let k = 0; k < 2; k++) this.steps.push({ ...step, data: createStepData(model), contacts: new FeatureContactSet() })
    }
    this.latest = solved === this.steps[0] ? 1 : 0
    state.q.set(step.state.q)
    state.v.set(step.state.v)
    state.t[0] = step.state.t[0]
    // a product passed as argument would be boxed
    if (part === 1) frame.finish(state.q, state.v, v, step.dt)
    else frame.finish(state.q, state.v, v, part * step.dt)
    const end = this.steps[this.latest]
    end.contacts.partOf = this.partOf
    end.contacts.part = this.part
    step.detectAt(state, end.data, end.contacts)
  }

  /** Leaves the last evaluation, of which nothing was changed, to the next step, unless it was of a part of the world. */
  hand(step: FeatureStep): void {
    const { data, contacts } = this.step
    if (this.partOf === undefined) step.endAt(data, contacts)
  }

  /**
   * Whether the configuration last evaluated satisfies the gap constraints and every contact with an impulse in `solved` touches there.
   * Sets `miss`, `target` and `floor`.
   */
  isValid(solved: FeatureContactSet | undefined, choice: ConstrainedContacts): boolean {
    const { contacts } = this.step
    const { count, pair, ofCurved } = contacts
    const { tolerance, miss, separation } = this
    if (contacts.capacity > this.target.length) {
      this.target = new Float64Array(contacts.capacity)
      this.floor = new Float64Array(contacts.capacity)
    }
    const { target, floor } = this
    miss[0] = 0
    for (let start = 0, end = 0; start < count; start = end) {
      const wanted = choice.targets[choice.targetOf(pair[start])]
      end = contacts.separationOfPair(start, separation)
      target.fill(wanted, start, end)
      let value = separation[0]
      const least = separation[1]
      let below = value > Number.NEGATIVE_INFINITY ? wanted - value : 0
      if (least <= value) {
        value = least
        below = wanted - value > (ofCurved[start] === 1 ? 0 : ROUND) ? wanted - value : 0
      }
      if (below > miss[0]) miss[0] = below
      const window = WINDOW * Math.max(below, tolerance)
      for (let i = start; i < end; i++) floor[i] = value - window
    }
    if (solved === undefined) return miss[0] <= tolerance
    const areTouching = this.judgeImpulses(solved)
    return (areTouching || !this.touches) && miss[0] <= tolerance
  }

  /** Whether contacts with impulses touch at the last evaluated configuration; sets `gapOfSolved`. */
  private judgeImpulses(solved: FeatureContactSet): boolean {
    const { contacts } = this.step
    const { count, pair, gap } = contacts
    const { tolerance, miss, target, impulses } = this
    if (solved.capacity > this.gapOfSolved.length) this.gapOfSolved = new Float64Array(solved.capacity)
    const oldest = impulses[2]
    impulses[2] = impulses[1]
    impulses[1] = impulses[0]
    impulses[0] = oldest
    oldest.begin(solved.capacity)
    let areTouching = true
    let at = 0
    for (let i = 0; i < solved.count; i++) {
      // both lists have the same order
      let found = -1
      for (let n = 0; n < count && found < 0; n++) {
        const j = at + n < count ? at + n : at + n - count
        if (pair[j] === solved.pair[i] && contacts.feature[j] === solved.feature[i]) found = j
      }
      if (found < 0) addWork(count, 1, 1)
      // a smooth surface has no features to match: the pair's least gap is its distance
      const nearest = solved.ofCurved[i] === 1 ? this.leastOf(solved.pair[i]) : found
      if (found < 0) found = nearest
      this.gapOfSolved[i] = found < 0 ? Number.NaN : gap[found] - target[found]
      if (found >= 0) at = found
      if (!(solved.impulse[3 * i] > 0) || (solved.applicability[i] === STANDS_ALONE && solved.ofCurved[i] === 0)) continue
      oldest.add(solved.pair[i], solved.feature[i])
      // a rebounding curved shape may be beyond the margin at the end
      if (found < 0 && solved.ofCurved[i] === 1 && solved.restitution[i] > 0) continue
      if (found < 0) {
        areTouching = false
        this.lowerFloor(solved.pair[i], Number.POSITIVE_INFINITY)
        continue
      }
      // a rebounding contact has touched within the step, and is open again at its end
      const left = gap[nearest] - target[nearest]
      const open = solved.restitution[i] > 0 && left > 0 ? 0 : left
      const beside = contacts.aside[found]
      if (this.touches && open > miss[0]) miss[0] = open
      if (open <= tolerance && open >= -DEEP * tolerance && beside <= tolerance) continue
      areTouching = false
      this.lowerFloor(solved.pair[i], Math.max(open, beside))
    }
    return areTouching
  }

  /** Index of the contact of a pair with the least gap, -1 if there is none. */
  private leastOf(shapes: number): number {
    const { count, pair, gap } = this.step.contacts
    let least = -1
    addWork(count, 1, 1)
    for (let i = 0; i < count; i++) if (pair[i] === shapes && (least < 0 || gap[i] < gap[least])) least = i
    return least
  }

  /** Clears the history before the first evaluation of a step. */
  begin(): void {
    this.impulses[0].count = 0
    this.impulses[1].count = -1
    this.impulses[2].count = -1
  }

  /** Whether the contacts with impulses alternate: equal to those of two evaluations ago, but not of the last. */
  alternates(): boolean {
    const { impulses } = this
    return !this.isSettled() && impulses[0].equals(impulses[2])
  }

  /** Whether the contact of this pair and feature had an impulse in one of the last two evaluations. */
  hadImpulse(pair: number, feature: number): boolean {
    return this.impulses[0].has(pair, feature) || this.impulses[1].has(pair, feature)
  }

  /** Whether the same contacts had impulses in the last two evaluations. */
  isSettled(): boolean {
    return this.impulses[0].equals(this.impulses[1])
  }

  /** Lowers the floor of a pair by the error of its contacts. */
  private lowerFloor(shapes: number, by: number): void {
    const { separation, floor } = this
    const { contacts } = this.step
    const { count, pair } = contacts
    let start = 0
    addWork(count, 2, 1)
    while (start < count && pair[start] !== shapes) start++
    const end = contacts.separationOfPair(start, separation)
    for (let i = start; i < end; i++) floor[i] = Math.min(floor[i], separation[0] - WINDOW * by)
  }
}
