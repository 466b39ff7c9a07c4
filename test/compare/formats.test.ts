import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { doJob } from '../../compare/run/run.ts'
import { parseScenario } from '../../compare/scenario/index.ts'
import { createWorld, prepare, prepareWorld } from '../../compare/scenario/world/files.ts'
import { varied } from '../../compare/scenario/world/vary.ts'

/*
 * Robots of other formats in scenarios.
 */

const pathOf = (name: string) => fileURLToPath(new URL(`../robots/${name}`, import.meta.url))
const read = (robot: string, more: string) =>
  parseScenario(`robot: ${pathOf(robot)}\nduration: 0.05\ndt: 1e-3\n${more}`, 'file.yaml')

test('a scenario starts a robot of MJCF in one of its keyframes, where that says', async () => {
  const scenario = await read('mjcf/keyframes.xml', 'start: {pose: crouch}\n')
  const { members } = await prepareWorld(scenario, scenario.robots[0])
  expect([...members[0].q].map((x) => Number(x.toFixed(8)))).toEqual([0, 0, 0.4, 0, 0.19899748, 0, 0.98, 1, -2])
  const run = await doJob({ kind: 'run', scenario, robot: scenario.robots[0], model: scenario.models[0], dt: 1e-3 })
  expect(run.status).toBe('ok')
})

test('a pose that is not there is an error that lists those that are', async () => {
  const scenario = await read('mjcf/keyframes.xml', 'start: {pose: fly}\n')
  await expect(prepareWorld(scenario, scenario.robots[0])).rejects.toThrow(/start.pose.*"fly".*stand.*crouch/)
})

test('loops of a robot file are closed, and what stands around in it is touched', async () => {
  const loops = await read('mjcf/loops.xml', 'ground: false\n')
  expect((await doJob({ kind: 'run', scenario: loops, robot: loops.robots[0], model: loops.models[0], dt: 1e-3 })).status).toBe(
    'ok',
  )
  const yard = await read('sdf/world.sdf', '')
  const { fixtures } = await prepareWorld(yard, yard.robots[0])
  expect(fixtures.map(({ name }) => name)).toEqual(['ground', 'wall::l'])
  expect((await doJob({ kind: 'run', scenario: yard, robot: yard.robots[0], model: yard.models[0], dt: 1e-3 })).status).toBe('ok')
})

test('the ground has the friction of the plane in whose place it stands, where the scenario states none', async () => {
  const around = async (more: string) => {
    const scenario = await read('mjcf/contacts.xml', more)
    return (await prepareWorld(scenario, scenario.robots[0])).fixtures.map(({ name, friction }) => [name, friction])
  }
  expect(await around('')).toEqual([
    ['ground', 0.4],
    ['wall', 0.3],
  ])
  expect(await around('ground: {friction: 0.9}\n')).toEqual([
    ['ground', 0.9],
    ['wall', 0.3],
  ])
  expect(await around('ground: false\n')).toEqual([
    ['surrounding1', 0.4],
    ['wall', 0.3],
  ])
})

