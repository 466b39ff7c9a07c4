import { Random } from '../../../compare/scenario/world/random.ts'
import { cos } from '../../../dynamics/index.ts'
import { SimulationError, World } from '../../../simulation/index.ts'
import { boxOf } from '../baraff/scene.ts'
import { type Claim, type Figure, type Judgement, judged } from '../page.ts'
import { between } from '../uniform.ts'
import { kineticMeter } from './block.ts'
import { significant } from './numbers.ts'
import { cube, gainsPerMass, lambda, statedGains, timeStep } from './paper.ts'

/** Which of the boxes weighs a thousand times the others. */
export type StackLoad = 'equal' | 'heavy on top' | 'heavy below'
const loads: readonly StackLoad[] = ['equal', 'heavy on top', 'heavy below']

/**
 * By the rule of section III-C; by the numbers of section IV-A; by the physical inputs, as `penalty` has them by default; and the same
 * with dampers that are critical for the heaviest box, where its own are for the reduced mass of each pair.
 */
export type StackGains = 'rule' | 'block' | 'physical'

export interface StackOptions {
  readonly boxes: number
  readonly load: StackLoad
  readonly gains: StackGains
  readonly integral: boolean
  /** [s] */
  readonly dt: number
}

export interface StackRun extends StackOptions {
  readonly outcome: 'settled' | 'moving' | 'off its place' | 'thrown'
  /** When it came to rest, or when it was over with the stack [s]. */
  readonly time: number
  /** At the end: kinetic energy over mass [J/kg], and largest depth of a box in its support [m]. */
  readonly energy: number
  readonly depth: number
  readonly hash: string
}

/** Settled: so little kinetic energy over mass, 1.4 cm/s of all [J/kg], for so long at least when so long is over [s]. */
const restEnergy = 1e-4
const restTime = 0.5
const watchTime = 4
/** A box is off its place when it has moved so far to a side, or lies so deep in its support, in sizes. */
const mostAside = 0.1
const mostDepth = 0.5
/** Of the centres to either side of the line, so that the stack has something to fall by [m]. */
const askew = 0.01
const ratio = 1000

/** From the ground up [kg]. */
export function stackMasses(boxes: number, load: StackLoad): number[] {
  const heavy = load === 'heavy below' ? 0 : load === 'heavy on top' ? boxes - 1 : -1
  return Array.from({ length: boxes }, (_, k) => (k === heavy ? ratio * cube.mass : cube.mass))
}

/**
 * Depth of each box in its support once nothing moves: the weight above over kp + ki / (1 - lambda), from the
 * ground up [m].
 */
export function restDepths({ boxes, load, gains, integral }: StackOptions): number[] {
  const masses = stackMasses(boxes, load)
  const { kp, ki } = gains === 'rule' ? gainsPerMass : statedGains.penalty
  const stiffness = kp + (integral ? ki / (1 - lambda) : 0)
  return masses.map((mass, k) => {
    const above = masses.slice(k).reduce((sum, m) => sum + m) * cube.gravity
    return above / (gains === 'rule' ? stiffness * (mass + (masses[k - 1] ?? 0)) : stiffness)
  })
}

/**
 * Whether a column of blocks of this height stands upright on the springs between them. A block that tilts by theta against the one below is turned
 * back by a moment of its spring times theta; weight turns it over, its own on half the height, that of all above it on the whole. With one tilt a block
 * the energy's second derivatives are a tridiagonal matrix, and the column stands if that is positive definite, its pivots being above 0.
 * With many equal blocks this is the column that buckles under its own weight, k = 7.84 EI / L³ (Greenhill 1881).
 *
 * @param weights from the ground up [N]
 * @param springs below each block [N m]
 */
export function columnStands(weights: readonly number[], springs: readonly number[], height: number): boolean {
  let above = weights.reduce((sum, weight) => sum + weight, 0)
  let pivot = Infinity
  for (const [k, weight] of weights.entries()) {
    above -= weight
    pivot = springs[k] + (springs[k + 1] ?? 0) - (above + weight / 2) * height - springs[k] ** 2 / pivot
    if (!(pivot > 0)) return false
  }
  return true
}

