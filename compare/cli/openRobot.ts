import {
  type ConvexCutter,
  isOwnRobot,
  OWN_ROBOTS,
  openRobotFile,
  ownRobotPath,
  type RobotFileOptions,
  rapierCutter,
} from '../../robots/files.ts'
import {
  type Diagnostic,
  describeRobot,
  type ExaminedRobot,
  formatDiagnostic,
  isXacro,
  loadExamined,
  memoryResolver,
  parseXml,
  type Resolver,
  type Robot,
} from '../../robots/index.ts'
import { UsageError } from './errors.ts'
import { baseFlags, type FlagsOf, rootFlag } from './verb.ts'
import { splitArguments } from './words.ts'

/** Flags of verbs that read a robot. */
export const robotFlags = {
  ...rootFlag,
  ...baseFlags,
  '--srdf <file>': 'its SRDF: pairs that do not collide, named poses, joint of its base to the world',
  '--strict': 'refuse a robot that cannot be loaded without changes',
} as const

/** How a robot is read. */
export type RobotFlags = FlagsOf<typeof robotFlags> & {
  readonly pose?: string
  readonly key?: string
  readonly fit?: boolean
  readonly concave?: boolean
  readonly cut?: boolean
}

interface OpenOptions extends RobotFlags {
  /** Cuts concave meshes. */
  readonly cutter?: ConvexCutter
}

export interface OpenedRobot {
  readonly robot: Robot
  readonly examined: ExaminedRobot
  /** Absolute path of the file. */
  readonly file: string
  readonly resolver: Resolver
}

/** Base kind in the flags. @throws UsageError if they state both */
export function baseOption({ floating, fixed }: RobotFlags): 'floating' | 'fixed' | undefined {
  if (floating && fixed) throw new UsageError('--floating and --fixed exclude each other')
  return floating ? 'floating' : fixed ? 'fixed' : undefined
}

/** Cutter of `--cut`. @throws UsageError if its package is not installed */
export async function cutterOf({ cut, concave }: RobotFlags): Promise<ConvexCutter | undefined> {
  if (!cut) return undefined
  if (concave) throw new UsageError('--concave and --cut exclude each other: one keeps a mesh, the other cuts it')
  return rapierCutter().catch((error: Error) => {
    throw new UsageError(`--cut: ${error.message}`)
  })
}

/**
 * Reads a robot by path, or by name if it is one of our own, with all that was found on the way.
 *
 * @param xacroArguments words `name:=value`
 * @throws UsageError or RobotError
 */
export function openRobot(source: string, xacroArguments: readonly string[], flags: OpenOptions): OpenedRobot {
  const { targets, xacro } = splitArguments(xacroArguments)
  if (targets.length > 0) {
    throw new UsageError(`found "${targets[0]}" after ${source}; expected one robot, and name:=value for its xacro arguments`)
  }
  const { srdf, key, pose = key, strict, root: roots, fit, concave, cutter } = flags
  if (pose !== undefined && srdf === undefined && !/\.(xml|mjcf)$/i.test(source)) {
    throw new UsageError(`--pose ${pose}: named poses stand in an SRDF file; name it with --srdf`)
  }
  if (source === '')
    throw new UsageError(
      `no robot is named; give the path of a URDF, xacro, MJCF or SDF file, or one of ${OWN_ROBOTS.join(', ')}`,
    )
  const options: RobotFileOptions = {
    base: baseOption(flags),
    srdf,
    pose,
    strict,
    roots,
    fit,
    concave,
    cut: cutter,
    xacroArgs: xacro,
  }
  const opened = openRobotFile(isOwnRobot(source) ? ownRobotPath(source) : source, options)
  const [given] = xacroArguments
  if (given !== undefined && !isXacro(parseXml(opened.text, opened.options.file))) throw notXacro(given, [source])
  const { robot, examined } = loadExamined(opened.text, opened.options)
  const [unread] = unreadArguments(examined.findings)
  if (unread) throw new UsageError(formatDiagnostic(unread))
  return { robot, examined, file: opened.options.file, resolver: opened.options.resolver ?? memoryResolver(new Map()) }
}

/**
 * Reads the files of robots, without their meshes, so that mistakes in them or in arguments of xacro are reported
 * before anything runs.
 *
 * @throws RobotError with every error of a file, or UsageError if none of the files reads an argument
 */
export function checkRobots(
  sources: readonly string[],
  xacroArgs: Readonly<Record<string, string>>,
  roots: readonly string[],
): void {
  const hasArguments = Object.keys(xacroArgs).length > 0
  const unread = sources.map((source) => {
    if (isOwnRobot(source) && !hasArguments) return undefined // it came with the program
    const { text, options } = openRobotFile(isOwnRobot(source) ? ownRobotPath(source) : source, { xacroArgs, roots })
    const { diagnostics } = describeRobot(text, options)
    return isXacro(parseXml(text, options.file)) ? unreadArguments(diagnostics) : undefined
  })
  for (const [name, value] of Object.entries(xacroArgs)) {
    const word = `${name}:=${value}`
    const findings = unread.map((robot) => robot?.find(({ element }) => element === word))
    if (unread.some((robot, i) => robot !== undefined && findings[i] === undefined)) continue // that robot reads it
    const finding = findings.find((one) => one !== undefined)
    throw finding ? new UsageError(formatDiagnostic(finding)) : notXacro(word, sources)
  }
}

/** Findings of arguments that no file declares; their element is the word `name:=value`. */
function unreadArguments(findings: readonly Diagnostic[]): Diagnostic[] {
  return findings.filter(({ code, severity }) => code === 'xacro-argument' && severity === 'warning')
}

function notXacro(word: string, sources: readonly string[]): UsageError {
  const none = sources.length === 1 ? `${sources[0]} is no xacro` : `none of ${sources.join(', ')} is xacro`
  return new UsageError(`found ${word}, but ${none}, so that nothing reads it; leave it out`)
}
