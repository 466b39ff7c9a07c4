import { type Fitted, fitOf, type Varied } from '../../../cases/fit.ts'
import { sceneFiles } from '../../../cases/phenomena.ts'
import { parseScene, type Scene } from '../../../cases/scene.ts'
import { contactModelNames } from '../../../contact/index.ts'
import { didYouMean } from '../../../dynamics/index.ts'
import { milliseconds, significant } from '../../measure/numbers.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { left, Progress, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'

const flags = {
  '--vary <name=from..to,...>': { meaning: 'up to three parameters, each with its range of search', isRequired: true },
  '--models <a,b>': 'contact models, or all (default: ncp)',
  '--dt <seconds>': "the step (default: the least of the scene's)",
  '--cases <log>': "a log in place of the scene's own cases",
} as const
type FitFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed fit cube-tosses --vary mu=0.05..0.6,e=0..0.6 --models ncp,penalty\n' +
    '  featherbed fit my-scene.yaml --vary mu=0.1..0.9 --cases log.csv\n\n' +
    'SCENE is one of `phenomena`, or a file; --vary names its `parameters`. Each fitted value has its uncertainty: one standard\n' +
    'deviation, by resampling the cases (bootstrap). A log is a file with a case a line: a JSON object each (.jsonl), a table\n' +
    "whose header names the columns (.csv), or a robot's log in ROS 2 (.mcap: t and its joints). Columns are `$name` in the\n" +
    'scene (docs/phenomena.md).',
  flags,
  run: fit,
}

async function fit(name: string, flags: FitFlags): Promise<void> {
  const vary = rangesOf(flags.vary)
  const models = flags.models === undefined ? ['ncp'] : flags.models === 'all' ? contactModelNames : flags.models.split(',')
  for (const model of models) {
    if (!(contactModelNames as readonly string[]).includes(model))
      throw new UsageError(
        `--models found "${model}", expected ${contactModelNames.join(', ')} or all${didYouMean(model, contactModelNames)}`,
      )
  }
  const [{ file, source }] = sceneFiles([name], flags.cases)
  const scene = await parseScene(source, file)
  const known = Object.keys(scene.parameters)
  for (const { name: parameter } of vary) {
    if (!Object.hasOwn(scene.parameters, parameter))
      throw new UsageError(
        `--vary: "${parameter}" is none of the parameters of ${scene.name}: ${known.join(', ') || 'it has none'}${didYouMean(parameter, known)}`,
      )
  }
  const dt = flags.dt === undefined ? Math.min(...scene.cases[0].scenario.dt) : Number(flags.dt)
  if (!(dt >= 1e-7 && dt <= 1)) throw new UsageError(`--dt found "${flags.dt}", expected a step in seconds, such as 1e-3`)
  const progress = new Progress(flags.quiet === true || flags.json === true)
  const fits: Fitted[] = []
  try {
    for (const [i, column] of models.entries()) {
      const show = (part: number) => progress.show('fit', (i + part) / models.length)
      fits.push(await fitOf({ source, file, vary, column, dt, progress: show }))
    }
  } finally {
    progress.end()
  }
  io.stdout.write(
    flags.json ? `${JSON.stringify({ scene: scene.name, dt, vary, fits }, null, 2)}\n` : `${textOf(scene, vary, dt, fits)}\n`,
  )
}

/** `mu=0.05..0.6,e=0..0.6` */
function rangesOf(words: string): Varied[] {
  const ranges = words.split(',').map((word) => {
    const [, name, low, high] = /^\s*([A-Za-z_]\w*)=(.+)\.\.(.+)$/.exec(word) ?? []
    const [from, to] = [Number(low), Number(high)]
    if (name === undefined || !(from < to))
      throw new UsageError(`--vary found "${word}", expected NAME=FROM..TO, such as mu=0.05..0.6`)
    return { name, from, to }
  })
  if (ranges.length > 3) throw new UsageError(`--vary found ${ranges.length} parameters, expected at most three`)
  return ranges
}

function textOf({ title, cases }: Scene, vary: readonly Varied[], dt: number, fits: readonly Fitted[]): string {
  const { bold, dim } = paintFor(io.stdout)
  const { measures } = cases[0]
  const rows = fits.map(({ column, error, errorBefore, medians, mediansBefore, ...fitted }) => [
    { text: column },
    ...vary.map((one, i) => ({ text: valueText(one, fitted, i) })),
    { text: significant(errorBefore, 3) },
    { text: significant(error, 3) },
    ...medians.map((median, m) => ({
      text: `${significant(mediansBefore[m], 3)} → ${significant(median, 3)} ${measures[m].unit}`.trim(),
    })),
  ])
  const titles = [
    left('model'),
    ...vary.map(({ name }) => right(name)),
    right('error\nas it stands'),
    right('error\nfitted'),
    ...measures.map(({ name }) => right(`median:\n${name}`)),
  ]
  const uncertainty =
    cases.length > 1
      ? `${cases.length} cases at ${milliseconds(dt)}; ± is one standard deviation, from drawing the cases anew`
      : `one case at ${milliseconds(dt)}; it takes more to tell an uncertainty`
  const notes = fits.flatMap((fitted) => vary.flatMap((one, i) => noteOf(one, fitted, i)))
  return [`${bold(title)} ${dim(uncertainty)}`, '', table(titles, rows), ...notes.map((line) => dim(line))].join('\n')
}

const isWithoutEffect = ({ from, to }: Varied, [low, high]: readonly [number, number]) => low <= from && high >= to

function valueText(
  one: Varied,
  { values, deviations, alike }: Pick<Fitted, 'values' | 'deviations' | 'alike'>,
  i: number,
): string {
  if (isWithoutEffect(one, alike[i])) return 'without effect'
  const value = significant(values[i], 3)
  return Number.isNaN(deviations[i]) ? value : `${value} ± ${significant(deviations[i], 2)}`
}

function noteOf(one: Varied, { column, values, alike }: Fitted, i: number): string[] {
  const [low, high] = alike[i]
  if (isWithoutEffect(one, alike[i])) return []
  if (low < high) return [`${column}: ${one.name} from ${significant(low, 3)} to ${significant(high, 3)} makes no difference`]
  return values[i] === one.from || values[i] === one.to ? [`${column}: ${one.name} ends at the edge of its range`] : []
}
