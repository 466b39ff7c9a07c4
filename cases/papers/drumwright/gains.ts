/** Sections III-C and IV-A: the block by gains that the paper does not state. */
import { mean, median } from '../../../compare/measure/statistics.ts'
import { SimulationError } from '../../../simulation/index.ts'
import { type Claim, heads, judged, section, tableCard } from '../page.ts'
import { type BlockRun, type Gains, penetratingBlock, run, staticDepth, worldOf } from './block.ts'
import { joules, metres, significant } from './numbers.ts'
import { cube, lambda, statedGains, timeStep } from './paper.ts'

/** The block on the deepest point, medians over seeds; Infinity where a run ended in an error. */
export interface GainTrial extends Gains {
  readonly mass: number
  /** Kinetic energy, median over the last 1,000 of 3,000 steps [J], and mean depth over them [m]. */
  readonly energy: number
  readonly depth: number
  /** Most steps in which the block was off the plane: "popping". */
  readonly off: number
}

const stated = statedGains['penalty-deepest']
/** Around the stated gains. From 30 kN s/m on an explicit step of 1 ms is unstable. */
const kp = [0.01, 0.1, 1, 10, 100].map((factor) => factor * stated.kp)
const kv = [0.01, 0.1, 1, Math.sqrt(10), 10].map((factor) => factor * stated.kv)
const ki = [0, 0.1, 1, 10].map((factor) => factor * stated.ki)
/** "Significantly" lower. */
const HALF = 0.5

export const quiet = ({ kinetic, depth }: Pick<BlockRun, 'kinetic' | 'depth'>) => ({
  energy: median(kinetic.slice(-1000)),
  depth: mean(depth.slice(-1000)),
})

export function trial(gains: Gains, seeds: number, mass: number = cube.mass): GainTrial {
  const runs = Array.from({ length: seeds }, (_, k) => {
    try {
      const block = penetratingBlock('penalty-deepest', k + 1, 3000, mass, gains)
      return { ...quiet(block), off: block.depth.filter((depth) => depth === 0).length }
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error
      return { energy: Infinity, depth: Infinity, off: 0 }
    }
  })
  const of = (key: 'energy' | 'depth') => median(runs.map((one) => one[key]))
  return { ...gains, mass, energy: of('energy'), depth: of('depth'), off: Math.max(...runs.map(({ off }) => off)) }
}

export function scanGains(mass: number, seeds: number, progress: (fraction: number) => void): GainTrial[] {
  const all = ki.flatMap((i) => kp.flatMap((p) => kv.map((v) => ({ kp: p, kv: v, ki: i }))))
  return all.map((gains, k) => {
    progress(k / all.length)
    return trial(gains, seeds, mass)
  })
}

/** Trials with half the energy of the stated gains; and with half the depth, at no more than twice the energy and never off the plane. */
export function better(trials: readonly GainTrial[]) {
  const own = trials.find((one) => one.kp === stated.kp && one.kv === stated.kv && one.ki === stated.ki) as GainTrial
  const energy = trials.filter((one) => one.energy < HALF * own.energy)
  const depth = trials.filter((one) => one.depth < HALF * own.depth && HALF * one.energy <= own.energy && one.off === 0)
  return { own, energy, depth, both: energy.filter((one) => depth.includes(one)) }
}

/** @param all by the stated gains */
export function scanClaims(trials: readonly GainTrial[], all: readonly BlockRun[], seeds: number): Claim[] {
  const seedWords = seeds === 1 ? 'seed 1' : `medians over ${seeds} seeds`
  const { mass } = trials[0]
  const blocks = all.filter((block) => block.mass === mass && block.method === 'penalty')
  const { own, energy, depth, both } = better(trials)
  const least = (key: 'energy' | 'depth', list: readonly GainTrial[]) => list.reduce((a, b) => (b[key] < a[key] ? b : a), own)
  const named = (one: Gains) => `kp ${significant(one.kp)}, kv ${significant(one.kv)}, ki ${significant(one.ki)}`
  const [calm, shallow] = [least('energy', trials), least('depth', depth)]
  const several = (key: 'energy' | 'depth') => median(blocks.map((block) => quiet(block)[key]))
  const common = { where: 'Section IV-A', paper: 'not lowered significantly by any combination of gains' }
  return [
    {
      ...common,
      claim: `kinetic energy on the deepest point, ${mass} kg, ${trials.length} gains over four decades of kp, three of kv, two of ki and none, ${seedWords}`,
      found: `half of the ${joules(own.energy)} of the stated gains: by ${energy.length}; least ${joules(calm.energy)} (${named(calm)}), several points ${joules(several('energy'))}`,
      judgement: judged(energy.length === 0),
      why: `A corner falls for up to a step before it bears: up to m (g h)² / 2 = ${joules(0.5 * mass * (cube.gravity * timeStep) ** 2)}, in which there are no gains.`,
    },
    {
      ...common,
      claim: `penetration on the deepest point, ${mass} kg, by the same gains`,
      found: `half of the ${metres(own.depth)} of the stated gains, with at most twice their energy and never off the plane: by ${depth.length}, half of the energy too by ${both.length}; least ${metres(shallow.depth)} (${named(shallow)}), several points ${metres(several('depth'))}`,
      judgement: judged(depth.length === 0),
      why: 'The depth at rest is W / (kp + ki / (1 - lambda)), whatever the number of points: stiffer gains lower it until the explicit step breaks or the block leaves the plane.',
    },
  ]
}

