/** Output of the commands: colours, tables, progress. Results go to stdout, everything else to stderr. */
import { io, type Output } from './io.ts'

/** Colours, where the stream is a terminal and NO_COLOR is unset (https://no-color.org). */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
}

export function paintFor(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv = process.env): Paint {
  const colours = stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb'
  const code = (on: number, off: number) => (text: string) => (colours ? `\u001b[${on}m${text}\u001b[${off}m` : text)
  return { bold: code(1, 22), dim: code(2, 22), good: code(32, 39), bad: code(31, 39), warn: code(33, 39) }
}

/** Says something beside the results. */
export const note = (text: string) => void io.stderr.write(`${paintFor(io.stderr).warn('note:')} ${text}\n`)

/** Control characters but for tab and line feed, and those that turn the direction of writing; of escapes all but colours of `paintFor`. */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern itself
  /\u001b(?!\[(?:1|2|22|31|32|33|39)m)|[\0-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Before progress that redraws itself: to the start of the line, which is cleared. */
const REDRAW = '\r\u001b[K'

/** Text with control codes made harmless: names come out of files, and may hold anything. */
export function printable(text: string): string {
  const start = text.startsWith(REDRAW) ? REDRAW : ''
  const rest = text.slice(start.length)
  return start + rest.replaceAll(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export interface Column {
  /** May have several lines. */
  readonly title: string
  /** Numbers stand to the right, names to the left. */
  readonly align: 'left' | 'right'
  /** Where the table is too wide for the terminal, columns with a number are left out, the largest first. */
  readonly dispensable?: number
}

export const left = (title: string): Column => ({ title, align: 'left' })
export const right = (title: string, dispensable?: number): Column => ({ title, align: 'right', dispensable })

/** One cell, and how it is painted once it has its width. */
export interface Cell {
  readonly text: string
  readonly paint?: (text: string) => string
}

/** Lines of a table with a rule under its titles, at most `room` characters wide if leaving out columns can do it. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[], room = Infinity): string {
  const titles = columns.map(({ title }) => title.split('\n'))
  const widths = columns.map((_, i) => Math.max(...titles[i].map((t) => t.length), ...rows.map((row) => row[i].text.length)))
  const width = widths.reduce((sum, w) => sum + w, 2 * (widths.length - 1))
  const out = columns.reduce((most, { dispensable = 0 }) => Math.max(most, dispensable), 0)
  if (width > room && out > 0) {
    const kept = columns.map(({ dispensable }) => dispensable !== out)
    return table(
      columns.filter((_, i) => kept[i]),
      rows.map((row) => row.filter((_, i) => kept[i])),
      room,
    )
  }
  const padded = (text: string, i: number) => (columns[i].align === 'right' ? text.padStart(widths[i]) : text.padEnd(widths[i]))
  const line = (cells: readonly Cell[]) =>
    cells
      .map(({ text, paint = (x) => x }, i) => paint(padded(text, i)))
      .join('  ')
      .trimEnd()
  const height = Math.max(...titles.map(({ length }) => length))
  const head = Array.from({ length: height }, (_, k) => line(titles.map((lines) => ({ text: lines[k] ?? '' }))))
  const rule = widths.map((w) => '-'.repeat(w)).join('  ')
  return [...head, rule, ...rows.map(line)].join('\n')
}

/** Between two lines where there is no terminal to redraw [s]. */
const LINE_EVERY = 10

/**
 * The stage, its progress and an estimate of the time left, on stderr: a bar that redraws itself on a terminal, elsewhere a line
 * when a stage begins and one every ten seconds.
 */
export class Progress {
  private stage = ''
  private drawn = 0
  /** Origin of the rate of work: results of the first second may have been there before. */
  private from = { time: 0, fraction: 0 }
  private begun = 0
  private readonly quiet: boolean
  private readonly stream: Output
  private readonly clock: () => number

  /** @param clock [s] */
  constructor(quiet: boolean, stream: Progress['stream'] = io.stderr, clock = () => performance.now() / 1e3) {
    this.quiet = quiet
    this.stream = stream
    this.clock = clock
  }

  show(stage: string, fraction: number): void {
    if (this.quiet) return
    const { stream } = this
    const now = this.clock()
    const isNew = stage !== this.stage
    if (isNew) this.begun = now
    if (now - this.begun < 1) this.from = { time: now, fraction }
    const due = isNew || now - this.drawn >= (stream.isTTY ? 0.08 : LINE_EVERY)
    if (!due && !(stream.isTTY && fraction >= 1)) return
    this.stage = stage
    this.drawn = now
    const percent = `${Math.round(100 * fraction)} %`
    if (!stream.isTTY) {
      stream.write(isNew ? `${stage}\n` : `${stage}: ${percent}${this.rest(now, fraction)}\n`)
      return
    }
    const filled = Math.round(30 * Math.min(1, fraction))
    stream.write(
      `${REDRAW}${stage} ${'='.repeat(filled)}${' '.repeat(30 - filled)} ${percent.padStart(5)}${this.rest(now, fraction)}`,
    )
  }

  end(): void {
    if (!this.quiet && this.stream.isTTY && this.stage !== '') this.stream.write(REDRAW)
    this.stage = ''
  }

  /** At the rate since the stage began, once there is one. */
  private rest(now: number, fraction: number): string {
    const [time, done] = [now - this.from.time, fraction - this.from.fraction]
    if (time < 2 || done < 0.01) return ''
    const seconds = (time * Math.max(0, 1 - fraction)) / done
    return `, about ${seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`} left`
  }
}
