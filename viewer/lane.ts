import { History } from './history.ts'
import { type FromWorker, type RunSetup, snapshotCapacity, type ToWorker } from './protocol.ts'

/** One contact model's run: a worker that simulates it, and what it has told so far. */
export class Lane {
  readonly contactModel: string
  history = new History(snapshotCapacity)
  /** What ended the run, or undefined while it goes on. */
  failure: { readonly message: string; readonly t: number } | undefined
  private readonly worker = createWorker()
  private run = 0
  private asked = 0

  constructor(contactModel: string) {
    this.contactModel = contactModel
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.receive(data)
    this.worker.onerror = (event) => {
      this.failure = { message: event.message || 'the simulation worker could not be started', t: this.history.last?.t ?? 0 }
    }
  }

  start(setup: RunSetup): void {
    this.run++
    this.asked = 0
    this.failure = undefined
    this.history = new History(snapshotCapacity)
    this.send({ type: 'start', run: this.run, setup })
  }

  /** Asks for the run up to a step; what was asked before is not asked again. */
  advance(toStep: number, every: number): void {
    if (this.failure || toStep <= this.asked) return
    this.asked = toStep
    this.send({ type: 'advance', run: this.run, toStep, every })
  }

  /** Asks for the snapshot of every step between two that are there. */
  refine(from: number, to: number): void {
    this.send({ type: 'refine', run: this.run, from, to })
  }

  /** The last step that is there. */
  get reached(): number {
    return this.history.last?.step ?? 0
  }

  dispose(): void {
    this.worker.terminate()
  }

  private send(message: ToWorker): void {
    this.worker.postMessage(message)
  }

  private receive(message: FromWorker): void {
    if (message.type === 'error') {
      this.failure = { message: message.message, t: this.history.last?.t ?? 0 }
    } else if ((message.type === 'snapshots' || message.type === 'failed') && message.run === this.run) {
      if (message.type === 'failed') this.failure = { message: message.message, t: message.t }
      else for (const snapshot of message.snapshots) this.history.add(snapshot)
    }
  }
}

export function createWorker(): Worker {
  return new Worker(new URL('./simulation.worker.ts', import.meta.url), { type: 'module', name: 'featherbed simulation' })
}
