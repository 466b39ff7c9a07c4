import { createData, type Data, kinematics, kineticEnergy, potentialEnergy, velocities } from '../dynamics/index.ts'
import { GrowableDoubles } from './growable.ts'
import type { World } from './world.ts'

export interface RecorderOptions {
  /** Records the steps whose count is a multiple of this. Default 1. */
  readonly every?: number
  /** Also record kinetic and potential energy, from kinematics of the recorder's own. Default false. */
  readonly energy?: boolean
}

/** A recording as JSON writes it. Every column has its frames one after another. */
export interface Recording {
  readonly robot: string
  readonly contactModel: string
  readonly dt: number
  /** Step between frames. */
  readonly every: number
  readonly frames: number
  readonly nq: number
  readonly nv: number
  /** Names of the columns of v and tau: a floating base's `base/wx` to `base/vz`, then the joints. */
  readonly velocityNames: readonly string[]
  /** frames: time [s]. */
  readonly t: readonly number[]
  /** frames x nq, frames x nv, frames x nv. */
  readonly q: readonly number[]
  readonly v: readonly number[]
  readonly tau: readonly number[]
  /** frames: kinetic and potential energy [J]; empty if they were not asked for. */
  readonly kinetic: readonly number[]
  readonly potential: readonly number[]
  readonly contacts: {
    /** frames + 1: frame i has contacts start[i] to start[i + 1] - 1. */
    readonly start: readonly number[]
    /** Per contact: body A, body B, pair, feature. */
    readonly bodies: readonly number[]
    /** Per contact, 3: point and normal in world axes [m, 1]. */
    readonly point: readonly number[]
    readonly normal: readonly number[]
    /** Per contact [m]. */
    readonly gap: readonly number[]
    /** Per contact, 3: impulse on body B in world axes over one step [N s]. */
    readonly impulse: readonly number[]
  }
}

/**
 * Keeps every n-th frame of a world. Call `record` after construction and after each step; it decides by itself which to
 * keep. A frame holds the state at its time, and the efforts and contacts of the step that ended there.
 */
export class Recorder {
  readonly every: number
  frames = 0
  private readonly world: World
  private readonly data: Data | undefined
  private readonly t = new GrowableDoubles()
  private readonly q = new GrowableDoubles()
  private readonly v = new GrowableDoubles()
  private readonly tau = new GrowableDoubles()
  private readonly kinetic = new GrowableDoubles()
  private readonly potential = new GrowableDoubles()
  private readonly contactStart = new GrowableDoubles()
  private readonly bodies = new GrowableDoubles()
  private readonly point = new GrowableDoubles()
  private readonly normal = new GrowableDoubles()
  private readonly gap = new GrowableDoubles()
  private readonly impulse = new GrowableDoubles()
  private readonly scratch = new Float64Array(4)

  /** @throws RangeError unless `every` is a whole number of at least 1 */
  constructor(world: World, { every = 1, energy = false }: RecorderOptions = {}) {
    if (!(Number.isInteger(every) && every >= 1)) throw new RangeError(`every is ${every}; it counts steps, from 1 up`)
    this.world = world
    this.every = every
    this.data = energy ? createData(world.model) : undefined
    this.contactStart.append([0])
  }

  record(): void {
    const { world, data, scratch } = this
    if (world.stepCount % this.every !== 0) return
    this.t.append(world.state.t)
    this.q.append(world.state.q)
    this.v.append(world.state.v)
    this.tau.append(world.tau)
    if (data) {
      kinematics(world.model, world.state, data)
      velocities(world.model, world.state, data)
      kineticEnergy(world.model, world.state, data, scratch)
      this.kinetic.append(scratch, 1)
      potentialEnergy(world.model, data, scratch)
      this.potential.append(scratch, 1)
    }
    this.recordContacts()
    this.frames++
  }

