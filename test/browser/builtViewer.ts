import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from './chromium.ts'
import { serveFolder } from './staticServer.ts'

export const dist = fileURLToPath(new URL('../../dist', import.meta.url))

/** What these tests use of `window.featherbed`. */
export interface Hook {
  readonly session: {
    readonly playing: boolean
    readonly step: number
    readonly lastStep: number
    readonly dt: number
    readonly lanes: readonly {
      readonly contactModel: string
      readonly reached: number
      readonly setup?: { readonly scene?: { readonly file: string } }
      advance(toStep: number, every: number): void
      readonly failure?: { readonly message: string }
      readonly history: { at(step: number): { readonly hash: string; readonly q: Float64Array } | undefined }
    }[]
  }
  bounds(): readonly { readonly body: string; readonly seen: Corners | null; readonly touching: Corners | null }[]
  featureMarks(): readonly { readonly marks: number; readonly links: number }[]
  runHash(robot: string, model: string, steps: number, dt: number, options?: { restoreAt?: number }): Promise<string>
  trigonometryHash(count: number): Promise<string>
}
/** Lowest and highest corner [m]. */
export type Corners = readonly [low: readonly number[], high: readonly number[]]
export type HookWindow = Window & { readonly featherbed: Hook }

export interface BuiltViewer {
  readonly browser: Browser
  /** Opens the page and waits until the robot stands on it. What goes wrong on the page is collected in `problems`. */
  open(query: string): Promise<{ page: Page; problems: string[] }>
  close(): Promise<void>
}

/** Serves dist/viewer, as any static host would, to a browser of its own. */
export async function openBuiltViewer(): Promise<BuiltViewer> {
  if (!existsSync(`${dist}/viewer/index.html`))
    throw new Error('dist/viewer is not there: run `npm run build` before these tests.')
  const [server, browser] = await Promise.all([serveFolder(`${dist}/viewer`), launchBrowser()])
  return {
    browser,
    async open(query) {
      // small, because the picture is drawn by the processor
      const page = await browser.newPage({ viewport: { width: 900, height: 600 } })
      page.setDefaultTimeout(60_000) // a busy machine may take many seconds to its first picture
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(error.message))
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url))
          problems.push(`request to ${request.url()}`)
      })
      await page.goto(server.url + query)
      await page.waitForFunction(() => {
        const { session } = (window as unknown as HookWindow).featherbed
        return session.lanes.length > 0 && session.lanes.every((lane) => lane.failure || lane.history.at(0))
      })
      return { page, problems }
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
}
