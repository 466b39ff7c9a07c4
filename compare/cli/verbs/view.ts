import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { dirname, extname, join, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { built } from '../../../assets.ts'
import { visible } from '../../../robots/index.ts'
import { packRun, sizesOf, withRun } from '../../scenario/sharedRun.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { outputFile, writeOutput } from '../output.ts'
import { allowFlag, type FlagsOf, type Verb } from '../verb.ts'
import { filesForPage } from '../viewFiles.ts'

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
  '.urdf': 'application/xml',
  '.xml': 'application/xml',
}

const flags = {
  '--out <file>': 'write the page and all files that FILE names as one .html, which runs without a network',
  '--port <n>': 'port on 127.0.0.1 (default: any free one)',
  '--no-open': 'do not open a browser',
  '--trust': 'trust the file and all that it names: its scripts run in the page itself, its files may lie anywhere',
  ...allowFlag,
  '--embed': 'allow other sites to show this page in a frame',
} as const
type ViewFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed view --port 4173\n' +
    '  featherbed view docs/examples/pile.yaml\n' +
    '  featherbed view walk.mcap\n' +
    '  featherbed view results/report.html\n' +
    '  featherbed view a1_description/urdf/a1.urdf --out a1.html',
  arguments: { file: 'a robot by path or name, a scenario, a recording (.mcap), a report.html, or results.json beside one' },
  flags,
  run: view,
}

/** `featherbed view [FILE]`: serves the built viewer, with a file, until it is interrupted; or writes both as one file. */
async function view(target: string | undefined, flags: ViewFlags): Promise<void> {
  const { port, open, json, quiet, out, trust = false, allow, embed } = flags
  const wanted = portOf('--port', port)
  const folder = fileURLToPath(built('viewer'))
  if (!existsSync(join(folder, 'index.html'))) {
    throw new UsageError(`the viewer is not built: ${folder} holds no index.html; run "npm run build:viewer" first`)
  }
  if (target !== undefined && /\.(html?|json)$/i.test(target) && !isScenarioJson(target)) {
    const url = pathToFileURL(reportOf(target)).href
    io.stdout.write(json ? `${JSON.stringify({ url })}\n` : `${url}\n`)
    if (open !== false) openBrowser(url)
    return
  }
  const given = target === undefined ? undefined : await filesForPage(target, { allow, trust })
  const run = given && (await packRun({ settings: { robot: given.file, srdf: '' }, files: given.files }))
  if (given && !quiet)
    for (const { name, size } of sizesOf(given.files)) io.stderr.write(`${size.padStart(10)}  ${visible(name)}\n`)
  if (out !== undefined) {
    if (run === undefined) throw new UsageError('--out writes the page with its content; name a robot, a scenario or a recording')
    const file = await outputFile('--out', out)
    const pieces = withRun(gunzipSync(readFileSync(join(folder, 'single.bin'))).toString(), run)
    await writeOutput(file, pieces.join(''))
    const size = `${(statSync(file).size / 1e6).toFixed(1)} MB`
    io.stdout.write(json ? `${JSON.stringify({ file })}\n` : `${file} (${size}) opens in any browser, without a network\n`)
    return
  }
  const token = randomBytes(16).toString('hex')
  const server = serve(folder, { given: run === undefined ? undefined : { token, run, trust }, embed })
  const address = await listen(server, wanted)
  const url = run === undefined ? address : `${address}?given=${token}`
  io.stdout.write(json ? `${JSON.stringify({ url })}\n` : `${url}\n`)
  if (!quiet) io.stderr.write('Serving the viewer to this machine only; Ctrl+C ends it.\n')
  if (open !== false) openBrowser(url)
  await new Promise<void>((resolve) => {
    const end = () => {
      server.closeAllConnections()
      server.close(() => resolve())
    }
    process.once('SIGINT', end)
    process.once('SIGTERM', end)
  })
}

/** @throws UsageError */
export function portOf(flag: string, port = '0'): number {
  if (!/^\d+$/.test(port) || Number(port) > 65535)
    throw new UsageError(`${flag} found "${port}", expected a number from 0 to 65535`)
  return Number(port)
}

