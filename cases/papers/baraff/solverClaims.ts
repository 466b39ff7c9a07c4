/** Results of solvers: the penalty method of optimisation, an arbitrary choice among motions, orders of pivoting, coherence from step to step. */
import type { Claim } from '../page.ts'
import { judged, range, worst } from './claims.ts'
import { fittedOrder } from './numerics.ts'
import { arbitraryChoices } from './painleve.ts'
import { constrainedMinimum, penalised, shape } from './penalty.ts'
import { coherence, contactCounts, orders, pivotGrowth, pivotsOf, problemsOf, type Run, runs, worstPivots } from './pivots.ts'
import { difference, length, short } from './scene.ts'

const runNames = Object.keys(runs) as Run[]

/** Of sections 3.2, 4 and 7.1. */
export const solverClaims = (): Claim[] => [optimisationClaim(), choiceClaim(), pivotClaim(), coherenceClaim()]

export function optimisationClaim(ks: readonly number[] = [10, 100, 1e3, 1e4]): Claim {
  const done = penalised(ks)
  const errors = done.map(({ z }) => length(difference(z, constrainedMinimum)))
  const order = (values: readonly number[]) => fittedOrder(ks.slice(1), values.slice(1))
  const forces = done.map(({ force }) => Math.abs(force / (shape / 2) - 1))
  const conditions = done.map(({ condition }) => condition)
  const of = (what: 'newton' | 'descent') => done.map((one) => one[what]).join(', ')
  // r (r² - 1) = s / (4 k) of the minimum r z*
  const closed = done.map(({ k, z }) => {
    const r = length(z) / length(constrainedMinimum)
    return Math.abs((4 * k * r * (r * r - 1)) / shape - 1)
  })
  return {
    where: 'Equations 9 and 10',
    claim:
      'least f + k g², k to infinity, tends to least f with g = 0, and is ever worse conditioned: a particle on an ellipsoid under a constant force',
    paper: 'for a series of increasing k; poorly conditioned and difficult to solve',
    found:
      `k of ${ks.map(short).join(', ')}: ${errors.map(short).join(', ')} m off, order ${short(order(errors))} in k; 2 k g is the constraint force but for ${short(forces[forces.length - 1])}; ` +
      `condition ${conditions.map(short).join(', ')}, order ${short(order(conditions))}. From the last k’s answer Newton’s method takes ${of('newton')} steps, steepest descent ${of('descent')}`,
    judgement: judged(
      Math.abs(order(errors) + 1) < 0.02 &&
        Math.abs(order(conditions) - 1) < 0.02 &&
        worst(closed) < 1e-6 &&
        done.every(({ newton }) => newton < 10),
    ),
    why: 'Closed form: the minimum is r times that of equation 9, r (r² − 1) = s / (4 k), s² = Fᵀ E⁻¹ F; the penalty force 2 k g ∇g of equation 11 is −F there. Judged by both orders to 0.02 and r to 1e-6. Ill-conditioning costs methods of first order; Newton’s pays nothing for it.',
  }
}

export function choiceClaim(count = 500): Claim {
  const sizes = [1, 2, 3, 4, 6]
  const done = sizes.map((n) => arbitraryChoices(n, count))
  const sum = (answers: 0 | 1 | 2, what: 'problems' | 'ray' | 'rayAlone' | 'several') =>
    done.reduce((total, { counts }) => total + counts[answers][what], 0)
  return {
    where: 'Section 7.1 (Baraff)',
    claim:
      'inconsistent configurations read as impulses leave an algorithm that chooses arbitrarily among several motions: Lemke’s, a ray being the impulse',
    paper: 'an arbitrary choice among several possible motion behaviors, in expected polynomial time',
    found:
      `${sizes.length * count} random bodies that slide on ${sizes.join(', ')} points, each from 20 covering vectors. Without forces: ${sum(0, 'rayAlone')} of ${sum(0, 'problems')} end on a ray from all. ` +
      `With several: of ${sum(2, 'problems')} the vector decides the motion in ${sum(2, 'several')}, in ${sum(2, 'ray')} between forces and an impulse. With one: an impulse all the same in ${sum(1, 'ray')} of ${sum(1, 'problems')}. Pivots ${done.map(({ pivots }) => short(pivots)).join(', ')}`,
    judgement: judged(sum(0, 'rayAlone') === sum(0, 'problems') && sum(2, 'several') > 0),
    why: 'The survey does not print the algorithm [3]; this is the one that fits its words. A solve tries two covering vectors more before it ends on a ray. All forces are known by trying all sets of contacts. lcp does not choose so: it counts both kinds apart and takes an impulse.',
  }
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
