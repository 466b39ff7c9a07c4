import { type CompileOptions, compileRobot } from './compile.ts'
import type { RobotDescription } from './description.ts'
import { robotError } from './diagnostics.ts'
import type { Robot } from './robot.ts'
import { type DescribeOptions, describeUrdf } from './urdf.ts'
import { expandXacro, isXacro, type XacroOptions } from './xacro.ts'
import { parseXml } from './xml.ts'

export interface LoadOptions extends CompileOptions, DescribeOptions {
  /** The file's path as the resolver knows it; it also stands in messages. */
  readonly file: string
}

/** What a URDF file says. @throws RobotError */
export function describeRobot(text: string, options: LoadOptions): RobotDescription {
  const root = parseXml(text, options.file)
  const expression = isXacro(root)
  if (expression) {
    throw robotError(
      'xacro',
      expression,
      `<${expression.name}>`,
      'this is xacro, which has to be expanded before it is URDF.',
      'Load it with loadRobotOrXacro or loadRobotFile, which wait for the expansion.',
    )
  }
  return describeUrdf(root, options.file, options)
}

/**
 * Loads a robot from the text of a URDF file.
 *
 * @throws RobotError with every error of the file; also for xacro, whose expansion has to be awaited
 */
export function loadRobot(text: string, options: LoadOptions): Robot {
  return compileRobot(describeRobot(text, options), options)
}

/** Loads a robot from the text of a URDF or xacro file. Rejects with a RobotError. */
export async function loadRobotOrXacro(text: string, options: LoadOptions & XacroOptions): Promise<Robot> {
  const root = parseXml(text, options.file)
  const expanded = isXacro(root) ? await expandXacro(text, options) : { root, diagnostics: [] }
  return compileRobot(describeUrdf(expanded.root, options.file, options, expanded.diagnostics), options)
}
