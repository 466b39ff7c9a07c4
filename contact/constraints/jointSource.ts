import type { Data, Model } from '../../dynamics/index.ts'
import type { ContactStep } from '../contactModel.ts'
import { GroupKind } from '../solvers/index.ts'
import type { ContactRows } from './contactRows.ts'
import type { LengthRows } from './couplings/lengthRows.ts'
import type { ImpulseOptions } from './impulseLaw.ts'
import type { ImpulseProblem } from './impulseProblem.ts'
import { RowSource, sources } from './rowSource.ts'

/** Distance to a joint limit below which it is a row, in addition to the joint's travel in a step [rad, m]. */
const LIMIT_SLACK = 1e-4
/** Compliance of a limit relative to its diagonal of W times the option `compliance`; and of dry friction, which would creep by it. */
const SHARE = 0.1
const SHARE_OF_FRICTION = 1e-5
/** And of couplings, as of loops. */
const SHARE_OF_COUPLINGS = 1e-3
/** Fastest speed at which the error of a coupling is removed, which may begin open [m/s, rad/s]. */
export const CLOSING_SPEED = 1
/** Keys of the warm start of lengths, below those of joints and loops. */
const FIRST_KEY = -(1 << 28)

/** Velocities with joint limits, and the indices of their positions in q. */
export class LimitedJoints {
  readonly v: Int32Array
  readonly q: Int32Array

  constructor({ nv, lower, upper, bodyOfV, qStart, vStart }: Model) {
    const limited: number[] = []
    for (let k = 0; k < nv; k++) if (lower[k] > -Infinity || upper[k] < Infinity) limited.push(k)
    this.v = Int32Array.from(limited)
    this.q = Int32Array.from(limited, (k) => qStart[bodyOfV[k]] + k - vStart[bodyOfV[k]])
  }
}

/**
 * Joint rows of a step: near limits, and dry friction. Each acts on one velocity, with a sign. Its key for the warm start is -1 - velocity
 * as the pair, and 1 or -1 (limit) or 0 (friction) as the feature. After them those of lengths (`LengthConstraint`), which act on several
 * velocities, with a sign too: of limits near by, dry friction and couplings.
 */
export class JointSource extends RowSource {
  readonly kind: Uint8Array
  /** Of a length the first one. */
  readonly velocity: Int32Array
  /** The velocity; nv + number of the constraint of a length. */
  readonly coordinate: Int32Array
  /** +1 at a lower limit and for friction, -1 at an upper limit. */
  readonly sign: Int8Array
  private readonly feature: Int8Array
  /** Distance to the limit, negative beyond it [rad, m]; 0 for friction; error of a coupling. */
  readonly distanceToLimit: Float64Array
  /** Largest friction impulse over the step [N m s, N s]; 0 for limits. */
  readonly limit: Float64Array
  /** Opening speed of the row at the start of the step [rad/s, m/s]. */
  readonly speed: Float64Array
  /** Most rows that there can be. */
  readonly capacity: number
  readonly lengths: LengthRows
  private readonly rows: ContactRows
  private readonly options: ImpulseOptions
  private readonly limited: LimitedJoints
  private readonly frictional: Int32Array
  /** 2: distance below which a limit is a row [rad, m], and the number of steps of travel added to it. */
  private readonly reach: Float64Array
  /** Indices in `rows.J` of an entry 1 and, after it, -1. */
  private one = 0
  /** 1: of limits. */
  private readonly restitution: Float64Array
  /** 2: output of `CompliantContact.writeJoint`. */
  private readonly response = new Float64Array(2)

