import { pythonAdapters, type Variant } from '../python/pythonEngine.ts'

const variant = (solver: string): Variant => [
  `Pinocchio, ${solver}`,
  `a loop of our own around Pinocchio, which has none: free velocity by aba, contacts by coal's patches (margin 1 mm, four corners a pair), Delassus matrix by ConstraintCholeskyDecomposition, ${solver}ConstraintSolver with its defaults (tolerances 1e-6, 1000 iterations, cold), Newton's restitution, 0.2 of a penetration a step, semi-implicit Euler of free flyers in their own axes, as its examples have it`,
  { solver },
]

/** Pinocchio with coal. Each contact states its own surface; these are how they are combined here. */
export const adapters = pythonAdapters('pinocchio', { friction: 'min', restitution: 'min' }, [variant('ADMM'), variant('PGS')])
