import type { ComplementaritySolver } from './complementarity.ts'
import { Equilibrated } from './equilibration.ts'
import { LevenbergMarquardtMcp } from './iterative/lmmcp.ts'
import { PathFollowing } from './iterative/pathFollowing.ts'
import { ProjectedGaussSeidel } from './iterative/projectedGaussSeidel.ts'
import { DantzigSolver } from './pivoting/dantzig.ts'
import { Enumeration } from './pivoting/enumeration.ts'
import { LemkeSolver } from './pivoting/lemke.ts'
import { MurtySolver } from './pivoting/murty.ts'

/** All solvers of mixed linear complementarity problems, by name; each call creates one with its own workspace. */
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
