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

const core = ['dynamics', 'contact', 'contact/geometry', 'contact/solvers', 'robots', 'simulation', 'control']
const rooms = ['scenario', 'measure', 'recording', 'answers', 'run', 'judge', 'report', 'studies', 'sweeps', 'inspect']

/** The longest matching prefix decides; `own` lets a folder import itself. */
const layers: Record<string, readonly string[]> = {
  dynamics: [],
  'contact/geometry': ['dynamics'],
  'contact/solvers': ['dynamics/math'],
  'contact/detection': ['contact/geometry', 'contact/solvers', 'dynamics'],
  'contact/constraints': ['contact/geometry', 'contact/detection', 'contact/solvers', 'dynamics'],
  'contact/models': [
    'contact',
    'contact/geometry',
    'contact/detection',
    'contact/constraints',
    'contact/peg',
    'contact/solvers',
    'dynamics',
  ],
  'contact/peg': [
    'contact',
    'contact/geometry',
    'contact/detection',
    'contact/constraints',
    'contact/models',
    'contact/solvers',
    'dynamics',
  ],
  contact: [
    'contact/geometry',
    'contact/detection',
    'contact/constraints',
    'contact/models',
    'contact/peg',
    'contact/solvers',
    'dynamics',
  ],
  robots: ['dynamics', 'contact/geometry', 'contact/detection'],
  simulation: ['robots', 'dynamics', 'contact', 'contact/geometry'],
  control: ['simulation', 'dynamics', 'robots', 'contact/geometry'],
  engines: ['dynamics', 'contact', 'contact/geometry', 'robots', 'simulation'],
  // a comparison's rooms, from a scenario to the command, each importing only those before it
  ...Object.fromEntries(
    rooms.map((room, i) => [`compare/${room}`, [...core, ...rooms.slice(0, i).map((below) => `compare/${below}`)]]),
  ),
  // which may run another engine in the place of a model
  'compare/run': [...core, 'engines', 'compare/scenario', 'compare/measure', 'compare/recording', 'compare/answers'],
  compare: [...core, 'compare'],
  // the command line alone knows the cases
  'compare/cli': [...core, ...rooms.map((room) => `compare/${room}`), 'cases', 'cases/papers', 'engines'],
  cases: [...core, 'compare', 'engines'],
  viewer: [...core, ...rooms.slice(0, 3).map((room) => `compare/${room}`)],
  // the script of reports stands on the viewer's stage
  'viewer/report': ['viewer', 'dynamics', 'compare/recording'],
}
/** Modules that others may import besides an index.ts. */
const entries = new Set([
  'dynamics/math/arguments.ts',
  'dynamics/compile/index.ts',
  'contact/geometry/expected.ts',
  'robots/robot.ts',
  'robots/files.ts',
  'control/files.ts',
  'control/ownFiles.ts',
  'control/sandbox/host.ts',
])
/** Files that exist for Node alone. */
const nodeOnly = new Set([
  'robots/files.ts',
  'robots/files/disk.ts',
  'control/files.ts',
  'control/ownFiles.ts',
  'simulation/threads.ts',
  'viewer/guestText.ts',
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
        // compare/index.ts is for programs: cases/ and the rooms reach each other's files
        const within = [from, to].every((layer) => /^(compare|cases)\b/.test(layer))
        if (!(known || shared) || !(entered || within)) broken.push(`${file} imports ${path}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('within contact/ only the registry of models and the public index know peg', () => {
    const outside = files.filter((path) => path.startsWith('contact/') && !path.startsWith('contact/peg/'))
    const importers = outside.filter((file) => imports(file).some((target) => /^\.\.?\/(.*\/)?peg\//.test(target)))
    expect(importers.sort()).toEqual(['contact/index.ts', 'contact/models/index.ts'])
  })

  test('dynamics and contact know neither Node nor the DOM nor a clock, and import nothing from outside', () => {
    const broken: string[] = []
    for (const file of files.filter((path) => /^(dynamics|contact)\//.test(path))) {
      for (const target of imports(file)) {
        // the compiler reads the algorithms' own text
        const reads = target === 'acorn' && file === 'dynamics/compile/trace.ts'
        if (!target.startsWith('.') && !reads) broken.push(`${file} imports ${target}`)
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
      // a power of a literal is one of two or ten, which engines have exactly
      const calls = text.match(/\bMath\.(sin|cos|pow)\b\s*\(|(?<![\w.])(?![\d.]+ )[\w.]+ \*\* [\w(]|[)\]] \*\* [\w(]/g)
      return (calls ?? []).map((call) => `${file} calls ${call}`)
    })
    expect(broken).toEqual([])
  })
})
