import { type Data, mulInertia, rotate3 } from '../dynamics/index.ts'
import type { RobotInWorld, World } from '../simulation/index.ts'

/**
 * The linear momentum of each floating robot and body against the forces that were reported to act on it, but of those that a loop holds
 * to another or to the world, for nobody reports its force. A contact between two
 * parts of one robot pushes both ways and so counts for nothing; one between two robots counts for each of them.
 */
export class Momenta {
  private readonly world: World
  /** Per body: which of `robots` it is of, or -1. */
  private readonly owner: Int32Array
  private readonly masses: readonly number[]
  private readonly gravity: number
  /** 3 a robot: momentum [kg m/s] and contact impulses of the step [N s]. */
  private readonly now: Float64Array
  private readonly before: Float64Array
  private readonly impulses: Float64Array
  private readonly force = new Float64Array(6)
  private readonly linear = new Float64Array(3)
  private readonly linearW = new Float64Array(3)
  private sum = 0

  constructor(world: World) {
    const { model, robots, loops } = world
    this.world = world
    const isOf = ({ robot, start }: RobotInWorld, body: number) => body > start.body && body < start.body + robot.model.nb
    const isHeld = (robot: RobotInWorld) => loops.some(({ bodyA, bodyB }) => isOf(robot, bodyA) !== isOf(robot, bodyB))
    const floating = robots.filter((own) => own.robot.floating && !isHeld(own))
    this.owner = new Int32Array(model.nb).fill(-1)
    this.masses = floating.map(({ robot, start }, r) => {
      let mass = 0
      for (let i = 1; i < robot.model.nb; i++) {
        this.owner[start.body + i] = r
        mass += robot.model.I[i][0]
      }
      return mass
    })
    this.gravity = Math.hypot(model.gravity[3], model.gravity[4], model.gravity[5])
    this.now = new Float64Array(3 * floating.length)
    this.before = new Float64Array(3 * floating.length)
    this.impulses = new Float64Array(3 * floating.length)
  }

  /** Adds the impulse of a contact to those of the step. */
  addContact(bodyA: number, bodyB: number, c: number): void {
    const { contacts } = this.world
    const { normal, tangent1, tangent2, impulse } = contacts
    const [a, b] = [this.owner[bodyA], this.owner[bodyB]]
    const k = 3 * c
    for (let i = 0; i < 3; i++) {
      const p = impulse[k] * normal[k + i] + impulse[k + 1] * tangent1[k + i] + impulse[k + 2] * tangent2[k + i]
      if (b >= 0) this.impulses[3 * b + i] += p
      if (a >= 0) this.impulses[3 * a + i] -= p
    }
  }

  /** Ends the step: reads velocities at its start and its end, forgets its contacts. */
  measure(start: Data, end: Data): void {
    const { before, now, impulses, masses, world } = this
    const { gravity } = world.model
    const { dt } = world
    this.write(start, before)
    this.write(end, now)
    for (let r = 0; r < masses.length; r++) {
      for (let i = 0; i < 3; i++) {
        const k = 3 * r + i
        const rest = (now[k] - before[k] - impulses[k]) / dt - masses[r] * gravity[3 + i]
        this.sum += rest * rest
      }
    }
    impulses.fill(0)
  }

  private write({ V, R_WB }: Data, out: Float64Array): void {
    const { owner, world, force, linear, linearW } = this
    const { nb, I } = world.model
    out.fill(0)
    for (let i = 1; i < nb; i++) {
      if (owner[i] < 0) continue
      mulInertia(force, I[i], V[i])
      for (let k = 0; k < 3; k++) linear[k] = force[3 + k]
      rotate3(linearW, R_WB[i], linear)
      for (let k = 0; k < 3; k++) out[3 * owner[i] + k] += linearW[k]
    }
  }

  /** null where nothing floats or nothing weighs. */
  error(steps: number): number | null {
    const weight = this.gravity * this.masses.reduce((sum, mass) => sum + mass, 0)
    return weight > 0 && steps > 0 ? Math.sqrt(this.sum / steps) / weight : null
  }
}
