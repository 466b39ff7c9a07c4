/**
 * Plain data as one text and one buffer, to pass into a sandbox and out of it: JSON for the objects, each once however often it is
 * referred to, and the bytes of typed arrays unchanged.
 */
export interface Packed {
  readonly text: string
  readonly bytes: Uint8Array
}

const arrays = {
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  BigInt64Array,
  BigUint64Array,
} as const
type ArrayName = keyof typeof arrays

/** An index into the list of objects, a value that JSON cannot express, or a value of JSON. */
type Word =
  | string
  | number
  | boolean
  | null
  | readonly ['object' | 'number' | 'bigint' | 'function' | 'undefined', (string | number)?]
type Node =
  | readonly ['plain', readonly (readonly [string, Word])[]]
  /** Length, and the existing entries by index. */
  | readonly ['list', number, readonly (readonly [string, Word])[]]
  | readonly ['map', readonly (readonly [Word, Word])[]]
  | readonly ['set', readonly Word[]]
  | readonly ['promise']
  /** Name, and place of its bytes: index of the buffer, offset and length in entries. */
  | readonly ['array', ArrayName, number, number, number]

interface Text {
  readonly value: Word
  readonly nodes: readonly Node[]
  /** Bytes of each buffer; each begins at a multiple of 8. */
  readonly buffers: readonly number[]
}

const whole8 = (bytes: number) => Math.ceil(bytes / 8) * 8

/**
 * Packs numbers, text, lists, plain objects, maps, sets and typed arrays as structuredClone copies them; objects of a class become plain
 * ones, and a promise stays one, so that it can be reported to its owner.
 *
 * @param functions out: functions, which are numbered in their order; default: they are refused
 * @throws TypeError for a function or a symbol
 */
export function pack(value: unknown, functions?: unknown[]): Packed {
  const objects: object[] = []
  const numbers = new Map<object, number>()
  const buffers: ArrayBufferLike[] = []
  const bufferNumbers = new Map<ArrayBufferLike, number>()
  const wordOf = (part: unknown): Word => {
    if (typeof part === 'number') return Number.isFinite(part) && !Object.is(part, -0) ? part : ['number', nameOf(part)]
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return part
    if (part === undefined) return ['undefined']
    if (typeof part === 'bigint') return ['bigint', String(part)]
    if (typeof part === 'function' && functions !== undefined) return ['function', functions.push(part) - 1]
    if (typeof part !== 'object') throw new TypeError(`a ${typeof part} is no data`)
    const known = numbers.get(part) ?? objects.push(part) - 1
    numbers.set(part, known)
    return ['object', known]
  }
  const entriesOf = (part: object) =>
    Object.keys(part).map((key) => [key, wordOf((part as Record<string, unknown>)[key])] as const)
  const nodeOf = (part: object): Node => {
    if (Array.isArray(part)) return ['list', part.length, entriesOf(part)]
    if (part instanceof Map) return ['map', [...part].map(([key, entry]) => [wordOf(key), wordOf(entry)] as const)]
    if (part instanceof Set) return ['set', [...part].map(wordOf)]
    if (typeof (part as { then?: unknown }).then === 'function') return ['promise']
    const name = ArrayBuffer.isView(part) ? (part as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag] : ''
    if (!Object.hasOwn(arrays, name)) return ['plain', entriesOf(part)]
    const { buffer, byteOffset, length } = part as Float64Array
    const known = bufferNumbers.get(buffer) ?? buffers.push(buffer) - 1
    bufferNumbers.set(buffer, known)
    return ['array', name as ArrayName, known, byteOffset, length]
  }
  const word = wordOf(value)
  const nodes: Node[] = []
  for (let i = 0; i < objects.length; i++) nodes.push(nodeOf(objects[i])) // the list grows meanwhile
  const bytes = new Uint8Array(buffers.reduce((sum, buffer) => sum + whole8(buffer.byteLength), 0))
  let at = 0
  for (const buffer of buffers) {
    bytes.set(new Uint8Array(buffer), at)
    at += whole8(buffer.byteLength)
  }
  const text: Text = { value: word, nodes, buffers: buffers.map((buffer) => buffer.byteLength) }
  return { text: JSON.stringify(text), bytes }
}

const nameOf = (x: number) => (Object.is(x, -0) ? '-0' : String(x))

/** At most, of this side: of the JSON of a character, of an object and of an entry of a list [bytes]. */
const [CHARACTER, OBJECT, ENTRY] = [16, 300, 8]

/**
 * Unpacks data, which an untrusted side may have made up.
 *
 * @param take called with bytes before they are allocated; may throw
 * @throws TypeError, RangeError or SyntaxError for data not made by `pack`
 */
export function unpack({ text, bytes }: Packed, functions: readonly unknown[] = [], take = (_bytes: number) => {}): unknown {
  take(CHARACTER * text.length + bytes.length)
  const { value, nodes, buffers } = JSON.parse(text) as Text
  take(OBJECT * (nodes.length + buffers.length))
  let at = 0
  const copies = buffers.map((length) => {
    if (!(length >= 0 && at + length <= bytes.length)) throw new RangeError(`a buffer of ${length} bytes is not there`)
    const copy = bytes.slice(at, at + length).buffer
    at += whole8(length)
    return copy
  })
  // first the objects, then their contents: references may be cyclic
  const objects = nodes.map((node): object => {
    if (node[0] === 'list') {
      if (!(node[1] >= 0)) throw new RangeError(`a list of ${node[1]} entries cannot be`)
      take(ENTRY * node[1])
      return new Array(node[1])
    }
    if (node[0] === 'map') return new Map()
    if (node[0] === 'set') return new Set()
    if (node[0] === 'promise') return Promise.resolve()
    if (node[0] === 'array') {
      const buffer: unknown = copies[node[2]]
      if (!Object.hasOwn(arrays, node[1]) || !(buffer instanceof ArrayBuffer)) throw new TypeError('an array has no buffer')
      return new arrays[node[1]](buffer, node[3], node[4])
    }
    return {}
  })
  const contentOf = (word: Word): unknown => {
    if (!Array.isArray(word)) return word
    const [kind, content] = word as Extract<Word, readonly unknown[]>
    if (kind === 'object') return objects[Number(content)]
    if (kind === 'number') return Number(content)
    if (kind === 'bigint') return BigInt(content as string)
    return kind === 'function' ? functions[Number(content)] : undefined
  }
  const fill = (object: object, entries: readonly (readonly [string, Word])[]) => {
    for (const [key, word] of entries) {
      // an assignment to `__proto__` would not make a property
      if (key === '__proto__')
        Object.defineProperty(object, key, { value: contentOf(word), writable: true, enumerable: true, configurable: true })
      else (object as Record<string, unknown>)[key] = contentOf(word)
    }
  }
  nodes.forEach((node, i) => {
    const object = objects[i]
    if (node[0] === 'plain') fill(object, node[1])
    else if (node[0] === 'list') {
      fill(object, node[2])
      if ((object as unknown[]).length !== node[1]) throw new RangeError('a list has entries beyond its end')
    } else if (node[0] === 'map')
      for (const [key, word] of node[1]) (object as Map<unknown, unknown>).set(contentOf(key), contentOf(word))
    else if (node[0] === 'set') for (const word of node[1]) (object as Set<unknown>).add(contentOf(word))
  })
  return contentOf(value)
}
