import { test } from 'vitest'
import { type ContactModelName, contactModelNames } from '../contact/index.ts'

/** Whether everything is run, as `npm run verify` does. */
export const full = process.env.FEATHERBED_FULL !== undefined

/** One of each kind: springs, forces of a linear complementarity problem, impulses on the exact cone, the law of another engine, polyhedra. */
export const few: readonly ContactModelName[] = ['penalty', 'lcp', 'ncp', 'mujoco', 'peg']

/** Models that solve for contact exactly, and the law of MuJoCo. */
export const exact = ['lcp', 'stewart-trinkle', 'anitescu-potra', 'convex', 'ncp', 'lnc', 'peg', 'mujoco'] as const

/** Of springs and of the exact cone, for suites that take long. */
const two: readonly ContactModelName[] = ['penalty', 'ncp']

/** All models when everything is run, and day by day two. */
export const dailyPair: readonly ContactModelName[] = full ? contactModelNames : two

/** All models when everything is run, and day by day the few. */
export const dailyModels: readonly ContactModelName[] = full ? contactModelNames : few

/** The folder of real robots, where the environment names one. */
export const robotsFolder = process.env.FEATHERBED_ROBOTS

/** Whether there is such a folder. @param what is not run without it */
export function hasRobots(what: string): boolean {
  if (robotsFolder === undefined) console.log(`not run: ${what}; set FEATHERBED_ROBOTS to the folder that holds them`)
  return robotsFolder !== undefined
}

/** @param what would be run under all models @param models those that it is run under */
export function tellWhatIsNotRun(what: string, models = few): void {
  if (!full) console.log(`not run: ${what} under other models than ${models.join(', ')}; set FEATHERBED_FULL`)
}

/** All of a list when everything is run, and day by day the first of it. */
export const daily = <T>(all: readonly T[], count: number): readonly T[] => (full ? all : all.slice(0, count))

/** How many random trials are run: all when everything is run, and day by day a third. */
export const trials = (all: number): number => (full ? all : Math.ceil(all / 3))

/** A test that is run when everything is run, and skipped day by day for its length. */
export const whole = test.runIf(full)
