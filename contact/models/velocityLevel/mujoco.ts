import {
  crba,
  createData,
  createState,
  type Data,
  directionRow,
  factorize,
  kinematics,
  type LengthConstraint,
  type Model,
  place3,
  pointVelocity,
  solveLTransposed,
  TendonLengths,
  velocities,
} from '../../../dynamics/index.ts'
import type { CompliantContact, ImpulseProblem, JointSource, LoopClosure, LoopSource } from '../../constraints/index.ts'
import { frictionAt, LoopRows, slipSpeed } from '../../constraints/index.ts'
import {
  type ContactModel,
  type ContactModelContext,
  type ContactStep,
  type CreateContactModel,
  followStep,
  type ReportedParameter,
} from '../../contactModel.ts'
import { ContactSet } from '../../contactSet.ts'
import { referenceOf, type StatedSoftness, softnessSize } from '../../detection/index.ts'
import { type MujocoOptions, options as table } from '../../modelOptions.ts'
import { OptionReader, shown } from '../../options.ts'
import { GroupKind } from '../../solvers/index.ts'
import { Strain } from '../strain.ts'
import { ConstrainedRungeKutta } from './constrainedRungeKutta.ts'
import { readCone } from './frictionOptions.ts'
import { createVelocityLevelModel } from './velocityLevel.ts'

/** Steps ahead, with which contacts are detected up to the margins and no farther. */
const LEAST_AHEAD = 1e-12
/** MuJoCo's lower bound of R. */
const LEAST_R = 1e-15
/** Largest rotation of a free body in a step that uses the gyroscopic torque of its start, as in MuJoCo [rad]. */
const EXPLICIT_TURN = 0.05

const PATCH_OF_PYRAMID = 'a pyramid\'s edges act at the points of contact; patch "uniform" needs cone "elliptic"'

/**
 * MuJoCo's soft convex contact (Todorov, Convex and analytically-invertible dynamics with contacts and constraints, ICRA 2014; MuJoCo
 * documentation, Computation): forces f of contacts that penetrate, of joint limits that are passed and of dry joints solve
 *
 *   min over K of  1/2 fᵀ (A + R) f + fᵀ (a0 - aref),     A = J M⁻¹ Jᵀ,  a0 = J (accelerations without them)
 *   aref = -b J v - k d(r) r,     R = (1 - d) / d  times an estimate of A's diagonal,      r the gap or a joint's distance to its limit
 *   b = 2 / (dmax tc),     k = 1 / (dmax tc zeta)²,     tc = timeConstant, at least 2 h
 *
 * and d(r), the impedance, goes from dmin at the surface to dmax at a depth `width`. With p = h f that is K ∋ p ⟂ W p + R p + rhs ∈ K*, rhs
 * = h (a0 - aref) = u_free - u + h b u + h k d r: the law of `convex` with a softness for each row.
 *
 *   elliptic     K is the cone |f_t| <= mu f_n;  R_t = R_n / impratio
 *   pyramidal    f = Σ over edges n ± mu t of non-negative forces, all of one R = 2 mu² R_n / impratio: `PyramidEdges`
 *
 * The estimate of A: the mean of J M⁻¹ Jᵀ along three axes at the centre of mass of each body, or (M⁻¹)_kk of a joint, with every joint at
 * zero.
 *
 * Options: integrator, flight, cone, timeConstant and dampingRatio (solref; both negative: -stiffness and -damping, k = stiffness / dmax², b = damping / dmax),
 * dmin, dmax, width, midpoint, power (solimp), impratio, solver, jointFriction; and for loops without `LoopClosure.softness`, which the law
 * does not cover, drift, stabilization, correctionSpeed and compliance of `createVelocityLevelModel`. Joint damping is implicit in M, of
 * robots of MJCF as in MuJoCo's Euler (`ContactModelContext.dampsLast`), joint springs explicit. With `integrator: implicitfast` the rates of
 * actuators' forces over velocities are added to that damping, with `rk4` steps are of `ConstrainedRungeKutta`.
 */
