import { addForceToWorld, type Data, mulInertia } from '../../../dynamics/index.ts'
import type { RobotInWorld, World } from '../../../simulation/index.ts'
import type { MeasuredStep } from '../measuredStep.ts'
import { Worst } from './worst.ts'

/** Numbers of a robot's entry: momentum [angular about the world's origin; linear], and mass times centre of mass. */
const SIZE = 9

/**
 * Euler's laws of motion for each floating robot and body by itself: the rates of its linear momentum, and of its angular momentum about
 * its centre of mass, equal the reported contact forces and torques on it plus its weight plus the efforts on its base. Robots tied to another
 * or to the world by a loop joint are left out, because loop forces are not reported. A contact between two parts of one robot cancels; one
 * between two robots counts for each of them.
 */
export class MomentaMeter {
  readonly worstLinear = new Worst()
  readonly worstAngular = new Worst()
  private readonly world: World
  /** Per body: which of the robots it is of, or -1. */
  private readonly owner: Int32Array
  private readonly masses: readonly number[]
  /** Per robot: its base, and where the efforts on that begin in tau. */
  private readonly bases: readonly { readonly body: number; readonly v: number }[]
  /** Per robot: radius of gyration about its centre of mass at the start [m]. */
  private readonly radii: readonly number[]
  private readonly gravity: number
  /** `SIZE` each robot. */
  private readonly now: readonly Float64Array[]
  private readonly before: readonly Float64Array[]
  /** 6 each robot: contact impulses of the step [about the world's origin; linear] [N m s, N s]. */
  private readonly impulses: readonly Float64Array[]
  private readonly force = new Float64Array(6)
  private linear = 0
  private angular = 0
  private steps = 0

  constructor({ world, end }: MeasuredStep) {
    const { model, robots, loops } = world
    this.world = world
    const isOf = ({ robot, start }: RobotInWorld, body: number) => body > start.body && body < start.body + robot.model.nb
    const isHeld = (robot: RobotInWorld) => loops.some(({ bodyA, bodyB }) => isOf(robot, bodyA) !== isOf(robot, bodyB))
    const floating = robots.filter((own) => own.robot.floating && own.robot.massUsed > 0 && !isHeld(own))
    this.owner = new Int32Array(model.nb).fill(-1)
    this.masses = floating.map(({ robot, start }, r) => {
      let mass = 0
      for (let i = 1; i < robot.model.nb; i++) {
        this.owner[start.body + i] = r
        mass += robot.model.I[i][0]
      }
      return mass
    })
    this.bases = floating.map(({ start }) => ({ body: start.body + 1, v: start.v }))
    this.gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    this.now = floating.map(() => new Float64Array(SIZE))
    this.before = floating.map(() => new Float64Array(SIZE))
    this.impulses = floating.map(() => new Float64Array(6))
    this.write(end, this.now)
    this.radii = this.masses.map((mass, r) => Math.sqrt(this.polarMoment(end, r) / (2 * mass)))
  }

  measure(step: MeasuredStep): void {
    const { before, now, masses } = this
    const { dt, part, start, end, count, active } = step
    this.steps += part
    this.write(start, before)
    this.write(end, now)
    for (let i = 0; i < count; i++) this.addContact(active[i])
    for (let r = 0; r < masses.length; r++) this.addEfforts(r, start, dt)
    for (let r = 0; r < masses.length; r++) this.judge(r, step)
  }

