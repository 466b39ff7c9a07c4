/** From a command's arguments to a scenario. */
import { access, constants, stat } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { contactModelNamed } from '../../contact/index.ts'
import { didYouMean } from '../../dynamics/index.ts'
import { adaptersOf, byFile, EngineMissing, engineNames } from '../../engines/index.ts'
import { isNamedRobot, isOwnRobot, nearestRobot, OWN_ROBOTS } from '../../robots/files.ts'
import { type SweepSpec, slashed } from '../run/sweepPlan.ts'
import { builtInControllers } from '../scenario/controllers.ts'
import {
  type Combinations,
  type ControllerChoice,
  checkScenario,
  checkSweep,
  describe,
  flagOf,
  type ModelChoice,
  parseScenario,
  quantity,
  type RawScenario,
  rawScenario,
  readFields,
  type Scenario,
  ScenarioError,
  type ScenarioFields,
} from '../scenario/index.ts'
import { looksLikeFile } from '../scenario/schema.ts'
import { resolvePaths, scriptsOf, strangers, takenFromFile, withoutTrust } from '../scenario/world/files.ts'
import { UsageError } from './errors.ts'
import { readInput } from './input.ts'
import { checkRobots } from './openRobot.ts'
import { note } from './terminal.ts'
import { allowFlag, baseFlags, type FlagsOf, jobFlags, rootFlag } from './verb.ts'
import { splitArguments } from './words.ts'

/** Flags of verbs that simulate a robot or a scenario. */
export const scenarioFlags = {
  ...rootFlag,
  '--controller <file|name>': `a controller script, a policy (.onnx, or a .yaml that names one), or a built-in: ${Object.keys(builtInControllers).join(', ')} (default: the robot's own)`,
  '--untrusted':
    "do not trust the named files: scripts run in a sandbox (slower, same bits), a scenario's files lie below its folder (docs/security.md)",
  ...allowFlag,
  '--duration <time>': 'simulated time, such as 5 or "5 s" (default: 5 s)',
  '--seed <n>': "seed of the perturbed start, and the controller's options.seed (default: 1)",
  '--srdf <file>': "the robot's SRDF: pairs that do not collide, named poses, joint of its base to the world",
  '--pose <name>': 'start in this named pose of the robot: name, or group/name',
  '--key <name>': { meaning: "the same, for a keyframe of MJCF: with its velocities and its motors' inputs", conflicts: 'pose' },
  '--concave': 'keep closed collision meshes concave (default: use their convex hulls)',
  '--ccd': 'continuous collision detection: a step ends where shapes would pass through each other (default: only counted)',
  '--as-mujoco':
    'for an MJCF robot: start, step, integrator, cone and constraints of its file, as in MuJoCo (docs/coming-from-mujoco.md)',
  '--patience <time>': 'time limit of each call of a controller script, after which its run ends (default: 5 s)',
  '--memory <GB>': 'memory limit of a run under a controller script, after which it ends (default: 1.5)',
  '--step-budget <n>': 'work limit of a step in multiply-adds, about 1e9 a second; beyond it the run ends (default: 1e10)',
  ...baseFlags,
} as const

/** Flags of studies, whose result is a picture. */
export const studyFlags = {
  '--out <dir>': 'write the figures as JSON and a picture as HTML into this folder',
  ...jobFlags,
} as const
/** Flags of studies of several models. */
export const gridFlags = { ...scenarioFlags, '--models <a,b|all>': 'contact models (default: all)', ...studyFlags } as const

export type ScenarioFlags = FlagsOf<typeof scenarioFlags> & {
  readonly models?: string
  readonly model?: string
  readonly dt?: string
}

export const isScenarioFile = (name: string) => /\.(ya?ml|json)$/i.test(name)

/**
 * Scenario files and robots by path or name, in any order: a scenario a file, in their order, and one of all robots, which stands
 * where the first of them does. Flags and xacro arguments take the place of the fields of each.
 *
 * @param fields that a command states by itself, before all others
 * @throws UsageError or ScenarioError
 */
