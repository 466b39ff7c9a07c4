import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { ended, featherbed, temporaryFolder } from './command.ts'

const folder = temporaryFolder()
/** Blocks that slide to rest; the first was logged with friction 0.4. */
const blocks = folder.write(
  'blocks.yaml',
  `
title: Blocks
nature: as logged
source: a log
parameters: { mu: 0.5, e: 0.2 }
cases: [{ v: 1, way: 0.1274 }]
scenario:
  bodies: [{ name: block, shape: { type: box, size: [0.2, 0.2, 0.05] }, mass: 1, position: [0, 0, 0.025], linearVelocity: [$v, 0, 0] }]
  physical: { friction: $mu, restitution: $e }
  duration: 0.7 s
  dt: [5 ms, 10 ms]
measures:
  - { name: way, unit: m, of: block.x, nature: $way, within: 0.01 }
`,
)
/** With friction 0.25: v^2 / (2 mu g). */
const log = folder.write('log.csv', 'run,v,way\n1,1,0.2039\n2,1.5,0.4587\n3,1.2,0.2936\n4,1.1,0.2467\n')
const fitted = (...args: string[]) => featherbed(['fit', blocks, ...args])

describe('featherbed fit', () => {
  test('--help shows an example and the flags', async () => {
    const { stdout } = await ended(0, featherbed(['fit', '--help']))
    for (const word of ['Example:', '--vary', '--set', '--models', '--engines', '--dt', '--cases', '--starts', '--out', '--json'])
      expect(stdout).toContain(word)
  })

  test('--json prints one document: scene, step, ranges, and a fit a model', async () => {
    const { code, stdout, stderr } = await fitted(
      '--vary',
      'mu=0.1..0.7',
      '--models',
      'lcp,convex',
      '--dt',
      '5e-3',
      '--cases',
      log,
      '--halves',
      '--json',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { scene, dt, vary, fits } = JSON.parse(stdout)
    expect({ scene, dt, vary }).toEqual({ scene: 'blocks', dt: 5e-3, vary: [{ name: 'mu', from: 0.1, to: 0.7 }] })
    expect(fits.map(({ column }: { column: string }) => column)).toEqual(['lcp', 'convex'])
    for (const one of fits) {
      for (const key of ['values', 'intervals', 'isDetermined', 'correlations', 'worth', 'means', 'meansUnseen', 'distances'])
        expect(Object.keys(one)).toContain(key)
      expect(Math.abs(one.values[0] - 0.25)).toBeLessThan(0.0125)
      expect(one.error).toBeLessThan(one.errorBefore)
      expect(one.halves).toHaveLength(2)
      for (const { values, meansUnseen } of one.halves) {
        expect(Math.abs(values[0] - 0.25)).toBeLessThan(0.0125)
        expect(meansUnseen[0]).toBeLessThan(0.01)
      }
    }
  })

  test('prints value, interval and worth, and below what ends at the edge of its range', async () => {
    const { code, stdout, stderr } = await fitted('--vary', 'mu=0.255..0.7', '--models', 'lcp', '--cases', log, '--quiet')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('4 cases at 5 ms; means: as it stands → fitted → unseen cases')
    expect(stdout).toMatch(/mu +0\.255\d* +0\.255\d* to 0\.\d+/)
    expect(stdout).toContain('lcp: mu ends at the edge of its range')
  })

  test('refuses a parameter that makes no difference', async () => {
    const { stdout } = await fitted('--vary', 'e=0..0.5', '--models', 'lcp', '--cases', log, '--quiet')
    expect(stdout).toMatch(/e +not determined/)
    expect(stdout).not.toContain('e ends at')
  })

  test('of one case prints no interval, and says why', async () => {
    const { code, stdout } = await fitted('--vary', 'mu=0.1..0.7', '--models', 'lcp', '--quiet')
    expect(code).toBe(0)
    expect(stdout).toContain('one case at 5 ms; means: as it stands → fitted')
    expect(stdout).toContain('it takes four cases to tell an uncertainty')
    expect(stdout).not.toContain('NaN')
  })

  test('without --vary tells the errors of the scene, with values of --set', async () => {
    const means = async (...args: string[]) => {
      const { stdout } = await ended(0, fitted('--models', 'lcp', '--cases', log, '--json', ...args))
      return JSON.parse(stdout).fits[0].meansBefore[0] as number
    }
    expect(await means('--set', 'mu=0.25')).toBeLessThan(0.1 * (await means()))
  })

  test.each([
    [['--vary', 'nu=0.1..0.7'], '--vary: "nu" is none of the parameters of blocks: mu, e. Did you mean mu?'],
    [['--vary', 'mu=0.7..0.1'], '--vary found "mu=0.7..0.1", expected NAME=FROM..TO'],
    [['--set', 'nu=1'], '--set: "nu" is none of the parameters of blocks: mu, e. Did you mean mu?'],
    [['--set', 'mu=low'], '--set found "mu=low", expected NAME=VALUE'],
    [['--engines', 'mujuco'], '--engines found "mujuco", expected'],
    [['--every', '0'], '--every found "0", expected a whole number'],
    [['--halves'], '--halves predicts by fits, and without --vary nothing is fitted'],
    [['--out', 'page.html'], '--out draws how runs part from recorded paths, and this scene has none'],
    [['--vary', 'mu=0..1', '--models', 'npc'], '--models found "npc", expected'],
    [['--vary', 'mu=0..1', '--dt', 'fast'], '--dt found "fast", expected a step in seconds'],
    [['--vary', 'mu=0..1', '--cases', 'none.csv'], 'none.csv: cannot be read'],
    [['--vary', 'mu=-1..1'], 'scenario-physical'],
  ])('%j ends with code 2 and a message', async (args, message) => {
    const { code, stdout, stderr } = await fitted(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
  })

  test('a scene that an engine cannot run ends with code 2 and says what it lacks', async () => {
    const laws = folder.write(
      'laws.yaml',
      (await readFile(blocks, 'utf8')).replace('duration:', 'localLaws: [{ law: by-slip, rise: 1 }]\n  duration:'),
    )
    const { stdout, stderr } = await ended(2, featherbed(['fit', laws, '--models', 'none', '--engines', 'rapier', '--quiet']))
    expect(stdout).toBe('')
    expect(stderr).toContain('Rapier cannot run this scene: it has no laws of single contacts')
    const rounded = folder.write('rounded.yaml', (await readFile(blocks, 'utf8')).replace('0.05] }', '0.05], rounding: 0.01 }'))
    const lacking = await ended(2, featherbed(['fit', rounded, '--models', 'none', '--engines', 'rapier', '--quiet']))
    expect(lacking.stderr).toMatch(/Rapier cannot run this scene: it has no boxes with rounding/)
  })

  test('a scene that is not there ends with code 2 and names what is near', async () => {
    const { stderr } = await ended(2, featherbed(['fit', 'cube-toses', '--vary', 'mu=0..1']))
    expect(stderr).toContain('there is no scene "cube-toses". Did you mean cube-tosses?')
    expect((await featherbed(['fit', 'none.yaml', '--vary', 'mu=0..1'])).stderr).toContain('none.yaml: cannot be read (ENOENT)')
  })
})

describe('featherbed phenomena', () => {
  test('--cases runs a log on one scene', async () => {
    const args = ['phenomena', blocks, '--cases', log, '--models', 'lcp', '--engines', 'none', '--threads', '0', '--json']
    const { stdout } = await ended(0, featherbed(args))
    const { scenes, command } = JSON.parse(stdout)
    expect(scenes[0].cases.map(({ values }: { values: unknown }) => values)).toEqual([
      { run: 1, v: 1, way: 0.2039 },
      { run: 2, v: 1.5, way: 0.4587 },
      { run: 3, v: 1.2, way: 0.2936 },
      { run: 4, v: 1.1, way: 0.2467 },
    ])
    expect(command).toContain(`--cases ${log}`)
  })

  test('--cases without its scene ends with code 2', async () => {
    const { stderr } = await ended(2, featherbed(['phenomena', '--cases', log]))
    expect(stderr).toContain('name the one scene that the log is of')
  })
})
