import { Bytes, F64, I32, V128, type WasmFunction } from './encode.ts'
import type { Expression, Graph, Op } from './graph.ts'
import { type Pairs, pairsOf } from './pairs.ts'

/** Operations a function: V8 makes good code of some hundred, and slow code of very many. */
const LENGTH = 400

/** A traced program, as far as its results are wanted. */
export interface Program {
  readonly name: string
  readonly graph: Graph
  /** By address. */
  readonly stores: ReadonlyMap<number, Expression>
  readonly guards: readonly Expression[]
}

/** Of an address: that of the mirrored number, and the side, 0 or 1, of this one; undefined without. */
export type Mirrored = (address: number) => readonly [number, number] | undefined

/** Operations were paired that cannot be done at once. */
export class PairingError extends Error {
  override readonly name = 'PairingError'
}

/** A scalar operation, or one on both of a pair, the first of them on side 0. */
type Unit = readonly [Expression] | readonly [Expression, Expression]

type Step =
  | { readonly is: 'compute' | 'guard'; readonly unit: Unit }
  | { readonly is: 'store'; readonly unit: Unit; readonly addresses: readonly number[] }

export interface Emitted {
  readonly functions: readonly WasmFunction[]
  /** End of the memory that it uses for values between its functions [bytes]. */
  readonly scratchEnd: number
  /** Instructions that compute, and how many of them compute two numbers. */
  readonly operations: number
  readonly paired: number
}

/**
 * Emits a program as functions of some hundred operations, and one that calls them in turn. Its result is 0 if all guards hold.
 *
 * @param firstIndex of its functions in the module
 * @param scratch    start of free memory [bytes], a multiple of 16
 */
export function emit(program: Program, mirrored: Mirrored, firstIndex: number, scratch: number): Emitted {
  const schedule = new Schedule(program, mirrored)
  const slots = new Map<Unit, number>()
  let scratchEnd = scratch
  for (const unit of schedule.crossing) {
    slots.set(unit, scratchEnd)
    scratchEnd += 16
  }
  const functions = schedule.chunks.map((chunk, index) => new ChunkEmitter(schedule, index, slots).emit(chunk))
  const body = new Bytes()
  if (functions.length === 0) body.byte(I32_CONST, 0)
  functions.forEach((_, k) => {
    body.byte(CALL).u32(firstIndex + k)
    if (k > 0) body.byte(I32_OR)
  })
  functions.push({ locals: [], body, name: program.name })
  const computed = schedule.chunks.flat().filter(({ is }) => is === 'compute')
  const paired = computed.filter(({ unit }) => unit.length === 2).length
  return { functions, scratchEnd, operations: computed.length, paired }
}

const LOCAL_GET = 0x20
const LOCAL_SET = 0x21
const LOCAL_TEE = 0x22
const CALL = 0x10
const I32_OR = 0x72
const I32_EQZ = 0x45
const I32_CONST = 0x41
const F64_CONST = 0x44
const SIMD = 0xfd

/** Opcodes of an operation on one number, and on two. */
const OPCODES: Record<Exclude<Op, 'constant' | 'load'>, readonly [readonly number[], readonly number[]]> = {
  add: [[0xa0], [SIMD, 0xf0, 1]],
  sub: [[0xa1], [SIMD, 0xf1, 1]],
  mul: [[0xa2], [SIMD, 0xf2, 1]],
  div: [[0xa3], [SIMD, 0xf3, 1]],
  neg: [[0x9a], [SIMD, 0xed, 1]],
  abs: [[0x99], [SIMD, 0xec, 1]],
  sqrt: [[0x9f], [SIMD, 0xef, 1]],
  floor: [[0x9c], [SIMD, 0x75]],
  select: [[0x1b], [SIMD, 0x52]],
  lt: [[0x63], [SIMD, 0x49]],
  le: [[0x65], [SIMD, 0x4b]],
  eq: [[0x61], [SIMD, 0x47]],
  not: [[I32_EQZ], [SIMD, 0x4d]],
  and: [[0x71], [SIMD, 0x4e]],
  or: [[I32_OR], [SIMD, 0x50]],
}
const CONDITIONS: ReadonlySet<Op> = new Set<Op>(['lt', 'le', 'eq', 'not', 'and', 'or'])

