import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { paintFor } from '../../compare/cli/terminal.ts'
import { contactsText } from '../../compare/cli/verbs/contacts.ts'
import { contactsAt } from '../../compare/inspect/contactsAt.ts'
import { parsePair } from '../../compare/inspect/pairFile.ts'
import { ended, featherbed, temporaryFolder } from './command.ts'
import { ball, blockObj, box, ground } from './contactsPairs.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const page = readFileSync(join(docs, 'geometry.md'), 'utf8')
const folder = temporaryFolder()
const pair = folder.write('box-on_ground.json', JSON.stringify({ a: ground, b: box([0.2, 0.1, 0.05], [0, 0, 0.024]) }))

describe('featherbed contacts', () => {
  test('--help shows an example', async () => {
    const { stdout } = await ended(0, featherbed(['contacts', '--help']))
    for (const word of ['Example:', '--json', '--quiet', '--out', 'halfspace']) expect(stdout).toContain(word)
  })

  test('--json prints one JSON document and nothing else', async () => {
    const { code, stdout, stderr } = await featherbed(['contacts', pair, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const found = JSON.parse(stdout)
    for (const key of ['distance', 'normal', 'pointA', 'pointB', 'manifold', 'penalty', 'features', 'groups']) {
      expect(found).toHaveProperty(key)
    }
    expect(found.manifold).toHaveLength(4)
  })

  test('--out writes the picture, named after the file, and says so unless it is to be quiet', async () => {
    const out = join(folder.path, 'picture.svg')
    const { code, stderr } = await featherbed(['contacts', pair, '--out', out])
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Written: ${out}\n` })
    expect(readFileSync(out, 'utf8')).toMatch(/^<svg [^>]*aria-label="box on ground">/)
    expect((await featherbed(['contacts', pair, '--out', out, '--quiet'])).stderr).toBe('')
  })

  test('a mesh is found beside the file that names it', async () => {
    folder.write('block.obj', blockObj([0.2, 0.1, 0.05]))
    const mesh = folder.write('mesh.json', JSON.stringify({ a: ground, b: { shape: { type: 'mesh', file: 'block.obj' } } }))
    const { code, stdout } = await featherbed(['contacts', mesh, '--json'])
    expect({ code, distance: JSON.parse(stdout).distance }).toEqual({ code: 0, distance: 0 })
  })

  test('what is wrong with the file is told line by line, with exit code 2, in JSON too', async () => {
    const wrong = folder.write('wrong.json', JSON.stringify({ a: { shape: { type: 'ball' } }, b: ball(-1) }))
    const { stdout, stderr } = await ended(2, featherbed(['contacts', wrong, '--json']))
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringContaining(`featherbed: ${wrong}: a.shape.type found "ball", expected one of`),
      `featherbed: ${wrong}: b.shape.radius found -1, expected a length of at least 0 m`,
    ])
    expect(JSON.parse(stdout).error.code).toBe(2)
  })

  test('files that cannot be read or written are named', async () => {
    const gone = await featherbed(['contacts', join(folder.path, 'gone.json')])
    expect(gone).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('gone.json: cannot be read (ENOENT)') })
    const nowhere = await featherbed(['contacts', pair, '--out', join(folder.path, 'no', 'picture.svg')])
    expect(nowhere).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('cannot be written (ENOENT)') })
    expect((await featherbed(['contacts'])).code).toBe(2)
  })
})

describe('docs/geometry.md', () => {
  const plain = paintFor({ isTTY: false }, {})
  const noMesh = () => {
    throw new Error('no mesh here')
  }

  test('shows what the command prints', () => {
    const file = 'docs/examples/pairs/corner-in-box.json'
    expect(page).toContain(`featherbed contacts ${file} --out`)
    const read = parsePair(readFileSync(join(docs, 'examples/pairs/corner-in-box.json'), 'utf8'), file, noMesh)
    const [, shown] = /```text\n(.*?)```/s.exec(page) as RegExpExecArray
    expect(shown).toBe(contactsText(read, contactsAt(read), plain))
  })

  test('shows a pair that is one, 1 mm deep', () => {
    const [, shown] = /```json\n(.*?)```/s.exec(page) as RegExpExecArray
    expect(contactsAt(parsePair(shown, 'shown.json', noMesh)).distance).toBeCloseTo(-0.001, 12)
  })

  test('the figures that it tells of its examples are theirs', () => {
    const readings = (name: string) =>
      contactsAt(parsePair(readFileSync(join(docs, 'examples/pairs', `${name}.json`), 'utf8'), name, noMesh))
    const greatest = (name: string) =>
      Math.max(
        ...readings(name)
          .features.filter(({ applicable }) => applicable)
          .map(({ gap }) => gap),
      )
    // 12 sides, circumscribed: 50 mm (1 / cos 15° - 1) lower
    const [plane, wheel] = [readings('cylinder-on-plane').distance!, readings('wheel-on-step').distance!]
    expect(plane - greatest('cylinder-on-plane')).toBeCloseTo(0.05 * (1 / Math.cos(Math.PI / 12) - 1), 12)
    expect(page).toContain(`here ${(1e3 * (plane - greatest('cylinder-on-plane'))).toFixed(2)} mm`)
    expect(page).toContain(`${(-1e3 * greatest('wheel-on-step')).toFixed(2)} mm deep`)
    expect(page).toContain(`${(1e3 * (greatest('wheel-on-step') - wheel)).toFixed(2)} mm less deep`)
  })
})
