import { defaultPhysicalInputs, type FeatureMoment } from '../../contact/index.ts'
import { laneColor } from './colors.ts'
import { checkForkTime, type ForkChange, isMultiple, setupOfFork } from './fork.ts'
import { Lane } from './lane.ts'
import type { RunAction, RunSetup, Snapshot } from './protocol.ts'

/** How far ahead of the picture the workers compute, in seconds of the user's time; less while the user acts, for all that is done again. */
const lead = { usual: 0.2, acting: 0.05 }
const snapshotsPerSecond = 60
/** Of the user's time, over which it is measured how fast simulated time goes [s]. */
const pacePeriod = 1

/**
 * One robot under any number of contact models, side by side in time, and forks of these runs, which may have another step. The clock of the
 * page is in whole steps of `dt`; it moves through computed steps and waits for the slowest of them.
 */
export class Session {
  lanes: Lane[] = []
  playing = false
  /** Seconds of simulation a second of the user's. */
  speed = 1
  /** The step that is shown. Lanes that were not recorded there show the snapshot before. */
  step = 0
  /** Simulated time over the user's, of late and while it plays: below `speed` where the workers do not keep up. */
  pace: number | undefined
  /** Counts the times that the clock was set back to begin anew. */
  generation = 0
  /** Whether the user is at it, as with a pull. */
  acting = false
  private watchesFeatures = false
  private setup: Omit<RunSetup, 'contactModel'> | undefined
  /** Rest of a step when the clock has moved by whole ones. */
  private remainder = 0
  /** The step that `stepBy` waits for. */
  private pending: number | undefined
  /** Since when, and from which step on, the pace is measured [s]. */
  private paced = { seconds: 0, step: 0 }

  get dt(): number {
    return this.setup?.dt ?? 1e-3
  }

  /** Of the runs that are no forks. */
  get friction(): number {
    return this.setup?.physical.friction ?? defaultPhysicalInputs.friction
  }

  get time(): number {
    return this.step * this.dt
  }

  /** The steps between which the user may scrub. */
  get firstStep(): number {
    return Math.min(...this.lanes.map((lane) => this.clockStep(lane, lane.history.first?.step ?? lane.firstStep)))
  }
  get lastStep(): number {
    return Math.max(0, ...this.lanes.map((lane) => this.clockStep(lane, lane.reached)))
  }

  /** A step of the clock as one of the lane's, the last that has ended by then. */
  laneStep(lane: Lane, step = this.step): number {
    return Math.floor((step * this.dt) / lane.dt + 1e-6)
  }

  /** The other way round. */
  private clockStep(lane: Lane, step: number): number {
    return Math.floor((step * lane.dt) / this.dt + 1e-6)
  }

  /** Begins anew at time zero, without forks; workers of models that stay are kept, for their code is warm. */
  start(setup: Omit<RunSetup, 'contactModel'>, contactModels: readonly string[]): void {
    this.setup = setup
    const kept = this.lanes.filter(({ fork, contactModel }) => fork === undefined && contactModels.includes(contactModel))
    for (const lane of this.lanes) if (!kept.includes(lane)) lane.dispose()
    this.lanes = []
    for (const name of contactModels)
      this.lanes.push(kept.find(({ contactModel }) => contactModel === name) ?? this.createLane(name, [...this.lanes, ...kept]))
    for (const lane of this.lanes) lane.start({ ...setup, contactModel: lane.contactModel })
    this.rewind()
  }

  /** All lanes begin anew, forks where they left the others. */
  restart(): void {
    for (const lane of this.lanes)
      if (lane.setup) lane.start(lane.fork === undefined ? { ...lane.setup, from: undefined } : lane.setup)
    this.rewind()
  }

