/** ONNX files (onnx.proto of the ONNX project, IR version 3 and later): the graph, its weights and its metadata. */
import { ControllerError } from '../controllerError.ts'
import {
  doubles,
  type Field,
  fieldsOf,
  floats,
  halfFloats,
  longs,
  text,
  type WireMeter,
  wholeNumbers,
  wireMeter,
  words,
} from './protobuf.ts'

/** Types of numbers that are taken, of `TensorProto.DataType`. */
const elementTypes = { 1: 'float', 6: 'int32', 7: 'int64', 9: 'bool', 10: 'float16', 11: 'double' } as const
export type ElementType = (typeof elementTypes)[keyof typeof elementTypes]

/** @throws RangeError for another type */
export function elementTypeOf(kind = 0): ElementType {
  if (Object.hasOwn(elementTypes, kind)) return elementTypes[kind as keyof typeof elementTypes]
  const known = Object.entries(elementTypes).map(([number, name]) => `${name} (${number})`)
  throw new RangeError(`numbers of type ${kind} (TensorProto.DataType) are not taken; there are ${known.join(', ')}`)
}

export interface Tensor {
  readonly type: ElementType
  readonly shape: readonly number[]
  /** Row-major. */
  readonly data: readonly number[]
}

export interface Node {
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes: ReadonlyMap<string, number | string | readonly number[] | Tensor>
}

export interface Graph {
  readonly nodes: readonly Node[]
  readonly weights: ReadonlyMap<string, Tensor>
  /** By name: the type, and the shape; 1 for unspecified lengths, all but the last, which number samples and time steps. */
  readonly inputs: ReadonlyMap<string, { readonly type: ElementType; readonly shape: readonly number[] }>
  readonly outputs: readonly string[]
  readonly metadata: ReadonlyMap<string, string>
}

/**
 * Versions of the operators that are read: from 7 on Gemm and the arithmetic broadcast as in NumPy; 26 is the last one that
 * onnxruntime 1.30 has, against which they are checked.
 */
const OPSETS = [7, 26] as const

/** @param file for messages @throws ControllerError for a file of another format, or a damaged one */
export function readOnnx(bytes: Uint8Array, file: string): Graph {
  try {
    let graph: Graph | undefined
    let opset = 0
    const metadata = new Map<string, string>()
    const meter = wireMeter()
    for (const field of fieldsOf(bytes, meter)) {
      if (field.number === 7) graph = graphOf(field.bytes, metadata, meter)
      if (field.number === 8) opset ||= opsetOf(field.bytes, meter)
      if (field.number === 14) {
        const [key, value] = texts(field.bytes, meter, 1, 2)
        metadata.set(key, value)
      }
    }
    if (graph === undefined || graph.nodes.length === 0) throw new RangeError('it holds no graph')
    if (opset < OPSETS[0] || opset > OPSETS[1])
      throw new RangeError(`its operator set is ${opset || 'not stated'}; ${OPSETS[0]} to ${OPSETS[1]} are read`)
    return graph
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ControllerError(file, `is no network that can be read: ${error.message}; export it as ONNX, weights included`)
  }
}

/** Of the default domain, else 0. */
function opsetOf(bytes: Uint8Array, meter: WireMeter): number {
  let [isDefault, version] = [true, 0]
  for (const field of fieldsOf(bytes, meter)) {
    if (field.number === 1) isDefault = isDefaultDomain(text(field.bytes))
    if (field.number === 2) version = field.value
  }
  return isDefault ? version : 0
}

const isDefaultDomain = (domain: string) => domain === '' || domain === 'ai.onnx'

function graphOf(bytes: Uint8Array, metadata: ReadonlyMap<string, string>, meter: WireMeter): Graph {
  const nodes: Node[] = []
  const weights = new Map<string, Tensor>()
  const inputs = new Map<string, { type: ElementType; shape: readonly number[] }>()
  const infos: Uint8Array[] = []
  const outputs: string[] = []
  for (const field of fieldsOf(bytes, meter)) {
    if (field.number === 1) nodes.push(nodeOf(field.bytes, meter))
    if (field.number === 5) {
      const { name, tensor } = tensorOf(field.bytes, meter)
      weights.set(name, tensor)
    }
    if (field.number === 11) infos.push(field.bytes)
    if (field.number === 12) outputs.push(texts(field.bytes, meter, 1)[0])
  }
  const open: string[] = []
  for (const info of infos) {
    const [name] = texts(info, meter, 1)
    // older files list weights among the inputs
    if (weights.has(name)) continue
    const { type, shape } = inputOf(info, meter)
    if (shape.at(-1) === 0) open.push(`"${name}"`)
    inputs.set(name, { type, shape: shape.map((length) => length || 1) })
  }
  if (open.length > 0) throw new RangeError(`it leaves open how many numbers its input ${open.join(', ')} has`)
  return { nodes, weights, inputs, outputs, metadata }
}

