import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createRandom, type Model, passiveForces, type State } from '../../dynamics/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import type { Robot } from '../../robots/index.ts'
import { full } from '../dailyModels.ts'
import { dataAt, filled } from '../dynamics/at.ts'
import { randomState, randomVector } from '../dynamics/randomTree.ts'
import { mjcfModel, mujocoOfMjcf } from '../oracle/mjcf.ts'
import { compareWithMujoco, type Mujoco, qposOf } from '../oracle/mujoco.ts'

/*
 * Two readers of one file of MuJoCo's own format: mass matrix, bias, inverse and forward dynamics, poses of bodies, passive forces.
 */

const own = fileURLToPath(new URL('./mjcf/', import.meta.url))
const filesIn = (folder: string): [string, string][] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.xml') && !/common|scene_parts/.test(file))
    .sort()
    .map((file) => [file, join(folder, file)])
const { FEATHERBED_ROBOTS: robots, FEATHERBED_MENAGERIE: menagerie } = process.env
/** Hundreds of concave meshes. */
const isLong = (path: string) => /[\\/]jaco_/.test(path)
const real = robots ? filesIn(join(robots, 'mjcf')) : []
if (!full && real.some(([path]) => isLong(path))) console.log('not run: Jaco as MuJoCo reads it; set FEATHERBED_FULL')
const files = [...filesIn(own), ...real.filter(([path]) => full || !isLong(path)), ...(menagerie ? filesIn(menagerie) : [])]

describe('what MuJoCo makes of the same file:', () => {
  test.each(files)('%s', async (_, path) => {
    const robot = loadRobotFile(path)
    const { model } = robot
    const mujoco = await mujocoOfMjcf(path, model)
    const random = createRandom(5)
    for (let n = 0; n < 20; n++) {
      const state = randomState(random, model)
      const a = randomVector(random, model.nv, 5)
      const errors = compareWithMujoco(mujoco, model, state, a, randomVector(random, model.nv, 5))
      for (const [what, error] of Object.entries(errors)) expect(error, `${basename(path)}: ${what}`).toBeLessThan(1e-9)
      expect(poseError(mujoco, robot, state), `${basename(path)}: poses`).toBeLessThan(1e-9)
      expect(misplacedShapes(mujoco, robot, state), `${basename(path)}: shapes`).toEqual([])
    }
    expect(await passiveError(path, mujoco, model), `${basename(path)}: passive forces`).toBeLessThan(1e-9)
    mujoco.delete()
  })
})

/** Largest distance of a link from MuJoCo's body of its name, in position or axes. */
function poseError({ mj, model: mjModel, data }: Mujoco, { model, frames }: Robot, state: State): number {
  const own = dataAt(model, state)
  // compareWithMujoco has left MuJoCo's data at the same state
  let error = 0
  for (const { name, body, R, p } of frames) {
    const id = mj.mj_name2id(mjModel, mj.mjtObj.mjOBJ_BODY.value, name)
    if (id < 0) continue
    for (let r = 0; r < 3; r++) {
      let x = own.p_WB[body][r]
      for (let c = 0; c < 3; c++) x += own.R_WB[body][3 * r + c] * p[c]
      error = Math.max(error, Math.abs(x - data.xpos[3 * id + r]))
      for (let c = 0; c < 3; c++) {
        let entry = 0
        for (let k = 0; k < 3; k++) entry += own.R_WB[body][3 * r + k] * R[3 * k + c]
        error = Math.max(error, Math.abs(entry - data.xmat[9 * id + 3 * r + c]))
      }
    }
  }
  return error
}

/** Names of collision shapes, but meshes, that no geom of MuJoCo is equal to in size and place. */
function misplacedShapes({ model: mjModel, data, mj }: Mujoco, { model, shapes }: Robot, state: State): string[] {
  const own = dataAt(model, state)
  const geoms = Array.from({ length: mjModel.ngeom }, (_, g) => g)
  const { mjGEOM_SPHERE, mjGEOM_CAPSULE, mjGEOM_CYLINDER, mjGEOM_BOX } = mj.mjtGeom
  const seen = (type: number, size: readonly number[], x: readonly number[], z: readonly number[]) =>
    geoms.some((g) => {
      if (mjModel.geom_type[g] !== type) return false
      const near = (a: number, b: number) => Math.abs(a - b) < 1e-9
      const places = x.every((value, k) => near(value, data.geom_xpos[3 * g + k]))
      const turns = type === mjGEOM_SPHERE.value || z.every((value, k) => near(value, data.geom_xmat[9 * g + 3 * k + 2]))
      return places && turns && size.every((value, k) => near(value, mjModel.geom_size[3 * g + k]))
    })
  return shapes.flatMap(({ name, shape, body, R, p }) => {
    const at = (v: readonly number[], from: ArrayLike<number>) =>
      [0, 1, 2].map((r) => from[r] + [0, 1, 2].reduce((sum, c) => sum + own.R_WB[body][3 * r + c] * v[c], 0))
    const x = at([...p], own.p_WB[body])
    const z = at([R[2], R[5], R[8]], [0, 0, 0])
    switch (shape.type) {
      case 'sphere':
        return seen(mjGEOM_SPHERE.value, [shape.radius], x, z) ? [] : [name]
      case 'box':
        return seen(
          mjGEOM_BOX.value,
          shape.size.map((s) => s / 2),
          x,
          z,
        )
          ? []
          : [name]
      case 'capsule':
      case 'cylinder': {
        const type = shape.type === 'capsule' ? mjGEOM_CAPSULE : mjGEOM_CYLINDER
        return seen(type.value, [shape.radius, shape.length / 2], x, z) ? [] : [name]
      }
      default:
        return []
    }
  })
}

/** Damping and springs: what MuJoCo calls passive forces without frictionloss, at joints of one coordinate that follow none. */
async function passiveError(path: string, mujoco: Mujoco, model: Model): Promise<number> {
  const { mj, model: passive } = await mjcfModel(path)
  const data = new mj.MjData(passive)
  const random = createRandom(6)
  let error = 0
  for (let n = 0; n < 20; n++) {
    const state = randomState(random, model)
    const out = filled(model.nv, (out) => passiveForces({ ...model, friction: new Float64Array(model.nv) }, state, out))
    data.qpos.set(qposOf(mujoco, model, state))
    for (let i = 1; i < model.nb; i++)
      if (mujoco.dofStart[i] >= 0 && model.follows[i] < 0) data.qvel[mujoco.dofStart[i]] = state.v[model.vStart[i]]
    mj.mj_forward(passive, data)
    for (let i = 1; i < model.nb; i++) {
      if (model.vStart[i + 1] - model.vStart[i] !== 1 || model.follows.includes(i)) continue
      const theirs = data.qfrc_damper[mujoco.dofStart[i]] + data.qfrc_spring[mujoco.dofStart[i]]
      error = Math.max(error, Math.abs(out[model.vStart[i]] - theirs) / Math.max(1, Math.abs(theirs)))
    }
  }
  data.delete()
  passive.delete()
  return error
}
