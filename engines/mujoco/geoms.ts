import type { PlacedShape } from '../../contact/geometry/index.ts'
import { quaternionOfRotation, rotate3 } from '../../dynamics/index.ts'
import { UnsupportedScene } from '../engine.ts'

/** A placed shape as MJCF, with further attributes. @throws UnsupportedScene for a shape that MuJoCo does not have */
export function geomElement({ name, shape, R, p }: PlacedShape, attributes: string): string {
  const q = new Float64Array(4)
  quaternionOfRotation(q, 0, R)
  const place = `pos="${p.join(' ')}" quat="${q[3]} ${q[0]} ${q[1]} ${q[2]}" ${attributes}`
  const geom = (type: string, size: readonly number[]) => `<geom type="${type}" size="${size.join(' ')}" ${place}/>`
  switch (shape.type) {
    case 'sphere':
      return geom('sphere', [Math.max(shape.radius, 1e-6)]) // MuJoCo has no spheres of radius 0
    case 'ellipsoid':
      return geom('ellipsoid', shape.radii)
    case 'box':
      return geom(
        'box',
        shape.size.map((length) => length / 2),
      )
    case 'cylinder':
    case 'capsule':
      return geom(shape.type, [shape.radius, shape.length / 2])
    case 'hull':
      // MuJoCo moves a mesh to its centre, and its geom back
      return `<geom type="mesh" mesh="${name}" ${place}/>`
    case 'halfspace': {
      const normal = new Float64Array(3)
      rotate3(normal, R, Float64Array.from(shape.normal))
      const at = p.map((x, k) => x + shape.offset * normal[k])
      return `<geom type="plane" size="0 0 1" pos="${at.join(' ')}" zaxis="${normal.join(' ')}" ${attributes}/>`
    }
    default:
      throw new UnsupportedScene(`a shape of the kind ${shape.type}, but for its hull`)
  }
}

/** The hulls among shapes, as <mesh> of <asset>. */
export function meshElements(shapes: readonly PlacedShape[]): string {
  return shapes
    .map(({ name, shape }) =>
      shape.type === 'hull' ? `<mesh name="${name}" vertex="${[...shape.polyhedron.vertices].join(' ')}"/>` : '',
    )
    .join('')
}
