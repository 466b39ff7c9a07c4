import { crba, createData, createState, type Data, factorize, kinematics, solveLTransposed } from '../../dynamics/index.ts'
import { type LoopClosure, LoopRows, mocapSpring } from '../constraints/index.ts'
import type { ContactModelContext, ContactStep, ReportedParameter } from '../contactModel.ts'
import { staticFrequency } from './physicalGains.ts'

/** Ratio of a loop's frequency to that of its tree on a contact: the tree's weight opens it by 1e-4 of the allowed penetration. */
const FREQUENCY_RATIO = 100

/**
 * Greatest |s| dt of a loop's poles s at the start, for explicit steps. Runge and Kutta's method is stable up to 2.78, so W may grow to
 * twice its initial value.
 */
const EXPLICIT_LIMIT = 1.25

/** Lever at which couples have the stiffness of forces; also, in explicit steps, of couples that have no effect at the start [m]. */
const LEVER = 0.1

/** Fraction of a free mass's inverse inertia below which motion along a row is rounding. */
const IMMOBILE = 1e-9

/**
 * Loops as springs and dampers on the errors of their rows, for force-level models: force = -k e - c e' of either sign.
 *
 * One stiffness for the three rows of a loop's point and one for its couples, so that the choice of axes makes no difference: k = m omega²,
 * c = 2 m omega, omega being 100 times that of the heavier tree on a contact (`staticFrequency`). m is the mass of that tree, which the
 * loop may have to carry even if the bodies at its ends are light, like a coupler on massless cranks; couples have its inertia at a lever
 * of 10 cm. Lighter directions are overdamped. Loops to mocap bodies have MuJoCo's frequency.
 *
 * Explicit steps resolve neither. For them m = 1 / Σ (J M⁻¹ Jᵀ)_rr at the start configuration, so that no direction is faster than omega,
 * and the lightest has omega and critical damping; and omega is limited to the frequency that they resolve with all loops together.
 */
export class LoopSprings {
  readonly rows: LoopRows
  /** Per loop: angular frequency [rad/s]. */
  private readonly frequency: Float64Array
  /** Per row: stiffness [N/m, N m/rad] and damping [N s/m, N m s/rad]. */
  private readonly stiffness: Float64Array
  private readonly damping: Float64Array
  private readonly nv: number
  /** Rows of nv numbers each, and their velocities. */
  private readonly J: Float64Array
  private readonly u: Float64Array
  /** Per row: its force in `addForces` [N, N m]. */
  private readonly force: Float64Array

  constructor(context: ContactModelContext) {
    const { model, loops = [] } = context
    const rows = new LoopRows(model, loops)
    this.rows = rows
    this.nv = model.nv
    this.J = new Float64Array(rows.count * model.nv)
    this.u = new Float64Array(rows.count)
    this.force = new Float64Array(rows.count)
    const explicit = context.integrator === 'rk4' && loops.length > 0
    const W = explicit ? responseOfRows(context, rows) : new Float64Array(0)
    const inertia = explicit ? inertiaAtEnds(context, rows, W) : inertiaOfTrees(context, rows)
    const most = explicit ? fastestExplicit(context.dt, W, inertia) : Infinity
    const frequencyOfLoop = (loop: LoopClosure, l: number) =>
      rows.isPulled[rows.start[l]] === 1
        ? Math.sqrt(mocapSpring(loop.softness, context.dt).stiffness)
        : frequencyOf(context, loop)
    this.frequency = Float64Array.from(loops, (loop, l) => Math.min(frequencyOfLoop(loop, l), most))
    this.stiffness = inertia.map((m, r) => m * this.frequency[rows.loop[r]] * this.frequency[rows.loop[r]])
    this.damping = inertia.map((m, r) => 2 * m * this.frequency[rows.loop[r]])
  }

  /** Parameters as reported in a result; empty without loops. */
  get shown(): ReportedParameter[] {
    const { rows, frequency, stiffness } = this
    if (rows.count === 0) return []
    const slowest = frequency.indexOf(Math.min(...frequency))
    return [
      {
        name: 'loopFrequency',
        value: frequency[slowest],
        unit: 'rad/s',
        meaning: 'of the springs that close loops, critically damped; the slowest',
      },
      { name: 'loopStiffness', value: stiffness[rows.start[slowest]], unit: 'N/m', meaning: 'of that spring, along each axis' },
    ]
  }

  /**
   * Sets rows, errors and u = J v at the configuration and velocity of a step's start. Reads data.R_WB, data.p_WB and data.SW
   * (`kinematics`); the lists of `rows` must be those of the present pattern.
   */
  begin(data: Data, v: Float64Array): void {
    const { rows, nv, J, u } = this
    const { count, first, size, velocities } = rows
    if (count === 0) return
    rows.build(data)
    for (let r = 0; r < count; r++) {
      if (size[r] > 0) rows.writeRow(data, r, J, r * nv)
      let sum = 0
      for (let a = first[r]; a < first[r] + size[r]; a++) sum += J[r * nv + velocities[a]] * v[velocities[a]]
      u[r] = sum
    }
  }

  /** Adds the forces of an implicit step to `ContactStep.loopForces`. @param v nv: at its end */
  addForces({ loopForces, dt }: ContactStep, v: Float64Array): void {
    const { rows, nv, J, stiffness, damping, force } = this
    if (loopForces === undefined) return
    const { count, first, size, velocities, error } = rows
    for (let r = 0; r < count; r++) {
      let rate = 0
      for (let a = first[r]; a < first[r] + size[r]; a++) rate += J[r * nv + velocities[a]] * v[velocities[a]]
      force[r] = -(stiffness[r] * error[r] + (damping[r] + dt * stiffness[r]) * rate)
      rows.addForce(loopForces, r, force)
    }
  }

