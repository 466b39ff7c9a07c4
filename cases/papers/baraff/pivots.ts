/** Pivots of the frictionless problem: as contacts grow (Drumwright's II-B), at worst, and from the answer of the step before (3.2, 4 and 5 of the survey). */

import { ContactSystem } from '../../../compare/answers/contactSystem.ts'
import { mean } from '../../../compare/measure/statistics.ts'
import { Random } from '../../../compare/scenario/world/random.ts'
import { type ContactProblem, complementaritySolvers, contactSolvers, UNKNOWN_MODE } from '../../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../../control/index.ts'
import { dot, limitWork, workSpent } from '../../../dynamics/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import type { Robot } from '../../../robots/index.ts'
import { World } from '../../../simulation/index.ts'
import { type Claim, judged } from '../page.ts'
import { randomProblem } from './frictionless.ts'
import { fittedOrder } from './numerics.ts'
import { boxOf, difference, range, short, worst } from './scene.ts'

export const orders = ['murty', 'lemke', 'dantzig'] as const
type Order = (typeof orders)[number]

/** An LCP: n x n, n. */
interface Lcp {
  readonly A: Float64Array
  readonly b: Float64Array
}

/** By each order of pivoting from nothing: pivots, whether it solved, and accelerations A f + b. */
function solveBy(order: Order, { A, b }: Lcp, start = new Float64Array(b.length)) {
  const solver = complementaritySolvers[order]()
  const solved = solver.solve(b.length, A, b, new Uint8Array(b.length), start) === 'solved'
  return { solved, pivots: solver.iterations, f: solver.z.slice(0, b.length), a: solver.w.slice(0, b.length) }
}

/**
 * The symmetric positive definite problems whose pivots grow as 2ⁿ: A = L Lᵀ, b = -1, L triangular of ones on and twos beside the diagonal: upper
 * for Murty's order, which takes 2ⁿ - 1 (Murty 1978), lower for Lemke's 2ⁿ (Fathi 1979).
 */
export function worstPivots(order: 'murty' | 'lemke', n: number): number {
  const beside = (i: number, j: number) => (order === 'murty' ? j > i : j < i)
  const L = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? 1 : beside(i, j) ? 2 : 0)))
  const A = Float64Array.from(L.flatMap((row) => L.map((other) => dot(row, other))))
  return solveBy(order, { A, b: new Float64Array(n).fill(-1) }).pivots
}

const boxAt = (name: string, ...position: [number, number, number]) => boxOf(name, [0.3, 0.3, 0.2], 2, position)
const driven = (robot: Robot) => ({ robot, controller: createControllerLoop(defaultControllerFor(robot), robot) })

/** Scenes of which each step leaves a problem: boxes that stand, robots that drive, one of them with arms, and a box that tumbles. */
export const runs = {
  'stack of 5 boxes': () => ({
    robots: Array.from({ length: 5 }, (_, k) => ({ robot: boxAt(`box${k}`, 0.02 * (k % 2), 0, 0.1 + 0.2 * k) })),
  }),
  diffdrive: () => driven(loadOwnRobot('diffdrive')),
  humanoid: () => driven(loadOwnRobot('humanoid')),
  'box that tumbles': () => ({ robot: boxAt('box', 0, 0, 0.12), v: [3, 5, 1, 1, 0, 0] }),
}
export type Run = keyof typeof runs
const runNames = Object.keys(runs) as Run[]

/** The problems of the steps of a run, with friction and without, of contacts and joint stops; W and rhs. */
export function problemsOf(run: Run, steps: number): { rubbing: ContactProblem; smooth: Lcp }[] {
  const world = new World({ ...runs[run](), contactModel: 'lcp', dt: 1e-3 })
  return Array.from({ length: steps }, () => {
    world.step()
    const saved = world.contactModel.problem?.()
    if (saved === undefined) return []
    const stops = { ...saved, rows: (saved.rows ?? []).filter(({ kind }) => kind === 'unilateral') }
    const { W, rhs } = new ContactSystem({ ...stops, mu: saved.mu.map(() => 0) }).problem
    return [{ rubbing: new ContactSystem(stops).problem, smooth: { A: W, b: rhs } }]
  }).flat()
}

/** Per order: pivots, mean and most; how many it failed; and how far accelerations are from Dantzig's, over the largest of b. */
export function pivotsOf(problems: readonly Lcp[]) {
  const truth = problems.map((problem) => solveBy('dantzig', problem).a)
  return orders.map((order) => {
    const done = problems
      .map((problem) => solveBy(order, problem))
      .map((one, k) => ({ ...one, off: apart(one.a, truth[k], problems[k].b) }))
    const [pivots, solved] = [done.map((one) => one.pivots), done.filter((one) => one.solved)]
    return {
      order,
      mean: mean(pivots),
      most: Math.max(...pivots),
      failed: done.length - solved.length,
      apart: Math.max(...solved.map(({ off }) => off)),
    }
  })
}

const largest = (x: ArrayLike<number>) => Math.max(...Array.from(x, Math.abs))
const apart = (a: Float64Array, truth: Float64Array, b: Float64Array) => largest(difference(a, truth)) / largest(b)

export const contactCounts = [4, 8, 16, 32]

