/** Scripts that are not trusted: the same bits as the trusted ones, and nothing of this process within their reach. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { loadController } from '../../control/files.ts'
import { type Controller, ControllerError, createControllerLoop } from '../../control/index.ts'
import { pack, unpack } from '../../control/packed.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { loadRobot, separated } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-sandbox-'))
afterAll(() => rmSync(folder, { recursive: true }))
const limits = { patience: 0.1, memory: 1e8 }

let count = 0
function file(text: string, name = `script${count++}.ts`): string {
  mkdirSync(join(folder, 'own'), { recursive: true })
  const path = join(folder, 'own', name)
  writeFileSync(path, text)
  return path
}

const robot = await loadOwnRobot('quadruped')

function worldOf(controller: Controller, options: Record<string, unknown> = {}) {
  const loop = createControllerLoop(controller, robot, { name: 'mine', options })
  return { loop, world: new World({ robots: [{ robot, controller: loop }], contactModel: 'penalty', dt: 1e-3 }) }
}

function end(controller: Controller, options?: Record<string, unknown>) {
  const { loop, world } = worldOf(controller, options)
  for (let k = 0; k < 100; k++) world.step()
  return { hash: world.hash(), metrics: loop.metrics(), target: Array.from(loop.target.joints) }
}

/** Functions whose last bit engines differ in, powers, and a memory with every kind of data. */
const own = `import { gravityForces, sin } from 'featherbed/dynamics'
import { gain } from './gain.ts'
export default {
  rate: 250,
  init: ({ robot, model, options }) => ({
    gravity: new Float64Array(model.nv), efforts: new Float64Array(robot.joints.length),
    seen: new Map([['worst', -0]]), last: [NaN, Infinity, undefined, 2n], height: options.height,
    ticks: 0,
  }),
  update({ t, q, v, robot, model, state, data, memory, target, contactForces }) {
    gravityForces(model, state, data, memory.gravity)
    memory.ticks++
    robot.joints.forEach(({ qIndex, vIndex }, j) => {
      const wave = 0.01 * Math.exp(Math.sin(t + j)) * Math.tanh(t) + 0.001 * (1 + t) ** 1.7 + 1e-3 * Math.hypot(t, j, 1) * Math.atan2(t, j + 1)
      const error = robot.home[qIndex] + wave - q[qIndex]
      memory.seen.set('worst', Math.max(memory.seen.get('worst'), Math.abs(error)))
      memory.efforts[j] = memory.gravity[vIndex] + gain * (error - 0.1 * v[vIndex]) + 1e-3 * sin(contactForces[8]) + 1e-3 * data.V[1][0]
      target.joints[j] = robot.home[qIndex] + wave
    })
    return memory.efforts
  },
  metrics: ({ memory }) => ({ worst: memory.seen.get('worst'), ticks: memory.ticks }),
}`

/** All that a controller is handed it writes over; it returns a list. */
const spoiler = `export default {
  init: ({ robot }) => ({ n: robot.joints.length, k: 0 }),
  update({ q, v, data, model, robot, memory }) {
    const sum = data.X[1][0] + q[3] + model.gravity[5] + v[0]
    q.fill(7); v.fill(7); data.X[1].fill(7); robot.home.fill(0)
    return Array.from({ length: memory.n }, (_, j) => 0.01 * sum * j + 0.001 * memory.k++)
  },
}`
const holding = `import { hold } from 'featherbed/control'
export default hold({ omega: 12 })`
/** An option that is a function of the time. */
const following = `export default {
  init: ({ robot, options }) => ({ n: robot.joints.length, f: null, g: options.f(0.25) }),
  update: ({ t, memory }) => new Float64Array(memory.n).fill(memory.g * t),
}`

