/** Valid files, damaged at random: bytes, values, keys, shape. Seeded, so that each mutant has a number. */
import type { Random } from '../../compare/scenario/world/random.ts'

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random.next() * list.length)]
const upTo = (random: Random, n: number) => Math.floor(random.next() * n)

/** Texts in place of a value, in JSON and so in YAML: wrong types, numbers that no count and no mass is, too much and too deep. */
const wrongValues = [
  'null', 'true', '[]', '{}', '""', '"x"', '"NaN"', '-1', '0', '0.5', '-0', '1e308', '-1e308', '1e400', '5e-324', '-1000000000', '2147483648',
  '9007199254740993', '1e21', '[[[]]]', '{"$type":"NaN"}', '{"$type":"Map","values":[1]}', '{"$type":"x"}', '{"__proto__":{"a":1}}',
  '{"toString":1,"length":5}', '"../../../etc/passwd"', '"a\\u0000b"', '"1/0"', '"1e999 m"', '[null,null,null]', '[1,2,3,4,5,6,7]',
] // biome-ignore format: a table
const large = [
  () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  () => `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  () => JSON.stringify('x'.repeat(500_000)),
  () => `[${'0,'.repeat(50_000)}0]`,
  () => `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
]

/** Damage that needs to know nothing of the format. */
export function damaged(text: string, random: Random): string {
  const at = upTo(random, text.length)
  const to = Math.min(text.length, at + 1 + upTo(random, 40))
  switch (upTo(random, 6)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << upTo(random, 7))) + text.slice(at + 1)
    case 2:
      return text.slice(0, at) + text.slice(to)
    case 3:
      return text.slice(0, to) + text.slice(at, to) + text.slice(to)
    case 4:
      return (
        text.slice(0, at) +
        pick(random, ['\0', '\ud800', '\n', '\t', '"', '{', ']', ',', '-', '9', 'e', '&a ', '*a', '!!', '%']) +
        text.slice(at)
      )
    default: {
      const from = upTo(random, text.length)
      return text.slice(0, at) + text.slice(from, from + upTo(random, 200)) + text.slice(at)
    }
  }
}

type Holder = Record<string, unknown>

/** A place in a JSON value: what holds it, and under which key. */
function placeIn(value: unknown, random: Random): readonly [Holder, string] {
  let place: readonly [Holder, string] = [{ root: value }, 'root']
  for (let inner = value; typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0; ) {
    const key = pick(random, Object.keys(inner))
    place = [inner as Holder, key]
    if (random.next() < 0.25) break
    inner = (inner as Holder)[key]
  }
  return place
}

/** @param text JSON */
export function jsonMutant(text: string, random: Random): string {
  if (random.next() < 0.35) return damaged(text, random)
  const value: unknown = JSON.parse(text)
  const [holder, key] = placeIn(value, random)
  const [other, otherKey] = placeIn(value, random)
  let put = ''
  switch (upTo(random, 8)) {
    case 0:
      delete holder[key]
      break
    case 1:
      holder[pick(random, [`${key}x`, key.toUpperCase(), '', '__proto__', 'constructor', '$type', '0'])] = holder[key]
      break
    case 2:
      holder[key] = structuredClone(other[otherKey])
      break
    case 3:
      if (Array.isArray(holder)) holder.splice(upTo(random, holder.length), upTo(random, 3), holder[0])
      else holder[otherKey] = structuredClone(holder[key])
      break
    case 4:
      put = random.next() < 0.2 ? pick(random, large)() : pick(random, wrongValues)
      break
    default:
      put = pick(random, wrongValues)
  }
  if (put !== '') holder[key] = '\u0001'
  const out = JSON.stringify(value) ?? 'null'
  return put === '' ? out : out.replace(JSON.stringify('\u0001'), () => put)
}

/** @param text YAML in block style, a field a line */
export function yamlMutant(text: string, random: Random): string {
  if (random.next() < 0.3) return damaged(text, random)
  const lines = text.split('\n')
  const at = upTo(random, lines.length)
  const [, indent, key] = /^(\s*(?:- )?)([\w.-]+):/.exec(lines[at]) ?? ['', '', '', 'x']
  const field = key ?? 'x'
  const add = (...more: string[]) => lines.splice(at, 0, ...more)
  switch (upTo(random, 12)) {
    case 0:
      lines.splice(at, 1 + upTo(random, 3))
      break
    case 1:
      add(...lines.slice(at, at + 1 + upTo(random, 3)))
      break
    case 2:
      lines[at] = lines[at].replace(field, pick(random, [`${field}x`, 'robot', '<<', '__proto__', '? a', '"', '1', '[a, b]']))
      break
    case 3:
      lines[at] = `${indent}${field}: &a {b: *a}`
      break
    case 4:
      add(`${indent}<<: {${field}: 1}`)
      break
    case 5:
      lines[at] = `${indent}${field}: &a [*a, *a]`
      break
    case 6:
      lines[at] = `${indent}${field}: ${pick(random, large)()}`
      break
    case 7:
      lines[at] = ' '.repeat(upTo(random, 6)) + lines[at].trimStart()
      break
    case 8:
      lines[at] = `${indent}${field}: ${pick(random, ['!!binary x', '!!js/function x', '2001-01-01', '.nan', '.inf', '0x1F', '0o17', '| \n a', '*b', '- 1', '1 m/s', '1 furlong', '1 kg*m', 'sin(t)', `${'('.repeat(3000)}1${')'.repeat(3000)}`, `${'2^'.repeat(300)}2`, `1${'0'.repeat(400)}`])}` // biome-ignore format: one line
      break
    default:
      lines[at] = `${indent}${field}: ${pick(random, wrongValues)}`
  }
  return lines.join('\n')
}
