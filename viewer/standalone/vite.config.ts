import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig, mergeConfig, type Plugin } from 'vite'
import page from '../vite.config.ts'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Rights of the one file: to run its own code, in workers too, and to load nothing else. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; worker-src blob: data:; style-src 'unsafe-inline'; " +
  "img-src data: blob:; font-src data:; connect-src data: blob:; base-uri 'none'; form-action 'none'"

/** Puts script and styles into the page, and leaves one file, dist/viewer/single.bin: the page by gzip, a third of its bytes. Its run comes in at SLOT. */
const oneFile: Plugin = {
  name: 'one-file',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const outputs = Object.values(bundle)
      const scripts = outputs.flatMap((output) => (output.type === 'chunk' ? [output.code] : []))
      const sheets = outputs.flatMap((output) =>
        output.type === 'asset' && output.fileName.endsWith('.css') ? [String(output.source)] : [],
      )
      const html = outputs.find((output) => output.fileName.endsWith('.html'))
      if (html?.type !== 'asset' || scripts.length !== 1)
        throw new Error(`expected one page and one script, found ${scripts.length}`)
      const notices = outputs.find((output) => output.fileName.endsWith('.md'))
      const licences = notices?.type === 'asset' ? String(notices.source) : ''
      const [script] = scripts.map((code) => code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--'))
      const text = String(html.source)
        .replaceAll(/<script type="module"[^>]*><\/script>\s*|<link rel="(?:stylesheet|modulepreload)"[^>]*>\s*/g, '')
        .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '')
        .replace('<head>', () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`)
        .replace('</head>', () => `<style>${sheets.join('\n')}</style>\n</head>`)
        .replace(
          '</body>',
          () =>
            `<script type="text/plain" id="licences">${licences}</script>\n<script type="text/plain" id="run"></script>\n<script type="module">${script}</script>\n</body>`,
        )
      for (const name of Object.keys(bundle)) delete bundle[name]
      // by this name no server takes it for a page, nor for one that it has compressed
      this.emitFile({ type: 'asset', fileName: 'single.bin', source: gzipSync(text, { level: 9 }) })
    },
  },
}

/** The page as one file, which runs without a server. */
export default defineConfig(
  mergeConfig(page, {
    plugins: [oneFile],
    resolve: { alias: [{ find: /^\..*\/createWorker\.ts$/, replacement: path('./createWorker.ts') }] },
    worker: { format: 'iife' as const, rolldownOptions: { output: { codeSplitting: false } } },
    build: {
      emptyOutDir: false,
      assetsInlineLimit: 1e8,
      cssCodeSplit: false,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  }),
)
