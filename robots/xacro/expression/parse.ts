/** Python's expressions, as far as robot files use them, read into a tree. */
import { ExpressionError, LimitError } from '../failures.ts'
import { readFloat } from './numbers.ts'

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '&' | '|' | '^' | '<<' | '>>'
export type Comparison = '==' | '!=' | '<' | '>' | '<=' | '>=' | 'in' | 'not in' | 'is' | 'is not'

/** `for target in source if conditions`, one of several in a comprehension. */
export interface Loop {
  readonly targets: readonly string[]
  readonly source: Node
  readonly conditions: readonly Node[]
}

export type Node =
  | { readonly kind: 'literal'; readonly value: null | boolean | bigint | number | string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: '-' | '+' | '~' | 'not'; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'logic'; readonly operator: 'and' | 'or'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'compare'; readonly first: Node; readonly rest: readonly (readonly [Comparison, Node])[] }
  | { readonly kind: 'choice'; readonly condition: Node; readonly yes: Node; readonly no: Node }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Node[] }
  | { readonly kind: 'dict'; readonly pairs: readonly (readonly [Node, Node])[] }
  | { readonly kind: 'comprehension'; readonly key?: Node; readonly item: Node; readonly loops: readonly Loop[] }
  | { readonly kind: 'index'; readonly object: Node; readonly index: Node }
  | { readonly kind: 'slice'; readonly object: Node; readonly from?: Node; readonly to?: Node; readonly step?: Node }
  | { readonly kind: 'attribute'; readonly object: Node; readonly name: string }
  | {
      readonly kind: 'call'
      readonly callee: Node
      readonly args: readonly Node[]
      readonly named: readonly (readonly [string, Node])[]
    }
  | { readonly kind: 'lambda'; readonly parameters: readonly string[]; readonly body: Node }

/** Longest expression [characters]. */
const maxSource = 10_000
/** Deepest nesting of brackets and operators that are read from the right. */
const maxNesting = 100

/** @throws ExpressionError where the text is no expression, LimitError where it is too long or too deep */
export function parseExpression(source: string): Node {
  if (source.length > maxSource) {
    throw new LimitError(`an expression of ${source.length} characters; at most ${maxSource}.`, 'Split it into properties.')
  }
  return new ExpressionParser(source).whole()
}

/** Whether a text can be the name of a property in an expression. */
export function isName(text: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text) && !keywords.has(text)
}

type Token =
  | { readonly kind: 'number'; readonly text: string; readonly value: bigint | number }
  | { readonly kind: 'string'; readonly text: string; readonly value: string }
  | { readonly kind: 'name' | 'mark' | 'end'; readonly text: string }

const keywords: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

const constants: ReadonlyMap<string, null | boolean> = new Map([
  ['None', null],
  ['True', true],
  ['False', false],
])

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '>', '<=', '>=', 'in', 'not', 'is'])

/** From loosest to tightest; each level reads from the left. */
const binaryLevels: readonly ReadonlySet<string>[] = [
  new Set(['|']),
  new Set(['^']),
  new Set(['&']),
  new Set(['<<', '>>']),
  new Set(['+', '-']),
  new Set(['*', '/', '//', '%']),
]

class ExpressionParser {
  private readonly tokens: readonly Token[]
  private at = 0
  private nesting = 0

  constructor(source: string) {
    this.tokens = tokenize(source)
  }

  whole(): Node {
    if (this.tokens.length === 1) throw new ExpressionError('the expression is empty.')
    const node = this.tuple()
    if (this.top.kind !== 'end') throw this.unexpected('the end')
    return node
  }

  private get top(): Token {
    return this.tokens[this.at]
  }

  /** Takes the token if it is this mark or keyword; a string that reads like one is none. */
  private take(text: string): boolean {
    if (!this.is(text)) return false
    this.at++
    return true
  }

  private is(text: string): boolean {
    return this.top.text === text && (this.top.kind === 'mark' || this.top.kind === 'name')
  }

  private expect(text: string): void {
    if (!this.take(text)) throw this.unexpected(`"${text}"`)
  }

  private unexpected(wanted: string): ExpressionError {
    const found = this.top.kind === 'end' ? 'it ends' : `there is "${this.top.text.slice(0, 30)}"`
    return new ExpressionError(
      `this is no expression: ${found} where ${wanted} is expected.`,
      'Expressions are written as in Python.',
    )
  }

  private nested<T>(read: () => T): T {
    if (++this.nesting > maxNesting) throw new LimitError(`an expression nested more than ${maxNesting} deep.`, 'Split it.')
    const result = read()
    this.nesting--
    return result
  }

  /** `a` or `a, b`. */
  private tuple(): Node {
    const first = this.expression()
    if (!this.is(',')) return first
    const items = [first]
    while (this.take(',')) {
      if (this.top.kind === 'end' || this.is(')') || this.is(']')) break
      items.push(this.expression())
    }
    return { kind: 'tuple', items }
  }

