import { identity, type Matrix4, multiply, rotationOf, scaling, translation, zUpFromYUp } from './matrix4.ts'
import { type Mesh, MeshBuilder } from './mesh.ts'
import { MeshError, maxCoordinate, maxMeshBytes, maxPoints } from './meshError.ts'
import type { MeshOptions } from './options.ts'

const magic = 0x46546c67 // glTF
const jsonChunk = 0x4e4f534a // JSON
const binaryChunk = 0x004e4942 // BIN

/** Most values in the JSON; each takes some hundred bytes once it is parsed. */
const maxJsonValues = 500_000

/** Extensions that encode the geometry, so that it cannot be read without them. */
const unread: ReadonlySet<string> = new Set(['KHR_draco_mesh_compression', 'EXT_meshopt_compression', 'EXT_mesh_gpu_instancing'])

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The surfaces of the scene in a glTF 2.0 file, `.gltf` with its buffers or `.glb`, in metres, turned from glTF's y up to z
 * up: (x, y, z) becomes (x, -z, y). So does Drake with glTF in URDF, and parts of its robots in both formats then
 * coincide.
 *
 * Skins and morph targets are used at rest. Points and lines are ignored unless there is nothing else.
 * Khronos Group, glTF 2.0 Specification (2021).
 *
 * @throws MeshError
 */
export function readGltf(bytes: Uint8Array, { read }: MeshOptions = {}): Mesh {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isBinary = bytes.length >= 12 && view.getUint32(0, true) === magic
  const { json, binary } = isBinary ? chunksOf(bytes, view) : { json: bytes, binary: undefined }
  return new GltfReader(parseJson(json), binary, read).read()
}

function chunksOf(bytes: Uint8Array, view: DataView): { json: Uint8Array; binary: Uint8Array | undefined } {
  const version = view.getUint32(4, true)
  if (version !== 2) throw new MeshError(`byte 4: glTF version ${version}; expected 2`)
  const length = view.getUint32(8, true)
  if (length > bytes.length) throw new MeshError(`byte 8: it claims ${length} bytes, but has ${bytes.length}; it is cut short`)
  const chunks: Uint8Array[] = []
  let at = 12
  for (const wanted of [jsonChunk, binaryChunk]) {
    if (at + 8 > length) break
    const size = view.getUint32(at, true)
    const type = view.getUint32(at + 4, true)
    if (size > length - at - 8) {
      throw new MeshError(`byte ${at}: a chunk claims ${size} bytes, but ${length - at - 8} are left; it is cut short`)
    }
    if (type !== wanted) break
    chunks.push(bytes.subarray(at + 8, at + 8 + size))
    at += 8 + size
  }
  const [json, binary] = chunks
  if (!json) throw new MeshError('byte 12: its first chunk is not JSON')
  return { json, binary }
}

function parseJson(bytes: Uint8Array): JsonObject {
  let values = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === 0x22) inString = !inString
    else if (inString) {
      if (byte === 0x5c) i++
    } else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) values++
  }
  if (values > maxJsonValues) throw new MeshError(`its JSON has more than ${maxJsonValues} values`)
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new MeshError(`its JSON cannot be read: ${(error as Error).message.slice(0, 200)}`)
  }
  if (!isObject(json)) throw new MeshError('its JSON is no object')
  const { asset } = json
  const version = isObject(asset) ? asset.version : undefined
  if (typeof version !== 'string' || !version.startsWith('2.')) {
    throw new MeshError(`asset.version is ${shown(version)}; expected "2.0"`)
  }
  return json
}

/** The numbers of an accessor, element after element. */
interface Decoded {
  readonly count: number
  readonly data: Float64Array
}

interface Part {
  readonly points: Float64Array
  readonly triangles: Uint32Array
}

class GltfReader {
  private readonly json: JsonObject
  private readonly binary: Uint8Array | undefined
  private readonly readFile: MeshOptions['read']
  private readonly builder = new MeshBuilder()
  private readonly buffers = new Map<number, Uint8Array>()
  private readonly files = new Map<string, Uint8Array>()
  private readonly accessors = new Map<number, Decoded>()
  private readonly parts = new Map<number, Part>()
  private decoded = 0

  constructor(json: JsonObject, binary: Uint8Array | undefined, readFile: MeshOptions['read']) {
    this.json = json
    this.binary = binary
    this.readFile = readFile
  }

