// tsc emits JavaScript only; what else the package needs at run time is copied beside it.
import { chmodSync, cpSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
cpSync(`${root}/robots/own`, `${root}/dist/robots/own`, { recursive: true, filter: (path) => !path.endsWith('.ts') })
const command = `${root}/dist/compare/cli/main.js`
if (existsSync(command)) chmodSync(command, 0o755)
