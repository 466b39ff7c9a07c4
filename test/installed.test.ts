/** What a user installs: how much, which packages, under which licences, and what a program loads of it. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from './compare/command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const json = <T>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as T

/** Packages that the modules of dist/ import. All others are bundled, as far as they are used. */
const runtime = [
  ...['@foxglove/wasm-zstd', '@foxglove/ws-protocol', 'lz4js', 'ws'], // recordings, compressed or live
  ...['@jitl/quickjs-wasmfile-release-sync', 'quickjs-emscripten-core'], // the sandbox
  ...['acorn', 'esbuild'], // compiled robots; controllers in TypeScript
  ...['events', 'xml2js', 'yaml'], // robots; `events` is of xml2js in a page
]

test('the packages that come with this one are these', () => {
  const { dependencies } = json<{ dependencies: Record<string, string> }>('package.json')
  expect(Object.keys(dependencies).sort()).toEqual(runtime.sort())
})

test('the package has at most 30 MB unpacked', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
    shell: process.platform === 'win32',
  })
  const [{ unpackedSize, files }] = JSON.parse(stdout) as [{ unpackedSize: number; files: { path: string }[] }]
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['dist/compare/index.js', 'dist/viewer/single.bin']))
  expect(unpackedSize).toBeLessThan(30e6) // 27.6 MB; beside it are 20 MB of other packages
})

/** Licences under which a work of Apache-2.0 may hold or bring another. */
const allowed = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Python-2\.0|Zlib)$/

test('packages that come with this one, and those of which it holds parts, have licences of the list', () => {
  const { packages } = json<{ packages: Record<string, { dev?: boolean; optional?: boolean }> }>('package-lock.json')
  const licences = new Map<string, string>()
  for (const [path, { dev, optional }] of Object.entries(packages)) {
    if (path === '' || dev || (optional && !existsSync(join(root, path)))) continue
    licences.set(path, json<{ license?: string }>(`${path}/package.json`).license ?? 'none')
  }
  expect(licences.size).toBeGreaterThan(runtime.length)
  for (const folder of ['command', 'compare', 'report', 'viewer']) {
    const notices = readFileSync(join(root, `dist/${folder}/THIRD-PARTY-NOTICES.md`), 'utf8')
    const named = [...notices.matchAll(/^## (\S+) - [\d.]+ \((.*)\)$/gm)]
    expect(named.length, folder).toBeGreaterThan(1)
    for (const [, name, licence] of named) licences.set(`${folder}: ${name}`, licence)
  }
  expect([...licences].filter(([, licence]) => !allowed.test(licence))).toEqual([])
})

/** Packages of which a process of its own loads a file when it imports `entry`: modules by a hook, CommonJS by its cache. */
function loadedBy(entry: string): Set<string> {
  const log = join(temporaryFolder().path, 'loaded')
  const hook = `
    import { appendFileSync } from 'node:fs'
    export const load = (url, context, next) => (appendFileSync(${JSON.stringify(log)}, url + '\\n'), next(url, context))`
  const script = `
    import { appendFileSync } from 'node:fs'
    import { createRequire, register } from 'node:module'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)})
    await import(${JSON.stringify(entry)})
    appendFileSync(${JSON.stringify(log)}, Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache).join('\\n'))`
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: root, encoding: 'utf8' })
  expect([child.status, child.stderr]).toEqual([0, ''])
  const names = readFileSync(log, 'utf8').matchAll(/[\\/]node_modules[\\/]((?:@[^\\/\n]+[\\/])?[^\\/\n]+)/g)
  return new Set([...names].map(([, name]) => name))
}

test('featherbed/simulation loads the reader of XML, and neither three nor mathjs nor esbuild', () => {
  for (const heavy of ['three', 'esbuild']) expect([...loadedBy(heavy)], heavy).toContain(heavy)
  expect([...loadedBy('featherbed/simulation')].sort()).toEqual(['sax', 'xml2js', 'xmlbuilder', 'yaml'])
})