  read(): Mesh {
    const { extensionsRequired } = this.json
    for (const name of Array.isArray(extensionsRequired) ? extensionsRequired : []) {
      if (unread.has(name)) throw new MeshError(`it needs the extension ${name}, which is not read; export it without`)
    }
    const nodes = this.list('nodes')
    const scenes = this.list('scenes')
    if (nodes.length === 0) {
      for (let i = 0; i < this.list('meshes').length; i++) this.addMesh(i, zUpFromYUp)
    } else if (scenes.length === 0) this.addNodes(rootsOf(nodes), 'nodes')
    else {
      const number = this.json.scene === undefined ? 0 : indexOf(this.json.scene, scenes.length, 'scene')
      const scene = this.entry('scenes', number)
      this.addNodes(arrayOf(scene.nodes, `scenes[${number}].nodes`), `scenes[${number}].nodes`)
    }
    return this.builder.finish()
  }

  /** Nodes form trees, so that each is visited once. */
  private addNodes(roots: readonly unknown[], where: string): void {
    const count = this.list('nodes').length
    const met = new Uint8Array(count)
    const stack: { number: number; outer: Matrix4 }[] = []
    const push = (value: unknown, outer: Matrix4, place: string) => {
      const number = indexOf(value, count, place)
      if (met[number]) throw new MeshError(`${place}: node ${number} hangs on two parents or on itself; expected a tree`)
      met[number] = 1
      stack.push({ number, outer })
    }
    for (const root of roots) push(root, zUpFromYUp, where)
    for (let top = stack.pop(); top; top = stack.pop()) {
      const node = this.entry('nodes', top.number)
      const place = `nodes[${top.number}]`
      const matrix = multiply(top.outer, transformOf(node, place))
      if (node.mesh !== undefined) {
        this.addMesh(indexOf(node.mesh, this.list('meshes').length, `${place}.mesh`), matrix)
        if (node.skin !== undefined) this.builder.warn(`${place}: the mesh of a skin is taken as it is without its bones`)
      }
      if (node.children === undefined) continue
      for (const child of arrayOf(node.children, `${place}.children`)) push(child, matrix, `${place}.children`)
    }
  }

  private addMesh(number: number, matrix: Matrix4): void {
    let part = this.parts.get(number)
    if (!part) {
      part = this.readMesh(number)
      this.parts.set(number, part)
    }
    this.builder.instance(part.points, part.triangles, matrix)
  }

  private readMesh(number: number): Part {
    const primitives = arrayOf(this.entry('meshes', number).primitives, `meshes[${number}].primitives`)
    const pieces: Part[] = []
    let pointCount = 0
    let cornerCount = 0
    for (let i = 0; i < primitives.length; i++) {
      const piece = this.readPrimitive(primitives[i], `meshes[${number}].primitives[${i}]`)
      pieces.push(piece)
      pointCount += piece.points.length / 3
      cornerCount += piece.triangles.length
      if (pointCount > maxPoints) throw new MeshError(`meshes[${number}]: more than ${maxPoints} vertices`)
    }
    const points = new Float64Array(3 * pointCount)
    const triangles = new Uint32Array(cornerCount)
    let point = 0
    let corner = 0
    for (const piece of pieces) {
      points.set(piece.points, 3 * point)
      for (const index of piece.triangles) triangles[corner++] = point + index
      point += piece.points.length / 3
    }
    return { points, triangles }
  }

  private readPrimitive(primitive: unknown, where: string): Part {
    if (!isObject(primitive) || !isObject(primitive.attributes)) throw new MeshError(`${where} is no primitive with attributes`)
    const none = { points: new Float64Array(0), triangles: new Uint32Array(0) }
    const { POSITION } = primitive.attributes
    if (POSITION === undefined) return none
    const { count, data: points } = this.accessor(POSITION, 3, `${where}.attributes.POSITION`)
    const mode = primitive.mode === undefined ? 4 : indexOf(primitive.mode, 7, `${where}.mode`)
    const indices = primitive.indices === undefined ? undefined : this.accessor(primitive.indices, 1, `${where}.indices`)
    const length = indices?.count ?? count
    const corner = (i: number): number => {
      const index = indices ? indices.data[i] : i
      if (!(Number.isInteger(index) && index >= 0 && index < count)) {
        throw new MeshError(`${where}.indices: number ${i} is ${index}; expected one of the ${count} vertices from 0`)
      }
      return index
    }
    const triangles = mode < 4 ? 0 : mode === 4 ? Math.floor(length / 3) : Math.max(0, length - 2)
    if (mode === 4 && length % 3 !== 0) throw new MeshError(`${where}: ${length} corners of triangles; expected three each`)
    this.charge(3 * triangles, where)
    const corners = new Uint32Array(3 * triangles)
    for (let t = 0; t < triangles; t++) {
      const [a, b, c] =
        mode === 4 ? [3 * t, 3 * t + 1, 3 * t + 2] : mode === 5 ? [t, t + 1 + (t % 2), t + 2 - (t % 2)] : [t + 1, t + 2, 0]
      corners[3 * t] = corner(a)
      corners[3 * t + 1] = corner(b)
      corners[3 * t + 2] = corner(c)
    }
    return { points, triangles: corners }
  }

