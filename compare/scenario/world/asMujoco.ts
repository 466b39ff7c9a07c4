/** MuJoCo's own setup of a scenario's robot (`asMujoco`): what its file states of the step, where the scenario does not. */
import type { MujocoSolver, Robot } from '../../../robots/index.ts'
import type { ControllerChoice, Default, ModelChoice, Scenario } from '../index.ts'
import { SetupError } from './setupError.ts'

/** Options of the contact model `mujoco` for the step of a file. `implicit` is taken as `implicitfast`, and `discrete` as `euler`. */
export function optionsOfSolver({ integrator, cone, impratio }: MujocoSolver) {
  const own = { Euler: 'euler', RK4: 'rk4', implicit: 'implicitfast', implicitfast: 'implicitfast', discrete: 'euler' } as const
  return { cone, impratio, integrator: own[integrator] }
}

/**
 * The scenario with what it leaves out taken from its robot's file: the step, the contact model `mujoco` with the file's integrator, cone
 * and impratio, no ground beside the file's own, and no controller but the file's motors at rest; its variants too. The same scenario
 * where `asMujoco` is not set.
 *
 * @param read a robot of the scenario
 * @throws SetupError for a robot that is no MJCF, and for several with different steps
 */
export async function asMujoco(scenario: Scenario, read: (source: string) => Promise<Robot>): Promise<Scenario> {
  if (!scenario.asMujoco) return scenario
  const robots = await Promise.all(scenario.robots.map(read))
  const foreign = scenario.robots.find((_, i) => robots[i].solver === undefined)
  if (foreign !== undefined || robots.length === 0)
    throw new SetupError(
      `asMujoco: ${foreign === undefined ? 'there is no robot' : `"${foreign}" is no MJCF`}, whose file says how MuJoCo steps; leave asMujoco out`,
    )
  const [solver, ...others] = robots.map((robot) => robot.solver!)
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(solver)))
    throw new SetupError('asMujoco: the files of these robots state different steps; compare them one by one')
  return taken(scenario, solver)
}

function taken(scenario: Scenario, solver: MujocoSolver): Scenario {
  const { defaults, models, ground, controller } = scenario
  const own = optionsOfSolver(solver)
  const options = (stated: ModelChoice['options']) => ({ ...own, ...stated })
  const isStated = (field: string) => defaults.every((one) => one.field !== field)
  const all: ModelChoice[] = isStated('models')
    ? models.map((model) => (model.name === 'mujoco' ? { ...model, options: options(model.options) } : model))
    : [{ name: 'mujoco', options: own }]
  const none: ControllerChoice = { builtIn: 'none', options: {} }
  const { integrator, cone, impratio, timestep } = solver
  const said: Readonly<Record<string, Pick<Default, 'value' | 'why'>>> = {
    dt: { value: `${timestep} s`, why: 'timestep of the file' },
    models: { value: 'mujoco', why: `with integrator ${integrator}, cone ${cone} and impratio ${impratio} of the file` },
    ground: { value: 'none', why: 'the surroundings of the file alone' },
    start: { value: 'as in the file', why: "MuJoCo's qpos0, neither clamped into limits nor set down" },
    controller: { value: 'none', why: 'the motors of the file, at ctrl of 0 or of the keyframe' },
  }
  return {
    ...scenario,
    models: all,
    ...(!isStated('dt') && { dt: [timestep] }),
    ...(ground?.isDefault && { ground: undefined }),
    controller: controller ?? none,
    defaults: defaults.map((one) => ({ ...one, ...said[one.field] })),
    variants: scenario.variants.map((variant) => ({ ...variant, scenario: taken(variant.scenario, solver) })),
  }
}

/** Note that lists the settings read from the MJCF file; undefined without `asMujoco`. */
export function takenText({ asMujoco, defaults }: Scenario): string | undefined {
  if (!asMujoco) return undefined
  const fields = ['dt', 'models', 'start', 'ground', 'controller']
  const own = defaults.filter(({ field }) => fields.includes(field))
  return `as MuJoCo: ${own.map(({ field, value, why }) => `${field} ${value} (${why})`).join('; ')}`
}
