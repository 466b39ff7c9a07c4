/**
 * The table and the scenes of docs/phenomena.md, and the record of the models, made from docs/phenomena.json, which
 * `featherbed phenomena --out DIR` writes, and the scenes' pictures. A test compares them.
 *
 *     npm run docs
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { engineSettings, phenomenaGallery, phenomenaTable, recordSource, tableParts } from '../cases/page.ts'
import { type PhenomenaResult, sceneFiles } from '../cases/phenomena.ts'
import { scenePicture } from '../cases/picture.ts'
import { parseScene } from '../cases/scene.ts'
import { writePage } from './table-docs.ts'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const result = JSON.parse(readFileSync(`${docs}phenomena.json`, 'utf8')) as PhenomenaResult
const part = (name: keyof typeof tableParts) => () => phenomenaTable(result, tableParts[name])
const tables = {
  ...{ models: part('models'), engines: part('engines'), settings: part('settings') },
  ...{ described: () => engineSettings(result), scenes: () => phenomenaGallery(result) },
}
writePage('phenomena.md', tables)
writeFileSync(fileURLToPath(new URL('../compare/judge/record.ts', import.meta.url)), recordSource(result))
mkdirSync(`${docs}images/phenomena`, { recursive: true })
for (const { file, source } of sceneFiles([])) {
  const scene = await parseScene(source, file)
  writeFileSync(`${docs}images/phenomena/${scene.name}.svg`, await scenePicture(scene))
}
