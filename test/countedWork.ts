import { Session } from 'node:inspector'
import { workAsked } from '../dynamics/index.ts'

interface Script {
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
}

/**
 * Work of a call, counted: how much it asked of meters, and how often the engine entered a function or a block of code, 0 unless asked for
 * since that takes a while. An error ends it, too.
 */
export async function countedWork(
  call: () => unknown,
  byEngine: boolean,
): Promise<{ readonly asked: number; readonly blocks: number; readonly error?: unknown }> {
  const session = new Session()
  session.connect()
  const post = (method: string, params = {}) =>
    new Promise<{ readonly result?: readonly Script[] }>((resolve, reject) => {
      session.post(`Profiler.${method}`, params, (error, result) => (error ? reject(error) : resolve(result ?? {})))
    })
  const blocks = async () => {
    if (!byEngine) return 0
    const { result = [] } = await post('takePreciseCoverage')
    const counts = result.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  try {
    if (byEngine) await post('enable')
    if (byEngine) await post('startPreciseCoverage', { callCount: true, detailed: true })
    await blocks()
    const before = workAsked()
    let error: unknown
    try {
      await call()
    } catch (thrown) {
      error = thrown
    }
    return { asked: workAsked() - before, blocks: await blocks(), error }
  } finally {
    session.disconnect()
  }
}
