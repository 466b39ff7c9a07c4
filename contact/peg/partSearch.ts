import type { SavedProblem } from '../savedProblem.ts'
import type { StepSolver } from './constrainedStep.ts'
import { BETWEEN, FeatureContactSet, type FeatureStep } from './features/featureContactSet.ts'
import type { ImpactingPairs } from './impactingPairs.ts'
import { EventMark, Iterate } from './iterate.ts'
import type { StepSearch } from './stepSearch.ts'

/**
 * `StepSearch` for one part of the world after another (`Partition`), so that none is solved again, or falls back, because of another.
 * Parts that touch at the end of the step are joined.
 */
export class PartSearch implements StepSolver {
  readonly v: Float64Array
  private readonly search: StepSearch
  /** The step with the contacts of the current part. */
  private ofPart: FeatureStep | undefined
  /** Results of the solved parts, with their memory; and the memory with which all parts start. */
  private readonly whole: Iterate
  private readonly memory: Float64Array
  private readonly memoryBefore: Float64Array
  private readonly before = new EventMark()
  /** Problem of the first part that needed a fallback. */
  private kept: SavedProblem | undefined

  constructor(search: StepSearch) {
    const { v, impulses } = search.once
    this.search = search
    this.v = v
    this.whole = new Iterate(v.length)
    this.memory = new Float64Array(impulses.problem.memorySize)
    this.memoryBefore = new Float64Array(impulses.problem.memorySize)
  }

  solve(step: FeatureStep, impacts?: ImpactingPairs): void {
    const { search, whole } = this
    const { end, once } = search
    const { partition } = once
    this.kept = undefined
    const { length: trees } = partition.ofTree
    if (trees > 1) partition.find(once.impulses.problem, step.contacts)
    if (trees < 2 || partition.count < 2) {
      search.solve(step, impacts)
      return
    }
    this.memoryBefore.set(step.memory)
    if (this.solvesAtOnce(step, impacts)) return
    this.ofPart ??= { ...step, contacts: new FeatureContactSet() }
    this.ofPart.contacts.partOf = partition.ofBody
    end.partOf = partition.ofBody
    do {
      whole.contacts.clear()
      this.memory[0] = 0
      // parts with contacts last, so that the last problem can be saved
      this.solvePart(step, this.ofPart, partition.count, impacts)
      for (let n = 0; n < partition.count; n++) this.solvePart(step, this.ofPart, n, impacts)
      once.part = -1
    } while (this.joinsParts(step))
    end.partOf = undefined
    whole.copyTo(this.v, step.contacts)
    step.memory.set(this.memory)
  }

  problem(): SavedProblem | undefined {
    return this.kept ?? this.search.once.problem()
  }

  /** Solves all parts together. @returns whether first order solves each, as mostly, so that no part affects another */
  private solvesAtOnce(step: FeatureStep, impacts?: ImpactingPairs): boolean {
    const { search, before } = this
    before.set(step.events)
    search.once.solve(step, impacts)
    if (search.isEndOfFirstOrder(step)) return true
    before.restore(step.events)
    return false
  }

  private solvePart(step: FeatureStep, own: FeatureStep, part: number, impacts?: ImpactingPairs): void {
    const { search, whole } = this
    const { once, end } = search
    const { impulses, partition } = once
    const { contacts, events, memory } = own
    const { treeOfV } = impulses.problem.contacts.rows.pattern
    once.part = part
    end.part = part
    contacts.part = part
    contacts.clear()
    contacts.take(step.contacts)
    memory.set(this.memoryBefore)
    impulses.problem.begin(own)
    const before = events.failures + events.fallbacks
    search.solve(own, impacts)
    if (events.failures + events.fallbacks > before) this.kept ??= once.problem()
    for (let k = 0; k < treeOfV.length; k++) if (partition.ofTree[treeOfV[k]] === part) whole.v[k] = this.v[k]
    this.rememberPart(memory, part)
    whole.contacts.take(contacts)
  }

  /** Appends one part's entries to the step's memory, without those of joints and loops of other parts. */
  private rememberPart(ofPart: Float64Array, part: number): void {
    const { partition, impulses } = this.search.once
    const { warm, islands, loops, contacts } = impulses.problem
    const { bodyA, bodyB, count } = loops.loops
    const { treeOfV, model } = contacts.rows.pattern
    for (let n = 0; n < ofPart[0]; n++) {
      const v = -1 - warm.pairOf(ofPart, n)
      if (v >= 0 && v < model.nv && partition.ofTree[treeOfV[v]] !== part) continue
      const r = v - model.nv
      const { treeOfBody } = islands
      if (r >= 0 && r < count && partition.ofTree[Math.max(treeOfBody[bodyA[r]], treeOfBody[bodyB[r]])] !== part) continue
      warm.appendFrom(this.memory, ofPart, n)
    }
  }

  /** Joins parts that overlap at the end of the step. @returns whether there were any */
  private joinsParts(step: FeatureStep): boolean {
    const { end, once } = this.search
    end.part = BETWEEN
    end.evaluate(step, once.impulses.frame, this.whole.v, 1, undefined)
    if (end.isValid(undefined, once.choice)) return false
    const { count, bodyA, bodyB, gap } = end.step.contacts
    for (let i = 0; i < count; i++) if (gap[i] < 0) once.partition.join(bodyA[i], bodyB[i])
    return true
  }
}