export async function scenariosOf(words: readonly string[], flags: ScenarioFlags, fields: RawScenario = {}): Promise<Scenario[]> {
  const { targets, xacro } = splitArguments(words)
  const raw = { ...rawOf(flags), ...fields }
  if (targets.length === 0) {
    throw new UsageError(
      `no robot is named; give the path of a URDF, xacro, MJCF or SDF file, one of ${OWN_ROBOTS.join(', ')}, or a scenario file`,
    )
  }
  if (Object.keys(xacro).length > 0) raw.xacro = { ...xacro }
  const robots = targets.filter((target) => !isScenarioFile(target))
  const scenarios: Scenario[] = []
  for (const [i, target] of targets.entries()) {
    if (isScenarioFile(target)) scenarios.push(await scenarioOfFile(target, raw, flags))
    else if (i === targets.indexOf(robots[0])) {
      const scenario = await checkPaths(await checkScenario({ robots, ...raw }))
      // robots and controllers that the command line itself names may lie anywhere
      scenarios.push(flags.untrusted ? withoutTrust(scenario) : scenario)
    }
  }
  return withinLimits(await Promise.all(scenarios.map((scenario) => takenFromFile(scenario))), flags)
}

/** Fields of the flags, checked as those of a file; unstated ones are their defaults. @throws ScenarioError */
export async function fieldsOf<K extends keyof ScenarioFields>(
  flags: ScenarioFlags,
  names: readonly K[],
): Promise<Pick<ScenarioFields, K>> {
  const { data, issues } = await readFields(rawOf(flags), names)
  if (issues.length > 0) throw new ScenarioError(issues.map((issue) => describe(issue, ([field]) => flagOf(String(field)))))
  return data as Pick<ScenarioFields, K>
}

const units = { patience: 's', memory: 'GB', stepBudget: 'multiply-adds' } as const
const limitNames = Object.keys(units) as (keyof typeof units)[]

/**
 * The scenarios. Those with scripts that are not trusted, and all that were sent, have the limits
 * that their file states up to those of the flags, which are this program's defaults where unstated; a notice names what was reduced.
 *
 * @param isSent in a report or results @throws ScenarioError
 */
export async function withinLimits(scenarios: readonly Scenario[], flags: ScenarioFlags, isSent = false): Promise<Scenario[]> {
  const granted = await fieldsOf(flags, limitNames)
  const bounded = (scenario: Scenario): Scenario => ({
    ...scenario,
    ...Object.fromEntries(limitNames.map((name) => [name, Math.min(scenario[name], granted[name])])),
    variants: scenario.variants.map((variant) => ({ ...variant, scenario: bounded(variant.scenario) })),
  })
  return scenarios.map((own) => {
    if (!isSent && !scriptsOf(own).some(({ untrusted }) => untrusted)) return own
    for (const name of limitNames)
      if (own[name] > granted[name] && !flags.quiet)
        note(`${own.name} requests ${name} ${own[name]} ${units[name]} and gets ${granted[name]}; ${flagOf(name)} raises it`)
    return bounded(own)
  })
}

/** The scenario of one target, a robot or a scenario file, with the robot's xacro arguments. @throws UsageError or ScenarioError */
export async function scenarioOf(words: readonly string[], flags: ScenarioFlags, fields: RawScenario = {}): Promise<Scenario> {
  return (await scenariosOf(words, flags, fields))[0]
}

/** Four bytes a character at most; larger ones are refused by size. */
const MOST_BYTES = 4e6

/** @throws UsageError */
export const readScenarioFile = (file: string) =>
  readInput(file, { remedy: 'give the path of a scenario file', most: MOST_BYTES })

async function scenarioOfFile(file: string, raw: RawScenario, flags: ScenarioFlags): Promise<Scenario> {
  const scenario = await parseScenario(readScenarioFile(file), file, raw)
  const resolved = resolvePaths(scenario, file)
  // a path on the command line starts from the working folder
  const own = flags.controller === undefined ? undefined : withFile(scenario.controller)
  const whole = own === undefined ? resolved : withController(resolved, own)
  return checkPaths(flags.untrusted ? strangers(whole, borderOf(file, flags)) : whole)
}

