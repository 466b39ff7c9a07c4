import { fileURLToPath } from 'node:url'
import { build, type Plugin as EsbuildPlugin } from 'esbuild'
import type { Plugin } from 'vite'

const prefix = 'virtual:guest/'
const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const entries: Readonly<Record<string, string>> = {
  dynamics: '../../dynamics/index.ts',
  contact: '../../contact/index.ts',
  robots: '../../robots/index.ts',
  simulation: '../../simulation/index.ts',
  control: '../index.ts',
}
/** By what a script imports: most import little, and what is read takes the interpreter a second a megabyte. */
const sets: Readonly<Record<string, readonly string[]>> = { dynamics: ['dynamics'], all: Object.keys(entries) }

/** Readers of files' packages are nothing in the sandbox, which has no files. */
const withoutPackages: EsbuildPlugin = {
  name: 'without-packages',
  setup(build) {
    build.onResolve({ filter: /^[a-z@]/ }, ({ path: wanted }) =>
      /^three\b/.test(wanted) ? undefined : { path: wanted, namespace: 'absent', sideEffects: false },
    )
    build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/**
 * `virtual:guest/dynamics` and `virtual:guest/all`: the text of the inner side of the page's sandbox, a script that makes a global
 * `featherbed` of `serve`, our `Math` and what may be imported as `featherbed/...`.
 */
export const guestText: Plugin = {
  name: 'guest-text',
  resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
  async load(id) {
    if (!id.startsWith(`\0${prefix}`)) return undefined
    const names = sets[id.slice(prefix.length + 1)]
    const { outputFiles } = await build({
      ...{ bundle: true, write: false, minify: true, format: 'iife', globalName: 'featherbed', target: 'es2022' },
      ...{ platform: 'neutral', supported: { 'exponent-operator': false }, logLevel: 'silent', plugins: [withoutPackages] },
      stdin: {
        resolveDir: path('../control/sandbox'),
        // the first comes before all that adopts functions of Math
        contents: `export { host } from './globals.ts'
          export { serve } from './guest.ts'
          export { scriptMath } from '../scriptMath.ts'
          ${names.map((name) => `import * as ${name} from '${entries[name]}'`).join('\n')}
          export const modules = { ${names.map((name) => `'featherbed/${name}': ${name}`).join(', ')} }`,
      },
    })
    return `export default ${JSON.stringify(outputFiles[0].text)}`
  },
}