/** Which operations are needed, pairs in one, in an order in which each follows its arguments, cut into chunks. */
class Schedule {
  readonly chunks: Step[][] = [[]]
  readonly unitOf = new Map<Expression, Unit>()
  /** Loads of what the program also writes: they are read where they stand. */
  readonly fixedLoads: ReadonlySet<Expression>
  /** Uses of a unit, and the chunk that computes it. */
  readonly uses = new Map<Unit, number>()
  readonly chunkOf = new Map<Unit, number>()
  readonly crossing = new Set<Unit>()
  private readonly pairs: Pairs
  private readonly program: Program

  constructor(program: Program, mirrored: Mirrored) {
    this.program = program
    const nodes = liveNodes(program)
    this.fixedLoads = new Set(nodes.filter(({ op, value }) => op === 'load' && program.stores.has(value)))
    this.pairs = pairsOf(nodes, mirrored)
    for (const node of nodes) if (!this.unitOf.has(node)) this.unite(node)
    const steps: Step[] = []
    const stores = this.storesAfter(mirrored)
    const done = new Set<Unit>()
    const open = new Set<Unit>()
    const compute = (unit: Unit): void => {
      if (done.has(unit)) return
      if (open.has(unit)) throw new PairingError('two pairs depend on each other')
      open.add(unit)
      for (const node of unit) for (const arg of node.args) compute(this.unitOf.get(arg) as Unit)
      done.add(unit)
      if (!this.isFree(unit)) steps.push({ is: 'compute', unit })
      steps.push(...(stores.get(unit) ?? []))
    }
    for (const node of nodes) compute(this.unitOf.get(node) as Unit)
    this.cut(steps)
  }

  /** Constants, and loads that may stand anywhere. */
  isFree(unit: Unit): boolean {
    const [{ op }] = unit
    return op === 'constant' || (op === 'load' && unit.length === 1 && !this.fixedLoads.has(unit[0]))
  }

  private unite(node: Expression): void {
    const { other, side } = this.pairs
    const partner = other.get(node)
    const unit: Unit = partner === undefined ? [node] : side.get(node) === 0 ? [node, partner] : [partner, node]
    for (const one of unit) this.unitOf.set(one, unit)
  }

  /** Stores and guards by the unit after which they come: their value, and the load of what they overwrite. */
  private storesAfter(mirrored: Mirrored): Map<Unit, Step[]> {
    const { stores, guards } = this.program
    const after = new Map<Unit, Step[]>()
    const put = (unit: Unit, step: Step) => after.set(unit, [...(after.get(unit) ?? []), step])
    const loadOf = new Map([...this.fixedLoads].map((node) => [node.value, node]))
    const handled = new Set<number>()
    for (const [address, value] of stores) {
      if (handled.has(address)) continue
      const load = loadOf.get(address)
      if (value === load) continue
      const unit = this.unitOf.get(value) as Unit
      const image = mirrored(address)
      const isPair = unit.length === 2 && image !== undefined && load === undefined && stores.get(image[0]) === unit[1 - image[1]]
      if (isPair && unit[image[1]] === value) {
        const addresses = image[1] === 0 ? [address, image[0]] : [image[0], address]
        for (const one of addresses) handled.add(one)
        put(unit, { is: 'store', unit, addresses })
        continue
      }
      const late = load !== undefined && value.id < load.id ? (this.unitOf.get(load) as Unit) : unit
      put(late, { is: 'store', unit: [value], addresses: [address] })
    }
    const guarded = new Set<Unit>()
    for (const guard of guards) {
      const unit = this.unitOf.get(guard) as Unit
      if (!guarded.has(unit)) put(unit, { is: 'guard', unit })
      guarded.add(unit)
    }
    return after
  }

  private cut(steps: readonly Step[]): void {
    const { chunks } = this
    let length = 0
    for (const step of steps) {
      if (length >= LENGTH) {
        chunks.push([])
        length = 0
      }
      const chunk = chunks.length - 1
      chunks[chunk].push(step)
      length += step.is === 'store' ? 0.5 : 1
      if (step.is === 'compute') {
        this.chunkOf.set(step.unit, chunk)
        for (const node of step.unit) for (const arg of node.args) this.use(arg, chunk)
      } else for (const node of step.unit) this.use(node, chunk)
    }
  }

  private use(node: Expression, chunk: number): void {
    const unit = this.unitOf.get(node) as Unit
    if (this.isFree(unit)) return
    this.uses.set(unit, (this.uses.get(unit) ?? 0) + 1)
    if (this.chunkOf.get(unit) !== chunk) this.crossing.add(unit)
  }
}

