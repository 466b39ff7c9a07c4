import * as is from '../dynamics/math/arguments.ts'
import { type CompileOptions, compileRobot } from './compile/compile.ts'
import { MeshStore } from './compile/meshStore.ts'
import type { RobotDescription, SemanticDescription } from './description.ts'
import { Findings, RobotError, robotError, strictly } from './diagnostics.ts'
import { type DoctorOptions, type Examination, examine } from './doctor/index.ts'
import { quote } from './elements/index.ts'
import { fileName, folderOf, join, normalizePath } from './files/resolve.ts'
import type { MeshOptions } from './meshes/index.ts'
import { describeMjcf } from './mjcf/index.ts'
import type { Diagnostic, Robot } from './robot.ts'
import { describeSdf } from './sdf/index.ts'
import { describeSrdf } from './srdf.ts'
import { type DescribeOptions, describeUrdf } from './urdf/index.ts'
import { expandXacro, isXacro, refuseOldXacro, withoutStrayCalls, type XacroOptions } from './xacro/index.ts'
import { parseXml, type XmlElement } from './xml.ts'

/** A text with the path that messages give as its own. */
export interface TextFile {
  readonly text: string
  readonly file: string
}

export interface LoadOptions
  extends Omit<CompileOptions, 'meshes' | 'semantic' | 'declared'>,
    DescribeOptions,
    DoctorOptions,
    Omit<XacroOptions, 'file' | 'resolver'> {
  /** The file's path for the resolver; it also appears in messages. */
  readonly file: string
  /** The robot's SRDF file: pairs that do not collide, named poses, joint between base and world. */
  readonly srdf?: TextFile
  /** Turns every repair into an error; see `examine`. */
  readonly strict?: boolean
  /** Treatment of the vertical axis that a COLLADA mesh states. Default: it is ignored, as ROS tools do. */
  readonly upAxis?: MeshOptions['upAxis']
}

const textFile = is.fields<TextFile>({ text: is.text, file: is.text }, {})
const variable = is.either(is.text, is.oneOf(undefined))
/** Of all but the files. */
export const loadFields = {
  ...{ strict: is.flag, upAxis: is.oneOf('ignore', 'apply') },
  ...{ base: is.oneOf('auto', 'floating', 'fixed'), ground: is.flag, pose: is.text, bodies: is.made('bodies') },
  ...{ maxLinks: is.whole(1), maxElements: is.whole(1), density: is.positive(' [kg/m³]'), fit: is.flag, cut: is.callback },
  ...{ concave: is.either(is.flag, is.positive()), xacroArgs: is.byName(is.text), environment: is.byName(variable) },
}
const resolver = is.made('a resolver', 'read', 'exists')
const loadKind = is.fields<LoadOptions>({ file: is.text }, { ...loadFields, resolver, srdf: textFile })

/** @throws RangeError for options that are none */
function checkLoad(call: string, source: string, options: LoadOptions): void {
  is.check(source, is.text, `${call}: text`)
  is.check(options, loadKind, `${call}: `)
}

/** A robot file, read and repaired, but not yet compiled. */
export interface ExaminedRobot {
  /** The file's elements, with its macros expanded. */
  readonly root: XmlElement
  /** The file's content before repairs. */
  readonly description: RobotDescription
  /** The same with the doctor's repairs (`examine`). */
  readonly repaired: RobotDescription
  readonly semantic?: SemanticDescription
  /** All findings; those with `repaired` are the changes. */
  readonly findings: readonly Diagnostic[]
}

/** Reads a URDF, xacro, MJCF or SDF file, without repairs. @throws RobotError with every error of the file */
export function describeRobot(text: string, options: LoadOptions): RobotDescription {
  checkLoad('describeRobot', text, options)
  return describe(text, options).description
}

/**
 * Reads a URDF, xacro, MJCF or SDF file, checks and repairs it.
 *
 * @throws RobotError with every error of the file; where `strict` is set, every repair is one
 */
export function examineRobot(text: string, options: LoadOptions): ExaminedRobot {
  checkLoad('examineRobot', text, options)
  return examineWith(text, options, new MeshStore(options.file, options.resolver, options.upAxis)).examined
}

