/**
 * The report: one HTML file that holds everything it shows and needs no server. The verdict comes first; its
 * reasons, and its command, below.
 */
import { type AnswersFound, answersWords } from '../answers/watch.ts'
import { besideLines } from '../judge/beside.ts'
import type { PackedBundle } from '../judge/bundle.ts'
import type { Results, ResultsFile } from '../judge/compare.ts'
import { metricDefinitions } from '../measure/metricDefinitions.ts'
import type { Metrics } from '../measure/metrics.ts'
import { counted, milliseconds, significant } from '../measure/numbers.ts'
import type { RangeSeries, RunRanges } from '../measure/rangesMeter.ts'
import { type Looks, MOST_CONTACTS, type PageData } from '../recording/replay/index.ts'
import type { Scenario } from '../scenario/index.ts'
import { againSection } from './again.ts'
import { agreementSection } from './agreement.ts'
import { chart, linearRange } from './chart.ts'
import { energyText, motionText } from './columns.ts'
import { bound, digits, titled } from './format.ts'
import { escapeHtml, scriptJson } from './html.ts'
import { lawsSection } from './laws.ts'
import { page } from './page.ts'
import { pageScript, replayMissing } from './pageScript.ts'
import { parametersSection } from './parameters.ts'
import { plainReplays, replayData } from './replayData.ts'
import { solversSection } from './solvers.ts'
import { chosenOf, type ReportPlots, type Subject, subjectsOf } from './subject.ts'
import { sweepSection } from './sweep.ts'
import { allMetrics, mainTable } from './tables.ts'
import { verdictCard } from './verdictCard.ts'
import { workPrecision } from './workPrecision.ts'

/**
 * @unchecked @param plots  of comparison c and its run i
 * @param bundle repeats the comparisons from the page alone
 * @param looks  of robots, by their files; without them collision shapes are drawn
 */
export function reportOf(
  file: ResultsFile,
  plots: readonly (readonly ReportPlots[])[],
  bundle?: PackedBundle,
  looks?: Looks,
): string {
  let first = 0
  const subjects = file.comparisons.map((results, c) => {
    const own = subjectsOf(results, plots[c], first, file.comparisons.length === 1)
    first += own.length
    return own
  })
  const all = subjects.flat()
  const title = [...new Set(file.comparisons.map(({ scenario }) => String(scenario.name)))].join(', ')
  const { data, left } = replayData(all, looks)
  const script = pageScript()
  const sections = file.comparisons.flatMap((results, c) =>
    subjects[c].map((subject) => subjectSection(subject, physicalOf(results), all.length > 1)),
  )
  const body = `<header>
<p class="brand">Featherbed</p>
<h1>${escapeHtml(all.length > 1 ? heading(file, all) : title)}</h1>
${all.length > 1 ? sceneTabs(all) : ''}
</header>
<main>
${sections.join('\n')}
${againSection(file, subjects, bundle)}
<section aria-labelledby="meaning"><h2 id="meaning">Definitions of the figures</h2>
${howJudged()}
${definitions()}
${howShown(data, left)}
</section>
</main>
<footer>Made by Featherbed ${escapeHtml(file.machine.featherbed)}. Computing times are of the machine that is named above. Everything else is the same on every machine, to the last bit.</footer>
<script type="application/json" id="replay-data">${scriptJson(data)}</script>
${bundle === undefined ? '' : `<script type="application/json" id="bundle">"${bundle.text}"</script>`}`
  return page({ title: `${title}: Featherbed report`, description: inShort(all), body, script })
}

/** Heading of several scenes. */
function heading({ comparisons }: ResultsFile, subjects: readonly Subject[]): string {
  const models = new Set(comparisons.flatMap(({ runs }) => runs.map(({ model }) => model)))
  return `${subjects.length} scenes under ${counted(models.size, 'contact model')}`
}

const physicalOf = ({ scenario }: Results) => (scenario.physical ?? {}) as Readonly<Record<string, unknown>>

/** The verdicts in a line. */
function inShort(subjects: readonly Subject[]): string {
  return subjects.map((subject) => `${subject.title}: ${choiceWords(subject)}`).join('; ')
}

function choiceWords(subject: Subject): string {
  const chosen = chosenOf(subject)
  const { state, set } = subject.verdict
  if (chosen) return `${chosen.model}${set.length > 1 ? ` or ${set.length - 1} more` : ''} at ${milliseconds(chosen.dt)}`
  return { undecided: 'undecided', withheld: 'no verdict', unhealthy: 'no verdict' }[state as string] ?? 'nothing fits'
}

