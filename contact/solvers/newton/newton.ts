import { addWork } from '../../../dynamics/math/index.ts'
import { type FrictionLaw, GroupKind, isCompliant, spring } from '../contactProblem.ts'
import { InteriorPoint } from './interiorPoint.ts'
import { projectionsOf } from './localLaw.ts'
import { coupledStep, invert3, type NewtonProblem } from './newtonProblem.ts'
import { type Projection, slot } from './slot.ts'

/** Newton steps on the unsmoothed laws, from the guess, for few groups. */
const DIRECT_STEPS = 16
const FEW_GROUPS = 40
/** Multiple of the tolerance accepted if further steps do not improve the solution. */
const NEARLY = 50
/** Of many groups: number, or residual of a guess, below which the first turn is the proximal method's alone; turns; factor of the mean product at the start of a turn. */
const CROWD = 250
const NEAR = 1e-3
const TURNS = 2
const FARTHER = 100
/** Most steps of the interior-point method; residual at which the proximal method is faster; length of a step that ends it, and from when. */
const INTERIOR_STEPS = 40
const DIGITS = 1e-5
const STUCK = 0.3
const LEAST_STEPS = Uint8Array.of(3, 25)
/** Newton steps of the proximal method, and of each of its problems; fraction of the merit at which a problem counts as solved. */
const PROXIMAL_STEPS = 90
const INNER_STEPS = 14
/** Steps in which the residual has not halved, after which the proximal method ends; of many groups. */
const PROXIMAL_PATIENCE = 20
const PATIENCE_OF_MANY = 12
/** Further steps once the looser tolerance is reached. */
const LOOSE_STEPS = 2
const GATE = 0.09
/** Ratio of merits over two steps above which the iteration ends. */
const STALL = 0.9
/**
 * Compliance of the proximal problems as a fraction of each group's W: the first; the first after a poor guess, with a residual beyond FAR;
 * the least; and its factors of change.
 */
const SHARE_FIRST = 3e-4
const SHARE_FIRST_FAR = 3e-2
const FAR = 1e-2
const SHARE_LEAST = 1e-7
const SHARE_DOWN = 0.1
const SHARE_UP = 10
/** Newton steps along the central path. */
const PATH_STEPS = 120
/** Initial smoothing on the central path over the mean squared natural map of a group. */
const ENTRY = 10
/** A point is in the path's neighbourhood if its squared smoothed natural map is below this fraction of smoothing times groups. */
const NEIGHBOURHOOD = 0.1
/** Factor of the smoothing after one step that led into the neighbourhood, after two, and after more. */
const SHRINK = Float64Array.of(0.05, 0.2, 0.4)
/** Steps at one smoothing after which it grows tenfold. */
const PATIENCE = 6
/** Fraction of the merit's first-order decrease with which a step is accepted. */
const SUFFICIENT = 0.01
/** Change of D up to which the last factor is reused. */
const SAME_FACTOR = 1e-9
/** Fraction of the largest scaled impulse that counts as size beside the largest |rhs|: rounding grows with the terms. */
const TERMS = 1e-5
/** Upper bound of that size, relative to the largest |rhs|. */
const MOST_TERMS = 100

/** Cost of a group in multiply-adds: of evaluating its law, and of a step without the factor. */
const EVALUATION = 60
const STEP = 150

/** 9: I - D + D S of the current group. */
const B = new Float64Array(9)

const STEPS = Float64Array.of(1, 0.6, 0.35, 0.2, 0.1, 0.05)

const convexRelative = projectionsOf('similar', 4)

