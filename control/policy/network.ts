/** Small networks of policies, evaluated one sample at a time with the same bits in every JavaScript engine. */
import { Meter } from '../../dynamics/index.ts'
import { ControllerError } from '../controllerError.ts'
import { expMinusOne, sigmoid, softplus, tanh } from './exponential.ts'
import { type ElementType, elementTypeOf, type Graph, type Node, type Tensor } from './onnx.ts'

/** Numbers of `float` and `float16` in single precision, others in double: whole numbers are exact up to 2^53, truth is 1 or 0. */
export type Numbers = Float32Array | Float64Array

/** A tensor in a plan. `data` is written anew by each evaluation, unless it is a weight. */
interface Value {
  readonly type: ElementType
  readonly shape: readonly number[]
  readonly data: Numbers
  /** Numbers known before any evaluation, such as shapes and indices. */
  readonly constant?: readonly number[]
}

export interface Network {
  readonly inputs: ReadonlyMap<string, Numbers>
  readonly outputs: ReadonlyMap<string, Numbers>
  /**
   * Reads the inputs, writes the outputs; allocates nothing.
   *
   * @throws ControllerError where a whole number leaves +-2^53 or does not exist: a division by 0, a cast of NaN
   */
  run(): void
}

/** Called once, it returns the outputs, and pushes the steps of each evaluation. */
type Plan = (node: Planned, steps: (() => void)[]) => Value[]

/** Types of the first input, as in onnxruntime; other data have the same. */
const floats = ['float', 'double', 'float16'] as const
const singles = ['float', 'float16'] as const
const numeric = [...floats, 'int32', 'int64'] as const
const every = [...numeric, 'bool'] as const

/** By operator name. */
const plans: Readonly<Record<string, Plan>> = {
  Gemm: gemm,
  MatMul: matMul,
  Add: binary((out, a, b, i, j, k) => {
    out[i] = a[j] + b[k]
  }),
  Sub: binary((out, a, b, i, j, k) => {
    out[i] = a[j] - b[k]
  }),
  Mul: binary((out, a, b, i, j, k) => {
    out[i] = a[j] * b[k]
  }),
  Div: binary(
    (out, a, b, i, j, k) => {
      out[i] = a[j] / b[k]
    },
    (out, a, b, i, j, k) => {
      out[i] = Math.trunc(a[j] / b[k])
    },
  ),
  Relu: unary(() => (x, i) => {
    x[i] = Math.max(0, x[i])
  }),
  LeakyRelu: unary(({ number }) => {
    const alpha = number('alpha', 0.01)
    return (x, i) => {
      if (x[i] < 0) x[i] *= alpha
    }
  }),
  Elu: unary(({ number }) => {
    const alpha = number('alpha', 1)
    return (x, i) => {
      if (x[i] >= 0) return
      expMinusOne(x, i)
      x[i] *= alpha
    }
  }),
  Tanh: unary(() => tanh),
  Sigmoid: unary(() => sigmoid),
  Softplus: unary(() => softplus),
  Clip: unary(({ inputs, constants, number, has }) => {
    const bound = (at: number, name: string, none: number) =>
      inputs[at] ? constants(at)[0] : has(name) ? number(name, none) : none
    const [low, high] = [bound(1, 'min', -Infinity), bound(2, 'max', Infinity)]
    return (x, i) => {
      x[i] = Math.min(high, Math.max(low, x[i]))
    }
  }),
  Identity: reshaped((input) => input.shape),
  Dropout: reshaped((input) => input.shape),
  Cast: cast,
  Flatten: reshaped(({ shape }, { number }) => {
    const axis = number('axis', 1)
    return [product(shape.slice(0, axis)), product(shape.slice(axis))]
  }),
  Reshape: reshaped(({ shape }, { constants }) => {
    const wanted = constants(1).map((length, k) => (length === 0 ? shape[k] : length))
    return wanted.map((length) => (length < 0 ? product(shape) / -product(wanted) : length))
  }),
  Squeeze: reshaped(({ shape }, { axes }) => {
    const gone = axes().map((axis) => (axis < 0 ? axis + shape.length : axis))
    return shape.filter((length, k) => (gone.length > 0 ? !gone.includes(k) : length !== 1))
  }),
  Unsqueeze: reshaped(({ shape }, { axes }) => {
    const rank = shape.length + axes().length
    const added = axes().map((axis) => (axis < 0 ? axis + rank : axis))
    const rest = shape.slice()
    return Array.from({ length: rank }, (_, k) => (added.includes(k) ? 1 : (rest.shift() as number)))
  }),
  Transpose: transpose,
  Slice: slice,
  Concat: concat,
  LSTM: lstm,
  GRU: gru,
  Constant: ({ tensor }) => [weightOf(tensor('value'))],
}

