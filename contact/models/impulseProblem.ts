import { type Model, sincos, solveL, solveLTransposedOnBranch } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { LemkeSolver, type LemkeStatus, ModeGuess } from '../solvers/index.ts'
import type { ContactRows } from './contactRows.ts'
import { LimitedJoints } from './joints.ts'
import { ModeMemory } from './modeMemory.ts'

/** A joint limit enters the problem from this far away, besides what the joint can cover in a step [rad, m]. */
const LIMIT_SLACK = 1e-4
/** Slower than this there is no direction of slip [m/s]. */
const NO_SLIP = 1e-9
/** Faster than this compliance does not yield unless rows contradict each other [m/s]; an impact yields 1e-5 of its speed. */
const LARGEST_YIELD = 1e-3
/**
 * Softness of tangents as a share of that of normals. The load on many feet is what has to be settled; across, softness
 * is creep, so there it only keeps matrices regular.
 */
const TANGENT_SHARE = 0.1
/** Largest relative residual of an answer that is used. */
const TOLERANCE = 1e-8

export interface ImpulseProblemOptions {
  /** Sides of the friction pyramid, even. */
  readonly sides: number
  /** Part of a penetration that one step removes, and the fastest speed at which it does [m/s]. */
  readonly stabilization: number
  readonly correctionSpeed: number
  /** Softness of normals relative to W; tangents have a tenth of it. */
  readonly compliance: number
  /** Approach speed up to which nothing bounces [m/s]. */
  readonly restitutionThreshold: number
}

/**
 * The complementarity problem of one velocity-level step: builds it from the contacts and the joint limits, solves it, and
 * turns the answer into a velocity and into the contacts' impulses.
 *
 * Its matrix is built from rows Y = L⁻ᵀ Jᵀ, one for each normal, two for the tangents of a contact with friction, one for
 * each joint limit that is near: W = J M~⁻¹ Jᵀ = Y Yᵀ and v⁺ = v_f + L⁻¹ Σ Y p. Unknowns in the order normals, limits,
 * sides of the pyramids, sigmas.
 */
export class ImpulseProblem {
  private readonly rows: ContactRows
  private readonly options: ImpulseProblemOptions
  private readonly solver = new LemkeSolver(TOLERANCE)
  private readonly guess: ModeGuess
  private readonly modes: ModeMemory
  /** Per row: softness, added to the diagonal of W [1/kg, 1/(kg m²)]. */
  private soft = new Float64Array(0)
  private readonly limited: LimitedJoints
  /** Direction of each side in the contact's own, turned tangents. */
  private readonly sideCosine: Float64Array
  private readonly sideSine: Float64Array
  private readonly column: Float64Array

  // per contact
  /** 3: velocity at the start of the step, and without contact, along normal, tangent 1, tangent 2 [m/s]. */
  private uStart = new Float64Array(0)
  private uFree = new Float64Array(0)
  /** 2: cosine and sine of the angle from tangent 1 to the first side. */
  private turn = new Float64Array(0)
  /** Its first row of Y, its first side and its sigma among the unknowns; -1 where it has none. Normals come in order. */
  private firstRow = new Int32Array(0)
  private firstSide = new Int32Array(0)
  private sigma = new Int32Array(0)
  private normal = new Int32Array(0)

  // joint limits that are near: which, +1 at the lower limit and -1 at the upper, and the first row
  private limitCount = 0
  private limitRow = 0
  private readonly limitJoint: Int32Array
  private readonly limitSide: Int8Array

  // per row
  private rowCount = 0
  private Y = new Float64Array(0)
  /** rowCount x rowCount. */
  private W = new Float64Array(0)
  private p = new Float64Array(0)
  /** What the velocity of each row would be without impulses, with what its gap allows added: W p + right is to be >= 0. */
  private right = new Float64Array(0)
  /**
   * Groups of rows, one a contact or limit: where each starts, its friction, and what it is known by from step to step. A
   * limit has its velocity for a pair, counted down from -1, and its side for a feature.
   */
  private groupCount = 0
  private groupFirst = new Int32Array(1)
  private groupMu = new Float64Array(0)
  private groupPair = new Int32Array(0)
  private groupFeature = new Int32Array(0)
  /** Per group, what it does: see `ModeGuess`. */
  private groupMode = new Int8Array(0)

