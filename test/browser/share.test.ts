import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../compare/command.ts'
import { examples } from '../compare/playScene.ts'
import { type BuiltViewer, type HookWindow, openBuiltViewer } from './builtViewer.ts'

const folder = temporaryFolder()
let viewer: BuiltViewer
beforeAll(async () => {
  viewer = await openBuiltViewer()
})
afterAll(() => viewer?.close())

/** Hash of the first run after so many steps. */
async function hashAt(page: Page, step: number): Promise<string> {
  await page.evaluate((step) => (window as unknown as HookWindow).featherbed.session.lanes[0].advance(step, step), step)
  await page.waitForFunction((step) => (window as unknown as HookWindow).featherbed.session.lanes[0].reached >= step, step)
  return page.evaluate((step) => (window as unknown as HookWindow).featherbed.session.lanes[0].history.at(step)?.hash ?? '', step)
}

async function linkOf(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy a link to this run' }).click()
  const notice = page.locator('#notice pre')
  await expect.poll(() => notice.textContent()).toContain('#run=')
  return `?play=0#${((await notice.textContent()) as string).split('#')[1]}`
}

test('a link to an own robot with other settings opens the same run in a fresh page', async () => {
  const { page } = await viewer.open('?robot=quadruped&models=lcp&dt=0.002&play=0')
  const friction = page.locator('.lil-controller', { hasText: 'friction' }).locator('input[type=text]').first()
  await friction.fill('0.35')
  await friction.press('Enter')
  const hash = await hashAt(page, 60)
  const link = await linkOf(page)
  const other = await viewer.open(link)
  expect(await hashAt(other.page, 60)).toBe(hash)
  expect(other.problems).toEqual([])
  await other.page.close()
  await page.close()
})

test('a link to what was dropped holds its files; one that was cut off is told', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: readFileSync(join(examples, name)) })
  await page.locator('#files').setInputFiles([file('stop-at-wall.yaml'), file('stopAtWall.ts')])
  await page.waitForFunction(() => (window as unknown as HookWindow).featherbed.session.lanes[0].setup?.scene !== undefined)
  await page.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
  const hash = await hashAt(page, 50)
  const link = await linkOf(page)
  const other = await viewer.open(link)
  expect(await hashAt(other.page, 50)).toBe(hash)
  await other.page.close()
  const cut = await viewer.open(link.slice(0, -40))
  await expect.poll(() => cut.page.locator('#notice pre').textContent()).toContain('cut off or changed')
  await cut.page.close()
  await page.close()
})

test('one .html holds all: opened from a disk, without a network, it runs to the same hash', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp,penalty&play=0')
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: readFileSync(join(examples, name)) })
  await page.locator('#files').setInputFiles([file('stop-at-wall.yaml'), file('stopAtWall.ts')])
  await page.waitForFunction(() => (window as unknown as HookWindow).featherbed.session.lanes[0].setup?.scene !== undefined)
  await page.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
  const hash = await hashAt(page, 50)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save one .html that runs offline' }).click(),
  ])
  const path = join(folder.path, 'run.html')
  await download.saveAs(path)
  await page.close()

  const context = await viewer.browser.newContext({ offline: true, viewport: { width: 900, height: 600 } })
  const alone = await context.newPage()
  alone.setDefaultTimeout(60_000)
  const problems: string[] = []
  alone.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  alone.on('pageerror', (error) => problems.push(error.message))
  await alone.goto(`${pathToFileURL(path).href}?play=0`)
  await alone.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
  expect(await hashAt(alone, 50)).toBe(hash)
  await alone.locator('#plot').click()
  await expect.poll(() => alone.locator('#plots canvas').count()).toBeGreaterThan(0)
  expect(problems).toEqual([])
  await context.close()
})

test('embedded it shows the stage and the time line alone, and a picture is saved', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0&embed=1')
  expect(await page.locator('#side').isVisible()).toBe(false)
  expect(await page.locator('#play').isVisible()).toBe(true)
  await page.evaluate(() => document.documentElement.removeAttribute('data-embed'))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save a picture (PNG)' }).click(),
  ])
  const bytes = readFileSync((await download.path()) as string)
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(bytes.length).toBeGreaterThan(5_000)
  await page.close()
})

test('a run goes out as glTF with a node for each body and its motion, and as a film', async () => {
  const { page, problems } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  await hashAt(page, 100)
  await page.evaluate(() => (window as unknown as HookWindow).featherbed.session.lanes[0].advance(200, 50))
  await page.waitForFunction(() => (window as unknown as HookWindow).featherbed.session.lanes[0].reached >= 200)
  const saved = async (button: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
    return { name: download.suggestedFilename(), bytes: readFileSync((await download.path()) as string) }
  }
  const { name, bytes } = await saved('Save the run (glTF)')
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
  await page.waitForTimeout(1500)
  const film = await saved('Film the stage; again: save')
  expect(film.name).toMatch(/\.(webm|mp4)$/)
  expect(film.bytes.length).toBeGreaterThan(1_000)
  expect(problems).toEqual([])
  await page.close()
})