/** Random bodies, half as many as contacts, on the ground and on each other; and the exponent of the mean of the pivots in the contacts. */
export function pivotGrowth(count: number) {
  const rows = contactCounts.map((n) => {
    const random = new Random(13, n)
    return pivotsOf(
      Array.from({ length: count }, () => {
        const { A, b } = randomProblem(random, n, n / 2)
        return { A: Float64Array.from(A.flat()), b: Float64Array.from(b) }
      }),
    )
  })
  const exponents = orders.map((_, k) => fittedOrder(contactCounts, rows.map((row) => row[k].mean))) // biome-ignore format: one line
  return { rows, exponents }
}

export const methods = [...orders, 'newton', 'baraff'] as const

/** Iterations and multiply-adds of a step, by each method: from nothing, and from the answer of the step before where that had as many rows. */
export function coherence(run: Run, steps: number) {
  const problems = problemsOf(run, steps)
  const cost = (method: (typeof methods)[number], warm: boolean) => {
    const contact = method === 'newton' || method === 'baraff' ? contactSolvers[method]('cone', 4) : undefined
    let [last, modes] = [new Float64Array(0), new Int8Array(0)]
    let [iterations, work, unsolved] = [0, 0, 0]
    for (const { rubbing, smooth } of problems) {
      const n = contact === undefined ? smooth.b.length : rubbing.rowCount
      if (!warm || last.length !== n || modes.length !== rubbing.groupCount) {
        last = new Float64Array(n)
        modes = new Int8Array(rubbing.groupCount).fill(UNKNOWN_MODE)
      }
      limitWork(Float64Array.of(Infinity))
      const one = contact === undefined ? solveBy(method as Order, smooth, last) : undefined
      const solved = one?.solved ?? contact?.solve(rubbing, last, modes) === 'solved'
      last = one?.f ?? last
      iterations += one?.pivots ?? contact?.iterations ?? 0
      unsolved += solved ? 0 : 1
      work += workSpent()
    }
    return { iterations: iterations / problems.length, work: work / problems.length, unsolved }
  }
  return { run, rows: methods.map((method) => ({ method, cold: cost(method, false), warm: cost(method, true) })) }
}

export function pivotClaim(count = 310, steps = 200): Claim {
  const { rows, exponents } = pivotGrowth(count)
  const saved = pivotsOf(runNames.flatMap((run) => problemsOf(run, steps).map(({ smooth }) => smooth)))
  const all = [...rows.flat(), ...saved]
  const worstOf = (order: 'murty' | 'lemke', sizes: readonly number[]) => sizes.map((n) => worstPivots(order, n))
  const [murty, lemke] = [worstOf('murty', [2, 4, 6, 8]), worstOf('lemke', [2, 4, 6])]
  const mean = (k: number) => rows.map((row) => short(row[k].mean)).join(', ')
  return {
    where: 'Section 4.1.2, and Drumwright’s II-B',
    claim: 'pivots from nothing by three orders: Murty’s least index, Lemke’s, Dantzig’s in Baraff’s form',
    paper: 'worst-case exponential time but expected polynomial time in the number of contact points',
    found:
      `on ${contactCounts.join(', ')} contacts of half as many random bodies, ${count} each: ${orders.map((order, k) => `${order} ${mean(k)} pivots, as n^${short(exponents[k])}`).join('; ')}. ` +
      `${runNames.length} runs of ${steps} steps: ${saved.map(({ order, mean: m, most }) => `${order} ${short(m)}, ${most} at most`).join('; ')}. ` +
      `${all.reduce((sum, { failed }) => sum + failed, 0)} failures, accelerations within ${short(worst(all.map(({ apart }) => apart)))}. At worst, on 2, 4, 6, 8: murty ${murty.join(', ')}; on 2, 4, 6: lemke ${lemke.join(', ')}`,
    judgement: judged(
      worst(exponents) < 1.2 &&
        all.every(({ failed, apart }) => failed === 0 && apart < 1e-9) &&
        murty.every((x, k) => x === 4 ** (k + 1) - 1) &&
        lemke.every((x, k) => x === 4 ** (k + 1)),
    ),
    why: 'Judged by exponents below 1.2, no failure, and 2ⁿ − 1 and 2ⁿ at worst: L Lᵀ with a triangular L of ones and twos, symmetric and positive definite, unlike any stack. A pivot is n² multiply-adds.',
  }
}

export function coherenceClaim(steps = 200, names: readonly Run[] = runNames): Claim {
  const done = names.map((run) => coherence(run, steps))
  const shares = done.flatMap(({ rows }) => rows.map(({ cold, warm }) => warm.work / cold.work))
  const sum = (what: 'cold' | 'warm') =>
    done.reduce((total, { rows }) => total + rows.reduce((n, row) => n + row[what].unsolved, 0), 0)
  return {
    where: 'Section 3.2, of forces',
    claim:
      'what the last step found as the start of the next, as 3.2 has it of detection: iterations of a step without and with it',
    paper: 'efficiently reuse previously computed information',
    found: `${done.map(({ run, rows }) => `${run}: ${rows.map(({ method, cold, warm }) => `${method} ${short(cold.iterations)} and ${short(warm.iterations)}`).join(', ')}`).join('; ')}. Multiply-adds fall to ${range(shares)} of those from nothing; unsolved ${sum('cold')} and ${sum('warm')}`,
    judgement: judged(worst(shares) <= 1 && Math.min(...shares) < 0.5 && sum('warm') === 0),
    why: `${steps} steps a run; murty, lemke and dantzig without friction, newton and baraff with it. Dantzig’s count has the contacts that it starts with. A start that is the answer costs its check: one system of equations. Judged by no more work anywhere, less than half somewhere, and all solved.`,
  }
}
