/** Observers of a run beside its meter: work, checkpoints, the recording. */
import type { Checkpoint, World } from '../../simulation/index.ts'
import type { DiskRecording } from '../recording/files.ts'
import { RecordingError } from '../recording/recordingError.ts'
import type { Work } from './cost.ts'

/** Watches the world of a run. */
export interface Observer {
  /** Before each step, and after it. */
  before?(): void
  after?(): void
  /** Where the run is stopped from outside, between two steps. */
  stop?(): void
}

/** Counts the work of steps. */
export class WorkCounter implements Observer {
  private readonly world: World
  private readonly first: number
  private readonly iterations: number
  private contacts = 0

  constructor(world: World) {
    this.world = world
    this.first = world.stepCount
    this.iterations = world.events.iterations
  }

  after(): void {
    this.contacts += this.world.contacts.count
  }

  /** A step. */
  work(): Work {
    const { world, first, iterations, contacts } = this
    const steps = world.stepCount - first
    return { iterations: (world.events.iterations - iterations) / steps, contacts: contacts / steps }
  }
}

/** Takes the checkpoint that is asked for, or that of where the run is stopped, so that another goes on from there. */
export class Saver implements Observer {
  checkpoint: Checkpoint | null
  private readonly world: World
  private readonly wanted: number

  /** @param wanted its step; -1 for none */
  constructor(world: World, wanted: number) {
    this.world = world
    this.wanted = wanted
    this.checkpoint = world.stepCount === wanted ? world.checkpoint() : null
  }

  after(): void {
    if (this.world.stepCount === this.wanted) this.checkpoint = this.world.checkpoint()
  }

  stop(): void {
    if (this.wanted >= 0 && Number.isInteger(this.world.stepCount)) this.checkpoint ??= this.world.checkpoint()
  }
}

/** A recording that ends quietly when the disk takes no more: the run goes on; its outcome reports it. */
export class Tape implements Observer {
  readonly files: readonly string[]
  failure = ''
  private readonly recording: DiskRecording

  constructor(recording: DiskRecording) {
    this.recording = recording
    this.files = recording.files
    this.after()
  }

  after(): void {
    if (this.failure === '') this.attempt(() => this.recording.record())
  }

  /** @param stopped the reason that ended the run, if it was not the world itself */
  close(stopped: Error | undefined): void {
    this.attempt(() => this.recording.close(stopped))
  }

  private attempt(action: () => void): void {
    try {
      action()
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error
      if (this.failure === '') this.failure = oneLine(error)
    }
  }
}

export function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, '; ')
}
