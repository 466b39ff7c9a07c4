/** Quantities of measures: numbers of a world's state by name. */
import { PenetrationMeter } from '../compare/scenario/world/penetration.ts'
import {
  centroidalMomentum,
  createCentroidalWorkspace,
  createData,
  type Data,
  frameVelocity,
  kinematics,
  kineticEnergy,
  potentialEnergy,
  quaternionOfRotation,
  type State,
  velocities,
} from '../dynamics/index.ts'
import type { World } from '../simulation/index.ts'

/** Of a link or a body: its origin, in world axes; roll, pitch and yaw about fixed axes; `tilt` between its z and the world's; `spin` about its own z; its turn as a quaternion, scalar last. */
const ofFrames = [
  'x',
  'y',
  'z',
  'vx',
  'vy',
  'vz',
  'wx',
  'wy',
  'wz',
  'roll',
  'pitch',
  'yaw',
  'tilt',
  'spin',
  'qx',
  'qy',
  'qz',
  'qw',
] as const
/**
 * Of contacts over the last step: force on a link in world axes [N]; sum of the normal forces at it (`load`) [N], and its centre of
 * pressure [m]. Without a link in front, of all contacts with fixed bodies.
 */
const ofContacts = ['fx', 'fy', 'fz', 'load', 'cx', 'cy', 'cz'] as const
/** Of the whole: time, energies [J], momentum [N s], angular momentum about the centre of mass [N m s], depth of the deepest pair of shapes [m]. */
const ofAll = ['t', 'kinetic', 'potential', 'energy', 'px', 'py', 'pz', 'lx', 'ly', 'lz', 'depth'] as const

/** Names and values of the quantities of a world. Links are `robot.link`, a body by its name; joints `robot.joint.q` and `.v`. */
export class Quantities {
  readonly names: readonly string[]
  private readonly values: Float64Array
  private readonly data: Data
  private readonly world: World
  private readonly readers: (() => void)[] = []
  private readonly all: ReadonlyMap<string, Reader>
  private state: State
  /** Made when it is first read. */
  private meter: PenetrationMeter | undefined
  /** Whether a quantity that is wanted is one of contacts. */
  ofContacts = false

  constructor(world: World) {
    this.world = world
    this.state = world.state
    this.data = createData(world.model)
    this.all = this.readersOf()
    this.names = [...this.all.keys()]
    this.values = new Float64Array(this.names.length)
  }

  /** Those that will be read: the others are not computed. */
  want(indices: Iterable<number>): void {
    for (const index of indices) {
      const read = this.all.get(this.names[index]) as Reader
      this.ofContacts ||= /(^|\.)(f[xyz]|load|c[xyz])$/.test(this.names[index])
      this.readers.push(() => {
        this.values[index] = read()
      })
    }
  }

  /** Values by index, at this state of the world. */
  at(state: State): Float64Array {
    const { world, data } = this
    this.state = state
    kinematics(world.model, state, data)
    velocities(world.model, state, data)
    for (const read of this.readers) read()
    return this.values
  }

