import { pythonAdapters } from '../python/pythonEngine.ts'

/** PyBullet: friction coefficients and restitutions are multiplied. */
export const adapters = pythonAdapters('pybullet', { friction: 'product', restitution: 'product' }, [
  [
    'PyBullet',
    'as it comes: bodies as btMultiBody, 50 solver iterations, contact ERP 0.08, linear and angular damping 0.04; the velocity motors of joints are off, as the quickstart guide has it for torque control',
  ],
  [
    'PyBullet, iterated',
    'two parameters of the quickstart guide: 500 solver iterations; linear and angular damping 0; the rest as it comes',
    { engine: { numSolverIterations: 500 }, dynamics: { linearDamping: 0, angularDamping: 0 } },
  ],
])