/**
 * Loads a robot from the text of a URDF, xacro, MJCF or SDF file.
 *
 * @throws RobotError with every error of the file; where `strict` is set, every repair is one
 */
export function loadRobot(text: string, options: LoadOptions): Robot {
  return loadExamined(text, options).robot
}

/** The same, with the descriptions before and after repairs. @throws RobotError */
export function loadExamined(text: string, options: LoadOptions): { readonly robot: Robot; readonly examined: ExaminedRobot } {
  checkLoad('loadRobot', text, options)
  const meshes = new MeshStore(options.file, options.resolver, options.upAxis)
  const { examined, bodies } = examineWith(text, options, meshes)
  const { description: declared, repaired, semantic } = examined
  return { robot: compileRobot(repaired, { ...options, meshes, semantic, declared, bodies }), examined }
}

/** Most collision shapes; contact detection of more would not end. */
const mostShapes = 20_000

function checkShapes({ links, place }: RobotDescription): void {
  const count = links.reduce((sum, { collisions }) => sum + collisions.length, 0)
  if (count <= mostShapes) return
  const message = `${count} collision shapes; at most ${mostShapes} are loaded.`
  throw robotError('too-many-shapes', place, '', message, 'Use fewer and larger ones.')
}

/** Tells of an SRDF in the robot's package that has its name and was not given. */
function srdfBeside({ name, file, place }: RobotDescription, { resolver }: LoadOptions): readonly Diagnostic[] {
  if (!resolver || !/\.(urdf|xacro)$/i.test(file)) return []
  const findings = new Findings()
  const stem = fileName(file).replace(/(\.urdf)?(\.xacro)?$/i, '')
  const names = [...new Set([name, stem])].filter((one) => one !== '' && !one.includes('/'))
  const folders = ['', 'srdf/', '../srdf/', '../config/', '../']
  const reference = names.flatMap((one) => folders.map((folder) => `${folder}${one}.srdf`))
  const found = reference.map((path) => normalizePath(join(folderOf(file), path))).find((path) => resolver.exists(path))
  if (found !== undefined) {
    const message = `its SRDF, "${found}", was not given.`
    const remedy = 'Its pairs that do not collide and its poses do not count; name it with --srdf.'
    findings.info('srdf-beside', place, `<robot name=${quote(name)}>`, message, remedy)
  }
  return findings.list
}

function examineWith(
  text: string,
  options: LoadOptions,
  meshes: MeshStore,
): { readonly examined: ExaminedRobot; readonly bodies: Examination['bodies'] } {
  const { strict = false, srdf } = options
  try {
    const { root, description, semantic: own } = describe(text, options)
    checkShapes(description)
    const semantic = srdf ? describeSrdf(parseXml(srdf.text, srdf.file), srdf.file, description) : own
    const beside = semantic ? [] : srdfBeside(description, options)
    const known = { ...description, diagnostics: [...description.diagnostics, ...beside, ...(semantic?.diagnostics ?? [])] }
    const { description: repaired, bodies } = examine(known, { meshes, semantic, options })
    const findings = repaired.diagnostics
    if (strict && findings.some((finding) => finding.repaired)) throw new RobotError(findings)
    return { examined: { root, description, repaired, semantic, findings }, bodies }
  } catch (error) {
    if (strict && error instanceof RobotError) throw new RobotError(strictly(error.diagnostics))
    throw error
  }
}

function describe(
  text: string,
  options: LoadOptions,
): { root: XmlElement; description: RobotDescription; semantic?: SemanticDescription } {
  const parsed = parseXml(text, options.file)
  if (parsed.name === 'sdf') return { root: parsed, description: describeSdf(parsed, options.file, options.resolver, options) }
  if (parsed.name === 'mujoco') return describeMjcf(parsed, options.file, options.resolver, options)
  refuseOldXacro(parsed)
  const { root, diagnostics } = isXacro(parsed) ? expandXacro(parsed, options) : withoutStrayCalls(parsed)
  return { root, description: describeUrdf(root, options.file, options, diagnostics) }
}
