/** One command at a time per output: a lock file that names the process at work. */
import { createHash } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { hasEnded, ownName, processName } from '../../control/ownFiles.ts'

/** Another command is at work where this one was to write. */
export class LockError extends Error {
  override name = 'LockError'
}

interface Holder {
  readonly process: string
  readonly pid: number
  readonly host: string
  readonly since: string
}

/**
 * Takes a lock, that of a process that has ended too.
 *
 * @param path the lock's file, in a folder that is there
 * @param what is locked, for messages
 * @returns the lock's release
 * @throws LockError while another process holds it. Whatever the file system says otherwise is thrown as it is
 */
export function lock(path: string, what: string): () => void {
  const own = join(dirname(path), `.${ownName('.part')}`)
  const holder: Holder = { process: processName, pid: process.pid, host: hostname(), since: new Date().toISOString() }
  writeFileSync(own, `${JSON.stringify({ ...holder, name: own })}\n`, { flag: 'wx' }) // its name makes its text unique
  const text = readFileSync(own, 'utf8')
  try {
    take(path, own, what)
  } finally {
    rmSync(own, { force: true })
  }
  return () => {
    if (textOf(path) === text) rmSync(path, { force: true })
  }
}

/** Linking is one act, which only one process can do, and the file is whole at once. */
function take(path: string, own: string, what: string): void {
  for (;;) {
    try {
      linkSync(own, path)
      return
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (withoutLinks.includes(code) && placed(path, own)) return
      if (code !== 'EEXIST' && !withoutLinks.includes(code)) throw error
    }
    const found = textOf(path)
    if (found === undefined) continue // just given back
    const { process: name, pid, host, since } = holderIn(found)
    if (name === undefined || !hasEnded(name))
      throw new LockError(
        `${what}: is being written to by ${name === undefined ? 'an unknown process' : `process ${pid} on ${host}, since ${since}`}; ` +
          `wait for its end or choose another place. If there is no such process, remove ${path}`,
      )
    // Of several processes that find it abandoned one may replace it: the one that holds a lock on just this text. One that gets it
    // lock later finds another text.
    const release = lock(`${path}.${createHash('sha256').update(found).digest('hex').slice(0, 8)}`, what)
    try {
      if (textOf(path) !== found) continue
      renameSync(own, path)
      return
    } finally {
      release()
    }
  }
}

/** Error codes of file systems without hard links. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** The same where there are no links: only the text comes a moment later. @returns whether there was none */
function placed(path: string, own: string): boolean {
  try {
    writeFileSync(path, readFileSync(own), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function holderIn(text: string): Partial<Holder> {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null
    return typeof holder?.process === 'string' ? holder : {}
  } catch {
    return {}
  }
}