  // per unknown
  private size = 0
  private A = new Float64Array(0)
  private b = new Float64Array(0)
  private status: LemkeStatus = 'solved'

  constructor({ model, pairCount }: ContactModelContext, rows: ContactRows, options: ImpulseProblemOptions) {
    this.rows = rows
    this.options = options
    this.limited = new LimitedJoints(model)
    this.modes = new ModeMemory(8 + 4 * pairCount + this.limited.v.length)
    this.limitJoint = new Int32Array(2 * this.limited.v.length)
    this.limitSide = new Int8Array(2 * this.limited.v.length)
    this.column = new Float64Array(model.nv)
    const { sides } = options
    this.sideCosine = new Float64Array(sides)
    this.sideSine = new Float64Array(sides)
    // opposite sides are exact opposites, which the meaning of sigma rests on
    const half = sides / 2
    const angle = new Float64Array(1)
    const sc = new Float64Array(2)
    for (let k = 0; k < half; k++) {
      angle[0] = (Math.PI * k) / half
      sincos(sc, angle, 0)
      const square = 2 * k === half // the cosine of pi/2 is not quite 0
      this.sideCosine[k] = square ? 0 : sc[1]
      this.sideSine[k] = square ? 1 : sc[0]
      this.sideCosine[k + half] = -this.sideCosine[k]
      this.sideSine[k + half] = -this.sideSine[k]
    }
    this.guess = new ModeGuess(this.sideCosine, this.sideSine)
  }

  /**
   * vNext = the velocity at the end of the step; where the problem has no answer, vFree.
   *
   * @param L     the factor of M + h D
   * @param vFree nv: velocity at the end of the step without contact
   */
  solve(step: ContactStep, L: Float64Array, vFree: Float64Array, vNext: Float64Array): void {
    const { model, contacts, memory, state } = step
    const { rows } = this
    this.reserveContacts(contacts.capacity)
    rows.velocity(this.uStart, state.v, contacts.count)
    rows.velocity(this.uFree, vFree, contacts.count)
    this.findLimits(step, vFree)
    this.buildRows(model, contacts, L)
    if (this.findImpulses(step, vFree)) this.rememberModes(memory)
    else {
      this.p.fill(0, 0, this.rowCount)
      this.modes.clear(memory)
    }
    this.applyImpulses(L, vFree, vNext)
  }

  /**
   * Finds p. First a few guesses at the contacts' modes, each checked, then Lemke's algorithm. What is done where that does
   * not serve is declared and counted: no removal of penetrations, if these contradict each other; after a failure of the
   * solver more compliance (ten and a hundred times), then no friction. False, and a failure, if nothing has an answer.
   */
  private findImpulses(step: ContactStep, vFree: Float64Array): boolean {
    if (this.rowCount === 0) {
      this.groupCount = 0
      return true
    }
    this.setRight(step, vFree, 1)
    this.soften(1)
    this.recallModes(step.memory)
    let solved = this.guessed(step) || this.attempt(step, true)
    if (solved && this.yields()) {
      // Corrections that contradict each other, as in a body squeezed between two walls: this step makes none.
      step.events.fallbacks++
      this.setRight(step, vFree, 0)
      solved = this.guessed(step) || this.attempt(step, true)
    }
    return solved || this.fallBack(step)
  }

