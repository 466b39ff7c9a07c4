import { mean, median } from '../../../compare/measure/statistics.ts'
import type { Claim, Curve, Figure, Judgement } from '../page.ts'
import {
  type BlockRun,
  fadedDepth,
  fadingPushes,
  fadingRate,
  freeSteps,
  type Method,
  penetratingBlock,
  perturbedBlock,
  pushedSteps,
  pushes,
  startDepth,
  staticDepth,
} from './block.ts'
import { complexityClaims } from './complexity.ts'
import { joules, metres, significant } from './numbers.ts'
import { cube, lambda, meanPenetration, robotIterations, robotTimes, statedGains, timeStep } from './paper.ts'
import { type PileRun, pile, pileClaim } from './pile.ts'
import { relatedClaims } from './related.ts'
import { mostPointsPerWheel, type RobotMethod, type RobotRun, robotFigure, robotNames, studyRobots } from './robots.ts'
import { type StackStudy, stackClaims, stackFigure, studyStacks } from './stacks.ts'

export interface ReproductionOptions {
  /** Each block experiment is repeated for seeds 1 to this. */
  readonly seeds: number
  /** Bodies in the pile, and how long it settles and is then watched [s]. */
  readonly bodies: number
  readonly settle: number
  readonly watch: number
  /** Boxes in the highest stack. */
  readonly boxes?: number
  readonly progress?: (what: string, fraction: number) => void
}

export interface Reproduction {
  readonly claims: readonly Claim[]
  readonly figures: readonly Figure[]
  readonly blocks: readonly BlockSummary[]
  readonly stacks: StackStudy
  /** By stated gains, and the paper's rule. */
  readonly piles: readonly PileRun[]
  readonly robots: readonly RobotRun[]
}

export interface BlockSummary {
  readonly experiment: 'penetrating' | 'perturbed'
  readonly method: Method
  readonly mass: number
  readonly seed: number
  /** Of the penetrating block over its last 1,000 steps; of the perturbed one over the last 100 steps of each free interval [J]. */
  readonly medianKinetic: number
  /** Over all steps [m]. */
  readonly meanDepth: number
  readonly lastDepth: number
  readonly hash: string
}

const penetratingSteps = 3000
const lastSteps = 1000
const lastOfFree = 100
/** When the penetrating block still stands on one corner, and when figure 7 shows it. */
const standingSteps = 300
const shownSteps = 1000
/** How far figure 7 may be from the linear law: the corner's own tilting, which the law leaves out. */
const depthTolerance = 0.05
/** How far the pushed block may be from the linear law: it lifts a corner now and then, one point rocks. */
const pushedDepthTolerance = 0.2
const pushedEnergyFactor = 2
/** After which the penetrating block is compared with its static balance [s]. */
const balanceTime = 10

