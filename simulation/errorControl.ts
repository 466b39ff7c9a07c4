import { JointType, type Model, quaternionStart, type State } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { SimulationError, StepBudgetError } from './simulationError.ts'
import type { Snapshot, World } from './world.ts'
import { isWorld } from './worldOptions.ts'

/** Least length of a part of a whole step, about; it is not halved further [s]. */
const SHORTEST = 1e-7
/** Least scales of errors: a fraction of each robot's size, and an angle [rad]. */
const LEAST_LENGTH = 0.5
const LEAST_ANGLE = 0.5
/** Fraction of the permitted error below which the next step is twice as long; doubling a step doubles the error per second. */
const LENGTHEN = 0.4
/** Factor by which halving a step must reduce the error; smooth motion has four, and less is due to a discontinuity. */
const SMOOTH = 3
/** Fraction of the accuracy that one discontinuity, such as an impact, may use. */
const JUMP = 0.25

/** Counts of a run's steps. */
export interface StepCounts {
  taken: number
  /** Number of steps tried that were too long. */
  rejected: number
  /** Number of steps accepted in spite of too large an error, since they could not be halved further. */
  forced: number
  /** [s] */
  smallest: number
  largest: number
  /** Sum of the estimated errors of all steps, each relative to its scale. */
  estimate: number
}

/**
 * Chooses the steps of a world by step doubling: one step of h against two of h/2, from the same state. The run continues from the state
 * after the two steps; the difference estimates its error (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 1993, II.4;
 * for contact: Kurtz and Castro, CENIC, 2025). Steps are the world's whole step, halved repeatedly, so that one contact model is made for
 * each length, and controllers tick exactly at whole steps.
 *
 * The error of a coordinate is its difference, or h times that of its velocity, relative to its scale: the largest distance from its start
 * so far, at least half the robot's size or half a radian. A discontinuous velocity differs by the jump for any step length, so its effect
 * on the configuration over the step is used.
 *
 * A step is accepted if its error is at most `accuracy` h / 1 s: smooth motion then has an error of about the accuracy after a second, if
 * errors add up. If halving a step does not reduce the error as in smooth motion, there is a discontinuity in the step, which may use a
 * quarter of the accuracy, once.
 */
export class ErrorControl {
  readonly counts: StepCounts = { taken: 0, rejected: 0, forced: 0, smallest: Infinity, largest: 0, estimate: 0 }
  private readonly world: World
  private readonly accuracy: number
  private readonly most: number
  /** Number of halvings of the whole step for the next trial. */
  private halvings = 0
  /** Whether the second of two halves remains to be done. */
  private isHalfway = false
  private readonly start: Snapshot
  private readonly middle: Snapshot
  private readonly whole: State
  private readonly measure: ErrorMeasure

  /**
   * @param accuracy of the motion per second, relative to its scale
   * @param lengths  size of each of the world's robots [m]
   * @throws RangeError if the accuracy is not between 0 and 1
   */
  constructor(world: World, accuracy: number, lengths: readonly number[]) {
    is.check(world, isWorld, 'ErrorControl: world')
    is.check(lengths, is.numbers(world.robots.length), 'ErrorControl: lengths')
    if (!(accuracy > 0 && accuracy < 1))
      throw new RangeError(`the accuracy is ${accuracy}; expected a part of the motion's scale between 0 and 1, such as 1e-3`)
    this.world = world
    this.accuracy = accuracy
    this.most = Math.max(1, Math.floor(Math.log2(world.wholeStep / SHORTEST)))
    this.start = world.createSnapshot()
    this.middle = world.createSnapshot()
    const { q, v, t } = world.state
    this.whole = { q: q.slice(), v: v.slice(), t: t.slice() }
    this.measure = new ErrorMeasure(world, lengths)
  }

  /**
   * Sets the world's step to the longest with an error within the accuracy; the next `step` uses it. Runs the controllers, and otherwise
   * leaves the world's state unchanged.
   *
   * @throws as `World.step` if a controller fails
   */
  choose(): void {
    const { world, counts, measure, most } = this
    if (this.isHalfway) {
      this.isHalfway = false
      this.count()
      return
    }
    world.runControllers()
    measure.stretch(world.state)
    world.save(this.start)
    // two halves of a step begin where a step of their sum may begin
    let halvings = this.halvings
    while (!Number.isInteger(world.stepCount * 2 ** halvings)) halvings++
    let before = Infinity
    let wasTried = this.tried(halvings)
    for (;;) {
      const h = world.wholeStep * 0.5 ** halvings
      const error = wasTried ? this.errorOfHalves(halvings, h) : Infinity
      const allowed = this.accuracy * h
      const jumped = error > before / SMOOTH && error <= JUMP * this.accuracy
      const isLast = halvings + 1 >= most
      if (error <= allowed || jumped || isLast) {
        if (error > allowed && !jumped) counts.forced++
        counts.estimate += Number.isFinite(error) ? error : 0
        this.halvings = error <= LENGTHEN * allowed ? Math.max(0, halvings - 1) : halvings
        break
      }
      counts.rejected++
      before = error
      halvings++
      // the first half of a step that was too long is tried next, if it was possible
      if (this.middle.stepCount > this.start.stepCount) {
        this.whole.q.set(this.middle.q)
        this.whole.v.set(this.middle.v)
        wasTried = true
      } else {
        world.rewind(this.start)
        wasTried = this.tried(halvings)
      }
    }
    world.rewind(this.start)
    world.subdivide(halvings + 1)
    this.isHalfway = true
    this.count()
  }

