import { RobotError } from '../diagnostics.ts'
import { decodeXml, parseXml, type XmlElement } from '../xml.ts'
import { checkMarkup } from './markup.ts'
import { type Matrix4, multiply, rotationAbout, scaling, translation, zUpFromXUp, zUpFromYUp } from './matrix4.ts'
import { type Mesh, MeshBuilder } from './mesh.ts'
import { MeshError, maxCoordinate, maxMeshBytes, maxPoints } from './meshError.ts'
import type { MeshOptions } from './options.ts'
import { TextScanner } from './textScanner.ts'

/** Most node instances that are followed; instances of nodes inside nodes multiply. */
const maxInstances = 10_000
/** Most children of instanced nodes that are visited, for the same reason. */
const maxVisits = 1_000_000
const maxDepth = 200
/** Most numbers in one list: coordinates of all vertices there may be, or corners of all triangles. */
const maxNumbers = 3 * maxPoints

/**
 * The surfaces of the scene in a COLLADA file, in metres.
 *
 * The unit is applied and so are the transforms of the nodes. The up axis is not unless `upAxis` asks for it: by the
 * convention of ROS tools the axes of a file with Y_UP are kept. Unit and axis are those of the document's
 * own asset; those of parts are ignored with a warning. Faces with many corners become fans of triangles from their first
 * corner, which is exact for convex ones; holes in them are closed. Of a skin the rest pose is used.
 *
 * @throws MeshError
 */
export function readDae(bytes: Uint8Array, { upAxis = 'ignore' }: MeshOptions = {}): Mesh {
  let root: XmlElement
  try {
    const text = decodeXml(bytes, 'dae')
    checkMarkup(text)
    root = parseXml(withoutTail(text), 'dae', { maxLength: maxMeshBytes, maxDepth, maxElements: 200_000 })
  } catch (error) {
    if (error instanceof RobotError) {
      const [{ line, message }] = error.diagnostics
      throw new MeshError(`line ${line}: ${message.replace(/\.$/, '')}`)
    }
    throw error
  }
  if (root.name !== 'COLLADA') throw new MeshError(`line ${root.line}: its root is <${root.name}>, expected <COLLADA>`)
  return new DaeReader(root, upAxis).read()
}

/** Cuts off text behind the last tag, as some exporters leave it. */
function withoutTail(text: string): string {
  const end = text.lastIndexOf('</COLLADA>')
  return end < 0 ? text : text.slice(0, end + '</COLLADA>'.length)
}

/** A geometry in its own axes and unit. */
interface Part {
  readonly points: Float64Array
  readonly triangles: Uint32Array
}

/** An instance of a geometry by a node of the scene. */
interface Instance {
  readonly element: XmlElement
  readonly outer: Matrix4
  readonly depth: number
}

class DaeReader {
  private readonly root: XmlElement
  private readonly upAxis: 'ignore' | 'apply'
  private readonly byId = new Map<string, XmlElement>()
  private readonly parts = new Map<XmlElement, Part>()
  private readonly positions = new Map<XmlElement, Float64Array>()
  private readonly matrices = new Map<XmlElement, Matrix4>()
  private readonly builder = new MeshBuilder()

  constructor(root: XmlElement, upAxis: 'ignore' | 'apply') {
    this.root = root
    this.upAxis = upAxis
    const stack = [root]
    for (let element = stack.pop(); element; element = stack.pop()) {
      const { id } = element.attributes
      if (id !== undefined && !this.byId.has(id)) this.byId.set(id, element)
      for (const child of element.children) stack.push(child)
    }
  }

  read(): Mesh {
    const axes = this.axes()
    const sceneUrl = find(find(this.root, 'scene'), 'instance_visual_scene')?.attributes.url
    const scene = this.reference(sceneUrl) ?? find(find(this.root, 'library_visual_scenes'), 'visual_scene')
    if (scene) this.addScene(scene, axes)
    else {
      // geometry without a scene is used as it is
      for (const geometry of find(this.root, 'library_geometries')?.children ?? []) this.addGeometry(geometry, axes)
    }
    return this.builder.finish()
  }

  /** From the file's axes and unit to metres, and to z up if requested. */
  private axes(): Matrix4 {
    const asset = find(this.root, 'asset')
    const unit = find(asset, 'unit')
    const meter = unit?.attributes.meter === undefined ? 1 : Number(unit.attributes.meter)
    if (!(meter > 0 && meter <= maxCoordinate)) {
      throw new MeshError(
        `line ${unit?.line ?? 0}: <unit meter="${unit?.attributes.meter.slice(0, 40)}">; expected a positive length in metres`,
      )
    }
    const up = find(asset, 'up_axis')
    this.warnOfOthers(up, unit)
    const scale = scaling(meter, meter, meter)
    if (this.upAxis === 'ignore') return scale
    switch (up?.text ?? 'Y_UP') {
      case 'Z_UP':
        return scale
      case 'Y_UP':
        return multiply(zUpFromYUp, scale)
      case 'X_UP':
        return multiply(zUpFromXUp, scale)
      default:
        throw new MeshError(`line ${up?.line ?? 0}: <up_axis> is "${up?.text.slice(0, 40)}"; expected X_UP, Y_UP or Z_UP`)
    }
  }

