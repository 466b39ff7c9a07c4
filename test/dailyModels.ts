import { type ContactModelName, contactModelNames } from '../contact/index.ts'

/** Whether everything is run, as `npm run verify` does. */
export const full = process.env.FEATHERBED_FULL !== undefined

/** One of each kind: springs, forces of a linear complementarity problem, impulses on the exact cone, the law of another engine, polyhedra. */
export const few: readonly ContactModelName[] = ['penalty', 'lcp', 'ncp', 'mujoco', 'peg']

/** All models when everything is run, and day by day the few. */
export const dailyModels: readonly ContactModelName[] = full ? contactModelNames : few

/** @param what would be run under all models */
export function tellWhatIsNotRun(what: string): void {
  if (!full) console.log(`not run: ${what} under other models than ${few.join(', ')}; set FEATHERBED_FULL`)
}
