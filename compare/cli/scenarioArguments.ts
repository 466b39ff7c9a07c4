/** From a command's arguments to a scenario. */
import { access, constants, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { contactModels } from '../../contact/index.ts'
import { isOwnRobot } from '../../robots/files.ts'
import { checkScenario, parseScenario, type RawScenario, type Scenario } from '../scenario.ts'
import { resolveBeside } from '../setup.ts'
import { UsageError } from './errors.ts'
import { checkRobots } from './openRobot.ts'
import { splitArguments } from './words.ts'

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
  if (Object.keys(xacro).length > 0) raw.xacro = { ...xacro }
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
  if (model !== undefined) {
    if (!Object.hasOwn(contactModels, model)) {
      throw new UsageError(`--model found "${model}", expected one of ${Object.keys(contactModels).join(', ')}`)
    }
    raw.models = [model]
  }
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
  checkRobots(robots, scenario.xacro)
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
