/** `featherbed view FILE`: the page opens with what a file names. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { ended, featherbed, temporaryFolder } from '../compare/command.ts'
import { examples, playScene } from '../compare/playScene.ts'
import { whole } from '../dailyModels.ts'
import { builtViewer, hashAt, served } from './builtViewer.ts'

const folder = temporaryFolder()
const viewer = builtViewer()

const quiet = '&play=0&quality=none'

const scenario = `robots: [part_description/urdf/part.urdf]
models: ncp
dt: 2 ms
obstacles: [{ name: step, type: box, size: [0.5, 0.5, 0.04], position: [0.4, 0, 0.02] }]
start: { position: [0, 0, 0.3] }
`
const urdf = `<robot name="part"><link name="body"><inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
  <visual><geometry><mesh filename="package://part_description/meshes/look.obj"/></geometry></visual>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>`

whole(
  'a scenario comes with its robot and the looks of that, to the hash of the command line; saved as one file too',
  async () => {
    for (const part of ['urdf', 'meshes']) mkdirSync(join(folder.path, 'part_description', part), { recursive: true })
    writeFileSync(join(folder.path, 'part_description/package.xml'), '<package><name>part_description</name></package>')
    writeFileSync(join(folder.path, 'part_description/urdf/part.urdf'), urdf)
    writeFileSync(
      join(folder.path, 'part_description/meshes/look.obj'),
      'v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n',
    )
    const file = folder.write('fall.yaml', scenario)
    const { stdout } = await featherbed(['run', file, '--duration', '0.1', '--json', '--quiet'])
    const { hash } = JSON.parse(stdout) as { hash: string }
    const { page } = await viewer.openAddress((await served(file)) + quiet)
    expect(await hashAt(page, 50)).toBe(hash)
    expect(await page.locator('#findings').textContent()).not.toContain('look.obj')

    const out = join(folder.path, 'fall.html')
    const written = await featherbed(['view', file, '--out', out])
    expect(written).toMatchObject({ code: 0, stdout: expect.stringMatching(/MB\) opens in any browser/) })
    const { page: alone } = await viewer.openAddress(`${pathToFileURL(out).href}?${quiet}`, { offline: true })
    expect(await hashAt(alone, 50)).toBe(hash)
  },
)

test('a scenario with scripts, a recording and a robot of our own open too', async () => {
  const scene = await served(join(examples, 'stop-at-wall.yaml'))
  const { page } = await viewer.openAddress(scene + quiet)
  const hash = await hashAt(page, 40)
  const model = await page.evaluate(() => window.featherbed.session.lanes[0].contactModel)
  expect(hash).toBe((await playScene('stop-at-wall', model, 1e-3, () => {}, {}, 40)).hash())

  const tape = join(folder.path, 'tape.mcap')
  await featherbed(['run', 'diffdrive', '--duration', '0.05', '--dt', '1e-3', '--model', 'ncp', '--record', tape, '--quiet'])
  const played = await viewer.openAddress((await served(tape)) + quiet)
  expect(await hashAt(played.page, 50)).toMatch(/^[0-9a-f]{16}$/)

  const own = await viewer.openAddress((await served('quadruped')) + quiet)
  await hashAt(own.page, 10)
  expect(await own.page.locator('#panel select').first().inputValue()).toBe('quadruped')
})

test('a report is opened as it is; what cannot be opened is told', async () => {
  const report = folder.write('report.html', '<html></html>')
  const results = folder.write('results.json', '{"comparisons": []}')
  for (const file of [report, results]) {
    const { code, stdout } = await featherbed(['view', file, '--no-open', '--json'])
    expect({ code, url: JSON.parse(stdout).url }).toEqual({ code: 0, url: pathToFileURL(report).href })
  }
  for (const [name, message] of [
    ['nowhere.urdf', 'there is no such file'],
    [folder.write('notes.txt', ''), 'the page opens robots (.urdf, .xacro, .xml, .sdf), scenarios (.yaml), recordings (.mcap)'],
    [folder.write('bad.yaml', 'robot: diffdrive\nduratoin: 3\n'), 'bad.yaml:2 duratoin'],
  ]) {
    const { stderr } = await ended(2, featherbed(['view', name, '--no-open']))
    expect(stderr).toContain(message)
  }
  expect(readFileSync(report, 'utf8')).toBe('<html></html>')
})
