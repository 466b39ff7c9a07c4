import * as is from '../../dynamics/math/arguments.ts'
import { given } from '../expected.ts'
import { solvePositive } from './solvePositive.ts'

/** x(k+1) = A x + B u, cost x'Q x + u'R u a step; row-major, n x n, n x m, n x n and m x m. R and Q symmetric, R positive definite. */
export interface LinearQuadraticProblem {
  readonly n: number
  readonly m: number
  readonly A: ArrayLike<number>
  readonly B: ArrayLike<number>
  readonly Q: ArrayLike<number>
  readonly R: ArrayLike<number>
}

/** u = -K x is the optimal control; the cost of all future steps is then x'P x. K: m x n, P: n x n, row-major. */
export interface LinearQuadraticRegulator {
  readonly K: Float64Array
  readonly P: Float64Array
}

const MOST_STEPS = 100_000
/** Change of P in a step, over its largest entry, that ends the iteration. */
const CONVERGED = 1e-14

/**
 * One step of the Riccati recursion backwards in time, K = (R + B'P B)⁻¹ B'P A, P := Q + A'P (A - B K): of a time-varying regulator, from
 * the terminal cost P on (Anderson and Moore, Optimal Control, 1990, section 2.4). P is overwritten. @unchecked
 *
 * @param K out: m x n
 */
export function riccatiStep({ n, m, A, B, Q, R }: LinearQuadraticProblem, P: Float64Array, K: Float64Array): void {
  const PA = product(P, A, n, n, n)
  const PB = product(P, B, n, n, m)
  const rhs = new Float64Array(m)
  for (let c = 0; c < n; c++) {
    const S = new Float64Array(m * m)
    for (let i = 0; i < m; i++) {
      rhs[i] = 0
      for (let k = 0; k < n; k++) rhs[i] += B[k * m + i] * PA[k * n + c]
      for (let j = 0; j < m; j++) {
        S[i * m + j] = R[i * m + j]
        for (let k = 0; k < n; k++) S[i * m + j] += B[k * m + i] * PB[k * m + j]
      }
    }
    solvePositive(S, rhs)
    for (let i = 0; i < m; i++) K[i * n + c] = rhs[i]
  }
  // A'P (A - B K), symmetric but for rounding
  const rest = PA.slice()
  const PBK = product(PB, K, n, m, n)
  for (let k = 0; k < n * n; k++) rest[k] -= PBK[k]
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0
      for (let k = 0; k < n; k++) sum += 0.5 * (A[k * n + i] * rest[k * n + j] + A[k * n + j] * rest[k * n + i])
      P[i * n + j] = Q[i * n + j] + sum
      P[j * n + i] = P[i * n + j]
    }
}

/**
 * The linear quadratic regulator of infinite horizon, by the recursion from P = Q to its fixed point.
 *
 * @throws RangeError if it does not converge: (A, B) is not stabilisable
 */
export function linearQuadraticRegulator(problem: LinearQuadraticProblem): LinearQuadraticRegulator {
  const { n, m, Q, A, B, R } = given('regulation', problem)
  const sized = is.fields<object>({ A: is.numbers(n * n), B: is.numbers(n * m), Q: is.numbers(n * n), R: is.numbers(m * m) }, {})
  is.check({ A, B, Q, R }, sized, 'regulation: ')
  const P = Float64Array.from(Q)
  const K = new Float64Array(m * n)
  const last = new Float64Array(n * n)
  for (let step = 0; step < MOST_STEPS; step++) {
    last.set(P)
    riccatiStep(problem, P, K)
    let change = 0
    let size = 0
    for (let k = 0; k < n * n; k++) {
      change = Math.max(change, Math.abs(P[k] - last[k]))
      size = Math.max(size, Math.abs(P[k]))
    }
    if (!(size < Infinity)) break
    if (change <= CONVERGED * size) return { K, P }
  }
  throw new RangeError('the Riccati recursion does not converge: the inputs B cannot steady all that is unstable in A')
}

function product(X: ArrayLike<number>, Y: ArrayLike<number>, rows: number, inner: number, columns: number): Float64Array {
  const out = new Float64Array(rows * columns)
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < inner; k++)
      for (let j = 0; j < columns; j++) out[i * columns + j] += X[i * inner + k] * Y[k * columns + j]
  return out
}
