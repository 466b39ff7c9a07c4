/** The real MuJoCo in the place of a contact model: it steps the file itself, from the world's state, under the world's controllers. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { ContactModel, ContactStep, CreateContactModel } from '../../contact/index.ts'
import type { Model } from '../../dynamics/index.ts'
import type { World } from '../../simulation/index.ts'
import { MujocoCoordinates } from './coordinates.ts'
import { nativeVersion, openNative } from './native.ts'

/** Types of joints as MuJoCo numbers them. */
const FREE = 0
const BALL = 1

/** MuJoCo with a file, at its start. */
export interface RealMujoco {
  readonly version: string
  readonly joints: readonly { readonly name: string; readonly type: number; readonly qpos: number; readonly dof: number }[]
  readonly nq: number
  readonly nv: number
  readonly nu: number
  /** @param actuates whether its own actuators act, by ctrl */
  begin(timestep: number, actuates: boolean): void
  set(qpos: Float64Array, qvel: Float64Array): void
  /** @param ctrl nu @param applied nv: generalised forces; out: qpos and qvel after the step */
  step(ctrl: Float64Array, applied: Float64Array, qpos: Float64Array, qvel: Float64Array): void
  delete(): void
}

/** Where MuJoCo is: npm's build, or native in a Python that has it. */
export interface Place {
  readonly python?: string
}

/** Prefix of the names of such models. */
const PREFIX = 'MuJoCo '
export const isBeside = (model: string): boolean => model.startsWith(PREFIX)

/** The name of the model with the version that is installed. @throws Error that says how to get it */
export async function besideName({ python }: Place): Promise<string> {
  if (python !== undefined) return `${PREFIX}${nativeVersion(python)}`
  return `${PREFIX}${(await moduleOf()).mj_versionString()}`
}

async function moduleOf() {
  try {
    return await (await import('./model.ts')).mujocoModule()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      'the real MuJoCo needs the package @mujoco/mujoco, npm install @mujoco/mujoco; or a Python with MuJoCo, --mujoco-python PATH',
      { cause: error },
    )
  }
}

/** Opens a file. @throws Error with MuJoCo's own words for a file that it refuses */
export async function openReal(file: string, { python }: Place): Promise<RealMujoco> {
  return python === undefined ? openModule(file) : openNative(python, file)
}

/** Files beside one, so that it finds its meshes; more are not handed over. */
const MOST_FILES = 5000

async function openModule(file: string): Promise<RealMujoco> {
  const mj = await moduleOf()
  const text = readFileSync(file, 'utf8')
  const vfs = new mj.MjVFS()
  if (/\bfile\s*=/.test(text)) {
    const names = readdirSync(dirname(file), { recursive: true, encoding: 'utf8' }).slice(0, MOST_FILES)
    for (const name of names) {
      const path = join(dirname(file), name)
      if (statSync(path).isFile()) vfs.addBuffer(relative(dirname(file), path), new Uint8Array(readFileSync(path)))
    }
  }
  const model = mj.MjModel.from_xml_string(text, vfs)
  vfs.delete()
  const data = new mj.MjData(model)
  const { jnt_type, jnt_qposadr, jnt_dofadr } = model
  return {
    version: mj.mj_versionString(),
    joints: Array.from({ length: model.njnt }, (_, j) => ({
      name: model.jnt(j).name,
      type: jnt_type[j],
      qpos: jnt_qposadr[j],
      dof: jnt_dofadr[j],
    })),
    nq: model.nq,
    nv: model.nv,
    nu: model.nu,
    begin(timestep, actuates) {
      model.opt.timestep = timestep
      model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_AUTORESET.value
      if (!actuates) model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_ACTUATION.value
    },
    set(qpos, qvel) {
      data.qpos.set(qpos)
      data.qvel.set(qvel)
      data.qacc_warmstart.fill(0)
    },
    step(ctrl, applied, qpos, qvel) {
      data.ctrl.set(ctrl)
      data.qfrc_applied.set(applied)
      mj.mj_step(model, data)
      qpos.set(data.qpos)
      qvel.set(data.qvel)
    },
    delete() {
      data.delete()
      model.delete()
    },
  }
}

