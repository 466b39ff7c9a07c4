import type { ContactModel, ContactModelContext, ContactModelOptions, ShownParameter } from '../contactModel.ts'
import { readPyramid } from '../models/velocityLevel/frictionOptions.ts'
import { impulseParameters, readImpulseOptions } from '../models/velocityLevel/impulseOptions.ts'
import { ImpulseStep } from '../models/velocityLevel/impulseStep.ts'
import type { VelocityLevelLaw } from '../models/velocityLevel/velocityLevel.ts'
import { OptionReader } from '../options.ts'
import type { SavedProblem } from '../savedProblem.ts'
import { CarriedBack } from './carriedBack.ts'
import { ConstrainedContacts } from './constrainedContacts.ts'
import { EndOfStep } from './endOfStep.ts'
import { FeatureContactSet, type FeatureStep, featureStep } from './featureContactSet.ts'
import { readFeatures } from './featureNarrowphase.ts'
import type { ConstraintRule } from './featureReading.ts'
import { defaultEpsilon } from './featureSet.ts'
import { leaveChoice, savedConstraints } from './savedConstraints.ts'
import { StartAxes } from './startAxes.ts'

/** Looks at the end of a step before it is approached in stages, and looks at each stage. */
const DIRECT_PASSES = 15
const STAGE_PASSES = 4
/** What a stage may leave of what it missed at first. */
const STAGE_SHARE = 0.02
/** Of the step, between stages. */
const LEAST_INCREMENT = 1e-3
const MOST_INCREMENT = 1 / 8
/** Times the tolerance of gaps, see `isFar`. */
const FAR = 1000
/** Rounding of gaps [m]. */
const NO_MISS = 1e-12
/** Places on the way through a step at which it is looked whether bodies are apart. */
const WAY_SAMPLES = 16
/** Of the overlap that there would be without what was chosen: what first order may miss before its choice among members is doubted. */
const DOUBT = 0.1

/** What a model makes of constraints over features. */
export interface ConstraintLaw {
  readonly name: string
  readonly rule: ConstraintRule
  /** Whether a penetration at the start is removed for all contacts of a pair together, or constraint by constraint. */
  readonly recovers: 'pairs' | 'constraints'
  /** Whether constraints have to hold along the whole step, and not at its end alone. */
  readonly followsPath: boolean
  /** How often in a step the geometry is read anew where it would end, if no option says so; undefined: never, and there is no such option. */
  readonly passes?: number
  /** Whether a contact with an impulse has to touch at the end of the step. */
  readonly touches: boolean
}

/**
 * A velocity-level model (`createVelocityLevelModel`) over feature contacts, of which constraints say which have to stay apart: a search
 * (`ConstrainedContacts`) takes those that are rows of the impulse problem, and where the law evaluates the end of the step, the
 * step is solved again from there until the true gaps hold.
 *
 * Options: nodes (subproblems that one search may solve), shapeSides, epsilon, those of `stewartTrinkle`, and where the law has passes,
 * passes (evaluations of the end of a step, 0: first order alone) and gapTolerance (overlap that a step may end with [m]).
 */
