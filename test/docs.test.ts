import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Links of the pages, and pages that code names: nothing leads nowhere. */

const root = fileURLToPath(new URL('..', import.meta.url))
const skipped = new Set(['node_modules', 'dist', '.git', 'results'])

function filesBelow(folder: string, extension: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(path, extension)
    return extension.test(entry.name) ? [path] : []
  })
}

/** What GitHub makes of a heading: lower case, spaces as hyphens, without punctuation; a repeated one is numbered. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>()
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '')
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
    seen.set(anchor, (seen.get(anchor) ?? -1) + 1)
  }
  return new Set(
    [...seen].flatMap(([anchor, repeats]) => [anchor, ...Array.from({ length: repeats }, (_, k) => `${anchor}-${k + 1}`)]),
  )
}

const pages = filesBelow(root, /\.md$/)

test('every relative link of a page leads to a file, and every anchor to a heading of it', () => {
  const broken: string[] = []
  for (const page of pages) {
    const text = readFileSync(page, 'utf8').replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '')
    for (const [, link] of text.matchAll(/\]\((?!\w+:)([^)\s]+)/g)) {
      const [path, anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      const leads = existsSync(target) && (anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor))
      if (!leads) broken.push(`${relative(root, page)}: ${link}`)
    }
  }
  expect(broken).toEqual([])
})

test('every file of docs that code names is there', () => {
  const broken: string[] = []
  for (const file of filesBelow(root, /\.(ts|mjs|json|yaml|html|urdf)$/)) {
    for (const [name] of readFileSync(file, 'utf8').matchAll(
      /(?<![\w./-])docs\/[\w./-]*\w\.(?:md|yaml|json|ts|urdf|svg|png|webp)\b/g,
    )) {
      if (!name.includes('NAME') && !existsSync(join(root, name))) broken.push(`${relative(root, file)}: ${name}`)
    }
  }
  expect(broken).toEqual([])
})

test('every source file that a page names is there', () => {
  const broken: string[] = []
  for (const page of pages.filter((page) => !page.endsWith('CHANGELOG.md'))) {
    const folders = 'bench|compare|contact|control|dynamics|robots|scripts|simulation|test|viewer'
    for (const [name] of readFileSync(page, 'utf8').matchAll(
      new RegExp(`(?<![\\w./-])(?:${folders})/[\\w./-]*\\.(?:ts|mjs|json)\\b`, 'g'),
    )) {
      if (!name.includes('yourModel') && !existsSync(join(root, name))) broken.push(`${relative(root, page)}: ${name}`)
    }
  }
  expect(broken).toEqual([])
})

test('every page of docs is in the index', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const named = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
  expect(named.filter((name) => !index.includes(`](${name}`))).toEqual([])
})

test('every block that shows a table of an output is marked `text`: scripts/output-docs.ts writes it', () => {
  const unmarked = pages.filter((page) => {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    return blocks.some(([, language, text]) => language !== 'text' && /^ *-{3,}( {2}-+)+$/m.test(text))
  })
  expect(unmarked).toEqual([])
})
