/** Recordings in memory, in Node and in a page; files.ts writes them to disk. */
export { CsvRecording } from './csv.ts'
export { DiskRecording } from './diskRecording.ts'
export { McapRecording } from './mcap.ts'
export { MemoryOutput } from './output.ts'
export type { FrameWriter, RecordedText, RecordingInfo } from './writer.ts'