  /** The same of one stage of an explicit step. @param weight 1: its time in the step [s] */
  addStageForces({ loopForces, dt }: ContactStep, weight: Float64Array): void {
    const { rows, u, stiffness, damping, force } = this
    if (loopForces === undefined) return
    for (let r = 0; r < rows.count; r++) {
      force[r] = (-weight[0] * (stiffness[r] * rows.error[r] + damping[r] * u[r])) / dt
      rows.addForce(loopForces, r, force)
    }
  }

  /** f += the forces at u, H += their implicit part over dt, to be factored with the lists' pattern. In explicit steps: dt 0, no H. */
  add(f: Float64Array, dt: number, H?: Float64Array): void {
    const { rows, nv, J, u, stiffness, damping } = this
    const { count, first, size, velocities, error } = rows
    for (let r = 0; r < count; r++) {
      const slope = damping[r] + dt * stiffness[r]
      const force = 0 - stiffness[r] * error[r] - slope * u[r]
      const row = r * nv
      const end = first[r] + size[r]
      for (let a = first[r]; a < end; a++) {
        const k = velocities[a]
        const Jk = J[row + k]
        f[k] += force * Jk
        const h = dt * slope * Jk
        for (let b = a; b < end && H !== undefined; b++) H[k * nv + velocities[b]] += h * J[row + velocities[b]]
      }
    }
  }
}

/** W = J M⁻¹ Jᵀ at the start, count x count row-major. */
function responseOfRows({ model, start }: ContactModelContext, rows: LoopRows): Float64Array {
  const { nv } = model
  const { count } = rows
  const state = createState(model)
  const data = createData(model)
  if (start) state.q.set(start)
  kinematics(model, state, data)
  crba(model, data)
  factorize(model, data.M, data.L)
  rows.build(data, true)
  // Y = L⁻ᵀ Jᵀ, so that W = Yᵀ Y because M = Lᵀ L
  const Y = Array.from({ length: count }, (_, r) => {
    const y = new Float64Array(nv)
    rows.writeRow(data, r, y, 0)
    solveLTransposed(model, data.L, y)
    return y
  })
  return Float64Array.from({ length: count * count }, (_, rs) => {
    const y = Y[rs % count]
    return Y[Math.floor(rs / count)].reduce((sum, x, k) => sum + x * y[k], 0)
  })
}

/** Per row: the mass of its loop's heavier tree [kg], or for couples that mass's inertia at the lever [kg m²]. */
function inertiaOfTrees(context: ContactModelContext, { loops, loop, start }: LoopRows): Float64Array {
  const mass = loops.map((closure) => heavierMass(context, closure))
  return Float64Array.from(loop, (l, r) => (r < start[l] + 3 ? mass[l] : mass[l] * LEVER * LEVER))
}

/** Per row: effective inertia of its loop at the start, of its point [kg] or its couples [kg m²]. */
function inertiaAtEnds({ trees }: ContactModelContext, { count, loops, loop, start }: LoopRows, W: Float64Array): Float64Array {
  const heaviest = Math.max(...trees.mass)
  const ofLoop = loops.map((_, l) => {
    const sum = (from: number, to: number) => {
      let trace = 0
      for (let r = from; r < to; r++) trace += W[r * count + r]
      return trace
    }
    const middle = start[l] + 3
    const least = IMMOBILE / heaviest
    const ofPoint = sum(start[l], middle)
    const force = 1 / (ofPoint > least ? ofPoint : 1 / heaviest)
    const ofCouple = sum(middle, start[l + 1]) * LEVER * LEVER
    const couple = ofCouple > least ? (LEVER * LEVER) / ofCouple : force * LEVER * LEVER
    return { force, couple }
  })
  return Float64Array.from(loop, (l, r) => (r < start[l] + 3 ? ofLoop[l].force : ofLoop[l].couple))
}

function heavierMass({ trees: { treeOf, mass } }: ContactModelContext, { bodyA, bodyB }: LoopClosure): number {
  const massOf = (body: number) => (treeOf[body] < 0 ? 0 : mass[treeOf[body]])
  return Math.max(massOf(bodyA), massOf(bodyB))
}

const frequencyOf = (context: ContactModelContext, loop: LoopClosure): number =>
  FREQUENCY_RATIO * staticFrequency(context, heavierMass(context, loop))

/**
 * The greatest frequency that explicit steps resolve. Rows of one frequency omega have poles s² + 2 lambda omega s + lambda omega² = 0,
 * lambda an eigenvalue of diag(m) W, bounded by the greatest row sum of magnitudes in units with all m = 1 (Gershgorin). |s| is at most
 * omega (lambda + sqrt(lambda² - lambda)) if lambda is 1 or more, else below omega.
 */
function fastestExplicit(dt: number, W: Float64Array, inertia: Float64Array): number {
  const count = inertia.length
  let lambda = 1
  for (let r = 0; r < count; r++) {
    let sum = 0
    for (let s = 0; s < count; s++) sum += Math.abs(W[r * count + s]) * Math.sqrt(inertia[r] * inertia[s])
    if (sum > lambda) lambda = sum
  }
  return EXPLICIT_LIMIT / ((lambda + Math.sqrt(lambda * lambda - lambda)) * dt)
}
