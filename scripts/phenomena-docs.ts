/**
 * The table of docs/phenomena.md, made from docs/phenomena.json, which `featherbed phenomena --out DIR` writes. A test compares both.
 *
 *     npm run docs
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { phenomenaTable } from '../compare/phenomena/page.ts'
import type { PhenomenaResult } from '../compare/phenomena/phenomena.ts'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const result = JSON.parse(readFileSync(`${docs}phenomena.json`, 'utf8')) as PhenomenaResult
const page = readFileSync(`${docs}phenomena.md`, 'utf8')
writeFileSync(
  `${docs}phenomena.md`,
  page.replace(
    /(<!-- table -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}${phenomenaTable(result)}\n${end}`,
  ),
)
