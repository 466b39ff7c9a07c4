import type { FeatureMoment } from '../contact/index.ts'
import { History } from './history.ts'
import { type FeaturesAt, type FromWorker, featureCapacity, type RunSetup, snapshotCapacity, type ToWorker } from './protocol.ts'

/** One contact model's run: a worker that simulates it, and what it has told so far. */
export class Lane {
  readonly contactModel: string
  history = new History(snapshotCapacity)
  /** What ended the run, or undefined while it goes on. */
  failure: { readonly message: string; readonly t: number } | undefined
  /** Whether the contact model takes feature contacts; undefined until the run has begun. */
  readsFeatures: boolean | undefined
  /** The feature contacts that were told of late, by step; undefined where there are none to be had. */
  private readonly features = new Map<number, FeatureMoment | undefined>()
  /** The step whose feature contacts were asked for last. */
  private wanted = -1
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
    this.readsFeatures = undefined
    this.features.clear()
    this.wanted = -1
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

  /** Whether the feature contacts of each snapshot are to come with it. */
  watchFeatures(wanted: boolean): void {
    if (!wanted) this.features.clear()
    this.send({ type: 'watch-features', wanted })
  }

  /** The feature contacts of a step of the record. Those that are not there are asked for, and come later. */
  featuresAt(step: number): FeatureMoment | undefined {
    if (this.readsFeatures && step !== this.wanted && !this.features.has(step)) {
      this.wanted = step
      this.send({ type: 'features', run: this.run, step })
    }
    return this.features.get(step)
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
      else {
        for (const snapshot of message.snapshots) this.history.add(snapshot)
        for (const features of message.features) this.keep(features)
      }
    } else if (message.type === 'started' && message.run === this.run) {
      this.readsFeatures = message.readsFeatures
    } else if (message.type === 'features' && message.run === this.run) {
      this.keep(message)
    }
  }

  private keep({ step, moment }: FeaturesAt): void {
    this.features.set(step, moment)
    if (this.features.size > featureCapacity) this.features.delete(this.features.keys().next().value as number)
  }
}

export function createWorker(): Worker {
  return new Worker(new URL('./simulation.worker.ts', import.meta.url), { type: 'module', name: 'featherbed simulation' })
}
