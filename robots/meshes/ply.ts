import { type Mesh, MeshBuilder } from './mesh.ts'
import { MeshError, maxPoints } from './meshError.ts'
import { TextScanner } from './textScanner.ts'

/** Sizes in bytes of the types, whose names come in two sets. */
const sizes: ReadonlyMap<string, number> = new Map([
  ['char', 1],
  ['int8', 1],
  ['uchar', 1],
  ['uint8', 1],
  ['short', 2],
  ['int16', 2],
  ['ushort', 2],
  ['uint16', 2],
  ['int', 4],
  ['int32', 4],
  ['uint', 4],
  ['uint32', 4],
  ['float', 4],
  ['float32', 4],
  ['double', 8],
  ['float64', 8],
])

interface Property {
  readonly name: string
  readonly type: string
  /** The type of the length, of a property that is a list. */
  readonly lengthType?: string
}

interface Element {
  readonly name: string
  readonly count: number
  readonly properties: Property[]
  readonly line: number
}

/** Reads the numbers of the body one after the other. */
interface Source {
  next(type: string): number
  /** @throws MeshError if fewer than this many elements can be left */
  expect(element: Element): void
  where(): string
}

/**
 * A Stanford PLY file, ASCII or binary in either byte order, in the file's units: its vertices, and its faces as fans of
 * triangles from their first corner, which is exact for convex faces. Turk, The PLY Polygon File Format (1994).
 *
 * @throws MeshError
 */
export function readPly(bytes: Uint8Array): Mesh {
  const scanner = new TextScanner(bytes)
  if (!scanner.word() || !scanner.is('ply')) throw new MeshError('line 1: it does not begin with "ply"')
  const elements: Element[] = []
  let format = ''
  for (;;) {
    if (!scanner.nextLine()) throw new MeshError(`line ${scanner.line}: its header has no end_header`)
    if (!scanner.word() || scanner.is('comment') || scanner.is('obj_info')) continue
    if (scanner.is('end_header')) break
    if (scanner.is('format')) format = wordOf(scanner)
    else if (scanner.is('element')) elements.push(readElement(scanner))
    else if (scanner.is('property') && elements.length > 0) elements[elements.length - 1].properties.push(readProperty(scanner))
    else throw new MeshError(`line ${scanner.line}: "${scanner.text()}"; expected format, element, property or end_header`)
    if (elements.length > 100) throw new MeshError(`line ${scanner.line}: more than 100 kinds of elements`)
  }
  scanner.nextLine()
  const source = format === 'ascii' ? textSource(scanner, bytes) : binarySource(bytes, scanner.position, format, scanner.line)
  return readBody(elements, source)
}

function readBody(elements: readonly Element[], source: Source): Mesh {
  const builder = new MeshBuilder()
  for (const element of elements) {
    source.expect(element)
    const isVertex = element.name === 'vertex'
    const coordinates = element.properties.map(({ name }) => (isVertex ? ['x', 'y', 'z'].indexOf(name) : -1))
    const isCorners = element.properties.map(
      ({ name, lengthType }) =>
        lengthType !== undefined && element.name === 'face' && (name === 'vertex_indices' || name === 'vertex_index'),
    )
    if (isVertex && [0, 1, 2].some((k) => coordinates.filter((c) => c === k).length !== 1)) {
      throw new MeshError(`line ${element.line}: a vertex needs the properties x, y and z, each once`)
    }
    const point = new Float64Array(3)
    for (let i = 0; i < element.count; i++) {
      for (let p = 0; p < element.properties.length; p++) {
        const { type, lengthType } = element.properties[p]
        if (lengthType === undefined) {
          const value = source.next(type)
          if (coordinates[p] >= 0) point[coordinates[p]] = value
        } else readList(source, builder, lengthType, type, isCorners[p])
      }
      if (isVertex) builder.point(point[0], point[1], point[2])
    }
  }
  return builder.finish()
}

