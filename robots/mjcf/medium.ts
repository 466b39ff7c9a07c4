import type { EllipsoidCoefficients, Medium } from '../../dynamics/index.ts'
import { sidesOfBox } from '../compile/medium.ts'
import { type Pose, poseOfOrigin, poseToOrigin } from '../compile/pose.ts'
import type { FluidDescription, LinkDescription, RobotDescription, Triple } from '../description.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import type { Geom } from './geoms.ts'

/** A body in a medium: its link, the frame of its principal axes, and its geoms that are ellipsoids there. */
export interface Immersed {
  readonly link: LinkDescription
  readonly frame: Pose
  readonly shaped: readonly { readonly geom: Geom; readonly frame: Pose }[]
}

/** The medium of `<option>`, with the parts of all bodies; undefined where neither the file nor a geom has one. */
export function readMedium(reader: Reader, options: XmlElement, immersed: readonly Immersed[]): RobotDescription['fluid'] {
  const what = '<option>'
  const number = (name: string) => reader.optional(options, name, what, 0) ?? 0
  const [x, y, z] = options.attributes.wind === undefined ? [0, 0, 0] : (reader.triple(options, 'wind', what) ?? [0, 0, 0])
  const medium: Medium = { density: number('density'), viscosity: number('viscosity'), wind: [x, y, z] }
  const isShaped = immersed.some(({ shaped }) => shaped.length > 0)
  if (!(medium.density > 0 || medium.viscosity > 0) && !isShaped) return undefined
  return { ...medium, parts: immersed.flatMap(partsOf) }
}

/** The ellipsoids of a body, or the box of its inertia. */
function partsOf({ link, frame, shaped }: Immersed): FluidDescription[] {
  const { inertial } = link
  if (!inertial || inertial.mass < 1e-15) return []
  if (shaped.length > 0)
    return shaped.map(({ geom, frame: own }) => {
      const size = halfAxes(geom.shape.geometry)
      return { at: { link: link.name, origin: poseToOrigin(own) }, size, ellipsoid: coefficientsOf(size, geom.fluid!) }
    })
  const size = sidesOfBox(inertial.mass, inertial.inertia, poseOfOrigin(inertial.origin), frame)
  return [{ at: { link: link.name, origin: poseToOrigin(frame) }, size }]
}

/** Half axes of the ellipsoid that stands for a shape. */
function halfAxes(geometry: Geom['shape']['geometry']): Triple {
  switch (geometry.type) {
    case 'sphere':
      return [geometry.radius, geometry.radius, geometry.radius]
    case 'capsule':
      return [geometry.radius, geometry.radius, geometry.length / 2 + geometry.radius]
    case 'cylinder':
      return [geometry.radius, geometry.radius, geometry.length / 2]
    case 'box':
      return [geometry.size[0] / 2, geometry.size[1] / 2, geometry.size[2] / 2]
    case 'ellipsoid':
      return geometry.radii
    default:
      return [0, 0, 0]
  }
}

/** `fluidcoef` of a geom with the shape of an ellipsoid; undefined of others, and after a finding for shapes that have none here. */
export function readFluidShape(reader: Reader, element: XmlElement, what: string, type: string): Geom['fluid'] {
  const { fluidshape = 'none', fluidcoef } = element.attributes
  if (fluidshape !== 'ellipsoid') return undefined
  if (type === 'mesh' || type === 'points') {
    reader.findings.repair(
      'mjcf-unsupported',
      element,
      what,
      'the ellipsoid of a mesh in a medium.',
      'The box of its body is used.',
    )
    return undefined
  }
  const stated = fluidcoef === undefined ? [] : (reader.numbers(element, 'fluidcoef', undefined, what) ?? [])
  const [blunt = 0.5, slender = 0.25, angular = 1.5, kutta = 1, magnus = 1] = stated
  return { blunt, slender, angular, kutta, magnus }
}

/** Added masses of an ellipsoid: those of Lamb (1932, chapter 5) and Newman (Marine Hydrodynamics, 1977, section 4.12). */
function coefficientsOf(size: Triple, own: NonNullable<Geom['fluid']>): EllipsoidCoefficients {
  const [a, b, c] = size
  const volume = (4 / 3) * Math.PI * a * b * c
  const k = [kappa(a, b, c), kappa(b, c, a), kappa(c, a, b)] as const
  const least = 2 ** -52 // where MuJoCo cuts a denominator
  const mass = (own: number) => (volume * own) / Math.max(least, 2 - own)
  const inertia = (p: number, q: number, kp: number, kq: number) => {
    const difference = p * p - q * q
    const denominator = Math.abs(2 * difference + (p * p + q * q) * (kp - kq))
    return (volume * ((difference * difference * Math.abs(kq - kp)) / Math.max(least, denominator))) / 5
  }
  return {
    ...own,
    addedMass: [mass(k[0]), mass(k[1]), mass(k[2])],
    addedInertia: [inertia(b, c, k[1], k[2]), inertia(c, a, k[2], k[0]), inertia(a, b, k[0], k[1])],
  }
}

/** The positive nodes of Kronrod's rule of 15 points on [-1, 1] and their weights (Piessens et al., QUADPACK, 1983). */
const nodes = [
  0.9914553711208126, 0.9491079123427585, 0.8648644233597691, 0.7415311855993945, 0.5860872354676911, 0.4058451513773972,
  0.20778495500789848, 0,
]
const weights = [
  0.022935322010529224, 0.06309209262997856, 0.10479001032225019, 0.14065325971552592, 0.1690047266392679, 0.19035057806478542,
  0.20443294007529889, 0.20948214108472782,
]

const eightDigits = (x: number) => Math.round(x * 1e8) / 1e8

/** x^(2/5) by Newton's method from above, with the same bits in every engine. @param most at least x^(1/5) */
function fifthRootOfSquare(x: number, most: number): number {
  let root = most * most
  for (;;) {
    const next = (4 * root + (x * x) / (root * root * root * root)) / 5
    if (!(next < root)) return root
    root = next
  }
}

/**
 * a b c times the integral of 1 / sqrt((a² + l)³ (b² + l) (c² + l)) over l from 0 to infinity, with l = x³ / (1 - x)² times a scale, by 15 points
 * whose places and weights have eight digits, as MuJoCo has them: the integral to 1e-7.
 */
function kappa(a: number, b: number, c: number): number {
  const scale = fifthRootOfSquare(a * a * a * b * c, Math.max(a, b, c))
  let sum = 0
  nodes.forEach((node, n) => {
    const weight = eightDigits(weights[n] / 2)
    for (const x of node === 0 ? [0.5] : [eightDigits((1 - node) / 2), eightDigits((1 + node) / 2)]) {
      const l = (scale * x * x * x) / ((1 - x) * (1 - x))
      const rate = (x * x * (3 - x)) / ((1 - x) * (1 - x) * (1 - x))
      const [fa, fb, fc] = [1 + l / (a * a), 1 + l / (b * b), 1 + l / (c * c)]
      sum += (weight * scale * rate) / (fa * Math.sqrt(fa * fb * fc))
    }
  })
  return sum / (a * a)
}
