import { type FrictionMethod, type ImpulseOptions, type PatchChoice, readPatch, shownPatch } from '../../constraints/index.ts'
import type { ContactModel, ContactModelContext, ContactStep } from '../../contactModel.ts'
import { type RigidImpactOptions, readRigidImpacts, shownRigidImpacts } from '../../impacts/index.ts'
import { options as table } from '../../modelOptions.ts'
import { OptionReader, shown } from '../../options.ts'
import {
  BaraffSolver,
  ContactProjectedGaussSeidel,
  type ContactSolver,
  LemkeSolver,
  MurtySolver,
  PyramidSolver,
  pyramidSides,
  StaggeredPyramid,
} from '../../solvers/index.ts'
import { shownLimitRestitution } from '../physicalGains.ts'
import { ConstrainedRungeKutta } from '../velocityLevel/constrainedRungeKutta.ts'
import { ImpulseStep, type StepLaw } from '../velocityLevel/impulseStep.ts'
import { impactTrigger, StepImpacts } from '../velocityLevel/stepImpacts.ts'
import type { DriftChoice } from './drift.ts'
import { ForceConditions, impulses } from './forceConditions.ts'
import { TestForceMatrix } from './testForceMatrix.ts'

/** Largest residual accepted from other solvers after Newton's method fails. */
const LOOSE_TOLERANCE = 1e-8
/** Lemke's algorithm: sides of the pyramids of static friction, and pivots per unknown. */
const SIDES = 8
const PIVOTS = 4
/** Most sweeps of projected Gauss-Seidel. */
const SWEEPS = 2000

type MatrixChoice = 'auto' | 'test-forces'

interface AccelerationOptions {
  readonly friction: 'coulomb' | 'lagged'
  readonly drift: DriftChoice
  readonly compliance: number
  readonly impacts: RigidImpactOptions
  readonly matrix: MatrixChoice
  readonly patch: PatchChoice
}

/** A model at the level of accelerations; see `lcp` and `lotstedt`. */
export function createAccelerationLevelModel(
  context: ContactModelContext,
  given: object | undefined,
  name: string,
  friction: AccelerationOptions['friction'],
): ContactModel {
  const { model } = context
  const { solver, ...options } = readAcceleration(new OptionReader(name, given), friction)
  const { impacts, drift, matrix } = options
  checkMatrix(context, name, matrix)
  const solvers = solversOf(friction, solver)
  const stages = context.integrator === 'rk4' ? new ConstrainedRungeKutta(context) : undefined
  const conditions = new ForceConditions(context, friction, drift, stages?.impulses)
  const law: StepLaw = stages ? { name, explicitTurn: Infinity, explicitSprings: true, damping: 'explicit' } : { name }
  const method: FrictionMethod = {
    friction: 'cone',
    solvers,
    initialSolver: solvers.length === 1 ? -1 : 1,
    matrix: matrix === 'auto' ? undefined : new TestForceMatrix(model),
    used: [],
  }
  const forces = new ImpulseStep(context, { ...law, ...method }, rowsOf(options, conditions))
  const stepImpacts = new StepImpacts(name, context, impacts, stages ? impactTrigger.smooth : impactTrigger.approach)
  const vNext = new Float64Array(model.nv)
  const vMove = new Float64Array(model.nv)
  const advanceStages = stages && stagesOf(stages, forces, conditions, vNext, vMove)

  return {
    name,
    level: 'velocity',
    hasStages: stages !== undefined,
    lookAhead: 2, // contacts that accelerate within the step are detected in time
    reading: 'manifold',
    memorySize: forces.problem.memorySize,
    solvers: friction === 'coulomb' ? [...forces.solvers, ...impulses] : forces.solvers,
    parameters: shownParameters(context, options, conditions),

    advance(step) {
      const { events } = step
      const { failures, fallbacks } = events
      forces.begin(step)
      conditions.begin(step)
      if (stepImpacts.resolve(step, forces)) conditions.begin(step)
      if (advanceStages !== undefined) advanceStages(step)
      else forces.solve(step, step, vNext, vMove)
      // counts steps, not islands or passes of one step
      events.failures = Math.min(events.failures, failures + 1)
      events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
      stepImpacts.report(step.contacts)
      if (stages === undefined) forces.finish(step, vNext, vMove)
    },

    problem() {
      const saved = forces.save()
      if (saved === undefined || friction !== 'lagged') return saved
      const { index, contactCount } = forces.problem.system
      return { ...saved, bounds: Array.from(index.subarray(0, contactCount), (i) => conditions.bound[i]) }
    },
  }
}