export const mujoco: CreateContactModel<MujocoOptions> = (context, given) => {
  const name = 'mujoco'
  const reader = new OptionReader(name, given)
  const isPyramid = reader.read(table.mujoco.cone) === 'pyramidal'
  const flight = reader.read(table.mujoco.flight, { default: context.dampsLast ? 'euler' : 'exact' })
  const integrator = reader.read(table.mujoco.integrator)
  const hasStages = integrator === 'rk4'
  const edges = new PyramidEdges(context.softness)
  const rows = new SoftRows(context, readSoftness(reader), statedIn(given), edges)
  if (isPyramid && given?.patch === 'uniform') throw new RangeError(`contact model "mujoco": ${PATCH_OF_PYRAMID}`)
  const method = readCone(reader, 'associated')
  const strain = new Strain(name, rows.depthOfStrain, `${1e3 * rows.depthOfStrain} mm`)
  const model = createVelocityLevelModel(isPyramid ? PyramidEdges.context(context) : context, reader, {
    name,
    ...method,
    turns: false,
    explicitTurn: hasStages ? Infinity : flight === 'euler' ? EXPLICIT_TURN : undefined,
    explicitSprings: true,
    damping: hasStages ? 'explicit' : context.dampsLast || integrator === 'implicitfast' ? 'last' : undefined,
    hasServos: integrator === 'implicitfast',
    activeDistance: -Number.MIN_VALUE, // touching pairs have no contact
    tethers: context.adhesionRange !== undefined,
    compliant: isPyramid ? rows.ofEdges : rows.ofCones,
    conclude: (step) => strain.count(step),
    used: [
      shown(table.mujoco.cone, isPyramid ? 'pyramidal' : 'elliptic'),
      ...rows.used,
      shown(table.mujoco.flight, flight),
      shown(table.mujoco.integrator, integrator),
    ],
  })
  const isHard = (context.loops ?? []).some(({ softness }) => !softness)
  const parameters = parametersOf(model, rows, isHard, isPyramid)
  const { margins } = context.softness ?? {}
  const { adhesionRange = 0 } = context
  const isShifted = Boolean(margins?.length) || adhesionRange > 0
  const shift = isShifted ? new MarginShift(margins?.length ? margins : new Float64Array(context.pairCount)) : undefined
  const act = (step: ContactStep, a?: Float64Array) => {
    shift?.begin(step.contacts)
    const own = isPyramid ? edges.begin(step) : step
    if (a === undefined) model.advance(own)
    else model.accelerate!(own, a)
    if (isPyramid) edges.report(step.contacts)
    shift?.end(step.contacts)
  }
  const stages = hasStages ? new ConstrainedRungeKutta(context) : undefined
  return {
    ...model,
    lookAhead: shift ? LEAST_AHEAD : 0,
    range: shift ? shift.margins.reduce((most, margin) => Math.max(most, margin), 0) : model.range,
    parameters,
    hasStages,
    // of contacts that are the world's own
    tangent: isPyramid || shift !== undefined || hasStages ? undefined : model.tangent,
    takesRates: integrator === 'implicitfast',
    advance: stages === undefined ? (step) => act(step) : (step) => stages.advance(step, act),
  }
}

/** Whether the options state solref and solimp, which then count for all pairs. */
const statedIn = (given: MujocoOptions = {}) => ({
  solref: (['timeConstant', 'dampingRatio'] as const).some((name) => given[name] !== undefined),
  solimp: (['dmin', 'dmax', 'width', 'midpoint', 'power'] as const).some((name) => given[name] !== undefined),
})

/** solref, solimp and impratio. */
interface Softness {
  readonly timeConstant: number
  readonly dampingRatio: number
  readonly dmin: number
  readonly dmax: number
  readonly width: number
  readonly midpoint: number
  readonly power: number
  readonly impratio: number
}

function readSoftness(reader: OptionReader): Softness {
  const softness = {
    timeConstant: reader.read(table.mujoco.timeConstant),
    dampingRatio: reader.read(table.mujoco.dampingRatio),
    dmin: reader.read(table.mujoco.dmin),
    dmax: reader.read(table.mujoco.dmax),
    width: reader.read(table.mujoco.width),
    midpoint: reader.read(table.mujoco.midpoint),
    power: reader.read(table.mujoco.power),
    impratio: reader.read(table.mujoco.impratio),
  }
  const { timeConstant, dampingRatio } = softness
  if (timeConstant > 0 === dampingRatio > 0) return softness
  throw new RangeError(
    `contact model "mujoco": timeConstant is ${timeConstant} and dampingRatio ${dampingRatio}, expected both above 0, or both not: ` +
      'then they are -stiffness [1/s²] and -damping [1/s]',
  )
}

/** Softness R and reference acceleration aref of all rows. */
class SoftRows {
  readonly used: readonly ReportedParameter[]
  readonly derived: readonly ReportedParameter[]
  /** Depth at which springs have yielded: ten times that of the largest impedance [m]. */
  readonly depthOfStrain: number
  /** Contacts as three rows each, and as rows along the edges of their pyramids. */
  readonly ofCones: CompliantContact
  readonly ofEdges: CompliantContact
  private readonly impratio: number
  /**
   * ROW of the options, of each pair where geoms state some, of each velocity's and each length's limit and dry friction where joints or lengths do, and of each loop where one does: dmin, dmax, width, midpoint, power;
   * and h k [1/s], and 1 - h b, the share of a velocity that remains at the end of a step.
   */
  private readonly rows: Float64Array
  private readonly havePairs: boolean
  /** 2 per pair, empty where no `GeomPair` states any: the ratio of `StatedSoftness.friction`, and 1 - h b of friction. */
  private readonly ofFriction: Float64Array
  /** Start of those of joints; 0 where none states any. */
  private readonly ofJoints: number
  private readonly ofLoops: number
  private readonly weights: InverseWeights
  /** Per pair of shapes: the sum of its links' weights [1/kg]; empty where links are bodies. */
  private readonly ofPairs: Float64Array
  private readonly edges: PyramidEdges
  /** 1: d of the current row; error of the current loop. */
  private readonly impedance = new Float64Array(1)
  private readonly length = new Float64Array(1)