  private count(): void {
    const { counts, world } = this
    counts.taken++
    counts.smallest = Math.min(counts.smallest, world.dt)
    counts.largest = Math.max(counts.largest, world.dt)
  }

  /** Computes one step from the start into `whole`. @returns whether it was possible */
  private tried(halvings: number): boolean {
    const { world, whole } = this
    world.subdivide(halvings)
    if (!stepped(world)) return false
    whole.q.set(world.state.q)
    whole.v.set(world.state.v)
    return true
  }

  /** Computes two steps of half the length from the start. @returns their distance from `whole`; Infinity if they were not possible */
  private errorOfHalves(halvings: number, h: number): number {
    const { world, middle, start } = this
    middle.stepCount = start.stepCount
    world.rewind(start)
    world.subdivide(halvings + 1)
    if (!stepped(world)) return Infinity
    world.save(middle)
    if (!stepped(world)) return Infinity
    return this.measure.between(this.whole, world.state, h)
  }
}

/** Tries a step, whose failure does not end the run. @returns whether it succeeded */
function stepped(world: World): boolean {
  try {
    world.step()
    return true
  } catch (error) {
    // a shorter step takes no less work
    if (error instanceof SimulationError && !(error instanceof StepBudgetError)) return false
    throw error
  }
}

/** Differences of states relative to their scales. */
class ErrorMeasure {
  /** nq: per coordinate, its group, which has one scale; nv likewise. */
  private readonly groupOfQ: Int32Array
  private readonly groupOfV: Int32Array
  /** Per group. */
  private readonly scale: Float64Array
  /** nq: 2 for entries of quaternions, which change by half the angle; 1 for all others. */
  private readonly factor: Float64Array
  private readonly start: Float64Array

  constructor({ model, robots, state, robot }: World, lengths: readonly number[]) {
    const scales: number[] = []
    this.groupOfQ = new Int32Array(model.nq)
    this.groupOfV = new Int32Array(model.nv)
    this.factor = new Float64Array(model.nq).fill(1)
    this.start = state.q.slice()
    const group = (least: number) => scales.push(least) - 1
    const lengthOf = (q: number) => {
      const owner = robots.findLastIndex((member) => member.start.q <= q)
      return LEAST_LENGTH * (lengths[owner] > 0 ? lengths[owner] : 1)
    }
    for (let body = 1; body < robot.model.nb; body++) this.addBody(model, body, group, lengthOf)
    this.scale = Float64Array.from(scales)
  }

  private addBody(model: Model, body: number, group: (least: number) => number, lengthOf: (q: number) => number): void {
    const { groupOfQ, groupOfV, factor } = this
    const [q, v] = [model.qStart[body], model.vStart[body]]
    const nq = model.qStart[body + 1] - q
    if (nq === 0) return
    const type = model.jointType[body]
    if (type === JointType.revolute || type === JointType.prismatic) {
      groupOfQ[q] = groupOfV[v] = group(type === JointType.revolute ? LEAST_ANGLE : lengthOf(q))
      return
    }
    const turn = group(LEAST_ANGLE)
    const slide = type === JointType.spherical ? turn : group(lengthOf(q))
    const quaternion = quaternionStart(model, body)
    if (quaternion < 0) {
      groupOfQ.set([slide, slide, turn], q) // planar: x, y, angle
      groupOfV.set([slide, slide, turn], v)
      return
    }
    groupOfQ.fill(slide, q, quaternion).fill(turn, quaternion, quaternion + 4)
    factor.fill(2, quaternion, quaternion + 4)
    if (type !== JointType.mocap) groupOfV.fill(turn, v, v + 3).fill(slide, v + 3, model.vStart[body + 1]) // [omega; v]
  }

  /** Raises the scales to the largest distance from the start. */
  stretch({ q }: State): void {
    const { scale, start, factor, groupOfQ } = this
    for (let i = 0; i < q.length; i++) {
      const distance = factor[i] * Math.abs(q[i] - start[i])
      if (distance > scale[groupOfQ[i]]) scale[groupOfQ[i]] = distance
    }
  }

  between(a: State, b: State, h: number): number {
    const { scale, factor, groupOfQ, groupOfV } = this
    let most = 0
    for (let i = 0; i < a.q.length; i++) most = Math.max(most, (factor[i] * Math.abs(a.q[i] - b.q[i])) / scale[groupOfQ[i]])
    for (let i = 0; i < a.v.length; i++) most = Math.max(most, (h * Math.abs(a.v[i] - b.v[i])) / scale[groupOfV[i]])
    return most
  }
}
