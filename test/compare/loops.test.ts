import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { doJob } from '../../compare/run/run.ts'
import { parseScenario, ScenarioError } from '../../compare/scenario/index.ts'
import { checkWorlds, prepareWorld, resolvePaths } from '../../compare/scenario/world/files.ts'
import { couplerAngles, fourbarFile } from '../contact/loops/linkages.ts'

/*
 * Loops in scenario files.
 */

const file = join(dirname(fourbarFile), 'x.yaml')
const read = async (text: string) => resolvePaths(await parseScenario(text, file), file)
const fourbar = 'robot: fourbar.urdf\nduration: 0.1\ndt: 1e-3\nground: false\n'
const problemsOf = async (text: string) => {
  try {
    await parseScenario(text, 'file.yaml')
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems
    throw error
  }
  return []
}

test('loops are read with units, and named by their number where they have no name', async () => {
  const { loops } = await read(
    `${fourbar}loops:\n  - { kind: hinge, a: { link: coupler, point: [24 cm, 0, 10 cm], axis: [0, 1, 0] }, b: { link: tip } }\n` +
      '  - { name: hook, kind: point, a: { link: world }, b: { robot: ball } }',
  )
  expect(loops).toEqual([
    { name: 'loop1', kind: 'hinge', a: { link: 'coupler', point: [0.24, 0, 0.1], axis: [0, 1, 0] }, b: { link: 'tip' } },
    { name: 'hook', kind: 'point', a: { link: 'world' }, b: { robot: 'ball' } },
  ])
})

test('what is wrong with them is said with its line', async () => {
  const end = '{ link: tip }'
  expect(
    await problemsOf(
      `${fourbar}loops:\n  - { kind: rope, a: ${end}, b: ${end} }\n  - { kind: point, a: { body: tip }, b: ${end} }\n  - { kind: weld, a: ${end} }`,
    ),
  ).toEqual([
    expect.stringMatching(/^file\.yaml:6 loops\[0\]\.kind: found "rope", expected one of point, hinge, weld/),
    expect.stringMatching(/^file\.yaml:7 loops\[1\]\.a\.body: is not a field here; known are robot, link, point, axis/),
    expect.stringMatching(/^file\.yaml:8 loops\[2\]\.b: found undefined, expected the fields/),
  ])
  expect(
    await problemsOf(
      `${fourbar}loops:\n  - { name: x, kind: hinge, a: ${end}, b: ${end} }\n` +
        `  - { name: x, kind: point, a: ${end}, b: { link: coupler, axis: [1, 0, 0] } }`,
    ),
  ).toEqual([
    expect.stringMatching(/^file\.yaml:6 loops\[0\]: needs an axis/),
    expect.stringMatching(/^file\.yaml:7 loops\[1\]: holds the name "x" twice/),
    expect.stringMatching(/^file\.yaml:7 loops\[1\]\.b\.axis: is of a hinge, and this is a point/),
  ])
})

test('loops that do not close are said before anything runs, all of them', async () => {
  const scenario = await read(
    `${fourbar}loops:\n  - { kind: point, a: { link: coupler, point: [20 cm, 0, 10 cm] }, b: { link: tip, point: [0, 0, 0] } }\n` +
      '  - { name: other, kind: weld, a: { link: couple }, b: { link: world } }',
  )
  const prepared = await prepareWorld(scenario, scenario.robots[0])
  expect(() => checkWorlds(scenario, prepared)).toThrow(
    /^loops: loop "loop1": is open by 40 mm.*\nloops: loop "other": a\.link: there is no frame/,
  )
})

describe('a four-bar in a scenario', () => {
  const loop = '{ kind: hinge, a: { link: coupler, point: [24 cm, 0, 10 cm], axis: [0, 1, 0] }, b: { link: tip } }'

  test('starts in any pose that closes it', async () => {
    const { elbow, swing } = couplerAngles(0.9)
    const start = (digits: number) =>
      `start: { joints: { drive: 0.9, elbow: ${elbow.toFixed(digits)}, swing: ${swing.toFixed(digits)} } }\n`
    const scenario = await read(`${fourbar}${start(6)}loops: [${loop}]`)
    const prepared = await prepareWorld(scenario, scenario.robots[0])
    expect(() => checkWorlds(scenario, prepared)).not.toThrow()
    // to two digits it is open by millimetres
    const rough = await read(`${fourbar}${start(2)}loops: [${loop}]`)
    const open = await prepareWorld(rough, rough.robots[0])
    expect(() => checkWorlds(rough, open)).toThrow(/is open by/)
  })

  test('hung between two bodies that float, is no part of what the momentum is measured of', async () => {
    const bodies = ['left', 'right'].map(
      (name, i) => `  - { name: ${name}, shape: { type: sphere, radius: 5 cm }, mass: 1, position: [${0.2 * i}, 0, 1] }`,
    )
    const text = (loops: string) =>
      `duration: 0.1\ndt: 1e-3\nground: false\nmodels: penalty\nbodies:\n${bodies.join('\n')}\n${loops}`
    const momentumError = async (loops: string) => {
      const scenario = await read(text(loops))
      const [model] = scenario.models
      const outcome = await doJob({ kind: 'run', scenario, robot: '', model, dt: 1e-3 })
      return outcome.metrics?.momentumError
    }
    // what is not held falls with its weight; of what is, no model reports the force
    expect(await momentumError('')).toBeLessThan(1e-9)
    expect(
      await momentumError('loops: [{ kind: point, a: { link: world, point: [0, 0, 1] }, b: { robot: left } }]'),
    ).toBeLessThan(1e-9)
  })
})
