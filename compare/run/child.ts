/** The process that jobs with scripts run in; `ownProcess.ts` starts it. It keeps one thread for them and watches its own memory. */
import { Thread } from './thread.ts'
import type { Order, Reply } from './worker.ts'

/** A process that has kept more than this from its jobs is not given another, which would be charged with it [bytes]. */
const MOST_KEPT = 5e8
/** How often memory is checked [ms]. */
const MEMORY_PERIOD = 25
/** How often it says that it is there [ms]. */
const ALIVE_PERIOD = 1000

const end = () => process.kill(process.pid, 'SIGKILL') // whatever its thread is at
const send = (reply: Reply | object, sent = () => {}) => process.send?.(reply, sent)

if (process.send) {
  const thread = new Thread()
  setInterval(() => send({}), ALIVE_PERIOD)
  process.on('disconnect', end)
  process.on('SIGINT', () => {}) // a terminal sends it to all; what becomes of the run its owner says
  process.on('message', async (request: Order) => {
    if (request === 'stop') return thread.stop()
    const { index, memory } = request
    const start = process.memoryUsage.rss()
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - start < memory) return
      const answer = `the run needed more than ${memory / 1e9} GB of memory; --memory raises the limit`
      send({ index, answer, isFit: false }, end)
    }, MEMORY_PERIOD)
    const answer = await thread.run(request, (fraction) => send({ index, fraction }))
    clearInterval(watch)
    send({ index, answer, isFit: thread.alive && process.memoryUsage.rss() < MOST_KEPT })
  })
}
