import { expect, test } from 'vitest'
import { readFiles } from '../../viewer/robots/robotFiles.ts'

async function dropped(files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>) {
  const { zipSync } = await import('three/addons/libs/fflate.module.js')
  const bytes = zipSync(files) as Uint8Array<ArrayBuffer>
  return readFiles([{ path: 'robot.zip', file: new File([bytes], 'robot.zip') }])
}

test('a zip is unpacked, up to 16 MB and 20 times its size', async () => {
  const robot = await dropped({ 'a/r.urdf': new TextEncoder().encode('<robot name="r"><link name="a"/></robot>') })
  expect(robot.robots).toEqual(['a/r.urdf'])
  // 18 kB: its entry states its size, and nothing is unpacked
  await expect(dropped({ 'zeros.stl': new Uint8Array(18_000_000) })).rejects.toThrow('unpack to more than 16 MB')
})

test('a text that begins a robot 150,000 times is looked through to its end', async () => {
  const text = new TextEncoder().encode('<robot '.repeat(150_000))
  const { robots } = await readFiles([{ path: 'r.urdf', file: new File([text], 'r.urdf') }])
  expect(robots).toEqual(['r.urdf'])
})