const typesOf: Readonly<Record<string, readonly ElementType[]>> = {
  ...{ Gemm: floats, MatMul: numeric, Add: numeric, Sub: numeric, Mul: numeric, Div: numeric, Clip: numeric },
  ...{ Relu: [...floats, 'int32'], LeakyRelu: singles, Elu: singles, Softplus: singles, LSTM: singles, GRU: singles },
  ...{ Tanh: floats, Sigmoid: floats, Dropout: floats },
}

/** A node whose inputs are known. */
type Planned = ReturnType<typeof planned>

/** @param file for messages @throws ControllerError that names every unknown operator */
export function createNetwork({ nodes, weights, inputs, outputs }: Graph, file: string): Network {
  const unknown = [...new Set(nodes.map(({ op }) => op).filter((op) => !Object.hasOwn(plans, op)))]
  if (unknown.length > 0) {
    const known = Object.keys(plans).join(', ')
    throw new ControllerError(file, `has the operators ${unknown.join(', ')}, which are not known; there are ${known}`)
  }
  const values = new Map<string, Value>()
  const [steps, places]: [(() => void)[], string[]] = [[], []]
  const refused = (at: string, error: unknown) =>
    error instanceof RangeError ? new ControllerError(file, `${at}: ${error.message}`) : error
  const meter = betweenMeter()
  let place = 'weights'
  try {
    for (const [name, tensor] of weights) values.set(name, weightOf(tensor))
    place = 'input'
    for (const [name, { type, shape }] of inputs) {
      meter.ask('numbers', sizeOf(shape))
      const value = room(type, shape)
      values.set(name, value)
      if (type !== 'float') rounded(value, steps)
    }
    for (const node of nodes) {
      while (places.length < steps.length) places.push(place)
      place = `operator ${node.op} "${node.outputs[0]}"`
      const plan = planned(node, values)
      const type = plan.inputs[0]?.type
      const types = typesOf[node.op] ?? every
      if (type && !types.includes(type))
        throw new RangeError(`numbers of type ${type} are not taken, as in onnxruntime; there are ${types.join(', ')}`)
      const made = plans[node.op](plan, steps)
      for (const { data } of made) meter.ask('numbers', data.length)
      node.outputs.forEach((name, k) => {
        if (name !== '' && made[k] !== undefined) values.set(name, made[k])
      })
    }
    while (places.length < steps.length) places.push(place)
  } catch (error) {
    throw refused(place, error)
  }
  const named = (names: Iterable<string>) =>
    new Map(
      Array.from(names, (name) => {
        const value = values.get(name)
        if (value === undefined) throw new ControllerError(file, `gives no output "${name}"`)
        return [name, value.data] as const
      }),
    )
  return {
    inputs: named(inputs.keys()),
    outputs: named(outputs),
    run() {
      let k = 0
      try {
        for (; k < steps.length; k++) steps[k]()
      } catch (error) {
        throw refused(places[k], error)
      }
    },
  }
}

