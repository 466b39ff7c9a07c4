/** Every solver that there is, as `featherbed solve` runs them. */
import { complementaritySolvers, contactSolvers, type FrictionLaw, ModeGuess, pyramidSides } from '../contact/index.ts'
import type { Solvers } from './solve.ts'

export const solvers: Solvers = {
  complementarity: complementaritySolvers,
  contact: {
    'mode-guess': (law: FrictionLaw, sides: number) => (law === 'pyramid' ? new ModeGuess(pyramidSides(sides)) : undefined),
    ...contactSolvers,
  },
}
