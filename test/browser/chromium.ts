/**
 * A Chromium for the tests: the one that FEATHERBED_CHROMIUM names, or one that the system has, or the one in the npm
 * package @sparticuz/chromium, which brings its own shared libraries and so runs where only Node is installed.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { serveFolder } from './staticServer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where dist/viewer is served, and at `browser` below it the address of the browser that all tests share. */
    viewer: string
  }
}

interface Chromium {
  readonly executablePath: string
  /** What the executable needs in its environment beyond ours. */
  readonly env: Record<string, string>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
/** By its real path, for it is written into files there: a link to `node_modules` may go. */
const cache = join(realpathSync(join(root, 'node_modules')), '.cache', 'featherbed')
const halfDone = 'unpacking-'

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * Once before all tests: clears away the remains of an interrupted run and serves the built page. The one browser of all tests is
 * unpacked and started when a test first asks for it, and closed at the end.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  clearCache()
  let started: Promise<BrowserServer> | undefined
  const browser = async () => {
    started ??= launchOptions().then((options) => chromium.launchServer(options))
    return (await started).wsEndpoint()
  }
  const server = await serveFolder(join(root, 'dist/viewer'), { browser })
  provide('viewer', server.url)
  return async () => {
    await server.close()
    await (await started?.catch(() => undefined))?.close()
  }
}

function clearCache(): void {
  if (!existsSync(cache)) return
  for (const name of readdirSync(cache)) {
    const owner = Number(name.startsWith(halfDone) ? name.slice(halfDone.length).split('-')[0] : Number.NaN)
    if (owner > 0 && !isRunning(owner)) rmSync(join(cache, name), { recursive: true, force: true })
  }
}

/** @throws Error if there is no Chromium and none can be unpacked; the message says what to do */
export async function findChromium(): Promise<Chromium> {
  const named = process.env.FEATHERBED_CHROMIUM
  if (named) {
    if (!existsSync(named)) throw new Error(`FEATHERBED_CHROMIUM names "${named}", which does not exist. Correct or unset it.`)
    return { executablePath: named, env: {} }
  }
  const installed = systemPaths.find((path) => existsSync(path))
  if (installed) return { executablePath: installed, env: {} }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `No Chromium found, and the npm package holds none for ${process.platform}-${process.arch}. ` +
        'Install Chrome or Chromium, or set FEATHERBED_CHROMIUM to its executable.',
    )
  }
  return unpackedChromium()
}

/**
 * The package's Chromium in a folder of its own, named after the version. It is unpacked beside that folder and then
 * renamed, so that a folder of this name is always whole, and two first launches at once each make one and share the
 * first.
 */
async function unpackedChromium(): Promise<Chromium> {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'))
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true })
    const unpacking = mkdtempSync(join(cache, `${halfDone}${process.pid}-`))
    // The package unpacks into the temporary directory, and libraries only for this runtime's name; a process of its own
    // keeps what it does to its environment away from ours.
    await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', "await (await import('@sparticuz/chromium')).default.executablePath()"],
      { cwd: root, env: { ...process.env, TMPDIR: unpacking, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' } },
    )
    writeFileSync(
      join(unpacking, 'fonts', 'fonts.conf'),
      `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>\n`,
    )
    try {
      renameSync(unpacking, folder)
    } catch (error) {
      rmSync(unpacking, { recursive: true, force: true })
      if (!existsSync(folder)) throw error // otherwise another process was first, and its folder serves
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  }
}

/** Starts a browser of one's own, outside tests. Close it when done. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await launchOptions())
}

/** Headless, with WebGL in software, so that every machine draws the same. */
async function launchOptions(): Promise<LaunchOptions> {
  const { executablePath, env } = await findChromium()
  const inherited = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] != null))
  return {
    executablePath,
    timeout: 0,
    env: { ...inherited, ...env },
    headless: true,
    chromiumSandbox: process.getuid?.() !== 0, // Chromium's sandbox refuses to start for root
    args: [
      '--disable-gpu-compositing',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-domain-reliability',
      '--no-first-run',
      '--no-pings',
    ],
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
