import { readdirSync, readFileSync } from 'node:fs'
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

/** Packages of which the workers consist: `license` looks at the page alone. */
const inWorkers = new Set<string>()
const packagesOfWorkers: Plugin = {
  name: 'packages-of-workers',
  generateBundle(_, bundle) {
    for (const output of Object.values(bundle))
      for (const id of output.type === 'chunk' ? output.moduleIds : []) {
        const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
        if (name !== undefined) inWorkers.add(name)
      }
  },
}

/** The notice of a package, as `license` writes it. */
function noticeOf(name: string): string {
  const folder = new URL(`../node_modules/${name}/`, import.meta.url)
  const { version, license } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as Record<string, string>
  const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  const terms =
    file === undefined ? 'Named by its package, which holds no text of it.' : readFileSync(new URL(file, folder), 'utf8')
  return `## ${name} - ${version} (${license})\n\n${terms.trim()}\n\n`
}

/** Those of workers are added. urdf-loader names its licence in its README, and has no file of it; it is ours too. */
const licences: Plugin = {
  name: 'licences',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const notices = bundle[NOTICES]
      if (notices?.type !== 'asset') throw new Error(`${NOTICES} was not made`)
      const [, notice] = text('../node_modules/urdf-loader/README.md').split(/^# LICENSE$/m)
      const ofPage = `${notices.source}`.replace(
        /^## urdf-loader .*$/m,
        (head) => `${head}\n\n${notice.trim()}\n\n${text('../LICENSE')}`,
      )
      const others = [...inWorkers].filter((name) => !ofPage.includes(`\n## ${name} - `)).sort()
      notices.source = `${ofPage.trimEnd()}\n\n${others.map(noticeOf).join('')}`
    },
  },
}

const absent = fileURLToPath(new URL('./absent.ts', import.meta.url))

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [contentSecurityPolicy, licences, guestText],
  // xml2js's imports from Node: npm's package `events` (the slash excludes Node's own), and two modules that it does without; of it the reader.
  resolve: {
    alias: {
      ...{ events: 'events/', timers: absent, stream: absent, xmlbuilder: absent },
      ...{ 'three/examples/jsm/loaders/STLLoader.js': absent, 'three/examples/jsm/loaders/ColladaLoader.js': absent },
    },
  },
  worker: { format: 'es', plugins: () => [guestText, packagesOfWorkers], rolldownOptions: { checks: { pluginTimings: false } } },
  server: { host: '127.0.0.1' },
  build: {
    outDir: '../dist/viewer',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 1500,
    license: { fileName: NOTICES },
    rolldownOptions: { checks: { pluginTimings: false } },
  },
})
