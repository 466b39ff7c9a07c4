import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { engineSettings, phenomenaGallery, phenomenaPage, phenomenaTable, recordSource, tableParts } from '../../cases/page.ts'
import {
  differences,
  farthestValue,
  longestStep,
  medianCost,
  type PhenomenaResult,
  runPhenomena,
  sceneFiles,
  sceneNames,
} from '../../cases/phenomena.ts'
import { scenePicture } from '../../cases/picture.ts'
import { sceneReplay, shownRows } from '../../cases/replay.ts'
import { parseScene } from '../../cases/scene.ts'
import { setupWords } from '../../cases/setupWords.ts'
import { trialOf } from '../../cases/trial.ts'
import { adaptersOf } from '../../engines/index.ts'
import { full } from '../dailyModels.ts'

/** Those that are installed with the tests. */
const npmEngines = ['cannon', 'jolt', 'mujoco', 'rapier']
const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const kept = JSON.parse(readFileSync(path('docs/phenomena.json'), 'utf8')) as PhenomenaResult

test('all scenes can be read, and stand in the kept table', async () => {
  const scenes = await Promise.all(sceneFiles([]).map(({ file, source }) => parseScene(source, file)))
  expect(scenes.map(({ name }) => name)).toEqual(sceneNames())
  expect(kept.scenes.map(({ name }) => name)).toEqual(sceneNames())
  expect(kept.scenes.map(({ setup }) => setup)).toEqual(scenes.map(({ setup }) => setup))
  for (const { cases } of scenes)
    for (const { measures } of cases) for (const { within } of measures) expect(within).toBeGreaterThan(0)
})

test('a set-up states every field, constants worked out, and once for all bodies what they have in common', async () => {
  const stated = {
    bodies: [
      { name: 'a', shape: { type: 'sphere', radius: '(0.1)/2' }, mass: '200 g', position: [0, 0, '2*(0.03)'] },
      { name: 'b', shape: { type: 'sphere', radius: 0.05 }, mass: '200 g', position: [1, 0, 0], motion: { rpy: [0, 0, '5*t'] } },
    ],
    obstacles: [
      {
        type: 'hull',
        points: [
          [0, 0, 1],
          [0, 2, 0],
          [-3, 0, 0],
        ],
      },
    ],
    controller: 'hold',
    physical: { friction: '1/3' },
  }
  expect(await setupWords(stated)).toBe(
    'bodies (each sphere of radius 0.05, mass 200 g): a position (0, 0, 0.06) | b position (1, 0, 0), motion {rpy (0, 0, 5*t)}; ' +
      'obstacles: hull of 3 points, x -3 to 0, y 0 to 2, z 0 to 1; controller hold; physical {friction 0.3333}',
  )
})

test('a sample comes out as in the kept table', async () => {
  const sample = full ? [] : ['slide-to-roll']
  const models = full ? undefined : ['penalty', 'lcp', 'ncp']
  const result = await runPhenomena({ scenes: sample, models, engines: npmEngines, threads: 0, version: '' })
  expect(result.missing).toEqual([])
  expect(differences(kept, result)).toEqual([])
})

test('the table and the scenes of docs/phenomena.md, and the record of the models, are those of docs/phenomena.json, with a picture each', () => {
  const page = readFileSync(path('docs/phenomena.md'), 'utf8')
  for (const part of Object.values(tableParts)) expect(page).toContain(phenomenaTable(kept, part))
  expect(page).toContain(engineSettings(kept))
  expect(page).toContain(phenomenaGallery(kept))
  expect(readFileSync(path('compare/judge/record.ts'), 'utf8')).toBe(recordSource(kept))
  for (const { name } of kept.scenes) expect(readFileSync(path(`docs/images/phenomena/${name}.svg`), 'utf8')).toMatch(/^<svg/)
})

test('docs/phenomena.md shows a scene that is one', async () => {
  const [, source] = /^```yaml\n(title:.*?)```/ms.exec(readFileSync(path('docs/phenomena.md'), 'utf8')) as RegExpExecArray
  const { cases } = await parseScene(source, 'shown.yaml')
  expect(cases.map(({ measures }) => measures[0].nature)).toEqual([expect.closeTo(16.3099, 4), expect.closeTo(4.0775, 4)])
})

