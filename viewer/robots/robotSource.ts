import { type ExaminedRobot, type LoadOptions, loadExamined, type Robot } from '../../robots/index.ts'
import diffdriveUrdf from '../../robots/own/diffdrive/diffdrive.urdf?raw'
import gripperUrdf from '../../robots/own/gripper/gripper.urdf?raw'
import humanoidUrdf from '../../robots/own/humanoid/humanoid.urdf?raw'
import mecanumUrdf from '../../robots/own/mecanum/mecanum.urdf?raw'
import quadrupedUrdf from '../../robots/own/quadruped/quadruped.urdf?raw'
import wristGripperUrdf from '../../robots/own/wrist-gripper/wrist-gripper.urdf?raw'
import { RobotFiles } from './robotFiles.ts'

/** A robot with all that the page needs to show it: its files' data, and files they may refer to. */
export interface LoadedRobot {
  readonly robot: Robot
  readonly examined: ExaminedRobot
  readonly files: RobotFiles
}

const own = {
  diffdrive: diffdriveUrdf,
  humanoid: humanoidUrdf,
  quadruped: quadrupedUrdf,
  gripper: gripperUrdf,
  'wrist-gripper': wristGripperUrdf,
  mecanum: mecanumUrdf,
}
export type OwnRobotName = keyof typeof own
export const ownRobotNames = Object.keys(own) as OwnRobotName[]
export const isOwnRobot = (name: string): name is OwnRobotName => Object.hasOwn(own, name)

export const ownRobotText = (name: OwnRobotName): string => own[name]

export function loadOwnRobot(name: OwnRobotName, options: Pick<LoadOptions, 'base'> = {}): LoadedRobot {
  return load(own[name], { ...options, file: `${name}.urdf` }, new RobotFiles())
}

/**
 * @param srdf the path of the robot's SRDF file among the files; '' for none
 * @throws RobotError that holds every error of the file
 */
export function loadRobotFile(
  files: RobotFiles,
  file: string,
  srdf: string,
  options: Pick<LoadOptions, 'base'> = {},
): LoadedRobot {
  const semantic = srdf === '' ? undefined : { text: files.text(srdf), file: srdf }
  return load(files.text(file), { ...options, file, resolver: files.resolver, srdf: semantic }, files)
}

function load(text: string, options: LoadOptions, files: RobotFiles): LoadedRobot {
  return { ...loadExamined(text, options), files }
}
