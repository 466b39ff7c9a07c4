/** One of several processes that write into one folder at a time, for wholeFile.test.ts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockError, lock } from '../../compare/cli/folderLock.ts'
import { writeWhole } from '../../compare/recording/wholeFile.ts'

const [mode, folder, count] = process.argv.slice(2)
const pause = new Int32Array(new SharedArrayBuffer(4))

// goes on until its reader has had enough
if (mode === 'write')
  for (let i = 0; i < Number(count) || !existsSync(join(folder, 'enough')); i++)
    writeWhole(join(folder, 'file.json'), JSON.stringify({ writer: process.pid, i, filler: String(process.pid).repeat(40_000) }))
else {
  // adds to a number as nobody may while another does, and dies with the lock in its hands
  const number = join(folder, 'number')
  for (let i = 0; i < Number(count); ) {
    let release: () => void
    try {
      release = lock(join(folder, 'lock'), 'a number')
    } catch (error) {
      if (!(error instanceof LockError)) throw error
      Atomics.wait(pause, 0, 0, 1)
      continue
    }
    const before = Number(readFileSync(number, 'utf8'))
    Atomics.wait(pause, 0, 0, 1)
    writeFileSync(number, String(before + 1))
    if (++i === Number(count)) process.kill(process.pid, 'SIGKILL')
    release()
  }
}
process.stdout.write('true')
