import type { ContactModelContext } from '../contactModel.ts'
import type { ImpulseStep } from '../models/velocityLevel/impulseStep.ts'
import type { SavedProblem } from '../savedProblem.ts'
import { CarriedBack } from './carriedBack.ts'
import { addCost, type ConstrainedContacts, selection } from './constrainedContacts.ts'
import type { EndOfStep } from './endOfStep.ts'
import type { FeatureStep } from './features/featureContactSet.ts'
import type { ImpactingPairs } from './impactingPairs.ts'
import { Partition } from './partition.ts'
import { saveConstrained } from './savedConstraints.ts'
import { StartAxes } from './startAxes.ts'

/** Solver of the velocity at the end of a step. */
export interface StepSolver {
  /** nv: velocity of the last solve. */
  readonly v: Float64Array
  /** Solves for v and leaves its contacts in the step. @param impacts in which pairs with first-order impulses are marked */
  solve(step: FeatureStep, impacts?: ImpactingPairs): void
  /** The problem of the last solve. */
  problem(): SavedProblem | undefined
}

/**
 * One solve of the step with contacts selected by `ConstrainedContacts`: those of its start, or of an evaluated end about which rows are
 * linearised.
 */
export class ConstrainedStep implements StepSolver {
  readonly v: Float64Array
  /** 1: |v - v_free|² in M~ of the last solve [J]. */
  readonly cost = new Float64Array(1)
  readonly impulses: ImpulseStep
  readonly choice: ConstrainedContacts
  readonly partition: Partition
  /** The part of the world to solve, -1 for all. */
  part = -1
  /** Whether rows at the end act as impulses on the bodies at the start, instead of as derivatives of the gaps at the end. */
  keepsMomentum = false
  /** Whether constraints must hold along the whole step, not only at its end. */
  followsPath: boolean
  private readonly axes: StartAxes
  private readonly carriedBack: CarriedBack
  /** nv: a copy of v, since positions are not projected. */
  private readonly vMove: Float64Array
  /** The step whose contacts were solved last. */
  private solved: FeatureStep | undefined

  constructor(context: ContactModelContext, impulses: ImpulseStep, choice: ConstrainedContacts, followsPath: boolean) {
    const { model } = context
    this.v = new Float64Array(model.nv)
    this.vMove = new Float64Array(model.nv)
    this.impulses = impulses
    this.choice = choice
    this.followsPath = followsPath
    this.partition = new Partition(context)
    this.axes = new StartAxes(model)
    this.carriedBack = new CarriedBack(context)
  }

  /** To first order. */
  solve(step: FeatureStep, impacts?: ImpactingPairs): void {
    this.choice.rows.begin(step.contacts)
    this.solveWith(step, step, selection.search, false)
    impacts?.mark(step.contacts)
  }

  /**
   * Solves for v with the contacts of `seen`, which are those of `step` or of its end.
   *
   * @param how      one of `selection`
   * @param hasCost  whether `cost` is written
   */
  solveWith(step: FeatureStep, seen: FeatureStep, how: number, hasCost = true): void {
    const { impulses, choice, part, partition, followsPath } = this
    const { problem, L, vFree } = impulses
    const { islands } = problem
    this.solved = seen
    impulses.beginPasses(step)
    do {
      impulses.freeVelocity(step)
      choice.begin(problem, seen, seen !== step, how)
      problem.prepare(seen, impulses.M, L, vFree, choice.rows)
      this.cost[0] = 0
      for (let i = 0; i < islands.count; i++) {
        if (part >= 0 && partition.ofTree[islands.trees[islands.treeStart[i]]] !== part) continue
        choice.choose(problem, seen, i, L, followsPath)
        problem.solveIsland(seen, i)
        if (hasCost) addCost(this.cost, problem)
      }
      problem.finish(seen, this.v, this.vMove)
    } while (impulses.needsPass(this.v))
    problem.report(seen.contacts)
    choice.report(seen.contacts)
  }

  /** Builds the rows of the contacts at `end`, the configuration reached with velocity `point` in the fraction `part` of the step. */
  relinearise(step: FeatureStep, end: EndOfStep, point: Float64Array, part: number): void {
    const { axes, carriedBack, choice, impulses } = this
    const { problem } = impulses
    if (this.keepsMomentum) {
      carriedBack.begin(problem, step, end.step)
      choice.rows.relinearise(problem, end.step, undefined, point, end.target, part)
      return
    }
    problem.begin(end.step, end.step.data, step.data)
    axes.set(step.state.q, end.state.q, point, part * step.dt)
    choice.rows.relinearise(problem, end.step, axes, point, end.target, part)
  }

  problem(): SavedProblem | undefined {
    return this.solved && saveConstrained(this.impulses, this.choice, this.solved.contacts)
  }
}
