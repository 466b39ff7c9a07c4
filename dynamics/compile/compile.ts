import { aba, abaParts } from '../algorithms/fast/aba.ts'
import { crbaOnBranches, crbaParts } from '../algorithms/fast/crba.ts'
import { kinematics, kinematicsParts } from '../algorithms/fast/kinematics.ts'
import { rnea, rneaParts } from '../algorithms/fast/rnea.ts'
import { velocityParts } from '../algorithms/kinematics.ts'
import { addWork } from '../math/index.ts'
import { reduceLarge, trigParts } from '../math/trig.ts'
import { checkLength } from '../model/checkLength.ts'
import { type Data, dataOf } from '../model/data.ts'
import { jointParts } from '../model/joints.ts'
import type { Model } from '../model/model.ts'
import { placeBodyParts } from '../model/placeBody.ts'
import { factorizationParts } from '../sparse/factorization.ts'
import { emit } from './emit.ts'
import { moduleOf, type WasmFunction } from './encode.ts'
import { mirroredBodies } from './pairs.ts'
import { Tracer } from './trace.ts'

const parts = [
  trigParts,
  jointParts,
  placeBodyParts,
  kinematicsParts,
  velocityParts,
  rneaParts,
  crbaParts,
  factorizationParts,
  abaParts,
]

const PAGE = 65536

/** Room for all numbers of a robot in one memory. */
class Room {
  bytes = 0
  memory: WebAssembly.Memory | undefined
  readonly allocate = (length: number): Float64Array => {
    const at = this.bytes
    this.bytes += 16 * Math.ceil(length / 2)
    return this.memory === undefined ? new Float64Array(length) : new Float64Array(this.memory.buffer, at, length)
  }
}

export async function compileDynamics(model: Model) {
  const measured = new Room()
  layout(model, measured)
  const scratch = measured.bytes
  const memory = new WebAssembly.Memory({ initial: 1000, maximum: 1000 })
  const room = new Room()
  room.memory = memory
  const { data, q, v, a, tau } = layout(model, room)
  const state = { q, v, t: new Float64Array(1) }
  const { flat, scratch: { zero } } = data
  const tracer = new Tracer({ memory: memory.buffer, constants: [flat.XT, flat.I, flat.S, zero], parts, ignored: new Set<unknown>([addWork, checkLength]), refused: new Set<unknown>([reduceLarge]) })
  const t0 = performance.now()
  const programs = []
  const within = (address: number, array: Float64Array) => address >= array.byteOffset && address < array.byteOffset + array.byteLength
  const end = (name: string, wanted: readonly Float64Array[]) => {
    const { stores, guards } = tracer.finish()
    programs.push({ name, guards, stores: new Map([...stores].filter(([address]) => wanted.some((one) => within(address, one)))) })
  }
  tracer.run(kinematics, [model, state, data])
  tracer.run(rnea, [model, state, a, data, tau])
  end('inverseDynamics', [tau])
  tracer.run(kinematics, [model, state, data])
  tracer.run(crbaOnBranches, [model, data])
  end('massMatrix', [data.M])
  tracer.run(kinematics, [model, state, data])
  tracer.run(aba, [model, state, tau, data, a])
  end('forwardDynamics', [a])
  const t1 = performance.now()
  const mirror = mirroredBodies(model)
  const images = new Map<number, readonly [number, number]>()
  const relate = (array: Float64Array, i: number, j: number) => images.set(array.byteOffset + 8 * i, [array.byteOffset + 8 * j, i < j ? 0 : 1])
  const vOf = new Int32Array(model.nv)
  for (let i = 1; i < model.nb; i++) {
    const j = mirror[i]
    for (let k = model.vStart[i]; k < model.vStart[i + 1]; k++) vOf[k] = model.vStart[j] + k - model.vStart[i]
    if (i === j) continue
    for (let k = model.qStart[i]; k < model.qStart[i + 1]; k++) relate(q, k, model.qStart[j] + k - model.qStart[i])
    for (let k = model.vStart[i]; k < model.vStart[i + 1]; k++) for (const x of [v, a, tau]) relate(x, k, vOf[k])
  }
  for (let k = 0; k < model.nv; k++) for (let l = 0; l < model.nv; l++) if (vOf[k] !== k || vOf[l] !== l) relate(data.M, k * model.nv + l, vOf[k] * model.nv + vOf[l])
  const mirrored = (address: number) => images.get(address)
  const functions: WasmFunction[] = []
  let at = scratch
  const sizes: Record<string, unknown> = {}
  for (const program of programs) {
    const emitted = emit(program, mirrored, functions.length, at)
    at = emitted.scratchEnd
    functions.push(...emitted.functions)
    sizes[program.name] = [emitted.operations, emitted.paired]
  }
  const bytes = moduleOf(functions, 1000)
  const t2 = performance.now()
  const { instance } = await WebAssembly.instantiate(bytes, { state: { memory } })
  const t3 = performance.now()
  console.log({ trace: t1 - t0, emit: t2 - t1, compile: t3 - t2, bytes: bytes.length, sizes, scratch: at - scratch, data: scratch })
  return { data, q, v, a, tau, code: instance.exports as Record<string, (base: number) => number> }
}

function layout(model: Model, { allocate }: Room): { data: Data; q: Float64Array; v: Float64Array; a: Float64Array; tau: Float64Array } {
  const data = dataOf(model, model.nv ** 2, allocate)
  return { data, q: allocate(model.nq), v: allocate(model.nv), a: allocate(model.nv), tau: allocate(model.nv) }
}
