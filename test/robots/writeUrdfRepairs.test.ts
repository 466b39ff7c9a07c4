import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

test('docs/robots.md lists every change that the loader makes', () => {
  const docs = readFileSync(folder('docs/robots.md'), 'utf8')
  const sources = readdirSync(folder('robots'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const codes = sources.flatMap((file) => {
    const text = readFileSync(join(folder('robots'), file), 'utf8')
    return [...text.matchAll(/\.repair\(\s*'([a-z-]+)'/g)].map(([, code]) => code)
  })
  // the table would be empty if repairs were written another way
  expect(codes.length).toBeGreaterThan(20)
  expect([...new Set(codes)].filter((code) => !docs.includes(`\`${code}\``))).toEqual([])
})
