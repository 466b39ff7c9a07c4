/** Data of a run's charts, at times that all runs of a scenario share. */

import type { Series } from '../../measure/metrics.ts'
import { Reader, Writer } from './bytes.ts'

/** A distance over time: of the worst quantity at each time, and of the energy, each as a fraction of its scale. */
export interface ErrorSeries {
  readonly t: readonly number[]
  readonly tracking: readonly number[]
  readonly energy: readonly number[]
}

/** The charts, top to bottom. */
export const seriesNames = ['penetration', 'motion', 'energy', 'force'] as const
export type SeriesName = (typeof seriesNames)[number]

/** Penetration [m]; motion error, a fraction of its scale; mechanical energy less its start [J]; sum of normal forces [N]. */
export type RunSeries = Readonly<Record<SeriesName, Float64Array>>

/** Times that charts have. */
export const SERIES = 240

/** Time i of the charts, 0 to `SERIES` - 1. */
export const timeOf = (i: number, duration: number) => (i * duration) / (SERIES - 1)

/** Each entry the largest since the one before, so that peaks stay; the energy as it stood then. NaN where nothing is known. */
export function seriesOf(series: Series | null, error: ErrorSeries | null, duration: number): RunSeries {
  const largest = (a: number, b: number) => (Number.isNaN(a) ? b : Math.max(a, b))
  const last = (_: number, b: number) => b
  return {
    penetration: sampled(series?.t, series?.penetration, duration, largest),
    motion: sampled(error?.t, error?.tracking, duration, largest),
    energy: sampled(series?.t, series?.energy, duration, last),
    force: sampled(series?.t, series?.force, duration, largest),
  }
}

function sampled(
  t: readonly number[] = [],
  y: readonly number[] = [],
  duration: number,
  join: (before: number, value: number) => number,
): Float64Array {
  const out = new Float64Array(SERIES).fill(Number.NaN)
  t.forEach((time, i) => {
    if (!Number.isFinite(y[i])) return
    const k = Math.min(SERIES - 1, Math.ceil((time / duration) * (SERIES - 1) - 1e-9))
    out[k] = join(out[k], y[i])
  })
  // where samples are further apart than times, a value holds until the next
  const end = out.findLastIndex((value) => !Number.isNaN(value))
  for (let k = 1; k < end; k++) if (Number.isNaN(out[k])) out[k] = out[k - 1]
  return out
}

export function encodeSeries(series: RunSeries): Uint8Array {
  const out = new Writer()
  for (const name of seriesNames) out.short(series[name])
  return out.bytes()
}

export function decodeSeries(bytes: Uint8Array): RunSeries {
  const from = new Reader(bytes)
  return Object.fromEntries(seriesNames.map((name) => [name, from.short(SERIES)])) as unknown as RunSeries
}