  constructor(
    { model, dt, softness: stated, loops = [] }: ContactModelContext,
    softness: Softness,
    isStated: ReturnType<typeof statedIn>,
    edges: PyramidEdges,
  ) {
    const { stiffness, damping } = referenceOf(softness, dt)
    const pairs = stated ? statedSoftness(stated.pairs, softness, isStated) : []
    const ofJoints = softnessOfJoints(model, stated?.joints)
    const joints = statedSoftness(ofJoints, softness, isStated)
    const soft = loops.some((loop) => loop.softness) ? statedSoftness(softnessOfLoops(loops), softness, isStated) : []
    const all = [softness, ...pairs, ...joints, ...soft]
    this.rows = Float64Array.from(all.flatMap((one) => rowOf(one, dt)))
    this.havePairs = pairs.length > 0
    this.ofJoints = joints.length > 0 ? ROW * (1 + pairs.length) : 0
    this.ofFriction = frictionRows(stated?.friction, pairs.length > 0 ? pairs : [softness], dt)
    this.impratio = softness.impratio
    this.depthOfStrain = all.reduce((deepest, { width }) => Math.max(deepest, 10 * width), 1e-2)
    this.ofLoops = ROW * (1 + pairs.length + joints.length)
    this.weights = new InverseWeights(model, soft.length > 0)
    this.ofPairs = this.weights.ofPairs(stated?.centers)
    this.edges = edges
    const writeJoint: CompliantContact['writeJoint'] = (out, joints, j) => this.writeJoint(out, joints, j)
    const writeLoop: CompliantContact['writeLoop'] =
      soft.length > 0 ? (out, loops, r) => this.writeLoop(out, loops, r) : undefined
    const ofRows = { writeJoint, writeLoop }
    this.ofCones = { write: (out, problem, { contacts }, i) => this.writeCone(out, problem, contacts, i), ...ofRows }
    this.ofEdges = { write: (out, problem, { contacts }, i) => this.writeEdge(out, problem, contacts, i), ...ofRows }
    this.used = usedOf(softness, all.length > 1 && !(isStated.solref && isStated.solimp))
    this.derived = [
      { name: 'referenceStiffness', value: stiffness, unit: '1/s²', meaning: 'k of aref = -b u - k d gap' },
      { name: 'referenceDamping', value: damping, unit: '1/s', meaning: 'b of aref = -b u - k d gap' },
    ]
  }

  private writeCone(
    out: Float64Array,
    { contacts: { uStart } }: ImpulseProblem,
    { gap, bodyA, bodyB, pair, passiveAdhesion }: ContactSet,
    i: number,
  ): void {
    const { weights, rows, impedance } = this
    const k = this.havePairs ? ROW * (pair[i] + 1) : 0
    this.findImpedance(gap, i, k)
    const d = impedance[0]
    const { ofPairs } = this
    const weight = ofPairs.length > 0 ? ofPairs[pair[i]] : weights.ofBody[bodyA[i]] + weights.ofBody[bodyB[i]]
    const R = ((1 - d) / d) * weight
    out[0] = R
    if (R < LEAST_R) out[0] = LEAST_R
    out[1] = out[0] / this.impratio
    out[2] = rows[k + 5] * d * gap[i] - rows[k + 6] * uStart[3 * i] - out[0] * passiveAdhesion[i]
    let left = rows[k + 6]
    if (this.ofFriction.length > 0) {
      const ratio = this.ofFriction[2 * pair[i]]
      out[1] *= ratio * ratio
      left = this.ofFriction[2 * pair[i] + 1]
    }
    out[3] = -left * uStart[3 * i + 1]
    out[4] = -left * uStart[3 * i + 2]
  }

