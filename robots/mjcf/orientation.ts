import { crossed } from '../../dynamics/index.ts'
import { compose, identityPose, type Pose, poseAt, rotationAbout, rotationOf, rotationToZ, unitOf } from '../compile/pose.ts'
import type { Triple } from '../description.ts'
import type { Reader } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'

/** A file's compiler options for angles. */
export interface Angles {
  /** Radians of one unit. */
  readonly unit: number
  /** Axes of Euler angles: intrinsic in small letters, extrinsic in capitals. */
  readonly sequence: string
}

const axes: Readonly<Record<string, Triple>> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }

/** The pose that pos and one of quat, axisangle, euler, xyaxes and zaxis state; undefined if one cannot be read. */
export function readPose(reader: Reader, element: XmlElement, what: string, angles: Angles): Pose | undefined {
  const p = element.attributes.pos === undefined ? [0, 0, 0] : reader.triple(element, 'pos', what)
  const R = readRotation(reader, element, what, angles)
  return p && R && { R, p: Float64Array.from(p) }
}

function readRotation(reader: Reader, element: XmlElement, what: string, { unit, sequence }: Angles): Float64Array | undefined {
  const { attributes } = element
  const refuse = (name: string) => {
    reader.findings.error(
      'orientation',
      element,
      what,
      `${name}="${attributes[name]}" has no direction.`,
      'State an orientation.',
    )
    return undefined
  }
  if (attributes.axisangle !== undefined) {
    const [x, y, z, angle] = reader.numbers(element, 'axisangle', 4, what) ?? []
    if (angle === undefined) return undefined
    const axis = unitOf([x, y, z])
    return axis ? rotationAbout(axis, angle * unit) : refuse('axisangle')
  }
  if (attributes.euler !== undefined) {
    const turns = reader.triple(element, 'euler', what)
    return turns && rotationOfEuler(turns.map((angle) => angle * unit) as unknown as Triple, sequence)
  }
  if (attributes.xyaxes !== undefined) {
    const numbers = reader.numbers(element, 'xyaxes', 6, what)
    if (!numbers) return undefined
    const x = unitOf([numbers[0], numbers[1], numbers[2]])
    if (!x) return refuse('xyaxes')
    const along = x[0] * numbers[3] + x[1] * numbers[4] + x[2] * numbers[5]
    const y = unitOf([numbers[3] - along * x[0], numbers[4] - along * x[1], numbers[5] - along * x[2]])
    if (!y) return refuse('xyaxes')
    return columns(x, y, crossed(x, y))
  }
  if (attributes.zaxis !== undefined) {
    const numbers = reader.triple(element, 'zaxis', what)
    const z = numbers && unitOf(numbers)
    return numbers && (z ? rotationToZ(z) : refuse('zaxis'))
  }
  if (attributes.quat !== undefined) {
    const quat = reader.numbers(element, 'quat', 4, what)
    const [w, x, y, z] = quat ?? []
    const length = Math.hypot(w, x, y, z)
    if (!quat) return undefined
    return length > 1e-12 ? rotationOf([x / length, y / length, z / length, w / length]) : refuse('quat')
  }
  return identityPose().R
}

export function rotationOfEuler(turns: Triple, sequence: string): Float64Array {
  let R = identityPose().R
  for (let k = 0; k < 3; k++) {
    const letter = sequence[k]
    const own = rotationAbout(axes[letter.toLowerCase()], turns[k])
    R = letter === letter.toLowerCase() ? product(R, own) : product(own, R)
  }
  return R
}

function product(A: Float64Array, B: Float64Array): Float64Array {
  return compose(poseAt([0, 0, 0], A), poseAt([0, 0, 0], B)).R
}

function columns(x: Triple, y: Triple, z: Triple): Float64Array {
  return Float64Array.of(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
}
