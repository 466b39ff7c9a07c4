import { crbaOnBranches, JointFriction, RestFrame, rnea } from '../../../dynamics/index.ts'
import type { ContactModel, ContactModelContext, ContactModelOptions, ContactStep } from '../../contactModel.ts'
import { type ImpactHypothesis, ImpactPhase } from '../../impacts/index.ts'
import { OptionReader } from '../../options.ts'
import { AccelerationForces, type AccelerationOptions, solverNames } from './accelerationForces.ts'
import type { DriftChoice } from './drift.ts'
import type { MatrixChoice } from './treeInertia.ts'

/** Times that the joints' stick and slide may be guessed anew in one step. */
const JOINT_PASSES = 4

type Impulses = 'simultaneous' | 'sequential'

/** A model at the level of accelerations; see `lcp` and `lotstedt`. */
export function createAccelerationLevelModel(
  context: ContactModelContext,
  given: ContactModelOptions | undefined,
  name: string,
  friction: AccelerationOptions['friction'],
): ContactModel {
  const reader = new OptionReader(name, given)
  const impulses = reader.choice<Impulses>('impulses', 'simultaneous', ['simultaneous', 'sequential'])
  const sequential = impulses === 'sequential'
  const impacts = reader.choice<ImpactHypothesis>(
    'impacts',
    sequential ? 'stronge' : 'newton',
    sequential ? ['stronge', 'newton', 'poisson'] : ['newton'],
  )
  const options: AccelerationOptions = {
    friction,
    compliance: reader.number('compliance', 5e-6, 1e-9, 1e-2),
    drift: reader.choice<DriftChoice>('drift', 'pairs', ['pairs', 'deepest-point', 'none']),
    restitutionThreshold: reader.number('restitutionThreshold', 0.01, 0, 10),
    simultaneous: !sequential,
    matrix: reader.choice<MatrixChoice>('matrix', 'auto', ['auto', 'factored', 'test-forces', 'recursive']),
  }
  reader.finish()

  const { model } = context
  const { nv } = model
  const frame = new RestFrame(model)
  const joints = new JointFriction(model)
  const forces = new AccelerationForces(context, options)
  const { restitutionThreshold } = options
  const phase = sequential ? new ImpactPhase(context, { impacts, restitutionThreshold }, forces.memorySize) : undefined
  const { inertia } = forces
  const c = new Float64Array(nv)
  const vFree = new Float64Array(nv)
  const vNext = new Float64Array(nv)
  let last: ContactStep | undefined

  /** c for the present velocity. */
  function biasForces({ state, data }: ContactStep): void {
    frame.begin(state.v)
    rnea(model, state, frame.acceleration, data, c)
  }

  /** The inertia is M + h D, and v_f = v + (M + h D)⁻¹ h (tau - c - passive). */
  function freeVelocity({ state, tau, dt }: ContactStep): void {
    inertia.load()
    for (let k = 0; k < nv; k++) vFree[k] = tau[k] - c[k]
    joints.add(inertia.H, vFree, state.v, dt)
    inertia.factor()
    for (let k = 0; k < nv; k++) vFree[k] *= dt
    inertia.solve(vFree)
    for (let k = 0; k < nv; k++) vFree[k] += state.v[k]
  }

  /** Impacts of this step, with M alone: no joint's friction has time to act. */
  function meetImpacts(step: ContactStep): void {
    inertia.load()
    inertia.factor()
    forces.meetImpacts(step, vFree)
    biasForces(step)
    joints.begin(step.state.v)
    freeVelocity(step)
  }

  return {
    name,
    level: 'velocity',
    lookAhead: sequential ? 0 : 2, // what speeds up within the step is still heard of in time
    reading: 'manifold',
    memorySize: forces.memorySize + (phase?.memorySize ?? 0),
    solvers: solverNames[friction],
    parameters: shownParameters(context, options, impulses, impacts, forces),

    advance(step) {
      const { state, data, dt } = step
      const { q, v } = state
      const { events } = step
      const { failures, fallbacks } = events
      phase?.meet(step)
      inertia.begin(data)
      biasForces(step)
      forces.begin(step)
      joints.begin(v)
      freeVelocity(step)
      if (forces.hasImpacts(step, vFree)) meetImpacts(step)
      for (let pass = 1; ; pass++) {
        forces.solve(step, vFree, vNext)
        // dry joint friction was computed for a guess of what sticks; where it was wrong, once more
        if (!joints.settle(vNext) || pass === JOINT_PASSES) break
        freeVelocity(step)
      }
      // steps are counted, not islands, nor passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      forces.report(step)
      phase?.report(step.contacts)
      frame.finish(q, v, vNext, dt)
      last = step
    },

    problem() {
      if (last === undefined) return undefined
      const { data, state, dt } = last
      if (inertia.name !== 'factored') crbaOnBranches(model, data) // the step had no M
      const M = new Float64Array(nv * nv)
      for (let k = 0; k < nv; k++) {
        for (let j = k; j >= 0; j = model.vParent[j]) {
          M[k * nv + j] = data.M[k * nv + j]
          M[j * nv + k] = data.M[k * nv + j]
        }
      }
      joints.add(M, new Float64Array(nv), state.v, dt)
      return forces.save(last, M, vFree)
    },
  }
}

function shownParameters(
  { physical }: ContactModelContext,
  options: AccelerationOptions,
  impulses: Impulses,
  impacts: ImpactHypothesis,
  forces: AccelerationForces,
): ContactModel['parameters'] {
  const { drift } = options
  const ofDrift = drift === 'none' ? [] : forces.driftPhysics.parameters.used.filter(({ name }) => name !== 'restitution')
  const unused = ['allowedPenetration', 'stiffness', 'damping'].filter((name) => !ofDrift.some((used) => used.name === name))
  return {
    used: [
      {
        name: 'friction',
        value: physical.friction,
        unit: '1',
        meaning:
          options.friction === 'coulomb'
            ? 'Coulomb friction of surfaces that state none'
            : 'of surfaces that state none, times the load of the step before: it lags by a step, and holds up to √2 of it between its tangents',
      },
      { name: 'restitution', value: physical.restitution, unit: '1', meaning: 'of impacts on surfaces that state none' },
      ...ofDrift,
      {
        name: 'drift',
        value: drift,
        unit: '',
        meaning:
          drift === 'pairs'
            ? "each contact's spring and damper, on top of the forces that hold it"
            : drift === 'deepest-point'
              ? "the spring and damper of each pair's deepest point, added to the forces that were solved for"
              : 'penetrations stay',
      },
      {
        name: 'impulses',
        value: impulses,
        unit: '',
        meaning:
          impulses === 'simultaneous' ? 'all impacts at once, one problem' : 'impacts one after another, the fastest first',
      },
      { name: 'impacts', value: impacts, unit: '', meaning: 'hypothesis of restitution' },
      {
        name: 'compliance',
        value: options.compliance,
        unit: '1',
        meaning: 'softness relative to the inverse mass, which settles indeterminate loads',
      },
      {
        name: 'restitutionThreshold',
        value: options.restitutionThreshold,
        unit: 'm/s',
        meaning: 'approach speed up to which nothing bounces',
      },
      { name: 'matrix', value: forces.inertia.name, unit: '', meaning: 'way to W = J M⁻¹ Jᵀ; ways differ by rounding' },
    ],
    derived: [],
    unused,
  }
}
