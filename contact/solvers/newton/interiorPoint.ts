import { addWork } from '../../../dynamics/math/index.ts'
import { type FrictionLaw, GroupKind } from '../contactProblem.ts'
import { coupledStep, invert3, type NewtonProblem } from './newtonProblem.ts'
import { aim, centre, cone, follow, multiplySteps, scale, toSurface } from './secondOrderCone.ts'

/** Conditions of a group as inequalities: the number of linear ones, by form; the last two forms have a cone besides. */
const form = { free: 0, zero: 1, normal: 2, bounded: 3, directed: 4, square: 5, cone: 6, disc: 7 } as const
const LINEAR = Uint8Array.of(0, 0, 1, 2, 1, 5, 0, 1)
const MOST = 5
/** Greatest fraction of the way to the boundary of the admissible set in a step. */
const TO_BOUNDARY = 0.99
/** Greatest fraction of its bound at which friction starts. */
const INSIDE = 0.9
/** Length of a step after which the next one only centres. */
const CRAMPED = 0.1
/** Cost of a group in multiply-adds, of a step without the factor. */
const STEP = 600

/**
 * Primal-dual interior-point method with Mehrotra's predictor and corrector. The conditions of a group are inequalities g_k(p) >= 0 with
 * multipliers l_k >= 0 and g_k l_k = 0, and a cone x(p) with its dual y and x ∘ y = 0:
 *
 *   u_n = l_0, g_0 = p_n;   u_t = Σ l_k ∂g_k/∂p_t for the edges k of a square, or y_t of the cone x = (mu p_n, p_t), of which
 *   u_n = mu (y_0² - |y_t|²) / y_0 under Coulomb's law (0 where it slips), mu y_0 under the associated one.
 *
 * All products are kept near a common value, which falls to 0. A step is one factor of M + Jᵀ G J, G = (S + B)⁻¹ with B = - du/dp of the
 * conditions, and two solves. Mehrotra, SIAM J. Optim. 2 (1992); for cones Andersen, Roos, Terlaky, Math. Program. 95 (2003). It reaches
 * some five digits in ten to fifteen steps from anywhere, and then often jams, for Coulomb's law is not monotone. @unchecked
 */
export class InteriorPoint {
  /** 1 each: length of the last step, and mean of the products. */
  readonly length = new Float64Array(1)
  readonly mean = new Float64Array(1)
  private readonly isAssociated: boolean
  private readonly isSquare: boolean
  /** Per group: `form`; MOST linear inequalities: value, gradient (3), multiplier, its change, second-order term; cones: `cone`. */
  private form = new Uint8Array(0)
  private value = new Float64Array(0)
  private gradient = new Float64Array(0)
  private multiplier = new Float64Array(0)
  private change = new Float64Array(0)
  private second = new Float64Array(0)
  private cones = new Float64Array(0)
  /** 9 a group. */
  private G = new Float64Array(0)
  /** Per row. */
  private e = new Float64Array(0)
  private dp = new Float64Array(0)
  private du = new Float64Array(0)
  private Jdv = new Float64Array(0)
  /** 9, 3: of the current group. */
  private readonly B = new Float64Array(9)
  private readonly c = new Float64Array(3)
  /** 1: target of the products. */
  private readonly target = new Float64Array(1)

  constructor(law: FrictionLaw, sides: number) {
    this.isAssociated = law === 'associated'
    this.isSquare = law === 'pyramid' && sides === 4
  }

  /** Moves p inside the admissible set, with u, and sets all products to `mean`, which the caller has set. */
  begin(problem: NewtonProblem, p: Float64Array, u: Float64Array): void {
    const { groupCount, rowCount, rhs, soft } = problem
    this.reserve(rowCount, groupCount)
    const { multiplier, value, cones, mean } = this
    this.length[0] = 1
    for (let g = 0; g < groupCount; g++) this.place(problem, g, p, u)
    problem.respond(p, u)
    for (let r = 0; r < rowCount; r++) u[r] += rhs[r] + soft[r] * p[r]
    for (let g = 0; g < groupCount; g++) {
      this.write(problem, g, p)
      for (let k = MOST * g; k < MOST * g + LINEAR[this.form[g]]; k++) multiplier[k] = mean[0] / value[k]
      if (this.form[g] >= form.cone) centre(cones, cone.size * g, mean)
    }
  }