/** The Runge-Kutta step after impacts, with forces at each stage; the first stage has begun. */
function stagesOf(
  stages: ConstrainedRungeKutta,
  forces: ImpulseStep,
  conditions: ForceConditions,
  vNext: Float64Array,
  vMove: Float64Array,
): (step: ContactStep) => void {
  let stage = 0
  const accelerate = (step: ContactStep, a: Float64Array) => {
    if (stage++ > 0) {
      forces.begin(step)
      conditions.begin(step)
    }
    forces.solve(step, step, vNext, vMove)
    forces.problem.loops.addForces(step)
    forces.problem.joints.addForces(step)
    for (let k = 0; k < a.length; k++) a[k] = (vNext[k] - step.state.v[k]) / step.dt
  }
  return (step) => {
    stage = 0
    conditions.beginStages(step)
    stages.advance(step, accelerate)
  }
}

/** @throws RangeError for test forces where there are lengths */
function checkMatrix({ model }: ContactModelContext, name: string, matrix: MatrixChoice): void {
  if (matrix === 'auto' || !model.lengths?.length) return
  throw new RangeError(
    `contact model "${name}": matrix "${matrix}" has no test force along a length; limits, friction and couplings of tendons need matrix "auto"`,
  )
}

/** @throws RangeError for a matrix method that does not support friction offsets */
function readAcceleration(
  reader: OptionReader,
  friction: AccelerationOptions['friction'],
): AccelerationOptions & { readonly solver: string } {
  const impacts = readRigidImpacts(reader)
  const compliance = reader.read(table.acceleration.compliance)
  const drift = reader.read(table.acceleration.drift)
  const matrix = reader.read(table.acceleration.matrix)
  const solver = reader.read(table.acceleration.solver, friction === 'coulomb' ? {} : { choices: ['newton'] })
  const patch = readPatch(reader)
  reader.finish()
  if (patch === 'uniform' && matrix !== 'auto')
    throw new RangeError(
      `contact model "${reader.modelName}": matrix "${matrix}" has friction at the points of contact; patch "uniform" needs matrix "auto"`,
    )
  return { friction, drift, compliance, impacts, matrix, patch, solver }
}

function rowsOf({ patch, compliance }: AccelerationOptions, conditions: ForceConditions): ImpulseOptions {
  return {
    conditions,
    patch,
    turns: false,
    activeDistance: undefined,
    drift: 'baumgarte', // of loops; penetrations are corrected by the conditions
    stabilization: table.velocityLevel.stabilization.default,
    correctionSpeed: 0,
    compliance,
    softensCrowds: true,
    dryJoints: true,
  }
}

/** The fallback after Newton's method; and the solver named by an option, which is tried first. */
function solversOf(friction: AccelerationOptions['friction'], named: string): ContactSolver[] {
  const sweeps = { law: 'cone', tolerance: LOOSE_TOLERANCE, limit: SWEEPS, acceleration: 'anderson' } as const
  const solvers: ContactSolver[] =
    friction === 'lagged'
      ? [new ContactProjectedGaussSeidel(sweeps)]
      : [new PyramidSolver(new LemkeSolver(LOOSE_TOLERANCE, 0, PIVOTS), pyramidSides(SIDES))]
  if (named === 'baraff') solvers.push(new BaraffSolver())
  if (named === 'murty')
    solvers.push(new StaggeredPyramid(new MurtySolver(LOOSE_TOLERANCE), pyramidSides(SIDES), LOOSE_TOLERANCE))
  return solvers
}

const meaningOfDrift: Readonly<Record<DriftChoice, string>> = {
  pairs: "each contact's spring and damper, on top of the forces that hold it",
  'deepest-point': "the spring and damper of each pair's deepest point, added to the forces that were solved for",
  none: 'penetrations stay',
}

function shownParameters(
  { physical }: ContactModelContext,
  options: AccelerationOptions,
  conditions: ForceConditions,
): ContactModel['parameters'] {
  const { drift } = options
  const ofDrift = drift === 'none' ? [] : conditions.drift.physics.parameters.used.filter(({ name }) => name !== 'restitution')
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
            : 'of surfaces that state none, times the load of the step before: it lags by a step',
      },
      { name: 'restitution', value: physical.restitution, unit: '1', meaning: 'of impacts on surfaces that state none' },
      ...shownLimitRestitution(physical),
      shownPatch(options.patch),
      ...ofDrift,
      shown(table.acceleration.drift, drift, meaningOfDrift[drift]),
      ...shownRigidImpacts(options.impacts),
      shown(table.acceleration.compliance, options.compliance),
      shown(table.acceleration.matrix, options.matrix),
    ],
    derived: [],
    unused,
  }
}
