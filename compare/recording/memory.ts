/** Recordings that are kept in memory, where there is no disk, as in a page. */
export { CsvRecording } from './csv.ts'
export { DiskRecording } from './diskRecording.ts'
export { McapRecording } from './mcap.ts'
export { MemoryOutput } from './output.ts'
export type { FrameWriter, RecordedText, RecordingInfo } from './writer.ts'
