import { crbaOnBranches, JointFriction, RestFrame, rnea } from '../../../dynamics/index.ts'
import type { ContactModel, ContactModelContext, ContactStep, ShownParameter } from '../../contactModel.ts'
import type { OptionReader } from '../../options.ts'
import { type ContactSolver, LemkeSolver, ModeGuess, PyramidSolver, pyramidSides } from '../../solvers/index.ts'
import { type Drift, type ImpulseOptions, ImpulseProblem } from './impulseProblem.ts'
import { Projection } from './projection.ts'
import { SolverChain } from './solverChain.ts'
import { type ModeNames, TreeGuess } from './treeGuess.ts'

/** Times that regularised joints' stick and slide may be guessed anew in one step. */
const JOINT_PASSES = 4

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
  /** Parameters of its own. */
  readonly used: readonly ShownParameter[]
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
  const drift = reader.choice<Drift>('drift', law.drift, ['baumgarte', 'projection', 'none'])
  const options: ImpulseOptions = {
    turns: law.turns,
    activeDistance: law.activeDistance,
    drift,
    stabilization: reader.number('stabilization', 0.2, 0, 1),
    correctionSpeed: reader.number('correctionSpeed', 0.1, 0, 100),
    compliance: reader.number('compliance', law.compliance, 1e-9, 1e-2),
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
  const problem = new ImpulseProblem(law.name, context, chain, options, tree, projection)
  const { rows } = problem
  const c = new Float64Array(nv)
  const L = new Float64Array(nv * nv)
  const vFree = new Float64Array(nv)
  const vNext = new Float64Array(nv)
  const vMove = new Float64Array(nv)
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

  return {
    name: law.name,
    level: 'velocity',
    lookAhead: 2, // what speeds up within the step is still heard of in time
    reading: 'manifold',
    memorySize: problem.memorySize,
    solvers: [...names, ...projectionChain.names],
    parameters: shownParameters(options, law, context),

    advance(step) {
      last = step
      const { state, data, contacts, dt } = step
      const { q, v } = state
      crbaOnBranches(model, data)
      frame.begin(v)
      rnea(model, state, frame.acceleration, data, c)
      problem.begin(step)
      joints.begin(v)
      const { events } = step
      const { failures, fallbacks } = events
      for (let pass = 1; ; pass++) {
        freeVelocity(step)
        problem.solve(step, L, vFree, vNext, vMove)
        // regularised joint friction was computed for a guess of what sticks; where it was wrong, once more
        if (!joints.settle(vNext) || pass === JOINT_PASSES) break
      }
      // steps are counted, not islands, nor passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      problem.report(contacts)
      frame.finish(q, v, vNext, dt, vMove)
    },

    problem() {
      if (last === undefined) return undefined
      const { data, state, dt } = last
      const M = new Float64Array(nv * nv)
      for (let k = 0; k < nv; k++) for (let j = k; j >= 0; j = model.vParent[j]) M[k * nv + j] = data.M[k * nv + j]
      joints.add(M, new Float64Array(nv), state.v, dt)
      const saved = problem.save(last, M, L, vFree)
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
