/** What matters in a sweep: passes over its rows that keep sums alone, so that their memory does not grow with the runs. */

/** Bins of a numeric input, of a histogram, and of each side of a map; most values that are told apart without bins. */
const [INPUT_BINS, FIGURE_BINS, MOST_VALUES] = [10, 40, 12] as const

export type Value = string | number | null
/** Columns of one row, by name. */
export type Row = Readonly<Record<string, Value>>
/** Reads all rows once, some at a time. */
export type Rows = (columns: readonly string[]) => AsyncIterable<readonly Row[]>

/** The parts of an input: its values where they are few, else ranges of equal width. */
export interface Parts {
  readonly input: string
  readonly labels: readonly string[]
  readonly partOf: (value: Value) => number
}

/** Mean of a figure in one part of an input. */
export interface PartMean {
  readonly label: string
  readonly count: number
  readonly mean: number
}

export interface Effect {
  readonly input: string
  /** Share of the figure's variance that this input explains by itself: its first-order index, less what chance alone gives. */
  readonly share: number
  readonly parts: readonly PartMean[]
}

export interface Distribution {
  readonly edges: readonly number[]
  readonly counts: readonly number[]
}

export interface FigureEffects {
  readonly figure: string
  readonly model: string
  readonly count: number
  readonly mean: number
  readonly sd: number
  /** Largest share first. */
  readonly effects: readonly Effect[]
  readonly distribution: Distribution
  /** Over the two inputs of the largest shares, a row for each part of the second; null where there is one input. */
  readonly map: { readonly x: Parts; readonly y: Parts; readonly cells: readonly (readonly PartMean[])[] } | null
}

class Sums {
  n = 0
  sum = 0
  squares = 0
  add(y: number): void {
    this.n++
    this.sum += y
    this.squares += y * y
  }
  get mean(): number {
    return this.n > 0 ? this.sum / this.n : Number.NaN
  }
  get variance(): number {
    return this.n > 0 ? Math.max(0, this.squares / this.n - this.mean ** 2) : 0
  }
}

const isNumber = (value: Value): value is number => typeof value === 'number'

/** Range of a column, and its values while they are few. */
class Range {
  low = Infinity
  high = -Infinity
  private readonly values = new Set<Value>()
  add(value: Value): void {
    if (value === null) return
    if (this.values.size <= MOST_VALUES) this.values.add(value)
    if (!isNumber(value)) return
    this.low = Math.min(this.low, value)
    this.high = Math.max(this.high, value)
  }
  parts(input: string): Parts {
    const { low, high, values } = this
    if (values.size <= MOST_VALUES || low > high) {
      const list = [...values]
        .slice(0, MOST_VALUES)
        .sort((a, b) => (isNumber(a) && isNumber(b) ? a - b : String(a) < String(b) ? -1 : 1))
      const places = new Map(list.map((value, k) => [value, k]))
      return { input, labels: list.map(shown), partOf: (value) => places.get(value) ?? -1 }
    }
    const width = (high - low) / INPUT_BINS
    const labels = Array.from({ length: INPUT_BINS }, (_, k) => shown(low + (k + 0.5) * width))
    return { input, labels, partOf: (value) => (isNumber(value) ? binOf(value, low, high, INPUT_BINS) : -1) }
  }
}

const shown = (value: Value) => (isNumber(value) ? String(Number(value.toPrecision(3))) : String(value))
const binOf = (value: number, low: number, high: number, bins: number) =>
  Math.min(bins - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * bins)))

