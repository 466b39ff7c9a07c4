/** Robots by their names, in folders that are on this machine already; nothing is ever downloaded. */
import { robotError } from '../diagnostics.ts'
import { folderOf, join } from './resolve.ts'

/** A robot that others publish: its licence, and its file in a collection. */
export interface NamedRobot {
  readonly name: string
  /** SPDX. */
  readonly licence: string
  /** MuJoCo Menagerie, example-robot-data, or a package of ROS by its name. */
  readonly collection: string
  readonly file: string
}

/** Of MuJoCo Menagerie the name of a robot is that of its folder. */
const menagerie: readonly (readonly [licence: string, files: string])[] = [
  [
    'BSD-3-Clause',
    'agility_cassie/cassie aloha/aloha anybotics_anymal_b/anymal_b anybotics_anymal_c/anymal_c boston_dynamics_spot/spot ' +
      'franka_emika_panda/panda kinova_gen3/gen3 kuka_iiwa_14/iiwa14 trossen_vx300s/vx300s trossen_wx250s/wx250s ufactory_lite6/lite6 ' +
      'ufactory_xarm7/xarm7 unitree_a1/a1 unitree_g1/g1 unitree_go1/go1 unitree_go2/go2 unitree_h1/h1 unitree_z1/z1 ' +
      'universal_robots_ur5e/ur5e universal_robots_ur10e/ur10e',
  ],
  [
    'Apache-2.0',
    'franka_fr3/fr3 google_barkour_v0/barkour_v0 google_barkour_vb/barkour_vb google_robot/robot hello_robot_stretch_3/stretch ' +
      'rethink_robotics_sawyer/sawyer robotis_op3/op3 shadow_dexee/shadow_dexee shadow_hand/right_hand skydio_x2/x2',
  ],
  ['BSD-2-Clause', 'robotiq_2f85/2f85 wonik_allegro/right_hand'],
  ['BSD-3-Clause-Clear', 'hello_robot_stretch/stretch'],
  ['MIT', 'bitcraze_crazyflie_2/cf2'],
]

/** The URDF files of example-robot-data, under names of their own. */
const examples: readonly (readonly [name: string, licence: string, file: string])[] = [
  ['panda', 'Apache-2.0', 'panda_description/urdf/panda.urdf'],
  ['ur5', 'BSD-3-Clause', 'ur_description/urdf/ur5_robot.urdf'],
  ['simple_humanoid', 'BSD-2-Clause', 'simple_humanoid_description/urdf/simple_humanoid.urdf'],
  ['hector_quadrotor', 'BSD-3-Clause', 'hector_description/robots/quadrotor_base.urdf'],
]

/** In packages of ROS by their makers. */
const packages: readonly (readonly [name: string, licence: string, collection: string, file: string])[] = [
  ['a1', 'BSD-3-Clause', 'a1_description', 'urdf/a1.urdf'],
  ['atlas', 'BSD-3-Clause', 'drake_models', 'atlas/atlas_convex_hull.urdf'],
  ['husky', 'BSD-3-Clause', 'husky_description', 'urdf/husky.urdf.xacro'],
  ['iiwa14', 'BSD-2-Clause', 'drake_models', 'iiwa_description/urdf/iiwa14_primitive_collision.urdf'],
  ['robotiq_2f_85', 'BSD-2-Clause', 'robotiq_2f_85_gripper_visualization', 'urdf/robotiq_arg2f_85_model.urdf'],
  ['turtlebot3', 'Apache-2.0', 'turtlebot3_description', 'urdf/turtlebot3_burger.urdf'],
]

export const namedRobots: readonly NamedRobot[] = [
  ...menagerie.flatMap(([licence, files]) =>
    files.split(' ').map((file): NamedRobot => {
      return { name: file.slice(0, file.indexOf('/')), licence, collection: 'mujoco_menagerie', file: `${file}.xml` }
    }),
  ),
  ...examples.map(
    ([name, licence, file]): NamedRobot => ({ name, licence, collection: 'example-robot-data', file: `robots/${file}` }),
  ),
  ...packages.map(([name, licence, collection, file]): NamedRobot => ({ name, licence, collection, file })),
]

