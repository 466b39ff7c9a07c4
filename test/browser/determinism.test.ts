import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../dynamics/index.ts'
import { loadOwnRobot, OWN_ROBOTS, type OwnRobot } from '../../robots/files.ts'
import { trigonometryHash } from '../../viewer/runs/trigonometryHash.ts'
import { writeOnnx } from '../control/policy/writeOnnx.ts'
import { dailyModels, full } from '../dailyModels.ts'
import { builtViewer, dist } from './builtViewer.ts'
import { advance, createWorld } from './inNode.ts'
import { networkHash } from './networkHash.ts'

const steps = full ? 10_000 : 100
const dt = 1e-3

const viewer = builtViewer()
let page: Page
let worker: Worker
beforeAll(async () => {
  page = (await viewer.open('?play=0&models=penalty')).page
  worker = builtWorker()
})
afterAll(() => worker?.terminate())

/** Answers the hash of the same run by what was built, on compiled dynamics, on a thread of its own, for one robot and contact model after the other. */
function builtWorker(): Worker {
  const module = (path: string) => JSON.stringify(pathToFileURL(`${dist}/${path}`).href)
  const code = `
    const { parentPort } = require('node:worker_threads')
    const robots = new Map()
    parentPort.on('message', async ({ name, contactModel }) => {
      const { loadOwnRobot } = await import(${module('robots/files.js')})
      const { createControllerLoop, defaultControllerFor } = await import(${module('control/index.js')})
      const { World } = await import(${module('simulation/index.js')})
      const { compilation } = await import(${module('dynamics/index.js')})
      await compilation.load()
      compilation.after = 0 // compiled dynamics from the first step
      if (!robots.has(name)) robots.set(name, loadOwnRobot(name))
      const robot = robots.get(name)
      const controller = createControllerLoop(defaultControllerFor(robot), robot)
      const world = new World({ robot, contactModel, dt: ${dt}, controller })
      while (world.stepCount < ${steps}) world.step()
      parentPort.postMessage(world.data.compiled.isReady ? world.hash() : 'not compiled')
    })`
  return new Worker(code, { eval: true })
}

async function hashInNodeWorker(name: OwnRobot, contactModel: string): Promise<string> {
  worker.postMessage({ name, contactModel })
  const [hash] = await once(worker, 'message')
  return hash
}

describe(`a run has the same hash after ${steps} steps in Node, and on compiled dynamics in a worker thread and in Chromium`, () => {
  for (const name of full ? OWN_ROBOTS : (['diffdrive', 'humanoid', 'quadruped'] as const)) {
    const robot = loadOwnRobot(name)
    for (const contactModel of dailyModels) {
      test(`${name}, ${contactModel}, also after a restore in mid-run`, async () => {
        const world = createWorld(robot, contactModel, { dt })
        const start = world.hash()
        advance(world, 0.4 * steps)
        const checkpoint = structuredClone(world.checkpoint())
        advance(world, steps)
        const inNode = world.hash()
        expect(inNode).not.toBe(start)

        world.restore(checkpoint)
        advance(world, steps)
        expect(world.hash()).toBe(inNode)

        const inWorker = hashInNodeWorker(name, contactModel)
        const inChromium = page.evaluate(
          ([robot, model, steps, dt]) => window.featherbed.runHash(robot, model, steps, dt, { restoreAt: 0.2 * steps }),
          [name, contactModel, steps, dt] as const,
        )
        expect(await Promise.all([inWorker, inChromium])).toEqual([inNode, inNode])
      })
    }
  }
})

test('our sine and cosine have the same bits at 400,000 points in Node and in Chromium', async () => {
  const count = 100_000 // a sine and a cosine at this many points near zero and as many far from it
  const inChromium = await page.evaluate((count) => window.featherbed.trigonometryHash(count), count)
  expect(inChromium).toBe(trigonometryHash(count))
})

test('a policy and a recurrent network have the same bits in Chromium', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./networkHash.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'policies',
  })
  await page.evaluate(`${outputFiles[0].text}; globalThis.policies = policies`)
  const count = full ? 10_000 : 300
  const policy = readFileSync(fileURLToPath(new URL('../../docs/examples/trot-policy.onnx', import.meta.url)))
  for (const bytes of [Array.from(policy), Array.from(recurrentNetwork())]) {
    const here = networkHash(bytes, count)
    const inChromium = await page.evaluate(
      ([bytes, count]) =>
        (globalThis as unknown as { policies: { networkHash: typeof networkHash } }).policies.networkHash(bytes, count),
      [bytes, count] as const,
    )
    expect(inChromium).toBe(here)
  }
})

/** Elu, LSTM and GRU in a row. */
function recurrentNetwork(): Uint8Array {
  const { between } = createRandom(2)
  const weight = (...shape: number[]) => ({
    shape,
    data: Array.from({ length: shape.reduce((all, length) => all * length, 1) }, () => between(-0.5, 0.5)),
  })
  return writeOnnx({
    nodes: [
      { op: 'Elu', inputs: ['x'], outputs: ['a'] },
      { op: 'LSTM', inputs: ['a', 'W', 'R', 'B', '', 'h', 'c'], outputs: ['', 'h2', 'c2'], attributes: { hidden_size: 8 } },
      {
        op: 'GRU',
        inputs: ['h2', 'V', 'S', 'D', '', 'g'],
        outputs: ['', 'g2'],
        attributes: { hidden_size: 8, linear_before_reset: 1 },
      },
      { op: 'Identity', inputs: ['g2'], outputs: ['y'] },
    ],
    weights: {
      W: weight(1, 32, 6),
      R: weight(1, 32, 8),
      B: weight(1, 64),
      V: weight(1, 24, 8),
      S: weight(1, 24, 8),
      D: weight(1, 48),
    },
    inputs: { x: [1, 1, 6], h: [1, 1, 8], c: [1, 1, 8], g: [1, 1, 8] },
    outputs: { y: [1, 1, 8], h2: [1, 1, 8], c2: [1, 1, 8], g2: [1, 1, 8] },
  })
}
