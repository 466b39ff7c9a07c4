/** Where time goes, by the engine's own sampling profiler. */
import { Session } from 'node:inspector/promises'

export interface Part {
  readonly name: string
  /** Functions whose time, and that of all they call, is the part's, but for that of parts earlier in the list. */
  readonly functions: readonly string[]
}

export interface Share {
  readonly name: string
  /** Of the samples, 0 to 1. */
  readonly share: number
}

interface Node {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly hitCount?: number
  readonly children?: readonly number[]
}

/** Between two samples [µs]. */
const INTERVAL = 100

/**
 * Calls `run` until `budget` is spent, and shares out the samples with a function `step` on the stack among the parts.
 *
 * @param budget [µs]
 */
export async function inclusiveShares(run: () => void, parts: readonly Part[], budget: number): Promise<Share[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL })
  await session.post('Profiler.start')
  const end = performance.now() + budget / 1e3
  while (performance.now() < end) run()
  const { profile } = (await session.post('Profiler.stop')) as { profile: { readonly nodes: readonly Node[] } }
  session.disconnect()

  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const hits = new Map<string, number>([...parts.map(({ name }) => [name, 0] as const), ['rest', 0]])
  const visit = (node: Node, taken: number, isStep: boolean) => {
    const { functionName } = node.callFrame
    const inStep = isStep || functionName === 'step'
    const found = inStep ? parts.slice(0, taken).findIndex(({ functions }) => functions.includes(functionName)) : -1
    const own = found < 0 ? taken : found
    const name = parts[own]?.name ?? 'rest'
    if (inStep) hits.set(name, (hits.get(name) ?? 0) + (node.hitCount ?? 0))
    for (const child of node.children ?? []) visit(nodes.get(child) as Node, own, inStep)
  }
  visit(profile.nodes[0], parts.length, false)
  const sum = [...hits.values()].reduce((total, count) => total + count, 0)
  return [...hits].map(([name, count]) => ({ name, share: count / Math.max(1, sum) })).filter(({ share }) => share >= 0.005)
}
