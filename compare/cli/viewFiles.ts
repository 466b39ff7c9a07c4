/** Files for the page of `featherbed view FILE`: what its run reads, and nothing else. */
import { statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { controllerFiles } from '../../control/files.ts'
import {
  type FilesRead,
  filesOf,
  isOwnRobot,
  loadRobotFile,
  openRobotFile,
  type RobotFileOptions,
  readRegularFile,
} from '../../robots/files.ts'
import {
  type ExaminedRobot,
  examineRobot,
  type Resolver,
  type Robot,
  readMesh,
  resolveReference,
  shownShapes,
} from '../../robots/index.ts'
import { commonFolder, partsOf as partsOfScenario } from '../judge/bundle.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import type { SharedFiles } from '../scenario/sharedRun.ts'
import {
  mapPaths,
  prepareWorld,
  type RobotCache,
  resolvePaths,
  scriptsOf,
  strangers,
  subjectsOf,
} from '../scenario/world/files.ts'
import { readLog } from '../scenario/world/logFile.ts'
import { UsageError } from './errors.ts'
import { borderOf, isScenarioFile, readScenarioFile } from './scenarioArguments.ts'

/** A file that the page opens, among those that it names. */
export interface FilesForPage {
  readonly file: string
  readonly files: SharedFiles
}

export interface ViewOptions {
  /** Folders in which a scenario may name files beside its own. */
  readonly allow?: readonly string[]
  /** Whether the file is the user's own. Default: someone else's, whose files lie below its folder. */
  readonly trust?: boolean
}

/** A page may hold more, a browser's memory does not like it [B]. */
const MOST_BYTES = 5e8

/** @throws UsageError, RobotError, ScenarioError, ControllerError */
export async function filesForPage(target: string, options: ViewOptions = {}): Promise<FilesForPage> {
  if (isOwnRobot(target)) return { file: target, files: new Map() }
  const path = resolve(target)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`view ${target}: there is no such file; name a robot, a scenario, a recording or a report`)
  const paths = new Set([path])
  if (isScenarioFile(path)) await addScenario(path, paths, options)
  else if (/\.(urdf|xacro|xml|mjcf|sdf|world)$/i.test(path)) addRobot(loadRobotFile(path), paths)
  else if (/\.mcap$/i.test(path)) await checkRecording(target, path)
  else
    throw new UsageError(
      `view ${target}: the page opens robots (.urdf, .xacro, .xml, .sdf), scenarios (.yaml), recordings (.mcap) and reports (.html)`,
    )
  const total = [...paths].reduce((sum, one) => sum + statSync(one).size, 0)
  if (total > MOST_BYTES)
    throw new UsageError(`view ${target}: the files that it names have ${(total / 1e9).toFixed(1)} GB, more than a page holds`)
  const above = commonFolder([...paths])
  const nameOf = (one: string) => relative(above, one).split(sep).join('/')
  return { file: nameOf(path), files: new Map([...paths].map((one) => [nameOf(one), readRegularFile(one, MOST_BYTES)])) }
}

/** The page's own look at a recording, before it goes there. @throws UsageError */
async function checkRecording(target: string, path: string): Promise<void> {
  const { readMcap, runIn } = await import('../scenario/logs/index.ts')
  try {
    runIn(
      target,
      readMcap(target, readRegularFile(path, MOST_BYTES), () => false),
    )
  } catch (error) {
    throw new UsageError(`view ${(error as Error).message}`)
  }
}

