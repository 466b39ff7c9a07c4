import { pythonAdapters } from '../python/pythonEngine.ts'

/** Drake's MultibodyPlant in discrete time: friction of two surfaces is 2 a b / (a + b), and there is no restitution. */
export const adapters = pythonAdapters('drake', { friction: 'harmonic', restitution: 'none' }, [
  [
    'Drake',
    'as it comes: discrete time, lagged contact approximation, one point a pair, stiffness 1e6 N/m a shape, dissipation 50 s/m',
  ],
  ['Drake, SAP', 'contact approximation sap, the rest as it comes (relaxation time 0.1 s)', { approximation: 'sap' }],
  ['Drake, TAMSI', 'contact approximation tamsi, the rest as it comes', { approximation: 'tamsi' }],
  [
    'Drake, hydroelastic',
    'contact model hydroelastic with fallback; shapes are compliant, as SceneGraph does it by its default_proximity_properties, with modulus 1e7 Pa and dissipation 50 s/m; half spaces rigid',
    { contact: 'hydroelastic' },
  ],
])
