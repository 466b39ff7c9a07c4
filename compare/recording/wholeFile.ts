/** Files that are there whole or not at all, whatever ends the process and whichever others use them. */
import { closeSync, fsyncSync, lstatSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownName } from '../../control/ownFiles.ts'

/** Something was computed and could not be kept; `cause` is the system's error. */
export class OutputError extends Error {
  override name = 'OutputError'
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EACCES: 'it is not allowed',
  EPERM: 'it is not allowed',
  EROFS: 'the disk may only be read',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is in the way',
  ENOENT: 'its folder does not exist',
}

/** The system's code, and its meaning where that is known. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return message
  return reasons[code] === undefined ? code : `${code}: ${reasons[code]}`
}

/**
 * Replaces a file: under a name of its own, synchronised, then renamed. A reader finds the old one or the new one, also one that comes
 * back after the power failed; the old one stays if the disk is full. Devices and pipes are written to as they are, a link stays
 * one.
 *
 * @param isKept whether it must outlast a power failure; a file that its reader checks need not, and is not waited for
 * @throws OutputError
 */
export function writeWhole(path: string, data: string | Uint8Array, isKept = true): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  let part: string | undefined
  try {
    const link = lstatSync(path, { throwIfNoEntry: false })
    const found = link?.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : link
    if (link && !(found?.isFile() === true)) {
      put(path, bytes, 'w', isKept)
      return
    }
    const target = link?.isSymbolicLink() ? realpathSync(path) : path
    part = join(dirname(target), `.${ownName('.part')}`)
    put(part, bytes, 'wx', isKept)
    renameSync(part, target)
    if (isKept) synchronizeFolder(dirname(target))
  } catch (error) {
    if (part !== undefined) rmSync(part, { force: true })
    const remedy = 'make room or choose another place, and run again'
    throw new OutputError(`${path}: cannot be written (${reasonOf(error)}); ${remedy}`, { cause: error })
  }
}

function put(path: string, bytes: Uint8Array, flags: string, isKept: boolean): void {
  const descriptor = openSync(path, flags)
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
    if (isKept) synchronize(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Brings a file to the disk. Devices and pipes have nothing to synchronise. */
export function synchronize(descriptor: number): void {
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** The rename too is on the disk then; some systems open no folders, and the file is whole all the same. */
function synchronizeFolder(folder: string): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
  } catch {
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