  /** @param restitution of limits, where they are rigid */
  constructor(rows: ContactRows, options: ImpulseOptions, lengths: LengthRows, restitution = 0) {
    super(sources.joint)
    const { model } = rows.pattern
    this.rows = rows
    this.options = options
    this.lengths = lengths
    // compliant limits are active only beyond the limit
    const isEarly = options.compliant?.writeJoint === undefined
    this.reach = isEarly ? Float64Array.of(LIMIT_SLACK, 2) : Float64Array.of(-Number.MIN_VALUE, 0)
    this.restitution = Float64Array.of(isEarly ? restitution : 0)
    this.limited = new LimitedJoints(model)
    const { friction } = model
    this.frictional = Int32Array.from(Array.from(friction.keys()).filter((k) => options.dryJoints && friction[k] > 0))
    const ofLengths = lengths.constraints.reduce((sum, { kind }) => sum + (kind === 'limit' ? 2 : 1), 0)
    this.capacity = 2 * this.limited.v.length + this.frictional.length + ofLengths
    this.reserve(this.capacity)
    this.kind = new Uint8Array(this.capacity)
    this.velocity = new Int32Array(this.capacity)
    this.coordinate = new Int32Array(this.capacity)
    this.sign = new Int8Array(this.capacity)
    this.feature = new Int8Array(this.capacity)
    this.distanceToLimit = new Float64Array(this.capacity)
    this.limit = new Float64Array(this.capacity)
    this.speed = new Float64Array(this.capacity)
  }

  /** Appends the rows' entries of J. @param start kinematics at q, the start of the step */
  begin(q: Float64Array, start: Data): void {
    const { rows, lengths } = this
    this.one = rows.append(2)
    rows.J[this.one] = 1
    rows.J[this.one + 1] = -1
    if (lengths.count === 0) return
    lengths.build(q, start)
    lengths.append(rows)
  }

  /** Finds limits that are passed or within reach in the step, at twice the larger speed of v and vFree; and all dry friction. */
  find(step: ContactStep, vFree: Float64Array): void {
    const { state, dt } = step
    const { limited, frictional, distanceToLimit, limit, speed, reach } = this
    const { lower, upper, friction } = this.rows.pattern.model
    const { q, v } = state
    this.count = 0
    for (let i = 0; i < limited.v.length; i++) {
      const k = limited.v[i]
      const x = q[limited.q[i]]
      const above = x - lower[k]
      const below = upper[k] - x
      const least = v[k] < vFree[k] ? v[k] : vFree[k]
      const most = v[k] > vFree[k] ? v[k] : vFree[k]
      if (above <= reach[0] - (least < 0 ? reach[1] * dt * least : 0)) {
        distanceToLimit[this.count] = above
        limit[this.count] = 0
        speed[this.count] = v[k]
        this.add(GroupKind.unilateral, k, 1, 1)
      }
      if (below <= reach[0] + (most > 0 ? reach[1] * dt * most : 0)) {
        distanceToLimit[this.count] = below
        limit[this.count] = 0
        speed[this.count] = -v[k]
        this.add(GroupKind.unilateral, k, -1, -1)
      }
    }
    for (let i = 0; i < frictional.length; i++) {
      const k = frictional[i]
      distanceToLimit[this.count] = 0
      limit[this.count] = dt * friction[k]
      speed[this.count] = v[k]
      this.add(GroupKind.bounded, k, 1, 0)
    }
    if (this.lengths.count > 0) this.findLengths(step, vFree)
  }

  private add(kind: GroupKind, k: number, sign: number, feature: number): void {
    this.kind[this.count] = kind
    this.velocity[this.count] = k
    this.coordinate[this.count] = k
    this.sign[this.count] = sign
    this.feature[this.count++] = feature
  }

  /** The same of lengths. */
  private findLengths({ state: { v }, dt }: ContactStep, vFree: Float64Array): void {
    const { lengths, distanceToLimit, limit, reach } = this
    const { value, constraints, bounds, rate, freeRate } = lengths
    lengths.rates(v, rate)
    lengths.rates(vFree, freeRate)
    for (let i = 0; i < lengths.count; i++) {
      const { kind } = constraints[i]
      limit[this.count] = dt * bounds[3 * i + 2]
      distanceToLimit[this.count] = kind === 'friction' ? 0 : value[i]
      if (kind !== 'limit') {
        this.addLength(kind === 'friction' ? GroupKind.bounded : GroupKind.bilateral, i, 1, 0)
        continue
      }
      for (let sign = -1; sign < 2; sign += 2) {
        const distance = sign < 0 ? bounds[3 * i + 1] - value[i] : value[i] - bounds[3 * i]
        const least = Math.min(sign * rate[i], sign * freeRate[i], 0)
        if (!(distance <= reach[0] - reach[1] * dt * least)) continue
        limit[this.count] = 0
        distanceToLimit[this.count] = distance
        this.addLength(GroupKind.unilateral, i, sign, sign)
      }
    }
  }

