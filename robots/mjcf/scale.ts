import { defaultSoftness } from '../../contact/detection/index.ts'
import type { GeomSoftness } from '../../contact/geometry/index.ts'
import type { Pose } from '../compile/pose.ts'
import type {
  ActuatorDescription,
  InertialDescription,
  JointDescription,
  OriginDescription,
  SurroundingDescription,
  Triple,
} from '../description.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Geom } from './geoms.ts'

/** Factors of `<frame scale massscale scaling>`, of all frames around an element together. */
export interface Scale {
  /** Of lengths and masses. */
  readonly length: number
  readonly mass: number
  /** Of the units of forces, springs and gains; 1 in frames whose scaling is `geometry`. */
  readonly unit: { readonly length: number; readonly mass: number }
}

export const unscaled: Scale = { length: 1, mass: 1, unit: { length: 1, mass: 1 } }

/** The scale of what is in a frame. Without massscale masses follow the volume. */
export function scaleIn(reader: Reader, frame: XmlElement, outer: Scale): Scale {
  const { attributes } = frame
  if (attributes.scale === undefined && attributes.massscale === undefined) return outer
  const what = '<frame>'
  const stated = attributes.scale === undefined ? [1] : reader.numbers(frame, 'scale', undefined, what)
  const massscale = reader.optional(frame, 'massscale', what, 0)
  if (!stated || massscale === undefined) return outer
  const [length, ...others] = stated
  if (!stated.every((x) => x > 0) || massscale < 0 || ![1, 3].includes(stated.length)) {
    reader.findings.error('frame-scale', frame, what, 'a scale that is not positive.', 'State one factor or three, above 0.')
    return outer
  }
  if (others.some((x) => x !== length)) {
    const message = `scale ${stated.join(' ')} differs by axis.`
    reader.findings.repair('mjcf-unsupported', frame, what, message, 'Left as it is; state one factor.')
    return outer
  }
  const mass = massscale === 0 ? length * length * length : massscale
  const { unit } = outer
  const isSimilar = attributes.scaling !== 'geometry'
  return {
    length: outer.length * length,
    mass: outer.mass * mass,
    unit: isSimilar ? { length: unit.length * length, mass: unit.mass * mass } : unit,
  }
}

const times = (list: readonly number[], k: number) => list.map((x) => x * k)
const times3 = ([x, y, z]: Triple, k: number): Triple => [k * x, k * y, k * z]
const moved = ({ xyz, rpy }: OriginDescription, k: number): OriginDescription => ({ xyz: times3(xyz, k), rpy })

export const scaledPose = (pose: Pose, { length }: Scale): Pose =>
  length === 1 ? pose : { R: pose.R, p: pose.p.map((x) => x * length) }

export function scaledInertial(own: InertialDescription, { length, mass }: Scale): InertialDescription {
  if (length === 1 && mass === 1) return own
  const [xx, yy, zz, xy, xz, yz] = times(own.inertia, mass * length * length)
  return { ...own, origin: moved(own.origin, length), mass: own.mass * mass, inertia: [xx, yy, zz, xy, xz, yz] }
}

function scaledGeometry<G extends SurroundingDescription['geometry']>(
  geometry: G,
  k: number,
): SurroundingDescription['geometry'] {
  switch (geometry.type) {
    case 'sphere':
      return { ...geometry, radius: k * geometry.radius }
    case 'box':
      return { ...geometry, size: times3(geometry.size, k) }
    case 'capsule':
    case 'cylinder':
      return { ...geometry, radius: k * geometry.radius, length: k * geometry.length }
    case 'ellipsoid':
      return { ...geometry, radii: times3(geometry.radii, k) }
    case 'mesh':
      return { ...geometry, scale: times3(geometry.scale, k) }
    case 'points':
      return { ...geometry, points: times(geometry.points, k) }
    case 'heightfield':
      return { ...geometry, spacing: [k * geometry.spacing[0], k * geometry.spacing[1]], heights: times(geometry.heights, k) }
    default:
      return geometry
  }
}

function scaledSoftness({ solref, solimp, solmix }: Partial<GeomSoftness> = {}, k: number): GeomSoftness {
  const own = {
    ...defaultSoftness,
    ...(solref && { solref }),
    ...(solimp && { solimp }),
    ...(solmix !== undefined && { solmix }),
  }
  return { ...own, solimp: own.solimp.map((x, at) => (at === 2 ? x * k : x)) }
}

