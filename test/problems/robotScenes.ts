/** Robots at their tasks, whose steps are problems: those of docs/examples, those that others made, and throws that end on few contacts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseScenario } from '../../compare/scenario/index.ts'
import { createWorld, prepare, resolvePaths, subjectsOf } from '../../compare/scenario/world/files.ts'
import type { SavedProblem } from '../../contact/index.ts'
import type { World } from '../../simulation/index.ts'
import { examples } from '../compare/playScene.ts'
import { robotsFolder } from '../dailyModels.ts'

export interface RobotScene {
  readonly robot: string
  readonly task: string
  /** A file of docs/examples without .yaml, or the text of a scenario; FOLDER is that of the robots. */
  readonly source: string
  readonly duration: number
}

const crouch =
  '{ FR_thigh_joint: 0.8, FL_thigh_joint: 0.8, RR_thigh_joint: 0.8, RL_thigh_joint: 0.8, FR_calf_joint: -1.6, FL_calf_joint: -1.6, RR_calf_joint: -1.6, RL_calf_joint: -1.6 }'
const bent = '{ l_leg_hpy: -0.4, r_leg_hpy: -0.4, l_leg_kny: 0.8, r_leg_kny: 0.8, l_leg_aky: -0.4, r_leg_aky: -0.4 }'
const named = (robot: string, task: string, fields = '', duration = 1): RobotScene => ({
  robot,
  task,
  source: `robot: ${robot}\n${fields}`,
  duration,
})
const filed = (robot: string, task: string, source: string, duration: number): RobotScene => ({ robot, task, source, duration })

/** Each at the task that it is made for. */
export const tasks: readonly RobotScene[] = [
  filed('a1', 'trots', 'real/trot-a1', 1.6),
  named('a1', 'stands', `start: { joints: ${crouch} }`),
  {
    ...named('atlas', 'takes a step', '', 1.2),
    source: `robot: FOLDER/atlas/drake_models/atlas/atlas_minimal_contact.urdf
start: { joints: ${bent} }
controller: { name: capture-step, options: { duration: 0.35 s } }
pushes: [{ name: push, link: pelvis, impulse: [150, 0, 0], at: 0.3 s, duration: 0.1 s }]`,
  },
  filed('husky', 'turns', 'real/drive-husky', 2),
  filed('turtlebot3', 'brakes', 'real/brake-turtlebot3', 1.5),
  filed('ur5', 'wipes', 'real/reach-ur5', 1.5),
  filed('panda', 'wipes', 'real/wipe-panda', 1.5),
  filed('panda', 'lifts a cube', 'real/grip-panda', 1.5),
  named('iiwa14', 'stands on its base'),
  named('robotiq_2f_85', 'lies'),
  { ...named('pr2', 'stands'), source: 'robot: FOLDER/pr2/drake_models/pr2_description/urdf/pr2_simplified.urdf' },
  { ...named('r1', 'stands'), source: 'robot: FOLDER/r1/r1_description/R1.urdf' },
  named('simple_humanoid', 'stands'),
  named('hector_quadrotor', 'stands'),
  filed('gripper', 'lifts a bar', 'gripper-slips', 1.3),
  filed('quadruped', 'trots', 'default/trot', 1.6),
  filed('diffdrive', 'stops on a ramp', 'default/ramp', 1.6),
  filed('humanoid', 'brakes', 'default/brake', 0.8),
]

const thrown = (robot: string, k: number) =>
  named(
    robot,
    `is thrown, ${k}`,
    `base: floating\nstart: { rpy: [${[0.5 * k, 0.7 - 0.3 * k, 0.4 * k].join(', ')}], linearVelocity: [${0.5 * k - 1}, ${0.3 * k}, -1], angularVelocity: [${k - 2}, 1, ${0.5 * k}] }`,
    0.6,
  )
/** Free bodies and arms on few points. */
export const throws: readonly RobotScene[] = [
  'hector_quadrotor',
  'turtlebot3',
  'husky',
  'iiwa14',
  'robotiq_2f_85',
  'ur5',
  'panda',
  'a1',
].flatMap((robot) => [0, 1, 2, 3, 4].map((k) => thrown(robot, k)))

/** The problem of each step of a scene, undefined where it has none. A step that fails ends it. @param watch called behind each step */
export async function stepProblems(
  { source, duration }: RobotScene,
  model: string,
  dt: number,
  watch: (problem: SavedProblem | undefined, step: number, world: World) => void,
): Promise<void> {
  const isText = source.includes(':')
  const file = isText ? join(examples, 'scene.yaml') : `${examples}${source}.yaml`
  const text = isText ? source.replaceAll('FOLDER', robotsFolder ?? '') : readFileSync(file, 'utf8')
  const scenario = resolvePaths(await parseScenario(text, file, { models: [model] }), file)
  const prepared = await prepare(scenario, subjectsOf(scenario)[0])
  const { world } = createWorld(scenario, prepared, scenario.models[0], dt)
  for (let k = 1; k <= Math.round(duration / dt); k++) {
    try {
      world.step()
    } catch {
      return
    }
    watch(world.contactModel.problem?.(), k, world)
  }
}