  private expression(): Node {
    return this.nested(() => {
      if (this.take('lambda')) return this.lambda()
      const yes = this.or()
      if (!this.take('if')) return yes
      const condition = this.or()
      this.expect('else')
      return { kind: 'choice', condition, yes, no: this.expression() }
    })
  }

  private lambda(): Node {
    const parameters: string[] = []
    while (!this.take(':')) {
      if (parameters.length > 0) this.expect(',')
      parameters.push(this.name())
    }
    return { kind: 'lambda', parameters, body: this.expression() }
  }

  private name(): string {
    const { kind, text } = this.top
    if (kind !== 'name' || keywords.has(text)) throw this.unexpected('a name')
    this.at++
    return text
  }

  private or(): Node {
    let left = this.and()
    while (this.take('or')) left = { kind: 'logic', operator: 'or', left, right: this.and() }
    return left
  }

  private and(): Node {
    let left = this.not()
    while (this.take('and')) left = { kind: 'logic', operator: 'and', left, right: this.not() }
    return left
  }

  private not(): Node {
    if (!this.take('not')) return this.comparison()
    return this.nested(() => ({ kind: 'unary', operator: 'not', operand: this.not() }))
  }

  private comparison(): Node {
    const first = this.binary(0)
    const rest: [Comparison, Node][] = []
    for (;;) {
      const operator = this.comparisonOperator()
      if (operator === undefined) return rest.length === 0 ? first : { kind: 'compare', first, rest }
      rest.push([operator, this.binary(0)])
    }
  }

  private comparisonOperator(): Comparison | undefined {
    const { kind, text } = this.top
    if ((kind !== 'mark' && kind !== 'name') || !comparisons.has(text)) return undefined
    this.at++
    if (text === 'not') {
      this.expect('in')
      return 'not in'
    }
    if (text === 'is') return this.take('not') ? 'is not' : 'is'
    return text as Comparison
  }

  private binary(level: number): Node {
    if (level === binaryLevels.length) return this.unary()
    let left = this.binary(level + 1)
    while (this.top.kind === 'mark' && binaryLevels[level].has(this.top.text)) {
      const operator = this.top.text as BinaryOperator
      this.at++
      left = { kind: 'binary', operator, left, right: this.binary(level + 1) }
    }
    return left
  }

  private unary(): Node {
    for (const operator of ['-', '+', '~'] as const) {
      if (this.take(operator)) return this.nested(() => ({ kind: 'unary', operator, operand: this.unary() }))
    }
    return this.power()
  }

  /** Binds tighter than a sign to its left and looser than one to its right, and reads from the right. */
  private power(): Node {
    const left = this.postfix()
    if (!this.take('**')) return left
    return this.nested(() => ({ kind: 'binary', operator: '**', left, right: this.unary() }))
  }

  private postfix(): Node {
    let node = this.atom()
    for (;;) {
      if (this.take('.')) node = { kind: 'attribute', object: node, name: this.name() }
      else if (this.take('(')) node = this.call(node)
      else if (this.take('[')) node = this.subscript(node)
      else return node
    }
  }

  private call(callee: Node): Node {
    const args: Node[] = []
    const named: [string, Node][] = []
    while (!this.take(')')) {
      if (args.length + named.length > 0) {
        this.expect(',')
        if (this.take(')')) break
      }
      const next = this.tokens[this.at + 1]
      if (this.top.kind === 'name' && next.kind === 'mark' && next.text === '=') {
        const name = this.name()
        this.at++
        named.push([name, this.expression()])
        continue
      }
      if (named.length > 0) throw this.unexpected('another argument with a name')
      const item = this.expression()
      args.push(this.is('for') ? { kind: 'comprehension', item, loops: this.loops() } : item)
    }
    return { kind: 'call', callee, args, named }
  }

  private subscript(object: Node): Node {
    const part = () => (this.is(':') || this.is(']') ? undefined : this.tuple())
    const from = part()
    if (!this.take(':')) {
      if (!from) throw this.unexpected('an index')
      this.expect(']')
      return { kind: 'index', object, index: from }
    }
    const to = part()
    const step = this.take(':') ? part() : undefined
    this.expect(']')
    return { kind: 'slice', object, from, to, step }
  }

  private atom(): Node {
    const token = this.top
    if (token.kind === 'number') {
      this.at++
      return { kind: 'literal', value: token.value }
    }
    if (token.kind === 'string') return this.strings()
    if (token.kind === 'name') {
      const constant = constants.get(token.text)
      if (constant !== undefined) {
        this.at++
        return { kind: 'literal', value: constant }
      }
      if (!keywords.has(token.text)) return { kind: 'name', name: this.name() }
    }
    if (this.take('(')) return this.nested(() => this.parenthesis())
    if (this.take('[')) return this.nested(() => this.list())
    if (this.take('{')) return this.nested(() => this.dict())
    throw this.unexpected('a value')
  }

  /** Strings side by side are one. */
  private strings(): Node {
    let value = ''
    for (let token = this.top; token.kind === 'string'; token = this.top) {
      value += token.value
      this.at++
    }
    return { kind: 'literal', value }
  }

