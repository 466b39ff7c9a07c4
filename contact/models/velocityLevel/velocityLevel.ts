import { crbaOnBranches, JointFriction, RestFrame, rnea } from '../../../dynamics/index.ts'
import type { ContactModel, ContactModelContext, ContactStep, ShownParameter } from '../../contactModel.ts'
import { ContactSet } from '../../contactSet.ts'
import type { FeatureReading } from '../../detection/index.ts'
import type { OptionReader } from '../../options.ts'
import { type ContactSolver, LemkeSolver, ModeGuess, PyramidSolver, pyramidSides } from '../../solvers/index.ts'
import { CarriedBack } from './carriedBack.ts'
import { type ChoiceMethod, choiceWay } from './chains.ts'
import { ConstrainedContacts } from './constrainedContacts.ts'
import { EndOfStep, type EndTolerances } from './endOfStep.ts'
import { type Drift, type ImpulseOptions, ImpulseProblem } from './impulseProblem.ts'
import { Projection } from './projection.ts'
import { SolverChain } from './solverChain.ts'
import { StartAxes } from './startAxes.ts'
import { type ModeNames, TreeGuess } from './treeGuess.ts'

/** Times that regularised joints' stick and slide may be guessed anew in one step. */
const JOINT_PASSES = 4
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

/** What makes one velocity-level model differ from another. */
export interface VelocityLevelLaw {
  readonly name: string
  /** Solvers of its law of friction, in the order in which they are asked. */
  readonly solvers: readonly ContactSolver[]
  /** How the first of them numbers its modes, if these are first tried by `TreeGuess`. */
  readonly tree: ModeNames | undefined
  /** Answers from this one of `solvers` on count as fallbacks. */
  readonly fallbackFrom: number
  /** Of its pyramid. */
  readonly sides?: number
  readonly turns: boolean
  readonly activeDistance: number | undefined
  /** What removes penetrations unless the option says otherwise. */
  readonly drift: Drift
  readonly compliance: number
  /** Of the reading 'features'; without it the manifold's contacts are taken. */
  readonly features?: FeatureReading
  /** Where constraints leave it open which of them push. */
  readonly constraints?: ConstraintLaw
  /** Parameters of its own. */
  readonly used: readonly ShownParameter[]
}

/** How constraints over features are met. */
export interface ConstraintLaw {
  /** Which way is asked first for who pushes; the others behind it. */
  readonly method: ChoiceMethod
  /** Subproblems that the search for active members may solve in one step. */
  readonly nodes: number
  /** Whether the way through the step counts too, and not its end alone. */
  readonly followsPath: boolean
  /** How often in a step the geometry is read anew where it would end; 0: never. */
  readonly passes: number
  readonly tolerances: EndTolerances
}

/**
 * A contact model that answers velocities at the end of the step:
 *
 *   M~ v⁺ = M~ v_f + Jᵀ p,        M~ = M + h D, v_f the velocity without contact,
 *
 * with impulses p that meet the law's conditions in u = J v⁺, velocities in axes that stand still over the step (`RestFrame`), and
 * everything eliminated to the impulses by M~ = LᵀL: W = (L⁻ᵀJᵀ)ᵀ(L⁻ᵀJᵀ). See `ImpulseProblem` for its rows.
 *
 * Options that all of them share:
 *
 *   drift               'baumgarte': a penetrating contact is pushed out with `stabilization` |gap| / h, no faster than
 *                       `correctionSpeed`, and keeps that speed. 'projection': positions are corrected after the step, velocities not
 *                       (`Projection`). 'none': penetrations and open loops are held as they are.
 *   compliance          softness of normals over the mass of the heaviest tree that they hold up; a tenth of it for tangents and joints.
 *                       Where the load of a body on many points is indeterminate, the answer is the one that equal springs
 *                       would give, and solvers are kept off singular bases. A body at rest on n points sinks by
 *                       compliance · g h² / (n stabilization), 1e-10 m at 1 ms, and creeps down a slope by a tenth of compliance · g h / n,
 *                       1e-8 m/s.
 *   restitutionThreshold  A contact with restitution e that would close within the step, and closes faster than this at its start,
 *                       bounces by Newton's rule, J_n v⁺ >= -e J_n v.
 *   jointFriction       'exact': dry friction of joints is a row of the same problem, so that they stick. 'regularised': it is viscous up to
 *                       1 mrad/s, and costs nothing.
 *
 * Joint damping is implicit in M~. Joint limits are unilateral rows like normals.
 */
