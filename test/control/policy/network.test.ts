import { env, InferenceSession, Tensor } from 'onnxruntime-web'
import { describe, expect, test } from 'vitest'
import { exp, expMinusOne, sigmoid, softplus, tanh } from '../../../control/policy/exponential.ts'
import { createNetwork } from '../../../control/policy/network.ts'
import { readOnnx } from '../../../control/policy/onnx.ts'
import { createRandom } from '../../../dynamics/index.ts'
import { full } from '../../dailyModels.ts'
import { type WrittenGraph, writeOnnx } from './writeOnnx.ts'

env.wasm.numThreads = 1
const samples = full ? 1000 : 20

const { next: random } = createRandom(1)
const normal = (size: number, scale = 1) => Array.from({ length: size }, () => scale * (random() + random() + random() - 1.5))
const weight = (...shape: number[]) => {
  const size = shape.reduce((all, length) => all * length, 1)
  return { shape, data: normal(size, 1 / Math.sqrt(shape[shape.length - 1])) }
}
const list = (...data: number[]) => ({ shape: [data.length], data, whole: true })

/** What a graph gives for random inputs, here and by onnxruntime, is the same to 1e-6 of the largest number. */
async function agrees(graph: WrittenGraph, opset = 17): Promise<void> {
  const bytes = writeOnnx(graph, opset)
  const network = createNetwork(readOnnx(bytes, 'test.onnx'), 'test.onnx')
  const session = await InferenceSession.create(bytes)
  for (let k = 0; k < samples; k++) {
    const feeds: Record<string, Tensor> = {}
    for (const [name, shape] of Object.entries(graph.inputs)) {
      const data = Float32Array.from(
        normal(
          shape.reduce((all, length) => all * length, 1),
          2,
        ),
      )
      network.inputs.get(name)!.set(data)
      feeds[name] = new Tensor('float32', data, shape)
    }
    network.run()
    const truth = await session.run(feeds)
    for (const name of Object.keys(graph.outputs)) {
      const [ours, theirs] = [network.outputs.get(name)!, truth[name].data as Float32Array]
      expect(ours.length).toBe(theirs.length)
      const size = theirs.reduce((most, value) => Math.max(most, Math.abs(value)), 1)
      ours.forEach((value, i) => {
        expect(Math.abs(value - theirs[i])).toBeLessThan(1e-6 * size)
      })
    }
  }
  await session.release()
}

const one = (op: string, attributes = {}, weights = {}, shape = [1, 12], out = shape): WrittenGraph => ({
  nodes: [{ op, inputs: ['x', ...Object.keys(weights)], outputs: ['y'], attributes }],
  weights,
  inputs: { x: shape },
  outputs: { y: out },
})

