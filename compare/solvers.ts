/** Every solver that there is, as `featherbed solve` runs them. */
import { complementaritySolvers, contactSolvers, type FrictionLaw, ModeGuess, pyramidSides } from '../contact/index.ts'
import { AS_SAVED, asAWhole, asSaved, byMemberSearch } from './constrained.ts'
import type { Solvers } from './solve.ts'

export const solvers: Solvers = {
  complementarity: complementaritySolvers,
  contact: {
    'mode-guess': (law: FrictionLaw, sides: number) => (law === 'pyramid' ? new ModeGuess(pyramidSides(sides)) : undefined),
    ...contactSolvers,
  },
  constrained: {
    'member-search': byMemberSearch,
    'path-following': asAWhole(complementaritySolvers['path-following']),
    lmmcp: asAWhole(complementaritySolvers.lmmcp),
    'fb-newton': asAWhole(complementaritySolvers['fb-newton']),
    lemke: asAWhole(complementaritySolvers.lemke),
    [AS_SAVED]: asSaved,
  },
}