function planned({ inputs, attributes }: Node, values: ReadonlyMap<string, Value>) {
  const found = inputs.map((name) => values.get(name))
  const given = (index: number) => {
    const value = found[index]
    if (value === undefined) throw new RangeError(`has no input ${index + 1}`)
    return value
  }
  /** @throws RangeError for one of another kind */
  const attribute = <T>(name: string, isKind: (value: unknown) => boolean): T | undefined => {
    const value = attributes.get(name)
    if (value !== undefined && !isKind(value)) throw new RangeError(`its attribute ${name} is of another kind`)
    return value as T | undefined
  }
  const isA = (kind: string) => (value: unknown) => typeof value === kind
  const list = (name: string) => attribute<readonly number[]>(name, Array.isArray) ?? []
  const constants = (index: number, name = '') => {
    if (found[index] === undefined) return list(name)
    const { constant } = given(index)
    if (constant === undefined)
      throw new RangeError(`its input ${index + 1} changes with the sample; fixed shapes and indices are taken`)
    return constant
  }
  return {
    inputs: found,
    given,
    number: (name: string, otherwise: number) => attribute<number>(name, isA('number')) ?? otherwise,
    word: (name: string, otherwise: string) => attribute<string>(name, isA('string')) ?? otherwise,
    has: (name: string) => attributes.has(name),
    elementType: (name: string) => elementTypeOf(attribute<number>(name, isA('number'))),
    tensor: (name: string) => {
      const value = attributes.get(name)
      if (typeof value !== 'object' || !('shape' in value)) throw new RangeError('holds no tensor')
      return value
    },
    permutation: (rank: number) => (attributes.has('perm') ? list('perm') : Array.from({ length: rank }, (_, k) => rank - 1 - k)),
    /** Integers of an input, or of the attribute in its place in older files. */
    constants,
    /** Of Squeeze and Unsqueeze, counted from the end where they are negative. */
    axes: () => (inputs.length > 1 ? constants(1) : list('axes')),
    /** The type of these values. @throws RangeError for several */
    alike: (...values: readonly (Value | undefined)[]) => {
      const types = [...new Set(values.flatMap((value) => value?.type ?? []))]
      if (types.length !== 1) throw new RangeError(`its inputs are of the types ${types.join(', ')}`)
      return types[0]
    },
  }
}

const product = (shape: readonly number[]) => shape.reduce((all, length) => all * length, 1)
/** Of one file, and dimensions of one tensor: a small file may name tensors of any shape. */
const mostBetween = 2_000_000
const mostNumbers = 10_000_000
const mostDimensions = 16
const betweenMeter = () =>
  new Meter({ numbers: mostBetween }, (kind, most) => new RangeError(`more than ${most} ${kind} between operators`))

/** @throws RangeError for a shape that is none, or beyond the limits */
function sizeOf(shape: readonly number[]): number {
  const size = product(shape)
  if (shape.length > mostDimensions)
    throw new RangeError(`a tensor of ${shape.length} dimensions; at most ${mostDimensions} are taken`)
  if (!(Number.isInteger(size) && shape.every((length) => length >= 0))) throw new RangeError(`no tensor is ${shape.join(' x ')}`)
  if (size > mostNumbers) throw new RangeError(`a tensor of ${size} numbers; at most ${mostNumbers} are taken`)
  return size
}
function room(type: ElementType, shape: readonly number[]): Value {
  const size = sizeOf(shape)
  return { type, shape, data: type === 'float' || type === 'float16' ? new Float32Array(size) : new Float64Array(size) }
}
function weightOf({ type, shape, data }: Tensor): Value {
  const { data: own } = room(type, shape)
  own.set(data)
  return { type, shape, data: own, constant: data }
}

/** 1: a number, and its halves of 32 bits, the upper one second. */
const single = new Float64Array(1)
const halves = new Uint32Array(single.buffer)
/** 1.5 * 2^52: added and subtracted, it rounds to a whole number, ties to even. */
const TO_WHOLE = 6755399441055744

