import { cos } from '../../dynamics/index.ts'
import { DenseLU } from '../solvers/denseLU.ts'
import { ANSWER_TOLERANCE, type Face, type FaceProblem } from './faces.ts'
import { LinearProgram } from './linearProgram.ts'
import { FacePolyhedron } from './search.ts'

/** An interval [low, high] that contains the exact value: every operation rounds outward. */
type Interval = readonly [number, number]
const ROUNDING = 2 ** -52
const wide = (low: number, high: number): Interval => [
  low - Math.abs(low) * ROUNDING - 1e-300,
  high + Math.abs(high) * ROUNDING + 1e-300,
]
const point = (x: number): Interval => [x, x]
const add = (a: Interval, b: Interval) => wide(a[0] + b[0], a[1] + b[1])
const negative = (a: Interval): Interval => [-a[1], -a[0]]
function multiply(a: Interval, b: Interval): Interval {
  const [p, q, r, s] = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]]
  return wide(Math.min(p, q, r, s), Math.max(p, q, r, s))
}
const sumOf = (terms: readonly Interval[]) => terms.reduce(add, point(0))

/** Half the edge of the box that is to contain one solution, of the unit. */
const RADIUS = 2 ** -20
const NEWTON_STEPS = 12

/** A face's unknowns: of slip under a cone the normal impulse and the direction (x, y), with p_t = -mu p_n (x, y); else impulses. */
interface Unknowns {
  readonly group: number
  readonly row: number
  readonly mu: number
  readonly kind: 'slip' | 'free' | 'ray'
  readonly at: number
  readonly count: number
  /** Of a ray: impulses by one unit of its unknown. */
  readonly ray?: readonly number[]
}

/**
 * Whether a choice of faces under the cones has a solution for certain: the smooth equations of its modes, by Newton's method from a point of
 * the polyhedron, then Krawczyk's operator on a small box around (Krawczyk 1969; Neumaier, Interval Methods, 1990, section 5.1), which maps a
 * box that has one solution into its inside. False where the equations are singular, as on more contacts than needed, or on a boundary. @unchecked
 */
export function isVerified(problem: FaceProblem, polyhedron: FacePolyhedron): boolean {
  if (isInscribed(problem, polyhedron)) return true
  const program = polyhedron.open(new LinearProgram())
  program.solve()
  const unknowns = unknownsOf(problem, polyhedron.choice as readonly Face[])
  const size = unknowns.reduce((sum, { count }) => sum + count, 0)
  const system = new ModeSystem(problem, polyhedron, unknowns)
  const start = polyhedron.impulses(program.x)
  const x = new Float64Array(size)
  for (const { kind, at, row, count, mu, ray } of unknowns) {
    for (let k = 0; k < count; k++) x[at + k] = start[row + k] / (ray?.[0] ?? 1)
    if (kind !== 'slip') continue
    const length = mu * start[row]
    const slip = [-start[row + 1] / length, -start[row + 2] / length]
    const norm = Math.hypot(...slip)
    x[at + 1] = slip[0] / norm
    x[at + 2] = slip[1] / norm
  }
  if (!x.every(Number.isFinite)) return false
  const lu = new DenseLU()
  lu.reserve(size)
  const change = new Float64Array(size)
  const solved = new Float64Array(size)
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const values = system.values(Array.from(x, point))
    const J = system.jacobian(Array.from(x, point))
    for (const [k, [low, high]] of J.flat().entries()) lu.LU[k] = 0.5 * (low + high)
    if (size > 0 && lu.factor(size, 1e-12) === 0) return false
    for (const [i, [low, high]] of values.entries()) change[i] = 0.5 * (low + high)
    lu.solve(change, solved)
    for (let i = 0; i < size; i++) x[i] -= solved[i]
  }
  const box = Array.from(x, (value): Interval => [value - RADIUS, value + RADIUS])
  return system.isIn(x) && isInside(system, lu, Array.from(x, point), box) && system.holds(box)
}