/**
 * Solves contact problems under one law by Newton's method on the natural map p = P(p - u), u = W p + rhs, of all groups at once
 * (semismooth Newton, the primal-dual active-set method; Alart and Curnier 1991). With the law's derivative D of each group the step is @unchecked
 *
 *   dp = (I - D + D S)⁻¹ (P(w) - p) - G J dv,    G = (I - D + D S)⁻¹ D,    (M + Jᵀ G J) dv = Jᵀ e,
 *
 * S the compliance: a sparse system in velocities. A sticking contact has G = S⁻¹, an open one G = 0.
 *
 * It starts from a guess of w, the mode and impulse of each contact, from which one step mostly suffices. If that does not converge, and at
 * once for many groups, it solves more compliant problems, each centred at the impulses of the last (the proximal method of multipliers:
 * Rockafellar, Math. Oper. Res. 1, 1976), in crowds after the first digits by `InteriorPoint`. Last, the laws are smoothed and a solution
 * is followed along the central path as the smoothing shrinks (non-interior continuation: Chen and Tseng, Math. Program. 95, 2003; for
 * cones Hayashi, Yamashita and Fukushima, SIAM J. Optim. 15, 2005), starting with a smoothing comparable to the guess's distance from the
 * path. Under `tamsi`, which has no potential, the second attempt starts from the solution of `similar`.
 */
export class ContactNewton {
  readonly law: FrictionLaw
  /** 1: largest natural map of a group at the last solution, relative to the size of the problem; see `contactResidual`. */
  readonly residual = new Float64Array(1)
  /** Newton steps of the last solve, and 1 if it followed the central path. */
  iterations = 0
  usedPath = false
  /**
   * Sign of the determinant of the last factored system. -1 at a solution means that there are others: signs add up to 1 over all solutions
   * if a large enough `rhs` has only one (p = 0).
   */
  orientation = 1
  private projections: readonly Projection[]
  private readonly interior: InteriorPoint
  /** `slot.size` numbers a group, at the offsets of `slot`. */
  private blocks = new Float64Array(0)
  /** Per row: impulse, velocity, Newton's step of both, the part of dp known before dv, and J dv. */
  private p = new Float64Array(0)
  private u = new Float64Array(0)
  private dp = new Float64Array(0)
  private du = new Float64Array(0)
  private e = new Float64Array(0)
  private Jdv = new Float64Array(0)
  /** 9 a group: G; the D from which it was computed; and (I - D + D S)⁻¹. */
  private G = new Float64Array(0)
  private D = new Float64Array(0)
  private A = new Float64Array(0)
  /** 3: scaled compliance of the current group. */
  private readonly S = new Float64Array(3)
  /** 1 each: smoothing, merit, and size of the problem. */
  private readonly smoothing = new Float64Array(1)
  /** 1 each: present fraction of the proximal term, and that of the last factor; and per row the impulses at its centre. */
  private readonly proximal = new Float64Array(1)
  private readonly factoredShare = new Float64Array(1)
  private center = new Float64Array(0)
  private readonly merit = new Float64Array(1)
  private readonly size = new Float64Array(1)
  private isKnown = new Uint8Array(0)
  /** Per group: square root s of its scale; impulses p are scaled to p s, velocities u to u / s. */
  private root = new Float64Array(0)
  /** The point of least residual on the path, and that residual. */
  private best = new Float64Array(0)
  private readonly least = new Float64Array(1)
  private hasFactor = false
  private isSymmetric = true

  constructor(law: FrictionLaw, sides: number) {
    this.law = law
    this.projections = projectionsOf(law, sides)
    this.interior = new InteriorPoint(law, sides)
  }

