/** What came by a link, a drop or a scenario of someone else reaches nothing: neither the network nor what this machine serves. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packRun } from '../../compare/scenario/index.ts'
import { featherbed, main, temporaryFolder } from '../compare/command.ts'
import { builtViewer, served, textFile } from './builtViewer.ts'

const folder = temporaryFolder()
const viewer = builtViewer()
/** Words that stand in the user's own scenario alone. */
const canary = 'canary-5c1e'
const own = `name: ${canary}\nrobot: diffdrive\nmodels: [ncp]\ndt: 2 ms\n`

/** A server of another origin that records its requests. */
const asked: string[] = []
let site: Server
const siteAddress = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
beforeAll(async () => {
  site = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('access-control-allow-origin', '*')
    if (pathname === '/frame') {
      response.setHeader('content-type', 'text/html')
      response.end(`<iframe src="${searchParams.get('of')}"></iframe>`)
      return
    }
    asked.push(request.url ?? '')
    response.end('export default 1')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
})
afterAll(() => site.close())

/** Ways out of a worker, each a line that may throw or return a promise. */
const ways = (outside: string): string[] => [
  `fetch('${outside}fetch')`,
  `new XMLHttpRequest().open('GET', '${outside}xhr')`,
  `new WebSocket('${outside.replace('http', 'ws')}socket')`,
  `new EventSource('${outside}events')`,
  `importScripts('${outside}scripts')`,
  `import('${outside}import.js')`,
  `new Worker('${outside}worker.js')`,
  `navigator.sendBeacon('${outside}beacon', 'x')`,
  `new WebTransport('${outside.replace('http:', 'https:')}')`,
  `new RTCPeerConnection()`,
  `caches.open('x')`,
  `indexedDB.open('x')`,
  `new BroadcastChannel('x').postMessage('x')`,
  `fetch('given')`,
  `fetch('/given?' + (self.location.search || ''))`,
  `Function('return this')().fetch('${outside}function')`,
  `(0, eval)("fetch('${outside}eval')")`,
  `[].constructor.constructor('return fetch')()('${outside}constructor')`,
  `globalThis.postMessage({ type: 'record' })`,
  `new Image().src = '${outside}image'`,
  `document.body.append('x')`,
  `window.open('${outside}open')`,
  `self.close()`,
  `process.exit()`,
  `new SharedWorker('${outside}shared.js')`,
  `new Notification('x')`,
  `setTimeout("fetch('${outside}timer')", 1)`,
]

/** A controller that tries all of them when it is made, and tells in its first tick which went. */
const spy = (outside: string) => `const went = []
${ways(outside)
  // an import gives a promise, whatever becomes of it
  .map((way) => `try { ${way}; ${way.startsWith('import(') ? '' : `went.push(${JSON.stringify(way.slice(0, 40))})`} } catch {}`)
  .join('\n')}
export default {
  init: ({ robot }) => new Float64Array(robot.joints.length),
  update({ t, memory }) {
    if (t > 0.02) throw new Error('went: ' + went.join(' | '))
    return memory
  },
}`

const sent = (outside: string) =>
  new Map([
    ['sent.yaml', 'robot: diffdrive\ncontroller: spy.js\nmodels: [ncp]\ndt: 2 ms\nduration: 1 s\n'],
    ['spy.js', spy(outside)],
  ])
const bytesOf = (files: ReadonlyMap<string, string>) =>
  new Map([...files].map(([name, text]) => [name, new TextEncoder().encode(text)]))
const linkTo = (files: ReadonlyMap<string, string>) =>
  packRun({ settings: { robot: 'sent.yaml', models: ['ncp'], dt: 0.002 }, files: bytesOf(files) })

/** How the run of a page ended. */
async function endOf(page: Page): Promise<string> {
  await page.waitForFunction(() => window.featherbed.session.lanes.length > 0)
  await page.evaluate(() => window.featherbed.session.play())
  await page.waitForFunction(() => window.featherbed.session.lanes.every((lane) => lane.failure))
  return page.evaluate(() => window.featherbed.session.lanes[0].failure?.message ?? '')
}

