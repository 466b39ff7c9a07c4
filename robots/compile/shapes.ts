import { hullOf, type PlacedShape, type Shape } from '../../contact/geometry/index.ts'
import type { GeometryDescription, LinkDescription, ShapeDescription, SurroundingDescription } from '../description.ts'
import type { CollisionShape } from '../robot.ts'
import type { Group } from './groups.ts'
import type { MeshStore } from './meshStore.ts'
import { compose, type Pose, poseOfOrigin } from './pose.ts'

/** A shape with its pose. */
export interface SeatedShape extends Pose {
  readonly shape: Shape
}

/** The shape of one `<visual>` or `<collision>`; undefined for a mesh that cannot be loaded. @unchecked */
export function shapeOf({ geometry, place }: ShapeDescription, meshes: MeshStore): Shape | undefined {
  if (geometry.type === 'points') return meshes.hullOfPoints(geometry.points)
  if (geometry.type !== 'mesh') return solidShape(geometry)
  return geometry.concave ? meshes.solid(geometry, place, geometry.concave)?.shape : meshes.hull(geometry, place).shape
}

/** The shapes among `descriptions` that can be loaded, in the axes of their link. */
export function seatedShapes(descriptions: readonly ShapeDescription[], meshes: MeshStore): SeatedShape[] {
  return descriptions.flatMap((description) => {
    const shape = shapeOf(description, meshes)
    return shape ? [{ shape, ...poseOfOrigin(description.origin) }] : []
  })
}

/** The collision shapes of all groups, in the axes of their bodies; the body of a group is its place in the list. */
export function collisionShapes(groups: readonly Group[], meshes: MeshStore): CollisionShape[] {
  return groups.flatMap(({ links }, body) =>
    links.flatMap(({ link, pose }) => {
      const shapes = shapesOnBody(link, body, pose, meshes)
      if (body === 0 || links.length === 1 || !shapes.some(({ geom }) => geom)) return shapes
      const linkCenter = link.inertial ? compose(pose, poseOfOrigin(link.inertial.origin)).p : pose.p
      return shapes.map((shape) => ({ ...shape, linkCenter }))
    }),
  )
}

function shapesOnBody(link: LinkDescription, body: number, pose: Pose, meshes: MeshStore): CollisionShape[] {
  const { name, collisions } = link
  return collisions.flatMap((collision, k) => {
    const shape = shapeOf(collision, meshes)
    if (!shape) return []
    return {
      name: collisions.length === 1 ? name : `${name}#${k + 1}`,
      link: name,
      body,
      shape,
      ...compose(pose, poseOfOrigin(collision.origin)),
      ...frictionOf(collision, link),
      ...collision.geom,
      // more than 1 would add energy at each impact; the doctor reports that it was clamped
      restitution: link.restitution === undefined ? undefined : Math.min(1, link.restitution),
      stiffness: link.contact?.stiffness,
      damping: link.contact?.damping,
    }
  })
}

/** Friction of a shape, by direction too: its own, else its link's. */
export function frictionOf(shape: Pick<ShapeDescription, 'friction' | 'frictionAcross' | 'frictionAxis'>, link: typeof shape) {
  const { friction, frictionAcross, frictionAxis } = shape.friction === undefined ? link : shape
  return frictionAcross === undefined ? { friction } : { friction, frictionAcross, frictionAxis }
}

/** Fixed shapes of the environment, in world axes. */
export function surroundingShapes(surroundings: readonly SurroundingDescription[], meshes: MeshStore): PlacedShape[] {
  return surroundings.flatMap((stated, k): PlacedShape[] => {
    const { name, origin, geometry, geom, place } = stated
    const shape: Shape | undefined =
      geometry.type === 'plane'
        ? { type: 'halfspace', normal: [0, 0, 1], offset: 0 }
        : geometry.type === 'heightfield'
          ? { ...geometry, heights: meshes.heightsOf(geometry.heights) }
          : shapeOf({ name, origin, geometry, place }, meshes)
    if (!shape) return []
    const own = { ...poseOfOrigin(origin), ...frictionOf(stated, stated), ...(geom && { ...geom, link: 'world' }) }
    return [{ name: name === '' ? `surrounding${k + 1}` : name, body: 0, shape, ...own }]
  })
}

/** A point for a shape without extent; a thin hull for boxes without thickness and rods without radius. */
function solidShape(geometry: Exclude<GeometryDescription, { type: 'mesh' | 'points' }>): Shape {
  switch (geometry.type) {
    case 'ellipsoid':
      return { type: 'ellipsoid', radii: geometry.radii }
    case 'sphere':
      return { type: 'sphere', radius: geometry.radius }
    case 'box': {
      const [x, y, z] = geometry.size
      if (x > 0 && y > 0 && z > 0) return { type: 'box', size: geometry.size }
      if (x === 0 && y === 0 && z === 0) return { type: 'sphere', radius: 0 }
      const corners = [-0.5, 0.5].flatMap((a) => [-0.5, 0.5].flatMap((b) => [-0.5, 0.5].flatMap((c) => [a * x, b * y, c * z])))
      return { type: 'hull', polyhedron: hullOf(Float64Array.from(corners)) }
    }
    case 'cylinder':
    case 'capsule': {
      const { radius, length } = geometry
      if (radius > 0) return { type: geometry.type, radius, length }
      if (length === 0) return { type: 'sphere', radius: 0 }
      return { type: 'hull', polyhedron: hullOf(Float64Array.of(0, 0, -length / 2, 0, 0, length / 2)) }
    }
  }
}
