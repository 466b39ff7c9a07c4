/**
 * docs/api.md, made from the source: every name that a package entry exports, with the first sentence of its docstring. A test compares the
 * page with what this makes.
 *
 *     npm run docs
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Exported {
  readonly kind: string
  readonly sentence: string
  /** Whether its docstring says that it does not check its arguments. */
  readonly unchecked: boolean
}
type Exports = Map<string, Exported>

const known = new Map<string, Exports>()

/** What a module exports, through what it exports again. @param file relative to the root */
export function exportsOf(file: string): Exports {
  const done = known.get(file)
  if (done) return done
  const found: Exports = new Map()
  known.set(file, found)
  const text = readFileSync(join(root, file), 'utf8')
  const declaration =
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^export (?:declare |abstract |async )*(function|const|class|interface|type|enum)\*? (\w+)/gm
  for (const [, comment = '', kind, name] of text.matchAll(declaration))
    if (!found.has(name)) found.set(name, { kind, sentence: firstSentence(comment), unchecked: /@unchecked/.test(comment) })
  for (const [, list, from] of text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from '([^']+)'/gm)) {
    const others = exportsOf(join(file, '..', from))
    if (list === '*') for (const [name, what] of others) found.set(name, what)
    else {
      for (const entry of list.slice(1, -1).split(',')) {
        const [, name, alias = name] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(entry) ?? []
        const what = name === undefined ? undefined : others.get(name)
        if (what) found.set(alias, what)
      }
    }
  }
  return found
}

function firstSentence(comment: string): string {
  const text = comment
    .replace(/^\s*\* ?/gm, '')
    .split(/\n\s*\n|^@/m)[0]
    .replace(/\s*@(throws|unchecked)[\s\S]*/, '')
    .replace(/\s+/g, ' ')
    .trim()
  const sentence = /^.*?[.:](?=\s|$)(?<!\b(?:e\.g|i\.e|eq|eqs|al|Fig|No|vs|Int|J|Numer|Meth|Eng)\.)/.exec(text)?.[0] ?? text
  return sentence.replace(/:$/, '.')
}

const groups: readonly (readonly [string, (what: Exported) => boolean])[] = [
  ['Classes and functions', ({ kind, unchecked }) => !unchecked && (kind === 'class' || kind === 'function')],
  ['Classes and functions that do not check their arguments', ({ unchecked }) => unchecked],
  ['Values', ({ kind, unchecked }) => !unchecked && (kind === 'const' || kind === 'enum')],
  ['Types', ({ kind }) => kind === 'interface' || kind === 'type'],
]

/** The page. */
export function apiPage(): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const entries = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[path, target.types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts')] as const],
  )
  const sections = entries.map(([path, file]) => {
    const all = [...exportsOf(file)].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    const lists = groups.flatMap(([title, belongs]) => {
      const items = all.filter(([, what]) => belongs(what))
      if (items.length === 0) return []
      const lines = items.map(([name, { sentence }]) => `- \`${name}\`${sentence === '' ? '' : `: ${sentence}`}`)
      return [`**${title}**\n\n${lines.join('\n')}`]
    })
    return `## \`${path.replace(/^\./, 'featherbed')}\`\n\n${lists.join('\n\n')}`
  })
  return `# Names that the package exports

Every name of each entry, with the first sentence of its docstring; editors show the rest. Made from the source by \`npm run docs\`.

Where a program enters, arguments are checked once: a wrong one is an error that says where, what was found and what is expected. What runs
in inner loops, or takes what other functions made, does not check (\`@unchecked\` in its docstring): of arrays at most the length. Another
argument there gives wrong numbers, or an error of JavaScript.

${sections.join('\n\n')}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(root, 'docs/api.md'), apiPage())
