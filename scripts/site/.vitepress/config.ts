import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { groupsOfIndex, root } from '../pages.ts'

/** Files of the repository to which pages link and that are none: the site has them as text below `files/`. */
const linked = new Set<string>()

/** GitHub's anchors, by which the pages link to each other (test/docs.test.ts). */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

/** A token of markdown-it. */
interface Token {
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}
type Rule = (
  tokens: Token[],
  i: number,
  options: unknown,
  env: { relativePath: string },
  self: { renderToken(...all: unknown[]): string },
) => string

/** Links to source files become links to their copies, and those to folders text. */
function withFiles({ renderer }: { renderer: { rules: Record<string, Rule | undefined> } }): void {
  const others = renderer.rules.link_open
  renderer.rules.link_open = (tokens, i, options, env, self) => {
    const href = tokens[i].attrGet('href') ?? ''
    const file = posix.join(posix.dirname(sourceOf(env.relativePath)), href.split('#')[0])
    const isFile = !/^(\w+:|#|\/)/.test(href) && !/\.md(#|$)/.test(href) && existsSync(root + file)
    tokens[i].attrSet('href', href.replace(/^((?:[\w.-]+\/)*)README\.md/, '$1index.md'))
    if (!isFile) return others ? others(tokens, i, options, env, self) : self.renderToken(tokens, i, options)
    if (statSync(root + file).isDirectory()) return '<a>'
    linked.add(file)
    tokens[i].attrSet('href', `${'../'.repeat(env.relativePath.split('/').length - 1)}files/${file}.txt`)
    tokens[i].attrSet('target', '_blank')
    return self.renderToken(tokens, i, options)
  }
}

/** Pages that the site has by other names, in folders as deep. */
const docs = 'docs'
const rewrites = {
  'README.md': 'index.md',
  [`${docs}/README.md`]: `${docs}/index.md`,
  [`${docs}/examples/scale/README.md`]: `${docs}/examples/scale/index.md`,
  'scripts/site/live.md': `${docs}/live/index.md`,
}
const sourceOf = (page: string) => Object.entries(rewrites).find(([, name]) => name === page)?.[0] ?? page

export default {
  title: 'Featherbed',
  description: 'One robot and one controller under thirteen published contact models',
  srcDir: '../..',
  srcExclude: ['{node_modules,dist,results,bench,findings}/**'],
  outDir: '../../results/site',
  cacheDir: '../../results/.site',
  base: process.env.FEATHERBED_BASE ?? '/',
  rewrites,
  cleanUrls: false,
  lastUpdated: false,
  markdown: { anchor: { slugify }, config: withFiles },
  vite: { publicDir: false, build: { chunkSizeWarningLimit: 5000 } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Try it', link: '/docs/live/' },
      { text: 'API', link: '/api/index.html', target: '_self' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'Featherbed',
        items: [
          { text: 'What it is', link: '/' },
          { text: 'Try it', link: '/docs/live/' },
          { text: 'All pages', link: '/docs/' },
        ],
      },
      ...groupsOfIndex().map((group, i) => ({ ...group, collapsed: i > 0 })),
      {
        text: 'Project',
        collapsed: true,
        items: [
          { text: 'Contributing', link: '/CONTRIBUTING' },
          { text: 'Security', link: '/SECURITY' },
          { text: 'Changes', link: '/CHANGELOG' },
        ],
      },
    ],
  },
  buildEnd({ outDir }: { outDir: string }) {
    for (const file of linked) {
      const copy = join(outDir, 'files', `${file}.txt`)
      mkdirSync(dirname(copy), { recursive: true })
      copyFileSync(root + file, copy)
    }
  },
}