describe('the same bits as the trusted run', () => {
  file('export const gain = 20', 'gain.ts')
  for (const [name, text] of Object.entries({ own, spoiler, holding, following })) {
    test(name, async () => {
      const path = file(text)
      const options = name === 'following' ? { f: (t: number) => Math.exp(t) } : { height: { deep: [1, 2] } }
      const trusted = end(await loadController(path), options)
      expect(end(await loadController(path, limits), options)).toEqual(trusted)
      expect(trusted.hash).not.toBe(end({ ...(await loadController(path)), update: () => new Float64Array(12) }, options).hash)
    })
  }

  test('of a script that reads sensors, of the file on objects beside the robot too', async () => {
    const body = (name: string, x: number, joint: string) =>
      `<body name="${name}" pos="${x} 0 0.5">${joint}<geom size="0.1" mass="1"/></body>`
    const text = `<mujoco><worldbody>${body('arm', 0, '<joint name="j" axis="0 1 0"/>')}${body('cube', 1, '<freejoint/>')}</worldbody>
      <sensor><framepos name="cube" objtype="body" objname="cube"/><subtreelinvel name="7" body="world"/><e_kinetic name="__proto__"/></sensor></mujoco>`
    const { rest, objects } = separated(loadRobot(text, { file: 'm.xml', ground: false }))
    const ends = async (own: typeof limits | undefined) => {
      const path = file(`export default {
        init: ({ sensors }) => ({ names: Object.keys(sensors), last: 0 }),
        update({ sensors, memory }) { return [memory.last = sensors.cube[2] + sensors[7][2] + sensors.turn[1] - sensors.turn[0]] },
        metrics: ({ memory: { names, last }, sensors }) => ({ names: names.length, last, cube: sensors.cube[2] }),
      }`)
      const sensors = { turn: { type: 'encoder', joint: 'j', noise: 0.1, delay: 0.02 } } as const
      const loop = createControllerLoop(await loadController(path, own), rest, { sensors })
      const robots = [{ robot: rest, controller: loop }, ...objects.map((robot) => ({ robot }))]
      const world = new World({ robots, contactModel: 'penalty', dt: 1e-3 })
      for (let k = 0; k < 100; k++) world.step()
      return { hash: world.hash(), metrics: loop.metrics() }
    }
    const trusted = await ends(undefined)
    expect(await ends(limits)).toEqual(trusted)
    expect(trusted.metrics.names).toBe(4)
    expect(trusted.metrics.cube).toBeCloseTo(0.5 - (9.81 / 2) * 0.098 ** 2, 3)
  })

  test('every function of Math at 2000 arguments', async () => {
    const names = Object.getOwnPropertyNames(Math).filter(
      (name) => typeof Math[name as 'sin'] === 'function' && name !== 'random',
    )
    expect(names.length).toBeGreaterThan(30)
    const text = `export default {
      init: ({ robot }) => ({ efforts: new Float64Array(robot.joints.length), bits: new Uint32Array(2) }),
      update: ({ memory }) => memory.efforts,
      metrics({ memory }) {
        const out = {}
        const x = new Float64Array(1)
        const bits = new Uint32Array(x.buffer)
        for (const name of ${JSON.stringify(names)}) {
          let sum = 0
          for (let k = 0; k < 2000; k++) {
            x[0] = Math[name]((k - 1000) * 0.00737 + 1 / (k + 3), 0.3 + 0.001 * k)
            if (x[0] === x[0]) sum = (Math.imul(sum, 31) + bits[0] + 7 * bits[1]) | 0
          }
          out[name] = sum
        }
        return out
      },
    }`
    const path = file(text)
    expect(end(await loadController(path, limits))).toEqual(end(await loadController(path)))
  })

  test('a checkpoint of either goes on in the other', async () => {
    const path = file(own)
    const controllers = [await loadController(path), await loadController(path, limits)]
    const [trusted, untrusted] = controllers.map((controller) => {
      const { world } = worldOf(controller)
      for (let k = 0; k < 50; k++) world.step()
      return world.checkpoint()
    })
    expect(untrusted).toEqual(trusted)
    const wanted = end(controllers[0]).hash
    for (const [controller, checkpoint] of [
      [controllers[0], untrusted],
      [controllers[1], trusted],
      [controllers[1], untrusted],
    ] as const) {
      const { world } = worldOf(controller)
      world.restore(checkpoint)
      for (let k = 0; k < 50; k++) world.step()
      expect(world.hash()).toBe(wanted)
    }
  })

  test('two worlds of one load do not mix', async () => {
    const controller = await loadController(file(own), limits)
    const [a, b] = [worldOf(controller), worldOf(controller)]
    for (let k = 0; k < 100; k++) {
      a.world.step()
      if (k < 40) b.world.step()
    }
    expect([a.loop.metrics().ticks, b.loop.metrics().ticks]).toEqual([25, 10])
  })
})

const script = (members: string, head = '') => `${head}
export default {
  init: ({ robot }) => ({ n: robot.joints.length }),
  update: ({ memory }) => new Float64Array(memory.n),
  ${members}
}`
const update = (body: string, head = '') =>
  script(`update({ t, q, v, robot, model, state, data, memory, target }) { ${body}; return new Float64Array(memory.n) },`, head)

