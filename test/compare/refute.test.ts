import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { isKept } from '../../compare/measure/laws.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { Random } from '../../compare/scenario/world/random.ts'
import {
  drawScene,
  kinds,
  type RandomScene,
  rawOf,
  shorterScenes,
  simplerScenes,
  simplest,
} from '../../compare/studies/randomScenes.ts'
import { type RefuteChoice, refute } from '../../compare/studies/refute.ts'
import { SimultaneousImpulses } from '../../contact/impacts/index.ts'
import { ended, featherbed, refusal, temporaryFolder } from './command.ts'

const scenesOf = (seed: number, count: number): RandomScene[] => {
  const random = new Random(seed)
  return Array.from({ length: count }, (_, k) => drawScene(random, k))
}

describe('random scenes', () => {
  test('are the same for a seed, and others for another', () => {
    expect(scenesOf(7, 50)).toEqual(scenesOf(7, 50))
    expect(scenesOf(8, 50)).not.toEqual(scenesOf(7, 50))
  })

  test('are scenarios, whose shapes do not overlap at the start, and every kind is among them', async () => {
    const scenes = scenesOf(1, 100)
    for (const isOf of Object.values(kinds)) expect(scenes.filter(isOf).length).toBeGreaterThan(10)
    for (const scene of scenes) await checkScenario(rawOf(scene))
    const { worst } = await refute({ law: 'penetration', model: { name: 'ncp' }, seed: 1, budget: 30, dt: 1e-6 })
    expect(worst?.value).toBeLessThan(1e-4)
  })
})

/** Faults of scenes without a simulation. */
const conditions: Readonly<Record<string, (scene: RandomScene) => boolean>> = {
  'two boxes': ({ bodies }) => bodies.filter(({ shape }) => shape === 'box').length >= 2,
  'a fast body': ({ bodies }) => bodies.some(({ vx, vy, vz }) => Math.hypot(vx, vy, vz) > 1.5),
  'a round one': ({ bodies }) => bodies.some(({ shape }) => shape === 'sphere' || shape === 'capsule'),
  'little friction, for long enough': ({ friction, steps, dt }) => friction < 0.8 && steps * dt >= 0.05,
  'heavy on light': ({ bodies }) => bodies.some(({ mass }, i) => i > 0 && mass > bodies[i - 1].mass),
  'no ground': ({ ground }) => !ground,
  'turned or bouncing': ({ bodies, restitution }) => restitution > 0 || bodies.some(({ yaw }) => yaw !== 0),
}

test('a simplified scene still fails, and no single simplification of it does', async () => {
  const some = fc.subarray(Object.keys(conditions), { minLength: 1 })
  const check = fc.asyncProperty(fc.nat(), fc.nat({ max: 60 }), some, async (seed, k, names) => {
    const scene = scenesOf(seed, k + 1)[k]
    const fails = (one: RandomScene) => names.every((name) => conditions[name](one))
    fc.pre(fails(scene))
    const small = await simplest(scene, async (one) => fails(one))
    expect(fails(small)).toBe(true)
    expect([...simplerScenes(small), ...shorterScenes(small)].filter(fails)).toEqual([])
    expect(small.bodies.length).toBeLessThanOrEqual(scene.bodies.length)
  })
  await fc.assert(check, { seed: 1, numRuns: 60 })
})

describe('a refutation', () => {
  const choice: RefuteChoice = { law: 'signorini', model: { name: 'convex' }, seed: 3, budget: 50 }

  test('is the same for a seed, with any greater budget', async () => {
    const first = await refute(choice)
    expect(await refute({ ...choice, budget: 500 })).toEqual(first)
    expect((await refute({ ...choice, seed: 4 })).kinds).not.toEqual(first.kinds)
  })

  test('ends with a scene that is broken by twice the limit, as are none of the simpler ones', async () => {
    const { worst, found } = await refute(choice)
    for (const check of [worst, found?.check]) expect(check?.value).toBeGreaterThan(2 * (check?.limit ?? Infinity))
    expect(found?.scenario.bodies).toHaveLength(1)
  })
})

interface Fault {
  readonly args: readonly string[]
  /** Of the smallest scene. */
  readonly bodies: number
  /** The model or option under which the same scene keeps the law. */
  readonly keeps: string | Readonly<Record<string, unknown>>
}
const faults: Readonly<Record<string, Fault>> = {
  'lnc lets a box fall through one that is flush below it': {
    args: ['penetration', '--model', 'lnc', '--seed', '5'],
    bodies: 2,
    keeps: 'peg',
  },
  'convex throws up a box that slides': { args: ['signorini', '--model', 'convex'], bodies: 1, keeps: 'ncp' },
  'first-order constraints of peg end a step in overlap': {
    args: ['penetration', '--model', 'peg', '--option', 'constraints=literal'],
    bodies: 3,
    keeps: 'peg',
  },
  "Newton's hypothesis with gravity over a step of 10 ms gains energy": {
    args: ['energyGain', '--model', 'ncp', '--option', 'impacts=newton', '--dt', '1e-2'],
    bodies: 1,
    keeps: { name: 'ncp', impacts: 'poisson' },
  },
}

