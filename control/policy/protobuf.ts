/** The wire format of Protocol Buffers, as far as needed to read a message. */

/** A field of a message: its number and content. */
export interface Field {
  readonly number: number
  /** Of whole numbers. */
  readonly value: number
  /** Of texts, messages and packed lists; and the 4 or 8 bytes of a fixed number. */
  readonly bytes: Uint8Array
}

const nothing = new Uint8Array()

/** @throws RangeError where the bytes end within a field, or are of an unused wire type */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  const cursor = { at: 0 }
  while (cursor.at < message.length) {
    const key = readVarint(message, cursor)
    const number = Math.floor(key / 8)
    const kind = key % 8
    if (kind === 0) {
      yield { number, value: readVarint(message, cursor), bytes: nothing }
      continue
    }
    const length = kind === 1 ? 8 : kind === 5 ? 4 : kind === 2 ? readVarint(message, cursor) : -1
    if (length < 0 || cursor.at + length > message.length) throw new RangeError('its bytes are damaged')
    yield { number, value: length, bytes: message.subarray(cursor.at, cursor.at + length) }
    cursor.at += length
  }
}

/** A whole number of up to 64 bits, signed, exact up to 2^53. */
function readVarint(bytes: Uint8Array, cursor: { at: number }): number {
  let low = 0
  let high = 0
  for (let shift = 0; shift < 70; shift += 7) {
    if (cursor.at >= bytes.length) throw new RangeError('its bytes are damaged')
    const byte = bytes[cursor.at++]
    const part = byte & 127
    if (shift < 28) low += part * 2 ** shift
    else high += part * 2 ** (shift - 28)
    if (byte < 128) return high >= 2 ** 35 ? -(2 ** 64 - high * 2 ** 28 - low) : high * 2 ** 28 + low
  }
  throw new RangeError('its bytes are damaged')
}

/** The whole numbers of a packed list, or of one entry of a list that is not packed. */
export function wholeNumbers({ bytes, value }: Field): number[] {
  if (bytes === nothing) return [value]
  const cursor = { at: 0 }
  const list: number[] = []
  while (cursor.at < bytes.length) list.push(readVarint(bytes, cursor))
  return list
}

/** Little-endian numbers of `size` bytes. */
function numbers(bytes: Uint8Array, size: number, read: (view: DataView, at: number) => number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => read(view, size * i))
}
export const floats = (bytes: Uint8Array): number[] => numbers(bytes, 4, (view, at) => view.getFloat32(at, true))
export const doubles = (bytes: Uint8Array): number[] => numbers(bytes, 8, (view, at) => view.getFloat64(at, true))
export const longs = (bytes: Uint8Array): number[] => numbers(bytes, 8, (view, at) => Number(view.getBigInt64(at, true)))
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
