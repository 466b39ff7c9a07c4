import { ANSWER_TOLERANCE, type FaceProblem } from './faces.ts'
import { LinearProgram } from './linearProgram.ts'
import type { FacePolyhedron } from './search.ts'

/** Two velocities, of the unit, and two impulses, in velocities of their own rows, that differ by less are one. */
const SAME = { velocity: 2 ** -17, impulse: 2 ** -13 }

/** Tolerance of ranges, where there are solutions with it: of the search over 64. An extent that is less by more than a factor goes with it. */
const FINE = ANSWER_TOLERANCE / 64
const SHRINKS = 4

/** Least and greatest values, per row; infinite along a ray. */
export interface Range {
  readonly min: Float64Array
  readonly max: Float64Array
}

/** A connected set of velocities, with all impulses that lead to them. */
export type AnswerSet = ReturnType<typeof answerSets>[number]

type Part = ReturnType<typeof partOf>

/** A linear function of a polyhedron's columns. */
interface Linear {
  readonly c: Float64Array
  readonly constant: number
  /** Difference that is rounding. */
  readonly same: number
}

/** Joins polyhedra into sets whose velocities are connected, the nearest to the free velocity first. @unchecked */
export function answerSets(problem: FaceProblem, found: readonly FacePolyhedron[]) {
  const parts = found.map((polyhedron) => partOf(problem, polyhedron))
  const setOf = parts.map((_, i) => i)
  const root = (i: number): number => (setOf[i] === i ? i : root(setOf[i]))
  const program = new LinearProgram()
  for (let i = 0; i < parts.length; i++)
    for (let k = 0; k < i; k++)
      if (
        root(i) !== root(k) &&
        overlap(parts[i].reach, parts[k].reach, SAME.velocity * problem.scale) &&
        meet(problem, parts[i], parts[k], program)
      )
        setOf[root(i)] = root(k)
  return parts
    .flatMap((_, i) => (root(i) === i ? [parts.filter((_, k) => root(k) === i)] : []))
    .map((own) => {
      const most = (of: (part: Part) => number) => Math.max(...own.map(of))
      return {
        polyhedra: own.map(({ polyhedron }) => polyhedron),
        /** Per row of the problem. */
        velocity: hull(own.map(({ velocity }) => velocity)),
        impulse: hull(own.map(({ impulse }) => impulse)),
        /** Directions in which velocities differ, and impulses at one of the velocities at least; the greatest over its polyhedra. */
        velocityDimension: most((part) => part.velocityDimension),
        impulseDimension: most((part) => part.impulseDimension),
        /** Impulses of one of its solutions. */
        p: own[0].p,
      }
    })
    .sort((a, b) => costOf(problem, a.p) - costOf(problem, b.p))
}

/** Impulses at the two ends of a set along the row whose velocities differ the most. @unchecked */
export function answerEnds(problem: FaceProblem, { polyhedra, velocity: { min, max } }: AnswerSet): Float64Array[] {
  const extents = Array.from(min, (low, r) => (Number.isFinite(max[r] - low) ? max[r] - low : 0))
  const widest = extents.indexOf(Math.max(...extents))
  return [-1, 1].map((sign) => {
    const found = polyhedra.map((polyhedron) => {
      const program = polyhedron.open(new LinearProgram())
      program.solve()
      const { c, constant } = polyhedron.velocityRow(widest)
      const value = program.maximize(c.map((x) => sign * x)) + sign * constant
      return { value, p: polyhedron.impulses(program.x).map((x) => problem.scale * x) }
    })
    return found.reduce((a, b) => (b.value > a.value ? b : a)).p
  })
}

/** pᵀ W p: twice the energy by which the velocity changes. */
function costOf({ W, rowCount }: FaceProblem, p: Float64Array): number {
  let sum = 0
  for (let r = 0; r < rowCount; r++) for (let c = 0; c < rowCount; c++) sum += p[r] * W[r * rowCount + c] * p[c]
  return sum
}

const hull = (ranges: readonly Range[]): Range => ({
  min: ranges[0].min.map((_, r) => Math.min(...ranges.map(({ min }) => min[r]))),
  max: ranges[0].max.map((_, r) => Math.max(...ranges.map(({ max }) => max[r]))),
})

const overlap = (a: Range, b: Range, most: number) =>
  a.min.every((x, r) => x <= b.max[r] + most) && b.min.every((x, r) => x <= a.max[r] + most)

function partOf(problem: FaceProblem, polyhedron: FacePolyhedron) {
  const { rowCount, W, scale } = problem
  const fine = polyhedron.open(new LinearProgram(), FINE)
  const tolerance = fine.solve() === 0 ? FINE : ANSWER_TOLERANCE
  const program = polyhedron.open(new LinearProgram(), tolerance)
  program.solve()
  const p = polyhedron.impulses(program.x).map((x) => scale * x)
  const rows = Array.from({ length: rowCount }, (_, r) => r)
  const velocities = rows.map((r): Linear => ({ ...polyhedron.velocityRow(r), same: SAME.velocity }))
  const zero = polyhedron.impulses(new Float64Array(polyhedron.columns.length))
  const units = polyhedron.columns.map((_, j) => {
    const p = polyhedron.impulses(Float64Array.from(polyhedron.columns, (_, k) => (k === j ? 1 : 0)))
    return p.map((x, r) => x - zero[r])
  })
  const impulses = rows.map((r): Linear => {
    const own = W[r * rowCount + r]
    return {
      c: Float64Array.from(units, (unit) => unit[r]),
      constant: zero[r],
      same: own > 0 ? SAME.impulse / own : SAME.impulse,
    }
  })
  const velocity = rangesOf(velocities, program, scale)
  const searched = polyhedron.open(new LinearProgram())
  searched.solve()
  const impulse = rangesOf(impulses, program, scale)
  return {
    polyhedron,
    /** Of velocities: with the tolerance of the search, and the finer one if there are solutions with it. */
    reach: tolerance === FINE ? rangesOf(velocities, searched, scale) : velocity,
    velocity,
    impulse,
    p,
    velocityDimension: dimensionOf(velocities, polyhedron, scale, tolerance),
    impulseDimension: dimensionOf(impulses, polyhedron, scale, tolerance),
  }
}

