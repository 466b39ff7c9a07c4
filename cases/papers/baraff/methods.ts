/** Methods that the survey names and that others have taken the place of (4.1.2, 7.2), as it describes them. */

import { eigenvalues } from '../../../compare/inspect/eigenvalues.ts'
import { Random } from '../../../compare/scenario/world/random.ts'
import { complementaritySolvers } from '../../../contact/index.ts'
import { dot } from '../../../dynamics/index.ts'
import { type Claim, judged } from '../page.ts'
import { between } from '../uniform.ts'
import { boxProblem, type Frictionless, randomProblem } from './frictionless.ts'
import { solveDense } from './numerics.ts'
import { difference, short, worst } from './scene.ts'

type Matrix = readonly (readonly number[])[]

/** z of the complementarity problem w = A z + b; `free`: of any sign, and w = 0. Undefined where Lemke's algorithm ends on a ray. */
export function lemke(A: Matrix, b: readonly number[], free: readonly number[] = []): number[] | undefined {
  const n = b.length
  const solver = complementaritySolvers.lemke()
  const isFree = Uint8Array.from({ length: n }, (_, i) => (free.includes(i) ? 1 : 0))
  const status = solver.solve(n, Float64Array.from(A.flat()), Float64Array.from(b), isFree, new Float64Array(n))
  return status === 'solved' ? Array.from(solver.z.subarray(0, n)) : undefined
}

/**
 * The quadratic program min xᵀ Q x / 2 + cᵀ x, G x >= h, Q symmetric and positive semidefinite, by its conditions of Karush, Kuhn and
 * Tucker: Q x + c - Gᵀ y = 0, 0 <= y ⟂ G x - h >= 0, a mixed complementarity problem; with x >= 0 where `positive` is true.
 */
export function quadraticProgram(Q: Matrix, c: readonly number[], G: Matrix, h: readonly number[], positive: boolean) {
  const [n, m] = [c.length, h.length]
  const rows = [
    ...Q.map((row, i) => [...row, ...G.map((constraint) => -constraint[i])]),
    ...G.map((row) => [...row, ...new Array<number>(m).fill(0)]),
  ]
  const z = lemke(rows, [...c, ...h.map((x) => -x)], positive ? [] : Array.from({ length: n }, (_, i) => i))
  return z?.slice(0, n)
}

/** Forces as the survey states their program: least f · a of all f >= 0 with a = A f + b >= 0. Its least value, 0, is at solutions of equation 8. */
export const leastProduct = ({ A, b }: Pick<Frictionless, 'A' | 'b'>) =>
  quadraticProgram(
    A.map((row) => row.map((x) => 2 * x)),
    b,
    A,
    b.map((x) => -x),
    true,
  )

/** Accelerations by Gauss's principle, of which the others start (Kilmister and Reeve): the nearest to those without contact, in M, with J a >= 0. */
export const leastConstraint = ({ M, J, free }: Frictionless) =>
  quadraticProgram(
    M,
    M.map((row) => -dot(row, free)),
    J,
    J.map(() => 0),
    false,
  )

/**
 * Both programs beside equation 8 on random bodies on 1 to 8 contacts.
 *
 * @returns largest f · a over |b| times the largest force; and accelerations of both programs against those of equation 8, over the largest
 */
export function programs(count: number, seed = 3) {
  const random = new Random(seed)
  let [problems, solved, product, apart] = [0, 0, 0, 0]
  for (const n of [1, 2, 4, 6, 8]) {
    for (let k = 0; k < count; k++) {
      const problem = randomProblem(random, n)
      const { A, b, J, M, free } = problem
      const [f, a, expected] = [leastProduct(problem), leastConstraint(problem), lemke(A, b)]
      problems++
      if (f === undefined || a === undefined || expected === undefined) continue
      solved++
      const accelerations = (forces: readonly number[]) =>
        solveDense(
          M,
          free.map((_, i) => J.reduce((sum, row, r) => sum + row[i] * forces[r], 0)),
        ).map((x, i) => x + free[i])
      const size = Math.max(...free.map(Math.abs))
      const largest = Math.max(1e-300, ...f)
      const value = A.reduce((sum, row, i) => sum + f[i] * (dot(row, f) + b[i]), 0)
      product = Math.max(product, Math.abs(value) / (largest * Math.max(...b.map(Math.abs))))
      const truth = accelerations(expected)
      for (const one of [a, accelerations(f)]) apart = Math.max(apart, ...difference(one, truth).map((x) => Math.abs(x) / size))
    }
  }
  return { problems, solved, product, apart }
}

