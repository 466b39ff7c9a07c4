/**
 * Archive that repeats a comparison without its files: its scenarios, every file that reading its robots and controllers touched,
 * and how each run ended. As text that a report and results.json hold: base64 of a small archive under gzip, whose checksum says when it was changed.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib'
import { controllerFiles } from '../../control/files.ts'
import { filesOf, isOwnRobot } from '../../robots/files.ts'
import { checkSent, mostUnpacked, type Scenario } from '../scenario/index.ts'
import { everyScenario, isOutside as isOutsideModel, mapPaths, type RobotCache, scriptsOf } from '../scenario/world/files.ts'
import type { Results, RunResult } from './compare.ts'

/** Version of a bundle's content. */
const BUNDLE_VERSION = 1

/** How one run ended, and which it was. */
export type EndOfRun = Pick<RunResult, 'robot' | 'model' | 'dt' | 'seed' | 'hash'>

export type Bundle = Readonly<Awaited<ReturnType<typeof bundleOf>>>

/** Thrown for a text that is no bundle; the message has the reason. */
export class BundleError extends Error {
  override readonly name = 'BundleError'
}

/** The JSON header of the packed bundle; the bytes of the files follow it. */
interface Head extends Omit<Bundle, 'files'> {
  readonly version: number
  readonly files: readonly { readonly name: string; readonly size: number }[]
}

/** Input files of scenarios, by their names in an archive, and these names by the words of the scenarios. */
export interface InputFiles {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly missing: readonly string[]
  readonly inside: Parameters<typeof mapPaths>[1]
}

/**
 * Collects input files of these scenarios.
 *
 * @param robots those that were read for the runs
 */
export async function inputFilesOf(scenarios: readonly Scenario[], robots: RobotCache): Promise<InputFiles> {
  const files = new Map<string, Uint8Array>()
  const missing: string[] = []
  /** Names in the bundle, by the words of the scenarios. */
  const robotNames = new Map<string, string>()
  const fileNames = new Map<string, string>()
  /** Folders in the bundle, by the folder on the disk. */
  const roots = new Map<string, string>()

  for (const [key, loading] of robots) {
    const [, , source] = JSON.parse(key) as [unknown, unknown, string]
    const read = isOwnRobot(source) ? undefined : filesOf(await loading)
    if (read === undefined) continue
    for (const root of read.roots) if (!roots.has(root)) roots.set(root, `robots/${roots.size}`)
    const nameOf = (file: string) => {
      const root = read.roots.find((folder) => !isOutside(folder, file))
      return root === undefined ? undefined : `${roots.get(root)}/${slashes(relative(root, file))}`
    }
    for (const file of read.files) {
      const name = nameOf(file)
      if (name === undefined) missing.push(basename(file))
      else files.set(name, await readFile(file))
    }
    robotNames.set(source, nameOf(read.file) ?? source)
  }
  for (const path of new Set(scenarios.flatMap(scriptsOf).map((script) => script.file))) {
    const { entry, files: own } = await controllerFiles(path, borderOf(path, scenarios))
    const folder = commonFolder([...own.keys()])
    const nameOf = (file: string) => `controllers/${fileNames.size}/${slashes(relative(folder, file))}`
    for (const [file, bytes] of own) files.set(nameOf(file), bytes)
    fileNames.set(path, nameOf(entry))
  }
  for (const path of new Set(scenarios.flatMap(partsOf))) {
    const name = `parts/${fileNames.size}/${basename(path)}`
    files.set(name, await readFile(path))
    fileNames.set(path, name)
  }
  const inside = {
    robot: (source: string) => robotNames.get(source) ?? source,
    file: (path: string) => fileNames.get(path) ?? path,
    folder: (path: string) => roots.get(slashes(resolve(path))) ?? path,
  }
  return { files, missing, inside }
}

/**
 * The archive of a comparison.
 *
 * @param robots  those that were read for the runs
 * @param sources other files to keep for people to read, such as scenario files
 */
export async function bundleOf(
  scenarios: readonly Scenario[],
  comparisons: readonly Results[],
  robots: RobotCache,
  { sources, command, featherbed }: { sources: readonly string[]; command: string; featherbed: string },
) {
  const { files: inputs, missing, inside } = await inputFilesOf(scenarios, robots)
  const files = new Map(inputs)
  for (const [i, path] of sources.entries()) files.set(`scenarios/${i}/${basename(path)}`, await readFile(path))
  return {
    /** With paths inside the bundle in place of those of this machine. */
    scenarios: scenarios.map((scenario) => mapPaths(withoutMachine(scenario), inside)),
    /** Of each comparison, in the order of its runs. */
    ends: comparisons.map(({ runs }) => runs.map(({ robot, model, dt, seed, hash }) => ({ robot, model, dt, seed, hash }))),
    command,
    featherbed,
    /** By name, with `/` between folders. */
    files,
    /** Files that were read and could not be put in, since they lie outside of the robot's folders. */
    missing,
  }
}

/** Without what holds on this machine alone: its border, and the program that another engine runs in. */
const withoutMachine = (scenario: Scenario): Scenario => ({
  ...scenario,
  border: undefined,
  models: scenario.models.map((model) => (isOutsideModel(model.name) ? { ...model, options: {} } : model)),
})

/** The folders in which a script's files have to lie; undefined for one that is trusted. */
function borderOf(path: string, scenarios: readonly Scenario[]): readonly string[] | undefined {
  const own = scenarios.find((scenario) => scriptsOf(scenario).some(({ file, untrusted }) => file === path && untrusted))
  return own && (own.border ?? [dirname(path)])
}

