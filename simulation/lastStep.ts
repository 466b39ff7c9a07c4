import type { ContactSet } from '../contact/index.ts'

/** The controllers' data of the last step, as saved in a checkpoint. */
export interface SavedLastStep {
  /** Only where they are kept, see `LastStep.points`. */
  readonly points?: Float64Array

  readonly velocity: Float64Array
  /** Older checkpoints have none. */
  readonly configuration?: Float64Array
  /** Likewise. */
  readonly loads?: Float64Array
  readonly pair: Int32Array
  readonly bodyA: Int32Array
  readonly bodyB: Int32Array
  readonly force: Float64Array
}

/** The controllers' data of the last step: configuration and velocities at its start, and the mean contact forces over it by pair. @unchecked */
export class LastStep {
  /** nv: velocities at its start; NaN before the first step. */
  readonly velocity: Float64Array
  /** nq, likewise. */
  readonly configuration: Float64Array
  /**
   * 6 a body: mean force over it by pushes, pulls and loops, [moment; force] in world axes about the world's origin [N m, N]; then 6 a loop and
   * one a length, as in `ContactStep.loopForces`.
   */
  readonly loads: Float64Array
  /** Number of rows of `pair` to `force`; a pair may have several. */
  count = 0
  /** Pair of shapes, as in `ContactSet`. */
  pair = new Int32Array(16)
  bodyA = new Int32Array(16)
  bodyB = new Int32Array(16)
  /** 6 a row: mean force on body B, [moment; force] in world axes about the world's origin [N m, N]. */
  force = new Float64Array(6 * 16)
  /** Whether points of contact are kept, for sensors of touch and contact. */
  keepsPoints = false
  /**
   * 9 a contact, of `pointCount`: its pair, its point [m] and normal from A to B in world axes, the mean normal force on B [N], and its gap
   * at the start of the step [m].
   */
  points = new Float64Array(0)
  pointCount = 0
  private readonly wrench = new Float64Array(6)

  /** @param closures numbers of loops and lengths */
  constructor(nb: number, nq: number, nv: number, closures = 0) {
    this.loads = new Float64Array(6 * nb + closures)
    this.velocity = new Float64Array(nv).fill(NaN)
    this.configuration = new Float64Array(nq).fill(NaN)
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
    if (this.keepsPoints) this.readPoints(contacts, dt)
  }

  readLoads(pushed: Float64Array, loopForces: Float64Array | undefined): void {
    this.loads.fill(0)
    this.loads.set(pushed)
    if (loopForces !== undefined) for (let k = 0; k < this.loads.length; k++) this.loads[k] += loopForces[k]
  }

  private readPoints({ count, capacity, pair, point, normal, impulse, adhesion, gap }: ContactSet, dt: number): void {
    if (this.points.length < 9 * count) this.points = new Float64Array(9 * capacity)
    const { points } = this
    this.pointCount = count
    for (let i = 0; i < count; i++) {
      points[9 * i] = pair[i]
      for (let d = 0; d < 3; d++) {
        points[9 * i + 1 + d] = point[3 * i + d]
        points[9 * i + 4 + d] = normal[3 * i + d]
      }
      points[9 * i + 7] = (impulse[3 * i] - adhesion[i]) / dt
      points[9 * i + 8] = gap[i]
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
    const { velocity, configuration, loads, count, pair, bodyA, bodyB, force } = this
    return {
      loads: loads.slice(),
      velocity: velocity.slice(),
      configuration: configuration.slice(),
      pair: pair.slice(0, count),
      bodyA: bodyA.slice(0, count),
      bodyB: bodyB.slice(0, count),
      force: force.slice(0, 6 * count),
      ...(this.keepsPoints && { points: this.points.slice(0, 9 * this.pointCount) }),
    }
  }

  /** @throws RangeError for data of a world of another size */
  check({ velocity, configuration = this.configuration, loads = this.loads, pair, bodyA, bodyB, force }: SavedLastStep): void {
    const n = pair.length
    const isOfModel =
      velocity.length === this.velocity.length &&
      configuration.length === this.configuration.length &&
      loads.length <= this.loads.length // older ones have none of single loops
    if (isOfModel && bodyA.length === n && bodyB.length === n && force.length === 6 * n) return
    throw new RangeError(
      `checkpoint.lastStep has ${velocity.length} velocities, and ${n}, ${bodyA.length}, ${bodyB.length} and ${force.length} numbers of contacts; ` +
        `this world has ${this.velocity.length} velocities, and contacts have 1, 1, 1 and 6`,
    )
  }

  /** Sets the data as saved, or as before the first step. */
  restore(saved: SavedLastStep | undefined): void {
    this.velocity.fill(NaN)
    this.configuration.fill(NaN)
    this.loads.fill(0)
    this.count = saved?.pair.length ?? 0
    this.points = saved?.points?.slice() ?? new Float64Array(0)
    this.pointCount = this.points.length / 9
    if (saved === undefined) return
    this.velocity.set(saved.velocity)
    if (saved.configuration) this.configuration.set(saved.configuration)
    if (saved.loads) this.loads.set(saved.loads)
    if (this.count > this.pair.length) this.grow(this.count)
    this.pair.set(saved.pair)
    this.bodyA.set(saved.bodyA)
    this.bodyB.set(saved.bodyB)
    this.force.set(saved.force)
  }
}
