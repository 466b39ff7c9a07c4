import { availableParallelism } from 'node:os'
import { type Fitted, fitOf, type Varied } from '../../../cases/fit/fit.ts'
import { phasesOf } from '../../../cases/fit/phases.ts'
import { sceneFiles } from '../../../cases/phenomena.ts'
import { type Path, parseScene, type Scene } from '../../../cases/scene.ts'
import { contactModelNames } from '../../../contact/index.ts'
import { didYouMean } from '../../../dynamics/index.ts'
import { adaptersOf, engineNames } from '../../../engines/index.ts'
import { milliseconds, percent, significant } from '../../measure/numbers.ts'
import { chart } from '../../report/chart.ts'
import { escapeHtml } from '../../report/html.ts'
import { studyPage } from '../../studies/draw.ts'
import { UsageError } from '../errors.ts'
import { io } from '../io.ts'
import { writeAs } from '../output.ts'
import { left, Progress, paintFor, right, table } from '../terminal.ts'
import type { FlagsOf, Verb } from '../verb.ts'

const flags = {
  '--vary <name=from..to,...>': 'parameters to fit, each with its range of search (default: none, and only errors are told)',
  '--set <name=value,...>': "values of other parameters, in place of the scene's",
  '--models <a,b>': 'contact models, or all, or none (default: ncp)',
  '--engines <a,b>': 'engines from outside, each as it comes and by its manual (default: none)',
  '--dt <seconds>': "the step (default: the least of the scene's)",
  '--cases <log>': "a log in place of the scene's own cases",
  '--starts <n>': 'searches from so many starts (default: 1, from the values of the scene)',
  '--generations <n>': 'of the search without derivatives (default: 25)',
  '--every <n>': 'the search without derivatives sees every so manieth case; all else sees all (default: 1)',
  '--halves': 'predicts each half of the cases by a fit of its own to the other half',
  '--threads <n>': 'how many at once, 0 for none of its own (default: one per processor, at most 8)',
  '--out <page.html>': 'where the rest of the error arises: by contact and speed, and over time',
} as const
type FitFlags = FlagsOf<typeof flags>

export const verb: Verb = {
  example:
    '  featherbed fit cube-film --cases tosses.jsonl\n' +
    '  featherbed fit cube-film --cases tosses.jsonl --vary mu=0.1..0.3,e=0..0.5,cz=-0.01..0.01 --models ncp,convex\n' +
    '  featherbed fit my-scene.yaml --vary mu=0.1..0.9 --cases log.csv\n\n' +
    'SCENE is one of `phenomena` or of films, or a file; --vary names its `parameters`. Each value has its interval of 95 %, and one that\n' +
    'the cases do not determine is refused. `unseen` is the error of cases that the fit has not seen, by tenths; a parameter is worth its\n' +
    "place where that error rises without it. A log is a file with a case a line (.jsonl, .csv), or a robot's log in ROS 2 (.mcap: t and\n" +
    'its joints). Columns are `$name` in the scene (docs/fit.md).',
  flags,
  run: fit,
}

async function fit(name: string, flags: FitFlags): Promise<void> {
  const vary = rangesOf(flags.vary)
  const fixed = valuesOf(flags.set)
  const models = chosenOf('--models', flags.models ?? 'ncp', contactModelNames)
  const engines = chosenOf('--engines', flags.engines ?? 'none', engineNames)
  const adapters = await Promise.all(engines.map(adaptersOf))
  const columns = [...models, ...adapters.flat().map((adapter) => adapter.name)]
  const [{ file, source }] = sceneFiles([name], flags.cases, true)
  const scene = await parseScene(source, file)
  const known = Object.keys(scene.parameters)
  for (const [flag, parameter] of [...vary.map((one) => ['vary', one.name]), ...Object.keys(fixed).map((one) => ['set', one])])
    if (!Object.hasOwn(scene.parameters, parameter))
      throw new UsageError(
        `--${flag}: "${parameter}" is none of the parameters of ${scene.name}: ${known.join(', ') || 'it has none'}${didYouMean(parameter, known)}`,
      )
  const dt = flags.dt === undefined ? Math.min(...scene.cases[0].scenario.dt) : Number(flags.dt)
  if (!(dt >= 1e-7 && dt <= 1)) throw new UsageError(`--dt found "${flags.dt}", expected a step in seconds, such as 1e-3`)
  const { halves } = flags
  if (halves && vary.length === 0) throw new UsageError('--halves predicts by fits, and without --vary nothing is fitted')
  const starts = wholeOf('--starts', flags.starts, 1)
  const every = wholeOf('--every', flags.every, 1)
  const generations = wholeOf('--generations', flags.generations, 25)
  const threads = flags.threads === '0' ? 0 : wholeOf('--threads', flags.threads, Math.min(8, availableParallelism()))
  if (flags.out !== undefined && scene.cases[0].path === undefined)
    throw new UsageError('--out draws how runs part from recorded paths, and this scene has none')
  const progress = new Progress(flags.quiet === true || flags.json === true)
  const fits: Fitted[] = []
  try {
    for (const [i, column] of columns.entries()) {
      const show = (part: number) => progress.show('fit', (i + part) / columns.length)
      fits.push(
        await fitOf({ source, file, vary, column, dt, fixed, starts, generations, every, halves, threads, progress: show }),
      )
    }
  } finally {
    progress.end()
  }
  const plain = fits.map(({ cases, ...rest }) => ({ ...rest, distances: cases.map(({ distances }) => distances) }))
  io.stdout.write(
    flags.json
      ? `${JSON.stringify({ scene: scene.name, dt, vary, fits: plain }, null, 2)}\n`
      : `${textOf(scene, vary, dt, fits)}\n`,
  )
  if (flags.out !== undefined) writeAs(flags.out, phasesPage(scene, fits), '--out', 'give the path of an HTML file')
}

