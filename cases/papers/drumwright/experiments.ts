import { mean, median } from '../../../compare/measure/statistics.ts'
import { fittedOrder } from '../baraff/numerics.ts'
import { slideOn } from '../baraff/particle.ts'
import { type Claim, type Curve, type Figure, type Judgement, judged } from '../page.ts'
import {
  type BlockRun,
  fadedDepth,
  fadingPushes,
  fadingRate,
  freeSteps,
  type Method,
  type Penalty,
  penetratingBlock,
  perturbedBlock,
  pushedSteps,
  startDepth,
  staticDepth,
} from './block.ts'
import { complexityClaims } from './complexity.ts'
import { quiet, scanClaims, scanGains, sensitivityClaims } from './gains.ts'
import { joules, metres, shortly, significant } from './numbers.ts'
import { cube, lambda, meanPenetration, statedGains, timeStep } from './paper.ts'
import { pile, pileClaim } from './pile.ts'
import { grazeClaim, plankClaim } from './points.ts'
import { relatedClaims } from './related.ts'
import { robotClaims, robotFigure, studyRobots } from './robots.ts'
import { stackClaims, stackFigure, studyStacks } from './stacks.ts'

export interface ReproductionOptions {
  /** Each block experiment is repeated for seeds 1 to this, and the scan of gains for seeds 1 to `scanSeeds`. */
  readonly seeds: number
  readonly scanSeeds: number
  /** Bodies in the pile, and how long it settles and is then watched [s]. */
  readonly bodies: number
  readonly settle: number
  readonly watch: number
  /** Boxes in the highest stack. */
  readonly boxes?: number
  readonly progress?: (what: string, fraction: number) => void
}

const penetratingSteps = 3000
const lastOfFree = 100
/** When the penetrating block still stands on one corner, and when figure 7 shows it. */
const standingSteps = 300
const shownSteps = 1000
/** How far figure 7 may be from the linear law: the corner's own tilting, which the law leaves out. */
const depthTolerance = 0.05
/** How far the pushed block may be from the linear law: it lifts a corner now and then, one point rocks. */
const pushedDepthTolerance = 0.2
/** After which the penetrating block is compared with its static balance [s]. */
const balanceTime = 10

const masses = [cube.mass, cube.massOfRule] as const

/** All of section IV, seeded; the same options give the same numbers, but for computing times. */
export function reproduceDrumwright(options: ReproductionOptions) {
  const { seeds, scanSeeds, bodies, settle, watch, boxes = 20, progress } = options
  const say = (what: string, fraction: number) => progress?.(what, fraction)
  const runs = <M extends Method>(what: string, methods: readonly M[], of: (method: M, seed: number, mass: number) => BlockRun) =>
    Array.from({ length: seeds }, (_, k) => k + 1).flatMap((seed) => {
      say(what, (seed - 1) / seeds)
      return masses.flatMap((mass) => methods.map((method) => of(method, seed, mass)))
    })

  const penetrating = runs('block penetrating a plane', ['penalty', 'penalty-deepest', 'steiner'], (method, seed, mass) =>
    penetratingBlock(method, seed, penetratingSteps, mass),
  )
  const perturbed = runs('block under random forces', ['penalty', 'penalty-deepest', 'lcp'], perturbedBlock)
  const scans = masses.map((mass) => scanGains(mass, scanSeeds, (f) => say(`gains of the deepest point, ${mass} kg`, f)))
  const stacks = studyStacks(boxes, (f) => say(`stacks of up to ${boxes} boxes`, f))
  const piled = { seed: 1, dt: 2e-3, progress: (f: number) => say(`pile of ${bodies} bodies`, f) }
  // by stated gains, and the paper's rule
  const piles = [
    pile({ ...piled, gains: 'stated', bodies, settle, watch }),
    // the rule's effect shows in few bodies and soon
    pile({ ...piled, gains: 'rule', bodies: Math.min(bodies, 30), settle: Math.min(settle, 5), watch: Math.min(watch, 1) }),
  ]
  const robots = studyRobots((f) => say('robots for 2,500 steps', f))

  return {
    claims: [
      ...masses.flatMap((mass) => penetratingClaims(penetrating, mass)),
      balanceClaim(),
      ...sensitivityClaims(),
      ...scans.flatMap((scan) => scanClaims(scan, penetrating, scanSeeds)),
      ...masses.flatMap((mass) => perturbedClaims(perturbed, mass)),
      ...stagesClaims(),
      plankClaim(),
      grazeClaim(),
      ...stackClaims(stacks),
      ...piles.map(pileClaim),
      ...robotClaims(robots),
      ...relatedClaims(),
      ...complexityClaims(), // last: what it counts by slows the selection down for what comes after it
    ],
    figures: [
      forgettingFigure(),
      ...blockFigures('8', '9', 'penetrating the plane', penetrating),
      ...blockFigures('10', '11', 'under random forces', perturbed),
      stackFigure(stacks),
      robotFigure(robots),
    ],
    blocks: [
      ...penetrating.map((block) => summaryOf('penetrating', block)),
      ...perturbed.map((block) => summaryOf('perturbed', block)),
    ],
    scans,
    stacks,
    piles,
    robots,
  }
}

