import { MeshError, maxCoordinate } from './meshError.ts'

const newline = 0x0a
const carriageReturn = 0x0d
const backslash = 0x5c
const zero = 0x30
const nine = 0x39

/**
 * Scans text word by word and line by line, on its bytes, in time linear in their number. Words are separated
 * by blanks.
 */
export class TextScanner {
  /** Of the current word, counted from 1. */
  line = 1
  /** Where the current word starts and ends. */
  start = 0
  end = 0
  private readonly bytes: Uint8Array
  private readonly continued: boolean
  private at = 0

  /** @param continued whether a backslash at the end of a line joins the next one to it */
  constructor(bytes: Uint8Array, { start = 0, line = 1, continued = false } = {}) {
    this.bytes = bytes
    this.at = start
    this.line = line
    this.continued = continued
    if (start === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3 // byte order mark
  }

  get position(): number {
    return this.at
  }

  /** Goes to the next word of this line; false if there is none. */
  word(): boolean {
    const { bytes } = this
    for (;;) {
      const byte = bytes[this.at]
      if (isBlank(byte)) this.at++
      else if (byte === backslash && this.continued && this.joinedLine()) this.line++
      else break
    }
    this.start = this.at
    while (this.at < bytes.length && !isBlank(bytes[this.at]) && !isLineEnd(bytes[this.at])) {
      if (bytes[this.at] === backslash && this.continued && isLineEnd(bytes[this.at + 1])) break
      this.at++
    }
    this.end = this.at
    return this.end > this.start
  }

  /** Goes to the next word, in this line or a later one; false at the end of the text. */
  wordAnywhere(): boolean {
    while (!this.word()) if (!this.nextLine()) return false
    return true
  }

  /** Goes to the start of the next line; false if this one is the last. */
  nextLine(): boolean {
    const { bytes } = this
    for (;;) {
      while (this.at < bytes.length && !isLineEnd(bytes[this.at])) this.at++
      if (this.at >= bytes.length) return false
      const joined = this.continued && bytes[this.at - 1] === backslash
      this.at += bytes[this.at] === carriageReturn && bytes[this.at + 1] === newline ? 2 : 1
      this.line++
      if (!joined) return this.at < bytes.length
    }
  }

  /** Whether the current word is this one, which is in lower case, in any case. */
  is(word: string): boolean {
    if (this.end - this.start !== word.length) return false
    for (let i = 0; i < word.length; i++) {
      const byte = this.bytes[this.start + i]
      if ((byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte) !== word.charCodeAt(i)) return false
    }
    return true
  }

  /** The current word, or its beginning if it is long. */
  text(): string {
    const shown = new TextDecoder().decode(this.bytes.subarray(this.start, Math.min(this.end, this.start + 40)))
    return this.end > this.start + 40 ? `${shown}...` : shown
  }

  /** The next word of the line as a coordinate. @throws MeshError with line and word */
  number(what: string): number {
    const value = this.word() ? decimal(this.bytes, this.start, this.end) : Number.NaN
    if (!(Math.abs(value) <= maxCoordinate)) {
      const found = this.end > this.start ? `found "${this.text()}"` : 'the line ends'
      throw new MeshError(`line ${this.line}: ${what} needs finite decimal numbers up to ${maxCoordinate}; ${found}`)
    }
    return value
  }

  /** The current word as a number; NaN if it is none. */
  value(): number {
    return decimal(this.bytes, this.start, this.end)
  }

  private joinedLine(): boolean {
    const { bytes } = this
    if (bytes[this.at + 1] === newline) this.at += 2
    else if (bytes[this.at + 1] === carriageReturn) this.at += bytes[this.at + 2] === newline ? 3 : 2
    else return false
    return true
  }
}

/**
 * The decimal number in bytes from start to end, rounded as JavaScript rounds its literals; NaN for anything else,
 * such as a word, a hexadecimal number or nothing.
 */
export function decimal(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const negative = bytes[at] === 0x2d
  if (negative || bytes[at] === 0x2b) at++
  let mantissa = 0
  let digits = 0 // of the mantissa, without leading zeros
  let places = 0 // behind the point
  let seen = false
  for (let behind = false; at < end; at++) {
    const byte = bytes[at]
    if (byte >= zero && byte <= nine) {
      seen = true
      mantissa = 10 * mantissa + (byte - zero)
      if (mantissa > 0) digits++
      if (behind) places++
    } else if (byte === 0x2e && !behind) behind = true
    else break
  }
  if (!seen) return Number.NaN
  let exponent = 0
  if (at < end && (bytes[at] | 0x20) === 0x65) {
    at++
    const down = bytes[at] === 0x2d
    if (down || bytes[at] === 0x2b) at++
    if (at >= end) return Number.NaN
    for (; at < end && bytes[at] >= zero && bytes[at] <= nine; at++) {
      exponent = Math.min(100_000, 10 * exponent + (bytes[at] - zero))
    }
    if (down) exponent = -exponent
  }
  if (at !== end) return Number.NaN
  exponent -= places
  // Up to 15 digits and powers of ten up to 22 are exact doubles, so that one operation rounds once (Clinger, 1990).
  if (digits > 15 || exponent > 22 || exponent < -22) return Number(new TextDecoder().decode(bytes.subarray(start, end)))
  const value = exponent < 0 ? mantissa / powersOfTen[-exponent] : mantissa * powersOfTen[exponent]
  return negative ? -value : value
}

const powersOfTen = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
] as const

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0b || byte === 0x0c
}

function isLineEnd(byte: number): boolean {
  return byte === newline || byte === carriageReturn
}