describe('each operator gives what onnxruntime gives', () => {
  const cases: Record<string, WrittenGraph> = {
    'Gemm, turned': one('Gemm', { transB: 1 }, { w: weight(5, 12), b: weight(5) }, [1, 12], [1, 5]),
    Gemm: one('Gemm', { alpha: { float: 0.5 }, beta: { float: 2 } }, { w: weight(12, 5), b: weight(1, 5) }, [1, 12], [1, 5]),
    MatMul: one('MatMul', {}, { w: weight(12, 5) }, [1, 12], [1, 5]),
    Add: one('Add', {}, { b: weight(12) }),
    Sub: one('Sub', {}, { b: weight(1, 12) }),
    Mul: one('Mul', {}, { b: weight(1) }),
    Div: one('Div', {}, { b: { shape: [12], data: Array.from({ length: 12 }, (_, i) => 1 + i) } }),
    'Add of a column and a row': {
      nodes: [{ op: 'Add', inputs: ['x', 'z'], outputs: ['y'] }],
      inputs: { x: [3, 1], z: [1, 4] },
      outputs: { y: [3, 4] },
    },
    Relu: one('Relu'),
    LeakyRelu: one('LeakyRelu', { alpha: { float: 0.1 } }),
    Elu: one('Elu', { alpha: { float: 1.5 } }),
    Tanh: one('Tanh'),
    Sigmoid: one('Sigmoid'),
    Softplus: one('Softplus'),
    Clip: one('Clip', {}, { low: { shape: [], data: [-1] }, high: { shape: [], data: [0.5] } }),
    Identity: one('Identity'),
    Flatten: one('Flatten', { axis: 1 }, {}, [1, 3, 4], [1, 12]),
    Reshape: one('Reshape', {}, { shape: list(0, -1, 2) }, [1, 12], [1, 6, 2]),
    Squeeze: one('Squeeze', {}, { axes: list(0) }, [1, 12], [12]),
    Unsqueeze: one('Unsqueeze', {}, { axes: list(0, -1) }, [1, 12], [1, 1, 12, 1]),
    Transpose: one('Transpose', { perm: [2, 0, 1] }, {}, [2, 3, 4], [4, 2, 3]),
    Slice: one('Slice', {}, { starts: list(1), ends: list(-2), axes: list(1), steps: list(3) }, [1, 12], [1, 3]),
    Concat: {
      nodes: [{ op: 'Concat', inputs: ['x', 'z'], outputs: ['y'], attributes: { axis: -1 } }],
      inputs: { x: [2, 3], z: [2, 4] },
      outputs: { y: [2, 7] },
    },
    LSTM: {
      nodes: [
        { op: 'LSTM', inputs: ['x', 'W', 'R', 'B', '', 'h', 'c'], outputs: ['', 'h2', 'c2'], attributes: { hidden_size: 6 } },
      ],
      weights: { W: weight(1, 24, 5), R: weight(1, 24, 6), B: weight(1, 48) },
      inputs: { x: [1, 1, 5], h: [1, 1, 6], c: [1, 1, 6] },
      outputs: { h2: [1, 1, 6], c2: [1, 1, 6] },
    },
    GRU: {
      nodes: [
        {
          op: 'GRU',
          inputs: ['x', 'W', 'R', 'B', '', 'h'],
          outputs: ['', 'h2'],
          attributes: { hidden_size: 6, linear_before_reset: 1 },
        },
      ],
      weights: { W: weight(1, 18, 5), R: weight(1, 18, 6), B: weight(1, 36) },
      inputs: { x: [1, 1, 5], h: [1, 1, 6] },
      outputs: { h2: [1, 1, 6] },
    },
    'GRU that resets before it multiplies': {
      nodes: [{ op: 'GRU', inputs: ['x', 'W', 'R', 'B', '', 'h'], outputs: ['', 'h2'], attributes: { hidden_size: 6 } }],
      weights: { W: weight(1, 18, 5), R: weight(1, 18, 6), B: weight(1, 36) },
      inputs: { x: [1, 1, 5], h: [1, 1, 6] },
      outputs: { h2: [1, 1, 6] },
    },
    'a network of three layers': {
      nodes: [
        { op: 'Gemm', inputs: ['x', 'w1', 'b1'], outputs: ['a'], attributes: { transB: 1 } },
        { op: 'Elu', inputs: ['a'], outputs: ['b'] },
        { op: 'Gemm', inputs: ['b', 'w2', 'b2'], outputs: ['c'], attributes: { transB: 1 } },
        { op: 'Tanh', inputs: ['c'], outputs: ['d'] },
        { op: 'Gemm', inputs: ['d', 'w3', 'b3'], outputs: ['y'], attributes: { transB: 1 } },
      ],
      weights: { w1: weight(64, 45), b1: weight(64), w2: weight(32, 64), b2: weight(32), w3: weight(12, 32), b3: weight(12) },
      inputs: { x: [1, 45] },
      outputs: { y: [1, 12] },
    },
  }
  test.each(Object.entries(cases))('%s', (_, graph) => agrees(graph))
  test.each([7, 26])('a network of three layers in operator set %d', (opset) => agrees(cases['a network of three layers'], opset))
})

describe('whole numbers', () => {
  const whole = { shape: [1], data: [0], whole: true }
  const graph = (op: string, w: number): WrittenGraph => ({
    nodes: [
      { op: 'Cast', inputs: ['x'], outputs: ['i'], attributes: { to: 7 } },
      { op, inputs: ['i', 'w'], outputs: ['j'] },
      { op: 'Cast', inputs: ['j'], outputs: ['f'], attributes: { to: 1 } },
      { op: 'Sub', inputs: ['x', 'f'], outputs: ['y'] },
    ],
    weights: { w: { ...whole, data: [w] } },
    inputs: { x: [1, 4] },
    outputs: { y: [1, 4] },
  })
  const answer = (op: string, w: number, x: readonly number[]) => {
    const { inputs, outputs, run } = createNetwork(readOnnx(writeOnnx(graph(op, w)), 'one.onnx'), 'one.onnx')
    inputs.get('x')!.set(x)
    run()
    return [...outputs.get('y')!]
  }
  test('a fraction less its whole part, towards 0', () => {
    expect(answer('Mul', 1, [1.25, -1.25, 2.75, 0.5])).toEqual([0.25, -0.25, 0.75, 0.5])
  })
  test('are divided towards 0', () => {
    expect(answer('Div', 2, [7, -7, 5, -1])).toEqual([4, -4, 3, -1])
  })
  test('of no value are an error that names the operator', () => {
    expect(() => answer('Div', 0, [1, 1, 1, 1])).toThrow(/one\.onnx.*operator Div "j": gives Infinity, which is no whole number/)
    expect(() => answer('Mul', 1, [1, NaN, 1, 1])).toThrow(/operator Cast "i": gives NaN/)
  })
})