/** All of section IV, seeded; the same options give the same numbers, but for computing times. */
export function reproduceDrumwright({ seeds, bodies, settle, watch, boxes = 20, progress }: ReproductionOptions): Reproduction {
  const say = (what: string, fraction: number) => progress?.(what, fraction)
  const seedList = Array.from({ length: seeds }, (_, k) => k + 1)
  const penalties = ['penalty', 'penalty-deepest'] as const

  const penetrating: BlockRun[] = []
  const perturbed: BlockRun[] = []
  for (const seed of seedList) {
    say('block penetrating a plane', (seed - 1) / seeds)
    for (const method of penalties) penetrating.push(penetratingBlock(method, seed, penetratingSteps))
  }
  for (const method of penalties) penetrating.push(penetratingBlock(method, 1, penetratingSteps, cube.massOfRule))
  say('block left alone for ten seconds', 0)
  // the deepest point never settles, so that only several points have a balance to be compared with
  const balanced = [penetratingBlock('penalty', 1, Math.round(balanceTime / timeStep))]
  for (const seed of seedList) {
    say('block under random forces', (seed - 1) / seeds)
    for (const method of [...penalties, 'lcp'] as const) perturbed.push(perturbedBlock(method, seed))
  }
  const stacks = studyStacks(boxes, (f) => say(`stacks of up to ${boxes} boxes`, f))
  const piled = { seed: 1, dt: 2e-3, progress: (f: number) => say(`pile of ${bodies} bodies`, f) }
  const piles = [
    pile({ ...piled, gains: 'stated', bodies, settle, watch }),
    // the rule's effect shows in few bodies and soon
    pile({ ...piled, gains: 'rule', bodies: Math.min(bodies, 30), settle: Math.min(settle, 5), watch: Math.min(watch, 1) }),
  ]
  const robots = studyRobots((f) => say('robots for 2,500 steps', f))

  return {
    claims: [
      ...penetratingClaims(penetrating, balanced),
      ...perturbedClaims(perturbed),
      ...stackClaims(stacks),
      ...piles.map(pileClaim),
      ...robotClaims(robots),
      ...relatedClaims(),
      ...complexityClaims(), // last: what it counts by slows the selection down for what comes after it
    ],
    figures: [
      forgettingFigure(),
      ...blockFigures(
        '8',
        '9',
        'penetrating the plane',
        penetrating.filter(({ seed, mass }) => seed === 1 && mass === cube.mass),
      ),
      ...blockFigures(
        '10',
        '11',
        'under random forces',
        perturbed.filter(({ seed }) => seed === 1),
      ),
      stackFigure(stacks),
      robotFigure(robots),
    ],
    blocks: [
      ...penetrating.map((block) => summaryOf('penetrating', block)),
      ...perturbed.map((block) => summaryOf('perturbed', block)),
    ],
    stacks,
    piles,
    robots,
  }
}

function summaryOf(experiment: BlockSummary['experiment'], block: BlockRun): BlockSummary {
  const { method, mass, seed, kinetic, depth, hash } = block
  const watched = experiment === 'penetrating' ? kinetic.slice(-lastSteps) : endsOfFreeIntervals(kinetic)
  return {
    experiment,
    method,
    mass,
    seed,
    medianKinetic: median(watched),
    meanDepth: mean(depth),
    lastDepth: depth[depth.length - 1],
    hash,
  }
}

function endsOfFreeIntervals(kinetic: Float64Array): Float64Array {
  const out = new Float64Array(pushes * lastOfFree)
  for (let k = 0; k < pushes; k++) {
    const end = (k + 1) * (pushedSteps + freeSteps)
    out.set(kinetic.subarray(end - lastOfFree, end), k * lastOfFree)
  }
  return out
}

