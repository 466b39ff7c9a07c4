import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { installed, notices } from './bundled.ts'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
const compare = join(dist, 'compare/')

/** `featherbed/compare`, and the modules that it starts by URL. */
const entries = ['index', 'run/worker', 'run/child']

/** Removes the modules of which the bundle was made, and chunks of earlier builds. */
const modulesOnce: Plugin = {
  name: 'modules-once',
  writeBundle(_, bundle) {
    for (const file of readdirSync(compare, { recursive: true, encoding: 'utf8' }))
      if (/\.js(\.map)?$/.test(file) && !(file.replaceAll('\\', '/') in bundle)) rmSync(join(compare, file))
  },
}

/**
 * dist/compare, from the modules of tsc, with the parts that it uses of packages that are not installed with this one. The folders that it
 * imports stay modules outside, so that a program has one copy of them.
 */
export default defineConfig({
  root: dist,
  publicDir: false,
  plugins: [modulesOnce, notices],
  ssr: { noExternal: true, external: installed },
  build: {
    ssr: true,
    outDir: compare,
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      external: (id) => id.startsWith(dist) && !id.startsWith(compare),
      input: Object.fromEntries(entries.map((entry) => [entry, join(compare, `${entry}.js`)])),
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      preserveEntrySignatures: 'strict',
    },
  },
})