  /** Writes the row of a pyramid's edge n ± mu t, with a fraction mu² of the tangent's weight. */
  private writeEdge(
    out: Float64Array,
    { contacts: { uStart } }: ImpulseProblem,
    { gap, bodyA, bodyB, pair, passiveAdhesion }: ContactSet,
    i: number,
  ): void {
    const { weights, rows, impedance, edges } = this
    const k = this.havePairs ? ROW * ((pair[i] >> 2) + 1) : 0
    this.findImpedance(gap, i, k)
    const d = impedance[0]
    const mu = edges.firstFriction[i]
    const { ofPairs } = this
    const weight = ofPairs.length > 0 ? ofPairs[pair[i] >> 2] : weights.ofBody[bodyA[i]] + weights.ofBody[bodyB[i]]
    const R = ((1 - d) / d) * (1 + mu * mu) * weight
    out[0] = R
    if (R < LEAST_R) out[0] = LEAST_R
    if (mu > 0) out[0] *= (2 * mu * mu) / this.impratio
    out[2] = rows[k + 5] * d * gap[i] - rows[k + 6] * uStart[3 * i] - out[0] * passiveAdhesion[i]
  }

  /** Writes a row of a limit or a coupling; or that of dry friction, at distance 0 since it has no reference position. */
  private writeJoint(out: Float64Array, { distanceToLimit, speed, kind, coordinate }: JointSource, j: number): void {
    const { weights, rows, impedance, ofJoints } = this
    const isLimit = kind[j] !== GroupKind.bounded
    const k = ofJoints === 0 ? 0 : ofJoints + ROW * (isLimit ? 2 * coordinate[j] : 2 * coordinate[j] + 1)
    this.findImpedance(distanceToLimit, j, k)
    const d = impedance[0]
    const R = ((1 - d) / d) * weights.ofCoordinate[coordinate[j]]
    out[0] = R
    if (R < LEAST_R) out[0] = LEAST_R
    out[1] = -rows[k + 6] * speed[j]
    if (isLimit) out[1] += rows[k + 5] * d * distanceToLimit[j]
  }

  /**
   * Writes a loop's row. MuJoCo's rows of a weld's rotation are turnScale / 2 times these; the impedance is that of the length of all its errors of
   * a loop.
   */
  private writeLoop(out: Float64Array, { loops, speed }: LoopSource, r: number): void {
    const { weights, rows, impedance, length } = this
    const { loop, start, error, isCouple, bodyA, bodyB } = loops
    const l = loop[r]
    const { softness } = loops.loops[l]
    if (softness === undefined) return
    const ofTurn = 0.5 * softness.turnScale
    length[0] = 0
    for (let n = start[l]; n < start[l + 1]; n++) {
      const own = isCouple[n] === 0 ? error[n] : ofTurn * error[n]
      length[0] += own * own
    }
    length[0] = Math.sqrt(length[0])
    const k = this.ofLoops + ROW * l
    this.findImpedance(length, 0, k)
    const d = impedance[0]
    const ofBody = isCouple[r] === 0 ? weights.ofBody : weights.ofTurn
    const scale = isCouple[r] === 0 ? 1 : ofTurn
    out[0] = (((1 - d) / d) * (ofBody[bodyA[r]] + ofBody[bodyB[r]])) / (scale * scale)
    if (out[0] < LEAST_R) out[0] = LEAST_R
    out[1] = rows[k + 5] * d * error[r] - rows[k + 6] * speed[r]
  }

  /** d of a gap r[i] by the row at k: dmin + y(|r| / width) (dmax - dmin), y two powers joined at the midpoint. */
  private findImpedance(r: Float64Array, i: number, k: number): void {
    const { rows } = this
    const dmin = rows[k]
    const dmax = rows[k + 1]
    const width = rows[k + 2]
    const midpoint = rows[k + 3]
    const power = rows[k + 4]
    const x = Math.abs(r[i]) / width
    let y = x > midpoint ? 1 - x : x
    if (!(x < 1) || dmin === dmax) {
      // of no width, a mean
      this.impedance[0] = width <= LEAST_R ? 0.5 * (dmin + dmax) : dmax
      return
    }
    const over = x > midpoint ? 1 - midpoint : midpoint
    const share = y / over
    let n = 2
    for (; n <= power; n++) y *= share
    // what is left of a power that is no whole number, bit by bit: sqrt has one result on every machine
    let root = share
    let left = power - (n - 1)
    while (left > 0) {
      root = Math.sqrt(root)
      left *= 2
      if (left < 1) continue
      y *= root
      left -= 1
    }
    if (x > midpoint) y = 1 - y
    this.impedance[0] = dmin + y * (dmax - dmin)
  }
}

