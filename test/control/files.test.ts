import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadController } from '../../control/files.ts'
import { ControllerError, type ControllerState, createControllerLoop } from '../../control/index.ts'
import { pow, scriptMath } from '../../control/scriptMath.ts'
import { cos, createRandom, createState, sin } from '../../dynamics/index.ts'
import { pendulum } from '../simulation/robots.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-test-'))
/** On both bodies of the pendulum. */
const forces = new Float64Array(12)
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

async function answers(text: string): Promise<number[]> {
  const controller = await loadController(file(`answers${Math.abs(text.length)}.ts`, text))
  return Array.from(controller.update({} as ControllerState<unknown>, 0.001))
}

async function failure(path: string): Promise<string> {
  const error = await loadController(path).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ControllerError)
  return (error as Error).message
}

describe('loading a script', () => {
  test('TypeScript with types, relative imports and our own modules', async () => {
    file('gains.ts', 'export const gains: readonly number[] = [3, 4]\n')
    const path = file(
      'mine.ts',
      `import type { Controller } from 'featherbed/control'
       import { createRandom } from 'featherbed/dynamics'
       import { gains } from './gains.ts'
       interface Memory { n: number }
       const controller: Controller<Memory> = {
         rate: 250,
         init: () => ({ n: 0 }),
         update: ({ memory }) => [gains[0] + memory.n++ + createRandom(1).next()],
       }
       export default controller satisfies Controller<Memory>`,
    )
    const controller = await loadController(path)
    expect(controller.rate).toBe(250)
    const tau = new Float64Array(1)
    const robot = pendulum()
    const loop = createControllerLoop(controller, robot)
    loop.start(robot.model, 1e-3)
    loop.tick(createState(robot.model), {} as never, tau, forces)
    expect(tau[0]).toBe(3 + createRandom(1).next())
  })

  test('each load is a new one', async () => {
    const path = file('again.mjs', 'export default { init: () => 1, update: () => [1] }')
    expect((await loadController(path)).init({} as never)).toBe(1)
    file('again.mjs', 'export default { init: () => 2, update: () => [1] }')
    expect((await loadController(path)).init({} as never)).toBe(2)
  })

  test('sin, cos, pow and ** are ours, however they are reached', async () => {
    const head =
      'export default { init: () => 0, update(state, dt) { const { sin: s } = Math; const x = 0.7371; const y = 2.31; return '
    const own = [sin(0.7371), sin(0.7371), cos(0.7371), pow(0.7371, 2.31), pow(0.7371, 2.31), sin(0.7371), Math.tan(0.7371)]
    expect(
      await answers(`${head}[Math.sin(x), s(x), Math['cos'](x), Math.pow(x, y), x ** y, helper(x), Math.tan(x)] } }
      const helper = (x: number) => Math.sin(x)`),
    ).toEqual(own)
  })

  test('Math.random says why not', async () => {
    await expect(answers('export default { init: () => 0, update: () => [Math.random()] }')).rejects.toThrow(
      /cannot be repeated.*createRandom/,
    )
  })

  test('an error in update names the line of the script', async () => {
    const text =
      'type A = { x: number }\n\n\nexport default {\n  init: () => 0,\n  update(): number[] {\n    throw new Error("lost")\n  },\n}\n'
    const robot = pendulum()
    const loop = createControllerLoop(await loadController(file('lost.ts', text)), robot, { name: 'lost.ts' })
    loop.start(robot.model, 1e-3)
    expect(() => loop.tick(createState(robot.model), {} as never, new Float64Array(1), forces)).toThrow(
      /lost \(at .*lost\.ts:7:11\)/,
    )
  })
})

describe('a script that cannot be used says what is wrong and where', () => {
  test.each([
    [
      'syntax.ts',
      'export default {\n  init() { return 0 }\n  update() {}\n}\n',
      /syntax\.ts:3:3: Expected "}" but found "update"/,
    ],
    ['import.ts', 'import "./missing.ts"\nexport default {}', /import\.ts:1:8: Could not resolve/],
    ['ours.ts', 'import "featherbed/magic"\nexport default {}', /there is no "featherbed\/magic"; there are dynamics/],
    ['none.ts', 'export const controller = {}', /no default export; write `export default/],
    ['number.ts', 'export default 3', /default export is a number/],
    ['init.ts', 'export default { update: () => [] }', /no function "init"/],
    ['update.ts', 'export default { init: () => 0 }', /no function "update"/],
    ['rate.ts', 'export default { rat: 200, init: () => 0, update: () => [] }', /member "rat", .* Did you mean rate\?/],
    [
      'metrics.ts',
      'export default { metric() {}, init: () => 0, update: () => [] }',
      /member "metric", .* Did you mean metrics\?/,
    ],
    [
      'name.ts',
      'import { gravityForce } from "featherbed/dynamics"\nexport default { init: () => gravityForce, update: () => [] }',
      /name\.ts:1:10: "featherbed\/dynamics" has no "gravityForce"\. Did you mean gravityForces\?/,
    ],
    ['throws.ts', 'throw new Error("at once")\nexport default {}', /threw while it was loaded: at once/],
  ])('%s', async (name, text, message) => {
    expect(await failure(file(name, text))).toMatch(message)
  })

  test('a file that is not there, or of another kind', async () => {
    expect(await failure(join(folder, 'nowhere.ts'))).toMatch(/no such file/)
    expect(await failure(file('a.py', ''))).toMatch(/not a \.ts/)
  })
})

describe('our pow', () => {
  test("agrees with the engine's to a few units in the last place, and in all special cases", () => {
    const random = createRandom(3)
    for (let i = 0; i < 2000; i++) {
      const x = 10 * random.next()
      const y = 20 * random.next() - 10
      // exp(y log x): relative error up to |y log x| / 2 units, |y log x| < 70 here
      expect(Math.abs(pow(x, y) / x ** y - 1)).toBeLessThan(1e-14)
      const n = Math.round(y)
      expect(Math.abs(pow(-x, n) / (-x) ** n - 1)).toBeLessThan(1e-14)
    }
    const special = [0, -0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 65, -65, Infinity, -Infinity, NaN]
    for (const x of special)
      for (const y of special) {
        const expected = x ** y
        const found = scriptMath.pow(x, y)
        if (Number.isFinite(expected) && expected !== 0) expect(Math.abs(found / expected - 1)).toBeLessThan(1e-13)
        else expect(found).toBe(expected)
      }
  })
})
