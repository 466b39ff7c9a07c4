import { relative } from 'node:path'
import { type Diagnostic, formatDiagnostic, inspectRobot } from '../../robots/index.ts'
import { loadRobotBySource } from '../setup.ts'
import { UsageError } from './errors.ts'
import type { CommonFlags } from './main.ts'
import { paintFor } from './terminal.ts'

export interface BaseFlags extends CommonFlags {
  readonly floating?: boolean
  readonly fixed?: boolean
}

export function baseOf({ floating, fixed }: BaseFlags): 'floating' | 'fixed' | undefined {
  if (floating && fixed) throw new UsageError('--floating and --fixed exclude each other')
  return floating ? 'floating' : fixed ? 'fixed' : undefined
}

/** Findings of one kind together, in the order of the first of each. */
function kindsOf(findings: readonly Diagnostic[]): Diagnostic[][] {
  const kinds = new Map<string, Diagnostic[]>()
  for (const finding of findings) {
    const key = `${finding.severity} ${finding.code}`
    kinds.set(key, [...(kinds.get(key) ?? []), finding])
  }
  return [...kinds.values()]
}

/** A path as it is found from here, where that is shorter. */
function placed(finding: Diagnostic): Diagnostic {
  const nearer = relative('.', finding.file)
  return nearer !== '' && nearer.length < finding.file.length ? { ...finding, file: nearer } : finding
}

/** `featherbed inspect`. */
export async function inspect(source: string, flags: BaseFlags): Promise<void> {
  const robot = await loadRobotBySource(source, baseOf(flags))
  const inspection = inspectRobot(robot)
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(inspection, null, 2)}\n`)
    return
  }
  const { name, links, joints, dof, nq, nv, mass, massUsed, centerOfMass, doctor, tags } = inspection
  const { bold, dim, bad, warn, good } = paintFor(process.stdout)
  const kilograms = (m: number) => `${Number(m.toPrecision(6))} kg`
  const metres = (x: number) => (Math.abs(x) < 1e-9 ? 0 : Number(x.toPrecision(4)))
  const line = (label: string, value: string) => `  ${dim(label.padEnd(18))}${value}`
  const counted = Object.entries(joints)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
  const shapes = new Map<string, number>()
  for (const { shape } of robot.shapes) shapes.set(shape.type, (shapes.get(shape.type) ?? 0) + 1)
  const painted = { error: bad, warning: warn, info: dim }
  const out = [
    bold(name),
    line('base', robot.floating ? 'floating' : 'fixed'),
    line('links', String(links)),
    line('joints', counted.join(', ') || 'none'),
    line('moving joints', `${dof}  (nq ${nq}, nv ${nv})`),
    line(
      'mass',
      kilograms(mass) === kilograms(massUsed)
        ? kilograms(mass)
        : `${kilograms(massUsed)} after repairs, ${kilograms(mass)} in the file`,
    ),
    line('centre of mass', `${centerOfMass.map(metres).join(', ')} m at home`),
    line('collision shapes', [...shapes].map(([type, count]) => `${count} ${type}`).join(', ') || 'none'),
    line('tags ignored', tags.ignored.join(', ') || 'none'),
    '',
    doctor.length === 0
      ? good('The file is sound: nothing to report.')
      : bold(`${doctor.length} finding${doctor.length === 1 ? '' : 's'}`),
    ...kindsOf(doctor).flatMap(([first, ...more]) => {
      const { severity, code, remedy } = first
      const alike = more.every((finding) => finding.remedy === remedy)
      return [
        `${painted[severity](severity)} ${dim(code)}${alike && remedy !== '' ? `  ${remedy}` : ''}`,
        ...[first, ...more].map((finding) => `  ${formatDiagnostic(placed(alike ? { ...finding, remedy: '' } : finding))}`),
      ]
    }),
  ]
  process.stdout.write(`${out.join('\n')}\n`)
  if (doctor.some(({ severity }) => severity === 'error')) process.exitCode = 1
}
