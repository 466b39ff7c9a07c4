import { shorten, visible } from './elements/spelling.ts'
import type { Diagnostic, Place } from './robot.ts'

/** A finding in one line, in a form that editors can jump to: `a1.urdf:214 <inertia> of link "FR_hip": ... Remedy.` @unchecked */
export function formatDiagnostic({ file, line, element, message, remedy }: Diagnostic): string {
  const place = line > 0 ? `${visible(file)}:${line}` : visible(file)
  const where = element === '' ? place : `${place} ${element}`
  return remedy === '' ? `${where}: ${message}` : `${where}: ${message} ${remedy}`
}

/** Findings of one code, as displayed to users. */
export interface FindingKind {
  /** `changed`: a value that affects the motion was repaired or chosen. */
  readonly label: 'error' | 'changed' | 'warning' | 'info'
  readonly code: string
  readonly findings: readonly Diagnostic[]
  /** The remedy for all of them; empty where each has its own. */
  readonly remedy: string
}

const labels = ['error', 'changed', 'warning', 'info'] as const

/** Findings by their kinds: errors, then changes, warnings and information. @unchecked */
export function kindsOf(findings: readonly Diagnostic[]): FindingKind[] {
  const kinds = new Map<string, Diagnostic[]>()
  for (const label of labels) {
    for (const finding of findings) {
      if (labelOf(finding) !== label) continue
      const key = `${label} ${finding.code}`
      const others = kinds.get(key)
      if (others) others.push(finding)
      else kinds.set(key, [finding])
    }
  }
  return Array.from(kinds.values(), (list) => {
    const [first] = list
    const shared = list.length > 1 && list.every(({ remedy }) => remedy === first.remedy)
    return { label: labelOf(first), code: first.code, findings: list, remedy: shared ? first.remedy : '' }
  })
}

function labelOf({ severity, repaired }: Diagnostic): FindingKind['label'] {
  return repaired && severity !== 'error' ? 'changed' : severity
}

/** Errors that a message lists; a broken file can have hundreds of thousands. */
const mostLines = 100

/**
 * A robot that cannot be loaded. It carries every finding of the file at once; the message has one line an error, up to a
 * hundred.
 */
export class RobotError extends Error {
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter((finding) => finding.severity === 'error')
    const lines = errors.slice(0, mostLines).map(formatDiagnostic)
    if (errors.length > mostLines) lines.push(`... and ${errors.length - mostLines} errors more.`)
    super(lines.join('\n'))
    this.name = 'RobotError'
    this.diagnostics = diagnostics
  }
}

/** Of each part of a finding: files hold names and values of any length. */
const mostCharacters = 1000

/** Collects findings while a file is read, so that all of them are reported at once. */
export class Findings {
  readonly list: Diagnostic[] = []

  error(code: string, place: Place, element: string, message: string, remedy: string): void {
    this.add('error', code, place, element, message, remedy)
  }

  warning(code: string, place: Place, element: string, message: string, remedy: string): void {
    this.add('warning', code, place, element, message, remedy)
  }

  /** A warning of a changed or chosen value that affects the motion. */
  repair(code: string, place: Place, element: string, message: string, remedy: string): void {
    this.add('warning', code, place, element, message, remedy, true)
  }

  info(code: string, place: Place, element: string, message: string, remedy: string): void {
    this.add('info', code, place, element, message, remedy)
  }

  /** Adds those of another reader. */
  take(others: readonly Diagnostic[]): void {
    // one by one: a call cannot have as many arguments as a file may cause findings
    for (const finding of others) this.list.push(finding)
  }

  /** @throws RobotError if there is an error among the findings */
  throwIfWrong(): void {
    if (this.list.some((finding) => finding.severity === 'error')) throw new RobotError(this.list)
  }

  private add(
    severity: Diagnostic['severity'],
    code: string,
    { file, line }: Place,
    element: string,
    message: string,
    remedy: string,
    repaired = false,
  ): void {
    this.list.push({
      severity,
      code,
      element: visible(shorten(element, mostCharacters)),
      file,
      line,
      message: visible(shorten(message, mostCharacters)),
      remedy: visible(shorten(remedy, mostCharacters)),
      ...(repaired && { repaired }),
    })
  }
}

/** The same findings for loading strictly: each repair is an error that states the repair. */
export function strictly(findings: readonly Diagnostic[]): Diagnostic[] {
  return findings.map(({ repaired, ...finding }) =>
    repaired ? { ...finding, severity: 'error', remedy: `Refused; if not strict: ${finding.remedy}` } : finding,
  )
}

/** A RobotError of one error. */
export function robotError(code: string, place: Place, element: string, message: string, remedy: string): RobotError {
  const findings = new Findings()
  findings.error(code, place, element, message, remedy)
  return new RobotError(findings.list)
}
