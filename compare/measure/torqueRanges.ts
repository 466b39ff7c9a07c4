/** Torques of motors and forces of contacts that would have explained the same motion. */
import { ContactRows, ForceRanges, LengthRows, LoopRows } from '../../contact/index.ts'
import { Motors } from '../../control/index.ts'
import { listed } from '../../dynamics/index.ts'
import type { RobotInWorld, World } from '../../simulation/index.ts'
import { MeasuredStep } from './measuredStep.ts'

/** A contact that moves apart by no more than this over the step may have a force, also where the model gave it none [m]. */
const TOUCHING = 1e-6

/** A joint with a motor. */
export interface Motor {
  readonly name: string
  readonly unit: 'Nm' | 'N'
  /** Index of its torque in the world's tau. */
  readonly v: number
}

/**
 * Inverse dynamics under contact as a set: over each step, the range of each motor's torque and of each contact's force over all forces
 * within the friction cones that explain the same motion, M (v+ - v) / dt + c = Sᵀ tau + Jᵀ f + the rest. The rest (gravity, damping, dry
 * friction, limits of joints, pushes, moments of torsion and rolling) is as in the step, so that a change of forces explains the same motion if
 * coordinates without a motor feel none of it, and motors feel its opposite; forces of loops and couplings may change without bounds.
 *
 * Call `before` and `after` around each step. @unchecked
 */
export class TorqueRanges {
  readonly motors: readonly Motor[]
  /** Per motor: the torque of the model over the step, and the least and the greatest that explain its motion [N m, N]. */
  readonly torque: Float64Array
  readonly least: Float64Array
  readonly greatest: Float64Array
  /** Contacts of the step that may have a force, by their places in `world.contacts`. */
  contacts: readonly number[] = []
  /** 6 a contact of `contacts`: least and greatest force on B along normal, tangent 1, tangent 2 [N]. */
  forces = new Float64Array(0)
  /** Distance of the model's contact forces outside their cones, and the least of all forces that explain its motion [N]. */
  excess = 0
  relaxation = 0
  readonly world: World
  private readonly step: MeasuredStep
  private readonly ranges = new ForceRanges()
  private readonly loops: LoopRows
  private readonly lengths: LengthRows
  private readonly rows: ContactRows
  /** Coordinates that have neither a motor nor a prescribed motion. */
  private readonly passive: readonly number[]
  private readonly ends = new Float64Array(2)

  /**
   * @param motorless names of joints without a motor, with several robots after the robot's and a slash; besides those of robots without a
   * controller, and those that no actuator of an MJCF file drives while its controller writes their inputs
   * @throws RangeError if there is no such joint
   */
  constructor(world: World, motorless: readonly string[] = []) {
    const { model } = world
    this.world = world
    this.step = new MeasuredStep(world)
    this.loops = new LoopRows(model, world.loops)
    this.lengths = new LengthRows(model)
    this.rows = new ContactRows(model)
    const motors = world.robots.flatMap((own) => motorsOf(own, world.robots.length > 1))
    const unknown = motorless.find((name) => motors.every((motor) => motor.name !== name))
    if (unknown !== undefined)
      throw new RangeError(`there is no joint with a motor "${unknown}"; there are ${listed(motors.map(({ name }) => name))}`)
    this.motors = motors.filter(({ name }) => !motorless.includes(name))
    const count = this.motors.length
    this.torque = new Float64Array(count)
    this.least = new Float64Array(count)
    this.greatest = new Float64Array(count)
    const driven = new Set(this.motors.map(({ v }) => v))
    const bodies = Array.from({ length: model.nb - 1 }, (_, i) => i + 1).filter((body) => !world.isPrescribed(body))
    this.passive = bodies
      .flatMap((body) => Array.from({ length: model.vStart[body + 1] - model.vStart[body] }, (_, k) => model.vStart[body] + k))
      .filter((v) => !driven.has(v))
  }

  before(): void {
    this.step.before()
  }

