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

/** Gaps in the way of solvers are as small as the options allow. */
const stiff = { compliance: 1e-12 }
const exactEnds = { gapTolerance: 1e-9, passes: 30 }

export const contenders: readonly (Contender & { readonly byFeatures: boolean; readonly hasGaps: boolean })[] = [
  { name: 'peg', model: 'peg', options: { ...stiff, ...exactEnds }, byFeatures: true, hasGaps: true },
  {
    name: 'peg, rule literal',
    model: 'peg',
    options: { ...stiff, ...exactEnds, rule: 'literal' },
    byFeatures: true,
    hasGaps: true,
  },
  { name: 'peg, no second look', model: 'peg', options: { ...stiff, passes: 0 }, byFeatures: true, hasGaps: true },
  { name: 'lnc', model: 'lnc', options: stiff, byFeatures: true, hasGaps: true },
  {
    name: 'stewart-trinkle on features',
    model: 'stewart-trinkle',
    options: { ...stiff, contacts: 'features' },
    byFeatures: true,
    hasGaps: true,
  },
  {
    name: 'anitescu-potra on features',
    model: 'anitescu-potra',
    options: { ...stiff, contacts: 'features' },
    byFeatures: true,
    hasGaps: false,
  },
  { name: 'stewart-trinkle', model: 'stewart-trinkle', options: stiff, byFeatures: false, hasGaps: true },
  { name: 'anitescu-potra', model: 'anitescu-potra', options: stiff, byFeatures: false, hasGaps: false },
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
  readonly seed: number
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
  /** Whether it reaches the end with the separation that it has there without contact, on a way that leads through the other body. */
  readonly nearer: number
}

/** @param trials random motions tried to find one that is legal and nearer to the free one; 0 for none */
export function judge(
  { corner, free, freeEnd, freeWay }: Question,
  contender: (typeof contenders)[number],
  trials: number,
): Judged {
  const outcome = outcomeOf(corner, contender)
  const { start, end } = outcome
  const still: Motions = [
    { ...free[0], omega: new Float64Array(3), v: new Float64Array(3) },
    { ...free[1], omega: new Float64Array(3), v: new Float64Array(3) },
  ]
  const { least, product, forbidden, momentum } = linearised(outcome)
  const change = distanceInM(corner, end, free) / distanceInM(corner, free, still)
  const wanted = trials > 0 && corner.friction === 0 && change > 1e-6
  return {
    seed: corner.seed,
    outcome,
    end: separationAt(corner, end),
    way: leastOnTheWay(corner, motionBetween(corner, start, end), 16),
    least,
    product,
    forbidden,
    momentum,
    ...surface(outcome, contender.byFeatures),
    isFree: freeEnd >= 0 && freeWay >= 0,
    change,
    nearer: wanted ? nearerLegal(outcome, createRandom(corner.seed), trials) : 0,
  }
}
