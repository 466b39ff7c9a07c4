/** The wire format of Protocol Buffers, as far as needed to read a message. */
import { Meter } from '../../dynamics/index.ts'

/** A field of a message: its number and content. */
export interface Field {
  readonly number: number
  /** Of whole numbers. */
  readonly value: number
  /** Of texts, messages and packed lists; and the 4 or 8 bytes of a fixed number. */
  readonly bytes: Uint8Array
}

const nothing = new Uint8Array()

/** Of one file: its fields, those inside others too, and its numbers. */
const most = { fields: 10_000_000, numbers: 20_000_000 }
export type WireMeter = Meter<keyof typeof most>
export const wireMeter = (): WireMeter => new Meter(most, (kind, n) => new RangeError(`it has more than ${n} ${kind}`))

/** @throws RangeError where the bytes end within a field, or are of an unused wire type; beyond the meter */
export function* fieldsOf(message: Uint8Array, meter: WireMeter): Generator<Field> {
  const cursor = { at: 0 }
  while (cursor.at < message.length) {
    meter.ask('fields')
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
export const words = (bytes: Uint8Array): number[] => numbers(bytes, 4, (view, at) => view.getInt32(at, true))
/** IEEE 754 binary16. */
export const halfFloats = (bytes: Uint8Array): number[] =>
  numbers(bytes, 2, (view, at) => {
    const bits = view.getUint16(at, true)
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
    // as binary32, whose exponent is greater by 112; a fraction alone is in units of 2^-24
    view32.setUint32(0, (exponent === 31 ? 255 : exponent + 112) * 2 ** 23 + fraction * 2 ** 13)
    const size = exponent === 0 ? fraction / 16777216 : view32.getFloat32(0)
    return bits >= 32768 ? -size : size
  })
const view32 = new DataView(new ArrayBuffer(4))
/** UTF-8, by the language alone: a sandbox has no TextDecoder. @throws RangeError for other bytes */
export function text(bytes: Uint8Array): string {
  try {
    return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))
  } catch {
    throw new RangeError('it has a text that is not UTF-8')
  }
}
