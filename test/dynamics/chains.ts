import { type BodyDefinition, buildModel, JointType, type Model, type Random } from '../../dynamics/index.ts'
import { body, hinge, solid } from './bodies.ts'
import { randomInertia, randomRotation, randomTriple, randomUnit } from './randomTree.ts'

/** n links in a row, each on a revolute joint about a random axis at the end of the one before; link k has the mass mass(k) [kg]. */
export function randomChain(random: Random, n: number, mass: (k: number) => number, base?: 'floating'): Model {
  const bodies = Array.from({ length: n }, (_, k): BodyDefinition => {
    const floats = k === 0 && base === 'floating'
    const m = mass(k)
    return {
      name: `link ${k + 1}`,
      jointName: `joint ${k + 1}`,
      parent: k,
      jointType: floats ? JointType.floating : JointType.revolute,
      axis: randomUnit(random),
      rotation: k === 0 ? undefined : randomRotation(random),
      position: k === 0 ? undefined : randomTriple(random, 0.3),
      mass: m,
      centerOfMass: randomTriple(random, 0.1),
      inertia: randomInertia(random, m),
    }
  })
  return buildModel(`chain of ${n}`, bodies)
}

/** Point masses at the ends of massless rods of length l, hinged about y; straight along x at q = 0. */
export function pointChain(masses: readonly number[], l: number): Model {
  const bodies = masses.map(
    (mass, k): BodyDefinition =>
      body(`link ${k + 1}`, hinge(`joint ${k + 1}`, k, [0, 1, 0], [k === 0 ? 0 : l, 0, 0]), solid(mass, [0, 0, 0], [l, 0, 0])),
  )
  return buildModel('point chain', bodies)
}

/** A body in three rings about z, y and x, all through its centre of mass. The rings have no mass. */
export function gimbal(inertia: BodyDefinition['inertia']): Model {
  const ring = { mass: 0, inertia: [0, 0, 0, 0, 0, 0] as BodyDefinition['inertia'], jointType: JointType.revolute }
  return buildModel('gimbal', [
    { ...ring, name: 'outer', jointName: 'yaw', parent: 0, axis: [0, 0, 1] },
    { ...ring, name: 'middle', jointName: 'pitch', parent: 1, axis: [0, 1, 0] },
    { ...ring, name: 'rotor', jointName: 'roll', parent: 2, axis: [1, 0, 0], mass: 2, inertia },
  ])
}
