/** The verdict: what was compared, on what, which to take, why, what the next best costs, and what fell out for which reason. */
import { startNote } from '../compare.ts'
import type { Limits } from '../scenario.ts'
import {
  COST_TIE,
  type LimitName,
  limitWords,
  millimetres,
  milliseconds,
  percent,
  seconds,
  significant,
  speed,
  times,
} from '../verdict.ts'
import { bound, count, listed } from './format.ts'
import { escapeHtml } from './html.ts'
import { chosenOf, figureOf, type MissedLimit, type Pair, type Subject } from './subject.ts'

/** Fallen pairs that are told; the table has them all. */
const mostFallen = 6

export function verdictCard(subject: Subject): string {
  const chosen = chosenOf(subject)
  const { robot, limits } = subject
  const warning =
    robot.startPenetration_m > limits.penetration ? `<p class="warning">${escapeHtml(bound(startNote(robot)))}</p>` : ''
  if (chosen === undefined) {
    const choice = subject.pairs.every(brokeOff)
      ? 'No verdict: every run broke off.'
      : 'Nothing fits: no pair of model and step keeps all limits.'
    return `<div class="verdict none"><p class="word">Verdict</p><p class="choice">${choice}</p>
<p class="sentence">${setting(subject)} ${noneWhy(subject)}</p>${fallen(subject)}</div>${warning}`
  }
  const runnerUp = runnerUpOf(subject, chosen)
  return `<div class="verdict"><p class="word">Verdict</p><p class="choice">Use <b>${escapeHtml(chosen.model)}</b> at a step of ${bound(milliseconds(chosen.dt))}.</p>
<p class="sentence">${setting(subject)} ${why(subject, chosen)}</p>
${runnerUp === undefined ? '' : `<p class="sentence">${runnerUpWords(runnerUp, chosen)}</p>`}
${fallen(subject)}</div>${warning}`
}

/** What was compared and on what. */
function setting({ robot, modelCount, steps, seeds, worlds, duration, pairs }: Subject): string {
  const { robot: name, mass, joints, floating, controller, controllerWhy } = robot
  const body = `${bound(`${significant(mass, 4)} kg`)}, ${count(joints, 'moving joint')}, ${floating ? 'floating' : 'fixed'} base`
  const under = controller === 'none' ? 'without a controller' : `under ${escapeHtml(controller)}`
  const repeats = [
    ...(seeds.length > 1 ? [count(seeds.length, 'seed')] : []),
    ...(worlds.length > 1 ? [`${count(worlds.length, 'variant')} of the world`] : []),
  ]
  const over = repeats.length > 0 ? `, over ${listed(repeats)} of which the worst counts` : ''
  const nothing = pairs.every(({ runs }) => runs.every(({ run }) => run.touched === false && run.status === 'ok'))
    ? ' <b>Nothing was touched in any run: the models differ in cost alone.</b>'
    : ''
  return `On <b>${escapeHtml(name)}</b> (${body}) ${under}${controllerWhy ? `, ${escapeHtml(controllerWhy)}` : ''}${surroundings(pairs, robot.others)}, ${count(modelCount, 'contact model')} ${modelCount === 1 ? 'was' : 'were'} compared at ${steps.length === 1 ? `a step of ${bound(milliseconds(steps[0]))}` : count(steps.length, 'step size')} for ${bound(`${significant(duration, 6)} s`)}${over}: ${count(pairs.length, 'pair')}.${nothing}`
}

/** What stands around and what else moves, as far as a drawing tells. */
function surroundings(pairs: readonly Pair[], others: readonly string[] = []): string {
  const shapes = pairs.flatMap(({ runs }) => runs[0].plots.snapshots ?? [])[0]?.shapes ?? []
  const fixed = shapes.filter(({ owner }) => owner < 0)
  const obstacles = fixed.filter(({ type }) => type !== 'halfspace').map(({ name }) => escapeHtml(name))
  const around = [
    ...(fixed.length > obstacles.length ? [`on ${fixed.length - obstacles.length === 1 ? 'a plane' : 'planes'}`] : []),
    ...(obstacles.length > 4
      ? [`among ${obstacles.length} obstacles`]
      : obstacles.length > 0
        ? [`with ${listed(obstacles)}`]
        : []),
    ...(others.length > 4
      ? [`beside ${others.length} other robots and bodies`]
      : others.length > 0
        ? [`beside ${listed(others.map((name) => `<b>${escapeHtml(name)}</b>`))}`]
        : []),
  ]
  return around.length === 0 ? '' : `, ${around.join(' ')}`
}