/** Torsional and rolling friction and the depth of an impedance are lengths too. */
export function scaledGeom(own: Geom, { length, mass, unit }: Scale): Geom {
  if (length === 1 && mass === 1) return own
  const { shape, moments } = own
  const { geom, surfaceVelocity } = shape.geom
  const velocity = surfaceVelocity?.map((x, k) => (k < 3 ? x * length : x))
  const surface = {
    ...{ ...geom, spin: geom.spin * length, roll: geom.roll * length },
    ...(geom.margin !== undefined && { margin: geom.margin * length }),
    ...(geom.gap !== undefined && { gap: geom.gap * length }),
    ...(geom.adhesion !== undefined && { adhesion: geom.adhesion * unit.mass * unit.length }),
    ...(length !== 1 && { softness: scaledSoftness(geom.softness, length) }),
  }
  return {
    ...own,
    shape: {
      ...shape,
      origin: moved(shape.origin, length),
      geometry: scaledGeometry(shape.geometry, length),
      geom: { ...shape.geom, geom: surface, ...(velocity && { surfaceVelocity: velocity }) },
    } as Geom['shape'],
    moments: {
      mass: moments.mass * mass,
      first: moments.first.map((x) => x * mass * length),
      inertia: moments.inertia.map((x) => x * mass * length * length),
    },
  }
}

/** Factors of a joint's coordinate, of forces at it, and of forces per coordinate. */
function factorsOf(type: JointDescription['type'], { length, unit }: Scale) {
  const torque = unit.mass * unit.length * unit.length
  return type === 'prismatic'
    ? { coordinate: length, force: unit.mass * unit.length, stiffness: unit.mass }
    : { coordinate: 1, force: torque, stiffness: torque }
}

export const coordinateFactor = (type: JointDescription['type'], scale: Scale): number => factorsOf(type, scale).coordinate

export function scaledJoint<J extends Omit<JointDescription, 'parent' | 'child' | 'origin'>>(joint: J, scale: Scale): J {
  if (scale === unscaled) return joint
  const { coordinate, force, stiffness } = factorsOf(joint.type, scale)
  return {
    ...joint,
    lower: joint.lower * coordinate,
    upper: joint.upper * coordinate,
    effort: joint.effort * force,
    damping: joint.damping * stiffness,
    friction: joint.friction * force,
    armature: joint.armature * stiffness,
    ...(joint.effortRange && { effortRange: pair(joint.effortRange, force) }),
    ...(coordinate !== 1 && {
      softness: {
        limit: scaledSoftness(joint.softness?.limit, coordinate),
        friction: scaledSoftness(joint.softness?.friction, coordinate),
      },
    }),
    ...(joint.stiffness !== undefined && { stiffness: joint.stiffness * stiffness }),
    ...(joint.springReference !== undefined && { springReference: joint.springReference * coordinate }),
  }
}

const pair = ([low, high]: readonly [number, number], k: number) => [low * k, high * k] as const

/**
 * An actuator of a scaled joint. The input of a servo is a coordinate; of all others a number, so that forces scale by the gain.
 *
 * @param inherits whether its range is that of the joint, scaled already
 */
export function scaledActuator(
  own: ActuatorDescription,
  type: JointDescription['type'],
  scale: Scale,
  inherits: boolean,
): ActuatorDescription {
  if (scale === unscaled) return own
  const { coordinate, force, stiffness } = factorsOf(type, scale)
  const [g0, g1, g2] = own.gain
  const [b0, b1, b2] = own.bias
  const isServo = g1 === 0 && g2 === 0 && g0 !== 0 && (g0 === -b1 || (b1 === 0 && g0 === -b2))
  const input = isServo ? coordinate : 1
  const isActivation = own.dynamics === 'integrator'
  return {
    ...own,
    ...(own.pid && {
      pid: {
        ...own.pid,
        // an inherited range is that of the joint, scaled already
        ranges: own.pid.ranges.map((one, k) =>
          pair(one, own.pid!.inputs[k] === 'ff' ? force : inherits && own.pid!.inputs[k] === 'pos' ? 1 : coordinate),
        ),
        integral: own.pid.integral * stiffness,
        windup: own.pid.windup * coordinate,
        slew: own.pid.slew * coordinate,
      },
    }),
    gain: [g0 * (isServo ? stiffness : force), g1 * stiffness, g2 * stiffness],
    // above 0 the last is a damping ratio
    bias: [b0 * force, b1 * stiffness, b2 > 0 ? b2 : b2 * stiffness],
    control: pair(own.control, inherits && !isActivation ? 1 : input),
    activation: pair(own.activation, inherits && isActivation ? 1 : input),
    force: pair(own.force, force),
    armature: own.armature * stiffness,
    damping: own.damping * stiffness,
  }
}
