/** Evaluates expressions by walking their tree, with access to the given environment alone. */

import { didYouMean, ExpressionError, UnknownName } from '../failures.ts'
import type { Budget } from './budget.ts'
import { callMethod, methodNames } from './methods.ts'

import { applyBinary, applyUnary } from './operators.ts'
import type { Comparison, Loop, Node } from './parse.ts'
import { Callable, Dict, described, isEqual, isTrue, itemsOf, List, Names, order, Tuple, typeName, type Value } from './values.ts'

/** The names that an expression may use. */
export interface Environment {
  lookup(name: string): Value | undefined
  names(): Iterable<string>
}

/** @throws ExpressionError where Python raises an error, LimitError where the expression has no bounds */
export function evaluate(node: Node, environment: Environment, budget: Budget): Value {
  budget.enter()
  const value = evaluateNode(node, environment, budget)
  budget.leave()
  return value
}

function evaluateNode(node: Node, environment: Environment, budget: Budget): Value {
  switch (node.kind) {
    case 'literal':
      return node.value
    case 'name':
      return nameValue(node.name, environment)
    case 'unary': {
      const operand = evaluate(node.operand, environment, budget)
      return node.operator === 'not' ? !isTrue(operand) : applyUnary(node.operator, operand)
    }
    case 'binary': {
      const left = evaluate(node.left, environment, budget)
      return applyBinary(node.operator, left, evaluate(node.right, environment, budget), budget)
    }
    case 'logic': {
      const left = evaluate(node.left, environment, budget)
      return isTrue(left) === (node.operator === 'or') ? left : evaluate(node.right, environment, budget)
    }
    case 'compare': {
      let left = evaluate(node.first, environment, budget)
      for (const [operator, operand] of node.rest) {
        const right = evaluate(operand, environment, budget)
        if (!holds(operator, left, right, budget)) return false
        left = right
      }
      return true
    }
    case 'choice':
      return isTrue(evaluate(node.condition, environment, budget))
        ? evaluate(node.yes, environment, budget)
        : evaluate(node.no, environment, budget)
    case 'list':
      return new List(node.items.map((item) => evaluate(item, environment, budget)))
    case 'tuple':
      return new Tuple(node.items.map((item) => evaluate(item, environment, budget)))
    case 'dict':
      return new Dict(node.pairs.map(([key, item]) => [evaluate(key, environment, budget), evaluate(item, environment, budget)]))
    case 'comprehension':
      return comprehension(node, environment, budget)
    case 'index':
      return itemAt(evaluate(node.object, environment, budget), evaluate(node.index, environment, budget))
    case 'slice':
      return slice(node, environment, budget)
    case 'attribute':
      return attributeOf(evaluate(node.object, environment, budget), node.name, budget)
    case 'call':
      return call(node, environment, budget)
    case 'lambda':
      return lambda(node, environment)
  }
}

function nameValue(name: string, environment: Environment): Value {
  const value = environment.lookup(name)
  if (value !== undefined) return value
  throw new UnknownName(
    `the name "${name}" is not defined.`,
    didYouMean(name, environment.names(), `Define it before: <xacro:property name="${name}" value="..."/>.`),
  )
}

function holds(operator: Comparison, a: Value, b: Value, budget: Budget): boolean {
  switch (operator) {
    case '==':
      return isEqual(a, b, budget)
    case '!=':
      return !isEqual(a, b, budget)
    case '<':
      return order(a, b, budget) < 0
    case '>':
      return order(a, b, budget) > 0
    case '<=':
      return order(a, b, budget) <= 0
    case '>=':
      return order(a, b, budget) >= 0
    case 'in':
      return isIn(a, b, budget)
    case 'not in':
      return !isIn(a, b, budget)
    case 'is':
      return isSame(a, b, budget)
    case 'is not':
      return !isSame(a, b, budget)
  }
}

/** Identity (`is`); for equal numbers and strings Python's result depends on their storage, here they are identical. */
function isSame(a: Value, b: Value, budget: Budget): boolean {
  return typeName(a) === typeName(b) && isEqual(a, b, budget)
}

