/** Robots on the page look as their files say, whatever the format. */
import { expect, test } from 'vitest'
import { builtViewer } from './builtViewer.ts'

const viewer = builtViewer()

/** Bodies of a dropped robot that are drawn, and the lowest and highest corner of each by its looks. */
async function seen(name: string, text: string) {
  const { page } = await viewer.open('?robot=diffdrive&models=ncp&dt=0.005&play=0')
  await page.locator('#files').setInputFiles({ name, mimeType: 'application/xml', buffer: Buffer.from(text) })
  await page.waitForFunction(
    () => window.featherbed.bounds().some(({ body }) => body === 'arm') && document.getElementById('busy')?.hidden,
  )
  const bounds = await page.evaluate(() => window.featherbed.bounds())
  return Object.fromEntries(bounds.flatMap(({ body, seen }) => (seen ? [[body, seen[1][2] - seen[0][2]]] : [])))
}

const mjcf = (geoms: string) =>
  `<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.2 0.1"/>${geoms}
   <body name="arm" pos="0 0 0.1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.05"/></body></body></worldbody></mujoco>`

test('a robot of MJCF whose geoms all collide is drawn by them', async () => {
  const heights = await seen('all.xml', mjcf(''))
  expect(heights.base).toBeCloseTo(0.2, 6)
  expect(heights.arm).toBeCloseTo(0.5, 6)
})

test('a robot of MJCF with one geom that is only seen is drawn by the others too', async () => {
  const heights = await seen('one.xml', mjcf('<geom type="ellipsoid" size="0.1 0.1 0.3" contype="0" conaffinity="0"/>'))
  expect(heights.base).toBeCloseTo(0.6, 2)
  expect(heights.arm).toBeCloseTo(0.5, 6)
})

test('ellipsoids and hulls of points that are only seen are drawn', async () => {
  const gem = '<asset><mesh name="gem" vertex="0 0 0.2  0.1 0 0  -0.1 0.1 0  -0.1 -0.1 0  0 0 -0.2"/></asset>'
  const visual = '<geom type="mesh" mesh="gem" contype="0" conaffinity="0"/>'
  const hidden = mjcf(visual).replace('size="0.2 0.2 0.1"', 'size="0.2 0.2 0.1" group="3"')
  expect((await seen('gem.xml', hidden.replace('<worldbody>', `${gem}<worldbody>`))).base).toBeCloseTo(0.4, 6)
})
