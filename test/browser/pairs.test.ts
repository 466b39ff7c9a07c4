/** Several runs at once: how they stand, forks of them, and the laws that they are held to. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { checkScenario, doJob, type LawCheck, lawNames } from '../../compare/index.ts'
import { contactModelNames, defaultPhysicalInputs } from '../../contact/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { checkForkTime } from '../../viewer/runs/fork.ts'
import { paneGrid } from '../../viewer/stage/stage.ts'
import { whole } from '../dailyModels.ts'
import { builtViewer, frames, runTo } from './builtViewer.ts'
import { advance, createWorld } from './inNode.ts'

const viewer = builtViewer()

/** Plays until all runs have a snapshot at a step or after it, or have failed. */
async function playTo(page: Page, step: number): Promise<void> {
  await page.evaluate(() => window.featherbed.session.play())
  await runTo(page, step)
  await page.evaluate(() => window.featherbed.session.pause())
}

describe('runs stand', () => {
  test('side by side at the start, in a row and all seen, each in a colour of its own; as ghosts in one place; in views of their own', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=all&play=0', { draws: true })
    const places = () => page.evaluate(() => window.featherbed.lanePlaces())
    await expect.poll(async () => (await places()).length).toBe(contactModelNames.length)
    const row = (await places()).map(({ at }) => at)
    const gaps = row.slice(1).map(([x, y], i) => Math.hypot(x - row[i][0], y - row[i][1]))
    // the robot is 0.46 m long and wide, about
    for (const gap of gaps) expect(gap).toBeCloseTo(gaps[0], 9)
    expect(gaps[0]).toBeGreaterThan(0.3)
    expect(row[0].map((x, k) => x + row[row.length - 1][k])).toEqual([0, 0, 0]) // about the middle
    const colors = await page.evaluate(() => window.featherbed.session.lanes.map(({ color }) => color))
    expect(new Set(colors).size).toBe(contactModelNames.length)
    expect(await page.locator('#lane-labels > span').allTextContents()).toEqual(contactModelNames)

    const shown = page.locator('#panel select', { hasText: 'split views' })
    await shown.selectOption('one place')
    expect((await places()).every(({ at }) => at.every((x) => x === 0))).toBe(true)
    await shown.selectOption('split views')
    await expect.poll(() => page.locator('#lane-labels').getAttribute('class')).toBe('panes')
  })

  whole('as many as are ticked, in the order of the ticks', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
    const models = () => page.evaluate(() => window.featherbed.session.lanes.map(({ contactModel }) => contactModel))
    await page.getByRole('checkbox', { name: 'peg' }).check()
    await page.getByRole('checkbox', { name: 'convex' }).check()
    expect(await models()).toEqual(['penalty', 'peg', 'convex'])
    await page.getByRole('checkbox', { name: 'peg' }).uncheck()
    expect(await models()).toEqual(['penalty', 'convex'])
    expect(page.url()).toContain('models=penalty,convex')
    await page.getByRole('button', { name: 'First only' }).click()
    await page
      .getByRole('checkbox', { name: 'penalty', exact: true })
      .uncheck({ force: true })
      .catch(() => undefined)
    expect(await models()).toEqual(['penalty'])
  })

  test('in the grid of panes that leaves each the most room', () => {
    expect(paneGrid(1, 800, 600)).toMatchObject({ columns: 1, rows: 1 })
    expect(paneGrid(2, 800, 400)).toMatchObject({ columns: 2, rows: 1 })
    expect(paneGrid(2, 400, 800)).toMatchObject({ columns: 1, rows: 2 })
    expect(paneGrid(9, 600, 600)).toMatchObject({ columns: 3, rows: 3 })
  })
})