function readList(source: Source, builder: MeshBuilder, lengthType: string, type: string, isFace: boolean): void {
  const length = source.next(lengthType)
  if (!Number.isInteger(length) || length < 0) throw new MeshError(`${source.where()}: a list with ${length} entries`)
  let first = 0
  let previous = 0
  for (let k = 0; k < length; k++) {
    const corner = source.next(type)
    if (!isFace) continue
    if (!(Number.isInteger(corner) && corner >= 0 && corner < maxPoints)) {
      throw new MeshError(`${source.where()}: a face has the vertex ${corner}; expected 0 or more`)
    }
    if (k === 0) first = corner
    else if (k >= 2) builder.triangle(first, previous, corner)
    previous = corner
  }
}

function readElement(scanner: TextScanner): Element {
  const name = wordOf(scanner)
  const count = scanner.word() ? scanner.value() : Number.NaN
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new MeshError(`line ${scanner.line}: the count of "${name}" is "${scanner.text()}"; expected 0 or more`)
  }
  return { name, count, properties: [], line: scanner.line }
}

function readProperty(scanner: TextScanner): Property {
  const typeOf = (word: string) => {
    if (!sizes.has(word))
      throw new MeshError(`line ${scanner.line}: "${word}" is no type; expected ${[...sizes.keys()].join(', ')}`)
    return word
  }
  const word = wordOf(scanner)
  if (word !== 'list') return { type: typeOf(word), name: wordOf(scanner) }
  return { lengthType: typeOf(wordOf(scanner)), type: typeOf(wordOf(scanner)), name: wordOf(scanner) }
}

function wordOf(scanner: TextScanner): string {
  if (!scanner.word()) throw new MeshError(`line ${scanner.line}: the line ends too early`)
  return scanner.text()
}

/** Checks the size by the least length of an element: its plain properties, and the lengths of its lists. @throws MeshError */
function checkRoom({ name, count, properties, line }: Element, sizeOf: (type: string) => number, left: number): void {
  let size = 0
  for (const { type, lengthType } of properties) size += sizeOf(lengthType ?? type)
  if (count > 0 && (size === 0 || count * size > left)) {
    throw new MeshError(`line ${line}: it claims ${count} of "${name}", at least ${size} bytes each, but has ${left} bytes left`)
  }
}

function textSource(scanner: TextScanner, bytes: Uint8Array): Source {
  return {
    next: () => {
      const value = scanner.wordAnywhere() ? scanner.value() : Number.NaN
      if (!Number.isFinite(value))
        throw new MeshError(`line ${scanner.line}: "${scanner.text()}"; expected a finite decimal number`)
      return value
    },
    // a digit and a blank, but for the last
    expect: (element) => checkRoom(element, () => 2, bytes.length - scanner.position + 1),
    where: () => `line ${scanner.line}`,
  }
}

function binarySource(bytes: Uint8Array, start: number, format: string, line: number): Source {
  const little = format === 'binary_little_endian'
  if (!little && format !== 'binary_big_endian') {
    throw new MeshError(`line ${line}: the format is "${format}"; expected ascii, binary_little_endian or binary_big_endian`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = start
  return {
    next: (type) => {
      const from = at
      at += sizes.get(type)!
      if (at > bytes.length) throw new MeshError(`byte ${from}: the file ends within its elements; it is cut short`)
      switch (type) {
        case 'char':
        case 'int8':
          return view.getInt8(from)
        case 'uchar':
        case 'uint8':
          return view.getUint8(from)
        case 'short':
        case 'int16':
          return view.getInt16(from, little)
        case 'ushort':
        case 'uint16':
          return view.getUint16(from, little)
        case 'int':
        case 'int32':
          return view.getInt32(from, little)
        case 'uint':
        case 'uint32':
          return view.getUint32(from, little)
        case 'float':
        case 'float32':
          return view.getFloat32(from, little)
        default:
          return view.getFloat64(from, little)
      }
    },
    expect: (element) => checkRoom(element, (type) => sizes.get(type)!, bytes.length - at),
    where: () => `byte ${at}`,
  }
}
