import { aba, abaParts } from '../algorithms/fast/aba.ts'
import { crbaOnBranches, crbaParts } from '../algorithms/fast/crba.ts'
import { kinematics, kinematicsParts } from '../algorithms/fast/kinematics.ts'
import { rnea, rneaParts } from '../algorithms/fast/rnea.ts'
import { velocities, velocityParts } from '../algorithms/kinematics.ts'
import { addWork } from '../math/index.ts'
import { reduceLarge, trigParts } from '../math/trig.ts'
import { checkLength } from '../model/checkLength.ts'
import { allocator } from '../model/data.ts'
import { jointParts } from '../model/joints.ts'
import type { Model } from '../model/model.ts'
import { placeBodyParts } from '../model/placeBody.ts'
import { factorizationParts, factorize, solve } from '../sparse/factorization.ts'
import { type Emitted, emit, type Mirrored, PairingError, type Program } from './emit.ts'
import { moduleOf, type WasmFunction } from './encode.ts'
import type { Expression } from './graph.ts'
import { type Numbers, numbersOf } from './numbers.ts'
import { mirroredBodies } from './pairs.ts'
import { Tracer } from './trace.ts'

/** Of modules that others refer to, before these. */
const parts = [
  ...[trigParts, jointParts, placeBodyParts, kinematicsParts, velocityParts],
  ...[rneaParts, crbaParts, factorizationParts, abaParts],
]

/** Programs: those of one evaluation from q and v, and the parts of a step, which read each other's results. */
export const evaluationNames = ['inverseDynamics', 'massMatrix', 'forwardDynamics'] as const
export const stepNames = ['kinematics', 'velocities', 'crba', 'rnea', 'factorize', 'solve'] as const
export type ProgramName = (typeof evaluationNames)[number] | (typeof stepNames)[number]

/** A model's WebAssembly module. */
export interface EmittedModule {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Memory that it needs, in pages of 64 KiB. */
  readonly pages: number
  /** By address: results that never change, which are written once. */
  readonly constants: ReadonlyMap<number, number>
  readonly programs: ReadonlyMap<string, EmittedProgram>
}

interface EmittedProgram extends Pick<Emitted, 'operations' | 'paired'> {
  /** Multiply-adds that the readable code counts. */
  readonly work: number
  readonly program: Program
}

/**
 * Emits the programs of a model.
 *
 * @throws TraceError if an algorithm does with this model what the tracer has no meaning for
 */
export function emitPrograms(model: Model, names: readonly ProgramName[]): EmittedModule {
  const parts = emission(model, names)
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
  }
}

/** `emitPrograms` in parts, of which the longest is a third of it: for code that has other things to do in between. Throws like it. */
export function* emission(model: Model, names: readonly ProgramName[]): Generator<undefined, EmittedModule> {
  const sized = allocator(undefined)
  numbersOf(model, sized.allocate)
  const memory = new ArrayBuffer(sized.bytes)
  const numbers = numbersOf(model, allocator(memory).allocate)
  const all: Traced[] = []
  for (const one of tracePrograms(model, numbers, memory, names)) {
    all.push(one)
    yield
  }
  const traced = all.filter(({ program }) => names.includes(program.name as ProgramName))
  const constants = takeConstants(traced.map(({ program }) => program))
  const mirrored = mirroredAddresses(model, numbers)
  const functions: WasmFunction[] = []
  let scratch = sized.bytes
  const programs = new Map<string, EmittedProgram>()
  for (const { program, work } of traced) {
    const { functions: own, scratchEnd, operations, paired } = inPairs(program, mirrored, functions.length, scratch)
    functions.push(...own)
    scratch = scratchEnd
    programs.set(program.name, { work, operations, paired, program })
    yield
  }
  const pages = Math.ceil(scratch / 65536)
  return { bytes: moduleOf(functions, pages), pages, constants, programs }
}

/** `emit`, without pairs where these cannot be. */
function inPairs(program: Program, mirrored: Mirrored, firstIndex: number, scratch: number): Emitted {
  try {
    return emit(program, mirrored, firstIndex, scratch)
  } catch (error) {
    if (!(error instanceof PairingError)) throw error
    return emit(program, () => undefined, firstIndex, scratch)
  }
}

interface Traced {
  readonly program: Program & { readonly stores: Map<number, Expression> }
  readonly work: number
}