function penetratingClaims(runs: readonly BlockRun[], balanced: readonly BlockRun[]): Claim[] {
  const light = runs.filter(({ mass }) => mass === cube.mass)
  const quiet = (method: Method) => light.filter((r) => r.method === method).map((r) => median(r.kinetic.slice(-lastSteps)))
  const [multi, deepest] = [quiet('penalty'), quiet('penalty-deepest')]
  const ratios = multi.map((energy, k) => energy / deepest[k])
  const below = ratios.filter((ratio) => ratio < 0.1).length
  const kinetic: Claim = {
    where: 'Figure 8',
    claim: 'kinetic energy of the block, median over its last 1,000 of 3,000 steps',
    paper: 'several points orders of magnitude below the deepest point',
    found: `${joules(median(multi))} against ${joules(median(deepest))}, medians over ${multi.length} seeds; below a tenth in ${below} of ${multi.length}`,
    judgement: below === multi.length ? 'reproduced' : below > multi.length / 2 ? 'order reproduced' : 'not reproduced',
    why: 'One point cannot hold a flat face: the deepest corner changes from step to step.',
  }
  const several = light.filter(({ method }) => method === 'penalty')
  const left = (steps: number) => several.map(({ depth }) => depth[steps - 1] / startDepth)
  const law = (steps: number) => fadedDepth('penalty', cube.mass, steps * timeStep) / startDepth
  const [standing, shown] = [left(standingSteps), left(shownSteps)]
  const fades = agrees(median(standing), law(standingSteps), depthTolerance)
  const isCorrected = Math.max(...shown) <= law(shownSteps) * (1 + depthTolerance)
  const rise: Claim = {
    where: 'Figure 7',
    claim: 'depth after 300 and after 1,000 steps over depth at the start',
    paper: 'corrected slowly',
    found: `${significant(median(standing))}, median over ${standing.length} seeds; then ${significant(Math.max(...shown))} at most`,
    judgement: fades && isCorrected ? 'reproduced' : 'not reproduced',
    why:
      `The slow pole is (kp + ki / (1 - lambda)) / kv = ${significant(fadingRate('penalty'))} per second, whatever the mass: on top of the static depth it leaves ` +
      `${significant(law(standingSteps))} and ${significant(law(shownSteps))}. Judged by ${significant(100 * depthTolerance)} % at 300 steps, on one corner still, and by being no deeper at 1,000: a block that has toppled onto a face is less deep.`,
  }
  const balance = balanced.map(({ method, depth }): Claim => {
    const expected = staticDepth(method as 'penalty' | 'penalty-deepest', cube.mass)
    const found = depth[depth.length - 1]
    const miss = Math.abs(found / expected - 1)
    return {
      where: 'Equation 3',
      claim: `depth after 10 s, ${method}`,
      paper: `W / (kp + ki / (1 - lambda)) = ${metres(expected)}`,
      found: `${metres(found)}, ${significant(100 * miss)} % off`,
      judgement: miss < 0.01 ? 'reproduced' : 'not reproduced',
      why: 'The leaking integral stiffens the spring by ki / (1 - lambda) and leaves a depth for ever.',
    }
  })
  return [rise, kinetic, ...balance]
}

const agrees = (found: number, expected: number, tolerance: number) => Math.abs(found / expected - 1) <= tolerance

/** Where ours is not the paper's: whether that is the paper's doing, whose own gains ask for ours, is a matter of figures. */
export function besideAlgebra(paper: number, ours: number, algebra: number): Judgement {
  if (agrees(ours, paper, pushedDepthTolerance)) return 'reproduced'
  return agrees(ours, algebra, pushedDepthTolerance) && !agrees(paper, algebra, pushedDepthTolerance)
    ? 'cannot follow'
    : 'not reproduced'
}

/** `algebra`: energy by the gains alone; several points cannot have less. */
export function energyJudgement(several: number, deepest: number, algebra: number): Judgement {
  if (several < 0.1 * deepest) return 'reproduced'
  if (several < deepest) return 'order reproduced'
  const isFading = several < pushedEnergyFactor * algebra && algebra < pushedEnergyFactor * several
  return isFading ? 'cannot follow' : 'not reproduced'
}

/** The LCP is to hold the surface at least as well as the paper's does, and far better than penalties. */
export function lcpJudgement(depth: number, penalties: number): Judgement {
  if (depth <= meanPenetration.lcp && depth < 0.1 * penalties) return 'reproduced'
  return depth < 0.1 * penalties ? 'order reproduced' : 'not reproduced'
}

