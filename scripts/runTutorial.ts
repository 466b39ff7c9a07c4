/*
 * node --import ./scripts/typescript.mjs scripts/runTutorial.ts [PATTERN]
 *
 * Runs the commands of docs/tutorial.md, each below the one before in one new folder, and puts what they print in place of the text under
 * them. With PATTERN only the commands that contain it are put in place. `npm run build:core` comes first.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(root, 'docs/tutorial.md')
const [pattern = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'featherbed-tutorial-'))
symlinkSync(join(root, 'docs'), join(folder, 'docs'))
try {
  const page = readFileSync(file, 'utf8').replaceAll(
    /```\nnpx featherbed ([\s\S]*?)\n```\n\n```text\n([\s\S]*?)\n```/g,
    (block: string, command: string, before: string) => {
      const words = command.replaceAll('\\\n', ' ').split(/\s+/)
      const printed = execFileSync(process.execPath, [join(root, 'bin/featherbed.js'), ...words], {
        cwd: folder,
        encoding: 'utf8',
      })
      return command.includes(pattern) ? block.replace(before, () => printed.trimEnd()) : block
    },
  )
  writeFileSync(file, page)
} finally {
  rmSync(folder, { recursive: true })
}
