// tsc emits JavaScript only; what else the package needs at run time is copied beside it.
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
cpSync(`${root}/robots/own`, `${root}/dist/robots/own`, { recursive: true, filter: (path) => !path.endsWith('.ts') })
cpSync(`${root}/cases/scenes`, `${root}/dist/cases/scenes`, { recursive: true })