/** Meshes of bodies, and the SRDF. */
export const partsOf = (scenario: Scenario): string[] =>
  everyScenario(scenario).flatMap(({ bodies, obstacles, srdf }) => [
    ...(srdf === undefined ? [] : [srdf]),
    ...[...bodies, ...obstacles].flatMap(({ shape }) => ('file' in shape && shape.file !== undefined ? shape.file : [])),
  ])

const slashes = (path: string) => (sep === '/' ? path : path.replaceAll(sep, '/'))

const isOutside = (root: string, file: string) => relative(root, file).split(sep)[0] === '..'

/** The deepest folder that holds all of some files. */
export function commonFolder(files: readonly string[]): string {
  let folder = dirname(files[0])
  while (files.some((file) => isOutside(folder, file))) folder = dirname(folder)
  return folder
}

/** A bundle with its text. */
export interface PackedBundle extends Bundle {
  readonly text: string
}

/** As text. */
export function packBundle({ files, ...rest }: Bundle): string {
  const list = [...files]
  const head: Head = { version: BUNDLE_VERSION, ...rest, files: list.map(([name, { length: size }]) => ({ name, size })) }
  const json = Buffer.from(JSON.stringify(head, (_, value: unknown) => written(value)))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  return gzipSync(Buffer.concat([length, json, ...list.map(([, bytes]) => bytes)]), { level: 9 }).toString('base64')
}

/** @throws BundleError */
export function unpackBundle(text: string): Bundle {
  const packed = Buffer.from(text, 'base64')
  const most = mostUnpacked(packed.length)
  try {
    const isChecked = packed[0] === 0x1f && packed[1] === 0x8b // those of 0.1.0 and before have no checksum
    const all = (isChecked ? gunzipSync : inflateRawSync)(packed, { maxOutputLength: most })
    let at = 4 + all.readUInt32LE(0)
    const {
      version,
      files: list,
      ...rest
    } = JSON.parse(all.subarray(4, at).toString(), (_, value: unknown) => read(value)) as Head
    if (version !== BUNDLE_VERSION)
      throw new BundleError(
        `it is of version ${version}, and this Featherbed reads version ${BUNDLE_VERSION}; run it with the Featherbed that made it, ${rest.featherbed}`,
      )
    if (!isWhole(rest)) throw new BundleError('it lacks its scenarios or how their runs ended; it was changed')
    const files = new Map<string, Uint8Array>()
    for (const { name, size } of list) {
      if (!isSafe(name)) throw new BundleError(`it names a file "${name}", which could lie outside of where it is unpacked`)
      if (!Number.isInteger(size) || size < 0 || at + size > all.length) throw new BundleError(`its file "${name}" is cut off`)
      files.set(name, all.subarray(at, at + size))
      at += size
    }
    return { ...rest, files }
  } catch (error) {
    if (error instanceof BundleError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new BundleError(`it unpacks to more than ${most} bytes, which no comparison does`)
    throw new BundleError(`it cannot be unpacked (${(error as Error).message}); it was cut off or changed`)
  }
}

/** Whether the parts are there that are read before the scenarios themselves are. */
function isWhole({ scenarios, ends, missing }: Partial<Omit<Bundle, 'files'>>): boolean {
  const isObject = (part: unknown) => typeof part === 'object' && part !== null
  return (
    [scenarios, ends, missing].every(Array.isArray) &&
    (scenarios as unknown[]).every(isObject) &&
    (ends as unknown[]).every((runs) => Array.isArray(runs) && runs.every(isObject))
  )
}

/** A name below the folder that it is put in, on every system. */
function isSafe(name: unknown): name is string {
  if (typeof name !== 'string' || name.length > 1000 || /[\\:\0]/.test(name)) return false
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/**
 * Writes a bundle's files into a folder.
 *
 * @returns its scenarios, with the paths of these files
 * @throws BundleError if a file cannot be written, or a scenario cannot be read or names a file that the bundle does not hold
 */
export async function layOut({ files, scenarios }: Bundle, folder: string): Promise<Scenario[]> {
  for (const [name, bytes] of files) {
    const path = join(folder, name)
    try {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, bytes, { flag: 'wx' })
    } catch (error) {
      throw new BundleError(`its file "${name}" cannot be written (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  const file = (name: string) => {
    if (!files.has(name)) throw new BundleError(`its scenario names the file "${name}", which it does not hold`)
    return resolve(folder, name)
  }
  const inside = (name: string) => {
    if (!isSafe(name))
      throw new BundleError(`its scenario names the folder "${name}", which could lie outside of where it is unpacked`)
    return resolve(folder, name)
  }
  try {
    for (const { roots = [] } of scenarios) for (const root of roots) await mkdir(inside(root), { recursive: true })
    const checked: Scenario[] = []
    for (const scenario of scenarios) checked.push(await checkSent(scenario))
    return checked.map((scenario) =>
      mapPaths(scenario, { robot: (source) => (isOwnRobot(source) ? source : file(source)), file, folder: inside }),
    )
  } catch (error) {
    if (error instanceof BundleError) throw error
    throw new BundleError(`its scenarios cannot be read (${(error as Error).message}); it was changed`)
  }
}

/** JSON has no infinite numbers, and loses the sign of zero. */
function written(value: unknown): unknown {
  if (Object.is(value, -0)) return { $number: '-0' }
  return typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value
}

function read(value: unknown): unknown {
  const { $number } = (value ?? {}) as { $number?: unknown }
  return typeof $number === 'string' ? Number($number) : value
}

/** The bundle in a report or in results.json; undefined where there is none. */
export function bundleIn(text: string): string | undefined {
  const inPage = /<script type="application\/json" id="bundle">"([\w+/=]*)"<\/script>/.exec(text)
  if (inPage) return inPage[1]
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const { bundle } = JSON.parse(text) as { bundle?: unknown }
    return typeof bundle === 'string' ? bundle : undefined
  } catch {
    return undefined
  }
}
