import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openRobotFile, ownRobotPath, type RobotFileOptions } from '../../robots/files.ts'
import { type ExaminedRobot, loadExamined, type Robot } from '../../robots/index.ts'

/** Files in a folder of real robots that describe no robot by themselves. */
const refused = ['turtlebot3/turtlebot3_description/urdf/common_properties.urdf', 'husky/husky_description/urdf/empty.urdf']

/** xacro files that are robots; the others are parts of some. */
const xacros = [
  'a1/a1_description/xacro/robot.xacro',
  'husky/husky_description/urdf/husky.urdf.xacro',
  'iiwa14/drake_models/iiwa_description/urdf/dual_iiwa14_polytope_collision.urdf.xacro',
  'iiwa14/drake_models/iiwa_description/urdf/iiwa14_primitive_collision.urdf.xacro',
  'panda/franka_description/robots/dual_panda/dual_panda_example.urdf.xacro',
  'panda/franka_description/robots/fr3/fr3.urdf.xacro',
  'panda/franka_description/robots/panda/panda.urdf.xacro',
]

/** Our own robots and, where the environment variable FEATHERBED_ROBOTS names their folder, real ones: names and files. */
export function robotFiles(): [name: string, path: string][] {
  const own = (['diffdrive', 'humanoid'] as const).map((name): [string, string] => [name, ownRobotPath(name)])
  const folder = process.env.FEATHERBED_ROBOTS
  if (folder === undefined) return own
  const urdfs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.urdf') && !file.includes('expected/') && !refused.includes(file))
    .sort()
  return [...own, ...[...urdfs, ...xacros].map((file): [string, string] => [file, join(folder, file)])]
}

/** R1 reads 45 MB of meshes, anew for each test. */
export const isDear = (file: string): boolean => file.endsWith('R1.urdf')

export function loadWithRepairs(path: string, options: RobotFileOptions = {}): { robot: Robot; examined: ExaminedRobot } {
  const { text, options: loading } = openRobotFile(path, options)
  return loadExamined(text, loading)
}
