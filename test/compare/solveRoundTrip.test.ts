/** The problem that a step saves is the problem that it solved: the same solver finds the step's impulses in it. */
import { describe, expect, test } from 'vitest'
import { parseProblem, problemText } from '../../compare/problemFile.ts'
import { solveProblem, solverNames } from '../../compare/solve.ts'
import { solvers } from '../../compare/solvers.ts'
import { contactModels, type SavedProblem } from '../../contact/index.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { loadRobot } from '../../robots/index.ts'
import { World, type WorldOptions } from '../../simulation/index.ts'
import { blockUrdf } from './command.ts'

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
  readonly options: Omit<WorldOptions, 'contactModel' | 'dt'>
  /** Steps whose problems are looked at. */
  readonly steps: readonly number[]
}
const scenes: Readonly<Record<string, Scene>> = {
  'a block that slides, turns and comes to rest': {
    options: { robot: block, q: [0, 0, 0.1005, 0, 0, 0, 1], v: [0, 0, 3, 0.5, 0.2, -0.3] },
    steps: [1, 2, 3, 10, 60, 300],
  },
  'a block that bounces': {
    options: { robot: block, q: [0, 0, 0.1005, 0, 0, 0, 1], v: [0, 1, 0, 0.1, 0, -1], physical: { restitution: 0.5 } },
    steps: [1, 2, 5, 40],
  },
  'an arm with a damped, dry joint against its stop': { options: { robot: arm, q: [-0.19], v: [-1] }, steps: [1, 5, 9, 40, 200] },
  'a robot on wheels and casters': { options: { robot: loadOwnRobot('diffdrive') }, steps: [1, 20, 100] },
}

/** Whose steps solve a problem of accelerations, and tell it as the one of velocities that is nearest: test/contact/models/lcp.test.ts. */
const ofAccelerations = ['lcp', 'lotstedt']

/** Models that tell the very problem that they solve, each with the first solver of its chain. */
const models = Object.keys(contactModels).filter((contactModel) => {
  const { contactModel: model } = new World({ robot: block, contactModel, dt })
  return model.level === 'velocity' && model.problem !== undefined && !ofAccelerations.includes(contactModel)
})

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
      const [asked, left] = [new World({ ...options, contactModel, dt }), new World({ ...options, contactModel, dt })]
      for (let k = 0; k < 20; k++) {
        asked.step()
        asked.contactModel.problem?.()
        left.step()
      }
      expect(asked.hash()).toBe(left.hash())
      expect(asked.events).toEqual(left.events)
    })
  })
}

test('there are models that tell their problems', () => {
  expect(models).toContain('stewart-trinkle')
})
