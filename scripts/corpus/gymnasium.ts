/**
 * Gymnasium's robots under seeded ctrl beside native MuJoCo: their motion as MuJoCo (`asMujoco`) until MuJoCo, started 1e-6 apart, parts from
 * itself; when they fall; and what the other contact models make of the same.
 */
import { optionsOfSolver } from '../../compare/scenario/world/asMujoco.ts'
import { contactModelNames } from '../../contact/index.ts'
import { type Controller, createControllerLoop } from '../../control/index.ts'
import { createRandom } from '../../dynamics/index.ts'
import { openRobotFile } from '../../robots/files.ts'
import { loadRobot, type Robot } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import type { Ask, Corpus, CorpusFile } from './corpus.ts'

/** Of each environment (version 5): steps an action, noise of the start, and whether it stands, by its qpos. */
const environments: Readonly<Record<string, { skip: number; noise: number; stands?: (q: readonly number[]) => boolean }>> = {
  ant: { skip: 5, noise: 0.1, stands: ([, , z]) => z >= 0.2 && z <= 1 },
  half_cheetah: { skip: 5, noise: 0.1, stands: ([, , pitch]) => Math.abs(pitch) < Math.PI / 2 }, // never ends there; on its back here
  hopper: { skip: 4, noise: 5e-3, stands: ([, z, pitch]) => z > 0.7 && Math.abs(pitch) < 0.2 },
  humanoid: { skip: 5, noise: 1e-2, stands: ([, , z]) => z > 1 && z < 2 },
  swimmer: { skip: 4, noise: 0.1 },
  walker2d: { skip: 4, noise: 5e-3, stands: ([, z, pitch]) => z > 0.8 && z < 2 && Math.abs(pitch) < 1 },
}
const SEEDS = 10
const ACTIONS = 200
/** How far MuJoCo's second run starts from the first, and the part of its path by which runs part. */
const SHIFT = 1e-6
const PART = 0.02

interface Opened {
  readonly error?: string
  readonly version: string
  readonly types: readonly number[]
  readonly qpos0: readonly number[]
  readonly ctrlrange: readonly (readonly [number, number])[]
}
type Path = readonly (readonly number[])[]

interface Run {
  /** Action at which MuJoCo parts from itself, and the largest error until then over the length of the path. */
  readonly parts: number
  readonly error: number
  /** Action at which it falls, in MuJoCo, here, and in MuJoCo's second run; null for never. */
  readonly falls: readonly [theirs: number | null, ours: number | null, again: number | null]
  readonly failure?: string
}

interface Row {
  readonly robot: string
  readonly error?: string
  readonly version?: string
  readonly solver?: Robot['solver']
  /** By contact model, one a seed. */
  readonly runs?: Readonly<Record<string, readonly Run[]>>
}

export const gymnasium: Corpus<Row> = {
  wheels: [{ name: 'gymnasium', version: '1.4.0', only: 'gymnasium/envs/mujoco/assets' }],
  tools: ['mujoco==4.0.0'],
  script: './gymnasium.py',
  page: 'docs/coming-from-mujoco.md',
  isFile: (name) => robotOf(name) in environments,
  row,
  table,
  faults,
}

const robotOf = (file: string) => file.replace(/^.*\//, '').replace(/\.xml$/, '')

async function row({ path, name }: CorpusFile, ask: Ask): Promise<Row> {
  const robot = robotOf(name)
  const { skip, noise, stands = () => true } = environments[robot]
  const opened = (await ask({ file: path })) as Opened
  if (opened.error !== undefined) return { robot, error: opened.error }
  const { text, options } = openRobotFile(path)
  const own = loadRobot(text, options)
  const runs: Record<string, Run[]> = Object.fromEntries(contactModelNames.map((model) => [model, []]))
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = createRandom(seed)
    const ctrl = Array.from({ length: ACTIONS }, () => opened.ctrlrange.map(([low, high]) => random.between(low, high)))
    const start = opened.qpos0.map((x, k) => (opened.types[0] === 0 && k < 7 ? x : x + random.between(-noise, noise)))
    const answer = (await ask({ file: path, ctrl, skip, start, shift: SHIFT })) as { error?: string; runs: readonly [Path, Path] }
    if (answer.error !== undefined) return { robot, error: answer.error }
    for (const model of contactModelNames) runs[model].push(runOf(own, { ctrl, skip, start, stands }, model, answer.runs))
  }
  return { robot, version: opened.version, solver: own.solver, runs }
}

interface Course {
  readonly ctrl: readonly (readonly number[])[]
  readonly skip: number
  readonly start: readonly number[]
  readonly stands: (q: readonly number[]) => boolean
}

