import type { LoopClosure, SolverEvents } from '../../contact/index.ts'
import { type Data, rotationOfQuaternion, type State } from '../../dynamics/index.ts'
import type { Robot } from '../../robots/index.ts'
import { SimulationError } from '../simulationError.ts'
import { gapOf, isSwitched, placedNow, startsOn, type WorldLoop } from './loops.ts'

/** Numbers of a loop: whether it is asked for, its state, and its frames on A and B, 9 and 3 each. */
const NUMBERS = 26
const [OFF, ON, LET_GO] = [0, 1, 2]
/** Part of a second by which a time of switching may be missed by rounding. */
const ROUNDING = 1e-9

interface Switched {
  readonly stated: WorldLoop
  readonly loop: LoopClosure
  /** Its number among the world's loops. */
  readonly index: number
  readonly numbers: Float64Array
}

/**
 * Loops of a world that are on at times only: between `from` and `until`, while they are asked for (`active`, then controllers), and until a force
 * on them of more than `maxForce`, after which they stay off until they are asked for anew. A weld that states no relative pose holds the pose of
 * the moment in which it is switched on; points and axes that are stated have to meet then, but for loops with softness, which close.
 */
export class LoopSwitches {
  /** The world's loops, with their switches. */
  readonly loops: readonly LoopClosure[]
  /** All that they remember. */
  readonly numbers: Float64Array
  readonly names: readonly string[]
  private readonly robot: Robot
  private readonly robots: readonly string[]
  private readonly list: readonly Switched[]
  private readonly force = new Float64Array(1)

  /** @param robots names of those that make up `robot` @param loops closed at the start (`closeLoops`) @param stated in the same order */
  constructor(robot: Robot, robots: readonly string[], loops: readonly LoopClosure[], stated: readonly WorldLoop[]) {
    this.robot = robot
    this.robots = robots
    const own = loops.flatMap((_, l) => (isSwitched(stated[l]) ? [l] : []))
    this.numbers = new Float64Array(NUMBERS * own.length)
    this.list = own.map((index, i) => {
      const numbers = this.numbers.subarray(NUMBERS * i, NUMBERS * (i + 1))
      const frame = (from: number) => ({ R: numbers.subarray(from, from + 9), p: numbers.subarray(from + 9, from + 12) })
      const [frameA, frameB] = [frame(2), frame(14)]
      const loop = { ...loops[index], switch: { state: numbers.subarray(1, 2), frameA, frameB } }
      numbers[0] = Number(stated[index].active ?? true)
      numbers[1] = startsOn(stated[index]) ? ON : OFF
      place(loop, loop)
      return { stated: stated[index], loop, index, numbers }
    })
    this.names = this.list.map(({ loop }) => loop.name)
    const switched = new Map(this.list.map(({ index, loop }) => [index, loop]))
    this.loops = loops.map((loop, l) => switched.get(l) ?? loop)
  }

  /** Whether a loop is on; 0 or 1. */
  read(i: number): number {
    return Number(this.list[i].numbers[1] === ON)
  }

  /** Asks for a loop, or for none, from the next step on. */
  ask(i: number, isOn: boolean): void {
    this.list[i].numbers[0] = Number(isOn)
  }

  /**
   * Switches at the start of a step.
   *
   * @returns whether a loop was switched on that may begin open
   * @throws SimulationError for a rigid loop that is switched on where its ends are apart
   */
  begin(state: State, data: Data, stepCount: number): boolean {
    let mayBeOpen = false
    const t = state.t[0]
    for (let i = 0; i < this.list.length; i++) {
      const { stated, numbers, loop } = this.list[i]
      const { from = 0, until = Infinity } = stated
      if (numbers[0] === 0 || t < from - ROUNDING || t >= until - ROUNDING) numbers[1] = OFF
      else if (numbers[1] === OFF) {
        this.attach(this.list[i], data, stepCount, t)
        if (loop.softness) mayBeOpen = true
      }
    }
    return mayBeOpen
  }

  private attach({ stated, loop, numbers }: Switched, data: Data, stepCount: number, t: number): void {
    numbers[1] = ON
    if (loop.softness) return
    const now = { ...loop, switch: undefined, ...placedNow(this.robot, this.robots, stated, data) }
    const gap = gapOf(now, this.robot.model, data, '')
    if (gap !== '')
      throw new SimulationError(
        `loop "${loop.name}", switched on at t = ${Number(t.toPrecision(6))} s, ${gap}. Switch it on where its ends meet, or make it a weld without points`,
        stepCount,
        t,
        '',
      )
    place(loop, now)
  }

  /** Lets go what was pulled too hard in the last step. @param forces `ContactStep.loopForces` */
  end(forces: Float64Array, { t }: State, events: SolverEvents): void {
    const { nb } = this.robot.model
    for (let i = 0; i < this.list.length; i++) {
      const { stated, index, numbers, loop } = this.list[i]
      if (numbers[1] !== ON || stated.maxForce === undefined) continue
      const at = 6 * (nb + index) + 3
      this.force[0] = Math.sqrt(forces[at] * forces[at] + forces[at + 1] * forces[at + 1] + forces[at + 2] * forces[at + 2])
      if (this.force[0] <= stated.maxForce) continue
      numbers[1] = LET_GO
      events.letGo++
      if (events.firstLetGo !== '') continue
      const shown = (x: number) => Number(x.toPrecision(4))
      events.firstLetGo = `loop "${loop.name}" let go at t = ${shown(t[0])} s, at ${shown(this.force[0])} N of the ${stated.maxForce} N that it holds`
    }
  }
}

/** Sets the frames of a switched loop to those of a closure. */
function place(loop: LoopClosure, { pointA, pointB, orientationA, orientationB }: LoopClosure): void {
  const { frameA, frameB } = loop.switch as NonNullable<LoopClosure['switch']>
  frameA.p.set(pointA)
  frameB.p.set(pointB)
  rotationOfQuaternion(frameA.R, Float64Array.from(orientationA), 0)
  rotationOfQuaternion(frameB.R, Float64Array.from(orientationB), 0)
}
