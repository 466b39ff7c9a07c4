import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadRobotFile } from '../../robots/files.ts'
import { inspectRobot } from '../../robots/index.ts'
import { codes, rejectionOf } from './lookalike.ts'

const folder = process.env.FEATHERBED_ROBOTS

/** File, links, moving joints, mimic joints among them, mass as declared [kg], as counted by other tools. */
const known: [string, number, number, number, number][] = [
  ['turtlebot3/turtlebot3_description/urdf/turtlebot3_burger.urdf', 7, 2, 0, 1.0017],
  ['turtlebot3/turtlebot3_description/urdf/turtlebot3_waffle.urdf', 13, 2, 0, 1.5539],
  ['husky/husky_description/urdf/husky.urdf.xacro', 15, 4, 0, 56.582],
  ['husky/expected/clearpathHusky.urdf', 15, 4, 0, 56.582],
  ['pr2/drake_models/pr2_description/urdf/pr2_simplified.urdf', 83, 22, 6, 257.16],
  ['a1/a1_description/urdf/a1.urdf', 23, 12, 0, 13.741],
  ['a1/a1_description/xacro/robot.xacro', 23, 12, 0, 12.777],
  ['r1/r1_description/R1.urdf', 40, 26, 0, 28.836],
  ['simple_humanoid/example-robot-data/robots/simple_humanoid_description/urdf/simple_humanoid.urdf', 31, 29, 0, 130.8],
  ['atlas/drake_models/atlas/atlas_convex_hull.urdf', 70, 30, 0, 175.12],
  ['atlas/drake_models/atlas/atlas_minimal_contact.urdf', 60, 30, 0, 175.12],
  ['ur5/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf', 11, 6, 0, 20.994],
  ['panda/example-robot-data/robots/panda_description/urdf/panda.urdf', 13, 8, 1, 17.452],
  ['panda/example-robot-data/robots/panda_description/urdf/panda_collision.urdf', 13, 8, 1, 17.452],
  ['iiwa14/drake_models/iiwa_description/urdf/iiwa14_primitive_collision.urdf', 11, 7, 0, 30.61],
  ['iiwa14/drake_models/iiwa_description/urdf/dual_iiwa14_polytope_collision.urdf', 21, 14, 0, 61.22],
  ['iiwa14/drake_models/iiwa_description/urdf/planar_iiwa14_spheres_dense_elbow_collision.urdf', 10, 3, 0, 30.61],
  ['robotiq_2f_85/robotiq_2f_85_gripper_visualization/urdf/robotiq_arg2f_85_model.urdf', 11, 1, 5, 0.22652],
  ['hector_quadrotor/example-robot-data/robots/hector_description/robots/quadrotor_base.urdf', 1, 0, 0, 1.477],
]

/** Files that describe no robot. */
const refused = ['turtlebot3/turtlebot3_description/urdf/common_properties.urdf', 'husky/husky_description/urdf/empty.urdf']

if (folder === undefined) {
  test('real robots', () => {
    console.log('FEATHERBED_ROBOTS is not set: real robots are not loaded, only the look-alikes')
  })
} else {
  describe('real robots', () => {
    test.each(known)('%s has %i links, %i moving joints, %i mimic joints and %d kg', async (file, links, dof, mimic, mass) => {
      const seen = inspectRobot(await loadRobotFile(join(folder, file)))
      expect([seen.links, seen.dof, seen.joints.mimic]).toEqual([links, dof, mimic])
      // five printed digits
      expect(Math.abs(seen.mass - mass)).toBeLessThan(1e-4 * mass)
    })

    test.each(refused)('%s is refused: it describes no link', async (file) => {
      expect(codes((await rejectionOf(loadRobotFile(join(folder, file)))).diagnostics)[0]).toMatch(/^no-links:/)
    })

    test('every other URDF loads, with finite numbers throughout', async () => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.urdf'))
      expect(files.length).toBeGreaterThan(20)
      for (const file of files) {
        if (refused.includes(relative('.', file))) continue
        const robot = await loadRobotFile(join(folder, file))
        const numbers = [
          ...robot.home,
          ...robot.model.I.slice(1).flatMap((I) => [...I]),
          ...robot.shapes.flatMap(({ p, R }) => [...p, ...R]),
        ]
        expect(numbers.every(Number.isFinite), file).toBe(true)
        expect(
          robot.model.I.slice(1).every(([mass]) => mass > 0),
          file,
        ).toBe(true)
      }
    })

    test('atlas stands on its contact points, a1 on its feet, the burger on its wheels', async () => {
      const standing = async (file: string) => inspectRobot(await loadRobotFile(join(folder, file))).centerOfMass[2]
      // centre of mass over the ground in the home pose: what a tape measure says of these robots, to a few centimetres
      expect(Math.abs((await standing(known[10][0])) - 1.2)).toBeLessThan(0.1)
      expect(Math.abs((await standing(known[5][0])) - 0.32)).toBeLessThan(0.05)
      expect(Math.abs((await standing(known[0][0])) - 0.03)).toBeLessThan(0.02)
    })
  })
}
