import type { Model } from '../model/model.ts'
import type { Expression, Op } from './graph.ts'

/**
 * Mirrored limbs: a robot's left and right side undergo the same operations on other numbers, so that one instruction on two doubles does
 * both. Any two independent equal operations may share one; symmetry only finds those that go on together for long.
 */

/** Per body: that on the other side, or itself. Siblings with equal subtrees, the first with the second of a kind, and so on. */
export function mirroredBodies(model: Model): Int32Array {
  const { nb, parent } = model
  const children: number[][] = Array.from({ length: nb }, () => [])
  for (let i = 1; i < nb; i++) children[parent[i]].push(i)
  const kind = (i: number): string => `${kindOf(model, i)}(${children[i].map(kind).join()})`
  const mirror = Int32Array.from({ length: nb }, (_, i) => i)
  const pair = (i: number, j: number) => {
    mirror[i] = j
    mirror[j] = i
    for (const [n, child] of children[i].entries()) pair(child, children[j][n])
  }
  const within = (i: number) => {
    const open = new Map<string, number>()
    for (const child of children[i]) {
      const first = open.get(kind(child))
      if (first === undefined) open.set(kind(child), child)
      else {
        pair(first, child)
        open.delete(kind(child))
      }
    }
    for (const child of children[i]) if (mirror[child] === child) within(child)
  }
  within(0)
  return mirror
}

/** What decides which operations a body needs: its joint, and which of its constants are 0. */
function kindOf({ jointType, jointAxis, follows, XT, I }: Model, i: number): string {
  const zeros = (numbers: Float64Array) => Array.from(numbers, (x) => (x === 0 ? 0 : x === 1 ? 1 : 2)).join('')
  return [jointType[i], follows[i] >= 0, zeros(jointAxis.subarray(3 * i, 3 * i + 3)), zeros(XT[i]), zeros(I[i])].join()
}

/** The pairs of a program: the other of each, and on which side it is. */
export interface Pairs {
  readonly other: ReadonlyMap<Expression, Expression>
  /** 0 or 1, of paired ones. */
  readonly side: ReadonlyMap<Expression, number>
}

/**
 * Pairs the operations of a program.
 *
 * @param nodes    in the order of evaluation
 * @param mirrored address of the other side's number, and the side of this one; undefined without
 */
export function pairsOf(
  nodes: readonly Expression[],
  mirrored: (address: number) => readonly [number, number] | undefined,
): Pairs {
  const other = new Map<Expression, Expression>()
  const side = new Map<Expression, number>()
  const unite = (a: Expression, b: Expression, sideOfA: number) => {
    other.set(a, b)
    other.set(b, a)
    side.set(a, sideOfA)
    side.set(b, 1 - sideOfA)
  }
  const loads = new Map(nodes.filter(({ op }) => op === 'load').map((node) => [node.value, node]))
  for (const [address, node] of loads) {
    const image = mirrored(address)
    const partner = image && loads.get(image[0])
    if (image !== undefined && partner !== undefined && partner !== node) unite(node, partner, image[1])
  }
  const users = new Map<Expression, Expression[]>()
  for (const node of nodes) {
    for (const arg of node.args) {
      const list = users.get(arg)
      if (list === undefined) users.set(arg, [node])
      else list.push(node)
    }
  }
  for (const node of nodes) {
    if (other.has(node)) continue
    const from = node.args.find((arg) => side.has(arg))
    const partner = from && other.get(from)
    if (from === undefined || partner === undefined) continue
    for (const candidate of users.get(partner) ?? []) {
      const found: [Expression, Expression][] = []
      if (!correspond(node, candidate, other, found)) continue
      for (const [a, b] of found) if (!other.has(a) && !other.has(b)) unite(a, b, side.get(from) as number)
      break
    }
  }
  return { other, side }
}

const COMMUTATIVE: ReadonlySet<Op> = new Set<Op>(['add', 'mul'])

/**
 * Whether two are the same operations on each other's arguments, and on any constants. Offsets of limbs from the trunk also make pairs of
 * what depends on the trunk alone.
 *
 * @param found out: those that are no pairs yet
 */
function correspond(
  a: Expression,
  b: Expression,
  other: ReadonlyMap<Expression, Expression>,
  found: [Expression, Expression][],
): boolean {
  if (a === b) return true
  if (a.op !== b.op) return false
  if (a.op === 'constant') return true
  if (other.has(a) || other.has(b)) return other.get(a) === b
  if (a.args.length === 0) return false
  const before = found.length
  const all = (order: readonly number[]) => {
    found.length = before
    return a.args.every((arg, k) => correspond(arg, b.args[order[k]], other, found))
  }
  if (!all([0, 1, 2]) && !(COMMUTATIVE.has(a.op) && all([1, 0]))) return false
  // a condition of both sides alike has another form than one of each
  if (a.op === 'select' && a.args[0] === b.args[0]) return false
  found.push([a, b])
  return true
}