const fits = ({ missed }: Pair) => missed.length === 0
const brokeOff = ({ runs }: Pair) => runs.every(({ run }) => run.status === 'failed')

function why(subject: Subject, chosen: Pair): string {
  const { pairs, limits } = subject
  const fitting = pairs.filter(fits)
  const tied = fitting.filter(({ cost }) => cost !== null && chosen.cost !== null && cost <= chosen.cost * (1 + COST_TIE))
  const place =
    fitting.length <= 1
      ? 'This is the only one that keeps all three limits.'
      : tied.length <= 1
        ? `${fitting.length} keep all three limits, and of these it is the cheapest.`
        : `${fitting.length} keep all three limits; ${tied.length} of these cost the same within ${percent(COST_TIE)}, and among them it comes first.`
  const error = (read: Parameters<typeof figureOf>[1]) => figureOf(chosen, read)?.high ?? Number.NaN
  const worst = chosen.runs.length > 1 ? ' (worst run)' : ''
  const deepest = deepestWords(chosen)
  const cost = chosen.cost === null ? '' : ` A simulated second takes ${seconds(chosen.cost)} to compute, ${speed(chosen.cost)}.`
  return bound(
    `${place} It penetrates ${millimetres(error((run) => run.error?.penetration_m))} of ${millimetres(limits.penetration)} allowed${deepest}, ` +
      `its motion error is ${percent(error((run) => run.error?.tracking))} of ${percent(limits.tracking)}, ` +
      `its energy error ${percent(error((run) => run.error?.energy))} of ${percent(limits.energy)}${worst}.${cost}`,
  )
}

/** Which shapes were deepest in each other, where that is known. */
function deepestWords({ runs }: Pair): string {
  const depth = (run: Pair['runs'][0]['run']) => run.metrics?.penetrationMax_m ?? 0
  const [first] = runs.map(({ run }) => run).toSorted((a, b) => depth(b) - depth(a))
  return first.deepestPair ? ` (${escapeHtml(first.deepestPair.a)} in ${escapeHtml(first.deepestPair.b)})` : ''
}

/** The cheapest other model that fits; where there is none, the cheapest other pair. */
export function runnerUpOf({ pairs }: Subject, chosen: Pair): Pair | undefined {
  const others = pairs.filter((pair) => pair !== chosen && fits(pair) && pair.cost !== null)
  const cheapest = (list: readonly Pair[]) => list.toSorted((a, b) => (a.cost as number) - (b.cost as number))[0]
  return cheapest(others.filter(({ model }) => model !== chosen.model)) ?? cheapest(others)
}

function runnerUpWords(runnerUp: Pair, chosen: Pair): string {
  const { model, dt, cost } = runnerUp
  const ratio = cost === null || chosen.cost === null ? undefined : cost / chosen.cost
  const price =
    ratio === undefined
      ? 'also fits'
      : Math.abs(ratio - 1) <= COST_TIE
        ? 'costs the same'
        : ratio < 1
          ? `costs ${significant(ratio, 2)} times as much`
          : `would cost ${significant(ratio, 2)} times as much`
  const error = (read: Parameters<typeof figureOf>[1]) => figureOf(runnerUp, read)?.high ?? Number.NaN
  const parts = [
    `penetration ${millimetres(error((run) => run.error?.penetration_m))}`,
    `motion error ${percent(error((run) => run.error?.tracking))}`,
    `energy error ${percent(error((run) => run.error?.energy))}`,
  ]
  const same = model === chosen.model ? 'the same model' : `<b>${escapeHtml(model)}</b>`
  return bound(`Runner-up: ${same} at ${milliseconds(dt)} ${price} (${parts.join(', ')}).`)
}

/** How far a missed value is beyond its limit; Infinity where there is none to be had. */
function excess({ limit, value }: MissedLimit, limits: Limits): number {
  if (limit === 'failed' || limit === 'reference' || limit === 'tunnelled' || value === null) return Infinity
  return value / limits[limit]
}

function noneWhy({ pairs, limits }: Subject): string {
  const worst = (pair: Pair) => Math.max(...pair.missed.map((missed) => excess(missed, limits)))
  const [closest] = pairs.filter((pair) => Number.isFinite(worst(pair))).toSorted((a, b) => worst(a) - worst(b))
  // what passed through something is named among those out of the limits
  const passed = ({ missed }: Pair) => missed.some(({ limit }) => limit === 'tunnelled')
  if (closest === undefined) return pairs.every(brokeOff) || pairs.some(passed) ? '' : 'Not one run could be judged.'
  return bound(
    `Closest comes <b>${escapeHtml(closest.model)}</b> at ${milliseconds(closest.dt)}: ${reasons(closest, limits)}, ${significant(worst(closest), 3)} times what is allowed.`,
  )
}

