/** `featherbed view FILE`: the page opens with what a file names. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { featherbed, temporaryFolder } from '../compare/command.ts'
import { examples, playScene } from '../compare/playScene.ts'
import { type BuiltViewer, dist, type HookWindow, openBuiltViewer } from './builtViewer.ts'

const folder = temporaryFolder()
let viewer: BuiltViewer
beforeAll(async () => {
  viewer = await openBuiltViewer()
})
afterAll(() => viewer?.close())

/** The address that a command serves, and what ends it. */
async function served(...args: string[]): Promise<{ url: string; end(): void }> {
  const child = spawn(process.execPath, [join(dist, 'compare/cli/main.js'), 'view', ...args, '--no-open', '--json', '--quiet'])
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve((JSON.parse(text.toString()) as { url: string }).url))
    child.once('exit', (code) => reject(new Error(`view ended with ${code}`)))
  })
  return { url, end: () => child.kill() }
}

async function hashAt(page: Page, step: number): Promise<string | undefined> {
  await page.waitForFunction(() => {
    const { session } = (window as unknown as HookWindow).featherbed ?? {}
    return session?.lanes[0]?.history.at(0) !== undefined
  })
  await page.evaluate((step) => (window as unknown as HookWindow).featherbed.session.lanes[0].advance(step, step), step)
  const at = () =>
    page.evaluate((step) => {
      const shown = (window as unknown as HookWindow).featherbed.session.lanes[0].history.at(step) as
        | { readonly step: number; readonly hash: string }
        | undefined
      return shown?.step === step ? shown.hash : undefined
    }, step)
  await expect.poll(at).toBeDefined()
  return at()
}

const scenario = `robots: [part_description/urdf/part.urdf]
models: ncp
dt: 2 ms
obstacles: [{ name: step, type: box, size: [0.5, 0.5, 0.04], position: [0.4, 0, 0.02] }]
start: { position: [0, 0, 0.3] }
`
const urdf = `<robot name="part"><link name="body"><inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
  <visual><geometry><mesh filename="package://part_description/meshes/look.obj"/></geometry></visual>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>`

test('a scenario comes with its robot and the looks of that, to the hash of the command line; saved as one file too', async () => {
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
  const { url, end } = await served(file)
  const page = await viewer.browser.newPage({ viewport: { width: 900, height: 600 } })
  page.setDefaultTimeout(60_000)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  await page.goto(`${url}&play=0`)
  expect(await hashAt(page, 50)).toBe(hash)
  expect(await page.locator('#findings').textContent()).not.toContain('look.obj')
  expect(problems).toEqual([])
  await page.close()
  end()

  const out = join(folder.path, 'fall.html')
  const written = await featherbed(['view', file, '--out', out])
  expect(written).toMatchObject({ code: 0, stdout: expect.stringMatching(/MB\) opens in any browser/) })
  const context = await viewer.browser.newContext({ offline: true, viewport: { width: 900, height: 600 } })
  const alone = await context.newPage()
  alone.setDefaultTimeout(60_000)
  await alone.goto(`${pathToFileURL(out).href}?play=0`)
  expect(await hashAt(alone, 50)).toBe(hash)
  await context.close()
})

test('a scenario with scripts, a recording and a robot of our own open too', async () => {
  const scene = await served(join(examples, 'stop-at-wall.yaml'))
  const page = await viewer.browser.newPage({ viewport: { width: 900, height: 600 } })
  page.setDefaultTimeout(60_000)
  await page.goto(`${scene.url}&play=0`)
  const model = () => page.evaluate(() => (window as unknown as HookWindow).featherbed.session.lanes[0].contactModel)
  const hash = await hashAt(page, 40)
  const world = await playScene('stop-at-wall', await model(), 1e-3, () => {}, {}, 40)
  expect(hash).toBe(world.hash())
  scene.end()

  const tape = join(folder.path, 'tape.mcap')
  await featherbed(['run', 'diffdrive', '--duration', '0.05', '--dt', '1e-3', '--model', 'ncp', '--record', tape, '--quiet'])
  const played = await served(tape)
  await page.goto(`${played.url}&play=0`)
  expect(await hashAt(page, 50)).toMatch(/^[0-9a-f]{16}$/)
  played.end()

  const own = await served('quadruped')
  await page.goto(`${own.url}&play=0`)
  await hashAt(page, 10)
  expect(await page.locator('#panel select').first().inputValue()).toBe('quadruped')
  own.end()
  await page.close()
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
    const { code, stderr } = await featherbed(['view', name, '--no-open'])
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  }
  expect(readFileSync(report, 'utf8')).toBe('<html></html>')
})
