import type { GeometryDescription, ShapeDescription, Triple } from '../description.ts'
import { type Reader, shorten } from '../elements/index.ts'
import type { XmlElement } from '../xml.ts'
import { readOrigin } from './origin.ts'
import { readProximity } from './surfaces.ts'

type ReadGeometry = (reader: Reader, element: XmlElement, what: string) => GeometryDescription | undefined

const geometries: ReadonlyMap<string, ReadGeometry> = new Map<string, ReadGeometry>([
  ['box', readBox],
  ['sphere', readSphere],
  ['cylinder', (reader, element, what) => readRound('cylinder', reader, element, what)],
  ['capsule', (reader, element, what) => readRound('capsule', reader, element, what)],
  ['mesh', readMesh],
])

/**
 * A `<visual>` or `<collision>`. Undefined if it holds no shape that can be used, which is a finding. Materials are left
 * to the caller.
 */
export function readShape(reader: Reader, element: XmlElement, what: string): ShapeDescription | undefined {
  const collides = element.name === 'collision'
  if (collides) reader.account.use(element)
  else reader.account.carry(element)
  const origin = readOrigin(reader, element, what)
  let friction: number | undefined
  for (const child of element.children) {
    if (collides && child.name === 'drake:proximity_properties') friction = readProximity(reader, child, what)
  }
  const geometry = readGeometry(reader, element, collides, what)
  if (geometry === undefined || origin === undefined) return undefined
  return { name: element.attributes.name ?? '', origin, geometry, friction, place: element }
}

function readGeometry(reader: Reader, element: XmlElement, collides: boolean, what: string): GeometryDescription | undefined {
  const { account, findings } = reader
  const mark = (marked: XmlElement) => (collides ? account.use(marked) : account.carry(marked))
  const missing = (place: XmlElement, where: string, message: string) => {
    if (collides) findings.repair('geometry-missing', place, where, message, 'Left out: nothing collides there.')
    else findings.warning('geometry-missing', place, where, message, 'Left out: nothing is seen there.')
  }
  const geometry = reader.only(element, 'geometry', what)
  if (!geometry) {
    missing(element, what, 'it has no <geometry>.')
    return undefined
  }
  mark(geometry)
  const shapes = geometry.children.filter((child) => geometries.has(child.name))
  if (shapes.length === 0) {
    const found = geometry.children.length === 0 ? 'nothing' : `<${geometry.children[0].name}>`
    const wanted = [...geometries.keys()].join(', ')
    missing(geometry, `<geometry> in the ${what}`, `it holds ${found}, where one of ${wanted} is expected.`)
    return undefined
  }
  const [shape] = shapes
  if (shapes.length > 1) {
    const message = `${shapes.length} shapes; URDF allows one.`
    const remedy = `The first, <${shape.name}>, is used; give each shape a <${element.name}> of its own.`
    if (collides) findings.repair('geometry-two-shapes', geometry, `<geometry> in the ${what}`, message, remedy)
    else findings.warning('geometry-two-shapes', geometry, `<geometry> in the ${what}`, message, remedy)
  }
  mark(shape)
  const whatShape = `<${shape.name}> in the ${what}`
  if (shape.name === 'mesh' && shape.attributes.filename === '') {
    missing(shape, whatShape, 'its filename is empty.')
    return undefined
  }
  return geometries.get(shape.name)!(reader, shape, whatShape)
}

function readBox(reader: Reader, element: XmlElement, what: string): GeometryDescription | undefined {
  const size = reader.triple(element, 'size', what)
  return size && checkSizes(reader, 'size', size, element, what) ? { type: 'box', size } : undefined
}

function readSphere(reader: Reader, element: XmlElement, what: string): GeometryDescription | undefined {
  const radius = readLength(reader, 'radius', element, what)
  return radius === undefined ? undefined : { type: 'sphere', radius }
}

function readRound(
  type: 'cylinder' | 'capsule',
  reader: Reader,
  element: XmlElement,
  what: string,
): GeometryDescription | undefined {
  const radius = readLength(reader, 'radius', element, what)
  const length = readLength(reader, 'length', element, what)
  return radius === undefined || length === undefined ? undefined : { type, radius, length }
}

function readMesh(reader: Reader, element: XmlElement, what: string): GeometryDescription | undefined {
  const filename = reader.required(element, 'filename', what)
  const scale = readScale(reader, element, what)
  return filename === undefined || scale === undefined ? undefined : { type: 'mesh', filename, scale }
}

/** A scale may be negative, which mirrors, or one number for all three axes, as in Drake. */
function readScale(reader: Reader, element: XmlElement, what: string): Triple | undefined {
  const text = element.attributes.scale
  if (text === undefined) return [1, 1, 1]
  const words = text.trim().split(/\s+/)
  if (words.length > 3) {
    const message = `scale="${shorten(text)}" is ${words.length} numbers, where URDF has three.`
    reader.findings.repair('scale-long', element, what, message, 'The first three are used, as by Pinocchio and Drake.')
    return readScale(reader, { ...element, attributes: { ...element.attributes, scale: words.slice(0, 3).join(' ') } }, what)
  }
  const alone = text.trim() !== '' && words.length === 1
  const factor = alone ? reader.number(element, 'scale', what) : undefined
  const scale: Triple | undefined = !alone
    ? reader.triple(element, 'scale', what)
    : factor === undefined
      ? undefined
      : [factor, factor, factor]
  if (factor !== undefined) {
    const message = `scale="${text}" is one number, where URDF has three.`
    reader.findings.repair('scale-uniform', element, what, message, 'Used in all directions; write it three times.')
  }
  if (scale?.includes(0)) {
    const message = `scale="${text}" has a 0, which makes the mesh flat.`
    reader.findings.warning('scale-zero', element, what, message, 'Used as it is; a scale of 1 leaves the mesh as it is.')
  }
  return scale
}

function readLength(reader: Reader, attribute: 'radius' | 'length', element: XmlElement, what: string): number | undefined {
  const value = reader.number(element, attribute, what)
  return value !== undefined && checkSizes(reader, attribute, [value], element, what) ? value : undefined
}

/** Zero is allowed: spheres of radius 0 are contact points. */
function checkSizes(reader: Reader, attribute: string, sizes: readonly number[], element: XmlElement, what: string): boolean {
  if (sizes.every((size) => size >= 0)) return true
  const message = `${attribute}="${sizes.join(' ')}" is negative.`
  reader.findings.error('size-negative', element, what, message, 'Lengths are metres, 0 or more.')
  return false
}
