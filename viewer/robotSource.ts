import { compileRobot, describeUrdf, expandXacro, isXacro, parseXml, type Robot, type XmlElement } from '../robots/index.ts'
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
  const file = `${name}.urdf`
  const root = parseXml(own[name], file)
  return { robot: compileRobot(describeUrdf(root, file)), root, files: new RobotFiles() }
}

/** Rejects with a RobotError that holds every error of the file. */
export async function loadRobotFile(files: RobotFiles, file: string): Promise<LoadedRobot> {
  const { resolver } = files
  const text = files.text(file)
  const parsed = parseXml(text, file)
  const { root, diagnostics } = isXacro(parsed) ? await expandXacro(text, { file, resolver }) : { root: parsed, diagnostics: [] }
  return { robot: compileRobot(describeUrdf(root, file, {}, diagnostics), { resolver }), root, files }
}
