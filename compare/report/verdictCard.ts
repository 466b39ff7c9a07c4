/** The verdict: setting, chosen pair, reasons, cost of the next best, and excluded pairs with their reasons. */
import { listed } from '../../dynamics/index.ts'
import { barOf, withBar } from '../judge/errorBars.ts'
import { inText, type LimitName, limitWords } from '../judge/verdict.ts'
import { choiceWords } from '../judge/verdictWords.ts'
import { counted, millimetres, milliseconds, percent, seconds, significant } from '../measure/numbers.ts'
import type { Limits } from '../scenario/index.ts'
import { bound } from './format.ts'
import { escapeHtml } from './html.ts'
import { chosenOf, figureOf, isPairOf, type MissedLimit, type Pair, type Subject } from './subject.ts'

/** Excluded pairs listed here; the table has all. */
const mostFallen = 60

export function verdictCard(subject: Subject): string {
  const { robot, verdict } = subject
  const chosen = chosenOf(subject)
  const warning = [robot.floatingNotice, ...robot.limitsNotes]
    .map((note) => (note === null ? '' : `<p class="warning">${escapeHtml(note)}</p>`))
    .join('')
  const [lead] = leadsOf(subject).keys()
  const compared = chosen ? [chosen, runnerUpOf(subject, chosen)] : verdict.state === 'none' ? [lead] : []
  const figures = figuresOf(subject, compared.filter((pair) => pair !== undefined && !brokeOff(pair)) as Pair[])
  return `<div class="verdict ${verdict.state}"><p class="choice">${choice(subject)}</p>
<p class="sentence">${sentence(verdict)}</p>
${figures}<p class="setting">${setting(subject)}</p></div>${warning}${fallen(subject)}`
}

function choice(subject: Subject): string {
  const chosen = chosenOf(subject)
  const { state, set } = subject.verdict
  if (chosen) {
    const [, second, ...more] = set
    const several = more.length === 0 ? second && choiceWords(second) : `any of ${more.length + 1} others that are as good`
    const others = several === undefined ? '' : `, or ${escapeHtml(several)}`
    const lead = state === 'any' ? 'Any model will do; use' : 'Use'
    return `${lead} <b>${escapeHtml(chosen.model)}</b> at a step of ${bound(milliseconds(chosen.dt))}${others}.`
  }
  if (subject.pairs.every(brokeOff)) return 'No verdict: every run broke off.'
  return (
    {
      undecided: 'Undecided: models that keep every law contradict each other.',
      unhealthy: 'No verdict on contact: the scene itself has to be mended first.',
      withheld: 'No verdict: the robot lacks what a simulation needs.',
    }[state as string] ?? 'Nothing fits: no pair of model and step keeps every law and limit.'
  )
}

/** The verdict's own words, without the robot's name, which stands above. */
const sentence = ({ robot, sentence: words }: Subject['verdict']) => {
  const own = words.startsWith(`${robot}: `) ? words.slice(robot.length + 2) : words
  return escapeHtml(bound(own.charAt(0).toUpperCase() + own.slice(1)))
}