/**
 * Whether the stack stands on the paper's springs, a quarter of kp at each corner of a face: kp size² / 4 a tilt. The integral, which is the same at all
 * corners, has no part in it.
 */
export function standsByItsSprings({ boxes, load, gains }: Pick<StackOptions, 'boxes' | 'load' | 'gains'>): boolean {
  const masses = stackMasses(boxes, load)
  const { size, gravity } = cube
  const springs = masses.map((mass, k) => {
    const kp = gains === 'rule' ? gainsPerMass.kp * (mass + (masses[k - 1] ?? 0)) : statedGains.penalty.kp
    return (kp * size * size) / 4
  })
  return columnStands(
    masses.map((mass) => mass * gravity),
    springs,
    size,
  )
}

/** Forces of the paper's gains are integrated as there, and friction is its springs across the normal; ours as ours are. */
function lawOf({ gains, integral }: StackOptions) {
  const sum = integral ? { integral, lambda } : { integral }
  if (gains === 'physical') return { contactOptions: sum }
  const { kp, kv, ki } = statedGains.penalty
  const stated = gains === 'rule' ? { gains: 'paper' as const } : integral ? { kp, kv, ki } : { kp, kv }
  return { contactOptions: { ...sum, ...stated, friction: 'springs' as const }, integrator: 'rk4' as const }
}

/** Cubes of a metre one on the other, a little askew, let go where they touch. */
export function stack(options: StackOptions): StackRun {
  const { boxes, load, dt } = options
  const { size } = cube
  const random = new Random(boxes)
  const masses = stackMasses(boxes, load)
  const starts = masses.map((_, k) => [between(random, -askew, askew), between(random, -askew, askew), (k + 0.5) * size] as const)
  const robots = masses.map((mass, k) => ({ robot: boxOf(`box${k + 1}`, [size, size, size], mass, starts[k], cube.gravity) }))
  const world = new World({ robots, dt, contactModel: 'penalty', ...lawOf(options) })

  const kinetic = kineticMeter(world)
  const depthOf = (k: number) => {
    const below = k === 0 ? -0.5 * size : world.robots[k - 1].state.q[2]
    return size - (world.robots[k].state.q[2] - below)
  }
  const isOff = () =>
    world.robots.some(({ state: { q } }, k) => {
      const aside = Math.max(Math.abs(q[0] - starts[k][0]), Math.abs(q[1] - starts[k][1]))
      return !(aside <= mostAside * size && depthOf(k) <= mostDepth * size)
    })

  let outcome: StackRun['outcome'] = 'moving'
  let energy = 0
  let restsSince = 0
  const every = Math.max(1, Math.round(0.01 / dt))
  try {
    while (outcome === 'moving' && world.state.t[0] < watchTime) {
      for (let k = 0; k < every; k++) world.step()
      energy = kinetic() / world.robot.massUsed
      if (!(energy < restEnergy)) restsSince = world.state.t[0]
      if (isOff()) outcome = 'off its place'
    }
    if (outcome === 'moving' && world.state.t[0] - restsSince >= restTime) outcome = 'settled'
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error
    outcome = 'thrown'
  }
  const time = outcome === 'settled' ? restsSince : world.state.t[0]
  const depth = Math.max(...masses.map((_, k) => depthOf(k)))
  return { ...options, outcome, time, energy, depth, hash: world.hash() }
}

const counts = [2, 3, 5, 10, 20]
/** Nothing else is asked of stacks without the integral. */
const countsWithout = [2, 3, 5]

export type StackStudy = ReturnType<typeof studyStacks>

/** The largest of 2/n, 1/n, 1/2n and so on at which a stack of n equal boxes settles; 0 if none down to a quarter of a millisecond does [s]. */
export interface LargestStep {
  readonly gains: StackGains
  readonly boxes: number
  readonly dt: number
}

