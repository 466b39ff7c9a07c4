import { ControllerError } from '../controllerError.ts'

/** State of rotors with play in a checkpoint. */
export interface SavedRotors {
  readonly position: Float64Array
  readonly velocity: Float64Array
}

/**
 * Rotors behind gears with play, each a degree of freedom of its own, at the joint's side of the gear [rad, m]. The teeth pass
 * T = k D(theta - q), with D the dead zone of half the play to either side (Nordin and Gutman, Controlling mechanical systems with backlash, 2002,
 * section 2), and J theta'' = effort - T. The rotor is stepped implicitly against the joint's position extrapolated at its speed; the joint gets the
 * same T over the same step, so that momentum is kept.
 */
export class RotorsWithPlay {
  /** NaN before the first step, which starts in the middle of their play, at the joint's speed. */
  readonly position: Float64Array
  readonly velocity: Float64Array
  private readonly inertia: Float64Array
  private readonly halfPlay: Float64Array
  private readonly stiffness: Float64Array
  private readonly most: Float64Array

  /** @param most nv: effort at which the teeth slip, the joint's limit [N m, N] */
  constructor(most: Float64Array) {
    this.most = most
    const nv = most.length
    this.position = new Float64Array(nv).fill(NaN)
    this.velocity = new Float64Array(nv).fill(NaN)
    this.inertia = new Float64Array(nv)
    this.halfPlay = new Float64Array(nv)
    this.stiffness = new Float64Array(nv)
  }

  /** @param k entry of v @param inertia at the joint [kg m^2, kg] @param play in all [rad, m] @param stiffness of the teeth [N m/rad, N/m] */
  add(k: number, inertia: number, play: number, stiffness: number): void {
    this.inertia[k] = inertia
    this.halfPlay[k] = play / 2
    this.stiffness[k] = stiffness
  }

  has(k: number): boolean {
    return this.inertia[k] > 0
  }

  /**
   * Whether a step is short enough: for the teeth against the joint, dt^2 stiffness <= its inertia (the pair is unstable from 4/3 on), and for a
   * servo against the rotor, dt^2 kp + dt kd <= the rotor's (unstable from 2 on).
   *
   * @param joint inertia of the joint without the rotor [kg m^2, kg]
   * @throws ControllerError
   */
  checkStep(name: string, k: number, dt: number, joint: number, kp: number, kd: number): void {
    const stiff = (what: string, remedy: string) =>
      new ControllerError('actuators', `joint "${name}": ${what} at a step of ${dt} s; ${remedy}`)
    const most = joint / (dt * dt)
    if (this.stiffness[k] > most)
      throw stiff(
        `its gear's stiffness ${this.stiffness[k]} is too much`,
        `at most ${most.toPrecision(3)} is stable, or a shorter step`,
      )
    if (dt * dt * kp + dt * kd > this.inertia[k])
      throw stiff(
        `its gains are too high for its rotor, which weighs ${this.inertia[k].toPrecision(3)} behind the gear`,
        'lower kp or kd, or shorten the step',
      )
  }

  reset(): void {
    this.position.fill(NaN)
    this.velocity.fill(NaN)
  }

  /** Sets rotors before their first step to the position and speed of their joint. */
  meet(k: number, q: Float64Array, qAt: number, v: Float64Array): void {
    if (!Number.isNaN(this.position[k])) return
    this.position[k] = q[qAt]
    this.velocity[k] = v[k]
  }

  /** One step: tau[k] is the motor's effort before, and the effort transmitted by the teeth to the joint after. */
  step(tau: Float64Array, k: number, q: Float64Array, qAt: number, v: Float64Array, dt: number): void {
    const { position, velocity, inertia, halfPlay, stiffness, most } = this
    const free = velocity[k] + (dt * tau[k]) / inertia[k]
    const lead = position[k] + dt * free - (q[qAt] + dt * v[k])
    const wound = lead > halfPlay[k] ? lead - halfPlay[k] : lead < -halfPlay[k] ? lead + halfPlay[k] : 0
    const passed = (stiffness[k] * wound) / (1 + (stiffness[k] * dt * dt) / inertia[k])
    tau[k] = Math.min(most[k], Math.max(-most[k], passed))
    velocity[k] = free - (dt * tau[k]) / inertia[k]
    position[k] += dt * velocity[k]
  }

  save(): SavedRotors {
    return { position: this.position.slice(), velocity: this.velocity.slice() }
  }

  restore({ position, velocity }: SavedRotors): void {
    this.position.set(position)
    this.velocity.set(velocity)
  }
}
