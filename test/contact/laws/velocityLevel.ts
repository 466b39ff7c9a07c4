import type { LawOptions } from './law.ts'

/*
 * What the models at the level of velocities beside Stewart and Trinkle's do not hold of the laws, why, and what they hold instead.
 */

const pyramids = { solvers: ['mode-guess', 'lemke', 'fb-newton'] } as const
const cones = { solvers: ['cone-newton', 'block-gauss-seidel'] } as const

export const anitescuPotraLaws: LawOptions = {
  ...pyramids,
  pyramid: [4, 8, 16],
  cradle: 'simultaneous',
  painleve: 'stops',
  except: {},
}

export const convexLaws: LawOptions = {
  ...cones,
  cradle: 'simultaneous',
  painleve: 'stops',
  except: {},
}

export const ncpLaws: LawOptions = {
  ...cones,
  cradle: 'simultaneous',
  painleve: 'stops',
  except: {},
}
