/** A recording that cannot be written. Data written before stay readable. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
  readonly path: string
  /** Of the operating system, such as ENOSPC or ENOENT; '' where it was not asked. */
  readonly code: string
  /** How much of the file is complete. */
  readonly bytes: number
  /** How many frames in it can be read. */
  readonly frames: number

  constructor(message: string, path: string, { code = '', bytes = 0, frames = 0, cause }: RecordingErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.path = path
    this.code = code
    this.bytes = bytes
    this.frames = frames
  }
}

export interface RecordingErrorDetails {
  readonly code?: string
  readonly bytes?: number
  readonly frames?: number
  readonly cause?: unknown
}

const noSpace = 'Free some space or record onto another disk; keeping only every n-th step makes a recording smaller.'
const noRight = 'Choose a folder that you may write to, or change its permissions.'

/** Meanings of the operating system's codes, and remedies. */
const known: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ['the disk is full', noSpace],
  EDQUOT: ['your disk quota is used up', noSpace],
  EFBIG: ['the file is larger than this file system allows', noSpace],
  EACCES: ['there is no permission to write there', noRight],
  EPERM: ['there is no permission to write there', noRight],
  EROFS: ['the file system is read-only', noRight],
  ENOENT: ['its folder does not exist', 'Create the folder first, or choose another path.'],
  ENOTDIR: ['a part of the path is a file and not a folder', 'Choose a path whose folders are folders.'],
  EISDIR: ['it is a folder', 'Give the name of a file in it.'],
  EEXIST: [
    'without an ending it means a folder, and a file of this name is there',
    'End the name in .mcap or .csv, or choose another.',
  ],
  EMFILE: ['too many files are open', 'Close some, or raise the limit (ulimit -n).'],
  EIO: ['the disk reports an error', 'Check the disk; record onto another one.'],
  ENXIO: ['nothing is there that could be written to', 'Choose the path of an ordinary file.'],
}

/** Operating system's error on opening `path`. */
export function cannotOpen(path: string, cause: unknown): RecordingError {
  const { code, what, remedy } = explained(cause)
  return new RecordingError(`${path}: cannot record there: ${what}. ${remedy}`, path, { code, cause })
}

/**
 * Its error on writing more.
 *
 * @param bytes  how much of the file is complete
 * @param frames how many frames these hold, the last of them at t [s]
 */
export function cannotWrite(path: string, bytes: number, frames: number, t: number, cause: unknown): RecordingError {
  const { code, what, remedy } = explained(cause)
  const kept =
    frames > 0
      ? `The first ${frames} frames (to t = ${Number(t.toPrecision(9))} s, ${bytes} bytes) are in the file and stay readable.`
      : `No frame was written.`
  return new RecordingError(`${path}: the recording ended: ${what}. ${kept} ${remedy}`, path, { code, bytes, frames, cause })
}

function explained(cause: unknown): { code: string; what: string; remedy: string } {
  const { code = '', message = String(cause) } = cause as NodeJS.ErrnoException
  const [what, remedy] = known[code] ?? [message, 'Choose another path.']
  return { code, what: code === '' || what === message ? what : `${what} (${code})`, remedy }
}
