/** Recordings in memory, and runs as links, in Node and in a page; files.ts writes recordings to disk. */
export { CsvRecording } from './csv.ts'
export { DiskRecording } from './diskRecording.ts'
export { McapRecording } from './mcap.ts'
export { MemoryOutput } from './output.ts'
export { packRun, type SharedFiles, type SharedRun, unpackRun, withRun } from './sharedRun.ts'
export type { FrameWriter, RecordedText, RecordingInfo } from './writer.ts'
