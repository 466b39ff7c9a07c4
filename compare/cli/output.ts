/** Files that commands write: asked for before anything is computed, and what cannot be written says why. */
import { access, constants, lstat, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { exitCodes, OutputError, UsageError } from './errors.ts'
import { paintFor } from './terminal.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EACCES: 'it is not allowed',
  EPERM: 'it is not allowed',
  EROFS: 'the disk may only be read',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is in the way',
  ENOENT: 'its folder is not there',
}

/** The system's code, and what it means where that is known. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return message
  return reasons[code] === undefined ? code : `${code}: ${reasons[code]}`
}

/** mkdir with its parents; Node 20's own `recursive` never returns where a folder refuses children, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return
  if (found) throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' })
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path)
}

/** Makes the folder that results go to, before anything is computed. @throws UsageError */
export async function outputFolder(folder: string, flag = '--out'): Promise<string> {
  const path = resolve(folder)
  try {
    await makeFolder(path)
    await access(path, constants.W_OK)
  } catch (error) {
    throw new UsageError(
      `${flag} ${folder}: cannot be written to (${reasonOf(error)}); name a folder that may be made or written`,
    )
  }
  return path
}

/** The absolute path of a file that a flag names, whose folder has to be there. @throws UsageError */
export async function outputFile(flag: string, file: string): Promise<string> {
  const path = resolve(file)
  try {
    const folder = await stat(dirname(path))
    if (!folder.isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    const found = await stat(path).catch(() => undefined)
    if (found?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    await access(found ? path : dirname(path), constants.W_OK)
  } catch (error) {
    throw new UsageError(`${flag} ${file}: cannot be written (${reasonOf(error)}); name a file in a folder that is there`)
  }
  return path
}

/**
 * Writes a file whole or not at all: what a file of this name held before stays there if the disk takes no more.
 *
 * @throws OutputError
 */
export async function writeOutput(path: string, text: string): Promise<void> {
  const part = `${path}.part`
  try {
    const found = await lstat(path).catch(() => undefined)
    if (found && !found.isFile()) {
      await writeFile(path, text) // a link or a device is written through
      return
    }
    await writeFile(part, text)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    throw new OutputError(`${path}: cannot be written (${reasonOf(error)}); make room or choose another place, and run again`)
  }
}

/** Writes what was asked for, in this order; what cannot be written keeps nothing else from being written. @returns what went wrong */
export async function writeAll(writes: readonly (() => Promise<void>)[]): Promise<string[]> {
  const failures: string[] = []
  for (const write of writes) {
    try {
      await write()
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  return failures
}

/** Says what could not be written, behind the result, which is there all the same. */
export function reportUnwritten(failures: readonly string[]): void {
  for (const failure of failures) process.stderr.write(`${paintFor(process.stderr).bad('featherbed:')} ${failure}\n`)
  if (failures.length > 0) process.exitCode = exitCodes.failed
}