/** A contact model that is the real MuJoCo; `attach` it to its world. */
export class BesideModel {
  readonly create: CreateContactModel
  private readonly name: string
  private readonly real: RealMujoco
  private model!: Model
  private coordinates!: MujocoCoordinates
  private world: World | undefined
  /** Inputs of the file's actuators; undefined where efforts are applied. */
  private inputs: Float64Array | undefined
  /** Our body of each joint, -1 for none. */
  private bodies: readonly number[] = []
  private readonly qpos: Float64Array
  private readonly qvel: Float64Array
  private readonly ctrl: Float64Array
  private readonly applied: Float64Array
  /** The state that it left. */
  private q = new Float64Array(0)
  private v = new Float64Array(0)

  constructor(name: string, real: RealMujoco) {
    this.name = name
    this.real = real
    this.qpos = new Float64Array(real.nq)
    this.qvel = new Float64Array(real.nv)
    this.ctrl = new Float64Array(real.nu)
    this.applied = new Float64Array(real.nv)
    this.create = ({ model, dt }): ContactModel => {
      this.model = model
      this.bodies = bodiesOf(model, real)
      const places = (key: 'qpos' | 'dof') =>
        Array.from({ length: model.nb }, (_, i) => real.joints[this.bodies.indexOf(i)]?.[key] ?? -1)
      this.coordinates = new MujocoCoordinates(model, places('qpos'), places('dof'))
      this.q = new Float64Array(model.nq).fill(Number.NaN)
      this.v = new Float64Array(model.nv)
      const version = { name: 'version', value: real.version, unit: '', meaning: "MuJoCo's own step of the file" }
      const step = { name: 'timestep', value: dt, unit: 's', meaning: 'of the run, in place of that of the file' }
      return {
        name: this.name,
        level: 'velocity',
        lookAhead: 0,
        reading: 'manifold',
        memorySize: 0,
        parameters: { used: [version, step], derived: [], unused: [] },
        solvers: [],
        isOutside: true,
        advance: (step) => this.advance(step),
      }
    }
  }

  delete(): void {
    this.real.delete()
  }

  /** @param inputs of the file's actuators, which a controller writes; without them its efforts are applied */
  attach(world: World, inputs: Float64Array | undefined): void {
    this.world = world
    this.inputs = inputs?.length === this.real.nu ? inputs : undefined
    this.real.begin(world.dt, this.inputs !== undefined)
  }

  private advance({ state }: ContactStep): void {
    const { real, model, qpos, qvel, ctrl, applied, inputs, world, bodies, coordinates } = this
    if (this.q.some((x, k) => x !== state.q[k]) || this.v.some((x, k) => x !== state.v[k])) {
      coordinates.write(state, qpos, qvel)
      real.set(qpos, qvel)
    }
    if (inputs !== undefined) ctrl.set(inputs)
    else
      real.joints.forEach(({ type, dof }, j) => {
        const k = model.vStart[bodies[j]]
        if (bodies[j] > 0 && type !== FREE && type !== BALL && model.follows[bodies[j]] < 0) applied[dof] = world!.tau[k]
      })
    real.step(ctrl, applied, qpos, qvel)
    coordinates.read(qpos, qvel, state)
    this.q.set(state.q)
    this.v.set(state.v)
  }
}

/** Our body of each of its joints: by name, also behind a robot's; those without a name in their order. @throws RangeError for other joints */
function bodiesOf({ nb, jointName, vStart, follows }: Model, { joints }: RealMujoco): number[] {
  const moving = Array.from({ length: nb }, (_, i) => i).filter(
    (i) => i > 0 && (vStart[i + 1] > vStart[i] || follows[i] >= 0), // mocap bodies stand still in both
  )
  const isNamed = (i: number, name: string) => name !== '' && (jointName[i] === name || jointName[i].endsWith(`/${name}`))
  const named = joints.map(({ name }) => moving.find((i) => isNamed(i, name)) ?? -1)
  const left = moving.filter((i) => !named.includes(i))
  const all = named.map((body, j) => (body < 0 && joints[j].name === '' ? (left.shift() ?? -1) : body))
  const lacking = joints.filter((_, j) => all[j] < 0)
  if (lacking.length > 0 || left.length > 0)
    throw new RangeError(
      `MuJoCo has the joints ${joints.map(({ name }) => name || '(without a name)').join(', ')}, and this world ${moving.map((i) => jointName[i]).join(', ')}; run the file alone, as --as-mujoco reads it`,
    )
  return all
}
