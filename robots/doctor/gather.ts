import { listed } from '../../dynamics/index.ts'
import type { Findings } from '../diagnostics.ts'
import { quote } from '../elements/index.ts'
import type { Place } from '../robot.ts'

/** One place at which something of a kind was found. */
export interface Case {
  readonly place: Place
  /** Of the link or the joint. */
  readonly name: string
  /** The message when it is the only one. */
  readonly message: string
}

/** The message for several, and the remedy for one or all. */
export interface Kind {
  readonly severity: 'repair' | 'warning' | 'info'
  readonly code: string
  /** Prefix of the name, such as `<inertia> of link`. */
  readonly element: string
  readonly message: string
  readonly remedy: string
}

/** Kinds by their codes, a line each: severity and code, element, message for several, remedy. */
export function kindsOf(table: string): (code: string) => Kind {
  const rows = table
    .trim()
    .split('\n')
    .map((line): [string, Kind] => {
      const [finding, element, message, remedy] = line.split(' | ')
      const [severity, code] = finding.split(' ')
      return [code, { severity: severity as Kind['severity'], code, element, message, remedy }]
    })
  const kinds = new Map(rows)
  return (code) => kinds.get(code) as Kind
}

/** Makes one finding of all cases of a kind, at the place of the first: a robot with thirty placeholders has one mistake. */
export function report(findings: Findings, { severity, code, element, message, remedy }: Kind, found: readonly Case[]): void {
  const cases = [...new Map(found.map((one) => [`${one.place.line} ${one.name} ${one.message}`, one])).values()]
  if (cases.length === 0) return
  const [first] = cases
  const names = [...new Set(cases.map(({ name }) => name))]
  if (cases.length === 1) findings[severity](code, first.place, `${element} ${quote(first.name)}`, first.message, remedy)
  else if (names.length === 1) findings[severity](code, first.place, `${element} ${quote(first.name)}`, message, remedy)
  else findings[severity](code, first.place, `${element}s ${listedNames(names)}`, message, remedy)
}

/** `"a", "b" and 3 more`, long names cut. */
export function listedNames(names: readonly string[], most = 5): string {
  return listed(names.slice(0, most).map(quote), most, names.length)
}