/** How Featherstone's heuristic ends. `singular`: the contacts that it takes for closed do not determine their forces. */
export interface Heuristic {
  readonly end: 'solved' | 'singular' | 'cycle'
  readonly f: readonly number[]
  /** Systems of equations that it took. */
  readonly systems: number
}

/** Smaller than this share of the largest, a force or acceleration has no sign. */
const SIGN = 1e-9
/** An eigenvalue below this share of the largest is zero. */
const SINGULAR = 1e-12

/**
 * Forces by guessing which contacts hold: A_SS f_S = -b_S, S at first all that accelerate inwards; then those that pull are let go and those
 * that accelerate inwards are taken on, all at once, until none is. The survey says of Featherstone's heuristic (1987) that it improves on trying
 * all sets and needs a statically determinate configuration; the rule of exchange is the plain one, for the text does not print his.
 */
export function featherstone({ A, b }: Pick<Frictionless, 'A' | 'b'>): Heuristic {
  const n = b.length
  const size = Math.max(...b.map(Math.abs))
  let holds = b.map((x) => x < 0)
  const seen = new Set<string>()
  for (let systems = 1; ; systems++) {
    const S = holds.flatMap((is, i) => (is ? [i] : []))
    const part = S.map((i) => S.map((j) => A[i][j]))
    const values = eigenvalues(part)
    const f = new Array<number>(n).fill(0)
    if (values[0] < SINGULAR * values[values.length - 1]) return { end: 'singular', f, systems }
    solveDense(
      part,
      S.map((i) => -b[i]),
    ).forEach((x, k) => {
      f[S[k]] = x
    })
    const largest = Math.max(...f.map(Math.abs), size)
    const a = A.map((row, i) => dot(row, f) + b[i])
    const next = holds.map((is, i) => (is ? f[i] >= -SIGN * largest : a[i] < -SIGN * size))
    if (next.every((is, i) => is === holds[i])) return { end: 'solved', f, systems }
    seen.add(holds.map(Number).join(''))
    if (seen.has(next.map(Number).join(''))) return { end: 'cycle', f, systems }
    holds = next
  }
}

/** A point of a body for each contact, and no more contacts than its six freedoms: statically determinate. */
export function heuristics(n: number, count: number, seed = 5) {
  const random = new Random(seed, n)
  let [solved, cycles, singular, systems, apart] = [0, 0, 0, 0, 0]
  for (let k = 0; k < count; k++) {
    const problem = randomProblem(random, n)
    const { end, f, systems: took } = featherstone(problem)
    if (end === 'cycle') cycles++
    if (end === 'singular') singular++
    if (end !== 'solved') continue
    solved++
    systems += took
    const expected = lemke(problem.A, problem.b) ?? []
    apart = Math.max(apart, Math.max(...difference(f, expected).map(Math.abs)) / Math.max(1, ...expected))
  }
  return { contacts: n, problems: count, solved, cycles, singular, systems: systems / Math.max(1, solved), apart }
}

/** Of the box on four corners under a push off its middle, which presses on them all: four forces for three freedoms. */
export const heuristicOnBox = () => featherstone(boxProblem(4))

/** A planar body on n contacts at rest, with friction: rows normal and tangent in turn, in accelerations. */
export interface Planar {
  readonly W: Matrix
  readonly rhs: readonly number[]
  readonly mu: readonly number[]
}

export function planarProblem(random: Random, n: number): Planar {
  const mass = [between(random, 0.2, 2), between(random, 0.2, 2)]
  const inverse = [mass[0], mass[0], mass[1]].map((x) => 1 / x)
  const free = [random.within(10), random.within(10), random.within(10)]
  const J = Array.from({ length: n }, () => {
    const [x, y] = [random.within(1), random.within(1)]
    const d = [random.within(1), random.within(1)]
    const [nx, ny] = d.map((value) => value / Math.hypot(...d))
    return [
      [nx, ny, x * ny - y * nx],
      [-ny, nx, x * nx + y * ny],
    ]
  }).flat()
  return {
    W: J.map((row) => J.map((other) => row.reduce((sum, value, k) => sum + value * inverse[k] * other[k], 0))),
    rhs: J.map((row) => dot(row, free)),
    mu: Array.from({ length: n }, () => between(random, 0.1, 2)),
  }
}

