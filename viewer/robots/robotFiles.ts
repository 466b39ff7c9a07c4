import { mostUnpacked } from '../../compare/scenario/index.ts'
import { Meter } from '../../dynamics/index.ts'
import { decodeXml, memoryResolver, type Resolver, resolveReference } from '../../robots/index.ts'

/** Files that note which of them are read, and so belong to a run. */
export class WatchedFiles extends Map<string, Uint8Array<ArrayBuffer>> {
  read = new Set<string>()

  override get(path: string): Uint8Array<ArrayBuffer> | undefined {
    if (this.has(path)) this.read.add(path)
    return super.get(path)
  }
}

/** Files that a user gave to the page, by their path inside the drop. They never leave the page. */
export class RobotFiles {
  readonly resolver: Resolver
  /** Files that may hold a robot. Likely ones first, URDF before xacro, those nearest to the top first. */
  readonly robots: readonly string[]
  /** SRDF files, those nearest to the top first. */
  readonly srdfs: readonly string[]
  readonly paths: readonly string[]
  /** Scenario files, and scripts and policies, those nearest to the top first. */
  readonly scenarios: readonly string[]
  readonly controllers: readonly string[]
  /** Recordings of runs. */
  readonly recordings: readonly string[]
  private readonly files: WatchedFiles
  private readonly addresses = new Map<string, string>()

  /** @param read takes the paths of those that are read, from now on */
  constructor(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>> = new Map(), read = new Set<string>()) {
    this.files = new WatchedFiles(files)
    this.paths = [...files.keys()]
    this.resolver = [...files.keys()].some((path) => path.includes('/')) ? memoryResolver(this.files) : looseResolver(this.files)
    const depth = (path: string) => path.split('/').length
    const rank = (path: string) => (this.looksLikeRobot(path) ? 0 : 2000) + (/\.urdf$/i.test(path) ? 0 : 1000) + depth(path)
    const others = this.sorted(/\.(xml|mjcf|sdf|world)$/i, depth).filter((path) =>
      /<(mujoco|sdf)\b/.test(this.textOrNothing(path)),
    )
    this.robots = [...this.sorted(/\.(urdf|xacro)$/i, rank), ...others]
    this.srdfs = this.sorted(/\.srdf$/i, depth)
    this.recordings = this.sorted(/\.mcap$/i, depth)
    const described = this.sorted(/\.ya?ml$/i, depth)
    const isPolicy = (path: string) => /^[ \t]*(\{\s*)?network:/m.test(this.textOrNothing(path))
    this.scenarios = described.filter((path) => !isPolicy(path) && /^(robots?|bodies):/m.test(this.textOrNothing(path)))
    this.controllers = [...described.filter(isPolicy), ...this.sorted(/\.(onnx|[cm]?[jt]s)$/i, depth)]
    this.files.read = read // until here it was looked at what they are
  }

  private sorted(name: RegExp, rank: (path: string) => number): string[] {
    return [...this.files.keys()]
      .filter((path) => name.test(path))
      .map((path) => ({ path, rank: rank(path) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ path }) => path)
  }

  /** Files for inclusion have no name as a rule, and a file that only calls macros has no links. */
  private looksLikeRobot(path: string): boolean {
    const text = this.textOrNothing(path)
    return robotName(text) !== undefined && /<link\b|<xacro:/.test(text)
  }

  /** The SRDF file that belongs to a robot's file: one with its file name, else one for a robot of its name; '' if none does. */
  srdfOf(file: string): string {
    const stem = (path: string) => path.slice(path.lastIndexOf('/') + 1).split('.')[0]
    const name = robotName(this.textOrNothing(file))
    return (
      this.srdfs.find((path) => stem(path) === stem(file)) ??
      this.srdfs.find((path) => name !== undefined && robotName(this.textOrNothing(path)) === name) ??
      ''
    )
  }

  private textOrNothing(path: string): string {
    try {
      return this.text(path)
    } catch {
      return '' // an unknown encoding; picking the file tells
    }
  }

  /** By path. */
  get all(): WatchedFiles {
    return this.files
  }

  /** These and others, whose paths count where both have one. */
  with(others: RobotFiles): RobotFiles {
    this.dispose()
    return new RobotFiles(new Map([...this.files, ...others.files]))
  }

  text(path: string): string {
    return decodeXml(this.files.get(path) ?? new Uint8Array(), path)
  }

  /** Target of a reference, by the rules that hold for collision meshes too. */
  find(reference: string, file: string): { readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined {
    const path = resolveReference(reference, file, this.resolver)?.path
    const bytes = path === undefined ? undefined : (this.resolver.read(path) as Uint8Array<ArrayBuffer> | undefined)
    return path === undefined || bytes === undefined ? undefined : { path, bytes }
  }

  /** A blob address of a reference in `file`; an empty one if there is no such file. */
  address(reference: string, file: string): string {
    const found = this.find(reference, file)
    if (!found) return 'data:,'
    let address = this.addresses.get(found.path)
    if (!address) {
      address = URL.createObjectURL(new Blob([found.bytes]))
      this.addresses.set(found.path, address)
    }
    return address
  }

  dispose(): void {
    for (const address of this.addresses.values()) URL.revokeObjectURL(address)
    this.addresses.clear()
  }
}

/** Name of the first `<robot>` in a text. */
function robotName(text: string): string | undefined {
  return /<robot\b[^<>]*?\sname\s*=\s*["']([^"']*)["']/.exec(text)?.[1]
}

/** For files dropped without their folders: of a path only the last name counts. */
function looseResolver(files: ReadonlyMap<string, Uint8Array>): Resolver {
  const byName = new Map([...files.keys()].map((path) => [path.toLowerCase(), path]))
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return {
    roots: [''],
    read: (path) => files.get(byName.get(nameOf(path)) ?? ''),
    exists: (path) => byName.has(nameOf(path)),
  }
}

/** Above this a drop is surely not one robot. */
const maxBytes = 1024 ** 3

/** @throws Error if it is too much to hold */
export async function readFiles(files: readonly { readonly path: string; readonly file: File }[]): Promise<RobotFiles> {
  const total = files.reduce((sum, { file }) => sum + file.size, 0)
  if (total > maxBytes) {
    throw new Error(
      `${files.length} files with ${(total / 1e9).toFixed(1)} GB were dropped; at most 1 GB is read. Drop the robot's folder alone.`,
    )
  }
  const refusal = (kind: string, most: number) =>
    new Error(
      `The archives unpack to more than ${(most / 1e6).toFixed(0)} MB or entries; drop the robot's folder itself. (${kind})`,
    )
  const meter = new Meter<'bytes' | 'entries'>({ bytes: mostUnpacked(total), entries: 100_000 }, refusal)
  const read = await Promise.all(files.map(async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())] as const))
  const unpacked = await Promise.all(
    read.map(async ([path, bytes]) => (/\.zip$/i.test(path) ? unzipped(path, bytes, meter) : [[path, bytes] as const])),
  )
  return new RobotFiles(new Map(unpacked.flat()))
}

