import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const absent = fileURLToPath(new URL('../absent.ts', import.meta.url))

/** The script that every report holds, as one file: dist/report/page.js. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  // imports of xml2js, of which nothing stays
  resolve: { alias: { timers: absent, stream: absent } },
  build: {
    outDir: '../../dist/report',
    emptyOutDir: true,
    target: 'es2022',
    copyPublicDir: false,
    chunkSizeWarningLimit: 1500,
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    lib: {
      entry: fileURLToPath(new URL('./main.ts', import.meta.url)),
      formats: ['iife'],
      name: 'report',
      fileName: () => 'page.js',
    },
  },
})
