import { describe, expect, test } from 'vitest'
import {
  buildModel,
  combineModels,
  crba,
  crbaOnBranches,
  createData,
  createRandom,
  factorize,
  JointType,
  kinematics,
  type Model,
  type Random,
  SparseCholesky,
  solve,
  solveL,
  solveLTransposed,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { choleskySolve } from '../oracle/dense.ts'
import { dataAt, filled } from './at.ts'
import { body, free, solid } from './bodies.ts'
import { randomBodies, randomState, randomVector, relativeError, treeKind } from './randomTree.ts'

interface Couplings {
  readonly a: Int32Array
  readonly b: Int32Array
}

describe('factorisation of coupled trees', () => {
  test('solves what a dense Cholesky factorisation solves, on random forests with random couplings', () => {
    const random = createRandom(61)
    let coupled = 0
    for (let n = 0; n < trials(120); n++) {
      const { model, H, dense, cholesky } = randomProblem(random, n)
      const b = randomVector(random, model.nv)
      const x = b.slice()
      cholesky.factorize(H)
      cholesky.solve(H, x)
      // the unit diagonal that is added keeps condition numbers below 1e4
      expect(relativeError(x, choleskySolve(dense, b))).toBeLessThan(1e-11)
      if (cholesky.coupledCount > 0) coupled++
    }
    expect(coupled).toBeGreaterThan(trials(60))
  })

  test('the two halves make the whole, and the square of either is the quadratic form', () => {
    const random = createRandom(62)
    for (let n = 0; n < 40; n++) {
      const { model, H, cholesky } = randomProblem(random, n)
      const b = randomVector(random, model.nv)
      const x = b.slice()
      const whole = b.slice()
      cholesky.factorize(H)
      cholesky.solve(H, whole)
      cholesky.solveLTransposed(H, x)
      const square = x.reduce((sum, value) => sum + value * value, 0) // bᵀ H⁻¹ b = |L⁻ᵀ b|²
      expect(relativeError([square], [whole.reduce((sum, value, k) => sum + value * b[k], 0)])).toBeLessThan(1e-11)
      cholesky.solveL(H, x)
      expect(x).toEqual(whole)
    }
  })

  test('the path form gives the same bits on the row of a coupling, and touches nothing else', () => {
    const random = createRandom(63)
    for (let n = 0; n < trials(60); n++) {
      const { model, H, cholesky, couplings } = randomProblem(random, n)
      const { nv } = model
      cholesky.factorize(H)
      for (let i = 0; i < couplings.a.length; i++) {
        const moved = union(model, couplings, i)
        if (moved.length === 0) continue
        moved.sort((k, l) => cholesky.position[k] - cholesky.position[l])
        const whole = new Float64Array(nv)
        for (const k of moved) whole[k] = random.between(-1, 1)
        const path = new Int32Array(nv)
        const length = cholesky.path(moved[0], path)
        // off the path there is something that must neither be read nor written
        const x = new Float64Array(3 * nv).fill(Number.NaN)
        for (let c = 0; c < length; c++) x[nv + path[c]] = whole[path[c]]
        cholesky.solveLTransposedOnPath(H, moved[0], x, nv)
        cholesky.solveLTransposed(H, whole)
        const onPath = new Set(path.subarray(0, length))
        expect(x.slice(nv, 2 * nv)).toEqual(whole.map((value, k) => (onPath.has(k) ? value : Number.NaN)))
        expect(whole.every((value, k) => onPath.has(k) || Object.is(value, 0))).toBe(true)
        expect(x.slice(0, nv).every(Number.isNaN) && x.slice(2 * nv).every(Number.isNaN)).toBe(true)
      }
    }
  })

  test('only entries of M, of couplings and of their fill are read or written', () => {
    const random = createRandom(64)
    for (let n = 0; n < 40; n++) {
      const { model, H, cholesky, couplings } = randomProblem(random, n)
      const { nv } = model
      const filled = filledIn(model, cholesky, couplings)
      const poisoned = H.map((x, at) => (filled[at] === 1 ? x : Number.NaN))
      const b = randomVector(random, nv)
      const x = b.slice()
      cholesky.factorize(H)
      cholesky.solve(H, x)
      const y = b.slice()
      cholesky.factorize(poisoned)
      cholesky.solve(poisoned, y)
      expect(y).toEqual(x)
    }
  })

  test('the pattern is closed under elimination, and has nothing that elimination does not fill', () => {
    const random = createRandom(65)
    for (let n = 0; n < 60; n++) {
      const { model, cholesky, couplings } = randomProblem(random, n)
      const filled = filledIn(model, cholesky, couplings)
      const { nv, vParent } = model
      const order = Array.from({ length: nv }, (_, k) => k).sort((k, l) => cholesky.position[k] - cholesky.position[l])
      const isCoupled = coupledVelocities(model, cholesky, couplings)
      let count = 0
      for (const k of order) {
        if (!isCoupled[k]) {
          expect(cholesky.next[k]).toBe(vParent[k])
          continue
        }
        const row = order.filter((l) => l !== k && filled[k * nv + l] === 1)
        count += 1 + row.length
        expect(cholesky.next[k]).toBe(row.length > 0 ? row[0] : -1)
      }
      expect(cholesky.fill).toBe(count)
    }
  })

  test('bodies in a row, each on the next, and around one in the middle fill in nothing', () => {
    const n = 40
    const row = new SparseCholesky(freeBodies(n))
    const next = Array.from({ length: n - 1 }, (_, i) => i + 1)
    row.setCouplings(
      Int32Array.from(next),
      Int32Array.from(next, (i) => i + 1),
      n - 1,
    )
    expect(row.fill).toBe(21 * n + 36 * (n - 1))
    const star = new SparseCholesky(freeBodies(n))
    star.setCouplings(
      new Int32Array(n - 1).fill(n / 2),
      Int32Array.from(next, (i) => (i < n / 2 ? i : i + 1)),
      n - 1,
    )
    expect(star.fill).toBe(21 * n + 36 * (n - 1))
  })

  test('a ring of bodies fills in one block a body', () => {
    const n = 30
    const ring = new SparseCholesky(freeBodies(n))
    const a = Int32Array.from({ length: n }, (_, i) => i + 1)
    ring.setCouplings(
      a,
      a.map((i) => (i % n) + 1),
      n,
    )
    // a tree of n - 1 blocks, one that closes the ring, and n - 3 that keep it closed as it shrinks to three bodies
    expect(ring.fill).toBe(21 * n + 36 * (n + n - 3))
  })

  test('the answer depends on the set of couplings, not on their order, their direction, nor on what was coupled before', () => {
    const random = createRandom(66)
    for (let n = 0; n < 40; n++) {
      const { model, H, cholesky, couplings } = randomProblem(random, n)
      const b = randomVector(random, model.nv)
      const x = b.slice()
      const start = H.slice()
      cholesky.factorize(H)
      cholesky.solve(H, x)

      const used = new SparseCholesky(model)
      for (let k = 0; k < 3; k++) {
        const other = randomCouplings(random, model, random.index(12))
        used.setCouplings(other.a, other.b, other.a.length)
        const matrix = new Float64Array(model.nv ** 2)
        for (let i = 0; i < model.nv; i++) matrix[i * (model.nv + 1)] = 2
        used.factorize(matrix)
      }
      const shuffled = Array.from(couplings.a.keys())
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = random.index(i + 1)
        ;[shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]]
      }
      const twice = [...shuffled, ...shuffled]
      used.setCouplings(
        Int32Array.from(twice, (i, k) => (k % 2 ? couplings.a : couplings.b)[i]),
        Int32Array.from(twice, (i, k) => (k % 2 ? couplings.b : couplings.a)[i]),
        twice.length,
      )
      const y = b.slice()
      used.factorize(start)
      used.solve(start, y)
      expect(y).toEqual(x)
      expect(used.position).toEqual(cholesky.position)
    }
  })

  test('without couplings it is the factorisation of trees, bit for bit', () => {
    const random = createRandom(67)
    for (let n = 0; n < trials(40); n++) {
      const { model, data } = randomForest(random, n)
      const { nv } = model
      const cholesky = new SparseCholesky(model)
      // fixed bodies, and bodies of one branch, couple nothing
      const child = random.index(model.nb)
      cholesky.setCouplings(Int32Array.of(0, child), Int32Array.of(child, Math.max(model.parent[child], 0)), 2)
      expect(cholesky.coupledCount).toBe(0)
      const b = randomVector(random, nv)
      const H = filled(nv * nv, (out) => cholesky.load(data.M, out))
      cholesky.factorize(H)
      const L = filled(nv * nv, (out) => factorize(model, data.M, out))
      for (let k = 0; k < nv; k++) for (let l = k; l >= 0; l = model.vParent[l]) expect(H[k * nv + l]).toBe(L[k * nv + l])
      for (const [ours, theirs] of [
        [cholesky.solve.bind(cholesky), solve],
        [cholesky.solveL.bind(cholesky), solveL],
        [cholesky.solveLTransposed.bind(cholesky), solveLTransposed],
      ] as const) {
        const x = b.slice()
        const y = b.slice()
        ours(H, x)
        theirs(model, L, y)
        expect(x).toEqual(y)
      }
    }
  })

  test('a tree that nothing touches gets the bits that it gets alone, whatever the others do', () => {
    const random = createRandom(68)
    for (let n = 0; n < 40; n++) {
      const { model, H, dense, cholesky, couplings, data } = randomProblem(random, n)
      const { nv } = model
      const b = randomVector(random, nv)
      const x = b.slice()
      cholesky.factorize(H)
      cholesky.solve(H, x)
      // their own part of H, and something else for the trees that are coupled
      const isCoupled = coupledVelocities(model, cholesky, couplings)
      const alone = dense.map((value, at) => (isCoupled[Math.floor(at / nv)] ? data.M[at] : value))
      factorize(model, alone, alone)
      solve(model, alone, b)
      for (let k = 0; k < nv; k++) if (!isCoupled[k]) expect(x[k]).toBe(b[k])
    }
  })

  test('a matrix that is not positive definite is refused with the joint named', () => {
    const model = freeBodies(3)
    const cholesky = new SparseCholesky(model)
    cholesky.setCouplings(Int32Array.of(1), Int32Array.of(2), 1)
    const H = new Float64Array(18 * 18)
    for (let k = 0; k < 18; k++) H[19 * k] = k === 8 ? -1 : 1
    expect(() => cholesky.factorize(H)).toThrow(/not positive definite: pivot -1 at velocity 8, joint "joint 2"/)
  })

  test('lengths are checked', () => {
    const cholesky = new SparseCholesky(freeBodies(2))
    const [H, x] = [new Float64Array(144), new Float64Array(12)]
    expect(() => cholesky.load(x, H)).toThrow(RangeError)
    expect(() => cholesky.load(H, x)).toThrow(RangeError)
    expect(() => cholesky.factorize(x)).toThrow(RangeError)
    expect(() => cholesky.solve(H, H)).toThrow(RangeError)
    expect(() => cholesky.solveL(x, x)).toThrow(RangeError)
    expect(() => cholesky.solveLTransposed(x, x)).toThrow(RangeError)
    expect(() => cholesky.solveLTransposedOnPath(H, 3, x, 1)).toThrow(RangeError)
  })
})

