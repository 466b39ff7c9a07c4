/** Damaging files at random, the same way for the same seed. */
import type { Random } from '../../../dynamics/index.ts'

/** Numbers that readers get wrong: too large, too small, not finite, no numbers, and one past what an integer type holds. */
const numbers = [
  '-1',
  '0',
  '-0',
  '1e999',
  '-1e999',
  '1e-999',
  '1e308',
  'NaN',
  'nan',
  'inf',
  'Infinity',
  '4294967295',
  '4294967296',
  '2147483648',
  '9007199254740993',
  '1e9',
  '0x10',
  '1.5.2',
  '1,5',
  '+-3',
  '.',
  '',
] as const

const encoder = new TextEncoder()

/** No mutant is longer than this times its original, and a little. */
const maxGrowth = 4

/**
 * A damaged copy of a file: one change, or as often one to eight, drawn from
 *
 * - a bit flipped, a byte replaced, a run of bytes overwritten with one value, two runs swapped;
 * - a piece cut out, the end cut off, a piece written twice or many times;
 * - a four-byte number overwritten with an extreme one, in either byte order;
 * - a number in the text, or a word of it, replaced by an awkward number or by a token of the dictionary;
 * - a token of the dictionary put in, once or nested around itself;
 * - two lines swapped.
 *
 * @param dictionary words of the format that its reader takes note of: tags, attributes, keywords
 */
export function mutate(random: Random, bytes: Uint8Array, dictionary: readonly string[]): Uint8Array {
  const most = maxGrowth * bytes.length + 4096
  let mutant: Uint8Array = bytes.slice()
  for (let changes = random.index(2) === 0 ? 1 : 1 + random.index(8); changes > 0; changes--) {
    const change = mutations[random.index(mutations.length)]
    const changed = change(random, mutant, dictionary)
    if (changed.length <= most) mutant = changed
  }
  return mutant
}

type Mutation = (random: Random, bytes: Uint8Array, dictionary: readonly string[]) => Uint8Array

const flipBit: Mutation = (random, bytes) => {
  if (bytes.length > 0) bytes[random.index(bytes.length)] ^= 1 << random.index(8)
  return bytes
}

const replaceByte: Mutation = (random, bytes) => {
  if (bytes.length > 0) bytes[random.index(bytes.length)] = random.index(256)
  return bytes
}

const fillRun: Mutation = (random, bytes) => {
  const [start, end] = run(random, bytes.length, 64)
  return bytes.fill([0, 0xff, 0x7f, 0x80, 0x20, 0x0a][random.index(6)], start, end)
}

const swapRuns: Mutation = (random, bytes) => {
  const [a, aEnd] = run(random, bytes.length, 64)
  const length = Math.min(aEnd - a, bytes.length)
  const b = random.index(bytes.length - length + 1)
  const first = bytes.slice(a, a + length)
  bytes.copyWithin(a, b, b + length)
  bytes.set(first, b)
  return bytes
}

const cutOut: Mutation = (random, bytes) => {
  const [start, end] = run(random, bytes.length, Math.max(16, bytes.length >> 2))
  return spliced(bytes, start, end, new Uint8Array(0))
}

const cutEnd: Mutation = (random, bytes) => bytes.slice(0, random.index(bytes.length + 1))

const repeat: Mutation = (random, bytes) => {
  const [start, end] = run(random, bytes.length, Math.max(16, bytes.length >> 2))
  const piece = bytes.slice(start, end)
  const times = random.index(4) === 0 ? 2 + random.index(200) : 1
  const all = new Uint8Array(Math.min(piece.length * times, maxGrowth * bytes.length))
  for (let at = 0; at < all.length && piece.length > 0; at += piece.length) all.set(piece.subarray(0, all.length - at), at)
  return spliced(bytes, end, end, all)
}

const extremeInteger: Mutation = (random, bytes) => {
  if (bytes.length < 4) return bytes
  const value = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ffffff, 0x7fc00000, 0x7f800000, 50_000_000][random.index(9)]
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(random.index(bytes.length - 3), value, random.index(2) === 0)
  return bytes
}

const replaceNumber: Mutation = (random, bytes) => {
  const [start, end] = wordAt(bytes, random.index(bytes.length + 1), isNumeric)
  return spliced(bytes, start, end, encoder.encode(numbers[random.index(numbers.length)]))
}

const replaceWord: Mutation = (random, bytes, dictionary) => {
  const [start, end] = wordAt(bytes, random.index(bytes.length + 1), isWord)
  return spliced(bytes, start, end, encoder.encode(token(random, dictionary)))
}

const insertToken: Mutation = (random, bytes, dictionary) => {
  const at = random.index(bytes.length + 1)
  return spliced(bytes, at, at, encoder.encode(token(random, dictionary)))
}

const nestToken: Mutation = (random, bytes, dictionary) => {
  const at = random.index(bytes.length + 1)
  const word = token(random, dictionary)
  const depth = 1 + random.index(random.index(4) === 0 ? 1000 : 20)
  const closing = /^<([A-Za-z_:][\w:.-]*)[^/]*>$/.exec(word)
  const text = word.repeat(depth) + (closing ? `</${closing[1]}>`.repeat(depth) : '')
  return spliced(bytes, at, at, encoder.encode(text.slice(0, 20_000)))
}

const swapLines: Mutation = (random, bytes) => {
  const [a, aEnd] = wordAt(bytes, random.index(bytes.length + 1), isInLine)
  const [b, bEnd] = wordAt(bytes, random.index(bytes.length + 1), isInLine)
  if (a >= b) return bytes
  const [first, second] = [bytes.slice(a, aEnd), bytes.slice(b, bEnd)]
  return spliced(spliced(bytes, b, bEnd, first), a, aEnd, second)
}

const mutations: readonly Mutation[] = [
  flipBit,
  replaceByte,
  fillRun,
  swapRuns,
  cutOut,
  cutEnd,
  repeat,
  extremeInteger,
  replaceNumber,
  replaceNumber,
  replaceWord,
  replaceWord,
  insertToken,
  insertToken,
  nestToken,
  swapLines,
]

function token(random: Random, dictionary: readonly string[]): string {
  const k = random.index(dictionary.length + numbers.length)
  return k < dictionary.length ? dictionary[k] : numbers[k - dictionary.length]
}

/** A run of at most `longest` bytes in a file of `length`. */
function run(random: Random, length: number, longest: number): [number, number] {
  const start = random.index(length + 1)
  return [start, Math.min(length, start + random.index(longest + 1))]
}

function spliced(bytes: Uint8Array, start: number, end: number, piece: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length - (end - start) + piece.length)
  result.set(bytes.subarray(0, start))
  result.set(piece, start)
  result.set(bytes.subarray(end), start + piece.length)
  return result
}

/** The next run of bytes of one kind at or after a place; at most 256 of them are looked for and taken. */
function wordAt(bytes: Uint8Array, from: number, belongs: (byte: number) => boolean): [number, number] {
  let start = from
  while (start < bytes.length && start < from + 256 && !belongs(bytes[start])) start++
  while (start > 0 && start > from - 256 && belongs(bytes[start - 1])) start--
  let end = start
  while (end < bytes.length && end < start + 256 && belongs(bytes[end])) end++
  return [start, end]
}

function isNumeric(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b
}

function isWord(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f
}

function isInLine(byte: number): boolean {
  return byte !== 0x0a
}