  /** Sets the form of a group, and its impulse to one inside its conditions. */
  private place({ first, kind, limit, corner, scale }: NewtonProblem, g: number, p: Float64Array, u: Float64Array): void {
    const n = first[g]
    const mu = limit[g]
    const isThree = first[g + 1] - n === 3
    if (kind[g] === GroupKind.bilateral || kind[g] === GroupKind.bounded) {
      this.form[g] = kind[g] === GroupKind.bilateral ? form.free : mu > 0 ? form.bounded : form.zero
      if (kind[g] === GroupKind.bounded) p[n] = Math.max(-INSIDE * mu, Math.min(p[n], INSIDE * mu))
      return
    }
    const w = p[n] - u[n] / scale[g]
    const least = (4 * this.mean[0]) / scale[g]
    const root = Math.sqrt(w * w + least)
    p[n] = w > 0 ? 0.5 * (w + root) : (0.5 * least) / (root - w)
    this.form[g] = form.normal
    if (!isThree) return
    if (kind[g] === GroupKind.sliding || !(mu > 0)) {
      this.form[g] = form.directed
      p[n + 1] = -mu * corner[2 * g] * p[n]
      p[n + 2] = -mu * corner[2 * g + 1] * p[n]
      return
    }
    this.form[g] = kind[g] === GroupKind.disc ? form.disc : this.isSquare ? form.square : form.cone
    const bound = INSIDE * (kind[g] === GroupKind.disc ? mu : this.isSquare ? mu * p[n] * Math.SQRT1_2 : mu * p[n])
    const length = Math.sqrt(p[n + 1] * p[n + 1] + p[n + 2] * p[n + 2])
    if (length <= bound) return
    p[n + 1] *= bound / length
    p[n + 2] *= bound / length
  }

  /** One step of p and u. @returns false if the system is singular */
  step(problem: NewtonProblem, p: Float64Array, u: Float64Array): boolean {
    const { groupCount, rowCount } = problem
    const { multiplier, change, dp, du, length, mean, target, cones } = this
    addWork(groupCount, STEP, 1)
    let isSymmetric = true
    for (let g = 0; g < groupCount; g++) if (!this.linearise(problem, g)) isSymmetric = false
    if (problem.factor(this.G, isSymmetric) === 0) return false
    const isCramped = length[0] < CRAMPED
    target[0] = 0
    this.solve(problem, u)
    this.measure(problem, 1)
    const before = mean[0]
    this.average(problem)
    const ratio = mean[0] / before
    target[0] = isCramped ? before : before * ratio * ratio * ratio
    if (!isCramped) this.correct(problem)
    this.solve(problem, u)
    this.measure(problem, TO_BOUNDARY)
    const a = length[0]
    this.average(problem)
    for (let r = 0; r < rowCount; r++) {
      p[r] += a * dp[r]
      u[r] += a * du[r]
    }
    for (let g = 0; g < groupCount; g++) {
      for (let k = MOST * g; k < MOST * g + LINEAR[this.form[g]]; k++) multiplier[k] += a * change[k]
      if (this.form[g] >= form.cone) {
        for (let d = cone.size * g + cone.y; d < cone.size * g + cone.dx; d++) cones[d] += a * cones[d + cone.dy - cone.y]
      }
      this.write(problem, g, p)
    }
    return true
  }

  /** mean := the mean product after a step of `length`. */
  private average({ groupCount, first }: NewtonProblem): void {
    const { value, multiplier, change, length, cones } = this
    const a = length[0]
    let sum = 0
    let count = 0
    for (let g = 0; g < groupCount; g++) {
      for (let m = MOST * g; m < MOST * g + LINEAR[this.form[g]]; m++) {
        sum += (value[m] + a * this.slope(m, first[g])) * (multiplier[m] + a * change[m])
        count++
      }
      if (this.form[g] < form.cone) continue
      for (let d = cone.size * g; d < cone.size * g + 3; d++)
        sum += (cones[d] + a * cones[d + cone.dx]) * (cones[d + cone.y] + a * cones[d + cone.dy])
      count++
    }
    this.mean[0] = count > 0 ? sum / count : 0
  }

  /** Second-order terms of the predictor. */
  private correct({ groupCount, first }: NewtonProblem): void {
    for (let g = 0; g < groupCount; g++) {
      for (let m = MOST * g; m < MOST * g + LINEAR[this.form[g]]; m++) this.second[m] = this.slope(m, first[g]) * this.change[m]
      if (this.form[g] >= form.cone) multiplySteps(this.cones, cone.size * g)
    }
  }

  /** Change of linear inequality m by dp, of the group whose rows start at n; gradients of groups of one row end in zeros. */
  private slope(m: number, n: number): number {
    const { dp, gradient } = this
    const s = gradient[3 * m] * dp[n]
    if (gradient[3 * m + 1] === 0 && gradient[3 * m + 2] === 0) return s
    return s + gradient[3 * m + 1] * dp[n + 1] + gradient[3 * m + 2] * dp[n + 2]
  }

