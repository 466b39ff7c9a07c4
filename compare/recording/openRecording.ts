import { mkdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { checkEvery, FrameSource, type World } from '../../simulation/index.ts'
import type { RangesMeter } from '../measure/rangesMeter.ts'
import { type Compression, compressionOf } from './compression.ts'
import { type CsvOutputs, CsvRecording } from './csv.ts'
import { DiskRecording } from './diskRecording.ts'
import { McapRecording } from './mcap.ts'
import type { FlushLimits } from './mcapFile.ts'
import { isFolder, OutputFile } from './outputFile.ts'
import { cannotOpen, RecordingError } from './recordingError.ts'
import type { Ros2Recording } from './ros2.ts'
import { type OutputError, writeWhole } from './wholeFile.ts'
import type { FrameWriter, RecordingInfo } from './writer.ts'

export interface RecordingOptions extends FlushLimits {
  /** Of MCAP, by `mcapFormat`: compression of chunks, and the writer of a bag of ROS 2 in place of our own topics. */
  readonly compression?: Compression
  readonly writer?: typeof Ros2Recording
  /** Records the steps whose count is a multiple of this. Default 1. */
  readonly every?: number
  /** Of MCAP: see `McapOptions.pictureRate`. */
  readonly pictureRate?: number
  readonly info?: RecordingInfo
  /** Also records its ranges of torques and forces: not in bags of ROS 2. */
  readonly ranges?: RangesMeter
}

/**
 * Opens a recording of a world: `.mcap` for Foxglove and for programs, `.csv` for two tables side by side, a folder (a path without
 * an ending, with a slash at its end, or of a folder that is there) for the same tables in it. Files that are there are replaced. @unchecked
 *
 * @throws RecordingError if nothing can be written there, or the ending is none of these
 * @throws RangeError unless `every` is a whole number of at least 1
 */
export function openRecording(path: string, world: World, options: RecordingOptions = {}): DiskRecording {
  const { every = 1, ...rest } = options
  checkEvery(every)
  const source = new FrameSource(world)
  return new DiskRecording(source, writerFor(path, source, { every, ...rest }), every)
}

function writerFor(path: string, source: FrameSource, options: RecordingOptions & { readonly every: number }): FrameWriter {
  switch (recordingKind(path)) {
    case 'folder':
      return new CsvRecording(openTables(csvPathsIn(path), options.ranges !== undefined), source, options)
    case 'mcap':
      return new (options.writer ?? McapRecording)(new OutputFile(path), source, options)
    case 'csv':
      return new CsvRecording(openTables(csvPathsBeside(path), options.ranges !== undefined), source, options)
  }
}

export interface McapNames {
  readonly profile?: string
  readonly compression?: string
}

/** Options of `openRecording` by their names. @unchecked @throws RangeError for other names */
export async function mcapFormat({
  profile,
  compression = 'none',
}: McapNames): Promise<Pick<RecordingOptions, 'compression' | 'writer'>> {
  if (profile !== undefined && profile !== 'ros2') throw new RangeError(`there is no profile "${profile}"; it is ros2, or none`)
  const writer = profile === undefined ? undefined : (await import('./ros2.ts')).Ros2Recording
  return { compression: await compressionOf(compression), writer }
}

/** Kind of a recording by its path. @unchecked @throws RecordingError if there is no such kind */
export function recordingKind(path: string): 'folder' | 'mcap' | 'csv' {
  const ending = extname(path).toLowerCase()
  if (path.endsWith('/') || ending === '' || isFolder(path)) return 'folder'
  if (ending === '.mcap') return 'mcap'
  if (ending === '.csv') return 'csv'
  throw new RecordingError(
    `${path}: there is no kind of recording that ends in "${ending}". Use .mcap (Foxglove), .csv, or the path of a folder for tables.`,
    path,
  )
}

/** The files of a recording as tables. */
interface CsvPaths {
  readonly state: string
  readonly contacts: string
  readonly ranges: string
  /** Description of the run, and its end. */
  readonly run: string
}

/** Beside each other in a folder, which is made if it is not there. @throws RecordingError if it cannot be made */
function csvPathsIn(folder: string): CsvPaths {
  try {
    if (!isFolder(folder)) mkdirSync(folder)
  } catch (error) {
    throw cannotOpen(folder, error)
  }
  const [state, contacts, ranges] = ['state', 'contacts', 'ranges'].map((name) => join(folder, `${name}.csv`))
  return { state, contacts, ranges, run: join(folder, 'recording.json') }
}

/** `walk.csv`, and `walk.contacts.csv` and `walk.json` beside it. */
function csvPathsBeside(path: string): CsvPaths {
  const stem = path.slice(0, -'.csv'.length)
  return { state: path, contacts: `${stem}.contacts.csv`, ranges: `${stem}.ranges.csv`, run: `${stem}.json` }
}

/** @throws RecordingError if one cannot be opened */
function openTables({ state, contacts, ranges, run }: CsvPaths, hasRanges: boolean): CsvOutputs {
  const first = new OutputFile(state)
  try {
    const write = (text: string) => {
      try {
        writeWhole(run, text)
      } catch (error) {
        throw cannotOpen(run, (error as OutputError).cause)
      }
    }
    const more = hasRanges ? { ranges: new OutputFile(ranges) } : {}
    return { state: first, contacts: new OutputFile(contacts), ...more, run: { path: run, write } }
  } catch (error) {
    first.abandon()
    throw error
  }
}
