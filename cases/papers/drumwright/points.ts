/** Appendix I-A, and what depths at the ends of steps miss. */
import { type ContactModelOptions, contactChoice } from '../../../contact/index.ts'
import { createFreeBody } from '../../../robots/index.ts'
import { ContactTimes, World } from '../../../simulation/index.ts'
import { fixture, impulseOf, worldOf } from '../baraff/scene.ts'
import { type Claim, judged } from '../page.ts'
import { significant } from './numbers.ts'
import { timeStep } from './paper.ts'

const width = 0.2
/** Of the plank's centre of mass, along both axes [m]. */
const offsets = [0, 0.03, 0.07]

/**
 * A plank laid across another, so that neither has a corner in the other, its centre of mass off the middle of the square where they
 * cross: after a second the load over the weight, how far its centre is from that of mass [m], and whether the plank is still there.
 */
export function plank(points: 'bottom' | 'steiner', offset: number) {
  const world = worldOf({
    ...{ model: 'penalty', options: { points }, dt: timeStep, physical: { friction: 0.8 } },
    ...{ shape: { type: 'box', size: [width, 2, width] }, position: [0, 0, width - 5e-4] },
    ...{ centerOfMass: [offset, offset, 0], inertia: [0.34, 0.007, 0.34, 0, 0, 0] },
    fixtures: [fixture('plank', { type: 'box', size: [2, width, width] })],
  })
  for (let k = 0; k < 1000; k++) world.step()
  const { count, impulse, point } = world.contacts
  const off = [0, 0]
  for (let i = 0; i < count; i++) for (let d = 0; d < 2; d++) off[d] += impulse[3 * i] * (point[3 * i + d] - offset)
  const load = impulseOf(world)[2]
  return { load: load / timeStep / 9.81, off: Math.hypot(...off) / load, rests: world.state.q[2] > 0.9 * width }
}

export function plankClaim(): Claim {
  const [ours, theirs] = (['bottom', 'steiner'] as const).map((points) => offsets.map((offset) => plank(points, offset)))
  const rests = (runs: typeof ours) => offsets.filter((_, k) => runs[k].rests).map((offset) => significant(100 * offset))
  const bears = (runs: typeof ours) => runs.slice(0, 2).every(({ load, off }) => Math.abs(load - 1) < 0.05 && off < 0.05 * width)
  const even = bears(theirs) && Math.abs(theirs[0].load - 1) < 1e-9 && theirs[0].off < 1e-9
  return {
    where: 'Appendix I-A',
    claim: `planks of ${significant(100 * width)} cm across each other, no corner of one in the other: with its centre of mass so many cm off along both, the upper rests`,
    paper: 'faces are divided by Steiner points; robust to vertices that are not uniform',
    found: `Steiner points: ${rests(theirs).join(' and ')} of 0, 3 and 7; corners and crossings of edges: ${rests(ours).join(', ')}. Level, the load is ${significant(theirs[0].load, 9)} and ${significant(ours[0].load, 9)} of the weight, its centre ${significant(theirs[0].off)} and ${significant(ours[0].off)} m off`,
    judgement: judged(even && theirs[2].rests),
    why: 'By statics the square bears up to 10 cm. The divided faces have points at the middles of its sides alone, |x| + |y| ≤ 10 cm: 5 along both. Finer faces would have more (how fine is not stated); without any the planks would not touch. `points: steiner` is the paper’s.',
  }
}

/** A ball that grazes a fixed one, a millimetre deep by a straight line. */
const radius = 0.05
const height = 2 * radius - 1e-3
const chord = 2 * Math.sqrt(4 * radius * radius - height * height)

/** Share of an inelastic impact's impulse, steps ending as far before the graze as after, or `late` after that [s]. */
export function graze(
  method: 'penalty-deepest' | 'penalty' | 'lcp',
  speed: number,
  ccd: boolean | 'time-of-contact',
  late = 0,
): number {
  const shape = { type: 'sphere', radius } as const
  const position = [-speed * (4.5 * timeStep + late), 0, height] as const
  const options: ContactModelOptions = method === 'lcp' ? {} : { integral: true, impacts: 'newton' }
  const world = new World({
    robot: createFreeBody({ name: 'ball', shape, mass: 1, position, gravity: [0, 0, 0] }),
    v: [0, 0, 0, speed, 0, 0],
    fixtures: [fixture('post', shape)],
    ...{ dt: timeStep, ccd: ccd === true, integrator: 'rk4', physical: { friction: 0 } },
    ...contactChoice(method, options),
  })
  const times = ccd === 'time-of-contact' ? new ContactTimes(world) : undefined
  while (world.stepCount < 9 - 1e-9) {
    times?.choose()
    world.step()
  }
  const { v } = world.state
  return Math.hypot(v[3] - speed, v[5]) / (speed * Math.sqrt(1 - (height / (2 * radius)) ** 2))
}

export function grazeClaim(): Claim {
  const shares = (method: 'penalty-deepest' | 'penalty' | 'lcp') =>
    [50, 5].map((speed) => ([false, true, 'time-of-contact'] as const).map((ccd) => graze(method, speed, ccd)))
  const [deepest, several, lcp] = [shares('penalty-deepest'), shares('penalty'), shares('lcp')]
  const isBlind = [deepest, several].every(([fast, slow]) => fast.every((x) => x === 0) && slow.every((x) => x > 0.5))
  const phases = [-0.2e-3, -0.1e-3, 0, 0.1e-3, 0.2e-3].map((late) => graze('lcp', 50, false, late))
  const words = ([fast, slow]: number[][]) => [fast, slow].map((list) => list.map((x) => significant(x)).join(', ')).join('; ')
  return {
    where: 'Equations 1 to 3',
    claim: `share of the impulse of a graze 1 mm deep, of ${significant(1e3 * (chord / 50))} ms and between two steps, and of ${significant(1e3 * (chord / 5))} ms: alone, with ccd, with time-of-contact`,
    paper: 'depths, and the largest that is summed, are those at steps',
    found: `deepest point ${words(deepest)}. Several ${words(several)}. LCP ${words(lcp)}; of the short one ${significant(Math.min(...phases))} to ${significant(Math.max(...phases))} as it lies in the step`,
    judgement: judged(isBlind),
    why: 'A spring knows nothing of what begins and ends between two steps; nor does ccd, as no shape passes through the other, nor time-of-contact, which reads the gap at the end of a step. The LCP keeps clear of the plane of the nearest points, which it finds ahead.',
  }
}