/** Three passes over all rows: ranges, sums of the parts of each input, and maps over the two that matter most. */
export async function effectsOf(rows: Rows, inputs: readonly string[], figures: readonly string[]): Promise<FigureEffects[]> {
  const columns = ['model', ...inputs, ...figures]
  const ranges = new Map([...inputs, ...figures].map((name) => [name, new Range()]))
  const models = new Set<string>()
  for await (const group of rows(columns))
    for (const row of group) {
      models.add(String(row.model))
      for (const [name, range] of ranges) range.add(row[name])
    }
  const parts = inputs.map((input) => (ranges.get(input) as Range).parts(input)).filter(({ labels }) => labels.length > 1)
  const all = [...models].flatMap((model) =>
    figures.map((figure) => new Gathered(model, figure, ranges.get(figure) as Range, parts)),
  )
  const byModel = new Map([...models].map((model) => [model, all.filter((own) => own.model === model)]))
  for await (const group of rows(columns))
    for (const row of group) for (const own of byModel.get(String(row.model)) ?? []) own.add(row)
  for (const own of all) own.chooseMap()
  for await (const group of rows(columns))
    for (const row of group) for (const own of byModel.get(String(row.model)) ?? []) own.addToMap(row)
  return all.filter(({ total }) => total.n > 0).map((own) => own.effects())
}

/** Sums of one figure under one model. */
class Gathered {
  readonly model: string
  readonly figure: string
  readonly total = new Sums()
  private readonly range: Range
  private readonly parts: readonly Parts[]
  private readonly sums: readonly (readonly Sums[])[]
  private readonly counts = new Array<number>(FIGURE_BINS).fill(0)
  private map: { x: Parts; y: Parts; cells: Sums[][] } | null = null

  constructor(model: string, figure: string, range: Range, parts: readonly Parts[]) {
    this.model = model
    this.figure = figure
    this.range = range
    this.parts = parts
    this.sums = parts.map(({ labels }) => labels.map(() => new Sums()))
  }

  add(row: Row): void {
    const y = row[this.figure]
    if (!isNumber(y)) return
    this.total.add(y)
    this.parts.forEach(({ input, partOf }, p) => {
      const part = partOf(row[input])
      if (part >= 0) this.sums[p][part].add(y)
    })
    this.counts[binOf(y, this.range.low, this.range.high, FIGURE_BINS) || 0]++
  }

  chooseMap(): void {
    const [first, second] = this.shares()
    if (second === undefined) return
    const [x, y] = [this.parts[first.p], this.parts[second.p]]
    this.map = { x, y, cells: y.labels.map(() => x.labels.map(() => new Sums())) }
  }

  addToMap(row: Row): void {
    const value = row[this.figure]
    if (this.map === null || !isNumber(value)) return
    const { x, y, cells } = this.map
    const [column, line] = [x.partOf(row[x.input]), y.partOf(row[y.input])]
    if (column >= 0 && line >= 0) cells[line][column].add(value)
  }

  effects(): FigureEffects {
    const { total, range, counts, map } = this
    const meanOf = (sums: readonly Sums[], labels: readonly string[]) =>
      sums.map(({ n, mean }, k) => ({ label: labels[k], count: n, mean }))
    const width = (range.high - range.low) / FIGURE_BINS
    return {
      ...{ figure: this.figure, model: this.model, count: total.n, mean: total.mean, sd: Math.sqrt(total.variance) },
      effects: this.shares().map(({ p, share }) => ({
        input: this.parts[p].input,
        share,
        parts: meanOf(this.sums[p], this.parts[p].labels),
      })),
      distribution: { edges: Array.from({ length: FIGURE_BINS + 1 }, (_, k) => range.low + k * width), counts },
      map: map && { x: map.x, y: map.y, cells: map.cells.map((line) => meanOf(line, map.x.labels)) },
    }
  }

  /** Of each input, the largest first; between the parts, less what parts without any effect would have by chance. */
  private shares(): { p: number; share: number }[] {
    const { total, sums } = this
    const { mean, variance, n } = total
    const all = sums.map((parts, p) => {
      const between = parts.reduce((sum, part) => sum + (part.n > 0 ? part.n * (part.mean - mean) ** 2 : 0), 0) / n
      const within = parts.reduce((sum, part) => sum + part.n * part.variance, 0) / n
      const filled = parts.filter((part) => part.n > 0).length
      const chance = n > filled ? ((filled - 1) * within) / (n - filled) : 0
      return { p, share: variance > 0 ? Math.max(0, Math.min(1, (between - chance) / variance)) : 0 }
    })
    return all.sort((a, b) => b.share - a.share || a.p - b.p)
  }
}
