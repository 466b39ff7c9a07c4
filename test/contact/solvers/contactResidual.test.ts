import { expect, test } from 'vitest'
import { type ContactProblem, contactResidual, type FrictionLaw, GroupKind, LemkeSolver } from '../../../contact/solvers/index.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { oneRow, pulledBlock, pulledBlockProblem, randomContacts } from './contactProblems.ts'

function residualOf(problem: ContactProblem, law: FrictionLaw, p: Float64Array, sides = 4): number {
  const residual = new Float64Array(1)
  contactResidual(problem, law, sides, p, new Float64Array(problem.rowCount), residual)
  return residual[0]
}

const { mass, dt, mu } = pulledBlock
const pulled = pulledBlockProblem()
const weight = mass * 9.81 * dt
/** What the impulse leaves of velocities (-5, 4) dt. */
const impulse = (normal: number, vx: number, vy: number) => Float64Array.of(normal, mass * vx - -1 * dt, mass * vy - 0.8 * dt)

test('a block pulled at an angle: closed forms of each law are answers, and of no other', () => {
  // (F - mu m g) / |F| of the pull remains in its own direction
  const part = 1 - (mu * mass * 9.81) / Math.hypot(1, 0.8)
  const cone = impulse(weight, (-part * dt) / mass, (0.8 * part * dt) / mass)
  // on the pyramid's edge both slips are as large: (-1 + a) = -(0.8 - mu m g + a)
  const equal = (0.9 - (mu * mass * 9.81) / 2) * (dt / mass)
  const pyramid = impulse(weight, -equal, equal)
  // the normal impulse that has the block rise by mu |slip|
  const rising = (weight + mu * Math.hypot(1, 0.8) * dt) / (1 + mu * mu)
  const along = (Math.hypot(1, 0.8) * dt - mu * rising) / mass / Math.hypot(1, 0.8)
  const associated = impulse(rising, -along, 0.8 * along)

  expect(Math.abs(cone[0])).toBeCloseTo(0.981, 12)
  expect(equal).toBeCloseTo(1.5143, 4) // a published run of the pyramid: (-1.5143, 1.5143)
  for (const [law, answer] of [
    ['cone', cone],
    ['pyramid', pyramid],
    ['associated', associated],
  ] as const) {
    for (const other of ['cone', 'pyramid', 'associated'] as const) {
      if (other === law)
        expect(residualOf(pulled, other, answer)).toBeLessThan(1e-15) // rounding
      else expect(residualOf(pulled, other, answer)).toBeGreaterThan(1e-2)
    }
  }
})

test('rows without friction: the answer has none, each wrong one its own distance', () => {
  const row = (kind: GroupKind, rhs: number, p: number, limit = 0) =>
    residualOf(oneRow(kind, 1, rhs, limit), 'cone', Float64Array.of(p))
  expect(row(GroupKind.unilateral, -2, 2)).toBe(0)
  expect(row(GroupKind.unilateral, 2, 0)).toBe(0)
  expect(row(GroupKind.unilateral, -2, 1)).toBe(0.5) // u = -1 of a size of 2
  expect(row(GroupKind.unilateral, -2, 4)).toBe(1) // pushed off with u = 2 by p = 4
  expect(row(GroupKind.unilateral, 2, -2)).toBe(1) // pulls
  expect(row(GroupKind.bilateral, 2, -2)).toBe(0)
  expect(row(GroupKind.bilateral, 2, -1)).toBe(0.5)
  expect(row(GroupKind.bounded, 3, -1, 1)).toBe(0)
  expect(row(GroupKind.bounded, -3, 1, 1)).toBe(0)
  expect(row(GroupKind.bounded, 0.5, -0.5, 1)).toBe(0)
  expect(row(GroupKind.bounded, 3, 1, 1)).toBe(2 / 3) // pushes with the motion: as far as from +1 to -1
  expect(row(GroupKind.bounded, 3, -3, 1)).toBe(2 / 3) // holds it with more than it has
  expect(row(GroupKind.bounded, 3, 0, Number.POSITIVE_INFINITY)).toBe(1) // what has no bound is bilateral
})

