import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examples, playScene } from '../compare/playScene.ts'
import { full } from '../dailyModels.ts'
import { type BuiltViewer, type HookWindow, openBuiltViewer } from './builtViewer.ts'

let viewer: BuiltViewer
beforeAll(async () => {
  viewer = await openBuiltViewer()
})
afterAll(() => viewer?.close())

/** A pile takes its time. */
const stepsOf = (name: string) => (!full ? 40 : name === 'pile' ? 1000 : 10_000)

/** Hash of the first run at a step. */
async function hashAt(page: Page, step: number): Promise<string> {
  await page.evaluate((step) => {
    const { session } = (window as unknown as HookWindow).featherbed
    for (const lane of session.lanes) lane.advance(step, step)
  }, step)
  const isThere = (step: number) => (window as unknown as HookWindow).featherbed.session.lanes[0].reached >= step
  await page.waitForFunction(isThere, step, { timeout: 600_000 })
  return page.evaluate((step) => (window as unknown as HookWindow).featherbed.session.lanes[0].history.at(step)?.hash ?? '', step)
}

describe('a scenario in the page', () => {
  test.each(['pile', 'slalom', 'terrain', 'conveyor', 'fourbar', 'stop-at-wall'])(
    'has the states that %s has on the command line, bit by bit',
    async (name) => {
      const { page, problems } = await viewer.open(`?robot=scene: ${name}&models=ncp&play=0`)
      await page.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
      const dt = await page.evaluate(() => (window as unknown as HookWindow).featherbed.session.dt)
      const steps = stepsOf(name)
      const world = await playScene(name, 'ncp', dt, () => {}, {}, steps)
      expect(await hashAt(page, steps)).toBe(world.hash())
      expect(problems).toEqual([])
      await page.close()
    },
    600_000,
  )

  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: readFileSync(join(examples, name)) })

  test('is taken by drop with what it names; what is missing or wrong is told', async () => {
    const { page, problems } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
    const notice = page.locator('#notice')
    const drop = (...files: { name: string; mimeType: string; buffer: Buffer }[]) => page.locator('#files').setInputFiles(files)
    await drop(file('feedforward.yaml'), file('feedforward.ts'))
    await page.waitForFunction(
      () => (window as unknown as HookWindow).featherbed.session.lanes[0].setup?.scene?.file === 'feedforward.yaml',
    )
    await page.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
    expect(await notice.isVisible()).toBe(false)

    await drop(file('feedforward.yaml'))
    await expect.poll(() => page.locator('#runs').textContent()).toContain('feedforward.ts')
    await drop({ name: 'bad.yaml', mimeType: 'text/plain', buffer: Buffer.from('robot: diffdrive\nduratoin: 1\n') })
    await expect.poll(() => notice.textContent()).toMatch(/bad.yaml:2 duratoin: is not a field here/)
    expect(problems).toEqual([])
    await page.close()
  })

  test('a script that is dropped drives the robot that stands there; one that never returns is stopped', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
    const drop = (text: string) =>
      page.locator('#files').setInputFiles([{ name: 'mine.ts', mimeType: 'text/plain', buffer: Buffer.from(text) }])
    await drop('export default { init: () => ({}), update: ({ t }: { t: number }) => [t < 1 ? 0.5 : 0, 0.5] }')
    await page.waitForFunction(() => (window as unknown as HookWindow).featherbed.session.lanes[0].setup?.scene !== undefined)
    expect((await hashAt(page, 20)).length).toBe(16)
    await drop('export default { init: () => ({}), update() { for (;;); } }')
    await page.keyboard.press(' ')
    await expect.poll(() => page.locator('#runs').textContent()).toContain('a controller that never returns')
    await page.close()
  })
})
