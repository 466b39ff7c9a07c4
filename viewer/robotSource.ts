import { type LoadOptions, loadExamined, type Robot, type XmlElement } from '../robots/index.ts'
import diffdriveUrdf from '../robots/own/diffdrive/diffdrive.urdf?raw'
import humanoidUrdf from '../robots/own/humanoid/humanoid.urdf?raw'
import { RobotFiles } from './robotFiles.ts'

/** A robot with all that the page needs to show it: the file's elements, macros expanded, and what they may refer to. */
export interface LoadedRobot {
  readonly robot: Robot
  readonly root: XmlElement
  readonly files: RobotFiles
}

const own = { diffdrive: diffdriveUrdf, humanoid: humanoidUrdf }
export type OwnRobotName = keyof typeof own
export const ownRobotNames = Object.keys(own) as OwnRobotName[]
export const isOwnRobot = (name: string): name is OwnRobotName => Object.hasOwn(own, name)

export function loadOwnRobot(name: OwnRobotName): LoadedRobot {
  return load(own[name], { file: `${name}.urdf` }, new RobotFiles())
}

/** @throws RobotError that holds every error of the file */
export function loadRobotFile(files: RobotFiles, file: string): LoadedRobot {
  return load(files.text(file), { file, resolver: files.resolver }, files)
}

function load(text: string, options: LoadOptions, files: RobotFiles): LoadedRobot {
  const { robot, examined } = loadExamined(text, options)
  return { robot, root: examined.root, files }
}
