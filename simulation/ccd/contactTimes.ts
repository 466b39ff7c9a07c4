import { type ContactDetector, type ContactSet, lookAheadSlack } from '../../contact/index.ts'
import { createData, type Data, kinematics, velocities } from '../../dynamics/index.ts'
import * as is from '../../dynamics/math/arguments.ts'
import type { Snapshot, World } from '../world.ts'
import { isWorld } from '../worldOptions.ts'

/** Greatest overlap of shapes at their time of contact [m]; above zero, since models with springs detect only overlaps. */
const MET = 1e-7
/** Most trials for one time of contact, and most times of contact in one whole step. */
const MOST_TRIALS = 30
const MOST_CUTS = 8
/** Speed of approach below which contacts are ignored without gravity [m/s]. */
const LEAST_APPROACH = 1e-8

/**
 * Ends steps at times of contact: a step in which separated shapes would touch ends there, the contact model resolves the collision at the
 * start of the next one, which continues with the rest of the whole step. Baraff, Non-penetrating rigid body simulation (1993), 2.2.1 and
 * 3.1; Mirtich (1996). Independent of the contact model: its own steps are tried with decreasing length, and the zeros of the gaps at their
 * ends are found by the secant method within a bracket (Illinois).
 *
 * Pairs nearer than `lookAheadSlack` at the start already touch, and never shorten a step. Other pairs do if they approach faster than
 * gravity accelerates in a whole step: slower ones are near rest, and would shorten steps without end. Up to the time of contact a model
 * detects only contacts within the slack, and so gives no early impulse; nor does it detect other approaching points of shapes that touch.
 */
export class ContactTimes {
  /** Number of shortened steps so far. */
  cuts = 0
  private readonly world: World
  private readonly detector: ContactDetector
  private readonly contacts: ContactSet
  private readonly data: Data
  private readonly memory: Float64Array
  private readonly horizon: Float64Array
  private readonly start: Snapshot
  /** Per pair: its gap at the start [m]; NaN if it touches there or is far. */
  private readonly gap: Float64Array
  private readonly leastApproach: number
  /** The present whole step: its number, and the times of contact in it. */
  private whole = -1
  private cutsOfWhole = 0

  constructor(world: World) {
    is.check(world, isWorld, 'ContactTimes: world')
    const { model, wholeStep } = world
    this.world = world
    this.detector = world.createDetector('manifold')
    this.contacts = this.detector.createContacts()
    this.memory = new Float64Array(this.detector.memorySize)
    this.data = createData(model)
    this.horizon = Float64Array.of(wholeStep)
    this.start = world.createSnapshot()
    this.gap = new Float64Array(world.pairs.count).fill(Number.NaN)
    const gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    this.leastApproach = Math.max(LEAST_APPROACH, gravity * wholeStep)
  }

  /**
   * Sets the world's step to the rest of the whole one, or up to an earlier time of contact; the next `step` uses it. Runs the controllers,
   * and otherwise leaves the world's state unchanged.
   *
   * @throws as `World.step`
   */
  choose(): void {
    const { world } = this
    const { stepCount } = world
    const number = Math.floor(stepCount)
    if (number !== this.whole) this.cutsOfWhole = 0
    this.whole = number
    const rest = number + 1 - stepCount
    world.runControllers()
    world.shorten(rest, true)
    if (this.cutsOfWhole === MOST_CUTS || !this.findApart()) return
    world.save(this.start)
    const part = this.timeOfContact(rest)
    world.rewind(this.start)
    if (part === rest) {
      world.shorten(rest, true)
      return
    }
    world.shorten(part, false)
    this.cuts++
    this.cutsOfWhole++
  }

  /** Sets `gap`. @returns whether some pair may touch within the step */
  private findApart(): boolean {
    const { gap, contacts } = this
    gap.fill(Number.NaN)
    this.detect()
    for (let i = 0; i < contacts.count; i++) gap[contacts.pair[i]] = Infinity
    for (let i = 0; i < contacts.count; i++) gap[contacts.pair[i]] = Math.min(gap[contacts.pair[i]], contacts.gap[i])
    let some = false
    for (let i = 0; i < contacts.count; i++) {
      const pair = contacts.pair[i]
      if (gap[pair] > lookAheadSlack) some = true
      else gap[pair] = Number.NaN
    }
    return some
  }

  /** The fraction of the whole step until shapes touch; `rest` if they do not. */
  private timeOfContact(rest: number): number {
    let [a, b] = [0, rest]
    let fa = this.least() + MET / 2
    let fb = this.gapAfter(rest) + MET / 2
    if (!(fb < -MET)) return rest
    for (let trial = 0; trial < MOST_TRIALS; trial++) {
      // a motion ended by `ccd` has the same depth for any step length, so bisection is mixed in
      const s = trial % 3 === 2 ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa)
      if (!(s > a && s < b)) break
      const f = this.gapAfter(s) + MET / 2
      if (2 * Math.abs(f) < MET) return s
      if (f > 0) {
        a = s
        fa = f
        fb /= 2
      } else {
        b = s
        fb = f
        fa /= 2
      }
    }
    return a > 0 ? a : rest
  }

  private least(): number {
    let least = Infinity
    for (const gap of this.gap) if (gap < least) least = gap
    return least
  }

  /**
   * The least gap at the end of the fraction `part` of the whole step, over pairs separated at its start; overlapping pairs count only if
   * they approached fast enough.
   */
  private gapAfter(part: number): number {
    const { world, contacts, gap, leastApproach } = this
    world.rewind(this.start)
    world.shorten(part, false)
    world.step()
    this.detect()
    const slowest = leastApproach * part * world.wholeStep
    let least = this.least()
    for (let i = 0; i < contacts.count; i++) {
      const before = gap[contacts.pair[i]]
      const now = contacts.gap[i]
      if (before > 0 && now < least && (now >= 0 || before - now > slowest)) least = now
    }
    return least
  }

  private detect(): void {
    const { world, data, memory } = this
    kinematics(world.model, world.state, data)
    velocities(world.model, world.state, data)
    memory.fill(0)
    this.detector.detect(data, this.horizon, this.contacts, memory)
  }
}