/** Our run beside MuJoCo's two. */
function runOf(robot: Robot, course: Course, contactModel: string, [theirs, others]: readonly [Path, Path]): Run {
  const { ctrl, skip, start, stands } = course
  const { solver } = robot
  const dt = solver!.timestep
  const controller: Controller = {
    rate: 1 / (skip * dt),
    output: 'ctrl',
    init: () => undefined,
    update: ({ t }) => ctrl[Math.min(Math.round(t / (skip * dt)), ACTIONS - 1)],
  }
  const fallOf = (path: Path) => path.findIndex((q) => !stands(q))
  const path: number[][] = []
  let failure: string | undefined
  try {
    const world = new World({
      robot,
      q: start,
      dt,
      contactModel: contactModel as 'mujoco',
      contactOptions: contactModel === 'mujoco' ? optionsOfSolver(solver!) : {},
      fixtures: robot.surroundings,
      controller: createControllerLoop(controller, robot),
    })
    for (let n = 0; n <= ACTIONS; n++) {
      path.push([...world.state.q])
      for (let k = 0; k < skip && n < ACTIONS; k++) world.step()
    }
  } catch (error) {
    failure = String(error).slice(0, 300)
  }
  const apart = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((x, k) => x - b[k]))
  let [length, error, parts] = [0, 0, 0]
  for (let n = 1; n <= ACTIONS; n++) {
    length += apart(theirs[n], theirs[n - 1])
    if (apart(theirs[n], others[n]) > PART * length && n > 1) break
    parts = n
    error = Math.max(error, n < path.length ? apart(path[n], theirs[n]) / length : Number.POSITIVE_INFINITY)
  }
  const fell = (at: number) => (at < 0 ? null : at)
  return { parts, error, falls: [fell(fallOf(theirs)), fell(fallOf(path)), fell(fallOf(others))], ...(failure && { failure }) }
}

// Results

const sameFalls = (runs: readonly Run[]) => runs.filter(({ falls: [theirs, ours] }) => theirs === ours).length
const ownFalls = (runs: readonly Run[]) => runs.filter(({ falls: [theirs, , again] }) => theirs === again).length
const worst = (runs: readonly Run[]) => Math.max(...runs.map(({ error }) => error))
const shown = (part: number) =>
  part === Infinity ? 'ended' : part < 1e-4 ? part.toExponential(0) : `${(100 * part).toPrecision(2)} %`

function table(rows: readonly Row[]): string {
  const good = rows.filter((one) => one.runs !== undefined)
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const own = good.map(({ robot, solver, runs }) => {
    const { skip, stands } = environments[robot]
    const all = runs!.mujoco
    const until = all.map(({ parts }) => parts).sort((a, b) => a - b)
    const seconds = (actions: number) => `${Number((actions * skip * solver!.timestep).toPrecision(3))} s`
    const falls = stands ? `${sameFalls(all)} (${ownFalls(all)})` : '-'
    return line([
      robot,
      solver!.integrator,
      `${1000 * solver!.timestep} ms`,
      `${seconds(until[0])} to ${seconds(until.at(-1)!)}`,
      shown(worst(all)),
      falls,
    ])
  })
  const others = contactModelNames
    .filter((model) => model !== 'mujoco')
    .map((model) =>
      line([
        `\`${model}\``,
        ...good.map(({ robot, runs }) => {
          const all = runs![model]
          const ended = all.filter(({ failure }) => failure !== undefined).length
          const middle = all.map(({ error }) => error).sort((a, b) => a - b)[Math.floor(all.length / 2)]
          return `${shown(middle)}${environments[robot].stands ? `, ${sameFalls(all)}` : ''}${ended > 0 ? `, ${ended} ended` : ''}`
        }),
      ]),
    )
  return [
    `MuJoCo ${good[0]?.version}, ${SEEDS} seeds, ${ACTIONS} actions of random ctrl each (\`npm run corpus -- gymnasium\`): how long until MuJoCo, started ${SHIFT.toExponential(0)} apart, is ${100 * PART} % of its path from itself; our largest distance from it until then, over the length of the path; and in how many seeds the robot falls at the same action, or in neither, in brackets of MuJoCo's two runs.`,
    '',
    line(['robot', 'integrator', 'step', 'until', 'error', 'same falls']),
    line(['---', '---', '---:', '---', '---:', '---:']),
    ...own,
    '',
    'The same robots, starts, steps and ctrl under the other contact models: the median error of the seeds in the same time, and the number of the same falls. Their contacts and limits are rigid, or springs of another law, so that a robot takes another path from its first contact or limit on; the ant begins with its ankles 30 degrees beyond theirs. The swimmer touches nothing: what differs is the step, RK4 of 10 ms there.',
    '',
    line(['', ...good.map(({ robot }) => robot)]),
    line(['---', ...good.map(() => '---:')]),
    ...others,
  ].join('\n')
}

function faults(rows: readonly Row[]): string[] {
  return rows.flatMap(({ robot, error, runs }) => {
    if (runs === undefined) return [`${robot}: ${error}`]
    const all = runs.mujoco
    return [
      ...(worst(all) <= PART ? [] : [`${robot}: ${shown(worst(all))} of the path off before MuJoCo parts from itself`]),
      ...(sameFalls(all) >= Math.min(0.9 * all.length, ownFalls(all))
        ? []
        : [`${robot}: the same falls in ${sameFalls(all)} of ${all.length} seeds`]),
      ...all.flatMap(({ failure }) => failure ?? []),
    ]
  })
}