/** Removes the results that are the same constant in all programs. */
function takeConstants(programs: readonly { stores: Map<number, Expression> }[]): Map<number, number> {
  const constants = new Map<number, number>()
  const others = new Set<number>()
  for (const { stores } of programs) {
    for (const [address, { op, value }] of stores) {
      if (op === 'constant' && (constants.get(address) ?? value) === value) constants.set(address, value)
      else others.add(address)
    }
  }
  for (const address of others) constants.delete(address)
  for (const { stores } of programs) for (const address of constants.keys()) stores.delete(address)
  return constants
}

function* tracePrograms(
  model: Model,
  { data, state, a, tau }: Numbers,
  memory: ArrayBuffer,
  names: readonly ProgramName[],
): Generator<Traced> {
  const { flat, M, L, scratch } = data
  const tracer = new Tracer({
    memory,
    constants: [flat.XT, flat.I, flat.S, scratch.zero],
    parts,
    ignored: new Set<unknown>([checkLength]),
    refused: new Set<unknown>([reduceLarge]),
    counted: addWork,
  })
  const end = (name: ProgramName, wanted: readonly Float64Array[]): Traced => {
    const { graph, stores, guards, work } = tracer.finish()
    const within = (address: number) =>
      wanted.some(({ byteOffset: from, byteLength }) => address >= from && address < from + byteLength)
    const results = new Map([...stores].filter(([at]) => within(at)).map(([at, value]) => [at, graph.of(value)]))
    return { program: { name, graph, guards, stores: results }, work }
  }
  const place = () => tracer.run(kinematics, [model, state, data])
  const isWanted = (list: readonly ProgramName[]) => list.some((name) => names.includes(name))
  if (isWanted(evaluationNames)) {
    place()
    tracer.run(rnea, [model, state, a, data, tau])
    yield end('inverseDynamics', [tau])
    place()
    tracer.run(crbaOnBranches, [model, data])
    yield end('massMatrix', [M])
    place()
    tracer.run(aba, [model, state, tau, data, a])
    yield end('forwardDynamics', [a])
  }
  if (isWanted(stepNames)) {
    place()
    yield end('kinematics', [flat.X, flat.R_WB, flat.p_WB, flat.SW])
    tracer.run(velocities, [model, state, data])
    yield end('velocities', [flat.V])
    tracer.run(crbaOnBranches, [model, data])
    yield end('crba', [flat.IC, flat.SC, flat.FC, M])
    tracer.run(rnea, [model, state, a, data, tau])
    yield end('rnea', [flat.V, flat.A, flat.F, flat.pull, tau])
    tracer.run(factorize, [model, L, L])
    yield end('factorize', [L])
    tracer.run(solve, [model, L, a])
    yield end('solve', [a])
  }
}

/** By address: that of the mirrored number, and the side of this one. */
function mirroredAddresses(model: Model, { data, state, a, tau }: Numbers): Mirrored {
  const { nb, nv, qStart, vStart, sStart } = model
  const { flat, M, L } = data
  const mirror = mirroredBodies(model)
  const images = new Map<number, readonly [number, number]>()
  const relate = (table: Float64Array, i: number, j: number, width = 1) => {
    for (let k = 0; k < width && i !== j; k++) {
      images.set(table.byteOffset + 8 * (width * i + k), [table.byteOffset + 8 * (width * j + k), i < j ? 0 : 1])
    }
  }
  const bodies = [[flat.X, 12], [flat.R_WB, 9], [flat.p_WB, 3], [flat.V, 6], [flat.A, 6], [flat.F, 6], [flat.pull, 12], [flat.IC, 10]] as const // biome-ignore format: a table
  const ofV = new Int32Array(nv)
  for (let i = 1; i < nb; i++) {
    const j = mirror[i]
    for (const [table, width] of bodies) relate(table, i, j, width)
    for (let k = qStart[i]; k < qStart[i + 1]; k++) relate(state.q, k, qStart[j] + k - qStart[i])
    for (let s = sStart[i]; s < sStart[i + 1]; s++)
      for (const table of [flat.SW, flat.SC, flat.FC]) relate(table, s, sStart[j] + s - sStart[i], 6)
    for (let k = vStart[i]; k < vStart[i + 1]; k++) {
      ofV[k] = vStart[j] + k - vStart[i]
      for (const x of [state.v, a, tau]) relate(x, k, ofV[k])
    }
  }
  for (let k = 0; k < nv; k++)
    for (let l = 0; l < nv; l++) for (const matrix of [M, L]) relate(matrix, k * nv + l, ofV[k] * nv + ofV[l])
  return (address) => images.get(address)
}
