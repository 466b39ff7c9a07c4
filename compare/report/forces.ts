/** The robot drawn with its contact forces: under the verdict's model, and beside it at the same moment under every other. */
import { describePair, featureLegend, featurePairs, featurePicture } from '../picture/features.ts'
import { forcePicture, forceScale } from '../picture/forces.ts'
import type { ContactForce, Snapshot } from '../snapshot.ts'
import { milliseconds, significant } from '../verdict.ts'
import { bound, count, digits } from './format.ts'
import { escapeHtml } from './html.ts'
import { chosenOf, type Pair, type Subject } from './subject.ts'
import { shortened } from './verdictCard.ts'

const pictureSize = { width: 420, height: 320 } as const
/** Bodies that the table of loads tells one by one. */
const mostBodies = 14

/** One moment of every model at one step. */
interface Moment {
  readonly t: number
  /** Of each pair; undefined where its run had broken off. */
  readonly snapshots: readonly (Snapshot | undefined)[]
}

export function forcesSection(subject: Subject): string {
  const { pairs, steps, robot } = subject
  const chosen = chosenOf(subject)
  const dt = chosen?.dt ?? steps.find((step) => pairs.some((pair) => pair.dt === step && hasForces(pair))) ?? steps[0]
  // the verdict's model first
  const row = pairs.filter((pair) => pair.dt === dt).sort((a, b) => Number(b.isChosen) - Number(a.isChosen))
  const moments = momentsOf(row)
  if (moments.length === 0) return ''
  const lead = Math.max(0, row.findIndex(hasForces))
  const shown = deepest(moments, lead)
  const blocks = moments.map((moment, m) => momentBlock(subject, row, moment, m, m === shown))
  const name = escapeHtml(row[lead].model)
  const buttons =
    moments.length > 1
      ? `<div class="legend moments" role="group" aria-label="Moment that is drawn">${moments
          .map(
            ({ t }, m) =>
              `<button type="button" aria-pressed="${m === shown}" data-moment="${m}">${bound(`${significant(t, 4)} s`)}${m === moments.length - 1 ? ', the end' : ''}</button>`,
          )
          .join('')}</div>`
      : ''
  const why = moments.length > 1 ? ` Of the moments that were kept, the one first shown is where ${name} is deepest.` : ''
  return `<div class="forces-section"><h3>Who carries the load</h3>
<p class="note">Collision shapes of ${escapeHtml(robot.robot)} and what stands around it, at the same instant at a step of ${bound(milliseconds(dt))} under each model. Each arrow is one contact's force on the robot, normal and friction, the mean over that step, drawn from its point; all pictures share the scale of lengths and the scale of forces, whose bar points upwards as a force on level ground does.${why}</p>
${buttons}${blocks.join('\n')}</div>`
}

const hasForces = ({ runs }: Pair) => (runs[0].plots.snapshots?.length ?? 0) > 0

/** Moments that some run has. A run that broke off keeps its last one, of which the caption says when it was. */
function momentsOf(row: readonly Pair[]): Moment[] {
  const all = row.map(({ runs }) => runs[0].plots.snapshots ?? [])
  const tolerance = 0.51 * Math.max(...row.map(({ dt }) => dt))
  const times: number[] = []
  row.forEach(({ runs }, i) => {
    // a run that broke off has one of its own, that is no moment of the others
    for (const { t } of runs[0].run.status === 'failed' ? [] : all[i]) {
      if (!times.some((known) => Math.abs(known - t) <= tolerance)) times.push(t)
    }
  })
  if (times.length === 0) for (const { t } of all.flatMap((list) => list.slice(-1)).slice(0, 1)) times.push(t)
  return times
    .sort((a, b) => a - b)
    .map((t) => ({
      t,
      snapshots: all.map(
        (list, i) =>
          list.find((snapshot) => Math.abs(snapshot.t - t) <= tolerance) ??
          (row[i].runs[0].run.status === 'failed' ? list.findLast((snapshot) => snapshot.t <= t) : undefined),
      ),
    }))
}