  /** vNext = vFree + L⁻¹ Σ Y p. Apart from what seldom happens, so that this loop stays compiled. */
  private applyImpulses(L: Float64Array, vFree: Float64Array, vNext: Float64Array): void {
    const { Y, p, rowCount, column, rows } = this
    const nv = column.length
    column.fill(0)
    for (let r = 0; r < rowCount; r++) {
      const impulse = p[r]
      if (impulse !== 0) for (let k = 0; k < nv; k++) column[k] += Y[r * nv + k] * impulse
    }
    solveL(rows.pattern, L, column)
    for (let k = 0; k < nv; k++) vNext[k] = vFree[k] + column[k]
  }

  get memorySize(): number {
    return this.modes.memorySize
  }

  private recallModes(memory: Float64Array): void {
    const { modes, groupCount, groupPair, groupFeature, groupMode } = this
    for (let i = 0; i < groupCount; i++) groupMode[i] = modes.recall(memory, groupPair[i], groupFeature[i])
  }

  private rememberModes(memory: Float64Array): void {
    const { modes, groupCount, groupPair, groupFeature, groupMode } = this
    modes.clear(memory)
    for (let i = 0; i < groupCount; i++) modes.append(memory, groupPair[i], groupFeature[i], groupMode[i])
  }

  /** Whether guessing the contacts' modes led to an answer that holds. */
  private guessed({ events }: ContactStep): boolean {
    const { guess, groupCount, groupFirst, W, right, groupMu, soft, p, groupMode } = this
    const solved = guess.solve(groupCount, groupFirst, W, right, groupMu, soft, p, groupMode)
    events.iterations += guess.iterations
    if (solved && guess.residual[0] > events.residualMax) events.residualMax = guess.residual[0]
    return solved
  }

  /**
   * Softness of every row: `factor` times the compliance asked for, relative to W. The contacts of one pair of shapes get
   * the mean of theirs, so that they share a load as equal springs would: on its own W each edge of a wheel's tread would be
   * as soft as the wheel is there, and the inner one carry a third more.
   */
  private soften(factor: number): void {
    const { options, W, soft, rowCount, groupCount, groupFirst, groupPair } = this
    const compliance = (factor === 1 ? options.compliance : Math.max(options.compliance, 1e-8)) * factor
    for (let begin = 0; begin < groupCount; ) {
      let end = begin
      let normal = 0
      let tangent = 0
      while (end < groupCount && groupPair[end] === groupPair[begin]) {
        const n = groupFirst[end]
        normal += W[n * rowCount + n]
        if (groupFirst[++end] - n === 3) tangent += 0.5 * (W[(n + 1) * rowCount + n + 1] + W[(n + 2) * rowCount + n + 2])
      }
      const scale = compliance / (end - begin)
      for (let r = groupFirst[begin]; r < groupFirst[end]; r++) soft[r] = TANGENT_SHARE * scale * tangent
      for (let i = begin; i < end; i++) soft[groupFirst[i]] = scale * normal
      begin = end
    }
  }

  /** Whether some contact or limit is held by compliance alone: its rows ask for what cannot be. */
  private yields(): boolean {
    const { groupCount, groupFirst, p, soft } = this
    for (let i = 0; i < groupCount; i++) {
      const n = groupFirst[i]
      if (soft[n] * p[n] > LARGEST_YIELD) return true
    }
    return false
  }

  /** The ways round a solver's failure; false if none has an answer. */
  private fallBack(step: ContactStep): boolean {
    const { events } = step
    const first = this.status
    const size = this.size
    for (let k = 1; k <= 2; k++) {
      this.soften(k === 1 ? 10 : 100)
      if (this.attempt(step, true)) {
        events.fallbacks++
        return true
      }
    }
    this.soften(1)
    if (this.attempt(step, false)) {
      events.fallbacks++
      return true
    }
    events.failures++
    if (events.firstFailure === '') {
      events.firstFailure =
        `stewart-trinkle: Lemke's algorithm ended in "${first}" on ${size} unknowns at t = ${step.state.t[0]} s, ` +
        `and without friction in "${this.status}"; the step was taken without contact impulses`
    }
    return false
  }

