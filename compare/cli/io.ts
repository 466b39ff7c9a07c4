/** The words, streams and exit code of the command under way: those of the process, or of a program that calls `runCommand`. */
import type { IdleThreads } from '../run/pool.ts'
import { printable } from './terminal.ts'

/** A stream for text. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface CommandIo {
  /** Arguments behind the name of the program. */
  readonly args: readonly string[]
  readonly stdout: Output
  readonly stderr: Output
  /** Set by commands that end well in themselves and have a failure to report. */
  exitCode: number
  /** Worker threads that commands share; their owner ends them. Default: each command has its own, and ends them. */
  readonly idle?: IdleThreads
}

export type CommandStreams = Pick<CommandIo, 'stdout' | 'stderr' | 'idle'>

/** A stream of text whose control codes are escaped. */
const shown = (stream: Output): Output => ({
  write: (text) => stream.write(printable(text)),
  isTTY: stream.isTTY,
  columns: stream.columns,
})

const ioOf = (args: readonly string[], { stdout, stderr, idle }: CommandStreams): CommandIo => ({
  args,
  stdout: shown(stdout),
  stderr: shown(stderr),
  exitCode: 0,
  idle,
})

/** Of the command under way; a process runs one at a time. */
export let io: CommandIo = ioOf([], process)

/** Begins a command. */
export function beginCommand(args: readonly string[], streams: CommandStreams): void {
  io = ioOf(args, streams)
}