/** @param hasStated whether some rows have their own */
function usedOf(softness: Softness, hasStated: boolean): ReportedParameter[] {
  const { timeConstant, dampingRatio } = softness
  const isDirect = timeConstant <= 0
  const moved = 'over the mass that a contact moves'
  return [
    isDirect
      ? { ...shown(table.mujoco.timeConstant, timeConstant, `-stiffness, ${moved}`), unit: '1/s²' }
      : shown(table.mujoco.timeConstant, timeConstant),
    isDirect
      ? { ...shown(table.mujoco.dampingRatio, dampingRatio, `-damping, ${moved}`), unit: '1/s' }
      : shown(table.mujoco.dampingRatio, dampingRatio),
    ...(['dmin', 'dmax', 'width', 'midpoint', 'power', 'impratio'] as const).map((name) =>
      shown(table.mujoco[name], softness[name]),
    ),
    ...(hasStated
      ? [
          {
            name: 'solref, solimp',
            value: 'of the file',
            unit: '',
            meaning: 'geoms, joints and tendons that state them have theirs',
          },
        ]
      : []),
  ]
}

/**
 * Counts gaps from the margins of their pairs during a step: a contact begins there, and its law is that of the gap below it. Beyond, a
 * contact that adheres has no friction.
 */
class MarginShift {
  readonly margins: Float64Array
  private gaps = new Float64Array(0)

  constructor(margins: Float64Array) {
    this.margins = margins
  }

  begin({ count, capacity, gap, pair, mu, muStatic, torsion, rolling, adhesion }: ContactSet): void {
    if (capacity > this.gaps.length) this.gaps = new Float64Array(capacity)
    for (let i = 0; i < count; i++) {
      this.gaps[i] = gap[i]
      gap[i] -= this.margins[pair[i]]
      if (adhesion[i] === 0 || gap[i] < 0) continue
      mu[i] = 0
      muStatic[i] = 0
      torsion[i] = 0
      rolling[i] = 0
    }
  }

  end({ count, gap }: ContactSet): void {
    for (let i = 0; i < count; i++) gap[i] = this.gaps[i]
  }
}

/** Entries of a row of `SoftRows.rows`. */
const ROW = 7

function rowOf(softness: Softness, dt: number): number[] {
  const { dmin, dmax, width, midpoint, power } = softness
  const { stiffness, damping } = referenceOf(softness, dt)
  return [dmin, dmax, width, midpoint, power, dt * stiffness, 1 - dt * damping]
}

/** `SoftRows.ofFriction`. */
function frictionRows(stated: Float64Array | undefined, pairs: readonly Softness[], dt: number): Float64Array {
  if (!stated) return new Float64Array(0)
  const rows = Array.from({ length: stated.length / 3 }, (_, pair) => {
    const [ratio, timeConstant, dampingRatio] = stated.subarray(3 * pair)
    const own = pairs[pair] ?? pairs[0]
    const { damping } = referenceOf(Number.isNaN(timeConstant) ? own : { ...own, timeConstant, dampingRatio }, dt)
    return [Number.isNaN(ratio) ? 1 : ratio, 1 - dt * damping]
  })
  return Float64Array.from(rows.flat())
}

/** Of each loop, as of a pair. */
const softnessOfLoops = (loops: readonly LoopClosure[]) =>
  Float64Array.from(
    loops.flatMap(({ softness }) => (softness ? [...softness.solref, ...softness.solimp] : Array(softnessSize).fill(Number.NaN))),
  )

/** Of each velocity's limit and friction, then of each length's; empty where none states any. */
function softnessOfJoints({ nv, lengths = [] }: Model, stated: Float64Array = new Float64Array(0)): Float64Array {
  if (stated.length === 0 && !lengths.some(({ softness }) => softness)) return new Float64Array(0)
  const unstated = Array<number>(softnessSize).fill(Number.NaN)
  const ofLengths = lengths.flatMap(({ softness }) => {
    const own = softness ? [...softness.solref, ...softness.solimp] : unstated
    return [...own, ...own]
  })
  const ofJoints =
    stated.length > 0
      ? [...stated]
      : Array(2 * nv)
          .fill(unstated)
          .flat()
  return Float64Array.from([...ofJoints, ...ofLengths])
}

/** Of each pair, joint or loop: its solref and solimp within MuJoCo's bounds, where the options do not state them. */
function statedSoftness(stated: Float64Array, softness: Softness, isStated: ReturnType<typeof statedIn>): Softness[] {
  const within = (x: number) => Math.min(Math.max(x, 1e-4), 1 - 1e-4)
  return Array.from({ length: stated.length / softnessSize }, (_, row) => {
    const [timeConstant, dampingRatio, dmin, dmax, width, midpoint, power] = stated.subarray(softnessSize * row)
    if (Number.isNaN(dmin)) return softness
    // of a time and no damping ratio, or the other way round, MuJoCo makes its default
    const isMixed = timeConstant > 0 !== dampingRatio > 0
    const solref = isMixed ? { timeConstant: 0.02, dampingRatio: 1 } : { timeConstant, dampingRatio }
    const solimp = {
      dmin: within(dmin),
      dmax: within(dmax),
      width: Math.max(width, 0),
      midpoint: within(midpoint),
      power: Math.max(power, 1),
    }
    return { ...softness, ...(!isStated.solref && solref), ...(!isStated.solimp && solimp) }
  })
}

