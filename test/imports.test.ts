import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/*
 * Who may import whom. A folder that is not listed for another is out of its reach, and what crosses a border passes
 * through the other side's index.ts (or one of its named entries). The core runs in Node, in a worker and in a page, so
 * nothing in it may know which of them it is in.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** The longest matching prefix decides; `own` lets a folder import itself. */
const layers: Record<string, readonly string[]> = {
  dynamics: [],
  'contact/geometry': ['dynamics'],
  'contact/solvers': ['dynamics/math'],
  'contact/detection': ['contact/geometry', 'contact/solvers', 'dynamics'],
  'contact/models': ['contact', 'contact/geometry', 'contact/detection', 'contact/peg', 'contact/solvers', 'dynamics'],
  'contact/peg': ['contact', 'contact/geometry', 'contact/detection', 'contact/models', 'contact/solvers', 'dynamics'],
  contact: ['contact/geometry', 'contact/detection', 'contact/models', 'contact/peg', 'contact/solvers', 'dynamics'],
  robots: ['dynamics', 'contact/geometry', 'contact/detection'],
  simulation: ['robots', 'dynamics', 'contact', 'contact/geometry'],
  control: ['simulation', 'dynamics', 'robots', 'contact/geometry'],
  compare: ['robots', 'dynamics', 'contact', 'contact/geometry', 'contact/solvers', 'simulation', 'control', 'compare/replay'],
  'compare/replay': ['robots', 'dynamics', 'contact', 'contact/geometry', 'simulation', 'compare'],
  // the command line alone knows papers
  'compare/cli': ['robots', 'dynamics', 'contact', 'contact/geometry', 'simulation', 'control', 'compare', 'papers'],
  papers: ['robots', 'dynamics', 'contact', 'contact/geometry', 'contact/solvers', 'simulation', 'control', 'compare'],
  viewer: ['robots', 'dynamics', 'contact', 'contact/geometry', 'simulation', 'control', 'compare'],
  // the script of reports stands on the viewer's stage
  'viewer/report': ['viewer', 'dynamics', 'compare/replay'],
}
/** Modules that others may import besides an index.ts. */
const entries = new Set([
  'robots/files.ts',
  'control/files.ts',
  'control/ownFiles.ts',
  // what a running world is judged by, in the page too, where the rest of compare/ is none of
  'compare/metrics.ts',
  'compare/laws.ts',
  'compare/droppedInputs.ts',
  // a scenario becomes a world in the page too
  'compare/assemble.ts',
  'compare/phenomena/log.ts',
  // and a run a recording, or a part of a link
  'compare/recording/memory.ts',
  'compare/sharedRun.ts',
])
/** Files that exist for Node alone. */
const nodeOnly = new Set([
  'robots/files.ts',
  'robots/disk.ts',
  'control/files.ts',
  'control/ownFiles.ts',
  'control/sandbox/host.ts',
])

const names = Object.keys(layers).sort((a, b) => b.length - a.length)
const layerOf = (path: string) => names.find((name) => path.startsWith(`${name}/`))

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function imports(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map((match) => match[1])
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1')
const files = [...new Set(names.map((name) => name.split('/')[0]))].flatMap(sources)

describe('the import rule', () => {
  test('a folder imports only what stands below it, through an index', () => {
    const broken: string[] = []
    for (const file of files) {
      const from = layerOf(file) as string
      for (const target of imports(file)) {
        if (!target.startsWith('.')) continue
        const path = relative(root, resolve(root, dirname(file), target.split('?')[0]))
        const to = layerOf(path)
        if (to === undefined || to === from || !path.endsWith('.ts')) continue
        const known = layers[from].some((name) => to === name || path.startsWith(`${name}/`))
        // within contact/ the files at its top are the contract that its folders share
        const shared = from.startsWith('contact/') && dirname(path) === 'contact' && !path.endsWith('index.ts')
        const entered = path.endsWith('/index.ts') || entries.has(path) || from.split('/')[0] === to.split('/')[0]
        // the drawing and the page of compare/ serve papers/ too
        const shares = from === 'papers' && to === 'compare'
        if (!(known || shared) || !(entered || shares)) broken.push(`${file} imports ${path}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('within contact/ only the registry of models and the public index know peg', () => {
    const outside = files.filter((path) => path.startsWith('contact/') && !path.startsWith('contact/peg/'))
    const importers = outside.filter((file) => imports(file).some((target) => /^\.\.?\/(.*\/)?peg\//.test(target)))
    expect(importers.sort()).toEqual(['contact/index.ts', 'contact/models/index.ts'])
  })

  test('dynamics and contact know neither Node nor the DOM nor a clock, and only hull.ts knows three', () => {
    const broken: string[] = []
    for (const file of files.filter((path) => /^(dynamics|contact)\//.test(path))) {
      for (const target of imports(file)) {
        if (target.startsWith('.') || (file === 'contact/geometry/hull.ts' && target.startsWith('three'))) continue
        broken.push(`${file} imports ${target}`)
      }
      const text = withoutComments(readFileSync(join(root, file), 'utf8'))
      for (const word of text.match(/\b(Date\.now|performance\.now|window\.|document\.|process\.|globalThis)/g) ?? [])
        broken.push(`${file} uses ${word}`)
    }
    expect(broken).toEqual([])
  })

  test('what the browser runs imports Node nowhere', () => {
    const browser = files.filter(
      (path) => /^(robots|simulation|control|viewer)\//.test(path) && !nodeOnly.has(path) && !path.endsWith('.config.ts'),
    )
    const broken = browser.flatMap((file) =>
      imports(file)
        .filter((target) => target.startsWith('node:'))
        .map((target) => `${file} imports ${target}`),
    )
    expect(broken).toEqual([])
  })

  test('nothing that a state depends on calls sin, cos or pow of the engine', () => {
    const stateful = files.filter((path) => /^(dynamics|contact|robots|simulation|control)\//.test(path))
    const broken = stateful.flatMap((file) => {
      const text = withoutComments(readFileSync(join(root, file), 'utf8'))
      return (text.match(/\bMath\.(sin|cos|pow)\b\s*\(/g) ?? []).map((call) => `${file} calls ${call}`)
    })
    expect(broken).toEqual([])
  })
})
