/** Feature contacts on the page: the switch, the marks, and the counts. */

import type { Page } from 'playwright-core'
import { Quaternion } from 'three'
import { describe, expect, test } from 'vitest'
import {
  constraintKind,
  contactRole,
  FeatureContactSet,
  type FeatureMoment,
  featureKind,
  featureMoment,
} from '../../contact/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { FeatureMarks } from '../../viewer/overlays/featureMarks.ts'
import { themes } from '../../viewer/stage/palette.ts'
import { fixturesFor } from '../../viewer/stage/surroundings.ts'
import { builtViewer, runTo, stepOf } from './builtViewer.ts'
import { advance, createWorld } from './inNode.ts'

describe('on the page', () => {
  const viewer = builtViewer()

  const counts = (page: Page) => page.locator('#feature-counts tr').allInnerTexts()
  const marks = (page: Page) => page.evaluate(() => window.featherbed.featureMarks())

  test('marks and counts are those of the simulation; the key switches them on and off', async () => {
    const dt = 0.005
    const { page } = await viewer.open(`?robot=diffdrive&models=peg&ground=curb&dt=${dt}&play=0`, { draws: true })
    const box = page.getByLabel('feature contacts', { exact: true })
    await expect.poll(() => box.isEnabled()).toBe(true)
    expect(await box.isChecked()).toBe(false)
    expect(await page.locator('#legend').isVisible()).toBe(false)

    // on to the curb, which the wheels meet with edges
    await page.keyboard.press(' ')
    await runTo(page, 145)
    await page.keyboard.press(' ')
    expect(await marks(page)).toEqual([{ marks: 0, links: 0 }])
    await page.keyboard.press('g')
    await expect.poll(async () => (await marks(page))[0].marks).toBeGreaterThan(0)
    expect(await box.isChecked()).toBe(true)
    expect(await page.locator('#legend').isVisible()).toBe(true)

    const moment = simulated(dt, await stepOf(page))
    expect((await marks(page))[0].marks).toBe(moment.count)
    const told = (await counts(page)).map((row) => row.split('\t').map((cell) => cell.trim()))
    const { contacts, active, pushing, unilateral, inter, cross, disjuncts, activeDisjuncts } = moment.counts
    expect(told.map((row) => row[0])).toEqual([
      '',
      'contacts',
      '· active',
      '· pushing',
      'constraints U',
      'constraints I',
      'constraints X',
      'members',
      '· active',
    ])
    const figures = [contacts, active, pushing, unilateral, inter, cross, disjuncts, activeDisjuncts].map(String)
    expect(told.map((row) => row[1])).toEqual(['peg', ...figures])

    // each step has its own
    const before = await stepOf(page)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => stepOf(page)).toBe(before + 1)
    const after = simulated(dt, await stepOf(page))
    await expect.poll(async () => (await marks(page))[0].marks).toBe(after.count)

    await page.keyboard.press('g')
    await expect.poll(() => marks(page)).toEqual([{ marks: 0, links: 0 }])
    expect(await page.locator('#legend').isVisible()).toBe(false)
    expect(await page.locator('#feature-counts table').isVisible()).toBe(false)
  })

  test('where no model reads features the switch is off, and a word says why', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=penalty&play=0')
    const box = page.getByLabel('feature contacts', { exact: true })
    const note = page.locator('#feature-note')
    await note.waitFor()
    expect(await box.isDisabled()).toBe(true)
    expect(await note.innerText()).toBe('This model does not read features. Choose one that does, such as peg.')
    expect(await box.getAttribute('aria-describedby')).toBe('feature-note')
    await page.keyboard.press('g')
    expect(await box.isChecked()).toBe(false)
  })
})

/** The same run here. */
function simulated(dt: number, steps: number): FeatureMoment {
  const robot = loadOwnRobot('diffdrive')
  return featureMoment(advance(createWorld(robot, 'peg', { dt, fixtures: fixturesFor('curb', robot) }), steps).contacts, dt)
}

describe('marks on the stage', () => {
  const look = { size: 0.01, colors: themes.light.features, camera: new Quaternion() }

  /** Three contacts of one constraint: a vertex on a face and a face on a vertex together, or two edges. */
  function moment(): FeatureMoment {
    const set = new FeatureContactSet()
    set.count = 3
    for (let i = 0; i < 3; i++) {
      set.point[3 * i] = 0.1 * i
      set.normal[3 * i + 2] = 1
      set.gap[i] = i === 1 ? 0.05 : 0
      set.kind[i] = [featureKind.vertexFace, featureKind.faceVertex, featureKind.edgeEdge][i]
    }
    set.role[2] = contactRole.active
    set.impulse[6] = 1
    set.constraints.begin(constraintKind.inter)
    set.constraints.addDisjunct(true)
    set.constraints.addContact(0)
    set.constraints.addContact(1)
    set.constraints.addDisjunct(true)
    set.constraints.addContact(2)
    return featureMoment(set, 0.01)
  }

  /** Numbers of instances that are drawn, by the count of corners of their form. */
  function instances(shown: FeatureMarks): Map<number, number> {
    const found = new Map<number, number>()
    shown.group.traverse((part) => {
      if ('isInstancedMesh' in part && part.visible) {
        const { geometry, count } = part as unknown as {
          geometry: { attributes: { position: { count: number } } }
          count: number
        }
        found.set(geometry.attributes.position.count, count)
      }
    })
    return found
  }

  test('one for each contact, two cones and a cross; a rod for the gap, and one to the active member', () => {
    const shown = new FeatureMarks()
    shown.update(moment(), look)
    // from the middle to two members, and from the first of them to its two contacts
    expect(shown.shown).toEqual({ marks: 3, links: 4 })
    expect([...instances(shown).values()].sort()).toEqual([1, 2, 2])
    shown.update(undefined, look)
    expect(shown.shown).toEqual({ marks: 0, links: 0 })
    expect(shown.group.visible).toBe(false)
    shown.dispose()
  })

  test('grows with what there is to show', () => {
    const shown = new FeatureMarks()
    const many = new FeatureContactSet()
    many.reserve(500)
    many.count = 500
    for (let i = 0; i < many.count; i++) {
      many.normal[3 * i + 2] = 1
      many.gap[i] = 1
      many.constraints.addUnilateral(i)
    }
    shown.update(featureMoment(many, 0.01), look)
    expect(shown.shown).toEqual({ marks: 500, links: 0 })
    shown.dispose()
  })
})