test('units, masses and the scale of velocities change nothing', () => {
  const random = createRandom(7)
  for (let seed = 0; seed < 50; seed++) {
    const problem = randomContacts(seed, 6)
    const p = Float64Array.from({ length: problem.rowCount }, () => random.between(-1, 2))
    for (const law of ['cone', 'associated', 'pyramid'] as const) {
      const plain = residualOf(problem, law, p)
      for (const [light, fast] of [
        [1e-3, 1],
        [1e3, 1e-6],
        [1, 1e6],
      ]) {
        const scaled = residualOf(
          {
            ...problem,
            W: problem.W.map((x) => x / light),
            rhs: problem.rhs.map((x) => x * fast),
            limit: problem.limit.map((x, g) => (problem.kind[g] === GroupKind.bounded ? x * light * fast : x)),
          },
          law,
          p.map((x) => x * light * fast),
        )
        expect(Math.abs(scaled / plain - 1)).toBeLessThan(1e-12) // rounding of differences
      }
    }
  }
})

test('with the pyramid, what Lemke finds of its complementarity problem has no residual, and nothing near it', () => {
  const lemke = new LemkeSolver()
  const random = createRandom(3)
  for (const sides of [4, 5, 8]) {
    let solved = 0
    for (let seed = 0; seed < 40; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 3), { frictionalAlone: true, soft: 1e-2 })
      const p = pyramidByLemke(lemke, problem, sides)
      if (p === undefined) continue
      solved++
      expect(residualOf(problem, 'pyramid', p, sides)).toBeLessThan(1e-8) // Lemke's pivots lose some digits
      const largest = Math.max(...p.map(Math.abs))
      if (largest < 1e-9) continue // all apart
      const near = p.map((x) => x + 1e-3 * largest * random.between(-1, 1))
      expect(residualOf(problem, 'pyramid', near, sides)).toBeGreaterThan(1e-7)
    }
    expect(solved).toBeGreaterThan(35)
  }
})

test('what is not finite is no answer', () => {
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
    for (let r = 0; r < 3; r++) {
      const p = Float64Array.of(1, 0, 0)
      p[r] = bad
      for (const law of ['cone', 'associated', 'pyramid'] as const)
        expect(residualOf(pulled, law, p)).toBe(Number.POSITIVE_INFINITY)
    }
  }
})

/** With unknowns p_n, the sides' impulses and lambda per contact (Stewart and Trinkle 1996). */
function pyramidByLemke(lemke: LemkeSolver, problem: ContactProblem, sides: number): Float64Array | undefined {
  const { groupCount, rowCount: rows, W, rhs, limit } = problem
  const width = sides + 2
  const n = groupCount * width
  // columns of the rows' impulses
  const D = Array.from({ length: rows }, () => new Array<number>(n).fill(0))
  for (let g = 0; g < groupCount; g++) {
    D[3 * g][g * width] = 1
    for (let k = 0; k < sides; k++) {
      D[3 * g + 1][g * width + 1 + k] = Math.cos((2 * Math.PI * k) / sides)
      D[3 * g + 2][g * width + 1 + k] = Math.sin((2 * Math.PI * k) / sides)
    }
  }
  const A = new Float64Array(n * n)
  const b = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < rows; r++) {
      b[i] += D[r][i] * rhs[r]
      if (D[r][i] === 0) continue
      for (let j = 0; j < n; j++) for (let s = 0; s < rows; s++) A[i * n + j] += D[r][i] * W[r * rows + s] * D[s][j]
    }
  }
  for (let g = 0; g < groupCount; g++) {
    const last = g * width + width - 1
    A[last * n + g * width] = limit[g]
    for (let k = 1; k <= sides; k++) {
      A[last * n + g * width + k] = -1
      A[(g * width + k) * n + last] = 1
    }
  }
  if (lemke.solve(n, A, b, new Uint8Array(n), new Float64Array(n)) !== 'solved') return undefined
  return Float64Array.from(D, (row) => row.reduce((sum, x, i) => sum + x * lemke.z[i], 0))
}