describe('friction of MuJoCo geoms in a scenario', () => {
  const folder = mkdtempSync(join(tmpdir(), 'geoms-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const crate = (geom: string, floor: string) => {
    const path = join(folder, 'crate.xml')
    const plane = floor === 'none' ? '' : `<geom type="plane" size="1 1 1" ${floor}/>`
    const body = `<body name="crate"><freejoint/><geom type="box" size=".1 .1 .1" ${geom}/></body>`
    writeFileSync(path, `<mujoco><worldbody>${plane}${body}</worldbody></mujoco>`)
    return path
  }
  const touching = async (geom: string, floor: string, more: string) => {
    const scenario = await parseScenario(`robot: ${crate(geom, floor)}\nduration: 1\ndt: 1e-3\n${more}`, 'file.yaml')
    const prepared = await prepare(scenario, scenario.robots[0])
    const { world } = createWorld(scenario, prepared, scenario.models[0], 1e-3)
    world.step()
    const { count, mu, rolling } = world.contacts
    return count === 0 ? undefined : [mu[0], rolling[0]]
  }

  test.each([
    // the default ground is the floor of the file, or a surface like the geom's with friction
    ['', '', '', [1, 0]],
    ['', 'none', '', [1, 0]],
    ['friction="0.3"', '', '', [1, 0]],
    ['friction="0.3"', 'none', '', [0.3, 0]],
    ['condim="1"', '', '', [1, 0]],
    ['condim="1" friction="0.4"', 'none', '', [0.4, 0]],
    ['condim="1" priority="1"', 'none', '', [0, 0]],
    ['condim="6" friction="0.7 0 0.02"', 'friction="0.2 0 0.01"', '', [0.7, 0.02]],
    // a ground that states friction
    ['', '', 'ground: {friction: 0.5}', [0.5, 0]],
    ['', '', 'ground: {friction: 1.2}', [1.2, 0]],
    ['friction="0.3"', 'friction="0.9"', 'ground: {friction: 0.5}', [0.3, 0]],
    ['', 'friction="0.9"', 'ground: {friction: 0.5}', [0.5, 0]],
    ['', '', 'ground: {rollingLength: 0.03}', [1, 0.03]],
    // one that states none
    ['', 'friction="1.1"', 'ground: {restitution: 0.5}', [1.1, 0]],
    // friction of pairs that state none, of links, and a rule
    ['', '', 'physical: {friction: 0.25}', [0.25, 0]],
    ['', 'none', 'physical: {friction: 0.25}', [0.25, 0]],
    ['friction="0.3"', 'friction="0.4"', 'physical: {friction: 0.25}', [0.4, 0]],
    ['friction="0.3" priority="3"', 'friction="0.4"', 'materials: {crate: {friction: 0.2}}', [0.2, 0]],
    ['condim="1" priority="3"', '', 'materials: {crate: {friction: 0.2}}', [0.2, 0]],
    ['friction="0.3"', 'friction="0.4"', 'combine: {friction: min}', [0.3, 0]],
    // bits of the floor
    ['contype="2" conaffinity="2"', '', 'ground: {friction: 0.5}', undefined],
    ['contype="2" conaffinity="2"', 'none', '', [1, 0]],
  ])('geom %s, floor %s, %s', async (geom, floor, more, expected) => {
    expect(await touching(geom, floor, more)).toEqual(expected)
  })
})

test('a factor on friction is one on that of geoms that state none, too', async () => {
  const scenario = await read('mjcf/contacts.xml', '')
  const prepared = await prepare(scenario, scenario.robots[0])
  const frictions = (factor: number) => {
    const to = varied(scenario, prepared, { friction: factor })
    const { world } = createWorld(to.scenario, to.prepared, to.scenario.models[0], 1e-3)
    const materials = world.createDetector('manifold').materials.friction
    return [...new Set(materials.slice(0, world.shapes.length * world.fixtures.length))].filter((mu) => mu > 0).sort()
  }
  expect(frictions(1)).toEqual([1, 1.5])
  expect(frictions(0.5)).toEqual([0.5, 0.75])
})

test('a robot is set down on a wall, unless its file keeps it off', async () => {
  const scene = (more: string) => `<mujoco><worldbody><geom name="wall" type="box" size=".1 1 .4" pos="0 0 .4"/>
    <body name="ball" pos="0 0 .1"><freejoint/><geom size=".1" mass="1"/></body></worldbody>${more}</mujoco>`
  const folder = mkdtempSync(join(tmpdir(), 'wall-'))
  const height = async (more: string) => {
    writeFileSync(join(folder, 'wall.xml'), scene(more))
    const scenario = await parseScenario(`robot: ${join(folder, 'wall.xml')}\nduration: 1\ndt: 1e-3`, 'file.yaml')
    return (await prepareWorld(scenario, scenario.robots[0])).members[0].q[2]
  }
  expect(await height('')).toBeCloseTo(0.9, 6)
  expect(await height('<contact><exclude body1="world" body2="ball"/></contact>')).toBeCloseTo(0.1, 9)
  rmSync(folder, { recursive: true })
})
