import type { OptionReader } from '../../options.ts'
import {
  BlockGaussSeidel,
  ConeNewton,
  type ContactSolver,
  FischerBurmeisterNewton,
  LemkeSolver,
  ModeGuess,
  type PyramidSides,
  PyramidSolver,
  pyramidSides,
} from '../../solvers/index.ts'

/** Largest relative residual of an answer that is used. */
const TOLERANCE = 1e-8

const pyramidSolvers = {
  'mode-guess': (sides: PyramidSides) => new ModeGuess(sides),
  lemke: (sides: PyramidSides) => new PyramidSolver(new LemkeSolver(TOLERANCE), sides),
  'fb-newton': (sides: PyramidSides) => new PyramidSolver(new FischerBurmeisterNewton(TOLERANCE), sides),
} satisfies Record<string, (sides: PyramidSides) => ContactSolver>

const coneSolvers = {
  'cone-newton': (law: 'cone' | 'associated') => new ConeNewton({ law, tolerance: TOLERANCE }),
  'block-gauss-seidel': (law: 'cone' | 'associated') => new BlockGaussSeidel({ law, tolerance: TOLERANCE }),
} satisfies Record<string, (law: 'cone' | 'associated') => ContactSolver>

const names = <T extends object>(solvers: T) => Object.keys(solvers) as (keyof T & string)[]

/**
 * The chain of a model with pyramids: guessed modes, Lemke's algorithm, then Newton's on the Fischer-Burmeister equations. Option
 * `solver` puts one of them first, or another before them all.
 */
export function pyramidChain(reader: OptionReader, sides: number): { solvers: ContactSolver[]; fallbackFrom: number } {
  const first = reader.choice('solver', 'mode-guess', names(pyramidSolvers))
  const order = [first, ...names(pyramidSolvers).filter((name) => name !== first)]
  const directions = pyramidSides(sides)
  // a guess that fails is no failure: Lemke's algorithm is what the model rests on
  return { solvers: order.map((name) => pyramidSolvers[name](directions)), fallbackFrom: first === 'mode-guess' ? 2 : 1 }
}

/** Sides of the pyramid that stands in for a cone where nothing else has an answer. */
const STAND_IN_SIDES = 12

/**
 * The chain of a model with cones: Newton's method on modes, block Gauss-Seidel, and as a last resort, always counted as a
 * fallback, Lemke's algorithm on a pyramid of Coulomb's law in the place of the cone.
 */
export function coneChain(reader: OptionReader, law: 'cone' | 'associated'): { solvers: ContactSolver[]; fallbackFrom: number } {
  const first = reader.choice('solver', 'cone-newton', names(coneSolvers))
  const order = [first, ...names(coneSolvers).filter((name) => name !== first)]
  const standIn = new PyramidSolver(new LemkeSolver(TOLERANCE), pyramidSides(STAND_IN_SIDES))
  return { solvers: [...order.map((name) => coneSolvers[name](law)), standIn], fallbackFrom: 2 }
}