/** Whether a choice without slip in a cone has a solution in pyramids inscribed in the cones: then its conditions are linear. */
function isInscribed(problem: FaceProblem, polyhedron: FacePolyhedron): boolean {
  const choice = polyhedron.choice as readonly Face[]
  const isRound = ({ generators }: Face) => generators.length > 2 && generators[0].length === 3
  if (choice.some((face) => isRound(face) && face.name !== 'stick')) return false
  const inner = choice.map((face): Face => {
    if (!isRound(face)) return face
    const reach = cos(Math.PI / face.generators.length) / (1 + 4 * ANSWER_TOLERANCE)
    return { ...face, generators: face.generators.map(([normal, x, y]) => [normal, reach * x, reach * y]) }
  })
  return new FacePolyhedron(problem, inner).open(new LinearProgram()).solve() === 0
}

/** K(X) = x - Y f(x) + (1 - Y J(X)) (X - x) lies inside X; Y the inverse that `lu` holds. */
function isInside(system: ModeSystem, lu: DenseLU, x: readonly Interval[], box: readonly Interval[]): boolean {
  const size = x.length
  const inverse = x.map((_, k) => {
    const unit = Float64Array.from(x, (_, i) => (i === k ? 1 : 0))
    const column = new Float64Array(size)
    lu.solve(unit, column)
    return column
  })
  const f = system.values(x)
  const J = system.jacobian(box)
  return x.every((own, i) => {
    const Y = x.map((_, k) => point(inverse[k][i]))
    const moved = sumOf(Y.map((y, k) => multiply(y, f[k])))
    const spread = x.map((_, k) => {
      const slope = add(point(i === k ? 1 : 0), negative(sumOf(Y.map((y, r) => multiply(y, J[r][k])))))
      return multiply(slope, [-RADIUS, RADIUS])
    })
    const [low, high] = sumOf([own, negative(moved), ...spread])
    return low > box[i][0] && high < box[i][1]
  })
}

function unknownsOf({ groups }: FaceProblem, choice: readonly Face[]): Unknowns[] {
  let at = 0
  return groups.flatMap(({ first: row, mu: own }, g): Unknowns[] => {
    const { generators, name } = choice[g]
    if (generators.length === 0) return []
    const dim = generators[0].length
    const mu = own ?? (dim === 1 ? 0 : Math.abs(generators[0][1]) / generators[0][0])
    const start = at
    if (dim === 3 && name.startsWith('slip')) {
      at += 3
      return [{ group: g, row, mu, kind: 'slip', at: start, count: 3 }]
    }
    if (generators.length === 1 && dim > 1) {
      at += 1
      return [{ group: g, row, mu, kind: 'ray', at: start, count: 1, ray: generators[0] }]
    }
    at += dim
    return [{ group: g, row, mu, kind: 'free', at: start, count: dim }]
  })
}

/** The equations of a choice of modes: of stick u = 0; of slip u_n = 0, u_t along (x, y), x² + y² = 1. */
class ModeSystem {
  readonly #problem: FaceProblem
  readonly #unknowns: readonly Unknowns[]
  readonly #polyhedron: FacePolyhedron
  readonly #fixed: Float64Array

  constructor(problem: FaceProblem, polyhedron: FacePolyhedron, unknowns: readonly Unknowns[]) {
    this.#problem = problem
    this.#polyhedron = polyhedron
    this.#unknowns = unknowns
    this.#fixed = polyhedron.impulses(new Float64Array(polyhedron.columns.length))
  }

  #impulses(x: readonly Interval[]): Interval[] {
    const p = Array.from(this.#fixed, point)
    for (const { kind, row, at, count, mu, ray } of this.#unknowns) {
      if (kind === 'free') for (let k = 0; k < count; k++) p[row + k] = x[at + k]
      else if (ray) for (const [k, value] of ray.entries()) p[row + k] = multiply(point(value), x[at])
      else {
        p[row] = x[at]
        for (let k = 1; k < 3; k++) p[row + k] = negative(multiply(point(mu), multiply(x[at], x[at + k])))
      }
    }
    return p
  }

