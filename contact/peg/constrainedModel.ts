import type { ContactModel, ContactModelContext, ShownParameter } from '../contactModel.ts'
import { readRigidImpacts, shownRigidImpacts } from '../impacts/index.ts'
import { options as rows } from '../modelOptions.ts'
import { readPyramid } from '../models/velocityLevel/frictionOptions.ts'
import { impulseParameters, readImpulseOptions } from '../models/velocityLevel/impulseOptions.ts'
import { ImpulseStep } from '../models/velocityLevel/impulseStep.ts'
import { type ActiveContacts, impactTrigger, StepImpacts } from '../models/velocityLevel/stepImpacts.ts'
import type { VelocityLevelLaw } from '../models/velocityLevel/velocityLevel.ts'
import { OptionReader, shown } from '../options.ts'
import type { SavedProblem } from '../savedProblem.ts'
import { CarriedBack } from './carriedBack.ts'
import { ConstrainedContacts, SEARCH, STANDS_ALONE, selection } from './constrainedContacts.ts'
import { EndOfStep } from './endOfStep.ts'
import { FeatureContactSet, type FeatureStep, featureStep } from './featureContactSet.ts'
import { readFeatures } from './featureNarrowphase.ts'
import type { ConstraintRule } from './featureReading.ts'
import { BETWEEN, Partition } from './partition.ts'
import { leaveChoice, savedConstraints } from './savedConstraints.ts'
import { StartAxes } from './startAxes.ts'

/** Evaluations of the end of a step before it is approached in stages, and of each stage. */
const DIRECT_PASSES = 15
const STAGE_PASSES = 4
/** Step length of the point of linearisation in a damped iteration, 1 being its solution, and its evaluations. */
const DAMPING = 0.25
const DAMPED_PASSES = 100
/** Share of its first violation that a stage may leave. */
const STAGE_SHARE = 0.02
/** Largest and least fraction of the step between stages. */
const LEAST_INCREMENT = 1e-3
const MOST_INCREMENT = 1 / 8
/** Times the tolerance of gaps, see `isFar`. */
const FAR = 1000
/** Rounding of gaps [m]. */
const NO_MISS = 1e-12
/** Points within a step at which bodies are tested for separation. */
const PATH_SAMPLES = 16
/** Share of the overlap without the selected contacts, beyond which the violation to first order puts their choice in doubt. */
const DOUBT = 0.1

/** Treatment of constraints over features by a model. */
export interface ConstraintLaw {
  readonly name: string
  readonly rule: ConstraintRule
  /** Whether a penetration at the start is removed for all contacts of a pair together, or constraint by constraint. */
  readonly recovers: 'pairs' | 'constraints'
  /** Whether constraints have to hold along the whole step, not only at its end. */
  readonly followsPath: boolean
  /**
   * Default number of evaluations of the geometry at the end of a step; undefined: none, and there is no such option.
   */
  readonly passes?: number
  /** Whether a contact with an impulse has to touch at the end of the step. */
  readonly touches: boolean
}

/**
 * A velocity-level model (`createVelocityLevelModel`) over feature contacts under constraints: a search (`ConstrainedContacts`) selects
 * those that are rows of the impulse problem, and where the law evaluates the end of the step, the step is solved again, linearised there,
 * until the true gaps hold.
 *
 * Options: nodes (subproblems that one search may solve), epsilon, those of `stewartTrinkle`, and where the law has passes,
 * passes (evaluations of the end of a step, 0: first order alone) and gapTolerance (overlap that a step may end with [m]).
 */