  /** Writes the impulses found last into the contacts, in their own tangents. */
  report(contacts: ContactSet): void {
    const { firstRow, p, turn } = this
    const { count, mu, impulse } = contacts
    for (let i = 0; i < count; i++) {
      const row = firstRow[i]
      impulse[3 * i] = row < 0 ? 0 : p[row]
      impulse[3 * i + 1] = 0
      impulse[3 * i + 2] = 0
      if (row < 0 || mu[i] === 0) continue
      const cosine = turn[2 * i]
      const sine = turn[2 * i + 1]
      impulse[3 * i + 1] = cosine * p[row + 1] - sine * p[row + 2]
      impulse[3 * i + 2] = sine * p[row + 1] + cosine * p[row + 2]
    }
  }

  private reserveContacts(capacity: number): void {
    if (capacity <= this.firstRow.length) return
    this.uStart = new Float64Array(3 * capacity)
    this.uFree = new Float64Array(3 * capacity)
    this.turn = new Float64Array(2 * capacity)
    this.firstRow = new Int32Array(capacity)
    this.firstSide = new Int32Array(capacity)
    this.sigma = new Int32Array(capacity)
    this.normal = new Int32Array(capacity)
  }

  /** Joint limits that can be reached within the step, at twice the speed that is known of. */
  private findLimits({ model, state, dt }: ContactStep, vFree: Float64Array): void {
    const { lower, upper } = model
    const { q, v } = state
    const { limited, limitJoint, limitSide } = this
    this.limitCount = 0
    for (let i = 0; i < limited.v.length; i++) {
      const k = limited.v[i]
      const x = q[limited.q[i]]
      const down = 2 * dt * Math.max(0, -v[k], -vFree[k])
      const up = 2 * dt * Math.max(0, v[k], vFree[k])
      if (x - lower[k] <= down + LIMIT_SLACK) {
        limitJoint[this.limitCount] = i
        limitSide[this.limitCount++] = 1
      }
      if (upper[k] - x <= up + LIMIT_SLACK) {
        limitJoint[this.limitCount] = i
        limitSide[this.limitCount++] = -1
      }
    }
  }

  private buildRows({ nv }: Model, contacts: ContactSet, L: Float64Array): void {
    const { count, mu } = contacts
    const { rows, limited, limitJoint, limitSide, limitCount, firstRow } = this
    const { J, first, size, velocities } = rows
    let total = 0
    for (let i = 0; i < count; i++) {
      firstRow[i] = size[i] > 0 ? total : -1 // what nothing can move is no unknown
      if (size[i] > 0) total += mu[i] > 0 ? 3 : 1
    }
    this.limitRow = total
    this.reserveRows(total + limitCount, nv)
    const { Y, turn } = this

    Y.fill(0, 0, this.rowCount * nv)
    for (let i = 0; i < count; i++) {
      const row = firstRow[i]
      if (row < 0) continue
      const end = first[i] + size[i]
      const j = 3 * i * nv
      const y = row * nv
      for (let a = first[i]; a < end; a++) Y[y + velocities[a]] = J[j + velocities[a]]
      this.finishRow(row, first[i], size[i], nv, L)
      if (mu[i] === 0) continue
      this.setTurn(i)
      const cosine = turn[2 * i]
      const sine = turn[2 * i + 1]
      for (let a = first[i]; a < end; a++) {
        const k = velocities[a]
        const t1 = J[j + nv + k]
        const t2 = J[j + 2 * nv + k]
        Y[y + nv + k] = cosine * t1 + sine * t2
        Y[y + 2 * nv + k] = cosine * t2 - sine * t1
      }
      this.finishRow(row + 1, first[i], size[i], nv, L)
      this.finishRow(row + 2, first[i], size[i], nv, L)
    }
    for (let l = 0; l < limitCount; l++) {
      const k = limited.v[limitJoint[l]]
      Y[(this.limitRow + l) * nv + k] = limitSide[l]
      this.finishRow(this.limitRow + l, rows.firstOfVelocity(k), rows.sizeOfVelocity(k), nv, L)
    }
  }

