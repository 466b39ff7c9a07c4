import type { OptionReader } from '../../options.ts'
import {
  BlockGaussSeidel,
  ConeNewton,
  ContactProjectedGaussSeidel,
  type ContactSolver,
  coneModes,
  FischerBurmeisterNewton,
  LemkeSolver,
  ModeGuess,
  type PyramidSides,
  PyramidSolver,
  pyramidModes,
  pyramidSides,
} from '../../solvers/index.ts'
import type { ModeNames } from './treeGuess.ts'

/**
 * Largest relative residual of an answer that is used. The softness that settles indeterminate loads is 1e-5 of the rest, and with
 * speeds of slip in the scale less: at 1e-8 a cart on wheels between two casters stood 60 % heavier on its wheels than its springs say.
 */
const TOLERANCE = 1e-12
/** The same where nothing else answered; it counts as a fallback. */
const LOOSE_TOLERANCE = 1e-8
/** Pivots of Lemke's algorithm for each unknown: it mostly takes one or two, and with a thousand unknowns a pivot takes a millisecond. */
const PIVOTS = 4

const pyramidSolvers = {
  'mode-guess': (sides: PyramidSides) => new ModeGuess(sides),
  lemke: (sides: PyramidSides) => new PyramidSolver(new LemkeSolver(TOLERANCE, 0, PIVOTS), sides),
  'fb-newton': (sides: PyramidSides) => new PyramidSolver(new FischerBurmeisterNewton(TOLERANCE), sides),
} satisfies Record<string, (sides: PyramidSides) => ContactSolver>

const coneSolvers = {
  'cone-newton': (law: 'cone' | 'associated') => new ConeNewton({ law, tolerance: TOLERANCE }),
  'contact-pgs-anderson': (law: 'cone' | 'associated') =>
    new ContactProjectedGaussSeidel({ law, tolerance: LOOSE_TOLERANCE, limit: 2000, acceleration: 'anderson' }),
  'block-gauss-seidel': (law: 'cone' | 'associated') => new BlockGaussSeidel({ law, tolerance: LOOSE_TOLERANCE, limit: 2000 }),
} satisfies Record<string, (law: 'cone' | 'associated') => ContactSolver>

const names = <T extends object>(solvers: T) => Object.keys(solvers) as (keyof T & string)[]

/** What a model solves its problems with. */
export interface Chain {
  readonly solvers: readonly ContactSolver[]
  /** Answers of this one of the solvers and those after it are of a lesser kind. */
  readonly fallbackFrom: number
  readonly tree: ModeNames | undefined
}

/**
 * The chain of a model with pyramids: the last step's modes in the velocities of the tree, guessed modes, Lemke's algorithm, then
 * Newton's on the Fischer-Burmeister equations, and Lemke's again with less to ask of its answer. Option `solver` starts with one of the others instead; those before it are then asked
 * after it, but for the first.
 */
export function pyramidChain(reader: OptionReader, count: number): Chain {
  const first = reader.choice('solver', 'tree-guess', ['tree-guess', ...names(pyramidSolvers)])
  const sides = pyramidSides(count)
  const order = inOrder(names(pyramidSolvers), first)
  return {
    solvers: [
      ...order.map((name) => pyramidSolvers[name](sides)),
      new PyramidSolver(new LemkeSolver(LOOSE_TOLERANCE, 0, PIVOTS), sides, 'lemke, loosely'),
    ],
    fallbackFrom: order.length,
    tree: first === 'tree-guess' ? pyramidModes : undefined,
  }
}

/** Sides of the pyramid that stands in for a cone where nothing else has an answer. */
const STAND_IN_SIDES = 12

/**
 * The chain of a model with cones: the last step's modes in the velocities of the tree, and Newton's method on modes; with less to ask
 * of its answer Anderson's projected Gauss-Seidel, block Gauss-Seidel and nonsmooth conjugate gradients; and as a last resort Lemke's algorithm on a pyramid of Coulomb's
 * law in the place of the cone. Option `solver` as with pyramids.
 */
export function coneChain(reader: OptionReader, law: 'cone' | 'associated'): Chain {
  const first = reader.choice('solver', 'tree-guess', ['tree-guess', ...names(coneSolvers)])
  const order = inOrder(names(coneSolvers), first)
  const standIn = new PyramidSolver(
    new LemkeSolver(LOOSE_TOLERANCE, 0, PIVOTS),
    pyramidSides(STAND_IN_SIDES),
    'lemke, on a pyramid',
  )
  const patient = new ContactProjectedGaussSeidel({ law, tolerance: LOOSE_TOLERANCE, acceleration: 'conjugate' })
  return {
    solvers: [...order.map((name) => coneSolvers[name](law)), patient, standIn],
    fallbackFrom: order[0] === 'cone-newton' ? 1 : 2,
    tree: first === 'tree-guess' ? coneModes : undefined,
  }
}

function inOrder<Name extends string>(all: readonly Name[], first: string): Name[] {
  return [...all.filter((name) => name === first), ...all.filter((name) => name !== first)]
}
