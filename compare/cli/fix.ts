import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type Diagnostic, formatDiagnostic, type Place, resolveReference, writeUrdf } from '../../robots/index.ts'
import { UsageError } from './errors.ts'
import { type OpenedRobot, openRobot, type RobotFlags } from './openRobot.ts'
import { writeAs } from './output.ts'
import { version } from './version.ts'

/** Report fields of `--fix`. */
export interface Fixed {
  /** Differences between the file that was read and the one that was written. */
  readonly fixes: readonly Diagnostic[]
  /** Where the repaired file is; null if nothing needed fixing and none was written. */
  readonly fixed: string | null
  /** Changes left when the written file is read again: none, or the fix is at fault. */
  readonly left: readonly Diagnostic[]
  /** How many of its collision meshes cannot be had from where it is. */
  readonly outOfReach: number
}

/** Writes the repaired robot as URDF, and reads it again to see that it needs no more repairs. @throws UsageError */
export async function fix(opened: OpenedRobot, out: string, flags: RobotFlags): Promise<Fixed> {
  const { robot, examined, file } = opened
  const { repaired, root } = examined
  const target = targetOf(out, [file, ...new Set(elementFiles(examined.repaired.links, examined.repaired.joints))])
  const fixes = robot.diagnostics.filter((finding) => finding.repaired)
  if (fixes.length === 0) return { fixes, fixed: null, left: [], outOfReach: 0 }
  if (repaired.worldUndeclared) fixes.push(declaredWorld(repaired.place))
  const header = [
    `Repaired by featherbed ${version} from ${basename(file)}:`,
    ...fixes.map((finding) => `- ${formatDiagnostic({ ...finding, file: relative(dirname(file), finding.file) })}`),
  ]
  const text = writeUrdf(repaired, {
    header,
    source: root.name === 'robot' ? root : undefined,
    declareWorld: true,
    meshReference: (reference, place) => referenceFrom(target, reference, place, opened),
  })
  writeAs(out, text, '--fix')
  const { srdf, floating, fixed } = flags
  const changesOf = (roots?: readonly string[]) =>
    openRobot(target, [], { srdf, floating, fixed, root: roots }).robot.diagnostics.filter((finding) => finding.repaired)
  const left = changesOf([...opened.resolver.roots, dirname(target)])
  const missing = (findings: readonly Diagnostic[]) => findings.filter(({ code }) => code === 'mesh-missing').length
  return { fixes, fixed: target, left, outOfReach: missing(changesOf()) - missing(left) }
}

/** The path to write, unless that is where the robot comes from. */
function targetOf(out: string, sources: readonly string[]): string {
  if (!/\.urdf$/i.test(out)) throw new UsageError(`--fix ${out}: expected a name that ends in .urdf`)
  const target = resolve(out)
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path)
  if (sources.some((source) => real(source) === real(target))) {
    throw new UsageError(`--fix ${out}: that is a file the robot is read from, which is not overwritten; name another`)
  }
  return target
}

function elementFiles(...lists: readonly (readonly { readonly place: Place }[])[]): string[] {
  return lists.flatMap((list) => list.map(({ place }) => place.file))
}

function declaredWorld({ file, line }: Place): Diagnostic {
  return {
    severity: 'info',
    code: 'world-undeclared',
    element: '<robot>',
    file,
    line,
    message: 'joints name a link "world" that is not declared.',
    remedy: '<link name="world"/> is declared, which other programs ask for.',
  }
}

/** Reference from the written file to a mesh: packages stay packages, paths become paths from there. */
export function referenceFrom(target: string, reference: string, place: Place, { file, resolver }: OpenedRobot): string {
  if (/^[a-z]+:\/\//i.test(reference) && !/^file:/i.test(reference)) return reference // packages, and what is on the net
  const found = resolveReference(reference, file, resolver) ?? resolveReference(reference, place.file, resolver)
  const unfound = /^file:/i.test(reference) || isAbsolute(reference) ? undefined : join(dirname(place.file), reference)
  const path = found?.path ?? unfound
  return path === undefined ? reference : relative(dirname(target), path).replaceAll(sep, '/')
}