describe('several mechanisms as one model', () => {
  test('crbaOnBranches writes the bits of crba where branches have entries, and nothing elsewhere', () => {
    const random = createRandom(70)
    for (let n = 0; n < trials(40); n++) {
      const { model, data } = randomForest(random, n)
      const { nv, vParent } = model
      const own = createData(model)
      own.M.fill(Number.NaN)
      const state = randomState(random, model)
      kinematics(model, state, own)
      kinematics(model, state, data)
      crba(model, data)
      crbaOnBranches(model, own)
      const isBranch = new Uint8Array(nv * nv)
      for (let k = 0; k < nv; k++) {
        for (let l = k; l >= 0; l = vParent[l]) {
          isBranch[k * nv + l] = 1
          isBranch[l * nv + k] = 1
        }
      }
      // where joints follow others two velocities of a branch may have no entry; crba leaves 0 there, and this may as well
      expect(own.M.every((x, at) => Object.is(x, isBranch[at] === 1 ? data.M[at] : Number.NaN))).toBe(true)
    }
  })
})

function freeBodies(n: number): Model {
  return buildModel(
    'free bodies',
    Array.from({ length: n }, (_, i) => body(`body ${i + 1}`, free(`joint ${i + 1}`), solid(1, [1, 1, 1]))),
  )
}