const isScenarioJson = (path: string) => /\.json$/i.test(path) && !/"comparisons"\s*:/.test(readFileSync(path, 'utf8'))

/** The page of a report, or the one beside results. @throws UsageError */
function reportOf(path: string): string {
  const report = /\.json$/i.test(path) ? join(dirname(path), 'report.html') : path
  if (!existsSync(report))
    throw new UsageError(`view ${path}: there is no report.html beside it, which shows results; compare --out DIR writes both`)
  return resolve(report)
}

/**
 * The policies of workers, which come with their own answers. The worker that evaluates trusted scripts may make no requests; the other
 * loads the sandbox's interpreter.
 */
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' data:"
const trustedPolicy = "default-src 'none'; script-src 'self' 'unsafe-eval'"

/** What `serve` adds to the files of the page. */
export interface ServeOptions {
  /** Reply of `/given?TOKEN`, and whether the page may trust it. */
  readonly given?: { readonly token: string; readonly run: string; readonly trust: boolean }
  /** Whether other sites may frame the page. */
  readonly embed?: boolean
}

/** A static server: files under the folder, nothing else; no listings; links that lead out of the folder are not followed. */
export function serve(folder: string, { given, embed = false }: ServeOptions = {}): Server {
  const root = realpathSync(folder)
  // hosts without headers find it in the page
  const [, stated = "default-src 'none'"] =
    /Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(join(root, 'index.html'), 'utf8')) ?? []
  const pagePolicy = stated.replaceAll('&#39;', "'")
  const frames = `frame-ancestors ${embed ? '*' : "'none'"}`
  const headersOf = (policy: string) => ({
    'content-security-policy': `${policy}; ${frames}`,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  })
  return createServer((request, response) => {
    const answer = (status: number, type: string, policy = pagePolicy, more = {}) =>
      response.writeHead(status, { ...headersOf(policy), 'content-type': type, ...more })
    const refuse = (status: number, text: string) => answer(status, contentTypes['.txt']).end(text)
    // another site's page may not read this one through a name of its own that leads to this machine, nor ask it anything
    const { host = '', origin } = request.headers
    // by any port: a tunnel from another machine has its own
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return refuse(403, 'served to 127.0.0.1 only')
    if (origin !== undefined && origin !== `http://${host}`) return refuse(403, 'served to its own page only')
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'only GET')
    if (given !== undefined && request.url === `/given?${given.token}`) {
      answer(200, contentTypes['.txt'], undefined, { 'x-featherbed-trust': Number(given.trust) }).end(given.run)
      return
    }
    const file = fileAt(root, request.url ?? '/')
    if (file === undefined) return refuse(404, 'there is no such file')
    const isWorker = /\.worker-[^/]*\.js$/.test(file)
    const policy = isWorker ? (request.url?.endsWith('?trusted') ? trustedPolicy : workerPolicy) : pagePolicy
    const type = contentTypes[extname(file)] ?? 'application/octet-stream'
    answer(200, type, policy, { 'content-length': statSync(file).size })
    if (request.method === 'HEAD') response.end()
    else createReadStream(file).pipe(response)
  })
}

function fileAt(root: string, url: string): string | undefined {
  let path: string
  try {
    path = decodeURIComponent(new URL(url, 'http://127.0.0.1').pathname)
  } catch {
    return undefined
  }
  if (path.includes('\0')) return undefined
  const wanted = join(root, path.endsWith('/') ? `${path}index.html` : path)
  if (!existsSync(wanted)) return undefined
  const real = realpathSync(wanted)
  return real.startsWith(root + sep) && statSync(real).isFile() ? real : undefined
}

async function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is taken; choose another, or leave --port out' : `cannot be had (${error.code})`
      reject(new UsageError(`--port ${port} ${reason}`))
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}/`)
    })
  })
}

function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url]
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {}) // no browser to open: the address stands on stdout
  child.unref()
}
