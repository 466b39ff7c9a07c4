import { describe, expect, test } from 'vitest'
import {
  buildModel,
  combineModels,
  crbaOnBranches,
  createRandom,
  IslandFactor,
  type Model,
  type Random,
  SparseCholesky,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { dataAt } from './at.ts'
import { randomBodies, randomState, randomVector, relativeError, treeKind } from './randomTree.ts'

type Term = readonly [row: number, column: number, value: number]

interface Problem {
  readonly model: Model
  readonly pattern: SparseCholesky
  /** nv x nv: M in its lower triangle, with 1 added to its diagonal. */
  readonly M: Float64Array
  /** Pairs of bodies. */
  readonly couplings: readonly (readonly number[])[]
  /** The trees of each island. */
  readonly islands: readonly (readonly number[])[]
}

/** A factor of the islands, one of them loaded and factored, and H⁻¹ of the right-hand side. */
function solveIsland(
  problem: Problem,
  island: number,
  terms: readonly Term[],
  right: Float64Array,
  isSymmetric: boolean,
  factor = begun(problem.pattern, problem.islands),
): Float64Array {
  const { model, M, islands } = problem
  const { nv } = model
  const trees = Int32Array.from(islands.flat())
  const first = islands.slice(0, island).flat().length
  const end = first + islands[island].length
  const H = new Float64Array(nv * nv).fill(Number.NaN) // what is no entry is not read
  factor.load(M, H, island, trees, first, end)
  for (const [k, l, x] of terms) H[k * nv + l] += x
  const own = velocitiesOf(problem, island)
  expect(factor.factorize(H, island, isSymmetric)).toBe(determinantSign(denseOf(problem, own, terms)))
  const x = right.slice()
  factor.solve(island, x)
  return x
}

function begun(pattern: SparseCholesky, islands: readonly (readonly number[])[]): IslandFactor {
  const factor = new IslandFactor(pattern)
  const starts = [0, ...islands.map((_, i) => islands.slice(0, i + 1).flat().length)]
  factor.begin(islands.length, Int32Array.from(islands.flat()), Int32Array.from(starts))
  return factor
}

describe('islands of coupled trees', () => {
  test.each([true, false])('solve what dense elimination solves, on random forests; symmetric: %s', (isSymmetric) => {
    const random = createRandom(81)
    let [coupled, single] = [0, 0]
    for (let n = 0; n < trials(100); n++) {
      const problem = randomProblem(random, n)
      const { model, pattern, islands } = problem
      const right = randomVector(random, model.nv)
      const factor = begun(pattern, islands)
      for (const [i, trees] of islands.entries()) {
        const terms = couplingTerms(random, problem, i, isSymmetric)
        const own = velocitiesOf(problem, i)
        const x = solveIsland(problem, i, terms, right, isSymmetric, factor)
        const expected = gauss(
          denseOf(problem, own, terms),
          own.map((k) => right[k]),
        )
        const found = own.map((k) => x[k])
        // the unit diagonal that is added keeps condition numbers below 1e4; no pivot is sought
        expect(relativeError(found, expected)).toBeLessThan(isSymmetric ? 1e-11 : 1e-9)
        for (let k = 0; k < model.nv; k++) if (!own.includes(k)) expect(x[k]).toBe(right[k])
        if (trees.length > 1) coupled++
        else single++
      }
    }
    expect(coupled).toBeGreaterThan(trials(50))
    expect(single).toBeGreaterThan(0)
  })

  test.each([true, false])('an island gets the bits that it gets alone; symmetric: %s', (isSymmetric) => {
    const random = createRandom(82)
    for (let n = 0; n < 40; n++) {
      const problem = randomProblem(random, n)
      const { model, pattern, islands, couplings } = problem
      const right = randomVector(random, model.nv)
      const shared = begun(pattern, islands)
      for (const [i, trees] of [...islands.entries()].reverse()) {
        const terms = couplingTerms(random, problem, i, isSymmetric)
        const x = solveIsland(problem, i, terms, right, isSymmetric, shared)
        const own = couplings.filter(([body]) => trees.includes(pattern.treeOfV[model.vLast[body]]))
        const alone = new SparseCholesky(model)
        alone.setCouplings(
          Int32Array.from(own, ([a]) => a),
          Int32Array.from(own, ([, b]) => b),
          own.length,
        )
        expect(solveIsland({ ...problem, pattern: alone, islands: [trees] }, 0, terms, right, isSymmetric)).toEqual(x)
      }
    }
  })

  test('a matrix that is not positive definite is refused where it is to be symmetric, one with a zero pivot where not', () => {
    const random = createRandom(83)
    for (let n = 0; n < 20; n++) {
      const { model, pattern, islands, M } = randomProblem(random, n)
      const { nv } = model
      const factor = begun(pattern, islands)
      const trees = Int32Array.from(islands.flat())
      let first = 0
      for (const [i, list] of islands.entries()) {
        const end = first + list.length
        for (const isSymmetric of [true, false]) {
          const H = new Float64Array(nv * nv)
          factor.load(M, H, i, trees, first, end)
          // the last velocity of a tree is the first to be eliminated
          const k = pattern.velocitiesOfTrees[pattern.treeStart[list[0]]]
          H[k * nv + k] = isSymmetric ? -1e9 : Number.POSITIVE_INFINITY
          expect(factor.factorize(H, i, isSymmetric)).toBe(0)
        }
        first = end
      }
    }
  })
})

/** Mechanisms side by side, some of their bodies coupled, and the islands that this makes. */
function randomProblem(random: Random, n: number): Problem {
  const parts = Array.from({ length: 1 + random.index(5) }, (_, i) => {
    const kind = { ...treeKind(n + i), followers: false }
    return buildModel(`part ${i}`, randomBodies(random, { bodies: 1 + random.index(8), ...kind }), [0, 0, 0])
  })
  const model = combineModels(
    'forest',
    parts.map((part, i) => ({ model: part, prefix: `${i}/` })),
  )
  const { nv, nb, vLast } = model
  const data = dataAt(model, randomState(random, model))
  crbaOnBranches(model, data)
  const M = data.M.slice()
  for (let k = 0; k < nv; k++) M[k * nv + k] += 1
  const pattern = new SparseCholesky(model)
  const moving = Array.from({ length: nb - 1 }, (_, i) => i + 1).filter((i) => vLast[i] >= 0)
  const count = moving.length > 0 ? random.index(6) : 0
  const pairs = Array.from({ length: count }, () => [moving[random.index(moving.length)], moving[random.index(moving.length)]])
  const couplings = pairs.filter(([i, j]) => !pattern.onSamePath(vLast[i], vLast[j]))
  pattern.setCouplings(
    Int32Array.from(couplings, ([i]) => i),
    Int32Array.from(couplings, ([, j]) => j),
    couplings.length,
  )
  // the least tree that each hangs together with
  const least = Array.from({ length: pattern.treeCount }, (_, t) => t)
  for (let round = 0; round < least.length; round++) {
    for (const [i, j] of couplings) {
      const [s, t] = [pattern.treeOfV[vLast[i]], pattern.treeOfV[vLast[j]]]
      least[s] = least[t] = Math.min(least[s], least[t])
    }
  }
  const islands = [...new Set(least)]
    .map((root) => [...least.keys()].filter((t) => least[t] === root))
    .filter(([t]) => pattern.couplesTree(t))
  return { model, pattern, M, couplings, islands }
}

/** Velocities of an island's trees, rising. */
function velocitiesOf({ pattern, islands }: Problem, island: number): number[] {
  return [...pattern.treeOfV.keys()].filter((k) => islands[island].includes(pattern.treeOfV[k]))
}

/** Jᵀ G J of an island's couplings and of one row on each of its trees' branches, as entries [row, column, value]. */
function couplingTerms(
  random: Random,
  { model, pattern, couplings, islands }: Problem,
  island: number,
  isSymmetric: boolean,
): Term[] {
  const { vLast, vParent } = model
  const trees = islands[island]
  const own = couplings.filter(([i]) => trees.includes(pattern.treeOfV[vLast[i]]))
  return own.flatMap(([i, j]) => {
    const moved = new Set<number>()
    for (const body of [i, j]) for (let k = vLast[body]; k >= 0; k = vParent[k]) moved.add(k)
    const J = new Map([...moved].map((k) => [k, randomVector(random, 3)]))
    const root = randomVector(random, 9)
    // R Rᵀ, and for what is not symmetric something of its size
    const G = Array.from({ length: 9 }, (_, at) => {
      const [r, c] = [Math.floor(at / 3), at % 3]
      let sum = isSymmetric ? 0 : 0.5 * random.between(-1, 1)
      for (let k = 0; k < 3; k++) sum += root[3 * r + k] * root[3 * c + k]
      return sum
    })
    return [...J].flatMap(([k, a]) =>
      [...J].map(([l, b]): Term => {
        let sum = 0
        for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) sum += a[r] * G[3 * r + c] * b[c]
        return [k, l, sum]
      }),
    )
  })
}

