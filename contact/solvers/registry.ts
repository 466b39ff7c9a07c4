import type { ComplementaritySolver } from './complementarity.ts'
import { DantzigSolver } from './dantzig.ts'
import { Enumeration } from './enumeration.ts'
import { Equilibrated } from './equilibration.ts'
import { LemkeSolver } from './lemke.ts'
import { LevenbergMarquardtMcp } from './lmmcp.ts'
import { MurtySolver } from './murty.ts'
import { PathFollowing } from './pathFollowing.ts'
import { ProjectedGaussSeidel } from './projectedGaussSeidel.ts'

/** Every solver of mixed linear complementarity problems, by name; each call creates one with a workspace of its own. */
export const complementaritySolvers = {
  lemke: () => new Equilibrated(new LemkeSolver()),
  murty: () => new Equilibrated(new MurtySolver()),
  dantzig: () => new Equilibrated(new DantzigSolver()),
  pgs: () => new Equilibrated(new ProjectedGaussSeidel()),
  lmmcp: () => new Equilibrated(new LevenbergMarquardtMcp()),
  'path-following': () => new Equilibrated(new PathFollowing()),
  enumeration: () => new Equilibrated(new Enumeration()),
} satisfies Record<string, () => ComplementaritySolver>

export type ComplementaritySolverName = keyof typeof complementaritySolvers
