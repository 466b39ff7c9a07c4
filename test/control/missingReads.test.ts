/** A name with a typo is undefined, and arithmetic makes NaN of it: the message names the read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadController } from '../../control/files.ts'
import { createControllerLoop } from '../../control/index.ts'
import { createState } from '../../dynamics/index.ts'
import { pendulum } from '../simulation/robots.ts'

const folder = mkdtempSync(join(tmpdir(), 'featherbed-missing-'))
afterAll(() => rmSync(folder, { recursive: true }))
const robot = pendulum()

/** What the run ends with, of a controller with this init and update. */
async function message(memory: string, effort: string, untrusted: boolean): Promise<string> {
  const path = join(folder, `walk${Math.abs(effort.length)}.ts`)
  const text = `interface Memory { [name: string]: any }
export default {
  init: ({ options, robot }): Memory => (${memory}),
  update({ q, memory, robot }: { q: Float64Array; memory: Memory; robot: any }) {
    return [q[0] + ${effort}]
  },
}`
  writeFileSync(path, text)
  const loop = createControllerLoop(await loadController(path, untrusted ? { patience: 1, memory: 1e8 } : undefined), robot)
  try {
    loop.start(robot.model, 1e-3)
    loop.tick(createState(robot.model), { X: [], V: [] } as never, new Float64Array(1), new Float64Array(12))
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

for (const untrusted of [false, true]) {
  describe(untrusted ? 'in a sandbox' : 'in this process', () => {
    const cases: readonly (readonly [memory: string, effort: string, read: RegExp | null])[] = [
      ['{ stiffness: 3 }', 'memory.stifness * 2', /it read memory\.stifness, which is not there \(\S*walk\d+\.ts:5:\d+\)$/],
      ['{ gains: { hip: 3 } }', 'memory.gains.hipp * 2', /it read memory\.gains\.hipp, /],
      ['{ list: [1, 2] }', 'memory.list[2]', /it read memory\.list\[2\], /],
      ['{}', 'robot.hoem * 2', /it read robot\.hoem, /],
      // one that has a default is read first, and is not the cause
      ['{ gain: 1 }', '(memory.trim ?? 0) + memory.gian', /it read memory\.gian, /],
      // the same object by two paths, frozen ones, and what cannot be cloned
      ['Object.freeze({ a: Object.freeze({ b: 1 }) })', 'memory.a.c', /it read memory\.a\.c, /],
      ['{ f: Math.sqrt, k: 1 }', 'memory.f(4) * memory.kk', /it read memory\.kk, /],
      // NaN from arithmetic alone, and from memory that lasts
      ['{ a: 0 }', 'memory.a / memory.a', null],
      ['{ a: new Float64Array(1) }', 'memory.a[3]', null],
    ]
    for (const [memory, effort, read] of cases) {
      test(effort, async () => {
        const found = await message(memory, effort, untrusted)
        expect(found).toMatch(/update returned NaN in entry 0, the effort of joint ".*", at t = 0\.00000 s; /)
        expect(found).toMatch(read ?? /it must be a finite number$/)
      })
    }
  })
}
