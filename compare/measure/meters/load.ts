import type { MeasuredStep } from '../measuredStep.ts'
import type { SurfaceMeter } from './surfaces.ts'

/** The load that one pair of shapes carried over a run. */
export interface PairLoad {
  /** "box on ground" */
  readonly pair: string
  /** Sum of the normal impulses. */
  readonly impulse_Ns: number
  /** Of the normal impulses of all pairs. */
  readonly share: number
  /** Way that the pair slid while it pushed: of its contacts, weighted by their normal impulses. */
  readonly slip_m: number
}

/** Pairs that are reported; a pile has hundreds. */
const MOST_PAIRS = 24

/** Normal impulse and slip of each pair of shapes. */
export class LoadMeter {
  private readonly impulse: Float64Array
  private readonly slip: Float64Array
  private readonly now: Float64Array
  private readonly weighted: Float64Array

  constructor({ world }: MeasuredStep) {
    const pairs = () => new Float64Array(world.pairs.count)
    this.impulse = pairs()
    this.slip = pairs()
    this.now = pairs()
    this.weighted = pairs()
  }

  measure({ world, count, active, slipStart, slipEnd, dt }: MeasuredStep): void {
    const { now, weighted } = this
    const { impulse, pair } = world.contacts
    for (let i = 0; i < count; i++) {
      const pn = impulse[3 * active[i]]
      if (!(pn > 0)) continue
      const k = pair[active[i]]
      now[k] += pn
      weighted[k] += pn * 0.5 * (slipStart[i] + slipEnd[i])
    }
    for (let i = 0; i < count; i++) {
      const k = pair[active[i]]
      if (now[k] === 0) continue
      this.impulse[k] += now[k]
      this.slip[k] += (weighted[k] / now[k]) * dt
      now[k] = 0
      weighted[k] = 0
    }
  }

  /** The pairs that pushed, the largest load first. */
  loads(names: Pick<SurfaceMeter, 'namesOf'>): PairLoad[] {
    const total = this.impulse.reduce((sum, p) => sum + p, 0)
    const pairs = Array.from(this.impulse.keys()).filter((k) => this.impulse[k] > 0)
    return pairs
      .sort((a, b) => this.impulse[b] - this.impulse[a])
      .slice(0, MOST_PAIRS)
      .map((k) => ({ pair: names.namesOf(k), impulse_Ns: this.impulse[k], share: this.impulse[k] / total, slip_m: this.slip[k] }))
  }
}