  private reserveRows(total: number, nv: number): void {
    this.rowCount = total
    if (total <= this.p.length) return
    const capacity = Math.max(total, 2 * this.p.length)
    this.Y = new Float64Array(capacity * nv)
    this.W = new Float64Array(capacity * capacity)
    this.p = new Float64Array(capacity)
    this.right = new Float64Array(capacity)
    this.soft = new Float64Array(capacity)
    this.groupFirst = new Int32Array(capacity + 1)
    this.groupMu = new Float64Array(capacity)
    this.groupPair = new Int32Array(capacity)
    this.groupFeature = new Int32Array(capacity)
    this.groupMode = new Int8Array(capacity)
  }

  /** Turns the pyramid of contact i so that its first side lies along the slip that there would be without contact. */
  private setTurn(i: number): void {
    const { turn, uFree } = this
    const u1 = uFree[3 * i + 1]
    const u2 = uFree[3 * i + 2]
    const slip = Math.sqrt(u1 * u1 + u2 * u2)
    turn[2 * i] = slip > NO_SLIP ? u1 / slip : 1
    turn[2 * i + 1] = slip > NO_SLIP ? u2 / slip : 0
  }

  /** Y_row := L⁻ᵀ Y_row on its list of velocities, and its products with itself and the rows before it. */
  private finishRow(row: number, list: number, size: number, nv: number, L: Float64Array): void {
    const { Y, W, rows, rowCount } = this
    const { velocities, pattern } = rows
    const y = row * nv
    solveLTransposedOnBranch(pattern, L, velocities[list], Y, y)
    for (let s = 0; s <= row; s++) {
      const other = s * nv
      let sum = 0
      for (let a = list; a < list + size; a++) sum += Y[y + velocities[a]] * Y[other + velocities[a]]
      W[row * rowCount + s] = sum
      W[s * rowCount + row] = sum
    }
  }

  /** Sets the complementarity problem up, solves it, and writes p; false if there is no answer that holds. */
  private attempt({ contacts, events }: ContactStep, friction: boolean): boolean {
    const { solver } = this
    this.number(contacts, friction)
    this.assemble(contacts)
    this.scaleRight(contacts)
    this.status = solver.solve(this.size, this.A, this.b)
    events.iterations += solver.iterations
    if (this.status !== 'solved') return false
    if (solver.residual[0] > events.residualMax) events.residualMax = solver.residual[0]
    this.unpack(contacts)
    this.guess.adopt(this.groupCount, this.groupFirst, this.groupMu, this.p, this.groupMode)
    return true
  }

  /** Gives every unknown its place. */
  private number({ count, mu }: ContactSet, friction: boolean): void {
    const { firstRow, normal, firstSide, sigma, limitCount, options } = this
    let normals = 0
    let frictional = 0
    for (let i = 0; i < count; i++) {
      normal[i] = firstRow[i] < 0 ? -1 : normals++
      if (firstRow[i] >= 0 && friction && mu[i] > 0) frictional++
    }
    let side = normals + limitCount
    let last = side + frictional * options.sides
    for (let i = 0; i < count; i++) {
      const slides = firstRow[i] >= 0 && friction && mu[i] > 0
      firstSide[i] = slides ? side : -1
      sigma[i] = slides ? last++ : -1
      if (slides) side += options.sides
    }
    this.size = last
    if (last > this.b.length) {
      const capacity = Math.max(last, 2 * this.b.length)
      this.A = new Float64Array(capacity * capacity)
      this.b = new Float64Array(capacity)
    }
  }