  /**
   * Begins a run from the state of another at the step that is shown.
   *
   * @throws RangeError where no step of the fork ends there, or that step is no longer on record
   */
  async fork(parent: Lane, change: ForkChange): Promise<Lane> {
    this.pause()
    const step = this.laneStep(parent)
    const t = step * parent.dt
    checkForkTime(t, change.dt, this.dt)
    const { setup } = parent
    const checkpoint = setup && step <= parent.reached ? await parent.checkpoint(step) : undefined
    if (setup === undefined || checkpoint === undefined || !this.lanes.includes(parent))
      throw new RangeError(
        `the run of ${parent.contactModel} has no record of t = ${t.toFixed(3)} s; fork at a time that it reached`,
      )
    const lane = this.createLane(change.contactModel, this.lanes, { ...change, parent: parent.contactModel, t })
    lane.start(setupOfFork(setup, checkpoint, change))
    this.lanes = [...this.lanes, lane]
    return lane
  }

  /** Does something to all runs at the step that is shown; steps computed beyond it are gone. */
  act(action: RunAction): void {
    if (this.setup?.recorded) return // what was recorded is over
    this.pending = undefined
    this.step = this.recorded(this.lanes[0], this.step) ?? this.step
    this.remainder = 0
    if (action.type === 'change' && this.setup) this.setup = { ...this.setup, ...action.change }
    for (const lane of this.lanes) if (!lane.setup?.recorded) lane.act(action, this.laneStep(lane))
  }

  /** Runs under these models and no others beside the forks; new ones go on from the first run at the step that is shown. */
  async setModels(contactModels: readonly string[]): Promise<void> {
    const first = this.lanes.find(({ fork }) => fork === undefined)
    const { setup } = this
    if (first === undefined || setup === undefined) return
    const step = this.laneStep(first)
    const from = first.reached >= step ? await first.checkpoint(step) : undefined
    const old = this.lanes
    const lanes: Lane[] = []
    for (const name of contactModels) {
      const kept = old.find(({ fork, contactModel }) => fork === undefined && contactModel === name)
      const lane = kept ?? this.createLane(name, [...old, ...lanes])
      if (!kept) lane.start({ ...setup, contactModel: name, from })
      lanes.push(lane)
    }
    for (const lane of old) {
      if (lane.fork || lane.setup?.recorded) lanes.push(lane)
      else if (!lanes.includes(lane)) lane.dispose()
    }
    this.lanes = lanes
  }

  /**
   * All runs but forks go on with another step, from the last time not after the one that is shown at which such a step ends. Their record
   * begins there.
   */
  async setStep(dt: number): Promise<void> {
    const { setup, playing } = this
    if (setup === undefined) return
    this.playing = false
    let step = this.step
    while (step > 0 && !isMultiple(step * this.dt, dt)) step--
    const lanes = this.lanes.filter(({ fork, setup }) => fork === undefined && !setup?.recorded)
    const states = await Promise.all(lanes.map((lane) => lane.checkpoint(this.laneStep(lane, step))))
    lanes.forEach((lane, i) => {
      if (lane.setup) lane.start({ ...lane.setup, dt, from: states[i] })
    })
    const t = step * this.dt
    this.setup = { ...setup, dt }
    this.rewind()
    this.step = Math.round(t / dt)
    this.paced.step = this.step
    this.playing = playing
  }

  /** Plays a recording beside the runs, as a lane of its own name and step. */
  addRecorded(contactModel: string, dt: number, recorded: RunSetup['recorded']): void {
    if (this.setup === undefined) return
    const lane = this.createLane(contactModel, this.lanes)
    lane.start({ ...this.setup, contactModel, dt, scene: undefined, recorded })
    this.lanes = [...this.lanes, lane]
  }

  /** Takes a fork away. */
  remove(lane: Lane): void {
    lane.dispose()
    this.lanes = this.lanes.filter((other) => other !== lane)
  }

  /** Moves the clock by `seconds` of the user's time if it runs. */
  tick(seconds: number): void {
    for (const lane of this.lanes) lane.watch(seconds)
    if (!this.playing || this.lanes.length === 0) return
    const wished = this.step + (seconds * this.speed) / this.dt + this.remainder
    const every = this.frameSteps
    const horizon = Math.ceil((wished + ((this.acting ? lead.acting : lead.usual) * this.speed) / this.dt) / every) * every
    for (const lane of this.lanes) {
      const ratio = this.dt / lane.dt
      lane.advance(Math.ceil(horizon * ratio - 1e-6), Math.max(1, Math.round(every * ratio)))
    }
    const running = this.lanes.filter((lane) => !lane.failure)
    const reached = running.map((lane) => this.clockStep(lane, lane.reached))
    const available = running.length > 0 ? Math.min(...reached) : this.lastStep
    const next = Math.max(this.step, Math.min(Math.floor(wished), available))
    this.remainder = next === Math.floor(wished) ? wished - next : 0 // time spent waiting is not caught up
    this.step = next
    if (running.length === 0 && this.step >= this.lastStep) this.playing = false
    this.measurePace(seconds)
  }