/** @param boxes the most in one stack */
export function studyStacks(boxes: number, progress: (fraction: number) => void) {
  const few = counts.filter((count) => count <= boxes)
  const of =
    (gains: StackGains, load: StackLoad, integral = true) =>
    (count: number) => ({ boxes: count, gains, load, integral, dt: timeStep })
  const wanted: StackOptions[] = [
    ...(['rule', 'block', 'physical'] as const).flatMap((gains) => loads.flatMap((load) => few.map(of(gains, load)))),
    ...(['rule', 'block'] as const).flatMap((gains) =>
      few.filter((n) => countsWithout.includes(n)).map(of(gains, 'equal', false)),
    ),
  ]
  const runs = wanted.map((options, k) => {
    progress(k / wanted.length)
    return stack(options)
  })
  const stands = runs.filter(({ load, integral, outcome }) => load === 'equal' && integral && outcome === 'settled')
  const largest = stands.filter(({ gains }) => gains === 'block' || gains === 'physical').map(largestStep)
  return { runs, largest }
}

function largestStep({ gains, boxes }: StackRun): LargestStep {
  for (let dt = 2 / boxes; dt > 2.5e-4; dt /= 2) {
    if (stack({ boxes, load: 'equal', gains, integral: true, dt }).outcome === 'settled') return { gains, boxes, dt }
  }
  return { gains, boxes, dt: 0 }
}

/**
 * Below this step the fourth-order Runge-Kutta method stands the dampers of n equal boxes, for their motions up and down and, half as fast again,
 * for their tilts: 2.785 m / (1.5 kv (2 + 2 cos(2 pi / (2 n + 1)))), the root being that of a chain which is held at one end [s].
 */
export function explicitBound(boxes: number): number {
  const root = 2 + 2 * cos((2 * Math.PI) / (2 * boxes + 1))
  return (2.785 * cube.mass) / (1.5 * statedGains.penalty.kv * root)
}

/** Whether nothing but the paper's gains decides: stacks they cannot hold fall, the others stand. */
export function stackJudgement(runs: readonly StackRun[]): Judgement {
  if (runs.every(({ outcome }) => outcome === 'settled')) return 'reproduced'
  return runs.every((run) => (run.outcome === 'settled') === canStand(run)) ? 'cannot follow' : 'not reproduced'
}

function canStand(run: StackRun): boolean {
  return standsByItsSprings(run) && Math.max(...restDepths(run)) <= mostDepth * cube.size
}

/** "2 and 3 settle; 5, 10 and 20 do not". */
function outcomes(runs: readonly StackRun[]): string {
  const named = (settles: boolean) =>
    runs
      .filter(({ outcome }) => (outcome === 'settled') === settles)
      .map(({ boxes }) => boxes)
      .join(', ')
  const [stand, fall] = [named(true), named(false)]
  return [...(stand === '' ? [] : [`${stand} settle`]), ...(fall === '' ? [] : [`${fall} do not`])].join('; ')
}

