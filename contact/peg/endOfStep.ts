import { createData, createState, type Model, type RestFrame, type State } from '../../dynamics/index.ts'
import { CLASSICALLY_APPLICABLE, type ConstrainedContacts, STANDS_ALONE } from './constrainedContacts.ts'
import { FeatureContactSet, type FeatureStep } from './featureContactSet.ts'

/**
 * How far behind the candidate that parts a pair best others may lie and still be candidates, as a share of what was missed. What lies farther back
 * seems to part the pair only by turning the bodies as far as the first order reaches, and when looked at again does not.
 */
const WINDOW = 0.01

/** Times the tolerance of gaps: deeper than this, what pushes is not where the bodies touch, though another way of theirs to be apart may hold. */
const DEEP = 10

/**
 * What contacts that stand alone may miss [m]: a wheel that rolls on a plane by a step of vh is off by (vh)² / 2 R to first order, which later
 * steps take back as `stewart-trinkle` does.
 */
const ROUND = 1e-4

/**
 * Looks at where a step would end: moves the state there, reads the geometry anew, and tells whether the true gaps hold and whether what has
 * pushed does touch there.
 */
export class EndOfStep {
  readonly state: State
  /** The largest amount by which a gap missed [m]. */
  readonly miss = new Float64Array(1)
  /** Per contact of the last look: the gap that it is to end with [m]. */
  target = new Float64Array(0)
  /** The same: the gap below which it is not looked at as what might part its pair, for there is something nearer [m]. */
  floor = new Float64Array(0)
  /** Per contact of the set last solved for: how far it is from what it is to end with, NaN where it is not listed there [m]. */
  gapOfSolved = new Float64Array(0)
  /** What pushed, as numbers of pair and feature, in the last three looks. */
  private pushed = new Int32Array(0)
  private pushedBefore = new Int32Array(0)
  private pushedEarlier = new Int32Array(0)
  private pushedCount = 0
  private pushedCountBefore = -1
  private pushedCountEarlier = -1
  private readonly tolerance: number
  private readonly touches: boolean
  private readonly steps: FeatureStep[] = []
  /** Which of `steps` the last look filled. */
  private latest = 0
  private readonly model: Model

  /**
   * @param tolerance how far true gaps may miss what they are to be, below it where bodies overlap, above it where they push, and how far
   *                  from the other body's feature a contact may push [m]
   * @param touches   whether a contact with an impulse has to touch
   */
  constructor(model: Model, tolerance: number, touches: boolean) {
    this.model = model
    this.state = createState(model)
    this.tolerance = tolerance
    this.touches = touches
  }

  /** The step, with the contacts and kinematics of the last look. */
  get step(): FeatureStep {
    return this.steps[this.latest]
  }

  /**
   * Takes q and v to where they would be after the fraction `part` of the step with v, and detects there.
   *
   * @param solved what was seen before and has to outlive it
   */
  look(step: FeatureStep, frame: RestFrame, v: Float64Array, part: number, solved: FeatureStep | undefined): void {
    const { state, model } = this
    if (this.steps.length === 0) {
      // two, for the contacts of the last pass have to outlive the look at its end
      for (let k = 0; k < 2; k++) this.steps.push({ ...step, data: createData(model), contacts: new FeatureContactSet() })
    }
    this.latest = solved === this.steps[0] ? 1 : 0
    state.q.set(step.state.q)
    state.v.set(step.state.v)
    state.t[0] = step.state.t[0]
    // a product handed over would be boxed
    if (part === 1) frame.finish(state.q, state.v, v, step.dt)
    else frame.finish(state.q, state.v, v, part * step.dt)
    const there = this.steps[this.latest]
    step.detectAt(state, there.data, there.contacts)
  }

