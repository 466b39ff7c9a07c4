import { rotateTransposed3 } from '../../dynamics/index.ts'
import { compose, type Pose, poseAt, rotationToZ, type StatedPose, unitOf } from '../compile/pose.ts'
import type { SurroundingDescription, Triple } from '../description.ts'
import { directedFriction } from '../urdf/surfaces.ts'
import type { XmlElement } from '../xml.ts'
import { descend, type Values } from './values.ts'

/** A `<visual>` or `<collision>`: its shape in the axes of its own `<pose>`, and its surface. */
export interface SdfShape {
  readonly geometry: SurroundingDescription['geometry']
  /** Of the shape in the axes of the element's pose; undefined where it is the same. */
  readonly pose?: Pose
  /** Its axis is in the axes of the shape. */
  readonly friction: Pick<SurroundingDescription, 'friction' | 'frictionAcross' | 'frictionAxis'>
  readonly restitution?: number
  /** Of the body that it fills, for `<inertial auto="true">` [kg/m^3]. */
  readonly density?: number
}

type Geometry = Pick<SdfShape, 'geometry' | 'pose'>

/** Reads the shapes of links and their surfaces. */
export class Shapes {
  private readonly values: Values

  constructor(values: Values) {
    this.values = values
  }

  /** @returns undefined where it has no shape, or one without a counterpart here */
  read(element: XmlElement, what: string): SdfShape | undefined {
    const { reader } = this.values
    const { account } = reader
    const collides = element.name === 'collision'
    if (collides) account.use(element)
    else account.carryTree(element)
    const geometry = reader.only(element, 'geometry', what)
    const shape = geometry?.children[0]
    if (!geometry || !shape) return undefined
    if (collides) for (const part of [geometry, shape, ...shape.children]) account.use(part)
    const read = this.geometry(shape, what, collides)
    if (!read || !collides) return read && { ...read, friction: {} }
    const restitution = this.coefficient(element, ['surface', 'bounce', 'restitution_coefficient'], what)
    const density = this.coefficient(element, ['density'], what)
    return { ...read, friction: this.friction(element, what, read.pose), restitution, density }
  }

  /** `mu` along `fdir1`, `mu2` across it. */
  private friction(element: XmlElement, what: string, pose?: Pose): SdfShape['friction'] {
    const { reader } = this.values
    const mu = this.coefficient(element, ['surface', 'friction', 'ode', 'mu'], what)
    const mu2 = this.coefficient(element, ['surface', 'friction', 'ode', 'mu2'], what)
    const fdir1 = descend(element, ['surface', 'friction', 'ode', 'fdir1'])
    for (const part of fdir1 ?? []) reader.account.use(part)
    const stated = fdir1 && this.values.numbers(fdir1[fdir1.length - 1], 3, what)
    if (mu2 === undefined || mu2 === (mu ?? 1)) return { friction: mu }
    const directed = directedFriction(reader, element, what, [mu ?? 1, mu2], stated)
    const frame = Object.entries(fdir1?.at(-1)?.attributes ?? {}).find(
      ([key, value]) => /expressed_in$/.test(key) && value !== '',
    )
    if (frame)
      reader.findings.repair(
        'friction-anisotropic',
        element,
        what,
        `fdir1 in the frame ${frame[1]}.`,
        'Taken in axes of the shape.',
      )
    const { frictionAxis } = directed
    if (!pose || frictionAxis === 'world') return directed
    const axis = Float64Array.from(frictionAxis)
    rotateTransposed3(axis, pose.R, axis)
    return { ...directed, frictionAxis: [axis[0], axis[1], axis[2]] }
  }

  private coefficient(element: XmlElement, path: readonly string[], what: string): number | undefined {
    const parts = descend(element, path)
    if (!parts) return undefined
    for (const part of parts) this.values.reader.account.use(part)
    const value = this.values.numbers(parts[parts.length - 1], 1, what)?.[0]
    return value !== undefined && value >= 0 ? value : undefined
  }

  private geometry(shape: XmlElement, what: string, collides: boolean): Geometry | undefined {
    const { values } = this
    const { findings } = values.reader
    const size = (name: string) => values.number(shape, name, what, 1)
    const positive = <T extends SurroundingDescription['geometry']>(geometry: T, sizes: readonly number[]) => {
      if (sizes.every((x) => x >= 0)) return { geometry }
      const message = `a ${shape.name} of size ${sizes.join(' ')}.`
      findings.error('size-negative', shape, what, message, 'Lengths are metres, 0 or more.')
      return undefined
    }
    const child = (name: string) => shape.children.find((inner) => inner.name === name)
    const triple = (name: string, otherwise: Triple) => {
      const found = child(name)
      const numbers = found ? values.numbers(found, 3, what) : otherwise
      return numbers && ([numbers[0], numbers[1], numbers[2]] as Triple)
    }
    switch (shape.name) {
      case 'box': {
        const sizes = triple('size', [1, 1, 1])
        return sizes && positive({ type: 'box', size: sizes }, sizes)
      }
      case 'sphere':
        return positive({ type: 'sphere', radius: size('radius') }, [size('radius')])
      case 'cylinder':
      case 'capsule': {
        const sizes = { radius: size('radius'), length: size('length') }
        return positive({ type: shape.name, ...sizes }, Object.values(sizes))
      }
      case 'ellipsoid': {
        const radii = triple('radii', [1, 1, 1])
        return radii && positive({ type: 'ellipsoid', radii }, radii)
      }
      case 'plane': {
        const normal = triple('normal', [0, 0, 1])
        const unit = normal && unitOf(normal)
        return unit && { geometry: { type: 'plane' }, pose: poseAt([0, 0, 0], rotationToZ(unit)) }
      }
      case 'mesh': {
        const scale = triple('scale', [1, 1, 1])
        if (child('submesh') && collides)
          this.unsupported(shape, what, 'a part of a mesh is named (<submesh>).', 'All of the file is used.')
        return scale && { geometry: { type: 'mesh', filename: child('uri')?.text ?? '', scale } }
      }
      case 'empty':
        return undefined
      default:
        if (collides)
          this.unsupported(shape, `<${shape.name}> in the ${what}`, 'this shape has no counterpart here.', 'Left out.')
        return undefined
    }
  }

  private unsupported(place: XmlElement, what: string, message: string, done: string): void {
    this.values.reader.findings.repair('sdf-unsupported', place, what, message, done)
  }
}

/** The pose of a shape from that of its element. */
export const shapePose = (element: StatedPose, { pose }: SdfShape): StatedPose => (pose ? compose(element, pose) : element)
