/** The first minute of the page: scenes in which laws part, and how the page answers what one tries there. */
import { expect, test } from 'vitest'
import { frontScenes } from '../../viewer/front/scenes.ts'
import { builtViewer, frames, goTo, sceneStands, settled, stepOf, textFile } from './builtViewer.ts'

const viewer = builtViewer()

test('the page opens with a scene in which one of three models falls, says why, and marks it on the stage', async () => {
  const { page } = await viewer.open('', { draws: true })
  expect(await page.evaluate(() => window.featherbed.session.lanes.map(({ contactModel }) => contactModel))).toEqual(
    frontScenes[0].settings.models,
  )
  expect(await page.locator('#story').textContent()).toContain(frontScenes[0].outcome.replaceAll('*', ''))
  await goTo(page, 300, 3)
  await settled(page)
  await expect.poll(() => page.locator('#lane-labels span').nth(1).getAttribute('data-broken')).toMatch(/\d/)
  await expect.poll(() => page.locator('#lane-labels span').nth(2).getAttribute('data-broken')).toBe('')
  // all robots are in the picture, the fallen one too
  const inside = await page.locator('#lane-labels span').evaluateAll((labels) =>
    labels.every((label) => {
      const { left, right } = label.getBoundingClientRect()
      return left > 0 && right < innerWidth - 290
    }),
  )
  expect(inside).toBe(true)
})

test('each first scene opens by a click, and its words go with the first change of the run', async () => {
  const { page } = await viewer.open('?play=0')
  for (const { name, settings } of [frontScenes[3], frontScenes[0]]) {
    await page.locator(`#gallery [data-scene="${name}"]`).click()
    await page.waitForFunction(
      (models) => window.featherbed.session.lanes.map(({ contactModel }) => contactModel).join() === models,
      settings.models.join(),
    )
    await page.locator('#story', { hasText: frontScenes.find((scene) => scene.name === name)?.title }).waitFor()
  }
  expect(new URL(page.url()).search).toBe('?show=bend')
  await page.getByRole('button', { name: 'First only' }).click()
  expect(await page.locator('#story').isHidden()).toBe(true)
  await page.locator('#panel select').first().selectOption('diffdrive')
  await page.waitForFunction(() => window.featherbed.session.lanes[0].setup?.physical.friction === 0.8)
})

test('Space plays after a click on Fork; the fork has a shade of its model, and no figure before its first step', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  expect(await page.evaluate(() => window.featherbed.session.lanes[0].history.first?.force)).toBeNaN()
  await goTo(page, 20)
  await page.locator('#fork').click()
  const form = page.locator('#fork-form')
  await form.getByLabel('contact model').selectOption('ncp')
  await form.getByRole('button', { name: 'Fork' }).click()
  await page.waitForFunction(() => window.featherbed.session.lanes[1]?.history.first !== undefined)
  const colors = await page.evaluate(() => window.featherbed.session.lanes.map(({ color }) => color))
  expect(colors[1]).not.toBe(colors[0])
  expect(await page.locator('#models .swatch').evaluateAll((all) => all.map(({ style }) => style.background))).not.toContain(
    await page
      .locator('#runs .swatch')
      .nth(1)
      .evaluate(({ style }) => style.background),
  )
  expect(await page.evaluate(() => window.featherbed.session.lanes[1].history.first?.force)).toBeNaN()
  const before = await stepOf(page)
  await page.keyboard.press(' ')
  await page.waitForFunction((step) => window.featherbed.session.step > step, before)
  expect(await form.isVisible()).toBe(false)
})

test('a link that was copied is told as done, not as an error', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  await page.getByRole('button', { name: 'Copy a link to this run' }).click()
  await page.locator('#notice').waitFor()
  expect(await page.locator('#notice').getAttribute('role')).toBe('status')
})

test('the table fits 1366 pixels, with failures and hashes folded away until they are asked for', async () => {
  const { page } = await viewer.open('?show=bend', { width: 1366, height: 768 })
  await goTo(page, 300, 3)
  await frames(page, 2)
  const overflow = () => page.locator('.table').evaluate((table) => table.scrollWidth - table.clientWidth)
  expect(await overflow()).toBe(0)
  expect(await page.locator('#runs td.hash').first().isVisible()).toBe(false)
  await page.locator('#columns').click()
  expect(await page.locator('#runs td.hash').first().isVisible()).toBe(true)
})

test('the camera frames all runs again when the editor takes room, until someone moves it', async () => {
  const { page } = await viewer.open('?show=bend&play=0', { draws: true })
  await settled(page)
  await page.locator('#edit').click()
  await page.locator('#editor .cm-content').waitFor()
  await settled(page)
  const inside = await page.locator('#lane-labels span').evaluateAll((labels) => {
    const view = document.getElementById('view')?.getBoundingClientRect() as DOMRect
    return labels.every(
      (label) => label.getBoundingClientRect().left > view.left && label.getBoundingClientRect().right < view.right,
    )
  })
  expect(inside).toBe(true)
})

test('an edited controller is dropped again and drives the same robot; after a scenario it is refused in words', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0', { complains: true })
  const drop = (...files: ReturnType<typeof textFile>[]) => page.locator('#files').setInputFiles(files)
  const script = (value: number) =>
    textFile('pd.js', `export default { init: () => 0, update: ({ robot }) => robot.joints.map(() => ${value}) }`)
  const block =
    '<robot name="block"><link name="body"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>'
  await drop(textFile('block.urdf', block))
  await page.waitForFunction(() => window.featherbed.session.lanes[0].setup?.robot.name === 'block')
  for (const value of [0, 1]) {
    await drop(script(value))
    await sceneStands(page)
    expect(await page.evaluate(() => window.featherbed.session.lanes[0].setup?.robot.name)).toBe('block')
    expect(await page.locator('#notice').isVisible()).toBe(false)
  }
  await page.locator('#panel select').first().selectOption('scene: ramp')
  await page.waitForFunction(() => window.featherbed.session.lanes[0].setup?.scene?.file === 'ramp.yaml')
  await drop(script(2))
  await page.locator('#notice', { hasText: 'names its own controllers' }).waitFor()
})

test('F2 closes the editor from inside its text', async () => {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
  await page.keyboard.press('F2')
  await page.locator('#editor .cm-content').focus()
  await page.keyboard.press('F2')
  expect(await page.locator('#editor').isHidden()).toBe(true)
})

test('a robot of a first scene that is edited, or held, keeps the step and the friction of the scene', async () => {
  const { page } = await viewer.open('?show=bend&play=0')
  const stated = () => page.evaluate(() => [window.featherbed.session.dt, window.featherbed.session.friction])
  await page.locator('#panel select').nth(1).selectOption('fixed')
  await page.waitForFunction(() => window.featherbed.session.lanes[0].setup?.robot.floating === false)
  expect(await stated()).toEqual([0.005, 0.27])
  await page.keyboard.press('F2')
  await page.locator('#editor .cm-content').focus()
  await page.keyboard.press('Control+Enter')
  await page.waitForFunction(() => window.featherbed.session.playing)
  expect(await stated()).toEqual([0.005, 0.27])
})

test('an address that asks for a first scene that there is not says which there are', async () => {
  const { page } = await viewer.open('?show=none&play=0', { complains: true })
  await page.locator('#notice', { hasText: 'bend, grip, cards' }).waitFor()
})