/** Where the lead's contacts are deepest; the last moment if none has any. */
function deepest(moments: readonly Moment[], lead: number): number {
  const depths = moments.map(({ snapshots }) => -Math.min(0, ...(snapshots[lead]?.contacts ?? []).map(({ gap }) => gap)))
  const most = Math.max(...depths)
  return most > 0 ? depths.lastIndexOf(most) : moments.length - 1
}

function momentBlock(subject: Subject, row: readonly Pair[], { t, snapshots }: Moment, m: number, isShown: boolean): string {
  const known = snapshots.filter((snapshot) => snapshot !== undefined)
  const scale = forceScale(known, pictureSize)
  const figures = row.map((pair, i) => {
    const snapshot = snapshots[i]
    const [{ run }] = pair.runs
    const tag = pair.isChosen ? ' <span class="tag take">verdict</span>' : ''
    const head = `<figcaption>${escapeHtml(pair.model)}${tag}<span>`
    if (snapshot === undefined) {
      const why = run.failure ? `Broke off: ${shortened(run.failure)}` : 'Nothing was kept of this moment.'
      return `<figure class="card missing">${head}</span></figcaption><p class="note">${escapeHtml(why)}</p></figure>`
    }
    const late =
      Math.abs(snapshot.t - t) > pair.dt
        ? `<b class="missed-words">broke off, at ${bound(`${significant(snapshot.t, 3)} s`)}</b> `
        : ''
    const words = summary(snapshot)
    const svg = forcePicture(snapshot, scale, pictureSize, {
      id: `forces-${subject.index}-${m}-${i}`,
      title: `${subject.robot.robot} under ${pair.model} at ${significant(snapshot.t, 4)} s: ${words}. The table of loads has the forces.`,
      hasLabels: i === 0 || row.length <= 2,
    })
    return `<figure class="card${pair.isChosen ? ' chosen' : ''}">${head}${late}${bound(words)}</span></figcaption>${svg}</figure>`
  })
  return `<div class="moment" data-moment="${m}"${isShown ? '' : ' hidden'}><div class="charts pictures">${figures.join('')}</div>
${loads(subject, row, snapshots, t)}
${featureBlock(subject, row, snapshots, m)}</div>`
}

/** Pairs of shapes whose features are drawn, of each model. */
const mostPairs = 2
const closeUp = { width: 420, height: 260 } as const

/** Of the models that read features: the pairs with most to choose among, close up. */
function featureBlock(subject: Subject, row: readonly Pair[], snapshots: readonly (Snapshot | undefined)[], m: number): string {
  const figures = row.flatMap(({ model }, i) => {
    const snapshot = snapshots[i]
    if (snapshot?.features === undefined) return []
    const { features } = snapshot
    return featurePairs(snapshot, features)
      .slice(0, mostPairs)
      .map((pair, k) => {
        const name = `${pair.b} on ${pair.a}`
        const words = describePair(pair, features)
        const svg = featurePicture(snapshot, features, pair, closeUp, {
          id: `features-${subject.index}-${m}-${i}-${k}`,
          title: `${model}, ${name}: ${words}.`,
        })
        return `<figure class="card"><figcaption>${escapeHtml(`${model}: ${name}`)}<span>${escapeHtml(words)}</span></figcaption>${svg}</figure>`
      })
  })
  if (figures.length === 0) return ''
  const { svg, height } = featureLegend(legendWidth)
  return `<details class="card feature-block"><summary>Features that meet</summary>
<p class="note inside">Contacts of pairs of features, as models that read features took them at the start of the step, close up: for each model at most ${mostPairs} pairs of shapes, those with most to choose among. Of the members of a constraint one stays apart, with all of its contacts; a unilateral constraint has one contact.</p>
<div class="charts pictures inside">${figures.join('')}</div>
<div class="inside"><svg viewBox="0 0 ${legendWidth} ${height}" role="img" aria-label="Legend of feature contacts">${svg}</svg></div></details>`
}

const legendWidth = 1100