  /** Values and gradients of a group's inequalities at p, and x of its cone; clears second-order terms. */
  private write({ first, limit, corner }: NewtonProblem, g: number, p: Float64Array): void {
    const { value, gradient, cones, second } = this
    const n = first[g]
    const m = MOST * g
    const o = cone.size * g
    for (let k = m; k < m + MOST; k++) second[k] = 0
    gradient.fill(0, 3 * m, 3 * (m + MOST))
    if (this.form[g] >= form.cone) {
      cones[o] = this.form[g] === form.disc ? limit[g] : limit[g] * p[n]
      cones[o + 1] = p[n + 1]
      cones[o + 2] = p[n + 2]
      for (let d = 0; d < 3; d++) cones[o + cone.second + d] = 0
    }
    if (this.form[g] === form.bounded) {
      value[m] = limit[g] - p[n]
      value[m + 1] = limit[g] + p[n]
      gradient[3 * m] = -1
      gradient[3 * m + 3] = 1
      return
    }
    value[m] = p[n]
    gradient[3 * m] = 1
    if (this.form[g] !== form.square) return
    const c = (corner[2 * g] - corner[2 * g + 1]) * Math.SQRT1_2
    const d = (corner[2 * g] + corner[2 * g + 1]) * Math.SQRT1_2
    const slope = limit[g] * Math.SQRT1_2
    for (let k = 1, x = c, y = d; k < MOST; k++) {
      value[m + k] = slope * p[n] + x * p[n + 1] + y * p[n + 2]
      gradient[3 * (m + k)] = slope
      gradient[3 * (m + k) + 1] = x
      gradient[3 * (m + k) + 2] = y
      const z = x
      x = -y
      y = z
    }
  }

  /** G of a group. @returns whether it is symmetric */
  private linearise({ first, soft, limit, corner }: NewtonProblem, g: number): boolean {
    const { B, G, value, multiplier, gradient } = this
    const n = first[g]
    const to = 9 * g
    const isThree = first[g + 1] - n === 3
    B.fill(0)
    B[0] = soft[n]
    B[4] = isThree ? soft[n + 1] : 1
    B[8] = isThree ? soft[n + 2] : 1
    for (let k = 0; k < LINEAR[this.form[g]]; k++) {
      const at = 3 * (MOST * g + k)
      const rate = multiplier[MOST * g + k] / value[MOST * g + k]
      const normal = k === 0 || !isThree ? rate * gradient[at] : 0
      for (let j = 0; j < 3; j++) {
        B[j] += normal * gradient[at + j]
        B[3 + j] += rate * gradient[at + 1] * gradient[at + j]
        B[6 + j] += rate * gradient[at + 2] * gradient[at + j]
      }
    }
    if (!isThree || this.form[g] === form.directed) {
      G.fill(0, to, to + 9)
      G[to] = this.form[g] === form.zero ? 0 : 1 / B[0]
      if (!isThree) return true
      G[to + 3] = -limit[g] * corner[2 * g] * G[to]
      G[to + 6] = -limit[g] * corner[2 * g + 1] * G[to]
      return !(limit[g] > 0)
    }
    if (this.form[g] >= form.cone) this.lineariseCone(cone.size * g, this.form[g] === form.disc ? 0 : limit[g])
    invert3(G, to, B)
    return this.form[g] === form.disc || (this.isAssociated && this.form[g] === form.cone)
  }

  /** B += the derivative of u by y, times W⁻² = eta⁻² (2 (Jw)(Jw)ᵀ - J), times that of x by p. */
  private lineariseCone(o: number, mu: number): void {
    const { B, cones } = this
    scale(cones, o)
    const by = 1 / (cones[o + cone.eta] * cones[o + cone.eta])
    const w0 = cones[o + cone.w]
    const w1 = cones[o + cone.w + 1]
    const w2 = cones[o + cone.w + 2]
    const a01 = -2 * by * w0 * w1
    const a02 = -2 * by * w0 * w2
    const a11 = by * (2 * w1 * w1 + 1)
    const a12 = 2 * by * w1 * w2
    const a22 = by * (2 * w2 * w2 + 1)
    B[4] += a11
    B[5] += a12
    B[7] += a12
    B[8] += a22
    const y1 = this.isAssociated ? 0 : cones[o + cone.y + 1] / cones[o + cone.y]
    const y2 = this.isAssociated ? 0 : cones[o + cone.y + 2] / cones[o + cone.y]
    const t0 = mu * (1 + y1 * y1 + y2 * y2)
    const t1 = -2 * mu * y1
    const t2 = -2 * mu * y2
    cones[o + cone.normal] = t0
    cones[o + cone.normal + 1] = t1
    cones[o + cone.normal + 2] = t2
    B[0] += mu * (t0 * by * (2 * w0 * w0 - 1) + t1 * a01 + t2 * a02)
    B[1] += t0 * a01 + t1 * a11 + t2 * a12
    B[2] += t0 * a02 + t1 * a12 + t2 * a22
    B[3] += mu * a01
    B[6] += mu * a02
  }

