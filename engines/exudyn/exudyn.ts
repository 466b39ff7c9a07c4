import { pythonAdapters } from '../python/pythonEngine.ts'

/** Exudyn. Each contact states its own surface; these are how they are combined here. */
export const adapters = pythonAdapters('exudyn', { friction: 'min', restitution: 'min' }, [
  [
    'Exudyn',
    'implicit generalized-alpha as it comes, Newton in full, to 1e-8, four steps in each of ours, and at most eight times as long as the last one where an impact has reduced them; rigid bodies with Euler parameters and joints as constraints; contacts, which have no defaults: spheres on quads and triangles (boxes and hulls by spheres in their corners, of 5 % of the smallest side), stiffness 1e6 N/m for each kg of the lighter body, critically damped where restitution is 0, else impact model 2; friction is proportional below 1 mm/s, as it comes',
  ],
])