export function stackClaims({ runs, largest }: StackStudy): Claim[] {
  const of = (gains: StackGains, load: StackLoad, integral = true) =>
    runs.filter((run) => run.gains === gains && run.load === load && run.integral === integral)
  const loaded = (gains: StackGains) => loads.map((load) => `${load}: ${outcomes(of(gains, load))}`).join('. ')
  const where = 'Section III-B'
  const { kp } = statedGains.penalty
  const rule: Claim = {
    where,
    claim: 'stacks of cubes of 1 m and 10 kg, or one of 10 t, by the rule 100, 50, 2 (m1 + m2)',
    paper: 'stacks without extensive tuning; these gains for all examples',
    found: loaded('rule'),
    judgement: stackJudgement(loads.flatMap((load) => of('rule', load))),
    why:
      'A face that tilts on the one below is turned back by kp size² / 4 alone, and weight turns it over: by the rule three equal boxes buckle, whatever the step, and from six on ' +
      'the lowest would lie more than half its size in the ground. Columns under their own weight need a stiffness that grows with n³. Each stack settles or falls as that says.',
  }
  const block: Claim = {
    where,
    claim: `the same by the gains of the block, kp = ${kp}`,
    paper: 'stacks without extensive tuning',
    found: loaded('block'),
    judgement: stackJudgement(loads.flatMap((load) => of('block', load))),
    why: `Four equal boxes are the most that kp size² / 4 = ${kp / 4} N m holds upright; 10 t press 17 m deep. Each stack settles or falls as that says.`,
  }
  const pairs = runs.filter(({ integral }) => !integral)
  const withSum = pairs.map(({ gains, load, boxes }) => of(gains, load).find((run) => run.boxes === boxes) as StackRun)
  const helped = pairs.filter((run, k) => run.outcome !== 'settled' && withSum[k].outcome === 'settled')
  const integral: Claim = {
    where,
    claim: 'equal stacks that settle with the integral and not without, by either gains',
    paper: 'the integral term is what stacks need',
    found: `${helped.length} of ${pairs.length}; depths ${significant(Math.max(...withSum.map(depthOverLaw)))} of the law's at most with it`,
    judgement: helped.length > 0 ? 'reproduced' : 'cannot follow',
    why: `The integral is the same at every corner of a face: it adds ki / (1 - lambda), 13 % of kp, to the stiffness against sinking, and nothing to that against tilting, by which stacks fall.`,
  }
  const derived: Claim = {
    where,
    claim: 'the same stacks by the gains that are derived from physical inputs',
    paper: 'gains may be tuned',
    found: loaded('physical'),
    judgement: loads.flatMap((load) => of('physical', load)).every(({ outcome }) => outcome === 'settled')
      ? 'order reproduced'
      : 'not reproduced',
    why: 'Not the paper’s gains: stiffness for the weight of the whole stack at 1 mm, dampers critical for the mass that each pair carries, semi-implicit steps.',
  }
  const isFar = largest.every(({ boxes, dt }) => dt > 0 && boxes * dt <= 1e-2)
  const kass: Claim = {
    where: 'Section IV-C',
    claim: 'the largest step, of 2/n, 1/n, 1/2n and so on, at which n equal boxes settle',
    paper: 'diverges above 1/n, and several orders of magnitude below in practice (Kass)',
    found: largest
      .map(({ gains, boxes, dt }) => `${gains}, ${boxes}: ${significant(1e3 * dt)} ms, 1/n over ${Math.round(1 / (boxes * dt))}`)
      .join('. '),
    judgement: judged(isFar),
    why:
      `Judged by a step that settles, a hundredth of 1/n s at most, for each. 1/n has no mass, no gains and no unit in it. Explicit steps are bounded by the dampers: 2.785 m / (1.5 kv (2 + 2 cos(2 pi / (2 n + 1)))) is ${[2, 3].map((n) => `${significant(1e3 * explicitBound(n))} ms for ${n}`).join(' and ')} by the gains of the block, ` +
      'and tends to 1.9 ms however many boxes: it falls with n only as gains grow with n.',
  }
  return [rule, block, integral, derived, kass]
}

const depthOverLaw = (run: StackRun) => (run.outcome === 'settled' ? run.depth / Math.max(...restDepths(run)) : 0)

/** Largest depth of a box in its support, and the law of the paper's gains. */
export function stackFigure({ runs }: StackStudy): Figure {
  const equal = runs.filter(({ load, integral }) => load === 'equal' && integral)
  const names = { rule: 'rule', block: 'gains of the block', physical: 'physical gains' } as const
  const curves = (['rule', 'block', 'physical'] as const).map((gains) => {
    const own = equal.filter((run) => run.gains === gains)
    return { name: names[gains], x: own.map(({ boxes }) => boxes), y: own.map(({ depth }) => depth) }
  })
  const laws = (['rule', 'block'] as const).map((gains) => {
    const own = equal.filter((run) => run.gains === gains)
    return {
      name: `${names[gains]}, at rest`,
      x: own.map(({ boxes }) => boxes),
      y: own.map((run) => Math.max(...restDepths(run))),
    }
  })
  return {
    id: 'stacks',
    title:
      'Section III-B: the deepest that a box lies in what it stands on, when the stack has settled or falls, and what the gains ask for at rest',
    x: 'equal boxes',
    y: 'depth [m]',
    logarithmic: true,
    curves: [...curves, ...laws.map((law) => ({ ...law, dashed: true }))],
  }
}