function nodeOf(bytes: Uint8Array, meter: WireMeter): Node {
  const [inputs, outputs]: [string[], string[]] = [[], []]
  const attributes = new Map<string, number | string | readonly number[] | Tensor>()
  let [op, domain] = ['', '']
  for (const field of fieldsOf(bytes, meter)) {
    if (field.number === 1) inputs.push(text(field.bytes))
    if (field.number === 2) outputs.push(text(field.bytes))
    if (field.number === 4) op = text(field.bytes)
    if (field.number === 5) attributes.set(...attributeOf(field.bytes, meter))
    if (field.number === 7) domain = text(field.bytes)
  }
  if (!isDefaultDomain(domain)) op = `${domain}.${op}`
  return { op, inputs, outputs, attributes }
}

function attributeOf(bytes: Uint8Array, meter: WireMeter): [string, number | string | readonly number[] | Tensor] {
  let name = ''
  let value: number | string | Tensor | undefined
  const list: number[] = []
  for (const field of fieldsOf(bytes, meter)) {
    if (field.number === 1) name = text(field.bytes)
    if (field.number === 2) value = floats(field.bytes)[0]
    if (field.number === 3) value = field.value
    if (field.number === 4) value = text(field.bytes)
    if (field.number === 5) value = tensorOf(field.bytes, meter).tensor
    if (field.number === 7) append(list, floats(field.bytes), meter)
    if (field.number === 8) append(list, wholeNumbers(field), meter)
  }
  return [name, value ?? list]
}

/** One by one: a call cannot have as many arguments as a layer has weights, and a file may state each by itself. */
function append(list: number[], more: readonly number[], meter: WireMeter): void {
  meter.ask('numbers', more.length)
  for (const value of more) list.push(value)
}

/** Of raw bytes. */
const readers: Readonly<Record<ElementType, (raw: Uint8Array) => number[]>> = {
  ...{ float: floats, double: doubles, float16: halfFloats, int32: words, int64: longs, bool: (raw) => [...raw] },
}

function tensorOf(bytes: Uint8Array, meter: WireMeter): { name: string; tensor: Tensor } {
  const shape: number[] = []
  let data: number[] = []
  let [name, kind, raw]: [string, number, Uint8Array | undefined] = ['', 1, undefined]
  for (const field of fieldsOf(bytes, meter)) {
    if (field.number === 1) append(shape, wholeNumbers(field), meter)
    if (field.number === 2) kind = field.value
    if (field.number === 4) append(data, floats(field.bytes), meter)
    if (field.number === 5 || field.number === 7) append(data, wholeNumbers(field), meter)
    if (field.number === 8) name = text(field.bytes)
    if (field.number === 9) raw = field.bytes
    if (field.number === 10) append(data, doubles(field.bytes), meter)
    if (field.number === 14 && field.value === 1) throw new RangeError(`its weights "${name}" are in another file`)
  }
  const type = elementTypeOf(kind)
  if (raw !== undefined) append((data = []), readers[type](raw), meter)
  else if (type === 'float16') data = halfFloats(Uint8Array.from(data.flatMap((bits) => [bits & 255, bits >> 8])))
  const size = shape.reduce((product, length) => product * length, 1)
  if (data.length !== size) throw new RangeError(`its tensor "${name}" has ${data.length} numbers, and ${size} places`)
  return { name, tensor: { type, shape, data } }
}

/** Type and shape, 0 where a length is unspecified. */
function inputOf(bytes: Uint8Array, meter: WireMeter): { type: ElementType; shape: readonly number[] } {
  const shape: number[] = []
  let kind = 0
  const inside = (message: Uint8Array, number: number) =>
    [...fieldsOf(message, meter)].filter((field: Field) => field.number === number)
  for (const type of inside(bytes, 2))
    for (const tensor of inside(type.bytes, 1)) {
      kind = inside(tensor.bytes, 1)[0]?.value ?? 0
      for (const dims of inside(tensor.bytes, 2))
        for (const dim of inside(dims.bytes, 1)) shape.push(inside(dim.bytes, 1)[0]?.value ?? 0)
    }
  return { type: elementTypeOf(kind), shape }
}

function texts(bytes: Uint8Array, meter: WireMeter, ...numbers: number[]): string[] {
  const found = numbers.map(() => '')
  for (const field of fieldsOf(bytes, meter)) {
    const at = numbers.indexOf(field.number)
    if (at >= 0) found[at] = text(field.bytes)
  }
  return found
}
