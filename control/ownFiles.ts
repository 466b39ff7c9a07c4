/** Temporary files and folders of a process. They are named after it, so that those of a killed one are recognised and removed. */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
const named = /^\.?featherbed-([0-9a-f]{8}-\d+-\d+)-/

/** Start time of a process, in ticks of the system's clock; '0' where unknown; undefined for one that has ended. */
function beginOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
  }
  try {
    // proc(5): behind the command, which may contain any character, the state and, 19 fields on, the start
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return 'ZX'.includes(fields[0]) ? undefined : fields[19]
  } catch {
    return '0'
  }
}

/** Unique name of this process, among all before and after it, on this machine and others. */
export const processName = `${host}-${process.pid}-${beginOf(process.pid)}`

/** Whether a `processName` is of a process of this machine that has ended. */
export function hasEnded(name: string): boolean {
  const [machine, pid, begin] = name.split('-')
  if (machine !== host || name === processName) return false
  const now = beginOf(Number(pid))
  return now === undefined || now !== begin
}

/** A unique file name. */
export const ownName = (ending = '') => `featherbed-${processName}-${randomUUID()}${ending}`

/** Removes files of ended processes from a folder, and with `own` those of this one. Files that cannot be removed stay. */
export function removeLeft(folder: string, own = false): void {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return
  }
  for (const name of names) {
    const maker = named.exec(name)?.[1]
    if (maker === undefined || !(own && maker === processName ? true : hasEnded(maker))) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {}
  }
}

/** A new folder among the system's temporary ones, where those of ended processes are removed. The caller removes it. */
export async function temporaryFolder(): Promise<string> {
  removeLeft(tmpdir())
  return mkdtemp(join(tmpdir(), `featherbed-${processName}-`))
}

/** Removes the temporary folders that this process still has, those of its threads too. */
export const removeTemporaryFolders = () => removeLeft(tmpdir(), true)
