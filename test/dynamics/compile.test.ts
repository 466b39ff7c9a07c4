import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as compile from '../../dynamics/compile/index.ts'
import { numbersOf } from '../../dynamics/compile/numbers.ts'
import { emitPrograms, stepNames } from '../../dynamics/compile/programs.ts'
import {
  aba,
  buildModel,
  crbaOnBranches,
  createData,
  createRandom,
  type Data,
  factorize,
  JointType,
  kinematics,
  type Model,
  rnea,
  type State,
  solve,
  velocities,
} from '../../dynamics/index.ts'
import { allocator } from '../../dynamics/model/data.ts'
import * as files from '../../robots/files.ts'
import { trials } from '../dailyModels.ts'
import { randomState, randomTree, randomVector } from './randomTree.ts'

const { compileDynamics, evaluationNames, programText } = compile
const { loadOwnRobot, OWN_ROBOTS } = files

/** Models with every joint type, forests, followers and rotors; and the own robots, whose limbs are mirrored. */
function* modelsToCompile(): Generator<[string, Model]> {
  for (const name of OWN_ROBOTS) yield [name, loadOwnRobot(name).model]
  const random = createRandom(7)
  for (let n = 0; n < trials(12); n++) {
    const options = { bodies: 1 + random.index(14), floating: n % 2 === 0, everyType: n % 4 > 1, followers: n % 3 === 0 }
    const model = randomTree(random, { ...options, armature: n % 3 !== 1 })
    if (model.nv > 0) yield [`random tree ${n}`, model]
  }
}
const models = [...modelsToCompile()]

/** Equal numbers, 0 and -0 being alike. */
function expectEqual(found: Float64Array, expected: Float64Array, what: string): void {
  for (let k = 0; k < expected.length; k++)
    if (found[k] !== expected[k]) expect([what, k, found[k]]).toEqual([what, k, expected[k]])
}

test.each(models)('compiled dynamics of %s are those of the algorithms, to the bit', async (_, model) => {
  const compiled = await compileDynamics(model)
  const random = createRandom(1)
  const data = createData(model)
  for (let n = 0; n < 5; n++) {
    const state = randomState(random, model)
    const a = randomVector(random, model.nv, 3)
    const tau = new Float64Array(model.nv)
    kinematics(model, state, data)
    rnea(model, state, a, data, tau)
    const found = new Float64Array(model.nv)
    compiled.inverseDynamics(state.q, state.v, a, found)
    expectEqual(found, tau, 'tau')
    crbaOnBranches(model, data)
    expectEqual(compiled.massMatrix(state.q), data.M, 'M')
    aba(model, state, tau, data, a)
    compiled.forwardDynamics(state.q, state.v, tau, found)
    expectEqual(found, a, 'a')
  }
})

test.each(models)('the parts of a step of %s write what the algorithms write', (_, model) => {
  const { bytes, pages, constants } = emitPrograms(model, stepNames)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  const { data, state, a, tau } = numbersOf(model, allocator(memory.buffer as ArrayBuffer).allocate)
  for (const [address, value] of constants) new DataView(memory.buffer).setFloat64(address, value, true)
  const module = new WebAssembly.Module(bytes)
  const code = new WebAssembly.Instance(module, { state: { memory } }).exports as Record<(typeof stepNames)[number], () => number>
  const random = createRandom(2)
  const own = createData(model)
  const tauOwn = new Float64Array(model.nv)
  for (let n = 0; n < 3; n++) {
    const one: State = randomState(random, model)
    state.q.set(one.q)
    state.v.set(one.v)
    a.set(randomVector(random, model.nv, 3))
    kinematics(model, one, own)
    velocities(model, one, own)
    expect([code.kinematics(), code.velocities()]).toEqual([0, 0])
    expectTables(data, own, ['X', 'R_WB', 'p_WB', 'SW', 'V'])
    crbaOnBranches(model, own)
    expect(code.crba()).toBe(0)
    expectTables(data, own, ['IC', 'SC', 'FC'])
    expectEqual(data.M, own.M, 'M')
    rnea(model, one, a, own, tauOwn)
    expect(code.rnea()).toBe(0)
    expectTables(data, own, ['V', 'A', 'F', 'pull'])
    expectEqual(tau, tauOwn, 'tau')
    own.L.set(own.M)
    data.L.set(own.M)
    factorize(model, own.L, own.L)
    expect(code.factorize()).toBe(0)
    expectEqual(data.L, own.L, 'L')
    solve(model, own.L, tauOwn)
    a.set(tau)
    code.solve()
    expectEqual(a, tauOwn, 'solution')
  }
})

