/** Logs of measurements: a file with a case a line, in JSON or as a table. */
import type { Robot } from '../../../robots/index.ts'
import { ScenarioError } from '../index.ts'
import { namesOf } from './start.ts'

/**
 * The cases of a log's bytes: `logOf`, and of an MCAP file of ROS 2 a case a message of the joints, `t` [s] and their positions by name.
 *
 * @throws ScenarioError
 */
export async function readLogOf(file: string, bytes: Uint8Array): Promise<readonly Logged[]> {
  if (!/\.mcap$/i.test(file)) return logOf(file, new TextDecoder().decode(bytes))
  const { rosLogOf } = await import('../logs/index.ts')
  return rosLogOf(file, bytes).map(({ t, positions }) => ({ values: { ...positions, t }, where: `${file} at ${t} s` }))
}

/** Joints that a robot's log has and the robot lacks, and the reverse; '' for none. @param logged with `t` or without */
export function unmatched(logged: Iterable<string>, { name, joints }: Robot): string {
  const all = new Set(logged)
  const own = joints.map((joint) => joint.name)
  const lacking = [...all].filter((joint) => joint !== 't' && !own.includes(joint))
  const silent = own.filter((joint) => !all.has(joint))
  const words = [
    lacking.length > 0 && `${name} has no joint ${namesOf(lacking)}`,
    silent.length > 0 && `nothing is logged of ${namesOf(silent)}`,
  ]
  return words.filter(Boolean).join('; ')
}

/** A case of a log: values by name, and the file and line that they stand in. */
export interface Logged {
  readonly values: Readonly<Record<string, unknown>>
  readonly where: string
}

/**
 * The cases of a log. `.jsonl`, `.ndjson`: a JSON object a line. `.csv`: the first line names the columns, a cell that is no number is a text,
 * and an empty one states nothing. Empty lines are skipped.
 *
 * @throws ScenarioError with every line that cannot be read
 */
export function logOf(file: string, text: string): Logged[] {
  const read = readers[/\.\w+$/.exec(file)?.[0].toLowerCase() ?? '']
  if (read === undefined) throw new ScenarioError([`${file}: a log is a file of the kind ${Object.keys(readers).join(', ')}`])
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const problems: string[] = []
  const cases: Logged[] = []
  const readLine = read(lines, (message) => problems.push(`${file}:1: ${message}`))
  lines.forEach((line, index) => {
    const where = `${file}:${index + 1}`
    if (line.trim() === '') return
    const values = readLine(line, index, (message) => problems.push(`${where}: ${message}`))
    if (values !== undefined) cases.push({ values, where })
  })
  if (problems.length > 0) throw new ScenarioError(problems)
  if (cases.length === 0) throw new ScenarioError([`${file}: holds no case`])
  return cases
}

type Report = (message: string) => void
type ReadLine = (line: string, index: number, report: Report) => Record<string, unknown> | undefined

const readers: Readonly<Record<string, (lines: readonly string[], report: Report) => ReadLine>> = {
  '.jsonl': () => jsonLine,
  '.ndjson': () => jsonLine,
  '.csv': tableLine,
}

function jsonLine(line: string, _index: number, report: Report): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    report('expected an object, such as {"v": 1.5}')
  } catch (error) {
    report(`is no JSON: ${(error as Error).message}`)
  }
  return undefined
}

function tableLine(lines: readonly string[], report: Report): ReadLine {
  const names = cellsOf(lines[0])
  const seen = new Set<string>()
  const twice = names.find((name) => name !== '' && seen.size === seen.add(name).size)
  if (twice !== undefined) report(`two columns are named "${twice}"`)
  return (line, index, reportLine) => {
    if (index === 0) return undefined
    const cells = cellsOf(line)
    if (cells.length !== names.length) {
      reportLine(`has ${cells.length} cells, the first line ${names.length}`)
      return undefined
    }
    const stated = names.flatMap((name, i) => (name === '' || cells[i] === '' ? [] : [[name, numberOrText(cells[i])]]))
    return Object.fromEntries(stated) as Record<string, unknown>
  }
}

const numberOrText = (cell: string) => (Number.isFinite(Number(cell)) ? Number(cell) : cell)

/** Between commas; one in quotes may hold commas, and a quote that is doubled (RFC 4180). */
const cellsOf = (line: string): string[] =>
  Array.from(`,${line}`.matchAll(/,(?:\s*"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'),
  )