/** x[k] := its nearest number of half precision (IEEE 754 binary16), of two the even one. */
function toHalf(x: Numbers, k: number): void {
  if (!(Math.abs(x[k]) < Infinity)) return
  single[0] = x[k]
  const exponent = ((halves[1] >>> 20) & 2047) - 1023
  // the unit in the last place: 11 bits, and below 2^-14 multiples of 2^-24
  halves[1] = ((exponent < -14 ? -24 : exponent - 10) + 1023) << 20
  halves[0] = 0
  const whole = x[k] / single[0] + TO_WHOLE - TO_WHOLE
  x[k] = whole * single[0]
  if (Math.abs(x[k]) > 65504) x[k] = x[k] < 0 ? -Infinity : Infinity
}

/** x := its numbers of this type: rounded, or with the low 32 bits of a whole number. @throws RangeError for none */
function round(type: ElementType, x: Numbers): void {
  if (type === 'float16') for (let k = 0; k < x.length; k++) toHalf(x, k)
  if (type !== 'int32' && type !== 'int64') return
  for (let k = 0; k < x.length; k++) {
    if (!(Math.abs(x[k]) <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`gives ${x[k]}, which is no whole number up to 2^53`)
    x[k] = type === 'int32' ? x[k] | 0 : x[k] + 0 // 0 for -0
  }
}

function rounded(value: Value, steps: (() => void)[]): Value[] {
  const { type, data } = value
  if (type === 'float16' || type === 'int32' || type === 'int64') steps.push(() => round(type, data))
  return [value]
}

/** To whole numbers towards 0; true is what is not 0. */
function convert(x: Numbers, to: ElementType): void {
  for (let k = 0; k < x.length; k++) {
    if (to === 'bool') x[k] = x[k] === 0 ? 0 : 1
    else if (to === 'int32' || to === 'int64') x[k] = Math.trunc(x[k])
  }
  round(to, x)
}

function cast({ given, elementType }: Planned, steps: (() => void)[]): Value[] {
  const { type, shape, data, constant } = given(0)
  const to = elementType('to')
  const out = room(to, shape)
  const isFraction = type === 'float' || type === 'double' || type === 'float16'
  steps.push(() => {
    out.data.set(data)
    if (isFraction && to === 'int32') for (let k = 0; k < data.length; k++) checkInt32(data, k)
    convert(out.data, to)
  })
  if (constant === undefined) return [out]
  const known = Float64Array.from(constant)
  convert(known, to)
  return [{ ...out, constant: [...known] }]
}

/** @throws RangeError beyond 32 bits, where processors differ; of whole numbers the low 32 bits are taken */
function checkInt32(x: Numbers, k: number): void {
  if (!(Math.abs(x[k]) < 2147483648)) throw new RangeError(`gives ${x[k]}, which is no int32`)
}

/** Sums are computed in double precision and rounded once. */
function gemm({ inputs, given, number, alike }: Planned, steps: (() => void)[]): Value[] {
  const [a, b, c] = [given(0), given(1), inputs[2]]
  const [alpha, beta] = [number('alpha', 1), number('beta', 1)]
  if (number('transA', 0) !== 0) throw new RangeError('transA is not taken')
  const [m, k] = a.shape
  const isTurned = number('transB', 0) !== 0
  const n = b.shape[isTurned ? 0 : 1]
  if (b.shape[isTurned ? 1 : 0] !== k)
    throw new RangeError(`its shapes ${a.shape.join(' x ')} and ${b.shape.join(' x ')} do not fit`)
  const out = room(alike(a, b, c), [m, n])
  const bias = c && broadcastIndex(c.shape, out.shape)
  const [down, across] = isTurned ? [1, k] : [n, 1]
  steps.push(() => {
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0
        for (let l = 0; l < k; l++) sum += a.data[i * k + l] * b.data[l * down + j * across]
        sum *= alpha
        if (c && bias) sum += beta * c.data[bias[i * n + j]]
        out.data[i * n + j] = sum
      }
    }
  })
  return rounded(out, steps)
}

