// tsc emits JavaScript only; what else the package needs at run time is copied beside it, and modules whose source is gone are deleted.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
cpSync(`${root}/robots/own`, `${root}/dist/robots/own`, { recursive: true, filter: (path) => !path.endsWith('.ts') })
cpSync(`${root}/cases/papers/choices.yaml`, `${root}/dist/cases/papers/choices.yaml`)
cpSync(`${root}/engines`, `${root}/dist/engines`, {
  recursive: true,
  filter: (path) => /(\/engines|\/\w[\w-]*|\.py)$/.test(path) && !path.endsWith('__pycache__'),
})
for (const scenes of ['scenes', 'films']) cpSync(`${root}/cases/${scenes}`, `${root}/dist/cases/${scenes}`, { recursive: true })

/** Folders of `dist/` that other builds make. */
const ofOthers = /^(command|report|viewer|compare\/(zod|chunks))\b/
/** Those whose code is in the command alone. */
const ofCommand = /^(cases|compare\/cli)\b/
for (const file of readdirSync(`${root}/dist`, { recursive: true })) {
  const [, module] = /^(.*)\.(?:d\.ts|js|js\.map)$/.exec(file) ?? []
  if (module === undefined || ofOthers.test(file)) continue
  if (ofCommand.test(file) || !existsSync(join(root, `${module}.ts`))) rmSync(join(root, 'dist', file))
}

// Types of a scenario are made of those of zod, whose code is bundled (library/vite.config.ts): users get its declarations alone, 0.6 of 8 MB.
const types = join(root, 'dist/compare/zod')
rmSync(types, { recursive: true, force: true })
for (const file of readdirSync(`${root}/node_modules/zod`, { recursive: true }))
  if (/^(index\.d\.ts|LICENSE|v4[\\/](classic|core|locales)[\\/].*\.d\.ts)$/.test(file))
    cpSync(`${root}/node_modules/zod/${file}`, join(types, file))
for (const file of readdirSync(`${root}/dist/compare`, { recursive: true })) {
  if (!file.endsWith('.d.ts') || file.startsWith('zod')) continue
  const path = join(root, 'dist/compare', file)
  const zod = relative(join(path, '..'), join(types, 'index.js')).replaceAll('\\', '/')
  const text = readFileSync(path, 'utf8')
  if (text.includes("from 'zod'")) writeFileSync(path, text.replace("from 'zod'", `from '${zod}'`))
}