function isIn(item: Value, container: Value, budget: Budget): boolean {
  if (typeof container === 'string') {
    if (typeof item !== 'string')
      throw new ExpressionError(`${described(item)} cannot be in a string.`, 'str(x) makes text of it.')
    budget.text(container.length)
    return container.includes(item)
  }
  if (container instanceof Dict) return container.get(item) !== undefined
  return itemsOf(container).some((other) => isEqual(item, other, budget))
}

function itemAt(object: Value, index: Value): Value {
  if (object instanceof Dict) {
    const value = object.get(index)
    if (value === undefined) throw noKey(object, index)
    return value
  }
  if (typeof object !== 'string' && !(object instanceof List) && !(object instanceof Tuple)) {
    throw new ExpressionError(`${described(object)} has no items to pick by [...].`)
  }
  if (typeof index !== 'bigint' && typeof index !== 'boolean') {
    throw new ExpressionError(`a ${typeName(object)} is indexed by integers, not by ${described(index)}.`)
  }
  const items = typeof object === 'string' ? object : object.items
  const at = Number(index) < 0 ? items.length + Number(index) : Number(index)
  if (!(at >= 0 && at < items.length)) {
    throw new ExpressionError(`the index ${index} is out of range: the ${typeName(object)} has ${items.length} items.`)
  }
  return items[at]
}

function noKey(dict: Dict, key: Value): ExpressionError {
  const names = dict.pairs().flatMap(([name]) => (typeof name === 'string' ? [name] : []))
  const known = names.length === 0 ? '' : `Its keys are ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', ...' : ''}.`
  const remedy = typeof key === 'string' ? didYouMean(key, names, known) : known
  return new ExpressionError(`the dict has no key ${typeof key === 'string' ? `"${key}"` : described(key)}.`, remedy)
}

/** The attribute behind a dot: a module's member, a dict's key, or a method. */
function attributeOf(object: Value, name: string, budget: Budget): Value {
  if (object instanceof Names) {
    const value = object.get(name)
    if (value !== undefined) return value
    throw new ExpressionError(`"${object.name}" has no "${name}".`, didYouMean(name, object.all(), 'Check the spelling.'))
  }
  if (object instanceof Dict) {
    const value = object.get(name)
    if (value !== undefined) return value
  }
  for (const method of methodNames(object)) {
    if (method === name) {
      return new Callable(name, (args, named, spent) => callMethod(object, name, args, named, spent) ?? null)
    }
  }
  if (object instanceof Dict) throw noKey(object, name)
  budget.step(1)
  throw new ExpressionError(
    `${described(object)} has no "${name}".`,
    didYouMean(name, methodNames(object), typeof object === 'string' ? 'Is it the name of a dict that was never evaluated?' : ''),
  )
}

function call(node: Node & { kind: 'call' }, environment: Environment, budget: Budget): Value {
  const { callee } = node
  const object = callee.kind === 'attribute' ? evaluate(callee.object, environment, budget) : undefined
  const evaluateArguments = () => {
    const args = node.args.map((item) => evaluate(item, environment, budget))
    const named = new Map(node.named.map(([name, item]) => [name, evaluate(item, environment, budget)]))
    return { args, named }
  }
  if (callee.kind === 'attribute' && object !== undefined && !(object instanceof Names)) {
    const { args, named } = evaluateArguments()
    const result = callMethod(object, callee.name, args, named, budget)
    if (result !== undefined) return result
    return callValue(attributeOf(object, callee.name, budget), args, named, budget)
  }
  const target =
    callee.kind === 'attribute' && object !== undefined
      ? attributeOf(object, callee.name, budget)
      : evaluate(callee, environment, budget)
  const { args, named } = evaluateArguments()
  return callValue(target, args, named, budget)
}

