/**
 * The table and the scenes of docs/phenomena.md, made from docs/phenomena.json, which `featherbed phenomena --out DIR` writes, and the
 * scenes' pictures. A test compares both.
 *
 *     npm run docs
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { phenomenaGallery, phenomenaTable } from '../cases/page.ts'
import { type PhenomenaResult, sceneFiles } from '../cases/phenomena.ts'
import { scenePicture } from '../cases/picture.ts'
import { parseScene } from '../cases/scene.ts'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const result = JSON.parse(readFileSync(`${docs}phenomena.json`, 'utf8')) as PhenomenaResult
const page = readFileSync(`${docs}phenomena.md`, 'utf8')
const between = (text: string, name: string, content: string) => {
  const [begin, end] = [`<!-- ${name} -->\n`, '<!-- end -->']
  const from = text.indexOf(begin) + begin.length
  return `${text.slice(0, from)}${content}\n${text.slice(text.indexOf(end, from))}`
}
writeFileSync(`${docs}phenomena.md`, between(between(page, 'table', phenomenaTable(result)), 'scenes', phenomenaGallery(result)))
mkdirSync(`${docs}images/phenomena`, { recursive: true })
for (const { file, source } of sceneFiles([])) {
  const scene = await parseScene(source, file)
  writeFileSync(`${docs}images/phenomena/${scene.name}.svg`, await scenePicture(scene))
}
