import { JointType, type Model, quaternionStart, type State } from '../dynamics/index.ts'
import { SimulationError, StepBudgetError } from './simulationError.ts'
import type { Snapshot, World } from './world.ts'

/** A whole step is halved until its part is about this short, and no further [s]. */
const SHORTEST = 1e-7
/** Least distances that errors are taken of: a part of each robot's size, and an angle [rad]. */
const LEAST_LENGTH = 0.5
const LEAST_ANGLE = 0.5
/** The next step is twice as long where the error is below this part of what is allowed; doubling it doubles the error a second. */
const LENGTHEN = 0.4
/** Halving a step divides the error of smooth motion by four; of one that falls by less than this a jump is the cause. */
const SMOOTH = 3
/** Part of the accuracy that one jump, such as an impact, may cost. */
const JUMP = 0.25

/** Counts of a run's steps. */
export interface StepCounts {
  taken: number
  /** Steps that were tried and were too long. */
  rejected: number
  /** Steps that could not be halved any more, and were taken although their error was too large. */
  forced: number
  /** [s] */
  smallest: number
  largest: number
  /** Sum of the estimated errors of all steps, each over its scale. */
  estimate: number
}

/**
 * Chooses the steps of a world by step doubling: one step of h against two of h/2, from the same state. The state of the two is what the
 * run goes on with; their distance estimates its error (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 1993,
 * II.4; for contact: Kurtz and Castro, CENIC, 2025). Steps are the world's whole step, halved, so that a contact model is made once
 * for each, and controllers have their turns at whole steps exactly.
 *
 * The error of a coordinate is its difference, or h times that of its velocity, over its scale: the largest distance from its start so
 * far, at least half the robot's size or half a radian. A velocity that jumps differs by the jump however short the step
 * that does not see it; what that does to the configuration over the step is what counts.
 *
 * A step is accepted if its error is at most `accuracy` h / 1 s: then smooth motion is off by about the accuracy after a second, were
 * errors to add up. Where halving the step does not lower the error as smooth motion would have it, something jumped within the
 * step, and it may be a quarter of the accuracy, once.
 */
export class ErrorControl {
  readonly counts: StepCounts = { taken: 0, rejected: 0, forced: 0, smallest: Infinity, largest: 0, estimate: 0 }
  private readonly world: World
  private readonly accuracy: number
  private readonly most: number
  /** How often the whole step is halved for the next trial. */
  private halvings = 0
  /** Whether the second of two halves is still to be taken. */
  private isHalfway = false
  private readonly start: Snapshot
  private readonly middle: Snapshot
  private readonly whole: State
  private readonly measure: ErrorMeasure

  /**
   * @param accuracy of the motion, as a part of its scale, in a second
   * @param lengths  size of each of the world's robots [m]
   * @throws RangeError if the accuracy is not between 0 and 1
   */
  constructor(world: World, accuracy: number, lengths: readonly number[]) {
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
   * Sets the world's step to the longest whose error is within the accuracy; the next `step` takes it. Leaves the world's state as it is,
   * but for its controllers, which have their turn.
   *
   * @throws what `World.step` throws where a controller fails
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
    // two halves of a step begin where a step of their sum may
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
      // the first half of a step that was too long is the next to try, if it could be taken
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

  /** Takes one step from the start into `whole`. @returns whether it could be taken */
  private tried(halvings: number): boolean {
    const { world, whole } = this
    world.subdivide(halvings)
    if (!stepped(world)) return false
    whole.q.set(world.state.q)
    whole.v.set(world.state.v)
    return true
  }

  /** Takes two steps of half the length from the start. @returns their distance from `whole`; Infinity if they could not be taken */
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

/** Takes a step whose failure is no failure of the run. */
function stepped(world: World): boolean {
  try {
    world.step()
    return true
  } catch (error) {
    // a shorter step is no less work
    if (error instanceof SimulationError && !(error instanceof StepBudgetError)) return false
    throw error
  }
}

/** Differences of states over their scales. */
class ErrorMeasure {
  /** nq: the number of each coordinate's group, of one scale; nv likewise. */
  private readonly groupOfQ: Int32Array
  private readonly groupOfV: Int32Array
  /** Per group. */
  private readonly scale: Float64Array
  /** nq: 2 for the entries of a quaternion, which change by half the angle, 1 for all others. */
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
    groupOfV.fill(turn, v, v + 3).fill(slide, v + 3, model.vStart[body + 1]) // [omega; v]
  }

  /** Lets the scales grow to the largest distance from the start. */
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
