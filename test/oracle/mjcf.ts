import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import loadMujoco, { type MainModule, type MjModel } from '@mujoco/mujoco'
import type { Model } from '../../dynamics/index.ts'
import { type Mujoco, mujocoFrom } from './mujoco.ts'

let loading: Promise<MainModule> | undefined

/**
 * A file of MuJoCo's own format inside MuJoCo, for rigid-body questions: its joints matched by name, contacts, constraints and losses
 * switched off.
 */
export async function mujocoOfMjcf(path: string, model: Model): Promise<Mujoco> {
  const mjModel = await mjcfModel(path)
  const { mj } = mjModel
  const { mjDSBL_CONSTRAINT, mjDSBL_CONTACT, mjDSBL_SPRING, mjDSBL_DAMPER, mjDSBL_AUTORESET, mjDSBL_ACTUATION } = mj.mjtDisableBit
  const rigidOnly = [mjDSBL_CONSTRAINT, mjDSBL_CONTACT, mjDSBL_SPRING, mjDSBL_DAMPER, mjDSBL_AUTORESET, mjDSBL_ACTUATION]
  mjModel.model.opt.disableflags = rigidOnly.reduce((flags, { value }) => flags | value, 0)
  mjModel.model.opt.gravity.set(model.gravity.subarray(3, 6))
  return mujocoFrom(mj, mjModel.model, model, (i) => model.jointName[i])
}

/** The compiled file, with the files of its folder at hand. */
export async function mjcfModel(path: string): Promise<{ mj: MainModule; model: MjModel }> {
  loading ??= loadMujoco()
  const mj = await loading
  const vfs = new mj.MjVFS()
  const folder = dirname(path)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (statSync(file).isFile()) vfs.addBuffer(relative(folder, file), new Uint8Array(readFileSync(file)))
  }
  const model = mj.MjModel.from_xml_string(readFileSync(path, 'utf8'), vfs)
  vfs.delete()
  return { mj, model }
}

/** The compiled text of a file without others. */
export async function mjcfModelOf(text: string): Promise<{ mj: MainModule; model: MjModel }> {
  loading ??= loadMujoco()
  const mj = await loading
  return { mj, model: mj.MjModel.from_xml_string(text) }
}
