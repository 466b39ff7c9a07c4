import { expect, test } from 'vitest'
import {
  type ContactModelName,
  type ContactModelOptions,
  contactChoice,
  contactModelNamed,
  contactModelNames,
  type OptionsOf,
} from '../../../contact/index.ts'
import { loadOwnRobot } from '../../../robots/files.ts'
import { World } from '../../../simulation/index.ts'

/** Every option that a model's type has: the compiler asks for all of them and refuses others. */
type Listed<Name extends ContactModelName> = Record<keyof OptionsOf<Name>, 1>

const friction = { friction: 1, stickSpeed: 1, tangentialStiffness: 1, impacts: 1, restitutionThreshold: 1, patch: 1 } as const
const penalty = { ...friction, integral: 1, lambda: 1, kiRatio: 1, gains: 1, kp: 1, kv: 1, ki: 1 } as const
const rigid = { impulses: 1, impacts: 1, restitutionThreshold: 1, patch: 1, drift: 1, compliance: 1, solver: 1 } as const
const lcp = { ...rigid, matrix: 1 } as const
const { impulses, impacts, restitutionThreshold, ...compliant } = {
  ...rigid,
  stabilization: 1,
  correctionSpeed: 1,
  jointFriction: 1,
} as const
const impacting = { ...compliant, impulses, impacts, restitutionThreshold } as const
const cones = { ...impacting, loops: 1, step: 1 } as const
const pyramids = { ...cones, sides: 1 } as const
const lnc = { ...impacting, sides: 1, nodes: 1, epsilon: 1 } as const
const impedance = { timeConstant: 1, dampingRatio: 1, dmin: 1, dmax: 1, width: 1, midpoint: 1, power: 1, impratio: 1 } as const
const approximations = { dissipation: 1, referenceSpeed: 1, stictionTolerance: 1, relaxationTime: 1, beta: 1 } as const

const listed: { [Name in ContactModelName]: Listed<Name> } = {
  'penalty-deepest': { ...penalty, separation: 1 },
  penalty: { ...penalty, fullShare: 1, points: 1 },
  'hunt-crossley': { ...friction, exponent: 1, referenceSpeed: 1 },
  lcp,
  lotstedt: lcp,
  'stewart-trinkle': pyramids,
  'anitescu-potra': { ...pyramids, activeDistance: 1 },
  convex: cones,
  ncp: { ...cones, sweeps: 1, shockPropagation: 1, microRestitution: 1 },
  mujoco: { ...compliant, loops: 1, ...impedance, cone: 1, flight: 1, integrator: 1 },
  drake: { ...compliant, loops: 1, ...approximations, approximation: 1, points: 1, sigma: 1 },
  lnc,
  peg: { ...lnc, constraints: 1, passes: 1, gapTolerance: 1 },
}

test.each(contactModelNames)('the type of the options of %s names those that it reads, and no others', (name) => {
  const robot = loadOwnRobot('diffdrive')
  const known = new Set<string>()
  // some options are there for some values of others
  const values = [
    { friction: 'springs' },
    { integral: true },
    { impacts: 'newton' },
    { approximation: 'sap' },
    { solver: 'contact-pgs' },
    { solver: 'micro-impulses' },
  ]
  for (const given of [{}, ...values]) {
    const wrong = () =>
      new World({ robot, ...contactChoice(name, { ...(given as ContactModelOptions), nosuchoption: 0 }), dt: 1e-3 })
    try {
      wrong()
    } catch (error) {
      const [, names = ''] = /"nosuchoption"; it knows (.*)$/m.exec((error as Error).message) ?? []
      for (const one of names.split(', ')) known.add(one)
    }
  }
  expect([...known].sort()).toEqual(Object.keys(listed[name]).sort())
})

test('a name that is no model is refused with the nearest', () => {
  expect(() => contactModelNamed('penalti')).toThrow(
    /^there is no contact model "penalti"; choose one of .*\. Did you mean penalty\?$/,
  )
})

test('options of another model do not type-check', () => {
  const robot = loadOwnRobot('diffdrive')
  // @ts-expect-error lambda is of penalty
  expect(() => new World({ robot, contactModel: 'ncp', contactOptions: { lambda: 0.9 }, dt: 1e-3 })).toThrow(/no option "lambda"/)
  // @ts-expect-error a pyramid has 4, 6, 8, 12 or 16 sides
  expect(() => new World({ robot, contactModel: 'peg', contactOptions: { sides: 5 }, dt: 1e-3 })).toThrow(/"sides" is 5/)
})
