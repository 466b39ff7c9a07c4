// tsc emits JavaScript only; what else the package needs at run time is copied beside it, and modules whose source is gone are deleted.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
cpSync(`${root}/robots/own`, `${root}/dist/robots/own`, { recursive: true, filter: (path) => !path.endsWith('.ts') })
cpSync(`${root}/cases/papers/choices.yaml`, `${root}/dist/cases/papers/choices.yaml`)
cpSync(`${root}/engines`, `${root}/dist/engines`, {
  recursive: true,
  filter: (path) => /(\/engines|\/\w[\w-]*|\.py)$/.test(path) && !path.endsWith('__pycache__'),
})
cpSync(`${root}/cases/scenes`, `${root}/dist/cases/scenes`, { recursive: true })

/** Folders of `dist/` that other builds make, and empty themselves. */
const ofOthers = /^(command|report|viewer)\b/
for (const file of readdirSync(`${root}/dist`, { recursive: true })) {
  const [, module] = /^(.*)\.(?:d\.ts|js|js\.map)$/.exec(file) ?? []
  if (module !== undefined && !ofOthers.test(file) && !existsSync(join(root, `${module}.ts`))) rmSync(join(root, 'dist', file))
}