/** Those that results depend on, in the order of evaluation. */
function liveNodes({ graph, stores, guards }: Program): Expression[] {
  const isLive = new Uint8Array(graph.nodes.length)
  for (const node of guards) isLive[node.id] = 1
  for (const node of stores.values()) isLive[node.id] = 1
  for (let id = isLive.length - 1; id >= 0; id--) if (isLive[id] === 1) for (const arg of graph.nodes[id].args) isLive[arg.id] = 1
  return graph.nodes.filter(({ id }) => isLive[id] === 1)
}

/** Writes one chunk as a function that returns whether a guard failed. */
class ChunkEmitter {
  private readonly schedule: Schedule
  private readonly index: number
  private readonly slots: ReadonlyMap<Unit, number>
  private readonly code = new Bytes()
  private readonly locals = new Map<Unit, number>()
  /** Locals that hold a scalar twice. */
  private readonly splats = new Map<Expression, number>()
  /** Types of locals after the first: whether a guard failed. */
  private readonly types: number[] = []
  private hasGuard = false

  constructor(schedule: Schedule, index: number, slots: ReadonlyMap<Unit, number>) {
    this.schedule = schedule
    this.index = index
    this.slots = slots
  }

  emit(chunk: readonly Step[]): WasmFunction {
    const { schedule, code } = this
    for (const step of chunk) {
      if (step.is === 'store') this.store(step.unit, step.addresses)
      else if (step.is === 'guard') this.guard(step.unit)
      else if (schedule.crossing.has(step.unit) || this.isKept(step.unit)) this.keep(step.unit)
    }
    if (this.hasGuard) code.byte(LOCAL_GET, 0)
    else code.byte(I32_CONST, 0)
    return { locals: [[1, I32], ...runsOf(this.types)], body: code }
  }

  /** Whether a unit is computed into a local: all but a scalar of one use, which is computed where it is used. */
  private isKept(unit: Unit): boolean {
    return unit.length === 2 || unit[0].op === 'load' || (this.schedule.uses.get(unit) ?? 0) > 1
  }

  private keep(unit: Unit): void {
    const { code } = this
    this.compute(unit)
    const local = this.newLocal(unit)
    code.byte(LOCAL_SET).u32(local)
    const slot = this.slots.get(unit)
    if (slot === undefined) return
    code.byte(I32_CONST, 0, LOCAL_GET).u32(local)
    if (this.isCondition(unit)) code.byte(0xb7) // f64.convert_i32_s
    this.access('store', unit.length, slot)
  }

  private isCondition(unit: Unit): boolean {
    return unit.length === 1 && CONDITIONS.has(unit[0].op)
  }

  private newLocal(unit: Unit): number {
    this.types.push(unit.length === 2 ? V128 : this.isCondition(unit) ? I32 : F64)
    const local = this.types.length
    this.locals.set(unit, local)
    return local
  }

  /** Pushes a scalar. */
  private value(node: Expression): void {
    const { code, schedule } = this
    if (node.op === 'constant') {
      code.byte(F64_CONST).f64(node.value)
      return
    }
    const unit = schedule.unitOf.get(node) as Unit
    const lane = unit.length === 2 ? unit.indexOf(node as never) : 0
    const local = this.locals.get(unit)
    if (unit.length === 2 && local === undefined) {
      code.byte(I32_CONST, 0)
      this.access('load', 1, (this.slots.get(unit) as number) + 8 * lane)
    } else if (unit.length === 2) {
      code.byte(LOCAL_GET).u32(local as number)
      code.byte(SIMD, 0x21, lane) // f64x2.extract_lane
    } else this.whole(unit)
  }

  /** Pushes a unit's value, scalar or pair. */
  private whole(unit: Unit): void {
    const { code, schedule } = this
    const local = this.locals.get(unit)
    if (local !== undefined) {
      code.byte(LOCAL_GET).u32(local)
      return
    }
    const slot = schedule.chunkOf.get(unit) !== this.index ? this.slots.get(unit) : undefined
    if (slot === undefined) {
      this.compute(unit)
      return
    }
    code.byte(I32_CONST, 0)
    this.access('load', unit.length, slot)
    if (this.isCondition(unit)) code.byte(0xaa) // i32.trunc_f64_s
    code.byte(LOCAL_TEE).u32(this.newLocal(unit))
  }