/** @throws Error for a file that is no archive, or whose entries state more than is left, before they are unpacked */
async function unzipped(
  path: string,
  bytes: Uint8Array,
  meter: Meter<'bytes' | 'entries'>,
): Promise<(readonly [string, Uint8Array<ArrayBuffer>])[]> {
  const { unzipSync } = await import('three/addons/libs/fflate.module.js')
  try {
    const filter = ({ originalSize }: { originalSize: number }) => {
      meter.ask('entries')
      meter.ask('bytes', originalSize)
      return true
    }
    const files = Object.entries(unzipSync(bytes, { filter }) as Record<string, Uint8Array<ArrayBuffer>>)
    return files.filter(([name]) => !name.endsWith('/')).map(([name, content]) => [name, content])
  } catch (error) {
    throw new Error(`${path} is no archive that can be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** All files of a drop, folders walked through. Call it within the event: the list is gone afterwards. */
export async function filesOfDrop(items: DataTransferItemList): Promise<{ path: string; file: File }[]> {
  const found: { path: string; file: File }[] = []
  const entries: FileSystemEntry[] = []
  for (const item of items) {
    const entry = item.webkitGetAsEntry()
    const file = entry ? null : item.getAsFile() // files that did not come from a disk have no entry
    if (entry) entries.push(entry)
    if (file) found.push({ path: file.name, file })
  }
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
      found.push({ path: entry.fullPath.replace(/^\//, ''), file })
      return
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    for (;;) {
      // a reader hands out a folder in portions, and an empty one at the end
      const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
      if (portion.length === 0) return
      await Promise.all(portion.map(walk))
    }
  }
  await Promise.all(entries.map(walk))
  return found
}