export type Reproduction = ReturnType<typeof reproduceDrumwright>

/** `medianKinetic` over the last 1,000 steps of the penetrating block, and the last 100 of each free interval of the perturbed one [J]; depths [m]. */
function summaryOf(experiment: 'penetrating' | 'perturbed', { kinetic, depth, ...of }: BlockRun) {
  const watched = experiment === 'penetrating' ? kinetic.slice(-1000) : endsOfFreeIntervals(kinetic)
  return { experiment, ...of, medianKinetic: median(watched), meanDepth: mean(depth), lastDepth: depth[depth.length - 1] }
}

const endsOfFreeIntervals = (kinetic: Float64Array) =>
  kinetic.filter((_, k) => k % (pushedSteps + freeSteps) >= pushedSteps + freeSteps - lastOfFree)

/** Of runs of each seed by two methods: reproduced if each ratio is below `most`, in order if each is below 1. */
export function ratioJudgement(ratios: readonly number[], most: number): Judgement {
  if (ratios.every((ratio) => ratio < most)) return 'reproduced'
  return ratios.every((ratio) => ratio < 1) ? 'order reproduced' : 'not reproduced'
}

const ratiosOf = (above: readonly number[], below: readonly number[]) => above.map((value, k) => value / below[k])
const spread = (values: readonly number[]) => [Math.min(...values), Math.max(...values)].map(shortly).join(' to ')

function penetratingClaims(runs: readonly BlockRun[], mass: number): Claim[] {
  const [several, deepest, steiner] = (['penalty', 'penalty-deepest', 'steiner'] as const).map((method) =>
    runs.filter((run) => run.method === method && run.mass === mass),
  )
  const [multi, one, divided] = [several, deepest, steiner].map((list) => list.map(quiet))
  const energies = (list: typeof multi) => list.map(({ energy }) => energy)
  const depths = (list: typeof multi) => median(list.map(({ depth }) => depth))
  const [ratios, literal] = [ratiosOf(energies(multi), energies(one)), ratiosOf(energies(divided), energies(one))]
  const counted = (list: readonly number[]) => `${list.filter((ratio) => ratio < 0.1).length} of ${list.length}`
  const law = (steps: number) => fadedDepth('penalty', mass, steps * timeStep) / startDepth
  const left = (steps: number) => several.map(({ depth }) => depth[steps - 1] / startDepth)
  const [standing, shown] = [left(standingSteps), left(shownSteps)]
  const fades = agrees(median(standing), law(standingSteps), depthTolerance)
  const isCorrected = Math.max(...shown) <= law(shownSteps) * (1 + depthTolerance)
  const [ours, theirs] = [staticDepth('penalty', mass), staticDepth('penalty-deepest', mass)]
  const follow = ours > theirs ? 'cannot follow' : 'not reproduced'
  return [
    {
      where: 'Figure 7',
      claim: `depth after 300 and after 1,000 steps over depth at the start, ${mass} kg`,
      paper: 'corrected slowly',
      found: `${significant(median(standing))}, median over ${standing.length} seeds (${spread(standing)}); then ${significant(Math.max(...shown))} at most`,
      judgement: judged(fades && isCorrected),
      why:
        `The slow pole is (kp + ki / (1 - lambda)) / kv = ${significant(fadingRate('penalty'))} per second, whatever the mass: on top of the static depth it leaves ` +
        `${significant(law(standingSteps))} and ${significant(law(shownSteps))}. Judged by ${significant(100 * depthTolerance)} % at 300 steps, in the median, on one corner still, and by being no deeper at 1,000 for any seed: a block that has toppled onto a face is less deep.`,
    },
    {
      where: 'Figure 8',
      claim: `kinetic energy of the block of ${mass} kg, median over its last 1,000 of 3,000 steps, several points over the deepest`,
      paper: 'several points lower, on a logarithmic axis',
      found: `${spread(ratios)}, below a tenth in ${counted(ratios)} seeds; with Steiner points ${spread(literal)}, in ${counted(literal)}`,
      judgement: ratioJudgement([...ratios, ...literal], 0.1),
      why: `Judged by a tenth for every seed, with the points that we have and with the Steiner points of the appendix, among which the spring is shared near the lowest corner, so that the block lies down later. One point cannot hold a flat face; several still sink at the slow pole: ${joules(median(energies(multi)))} against ${joules(median(energies(one)))}.`,
    },
    {
      where: 'Figure 9',
      claim: `mean depth of the block of ${mass} kg over its last 1,000 steps, several points and the deepest`,
      paper: 'the deepest point does not meet several points',
      found: `${metres(depths(multi))} and ${metres(depths(one))}, medians over ${ratios.length} seeds`,
      judgement:
        depths(multi) < depths(one) ? 'reproduced' : agrees(depths(multi), ours, depthTolerance) ? follow : 'not reproduced',
      why: `The stated gains ask for ${metres(ours)} and ${metres(theirs)} at rest: the deepest point has the larger ones.`,
    },
  ]
}

