import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import config from '../scripts/site/.vitepress/config.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the sidebar of the site names every page of docs once, by its title', () => {
  const links = config.themeConfig.sidebar.flatMap(({ items }) => items)
  const named = links.filter(({ link }) => /^\/docs\/[^/]+$/.test(link)).map(({ link }) => `${link.slice(6)}.md`)
  const pages = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md') && name !== 'README.md')
  expect(named.sort()).toEqual(pages.sort())
  for (const { text, link } of links) if (link.startsWith('/docs/')) expect(text).not.toMatch(/\.md$/)
})

test('CITATION.cff cites the version and the licence of the package', () => {
  const cff = readFileSync(`${root}CITATION.cff`, 'utf8')
  const { version, license } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Record<string, string>
  expect(cff).toContain(`\nversion: ${version}\n`)
  expect(cff).toContain(`\nlicense: ${license}\n`)
})