/** A table for each ki: energy [J] and depth [m] over kp and kv. */
export const scanSection = (trials: readonly GainTrial[]) => {
  const { own, energy, depth } = better(trials)
  const cell = (one: GainTrial) => {
    const look = one === own ? 'fits' : energy.includes(one) || depth.includes(one) ? 'take' : ''
    const text = one.energy === Infinity ? 'failed' : `${joules(one.energy)}<br>${metres(one.depth)}${one.off > 0 ? ', off' : ''}`
    return `<td>${look === '' ? text : `<span class="tag ${look}">${text}</span>`}</td>`
  }
  const tables = ki.map((i) => {
    const rows = kp.map(
      (p) =>
        `<td>${p}</td>${trials
          .filter((one) => one.ki === i && one.kp === p)
          .map(cell)
          .join('')}`,
    )
    return tableCard(heads(`ki = ${i}: kp, then kv`) + kv.map((v) => `<th>${significant(v)}</th>`).join(''), rows)
  })
  return section(
    `Gains of the deepest point, ${trials[0].mass} kg`,
    `${tables.join('\n')}\n<p class="note">Kinetic energy and depth over the last 1,000 of 3,000 steps; off: the block left the plane. Tagged: the stated gains, and what halves either.</p>`,
  )
}

/** How far kp is changed to either side for a derivative. */
const PART = 0.01

/** d ln / d ln kp of the flat block's depth at rest and of the rate at which a deeper one decays, by differences; and in closed form. */
export function sensitivity(ki: number) {
  const { kp, kv } = statedGains.penalty
  const of = (share: number) => {
    const height = cube.size / 2 - 2 * staticDepth('penalty', cube.mass)
    const world = worldOf('penalty', cube.mass, height, { gains: { kp: kp * share, kv, ki } })
    const { depth } = run(world, { method: 'penalty', mass: cube.mass, seed: 0 }, 10_000)
    const rest = depth[depth.length - 1]
    return { depth: rest, rate: Math.log((depth[499] - rest) / (depth[999] - rest)) / (500 * timeStep) }
  }
  const [less, more] = [of(1 - PART), of(1 + PART)]
  const slope = (key: 'depth' | 'rate') => Math.log(more[key] / less[key]) / Math.log((1 + PART) / (1 - PART))
  return { depth: slope('depth'), rate: slope('rate'), law: kp / (kp + ki / (1 - lambda)), softer: of(0.25).depth }
}

export function sensitivityClaims(): Claim[] {
  const { kp, kv, ki } = statedGains.penalty
  const [own, without] = [sensitivity(ki), sensitivity(0)]
  const follows = [own, without].every(({ depth, rate, law }) => Math.abs(depth + law) < 0.01 && Math.abs(rate - law) < 0.02)
  const [rest, softer] = [kp, kp / 4].map((gain) => staticDepth('penalty', cube.mass, { kp: gain, kv, ki }))
  const follow = Math.abs(own.softer / softer - 1) < 0.01 ? 'cannot follow' : 'not reproduced'
  const where = 'Section III-C'
  return [
    {
      where,
      claim: 'd ln depth / d ln kp and d ln rate / d ln kp of the block at rest, with the integral and without',
      paper: 'the integral tends to lower the sensitivity to gains',
      found: `${significant(own.depth)} and ${significant(own.rate)}; without ${significant(without.depth)} and ${significant(without.rate)}`,
      judgement: judged(follows && Math.abs(own.depth) < Math.abs(without.depth)),
      why: `∓ kp / (kp + ki / (1 - lambda)) = ${significant(own.law)}, and 1 without it: lower by the share of ki, ${significant(100 * (1 - own.law))} %.`,
    },
    {
      where,
      claim: 'depth at rest with a quarter of kp',
      paper: 'kp can be decreased, since it need not correct the steady-state error',
      found: `${metres(own.softer)}, ${significant(own.softer / rest)} times as deep`,
      judgement: own.softer < 1.1 * rest ? 'reproduced' : follow,
      why: `A sum that forgets is a spring of ki / (1 - lambda) = ${significant(ki / (1 - lambda))} N/m: kp may be lower by so much, of ${significant(kp + ki / (1 - lambda))}, and the rest of the error is its own.`,
    },
  ]
}