export function createVelocityLevelModel(
  context: ContactModelContext,
  reader: OptionReader,
  law: VelocityLevelLaw,
): ContactModel {
  // where the end of a step is looked at, positions go where velocities take them
  const drifts: readonly Drift[] = law.constraints === undefined ? ['baumgarte', 'projection', 'none'] : ['baumgarte', 'none']
  const drift = reader.choice<Drift>('drift', law.drift, drifts)
  const options: ImpulseOptions = {
    turns: law.turns,
    activeDistance: law.activeDistance,
    drift,
    stabilization: reader.number('stabilization', 0.2, 0, 1),
    correctionSpeed: reader.number('correctionSpeed', 0.1, 0, 100),
    compliance: reader.number('compliance', law.compliance, 1e-12, 1e-2),
    restitutionThreshold: reader.number('restitutionThreshold', 0.01, 0, 10),
    dryJoints: reader.choice('jointFriction', 'exact', ['exact', 'regularised']) === 'exact',
    fallbackFrom: law.fallbackFrom,
  }
  reader.finish()

  const { model } = context
  const { nv } = model
  const frame = new RestFrame(model)
  const joints = new JointFriction(model, !options.dryJoints)
  const tree = law.tree === undefined ? undefined : new TreeGuess(nv, law.solvers[0].law, law.tree, pyramidSides(law.sides ?? 4))
  const chain = new SolverChain(law.solvers, tree === undefined ? 0 : 1)
  const names = tree === undefined ? chain.names : [tree.name, ...chain.names]
  const sides = pyramidSides(4)
  const correcting = [new ModeGuess(sides), new PyramidSolver(new LemkeSolver(1e-8), sides)]
  const projectionChain = new SolverChain(drift === 'projection' ? correcting : [], names.length, 'projection/')
  const projection = drift === 'projection' ? new Projection(nv, projectionChain) : undefined
  const { constraints } = law
  // problems as a whole take seconds where the search finds nothing, and mostly find nothing either: they are asked where they are wanted
  const methods = constraints === undefined ? [] : [...new Set<ChoiceMethod>([constraints.method, 'member-search'])]
  const solverNames = [
    ...names,
    ...projectionChain.names,
    ...methods,
    ...(constraints === undefined ? [] : ['end-of-step', 'way-of-step']),
  ]
  const choice =
    constraints &&
    new ConstrainedContacts(
      methods.map((method) => choiceWay(method, constraints.nodes, pyramidSides(law.sides ?? 4))),
      options,
      names.length + projectionChain.names.length,
      constraints.followsPath,
      law.features?.rule !== 'exact',
    )
  const endIndex = solverNames.indexOf('end-of-step')
  const wayIndex = solverNames.indexOf('way-of-step')
  const ending = constraints && constraints.passes > 0 ? new EndOfStep(model, constraints.tolerances) : undefined
  const axes = new StartAxes(model)
  const problem = new ImpulseProblem(law.name, context, chain, options, tree, projection, choice)
  const { rows } = problem
  const c = new Float64Array(nv)
  const L = new Float64Array(nv * nv)
  const vFree = new Float64Array(nv)
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
  let solved: ContactStep | undefined
  let looks = 0
  /** What the step comes to without what constraints leave open, if it was asked for; and with which contacts. */
  const vRoot = new Float64Array(nv)
  let hasRoot = false
  const root = new ContactSet(constraints === undefined ? 0 : 32)
  const first = new ContactSet(constraints === undefined ? 0 : 32)
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
  const found = new ContactSet(constraints === undefined ? 0 : 32)
  let mostLooks = 0
  const best = new ContactSet(constraints === undefined ? 0 : 32)
  let last: ContactStep | undefined

  /** L := the factor of M + h D, and v_f = v + (M + h D)⁻¹ h (tau - c - passive). */
  function freeVelocity({ data, state, tau, dt }: ContactStep): void {
    rows.pattern.load(data.M, L)
    for (let k = 0; k < nv; k++) vFree[k] = tau[k] - c[k]
    joints.add(L, vFree, state.v, dt)
    rows.pattern.factorize(L)
    for (let k = 0; k < nv; k++) vFree[k] *= dt
    rows.pattern.solve(L, vFree)
    for (let k = 0; k < nv; k++) vFree[k] += state.v[k]
  }

  /** vNext and vMove from the contacts of `seen`, which are those of `step` or what was seen at its end. */
  function solve(step: ContactStep, seen: ContactStep): void {
    joints.begin(step.state.v)
    for (let pass = 1; ; pass++) {
      freeVelocity(step)
      problem.solve(seen, L, vFree, vNext, vMove)
      // regularised joint friction was computed for a guess of what sticks; where it was wrong, once more
      if (!joints.settle(vNext) || pass === JOINT_PASSES) break
    }
    problem.report(seen.contacts)
    choice?.report(seen.contacts, problem.active)
  }

  /**
   * Solves again with the geometry of where the step would be after the fraction `part` of it, until the true gaps hold there. `vNext` in: where
   * the first look goes; out: the answer.
   *
   * @returns whether they do
   */
  function meet(step: ContactStep, ending: EndOfStep, choice: ConstrainedContacts, part: number, passes: number): boolean {
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
        problem.meet(solved, ending.gapOfSolved, vNext, part)
      } else {
        solved = ending.step
        if (ending.alternates()) choice.unite(solved.contacts, ending)
        choice.prune(solved.contacts, ending.floor)
        if (seesMomentum) {
          carriedBack.begin(problem, step, solved)
          problem.lookFrom(solved, undefined, vNext, ending.target, part)
        } else {
          problem.begin(solved, solved.data, step.data)
          axes.set(step.state.q, ending.state.q, vNext, part * step.dt)
          problem.lookFrom(solved, axes, vNext, ending.target, part)
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
  function solveRoot(step: ContactStep, choice: ConstrainedContacts): void {
    const { contacts } = step
    if (contacts.capacity > activeFirst.length) activeFirst = new Uint8Array(contacts.capacity)
    for (let i = 0; i < contacts.count; i++) activeFirst[i] = problem.active[i]
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
    for (let i = 0; i < contacts.count; i++) problem.active[i] = activeFirst[i]
  }

  /** `meet` for the whole step in stages, so that what parts the bodies is followed from one to the next. */
  function approach(step: ContactStep, ending: EndOfStep, choice: ConstrainedContacts): boolean {
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
  function isRootLegal(step: ContactStep, ending: EndOfStep, choice: ConstrainedContacts): boolean {
    isSeen = false
    ending.look(step, frame, vRoot, 1, solved)
    const holds = ending.holds(root, choice)
    freeMiss[0] = ending.miss[0]
    // strictly: where bodies are about to meet, tolerances are no room to move in
    return holds && ending.miss[0] <= NO_MISS && isWayLegal(step, ending, choice, vRoot, WAY_SAMPLES - 1)
  }

  /** Whether true gaps hold at places on the way that v leads, of which the last is counted if it is `last`. */
  function isWayLegal(step: ContactStep, ending: EndOfStep, choice: ConstrainedContacts, v: Float64Array, last: number): boolean {
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
  function meetTheEnd(step: ContactStep, ending: EndOfStep, choice: ConstrainedContacts, law: ConstraintLaw): void {
    const { events } = step
    const count = events.solvers[endIndex]
    leastMiss[0] = Number.POSITIVE_INFINITY
    vFirst.set(vNext)
    solved = step
    looks = 0
    mostLooks = law.passes
    isFree = false
    const mayChoose = choice.hasChoice
    choice.look(true)
    ending.begin()
    ending.look(step, frame, vNext, 1, solved)
    const holdsAtOnce = ending.holds(step.contacts, choice)
    const miss = ending.miss[0]
    isSeen = true
    isFar = miss > FAR * law.tolerances.gap
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
      holds = findEnd(step, ending, choice, law, hasRoot && miss > DOUBT * freeMiss[0])
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
  function findEnd(
    step: ContactStep,
    ending: EndOfStep,
    choice: ConstrainedContacts,
    law: ConstraintLaw,
    mayChoose: boolean,
  ): boolean {
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
    if (!law.followsPath) return false
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
  function findNearest(step: ContactStep, ending: EndOfStep, choice: ConstrainedContacts, mayChoose: boolean): boolean {
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
    name: law.name,
    level: 'velocity',
    // what speeds up within the step is still heard of in time; where its end is looked at, it is seen there
    lookAhead: ending === undefined ? 2 : 1,
    reading: law.features === undefined ? 'manifold' : 'features',
    features: law.features,
    memorySize: problem.memorySize,
    solvers: solverNames,
    parameters: shownParameters(options, law, context),

    advance(step) {
      last = step
      const { state, data, dt } = step
      const { q, v } = state
      crbaOnBranches(model, data)
      frame.begin(v)
      rnea(model, state, frame.acceleration, data, c)
      problem.begin(step)
      const { events } = step
      const { failures, fallbacks } = events
      fallbacksBefore = fallbacks
      failuresBefore = failures
      solve(step, step)
      if (ending !== undefined && choice !== undefined && constraints !== undefined) {
        meetTheEnd(step, ending, choice, constraints)
      }
      // steps are counted, not islands, nor passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      frame.finish(q, v, vNext, dt, vMove)
    },

    problem() {
      if (last === undefined) return undefined
      const { data, state, dt } = last
      const M = new Float64Array(nv * nv)
      for (let k = 0; k < nv; k++) for (let j = k; j >= 0; j = model.vParent[j]) M[k * nv + j] = data.M[k * nv + j]
      joints.add(M, new Float64Array(nv), state.v, dt)
      const saved = problem.save(M, L, vFree)
      return saved && { ...saved, law: law.solvers[0].law, ...(law.sides === undefined ? {} : { sides: law.sides }) }
    },
  }
}

function shownParameters(
  options: ImpulseOptions,
  law: VelocityLevelLaw,
  { physical, trees }: ContactModelContext,
): ContactModel['parameters'] {
  const { drift } = options
  const used: ShownParameter[] = [
    { name: 'friction', value: physical.friction, unit: '1', meaning: 'Coulomb friction of surfaces that state none' },
    { name: 'restitution', value: physical.restitution, unit: '1', meaning: "Newton's, of surfaces that state none" },
    ...law.used,
    { name: 'drift', value: drift, unit: '', meaning: 'what removes penetrations and opened loops' },
  ]
  if (drift === 'baumgarte') {
    used.push(
      {
        name: 'stabilization',
        value: options.stabilization,
        unit: '1',
        meaning: 'part of a penetration that one step removes',
      },
      {
        name: 'correctionSpeed',
        value: options.correctionSpeed,
        unit: 'm/s',
        meaning: 'fastest speed at which a penetration is removed',
      },
    )
  }
  used.push(
    {
      name: 'compliance',
      value: options.compliance,
      unit: '1',
      meaning: 'softness of a contact times the mass it holds, which settles indeterminate loads',
    },
    {
      name: 'restitutionThreshold',
      value: options.restitutionThreshold,
      unit: 'm/s',
      meaning: 'approach speed up to which nothing bounces',
    },
    {
      name: 'jointFriction',
      value: options.dryJoints ? 'exact' : 'regularised',
      unit: '',
      meaning: 'dry friction of joints: rows of the problem, or viscous near rest',
    },
  )
  let heaviest = 0
  for (const mass of trees.mass) heaviest = Math.max(heaviest, mass)
  const meaning = 'of a contact that holds up the heaviest: velocity per impulse that it yields by'
  return {
    used,
    derived: heaviest > 0 ? [{ name: 'softness', value: options.compliance / heaviest, unit: '1/kg', meaning }] : [],
    unused: ['allowedPenetration', 'stiffness', 'damping'],
  }
}
