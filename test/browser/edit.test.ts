/** The editor: texts of what runs, which run anew, and are marked where something is wrong with them. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { loadOwnRobot, loadRobotFile, ownRobotPath } from '../../robots/files.ts'
import { temporaryFolder } from '../compare/command.ts'
import { examples, playScene } from '../compare/playScene.ts'
import { builtViewer, hashAt, sceneStands, stopped } from './builtViewer.ts'
import { advance, createWorld } from './inNode.ts'

const folder = temporaryFolder()
const viewer = builtViewer()

const text = (page: Page) => page.locator('#editor .cm-content')
const problems = (page: Page) => page.locator('#editor .edit-problems button').allTextContents()

async function openEditor(page: Page): Promise<void> {
  await page.locator('#edit').click()
  await text(page).waitFor()
}

/** Pastes a whole text in place of what is there, and runs it. */
async function write(page: Page, written: string): Promise<void> {
  await text(page).focus()
  await page.keyboard.press('Control+a')
  await text(page).evaluate((content, written) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', written)
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, written)
  await page.keyboard.press('Control+Enter')
}

/** Hash of the run that stands, after so many steps from its start: Run plays it. */
async function hashOfRun(page: Page, steps: number): Promise<string> {
  await page.evaluate(() => {
    window.featherbed.session.pause()
    window.featherbed.session.restart()
  })
  return hashAt(page, steps)
}

test('a scenario that is edited runs to the hash of the same text in Node; what is wrong stands at its line', async () => {
  const { page } = await viewer.open('?robot=scene: pile&models=ncp&play=0')
  await openEditor(page)
  const own = readFileSync(join(examples, 'pile.yaml'), 'utf8')
  await write(page, own.replace(/^duration:/m, 'duratoin:'))
  await expect.poll(() => problems(page)).toContainEqual(expect.stringMatching(/pile\.yaml:\d+ duratoin/))
  await expect.poll(() => page.locator('#editor .cm-lint-marker-error').count()).toBe(1)
  expect(await page.locator('#notice').isVisible()).toBe(false)

  const edited = `${own}\nground: { friction: 0.2 }\n`
  folder.write('pile.yaml', edited)
  const steps = 60
  const dt = await page.evaluate(() => window.featherbed.session.dt)
  const before = await page.evaluate(() => window.featherbed.session.lanes[0].history.at(0)?.hash)
  expect(before).toBeDefined()
  const world = await playScene(relative(examples, join(folder.path, 'pile')), 'ncp', dt, () => {}, { duration: steps * dt })
  await write(page, edited)
  await expect.poll(() => page.evaluate(() => window.featherbed.session.playing)).toBe(true)
  await expect.poll(() => hashOfRun(page, steps)).toBe(world.hash())
  expect(await problems(page)).toEqual([])
})

test('a new controller drives the robot that stands there; what it throws is told with its line, and it may never return', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  await openEditor(page)
  await page.getByRole('button', { name: 'New controller' }).click()
  await expect.poll(() => text(page).textContent()).toContain('update')
  await page.keyboard.press('Control+Enter')
  await sceneStands(page)
  const script = (line: string) =>
    `export default {\n  init: ({ robot }) => new Float64Array(robot.joints.length),\n  update({ memory, t }) {\n    ${line}\n    return memory\n  },\n}\n`
  await write(page, script("if (t > 0.01) throw new Error('enough')"))
  const advancing = async () => {
    await hashOfRun(page, 60)
    return problems(page)
  }
  await expect.poll(advancing).toContainEqual(expect.stringMatching(/enough.*controller\.ts:4/))
  await write(page, script('const = 1'))
  await expect.poll(() => problems(page)).toContainEqual(expect.stringMatching(/controller\.ts:4:\d+/))
  await write(page, script('while (t > 0.01) {}'))
  await stopped(page)
  await expect.poll(() => problems(page)).toContainEqual(expect.stringMatching(/never returns/))
})

test("a robot's findings stand at their lines, and Fix writes it as it was repaired, which undo takes back", async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
  await openEditor(page)
  const own = readFileSync(ownRobotPath('diffdrive'), 'utf8')
  const broken = own.replace(/ixx="[^"]*"/, 'ixx="9"')
  expect(broken).not.toBe(own)
  await write(page, broken)
  await expect.poll(() => problems(page)).toContainEqual(expect.stringMatching(/diffdrive\.urdf:\d+ <inertia>/))
  await page.getByRole('button', { name: 'Fix' }).click()
  await text(page).focus()
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => problems(page)).toEqual([])
  const robot = loadRobotFile(folder.write('diffdrive.urdf', broken))
  await expect.poll(() => hashOfRun(page, 40)).toBe(advance(createWorld(robot, 'penalty'), 40).hash())
  await text(page).focus()
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => problems(page)).toContainEqual(expect.stringMatching(/<inertia>/))
  expect(loadOwnRobot('diffdrive').diagnostics.filter(({ repaired }) => repaired)).toEqual([])
})

test('its keys are its own, Escape leaves it, and it fits a phone', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
  await page.locator('#canvas').focus()
  await page.keyboard.press('F2')
  await text(page).waitFor()
  await text(page).focus()
  await page.keyboard.press('k')
  expect(await page.locator('#fork-form').isVisible()).toBe(false)
  await page.keyboard.press('Escape') // completions, if there are any
  await page.keyboard.press('Escape')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('canvas')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})