  after(): void {
    const { world, step, motors, ranges, torque, ends } = this
    step.after()
    this.rows.build(step.start, world.contacts)
    const friction = this.findContacts()
    const { contacts } = this
    const free = this.freeRows()
    const rows = [...contacts.flatMap((c) => [0, 1, 2].map((r) => this.rows.denseRow(c, r))), ...free]
    const column = (v: number) => rows.map((row) => row[v])
    const { impulse } = world.contacts
    const forces = Float64Array.from(
      { length: 3 * contacts.length },
      (_, k) => impulse[3 * contacts[(k / 3) | 0] + (k % 3)] / step.dt,
    )
    ranges.begin({ forces, friction, free: free.length, equations: this.passive.map(column) })
    this.excess = ranges.excess
    this.relaxation = ranges.relaxation
    motors.forEach(({ v }, i) => {
      ranges.range(column(v), ends)
      torque[i] = world.tau[v]
      this.least[i] = torque[i] - ends[1]
      this.greatest[i] = torque[i] - ends[0]
    })
    this.forces = new Float64Array(2 * forces.length)
    for (let k = 0; k < forces.length; k++) {
      ranges.range(
        Float64Array.from(rows, (_, i) => Number(i === k)),
        ends,
      )
      for (let d = 0; d < 2; d++) this.forces[2 * k + d] = forces[k] + ends[d]
    }
  }

  /** The last step as plain data: of each torque and each force along an axis in the world the model's value, the least and the greatest. */
  frame() {
    const { motors, torque, least, greatest, contacts, forces, world, step, excess, relaxation } = this
    const { pair, feature, impulse, normal, tangent1, tangent2 } = world.contacts
    return {
      excess,
      relaxation,
      torques: motors.map(({ name }, i) => ({ name, value: torque[i], min: least[i], max: greatest[i] })),
      contacts: contacts.map((c, i) => ({
        pair: pair[c],
        feature: feature[c],
        forces: [normal, tangent1, tangent2].map((axes, r) => ({
          axis: [...axes.subarray(3 * c, 3 * c + 3)],
          value: impulse[3 * c + r] / step.dt,
          min: forces[6 * i + 2 * r],
          max: forces[6 * i + 2 * r + 1],
        })),
      })),
    }
  }

  /** @returns coefficients of friction of `contacts` */
  private findContacts(): number[] {
    const { world, step, rows } = this
    const { count, gap, mu, muStatic } = world.contacts
    const friction = new Map<number, number>()
    for (let i = 0; i < step.count; i++) friction.set(step.active[i], step.friction[i])
    for (let c = 0; c < count; c++) {
      const apart = step.dt * rows.normalVelocity(step.turned.v, c)
      if (Math.max(apart, gap[c] + apart) <= TOUCHING && !friction.has(c)) friction.set(c, Math.max(mu[c], muStatic[c]))
    }
    this.contacts = [...friction.keys()].sort((a, b) => a - b)
    return this.contacts.map((c) => friction.get(c) as number)
  }

  /** Rows of loops that are closed, and of couplings of lengths: nv entries each. */
  private freeRows(): Float64Array[] {
    const { world, step, loops, lengths } = this
    const { nv } = world.model
    loops.build(step.start)
    lengths.build(step.q0, step.start)
    const out: Float64Array[] = []
    const add = (write: (row: Float64Array) => void) => {
      const row = new Float64Array(nv)
      write(row)
      out.push(row)
    }
    for (let r = 0; r < loops.count; r++) if (loops.isOn(loops.loop[r])) add((row) => loops.writeRow(step.start, r, row, 0))
    for (let i = 0; i < lengths.count; i++)
      if (lengths.constraints[i].kind === 'coupling') add((row) => lengths.writeRow(i, row, 0))
    return out
  }
}

/** Joints that a controller drives: all whose largest effort is not 0, and of a file's actuators those that have one. */
function motorsOf({ name: owner, robot, controller, start }: RobotInWorld, isNamed: boolean): Motor[] {
  if (controller === undefined) return []
  const { actuators = [], joints, model } = robot
  const ofFile = controller instanceof Motors && actuators.every(({ lengths }) => lengths === undefined)
  return joints
    .filter(({ vIndex }) => model.effortLimit[vIndex] > 0 && (!ofFile || actuators.some((own) => own.vIndex === vIndex)))
    .map(({ name, type, vIndex }) => ({
      name: isNamed ? `${owner}/${name}` : name,
      unit: type === 'prismatic' ? 'N' : 'Nm',
      v: start.v + vIndex,
    }))
}
