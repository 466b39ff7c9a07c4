export { DiskRecording } from './diskRecording.ts'
export { type McapNames, mcapFormat, openRecording, type RecordingOptions, recordingKind } from './openRecording.ts'
export { RecordingError } from './recordingError.ts'
export { LogLevel, type RecordedEnd, type RecordedText, type RecordingInfo } from './writer.ts'