  /**
   * @param w         rowCount, in: a guess of p - u / scale, NaN in the first row of a group without a guess; out: w of the solution
   * @param p         out: rowCount, the impulses, exactly admissible
   * @param tolerance 2: largest residual of a solution, and of one accepted if the first is not reached
   * @returns whether p is a solution
   */
  solve(problem: NewtonProblem, w: Float64Array, p: Float64Array, tolerance: Float64Array): boolean {
    const { groupCount, rowCount, rhs } = problem
    const isFew = groupCount <= FEW_GROUPS
    this.reserve(rowCount, groupCount)
    this.iterations = 0
    this.usedPath = false
    this.hasFactor = false
    this.proximal[0] = 0
    this.prepare(problem)
    for (let r = 0; r < rowCount; r++) {
      this.p[r] = 0
      this.u[r] = rhs[r]
    }
    this.smoothing[0] = 0
    this.adopt(problem, w)
    this.least[0] = Number.POSITIVE_INFINITY
    let solved: boolean
    if (isFew) {
      solved = this.direct(problem, tolerance, DIRECT_STEPS)
      if (!solved && !(this.merit[0] < Number.POSITIVE_INFINITY)) this.restart(problem)
    } else {
      // many groups known, few changes: the last solution often holds again
      this.takeGuess(problem)
      this.evaluate(problem)
      solved = this.residual[0] <= tolerance[0] || this.solveMany(problem, tolerance)
    }
    if (this.law === 'tamsi') solved = solved || this.startConvex(problem, tolerance)
    if (isFew) solved = solved || this.followProximal(problem, tolerance, PROXIMAL_PATIENCE)
    if (!solved) {
      this.usedPath = true
      if (isFew) solved = this.followPath(problem, tolerance)
      if (!solved) {
        this.restart(problem)
        solved = this.followPath(problem, tolerance)
      }
    }
    this.finish(problem, w, p)
    return solved
  }

  /** P(w) of all groups under the problem's present parameters. @param P out: rowCount */
  map(problem: NewtonProblem, w: Float64Array, P: Float64Array): void {
    const { groupCount, first } = problem
    this.reserve(problem.rowCount, groupCount)
    this.smoothing[0] = 0
    this.prepare(problem)
    this.adopt(problem, w)
    for (let g = 0; g < groupCount; g++) {
      for (let r = first[g], k = slot.size * g + slot.P; r < first[g + 1]; r++, k++) P[r] = this.blocks[k] / this.root[g]
    }
  }

  /**
   * Linearises the laws at a solution w, for `respond`; factors the system unless it is as the last `solve` factored it.
   *
   * @param isLast whether the problem is that of the last `solve`
   */
  linearizeAt(problem: NewtonProblem, w: Float64Array, P: Float64Array, isLast: boolean): void {
    // evaluated there, unless the last solve ended elsewhere
    if (!isLast || this.usedPath) this.map(problem, w, P)
    this.proximal[0] = 0
    this.hasFactor &&= isLast
    if (this.linearise(problem)) return
    this.orientation = problem.factor(this.G, this.isSymmetric)
    this.hasFactor = this.orientation !== 0
  }

  /**
   * e := A dP - G du where `linearizeAt` was called: dp = e - G J dv is the implicit derivative of the solution, dv = H⁻¹ Jᵀ e.
   *
   * @param dP rowCount: change of P(w) by its parameters
   * @param du rowCount: change of u with p held
   * @param e  out: rowCount
   */
  respond({ groupCount, first }: NewtonProblem, dP: Float64Array, du: Float64Array, e: Float64Array): void {
    const { A, G } = this
    for (let g = 0; g < groupCount; g++) {
      for (let r = first[g], a = 9 * g; r < first[g + 1]; r++, a += 3) {
        e[r] = 0
        for (let k = first[g]; k < first[g + 1]; k++) e[r] += A[a + k - first[g]] * dP[k] - G[a + k - first[g]] * du[k]
      }
    }
  }

  /** Many groups: the interior-point method for the first digits, the proximal one for the last; from zero impulses in later turns. */
  private solveMany(problem: NewtonProblem, tolerance: Float64Array): boolean {
    const { least, residual } = this
    const hasInside = !isCompliant(this.law) && !hasPressed(problem)
    for (let n = 0; n < (hasInside ? TURNS : 1); n++) {
      if (n > 0) this.restart(problem)
      const isFar = problem.groupCount > CROWD && !(residual[0] < NEAR)
      if (hasInside && (n > 0 || isFar)) this.startInside(problem, n)
      least[0] = Number.POSITIVE_INFINITY
      if (this.followProximal(problem, tolerance, PATIENCE_OF_MANY)) return true
    }
    return false
  }