/** H of some velocities alone, all of it. */
function denseOf({ model, pattern, M }: Problem, own: readonly number[], added: readonly Term[]): number[][] {
  const { nv } = model
  const place = new Map(own.map((k, i) => [k, i]))
  const H = own.map((k) => own.map((l) => (pattern.onSamePath(k, l) ? M[Math.max(k, l) * nv + Math.min(k, l)] : 0)))
  for (const [k, l, x] of added) H[place.get(k) as number][place.get(l) as number] += x
  return H
}

/** A⁻¹ b by elimination with exchange of rows. */
/** The sign of det A, by elimination with exchange of rows. */
function determinantSign(A: readonly (readonly number[])[]): number {
  const rows = A.map((row) => [...row])
  let sign = 1
  for (let k = 0; k < rows.length; k++) {
    let best = k
    for (let i = k; i < rows.length; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i
    const pivot = rows[best]
    rows[best] = rows[k]
    rows[k] = pivot
    if (best !== k) sign = -sign
    if (pivot[k] < 0) sign = -sign
    for (let i = k + 1; i < rows.length; i++) {
      const f = rows[i][k] / pivot[k]
      for (let j = k; j < rows.length; j++) rows[i][j] -= f * pivot[j]
    }
  }
  return sign
}

function gauss(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = A.map((row, i) => [...row, b[i]])
  const n = b.length
  for (let k = 0; k < n; k++) {
    let best = k
    for (let i = k; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i
    const pivot = rows[best]
    rows[best] = rows[k]
    rows[k] = pivot
    for (let i = 0; i < n; i++) {
      if (i === k) continue
      const f = rows[i][k] / pivot[k]
      for (let j = k; j <= n; j++) rows[i][j] -= f * pivot[j]
    }
  }
  return rows.map((row, k) => row[n] / row[k])
}
