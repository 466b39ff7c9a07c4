import { type FrameSource, SolverEntry, type World } from '../../simulation/index.ts'
import { RecordingError } from './recordingError.ts'
import { type FrameWriter, LogLevel, type RecordedEnd } from './writer.ts'

/**
 * A recording on its way to the disk. Call `record` before the first step and after each, and `close` when the run is over,
 * however it ended: a failed world's failure is recorded too. @unchecked
 */
export class DiskRecording {
  readonly #world: World
  readonly #source: FrameSource
  readonly #writer: FrameWriter
  readonly #every: number
  #frames = 0
  #broken: RecordingError | undefined
  #closed = false

  constructor(source: FrameSource, writer: FrameWriter, every: number) {
    this.#world = source.world
    this.#source = source
    this.#writer = writer
    this.#every = every
  }

  /** Paths of written files. */
  get files(): readonly string[] {
    return this.#writer.files
  }

  /** Frames recorded, and bytes that are on the disk. */
  get frames(): number {
    return this.#frames
  }

  get bytes(): number {
    return this.#writer.bytes
  }

  /**
   * Records the world as it is, if this step is one to keep.
   *
   * @throws RecordingError if the disk does not take it; from then on at every call, so that no caller assumes that
   *   there is a recording
   */
  record(): void {
    if (this.#world.stepCount % this.#every !== 0) return
    this.#do(() => {
      const frame = this.#source.read()
      this.#frames++
      this.#writer.write(frame)
      const { solver, step } = frame
      const said =
        solver[SolverEntry.failures] > 0 ? LogLevel.error : solver[SolverEntry.fallbacks] > 0 ? LogLevel.warning : undefined
      if (said === undefined) return
      const what = `${solver[SolverEntry.failures]} solver failures and ${solver[SolverEntry.fallbacks]} fallbacks up to step ${step}`
      const first = this.#world.events.firstFailure
      this.#writer.log(said, first === '' ? what : `${what}; the first failure of the run: ${first}`, frame.t[0])
    })
  }

  /** Adds a remark to the log. @throws RecordingError */
  log(level: LogLevel, message: string): void {
    this.#do(() => this.#writer.log(level, message, this.#world.state.t[0]))
  }

  /** Brings everything to the disk now. @throws RecordingError */
  flush(): void {
    this.#do(() => this.#writer.flush())
  }

  /**
   * Ends the recording; calls after the first do nothing.
   *
   * @param failure cause of the run's end, if not the world itself
   * @throws RecordingError if the disk does not take the end; not if `record` has thrown one before
   */
  close(failure: Error | undefined = this.#world.failure): RecordedEnd {
    const world = this.#world
    const end: RecordedEnd = {
      status: failure === undefined ? 'ok' : 'failed',
      failure: failure?.message ?? '',
      frames: this.#frames,
      steps: world.stepCount,
      t: world.state.t[0],
      hash: world.hash(),
    }
    if (!this.#closed && this.#broken === undefined) {
      this.#closed = true
      this.#do(() => this.#writer.close(end))
    }
    return end
  }

  #do(action: () => void): void {
    if (this.#broken) throw this.#broken
    try {
      action()
    } catch (error) {
      if (error instanceof RecordingError) this.#broken = error
      throw error
    }
  }
}