  /**
   * Whether what was seen last is a valid end of the step whose contacts pushed as `solved` says. Sets `miss` and `target`.
   */
  holds(solved: FeatureContactSet | undefined, choice: ConstrainedContacts): boolean {
    const { contacts } = this.step
    const { count, pair, gap, applicability } = contacts
    const { tolerance, miss } = this
    if (contacts.capacity > this.target.length) {
      this.target = new Float64Array(contacts.capacity)
      this.floor = new Float64Array(contacts.capacity)
    }
    const { target, floor } = this
    miss[0] = 0
    for (let start = 0, end = 0; start < count; start = end) {
      const wanted = choice.targets[choice.targetOf(pair[start])]
      let value = Number.NEGATIVE_INFINITY
      let least = Number.POSITIVE_INFINITY
      for (end = start; end < count && pair[end] === pair[start]; end++) {
        target[end] = wanted
        if (applicability[end] === STANDS_ALONE && gap[end] < least) least = gap[end]
        if (applicability[end] >= CLASSICALLY_APPLICABLE && gap[end] > value) value = gap[end]
      }
      let below = value > Number.NEGATIVE_INFINITY ? wanted - value : 0
      if (least <= value) {
        value = least
        below = wanted - value > ROUND ? wanted - value : 0
      }
      if (below > miss[0]) miss[0] = below
      const window = WINDOW * Math.max(below, tolerance)
      for (let i = start; i < end; i++) floor[i] = value - window
    }
    let areTouching = true
    let at = 0
    if (solved === undefined) return miss[0] <= tolerance
    this.beginPushed(solved.capacity)
    for (let i = 0; i < solved.count; i++) {
      // both lists have the same order
      let found = -1
      for (let n = 0; n < count && found < 0; n++) {
        const j = at + n < count ? at + n : at + n - count
        if (pair[j] === solved.pair[i] && contacts.feature[j] === solved.feature[i]) found = j
      }
      this.gapOfSolved[i] = found < 0 ? Number.NaN : gap[found] - target[found]
      if (found >= 0) at = found
      if (!(solved.impulse[3 * i] > 0) || solved.applicability[i] === STANDS_ALONE) continue
      this.pushed[2 * this.pushedCount] = solved.pair[i]
      this.pushed[2 * this.pushedCount++ + 1] = solved.feature[i]
      if (found < 0) {
        areTouching = false
        this.widen(solved.pair[i], Number.POSITIVE_INFINITY)
        continue
      }
      // what bounces has touched on the way, and is off again at the end
      const open = solved.restitution[i] > 0 && this.gapOfSolved[i] > 0 ? 0 : this.gapOfSolved[i]
      const beside = contacts.aside[found]
      if (this.touches && open > miss[0]) miss[0] = open
      if (open <= tolerance && open >= -DEEP * tolerance && beside <= tolerance) continue
      areTouching = false
      this.widen(solved.pair[i], Math.max(open, beside))
    }
    return (areTouching || !this.touches) && miss[0] <= tolerance
  }

  /** Before the first look of a step. */
  begin(): void {
    this.pushedCount = 0
    this.pushedCountBefore = -1
    this.pushedCountEarlier = -1
  }

  /** Whether what pushed in the last two looks took turns: the same as in the look before these, and different from each other. */
  alternates(): boolean {
    return !this.isSettled() && areEqual(this.pushed, this.pushedCount, this.pushedEarlier, this.pushedCountEarlier)
  }

  /** Whether a contact of these features pushed in one of the last two looks. */
  hasPushed(pair: number, feature: number): boolean {
    return (
      isListed(this.pushed, this.pushedCount, pair, feature) || isListed(this.pushedBefore, this.pushedCountBefore, pair, feature)
    )
  }

  /** Whether the same contacts pushed in the last two looks. */
  isSettled(): boolean {
    return areEqual(this.pushed, this.pushedCount, this.pushedBefore, this.pushedCountBefore)
  }

  private beginPushed(capacity: number): void {
    if (2 * capacity > this.pushed.length) {
      this.pushed = grown(this.pushed, 2 * capacity)
      this.pushedBefore = grown(this.pushedBefore, 2 * capacity)
      this.pushedEarlier = grown(this.pushedEarlier, 2 * capacity)
      this.gapOfSolved = new Float64Array(capacity)
    }
    const { pushedEarlier } = this
    this.pushedEarlier = this.pushedBefore
    this.pushedCountEarlier = this.pushedCountBefore
    this.pushedBefore = this.pushed
    this.pushedCountBefore = this.pushedCount
    this.pushed = pushedEarlier
    this.pushedCount = 0
  }

  /** Lowers the floor of a pair, whose contacts have missed by so much. */
  private widen(shapes: number, by: number): void {
    const { count, pair, gap, applicability } = this.step.contacts
    let value = Number.NEGATIVE_INFINITY
    for (let i = 0; i < count; i++) {
      if (pair[i] === shapes && applicability[i] >= CLASSICALLY_APPLICABLE && gap[i] > value) value = gap[i]
    }
    for (let i = 0; i < count; i++) if (pair[i] === shapes) this.floor[i] = Math.min(this.floor[i], value - WINDOW * by)
  }
}

function grown(list: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(capacity)
  longer.set(list)
  return longer
}

/** Whether two lists of pairs of numbers are the same; of a negative count there is none. */
function areEqual(a: Int32Array, countA: number, b: Int32Array, countB: number): boolean {
  if (countA !== countB) return false
  for (let k = 0; k < 2 * countA; k++) if (a[k] !== b[k]) return false
  return true
}

function isListed(list: Int32Array, count: number, pair: number, feature: number): boolean {
  for (let k = 0; k < count; k++) if (list[2 * k] === pair && list[2 * k + 1] === feature) return true
  return false
}
