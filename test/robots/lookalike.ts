import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadRobotFile, type RobotFileOptions } from '../../robots/files.ts'
import { type Diagnostic, loadRobot, type Robot, RobotError } from '../../robots/index.ts'

export { refusal as errorOf } from './reading.ts'

/** The path of a file of the package `lookalike`. */
export function lookalikePath(name: string): string {
  return fileURLToPath(new URL(`./files/lookalike/${name}`, import.meta.url))
}

export async function lookalike(name: string, options?: RobotFileOptions): Promise<Robot> {
  return loadRobotFile(lookalikePath(name), options)
}

export function lookalikeText(name: string): string {
  return readFileSync(lookalikePath(name), 'utf8')
}

/** Findings as `code:line`, in the order in which they were made. */
export function codes(diagnostics: readonly Diagnostic[], severity?: Diagnostic['severity']): string[] {
  return diagnostics.filter((d) => severity === undefined || d.severity === severity).map(({ code, line }) => `${code}:${line}`)
}

/** Loads a robot from elements written in a test; the first one stands on line 1. */
export function robotOf(elements: string, options: Partial<Parameters<typeof loadRobot>[1]> = {}): Robot {
  return loadRobot(`<robot name="test">${elements}</robot>`, { file: 'test.urdf', ...options })
}

export async function rejectionOf(loading: Promise<unknown>): Promise<RobotError> {
  const outcome = await loading.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (outcome instanceof RobotError) return outcome
  throw outcome ?? new Error('expected a RobotError, but it loaded')
}

export const inertial = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.11" izz="0.12"/></inertial>'