/** Scenes with their verdicts; the page's script shows the one that is chosen, without it all are there. */
function sceneTabs(subjects: readonly Subject[]): string {
  const tabs = subjects.map(
    (subject, i) =>
      `<button type="button" role="tab" aria-selected="${i === 0}" aria-controls="scene-${i}"><span>${escapeHtml(subject.title)}</span><b${chosenOf(subject) ? '' : ' class="missed-words"'}>${escapeHtml(bound(choiceWords(subject)))}</b></button>`,
  )
  return `<div class="scenes" role="tablist" aria-label="Scenes">${tabs.join('')}</div>`
}

function subjectSection(subject: Subject, physical: Readonly<Record<string, unknown>>, isOneOfSeveral: boolean): string {
  const { robot, index, title } = subject
  const warned =
    robot.warnings > 0 ? `<p class="warning">${counted(robot.warnings, 'warning')} in its file: see featherbed inspect.</p>` : ''
  return `<section class="subject" id="scene-${index}"${isOneOfSeveral ? ' role="tabpanel"' : ''} aria-label="${escapeHtml(title)}">
${isOneOfSeveral ? `<h2 class="scene-title">${escapeHtml(title)}</h2>` : ''}
${sweepSection(subject)}
${verdictCard(subject)}
${besideSection(subject)}${warned}
<div class="replay" data-subject="${index}"><p class="note">${replayMissing()}</p></div>
<h3>Every model at every step</h3>
${mainTable(subject)}
${lawsSection(subject)}
${agreementSection(subject)}
${workPrecision(subject)}
${allMetrics(subject)}
${solversSection(subject)}
${parametersSection(subject, physical)}
</section>`
}

/** Engines from outside, or nothing. */
function besideSection({ beside }: Subject): string {
  const [first, ...lines] = besideLines(beside)
  if (first === undefined) return ''
  return `<div class="card"><h3>${escapeHtml(first)}</h3><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul></div>\n`
}

/** Shown part of the simulated runs. */
function howShown({ scenes, missing }: PageData, left: number): string {
  if (scenes.length === 0) return ''
  const without =
    left > 0
      ? ` ${counted(left, 'run')} have charts only, or none in another variant of a sweep, so that the page stays small.`
      : ''
  const named = `${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ' and others' : ''}`
  const standIns = missing.length > 0 ? ` Collision shapes stand in for meshes that could not be read: ${escapeHtml(named)}.` : ''
  return `<p class="note">The replay shows robots in the shapes and colours of their files, without images and with fine meshes simplified. Robots without visual shapes show their collision shapes.${standIns} Positions are kept to 1/65,536 of their range, at some 160 moments of each run, with interpolation between them. Arrows are the mean force of each contact over the step that ends at the moment: the ${MOST_CONTACTS} largest, without impacts.${without}</p>`
}

/** A run by itself. */
export interface OneRun {
  readonly robot: string
  readonly controller: string
  readonly model: string
  readonly dt: number
  readonly hash: string
  readonly failure: string | null
  readonly metrics: Partial<Metrics> | null
  readonly answersFound?: Omit<AnswersFound, 'forks'>
}

/**
 * One run to be played: its stage, its charts, its figures.
 *
 * @param command repeats it
 */