/** By how much forces miss equations 8, 18 and 19, |f_x| <= mu f_N, in accelerations over the largest of `rhs`. */
export function planarMiss({ W, rhs, mu }: Planar, f: readonly number[]): number {
  const a = W.map((row, r) => dot(row, f) + rhs[r])
  let worst = 0
  mu.forEach((coefficient, i) => {
    const [n, t] = [2 * i, 2 * i + 1]
    const [wn, wt] = [W[n][n], W[t][t]]
    const room = (coefficient * f[n] - Math.abs(f[t])) * wt
    worst = Math.max(worst, -f[n] * wn, -a[n], Math.min(f[n] * wn, a[n]), -room, Math.min(Math.abs(a[t]), room))
    if (Math.abs(a[t]) > 1e-6) worst = Math.max(worst, Math.min(Math.sign(a[t]) * f[t] * wt, Math.abs(a[t])))
  })
  return worst / Math.max(...rhs.map(Math.abs))
}

/**
 * Static friction by quadratic programs in turn: with friction bounded by mu times the normal forces of the program before, none at first, the
 * forces are a convex program's (Lötstedt's), and the next bounds are theirs. Where the bounds settle the forces are Coulomb's. The survey's 7.2
 * has no more than "an iterative technique combined with quadratic programming" of Baraff's method (SIGGRAPH 1991).
 */
export function baraffIteration(problem: Planar, most = 200): { settled: boolean; f: readonly number[]; passes: number } {
  const { mu } = problem
  let bounds = mu.map(() => 0)
  let f: readonly number[] = []
  for (let passes = 1; passes <= most; passes++) {
    f = boundedForces(problem, bounds)
    if (planarMiss(problem, f) < 1e-9) return { settled: true, f, passes }
    bounds = mu.map((coefficient, i) => coefficient * Math.max(0, f[2 * i]))
  }
  return { settled: false, f, passes: most }
}

/** f_N >= 0 and |f_x| <= bound: min fᵀ W f / 2 + rightᵀ f, in f_N and f_x + bound, which are both at least 0. */
function boundedForces({ W, rhs }: Planar, bounds: readonly number[]): number[] {
  const shift = rhs.map((_, r) => (r % 2 === 0 ? 0 : -bounds[(r - 1) / 2]))
  const z = quadraticProgram(
    W,
    W.map((row, r) => rhs[r] + dot(row, shift)),
    bounds.map((_, i) => rhs.map((_, r) => (r === 2 * i + 1 ? -1 : 0))),
    bounds.map((bound) => -2 * bound),
    true,
  )
  if (z === undefined) throw new Error('a convex program over a box has no answer')
  return z.map((x, r) => x + shift[r])
}

/** Coulomb's planar conditions as a complementarity problem: per contact f_N, friction either way, and the slip. */
function planarLcp({ W, rhs, mu }: Planar): number[] | undefined {
  const [sign, n] = [[1, 1, -1], mu.length]
  const row = (i: number) => 2 * Math.floor(i / 4) + (i % 4 === 0 ? 0 : 1)
  const A = Array.from({ length: 4 * n }, (_, i) =>
    Array.from({ length: 4 * n }, (_, j) => {
      const [a, b] = [i % 4, j % 4]
      if (a < 3 && b < 3) return sign[a] * sign[b] * W[row(i)][row(j)]
      if (i - a !== j - b || a === b) return 0
      return b === 3 ? Math.min(a, 1) : [mu[(i - a) / 4], -1, -1][b]
    }),
  )
  const b = A.map((_, i) => (i % 4 === 3 ? 0 : sign[i % 4] * rhs[row(i)]))
  const z = lemke(A, b)
  return z && Array.from({ length: 2 * n }, (_, r) => (r % 2 === 0 ? z[2 * r] : z[2 * r - 1] - z[2 * r]))
}

