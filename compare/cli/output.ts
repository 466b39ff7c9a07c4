/** Files that commands write: checked before any computation; a failed write reports its reason. */
import { createHash } from 'node:crypto'
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { removeLeft } from '../../control/ownFiles.ts'
import { type OutputError, reasonOf, writeWhole } from '../recording/wholeFile.ts'
import { atEnd } from './atEnd.ts'
import { exitCodes, UsageError } from './errors.ts'
import { LockError, lock } from './folderLock.ts'
import { io } from './io.ts'
import { paintFor } from './terminal.ts'

/** mkdir with its parents; Node 20's own `recursive` never returns where a folder refuses children, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return
  if (found) throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' })
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error // another command made it meanwhile
  })
}

const locked = new Set<string>()

/** Until this command ends. Flags of one command may name one place. @throws LockError */
function keepOthersOut(path: string, what: string): void {
  if (locked.has(path)) return
  const release = lock(path, what)
  locked.add(path)
  atEnd(() => {
    locked.delete(path)
    release()
  })
}

/**
 * Makes the folder that results go to, before anything is computed, and keeps other commands out of it until this one ends.
 *
 * @throws UsageError, or LockError while another command writes into it
 */
export async function outputFolder(folder: string, flag = '--out'): Promise<string> {
  const path = resolve(folder)
  try {
    await makeFolder(path)
    await access(path, constants.W_OK)
    keepOthersOut(join(path, '.featherbed.lock'), `${flag} ${folder}`)
  } catch (error) {
    if (error instanceof LockError) throw error
    throw new UsageError(
      `${flag} ${folder}: cannot be written to (${reasonOf(error)}); name a folder that may be made or written`,
    )
  }
  removeLeft(path)
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
    if (found) await access(path, constants.W_OK)
    // a file is replaced by a new one in its folder; devices and pipes are written to
    if (found === undefined || found.isFile()) {
      await access(dirname(path), constants.W_OK)
      removeLeft(dirname(path))
    }
  } catch (error) {
    throw new UsageError(`${flag} ${file}: cannot be written (${reasonOf(error)}); name a file in a folder that is there`)
  }
  return path
}

/** The same for a file that grows while the command runs, which other commands are kept out of. @throws UsageError or LockError */
export async function growingFile(flag: string, file: string): Promise<string> {
  const path = await outputFile(flag, file)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.isFile()) {
    const name = createHash('sha256').update(basename(path)).digest('hex').slice(0, 8) // a name may be as long as names can be
    keepOthersOut(join(dirname(path), `.featherbed-${name}.lock`), `${flag} ${file}`)
  }
  return path
}

/** Writes a file whole or not at all, see `writeWhole`. @throws OutputError */
export async function writeOutput(path: string, text: string): Promise<void> {
  writeWhole(path, text)
}

/** Writes a file that a flag names, of a command that computes nothing that would be lost. @throws UsageError */
export function writeAs(
  file: string,
  text: string | Uint8Array,
  flag: string,
  remedy = 'name a file in a folder that is there',
): void {
  try {
    writeWhole(resolve(file), text)
  } catch (error) {
    const { code, message } = (error as OutputError).cause as NodeJS.ErrnoException
    throw new UsageError(`${flag} ${file}: cannot be written (${code ?? message}); ${remedy}`)
  }
}

/** Writes the requested files, in this order; one that cannot be written keeps no other from being written. @returns failures */
export async function writeAll(writes: readonly (false | (() => Promise<void>))[]): Promise<string[]> {
  const failures: string[] = []
  for (const write of writes) {
    try {
      if (write) await write()
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  return failures
}

/** Reports unwritten files after the result, which is there all the same. */
export function reportUnwritten(failures: readonly string[]): void {
  for (const failure of failures) io.stderr.write(`${paintFor(io.stderr).bad('featherbed:')} ${failure}\n`)
  if (failures.length > 0) io.exitCode = exitCodes.failed
}