/** A tree or a few with gravity downwards, that moves. */
function randomPart(random: Random, n: number): Model {
  for (;;) {
    const model = buildModel('part', randomBodies(random, { bodies: 1 + random.index(12), ...treeKind(n) }))
    if (model.nv > 0) return model
  }
}

/** Several random mechanisms, at a random state, with M. Every second one has its trees interleaved. */
function randomForest(random: Random, n: number) {
  const parts = Array.from({ length: 2 + random.index(6) }, (_, i) => randomPart(random, n + i))
  const interleaved = buildModel('interleaved', interleavedBodies(random, 3 + random.index(20)))
  const model =
    n % 2 === 0
      ? combineModels(
          'forest',
          parts.map((part, i) => ({ model: part, prefix: `${i}/` })),
        )
      : interleaved
  const data = dataAt(model, randomState(random, model))
  crba(model, data)
  return { model, data }
}

/** Chains that grow by turns, so that the velocities of a tree do not follow one another. */
function interleavedBodies(random: Random, count: number) {
  const trees = 1 + random.index(5)
  return randomBodies(random, { bodies: count }).map((body, i) => ({
    ...body,
    parent: i < trees ? 0 : i + 1 - trees * (1 + random.index(Math.min(2, Math.floor(i / trees)))),
    jointType: i % 4 === 0 ? JointType.floating : i % 4 === 1 ? JointType.spherical : body.jointType,
  }))
}

