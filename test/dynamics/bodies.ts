import { type BodyDefinition, JointType } from '../../dynamics/index.ts'

type Vector = readonly [number, number, number]
type Joint = Pick<BodyDefinition, 'jointName' | 'parent' | 'jointType' | 'axis' | 'position'>
type Solid = Pick<BodyDefinition, 'mass' | 'centerOfMass' | 'inertia'>

/** A body of a model, as its joint and its inertia make it. */
export const body = (name: string, joint: Joint, solid: Solid, more: Partial<BodyDefinition> = {}): BodyDefinition => ({
  name,
  ...joint,
  ...solid,
  ...more,
})

/** A revolute joint; `position` is its origin in the parent [m]. */
export const hinge = (jointName: string, parent: number, axis: Vector, position?: Vector): Joint => ({
  jointName,
  parent,
  jointType: JointType.revolute,
  axis,
  position,
})

/** A prismatic one. */
export const slide = (jointName: string, parent: number, axis: Vector, position?: Vector): Joint => ({
  ...hinge(jointName, parent, axis, position),
  jointType: JointType.prismatic,
})

/** A floating one, from the world. */
export const free = (jointName: string, position?: Vector): Joint => ({
  jointName,
  parent: 0,
  jointType: JointType.floating,
  position,
})

/** A mass [kg] with principal moments about its centre [kg m²], which is in the body's axes [m]. */
export const solid = (mass: number, [xx, yy, zz]: Vector, centerOfMass?: Vector): Solid => ({
  mass,
  centerOfMass,
  inertia: [xx, yy, zz, 0, 0, 0],
})
