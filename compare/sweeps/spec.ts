/** A sweep with all files that its runs read: named by their hash, packed, and laid out on another machine. */
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { BundleError, inputFilesOf, layOut, packBundle, unpackBundle } from '../judge/bundle.ts'
import { besideOf, type RunLimits, SweepPlan, type SweepSpec } from '../run/sweepPlan.ts'
import { type Combinations, type RawScenario, readFields, type Scenario } from '../scenario/index.ts'
import { checkWorlds, mapPaths, prepareWorld, type RobotCache, subjectsOf } from '../scenario/world/files.ts'

/** A sweep that can be computed anywhere. */
export interface PackableSweep {
  readonly plan: SweepPlan
  readonly robots: RobotCache
  /** Files that lie outside of the robots' folders, without which it cannot be sent. */
  readonly missing: readonly string[]
  /** As text, with its files. */
  pack(): string
}

type Files = ReadonlyMap<string, Uint8Array>
type Moved = Readonly<Record<string, string>>

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')

/** Of the same sweep the same on every machine. */
function digestOf(raw: RawScenario, moved: Moved, files: Files, featherbed: string): string {
  const byName = <T>(entries: Iterable<readonly [string, T]>) => [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const contents = byName(files).map(([name, bytes]) => [name, sha256(bytes)])
  return sha256(JSON.stringify([featherbed, raw, byName(Object.entries(moved)), contents])).slice(0, 32)
}

/**
 * Reads every robot and builds each world once, so that mistakes are reported before anything runs.
 *
 * @param raw with paths from the folder of `file`
 * @param trust border and limits of `SweepSpec`; none of one's own
 * @throws ScenarioError, RobotError or SetupError
 */
export async function sweepOf(
  raw: RawScenario,
  file: string,
  combinations: Combinations,
  featherbed: string,
  trust: Pick<SweepSpec, 'border' | 'limits'> = {},
): Promise<PackableSweep> {
  const draft = await SweepPlan.of({ raw, file, ...trust, digest: '' }, combinations)
  const robots: RobotCache = new Map()
  const scenarios: Scenario[] = [draft.base]
  for await (const one of combinations.eachWord()) scenarios.push(await draft.placed(one))
  for (const scenario of scenarios)
    for (const source of subjectsOf(scenario)) checkWorlds(scenario, await prepareWorld(scenario, source, robots))
  const { files, missing, inside } = await inputFilesOf(scenarios, robots)
  const moved: Record<string, string> = {}
  const stated = JSON.stringify(raw)
  const noting = (of: (path: string) => string) => (path: string) => {
    const name = of(path)
    // a path that the scenario itself states in full, or a robot's name, stays what it is
    if (name !== path) moved[isAbsolute(path) && !stated.includes(JSON.stringify(path)) ? besideOf(file, path) : path] = name
    return name
  }
  const paths = { robot: noting(inside.robot), file: noting(inside.file), folder: noting(inside.folder) }
  for (const scenario of scenarios) mapPaths(scenario, paths)
  const digest = digestOf(raw, moved, files, featherbed)
  const plan = await SweepPlan.of({ raw, file, ...trust, digest }, combinations)
  const head = new TextEncoder().encode(JSON.stringify({ raw, moved }))
  const pack = () =>
    packBundle({ scenarios: [], ends: [], command: '', featherbed, missing, files: new Map([...files, [HEAD, head]]) })
  return { plan, robots, missing, pack }
}

const HEAD = 'sweep.json'

/**
 * Lays out a sweep that was sent.
 *
 * @param digest what it is to be
 * @param isTrusted whether its scripts run with the rights of this process; otherwise in a sandbox
 * @throws BundleError where it is not what its name says
 */
export async function unpackSweep(
  text: string,
  digest: string,
  folder: string,
  featherbed: string,
  isTrusted: boolean,
): Promise<SweepSpec> {
  const bundle = unpackBundle(text)
  if (bundle.featherbed !== featherbed)
    throw new BundleError(
      `it was made by Featherbed ${bundle.featherbed}, and this worker is ${featherbed}; take the same for both`,
    )
  const files = new Map(bundle.files)
  const head = files.get(HEAD)
  if (head === undefined) throw new BundleError(`it holds no ${HEAD}; it was changed`)
  files.delete(HEAD)
  const { raw, moved } = JSON.parse(new TextDecoder().decode(head)) as { raw: RawScenario; moved: Moved }
  if (digestOf(raw, moved, files, featherbed) !== digest)
    throw new BundleError('its content is not what its name says; it was changed')
  await mkdir(folder, { recursive: true })
  await layOut({ ...bundle, files }, folder)
  const here = Object.fromEntries(
    Object.entries(moved).map(([path, name]) => {
      if (name.split('/').includes('..') || isAbsolute(name))
        throw new BundleError(`it names "${name}", which could lie outside of it`)
      return [path, join(folder, name)]
    }),
  )
  const file = join(folder, 'scenario.yaml')
  // limits of someone else's sweep count up to this program's defaults
  const { data } = await readFields({}, ['patience', 'memory', 'stepBudget'])
  return { raw, file, moved: here, digest, ...(!isTrusted && { border: [folder], limits: data as RunLimits }) }
}