describe('a fork', () => {
  test('has the hash of the same fork in Node: another model, step, friction and gain, and scrubbing does not change it', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty&dt=0.001&play=0')
    await playTo(page, 150)
    const at = await page.evaluate(() => {
      const { session } = window.featherbed
      session.scrub(session.step - (session.step % 2))
      return session.step
    })
    const even = at - (at % 2)
    for (let step = at; step > even; step--) await page.keyboard.press('ArrowLeft')
    await page.waitForFunction((even) => window.featherbed.session.step === even, even)
    await page.keyboard.press('k')
    const form = page.locator('#fork-form')
    await form.getByLabel('contact model').selectOption('stewart-trinkle')
    await form.getByLabel('time step').selectOption('0.002')
    await form.getByLabel('friction').fill('0.3')
    await form.getByLabel(/gain/).fill('0.5')
    await form.getByRole('button', { name: 'Fork' }).click()
    await page.waitForFunction(() => window.featherbed.session.lanes.length === 2)
    expect(await page.locator('#runs tr[data-model="stewart-trinkle"] .role').textContent()).toBe(
      `2 ms, friction 0.3, gain 0.5, from penalty at ${(even * 1e-3).toFixed(3)} s`,
    )
    expect(await page.locator('#time-marks i').count()).toBe(1)
    await playTo(page, even + 120)

    const robot = loadOwnRobot('diffdrive')
    const parent = advance(createWorld(robot, 'penalty'), even)
    const physical = { ...defaultPhysicalInputs, friction: 0.3 }
    const fork = createWorld(robot, 'stewart-trinkle', { dt: 2e-3, physical, gain: 0.5 })
    fork.adopt(structuredClone(parent.checkpoint()))
    const shown = await page.evaluate(() => {
      const { session } = window.featherbed
      const shot = session.lanes[1].at(Math.floor(session.step / 2))
      return { step: shot?.step ?? 0, hash: shot?.hash }
    })
    expect(shown.step).toBeGreaterThan(even / 2)
    expect(shown.hash).toBe(advance(fork, shown.step).hash())

    // it is not there before it begins, and again from the same state after a restart
    await page.keyboard.press('Backspace')
    await page.waitForFunction(() => window.featherbed.session.step === 0)
    await expect.poll(() => page.locator('#runs tr[data-model="stewart-trinkle"] td.hash').textContent()).toBe('–')
    await playTo(page, 2 * shown.step)
    const again = await page.evaluate((step) => {
      const shot = window.featherbed.session.lanes[1].at(step)
      return { step: shot?.step, hash: shot?.hash }
    }, shown.step)
    expect(again).toEqual(shown)
    await page.getByRole('button', { name: /Take the fork/ }).click()
    await page.waitForFunction(() => window.featherbed.session.lanes.length === 1)
  })

  whole('with nothing changed goes on as the run that it left', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty&dt=0.002&play=0')
    await playTo(page, 60)
    await page.keyboard.press('k')
    const form = page.locator('#fork-form')
    await form.getByLabel('contact model').selectOption('penalty')
    await form.getByRole('button', { name: 'Fork' }).click()
    await page.waitForFunction(() => window.featherbed.session.lanes.length === 2)
    await playTo(page, 160)
    await frames(page, 2) // the table of runs follows the clock
    const hashes = await page.locator('#runs td.hash').allTextContents()
    expect(hashes[0]).toHaveLength(16)
    expect(hashes[1]).toBe(hashes[0])
  })

  test('begins where a step of its own ends, or is told where that is', () => {
    expect(() => checkForkTime(0.012, 0.004, 0.001)).not.toThrow()
    expect(() => checkForkTime(0.013, 0.005, 0.001)).toThrow(
      /0\.013 s is no whole number of steps of 5 ms; fork at 0\.010 s or 0\.015 s/,
    )
  })
})

describe('the laws that a run is held to', () => {
  test('are those of a comparison of the same run, figure by figure', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty,convex,mujoco&dt=0.002&play=0')
    await playTo(page, 200)
    const shown = await page.evaluate(() => {
      const { session } = window.featherbed
      return session.lanes.map((lane) => {
        const { step, hash, laws } = lane.at(session.step) ?? { step: 0, hash: '', laws: undefined }
        return { contactModel: lane.contactModel, step, hash, laws: [...(laws ?? [])] }
      })
    })
    for (const { contactModel, step, hash, laws } of shown) {
      const compared = await compareRun(contactModel, 2e-3, step * 2e-3)
      expect(compared.hash, contactModel).toBe(hash)
      expect(compared.laws.map(({ law }) => law)).toEqual(lawNames)
      compared.laws.forEach(({ law, value }, i) => {
        expect(laws[i], `${contactModel}, ${law}`).toBe(value ?? Number.NaN)
      })
      // the row says which are broken
      const broken = compared.laws.filter(({ value, limit }) => value !== null && value > limit)
      const cell = () => page.locator(`#runs tr[data-model="${contactModel}"] .gates`).textContent()
      await expect.poll(cell, { message: contactModel }).toMatch(broken.length > 0 ? /^broken: / : /^\d+ kept$/)
    }
    await page.locator('#runs .gates button').first().click()
    expect(await page.locator('#runs .gate-list:visible li').count()).toBe(lawNames.length)
  })
})

/** The same run by `featherbed compare`. */
async function compareRun(model: string, dt: number, duration: number): Promise<{ hash: string; laws: readonly LawCheck[] }> {
  const scenario = await checkScenario({
    robots: ['diffdrive'],
    duration,
    dt: [dt],
    models: [model],
    physical: defaultPhysicalInputs,
  })
  return doJob({ kind: 'run', scenario, robot: 'diffdrive', model: scenario.models[0], dt })
}
