import { cos, sin } from '../../dynamics/index.ts'
import { CuttingPlanes } from './cuttingPlanes.ts'

/** Forces of contacts that explain a motion, and the linear conditions on others that explain the same motion. */
export interface ExplainedMotion {
  /** 3 a contact: force along [normal, tangent 1, tangent 2] [N]. */
  readonly forces: ArrayLike<number>
  /** Per contact: coefficient of friction. */
  readonly friction: ArrayLike<number>
  /** Further unknowns of any sign, such as forces of loops. Default 0. */
  readonly free?: number
  /** Rows of 3 a contact and one a further unknown, such as Jᵀ of a coordinate without a motor: their products with a change of forces are 0. */
  readonly equations: readonly ArrayLike<number>[]
}

/** Tolerance of forces, relative to the largest: forces this far outside their cones are within, and bounds are as wide. */
const TOLERANCE = 1e-6
/** Part of a row, of norm 1, that is independent of the others. */
const INDEPENDENT = 1e-8
/** Rows and objectives below this part of the largest are rounding. */
const ROUNDING = 1e-12
/** Planes about a cone at first. */
const SIDES = 8
const MOST_ROUNDS = 30
/** Pivots until the program begins anew, so that their rounding does not add up. */
const REFRESH = 500
/** Limit of the sum of normal forces, over the largest force; a value that grows with it, by this part of it or more, has no bound. */
const LIMIT = 1e3
const GROWING = 1e-5

/**
 * Ranges of linear functions of contact forces over all admissible forces, normal ones that push and friction within Coulomb's cone, that
 * explain the same motion: a second-order cone program for each end. @unchecked
 *
 * The equations are eliminated by an orthonormal basis of their null space. Each end is found by cutting planes from outside (Kelley, The
 * cutting-plane method for solving convex programs, 1960), so that it is an outer bound after any round: first eight planes about each cone,
 * then the tangent planes at forces that leave it. The program starts from the given forces, or from the nearest to admissible ones.
 */
export class ForceRanges {
  /** Largest distance of the given forces outside their cones, 0 within the tolerance [N]. */
  excess = 0
  /** The least such distance of all forces that explain the motion, by which the cones then are wider: 0 where there are admissible ones [N]. */
  relaxation = 0
  private readonly program = new CuttingPlanes()
  private motion: ExplainedMotion = { forces: [], friction: [], equations: [] }
  /** The largest force, in which all others are counted [N]. */
  private unit = 1
  /** Changes of all unknowns without effect on the motion: orthonormal ones of contacts, and those of other unknowns alone. */
  private basis: Float64Array[] = []
  private others: Float64Array[] = []
  /** 3 a contact: the forces at which the program starts; and their coordinates in the basis. */
  private at: Float64Array = new Float64Array(0)
  private start = new Float64Array(0)
  /** Width of the cones. While the least is sought, `sought` is the given forces' and one more coordinate is how much less it is; else 0. */
  private slack = TOLERANCE
  private sought = 0

  begin(motion: ExplainedMotion): void {
    const { forces, friction, free = 0, equations } = motion
    this.motion = motion
    const size = 3 * friction.length
    let unit = 0
    for (let k = 0; k < size; k += 3) unit = Math.max(unit, Math.hypot(forces[k], forces[k + 1], forces[k + 2]))
    this.unit = unit || 1
    this.at = Float64Array.from({ length: size }, (_, k) => forces[k] / this.unit)
    this.others = nullSpace(equations, size + free)
    this.basis = orthonormal(this.others, [], size)
    this.start = new Float64Array(this.basis.length)
    this.slack = TOLERANCE
    const excess = this.largestOutside()
    this.excess = excess > TOLERANCE ? excess * this.unit : 0
    this.relaxation = 0
    if (excess > TOLERANCE) this.relax(excess)
    this.restart()
  }

  /** out[0], out[1] = least and greatest of row · (forces - the given ones), -Infinity and Infinity where it is unbounded. @param row as of `equations` */
  range(row: ArrayLike<number>, out: Float64Array): void {
    const { basis, others, unit, start } = this
    const of = (own: Float64Array) => own.reduce((sum, x, k) => sum + row[k] * x, 0)
    const least = INDEPENDENT * Math.hypot(...Array.from(row))
    out.fill(0, 0, 2)
    if (others.some((own) => Math.abs(of(own)) > least)) {
      out[0] = Number.NEGATIVE_INFINITY
      out[1] = Number.POSITIVE_INFINITY
      return
    }
    const c = Float64Array.from(basis, of)
    const scale = c.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    if (scale <= ROUNDING * least) return
    const middle = c.reduce((sum, x, j) => sum + x * start[j], 0)
    for (const sign of [-1, 1]) {
      const most = this.most(c.map((x) => (sign * x) / scale))
      out[sign < 0 ? 0 : 1] = unit * (middle + sign * scale * most)
    }
  }

  /** The greatest value of c · z over the wider cones, z coordinates in the basis less those of the start. */
  private most(c: Float64Array): number {
    const { program } = this
    if (program.pivots > REFRESH) this.restart()
    let value = this.climb(c)
    if (value < 0) {
      // the start is worth 0 and within the cones: less is rounding
      this.restart()
      value = Math.max(0, this.climb(c))
    }
    program.forget()
    return program.slope > GROWING ? Number.POSITIVE_INFINITY : value
  }

  private climb(c: Float64Array): number {
    const { program } = this
    let value = program.maximize(c)
    for (let round = 1; round < MOST_ROUNDS && this.cut(); round++) value = program.restore()
    return value
  }

