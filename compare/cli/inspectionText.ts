import { basename, relative } from 'node:path'
import { listed, shortened } from '../../dynamics/index.ts'
import { type Diagnostic, type FindingKind, formatDiagnostic, kindsOf, visible } from '../../robots/index.ts'
import { ruleOf } from '../inspect/mimicRule.ts'
import { grouped } from '../measure/grouped.ts'
import { counted } from '../measure/numbers.ts'
import { io } from './io.ts'
import { left, type Paint, paintFor, right, table } from './terminal.ts'
import type { RobotReport } from './verbs/inspect.ts'

/** Most places that are shown of one kind of finding, and most entries of one list. */
const mostPlaces = 10
const mostEntries = 12

/** Text report on a robot. */
export function inspectionText(inspected: RobotReport, source: string, all: boolean): string {
  const report = { ...inspected, name: visible(inspected.name) }
  const paint = paintFor(io.stdout)
  const width = Math.max(60, Math.min(io.stdout.columns ?? 120, 120))
  const facts = factsOf(report, all).map(([label, value]) => labelled(label, visible(value), width, paint))
  // repairs are listed at the end
  const shown = report.fixed ? report.doctor.filter(({ repaired }) => !repaired) : report.doctor
  const findings = kindsOf(shown).flatMap((kind) => kindText(kind, report.file, all, paint))
  const head = [paint.bold(report.name), ...report.lacks.map((lack) => paint.bad(`  For looking at only: ${lack}.`))]
  const words = ['', ...verdict(report, source, paint), ...otherwiseText(report)]
  return `${[...head, ...facts, ...findings, ...words].join('\n')}\n`
}

/** A row a joint: radians, newton metres and seconds; of one that slides metres and newtons. */
export function jointsText({ name, drivable, mimics, base }: RobotReport): string {
  const value = (x: number | null) => ({ text: x === null ? '-' : String(Number(x.toPrecision(4))) })
  const rows = drivable.map(({ name, type, range, effort, velocity, home, q, v }) => [
    { text: visible(name) },
    { text: type },
    ...[...range, effort, velocity, home, q, v].map(value),
  ])
  const columns = [
    left('joint'),
    left('type'),
    ...['from', 'to', 'effort', 'speed', 'home', 'q', 'v'].map((title) => right(title)),
  ]
  const order = `Controllers give one effort a joint in this order. Units: rad, N m, rad/s; m, N, m/s where it slides.`
  const floating = base.floating ? ['The floating base comes first: 7 numbers of q, 6 of v.'] : []
  const followers = mimics.map((mimic) => `${visible(mimic.name)} follows: ${visible(ruleOf(mimic))}`)
  return `${[paintFor(io.stdout).bold(visible(name)), table(columns, rows), ...followers, order, ...floating].join('\n')}\n`
}

function factsOf(report: RobotReport, all: boolean): [string, string][] {
  const { base, links, bodies, joints, dof, nq, nv, limits, shapes, mimics, freeJoints, poses, tags } = report
  const entriesText = (entries: readonly string[]) => shortened(entries, all ? Infinity : mostEntries)
  const { mimic, ...types } = joints
  const kinds = Object.entries(types).flatMap(([kind, count]) => (count ? [`${count} ${kind}`] : []))
  const rows: [string, string][] = [
    ['file', relativeTo(report.file)],
    ['base', `${base.floating ? 'floating' : 'fixed'}: ${base.why}`],
    ['links', `${links}, which make ${bodies} moving ${bodies === 1 ? 'body' : 'bodies'}`],
    [
      'joints',
      `${kinds.join(', ') || 'none'}${mimic > 0 ? `; ${mimic} of them ${mimic === 1 ? 'follows another' : 'follow others'}` : ''}`,
    ],
    ['degrees of freedom', `${dof}  (nq ${nq}, nv ${nv})`],
    ['mass', massText(report)],
    ['centre of mass', `${report.centerOfMass.map(metres).join(', ')} m at home`],
  ]
  const some = (label: string, entries: readonly string[]) => {
    if (entries.length > 0) rows.push([label, entriesText(entries)])
  }
  if (limits.joints > 0) rows.push(...limitsText(limits, all).map((text, k): [string, string] => [k === 0 ? 'limits' : '', text]))
  rows.push(['collision shapes', entriesText(Object.entries(shapes).map(([type, count]) => `${count} ${type}`)) || 'none'])
  some('surfaces', report.surfaces)
  for (const [k, mimic] of mimics.slice(0, all ? undefined : mostEntries).entries()) {
    rows.push([k === 0 ? 'joints that follow' : '', ruleOf(mimic)])
  }
  if (!all && mimics.length > mostEntries) rows.push(['', `and ${mimics.length - mostEntries} more`])
  some(
    'free joints',
    freeJoints.map(({ name, type }) => `${name} (${type})`),
  )
  some('objects', report.objects)
  some('named poses', [...new Set(poses.map(({ name, group }) => (group === '' ? name : `${group}/${name}`)))])
  if (report.disabledCollisions > 0) rows.push(['kept apart', pairs(report.disabledCollisions)])
  rows.push(['frames', String(report.frames)])
  if (report.surroundings > 0) rows.push(['surroundings', counted(report.surroundings, 'shape')])
  some('tags used', tags.used)
  some('tags carried', tags.carried)
  some('tags ignored', tags.ignored)
  return rows
}