type Parts = LengthConstraint['parts']

/** The three velocities of a length that is the angle of a ball joint. */
function turnOf({ vStart }: Model, parts: Parts): number[] | undefined {
  const [first] = parts
  return parts.length === 1 && first.type === 'turn' ? [0, 1, 2].map((d) => vStart[first.body] + d) : undefined
}

/** row := J of a length. */
function setLength(row: Float64Array, model: Model, q: Float64Array, data: Data, parts: Parts): void {
  const length = new TendonLengths(model, [{ parts }])
  length.evaluate(q, data)
  row.fill(0)
  length.velocities[0].forEach((k, c) => {
    row[k] = length.J[0][c]
  })
}

/** MuJoCo's estimates of the diagonal of J M⁻¹ Jᵀ: those of the configuration with every joint at zero. */
class InverseWeights {
  /**
   * nb: mean over three axes at the centre of mass [1/kg], 0 for a fixed body; nv: (M⁻¹)_kk, and after them of each constraint of lengths the
   * sum of J M⁻¹ Jᵀ of its one or two lengths, of a ball joint's angle the mean over three axes.
   */
  readonly ofBody: Float64Array
  readonly ofCoordinate: Float64Array
  /** nb, where asked for: mean over rotations about three axes [1/(kg m²)]. */
  readonly ofTurn: Float64Array
  private readonly model: Model
  private readonly data: Data
  /** nv */
  private readonly row: Float64Array

  constructor(model: Model, turns = false) {
    const { nb, nv, I, lengths = [] } = model
    const data = createData(model)
    const state = createState(model)
    this.model = model
    this.data = data
    kinematics(model, state, data)
    crba(model, data)
    factorize(model, data.M, data.L)
    const row = new Float64Array(nv)
    this.row = row
    const weigh = () => this.weigh()
    this.ofBody = Float64Array.from({ length: nb }, (_, body) => {
      const [m, x, y, z] = I[body]
      return this.at(body, m > 0 ? Float64Array.of(x / m, y / m, z / m) : new Float64Array(3))
    })
    const ofVelocity = Array.from({ length: nv }, (_, k) => {
      row.fill(0)
      row[k] = 1
      return weigh()
    })
    const ofLengths = lengths.map(({ parts, other }) =>
      [parts, other].reduce((sum, own) => {
        const turned = own && turnOf(model, own)
        if (turned) return sum + turned.reduce((mean, k) => mean + ofVelocity[k] / 3, 0)
        setLength(row, model, state.q, data, own ?? [])
        return sum + weigh()
      }, 0),
    )
    this.ofCoordinate = Float64Array.from([...ofVelocity, ...ofLengths])
    const [origin, unturned] = [
      [0, 0, 0],
      [0, 0, 0, 1],
    ]
    this.ofTurn = Float64Array.from({ length: turns ? nb : 0 }, (_, bodyB) => {
      const ends = { bodyA: 0, bodyB, pointA: origin, pointB: origin, orientationA: unturned, orientationB: unturned }
      const weld = new LoopRows(model, [{ name: '', kind: 'weld', ...ends }])
      weld.build(data)
      let sum = 0
      for (let r = 3; r < 6; r++) {
        row.fill(0)
        weld.writeRow(data, r, row, 0)
        sum += weigh()
      }
      return sum / 3
    })
  }

  /** eᵀ M⁻¹ e = |L⁻ᵀ e|² of the row e, for M = Lᵀ L. */
  private weigh(): number {
    const { model, data, row } = this
    solveLTransposed(model, data.L, row)
    return row.reduce((sum, x) => sum + x * x, 0)
  }

  /** Mean over three axes at a point in the axes of a body [1/kg]. */
  private at(body: number, point: Float64Array): number {
    const { model, data, row } = this
    if (model.vLast[body] < 0) return 0
    const axes = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
    const place = new Float64Array(3)
    place3(place, data.R_WB[body], data.p_WB[body], point)
    let sum = 0
    for (let d = 0; d < 9; d += 3) {
      row.fill(0)
      directionRow(model, data, body, place, 0, axes, d, 1, row, 0)
      sum += this.weigh()
    }
    return sum / 3
  }

  /** Per pair of `StatedSoftness.centers`: the sum at its links. */
  ofPairs(centers: Float64Array = new Float64Array(0)): Float64Array {
    const known = new Map<string, number>()
    const one = (k: number) => {
      const [body, x, y, z] = centers.subarray(k, k + 4)
      if (Number.isNaN(x)) return this.ofBody[body] ?? 0
      const key = `${body} ${x} ${y} ${z}`
      const weight = known.get(key) ?? this.at(body, Float64Array.of(x, y, z))
      known.set(key, weight)
      return weight
    }
    return Float64Array.from({ length: centers.length / 8 }, (_, pair) => one(8 * pair) + one(8 * pair + 4))
  }
}

