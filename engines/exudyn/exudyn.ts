import { pythonAdapters } from '../python/pythonEngine.ts'

/** Exudyn. */
export const adapters = pythonAdapters('exudyn', [
  {
    name: 'Exudyn',
    settings:
      'implicit generalized-alpha as it comes, Newton in full, to 1e-8, four steps in each of ours, for its reduction of steps at impacts begins anew with each; rigid bodies with Euler parameters and joints as constraints; contacts, which have no defaults: spheres on quads and triangles (boxes and hulls by spheres in their corners, of 5 % of the smallest side), stiffness 1e6 N/m for each kg of the lighter body, critically damped where restitution is 0, else impact model 2; friction is proportional below 1 mm/s, as it comes',
    // each contact states its own; this is how they are combined here
    surfaces: { friction: 'min', restitution: 'min' },
  },
])
