/** A report's replay draws robots as their files say they look. */
import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compare, resultsFile } from '../../compare/judge/compare.ts'
import { type PageData, type ReplayScene, sceneOf } from '../../compare/recording/replay/index.ts'
import { marksOf } from '../../compare/report/replayData.ts'
import { reportOf } from '../../compare/report/report.ts'
import type { Shown, Subject } from '../../compare/report/subject.ts'
import { looksOfRobots } from '../../compare/run/robotLooks.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import type { RobotCache } from '../../compare/scenario/world/files.ts'
import { temporaryFolder } from './command.ts'

const folder = temporaryFolder()

/** A report of two variants of a robot, and what its replay draws in each. */
async function reported(robot: string): Promise<{ html: string; data: PageData; scenes: ReplayScene[] }> {
  const robots: RobotCache = new Map()
  const sweep = { 'physical.friction': [0.4, 0.8] }
  const scenario = await checkScenario({ robots: [robot], models: ['ncp'], dt: [5e-3], duration: 0.05, sweep })
  const comparison = await compare(scenario, { threads: 0, robots })
  const file = resultsFile([comparison], { command: 'featherbed compare', load: { processors: 2, load: 0 } })
  const html = reportOf(file, [comparison.plots], undefined, await looksOfRobots(robots))
  const data: PageData = JSON.parse(/id="replay-data">(.*?)<\/script>/s.exec(html)?.[1] ?? '')
  const lineOf = (block: number) => inflateRawSync(Buffer.from(data.blocks[block], 'base64')).toString()
  return { html, data, scenes: data.scenes.map((lines) => sceneOf(lines.map(lineOf).join('\n'))) }
}

const link = (inside: string) =>
  `<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
   <collision><geometry><box size="1 1 1"/></geometry></collision>${inside}</link></robot>`
const visual = (geometry: string, rgba: string) =>
  `<visual><origin xyz="0 0 2"/><geometry>${geometry}</geometry><material name="${rgba}"><color rgba="${rgba}"/></material></visual>`

test('primitives in the colours of their file, in place of what touches', async () => {
  const file = folder.write(
    'plain.urdf',
    link(visual('<sphere radius="0.3"/>', '1 0 0 1') + visual('<box size="1 1 1"/>', '0 0 1 1')),
  )
  const [{ robot }] = (await reported(file)).scenes
  expect(robot.shapes.map(({ shape: { type }, color, p }) => [type, color, p[2]])).toEqual([
    ['sphere', [1, 0, 0], 2],
    ['box', [0, 0, 1], 2],
  ])
})

/** A binary STL file of a torus. */
function torus(rings: number, sides: number): Uint8Array {
  const at = (i: number, j: number) => {
    const [u, v] = [(2 * Math.PI * i) / rings, (2 * Math.PI * j) / sides]
    return [(1 + 0.3 * Math.cos(v)) * Math.cos(u), (1 + 0.3 * Math.cos(v)) * Math.sin(u), 0.3 * Math.sin(v)]
  }
  const view = new DataView(new ArrayBuffer(84 + 50 * 2 * rings * sides))
  view.setUint32(80, 2 * rings * sides, true)
  let offset = 84
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < sides; j++) {
      const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
      for (const corners of [
        [a, b, c],
        [a, c, d],
      ]) {
        for (const [k, x] of corners.flat().entries()) view.setFloat32(offset + 12 + 4 * k, x, true)
        offset += 50
      }
    }
  }
  return new Uint8Array(view.buffer)
}

test('a fine mesh with fewer triangles, once for all variants, in a report below 3 MB', async () => {
  folder.write('torus.stl', torus(400, 200))
  const { html, data, scenes } = await reported(
    folder.write('fine.urdf', link(visual('<mesh filename="torus.stl"/>', '0 1 0 1'))),
  )
  const [{ robot }] = scenes
  const [{ shape, color }] = robot.shapes
  expect(color).toEqual([0, 1, 0])
  if (shape.type !== 'mesh') throw new Error(shape.type)
  const { vertices, triangles } = shape.mesh
  expect(triangles.length / 3).toBeGreaterThan(30_000)
  expect(triangles.length / 3).toBeLessThanOrEqual(40_000)
  // all of it is on the torus still
  for (let i = 0; i < vertices.length; i += 3) {
    const aside = Math.hypot(vertices[i], vertices[i + 1]) - 1
    expect(Math.abs(Math.hypot(aside, vertices[i + 2]) - 0.3)).toBeLessThan(3e-3)
  }
  expect(data.scenes).toEqual([[0, 1], ...data.scenes.slice(1).map(() => [expect.any(Number), 1])])
  expect(html.length).toBeLessThan(3e6)
})

test('a mesh that cannot be read as what touches, in the colour of its material, which the report says', async () => {
  const { html, scenes } = await reported(folder.write('lost.urdf', link(visual('<mesh filename="lost.stl"/>', '1 1 0 1'))))
  expect(scenes[0].robot.shapes.map(({ shape: { type }, color, p }) => [type, color, p[2]])).toEqual([['box', [1, 1, 0], 0]])
  expect(html).toContain('Collision shapes stand in for meshes that could not be read: lost.stl.')
})

test('more shapes than a page can draw are counted and stood in for', async () => {
  const balls = Array.from({ length: 2001 }, () => visual('<sphere radius="0.1"/>', '1 0 0 1')).join('')
  const { html, scenes } = await reported(folder.write('many.urdf', link(balls)))
  expect(scenes[0].robot.shapes.map(({ shape: { type } }) => type).filter((type) => type === 'sphere')).toHaveLength(2000)
  expect(scenes[0].robot.shapes.at(-1)?.shape.type).toBe('box')
  expect(html).toContain('could not be read: sphere.')
})

test('bookmarks: where a motion leaves its limit, where a law is broken the most, where a run broke off', () => {
  const run = {
    status: 'failed',
    laws: [
      { law: 'cone', value: 0.5, limit: 0.01, detail: 'at t = 0.2 s, a on b' },
      { law: 'signorini', value: 0.01, limit: 0.05, detail: 'at t = 0.1 s' },
    ],
  }
  const plots = { tracking: { t: [0, 0.3, 0.6], tracking: [0, 0.02, 0], energy: [] }, replay: { frames: { t: [0, 0.7] } } }
  const marks = marksOf({ run, plots } as unknown as Shown, { tracking: 0.01 } as unknown as Subject['limits'])
  expect(marks.map(({ t, text }) => [t, text.slice(0, 10)])).toEqual([
    [0.2, 'leaves the'],
    [0.3, 'its motion'],
    [0.7, 'it broke o'],
  ])
})