test('the page has of each measure the value that is farthest from nature, with its unit, and the time per simulated second of each column', () => {
  const scene = kept.scenes.find(({ name }) => name === 'gripper-holds')!
  const row = scene.rows.find(({ column, dt }) => column === 'penalty' && dt === 1e-3)!
  // slip of regularised friction: stick speed times load over limit, 1e-4 * 0.2 * 9.81 / (2 * 0.6 * 2.5)
  const creep = farthestValue(scene, row, 0)!
  expect(creep).toBeCloseTo(-6.54e-5, 8)
  const two = { ...scene, cases: [scene.cases[0], scene.cases[0]] }
  expect(farthestValue(two, { ...row, values: [[0.1], [-0.2]] }, 0)).toBe(-0.2)
  expect(farthestValue(two, { ...row, values: [[], [null]] }, 0)).toBeNull()

  const cost = (costs: number[]) => ({
    ...kept,
    scenes: [{ ...scene, rows: costs.map((cost) => ({ ...row, cost })) }],
  })
  expect(medianCost(cost([0.3, 0, 0.1, 0.2]), 'penalty')).toBe(0.2)
  expect(medianCost(cost([0]), 'penalty')).toBe(0)

  const page = phenomenaPage({ ...kept, scenes: [scene] }, 'featherbed phenomena', [
    {
      words: '',
      stills: '',
      subject: { name: '', duration: 1, limits: { penetration: 0, tracking: 0, energy: 0 }, runs: [] },
    },
  ])
  expect(page).toContain('<th>creep [m/s]</th><th>whether it is held [m]</th>')
  expect(page).toContain(`<td>${Number(creep.toPrecision(3))}</td>`)
  expect(page).toContain('<th>time per simulated second</th>')
})

test('a picture shows what moves and what is fixed, three times, and nothing beyond numbers', async () => {
  const [{ file, source }] = sceneFiles(['two-balls-dropped'])
  const picture = await scenePicture(await parseScene(source, file))
  expect(picture.match(/<circle /g)).toHaveLength(6)
  expect(picture).not.toContain('NaN')
  const [{ file: other, source: text }] = sceneFiles(['wrecking-ball'])
  const rope = await scenePicture(await parseScene(text, other))
  expect(rope.match(/<line /g)).toHaveLength(12)
})

test('beside what holds stands in each scene what is furthest off at the same step, of all columns', () => {
  const columns = kept.columns.map(({ name }) => name)
  for (const scene of kept.scenes) {
    const [first, second] = shownRows(scene, columns)
    expect(first.verdict === 'holds' || longestStep(scene, first.column) === 0).toBe(true)
    const missing = (at: number) =>
      scene.rows.flatMap(({ dt, column, verdict, score }) =>
        dt === at && column !== first.column && verdict === 'misses' ? (score ?? []) : [],
      )
    expect(second?.score).toBe(missing(first.dt).toSorted((a, b) => b - a)[0])
    if (second === undefined && first.verdict === 'holds')
      for (const dt of scene.steps_s.filter((step) => step <= first.dt)) expect(missing(dt)).toEqual([])
  }
})

