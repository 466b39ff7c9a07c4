#!/usr/bin/env node
// The command. It stands here before anything is built, so that what npm makes of `bin` never leads nowhere.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../dist/command/compare/cli/main.js', import.meta.url)
if (existsSync(main)) await import(main.href)
else {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  process.stderr.write(`featherbed: it is not built yet; run "npm run build:core" in ${folder} first\n`)
  process.exitCode = 2
}
