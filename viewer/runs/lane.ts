import type { LawCheck } from '../../compare/measure/index.ts'
import type { RecordingInfo } from '../../compare/recording/index.ts'
import type { FeatureMoment } from '../../contact/index.ts'
import type { Checkpoint, Input } from '../../simulation/index.ts'
import { judgedAt, worstChecks, worstOf } from '../checks/lasting.ts'
import type { TapedFile, TapeFormat } from '../recordings/tape.ts'
import { createWorker } from './createWorker.ts'
import type { Fork } from './fork.ts'
import { History } from './history.ts'
import {
  type FeaturesAt,
  type FromWorker,
  featureCapacity,
  type RunAction,
  type RunSetup,
  type Snapshot,
  snapshotCapacity,
  type ToWorker,
} from './protocol.ts'

/**
 * A worker that is awaited and sends nothing for so long is stopped [s]; while it reads a scenario it may take longer. Counted in frames of at
 * most 0.1 s: a page that was hidden or a machine that was stopped loses none of it.
 */
const patience = { running: 10, starting: 120 }

/** Whether scripts may be evaluated in a run's worker. */
const isTrusted = (setup: RunSetup | undefined) => setup?.scene?.origin !== 'stranger'

/** One contact model's run: a worker that simulates it, and its messages so far. */
export class Lane {
  readonly contactModel: string
  /** In which it is drawn; no other run of the session has it, as long as there are enough. */
  readonly color: string
  /** Its parent, and when, if it began in the middle of another run. */
  readonly fork: Fork | undefined
  setup: RunSetup | undefined
  /** Of each law the worst check if it was broken, and behind them those of the last snapshot. */
  laws: readonly LawCheck[] = []
  history = new History(snapshotCapacity)
  /** Cause of the run's end; undefined before. */
  failure: { readonly message: string; readonly t: number } | undefined
  /** Whether the contact model takes feature contacts; undefined until the run has begun. */
  readsFeatures: boolean | undefined
  /** Paths of the files that its scene was made of. */
  read: ReadonlySet<string> = new Set()
  /** The feature contacts received of late, by step; undefined where there are none to be had. */
  private readonly features = new Map<number, FeatureMoment | undefined>()
  /** The step whose feature contacts were asked for last. */
  private wanted = -1
  private tapeWanted: ((files: readonly TapedFile[], problem?: string) => void) | undefined
  private recordsWanted: ((record: readonly Input<RunSetup>[]) => void)[] = []
  private worker = createWorker(isTrusted(undefined))
  private watchesFeatures = false
  /** Of the user's time, since its last message [s]. */
  private silence = 0
  private hasStarted = false
  private run = 0
  private asked = 0
  /** Requests for the checkpoint of a step. */
  private waiting: { readonly step: number; readonly resolve: (checkpoint: Checkpoint | undefined) => void }[] = []

  constructor(contactModel: string, color: string, fork?: Fork) {
    this.contactModel = contactModel
    this.color = color
    this.fork = fork
    this.listen()
  }

