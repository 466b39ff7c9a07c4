import { describe, expect, test } from 'vitest'
import { runPhenomena, sceneFiles } from '../../cases/phenomena.ts'
import { parseScene } from '../../cases/scene.ts'
import { readLog } from '../../compare/scenario/world/logFile.ts'
import { temporaryFolder } from './command.ts'

const folder = temporaryFolder()
const scene = (cases: string) => `
title: Blocks
nature: as logged
source: a log
parameters: { mu: 0.5, from: [0, 0, 0.025] }
${cases}
scenario:
  bodies: [{ name: block, shape: { type: box, size: [0.2, 0.2, 0.05] }, mass: 1, position: $from, linearVelocity: [$v, 0, 0] }]
  physical: { friction: $mu }
  duration: 0.01 s
  dt: 5 ms
measures:
  - { name: way, unit: m, of: block.x, nature: $way, within: 0.01 }
`
const blocks = folder.write('blocks.yaml', scene('cases: [{ v: 1, way: 0.1 }]'))
const bodies = { lines: '{"v": 1, "way": 0.1, "from": [1, 0, 0.025]}\n\n{"v": 2, "way": "0.2 + 0.2"}\n', table: 'v,way\n1,0.1\n' }

describe('a log', () => {
  test('of JSON lines has a case a line, with lists and expressions, and empty lines are none', async () => {
    folder.write('log.jsonl', bodies.lines)
    const { cases } = await parseScene(scene('cases: log.jsonl'), blocks)
    expect(cases.map(({ measures }) => measures[0].nature)).toEqual([0.1, 0.4])
    expect(cases.map(({ scenario }) => scenario.bodies[0].position)).toEqual([
      [1, 0, 0.025],
      [0, 0, 0.025],
    ])
  })

  test('of a table takes numbers as such, the rest as text, and an empty cell or name as nothing', async () => {
    const file = folder.write('log.CSV', '\uFEFF,v,"way, filmed",note\r\n0,-1.5e-1,2,"said ""a, b"""\r\n1, 3 ,,\r\n')
    expect(await readLog(file)).toEqual([
      { values: { v: -0.15, 'way, filmed': 2, note: 'said "a, b"' }, where: `${file}:2` },
      { values: { v: 3 }, where: `${file}:3` },
    ])
  })

  test('in place of the cases of a scene is what is run, also after the scene itself in one process', async () => {
    const log = folder.write('two.csv', 'v,way\n1,0\n2,0\n')
    const run = async (cases?: string) => {
      const options = { scenes: [blocks], cases, models: ['lcp'], engines: [], threads: 0, version: '' }
      return (await runPhenomena(options)).scenes[0].rows[0].values.flat()
    }
    const [own] = await run()
    const [slow, fast] = await run(log)
    expect(slow).toBe(own)
    expect(fast).toBeGreaterThan(1.5 * (slow as number))
  })

  test('leaves a scene that cannot be read for the one who says why', async () => {
    const broken = folder.write('broken.yaml', 'title: [')
    const [{ file, source }] = sceneFiles([broken], folder.write('any.csv', bodies.table))
    await expect(parseScene(source, file)).rejects.toThrow(`${broken}: `)
  })

  test.each([
    ['a line that is no JSON', 'a.jsonl', '{"v": 1}\n{"v": 2', 'a.jsonl:2: is no JSON'],
    ['a line that is no object', 'b.jsonl', '[1, 2]\n', 'b.jsonl:1: expected an object'],
    ['a row that is too short', 'c.csv', 'v,way\n1,2\n3\n', 'c.csv:3: has 1 cells, the first line 2'],
    ['a column twice', 'd.csv', 'v,v\n1,2\n', 'd.csv:1: two columns are named "v"'],
    ['no case', 'e.csv', 'v,way\n', 'e.csv: holds no case'],
    ['another kind of file', 'f.txt', 'v', 'f.txt: a log is a file of the kind .jsonl'],
    ['a value that a line lacks', 'g.jsonl', '{"v": 1, "way": 1}\n{"v": 2}\n', 'g.jsonl:2: "$way" is none of the parameters'],
    ['a value that is of no use', 'h.csv', 'v,way\n1,0\nfast,0\n', 'h.csv:3 scenario'],
    ['a measure that is no number', 'i.csv', 'v,way\n1,far\n', 'i.csv:2 measures "way": "far"'],
  ])('that has %s is refused with its place', async (_, name, text, message) => {
    folder.write(name, text)
    await expect(parseScene(scene(`cases: ${name}`), blocks)).rejects.toThrow(message)
  })

  test('that is not there, or a folder, is refused', async () => {
    await expect(readLog(`${folder.path}/none.csv`)).rejects.toThrow('none.csv: cannot be read (there is no such file)')
    await expect(readLog('/dev/null.csv')).rejects.toThrow('cannot be read')
  })
})