  /** Moves the start to the forces that leave their cones by the least distance. @param most distance of the given ones */
  private relax(most: number): void {
    const { program, basis, unit } = this
    if (basis.length > 0) {
      this.sought = most
      this.restart()
      this.climb(Float64Array.from({ length: basis.length + 1 }, (_, j) => Number(j === basis.length)))
      this.sought = 0
      this.start = program.z.slice(0, basis.length)
      this.at = this.forcesAt(program.z)
    }
    const outside = this.largestOutside()
    if (outside <= TOLERANCE) return
    this.relaxation = outside * unit
    this.slack = outside + TOLERANCE
  }

  /** The program of all cones, about the start. */
  private restart(): void {
    const { program, basis, at, sought, motion } = this
    const d = basis.length
    const width = sought > 0 ? d + 1 : d
    program.begin(width)
    const normal = new Float64Array(width)
    let sum = 0
    for (let i = 0; i < motion.friction.length; i++) {
      this.add(i, -1, 0, 0, 'start')
      for (let k = 0; k < SIDES; k++) {
        const angle = (2 * Math.PI * k) / SIDES
        this.add(i, -motion.friction[i], cos(angle), sin(angle), 'start')
      }
      for (let j = 0; j < d; j++) normal[j] += basis[j][3 * i]
      sum += at[3 * i]
    }
    program.add(normal, LIMIT - sum, 'limit')
    if (sought > 0) program.add(Float64Array.from({ length: width }, (_, j) => Number(j === d)), sought, 'start') // biome-ignore format: one line
  }

  private forcesAt(z: Float64Array): Float64Array {
    const { basis, at } = this
    const out = at.slice()
    basis.forEach((own, j) => {
      for (let k = 0; k < out.length; k++) out[k] += z[j] * own[k]
    })
    return out
  }

  /** Adds the tangent planes of the cones that the last vertex leaves. @returns whether there are any */
  private cut(): boolean {
    const { motion, program, basis, slack, sought } = this
    const { friction } = motion
    const forces = this.forcesAt(program.z)
    const allowed = sought > 0 ? sought - program.z[basis.length] : slack
    let any = false
    for (let i = 0; i < friction.length; i++) {
      const [x, y] = [forces[3 * i + 1], forces[3 * i + 2]]
      const size = Math.hypot(x, y)
      if (this.outside(forces, i) <= allowed + TOLERANCE * (1 + 0.01 * size)) continue
      this.add(i, -friction[i], x / size, y / size, 'cut')
      any = true
    }
    return any
  }

  /** The plane n f_n + x f_1 + y f_2 <= 0 of contact i, shifted by the width of the cones. */
  private add(i: number, n: number, x: number, y: number, kind: 'start' | 'cut'): void {
    const { basis, at, program, slack, sought } = this
    const d = basis.length
    const size = Math.hypot(n, x, y)
    const of = (f: Float64Array) => (n * f[3 * i] + x * f[3 * i + 1] + y * f[3 * i + 2]) / size
    const row = new Float64Array(sought > 0 ? d + 1 : d)
    for (let j = 0; j < d; j++) row[j] = of(basis[j])
    if (sought > 0) row[d] = 1
    program.add(row, (sought || slack) - of(at), kind)
  }

  private outside(forces: Float64Array, i: number): number {
    const mu = this.motion.friction[i]
    const normal = forces[3 * i]
    return Math.max((Math.hypot(forces[3 * i + 1], forces[3 * i + 2]) - mu * normal) / Math.hypot(1, mu), -normal)
  }

  /** Of the start. */
  private largestOutside(): number {
    let most = 0
    for (let i = 0; i < this.motion.friction.length; i++) most = Math.max(most, this.outside(this.at, i))
    return most
  }
}

/** An orthonormal basis of the vectors whose products with all rows are 0, by Gram-Schmidt with pivoting. */
function nullSpace(rows: readonly ArrayLike<number>[], size: number): Float64Array[] {
  const norms = rows.map((row) => Math.hypot(...Array.from(row)))
  const least = ROUNDING * Math.max(0, ...norms)
  const unit = rows.flatMap((row, i) => (norms[i] > least ? [Float64Array.from(row, (x) => x / norms[i])] : []))
  const found = orthonormal(unit, [], size)
  const axes = Array.from({ length: size }, (_, i) => Float64Array.from({ length: size }, (_, k) => Number(i === k)))
  return orthonormal(axes, found, size).slice(0, size - found.length)
}

/**
 * Takes out of the vectors all independent ones, made orthonormal in their first `size` entries, less their parts along others.
 * The vectors that remain are zero in those entries.
 */
function orthonormal(vectors: Float64Array[], others: readonly Float64Array[], size: number): Float64Array[] {
  const out: Float64Array[] = []
  for (const vector of vectors) for (const other of others) remove(vector, other, size)
  for (;;) {
    let next = -1
    let largest = INDEPENDENT
    vectors.forEach((vector, i) => {
      const norm = Math.sqrt(product(vector, vector, size))
      if (norm <= largest) return
      next = i
      largest = norm
    })
    if (next < 0) return out
    const [own] = vectors.splice(next, 1)
    // twice is enough (Parlett): the first pass leaves rounding over what remained
    for (const other of [...others, ...out]) remove(own, other, size)
    const norm = Math.sqrt(product(own, own, size))
    for (let k = 0; k < own.length; k++) own[k] /= norm
    out.push(own)
    for (const vector of vectors) remove(vector, own, size)
  }
}

function product(a: Float64Array, b: Float64Array, size: number): number {
  let sum = 0
  for (let k = 0; k < size; k++) sum += a[k] * b[k]
  return sum
}

/** Subtracts the part of a vector along one that is of norm 1 in the first entries. */
function remove(vector: Float64Array, along: Float64Array, size: number): void {
  const part = product(vector, along, size)
  for (let k = 0; k < vector.length; k++) vector[k] -= part * along[k]
}
