import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createControllerLoop, hold } from '../../control/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { exportsOf } from '../../scripts/api-docs.ts'
import { World } from '../../simulation/index.ts'
import { calls } from './calls.ts'
import { outcomeOf, wrongCalls } from './wrongCalls.ts'

/*
 * A program that enters the package with a wrong value hears so: from each well-formed call of each public function, wrong ones are made by
 * changing one value at a time. Each is refused by an error of the package, or has one of the meanings below.
 */

/** Meanings of values that are accepted, each documented with its function. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [
    /(name|Name|link|HOME|\.a|prefix) = '(x|)'$|^(combineRobots|buildModel): 0 = '/,
    'a name is any text; whether it is known shows where it is looked up',
  ],
  [/^(parse\w+|decodeXml|checkShape.*|checkSurface): 1 /, 'the name or path that messages give, for them alone'],
  [
    /^(\w*Robot|loadExamined): 1\.file = '|^locateRobot: 0 = '|^checkScenario: 0\.robot = 'x'/,
    'a path is any text; whether it is there shows when it is read',
  ],
  [/^parseExpression: 1\.0 = '/, 'variables are named as the caller likes'],
  [/ = \{\}$/, 'options that are all left out have their defaults'],
  [
    /(pushes|fixtures|loops|excludedCollisions|robots|roots|directions|act)( = \[\]| less its last)$|^(actuated|withRotors|withThrusters|buildModel|combineRobots|dynamicsAt|loadRobotBySource): \d( = \[\]| less its last)$/,
    'a list may be shorter, or empty',
  ],
  [
    /\.[0-8] = -1$|(springReference|wheelSpeed|margin|speed|curvature|offset|joints\.j|bias|gearRatio) = -1$/,
    'a coordinate, a speed and a ratio have a sign',
  ],
  [/\.(noise|resolution) = -1$/, 'a deviation of the other sign is the same one'],
  [/seed = -1$|^(createRandom: 0|Sensors.*: 3) = -1$/, 'a seed is any number'],
  [
    / \.frcition = 1$/,
    'of a surface, a frame, a setup, a controller or its options: other fields are carried along and left alone',
  ],
  [/\.(R|p|rate|pose|joints|t) = undefined$/, 'left out, it has its default'],
  [
    /^trapezoidalTrajectory: 1\.\d\.t = -1$|^\w+: 1\.0\.t = -1$/,
    'a waypoint may lie before the start; limits of speed need no times',
  ],
  [/\.(stepBudget|effortLimit|until|maxForce) = Infinity$/, 'no limit'],
  [/(concave|gearRatio|damping|loadRobotBySource: 4) = 1\.5$/, 'another number of its kind'],
  [/^act command: .* = NaN$/, 'NaN cancels a command'],
  [/^contactChoice: 1/, 'options of contact models are checked by the model, when its world is made'],
  [/^ErrorControl: 2 = Float64Array\(1\)$/, 'a robot without a size counts as one of 1 m'],
  [/^createControllerLoop: 2\.act = /, 'activations count for a controller that gives ctrl'],
]

/** A thousand of them, the same each day; all of them under FEATHERBED_FULL=1. */
function sample<T>(all: readonly T[], count: number): T[] {
  if (process.env.FEATHERBED_FULL) return [...all]
  const random = createRandom(44)
  const left = [...all]
  return Array.from({ length: count }, () => left.splice(Math.floor(random.next() * left.length), 1)[0])
}

test('a thousand wrong calls: each is an error of the package or has a documented meaning, none is one of JavaScript', async () => {
  const bad: string[] = []
  const used = new Set<RegExp>()
  let typed = 0
  const chosen = sample(wrongCalls(), 1000)
  for (const one of chosen) {
    const { outcome, error } = await outcomeOf(one)
    if (outcome === 'typed') typed++
    const meaning = meanings.find(([pattern]) => pattern.test(one.what))
    if (outcome === 'accepted' && meaning) used.add(meaning[0])
    else if (outcome !== 'typed') bad.push(`${one.what}: ${outcome}${error ? `, ${error.name}: ${error.message}` : ''}`)
  }
  expect(bad).toEqual([])
  expect(typed / chosen.length).toBeGreaterThan(0.9)
  if (process.env.FEATHERBED_FULL) expect(used.size).toBe(meanings.length)
}, 60_000)

test('every public function is called here, or says in its docstring that it does not check its arguments', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const called = new Set(Object.keys(calls).map((name) => name.split(/[ .]/)[0]))
  const wrong: string[] = []
  for (const [path, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue
    const file = target.types.replace('./dist/', '').replace('.d.ts', '.ts')
    const documented = exportsOf(file)
    for (const [name, value] of Object.entries((await import(join(root, file))) as Record<string, unknown>)) {
      if (typeof value !== 'function' || value.prototype instanceof Error) continue
      const isAlone = /^(async )?(function )?\w*\(\)/.test(Function.prototype.toString.call(value))
      const says = documented.get(name)?.unchecked === true
      if (!isAlone && called.has(name) === says)
        wrong.push(`${path} ${name}: ${says ? 'is called, and says that it does not check' : 'neither'}`)
    }
  }
  expect(wrong).toEqual([])
})

describe('of the calls themselves', () => {
  for (const [name, { least, all, run }] of Object.entries(calls))
    test(`${name} is well-formed`, async () => {
      for (const args of all ? [least(), all()] : [least()])
        try {
          await run(...(args as never[]))
        } catch (error) {
          // files that are not there
          expect((error as Error).message).toMatch(/no such file|is no network|Could not resolve/)
        }
    })
})

test('a loop drives one world', () => {
  const robot = loadOwnRobot('diffdrive')
  const controller = createControllerLoop(hold() as never, robot, { name: 'mine' })
  const options = { robot, controller, contactModel: 'ncp', dt: 1e-3 } as const
  const world = new World(options)
  expect(() => new World(options)).toThrow('controller "mine": drives another world; make a loop for each')
  world.step()
})
