import { treesOf } from '../../../contact/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'

/**
 * Popping: throw height of a body above its overlap, caused by overlap correction (an integral term, a spring, Baumgarte's
 * velocity): u² / 2g, less the overlap that is left, u being the speed at which a contact that pushes parts.
 *
 * As long as two shapes overlap, the work of the normal forces between them adds up, Σ p_n (u_n⁻ + u_n⁺) / 2: rigid contact only takes, a
 * spring returns its stored energy. Only once it gives more the speed is of its making, as far as that work throws the lighter of
 * the two parts, of mass m: the height is no more than the work over m g. So neither a rebound counts, nor a foot that motors lift, nor
 * an overlap that is taken back slowly. Steps with an impact of the pair are left out.
 */
export class PoppingMeter {
  /** Greatest height so far [m]; null without gravity. */
  height: number | null
  private readonly gravity: number
  private readonly treeOf: Int32Array
  private readonly mass: Float64Array
  /** Per pair: the work since the shapes overlap [J]; in this step, how high its points would fly [m], and which of `Now`. */
  private readonly work: Float64Array
  private readonly flight: Float64Array
  private readonly now: Uint8Array

  constructor({ world: { model, pairs } }: MeasuredStep) {
    const { treeOf, mass } = treesOf(model)
    this.gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    this.height = this.gravity > 0 ? 0 : null
    this.treeOf = treeOf
    this.mass = mass
    this.work = new Float64Array(pairs.count)
    this.flight = new Float64Array(pairs.count)
    this.now = new Uint8Array(pairs.count)
  }

  measure({ world: { contacts }, count, active, velocityStart, velocityEnd, dt }: MeasuredStep): void {
    const { work, flight, now, gravity } = this
    const { pair, gap, impulse, impact, bodyA, bodyB } = contacts
    now.fill(Now.apart)
    for (let c = 0; c < contacts.count; c++) {
      const p = pair[c]
      if (gap[c] < 0 && now[p] === Now.apart) {
        now[p] = Now.overlaps
        flight[p] = 0
      }
      for (let k = 3 * c; k < 3 * c + 3; k++) if (impact[k] !== 0) now[p] = Now.isHit
    }
    for (let i = 0; i < count; i++) {
      const c = active[i]
      const p = pair[c]
      if (now[p] !== Now.overlaps || !(gap[c] < 0)) continue
      const pn = impulse[3 * c]
      const u = velocityEnd[3 * i]
      const left = Math.max(0, -gap[c] - dt * u)
      work[p] += 0.5 * pn * (velocityStart[3 * i] + u)
      if (pn > 0 && u > 0) flight[p] = Math.max(flight[p], (u * u) / (2 * gravity) - left)
    }
    for (let i = 0; i < count && this.height !== null; i++) {
      const c = active[i]
      const p = pair[c]
      if (now[p] !== Now.overlaps || !(work[p] > 0)) continue
      this.height = Math.max(this.height, Math.min(flight[p], work[p] / (this.lighter(bodyA[c], bodyB[c]) * gravity)))
    }
    for (let p = 0; p < now.length; p++) if (now[p] === Now.apart) work[p] = 0
  }

  /** Mass of the lighter of two trees [kg]; infinite if fixed or of prescribed motion. */
  private lighter(bodyA: number, bodyB: number): number {
    return Math.min(this.massOf(this.treeOf[bodyA]), this.massOf(this.treeOf[bodyB]))
  }

  private massOf(tree: number): number {
    return tree >= 0 && this.mass[tree] > 0 ? this.mass[tree] : Infinity
  }
}

const Now = { apart: 0, overlaps: 1, isHit: 2 } as const