  /** Decodes an accessor of 1 or 3 numbers an element. Nothing is allocated before its bytes are known to exist. */
  private accessor(value: unknown, width: 1 | 3, where: string): Decoded {
    const number = indexOf(value, this.list('accessors').length, where)
    const known = this.accessors.get(number)
    const accessor = this.entry('accessors', number)
    const place = `accessors[${number}]`
    const wanted = width === 1 ? 'SCALAR' : 'VEC3'
    if (accessor.type !== wanted)
      throw new MeshError(`${place}.type is ${shown(accessor.type)}; expected "${wanted}" for ${where}`)
    if (known) return known
    const count = wholeNumber(accessor.count, `${place}.count`)
    const component = componentOf(accessor.componentType, `${place}.componentType`)
    const { bufferView, sparse } = accessor
    const bytes =
      bufferView === undefined ? undefined : this.elements(bufferView, accessor.byteOffset, count, width * component.size, place)
    if (!bytes && count > this.totalBytes()) {
      throw new MeshError(`${place}.count: ${count} elements without a bufferView; expected no more than the buffers have bytes`)
    }
    this.charge(width * count, place)
    const data = new Float64Array(width * count)
    const scale = accessor.normalized === true ? component.normal : 1
    if (bytes) {
      for (let i = 0; i < count; i++) {
        for (let k = 0; k < width; k++) {
          data[width * i + k] = read(bytes.view, bytes.offset + bytes.stride * i + component.size * k, component.type) / scale
        }
      }
    }
    if (sparse !== undefined) this.addSparse(sparse, data, count, width, component, scale, place)
    // the most negative number of a signed type means -1, like the next one
    if (scale !== 1) for (let i = 0; i < data.length; i++) data[i] = Math.max(data[i], -1)
    for (let i = 0; i < data.length; i++) {
      if (Math.abs(data[i]) <= maxCoordinate || width === 1) continue
      throw new MeshError(`${place}: element ${Math.floor(i / 3)} has ${data[i]}; expected finite numbers up to ${maxCoordinate}`)
    }
    const decoded = { count, data }
    this.accessors.set(number, decoded)
    return decoded
  }

  /** Elements that differ from the accessor's own. */
  private addSparse(
    sparse: unknown,
    data: Float64Array,
    total: number,
    width: number,
    component: Component,
    scale: number,
    accessor: string,
  ): void {
    const place = `${accessor}.sparse`
    if (!isObject(sparse) || !isObject(sparse.indices) || !isObject(sparse.values)) {
      throw new MeshError(`${place} has no indices and values`)
    }
    const { indices, values } = sparse
    const count = wholeNumber(sparse.count, `${place}.count`)
    if (count > total) throw new MeshError(`${place}.count is ${count}; expected at most ${total}`)
    const type = componentOf(indices.componentType, `${place}.indices.componentType`)
    const where = this.elements(indices.bufferView, indices.byteOffset, count, type.size, `${place}.indices`)
    const what = this.elements(values.bufferView, values.byteOffset, count, width * component.size, `${place}.values`)
    for (let i = 0; i < count; i++) {
      const index = read(where.view, where.offset + where.stride * i, type.type)
      if (!(Number.isInteger(index) && index >= 0 && index < total)) {
        throw new MeshError(`${place}.indices: number ${i} is ${index}; expected less than ${total}`)
      }
      for (let k = 0; k < width; k++) {
        const at = what.offset + what.stride * i + component.size * k
        data[width * index + k] = read(what.view, at, component.type) / scale
      }
    }
  }

