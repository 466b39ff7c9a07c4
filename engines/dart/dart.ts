import { pythonAdapters, type Variant } from '../python/pythonEngine.ts'

const variant = (name: string, settings: string, options: Variant['options']): Variant => ({
  ...{ name, settings, options },
  // of two friction coefficients the smaller one holds, restitutions are multiplied
  surfaces: { friction: 'min', restitution: 'product' },
})

/** DART's World. */
export const adapters = pythonAdapters('dart', [
  variant(
    'DART',
    'as it comes: collision detector fcl, boxed LCP by Dantzig, resting bodies are put to sleep; limits of joints are enforced, which DART leaves to the user',
    {},
  ),
  variant('DART, awake', 'DeactivationOptions.mEnabled off, the rest as it comes', { sleeps: false }),
  variant('DART, bullet detector', 'collision detector bullet, the rest as it comes', { detector: 'BULLET' }),
  variant('DART, ode detector', 'collision detector ode, the rest as it comes', { detector: 'ODE' }),
  variant('DART, PGS', 'boxed LCP by projected Gauss-Seidel with its own 30 sweeps, the rest as it comes', { solver: 'PGS' }),
])