/** Figures of the first runs, a row each; where they miss a limit, in red. */
function figuresOf({ limits, verdict }: Subject, pairs: readonly Pair[]): string {
  if (pairs.length === 0) return ''
  type Read = Parameters<typeof figureOf>[1]
  const figure = (pair: Pair, key: string, read: Read, limit: number, print: (x: number) => string) => {
    const value = figureOf(pair, read)?.high
    if (value === undefined) return '<td>\u2013</td>'
    const runs = pair.runs.map(({ run }) => run)
    return `<td${value <= limit ? '' : ' class="missed"'}>${bound(withBar(value, barOf(runs, key), print))}</td>`
  }
  const millis = (x: number) => (x > 0 && x < 1e-7 ? '&lt; 0.0001 mm' : millimetres(x))
  const percents = (x: number) => (x > 0 && x < 1e-5 ? '&lt; 0.001 %' : percent(x))
  const names = ['', 'runner-up: ']
  const rows = pairs.map((pair, i) => {
    const equal = i > 0 && verdict.set.some(({ model, dt }) => model === pair.runs[0].run.model && dt === pair.dt)
    const price =
      pair.cost === null
        ? '\u2013'
        : `${bound(seconds(pair.cost))}${pair.spread > 0 ? ` \u00b1\u00a0${bound(percent(Number(pair.spread.toPrecision(2))))}` : ''}${equal ? ', about the same' : ''}`
    return `<tr><th scope="row">${names[i]}<b>${escapeHtml(pair.model)}</b> at ${bound(milliseconds(pair.dt))}</th>${figure(pair, 'penetrationMax_m', ({ error }) => error?.penetration_m, limits.penetration, millis)}${figure(pair, 'tracking', ({ error }) => error?.tracking, limits.tracking, percents)}${figure(pair, 'energy', ({ error }) => error?.energy, limits.energy, percents)}<td>${price}</td></tr>`
  })
  const head = [
    ['penetration', millimetres(limits.penetration)],
    ['motion error', percent(limits.tracking)],
    ['energy error', percent(limits.energy)],
  ].map(([name, limit]) => `<th scope="col">${name}<span class="unit">\u2264 ${bound(limit)}</span></th>`)
  return `<table class="figures"><thead><tr><td></td>${head.join('')}<th scope="col">cost<span class="unit">of a second</span></th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** The runs that a replay shows at first and their roles: the verdict or the closest to it, the next best, the worst. */
export function leadsOf(subject: Subject): Map<Pair, string> {
  const { pairs, limits } = subject
  const leads = new Map<Pair, string>()
  const add = (pair: Pair | undefined, role: string) => {
    if (pair !== undefined && !leads.has(pair)) leads.set(pair, role)
  }
  const chosen = chosenOf(subject)
  if (chosen) {
    add(chosen, 'verdict')
    add(runnerUpOf(subject, chosen), 'runner-up')
  } else if (subject.verdict.state === 'undecided') {
    const camps = subject.truths.find(({ kind }) => kind === 'split')?.camps ?? []
    camps.slice(0, 2).forEach(({ models }, i) => {
      add(
        pairs.find(({ model }) => model === models[0]),
        `camp ${i + 1}`,
      )
    })
  } else add(closestOf(subject), 'closest')
  const worst = (pair: Pair) => Math.max(0, ...pair.missed.map((missed) => excess(missed, limits)).filter(Number.isFinite))
  add(pairs.filter((pair) => worst(pair) > 1).toSorted((a, b) => worst(b) - worst(a))[0], 'worst')
  if (leads.size < 2)
    add(
      pairs.find((pair) => !leads.has(pair)),
      '',
    )
  return leads
}

/** Setting of the comparison. */
function setting({ robot, modelCount, steps, seeds, worlds, duration, pairs, scenario }: Subject): string {
  const { robot: name, mass, joints, floating, controller, controllerWhy } = robot
  const body = `${bound(`${significant(mass, 4)} kg`)}, ${counted(joints, 'moving joint')}, ${floating ? 'floating' : 'fixed'} base`
  const under = controller === 'none' ? 'without a controller' : `under ${escapeHtml(controller)}`
  const repeats = [
    ...(seeds.length > 1 ? [counted(seeds.length, 'seed')] : []),
    ...(worlds.length > 1 ? [`${counted(worlds.length, 'variant')} of the world`] : []),
  ]
  const over = repeats.length > 0 ? `, over ${listed(repeats)} of which the worst counts` : ''
  const nothing = pairs.every(({ runs }) => runs.every(({ run }) => run.touched === false && run.status === 'ok'))
    ? ' <b>Nothing was touched in any run: the models differ in cost alone.</b>'
    : ''
  return `<b>${escapeHtml(name)}</b> (${body}) ${under}${controllerWhy ? `, ${escapeHtml(controllerWhy)}` : ''}${surroundings(scenario, robot.others)}; ${counted(modelCount, 'contact model')} at ${steps.length === 1 ? `a step of ${bound(milliseconds(steps[0]))}` : listed(steps.map((dt) => bound(milliseconds(dt))))} for ${bound(`${significant(duration, 6)} s`)}${over}: ${counted(pairs.length, 'pair')}.${nothing}`
}

/** Fixed and moving surroundings. */
function surroundings(scenario: Subject['scenario'], others: readonly string[] = []): string {
  const {
    ground,
    boxes = [],
    obstacles = [],
  } = scenario as unknown as {
    ground?: unknown
    boxes?: readonly { name: string }[]
    obstacles?: readonly { name: string }[]
  }
  const fixed = [...boxes, ...obstacles].map(({ name }) => escapeHtml(name))
  const around = [
    ...(ground ? ['on a plane'] : []),
    ...(fixed.length > 4 ? [`among ${fixed.length} obstacles`] : fixed.length > 0 ? [`with ${listed(fixed)}`] : []),
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

/** Of the others that fit, the next of the set; behind it the one of the longest step, of another model if there is one. */
export function runnerUpOf({ pairs, verdict: { set } }: Subject, chosen: Pair): Pair | undefined {
  const rank = (pair: Pair) => {
    const place = set.findIndex((choice) => isPairOf(pair, choice))
    return place >= 0 ? place : set.length + (pair.model === chosen.model ? 1 : 0) - Math.min(1, pair.dt)
  }
  return pairs.filter((pair) => pair !== chosen && fits(pair)).toSorted((a, b) => rank(a) - rank(b))[0]
}

/** How far a missed value is beyond its limit; Infinity where there is none to be had. */
function excess({ limit, value }: MissedLimit, limits: Limits): number {
  if ((limit !== 'tracking' && limit !== 'energy' && limit !== 'penetration') || value === null) return Infinity
  return value / limits[limit]
}

/** The pair whose largest error is the smallest multiple of its limit. */
function closestOf({ pairs, limits }: Subject): Pair | undefined {
  const worst = (pair: Pair) => Math.max(...pair.missed.map((missed) => excess(missed, limits)))
  return pairs.filter((pair) => Number.isFinite(worst(pair))).toSorted((a, b) => worst(a) - worst(b))[0]
}

/** Why a pair fell out, in words with figures. */
export function reasons({ missed, runs }: Pair): string {
  return listed(
    missed.map(({ limit, words, runs: n }) => {
      const some = runs.length > 1 && n < runs.length ? ` in ${n} of ${runs.length} runs` : ''
      if (limit === 'failed') return `${firstFailure(runs)}${some}`
      return `${escapeHtml(words)}${some}`
    }),
  )
}

function firstFailure(runs: Pair['runs']): string {
  const failure = runs.find(({ run }) => run.failure !== null)?.run.failure
  return failure ? `broke off (${escapeHtml(shortened(failure))})` : limitWords.failed
}

const longest = 150

/** A failure where room is short: its first sentence. */
export function shortened(text: string): string {
  const first = text.split(/(?<=[.;]) /)[0]
  const line = first.length >= 20 ? first.replace(/[.;]$/, '') : text
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}\u2026`
}

