/** The problem that a step saves is the problem that it solved: the same solver finds the step's impulses in it. */
import { describe, expect, test } from 'vitest'
import { parseProblem, problemText } from '../../compare/inspect/problemFile.ts'
import { solveProblem, solverNames } from '../../compare/inspect/solve.ts'
import { solvers } from '../../compare/inspect/solvers.ts'
import {
  type ContactModelOptions,
  contactModelNamed,
  contactModelNames,
  contactRole,
  featuresOf,
  type SavedProblem,
} from '../../contact/index.ts'
import { RestFrame } from '../../dynamics/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { loadRobot } from '../../robots/index.ts'
import { World, type WorldSetup } from '../../simulation/index.ts'
import { blockUrdf } from './command.ts'
import { atCorner } from './problems.ts'

const dt = 1e-3
const known = solverNames(solvers)
const block = loadRobot(blockUrdf, { file: 'block.urdf' })
const arm = loadRobot(
  '<robot name="arm"><link name="world"/><link name="upper"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>' +
    '<collision><origin xyz="0 0 -0.4"/><geometry><sphere radius="0.05"/></geometry></collision></link>' +
    '<joint name="swing" type="revolute"><origin xyz="0 0 0.6"/><parent link="world"/><child link="upper"/><axis xyz="0 1 0"/>' +
    '<limit lower="-0.2" upper="2" effort="100" velocity="10"/><dynamics damping="0.1" friction="0.05"/></joint></robot>',
  { file: 'arm.urdf' },
)

interface Scene {
  readonly options: Omit<WorldSetup, 'dt'>
  /** Steps whose problems are looked at. */
  readonly steps: readonly number[]
}
const scenes: Readonly<Record<string, Scene>> = {
  'a block that slides, turns and comes to rest': {
    options: { robot: block, q: [0, 0, 0.1005, 0, 0, 0, 1], v: [0, 0, 3, 0.5, 0.2, -0.3] },
    steps: [1, 2, 3, 10, 60, 300],
  },
  'an arm with a damped, dry joint against its stop': { options: { robot: arm, q: [-0.19], v: [-1] }, steps: [1, 5, 9, 40, 200] },
  'a robot on wheels and casters': { options: { robot: loadOwnRobot('diffdrive') }, steps: [1, 20, 100] },
}

/** Whose steps solve a problem of accelerations, and tell it as the one of velocities that is nearest: test/contact/models/lcp.test.ts. */
const ofAccelerations = ['lcp', 'lotstedt']

/** Models that tell the very problem that they solve, each with the first solver of its chain. */
const models = contactModelNames.filter((contactModel) => {
  const { contactModel: model } = new World({ robot: block, contactModel, dt })
  return model.level === 'velocity' && model.problem !== undefined && !ofAccelerations.includes(contactModel)
})

/** Steps of a world whose problem is told after each are those of one that is left alone. */
function expectSameSteps(create: () => World, steps: number): void {
  const [asked, left] = [create(), create()]
  for (let k = 0; k < steps; k++) {
    asked.step()
    asked.contactModel.problem?.()
    left.step()
  }
  expect(asked.hash()).toBe(left.hash())
  expect(asked.events).toEqual(left.events)
}

for (const contactModel of models) {
  describe(contactModel, () => {
    for (const [name, { options, steps }] of Object.entries(scenes)) {
      test(name, () => {
        const world = new World({ ...options, contactModel, dt })
        let looked = 0
        for (let k = 1; k <= (steps.at(-1) as number); k++) {
          world.step()
          const given = steps.includes(k) ? world.contactModel.problem?.() : undefined
          if (given === undefined) continue
          looked++
          const problem = parseProblem(problemText(given), 'step.json') as SavedProblem
          const { law } = problem
          // a short cut that needs the model's own tree is no solver of problems that stand alone
          const first = world.contactModel.solvers.find((solver) => known.includes(solver)) as string
          const found = solveProblem(problem, solvers, first).solvers.find((result) => result.law === law)
          expect(found, `step ${k}`).toMatchObject({ name: first, status: 'solved' })

          // without a floating base the velocities are those of the state, whatever axes a step takes for a base
          if (!world.robot.floating) {
            const v = found?.velocity as number[]
            const difference = Math.max(...v.map((x, i) => Math.abs(x - world.state.v[i])))
            expect(difference, `step ${k}: ${v} is not ${world.state.v}`).toBeLessThan(1e-7)
          }
          const { count, impulse } = world.contacts
          const size = Math.max(1e-6, ...impulse.subarray(0, 3 * count).map(Math.abs))
          const [p, q] = [found?.z as number[], [...impulse.subarray(0, 3 * count)]]
          const normals = (z: readonly number[], n: number) =>
            z
              .slice(0, n)
              .filter((_, i) => i % 3 === 0)
              .toSorted((a, b) => a - b)
          const frictions = (z: readonly number[], n: number) =>
            z
              .slice(0, n)
              .flatMap((_, i) => (i % 3 === 0 ? [Math.hypot(z[i + 1], z[i + 2])] : []))
              .toSorted((a, b) => a - b)
          const contacts = problem.J.length
          // contacts that were too far to be asked have no impulse and are not in the problem
          const padded = (list: readonly number[], n: number) =>
            [...Array(Math.max(0, n - list.length)).fill(0), ...list].toSorted((a, b) => a - b)
          for (const of of [normals, frictions]) {
            const mine = padded(of(p, contacts), count)
            const theirs = of(q, 3 * count)
            // the solver starts from nothing here and from the step before there, both to the tolerance of a chain, 1e-8
            const worst = Math.max(0, ...mine.map((x, i) => Math.abs(x - theirs[i])))
            expect(worst / size, `step ${k}: ${mine} is not ${theirs}`).toBeLessThan(1e-6)
          }
        }
        expect(looked).toBeGreaterThan(0)
      })
    }

    test('telling a problem changes nothing', () => {
      const { options } = scenes['a block that slides, turns and comes to rest']
      expectSameSteps(() => new World({ ...options, contactModel, dt }), 20)
    })
  })
}

