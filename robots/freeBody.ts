import { surfaceKinds } from '../contact/geometry/expected.ts'
import { checkShape, type PlacedShape, type Shape, type Surface, solidOf } from '../contact/geometry/index.ts'
import { buildModel, JointType } from '../dynamics/index.ts'
import * as is from '../dynamics/math/arguments.ts'
import { nearestInertia } from './compile/massProperties.ts'
import type { Robot } from './robot.ts'

export interface FreeBodyOptions extends Surface, Pick<PlacedShape, 'surfaceVelocity'> {
  readonly name: string
  readonly shape: Shape
  /** [kg]; or else `density` [kg/m³] of the solid shape. One of both. */
  readonly mass?: number
  readonly density?: number
  /** Centre of mass in the shape's axes [m]. Default: the shape's centroid. */
  readonly centerOfMass?: readonly [number, number, number]
  /** About the centre of mass, in the shape's axes: xx, yy, zz, xy, xz, yz [kg m²]. Default: that of the solid shape. */
  readonly inertia?: readonly [number, number, number, number, number, number]
  /** Initial pose: the shape's origin in the world [m], and its orientation as x, y, z, w. Default: the origin, unrotated. */
  readonly position?: readonly [number, number, number]
  readonly quaternion?: readonly [number, number, number, number]
  /** [m/s²]. Default [0, 0, -9.81]. */
  readonly gravity?: readonly [number, number, number]
}

const bodyKind = is.fields<FreeBodyOptions>(
  { name: is.text, shape: () => '' },
  {
    ...{ ...surfaceKinds, surfaceVelocity: is.either(is.numbers(6), is.callback), mass: is.positive(' [kg]') },
    ...{ density: is.positive(' [kg/m³]'), centerOfMass: is.numbers(3), inertia: is.numbers(6), gravity: is.numbers(3) },
    ...{ position: is.numbers(3), quaternion: is.numbers(4) },
  },
)
const surfaceNames = [...(Object.keys(surfaceKinds) as (keyof Surface)[]), 'surfaceVelocity'] as const

/**
 * A free rigid body: a robot of one link on a floating base, whose axes are the shape's.
 *
 * @throws GeometryError for invalid numbers of a shape
 * @throws RangeError if mass and density are both given or both missing, are not positive, or the shape has no volume to
 *   compute them from; or for a physically impossible inertia: not finite, not positive definite, or one principal moment above
 *   the sum of the others
 */
export function createFreeBody(options: FreeBodyOptions): Robot {
  is.check(options, bodyKind, `body "${options?.name}": `)
  is.check(options, bodyKind, 'body: ')
  const { name, shape, position = [0, 0, 0], quaternion = [0, 0, 0, 1], gravity } = options
  const surface: Surface = Object.fromEntries(surfaceNames.map((key) => [key, options[key]]))
  checkShape(shape, name)
  const { mass, centerOfMass, inertia } = massOf(options)
  const model = buildModel(
    name,
    [{ name, jointName: 'base', parent: 0, jointType: JointType.floating, mass, centerOfMass, inertia }],
    gravity,
  )
  const R = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
  const p = new Float64Array(3)
  return {
    ...oneFreeBody,
    name,
    model,
    poses: [],
    frames: [{ name, body: 1, R, p }],
    shapes: [{ name, link: name, body: 1, shape, R, p, ...surface }],
    home: Float64Array.of(...position, ...quaternion),
    massDeclared: mass,
    massUsed: mass,
  }
}

/** What all robots of one free body have in common. */
export const oneFreeBody = {
  floating: true,
  joints: [],
  freeJoints: [],
  mimics: [],
  disabledCollisions: [],
  overlaps: [],
  diagnostics: [],
  tags: { used: [], carried: [], ignored: [] },
  counts: { links: 1, joints: { revolute: 0, continuous: 0, prismatic: 0, fixed: 0, floating: 0, planar: 0, mimic: 0 } },
  worldMoments: new Float64Array(4),
} as const

function massOf({ name, shape, mass, density, centerOfMass, inertia }: FreeBodyOptions) {
  if ((mass === undefined) === (density === undefined)) {
    throw new RangeError(`body "${name}": give its mass or its density, one of both; found ${mass} kg and ${density} kg/m³`)
  }
  const solid = solidOf(shape)
  const given = mass ?? (density as number) * solid.volume
  if (!(given > 0 && given < Infinity)) {
    const found = `a density of ${density} kg/m³ on a volume of ${solid.volume} m³`
    throw new RangeError(`body "${name}" has ${found}; its mass must be a positive number`)
  }
  if (!(solid.volume > 0) && inertia === undefined) {
    throw new RangeError(`body "${name}" is a ${shape.type} without a volume; state its inertia`)
  }
  if (inertia !== undefined) checkInertia(name, inertia)
  const k = given / solid.volume
  return {
    mass: given,
    centerOfMass: centerOfMass ?? solid.centroid,
    inertia: inertia ?? (solid.inertia.map((x) => k * x) as unknown as NonNullable<FreeBodyOptions['inertia']>),
  }
}

function checkInertia(name: string, inertia: NonNullable<FreeBodyOptions['inertia']>): void {
  const stated = `body "${name}" has the inertia [${inertia.join(', ')}] kg m²`
  const { verdict, moments } = nearestInertia(inertia)
  if (verdict === 'valid') return
  const found = `${stated}, whose principal moments are ${moments.map((x) => Number(x.toPrecision(6))).join(', ')}`
  if (verdict === 'triangle') throw new RangeError(`${found}; no body has one that is larger than the sum of the other two`)
  throw new RangeError(`${found}; they must be positive`)
}
