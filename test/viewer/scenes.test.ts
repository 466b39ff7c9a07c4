import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { prepareScene } from '../../viewer/scenes/prepared.ts'
import { sceneAtRest, worldOfScene } from '../../viewer/scenes/scene.ts'
import { runInSandbox, runScript } from '../../viewer/scenes/script.ts'
import { examples, playScene } from '../compare/playScene.ts'

/** All examples, as a folder that was dropped. */
const files = new Map(
  readdirSync(examples, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(examples, path)).isFile())
    .map((path) => [path, new Uint8Array(readFileSync(join(examples, path)))] as const),
)
const origin = 'own' as const

describe('a scenario whose files are in memory', () => {
  test.each([
    'pile',
    'stairs',
    'conveyor',
    'grooves',
    'terrain',
    'treadmill',
    'fourbar',
    'slalom',
    'humanoid-carries',
    'lift-turn-place',
    'push',
    'feedforward',
    'stop-at-wall',
    'capture-step',
  ])('is the world that the command line makes of %s, bit by bit', async (name) => {
    const scene = { file: `${name}.yaml`, files, origin }
    const { world } = worldOfScene(await prepareScene(scene), { contactModel: 'ncp', dt: 1e-3 })
    for (let k = 0; k < 50; k++) world.step()
    const disk = await playScene(name, 'ncp', 1e-3, () => {}, { duration: 0.05 })
    expect(world.hash()).toBe(disk.hash())
    const rest = await sceneAtRest(scene)
    expect(rest.robot.model.nv).toBe(disk.model.nv)
    expect(rest.robot.home).toHaveLength(disk.model.nq)
  })

  test.each(['stop-at-wall', 'slalom', 'capture-step'])(
    "a stranger's, whose script of %s runs in the sandbox, has the same bits",
    async (name) => {
      const prepared = await prepareScene({ file: `${name}.yaml`, files, origin: 'stranger' })
      const { world } = worldOfScene(prepared, { contactModel: 'ncp', dt: 1e-3 })
      for (let k = 0; k < 50; k++) world.step()
      expect(world.hash()).toBe((await playScene(name, 'ncp', 1e-3, () => {}, { duration: 0.05 })).hash())
    },
  )

  test('takes a factor on its controller: none is as no controller at all', async () => {
    const prepared = await prepareScene({ file: 'slalom.yaml', files, origin })
    const placed = (gain: number | undefined, controllers = prepared.prepared.controllers) => {
      const own = { ...prepared, prepared: { ...prepared.prepared, controllers } }
      const { world } = worldOfScene(own, { contactModel: 'ncp', dt: 1e-3, gain })
      for (let k = 0; k < 50; k++) world.step()
      return Array.from(world.state.q)
    }
    const without = prepared.prepared.controllers.map((driver, i) => (i === 0 ? undefined : driver))
    expect(placed(0)).toEqual(placed(undefined, without))
    expect(placed(1)).toEqual(placed(undefined))
    expect(placed(0.5)).not.toEqual(placed(1))
  })

  test('names what is missing', async () => {
    const scene = (text: string) => ({ file: 'a.yaml', origin, files: new Map([['a.yaml', new TextEncoder().encode(text)]]) })
    const open = (text: string) => prepareScene(scene(text))
    await expect(open('robot: mine.urdf\n')).rejects.toThrow('mine.urdf is not among the files; drop it too')
    await expect(open('robot: diffdrive\ncontroller: walk.ts\n')).rejects.toThrow(
      'controller "walk.ts": is not among the files; drop it too',
    )
    await expect(open('robot: diffdrive\nduratoin: 2\n')).rejects.toThrow(/a.yaml:2 duratoin: is not a field here/)
  })
})

describe('a script in the page', () => {
  const run = (text: string, more: Record<string, string> = {}) =>
    runScript('a/walk.ts', (path) => {
      const found = ({ 'a/walk.ts': text, ...more } as Record<string, string | Uint8Array>)[path]
      return typeof found === 'string' ? new TextEncoder().encode(found) : found
    })

  test('has types, imports of this package and of files beside it, and powers of its own', () => {
    const controller = run(
      `import { sin } from 'featherbed/dynamics'
       import { half } from './half.ts'
       interface Memory { x: number }
       export default {
         rate: 200,
         init: (): Memory => ({ x: 2 }),
         update({ memory }: { memory: Memory }) {
           let y = 3
           y **= 2
           return [memory.x ** 3 ** 2, half(y), sin(1), Math.sin(1)]
         },
       }`,
      { 'a/half.ts': 'export const half = (x: number) => x / 2' },
    )
    const [power, half, own, script] = Array.from(controller.update({ memory: { x: 2 } } as never, 0.005))
    expect([power, half]).toEqual([512, 4.5])
    expect(own).toBe(script)
    expect(controller.rate).toBe(200)
  })

  test("a stranger's has none of the page, and tells its errors with their lines", async () => {
    const opened = (text: string, more: Record<string, Uint8Array> = {}) => {
      const files: Record<string, Uint8Array> = { 'a/walk.ts': new TextEncoder().encode(text), ...more }
      return runInSandbox('a/walk.ts', (path) => files[path], { patience: 1, memory: 2e8 })
    }
    const controller = (line: string) => `${line}\nexport default { init() { return 0 }, update() { return [] } }`
    for (const name of [
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'importScripts',
      'self',
      'postMessage',
      'process',
      'Date',
      'setTimeout',
    ])
      await expect(opened(controller(`${name}`))).rejects.toThrow(new RegExp(`'${name}' is not defined.*a/walk.ts:1:`))
    await expect(opened(controller('\n\nthrow new Error("no")'))).rejects.toThrow(/threw while it was loaded: no .*a\/walk.ts:3:/)
    await expect(opened(controller('for (;;) {}'))).rejects.toThrow('it did not return within 1 s')
    await expect(opened("import x from 'fs'\nexport default x")).rejects.toThrow('imports "fs", which is not among the files')
    const math = await opened(
      "import { sin } from 'featherbed/dynamics'\n" +
        controller('if (sin(1) !== Math.sin(1) || 2 ** 0.5 !== Math.sqrt(2)) throw 1'),
    )
    expect(math.rate).toBeUndefined()
    await opened(
      "import { PATH_SIZE } from 'featherbed/control'\nimport { World } from 'featherbed/simulation'\n" +
        controller('new Array(PATH_SIZE); World.name'),
    )
  })

  test('that is wrong is told with its line', () => {
    expect(() => run('export default {\n  rate: 1\n  init() {}\n}')).toThrow(/a\/walk.ts:3/)
    expect(() => run("import x from 'lodash'\nexport default x")).toThrow('imports "lodash"')
    expect(() => run("import { y } from './y.ts'\nexport default y")).toThrow('imports "./y.ts", which is not among the files')
    expect(() => run('export default 3')).toThrow('its default export is a number')
    expect(() => run('throw new Error("no")')).toThrow('threw while it was loaded: no')
  })
})
