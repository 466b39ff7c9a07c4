import type { RobotError } from '../../robots/index.ts'
import type { ScenarioError } from '../scenario/index.ts'

/** 0: good. 1: the run or the check failed. 2: the command was used wrongly. */
export const exitCodes = { good: 0, failed: 1, usage: 2 } as const

/** Something about the command itself, its flags or the files that it names. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Findings that say that a command names the wrong file or pose. */
const wrongFiles: readonly string[] = ['file-missing', 'file-kind', 'file-size', 'file-outside', 'pose-unknown', 'srdf-urdf']

/** Errors that report a mistake in the command or a file that it names; known by name, so that `--help` loads no module that throws them. */
const usageErrors: readonly string[] = [
  'UsageError',
  'ScenarioError',
  'StateFileError',
  'PairFileError',
  'ProblemFileError',
  'SetupError',
  'CheckpointError',
  'LockError',
  'SweepFolderError',
  'ParquetMissing',
  'QueueError',
]

/** How an error ends a command: its lines, without a stack, and the exit code. */
export function describeError(error: unknown): { lines: string[]; code: number } {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) }
  const lines = name === 'ScenarioError' ? [...(error as ScenarioError).problems] : message.split('\n')
  if (name === 'RobotError') {
    const usage = (error as RobotError).diagnostics.some(({ code }) => wrongFiles.includes(code))
    return { lines, code: usage ? exitCodes.usage : exitCodes.failed }
  }
  if (usageErrors.includes(name)) return { lines, code: exitCodes.usage }
  if (name === 'ControllerError' || name === 'OutputError') return { lines, code: exitCodes.failed }
  return { lines: [`unexpected: ${message}`, 'Run again with --debug to see where.'], code: exitCodes.failed }
}
