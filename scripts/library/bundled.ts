import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const text = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const { dependencies, peerDependencies } = JSON.parse(text('package.json')) as Record<
  'dependencies' | 'peerDependencies',
  Readonly<Record<string, string>>
>

/** Packages that bundles for Node leave outside: those that come with this one, and those that users install if they want them. */
export const installed = [...Object.keys(dependencies), ...Object.keys(peerDependencies)]

/** The notice of @foxglove/schemas, which names its licence and holds no text of it: the text that its authors have in their others. */
export const notices: Plugin = {
  name: 'notices',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const own = bundle['THIRD-PARTY-NOTICES.md']
      if (own?.type !== 'asset') throw new Error('THIRD-PARTY-NOTICES.md was not made')
      const terms = text('node_modules/@foxglove/crc/LICENSE.md').trim()
      own.source = `${own.source}`.replace(/^## @foxglove\/schemas .*$/m, (head) => `${head}\n\n${terms}`)
    },
  },
}