  /** Pushes two numbers as a pair. */
  private pair(a: Expression, b: Expression): void {
    const { code, schedule } = this
    const unit = schedule.unitOf.get(a) as Unit
    if (unit.length === 2 && unit[0] === a && unit[1] === b) this.whole(unit)
    else if (a.op === 'constant' && b.op === 'constant') code.byte(SIMD, 0x0c).f64(a.value).f64(b.value)
    else if (a === b) this.splat(a)
    else {
      this.value(a)
      code.byte(SIMD, 0x14)
      this.value(b)
      code.byte(SIMD, 0x22, 1) // f64x2.replace_lane
    }
  }

  /** Pushes a number of the trunk as a pair. */
  private splat(node: Expression): void {
    const { code } = this
    let local = this.splats.get(node)
    if (local !== undefined) {
      code.byte(LOCAL_GET).u32(local)
      return
    }
    if (node.op === 'load' && this.schedule.isFree([node]))
      code.byte(I32_CONST, 0, SIMD, 0x0a, 3).u32(node.value) // v128.load64_splat
    else {
      this.value(node)
      code.byte(SIMD, 0x14) // f64x2.splat
    }
    this.types.push(V128)
    local = this.types.length
    this.splats.set(node, local)
    code.byte(LOCAL_TEE).u32(local)
  }

  private compute(unit: Unit): void {
    const { code } = this
    const [a, b] = unit
    if (a.op === 'constant') this.value(a)
    else if (a.op === 'load') {
      code.byte(I32_CONST, 0)
      if (b === undefined) this.access('load', 1, a.value)
      else if (b.value === a.value + 8) this.access('load', 2, a.value)
      else {
        code.byte(SIMD, 0x0a, 3).u32(a.value) // v128.load64_splat
        const first = this.newLocal([a, b])
        code.byte(LOCAL_SET).u32(first).byte(I32_CONST, 0, LOCAL_GET).u32(first)
        code.byte(SIMD, 0x57, 3).u32(b.value).byte(1) // v128.load64_lane
      }
    } else {
      // a select has its condition last
      const order = a.op === 'select' ? [1, 2, 0] : a.args.map((_, k) => k)
      const swapped = b !== undefined && a.op !== 'select' && this.isSwapped(a, b)
      for (const k of order) {
        if (b === undefined) this.value(a.args[k])
        else this.pair(a.args[k], b.args[swapped ? 1 - k : k])
      }
      code.byte(...OPCODES[a.op][unit.length - 1])
    }
  }

  /** Whether the arguments of a commutative operation correspond crosswise. */
  private isSwapped(a: Expression, b: Expression): boolean {
    if (a.args.length !== 2 || !(a.op === 'add' || a.op === 'mul')) return false
    const match = (x: Expression, y: Expression) =>
      x === y || this.schedule.unitOf.get(x)?.[1] === y || (x.op === 'constant' && y.op === 'constant')
    return (
      !(match(a.args[0], b.args[0]) && match(a.args[1], b.args[1])) &&
      (match(a.args[0], b.args[1]) || match(a.args[1], b.args[0]))
    )
  }

  private store(unit: Unit, addresses: readonly number[]): void {
    const { code } = this
    const isAdjacent = addresses.length === 2 && addresses[1] === addresses[0] + 8
    if (isAdjacent) {
      code.byte(I32_CONST, 0)
      this.whole(unit)
      this.access('store', 2, addresses[0])
      return
    }
    addresses.forEach((address, lane) => {
      code.byte(I32_CONST, 0)
      if (unit.length === 1) {
        this.value(unit[0])
        this.access('store', 1, address)
      } else {
        this.whole(unit)
        code.byte(SIMD, 0x5b, 3).u32(address).byte(lane) // v128.store64_lane
      }
    })
  }

  private guard(unit: Unit): void {
    const { code } = this
    this.whole(unit)
    if (unit.length === 2) code.byte(SIMD, 0xc3, 1) // i64x2.all_true
    code.byte(I32_EQZ, LOCAL_GET, 0, I32_OR, LOCAL_SET, 0)
    this.hasGuard = true
  }

  private access(what: 'load' | 'store', width: number, address: number): void {
    if (width === 1) this.code.byte(what === 'load' ? 0x2b : 0x39, 3).u32(address)
    else this.code.byte(SIMD, what === 'load' ? 0 : 0x0b, 3).u32(address)
  }
}

/** Equal types one after another, as WebAssembly declares them. */
function runsOf(types: readonly number[]): [number, number][] {
  const runs: [number, number][] = []
  for (const type of types) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === type) run[0]++
    else runs.push([1, type])
  }
  return runs
}
