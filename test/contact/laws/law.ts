import { expect, test } from 'vitest'
import type { ContactModelOptions } from '../../../contact/index.ts'
import type { World } from '../../../simulation/index.ts'
import { isImpulsive, isRigid, sinkOf } from './scenes.ts'

/*
 * What a law is: a fact of dry contact with its expected value from elsewhere, that every contact model is held to. A model
 * that cannot hold it is excepted by the law's title, with the reason, and `instead` says what it does hold.
 */

export interface Exception {
  readonly reason: string
  readonly instead?: () => void
}

export const exception = (reason: string, instead?: () => void): Exception => ({ reason, instead })

/** Several laws that are not held for one reason. */
export const because = (reason: string, ...titles: readonly string[]): Record<string, Exception> =>
  Object.fromEntries(titles.map((title) => [title, { reason }]))

export interface LawOptions {
  /** Title of a law that the model does not hold, with the reason. */
  readonly except?: Readonly<Record<string, Exception>>
  /** Step sizes for laws on flat faces, where the model needs smaller ones than 1e-3 and 1e-2. */
  readonly fineSteps?: readonly number[]
  /**
   * Options under which the model's contacts are springs and dampers alone, without memory and without impulses at touching, and have
   * the restitution asked for at this speed of approach [m/s]. None for rigid ones.
   */
  readonly plain?: (speed: number) => ContactModelOptions
  /** What Painlevé's rod does where both satisfy the laws of contact. Default: it takes off. */
  readonly painleve?: 'takes off' | 'stops'
  /** Values of the model's option `friction` that there are beside its default. */
  readonly frictions?: readonly string[]
  /** Exponent n of springs f = k dⁿ, by which an indeterminate load is split. Default 1. */
  readonly springExponent?: number
  /** Values of the model's option `solver`, which say what is asked first. */
  readonly solvers?: readonly string[]
  /** For models whose friction is a pyramid: the values to try of their option `sides`. Others have a cone. */
  readonly pyramid?: readonly number[]
}

/** What a section of the laws is given: the model, and where to put its laws. */
export interface Suite extends LawOptions {
  readonly model: string
  /** Answers impulses, at the level of velocities; the others answer forces of springs. */
  readonly rigid: boolean
  /** Meets impacts by impulses, all at once: rigid ones, and others that say so. */
  readonly impulsive: boolean
  readonly plain: NonNullable<LawOptions['plain']>
  /** Depth to which the robot's own weight presses it [m]; 0 for rigid ones. */
  readonly deepest: number
  /** Groups laws under a heading. */
  readonly section: (heading: string, laws: () => void) => void
  /** @param check false where its subject is not at hand: the title is known all the same */
  readonly law: (title: string, check: false | (() => void)) => void
  /** Titles of all laws so far. */
  readonly known: ReadonlySet<string>
}

export { full } from '../../dailyModels.ts'
export const degree = Math.PI / 180
export const steps = [1e-3, 1e-2]
/** Slip speed up to which friction of force-level models is viscous (their default) [m/s]. */
export const stickSpeed = 1e-4

/** @param run false to hear of the laws' titles only */
export function createSuite(model: string, options: LawOptions, run: boolean): Suite {
  const { except = {}, plain = () => ({}) } = options
  const known = new Set<string>()
  let under = ''
  return {
    ...options,
    plain,
    model,
    rigid: isRigid(model),
    impulsive: isImpulsive(model),
    deepest: sinkOf(model),
    known,
    section(heading, laws) {
      under = heading
      laws()
    },
    law(title, check) {
      known.add(title)
      if (!run || check === false) return
      const exception = Object.hasOwn(except, title) ? except[title] : undefined
      if (exception === undefined) test(`${under}: ${title}`, asserting(check))
      else if (exception.instead) test(`${under}: instead of "${title}" (${exception.reason})`, asserting(exception.instead))
    },
  }
}

/** A check that fails if it expects nothing: the files of these tests call for laws and hold no assertions of their own. */
const asserting = (check: () => void) => () => {
  expect.hasAssertions()
  check()
}

/** Contacts push and never pull, with friction inside its cone. */
export function checkForces(world: World): void {
  const { count, impulse, mu } = world.contacts
  for (let i = 0; i < count; i++) {
    const n = impulse[3 * i]
    if (!(n >= 0)) expect(n).toBeGreaterThanOrEqual(0)
    const t = Math.hypot(impulse[3 * i + 1], impulse[3 * i + 2])
    // the implicit step stops iterating when friction is within 1e-3 of its cone
    if (t > mu[i] * n * 1.0011 + 1e-12) expect(t).toBeLessThanOrEqual(mu[i] * n * 1.0011)
  }
}
