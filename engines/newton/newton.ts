import { pythonAdapters, type Variant } from '../python/pythonEngine.ts'
import type { SurfaceRules } from '../python/tree.ts'

/** Pairs by Newton's solvers, from their kernels: materials of contacts. */
const mean: SurfaceRules = { friction: 'mean', restitution: 'none' }
const geometric: SurfaceRules = { friction: 'geometric', restitution: 'none' }
const both: SurfaceRules = { friction: 'mean', restitution: 'mean' }
const largest: SurfaceRules = { friction: 'max', restitution: 'none' }

const variant = (
  name: string,
  settings: string,
  surfaces: SurfaceRules,
  options: Readonly<Record<string, unknown>> = {},
): Variant => [
  `Newton ${name}`,
  `${settings}; on the CPU, in single precision, torsional and rolling friction 0, which by default are not`,
  { solver: name.replace(/,.*/, ''), ...options },
  surfaces,
]

/** Newton's solvers, and what its own examples set. */
export const adapters = pythonAdapters('newton', mean, [
  variant('XPBD', 'as it comes: 2 iterations, no restitution', mean),
  variant(
    'XPBD, iterated',
    '20 iterations, as its tuning guide says of residual errors, and restitution, which is off by default',
    both,
    { keywords: { iterations: 20, enable_restitution: true } },
  ),
  variant('SemiImplicit', 'as it comes: contact stiffness 2500 N/m, damping 100 N s/m, friction gain 1000 N s/m', mean),
  variant('Featherstone', 'as it comes: contact stiffness 2500 N/m, damping 100 N s/m, friction gain 1000 N s/m', mean),
  variant(
    'MuJoCo',
    "as it comes: MuJoCo Warp and its contacts, implicitfast, pyramidal cones, rows by Newton's estimate",
    largest,
  ),
  variant(
    'MuJoCo, elliptic',
    'elliptic cones and impratio 10 against slip, several contacts of any two hulls, room for 2000 rows and 500 contacts; the rest as it comes',
    largest,
    { keywords: { cone: 'elliptic', impratio: 10, enable_multiccd: true, njmax: 2000, nconmax: 500 } },
  ),
  variant('VBD', 'as it comes: contact stiffness 2500 N/m, damping 100 N s/m', geometric),
  variant('VBD, stiff', 'contact stiffness 1e8 N/m, damping 5e5 N s/m and 5 iterations, as in its example of shapes', geometric, {
    shapes: { ke: 1e8, kd: 5e5 },
    keywords: { iterations: 5 },
  }),
  variant('Kamino', 'as it comes: proximal ADMM', { friction: 'mean', restitution: 'min' }),
  variant('Steel', 'as it comes: no joint limits, restitution above 0.5 m/s', both),
  variant('Steel, limits', 'joint limits on, which are off by default, and room for 256 rows of links, in place of 32', both, {
    keywords: { enable_joint_limits: true, articulation_constraint_max: 256 },
  }),
])
