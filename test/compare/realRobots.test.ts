/** Robots as people bring them. FEATHERBED_ROBOTS names a folder that holds them; without it only our own are tried. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compare, type Results } from '../../compare/judge/compare.ts'
import { checkScenario } from '../../compare/scenario/index.ts'
import { full } from '../dailyModels.ts'
import { ended, featherbed, onlyComparison, temporaryFolder, timedFeatherbed } from './command.ts'

const root = process.env.FEATHERBED_ROBOTS
const some = ['turtlebot3/turtlebot3_description/urdf/turtlebot3_burger.urdf', 'a1/a1_description/urdf/a1.urdf']
const iiwa = 'iiwa14/drake_models/iiwa_description/urdf'
const panda = 'panda/example-robot-data/robots/panda_description/urdf'
const others = [
  'ur5/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf',
  'hector_quadrotor/example-robot-data/robots/hector_description/robots/quadrotor_base.urdf',
  'atlas/drake_models/atlas/atlas_minimal_contact.urdf',
  'atlas/drake_models/atlas/atlas_convex_hull.urdf',
  'husky/husky_description/urdf/husky.urdf.xacro',
  'pr2/drake_models/pr2_description/urdf/pr2_simplified.urdf',
  'r1/r1_description/R1.urdf',
  'robotiq_2f_85/robotiq_2f_85_gripper_visualization/urdf/robotiq_arg2f_85_model.urdf',
  'simple_humanoid/example-robot-data/robots/simple_humanoid_description/urdf/simple_humanoid.urdf',
  `${panda}/panda.urdf`,
  `${panda}/panda_collision.urdf`,
  'panda/franka_description/robots/panda/panda.urdf.xacro',
  ...['no', 'polytope', 'primitive', 'spheres'].map((kind) => `${iiwa}/iiwa14_${kind}_collision.urdf`),
  `${iiwa}/dual_iiwa14_polytope_collision.urdf`,
]
const files = full ? [...some, ...others] : some
const found = root === undefined ? [] : files.map((file) => join(root, file)).filter((file) => existsSync(file))
if (found.length < files.length)
  console.log(`not run: compare on ${files.length - found.length} robots; set FEATHERBED_ROBOTS to the folder that holds them`)
else if (files.length === some.length) console.log(`not run: compare on ${others.length} more robots; set FEATHERBED_FULL`)

/** By the command; day by day at one step, without its processes and threads, a good half of whose work is to start. */
async function compared(robot: string): Promise<Results> {
  if (!full) {
    return (await compare(await checkScenario({ robots: [robot], duration: 0.1, dt: 1e-3 }), { timing: false, threads: 0 }))
      .results
  }
  const { stdout } = await ended(0, timedFeatherbed(['compare', robot, '--duration', '0.1', '--json', '--quiet']))
  return onlyComparison(stdout)
}

describe('compare ends in a verdict', () => {
  for (const robot of ['diffdrive', ...found]) {
    test(robot.replace(root ?? '', ''), async () => {
      const { verdicts, runs } = await compared(robot)
      expect(verdicts).toHaveLength(1)
      const [{ state, missed, sentence }] = verdicts
      expect(sentence.length).toBeGreaterThan(0)
      if (state === 'none') expect(missed).toHaveLength(runs.length)
      // whatever the model and the step, the run comes to its end
      for (const run of runs) expect(run).toMatchObject({ status: 'ok', failure: null })
    })
  }
})

test('an arm that is bolted down and reaches below its base touches nothing: a lower ground, and any model will do', async () => {
  const folder = temporaryFolder()
  const arm = folder.write(
    'arm.urdf',
    '<robot name="arm"><link name="world"/><link name="upper"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>' +
      '<collision><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link><joint name="turn" type="revolute"><parent link="world"/>' +
      '<child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>',
  )
  const args = ['--duration', '0.05', '--models', 'penalty,stewart-trinkle', '--dt', '1e-3', '--json', '--quiet']
  const { stdout } = await ended(0, timedFeatherbed(['compare', arm, ...args]))
  const { verdicts, robots, runs } = onlyComparison(stdout)
  expect(robots[0].groundHeight_m).toBeCloseTo(-0.21, 12)
  expect(runs.every(({ touched }) => !touched)).toBe(true)
  expect(verdicts[0]).toMatchObject({ state: 'any', model: 'stewart-trinkle' })
  // a ground that somebody asked for stays where it is, and the overlap is said
  const stated = folder.write('stated.yaml', 'robot: arm.urdf\nground: { height: 0 }')
  const asked = onlyComparison((await featherbed(['compare', stated, ...args])).stdout)
  expect(asked.robots[0]).toMatchObject({ groundHeight_m: 0, startOverlaps: [{ a: 'upper', b: 'ground' }] })
})