const print: Readonly<Record<'penetration' | 'tracking' | 'energy', (x: number) => string>> = {
  penetration: millimetres,
  tracking: percent,
  energy: percent,
}

/** Why a pair fell out, in words with figures. */
export function reasons({ missed, runs }: Pair, limits: Limits): string {
  return listed(
    missed.map(({ limit, value, runs: n }) => {
      const some = runs.length > 1 && n < runs.length ? ` in ${n} of ${runs.length} runs` : ''
      if (limit === 'failed') return `${firstFailure(runs)}${some}`
      if (limit === 'reference' || value === null) return `${limitWords[limit]}${some}`
      if (limit === 'tunnelled') return `${limitWords[limit]} ${times(value)}${some}`
      return `${limitWords[limit]} ${print[limit](value)} > ${print[limit](limits[limit])}${some}`
    }),
  )
}

function firstFailure(runs: Pair['runs']): string {
  const failure = runs.find(({ run }) => run.failure !== null)?.run.failure
  return failure ? `broke off (${escapeHtml(shortened(failure))})` : limitWords.failed
}

const longest = 150

/** What is told of a failure where room is short: its first sentence. */
export function shortened(text: string): string {
  const first = text.split(/(?<=[.;]) /)[0]
  const line = first.length >= 20 ? first.replace(/[.;]$/, '') : text
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}\u2026`
}

function fallen({ pairs, limits }: Subject): string {
  const out = pairs.filter((pair) => !fits(pair))
  if (out.length === 0) return '<p class="sentence">None fell out.</p>'
  const items = out
    .slice(0, mostFallen)
    .map(
      (pair) => `<li><b>${escapeHtml(pair.model)}</b> at ${bound(milliseconds(pair.dt))}: ${bound(reasons(pair, limits))}</li>`,
    )
  const more = out.length > mostFallen ? `<li>${out.length - mostFallen} more: ${bound(tally(out.slice(mostFallen)))}</li>` : ''
  return `<div class="fallen"><p>${out.every(brokeOff) ? 'Why' : 'Out of the limits'}:</p><ul>${items.join('')}${more}</ul></div>`
}

const tallyWords: Readonly<Record<LimitName, string>> = {
  failed: 'broke off',
  reference: 'without errors or cost',
  tunnelled: 'passed through something',
  penetration: 'over the penetration',
  tracking: 'over the motion error',
  energy: 'over the energy error',
}

function tally(pairs: readonly Pair[]): string {
  const names = Object.keys(tallyWords) as LimitName[]
  return names
    .map((name) => ({ name, n: pairs.filter(({ missed }) => missed.some(({ limit }) => limit === name)).length }))
    .filter(({ n }) => n > 0)
    .map(({ name, n }) => `${n} ${tallyWords[name]}`)
    .join(', ')
}

/** The verdict on each of several robots, as a table at the head of the page. */
export function overview(subjects: readonly Subject[]): string {
  if (subjects.length < 2) return ''
  const rows = subjects.map((subject) => {
    const { robot, index, pairs } = subject
    const chosen = chosenOf(subject)
    const link = `<th class="left" scope="row"><a href="#robot-${index}">${escapeHtml(robot.robot)}</a></th>`
    const kept = `<td>${pairs.filter(fits).length} of ${pairs.length}</td>`
    if (chosen === undefined)
      return `<tr>${link}<td class="left missed-words">nothing fits</td><td>\u2013</td><td>\u2013</td>${kept}</tr>`
    const next = runnerUpOf(subject, chosen)
    const nextWords = next
      ? `${escapeHtml(next.model)} at ${milliseconds(next.dt)}${next.cost && chosen.cost ? `, ${significant(next.cost / chosen.cost, 2)}\u00d7` : ''}`
      : '\u2013'
    return `<tr>${link}<td class="left"><b>${escapeHtml(chosen.model)}</b> at ${bound(milliseconds(chosen.dt))}</td><td>${chosen.cost === null ? '\u2013' : bound(seconds(chosen.cost))}</td><td class="left">${nextWords}</td>${kept}</tr>`
  })
  return `<div class="card scroll" tabindex="0" role="region" aria-label="Verdicts"><table class="plain"><caption>Verdicts</caption><thead><tr><th class="left" scope="col">robot</th><th class="left" scope="col">use</th><th scope="col">cost of a simulated second</th><th class="left" scope="col">runner-up, its cost</th><th scope="col">pairs within limits</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}