function chosenOf(flag: string, words: string, known: readonly string[]): readonly string[] {
  if (words === 'none') return []
  const chosen = words === 'all' ? known : words.split(',')
  for (const one of chosen)
    if (!known.includes(one))
      throw new UsageError(`${flag} found "${one}", expected ${known.join(', ')} or all${didYouMean(one, known)}`)
  return chosen
}

function wholeOf(flag: string, word: string | undefined, otherwise: number): number {
  if (word === undefined) return otherwise
  if (!/^[1-9]\d{0,3}$/.test(word)) throw new UsageError(`${flag} found "${word}", expected a whole number from 1 to 9999`)
  return Number(word)
}

/** `mu=0.05..0.6,e=0..0.6` */
function rangesOf(words: string | undefined): Varied[] {
  return (words ?? '').split(',').flatMap((word) => {
    if (words === undefined) return []
    const [, name, low, high] = /^\s*([A-Za-z_]\w*)=(.+)\.\.(.+)$/.exec(word) ?? []
    const [from, to] = [Number(low), Number(high)]
    if (name === undefined || !(from < to))
      throw new UsageError(`--vary found "${word}", expected NAME=FROM..TO, such as mu=0.05..0.6`)
    return [{ name, from, to }]
  })
}

/** `h=0,s=0.98` */
function valuesOf(words: string | undefined): Record<string, number> {
  if (words === undefined) return {}
  return Object.fromEntries(
    words.split(',').map((word) => {
      const [, name, value] = /^\s*([A-Za-z_]\w*)=(\S+)$/.exec(word) ?? []
      if (name === undefined || !Number.isFinite(Number(value)))
        throw new UsageError(`--set found "${word}", expected NAME=VALUE, such as mu=0.3`)
      return [name, Number(value)]
    }),
  )
}

function textOf(scene: Scene, vary: readonly Varied[], dt: number, fits: readonly Fitted[]): string {
  const { title, cases } = scene
  const { bold, dim } = paintFor(io.stdout)
  const measures = cases[0].path?.of ?? cases[0].measures
  const three = (before: number, fitted: number, unseen: number, unit = '') =>
    [before, ...(vary.length > 0 ? [fitted] : []), ...(Number.isNaN(unseen) ? [] : [unseen])]
      .map((value) => significant(value, 3))
      .join(' → ') + (unit === '' ? '' : ` ${unit}`)
  const rows = fits.map((one) => [
    { text: one.column },
    { text: three(one.errorBefore, one.error, one.errorUnseen) },
    ...measures.map(({ unit }, m) => ({ text: three(one.meansBefore[m], one.means[m], one.meansUnseen[m], unit) })),
  ])
  const heads = [left('model'), right('error'), ...measures.map(({ name }) => right(name))]
  const how =
    vary.length === 0
      ? 'as the scene stands'
      : cases.length < 4
        ? 'as it stands → fitted'
        : 'as it stands → fitted → unseen cases'
  const parts = [
    `${bold(title)} ${dim(`${cases.length === 1 ? 'one case' : `${cases.length} cases`} at ${milliseconds(dt)}; means: ${how}`)}`,
    '',
    table(heads, rows),
  ]
  if (vary.length > 0) {
    const titles = [left('parameter'), ...fits.flatMap(({ column }) => [right(column), right('95 %'), right('worth')])]
    const lines = vary.map((one, i) => [
      { text: one.name },
      ...fits.flatMap((fitted) => cellsOf(fitted, i).map((text) => ({ text }))),
    ])
    parts.push('', table(titles, lines), ...fits.flatMap((fitted) => notesOf(fitted, vary)).map((line) => dim(line)))
    parts.push(...fits.flatMap((fitted) => halvesOf(fitted, vary, measures)))
    if (cases.length < 4) parts.push(dim('it takes four cases to tell an uncertainty'))
  }
  return parts.join('\n')
}

