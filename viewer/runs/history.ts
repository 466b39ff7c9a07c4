import type { Snapshot } from './protocol.ts'

/** The snapshots of a run by rising step: at most `capacity` of them, the earlier the farther apart. */
export class History {
  private readonly capacity: number
  private list: Snapshot[] = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get first(): Snapshot | undefined {
    return this.list[0]
  }

  get last(): Snapshot | undefined {
    return this.list.at(-1)
  }

  /** Puts a snapshot in its place; one that is already there stays. */
  add(snapshot: Snapshot): void {
    const index = this.indexAfter(snapshot.step)
    if (this.list[index - 1]?.step === snapshot.step) return
    if (index === this.list.length) this.list.push(snapshot)
    else this.list.splice(index, 0, snapshot)
    if (this.list.length > this.capacity) this.list = thinned(this.list)
  }

  /** Removes snapshots after a step. */
  cut(step: number): void {
    this.list.length = this.indexAfter(step)
  }

  has(step: number): boolean {
    return this.list[this.indexAfter(step) - 1]?.step === step
  }

  /** The last snapshot not after `step`; the oldest if all are after it. */
  at(step: number): Snapshot | undefined {
    return this.list[Math.max(0, this.indexAfter(step) - 1)]
  }

  /** The last snapshot before `step`, if there is one. */
  before(step: number): Snapshot | undefined {
    return this.list[this.indexAfter(step - 1) - 1]
  }

  after(step: number): Snapshot | undefined {
    return this.list[this.indexAfter(step)]
  }

  /** Those from one step to another, both included. */
  between(from: number, to: number): readonly Snapshot[] {
    return this.list.slice(this.indexAfter(from - 1), this.indexAfter(to))
  }

  /** Index of the first snapshot after `step`. */
  private indexAfter(step: number): number {
    let low = 0
    let high = this.list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.list[middle].step > step) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Without every second of the older half; the first stays. */
export function thinned<T>(list: readonly T[]): T[] {
  return list.filter((_, i) => i >= list.length >> 1 || i % 2 === 0)
}