type Environment = Readonly<Record<string, string | undefined>>

/** Access to the disk: whether a file exists, and the names in a folder, none if it does not exist. */
export interface Disk {
  exists(path: string): boolean
  list(folder: string): readonly string[]
}

/** @unchecked */
export function isNamedRobot(name: string): boolean {
  return namedRobots.some((robot) => robot.name === name)
}

/**
 * Locates a robot by its name. The first of these folders that has it: `FEATHERBED_MENAGERIE`; `FEATHERBED_ROBOTS`, which may hold
 * collections, or each robot's in a folder of its name; the folders of `ROS_PACKAGE_PATH`, and share below those of `AMENT_PREFIX_PATH`,
 * for packages of ROS; `ROBOT_DESCRIPTIONS_CACHE`, or else ~/.cache/robot_descriptions, as Python's
 * robot_descriptions fills it; the Python environment that is active (`VIRTUAL_ENV`, `CONDA_PREFIX`), where pip puts
 * example-robot-data; and packages of npm with the collection's name, in `node_modules` of `from` and of the folders above it.
 *
 * @throws RobotError for a known one that is in none of them
 */
export function locateIn(disk: Disk, name: string, environment: Environment, from: string): string | undefined {
  const robot = namedRobots.find((known) => known.name === name)
  if (!robot) return undefined
  const places = placesOf(disk, robot, environment, from)
  const found = places.find((path) => disk.exists(path))
  if (found !== undefined) return found
  const message = `the robot "${name}" (${robot.licence}) of ${robot.collection} is not on this machine; looked for ${places.join(', ')}.`
  const remedy =
    remedies[robot.collection] ??
    `Put the package ${robot.collection} into the folder that FEATHERBED_ROBOTS names, or on ROS_PACKAGE_PATH, or give the path of a file.`
  throw robotError('robot-not-here', { file: name, line: 0 }, '', message, remedy)
}

const remedies: Readonly<Record<string, string>> = {
  mujoco_menagerie: 'Clone MuJoCo Menagerie and set FEATHERBED_MENAGERIE to its folder, or give the path of a file.',
  'example-robot-data': 'Install example-robot-data (pip, or a clone below FEATHERBED_ROBOTS), or give the path of a file.',
}

/** A list of paths as the environment has them. */
const listed = (paths: string | undefined) => (paths ?? '').split(':').filter((path) => path !== '')

function placesOf(disk: Disk, { name, collection, file }: NamedRobot, environment: Environment, from: string): string[] {
  const { FEATHERBED_MENAGERIE: menagerieFolder, FEATHERBED_ROBOTS: robots } = environment
  const places: string[] = []
  if (collection === 'mujoco_menagerie' && menagerieFolder) places.push(join(menagerieFolder, file))
  if (robots)
    places.push(join(robots, file), join(robots, `${collection}/${file}`), join(robots, `${name}/${collection}/${file}`))
  if (remedies[collection] === undefined) {
    for (const folder of listed(environment.ROS_PACKAGE_PATH)) places.push(join(folder, `${collection}/${file}`))
    for (const folder of listed(environment.AMENT_PREFIX_PATH)) places.push(join(folder, `share/${collection}/${file}`))
  }
  const cache = environment.ROBOT_DESCRIPTIONS_CACHE ?? join(environment.HOME ?? '', '.cache/robot_descriptions')
  places.push(join(cache, `${collection}/${file}`))
  if (collection === 'example-robot-data') {
    for (const prefix of [environment.VIRTUAL_ENV, environment.CONDA_PREFIX]) {
      if (!prefix) continue
      places.push(join(prefix, `share/${collection}/${file}`))
      const library = join(prefix, 'lib')
      const pythons = disk.list(library).filter((folder) => folder.startsWith('python3'))
      for (const python of pythons) places.push(join(library, `${python}/site-packages/cmeel.prefix/share/${collection}/${file}`))
    }
  }
  for (let folder = from; folder !== ''; folder = folderOf(folder))
    places.push(join(folder, `node_modules/${collection}/${file}`))
  return places
}