function rangesOf(functions: readonly Linear[], program: LinearProgram, scale: number): Range {
  const end = ({ c, constant }: Linear, sign: number) =>
    c.some((x) => x !== 0) ? sign * program.maximize(c.map((x) => sign * x)) + constant : constant
  return {
    min: Float64Array.from(functions, (one) => scale * end(one, -1)),
    max: Float64Array.from(functions, (one) => scale * end(one, 1)),
  }
}

/** A program of a polyhedron with rays cut off at ten times a vertex. */
function bounded(polyhedron: FacePolyhedron, scale: number, tolerance: number): LinearProgram {
  const { length } = polyhedron.columns
  const first = polyhedron.open(new LinearProgram(), tolerance)
  first.solve()
  const sum = first.x.subarray(0, length).reduce((total, x) => total + x, 0)
  const program = new LinearProgram()
  program.begin(length, polyhedron.rows + 1)
  const last = polyhedron.write(program, 0, 0, tolerance)
  for (let j = 0; j < length; j++) program.set(last, j, 1)
  program.setBound(last, 10 * (1 + sum) * Math.max(1, 1 / scale))
  program.solve()
  return program
}

/** Two ends of a polyhedron along a direction of the values of functions: above, less below. */
function spread(program: LinearProgram, functions: readonly Float64Array[], direction: Float64Array): Float64Array {
  const c = new Float64Array(program.n)
  functions.forEach((row, r) => {
    for (let j = 0; j < c.length; j++) c[j] += direction[r] * row[j]
  })
  const values = () => Float64Array.from(functions, (row) => row.reduce((sum, x, j) => sum + x * program.x[j], 0))
  program.maximize(c)
  const above = values()
  program.maximize(c.map((x) => -x))
  const below = values()
  return above.map((x, r) => x - below[r])
}

/**
 * Dimension of the image of a polyhedron under functions, by its extent along directions square to those found. An extent that shrinks with
 * the tolerance is none: ill-conditioned contacts amplify the tolerance, and do not leave a velocity open.
 *
 * @param tolerance of the program, if less than the usual one
 */
function dimensionOf(functions: readonly Linear[], polyhedron: FacePolyhedron, scale: number, tolerance: number): number {
  if (polyhedron.columns.length === 0) return 0
  const open = functions.map(({ c, same }) => c.map((x) => x / same))
  const program = bounded(polyhedron, scale, tolerance)
  const coarse = tolerance < ANSWER_TOLERANCE ? bounded(polyhedron, scale, ANSWER_TOLERANCE) : undefined
  let count = 0
  const known: Float64Array[] = []
  while (known.length < functions.length) {
    const direction = squareTo(known, functions.length)
    const along = (difference: Float64Array) => difference.reduce((sum, x, r) => sum + x * direction[r], 0)
    const difference = spread(program, open, direction)
    const extent = along(difference)
    if (extent <= 1 || (coarse !== undefined && along(spread(coarse, open, direction)) > SHRINKS * extent)) {
      known.push(direction)
      continue
    }
    for (const other of known) remove(difference, other)
    const size = Math.hypot(...difference)
    known.push(difference.map((x) => x / size))
    count++
  }
  return count
}

function remove(x: Float64Array, unit: Float64Array): void {
  let part = 0
  for (let i = 0; i < x.length; i++) part += x[i] * unit[i]
  for (let i = 0; i < x.length; i++) x[i] -= part * unit[i]
}

/** A unit vector square to orthonormal ones: what is left of the axis of which most is left. */
function squareTo(known: readonly Float64Array[], n: number): Float64Array {
  let best = new Float64Array(n)
  let most = -1
  for (let axis = 0; axis < n; axis++) {
    const x = new Float64Array(n)
    x[axis] = 1
    for (let pass = 0; pass < 2; pass++) for (const unit of known) remove(x, unit)
    const size = Math.hypot(...x)
    if (size <= most) continue
    most = size
    best = x.map((value) => value / size)
  }
  return best
}

/** Whether two polyhedra have a velocity in common. */
function meet({ rowCount }: FaceProblem, a: Part, b: Part, program: LinearProgram): boolean {
  const [n, rows] = [a.polyhedron.columns.length, a.polyhedron.rows]
  program.begin(n + b.polyhedron.columns.length, rows + b.polyhedron.rows + 2 * rowCount)
  a.polyhedron.write(program, 0, 0)
  let row = b.polyhedron.write(program, rows, n)
  for (let r = 0; r < rowCount; r++) {
    const [one, other] = [a.polyhedron.velocityRow(r), b.polyhedron.velocityRow(r)]
    for (const sign of [-1, 1]) {
      for (let j = 0; j < n; j++) program.set(row, j, sign * one.c[j])
      for (let j = 0; j < other.c.length; j++) program.set(row, n + j, -sign * other.c[j])
      program.setBound(row++, sign * (other.constant - one.constant) + 8 * ANSWER_TOLERANCE)
    }
  }
  return program.solve() === 0
}
