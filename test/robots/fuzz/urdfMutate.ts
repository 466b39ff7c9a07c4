/** Damaging XML so that it stays XML, for the readers behind the parser. */
import type { Random } from '../../../dynamics/index.ts'

const numbers = [
  '0',
  '-1',
  '1e-300',
  '1e300',
  '1e9',
  '-1e-9',
  '5e-324',
  '1e999',
  'nan',
  '',
  '0 0',
  '1 2 3',
  '0 0 0',
  '1e8 -1e8 1e8',
]
const firstAttribute = /([\w:.-]+)=(?:"[^"]*"|'[^']*')/
const attribute = /([\w:.-]+)=(?:"[^"]*"|'[^']*')/g

/**
 * A copy with one to four changes that leave it well-formed: an attribute's value replaced by that of another place, by an
 * awkward number or by a token; an attribute left out or called like another; an element left out, repeated, or put
 * elsewhere.
 */
export function mutateMarkup(random: Random, text: string, tokens: readonly string[]): string {
  let mutant = text
  for (let changes = 1 + random.index(4); changes > 0; changes--) {
    const changed = random.index(2) === 0 ? withAttribute(random, mutant, tokens) : withElement(random, mutant)
    if (changed.length <= 4 * text.length + 4096) mutant = changed
  }
  return mutant
}

const plain = /[<>&"']/

function withAttribute(random: Random, text: string, tokens: readonly string[]): string {
  const all = [...text.matchAll(attribute)]
  if (all.length === 0) return text
  const pick = () => all[random.index(all.length)]
  const target = pick()
  const [whole, name] = target
  const write = (changed: string) => text.slice(0, target.index) + changed + text.slice(target.index + whole.length)
  switch (random.index(8)) {
    case 0:
      return write('')
    case 1:
      return write(`${pick()[1]}=${whole.slice(name.length + 1)}`)
    case 2:
    case 3:
      return write(`${name}=${valueIn(pick()[0])}`)
    case 4: {
      const token = tokens[random.index(tokens.length)]
      return plain.test(token) ? text : write(`${name}="${token}"`)
    }
    default:
      return write(`${name}="${numbers[random.index(numbers.length)]}"`)
  }
}

function valueIn(whole: string): string {
  return whole.slice(whole.indexOf('=') + 1)
}

function withElement(random: Random, text: string): string {
  const from = elementAt(random, text)
  if (!from) return text
  const [start, end] = from
  const piece = text.slice(start, end)
  if (random.index(3) === 0) return text.slice(0, start) + text.slice(end)
  const rest = random.index(2) === 0 ? text : text.slice(0, start) + text.slice(end)
  const target = elementAt(random, rest)
  if (!target) return text
  const [before, after] = target
  const at = random.index(2) === 0 ? before : after
  return rest.slice(0, at) + piece.repeat(random.index(8) === 0 ? 2 + random.index(20) : 1) + rest.slice(at)
}

/** Copies of an element, and levels and characters of other extremes: as many as some reader may have forgotten to count. */
const extremes = [100, 1000, 20_000, 100_000]

/**
 * A copy with one thing in it far too often: an element beside itself, with other names or with the same; an element within
 * itself; an attribute that is long; or a number with many digits.
 */
export function mutateExtremely(random: Random, text: string): string {
  const times = extremes[random.index(extremes.length)]
  const found = elementAt(random, text)
  if (!found) return text
  const [start, end] = found
  const piece = text.slice(start, end)
  const around = (middle: string) => text.slice(0, start) + middle + text.slice(end)
  const copies = Math.min(times, Math.floor(2e6 / piece.length))
  switch (random.index(5)) {
    case 0:
      return around(piece.repeat(copies))
    case 1:
      return around(
        Array.from({ length: copies }, (_, k) => piece.replace(/(name|link|joint|file|filename)="/g, `$&${k}_`)).join(''),
      )
    case 2: {
      const tag = /^<([\w:.-]+)[^>]*?\/?>/.exec(piece)
      if (!tag) return text
      return around(tag[0].replace(/\/>$/, '>').repeat(copies) + `</${tag[1]}>`.repeat(copies))
    }
    case 3: {
      const digits = random.index(2) === 0 ? '9' : '0.1 '
      return around(piece.replace(firstAttribute, (_, name) => `${name}="${digits.repeat(times)}"`))
    }
    default:
      return around(
        piece.replace(firstAttribute, (whole, name) => `${name}="${whole.slice(name.length + 2, -1).repeat(copies)}"`),
      )
  }
}

/** Where some element starts and ends, the root excepted. */
function elementAt(random: Random, text: string): [number, number] | undefined {
  const tags = [...text.matchAll(/<(\/?)([A-Za-z_][\w:.-]*)[^<>]*?(\/?)>/g)]
  if (tags.length < 3) return undefined
  const k = 1 + random.index(tags.length - 2)
  if (tags[k][1] !== '') return undefined
  let depth = 0
  for (let i = k; i < tags.length; i++) {
    const [whole, closing, , empty] = tags[i]
    if (closing !== '') depth--
    else if (empty === '') depth++
    if (depth === 0) return [tags[k].index, tags[i].index + whole.length]
  }
  return undefined
}