  /** Parts may have assets of their own, and exporters that join files leave several. */
  private warnOfOthers(up: XmlElement | undefined, unit: XmlElement | undefined): void {
    const stack = [this.root]
    for (let element = stack.pop(); element; element = stack.pop()) {
      const otherUp = element.name === 'up_axis' && element.text !== (up?.text ?? 'Y_UP')
      const otherUnit = element.name === 'unit' && Number(element.attributes.meter ?? 1) !== Number(unit?.attributes.meter ?? 1)
      if (otherUp || otherUnit) {
        this.builder.warn(`line ${element.line}: a second <${element.name}> that says otherwise; the document's own counts`)
      }
      for (const child of element.children) stack.push(child)
    }
  }

  private addScene(scene: XmlElement, axes: Matrix4): void {
    const stack: Instance[] = []
    for (const element of scene.children) if (element.name === 'node') stack.push({ element, outer: axes, depth: 0 })
    stack.reverse()
    let instances = 0
    let visits = 0
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { children } = top.element
      visits += children.length
      if (++instances > maxInstances || visits > maxVisits || top.depth > maxDepth) {
        throw new MeshError(`line ${top.element.line}: its nodes are nested or instanced without end`)
      }
      let matrix = top.outer
      for (const child of children) if (transforms.has(child.name)) matrix = multiply(matrix, this.transformOf(child))
      for (const child of children) {
        const { url } = child.attributes
        if (child.name === 'node') stack.push({ element: child, outer: matrix, depth: top.depth + 1 })
        else if (child.name === 'instance_node') {
          const element = this.required(url, child)
          if (element) stack.push({ element, outer: matrix, depth: top.depth + 1 })
        } else if (child.name === 'instance_geometry') {
          const geometry = this.required(url, child)
          if (geometry) this.addGeometry(geometry, matrix)
        } else if (child.name === 'instance_controller') this.addController(this.required(url, child), matrix)
      }
    }
  }

  /** The undeformed geometry of a skin or a morph. */
  private addController(controller: XmlElement | undefined, outer: Matrix4): void {
    let matrix = outer
    let element = controller
    for (let steps = 0; element && element.name !== 'geometry'; steps++) {
      const deformer: XmlElement | undefined = find(element, 'skin') ?? find(element, 'morph')
      if (!deformer || steps > 8) {
        throw new MeshError(`line ${element.line}: the controller "${element.attributes.id}" leads to no geometry`)
      }
      const bind = find(deformer, 'bind_shape_matrix')
      if (bind) matrix = multiply(matrix, this.transformOf(bind))
      element = this.required(deformer.attributes.source, deformer)
    }
    if (element) this.addGeometry(element, matrix)
  }

  private addGeometry(geometry: XmlElement, matrix: Matrix4): void {
    const { points, triangles } = this.partOf(geometry)
    this.builder.instance(points, triangles, matrix)
  }

  private partOf(geometry: XmlElement): Part {
    let part = this.parts.get(geometry)
    if (!part) {
      part = this.readPart(find(geometry, 'mesh') ?? find(geometry, 'convex_mesh'))
      this.parts.set(geometry, part)
    }
    return part
  }

  private readPart(mesh: XmlElement | undefined): Part {
    const vertices = find(mesh, 'vertices')
    const position = vertices?.children.find(({ name, attributes }) => name === 'input' && attributes.semantic === 'POSITION')
    if (!mesh || !position) return { points: new Float64Array(0), triangles: new Uint32Array(0) }
    const source = this.required(position.attributes.source, position)
    const points = source ? this.positionsOf(source) : new Float64Array(0)
    const corners = new CornerList(points.length / 3)
    for (const primitive of mesh.children) {
      const read = primitives.get(primitive.name)
      if (read) read(primitive, corners, this.builder)
    }
    return { points, triangles: corners.triangles() }
  }

  /** n x 3. */
  private positionsOf(source: XmlElement): Float64Array {
    let points = this.positions.get(source)
    if (!points) {
      points = readPositions(source, this.reference(find(find(source, 'technique_common'), 'accessor')?.attributes.source))
      this.positions.set(source, points)
    }
    return points
  }

  private transformOf(element: XmlElement): Matrix4 {
    let matrix = this.matrices.get(element)
    if (!matrix) {
      matrix = readTransform(element)
      this.matrices.set(element, matrix)
    }
    return matrix
  }

  private reference(url: string | undefined): XmlElement | undefined {
    return url === undefined ? undefined : this.byId.get(url.startsWith('#') ? url.slice(1) : url)
  }

  private required(url: string | undefined, where: XmlElement): XmlElement | undefined {
    const element = this.reference(url)
    if (!element) {
      this.builder.warn(`line ${where.line}: <${where.name}> refers to "${(url ?? '').slice(0, 80)}", which is not in the file`)
    }
    return element
  }
}

