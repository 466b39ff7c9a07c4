import type { ContactSet } from '../../contactSet.ts'

/**
 * Of a Runge-Kutta step, the normal velocity that each contact of its start is to have removed by the end, with the correction of its gap
 * [m/s]: a constant of the step, so that at each stage it is an acceleration, and J a + J̇ v of a contact that holds is smooth. At a stage
 * J v is not removed: there it is of order h², and over h would make the step one of order 2.
 */
export class StageTargets {
  private pair = new Int32Array(0)
  private feature = new Int32Array(0)
  private count = 0
  /** Per contact of the start: NaN until it is set. */
  value = new Float64Array(0)

  begin({ count, capacity, pair, feature }: ContactSet): void {
    if (capacity > this.value.length) {
      this.pair = new Int32Array(capacity)
      this.feature = new Int32Array(capacity)
      this.value = new Float64Array(capacity)
    }
    this.count = count
    for (let i = 0; i < count; i++) {
      this.pair[i] = pair[i]
      this.feature[i] = feature[i]
      this.value[i] = Number.NaN
    }
  }

  /** Index of the contact of the start with this pair and feature; -1 for none. */
  find(pair: number, feature: number): number {
    for (let k = 0; k < this.count; k++) if (this.pair[k] === pair && this.feature[k] === feature) return k
    return -1
  }
}
