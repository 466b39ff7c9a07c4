import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, onTestFinished } from 'vitest'
import type {} from '../../viewer/testHook.ts'
import { main } from '../compare/command.ts'

export const dist = fileURLToPath(new URL('../../dist', import.meta.url))

/** Messages of the browser, which reads pictures that the processor draws back, and of a loader, which tells what it does. */
const allowed = /GPU stall due to ReadPixels|^THREE\.ColladaLoader: File version/

export interface OpenPage {
  readonly page: Page
  /** Messages, errors, dialogs, and requests to anything but the page's own server. A test fails by them at its end. */
  readonly problems: readonly string[]
  /** Addresses that were asked for, without data and blobs. */
  readonly requests: readonly string[]
}

export interface OpenOptions {
  readonly width?: number
  readonly height?: number
  readonly offline?: boolean
  /** Whether the page may complain. */
  readonly complains?: boolean
}

export interface BuiltViewer {
  /**
   * Opens the built page and waits until the robot stands on it. The processor would draw it, and draws nothing unless `draws`.
   *
   * @param query of the address, from `?` on
   */
  open(query: string, options?: OpenOptions & { readonly draws?: boolean }): Promise<OpenPage>
  /** Opens any address. */
  openAddress(url: string, options?: OpenOptions): Promise<OpenPage>
}

/**
 * For one test file: pages of the run's one browser, each with cookies, storage and cache of its own. What a test opens is closed after it,
 * what a `beforeAll` opens with the file.
 */
export function builtViewer(): BuiltViewer {
  const address = inject('viewer')
  const opened: (OpenPage & { readonly complains: boolean })[] = []
  let browser: Browser
  let lasting = 0
  beforeAll(async () => {
    const answer = await fetch(`${address}browser`)
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    browser = await chromium.connect(text)
  })
  beforeEach(() => {
    lasting = opened.length
  })
  afterEach(async () => {
    const problems = opened.flatMap((one) => (one.complains ? [] : one.problems))
    await Promise.all(opened.splice(lasting).map(({ page }) => page.context().close()))
    expect(problems).toEqual([])
  })
  afterAll(() => browser?.close())

  async function openAddress(
    url: string,
    { width = 900, height = 600, offline = false, complains = false }: OpenOptions = {},
  ): Promise<OpenPage> {
    const context = await browser.newContext({ viewport: { width, height }, offline })
    context.setDefaultTimeout(0) // the test's own patience ends a wait for what never comes
    const page = await context.newPage()
    const [problems, requests]: string[][] = [[], []]
    opened.push({ page, problems, requests, complains })
    page.on('console', (message) => {
      if (!allowed.test(message.text())) problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
    page.on('dialog', (dialog) => {
      problems.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (/^(data|blob):/.test(request.url())) return
      requests.push(request.url())
      const own = url.startsWith('file:') ? url : new URL('/', url).href
      if (!request.url().startsWith(own)) problems.push(`request to ${request.url()}`)
    })
    await page.goto(url)
    return { page, problems, requests }
  }

  return {
    openAddress,
    async open(query, { draws = false, ...options } = {}) {
      if (!existsSync(`${dist}/viewer/index.html`))
        throw new Error('dist/viewer is not there: run `npm run build` before these tests.')
      const [search, fragment] = query.split('#')
      const all = draws ? search : `${search}&quality=none`
      const opened = await openAddress(`${address}${all}${fragment === undefined ? '' : `#${fragment}`}`, options)
      await opened.page.waitForFunction(() => {
        const { lanes } = window.featherbed.session
        return lanes.length > 0 && lanes.every((lane) => lane.failure || lane.history.at(0))
      })
      return opened
    },
  }
}

/** Waits until the picture of a page that draws is finished, and shown. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => window.featherbed.isSettled())
  await frames(page, 2)
}

/** Lets the page go on by so many frames. */
export function frames(page: Page, count: number): Promise<void> {
  return page.evaluate(async (count) => {
    for (let k = 0; k < count; k++) await new Promise(requestAnimationFrame)
  }, count)
}

export const stepOf = (page: Page): Promise<number> => page.evaluate(() => window.featherbed.session.step)

/** Waits while the clock runs, until it is at a step or beyond it. */
export async function runTo(page: Page, step: number): Promise<void> {
  await page.waitForFunction((step) => window.featherbed.session.step >= step, step)
}

/** Lets all runs compute up to a step, with a snapshot every so many, and shows it. */
export async function goTo(page: Page, step: number, every = step): Promise<void> {
  await page.waitForFunction(
    ([step, every]) => {
      const { session } = window.featherbed
      for (const lane of session.lanes) lane.advance(step, every)
      return session.lanes.every(({ reached }) => reached >= step)
    },
    [step, every],
  )
  await page.evaluate((step) => window.featherbed.session.scrub(step), step)
}

/** Hash of the first run after so many steps, as soon as it has one; why the run failed, if it did. */
export async function hashAt(page: Page, step: number): Promise<string> {
  const hash = await page.waitForFunction((step) => {
    const [lane] = window.featherbed?.session.lanes ?? []
    if (lane?.history.at(0) === undefined) return lane?.failure?.message
    lane.advance(step, Math.min(step, 100)) // a run that tells nothing for long is taken for one that hangs
    const shown = lane.at(step)
    return shown?.step === step ? shown.hash : lane.failure?.message
  }, step)
  return (await hash.jsonValue()) as string
}

/** Waits until a scenario runs, or a controller that was dropped. */
export async function sceneStands(page: Page): Promise<void> {
  await page.waitForFunction(() => window.featherbed.session.lanes[0].setup?.scene !== undefined)
  await page.waitForFunction(() => document.querySelector('#runs td.hash')?.textContent?.length === 16)
}

/** Sets a figure of the panel. */
export async function setFigure(page: Page, name: string, value: string): Promise<void> {
  const field = page.locator('#panel .lil-controller', { hasText: name }).locator('input').first()
  await field.fill(value)
  await field.press('Enter')
  await field.blur()
}

/** Lets the user's time pass until a run is stopped that tells nothing, as in a script that never returns. */
export async function stopped(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { lanes } = window.featherbed.session
    for (const lane of lanes) if (lane.history.at(0)) lane.watch(0.5)
    return lanes.some(({ failure }) => failure?.message.includes('never returns'))
  })
}

/** What a button saves. */
export async function saved(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk)
  return { name: download.suggestedFilename(), bytes: Buffer.concat(chunks) }
}

/** A file, to be dropped. */
export const textFile = (name: string, text: string | Buffer) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

/** The address that a command serves until the test is over. */
export async function served(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [main, 'view', ...args, '--no-open', '--json', '--quiet'])
  onTestFinished(() => void child.kill())
  return new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve((JSON.parse(text.toString()) as { url: string }).url))
    child.once('exit', (code) => reject(new Error(`view ended with ${code}`)))
  })
}
