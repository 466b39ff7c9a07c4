import { velocities as bodyVelocities, type Data, RestFrame, type TrapezoidalDynamics } from '../../../dynamics/index.ts'
import type { ContactStep } from '../../contactModel.ts'
import { defaultSoftness, referenceOf } from '../../detection/index.ts'
import type { Softness } from '../../geometry/index.ts'
import { GroupKind } from '../../solvers/index.ts'
import type { ContactRows } from '../contactRows.ts'
import type { ImpulseOptions } from '../impulseLaw.ts'
import type { ImpulseProblem } from '../impulseProblem.ts'
import { RowSource, sources } from '../rowSource.ts'
import { LoopRows } from './loopRows.ts'

/** Compliance of a row relative to its diagonal of W times the option `compliance`; needed since rows may be redundant. */
const SHARE = 1e-3

/** The damped spring between a mocap body and what is held to it: a = -k r - b v of the force on an inertia over `impedance`, as MuJoCo has it. */
export interface MocapSpring {
  /** k [1/s²] and b [1/s]. */
  readonly stiffness: number
  readonly damping: number
  readonly impedance: number
}

/** @param softness of which the impedance is that of an open loop, dmax */
export function mocapSpring(
  { solref: [timeConstant, dampingRatio], solimp }: Softness = defaultSoftness,
  dt: number,
): MocapSpring {
  const impedance = Math.min(0.9999, Math.max(0.0001, solimp[1]))
  const { stiffness, damping } = referenceOf({ timeConstant, dampingRatio, dmax: impedance }, dt)
  return { stiffness: impedance * stiffness, damping, impedance }
}

/** Closed loops: every row of `LoopRows` is a constraint. */
export class LoopSource extends RowSource {
  readonly loops: LoopRows
  /** Per row: velocity added to its drift correction [m/s, rad/s]; 0 from `begin`, for the caller to change. */
  readonly target: Float64Array
  private readonly rows: ContactRows
  /** Per loop: the spring of one to a mocap body. */
  private springs: readonly (MocapSpring | undefined)[] | undefined
  private readonly hasSprings: boolean
  /** Per row, of laws with compliant loops: J v at the start of the step [m/s, rad/s]; valid in `CompliantContact.writeLoop`. */
  readonly speed: Float64Array
  /** Per row: start of its J in rows.J. */
  private readonly at: Int32Array
  /** Trapezoidal steps: the loops at the predicted end of the step. */
  private readonly atEnd: LoopRows
  /** nv: one row; and per row its force [N, N m]. */
  private readonly row: Float64Array
  private readonly force: Float64Array
  private readonly compliant: ImpulseOptions['compliant']
  private readonly response = new Float64Array(2)
  private readonly frame: RestFrame

  constructor(rows: ContactRows, loops: LoopRows, { trapezoidal, compliant }: ImpulseOptions) {
    super(sources.loop)
    const { model } = rows.pattern
    this.loops = loops
    this.rows = rows
    this.count = loops.count
    this.reserve(this.count)
    this.target = new Float64Array(this.count)
    this.hasSprings = compliant?.writeLoop === undefined && loops.isPulled.includes(1)
    this.speed = new Float64Array(this.count)
    this.compliant = compliant
    this.frame = new RestFrame(model, Infinity)
    this.at = new Int32Array(this.count)
    this.atEnd = new LoopRows(model, trapezoidal ? loops.loops : [])
    this.row = new Float64Array(model.nv)
    this.force = new Float64Array(this.count)
  }

  begin(data: Data): void {
    const { loops, rows, at, row, target, count } = this
    if (count === 0) return
    loops.build(data)
    target.fill(0)
    const { first, size, velocities } = loops
    for (let r = 0; r < count; r++) {
      if (size[r] > 0) loops.writeRow(data, r, row, 0)
      at[r] = rows.append(size[r])
      for (let c = 0; c < size[r]; c++) rows.J[at[r] + c] = row[velocities[first[r] + c]]
    }
  }

  /**
   * Loops of a trapezoidal step: impulses act along the mean of the rows at the start and at the predicted end, J~ = (J + J⁺) / 2, and v⁺
   * keeps them closed at the end: J⁺ v⁺ = J~ v⁺ + (J⁺ - J) v⁺ / 2 = 0, where the predicted velocity stands in the last term.
   *
   * @param q at the start of the step
   * @param v nv: predicted for the end
   */
  average(trapezoidal: TrapezoidalDynamics, q: Float64Array, v: Float64Array): void {
    const { loops, rows, at, atEnd, row, target, count } = this
    if (atEnd.count > 0) atEnd.build(trapezoidal.data)
    for (let r = 0; r < count; r++) {
      atEnd.writeRow(trapezoidal.data, r, row, 0)
      trapezoidal.turnBack(row, 0, q)
      let u = 0
      for (let c = 0; c < loops.size[r]; c++) {
        const k = loops.velocities[loops.first[r] + c]
        const half = 0.5 * (row[k] - rows.J[at[r] + c])
        u += half * v[k]
        rows.J[at[r] + c] += half
      }
      target[r] = u
    }
  }

  addRows({ system, islands }: ImpulseProblem, _: ContactStep, island: number): void {
    const { first, size } = this.loops
    for (let n = islands.loopStart[island]; n < islands.loopStart[island + 1]; n++) {
      const r = islands.loops[n]
      system.add(r, 1, first[r], size[r], this.at[r])
    }
  }