  #velocity(p: readonly Interval[], r: number, isChange: boolean): Interval {
    const { W, rhs, rowCount, scale } = this.#problem
    return sumOf([isChange ? point(0) : point(rhs[r] / scale), ...p.map((own, c) => multiply(point(W[r * rowCount + c]), own))])
  }

  values(x: readonly Interval[]): Interval[] {
    const p = this.#impulses(x)
    return this.#unknowns.flatMap(({ kind, row, at, count }): Interval[] => {
      const u = (k: number) => this.#velocity(p, row + k, false)
      if (kind !== 'slip') return Array.from({ length: count }, (_, k) => u(k))
      const [dx, dy] = [x[at + 1], x[at + 2]]
      const norm = sumOf([multiply(dx, dx), multiply(dy, dy), point(-1)])
      return [u(0), add(multiply(u(1), dy), negative(multiply(u(2), dx))), norm]
    })
  }

  jacobian(x: readonly Interval[]): Interval[][] {
    const none = () => Array.from(this.#fixed, () => point(0))
    const changes = this.#unknowns.flatMap(({ kind, row, at, count, mu, ray }) =>
      Array.from({ length: count }, (_, k) => {
        const p = none()
        if (kind === 'free') p[row + k] = point(1)
        else if (ray) for (const [i, value] of ray.entries()) p[row + i] = point(value)
        else if (k === 0) {
          p[row] = point(1)
          for (let i = 1; i < 3; i++) p[row + i] = negative(multiply(point(mu), x[at + i]))
        } else p[row + k] = negative(multiply(point(mu), x[at]))
        return p
      }),
    )
    const p = this.#impulses(x)
    return this.#unknowns.flatMap(({ kind, row, at, count }): Interval[][] => {
      const rate = (k: number) => changes.map((own) => this.#velocity(own, row + k, true))
      if (kind !== 'slip') return Array.from({ length: count }, (_, k) => rate(k))
      const [dx, dy] = [x[at + 1], x[at + 2]]
      const u = [1, 2].map((k) => this.#velocity(p, row + k, false))
      const [u1, u2] = [rate(1), rate(2)]
      const own = (k: number, j: number, value: Interval) => (j === at + k ? value : point(0))
      const across = changes.map((_, j) =>
        sumOf([multiply(u1[j], dy), negative(multiply(u2[j], dx)), own(2, j, u[0]), own(1, j, negative(u[1]))]),
      )
      const norm = changes.map((_, j) => add(own(1, j, add(dx, dx)), own(2, j, add(dy, dy))))
      return [rate(0), across, norm]
    })
  }

  /** Whether a solution is one of the polyhedron, but for rounding, and not of the faces beside it. */
  isIn(x: Float64Array): boolean {
    const p = this.#impulses(Array.from(x, point))
    return this.#polyhedron.conditions.every(({ group, a }) => this.#along(p, group, a)[1] >= -RADIUS)
  }

  /** a . u of a group. */
  #along(p: readonly Interval[], group: number, a: readonly number[]): Interval {
    const { first } = this.#problem.groups[group]
    return sumOf(a.map((value, k) => multiply(point(value), this.#velocity(p, first + k, false))))
  }

  /** Whether the inequalities of the modes hold in all of a box: no pull, friction within the cone, slip forward, gaps open. */
  holds(x: readonly Interval[]): boolean {
    const p = this.#impulses(x)
    const { scale } = this.#problem
    const choice = this.#polyhedron.choice as readonly Face[]
    const isWithin = this.#unknowns.every(({ group, kind, row, at, count, mu }) => {
      if (kind === 'slip') {
        const along = [1, 2].map((k) => multiply(x[at + k], this.#velocity(p, row + k, false)))
        return p[row][0] >= 0 && sumOf(along)[0] > 0
      }
      if (kind === 'ray') return x[at][0] >= 0
      const { generators, fixed, most } = choice[group]
      if (most !== undefined && fixed !== undefined) return Math.max(-p[row][0], p[row][1]) <= Math.abs(fixed[0]) / scale
      if (count === 1) return generators.length > 1 || p[row][0] >= 0
      const square = sumOf(p.slice(row + 1, row + count).map((own) => multiply(own, own)))
      const bound = multiply(point(mu), multiply(point(mu), multiply(p[row], p[row])))
      return p[row][0] > 0 && square[1] <= bound[0]
    })
    return isWithin && this.#polyhedron.conditions.every(({ group, a, least }) => least <= 0 || this.#along(p, group, a)[0] > 0)
  }
}