  /** The location of elements, all of them checked to be inside their buffer view, and that inside its buffer. */
  private elements(bufferView: unknown, byteOffset: unknown, count: number, size: number, where: string): Elements {
    const number = indexOf(bufferView, this.list('bufferViews').length, `${where}.bufferView`)
    const place = `bufferViews[${number}]`
    const description = this.entry('bufferViews', number)
    const buffer = this.buffer(indexOf(description.buffer, this.list('buffers').length, `${place}.buffer`))
    const start = wholeNumber(description.byteOffset ?? 0, `${place}.byteOffset`)
    const length = wholeNumber(description.byteLength, `${place}.byteLength`)
    if (start + length > buffer.length) {
      throw new MeshError(`${place} ends at byte ${start + length} of a buffer with ${buffer.length}`)
    }
    const stride = description.byteStride === undefined ? size : wholeNumber(description.byteStride, `${place}.byteStride`)
    if (stride < size) throw new MeshError(`${place}.byteStride is ${stride}; expected at least ${size}`)
    const offset = wholeNumber(byteOffset ?? 0, `${where}.byteOffset`)
    const needed = count === 0 ? 0 : offset + stride * (count - 1) + size
    if (needed > length) throw new MeshError(`${where} takes ${needed} bytes of ${place}, which has ${length}`)
    return { view: new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength), offset: start + offset, stride }
  }

  private buffer(number: number): Uint8Array {
    const known = this.buffers.get(number)
    if (known) return known
    const { uri } = this.entry('buffers', number)
    const place = `buffers[${number}]`
    let bytes: Uint8Array | undefined
    if (uri === undefined) {
      bytes = number === 0 ? this.binary : undefined
      if (!bytes) throw new MeshError(`${place} has no uri, and the file has no binary chunk`)
    } else if (typeof uri !== 'string') throw new MeshError(`${place}.uri is ${shown(uri)}; expected a string`)
    else if (/^data:/i.test(uri)) bytes = bytesOfDataUri(uri, `${place}.uri`)
    else bytes = this.externalFile(uri, `${place}.uri`)
    this.buffers.set(number, bytes)
    return bytes
  }

  private externalFile(uri: string, where: string): Uint8Array {
    const known = this.files.get(uri)
    if (known) return known
    if (/^[a-z][a-z0-9+.-]+:/i.test(uri)) throw new MeshError(`${where} is ${shown(uri)}; expected a relative path`)
    let path = uri
    try {
      path = decodeURIComponent(uri)
    } catch {
      // a per cent sign that escapes nothing is literal
    }
    const bytes = this.readFile?.(path)
    if (!bytes) throw new MeshError(`${where}: "${path.slice(0, 200)}" was not found beside it or may not be read`)
    if (bytes.length > maxMeshBytes) throw new MeshError(`${where}: ${bytes.length} bytes; at most ${maxMeshBytes} are read`)
    this.files.set(uri, bytes)
    return bytes
  }

  private totalBytes(): number {
    let total = 0
    for (let i = 0; i < this.list('buffers').length; i++) total += this.buffer(i).length
    return total
  }

  /** Accessors may overlap, so that a small file could ask for any amount of work. */
  private charge(numbers: number, where: string): void {
    this.decoded += numbers
    if (this.decoded > 4 * maxPoints) throw new MeshError(`${where}: more than ${4 * maxPoints} numbers to decode`)
  }

  private list(name: string): readonly unknown[] {
    const list = this.json[name]
    return list === undefined ? [] : arrayOf(list, name)
  }

  private entry(name: string, number: number): JsonObject {
    const entry = this.list(name)[number]
    if (!isObject(entry)) throw new MeshError(`${name}[${number}] is ${shown(entry)}; expected an object`)
    return entry
  }
}

/** Elements in a view of a buffer. */
interface Elements {
  readonly view: DataView
  readonly offset: number
  readonly stride: number
}

interface Component {
  readonly type: number
  /** In bytes. */
  readonly size: number
  /** The integer for 1 when the numbers are normalised. */
  readonly normal: number
}

const components: ReadonlyMap<unknown, Component> = new Map([
  [5120, { type: 5120, size: 1, normal: 127 }],
  [5121, { type: 5121, size: 1, normal: 255 }],
  [5122, { type: 5122, size: 2, normal: 32767 }],
  [5123, { type: 5123, size: 2, normal: 65535 }],
  [5125, { type: 5125, size: 4, normal: 4294967295 }],
  [5126, { type: 5126, size: 4, normal: 1 }],
])

