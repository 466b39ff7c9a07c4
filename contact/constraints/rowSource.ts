import type { ContactStep } from '../contactModel.ts'
import { UNKNOWN_MODE } from '../solvers/index.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import type { VelocitySystem } from './velocitySystem.ts'
import type { WarmStart } from './warmStart.ts'

/** Index of a source in `IslandRows.start`, and the order of the rows. */
export const sources = { contact: 0, joint: 1, loop: 2, torsionRolling: 3 } as const

/**
 * Constraints of one kind: adds those of an island to its rows, one group each, in the layout of `IslandRows`; sets their limits,
 * compliance and targets; and stores their solution as warm start of the next step.
 */
export abstract class RowSource {
  /** Number of its constraints in this step. */
  count = 0
  /** 3 a constraint: w = p - u / scale of the last solve, first guess of the next, NaN if unknown; and its impulse [N s, N m s]. */
  guess = new Float64Array(0)
  impulse = new Float64Array(0)
  private readonly place: number

  /** @param place in `sources` */
  constructor(place: number) {
    this.place = place
  }

  /** Adds the constraints of an island. */
  abstract addRows(problem: ImpulseProblem, step: ContactStep, island: number): void
  /** Sets kinds, limits and compliance of the island's rows. */
  abstract fill(problem: ImpulseProblem, step: ContactStep): void
  /** Sets `rhs`, `added` and `distance` of the island's rows. @param correct 1: position errors are corrected; 0: kept constant */
  abstract setTargets(problem: ImpulseProblem, step: ContactStep, correct: number): void
  /** Key of constraint i from step to step. */
  protected abstract pairOf(i: number): number
  protected abstract featureOf(i: number): number

  /** Whether constraint i can be part of a problem, and whether its solution is stored. */
  protected isUsed(_: number): boolean {
    return true
  }

  protected isKept(_: number): boolean {
    return true
  }

  /** Discrete mode stored with the solution; 0 for a new constraint. */
  protected modeOf(_: number): number {
    return 0
  }

  protected setMode(_: number, _mode: number): void {}

  /** Loads the solutions of the last step. */
  loadWarmStart(warm: WarmStart, memory: Float64Array): void {
    const { guess, impulse, count } = this
    for (let i = 0; i < count; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) impulse[k] = 0
      const mode = this.isUsed(i) ? warm.recall(memory, this.pairOf(i), this.featureOf(i), guess, 3 * i) : UNKNOWN_MODE
      if (mode === UNKNOWN_MODE) guess[3 * i] = Number.NaN
      this.setMode(i, mode === UNKNOWN_MODE ? 0 : mode)
    }
  }

  storeWarmStart(warm: WarmStart, memory: Float64Array): void {
    for (let i = 0; i < this.count; i++) {
      if (this.isKept(i)) warm.append(memory, this.pairOf(i), this.featureOf(i), this.modeOf(i), this.guess, 3 * i)
    }
  }

  /** Loads the guess of the island's rows. */
  loadGuess({ start, first, index, w }: VelocitySystem): void {
    const { guess, place } = this
    for (let g = start[place]; g < start[place + 1]; g++) {
      const r = first[g]
      for (let k = 0; k < first[g + 1] - r; k++) w[r + k] = guess[3 * index[g] + k]
    }
  }

  /** Stores the solution of the island's rows. */
  storeSolution({ start, first, index, w, p }: VelocitySystem): void {
    const { guess, impulse, place } = this
    for (let g = start[place]; g < start[place + 1]; g++) {
      const at = 3 * index[g]
      const r = first[g]
      const width = first[g + 1] - r
      for (let k = 0; k < 3; k++) {
        guess[at + k] = k < width ? w[r + k] : 0
        impulse[at + k] = k < width ? p[r + k] : 0
      }
    }
  }

  protected reserve(count: number): void {
    if (3 * count <= this.guess.length) return
    this.guess = new Float64Array(3 * count)
    this.impulse = new Float64Array(3 * count)
  }
}
