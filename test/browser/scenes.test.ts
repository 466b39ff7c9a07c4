import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { examples, playScene } from '../compare/playScene.ts'
import { daily, full, whole } from '../dailyModels.ts'
import { builtViewer, hashAt, sceneStands, stopped, textFile } from './builtViewer.ts'

const viewer = builtViewer()

/** A pile takes its time. */
const stepsOf = (name: string) => (!full ? 40 : name === 'pile' ? 1000 : 10_000)

describe('a scenario in the page', () => {
  test.each(daily(['slalom', 'terrain', 'stop-at-wall', 'conveyor', 'fourbar', 'pile'], 2))(
    'has the states that %s has on the command line, bit by bit',
    async (name) => {
      const { page } = await viewer.open(`?robot=scene: ${name}&models=ncp&play=0`)
      const dt = await page.evaluate(() => window.featherbed.session.dt)
      const steps = stepsOf(name)
      const world = await playScene(name, 'ncp', dt, () => {}, {}, steps)
      expect(await hashAt(page, steps)).toBe(world.hash())
    },
  )

  const file = (name: string) => textFile(name, readFileSync(join(examples, name)))

  test('is taken by drop with what it names; what is missing or wrong is told', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
    const notice = page.locator('#notice')
    const drop = (...files: ReturnType<typeof textFile>[]) => page.locator('#files').setInputFiles(files)
    await drop(file('feedforward.yaml'), file('feedforward.ts'))
    await sceneStands(page)
    expect(await page.evaluate(() => window.featherbed.session.lanes[0].setup?.scene?.file)).toBe('feedforward.yaml')
    expect(await notice.isVisible()).toBe(false)

    await drop(file('feedforward.yaml'))
    await expect.poll(() => page.locator('#runs').textContent()).toContain('feedforward.ts')
    await drop(textFile('bad.yaml', 'robot: diffdrive\nduratoin: 1\n'))
    await expect.poll(() => notice.textContent()).toMatch(/bad.yaml:2 duratoin: is not a field here/)
  })

  whole('a script that is dropped drives the robot that stands there; one that never returns is stopped', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
    const drop = (text: string) => page.locator('#files').setInputFiles(textFile('mine.ts', text))
    await drop('export default { init: () => ({}), update: ({ t }: { t: number }) => [t < 1 ? 0.5 : 0, 0.5] }')
    await sceneStands(page)
    expect((await hashAt(page, 20)).length).toBe(16)
    await drop('export default { init: () => ({}), update() { for (;;); } }')
    await page.keyboard.press(' ')
    await stopped(page)
    await expect.poll(() => page.locator('#runs').textContent()).toContain('a controller that never returns')
  })
})
