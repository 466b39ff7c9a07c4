/**
 * The house stays small: lines of each top folder, files of a folder, fields of a class, lines of a function. What is over the bound is
 * listed in shape.json with its size, and may shrink; a number goes up only in a commit that names what the addition replaces.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
type Sizes = Readonly<Record<string, number>>
const shape = JSON.parse(readFileSync(join(root, 'test/shape.json'), 'utf8')) as Readonly<
  Record<'lines' | 'files' | 'fields' | 'functions', Sizes>
>
const FILES = 20
const FIELDS = 20
const LINES = 60

const tops = Object.keys(shape.lines)
const files = tops.flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
)
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const linesOf = (text: string) => text.split('\n').length - 1

/** A node of an ESTree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: { readonly name?: string } | null
  readonly key?: { readonly name?: string }
  readonly body?: unknown
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** Of all source files but those of tests, by where they stand: `file name`. */
const fields = new Map<string, number>()
const functions = new Map<string, number>()
for (const [file, text] of texts) {
  if (file.startsWith('test/')) continue
  const visit = (node: Node, within: string) => {
    const { type, id, key, body } = node
    const named = (id ?? key)?.name ?? within
    if (type === 'ClassBody') {
      const count = (node.body as Node[]).filter((member) => member.type === 'PropertyDefinition').length
      fields.set(`${file} ${within}`, count)
    }
    if (/Function/.test(type) && body !== null && !Array.isArray(body)) {
      const name = `${file} ${named}`
      functions.set(name, Math.max(functions.get(name) ?? 0, linesOf(text.slice(node.start, node.end)) + 1))
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, named)
  }
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, '')
}
const inFolder = new Map<string, number>()
for (const file of files) if (!file.startsWith('test/')) inFolder.set(dirname(file), (inFolder.get(dirname(file)) ?? 0) + 1)

/** Sizes over their bound or their entry in the list, and entries that are no longer needed. */
function broken(counts: ReadonlyMap<string, number>, bound: number, listed: Sizes): string[] {
  const over = [...counts].filter(([name, count]) => count > (listed[name] ?? bound))
  const stale = Object.keys(listed).filter((name) => (counts.get(name) ?? 0) <= bound)
  return [
    ...over.map(([name, count]) => `${name}: ${count}, ${listed[name] ?? bound} at most`),
    ...stale.map((name) => `${name}: take it off the list`),
  ]
}

test('a top folder has no more lines than it had', () => {
  const counts = tops.map((top): [string, number] => {
    const own = [...texts].filter(([file]) => file.startsWith(`${top}/`))
    return [top, own.reduce((sum, [, text]) => sum + linesOf(text), 0)]
  })
  expect(broken(new Map(counts), 0, shape.lines)).toEqual([])
})

test(`a folder has at most ${FILES} files of its own`, () => {
  expect(broken(inFolder, FILES, shape.files)).toEqual([])
})

test(`a class has at most ${FIELDS} fields`, () => {
  expect(broken(fields, FIELDS, shape.fields)).toEqual([])
})

test(`a function has at most ${LINES} lines`, () => {
  expect(broken(functions, LINES, shape.functions)).toEqual([])
})
