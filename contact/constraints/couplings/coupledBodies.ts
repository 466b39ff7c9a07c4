import type { SparseCholesky } from '../../../dynamics/index.ts'
import type { LengthRows } from './lengthRows.ts'
import type { LoopRows } from './loopRows.ts'

/** The bodies that lengths and loops that are on couple, and with them those of contacts, in the pattern of H. */
export class CoupledBodies {
  /** Total length of the lists of loops and lengths. */
  readonly listed: number
  private readonly loops: LoopRows
  private readonly lengths: LengthRows
  /** Number of pairs of loops and lengths; all pairs: these, then those of contacts. */
  private readonly own: number
  private bodyA: Int32Array
  private bodyB: Int32Array

  constructor(loops: LoopRows, lengths: LengthRows) {
    this.loops = loops
    this.lengths = lengths
    this.listed = loops.listed + lengths.listed
    this.own = loops.count + lengths.bodyA.length
    this.bodyA = Int32Array.from([...loops.bodyA, ...lengths.bodyA])
    this.bodyB = Int32Array.from([...loops.bodyB, ...lengths.bodyB])
  }

  /** Whether there are loops or lengths. */
  get any(): boolean {
    return this.listed > 0
  }

  /**
   * Sets the couplings of a pattern: its own and those of contacts. Loops and lengths then list their velocities.
   *
   * @param velocities out: the lists, from index `from` on
   */
  set(pattern: SparseCholesky, a: Int32Array, b: Int32Array, count: number, velocities: Int32Array, from: number): void {
    const { loops, lengths, own } = this
    const total = own + count
    if (total > this.bodyA.length) {
      this.bodyA = longer(this.bodyA, 2 * total)
      this.bodyB = longer(this.bodyB, 2 * total)
    }
    const { bodyA, bodyB } = this
    // body 0, the world, couples nothing
    for (let r = 0; r < loops.count; r++) {
      const isOn = loops.isOn(loops.loop[r])
      bodyA[r] = isOn ? loops.bodyA[r] : 0
      bodyB[r] = isOn ? loops.bodyB[r] : 0
    }
    for (let i = 0; i < count; i++) {
      bodyA[own + i] = a[i]
      bodyB[own + i] = b[i]
    }
    pattern.setCouplings(bodyA, bodyB, total)
    loops.list(pattern, velocities, from)
    lengths.list(pattern, velocities, from + loops.listed)
  }
}

function longer(list: Int32Array, length: number): Int32Array {
  const out = new Int32Array(length)
  out.set(list)
  return out
}
