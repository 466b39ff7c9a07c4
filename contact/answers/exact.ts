/** Exact numbers: doubles are integers over a power of two, and so are all sums and products of them. */

/** x = m 2^e. */
interface Binary {
  readonly m: bigint
  readonly e: number
}

const bits = new DataView(new ArrayBuffer(8))

function binaryOf(x: number): Binary {
  bits.setFloat64(0, x)
  const high = bits.getUint32(0)
  const exponent = (high >>> 20) & 0x7ff
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4))
  const m = exponent === 0 ? fraction : fraction | (1n << 52n)
  return { m: x < 0 ? -m : m, e: Math.max(exponent, 1) - 1075 }
}

/** Least exponent of the last bits that are set in numbers. */
function leastExponent(values: Iterable<number>): number {
  let least = 0
  for (const x of values) {
    if (x === 0) continue
    let { m, e } = binaryOf(x)
    for (; (m & 1n) === 0n; m >>= 1n) e++
    least = Math.min(least, e)
  }
  return least
}

/** x 2^shift, an integer. @unchecked */
export function integerOf(x: number, shift: number): bigint {
  const { m, e } = binaryOf(x)
  return e + shift >= 0 ? m << BigInt(e + shift) : m >> BigInt(-e - shift)
}

/** Integers in place of doubles, all times 2^shift. @unchecked */
export function integersOf(values: readonly number[]): { readonly integers: bigint[]; readonly shift: number } {
  const shift = -leastExponent(values)
  return { integers: values.map((x) => integerOf(x, shift)), shift }
}

/**
 * Fraction-free Gauss-Jordan elimination (Bareiss 1968) of [A | B], rows of integers with n of A first: afterwards B is det(A) A⁻¹ B. @unchecked
 *
 * @returns det(A), 0 if A is singular
 */
export function eliminate(rows: bigint[][], n: number): bigint {
  let last = 1n
  for (let k = 0; k < n; k++) {
    let pivot = k
    while (pivot < n && rows[pivot][k] === 0n) pivot++
    if (pivot === n) return 0n
    if (pivot !== k) {
      const swapped = rows[k].map((x) => -x)
      rows[k] = rows[pivot]
      rows[pivot] = swapped
    }
    const own = rows[k]
    for (let i = 0; i < n; i++) {
      if (i === k) continue
      const row = rows[i]
      const factor = row[k]
      for (let j = k + 1; j < row.length; j++) row[j] = (own[k] * row[j] - factor * own[j]) / last
      row[k] = 0n
      if (i < k) row[i] = own[k]
    }
    last = own[k]
  }
  return last
}

/** u = (W p + rhs) / denominator, exactly. */
export interface ExactRows {
  /** n x n, row-major. */
  readonly W: readonly bigint[]
  readonly rhs: readonly bigint[]
  readonly denominator: bigint
}

/** Of w = A z + b with doubles. @unchecked */
export function exactLinear(A: readonly (readonly number[])[], b: readonly number[]): ExactRows {
  const { integers, shift } = integersOf([...A.flat(), ...b])
  return { W: integers.slice(0, b.length * b.length), rhs: integers.slice(b.length * b.length), denominator: 1n << BigInt(shift) }
}

/** W = J M⁻¹ Jᵀ + softness, rhs = J vFree + added. @unchecked */
export function exactRows(
  M: readonly (readonly number[])[],
  J: readonly (readonly number[])[],
  vFree: readonly number[],
  added: readonly number[],
  softness: readonly number[],
): ExactRows {
  const [nv, n] = [vFree.length, J.length]
  const mass = integersOf(M.flat())
  const rows = integersOf(J.flat())
  const free = integersOf([...vFree, ...added, ...softness])
  const row = (i: number) => rows.integers.slice(i * nv, i * nv + nv)
  const columns = M.map((_, i) => [...mass.integers.slice(i * nv, i * nv + nv), ...J.map((_, k) => rows.integers[k * nv + i])])
  const determinant = eliminate(columns, nv)
  // M⁻¹ = 2^mass adj / det of the integers, J = integers / 2^rows
  const shift = BigInt(2 * rows.shift + free.shift)
  const denominator = determinant << shift
  const dot = (a: readonly bigint[], of: (k: number) => bigint) => a.reduce((sum, x, k) => sum + x * of(k), 0n)
  const W = J.flatMap((_, i) => {
    const own = row(i)
    return J.map((_, j) => {
      const value = dot(own, (k) => columns[k][nv + j]) << BigInt(mass.shift + free.shift)
      return i === j ? value + ((free.integers[nv + n + i] * determinant) << BigInt(2 * rows.shift)) : value
    })
  })
  const rhs = J.map(
    (_, i) =>
      ((dot(row(i), (k) => free.integers[k]) << BigInt(rows.shift)) + (free.integers[nv + i] << BigInt(2 * rows.shift))) *
      determinant,
  )
  return determinant > 0n ? { W, rhs, denominator } : { W: W.map((x) => -x), rhs: rhs.map((x) => -x), denominator: -denominator }
}
