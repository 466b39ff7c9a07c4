import { readRegularFile } from '../../../robots/files.ts'
import { ScenarioError } from '../index.ts'
import { type Logged, readLogOf } from './log.ts'

/** `readLogOf` a file on disk. @throws ScenarioError */
export const readLog = async (file: string): Promise<readonly Logged[]> => readLogOf(file, bytesOf(file))

function bytesOf(file: string): Uint8Array {
  try {
    return readRegularFile(file)
  } catch (error) {
    throw new ScenarioError([
      `${file}: cannot be read (${(error as Error).message.replace(/\.$/, '')}); name a log, with a case a line`,
    ])
  }
}