  /** Steps of the interior-point method until it has a few digits or gets stuck. */
  private startInside(problem: NewtonProblem, turn: number): void {
    const { interior, p, u, merit, residual } = this
    interior.mean[0] = (ENTRY * merit[0]) / problem.groupCount
    for (let n = 0; n < turn; n++) interior.mean[0] *= FARTHER
    interior.begin(problem, p, u)
    for (let n = 1; n <= INTERIOR_STEPS; n++) {
      this.iterations++
      if (!interior.step(problem, p, u)) break
      this.evaluate(problem)
      if (residual[0] <= DIGITS || (n > LEAST_STEPS[turn] && interior.length[0] < STUCK)) break
    }
    this.hasFactor = false
    this.refresh(problem)
  }

  /** Newton's method from the guess, with the unsmoothed laws. */
  private direct(problem: NewtonProblem, tolerance: Float64Array, limit: number): boolean {
    this.takeGuess(problem)
    if (!this.step(problem, 1)) return false
    const { residual, merit } = this
    let last = Number.POSITIVE_INFINITY
    this.evaluate(problem)
    let older = Number.POSITIVE_INFINITY
    let old = Number.POSITIVE_INFINITY
    for (let n = 1; ; n++) {
      // u is a sum of changes, of which those of wrong guesses may be large
      if (residual[0] <= tolerance[0] && n > 2) this.refresh(problem)
      if (residual[0] <= tolerance[0]) return true
      // accepts a little more, due to rounding
      if (residual[0] <= NEARLY * tolerance[0] && residual[0] > 0.5 * last) return true
      last = residual[0]
      // two steps without progress are mostly a cycle
      if (n === limit || !(merit[0] < Number.POSITIVE_INFINITY) || merit[0] > STALL * older) return false
      older = old
      old = merit[0]
      if (!this.step(problem, 0)) return false
    }
  }

  /** `direct` from the solution of `similar`, the convex relative of `tamsi`. */
  private startConvex(problem: NewtonProblem, tolerance: Float64Array): boolean {
    const own = this.projections
    this.projections = convexRelative
    this.isKnown.fill(0, 0, problem.groupCount)
    this.restart(problem)
    if (!this.direct(problem, tolerance, DIRECT_STEPS)) this.followProximal(problem, tolerance, PROXIMAL_PATIENCE)
    this.projections = own
    this.isKnown.fill(1, 0, problem.groupCount)
    this.evaluate(problem)
    this.least[0] = Number.POSITIVE_INFINITY
    return this.direct(problem, tolerance, DIRECT_STEPS)
  }

  /** Sets p to the impulses of the guess, and u. */
  private takeGuess(problem: NewtonProblem): void {
    const { groupCount, first, rowCount, rhs, soft } = problem
    const { p, u, blocks, root, isKnown } = this
    for (let g = 0; g < groupCount; g++) {
      for (let r = first[g], k = slot.size * g + slot.P; r < first[g + 1]; r++, k++)
        p[r] = isKnown[g] === 1 ? blocks[k] / root[g] : 0
    }
    problem.respond(p, u)
    for (let r = 0; r < rowCount; r++) u[r] += rhs[r] + soft[r] * p[r]
  }

