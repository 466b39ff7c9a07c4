/**
 * A process of its own for jobs that run scripts. A thread could not contain a script's effects: memory is counted by the process,
 * so are signals, file descriptors and V8's aborts, and a thread that waits in the system cannot be ended.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { moduleUrl } from '../../assets.ts'
import { SILENT_PERIOD, SILENT_PERIODS } from './patience.ts'
import type { Answer, Runner } from './thread.ts'
import type { Order, Reply, Request } from './worker.ts'

export class OwnProcess implements Runner {
  alive = true
  private readonly child: ChildProcess

  /** @param flags of its engine, besides those of this one */
  constructor(flags: readonly string[] = []) {
    this.child = fork(fileURLToPath(moduleUrl('compare/run/child')), [], {
      execArgv: [...process.execArgv, ...flags],
      serialization: 'advanced',
      detached: true, // Ctrl-C at a terminal reaches this process alone, which then asks for `stop`
      stdio: ['ignore', 2, 2, 'ipc'], // its stdout is our stderr, as that of a thread
    })
    const isOver = () => {
      this.alive = false
    }
    this.child.on('exit', isOver).on('error', isOver)
  }

  stop(): void {
    this.child.send('stop' satisfies Order, () => {})
  }

  /** Kills it at once: a job still running is lost. */
  async end(): Promise<void> {
    const { child } = this
    this.alive = false
    if (child.exitCode !== null || child.signalCode !== null) return
    const over = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await over
  }

  run(request: Request, progress: (fraction: number) => void): Promise<Answer> {
    const { child } = this
    return new Promise((resolve) => {
      const finish = (answer: Answer, isFit = false) => {
        clearInterval(watch)
        child.off('message', onMessage).off('error', onError).off('exit', onExit)
        if (!isFit) this.alive = false
        resolve(answer)
      }
      const onMessage = (message: unknown) => {
        silent = 0
        const reply = message as Reply | undefined
        if (reply?.index !== request.index) return
        if ('answer' in reply) finish(reply.answer, reply.isFit)
        else progress(reply.fraction)
      }
      const onError = (error: Error) => finish(`the run's process could not be used: ${error.message}`)
      const onExit = (code: number | null, signal: string | null) =>
        finish(
          signal === null
            ? `the run's process ended by itself with code ${code}`
            : `the run's process was ended by ${signal}${/ABRT|TRAP/.test(signal) ? ', as when there is no more memory' : ''}`,
        )
      // by periods: after a long wait of its own, this process would see the time before the messages
      let silent = 0
      const watch = setInterval(() => {
        if (silent++ >= SILENT_PERIODS) finish("the run's process was stopped")
      }, SILENT_PERIOD)
      child.on('message', onMessage).on('error', onError).on('exit', onExit)
      child.send(request, (error) => {
        if (error) onError(error)
      })
    })
  }
}
