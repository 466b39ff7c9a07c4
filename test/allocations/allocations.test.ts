import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SolverCount } from '../../contact/index.ts'
import { createControllerLoop, defaultControllerFor } from '../../control/index.ts'
import { JointType } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { dailyPair, full, tellWhatIsNotRun } from '../dailyModels.ts'
import { bundles, steadyFlags } from '../ownProcess.ts'
import * as detection from './detection.ts'
import * as dynamics from './dynamics.ts'
import * as impacts from './impacts.ts'
import * as peg from './peg.ts'
import * as solvers from './solvers.ts'
import { type Allocation, boundsOf, type Subject } from './subject.ts'
import * as worlds from './worlds.ts'

const { following, garbage, model } = dynamics
const { compared, controlledRobots, endurances, enduring } = worlds

/*
 * Steps, solves and queries allocate nothing once the engine has compiled them: bytes are counted in processes of their own, one after
 * the other, as what has run before decides how the engine compiles. A file is a bundle, a group of its subjects a process.
 */
const files = { dynamics, detection, peg, solvers, impacts, worlds }
type File = keyof typeof files
interface Group {
  readonly file: File
  readonly name: string
  readonly subjects: readonly Subject[]
}
const groups = (Object.keys(files) as File[]).flatMap((file) =>
  Object.entries(files[file].groups).map(([name, subjects]): Group => ({ file, name, subjects })),
)
const groupOf = (subject: Subject) => groups.find(({ subjects }) => subjects.includes(subject)) as Group

let bundled: Awaited<ReturnType<typeof bundles>>
const children = new Map<Group, { readonly child: ChildProcess; readonly lines: AsyncIterator<string> }>()
const found = new Map<Subject, Allocation>()

beforeAll(async () => {
  // the subjects first: the order in which modules are evaluated decides how the engine compiles as well
  const textOf = (file: string) =>
    `import { groups } from './allocations/${file}.ts'; import { run } from './allocations/run.ts'; await run(groups)`
  bundled = await bundles(Object.fromEntries(Object.keys(files).map((file) => [file, textOf(file)])))
})
afterAll(() => {
  for (const { child } of children.values()) child.kill()
  bundled.delete()
})

/** What the process of a group prints of a subject; it is started by the first test that needs it. */
async function allocationOf(subject: Subject): Promise<Allocation> {
  const group = groupOf(subject)
  const { file, name } = group
  let started = children.get(group)
  if (started === undefined) {
    const args = [...steadyFlags, join(bundled.folder, `${file}.mjs`), name]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    started = { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
    children.set(group, started)
  }
  for (;;) {
    const allocation = found.get(subject)
    if (allocation !== undefined) return allocation
    const { value, done } = await started.lines.next()
    if (done === true) throw new Error(`the process of ${name} ended before it measured "${subject.name}"`)
    const [number, measured] = JSON.parse(value) as [number, Allocation]
    found.set(group.subjects[number], measured)
  }
}

async function expectNothing(subject: Subject): Promise<Allocation> {
  const allocation = await allocationOf(subject)
  const { quietest, middle, growth, seen } = allocation
  const bounds = boundsOf(subject)
  expect(quietest).toBeLessThanOrEqual(bounds.quietest)
  expect(middle).toBeLessThan(bounds.middle)
  expect(growth).toBeLessThan(bounds.growth)
  if (subject.seen !== undefined) expect(seen).toBeGreaterThan(subject.seen)
  return allocation
}

for (const { subjects } of groups) {
  for (const subject of subjects) {
    const { suite, name } = subject
    const parts = subjects.filter((other) => other.suite === suite && other.name === name)
    if (subject === garbage || worlds.groups.endurance.includes(subject) || subject !== parts[0]) continue
    const define = () =>
      test(name, async () => {
        for (const part of parts) await expectNothing(part)
      })
    if (suite === undefined) define()
    else describe(suite, define)
  }
}

test('one small object a call would be seen', async () => {
  expect((await allocationOf(garbage)).quietest).toBeGreaterThan(10)
})

test('one tree of this file has every joint type that moves, and in another both revolute and prismatic joints follow', () => {
  const { mocap: _, ...moving } = JointType
  expect(new Set(model.jointType)).toEqual(new Set(Object.values(moving)))
  const followers = following.jointType.filter((_, i) => following.follows[i] >= 0)
  expect(new Set(followers)).toEqual(new Set([JointType.revolute, JointType.prismatic]))
})

tellWhatIsNotRun('allocation of the humanoid, and of diffdrive but for ncp,', dailyPair)
for (const [name, contactModel] of controlledRobots) {
  const suite = `${name} under ${contactModel}, with its controller`
  describe(suite, () => {
    test('steps give the same hash in another process that was built another way', async () => {
      const robot = loadOwnRobot(name)
      const controller = createControllerLoop(defaultControllerFor(robot), robot)
      const world = new World({ robot, contactModel, dt: 1e-3, controller })
      for (let i = 0; i < compared; i++) world.step()
      const subject = worlds.groups.simulation.find((each) => each.suite === suite) as Subject
      expect(world.hash()).toBe((await allocationOf(subject)).report)
    })
  })
}

interface Endurance {
  readonly steps: number
  readonly finite: boolean
  readonly height: number
  readonly failures: number
  readonly fallbacks: number
  readonly solvers: readonly SolverCount[]
}

if (!full)
  console.log('not run: endurance but of the humanoid under ncp, and allocation of some solvers and options; set FEATHERBED_FULL')
endurances.forEach(([robot, contactModel], i) => {
  test(worlds.groups.endurance[i].name, async () => {
    const { report } = await expectNothing(worlds.groups.endurance[i])
    const { steps, finite, height, failures, fallbacks, solvers } = report as Endurance
    expect(steps).toBe(enduring)
    expect(finite).toBe(true)
    expect(failures).toBe(0)
    expect(Math.abs(height - loadOwnRobot(robot).home[2])).toBeLessThan(0.01)
    // each step was solved by one solver or another
    const solved = solvers.filter(({ solver }) => !solver.includes('/')).reduce((sum, count) => sum + count.solved, 0)
    if (solvers.length > 0) expect(solved).toBeGreaterThanOrEqual(enduring * 0.99)
    if (full) {
      const shown = solvers.map(({ solver, solved, failed }) => `${solver} ${solved}/${failed}`).join(', ')
      console.log(`${robot} ${contactModel}: ${fallbacks} fallbacks; solved/failed: ${shown || 'nothing to solve'}`)
    }
  })
})
