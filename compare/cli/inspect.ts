import { formatDiagnostic, inspectRobot } from '../../robots/index.ts'
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
    line('mass', mass === massUsed ? kilograms(mass) : `${kilograms(massUsed)} after repairs, ${kilograms(mass)} in the file`),
    line('centre of mass', `${centerOfMass.map((x) => Number(x.toPrecision(4))).join(', ')} m at home`),
    line('collision shapes', [...shapes].map(([type, count]) => `${count} ${type}`).join(', ') || 'none'),
    line('tags ignored', tags.ignored.join(', ') || 'none'),
    '',
    doctor.length === 0
      ? good('The file is sound: nothing to report.')
      : bold(`${doctor.length} finding${doctor.length === 1 ? '' : 's'}`),
    ...doctor.map(
      (finding) => `  ${painted[finding.severity](finding.severity.padEnd(8))}${dim(finding.code)}  ${formatDiagnostic(finding)}`,
    ),
  ]
  process.stdout.write(`${out.join('\n')}\n`)
  if (doctor.some(({ severity }) => severity === 'error')) process.exitCode = 1
}