  /**
   * The proximal method of multipliers, from the present point: each problem has additional compliance, a fraction of each group's own W,
   * about the last impulses; the fraction shrinks as problems are solved.
   */
  private followProximal(problem: NewtonProblem, tolerance: Float64Array, patience: number): boolean {
    const { rowCount } = problem
    const { proximal, center, merit, p } = this
    this.smoothing[0] = 0
    let share = this.residual[0] > FAR ? SHARE_FIRST_FAR : SHARE_FIRST
    let limit = PROXIMAL_STEPS
    let gainedAt = 0
    for (let n = 0; n < limit; ) {
      for (let r = 0; r < rowCount; r++) center[r] = p[r]
      proximal[0] = share
      this.evaluate(problem)
      const enough = GATE * merit[0]
      let inner = 0
      let older = Number.POSITIVE_INFINITY
      let old = merit[0]
      while (merit[0] > enough && inner < INNER_STEPS) {
        if (!this.step(problem, 0)) break
        inner++
        n++
        if (merit[0] > STALL * older) break
        older = old
        old = merit[0]
      }
      const isSolved = inner > 0 && merit[0] <= enough
      proximal[0] = 0
      this.evaluate(problem)
      if (this.residual[0] < 0.5 * this.least[0]) gainedAt = n
      this.keepBest(rowCount)
      if (this.residual[0] <= tolerance[0]) {
        this.refresh(problem)
        if (this.residual[0] <= tolerance[0]) return true
      }
      if (n - gainedAt > patience) break
      if (this.residual[0] <= tolerance[1] && n + LOOSE_STEPS < limit) limit = n + LOOSE_STEPS
      if (!isSolved) share = Math.min(share * SHARE_UP, 1)
      else if (inner < INNER_STEPS / 2) share = Math.max(share * SHARE_DOWN, SHARE_LEAST)
      if (inner === 0) n++
    }
    for (let r = 0; r < rowCount; r++) p[r] = this.best[r]
    this.refresh(problem)
    return this.residual[0] <= tolerance[1]
  }

  private keepBest(rowCount: number): void {
    if (!(this.residual[0] < this.least[0])) return
    this.least[0] = this.residual[0]
    for (let r = 0; r < rowCount; r++) this.best[r] = this.p[r]
  }

  /** Follows the central path from the present point. */
  private followPath(problem: NewtonProblem, tolerance: Float64Array): boolean {
    const { groupCount } = problem
    const { smoothing, merit } = this
    if (!(merit[0] < Number.POSITIVE_INFINITY)) this.restart(problem)
    smoothing[0] = (ENTRY * merit[0]) / groupCount
    this.evaluate(problem)
    let since = 0
    for (let n = 0; n < PATH_STEPS; n++) {
      if (!this.step(problem, 0)) {
        smoothing[0] *= 100
        this.evaluate(problem)
        continue
      }
      since++
      const inside = merit[0] <= NEIGHBOURHOOD * smoothing[0] * groupCount
      // residual under the unsmoothed laws
      const s = smoothing[0]
      smoothing[0] = 0
      this.evaluate(problem)
      this.keepBest(problem.rowCount)
      if (this.residual[0] <= tolerance[0] || (n > PATH_STEPS / 2 && this.residual[0] <= tolerance[1])) {
        this.refresh(problem)
        if (this.residual[0] <= tolerance[1]) return true
      }
      smoothing[0] = s
      if (inside) {
        smoothing[0] *= SHRINK[since < 3 ? since - 1 : 2]
        since = 0
      } else if (since === PATIENCE) {
        smoothing[0] *= 10
        since = 0
      }
      this.evaluate(problem)
    }
    smoothing[0] = 0
    for (let r = 0; r < problem.rowCount; r++) this.p[r] = this.best[r]
    this.refresh(problem)
    return this.residual[0] <= tolerance[1]
  }

  /** Back to zero impulses. */
  private restart(problem: NewtonProblem): void {
    this.p.fill(0, 0, problem.rowCount)
    for (let r = 0; r < problem.rowCount; r++) this.u[r] = problem.rhs[r]
    this.smoothing[0] = 0
    this.evaluate(problem)
  }

  /** Recomputes u := W p + rhs, and evaluates the laws. */
  private refresh(problem: NewtonProblem): void {
    const { u, p } = this
    const { rowCount, rhs, soft } = problem
    problem.respond(p, u)
    for (let r = 0; r < rowCount; r++) u[r] += rhs[r] + soft[r] * p[r]
    this.evaluate(problem)
  }

