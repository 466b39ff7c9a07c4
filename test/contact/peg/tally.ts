import { createRandom } from '../../../dynamics/index.ts'
import { type Corner, cornerOf } from './corners.ts'
import {
  type Contender,
  distanceInM,
  freeMotion,
  leastOnTheWay,
  linearised,
  type Motions,
  motionBetween,
  moved,
  nearerLegal,
  type Outcome,
  outcomeOf,
  separationAt,
  surface,
} from './outcome.ts'

/*
 * What becomes of many corners under one contact model.
 */

/** As little as the options allow. */
const stiff = { compliance: 1e-12 }
const exactEnds = { gapTolerance: 5e-9 }

export interface Contestant extends Contender {
  /** Whether gaps of all contacts have to hold at the end. */
  readonly hasGaps: boolean
}

/** Whatever comes near may not come nearer. */
const allNear = { activeDistance: Number.POSITIVE_INFINITY }

export const contenders: readonly Contestant[] = [
  { name: 'peg', model: 'peg', options: { ...stiff, ...exactEnds }, hasGaps: true },
  { name: 'peg, passes 0', model: 'peg', options: { ...stiff, passes: 0 }, hasGaps: true },
  { name: 'literal peg', model: 'literal peg', options: stiff, hasGaps: true },
  { name: 'lnc', model: 'lnc', options: stiff, hasGaps: true },
  { name: 'stewart-trinkle', model: 'stewart-trinkle', options: stiff, hasGaps: true },
  { name: 'stewart-trinkle on features', model: 'stewart-trinkle on features', options: stiff, hasGaps: true },
  { name: 'anitescu-potra', model: 'anitescu-potra', options: stiff, hasGaps: false },
  {
    name: 'anitescu-potra, all near',
    model: 'anitescu-potra',
    options: { ...stiff, ...allNear },
    hasGaps: false,
  },
  {
    name: 'anitescu-potra on features, all near',
    model: 'anitescu-potra on features',
    options: { ...stiff, ...allNear },
    hasGaps: false,
  },
]

/** What a corner asks, whatever the model. */
export interface Question {
  readonly corner: Corner
  readonly free: Motions
  /** Of the motion without contact: the separation at its end, and the least in the 64ths of the way there [m]. */
  readonly freeEnd: number
  readonly freeWay: number
}

export function questionOf(seed: number): Question {
  const corner = cornerOf(seed)
  const free = freeMotion(corner)
  const end: Motions = [moved(free[0], corner.dt), moved(free[1], corner.dt)]
  return { corner, free, freeEnd: separationAt(corner, end), freeWay: leastOnTheWay(corner, free, 64) }
}

/** All that is judged of one step. */
export interface Judged {
  readonly question: Question
  readonly outcome: Outcome
  /** The separation at the end, and the least on the way there [m]. */
  readonly end: number
  readonly way: number
  readonly least: number
  readonly product: number
  readonly forbidden: readonly string[]
  readonly momentum: number
  readonly aside: number
  readonly apart: number
  readonly pushing: number
  /** Whether the free motion is legal all along; and how far the answer is from it, over its size, in the metric of M. */
  readonly isFree: boolean
  readonly change: number
  /** Whether a declared fallback or nothing gave the answer. */
  readonly fellBack: boolean
  readonly nearer: number
}

/** @param trials random motions tried to find one that is legal and nearer to the free one; 0 for none */
export function judge(question: Question, contender: Contestant, trials: number): Judged {
  const { corner, free, freeEnd, freeWay } = question
  const outcome = outcomeOf(corner, contender)
  const { start, end, events } = outcome
  const still: Motions = [
    { ...free[0], omega: new Float64Array(3), v: new Float64Array(3) },
    { ...free[1], omega: new Float64Array(3), v: new Float64Array(3) },
  ]
  const { least, product, forbidden, momentum } = linearised(outcome)
  const change = distanceInM(corner, end, free) / distanceInM(corner, free, still)
  const wanted = trials > 0 && corner.friction === 0 && change > 1e-6
  return {
    question,
    outcome,
    end: separationAt(corner, end),
    way: leastOnTheWay(corner, motionBetween(corner, start, end), 16),
    least,
    product,
    forbidden,
    momentum,
    ...surface(outcome),
    isFree: freeEnd >= 0 && freeWay >= 0,
    change,
    fellBack: events.fallbacks + events.failures > 0,
    nearer: wanted ? nearerLegal(outcome, createRandom(corner.seed), trials) : 0,
  }
}

/** Overlap, or a push beside or above the surface, counts from here on [m]. */
export const visible = 1e-8
/** What counts as a path through the other body [m]. */
const deepOnTheWay = 1e-3
/** A change of a legal motion that counts, as a share of its size in the metric of M. */
export const felt = 1e-9
/** A gain that counts, of a legal motion that is nearer to the free one. */
const clearlyNearer = 0.02

/** A count and the largest of what was counted, and where that was. */
export class Count {
  count = 0
  most = 0
  seed = -1

  add(seed: number, value: number, from: number): void {
    if (!(value > from)) return
    this.count++
    if (value <= this.most) return
    this.most = value
    this.seed = seed
  }
}

/** Sums over many steps of one contestant. */
export class Tally {
  steps = 0
  pushed = 0
  readonly overlap = new Count()
  /** Of steps without fallback. */
  readonly gapMissed = new Count()
  readonly product = new Count()
  readonly forbidden = new Count()
  readonly momentum = new Count()
  readonly aside = new Count()
  readonly apart = new Count()
  legal = 0
  readonly trapped = new Count()
  tried = 0
  readonly nearer = new Count()
  readonly through = new Count()
  readonly fallbacks: number[] = []
  failures = 0
  looks = 0
  mostLooks = 0

  add(judged: Judged, hasGaps: boolean): void {
    const { question, outcome, fellBack } = judged
    const { seed, friction } = question.corner
    this.steps++
    if (judged.pushing > 0) this.pushed++
    this.overlap.add(seed, -judged.end, visible)
    if (judged.isFree) {
      this.legal++
      this.trapped.add(seed, judged.change, felt)
    }
    if (judged.end > -visible) this.through.add(seed, -judged.way, deepOnTheWay)
    this.aside.add(seed, judged.aside, visible)
    this.apart.add(seed, judged.apart, visible)
    if (friction === 0) this.tried++
    this.nearer.add(seed, judged.nearer, clearlyNearer)
    const looks = outcome.looks.length - 1
    this.looks += looks
    this.mostLooks = Math.max(this.mostLooks, looks)
    this.failures += outcome.events.failures
    if (fellBack) {
      this.fallbacks.push(seed)
      return
    }
    this.momentum.add(seed, judged.momentum, 1e-9)
    if (!hasGaps) return
    this.gapMissed.add(seed, -judged.least, 1e-10)
    // gaps are closed to 5e-9 m, and no impulse gives more than 2 m/s
    this.product.add(seed, judged.product, 1e-8)
    this.forbidden.add(seed, judged.forbidden.length, 0)
  }
}
