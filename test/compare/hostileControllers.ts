/** Controllers that do what no controller should, and how the run of each ends. */

export interface Hostile {
  readonly name: string
  readonly source: string
  /** Of its run; null: it ends well. */
  readonly failure: RegExp | null
  /** Whether it is in the daily run. */
  readonly isDaily?: true
}

const module = (members: string, head = '') => `${head}
export default {
  init: ({ robot }) => ({ n: robot.joints.length }),
  update: ({ memory }) => new Array(memory.n).fill(0),
  ${members}
}`
/** One whose third tick does this. */
const update = (body: string, head = '') =>
  module(
    `update(seen, dt) {
      const { t, q, v, robot, model, state, data, memory, target } = seen
      if (t > 0.003) { ${body} }
      return new Array(memory.n).fill(0)
    },`,
    head,
  )

const ok = null
const silent = /did not return within 1 s at t = 0\.004 s/
const waiting = /did not return within 60 s of waiting at t = 0\.004 s/
const stuck = /left something behind that did not let its thread go on within 1 s/
const memory = /needed more than 0\.3 GB of memory; --memory raises the limit/

const cases: readonly (readonly [name: string, source: string, failure: RegExp | null, daily?: 'daily'])[] = [
  // what it throws
  ['throws', update('throw new Error("no idea")'), /update threw at t = 0\.00400000 s: no idea/],
  ['throws null', update('throw null'), /update threw at t = 0\.004.*: null/],
  ['throws undefined', update('throw undefined'), /update threw at t = 0\.004.*: undefined/],
  ['throws a symbol', update('throw Symbol("s")'), /update threw .*: Symbol\(s\)/],
  [
    'throws a revoked proxy',
    update('const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy'),
    /something that cannot be shown/,
  ],
  [
    'throws an error whose message throws',
    update('throw Object.defineProperty(new Error(), "message", { get() { throw 1 } })'),
    /something that cannot be shown/,
  ],
  [
    'throws an error whose stack never returns',
    update('throw Object.defineProperty(new Error(), "stack", { get() { for (;;) {} } })'),
    silent,
  ],
  ['throws what has no text', update('throw { toString() { throw 1 } }'), /something that cannot be shown/],
  ['throws 100 MB', update('throw new Error("x".repeat(1e8))'), /xxx\.\.\. \(100000000 characters\)/],
  ['throws control characters', update(String.raw`throw new Error("\u001b[2J\u0007\0a\nb")`), /update threw at t = 0\.004/],
  ['overflows the stack', update('(function f() { f() })()'), /Maximum call stack size exceeded/],
  ['throws in init', module('init() { throw new Error("no") },'), /init threw: no/],
  ['throws at its top level', module('', 'throw new Error("at once")'), /threw while it was loaded: at once/],
  ['is a proxy that throws', 'export default new Proxy({}, { get() { throw new Error("mine") } })', /while it was loaded: mine/],
  ['has a rate that throws', module('get rate() { throw new Error("fast") },'), /while it was loaded: fast/],
  // what never returns
  ['never returns', update('for (;;) {}'), silent],
  ['never returns from init', module('init() { for (;;) {} },'), /did not return from init within 1 s/, 'daily'],
  ['never returns from metrics', module('metrics() { for (;;) {} },'), /did not return from metrics within 1 s/],
  ['never returns from its rate', module('get rate() { for (;;) {} },'), /could not be loaded within 2 s/],
  ['never returns at its top level', module('', 'for (;;) {}'), /could not be loaded within 2 s/],
  ['awaits for ever at its top level', module('', 'await new Promise(() => {})'), /could not be loaded within 60 s of waiting/],
  ['waits for another thread', update('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'), waiting],
  ['waits in the system', update('execSync("sleep 1000")', "import { execSync } from 'node:child_process'"), waiting],
  ['returns a getter that never does', update('return { length: memory.n, get 0() { for (;;) {} } }'), silent],
  [
    'has a memory that cannot be read to its end',
    module('init: ({ robot }) => ({ n: robot.joints.length, get all() { for (;;) {} } }),'),
    /memory could not be saved within 1 s/,
  ],
  // what it returns
  ['returns a promise', module('async update() { return [0, 0] },'), /update returned a promise/],
  ['returns a promise from init', module('async init() { return {} },'), /init returned a promise/],
  [
    'returns a then that throws from init',
    module('init: () => ({ get then() { throw new Error("later") } }),'),
    /init threw: later/,
  ],
  ['returns NaN', update('return new Array(memory.n).fill(NaN)'), /returned NaN in entry 0/],
  ['returns infinity', update('return new Float64Array(memory.n).fill(Infinity)'), /returned Infinity in entry 0/],
  ['returns text', update('return "00"'), /update returned string 00/],
  ['returns numbers as text', update('return ["0", "0"]'), /update returned string 0 in entry 0/],
  ['returns nothing', update('return'), /update returned undefined/],
  ['returns too many', update('return new Float64Array(1e6)'), /update returned 1000000 entries/],
  [
    'returns a getter that throws',
    update('return { length: memory.n, 0: 0, get 1() { throw new Error("1") } }'),
    /update threw .*: 1/,
  ],
  [
    'returns another number each time it is read',
    update('let n = 0; return new Proxy({}, { get: (_, key) => key === "length" ? memory.n : n++ % 2 === 0 ? 0 : NaN })'),
    /returned NaN in entry 1|returned NaN in entry 0/,
  ],
  ['returns what becomes a number', update('return [0, { [Symbol.toPrimitive]: () => 0 }]'), /in entry 1/],
  ['returns a generator', module('*update() { yield 0 },'), /an object without a length/],
  ['returns what only looks like numbers', update('return Object.create(Float64Array.prototype)'), /update threw at t/],
  ['returns what is frozen', update('return Object.freeze(new Array(memory.n).fill(0))'), ok],
  ['returns shared memory', update('return new Float64Array(new SharedArrayBuffer(8 * memory.n))'), ok],
  // metrics
  ['has metrics that throw', module('metrics() { throw new Error("no") },'), /metrics threw: no/],
  ['has a symbol in its metrics', module('metrics: () => ({ a: Symbol("a") }),'), /metrics returned a symbol as "a"/],
  ['has a big integer in its metrics', module('metrics: () => ({ a: 1n }),'), /metrics returned a bigint as "a"/],
  ['has a function in its metrics', module('metrics: () => ({ a() {} }),'), /metrics returned a function as "a"/],
  ['has itself in its metrics', module('metrics() { const a = {}; a.a = a; return a },'), /metrics returned a object as "a"/],
  ['has 100 MB in its metrics', module('metrics: () => ({ a: "x".repeat(1e8) }),'), /metrics returned a string as "a"/],
  ['has a name of 100 MB in its metrics', module('metrics: () => ({ ["x".repeat(1e8)]: 1 }),'), /a name of 100000000 characters/],
  [
    'has 200,000 metrics',
    module('metrics: () => Object.fromEntries(Array.from({ length: 2e5 }, (_, i) => ["a" + i, i])),'),
    /metrics returned 200000 numbers/,
  ],
  ['has metrics later', module('metrics: async () => ({ a: 1 }),'), /metrics returned a promise/],
  // memory
  ['keeps arrays of numbers', update('const all = []; for (;;) all.push(new Float64Array(1e6).fill(1))'), memory, 'daily'],
  ['keeps objects', update('const all = []; for (let i = 0; ; i++) all.push({ i })'), memory],
  ['keeps a little each tick', update('kept.push(new Float64Array(2e7).fill(1))', 'const kept = []'), memory],
  ['makes a text that is too long', update('let s = "x"; for (;;) s += s'), /Invalid string length/],
  // its process
  ['exits', update('process.exit(0)'), /ended by itself with code 0/],
  ['terminates its process', update('process.kill(process.pid, "SIGTERM"); for (;;) {}'), /ended by SIGTERM/, 'daily'],
  ['kills its process', update('process.kill(process.pid, "SIGKILL"); for (;;) {}'), /ended by SIGKILL/],
  ['stops its process', update('process.kill(process.pid, "SIGSTOP"); for (;;) {}'), /process was stopped/],
  ['aborts', update('process.abort()'), /update threw .*process\.abort\(\) is not supported/],
  ['changes the folder', update('process.chdir("/")'), /update threw .*process\.chdir\(\) is not supported/],
  [
    'closes stdout and stderr',
    update(
      'process.stdout.destroy(); process.stderr.destroy(); closeSync(1); closeSync(2)',
      "import { closeSync } from 'node:fs'",
    ),
    /process was ended by SIGABRT|EBADF/,
  ],
  ['destroys stdout', update('process.stdout.destroy(); console.log("mute")'), ok],
  ['writes to stdout by its number', update('writeSync(1, "{ not JSON")', "import { writeSync } from 'node:fs'"), ok],
  ['prints 5000 lines', update('for (let i = 0; t < 0.005 && i < 5000; i++) console.log("line", i)'), ok],
  ['closes its port', update('parentPort.close()', "import { parentPort } from 'node:worker_threads'"), ok],
  [
    'posts to its owner',
    update(
      'for (const x of [null, {}, { index: 0, answer: null }, { index: 1, answer: {} }]) parentPort.postMessage(x)',
      "import { parentPort } from 'node:worker_threads'",
    ),
    ok,
  ],
  [
    'changes flags of the engine',
    update('setFlagsFromString("--stack-size=100")', "import { setFlagsFromString } from 'node:v8'"),
    ok,
  ],
  // what comes later
  [
    'throws later',
    update('setTimeout(() => { throw new Error("late") }, 5)'),
    /left a timer or a promise behind that failed: late/,
  ],
  ['exits later', update('setTimeout(() => process.exit(3), 5)'), /ended by itself with code 3/],
  ['exits much later', update('setTimeout(() => process.exit(3), 300).unref()'), ok],
  ['rejects', update('Promise.reject(new Error("nope"))'), /left a timer or a promise behind that failed: nope/],
  ['rejects with nothing', update('Promise.reject()'), /left a timer or a promise behind that failed: undefined/],
  ['repeats for ever', update('setInterval(() => { globalThis.left = 1 }, 1).unref()'), ok, 'daily'],
  ['ticks for ever', update('(function again() { process.nextTick(again) })()'), new RegExp(`${memory.source}|${stuck.source}`)],
  ['resolves for ever', update('(function again() { Promise.resolve().then(again) })()'), stuck],
  ['comes back at once for ever', update('(function again() { setImmediate(again) })()'), ok],
  ['never exits', update('process.on("exit", () => { for (;;) {} })'), ok],
  ['never exits when it exits', update('process.on("exit", () => { for (;;) {} }); process.exit(1)'), silent],
  [
    'posts to itself for ever',
    update(
      'const { port1, port2 } = new MessageChannel(); port2.on("message", () => port1.postMessage(0)); port1.postMessage(0)',
      "import { MessageChannel } from 'node:worker_threads'",
    ),
    ok,
  ],
  [
    'starts a thread that never returns',
    update('new Worker("for (;;) {}", { eval: true }).unref()', "import { Worker } from 'node:worker_threads'"),
    ok,
  ],
  [
    'starts a thread that keeps arrays',
    update(
      'new Worker("const all = []; for (;;) all.push(new Float64Array(1e6).fill(1))", { eval: true }); while (true) {}',
      "import { Worker } from 'node:worker_threads'",
    ),
    new RegExp(`${memory.source}|${silent.source}`),
  ],
  // what all code shares
  ['changes Math.sqrt', update('globalThis.Math.sqrt = () => 1'), /changed Math\.sqrt, which the simulation needs/, 'daily'],
  ['changes push', update('Array.prototype.push = () => 0'), /changed Array.*push|push/],
  ['changes fill', update('Float64Array.prototype.fill = function () { return this }'), /changed .*fill/],
  ['puts another Float64Array in its place', update('globalThis.Float64Array = Array'), /Float64Array/],
  ['puts nothing in the place of Promise', update('globalThis.Promise = null'), /Promise/],
  ['changes what all promises do', update('Promise.prototype.then = () => {}'), /then/],
  ['gives every object a then', update('Object.prototype.then = () => {}'), /thread go on within 60 s of waiting/],
  ['gives every object a field', update('Object.prototype.polluted = 1'), ok],
  [
    'leaves a global',
    update('globalThis.left = (globalThis.left ?? 0) + 1; if (globalThis.left > 8) throw new Error("of another run")'),
    ok,
    'daily',
  ],
  [
    'changes a contact model',
    update('contactModels.penalty = contactModels.ncp', "import { contactModels } from 'featherbed/contact'"),
    /changed featherbed\/contact\.contactModels\.penalty/,
    'daily',
  ],
  [
    'changes the step',
    update('World.prototype.step = () => {}', "import { World } from 'featherbed/simulation'"),
    /process was stopped|more than 0\.3 GB of memory|ended by SIG(ABRT|TRAP), as when there is no more memory/,
  ],
  [
    'changes the hash',
    update('World.prototype.hash = () => "mine"', "import { World } from 'featherbed/simulation'"),
    /changed featherbed\/simulation\.World\.prototype\.hash/,
  ],
  [
    'changes a module of Node',
    update('fs.promises.readFile = () => 0; fs.existsSync = () => false', "import fs from 'node:fs'"),
    ok,
  ],
  ['changes the environment', update('process.env.TMPDIR = "/nowhere"; process.env.PATH = ""'), ok],
  // what it is handed
  [
    'writes to all that it is handed',
    update(
      `const seen2 = new Set()
      const spoil = (x) => {
        if (typeof x !== 'object' || x === null || seen2.has(x) || x === memory) return
        seen2.add(x)
        if (ArrayBuffer.isView(x)) return x.fill(77)
        for (const key of Object.keys(x)) { spoil(x[key]); try { x[key] = null } catch {} }
      }
      spoil(seen)
      seen.memory = memory`,
    ),
    ok,
  ],
  ['gives an array away', update('structuredClone(q, { transfer: [q.buffer] })'), /gave away \(transferred\) an array/],
]

export const hostileControllers: readonly Hostile[] = cases.map(([name, source, failure, daily]) => ({
  name,
  source,
  failure,
  ...(daily && { isDaily: true }),
}))