/** @returns of problems that do not settle how many have forces all the same (`missed`), and the number of the first of them */
export function iterations(n: number, count: number, seed = 7) {
  const random = new Random(seed, n)
  let [settled, passes, missed] = [0, 0, 0]
  let first: number | undefined
  for (let k = 0; k < count; k++) {
    const problem = planarProblem(random, n)
    const one = baraffIteration(problem)
    if (one.settled) {
      settled++
      passes += one.passes
      continue
    }
    const f = planarLcp(problem)
    if (f === undefined || planarMiss(problem, f) > 1e-6) continue
    missed++
    first ??= k
  }
  return { contacts: n, problems: count, settled, passes: passes / Math.max(1, settled), missed, first }
}

/** Sections 4.1.2 and 7.2. */
export function methodClaims(): Claim[] {
  const { problems, solved, product, apart } = programs(20)
  const squeezed = leastProduct({
    A: [
      [1, -1],
      [-1, 1],
    ],
    b: [-1, -1],
  })
  const program: Claim = {
    where: 'Equation 8 (Kilmister and Reeve, Ingleton, Cottle, Lötstedt)',
    claim: 'forces as a quadratic program, least f · a of f ≥ 0 and a = A f + b ≥ 0, are those of the complementarity problem',
    paper: 'equation 8 as an attempt to minimise f · a',
    found: `${solved} of ${problems} random bodies on 1 to 8 contacts: f · a ≤ ${short(product)} of |b| times the largest force, accelerations within ${short(apart)} of those of equation 8, and of Gauss’s principle, the accelerations nearest to the free ones with J a ≥ 0. A = (1 −1; −1 1), b = (−1, −1): ${squeezed === undefined ? 'no forces' : 'forces'}`,
    judgement: judged(solved === problems && product < 1e-12 && apart < 1e-10 && squeezed === undefined),
    why: 'Programs by their conditions of Karush, Kuhn and Tucker, with Lemke’s algorithm; a test has another program’s beside them. The program fails where b is not in the range of A, and nothing satisfies f ≥ 0, a ≥ 0.',
  }
  const sizes = [1, 2, 4, 6]
  const rows = sizes.map((n) => heuristics(n, 200))
  const total = rows.reduce((sum, row) => sum + row.problems, 0)
  const done = rows.reduce((sum, row) => sum + row.solved, 0)
  const [box, most] = [heuristicOnBox(), rows[rows.length - 1]]
  const heuristic: Claim = {
    where: 'Section 4.1.2 (Featherstone)',
    claim: 'a heuristic improves on trying all sets of contacts, where the configuration is statically determinate',
    paper: 'requires that the normal forces be unique',
    found: `${done} of ${total} random bodies on ${sizes.join(', ')} contacts, forces within ${short(worst(rows.map((row) => row.apart)))} of those of equation 8; on ${most.contacts} contacts by ${short(most.systems)} systems of equations, in place of up to ${2 ** most.contacts}. ${rows.reduce((sum, row) => sum + row.cycles, 0)} go in circles. A box on four corners: ${box.end === 'singular' ? 'singular at the first' : box.end}`,
    judgement: judged(
      done > 0.98 * total && worst(rows.map((row) => row.apart)) < 1e-9 && most.systems < 8 && box.end === 'singular',
    ),
    why: 'Contacts that pull are let go, and those that accelerate inwards taken on, all at once; the survey does not print his rule. Judged by 98 %, since nothing keeps such exchanges from going round.',
  }
  const counts = [1, 2, 4].map((n) => iterations(n, 150))
  const [one, ...several] = counts
  const iteration: Claim = {
    where: 'Section 7.2 (Baraff 1991)',
    claim: 'static friction by quadratic programs in turn, each with friction bounded by the normal forces of the one before',
    paper: 'not guaranteed to return a solution',
    found: `planar bodies at rest on ${counts.map(({ contacts, settled, problems: of, passes }) => `${contacts} ${contacts === 1 ? 'contact' : 'contacts'}: ${settled} of ${of} settle, in ${short(passes)} programs`).join('; ')}. Of the others ${several.map(({ contacts, missed, first }) => `${missed} have forces all the same on ${contacts}${first === undefined ? '' : ` (the first is number ${first + 1})`}`).join(', ')}, by Lemke’s algorithm on Coulomb’s conditions`,
    judgement: judged(one.settled === one.problems && several.some(({ missed }) => missed > 0)),
    why: 'What settles meets equations 8, 18 and 19 with |f_x| ≤ mu f_N to 1e-9. The survey has no more of the method than a sentence; the programs are Lötstedt’s. The model lotstedt takes one of them a step.',
  }
  return [program, heuristic, iteration]
}