test('a layer of 512 by 512 is read', () => {
  const bytes = writeOnnx(one('Gemm', { transB: 1 }, { w: weight(512, 512) }, [1, 512]))
  const { inputs, outputs, run } = createNetwork(readOnnx(bytes, 'wide.onnx'), 'wide.onnx')
  inputs.get('x')!.fill(0)
  run()
  expect(outputs.get('y')!.length).toBe(512)
})

describe('in place, to 4e-15 of what the engine gives', () => {
  const at = (f: (x: Float64Array, k: number) => void, x: number) => {
    const work = Float64Array.of(x)
    f(work, 0)
    return work[0]
  }
  const functions = {
    exp: [exp, Math.exp],
    'exp(x) - 1': [expMinusOne, Math.expm1],
    tanh: [tanh, Math.tanh],
    'the logistic function': [sigmoid, (x: number) => 1 / (1 + Math.exp(-x))],
    softplus: [softplus, (x: number) => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)))],
  } as const
  test.each(Object.entries(functions))('%s', (_, [ours, theirs]) => {
    let worst = 0
    for (let k = -20_000; k <= 20_000; k++) {
      for (const x of [k * 0.00487, k * 1.3e-6, k * 0.0348]) {
        const truth = theirs(x)
        if (truth !== 0) worst = Math.max(worst, Math.abs(at(ours, x) / truth - 1))
      }
    }
    expect(worst).toBeLessThan(4e-15)
    expect(Math.fround(at(ours, 0))).toBe(Math.fround(theirs(0)))
    expect(at(ours, NaN)).toBeNaN()
    for (const x of [-1e4, -Infinity, 1e4, Infinity])
      if (Number.isFinite(theirs(x))) expect(Math.fround(at(ours, x))).toBe(Math.fround(theirs(x)))
  })
})

describe('what cannot be read is named', () => {
  const read = (graph: WrittenGraph) => () => createNetwork(readOnnx(writeOnnx(graph), 'walk.onnx'), 'walk.onnx')
  test('every operator that is not known', () => {
    const nodes = ['Erf', 'Relu', 'Einsum', 'Erf'].map((op, k) => ({ op, inputs: ['x'], outputs: [`y${k}`] }))
    expect(read({ nodes, inputs: { x: [1, 2] }, outputs: { y0: [1, 2] } })).toThrow(
      /walk\.onnx.*operators Erf, Einsum, which are not known/,
    )
  })
  test('shapes that do not fit', () => {
    expect(read(one('MatMul', {}, { w: weight(7, 5) }, [1, 12], [1, 5]))).toThrow(
      /MatMul "y": its shapes 1 x 12 and 7 x 5 do not fit/,
    )
  })
  test('operators of other makers, by domain', () => {
    const nodes = [{ op: 'Gelu', domain: 'com.microsoft', inputs: ['x'], outputs: ['y'] }]
    expect(read({ nodes, inputs: { x: [1, 2] }, outputs: { y: [1, 2] } })).toThrow(/operators com\.microsoft\.Gelu,/)
  })
  test('an operator set that is too old or not yet known', () => {
    for (const opset of [6, 27])
      expect(() => readOnnx(writeOnnx(one('Relu'), opset), 'walk.onnx')).toThrow(/walk\.onnx.*operator set is \d+; 7 to 26/)
  })
  test('an input of any length; a batch of any size is one sample', () => {
    expect(read(one('Relu', {}, {}, [1, 0]))).toThrow(/walk\.onnx.*leaves open how many numbers its input "x" has/)
    const { inputs } = readOnnx(writeOnnx(one('Relu', {}, {}, [0, 12])), 'walk.onnx')
    expect(inputs.get('x')).toEqual({ type: 'float', shape: [1, 12] })
  })
  test('bytes that are damaged, wherever they end', () => {
    const bytes = writeOnnx(one('Gemm', { transB: 1 }, { w: weight(5, 12), b: weight(5) }, [1, 12], [1, 5]))
    for (let end = 0; end < bytes.length; end += 7) {
      const cut = () => createNetwork(readOnnx(bytes.subarray(0, end), 'walk.onnx'), 'walk.onnx')
      expect(cut).toThrow(/walk\.onnx/)
    }
    expect(() => readOnnx(new TextEncoder().encode('solver: pgs\n'), 'walk.onnx')).toThrow(/walk\.onnx/)
  })
})
