import { milliseconds, percent, significant } from '../../measure/numbers.ts'
import { predictabilityPage, sensitivityPage } from '../../studies/charts.ts'
import { type PredictabilityResult, predictabilityOf } from '../../studies/predictability.ts'
import { type SensitivityResult, type Swing, sensitivityOf, swingOf } from '../../studies/sensitivity.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { gridFlags, scenarioOf } from '../scenarioArguments.ts'
import { type Cell, left, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'
import { openView, subjectOf } from './map.ts'

const flags = {
  ...gridFlags,
  '--dt <time>': 'time step (default: 1 ms)',
  '--by <part>': { meaning: 'change of each input', default: '10%' },
  '--starts': 'instead of inputs: the growth of a difference of a micrometre at the start',
} as const
type SensitivityFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed sensitivity humanoid --models penalty --dt 1e-3 --duration 2 --by 10%\n' +
    '  featherbed sensitivity humanoid --starts --models penalty,stewart-trinkle --duration 2\n\n' +
    '--starts makes 32 runs from starts within a micrometre. Their spread shows whether a comparison of trajectories is\n' +
    'meaningful. See docs/which-step.md.',
  flags,
  run: (target: string, xacro: string[], flags: SensitivityFlags) => sensitivity([target, ...xacro], flags),
}

async function sensitivity(targets: readonly string[], flags: SensitivityFlags): Promise<void> {
  const part = flags.by.endsWith('%') ? Number(flags.by.slice(0, -1)) / 100 : Number(flags.by)
  if (!(part > 0 && part < 1)) throw new UsageError(`--by found "${flags.by}", expected a part of each input such as 0.1 or 10%`)
  const scenario = await scenarioOf(targets, { ...flags, dt: flags.dt ?? '1e-3' })
  const { robot, robots, prepared } = await subjectOf(scenario)
  const view = await openView(scenario, flags, robots)
  if (flags.starts) {
    const result = await predictabilityOf(scenario, robot, { prepared, grid: view.grid })
    await view.close('predictability', result, () => predictabilityPage(result, view.command), predictabilityText(result))
  } else {
    const result = await sensitivityOf(scenario, robot, { part, prepared, grid: view.grid })
    await view.close('sensitivity', result, () => sensitivityPage(result, view.command), sensitivityText(result))
  }
}

const BAR = 24

function sensitivityText({ robot, duration, dt, part, models }: SensitivityResult): string {
  const { bold, dim, bad } = paintFor(io.stdout)
  const most = Math.max(1e-12, ...models.flatMap(({ rows }) => rows.map(swingOf).filter(Number.isFinite)))
  const bar = (swing: Swing | null) =>
    swing === null ? '' : '#'.repeat(Math.round((BAR * Math.min(most, swing.motion ?? most)) / most))
  const figure = (swing: Swing | null) => (swing === null ? '' : swing.motion === null ? 'failed' : percent(swing.motion))
  const parts = [
    `${bold(robot)} ${dim(`${duration} s at ${milliseconds(dt)}; distance of the motion from the run as stated, with ${percent(part)} less and more of one input`)}`,
  ]
  for (const { model, rows, failure } of models) {
    parts.push('', bold(model))
    if (failure !== null) parts.push(bad(`the run as stated failed: ${failure}`))
    for (const { input, less, more } of rows) {
      const name = input === 'delay' ? 'delay, 1 period' : input
      parts.push(
        `  ${name.padEnd(16)}${figure(less).padStart(9)} ${bar(less).padStart(BAR)}|${bar(more).padEnd(BAR)} ${figure(more)}`.trimEnd(),
      )
    }
  }
  return `${parts.join('\n')}\n`
}

const meanings = {
  sound: 'trajectories can be compared',
  fading: 'digits are lost; compare figures of the whole run beside trajectories',
  none: 'a comparison of trajectories says nothing',
} as const

function predictabilityText({ robot, duration, starts, shift_m, limit, spreads }: PredictabilityResult): string {
  const { bold, dim, good, warn } = paintFor(io.stdout)
  const rows = spreads.map(({ model, variant, dt, ended, spread, growth, log10, part, meaning }): Cell[] => [
    { text: variant ? `${model} ${Object.values(variant).join(', ')}` : model },
    { text: milliseconds(dt) },
    { text: ended === starts ? `${significant(spread[0] * 1e6, 2)} µm` : '-' },
    { text: ended === starts ? `${significant((spread.at(-1) as number) * 1e6, 2)} µm` : `${ended} of ${starts} ended` },
    { text: growth === null ? '-' : significant(growth, 2) },
    { text: log10 === null ? '-' : log10.toFixed(1) },
    { text: part === null ? '-' : percent(part) },
    { text: meanings[meaning], paint: meaning === 'sound' ? good : warn },
  ])
  const columns = [
    left('\nmodel'),
    right('\nstep'),
    right('spread\nat first'),
    right('spread\nat last'),
    right('\ngrowth'),
    right('\nlog10'),
    right(`of the motion\n<= ${percent(limit)}`),
    left(''),
  ]
  const head = `${bold(robot)} ${dim(`${duration} s from ${starts} starts within ${significant(shift_m * 1e6, 2)} µm`)}`
  return `${head}\n${table(columns, rows)}\n`
}
