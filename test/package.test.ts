import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { pageScript } from '../compare/report/pageScript.ts'
import { apiPage } from '../scripts/api-docs.ts'
import { temporaryFolder } from './compare/command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the command before a build says what to do, in one line, and exits with 2', () => {
  const { path } = temporaryFolder()
  mkdirSync(join(path, 'bin'))
  cpSync(join(root, 'bin/featherbed.js'), join(path, 'bin/featherbed.js'))
  const { status, stderr } = spawnSync(process.execPath, [join(path, 'bin/featherbed.js'), 'compare'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^featherbed: it is not built yet; run "npm run build:core" in .*\n$/),
  ])
})

/** Packages that a module imports when it is loaded, itself or through what it imports. */
function packagesOf(entry: string): Set<string> {
  const [packages, seen, waiting] = [new Set<string>(), new Set<string>(), [join(root, entry)]]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, target] of text.matchAll(/^(?:import|export)(?! type)[^'"]*?from '([^']+)'|^import '([^']+)'/gm)) {
      if (target === undefined) continue
      if (target.startsWith('.')) {
        if (target.endsWith('.ts')) waiting.push(join(file, '..', target))
      } else if (!target.startsWith('node:')) packages.add(target.split('/')[0])
    }
  }
  return packages
}

test('the page and the script of reports come with the licences of all that they hold', () => {
  // behind each name a licence, and its text
  const named = (notices: string) =>
    [...readFileSync(join(root, notices), 'utf8').matchAll(/^## (\S+) - [\d.]+ \(\S+\)\n\n(?!## )/gm)].map(([, name]) => name)
  const sandbox = ['acorn', 'sucrase', 'quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync']
  const inPage = [...packagesOf('viewer/main.ts'), ...packagesOf('viewer/runs/simulation.ts'), ...sandbox]
  expect(named('dist/viewer/THIRD-PARTY-NOTICES.md')).toEqual(expect.arrayContaining(inPage))
  const inCommand = ['@mcap/core', 'commander', 'mathjs', 'sax', 'xml2js', 'yaml', 'zod']
  expect(named('dist/command/THIRD-PARTY-NOTICES.md')).toEqual(expect.arrayContaining(inCommand))
  expect(named('dist/report/THIRD-PARTY-NOTICES.md')).toEqual(['three', 'uplot'])
  expect(pageScript()).toContain('Permission is hereby granted, free of charge')
})

test('the package holds no maps to sources that it leaves out, and what builds it is of exact versions', () => {
  const { files, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(files).toContain('!dist/**/*.map')
  for (const [name, version] of Object.entries(devDependencies)) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
})

test('docs/api.md names what each entry exports; npm run docs makes it anew', () => {
  expect(readFileSync(join(root, 'docs/api.md'), 'utf8') === apiPage()).toBe(true)
})

test('what is heavy is loaded only where it is needed', () => {
  expect([...packagesOf('simulation/index.ts')].sort()).toEqual(['xml2js', 'yaml'])
  expect([...packagesOf('browser.ts')].sort()).toEqual(['xml2js', 'yaml'])
  expect([...packagesOf('index.ts')].sort()).toEqual(['xml2js', 'yaml'])
  expect([...packagesOf('compare/cli/main.ts')]).toEqual(['commander'])
  for (const entry of ['compare/cli/verbs/compare.ts', 'compare/index.ts', 'control/files.ts'])
    for (const heavy of ['mathjs', 'esbuild']) expect(packagesOf(entry), entry).not.toContain(heavy)
})

test('a bundle for browsers that imports the package holds nothing of Node, and says nothing on its way', async () => {
  const { path } = temporaryFolder()
  mkdirSync(join(path, 'node_modules'))
  symlinkSync(root, join(path, 'node_modules/featherbed'), 'dir')
  writeFileSync(join(path, 'page.js'), "import { loadRobot, World } from 'featherbed'\nglobalThis.own = { loadRobot, World }\n")
  const told: string[] = []
  const built = await build({
    root: path,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry: join(path, 'page.js'), formats: ['es'] },
      rolldownOptions: { onwarn: ({ message }) => told.push(message) },
    },
  })
  const [{ output }] = built as unknown as { output: { readonly fileName: string; readonly code?: string }[] }[]
  expect(told).toEqual([])
  // the compiler of robots is loaded when it is needed
  expect(output.length).toBeLessThan(4)
  for (const { code } of output) expect(code).not.toMatch(/from\s*["']node:|__vite-browser-external/)
})

test('the types of the package need none of Node', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string }>
  }
  const waiting = Object.values(exports).flatMap(({ types }) => (types ? [join(root, types)] : []))
  const seen = new Set(waiting)
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = readFileSync(file, 'utf8')
    expect(text, file).not.toMatch(/from 'node:|\bNodeJS\.|: Buffer\b/)
    for (const [, target] of text.matchAll(/(?:from|import\() ?['"](\.[^'"]+)\.[tj]s['"]/g)) {
      const next = join(file, '..', `${target}.d.ts`)
      if (!seen.has(next)) waiting.push(next)
      seen.add(next)
    }
  }
  expect(seen.size).toBeGreaterThan(100)
})