function callValue(target: Value, args: readonly Value[], named: ReadonlyMap<string, Value>, budget: Budget): Value {
  if (!(target instanceof Callable)) throw new ExpressionError(`${described(target)} cannot be called.`)
  return target.call(args, named, budget)
}

/** Names of a comprehension or of a lambda's parameters, in front of those around it. */
function withLocals(locals: ReadonlyMap<string, Value>, outer: Environment): Environment {
  return {
    lookup: (name) => locals.get(name) ?? outer.lookup(name),
    *names() {
      yield* locals.keys()
      yield* outer.names()
    },
  }
}

function lambda({ parameters, body }: Node & { kind: 'lambda' }, environment: Environment): Callable {
  return new Callable('lambda', (args, named, budget) => {
    if (args.length !== parameters.length || named.size > 0) {
      throw new ExpressionError(`the lambda wants ${parameters.length} arguments and gets ${args.length + named.size}.`)
    }
    const locals = new Map(parameters.map((name, k) => [name, args[k]]))
    return evaluate(body, withLocals(locals, environment), budget)
  })
}

function comprehension(node: Node & { kind: 'comprehension' }, environment: Environment, budget: Budget): Value {
  const items: Value[] = []
  const pairs: (readonly [Value, Value])[] = []
  const locals = new Map<string, Value>()
  const inner = withLocals(locals, environment)
  const run = (depth: number): void => {
    if (depth === node.loops.length) {
      const item = evaluate(node.item, inner, budget)
      if (node.key) pairs.push([evaluate(node.key, inner, budget), item])
      else items.push(item)
      budget.items(items.length + pairs.length > 0 ? 1 : 0)
      return
    }
    const { targets, source, conditions }: Loop = node.loops[depth]
    for (const value of itemsOf(evaluate(source, depth === 0 ? environment : inner, budget))) {
      budget.step(1)
      if (targets.length === 1) locals.set(targets[0], value)
      else unpack(targets, value, locals)
      if (conditions.every((condition) => isTrue(evaluate(condition, inner, budget)))) run(depth + 1)
    }
  }
  run(0)
  return node.key ? new Dict(pairs) : new List(items)
}

function unpack(targets: readonly string[], value: Value, locals: Map<string, Value>): void {
  const parts = itemsOf(value)
  if (parts.length !== targets.length) {
    throw new ExpressionError(`${parts.length} values for the ${targets.length} names ${targets.join(', ')}.`)
  }
  for (let k = 0; k < targets.length; k++) locals.set(targets[k], parts[k])
}

function slice(node: Node & { kind: 'slice' }, environment: Environment, budget: Budget): Value {
  const object = evaluate(node.object, environment, budget)
  const bound = (part: Node | undefined): number | undefined => {
    const value = part === undefined ? null : evaluate(part, environment, budget)
    if (value === null) return undefined
    if (typeof value !== 'bigint') throw new ExpressionError(`a slice goes from integer to integer, not ${described(value)}.`)
    return Number(value)
  }
  const from = bound(node.from)
  const to = bound(node.to)
  const step = bound(node.step) ?? 1
  if (step === 0) throw new ExpressionError('a slice with step 0.')
  if (typeof object !== 'string' && !(object instanceof List) && !(object instanceof Tuple)) {
    throw new ExpressionError(`${described(object)} cannot be sliced.`)
  }
  const source = typeof object === 'string' ? object : object.items
  const { length } = source
  const clamp = (at: number, low: number, high: number) => Math.min(Math.max(at < 0 ? at + length : at, low), high)
  const picked: Value[] = []
  budget.items(length)
  if (step > 0) {
    const end = clamp(to ?? length, 0, length)
    for (let k = clamp(from ?? 0, 0, length); k < end; k += step) picked.push(source[k])
  } else {
    const end = to === undefined ? -1 : clamp(to, -1, length - 1)
    for (let k = from === undefined ? length - 1 : clamp(from, -1, length - 1); k > end; k += step) picked.push(source[k])
  }
  if (typeof object === 'string') return picked.join('')
  return object instanceof List ? new List(picked) : new Tuple(picked)
}
