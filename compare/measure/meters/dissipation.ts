import type { MeasuredStep } from '../measuredStep.ts'
import { Worst } from './worst.ts'

/** Slower contacts stick, or should: `SignoriniMeter` has those that creep [m/s]. */
const SLIDING = 0.01

/**
 * Moreau's principle of maximum dissipation (1966/1988): of all forces that the cone allows, friction is the one that takes the most
 * power from the slip, mu p_n |u_t|, opposite to it; where friction has directions in the lengths of `ContactSet.tangent2`. A contact's deficit over a step is h times its shortfall,
 *
 *   mu p_n |u_t| + p_t · u_t,     with p for h f,
 *
 * and friction along the slip, which gives energy, is a deficit of more than all. Slip turns within a step, and models hold friction
 * against that of its start (explicit), of its end (implicit) or of any moment between: the deficit is the least over the two ends, and
 * none is counted of a direction that lies between them. Friction's coefficient is the least that the speeds of the step allow. Contacts
 * slower than 1 cm/s at either end are left out, and so are those with an impact in the step, within which slip may turn and come back.
 */
export class DissipationMeter {
  /** Energy that friction took less than it should, and that it should have taken [J]. */
  deficit = 0
  demand = 0
  readonly worst = new Worst()

  measure(step: MeasuredStep): void {
    const { world, count, active, velocityStart, velocityEnd, slipStart, slipEnd } = step
    const { contacts, state } = world
    const { impulse, impact, pair } = contacts
    for (let i = 0; i < count; i++) {
      const c = active[i]
      const k = 3 * c
      const pn = impulse[k]
      if (!(pn > 0) || impact[k] !== 0) continue
      const slow = Math.min(slipStart[i], slipEnd[i])
      if (slow < SLIDING) continue
      const most = step.leastFriction[i] * pn
      const isDirected = contacts.inverse2[c] !== 1
      const atStart = isDirected ? Math.hypot(velocityStart[3 * i + 1], velocityStart[3 * i + 2]) : slipStart[i]
      const atEnd = isDirected ? Math.hypot(velocityEnd[3 * i + 1], velocityEnd[3 * i + 2]) : slipEnd[i]
      const least = isDirected ? Math.min(atStart, atEnd) : slow
      const [x, y] = [-impulse[k + 1], -impulse[k + 2]]
      let deficit = Math.min(
        most * atStart - (x * velocityStart[3 * i + 1] + y * velocityStart[3 * i + 2]),
        most * atEnd - (x * velocityEnd[3 * i + 1] + y * velocityEnd[3 * i + 2]),
      )
      if (isBetween(x, y, velocityStart, velocityEnd, 3 * i)) deficit = Math.min(deficit, least * (most - Math.hypot(x, y)))
      this.demand += most * least
      if (!(deficit > 0)) continue
      this.deficit += deficit
      this.worst.note(deficit, state.t[0], pair[c])
    }
  }
}

/** Whether the direction (x, y) lies between two slips that are neither parallel nor opposite. */
function isBetween(x: number, y: number, a: Float64Array, b: Float64Array, k: number): boolean {
  const [ax, ay, bx, by] = [a[k + 1], a[k + 2], b[k + 1], b[k + 2]]
  const turn = ax * by - ay * bx
  return (ax * y - ay * x) * turn > 0 && (x * by - y * bx) * turn > 0
}