  /** Scales the law's parameters, and the size of the problem. */
  private prepare(problem: NewtonProblem): void {
    const { groupCount, first, kind, limit, scale, rhs, corner } = problem
    const { blocks, size } = this
    size[0] = 0
    for (let g = 0; g < groupCount; g++) {
      const at = slot.size * g
      const s = Math.sqrt(scale[g])
      this.root[g] = s
      blocks[at + slot.parameter] = kind[g] === GroupKind.bounded || kind[g] === GroupKind.disc ? limit[g] * s : limit[g]
      blocks[at + slot.cosine] = kind[g] === GroupKind.pressed ? corner[2 * g] * s : corner[2 * g]
      blocks[at + slot.sine] = corner[2 * g + 1]
      for (let r = first[g]; r < first[g + 1]; r++) {
        const x = Math.abs(rhs[r]) / s
        if (x > size[0]) size[0] = x
      }
    }
    if (isCompliant(this.law) && problem.springs !== undefined) this.prepareSprings(groupCount, problem.springs)
  }

  /** Scales the numbers of springs: impulses times the root, velocities divided by it. */
  private prepareSprings(groupCount: number, of: Float64Array): void {
    const { blocks, root } = this
    for (let g = 0; g < groupCount; g++) {
      const from = spring.size * g
      const to = slot.size * g + slot.spring
      const s = root[g]
      blocks[to + spring.impulse] = of[from + spring.impulse] * s
      blocks[to + spring.stiffness] = of[from + spring.stiffness] * s * s
      blocks[to + spring.dissipation] = of[from + spring.dissipation] * s
      blocks[to + spring.before] = of[from + spring.before] * s
      blocks[to + spring.slip] = of[from + spring.slip] / s
    }
  }

  /** w of each group := the guess, or p - u without one; evaluates P and D. */
  private adopt({ groupCount, first, kind, scale }: NewtonProblem, w: Float64Array): void {
    const { blocks, p, u } = this
    for (let g = 0; g < groupCount; g++) {
      const at = slot.size * g
      const s = Math.sqrt(scale[g])
      const n = first[g]
      const isKnown = !Number.isNaN(w[n])
      for (let r = n; r < first[g + 1]; r++) blocks[at + r - n] = isKnown ? w[r] * s : p[r] * s - u[r] / s
      this.project(g, kind[g])
      this.isKnown[g] = isKnown ? 1 : 0
    }
  }

  private project(g: number, kind: number): void {
    const { blocks } = this
    const at = slot.size * g
    blocks[at + slot.smoothing] = this.smoothing[0]
    this.projections[kind](blocks, at)
  }

  /** Evaluates w, P and D of all groups at the present p and u; the merit |p - P(w)|², and the residual. */
  private evaluate({ groupCount, first, kind }: NewtonProblem): void {
    const { blocks, p, u, merit, residual, size, center, root, projections } = this
    const share = this.proximal[0]
    const smoothing = this.smoothing[0]
    addWork(groupCount, EVALUATION, 1)
    let sum = 0
    let worst = 0
    let terms = 0
    for (let g = 0; g < groupCount; g++) {
      const at = slot.size * g
      const s = root[g]
      const inverse = 1 / s
      const n = first[g]
      const end = first[g + 1]
      for (let r = n, k = at; r < end; r++, k++) {
        const x = p[r] * s
        if (Math.abs(x) > terms) terms = Math.abs(x)
        blocks[k] = x - u[r] * inverse
        if (share > 0) blocks[k] += share * (center[r] * s - x)
      }
      blocks[at + slot.smoothing] = smoothing
      projections[kind[g]](blocks, at)
      let off = 0
      for (let r = n, k = at + slot.P; r < end; r++, k++) {
        const d = p[r] * s - blocks[k]
        off += d * d
      }
      sum += off
      if (!(off <= worst)) worst = off
    }
    merit[0] = sum < Number.POSITIVE_INFINITY ? sum : Number.POSITIVE_INFINITY
    let by = TERMS * terms > size[0] ? TERMS * terms : size[0]
    if (by > MOST_TERMS * size[0]) by = MOST_TERMS * size[0]
    residual[0] = worst > 0 ? Math.sqrt(worst) / by : worst === 0 ? 0 : Number.POSITIVE_INFINITY
  }