  private addLength(kind: GroupKind, i: number, sign: number, feature: number): void {
    this.speed[this.count] = sign * this.lengths.rate[i]
    this.add(kind, this.lengths.velocitiesOf(i)[0], sign, feature)
    this.coordinate[this.count - 1] = this.rows.pattern.model.nv + i
  }

  addRows({ system, islands: { joints, jointStart } }: ImpulseProblem, _: ContactStep, island: number): void {
    const { rows, velocity, coordinate, sign, one } = this
    const { first, size, at } = this.lengths
    for (let n = jointStart[island]; n < jointStart[island + 1]; n++) {
      const j = joints[n]
      if (coordinate[j] === velocity[j]) system.add(j, 1, rows.placeOf[velocity[j]], 1, sign[j] > 0 ? one : one + 1)
      else {
        const i = coordinate[j] - rows.pattern.model.nv
        system.add(j, 1, first[i], size[i], sign[j] > 0 ? at[i] : at[i] + size[i])
      }
    }
  }

  fill({ system, softness }: ImpulseProblem): void {
    const { options, response } = this
    const { start, index, first, kind, limit, soft, scale } = system
    for (let g = start[sources.joint]; g < start[sources.joint + 1]; g++) {
      const j = index[g]
      kind[g] = this.kind[j]
      limit[g] = this.limit[j]
      const share = kind[g] === GroupKind.bilateral ? SHARE_OF_COUPLINGS : this.limit[j] > 0 ? SHARE_OF_FRICTION : SHARE
      response[0] = share * softness[0] * scale[g]
      options.compliant?.writeJoint?.(response, this, j)
      soft[first[g]] = response[0]
    }
  }

  setTargets(problem: ImpulseProblem, step: ContactStep, correct: number): void {
    const { response } = this
    const { compliant, conditions, correctionSpeed } = this.options
    const { J, velocities } = this.rows
    const { start, index, first, rhs, added, distance, kind, list, size, at } = problem.system
    const share = correct * problem.driftRate[0]
    for (let g = start[sources.joint]; g < start[sources.joint + 1]; g++) {
      const j = index[g]
      const r = first[g]
      const distanceToLimit = this.distanceToLimit[j]
      const depth = share * distanceToLimit
      const isCoupling = kind[g] === GroupKind.bilateral
      if (isCoupling) {
        const closing = correct * problem.driftRate[1] * distanceToLimit
        added[r] = closing
        if (closing > CLOSING_SPEED) added[r] = CLOSING_SPEED
        if (closing < -CLOSING_SPEED) added[r] = -CLOSING_SPEED
      } else added[r] = distanceToLimit >= 0 ? distanceToLimit / step.dt : depth > -correctionSpeed ? depth : -correctionSpeed
      distance[r] = distanceToLimit
      if (compliant?.writeJoint !== undefined) {
        response[1] = added[r]
        compliant.writeJoint(response, this, j)
        added[r] = response[1]
      }
      if (conditions !== undefined && !isCoupling) {
        conditions.writeLimit(response, problem, step, j, correct)
        added[r] = response[0]
      }
      // a limit that is reached within the step is left at e times the speed of its approach
      const rebound = this.restitution[0] * this.speed[j]
      if (rebound < 0 && rebound < added[r] && kind[g] === GroupKind.unilateral && distanceToLimit + step.dt * this.speed[j] < 0)
        added[r] = rebound
      let u = added[r]
      for (let c = 0; c < size[g]; c++) u += J[at[g] + c] * problem.vFree[velocities[list[g] + c]]
      rhs[r] = u
    }
  }

  /** Adds the forces along lengths by the last solve to `ContactStep.loopForces`. */
  addForces({ loopForces, dt }: ContactStep): void {
    if (loopForces === undefined) return
    const { nv } = this.rows.pattern.model
    const first = loopForces.length - this.lengths.count
    for (let j = 0; j < this.count; j++) {
      if (this.coordinate[j] >= nv) loopForces[first + this.coordinate[j] - nv] += (this.sign[j] * this.impulse[3 * j]) / dt
    }
  }

  protected pairOf(j: number): number {
    return this.coordinate[j] === this.velocity[j] ? -1 - this.velocity[j] : FIRST_KEY - this.coordinate[j]
  }

  protected featureOf(j: number): number {
    return this.feature[j]
  }
}
