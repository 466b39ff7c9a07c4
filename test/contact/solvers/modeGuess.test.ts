import { expect, test } from 'vitest'
import { LemkeSolver, ModeGuess, UNKNOWN_MODE } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'

const sideCosine = Float64Array.of(1, 0, -1, 0)
const sideSine = Float64Array.of(0, 1, 0, -1)

const unknown = (groups: number) => new Int8Array(groups).fill(UNKNOWN_MODE)

/** Random contacts of a mechanism of `dof` velocities, every third without friction. */
function randomContacts(seed: number, groups: number, dof: number) {
  const random = createRandom(seed)
  const first = new Int32Array(groups + 1)
  const mu = new Float64Array(groups)
  for (let i = 0; i < groups; i++) {
    mu[i] = i % 3 === 2 ? 0 : random.between(0.05, 1)
    first[i + 1] = first[i] + (mu[i] > 0 ? 3 : 1)
  }
  const rows = first[groups]
  const J = Array.from({ length: rows }, () => Array.from({ length: dof }, () => random.between(-1, 1)))
  const v = Array.from({ length: dof }, () => random.between(-1, 1))
  const W = new Float64Array(rows * rows)
  J.forEach((r, i) => {
    J.forEach((s, j) => {
      W[i * rows + j] = r.reduce((sum, x, k) => sum + x * s[k], 0)
    })
  })
  const right = Float64Array.from(J, (r) => r.reduce((sum, x, k) => sum + x * v[k], 0))
  for (let i = 0; i < groups; i++) right[first[i]] += random.next() < 0.3 ? random.next() : 0 // some are still apart
  return { groups, first, W, right, mu, rows }
}

/** Softness of every row: `share` of its diagonal for normals, a tenth of the mean of theirs for tangents. */
function softness(
  { groups, first, W, rows }: { groups: number; first: Int32Array; W: Float64Array; rows: number },
  share: number,
) {
  const soft = new Float64Array(rows)
  for (let i = 0; i < groups; i++) {
    const n = first[i]
    soft[n] = share * W[n * rows + n]
    if (first[i + 1] - n < 3) continue
    soft.fill(0.05 * share * (W[(n + 1) * rows + n + 1] + W[(n + 2) * rows + n + 2]), n + 1, n + 3)
  }
  return soft
}

/** The violation of Signorini's conditions and of the pyramid's, relative to the terms; 0 for an answer. */
function violation(problem: ReturnType<typeof randomContacts>, share: number, p: Float64Array) {
  const { groups, first, W, right, mu, rows } = problem
  const soft = softness(problem, share)
  const w = Array.from({ length: rows }, (_, r) => {
    let sum = right[r]
    for (let s = 0; s < rows; s++) sum += W[r * rows + s] * p[s]
    return sum
  })
  let worst = 0
  for (let i = 0; i < groups; i++) {
    const n = first[i]
    const gap = w[n] + soft[n] * p[n]
    worst = Math.max(worst, Math.abs(Math.min(gap, p[n])))
    if (mu[i] === 0) continue
    const slip = [w[n + 1] + soft[n + 1] * p[n + 1], w[n + 2] + soft[n + 2] * p[n + 2]]
    const inside = mu[i] * p[n] - Math.abs(p[n + 1]) - Math.abs(p[n + 2])
    worst = Math.max(worst, -inside)
    // maximum dissipation over the diamond: f . slip = -mu p max(|slip1|, |slip2|)
    const power = p[n + 1] * slip[0] + p[n + 2] * slip[1] + mu[i] * p[n] * Math.max(Math.abs(slip[0]), Math.abs(slip[1]))
    worst = Math.max(worst, Math.abs(power) / (1 + p[n]))
  }
  return worst / (1 + Math.max(...Array.from(p.subarray(0, rows), Math.abs)))
}

