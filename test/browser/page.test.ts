import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltViewer, type HookWindow, openBuiltViewer } from './builtViewer.ts'

let viewer: BuiltViewer
beforeAll(async () => {
  viewer = await openBuiltViewer()
})
afterAll(() => viewer?.close())

const step = (page: Page) => page.evaluate(() => (window as unknown as HookWindow).featherbed.session.step)

async function shownAt(page: Page, wanted: number): Promise<void> {
  await page.waitForFunction((wanted) => {
    const time = Number.parseFloat(document.querySelector('#time')?.textContent ?? '')
    return Math.abs(time - wanted) < 1e-9
  }, wanted)
}

/** How many colours the picture has that are at least this far from grey; the ground and the background are grey. */
async function colourfulPixels(page: Page): Promise<number> {
  const image = (await page.locator('#canvas').screenshot()).toString('base64')
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d') as OffscreenCanvasRenderingContext2D
    context.drawImage(bitmap, 0, 0)
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    let count = 0
    for (let i = 0; i < data.length; i += 4) {
      if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) count++
    }
    return count
  }, image)
}

describe('an own robot', () => {
  test('stands on the page, which complains of nothing and asks nobody else', async () => {
    const { page, problems } = await viewer.open('?robot=humanoid&models=penalty&play=0')
    await page.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
    // its coloured bands; without the robot there is no colour at all
    await expect.poll(() => colourfulPixels(page), { timeout: 60_000 }).toBeGreaterThan(200)
    expect(await page.locator('#notice').isVisible()).toBe(false)
    expect(problems).toEqual([])
    await page.close()
  })

  test('plays, pauses, steps by one time step either way, scrubs and restarts, by the same record', async () => {
    const { page, problems } = await viewer.open('?robot=diffdrive&models=penalty,stewart-trinkle&dt=0.002&play=0')
    const hashes = () => page.locator('#runs td.hash').allTextContents()
    await shownAt(page, 0)
    await page.keyboard.press('ArrowRight')
    await shownAt(page, 0.002)
    await page.keyboard.press('ArrowRight')
    await shownAt(page, 0.004)
    const second = await hashes()
    expect(new Set(second).size).toBe(2)
    await page.keyboard.press('ArrowLeft')
    await shownAt(page, 0.002)

    await page.keyboard.press(' ')
    await page.waitForFunction(() => (window as unknown as HookWindow).featherbed.session.step > 50)
    await page.keyboard.press(' ')
    const paused = await step(page)
    await page.waitForTimeout(200)
    expect(await step(page)).toBe(paused)
    expect(await page.locator('#play').getAttribute('aria-label')).toBe('Play')

    // between two frames of the record the run is computed again from a checkpoint
    await page.keyboard.press('ArrowLeft')
    await shownAt(page, (paused - 1) * 0.002)
    await page.keyboard.press('ArrowRight')
    await shownAt(page, paused * 0.002)

    await page.locator('#scrub').fill('2')
    await shownAt(page, 0.004)
    expect(await hashes()).toEqual(second)

    await page.keyboard.press('Backspace')
    await shownAt(page, 0)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await shownAt(page, 0.004)
    expect(await hashes()).toEqual(second)
    expect(problems).toEqual([])
    await page.close()
  })
})

describe("a user's robot", () => {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-drop-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('comes with its meshes from a folder', async () => {
    mkdirSync(join(folder, 'brick_description/urdf'), { recursive: true })
    mkdirSync(join(folder, 'brick_description/meshes'))
    writeFileSync(join(folder, 'brick_description/package.xml'), '<package><name>brick_description</name></package>')
    writeFileSync(join(folder, 'brick_description/meshes/wedge.stl'), wedge())
    const mesh = '<geometry><mesh filename="package://brick_description/meshes/wedge.stl"/></geometry>'
    writeFileSync(
      join(folder, 'brick_description/urdf/brick.urdf'),
      brick(`<visual>${mesh}<material name="red"><color rgba="1 0 0 1"/></material></visual><collision>${mesh}</collision>`),
    )
    const { page, problems } = await viewer.open('?models=penalty&play=0')
    await page.locator('#folder').setInputFiles(join(folder, 'brick_description'))
    // a floating body has seven coordinates, and at rest the wedge's lowest corner, 0.1 below its origin, is at z = 0
    await page.waitForFunction(() => {
      const q = (window as unknown as HookWindow).featherbed.session.lanes[0]?.history.at(0)?.q
      return q?.length === 7 && Math.abs(q[2] - 0.1) < 1e-6
    })
    await expect.poll(() => colourfulPixels(page), { timeout: 60_000 }).toBeGreaterThan(500)
    expect(await page.locator('#findings').textContent()).not.toContain('wedge')
    expect(problems).toEqual([])
    await page.close()
  })

  test('is dropped as a file; if the file is wrong, the page says where and what to do, and keeps the robot it had', async () => {
    const { page, problems } = await viewer.open('?models=penalty&play=0')
    const drop = (text: string) =>
      page.evaluate((text) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([text], 'brick.urdf'))
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      }, text)
    const box = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    await drop(brick(box))
    const stands = () => (window as unknown as HookWindow).featherbed.session.lanes[0]?.history.at(0)?.q.length === 7
    await page.waitForFunction(stands)

    await drop(brick(box).replace('value="1.5"', 'value="heavy"'))
    const notice = page.locator('#notice')
    await notice.waitFor()
    expect(await notice.textContent()).toMatch(/brick\.urdf:4 .*mass.*heavy/s)
    expect(await page.evaluate(stands)).toBe(true)
    expect(problems).toEqual([])
    await page.close()
  })
})

function brick(more: string): string {
  return `<?xml version="1.0"?>
<robot name="brick">
  <link name="body"><inertial>
    <mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    ${more}
  </link>
</robot>`
}

/** A tetrahedron as a binary STL: corners 0.1 m along the axes and at (-0.1, -0.1, -0.1). */
function wedge(): Buffer {
  const corners = [
    [0.1, 0, 0],
    [0, 0.1, 0],
    [0, 0, 0.1],
    [-0.1, -0.1, -0.1],
  ]
  const faces = [
    [0, 1, 2],
    [0, 3, 1],
    [1, 3, 2],
    [2, 3, 0],
  ]
  const bytes = Buffer.alloc(84 + 50 * faces.length)
  bytes.writeUInt32LE(faces.length, 80)
  faces.forEach((face, f) => {
    face.forEach((corner, c) => {
      corners[corner].forEach((value, k) => {
        bytes.writeFloatLE(value, 84 + 50 * f + 12 + 12 * c + 4 * k)
      })
    })
  })
  return bytes
}
