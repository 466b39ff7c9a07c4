import { type Model, sincos } from '../../dynamics/index.ts'
import type { ContactModelContext, ContactStep } from '../contactModel.ts'
import type { ContactSet } from '../contactSet.ts'
import { LemkeSolver, type LemkeStatus, ModeGuess, UNKNOWN_MODE } from '../solvers/index.ts'
import type { ContactRows } from './contactRows.ts'
import { Islands } from './islands.ts'
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
 *
 * Contacts that do not act upon one another are problems of their own (`Islands`): rows, unknowns and answers are those of
 * one island at a time. A robot in a world of many gets the bits that it gets alone while nothing ties it to others.
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
  private readonly islands: Islands
  /** nv: Σ Y p, of all islands. */
  private readonly column: Float64Array
  /** nv: velocities at which the present rows of Y are not 0. */
  private readonly path: Int32Array
  /** nv: velocities at which any row of the island is not 0, and 1 for each of them. */
  private touchedCount = 0
  private readonly touched: Int32Array
  private readonly isTouched: Uint8Array

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
  /** What it does, as `ModeGuess` numbers it; and 3, what came of it along its normal and tangents [N s]. */
  private modeOf = new Int8Array(0)
  private impulse = new Float64Array(0)

  // all joint limits that are near: which, +1 at the lower limit and -1 at the upper, the velocity, the mode
  private nearCount = 0
  private readonly nearJoint: Int32Array
  private readonly nearSide: Int8Array
  private readonly nearVelocity: Int32Array
  private readonly nearMode: Int8Array

  // the present island: its contacts, its limits, and the first row of these
  private memberCount = 0
  private members = new Int32Array(0)
  private limitCount = 0
  private limitRow = 0
  private readonly limitJoint: Int32Array
  private readonly limitSide: Int8Array

  // per row
  private rowCount = 0
  private Y = new Float64Array(0)
  /** The velocity that its entries start from in the elimination tree (`Elimination.path`). */
  private rowStart = new Int32Array(0)
  /** rowCount x rowCount. */
  private W = new Float64Array(0)
  private p = new Float64Array(0)
  /** What the velocity of each row would be without impulses, with what its gap allows added: W p + right is to be >= 0. */
  private right = new Float64Array(0)
  /**
   * Groups of rows, one a contact or limit: where each starts, its friction, and its pair of shapes. A limit has its velocity
   * for a pair, counted down from -1; what it is known by from step to step is this and, for a feature, its side.
   */
  private groupCount = 0
  private groupFirst = new Int32Array(1)
  private groupMu = new Float64Array(0)
  private groupPair = new Int32Array(0)
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
    const limits = 2 * this.limited.v.length
    this.nearJoint = new Int32Array(limits)
    this.nearSide = new Int8Array(limits)
    this.nearVelocity = new Int32Array(limits)
    this.nearMode = new Int8Array(limits)
    this.limitJoint = new Int32Array(limits)
    this.limitSide = new Int8Array(limits)
    this.islands = new Islands(model, rows.pattern)
    this.column = new Float64Array(model.nv)
    this.touched = new Int32Array(model.nv)
    this.isTouched = new Uint8Array(model.nv)
    this.path = new Int32Array(model.nv)
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
    const { contacts, memory, state, events } = step
    const { rows, islands } = this
    const { failures, fallbacks } = events
    this.reserveContacts(contacts.capacity)
    rows.velocity(this.uStart, state.v, contacts.count)
    rows.velocity(this.uFree, vFree, contacts.count)
    this.findLimits(step, vFree)
    this.recallModes(contacts, memory)
    this.impulse.fill(0, 0, 3 * contacts.count)
    this.column.fill(0)
    islands.find(contacts, this.nearCount, this.nearVelocity)
    for (let i = 0; i < islands.count; i++) this.solveIsland(step, L, vFree, i)
    // steps are counted, not islands
    events.failures = Math.min(events.failures, failures + 1)
    events.fallbacks = Math.min(events.fallbacks, fallbacks + 1)
    this.rememberModes(contacts, memory)
    this.applyImpulses(L, vFree, vNext)
  }

  private solveIsland(step: ContactStep, L: Float64Array, vFree: Float64Array, island: number): void {
    this.gather(island)
    this.buildRows(step.model, step.contacts, L)
    this.startModes(island)
    const solved = this.findImpulses(step, vFree)
    if (!solved) {
      this.p.fill(0, 0, this.rowCount)
      this.groupMode.fill(UNKNOWN_MODE, 0, this.groupCount)
    }
    this.addImpulses()
    this.scatter(step.contacts, island)
  }

  /** The contacts and limits of an island. */
  private gather(island: number): void {
    const { islands, members, nearJoint, nearSide, limitJoint, limitSide } = this
    const { contacts, contactStart, limits, limitStart } = islands
    this.memberCount = contactStart[island + 1] - contactStart[island]
    for (let m = 0; m < this.memberCount; m++) members[m] = contacts[contactStart[island] + m]
    this.limitCount = limitStart[island + 1] - limitStart[island]
    for (let l = 0; l < this.limitCount; l++) {
      limitJoint[l] = nearJoint[limits[limitStart[island] + l]]
      limitSide[l] = nearSide[limits[limitStart[island] + l]]
    }
  }

  private startModes(island: number): void {
    const { islands, members, memberCount, limitCount, groupMode, modeOf, nearMode } = this
    const { limits, limitStart } = islands
    for (let m = 0; m < memberCount; m++) groupMode[m] = modeOf[members[m]]
    for (let l = 0; l < limitCount; l++) groupMode[memberCount + l] = nearMode[limits[limitStart[island] + l]]
  }

  /** What came of the island's contacts and limits. */
  private scatter({ mu }: ContactSet, island: number): void {
    const { islands, members, memberCount, firstRow, p, turn, impulse, groupMode, modeOf, nearMode, limitCount } = this
    const { limits, limitStart } = islands
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const row = firstRow[i]
      modeOf[i] = groupMode[m]
      impulse[3 * i] = p[row]
      if (mu[i] === 0) continue
      const cosine = turn[2 * i]
      const sine = turn[2 * i + 1]
      impulse[3 * i + 1] = cosine * p[row + 1] - sine * p[row + 2]
      impulse[3 * i + 2] = sine * p[row + 1] + cosine * p[row + 2]
    }
    for (let l = 0; l < limitCount; l++) nearMode[limits[limitStart[island] + l]] = groupMode[memberCount + l]
  }

  /**
   * Finds p. First a few guesses at the contacts' modes, each checked, then Lemke's algorithm. What is done where that does
   * not serve is declared and counted: no removal of penetrations, if these contradict each other; after a failure of the
   * solver more compliance (ten and a hundred times), then no friction. False, and a failure, if nothing has an answer.
   */
  private findImpulses(step: ContactStep, vFree: Float64Array): boolean {
    this.setRight(step, vFree, 1)
    this.soften(1)
    let solved = this.guessed(step) || this.attempt(step, true)
    if (solved && this.yields()) {
      // Corrections that contradict each other, as in a body squeezed between two walls: this step makes none.
      step.events.fallbacks++
      this.setRight(step, vFree, 0)
      solved = this.guessed(step) || this.attempt(step, true)
    }
    return solved || this.fallBack(step)
  }

  /** Adds Σ Y p of the island to `column`. Apart from what seldom happens, so that this loop stays compiled. */
  private addImpulses(): void {
    const { Y, p, rowCount, rowStart, column, rows } = this
    const { next } = rows.pattern
    const nv = column.length
    for (let r = 0; r < rowCount; r++) {
      const impulse = p[r]
      if (impulse !== 0) for (let k = rowStart[r]; k >= 0; k = next[k]) column[k] += Y[r * nv + k] * impulse
    }
  }

  /** vNext = vFree + L⁻¹ Σ Y p. */
  private applyImpulses(L: Float64Array, vFree: Float64Array, vNext: Float64Array): void {
    const { column, rows } = this
    rows.pattern.solveL(L, column)
    for (let k = 0; k < column.length; k++) vNext[k] = vFree[k] + column[k]
  }

  get memorySize(): number {
    return this.modes.memorySize
  }

  private recallModes({ count, pair, feature }: ContactSet, memory: Float64Array): void {
    const { modes, modeOf, rows, nearCount, nearVelocity, nearSide, nearMode } = this
    const { size } = rows
    for (let i = 0; i < count; i++) if (size[i] > 0) modeOf[i] = modes.recall(memory, pair[i], feature[i])
    for (let l = 0; l < nearCount; l++) nearMode[l] = modes.recall(memory, -1 - nearVelocity[l], nearSide[l])
  }

  private rememberModes({ count, pair, feature }: ContactSet, memory: Float64Array): void {
    const { modes, modeOf, rows, nearCount, nearVelocity, nearSide, nearMode } = this
    const { size } = rows
    modes.clear(memory)
    for (let i = 0; i < count; i++) {
      if (size[i] > 0 && modeOf[i] !== UNKNOWN_MODE) modes.append(memory, pair[i], feature[i], modeOf[i])
    }
    for (let l = 0; l < nearCount; l++) {
      if (nearMode[l] !== UNKNOWN_MODE) modes.append(memory, -1 - nearVelocity[l], nearSide[l], nearMode[l])
    }
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
  report({ count, impulse }: ContactSet): void {
    for (let i = 0; i < 3 * count; i++) impulse[i] = this.impulse[i]
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
    this.modeOf = new Int8Array(capacity)
    this.impulse = new Float64Array(3 * capacity)
    this.members = new Int32Array(capacity)
  }

  /** Joint limits that can be reached within the step, at twice the speed that is known of. */
  private findLimits({ model, state, dt }: ContactStep, vFree: Float64Array): void {
    const { lower, upper } = model
    const { q, v } = state
    const { limited } = this
    this.nearCount = 0
    for (let i = 0; i < limited.v.length; i++) {
      const k = limited.v[i]
      const x = q[limited.q[i]]
      const down = 2 * dt * Math.max(0, -v[k], -vFree[k])
      const up = 2 * dt * Math.max(0, v[k], vFree[k])
      if (x - lower[k] <= down + LIMIT_SLACK) this.addLimit(i, k, 1)
      if (upper[k] - x <= up + LIMIT_SLACK) this.addLimit(i, k, -1)
    }
  }

  private addLimit(joint: number, k: number, side: number): void {
    this.nearJoint[this.nearCount] = joint
    this.nearVelocity[this.nearCount] = k
    this.nearSide[this.nearCount++] = side
  }

  private buildRows({ nv }: Model, contacts: ContactSet, L: Float64Array): void {
    const { mu } = contacts
    const { rows, limited, limitJoint, limitSide, limitCount, members, memberCount, firstRow, path } = this
    const { J, first, size, velocities, pattern } = rows
    let total = 0
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      firstRow[i] = total
      total += mu[i] > 0 ? 3 : 1
    }
    this.limitRow = total
    this.reserveRows(total + limitCount, nv)
    this.clearRows(nv)
    const { Y, turn } = this

    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const row = firstRow[i]
      const end = first[i] + size[i]
      const j = 3 * i * nv
      const y = row * nv
      for (let a = first[i]; a < end; a++) Y[y + velocities[a]] = J[j + velocities[a]]
      const length = pattern.path(velocities[first[i]], path)
      this.finishRow(row, length, nv, L)
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
      this.finishRow(row + 1, length, nv, L)
      this.finishRow(row + 2, length, nv, L)
    }
    for (let l = 0; l < limitCount; l++) {
      const k = limited.v[limitJoint[l]]
      Y[(this.limitRow + l) * nv + k] = limitSide[l]
      this.finishRow(this.limitRow + l, pattern.path(k, path), nv, L)
    }
  }

  /** Y := 0 wherever a row of the island will not be. */
  private clearRows(nv: number): void {
    const { rows, members, memberCount, limited, limitJoint, limitCount, touched, isTouched, rowCount, Y } = this
    const { velocities, first, pattern } = rows
    if (pattern.treeCount === 1) {
      Y.fill(0, 0, rowCount * nv)
      return
    }
    this.touchedCount = 0
    for (let m = 0; m < memberCount; m++) this.touch(velocities[first[members[m]]])
    for (let l = 0; l < limitCount; l++) this.touch(limited.v[limitJoint[l]])
    const count = this.touchedCount
    for (let t = 0; t < count; t++) isTouched[touched[t]] = 0
    for (let r = 0; r < rowCount; r++) for (let t = 0; t < count; t++) Y[r * nv + touched[t]] = 0
  }

  private touch(first: number): void {
    const { touched, isTouched, rows } = this
    const { next } = rows.pattern
    for (let k = first; k >= 0 && isTouched[k] === 0; k = next[k]) {
      isTouched[k] = 1
      touched[this.touchedCount++] = k
    }
  }

  private reserveRows(total: number, nv: number): void {
    this.rowCount = total
    if (total <= this.p.length) return
    const capacity = Math.max(total, 2 * this.p.length)
    this.Y = new Float64Array(capacity * nv)
    this.rowStart = new Int32Array(capacity)
    this.W = new Float64Array(capacity * capacity)
    this.p = new Float64Array(capacity)
    this.right = new Float64Array(capacity)
    this.soft = new Float64Array(capacity)
    this.groupFirst = new Int32Array(capacity + 1)
    this.groupMu = new Float64Array(capacity)
    this.groupPair = new Int32Array(capacity)
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

  /** Y_row := L⁻ᵀ Y_row on the first `length` velocities of `path`, and its products with itself and the rows before it. */
  private finishRow(row: number, length: number, nv: number, L: Float64Array): void {
    const { Y, W, rows, rowCount, rowStart, path } = this
    const y = row * nv
    rowStart[row] = path[0]
    rows.pattern.solveLTransposedOnPath(L, path[0], Y, y)
    for (let s = 0; s <= row; s++) {
      const other = s * nv
      let sum = 0
      for (let a = 0; a < length; a++) sum += Y[y + path[a]] * Y[other + path[a]]
      W[row * rowCount + s] = sum
      W[s * rowCount + row] = sum
    }
  }

  /** Sets the complementarity problem up, solves it, and writes p; false if there is no answer that holds. */
  private attempt({ contacts, events }: ContactStep, friction: boolean): boolean {
    const { solver } = this
    this.number(contacts, friction)
    this.assemble(contacts)
    this.scaleRight()
    this.status = solver.solve(this.size, this.A, this.b)
    events.iterations += solver.iterations
    if (this.status !== 'solved') return false
    if (solver.residual[0] > events.residualMax) events.residualMax = solver.residual[0]
    this.unpack()
    this.guess.adopt(this.groupCount, this.groupFirst, this.groupMu, this.p, this.groupMode)
    return true
  }

  /** Gives every unknown its place. */
  private number({ mu }: ContactSet, friction: boolean): void {
    const { members, memberCount, normal, firstSide, sigma, limitCount, options } = this
    let frictional = 0
    for (let m = 0; m < memberCount; m++) {
      normal[members[m]] = m
      if (friction && mu[members[m]] > 0) frictional++
    }
    let side = memberCount + limitCount
    let last = side + frictional * options.sides
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const slides = friction && mu[i] > 0
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
  private assemble({ mu }: ContactSet): void {
    const {
      members,
      memberCount,
      A,
      W,
      soft,
      firstRow,
      normal,
      firstSide,
      sigma,
      size: n,
      limitRow,
      limitCount,
      rowCount,
      options,
    } = this
    const { sideCosine, sideSine } = this
    const { sides } = options
    A.fill(0, 0, n * n)
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const ri = firstRow[i]
      const si = 1 / Math.sqrt(W[ri * rowCount + ri])
      for (let o = 0; o < memberCount; o++) {
        const j = members[o]
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
    for (let l = 0; l < limitCount; l++) {
      const row = limitRow + l
      const sl = 1 / Math.sqrt(W[row * rowCount + row])
      const at = memberCount + l
      for (let m = 0; m < limitCount; m++) {
        const sm = 1 / Math.sqrt(W[(limitRow + m) * rowCount + limitRow + m])
        A[at * n + memberCount + m] = sl * sm * (W[row * rowCount + limitRow + m] + (l === m ? soft[row] : 0))
      }
      for (let o = 0; o < memberCount; o++) {
        const j = members[o]
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

  /** Sets `right` of every row, and the groups. Penetrations are removed if `correct` is 1, only held if it is 0. */
  private setRight({ contacts, model, state, dt }: ContactStep, vFree: Float64Array, correct: number): void {
    const { right, firstRow, turn, uStart, uFree, groupFirst, groupMu, groupPair, options } = this
    const { members, memberCount, limited, limitJoint, limitSide, limitCount, limitRow } = this
    const { pair, gap, mu, restitution } = contacts
    const { stabilization, correctionSpeed, restitutionThreshold } = options
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const r = firstRow[i]
      groupFirst[m] = r
      groupPair[m] = pair[i]
      groupMu[m] = mu[i]
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
      const group = memberCount + l
      groupFirst[group] = limitRow + l
      groupPair[group] = -1 - k
      groupMu[group] = 0
    }
    this.groupCount = memberCount + limitCount
    groupFirst[this.groupCount] = limitRow + limitCount
  }

  /** The right-hand side of the complementarity problem, scaled like its rows. */
  private scaleRight(): void {
    const { members, memberCount, b, W, right, normal, firstRow, firstSide, sigma, rowCount, limitCount, limitRow, options } =
      this
    const { sideCosine, sideSine } = this
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
      const r = firstRow[i]
      const s = 1 / Math.sqrt(W[r * rowCount + r])
      b[normal[i]] = s * right[r]
      if (firstSide[i] < 0) continue
      for (let k = 0; k < options.sides; k++) {
        b[firstSide[i] + k] = s * (sideCosine[k] * right[r + 1] + sideSine[k] * right[r + 2])
      }
      b[sigma[i]] = 0
    }
    for (let l = 0; l < limitCount; l++) {
      const row = limitRow + l
      b[memberCount + l] = right[row] / Math.sqrt(W[row * rowCount + row])
    }
  }

  /** p of every row from the unknowns. */
  private unpack(): void {
    const { members, memberCount, p, W, solver, normal, firstRow, firstSide, rowCount, limitRow, limitCount, options } = this
    const { sideCosine, sideSine } = this
    const { z } = solver
    p.fill(0, 0, rowCount)
    for (let m = 0; m < memberCount; m++) {
      const i = members[m]
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
    for (let l = 0; l < limitCount; l++) {
      const row = limitRow + l
      p[row] = z[memberCount + l] / Math.sqrt(W[row * rowCount + row])
    }
  }
}
