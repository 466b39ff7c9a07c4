import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A script bundled from our sources, to be run outside the test runner, which would add its own allocations and slowness. */
export interface OwnProcess {
  /** The bundled script, for who starts several. */
  readonly file: string
  /** Runs it to its end and parses the one JSON document that it prints. */
  run(flags: readonly string[], args: readonly string[]): unknown
  delete(): void
}

export async function bundled(script: URL): Promise<OwnProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-test-'))
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
  return {
    file: outfile,
    run: (flags, args) => JSON.parse(execFileSync(process.execPath, [...flags, outfile, ...args]).toString()),
    delete: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What `measureAllocation` in allocation.ts found. */
export interface Allocation {
  readonly scavenges: number
  /** Bytes that the heap holds more after the work: as it left it, and after a forced collection. */
  readonly growth: number
  readonly growthAfterCollection: number
}

/** What `measureWindows` in allocation.ts found, in bytes. */
export interface WindowedAllocation {
  readonly quietest: number
  readonly middle: number
  readonly loudest: number
  readonly growthAfterCollection: number
}

/** A nursery of 64 MB: nothing is collected while windows are measured, so that every byte counts. */
export const windowFlags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'] as const

/**
 * The same, with an engine that compiles at counts of calls alone and waits for what it compiles, and so does the same whatever else the
 * machine does; and that compiles three times as soon, so that a short warm-up will do.
 */
export const steadyFlags = [...windowFlags, '--single-threaded', '--interrupt-budget=20000'] as const

/** With a nursery of 1 MB, garbage of 10 bytes a step would fill it within 100,000 steps and show up as a scavenge. */
export const allocationFlags = ['--expose-gc', '--max-semi-space-size=1'] as const
