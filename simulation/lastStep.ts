import type { ContactSet } from '../contact/index.ts'

/** The controllers' data of the last step, as saved in a checkpoint. */
export interface SavedLastStep {
  readonly velocity: Float64Array
  readonly pair: Int32Array
  readonly bodyA: Int32Array
  readonly bodyB: Int32Array
  readonly force: Float64Array
}

/** The controllers' data of the last step: velocities at its start, and the mean contact forces over it by pair. */
export class LastStep {
  /** nv: velocities at its start; NaN before the first step. */
  readonly velocity: Float64Array
  /** Number of rows of `pair` to `force`; a pair may have several. */
  count = 0
  /** Pair of shapes, as in `ContactSet`. */
  pair = new Int32Array(16)
  bodyA = new Int32Array(16)
  bodyB = new Int32Array(16)
  /** 6 a row: mean force on body B, [moment; force] in world axes about the world's origin [N m, N]. */
  force = new Float64Array(6 * 16)
  private readonly wrench = new Float64Array(6)

  constructor(nv: number) {
    this.velocity = new Float64Array(nv).fill(NaN)
  }

  /** @param dt of the step [s] */
  readContacts(contacts: ContactSet, dt: number): void {
    const { wrench } = this
    this.count = 0
    for (let i = 0; i < contacts.count; i++) {
      contacts.writeWrench(i, wrench)
      const pair = contacts.pair[i]
      if (this.count === 0 || this.pair[this.count - 1] !== pair) this.begin(pair, contacts.bodyA[i], contacts.bodyB[i])
      const at = 6 * (this.count - 1)
      for (let d = 0; d < 6; d++) this.force[at + d] += wrench[d] / dt
    }
  }

  private begin(pair: number, bodyA: number, bodyB: number): void {
    const row = this.count++
    if (row === this.pair.length) this.grow(2 * row)
    this.pair[row] = pair
    this.bodyA[row] = bodyA
    this.bodyB[row] = bodyB
    this.force.fill(0, 6 * row, 6 * row + 6)
  }

  private grow(capacity: number): void {
    const wider = <T extends Int32Array | Float64Array>(own: T, size: number): T => {
      const out = new (own.constructor as new (size: number) => T)(size)
      out.set(own)
      return out
    }
    this.pair = wider(this.pair, capacity)
    this.bodyA = wider(this.bodyA, capacity)
    this.bodyB = wider(this.bodyB, capacity)
    this.force = wider(this.force, 6 * capacity)
  }

  save(): SavedLastStep {
    const { velocity, count, pair, bodyA, bodyB, force } = this
    return {
      velocity: velocity.slice(),
      pair: pair.slice(0, count),
      bodyA: bodyA.slice(0, count),
      bodyB: bodyB.slice(0, count),
      force: force.slice(0, 6 * count),
    }
  }

  /** @throws RangeError for data of a world of another size */
  check({ velocity, pair, bodyA, bodyB, force }: SavedLastStep): void {
    const n = pair.length
    if (velocity.length === this.velocity.length && bodyA.length === n && bodyB.length === n && force.length === 6 * n) return
    throw new RangeError(
      `checkpoint.lastStep has ${velocity.length} velocities, and ${n}, ${bodyA.length}, ${bodyB.length} and ${force.length} numbers of contacts; ` +
        `this world has ${this.velocity.length} velocities, and contacts have 1, 1, 1 and 6`,
    )
  }

  /** Sets the data as saved, or as before the first step. */
  restore(saved: SavedLastStep | undefined): void {
    this.velocity.fill(NaN)
    this.count = saved?.pair.length ?? 0
    if (saved === undefined) return
    this.velocity.set(saved.velocity)
    if (this.count > this.pair.length) this.grow(this.count)
    this.pair.set(saved.pair)
    this.bodyA.set(saved.bodyA)
    this.bodyB.set(saved.bodyB)
    this.force.set(saved.force)
  }
}