/**
 * The contacts of a step as frictionless contacts: one for each edge n ± mu t of a pyramid, whose row of J has that direction, not of unit
 * length; and one for each contact without friction.
 */
class PyramidEdges {
  private readonly edges = new ContactSet()
  /** Per edge: mu of its contact over the step, 0 without friction; and mu of one contact. */
  friction = new Float64Array(0)
  /** Per edge: the first coefficient of its contact, which is the smaller where `StatedSoftness.friction` has a ratio. */
  firstFriction = new Float64Array(0)
  private readonly mu = new Float64Array(1)
  /** 3: slip of the current contact, along normal and tangents [m/s]. */
  private readonly u = new Float64Array(3)
  /** 6 per contact: the tangents of its edges; 3: the second of them before it is made orthogonal. */
  private tangents = new Float64Array(0)
  private readonly along = new Float64Array(3)
  private readonly axes: Float64Array
  private readonly ratios: Float64Array
  private readonly velocity = new Float64Array(3)
  /** Whether the step's data holds the velocities. */
  private hasVelocities = false
  /** The step with edges as contacts. */
  private ofEdges: ContactStep | undefined

  constructor(stated?: StatedSoftness) {
    this.axes = stated?.axes ?? new Float64Array(0)
    this.ratios = stated?.friction ?? new Float64Array(0)
  }

  /** Gives each edge a pair number as key of its warm start: 4 pair + edge. */
  static context(context: ContactModelContext): ContactModelContext {
    return { ...context, pairCount: 4 * context.pairCount }
  }

  begin(step: ContactStep): ContactStep {
    const { edges } = this
    const { count, bodyA, bodyB, pair, feature, point, normal, gap } = step.contacts
    edges.reserve(4 * step.contacts.capacity)
    if (edges.capacity > this.friction.length) {
      this.friction = new Float64Array(edges.capacity)
      this.firstFriction = new Float64Array(edges.capacity)
      this.tangents = new Float64Array(6 * edges.capacity)
    }
    this.hasVelocities = false
    edges.runs = step.contacts.runs
    let e = 0
    for (let i = 0; i < count; i++) {
      this.findFriction(step, i)
      this.findTangents(step, i)
      const { tangents } = this
      const mu = this.mu[0]
      const end = mu > 0 ? 4 : 1
      const first = this.ratios.length > 0 ? mu * this.ratios[3 * pair[i]] : mu
      for (let n = 0; n < end; n++, e++) {
        const along = n < 2 ? 6 * i : 6 * i + 3
        const by = n % 2 === 0 ? mu : -mu
        for (let k = 0; k < 3; k++) {
          edges.point[3 * e + k] = point[3 * i + k]
          edges.normal[3 * e + k] = normal[3 * i + k] + by * tangents[along + k]
        }
        if (edges.runs) this.run(step.contacts, i, e)
        edges.bodyA[e] = bodyA[i]
        edges.bodyB[e] = bodyB[i]
        edges.pair[e] = 4 * pair[i] + n
        edges.feature[e] = feature[i]
        edges.gap[e] = gap[i]
        edges.passiveAdhesion[e] = step.contacts.passiveAdhesion[i] / end
        this.friction[e] = mu
        this.firstFriction[e] = first
      }
    }
    edges.count = e
    this.ofEdges ??= { ...step, contacts: edges }
    followStep(this.ofEdges, step)
    return this.ofEdges
  }

  /** Sets the velocity of surfaces that run along edge e of contact i; it has none along the normal. */
  private run({ tangent1, tangent2, inverse2, running }: ContactSet, i: number, e: number): void {
    const { running: along, normal } = this.edges
    along[3 * e] = 0
    for (let d = 0; d < 3; d++) {
      const k = 3 * i + d
      along[3 * e] += (running[3 * i + 1] * tangent1[k] + running[3 * i + 2] * inverse2[i] * tangent2[k]) * normal[3 * e + d]
    }
  }

