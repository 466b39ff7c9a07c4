/** One worker thread and its owner's data on it. Imports next to nothing: a process of its own may have nothing else to load. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { moduleUrl } from '../../assets.ts'
import type { Robot } from '../../robots/index.ts'
import { LOADING } from './heartbeat.ts'
import { LOADING_PATIENCE, Silence, STEP_PATIENCE, WATCH_PERIOD } from './patience.ts'
import type { Outcome } from './run.ts'
import type { Reply, Request, WorkerStart } from './worker.ts'

/** Result of a job: its outcome, or why there is none: in words, or the heartbeat that stood still, and for how long. */
export type Answer = Outcome | string | Hung

export interface Hung {
  readonly tick: number
  /** In words: in processor time, or of waiting. */
  readonly waited: string
}

export type Robots = readonly (readonly [string, Robot])[]

/** Runs jobs, one after the other. */
export interface Runner {
  /** Whether it may be given another. */
  readonly alive: boolean
  run(request: Request, progress: (fraction: number) => void): Promise<Answer>
  /** Asks the job under way to end behind its step. */
  stop(): void
  end(): Promise<void>
}

export class Thread implements Runner {
  alive = true
  private readonly signals = new Int32Array(new SharedArrayBuffer(12))
  private readonly worker: Worker
  private readonly port: MessagePort

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.port = port1
    const workerData: WorkerStart = { signals: this.signals, port: port2 }
    // a controller's output goes to stderr: stdout belongs to the result
    this.worker = new Worker(moduleUrl('compare/run/worker'), { workerData, transferList: [port2], stdout: true })
    this.worker.stdout.on('data', (chunk) => process.stderr.write(chunk))
    // it may also die between two jobs
    const isOver = () => {
      this.alive = false
    }
    this.worker.on('error', isOver).on('exit', isOver)
  }

  stop(): void {
    Atomics.store(this.signals, 2, 1)
  }

  async end(): Promise<void> {
    this.alive = false
    await this.worker.terminate()
  }

  run(request: Request, progress: (fraction: number) => void): Promise<Answer> {
    const { worker, port, signals } = this
    return new Promise((resolve) => {
      const finish = (answer: Answer, isFit = false) => {
        clearInterval(watch)
        port.off('message', onMessage)
        worker.off('error', onError).off('exit', onExit)
        if (!isFit) this.alive = false
        resolve(answer)
      }
      const onMessage = (reply: Reply) => {
        if (reply.index !== request.index) return
        if ('answer' in reply) finish(reply.answer, reply.isFit)
        else progress(reply.fraction)
      }
      const onError = ({ code, message }: Error & { code?: string }) =>
        finish(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'the run needed more memory than its thread may have' : String(message))
      const onExit = (code: number) =>
        finish(`the run's thread ended by itself with code ${code}; a controller must not call process.exit`)
      let [tick, life] = [0, 0]
      const silence = new Silence()
      const watch = setInterval(() => {
        const [nowTick, nowLife] = [Atomics.load(signals, 0), Atomics.load(signals, 1)]
        if (nowTick !== tick || nowLife !== life) {
          ;[tick, life] = [nowTick, nowLife]
          silence.break()
          return
        }
        const patience = request.patience + (tick === LOADING ? LOADING_PATIENCE : 0)
        const waited = silence.isOver(tick === 0 ? STEP_PATIENCE : patience)
        if (waited === undefined) return
        void worker.terminate()
        finish({ tick, waited })
      }, WATCH_PERIOD)
      Atomics.store(signals, 2, 0)
      port.on('message', onMessage)
      worker.on('error', onError).on('exit', onExit)
      port.postMessage(request)
    })
  }
}
