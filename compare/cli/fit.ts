import { contactModelNames } from '../../contact/index.ts'
import { didYouMean } from '../../dynamics/index.ts'
import { type Fitted, fitOf, type Varied } from '../phenomena/fit.ts'
import { sceneFiles } from '../phenomena/phenomena.ts'
import { parseScene, type Scene } from '../phenomena/scene.ts'
import { ScenarioError } from '../scenario/index.ts'
import { milliseconds, significant } from '../verdict.ts'
import { UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { Progress, paintFor, table } from './terminal.ts'

export interface FitFlags extends CommonFlags {
  readonly vary: string
  readonly models?: string
  readonly dt?: string
}

/** `featherbed fit`. */
export async function fit(name: string, flags: FitFlags): Promise<void> {
  const vary = rangesOf(flags.vary)
  const models = flags.models === undefined ? ['ncp'] : flags.models === 'all' ? contactModelNames : flags.models.split(',')
  for (const model of models) {
    if (!(contactModelNames as readonly string[]).includes(model))
      throw new UsageError(
        `--models found "${model}", expected ${contactModelNames.join(', ')} or all${didYouMean(model, contactModelNames)}`,
      )
  }
  const { scene, file, source } = await sceneOf(name)
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
  process.stdout.write(
    flags.json ? `${JSON.stringify({ scene: scene.name, dt, vary, fits }, null, 2)}\n` : `${textOf(scene, vary, dt, fits)}\n`,
  )
}

async function sceneOf(name: string): Promise<{ readonly scene: Scene; readonly file: string; readonly source: string }> {
  try {
    const [{ file, source }] = sceneFiles([name])
    return { scene: await parseScene(source, file), file, source }
  } catch (error) {
    if (error instanceof ScenarioError || (error as { code?: string }).code === 'ENOENT')
      throw new UsageError((error as Error).message)
    throw error
  }
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
  const { bold, dim } = paintFor(process.stdout)
  const { measures } = cases[0]
  const rows = fits.map(({ column, values, deviations, error, errorBefore, medians, mediansBefore }) => [
    { text: column },
    ...values.map((value, i) => ({ text: `${significant(value, 3)} ± ${significant(deviations[i], 2)}` })),
    { text: significant(errorBefore, 3) },
    { text: significant(error, 3) },
    ...medians.map((median, m) => ({
      text: `${significant(mediansBefore[m], 3)} → ${significant(median, 3)} ${measures[m].unit}`.trim(),
    })),
  ])
  const right = (text: string) => ({ title: text, align: 'right' as const })
  const titles = [
    { title: 'model', align: 'left' as const },
    ...vary.map(({ name }) => right(name)),
    right('error\nas it stands'),
    right('error\nfitted'),
    ...measures.map(({ name }) => right(`median:\n${name}`)),
  ]
  const head = `${bold(title)} ${dim(`${cases.length} cases at ${milliseconds(dt)}; ± is one standard deviation, from leaving out case after case`)}`
  const edges = fits.flatMap(({ column, values }) =>
    vary.flatMap(({ name, from, to }, i) =>
      values[i] === from || values[i] === to ? [`${column}: ${name} ends at the edge of its range`] : [],
    ),
  )
  return [head, '', table(titles, rows), ...edges.map((line) => dim(line))].join('\n')
}