/** What a file from someone else may name: what lies below its folder, and what the command line itself names. */
export const borderOf = (
  file: string,
  { allow = [], root = [], controller, srdf }: Pick<ScenarioFlags, 'allow' | 'root' | 'controller' | 'srdf'>,
): string[] => [dirname(file), ...allow, ...root, controller, srdf].flatMap((path) => (path === undefined ? [] : resolve(path)))

/** A scenario file's sweep of any size, unmade, with the flags' fields; paths from its folder. @throws UsageError or ScenarioError */
export async function rawSweepOf(
  file: string,
  flags: ScenarioFlags,
): Promise<{ raw: RawScenario; combinations: Combinations; trust: Pick<SweepSpec, 'border' | 'limits'> }> {
  const given = rawOf(flags)
  if (flags.controller !== undefined && looksLikeFile(flags.controller))
    given.controller = slashed(relative(dirname(resolve(file)), resolve(flags.controller)))
  const { raw, locate } = rawScenario(readScenarioFile(file), file, given)
  const plain = JSON.parse(JSON.stringify(raw)) as RawScenario
  const combinations = await checkSweep(plain, locate)
  await checkPaths(resolvePaths(combinations.base, file))
  const trust = flags.untrusted ? { border: borderOf(file, flags), limits: await fieldsOf(flags, limitNames) } : {}
  return { raw: plain, combinations, trust }
}

const withFile = (choice: ControllerChoice | undefined) => choice && { ...choice, file: choice.file && resolve(choice.file) }

const withController = (scenario: Scenario, controller: ControllerChoice): Scenario => ({
  ...scenario,
  controller,
  variants: scenario.variants.map((variant) => ({ ...variant, scenario: withController(variant.scenario, controller) })),
})

function rawOf(flags: ScenarioFlags): RawScenario {
  const {
    controller,
    models,
    model,
    dt,
    duration,
    seed,
    patience,
    memory,
    stepBudget,
    floating,
    fixed,
    ccd,
    concave,
    root,
    srdf,
    pose = flags.key,
    asMujoco,
  } = flags
  if (floating && fixed) throw new UsageError('--floating and --fixed exclude each other')
  const raw: RawScenario = {}
  if (controller !== undefined) raw.controller = controller
  if (models !== undefined) raw.models = listOf('--models', models)
  if (model !== undefined) {
    try {
      contactModelNamed(model)
    } catch (error) {
      throw new UsageError(`--model: ${(error as Error).message}`)
    }
    raw.models = [model]
  }
  if (dt !== undefined) raw.dt = listOf('--dt', dt)
  if (duration !== undefined) raw.duration = duration
  if (patience !== undefined) raw.patience = patience
  if (memory !== undefined) raw.memory = memory
  if (stepBudget !== undefined) raw.stepBudget = stepBudget
  if (seed !== undefined) {
    if (!/^\d+$/.test(seed)) throw new UsageError(`--seed found "${seed}", expected a whole number from 0 up`)
    raw.seed = Number(seed)
    raw.seeds = undefined // this one and no others
  }
  if (floating) raw.base = 'floating'
  if (fixed) raw.base = 'fixed'
  if (ccd) raw.ccd = true
  if (asMujoco) raw.asMujoco = true
  if (concave) raw.concave = true
  if (srdf !== undefined) raw.srdf = resolve(srdf)
  if (pose !== undefined) raw.start = { pose }
  if (root !== undefined) raw.roots = root.map((folder) => resolve(folder))
  return raw
}

function listOf(flag: string, value: string): string[] {
  const items = value.split(',').map((item) => item.trim())
  if (items.some((item) => item === '')) throw new UsageError(`${flag} found "${value}", expected a list such as a,b`)
  return items
}

