/** Files drawn from the grammars of their formats: every element and attribute that a reader knows, where it may stand and where not. */
import * as fc from 'fast-check'
import { listedIn, type Vocabulary } from '../../../robots/elements/index.ts'

type Draw = fc.GeneratorValue

/** An input of a grammar by its seed: the same for the same seed. */
export const drawn = <T>(seed: number, build: (draw: Draw) => T): T =>
  fc.sample(
    fc.gen().map((draw) => build(draw)),
    { seed, numRuns: 1 },
  )[0]

export const upTo = (draw: Draw, max: number): number => draw(fc.nat, { max })
export const oneOf = <T>(draw: Draw, list: readonly T[]): T => list[upTo(draw, list.length - 1)]
export const listOf = <T>(draw: Draw, max: number, entry: (k: number) => T): T[] =>
  Array.from({ length: upTo(draw, max) }, (_, k) => entry(k))

const awkward = [
  '0', '1', '-1', '0.5', '1e-9', '1e300', '-1e300', 'nan', 'inf', '', ' ', '1 2 3', '0 0 0', '0 0 1', '1 0 0 0', '1 2', '0.1 0.1 0.1 0 0 0', 'true', 'false', '2147483648',
  '__proto__', 'constructor', '../x', '\u202e', '&lt;', '1,5', '0x10', '9'.repeat(400),
] // biome-ignore format: a table

/** Names that elements have and refer to, so that references often lead somewhere. */
const names = ['a', 'b', 'c', 'd', 'a::b', 'world', 'm']

/** What a file is drawn from. */
export interface Grammar {
  readonly vocabulary: Vocabulary
  readonly root: string
  /** Values of `type` and the like. */
  readonly words: readonly string[]
  /** A robot of so many parts, `part0` and so on, with more of what may stand in an element of a label. */
  readonly skeleton: (draw: Draw, parts: number, more: (label: string) => string) => string
}

/** Attributes that hold names, and elements whose texts do. */
const naming =
  /^(name|link\d?|joint\d?|parent|child|reference|group|body\d?|site|geom|mesh|hfield|class|childclass|relative_to|attached_to|tip_link|base_link|frame)$/

/** A text with so many elements beside its skeleton at most, and the number of its parts. */
export function drawText(
  draw: Draw,
  { vocabulary, root, words, skeleton }: Grammar,
  most: number,
): { text: string; parts: number } {
  let left = most
  const parts = 1 + upTo(draw, 5)
  const value = (name: string): string => {
    if (upTo(draw, 24) === 0) return oneOf(draw, awkward)
    if (naming.test(name)) return upTo(draw, 2) > 0 ? `part${upTo(draw, parts - 1)}` : oneOf(draw, names)
    if (name === 'pose' || name === 'fullinertia') return oneOf(draw, ['0.1 0 0 0 0 0', '1 1 1 0 0 0'])
    if (/quat|rgba|color/.test(name)) return '1 0 0 0'
    if (/xyz|rpy|size|pos|axis|scale|gravity|euler|diag|vertex/.test(name))
      return oneOf(draw, ['0.1 0.2 0.3', '1 0 0', '0.1 0.1 0.1'])
    if (/type|uri|file|version|joint|key/.test(name)) return oneOf(draw, words)
    return oneOf(draw, ['0.1', '1', '0', '2', '-0.5', 'true', 'false', oneOf(draw, words)])
  }
  const escaped = (text: string) => text.replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const all = [...vocabulary.keys()].map((label) => label.slice(label.lastIndexOf('/') + 1))
  const inside = (label: string, depth: number, most: number): string => {
    const word = vocabulary.get(label) ?? vocabulary.get(label.slice(label.lastIndexOf('/') + 1))
    const known = (word && listedIn(word)) ?? []
    const children: string[] = []
    for (let k = upTo(draw, most); k > 0 && left > 0 && depth < 12; k--) {
      const next = upTo(draw, 40) === 0 ? oneOf(draw, all) : known.length > 0 ? oneOf(draw, known) : undefined
      const name = label.slice(label.lastIndexOf('/') + 1)
      if (next !== undefined) children.push(element(vocabulary.has(`${name}/${next}`) ? `${name}/${next}` : next, depth + 1))
    }
    return children.join('')
  }
  const element = (label: string, depth: number): string => {
    left--
    const name = label.slice(label.lastIndexOf('/') + 1)
    const word = vocabulary.get(label) ?? vocabulary.get(name)
    const known = [...(word?.attributes ?? []), ...(word?.carried ?? []), ...Object.keys(word?.toldAttributes ?? {})]
    const attributes = new Map<string, string>()
    for (const key of known) {
      if (upTo(draw, known.length > 8 ? 8 : 2) === 0) attributes.set(key, key === 'name' ? `n${left}` : value(key))
    }
    if (upTo(draw, 40) === 0) attributes.set(oneOf(draw, ['nam', 'typ', 'x', '__proto__', 'class']), value('x'))
    const start = [name, ...[...attributes].map(([key, text]) => `${key}="${escaped(text)}"`)].join(' ')
    const children = inside(label, depth, 3)
    return `<${start}>${children === '' && attributes.size === 0 ? escaped(value(name)) : ''}${children}</${name}>`
  }
  const text = skeleton(draw, parts, (label) => inside(label, 2, 2))
  return { text: `<${root} name="r" version="1.9">${text}${inside(root, 0, 3)}</${root}>`, parts }
}

/** Texts of one line each. */
export const lines = (draw: Draw, most: number, line: (k: number) => string): string => listOf(draw, most, line).join('\n')

export const number = (draw: Draw): string => (upTo(draw, 3) === 0 ? oneOf(draw, awkward) : String(upTo(draw, 20) / 4 - 2))
