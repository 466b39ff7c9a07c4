import type { ComplementaritySolver } from './complementarity.ts'
import { DantzigSolver } from './dantzig.ts'
import { Enumeration } from './enumeration.ts'
import { FischerBurmeisterNewton } from './fischerBurmeister.ts'
import { LemkeSolver } from './lemke.ts'
import { LevenbergMarquardtMcp } from './lmmcp.ts'
import { MurtySolver } from './murty.ts'
import { MurtyIterative } from './murtyIterative.ts'
import { NonsmoothConjugateGradient } from './nonsmoothConjugateGradient.ts'
import { PathFollowing } from './pathFollowing.ts'
import { ProjectedGaussSeidel } from './projectedGaussSeidel.ts'

/** Every solver of mixed linear complementarity problems, by name; each call makes one with a workspace of its own. */
export const complementaritySolvers = {
  lemke: () => new LemkeSolver(),
  murty: () => new MurtySolver(),
  'murty-iterative': () => new MurtyIterative(),
  dantzig: () => new DantzigSolver(),
  pgs: () => new ProjectedGaussSeidel(),
  nncg: () => new NonsmoothConjugateGradient(),
  'fb-newton': () => new FischerBurmeisterNewton(),
  lmmcp: () => new LevenbergMarquardtMcp(),
  'path-following': () => new PathFollowing(),
  enumeration: () => new Enumeration(),
} satisfies Record<string, () => ComplementaritySolver>

export type ComplementaritySolverName = keyof typeof complementaritySolvers
