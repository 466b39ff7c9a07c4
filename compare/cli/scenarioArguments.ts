/** From a command's arguments to a scenario. */
import { access, constants, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isOwnRobot } from '../../robots/files.ts'
import { checkScenario, parseScenario, type RawScenario, type Scenario } from '../scenario.ts'
import { resolveBeside } from '../setup.ts'
import { UsageError } from './errors.ts'

export interface ScenarioFlags {
  readonly controller?: string
  readonly models?: string
  readonly model?: string
  readonly dt?: string
  readonly duration?: string
  readonly seed?: string
  readonly patience?: string
  readonly floating?: boolean
  readonly fixed?: boolean
}

const isScenarioFile = (name: string) => /\.(ya?ml|json)$/i.test(name)

/**
 * Sorts a command's words into names of robots or files, and `key:=value` for the arguments of xacro.
 *
 * @throws UsageError for an argument that is given twice, or a word that looks like one and is none
 */
export function splitArguments(words: readonly string[]): { targets: string[]; xacro: Record<string, string> } {
  const targets: string[] = []
  const xacro = Object.create(null) as Record<string, string>
  for (const word of words) {
    const [, key, value] = /^([^\s:=/\\]*):=(.*)$/s.exec(word) ?? []
    if (key === undefined) targets.push(word)
    else if (key === '') throw new UsageError(`found "${word}"; an argument for xacro is written name:=value, without blanks`)
    else if (key in xacro)
      throw new UsageError(`the xacro argument "${key}" is given twice, as "${xacro[key]}" and as "${value}"`)
    else xacro[key] = value
  }
  return { targets, xacro }
}

/** Words after the robot, which have to be for xacro. @throws UsageError */
export function onlyXacro(words: readonly string[]): readonly string[] {
  const [stray] = splitArguments(words).targets
  if (stray !== undefined)
    throw new UsageError(
      `found "${stray}" after the robot; this command takes one robot, and name:=value for its xacro arguments`,
    )
  return words
}

/**
 * Robots by path or name, or one scenario file; flags take the place of the file's fields.
 *
 * @throws UsageError or ScenarioError
 */
export async function scenarioOf(words: readonly string[], flags: ScenarioFlags): Promise<Scenario> {
  const { targets, xacro } = splitArguments(words)
  const raw = rawOf(flags)
  if (targets.length === 0) {
    throw new UsageError('no robot is named; give the path of a URDF or xacro file, or one of diffdrive, humanoid')
  }
  const [argument] = Object.keys(xacro)
  if (argument !== undefined && targets.every(isOwnRobot)) {
    throw new UsageError(
      `found ${argument}:=${xacro[argument]}, but ${targets.join(', ')} is no xacro, so that nothing reads it; leave it out`,
    )
  }
  if (argument !== undefined) raw.xacro = { ...xacro }
  const files = targets.filter(isScenarioFile)
  if (files.length > 0 && targets.length > 1) {
    throw new UsageError(`found ${targets.join(' ')}; expected robots, or one scenario file and nothing beside it`)
  }
  const [file] = files
  if (file === undefined) return withPaths(await checkScenario({ robots: [...targets], ...raw }), undefined, flags)
  let source: string
  try {
    source = await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code}); give the path of a scenario file`)
  }
  return withPaths(await parseScenario(source, file, raw), file, flags)
}

function rawOf({ controller, models, model, dt, duration, seed, patience, floating, fixed }: ScenarioFlags): RawScenario {
  if (floating && fixed) throw new UsageError('--floating and --fixed exclude each other')
  const raw: RawScenario = {}
  if (controller !== undefined) raw.controller = controller
  if (models !== undefined) raw.models = listOf('--models', models)
  if (model !== undefined) raw.models = [model]
  if (dt !== undefined) raw.dt = listOf('--dt', dt)
  if (duration !== undefined) raw.duration = duration
  if (patience !== undefined) raw.patience = patience
  if (seed !== undefined) {
    if (!/^\d+$/.test(seed)) throw new UsageError(`--seed found "${seed}", expected a whole number from 0 up`)
    raw.seed = Number(seed)
  }
  if (floating) raw.base = 'floating'
  if (fixed) raw.base = 'fixed'
  return raw
}

function listOf(flag: string, value: string): string[] {
  const items = value.split(',').map((item) => item.trim())
  if (items.some((item) => item === '')) throw new UsageError(`${flag} found "${value}", expected a list such as a,b`)
  return items
}

/** Paths in the file are relative to the file, paths on the command line to the working folder. */
async function withPaths(scenario: Scenario, file: string | undefined, flags: ScenarioFlags): Promise<Scenario> {
  const { controller } = scenario
  const script =
    controller?.file && (flags.controller === undefined ? resolveBeside(file, controller.file) : resolve(controller.file))
  if (script && !(await readable(script)))
    throw new UsageError(`controller: there is no file ${script}; give the path of a controller script, or a built-in's name`)
  const robots = scenario.robots.map((robot) => resolveBeside(file, robot))
  for (const robot of robots) {
    if (!isOwnRobot(robot) && !(await readable(robot)))
      throw new UsageError(`there is no robot "${robot}"; give the path of a URDF or xacro file, or one of diffdrive, humanoid`)
  }
  return { ...scenario, robots, controller: controller && { ...controller, file: script } }
}

async function readable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}

/** mkdir with its parents; Node 20's own `recursive` never returns where a folder refuses children, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return
  if (found) throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' })
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path)
}

/** Makes the folder that results go to, before anything is computed. @throws UsageError */
export async function outputFolder(folder: string): Promise<string> {
  const path = resolve(folder)
  try {
    await makeFolder(path)
    await access(path, constants.W_OK)
  } catch (error) {
    throw new UsageError(
      `--out ${folder}: cannot be written to (${(error as NodeJS.ErrnoException).code}); name a folder that may be made or written`,
    )
  }
  return path
}