/** That every file which a scenario names is there. @throws UsageError */
async function checkPaths(scenario: Scenario): Promise<Scenario> {
  const { robots, companions, bodies, obstacles, controller, srdf } = scenario
  if (srdf !== undefined && !(await readable(srdf)))
    throw new UsageError(`srdf: there is no file ${srdf}; give the path of the robot's SRDF`)
  for (const [field, choice] of [
    ['controller', controller] as const,
    ...companions.map((c) => [`companions.${c.name}`, c.controller] as const),
  ]) {
    if (choice?.file !== undefined && !(await readable(choice.file)))
      throw new UsageError(
        `${field}: there is no file ${choice.file}; give the path of a controller script, or a built-in's name`,
      )
  }
  const named = [
    ...robots.map((robot) => ({ robot, where: '' })),
    ...companions.map(({ robot, name }) => ({ robot, where: `companions.${name}: ` })),
  ]
  for (const { robot, where } of named) {
    if (!isOwnRobot(robot) && !isNamedRobot(robot) && !(await readable(robot)))
      throw new UsageError(
        `${where}there is no robot "${robot}"; give the path of a URDF, xacro, MJCF or SDF file, or one of ${OWN_ROBOTS.join(', ')}${nearestRobot(robot)}`,
      )
  }
  for (const { name, shape } of [...bodies, ...obstacles]) {
    if ('file' in shape && shape.file !== undefined && !(await readable(shape.file)))
      throw new UsageError(`"${name}": there is no file ${shape.file}; give the path of a mesh`)
  }
  if (robots.length > 0) checkRobots(robots, scenario.xacro, scenario.roots)
  for (const { robot, xacro } of companions) checkRobots([robot], xacro, scenario.roots)
  const script = controller?.file === undefined ? controller : { ...controller, file: resolve(controller.file) }
  return script === controller || script === undefined ? scenario : withController(scenario, script)
}

async function readable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** A flag's time, with units. @throws UsageError */
export async function durationOf(flag: string, value: string): Promise<number> {
  const checked = await quantity('duration', { min: 0 }).safeParseAsync(value)
  if (!checked.success) throw new UsageError(`${flag} ${checked.error.issues[0].message}`)
  return checked.data
}

/** The flag of verbs that have engines from outside beside the models. */
export const besideFlag = {
  '--beside <engines>':
    'engines from outside as further models: drake,mujoco,newton (as they come), drake:sap (one of its settings), drake:all',
} as const

/**
 * The engines that the flag names, as models of a scenario.
 *
 * @param readsFile whether they read the robot's file themselves
 * @throws UsageError for one that is not known or not installed
 */
export async function besideModels({ beside }: { readonly beside?: string }, readsFile = false): Promise<ModelChoice[]> {
  if (beside === undefined) return []
  const columns = await Promise.all(beside.split(',').map(columnsOf)).catch((error: Error) => {
    throw error instanceof EngineMissing ? new UsageError(`--beside: ${error.message}`) : error
  })
  // a name that is in no registry
  return columns.flat().map((name) => ({ name: readsFile ? byFile(name) : name, options: {} }) as unknown as ModelChoice)
}

/** Columns of `drake`, `drake:sap` or `drake:all`. */
async function columnsOf(word: string): Promise<readonly string[]> {
  const [engine, variant] = word.split(':')
  if (!engineNames.includes(engine))
    throw new UsageError(`--beside found "${engine}", expected ${engineNames.join(', ')}${didYouMean(engine, engineNames)}`)
  const names = (await adaptersOf(engine)).map(({ name }) => name)
  if (variant === undefined) return names.slice(0, 1)
  if (variant === 'all') return names
  const own = names.map((name) => name.split(', ')[1]?.toLowerCase().replaceAll(' ', '-') ?? '')
  if (!own.includes(variant))
    throw new UsageError(`--beside ${word}: ${engine} has the settings ${own.filter((x) => x !== '').join(', ')}, or all`)
  return [names[own.indexOf(variant)]]
}