  /**
   * The matrix, scaled: the unknowns of contact i by s_i = 1 / sqrt(W_nn), and its rows too, so that the diagonal is near
   * 1 whatever the masses. Sigma and the cone's row take 1 / s_i and s_i out again, and keep their units.
   */
  private assemble({ count, mu }: ContactSet): void {
    const { A, W, soft, firstRow, normal, firstSide, sigma, size: n, limitRow, limitCount, rowCount, options } = this
    const { sideCosine, sideSine } = this
    const { sides } = options
    A.fill(0, 0, n * n)
    for (let i = 0; i < count; i++) {
      if (normal[i] < 0) continue
      const ri = firstRow[i]
      const si = 1 / Math.sqrt(W[ri * rowCount + ri])
      for (let j = 0; j < count; j++) {
        if (normal[j] < 0) continue
        const rj = firstRow[j]
        const s = si / Math.sqrt(W[rj * rowCount + rj])
        const wn = ri * rowCount + rj
        A[normal[i] * n + normal[j]] = s * (W[wn] + (i === j ? soft[ri] : 0))
        if (firstSide[j] >= 0) {
          for (let l = 0; l < sides; l++) {
            A[normal[i] * n + firstSide[j] + l] = s * (sideCosine[l] * W[wn + 1] + sideSine[l] * W[wn + 2])
          }
        }
        if (firstSide[i] < 0) continue
        const w1 = wn + rowCount
        const w2 = w1 + rowCount
        for (let k = 0; k < sides; k++) {
          const ck = s * sideCosine[k]
          const sk = s * sideSine[k]
          const at = (firstSide[i] + k) * n
          A[at + normal[j]] = ck * W[w1] + sk * W[w2]
          if (firstSide[j] < 0) continue
          let x = ck * W[w1 + 1] + sk * W[w2 + 1]
          let y = ck * W[w1 + 2] + sk * W[w2 + 2]
          if (i === j) {
            x += soft[ri + 1] * ck
            y += soft[ri + 2] * sk
          }
          for (let l = 0; l < sides; l++) A[at + firstSide[j] + l] = x * sideCosine[l] + y * sideSine[l]
        }
      }
      if (firstSide[i] >= 0) {
        A[sigma[i] * n + normal[i]] = mu[i]
        for (let k = 0; k < sides; k++) {
          A[(firstSide[i] + k) * n + sigma[i]] = 1
          A[sigma[i] * n + firstSide[i] + k] = -1
        }
      }
    }
    // joint limits: like normals, against each other and against everything above
    const firstLimit = this.firstLimit(count)
    for (let l = 0; l < limitCount; l++) {
      const row = limitRow + l
      const sl = 1 / Math.sqrt(W[row * rowCount + row])
      const at = firstLimit + l
      for (let m = 0; m < limitCount; m++) {
        const sm = 1 / Math.sqrt(W[(limitRow + m) * rowCount + limitRow + m])
        A[at * n + firstLimit + m] = sl * sm * (W[row * rowCount + limitRow + m] + (l === m ? soft[row] : 0))
      }
      for (let j = 0; j < count; j++) {
        if (normal[j] < 0) continue
        const rj = firstRow[j]
        const s = sl / Math.sqrt(W[rj * rowCount + rj])
        const w = row * rowCount + rj
        A[at * n + normal[j]] = s * W[w]
        A[normal[j] * n + at] = s * W[w]
        if (firstSide[j] < 0) continue
        for (let k = 0; k < sides; k++) {
          const value = s * (sideCosine[k] * W[w + 1] + sideSine[k] * W[w + 2])
          A[at * n + firstSide[j] + k] = value
          A[(firstSide[j] + k) * n + at] = value
        }
      }
    }
  }

  private firstLimit(count: number): number {
    let normals = 0
    for (let i = 0; i < count; i++) if (this.normal[i] >= 0) normals++
    return normals
  }