function matMul({ given, alike }: Planned, steps: (() => void)[]): Value[] {
  const [a, b] = [given(0), given(1)]
  const k = a.shape[a.shape.length - 1]
  const n = b.shape.length === 1 ? 1 : b.shape[1]
  if (b.shape.length > 2 || b.shape[0] !== k)
    throw new RangeError(`its shapes ${a.shape.join(' x ')} and ${b.shape.join(' x ')} do not fit`)
  const rows = product(a.shape) / k
  const out = room(alike(a, b), [...a.shape.slice(0, -1), ...(b.shape.length === 1 ? [] : [n])])
  steps.push(() => {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0
        for (let l = 0; l < k; l++) sum += a.data[i * k + l] * b.data[l * n + j]
        out.data[i * n + j] = sum
      }
    }
  })
  return rounded(out, steps)
}

/** One operation on every number, in double precision and rounded once. */
function unary(create: (node: Planned) => (x: Float64Array, i: number) => void): Plan {
  return (node, steps) => {
    const { type, shape, data } = node.given(0)
    const apply = create(node)
    const out = room(type, shape)
    const x = new Float64Array(data.length)
    steps.push(() => {
      x.set(data)
      for (let i = 0; i < x.length; i++) apply(x, i)
      out.data.set(x)
    })
    return rounded(out, steps)
  }
}

type Binary = (out: Numbers, a: Numbers, b: Numbers, i: number, j: number, k: number) => void

/** @param ofWhole of whole numbers, where it is another operation */
function binary(ofFloats: Binary, ofWhole = ofFloats): Plan {
  return ({ given, alike }, steps) => {
    const [a, b] = [given(0), given(1)]
    const type = alike(a, b)
    const apply = type === 'int32' || type === 'int64' ? ofWhole : ofFloats
    const rank = Math.max(a.shape.length, b.shape.length)
    const length = (shape: readonly number[], k: number) => shape[k - rank + shape.length] ?? 1
    const out = room(
      type,
      Array.from({ length: rank }, (_, k) => Math.max(length(a.shape, k), length(b.shape, k))),
    )
    const [ofA, ofB] = [broadcastIndex(a.shape, out.shape), broadcastIndex(b.shape, out.shape)]
    steps.push(() => {
      for (let i = 0; i < out.data.length; i++) apply(out.data, a.data, b.data, i, ofA[i], ofB[i])
    })
    return rounded(out, steps)
  }
}

/** Index into a tensor for each entry of a larger one, by NumPy's broadcasting rules. */
function broadcastIndex(from: readonly number[], to: readonly number[]): Int32Array {
  const index = new Int32Array(product(to))
  const offset = to.length - from.length
  for (const [k, length] of from.entries())
    if (length !== 1 && length !== to[k + offset])
      throw new RangeError(`its shapes ${from.join(' x ')} and ${to.join(' x ')} do not fit`)
  for (let i = 0; i < index.length; i++) {
    let [rest, stride] = [i, 1]
    for (let k = to.length - 1; k >= 0; k--) {
      const at = rest % to[k]
      rest = (rest - at) / to[k]
      const own = from[k - offset] ?? 1
      if (own > 1) index[i] += at * stride
      stride *= own
    }
  }
  return index
}

/** The same numbers in another shape. */
function reshaped(shapeOf: (input: Value, node: Planned) => readonly number[]): Plan {
  return (node) => {
    const input = node.given(0)
    const { type, data, constant } = input
    const shape = shapeOf(input, node)
    if (product(shape) !== data.length) throw new RangeError(`${data.length} numbers do not fit into ${shape.join(' x ')}`)
    return [{ type, shape, data, constant }]
  }
}

