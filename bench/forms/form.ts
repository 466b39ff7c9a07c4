import type { World } from '../../simulation/index.ts'
import { exceptions } from '../../test/contact/laws/exceptions.ts'
import { isImpulsive, isRigid, makeWorld, type Scene } from '../../test/contact/laws/scenes.ts'

/** One measurement: a model at a step, and what a form needs to know about them. */
export interface Setting {
  readonly model: string
  /** [s] */
  readonly dt: number
  /** Answers impulses at the level of velocities; the others are springs. */
  readonly rigid: boolean
  /** Meets impacts by impulses. */
  readonly impulsive: boolean
  /**
   * Allowed penetration of springs [m]: a hundredth of a metre a second of step. Springs thus get stiffer as steps get shorter, so
   * that their limit is the rigid body of the closed form. 0 for rigid models, which have none.
   */
  readonly sink: number
}

/** A motion or a load whose exact value is known from elsewhere. */
export interface Form {
  readonly name: string
  /** What nature does, as a formula; one line. */
  readonly formula: string
  /** Where the formula is from, or how it is derived. */
  readonly source: string
  readonly unit: string
  /** Value of the formula. A function where an equation of motion is integrated for it. */
  readonly exact: () => number
  /** Errors are relative to this; default: the exact value. */
  readonly scale?: number
  /** Longest first, each half of the one before [s]. Default 4, 2 and 1 ms. */
  readonly steps?: Steps
  /** Steps of models that resolve an impact by springs; default: as for the others. */
  readonly springSteps?: Steps
  readonly measure: (at: Setting) => number
  /** Why it is no question to a model; undefined where it is one. */
  readonly without?: (at: Pick<Setting, 'model' | 'rigid' | 'impulsive'>) => string | undefined
}

export type Steps = readonly [number, number, number]

export interface Chapter {
  readonly heading: string
  readonly forms: readonly Form[]
}

/** What three steps said. */
export interface Measured {
  readonly form: Form
  readonly model: string
  readonly steps: Steps
  readonly exact: number
  readonly values: readonly [number, number, number]
  /** Relative, of either sign. */
  readonly errors: readonly [number, number, number]
  /** log2 of the ratio of successive errors. */
  readonly orders: readonly [number, number]
  /** What went wrong, in place of values. */
  readonly failure?: string
}

/** All errors below this count as exact: the default softness of rigid contacts, 5e-6, and what follows from it. */
export const EXACT = 2e-5
/** Least order that counts as 1, and as 1/2. */
export const LEAST_ORDER = 0.7
export const HALF_ORDER = 0.35

export const kinds = ['exact', 'first', 'half', 'limit', 'failed'] as const
export type Kind = (typeof kinds)[number]

/** Mean order over the three steps. */
export const orderOf = ({ errors: [first, , last] }: Pick<Measured, 'errors'>): number => Math.log2(Math.abs(first / last)) / 2

/**
 * `exact` to the softness of rigid contacts; `first` if errors fall at least like the step to the power 0.7 from the longest to the
 * shortest, or become exact on the way; `half` if they fall like its square root; `limit` if they tend to something that is not 0.
 */
export function kindOf(measured: Pick<Measured, 'errors' | 'failure'>): Kind {
  const { errors, failure } = measured
  if (failure !== undefined) return 'failed'
  if (errors.every((error) => Math.abs(error) < EXACT)) return 'exact'
  const order = Math.abs(errors[2]) < EXACT ? 1 : orderOf(measured)
  return order >= LEAST_ORDER ? 'first' : order >= HALF_ORDER ? 'half' : 'limit'
}

/**
 * What the values tend to. Where differences of values halve and better, the geometric series of the last two goes on (Aitken);
 * otherwise it is the last value.
 */
export function limitOf([a, b, c]: Measured['values']): number {
  const ratio = (c - b) / (b - a)
  return ratio > 0 && ratio < 0.75 ? c + ((c - b) * ratio) / (1 - ratio) : c
}

export function measure(form: Form, model: string): Measured {
  const [rigid, impulsive] = [isRigid(model), isImpulsive(model)]
  const steps = (!impulsive && form.springSteps) || form.steps || [4e-3, 2e-3, 1e-3]
  const exact = form.exact()
  const scale = form.scale ?? Math.abs(exact)
  let failure: string | undefined
  const values = steps.map((dt) => {
    try {
      return form.measure({ model, dt, rigid, impulsive, sink: rigid ? 0 : 0.01 * dt })
    } catch (error) {
      failure ??= `${(error as Error).message.split('\n')[0]} (dt = ${dt})`
      return Number.NaN
    }
  }) as [number, number, number]
  const errors = values.map((value) => (value - exact) / scale) as [number, number, number]
  const order = (a: number, b: number) => Math.log2(Math.abs(a / b))
  const orders = [order(errors[0], errors[1]), order(errors[1], errors[2])] as const
  return { form, model, steps, exact, values, errors, orders, failure }
}

/** A world of this model and step. Springs have the allowed penetration of the setting unless the scene says otherwise. */
export function worldOf({ model, dt, sink, rigid }: Setting, scene: Omit<Scene, 'model' | 'dt'>): World {
  const springs = rigid ? {} : { allowedPenetration: sink }
  return makeWorld({ ...scene, model, dt, physical: { ...springs, ...scene.physical } })
}

/** Options and integrator with which springs alone resolve an impact at this speed; nothing for models that have impulses. */
export function bySprings({ model, impulsive }: Setting, speed: number): Pick<Scene, 'options' | 'integrator'> {
  return impulsive ? {} : { options: plainOf(model, speed), integrator: 'rk4' }
}

/** Options under which contacts are springs and dampers alone. */
export const plainOf = (model: string, speed: number): Scene['options'] =>
  exceptions[model as keyof typeof exceptions]?.plain?.(speed) ?? {}

/** What a quantity of the world is at a time that need be no whole number of steps: between two of them it is taken as linear. */
export function valueAt(world: World, time: number, quantity: (world: World) => number, watch?: (world: World) => void): number {
  const steps = Math.floor(time / world.dt + 1e-9)
  for (let k = world.stepCount; k < steps; k++) {
    world.step()
    watch?.(world)
  }
  const before = quantity(world)
  const rest = time / world.dt - steps
  if (rest < 1e-6) return before
  world.step()
  return before + rest * (quantity(world) - before)
}

/** y at a time, by the classical method of Runge and Kutta: equations of motion that have no solution in one line. */
export function solution(
  rate: (y: readonly number[], t: number) => readonly number[],
  start: readonly number[],
  time: number,
  steps = 4000,
): number[] {
  const h = time / steps
  let y = [...start]
  const moved = (k: readonly number[], share: number) => y.map((value, i) => value + share * h * k[i])
  for (let n = 0; n < steps; n++) {
    const t = n * h
    const a = rate(y, t)
    const b = rate(moved(a, 0.5), t + 0.5 * h)
    const c = rate(moved(b, 0.5), t + 0.5 * h)
    const d = rate(moved(c, 1), t + h)
    y = y.map((value, i) => value + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]))
  }
  return y
}

/** Time at which the first entry of y, positive at first, reaches zero. */
export function timeToZero(rate: (y: readonly number[]) => readonly number[], start: readonly number[], most: number): number {
  let [low, high] = [0, most]
  for (let k = 0; k < 40; k++) {
    const middle = 0.5 * (low + high)
    if (solution(rate, start, middle, 500)[0] > 0) low = middle
    else high = middle
  }
  return low
}
