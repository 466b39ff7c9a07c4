import { join, relative } from 'node:path'
import { defaultPhysicalInputs } from '../../../contact/index.ts'
import { milliseconds, significant } from '../../measure/numbers.ts'
import { JobStore } from '../../run/jobStore.ts'
import type { Scenario } from '../../scenario/index.ts'
import { checkWorlds, prepareWorld, type RobotCache, subjectsOf } from '../../scenario/world/files.ts'
import { axesOf } from '../../studies/axes.ts'
import { mapPage, mapSvg } from '../../studies/draw.ts'
import { Grid } from '../../studies/grid.ts'
import { type Border, type MapResult, mapOf } from '../../studies/map.ts'
import { codeOf, whenInterrupted } from '../atEnd.ts'
import { commandLine } from '../commandLine.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { outputFolder, reportUnwritten, writeAll, writeOutput } from '../output.ts'
import { gridFlags, scenarioOf } from '../scenarioArguments.ts'
import { type Cell, left, Progress, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'
import { version } from '../version.ts'
import { type CompareFlags, NO_FOLDER, threadsOf } from './compare.ts'

/** The step that margins are taken of where none is stated [s]. */
const CHOSEN = 1e-3

const flags = {
  ...gridFlags,
  '--over <axes>': {
    meaning: 'axes of the map: dt and one more; FROM..TO/COUNT replaces the default range',
    default: 'dt,stiffness',
  },
  '--dt <time>': 'the step for which margins are computed (default: 1 ms)',
  '--no-timing': 'leave out computing times, and with them the cost of an error',
} as const
type MapFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed map humanoid --over dt,stiffness --models penalty,stewart-trinkle --duration 2 --out results\n' +
    '  featherbed map diffdrive --over dt=1ms..50ms/9,friction=0.1..1/4 --models mujoco\n' +
    '  featherbed map docs/examples/slide.yaml --over dt,models.penalty.lambda=0.5..0.95\n\n' +
    'Beside dt: stiffness, damping, friction, iterations (of peg), or the path of a field as a sweep has it, FIELD.FIELD=FROM..TO.\n' +
    'The largest safe step of each column is found by bisection to 1 %; its margin is over --dt. See docs/which-step.md.',
  flags,
  run: (target: string, xacro: string[], flags: MapFlags) => map([target, ...xacro], flags),
}

export async function map(targets: readonly string[], flags: MapFlags): Promise<void> {
  const { dt, over, ...others } = flags
  const chosen = await scenarioOf(targets, { ...others, dt: dt ?? String(CHOSEN) })
  const { robot, robots, prepared } = await subjectOf(chosen)
  const { allowedPenetration } = { ...defaultPhysicalInputs, ...chosen.physical }
  const axes = await axesOf(over, (prepared.scale.weight || prepared.robot.massUsed * 9.81) / allowedPenetration)
  const scenario = await scenarioOf(targets, others, {
    dt: axes[0].values,
    sweep: { [axes[1].path]: axes[1].values },
  })
  const view = await openView(scenario, flags, robots)
  const result = await mapOf(scenario, robot, {
    axes,
    chosen: chosen.dt[0],
    prepared,
    grid: view.grid,
    timing: flags.timing !== false,
  })
  await view.close(
    'map',
    result,
    () => mapPage(result, view.command),
    mapText(result),
    () => mapSvg(result),
  )
}

/**
 * The one robot of a view, in its world, which is built once so that its mistakes are reported first.
 *
 * @throws UsageError if there are several
 */
export async function subjectOf(scenario: Scenario) {
  const robots: RobotCache = new Map()
  const [robot, ...more] = subjectsOf(scenario)
  if (more.length > 0)
    throw new UsageError(`found ${more.length + 1} robots, ${[robot, ...more].join(', ')}; this is of one, name one of them`)
  const prepared = await prepareWorld(scenario, robot, robots)
  checkWorlds(scenario, prepared)
  return { robot, robots, prepared }
}

/**
 * Output shared by views of a grid: progress, and at the end text or JSON, and two files where they are wanted.
 *
 * @param idle worker threads that many short runs share; the caller ends them
 */