function balanceClaim(): Claim {
  // the deepest point never settles, so that only several points have a balance to be compared with
  const { depth } = penetratingBlock('penalty', 1, Math.round(balanceTime / timeStep))
  const expected = staticDepth('penalty', cube.mass)
  const found = depth[depth.length - 1]
  const miss = Math.abs(found / expected - 1)
  return {
    where: 'Equation 3',
    claim: 'depth after 10 s, penalty',
    paper: `W / (kp + ki / (1 - lambda)) = ${metres(expected)}`,
    found: `${metres(found)}, ${significant(100 * miss)} % off`,
    judgement: judged(miss < 0.01),
    why: 'The leaking integral stiffens the spring by ki / (1 - lambda) and leaves a depth for ever.',
  }
}

/** Section IV-B: Runge-Kutta under the LCP, on a path that is known. */
export function stagesClaims(steps = [0.04, 0.02, 0.01]): Claim[] {
  const orderOf = (integrator: 'rk4' | undefined, drift: string) =>
    fittedOrder(
      steps,
      steps.map((dt) => slideOn('lcp', dt, integrator, { drift, compliance: 1e-9 })),
    )
  const [rk4, euler, deepest] = [orderOf('rk4', 'none'), orderOf(undefined, 'none'), orderOf('rk4', 'deepest-point')]
  const of = (spring: string, found: number, why: string): Claim => ({
    where: 'Section IV-B',
    claim: `order in the step of a slide on a sphere under the LCP${spring}, fourth-order Runge-Kutta`,
    paper: '4, by its name',
    found: `${significant(found)}; by the semi-implicit step ${significant(euler)}`,
    judgement: judged(Math.abs(found - 4) < 0.1),
    why,
  })
  return [
    of('', rk4, 'Forces are solved for at each stage, impacts come before the step.'),
    of(
      ' with the deepest point’s spring against drift, as in the paper',
      deepest,
      'That spring is there on one side of the surface alone, and has a kink where the path runs.',
    ),
  ]
}

const agrees = (found: number, expected: number, tolerance: number) => Math.abs(found / expected - 1) <= tolerance

/** Where ours is not the paper's: whether that is the paper's doing, whose own gains ask for ours, is a matter of figures. */
export function besideAlgebra(paper: number, ours: number, algebra: number): Judgement {
  if (agrees(ours, paper, pushedDepthTolerance)) return 'reproduced'
  return agrees(ours, algebra, pushedDepthTolerance) && !agrees(paper, algebra, pushedDepthTolerance)
    ? 'cannot follow'
    : 'not reproduced'
}

/** Figure 10: ratios of the several points' energy to that of another method, one a seed, each to be within `low` and `high`. */
export const energyJudgement = (ratios: readonly number[], [low, high]: readonly [number, number]): Judgement =>
  judged(ratios.every((ratio) => ratio >= low && ratio <= high))

/** The LCP is to hold the surface at least as well as the paper's does, and far better than penalties. */
export function lcpJudgement(depth: number, penalties: number): Judgement {
  if (depth <= meanPenetration.lcp && depth < 0.1 * penalties) return 'reproduced'
  return depth < 0.1 * penalties ? 'order reproduced' : 'not reproduced'
}

