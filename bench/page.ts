/*
 * npm run bench -- page [SECONDS]
 *
 * The built page in Chromium (`npm run build` before it):
 *   first load   bytes requested until a robot stands on the stage, compressed by gzip, and the time (median of three)
 *   playing      Atlas, or our humanoid where FEATHERBED_ROBOTS names no folder of real robots, under three models at 1 kHz: simulated time over
 *                real time, frames a second, and processor time of the main thread a frame, with all calls that draw left out, since here the
 *                processor draws; three.js and the page do the rest of their work
 *   memory       heaps of the page and of its workers after collection, at a quarter, half and end of SECONDS (default 60)
 */
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/browser/chromium.ts'
import { serveFolder } from '../test/browser/staticServer.ts'

interface Session {
  readonly pace: number | undefined
  readonly step: number
  readonly playing: boolean
  readonly lanes: readonly { readonly history: { at(step: number): { readonly q: Float64Array } | undefined } }[]
}
type Bench = Window & { featherbed: { readonly session: Session }; framesDrawn: number }

export async function pageRows(seconds: number): Promise<void> {
  const server = await serveFolder(new URL('../dist/viewer', import.meta.url).pathname)
  const browser = await launchBrowser()
  try {
    await firstLoad(browser, server.url)
    await playing(browser, server.url, seconds)
  } finally {
    await browser.close()
    await server.close()
  }
}

const say = (name: string, text: string) => console.log(`${name.padEnd(14)}${text}`)
const isUsable = () => {
  const { session } = (window as unknown as Bench).featherbed ?? {}
  return session !== undefined && session.lanes.length > 0 && session.lanes.every(({ history }) => history.at(0) !== undefined)
}

async function firstLoad(browser: Browser, url: string): Promise<void> {
  const times: number[] = []
  let bytes = 0
  for (let k = 0; k < 3; k++) {
    const context = await browser.newContext({ viewport: { width: 1366, height: 768 } })
    const page = await context.newPage()
    const bodies = new Map<string, Promise<Buffer>>() // workers ask for the same files again, which hosts let browsers keep
    page.on('response', (response) =>
      bodies.set(
        response.url(),
        response.body().catch(() => Buffer.alloc(0)),
      ),
    )
    const start = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction(isUsable)
    times.push(performance.now() - start)
    bytes = (await Promise.all(bodies.values())).reduce((sum, body) => sum + gzipSync(body).length, 0)
    await context.close()
  }
  say(
    'first load',
    `${(bytes / 1e6).toFixed(2)} MB compressed, usable after ${(times.sort((a, b) => a - b)[1] / 1e3).toFixed(2)} s`,
  )
}

async function playing(browser: Browser, url: string, seconds: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } })
  await page.addInitScript(() => {
    for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced', 'clear'] as const)
      WebGL2RenderingContext.prototype[name] = () => {}
    const own = window as unknown as Bench
    own.framesDrawn = 0
    const count = () => {
      own.framesDrawn++
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
  })
  const folder = process.env.FEATHERBED_ROBOTS
  await page.goto(`${url}?robot=humanoid&models=penalty,lcp,ncp&dt=0.001&play=0`)
  await page.waitForFunction(isUsable)
  if (folder !== undefined) {
    await page.locator('#folder').setInputFiles(`${folder}/atlas`)
    await page.waitForFunction(() =>
      (window as unknown as Bench).featherbed.session.lanes.every(({ history }) => history.at(0)?.q.length === 37),
    )
  }
  const name = folder === undefined ? 'our humanoid' : 'Atlas'
  await page.locator('#play').click()
  await page.waitForTimeout(5000) // until the compiler has seen it
  const mainThread = await mainThreadOf(page)
  const begin = await state(page)
  const before = await mainThread()
  await page.waitForTimeout(10_000)
  const after = await mainThread()
  const end = await state(page)
  const frames = end.frames - begin.frames
  const pace = ((end.step - begin.step) * 1e-3) / ((end.now - begin.now) / 1e3)
  say(
    'playing',
    `${name} under penalty, lcp and ncp: ${pace.toFixed(2)} of real time, ${(frames / ((end.now - begin.now) / 1e3)).toFixed(1)} frames a second, ` +
      `${((after - before) / frames).toFixed(2)} ms of the main thread a frame`,
  )
  const heaps = await heapsOf(page)
  for (const part of [0, 0.25, 0.25, 0.5]) {
    await page.waitForTimeout(1000 * part * seconds)
    const own = await heaps()
    const { step } = await state(page)
    say('memory', `${own.map(megabytes).join(' + ')} MB (page, then its workers) at t = ${(1e-3 * step).toFixed(0)} s`)
  }
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)

const state = (page: Page) =>
  page.evaluate(() => {
    const own = window as unknown as Bench
    return { frames: own.framesDrawn, step: own.featherbed.session.step, now: performance.now() }
  })

/** @returns asks for the processor time of the page's main thread so far [ms] */
async function mainThreadOf(page: Page): Promise<() => Promise<number>> {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return 1e3 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
}

/** @returns asks for what lives on the heaps of the page and of its workers [B] */
async function heapsOf(page: Page): Promise<() => Promise<number[]>> {
  const client = await page.context().newCDPSession(page)
  const worker = new Map<string, (method: string) => Promise<unknown>>()
  let id = 0
  const waiting = new Map<number, (result: unknown) => void>()
  client.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type !== 'worker') return
    worker.set(sessionId, (method) => {
      const message = JSON.stringify({ id: ++id, method })
      const answer = new Promise((resolve) => waiting.set(id, resolve))
      void client.send('Target.sendMessageToTarget', { sessionId, message })
      return answer
    })
  })
  client.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message) as { id: number; result: unknown }
    waiting.get(id)?.(result)
  })
  await client.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
  const live = async (send: (method: 'HeapProfiler.collectGarbage' | 'Runtime.getHeapUsage') => Promise<unknown>) => {
    await send('HeapProfiler.collectGarbage')
    return ((await send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize
  }
  return async () => {
    const all = [await live((method) => client.send(method))]
    for (const send of worker.values()) all.push(await live(send))
    return all
  }
}