describe('a block at the corner of another, 0.1 s a step: what a model with constraints asks is the whole question', () => {
  // Steps of lnc until its search for who pushes is cut short: then it says so, and has no answer. Steps of peg, looked at from their start
  // alone, until bodies are deep in each other: then the nearest way out is all there is, and nothing is left to choose.
  const worlds: [contactModel: string, contactOptions: ContactModelOptions, friction: number, steps: number][] = [
    ['peg', { passes: 0 }, 0, 2],
    ['peg', { passes: 0 }, 0.5, 2],
    ['lnc', {}, 0, 2],
    ['lnc', {}, 0.5, 2],
  ]
  test.each(worlds)(
    '%s %o with friction %f: the search in the file finds the step',
    (contactModel, contactOptions, friction, steps) => {
      const world = new World({
        ...atCorner,
        contactModel: contactModelNamed(contactModel),
        contactOptions,
        physical: { friction, restitution: 0 },
      })
      let [pushed, passedBy] = [0, 0]
      for (let k = 0; k < steps; k++) {
        const [q, v] = [world.state.q.slice(), world.state.v.slice()]
        const frame = new RestFrame(world.robot.model)
        frame.begin(v, world.dt)
        world.step()
        const problem = parseProblem(problemText(world.contactModel.problem?.() as SavedProblem), 'step.json') as SavedProblem
        const { constraints = [], active = [] } = problem
        expect(problem.path).toBe(contactModel === 'peg')
        // more than was chosen, and every contact of it named
        expect(problem.gap.length).toBeGreaterThan(active.length)
        const named = new Set(constraints.flatMap(({ members }) => members.flatMap(({ contacts }) => contacts)))
        expect([...named].toSorted((a, b) => a - b)).toEqual(problem.gap.map((_, i) => i))

        const [found, saved] = ['member-search', 'as-saved'].map((name) => solveProblem(problem, solvers, name).solvers[0])
        for (const { status, velocity, cost } of [found, saved]) {
          expect(status).toBe('solved')
          expect(cost).toBeCloseTo(found.cost as number, 10)
          // a step's velocities are in the axes of its start
          const [qEnd, vEnd] = [q.slice(), v.slice()]
          frame.finish(qEnd, vEnd, Float64Array.from(velocity as number[]), world.dt)
          const difference = Math.max(...vEnd.map((x, i) => Math.abs(x - world.state.v[i])))
          // rounding, and what solvers leave at 1e-12 of their own, for velocities of 1 m/s
          expect(difference, `step ${k + 1}: ${vEnd} is not ${world.state.v}`).toBeLessThan(1e-9)
        }
        const { role, count } = featuresOf(world.contacts)
        passedBy += role.subarray(0, count).filter((x) => x === contactRole.passedBy).length
        if (found.pushing?.length) pushed++
      }
      expect(world.events).toMatchObject({ fallbacks: 0, failures: 0 })
      expect(pushed).toBeGreaterThan(0)
      expect(passedBy).toBeGreaterThan(0)
    },
  )
  test('a step that was looked at from its end tells the mass matrix of its start, and what was solved last', () => {
    const world = new World({ ...atCorner, contactModel: 'peg', physical: { friction: 0.5, restitution: 0 } })
    for (let k = 0; k < 3; k++) {
      world.step()
      const problem = parseProblem(problemText(world.contactModel.problem?.() as SavedProblem), 'step.json') as SavedProblem
      // about its centre: 1 kg, and m a² / 6
      const diagonal = problem.M.map((row, i) => row[i])
      for (const [i, x] of diagonal.entries()) expect(x).toBeCloseTo(i < 3 ? 0.16 / 6 : 1, 12)
      const name = problem.constraints === undefined ? 'lemke' : 'member-search'
      expect(solveProblem(problem, solvers, name).solvers[0].status).toBe('solved')
    }
  })
  test('telling it changes nothing', () => {
    const options: ContactModelOptions[] = [{ passes: 0 }, {}]
    for (const contactOptions of options) {
      expectSameSteps(() => new World({ ...atCorner, contactModel: 'peg', contactOptions }), 4)
    }
  })
})

test('there are models that tell their problems', () => {
  expect(models).toContain('stewart-trinkle')
})
