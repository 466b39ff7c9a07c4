// Lets Node run our TypeScript as it stands: node --import ./scripts/typescript.mjs FILE.ts
// Types are stripped by esbuild, one file at a time, so import.meta.url stays that of the source.
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread, workerData } from 'node:worker_threads'

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
  const { transform } = await import('esbuild')
  const source = await readFile(fileURLToPath(url), 'utf8')
  const { code } = await transform(source, {
    loader: 'ts',
    format: 'esm',
    target: 'es2023',
    sourcefile: fileURLToPath(url),
    sourcemap: 'inline',
  })
  return { format: 'module', source: code, shortCircuit: true }
}

// Node runs the hooks in a thread of their own, which loads this file once more; a worker of ours has none yet.
if (isMainThread || workerData?.isBatch) register(import.meta.url)