export function createConstrainedModel(
  context: ContactModelContext,
  given: object | undefined,
  { name, rule, recovers, followsPath, passes: defaultPasses, touches }: ConstraintLaw,
): ContactModel {
  const reader = new OptionReader(name, given)
  const nodes = reader.read(rows.search.nodes)
  const epsilon = reader.read(rows.search.epsilon)
  const method = readPyramid(reader)
  const used: ShownParameter[] = [shown(rows.search.epsilon, epsilon), ...method.used]
  let passes = 0
  let gapTolerance = 0
  if (defaultPasses !== undefined) {
    passes = reader.read(rows.passes.passes, { default: defaultPasses })
    gapTolerance = reader.read(rows.passes.gapTolerance)
    used.unshift(shown(rows.passes.passes, passes), shown(rows.passes.gapTolerance, gapTolerance))
  }
  const law: VelocityLevelLaw = {
    ...method,
    name,
    turns: true,
    activeDistance: undefined,
    softensCrowds: false,
    used,
  }
  const impacts = readRigidImpacts(reader)
  // the end of a step is evaluated where velocities lead, so positions have to move there
  const options = readImpulseOptions(reader, law, ['baumgarte', 'none'])
  const { model } = context
  const { nv } = model
  const impulses = new ImpulseStep(context, law, options)
  const { frame, problem, vFree } = impulses
  problem.weighs = true
  const searchIndex = impulses.solvers.length
  const endIndex = searchIndex + 1
  const pathIndex = searchIndex + 2
  const choice = new ConstrainedContacts(nv, nodes, options, searchIndex, recovers === 'constraints')
  const end = passes > 0 ? new EndOfStep(model, gapTolerance, touches) : undefined
  const axes = new StartAxes(model)
  const carriedBack = new CarriedBack(context)
  const met = new StepImpacts(name, context, impacts, impactTrigger.restitution)
  /** The contacts of the start of the step, and which of them had impulses without restitution. */
  const start = new FeatureContactSet()
  let carrying = new Uint8Array(0)
  let marks = new Uint8Array(0)

  const partition = new Partition(context)
  /** The step with the contacts of the current part; and the part's number, -1 where the world is one. */
  let ofPart: FeatureStep | undefined
  let part = -1
  /** Results of the parts solved, and the memory from which all start. */
  const vWhole = new Float64Array(nv)
  const whole = new FeatureContactSet()
  const memoryWhole = new Float64Array(problem.memorySize)
  const memoryBefore = new Float64Array(problem.memorySize)
  /** The problem of the first part that fell back. */
  let kept: SavedProblem | undefined

  const vNext = new Float64Array(nv)
  const vMove = new Float64Array(nv)
  /** Velocity by the geometry of the start of the step. */
  const vFirst = new Float64Array(nv)
  const first = new FeatureContactSet()
  let activeFirst = new Uint8Array(0)
  /** Velocity without all contacts of constraints with several members, if it was solved for; and its contacts. */
  const vUnconstrained = new Float64Array(nv)
  const unconstrained = new FeatureContactSet()
  let hasUnconstrained = false
  /** The iterate of the least violation of gaps at its end; and that violation [m]. */
  const vBest = new Float64Array(nv)
  const best = new FeatureContactSet()
  const leastMiss = new Float64Array(1)
  /** An end found, while a nearer one is searched for; and the fallbacks counted there. */
  const vCandidate = new Float64Array(nv)
  const candidate = new FeatureContactSet()
  let candidateFallbacks = 0
  /** Velocity at the last stage reached. */
  const vStage = new Float64Array(nv)
  /** Velocity to the point of linearisation of the last solve. */
  const vPoint = new Float64Array(nv)
  /** 1: violation of gaps at the end of vUnconstrained [m]. */
  const unconstrainedMiss = new Float64Array(1)

  /** Source of the contacts of vNext; undefined where it has none under constraints with several members. */
  let solved: FeatureStep | undefined
  /** Source of the contacts of the last solve. */
  let lastSolved: FeatureStep | undefined
  /** Whether vNext is vUnconstrained. */
  let isUnconstrained = false
  /** Whether rows act as impulses on the bodies at the start, and not as derivatives of the gaps at the end. */
  let keepsMomentum = false
  let followsPathNow = followsPath
  let evaluations = 0
  /** Whether the last evaluation was at the end of vNext. */
  let isEvaluated = false
  /** Whether the error of first order is so large that the whole path counts, not only its end. */
  let isFar = false
  /** Whether an end was accepted although a path to it leads through a body. */
  let tunnels = false
  let fallbacksBefore = 0
  let failuresBefore = 0

  /**
   * vNext and vMove from the contacts of `seen`, which are those of `step` or of its end.
   *
   * @param how one of `selection`
   */
  function solve(step: FeatureStep, seen: FeatureStep, how: number): void {
    lastSolved = seen
    impulses.beginPasses(step)
    do {
      impulses.freeVelocity(step)
      choice.begin(problem, seen, vFree, seen !== step, how)
      problem.prepare(seen, impulses.M, impulses.L, vFree, choice.rows)
      for (let i = 0; i < problem.islands.count; i++) {
        if (part >= 0 && partition.ofTree[problem.islands.trees[problem.islands.treeStart[i]]] !== part) continue
        choice.choose(problem, seen, i, impulses.L, followsPathNow)
        problem.solveIsland(seen, i)
      }
      problem.finish(seen, vNext, vMove)
    } while (impulses.needsPass(vNext))
    problem.report(seen.contacts)
    choice.report(seen.contacts)
  }

  /**
   * Fixed-point iteration: solves again with the geometry of the end of the fraction `part` of the step, until the true gaps hold there.
   * vNext in: the first iterate; out: the last.
   *
   * @param share of the step from one point of linearisation to the velocity found there; below 1 it damps an iteration that alternates
   *              between features whose normals turn with the bodies
   * @returns whether they hold
   */
  function iterate(step: FeatureStep, end: EndOfStep, part: number, most: number, share = 1): boolean {
    vPoint.set(vNext)
    let firstMiss = 0
    let lastMiss = Number.POSITIVE_INFINITY
    let keepsRows = false
    for (let pass = 0; ; pass++) {
      if (!isEvaluated) end.evaluate(step, frame, vNext, part, solved)
      const isValid = end.isValid(solved?.contacts, choice)
      isEvaluated = false
      // a velocity that was only a point of linearisation is no solution
      if (isValid && (solved !== undefined || isUnconstrained)) return true
      const miss = end.miss[0]
      if (pass === 0) firstMiss = miss
      else if (part < 1 && miss < STAGE_SHARE * firstMiss) return true
      if (part === 1 && solved !== undefined && miss < leastMiss[0]) {
        leastMiss[0] = miss
        vBest.set(vNext)
        best.copy(solved.contacts)
      }
      // cut off, unless it converges: then only accuracy is missing
      if (evaluations === passes || (pass >= most && !(keepsRows && miss < 0.5 * lastMiss))) return false
      evaluations++
      step.events.iterations++
      // rows stay as they are while the same contacts have impulses and the violation falls: then only gaps remain to be closed; with
      // normals of curved shapes from the first pass on, so that an impulse between balls goes through both their centres
      keepsRows =
        solved !== undefined &&
        (pass > 0 ? end.isSettled() && miss < (keepsRows ? 0.5 : 1) * lastMiss : solved === step && standAlone(step.contacts))
      if (keepsRows && solved !== undefined) {
        choice.rows.correct(problem, solved, end.gapOfSolved, vNext, part)
      } else {
        for (let k = 0; k < nv; k++) vPoint[k] += share * (vNext[k] - vPoint[k])
        if (share < 1 && pass > 0) {
          end.evaluate(step, frame, vPoint, part, undefined)
          end.isValid(undefined, choice)
        }
        solved = end.step
        if (end.alternates()) choice.uniteAlternating(solved.contacts, end)
        choice.dropDistantMembers(solved.contacts, end.floor)
        if (keepsMomentum) {
          carriedBack.begin(problem, step, solved)
          choice.rows.relinearise(problem, solved, undefined, vPoint, end.target, part)
        } else {
          problem.begin(solved, solved.data, step.data)
          axes.set(step.state.q, end.state.q, vPoint, part * step.dt)
          choice.rows.relinearise(problem, solved, axes, vPoint, end.target, part)
        }
      }
      lastMiss = miss
      isUnconstrained = false
      // fallbacks of earlier iterates are none of the solution's
      step.events.fallbacks = fallbacksBefore
      step.events.failures = failuresBefore
      solve(step, solved, keepsRows ? selection.keep : selection.search)
    }
  }

  /** Starts an iteration from vFirst, or from the velocity without the contacts of constraints with several members. */
  function restart(end: EndOfStep, fromFirst: boolean): void {
    vNext.set(fromFirst ? vFirst : hasUnconstrained ? vUnconstrained : vFree)
    solved = undefined
    isEvaluated = false
    isUnconstrained = !fromFirst && hasUnconstrained
    end.begin()
  }

  /**
   * Sets vUnconstrained: with contacts under unilateral constraints, joint limits, loops and dry joints. Restores the solution of the
   * start.
   */
  function solveUnconstrained(step: FeatureStep): void {
    const { contacts } = step
    const { active } = choice.rows
    if (contacts.capacity > activeFirst.length) activeFirst = new Uint8Array(contacts.capacity)
    for (let i = 0; i < contacts.count; i++) activeFirst[i] = active[i]
    first.copy(contacts)
    solve(step, step, selection.none)
    hasUnconstrained = true
    vUnconstrained.set(vNext)
    unconstrained.copy(contacts)
    vNext.set(vFirst)
    contacts.copy(first)
    for (let i = 0; i < contacts.count; i++) choice.rows.active[i] = activeFirst[i]
  }

  /** Continuation: `iterate` for growing fractions of the step, so that the separating features are followed from one to the next. */
  function continueInStages(step: FeatureStep, end: EndOfStep): boolean {
    let part = 0
    let increment = MOST_INCREMENT
    restart(end, false)
    while (part < 1 && evaluations < passes && increment > LEAST_INCREMENT) {
      vStage.set(vNext)
      const wasUnconstrained = isUnconstrained
      const next = Math.min(1, part + increment)
      end.begin()
      if (iterate(step, end, next, STAGE_PASSES)) {
        part = next
        increment = Math.min(MOST_INCREMENT, 2 * increment)
      } else {
        vNext.set(vStage)
        solved = undefined
        isUnconstrained = wasUnconstrained
        increment *= 0.5
      }
    }
    return part === 1
  }

  /** Whether true gaps hold at the end of vUnconstrained and on the path there. Sets `unconstrainedMiss`. */
  function isUnconstrainedValid(step: FeatureStep, end: EndOfStep): boolean {
    isEvaluated = false
    end.evaluate(step, frame, vUnconstrained, 1, solved)
    const isValid = end.isValid(unconstrained, choice)
    unconstrainedMiss[0] = end.miss[0]
    // strictly: where bodies are about to touch, tolerances are no free space
    return isValid && end.miss[0] <= NO_MISS && isPathValid(step, end, vUnconstrained)
  }

  /** Whether true gaps hold at points on the path of v, its end excluded. */
  function isPathValid(step: FeatureStep, end: EndOfStep, v: Float64Array): boolean {
    for (let n = PATH_SAMPLES - 1; n > 0; n--) {
      end.evaluate(step, frame, v, n / PATH_SAMPLES, solved)
      if (!end.isValid(undefined, choice)) return false
    }
    return true
  }

  /** Solves for an end of the step at which the true gaps hold. If none is found, the best iterate is used and counts as a fallback. */
  function solveEnd(step: FeatureStep, end: EndOfStep): void {
    const { events } = step
    leastMiss[0] = Number.POSITIVE_INFINITY
    vFirst.set(vNext)
    solved = step
    evaluations = 0
    isUnconstrained = false
    hasUnconstrained = false
    tunnels = false
    const { hasChoice } = choice
    end.begin()
    end.evaluate(step, frame, vNext, 1, solved)
    let holds = end.isValid(step.contacts, choice)
    const miss = end.miss[0]
    isEvaluated = true
    isFar = miss > FAR * gapTolerance
    if (hasChoice && choice.hasImpulseByChoice(step.contacts)) solveUnconstrained(step)
    if (hasUnconstrained && isUnconstrainedValid(step, end)) {
      // only to first order was there an obstacle
      restart(end, false)
      events.fallbacks = fallbacksBefore
      holds = true
    } else if (!holds) {
      // where first order is nearly right, so is the choice by it
      holds = findEnd(step, end, hasUnconstrained && miss > DOUBT * unconstrainedMiss[0])
    }
    if (isFar) {
      const path = events.solvers[pathIndex]
      if (holds && !tunnels) path.solved++
      else path.failed++
    }
    if (holds) events.solvers[endIndex].solved++
    else {
      events.solvers[endIndex].failed++
      events.fallbacks++
      vNext.set(vBest)
      step.contacts.copy(best)
    }
    vMove.set(vNext)
    if (holds && solved === undefined) step.contacts.copy(unconstrained)
    else if (holds && solved !== undefined && solved !== step) step.contacts.copy(solved.contacts)
  }

  /**
   * First with rows that keep momentum, then with derivatives of the true gaps, then in stages; last an end whose path leads through a
   * body, if necessary by damped iteration.
   */
  function findEnd(step: FeatureStep, end: EndOfStep, mayChoose: boolean): boolean {
    keepsMomentum = true
    const isFound = findNearest(step, end, mayChoose)
    keepsMomentum = false
    if (isFound) return true
    evaluations = 0
    restart(end, true)
    if (findNearest(step, end, mayChoose)) return true
    if (continueInStages(step, end) && (!isFar || isPathValid(step, end, vNext))) return true
    if (!followsPath) return false
    // accept a tunnelling solution rather than fail
    followsPathNow = false
    evaluations = 0
    restart(end, false)
    tunnels = iterate(step, end, 1, DIRECT_PASSES)
    if (!tunnels) {
      evaluations = 0
      restart(end, false)
      tunnels = iterate(step, end, 1, DAMPED_PASSES, DAMPING) || continueInStages(step, end)
    }
    followsPathNow = true
    return tunnels
  }

  /** The nearer of the ends that iterations from vFirst and from the velocity without contact find, if its path is valid. */
  function findNearest(step: FeatureStep, end: EndOfStep, mayChoose: boolean): boolean {
    const isFound = iterate(step, end, 1, DIRECT_PASSES)
    if (!mayChoose) return isFound && (!isFar || isPathValid(step, end, vNext))
    const firstCost = problem.cost[0]
    if (isFound && solved !== undefined) {
      vCandidate.set(vNext)
      candidate.copy(solved.contacts)
      candidateFallbacks = step.events.fallbacks
    }
    restart(end, false)
    const isNearer = iterate(step, end, 1, DIRECT_PASSES) && (!isFound || problem.cost[0] < firstCost)
    if (isNearer && isPathValid(step, end, vNext)) return true
    if (!isFound || !isPathValid(step, end, vCandidate)) return false
    vNext.set(vCandidate)
    step.events.fallbacks = candidateFallbacks
    solved = end.step
    solved.contacts.copy(candidate)
    return true
  }

  /** vNext and vMove, and the resulting contacts; where `doesMark`, `carrying` by the first order. */
  function solveStep(step: FeatureStep, doesMark: boolean): void {
    const { contacts } = step
    fallbacksBefore = step.events.fallbacks
    failuresBefore = step.events.failures
    choice.rows.begin(contacts)
    solve(step, step, selection.search)
    if (doesMark) markCarrying(contacts)
    if (end !== undefined) solveEnd(step, end)
  }

  /**
   * `solveStep` for one part of the world after another, so that none is solved again, or falls back, because of another. Parts that touch
   * by the end of the step are joined.
   */
  function solveParts(step: FeatureStep, doesMark: boolean): void {
    if (end !== undefined) partition.find(problem, step.contacts)
    if (end === undefined || partition.count < 2) {
      solveStep(step, doesMark)
      return
    }
    memoryBefore.set(step.memory)
    if (solvesAtOnce(step, end, doesMark)) return
    ofPart ??= { ...step, contacts: new FeatureContactSet() }
    ofPart.contacts.partOf = partition.ofBody
    end.partOf = partition.ofBody
    do {
      whole.clear()
      memoryWhole[0] = 0
      // last those with contacts: the problem of the last one can be saved
      solvePart(step, ofPart, end, partition.count, doesMark)
      for (let n = 0; n < partition.count; n++) solvePart(step, ofPart, end, n, doesMark)
      part = -1
    } while (joinsParts(step, end))
    end.partOf = undefined
    vNext.set(vWhole)
    vMove.set(vWhole)
    step.contacts.copy(whole)
    step.memory.set(memoryWhole)
  }

  /** Solves all parts as one. @returns whether first order solves each, as is usual: then no part has changed another */
  function solvesAtOnce(step: FeatureStep, end: EndOfStep, doesMark: boolean): boolean {
    const { contacts, events } = step
    const { fallbacks, failures } = events
    choice.rows.begin(contacts)
    solve(step, step, selection.search)
    if (doesMark) markCarrying(contacts)
    end.begin()
    end.evaluate(step, frame, vNext, 1, step)
    if (end.isValid(contacts, choice) && !choice.hasImpulseByChoice(contacts)) {
      events.solvers[endIndex].solved++
      vMove.set(vNext)
      return true
    }
    events.fallbacks = fallbacks
    events.failures = failures
    return false
  }

  function solvePart(step: FeatureStep, own: FeatureStep, end: EndOfStep, number: number, doesMark: boolean): void {
    const { contacts, events, memory } = own
    const { treeOfV } = problem.contacts.rows.pattern
    part = number
    end.part = number
    contacts.part = number
    contacts.clear()
    contacts.take(step.contacts)
    memory.set(memoryBefore)
    problem.begin(own)
    const before = events.failures + events.fallbacks
    solveStep(own, doesMark)
    if (events.failures + events.fallbacks > before) kept ??= saveConstrained(impulses, choice, (lastSolved ?? own).contacts)
    for (let k = 0; k < nv; k++) if (partition.ofTree[treeOfV[k]] === number) vWhole[k] = vNext[k]
    problem.rememberPart(memoryWhole, memory, partition.ofTree, number)
    whole.take(contacts)
  }

  /** Whether parts overlap at the end of the step; those are joined. */
  function joinsParts(step: FeatureStep, end: EndOfStep): boolean {
    end.part = BETWEEN
    end.evaluate(step, frame, vWhole, 1, undefined)
    if (end.isValid(undefined, choice)) return false
    const { count, bodyA, bodyB, gap } = end.step.contacts
    for (let i = 0; i < count; i++) if (gap[i] < 0) partition.join(bodyA[i], bodyB[i])
    return true
  }

  /**
   * Sets `carrying`: a pair impacts if it has an impulse in a step without restitution, and still has one at the end of that step; and then
   * at the contacts of `markMet`: the velocity nearest to the free one may take bodies past each other where they would have touched
   * before. Restores the contacts of the start.
   */
  function findCarrying(step: FeatureStep): void {
    const { contacts, events } = step
    if (contacts.capacity > carrying.length) carrying = new Uint8Array(contacts.capacity)
    const { fallbacks, failures } = events
    start.copy(contacts)
    carrying.fill(0)
    solveParts(step, true)
    for (let i = 0; i < start.count; i++) if (carrying[i] === 1 && !touchesAtEnd(contacts, start.pair[i])) carrying[i] = 0
    contacts.copy(start)
    for (let k = 0; k < 3 * contacts.count; k++) contacts.impulse[k] = 0
    // fallbacks of this solve are none of the step's
    events.fallbacks = fallbacks
    events.failures = failures
    impulses.begin(step)
  }

  /** Sets `carrying` of the contacts of a solve of the start of the step, which come in its order. */
  function markCarrying(contacts: FeatureContactSet): void {
    const { count, pair, feature, impulse } = contacts
    if (count > marks.length) marks = new Uint8Array(contacts.capacity)
    for (let i = 0; i < count; i++) marks[i] = impulse[3 * i] > 0 ? 1 : 0
    choice.markMet(contacts, marks)
    for (let i = 0, at = 0; i < count; i++, at++) {
      while (start.pair[at] !== pair[i] || start.feature[at] !== feature[i]) at++
      carrying[at] = marks[i]
    }
  }

  let stepToMeet: FeatureStep
  const mayImpact: ActiveContacts = {
    find() {
      findCarrying(stepToMeet)
      return carrying
    },
  }

  return {
    name,
    level: 'velocity',
    // contacts reached only by speeding up within the step are found in time; where its end is evaluated, they are found there
    lookAhead: end === undefined ? 2 : 1,
    reading: 'features',
    features: readFeatures({ rule, epsilon }),
    memorySize: problem.memorySize,
    solvers: [...impulses.solvers, SEARCH, 'end-of-step', 'way-of-step'],
    parameters: impulseParameters(options, law, context, shownRigidImpacts(impacts)),

    advance(anyStep) {
      const step = featureStep(anyStep)
      const { events } = step
      const { failures, fallbacks } = events
      impulses.begin(step)
      stepToMeet = step
      met.meet(step, impulses, mayImpact)
      kept = undefined
      solveParts(step, false)
      met.report(step.contacts)
      // steps are counted, not islands, nor passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      impulses.finish(step, vNext, vMove)
    },

    problem: () => kept ?? (lastSolved === undefined ? undefined : saveConstrained(impulses, choice, lastSolved.contacts)),
  }
}

