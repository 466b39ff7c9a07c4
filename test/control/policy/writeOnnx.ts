/** Small ONNX files for tests and examples: float weights, one graph. */

export type Attribute = number | string | readonly number[] | { readonly float: number }
export interface WrittenNode {
  readonly op: string
  readonly domain?: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes?: Readonly<Record<string, Attribute>>
}
export interface WrittenGraph {
  readonly nodes: readonly WrittenNode[]
  readonly weights?: Readonly<Record<string, { shape: readonly number[]; data: readonly number[]; whole?: boolean }>>
  /** Shapes; 0 for a length that is left open. */
  readonly inputs: Readonly<Record<string, readonly number[]>>
  readonly outputs: Readonly<Record<string, readonly number[]>>
  readonly metadata?: Readonly<Record<string, string>>
}

export type Bytes = readonly number[]
const varint = (value: number): Bytes => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return bytes
}
export const whole = (field: number, value: number): Bytes => [...varint(field * 8), ...varint(value)]
export const block = (field: number, bytes: Bytes): Bytes => [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes]
export const text = (field: number, value: string): Bytes => block(field, [...new TextEncoder().encode(value)])
const float = (value: number): Bytes => [...new Uint8Array(Float32Array.of(value).buffer)]

function attribute(name: string, value: Attribute): Bytes {
  const head = text(1, name)
  if (typeof value === 'number') return [...head, ...whole(3, value), ...whole(20, 2)]
  if (typeof value === 'string') return [...head, ...text(4, value), ...whole(20, 3)]
  if ('float' in value) return [...head, ...varint(2 * 8 + 5), ...float(value.float), ...whole(20, 1)]
  return [...head, ...value.flatMap((entry) => whole(8, entry)), ...whole(20, 7)]
}

const valueInfo = (name: string, shape: readonly number[]): Bytes => {
  const dims = shape.flatMap((length) => block(1, length > 0 ? whole(1, length) : text(2, 'open')))
  return [...text(1, name), ...block(2, block(1, [...whole(1, 1), ...block(2, dims)]))]
}

/** @param opset of the default domain @param more fields of the graph */
export function writeOnnx(
  { nodes, weights = {}, inputs, outputs, metadata = {} }: WrittenGraph,
  opset = 17,
  more: Bytes = [],
): Uint8Array {
  const graph = [
    ...nodes.flatMap(({ op, domain = '', inputs, outputs, attributes = {} }) =>
      block(1, [
        ...inputs.flatMap((name) => text(1, name)),
        ...outputs.flatMap((name) => text(2, name)),
        ...text(4, op),
        ...Object.entries(attributes).flatMap(([name, value]) => block(5, attribute(name, value))),
        ...text(7, domain),
      ]),
    ),
    ...text(2, 'policy'),
    ...Object.entries(weights).flatMap(([name, tensor]) =>
      block(5, [
        ...tensor.shape.flatMap((length) => whole(1, length)),
        ...whole(2, tensor.whole ? 7 : 1),
        ...text(8, name),
        ...block(9, [
          ...new Uint8Array(
            (tensor.whole ? BigInt64Array.from(tensor.data, (value) => BigInt(value)) : Float32Array.from(tensor.data)).buffer,
          ),
        ]),
      ]),
    ),
    ...Object.entries(inputs).flatMap(([name, shape]) => block(11, valueInfo(name, shape))),
    ...Object.entries(outputs).flatMap(([name, shape]) => block(12, valueInfo(name, shape))),
    ...more,
  ]
  const opsets = block(8, [...text(1, ''), ...whole(2, opset)])
  const said = Object.entries(metadata).flatMap(([key, value]) => block(14, [...text(1, key), ...text(2, value)]))
  return Uint8Array.from([...whole(1, 8), ...opsets, ...block(7, graph), ...said])
}