test('what the guess calls solved satisfies complementarity, the pyramid and maximum dissipation', () => {
  const guess = new ModeGuess(sideCosine, sideSine)
  let solved = 0
  for (let seed = 0; seed < 2000; seed++) {
    const problem = randomContacts(seed, 1 + (seed % 8), 3 + (seed % 9))
    const p = new Float64Array(problem.rows)
    if (
      !guess.solve(
        problem.groups,
        problem.first,
        problem.W,
        problem.right,
        problem.mu,
        softness(problem, 1e-5),
        p,
        unknown(problem.groups),
      )
    )
      continue
    solved++
    // entries of size 1 to 10; the equations hold to 1e-9 of their terms
    expect(violation(problem, 1e-5, p)).toBeLessThan(1e-8)
  }
  // it is a guess, but one that mostly succeeds
  expect(solved).toBeGreaterThan(1200)
})

test('without friction it agrees with Lemke, for the answer is then unique', () => {
  const guess = new ModeGuess(sideCosine, sideSine)
  const lemke = new LemkeSolver()
  let both = 0
  for (let seed = 0; seed < 300; seed++) {
    const n = 1 + (seed % 7)
    const { W: full, right: all, rows } = randomContacts(seed, 3 * n, 9)
    // the first n rows as normals of their own
    const W = Float64Array.from({ length: n * n }, (_, k) => full[Math.floor(k / n) * rows + (k % n)])
    const right = all.slice(0, n)
    const first = Int32Array.from({ length: n + 1 }, (_, k) => k)
    const p = new Float64Array(n)
    if (
      !guess.solve(
        n,
        first,
        W,
        right,
        new Float64Array(n),
        Float64Array.from({ length: n }, (_, i) => 1e-3 * W[i * n + i]),
        p,
        unknown(n),
      )
    )
      continue
    const A = W.slice()
    for (let i = 0; i < n; i++) A[i * n + i] *= 1 + 1e-3
    expect(lemke.solve(n, A, right)).toBe('solved')
    for (let i = 0; i < n; i++) expect(Math.abs(p[i] - lemke.z[i])).toBeLessThan(1e-7 * (1 + p[i])) // condition 1e3 to 1e5
    both++
  }
  expect(both).toBeGreaterThan(250)
})

test('a block pulled below its friction sticks, and above it slides against the pull', () => {
  // one contact of a unit mass: normal -g h, pull t; W the identity
  const guess = new ModeGuess(sideCosine, sideSine)
  const W = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const p = new Float64Array(3)
  const solve = (pull: number) => {
    const right = Float64Array.of(-1, pull, 0)
    expect(guess.solve(1, Int32Array.of(0, 3), W, right, Float64Array.of(0.5), new Float64Array(3), p, unknown(1))).toBe(true)
    return Array.from(p, (x) => x + 0) // no -0
  }
  expect(solve(0.4)).toEqual([1, -0.4, 0])
  expect(solve(0.6)).toEqual([1, -0.5, 0])
})

test('from the modes of an answer one pass finds it again, whoever found it', () => {
  const guess = new ModeGuess(sideCosine, sideSine)
  let solved = 0
  for (let seed = 0; seed < 500; seed++) {
    const { groups, first, W, right, mu, rows } = randomContacts(seed, 1 + (seed % 8), 3 + (seed % 9))
    const soft = softness({ groups, first, W, rows }, 1e-5)
    const p = new Float64Array(rows)
    const modes = unknown(groups)
    if (!guess.solve(groups, first, W, right, mu, soft, p, modes)) continue
    solved++
    const again = new Float64Array(rows)
    expect(guess.solve(groups, first, W, right, mu, soft, again, modes)).toBe(true)
    expect(guess.iterations).toBe(1)
    expect(again).toEqual(p) // the same system of equations

    // as an answer of another solver: nothing but p is known
    const adopted = unknown(groups)
    guess.adopt(groups, first, mu, p, adopted)
    expect(guess.solve(groups, first, W, right, mu, soft, again, adopted)).toBe(true)
    expect(guess.iterations).toBe(1)
    const largest = Math.max(...Array.from(p, Math.abs))
    for (let r = 0; r < rows; r++) expect(Math.abs(again[r] - p[r])).toBeLessThan(1e-7 * (1 + largest)) // condition to 1e6
  }
  expect(solved).toBeGreaterThan(450)
})