/** The numbers at these indices of the input. */
function picked(
  input: Value,
  shape: readonly number[],
  indexOf: (place: readonly number[]) => readonly number[],
  steps: (() => void)[],
) {
  const out = room(input.type, shape)
  const index = new Int32Array(out.data.length)
  const place = shape.map(() => 0)
  for (let i = 0; i < index.length; i++) {
    let rest = i
    for (let k = shape.length - 1; k >= 0; k--) {
      place[k] = rest % shape[k]
      rest = (rest - place[k]) / shape[k]
    }
    index[i] = indexOf(place).reduce((at, one, k) => at * input.shape[k] + one, 0)
  }
  steps.push(() => {
    for (let i = 0; i < index.length; i++) out.data[i] = input.data[index[i]]
  })
  return out
}

function transpose({ given, permutation }: Planned, steps: (() => void)[]): Value[] {
  const input = given(0)
  const order = permutation(input.shape.length)
  const back = order.map((_, k) => order.indexOf(k))
  return [
    picked(
      input,
      order.map((k) => input.shape[k]),
      (place) => back.map((k) => place[k]),
      steps,
    ),
  ]
}

function slice({ given, inputs, constants }: Planned, steps: (() => void)[]): Value[] {
  const input = given(0)
  const [starts, ends] = [constants(1, 'starts'), constants(2, 'ends')]
  const axes = inputs[3] === undefined ? starts.map((_, k) => k) : constants(3)
  const strides = inputs[4] === undefined ? starts.map(() => 1) : constants(4)
  const from = input.shape.map(() => 0)
  const by = input.shape.map(() => 1)
  const shape = input.shape.slice()
  axes.forEach((stated, k) => {
    const axis = stated < 0 ? stated + shape.length : stated
    const length = input.shape[axis]
    if (strides[k] < 1) throw new RangeError('has a negative stride, which is not supported')
    const inside = (value: number) => Math.min(length, Math.max(0, value < 0 ? value + length : value))
    from[axis] = inside(starts[k])
    by[axis] = strides[k]
    shape[axis] = Math.max(0, Math.ceil((inside(ends[k]) - from[axis]) / by[axis]))
  })
  return [picked(input, shape, (place) => place.map((at, k) => from[k] + at * by[k]), steps)]
}

function concat({ inputs, given, number, alike }: Planned, steps: (() => void)[]): Value[] {
  const all = inputs.map((_, k) => given(k))
  const rank = all[0].shape.length
  const axis = number('axis', 0) < 0 ? number('axis', 0) + rank : number('axis', 0)
  const shape = all[0].shape.slice()
  shape[axis] = all.reduce((sum, value) => sum + value.shape[axis], 0)
  const out = room(alike(...all), shape)
  const outer = product(shape.slice(0, axis))
  const widths = all.map((value) => value.data.length / outer)
  const whole = out.data.length / outer
  steps.push(() => {
    for (let row = 0; row < outer; row++) {
      let at = row * whole
      for (let k = 0; k < all.length; k++) {
        for (let i = 0; i < widths[k]; i++) out.data[at + i] = all[k].data[row * widths[k] + i]
        at += widths[k]
      }
    }
  })
  return [out]
}

/**
 * Shared by LSTM and GRU: one forward layer, one sample, one time step. `sums` are W x + Wb, then R h + Rb, a row
 * a gate and unit.
 */
