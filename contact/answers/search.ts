import type { Certificate, Certifier } from './certificate.ts'
import { ANSWER_TOLERANCE, type Condition, type Face, type FaceProblem, NEAR_ANSWER } from './faces.ts'
import { LinearProgram } from './linearProgram.ts'

/** A choice of faces, per group; undefined: not chosen yet. */
export type Choice = readonly (Face | undefined)[]

/** A node of the search: split by a group, or a leaf: empty, one whose faces all are chosen, left open at the limit, or within rounding of another. */
export interface SearchNode {
  readonly kind: 'split' | 'empty' | 'answers' | 'open' | 'near'
  /** Of a split: by which group. */
  group?: number
  /** Of an empty one: its proof; undefined where none was asked for, or rounding leaves it open. */
  certificate?: Certificate
  /** Of one with answers, and of an empty one with a certificate. */
  polyhedron?: FacePolyhedron
  /** Of one with answers: amounts of the generators of one of them, per column of the polyhedron. */
  amounts?: readonly number[]
  readonly children: SearchNode[]
}

/** The polyhedron of a choice as rows of a linear program: its columns are those of the faces' generators, in the order of the groups. @unchecked */
export class FacePolyhedron {
  readonly choice: Choice
  readonly conditions: readonly Condition[]
  /** Per column: its group and generator. */
  readonly columns: readonly {
    readonly group: number
    readonly generator: readonly number[]
    readonly unit: number
    readonly most?: number
  }[]
  readonly #problem: FaceProblem
  /** rowCount: rhs and the velocities by fixed impulses, in the problem's unit. */
  readonly #free: Float64Array
  /** Columns x rowCount: velocities by each generator. */
  readonly #response: readonly Float64Array[]