/** What comes of it, from its load to its metrics. */
async function failure(text: string): Promise<string> {
  try {
    const { loop, world } = worldOf(await loadController(file(text), limits))
    for (let k = 0; k < 10; k++) world.step()
    world.checkpoint()
    loop.metrics()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** Replaces all that it hands over. */
const forging = (parts: string) =>
  script('', `const text = JSON.stringify({ value: ['object', 0], ${parts} }); JSON.stringify = () => text`)

const late = /it did not return within 0.1 s/
const memory = /needed more than 0\.1 GB of memory; --memory raises the limit/
const attacks: readonly (readonly [name: string, text: string, failure: RegExp])[] = [
  // what never returns
  ['loops at its top level', script('', 'for (;;) {}'), /threw while it was loaded: it did not return/],
  ['awaits for ever', script('', 'await new Promise(() => {})'), /top level awaits what never comes/],
  ['loops in a promise', script('', 'await Promise.resolve().then(() => { for (;;) {} })'), late],
  ['loops in a getter of its rate', script('get rate() { for (;;) {} },'), late],
  ['loops in init', script('init() { for (;;) {} },'), /init threw: it did not return/],
  ['loops in update', update('for (;;) {}'), /update threw at t = 0\.00000 s: it did not return/],
  ['loops where it catches', update('for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }'), late],
  ['loops in metrics', script('metrics() { for (;;) {} },'), /metrics threw: it did not return/],
  ['loops in its memory', script('init: ({ robot }) => ({ n: robot.joints.length, get all() { for (;;) {} } }),'), late],
  ['loops in an effort', update('return { length: memory.n, get 0() { for (;;) {} } }'), late],
  ['loops in what it throws', update('throw Object.defineProperty(new Error(), "stack", { get() { for (;;) {} } })'), late],
  ['loops in a regular expression', update('/^(a+)+$/.test("a".repeat(60) + "b")'), late],
  ['resolves for ever', script('', '(function again() { Promise.resolve().then(again) })(); await 0'), late],
  // memory and stack
  ['keeps arrays', update('const all = []; for (;;) all.push(new Float64Array(1e6).fill(1))'), memory],
  [
    'keeps objects',
    update('const all = []; for (let i = 0; ; i++) all.push({ i })'),
    new RegExp(`${memory.source}|${late.source}`),
  ],
  ['keeps text', update('let s = "x"; for (;;) s += s'), /memory|invalid string length|string too long/i],
  [
    'remembers long lists',
    script('init: ({ robot }) => ({ n: robot.joints.length, a: Array.from({ length: 9 }, () => new Array(2e7)) }),'),
    memory,
  ],
  ['remembers one list without end', script('init: ({ robot }) => ({ n: robot.joints.length, a: new Array(4e9) }),'), memory],
  ['answers with a long text', update('return "y".repeat(2e7)'), memory],
  [
    'remembers more than can be copied',
    script('init: ({ robot }) => ({ n: robot.joints.length, a: new Uint8Array(4e7) }),'),
    memory,
  ],
  ['hands over lists that it never made', forging('nodes: Array(9).fill(["list", 2e7, []]), buffers: []'), memory],
  ['hands over a list that grows', forging('nodes: [["list", 0, [["4e9", 1], ["length", 4e9]]]], buffers: []'), /beyond its end/],
  [
    'hands over one buffer many times',
    forging('nodes: [], buffers: [1e6, ...Array(99).fill([-1e6, 1e6]).flat()]'),
    /a buffer of 1000000 bytes is not there/,
  ],
  ['hands over arrays of no buffer', forging('nodes: [["array", "Uint8Array", "length", 0, 1]], buffers: []'), /no buffer/],
  ['overflows the stack', update('(function f() { f() })()'), /stack/],
  ['overflows the stack of the parser', update('(0, eval)("(".repeat(1e6))'), /stack|memory/],
  // the process
  ['asks a constructor for the process', update("this.constructor.constructor('return process')()"), /process.* is not defined/],
  [
    'asks the constructor of what it is handed',
    update("robot.joints.constructor.constructor('return process')()"),
    /not defined/,
  ],
  [
    'asks the constructor of a function',
    update("target.joints.fill.constructor('return globalThis.process.pid')()"),
    /undefined/,
  ],
  [
    'asks the constructor of an option',
    script("init: ({ options }) => Math.exp.constructor('return require')()('fs'),"),
    /require.* is not defined/,
  ],
  [
    'asks for globals',
    update(
      'throw new Error([typeof process, typeof fetch, typeof Date, typeof performance, typeof setTimeout, typeof WebAssembly, typeof host].join())',
    ),
    /: (undefined,){6}undefined/,
  ],
  ['asks for randomness', update('Math.random()'), /cannot be repeated/],
  ['asks another Math for randomness', update('globalThis.Math.random()'), /cannot be repeated/],
  // imports
  [
    'imports a module of Node',
    script('', "import fs from 'node:fs'; fs.rmSync"),
    /script\d+\.ts:1:\d+: an untrusted controller cannot import "node:fs"/,
  ],
  [
    'imports it by its old name',
    script('', "import { execSync } from 'child_process'; execSync"),
    /cannot import "child_process"/,
  ],
  ['requires it', update("require('fs')"), /cannot import "fs"/],
  ['imports it late', script('', "await import('node:fs')"), /cannot import "node:fs"/],
  ['imports what it puts together', script('', "await import(['node', 'fs'].join(':'))"), /threw while it was loaded/],
  ['imports what bundling puts together', script('', "await import('node:' + 'fs')"), /cannot import|threw while it was loaded/],
  ['imports a file as text', script('', "import text from '/etc/hostname.txt'; text.a"), /\/etc\/hostname\.txt/],
  [
    'imports from above its folder',
    script('', "import '../secret.json'"),
    /cannot import .*secret\.json, which is outside of its folder/,
  ],
  ['imports by a link', script('', "import './link.json'"), /cannot import .*secret\.json, which is outside of its folder/],
  ['imports by URL', script('', `import 'file://${folder}/secret.json'`), /cannot import "file:/],
  [
    'imports by a URL that bundling puts together',
    script('', `await import('file://' + '${folder}/secret.json')`),
    /cannot import|threw while it was loaded/,
  ],
  ['imports from the network', script('', "import 'https://example.org/a.js'"), /cannot import "https:/],
  // odd ones
  ['throws null', update('throw null'), /update threw at t = 0\.00000 s: null/],
  [
    'throws a revoked proxy',
    update('const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy'),
    /cannot be shown/,
  ],
  ['throws what has no text', update('throw { toString() { throw 1 } }'), /cannot be shown/],
  ['throws an error', update('\n\n    throw new Error("mine")'), /mine \(at update \(.*\/own\/script\d+\.ts:7:\d+\)\)/],
  ['throws a promise from init', script('async init() { return {} },'), /init returned a promise/],
  ['is no controller', 'export default 3', /its default export is a number/],
  ['has no syntax', 'export default {', /script\d+\.ts:1:\d+/],
  ['has a rate of text', script('rate: "fast",'), /rate is "fast"; expected a positive number/],
  ['returns a promise', script('async update() { return [] },'), /update returned a promise/],
  ['returns too few', update('return [0]'), /update returned 1 entries/],
  ['returns NaN', update('return new Array(memory.n).fill(NaN)'), /update returned NaN in entry 0/],
  ['returns text', update('return "0"'), /update returned string 0/],
  ['has metrics of text', script('metrics: () => ({ a: "b" }),'), /metrics returned a string as "a"/],
  [
    'keeps a function',
    script('init: ({ robot }) => ({ n: robot.joints.length, f() {} }),'),
    /memory cannot be saved \(a function is no data/,
  ],
  ['gives an array away', update('if (t > 0) q.length; else q.buffer.transfer()'), /gave away \(transferred\) an array/],
]

writeFileSync(join(folder, 'secret.json'), '{"key":1}')
mkdirSync(join(folder, 'own'), { recursive: true })
symlinkSync(join(folder, 'secret.json'), join(folder, 'own', 'link.json'))

describe('ends its own run alone: a script that', () => {
  for (const [name, text, expected] of attacks) {
    test(name, async () => expect(await failure(text)).toMatch(expected))
  }

  test('changes prototypes, inside and nowhere else', async () => {
    const before = [Array.prototype.push, Float64Array.prototype.fill, JSON.stringify, Math.sqrt, Object.keys]
    const head = `Array.prototype.push = Float64Array.prototype.fill = JSON.stringify = Math.sqrt = () => { throw new Error('mine') }
      Object.prototype.polluted = 1; Object.defineProperty(Object.prototype, '0', { set() { throw new Error('mine') } })
      Float64Array.prototype.set = function (x) { x.buffer.transfer() }`
    await failure(update('', head))
    expect([Array.prototype.push, Float64Array.prototype.fill, JSON.stringify, Math.sqrt, Object.keys]).toEqual(before)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('names __proto__ in its memory makes a property of it', async () => {
    const text = script(`init: ({ robot }) => ({ n: robot.joints.length, a: JSON.parse('{"__proto__":{"polluted":1}}') }),`)
    const { world } = worldOf(await loadController(file(text), limits))
    world.step()
    const { memory } = (world.checkpoint().controllers as { memory: { a: object } }[])[0]
    expect(Object.keys(memory.a)).toEqual(['__proto__'])
  })
})

/** The lines that a script prints. */
async function printed(body: string): Promise<string[]> {
  const lines: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  try {
    await failure(update(body))
  } finally {
    write.mockRestore()
  }
  return lines
}

test('prints to stderr: so many lines of so many characters, none of which moves a cursor', async () => {
  const lines = await printed(String.raw`for (let i = 0; i < 300; i++) console.log("\u001b[2J", i, "x".repeat(2000))`)
  expect(lines.length).toBe(1000)
  expect(lines[7]).toMatch(/^ \[2J 7 x+\n$/)
  expect(lines[7].length).toBe(1001)
})

test('what ends a script is counted: turns of a loop, and bytes that it keeps', async () => {
  const endless = 'for (let i = 0; ; i++) if (i % 1e5 === 0) console.log(i)'
  const lines = await printed(endless)
  expect(lines.length).toBeGreaterThan(10)
  expect(await printed(endless)).toEqual(lines)
  const keeping = await printed('const all = []; for (let i = 0; ; i++) { all.push(new Float64Array(1e5)); console.log(i) }')
  expect(8e5 * keeping.length).toBeGreaterThan(0.9 * limits.memory)
  expect(8e5 * keeping.length).toBeLessThan(limits.memory + 2 ** 24) // the interpreter's own
})

test('messages and lines are cut, whatever makes them, in time by their length', async () => {
  const long = '"a:1".repeat(3e5)'
  for (const text of [
    script('', `throw new Error(${long})`),
    script('', `String.prototype.slice = function () { return this }; throw ${long}`),
  ])
    expect((await failure(text)).length).toBeLessThan(3000)
  const lines = await printed(`String.prototype.slice = Array.prototype.join = () => ${long}; console.log(0)`)
  expect(lines[0]).toHaveLength(2501)
})

test('packed data come back as structuredClone makes them', () => {
  const shared = new Float64Array([1, NaN, -0])
  const ring: Record<string, unknown> = {
    shared,
    same: shared,
    tail: shared.subarray(1),
    list: Object.assign(new Array(3), { 2: 'x' }),
    none: undefined,
  }
  Object.assign(ring, { ring, map: new Map([[ring, new Set([2n, -0, Infinity])]]), bytes: new Uint8Array([1, 2, 3]) })
  expect(unpack(pack(ring))).toEqual(structuredClone(ring))
  const back = unpack(pack(ring)) as { ring: unknown; shared: Float64Array; tail: Float64Array }
  expect(back.ring).toBe(back)
  expect(back.tail.buffer).toBe(back.shared.buffer)
  expect(() => pack({ f() {} })).toThrow(TypeError)
})

test('the error of a missing file is the same', async () => {
  await expect(loadController(join(folder, 'none.ts'), limits)).rejects.toBeInstanceOf(ControllerError)
})

test('loops are switched from within as from outside, and those that it leaves alone go by their clocks', async () => {
  const path = file(`export default {
    rate: 500,
    init: ({ loops }) => ({ names: Object.keys(loops).join() }),
    update({ t, loops, memory, robot }) {
      if (t > 0.0195) loops.held = loops.held ? 1 : t < 0.06
      return Array.from(robot.joints, (_, j) => 0.1 * j * (loops.held + 2 * loops.clock) + memory.names.length)
    },
  }`)
  const hashOf = async (sandbox: boolean) => {
    const controller = createControllerLoop(await loadController(path, sandbox ? limits : undefined), robot)
    const [first, second] = robot.frames.filter(({ body }) => body > 0).slice(-2)
    const end = { robot: 'quadruped', link: first.name }
    const loops = [
      { name: 'held', kind: 'weld', a: end, b: { link: 'world' }, active: false },
      { name: 'clock', kind: 'weld', a: { robot: 'quadruped', link: second.name }, b: { link: 'world' }, from: 0.04 },
    ] as const
    const world = new World({ robots: [{ name: 'quadruped', robot, controller }], contactModel: 'ncp', dt: 1e-3, loops })
    for (let k = 0; k < 80; k++) world.step()
    return [world.hash(), world.switches?.read(0), world.switches?.read(1)]
  }
  const inside = await hashOf(true)
  expect(inside).toEqual(await hashOf(false))
  expect(inside.slice(1)).toEqual([1, 1])
})