function perturbedClaims(runs: readonly BlockRun[]): Claim[] {
  const of = (method: Method) => runs.filter((r) => r.method === method)
  const energyOf = (method: Method) => median(of(method).map(({ kinetic }) => median(endsOfFreeIntervals(kinetic))))
  const depths = (method: Method) => of(method).map(({ depth }) => mean(depth))
  const [multi, deepest, lcp] = [energyOf('penalty'), energyOf('penalty-deepest'), energyOf('lcp')]
  const { kp, ki } = statedGains.penalty
  const depthOfMulti = staticDepth('penalty', cube.mass)
  const needed = (cube.mass * cube.gravity) / meanPenetration.penalty
  const [m, d, l] = [mean(depths('penalty')), mean(depths('penalty-deepest')), mean(depths('lcp'))]
  const fading = (method: 'penalty' | 'penalty-deepest') => of(method).map(({ seed }) => fadingPushes(method, seed))
  const fadingEnergy = median(fading('penalty').map(({ kinetic }) => median(endsOfFreeIntervals(kinetic))))
  const [fadingDepth, fadingDeepest] = [fading('penalty'), fading('penalty-deepest')].map((runs) =>
    mean(runs.map(({ depth }) => mean(depth))),
  )
  return [
    {
      where: 'Figure 10',
      claim: 'kinetic energy at the end of the free intervals, median',
      paper: 'several points orders of magnitude below the deepest, like the LCP',
      found: `several ${joules(multi)}, deepest ${joules(deepest)}, LCP ${joules(lcp)}`,
      judgement: energyJudgement(multi, deepest, fadingEnergy),
      why: `Several points sink back at the slow pole, and the 500 free steps last about its time constant: that motion alone has ${joules(fadingEnergy)}.`,
    },
    {
      where: 'Figure 11',
      claim: 'mean penetration of several points',
      paper: metres(meanPenetration.penalty),
      found: metres(m),
      judgement: besideAlgebra(meanPenetration.penalty, m, fadingDepth),
      why:
        `The gains alone make ${metres(fadingDepth)} of these forces. At rest already d = W / (kp + ki / (1 - lambda)) = ${metres(depthOfMulti)} with kp = ${kp}, ki = ${ki}, lambda = ${lambda}; ` +
        `${metres(meanPenetration.penalty)} needs ${significant(needed)} N/m in all, that is lambda = ${significant(1 - ki / (needed - kp), 4)} or a mass of ${significant(cube.mass * (meanPenetration.penalty / depthOfMulti))} kg.`,
    },
    {
      where: 'Figure 11',
      claim: 'mean penetration of the deepest point',
      paper: metres(meanPenetration['penalty-deepest']),
      found: metres(d),
      judgement: besideAlgebra(meanPenetration['penalty-deepest'], d, fadingDeepest),
      why: `The gains alone make ${metres(fadingDeepest)} of these forces, and at rest d = ${metres(staticDepth('penalty-deepest', cube.mass))}: its gains are larger, so it lies higher than several points do, unless it rocks.`,
    },
    {
      where: 'Figure 11',
      claim: 'mean penetration with the LCP',
      paper: metres(meanPenetration.lcp),
      found: metres(l),
      judgement: lcpJudgement(l, Math.min(m, d)),
      why:
        'Constraints hold the surface, and the deepest point’s spring and damper, added to the forces that were solved for, take away what drifts: judged ' +
        'by being no deeper than the paper’s, and a tenth at most of either penalty method.',
    },
  ]
}

