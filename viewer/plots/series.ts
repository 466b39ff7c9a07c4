import type { Lane } from '../runs/lane.ts'
import type { Snapshot } from '../runs/protocol.ts'
import type { Variable } from './variables.ts'

/** The part of time that is seen [s]. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The record of a run within a range, and a snapshot on either side of it. */
export function snapshotsIn({ history, dt, firstStep }: Lane, { from, to }: Range): readonly Snapshot[] {
  return history.between(Math.max(firstStep, Math.floor(from / dt) - 1), Math.ceil(to / dt) + 1)
}

/**
 * A variable over time in at most `most` points: more snapshots are split into equal groups, of which the least and the greatest value
 * are kept, so that no peak is lost.
 */
export function seriesOf(snapshots: readonly Snapshot[], { of }: Variable, most: number): [t: number[], y: (number | null)[]] {
  const t: number[] = []
  const y: (number | null)[] = []
  const put = (at: number, value: number) => {
    t.push(at)
    y.push(Number.isFinite(value) ? value : null)
  }
  const group = Math.ceil((2 * snapshots.length) / most)
  if (group <= 2) {
    for (const snapshot of snapshots) put(snapshot.t, of(snapshot))
    return [t, y]
  }
  for (let start = 0; start < snapshots.length; start += group) {
    let [low, high] = [start, start]
    const values = snapshots.slice(start, start + group).map(of)
    values.forEach((value, i) => {
      if (!(value >= values[low - start])) low = start + i
      if (!(value <= values[high - start])) high = start + i
    })
    for (const i of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) put(snapshots[i].t, values[i - start])
  }
  return [t, y]
}

/**
 * All variables of all runs over a range as a table: a row a time at which some run has a snapshot, a column a variable and run, empty
 * where that run has none then.
 */
export function csvOf(
  lanes: readonly { readonly name: string; readonly lane: Lane }[],
  variables: readonly Variable[],
  range: Range,
): string {
  const rows = new Map<number, string[]>()
  const width = lanes.length * variables.length
  lanes.forEach(({ lane }, l) => {
    for (const snapshot of snapshotsIn(lane, range)) {
      if (snapshot.t < range.from || snapshot.t > range.to) continue
      const row = rows.get(snapshot.t) ?? new Array<string>(width).fill('')
      rows.set(snapshot.t, row)
      variables.forEach(({ of }, k) => {
        const value = of(snapshot)
        row[k * lanes.length + l] = Number.isNaN(value) ? '' : String(value)
      })
    }
  })
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const unit = (text: string) => (text === '' ? '' : ` [${text}]`)
  const head = variables.flatMap((variable) => lanes.map(({ name }) => quoted(`${variable.name}${unit(variable.unit)}, ${name}`)))
  const lines = [...rows].sort(([a], [b]) => a - b).map(([t, row]) => [t, ...row].join())
  return [['t [s]', ...head].join(), ...lines, ''].join('\n')
}