export function createConstrainedModel(
  context: ContactModelContext,
  given: ContactModelOptions | undefined,
  { name, rule, recovers, followsPath, passes: defaultPasses, touches }: ConstraintLaw,
): ContactModel {
  const reader = new OptionReader(name, given)
  const nodes = reader.integer('nodes', 200, 1, 1e6)
  const sides = reader.integer('shapeSides', 32, 3, 128)
  const epsilon = reader.number('epsilon', defaultEpsilon, 0, 1)
  const method = readPyramid(reader)
  const used: ShownParameter[] = [
    { name: 'shapeSides', value: sides, unit: '1', meaning: 'sides of the prism that stands for a curved shape' },
    { name: 'epsilon', value: epsilon, unit: '1', meaning: 'sine of the angle by which features may miss applicability' },
    ...method.used,
  ]
  let passes = 0
  let gapTolerance = 0
  if (defaultPasses !== undefined) {
    passes = reader.integer('passes', defaultPasses, 0, 10_000)
    gapTolerance = reader.number('gapTolerance', 1e-5, 1e-12, 1)
    used.unshift(
      { name: 'passes', value: passes, unit: '1', meaning: 'evaluations of the end of a step for overlap' },
      { name: 'gapTolerance', value: gapTolerance, unit: 'm', meaning: 'overlap that a step may end with' },
    )
  }
  const law: VelocityLevelLaw = {
    ...method,
    name,
    turns: true,
    activeDistance: undefined,
    drift: 'baumgarte',
    compliance: 5e-6,
    softensCrowds: false,
    used,
  }
  // where the end of a step is looked at, positions go where velocities take them
  const options = readImpulseOptions(reader, law, ['baumgarte', 'none'])
  const { model } = context
  const { nv } = model
  const impulses = new ImpulseStep(context, law, options)
  const { frame, problem, vFree } = impulses
  problem.weighs = true
  const searchIndex = impulses.solvers.length
  const solverNames = [...impulses.solvers, 'member-search', 'end-of-step', 'way-of-step']
  const choice = new ConstrainedContacts(nv, nodes, options, searchIndex, followsPath, recovers === 'constraints')
  const endIndex = searchIndex + 1
  const wayIndex = searchIndex + 2
  const ending = passes > 0 ? new EndOfStep(model, gapTolerance, touches) : undefined
  const axes = new StartAxes(model)
  const vNext = new Float64Array(nv)
  const vMove = new Float64Array(nv)
  /** Of the pass of a step that missed its end by least. */
  const vBest = new Float64Array(nv)
  /** What the step comes to by the geometry of its start. */
  const vFirst = new Float64Array(nv)
  /** Whether rows act as impulses do on bodies that are where they are at the start, and not as gaps change where they end. */
  let seesMomentum = false
  const carriedBack = new CarriedBack(context)
  /** What a stage on the way to the end of the step came to. */
  const vStage = new Float64Array(nv)
  /** 1: of `vBest` [m]. */
  const leastMiss = new Float64Array(1)
  /** What the velocities at hand were solved with; undefined where nothing pushed. */
  let solved: FeatureStep | undefined
  let looks = 0
  /** What the step comes to without what constraints leave open, if it was asked for; and with which contacts. */
  const vRoot = new Float64Array(nv)
  let hasRoot = false
  const root = new FeatureContactSet()
  const first = new FeatureContactSet()
  let activeFirst = new Uint8Array(0)
  /** Whether vNext is vRoot. */
  let isFree = false
  /** Counts as the step found them, and of the end in `found`. */
  let fallbacksBefore = 0
  let failuresBefore = 0
  let fallbacksFound = 0
  /** Whether first order misses by so much that the way counts, and not the end alone. */
  let isFar = false
  /** Whether an end was taken although the way to it leads through something. */
  let isWayIllegal = false
  /** Whether the last look was at where vNext leads. */
  let isSeen = false
  /** 1: by how much true gaps miss at the end of vRoot [m]. */
  const freeMiss = new Float64Array(1)
  /** An end that was found, while a nearer one is looked for. */
  const vFound = new Float64Array(nv)
  const found = new FeatureContactSet()
  let mostLooks = 0
  const best = new FeatureContactSet()
  /** Whose contacts were solved with last. */
  let seenLast: FeatureStep | undefined

  /** vNext and vMove from the contacts of `seen`, which are those of `step` or what was seen at its end. */
  function solve(step: FeatureStep, seen: FeatureStep): void {
    impulses.beginPasses(step)
    do {
      impulses.freeVelocity(step)
      choice.begin(problem, seen, vFree)
      problem.prepare(seen, impulses.M, impulses.L, vFree, choice.rows)
      for (let i = 0; i < problem.islands.count; i++) {
        choice.choose(problem, seen, i, impulses.L)
        problem.solveIsland(seen, i)
      }
      problem.finish(seen, vNext, vMove)
    } while (impulses.needsPass(vNext))
    seenLast = seen
    problem.report(seen.contacts)
    choice.report(seen.contacts)
  }

  /**
   * Solves again with the geometry of where the step would be after the fraction `part` of it, until the true gaps hold there. `vNext` in: where
   * the first look goes; out: the answer.
   *
   * @returns whether they do
   */
  function meet(step: FeatureStep, ending: EndOfStep, choice: ConstrainedContacts, part: number, passes: number): boolean {
    let firstMiss = 0
    let lastMiss = Number.POSITIVE_INFINITY
    let isFrozen = false
    for (let pass = 0; ; pass++) {
      if (!isSeen) ending.look(step, frame, vNext, part, solved)
      const holds = ending.holds(solved?.contacts, choice)
      isSeen = false
      // a velocity that was only a place to look from is no answer
      if (holds && (solved !== undefined || isFree)) return true
      const miss = ending.miss[0]
      if (pass === 0) firstMiss = miss
      else if (part < 1 && miss < STAGE_SHARE * firstMiss) return true
      if (part === 1 && solved !== undefined && miss < leastMiss[0]) {
        leastMiss[0] = miss
        vBest.set(vNext)
        best.copy(solved.contacts)
      }
      if (pass === passes || looks === mostLooks) return false
      looks++
      step.events.iterations++
      // rows are left as they are while the same contacts push and come nearer: then only gaps are left to be met
      isFrozen = solved !== undefined && pass > 0 && ending.isSettled() && miss < (isFrozen ? 0.5 : 1) * lastMiss
      if (isFrozen && solved !== undefined) {
        choice.rows.meet(problem, solved, ending.gapOfSolved, vNext, part)
      } else {
        solved = ending.step
        if (ending.alternates()) choice.unite(solved.contacts, ending)
        choice.prune(solved.contacts, ending.floor)
        if (seesMomentum) {
          carriedBack.begin(problem, step, solved)
          choice.rows.lookFrom(problem, solved, undefined, vNext, ending.target, part)
        } else {
          problem.begin(solved, solved.data, step.data)
          axes.set(step.state.q, ending.state.q, vNext, part * step.dt)
          choice.rows.lookFrom(problem, solved, axes, vNext, ending.target, part)
        }
      }
      lastMiss = miss
      isFree = false
      choice.freeze(isFrozen)
      // what fell back on the way is none of the answer's
      step.events.fallbacks = fallbacksBefore
      step.events.failures = failuresBefore
      solve(step, solved)
      choice.freeze(false)
    }
  }

  /** What comes next is looked at from the velocity without contact. */
  function setFree(): void {
    vNext.set(hasRoot ? vRoot : vFree)
    solved = undefined
    isFree = hasRoot
  }

  /**
   * vRoot := what the step comes to if nothing pushes that constraints leave a choice about: without those contacts, but with all
   * others, with joint limits, loops and dry joints. The answer at the start is put back in its place.
   */
  function solveRoot(step: FeatureStep, choice: ConstrainedContacts): void {
    const { contacts } = step
    if (contacts.capacity > activeFirst.length) activeFirst = new Uint8Array(contacts.capacity)
    for (let i = 0; i < contacts.count; i++) activeFirst[i] = choice.rows.active[i]
    first.copy(contacts)
    choice.look(false)
    choice.leaveOut(true)
    solve(step, step)
    choice.leaveOut(false)
    choice.look(true)
    hasRoot = true
    vRoot.set(vNext)
    root.copy(contacts)
    vNext.set(vFirst)
    contacts.copy(first)
    for (let i = 0; i < contacts.count; i++) choice.rows.active[i] = activeFirst[i]
  }

  /** `meet` for the whole step in stages, so that what parts the bodies is followed from one to the next. */
  function approach(step: FeatureStep, ending: EndOfStep, choice: ConstrainedContacts): boolean {
    let part = 0
    let increment = MOST_INCREMENT
    setFree()
    while (part < 1 && looks < mostLooks && increment > LEAST_INCREMENT) {
      vStage.set(vNext)
      const wasFree = isFree
      const next = Math.min(1, part + increment)
      ending.begin()
      if (meet(step, ending, choice, next, STAGE_PASSES)) {
        part = next
        increment = Math.min(MOST_INCREMENT, 2 * increment)
      } else {
        vNext.set(vStage)
        solved = undefined
        isFree = wasFree
        increment *= 0.5
      }
    }
    return part === 1
  }

  /** Whether vRoot leads to where true gaps hold, on a way on which they do. Sets `freeMiss`. */
  function isRootLegal(step: FeatureStep, ending: EndOfStep, choice: ConstrainedContacts): boolean {
    isSeen = false
    ending.look(step, frame, vRoot, 1, solved)
    const holds = ending.holds(root, choice)
    freeMiss[0] = ending.miss[0]
    // strictly: where bodies are about to meet, tolerances are no room to move in
    return holds && ending.miss[0] <= NO_MISS && isWayLegal(step, ending, choice, vRoot, WAY_SAMPLES - 1)
  }

  /** Whether true gaps hold at places on the way that v leads, of which the last is counted if it is `last`. */
  function isWayLegal(step: FeatureStep, ending: EndOfStep, choice: ConstrainedContacts, v: Float64Array, last: number): boolean {
    for (let n = last; n > 0; n--) {
      ending.look(step, frame, v, n / WAY_SAMPLES, solved)
      if (!ending.holds(undefined, choice)) return false
    }
    return true
  }

  /**
   * Takes the step to an end at which the true gaps hold. The best of what was found stands if they never do, which counts as a
   * fallback.
   */
  function meetTheEnd(step: FeatureStep, ending: EndOfStep, choice: ConstrainedContacts): void {
    const { events } = step
    const count = events.solvers[endIndex]
    leastMiss[0] = Number.POSITIVE_INFINITY
    vFirst.set(vNext)
    solved = step
    looks = 0
    mostLooks = passes
    isFree = false
    const mayChoose = choice.hasChoice
    choice.look(true)
    ending.begin()
    ending.look(step, frame, vNext, 1, solved)
    const holdsAtOnce = ending.holds(step.contacts, choice)
    const miss = ending.miss[0]
    isSeen = true
    isFar = miss > FAR * gapTolerance
    isWayIllegal = false
    let holds = holdsAtOnce
    hasRoot = false
    if (mayChoose && choice.pushesByChoice(step.contacts)) solveRoot(step, choice)
    if (hasRoot && isRootLegal(step, ending, choice)) {
      // only to first order was there something in the way
      setFree()
      events.fallbacks = fallbacksBefore
      holds = true
    } else if (!holdsAtOnce) {
      // where first order is right but for little, so is the choice that was made by it
      holds = findEnd(step, ending, choice, hasRoot && miss > DOUBT * freeMiss[0])
    }
    if (isFar) {
      const way = events.solvers[wayIndex]
      if (holds && !isWayIllegal) way.solved++
      else way.failed++
    }
    if (holds) count.solved++
    else {
      count.failed++
      events.fallbacks++
      vNext.set(vBest)
      step.contacts.copy(best)
    }
    vMove.set(vNext)
    if (holds && solved !== undefined && solved !== step) step.contacts.copy(solved.contacts)
    if (holds && solved === undefined) step.contacts.copy(root)
    choice.look(false)
  }

  /** The nearest of the ends that are found from the answer at the start, and from the velocity without contact; else one found in stages. */
  function findEnd(step: FeatureStep, ending: EndOfStep, choice: ConstrainedContacts, mayChoose: boolean): boolean {
    seesMomentum = true
    const holds = findNearest(step, ending, choice, mayChoose)
    seesMomentum = false
    if (holds) return true
    looks = 0
    isSeen = false
    ending.begin()
    vNext.set(vFirst)
    solved = undefined
    isFree = false
    if (findNearest(step, ending, choice, mayChoose)) return true
    if (approach(step, ending, choice) && (!isFar || isWayLegal(step, ending, choice, vNext, WAY_SAMPLES - 1))) return true
    if (!followsPath) return false
    // an end whose way leads through something is better than none
    choice.followPath(false)
    looks = 0
    setFree()
    ending.begin()
    const found = meet(step, ending, choice, 1, DIRECT_PASSES) || approach(step, ending, choice)
    choice.followPath(true)
    isWayIllegal = found
    return found
  }

  /** The nearer of the ends that are found from the answer at the start and from the velocity without contact, if its way is legal. */
  function findNearest(step: FeatureStep, ending: EndOfStep, choice: ConstrainedContacts, mayChoose: boolean): boolean {
    const isFound = meet(step, ending, choice, 1, DIRECT_PASSES)
    if (!mayChoose) return isFound && (!isFar || isWayLegal(step, ending, choice, vNext, WAY_SAMPLES - 1))
    const firstCost = problem.cost[0]
    if (isFound && solved !== undefined) {
      vFound.set(vNext)
      found.copy(solved.contacts)
      fallbacksFound = step.events.fallbacks
    }
    setFree()
    ending.begin()
    const second = meet(step, ending, choice, 1, DIRECT_PASSES)
    // the nearer of those that do not lead through a corner
    const isNearer = second && (!isFound || problem.cost[0] < firstCost)
    if (isNearer && isWayLegal(step, ending, choice, vNext, WAY_SAMPLES - 1)) return true
    if (!isFound || !isWayLegal(step, ending, choice, vFound, WAY_SAMPLES - 1)) return false
    vNext.set(vFound)
    step.events.fallbacks = fallbacksFound
    solved = ending.step
    solved.contacts.copy(found)
    return true
  }

  return {
    name,
    level: 'velocity',
    // what speeds up within the step is still heard of in time; where its end is looked at, it is seen there
    lookAhead: ending === undefined ? 2 : 1,
    reading: 'features',
    features: readFeatures({ rule, sides, epsilon }),
    memorySize: problem.memorySize,
    solvers: solverNames,
    parameters: impulseParameters(options, law, context),

    advance(anyStep) {
      const step = featureStep(anyStep)
      impulses.begin(step)
      choice.rows.begin(step.contacts)
      const { events } = step
      const { failures, fallbacks } = events
      fallbacksBefore = fallbacks
      failuresBefore = failures
      solve(step, step)
      if (ending !== undefined) meetTheEnd(step, ending, choice)
      // steps are counted, not islands, nor passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      impulses.finish(step, vNext, vMove)
    },

    problem: () => (seenLast === undefined ? undefined : saveConstrained(impulses, choice, seenLast.contacts)),
  }
}

/**
 * The problem of the last step; where constraints leave a choice it has the contacts that these name, whether they were chosen
 * or not.
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
    // nothing of it has become a row
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