const quiet = 'play=0&quality=none'
const nothing = /went: +\(at update/

describe('a script that came from elsewhere reaches nothing', () => {
  test('by a link, beside what this machine serves, with a card that tells of it', async () => {
    const url = new URL(await served(folder.write('own.yaml', own)))
    const { page, requests } = await viewer.openAddress(`${url.origin}/?${quiet}${await linkTo(sent(siteAddress()))}`)
    expect(await endOf(page)).toMatch(nothing)
    const card = page.locator('#card')
    expect(await card.textContent()).toMatch(/From a link: 2 files.*spy\.js, \d+ kB, a script.*Trust this script/)
    expect(requests.filter((address) => address.includes('given'))).toEqual([])
    expect(asked).toEqual([])
  })

  test('by a drop, on a page without headers', async () => {
    const { page } = await viewer.open('?robot=diffdrive&models=ncp&play=0')
    await page.locator('#files').setInputFiles([...sent(siteAddress())].map(([name, text]) => textFile(name, Buffer.from(text))))
    await page.waitForFunction(() => document.querySelector('#card:not([hidden])'))
    expect(await endOf(page)).toMatch(nothing)
    expect(asked).toEqual([])
  })

  test('in a scenario that view opens, and in the one file that it writes', async () => {
    mkdirSync(join(folder.path, 'sent'), { recursive: true })
    for (const [name, text] of sent(siteAddress())) writeFileSync(join(folder.path, 'sent', name), text)
    const file = join(folder.path, 'sent/sent.yaml')
    const { page } = await viewer.openAddress(`${await served(file)}&${quiet}`)
    expect(await endOf(page)).toMatch(nothing)
    const out = join(folder.path, 'page.html')
    expect(await featherbed(['view', file, '--out', out, '--quiet'])).toMatchObject({ code: 0 })
    const { page: alone } = await viewer.openAddress(`${pathToFileURL(out).href}?${quiet}`)
    expect(await endOf(alone)).toMatch(nothing)
    expect(asked).toEqual([])
  })
})

test('a script that is trusted runs as the page does, and has no network either', async () => {
  const lines = ['fetch', 'XMLHttpRequest', 'importScripts'].map((name) => `typeof ${name}`)
  const files = new Map([
    ['sent.yaml', 'robot: diffdrive\ncontroller: spy.js\nmodels: [ncp]\ndt: 2 ms\nduration: 1 s\n'],
    [
      'spy.js',
      `let left = []
       const note = (promise) => promise.then((answer) => left.push(answer.status ?? 'module'), () => left.push('none'))
       note(fetch('${siteAddress()}trusted'))
       note(fetch('/given'))
       note(import('${siteAddress()}trusted.js'))
       export default {
         init: ({ robot }) => new Float64Array(robot.joints.length),
         update({ t, memory }) {
           if (left.length === 3) throw new Error([${lines.join(', ')}, ...left].join(' '))
           return memory
         },
       }`,
    ],
  ])
  const url = new URL(await served(folder.write('own.yaml', own)))
  const { page } = await viewer.openAddress(`${url.origin}/?${quiet}${await linkTo(files)}`, { complains: true })
  await page.locator('#card button').click()
  await page.waitForFunction(() => !document.querySelector('#card button'))
  expect(await endOf(page)).toMatch(/function function (function|undefined) none none none \(at/)
  expect(asked).toEqual([])
})

test('another site cannot hold the page in a frame, unless that is asked for', async () => {
  const framed = async (address: string) => {
    const { page } = await viewer.openAddress(`${siteAddress()}frame?of=${encodeURIComponent(address)}`, { complains: true })
    const frame = page.frames()[1]
    return frame.evaluate(() => document.querySelector('#canvas') !== null).catch(() => false)
  }
  const plain = await served(folder.write('own.yaml', own))
  expect(await framed(plain)).toBe(false)
  expect(await framed(await served(join(folder.path, 'own.yaml'), '--embed'))).toBe(true)
})

/** The answer of a server to a bare request. */
function answerOf(
  address: string,
  headers: Record<string, string> = {},
): Promise<{ status?: number; policy: string; body: string }> {
  return new Promise((resolve, reject) => {
    get(address, { headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => (body += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, policy: String(response.headers['content-security-policy']), body }),
      )
    }).on('error', reject)
  })
}

test('what view serves of this disk is for who has its address, from this machine, and no other page', async () => {
  const url = new URL(await served(folder.write('own.yaml', own)))
  const token = url.searchParams.get('given') as string
  const given = `${url.origin}/given?${token}`
  expect(token).toMatch(/^[0-9a-f]{32}$/)
  expect((await answerOf(given)).status).toBe(200)
  for (const [address, headers] of [
    [`${url.origin}/given`, {}],
    [`${url.origin}/given?`, {}],
    [`${url.origin}/given?${token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`, {}],
    [`${url.origin}/..%2f..%2fown.yaml`, {}],
    [given, { host: 'other.example' }],
    [given, { host: '127.0.0.1.other.example' }],
    [given, { origin: siteAddress().slice(0, -1) }],
    [given, { origin: 'null' }],
  ] as const)
    expect([403, 404]).toContain((await answerOf(address, headers)).status)
})

test('every answer carries a policy, workers their own, and an error too', async () => {
  const { origin } = new URL(await served())
  const viewerFolder = join(main, '../../../../viewer')
  const worker = readdirSync(join(viewerFolder, 'assets')).find((name) => name.startsWith('simulation.worker-'))
  const script = /src="\.\/(assets\/index-[^"]+)"/.exec(readFileSync(join(viewerFolder, 'index.html'), 'utf8'))?.[1]
  const of = async (path: string) => (await answerOf(`${origin}/${path}`)).policy
  for (const path of ['', script, 'nothing', `assets/${worker}`, `assets/${worker}?trusted`])
    expect(await of(`${path}`)).toMatch(/^default-src 'none'; script-src 'self'.*frame-ancestors 'none'$/)
  expect(await of('')).toContain("connect-src 'self' data: blob:")
  expect(await of(`assets/${worker}?trusted`)).toBe("default-src 'none'; script-src 'self' 'unsafe-eval'; frame-ancestors 'none'")
  expect(await of(`assets/${worker}`)).not.toContain("'unsafe-eval'")
})
