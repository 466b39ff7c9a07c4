/** Recordings on the page: what it writes is what Node writes, and what Node wrote it plays. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRecording } from '../../compare/recording/files.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import type { World } from '../../simulation/index.ts'
import { temporaryFolder } from '../compare/command.ts'
import { examples, playScene } from '../compare/playScene.ts'
import { whole } from '../dailyModels.ts'
import { builtViewer, goTo, saved, setFigure } from './builtViewer.ts'
import { createWorld } from './inNode.ts'

const folder = temporaryFolder()
const viewer = builtViewer()

const steps = 60
const dt = 1e-3
/** As the page has it: pieces never end by the clock. */
const calm = { flushSeconds: Number.POSITIVE_INFINITY }

function recordInNode(path: string): World {
  const world = createWorld(loadOwnRobot('quadruped'), 'ncp', { dt })
  const recording = openRecording(path, world, calm)
  recording.record()
  while (world.stepCount < steps) {
    world.step()
    recording.record()
  }
  recording.close()
  return world
}

test('a run goes out as MCAP byte by byte as Node records it, and as tables', async () => {
  const { page } = await viewer.open(`?robot=quadruped&models=ncp&dt=${dt}&play=0`)
  await goTo(page, steps, 10)
  const { name, bytes } = await saved(page, 'Save a recording (MCAP)')
  expect(name).toMatch(/^quadruped.*\.mcap$/)
  const path = join(folder.path, 'node.mcap')
  recordInNode(path)
  const node = readFileSync(path)
  expect(bytes.length).toBe(node.length)
  expect(bytes.equals(node)).toBe(true)
  const tables = await saved(page, 'Save tables (CSV)')
  expect(tables.name).toMatch(/\.zip$/)
  recordInNode(join(folder.path, 'node.csv'))
  const { unzipSync } = await import('three/addons/libs/fflate.module.js')
  const files = unzipSync(new Uint8Array(tables.bytes)) as Record<string, Uint8Array>
  expect(Buffer.from(files['state.csv']).equals(readFileSync(join(folder.path, 'node.csv')))).toBe(true)
  expect(Buffer.from(files['contacts.csv']).equals(readFileSync(join(folder.path, 'node.contacts.csv')))).toBe(true)
})

test('a recording of Node is played, state by state, to its end, and says that what is over cannot be changed', async () => {
  const path = join(folder.path, 'played.mcap')
  const world = recordInNode(path)
  const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
  await page.locator('#files').setInputFiles(path)
  await page.waitForFunction(() => window.featherbed.session.lanes[0].contactModel === 'ncp')
  await page.waitForFunction(() => window.featherbed.session.lanes[0].history.at(0) !== undefined)
  await goTo(page, steps, 10)
  const shown = await page.evaluate((step) => {
    const at = window.featherbed.session.lanes[0].history.at(step)
    return { q: Array.from(at?.q ?? []), hash: at?.hash }
  }, steps)
  expect(shown).toEqual({ q: Array.from(world.state.q), hash: world.hash() })
  await expect.poll(() => page.locator('#runs').textContent()).toContain('the recording ends here')
  await setFigure(page, 'friction', '0.2')
  await expect.poll(() => page.locator('#notice').textContent()).toContain('A recording is played')
})

whole('a recording of a scenario brings it along; what is damaged, foreign or lacks its robot is told', async () => {
  const path = join(folder.path, 'pile.mcap')
  let recording: ReturnType<typeof openRecording> | undefined
  const scenario = { name: 'pile.yaml', text: readFileSync(join(examples, 'pile.yaml'), 'utf8') }
  const world = await playScene('pile', 'ncp', 2e-3, (world) => {
    recording ??= openRecording(path, world, { info: { scenario } })
    recording.record()
  }, {}, 20) // biome-ignore format: the callback comes first
  recording?.close()
  const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
  await page.locator('#files').setInputFiles(path)
  await page.waitForFunction((nq) => window.featherbed.session.lanes[0].history.at(20)?.q.length === nq, world.model.nq)
  const notice = () => page.locator('#notice pre').textContent()
  const drop = (name: string, buffer: Buffer) =>
    page.locator('#files').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  await drop('cut.mcap', readFileSync(path).subarray(0, 300))
  await expect.poll(notice).toMatch(/cut\.mcap/)
  await drop('noise.mcap', Buffer.from('no recording at all'))
  await expect.poll(notice).toMatch(/noise\.mcap is no recording/)
  const robot = { ...loadOwnRobot('diffdrive'), name: 'stranger' }
  const stranger = openRecording(join(folder.path, 'stranger.mcap'), createWorld(robot, 'ncp'))
  stranger.record()
  stranger.close()
  await page.locator('#files').setInputFiles(join(folder.path, 'stranger.mcap'))
  await expect.poll(notice).toMatch(/recorded of "stranger".*drop the robot's folder/)
})

test('a log of ROS 2 is played beside the runs of its robot, dropped with it or after it, and stays where settings change', async () => {
  const link = (name: string) =>
    `<link name="${name}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>`
  const hinge = (name: string, parent: string, child: string) =>
    `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>`
  const arm = `<robot name="arm">${link('world')}${link('base')}<joint name="f" type="fixed"><parent link="world"/><child link="base"/></joint>${link('upper')}${link('lower')}${hinge('shoulder', 'base', 'upper')}${hinge('elbow', 'upper', 'lower')}</robot>`
  const urdf = { name: 'arm.urdf', mimeType: 'application/xml', buffer: Buffer.from(arm) }
  const buffer = readFileSync(new URL('../compare/recording/logs/log-zstd.mcap', import.meta.url))
  const log = { name: 'real.mcap', mimeType: 'application/octet-stream', buffer }
  const { page } = await viewer.open('?robot=diffdrive&models=ncp,penalty&play=0')
  const lanes = () => page.evaluate(() => window.featherbed.session.lanes.map(({ contactModel }) => contactModel))
  await page.locator('#files').setInputFiles([urdf, log])
  await expect.poll(lanes).toEqual(['ncp', 'penalty', 'real.mcap'])
  await expect.poll(() => page.locator('#notice').textContent()).toContain('arm has no joint gripper; nothing is logged of elbow')
  const at = (t: number) =>
    page.evaluate((t) => {
      const [, , lane] = window.featherbed.session.lanes
      lane.advance(200, 10)
      return Array.from(lane.at(Math.round(t / lane.dt))?.q ?? [])
    }, t)
  await expect.poll(async () => (await at(1))[0]).toBeCloseTo(0.1 * Math.sin(2), 12)
  await expect.poll(async () => (await at(0.5))[0]).toBeCloseTo(0.1 * Math.sin(1), 12)
  await setFigure(page, 'friction', '0.2')
  await expect.poll(lanes).toEqual(['ncp', 'penalty', 'real.mcap'])
  await expect.poll(async () => (await at(0.5))[0]).toBeCloseTo(0.1 * Math.sin(1), 12)
  await page.locator('#files').setInputFiles([urdf])
  await expect.poll(lanes).toEqual(['ncp', 'penalty'])
  await page.locator('#files').setInputFiles([log])
  await expect.poll(lanes).toEqual(['ncp', 'penalty', 'real.mcap'])
})
