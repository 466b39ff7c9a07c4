import { pythonAdapters } from '../python/pythonEngine.ts'

const variant = (name: string, solver: string) => ({
  name,
  settings: `a loop of our own around Pinocchio, which has none: free velocity by aba, contacts by coal's patches (margin 1 mm, four corners a pair), Delassus matrix by ConstraintCholeskyDecomposition, ${solver}ConstraintSolver with its defaults (tolerances 1e-6, 1000 iterations, cold), Newton's restitution, 0.2 of a penetration a step, semi-implicit Euler of free flyers in their own axes, as its examples have it`,
  options: { solver },
  // each contact states its own; this is how they are combined here
  surfaces: { friction: 'min', restitution: 'min' } as const,
})

/** Pinocchio with coal. */
export const adapters = pythonAdapters('pinocchio', [variant('Pinocchio, ADMM', 'ADMM'), variant('Pinocchio, PGS', 'PGS')])