describe('the command finds, and its scene runs again with the fault:', () => {
  const folder = temporaryFolder()
  for (const [name, { args, bodies, keeps }] of Object.entries(faults)) {
    test(name, async () => {
      const [law] = args
      const { found } = JSON.parse((await ended(1, featherbed(['refute', ...args, '--json', '--quiet']))).stdout)
      const { obstacles = [], ...scenario } = parse(found.yaml)
      expect([...scenario.bodies, ...obstacles]).toHaveLength(bodies)
      const checkOf = async (yaml: string) => {
        const run = await ended(0, featherbed(['run', folder.write('fault.yaml', yaml), '--json', '--quiet']))
        return JSON.parse(run.stdout).laws.find((check: { law: string }) => check.law === law)
      }
      expect(await checkOf(found.yaml)).toEqual(found.check)
      expect(found.check.value).toBeGreaterThan(2 * found.check.limit)
      expect(isKept(await checkOf(JSON.stringify({ ...scenario, obstacles, models: [keeps] })))).toBe(true)
    })
  }

  test('the whole output is a scenario file, with the fault in comments', async () => {
    const { stdout } = await ended(1, featherbed(['refute', 'signorini', '--model', 'convex']))
    expect(stdout).toMatch(
      /^# convex breaks the laws of contact .*\n# Of \d+ scenes of seed 1; .*\n# npx featherbed refute signorini --model convex\nname: /,
    )
    const run = await ended(0, featherbed(['run', folder.write('whole.yaml', stdout), '--quiet']))
    expect(run.stdout).toContain(stdout.slice(2, stdout.indexOf('\n')))
  })
})

test('a law that holds is not refuted, and the answer claims no more than the scenes that were tried', async () => {
  const args = ['refute', 'energyGain', '--model', 'ncp', '--dt', '1e-3', '--budget', '40', '--quiet']
  const { stdout } = await ended(0, featherbed(args))
  expect(stdout).toMatch(/^ncp: no scene of 40 breaks energyGain, seed 1; this is no proof\.\nScenes: \d+ of one body, /)
  expect(stdout).toMatch(/\nNearest: Energy gained: [\d.]+ % \(limit 2 %\)/)
  const { tried, found, worst } = JSON.parse((await ended(0, featherbed([...args, '--json']))).stdout)
  expect({ tried, found }).toEqual({ tried: 40, found: null })
  expect(worst.value).toBeLessThan(worst.limit)
})

test("without the share of an impact that is left out for its energy, Newton's hypothesis gains at any step", async () => {
  const choice: RefuteChoice = {
    ...{ law: 'energyGain', model: { name: 'ncp', impacts: 'newton' } },
    ...{ seed: 1, budget: 60, dt: 1e-4 },
  }
  expect((await refute(choice)).found).toBeNull()
  const guard = vi.spyOn(SimultaneousImpulses.prototype as unknown as { limitEnergy(): void }, 'limitEnergy')
  guard.mockImplementation(() => {})
  try {
    const { found } = await refute(choice)
    expect(found?.check.value).toBeGreaterThan(0.1)
    expect(found?.scenario.bodies).toHaveLength(1)
  } finally {
    guard.mockRestore()
  }
})

test('a wrong law, model, option, budget or step is named, with what was expected', async () => {
  expect(await refusal(['refute', 'penetratoin', '--model', 'ncp'])).toMatch(
    /"penetratoin", expected energyGain, .*mean penetration\?/,
  )
  expect(await refusal(['refute', 'jointLimits', '--model', 'ncp'])).toMatch(/"jointLimits", expected energyGain, /)
  const refused = (...args: string[]) => refusal(['refute', 'penetration', '--quiet', ...args])
  expect(await refused()).toMatch(/--model <name>' not specified/)
  expect(await refused('--model', 'conves')).toMatch(/no contact model "conves".*mean convex\?/)
  expect(await refused('--model', 'ncp', '--option', 'impact=newton')).toMatch(
    /no option "impact".*mean impacts\?|"impact".*impacts/,
  )
  expect(await refused('--model', 'ncp', '--option', 'impacts=newtn')).toMatch(/"newtn"; expected one of .*mean newton\?/)
  expect(await refused('--model', 'ncp', '--option', 'impacts')).toMatch(/--option found "impacts", expected NAME=VALUE/)
  expect(await refused('--model', 'ncp', '--budget', '0')).toMatch(/--budget found "0", expected a whole number/)
  expect(await refused('--model', 'ncp', '--seed', 'x')).toMatch(/--seed found "x"/)
  expect(await refused('--model', 'ncp', '--dt', '0')).toMatch(/--dt found "0"/)
  expect(await refused('--model', 'ncp', '--dt', '1e-3,1e-2')).toMatch(/--dt found "1e-3,1e-2", expected one step/)
})
