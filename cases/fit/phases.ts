/** The rest of the error by phase: how fast a run parts from its path at a corner, along an edge, on a face, in flight, by the speed there. */
import { mean, median } from '../../compare/measure/statistics.ts'
import type { Path } from '../scene.ts'
import type { CaseError } from './evaluation.ts'
import { widthOf } from './paths.ts'

/** Contact points that bore since the last sample: none, as of a corner, an edge, and more. */
const touches = ['in flight', 'at one point', 'at two points', 'at more points'] as const
/** Bounds of the speeds of what is seen [scales of the place a second]. */
const SPEEDS = [2, 6] as const

/** Samples of one kind. */
export interface Phase {
  readonly touch: (typeof touches)[number]
  readonly speed: 'slow' | 'middling' | 'fast'
  readonly samples: number
  /** Per measure: part of all growth of the distance that falls into this phase, and its mean in one sample, over its scale. */
  readonly share: readonly number[]
  readonly growth: readonly number[]
}

/** Median distance of each measure over its scale, by samples since the first touch. */
export interface Course {
  readonly samples: readonly number[]
  readonly distances: readonly (readonly number[])[]
}

/** @param paths of the cases, in their order */
export function phasesOf(cases: readonly CaseError[], paths: readonly Path[]): { phases: readonly Phase[]; course: Course } {
  const measures = paths[0].of.length
  const found = new Map<string, { touch: number; speed: number; growths: number[][] }>()
  const since = new Map<number, number[][]>()
  for (const [c, { run }] of cases.entries()) {
    if (run === undefined) continue
    const { of, rows, times } = paths[c]
    const distance = distancesOf(run.differences, of)
    const place = of.find(({ isTurn }) => !isTurn)
    const first = run.touching.findIndex((n) => n > 0)
    for (let i = 1; i < rows.length; i++) {
      const way = Math.hypot(...(place?.columns.map((k) => rows[i][k] - rows[i - 1][k]) ?? [0])) / (place?.scale ?? 1)
      const v = way / (times[i] - times[i - 1])
      const [touch, speed] = [Math.min(3, run.touching[i]), SPEEDS.findIndex((bound) => v < bound)]
      const key = `${touch} ${speed}`
      const kind = found.get(key) ?? { touch, speed: speed < 0 ? 2 : speed, growths: [] }
      kind.growths.push(distance.map((one) => one[i] - one[i - 1]))
      found.set(key, kind)
      const after = i - first
      if (first >= 0 && after >= 0) since.set(after, [...(since.get(after) ?? []), distance.map((one) => one[i])])
    }
  }
  const kinds = [...found.values()].sort((a, b) => a.touch - b.touch || a.speed - b.speed)
  const all = Array.from({ length: measures }, (_, m) =>
    kinds.reduce((sum, { growths }) => sum + growths.reduce((s, growth) => s + growth[m], 0), 0),
  )
  const phases = kinds.map(({ touch, speed, growths }) => ({
    touch: touches[touch],
    speed: (['slow', 'middling', 'fast'] as const)[speed],
    samples: growths.length,
    share: all.map((total, m) => growths.reduce((sum, growth) => sum + growth[m], 0) / total),
    growth: all.map((_, m) => mean(growths.map((growth) => growth[m]))),
  }))
  const samples = [...since.keys()].sort((a, b) => a - b).filter((k) => (since.get(k) as number[][]).length >= cases.length / 2)
  const distances = all.map((_, m) => samples.map((k) => median((since.get(k) as number[][]).map((one) => one[m]))))
  return { phases, course: { samples, distances } }
}

/** Per measure, per sample: distance over the scale. */
function distancesOf(differences: Float64Array, of: Path['of']): number[][] {
  const widths = of.map(widthOf)
  const width = widths.reduce((sum, one) => sum + one, 0)
  return of.map((_, m) => {
    const from = widths.slice(0, m).reduce((sum, one) => sum + one, 0)
    return Array.from({ length: differences.length / width }, (_, i) =>
      Math.hypot(...differences.subarray(i * width + from, i * width + from + widths[m])),
    )
  })
}