  fill(problem: ImpulseProblem): void {
    const { system, softness } = problem
    const { compliant, response } = this
    const { start, index, first, kind, limit, soft, scale } = system
    for (let g = start[sources.loop]; g < start[sources.loop + 1]; g++) {
      kind[g] = GroupKind.bilateral
      limit[g] = 0
      response[0] = SHARE * softness[0] * scale[g]
      compliant?.writeLoop?.(response, this, index[g])
      soft[first[g]] = response[0]
    }
    if (this.hasSprings) this.soften(problem)
  }

  setTargets(problem: ImpulseProblem, step: ContactStep, correct: number): void {
    const { system, driftRate, vFree } = problem
    const { dt, model, state, data } = step
    const { speed, compliant, response } = this
    const { error, bias, isSoft } = this.loops
    const { acceleration } = this.frame
    const { v } = state
    if (compliant?.writeLoop !== undefined) {
      bodyVelocities(model, state, data)
      this.loops.findBias(state, data)
      this.frame.begin(v, dt)
    }
    const { J, velocities } = this.rows
    const { start, index, first, rhs, added, distance, list, size, at } = system
    const share = correct * driftRate[1]
    for (let g = start[sources.loop]; g < start[sources.loop + 1]; g++) {
      const r = index[g]
      const row = first[g]
      added[row] = share * error[r] + this.target[r]
      if (compliant?.writeLoop !== undefined) {
        speed[r] = 0
        for (let c = 0; c < size[g]; c++) {
          const k = velocities[list[g] + c]
          speed[r] += J[at[g] + c] * v[k]
          // velocities of floating joints are in axes held fixed over the step
          if (isSoft[r] !== 0) bias[r] += J[at[g] + c] * acceleration[k]
        }
        response[1] = added[row]
        compliant.writeLoop(response, this, r)
        added[row] = response[1] + dt * bias[r]
      }
      let u = added[row]
      for (let c = 0; c < size[g]; c++) u += J[at[g] + c] * vFree[velocities[list[g] + c]]
      rhs[row] = u
      distance[row] = error[r] + step.dt * this.target[r]
    }
    if (this.hasSprings) this.pull(problem, step, correct)
  }

  /** Adds the forces by the last solve to `ContactStep.loopForces`. */
  addForces({ loopForces, dt }: ContactStep): void {
    if (loopForces === undefined) return
    for (let r = 0; r < this.count; r++) {
      this.force[r] = this.impulse[3 * r] / dt
      this.loops.addForce(loopForces, r, this.force)
    }
  }

  /** The same of impulses p of the island's rows. */
  addIslandForces({ start, index, first }: ImpulseProblem['system'], p: Float64Array, { loopForces, dt }: ContactStep): void {
    if (loopForces === undefined) return
    for (let g = start[sources.loop]; g < start[sources.loop + 1]; g++) {
      this.force[index[g]] = p[first[g]] / dt
      this.loops.addForce(loopForces, index[g], this.force)
    }
  }

  // Of loops to mocap bodies, apart from the functions above, in which the engine would box numbers

  /** R = (1 - d) / d of the mean over a loop's forces, or its couples, whose rows MuJoCo has of half the angle. */
  private soften({ system, wholeStep }: ImpulseProblem): void {
    const { loops, loop, start: rowOf, isPulled, isCouple } = this.loops
    const { start, index, first, soft, scale } = system
    this.springs ??= loops.map((own, l) => (isPulled[rowOf[l]] === 1 ? mocapSpring(own.softness, wholeStep[0]) : undefined))
    for (let g = start[sources.loop]; g < start[sources.loop + 1]; g++) {
      const r = index[g]
      const spring = this.springs[loop[r]]
      if (spring === undefined) continue
      let sum = 0
      let count = 0
      for (let n = rowOf[loop[r]]; n < rowOf[loop[r] + 1]; n++) {
        if (isCouple[n] !== isCouple[r]) continue
        sum += scale[g + n - r]
        count++
      }
      soft[first[g]] = ((1 / spring.impedance - 1) * (isCouple[r] === 1 ? 4 : 1) * sum) / count
    }
  }

  /** J v⁺ + R p = (1 - h b) J v - h k r. A row without a distance is not projected. */
  private pull({ system }: ImpulseProblem, { state: { v }, dt }: ContactStep, correct: number): void {
    const { error, loop } = this.loops
    const { J, velocities } = this.rows
    const { start, index, first, rhs, added, distance, list, size, at } = system
    for (let g = start[sources.loop]; g < start[sources.loop + 1]; g++) {
      const r = index[g]
      const row = first[g]
      const spring = this.springs?.[loop[r]]
      if (spring === undefined) continue
      let u = 0
      for (let c = 0; c < size[g]; c++) u += J[at[g] + c] * v[velocities[list[g] + c]]
      rhs[row] -= added[row]
      added[row] = correct * dt * spring.stiffness * error[r] - (1 - dt * spring.damping) * u + this.target[r]
      rhs[row] += added[row]
      distance[row] = Number.NaN
    }
  }

  /** Whether its loop is on. */
  protected override isUsed(r: number): boolean {
    return this.loops.size[r] > 0
  }

  protected override isKept(r: number): boolean {
    return this.isUsed(r)
  }

  /** Below those of joints. */
  protected pairOf(r: number): number {
    return -1 - this.row.length - r
  }

  protected featureOf(): number {
    return 0
  }
}