export function reportOfRun(
  run: OneRun,
  plots: ReportPlots,
  scenario: Pick<Scenario, 'duration' | 'limits'>,
  command: string,
  looks?: Looks,
  ranges?: readonly [RunRanges, RangeSeries],
): string {
  const { robot, controller, model, dt, hash, failure, metrics } = run
  const { duration, limits } = scenario
  const title = `${robot} under ${model} at ${milliseconds(dt)}`
  const data = plainReplays([{ name: title, duration, limits, runs: [{ ...run, role: '', plots }] }], looks)
  const under = controller === '' || controller === 'none' ? 'without a controller' : `under ${controller}`
  const figures = Object.entries(metricDefinitions).flatMap(([key, { label, unit, text }]) => {
    const value = metrics?.[key as keyof Metrics]
    if (typeof value !== 'number' || !Number.isFinite(value)) return []
    return [`<dt${titled(text)}>${label}</dt><dd>${digits(5)(value)} ${unit}</dd>`]
  })
  const body = `<header><p class="brand">Featherbed</p><h1>${escapeHtml(title)}</h1>
<p class="soft">${escapeHtml(under)}, ${bound(`${significant(duration, 6)} s`)}; state hash at the end <code>${escapeHtml(hash)}</code></p>
${failure === null ? '' : `<p class="warning">${escapeHtml(failure)}</p>`}</header>
<main><section class="subject"><div class="replay" data-subject="0"><p class="note">${replayMissing()}</p></div>
<h3>Figures</h3><dl class="facts">${figures.join('')}</dl>${run.answersFound ? answersSection(run.answersFound) : ''}${ranges ? rangesSection(...ranges) : ''}</section>
<section class="again"><h2>Repeat this run</h2><div class="command card"><pre><code>${escapeHtml(command)}</code></pre><button type="button" class="copy">copy</button></div></section>
${howShown(data, 0)}</main>
<script type="application/json" id="replay-data">${scriptJson(data)}</script>`
  return page({ title: `${title}: Featherbed report`, description: title, body, script: pageScript() })
}

/** The steps with several velocities or none. */
function answersSection(found: Omit<AnswersFound, 'forks'>): string {
  const items = found.events.map(
    ({ t, count, apart, words }) =>
      `<li>${bound(`${significant(t, 6)} s`)}: ${count === 0 ? 'no answer' : counted(count, 'connected set')}, ${bound(`${significant(apart, 3)} m/s`)} apart; ${escapeHtml(words)}</li>`,
  )
  return `<h3>All answers of the contact problem</h3><p class="note">${escapeHtml(answersWords(found))}</p><ul class="note">${items.join('')}</ul>`
}

/** A chart a motor: the model's torque, and the band of all that explain its motion. */
function rangesSection({ joints }: RunRanges, { t, torque, least, greatest }: RangeSeries): string {
  const x = { label: 'time [s]', log: false, range: [0, t.at(-1) ?? 1] } as const
  const figures = joints.map(({ joint, unit }, i) => {
    const band = { id: 'range', x: t, y: least[i], upper: greatest[i], color: 'var(--good)', dash: '' }
    const line = { id: 'model', x: t, y: torque[i], color: 'var(--ink)', dash: '' }
    const y = { label: `torque [${unit}]`, log: false, range: linearRange([torque[i], least[i], greatest[i]]) }
    const size = { width: 420, height: 220 }
    const picture = chart({ id: `range-${i}`, x, y, lines: [band, line], title: `Range of ${joint}`, size })
    return `<figure class="card"><figcaption>${escapeHtml(joint)}</figcaption>${picture}</figure>`
  })
  return `<h3>Torques that explain the motion</h3>
<p class="note">The line is the torque of the model. The band holds the torques of all contact forces within the friction cones that would have moved the robot in the same way; where it is wide, the motion leaves the torque open.</p>
<div class="charts">${figures.join('')}</div>`
}

function howJudged(): string {
  return `<details class="card"><summary>How the verdict is reached</summary><div class="inside">
<p class="note">A pair of contact model and step size has to keep every law of mechanics and contact, to drop no stated input, and to stay within the limits of error. Its errors are taken against the same model at a finer step, and against the consensus of the models that keep the laws, or a closed form. Of such pairs, the verdict names all that need up to 1.6 times the least counted work of a simulated second. Computing times are shown beside them and decide nothing. Where models that keep every law contradict each other, the verdict is undecided. Where the scene itself is at fault, as with a controller that shakes, the verdict names the fault.</p>
<dl>
<dt>Penetration</dt><dd>The deepest at any time, by an exact distance query. Rigid bodies do not penetrate, so the exact answer is zero.</dd>
<dt>Motion error</dt><dd>${escapeHtml(motionText)}</dd>
<dt>Energy error</dt><dd>${escapeHtml(energyText)}</dd>
<dt>Cost</dt><dd>Computing time per simulated second, controller included, from a pass of its own: one run after the other, nothing else measured.</dd>
</dl></div></details>`
}

function definitions(): string {
  const items = Object.entries(metricDefinitions).map(
    ([key, { label, text }]) => `<dt>${label}<code>${key}</code></dt><dd>${escapeHtml(text)}</dd>`,
  )
  return `<details class="card"><summary>Definitions of the metrics</summary><div class="inside"><dl>${items.join('')}</dl></div></details>`
}
