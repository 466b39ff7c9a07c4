import { ControllerError } from '../../control/index.ts'
import { RobotError } from '../../robots/index.ts'
import { CheckpointError } from '../checkpointFile.ts'
import { StateFileError } from '../dynamicsAt.ts'
import { PairFileError } from '../pairFile.ts'
import { ProblemFileError } from '../problemFile.ts'
import { ScenarioError } from '../scenario.ts'
import { SetupError } from '../setup.ts'

/** 0: good. 1: the run or the check failed. 2: the command was used wrongly. */
export const exitCodes = { good: 0, failed: 1, usage: 2 } as const

/** Something about the command itself, its flags or the files that it names. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Something was computed and could not be kept. */
export class OutputError extends Error {
  override name = 'OutputError'
}

/** Findings that say that a command names the wrong file or pose. */
const wrongFiles: readonly string[] = ['file-missing', 'pose-unknown', 'srdf-urdf']

/** How an error ends a command: its lines, without a stack, and the exit code. */
export function describeError(error: unknown): { lines: string[]; code: number } {
  if (error instanceof RobotError) {
    const usage = error.diagnostics.some(({ code }) => wrongFiles.includes(code))
    return { lines: error.message.split('\n'), code: usage ? exitCodes.usage : exitCodes.failed }
  }
  if (error instanceof ScenarioError) return { lines: [...error.problems], code: exitCodes.usage }
  const message = error instanceof Error ? error.message : String(error)
  const usage = [UsageError, StateFileError, PairFileError, ProblemFileError, SetupError, CheckpointError].some(
    (kind) => error instanceof kind,
  )
  if (usage || error instanceof ControllerError || error instanceof OutputError)
    return { lines: message.split('\n'), code: usage ? exitCodes.usage : exitCodes.failed }
  return { lines: [`unexpected: ${message}`, 'Run again with --debug to see where.'], code: exitCodes.failed }
}
