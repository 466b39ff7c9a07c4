import { readRegularFile } from '../../../robots/files.ts'
import { ScenarioError } from '../index.ts'
import { type Logged, logOf } from './log.ts'

/** `logOf` a file on disk. @throws ScenarioError */
export const readLog = (file: string): Logged[] => logOf(file, textOf(file))

function textOf(file: string): string {
  try {
    return new TextDecoder().decode(readRegularFile(file))
  } catch (error) {
    throw new ScenarioError([
      `${file}: cannot be read (${(error as Error).message.replace(/\.$/, '')}); name a log, with a case a line`,
    ])
  }
}
