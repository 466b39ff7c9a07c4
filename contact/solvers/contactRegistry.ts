import { type ContactSolver, type FrictionLaw, isCompliant } from './contactProblem.ts'
import { ContactProjectedGaussSeidel } from './iterative/contactProjectedGaussSeidel.ts'
import { NewtonSolver } from './newton/newtonSolver.ts'
import { BaraffSolver } from './pivoting/baraff.ts'

/** Makes a solver for one law, with `sides` of its pyramid; undefined if the method does not apply to that law. */
export type ContactSolverFactory = (law: FrictionLaw, sides: number) => ContactSolver | undefined

/** All solvers of `ContactProblem`s, by their names in options and on the command line. */
export const contactSolvers = {
  newton: (law, sides) => new NewtonSolver(law, sides),
  baraff: (law) => (law === 'cone' ? new BaraffSolver() : undefined),
  'contact-pgs': (law, sides) => (isCompliant(law) ? undefined : new ContactProjectedGaussSeidel({ law, sides })),
  'contact-pgs-anderson': (law, sides) =>
    isCompliant(law) ? undefined : new ContactProjectedGaussSeidel({ law, sides, acceleration: 'anderson' }),
} satisfies Record<string, ContactSolverFactory>
export type ContactSolverName = keyof typeof contactSolvers
