/**
 * The report: one HTML file that holds everything it shows and asks nothing of any server. The verdict comes first; what
 * led to it, and how to make it again, below.
 */
import type { Results } from '../compare.ts'
import { metricDefinitions } from '../metricDefinitions.ts'
import type { Limits } from '../scenario.ts'
import { COST_TIE, millimetres, milliseconds, percent, significant } from '../verdict.ts'
import { againSection } from './again.ts'
import { forcesSection } from './forces.ts'
import { bound, count, listed } from './format.ts'
import { escapeHtml } from './html.ts'
import { parametersSection } from './parameters.ts'
import { script } from './script.ts'
import { solversSection } from './solvers.ts'
import { style } from './style.ts'
import { chosenOf, type ReportPlots, type Subject, subjectsOf } from './subject.ts'
import { allMetrics, mainTable } from './tables.ts'
import { timeSeries } from './timeSeries.ts'
import { overview, verdictCard } from './verdictCard.ts'
import { energyText, motionText } from './words.ts'
import { workPrecision } from './workPrecision.ts'

/**
 * @param plots   of run i of the results
 * @param command what makes these results again
 */
export function reportOf(results: Results, plots: readonly ReportPlots[], command: string): string {
  const { scenario, runs } = results
  const {
    name,
    duration,
    limits,
    physical = {},
  } = scenario as unknown as {
    name: string
    duration: number
    limits: Limits
    physical?: Readonly<Record<string, unknown>>
  }
  const subjects = subjectsOf(results, plots)
  const models = [...new Set(runs.map(({ model }) => model))]
  const steps = [...new Set(runs.map(({ dt }) => dt))].sort((a, b) => a - b)
  const asked = `Which contact model at which step is the cheapest whose penetration stays within ${millimetres(limits.penetration)}, motion error within ${percent(limits.tracking)} and energy error within ${percent(limits.energy)}?`
  const what = `${count(models.length, 'contact model')} (${listed(models)}) at ${count(steps.length, 'step size')} (${listed(steps.map(milliseconds))}), ${significant(duration, 6)} s each, ${subjects.length > 1 ? 'each robot with' : 'with'} the same controller and surroundings throughout.`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(name)}: Featherbed report</title>
<meta name="description" content="${escapeHtml(inShort(subjects))}">
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
<p class="brand">Featherbed report</p>
<h1>${escapeHtml(name)}</h1>
<p class="soft">${bound(escapeHtml(asked))} ${bound(escapeHtml(what))}</p>
${overview(subjects)}
</header>
<main>
${subjects.map((subject) => robotSection(subject, physical)).join('\n')}
${againSection(results, subjects, command)}
<section aria-labelledby="meaning"><h2 id="meaning">What the figures mean</h2>
${howJudged()}
${definitions()}
</section>
</main>
<footer>Made by Featherbed ${escapeHtml(results.machine.featherbed)}. Computing times are of the machine that is named above. Everything else is the same on every machine, to the last bit.</footer>
<script>${script}</script>
</body>
</html>
`
}

/** The verdicts in a line. */
function inShort(subjects: readonly Subject[]): string {
  return subjects
    .map((subject) => {
      const chosen = chosenOf(subject)
      return `${subject.robot.robot}: ${chosen ? `${chosen.model} at ${milliseconds(chosen.dt)}` : 'nothing fits'}`
    })
    .join('; ')
}

function robotSection(subject: Subject, physical: Readonly<Record<string, unknown>>): string {
  const { robot, index } = subject
  const warned =
    robot.warnings > 0 ? `<p class="warning">${count(robot.warnings, 'warning')} in its file: see featherbed inspect.</p>` : ''
  return `<section class="robot" aria-labelledby="robot-${index}">
<h2 id="robot-${index}">${escapeHtml(robot.robot)}</h2>
${verdictCard(subject)}
${warned}
<h3>What was measured</h3>
${mainTable(subject)}
${allMetrics(subject)}
${solversSection(subject)}
${forcesSection(subject)}
<h3>What accuracy costs</h3>
${workPrecision(subject)}
<h3>Over time</h3>
${timeSeries(subject)}
${parametersSection(subject, physical)}
</section>`
}

function howJudged(): string {
  return `<details class="card" open><summary>How the verdict is reached</summary><div class="inside">
<p class="note">Of all pairs of contact model and step size whose three errors are within the limits and in which no shapes passed through each other, the verdict takes the one with the least computing time per simulated second; costs within ${bound(percent(COST_TIE))} of the cheapest count as equal, and of those the model that is listed first wins, then the smaller step. If no pair is within the limits, it names what each missed.</p>
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
  return `<details class="card"><summary>What each metric is</summary><div class="inside"><dl>${items.join('')}</dl></div></details>`
}
