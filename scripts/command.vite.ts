import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))

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
  // of xml2js its reader
  resolve: {
    alias: [
      { find: /^yaml$/, replacement: path('node_modules/yaml/browser/dist/index.js') }, // modules, where Node is given one CommonJS file after another
      { find: 'xmlbuilder', replacement: path('viewer/absent.ts') },
    ],
  },
  ssr: {
    noExternal: true,
    // what is built for a machine, what loads a file beside it, what users install if they want it, and what brings no licence text
    external: [
      'esbuild',
      '@foxglove/schemas',
      '@foxglove/wasm-zstd',
      'lz4js',
      '@foxglove/ws-protocol',
      'ws',
      'quickjs-emscripten-core',
      '@jitl/quickjs-wasmfile-release-sync',
      '@mujoco/mujoco',
      '@dimforge/rapier3d-compat',
      'cannon-es',
      'jolt-physics',
    ],
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