  /** Sets `right` of every row, and the groups. Penetrations are removed if `correct` is 1, only held if it is 0. */
  private setRight({ contacts, model, state, dt }: ContactStep, vFree: Float64Array, correct: number): void {
    const { right, firstRow, turn, uStart, uFree, groupFirst, groupMu, groupPair, groupFeature, options } = this
    const { limited, limitJoint, limitSide, limitCount, limitRow } = this
    const { count, pair, feature, gap, mu, restitution } = contacts
    const { stabilization, correctionSpeed, restitutionThreshold } = options
    let group = 0
    for (let i = 0; i < count; i++) {
      const r = firstRow[i]
      if (r < 0) continue
      groupFirst[group] = r
      groupPair[group] = pair[i]
      groupFeature[group] = feature[i]
      groupMu[group++] = mu[i]
      const un = uFree[3 * i]
      const closing = -uStart[3 * i]
      const bounces = restitution[i] > 0 && closing > restitutionThreshold && gap[i] + dt * un < 0
      const allowed = gap[i] >= 0 ? gap[i] / dt : correct * Math.max((stabilization * gap[i]) / dt, -correctionSpeed)
      right[r] = bounces ? un - restitution[i] * closing : un + allowed
      if (mu[i] === 0) continue
      right[r + 1] = turn[2 * i] * uFree[3 * i + 1] + turn[2 * i + 1] * uFree[3 * i + 2]
      right[r + 2] = turn[2 * i] * uFree[3 * i + 2] - turn[2 * i + 1] * uFree[3 * i + 1]
    }
    for (let l = 0; l < limitCount; l++) {
      const k = limited.v[limitJoint[l]]
      const x = state.q[limited.q[limitJoint[l]]]
      const room = limitSide[l] > 0 ? x - model.lower[k] : model.upper[k] - x
      const allowed = room >= 0 ? room / dt : correct * Math.max((stabilization * room) / dt, -correctionSpeed)
      right[limitRow + l] = limitSide[l] * vFree[k] + allowed
      groupFirst[group] = limitRow + l
      groupPair[group] = -1 - k
      groupFeature[group] = limitSide[l]
      groupMu[group++] = 0
    }
    groupFirst[group] = limitRow + limitCount
    this.groupCount = group
  }

  /** The right-hand side of the complementarity problem, scaled like its rows. */
  private scaleRight({ count }: ContactSet): void {
    const { b, W, right, normal, firstRow, firstSide, sigma, rowCount, limitCount, limitRow, options } = this
    const { sideCosine, sideSine } = this
    for (let i = 0; i < count; i++) {
      if (normal[i] < 0) continue
      const r = firstRow[i]
      const s = 1 / Math.sqrt(W[r * rowCount + r])
      b[normal[i]] = s * right[r]
      if (firstSide[i] < 0) continue
      for (let k = 0; k < options.sides; k++) {
        b[firstSide[i] + k] = s * (sideCosine[k] * right[r + 1] + sideSine[k] * right[r + 2])
      }
      b[sigma[i]] = 0
    }
    const firstLimit = this.firstLimit(count)
    for (let l = 0; l < limitCount; l++) {
      const row = limitRow + l
      b[firstLimit + l] = right[row] / Math.sqrt(W[row * rowCount + row])
    }
  }

  /** p of every row from the unknowns. */
  private unpack({ count }: ContactSet): void {
    const { p, W, solver, normal, firstRow, firstSide, rowCount, limitRow, limitCount, options } = this
    const { sideCosine, sideSine } = this
    const { z } = solver
    p.fill(0, 0, rowCount)
    for (let i = 0; i < count; i++) {
      if (normal[i] < 0) continue
      const r = firstRow[i]
      const s = 1 / Math.sqrt(W[r * rowCount + r])
      p[r] = s * z[normal[i]]
      if (firstSide[i] < 0) continue
      let x = 0
      let y = 0
      for (let k = 0; k < options.sides; k++) {
        x += sideCosine[k] * z[firstSide[i] + k]
        y += sideSine[k] * z[firstSide[i] + k]
      }
      p[r + 1] = s * x
      p[r + 2] = s * y
    }
    const firstLimit = this.firstLimit(count)
    for (let l = 0; l < limitCount; l++) {
      const row = limitRow + l
      p[row] = z[firstLimit + l] / Math.sqrt(W[row * rowCount + row])
    }
  }
}
