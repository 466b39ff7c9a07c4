import type { ComplementaritySolver } from './complementarity.ts'
import { DantzigSolver } from './dantzig.ts'
import { Enumeration } from './enumeration.ts'
import { LemkeSolver } from './lemke.ts'
import { LevenbergMarquardtMcp } from './lmmcp.ts'
import { MurtySolver } from './murty.ts'
import { PathFollowing } from './pathFollowing.ts'
import { ProjectedGaussSeidel } from './projectedGaussSeidel.ts'

/** Every solver of mixed linear complementarity problems, by name; each call makes one with a workspace of its own. */
export const complementaritySolvers = {
  lemke: () => new LemkeSolver(),
  murty: () => new MurtySolver(),
  dantzig: () => new DantzigSolver(),
  pgs: () => new ProjectedGaussSeidel(),
  lmmcp: () => new LevenbergMarquardtMcp(),
  'path-following': () => new PathFollowing(),
  enumeration: () => new Enumeration(),
} satisfies Record<string, () => ComplementaritySolver>

export type ComplementaritySolverName = keyof typeof complementaritySolvers