  /** Stops the clock and moves it by one step of `dt`, either way. */
  stepBy(direction: 1 | -1): void {
    this.pause()
    const wanted = (this.pending ?? this.step) + direction
    if (wanted < this.firstStep) return
    this.pending = wanted
    for (const lane of this.lanes) {
      const own = this.laneStep(lane, wanted)
      if (own < lane.firstStep || lane.history.has(own)) continue
      const from = lane.history.at(own)?.step
      const to = lane.history.after(own)?.step
      if (from !== undefined && to !== undefined) lane.refine(from, to)
      else lane.advance(own, 1)
    }
    this.settle()
  }

  /** Shows the step that `stepBy` asked for as soon as all lanes have it. */
  settle(): void {
    const { pending } = this
    if (pending === undefined) return
    const running = this.lanes.filter((lane) => !lane.failure)
    const isMissing = (lane: Lane) => {
      const own = this.laneStep(lane, pending)
      return own >= lane.firstStep && !lane.history.has(own)
    }
    if (running.some(isMissing)) return
    this.pending = undefined
    if (running.length > 0 || pending <= this.lastStep) this.step = pending
  }

  play(): void {
    this.pending = undefined
    this.playing = true
    this.paced = { seconds: 0, step: this.step }
  }

  /** Stops the clock at a step that is recorded. */
  pause(): void {
    if (!this.playing) return
    this.playing = false
    this.step = this.recorded(this.lanes[0], this.step) ?? this.step
  }

  /** Shows a step of the record. */
  scrub(step: number): void {
    this.playing = false
    this.pending = undefined
    this.step = this.recorded(this.lanes.find((lane) => this.clockStep(lane, lane.reached) >= step) ?? this.lanes[0], step) ?? 0
  }

  snapshot(lane: Lane): Snapshot | undefined {
    return lane.at(this.laneStep(lane))
  }

  /** Whether the workers send feature contacts; it costs them and the page nothing while they are hidden. */
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

  /** The last step of the clock not after `step` at which a lane has a snapshot. */
  private recorded(lane: Lane | undefined, step: number): number | undefined {
    const snapshot = lane?.at(this.laneStep(lane, step))
    return lane && snapshot && this.clockStep(lane, snapshot.step)
  }

  /** Steps of the clock from one snapshot to the next, a multiple of those of forks with a larger step as far as these are of ours. */
  private get frameSteps(): number {
    const wished = Math.min(1, this.speed) / snapshotsPerSecond / this.dt
    const coarse = this.lanes.reduce((all, lane) => leastCommonMultiple(all, Math.max(1, Math.round(lane.dt / this.dt))), 1)
    return Math.max(1, Math.round(wished / coarse)) * coarse
  }

  private measurePace(seconds: number): void {
    this.paced.seconds += seconds
    if (this.paced.seconds < pacePeriod) return
    this.pace = ((this.step - this.paced.step) * this.dt) / this.paced.seconds
    this.paced = { seconds: 0, step: this.step }
  }

  private rewind(): void {
    this.generation++
    this.step = 0
    this.remainder = 0
    this.pending = undefined
    this.pace = undefined
    this.paced = { seconds: 0, step: 0 }
  }

  private createLane(contactModel: string, others: readonly Lane[], fork?: Lane['fork']): Lane {
    const taken = others.map(({ color }) => color)
    const lane = new Lane(contactModel, laneColor(contactModel, taken), fork)
    if (this.watchesFeatures) lane.watchFeatures(true)
    return lane
  }
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b]
  while (y > 0) [x, y] = [y, x % y]
  return (a / x) * b
}