function robotClaims(runs: readonly RobotRun[]): Claim[] {
  const of = (robot: RobotRun['robot'], method: RobotMethod) =>
    runs.find((run) => run.robot === robot && run.method === method && run.pointsPerWheel === mostPointsPerWheel) as RobotRun
  const ratioOf = (robot: RobotRun['robot'], method: RobotMethod) =>
    of(robot, 'penalty').stepsPerSecond / of(robot, method).stepsPerSecond
  const where = 'Section IV-D'
  const each = robotNames.map((robot): Claim => {
    const { lcp, penalty } = robotTimes[robot]
    const [cold, pyramids] = [of(robot, 'lcp, cold'), of(robot, 'lcp, cold, friction')]
    const ran = cold.failures === 0 && cold.answered === 1 && cold.pointsPerBody === mostPointsPerWheel
    return {
      where,
      claim: `${robot}: steps a second with ten contacts a wheel, penalty and LCP, and their ratio`,
      paper: `${significant(robotIterations / penalty)} and ${significant(robotIterations / lcp)}, ${significant(lcp / penalty)}`,
      found:
        `${Math.round(of(robot, 'penalty').stepsPerSecond)} and ${Math.round(cold.stepsPerSecond)}, ${significant(ratioOf(robot, 'lcp, cold'))}, of normals, from nothing. ` +
        `From the last step and with friction: ${significant(ratioOf(robot, 'lcp, warm'))}. From nothing with friction: ${significant(ratioOf(robot, 'lcp, cold, friction'))}, ${Math.round(100 * pyramids.answered)} % of its problems answered`,
      judgement: ran && ratioOf(robot, 'lcp, cold') > 1 ? 'order reproduced' : 'not reproduced',
      why:
        'Robot, processor and program are not the paper’s. Five discs make up each wheel, with ten points on a line. The LCP as printed: W by test forces, normal forces by Murty’s method, no guess. ' +
        'Friction in pyramids is found by Murty’s method too, for the normal forces at hand and in turn with them: in one piece its matrix has negative principal minors.',
    }
  })
  const [small, large] = robotNames.map((robot) => ratioOf(robot, 'lcp, cold'))
  const [paperSmall, paperLarge] = robotNames.map((robot) => robotTimes[robot].lcp / robotTimes[robot].penalty)
  return [
    ...each,
    {
      where,
      claim: 'the ratio of the two robots: whether degrees of freedom weigh on the LCP',
      paper: `${significant(paperSmall)} and ${significant(paperLarge)}`,
      found: `${significant(small)} and ${significant(large)}`,
      judgement: large > small ? 'order reproduced' : 'not reproduced',
      why: 'Our test forces go out along paths to bodies with contacts alone: base and wheels, 8 velocities of either robot. The upper body costs both methods the same, and so brings them nearer.',
    },
  ]
}

/** Figure 6: sum of the integral under a constant depth, I = d (1 - lambda^t) / (1 - lambda). */
function forgettingFigure(): Figure {
  const curves = [0.02, 0.05, 0.1, 0.2].map((depth): Curve => {
    const y: number[] = []
    let sum = 0
    for (let t = 0; t <= 40; t++) {
      y.push(sum)
      sum = lambda * sum + depth
    }
    return { name: `d = ${depth} m`, x: y.map((_, t) => t), y }
  })
  return {
    id: '6',
    title: `Figure 6: the integral term under a constant depth, lambda = ${lambda}`,
    x: 'steps',
    y: 'I [m]',
    logarithmic: false,
    curves,
  }
}

function blockFigures(kinetic: string, depth: string, what: string, runs: readonly BlockRun[]): Figure[] {
  const figure = (
    id: string,
    quantity: string,
    unit: string,
    of: (r: BlockRun) => Float64Array,
    logarithmic: boolean,
  ): Figure => ({
    id,
    title: `Figure ${id}: ${quantity} of a block ${what}`,
    x: 'time [s]',
    y: `${quantity} [${unit}]`,
    logarithmic,
    curves: runs.map((r) => ({ name: r.method, ...thinned(of(r)) })),
  })
  return [
    figure(kinetic, 'kinetic energy', 'J', (r) => r.kinetic, true),
    figure(depth, 'penetration', 'm', (r) => r.depth, depth === '11'),
  ]
}

const curvePoints = 600

/** Every n-th value; of oscillations the largest in between, so that no peak is lost. */
function thinned(values: Float64Array): { x: number[]; y: number[] } {
  const every = Math.max(1, Math.ceil(values.length / curvePoints))
  const x: number[] = []
  const y: number[] = []
  for (let k = 0; k < values.length; k += every) {
    let largest = 0
    for (let i = k; i < Math.min(k + every, values.length); i++) largest = Math.max(largest, values[i])
    x.push((k + 1) * timeStep)
    y.push(largest)
  }
  return { x, y }
}