function touchesAtEnd({ count, pair, impulse }: FeatureContactSet, of: number): boolean {
  for (let k = 0; k < count; k++) if (pair[k] === of && impulse[3 * k] > 0) return true
  return false
}

/** Whether no contact of features has an impulse. */
function standAlone({ count, impulse, applicability }: FeatureContactSet): boolean {
  for (let i = 0; i < count; i++) if (impulse[3 * i] > 0 && applicability[i] !== STANDS_ALONE) return false
  return true
}

/**
 * The problem of the last step; where constraints have several members it has all contacts that these name, active or not.
 */
function saveConstrained(
  impulses: ImpulseStep,
  choice: ConstrainedContacts,
  { count, constraints: all }: FeatureContactSet,
): SavedProblem | undefined {
  const { islands, savedIsland } = impulses.problem
  const { contacts: lists, contactStart } = islands
  const sizeOf = (i: number) => contactStart[i + 1] - contactStart[i]
  let island = savedIsland
  if (island < 0) {
    // none of its contacts is a row
    for (let i = 0; i < islands.count; i++) if (sizeOf(i) > (island < 0 ? 0 : sizeOf(island))) island = i
  }
  if (island < 0) return undefined
  const here = Array.from(lists.subarray(contactStart[island], contactStart[island + 1]))
  const place = new Int32Array(count).fill(-1)
  for (const i of here) place[i] = 0
  if (!leaveChoice(savedConstraints(all, place))) return savedIsland < 0 ? undefined : impulses.save()
  const named = new Set(all.contact.subarray(0, all.contactStart[all.memberCount]))
  const listed = here.filter((i) => named.has(i))
  place.fill(-1)
  listed.forEach((i, k) => {
    place[i] = k
  })
  const { gap, exact, active: chosen } = choice.rows
  const active = chosen.slice()
  for (const i of here) active[i] = place[i] < 0 ? 0 : 1
  const saved = impulses.save(island, { active, gap, exact })
  return (
    saved && {
      ...saved,
      constraints: savedConstraints(all, place),
      path: choice.startGap !== undefined,
      active: listed.flatMap((i, k) => (chosen[i] === 1 ? [k] : [])),
    }
  )
}