function componentOf(value: unknown, where: string): Component {
  const component = components.get(value)
  if (!component) throw new MeshError(`${where} is ${shown(value)}; expected ${[...components.keys()].join(', ')}`)
  return component
}

function read(view: DataView, at: number, type: number): number {
  switch (type) {
    case 5120:
      return view.getInt8(at)
    case 5121:
      return view.getUint8(at)
    case 5122:
      return view.getInt16(at, true)
    case 5123:
      return view.getUint16(at, true)
    case 5125:
      return view.getUint32(at, true)
    default:
      return view.getFloat32(at, true)
  }
}

/** A node's matrix, stored by columns, or its translation, rotation and scale. */
function transformOf(node: JsonObject, place: string): Matrix4 {
  if (node.matrix !== undefined) {
    const m = numbersOf(node.matrix, 16, `${place}.matrix`)
    if (m[3] !== 0 || m[7] !== 0 || m[11] !== 0 || m[15] !== 1) {
      throw new MeshError(`${place}.matrix has the last row ${m[3]} ${m[7]} ${m[11]} ${m[15]}; expected 0 0 0 1`)
    }
    return m.map((_, i) => m[4 * (i % 4) + Math.floor(i / 4)])
  }
  let matrix = identity
  if (node.translation !== undefined) {
    const [x, y, z] = numbersOf(node.translation, 3, `${place}.translation`)
    matrix = translation(x, y, z)
  }
  if (node.rotation !== undefined) {
    const [x, y, z, w] = numbersOf(node.rotation, 4, `${place}.rotation`)
    matrix = multiply(matrix, rotationOf(x, y, z, w))
  }
  if (node.scale !== undefined) {
    const [x, y, z] = numbersOf(node.scale, 3, `${place}.scale`)
    matrix = multiply(matrix, scaling(x, y, z))
  }
  return matrix
}

/** Nodes without a parent. */
function rootsOf(nodes: readonly unknown[]): number[] {
  const children = new Set<unknown>()
  for (const node of nodes) {
    if (isObject(node) && Array.isArray(node.children)) for (const child of node.children) children.add(child)
  }
  return nodes.map((_, i) => i).filter((i) => !children.has(i))
}

function bytesOfDataUri(uri: string, where: string): Uint8Array {
  const comma = uri.indexOf(',')
  const head = comma < 0 ? '' : uri.slice(0, Math.min(comma, 200)).toLowerCase()
  if (!head.endsWith(';base64')) throw new MeshError(`${where} is a data URI that is not in base64`)
  return bytesOfBase64(uri, comma + 1, where)
}

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const base64Values = new Uint8Array(128).fill(255)
for (let i = 0; i < base64Digits.length; i++) base64Values[base64Digits.charCodeAt(i)] = i

function bytesOfBase64(text: string, start: number, where: string): Uint8Array {
  let end = text.length
  while (end > start && end > text.length - 2 && text[end - 1] === '=') end--
  const bytes = new Uint8Array(Math.floor(((end - start) * 3) / 4))
  let bits = 0
  let held = 0
  let length = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    const value = code < 128 ? base64Values[code] : 255
    if (value === 255) throw new MeshError(`${where}: character ${i} is ${shown(text[i])}; expected base64`)
    bits = ((bits << 6) | value) & 0xffff
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[length++] = bits >> held
    }
  }
  return bytes
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function arrayOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new MeshError(`${where} is ${shown(value)}; expected an array`)
  return value
}

function numbersOf(value: unknown, count: number, where: string): readonly number[] {
  const numbers = arrayOf(value, where)
  if (numbers.length !== count || !numbers.every((n) => typeof n === 'number' && Math.abs(n) <= maxCoordinate)) {
    throw new MeshError(`${where} is ${shown(value)}; expected ${count} finite numbers up to ${maxCoordinate}`)
  }
  return numbers as readonly number[]
}

function wholeNumber(value: unknown, where: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new MeshError(`${where} is ${shown(value)}; expected a whole number, 0 or more`)
  }
  return value as number
}

function indexOf(value: unknown, count: number, where: string): number {
  const number = wholeNumber(value, where)
  if (number >= count) throw new MeshError(`${where} is ${number}; expected one of ${count}, from 0`)
  return number
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (isObject(value)) return 'an object'
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80)
}
