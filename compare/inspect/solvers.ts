/** Every solver that there is, as `featherbed solve` runs them. */
import { complementaritySolvers, contactSolvers } from '../../contact/index.ts'
import { AS_SAVED, asAWhole, asSaved, byDisjunctSearch } from './constrained.ts'
import type { Solvers } from './solve.ts'

export const solvers: Solvers = {
  complementarity: complementaritySolvers,
  contact: contactSolvers,
  constrained: {
    'member-search': byDisjunctSearch,
    'path-following': asAWhole(complementaritySolvers['path-following']),
    lmmcp: asAWhole(complementaritySolvers.lmmcp),
    lemke: asAWhole(complementaritySolvers.lemke),
    [AS_SAVED]: asSaved,
  },
}