  /** dp, du and the change of multipliers and duals towards the target. */
  private solve(problem: NewtonProblem, u: Float64Array): void {
    const { groupCount, first } = problem
    const { e, dp, du, Jdv, G, c } = this
    for (let g = 0; g < groupCount; g++) {
      const n = first[g]
      this.writeTarget(g, n, first[g + 1] - n === 3, u)
      const a = 9 * g
      e[n] = G[a] * c[0]
      if (first[g + 1] - n !== 3) continue
      e[n] = G[a] * c[0] + G[a + 1] * c[1] + G[a + 2] * c[2]
      e[n + 1] = G[a + 3] * c[0] + G[a + 4] * c[1] + G[a + 5] * c[2]
      e[n + 2] = G[a + 6] * c[0] + G[a + 7] * c[1] + G[a + 8] * c[2]
    }
    coupledStep(problem, G, e, Jdv, dp, du)
    for (let g = 0; g < groupCount; g++) this.settle(problem, g)
  }

  /** c := the group's velocity by the conditions after a step with dp = 0, less the present one. */
  private writeTarget(g: number, n: number, isThree: boolean, u: Float64Array): void {
    const { c, value, gradient, second, target, cones } = this
    for (let d = 0; d < 3; d++) c[d] = isThree || d === 0 ? -u[n + d] : 0
    for (let k = 0; k < LINEAR[this.form[g]]; k++) {
      const m = MOST * g + k
      const l = (target[0] - second[m]) / value[m]
      if (k === 0 || !isThree) c[0] += l * gradient[3 * m]
      c[1] += l * gradient[3 * m + 1]
      c[2] += l * gradient[3 * m + 2]
    }
    if (this.form[g] < form.cone) return
    const o = cone.size * g
    aim(cones, o, target)
    for (let d = o; d < o + 3; d++) c[0] += cones[d + cone.normal] * cones[d + cone.wanted]
    c[1] += cones[o + cone.wanted + 1]
    c[2] += cones[o + cone.wanted + 2]
  }

  /** The change of multipliers and dual by dp. */
  private settle({ first, limit }: NewtonProblem, g: number): void {
    const { value, multiplier, second, target, change, cones, dp } = this
    const n = first[g]
    for (let m = MOST * g; m < MOST * g + LINEAR[this.form[g]]; m++)
      change[m] = (target[0] - second[m] - multiplier[m] * this.slope(m, n)) / value[m] - multiplier[m]
    if (this.form[g] < form.cone) return
    const o = cone.size * g
    cones[o + cone.dx] = this.form[g] === form.disc ? 0 : limit[g] * dp[n]
    cones[o + cone.dx + 1] = dp[n + 1]
    cones[o + cone.dx + 2] = dp[n + 2]
    follow(cones, o)
  }

  /** Length of the step: a fraction of that to the boundary, 1 at most. */
  private measure({ groupCount, first }: NewtonProblem, fraction: number): void {
    const { value, multiplier, change, length, cones } = this
    length[0] = 1
    for (let g = 0; g < groupCount; g++) {
      for (let m = MOST * g; m < MOST * g + LINEAR[this.form[g]]; m++) {
        const slope = this.slope(m, first[g])
        if (fraction * multiplier[m] < -length[0] * change[m]) length[0] = (-fraction * multiplier[m]) / change[m]
        if (fraction * value[m] < -length[0] * slope) length[0] = (-fraction * value[m]) / slope
      }
      if (this.form[g] < form.cone) continue
      const o = cone.size * g
      toSurface(cones, o + cone.x, o + cone.dx, fraction, length)
      toSurface(cones, o + cone.y, o + cone.dy, fraction, length)
    }
  }

  private reserve(rows: number, groups: number): void {
    if (rows > this.e.length) {
      this.e = new Float64Array(2 * rows)
      this.dp = new Float64Array(2 * rows)
      this.du = new Float64Array(2 * rows)
      this.Jdv = new Float64Array(2 * rows)
    }
    if (groups <= this.form.length) return
    const size = 2 * groups
    this.form = new Uint8Array(size)
    this.value = new Float64Array(MOST * size)
    this.gradient = new Float64Array(3 * MOST * size)
    this.multiplier = new Float64Array(MOST * size)
    this.change = new Float64Array(MOST * size)
    this.second = new Float64Array(MOST * size)
    this.cones = new Float64Array(cone.size * size)
    this.G = new Float64Array(9 * size)
  }
}
