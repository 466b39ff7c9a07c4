import type { FrictionMethod } from '../../constraints/index.ts'
import { options as rows } from '../../modelOptions.ts'
import { type OptionReader, shown } from '../../options.ts'
import {
  ContactProjectedGaussSeidel,
  LemkeSolver,
  LevenbergMarquardtMcp,
  PathFollowing,
  PyramidSolver,
  pyramidSides,
} from '../../solvers/index.ts'
import { MicroImpulses } from './microImpulses.ts'
import { ShockPropagation } from './shockPropagation.ts'

/** Largest relative residual of a solver chosen by name; and of a fallback after Newton's method failed. */
const TOLERANCE = 1e-12
const LOOSE_TOLERANCE = 1e-8
/** Most pivots of Lemke's algorithm per unknown: mostly one or two suffice, and with a thousand unknowns a pivot takes a millisecond. */
const PIVOTS = 4
/** Most rows for which sweeps are used, because of their memory. */
const MOST_SWEPT_ROWS = 3000

/** Options `sides` and `solver` of a model with pyramids. */
export function readPyramid(reader: OptionReader): FrictionMethod {
  const sides = reader.read(rows.pyramid.sides)
  const solver = reader.read(rows.pyramidSolver.solver)
  const directions = pyramidSides(sides)
  const named =
    solver === 'lemke'
      ? new LemkeSolver(TOLERANCE, 0, PIVOTS)
      : solver === 'lmmcp'
        ? new LevenbergMarquardtMcp(TOLERANCE)
        : solver === 'path-following'
          ? new PathFollowing(TOLERANCE)
          : undefined
  const fallback = new PyramidSolver(new LemkeSolver(LOOSE_TOLERANCE, 0, PIVOTS), directions)
  return {
    friction: 'pyramid',
    sides,
    solvers: named === undefined ? [fallback] : [fallback, new PyramidSolver(named, directions, `${solver}, by name`)],
    initialSolver: named === undefined ? -1 : 1,
    used: [shown(rows.pyramid.sides, sides)],
  }
}

/** Option `solver` of a model with cones; and those of `contact-pgs` and `micro-impulses`, for Coulomb's cone. */
export function readCone(reader: OptionReader, friction: 'cone' | 'associated'): FrictionMethod {
  const solver = reader.read(friction === 'cone' ? rows.ncpSolver.solver : rows.coneSolver.solver)
  if (solver === 'contact-pgs') return readSweeps(reader)
  if (solver === 'micro-impulses') return readMicroImpulses(reader)
  const sweeps = new ContactProjectedGaussSeidel({
    law: friction,
    tolerance: LOOSE_TOLERANCE,
    limit: 2000,
    acceleration: 'anderson',
  })
  return { friction, solvers: [sweeps], initialSolver: solver === 'newton' ? -1 : 0, used: [] }
}

/**
 * A fixed number of sweeps from zero, whatever the final residual, then shock propagation: the contact phase of Guendelman, Bridson and
 * Fedkiw, Nonconvex rigid bodies with stacking, ACM Trans. Graph. 22 (2003).
 */
function readSweeps(reader: OptionReader): FrictionMethod {
  const sweeps = reader.read(rows.sweeps.sweeps)
  const propagates = reader.read(rows.sweeps.shockPropagation)
  const solver = new ContactProjectedGaussSeidel({ law: 'cone', tolerance: TOLERANCE, limit: sweeps, updatesInPlace: true })
  return {
    friction: 'cone',
    solvers: [solver],
    initialSolver: 0,
    mostRows: MOST_SWEPT_ROWS,
    pass: propagates ? new ShockPropagation(sweeps) : undefined,
    used: [shown(rows.sweeps.sweeps, sweeps), shown(rows.sweeps.shockPropagation, propagates)],
  }
}

function readMicroImpulses(reader: OptionReader): FrictionMethod {
  const restitution = reader.read(rows.micro.microRestitution)
  return {
    friction: 'cone',
    solvers: [new MicroImpulses(restitution)],
    initialSolver: 0,
    mostRows: MOST_SWEPT_ROWS,
    used: [shown(rows.micro.microRestitution, restitution)],
  }
}