/** What the page runs of a scenario: its first robot and no variants. All of it is read as the run reads it before any of it is handed on. */
async function addScenario(path: string, paths: Set<string>, { trust, ...flags }: ViewOptions): Promise<void> {
  const read = { ...resolvePaths(await parseScenario(readScenarioFile(path), path), path), variants: [] }
  const named: Scenario = { ...read, robots: read.robots.slice(0, 1) }
  const scenario = trust ? named : strangers(named, borderOf(path, flags))
  const { border } = scenario
  const robots: RobotCache = new Map()
  await prepareWorld(scenario, subjectsOf(scenario)[0], robots)
  for (const [key, loading] of robots) {
    const [, xacroArgs, source, roots] = JSON.parse(key) as [unknown, Scenario['xacro'], string, string[]]
    if (!isOwnRobot(source)) addRobot(await loading, paths, { xacroArgs, roots, within: border })
  }
  const scripts = new Set(scriptsOf(scenario).map(({ file }) => file))
  const parts = partsOfScenario(scenario)
  const files = new Set<string>()
  const add = (file: string) => {
    files.add(file)
    return file
  }
  mapPaths(scenario, { robot: (source) => source, file: add, folder: (folder) => folder })
  for (const file of files) {
    if (!scripts.has(file) && !parts.includes(file)) await readLog(file) // a table of waypoints
    const own = scripts.has(file) ? (await controllerFiles(file, border)).files.keys() : [file]
    for (const one of own) paths.add(one)
  }
}

/** The files that a robot was read from, and those of its looks, which the page alone reads. */
function addRobot(robot: Robot, paths: Set<string>, how: RobotFileOptions = {}): void {
  const { file, files } = filesOf(robot) as FilesRead
  for (const one of files) paths.add(one)
  const read = new Set<string>()
  const { text, options } = openRobotFile(file, { ...how, onRead: (one) => read.add(one) })
  const { resolver } = options as { resolver: Resolver }
  const add = (reference: string, from: readonly string[]): void => {
    read.clear()
    const found = from.map((one) => resolveReference(reference, one, resolver)?.path).find((one) => one !== undefined)
    const bytes = found === undefined || paths.has(found) ? undefined : resolver.read(found)
    if (found === undefined || bytes === undefined || !isLook(found, bytes)) return
    for (const one of read) paths.add(one)
    for (const part of partsOf(found, bytes)) add(part, [found])
  }
  for (const [reference, ...from] of looksOf(examineRobot(text, options))) add(reference, from)
}

/** References to visual meshes and textures, each with the files that it may start from. */
function looksOf({ root, repaired }: ExaminedRobot): string[][] {
  const shapes = repaired.links.flatMap(shownShapes)
  return shapes.flatMap(({ geometry, place, material }) => [
    ...(geometry.type === 'mesh' ? [[geometry.filename, root.file, place.file]] : []),
    ...(material?.texture === undefined ? [] : [[material.texture, root.file, material.place.file]]),
  ])
}

/** How files of looks begin, or what stands in their beginning, by the ends of their names. */
const beginnings: Readonly<Record<string, RegExp>> = {
  ...{ obj: /^\s*v\s+[-+.\d]/m, dae: /<COLLADA\b/, gltf: /"asset"\s*:/, glb: /^glTF/, bin: /^/ },
  ...{ png: /^\x89PNG/, jpg: /^\xff\xd8\xff/, jpeg: /^\xff\xd8\xff/, bmp: /^BM/, tga: /^..[^ -~]/s },
  ...{ tif: /^(II|MM)/, tiff: /^(II|MM)/ },
}

const latin = (bytes: Uint8Array, length = 1e5) => Buffer.from(bytes.subarray(0, length)).toString('latin1')

/** Whether a file is of the kind that its name says. */
function isLook(path: string, bytes: Uint8Array): boolean {
  const ending = path.replace(/^.*\./, '').toLowerCase()
  if (Object.hasOwn(beginnings, ending)) return beginnings[ending].test(latin(bytes))
  try {
    return readMesh(bytes, path).points.length > 0
  } catch {
    return false
  }
}

/** References of a visual mesh to its parts and textures. */
function partsOf(path: string, bytes: Uint8Array): string[] {
  if (/\.dae$/i.test(path))
    return [...latin(bytes, bytes.length).matchAll(/<init_from>\s*([^<>]+?)\s*<\/init_from>/g)].map(([, name]) => name)
  if (!/\.gl(tf|b)$/i.test(path)) return []
  // the first chunk of a binary file is the text that the other kind consists of
  const text = /\.glb$/i.test(path) ? bytes.subarray(20, 20 + Buffer.from(bytes).readUInt32LE(12)) : bytes
  return [...latin(text, text.length).matchAll(/"uri"\s*:\s*"((?!data:)[^"\\]+)"/g)].map(([, name]) => name)
}
