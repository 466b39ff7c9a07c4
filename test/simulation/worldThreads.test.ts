import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createControllerLoop, hold } from '../../control/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { World, WorldBatch, type WorldOptions } from '../../simulation/index.ts'
import type { ThreadsOptions, WorldThreads } from '../../simulation/threads.ts'

// worker threads load the build: npm run build:core
const dist = (path: string) => new URL(`../../dist/${path}`, import.meta.url).href
const threads = (options: ThreadsOptions & WorldOptions): Promise<WorldThreads> =>
  import(/* @vite-ignore */ dist('simulation/threads.js')).then((module) => module.createWorldThreads(options))

const robot = loadOwnRobot('diffdrive')
const options: WorldOptions = { robot, contactModel: 'ncp', dt: 2e-3 }

test('worlds over threads have the bits of worlds in one, and one that fails ends by itself', async () => {
  const count = 5
  const one = new WorldBatch({ count, ...options })
  const two = await threads({ count, threads: 2, ...options })
  try {
    for (const batch of [one, two]) {
      for (let i = 0; i < count; i++) batch.v.fill(0.1 * i, i * one.nv, i * one.nv + 6)
      batch.friction[3] = 0.2
      batch.step(10)
      batch.q[4 * one.nq] = Number.NaN
      batch.reset(0)
      batch.step(5)
    }
    for (const key of ['q', 'v', 'active', 'stepCounts', 'contactCounts'] as const) expect([...two[key]]).toEqual([...one[key]])
    expect([...two.active]).toEqual([1, 1, 1, 1, 0])
    expect([...two.stepCounts]).toEqual([5, 15, 15, 15, 10])
    const failures = [one, two].map((batch) => Array.from({ length: count }, (_, i) => batch.failure(i)?.message))
    expect(failures[1]).toEqual(failures[0])
    expect(failures[1][4]).toMatch(/finite/)
    const again = new World(options)
    again.restore(two.checkpoint(3))
    expect(again.hash()).toBe(one.visit(3, (world) => world.hash()))
    two.friction[4] = -1
    expect(() => two.reset(5)).toThrow('there is no world 5; the batch has 5')
    two.reset(4)
    expect(() => two.step()).toThrow('friction')
  } finally {
    await two.close()
  }
})

test('a module makes the controllers in each thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'featherbed-'))
  const module = join(folder, 'controllers.mjs')
  writeFileSync(
    module,
    `import { createControllerLoop, hold } from '${dist('control/index.js')}'
export default ({ robot }, omega) => (world) => createControllerLoop(hold({ omega: omega[world] }), robot)`,
  )
  const data = new Float64Array(new SharedArrayBuffer(24))
  data.set([10, 20, 30])
  const batch = await threads({ count: 3, threads: 2, controllers: { module: pathToFileURL(module).href, data }, ...options })
  try {
    batch.step(20)
    for (let i = 0; i < 3; i++) {
      const world = new World({ ...options, controller: createControllerLoop(hold({ omega: data[i] }), robot) })
      for (let k = 0; k < 20; k++) world.step()
      expect(batch.checkpoint(i)).toEqual(world.checkpoint())
    }
  } finally {
    await batch.close()
    rmSync(folder, { recursive: true })
  }
})

test('options that no thread can have are an error', async () => {
  await expect(threads({ count: 2, threads: 0, ...options })).rejects.toThrow('threads is 0; expected a whole number from 1 up')
  const motion = { ...options, contactModel: (() => undefined) as never } as WorldOptions
  await expect(threads({ count: 2, threads: 2, ...motion })).rejects.toThrow()
})