  /**
   * One Newton step from the present point, its length by the merit.
   *
   * @param whole 1: a full step from a guess, with D at another w than that of the present point
   * @returns false if the system is singular
   */
  private step(problem: NewtonProblem, whole: number): boolean {
    const { rowCount, groupCount, first } = problem
    const { p, u, dp, du, e, G, Jdv, A, blocks, root } = this
    this.iterations++
    addWork(groupCount, STEP, 1)
    const isSame = this.linearise(problem)
    if (!isSame || !this.hasFactor) {
      this.orientation = problem.factor(G, this.isSymmetric)
      this.hasFactor = this.orientation !== 0
      if (!this.hasFactor) return false
    }
    for (let g = 0; g < groupCount; g++) {
      const at = slot.size * g
      const s = root[g]
      const inverse = 1 / s
      const n = first[g]
      const isThree = first[g + 1] - n === 3
      const a = 9 * g
      // P(w) + D (p - u - w) - p: at the present point w is p - u
      let e0 = blocks[at + slot.P] - p[n] * s
      if (!isThree) {
        if (whole === 1) e0 += blocks[at + slot.D] * (p[n] * s - u[n] * inverse - blocks[at])
        e[n] = A[a] * e0 * inverse
        continue
      }
      let e1 = blocks[at + slot.P + 1] - p[n + 1] * s
      let e2 = blocks[at + slot.P + 2] - p[n + 2] * s
      if (whole === 1) {
        const w0 = p[n] * s - u[n] * inverse - blocks[at]
        const w1 = p[n + 1] * s - u[n + 1] * inverse - blocks[at + 1]
        const w2 = p[n + 2] * s - u[n + 2] * inverse - blocks[at + 2]
        const d = at + slot.D
        e0 += blocks[d] * w0 + blocks[d + 1] * w1 + blocks[d + 2] * w2
        e1 += blocks[d + 3] * w0 + blocks[d + 4] * w1 + blocks[d + 5] * w2
        e2 += blocks[d + 6] * w0 + blocks[d + 7] * w1 + blocks[d + 8] * w2
      }
      e[n] = (A[a] * e0 + A[a + 1] * e1 + A[a + 2] * e2) * inverse
      e[n + 1] = (A[a + 3] * e0 + A[a + 4] * e1 + A[a + 5] * e2) * inverse
      e[n + 2] = (A[a + 6] * e0 + A[a + 7] * e1 + A[a + 8] * e2) * inverse
    }
    coupledStep(problem, G, e, Jdv, dp, du)
    if (whole === 1) {
      for (let r = 0; r < rowCount; r++) {
        p[r] += dp[r]
        u[r] += du[r]
      }
    } else this.search(problem)
    return true
  }

  /** Line search along dp, until the merit falls enough or lies in the path's neighbourhood; else to its least value found. */
  private search(problem: NewtonProblem): void {
    const { rowCount, groupCount } = problem
    const { p, u, dp, du, merit, smoothing } = this
    const before = merit[0]
    const near = NEIGHBOURHOOD * smoothing[0] * groupCount
    let at = 0
    let best = 0
    let least = Number.POSITIVE_INFINITY
    for (let n = 0; n < STEPS.length; n++) {
      const move = STEPS[n] - at
      at = STEPS[n]
      for (let r = 0; r < rowCount; r++) {
        p[r] += move * dp[r]
        u[r] += move * du[r]
      }
      this.evaluate(problem)
      if (merit[0] < least) {
        least = merit[0]
        best = n
      }
      if (merit[0] <= near || merit[0] < (1 - SUFFICIENT * at) * before) return
    }
    if (best === STEPS.length - 1) return
    const move = STEPS[best] - at
    for (let r = 0; r < rowCount; r++) {
      p[r] += move * dp[r]
      u[r] += move * du[r]
    }
    this.evaluate(problem)
  }

