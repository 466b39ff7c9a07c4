import type { FeatureMoment } from '../contact/index.ts'
import { Lane } from './lane.ts'
import type { RunSetup, Snapshot } from './protocol.ts'

/** How far ahead of what is shown the workers compute, in seconds of the user's time. */
const lead = 0.2
const snapshotsPerSecond = 60

/**
 * One robot under one to three contact models, side by side in time. The clock of the page is in whole steps of `dt`; it
 * moves through what the workers have computed and waits for the slowest of them.
 */
export class Session {
  lanes: Lane[] = []
  playing = false
  /** Seconds of simulation a second of the user's. */
  speed = 1
  /** The step that is shown. Lanes that were not recorded there show the snapshot before. */
  step = 0
  private watchesFeatures = false
  private setup: Omit<RunSetup, 'contactModel'> | undefined
  /** What is left of a step when the clock has moved by whole ones. */
  private remainder = 0
  /** The step that `stepBy` waits for. */
  private pending: number | undefined

  get dt(): number {
    return this.setup?.dt ?? 1e-3
  }

  get time(): number {
    return this.step * this.dt
  }

  /** The steps between which the user may scrub. */
  get firstStep(): number {
    return Math.min(...this.lanes.map((lane) => lane.history.first?.step ?? 0))
  }
  get lastStep(): number {
    return Math.max(0, ...this.lanes.map((lane) => lane.reached))
  }

  /** Begins anew at time zero; workers of models that stay are kept, for their code is warm. */
  start(setup: Omit<RunSetup, 'contactModel'>, contactModels: readonly string[]): void {
    this.setup = setup
    for (const lane of this.lanes) if (!contactModels.includes(lane.contactModel)) lane.dispose()
    this.lanes = contactModels.map((name) => this.lanes.find((lane) => lane.contactModel === name) ?? this.createLane(name))
    for (const lane of this.lanes) lane.start({ ...setup, contactModel: lane.contactModel })
    this.step = 0
    this.remainder = 0
    this.pending = undefined
  }

  restart(): void {
    if (this.setup)
      this.start(
        this.setup,
        this.lanes.map((lane) => lane.contactModel),
      )
  }

  /** Moves the clock by `seconds` of the user's time if it runs. */
  tick(seconds: number): void {
    if (!this.playing || this.lanes.length === 0) return
    const wished = this.step + (seconds * this.speed) / this.dt + this.remainder
    const every = Math.max(1, Math.round(Math.min(1, this.speed) / snapshotsPerSecond / this.dt))
    const horizon = Math.ceil((wished + (lead * this.speed) / this.dt) / every) * every
    for (const lane of this.lanes) lane.advance(horizon, every)
    const running = this.lanes.filter((lane) => !lane.failure)
    const available = running.length > 0 ? Math.min(...running.map((lane) => lane.reached)) : this.lastStep
    const next = Math.max(this.step, Math.min(Math.floor(wished), available))
    this.remainder = next === Math.floor(wished) ? wished - next : 0 // time spent waiting is not caught up
    this.step = next
    if (running.length === 0 && this.step >= this.lastStep) this.playing = false
  }

  /** Stops the clock and moves it by one step of `dt`, either way. */
  stepBy(direction: 1 | -1): void {
    this.pause()
    const wanted = (this.pending ?? this.step) + direction
    if (wanted < this.firstStep) return
    this.pending = wanted
    for (const lane of this.lanes) {
      if (lane.history.has(wanted)) continue
      const from = lane.history.at(wanted)?.step
      const to = lane.history.after(wanted)?.step
      if (from !== undefined && to !== undefined) lane.refine(from, to)
      else lane.advance(wanted, 1)
    }
    this.settle()
  }

  /** Shows the step that `stepBy` asked for as soon as all lanes have it. */
  settle(): void {
    const { pending } = this
    if (pending === undefined) return
    const running = this.lanes.filter((lane) => !lane.failure)
    if (running.some((lane) => !lane.history.has(pending))) return
    this.pending = undefined
    if (running.length > 0 || pending <= this.lastStep) this.step = pending
  }

  play(): void {
    this.pending = undefined
    this.playing = true
  }

  /** Stops the clock at a step that is recorded. */
  pause(): void {
    if (!this.playing) return
    this.playing = false
    this.step = this.lanes[0]?.history.at(this.step)?.step ?? this.step
  }

  /** Shows a step of the record. */
  scrub(step: number): void {
    this.playing = false
    this.pending = undefined
    const lane = this.lanes.find((lane) => lane.reached === this.lastStep)
    this.step = lane?.history.at(step)?.step ?? 0
  }

  snapshot(lane: Lane): Snapshot | undefined {
    return lane.history.at(this.step)
  }

  /** Whether the workers tell feature contacts; it costs them and the page nothing while they are hidden. */
  watchFeatures(wanted: boolean): void {
    if (wanted === this.watchesFeatures) return
    this.watchesFeatures = wanted
    for (const lane of this.lanes) lane.watchFeatures(wanted)
  }

  /** The feature contacts of the snapshot that is shown, if they are watched and have come. */
  features(lane: Lane): FeatureMoment | undefined {
    const step = this.snapshot(lane)?.step
    return this.watchesFeatures && step !== undefined ? lane.featuresAt(step) : undefined
  }

  private createLane(contactModel: string): Lane {
    const lane = new Lane(contactModel)
    if (this.watchesFeatures) lane.watchFeatures(true)
    return lane
  }
}
