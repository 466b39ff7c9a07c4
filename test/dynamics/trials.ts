import {
  createRandom,
  createState,
  type Data,
  type Frame,
  integrateConfiguration,
  type Model,
  type Random,
  type State,
} from '../../dynamics/index.ts'
import { trials } from '../dailyModels.ts'
import { dataAt } from './at.ts'
import { randomRotation, randomState, randomTree, randomVector } from './randomTree.ts'

export interface Trial {
  readonly random: Random
  readonly model: Model
  readonly state: State
  readonly data: Data
}

/**
 * 40 random mechanisms, a third of them by day, at random states: fixed and floating bases, forests, every joint type, joints
 * that follow others, armatures. Speeds of 1 or less, so that finite differences resolve them.
 */
export function forEachTrial(seed: number, run: (trial: Trial) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < trials(40); n++) {
    const model = randomTree(random, {
      bodies: 1 + random.index(14),
      floating: n % 2 === 0,
      everyType: n % 4 > 1,
      followers: n % 3 === 0,
      armature: n % 3 !== 1,
    })
    if (model.nv === 0) continue
    const state = randomState(random, model)
    for (let k = 0; k < model.nv; k++) state.v[k] *= 0.5
    const data = dataAt(model, state)
    run({ random, model, state, data })
  }
}

/**
 * 60 random mechanisms, a third of them by day, at random states: fixed and floating bases, every joint type anywhere, armatures,
 * forests, followers.
 */
export function forEachTree(seed: number, run: (trial: Trial) => void): void {
  const random = createRandom(seed)
  for (let n = 0; n < trials(60); n++) {
    const model = randomTree(random, {
      bodies: 1 + random.index(25),
      floating: n % 2 === 0,
      everyType: n % 4 > 1,
      armature: n % 3 === 0,
      followers: n % 5 > 2,
      masslessLeaves: n % 7 === 0,
    })
    if (model.nv === 0) continue
    const state = randomState(random, model)
    const data = dataAt(model, state)
    run({ random, model, state, data })
  }
}

/** The state a short time on at constant acceleration a, to second order in h. */
export function moved({ model, state }: Trial, a: Float64Array, h: number): { state: State; data: Data } {
  const next = createState(model)
  const mean = state.v.map((v, k) => v + 0.5 * h * a[k])
  integrateConfiguration(model, state.q, mean, h, next.q)
  for (let k = 0; k < model.nv; k++) next.v[k] = state.v[k] + h * a[k]
  const data = dataAt(model, next)
  return { state: next, data }
}

/** Derivative at 0 of a vector-valued function, by central differences of order 4 with the step h. */
export function derivative(f: (h: number) => Float64Array, h: number): Float64Array {
  const [a, b, c, d] = [f(-2 * h), f(-h), f(h), f(2 * h)]
  return a.map((_, k) => (a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h))
}

/** A frame somewhere on a body, turned at random. */
export function randomFrame({ random, model }: Trial): Frame {
  const body = random.index(model.nb)
  return { name: 'a frame', body, R: randomRotation(random), p: randomVector(random, 3, 0.5) }
}

/** A x for A with x.length columns, row-major. */
export function product(A: Float64Array, x: Float64Array): Float64Array {
  const n = x.length
  return Float64Array.from({ length: A.length / n }, (_, r) => x.reduce((sum, xc, c) => sum + A[r * n + c] * xc, 0))
}

/** max |a - b|; NaN if anything is. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new Error(`lengths ${a.length} and ${b.length} differ`)
  let largest = 0
  for (let k = 0; k < a.length; k++) {
    const difference = Math.abs(a[k] - b[k])
    if (Number.isNaN(difference)) return Number.NaN
    largest = Math.max(largest, difference)
  }
  return largest
}

export function size(a: Float64Array): number {
  return Math.hypot(...a)
}