function recurrent({ inputs, given, number, word, has, alike }: Planned, gates: number) {
  const [x, W, R, B] = [given(0), given(1), given(2), inputs[3]]
  if (word('direction', 'forward') !== 'forward' || has('activations') || has('clip') || number('layout', 0) !== 0 || inputs[4])
    throw new RangeError('is not the plain forward layer that is taken')
  if (x.shape[0] !== 1 || x.shape[1] !== 1) throw new RangeError('takes more than one step of time, or more than one sample')
  const type = alike(x, W, R, B, inputs[5], inputs[6])
  const H = R.shape[2]
  const rows = gates * H
  const h = (inputs[5] ?? room(type, [1, 1, H])).data
  const sums = new Float64Array(2 * rows)
  const addUp = () => {
    for (let k = 0; k < 2 * rows; k++) sums[k] = B === undefined ? 0 : B.data[k]
    addProduct(sums, 0, W.data, x.data, rows)
    addProduct(sums, rows, R.data, h, rows)
  }
  return { type, H, h, sums, addUp }
}

/** out[start + row] += M[row] x. */
function addProduct(out: Float64Array, start: number, M: Numbers, x: Numbers, rows: number): void {
  const columns = x.length
  for (let row = 0; row < rows; row++) {
    let sum = out[start + row]
    for (let i = 0; i < columns; i++) sum += M[row * columns + i] * x[i]
    out[start + row] = sum
  }
}

/** Hochreiter and Schmidhuber (1997), with the gates in the order input, output, forget, cell. */
function lstm(node: Planned, steps: (() => void)[]): Value[] {
  const { type, H, sums, addUp } = recurrent(node, 4)
  if (node.inputs[7] !== undefined) throw new RangeError('has peepholes, which are not taken')
  if (node.number('input_forget', 0) !== 0) throw new RangeError('couples its gates (input_forget), which is not taken')
  const cell = (node.inputs[6] ?? room(type, [1, 1, H])).data
  const [h, c] = [room(type, [1, 1, H]), room(type, [1, 1, H])]
  const [input, output, forget, fresh] = [0, H, 2 * H, 3 * H]
  const work = new Float64Array(1)
  steps.push(() => {
    addUp()
    for (let k = 0; k < 4 * H; k++) {
      sums[k] += sums[4 * H + k]
      if (k < fresh) sigmoid(sums, k)
      else tanh(sums, k)
    }
    for (let k = 0; k < H; k++) {
      work[0] = sums[forget + k] * cell[k] + sums[input + k] * sums[fresh + k]
      c.data[k] = work[0]
      tanh(work, 0)
      h.data[k] = sums[output + k] * work[0]
    }
  })
  rounded(h, steps)
  rounded(c, steps)
  return [{ type, shape: [1, 1, 1, H], data: h.data }, h, c]
}

/**
 * Cho and others (2014), with the gates in the order update, reset, hidden. The reset gate is applied to h, or with
 * linear_before_reset to R h + Rb.
 */
function gru(node: Planned, steps: (() => void)[]): Value[] {
  const { type, H, h: before, sums, addUp } = recurrent(node, 3)
  const isLinearBefore = node.number('linear_before_reset', 0) !== 0
  const R = node.given(2).data.subarray(2 * H * H)
  const bias = node.inputs[3]?.data.subarray(5 * H)
  const h = room(type, [1, 1, H])
  const resetH = new Float32Array(H)
  const [reset, fresh, before3] = [H, 2 * H, 3 * H]
  steps.push(() => {
    addUp()
    for (let k = 0; k < 2 * H; k++) {
      sums[k] += sums[before3 + k]
      sigmoid(sums, k)
    }
    if (isLinearBefore) for (let k = 0; k < H; k++) sums[fresh + k] += sums[reset + k] * sums[before3 + fresh + k]
    else {
      for (let k = 0; k < H; k++) {
        resetH[k] = sums[reset + k] * before[k]
        if (bias !== undefined) sums[fresh + k] += bias[k]
      }
      addProduct(sums, fresh, R, resetH, H)
    }
    for (let k = 0; k < H; k++) {
      tanh(sums, fresh + k)
      h.data[k] = (1 - sums[k]) * sums[fresh + k] + sums[k] * before[k]
    }
  })
  rounded(h, steps)
  return [{ type, shape: [1, 1, 1, H], data: h.data }, h]
}