/** @param named the array that the accessor names, usually in the source */
function readPositions(source: XmlElement, named: XmlElement | undefined): Float64Array {
  const accessor = find(find(source, 'technique_common'), 'accessor')
  const array = find(source, 'float_array') ?? named
  if (!array) throw new MeshError(`line ${source.line}: the source "${source.attributes.id}" has no <float_array>`)
  const numbers = floats(array, maxCoordinate)
  const stride = wholeNumber(accessor, 'stride', 3)
  const offset = wholeNumber(accessor, 'offset', 0)
  if (stride < 3) throw new MeshError(`line ${accessor?.line ?? 0}: the stride of positions is ${stride}; expected 3 or more`)
  const held = Math.max(0, Math.floor((numbers.length - offset - 3) / stride) + 1)
  const count = wholeNumber(accessor, 'count', held)
  if (count > held) {
    throw new MeshError(`line ${accessor?.line ?? array.line}: it claims ${count} positions, but its <float_array> holds ${held}`)
  }
  const points = new Float64Array(3 * count)
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) points[3 * i + k] = numbers[offset + stride * i + k]
  }
  return points
}

// Primitives: each has inputs, whose offsets are the position of the vertex's index among those of a corner.

type PrimitiveReader = (primitive: XmlElement, corners: CornerList, builder: MeshBuilder) => void

const primitives: ReadonlyMap<string, PrimitiveReader> = new Map<string, PrimitiveReader>([
  [
    'triangles',
    (primitive, corners) => {
      for (const vertices of listsOf(primitive)) {
        if (vertices.length % 3 !== 0) {
          throw new MeshError(`line ${primitive.line}: <triangles> with ${vertices.length} corners; expected three each`)
        }
        for (let i = 0; i < vertices.length; i += 3) corners.add(primitive, vertices[i], vertices[i + 1], vertices[i + 2])
      }
    },
  ],
  [
    'polylist',
    (primitive, corners) => {
      const counts = find(primitive, 'vcount')
      const [vertices = new Float64Array(0)] = listsOf(primitive)
      let start = 0
      for (const count of counts ? floats(counts, maxPoints) : []) {
        if (!Number.isInteger(count) || count < 0 || start + count > vertices.length) {
          throw new MeshError(`line ${primitive.line}: <vcount> asks for more corners than the ${vertices.length} in <p>`)
        }
        addFan(primitive, corners, vertices, start, start + count)
        start += count
      }
    },
  ],
  [
    'polygons',
    (primitive, corners, builder) => {
      if (find(primitive, 'ph')) builder.warn(`line ${primitive.line}: polygons with holes; the holes are closed`)
      for (const vertices of listsOf(primitive)) addFan(primitive, corners, vertices, 0, vertices.length)
    },
  ],
  [
    'trifans',
    (primitive, corners) => {
      for (const vertices of listsOf(primitive)) addFan(primitive, corners, vertices, 0, vertices.length)
    },
  ],
  [
    'tristrips',
    (primitive, corners) => {
      for (const vertices of listsOf(primitive)) {
        // every second triangle has the opposite orientation
        for (let i = 0; i + 2 < vertices.length; i++) {
          corners.add(primitive, vertices[i], vertices[i + 1 + (i % 2)], vertices[i + 2 - (i % 2)])
        }
      }
    },
  ],
])

function addFan(primitive: XmlElement, corners: CornerList, vertices: Float64Array, start: number, end: number): void {
  for (let i = start + 2; i < end; i++) corners.add(primitive, vertices[start], vertices[i - 1], vertices[i])
}