  private listen(): void {
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      this.silence = 0
      this.receive(data)
    }
    this.worker.onerror = (event) => {
      this.failure = { message: event.message || 'the simulation worker could not be started', t: this.history.last?.t ?? 0 }
    }
  }

  /** Lets time pass; a worker that does not answer any more, as in a script that never returns, is stopped. @param seconds of the user's time */
  watch(seconds: number): void {
    const isAwaited = !this.hasStarted || this.reached < this.asked
    if (this.failure || !isAwaited) {
      this.silence = 0
      return
    }
    this.silence += seconds
    const limit = this.hasStarted ? patience.running : patience.starting
    if (this.silence < limit) return
    this.renew()
    const t = this.history.last?.t ?? 0
    const what = this.hasStarted ? `did not end a step after ${t.toFixed(3)} s` : 'did not get ready'
    this.failure = { message: `${what} within ${limit} s: a controller that never returns? It was stopped.`, t }
  }

  /** Another worker in the place of this one. */
  private renew(): void {
    this.end()
    this.worker = createWorker(isTrusted(this.setup))
    this.listen()
    if (this.watchesFeatures) this.send({ type: 'watch-features', wanted: true })
  }

  start(setup: RunSetup): void {
    const before = isTrusted(this.setup)
    this.run++
    this.setup = setup
    if (isTrusted(setup) !== before) this.renew()
    this.hasStarted = false
    this.silence = 0
    this.laws = []
    this.abandon()
    this.asked = this.firstStep
    this.failure = undefined
    this.readsFeatures = undefined
    this.features.clear()
    this.wanted = -1
    this.history = new History(snapshotCapacity)
    this.send({ type: 'start', run: this.run, setup })
  }

  /** Does something to the run before the step that leads on from `step`; the later part is gone. */
  act(action: RunAction, step: number): void {
    const isOver = this.failure !== undefined && (this.reached < step || this.history.first === undefined)
    if (isOver || step < this.firstStep) return
    this.run++
    this.abandon()
    this.failure = undefined
    this.history.cut(step)
    for (const later of [...this.features.keys()].filter((at) => at > step)) this.features.delete(later)
    this.wanted = -1
    this.asked = step
    if (this.setup && action.type === 'change') this.setup = { ...this.setup, ...action.change }
    this.send({ type: 'act', run: this.run, step, action })
  }

  /** Asks for the run up to a step; earlier requests are not repeated. */
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
    this.watchesFeatures = wanted
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

  /** Time step [s]. */
  get dt(): number {
    return this.setup?.dt ?? 1e-3
  }

  /** The step that the run begins with: 0, or where a fork left another run. */
  get firstStep(): number {
    const { from, dt } = this.setup ?? {}
    return from === undefined || dt === undefined ? 0 : Math.round((from.stepCount * from.dt) / dt)
  }

  /** The last step that is there. */
  get reached(): number {
    return this.history.last?.step ?? this.firstStep
  }

  /** The last snapshot not after `step`; undefined before the run begins. */
  at(step: number): Snapshot | undefined {
    return step < this.firstStep ? undefined : this.history.at(step)
  }

  /** All that the next step depends on, as of a step of the record; undefined if there is none, or a new run begins meanwhile. */
  checkpoint(step: number): Promise<Checkpoint | undefined> {
    return new Promise((resolve) => {
      this.waiting.push({ step, resolve })
      this.send({ type: 'checkpoint', run: this.run, step })
    })
  }

  /** Changes of the run so far; more may come before the answer does. */
  record(): Promise<readonly Input<RunSetup>[]> {
    return new Promise((resolve) => {
      this.recordsWanted.push(resolve)
      this.send({ type: 'record' })
    })
  }

  /** The run from its start to a step, as the files of a recording. @throws Error for a run that there is not */
  tape(toStep: number, format: TapeFormat, info: RecordingInfo): Promise<readonly TapedFile[]> {
    return new Promise((resolve, reject) => {
      this.tapeWanted = (files, problem) => (problem === undefined ? resolve(files) : reject(new Error(problem)))
      this.send({ type: 'tape', run: this.run, toStep, format, info })
    })
  }

  dispose(): void {
    this.end()
  }

  private send(message: ToWorker): void {
    this.worker.postMessage(message)
  }

  private receive(message: FromWorker): void {
    if (message.type === 'error') {
      this.failure = { message: message.message, t: this.history.last?.t ?? 0 }
    } else if ((message.type === 'snapshots' || message.type === 'failed') && message.run === this.run) {
      this.hasStarted = true
      if (message.type === 'failed') this.failure = { message: message.message, t: message.t }
      else {
        for (const snapshot of message.snapshots) this.history.add(this.judged(snapshot))
        for (const features of message.features) this.keep(features)
        if (message.laws) this.laws = [...worstChecks(message.laws, this.laws), ...message.laws]
      }
    } else if (message.type === 'started' && message.run === this.run) {
      this.readsFeatures = message.readsFeatures
      this.read = message.read ?? new Set()
      this.hasStarted = true
    } else if (message.type === 'features' && message.run === this.run) {
      this.keep(message)
    } else if (message.type === 'tape' && message.run === this.run) {
      this.tapeWanted?.(message.files, message.problem)
    } else if (message.type === 'record') {
      this.recordsWanted.shift()?.(message.record)
    } else if (message.type === 'checkpoint' && message.run === this.run) {
      const { step, checkpoint } = message
      for (const one of this.waiting) if (one.step === step) one.resolve(checkpoint)
      this.waiting = this.waiting.filter((one) => one.step !== step)
    }
  }

  private judged(snapshot: Snapshot): Snapshot {
    return snapshot.laws ? { ...snapshot, worst: worstOf(snapshot.laws, judgedAt(this, snapshot.step)?.worst) } : snapshot
  }

  private end(): void {
    this.abandon()
    for (const resolve of this.recordsWanted.splice(0)) resolve([])
    this.worker.terminate()
  }

  private abandon(): void {
    for (const { resolve } of this.waiting) resolve(undefined)
    this.waiting = []
  }

  private keep({ step, moment }: FeaturesAt): void {
    this.features.set(step, moment)
    if (this.features.size > featureCapacity) this.features.delete(this.features.keys().next().value as number)
  }
}
