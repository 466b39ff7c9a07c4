import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { doJob } from '../../compare/run/run.ts'
import { parseScenario } from '../../compare/scenario/index.ts'
import { prepareWorld } from '../../compare/scenario/world/files.ts'

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