/** Value, interval, and whether the parameter is worth its place. */
function cellsOf({ values, intervals, isDetermined, worth }: Fitted, i: number): string[] {
  if (!isDetermined[i]) return ['not determined', '', '']
  const [low, high] = intervals[i]
  // two digits of the interval's width
  const digits = Math.min(8, Math.max(3, 2 + Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (high - low)))))
  const interval = Number.isNaN(low) ? '' : `${significant(low, digits)} to ${significant(high, digits)}`
  const { rise, deviation } = worth[i] ?? { rise: NaN, deviation: NaN }
  const pays = Number.isNaN(rise) ? '' : rise > 2 * deviation ? 'pays' : rise < -2 * deviation ? 'harms' : 'no gain'
  return [significant(values[i], Number.isNaN(digits) ? 4 : Math.max(4, digits)), interval, pays]
}

/** Pairs of parameters that the cases hardly tell apart. */
const TOGETHER = 0.9
/** Part of the error by which half the step may change it. */
const OF_STEP = 0.1

function notesOf(
  { column, values, isDetermined, correlations, error, errorHalfStep }: Fitted,
  vary: readonly Varied[],
): string[] {
  const edges = vary.flatMap((one, i) =>
    isDetermined[i] && (values[i] === one.from || values[i] === one.to)
      ? [`${column}: ${one.name} ends at the edge of its range`]
      : [],
  )
  const pairs = vary.flatMap((one, i) =>
    vary.slice(i + 1).flatMap((other, k) => {
      const together = correlations[i][i + 1 + k]
      if (!(Math.abs(together) > TOGETHER) || !isDetermined[i] || !isDetermined[i + 1 + k]) return []
      return [`${column}: ${one.name} and ${other.name} are hardly told apart (correlation ${significant(together, 2)})`]
    }),
  )
  const [now, half] = [significant(error, 3), significant(errorHalfStep, 3)]
  const step =
    Math.abs(errorHalfStep - error) > OF_STEP * error
      ? [
          `${column}: at half the step the error is ${half}, not ${now}: values make up for the error of the step; take less with --dt`,
        ]
      : []
  return [...edges, ...pairs, ...step]
}

/** A line a half of the cases: what the other half says of it. */
function halvesOf(
  { column, halves }: Fitted,
  vary: readonly Varied[],
  measures: readonly { name: string; unit: string }[],
): string[] {
  return halves.map(({ values, meansUnseen }, h) => {
    const means = measures.map(({ name, unit }, m) => `${name} ${significant(meansUnseen[m], 3)}${unit === '' ? '' : ` ${unit}`}`)
    const fitted = vary.map(({ name }, i) => `${name} ${significant(values[i], 3)}`)
    return `${column}: ${h === 0 ? 'even' : 'odd'} cases, under a fit to the ${h === 0 ? 'odd' : 'even'} ones: ${means.join(', ')} (${fitted.join(', ')})`
  })
}

function phasesPage(scene: Scene, fits: readonly Fitted[]): string {
  const paths = scene.cases.map(({ path }) => path as Path)
  const { of } = paths[0]
  const body = fits.map((fitted, f) => {
    const { phases, course } = phasesOf(fitted.cases, paths)
    const heads = [
      'contact',
      'speed',
      'samples',
      ...of.flatMap(({ name }) => [`${name}: part of the error`, `a sample, over its scale`]),
    ]
    const rows = phases.map(({ touch, speed, samples, share, growth }) => [
      touch,
      speed,
      samples,
      ...of.flatMap((_, m) => [percent(share[m]), percent(growth[m])]),
    ])
    const most = Math.max(1e-6, ...course.distances.flat())
    const picture = chart({
      id: `course-${f}`,
      title: `${fitted.column}: how runs part from their paths`,
      x: { label: 'samples since the first touch', log: false, range: [0, course.samples.at(-1) ?? 1] },
      y: { label: 'median distance over its scale', log: false, range: [0, most] },
      lines: course.distances.map((y, m) => ({
        id: of[m].name,
        x: course.samples,
        y,
        color: m === 0 ? 'var(--line)' : 'var(--bad)',
        dash: m === 0 ? '' : '5 3',
      })),
      size: { width: 540, height: 290 },
    })
    const cells = (tag: string, row: readonly (string | number)[]) =>
      `<tr>${row.map((cell) => `<${tag}>${escapeHtml(String(cell))}</${tag}>`).join('')}</tr>`
    return `<h2>${escapeHtml(fitted.column)}</h2>${picture}<p>${of.map(({ name }, m) => `${escapeHtml(name)}: ${m === 0 ? 'solid' : 'dashed'}`).join(', ')}</p><table>${cells('th', heads)}${rows.map((row) => cells('td', row)).join('')}</table>`
  })
  return studyPage(`${scene.title}: where the rest of the error arises`, body.join(''))
}