  constructor(problem: FaceProblem, choice: Choice) {
    const { groups, rowCount, W, rhs, scale } = problem
    const faces = groups.map((group, g) => choice[g] ?? group.whole)
    const respond = (group: number, p: readonly number[], to: Float64Array, unit: number) => {
      const { first } = groups[group]
      for (let r = 0; r < rowCount; r++) for (let k = 0; k < p.length; k++) to[r] += unit * W[r * rowCount + first + k] * p[k]
      return to
    }
    this.#problem = problem
    this.choice = choice
    this.conditions = faces.flatMap((face) => face.conditions)
    this.columns = faces.flatMap(({ generators, most }, group) =>
      generators.map((generator) => ({
        group,
        generator,
        unit: Math.abs(generator[0]),
        most: most === undefined ? undefined : most / scale,
      })),
    )
    this.#free = Float64Array.from(rhs, (x) => x / scale)
    faces.forEach(({ fixed }, g) => {
      if (fixed) respond(g, fixed, this.#free, 1 / scale)
    })
    this.#response = this.columns.map(({ group, generator }) => respond(group, generator, new Float64Array(rowCount), 1))
  }

  /** Rows of `conditions` and `most`, from `row` on and columns from `column` on. @returns the next row */
  write(program: LinearProgram, row: number, column: number, tolerance = ANSWER_TOLERANCE): number {
    const { groups } = this.#problem
    for (const { group, a, least } of this.conditions) {
      const { first } = groups[group]
      let free = 0
      for (let k = 0; k < a.length; k++) free += a[k] * this.#free[first + k]
      for (let j = 0; j < this.columns.length; j++) {
        const response = this.#response[j]
        let value = 0
        for (let k = 0; k < a.length; k++) value += a[k] * response[first + k]
        program.set(row, column + j, -value)
      }
      program.setBound(row, free - least * tolerance)
      row++
    }
    this.columns.forEach(({ most }, j) => {
      if (most === undefined) return
      program.set(row, column + j, 1)
      program.setBound(row++, most)
    })
    return row
  }

  get rows(): number {
    return this.conditions.length + this.columns.reduce((count, { most }) => count + (most === undefined ? 0 : 1), 0)
  }

  /** Opens a program of this polyhedron alone. */
  open(program: LinearProgram, tolerance = ANSWER_TOLERANCE): LinearProgram {
    program.begin(this.columns.length, this.rows)
    this.write(program, 0, 0, tolerance)
    return program
  }

  /** Impulses of x, rowCount, in the problem's unit of velocities. */
  impulses(x: ArrayLike<number>): Float64Array {
    const { groups, rowCount, scale } = this.#problem
    const p = new Float64Array(rowCount)
    groups.forEach(({ first, whole }, g) => {
      const fixed = (this.choice[g] ?? whole).fixed
      fixed?.forEach((value, k) => {
        p[first + k] += value / scale
      })
    })
    this.columns.forEach(({ group, generator }, j) => {
      for (let k = 0; k < generator.length; k++) p[groups[group].first + k] += x[j] * generator[k]
    })
    return p
  }

  /** Velocities of x, rowCount. */
  velocity(x: ArrayLike<number>): Float64Array {
    return this.#free.map((free, r) => this.#response.reduce((sum, response, j) => sum + x[j] * response[r], free))
  }

  /** Velocity of row r as c . x + constant. */
  velocityRow(r: number): { readonly c: Float64Array; readonly constant: number } {
    return { c: Float64Array.from(this.#response, (response) => response[r]), constant: this.#free[r] }
  }
}

/**
 * All choices of faces that are not empty, by depth-first search: a partial choice is a convex relaxation of all that follow from it, and
 * is cut off where its linear program has no solution. @unchecked
 */
export class FaceSearch {
  readonly program = new LinearProgram()
  /** Choices of all faces that have solutions. */
  readonly found: FacePolyhedron[] = []
  root: SearchNode | undefined
  /** Programs solved; those without a solution; and choices left open at the limit. */
  nodes = 0
  empty = 0
  open = 0
  /** Choices that are another one's within rounding; none where proofs are wanted. */
  near = 0
  /** Empty choices whose proof rounding leaves open. */
  unproven = 0
  /** Per choice in `found`: the velocities of one of its answers. */
  readonly #velocities: Float64Array[] = []
  readonly #problem: FaceProblem
  readonly #most: number
  readonly #certifier: Certifier | undefined

  /** @param most programs; what is not searched then is counted in `open` @param certifier proves each empty choice */
  constructor(problem: FaceProblem, most: number, certifier?: Certifier) {
    this.#problem = problem
    this.#most = most
    this.#certifier = certifier
  }

  /** Whether the whole set is covered. */
  run(): boolean {
    this.root = this.#extend(this.#problem.groups.map(() => undefined))
    return this.open === 0
  }

  /** @param near the group chosen last, if there are answers with which it may count as one */
  #extend(choice: Choice, near?: number): SearchNode {
    const leaf = (kind: SearchNode['kind']): SearchNode => ({ kind, children: [] })
    if (this.nodes >= this.#most) {
      this.open++
      return leaf('open')
    }
    this.nodes++
    const polyhedron = new FacePolyhedron(this.#problem, choice)
    if (polyhedron.open(this.program).solve() > 0) {
      const node = leaf('empty')
      if (this.#certifier !== undefined) {
        node.polyhedron = polyhedron
        node.certificate = this.#certifier.certify(polyhedron)
      }
      const isProven = this.#certifier === undefined || node.certificate !== undefined
      // parts of it may have a proof where the whole has none within rounding
      if (isProven || !choice.includes(undefined)) {
        this.empty++
        if (!isProven) this.unproven++
        return node
      }
    }
    if (near !== undefined && this.#isNear(polyhedron, near)) {
      this.near++
      return leaf('near')
    }
    if (!choice.includes(undefined) && this.#isKnown(polyhedron)) {
      this.near++
      return leaf('near')
    }
    const group = this.#next(choice, polyhedron)
    if (group >= 0) return this.#split(choice, group)
    this.found.push(polyhedron)
    this.#velocities.push(polyhedron.velocity(this.program.x))
    const end = leaf('answers')
    end.polyhedron = polyhedron
    end.amounts = polyhedron.columns.map(({ most = Number.POSITIVE_INFINITY }, j) => Math.min(this.program.x[j], most))
    return end
  }

  /** All faces of a group, or all parts of its face: stick before slip before apart, so that these may count as one with it. */
  #split(choice: Choice, group: number): SearchNode {
    const face = choice[group]
    const parts = face === undefined ? this.#problem.groups[group].faces : (face.parts?.() ?? [])
    const rank = ({ near, generators }: Face) => (near === undefined ? 0 : generators.length > 0 ? 1 : 2)
    const node: SearchNode = { kind: 'split', group, children: [] }
    const before = this.found.length
    let sticking = before
    for (const own of [0, 1, 2]) {
      if (own === 1) sticking = this.found.length
      for (const [i, part] of parts.entries()) {
        if (rank(part) !== own) continue
        const stands = own === 1 ? sticking > before : this.found.length > before
        const near = face === undefined && own > 0 && stands && this.#certifier === undefined ? group : undefined
        node.children[i] = this.#extend(choice.with(group, part), near)
      }
    }
    return node
  }

  /** Whether a group leaves its face by rounding at most; `program` is of the polyhedron, and is again after it. */
  #isNear(polyhedron: FacePolyhedron, group: number): boolean {
    const { first } = this.#problem.groups[group]
    const c = new Float64Array(polyhedron.columns.length)
    let speed = 0
    for (const [k, x] of (polyhedron.choice[group]?.near ?? []).entries()) {
      if (x === 0) continue
      const row = polyhedron.velocityRow(first + k)
      for (let j = 0; j < c.length; j++) c[j] += x * row.c[j]
      speed += x * row.constant
    }
    speed += this.program.maximize(c)
    if (speed <= NEAR_ANSWER * ANSWER_TOLERANCE) return true
    polyhedron.open(this.program).solve()
    return false
  }

  /** Whether all velocities of a choice are one already found, but for rounding, of contacts that have the same face, stick or touch, and so all its impulses. */
  #isKnown(polyhedron: FacePolyhedron): boolean {
    if (this.#certifier !== undefined || this.#velocities.length === 0) return false
    const most = NEAR_ANSWER * ANSWER_TOLERANCE
    const own = polyhedron.velocity(this.program.x)
    const covers = (face: Face | undefined, g: number) =>
      face === polyhedron.choice[g] || (face !== undefined && face.near === undefined && face.generators.length > 0)
    const known = this.#velocities.filter(
      (one, i) => this.found[i].choice.every(covers) && one.every((u, r) => Math.abs(u - own[r]) <= most),
    )
    const isKnown = known.some((one) =>
      one.every((u, r) => {
        const { c, constant } = polyhedron.velocityRow(r)
        return this.program.maximize(c) + constant - u <= most && this.program.maximize(c.map((x) => -x)) - constant + u <= most
      }),
    )
    if (known.length > 0 && !isKnown) polyhedron.open(this.program).solve()
    return isKnown
  }

  /** The group to split: of those not chosen the one whose impulses and velocities are farthest from any face; then one to refine. */
  #next(choice: Choice, polyhedron: FacePolyhedron): number {
    const { groups, W, rhs, rowCount, scale } = this.#problem
    const p = polyhedron.impulses(this.program.x)
    let most = Number.NEGATIVE_INFINITY
    let chosen = -1
    groups.forEach(({ first }, g) => {
      const face = choice[g]
      if (face !== undefined && face.parts === undefined) return
      let u = rhs[first] / scale
      for (let c = 0; c < rowCount; c++) u += W[first * rowCount + c] * p[c]
      // of the normal impulse, in velocities, and the normal velocity the less; a face is refined after all are chosen
      const off = face === undefined ? Math.max(0, Math.min(W[first * rowCount + first] * p[first], u)) : -1 / (face.width ?? 1)
      if (off <= most) return
      most = off
      chosen = g
    })
    return chosen
  }
}