  private recordContacts(): void {
    const { scratch } = this
    const { count, bodyA, bodyB, pair, feature, point, normal, tangent1, tangent2, gap, impulse } = this.world.contacts
    this.point.append(point, 3 * count)
    this.normal.append(normal, 3 * count)
    this.gap.append(gap, count)
    for (let c = 0; c < count; c++) {
      scratch[0] = bodyA[c]
      scratch[1] = bodyB[c]
      scratch[2] = pair[c]
      scratch[3] = feature[c]
      this.bodies.append(scratch, 4)
      for (let k = 3 * c; k < 3 * c + 3; k++)
        scratch[k - 3 * c] = impulse[3 * c] * normal[k] + impulse[3 * c + 1] * tangent1[k] + impulse[3 * c + 2] * tangent2[k]
      this.impulse.append(scratch, 3)
    }
    scratch[0] = this.gap.length
    this.contactStart.append(scratch, 1)
  }

  /** Writes frame i's configuration, nq; for drawing a moment of the past. */
  readConfiguration(i: number, q: Float64Array): void {
    const { nq } = this.world.model
    if (!(i >= 0 && i < this.frames)) throw new RangeError(`frame ${i} is not one of the ${this.frames} recorded`)
    for (let k = 0; k < nq; k++) q[k] = this.q.view()[i * nq + k]
  }

  toJSON(): Recording {
    const { world, every, frames } = this
    const list = (column: GrowableDoubles) => Array.from(column.view())
    return {
      robot: world.robot.name,
      contactModel: world.contactModel.name,
      dt: world.dt,
      every,
      frames,
      nq: world.model.nq,
      nv: world.model.nv,
      velocityNames: velocityNames(world),
      t: list(this.t),
      q: list(this.q),
      v: list(this.v),
      tau: list(this.tau),
      kinetic: list(this.kinetic),
      potential: list(this.potential),
      contacts: {
        start: list(this.contactStart),
        bodies: list(this.bodies),
        point: list(this.point),
        normal: list(this.normal),
        gap: list(this.gap),
        impulse: list(this.impulse),
      },
    }
  }

  /** One line a frame: t, q0.., then v and tau by name; numbers in full, so that reading them back gives the same bits. */
  toCSV(): string {
    const { world, frames } = this
    const { nq, nv } = world.model
    const names = velocityNames(world)
    const energies = this.data ? ['kinetic_J', 'potential_J'] : []
    const header = [
      't_s',
      ...Array.from({ length: nq }, (_, i) => `q${i}`),
      ...names.map((n) => `v:${n}`),
      ...names.map((n) => `tau:${n}`),
    ]
    const lines = [[...header, ...energies].map(quoted).join(',')]
    for (let f = 0; f < frames; f++) {
      const cells = [
        this.t.view()[f],
        ...this.q.view().subarray(f * nq, (f + 1) * nq),
        ...this.v.view().subarray(f * nv, (f + 1) * nv),
        ...this.tau.view().subarray(f * nv, (f + 1) * nv),
      ]
      if (this.data) cells.push(this.kinetic.view()[f], this.potential.view()[f])
      lines.push(cells.join(','))
    }
    return lines.join('\n') + '\n'
  }

  /** One line a contact: time, bodies, feature, point, normal, gap, impulse in world axes. */
  contactsCSV(): string {
    const { bodyName } = this.world.model
    const start = this.contactStart.view()
    const bodies = this.bodies.view()
    const lines = ['t_s,bodyA,bodyB,pair,feature,x_m,y_m,z_m,nx,ny,nz,gap_m,impulseX_Ns,impulseY_Ns,impulseZ_Ns']
    for (let f = 0; f < this.frames; f++) {
      for (let c = start[f]; c < start[f + 1]; c++) {
        const three = (column: GrowableDoubles) => column.view().subarray(3 * c, 3 * c + 3)
        const [a, b, pair, feature] = bodies.subarray(4 * c, 4 * c + 4)
        const names = [quoted(bodyName[a]), quoted(bodyName[b])]
        const numbers = [pair, feature, ...three(this.point), ...three(this.normal), this.gap.view()[c], ...three(this.impulse)]
        lines.push([this.t.view()[f], ...names, ...numbers].join(','))
      }
    }
    return lines.join('\n') + '\n'
  }
}

/** RFC 4180: a cell with a comma, a quote or a line break is quoted. */
const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

function velocityNames({ model }: World): string[] {
  return Array.from(model.bodyOfV, (body, i) => {
    const size = model.vStart[body + 1] - model.vStart[body]
    const k = i - model.vStart[body]
    return size === 6 ? `base/${['wx', 'wy', 'wz', 'vx', 'vy', 'vz'][k]}` : model.jointName[body]
  })
}