function fallen({ pairs, verdict }: Subject): string {
  const out = pairs.filter((pair) => !fits(pair))
  if (out.length === 0) return ''
  const items = out
    .slice(0, mostFallen)
    .map((pair) => `<li><b>${escapeHtml(pair.model)}</b> at ${bound(milliseconds(pair.dt))}: ${bound(reasons(pair))}</li>`)
  const more = out.length > mostFallen ? `<li>${out.length - mostFallen} more: ${bound(tally(out.slice(mostFallen)))}</li>` : ''
  return `<details class="fallen"><summary>${out.length} of ${counted(pairs.length, 'pair')} are out: ${bound(tally(out))}</summary><p class="note">${verdict.reasons.map((reason) => escapeHtml(bound(reason))).join('<br>')}</p><ul>${items.join('')}${more}</ul></details>`
}

const tallyWords: Readonly<Record<LimitName, string>> = {
  ...limitWords,
  failed: 'broke off',
  reference: 'without errors or cost',
}

/** How many pairs missed each limit. */
function tally(pairs: readonly Pair[]): string {
  const names = Object.keys(tallyWords) as LimitName[]
  return names
    .map((name) => ({ name, n: pairs.filter(({ missed }) => missed.some(({ limit }) => limit === name)).length }))
    .filter(({ n }) => n > 0)
    .toSorted((a, b) => b.n - a.n)
    .map(({ name, n }) => `${inText(tallyWords[name])} ${n}`)
    .join(', ')
}
