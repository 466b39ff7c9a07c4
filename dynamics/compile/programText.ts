import { allocator } from '../model/data.ts'
import type { Model } from '../model/model.ts'
import type { Expression, Op } from './graph.ts'
import { type Numbers, numbersOf } from './numbers.ts'
import { emitPrograms, type ProgramName } from './programs.ts'

/**
 * The emitted programs of a robot as text: every intermediate result in the order of the algorithms, then the results by name. Numbers
 * used once stand where they are used. Pairs of mirrored limbs are not marked. @unchecked
 */
export function programText(model: Model, names: readonly ProgramName[]): string {
  const { programs } = emitPrograms(model, names)
  const nameOf = namesOf(model)
  const parts = [...programs].map(([name, { program, operations, paired }]) => {
    const { nodes } = program.graph
    const results = [...program.stores]
    const uses = new Int32Array(nodes.length)
    const roots = [...results.map(([, value]) => value), ...program.guards]
    for (const { id } of roots) uses[id]++
    for (let id = nodes.length - 1; id >= 0; id--) if (uses[id] > 0) for (const arg of nodes[id].args) uses[arg.id]++
    const isNamed = ({ id, op }: Expression) => uses[id] > 1 && op !== 'constant' && op !== 'load'
    const written = (node: Expression, isTop = false): string => {
      if (node.op === 'constant') return `${node.value}`
      if (node.op === 'load') return nameOf(node.value)
      if (isNamed(node) && !isTop) return `t${node.id}`
      return textOf[node.op](...node.args.map((arg) => written(arg)))
    }
    const lines = nodes.filter((node) => isNamed(node)).map((node) => `  t${node.id} = ${written(node, true)}`)
    const ends = results.map(([address, value]) => `  ${nameOf(address)} = ${written(value)}`)
    const guards = program.guards.map((guard) => `  or the algorithm itself, unless ${written(guard)}`)
    return [`${name}: ${operations} instructions, ${paired} of them for two limbs`, ...lines, ...ends, ...guards].join('\n')
  })
  return `${parts.join('\n\n')}\n`
}

const infix = (sign: string) => (a: string, b: string) => `(${a} ${sign} ${b})`
const textOf: Record<Exclude<Op, 'constant' | 'load'>, (...args: string[]) => string> = {
  add: infix('+'),
  sub: infix('-'),
  mul: infix('*'),
  div: infix('/'),
  lt: infix('<'),
  le: infix('<='),
  eq: infix('=='),
  and: infix('and'),
  or: infix('or'),
  not: (a) => `not ${a}`,
  neg: (a) => `-${a}`,
  abs: (a) => `|${a}|`,
  sqrt: (a) => `sqrt(${a})`,
  floor: (a) => `floor(${a})`,
  select: (condition, a, b) => `(${a} if ${condition} else ${b})`,
}

/** Names of addresses: the array, and the entry. */
function namesOf(model: Model): (address: number) => string {
  const room = allocator()
  numbersOf(model, room.allocate)
  const numbers: Numbers = numbersOf(model, allocator(new ArrayBuffer(room.bytes)).allocate)
  const { data, state, a, tau } = numbers
  const arrays = Object.entries({ ...data.flat, M: data.M, L: data.L, q: state.q, v: state.v, a, tau })
  return (address) => {
    const [name, array] = arrays.find(
      ([, { byteOffset, byteLength }]) => address >= byteOffset && address < byteOffset + byteLength,
    ) ?? ['?', a]
    return `${name}[${(address - array.byteOffset) / 8}]`
  }
}
