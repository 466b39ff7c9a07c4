import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { installed, notices } from './library/bundled.ts'

const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))

/** Packages of users' programs too, of which the command holds what it uses: it starts faster. */
const bundled = new Set(['acorn', 'events', 'xml2js', 'yaml'])

/** Modules that are started, or imported by their URL; see assets.ts. */
const entries = [
  'compare/cli/main',
  'compare/cli/command',
  'compare/run/pool',
  'compare/run/jobStore',
  'compare/run/worker',
  'compare/run/child',
  'cases/worker',
  'control/scriptMath',
  ...['dynamics', 'contact', 'robots', 'simulation', 'control'].map((folder) => `${folder}/index`),
]

/**
 * The command and its workers with all that they load as few files, which start three times as fast as the modules of the package:
 * dist/command. Parts that few commands need are chunks of their own.
 */
export default defineConfig({
  root: path(''),
  publicDir: false,
  plugins: [notices],
  // of xml2js its reader
  resolve: {
    alias: [
      { find: /^yaml$/, replacement: path('node_modules/yaml/browser/dist/index.js') }, // modules, where Node is given one CommonJS file after another
      { find: 'xmlbuilder', replacement: path('viewer/absent.ts') },
    ],
  },
  ssr: {
    noExternal: true,
    external: installed.filter((name) => !bundled.has(name)),
  },
  build: {
    ssr: true,
    outDir: path('dist/command'),
    emptyOutDir: true,
    target: 'node20',
    minify: true,
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      input: Object.fromEntries(entries.map((entry) => [entry, path(`${entry}.ts`)])),
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js', keepNames: true },
      preserveEntrySignatures: 'strict',
    },
  },
})
