import type { PlacedShape } from '../contact/geometry/index.ts'

/** The default surroundings: the ground z = 0, solid below, with friction and restitution of the physical inputs. */
export function createGround(): PlacedShape {
  return {
    name: 'ground',
    body: 0,
    shape: { type: 'halfspace', normal: [0, 0, 1], offset: 0 },
    R: new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1]),
    p: new Float64Array(3),
  }
}
