/** A run as a recording, made where the run is: in its worker. */
import {
  CsvRecording,
  DiskRecording,
  type FrameWriter,
  McapRecording,
  MemoryOutput,
  type RecordingInfo,
} from '../../compare/recording/index.ts'
import { FrameSource, type LiveRun } from '../../simulation/index.ts'
import type { RunSetup } from '../runs/protocol.ts'

export type TapeFormat = 'mcap' | 'csv'

/** A file of a recording, in pieces. */
export interface TapedFile {
  readonly name: string
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
}

/**
 * Takes a run from its start to a step and writes every step of it down, as `featherbed run --record` does. Where settings were changed on the
 * way the world is another from there on, and the recording begins behind the last change.
 */
export function taped(run: LiveRun<RunSetup>, toStep: number, format: TapeFormat, info: RecordingInfo): TapedFile[] {
  const changed = run.record.findLast(({ step, action }) => action.type === 'change' && step < toStep)?.step
  while (changed !== undefined && run.stepCount <= changed) run.step()
  const { world } = run
  const source = new FrameSource(world)
  // pieces end where frames do, never by the clock
  const options = { every: 1, info, flushSeconds: Number.POSITIVE_INFINITY }
  const outputs: MemoryOutput[] = []
  const output = (name: string) => {
    const made = new MemoryOutput(name)
    outputs.push(made)
    return made
  }
  let facts = ''
  const write = (text: string) => {
    facts = text
  }
  const writer: FrameWriter =
    format === 'mcap'
      ? new McapRecording(output('run.mcap'), source, options)
      : new CsvRecording(
          { state: output('state.csv'), contacts: output('contacts.csv'), run: { path: 'recording.json', write } },
          source,
          options,
        )
  const recording = new DiskRecording(source, writer, 1)
  recording.record()
  let failure: Error | undefined
  try {
    while (run.stepCount < toStep) {
      run.step()
      recording.record()
    }
  } catch (error) {
    failure = error as Error // it is in the recording
  }
  recording.close(failure)
  const files = outputs.map(({ path, pieces }): TapedFile => ({ name: path, pieces }))
  return facts === '' ? files : [...files, { name: 'recording.json', pieces: [new TextEncoder().encode(facts)] }]
}
