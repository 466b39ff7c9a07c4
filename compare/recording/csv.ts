import {
  contactRows,
  contactsHeader,
  type FrameSource,
  type RecordingFrame,
  stateHeader,
  stateRow,
} from '../../simulation/index.ts'
import type { RangesMeter } from '../measure/rangesMeter.ts'
import type { FlushLimits } from './mcapFile.ts'
import type { Output } from './output.ts'
import { rangesHeader, rangesRows } from './ranges.ts'
import { describeRun, type FrameWriter, type LogLevel, type RecordedEnd, type RecordingInfo } from './writer.ts'

export interface CsvOptions extends FlushLimits {
  /** Steps between frames, as it is noted down. */
  readonly every: number
  readonly info?: RecordingInfo
  readonly ranges?: RangesMeter
}

/** Where the tables of a recording go. */
export interface CsvOutputs {
  readonly state: Output
  readonly contacts: Output
  readonly ranges?: Output
  /** Description of the run, and its end, written anew each time. */
  readonly run: { readonly path: string; write(text: string): void }
}

/** Remarks that are kept; the table of states counts the solver's work at every frame. */
const MOST_REMARKS = 100

/** A buffer of rows is written at the latest when it holds this much. */
const BUFFER_BYTES = 256 * 1024

/** Writes frames as two tables, see recordingTable.ts for their columns, and a file of facts. */
export class CsvRecording implements FrameWriter {
  readonly files: readonly string[]
  readonly #source: FrameSource
  readonly #facts: object
  readonly #run: CsvOutputs['run']
  readonly #state: Table
  readonly #contacts: Table
  readonly #ranges: Table | undefined
  readonly #meter: RangesMeter | undefined
  readonly #limits: Required<FlushLimits>
  readonly #log: { t_s: number; level: LogLevel; message: string }[] = []
  #logged = 0
  #frames = 0
  #flushedAt = performance.now()

  /** @throws RecordingError if one cannot be written */
  constructor(outputs: CsvOutputs, source: FrameSource, options: CsvOptions) {
    const { every, info = {}, flushFrames = 100, flushSeconds = 0.5, ranges: meter } = options
    const { state, contacts, ranges, run } = outputs
    this.files = [state.path, contacts.path, ...(ranges ? [ranges.path] : []), run.path]
    this.#meter = meter
    this.#ranges = ranges && new Table(ranges)
    this.#source = source
    this.#limits = { flushFrames, flushSeconds }
    this.#run = run
    const texts = [...(info.scenario ? [info.scenario] : []), ...(info.files ?? [])]
    const attachments = texts.length > 0 ? { files: Object.fromEntries(texts.map(({ name, text }) => [name, text])) } : {}
    this.#facts = { ...describeRun(source.world, every, info), ...attachments }
    this.#state = new Table(state)
    this.#contacts = new Table(contacts)
    this.#guard(() => {
      this.#state.head(stateHeader(source))
      this.#contacts.head(contactsHeader)
      this.#ranges?.head(rangesHeader)
      this.#writeFacts({ status: 'unfinished' })
    })
  }

  get bytes(): number {
    return this.#state.size + this.#contacts.size
  }

  write(frame: RecordingFrame): void {
    const t = frame.t[0]
    this.#frames++
    this.#guard(() => {
      this.#contacts.add(contactRows(this.#source, frame), this.#frames, t)
      if (this.#meter?.at === frame.step) this.#ranges?.add(rangesRows(this.#meter), this.#frames, t)
      this.#state.add(stateRow(frame), this.#frames, t)
    })
    const { flushFrames, flushSeconds } = this.#limits
    if (this.#frames % flushFrames === 0 || performance.now() - this.#flushedAt >= 1e3 * flushSeconds) this.flush()
  }

  log(level: LogLevel, message: string, t: number): void {
    if (this.#logged++ < MOST_REMARKS) this.#log.push({ t_s: t, level, message })
  }

  flush(): void {
    this.#flushedAt = performance.now()
    this.#guard(() => {
      this.#contacts.flush()
      this.#ranges?.flush()
      this.#state.flush()
    })
  }

  close({ t, ...end }: RecordedEnd): void {
    this.#guard(() => {
      this.#contacts.flush()
      this.#ranges?.flush()
      this.#state.flush()
      const log = this.#logged > 0 ? { log: this.#log, remarks: this.#logged } : {}
      this.#writeFacts({ ...end, t_s: t, ...log })
      this.#contacts.close()
      this.#ranges?.close()
      this.#state.close()
    })
  }

  /** When something cannot be written, there may still be room to say so; then the files are closed. */
  #guard(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#contacts.abandon()
      this.#ranges?.abandon()
      this.#state.abandon()
      try {
        this.#writeFacts({ status: 'failed', failure: (error as Error).message })
      } catch {}
      throw error
    }
  }

  #writeFacts(end: object): void {
    this.#run.write(`${JSON.stringify({ ...this.#facts, end }, null, 2)}\n`)
  }
}

const encoder = new TextEncoder()

/** Rows on their way to a file. */
class Table {
  readonly #file: Output
  readonly #buffer = new Uint8Array(BUFFER_BYTES)
  #used = 0
  #frames = 0
  #t = 0

  constructor(output: Output) {
    this.#file = output
  }

  head(header: string): void {
    this.#file.append(encoder.encode(header))
  }

  get size(): number {
    return this.#file.size
  }

  /** Adds the rows of one frame. */
  add(rows: string, frames: number, t: number): void {
    // UTF-8 takes up to 3 bytes for one unit of a string
    if (this.#used + 3 * rows.length > BUFFER_BYTES) this.flush()
    this.#frames = frames
    this.#t = t
    if (3 * rows.length > BUFFER_BYTES) this.#file.append(encoder.encode(rows), frames, t)
    else this.#used += encoder.encodeInto(rows, this.#buffer.subarray(this.#used)).written
  }

  flush(): void {
    if (this.#used === 0) return
    const used = this.#used
    this.#used = 0
    this.#file.append(this.#buffer.subarray(0, used), this.#frames, this.#t)
  }

  close(): void {
    this.#file.close()
  }

  abandon(): void {
    this.#file.abandon()
  }
}
