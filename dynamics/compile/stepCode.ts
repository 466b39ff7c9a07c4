import { addWork } from '../math/index.ts'
import { allocator, type CompiledCode, createData, type Data } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import { type Numbers, numbersOf } from './numbers.ts'
import type { EmittedModule, emission, ProgramName } from './programs.ts'
import { type WasmMemory, type WasmModule, webAssembly } from './webAssembly.ts'

/** Evaluations between two looks at whether a model is worth compiling. */
const LOOK = 512
const NEVER = 2 ** 30 - 1
/** Models of which code is kept. */
const MOST_KEPT = 16
/** Larger models take seconds to compile. */
const MOST_BODIES = 100
const PAGE = 65536

/** `emission` of a step's programs, once loaded; until then nothing is compiled. */
let emit: ((model: Model) => ReturnType<typeof emission>) | undefined

/**
 * When worlds of this thread compile their robots. Emitting a humanoid costs as much as it saves in some fifty thousand steps, so that
 * it waits for as many, those of all worlds with equal models together. The bits of results are the same before and after.
 */
export const compilation = {
  /** Evaluations of a model's kinematics and inertia, two a step, before it is compiled; Infinity: never. */
  after: 100_000,
  /** Loads the compiler, for code that takes many steps without awaiting anything; else it is loaded when it is needed. */
  load: async (): Promise<void> => {
    const { emission, stepNames } = await import('./programs.ts')
    emit = (model) => emission(model, stepNames)
  },
}

/** What a model's worlds have in common: evaluations so far; what is being emitted; then the code, or null where there can be none. */
interface Shared {
  evaluations: number
  emission: ReturnType<typeof emission> | undefined
  code: StepModule | undefined | null
}
interface StepModule extends Pick<EmittedModule, 'pages' | 'constants'> {
  readonly module: WasmModule
  /** Of each program, as its algorithm counts it. */
  readonly work: Readonly<Record<string, number>>
}
const models = new Map<string, Shared>()

/**
 * Data for a world's steps, on which compiled code runs once its model has been evaluated often. Where WebAssembly is refused it is
 * like that of `createData`. @unchecked
 */
export function createStepData(model: Model): Data {
  const { nb, nv, nq, ns } = model
  const key = `${nb} ${nv} ${nq} ${ns}`
  const size = bytes.get(key) ?? countedBytes(model)
  bytes.set(key, size)
  // numbers on their way between functions are fewer than all others
  const pages = 1 + Math.ceil((3 * size) / PAGE)
  let memory: WasmMemory
  try {
    memory = new (webAssembly().Memory)({ initial: pages, maximum: pages })
  } catch {
    return createData(model)
  }
  const code = new StepCode(model, memory)
  code.numbers = numbersOf(model, allocator(memory.buffer).allocate, code)
  return code.numbers.data
}

/** Bytes of all numbers of a model, by its sizes, which many worlds have in common. */
const bytes = new Map<string, number>()
function countedBytes(model: Model): number {
  const room = allocator()
  numbersOf(model, room.allocate)
  return room.bytes
}

type Exports = Readonly<Record<ProgramName, () => number>>

class StepCode implements CompiledCode {
  numbers: Numbers | undefined = undefined
  private readonly model: Model
  private readonly memory: WasmMemory
  private exports: Exports | undefined = undefined
  /** Work of each program, as its algorithm counts it. */
  private readonly work = { kinematics: 0, crba: 0, rnea: 0, solve: 0 }
  /** Evaluations until the next look; a small integer, which is not boxed. */
  private untilLook = compilation.after === 0 ? 1 : LOOK
  private shared: Shared | undefined = undefined

  constructor(model: Model, memory: WasmMemory) {
    this.model = model
    this.memory = memory
  }

  get isReady(): boolean {
    return this.exports !== undefined
  }

  kinematics(q: Float64Array): boolean {
    const code = this.codeOfStep()
    if (code === undefined) return false
    ;(this.numbers as Numbers).state.q.set(q)
    if (code.kinematics() !== 0) return false
    addWork(this.work.kinematics, 1, 1)
    return true
  }

  velocities(v: Float64Array): boolean {
    if (this.exports === undefined) return false
    ;(this.numbers as Numbers).state.v.set(v)
    return this.exports.velocities() === 0
  }

