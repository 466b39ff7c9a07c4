import { type Data, type LengthConstraint, type Model, type SparseCholesky, TendonLengths } from '../../../dynamics/index.ts'
import type { ContactRows } from '../contactRows.ts'

/** Values and Jacobians of the lengths of constraints: d(value)/dt = J v. Of a coupling the value is its error. @unchecked */
export class LengthRows {
  readonly constraints: readonly LengthConstraint[]
  readonly count: number
  /** Per constraint: its length [m, rad], or a coupling's error; written by `build`. */
  readonly value: Float64Array
  /** 3 a constraint: lower and upper limit [m, rad], and friction [N, N m]; none and 0 where it is of another kind. */
  readonly bounds: Float64Array
  /** Pairs of bodies whose velocities rows couple, for `SparsePattern.setCouplings`. */
  readonly bodyA: Int32Array
  readonly bodyB: Int32Array
  // written by `list`
  /** Per constraint: start and length of its list of velocities, `listed` numbers in all. */
  readonly first: Int32Array
  readonly size: Int32Array
  readonly listed: number
  /** Per constraint: its velocities, ascending, and its entries of J. */
  private readonly velocities: readonly Int32Array[]
  private readonly J: readonly Float64Array[]
  /** Per constraint, its length; then those that couplings follow, which are `followed` of each, -1 for none. */
  private readonly lengths: TendonLengths
  private readonly followed: Int32Array
  private readonly polynomials: readonly Float64Array[]
  private readonly references: Float64Array
  /** Per constraint: its rate at the start of the step, and without constraints; of `findRates` [m/s, rad/s]. */
  readonly rate: Float64Array
  readonly freeRate: Float64Array
  /** Per constraint: start of J, and after it -J, in `ContactRows.J`; of `append`. */
  readonly at: Int32Array
  /** 3: value of a polynomial, less its slope, and 1. */
  private readonly curve = Float64Array.of(0, 0, 1)

  constructor(model: Model, constraints: readonly LengthConstraint[] = model.lengths ?? []) {
    this.constraints = constraints
    const { length: count } = constraints
    this.count = count
    const others = constraints.flatMap(({ other }) => (other ? [{ parts: other }] : []))
    this.lengths = new TendonLengths(model, [...constraints, ...others])
    let next = count
    this.followed = Int32Array.from(constraints, ({ other }) => (other ? next++ : -1))
    const { velocities } = this.lengths
    this.velocities = constraints.map((_, i) => {
      const both = [...velocities[i], ...(this.followed[i] < 0 ? [] : velocities[this.followed[i]])]
      return Int32Array.from(new Set(both)).sort()
    })
    this.J = this.velocities.map(({ length }) => new Float64Array(length))
    this.polynomials = constraints.map(({ kind, polynomial = [0, 1] }) =>
      Float64Array.from(kind === 'coupling' ? polynomial : []),
    )
    this.references = Float64Array.from(constraints.flatMap(({ references = [0, 0] }) => references))
    this.value = new Float64Array(count)
    this.bounds = Float64Array.from(
      constraints.flatMap(({ lower = -Infinity, upper = Infinity, friction = 0 }) => [lower, upper, friction]),
    )
    this.rate = new Float64Array(count)
    this.freeRate = new Float64Array(count)
    this.at = new Int32Array(count)
    this.first = new Int32Array(count)
    this.size = Int32Array.from(this.velocities, ({ length }) => length)
    this.listed = this.size.reduce((sum, size) => sum + size, 0)
    const pairs = this.velocities.flatMap((list) => pairsOf(model, list))
    this.bodyA = Int32Array.from(pairs, ([a]) => a)
    this.bodyB = Int32Array.from(pairs, ([, b]) => b)
  }

  /** Writes values and J. Reads what `TendonLengths.evaluate` does. */
  build(q: Float64Array, data: Data): void {
    const { lengths, velocities, J, value, followed, polynomials, references, curve } = this
    if (this.count === 0) return
    lengths.evaluate(q, data)
    for (let i = 0; i < this.count; i++) {
      J[i].fill(0)
      value[i] = lengths.length[i]
      addRow(J[i], velocities[i], lengths, i, curve, 2)
      if (polynomials[i].length === 0) continue
      const other = followed[i]
      curve[0] = other < 0 ? 0 : lengths.length[other] - references[2 * i + 1]
      evaluate(curve, polynomials[i])
      value[i] -= references[2 * i] + curve[0]
      if (other >= 0) addRow(J[i], velocities[i], lengths, other, curve, 1)
    }
  }