  private parenthesis(): Node {
    if (this.take(')')) return { kind: 'tuple', items: [] }
    const node = this.tuple()
    const result: Node = this.is('for') ? { kind: 'comprehension', item: node, loops: this.loops() } : node
    this.expect(')')
    return result
  }

  private list(): Node {
    const items: Node[] = []
    while (!this.take(']')) {
      if (items.length > 0) {
        this.expect(',')
        if (this.take(']')) break
      }
      items.push(this.expression())
      if (items.length === 1 && this.is('for')) {
        const loops = this.loops()
        this.expect(']')
        return { kind: 'comprehension', item: items[0], loops }
      }
    }
    return { kind: 'list', items }
  }

  private dict(): Node {
    const pairs: [Node, Node][] = []
    while (!this.take('}')) {
      if (pairs.length > 0) {
        this.expect(',')
        if (this.take('}')) break
      }
      const key = this.expression()
      this.expect(':')
      const item = this.expression()
      pairs.push([key, item])
      if (pairs.length === 1 && this.is('for')) {
        const loops = this.loops()
        this.expect('}')
        return { kind: 'comprehension', key, item, loops }
      }
    }
    return { kind: 'dict', pairs }
  }

  private loops(): readonly Loop[] {
    const loops: Loop[] = []
    while (this.take('for')) {
      const bracket = this.take('(')
      const targets = [this.name()]
      while (this.take(',')) targets.push(this.name())
      if (bracket) this.expect(')')
      this.expect('in')
      const source = this.or()
      const conditions: Node[] = []
      while (this.take('if')) conditions.push(this.or())
      loops.push({ targets, source, conditions })
    }
    return loops
  }
}

const blank = /[ \t\r\n\f]+/y
const numeral = /0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?/y
const word = /[\p{L}_][\p{L}\p{N}_]*/uy
const mark = /\*\*|\/\/|<<|>>|==|!=|<=|>=|[-+*/%&|^~<>()[\]{}.,:=]/y

function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0]
  }
  while (at < source.length) {
    const space = match(blank)
    if (space !== undefined) {
      at += space.length
      continue
    }
    const number = match(numeral)
    if (number !== undefined) {
      at += number.length
      if (match(word) !== undefined) {
        throw new ExpressionError(
          `"${number}${match(word)}" is no number.`,
          'Write a factor with *, and text between quotation marks.',
        )
      }
      tokens.push({ kind: 'number', text: number, value: numberOf(number) })
      continue
    }
    const prefix = /[rRuUbBfF]{0,2}(?=['"])/y
    const letters = match(prefix)
    if (letters !== undefined) {
      if (/[bf]/i.test(letters)) {
        throw new ExpressionError(`strings with the prefix "${letters}" are not known here.`, 'Join strings with +, or use %.')
      }
      const { text, value } = readString(source, at + letters.length, /r/i.test(letters))
      at += letters.length + text.length
      tokens.push({ kind: 'string', text, value })
      continue
    }
    const name = match(word)
    if (name !== undefined) {
      at += name.length
      tokens.push({ kind: 'name', text: name })
      continue
    }
    const operator = match(mark)
    if (operator === undefined) {
      throw new ExpressionError(`"${source[at]}" means nothing in an expression.`, 'Expressions are written as in Python.')
    }
    at += operator.length
    tokens.push({ kind: 'mark', text: operator })
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

function numberOf(text: string): bigint | number {
  if (text.length > 1000) throw new LimitError(`a number of ${text.length} digits.`, 'Shorten it.')
  const digits = text.replaceAll('_', '')
  if (/^0[xXbBoO]/.test(digits)) return BigInt(digits)
  if (!/^\d+$/.test(digits)) return readFloat(digits) ?? Number.NaN
  if (/^0+[1-9]/.test(digits)) throw new ExpressionError(`"${text}": an integer has no leading zeros.`, 'Leave them out.')
  return BigInt(digits)
}

const escaped: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
])

/** A string literal that begins at `start` with its quotation mark. */
function readString(source: string, start: number, raw: boolean): { text: string; value: string } {
  const quotationMark = source[start]
  const triple = source.startsWith(quotationMark.repeat(3), start)
  const close = triple ? quotationMark.repeat(3) : quotationMark
  let value = ''
  for (let at = start + close.length; at < source.length; at++) {
    const character = source[at]
    if (source.startsWith(close, at)) return { text: source.slice(start, at + close.length), value }
    if (character !== '\\' || at + 1 === source.length) {
      value += character
      continue
    }
    const next = source[++at]
    const code = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/.exec(source.slice(at, at + 5))
    if (raw) value += `\\${next}`
    else if (code) {
      value += String.fromCharCode(Number.parseInt(code[1] ?? code[2], 16))
      at += code[0].length - 1
    } else value += escaped.get(next) ?? `\\${next}`
  }
  throw new ExpressionError(`the string ${source.slice(start, start + 20)} has no end.`, `Close it with ${close}.`)
}