  crbaOnBranches(model: Model): boolean {
    const code = this.codeOfStep()
    if (code === undefined || model !== this.model) return false
    addWork(this.work.crba, 1, 1)
    return code.crba() === 0
  }

  rnea(model: Model, v: Float64Array, a: Float64Array, tau: Float64Array): boolean {
    if (this.exports === undefined || model !== this.model) return false
    const numbers = this.numbers as Numbers
    numbers.state.v.set(v)
    numbers.a.set(a)
    addWork(this.work.rnea, 1, 1)
    if (this.exports.rnea() !== 0) return false
    tau.set(numbers.tau)
    return true
  }

  factorize(model: Model): boolean {
    return this.exports !== undefined && model === this.model && this.exports.factorize() === 0
  }

  solve(x: Float64Array): boolean {
    if (this.exports === undefined) return false
    const { a } = this.numbers as Numbers
    a.set(x)
    if (this.exports.solve() !== 0) return false
    addWork(this.work.solve, 1, 1)
    x.set(a)
    return true
  }

  /** Counts an evaluation, and looks now and then whether there is code. */
  private codeOfStep(): Exports | undefined {
    if (this.exports === undefined && --this.untilLook === 0) this.look()
    return this.exports
  }

  /** Adds this world's evaluations to its model's, and takes the code if there is one. */
  private look(): void {
    this.untilLook = compilation.after === Infinity ? NEVER : LOOK
    if (compilation.after === Infinity) return
    this.shared ??= sharedOf(this.model)
    const { shared } = this
    shared.evaluations += LOOK
    if (shared.code === undefined && shared.evaluations >= compilation.after) goOn(shared, this.model)
    // a page, or a program that awaits something now and then, has it by then
    else if (emit === undefined && 2 * shared.evaluations >= compilation.after) void compilation.load().catch(() => undefined)
    if (shared.code === null) this.untilLook = NEVER
    else if (shared.code !== undefined) this.take(shared.code)
  }

  private take({ module, pages, constants, work }: StepModule): void {
    const { buffer } = this.memory
    this.untilLook = NEVER
    if (PAGE * pages > buffer.byteLength) return
    const view = new DataView(buffer)
    for (const [address, value] of constants) view.setFloat64(address, value, true)
    for (const name of Object.keys(this.work) as (keyof typeof this.work)[]) this.work[name] = work[name]
    this.exports = new (webAssembly().Instance)(module, { state: { memory: this.memory } }).exports as Exports
  }
}

function sharedOf(model: Model): Shared {
  const key = keyOf(model)
  let one = models.get(key)
  if (one === undefined) {
    one = { evaluations: 0, emission: undefined, code: model.nb > MOST_BODIES ? null : undefined }
    models.set(key, one)
    if (models.size > MOST_KEPT) models.delete(models.keys().next().value as string)
  }
  return one
}

/** Emits one more part, so that a page goes on moving; all parts at once where code is wanted from the first step on. */
function goOn(shared: Shared, model: Model): void {
  if (emit === undefined) return
  const emission = shared.emission ?? emit(model)
  shared.emission = emission
  try {
    for (;;) {
      const { done, value } = emission.next()
      if (done) {
        const { bytes, pages, constants, programs } = value
        const work = Object.fromEntries([...programs].map(([name, program]) => [name, program.work]))
        shared.code = { module: new (webAssembly().Module)(bytes), pages, constants, work }
        shared.emission = undefined
      }
      if (done || compilation.after > 0) return
    }
  } catch {
    // a page may forbid WebAssembly, and an algorithm may do what the tracer does not know: the readable code runs on
    shared.code = null
  }
}

/** All that the programs of a model depend on. */
function keyOf(model: Model): string {
  const { parent, jointType, jointAxis, planeAxis, qStart, vStart, sStart, vOfS, sParent, vParent, follows, multiplier, offset } =
    model
  const integers = [parent, jointType, qStart, vStart, sStart, vOfS, sParent, vParent, follows]
  const numbers = [jointAxis, planeAxis, multiplier, offset, ...model.XT, ...model.I, model.armature, model.gravity]
  return [...integers, ...numbers].map((one) => one.join()).join(';')
}