  /** Whether a coupling of the last `build` is open, or a limit passed, by more than this [m, rad]. */
  isOpen(tolerance: number): boolean {
    for (let i = 0; i < this.count; i++) {
      const { kind } = this.constraints[i]
      const x = this.value[i]
      const lower = this.bounds[3 * i]
      const upper = this.bounds[3 * i + 1]
      if (kind === 'coupling' ? Math.abs(x) > tolerance : kind === 'limit' && (x < lower - tolerance || x > upper + tolerance))
        return true
    }
    return false
  }

  /** Writes J of a row: out[at + k] for the velocities k of its list, no other. */
  writeRow(i: number, out: Float64Array, at: number): void {
    const list = this.velocities[i]
    const J = this.J[i]
    for (let c = 0; c < list.length; c++) out[at + list[c]] = J[c]
  }

  /** Appends J and -J of every constraint to rows. */
  append(rows: ContactRows): void {
    const { first, size, at } = this
    for (let i = 0; i < this.count; i++) {
      const list = this.velocities[i]
      at[i] = rows.append(2 * size[i])
      for (let c = 0; c < size[i]; c++) {
        const entry = this.J[i][list.indexOf(rows.velocities[first[i] + c])]
        rows.J[at[i] + c] = entry
        rows.J[at[i] + size[i] + c] = -entry
      }
    }
  }

  /** out[i] := J v of every constraint [m/s, rad/s]. */
  rates(v: Float64Array, out: Float64Array): void {
    for (let i = 0; i < this.count; i++) {
      const list = this.velocities[i]
      const J = this.J[i]
      let sum = 0
      for (let c = 0; c < list.length; c++) sum += J[c] * v[list[c]]
      out[i] = sum
    }
  }

  /** The velocities of a constraint, ascending. */
  velocitiesOf(i: number): Int32Array {
    return this.velocities[i]
  }

  /** Writes the list of each row, in the elimination order of the pattern, as `LoopRows.list`. @param from index of the first list */
  list({ position }: SparseCholesky, out: Int32Array, from: number): void {
    let end = from
    for (let i = 0; i < this.count; i++) {
      const list = this.velocities[i]
      this.first[i] = end
      for (let c = 0; c < list.length; c++) {
        let at = end++
        for (; at > this.first[i] && position[out[at - 1]] > position[list[c]]; at--) out[at] = out[at - 1]
        out[at] = list[c]
      }
    }
  }
}

/** Adds scale[k] times a length's J to a row over more velocities. Both lists ascend. */
function addRow(
  row: Float64Array,
  list: Int32Array,
  { velocities, J }: TendonLengths,
  length: number,
  scale: Float64Array,
  k: number,
): void {
  const own = velocities[length]
  for (let c = 0, at = 0; c < own.length; c++) {
    while (list[at] < own[c]) at++
    row[at] += scale[k] * J[length][c]
  }
}

/** From x in curve[0] to p(x) and -p'(x), by Horner's rule. */
function evaluate(curve: Float64Array, p: Float64Array): void {
  const x = curve[0]
  let value = 0
  let slope = 0
  for (let n = p.length - 1; n >= 0; n--) {
    slope = slope * x + value
    value = value * x + p[n]
  }
  curve[0] = value
  curve[1] = -slope
}

/** All pairs of the bodies at the ends of branches with these velocities. */
function pairsOf({ bodyOfV, vLast, vParent }: Model, list: Int32Array): [number, number][] {
  const inner = new Set<number>()
  for (const k of list) for (let j = vParent[k]; j >= 0; j = vParent[j]) inner.add(j)
  const ends = [
    ...new Set(
      Array.from(
        list.filter((k) => !inner.has(k)),
        (k) => bodyOfV[k],
      ),
    ),
  ].filter((body) => vLast[body] >= 0)
  return ends.flatMap((a, i) => ends.slice(i + 1).map((b): [number, number] => [a, b]))
}
