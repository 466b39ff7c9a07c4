import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examples } from '../compare/playScene.ts'
import { type BuiltViewer, type HookWindow, openBuiltViewer } from './builtViewer.ts'

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
  await expect.poll(() => notice.textContent(), { timeout: 20_000 }).toContain('#run=')
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
  await expect.poll(() => cut.page.locator('#notice pre').textContent(), { timeout: 20_000 }).toContain('cut off or changed')
  await cut.page.close()
  await page.close()
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