function perturbedClaims(all: readonly BlockRun[], mass: number): Claim[] {
  const runs = all.filter((run) => run.mass === mass)
  const of = (method: Method) => runs.filter((r) => r.method === method)
  const energiesOf = (list: readonly Pick<BlockRun, 'kinetic'>[]) =>
    list.map(({ kinetic }) => median(endsOfFreeIntervals(kinetic)))
  const depths = (method: Method) => of(method).map(({ depth }) => mean(depth))
  const [multi, deepest, lcp] = [energiesOf(of('penalty')), energiesOf(of('penalty-deepest')), energiesOf(of('lcp'))]
  const { kp, ki } = statedGains.penalty
  const depthOfMulti = staticDepth('penalty', mass)
  const needed = (mass * cube.gravity) / meanPenetration.penalty
  const [m, d, l] = [mean(depths('penalty')), mean(depths('penalty-deepest')), mean(depths('lcp'))]
  const fading = (method: Penalty) => of('penalty').map(({ seed }) => fadingPushes(method, seed, mass))
  const alone = energiesOf(fading('penalty'))
  const [fadingDepth, fadingDeepest] = [fading('penalty'), fading('penalty-deepest')].map((runs) =>
    mean(runs.map(({ depth }) => mean(depth))),
  )
  const beside = (other: readonly number[], range: readonly [number, number], paper: string, name: string): Claim => ({
    where: 'Figure 10',
    claim: `kinetic energy at the end of the free intervals, several points over ${name}, ${mass} kg`,
    paper,
    found: `${spread(ratiosOf(multi, other))} over ${multi.length} seeds, medians ${joules(median(multi))} and ${joules(median(other))}`,
    judgement: energyJudgement(ratiosOf(multi, other), range),
    why: `Several points sink back at the slow pole, and the 500 free steps last about its time constant: by the stated gains that motion alone leaves ${joules(median(alone))}, ${spread(ratiosOf(alone, other))} of what the other leaves here. Judged by ratios of ${range.join(' to ')} for every seed.`,
  })
  return [
    beside(deepest, [0, 0.01], 'several orders of magnitude lower', 'the deepest'),
    beside(lcp, [0.1, 10], 'similar', 'the LCP'),
    {
      where: 'Figure 11',
      claim: `mean penetration of several points, ${mass} kg`,
      paper: metres(meanPenetration.penalty),
      found: metres(m),
      judgement: besideAlgebra(meanPenetration.penalty, m, fadingDepth),
      why:
        `The gains alone make ${metres(fadingDepth)} of these forces. At rest already d = W / (kp + ki / (1 - lambda)) = ${metres(depthOfMulti)} with kp = ${kp}, ki = ${ki}, lambda = ${lambda}; ` +
        `${metres(meanPenetration.penalty)} needs ${significant(needed)} N/m in all, that is lambda = ${significant(1 - ki / (needed - kp), 4)} or a mass of ${significant(mass * (meanPenetration.penalty / depthOfMulti))} kg.`,
    },
    {
      where: 'Figure 11',
      claim: `mean penetration of the deepest point, ${mass} kg`,
      paper: metres(meanPenetration['penalty-deepest']),
      found: metres(d),
      judgement: judged(agrees(d, meanPenetration['penalty-deepest'], pushedDepthTolerance)),
      why: `The gains alone make ${metres(fadingDeepest)} of these forces, and at rest d = ${metres(staticDepth('penalty-deepest', mass))}: its gains are larger, so it lies higher than several points do, unless it rocks, by more than here.`,
    },
    {
      where: 'Figure 11',
      claim: `mean penetration with the LCP, ${mass} kg`,
      paper: metres(meanPenetration.lcp),
      found: metres(l),
      judgement: lcpJudgement(l, Math.min(m, d)),
      why:
        'Constraints hold the surface, and the deepest point’s spring and damper, added to the forces that were solved for, take away what drifts: judged ' +
        'by being no deeper than the paper’s, and a tenth at most of either penalty method.',
    },
  ]
}

/** Figure 6: sum of the integral under a constant depth, I = d (1 - lambda^t) / (1 - lambda). */
function forgettingFigure(): Figure {
  const x = Array.from({ length: 41 }, (_, t) => t)
  const curves = [0.02, 0.05, 0.1, 0.2].map((depth): Curve => {
    let sum = 0
    return { name: `d = ${depth} m`, x, y: x.map((t) => (sum = t === 0 ? 0 : lambda * sum + depth)) }
  })
  const title = `Figure 6: the integral term under a constant depth, lambda = ${lambda}`
  return { id: '6', title, x: 'steps', y: 'I [m]', logarithmic: false, curves }
}

function blockFigures(kinetic: string, depth: string, what: string, all: readonly BlockRun[]): Figure[] {
  const runs = all.filter(({ seed, mass }) => seed === 1 && mass === cube.mass)
  const figure = (id: string, of: 'kinetic' | 'depth', quantity: string, unit: string): Figure => ({
    id,
    title: `Figure ${id}: ${quantity} of a block ${what}`,
    x: 'time [s]',
    y: `${quantity} [${unit}]`,
    logarithmic: id !== '9',
    curves: runs.map((r) => ({ name: r.method, ...thinned(r[of]) })),
  })
  return [figure(kinetic, 'kinetic', 'kinetic energy', 'J'), figure(depth, 'depth', 'penetration', 'm')]
}

const curvePoints = 600

/** Every n-th value; of oscillations the largest in between, so that no peak is lost. */
function thinned(values: Float64Array): { x: number[]; y: number[] } {
  const every = Math.max(1, Math.ceil(values.length / curvePoints))
  const at = Array.from({ length: Math.ceil(values.length / every) }, (_, k) => k * every)
  return { x: at.map((k) => (k + 1) * timeStep), y: at.map((k) => Math.max(0, ...values.subarray(k, k + every))) }
}