/** Joints per limit that acts: `range on 15, effort on 19 of 22 joints`; and those that have no motor, or a speed that bounds plans alone. */
function limitsText({ joints, range, effort, velocity, motorless }: RobotReport['limits'], all: boolean): string[] {
  const on = (count: number) => (count === joints ? 'all' : String(count))
  const of = joints === 1 ? '' : ` of ${joints} joints`
  const counts = { range, effort }
  const kinds = grouped(
    (['range', 'effort'] as const).filter((what) => counts[what] > 0),
    (what) => counts[what],
  )
  const texts = Array.from(kinds, ([count, names]) => `${listed(names)} on ${on(count)}`)
  const acting = kinds.size === 0 ? 'none' : `${texts.join(', ')}${of}`
  const stated = velocity > 0 ? [`speed on ${on(velocity)}${of}: for plans of motion, it does not bound the joint itself`] : []
  const without = motorless.length > 0 ? [`no motor (effort 0) at ${listed(motorless, all ? Infinity : mostEntries)}`] : []
  return [...(stated.length > 0 && kinds.size === 0 ? [] : [acting]), ...stated, ...without]
}

function massText({ mass, massUsed }: RobotReport): string {
  const kilograms = (m: number) => `${Number(m.toPrecision(6))} kg`
  if (kilograms(mass) === kilograms(massUsed)) return kilograms(mass)
  return `${kilograms(massUsed)} after repairs, ${kilograms(mass)} in the file`
}

function metres(x: number): number {
  return Math.abs(x) < 5e-7 ? 0 : Number(x.toPrecision(4))
}

const pairs = (count: number) => `${count} ${count === 1 ? 'pair' : 'pairs'} of links`

/** A label and its value, which goes on under itself where the line is full. */
function labelled(label: string, value: string, width: number, { dim }: Paint): string {
  const indent = 22
  const lines = ['']
  for (const word of value.split(' ')) {
    const last = lines[lines.length - 1]
    if (last !== '' && last.length + word.length + 1 > width - indent) lines.push(word)
    else lines[lines.length - 1] = last === '' && lines.length === 1 && word !== '' ? word : `${last} ${word}`
  }
  return `  ${dim(label.padEnd(indent - 2))}${lines.join(`\n${' '.repeat(indent)}`)}`
}

// Findings

function kindText({ label, code, findings, remedy }: FindingKind, file: string, all: boolean, paint: Paint): string[] {
  const { bad, warn, dim, bold } = paint
  const painted = { error: bad, changed: warn, warning: warn, info: dim }[label]
  const shown = all ? findings : findings.slice(0, mostPlaces)
  const count = findings.length === 1 ? '' : ` (${findings.length})`
  return [
    '',
    `${painted(label)} ${bold(code)}${count}${remedy === '' ? '' : `: ${remedy}`}`,
    ...shown.map((finding) => `  ${formatDiagnostic(placed(remedy === '' ? finding : { ...finding, remedy: '' }, file))}`),
    ...(shown.length < findings.length ? [dim(`  and ${findings.length - shown.length} more places; --all shows them`)] : []),
  ]
}

/** The robot's own file by its name alone; others by the way to them. */
function placed(finding: Diagnostic, file: string): Diagnostic {
  return { ...finding, file: finding.file === file ? basename(file) : relativeTo(finding.file) }
}

/** A path as it is found from here, where that is shorter. */
function relativeTo(file: string): string {
  const nearer = relative('.', file)
  return nearer !== '' && nearer.length < file.length ? nearer : file
}

/** A line for each property of the file, with all tools that read it in the same other way. */
function otherwiseText({ otherwise, file }: RobotReport): string[] {
  const tools = new Map<string, string[]>()
  for (const finding of otherwise) {
    const [tool, reading] = finding.message.split(/: (.*)/s)
    const line = formatDiagnostic(placed({ ...finding, message: `\0: ${reading}` }, file))
    tools.set(line, [...(tools.get(line) ?? []), tool])
  }
  if (tools.size === 0) return []
  const lines = Array.from(tools, ([line, names]) => `  ${line.replace('\0', () => names.join(', '))}`)
  return ['', 'Other tools read this file otherwise:', ...lines]
}

// The last words

function verdict(report: RobotReport, source: string, { good, warn, bold }: Paint): string[] {
  const changes = report.doctor.filter(({ repaired }) => repaired).length
  const warnings = report.doctor.filter(({ severity, repaired }) => severity === 'warning' && !repaired).length
  const noted = warnings === 0 ? '' : `; ${counted(warnings, 'warning')} to look at`
  if (report.fixes !== undefined) return fixVerdict(report, paintFor(io.stdout))
  if (changes > 0) {
    return [
      warn(`${bold(report.name)} loads with ${counted(changes, 'change')}${noted}.`),
      `featherbed inspect ${source} --fix OUT.urdf writes the changes into a file; --strict refuses them.`,
    ]
  }
  return [good(`${bold(report.name)} loads as it is${noted}.`)]
}

function fixVerdict(report: RobotReport, { good, warn, bold }: Paint): string[] {
  const { name, file, fixes = [], fixed, left = [], outOfReach = 0 } = report
  if (fixed === null || fixed === undefined) return [good(`${bold(name)} needs no fixing; nothing was written.`)]
  const line = (finding: Diagnostic, from: string) => `  ${formatDiagnostic(placed(finding, from))}`
  const lines = [
    bold(`${counted(fixes.length, 'change')} written to ${relativeTo(fixed)}:`),
    ...fixes.map((finding) => line(finding, file)),
    '',
  ]
  if (left.length > 0) {
    const head = `Read again, the written file still needs ${counted(left.length, 'change')}:`
    lines.push(warn(head), ...left.map((finding) => line(finding, fixed)))
  } else lines.push(good('Read again, the written file needs no further change.'))
  if (outOfReach > 0) {
    const what = outOfReach === 1 ? '1 collision mesh is' : `${outOfReach} collision meshes are`
    lines.push(warn(`From where it is ${what} out of reach: meshes are looked for in and beside the package of a file.`))
    lines.push('Write it beside the original.')
  }
  return lines
}