  /**
   * Tangents of the edges of contact i as in MuJoCo: the second is the world's y axis (z where the normal is within 60 degrees of y), or the axis
   * of a capsule on a plane, made orthogonal to the normal, and the first that x normal. Where friction has directions, those of the contact.
   */
  private findTangents(
    { data: { R_WB }, contacts: { normal, tangent1, tangent2, inverse2, pair } }: ContactStep,
    i: number,
  ): void {
    const { tangents, along, axes } = this
    const n = 3 * i
    const t = 6 * i
    const x = normal[n]
    const y = normal[n + 1]
    const z = normal[n + 2]
    along.fill(0)
    const isUp = Math.abs(y) >= 0.5
    let off = isUp ? z : y
    let rest = 1 - off * off
    along[isUp ? 2 : 1] = 1
    const body = axes.length > 0 ? axes[4 * pair[i]] : 0
    if (body > 0) {
      const R = R_WB[body]
      const k = 4 * pair[i] + 1
      const ax = R[0] * axes[k] + R[1] * axes[k + 1] + R[2] * axes[k + 2]
      const ay = R[3] * axes[k] + R[4] * axes[k + 1] + R[5] * axes[k + 2]
      const az = R[6] * axes[k] + R[7] * axes[k + 1] + R[8] * axes[k + 2]
      const by = ax * x + ay * y + az * z
      // an upright capsule has no direction on the plane
      if (by * by < 1 - 1e-12) {
        along[0] = ax
        along[1] = ay
        along[2] = az
        off = by
        rest = 1 - by * by
      }
    }
    const scale = 1 / Math.sqrt(rest)
    if (inverse2[i] !== 1) {
      for (let k = 0; k < 3; k++) {
        tangents[t + k] = tangent1[n + k]
        tangents[t + 3 + k] = tangent2[n + k]
      }
      return
    }
    for (let k = 3; k < 6; k++) tangents[t + k] = scale * (along[k - 3] - off * normal[n + k - 3])
    tangents[t] = tangents[t + 4] * z - tangents[t + 5] * y
    tangents[t + 1] = tangents[t + 5] * x - tangents[t + 3] * z
    tangents[t + 2] = tangents[t + 3] * y - tangents[t + 4] * x
  }

  /** mu := friction of contact i over the step, for its initial slip. */
  private findFriction({ model, state, data, contacts }: ContactStep, i: number): void {
    const { mu, muStatic, viscous, bodyA, bodyB, point, tangent1, tangent2, running } = contacts
    this.mu[0] = mu[i]
    if (muStatic[i] === mu[i] && viscous[i] === 0) return
    const { u, velocity } = this
    if (!this.hasVelocities) velocities(model, state, data)
    this.hasVelocities = true
    for (let k = 0; k < 3; k++) u[k] = running[3 * i + k]
    for (let sign = -1; sign < 2; sign += 2) {
      for (let d = 0; d < 3; d++) velocity[d] = point[3 * i + d]
      pointVelocity(data, sign < 0 ? bodyA[i] : bodyB[i], velocity, velocity)
      for (let d = 0; d < 3; d++) {
        u[1] += sign * velocity[d] * tangent1[3 * i + d]
        u[2] += sign * velocity[d] * tangent2[3 * i + d]
      }
    }
    this.mu[0] = frictionAt(contacts, i, slipSpeed(contacts, u[1], u[2], i))
  }

  /** impulse := sum over the edges of each contact, along its own tangents. */
  report({ count, impulse, tangent1, tangent2, inverse2 }: ContactSet): void {
    const { friction, tangents } = this
    const p = this.edges.impulse
    for (let i = 0, e = 0; i < count; i++) {
      const mu = friction[e]
      const isPyramid = mu > 0
      impulse[3 * i] = isPyramid ? p[3 * e] + p[3 * e + 3] + p[3 * e + 6] + p[3 * e + 9] : p[3 * e]
      const along = isPyramid ? mu * (p[3 * e] - p[3 * e + 3]) : 0
      const across = isPyramid ? mu * (p[3 * e + 6] - p[3 * e + 9]) : 0
      const isOwn = inverse2[i] !== 1
      impulse[3 * i + 1] = isOwn ? along : 0
      impulse[3 * i + 2] = isOwn ? across : 0
      for (let k = 0; k < 3 && !isOwn; k++) {
        const x = along * tangents[6 * i + k] + across * tangents[6 * i + 3 + k]
        impulse[3 * i + 1] += x * tangent1[3 * i + k]
        impulse[3 * i + 2] += x * tangent2[3 * i + k]
      }
      e += isPyramid ? 4 : 1
    }
  }
}

/** Parameters of `createVelocityLevelModel`, without those that this law does not use. */
function parametersOf(
  { parameters }: ContactModel,
  { derived }: SoftRows,
  hasLoops: boolean,
  isPyramid: boolean,
): ContactModel['parameters'] {
  const isStated = parameters.used.some(({ name }) => name === 'limitRestitution')
  const without = ['restitution', 'restitutionThreshold', 'limitRestitution']
  if (!hasLoops) without.push('drift', 'stabilization', 'correctionSpeed', 'compliance')
  return {
    used: parameters.used.filter(({ name }) => !without.includes(name)),
    derived,
    unused: [
      ...['allowedPenetration', 'stiffness', 'damping', 'restitution', ...(isStated ? ['limitRestitution'] : [])],
      ...(isPyramid ? ['torsionRadius of a surface', 'rollingLength of a surface'] : []),
    ],
  }
}
