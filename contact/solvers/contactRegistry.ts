import { BlockGaussSeidel } from './blockGaussSeidel.ts'
import { ConeNewton } from './coneNewton.ts'
import type { ContactSolver, FrictionLaw } from './contactProblem.ts'
import { ContactProjectedGaussSeidel } from './contactProjectedGaussSeidel.ts'

/** Makes a solver for one law; `sides` is the pyramid's. Undefined where the method does not apply to that law. */
export type ContactSolverFactory = (law: FrictionLaw, sides: number) => ContactSolver | undefined

/** Every solver of `ContactProblem`s, by the name that options and the command line use. */
export const contactSolvers = {
  'block-gauss-seidel': (law) => (law === 'pyramid' ? undefined : new BlockGaussSeidel({ law })),
  'cone-newton': (law) => (law === 'pyramid' ? undefined : new ConeNewton({ law })),
  'contact-pgs': (law, sides) => new ContactProjectedGaussSeidel({ law, sides }),
  'contact-pgs-anderson': (law, sides) => new ContactProjectedGaussSeidel({ law, sides, acceleration: 'anderson' }),
  'contact-nncg': (law, sides) => new ContactProjectedGaussSeidel({ law, sides, acceleration: 'conjugate' }),
} satisfies Record<string, ContactSolverFactory>
export type ContactSolverName = keyof typeof contactSolvers
