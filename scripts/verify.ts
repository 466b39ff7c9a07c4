/**
 * `npm run verify [-- --fresh] [FILTER]`: everything, at full counts: all tests with FEATHERBED_FULL, then the frozen metrics and the mutants.
 *
 * Each part that has passed is kept in results/verify, under the sources that it passed with; after an interruption the same command goes
 * on with the rest, and a failed part runs again. --fresh forgets what was kept. FILTER, as vitest takes it, runs tests of these files alone.
 * Ends with a table of the parts: cases, and how long each took. Exit code 1 if a part failed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startVitest, type TestModule } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
process.env.FEATHERBED_FULL = '1'

/** One test file, or one command. */
type Part = Readonly<ReturnType<typeof ofModule>>

const ignored = new Set(['node_modules', 'dist', 'results', '.git', '.cache'])

/** Digest of all files that anything here depends on, by path and content. */
function digestOf(): string {
  const hash = createHash('sha256').update(process.env.FEATHERBED_ROBOTS ?? '')
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (ignored.has(entry.name)) continue
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) hash.update(path).update(readFileSync(join(root, path)))
    }
  }
  walk('.')
  return hash.digest('hex').slice(0, 16)
}

const words = process.argv.slice(2)
const filters = words.filter((word) => word !== '--fresh')
const journal = join('results', 'verify', `${digestOf()}.jsonl`)
if (words.includes('--fresh')) rmSync(journal, { force: true })
mkdirSync(dirname(journal), { recursive: true })

const parts = new Map<string, Part>()
if (existsSync(journal)) {
  for (const line of readFileSync(journal, 'utf8').split('\n').slice(0, -1)) {
    const part = JSON.parse(line) as Part
    if (part.failed === 0) parts.set(part.name, part)
  }
}
const known = new Set(parts.keys())
if (known.size > 0) console.log(`${known.size} parts passed before with these sources and are not run again; --fresh runs them.`)

function keep(part: Part): void {
  parts.set(part.name, part)
  appendFileSync(journal, `${JSON.stringify(part)}\n`)
}

function ofModule(module: TestModule) {
  const states = [...module.children.allTests()].map((test) => test.result().state)
  const count = (state: string) => states.filter((each) => each === state).length
  const broken = module.state() === 'failed' && count('failed') === 0 ? 1 : 0 // it did not load, or a hook failed
  return {
    name: relative(root, module.moduleId),
    passed: count('passed'),
    failed: count('failed') + broken,
    skipped: count('skipped') + count('pending'),
    seconds: module.diagnostic().duration / 1e3,
  }
}

await startVitest('test', filters, {
  run: true,
  watch: false,
  exclude: ['node_modules', ...[...known].filter((name) => name.endsWith('.ts'))],
  passWithNoTests: true,
  reporters: ['default', { onTestModuleEnd: (module: TestModule) => keep(ofModule(module)) }],
})

const commands: Readonly<Record<string, readonly string[]>> = {
  'frozen metrics': ['--import', './scripts/typescript.mjs', 'bench/frozenMetrics.ts', 'check', 'bench/frozenMetrics.json'],
  'mutants of laws': ['--import', './scripts/typescript.mjs', 'test/contact/laws/mutants.ts'],
}
for (const [name, args] of Object.entries(filters.length > 0 ? {} : commands)) {
  if (known.has(name)) continue
  const begin = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  const good = status === 0 ? 1 : 0
  keep({ name, passed: good, failed: 1 - good, skipped: 0, seconds: (performance.now() - begin) / 1e3 })
}

/** `test/contact/laws/laws.test.ts` is of `contact/laws`. */
const groupOf = (name: string) => (name.endsWith('.ts') ? dirname(name).split('/').slice(1, 3).join('/') || 'test' : name)

const groups = new Map<string, Part[]>()
for (const part of parts.values()) groups.set(groupOf(part.name), [...(groups.get(groupOf(part.name)) ?? []), part])
const sum = (some: readonly Part[], key: 'passed' | 'failed' | 'skipped' | 'seconds') =>
  some.reduce((total, part) => total + part[key], 0)
const row = (name: string, some: readonly Part[]) =>
  [
    name.padEnd(24),
    ...(['passed', 'failed', 'skipped'] as const).map((key) => String(sum(some, key)).padStart(8)),
    sum(some, 'seconds').toFixed(0).padStart(8),
  ].join('')
console.log(`\n${'part'.padEnd(24)}  passed  failed skipped   time/s`)
for (const [name, some] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(row(name, some))
const all = [...parts.values()]
const broken = all.filter(({ failed }) => failed > 0)
for (const { name, failed } of broken) console.log(`failed: ${name} (${failed})`)
console.log(`\n${sum(all, 'passed')} passed, ${sum(all, 'failed')} failed, ${sum(all, 'skipped')} skipped`)
process.exit(broken.length > 0 ? 1 : 0)