  private judge(r: number, { world, dt, part }: MeasuredStep): void {
    const { masses, radii, gravity } = this
    const { model, state } = world
    const [before, now, impulses] = [this.before[r], this.now[r], this.impulses[r]]
    const mass = masses[r]
    let linear = 0
    let angular = 0
    for (let i = 0; i < 3; i++) {
      const [j, l] = [(i + 1) % 3, (i + 2) % 3]
      const force = (now[3 + i] - before[3 + i] - impulses[3 + i]) / dt - mass * model.gravity[3 + i]
      linear += force * force
      // about the centre of mass where it is at the time, contacts as they are at the start: sliding contacts keep their levers
      const atEnd = now[i] - (now[6 + j] * now[3 + l] - now[6 + l] * now[3 + j]) / mass
      const atStart = before[i] - (before[6 + j] * before[3 + l] - before[6 + l] * before[3 + j]) / mass
      const given = impulses[i] - (before[6 + j] * impulses[3 + l] - before[6 + l] * impulses[3 + j]) / mass
      const torque = (atEnd - atStart - given) / dt
      angular += torque * torque
    }
    impulses.fill(0)
    this.linear += part * linear
    this.worstLinear.note(Math.sqrt(linear), state.t[0], -1)
    if (!(radii[r] > 0 && gravity > 0)) return
    this.angular += (part * angular) / (radii[r] * radii[r])
    this.worstAngular.note(Math.sqrt(angular) / radii[r], state.t[0], -1)
  }

  /** Root mean square over all steps of the force residual, over the weight; null where nothing floats or nothing weighs. */
  get linearError(): number | null {
    return this.over(this.linear)
  }

  /** The same of torques, over the weight times each robot's radius of gyration. */
  get angularError(): number | null {
    return this.over(this.angular)
  }

  private over(sum: number): number | null {
    const weight = this.gravity * this.masses.reduce((total, mass) => total + mass, 0)
    return weight > 0 && this.steps > 0 ? Math.sqrt(sum / this.steps) / weight : null
  }

  /** Efforts on a floating base are an external force, in its axes at its origin. */
  private addEfforts(r: number, { R_WB, p_WB }: Data, dt: number): void {
    const { force, impulses, world, bases } = this
    const { body, v } = bases[r]
    for (let k = 0; k < 6; k++) force[k] = dt * world.applied[v + k]
    addForceToWorld(impulses[r], R_WB[body], p_WB[body], force)
  }

  private addContact(c: number): void {
    const { contacts } = this.world
    const [a, b] = [this.owner[contacts.bodyA[c]], this.owner[contacts.bodyB[c]]]
    if (a === b) return
    const { force } = this
    contacts.writeWrench(c, force)
    for (let i = 0; i < 6; i++) {
      if (b >= 0) this.impulses[b][i] += force[i]
      if (a >= 0) this.impulses[a][i] -= force[i]
    }
  }

  private write({ V, R_WB, p_WB }: Data, out: readonly Float64Array[]): void {
    const { owner, world, force } = this
    const { nb, I } = world.model
    for (const own of out) own.fill(0)
    for (let i = 1; i < nb; i++) {
      if (owner[i] < 0) continue
      const inertia = I[i]
      const momentum = out[owner[i]]
      const R = R_WB[i]
      const p = p_WB[i]
      mulInertia(force, inertia, V[i])
      addForceToWorld(momentum, R, p, force)
      for (let d = 0; d < 3; d++)
        momentum[6 + d] += inertia[0] * p[d] + R[3 * d] * inertia[1] + R[3 * d + 1] * inertia[2] + R[3 * d + 2] * inertia[3]
    }
  }

  /** Sum of the three moments of inertia about the centre of mass [kg m²], of robot r where `now` is written. */
  private polarMoment({ R_WB, p_WB }: Data, r: number): number {
    const { owner, now, masses, world } = this
    const { nb, I } = world.model
    let half = 0 // of the trace: the sum of m |x|² about the world's origin
    for (let i = 1; i < nb; i++) {
      if (owner[i] !== r) continue
      const [R, p, own] = [R_WB[i], p_WB[i], I[i]]
      half += 0.5 * (own[4] + own[5] + own[6])
      for (let d = 0; d < 3; d++)
        half += p[d] * (own[0] * p[d] + 2 * (R[3 * d] * own[1] + R[3 * d + 1] * own[2] + R[3 * d + 2] * own[3]))
    }
    for (let d = 0; d < 3; d++) half -= (now[r][6 + d] * now[r][6 + d]) / masses[r]
    return Math.max(0, 2 * half)
  }
}