  private readersOf(): Map<string, Reader> {
    const { world, data } = this
    const { model } = world
    const readers = new Map<string, Reader>()
    const energy = new Float64Array(1)
    const energyOf = (write: typeof kineticEnergy) => () => {
      write(model, this.state, data, energy)
      return energy[0]
    }
    const [kinetic, potential] = [energyOf(kineticEnergy), energyOf(potentialEnergy)]
    const momentum = new Float64Array(6)
    const workspace = createCentroidalWorkspace(model)
    const part = (k: number) => () => {
      centroidalMomentum(model, data, workspace, momentum)
      return momentum[k]
    }
    const general: Record<(typeof ofAll)[number], Reader> = {
      t: () => this.state.t[0],
      kinetic,
      potential,
      energy: () => kinetic() + potential(),
      px: part(3),
      py: part(4),
      pz: part(5),
      lx: part(0),
      ly: part(1),
      lz: part(2),
      depth: () => this.depth(),
    }
    for (const name of ofAll) readers.set(name, general[name])
    for (const [k, name] of ofContacts.entries()) readers.set(name, () => this.contactsAt(0)[k] * (k < 3 ? -1 : 1))
    world.robots.forEach(({ name, robot, start }, i) => {
      const prefixes = (own: string) => [
        ...(world.robots.length === 1 || i === 0 ? [own] : []),
        ...(robot.frames.length === 1 ? [name] : []),
        `${name}.${own}`,
      ]
      for (const frame of robot.frames) {
        const R = new Float64Array(9)
        const moved = frame.body === 0 ? frame : { ...frame, body: frame.body + start.body }
        const velocity = new Float64Array(6)
        const Rb = () => turned(R, data.R_WB[moved.body], frame.R)
        const p = (k: number) => () => {
          const B = data.R_WB[moved.body]
          return data.p_WB[moved.body][k] + B[3 * k] * frame.p[0] + B[3 * k + 1] * frame.p[1] + B[3 * k + 2] * frame.p[2]
        }
        const v = (k: number) => () => {
          frameVelocity(data, moved, velocity)
          return velocity[k]
        }
        const w = [v(0), v(1), v(2)]
        const own: Record<(typeof ofFrames)[number], Reader> = {
          x: p(0),
          y: p(1),
          z: p(2),
          vx: v(3),
          vy: v(4),
          vz: v(5),
          wx: w[0],
          wy: w[1],
          wz: w[2],
          roll: () => Math.atan2(Rb()[7], R[8]),
          pitch: () => Math.atan2(-Rb()[6], Math.hypot(R[7], R[8])),
          yaw: () => Math.atan2(Rb()[3], R[0]),
          tilt: () => Math.atan2(Math.hypot(Rb()[2], R[5]), R[8]),
          spin: () => Rb()[2] * w[0]() + R[5] * w[1]() + R[8] * w[2](),
          ...quaternionReaders(Rb),
        }
        for (const prefix of prefixes(frame.name))
          for (const [k, key] of ofContacts.entries())
            readers.set(`${plain(prefix)}.${key}`, () => this.contactsAt(moved.body)[k])
        for (const key of ofFrames) for (const prefix of prefixes(frame.name)) readers.set(`${plain(prefix)}.${key}`, own[key])
      }
      for (const joint of robot.joints) {
        const from = joint.vIndex + start.v
        for (const prefix of prefixes(joint.name)) {
          const own = { q: () => this.state.q[joint.qIndex + start.q], v: () => this.state.v[from], tau: () => world.tau[from] }
          for (const [key, read] of Object.entries(own)) readers.set(`${plain(prefix)}.${key}`, read)
        }
      }
    })
    return readers
  }

  /** Of the pair that is deepest, whatever is taken to touch. */
  private depth(): number {
    this.meter ??= new PenetrationMeter(this.world)
    this.meter.measure(this.data)
    return this.meter.deepest[0]
  }

  /** Of the contacts of a body, in the order of `ofContacts`. */
  private contactsAt(body: number): Float64Array {
    const { contacts, dt } = this.world
    const { count, bodyA, bodyB, impulse, point, normal, tangent1, tangent2 } = contacts
    const out = new Float64Array(7)
    for (let i = 0; i < count; i++) {
      const sign = bodyB[i] === body ? 1 : bodyA[i] === body ? -1 : 0
      if (sign === 0) continue
      const [n, t1, t2] = [impulse[3 * i] / dt, impulse[3 * i + 1] / dt, impulse[3 * i + 2] / dt]
      for (let d = 0; d < 3; d++) {
        out[d] += sign * (n * normal[3 * i + d] + t1 * tangent1[3 * i + d] + t2 * tangent2[3 * i + d])
        out[4 + d] += n * point[3 * i + d]
      }
      out[3] += n
    }
    for (let d = 4; d < 7; d++) out[d] /= out[3]
    return out
  }
}

type Reader = () => number

function quaternionReaders(rotation: () => Float64Array): Record<'qx' | 'qy' | 'qz' | 'qw', Reader> {
  const quaternion = new Float64Array(4)
  const part = (k: number) => () => {
    quaternionOfRotation(quaternion, 0, rotation())
    return quaternion[k]
  }
  return { qx: part(0), qy: part(1), qz: part(2), qw: part(3) }
}

/** A name as an expression may hold it. */
const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9_.]/g, '_')

function turned(out: Float64Array, A: Float64Array, B: Float64Array): Float64Array {
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j]
  return out
}
