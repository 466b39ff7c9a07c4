import {
  crba,
  createData,
  createState,
  directionRow,
  JointType,
  kinematics,
  rotate3,
  rotateTransposed3,
  rotationOfQuaternion,
} from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'

/**
 * The energy balance of a world from its mass matrix and its centres of mass: kinetic and potential energy, less the work of motors, plus what
 * viscous joints used up. It may not rise above the least of balance and contact springs together before. Call `before` and `after` around
 * each step.
 */
export class EnergyOracle {
  /** Largest rise, of what the run had to spend until then; and after how many steps it was above a tenth for the first time, 0 for never. */
  invented = 0
  firstStep = 0
  /** Largest rise in one step of the balance, and that step: as a rule the one that is to blame [J]. */
  jump = 0
  jumpStep = 0
  kinetic: number
  /** Contacts that passed something on in the last step. */
  active = 0
  private readonly world: World
  private readonly data
  private readonly start
  private readonly v1: Float64Array
  private readonly row: Float64Array
  private readonly rotation = [new Float64Array(9), new Float64Array(9)] as const
  private readonly free: readonly number[]
  private readonly floor: number
  private readonly kineticStart: number
  private readonly potentialStart: number
  private lowest: number
  private work = 0
  private leastWork = 0
  private given = 0
  private lost = 0
  private balance: number
  private held = 0
  private least = Infinity
  private steps = 0

  /** @param size of what moves [m] */
  constructor(world: World, size: number) {
    const { model } = world
    this.world = world
    this.data = createData(model)
    this.start = createState(model)
    this.v1 = new Float64Array(model.nv)
    this.row = new Float64Array(model.nv)
    this.free = [...model.jointType.keys()].filter((i) => i > 0 && model.jointType[i] === JointType.floating)
    let mass = 0
    for (const inertia of model.I.slice(1)) mass += inertia[0]
    // the weight lifted by a hundredth of the size; of what weighs nothing, all of it at 1 cm/s
    this.floor = Math.max(0.01 * size * mass * Math.hypot(...model.gravity.subarray(3)), 0.5 * mass * 0.01 ** 2)
    const [kinetic, potential] = this.read()
    this.kinetic = kinetic
    this.kineticStart = kinetic
    this.potentialStart = potential
    this.lowest = potential
    this.balance = kinetic + potential
  }

  /** What the run had to spend [J]. */
  get scale(): number {
    return Math.max(this.kineticStart + this.potentialStart - this.lowest + this.given, this.floor)
  }

  before(): void {
    this.start.q.set(this.world.state.q)
    this.start.v.set(this.world.state.v)
  }

  after(): void {
    const { model, state, tau, dt } = this.world
    const [kinetic, potential] = this.read()
    this.steps++
    this.lowest = Math.min(this.lowest, potential)
    for (let k = 0; k < model.nv; k++) {
      const mean = (this.start.v[k] + state.v[k]) / 2
      this.work += tau[k] * mean * dt
      this.lost += model.damping[k] * mean * mean * dt
    }
    this.leastWork = Math.min(this.leastWork, this.work)
    this.given = Math.max(this.given, this.work - this.leastWork)
    const balance = kinetic + potential - this.work + this.lost
    const [atStart, atEnd] = this.springs()
    this.least = Math.min(this.least, this.balance + Math.max(this.held, atStart))
    if (balance - this.balance > this.jump) {
      this.jump = balance - this.balance
      this.jumpStep = this.steps
    }
    const rise = balance - this.least
    this.invented = Math.max(this.invented, rise / this.scale)
    if (this.firstStep === 0 && !(this.invented <= 0.1)) this.firstStep = this.steps
    this.kinetic = kinetic
    this.balance = balance
    this.held = atEnd
  }

  /** Kinetic and potential energy now [J]. */
  private read(): [kinetic: number, potential: number] {
    const { data } = this
    const { model, state } = this.world
    const { nb, nv, I, gravity, stiffness, springReference, bodyOfV, qStart, vStart } = model
    kinematics(model, state, data)
    crba(model, data)
    let kinetic = 0
    let potential = 0
    for (let i = 0; i < nv; i++) for (let j = 0; j < nv; j++) kinetic += 0.5 * state.v[i] * data.M[i * nv + j] * state.v[j]
    for (let i = 1; i < nb; i++)
      for (let r = 0; r < 3; r++) {
        let moment = I[i][0] * data.p_WB[i][r]
        for (let c = 0; c < 3; c++) moment += data.R_WB[i][3 * r + c] * I[i][1 + c]
        potential -= gravity[3 + r] * moment
      }
    for (let k = 0; k < nv; k++) {
      if (stiffness[k] === 0) continue
      const body = bodyOfV[k]
      potential += 0.5 * stiffness[k] * (state.q[qStart[body] + k - vStart[body]] - springReference[k]) ** 2
    }
    return [kinetic, potential]
  }

  /** Normal force times depth [J] over all contacts, with the depth at the start of the step and with that at its end. */
  private springs(): [atStart: number, atEnd: number] {
    const { start, data, row, v1 } = this
    const { model, contacts, dt } = this.world
    kinematics(model, start, data)
    this.turnToStart()
    let atStart = 0
    let atEnd = 0
    this.active = 0
    for (let c = 0; c < contacts.count; c++) {
      const { bodyA, bodyB, impulse, impact, gap, point, normal } = contacts
      if (impulse[3 * c] !== 0 || impact[3 * c] !== 0) this.active++
      const force = (impulse[3 * c] - impact[3 * c]) / dt
      if (!(force > 0)) continue
      row.fill(0)
      directionRow(model, data, bodyB[c], point, 3 * c, normal, 3 * c, 1, row, 0)
      directionRow(model, data, bodyA[c], point, 3 * c, normal, 3 * c, -1, row, 0)
      let speed = 0
      for (let k = 0; k < model.nv; k++) speed += row[k] * v1[k]
      atStart += force * Math.max(0, -gap[c])
      atEnd += force * Math.max(0, -gap[c] - dt * speed)
    }
    return [atStart, atEnd]
  }

  /** v1 = the velocity at the end, that of floating bodies turned from their own axes into those that they had at the start. */
  private turnToStart(): void {
    const { start, v1, free } = this
    const [R0, R1] = this.rotation
    const { model, state } = this.world
    v1.set(state.v)
    for (const body of free) {
      rotationOfQuaternion(R0, start.q, model.qStart[body] + 3)
      rotationOfQuaternion(R1, state.q, model.qStart[body] + 3)
      for (let part = 0; part < 6; part += 3) {
        const own = v1.subarray(model.vStart[body] + part, model.vStart[body] + part + 3)
        rotate3(own, R1, own)
        rotateTransposed3(own, R0, own)
      }
    }
  }
}
