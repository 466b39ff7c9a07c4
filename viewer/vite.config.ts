import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { guestText } from './guestText.ts'

/** The built page may load nothing but its own files, and a user's dropped files as blobs. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'font-src data:', // the panel's arrows
  "connect-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const contentSecurityPolicy: Plugin = {
  name: 'content-security-policy',
  apply: 'build', // the development server's hot reload needs inline styles and a socket
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy }, injectTo: 'head-prepend' },
  ],
}

const NOTICES = 'THIRD-PARTY-NOTICES.md'
const text = (file: string) => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8')

/** urdf-loader names its licence in its README, and has no file of it; it is ours too. */
const licenceOfUrdfLoader: Plugin = {
  name: 'licence-of-urdf-loader',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const notices = bundle[NOTICES]
      if (notices?.type !== 'asset') throw new Error(`${NOTICES} was not made`)
      const [, notice] = text('../node_modules/urdf-loader/README.md').split(/^# LICENSE$/m)
      notices.source = `${notices.source}`.replace(
        /^## urdf-loader .*$/m,
        (head) => `${head}\n\n${notice.trim()}\n\n${text('../LICENSE')}`,
      )
    },
  },
}

const absent = fileURLToPath(new URL('./absent.ts', import.meta.url))

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [contentSecurityPolicy, licenceOfUrdfLoader, guestText],
  // xml2js's imports from Node: npm's package `events` (the slash excludes Node's own), and two modules that it does without.
  resolve: { alias: { events: 'events/', timers: absent, stream: absent } },
  worker: { format: 'es', plugins: () => [guestText] },
  server: { host: '127.0.0.1' },
  build: {
    outDir: '../dist/viewer',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 1500,
    license: { fileName: NOTICES },
  },
})