/** The vertex of each corner, of each `<p>` (which may be in a `<ph>`). */
function listsOf(primitive: XmlElement): Float64Array[] {
  let stride = 1
  let offset = -1
  for (const input of primitive.children) {
    if (input.name !== 'input') continue
    const at = wholeNumber(input, 'offset', 0)
    if (at >= 64) throw new MeshError(`line ${input.line}: an input with offset ${at}; expected less than 64`)
    stride = Math.max(stride, at + 1)
    if (input.attributes.semantic === 'VERTEX' && offset < 0) offset = at
  }
  const lists: Float64Array[] = []
  for (const child of primitive.children) {
    const p = child.name === 'ph' ? find(child, 'p') : child.name === 'p' ? child : undefined
    if (!p) continue
    if (offset < 0) throw new MeshError(`line ${primitive.line}: <${primitive.name}> has no input with the semantic VERTEX`)
    const indices = floats(p, maxPoints)
    if (indices.length % stride !== 0) {
      throw new MeshError(`line ${p.line}: ${indices.length} indices in <p>; expected a multiple of ${stride}`)
    }
    const vertices = new Float64Array(indices.length / stride)
    for (let i = 0; i < vertices.length; i++) vertices[i] = indices[stride * i + offset]
    lists.push(vertices)
  }
  return lists
}

/** Triangles whose corners have been found to be vertices. */
class CornerList {
  private data = new Uint32Array(48)
  private length = 0
  private readonly count: number

  /** @param count how many vertices there are */
  constructor(count: number) {
    this.count = count
  }

  add(primitive: XmlElement, a: number, b: number, c: number): void {
    if (this.length + 3 > this.data.length) {
      const grown = new Uint32Array(2 * this.data.length)
      grown.set(this.data)
      this.data = grown
    }
    this.data[this.length++] = this.checked(primitive, a)
    this.data[this.length++] = this.checked(primitive, b)
    this.data[this.length++] = this.checked(primitive, c)
  }

  triangles(): Uint32Array {
    return this.data.subarray(0, this.length)
  }

  private checked(primitive: XmlElement, index: number): number {
    if (!(Number.isInteger(index) && index >= 0 && index < this.count)) {
      throw new MeshError(
        `line ${primitive.line}: <${primitive.name}> has vertex ${index}; expected one of the ${this.count} from 0`,
      )
    }
    return index
  }
}

// Elements

/** All numbers in an element's text. @throws MeshError if a word is no finite number up to `largest`, or there are too many */
function floats(element: XmlElement, largest: number): Float64Array {
  const bytes = new TextEncoder().encode(element.text)
  const scanner = new TextScanner(bytes)
  let numbers = new Float64Array(Math.min(maxNumbers, (bytes.length >> 2) + 16)) // few numbers are shorter
  let length = 0
  while (scanner.wordAnywhere()) {
    const value = scanner.value()
    if (!(Math.abs(value) <= largest)) {
      throw new MeshError(
        `line ${element.line}: number ${length + 1} in <${element.name}> is "${scanner.text()}"; expected a finite number up to ${largest}`,
      )
    }
    if (length === numbers.length) {
      if (length === maxNumbers) {
        throw new MeshError(`line ${element.line}: more than ${maxNumbers} numbers in <${element.name}>, the most that are read`)
      }
      const grown = new Float64Array(Math.min(maxNumbers, 2 * length))
      grown.set(numbers)
      numbers = grown
    }
    numbers[length++] = value
  }
  return numbers.slice(0, length)
}

function find(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name)
}

function wholeNumber(element: XmlElement | undefined, attribute: string, otherwise: number): number {
  const text = element?.attributes[attribute]
  if (element === undefined || text === undefined) return otherwise
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new MeshError(`line ${element.line}: ${attribute}="${text.slice(0, 40)}" of <${element.name}>; expected 0 or more`)
  }
  return value
}

/** Numbers in each transform of a node. */
const transforms: ReadonlyMap<string, number> = new Map([
  ['matrix', 16],
  ['translate', 3],
  ['rotate', 4],
  ['scale', 3],
  ['lookat', 9],
  ['skew', 7],
])

function readTransform(element: XmlElement): Matrix4 {
  const n = floats(element, maxCoordinate)
  const wanted = transforms.get(element.name) ?? 16
  if (n.length !== wanted) {
    throw new MeshError(`line ${element.line}: <${element.name}> has ${n.length} numbers; expected ${wanted}`)
  }
  switch (element.name) {
    case 'translate':
      return translation(n[0], n[1], n[2])
    case 'scale':
      return scaling(n[0], n[1], n[2])
    case 'rotate':
      return rotationAbout(n[0], n[1], n[2], (n[3] * Math.PI) / 180)
    case 'lookat':
    case 'skew':
      throw new MeshError(`line ${element.line}: <${element.name}> is not read; expected matrix, translate, rotate or scale`)
    default:
      if (n[12] !== 0 || n[13] !== 0 || n[14] !== 0 || n[15] !== 1) {
        throw new MeshError(
          `line ${element.line}: the last row of <${element.name}> is ${n.slice(12).join(' ')}; expected 0 0 0 1`,
        )
      }
      return Array.from(n)
  }
}
