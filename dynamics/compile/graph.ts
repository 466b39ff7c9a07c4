/**
 * Arithmetic on doubles as a graph: what one evaluation of an algorithm computes, operation by operation, equal ones shared.
 *
 * Every simplification leaves the bits of a finite result as they are, but for the sign of a zero: x + 0, x * 1, x * 0 and the sign rules,
 * which rounding to nearest permits. Nothing is regrouped.
 */

/** Operations; those from `lt` on give conditions, and so do not, and, or. */
export type Op =
  | 'constant' | 'load'
  | 'add' | 'sub' | 'mul' | 'div'
  | 'neg' | 'abs' | 'sqrt' | 'floor'
  | 'select'
  | 'lt' | 'le' | 'eq' | 'not' | 'and' | 'or' // biome-ignore format: a table

export class Expression {
  readonly op: Op
  /** Position in the order of evaluation. */
  readonly id: number
  /** Of `select`: condition, then, else. */
  readonly args: readonly Expression[]
  /** A constant's value, or a load's address in bytes. */
  readonly value: number

  constructor(op: Op, id: number, args: readonly Expression[], value: number) {
    this.op = op
    this.id = id
    this.args = args
    this.value = value
  }
}

/** A number that is known, or an expression. */
export type Scalar = number | Expression

/** More than a program has of them, so that two numbers of nodes make one key. */
const MOST = 2 ** 24

/** Makes expressions, each distinct one once. */
export class Graph {
  /** In the order of evaluation; each has its index as `id`. */
  readonly nodes: Expression[] = []
  private readonly known = new Map<Op, Map<number, Expression>>()

  /** @param value of a constant or load */
  node(op: Op, args: readonly Expression[], value = 0): Expression {
    const key = args.length === 0 ? value : args[0].id * MOST + (args.length === 1 ? 0 : args[1].id)
    let known = this.known.get(op)
    if (known === undefined) {
      known = new Map()
      this.known.set(op, known)
    }
    const found = known.get(key)
    // selects of equal condition and first choice may differ in the second
    if (found !== undefined && (op !== 'select' || found.args[2] === args[2])) return found
    const made = new Expression(op, this.nodes.length, args, value)
    this.nodes.push(made)
    known.set(key, made)
    return made
  }

  of(x: Scalar): Expression {
    return x instanceof Expression ? x : this.node('constant', [], x)
  }

  load(address: number): Expression {
    return this.node('load', [], address)
  }

  add(a: Scalar, b: Scalar): Scalar {
    if (typeof a === 'number' && typeof b === 'number') return a + b
    if (a === 0) return b
    if (b === 0) return a
    if (isNegated(b)) return this.sub(a, b.args[0])
    if (isNegated(a)) return this.sub(b, a.args[0])
    return this.commutative('add', a, b)
  }

  sub(a: Scalar, b: Scalar): Scalar {
    if (typeof a === 'number' && typeof b === 'number') return a - b
    if (b === 0) return a
    if (a === 0) return this.neg(b)
    if (isNegated(b)) return this.add(a, b.args[0])
    if (isNegated(a)) return this.neg(this.add(a.args[0], b))
    return this.node('sub', [this.of(a), this.of(b)])
  }

  mul(a: Scalar, b: Scalar): Scalar {
    if (typeof a === 'number' && typeof b === 'number') return a * b
    if (a === 0 || b === 0) return 0
    if (a === 1) return b
    if (b === 1) return a
    if (a === -1) return this.neg(b)
    if (b === -1) return this.neg(a)
    if (isNegated(a)) return this.neg(this.mul(a.args[0], b))
    if (isNegated(b)) return this.neg(this.mul(a, b.args[0]))
    return this.commutative('mul', a, b)
  }

  div(a: Scalar, b: Scalar): Scalar {
    if (typeof a === 'number' && typeof b === 'number') return a / b
    if (b === 1) return a
    if (isNegated(a)) return this.neg(this.div(a.args[0], b))
    return this.node('div', [this.of(a), this.of(b)])
  }

  neg(a: Scalar): Scalar {
    if (typeof a === 'number') return -a
    if (a.op === 'neg') return a.args[0]
    if (a.op === 'sub') return this.node('sub', [a.args[1], a.args[0]])
    return this.node('neg', [a])
  }

  unary(op: 'abs' | 'sqrt' | 'floor', a: Scalar): Scalar {
    if (typeof a === 'number') return Math[op](a)
    return this.node(op, [a])
  }

  compare(op: 'lt' | 'le' | 'eq', a: Scalar, b: Scalar): Expression {
    return this.node(op, [this.of(a), this.of(b)])
  }

  not(a: Expression): Expression {
    return a.op === 'not' ? a.args[0] : this.node('not', [a])
  }

  select(condition: Expression, a: Scalar, b: Scalar): Scalar {
    if (a === b) return a
    return this.node('select', [condition, this.of(a), this.of(b)])
  }

  private commutative(op: 'add' | 'mul', a: Scalar, b: Scalar): Expression {
    const [first, second] = [this.of(a), this.of(b)]
    return this.node(op, first.id < second.id ? [first, second] : [second, first])
  }
}

const isNegated = (x: Scalar): x is Expression => x instanceof Expression && x.op === 'neg'
