import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { loadRobotFile, locateRobot, namedRobots } from '../../robots/files.ts'
import { RobotError } from '../../robots/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-robots-'))
afterAll(() => rmSync(folder, { recursive: true }))
const sample = fileURLToPath(new URL('./mjcf/keyframes.xml', import.meta.url))
const put = (path: string): string => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(sample, join(folder, path))
  return join(folder, path)
}

test('every name stands once, with a licence', () => {
  const names = namedRobots.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { licence, file } of namedRobots) expect([licence, file].every((text) => text.length > 2)).toBe(true)
})

test('a robot is found where the environment says, in the order of the documentation', () => {
  const cached = put('cache/mujoco_menagerie/unitree_go2/go2.xml')
  const HOME = join(folder, 'nobody')
  expect(locateRobot('unitree_go2', { ROBOT_DESCRIPTIONS_CACHE: join(folder, 'cache') })).toBe(cached)
  const own = put('robots/mujoco_menagerie/unitree_go2/go2.xml')
  const both = { HOME, ROBOT_DESCRIPTIONS_CACHE: join(folder, 'cache'), FEATHERBED_ROBOTS: join(folder, 'robots') }
  expect(locateRobot('unitree_go2', both)).toBe(own)
  const cloned = put('menagerie/unitree_go2/go2.xml')
  expect(locateRobot('unitree_go2', { ...both, FEATHERBED_MENAGERIE: join(folder, 'menagerie') })).toBe(cloned)
  const pip = put(
    'env/lib/python3.12/site-packages/cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf',
  )
  expect(locateRobot('ur5', { HOME, VIRTUAL_ENV: join(folder, 'env') })).toBe(pip)
  const npm = put('project/node_modules/mujoco_menagerie/unitree_a1/a1.xml')
  expect(locateRobot('unitree_a1', { HOME }, join(folder, 'project/src/deep'))).toBe(npm)
})

test('one that is not there is named with its licence and where it was looked for; other names are no business of this', () => {
  const HOME = join(folder, 'nobody')
  expect(() => locateRobot('unitree_go2', { HOME })).toThrow(
    /BSD-3-Clause.*mujoco_menagerie.*not on this machine.*FEATHERBED_MENAGERIE/,
  )
  expect(() => locateRobot('unitree_go2', { HOME })).toThrow(RobotError)
  expect(locateRobot('nobody.urdf', { HOME })).toBeUndefined()
})

test('a robot loads by its name', () => {
  const before = process.env.FEATHERBED_MENAGERIE
  process.env.FEATHERBED_MENAGERIE = join(folder, 'menagerie')
  put('menagerie/unitree_go2/go2.xml')
  try {
    expect(loadRobotFile('unitree_go2').name).toBe('keyframes')
  } finally {
    if (before === undefined) delete process.env.FEATHERBED_MENAGERIE
    else process.env.FEATHERBED_MENAGERIE = before
  }
})