function randomCouplings(random: Random, { nb }: Model, count: number): Couplings {
  const body = () => random.index(nb)
  return { a: Int32Array.from({ length: count }, body), b: Int32Array.from({ length: count }, body) }
}

/** The velocities that move either body of coupling i. */
function union({ vLast, vParent }: Model, { a, b }: Couplings, i: number): number[] {
  const moved = new Set<number>()
  for (const body of [a[i], b[i]]) for (let k = vLast[body]; k >= 0; k = vParent[k]) moved.add(k)
  return [...moved]
}

/** H = M + 1 + Σ j jᵀ with j random at the velocities of each coupling: as the factorisation takes it, and dense. */
function randomProblem(random: Random, n: number) {
  const { model, data } = randomForest(random, n)
  const { nv } = model
  const couplings = randomCouplings(random, model, random.index(10))
  const cholesky = new SparseCholesky(model)
  cholesky.setCouplings(couplings.a, couplings.b, couplings.a.length)
  const H = randomVector(random, nv * nv) // what stands there before must not matter
  cholesky.load(data.M, H)
  const dense = data.M.slice()
  for (let k = 0; k < nv; k++) {
    dense[k * nv + k] += 1
    H[k * nv + k] += 1
  }
  for (let i = 0; i < couplings.a.length; i++) {
    const moved = union(model, couplings, i)
    const j = randomVector(random, nv)
    for (const k of moved) {
      for (const l of moved) {
        dense[k * nv + l] += j[k] * j[l]
        if (cholesky.position[l] >= cholesky.position[k]) H[k * nv + l] += j[k] * j[l]
      }
    }
  }
  return { model, data, couplings, cholesky, H, dense }
}

/** By brute force: 1 at [k, l] where L has an entry if velocities are eliminated by their positions, and on the diagonal. */
function filledIn(model: Model, { position }: SparseCholesky, couplings: Couplings): Uint8Array {
  const { nv, vParent } = model
  const filled = new Uint8Array(nv * nv)
  for (let k = 0; k < nv; k++) for (let l = k; l >= 0; l = vParent[l]) filled[k * nv + l] = 1
  for (let i = 0; i < couplings.a.length; i++) {
    const moved = union(model, couplings, i)
    for (const k of moved) for (const l of moved) if (position[l] >= position[k]) filled[k * nv + l] = 1
  }
  const order = Array.from({ length: nv }, (_, k) => k).sort((k, l) => position[k] - position[l])
  for (const k of order) {
    const row = order.filter((l) => l !== k && filled[k * nv + l] === 1)
    for (const l of row) for (const m of row) if (position[m] >= position[l]) filled[l * nv + m] = 1
  }
  return filled
}

/** Whether the tree of each velocity is in a coupling that M has not. */
function coupledVelocities(model: Model, cholesky: SparseCholesky, { a, b }: Couplings): boolean[] {
  const { vParent, vLast } = model
  const root = Array.from(vParent)
  root.forEach((p, k) => {
    root[k] = p < 0 ? k : root[p]
  })
  const roots = new Set<number>()
  for (let i = 0; i < a.length; i++) {
    const [k, l] = [vLast[a[i]], vLast[b[i]]]
    if (k < 0 || l < 0 || cholesky.onSamePath(k, l)) continue
    roots.add(root[k])
    roots.add(root[l])
  }
  return root.map((r) => roots.has(r))
}
