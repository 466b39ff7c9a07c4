/** Moments of a run for its plots; entry i of every list is one moment. */
export type Series = Readonly<SeriesWriter['series']>

const LENGTH = 500

/** Writes a run's `Series`, about `LENGTH` entries of as many steps each. */
export class SeriesWriter {
  readonly series = {
    t: [] as number[],
    /** Largest depth since the entry before [m]. */
    penetration: [] as number[],
    /** Mechanical energy less its value at the start [J]. */
    energy: [] as number[],
    kinetic: [] as number[],
    /** Largest sum of normal contact forces since the entry before, impacts left out [N]; NaN at the start. */
    force: [] as number[],
  }
  private readonly every: number
  private depth = 0
  private force = 0

  constructor(steps: number) {
    this.every = Math.max(1, Math.round(steps / LENGTH))
  }

  /** Notes a step; `force` is NaN before the first one. @param taken steps so far */
  note(taken: number, t: number, depth: number, force: number, energy: number, kinetic: number): void {
    this.depth = Math.max(this.depth, depth)
    this.force = Math.max(this.force, force)
    if (taken % this.every !== 0) return
    const { series } = this
    series.t.push(t)
    series.penetration.push(this.depth)
    series.energy.push(energy)
    series.kinetic.push(kinetic)
    series.force.push(this.force)
    this.depth = 0
    this.force = 0
  }
}