function expectTables(data: Data, own: Data, names: readonly (keyof Data['flat'])[]): void {
  for (const name of names) expectEqual(data.flat[name], own.flat[name], name)
}

describe('where the emitted code was not made for a number', () => {
  const swing = (angle: number) => {
    const { model, home } = loadOwnRobot('gripper')
    return { model, q: home.map((x) => x + angle), zero: new Float64Array(model.nv) }
  }

  test('an angle beyond a million radians is computed by the algorithm', async () => {
    const { model, q, zero } = swing(3e6)
    const tau = new Float64Array(model.nv)
    const expected = new Float64Array(model.nv)
    ;(await compileDynamics(model)).inverseDynamics(q, zero, zero, tau)
    const data = createData(model)
    kinematics(model, { q, v: zero, t: new Float64Array(1) }, data)
    rnea(model, { q, v: zero, t: new Float64Array(1) }, zero, data, expected)
    expect(tau).toEqual(expected)
  })

  test('a joint that moves no inertia is refused as by aba', async () => {
    const massless = { name: 'tip', jointName: 'wrist', parent: 0, mass: 0, inertia: [0, 0, 0, 0, 0, 0] } as const
    const model = buildModel('massless', [{ ...massless, jointType: JointType.revolute, axis: [0, 0, 1] }])
    const compiled: compile.CompiledDynamics = await compileDynamics(model)
    const one = new Float64Array(1)
    expect(() => compiled.forwardDynamics(one, one, one, one)).toThrow('joint "wrist" of model "massless" meets the inertia 0')
  })

  test('an array of the wrong length is refused', async () => {
    const { model, q, zero } = swing(0)
    const compiled = await compileDynamics(model)
    expect(() => compiled.inverseDynamics(q, zero, new Float64Array(1), zero)).toThrow('a has 1 entries')
    expect(() => compiled.massMatrix(new Float64Array(1))).toThrow('q has 1 entries')
  })
})

test('constants are folded, zeros are left out, and limbs go in pairs', () => {
  const { programs } = emitPrograms(loadOwnRobot('humanoid').model, evaluationNames)
  for (const { operations, paired, program } of programs.values()) {
    expect(paired).toBeGreaterThan(operations / 2)
    expect(operations).toBeLessThan(program.graph.nodes.length)
  }
})

test('the emitted programs can be read', () => {
  const text = programText(loadOwnRobot('diffdrive').model, ['inverseDynamics'])
  expect(text).toContain('inverseDynamics: ')
  expect(text).toMatch(/^ {2}tau\[0\] = /m)
  expect(text).toMatch(/q\[3\]/)
})

test('the code of docs/performance.md runs, and finds what holds the robot at rest', async () => {
  const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8')
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
  const modules = { 'featherbed/compile': compile, 'featherbed/robots/files': files }
  const body = `${code.replace(/import (\{[^}]*\}) from ('[^']*')/g, 'const $1 = modules[$2]')}\nreturn { model, tau, M }`
  const { model, tau, M } = await Object.getPrototypeOf(async () => undefined).constructor('modules', body)(modules)
  const weight = model.I.reduce((sum: number, [mass]: Float64Array) => sum + mass, 0) * -model.gravity[5]
  expect(Math.hypot(...tau.subarray(3, 6)) / weight).toBeCloseTo(1, 9)
  expect(M[0]).toBeGreaterThan(0)
})