export async function openView(scenario: Scenario, flags: CompareFlags, robots: RobotCache, idle = io.idle) {
  const folder = flags.out === undefined ? undefined : await outputFolder(flags.out)
  if (flags.resume && folder === undefined) throw new UsageError(NO_FOLDER)
  const store = folder === undefined ? undefined : new JobStore(join(folder, '.partial'), version, flags.resume === true)
  const progress = new Progress(flags.quiet === true)
  whenInterrupted((signal) => {
    progress.end()
    const next = store === undefined ? '' : ' The same command with --resume goes on from the finished runs.'
    io.stderr.write(`Interrupted.${next}\n`)
    process.exit(codeOf(signal))
  })
  const show = (stage: string, fraction: number) => progress.show(stage, fraction)
  const grid = new Grid({ patience: scenario.patience, threads: threadsOf(flags), robots, store, idle, progress: show })
  const command = commandLine(io.args)
  const close = async (name: string, result: object, picture: () => string, text: string, svg?: () => string) => {
    progress.end()
    const json = `${JSON.stringify({ ...result, command }, null, 2)}\n`
    const failures =
      folder === undefined
        ? []
        : await writeAll([
            () => writeOutput(join(folder, `${name}.json`), json),
            async () => writeOutput(join(folder, `${name}.html`), picture()),
            async () => svg && writeOutput(join(folder, `${name}.svg`), svg()),
          ])
    if (store?.failure) failures.push(store.failure)
    if (failures.length === 0) store?.remove()
    const place = folder === undefined ? '' : relative(process.cwd(), folder) || '.'
    const kept =
      folder === undefined
        ? `--out DIR writes ${name}.json and a picture, ${name}.html.`
        : `Written: ${['html', ...(svg ? ['svg'] : []), 'json'].map((kind) => join(place, `${name}.${kind}`)).join(', ')}`
    io.stdout.write(flags.json ? json : `${text}\n${kept}\n`)
    reportUnwritten(failures)
  }
  return { grid, command, close }
}

/** Region and borders of each model: a character a run, then the largest steps. */
function mapText({ robot, duration, axes: [dt, other], chosen_s, models }: MapResult): string {
  const { bold, dim, good, warn, bad } = paintFor(io.stdout)
  const parts = [
    `${bold(robot)} ${dim(`${duration} s a run; steps from ${milliseconds(dt.values[0])} to ${milliseconds(dt.values.at(-1) as number)}`)}`,
    `${good('#')} ${dim('stable and within the limits')}   ${warn('o')} ${dim('stable')}   ${bad('x')} ${dim('neither')}   ${dim('borders by bisection to 1 %')}`,
  ]
  const step = ({ largest, beyond }: Border): string =>
    largest === null ? 'none' : `${beyond ? '>= ' : ''}${significant(largest * 1e3, 3)} ms`
  for (const { model, varies, columns } of models) {
    const shown = varies ? columns : columns.slice(0, 1)
    const rows = shown.map(({ value, cells, safe, stable, theory, isUnlimited }): Cell[] => [
      { text: varies ? significant(value, 3) : 'any' },
      { text: cells.map((cell) => (cell.safe ? '#' : cell.stable ? 'o' : 'x')).join('') },
      { text: step(safe) + (safe.again ? ' *' : '') },
      { text: safe.margin === null ? '-' : `${safe.beyond ? '>= ' : ''}${significant(safe.margin, 2)} x` },
      { text: step(stable) },
      { text: isUnlimited ? 'none' : theory === null ? '-' : `${significant(theory * 1e3, 3)} ms` },
    ])
    const columnsOf = [
      right(`${other.label}\n${other.unit && `[${other.unit}]`}`),
      left('steps\nsmall to large'),
      right('largest\nsafe step'),
      right(`margin over\n${milliseconds(chosen_s)}`),
      right('largest\nstable step'),
      right('its limit\nin theory'),
    ]
    parts.push('', bold(model), table(columnsOf, rows))
    if (columns.some(({ safe }) => safe.again)) parts.push(dim('* safe again at some larger step'))
  }
  return `${parts.join('\n')}\n`
}
