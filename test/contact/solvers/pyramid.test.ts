import { expect, test } from 'vitest'
import {
  ContactProjectedGaussSeidel,
  complementarityResidual,
  contactResidual,
  GroupKind,
  LemkeSolver,
  LevenbergMarquardtMcp,
  NewtonSolver,
  PyramidProblem,
  PyramidSolver,
  pyramidSides,
  UNKNOWN_MODE,
} from '../../../contact/solvers/index.ts'
import { oneContact, randomContacts } from './contactProblems.ts'

test('the sides of a pyramid are unit, come in exact opposites, and an odd number is refused', () => {
  for (const count of [4, 6, 8, 12, 16]) {
    const { cosine, sine } = pyramidSides(count)
    for (let k = 0; k < count; k++) {
      expect(Math.abs(Math.hypot(cosine[k], sine[k]) - 1)).toBeLessThan(1e-15)
      expect(Math.abs(cosine[k] - Math.cos((2 * Math.PI * k) / count))).toBeLessThan(1e-15)
      expect(Math.abs(sine[k] - Math.sin((2 * Math.PI * k) / count))).toBeLessThan(1e-15)
      expect(cosine[(k + count / 2) % count]).toBe(-cosine[k])
      expect(sine[(k + count / 2) % count]).toBe(-sine[k])
    }
  }
  expect(() => pyramidSides(5)).toThrow('an even number of sides from 4 to 1024, not 5')
})

test('what solves the complementarity problem solves the contact problem, with contacts, stops, loops and dry joints', () => {
  for (const [sides, inner] of [
    [4, new LemkeSolver(1e-10)],
    [8, new LemkeSolver(1e-10)],
    [4, new LevenbergMarquardtMcp(1e-10)],
  ] as const) {
    const solver = new PyramidSolver(inner, pyramidSides(sides))
    let solved = 0
    for (let seed = 0; seed < 200; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 6))
      const p = new Float64Array(problem.rowCount)
      if (solver.solve(problem, p) !== 'solved') continue
      solved++
      const residual = new Float64Array(1)
      contactResidual(problem, 'pyramid', sides, p, new Float64Array(problem.rowCount), residual)
      // the unknowns of both are alike in scale; softness of 1e-5 makes errors in p of errors in u
      expect(residual[0]).toBeLessThan(1e-5)
    }
    expect(solved).toBeGreaterThan(190)
  }
})

test('friction against a known slip, and of a known bound: another method’s answer is that of Newton’s, and the judge’s', () => {
  const lemke = new PyramidSolver(new LemkeSolver(1e-10), pyramidSides(4))
  const sweeps = new ContactProjectedGaussSeidel({ law: 'pyramid', tolerance: 1e-10, acceleration: 'anderson' })
  const newton = new NewtonSolver('pyramid', 4, 1e-10)
  const residual = new Float64Array(1)
  for (const kind of [GroupKind.sliding, GroupKind.disc]) {
    const other = kind === GroupKind.sliding ? lemke : sweeps
    let solved = 0
    for (let seed = 0; seed < 200; seed++) {
      const problem = randomContacts(seed, 1 + (seed % 6), { soft: 1e-3, mu: 0.3 })
      const groups = Array.from(problem.kind, (k, g) => (k === GroupKind.frictional && (g + seed) % 3 > 0 ? kind : k))
      problem.kind.set(groups)
      const answers = [other, newton].flatMap((solver) => {
        const p = new Float64Array(problem.rowCount)
        if (solver.solve(problem, p, new Int8Array(problem.groupCount).fill(UNKNOWN_MODE)) !== 'solved') return []
        contactResidual(problem, 'pyramid', 4, p, new Float64Array(problem.rowCount), residual)
        expect(residual[0]).toBeLessThan(1e-7)
        return [p]
      })
      if (answers.length < 2) continue
      solved++
      const size = Math.max(...answers[0].map(Math.abs))
      // softness of a thousandth makes ten times as much in p of errors in u
      for (let r = 0; r < problem.rowCount; r++) expect(Math.abs(answers[1][r] - answers[0][r])).toBeLessThan(1e-5 * size + 1e-12)
    }
    expect(solved).toBeGreaterThan(190)
  }
})

test('folding impulses into unknowns and unfolding them again changes nothing', () => {
  for (const sides of [4, 6, 16]) {
    const pyramid = new PyramidProblem(pyramidSides(sides))
    for (let seed = 0; seed < 50; seed++) {
      const problem = randomContacts(seed, 5)
      pyramid.assemble(problem)
      const p = Float64Array.from({ length: problem.rowCount }, (_, r) => Math.sin(7 * r + seed))
      pyramid.fold(problem, p)
      for (let i = 0; i < pyramid.size; i++) if (pyramid.free[i] === 0 && i > 0) expect(Number.isFinite(pyramid.z[i])).toBe(true)
      const back = new Float64Array(problem.rowCount)
      pyramid.unfold(problem, pyramid.z, back)
      for (let r = 0; r < p.length; r++) expect(Math.abs(back[r] - p[r])).toBeLessThan(1e-14)
    }
  }
})

test("a pull at an angle makes a diamond's friction go along its corner: the Horak particle slides at 45 degrees", () => {
  // The force is (-1, 0.8). Friction f on the diamond |f1| + |f2| = mu m g, and what is left of the force along a diagonal:
  // 1 - f1 = 0.8 - f2 = 0.6057, so 1.51425 m/s after 0.5 s
  const [m, mu, h, g] = [0.2, 0.3, 0.01, 9.81]
  const solver = new PyramidSolver(new LemkeSolver(), pyramidSides(4))
  const v = [0, 0]
  for (let n = 0; n < 50; n++) {
    const problem = oneContact([1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m], [-g * h, v[0] - h / m, v[1] + (0.8 * h) / m], mu)
    const p = new Float64Array(3)
    expect(solver.solve(problem, p)).toBe('solved')
    v[0] += -h / m + p[1] / m
    v[1] += (0.8 * h) / m + p[2] / m
  }
  expect(Math.abs(v[0] + 1.51425)).toBeLessThan(1e-12)
  expect(Math.abs(v[1] - 1.51425)).toBeLessThan(1e-12)
})

test('the unknowns are scaled so that the diagonal is 1 at every normal, whatever the masses', () => {
  const pyramid = new PyramidProblem(pyramidSides(4))
  const problem = randomContacts(3, 6, { spread: 3, frictionalAlone: true })
  pyramid.assemble(problem)
  const { size, A, b, free, z } = pyramid
  for (let g = 0; g < 6; g++) expect(Math.abs(A[6 * g * size + 6 * g] - 1)).toBeLessThan(1e-15)
  const residual = new Float64Array(1)
  complementarityResidual(size, A, b, free, z.fill(0), new Float64Array(size), residual)
  expect(residual[0]).toBeGreaterThan(1e-3) // bodies approach, so 0 is no answer
  expect(UNKNOWN_MODE).toBe(-3) // what memories hold of older runs
})
