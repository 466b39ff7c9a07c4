/** Files that commands read: checked before they are opened, so that a device, a pipe or a disk's worth of zeros is never read. */
import { readFileSync, statSync } from 'node:fs'
import { UsageError } from './errors.ts'

const MB = 1e6
/** More than the largest robots' problems and reports need, less than a machine's memory. */
const MOST = 256 * MB

export interface InputOptions {
  /** Remedy, for messages: `give the path of a JSON file`. */
  readonly remedy: string
  /** The flag that names it; default: an argument does. */
  readonly flag?: string
  /** Bytes that it may have. */
  readonly most?: number
}

/** @throws UsageError for a file that is missing, unreadable, not ordinary or too large */
export function readBytes(file: string, { remedy, flag, most = MOST }: InputOptions): Buffer {
  const refuse = (why: string) =>
    new UsageError(`${flag === undefined ? '' : `${flag} `}${file}: cannot be read (${why}); ${remedy}`)
  try {
    const found = statSync(file)
    if (!found.isFile()) throw refuse(found.isDirectory() ? 'it is a folder' : 'it is a device or a pipe')
    if (found.size > most) throw refuse(`it has ${Math.ceil(found.size / MB)} MB, and at most ${most / MB} MB are read`)
    return readFileSync(file)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw refuse(code ?? message)
  }
}

/** The same as text. */
export const readInput = (file: string, options: InputOptions): string => readBytes(file, options).toString('utf8')
