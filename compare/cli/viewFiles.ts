/** Files for the page of `featherbed view FILE`. */
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { controllerFiles } from '../../control/files.ts'
import { filesOf, isOwnRobot, loadRobotFile } from '../../robots/files.ts'
import { commonFolder } from '../judge/bundle.ts'
import { parseScenario } from '../scenario/index.ts'
import type { SharedFiles } from '../scenario/sharedRun.ts'
import { mapPaths } from '../scenario/world/assemble.ts'
import { resolvePaths, scriptsOf } from '../scenario/world/files.ts'
import { UsageError } from './errors.ts'
import { isScenarioFile, readScenarioFile } from './scenarioArguments.ts'

/** A file that the page opens, among those that it names. */
export interface FilesForPage {
  readonly file: string
  readonly files: SharedFiles
}

/** A page may hold more, a browser's memory does not like it [B]. */
const MOST_BYTES = 5e8
/** Formats of robots and their visuals. */
const parts = /\.(urdf|xacro|srdf|xml|mjcf|sdf|ya?ml|stl|obj|mtl|dae|ply|gltf|glb|bin|png|jpe?g|tiff?|bmp|tga)$/i

/** @throws UsageError, RobotError, ScenarioError */
export async function filesForPage(target: string): Promise<FilesForPage> {
  if (isOwnRobot(target)) return { file: target, files: new Map() }
  const path = resolve(target)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`view ${target}: there is no such file; name a robot, a scenario, a recording or a report`)
  const paths = new Set([path])
  if (isScenarioFile(path)) await addScenario(path, paths)
  else if (/\.(urdf|xacro|xml|mjcf|sdf|world)$/i.test(path)) addRobot(path, paths)
  else if (!/\.mcap$/i.test(path))
    throw new UsageError(
      `view ${target}: the page opens robots (.urdf, .xacro, .xml, .sdf), scenarios (.yaml), recordings (.mcap) and reports (.html)`,
    )
  const total = [...paths].reduce((sum, one) => sum + statSync(one).size, 0)
  if (total > MOST_BYTES)
    throw new UsageError(
      `view ${target}: what it names has ${(total / 1e9).toFixed(1)} GB, more than a page holds; move the robot into a folder of its own`,
    )
  const above = commonFolder([...paths])
  const nameOf = (one: string) => relative(above, one).split(sep).join('/')
  return { file: nameOf(path), files: new Map([...paths].map((one) => [nameOf(one), new Uint8Array(readFileSync(one))])) }
}

async function addScenario(path: string, paths: Set<string>): Promise<void> {
  const scenario = resolvePaths(await parseScenario(readScenarioFile(path), path), path)
  const robots = new Set<string>()
  const files = new Set<string>()
  mapPaths(scenario, {
    robot: (source) => {
      robots.add(source)
      return source
    },
    file: (file) => {
      files.add(file)
      return file
    },
    folder: (folder) => folder,
  })
  const scripts = new Set(scriptsOf(scenario).map(({ file }) => file))
  for (const file of files)
    for (const own of scripts.has(file) ? (await controllerFiles(file)).files.keys() : [file]) paths.add(own)
  for (const robot of robots) if (!isOwnRobot(robot)) addRobot(robot, paths)
}

/** A robot's own files and those of its package: visuals are read by the page alone. */
function addRobot(path: string, paths: Set<string>): void {
  const read = filesOf(loadRobotFile(path))
  if (read === undefined) return
  for (const file of read.files) paths.add(file)
  const [above] = read.roots
  const [first] = relative(above, read.file).split(sep)
  const folder = first === undefined || first === '..' ? dirname(read.file) : join(above, first)
  for (const file of filesIn(statSync(folder).isDirectory() ? folder : dirname(read.file))) paths.add(file)
}

/** Links are not followed. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const isLeftOut = !parts.test(entry.name) || /[\\/](node_modules|\.git)[\\/]/.test(path)
    return isLeftOut || !lstatSync(path).isFile() ? [] : [path]
  })
}