test('a page plays two runs of a scene, those of an engine from outside too, and loads nothing', async () => {
  const [{ file, source }] = sceneFiles(['billiard'])
  const scene = await parseScene(source, file)
  const result = await runPhenomena({ scenes: ['billiard'], models: ['lcp'], engines: ['rapier'], threads: 0, version: '' })
  const replay = await sceneReplay(scene, result.scenes[0], result)
  const { duration, runs } = replay.subject
  expect(runs.map(({ model, role }) => `${model} ${role}`)).toEqual(['lcp holds', 'Rapier misses'])
  for (const { plots } of runs) {
    const { t, q } = plots.replay?.frames ?? { t: [], q: [] }
    expect(t.at(-1)).toBeCloseTo(duration, 9)
    const nq = q.length / t.length
    // the ball that was thrown is elsewhere at the end
    expect(Math.max(...[...q.slice(-nq)].map((x, k) => Math.abs(x - q[k])))).toBeGreaterThan(0.1)
  }
  const page = phenomenaPage(result, 'featherbed phenomena billiard', [replay])
  expect(page).toContain('data-subject="0"')
  expect(page).not.toMatch(/src=|href="http/)
})

describe('engines from outside', () => {
  const free = `
title: Double pendulum that swings freely
nature: as Lagrange has it
source: our own dynamics, which agree with MuJoCo's to 1e-12
contactless: true
scenario:
  robot: docs/examples/verdicts/double-pendulum.urdf
  base: fixed
  controller: none
  start: { position: [0, 0, 3], rpy: [0.3, 0.2, 0.5] }
  ground: false
  duration: 0.5 s
  dt: 0.5 ms
measures:
  - { name: first, of: JOINT1.q, nature: 0, within: 1 }
  - { name: second, of: JOINT2.q, nature: 0, within: 1 }
  - { name: speed, of: JOINT2.v, nature: 0, within: 1 }
`
  test('joints, axes and inertias arrive in each of them', async () => {
    const urdf = readFileSync(path('docs/examples/verdicts/double-pendulum.urdf'), 'utf8')
    const joints = [...urdf.matchAll(/<joint name="([^"]+)" type="(?:continuous|revolute)"/g)].map(([, name]) => name)
    const text = free.replaceAll('JOINT1', joints[0]).replaceAll('JOINT2', joints[1])
    const scene = await parseScene(text, path('pendulum.yaml'))
    const names = ['ncp', ...(await Promise.all(npmEngines.map(adaptersOf))).flat().map(({ name }) => name)]
    const [ours, ...theirs] = await Promise.all(names.map((column) => trialOf({ scene, at: 0, column, dt: 5e-4 })))
    expect(ours.status).toBe('measured')
    expect(Math.abs(ours.values[0])).toBeGreaterThan(0.1)
    for (const { status, values } of theirs) {
      expect(status).toBe('measured')
      for (const [k, value] of values.entries()) expect(Math.abs(value - ours.values[k])).toBeLessThan(0.01)
    }
  })

  test('of a body with several surfaces the one that touches rubs: a sled slows by mu g', async () => {
    const geoms = [
      '<geom type="box" size=".2 .1 .05" pos="0 0 .05" friction=".5"/>',
      '<geom type="box" size=".1 .1 .05" pos="0 0 .15" friction="0.01"/>',
    ]
    const folder = mkdtempSync(join(tmpdir(), 'sled-'))
    // cannon-es has mu m g at each of the four points
    const engines = npmEngines.filter((name) => name !== 'cannon')
    const names = (await Promise.all(engines.map(adaptersOf))).flat().map(({ name }) => name)
    for (const order of [geoms, geoms.toReversed()]) {
      writeFileSync(
        join(folder, 'sled.xml'),
        `<mujoco><worldbody><body name="sled"><freejoint/><inertial pos="0 0 .02" mass="2" diaginertia=".1 .1 .1"/>${order.join('')}</body></worldbody></mujoco>`,
      )
      const scene = await parseScene(
        `
title: Sled
nature: it slows by mu g
source: closed form
scenario:
  robot: sled.xml
  controller: none
  start: { linearVelocity: [2, 0, 0] }
  duration: 0.2 s
  dt: 1 ms
measures: [{ name: speed, of: sled.vx, nature: 1, within: 1 }]
`,
        join(folder, 'sled.yaml'),
      )
      for (const column of names) {
        const { status, values, why } = await trialOf({ scene, at: 0, column, dt: 1e-3 })
        expect(`${column} ${status} ${why}`).toBe(`${column} measured `)
        expect(Math.abs(values[0] - (2 - 0.5 * 9.81 * 0.2)), `${column} ${values[0]}`).toBeLessThan(0.05)
      }
    }
  })

  test('what an engine has no word for blocks its row, with the reason', async () => {
    const scene = await parseScene(
      `
title: Ellipsoid
nature: it lies
source: none
scenario:
  bodies: [{ name: egg, shape: { type: ellipsoid, radii: [0.1, 0.1, 0.2] }, mass: 1, position: [0, 0, 0.2] }]
  duration: 0.01 s
  dt: 1 ms
measures: [{ name: height, of: egg.z, nature: 0.2, within: 0.1 }]
`,
      path('egg.yaml'),
    )
    expect(await trialOf({ scene, at: 0, column: 'Rapier', dt: 1e-3 })).toMatchObject({
      status: 'blocked',
      why: 'a shape of the kind ellipsoid',
    })
    expect((await trialOf({ scene, at: 0, column: 'MuJoCo', dt: 1e-3 })).status).toBe('measured')
  })

  test('boxes with rounding block it in every engine', async () => {
    const scene = await parseScene(
      `
title: Die
nature: it lies
source: none
scenario:
  bodies: [{ name: die, shape: { type: box, size: [0.1, 0.1, 0.1], rounding: 0.02 }, mass: 1, position: [0, 0, 0.05] }]
  duration: 0.01 s
  dt: 1 ms
measures: [{ name: height, of: die.z, nature: 0.05, within: 0.1 }]
`,
      path('die.yaml'),
    )
    for (const column of ['Rapier', 'MuJoCo', 'Jolt', 'cannon-es']) {
      const why = 'boxes with rounding, as "die" has it'
      expect(await trialOf({ scene, at: 0, column, dt: 1e-3 })).toMatchObject({ status: 'blocked', why })
    }
    expect((await trialOf({ scene, at: 0, column: 'ncp', dt: 1e-3 })).values[0]).toBeCloseTo(0.05, 6)
  })
})

test('depth is that of the two shapes that are deepest in each other, of all pairs', async () => {
  const body = (name: string, x: number, z: number) =>
    `{ name: ${name}, shape: { type: sphere, radius: 0.1 }, mass: 1, position: [${x}, 0, ${z}] }`
  const scene = await parseScene(
    `
title: Balls in each other, and in the ground
nature: by 30 and 10 mm
source: radii less distance
contactless: true
scenario:
  bodies: [${body('a', 0, 0.09)}, ${body('b', 0.17, 0.09)}, ${body('c', 1, 0.2)}]
  duration: 1 ms
  dt: 1 ms
measures: [{ name: depth, unit: m, of: depth, window: [0, 0], nature: 0.03, within: 1e-9 }]
`,
    path('balls.yaml'),
  )
  const { status, values } = await trialOf({ scene, at: 0, column: 'ncp', dt: 1e-3 })
  expect(status).toBe('measured')
  expect(values).toEqual([expect.closeTo(0.03, 12)])
})

describe('scenes that cannot be read', () => {
  const scene = (lines: string) => `
title: Box
nature: it lies
source: none
scenario:
  bodies: [{ name: box, shape: { type: box, size: [0.1, 0.1, 0.1] }, mass: 1, position: [0, 0, 0.05] }]
  duration: 1 s
${lines}`
  const measure = (line: string) => scene(`measures: [{ name: height, ${line} }]`)
  test.each([
    ['a parameter that is not there', measure('of: $up, nature: 0, within: 1'), '"$up" is none of the parameters'],
    ['a window beyond the end', measure('of: box.z, window: [0, 2], nature: 0, within: 1'), 'is not within the 1 s'],
    ['no measures', scene(''), 'measures'],
    ['a field that is none', scene('measure: 1'), 'is not a field here'],
    ['nature that is no number', measure('of: box.z, nature: high, within: 1'), 'holds "high"'],
  ])('%s', async (_, text, message) => {
    await expect(parseScene(text, 'box.yaml')).rejects.toThrow(message)
  })

  test('a quantity that the world does not have is named, with what is near', async () => {
    const read = await parseScene(measure('of: bax.z, nature: 0, within: 1'), 'box.yaml')
    const { status, why } = await trialOf({ scene: read, at: 0, column: 'ncp', dt: 1e-3 })
    expect(status).toBe('failed')
    expect(why).toContain('Did you mean box.z?')
  })
})
