import { pythonAdapters } from '../python/pythonEngine.ts'

/** DART's World: of two friction coefficients the smaller one holds, restitutions are multiplied. */
export const adapters = pythonAdapters('dart', { friction: 'min', restitution: 'product' }, [
  [
    'DART',
    'as it comes: collision detector fcl, boxed LCP by Dantzig, resting bodies are put to sleep; limits of joints are enforced, which DART leaves to the user',
  ],
  ['DART, awake', 'DeactivationOptions.mEnabled off, the rest as it comes', { sleeps: false }],
  ['DART, bullet detector', 'collision detector bullet, the rest as it comes', { detector: 'BULLET' }],
  ['DART, ode detector', 'collision detector ode, the rest as it comes', { detector: 'ODE' }],
  ['DART, PGS', 'boxed LCP by projected Gauss-Seidel with its own 30 sweeps, the rest as it comes', { solver: 'PGS' }],
])
