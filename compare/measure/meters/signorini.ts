import type { MeasuredStep } from '../measuredStep.ts'
import { Worst } from './worst.ts'

/** Slip at which a contact that should stick has a residual of about 1 [m/s]. */
const SLIP = 0.01
/** Part of the allowed penetration by which a contact may be held open, or thrown up at half of the residual. */
const OPEN = 0.25

/**
 * Signorini's condition and Coulomb's law in one, as De Saxcé and Feng (1998) have it: with the cone K of friction mu and its dual K*,
 *
 *   K ∋ p ⟂ w ∈ K*,   w = [s + mu |u_t|; u_t],
 *
 * which holds exactly if the residual of the natural map p - P_K(p - rho w) is zero, whatever rho > 0 (Le Lidec, Jallet, Montaut, Laptev,
 * Schmid and Carpentier 2023, Contact Models in Robotics: a Comparative Analysis). With rho = p_n / SLIP the residual of a contact is its
 * normal impulse times a share without unit: 0 where the law holds, about 1 where the contact should have passed on nothing. The figure is
 * the sum of the residuals over that of the normal impulses.
 *
 * s is how fast a contact that passed on an impulse opened against the law. Models discretise Signorini's condition at the level of
 * positions (psi + h u_n ≥ 0) or of velocities (u_n + e u_n⁻ ≥ 0 where psi is 0), and either is right: s is the lesser of both,
 * (psi + h u_n)₊ / h and, where the contact could touch in the step, (u_n - e a)₊, a being the fastest approach of the step (in impacts
 * of several contacts those that did not approach part too). A contact that is left closed or pressed in has s = 0. It counts in
 * units of the speed that throws a body up by as much as a contact may be held open. Slip is that of the step's end or of its start,
 * whichever fits better: explicit friction is against the slip of the start. Of contacts with an impact, within which slip may turn
 * and come back, only the opening is judged.
 */
export class SignoriniMeter {
  /** Sum over contacts of normal force times the gap that is open at the end of the step, over all steps [N m]. */
  openWork = 0
  readonly worst = new Worst()
  private sum = 0
  private normal = 0
  /** Gap up to which a contact counts as touching [m]; SLIP over the speed that throws a body up by as much. */
  private readonly tolerance: number
  private readonly scale: number

  constructor({ world: { physical, model } }: MeasuredStep) {
    this.tolerance = OPEN * physical.allowedPenetration
    const throwing = Math.sqrt(2 * Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5]) * this.tolerance)
    this.scale = throwing > 0 ? SLIP / throwing : 1
  }

  /** null where nothing was passed on. */
  get value(): number | null {
    return this.normal > 0 ? this.sum / this.normal : null
  }

  measure(step: MeasuredStep): void {
    const { world, count, active, velocityStart, velocityEnd, dt, part } = step
    const { contacts, state } = world
    const { impulse, impact, gap, restitution, pair } = contacts
    let approach = 0
    for (let i = 0; i < count; i++) approach = Math.max(approach, -restitution[active[i]] * velocityStart[3 * i])
    for (let i = 0; i < count; i++) {
      const c = active[i]
      const pn = impulse[3 * c]
      const open = Math.max(0, gap[c] + dt * velocityEnd[3 * i])
      if (!(pn > 0)) {
        this.add(Math.hypot(pn, impulse[3 * c + 1], impulse[3 * c + 2]), pair[c], state.t[0])
        continue
      }
      this.openWork += part * (pn / dt) * open
      this.normal += pn
      const couldTouch = gap[c] <= this.tolerance + dt * Math.max(0, -velocityStart[3 * i])
      const opening = this.scale * (couldTouch ? Math.min(open / dt, Math.max(0, velocityEnd[3 * i] - approach)) : open / dt)
      const share =
        impact[3 * c] !== 0
          ? Math.min(1, opening / SLIP)
          : Math.min(residual(step, i, opening, velocityEnd), residual(step, i, opening, velocityStart))
      this.add(pn * share, pair[c], state.t[0])
    }
  }

  private add(residual: number, pair: number, t: number): void {
    this.sum += residual
    this.worst.note(residual, t, pair)
  }
}

/** |x - P_K(x - w / SLIP)| for x = [1; p_t / p_n]. @param velocity whose tangential part is the slip */
function residual({ world, active, friction }: MeasuredStep, i: number, opening: number, velocity: Float64Array): number {
  const { impulse } = world.contacts
  const k = 3 * active[i]
  const mu = friction[i]
  const x = impulse[k + 1] / impulse[k]
  const y = impulse[k + 2] / impulse[k]
  const u = velocity[3 * i + 1] / SLIP
  const v = velocity[3 * i + 2] / SLIP
  const n = 1 - opening / SLIP - mu * Math.sqrt(u * u + v * v)
  const t = Math.sqrt((x - u) * (x - u) + (y - v) * (y - v))
  if (t <= mu * n) return length(1 - n, u, v) // inside of the cone
  const to = (n + mu * t) / (1 + mu * mu)
  if (!(to > 0)) return length(1, x, y) // in the polar cone: nothing should act
  const part = (mu * to) / t
  return length(1 - to, x - part * (x - u), y - part * (y - v))
}

const length = (x: number, y: number, z: number) => Math.sqrt(x * x + y * y + z * z)
