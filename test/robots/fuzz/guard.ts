import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** What a script under guard came to. */
export interface Verdict {
  /** How many inputs ended in each way that is allowed. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Everything else, each with its seed. */
  readonly failures: readonly string[]
  /** CPU time that the slowest took [s], and memory that the process had at most [MB]. */
  readonly seconds?: number
  readonly megabytes?: number
}

/**
 * An input that takes more CPU time than it may is reported by the script itself when it ends; this is for one that does not
 * end. Seconds in which this process was there to hear of the next input: those of a machine that was stopped do not count.
 */
const patience = 300
const heapMegabytes = 384

/**
 * Runs a script in a process of its own that may be stopped: it tries inputs one after the other, of which each may hang or
 * use up the memory. The script is run through `tryInputs`.
 */
export async function guarded(script: URL, args: readonly string[]): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-fuzz-'))
  try {
    const outfile = join(folder, 'run.mjs')
    await build({
      entryPoints: [fileURLToPath(script)],
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
      logLevel: 'silent',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    })
    return await watched(outfile, args)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function watched(outfile: string, args: readonly string[]): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, outfile, ...args])
    let line = ''
    let last = 'none'
    let verdict: Verdict | undefined
    let complaint = ''
    let hung = false
    let silent = 0
    const watch = setInterval(() => {
      hung ||= ++silent === patience
      if (hung) child.kill('SIGKILL')
    }, 1000)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      silent = 0
      const lines = (line + text).split('\n')
      line = lines.pop()!
      for (const whole of lines) {
        if (whole.startsWith('{')) verdict = JSON.parse(whole) as Verdict
        else last = whole
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, 2000)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearInterval(watch)
      if (hung) resolve({ outcomes: {}, failures: [`${last}: no end within ${patience} s`] })
      else if (verdict === undefined || code !== 0) {
        resolve({ outcomes: {}, failures: [`${last}: the process ended with ${signal ?? code}\n${complaint}`] })
      } else resolve(verdict)
    })
  })
}
