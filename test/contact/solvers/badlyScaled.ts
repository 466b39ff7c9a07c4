import { createRandom } from '../../../dynamics/index.ts'
import { dense, type LcpProblem, normals } from './corpus.ts'

type Random = ReturnType<typeof createRandom>

/** Rows and columns differ by up to so many decimal places, each way; and entries that differ each by itself. */
const DECADES = 9
const DECADES_OF_ENTRIES = 3

/** Problems whose rows, columns or entries differ by many orders of magnitude. */
export const badlyScaledClasses: Readonly<Record<string, (random: Random) => LcpProblem>> = {
  'rows and columns, symmetric': (random) => scaled(random, dense(random, sizeOf(random), 0), true),
  'rows and columns, P-matrix': (random) => scaled(random, dense(random, sizeOf(random), 1), false),
  'rows and columns, dependent': (random) => {
    const n = sizeOf(random)
    return scaled(random, answerable(random, normals(random, n, Math.ceil(n / 2))), false)
  },
  'rows and columns, mixed': (random) => {
    const problem = scaled(random, dense(random, sizeOf(random), 0.3), false)
    return { ...problem, free: problem.free.map(() => (random.next() < 0.3 ? 1 : 0)) }
  },
  masses: (random) => {
    const problem = answerable(random, dense(random, sizeOf(random), 0))
    const D = Float64Array.from(problem.b, () => power(random))
    return { ...problem, A: problem.A.map((x, k) => D[Math.floor(k / problem.n)] * x * D[k % problem.n]) }
  },
  'right-hand side': (random) => {
    const problem = dense(random, sizeOf(random), 0.5)
    return { ...problem, b: problem.b.map((x) => x * power(random)) }
  },
  diagonal: (random) => {
    const n = sizeOf(random)
    const A = new Float64Array(n * n)
    for (let i = 0; i < n; i++) A[i * n + i] = power(random)
    return { n, A, b: Float64Array.from({ length: n }, () => random.between(-1, 1)), free: new Uint8Array(n) }
  },
  triangular: (random) => {
    // a P-matrix whatever stands below its diagonal
    const n = sizeOf(random)
    const A = Float64Array.from({ length: n * n }, () => random.between(-1, 1) * power(random, DECADES_OF_ENTRIES))
    for (let i = 0; i < n; i++) {
      A[i * n + i] = Math.abs(A[i * n + i])
      for (let j = i + 1; j < n; j++) A[i * n + j] = 0
    }
    return { n, A, b: Float64Array.from({ length: n }, () => random.between(-1, 1)), free: new Uint8Array(n) }
  },
}

/** @param index of a sequence in which classes take turns */
export function badlyScaledProblem(seed: number, index: number): { readonly kind: string; readonly problem: LcpProblem } {
  const kinds = Object.keys(badlyScaledClasses)
  const kind = kinds[index % kinds.length]
  const random = createRandom(1000 * seed + index)
  for (let k = 0; k < 4; k++) random.next()
  return { kind, problem: badlyScaledClasses[kind](random) }
}

const sizeOf = (random: Random) => 1 + random.index(10)
/** A power of two, so that scaling does not round. */
const power = (random: Random, decades = DECADES) => 2 ** Math.round(Math.log2(10) * random.between(-decades, decades))

export function scaled(random: Random, problem: LcpProblem, isSymmetric: boolean): LcpProblem {
  const { n } = problem
  const R = Float64Array.from({ length: n }, () => power(random))
  const C = isSymmetric ? R : R.map(() => power(random))
  const A = problem.A.map((x, k) => R[Math.floor(k / n)] * x * C[k % n])
  return { n, A, b: problem.b.map((x, i) => R[i] * x), free: problem.free }
}

/** The same A with a b that has an answer. */
function answerable(random: Random, { n, A, free }: LcpProblem): LcpProblem {
  const z = Float64Array.from({ length: n }, () => Math.max(0, random.between(-1, 1)))
  const b = Float64Array.from({ length: n }, (_, i) => {
    const w = z[i] > 0 ? 0 : random.next()
    return z.reduce((sum, x, j) => sum - A[i * n + j] * x, w)
  })
  return { n, A, b, free }
}

/**
 * How far z is from an answer, the same in all units: the largest violation of a row over what that row sums, |b_i| + Σ |A_ij z_j|; of a
 * pair that is not complementary either that, or the share that z_i has of a row of another, whichever is less. Sums have
 * twice the digits of a double (Dekker; Ogita, Rump and Oishi, Accurate sum and dot product, 2005).
 */
export function relativeViolation({ n, A, b, free }: LcpProblem, z: ArrayLike<number>): number {
  const w = new Float64Array(n)
  const size = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    let sum = b[i]
    let rest = 0
    size[i] = Math.abs(b[i])
    for (let j = 0; j < n; j++) {
      const [product, error] = twoProduct(A[i * n + j], z[j])
      const next = sum + product
      const part = next - sum
      rest += sum - (next - part) + (product - part) + error
      sum = next
      size[i] += Math.abs(product)
    }
    w[i] = sum + rest
  }
  let worst = 0
  for (let i = 0; i < n; i++) {
    if (!Number.isFinite(z[i])) return Number.POSITIVE_INFINITY
    const off = size[i] > 0 ? w[i] / size[i] : 0
    let effect = 0
    for (let j = 0; j < n; j++) if (A[j * n + i] !== 0) effect = Math.max(effect, Math.abs(A[j * n + i] * z[i]) / size[j])
    worst = Math.max(worst, free[i] === 1 ? Math.abs(off) : Math.max(-off, z[i] < 0 ? effect : Math.min(effect, off)))
  }
  return worst
}

/** a b as a sum of two doubles, without error. */
function twoProduct(a: number, b: number): readonly [number, number] {
  const product = a * b
  const [ah, al] = split(a)
  const [bh, bl] = split(b)
  return [product, al * bl - (product - ah * bh - al * bh - ah * bl)]
}

function split(x: number): readonly [number, number] {
  const c = 134217729 * x
  const high = c - (c - x)
  return [high, x - high]
}