const isSound = ({ force }: ContactForce) => force.every(Number.isFinite)
const normalOf = ({ force, normal }: ContactForce) => force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2]

function summary({ contacts }: Snapshot): string {
  const sound = contacts.filter(isSound)
  const carrying = sound.filter((contact) => Math.hypot(...contact.force) > 0)
  const sum = carrying.reduce((total, contact) => total + normalOf(contact), 0)
  return carrying.length === 0
    ? 'no contact carries anything'
    : `${count(carrying.length, 'contact')}, normal forces ${significant(sum, 4)} N in sum`
}

interface Load {
  normal: number
  friction: [number, number, number]
  points: number
  gap: number
}

/** Forces by body and what it stands on: a row a pair of bodies, a column a model. */
function loads(subject: Subject, row: readonly Pair[], snapshots: readonly (Snapshot | undefined)[], t: number): string {
  const columns = snapshots.map((snapshot) => loadsOf(snapshot))
  const all = new Map<string, number>()
  for (const column of columns)
    for (const [key, { normal }] of column) all.set(key, Math.max(all.get(key) ?? 0, Math.abs(normal)))
  if (all.size === 0) return ''
  const keys = [...all].sort((a, b) => b[1] - a[1]).map(([key]) => key)
  // the largest are told, in the order of the bodies
  const told = new Set(keys.slice(0, mostBodies))
  const order = [...new Set(columns.flatMap((column) => [...column.keys()]))].filter((key) => told.has(key))
  const print = digits(3)
  const cell = (load: Load | undefined) => {
    if (load === undefined) return '<td class="soft">\u2013</td>'
    const friction = Math.hypot(...load.friction)
    return `<td>${print(load.normal)}<span class="range">${print(friction)} \u00b7 ${load.points} \u00b7 ${print(1e3 * load.gap)}</span></td>`
  }
  const rows = order.map(
    (key) =>
      `<tr><th class="left" scope="row">${escapeHtml(key)}</th>${columns.map((column) => cell(column.get(key))).join('')}</tr>`,
  )
  const rest = keys.length - told.size
  const restRow =
    rest > 0
      ? `<tr><th class="left" scope="row">${count(rest, 'other pair')}</th>${columns
          .map(
            (column) =>
              `<td>${print([...column].reduce((sum, [key, { normal }]) => sum + (told.has(key) ? 0 : normal), 0))}</td>`,
          )
          .join('')}</tr>`
      : ''
  const head = row.map(({ model }) => `<th scope="col">${escapeHtml(model)}<span class="unit">N</span></th>`).join('')
  return `<div class="card scroll loads" tabindex="0" role="region" aria-label="Loads on ${escapeHtml(subject.robot.robot)} at ${significant(t, 4)} s"><table><caption>Normal force at ${bound(`${significant(t, 4)} s`)} [N]; in small: friction [N] \u00b7 contact points \u00b7 least gap [mm]</caption><thead><tr><th class="left" scope="col">body</th>${head}</tr></thead><tbody>${rows.join('')}${restRow}</tbody></table></div>`
}

function loadsOf(snapshot: Snapshot | undefined): Map<string, Load> {
  const out = new Map<string, Load>()
  if (snapshot === undefined) return out
  const linkOf = new Map(snapshot.shapes.map(({ name, link }) => [name, link || name]))
  for (const contact of snapshot.contacts.filter(isSound)) {
    if (Math.hypot(...contact.force) === 0) continue
    const key = contact.b === '' ? 'robot' : `${linkOf.get(contact.b) ?? contact.b} on ${linkOf.get(contact.a) ?? contact.a}`
    const load = out.get(key) ?? { normal: 0, friction: [0, 0, 0], points: 0, gap: Infinity }
    const n = normalOf(contact)
    load.normal += n
    for (let k = 0; k < 3; k++) load.friction[k] += contact.force[k] - n * contact.normal[k]
    load.points++
    load.gap = Math.min(load.gap, contact.gap)
    out.set(key, load)
  }
  return out
}
