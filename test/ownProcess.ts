import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** A script bundled from our sources, to be run outside the test runner, which would add its own allocations and slowness. */
export interface OwnProcess {
  /** The bundled script, for who starts several. */
  readonly file: string
  /** Runs it to its end and parses the one JSON document that it prints. */
  run(flags: readonly string[], args: readonly string[]): unknown
  delete(): void
}

/** Files beside a source are found from the bundle as well. */
const ownAddresses: Plugin = {
  name: 'own addresses',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) }
    }),
}

interface Bundles {
  readonly folder: string
  delete(): void
}

async function bundle(entryPoints: Readonly<Record<string, string>>, ...plugins: readonly Plugin[]): Promise<Bundles> {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-test-'))
  await build({
    entryPoints,
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'silent',
    plugins: [...plugins, ownAddresses],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return { folder, delete: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Bundles by name, each of what its text imports as from this folder. */
export function bundles(texts: Readonly<Record<string, string>>): Promise<Bundles> {
  const entries: Plugin = {
    name: 'entries',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice('entry:'.length), namespace: 'entry' }))
      onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => {
        return { loader: 'ts', contents: texts[path], resolveDir: import.meta.dirname }
      })
    },
  }
  return bundle(Object.fromEntries(Object.keys(texts).map((name) => [name, `entry:${name}`])), entries)
}

export async function bundled(script: URL): Promise<OwnProcess> {
  const { folder, delete: remove } = await bundle({ run: fileURLToPath(script) })
  const file = join(folder, 'run.mjs')
  return {
    file,
    run: (flags, args) => JSON.parse(execFileSync(process.execPath, [...flags, file, ...args]).toString()),
    delete: remove,
  }
}

/** A nursery of 64 MB: nothing is collected while windows are measured, so that every byte counts. */
const windowFlags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'] as const

/**
 * The same, with an engine that compiles at counts of calls alone and waits for what it compiles, and so does the same whatever else the
 * machine does; and that compiles three times as soon, so that a short warm-up will do.
 */
export const steadyFlags = [...windowFlags, '--single-threaded', '--interrupt-budget=20000'] as const
