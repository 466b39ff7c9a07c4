import type { QuickJSContext, QuickJSHandle, QuickJSSyncVariant, QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { Controller, ControllerSetup, ControllerState } from '../controller.ts'
import { ControllerError } from '../controllerError.ts'
import { type Remote, remote } from '../loop/remote.ts'
import { pack, unpack } from '../packed.ts'
import { answersOf, type Box, boxOf } from './box.ts'
import type { Opening } from './guest.ts'

/** Limits of a script in a sandbox. */
export interface SandboxLimits {
  /** Computing time of each call of its functions, in seconds of `INTERRUPTS`. */
  readonly patience: number
  /** Of all its worlds together [bytes]. */
  readonly memory: number
}

/** A script with all that it imports and `serve` of guest.ts, as one module that exports `guest`. */
export interface SandboxText {
  readonly code: string
  /** Its name in stack traces. */
  readonly name: string
  /** Place in the script, as path:line:column, of a line and column of `code`, both from 1; undefined for code of this package. */
  readonly locate: (line: number, column: number) => string | undefined
  /** Outputs a line that the script prints, any characters in it. */
  readonly print: (line: string) => void
}

/** Of the C stack of QuickJS [bytes]. With twice as much, deep recursion in its parser overflows the stack of Node first. */
const STACK = 1e5
/** Of WebAssembly [bytes]. */
const PAGE = 2 ** 16
/** Initial memory of QuickJS, and the most of a program of 32 bits, 2 GB [pages]. */
const [FIRST_PAGES, MOST_PAGES] = [256, 2 ** 15]
/**
 * Interrupts counted as a second; QuickJS has one every 10,000 iterations of a loop, calls or steps of a regular expression. On a machine
 * of 2024 an empty loop has 13,000 in a second of processor time, one over numbers 2,700 to 3,400, one that makes texts 800 and one that
 * makes objects 360. Counted, so that a script ends at the same place on every machine.
 */
const INTERRUPTS = 2000
type WasmMemory = ReturnType<QuickJSWASMModule['getWasmMemory']>
/** Missing in the types of Node. */
type Engine = { readonly WebAssembly?: { readonly Memory: new (size: object) => WasmMemory } }
/** Most lines that a script may print; longest line, message and stack that are copied out of it [characters]. */
const [MOST_LINES, LONGEST] = [1000, 2500]

/** Functions of Math whose last bit is not specified by the language: the host's are used, so that both sides agree. */
const inexact = [
  ...['acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'cbrt', 'cos', 'cosh', 'exp', 'expm1', 'hypot'],
  ...['log', 'log10', 'log1p', 'log2', 'pow', 'sin', 'sinh', 'tan', 'tanh'],
] as const

/**
 * Evaluates a script in an interpreter of its own, QuickJS in WebAssembly, that has neither files nor network, clocks, processes or objects
 * of this one. The result works like the controller itself; its memory stays inside.
 *
 * @throws ControllerError as `loadController`
 */
export async function openSandbox(file: string, text: SandboxText, limits: SandboxLimits): Promise<Controller> {
  const { WebAssembly: assembly } = globalThis as Engine
  if (assembly === undefined)
    throw new ControllerError(file, 'is not trusted, and there is no WebAssembly to run it in; leave out --jitless')
  const { newQuickJSWASMModuleFromVariant, newVariant, DefaultIntrinsics } = await import('quickjs-emscripten-core')
  const release = (await import('@jitl/quickjs-wasmfile-release-sync')).default as unknown as QuickJSSyncVariant // typed as CommonJS
  // its own limit counts only a few bytes of each block
  const maximum = Math.min(FIRST_PAGES + Math.ceil(limits.memory / PAGE), MOST_PAGES)
  const wasmMemory = new assembly.Memory({ initial: FIRST_PAGES, maximum })
  const sandbox = new Sandbox(
    await newQuickJSWASMModuleFromVariant(newVariant(release, { wasmMemory })),
    { ...DefaultIntrinsics, Date: false },
    text,
    limits,
  )
  let loaded: { problem?: string; hasMetrics?: boolean } & Pick<Controller, 'rate' | 'output' | 'log'>
  try {
    loaded = sandbox.load() as typeof loaded
  } catch (error) {
    throw new ControllerError(file, `threw while it was loaded: ${(error as Error).message}`, NaN, error)
  }
  if (loaded.problem !== undefined) throw new ControllerError(file, loaded.problem)
  const memoryOf = (memory: unknown) => memory as Session
  const hosted: Controller & { [remote]: Remote } = {
    rate: loaded.rate,
    ...(loaded.output !== undefined && { output: loaded.output }),
    ...(loaded.log !== undefined && { log: loaded.log }),
    init: (setup) => sandbox.open(setup, answersOf(setup.robot, loaded.output), loaded.log),
    update: (state) => memoryOf(state.memory).update(state) as ArrayLike<number>,
    metrics: loaded.hasMetrics ? (state) => memoryOf(state.memory).metrics(state) as Record<string, number> : undefined,
    [remote]: {
      save: (memory) => memoryOf(memory).save(),
      restore(memory, saved) {
        try {
          return memoryOf(memory).restore(saved)
        } catch (error) {
          throw new ControllerError(file, `its memory cannot be restored: ${(error as Error).message}`, NaN, error)
        }
      },
      missing: (memory) => memoryOf(memory).missing(),
    },
  }
  return hosted
}

/** One interpreter with its limits. */
class Sandbox {
  private readonly context: QuickJSContext
  private readonly text: SandboxText
  private readonly limits: SandboxLimits
  private readonly memory: WasmMemory
  /** `slice` of texts, before the script may replace it. */
  private readonly slice: QuickJSHandle
  private readonly closed = new FinalizationRegistry((close: () => void) => close())
  private guest: QuickJSHandle | undefined
  /** Functions of t among the options of all worlds. */
  private readonly functions: ((t: number) => number)[] = []
  /** Interrupts left until it is ended. */
  private left = INTERRUPTS
  /** The reason why it cannot be used any more. */
  private broken = ''
  private lines = 0

  constructor(
    module: QuickJSWASMModule,
    intrinsics: NonNullable<Parameters<QuickJSWASMModule['newContext']>[0]>['intrinsics'],
    text: SandboxText,
    limits: SandboxLimits,
  ) {
    this.text = text
    this.limits = limits
    this.memory = module.getWasmMemory()
    const runtime = module.newRuntime()
    runtime.setMaxStackSize(STACK)
    runtime.setInterruptHandler(() => {
      if (this.left-- > 0) return false
      this.broken = `it did not return within ${limits.patience} s; --patience raises the limit`
      return true
    })
    this.context = runtime.newContext({ intrinsics })
    this.slice = this.got(this.context.evalCode('String.prototype.slice'))
    this.hand()
  }

  /** Passes the functions of `host` to globals.ts. */
  private hand(): void {
    const { context } = this
    const host = context.newObject()
    const math = context.newObject()
    const put = (object: QuickJSHandle, name: string, f: (...given: QuickJSHandle[]) => QuickJSHandle | undefined) =>
      context.newFunction(name, f as never).consume((handle) => context.setProp(object, name, handle))
    put(host, 'print', (line) => {
      if (this.lines++ < MOST_LINES) this.text.print(this.beginning(line))
      return undefined
    })
    put(host, 'call', (index, t) => context.newNumber(this.functions[context.getNumber(index)](context.getNumber(t))))
    for (const name of inexact) {
      const f = Math[name] as (...x: number[]) => number
      put(math, name, (...given) => context.newNumber(f(...given.map((handle) => context.getNumber(handle)))))
    }
    context.setProp(host, 'math', math)
    context.setProp(context.global, 'host', host)
    math.dispose()
    host.dispose()
  }

  /** Runs the script's top level. */
  load(): unknown {
    const { context } = this
    const { code, name } = this.text
    return this.limited(() => {
      const module = this.got(context.evalCode(code, name, { type: 'module' }))
      const jobs = context.runtime.executePendingJobs()
      if (jobs.error) this.fail(jobs.error)
      const state = context.getPromiseState(module)
      if (state.type === 'rejected') this.fail(state.error)
      if (state.type === 'pending')
        throw new Error('its top level awaits what never comes: there are no timers, files or network')
      const exported = (state as { value: QuickJSHandle }).value
      this.guest = context.getProp(exported, 'guest')
      return this.call(this.guest, 'load')?.value
    })
  }

  /** @returns the session, or the promise returned by `init`, which the caller refuses */
  open(
    { robot, period, options, sensors = {}, loops = {} }: ControllerSetup,
    answers: number,
    channels: readonly string[] = [],
  ): unknown {
    const { context, guest } = this
    const own = structuredClone(robot.model)
    const opening: Opening = { robot, model: own, period, options, sensors, loops }
    const { text, bytes } = pack(opening, this.functions as unknown[])
    const box = boxOf(robot, answers, Object.values(sensors), Object.keys(loops).length, channels.length)
    return this.limited(() => {
      const given = [context.newString(text), context.newArrayBuffer(bytes.buffer)]
      const handle = this.got(context.callMethod(guest as QuickJSHandle, 'open', given))
      for (const each of given) each.dispose()
      const out = context.getProp(handle, 'out')
      const session = new Session(this, handle, out, box, channels)
      this.closed.register(session, () => this.drop(handle, out))
      const promise = this.call(handle, 'init')
      return promise ? promise.value : session
    })
  }

  /** The beginning of a text. */
  private beginning(text: QuickJSHandle): string {
    const { context, slice } = this
    const length = context.getProp(text, 'length').consume((handle) => context.getNumber(handle))
    if (!(length > LONGEST)) return context.getString(text)
    const range = [context.newNumber(0), context.newNumber(LONGEST)]
    return this.got(context.callFunction(slice, text, range)).consume((handle) => context.getString(handle))
  }

  /** Counts what is about to be allocated for the script outside of its interpreter. @throws Error if it may not have so much */
  private take(bytes: number): void {
    if (bytes > this.limits.memory + FIRST_PAGES * PAGE - this.memory.buffer.byteLength) throw this.thrown('out of memory')
  }

  private drop(...handles: readonly QuickJSHandle[]): void {
    if (this.broken === '') for (const handle of handles) handle.dispose()
  }

  /** Copies the numbers of a buffer. */
  read(buffer: QuickJSHandle, out: Float64Array): void {
    const copy = this.context.getArrayBuffer(buffer)
    out.set(new Float64Array(copy.value.buffer, copy.value.byteOffset, out.length))
    copy.dispose()
  }

  /** @returns undefined, or the function's reply. @throws its error */
  call(
    object: QuickJSHandle,
    method: string,
    ...given: readonly (string | ArrayBufferLike)[]
  ): { readonly value: unknown } | undefined {
    const { context } = this
    const handles = given.map((each) => (typeof each === 'string' ? context.newString(each) : context.newArrayBuffer(each)))
    const reply = this.got(context.callMethod(object, method, handles))
    for (const handle of handles) handle.dispose()
    try {
      const kind = context.typeof(reply)
      if (kind === 'undefined') return undefined
      if (kind === 'string') throw this.thrown(this.beginning(reply))
      let taken = 0
      const take = (bytes: number) => this.take((taken += bytes))
      const text = context.getProp(reply, 0).consume((handle) => {
        take(2 * context.getProp(handle, 'length').consume((length) => context.getNumber(length)))
        return context.getString(handle)
      })
      const bytes = context.getProp(reply, 1).consume((handle) => context.getArrayBuffer(handle))
      return bytes.consume((buffer) => ({ value: unpack({ text, bytes: buffer.value }, [], take) }))
    } finally {
      reply.dispose()
    }
  }

  /** @throws Error for an interpreter that has broken down, in this call or before */
  limited<T>(action: () => T): T {
    if (this.broken !== '') throw new Error(this.broken)
    this.left = Math.ceil(INTERRUPTS * this.limits.patience)
    try {
      return action()
    } catch (error) {
      // of V8, out of WebAssembly: the interpreter was interrupted in an undefined state
      if (error instanceof Error && error.name === 'RuntimeError') this.broken = 'it broke its interpreter'
      if (error instanceof RangeError && /call stack/.test(error.message)) this.broken = 'Maximum call stack size exceeded'
      if (this.broken !== '') throw new Error(this.broken)
      throw /^Couldn't allocate/.test((error as Error).message) ? this.thrown('out of memory') : error
    }
  }

  private got(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (result.error) this.fail(result.error)
    return (result as { value: QuickJSHandle }).value
  }

  /** Throws an error that the guest could not catch, or one of the top level. */
  private fail(error: QuickJSHandle): never {
    const { context } = this
    const part = (name: string) => {
      const handle = context.getProp(error, name)
      return handle.consume(() => (context.typeof(handle) === 'string' ? this.beginning(handle) : ''))
    }
    const isNull = context.eq(error, context.null) // without memory for an error
    const isObject = !isNull && context.typeof(error) === 'object'
    const [message, stack] = isObject ? [part('message'), part('stack')] : [isNull ? 'out of memory' : this.beginning(error), '']
    error.dispose()
    const place = /^\s+at (.*)/m.exec(stack)?.[1]
    throw this.thrown(place ? `${message} (at ${place})` : message)
  }

  /** An error with places in the bundle replaced by those in the script. */
  private thrown(text: string): Error {
    if (/^(out of memory|Couldn't allocate)/.test(text))
      text = `the run needed more than ${this.limits.memory / 1e9} GB of memory; --memory raises the limit`
    const error = new Error(this.located(text))
    error.stack = '' // its own lines are in the message
    return error
  }

  located(text: string): string {
    const { name, locate } = this.text
    const [start, ...parts] = text.split(`${name}:`)
    const located = parts.map((part) => {
      const found = /^(\d+):(\d+)/.exec(part)
      const place = found && locate(Number(found[1]), Number(found[2]))
      return found && place ? place + part.slice(found[0].length) : `${name}:${part}`
    })
    return start + located.join('')
  }
}

/** One world's memory inside the sandbox. */
class Session {
  private readonly sandbox: Sandbox
  private readonly handle: QuickJSHandle
  private readonly out: QuickJSHandle
  private readonly box: Box
  private readonly channels: readonly string[]
  private readonly numbers: Float64Array
  private readonly answer: Float64Array

  /** @param out array that the guest writes to in a tick */
  constructor(sandbox: Sandbox, handle: QuickJSHandle, out: QuickJSHandle, box: Box, channels: readonly string[]) {
    this.channels = channels
    this.sandbox = sandbox
    this.handle = handle
    this.out = out
    this.box = box
    this.numbers = new Float64Array(box.length)
    this.answer = this.numbers.subarray(box.answer)
  }

  update(state: ControllerState<unknown>): unknown {
    const { box, numbers } = this
    const answer = this.see(state, 'tick')
    this.sandbox.read(this.out, numbers)
    const { joints, base } = state.target
    for (let j = 0; j < joints.length; j++) joints[j] = numbers[box.joints + j]
    for (let k = 0; k < base.length; k++) base[k] = numbers[box.base + k]
    for (let k = 0; k < state.mocap.length; k++) state.mocap[k] = numbers[box.mocap + k]
    for (let k = 0; k < state.surfaces.length; k++) state.surfaces[k] = numbers[box.surfaces + k]
    for (let k = 0; k < this.channels.length; k++) state.log[this.channels[k]] = numbers[box.log + k]
    let loop = box.loops
    for (const name in state.loops) {
      const asked = numbers[loop++]
      if (!Number.isNaN(asked)) state.loops[name] = asked
    }
    return answer === undefined ? this.answer : answer.value
  }

  metrics(state: ControllerState<unknown>): unknown {
    return this.see(state, 'metrics')?.value
  }

  missing(): string | undefined {
    const found = this.call('missing')?.value
    return typeof found === 'string' ? this.sandbox.located(found) : undefined
  }

  save(): unknown {
    return this.call('save')?.value
  }

  restore(saved: unknown): this {
    const { text, bytes } = pack(saved)
    this.call('restore', text, bytes.buffer)
    return this
  }

  private see(
    { t, q, v, contactForces, command, mocap, surfaces, log, target, sensors, loops }: ControllerState<unknown>,
    method: string,
  ): { value: unknown } | undefined {
    const { box, numbers } = this
    numbers[0] = t
    numbers.set(q, box.q)
    numbers.set(v, box.v)
    numbers.set(contactForces, box.contactForces)
    numbers.set(command, box.command)
    numbers.set(mocap, box.mocap)
    numbers.set(surfaces, box.surfaces)
    for (let k = 0; k < this.channels.length; k++) numbers[box.log + k] = log[this.channels[k]]
    numbers.set(target.joints, box.joints)
    numbers.set(target.base, box.base)
    let at = box.loops
    for (const name in loops) numbers[at++] = loops[name]
    at = box.sensors
    for (const name in sensors) {
      numbers.set(sensors[name], at)
      at += sensors[name].length
    }
    return this.call(method, numbers.buffer)
  }

  private call(method: string, ...given: readonly (string | ArrayBufferLike)[]): { value: unknown } | undefined {
    return this.sandbox.limited(() => this.sandbox.call(this.handle, method, ...given))
  }
}
