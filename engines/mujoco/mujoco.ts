import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { MainModule } from '@mujoco/mujoco'
import { JointType, type Model, rotate3, rotateTransposed3, rotationOfQuaternion, type State } from '../../dynamics/index.ts'
import { type Engine, type EngineAdapter, type EngineScene, UnsupportedScene } from '../engine.ts'
import { npmVersion } from '../npm.ts'
import { type GivenBody, givenBodies } from '../prescribed.ts'
import { MujocoCoordinates } from './coordinates.ts'
import { type Mujoco, mujocoFrom, mujocoIn, mujocoModule } from './model.ts'
import { defaults, extrasOf, lacksOf, manual, type Settings } from './scene.ts'

const adapter = (name: string, settings: string, how: Settings): EngineAdapter => ({
  name,
  packageName: '@mujoco/mujoco',
  version: npmVersion('@mujoco/mujoco'),
  settings,
  async load() {
    const mj = await mujocoModule()
    return (scene) => {
      const given = givenBodies(scene)
      return new MujocoEngine(scene, given, mujocoOf(mj, scene, given, how), how)
    }
  },
})

export const adapters: readonly EngineAdapter[] = [adapter('MuJoCo', ...defaults), adapter('MuJoCo, manual', ...manual)]

/** Files beside one, so that it finds its meshes; more are not handed over. */
const MOST_FILES = 5000

/** Of the world, or of the robot's file as MuJoCo itself reads it. @throws UnsupportedScene; Error with MuJoCo's own words for a file that it refuses */
function mujocoOf(mj: MainModule, { world, file, inputs }: EngineScene, given: readonly GivenBody[], how: Settings): Mujoco {
  if (file === undefined) return mujocoIn(mj, world.model, extrasOf(world, given, how))
  const text = readFileSync(file, 'utf8')
  if (!/<mujoco\b/.test(text) || /<robot\b/.test(text))
    throw new UnsupportedScene('its reader of URDF, which leaves the surroundings of a scenario out')
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
  model.opt.timestep = world.dt
  model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_AUTORESET.value
  if (inputs?.length !== model.nu) model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_ACTUATION.value
  const joints = Array.from({ length: model.njnt }, (_, j) => model.jnt(j).name as string)
  const bodies = bodiesOf(world.model, joints)
  return mujocoFrom(mj, model, world.model, (i) => bodies.indexOf(i))
}

class MujocoEngine implements Engine {
  readonly lacks: readonly string[]
  private readonly mujoco: Mujoco
  private readonly model: Model
  private readonly given: readonly GivenBody[]
  private readonly R = new Float64Array(9)
  private readonly own = new Float64Array(3)
  /** Of the file's actuators; undefined where efforts are applied. */
  private readonly inputs: Float64Array | undefined
  private readonly coordinates: MujocoCoordinates

  constructor({ world, file, inputs }: EngineScene, given: readonly GivenBody[], mujoco: Mujoco, how: Settings) {
    const { model, state } = world
    this.mujoco = mujoco
    this.model = model
    this.given = given
    this.lacks = file === undefined ? lacksOf(world, how) : []
    this.inputs = inputs?.length === mujoco.model.nu ? inputs : undefined
    const { data } = mujoco
    this.coordinates = new MujocoCoordinates(model, mujoco.qposStart, mujoco.dofStart)
    this.coordinates.write(state, data.qpos, data.qvel)
  }

  step(tau: Float64Array): void {
    const { mujoco, given } = this
    const { mj, data, dofStart, qposStart } = mujoco
    if (this.inputs !== undefined) data.ctrl.set(this.inputs)
    else this.apply(tau)
    if (given.length > 0) {
      const { qpos, qvel } = data
      for (const { body, pose, velocity, next } of given) {
        next()
        qpos.set([...pose.subarray(0, 3), pose[6], ...pose.subarray(3, 6)], qposStart[body])
        rotationOfQuaternion(this.R, pose, 3)
        rotateTransposed3(this.own, this.R, velocity.subarray(0, 3))
        qvel.set([...velocity.subarray(3), ...this.own], dofStart[body])
      }
    }
    mj.mj_step(mujoco.model, data)
  }

  write(state: State): void {
    const { data } = this.mujoco
    this.coordinates.write(state, data.qpos, data.qvel)
    data.qacc_warmstart.fill(0)
  }

  read(state: State): void {
    const { qpos, qvel } = this.mujoco.data
    this.coordinates.read(qpos, qvel, state)
    for (const one of this.given) one.write(state)
  }

  private apply(tau: Float64Array): void {
    const { model, mujoco, R, own, given } = this
    const { dofStart, qposStart, data } = mujoco
    const applied = data.qfrc_applied
    for (let i = 1; i < model.nb; i++) {
      const [k, dof] = [model.vStart[i], dofStart[i]]
      if (dof < 0) continue
      if (model.vStart[i + 1] === k + 1) applied[dof] = tau[k]
      if (model.jointType[i] !== JointType.floating || given.some(({ body }) => body === i)) continue
      // its forces are in world axes there, its moments in the body's
      const q = data.qpos.subarray(qposStart[i] + 3, qposStart[i] + 7)
      rotationOfQuaternion(R, Float64Array.of(q[1], q[2], q[3], q[0]), 0)
      rotate3(own, R, tau.subarray(k + 3, k + 6))
      applied.set([...own, ...tau.subarray(k, k + 3)], dof)
    }
  }

  contacts(): number {
    return this.mujoco.data.ncon
  }

  delete(): void {
    this.mujoco.delete()
  }
}

/** Our body of each joint: by name, also behind a robot's; those without a name in their order. @throws RangeError for other joints */
function bodiesOf({ nb, jointName, vStart, follows }: Model, joints: readonly string[]): number[] {
  const moving = Array.from({ length: nb }, (_, i) => i).filter(
    (i) => i > 0 && (vStart[i + 1] > vStart[i] || follows[i] >= 0), // mocap bodies stand still in both
  )
  const isNamed = (i: number, name: string) => name !== '' && (jointName[i] === name || jointName[i].endsWith(`/${name}`))
  const named = joints.map((name) => moving.find((i) => isNamed(i, name)) ?? -1)
  const left = moving.filter((i) => !named.includes(i))
  const all = named.map((body, j) => (body < 0 && joints[j] === '' ? (left.shift() ?? -1) : body))
  if (all.some((body) => body < 0) || left.length > 0)
    throw new RangeError(
      `MuJoCo has the joints ${joints.map((name) => name || '(without a name)').join(', ')}, and this world ${moving.map((i) => jointName[i]).join(', ')}; run the file alone`,
    )
  return all
}
