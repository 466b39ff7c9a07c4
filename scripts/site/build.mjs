// npm run docs:site: the pages, the functions that programs call and the page of robots as a folder for any static host, results/site.
// VitePress and TypeDoc weigh more than all that tests need: npm keeps these versions in its own cache.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const site = `${root}results/site`
// the last TypeScript with an interface for programs, which TypeDoc needs
const packages = ['vitepress@1.6.4', 'typedoc@0.28.20', 'typescript@6.0.3']

function run(...command) {
  const { status } = spawnSync('npm', ['exec', '--yes', ...packages.map((name) => `--package=${name}`), '--', ...command], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(`${root}dist/viewer/index.html`)) {
  process.stderr.write('docs:site: dist/viewer is not built; run "npm run build" first\n')
  process.exit(2)
}
rmSync(site, { recursive: true, force: true })
run('vitepress', 'build', 'scripts/site')
run('typedoc', '--options', 'scripts/site/typedoc.json')
cpSync(`${root}dist/viewer`, `${site}/viewer`, { recursive: true })
process.stdout.write(`${site}\n`)
