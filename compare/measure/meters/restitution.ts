import type { MeasuredStep } from '../measuredStep.ts'
import { Worst } from './worst.ts'

/** Impacts slower than this are not judged [m/s]. */
const SLOWEST = 0.1
/** How far a central impact's line may pass by the centre of mass, over the radius of gyration. */
const CENTRAL = 0.05
/** Part of its approach speed below which an impact has come to rest. */
const AT_REST = 0.1

const Phase = { apart: 0, impact: 1, touching: 2 } as const

/**
 * Newton's coefficient of restitution, u_n⁺ = -e u_n⁻ (Principia, 1687), of central impacts at one contact point, where the hypotheses of
 * Newton, Poisson and Stronge agree: of free bodies with the world or each other, whose centres of mass lie on the normal through the point
 * and which nothing else touches. Eccentric impacts with friction, of robots and of several points at once end elsewhere under each of
 * them; and damping that is stated stands for restitution.
 *
 * An impact begins when a pair of shapes that passed on nothing begins to, and ends when it parts, or has been at rest for a period of a
 * mass on a spring that the allowed penetration gives, and for half of its time (a soft contact needs time to give back). The speed at
 * either end is known up to gravity's share in a step, which is forgiven.
 *
 * The figure is the mean of |u_n⁺ + e u_n⁻| / |u_n⁻|, weighed with u_n⁻².
 */
export class RestitutionMeter {
  readonly worst = new Worst()
  private error = 0
  private weight = 0
  /** Per body: whether nothing else hangs on it; how many contacts pass on an impulse to it; and radius of gyration [m]. */
  private readonly isFree: Uint8Array
  private readonly touched: Uint16Array
  private readonly radius: Float64Array
  /** How long an impact is at rest before it has ended [s]. */
  private readonly longest: number
  private readonly slack: number
  private readonly isDamped: boolean
  /** Per pair: which of `Phase`; contacts in this step, and most at a body of its; when its impact began and moved last [whole steps]. */
  private readonly phase: Uint8Array
  private readonly points: Uint16Array
  private readonly crowd: Uint16Array
  private readonly begun: Float64Array
  private readonly moved: Float64Array
  /** Per pair: approach speed, and coefficient. */
  private readonly approach: Float64Array
  private readonly coefficient: Float64Array
  /** Per pair: speed of parting after the last step in which it passed on something [m/s]. */
  private readonly parting: Float64Array

  constructor({ world, dt }: MeasuredStep) {
    const { pairs, physical, model } = world
    const gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    const period = gravity > 0 ? 2 * Math.PI * Math.sqrt(physical.allowedPenetration / gravity) : 0
    this.isFree = new Uint8Array(model.nb)
    this.isFree[0] = 1
    this.touched = new Uint16Array(model.nb)
    for (const { robot, start } of world.robots)
      if (robot.floating && robot.model.nb === 2 && robot.massUsed > 0) this.isFree[start.body + 1] = 1
    this.radius = Float64Array.from(model.I, ([mass, x, y, z, xx, yy, zz]) =>
      mass > 0 ? Math.sqrt(Math.max(0, 0.5 * (xx + yy + zz) - (x * x + y * y + z * z) / mass) / mass) : 0,
    )
    this.longest = Math.max(period, 4 * dt)
    this.isDamped = physical.damping !== undefined
    this.slack = 2 * gravity * dt
    this.phase = new Uint8Array(pairs.count)
    this.points = new Uint16Array(pairs.count)
    this.crowd = new Uint16Array(pairs.count)
    this.begun = new Float64Array(pairs.count)
    this.moved = new Float64Array(pairs.count)
    this.approach = new Float64Array(pairs.count)
    this.coefficient = new Float64Array(pairs.count)
    this.parting = new Float64Array(pairs.count)
  }

  /** null where nothing hit anything at one point. */
  get value(): number | null {
    return this.weight > 0 ? this.error / this.weight : null
  }

  measure(step: MeasuredStep): void {
    const { world, count, active, velocityStart, velocityEnd, elapsed } = step
    const { phase, points, parting, crowd, touched, begun, moved, approach } = this
    const { contacts, state } = world
    const { pair, impulse, restitution, bodyA, bodyB } = contacts
    points.fill(0)
    crowd.fill(0)
    touched.fill(0)
    for (let i = 0; i < count; i++) {
      const c = active[i]
      touched[bodyA[c]]++
      touched[bodyB[c]]++
    }
    touched[0] = 0
    for (let i = 0; i < count; i++) {
      const c = active[i]
      if (!(impulse[3 * c] > 0)) continue
      const p = pair[c]
      points[p]++
      crowd[p] = Math.max(touched[bodyA[c]], touched[bodyB[c]])
      parting[p] = velocityEnd[3 * i]
      if (phase[p] === Phase.apart) {
        phase[p] = this.isCentral(step, c) ? Phase.impact : Phase.touching
        begun[p] = elapsed
        approach[p] = -velocityStart[3 * i]
        this.coefficient[p] = restitution[c]
      }
      if (Math.abs(parting[p]) > AT_REST * approach[p]) moved[p] = elapsed
    }
    for (let p = 0; p < phase.length; p++) {
      if (phase[p] === Phase.impact) {
        const rest = elapsed - moved[p]
        const isOver = points[p] === 0 || (world.wholeStep * rest >= this.longest && 2 * rest >= elapsed - begun[p])
        if (crowd[p] > 1 || approach[p] < SLOWEST) phase[p] = Phase.touching
        else if (isOver) {
          this.judge(p, state.t[0])
          phase[p] = Phase.touching
        }
      }
      if (points[p] === 0) phase[p] = Phase.apart
    }
  }

  private isCentral({ world, start }: MeasuredStep, c: number): boolean {
    const { bodyA, bodyB, point, normal, damping } = world.contacts
    if (this.isDamped || !Number.isNaN(damping[c])) return false
    for (const body of [bodyA[c], bodyB[c]]) {
      if (!this.isFree[body]) return false
      if (body === 0) continue
      const [mass, x, y, z] = world.model.I[body]
      const [R, p] = [start.R_WB[body], start.p_WB[body]]
      let [square, along] = [0, 0]
      for (let k = 0; k < 3; k++) {
        const lever = point[3 * c + k] - p[k] - (R[3 * k] * x + R[3 * k + 1] * y + R[3 * k + 2] * z) / mass
        square += lever * lever
        along += lever * normal[3 * c + k]
      }
      if (square - along * along > (CENTRAL * this.radius[body]) ** 2) return false
    }
    return true
  }

  private judge(p: number, t: number): void {
    const speed = this.approach[p]
    const off = Math.max(0, Math.abs(this.parting[p] - this.coefficient[p] * speed) - this.slack)
    this.weight += speed * speed
    this.error += speed * off
    this.worst.note(off / speed, t, p)
  }
}