  /** Computes A = (I - D + D S)⁻¹ and G from the present D. @returns whether D is unchanged */
  private linearise({ groupCount, first, soft, scale }: NewtonProblem): boolean {
    const { blocks, D, A, G, S } = this
    const share = this.proximal[0]
    let isSame = this.hasFactor && share === this.factoredShare[0]
    this.factoredShare[0] = share
    for (let g = 0; g < groupCount && isSame; g++) {
      const from = slot.size * g + slot.D
      const width = first[g + 1] - first[g] === 3 ? 9 : 1
      for (let k = 0; k < width; k++) {
        if (Math.abs(blocks[from + k] - D[9 * g + k]) > SAME_FACTOR) isSame = false
      }
    }
    if (isSame) return true
    this.isSymmetric = true
    for (let g = 0; g < groupCount; g++) {
      const from = slot.size * g + slot.D
      const to = 9 * g
      const h = 1 / scale[g]
      const n = first[g]
      if (first[g + 1] - n !== 3) {
        const d = blocks[from]
        const a = 1 / (1 - d + d * (h * soft[n] + share))
        D[to] = d
        A[to] = a
        G[to] = h * a * d
        continue
      }
      for (let k = 0; k < 9; k++) D[to + k] = blocks[from + k]
      S[0] = h * soft[n] + share
      S[1] = h * soft[n + 1] + share
      S[2] = h * soft[n + 2] + share
      this.invert(to)
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < 3; j++) {
          const x = A[to + 3 * i] * D[to + j] + A[to + 3 * i + 1] * D[to + 3 + j] + A[to + 3 * i + 2] * D[to + 6 + j]
          G[to + 3 * i + j] = h * x
        }
      }
      if (D[to + 1] !== D[to + 3] || D[to + 2] !== D[to + 6]) this.isSymmetric = false
    }
    return false
  }

  /** A := (I - D + D S)⁻¹ of the group at `to`. */
  private invert(to: number): void {
    const { A, D, S } = this
    const s0 = S[0]
    const s1 = S[1]
    const s2 = S[2]
    B[0] = 1 - D[to] * (1 - s0)
    B[1] = D[to + 1] * (s1 - 1)
    B[2] = D[to + 2] * (s2 - 1)
    B[3] = D[to + 3] * (s0 - 1)
    B[4] = 1 - D[to + 4] * (1 - s1)
    B[5] = D[to + 5] * (s2 - 1)
    B[6] = D[to + 6] * (s0 - 1)
    B[7] = D[to + 7] * (s1 - 1)
    B[8] = 1 - D[to + 8] * (1 - s2)
    invert3(A, to, B)
  }

  /** Writes the solution as admissible impulses, and its w. */
  private finish({ groupCount, first, scale }: NewtonProblem, w: Float64Array, p: Float64Array): void {
    const { blocks } = this
    for (let g = 0; g < groupCount; g++) {
      const at = slot.size * g
      const s = Math.sqrt(scale[g])
      const n = first[g]
      for (let r = n; r < first[g + 1]; r++) {
        p[r] = blocks[at + slot.P + r - n] / s
        w[r] = blocks[at + r - n] / s
      }
    }
  }

  private reserve(rows: number, groups: number): void {
    if (rows > this.p.length) {
      this.p = new Float64Array(2 * rows)
      this.u = new Float64Array(2 * rows)
      this.dp = new Float64Array(2 * rows)
      this.du = new Float64Array(2 * rows)
      this.e = new Float64Array(2 * rows)
      this.Jdv = new Float64Array(2 * rows)
      this.best = new Float64Array(2 * rows)
      this.center = new Float64Array(2 * rows)
    }
    if (slot.size * groups <= this.blocks.length) return
    this.blocks = new Float64Array(2 * slot.size * groups)
    this.isKnown = new Uint8Array(2 * groups)
    this.root = new Float64Array(2 * groups)
    this.G = new Float64Array(18 * groups)
    this.D = new Float64Array(18 * groups)
    this.A = new Float64Array(18 * groups)
  }
}

function hasPressed({ groupCount, kind }: NewtonProblem): boolean {
  for (let g = 0; g < groupCount; g++) if (kind[g] === GroupKind.pressed) return true
  return false
}
