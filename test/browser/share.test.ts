import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { unpackRun } from '../../compare/scenario/index.ts'
import { temporaryFolder } from '../compare/command.ts'
import { examples } from '../compare/playScene.ts'
import { whole } from '../dailyModels.ts'
import { builtViewer, goTo, hashAt, saved, sceneStands, setFigure, textFile } from './builtViewer.ts'

const folder = temporaryFolder()
const viewer = builtViewer()

/** Drops a scenario with its controller, and gives its hash after 50 steps. */
async function dropStopAtWall(page: Page): Promise<string> {
  const files = ['stop-at-wall.yaml', 'stopAtWall.ts'].map((name) => textFile(name, readFileSync(join(examples, name))))
  await page.locator('#files').setInputFiles(files)
  await sceneStands(page)
  return hashAt(page, 50)
}

async function linkOf(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy a link to this run' }).click()
  const notice = page.locator('#notice pre')
  await expect.poll(() => notice.textContent()).toContain('#run=')
  return `?play=0#${((await notice.textContent()) as string).split('#')[1]}`
}

test('a link to an own robot with other settings opens the same run in a fresh page', async () => {
  const { page } = await viewer.open('?robot=quadruped&models=lcp&dt=0.002&play=0')
  await setFigure(page, 'friction', '0.35')
  const hash = await hashAt(page, 60)
  const link = await linkOf(page)
  const other = await viewer.open(link)
  expect(await hashAt(other.page, 60)).toBe(hash)
})

test('a link holds the files that its run read, and no others that were dropped', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  const urdf = `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <visual><geometry><mesh filename="look.obj"/></geometry></visual><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>`
  const files = {
    'scene.yaml': 'robot: r.urdf\ncontroller: still.js\nmodels: [ncp]\ndt: 1 ms\n',
    'r.urdf': urdf,
    'look.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
    'still.js': "import { n } from './n.js'\nexport default { init: () => 0, update: () => new Array(n).fill(0) }",
    'n.js': 'export const n = 0',
    'private.yaml': 'key: canary',
    'other.urdf': urdf,
  }
  const drop = Object.entries(files).map(([name, text]) => textFile(name, Buffer.from(text)))
  await page.locator('#files').setInputFiles(drop)
  await sceneStands(page)
  await hashAt(page, 5)
  const run = await unpackRun((await linkOf(page)).slice('?play=0'.length))
  expect([...(run?.files.keys() ?? [])].sort()).toEqual(['look.obj', 'n.js', 'r.urdf', 'scene.yaml', 'still.js'])
  expect(await page.locator('#notice strong').textContent()).toMatch(/it holds .*n\.js \(1 kB\)/)
})

whole('a link to what was dropped holds its files; one that was cut off is told', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  const hash = await dropStopAtWall(page)
  const link = await linkOf(page)
  const other = await viewer.open(link)
  expect(await hashAt(other.page, 50)).toBe(hash)
  const cut = await viewer.open(link.slice(0, -40))
  await expect.poll(() => cut.page.locator('#notice pre').textContent()).toContain('cut off or changed')
})

test('one .html holds all: opened from a disk, without a network, it runs to the same hash', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp,penalty&play=0')
  const hash = await dropStopAtWall(page)
  const path = join(folder.path, 'run.html')
  writeFileSync(path, (await saved(page, 'Save one .html that runs offline')).bytes)

  const { page: alone } = await viewer.openAddress(`${pathToFileURL(path).href}?play=0`, { offline: true })
  expect(await hashAt(alone, 50)).toBe(hash)
  await alone.locator('#plot').click()
  await expect.poll(() => alone.locator('#plots canvas').count()).toBeGreaterThan(0)
})

test('embedded it shows the stage and the time line alone, and a picture is saved', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0&embed=1', { draws: true })
  expect(await page.locator('#side').isVisible()).toBe(false)
  expect(await page.locator('#play').isVisible()).toBe(true)
  await page.evaluate(() => document.documentElement.removeAttribute('data-embed'))
  const { bytes } = await saved(page, 'Save a picture (PNG)')
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(bytes.length).toBeGreaterThan(5_000)
})

test('a run goes out as glTF with a node for each body and its motion, and as a film', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0', { draws: true })
  await goTo(page, 200, 50)
  const { name, bytes } = await saved(page, 'Save the run (glTF)')
  expect(name).toMatch(/^diffdrive.*\.glb$/)
  expect(bytes.subarray(0, 4).toString()).toBe('glTF')
  const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString()) as {
    nodes: { name?: string }[]
    meshes: unknown[]
    animations: { channels: { target: { path: string } }[] }[]
  }
  for (const link of ['base_link', 'left_wheel', 'right_wheel']) expect(json.nodes.map((node) => node.name)).toContain(link)
  expect(json.meshes.length).toBeGreaterThan(2)
  expect(json.animations[0].channels.map(({ target }) => target.path).sort()).toEqual([
    'rotation',
    'rotation',
    'rotation',
    'translation',
    'translation',
    'translation',
  ])

  await page.getByRole('button', { name: 'Film the stage; again: save' }).click()
  await page.locator('#play').click()
  await page.evaluate(async () => {
    const video = document.createElement('video')
    video.srcObject = (document.querySelector('#canvas') as HTMLCanvasElement).captureStream()
    video.muted = true
    void video.play()
    for (let frame = 0; frame < 5; frame++) await new Promise((shown) => video.requestVideoFrameCallback(shown))
  })
  const film = await saved(page, 'Film the stage; again: save')
  expect(film.name).toMatch(/\.(webm|mp4)$/)
  expect(film.bytes.length).toBeGreaterThan(1_000)
})
